"""Normalized cumulative gain: DCG as a share of that of the best order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._checks.types import ArrayLike, Average, Discount, Gain, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.ties import Cutoff
from ._compute import compute_call
from ._dcg import cumulate, sum_discounted
from ._factory import add_metric
from ._table import Ratio


def _ndcg(block: Block, *, k: Cutoff, gain: Callable[..., np.ndarray], discount: np.ndarray) -> Ratio:
    """NDCG@k = DCG@k / (DCG@k of the best order of all judged documents)."""
    dcg = cumulate(block, k=k, gain=gain, discount=discount).numerators
    ideal = sum_discounted(block.judged(gain(block.best_labels(k))), k, discount)
    # Rounding must not lift it above the best order.
    return Ratio(np.minimum(dcg, ideal), ideal, ideal > 0)


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
ndcg_scorer = NDCG.factory
