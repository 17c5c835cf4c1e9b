"""Sums to the last digit: the same in any order and divided into any parts, which merge.

Every float64 is a multiple of the smallest of all, 2**-1074, and so are sums of these: as integers they are
exact, and rounded once when they are read. The leading digits of many values add up exactly as floats, where
they are rounded to multiples of one unit; what is left of the values is added likewise, until nothing is.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import frexp, fsum
from typing import Any, Self

import numpy as np

from ._gains_and_discounts import MAX_EXPONENT

UNIT = 1074  # 2**-1074 is the smallest float
SHRINK = 128  # exponent of 2 by which large values are divided, to be summed
LARGE = 2.0 ** (MAX_EXPONENT - SHRINK)
PIECE = 2**16  # values that are added at once, and stay in the cache
DIGITS = 53  # binary ones of a float


def split_sums(
    values: np.ndarray, lowest: float, largest: float, n: int, buffer: np.ndarray | None = None
) -> Iterator[Any]:
    """Yield sums over the first axis that are exact, and together the sum of the values.

    No value is below `lowest`, or beyond `largest` whatever its sign. The k-th sums of several calls with
    the same `largest` and `n` add up exactly too, where these have up to `n` rows in all. The sums are to be
    taken before the buffer, of the shape of the values, is used again.
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
        rounded = np.add(values, shift, out=buffer if is_first else None)  # what is left will lie in it
        rounded -= shift
        yield np.add.reduce(rounded)
        values = np.subtract(values, rounded, out=rounded)
        exponent += room - DIGITS
        if not is_first and not values.any():
            return
        is_first = False
    yield np.add.reduce(values)


def _are_multiples(values: np.ndarray, lowest: float, unit: int) -> bool:
    """Tell whether values are 0 or so large that all are multiples of 2**unit; of values below 0 say no."""
    limit = 2.0 ** (unit + DIGITS)
    if lowest:
        return lowest >= limit
    return np.count_nonzero(values < limit) + np.count_nonzero(values != 0) == values.size


class ExactSum:
    """The sum of values, exact, to which values and other sums are added."""

    __slots__ = ("rest", "units")

    def __init__(self, values: np.ndarray | None = None):
        self.units = 0  # the sum of the finite values, in units of 2**-1074
        self.rest = 0.0  # the sum of those that are infinite or NaN
        if values is not None:
            self.add(values)

    def add(self, values: np.ndarray) -> None:
        """Add the values of an array."""
        values = np.asarray(values, dtype=np.float64)
        # One for all pieces, as new memory costs as much as adding.
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
        """Add values some of which are large, infinite or NaN."""
        finite, moderate = np.isfinite(values), np.abs(values) <= LARGE
        with np.errstate(invalid="ignore"):  # inf - inf
            self.rest += float(values[~finite].sum())
        self.add(values[moderate])
        self.units += ExactSum(np.ldexp(values[finite & ~moderate], -SHRINK)).units << SHRINK

    def __iadd__(self, other: "ExactSum") -> Self:
        """Add another sum."""
        self.units += other.units
        self.rest += other.rest
        return self

    def scaled(self) -> tuple[float, int]:
        """Return the sum, rounded once, and the exponent of 2 by which it is to be multiplied, mostly 0."""
        if self.rest:  # NaN too
            return self.rest, 0
        exponent = max(0, self.units.bit_length() - UNIT - MAX_EXPONENT)
        return self.units / 2 ** (UNIT + exponent), exponent

    def fraction(self) -> Fraction:
        """Return the sum of the finite values."""
        return Fraction(self.units, 2**UNIT)


def _count_units(number: float) -> int:
    above, below = number.as_integer_ratio()
    return above << (UNIT + 1 - below.bit_length())


def exact_dot(one: np.ndarray, other: np.ndarray) -> Fraction:
    """Return the sum of products, exact but for parts 2**-900 and less of the largest.

    A product is the rounded one and what is left of it (Dekker, "A floating-point technique for extending the
    available precision", 1971); values are brought near 1 before, so that none overflows.
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
    """The sum of each column of matrices, of up to `n` rows in all and no value beyond -1 and 1."""

    def __init__(self, n: int):
        self._n = n
        self._levels: list[np.ndarray] = []

    def add(self, values: np.ndarray, beyond: np.ndarray) -> None:
        """Add the rows of a matrix, at least one; to columns beyond its last, multiples of that one's sum."""
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
