"""Scorers of users who may stop at any document."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def err_scorer(
    *,
    k: int | None = None,
    gain: Any = "exponential",
    max_grade: float | None = None,
    discount: Any = "reciprocal",
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of expected reciprocal rank at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain, max_grade, discount, ties, unjudged, zero_division, average
        As in :func:`err_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import err_scorer
    >>> err_scorer(k=10)
    RankingScorer(metrics='err@10')
    """
    options = {
        "gain": gain,
        "max_grade": max_grade,
        "discount": discount,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("err", err_scorer, k, options, groups, response_method)


def rbp_scorer(
    *,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of rank-biased precision at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    p, min_relevance, ties, unjudged, zero_division, average
        As in :func:`rbp_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import rbp_scorer
    >>> rbp_scorer(k=10)
    RankingScorer(metrics='rbp@10')
    """
    options = {
        "p": p,
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("rbp", rbp_scorer, k, options, groups, response_method)
