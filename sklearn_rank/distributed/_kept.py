"""What is kept of scored queries: the value of each, or sums alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, nan, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._checks.errors import fail
from ..metrics import ExactSum, MetricValues, divide_exact, exact_dot
from ..reports import (
    Moments,
    RankingReport,
    Settings,
    Spread,
    count_ones,
    find_terms,
    report_moments,
    report_queries,
)
from ._batches import Batch, join_batches

PIECE = 2**13  # queries whose products are taken at once


class KeptQueries(NamedTuple):
    """The values of all queries, in batches."""

    batches: tuple[Batch, ...] = ()

    @classmethod
    def of(cls, batch: Batch, function: str) -> KeptQueries:
        """Keep the queries of a batch."""
        return cls((batch._replace(counts={}),))

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


AnySums = TypeVar("AnySums", bound=tuple[Any, ...])


def add_sums(one: AnySums, other: AnySums) -> AnySums:
    """Return the sums of both, field by field."""
    return type(one)(*(first + second for first, second in zip(one, other)))


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
    return sqrt(as_float(square))


def as_float(number: Fraction) -> float:
    """Return a float, which is infinite where the number is beyond the range of floats."""
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
        sums = {name: add_sums(each, other.sums[name]) for name, each in self.sums.items()}
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
        count_ones(values),
    )
    is_plain = metric.weights is None and metric.sums is None
    return Sums(*counts, *sum_terms(a, b, is_plain, Fraction(2) ** exponent))


def sum_terms(a: np.ndarray, b: np.ndarray, is_plain: bool, scale: Fraction) -> Terms:
    """Return the sums of a, b, aa, ab and bb; of plain means b is 1, or 0."""
    sum_a, sum_b, aa = ExactSum(a).fraction(), ExactSum(b).fraction(), _sum_products(a, a)
    ab, bb = (sum_a, sum_b) if is_plain else (_sum_products(a, b), _sum_products(b, b))
    return sum_a * scale, sum_b * scale, aa * scale**2, ab * scale**2, bb * scale**2


def _sum_products(one: np.ndarray, other: np.ndarray) -> Fraction:
    return sum((exact_dot(one[each], other[each]) for each in cut(len(one))), Fraction(0))


def cut(n: int) -> list[slice]:
    """Cut arrays into pieces, which stay in the cache."""
    return [slice(start, start + PIECE) for start in range(0, n, PIECE)]
