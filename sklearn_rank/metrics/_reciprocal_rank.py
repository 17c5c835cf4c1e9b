"""Where the first relevant document stands."""

from typing import Any

import numpy as np

from .._ranked import Block
from ._compute import Metric, score


def _in_top(block: Block, k: int | None) -> np.ndarray:
    """Return 1 for the first k ranks and 0 for those below."""
    return (block.ranks <= (k or np.inf)).astype(np.float64)


def _reciprocal_rank(block: Block, *, k: int | None, min_relevance: float) -> Any:
    """RR@k = 1 / rank of the first relevant document, 0 if it stands below k."""
    relevant = block.relevant(min_relevance)
    return relevant.at_first(_in_top(block, k) / block.ranks), 1, relevant.n > 0


def mrr_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Mean reciprocal rank: 1 / rank of the first relevant document, averaged over queries.

    A query whose first relevant document stands below `k` counts 0.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
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
    Voorhees, "The TREC-8 question answering track report", 1999. Ties: McSherry and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import mrr_score
    >>> mrr_score([[0, 1, 0, 1]], [[4, 3, 2, 1]])
    0.5
    """
    params = {"k": k, "min_relevance": min_relevance}
    return score(MRR, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division)


def _hit_rate(block: Block, *, k: int, min_relevance: float) -> Any:
    """hit@k = 1 if a relevant document is in the top k, else 0."""
    relevant = block.relevant(min_relevance)
    hits = relevant.at_first(_in_top(block, k))
    return np.minimum(hits, 1), 1, relevant.n > 0  # probabilities add up to 1 but for their last digits


def hit_rate_at_k_score(
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
    """Hit rate at k: share of queries with a relevant document among the first `k`.

    Also known as success at k. With ties it is the probability of a hit.

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
    trec_eval's success; Deshpande and Karypis, "Item-based top-N recommendation algorithms", TOIS 2004.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> hit_rate_at_k_score([0, 1, 0, 0], [2, 1, 2, 1], groups=[1, 1, 2, 2], k=2)
    0.5
    """
    params = {"k": k, "min_relevance": min_relevance}
    return score(
        HIT_RATE, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


MRR = Metric("mrr_score", _reciprocal_rank, binary=True)
HIT_RATE = Metric("hit_rate_at_k_score", _hit_rate, needs_k=True, binary=True)
