"""Balanced assignment of whole queries to folds, or to a training and a test set.

A greedy start is improved by a local search, in which two folds exchange up to two queries each. All sums
are of integers, so that the result is the same on every platform.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from itertools import compress

import numpy as np

ROWS, RELEVANT, QUERIES = range(3)  # counts of a query, the most important first
N_SINGLE, N_PAIRED = 64, 16  # queries of a fold that can be exchanged alone, and in pairs
N_EXTREME = 16  # only the largest and the smallest folds exchange queries
N_TRIES = 1000


def assign_folds(
    n_rows_of: np.ndarray, n_relevant_of: np.ndarray, n_folds: int, rng: np.random.RandomState | None = None
) -> np.ndarray:
    """Return the fold of each query. Balance rows first, then relevant documents, then queries.

    Without `rng` all fold sizes are within the range of those of scikit-learn's GroupKFold. With `rng` the
    assignment is random.
    """
    counts = _count_of_queries(n_rows_of, n_relevant_of)
    order = np.argsort(-n_rows_of, kind="stable") if rng is None else _order_at_random(n_rows_of, rng)
    fold_of = _assign_to_smallest(counts, order, n_folds)
    fold_of = _reassign_equals(counts, order, fold_of, n_folds)
    folds = _Folds(counts, fold_of, np.ones(n_folds, dtype=np.int64), order)
    if rng is not None:
        _even_out(folds, [ROWS])
    loads = folds.loads[:, ROWS]
    folds.lowest, folds.highest = np.full(n_folds, loads.min()), np.full(n_folds, loads.max())
    _even_out(folds, [RELEVANT, QUERIES])
    return folds.fold_of


def draw_test(
    n_rows_of: np.ndarray, n_relevant_of: np.ndarray, n_test: int, rng: np.random.RandomState
) -> np.ndarray:
    """Draw `n_test` queries, with about their share of the rows, and then of the relevant documents.

    To keep the draw random, the exchange ends once both sets are within half a query of their shares.
    """
    n_queries = len(n_rows_of)
    counts, order = _count_of_queries(n_rows_of, n_relevant_of), _order_at_random(n_rows_of, rng)
    in_test = np.zeros(n_queries, dtype=np.int64)
    places = (np.arange(n_test) * n_queries + rng.randint(n_queries)) // n_test  # a systematic sample
    in_test[order[places]] = 1
    folds = _Folds(counts, in_test, np.array([n_queries - n_test, n_test]), order, rng)
    while folds.exchange(0, 1, [ROWS]):
        pass
    # In units of 1 / n_queries, as in `exchange`; within the slack a set can have any number of rows.
    wanted = folds.shares * counts[:, ROWS].sum()
    room = max(folds.slack[ROWS], abs(folds.loads[1, ROWS] * n_queries - wanted[1]))
    folds.lowest, folds.highest = -((room - wanted) // n_queries), (wanted + room) // n_queries
    while folds.exchange(0, 1, [RELEVANT]):
        pass
    return folds.fold_of == 1


def _count_of_queries(n_rows_of: np.ndarray, n_relevant_of: np.ndarray) -> np.ndarray:
    """Return the numbers of rows, relevant documents and queries (1) of each query.

    A last line of zeros fills up parcels of fewer than two queries.
    """
    counts = np.zeros((len(n_rows_of) + 1, 3), dtype=np.int64)
    counts[:-1, ROWS], counts[:-1, RELEVANT], counts[:-1, QUERIES] = n_rows_of, n_relevant_of, 1
    return counts


def _order_at_random(n_rows_of: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Return queries by decreasing size, rounded to a power of 2, in random order among equal sizes."""
    return np.lexsort((rng.random_sample(len(n_rows_of)), -np.frexp(n_rows_of)[1]))


def _assign_to_smallest(counts: np.ndarray, order: np.ndarray, n_folds: int) -> np.ndarray:
    """Assign each query in turn to the fold with the fewest rows so far."""
    lowest = [(0, 0, fold) for fold in range(n_folds)]  # a heap
    assigned = []
    for size in counts[order, ROWS].tolist():
        n_rows, n_queries, fold = lowest[0]
        heapreplace(lowest, (n_rows + size, n_queries + 1, fold))
        assigned.append(fold)
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[order] = assigned
    return fold_of


def _reassign_equals(counts: np.ndarray, order: np.ndarray, fold_of: np.ndarray, n_folds: int) -> np.ndarray:
    """Reassign queries of each size, keeping fold sizes; those with most relevant documents go first."""
    order = order[np.lexsort((-counts[order, RELEVANT], -counts[order, ROWS]))]
    starts = np.flatnonzero(np.diff(counts[order, ROWS], prepend=0))
    totals, assigned = [0] * n_folds, []
    for equals in np.split(order, starts[1:]):
        places = np.bincount(fold_of[equals]).tolist()
        lowest = [*compress(zip(totals, range(n_folds)), places)]
        heapify(lowest)
        for relevant in counts[equals, RELEVANT].tolist():
            n_relevant, fold = lowest[0]
            totals[fold] = n_relevant + relevant
            places[fold] -= 1
            if places[fold]:
                heapreplace(lowest, (totals[fold], fold))
            else:
                heappop(lowest)
            assigned.append(fold)
    reassigned = np.empty_like(fold_of)
    reassigned[order] = assigned
    return reassigned


def _even_out(folds: "_Folds", goals: list[int]) -> None:
    """Exchange queries between the folds that differ most, until no exchange helps or after N_TRIES."""
    failed: set[tuple[int, int]] = set()
    n_tries, improved = 0, True
    while improved and n_tries < N_TRIES:
        improved = False
        for pair in _list_pairs(folds.loads[:, goals]):
            if pair in failed:
                continue
            n_tries += 1
            if improved := folds.exchange(*pair, goals):
                failed = {other for other in failed if not set(pair) & set(other)}
                break
            failed.add(pair)


def _list_pairs(loads: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs of folds that an exchange can bring closer, in decreasing order of difference."""
    by_load = np.lexsort(loads.T[::-1])
    low, high = (part.ravel() for part in np.meshgrid(by_load[:N_EXTREME], by_load[-N_EXTREME:]))
    gaps = loads[high] - loads[low]
    first = np.lexsort(-gaps.T[::-1])
    useful = first[(np.abs(gaps[first]) > 1).any(axis=1) & (gaps[first, 0] >= 0)]
    return list(zip(low[useful].tolist(), high[useful].tolist()))


class _Folds:
    """Folds that exchange queries, with their totals of rows, relevant documents and queries.

    With `rng` they are the two sets of a random draw: their numbers of queries stay the same, and exchanges
    end once the sets are near their shares.
    """

    def __init__(
        self,
        counts: np.ndarray,  # of shape (n_queries + 1, 3), with a last line of zeros
        fold_of: np.ndarray,
        shares: np.ndarray,  # target size of each fold, relative to the others
        order: np.ndarray,  # the queries by size
        rng: np.random.RandomState | None = None,
    ):
        self.counts, self.fold_of, self.shares, self.rng = counts, fold_of, shares, rng
        n_folds, n_queries = len(shares), len(fold_of)
        self.loads = np.zeros((n_folds, 3), dtype=np.int64)
        np.add.at(self.loads, fold_of, counts[:-1])
        self.lowest, self.highest = np.zeros(n_folds, dtype=np.int64), np.full(n_folds, counts[:, ROWS].sum())
        self.slack = counts.sum(axis=0) // 2 if rng is not None else np.zeros(3, dtype=np.int64)
        self.rank = np.empty(n_queries, dtype=np.int64)
        self.rank[order] = np.arange(n_queries)
        by_fold = order[np.argsort(fold_of[order], kind="stable")]
        ends = np.cumsum(self.loads[:, QUERIES])
        self.movable = [_choose(part, N_SINGLE) for part in np.split(by_fold, ends[:-1])]

    def exchange(self, one: int, other: int, goals: Sequence[int]) -> bool:
        """Exchange the queries that bring two folds closest to their shares; return whether any do."""
        (given, gains), (taken, losses) = self._list_parcels(one), self._list_parcels(other)
        moved = gains[:, :, None] - losses[:, None, :]  # from one to other
        left, right = self.loads[one, ROWS] - moved[ROWS], self.loads[other, ROWS] + moved[ROWS]
        best = (left >= self.lowest[one]) & (left <= self.highest[one])
        best &= (right >= self.lowest[other]) & (right <= self.highest[other])
        if self.rng is not None:
            best &= moved[QUERIES] == 0
        shares, reached, now = self.shares, [], []
        for goal in goals:  # keep the best by the first goal, among them the best by the second, and so on
            apart = self.loads[one, goal] * shares[other] - self.loads[other, goal] * shares[one]
            then = np.abs(apart - moved[goal] * (shares[one] + shares[other]))
            then = np.maximum(then - self.slack[goal], 0)
            reached.append(then[best].min())
            now.append(max(abs(apart) - self.slack[goal], 0))
            best &= then == reached[-1]
        if reached >= now:
            return False
        i, j = divmod(int(best.argmax()), best.shape[1])
        self._move(given[i], one, other)
        self._move(taken[j], other, one)
        self.loads[one] -= moved[:, i, j]
        self.loads[other] += moved[:, i, j]
        return True

    def _list_parcels(self, fold: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of queries that a fold can exchange, called parcels, and the counts of each.

        A parcel of fewer than two queries is filled up with the number after the last query.
        """
        nobody, single, paired = len(self.fold_of), self.movable[fold], _choose(self.movable[fold], N_PAIRED)
        first, second = np.triu_indices(len(paired), 1)
        one = np.concatenate(([nobody], single, paired[first]))
        two = np.concatenate((np.full(1 + len(single), nobody), paired[second]))
        parcels = np.stack((one, two), axis=1)
        if self.rng is not None:
            parcels = self.rng.permutation(parcels)
        return parcels, self.counts[parcels].sum(axis=1).T

    def _move(self, parcel: np.ndarray, source: int, target: int) -> None:
        queries = parcel[parcel < len(self.fold_of)]
        self.fold_of[queries] = target
        self.movable[source] = np.setdiff1d(self.movable[source], queries, assume_unique=True)
        both = np.concatenate((self.movable[target], queries))
        self.movable[target] = both[np.argsort(self.rank[both])]


def _choose(queries: np.ndarray, n_most: int) -> np.ndarray:
    """Return the largest queries, and others at equal distances; all of them if they are few."""
    if len(queries) <= n_most:
        return queries
    largest, others = np.split(queries, [n_most // 2])
    n_others = n_most - len(largest)
    return np.concatenate((largest, others[np.arange(n_others) * len(others) // n_others]))
