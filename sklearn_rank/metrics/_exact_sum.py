"""Sums to the last digit: the same in any order and divided into any parts, which merge.

Every float64 is a multiple of the smallest of all, 2**-1074, and so are sums of these: as integers they are
exact, and rounded once when they are read. The leading digits of many values add up exactly as floats, where
they are rounded to multiples of one unit; what is left of the values is added likewise, until nothing is.
"""

from collections.abc import Iterable, Iterator
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


def split_sums(values: np.ndarray, largest: float, n: int) -> Iterator[Any]:
    """Yield sums over the first axis that are exact, and together the sum of the values.

    No value is beyond `largest`. The k-th sums of several calls with the same `largest` and `n` add up
    exactly too, where these have up to `n` rows in all.
    """
    enough = _find_enough(largest, n)
    return _split(values, largest, n, enough if _are_multiples(values, enough) else _find_unit(values))


def _split(
    values: np.ndarray, largest: float, n: int, unit: int, buffer: np.ndarray | None = None
) -> Iterator[Any]:
    """Yield such sums of multiples of 2**unit.

    A buffer of their shape is written into, for the first sum alone: what is left of the values lies in it
    from then on. So the sums are to be taken before it is used again.
    """
    room = n.bit_length()
    exponent = frexp(largest)[1]  # no value, or rest, is beyond this power of 2
    is_first = True
    while exponent + room - DIGITS > unit:
        shift = 1.5 * 2.0 ** (exponent + room)
        rounded = np.add(values, shift, out=buffer if is_first else None)
        rounded -= shift
        yield np.add.reduce(rounded)
        values = np.subtract(values, rounded, out=rounded)
        exponent += room - DIGITS
        if not is_first and not values.any():
            return
        is_first = False
    yield np.add.reduce(values)


def _find_enough(largest: float, n: int) -> int:
    """Return the exponent of a unit: multiples of it are added in two sums."""
    return frexp(largest)[1] + 2 * (n.bit_length() - DIGITS)


def _are_multiples(values: np.ndarray, unit: int) -> bool:
    """Tell whether values are 0 or so large that all are multiples of 2**unit; of values below 0 say no."""
    n_small = np.count_nonzero(values < 2.0 ** (unit + DIGITS))
    return n_small == 0 or n_small + np.count_nonzero(values != 0) == values.size


def _find_unit(values: np.ndarray) -> int:
    """Return the exponent of the last digit of the smallest value but 0: all are multiples of it."""
    bits = np.abs(values).view(np.uint64) - np.uint64(1)  # in the order of the magnitudes, zeros last
    return max((int(np.minimum.reduce(bits, axis=None)) + 1 >> DIGITS - 1) - UNIT - 1, -UNIT)


class ExactSum:
    """The sum of values, exact, to which values and other sums are added.

    Attributes
    ----------
    units : int
        The sum of the finite values, in units of 2**-1074.
    rest : float
        The sum of those that are infinite or NaN; 0 without any.
    """

    __slots__ = ("rest", "units")

    def __init__(self, values: np.ndarray | None = None):
        self.units = 0
        self.rest = 0.0
        if values is not None:
            self.add(values)

    def add(self, values: np.ndarray) -> None:
        """Add the values of an array."""
        for piece, sums in _split_pieces(values):
            if sums is None:
                self._add_extremes(piece)
            else:
                self.units += sum(map(_count_units, sums))

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
        """Return the sum, rounded once, and the exponent of 2 by which it is to be multiplied.

        That is 0 unless the sum is beyond the range of floats, or near its end.
        """
        if self.rest:  # NaN too
            return self.rest, 0
        exponent = max(0, self.units.bit_length() - UNIT - MAX_EXPONENT)
        return self.units / 2 ** (UNIT + exponent), exponent

    def fraction(self) -> Fraction:
        """Return the sum of the finite values."""
        return Fraction(self.units, 2**UNIT)


def sum_exactly(values: np.ndarray) -> tuple[float, int]:
    """Return `ExactSum(values).scaled()`, sooner where no value is extreme."""
    all_sums: list[float] = []
    for _, sums in _split_pieces(values):
        if sums is None:
            return ExactSum(values).scaled()
        all_sums += sums
    return fsum(all_sums), 0


def _split_pieces(values: np.ndarray) -> Iterator[tuple[np.ndarray, Iterable[float] | None]]:
    """Yield the values in pieces, and what `_split_piece` makes of each."""
    values = np.asarray(values, dtype=np.float64)
    if len(values) <= PIECE:
        yield values, _split_piece(values) if len(values) else ()
        return
    buffer = np.empty(PIECE)  # for all pieces: new memory costs as much as adding
    for start in range(0, len(values), PIECE):
        piece = values[start : start + PIECE]
        yield piece, _split_piece(piece, buffer[: len(piece)])


def _split_piece(values: np.ndarray, buffer: np.ndarray | None = None) -> Iterable[float] | None:
    """Return exact sums that together are that of the values; None where one is large, infinite or NaN."""
    n, highest = len(values), float(np.maximum.reduce(values))
    if 0 < highest <= LARGE and values[0] >= 0:  # values of one sign mostly; of others it would be no use
        enough = _find_enough(highest, n)
        if _are_multiples(values, enough):  # the lowest need not be looked for
            return _split(values, highest, n, enough, buffer)
    lowest = float(np.minimum.reduce(values))
    largest = highest if highest >= -lowest else -lowest
    if not largest <= LARGE:
        return None
    return _split(values, largest, n, _find_unit(values), buffer) if largest else ()


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
        """Add the rows of a matrix; to the columns beyond its last, multiples of that one's sum."""
        if not len(values):
            return
        for level, sums in enumerate(split_sums(values, 1.0, self._n)):
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
