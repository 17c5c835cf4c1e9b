"""Scorers of pairs of documents."""

from typing import Any

import numpy as np

from ._scorer import RankingScorer, build_metric_scorer


def group_auc_scorer(
    *,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    weighted_by: str = "rows",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of AUC per group, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, unjudged, zero_division, average, weighted_by
        As in :func:`group_auc_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import group_auc_scorer
    >>> group_auc_scorer()
    RankingScorer(metrics='group_auc')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
        "weighted_by": weighted_by,
    }
    return build_metric_scorer("group_auc", group_auc_scorer, None, options, groups, response_method)


def pairwise_accuracy_scorer(
    *,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of pairwise accuracy, averaged over queries.

    Parameters
    ----------
    ties, unjudged, zero_division, average
        As in :func:`pairwise_accuracy_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import pairwise_accuracy_scorer
    >>> pairwise_accuracy_scorer()
    RankingScorer(metrics='pairwise_accuracy')
    """
    options = {
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer(
        "pairwise_accuracy", pairwise_accuracy_scorer, None, options, groups, response_method
    )


def neg_bpr_loss_scorer(
    *,
    min_relevance: float = 1,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of the BPR loss, averaged over queries.

    Parameters
    ----------
    min_relevance, unjudged, zero_division, average
        As in :func:`bpr_loss`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so
        that higher is better.

    Examples
    --------
    >>> from sklearn_rank import neg_bpr_loss_scorer
    >>> neg_bpr_loss_scorer()
    RankingScorer(metrics='neg_bpr_loss')
    """
    options = {
        "min_relevance": min_relevance,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("bpr_loss", neg_bpr_loss_scorer, None, options, groups, response_method)
