"""Pairs of documents inside a query."""

from typing import Any

import numpy as np

from .._blocks import Block
from ._compute import Metric, score


def _auc(block: Block, *, min_relevance: float) -> Any:
    """AUC = share of pairs (relevant, not relevant) in which the relevant document stands higher."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    n_pairs = n_relevant * (block.lengths - n_relevant)
    others_above = block.ranks - 1 - block.marked_above(relevant)
    return n_pairs - (block.expected(relevant) * others_above).sum(axis=1), n_pairs, n_pairs > 0


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
    sample_weight: Any = None,
) -> Any:
    """Area under the ROC curve per group, averaged over groups.

    With ``average="macro"`` each user counts alike (customer AUC); with ``average="weighted"`` by the number
    of rows (the GAUC of the recommender papers).

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
        in the order of ``numpy.unique(groups)``.
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
    Zhu et al., "Optimized cost per click in Taobao display advertising", KDD 2017 (GAUC). Per group equal to
    ``sklearn.metrics.roc_auc_score``.

    Examples
    --------
    >>> from sklearn_rank import group_auc_score
    >>> group_auc_score([1, 0, 0, 1, 0], [.9, .8, .1, .2, .3], groups=["a", "a", "a", "b", "b"])
    0.5
    """
    params = {"min_relevance": min_relevance}
    return score(
        GROUP_AUC, y_true, y_score, groups, params, ties, unjudged, average, sample_weight, zero_division
    )


GROUP_AUC = Metric("group_auc_score", _auc, needs_groups=True)
