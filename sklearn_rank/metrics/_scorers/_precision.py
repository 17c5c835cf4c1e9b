"""Scorers that count the relevant documents above a cutoff."""

from typing import Any

from ._scorer import RankingScorer, build_metric_scorer


def precision_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of precision at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, adaptive_k, ties, unjudged, zero_division, average
        As in :func:`precision_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_scorer
    >>> precision_at_k_scorer(k=10)
    RankingScorer(metrics='precision@10')
    """
    options = {
        "min_relevance": min_relevance,
        "adaptive_k": adaptive_k,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("precision", precision_at_k_scorer, k, options, groups, response_method)


def recall_at_k_scorer(
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
    """Make a scorer of recall at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`recall_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_scorer
    >>> recall_at_k_scorer(k=10)
    RankingScorer(metrics='recall@10')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("recall", recall_at_k_scorer, k, options, groups, response_method)


def f1_at_k_scorer(
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
    """Make a scorer of F1 at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`f1_at_k_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import f1_at_k_scorer
    >>> f1_at_k_scorer(k=10)
    RankingScorer(metrics='f1@10')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("f1", f1_at_k_scorer, k, options, groups, response_method)


def r_precision_scorer(
    *,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of R-precision, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`r_precision_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import r_precision_scorer
    >>> r_precision_scorer()
    RankingScorer(metrics='r_precision')
    """
    options = {
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    return build_metric_scorer("r_precision", r_precision_scorer, None, options, groups, response_method)
