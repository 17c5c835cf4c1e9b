"""Scorers of where the first relevant document stands."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def mrr_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of mean reciprocal rank at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`mrr_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import mrr_scorer
    >>> mrr_scorer(k=10)
    RankingScorer(metrics='mrr@10')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("mrr", mrr_scorer, k, options, groups, response_method)


def hit_rate_at_k_scorer(
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
    """Make a scorer of hit rate at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`hit_rate_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_scorer
    >>> hit_rate_at_k_scorer(k=10)
    RankingScorer(metrics='hit_rate@10')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("hit_rate", hit_rate_at_k_scorer, k, options, groups, response_method)
