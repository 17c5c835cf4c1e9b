"""Cumulative gain: documents are worth their gain, less the further down they stand."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

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
    gains = block.expected(block.retrieved(gain(block.top_labels(k))))
    return Ratio(sum_discounted(gains, k, discount))


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
dcg_scorer = DCG.factory
