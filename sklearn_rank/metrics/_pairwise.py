"""Pairs of documents inside a query, and how many are in the right order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .._checks.types import ArrayLike, Average, RatioAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _auc(block: Block, *, min_relevance: float) -> Ratio:
    """AUC = share of pairs (relevant, not relevant) in which the relevant document stands higher."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    n_pairs = relevant.n * (block.lengths - relevant.n)
    n_wrong = relevant.rank_sums - relevant.n * (relevant.n + 1) / 2  # Mann and Whitney's U
    return Ratio(n_pairs - n_wrong, n_pairs, n_pairs > 0)


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


GROUP_AUC = add_metric("group_auc", _auc, group_auc_score, binary=True)
group_auc_scorer = GROUP_AUC.factory
PAIRWISE_ACCURACY = add_metric(
    "pairwise_accuracy", _pairwise_accuracy, pairwise_accuracy_score, micro=True, any_label=True
)
pairwise_accuracy_scorer = PAIRWISE_ACCURACY.factory
