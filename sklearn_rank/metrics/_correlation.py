"""Spearman's and Pearson's correlation of labels and scores inside a query."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, PlainAverage, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _spearman(block: Block) -> Ratio:
    """Spearman's rho = the correlation of the ranks of labels and scores, ties at their mean rank."""
    label_ranks, score_ranks = block.mean_ranks()
    return _correlation(block, -label_ranks, -score_ranks)


def spearman_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Spearman's rank correlation between labels and scores per query, averaged over queries.

    The correlation of the ranks of labels and scores, equal ones at their mean rank.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: real, finite, of any sign; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels or scores are all equal; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [-1, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Spearman, "The proof and measurement of association between two things", 1904. Per group equal to
    ``scipy.stats.spearmanr``.

    Examples
    --------
    >>> from sklearn_rank.metrics import spearman_score
    >>> round(spearman_score([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.5

    The rank IC of forecasts, day by day:

    >>> returns, forecasts = [0.02, -0.01, 0.0, -0.03, 0.01, 0.0], [3, 1, 2, 1, 2, 3]
    >>> days = ["Mon", "Mon", "Mon", "Tue", "Tue", "Tue"]
    >>> spearman_score(returns, forecasts, groups=days, average=None)
    array([1. , 0.5])
    """
    return compute_call(SPEARMAN, **locals())


def _pearson(block: Block) -> Ratio:
    """Pearson's r = the correlation of the labels and scores themselves."""
    return _correlation(block, block.labels, block.scores)


def _correlation(block: Block, x: np.ndarray, y: np.ndarray) -> Ratio:
    """Sum of x y / sqrt(sum of x^2 * sum of y^2), both centred."""
    x, y = (_centre(block, values) for values in (x, y))
    norm = np.sqrt((x * x).sum(axis=1)) * np.sqrt((y * y).sum(axis=1))
    covariance = (x * y).sum(axis=1)
    return Ratio(np.clip(covariance, -norm, norm), norm, norm > 0)


def _centre(block: Block, values: np.ndarray) -> np.ndarray:
    """Subtract the mean of each query, scaled by powers of two: no digit is lost, no square overflows.

    The first value is subtracted before the mean, which would round away small differences beside it.
    """
    values = _scale_by_row(block.judged(values))
    values = _scale_by_row(block.judged(values - values[:, :1]))
    mean = values.sum(axis=1, keepdims=True) / np.maximum(block.lengths, 1)[:, None]
    return block.judged(values - mean) * values.any(axis=1, keepdims=True)


def _scale_by_row(values: np.ndarray) -> np.ndarray:
    """Bring the largest value of each row near 1."""
    return np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])


def pearson_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Pearson's correlation between labels and scores per query, averaged over queries.

    The linear correlation of the values of labels and scores.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: real, finite, of any sign; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, finite: their values count, not their order alone.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels or scores are all equal; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [-1, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above, or a score is infinite or an integer that float64 does not
        hold; the message names it.

    References
    ----------
    Pearson, "Notes on regression and inheritance in the case of two parents", 1895. Per group equal to
    ``scipy.stats.pearsonr``.

    Examples
    --------
    >>> from sklearn_rank.metrics import pearson_score
    >>> round(pearson_score([[2, 0, 1]], [[3.0, 2.0, 1.0]]), 4)
    0.5
    """
    return compute_call(PEARSON, **locals())


SPEARMAN = add_metric("spearman", _spearman, spearman_score, lower=-1.0, any_label=True)
spearman_scorer = SPEARMAN.factory
PEARSON = add_metric("pearson", _pearson, pearson_score, lower=-1.0, uses_scores=True, any_label=True)
pearson_scorer = PEARSON.factory
