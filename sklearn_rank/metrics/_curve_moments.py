"""The mean of a curve over queries with its standard error, or that of a difference of two rankings."""

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from .._checks.options import check_choice
from .._checks.rows import Scores
from .._checks.types import ArrayLike
from .._engine.blocks import iter_blocks
from ._curve_means import (
    CurveFormula,
    CurveMean,
    Curves,
    Piece,
    cut_pieces,
    evaluate_blocks,
    warn_of_flat_curves,
    weigh_queries,
)
from ._cutoff_curves import ByK, map_by_k, map_curve, ndcg_by_k, ndcg_curve, open_by_k
from ._hit_curves import (
    f1_by_k,
    f1_curve,
    hit_rate_by_k,
    hit_rate_curve,
    precision_by_k,
    precision_curve,
    recall_by_k,
    recall_curve,
)
from ._requests import Given, Rules

TINY = float(np.finfo(np.float64).tiny)
CurvesOfBlocks = Iterator[tuple[np.ndarray, Curves]]  # and which queries they are of


class CutoffCurve(NamedTuple):
    """A curve over the cutoffs."""

    formula: CurveFormula
    function: Callable[..., tuple[np.ndarray, np.ndarray]]  # whose options and defaults it has


# By the stem of the metric.
CUTOFF_CURVES = {
    "ndcg": CutoffCurve(ndcg_by_k, ndcg_curve),
    "map": CutoffCurve(map_by_k, map_curve),
    "precision": CutoffCurve(precision_by_k, precision_curve),
    "recall": CutoffCurve(recall_by_k, recall_curve),
    "f1": CutoffCurve(f1_by_k, f1_curve),
    "hit_rate": CutoffCurve(hit_rate_by_k, hit_rate_curve),
}


class CurveMoments(NamedTuple):
    """The mean of a curve over queries, and how far it may be off.

    Attributes
    ----------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    mean, standard_error : ndarray of shape (max_k,)
        Of the metric at each of them, or of a difference. The standard error is nan with one query alone.
    n_queries : int
        Queries with a value and a weight above 0.
    n_effective : float
        As many of equal weight would tell as much: (sum of w)**2 / (sum of w**2).
    """

    k: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    n_queries: int
    n_effective: float


class Spread:
    """How weighted curves vary, piece after piece: the mean by w**2, and the squares around it.

    Two pieces become one as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983:
    nothing but squares is added up, so that nothing cancels.
    """

    def __init__(self, n_points: int):
        self.n = 0
        self.weight = 0.0  # sum of w**2
        self._centers, self._squares = np.zeros(n_points), np.zeros(n_points)

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        """Add the curves that count."""
        w = np.where(piece.counted, weights[piece.members], 0)
        w, values = w[w > 0], piece.values[w > 0]
        if not len(w):
            return
        self.n += len(w)
        weight = max(float(w @ w), TINY)  # where the squares are lost beside those of the largest weight
        centers = w**2 @ values / weight
        squares = w**2 @ (values - centers) ** 2
        centers = np.append(centers, centers[-1] * piece.beyond)
        squares = np.append(squares, squares[-1] * piece.beyond**2)
        steps, share = centers - self._centers, weight / (self.weight + weight)
        self._squares += squares + steps**2 * (self.weight * share)
        self._centers += steps * share
        self.weight += weight

    def around(self, mean: np.ndarray) -> np.ndarray:
        """Return the sum of w**2 (v - mean)**2 at each point."""
        return self._squares + self.weight * (self._centers - mean) ** 2


def curve_moments(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    y_score_other: ArrayLike | None = None,
    function: str = "curve_moments",
    **options: Any,
) -> CurveMoments:
    """Return the mean of a curve with its standard error over queries, without a matrix of their values.

    With e = w (v - m) / sum of w for each of n queries it is the root of n / (n - 1) sum of e**2.

    Parameters
    ----------
    name : {"ndcg", "map", "precision", "recall", "f1", "hit_rate"}
        The curve.
    y_true, y_score, groups
        As in :func:`ndcg_curve`.
    y_score_other : array-like of the shape of `y_true`, default=None
        Other scores of the same rows: the moments are those of the differences by query, the value of
        `y_score` less that of `y_score_other`. A query that is left out with one of them is left out.
    function : str, default="curve_moments"
        What messages say they are of.
    **options
        Those of the curve's function, such as `max_k` and `sample_weight`; `average` may not be None.

    Returns
    -------
    CurveMoments
        The cutoffs, mean and standard error at each of them, and the number of queries.
    """
    formula, public = CUTOFF_CURVES[check_choice("name", name, tuple(CUTOFF_CURVES), function)]
    bound = signature(public).bind(y_true, y_score, groups=groups, **options)
    bound.apply_defaults()
    params = bound.arguments
    given = Given(*map(params.pop, Given._fields))
    rules = Rules(*map(params.pop, Rules._fields))
    check_choice("average", rules.average, ("macro", "weighted"), function)
    asked = open_by_k(function, given, rules, **params)
    of_blocks = _evaluate(formula, asked, asked.opened.scores)
    if y_score_other is not None:
        other = open_by_k(function, given._replace(y_score=y_score_other), rules, **params)
        of_blocks = _subtract(of_blocks, _evaluate(formula, asked, other.opened.scores))
    return _sum_up(function, asked, of_blocks)


def _evaluate(formula: CurveFormula, asked: ByK, scores: Scores) -> CurvesOfBlocks:
    """Yield the curves of all queries with these scores, block after block."""
    blocks = iter_blocks(asked.opened.rows, scores, asked.rules.ties)
    return evaluate_blocks(blocks, formula, asked.rules, asked.params)


def _subtract(of_one: CurvesOfBlocks, of_other: CurvesOfBlocks) -> CurvesOfBlocks:
    """Yield the differences of curves; the same rows are in the same blocks, whatever their scores."""
    for (members, one), (_, other) in zip(of_one, of_other, strict=True):
        # How a curve goes on depends on the labels alone, so that the difference goes on alike.
        yield members, Curves(one.values - other.values, one.defined & other.defined, one.fade)


def _sum_up(function: str, asked: ByK, of_blocks: CurvesOfBlocks) -> CurveMoments:
    """Sum curves and their squares up, and look at what they come to."""
    opened, rules, n_points, params = asked
    weights = weigh_queries(opened.rows, rules.average)
    curve_mean, spread = CurveMean(len(weights)), Spread(n_points)
    for piece in cut_pieces(of_blocks, rules.zero_division, n_points):
        curve_mean.add(weights, piece)
        spread.add(weights, piece)
    mean = curve_mean.mean(function, n_points)
    warn_of_flat_curves(function, opened, rules, params, mean)
    n, k = spread.n, np.arange(1, n_points + 1)
    if n < 2:
        return CurveMoments(k, mean, np.full(n_points, np.nan), n, float(n))
    total = curve_mean.weight
    standard_error = np.sqrt(n / (n - 1) * spread.around(mean)) / total
    return CurveMoments(k, mean, standard_error, n, total**2 / spread.weight)
