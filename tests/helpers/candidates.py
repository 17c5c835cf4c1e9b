"""Candidates made from tables of values instead of a search."""

import numpy as np

from sklearn_rank.reports import Candidates


def candidates_of(values, folds=None, units=None, weights=None):
    """Return candidates with one row of values each; by default one fold and weights of 1."""
    values = np.array(values, dtype=float)
    n = values.shape[1]
    weights = np.broadcast_to(np.ones(n) if weights is None else weights, values.shape)
    folds = np.zeros(n, dtype=int) if folds is None else np.asarray(folds)
    return Candidates(values * weights, weights, folds, np.arange(n) if units is None else np.asarray(units))


def draw_candidates(seed, n=40, n_candidates=5, n_folds=3, repeats=1, of=None, weights=False):
    """Draw candidates that differ little on queries that differ much, in folds of unequal sizes."""
    rng = np.random.default_rng(seed)
    n_tests = n * repeats
    values = rng.random(n)[np.tile(np.arange(n), repeats)] + rng.normal(0, 0.1, (n_candidates, n_tests))
    values += np.linspace(0, 0.05, n_candidates)[:, np.newaxis]
    share = np.arange(1, n_folds + 1) / np.arange(1, n_folds + 1).sum()
    sizes = np.ceil(share * n).astype(int)
    sizes[-1] -= sizes.sum() - n
    folds = np.concatenate([np.repeat(np.arange(n_folds), sizes) + each * n_folds for each in range(repeats)])
    units = np.concatenate([rng.permutation(n) for _ in range(repeats)])
    weights = rng.random((n_candidates, n_tests)) + 0.1 if weights else None
    return candidates_of(values, folds, units if of is None else units % of, weights)
