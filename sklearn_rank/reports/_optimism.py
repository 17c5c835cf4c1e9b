"""What the best of many candidates may claim: the bootstrap bias correction over queries.

By Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for efficient and
accurate cross-validation", Machine Learning 107, 2018: choose on those in the bag, score on those out of it.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._candidates import Candidates
from ._equal import first_best

PIECE = 2**22  # numbers drawn at once


def score_out_of_bag(
    candidates: Candidates, best: int, *, n_resamples: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the out-of-bag scores of the choices of resamples, and of the best of all on the same queries.

    By the mean of the means of folds; resamples that leave nothing out have none.
    """
    rng = check_random_state(random_state)
    names, codes = np.unique(candidates.units, return_inverse=True)
    n, size = len(names), max(1, PIECE // len(codes))
    chosen_scores, best_scores = [], []
    for start in range(0, n_resamples, size):
        drawn = rng.randint(n, size=(min(size, n_resamples - start), n))
        drawn += np.arange(len(drawn))[:, np.newaxis] * n
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)[:, codes]
        chosen = first_best(_mean_of_folds(counts, candidates), candidates.rounding)
        out = counts == 0
        scores = np.empty(len(drawn))
        for candidate in np.unique(chosen):
            where = chosen == candidate
            scores[where] = _score_one(out[where], candidates, candidate)
        known = np.isfinite(scores)
        chosen_scores.append(scores[known])
        best_scores.append(_score_one(out[known], candidates, best))
    return np.concatenate(chosen_scores), np.concatenate(best_scores)


def _score_one(counts: np.ndarray, candidates: Candidates, candidate: int) -> np.ndarray:
    """Return the mean of one candidate in each resample."""
    alone = slice(candidate, candidate + 1)
    one = candidates._replace(above=candidates.above[alone], below=candidates.below[alone])
    return _mean_of_folds(counts, one)[:, 0]


def _mean_of_folds(counts: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Return the mean of each candidate in each resample; folds without a query of it are left out."""
    total, n_known = np.zeros((2, len(counts), len(candidates.above)))
    same = (candidates.below == candidates.below[0]).all()
    for fold in np.unique(candidates.folds):
        inside = candidates.folds == fold
        of_fold = counts[:, inside].astype(np.float64)
        above = of_fold @ candidates.above[:, inside].T
        below = of_fold @ (candidates.below[:1] if same else candidates.below)[:, inside].T
        known = below > 0
        total += np.divide(above, below, out=np.zeros_like(above), where=known)
        n_known += known
    with np.errstate(invalid="ignore"):
        return np.where(n_known > 0, total / n_known, -np.inf)
