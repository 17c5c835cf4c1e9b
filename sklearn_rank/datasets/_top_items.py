"""Which pairs of users and items a cutoff needs, out of a matrix of scores.

Of each user the k highest scores of items that were judged, with all that reach the last of them; and the
highest of an item that is not relevant, so that no list holds relevant items alone where there are others.
"""

import numpy as np

from .._checks.codes import find_edges


def choose_cells(
    scores: np.ndarray, seen: np.ndarray, relevant: np.ndarray, unjudged: np.ndarray, k: int | None
) -> np.ndarray:
    """Choose cells of a dense matrix; `seen` and the others are cells too."""
    kept = np.ones(scores.shape, dtype=bool)
    if k is not None and k < scores.shape[1]:
        is_ranked = np.ones(scores.shape, dtype=bool)
        is_ranked.flat[seen] = False
        is_ranked.flat[unjudged] = False
        lowest = _lowest(scores.dtype)
        ranked = np.where(is_ranked, scores, lowest)
        is_ranked.flat[relevant] = False
        others = np.where(is_ranked, scores, lowest).argmax(axis=1)
        ranked.partition(-k, axis=1)
        kept = scores >= ranked[:, [-k]]
        few = np.flatnonzero(ranked[:, -k] == -np.inf)  # users for whom fewer than k items were retrieved
        missed = is_ranked[few] & (scores[few] == -np.inf)
        kept[few] = (scores[few] > -np.inf) | (missed & (missed.cumsum(axis=1) <= k))
        kept[np.arange(len(kept)), others] = True
    kept.flat[seen] = False
    return np.flatnonzero(kept)


def _lowest(dtype: np.dtype) -> float | int:
    """Return the lowest value of a type of numbers."""
    if dtype.kind == "f":
        return -np.inf
    return False if dtype.kind == "b" else int(np.iinfo(dtype).min)


def choose_entries(
    cells: np.ndarray,
    scores: np.ndarray,
    relevant: np.ndarray,
    unjudged: np.ndarray,
    k: int | None,
    n_items: int,
) -> np.ndarray:
    """Choose among the entries of a sparse matrix, by the cells they are in."""
    if k is None or not len(cells):
        return np.arange(len(cells))
    users = cells // n_items
    judged = ~np.isin(cells, unjudged)
    lasts = _find_highest(users, scores, np.flatnonzero(judged), k)
    few = ~np.isin(users, users[lasts])
    bounds = np.zeros(users[-1] + 1, dtype=scores.dtype)
    bounds[users[lasts]] = scores[lasts]
    kept = few | (scores >= bounds[users])
    kept[_find_highest(users, scores, np.flatnonzero(~np.isin(cells, relevant)), 1)] = True
    return np.flatnonzero(kept)


def _find_highest(users: np.ndarray, scores: np.ndarray, entries: np.ndarray, k: int) -> np.ndarray:
    """Return of each user who has k of these entries the one with the k-th highest score."""
    order = entries[np.lexsort((scores[entries], users[entries]))]
    ends = find_edges(users[order])[1:]
    lengths = np.diff(ends, prepend=0)
    return order[ends[lengths >= k] - k]
