"""After each fold of a race: which candidates are worse than the best beyond doubt."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from ._candidates import UnitTerms

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

    `scores` are the means of folds, of shape (n_candidates, n_folds). The variance of a difference is the
    larger of that over units, paired, and 2 MS / n_folds, MS being the mean square of what candidates and
    folds do not add up to: a fold's model is drawn once for each candidate. It is pooled over candidates, and
    has no more degrees of freedom than there are units all the same. Without `units` it is all there is.
    """
    n_candidates, n_folds = scores.shape
    means = scores.mean(axis=1)
    leader = int(means.argmax())
    difference = means[leader] - means
    variance = np.full(n_candidates, 2 * interaction(scores) / n_folds)
    df = np.full(n_candidates, float((n_folds - 1) * (n_candidates - 1)))
    if units is not None and units.n_effective > 1:
        of_units = np.array([units.squared_error(leader, place) for place in range(n_candidates)])
        larger = of_units > variance
        variance[larger] = of_units[larger]
        df = np.where(larger, units.n_effective - 1, np.minimum(df, units.n_effective - 1))
    bound = np.where(variance > 0, stats.t.isf(level, df) * np.sqrt(np.maximum(variance, TINY)), 0.0)
    return Look(leader, difference, bound, difference > bound)


def interaction(scores: np.ndarray) -> float:
    """Return the mean square of fold x candidate: x_cf - x_c. - x_.f + x_.."""
    n_candidates, n_folds = scores.shape
    of_candidates, of_folds = scores.mean(axis=1, keepdims=True), scores.mean(axis=0)
    left = scores - of_candidates - of_folds + scores.mean()
    return float((left**2).sum() / ((n_candidates - 1) * (n_folds - 1)))
