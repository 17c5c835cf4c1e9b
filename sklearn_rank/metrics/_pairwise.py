"""Pairs of documents inside a query."""

from typing import Any

import numpy as np

from .._ranked import Block
from ._compute import Metric, score


def _auc(block: Block, *, min_relevance: float) -> Any:
    """AUC = share of pairs (relevant, not relevant) in which the relevant document stands higher."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    n_pairs = relevant.n * (block.lengths - relevant.n)
    n_wrong = relevant.rank_sums - relevant.n * (relevant.n + 1) / 2  # Mann and Whitney's U
    return n_pairs - n_wrong, n_pairs, n_pairs > 0


def group_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    weighted_by: str = "rows",
    sample_weight: Any = None,
) -> Any:
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
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    weighted_by : {"rows", "relevant"}, default="rows"
        What ``average="weighted"`` counts in each query: its rows, or the relevant ones among them.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], 0.5 for a constant score; higher is better. nan, with a warning, if all are left out.

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
    params = {"min_relevance": min_relevance, "weighted_by": weighted_by}
    return score(
        GROUP_AUC, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


def _pairwise_accuracy(block: Block) -> Any:
    """Pairs in the right order / pairs with different labels; a pair of equal scores is half right."""
    n_pairs = block.lengths * (block.lengths - 1) / 2 - block.n_equal_labels()
    tied: np.ndarray | int = 0
    if block.runs is not None:
        tied = block.runs.n_pairs(block.lengths) - block.n_equal_labels(inside=block.runs)
    return n_pairs - block.n_inversions(block.runs) - tied / 2, n_pairs, n_pairs > 0


def pairwise_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Share of pairs with different labels in the right order, per query, averaged over queries.

    For two grades it is the AUC per group; for more it counts each pair of grades alike.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
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
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], 0.5 for a constant score; higher is better. nan, with a warning, if all are left
        out.

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
    params: dict[str, Any] = {}
    return score(
        PAIRWISE_ACCURACY,
        y_true,
        y_score,
        groups,
        params,
        ties,
        unjudged,
        average,
        sample_weight,
        zero_division,
    )


def _bpr(block: Block, *, min_relevance: float) -> Any:
    """BPR = mean of -log sigmoid(s_i - s_j) = log(1 + exp(s_j - s_i)) over pairs (relevant i, other j)."""
    relevant = block.marks(min_relevance)
    others = block.judged(~relevant) > 0
    n_relevant, n_others = relevant.sum(axis=1), others.sum(axis=1)
    # One document a query at a time, of the smaller class, against all others: this bounds the memory.
    of_relevant = n_relevant.max() <= n_others.max()
    few, many, n_few = (relevant, others, n_relevant) if of_relevant else (others, relevant, n_others)
    sign = 1 if of_relevant else -1
    few_first = np.take_along_axis(block.scores, np.argsort(~few, axis=1, kind="stable"), axis=1)
    against = np.where(many, block.scores, -sign * np.inf)  # which adds nothing
    total = np.zeros(len(few))
    with np.errstate(over="ignore"):  # a margin beyond the range of floats is an infinite loss
        for place in range(n_few.max()):
            losses = np.logaddexp(0, sign * (against - few_first[:, place, None])).sum(axis=1)
            total += np.where(place < n_few, losses, 0)
    n_pairs = n_relevant * n_others
    return total, n_pairs, n_pairs > 0


def bpr_loss(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    min_relevance: float = 1,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
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
        a warning, if all are left out.

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
    >>> from sklearn_rank import bpr_loss
    >>> round(bpr_loss([[1, 0, 0]], [[2.0, 2.0, -1.0]]), 4)  # (log 2 + log(1 + exp(-3))) / 2
    0.3709
    """
    params = {"min_relevance": min_relevance}
    return score(
        BPR, y_true, y_score, groups, params, "average", unjudged, average, sample_weight, zero_division
    )


GROUP_AUC = Metric("group_auc_score", _auc, binary=True)
PAIRWISE_ACCURACY = Metric("pairwise_accuracy_score", _pairwise_accuracy)
BPR = Metric("bpr_loss", _bpr, uses_scores=True)
