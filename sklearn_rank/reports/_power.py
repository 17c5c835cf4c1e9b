"""How many queries a comparison needs, from how much its differences vary."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

# A pilot of 20 queries answers between .61 and 1.43 times what is true, one of 200 between .87 and 1.13, with
# this probability: by the chi-square distribution of its variance.
PILOT_LEVEL = 0.8
MOST = 2.0**50  # queries, where the search ends


class QueriesNeeded(NamedTuple):
    """The smallest numbers of queries with the power asked for, and the range that the pilot leaves open."""

    n_queries: np.ndarray  # inf if there is no such number, nan without a standard deviation
    low: np.ndarray
    high: np.ndarray


def queries_needed(
    standard_deviation: np.ndarray,
    n_pilot: np.ndarray,
    *,
    difference: float = 0.01,
    power: float = 0.8,
    level: float = 0.05,
    margin: float | None = None,
) -> QueriesNeeded:
    """Return how many queries the paired t test needs to find a difference, two-sided at the level.

    With a `margin`, how many show that two systems are equivalent if they are equal: that the interval of
    the difference, of confidence 1 - level, lies within the margin. These are two one-sided tests, each at
    half the level.

    The standard deviation is that of the differences of `n_pilot` queries. Their number grows with its
    square, which such a pilot knows by the chi-square distribution: `low` and `high` are the answers at the
    ends of its 80 % interval.
    """
    deviation = np.asarray(standard_deviation, dtype=float)
    df = np.asarray(n_pilot) - 1.0
    tails = [0.5 + PILOT_LEVEL / 2, 0.5 - PILOT_LEVEL / 2]
    ends = [deviation * np.sqrt(df / stats.chi2.ppf(tail, df)) for tail in tails]
    find = power_of_difference if margin is None else power_of_equivalence
    looked_for = difference if margin is None else margin
    return QueriesNeeded(*(_smallest_n(find, looked_for, sd, power, level) for sd in [deviation, *ends]))


def power_of_difference(n: np.ndarray, effect: np.ndarray, level: float) -> np.ndarray:
    """Return the power of the two-sided t test, by the noncentral t; the effect is in standard deviations."""
    critical = stats.t.isf(level / 2, n - 1)
    return 1 - _chance_below(critical, n, effect) + _chance_below(-critical, n, effect)


def power_of_equivalence(n: np.ndarray, effect: np.ndarray, level: float) -> np.ndarray:
    """Return the power of the two one-sided tests if nothing differs; the margin is in standard deviations.

    It is one minus the chance that the first fails, minus that of the second: at the least, as both may fail.
    """
    return 1 - 2 * _chance_below(stats.t.isf(level / 2, n - 1), n, effect)


def _chance_below(critical: np.ndarray, n: np.ndarray, effect: np.ndarray) -> np.ndarray:
    """Return the noncentral t distribution's; scipy may say nan where it is less than 1e-15."""
    with np.errstate(divide="ignore", invalid="ignore"):  # which old versions warn of
        return np.nan_to_num(stats.nct.cdf(critical, n - 1, effect * np.sqrt(n)))


def _smallest_n(
    find_power: Callable[..., np.ndarray],
    looked_for: float,
    deviation: np.ndarray,
    power: float,
    level: float,
) -> np.ndarray:
    """Return the smallest n with the power, by doubling and then by halving the steps."""
    known = deviation > 0
    effect = looked_for / np.where(known, deviation, 1.0)
    low, high = np.ones_like(effect), np.full_like(effect, 2.0)

    def suffices(n: np.ndarray) -> np.ndarray:
        return find_power(n, effect, level) >= power

    while (more := ~suffices(high) & (high < MOST)).any():
        low, high = np.where(more, high, low), np.where(more, 2 * high, high)
    found = suffices(high)
    while (high - low > 1).any():
        middle = np.ceil((low + high) / 2)
        enough = suffices(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(known, np.where(found, high, np.inf), np.nan)
