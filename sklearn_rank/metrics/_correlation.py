"""Correlation of labels and scores inside a query."""

from typing import Any

import numpy as np

from .._ranked import Block
from ._compute import Metric, score


def _kendall(block: Block) -> Any:
    """tau-b = (concordant - discordant pairs) / sqrt(pairs untied in labels * pairs untied in scores)."""
    n_pairs = block.lengths * (block.lengths - 1) / 2
    tied_labels = block.n_equal_labels()
    tied_scores = 0 if block.tied is None else block.tied.n_pairs(block.lengths)
    tied_both = 0 if block.tied is None else block.n_equal_labels(inside=block.tied)
    n_untied = n_pairs - tied_labels - tied_scores + tied_both
    norm = np.sqrt(n_pairs - tied_labels) * np.sqrt(n_pairs - tied_scores)
    return np.clip(n_untied - 2 * block.n_inversions(block.tied), -norm, norm), norm, norm > 0


def kendall_tau_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Kendall's tau-b between labels and scores per query, averaged over queries.

    The pairs in the right order less those in the wrong one, normalised for ties of labels and of scores.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
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
    Kendall, "The treatment of ties in ranking problems", Biometrika 1945. Per group equal to
    ``scipy.stats.kendalltau``.

    Examples
    --------
    >>> from sklearn_rank import kendall_tau_score
    >>> kendall_tau_score([[2, 0, 1]], [[3, 2, 1]])
    0.33...
    """
    params: dict[str, Any] = {}
    return score(
        KENDALL, y_true, y_score, groups, params, "average", unjudged, average, sample_weight, zero_division
    )


def _spearman(block: Block) -> Any:
    """Spearman's rho = the correlation of the ranks of labels and scores, ties at their mean rank."""
    label_ranks, score_ranks = block.mean_ranks()
    return _correlation(block, -label_ranks, -score_ranks)


def spearman_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Spearman's rank correlation between labels and scores per query, averaged over queries.

    The correlation of the ranks of labels and scores, equal ones at their mean rank.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
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
    >>> from sklearn_rank import spearman_score
    >>> round(spearman_score([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.5
    """
    params: dict[str, Any] = {}
    return score(
        SPEARMAN, y_true, y_score, groups, params, "average", unjudged, average, sample_weight, zero_division
    )


def _pearson(block: Block) -> Any:
    """Pearson's r = the correlation of the labels and scores themselves."""
    return _correlation(block, block.labels, block.scores)


def _correlation(block: Block, x: np.ndarray, y: np.ndarray) -> Any:
    """Sum of x y / sqrt(sum of x^2 * sum of y^2), both centred."""
    x, y = (_centre(block, values) for values in (x, y))
    norm = np.sqrt((x * x).sum(axis=1)) * np.sqrt((y * y).sum(axis=1))
    covariance = (x * y).sum(axis=1)
    return np.clip(covariance, -norm, norm), norm, norm > 0


def _centre(block: Block, values: np.ndarray) -> np.ndarray:
    """Subtract the mean of each query, scaled by powers of two: no digit is lost, no square overflows.

    The first value is subtracted before the mean, which would round away small differences beside it.
    """
    values = _scale(block.judged(values))
    values = _scale(block.judged(values - values[:, :1]))
    mean = values.sum(axis=1, keepdims=True) / np.maximum(block.lengths, 1)[:, None]
    return block.judged(values - mean) * values.any(axis=1, keepdims=True)


def _scale(values: np.ndarray) -> np.ndarray:
    """Bring the largest value of each row near 1."""
    return np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])


def pearson_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    unjudged: str = "raise",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
    """Pearson's correlation between labels and scores per query, averaged over queries.

    The linear correlation of the values of labels and scores.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
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
    >>> from sklearn_rank import pearson_score
    >>> round(pearson_score([[2, 0, 1]], [[3.0, 2.0, 1.0]]), 4)
    0.5
    """
    params: dict[str, Any] = {}
    return score(
        PEARSON, y_true, y_score, groups, params, "average", unjudged, average, sample_weight, zero_division
    )


KENDALL = Metric("kendall_tau_score", _kendall)
SPEARMAN = Metric("spearman_score", _spearman)
PEARSON = Metric("pearson_score", _pearson, uses_scores=True)
