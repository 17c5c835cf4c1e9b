"""Intervals of a mean over queries, and one formula for plain, weighted, micro and clustered means.

All means are a ratio R = sum(a) / sum(b) over independent units: of queries a = w v and b = w; of a micro
average w times its numerator and denominator; of clusters the sums of these over their queries. Intervals
are from the t distribution, from the studentized bootstrap, or Wilson's.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail, is_real
from .._checks.options import check_choice, check_random, check_resamples
from ..metrics import MetricValues, scale_weights


class Settings(NamedTuple):
    """The options of intervals, as `evaluate` takes them."""

    confidence_level: float = 0.95
    interval: str = "t"
    n_resamples: int = 2000
    random_state: Any = None


class Wanted(NamedTuple):
    """What a report is to hold: metrics, with the options of `ranking_scores`, and how it is made."""

    metrics: Any
    options: Mapping[str, Any]
    settings: Settings
    cluster: Any = None
    n_jobs: int | None = None


def check_level(confidence_level: Any, function: str) -> None:
    """Check a level of confidence, which is a share and no percentage."""
    if not (is_real(confidence_level) and 0 < confidence_level < 1):
        rule = "be a share between 0 and 1, such as 0.95"
        fail("confidence_level", function, rule, repr(confidence_level))


def check_settings(settings: Settings, function: str) -> Settings:
    """Check the options of intervals."""
    check_level(settings.confidence_level, function)
    check_choice("interval", settings.interval, ("t", "bootstrap"), function)
    check_resamples(settings.n_resamples, function)
    if settings.random_state is not None:
        check_random(settings.random_state, function)
    return settings


def draw_random(settings: Settings) -> np.random.RandomState:
    """Return the generator of a report."""
    return check_random(settings.random_state, "RankingReport")


class Sample(NamedTuple):
    """What each unit adds to both sums of a ratio."""

    above: np.ndarray
    below: np.ndarray  # >= 0; units with 0 do not count


class Estimate(NamedTuple):
    """The ratio, and how well it is known."""

    ratio: float
    standard_error: float  # nan with one unit
    residuals: np.ndarray  # (a - R b) / sum(b): what each unit moves the ratio by
    n_units: int
    n_effective: float  # sum(b)**2 / sum(b**2), n_units where all count alike

    @property
    def df(self) -> float:
        """Return the degrees of freedom."""
        return self.n_effective - 1


def find_terms(metric: MetricValues) -> Sample:
    """Return what each query adds to both sums."""
    weights = metric.weights
    if metric.sums is not None:
        above, below = metric.sums
        return Sample(above, below) if weights is None else Sample(above * weights, below * weights)
    counted = ~np.isnan(metric.values)
    below = counted.astype(np.float64) if weights is None else np.where(counted, weights, 0.0)
    return Sample(np.where(counted, metric.values, 0.0) * below, below)


def sum_clusters(sample: Sample, clusters: np.ndarray | None) -> Sample:
    """Return the sums over clusters, which are the units then."""
    if clusters is None:
        return sample
    return Sample(*(np.bincount(clusters, terms) for terms in sample))


def estimate(sample: Sample) -> Estimate:
    """Return a ratio with se**2 = n / (n - 1) sum(e**2), e = (a - R b) / sum(b)."""
    above, below = sample
    total, n = below.sum(), int(np.count_nonzero(below))
    if n == 0:
        return Estimate(np.nan, np.nan, np.zeros(len(below)), 0, 0.0)
    ratio = above.sum() / total
    residuals = (above - ratio * below) / total
    with np.errstate(over="ignore"):  # inf: squares of values that are this large tell nothing
        error = float(np.sqrt(n / (n - 1) * (residuals @ residuals))) if n > 1 else np.nan
    scaled = scale_weights(below)  # squares of tiny weights are 0
    return Estimate(float(ratio), error, residuals, n, float(scaled.sum() ** 2 / (scaled @ scaled)))


PIECE = 2**22  # numbers drawn at once
ROUNDING = 1e-12  # squares that are 0 on paper are below it, others above

Interval = tuple[float, float]


def t_quantile(confidence_level: float, df: float) -> float:
    """Return between what and its negative the t distribution is with this probability.

    scipy is imported here: the means of a report, which many ask for alone, do without it.
    """
    from scipy.special import stdtrit

    below = (1 + confidence_level) / 2
    return float(stdtrit(df, below)) if below < 1 else np.inf  # which scipy before 1.17 does not say


def t_interval(found: Estimate, confidence_level: float) -> Interval:
    """Return mean +- t * se, with as many degrees of freedom as units count, less one."""
    if not found.df > 0:
        return np.nan, np.nan
    half = t_quantile(confidence_level, found.df) * found.standard_error
    return found.ratio - half, found.ratio + half


def wilson_interval(found: Estimate, confidence_level: float) -> Interval:
    """Return Wilson's interval of a share of 0/1 values (Wilson, JASA 1927).

    With weights or clusters the number of units is what gives the same standard error (Korn and Graubard,
    Survey Methodology 1998).
    """
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


def bootstrap_interval(
    sample: Sample, found: Estimate, settings: Settings, random: np.random.RandomState
) -> Interval:
    """Return the studentized bootstrap's interval over units (Davison and Hinkley 1997, section 5.2.1)."""
    if found.n_units < 2:
        return np.nan, np.nan
    drawn = draw_studentized(sample, found, settings.n_resamples, random)
    level = settings.confidence_level
    with np.errstate(invalid="ignore"):  # numpy's quantile between an infinite draw and another is nan
        low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), method="weibull")
    low, high = -np.inf if np.isnan(low) else low, np.inf if np.isnan(high) else high
    error = found.standard_error
    return (found.ratio - high * error, found.ratio - low * error) if error else (found.ratio, found.ratio)


def draw_studentized(
    sample: Sample, found: Estimate, n_resamples: int, random: np.random.RandomState
) -> np.ndarray:
    """Return (R* - R) / se* of samples drawn anew from the units, with replacement.

    With r = a - R b of each unit, R* - R = sum(c r) / sum(c b) for the counts c of a resample, and the sum of
    the squared residuals is a quadratic form in the sums of c r**2, c r b and c b**2.
    """
    counted = sample.below > 0
    r, b = found.residuals[counted], sample.below[counted] / sample.below.sum()
    moments = np.column_stack((r, b, r * r, r * b, b * b))
    n, drawn = len(r), []
    step = max(1, PIECE // n)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        units = random.randint(n, size=(size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(units.ravel(), minlength=size * n).reshape(size, n)
        shift, total, rr, rb, bb = (counts @ moments).T
        shift = shift / total
        scale = rr + shift**2 * bb
        squares = scale - 2 * shift * rb
        squares[squares <= ROUNDING * scale] = 0.0  # one value throughout
        drawn.append(divide(shift, np.sqrt(n / (n - 1) * squares) / total))
    return np.concatenate(drawn)


def divide(shift: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return shift / error; without an error infinite, or 0 where there is no shift either."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = shift / error
    return np.where(shift == 0, 0.0, ratio)


def clip(interval: Interval, lower: float, upper: float) -> Interval:
    """Return an interval inside what values there can be."""
    low, high = (float(np.clip(end, lower, upper)) for end in interval)
    return low, high
