"""The mean of a curve over queries with its standard error, or that of a difference of two rankings."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._checks.options import check_choice
from .._checks.types import ArrayLike
from ._curves import CurveMean, CurveRequest, Curves, Piece, extend
from ._cutoff_curves import CURVE_STEMS, list_parameters, request_curve
from ._factory import read_arguments
from ._table import METRICS

TINY = float(np.finfo(np.float64).tiny)


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


class CurveSpread:
    """How weighted curves vary, piece after piece: the mean by w**2, and the squares around it.

    Two pieces become one as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983:
    nothing but squares is added up, so that nothing cancels.
    """

    def __init__(self, n_points: int):
        self.n = 0
        self.weight = 0.0  # sum of w**2
        self._centers, self._squares = np.zeros(n_points), np.zeros(n_points)

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        """Add curves."""
        self.n += len(weights)
        weight = max(float(weights @ weights), TINY)  # if squares underflow, as other weights are far larger
        centers = weights**2 @ piece.values / weight
        squares = extend(weights**2 @ (piece.values - centers) ** 2, piece.beyond**2)
        steps, share = extend(centers, piece.beyond) - self._centers, weight / (self.weight + weight)
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
    metric = METRICS[check_choice("name", name, CURVE_STEMS, function)]
    given = {"groups": groups, **options}
    arguments = read_arguments(function, list_parameters(metric), (y_true, y_score), given)
    check_choice("average", arguments["average"], ("macro", "weighted"), function)
    request = request_curve(function, metric, **arguments)
    curves = request.evaluate(request.opened.scores)
    if y_score_other is not None:
        other = request_curve(function, metric, **{**arguments, "y_score": y_score_other})
        curves = _subtract(curves, request.evaluate(other.opened.scores))
    return _sum_up(request, curves)


def _subtract(of_one: Iterator[Curves], of_other: Iterator[Curves]) -> Iterator[Curves]:
    """Yield the differences of curves; the same rows are in the same blocks, whatever their scores."""
    for one, other in zip(of_one, of_other, strict=True):
        # How a curve continues depends on the labels alone, so the difference continues in the same way.
        yield one._replace(values=one.values - other.values)


def _sum_up(request: CurveRequest, curves: Iterator[Curves]) -> CurveMoments:
    """Return the mean and the standard error of curves."""
    k, n_points = request.points, len(request.points)
    curve_mean, spread = CurveMean(len(request.opened.rows.queries.lengths)), CurveSpread(n_points)
    for weights, piece in request.weigh(request.cut(curves)):
        curve_mean.add(weights, piece)
        spread.add(weights, piece)
    mean = curve_mean.read(request.function, n_points)
    request.warn(mean)
    n, total = spread.n, curve_mean.weight
    if n < 2:
        return CurveMoments(k, mean, np.full(n_points, np.nan), n, float(n))
    standard_error = np.sqrt(n / (n - 1) * spread.around(mean)) / total
    return CurveMoments(k, mean, standard_error, n, total**2 / spread.weight)
