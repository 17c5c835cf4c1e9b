"""Candidates of a search, compared as the search does: by the mean of the means of folds."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ._equal import ROUNDING, first_best


class Candidates(NamedTuple):
    """What each test of a query adds to both sums of the means of folds.

    The mean of candidate c in fold f is sum(a) / sum(b) over the tests of the fold; that of the candidate is
    the mean of these.
    """

    above: np.ndarray  # of shape (n_candidates, n_tests)
    below: np.ndarray  # likewise, > 0
    folds: np.ndarray  # of each test, ascending
    units: np.ndarray  # of each test: its query, or the cluster of its query, as a number
    rounding: float = ROUNDING  # relative difference up to which values are equal


class UnitTerms(NamedTuple):
    """What each unit, a query or a cluster, adds to the mean of each candidate."""

    terms: np.ndarray  # of shape (n_units, n_candidates): its columns add up to the means
    residuals: np.ndarray  # likewise, centred: how much each unit moves the mean
    means: np.ndarray
    n_effective: float  # units of equal weight that know as much
    rounding: float = ROUNDING

    @property
    def best(self) -> int:
        """Return the first candidate with the highest mean."""
        return int(first_best(self.means, self.rounding))

    def standard_error(self, candidate: int) -> float:
        """Return the standard error of a mean."""
        n, residuals = len(self.residuals), self.residuals[:, candidate]
        return float(np.sqrt(n / (n - 1) * (residuals @ residuals))) if n > 1 else np.nan

    def squared_errors(self, one: int) -> np.ndarray:
        """Return that of the difference of each candidate to one of them."""
        return np.array([self.squared_error(one, other) for other in range(len(self.means))])

    def squared_error(self, one: int, other: int) -> float:
        """Return the squared standard error of the difference of two means, paired over units."""
        n = len(self.residuals)
        difference = self.residuals[:, one] - self.residuals[:, other]
        return float(n / (n - 1) * (difference @ difference)) if n > 1 else np.nan


def fold_means(candidates: Candidates) -> np.ndarray:
    """Return the mean of each candidate in each fold, of shape (n_candidates, n_folds)."""
    starts = _starts(candidates.folds)
    above, below = (np.add.reduceat(each, starts, axis=1) for each in candidates[:2])
    return above / below


def sum_by_unit(candidates: Candidates) -> UnitTerms:
    """Write each mean as a sum over units: e = (a - R b) / (n_folds sum(b)), with sum(b) over the fold."""
    starts = _starts(candidates.folds)
    sizes = np.diff([*starts, len(candidates.folds)])
    means = fold_means(candidates).mean(axis=1)
    totals = np.add.reduceat(candidates.below, starts, axis=1) * len(starts)
    shares = 1 / np.repeat(totals, sizes, axis=1)
    below = candidates.below * shares
    terms = candidates.above * shares
    names, codes = np.unique(candidates.units, return_inverse=True)
    n_tests = len(codes)
    adding = csr_array((np.ones(n_tests), (codes, np.arange(n_tests))), shape=(len(names), n_tests))
    weights = adding @ below[0]
    return UnitTerms(
        adding @ terms.T,
        adding @ (terms - means[:, np.newaxis] * below).T,
        means,
        float(weights.sum() ** 2 / (weights @ weights)),
        candidates.rounding,
    )


def _starts(folds: np.ndarray) -> np.ndarray:
    """Return where each fold starts."""
    return np.flatnonzero(np.diff(folds, prepend=-1))
