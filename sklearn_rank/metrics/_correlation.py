"""Correlation of labels and scores, and the rank of each row."""

from __future__ import annotations

import numpy as np

from .._checks.containers import check_same_order
from .._checks.options import check_choice
from .._checks.types import ArrayLike, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._prepared_input import open_scores, spread_worth
from ._table import Ratio


def ranks(y_score: ArrayLike, *, groups: ArrayLike, ties: TieRule = "average") -> np.ndarray:
    """Return the rank of each row in its query, as all metrics count it: 1 for the highest score.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    ties : {"average", "order", "best", "worst"}, default="average"
        Ranks of equal scores: the mean of their ranks for each of them, the order of the rows, or the first
        or the last of their ranks for each of them.

    Returns
    -------
    ndarray of shape (n_rows,)
        Ranks >= 1 in the order of the rows; nan where a document is not retrieved.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    See Also
    --------
    scipy.stats.rankdata : Ranks of one list, from the lowest value on.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranks
    >>> ranks([0.9, 0.1, 0.5, 0.5, 0.7], groups=["a", "b", "a", "a", "b"])
    array([1. , 2. , 2.5, 2.5, 1. ])
    """
    check_choice("ties", ties, ("average", "order", "best", "worst"))
    check_same_order(y_score=y_score, groups=groups)
    opened = open_scores(y_score, groups)
    by_row = spread_worth(opened, ties, np.arange(1.0, opened.rows.longest + 1))
    by_row[by_row == 0] = np.nan
    return by_row


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
PEARSON = add_metric("pearson", _pearson, pearson_score, lower=-1.0, uses_scores=True, any_label=True)


def _kendall(block: Block) -> Ratio:
    """tau-b = (concordant - discordant pairs) / sqrt(pairs untied in labels * pairs untied in scores)."""
    n_pairs = block.lengths * (block.lengths - 1) / 2
    tied_labels = block.n_equal_labels()
    tied_scores = 0 if block.ties is None else block.ties.n_pairs(block.lengths)
    tied_both = 0 if block.ties is None else block.n_equal_labels(inside=block.ties)
    n_untied = n_pairs - tied_labels - tied_scores + tied_both
    norm = np.sqrt(n_pairs - tied_labels) * np.sqrt(n_pairs - tied_scores)
    return Ratio(np.clip(n_untied - 2 * block.n_inversions(block.ties), -norm, norm), norm, norm > 0)


def kendall_tau_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Kendall's tau-b between labels and scores per query, averaged over queries.

    The pairs in the right order less those in the wrong one, normalised for ties of labels and of scores.

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
    Kendall, "The treatment of ties in ranking problems", Biometrika 1945. Per group equal to
    ``scipy.stats.kendalltau``.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_score
    >>> kendall_tau_score([[2, 0, 1]], [[3, 2, 1]])
    0.33...
    """
    return compute_call(KENDALL, **locals())


def _kendall_ap(block: Block) -> Ratio:
    """tau_AP = 2 / (n - 1) * sum over ranks i >= 2 of C(i) / (i - 1) - 1, C(i) documents above i in order.

    As i - 1 is C(i) and those above that are not in order, it is the difference of the two sums.
    """
    weights = 1 / np.maximum(block.ranks - 1, 1)
    right, wrong = block.weigh_pairs(weights)
    most = block.lengths - 1.0
    some_differ = block.n_equal_labels() < block.lengths * most / 2
    return Ratio(np.clip(right - wrong, -most, most), most, some_differ)


def kendall_tau_ap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """AP correlation between labels and scores per query, averaged over queries.

    Kendall's tau in which the top of the ranking by `y_score` counts most: of each document from the second
    on, the share of those above it that stand higher in the reference ranking too, which is that by `y_true`.
    The mean of these shares, from -1 to 1. It is not symmetric.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as the scores of a reference ranking: real, finite, of any sign; NaN where not judged,
        see `unjudged`. Equal ones count as if in any order, half right, so that 1 is out of reach.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score.
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
        In [-1, 1], 0 for a constant score; higher is better. nan, with a warning, if every query is left
        out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008.
    Ties: Urbano and Marrero, "The treatment of ties in AP correlation", ICTIR 2017, whose version a this is.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_ap_score
    >>> old, new = [[4, 3, 2, 1]], [[3, 4, 2, 1]]  # the first two change places
    >>> round(kendall_tau_ap_score(old, new), 4)  # 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1
    0.3333
    >>> round(kendall_tau_ap_score(old, [[4, 3, 1, 2]]), 4)  # 2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1
    0.7778
    """
    return compute_call(KENDALL_AP, **locals())


KENDALL = add_metric("kendall_tau", _kendall, kendall_tau_score, lower=-1.0, any_label=True)
KENDALL_AP = add_metric("kendall_tau_ap", _kendall_ap, kendall_tau_ap_score, lower=-1.0, any_label=True)
