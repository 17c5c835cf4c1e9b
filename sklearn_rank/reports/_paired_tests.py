"""Paired tests over units, which are queries or clusters of them: one p value for each comparison.

A comparison is a pair of columns. Where the arrays are called `terms`, a column holds what each unit adds to
a mean, and its sum is that mean; `residuals` are the same, centred. A unit that a comparison leaves out has
0 in both columns.
"""

from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy import stats

from ._equal import ROUNDING, find_scale, rank_equal, subtract_equal


class PairedT(NamedTuple):
    """What a paired t test knows of each comparison."""

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

    Where all differences are 0, p is 1. Where all are the same number but 0, or there is one unit, nothing is
    known of how much they vary: the standard error, t and p are nan.
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
    """Do what `t_test` does, of sums that are made already."""
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
    """Return the sums of the differences, of their squared residuals, and of squared terms if they differ."""
    difference = paired_difference(terms, a, b, rounding)
    if not difference.any():
        return 0.0, 0.0, 0.0
    centred = residuals[:, a] - residuals[:, b]
    scale = terms[:, a] @ terms[:, a] + terms[:, b] @ terms[:, b]
    return difference.sum(), centred @ centred, scale


def wilcoxon_test(
    values: np.ndarray, pairs: np.ndarray, counts: np.ndarray, rounding: float = ROUNDING
) -> np.ndarray:
    """Return the p of scipy's signed-rank test, which leaves out units without a difference; 1 if all are.

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
            # scipy's choice of method depends on how many are zero among those that are compared.
            compared = np.concatenate([nonzero, np.zeros(int(counts[j]) - len(nonzero))])
            with catch_warnings():  # of scipy before 1.15, which approximates what is small and tied
                simplefilter("ignore", UserWarning)
                p_values[j] = stats.wilcoxon(compared).pvalue
    return p_values


def sign_test(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the p of wins and losses being equally likely, without ties; 1 if all are ties."""
    return sign_test_of_counts(*count_wins(values, pairs))


def sign_test_of_counts(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Do what `sign_test` does, of wins and losses that are counted already."""
    p_values = np.ones(len(wins))
    for j, (won, lost) in enumerate(zip(wins.tolist(), losses.tolist())):
        if won + lost:
            p_values[j] = stats.binomtest(won, won + lost).pvalue
    return p_values


def count_wins(
    values: np.ndarray, pairs: np.ndarray, rounding: float = ROUNDING
) -> tuple[np.ndarray, np.ndarray]:
    """Count the units whose value is higher, and lower."""
    apart = [np.sign(paired_difference(values, a, b, rounding)) for a, b in pairs]
    return np.array([(each > 0).sum() for each in apart]), np.array([(each < 0).sum() for each in apart])
