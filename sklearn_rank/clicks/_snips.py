"""The self-normalised estimate: a ratio of sums over a log, with its standard error."""

from __future__ import annotations

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail, name_call
from .._checks.groups import check_groups
from .._checks.rows import ANY_SIGN, LabelRules, check_rows
from .._checks.types import ArrayLike, Discount
from .._checks.warn import warn_user
from ..metrics import Given, build_requests, score_queries

LARGEST = 1e280  # of sums, so that discounts have room


def snips_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    clusters: ArrayLike | None = None,
    k: int | None = None,
    discount: Discount = "log2",
) -> tuple[float, float]:
    """Self-normalised estimate of what a relevant document is worth: DCG over relevance, summed over the log.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels of :func:`debias_clicks`: real, finite, of any sign.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; equal scores count with the mean over their orders. -inf: not
        retrieved; it takes no rank.
    groups : array-like of shape (n_rows,)
        The list, or session, of each row, in any order and of any sortable type. A list in which no document
        was clicked belongs to the log as any other.
    clusters : array-like of shape (n_rows,), default=None
        What is independent: the query of each row where several lists are of one query, or its user. None:
        each list.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        As in :func:`dcg_score`: what a relevant document is worth at each rank. None with a `k` gives the
        share of all relevant documents that are in the top k.

    Returns
    -------
    value : float
        sum(label * discount at the new rank) / sum(label), over all rows of the log. nan, with a warning, if
        the labels do not add up to more than 0.
    standard_error : float
        Of the value, linearised, over clusters. nan with one cluster.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    See Also
    --------
    debias_clicks : The labels.

    Notes
    -----
    With labels click / propensity the value is the mean of the discount over clicks, weighted by 1 /
    propensity: the sum of weight times value over the sum of weights. It estimates the true sum of DCG over
    the true number of relevant documents. Both sums are unbiased; their ratio is so as the log grows, with a
    bias that falls as 1 / n. The mean of the ratios of queries keeps its bias, and so estimates something
    else.

    The denominator does not depend on `y_score`: on one log the order of models is that of the mean DCG of
    the labels, and so is every comparison. What changes is the value, which stays inside the range of the
    discount where no label is negative, is free of the scale of the propensities, and varies less where the
    number of clicks varies much.

    With A and B the sums of a cluster and R the value, the standard error is sqrt(n / (n - 1) sum((A - R
    B)**2)) / sum(B). It takes the propensities for known.

    References
    ----------
    Swaminathan and Joachims, "The self-normalized estimator for counterfactual learning", NIPS 2015.

    Examples
    --------
    >>> from sklearn_rank.clicks import debias_clicks, snips_score
    >>> labels = debias_clicks([1, 0, 0, 1, 0, 0], [1, 2, 3, 3, 1, 2], [1, 0.5, 0.25])
    >>> value, error = snips_score(labels, [3, 2, 1, 1, 2, 3], groups=["a", "a", "a", "b", "b", "b"])
    >>> round(value, 3), round(error, 3)
    (0.6, 0.16)
    """
    check_same_order(y_true=y_true, y_score=y_score, groups=groups, clusters=clusters)
    dcg = build_requests(["dcg"], {"k": k, "discount": discount, "signed": True})
    if groups is None:
        fail("groups", "hold the list of each row", None)
    given = flatten(read_numbers(y_true, "y_true"))
    n_missing = int((given != given).sum())
    if n_missing:
        fail("y_true", "not contain NaN: leave out the rows without a label", f"{n_missing} NaN")
    rows = check_rows(y_true, y_score, groups, None, LabelRules(range=ANY_SIGN))
    codes = rank_ids(np.asarray(rows.groups))
    labels = rows.labels.astype(np.float64)
    if np.abs(labels).max() > LARGEST / len(labels):
        fail("y_true", "add up to what float64 holds", np.abs(labels).max())
    scores = rows.scores.values
    above = score_queries(dcg, Given(labels, scores, codes)).metrics["dcg"].values
    below = np.bincount(codes, labels)
    if clusters is not None:
        of_rows = rank_ids(check_groups(clusters, len(codes), "clusters"))
        of_lists = np.zeros(len(below), dtype=np.int64)
        of_lists[codes] = of_rows
        n_split = int((of_lists[codes] != of_rows).sum())
        if n_split:
            fail("clusters", "be the same in all rows of a list", f"others in {n_split} rows")
        above, below = np.bincount(of_lists, above), np.bincount(of_lists, below)
    return _divide(above, below)


def _divide(above: np.ndarray, below: np.ndarray) -> tuple[float, float]:
    """Return the ratio of two sums over independent units, and its linearised standard error."""
    total, n = below.sum(), len(below)
    if total <= 0:
        from sklearn.exceptions import UndefinedMetricWarning

        message = f"{name_call()} is undefined: the labels do not add up to more than 0. Returning nan."
        warn_user(message, UndefinedMetricWarning)
        return np.nan, np.nan
    ratio = above.sum() / total
    squares = ((above - ratio * below) ** 2).sum()
    error = np.sqrt(n / (n - 1) * squares) / total if n > 1 else np.nan
    return float(ratio), float(error)
