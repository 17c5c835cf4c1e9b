"""The loss of Bayesian personalized ranking: how surely relevant documents score above others."""

from __future__ import annotations

from math import inf

import numpy as np

from .._checks.types import ArrayLike, PlainAverage, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _bpr(block: Block, *, min_relevance: float) -> Ratio:
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
    return Ratio(total, n_pairs, n_pairs > 0)


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
neg_bpr_loss_scorer = BPR.factory
