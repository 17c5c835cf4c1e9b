"""The scorer of average precision."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def map_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: str = "achievable",
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of mean average precision at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    min_relevance, denominator, ties, unjudged, zero_division, average
        As in :func:`map_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import map_scorer
    >>> map_scorer(k=10)
    RankingScorer(metrics='map@10')
    """
    options = {
        "min_relevance": min_relevance,
        "denominator": denominator,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("map", map_scorer, k, options, groups, response_method)
