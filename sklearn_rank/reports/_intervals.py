"""Intervals of a mean over queries: by the t distribution, by the studentized bootstrap, and Wilson's."""

import numpy as np

from ._sample import Estimate, Sample
from ._settings import Settings

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
