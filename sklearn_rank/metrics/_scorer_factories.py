"""The scorer factories: one per metric."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._validation import check_options, fail
from ._registry import METRICS
from ._scorer import RankingScorer, build_scorer


def _one_metric(
    stem: str,
    factory: Callable[..., RankingScorer],
    k: int | None,
    options: dict[str, Any],
    groups: str | None,
    response_method: Any,
) -> RankingScorer:
    """Build the scorer of one row of the table under its name, such as ndcg@10."""
    check_options(factory.__name__, k=k)
    if k is None and METRICS[stem].cutoff == "required":
        fail("k", factory.__name__, "be an int >= 1", None)
    name = stem if k is None else f"{stem}@{int(k)}"
    return build_scorer(factory, METRICS[stem].function, name, options, groups, response_method)


def ndcg_scorer(
    *,
    k: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    ties: str = "average",
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
    gain, discount, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("ndcg", ndcg_scorer, k, options, groups, response_method)


def dcg_scorer(
    *,
    k: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    ties: str = "average",
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of DCG at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain, discount, ties, average
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
    options = {"gain": gain, "discount": discount, "ties": ties, "average": average}
    return _one_metric("dcg", dcg_scorer, k, options, groups, response_method)


def map_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: str = "achievable",
    ties: str = "average",
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
    min_relevance, denominator, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("map", map_scorer, k, options, groups, response_method)


def mrr_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    ties: str = "average",
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
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("mrr", mrr_scorer, k, options, groups, response_method)


def precision_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: str = "average",
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
    min_relevance, adaptive_k, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("precision", precision_at_k_scorer, k, options, groups, response_method)


def recall_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
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
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("recall", recall_at_k_scorer, k, options, groups, response_method)


def f1_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
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
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("f1", f1_at_k_scorer, k, options, groups, response_method)


def hit_rate_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
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
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("hit_rate", hit_rate_at_k_scorer, k, options, groups, response_method)


def r_precision_scorer(
    *,
    min_relevance: float = 1,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of R-precision, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("r_precision", r_precision_scorer, None, options, groups, response_method)


def group_auc_scorer(
    *,
    min_relevance: float = 1,
    ties: str = "average",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> RankingScorer:
    """Make a scorer of AUC per group, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, zero_division, average
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
        "zero_division": zero_division,
        "average": average,
    }
    return _one_metric("group_auc", group_auc_scorer, None, options, groups, response_method)
