"""Unbiased estimates from clicks: labels, and a self-normalized estimate of DCG."""

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
    look_up,
    read_clicks,
    read_positions,
    read_propensities,
    read_trust,
    reject_values_of_rows,
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
    """Convert clicks to labels for which linear metrics are unbiased.

    Each click is divided by the probability that the row was examined.

    Parameters
    ----------
    clicks : array-like of shape (n_rows,)
        Clicks: 1 if the row was clicked, otherwise 0. Pass one row for each time that a document was
        displayed.
    positions : array-like of shape (n_rows,) or None
        Position of each row in the displayed ranking, starting at 1; 0 for rows that were not displayed. If
        `None`, `propensities` and `trust` have one value per row, as policy-aware estimation needs.
    propensities : array-like of shape (n_positions,) or (n_rows,), dict, PropensityCurve or None
        Probabilities that the positions 1, 2, ... are examined, for example from
        :func:`estimate_propensities`. The keys of a dict, or the labels of a Series with an index other than
        the default, are the positions. With ``positions=None``, pass the probability of each row: its mean
        over all rankings that could have been displayed, with 0 for rankings without the document. With
        `trust`, propensities can be `None`; otherwise, alpha + beta must not exceed them.
    trust : tuple (alpha, beta) of array-like of shape (n_positions,) or (n_rows,), default=None
        Click probabilities with trust bias: alpha + beta for relevant documents, and beta for others. Both
        include the probability of examination, and can be labeled by position like `propensities`. If `None`,
        only relevant documents that are examined are clicked.
    clip : float, default=None
        Lower bound of the propensities (of alpha, with `trust`), above 0 and at most 1. Clipping lowers the
        variance but causes bias; a :class:`RankingWarning` shows the share of affected clicks. If `None`,
        propensities are not clipped.

    Returns
    -------
    ndarray of float of shape (n_rows,)
        Labels: click / propensity or, with `trust`, (click - beta) / alpha, which can be negative. The label
        of rows that were not displayed is 0.

    Warns
    -----
    RankingWarning
        If clicks are clipped, or if rows were not displayed, because estimates ignore the relevant documents
        among these.

    See Also
    --------
    estimate_propensities : Estimate propensities from a click log.
    snips_score : Compute a self-normalized estimate from the labels.

    Notes
    -----
    The expected label of a displayed document is its relevance. So the expected DCG of the labels is the true
    DCG, for any order of the documents. This holds for sums over documents with weights that do not depend on
    labels: DCG with linear gain, with or without a cutoff. It does not hold for ratios such as NDCG, or for
    metrics that compare labels with a threshold, such as precision. If propensities are relative to the first
    position, all values are too low or too high by the same factor, but their order is right. With estimated
    propensities, the bias of labels depends on the bias of the estimate.

    References
    ----------
    Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Agarwal, Takatsu, Zaitsev and Joachims, "A general framework for counterfactual learning-to-rank", SIGIR
    2019.

    Vardasbi, Oosterhuis and de Rijke, "When inverse propensity scoring does not work: affine corrections for
    unbiased learning to rank", CIKM 2020, for `trust`.

    Oosterhuis and de Rijke, "Policy-aware unbiased learning to rank for top-k rankings", SIGIR 2020, for
    probabilities of rows.

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
    clicked = read_clicks(clicks)
    places = None if positions is None else read_positions(positions, clicked, lowest=0)
    divisors, offsets = _read_divisors(propensities, trust, clicked, places)
    shown = divisors > 0 if places is None else places > 0
    bad = shown & (divisors <= 0) if places is not None else (clicked > 0) & ~shown
    if bad.any():
        row = int(bad.argmax())
        where = f"in row {row}" if places is None else f"at position {places[row]}"
        rule = "be above 0 (with 'trust', alpha) for rows that were displayed or clicked"
        fail("propensities", rule, f"0 {where}", "Clicks are divided by it.")
    if clip is not None:
        divisors = _clip(divisors, clicked, shown, clip)
    if not shown.all():
        n_unseen = int((~shown).sum())
        warn_user(
            f"{name_call()}: {n_unseen} of {len(clicked)} rows ({n_unseen / len(clicked):.1%}) could not be "
            "clicked and have the label 0, so estimates ignore relevant documents among them. If all "
            "documents can be displayed, pass positions=None and the mean propensity of each row over the "
            "possible rankings.",
            RankingWarning,
        )
    with np.errstate(over="ignore"):
        labels = np.where(shown, (clicked - offsets) / np.where(shown, divisors, 1), 0.0)
    if not np.isfinite(labels).all():
        fail("propensities", "be large enough for finite labels", divisors[shown].min())
    return labels


def _read_divisors(
    propensities: Values, trust: Any, clicks: np.ndarray, positions: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the divisor of each row's click, and the offset to subtract first."""
    if propensities is None and trust is None:
        fail("propensities", "not be None if trust=None", None, "Pass propensities=[1, 0.6, 0.4].")
    known = {}
    if propensities is not None:
        known["propensities"] = [read_propensities(propensities, positions)]
    if trust is not None:
        known["trust"] = list(read_trust(trust, positions))
        if positions is not None:
            for values in trust:
                reject_values_of_rows(values, "trust", positions)
    of_rows: dict[str, list[np.ndarray]] = {}
    for name, each in known.items():
        if positions is None and any(values.shape != clicks.shape for values in each):
            rule = f"have the shape of 'clicks', {clicks.shape}, if positions=None"
            fail(name, rule, f"shape {each[0].shape}")
        of_rows[name] = [values if positions is None else look_up(values, positions, name) for values in each]
    if trust is None:
        return of_rows["propensities"][0], np.zeros(len(clicks))
    alpha, beta = of_rows["trust"]
    if propensities is not None:
        excess = alpha + beta - of_rows["propensities"][0]
        excess = excess if positions is None else excess[positions > 0]
        if len(excess) and excess.max() > 1e-9:
            fix = "Both include the propensity theta: alpha = theta (e+ - e-) and beta = theta e-."
            fail("trust", "have alpha + beta <= propensity", f"an excess of {excess.max():.4g}", fix)
    return alpha, beta


def _clip(divisors: np.ndarray, clicks: np.ndarray, shown: np.ndarray, clip: object) -> np.ndarray:
    """Raise low propensities to `clip`, and warn about the clicks that have one."""
    if not (is_real(clip) and 0 < to_float(clip) <= 1):
        fail("clip", "be a number above 0 and at most 1, or None", repr(clip))
    low = shown & (divisors < clip)
    n_low, n_clicks = int(clicks[low].sum()), int(clicks.sum())
    if n_low:
        warn_user(
            f"{name_call()}: clip={clip} raises the propensities of {n_low} of {n_clicks} clicks "
            f"({n_low / n_clicks:.1%}), so these count too little and estimates are biased. For less bias, "
            "lower clip.",
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
    cluster: ArrayLike | None = None,
    k: int | None = None,
    discount: Discount = "log2",
) -> tuple[float, float]:
    """Compute a self-normalized estimate of the DCG per relevant document from clicks.

    Source: Swaminathan and Joachims, "The self-normalized estimator for counterfactual learning", NIPS 2015.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels of :func:`debias_clicks`: finite, of any sign.
    y_score : array-like of shape (n_rows,)
        Predicted scores; documents are ranked by decreasing score. Documents with equal scores get the mean
        over all their orderings. A score of -inf marks a document that was not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,)
        Session id of each row, with one displayed ranking per session. Ids can be of any sortable type, and
        rows can be in any order. Include sessions without clicks.
    cluster : array-like of shape (n_rows,), default=None
        Independent unit of each row: the query, if queries have several sessions, or the user. If `None`,
        each session is independent.
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Value of a relevant document at each rank, see :func:`dcg_score`. If `None` and `k` is set, the result
        is the share of all relevant documents that are in the top k.

    Returns
    -------
    value : float
        sum(label * discount at the new rank) / sum(label), over all rows of the log. If the sum of the labels
        is not positive, `nan` is returned with a warning.
    standard_error : float
        Linearized standard error of the value over clusters; nan for one cluster.

    See Also
    --------
    debias_clicks : Convert clicks to labels.

    Notes
    -----
    With labels click / propensity, the value is the mean of the discount over clicks, weighted by 1 /
    propensity. It estimates the true sum of DCG divided by the true number of relevant documents. Both sums
    are unbiased; the bias of their ratio decreases as 1 / n as the log grows. In contrast, the mean of the
    ratios of single queries stays biased.

    The denominator does not depend on `y_score`. So comparisons of models have the same result as with the
    mean DCG of the labels on the same log. Only the value differs. It stays in the range of the discount if
    no label is negative, does not depend on the scale of the propensities, and varies less if the number of
    clicks varies a lot.

    Let A and B be the sums of the numerator and the denominator over a cluster, R the value and n the number
    of clusters. The standard error is sqrt(n / (n - 1) sum((A - R B)**2)) / sum(B). It treats propensities as
    known.

    Examples
    --------
    >>> from sklearn_rank.clicks import debias_clicks, snips_score
    >>> labels = debias_clicks([1, 0, 0, 1, 0, 0], [1, 2, 3, 3, 1, 2], [1, 0.5, 0.25])
    >>> value, error = snips_score(labels, [3, 2, 1, 1, 2, 3], groups=["a", "a", "a", "b", "b", "b"])
    >>> round(value, 3), round(error, 3)
    (0.6, 0.16)
    """
    check_same_order(y_true=y_true, y_score=y_score, groups=groups, cluster=cluster)
    dcg = build_requests(["dcg"], {"k": k, "discount": discount, "signed": True})
    if groups is None:
        fail("groups", "contain the session id of each row", None)
    given = flatten(read_numbers(y_true, "y_true"))
    n_missing = int((given != given).sum())
    if n_missing:
        fail("y_true", "not contain NaN", f"{n_missing} NaN", "Drop the rows without a label.")
    rows = check_rows(y_true, y_score, groups, None, LabelRules(range=ANY_SIGN))
    codes = rank_ids(np.asarray(rows.groups))
    labels = rows.labels.astype(np.float64)
    if np.abs(labels).max() > LARGEST / len(labels):
        fail("y_true", "have a sum within the range of float64", np.abs(labels).max())
    gains = score_queries(dcg, Given(labels, rows.scores.values, codes)).metrics["dcg"].values
    label_sums = np.bincount(codes, labels)
    if cluster is not None:
        of_rows = rank_ids(check_groups(cluster, len(codes), "cluster"))
        of_sessions = np.zeros(len(label_sums), dtype=np.int64)
        of_sessions[codes] = of_rows
        n_split = int((of_sessions[codes] != of_rows).sum())
        if n_split:
            fail("cluster", "be the same for all rows of a session", f"other clusters in {n_split} rows")
        gains, label_sums = np.bincount(of_sessions, gains), np.bincount(of_sessions, label_sums)
    return _divide(gains, label_sums)


def _divide(gains: np.ndarray, label_sums: np.ndarray) -> tuple[float, float]:
    """Return the ratio of two sums over independent units, and its linearized standard error."""
    total, n = label_sums.sum(), len(label_sums)
    if total <= 0:
        from sklearn.exceptions import UndefinedMetricWarning

        fact = "the sum of the labels is not positive, so the value is undefined and nan is returned"
        warn_user(f"{name_call()}: {fact}.", UndefinedMetricWarning)
        return np.nan, np.nan
    ratio = gains.sum() / total
    error = np.sqrt(n / (n - 1) * ((gains - ratio * label_sums) ** 2).sum()) / total if n > 1 else np.nan
    return float(ratio), float(error)
