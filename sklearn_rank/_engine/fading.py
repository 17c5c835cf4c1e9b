"""Marked documents of a tie, each worth less by a factor for every marked one above it: in closed form."""

import numpy as np

from .ties import mean_products


def fade_in_ties(sizes: np.ndarray, marked: np.ndarray, factor: float, k: int) -> np.ndarray:
    """Return, tie after tie, what is expected of the marked documents at each of its places.

    Of t documents r >= 1 are marked. One stands at a place with probability r / t, and is worth the mean
    product of as many values as stand above it, drawn from those of the other t - 1: r - 1 of these are the
    `factor`, the others 1. Places after the first k may get 0.
    """
    width = int(sizes.max()) + 1
    pairs, which = np.unique(sizes * width + marked, return_inverse=True)  # ties of one kind at once
    t, r = np.divmod(pairs, width)
    starts = np.cumsum(t) - t
    table = np.zeros(int(t.sum()))
    octaves = np.frexp(t)[1]
    for octave in np.unique(octaves):  # those of similar size
        some = np.flatnonzero(octaves == octave)
        n_others, n_marked = t[some, None] - 1, r[some, None]
        others = np.arange(n_others.max())
        values = np.where(others < n_marked - 1, factor, np.where(others < n_others, 1.0, np.nan))
        means = np.ones((len(some), len(others) + 1))
        means[:, 1:] = mean_products(values, max(k - 1, 1))
        places = np.arange(len(others) + 1)
        inside = places <= n_others
        table[(starts[some, None] + places)[inside]] = (n_marked / t[some, None] * means)[inside]
    ends = np.cumsum(sizes)
    shifts = np.repeat(starts[which.ravel()] - (ends - sizes), sizes)
    return table[np.arange(ends[-1]) + shifts]
