"""Comparisons of systems on different queries, such as those of users in the groups of an A/B test."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from ._equal import ROUNDING
from ._intervals import RatioEstimate, RatioTerms, estimate, welch
from ._paired_tests import PairedT


class Arm(NamedTuple):
    """The mean of a system over its own units, which are queries or clusters of them."""

    mean: float  # with a covariate, at the mean of the covariate over the units of all systems
    variance: float  # of the mean; 0 if all values are equal
    df: float
    slope: float  # of the values on the covariate
    deviation: float  # standard deviation of the units' values, before the adjustment
    n_units: int


def make_arm(units: RatioTerms, covariate: RatioTerms | None = None, center: float = 0.0) -> Arm:
    """Return the mean of a ratio over units, with its HC2 variance, that of Welch's test without a covariate.

    The values of the units are u = R + n (a - R b) / sum(b), the delta method; they are the values themselves
    in a plain mean. With a covariate x, the mean is that of their regression at x = `center` (Lin 2013).
    """
    counted = units.below > 0
    found = estimate(units)
    n, u = found.n_units, found.n_units * found.residuals[counted]
    scale = n * units.above[counted] / units.below.sum() if n else u
    if u @ u <= ROUNDING**2 * (scale @ scale):  # all values are equal
        u = np.zeros(n)
    slope, squares, shift, x = 0.0, 1.0, 0.0, np.zeros(n)
    if covariate is not None:
        of_covariate = estimate(RatioTerms(*(each[counted] for each in covariate)))
        x, shift = n * of_covariate.residuals, center - of_covariate.ratio
        squares = float(x @ x)
        if squares > ROUNDING**2 * n * max(abs(of_covariate.ratio), abs(center)) ** 2:
            slope = float(x @ u / squares)
        else:  # the covariate is the same for all units
            x, squares = np.zeros(n), 1.0
    left = 1 - 1 / max(n, 1) - x**2 / squares  # of the leverage
    known = left > ROUNDING
    parts = (1 / max(n, 1) + shift * x / squares) * (u - slope * x)
    variance = float((parts[known] ** 2 / left[known]).sum())
    df = found.n_effective - 1 - (covariate is not None)
    deviation = float(np.sqrt(u @ u / (n - 1))) if n > 1 else np.nan
    return Arm(found.ratio + slope * shift, variance, df, slope, deviation, n)


class Unpaired(NamedTuple):
    """The statistics of each comparison of systems on different units."""

    means: np.ndarray  # of shape (n_comparisons, 2)
    counts: np.ndarray  # number of units, of the same shape
    df: np.ndarray
    effect: np.ndarray  # difference divided by the root of the mean variance of the units' values
    t: PairedT


def compare_arms(pairs: Sequence[tuple[Arm, Arm]], of_center: Sequence[RatioEstimate | None]) -> Unpaired:
    """Compare means by Welch's t.

    With a covariate, its mean `of_center` adds the square of the difference of the slopes times the variance
    of this mean.
    """
    means = np.array([[each.mean for each in pair] for pair in pairs])
    counts = np.array([[each.n_units for each in pair] for pair in pairs])
    found = [_find_error(pair, center) for pair, center in zip(pairs, of_center)]
    standard_error, df = np.array(found).T
    difference = means[:, 0] - means[:, 1]
    with np.errstate(invalid="ignore"):
        statistic = difference / standard_error
        p_value = 2 * stats.t.sf(np.abs(statistic), df)
    spread = np.sqrt([(one.deviation**2 + other.deviation**2) / 2 for one, other in pairs])
    effect = np.divide(difference, spread, out=np.full(len(pairs), np.nan), where=spread > 0)
    return Unpaired(means, counts, df, effect, PairedT(difference, standard_error, statistic, p_value))


def _find_error(pair: tuple[Arm, Arm], center: RatioEstimate | None) -> tuple[float, float]:
    """Return the standard error of a difference and its degrees of freedom; nan if they are unknown."""
    one, other = pair
    if not (one.df > 0 and other.df > 0) or one.variance + other.variance == 0:
        return np.nan, np.nan
    error, df = welch([one.variance, other.variance], [one.df, other.df])
    extra = 0.0 if center is None else (one.slope - other.slope) ** 2 * center.standard_error**2
    return float(np.sqrt(error**2 + extra)), df
