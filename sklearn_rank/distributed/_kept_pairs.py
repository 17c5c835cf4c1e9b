"""What is kept of each two systems, where sums alone are: what a comparison takes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import nan
from sys import float_info
from typing import Any, NamedTuple

import numpy as np

from ..metrics import MetricValues, divide_exact, exact_dot
from ..reports import PairedMoments, find_terms, find_traits, subtract_equal
from ._batches import Batch
from ._kept import KeptMoments, Sums, add_sums, as_float, cut, sum_terms


class PairSums(NamedTuple):
    """Counts of the queries of one metric of two systems, and sums over those that are compared.

    The systems add a / b and c / b to their means: weights and the denominators of micro averages are of
    labels, not of scores, and so the b of both are the same.
    """

    n: int  # compared: both have a value, and their weight is above 0
    n_left_out: int  # one has no value
    wins: int  # the first has the higher value
    losses: int
    a: Fraction
    b: Fraction
    aa: Fraction
    ab: Fraction
    bb: Fraction
    c: Fraction
    cc: Fraction
    cb: Fraction
    ac: Fraction

    def find_moments(self, exponent: int | None) -> PairedMoments:
        """Return what a comparison takes.

        With D = (a - c) / b the sum of (a - c - D b)**2 is gg - 2 D gb + D**2 bb, of g = a - c.
        """
        if self.n == 0:
            return PairedMoments(nan, nan, 0, 0.0, self.n_left_out, 0, 0, 0.0, 0.0, 0.0)
        unit = Fraction(2) ** (exponent or 0)
        mean, other_mean = (divide_exact(each / unit, self.b / unit, nan, "") for each in (self.a, self.c))
        n_effective = float(self.b**2 / self.bb)
        difference, squares, scale = Fraction(0), Fraction(0), Fraction(0)
        if self.wins or self.losses:
            difference = (self.a - self.c) / self.b
            gg, gb = self.aa - 2 * self.ac + self.cc, self.ab - self.cb
            squares = max(gg - 2 * difference * gb + difference**2 * self.bb, squares) / self.b**2
            scale = (self.aa + self.cc) / self.b**2
        return PairedMoments(
            mean,
            other_mean,
            self.n,
            n_effective,
            self.n_left_out,
            self.wins,
            self.losses,
            as_float(difference),
            as_float(squares),
            min(as_float(scale), float_info.max),  # so that inf squares are not taken for none
        )


Pairs = Mapping[tuple[str, str], Mapping[str, PairSums]]  # by both systems, and by metric


def sum_pairs(batches: Mapping[Any, Batch], kept: Mapping[Any, KeptMoments]) -> Pairs:
    """Sum up what each two systems have in common; `kept` is of the same queries."""
    if len(batches) == 1:
        return {}
    couples = list(combinations(sorted(batches), 2))
    pairs: dict[tuple[str, str], dict[str, PairSums]] = {couple: {} for couple in couples}
    exponent = next(iter(batches.values())).exponent or 0  # all have the same weights
    for metric in next(iter(kept.values())).sums:
        found = {name: each.found.metrics[metric] for name, each in batches.items()}
        for one, other in couples:
            sums = kept[one].sums[metric], kept[other].sums[metric]
            values = found[one], found[other]
            pairs[one, other][metric] = _sum_pair(*values, *sums, exponent, find_traits(metric).scale)
    return pairs


def merge_pairs(one: Pairs, other: Pairs) -> Pairs:
    """Return the sums of both."""
    return {
        couple: {metric: add_sums(each, other[couple][metric]) for metric, each in sums.items()}
        for couple, sums in one.items()
    }


def _sum_pair(
    one: MetricValues, other: MetricValues, sums: Sums, sums_of_other: Sums, exponent: int, largest: float
) -> PairSums:
    """Sum up what two systems have in common; what is known of each alone is not summed again.

    `largest` is the largest value that the metric can have if it can have values of both signs, else 0.
    """
    scale = Fraction(2) ** exponent
    counts, ac = np.zeros(4, dtype=int), Fraction(0)
    for piece in cut(len(one.values)):
        first, second = (_slice(each, piece) for each in (one, other))
        left_out = np.isnan(first.values) | np.isnan(second.values)
        a, _, c, of_one, of_other = _take_compared(first, second)
        apart = subtract_equal(of_one, of_other, largest)
        counts += [len(a), *map(np.count_nonzero, (left_out, apart > 0, apart < 0))]
        ac += exact_dot(a, c)
    n, n_left_out, wins, losses = counts.tolist()
    if n == sums.n_defined == sums_of_other.n_defined:
        terms, terms_of_other = sums[-5:], sums_of_other[-5:]
    else:
        a, b, c, *_ = _take_compared(one, other)
        is_plain = one.weights is None and one.sums is None
        terms, terms_of_other = (sum_terms(each, b, is_plain, scale) for each in (a, c))
    sum_c, _, cc, cb, _ = terms_of_other
    return PairSums(n, n_left_out, wins, losses, *terms, sum_c, cc, cb, ac * scale**2)


def _slice(metric: MetricValues, piece: slice) -> MetricValues:
    sums = None if metric.sums is None else (metric.sums[0][piece], metric.sums[1][piece])
    return MetricValues(metric.values[piece], None if metric.weights is None else metric.weights[piece], sums)


def _take_compared(one: MetricValues, other: MetricValues) -> tuple[np.ndarray, ...]:
    """Return a, b, c and both values of the queries that are compared."""
    (a, b), (c, d) = find_terms(one), find_terms(other)
    arrays = a, b, c, one.values, other.values
    compared = (b > 0) & (d > 0)
    return arrays if compared.all() else tuple(each[compared] for each in arrays)
