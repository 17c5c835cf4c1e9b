"""Curves of queries and their means, computed in blocks, without a matrix of all queries and points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from reprlib import repr as short_repr
from typing import Literal, NamedTuple

import numpy as np

from .._checks import Default, explain_parameters
from .._checks.arrays import read_array
from .._checks.errors import fail, is_int
from .._checks.missed import MissedLabels
from .._checks.options import check_choice, check_mean
from .._checks.rows import LabelRules, Scores
from .._checks.types import Arguments, ArrayLike, PlainAverage, Unjudged, Values
from .._engine.blocks import iter_blocks
from .._engine.prepared import PreparedRows
from .._engine.ranked import Block
from ._average import ColumnSums, ExactSum, scale_weights, warn_undefined
from ._compute import as_values, check_depth
from ._label_warnings import caution_subjects
from ._prepared_input import Opened, open_rows
from ._table import Formula, Given, Ratio, Rules, Subject

TINY = float(np.finfo(np.float64).tiny)
CONSTANT = np.array([np.inf])  # the `fade` of curves that keep their last value


class Curves(NamedTuple):
    """Curves of the queries of a block, up to the last of its ranks."""

    members: np.ndarray  # the queries
    values: np.ndarray  # (n_queries, n_known); NaN for excluded queries
    fade: np.ndarray = CONSTANT  # after the known values, curves decrease as 1 / (k + fade)


class Piece(NamedTuple):
    """Curves of queries that continue in the same way."""

    members: np.ndarray
    values: np.ndarray
    beyond: np.ndarray  # (n_points - n_known,): further values, as multiples of the last known value


class CurveRequest(NamedTuple):
    """A curve to compute; the ratios of its formula have one row per point."""

    opened: Opened
    rules: Rules
    points: np.ndarray  # cutoffs 1, 2, ... if the formula has a parameter `k`, or levels
    formula: Formula
    params: Arguments
    stem: str = ""  # of the metric in the table

    def compute(self) -> np.ndarray:
        """Return the mean of the curves of all queries, or all curves if `average` is None."""
        rows, n_points = self.opened.rows, len(self.points)
        pieces = self.cut(self.evaluate(self.opened.scores))
        if self.rules.average is None:
            by_query = np.empty((len(rows.queries.lengths), n_points))
            for piece in pieces:
                by_query[piece.members] = extend(piece.values, piece.beyond)
            curve = rows.queries.by_id(by_query)
        else:
            mean = CurveMean(len(rows.queries.lengths))
            for weights, piece in self.weigh(pieces):
                mean.add(weights, piece)
            curve = mean.read(n_points)
        self.warn(curve)
        return curve

    def evaluate(self, scores: Scores) -> Iterator[Curves]:
        """Yield the curves of all queries with these scores, in blocks."""
        over_k = "k" in self.params
        blocks = iter_blocks(self.opened.rows, scores, self.rules.ties, 1 if over_k else len(self.points))
        yield from map(self._follow if over_k else self._apply, blocks)

    def _apply(self, block: Block) -> Curves:
        """Compute curves over levels."""
        (values,) = as_values(self.formula(block, **self.params), self.rules.zero_division)
        return Curves(block.members, values.T)

    def _follow(self, block: Block) -> Curves:
        """Compute curves over cutoffs up to the last rank; one more cutoff shows how denominators grow."""
        n_points, n_ranks = len(self.points), len(block.ranks)
        k = np.arange(1, min(n_points, n_ranks + 1) + 1)[:, None]
        ratio = self.formula(block, **{**self.params, "k": k})
        (values,) = as_values(ratio, self.rules.zero_division)
        return Curves(block.members, values[:n_ranks].T, find_fade(ratio) if n_points > n_ranks else CONSTANT)

    def cut(self, curves: Iterable[Curves]) -> Iterator[Piece]:
        """Group curves by how they continue."""
        for members, values, fade in curves:
            n_known = values.shape[1]
            further = np.arange(n_known + 1, len(self.points) + 1)
            fades = np.unique(fade)
            for each in fades:
                beyond = np.ones(len(further)) if each == np.inf else (n_known + each) / (further + each)
                alike = fade == each if len(fades) > 1 else slice(None)
                yield Piece(members[alike], values[alike], beyond)

    def weigh(self, pieces: Iterable[Piece]) -> Iterator[tuple[np.ndarray, Piece]]:
        """Yield the curves that count in the mean, with their weights."""
        weights = weigh_queries(self.opened.rows, self.rules.average)
        for piece in pieces:
            counted = (weights[piece.members] > 0) & ~np.isnan(piece.values[:, 0])
            if not counted.all():
                piece = Piece(piece.members[counted], piece.values[counted], piece.beyond)
            if len(piece.members):
                yield weights[piece.members], piece

    def warn(self, curve: np.ndarray) -> None:
        """Warn if every ranking of these rows has the same curve, or if the curve needs other documents."""
        least = self.params.get("min_relevance")
        cutoff = len(self.points) if "k" in self.params else None
        threshold, by_default = None if least is None else float(least), isinstance(least, Default)
        subject = Subject(
            "", self.rules.unjudged, threshold, stem=self.stem, cutoff=cutoff, by_default=by_default
        )
        caution_subjects(self.opened, [subject], [("", curve)])


def find_fade(ratio: Ratio) -> np.ndarray:
    """Return how values decrease after the last rank, if numerators are constant and denominators linear.

    The last rank is the second to last cutoff.
    """
    n_known = len(ratio.numerators) - 1
    if np.ndim(ratio.denominators) < 2:
        return CONSTANT
    last, further = ratio.denominators[-2:]  # type: ignore[index]
    grows = (further > last) & np.atleast_2d(ratio.defined)[-1]
    return np.where(grows, last / np.maximum(further - last, 1) - n_known, np.inf)


def extend(values: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """Append multiples of the last value."""
    return np.concatenate([values, values[..., -1:] * beyond], axis=-1)


def weigh_queries(rows: PreparedRows, average: str | None) -> np.ndarray:
    """Return the weight of each query in a mean."""
    weights = rows.weights
    if average == "weighted":
        weights = rows.queries.lengths * (1.0 if weights is None else weights)
    return np.ones(len(rows.queries.lengths)) if weights is None else scale_weights(weights)


class CurveMean:
    """The weighted mean of the curves of `n_queries` queries, with values in [-1, 1]."""

    def __init__(self, n_queries: int):
        self._sums, self._weights = ColumnSums(n_queries), ExactSum()

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        self._sums.add(weights[:, None] * piece.values, piece.beyond)
        self._weights.add(weights)

    def read(self, n_points: int) -> np.ndarray:
        """Return the mean at each point; if no query counts, return nan with a warning."""
        if self.weight > 0:
            return self._sums.total() / self.weight
        warn_undefined()
        return np.full(n_points, np.nan)

    @property
    def weight(self) -> float:
        return self._weights.scaled()[0]


class CurveSpread:
    """The spread of weighted curves: their mean weighted by w**2, and the sum of squares around it.

    Pieces are merged as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983.
    Only squares are added up, so no digits cancel.
    """

    def __init__(self, n_points: int):
        self.n = 0
        self.weight = 0.0  # sum of w**2
        self._centers, self._squares = np.zeros(n_points), np.zeros(n_points)

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        self.n += len(weights)
        weight = max(float(weights @ weights), TINY)  # squares can underflow if other weights are far larger
        centers = weights**2 @ piece.values / weight
        squares = extend(weights**2 @ (piece.values - centers) ** 2, piece.beyond**2)
        steps, share = extend(centers, piece.beyond) - self._centers, weight / (self.weight + weight)
        self._squares += squares + steps**2 * (self.weight * share)
        self._centers += steps * share
        self.weight += weight

    def around(self, mean: np.ndarray) -> np.ndarray:
        """Return the sum of w**2 (v - mean)**2 at each point."""
        return self._squares + self.weight * (self._centers - mean) ** 2


# From level * R to the number of relevant documents that a recall level requires.
_N_NEEDED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "up": lambda shares: np.ceil(shares - 1e-9),  # level * R can be just above an integer
    "trec_eval_9": lambda shares: np.floor(shares + 0.9),
    "trec_eval_10": lambda shares: np.floor(shares) + (shares % 1 >= 0.5),
}


def interpolated_precision(
    block: Block, *, levels: np.ndarray, rounding: str, min_relevance: float, together: bool
) -> Ratio:
    """P(level) = the highest precision at any rank with recall >= level; 0 if no rank has it."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    shown = block.retrieved(relevant)
    precision = np.cumsum(shown, axis=1) / block.ranks
    if together and block.ties is not None:  # a threshold only cuts after the last rank of a tie
        precision = np.where(block.ties.is_last, precision, 0)
    from_rank_on = np.maximum.accumulate(block.retrieved(precision)[:, ::-1], axis=1)[:, ::-1]
    hit_ranks = np.argsort(~shown, axis=1, kind="stable")
    n_needed = _N_NEEDED[rounding](levels * n_relevant[:, None]).astype(np.int64)
    first_rank = np.take_along_axis(hit_ranks, np.maximum(n_needed - 1, 0), axis=1) * (n_needed > 0)
    reached = n_needed <= shown.sum(axis=1, keepdims=True)
    return Ratio((np.take_along_axis(from_rank_on, first_rank, axis=1) * reached).T, 1, n_relevant > 0)


def _true_rate(block: Block, *, levels: np.ndarray, min_relevance: float) -> Ratio:
    """TPR(level) = share of relevant documents above the rank with the share `level` of non-relevant ones."""
    relevant = block.marks(min_relevance)
    others = block.judged(1 - relevant)
    n_relevant, n_others = relevant.sum(axis=1), others.sum(axis=1)
    defined = (n_relevant > 0) & (n_others > 0)
    start = np.zeros((len(relevant), 1))
    true, false = (
        np.concatenate((start, np.cumsum(block.expected(marks), axis=1)), axis=1) / np.maximum(n, 1)[:, None]
        for marks, n in ((relevant, n_relevant), (others, n_others))
    )
    # Each rank covers the levels from its false rate up to that of the next rank.
    firsts = np.searchsorted(levels + 1e-9, false)
    n_covered = np.diff(firsts, axis=1, append=len(levels)).ravel()
    rises, runs = (np.diff(rates, axis=1, append=1) for rates in (true, false))
    slopes = np.divide(rises, runs, out=np.zeros_like(runs), where=runs > 0)
    x, y, slope = (
        np.repeat(each.ravel(), n_covered).reshape(-1, len(levels)) for each in (false, true, slopes)
    )
    return Ratio((y + slope * np.clip(levels - x, 0, None)).T, 1, defined)


def _check_levels(levels: Values, parameter: str, rule: str) -> np.ndarray:
    """Return levels in [0, 1]: the given ones, or a number of evenly spaced ones."""
    if is_int(levels) and 2 <= levels < 2**31:
        return np.arange(int(levels)) / (int(levels) - 1)  # exactly 0.3 for 3 / 10
    array = read_array(levels, parameter, rule)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or len(array) < 1:
        fix = "An int must be below 2**31." * bool(is_int(levels) and levels > 1)
        fail(parameter, rule, short_repr(levels), fix)
    if not (array.min() >= 0 and array.max() <= 1 and (np.diff(array) >= 0).all()):
        fail(parameter, "contain sorted values in [0, 1]", short_repr(levels))
    return array.astype(np.float64)


@explain_parameters
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
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute interpolated precision at recall levels, averaged over queries.

    The interpolated precision at a level is the highest precision at this recall or a higher one. With the
    `rounding` of a trec_eval version, values equal its iprec_at_recall, and the mean of 11 levels its
    11pt_avg.

    Source: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.
    Rounding: m_iprec_at_recall.c of trec_eval 9 and 10.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, unjudged, zero_division, sample_weight, missed
        As in :func:`map_score`.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.
    recall_levels : int, array-like of shape (n_levels,) or None, default=11
        Number of evenly spaced levels from 0 to 1, or the levels. If `None`, all levels at which the curve of
        a query can change.
    rounding : {"up", "trec_eval_9", "trec_eval_10"}, default="up"
        How to convert a level to a number of relevant documents, if R are relevant. "up" rounds level * R up,
        so that recall is at least the level. "trec_eval_9" uses the integer part of level * R + 0.9, as in
        trec_eval up to version 9 and pytrec_eval. "trec_eval_10" rounds level * R half up.
    ties : {"together", "order", "best", "worst"}, default="together"
        How to rank documents with equal scores: "together" retrieves all of them or none, as a threshold
        does, "order" keeps them in row order, "best" and "worst" use the best or worst ordering. "average" is
        not supported, because the mean of a maximum over all orderings has no closed form.

    Returns
    -------
    recall : ndarray of shape (n_levels,)
        Recall levels.
    precision : ndarray of shape (n_levels,), or (n_queries, n_levels) with ``average=None``
        Interpolated precision, which is non-increasing in recall. It is 0 at levels that the retrieved
        documents do not reach.

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
    >>> precision.round(3)  # 0.4 * 3 = 1.2 is rounded to 1
    array([1. , 1. , 0.6])
    """
    check_mean(average, min_relevance=min_relevance, zero_division=zero_division, unjudged=unjudged)
    check_choice("ties", ties, ("together", "order", "best", "worst"))
    check_choice("rounding", rounding, tuple(_N_NEEDED))
    rule = "be an int >= 2, a 1-D array of levels or None"
    levels = None if recall_levels is None else _check_levels(recall_levels, "recall_levels", rule)
    opened = open_rows(Given(y_true, y_score, groups, sample_weight, missed), LabelRules(unjudged))
    check_depth("interpolated_precision_curve", "map", None, opened.rows)
    together = ties == "together"
    rules = Rules("average" if together else ties, unjudged, average, float(zero_division))
    if levels is None:
        blocks = iter_blocks(opened.rows, opened.scores)
        counts = {int(n) for block in blocks for n in np.unique(block.marks(min_relevance).sum(axis=1))}
        levels = np.unique(np.concatenate([np.arange(n + 1) / max(n, 1) for n in counts]))
    params = {"levels": levels, "rounding": rounding, "min_relevance": min_relevance, "together": together}
    return levels, CurveRequest(opened, rules, levels, interpolated_precision, params).compute()


@explain_parameters
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
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the ROC curve per group, averaged over groups at equal false positive rates.

    Source: Fawcett, "An introduction to ROC analysis", 2006, section 9.1: vertical averaging.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, unjudged, zero_division, sample_weight, missed
        As in :func:`group_auc_score`; equal scores give a diagonal line.
    average
        As in :func:`interpolated_precision_curve`.
    false_positive_rates : int or array-like of shape (n_points,), default=101
        Number of evenly spaced rates from 0 to 1, or the rates.

    Returns
    -------
    false_positive_rates, true_positive_rates : ndarray of shape (n_points,)
        Points of the curve; with ``average=None``, the second array has the shape (n_groups, n_points). If a
        curve is vertical at a rate, its highest point is used.

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
    rule = "be an int >= 2 or a 1-D array of rates"
    levels = _check_levels(false_positive_rates, "false_positive_rates", rule)
    opened = open_rows(Given(y_true, y_score, groups, sample_weight, missed), LabelRules(unjudged))
    check_depth("group_roc_curve", "group_auc", None, opened.rows)
    rules = Rules("average", unjudged, average, float(zero_division))
    params = {"levels": levels, "min_relevance": min_relevance}
    return levels, CurveRequest(opened, rules, levels, _true_rate, params, "group_auc").compute()


def standardize_area(areas: np.ndarray, max_fpr: float) -> np.ndarray:
    """Scale areas under ROC curves up to a false positive rate as McClish: the diagonal has 1 / 2."""
    least = max_fpr**2 / 2
    return (1 + (areas - least) / (max_fpr - least)) / 2
