"""The kept data of scored queries: all values, or only sums, also for each two systems."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import nan, sqrt
from sys import float_info
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._checks.arrays import to_float
from .._checks.errors import fail
from .._checks.types import Function
from ..metrics import ExactSum, MetricValues, divide_exact, exact_dot
from ..reports import (
    BinaryCounts,
    Moments,
    PairedMoments,
    RankingReport,
    Settings,
    count_ones,
    find_terms,
    find_traits,
    report_moments,
    report_queries,
    subtract_equal,
)
from ._parts import Batch, check_apart, join_batches

PIECE = 2**13  # queries to multiply at once


class KeptValues(NamedTuple):
    """The values of all queries, in batches."""

    batches: tuple[Batch, ...] = ()

    @classmethod
    def of(cls, batch: Batch) -> KeptValues:
        """Keep the queries of a batch."""
        return cls((batch._replace(counts={}, found=batch.found._replace(lists=None)),))

    def merge(self, other: KeptValues) -> KeptValues:
        """Return the queries of both; join a batch with the one before it unless that is twice as large."""
        batches = list(self.batches)
        for added in other.batches:
            for batch in batches:
                check_apart(batch.found.ids, added.found.ids)
            batches.append(added)
            while len(batches) > 1 and len(batches[-2].found.ids) < 2 * len(batches[-1].found.ids):
                batches[-2:] = [join_batches(batches[-2:])]
        return KeptValues(tuple(batches))

    @property
    def n_queries(self) -> int:
        return sum(len(each.found.ids) for each in self.batches)

    def report(self, settings: Settings) -> RankingReport:
        return report_queries(join_batches(self.batches).found, settings)


Terms = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]  # sums of a, b, aa, ab and bb


AnySums = TypeVar("AnySums", bound=tuple[Any, ...])


def add_sums(one: AnySums, other: AnySums) -> AnySums:
    """Add sums, field by field."""
    return type(one)(*(first + second for first, second in zip(one, other)))


def merge_named(one: Mapping[Any, Any], other: Mapping[Any, Any], merge: Function) -> Any:
    """Merge two mappings by name; if one is empty, return the other."""
    if not one or not other:
        return one or other
    return {name: merge(each, other[name]) for name, each in one.items()}


class MetricSums(NamedTuple):
    """Counts of the queries of one metric, and sums of a and b of `find_terms`."""

    n_queries: int
    n_defined: int  # with a value, and a weight above 0
    n_empty: int
    n_0: int  # among the defined
    n_1: int
    a: Fraction
    b: Fraction
    aa: Fraction
    ab: Fraction
    bb: Fraction

    def find_error(self) -> tuple[float, float]:
        """Return the standard error of a / b, and the effective number of queries.

        With R = a / b the sum of (a - R b)**2 is aa - 2 R ab + R**2 bb; fractions avoid cancellation.
        """
        n = self.n_defined
        if n == 0:
            return nan, 0.0
        n_effective = float(self.b**2 / self.bb)
        if n == 1:
            return nan, n_effective
        ratio = self.a / self.b
        squares = (self.aa - 2 * ratio * self.ab + ratio**2 * self.bb) / self.b**2
        return sqrt(to_float(squares * n / (n - 1))), n_effective


class KeptMoments(NamedTuple):
    """Sums over all queries, by metric."""

    sums: Mapping[str, MetricSums]
    otherwise: Mapping[str, float]  # the means if no query counts
    of_ratios: bool  # whether means are ratios of sums
    options: Mapping[str, tuple[str, ...]] = {}  # by metric, which determine the range and direction

    @classmethod
    def of(cls, batch: Batch) -> KeptMoments:
        """Sum up the queries of a batch."""
        metrics = batch.found.metrics
        sums = {name: _sum_up(name, each) for name, each in metrics.items()}
        of_ratios = any(each.sums is not None for each in metrics.values())
        otherwise = {name: each.otherwise for name, each in metrics.items()}
        options = {name: each.options for name, each in metrics.items()}
        return cls(sums, otherwise, of_ratios, options)

    def merge(self, other: KeptMoments) -> KeptMoments:
        """Return the sums of both."""
        return self._replace(sums=merge_named(self.sums, other.sums, add_sums))

    @property
    def n_queries(self) -> int:
        return next(iter(self.sums.values())).n_queries

    def report(self, settings: Settings) -> RankingReport:
        found = {}
        for name, each in self.sums.items():
            mean = divide_exact(each.a, each.b, self.otherwise[name], f"The mean of {name!r}")
            error, n_effective = each.find_error()
            moments = Moments(mean, error, each.n_queries, each.n_defined, each.n_empty, n_effective)
            found[name] = moments, BinaryCounts(each.n_0, each.n_1, not self.of_ratios), self.options[name]
        return report_moments(found, settings)


def _sum_up(name: str, metric: MetricValues) -> MetricSums:
    """Sum up the queries of one metric."""
    a, b = find_terms(metric)
    counted = b > 0
    values = metric.values[counted]
    if not np.isfinite(a).all():
        fail("keep_queries", f"be True if values of {name!r} are beyond the range of floats", False)
    is_empty = np.isnan(metric.values) if metric.defined is None else ~metric.defined
    n_defined, n_empty, n_0 = (int(np.count_nonzero(each)) for each in (counted, is_empty, values == 0))
    terms = sum_terms(a, b, metric.weights is None and metric.sums is None)
    return MetricSums(len(b), n_defined, n_empty, n_0, count_ones(values), *terms)


def sum_terms(a: np.ndarray, b: np.ndarray, is_plain: bool) -> Terms:
    """Return the sums of a, b, aa, ab and bb; for plain means, b is 1 or 0."""
    sum_a, sum_b, aa = ExactSum(a).fraction(), ExactSum(b).fraction(), _sum_products(a, a)
    ab, bb = (sum_a, sum_b) if is_plain else (_sum_products(a, b), _sum_products(b, b))
    return sum_a, sum_b, aa, ab, bb


def _sum_products(one: np.ndarray, other: np.ndarray) -> Fraction:
    pieces = (slice(start, start + PIECE) for start in range(0, len(one), PIECE))  # they fit in the cache
    return sum((exact_dot(one[each], other[each]) for each in pieces), Fraction(0))


class PairSums(NamedTuple):
    """Counts of the queries of one metric of two systems, and sums over the compared queries.

    The systems contribute a / b and c / b to their means. Weights and the denominators of micro averages
    depend on labels, not on scores, so both systems have the same b.
    """

    n: int  # compared queries: both have a value, and the weight is above 0
    n_left_out: int  # queries in which one has no value
    wins: int  # queries in which the first has the higher value
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

    def find_moments(self) -> PairedMoments:
        """Return the moments for a comparison.

        With D = (a - c) / b the sum of (a - c - D b)**2 is gg - 2 D gb + D**2 bb, of g = a - c.
        """
        if self.n == 0:
            return PairedMoments(nan, nan, 0, 0.0, self.n_left_out, 0, 0, 0.0, 0.0, 0.0)
        mean, other_mean = (divide_exact(each, self.b, nan, "") for each in (self.a, self.c))
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
            to_float(difference),
            to_float(squares),
            min(to_float(scale), float_info.max),  # so that inf squares are not read as no difference
        )


Pairs = Mapping[tuple[str, str], Mapping[str, PairSums]]  # by both systems, and by metric


def sum_pairs(batches: Mapping[Any, Batch], kept: Mapping[Any, KeptMoments]) -> Pairs:
    """Sum up the common queries of each two systems; `kept` has the same queries."""
    if len(batches) == 1:
        return {}
    couples = list(combinations(sorted(batches), 2))
    pairs: dict[tuple[str, str], dict[str, PairSums]] = {couple: {} for couple in couples}
    for metric in next(iter(kept.values())).sums:
        found = {name: each.found.metrics[metric] for name, each in batches.items()}
        for one, other in couples:
            sums = kept[one].sums[metric], kept[other].sums[metric]
            values = found[one], found[other]
            scale = find_traits(metric, values[0].options).scale
            pairs[one, other][metric] = _sum_pair(*values, *sums, scale)
    return pairs


def _sum_pair(
    one: MetricValues,
    other: MetricValues,
    sums: MetricSums,
    sums_of_other: MetricSums,
    largest: float,
) -> PairSums:
    """Sum up the queries that two systems have in common, reusing the sums of each system.

    `largest` is the largest value that the metric can have if it can have values of both signs, else 0.
    """
    (a, b), (c, d) = find_terms(one), find_terms(other)
    compared = (b > 0) & (d > 0)
    a, b, c, of_one, of_other = (each[compared] for each in (a, b, c, one.values, other.values))
    apart = subtract_equal(of_one, of_other, largest)
    wins, losses = int(np.count_nonzero(apart > 0)), int(np.count_nonzero(apart < 0))
    n, n_left_out = len(a), int(np.count_nonzero(np.isnan(one.values) | np.isnan(other.values)))
    if n == sums.n_defined == sums_of_other.n_defined:
        terms, terms_of_other = sums[-5:], sums_of_other[-5:]
    else:
        is_plain = one.weights is None and one.sums is None
        terms, terms_of_other = (sum_terms(each, b, is_plain) for each in (a, c))
    sum_c, _, cc, cb, _ = terms_of_other
    return PairSums(n, n_left_out, wins, losses, *terms, sum_c, cc, cb, _sum_products(a, c))
