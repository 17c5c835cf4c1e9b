"""Means over queries with their intervals, by one formula for plain, weighted, micro and clustered means.

All means are a ratio R = sum(a) / sum(b) over independent units. For queries a = w v and b = w; for a micro
average, w times its numerator and denominator; for clusters, the sums of these over their queries. Intervals
are from the t distribution, from the studentized bootstrap, or Wilson's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail, is_real
from .._checks.options import check_choice, check_random, check_resamples
from .._checks.types import Arguments, RandomState
from ..metrics import MetricValues, scale_weights
from ._equal import ROUNDING, subtract_equal
from ._traits import Traits, find_traits


class Settings(NamedTuple):
    """The options of intervals, as `evaluate` takes them."""

    confidence_level: float = 0.95
    interval: str = "t"
    n_resamples: int = 2000
    random_state: RandomState = 0


class Wanted(NamedTuple):
    """The metrics of a report, the options of `ranking_scores`, and how the report is made."""

    metrics: Any
    options: Arguments
    settings: Settings
    cluster: Any = None
    n_jobs: int | None = None


def check_level(confidence_level: object) -> float:
    """Return a confidence level, which is a fraction, not a percentage."""
    if not (is_real(confidence_level) and 0 < confidence_level < 1 and float(confidence_level) < 1):
        fail("confidence_level", "be between 0 and 1, such as 0.95", repr(confidence_level))
    return float(confidence_level)


def check_settings(settings: Settings) -> Settings:
    level = check_level(settings.confidence_level)
    check_choice("interval", settings.interval, ("t", "bootstrap"))
    check_resamples(settings.n_resamples)
    check_random(settings.random_state)
    return settings._replace(confidence_level=level, n_resamples=int(settings.n_resamples))


class RatioTerms(NamedTuple):
    """The contribution of each unit to both sums of a ratio."""

    above: np.ndarray
    below: np.ndarray  # >= 0; units with 0 do not count


class RatioEstimate(NamedTuple):
    """A ratio and its uncertainty."""

    ratio: float
    standard_error: float  # nan with one unit
    residuals: np.ndarray  # (a - R b) / sum(b): how much each unit changes the ratio
    n_units: int
    n_effective: float  # sum(b)**2 / sum(b**2): degrees of freedom + 1; n_units if all b are equal


def find_terms(metric: MetricValues) -> RatioTerms:
    weights = metric.weights
    if metric.sums is not None:
        above, below = metric.sums
        return RatioTerms(above, below) if weights is None else RatioTerms(above * weights, below * weights)
    counted = ~np.isnan(metric.values)
    below = counted.astype(np.float64) if weights is None else np.where(counted, weights, 0.0)
    return RatioTerms(np.where(counted, metric.values, 0.0) * below, below)


def sum_clusters(sample: RatioTerms, clusters: np.ndarray | None) -> RatioTerms:
    """Return the sums over clusters, if any, which are then the units."""
    return sample if clusters is None else RatioTerms(*(np.bincount(clusters, each) for each in sample))


def estimate(sample: RatioTerms) -> RatioEstimate:
    """Return a ratio with se**2 = n / (n - 1) sum(e**2), e = (a - R b) / sum(b)."""
    above, below = sample
    total, n = below.sum(), int(np.count_nonzero(below))
    if n == 0:
        return RatioEstimate(np.nan, np.nan, np.zeros(len(below)), 0, 0.0)
    ratio = above.sum() / total
    residuals = (above - ratio * below) / total
    with np.errstate(over="ignore"):  # inf: the squares of such large values are useless
        error = float(np.sqrt(n / (n - 1) * (residuals @ residuals))) if n > 1 else np.nan
    scaled = scale_weights(below)  # otherwise squares of tiny weights are 0
    return RatioEstimate(float(ratio), error, residuals, n, float(scaled.sum() ** 2 / (scaled @ scaled)))


PIECE, STRIP = 2**22, 2**16  # counts that are multiplied at once, and indices drawn at once

Interval = tuple[float, float]


def t_quantile(confidence_level: float, df: float) -> float:
    """Return the t quantile of an interval. scipy is imported here, because means do not need it."""
    from scipy.special import stdtrit

    below = (1 + float(confidence_level)) / 2
    return float(stdtrit(df, below)) if below < 1 else np.inf  # scipy before 1.17 does not return inf


def t_interval(found: RatioEstimate, confidence_level: float) -> Interval:
    """Return mean +- t * se, with n_effective - 1 degrees of freedom."""
    half = t_quantile(confidence_level, found.n_effective - 1) * found.standard_error
    return found.ratio - half, found.ratio + half


def wilson_interval(found: RatioEstimate, confidence_level: float) -> Interval:
    """Return Wilson's interval of a share, with n that matches the error (Korn and Graubard 1998)."""
    from scipy.special import ndtri

    p, n = found.ratio, found.n_effective
    if not n > 1:
        return np.nan, np.nan
    if 0 < p < 1 and found.standard_error > 0:
        n = p * (1 - p) / found.standard_error**2 * found.n_units / (found.n_units - 1)
    z = ndtri((1 + confidence_level) / 2)
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return float(middle - half), float(middle + half)


def bootstrap_intervals(
    samples: Sequence[tuple[RatioTerms, RatioEstimate]], settings: Settings
) -> list[Interval]:
    """Return studentized bootstrap intervals over units (Davison and Hinkley 1997, section 5.2.1).

    Metrics with a value for the same number of units share their resamples.
    """
    intervals = [(np.nan, np.nan)] * len(samples)
    sizes = [found.n_units for _, found in samples]
    for size in sorted({size for size in sizes if size > 1}):
        places = [place for place, each in enumerate(sizes) if each == size]
        random = check_random(settings.random_state)
        some = [samples[place] for place in places]
        for place, drawn in zip(places, draw_studentized(some, settings.n_resamples, random)):
            intervals[place] = _find_ends(drawn, samples[place][1], settings.confidence_level)
    return intervals


def _find_ends(drawn: np.ndarray, found: RatioEstimate, level: float) -> Interval:
    """Return the interval from draws of (R* - R) / se*."""
    with np.errstate(invalid="ignore"):  # numpy's quantile between an infinite draw and another is nan
        low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), method="weibull")
    low, high = -np.inf if np.isnan(low) else low, np.inf if np.isnan(high) else high
    error = found.standard_error
    return (found.ratio - high * error, found.ratio - low * error) if error else (found.ratio, found.ratio)


def draw_counts(
    n_units: int, n_resamples: int, width: int, random: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield counts of each unit as floats, a row per resample; arrays of this `width` have about PIECE cells.

    Indices are scaled uniform numbers, because `randint` takes more than twice as long. The probabilities of
    units differ by at most n_units / 2**53 of their value.
    """
    step, strip = max(1, PIECE // width), max(1, STRIP // n_units)
    for start in range(0, n_resamples, step):
        counts = np.empty((min(step, n_resamples - start), n_units))
        for first in range(0, len(counts), strip):
            some = counts[first : first + strip]
            drawn = (n_units * random.random_sample(some.shape)).astype(np.intp)
            drawn += n_units * np.arange(len(some))[:, np.newaxis]
            some[:] = np.bincount(drawn.ravel(), minlength=some.size).reshape(some.shape)
        yield counts


def draw_studentized(
    samples: Sequence[tuple[RatioTerms, RatioEstimate]], n_resamples: int, random: np.random.RandomState
) -> list[np.ndarray]:
    """Return (R* - R) / se* for resamples of the units, which all samples share.

    With r = a - R b of each unit, R* - R = sum(c r) / sum(c b) for the counts c of a resample, and the sum of
    the squared residuals is a quadratic form in the sums of c r**2, c r b and c b**2.
    """
    columns = []
    for sample, found in samples:
        counted = sample.below > 0
        r, b = found.residuals[counted], sample.below[counted] / sample.below.sum()
        columns += [r, b, r * r, r * b, b * b]
    n, moments = len(columns[0]), np.column_stack(columns)
    pieces: list[list[np.ndarray]] = [[] for _ in samples]
    for counts in draw_counts(n, n_resamples, n, random):
        sums = counts @ moments
        for place, drawn in enumerate(pieces):
            drawn.append(_divide_by_error(sums[:, 5 * place : 5 * place + 5], n))
    return [np.concatenate(drawn) for drawn in pieces]


def _divide_by_error(sums: np.ndarray, n: int) -> np.ndarray:
    """Return the shift of each resample divided by its error, from the sums of r, b, r**2, r b and b**2."""
    shift, total, rr, rb, bb = sums.T
    shift = shift / total
    scale = rr + shift**2 * bb
    squares = scale - 2 * shift * rb
    squares[squares <= ROUNDING * scale] = 0.0  # all values are equal
    with np.errstate(divide="ignore", invalid="ignore"):  # infinite without an error
        ratio = shift / (np.sqrt(n / (n - 1) * squares) / total)
    return np.where(shift == 0, 0.0, ratio)


def clip(interval: Interval, lower: float, upper: float) -> Interval:
    """Clip an interval to the range of possible values."""
    low, high = (float(np.clip(end, lower, upper)) for end in interval)
    return low, high


FEW_UNITS, FEW_VALUES = 20, 5  # below these, intervals might be too narrow
NONE = np.empty(0)  # instead of residuals, which these intervals do not use


class Moments(NamedTuple):
    """Mean of a metric over queries and its standard error, without the value of each query."""

    mean: float
    standard_error: float
    n_queries: int
    n_defined: int  # queries with a value and a positive weight, over which the mean is
    n_empty: int  # queries without a relevant document
    n_effective: float  # of queries or clusters: degrees of freedom + 1


class Summary(NamedTuple):
    """The summary of one metric in a report."""

    moments: Moments
    traits: Traits
    ends: Interval | Callable[[], Interval]  # a function if computing them needs scipy
    small_sample: bool  # whether there are few units, or few values other than 0 or other than 1
    is_share: bool = False  # whether the mean is a share, because all values are 0 or 1

    @property
    def interval(self) -> Interval:
        """Return the interval, clipped to the range of the metric."""
        return clip(self.ends() if callable(self.ends) else self.ends, self.traits.lower, self.traits.upper)


def summarize(
    metrics: Mapping[str, MetricValues], clusters: np.ndarray | None, settings: Settings
) -> dict[str, Summary]:
    """Summarize metrics by the values of the same queries."""
    summaries, drawn = {}, {}
    for name, metric in metrics.items():
        sample = sum_clusters(find_terms(metric), clusters)
        found, mean = estimate(sample), metric.mean(f"The mean of {name!r}")
        summaries[name] = summarize_values(name, metric, mean, found, settings, metric.sums is None)
        if settings.interval == "bootstrap" and not summaries[name].is_share:
            drawn[name] = sample, found
    for name, ends in zip(drawn, bootstrap_intervals(list(drawn.values()), settings)):
        summaries[name] = summaries[name]._replace(ends=ends)
    return summaries


def jackknife_values(whole: float, without: np.ndarray, clusters: np.ndarray | None = None) -> np.ndarray:
    """Return values of queries whose mean is `whole` and whose standard error is that of the jackknife.

    `without` contains the value of all queries without each query, or without each cluster.
    """
    codes = np.arange(len(without)) if clusters is None else clusters
    shares = (without.mean() - without) / np.bincount(codes)  # of a query, in the influence of its cluster
    return whole + len(codes) * (len(without) - 1) / len(without) * shares[codes]


def count_ones(values: np.ndarray) -> int:
    """Count the values that are 1 up to rounding."""
    return len(values) - int(np.count_nonzero(subtract_equal(values, 1.0)))


class BinaryCounts(NamedTuple):
    """The numbers of values that are 0 and 1, among those that count."""

    n_0: int
    n_1: int
    of_queries: bool  # not for a ratio of sums


def summarize_values(
    name: str, metric: MetricValues, mean: float, found: RatioEstimate, settings: Settings, of_queries: bool
) -> Summary:
    """Summarize a metric with this mean, and the error and effective number of an estimate."""
    counted = find_terms(metric).below > 0
    is_empty = np.isnan(metric.values) if metric.defined is None else ~metric.defined
    counts = len(counted), int(np.count_nonzero(counted)), int(np.count_nonzero(is_empty))
    values = metric.values[counted]
    binary = BinaryCounts(int(np.count_nonzero(values == 0)), count_ones(values), of_queries)
    moments = Moments(mean, found.standard_error, *counts, found.n_effective)
    return summarize_moments(name, settings, moments, binary, metric.options, found)


def summarize_moments(
    name: str,
    settings: Settings,
    moments: Moments,
    binary: BinaryCounts,
    options: Sequence[str] = (),
    found: RatioEstimate | None = None,
) -> Summary:
    """Summarize moments of a metric by Wilson's interval or that of the t distribution."""
    mean, error, _, n, _, n_effective = moments
    found = (found or RatioEstimate(mean, error, NONE, n, n_effective))._replace(residuals=NONE)
    traits = find_traits(name, options)
    is_share = traits.of_0_and_1 and binary.of_queries and binary.n_0 + binary.n_1 == n
    few_values = n - max(binary.n_0, binary.n_1) < FEW_VALUES
    ends = partial(wilson_interval if is_share else t_interval, found, settings.confidence_level)
    return Summary(moments, traits, ends, found.n_units < FEW_UNITS or few_values, is_share)


def welch(variances: Sequence[float], dfs: Sequence[float]) -> tuple[float, float]:
    """Return the standard error of a difference of two means, and its degrees of freedom (Welch 1947)."""
    squares = np.array(variances)
    with np.errstate(divide="ignore", invalid="ignore"):  # nan without an error
        df = squares.sum() ** 2 / (squares**2 / dfs).sum()
    return float(np.sqrt(squares.sum())), float(df)


def estimate_contrast(
    terms: RatioTerms, clusters: np.ndarray | None, inside: np.ndarray
) -> tuple[float, float, float]:
    """Return the mean of some queries minus that of the others, its error and its degrees of freedom."""
    parts = [estimate(RatioTerms(*(each * side for each in terms))) for side in (inside, ~inside)]
    value = parts[0].ratio - parts[1].ratio
    if clusters is None:
        found = zip(*((each.standard_error**2, each.n_effective - 1) for each in parts))
        return value, *welch(*found)
    both = np.bincount(clusters, parts[0].residuals - parts[1].residuals)  # a cluster can be in both parts
    weights = (np.bincount(clusters, terms.below * side) for side in (1, inside, ~inside))
    n, *of_parts = (int(np.count_nonzero(each)) for each in weights)
    error = float(np.sqrt(n / (n - 1) * (both @ both))) if min(of_parts) > 1 else np.nan
    return value, error, n - 1
