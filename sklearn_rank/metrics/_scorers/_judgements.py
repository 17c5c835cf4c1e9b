"""Scorers of documents not relevant and not judged."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def bpref_scorer(
    *,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of bpref, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`bpref_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import bpref_scorer
    >>> bpref_scorer()
    RankingScorer(metrics='bpref')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("bpref", bpref_scorer, None, options, groups, response_method)


def neg_fallout_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of fallout at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`fallout_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so
        that higher is better.

    Examples
    --------
    >>> from sklearn_rank import neg_fallout_at_k_scorer
    >>> neg_fallout_at_k_scorer(k=10)
    RankingScorer(metrics='neg_fallout@10')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("fallout", neg_fallout_at_k_scorer, k, options, groups, response_method)


def judged_at_k_scorer(
    *,
    k: int,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of the share of judged documents in the top `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    ties, zero_division, average
        As in :func:`judged_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import judged_at_k_scorer
    >>> judged_at_k_scorer(k=10)
    RankingScorer(metrics='judged@10')
    """
    options = {
        "ties": ties,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("judged", judged_at_k_scorer, k, options, groups, response_method)
