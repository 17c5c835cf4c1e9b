"""Paired tests over units, which are queries or clusters of them: one p-value for each comparison.

A comparison is a pair of columns. In arrays called `terms`, a column contains the contribution of each unit
to a mean, and its sum is the mean; `residuals` are the same, centered. A unit that is excluded from a
comparison has 0 in both columns.
"""

from collections.abc import Callable, Iterator
from math import ceil, inf, sqrt
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy import stats

from .._checks.options import check_random
from .._checks.types import RandomState
from ._equal import ROUNDING, find_scale, rank_equal, subtract_equal


class PairedT(NamedTuple):
    """The result of a paired t test for each comparison."""

    difference: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray


def paired_difference(columns: np.ndarray, a: int, b: int, rounding: float = ROUNDING) -> np.ndarray:
    """Subtract column b from column a; return 0 for values that are equal up to rounding."""
    first, second = columns[:, a], columns[:, b]
    return subtract_equal(first, second, find_scale(first, second), rounding)


def t_test(
    terms: np.ndarray,
    residuals: np.ndarray,
    pairs: np.ndarray,
    counts: np.ndarray,
    n_effective: np.ndarray,
    rounding: float = ROUNDING,
) -> PairedT:
    """Test D / se, with se**2 = n / (n - 1) sum (e_a - e_b)**2, by Student's t with n_effective - 1 degrees.

    If all differences are 0, p is 1. If all are equal but not 0, or there is one unit, se, t and p are nan.
    """
    sums = np.array([_sum_squares(terms, residuals, a, b, rounding) for a, b in pairs]).reshape(-1, 3)
    difference, squares, scale = sums.T
    return t_test_of_sums(difference, squares, scale, counts, n_effective, rounding)


def t_test_of_sums(
    difference: np.ndarray,
    squares: np.ndarray,
    scale: np.ndarray,
    counts: np.ndarray,
    n_effective: np.ndarray,
    rounding: float = ROUNDING,
) -> PairedT:
    """Test like `t_test`, from its sums."""
    several, zero = counts > 1, scale == 0
    known = several & (zero | (squares > rounding**2 * scale))
    variance = squares * np.where(several, counts, 2) / np.where(several, counts - 1, 1)
    standard_error = np.where(known, np.sqrt(variance), np.nan)
    statistic = np.where(zero, 0.0, difference) / np.where(zero & several, 1.0, standard_error)
    p_value = np.where(zero & several, 1.0, 2 * stats.t.sf(np.abs(statistic), n_effective - 1.0))
    return PairedT(difference, standard_error, statistic, p_value)


def _sum_squares(
    terms: np.ndarray, residuals: np.ndarray, a: int, b: int, rounding: float
) -> tuple[float, float, float]:
    """Return the sum of differences, of their squared residuals, and of squared terms if they differ."""
    difference = paired_difference(terms, a, b, rounding)
    if not difference.any():
        return 0.0, 0.0, 0.0
    centered = residuals[:, a] - residuals[:, b]
    scale = terms[:, a] @ terms[:, a] + terms[:, b] @ terms[:, b]
    return difference.sum(), centered @ centered, scale


def wilcoxon_test(
    values: np.ndarray, pairs: np.ndarray, counts: np.ndarray, rounding: float = ROUNDING
) -> np.ndarray:
    """Return the p of scipy's signed-rank test without units that do not differ; 1 if no units differ.

    scipy gets signed ranks: absolute differences that are equal up to rounding are tied.
    """
    p_values = np.ones(len(pairs))
    for j, (a, b) in enumerate(pairs):
        difference = paired_difference(values, a, b, rounding)
        apart = difference != 0
        if apart.any():
            largest = float(np.abs(values[:, [a, b]]).max())
            ranks = 1 + rank_equal(np.abs(difference[apart]), largest, rounding)
            nonzero = np.sign(difference[apart]) * ranks
            # scipy's choice of method depends on the number of zeros among the compared units.
            compared = np.concatenate([nonzero, np.zeros(int(counts[j]) - len(nonzero))])
            with catch_warnings():  # scipy before 1.15 approximates if a small sample has ties
                simplefilter("ignore", UserWarning)
                p_values[j] = stats.wilcoxon(compared).pvalue
    return p_values


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Return the p of equally likely wins and losses, ignoring ties; 1 if all are ties."""
    pairs = zip(wins.tolist(), losses.tolist())
    return np.array([stats.binomtest(won, won + lost).pvalue if won + lost else 1.0 for won, lost in pairs])


def count_wins(
    values: np.ndarray, pairs: np.ndarray, rounding: float = ROUNDING
) -> tuple[np.ndarray, np.ndarray]:
    """Count the units with a higher, and with a lower value."""
    apart = [np.sign(paired_difference(values, a, b, rounding)) for a, b in pairs]
    return np.array([(each > 0).sum() for each in apart]), np.array([(each < 0).sum() for each in apart])


TOLERANCE = 1e-12  # mathematically equal sums differ by less, others by more
FLIPS, UNITS = 256, 4096  # a piece of the matrix of signs: 8 MB


class SignFlips(NamedTuple):
    """The results of the sign flips, for each comparison and for all together."""

    p_value: np.ndarray  # of each comparison, uncorrected
    max_p_value: np.ndarray  # corrected by the maximum, step-down
    single_step_p_value: np.ndarray  # corrected by the maximum, single-step: consistent with the intervals
    critical_value: float  # an interval is D -+ critical_value * se, for all comparisons together
    n_nonzero: np.ndarray  # units with a difference, of each comparison
    n_flips: int
    all_flips: bool  # all sign vectors, or random ones


class Observed(NamedTuple):
    """The values of each comparison that the sums of the flips are compared with."""

    pairs: np.ndarray
    least: np.ndarray  # the observed sums, minus the tolerance for rounding
    roots: np.ndarray  # the root sums of squares; inf without a difference
    least_scaled: np.ndarray  # the sums divided by their roots, minus the tolerance
    order: np.ndarray  # in decreasing order of scaled sums


def least_p(n_nonzero: np.ndarray) -> np.ndarray:
    """Return the smallest possible p for a number of units that differ: with 5 of them, 2 / 32."""
    return np.minimum(1.0, np.ldexp(2.0, -np.asarray(n_nonzero)))


def randomization_test(
    terms: np.ndarray,
    residuals: np.ndarray,
    standard_error: np.ndarray,
    pairs: np.ndarray,
    counts: np.ndarray,
    *,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
    rounding: float = ROUNDING,
) -> SignFlips:
    """Flip the signs of units, and compare the absolute sums with those observed.

    If units with a difference have at most `n_resamples` sign vectors, all are used. Otherwise the observed
    one is added to `n_resamples` random ones. Corrected p-values are those of Westfall and Young (1993):
    the largest of all comparisons, each divided by its root sum of squares, is used. The critical value of
    simultaneous intervals comes from flips of the residuals, studentized at each flip; it is inf if there are
    too few flips. Comparisons without a `standard_error`, that of `t_test`, do not count.
    """
    differ, observed = _observe(terms, pairs, rounding)
    active = differ.any(axis=1)
    random_state = check_random(random_state)
    counted, maxima, n_terms = np.zeros((3, len(pairs))), [], terms.shape[1]
    all_flips = are_few(active.sum(), n_resamples)
    if all_flips:  # terms: only units that differ; residuals: all units
        for sums in flip_signs(terms[active], n_resamples, random_state):
            counted += _count_reaching(sums, observed)
        for sums in flip_signs(residuals, n_resamples, random_state):
            maxima.append(_largest_t(sums, standard_error, pairs, counts))
    else:
        for sums in flip_signs(np.hstack([terms, residuals]), n_resamples, random_state):
            counted += _count_reaching(sums[:, :n_terms], observed)
            maxima.append(_largest_t(sums[:, n_terms:], standard_error, pairs, counts))
    n_flips = 2 ** int(active.sum()) if all_flips else n_resamples
    alone, single_step, step_down = counted / n_flips if all_flips else (1 + counted) / (1 + n_flips)
    step_down[observed.order] = np.maximum.accumulate(step_down[observed.order])
    critical_value = upper_quantile(
        np.concatenate(maxima), confidence_level, are_few(len(terms), n_resamples)
    )
    return SignFlips(alone, step_down, single_step, critical_value, differ.sum(axis=0), n_flips, all_flips)


def are_few(n_units: int, n_resamples: int) -> bool:
    """Return whether there are at most `n_resamples` sign vectors."""
    return n_units < 63 and 2 ** int(n_units) <= n_resamples


def _observe(terms: np.ndarray, pairs: np.ndarray, rounding: float) -> tuple[np.ndarray, Observed]:
    """Return which units differ in which comparison, and the observed sums."""
    differ = np.zeros((len(terms), len(pairs)), dtype=bool)
    sums, roots = np.zeros(len(pairs)), np.zeros(len(pairs))
    for j, (a, b) in enumerate(pairs):
        difference = paired_difference(terms, a, b, rounding)
        differ[:, j] = difference != 0
        sums[j], roots[j] = abs(difference.sum()), sqrt(difference @ difference)
    roots[roots == 0] = np.inf
    # Sums of columns are subtracted, so the rounding depends on the columns.
    errors = rounding * np.abs(terms).sum(axis=0)[pairs].sum(axis=1)
    scaled, error = sums / roots, (errors / roots).max(initial=0.0)
    least, least_scaled = sums * (1 - TOLERANCE) - errors, scaled * (1 - TOLERANCE) - error
    return differ, Observed(pairs, least, roots, least_scaled, np.argsort(-scaled, kind="stable"))


def flip_signs(
    columns: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield the sums of the columns under all sign vectors, or `n_resamples` random ones, some at a time."""
    n_units = len(columns)
    few = are_few(n_units, n_resamples)
    n_flips = 2**n_units if few else n_resamples
    for start in range(0, n_flips, FLIPS):
        n = min(FLIPS, n_flips - start)
        if few:
            bits = np.arange(start, start + n)[:, np.newaxis] >> np.arange(n_units) & 1
            yield (1.0 - 2.0 * bits) @ columns
            continue
        sums = np.zeros((n, columns.shape[1]))
        for first in range(0, n_units, UNITS):
            piece = columns[first : first + UNITS]
            drawn = np.frombuffer(random_state.bytes(n * -(-len(piece) // 8)), np.uint8).reshape(n, -1)
            sums += (2.0 * np.unpackbits(drawn, axis=1, count=len(piece)) - 1.0) @ piece
        yield sums


def _count_reaching(sums: np.ndarray, observed: Observed) -> np.ndarray:
    """Count the flips that reach the observed sums: uncorrected, single-step and step-down."""
    flipped = np.abs(sums[:, observed.pairs[:, 0]] - sums[:, observed.pairs[:, 1]])
    alone = (flipped >= observed.least).sum(axis=0)
    # The maxima over a comparison and all later ones: the first is the overall maximum.
    scaled, needed = (flipped / observed.roots)[:, observed.order], observed.least_scaled[observed.order]
    maxima = np.maximum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    single_step, step_down = np.empty_like(alone), np.empty_like(alone)
    single_step[observed.order] = (maxima[:, :1] >= needed).sum(axis=0)
    step_down[observed.order] = (maxima >= needed).sum(axis=0)
    return np.array([alone, single_step, step_down])


def _largest_t(
    sums: np.ndarray, standard_error: np.ndarray, pairs: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Return the largest |S| / se for each flip, with se**2 = n / (n - 1) (sum e**2 - S**2 / n)."""
    known = standard_error > 0
    flipped = np.abs(sums[:, pairs[known, 0]] - sums[:, pairs[known, 1]])
    return studentize(flipped, standard_error[known] ** 2, counts[known]).max(axis=1, initial=0.0)


def studentize(sums: np.ndarray, squares: np.ndarray, n: int | np.ndarray) -> np.ndarray:
    """Return sums of n flipped values divided by their standard errors; inf if all values are equal."""
    left = squares - sums**2 / (n - 1)
    constant = left <= TOLERANCE * squares
    return np.where(constant, np.copysign(np.inf, sums), sums / np.sqrt(np.where(constant, 1.0, left)))


def upper_quantile(values: np.ndarray, level: float, all_flips: bool) -> float:
    """Return the smallest value that is >= a share `level` of the values, including the observed one."""
    if all_flips and (1 - level) * len(values) + 1e-9 < 2:
        return inf  # no p can be so small
    rank = ceil(level * (len(values) + (not all_flips)) - 1e-9)
    return float(np.sort(values)[rank - 1]) if rank <= len(values) else inf


# With this probability, by the chi-square distribution of the variance, the result is between 0.61 and 1.43
# times the true number for a pilot of 20 queries, and between 0.87 and 1.13 for 200.
PILOT_LEVEL = 0.8
MOST = 2.0**50  # queries; the search ends there


def queries_needed(
    standard_deviation: np.ndarray,
    n_pilot: np.ndarray,
    *,
    difference: float = 0.01,
    power: float = 0.8,
    level: float = 0.05,
    margin: float | None = None,
) -> list[np.ndarray]:
    """Return the number of queries with which a two-sided paired t test detects a difference at the level.

    With a `margin`, return the number with which two one-sided tests at half the level show that two equal
    systems are equivalent. The second and third array are the results at the ends of the 80% chi-square
    interval of the standard deviation, which was estimated from `n_pilot` queries. A result is inf if no
    number is sufficient, and nan if the standard deviation is nan.
    """
    deviation = np.asarray(standard_deviation, dtype=float)
    df = np.asarray(n_pilot) - 1.0
    tails = [0.5 + PILOT_LEVEL / 2, 0.5 - PILOT_LEVEL / 2]
    ends = [deviation * np.sqrt(df / stats.chi2.ppf(tail, df)) for tail in tails]
    find = power_of_difference if margin is None else power_of_equivalence
    target = difference if margin is None else margin
    return [_smallest_n(find, target, sd, power, level) for sd in [deviation, *ends]]


def power_of_difference(n: np.ndarray, effect: np.ndarray, level: float) -> np.ndarray:
    """Return the power of the two-sided t test, by the noncentral t; `effect` is in standard deviations."""
    critical = stats.t.isf(level / 2, n - 1)
    return 1 - _chance_below(critical, n, effect) + _chance_below(-critical, n, effect)


def power_of_equivalence(n: np.ndarray, effect: np.ndarray, level: float) -> np.ndarray:
    """Return the least power of two one-sided tests of equal systems; the margin is in deviations."""
    return 1 - 2 * _chance_below(stats.t.isf(level / 2, n - 1), n, effect)


def _chance_below(critical: np.ndarray, n: np.ndarray, effect: np.ndarray) -> np.ndarray:
    """Return the noncentral t distribution function; scipy can fail if it is less than 1e-15."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(stats.nct.cdf(critical, n - 1, effect * np.sqrt(n)))


def _smallest_n(
    find_power: Callable[..., np.ndarray],
    target: float,
    deviation: np.ndarray,
    power: float,
    level: float,
) -> np.ndarray:
    """Return the smallest n with the power, by doubling n and then by bisection."""
    known = deviation > 0
    effect = target / np.where(known, deviation, 1.0)
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
