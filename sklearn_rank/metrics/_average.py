"""From the values of queries to one: means and ratios of sums, the same to the last digit in any order."""

from contextlib import suppress
from math import frexp, fsum
from typing import Any

import numpy as np

from .._checks.arrays import PIECE
from .._checks.warn import warn_user
from .._checks.weights import check_constant
from .._engine.queries import Queries
from ._gains_and_discounts import MAX_EXPONENT

SHRINK = 128  # exponent of 2 by which large values are divided, to be summed
LARGE = 2.0 ** (MAX_EXPONENT - SHRINK)
FEW = 200  # values that math.fsum adds up sooner


def query_weights(
    weights: np.ndarray | None, queries: Queries, function: str, by_row: bool = True
) -> np.ndarray | None:
    """One weight per query; None for equal ones."""
    if weights is None:
        return None
    if by_row:
        weights = weights if queries.rows is None else weights[queries.rows]
        check_constant(weights, queries.firsts, queries.lengths, function)
        weights = weights[queries.firsts]
    return scale_weights(weights)


def scale_weights(weights: np.ndarray) -> np.ndarray:
    """Bring the largest weight near 1, by a power of two: their scale is free, and no product overflows."""
    return np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1])


def average_values(
    values: np.ndarray, weights: np.ndarray | None, queries: Queries, average: str | None, function: str
) -> Any:
    """Mean over the queries that have a value and a weight; all values for None."""
    if average is None:
        return queries.by_id(values)
    if average == "weighted":
        weights = queries.lengths if weights is None else weights * queries.lengths
    return mean_of_values(values, weights, function)


def mean_of_values(values: np.ndarray, weights: np.ndarray | None, function: str) -> float:
    """Mean over the queries that have a value and a weight."""
    if weights is None:
        total = _scaled_sum(values)
        if total[0] != total[0]:  # where one is NaN
            values = values[~np.isnan(values)]
            total = _scaled_sum(values)
        return _divide_sums(total, (float(len(values)), 0), np.nan, function)
    counted = ~np.isnan(values) & (weights > 0)
    return ratio_of_sums(values[counted], np.ones(1), weights[counted], np.nan, function)


def ratio_of_sums(
    numerators: np.ndarray,
    denominators: np.ndarray,
    weights: np.ndarray | None,
    otherwise: float,
    function: str,
) -> float:
    """Return the micro average; each pair is that of one query, or weighs so much."""
    if weights is not None:
        weights = scale_weights(weights)
        numerators, denominators = weights * numerators, weights * denominators
    return _divide_sums(_scaled_sum(numerators), _scaled_sum(denominators), otherwise, function)


def _divide_sums(
    numerator: tuple[float, int],
    denominator: tuple[float, int],
    otherwise: float,
    function: str,
) -> float:
    (above, exponent_above), (below, exponent_below) = numerator, denominator
    if below > 0:
        exponent = exponent_above - exponent_below
        return float(np.ldexp(above / below, exponent)) if exponent else above / below
    if np.isnan(otherwise):
        warn_undefined(function)
    return otherwise


def _scaled_sum(values: np.ndarray) -> tuple[float, int]:
    """Return a sum that does not overflow, and the exponent of 2 by which it is to be multiplied."""
    if len(values) <= FEW:
        with suppress(OverflowError):
            return fsum(values.tolist()), 0
    largest = _find_largest(values)
    if LARGE < largest < np.inf:
        return exact_sum(np.ldexp(values, -SHRINK), np.ldexp(largest, -SHRINK)), SHRINK
    return exact_sum(values, largest), 0


def exact_sum(values: np.ndarray, largest: float) -> float:
    """Return a sum as `math.fsum` does, many times faster.

    So neither the order of the rows nor the number of threads shows.
    """
    if largest == np.inf:
        return float(values.sum())
    sums = ExactSums(len(values), largest)
    for start in range(0, len(values), PIECE):
        sums.add(values[start : start + PIECE])
    return float(sums.total())


def _find_largest(values: np.ndarray) -> float:
    """Return the largest value, whatever its sign; 0 without any, NaN where one is."""
    highest, lowest = float(values.max(initial=0.0)), float(values.min(initial=0.0))
    return highest if highest >= -lowest or highest != highest else -lowest


class ExactSums:
    """Sums to the last digit of up to `n` values each, none larger than `largest`, added piece by piece.

    The leading digits of n values, multiples of a unit above 2**-53 n times the largest, add up exactly.
    """

    def __init__(self, n: int, largest: float):
        exponent = frexp(largest)[1] + n.bit_length()
        self._shift = 1.5 * 2.0 ** min(exponent, MAX_EXPONENT)
        self._leading: Any = 0.0
        self._rest: Any = 0.0

    def add(self, values: np.ndarray, beyond: np.ndarray | None = None) -> None:
        """Add values; or each column of a matrix to its own sum, and multiples of the last to sums beyond."""
        rounded = values + self._shift
        rounded -= self._shift
        sums = [rounded.sum(axis=0)]
        np.subtract(values, rounded, out=rounded)
        sums.append(rounded.sum(axis=0))
        if beyond is not None:
            sums = [np.append(each, each[-1] * beyond) for each in sums]
        self._leading = self._leading + sums[0]
        self._rest = self._rest + sums[1]

    def total(self) -> Any:
        """Return the sums."""
        return self._leading + self._rest


def warn_undefined(function: str) -> None:
    """Warn that no query has a value."""
    from sklearn.exceptions import UndefinedMetricWarning

    message = f"{function} is undefined: no query has a value to average. Returning nan."
    warn_user(message, UndefinedMetricWarning)
