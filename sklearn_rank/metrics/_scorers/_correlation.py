"""Scorers of correlation inside a query."""

from typing import Any

import numpy as np

from ._scorer import RankingScorer, build_metric_scorer


def kendall_tau_scorer(
    *,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of Kendall's tau-b, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average
        As in :func:`kendall_tau_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import kendall_tau_scorer
    >>> kendall_tau_scorer()
    RankingScorer(metrics='kendall_tau')
    """
    options = {
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("kendall_tau", kendall_tau_scorer, None, options, groups, response_method)


def spearman_scorer(
    *,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of Spearman's correlation, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average
        As in :func:`spearman_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import spearman_scorer
    >>> spearman_scorer()
    RankingScorer(metrics='spearman')
    """
    options = {
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("spearman", spearman_scorer, None, options, groups, response_method)


def pearson_scorer(
    *,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of Pearson's correlation, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average
        As in :func:`pearson_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import pearson_scorer
    >>> pearson_scorer()
    RankingScorer(metrics='pearson')
    """
    options = {
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("pearson", pearson_scorer, None, options, groups, response_method)
