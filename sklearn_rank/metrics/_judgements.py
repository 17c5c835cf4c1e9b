"""Documents judged not relevant, and documents not judged: bpref, fallout and the share judged."""

from typing import Any

import numpy as np

from .._ranked import Block
from ._compute import Metric, score


def _bpref(block: Block, *, min_relevance: float) -> Any:
    """BPREF = 1/R sum over relevant documents of 1 - min(n, R) / min(R, N), n others above each, of N."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    n_others = block.lengths - n_relevant
    worst = np.maximum(np.minimum(n_relevant, n_others), 1)
    above = block.capped_above(block.retrieved(~relevant), n_relevant)
    return (block.retrieved(relevant) * (1 - above / worst[:, None])).sum(axis=1), n_relevant, n_relevant > 0


def bpref_score(
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
    """Binary preference per query, averaged over queries.

    How rarely judged documents that are not relevant stand above relevant ones; made for incomplete
    judgements, so that ``unjudged="drop"`` is what trec_eval does with documents that nobody judged.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank. Relevant ones count as missed.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

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
    Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004, as trec_eval
    computes it: at most R documents above count, and they are divided by min(R, N).

    Examples
    --------
    >>> from sklearn_rank import bpref_score
    >>> bpref_score([[1, float("nan"), 0, 1]], [[4, 3, 2, 1]], unjudged="drop")
    0.5
    """
    params = {"min_relevance": min_relevance}
    return score(
        BPREF, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


def _fallout(block: Block, *, k: int, min_relevance: float) -> Any:
    """fallout@k = |not relevant in the top k| / |not relevant|."""
    others = 1 - block.marks(min_relevance)
    n_others = block.judged(others).sum(axis=1)
    n_shown = block.expected(block.retrieved(others))[:, :k].sum(axis=1)
    return np.minimum(n_shown, n_others), n_others, n_others > 0  # rounding would lift a mean over ties above


def fallout_at_k_score(
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
    """Fallout at k per query, averaged over queries: lower is better.

    The share of the documents that are not relevant that is among the first `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a document that is not relevant; nan leaves it out of the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries;
        None for the value of each query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; lower is better, and its scorer negates it. nan, with a warning, if every query is
        left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.5.

    Examples
    --------
    >>> from sklearn_rank import fallout_at_k_score
    >>> fallout_at_k_score([[1, 0, 0, 1, 0]], [[5, 4, 3, 2, 1]], k=2)
    0.33...
    """
    params = {"k": k, "min_relevance": min_relevance}
    return score(
        FALLOUT, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


def _judged(block: Block, *, k: int) -> Any:
    """judged@k = |judged in the top k| / min(k, n); the labels of the block are 1 for judged, 0 for not."""
    n_shown = np.minimum(k, block.n_retrieved)
    return block.expected(block.retrieved(block.labels))[:, :k].sum(axis=1), n_shown, n_shown > 0


def judged_at_k_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Share of judged documents in the top k per query, averaged over queries.

    How much of what a model shows has a judgement: where it is low, other metrics say little about that
    model.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query for which nothing was retrieved; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

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
    ir_measures' Judged@k; Sakai, "Alternatives to bpref", SIGIR 2007, on judged documents alone.

    Examples
    --------
    >>> from sklearn_rank import judged_at_k_score
    >>> judged_at_k_score([[1, float("nan"), 0]], [[3, 2, 1]], k=2)
    0.5
    """
    params = {"k": k}
    return score(
        JUDGED, y_true, y_score, groups, params, ties, "nonrelevant", average, sample_weight, zero_division
    )


BPREF = Metric("bpref_score", _bpref, binary=True)
FALLOUT = Metric("fallout_at_k_score", _fallout, needs_k=True, micro=True, binary=True)
JUDGED = Metric("judged_at_k_score", _judged, needs_k=True, of_judgements=True)
