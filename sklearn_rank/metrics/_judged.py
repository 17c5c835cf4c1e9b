"""Metrics of rankings that are judged in part: bpref, fallout and judged documents."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.types import ArrayLike, Average, MeanAverage, RatioDenominator, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _bpref(block: Block, *, min_relevance: float, denominator: str) -> Ratio:
    """BPREF = 1/R sum over relevant documents of 1 - min(n, R) / min(R, N), or / R; n others above, of N."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    most = np.minimum(n_relevant, block.lengths - n_relevant) if denominator == "achievable" else n_relevant
    worst = np.maximum(most, 1)
    above = block.capped_above(block.retrieved(~relevant), n_relevant)
    shares = block.retrieved(relevant) * (1 - above / worst[:, None])
    return Ratio(shares.sum(axis=1), n_relevant, n_relevant > 0)


@explain_parameters
def bpref_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Binary preference per query, averaged over queries.

    How rarely judged documents that are not relevant stand above relevant ones; made for incomplete
    judgements, so that ``unjudged="drop"`` is what trec_eval does with documents that nobody judged.

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
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    denominator : {"achievable", "relevant"}, default="achievable"
        Divide the number of others above a relevant document by the most that count, min(R, N) of R relevant
        documents and N others (trec_eval, ir_measures), or by R (the paper).
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
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
    Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004: at most R
    documents above count, and they are divided by R; by min(R, N) as trec_eval computes it.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpref_score
    >>> bpref_score([[1, float("nan"), 0, 1]], [[4, 3, 2, 1]], unjudged="drop")
    0.5
    >>> bpref_score([[1, 0, 1]], [[3, 2, 1]], denominator="relevant")  # (1 + (1 - 1 / 2)) / 2
    0.75
    """
    return compute_call(BPREF, **locals())


BPREF = add_metric("bpref", _bpref, bpref_score, denominators=("achievable", "relevant"))


def _fallout(block: Block, *, k: int, min_relevance: float) -> Ratio:
    """fallout@k = |not relevant in the top k| / |not relevant|."""
    others = 1 - block.marks(min_relevance)
    n_others = block.judged(others).sum(axis=1)
    n_shown = block.expected(block.retrieved(others))[:, :k].sum(axis=1)
    # Rounding could raise a mean over ties above the number of all.
    return Ratio(np.minimum(n_shown, n_others), n_others, n_others > 0)


@explain_parameters
def fallout_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: MeanAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
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
    >>> from sklearn_rank.metrics import fallout_at_k_score
    >>> fallout_at_k_score([[1, 0, 0, 1, 0]], [[5, 4, 3, 2, 1]], k=2)
    0.33...
    """
    return compute_call(FALLOUT, **locals())


def _judged(block: Block, *, k: int) -> Ratio:
    """judged@k = |judged in the top k| / min(k, n); the labels of the block are 1 for judged, 0 for not."""
    n_shown = np.minimum(k, block.n_retrieved)
    return Ratio(block.expected(block.retrieved(block.labels))[:, :k].sum(axis=1), n_shown, n_shown > 0)


@explain_parameters
def judged_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
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
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
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
    >>> from sklearn_rank.metrics import judged_at_k_score
    >>> judged_at_k_score([[1, float("nan"), 0]], [[3, 2, 1]], k=2)
    0.5
    """
    return compute_call(JUDGED, **locals(), unjudged="nonrelevant")


FALLOUT = add_metric("fallout", _fallout, fallout_at_k_score, greater_is_better=False, micro=True)
JUDGED = add_metric("judged", _judged, judged_at_k_score, nan_rule="judgements")
