"""Scorers of cumulative gain."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def dcg_scorer(
    *,
    k: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    ties: str = "average",
    unjudged: str = "raise",
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of DCG at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain, discount, ties, unjudged, average
        As in :func:`dcg_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import dcg_scorer
    >>> dcg_scorer(k=10)
    RankingScorer(metrics='dcg@10')
    """
    options = {"gain": gain, "discount": discount, "ties": ties, "unjudged": unjudged, "average": average}
    return build_metric_scorer("dcg", dcg_scorer, k, options, groups, response_method)


def ndcg_scorer(
    *,
    k: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of NDCG at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain, discount, ties, unjudged, zero_division, average
        As in :func:`ndcg_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import ndcg_scorer
    >>> ndcg_scorer(k=10)
    RankingScorer(metrics='ndcg@10')
    """
    options = {
        "gain": gain,
        "discount": discount,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("ndcg", ndcg_scorer, k, options, groups, response_method)
