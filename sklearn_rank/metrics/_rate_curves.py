"""Curves per query, averaged over queries: precision over recall, and true over false positive rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .._checks.arrays import read_array
from .._checks.errors import fail, is_int
from .._checks.options import check_choice, check_mean
from .._checks.rows import LabelRules
from .._checks.types import ArrayLike, PlainAverage, Unjudged
from .._engine.blocks import iter_blocks
from .._engine.ranked import Block
from ._curves import CurveRequest
from ._prepared_input import open_rows
from ._requests import Given, Rules
from ._table import Ratio

# From level * R to the number of relevant documents that a recall level stands for.
_N_NEEDED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "up": lambda shares: np.ceil(shares - 1e-9),  # level * R may be just above a number
    "trec_eval_9": lambda shares: np.floor(shares + 0.9),
    "trec_eval_10": lambda shares: np.floor(shares) + (shares % 1 >= 0.5),
}


def interpolated_precision(
    block: Block, *, levels: np.ndarray, rounding: str, min_relevance: float, together: bool
) -> Ratio:
    """P(level) = the highest precision at any rank with recall >= level; 0 where none has it."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    shown = block.retrieved(relevant)
    precision = np.cumsum(shown, axis=1) / block.ranks
    if together and block.ties is not None:  # only the end of a tie is a rank that a threshold reaches
        precision = np.where(block.ties.is_last, precision, 0)
    from_rank_on = np.maximum.accumulate(block.retrieved(precision)[:, ::-1], axis=1)[:, ::-1]
    hit_ranks = np.argsort(~shown, axis=1, kind="stable")
    n_needed = _N_NEEDED[rounding](levels * n_relevant[:, None]).astype(np.int64)
    first_rank = np.take_along_axis(hit_ranks, np.maximum(n_needed - 1, 0), axis=1) * (n_needed > 0)
    reached = n_needed <= shown.sum(axis=1, keepdims=True)
    return Ratio((np.take_along_axis(from_rank_on, first_rank, axis=1) * reached).T, 1, n_relevant > 0)


def _true_rate(block: Block, *, levels: np.ndarray, min_relevance: float) -> Ratio:
    """TPR(level) = share of the relevant documents above the rank where a share `level` of the others is."""
    relevant = block.marks(min_relevance)
    others = block.judged(1 - relevant)
    n_relevant, n_others = relevant.sum(axis=1), others.sum(axis=1)
    defined = (n_relevant > 0) & (n_others > 0)
    start = np.zeros((len(relevant), 1))
    true, false = (
        np.concatenate((start, np.cumsum(block.expected(marks), axis=1)), axis=1) / np.maximum(n, 1)[:, None]
        for marks, n in ((relevant, n_relevant), (others, n_others))
    )
    # One search for all queries: the false rates of the i-th lie in [2 i, 2 i + 1].
    offsets = 2.0 * np.arange(len(true))[:, None]
    last = (np.arange(len(true))[:, None] + 1) * true.shape[1] - 1
    found = np.searchsorted((false + offsets).ravel(), (levels + offsets + 1e-9).ravel(), side="right")
    left = np.minimum(found.reshape(len(true), -1) - 1, last)
    right = np.minimum(left + 1, last)
    x0, x1, y0, y1 = (rates.ravel()[at] for rates in (false, true) for at in (left, right))
    slopes = np.divide(y1 - y0, x1 - x0, out=np.zeros_like(x0), where=x1 > x0)
    return Ratio((y0 + slopes * np.clip(levels - x0, 0, None)).T, 1, defined)


def _check_levels(levels: Any, parameter: str) -> np.ndarray | None:
    """Return levels in [0, 1]: those given, or so many at equal distances; None stays."""
    if levels is None:
        return None
    rule = "be an int >= 2 (and below 2**31), a flat array of levels, or None where that is documented"
    if is_int(levels) and 2 <= levels < 2**31:
        return np.arange(int(levels)) / (int(levels) - 1)  # 3 / 10 is 0.3, to the last digit
    array = read_array(levels, parameter, rule)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or len(array) < 1:
        fail(parameter, rule, repr(levels))
    if not (array.min() >= 0 and array.max() <= 1 and (np.diff(array) >= 0).all()):
        fail(parameter, "rise from 0 to 1 at most", repr(levels))
    return array.astype(np.float64)


def interpolated_precision_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    recall_levels: int | ArrayLike | None = 11,
    rounding: Literal["up", "trec_eval_9", "trec_eval_10"] = "up",
    min_relevance: float = 1,
    ties: Literal["together", "order", "best", "worst"] = "together",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Interpolated precision at recall levels: the 11-point curve, or all of it.

    At each level the highest precision that the list has at this recall or beyond: trec_eval's
    iprec_at_recall, and the mean of the eleven points its 11pt_avg, with its `rounding`.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, unjudged, zero_division, sample_weight
        As in :func:`map_score`.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    recall_levels : int, array-like of shape (n_levels,) or None, default=11
        So many levels from 0 to 1, these levels, or all at which the curve of any query steps.
    rounding : {"up", "trec_eval_9", "trec_eval_10"}, default="up"
        How many of R relevant documents a level stands for: level * R rounded up, so that the recall is at
        least the level; level * R + 0.9 cut to an integer, as in trec_eval up to version 9 (and pytrec_eval);
        or the integer next to level * R, halves up, as in version 10.
    ties : {"together", "order", "best", "worst"}, default="together"
        Equal scores: shown all or none, as by a threshold; in the order of the rows; or in the best or worst
        order. The mean over all orders of a highest value has no closed form.

    Returns
    -------
    recall : ndarray of shape (n_levels,)
        The levels.
    precision : ndarray of shape (n_levels,), or (n_queries, n_levels) with ``average=None``
        Falls from left to right; 0 at levels that the documents retrieved do not reach.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. The roundings:
    m_iprec_at_recall.c of trec_eval 9 and 10.

    Examples
    --------
    >>> from sklearn_rank.metrics import interpolated_precision_curve
    >>> y_true, y_score = [[1, 0, 1, 0, 1]], [[5, 4, 3, 2, 1]]
    >>> recall, precision = interpolated_precision_curve(y_true, y_score, recall_levels=[0, 0.4, 1])
    >>> precision.round(3)
    array([1.   , 0.667, 0.6  ])
    >>> recall, precision = interpolated_precision_curve(
    ...     y_true, y_score, recall_levels=[0, 0.4, 1], rounding="trec_eval_10"
    ... )
    >>> precision.round(3)  # 0.4 * 3 documents are one
    array([1. , 1. , 0.6])
    """
    check_mean(average, min_relevance=min_relevance, zero_division=zero_division, unjudged=unjudged)
    check_choice("ties", ties, ("together", "order", "best", "worst"))
    check_choice("rounding", rounding, tuple(_N_NEEDED))
    levels = _check_levels(recall_levels, "recall_levels")
    opened = open_rows(Given(y_true, y_score, groups, sample_weight), LabelRules(unjudged))
    together = ties == "together"
    rules = Rules("average" if together else ties, unjudged, average, float(zero_division))
    if levels is None:
        blocks = iter_blocks(opened.rows, opened.scores)
        counts = {int(n) for block in blocks for n in np.unique(block.marks(min_relevance).sum(axis=1))}
        levels = np.unique(np.concatenate([np.arange(n + 1) / max(n, 1) for n in counts]))
    params = {"levels": levels, "rounding": rounding, "min_relevance": min_relevance, "together": together}
    return levels, CurveRequest(opened, rules, levels, interpolated_precision, params).compute()


def group_roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    false_positive_rates: int | ArrayLike = 101,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """ROC curve per group, averaged over groups at equal false positive rates.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, unjudged, zero_division, sample_weight
        As in :func:`group_auc_score`; equal scores give a slanted line.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    false_positive_rates : int or array-like of shape (n_points,), default=101
        So many from 0 to 1, or these.

    Returns
    -------
    false_positive_rates, true_positive_rates : ndarray of shape (n_points,)
        The points of the curve; with ``average=None`` the second is of shape (n_groups, n_points). Where a
        curve rises straight up, its highest point counts.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Fawcett, "An introduction to ROC analysis", 2006, section 9.1: vertical averaging.

    Examples
    --------
    >>> from sklearn_rank.metrics import group_roc_curve
    >>> fpr, tpr = group_roc_curve(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 0, 0], false_positive_rates=[0, 0.5, 1]
    ... )
    >>> tpr
    array([0.5, 1. , 1. ])
    """
    check_mean(average, min_relevance=min_relevance, zero_division=zero_division, unjudged=unjudged)
    levels = _check_levels(false_positive_rates, "false_positive_rates")
    if levels is None:
        fail("false_positive_rates", "be an int >= 2 or an array", None)
    opened = open_rows(Given(y_true, y_score, groups, sample_weight), LabelRules(unjudged))
    rules = Rules("average", unjudged, average, float(zero_division))
    params = {"levels": levels, "min_relevance": min_relevance}
    return levels, CurveRequest(opened, rules, levels, _true_rate, params).compute()
