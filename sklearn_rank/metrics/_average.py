"""Averages of query values: exact means, ratios of exact sums, and counts over all queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from math import frexp, fsum
from typing import Any, NamedTuple, Self

import numpy as np

from .._checks.errors import name_call
from .._checks.rows import check_constant
from .._checks.types import Ids, Values
from .._checks.warn import warn_user
from .._engine.prepared import Queries
from ._gains_and_discounts import MAX_EXPONENT

LOWER, OWN_NAME = "lower_is_better=", "metric="  # options that determine the range and direction of values
UNIT = 1074  # 2**-1074 is the smallest float
SHRINK = 128  # power of 2 by which large values are divided before they are summed
LARGE = 2.0 ** (MAX_EXPONENT - SHRINK)
PIECE = 2**16  # number of values that are added at once, so that they stay in the cache
DIGITS = 53  # binary digits of a float


def split_sums(
    values: np.ndarray, lowest: float, largest: float, n: int, buffer: np.ndarray | None = None
) -> Iterator[Any]:
    """Yield exact sums over the first axis, which together add up to the sum of the values.

    All values are at least `lowest`, and at most `largest` in magnitude. The k-th sums of several calls with
    the same `largest` and `n` add up exactly too, if the calls have at most `n` rows in total. Use the sums
    before the buffer, which has the shape of the values, is reused.
    """
    enough = frexp(largest)[1] + 2 * (n.bit_length() - DIGITS)  # multiples of it are added in two sums
    unit = enough
    if not _are_multiples(values, lowest, enough):
        bits = np.abs(values).view(np.uint64) - np.uint64(1)  # in the order of the magnitudes, zeros last
        unit = max((int(np.minimum.reduce(bits, axis=None)) + 1 >> DIGITS - 1) - UNIT - 1, -UNIT)
    room = n.bit_length()
    exponent = frexp(largest)[1]  # no value, or rest, is beyond this power of 2
    is_first = True
    while exponent + room - DIGITS > unit:
        shift = 1.5 * 2.0 ** (exponent + room)
        rounded = np.add(values, shift, out=buffer if is_first else None)  # the remainder will fit into it
        rounded -= shift
        yield np.add.reduce(rounded)
        values = np.subtract(values, rounded, out=rounded)
        exponent += room - DIGITS
        if not is_first and not values.any():
            return
        is_first = False
    yield np.add.reduce(values)


def _are_multiples(values: np.ndarray, lowest: float, unit: int) -> bool:
    """Return whether all values are 0 or so large that they are multiples of 2**unit; False below 0."""
    limit = 2.0 ** (unit + DIGITS)
    if lowest:
        return lowest >= limit
    return np.count_nonzero(values < limit) + np.count_nonzero(values != 0) == values.size


class ExactSum:
    """An exact sum of floats: it is the same in any order, and sums of parts can be merged.

    Every float64 is a multiple of the smallest one, 2**-1074, and so is every sum. As an integer in this unit
    the sum is exact; it is rounded once when it is read. The leading digits of many values, rounded to
    multiples of one unit, add up exactly as floats. The remainders are added in the same way until none is
    left.
    """

    __slots__ = ("rest", "units")

    def __init__(self, values: np.ndarray | None = None):
        self.units = 0  # the sum of the finite values, in units of 2**-1074
        self.rest = 0.0  # the sum of the infinite and NaN values
        if values is not None:
            self.add(values)

    def add(self, values: np.ndarray) -> None:
        values = np.asarray(values, dtype=np.float64)
        # One buffer for all pieces, because allocating memory takes as long as adding.
        memory = np.empty(PIECE) if len(values) > PIECE else None
        for start in range(0, len(values), PIECE):
            piece = values[start : start + PIECE]
            buffer = None if memory is None else memory[: len(piece)]
            highest, lowest = float(np.maximum.reduce(piece)), float(np.minimum.reduce(piece))
            largest = highest if highest >= -lowest or highest != highest else -lowest
            if not largest <= LARGE:
                self._add_extremes(piece)
            elif largest:
                self.units += sum(map(_count_units, split_sums(piece, lowest, largest, len(piece), buffer)))

    def _add_extremes(self, values: np.ndarray) -> None:
        """Add values of which some are large, infinite or NaN."""
        finite, moderate = np.isfinite(values), np.abs(values) <= LARGE
        with np.errstate(invalid="ignore"):  # inf - inf
            self.rest += float(values[~finite].sum())
        self.add(values[moderate])
        self.units += ExactSum(np.ldexp(values[finite & ~moderate], -SHRINK)).units << SHRINK

    def __iadd__(self, other: ExactSum) -> Self:
        """Add another sum."""
        self.units += other.units
        self.rest += other.rest
        return self

    def scaled(self) -> tuple[float, int]:
        """Return the sum, rounded once, and the exponent of 2 to multiply it by, which is usually 0."""
        if self.rest:  # NaN too
            return self.rest, 0
        exponent = max(0, self.units.bit_length() - UNIT - MAX_EXPONENT)
        return self.units / 2 ** (UNIT + exponent), exponent

    def fraction(self) -> Fraction:
        """Return the sum of the finite values."""
        return Fraction(self.units, 2**UNIT)


def _count_units(number: float) -> int:
    """Return a finite number in units of 2**-1074."""
    above, below = number.as_integer_ratio()
    return above << (UNIT + 1 - below.bit_length())


def exact_dot(one: np.ndarray, other: np.ndarray) -> Fraction:
    """Return the sum of products, exact except for parts below 2**-900 of the largest product.

    Each product is a rounded value plus an error (Dekker, "A floating-point technique for extending the
    available precision", 1971). Values are scaled to near 1 first, so that no product overflows.
    """
    exponents = [int(np.frexp(np.abs(each).max(initial=0.0))[1]) for each in (one, other)]
    one, other = (np.ldexp(each, -exponent) for each, exponent in zip((one, other), exponents))
    products = one * other
    (high, low), (other_high, other_low) = _split_digits(one), _split_digits(other)
    left = high * other_high - products + high * other_low + low * other_high + low * other_low
    return (ExactSum(products).fraction() + ExactSum(left).fraction()) * Fraction(2) ** sum(exponents)


def _split_digits(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split values into their first and their last 26 digits, whose products are exact."""
    moved = values * (2.0**27 + 1)
    high = moved - (moved - values)
    return high, values - high


class ColumnSums:
    """The sums of the columns of matrices with at most `n` rows in total and values in [-1, 1]."""

    def __init__(self, n: int):
        self._n = n
        self._levels: list[np.ndarray] = []

    def add(self, values: np.ndarray, beyond: np.ndarray) -> None:
        """Add at least one row; columns beyond the last one get multiples of the sum of the last one."""
        for level, sums in enumerate(split_sums(values, np.min(values), 1.0, self._n)):
            sums = np.append(sums, sums[-1] * beyond)
            if level < len(self._levels):
                self._levels[level] += sums
            else:
                self._levels.append(sums)

    def total(self) -> np.ndarray:
        """Return the sums, rounded once."""
        if len(self._levels) <= 2:
            return sum(self._levels, np.zeros(1))
        return np.array([fsum(levels) for levels in zip(*(level.tolist() for level in self._levels))])


FEW = 200  # number of values up to which math.fsum is faster
LEAST = 0.00001  # replaces 0 in a geometric mean, as in trec_eval


def query_weights(weights: np.ndarray | None, queries: Queries, by_row: bool = True) -> np.ndarray | None:
    """Return one weight per query, or None for equal weights."""
    if weights is None:
        return None
    if by_row:
        weights = weights if queries.rows is None else weights[queries.rows]
        check_constant(weights, queries.firsts, queries.lengths)
        weights = weights[queries.firsts]
    return weights


def scale_weights(weights: np.ndarray) -> np.ndarray:
    """Scale weights by a power of 2 so that the largest is near 1 and no product overflows."""
    return np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1])


class MetricValues(NamedTuple):
    """The values of a metric for each query, and everything that its mean depends on."""

    values: np.ndarray  # as with average=None: NaN for excluded queries, negative for "neg_..."
    weights: np.ndarray | None = None  # weights of the mean; None: equal weights
    sums: tuple[np.ndarray, np.ndarray] | None = None  # numerators and denominators of a micro average
    defined: np.ndarray | None = None  # whether the metric is defined for each query; None: for all
    otherwise: float = np.nan  # micro average if the metric is defined for no query
    options: tuple[str, ...] = ()  # options with which it was computed, if known
    precision: float = 0.0  # relative precision of values that were stored with fewer than 64 bits
    average: str | None = "macro"  # "geometric" for the geometric mean, None for no mean

    def mean(self, subject: str = "") -> Any:
        """Return the result of the metric function: the mean, or all values if there is no mean.

        A warning names the `subject`, by default the function that the user called.
        """
        if self.average is None:
            return self.values
        if self.average == "geometric":  # as in trec_eval, for any metric
            return float(np.exp(mean_of_values(take_logs(self.values), self.weights, subject)))
        if self.sums is None:
            return mean_of_values(self.values, self.weights, subject)
        return ratio_of_sums(*self.sums, self.weights, self.otherwise, subject)

    def weigh(self, weights: np.ndarray | None) -> MetricValues:
        """Multiply the weights of the queries by other weights."""
        if weights is None:
            return self
        return self._replace(weights=weights if self.weights is None else weights * self.weights)

    def take(self, queries: np.ndarray, taken: dict[int, np.ndarray]) -> MetricValues:
        """Return the values of some queries; `taken` caches arrays that metrics share."""

        def pick(array: np.ndarray) -> np.ndarray:
            return taken[id(array)] if id(array) in taken else taken.setdefault(id(array), array[queries])

        weights, defined = (None if each is None else pick(each) for each in (self.weights, self.defined))
        sums = None if self.sums is None else (pick(self.sums[0]), pick(self.sums[1]))
        return self._replace(values=pick(self.values), weights=weights, sums=sums, defined=defined)


def average_values(
    values: np.ndarray, weights: np.ndarray | None, queries: Queries, average: str | None
) -> Any:
    """Average the values of the queries, or return all of them if `average` is None."""
    if average == "weighted":
        weights = queries.lengths if weights is None else weights * queries.lengths
    values = queries.by_id(values) if average is None else values
    return MetricValues(values, weights, average=average).mean()


def take_logs(values: Values) -> Any:
    """Return the logarithms of values after raising them to at least LEAST."""
    return np.log(np.maximum(values, LEAST))


def mean_of_values(values: np.ndarray, weights: np.ndarray | None, subject: str = "") -> float:
    """Return the mean over the queries that have a value and a positive weight."""
    if weights is None:
        total = _scaled_sum(values)
        if total[0] != total[0]:  # if a value is NaN
            values = values[~np.isnan(values)]
            total = _scaled_sum(values)
        return _divide_sums(total, (float(len(values)), 0), np.nan, subject)
    counted = ~np.isnan(values) & (weights > 0)
    return ratio_of_sums(values[counted], np.ones(1), weights[counted], np.nan, subject)


def ratio_of_sums(
    numerators: np.ndarray,
    denominators: np.ndarray,
    weights: np.ndarray | None,
    otherwise: float,
    subject: str = "",
) -> float:
    """Return the micro average: the ratio of the weighted sums."""
    if weights is not None:
        weights = scale_weights(weights)
        numerators, denominators = weights * numerators, weights * denominators
    return _divide_sums(_scaled_sum(numerators), _scaled_sum(denominators), otherwise, subject)


def divide_exact(above: Fraction, below: Fraction, otherwise: float, subject: str) -> float:
    """Divide sums that are already known, as `ratio_of_sums` does; small weights are scaled up."""
    scale = 2 ** max(0, below.denominator.bit_length() - below.numerator.bit_length())
    return _divide_sums(_round(above * scale), _round(below * scale), otherwise, subject)


def _round(number: Fraction) -> tuple[float, int]:
    """Round a sum as `ExactSum.scaled` does."""
    digits = number.numerator.bit_length() - number.denominator.bit_length() + 1
    exponent = max(0, digits - MAX_EXPONENT)
    return float(number / 2**exponent), exponent


def _divide_sums(
    numerator: tuple[float, int], denominator: tuple[float, int], otherwise: float, subject: str
) -> float:
    (above, exponent_above), (below, exponent_below) = numerator, denominator
    if below > 0:
        exponent = exponent_above - exponent_below
        return float(np.ldexp(above / below, exponent)) if exponent else above / below
    if np.isnan(otherwise):
        warn_undefined(subject)
    return otherwise


def _scaled_sum(values: np.ndarray) -> tuple[float, int]:
    """Return an exact sum that does not overflow, and the exponent of 2 to multiply it by."""
    if len(values) <= FEW:
        with suppress(OverflowError):
            return fsum(values.tolist()), 0
    return ExactSum(values).scaled()


def warn_undefined(subject: str = "") -> None:
    """Warn that no query has a value."""
    from sklearn.exceptions import UndefinedMetricWarning

    message = f"{subject or name_call()} is undefined: no query has a value to average. Returning nan."
    warn_user(message, UndefinedMetricWarning)


class CountedRows(NamedTuple):
    """The rows that counts were summed from."""

    items: np.ndarray  # of each row: its place among the ids
    units: np.ndarray  # of each row: its query, or its cluster
    values: Mapping[str, np.ndarray]  # what each row adds to the sums
    queries: Queries
    n_units: int

    def of_units(self, clusters: np.ndarray | None) -> CountedRows:
        """Number the units in the order of the query ids; clusters have an entry per query in this order."""
        codes = np.arange(self.n_units) if clusters is None else clusters
        units = np.empty(self.n_units, dtype=np.int64)
        units[self.queries.by_id(np.arange(self.n_units))] = codes
        return self._replace(units=units[self.units], n_units=int(codes.max()) + 1)

    def merged(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the item, the unit and the sum of values for all pairs with a value other than 0."""
        values = self.values[name]
        shown, n_items = np.flatnonzero(values), self.items.max() + 1
        pairs, codes = np.unique(self.units[shown] * n_items + self.items[shown], return_inverse=True)
        units, items = np.divmod(pairs, n_items)
        return items, units, np.bincount(codes, values[shown], len(pairs))


class Counts(NamedTuple):
    """Sums over queries: for each item, and in total."""

    ids: list[Ids]  # of items, without repeats
    sums: Mapping[str, np.ndarray]  # an entry for each id
    totals: Mapping[str, float] = {}
    parameter: str = "items"  # argument that contains the ids, for messages
    longest: float = 1.0  # sums are in units of 1 / sqrt(longest)
    rows: CountedRows | None = None  # if they are known

    def merge(self, other: Counts) -> Counts:
        places = {each: place for place, each in enumerate(self.ids)}
        of_other = np.array([places.setdefault(each, len(places)) for each in other.ids], dtype=np.int64)
        longest = max(self.longest, other.longest)
        one, two = self._scale(longest), other._scale(longest)
        sums = {}
        for name, values in one.sums.items():
            sums[name] = np.zeros(len(places))
            sums[name][: len(values)] = values
            sums[name][of_other] += two.sums[name]
        totals = {name: value + two.totals[name] for name, value in one.totals.items()}
        return one._replace(ids=list(places), sums=sums, totals=totals)

    def _scale(self, longest: float) -> Counts:
        """Return counts in other units."""
        factor = np.sqrt(longest / self.longest)
        return self._replace(sums={name: each * factor for name, each in self.sums.items()}, longest=longest)


def pile(one: tuple[Counts, ...], other: tuple[Counts, ...]) -> tuple[Counts, ...]:
    """Return both, with counts of similar size merged, so that adding few items often takes little time."""
    piled = sorted((*one, *other), key=lambda counts: -len(counts.ids))
    while len(piled) > 1 and len(piled[-2].ids) <= 2 * len(piled[-1].ids):
        smallest = piled.pop()
        piled.append(piled.pop().merge(smallest))
        piled.sort(key=lambda counts: -len(counts.ids))
    return tuple(piled)
