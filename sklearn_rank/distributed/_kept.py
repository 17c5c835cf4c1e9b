"""What is kept of scored queries: the value of each, or sums alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import inf, nan, sqrt
from sys import float_info
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail
from ..metrics import ExactSum, MetricValues, divide_exact, exact_dot
from ..reports import (
    Moments,
    PairedMoments,
    RankingReport,
    Sample,
    Settings,
    Spread,
    find_terms,
    report_moments,
    report_queries,
    subtract_equal,
)
from ._batches import Batch, join_batches

PIECE = 2**13  # queries whose products are taken at once


class KeptQueries(NamedTuple):
    """The values of all queries, in batches."""

    batches: tuple[Batch, ...] = ()

    @classmethod
    def of(cls, batch: Batch, function: str) -> KeptQueries:
        """Keep the queries of a batch."""
        return cls((batch,))

    def merge(self, other: KeptQueries, function: str) -> KeptQueries:
        """Return both; they become one batch whenever their number has doubled."""
        batches = (*self.batches, *other.batches)
        sizes = [len(each.found.ids) for each in batches]
        if sum(sizes) >= 2 * max(sizes, default=1):
            return KeptQueries((join_batches(batches, function),))
        return KeptQueries(batches)

    @property
    def n_queries(self) -> int:
        """Return the number of queries."""
        return sum(len(each.found.ids) for each in self.batches)

    def report(self, settings: Settings, function: str) -> RankingReport:
        """Report the queries."""
        return report_queries(join_batches(self.batches, function).found, settings)


Terms = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]  # sums of a, b, aa, ab and bb


class Sums(NamedTuple):
    """Counts of the queries of one metric, and sums over them: of a and b as `find_terms` gives them."""

    n_queries: int
    n_defined: int  # that have a value, and a weight above 0
    n_empty: int
    n_0: int  # of the defined
    n_1: int
    a: Fraction
    b: Fraction
    aa: Fraction
    ab: Fraction
    bb: Fraction

    def merge(self, other: Sums) -> Sums:
        """Return the sums of both."""
        pairs: Iterable[Any] = zip(self, other)
        return Sums(*(one + more for one, more in pairs))

    def find_error(self) -> tuple[float, float]:
        """Return the standard error of a / b, and the effective number of queries.

        With R = a / b the sum of (a - R b)**2 is aa - 2 R ab + R**2 bb: in fractions nothing cancels.
        """
        n = self.n_defined
        if n == 0:
            return nan, 0.0
        n_effective = float(self.b**2 / self.bb)
        if n == 1:
            return nan, n_effective
        ratio = self.a / self.b
        squares = (self.aa - 2 * ratio * self.ab + ratio**2 * self.bb) / self.b**2
        return _root(squares * n / (n - 1)), n_effective


def _root(square: Fraction) -> float:
    return sqrt(_as_float(square))


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


class KeptMoments(NamedTuple):
    """Sums over all queries, by metric."""

    sums: Mapping[str, Sums]
    exponent: int | None  # of 2: the highest weight is below it
    otherwise: Mapping[str, float]  # the means of queries none of which counts
    of_ratios: bool  # whether means are ratios of sums

    @classmethod
    def of(cls, batch: Batch, function: str) -> KeptMoments:
        """Sum the queries of a batch up."""
        metrics = batch.found.metrics
        sums = {name: _sum_up(name, each, batch.exponent or 0, function) for name, each in metrics.items()}
        of_ratios = any(each.sums is not None for each in metrics.values())
        otherwise = {name: each.otherwise for name, each in metrics.items()}
        return cls(sums, batch.exponent, otherwise, of_ratios)

    def merge(self, other: KeptMoments, function: str) -> KeptMoments:
        """Return the sums of both."""
        sums = {name: each.merge(other.sums[name]) for name, each in self.sums.items()}
        exponents = [each.exponent for each in (self, other) if each.exponent is not None]
        return self._replace(sums=sums, exponent=max(exponents, default=None))

    @property
    def n_queries(self) -> int:
        """Return the number of queries."""
        return next(iter(self.sums.values())).n_queries

    def report(self, settings: Settings, function: str) -> RankingReport:
        """Report the moments."""
        found = {}
        for name, each in self.sums.items():
            scale = Fraction(2) ** (self.exponent or 0)
            above, below = each.a / scale, each.b / scale
            mean = divide_exact(above, below, self.otherwise[name], f"The mean of {name!r}")
            error, n_effective = each.find_error()
            moments = Moments(mean, error, each.n_queries, each.n_defined, each.n_empty, n_effective)
            found[name] = moments, Spread(each.n_0, each.n_1, not self.of_ratios)
        return report_moments(found, settings)


def _sum_up(name: str, metric: MetricValues, exponent: int, function: str) -> Sums:
    """Sum the queries of one metric up; their weights were divided by a power of 2."""
    a, b = find_terms(metric)
    counted = b > 0
    values = metric.values[counted]
    if not np.isfinite(a).all():
        rule = f"be 'queries' where values of {name!r} are beyond the range of floats"
        fail("keep", function, rule, "'moments'")
    counts = (
        len(b),
        int(np.count_nonzero(counted)),
        int(np.count_nonzero(np.isnan(metric.values) if metric.defined is None else ~metric.defined)),
        int(np.count_nonzero(values == 0)),
        int(np.count_nonzero(values == 1)),
    )
    is_plain = metric.weights is None and metric.sums is None
    return Sums(*counts, *_sum_terms(a, b, is_plain, Fraction(2) ** exponent))


def _sum_terms(a: np.ndarray, b: np.ndarray, is_plain: bool, scale: Fraction) -> Terms:
    """Return the sums of a, b, aa, ab and bb; of plain means b is 1, or 0."""
    sum_a, sum_b, aa = ExactSum(a).fraction(), ExactSum(b).fraction(), _sum_products(a, a)
    ab, bb = (sum_a, sum_b) if is_plain else (_sum_products(a, b), _sum_products(b, b))
    return sum_a * scale, sum_b * scale, aa * scale**2, ab * scale**2, bb * scale**2


def _sum_products(one: np.ndarray, other: np.ndarray) -> Fraction:
    return sum((exact_dot(*pieces) for pieces in _cut(one, other)), Fraction(0))


def _cut(one: np.ndarray, other: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pieces of both, which stay in the cache."""
    for start in range(0, len(one), PIECE):
        yield one[start : start + PIECE], other[start : start + PIECE]


# ---------------------------------------------------------------------------- pairs of systems


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

    def merge(self, other: PairSums) -> PairSums:
        """Return the sums of both."""
        pairs: Iterable[Any] = zip(self, other)
        return PairSums(*(one + more for one, more in pairs))

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
            _as_float(difference),
            _as_float(squares),
            min(_as_float(scale), float_info.max),  # so that inf squares are not taken for none
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
        own = {name: Own(each, find_terms(each), kept[name].sums[metric]) for name, each in found.items()}
        for one, other in couples:
            pairs[one, other][metric] = _sum_pair(own[one], own[other], exponent)
    return pairs


def merge_pairs(one: Pairs, other: Pairs) -> Pairs:
    """Return the sums of both."""
    return {
        couple: {metric: each.merge(other[couple][metric]) for metric, each in sums.items()}
        for couple, sums in one.items()
    }


class Own(NamedTuple):
    """One metric of a system in a batch: its values, what they add to the mean, and sums of this."""

    metric: MetricValues
    terms: Sample
    sums: Sums


def _sum_pair(one: Own, other: Own, exponent: int) -> PairSums:
    """Sum up what two systems have in common; what is known of each alone is not summed again."""
    (a, b), (c, d) = one.terms, other.terms
    first, second = one.metric.values, other.metric.values
    n_left_out = int(np.count_nonzero(np.isnan(first) | np.isnan(second)))
    compared = (b > 0) & (d > 0)
    n = int(np.count_nonzero(compared))
    if n < len(compared):
        a, b, c, first, second = (each[compared] for each in (a, b, c, first, second))
    scale = Fraction(2) ** exponent
    if n == one.sums.n_defined == other.sums.n_defined:
        sums, of_other = one.sums[-5:], other.sums[-5:]
    else:
        is_plain = one.metric.weights is None and one.metric.sums is None
        sums, of_other = _sum_terms(a, b, is_plain, scale), _sum_terms(c, b, is_plain, scale)
    sum_c, _, cc, cb, _ = of_other
    wins = losses = 0
    for pieces in _cut(first, second):
        apart = subtract_equal(*pieces)
        wins += int(np.count_nonzero(apart > 0))
        losses += int(np.count_nonzero(apart < 0))
    return PairSums(n, n_left_out, wins, losses, *sums, sum_c, cc, cb, _sum_products(a, c) * scale**2)
