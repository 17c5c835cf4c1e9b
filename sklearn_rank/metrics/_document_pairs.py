"""Metrics of pairs and of the ranks of relevant documents: AUC, pairwise accuracy, BPR, rank sums."""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.types import ArrayLike, Average, MeanAverage, PlainAverage, RatioAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _rank_sum(block: Block) -> Ratio:
    """Sum of label * rank over the documents; those without a score stand at the bottom."""
    return Ratio(np.einsum("qi,i->q", block.expected(block.judged(block.labels)), block.ranks))


@explain_parameters
def rank_sum_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Sum of the ranks of the relevant documents per query, averaged over queries: lower is better.

    The sum of ``label * rank`` over all documents by falling score, so that grades weight the ranks. It is
    the loss that unbiased learning from clicks estimates.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0 unless `signed`; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    signed : bool, default=False
        Whether labels may have any sign, as those of debiased clicks have. A query without a click
        counts 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst
        order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median
        of the query's judged labels.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in
        the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, inf), of any sign if `signed`; lower is better, and its scorer negates it.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Examples
    --------
    >>> from sklearn_rank.metrics import rank_sum_loss
    >>> rank_sum_loss([[0, 1, 1, 0]], [[4, 3, 2, 1]])  # 2 + 3
    5.0
    >>> rank_sum_loss([[2.5, -0.5]], [[1, 2]], signed=True)  # 2 * 2.5 - 1 * 0.5
    4.5
    """
    return compute_call(RANK_SUM, **locals())


def _average_rank(block: Block, *, min_relevance: float) -> Ratio:
    """AR = sum of the ranks of the relevant documents / their number."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    return Ratio(relevant.rank_sums, relevant.n, relevant.n > 0)


@explain_parameters
def average_rank_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: MeanAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Average rank of the relevant documents per query, averaged over queries: lower is better.

    The mean of the ranks of the relevant documents by falling score. With ``average="micro"`` all relevant
    documents of all queries count alike.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score.
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
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries; None
        for the value of each query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [1, inf); lower is better, and its scorer negates it. nan, with a warning, if every query is left
        out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.
    TF-Ranking's ARP is it with ``average="micro"``, for labels 0 and 1.

    Examples
    --------
    >>> from sklearn_rank.metrics import average_rank_loss
    >>> average_rank_loss([[1, 0, 1], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])  # ((1 + 3) / 2 + 3) / 2
    2.5
    >>> round(average_rank_loss([[1, 0, 1], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]], average="micro"), 4)
    2.3333
    """
    return compute_call(AVERAGE_RANK, **locals())


RANK_SUM = add_metric("rank_sum_loss", _rank_sum, rank_sum_loss, upper=inf, greater_is_better=False)
AVERAGE_RANK = add_metric(
    "average_rank_loss", _average_rank, average_rank_loss, upper=inf, greater_is_better=False, micro=True
)


def _auc(block: Block, *, min_relevance: float) -> Ratio:
    """AUC = share of pairs (relevant, not relevant) in which the relevant document stands higher."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    n_pairs = relevant.n * (block.lengths - relevant.n)
    n_wrong = relevant.rank_sums - relevant.n * (relevant.n + 1) / 2  # Mann and Whitney's U
    return Ratio(n_pairs - n_wrong, n_pairs, n_pairs > 0)


@explain_parameters
def group_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    weighted_by: Literal["rows", "relevant"] = "rows",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Area under the ROC curve per group, averaged over groups.

    With ``average="macro"`` each user counts alike (customer AUC). With ``average="weighted"`` it is the
    GAUC, of which there are two: users count by their rows, that is impressions, in most papers; by their
    relevant rows, that is positives, in RecBole, and with ``weighted_by="relevant"`` here.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. Equal scores count half a win, -inf among
        themselves too.
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
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose documents are all relevant or all not; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    weighted_by : {"rows", "relevant"}, default="rows"
        What ``average="weighted"`` counts in each query: its rows, or the relevant ones among them.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], 0.5 for a constant score; higher is better. nan, with a warning, if every query is
        left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Zhu et al., "Optimized cost per click in Taobao display advertising", KDD 2017 (GAUC by impressions or
    clicks). Per group equal to ``sklearn.metrics.roc_auc_score``.

    Examples
    --------
    >>> from sklearn_rank import group_auc_score
    >>> group_auc_score([1, 0, 0, 1, 0], [.9, .8, .1, .2, .3], groups=["a", "a", "a", "b", "b"])
    0.5
    """
    return compute_call(GROUP_AUC, **locals())


def _pairwise_accuracy(block: Block) -> Ratio:
    """Pairs in the right order / pairs with different labels; a pair of equal scores is half right."""
    n_pairs = block.lengths * (block.lengths - 1) / 2 - block.n_equal_labels()
    tied: np.ndarray | int = 0
    if block.open_ties is not None:
        tied = block.open_ties.n_pairs(block.lengths) - block.n_equal_labels(inside=block.open_ties)
    return Ratio(n_pairs - block.n_inversions(block.open_ties) - tied / 2, n_pairs, n_pairs > 0)


@explain_parameters
def pairwise_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Share of pairs with different labels in the right order, per query, averaged over queries.

    For two grades it is the AUC per group; for more it counts each pair of grades alike. With
    ``average="micro"`` all pairs of all queries count alike.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: real, finite, of any sign; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score. Equal scores count half.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose documents all have one label; nan leaves it out of the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, the ratio of sums over queries, or the
        geometric mean of their values, raised to 0.00001 where they are below; None for the value of each
        query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], 0.5 for a constant score; higher is better. nan, with a warning, if every query is
        left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Cohen, Schapire and Singer, "Learning to order things", JAIR 1999. CatBoost's QueryAUC:type=Ranking
    and PairAccuracy.

    Examples
    --------
    >>> from sklearn_rank import pairwise_accuracy_score
    >>> pairwise_accuracy_score([[2, 0, 1]], [[3, 2, 1]])
    0.66...
    """
    return compute_call(PAIRWISE_ACCURACY, **locals())


GROUP_AUC = add_metric("group_auc", _auc, group_auc_score)
PAIRWISE_ACCURACY = add_metric(
    "pairwise_accuracy", _pairwise_accuracy, pairwise_accuracy_score, micro=True, any_label=True
)


def _bpr(block: Block, *, min_relevance: float) -> Ratio:
    """BPR = mean of -log sigmoid(s_i - s_j) = log(1 + exp(s_j - s_i)) over pairs (relevant i, other j)."""
    relevant = block.marks(min_relevance)
    others = block.judged(~relevant) > 0
    n_relevant, n_others = relevant.sum(axis=1), others.sum(axis=1)
    # One document per query at a time, from the smaller class, against all others: this bounds the memory.
    of_relevant = n_relevant.max() <= n_others.max()
    few, many, n_few = (relevant, others, n_relevant) if of_relevant else (others, relevant, n_others)
    sign = 1 if of_relevant else -1
    few_first = np.take_along_axis(block.scores, np.argsort(~few, axis=1, kind="stable"), axis=1)
    against = np.where(many, block.scores, -sign * np.inf)  # adds 0
    total = np.zeros(len(few))
    with np.errstate(over="ignore"):  # a margin beyond the range of floats is an infinite loss
        for place in range(n_few.max()):
            losses = np.logaddexp(0, sign * (against - few_first[:, place, None])).sum(axis=1)
            total += np.where(place < n_few, losses, 0)
    n_pairs = n_relevant * n_others
    return Ratio(total, n_pairs, n_pairs > 0)


@explain_parameters
def bpr_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Bayesian personalised ranking loss per query, averaged over queries: lower is better.

    The mean of -log sigmoid(s_i - s_j) over the pairs of a relevant document i and one j that is not:
    exact, without sampling, in memory that grows with the documents; in time that grows with the pairs.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, finite: their differences count, so that the scale matters.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose documents are all relevant or all not; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, inf), log 2 for a constant score; lower is better, and its scorer negates it. nan, with
        a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above, or a score is infinite or an integer that float64 does not
        hold; the message names it.

    References
    ----------
    Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian personalized ranking from implicit
    feedback", UAI 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpr_loss
    >>> round(bpr_loss([[1, 0, 0]], [[2.0, 2.0, -1.0]]), 4)  # (log 2 + log(1 + exp(-3))) / 2
    0.3709
    """
    return compute_call(BPR, **locals())


BPR = add_metric("bpr_loss", _bpr, bpr_loss, upper=inf, greater_is_better=False, uses_scores=True)
