"""Paired tests over units, which are queries or clusters of them: one p-value for each comparison.

A comparison is a pair of columns. In arrays called `terms`, a column contains the contribution of each unit
to a mean, and its sum is the mean; `residuals` are the same, centered. A unit that is excluded from a
comparison has 0 in both columns.
"""

from collections.abc import Iterator
from math import ceil, floor, inf
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy import stats

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
    sums = np.zeros((len(pairs), 3))
    for row, (a, b) in enumerate(pairs):
        apart, centered = paired_difference(terms, a, b, rounding), residuals[:, a] - residuals[:, b]
        if apart.any():
            size = terms[:, a] @ terms[:, a] + terms[:, b] @ terms[:, b]
            sums[row] = apart.sum(), centered @ centered, size
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
    return t_test_of_errors(np.where(zero, 0.0, difference), standard_error, n_effective)


def t_test_of_errors(difference: np.ndarray, standard_error: np.ndarray, n_effective: np.ndarray) -> PairedT:
    """Test differences with known standard errors; p is 1 without any difference."""
    zero = standard_error == 0
    statistic = difference / np.where(zero, 1.0, standard_error)
    p_value = np.where(zero, 1.0, 2 * stats.t.sf(np.abs(statistic), n_effective - 1.0))
    return PairedT(difference, standard_error, statistic, p_value)


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
    apart = np.array([paired_difference(values, a, b, rounding) for a, b in pairs])
    return (apart > 0).sum(axis=1), (apart < 0).sum(axis=1)


TOLERANCE = 1e-12  # mathematically equal sums differ by less, others by more
FLIP_TOLERANCE = 1e-10  # the same of sums of flipped differences, relative to the sum of their sizes
FLIPS, UNITS = 256, 4096  # a piece of the matrix of signs: 8 MB
MOST_FLIPPED = 5000  # units; with more, sums of flipped values are normal


def are_few(n_units: int, n_resamples: int) -> bool:
    """Return whether there are at most `n_resamples` sign vectors."""
    return n_units < 63 and 2 ** int(n_units) <= n_resamples


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


def draw_sums(residuals: np.ndarray, n_resamples: int, random_state: np.random.RandomState) -> np.ndarray:
    """Return the sums of centered columns under sign flips, of shape (n_flips, n_columns).

    Above `MOST_FLIPPED` units, return normal sums with the same covariances, which takes less time.
    """
    if len(residuals) <= MOST_FLIPPED:
        return np.concatenate(list(flip_signs(residuals, n_resamples, random_state)))
    root = np.linalg.qr(residuals, mode="r")
    return random_state.standard_normal((n_resamples, len(root))) @ root


def flip_test(
    differences: np.ndarray,
    weights: np.ndarray,
    rounding: np.ndarray,
    level: float,
    n_resamples: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Test a mean of 0 by all signs of the units' differences, or by random ones (Fisher 1935).

    Differences and weights have a row per unit and a column per comparison. Flips reach the observed sum of
    d - delta w if delta is between the means of the flipped and of the other units. So the ends of the
    interval are order statistics of these means (Hartigan 1969). `rounding` is that of sums of differences.
    Return the p-values and both ends of the intervals.
    """
    n_units, n = differences.shape
    columns = np.column_stack([differences, weights, np.ones(n_units)])
    sums = np.concatenate(list(flip_signs(columns, n_resamples, random_state)))
    slack = np.maximum(FLIP_TOLERANCE / 2 * np.abs(differences).sum(axis=0), rounding)
    means, total = [], columns.sum(axis=0)
    for parts in ((total - sums) / 2, (total + sums) / 2):  # of the flipped and of the other units
        above = np.where(np.abs(parts[:, :n]) <= slack, 0.0, parts[:, :n])
        filled = np.broadcast_to(parts[:, -1:] > 0.5, above.shape)
        means.append(np.divide(above, parts[:, n:-1], out=np.full(above.shape, np.nan), where=filled))
    none = np.isnan(means[0]) | np.isnan(means[1])
    low = np.where(none, -inf, np.minimum(*means))
    high = np.where(none, inf, np.maximum(*means))
    if not are_few(n_units, n_resamples):  # the observed signs count as one of the flips
        low, high = np.insert(low, 0, -inf, axis=0), np.insert(high, 0, inf, axis=0)
    rank = floor(level * len(low) * (1 + TOLERANCE))
    p_value = ((low <= 0) & (high >= 0)).mean(axis=0)
    return p_value, np.sort(low, axis=0)[rank], -np.sort(-high, axis=0)[rank]


def swap_test(
    above: np.ndarray, below: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> float:
    """Return the p of the difference of two ratios of sums, if units swap both sums of the two systems.

    `above` and `below` have a row per unit, and a column per system.
    """
    apart = np.column_stack([above[:, 0] - above[:, 1], below[:, 0] - below[:, 1]])
    sums = np.concatenate([apart.sum(axis=0)[np.newaxis], *flip_signs(apart, n_resamples, random_state)])
    a, b = above.sum(), below.sum()
    found = np.abs((a + sums[:, 0]) / (b + sums[:, 1]) - (a - sums[:, 0]) / (b - sums[:, 1]))
    terms = above / below.sum(axis=0)
    reached = found >= found[0] - FLIP_TOLERANCE * np.abs(terms[:, 0] - terms[:, 1]).sum()
    return float(reached[1:].mean() if are_few(len(above), n_resamples) else reached.mean())


def correct_p(p_value: np.ndarray, method: str | None) -> np.ndarray:
    """Adjust p-values by Holm's method or Bonferroni's; nan counts as a comparison too."""
    n = len(p_value)
    if method is None:
        return p_value.copy()
    if method == "bonferroni":
        return np.minimum(1.0, n * p_value)
    order = np.argsort(p_value)
    corrected = np.empty(n)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p_value[order] * np.arange(n, 0, -1)))
    return corrected


def find_p_among(drawn: np.ndarray, statistic: np.ndarray, level: float) -> tuple[np.ndarray, float]:
    """Return the p of each statistic among draws of |t|, and the draw that it must exceed at a level."""
    ordered = np.sort(drawn)
    n_reaching = len(ordered) - np.searchsorted(ordered, np.abs(statistic) * (1 - TOLERANCE))
    return (1 + n_reaching) / (1 + len(ordered)), upper_quantile(ordered, 1 - level, False)


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
