"""From the values of queries to a mean, its standard error and its interval."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..metrics import MetricValues, find_beside_metric, is_metric_name, parse_name
from ._equal import subtract_equal
from ._intervals import (
    Estimate,
    Interval,
    Settings,
    bootstrap_interval,
    clip,
    draw_random,
    estimate,
    find_terms,
    sum_clusters,
    t_interval,
    wilson_interval,
)


class PairedMoments(NamedTuple):
    """What is known of one metric of two systems, over the queries that have a value in both."""

    mean: float
    other_mean: float
    n: int  # of those, with a weight above 0
    n_effective: float
    n_left_out: int  # queries without a value in one of the two
    wins: int  # queries whose value is higher, and lower
    losses: int
    difference: float
    squares: float  # the sum of the squares of what queries add to the difference, centred
    scale: float  # likewise of what they add to both means; 0 where no query differs

    def turn(self) -> PairedMoments:
        """Return those of the second system less the first."""
        return self._replace(
            mean=self.other_mean,
            other_mean=self.mean,
            difference=0.0 - self.difference,
            wins=self.losses,
            losses=self.wins,
        )


PairsByName = Mapping[tuple[str, str], Mapping[str, PairedMoments]]  # by both systems, and by metric


class OfSystem(NamedTuple):
    """Which system a report is of, and what is known of all pairs of systems."""

    system: str
    pairs: PairsByName

    def is_together(self, other: OfSystem) -> bool:
        """Tell whether both were made together; by what they say, as pickles are other objects."""
        return self.pairs is other.pairs or repr(self.pairs) == repr(other.pairs)

    def find(self, other: OfSystem, metric: str) -> PairedMoments:
        """Return what is known of this system less the other."""
        if (self.system, other.system) in self.pairs:
            return self.pairs[self.system, other.system][metric]
        return self.pairs[other.system, self.system][metric].turn()


SIGNED = "signed=True"  # as values have it among their options
FEW_UNITS, FEW_VALUES = 20, 5  # below which no interval keeps its word


class Moments(NamedTuple):
    """What is known of a mean over queries without the value of each.

    Parameters
    ----------
    mean, standard_error : float
        Over the queries that have a value.
    n_queries : int
        All of them.
    n_defined : int
        Those that have a value, and a weight above 0: the mean is over these.
    n_empty : int
        Those with nothing to find. They have the value `zero_division`, or none.
    n_effective : float
        How many queries, or clusters, of equal weight know as much, ``sum(w)**2 / sum(w**2)``: one less are
        the degrees of freedom.
    """

    mean: float
    standard_error: float
    n_queries: int
    n_defined: int
    n_empty: int
    n_effective: float


class Traits(NamedTuple):
    """What the name of a metric says of its values."""

    lower: float = -np.inf
    upper: float = np.inf
    greater_is_better: bool = True
    of_0_and_1: bool = False  # but for ties

    @property
    def scale(self) -> float:
        """Return the largest absolute value if values are of both signs and have bounds, else 0."""
        is_bounded = -np.inf < self.lower < 0 < self.upper < np.inf
        return max(-self.lower, self.upper) if is_bounded else 0.0


def find_traits(name: str, options: Sequence[str] = ()) -> Traits:
    """Find the range of a metric's values; a name that is none of ours may have any values.

    Of labels of any sign so may others: the name says so, or the `options` by which values were computed.
    """
    is_plain = is_metric_name(name)
    metric, said = parse_name(name, "RankingReport") if is_plain else (find_beside_metric(name), {})
    if metric is None:
        return Traits()
    if said.get("signed") or SIGNED in options:
        return Traits(greater_is_better=metric.greater_is_better or name.startswith("neg_"))
    written = re.search(r"normalize\s*=\s*['\"]?(\w+)", name)
    divided_by = written[1] if written else str(metric.defaults.get("normalize"))
    upper = np.inf if divided_by in map(str, metric.exceeds) else metric.upper
    if name.startswith("neg_"):
        return Traits(-upper, -metric.lower)
    return Traits(metric.lower, upper, metric.greater_is_better, of_0_and_1=metric.stem == "hit_rate")


class Summary(NamedTuple):
    """What a report says of one metric."""

    moments: Moments
    traits: Traits
    ends: Interval | Callable[[], Interval]  # what gives them needs scipy, which means do without
    of_few: bool  # units, or values other than 0, or other than 1

    @property
    def interval(self) -> Interval:
        """Return the interval, inside the range of the metric."""
        ends = self.ends() if callable(self.ends) else self.ends
        return clip(ends, self.traits.lower, self.traits.upper)


def summarize(name: str, metric: MetricValues, clusters: np.ndarray | None, settings: Settings) -> Summary:
    """Summarize the values of one metric."""
    terms = find_terms(metric)
    sample = sum_clusters(terms, clusters)
    found = estimate(sample)
    counted = terms.below > 0
    n_empty = np.isnan(metric.values) if metric.defined is None else ~metric.defined
    moments = Moments(
        metric.mean(f"The mean of {name!r}"),
        found.standard_error,
        len(metric.values),
        int(np.count_nonzero(counted)),
        int(np.count_nonzero(n_empty)),
        found.n_effective,
    )
    traits, values = find_traits(name, metric.options), metric.values[counted]
    n, n_0, n_1 = len(values), len(values) - int(np.count_nonzero(values)), count_ones(values)
    is_share = traits.of_0_and_1 and metric.sums is None and n_0 + n_1 == n
    ends: Interval | Callable[[], Interval]
    if settings.interval == "bootstrap" and not is_share:
        ends = bootstrap_interval(sample, found, settings, draw_random(settings))
    else:
        known = found._replace(residuals=np.empty(0))  # which are as many as units
        ends = partial(wilson_interval if is_share else t_interval, known, settings.confidence_level)
    of_few = found.n_units < FEW_UNITS or n - max(n_0, n_1) < FEW_VALUES
    return Summary(moments, traits, ends, of_few)


def count_ones(values: np.ndarray) -> int:
    """Count the values that are 1 up to rounding."""
    return len(values) - int(np.count_nonzero(subtract_equal(values, 1.0)))


class Spread(NamedTuple):
    """How many of the values that count are 0, and 1, where that is known."""

    n_0: int
    n_1: int
    of_queries: bool  # and no ratio of sums


def summarize_moments(
    name: str, moments: Moments, settings: Settings, spread: Spread | None = None
) -> Summary:
    """Summarize moments alone."""
    found = Estimate(
        moments.mean, moments.standard_error, np.empty(0), moments.n_defined, moments.n_effective
    )
    traits, n = find_traits(name), moments.n_defined
    is_share = traits.of_0_and_1 and spread is not None and spread.of_queries and spread.n_0 + spread.n_1 == n
    few_values = spread is not None and min(n - spread.n_0, n - spread.n_1) < FEW_VALUES
    ends = partial(wilson_interval if is_share else t_interval, found, settings.confidence_level)
    return Summary(moments, traits, ends, n < FEW_UNITS or few_values)
