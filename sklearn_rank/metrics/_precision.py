"""Set measures at a cutoff: of the documents shown, of the relevant ones, how many are both."""

from typing import Any

import numpy as np

from .._ranked import Block
from ._compute import Metric, score


def _count(block: Block, k: int, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Count the relevant documents expected in the top k, and all of them."""
    relevant = block.relevant(min_relevance)
    return relevant.in_top(k), relevant.n


def _precision(block: Block, *, k: int, min_relevance: float, adaptive_k: bool) -> Any:
    """P@k = |relevant in the top k| / k."""
    hits, n_relevant = _count(block, k, min_relevance)
    n_shown = np.minimum(k, block.n_retrieved) if adaptive_k else k
    return hits, n_shown, (n_relevant > 0) & (n_shown > 0)


def precision_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Precision at k per query, averaged over queries.

    The share of relevant documents among the first `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    adaptive_k : bool, default=False
        Divide by min(k, number of documents retrieved) and not by `k`: a short list can then reach 1.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document, or with nothing to divide by; nan leaves it out.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries; None
        for the value of each query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. trec_eval and
    torchmetrics divide by `k`, XGBoost and CatBoost by min(k, n).

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> precision_at_k_score([[1, 1]], [[2, 1]], k=10, adaptive_k=True)
    1.0
    """
    params = {"k": k, "min_relevance": min_relevance, "adaptive_k": adaptive_k}
    return score(
        PRECISION, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


def _recall(block: Block, *, k: int, min_relevance: float) -> Any:
    """R@k = |relevant in the top k| / |relevant|."""
    hits, n_relevant = _count(block, k, min_relevance)
    return hits, n_relevant, n_relevant > 0


def recall_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Recall at k per query, averaged over queries.

    The share of the relevant documents that is among the first `k`. With ``average="micro"`` it is the hit
    ratio of many recommender papers: all hits by all relevant documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank and
        counts among the relevant ones.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries; None
        for the value of each query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)
    0.66...
    """
    params = {"k": k, "min_relevance": min_relevance}
    return score(
        RECALL, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


def _f1(block: Block, *, k: int, min_relevance: float) -> Any:
    """F1@k = 2 P@k R@k / (P@k + R@k) = 2 |relevant in the top k| / (k + |relevant|)."""
    hits, n_relevant = _count(block, k, min_relevance)
    return 2 * hits, 1.0 * k + n_relevant, n_relevant > 0


def f1_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """F1 at k per query, averaged over queries.

    The harmonic mean of precision and recall of the first `k` documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries; None
        for the value of each query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from sklearn_rank import f1_at_k_score
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2)
    0.4
    """
    params = {"k": k, "min_relevance": min_relevance}
    return score(F1, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division)


def _r_precision(block: Block, *, min_relevance: float) -> Any:
    """R-precision = |relevant in the top R| / R, R = |relevant|."""
    relevant = block.relevant(min_relevance)
    in_top = block.ranks <= relevant.n[:, None]
    return (relevant.expected * in_top).sum(axis=1), relevant.n, relevant.n > 0


def r_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """R-precision per query, averaged over queries.

    Precision and recall at the cutoff R, the query's number of relevant documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4 (trec_eval's
    Rprec).

    Examples
    --------
    >>> from sklearn_rank import r_precision_score
    >>> r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.5
    """
    params = {"min_relevance": min_relevance}
    return score(
        R_PRECISION, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


PRECISION = Metric("precision_at_k_score", _precision, needs_k=True, micro=True, binary=True)
RECALL = Metric("recall_at_k_score", _recall, needs_k=True, micro=True, binary=True)
F1 = Metric("f1_at_k_score", _f1, needs_k=True, micro=True, binary=True)
R_PRECISION = Metric("r_precision_score", _r_precision, binary=True)
