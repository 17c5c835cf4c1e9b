"""After each fold of a race: which candidates are worse than the best beyond doubt."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from ._candidates import UnitTerms
from ._equal import find_scale, first_best, rank_equal, subtract_equal

TINY = np.finfo(float).tiny


class Look(NamedTuple):
    """What the folds so far say of each candidate."""

    leader: int
    difference: np.ndarray  # the mean of the leader less that of each
    bound: np.ndarray  # what chance alone may make of it
    worse: np.ndarray  # beyond doubt

    def equivalent(self, margin: float) -> bool:
        """Tell whether none is worse than the leader by as much as the margin, beyond doubt."""
        others = np.arange(len(self.difference)) != self.leader
        return bool((self.difference + self.bound < margin)[others].all())


def look(scores: np.ndarray, units: UnitTerms | None, level: float) -> Look:
    """Compare each candidate with the best; the chance of each error is `level`, one-sided.

    `scores` are the means of folds, of shape (n_candidates, n_folds). A difference must be beyond what chance
    makes of its variance over units, paired, and of 2 MS / n_folds, MS being the mean square of what
    candidates and folds do not add up to: a fold's model is drawn once for each candidate. Without `units` it
    is the latter alone. Each has its own degrees of freedom: few candidates and folds tell little of MS, and
    where it is small by luck the units must not stand in for it.
    """
    n_candidates, n_folds = scores.shape
    means = scores.mean(axis=1)
    leader = int(first_best(means))
    difference = subtract_equal(means[leader], means)
    # Candidates with equal scores, such as the same model with an unused parameter, count once.
    ranks = rank_equal(scores.ravel(), find_scale(scores)).reshape(scores.shape)
    distinct = scores[np.unique(ranks, axis=0, return_index=True)[1]]
    bound = np.zeros(n_candidates)
    if len(distinct) > 1:
        of_folds = np.full(n_candidates, 2 * interaction(distinct) / n_folds)
        bound = _bound(level, (n_folds - 1) * (len(distinct) - 1), of_folds)
    if units is not None and units.n_effective > 1:
        bound = np.maximum(bound, _bound(level, units.n_effective - 1, units.squared_errors(leader)))
    return Look(leader, difference, bound, difference > bound)


def _bound(level: float, df: float, variance: np.ndarray) -> np.ndarray:
    """Return what a difference of these variances exceeds by chance with the probability `level`."""
    t = stats.t.isf(level, df)
    return np.where(variance > 0, t * np.sqrt(np.maximum(variance, TINY)), 0.0)


def interaction(scores: np.ndarray) -> float:
    """Return the mean square of fold x candidate: x_cf - x_c. - x_.f + x_.."""
    n_candidates, n_folds = scores.shape
    of_candidates, of_folds = scores.mean(axis=1, keepdims=True), scores.mean(axis=0)
    left = scores - of_candidates - of_folds + scores.mean()
    return float((left**2).sum() / ((n_candidates - 1) * (n_folds - 1)))
