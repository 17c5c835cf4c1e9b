"""Unbiased estimates from clicks: labels, and the self-normalized estimate of a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import flatten, read_numbers, to_float
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail, is_real, name_call
from .._checks.groups import check_groups
from .._checks.rows import ANY_SIGN, LabelRules, check_rows
from .._checks.types import ArrayLike, Discount, Options, Values
from .._checks.warn import RankingWarning, warn_user
from ..metrics import Given, build_requests, score_queries
from ._read import (
    PropensityCurve,
    check_not_of_rows,
    look_up,
    read_clicks,
    read_positions,
    read_propensities,
    read_trust,
)


@explain_parameters
def debias_clicks(
    clicks: ArrayLike,
    positions: ArrayLike | None,
    propensities: ArrayLike | Mapping[int, float] | PropensityCurve | None,
    *,
    trust: tuple[ArrayLike, ArrayLike] | None = None,
    clip: float | None = None,
) -> np.ndarray:
    """Turn clicks into labels of which linear metrics are unbiased: clicks by the chance to be examined.

    Parameters
    ----------
    clicks : array-like of shape (n_rows,)
        1 where the row was clicked, else 0. A document that is shown again has a row for each time.
    positions : array-like of shape (n_rows,) or None
        Where the row stood in the list that was shown: 1 for the first place, 0 for a row that was not
        displayed. None: `propensities` and `trust` have one entry per row, as the policy-aware form needs.
    propensities : array-like of shape (n_positions,) or (n_rows,), dict, PropensityCurve or None
        Chance that the positions 1, 2, ... are examined, as known or by :func:`estimate_propensities`. A
        dict, or a Series with an index other than the default, goes by its labels, the positions.
        Without positions the chance of each row: the mean over all lists that may have been shown, those
        without the document counting 0. With `trust` it may be None; if it is given, alpha + beta may not
        exceed it.
    trust : tuple (alpha, beta) of array-like of shape (n_positions,) or (n_rows,), default=None
        A relevant document is clicked with the chance alpha + beta, another with beta. Both hold the chance
        to be examined already; they may have labels as `propensities` may. None: only relevant documents that
        are examined are clicked.
    clip : float, default=None
        In (0, 1]: propensities (with `trust`, alpha) below it are raised to it, which lowers the variance and
        biases. A :class:`RankingWarning` gives the share of clicks that this changes.

    Returns
    -------
    ndarray of float of shape (n_rows,)
        Labels: click / propensity, or (click - beta) / alpha with `trust`, where they may be negative. 0 for
        rows that were not displayed.

    Raises
    ------
    ValueError
        If an argument breaks a rule above, a position has no propensity, or one of 0; the message names it.

    Warns
    -----
    RankingWarning
        If clicks are clipped, or rows were not displayed: of what is relevant among these no click tells.

    See Also
    --------
    estimate_propensities : Propensities out of a log.
    snips_score : The self-normalised estimate.

    Notes
    -----
    The expected label of a document that is displayed is its relevance: the expected DCG of the labels is the
    true one, for any order of the documents. This holds for sums over documents with weights that do not
    depend on labels: DCG with linear gain, without cutoff or at any. It does not hold for ratios, as NDCG, or
    where labels meet a threshold, as in precision. With propensities relative to the first position the
    labels are relative to it too: all values are too low or too high by one factor, and their order is right.
    With estimated propensities they are unbiased as far as these are.

    References
    ----------
    Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Agarwal, Takatsu, Zaitsev and Joachims, "A general framework for counterfactual learning-to-rank", SIGIR
    2019.

    Vardasbi, Oosterhuis and de Rijke, "When inverse propensity scoring does not work: affine corrections for
    unbiased learning to rank", CIKM 2020, for `trust`.

    Oosterhuis and de Rijke, "Policy-aware unbiased learning to rank for top-k rankings", SIGIR 2020, for
    chances of rows.

    Examples
    --------
    >>> from sklearn_rank.clicks import debias_clicks
    >>> debias_clicks([1, 0, 1], [1, 2, 3], [1, 0.5, 0.25])
    array([1., 0., 4.])
    >>> debias_clicks([1, 0, 1], [1, 2, 3], None, trust=([0.8, 0.4, 0.2], [0.2, 0.1, 0.05]))
    array([ 1.  , -0.25,  4.75])
    """
    given: Options = {"clicks": clicks, "positions": positions}
    if positions is None:
        given["propensities"] = propensities
        if isinstance(trust, tuple | list):
            given |= {f"trust[{place}]": values for place, values in enumerate(trust)}
    check_same_order(**given)
    made = read_clicks(clicks)
    places = None if positions is None else read_positions(positions, made, lowest=0)
    divisors, offsets = _read_chances(propensities, trust, made, places)
    shown = divisors > 0 if places is None else places > 0
    _check_positive(divisors, made, shown, places)
    if clip is not None:
        divisors = _clip(divisors, made, shown, clip)
    if not shown.all():
        n_unseen = int((~shown).sum())
        warn_user(
            f"{n_unseen / len(made):.1%} of the rows, {n_unseen} of {len(made)}, could not be clicked and "
            "have the label 0: estimates leave out what is relevant among them. Where all documents may "
            "be displayed, pass positions=None and the mean chance of each row over the lists that may be "
            "shown.",
            RankingWarning,
        )
    with np.errstate(over="ignore"):
        labels = np.where(shown, (made - offsets) / np.where(shown, divisors, 1), 0.0)
    if not np.isfinite(labels).all():
        fail("propensities", "be so large that all labels are finite", divisors[shown].min())
    return labels


def _read_chances(
    propensities: Values, trust: Any, clicks: np.ndarray, positions: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the divisor of each row's click, and the offset that is subtracted before."""
    if propensities is None and trust is None:
        fail("propensities", "be given, unless 'trust' is", None)
    known = {}
    if propensities is not None:
        known["propensities"] = [read_propensities(propensities, positions)]
    if trust is not None:
        known["trust"] = list(read_trust(trust, positions))
        if positions is not None:
            for values in trust:
                check_not_of_rows(values, "trust", positions)
    of_rows: dict[str, list[np.ndarray]] = {}
    for name, each in known.items():
        if positions is None and any(values.shape != clicks.shape for values in each):
            rule = f"have one entry per row where 'positions' is None, shape {clicks.shape}"
            fail(name, rule, f"shape {each[0].shape}")
        of_rows[name] = [values if positions is None else look_up(values, positions, name) for values in each]
    if trust is None:
        return of_rows["propensities"][0], np.zeros(len(clicks))
    alpha, beta = of_rows["trust"]
    if propensities is not None:
        excess = alpha + beta - of_rows["propensities"][0]
        excess = excess if positions is None else excess[positions > 0]
        if len(excess) and excess.max() > 1e-9:
            rule = (
                "have alpha + beta <= propensity: both hold the chance to be examined, alpha_k = "
                "theta_k (e+ - e-) and beta_k = theta_k e-"
            )
            fail("trust", rule, f"{excess.max():.4g} more")
    return alpha, beta


def _check_positive(
    divisors: np.ndarray, clicks: np.ndarray, shown: np.ndarray, positions: np.ndarray | None
) -> None:
    """Check that rows that were displayed, or clicked, have positive propensities."""
    bad = shown & (divisors <= 0) if positions is not None else (clicks > 0) & ~shown
    if bad.any():
        row = int(bad.argmax())
        where = f"in row {row}" if positions is None else f"at position {positions[row]}"
        rule = (
            "be above 0 (of 'trust', alpha) where a row is displayed or clicked: its label is divided by it"
        )
        fail("propensities", rule, f"0 {where}")


def _clip(divisors: np.ndarray, clicks: np.ndarray, shown: np.ndarray, clip: Any) -> np.ndarray:
    """Raise low propensities to `clip`, and warn about the clicks that have one."""
    if not (is_real(clip) and 0 < to_float(clip) <= 1):
        fail("clip", "be a number above 0 and at most 1, or None", repr(clip))
    low = shown & (divisors < clip)
    n_low, n_clicks = int(clicks[low].sum()), int(clicks.sum())
    if n_low:
        warn_user(
            f"clip={clip} raises the propensities of {n_low / n_clicks:.1%} of the clicks, {n_low} of "
            f"{n_clicks}: these count less than they should, and estimates are biased.",
            RankingWarning,
        )
    return np.where(low, float(clip), divisors)


LARGEST = 1e280  # limit of sums, so that discounts can be applied


@explain_parameters
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
    above = score_queries(dcg, Given(labels, rows.scores.values, codes)).metrics["dcg"].values
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
    """Return the ratio of two sums over independent units, and its linearized standard error."""
    total, n = below.sum(), len(below)
    if total <= 0:
        from sklearn.exceptions import UndefinedMetricWarning

        message = f"{name_call()} is undefined: the labels do not add up to more than 0. Returning nan."
        warn_user(message, UndefinedMetricWarning)
        return np.nan, np.nan
    ratio = above.sum() / total
    error = np.sqrt(n / (n - 1) * ((above - ratio * below) ** 2).sum()) / total if n > 1 else np.nan
    return float(ratio), float(error)
