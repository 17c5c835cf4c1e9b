"""Which candidates cannot be told from the best: each is compared with all others, under joint sign flips."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ._candidates import UnitTerms
from ._equal import subtract_equal
from ._sign_flips import TOLERANCE, are_few, flip_signs, upper_quantile


class Contenders(NamedTuple):
    """What decides whether a candidate stays."""

    statistic: np.ndarray  # the largest (m_j - m_i) / se_ij of each candidate i
    critical: np.ndarray  # what it exceeds by chance alone with probability 1 - confidence_level
    stays: np.ndarray
    difference: np.ndarray  # the mean of each less the best one
    low: np.ndarray  # where the difference of each to the best of the others lies: stays where high >= 0
    high: np.ndarray


def find_contenders(
    units: UnitTerms, *, confidence_level: float, n_resamples: int, random_state: Any
) -> Contenders:
    """Keep each candidate whose largest studentized distance to another is one that chance would make.

    Each has a quantile of its own, one-sided, under flips that all candidates share: the form of Hsu (1984).
    """
    residuals, n = units.residuals, len(units.residuals)
    difference = subtract_equal(units.means, units.means[:, np.newaxis], rounding=units.rounding)
    squares = _pairwise_squares(residuals, units.rounding) * (n / max(n - 1, 1))
    equal = squares == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(equal, np.where(difference > 0, np.inf, 0.0), difference / np.sqrt(squares))
    np.fill_diagonal(t, 0.0)
    statistic = t.max(axis=1)
    all_flips = are_few(n, n_resamples)
    maxima = [
        _largest_by_candidate(sums, squares, n)
        for sums in flip_signs(residuals, n_resamples, check_random_state(random_state))
    ]
    of_flips = np.concatenate(maxima)
    critical = np.array([upper_quantile(each, confidence_level, all_flips) for each in of_flips.T])
    low, high = _intervals(difference, squares, critical)
    stays = statistic * (1 - TOLERANCE) <= critical
    high = np.where(stays, np.maximum(high, 0.0), high)  # 0 on paper if both are equal
    return Contenders(statistic, critical, stays, 0.0 - difference[:, units.best], low, high)


def _intervals(
    difference: np.ndarray, squares: np.ndarray, critical: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the difference of each to the best of the others lies: high >= 0 where it stays."""
    apart = np.where(squares > 0, -difference, np.inf)  # m_i - m_j, but for candidates that are equal
    reach = np.zeros_like(apart)
    np.multiply(critical[:, np.newaxis], np.sqrt(squares), out=reach, where=squares > 0)
    each, nearest = np.arange(len(apart)), apart.argmin(axis=1)
    low, high = (apart - reach)[each, nearest], (apart + reach).min(axis=1)
    alone = np.isinf(apart).all(axis=1)  # no other differs
    return np.where(alone, 0.0, low), np.where(alone, 0.0, high)


def _pairwise_squares(residuals: np.ndarray, rounding: float) -> np.ndarray:
    """Return the sums of squared differences of all pairs of columns; 0 of those that are equal."""
    products = residuals.T @ residuals
    norms = np.diag(products)
    squares = norms[:, np.newaxis] + norms - 2 * products
    scale = norms[:, np.newaxis] + norms
    # Of columns that differ little the subtraction leaves few digits: they are subtracted first.
    for one, other in np.argwhere(np.triu(squares < 1e-6 * scale, 1)):
        each = residuals[:, one] - residuals[:, other]
        square = each @ each
        squares[one, other] = squares[other, one] = square if square > rounding**2 * scale[one, other] else 0
    np.fill_diagonal(squares, 0.0)
    return squares


def _largest_by_candidate(sums: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    """Return of each flip and candidate i the largest (S_j - S_i) / se_ij, studentized anew at each flip."""
    largest = np.zeros(sums.shape)
    for place, of_pairs in enumerate(squares):
        differ = of_pairs > 0
        flipped = sums[:, differ] - sums[:, [place]]
        left = of_pairs[differ] - flipped**2 / (n - 1)
        constant = left <= TOLERANCE * of_pairs[differ]  # all flipped to one value
        with np.errstate(divide="ignore"):
            t = flipped / np.sqrt(np.where(constant, 0.0, left))
        largest[:, place] = t.max(axis=1, initial=0.0)
    return largest
