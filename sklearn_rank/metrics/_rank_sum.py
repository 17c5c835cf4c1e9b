"""The ranks of the relevant documents: their sum, which is linear in the labels, and their mean."""

from __future__ import annotations

from math import inf

import numpy as np

from .._checks.types import ArrayLike, MeanAverage, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _rank_sum(block: Block) -> Ratio:
    """Sum of label * rank over the documents; those without a score stand at the bottom."""
    labels = block.expected(block.judged(block.labels))
    return Ratio(np.einsum("qi,i->q", labels, block.ranks))


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
neg_rank_sum_loss_scorer = RANK_SUM.factory
AVERAGE_RANK = add_metric(
    "average_rank_loss",
    _average_rank,
    average_rank_loss,
    upper=inf,
    greater_is_better=False,
    micro=True,
    binary=True,
)
neg_average_rank_loss_scorer = AVERAGE_RANK.factory
