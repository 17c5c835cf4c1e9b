"""Metrics of cumulated gain: DCG, NDCG and ERR."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from .._checks import explain_parameters
from .._checks.types import ArrayLike, Average, Discount, Gain, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.ties import Cutoff, last_cutoff, sum_top
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def sum_discounted(gains: np.ndarray, k: Cutoff, discount: np.ndarray) -> np.ndarray:
    """Sum gain(rank) * discount(rank) over the ranks up to k."""
    top = gains[:, : last_cutoff(k)]
    if isinstance(k, np.ndarray):
        return sum_top(top * discount[: top.shape[1]], k)
    return np.einsum("qi,i->q", top, discount[: top.shape[1]])


def cumulate(block: Block, *, k: Cutoff, gain: Callable[..., np.ndarray], discount: np.ndarray) -> Ratio:
    """DCG@k = sum over the ranks i <= k of gain(label_i) * discount(i)."""
    return Ratio(sum_discounted(block.expected(block.retrieved(gain(block.top_labels(k)))), k, discount))


@explain_parameters
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Discounted cumulative gain per query, averaged over queries.

    The sum of ``gain(label) * discount(rank)`` over the first `k` documents by falling score.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0 unless `signed`; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain : {"linear", "exponential"}, callable, sequence or mapping, default="linear"
        Worth of a label: the label itself, 2**label - 1, a function of an array of labels, or a table by
        grade. It may not fall as the label rises.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Factor of a rank: 1 / log2(rank + 1), 1 / rank, a function of an array of ranks, or 1 throughout
        (None: the plain cumulative gain, CG).
    signed : bool, default=False
        Whether labels may have any sign, as those of debiased clicks have. They need the linear gain, as only
        sums of labels stay unbiased; a query without a click counts 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        DCG >= 0, of any sign if `signed`; higher is better.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002. Ties: McSherry
    and Najork, "Computing information retrieval performance measures efficiently in the presence of tied
    scores", ECIR 2008. Debiased clicks: Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with
    biased feedback", WSDM 2017.

    Examples
    --------
    >>> from sklearn_rank import dcg_score
    >>> round(dcg_score([[3, 2, 3, 0, 1, 2]], [[6, 5, 4, 3, 2, 1]]), 3)
    6.861
    >>> dcg_score([[3, 2, 3, 0, 1, 2]], [[6, 5, 4, 3, 2, 1]], discount=None)
    11.0
    >>> dcg_score([[3.5, -0.5, 0]], [[3, 2, 1]], discount=None, signed=True)
    3.0
    """
    return compute_call(DCG, **locals())


DCG = add_metric("dcg", cumulate, dcg_score, upper=inf)


def _ndcg(block: Block, *, k: Cutoff, gain: Callable[..., np.ndarray], discount: np.ndarray) -> Ratio:
    """NDCG@k = DCG@k / (DCG@k of the best order of all judged documents)."""
    dcg = cumulate(block, k=k, gain=gain, discount=discount).numerators
    ideal = sum_discounted(block.judged(gain(block.best_labels(k))), k, discount)
    # Rounding must not raise it above the ideal DCG.
    return Ratio(np.minimum(dcg, ideal), ideal, ideal > 0)


@explain_parameters
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Normalized discounted cumulative gain per query, averaged over queries.

    The DCG of the first `k` documents, divided by that of the best order of all judged documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank and
        counts in the best order.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain : {"linear", "exponential"}, callable, sequence or mapping, default="linear"
        Worth of a label: the label itself (scikit-learn, trec_eval), 2**label - 1 (LightGBM, XGBoost), a
        function of an array of labels, or a table by grade. It may not fall as the label rises.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Factor of a rank: 1 / log2(rank + 1), 1 / rank, a function of an array of ranks, or 1 throughout.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without any gain; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        NDCG in [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002. With the defaults
    the values are those of ``sklearn.metrics.ndcg_score``.

    Examples
    --------
    >>> from sklearn_rank import ndcg_score
    >>> ndcg_score([0, 1, 2, 1, 0], [.1, .3, .2, .9, .4], groups=["a", "a", "a", "b", "b"], k=2)
    0.92...
    """
    return compute_call(NDCG, **locals())


NDCG = add_metric("ndcg", _ndcg, ndcg_score, has_curve=True)


def _err(block: Block, *, k: int | None, stop: Callable[..., np.ndarray], discount: np.ndarray) -> Ratio:
    """ERR@k = sum of R_r (1 - R_1) ... (1 - R_(r-1)) / r over the ranks r <= k, R = (2^grade - 1) / 2^max."""
    stops = stop(block.labels)
    shown = block.retrieved(stops)
    reach = block.running_product(1 - shown, k)  # probability of going beyond each rank
    before = np.concatenate((np.ones((len(reach), 1)), reach[:, :-1]), axis=1)
    n_ranks = reach.shape[1]
    # The probability of stopping at each rank. Without ties it is a product, which loses no digits.
    ends = before * shown[:, :n_ranks] if block.open_ties is None else before - reach
    return Ratio((ends * discount[:n_ranks]).sum(axis=1), 1, block.judged(stops).any(axis=1))


@explain_parameters
def err_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    discount: Discount = "reciprocal",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Expected reciprocal rank per query, averaged over queries.

    The user goes down the list and stops at a document with a probability that rises with its grade; ERR
    is the expectation of 1 / rank of the stop, 0 without one.

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
    k : int, default=None
        Cutoff >= 1; None for all documents.
    gain : {"exponential", "linear"}, callable, sequence or mapping, default="exponential"
        Probability to stop at a label: (2**label - 1) / 2**max_grade, label / max_grade, or a
        function of an array of labels or a table by grade that gives it directly, in [0, 1]. It may
        not fall as the label rises.
    max_grade : float, default=None
        Highest grade of the scale; None for the highest label in the data, which differs between
        folds: give it where values are compared.
    discount : {"reciprocal", "log2"}, callable or None, default="reciprocal"
        Worth of a stop at a rank: 1 / rank, 1 / log2(rank + 1), a function of an array of ranks, or
        1.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query in which no document can stop the user; nan leaves it out of the mean.
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
        In [0, 1], below 1 with the exponential gain, by which even the highest grade stops only
        (2**max_grade - 1) / 2**max_grade of the users; higher is better. nan, with a warning, if every query
        is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.
    CatBoost's ERR takes labels in [0, 1] as probabilities: ``gain="linear", max_grade=1``; its PFound is
    that with ``discount=lambda rank: 0.85 ** (rank - 1)``.

    Examples
    --------
    >>> from sklearn_rank import err_score
    >>> err_score([[1, 0, 2]], [[3, 2, 1]], max_grade=2)  # 1/4 + (1 - 1/4) * 3/4 / 3
    0.4375
    """
    return compute_call(ERR, **locals())


ERR = add_metric("err", _err, err_score, own=("gain", "discount"))
