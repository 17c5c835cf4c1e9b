"""Blocks of ranked queries: the order of documents and ties, as formulas use them."""

from collections.abc import Callable
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from .relevant import Relevant
from .ties import Cutoff, Ties, arrange, count, count_inversions, last_cutoff, mark_first, running_sums

SHORT = 32  # documents up to which those of a rank are adjacent in memory, instead of those of a query
FEW_GRADES = 8  # grades up to which counting documents by grade is faster than sorting
FEW_CELLS = 2**11  # documents up to which sorting is faster

# Known best labels of some queries, by cutoff and by the type of the labels.
Best = dict[tuple[int | None, np.dtype], np.ndarray]


class Origin(NamedTuple):
    """The origin of the queries of a block."""

    members: np.ndarray  # indices among all queries
    places: slice  # position among all queries, block after block
    best: Best
    highest: float  # highest label of all queries
    rows_of: Callable[[], np.ndarray]  # row number of each document, in the order of the keys


class Ranking(NamedTuple):
    """The documents of queries by rank, one row per query."""

    labels: np.ndarray  # float64, or small integers in int8; padding is 0
    ties: Ties | None  # of tied scores; None if no two are tied
    lengths: np.ndarray  # number of judged documents
    n_retrieved: np.ndarray  # number of them with a score above -inf, which come first
    keys: Callable[[], np.ndarray]  # negated scores, not sorted
    is_padded: bool  # whether some queries have fewer judged documents than ranks


class Block:
    """Queries of similar length, one per row, with their documents in rank order."""

    def __init__(self, origin: Origin, ranking: Ranking, settled: bool):
        self.members = origin.members  # indices of the queries
        self.places = origin.places  # position of the queries among those of all blocks
        self.lengths = ranking.lengths  # number of judged documents of each query
        self.n_retrieved = ranking.n_retrieved  # of those with a rank (a score above -inf), which come first
        self.ranks = np.arange(1, ranking.labels.shape[1] + 1, dtype=np.float64)
        self.ties = ranking.ties  # documents with tied scores; None if no two are tied
        self.open_ties = None if settled else ranking.ties  # None if the tie rule has settled their order
        self._labels = ranking.labels
        self._keys = ranking.keys
        self._marked: dict[tuple[float, bool], Relevant] = {}
        self._ties_of_first: dict[int, Ties] = {}
        self._best = origin.best
        self._highest = origin.highest
        self._is_padded = ranking.is_padded
        self._rows_of = origin.rows_of

    @cached_property
    def labels(self) -> np.ndarray:
        """Return the labels by rank, float64 or small integers in int32; padding is 0."""
        return _widen(self._labels)

    @property
    def scores(self) -> np.ndarray:
        """Return the scores by rank; padding is 0."""
        return self.judged(-np.sort(self._keys(), axis=1))

    @property
    def rows(self) -> np.ndarray:
        """Return the row number of each document by rank; tied documents are in row order."""
        return np.take_along_axis(self._rows_of(), np.argsort(self._keys(), axis=1, kind="stable"), axis=1)

    def best_labels(self, k: Cutoff) -> np.ndarray:
        """Return the `k` highest labels of each query from high to low."""
        k = last_cutoff(k)
        key = k, self._labels.dtype
        if key not in self._best:
            self._best[key] = self._find_best(k)
        return self._best[key]

    def _find_best(self, k: int | None) -> np.ndarray:
        if self._labels.dtype.kind == "f" or self._highest > FEW_GRADES:
            return np.ascontiguousarray(np.sort(self.labels, axis=1)[:, ::-1][:, :k])
        n_ranks = len(self.ranks)
        if self._labels.size <= FEW_CELLS:
            best = np.sort(self._labels, axis=1)[:, ::-1][:, :k]
            return best.astype(np.int32, order="F" if n_ranks <= SHORT else "C")
        grades = np.arange(1, self._highest + 1, dtype=np.int8)[:, None, None]
        if n_ranks <= SHORT:  # documents of a rank are adjacent
            counts = count(grades <= np.ascontiguousarray(self._labels.T), axis=1)[:, None, :]
            places = np.arange(n_ranks, dtype=counts.dtype)[:k, None]
            return count(places < counts, axis=0).T.astype(np.int32)
        counts = count(grades <= self._labels, axis=2)[:, :, None]
        places = np.arange(n_ranks, dtype=counts.dtype)[:k]
        return count(places < counts, axis=0).astype(np.int32)  # the n-th has a grade if n have at least it

    def marks(self, lowest: float) -> np.ndarray:
        """Mark the documents labeled `lowest` > 0 or higher."""
        if self._labels.dtype.kind == "f":
            return self._labels >= lowest
        return self._labels >= np.int8(min(ceil(lowest), 127))

    def relevant(self, lowest: float, ranked_only: bool = True) -> Relevant:
        """Return the documents labeled `lowest` > 0 or higher: all, or those with a rank at their ranks."""
        masked = ranked_only and self.n_retrieved is not self.lengths
        if (lowest, masked) not in self._marked:
            marks = self.marks(lowest)
            shown = self.retrieved(marks) if masked else marks
            self._marked[lowest, masked] = Relevant(self.open_ties, self.ranks, marks, shown)
        return self._marked[lowest, masked]

    def judged(self, values: np.ndarray) -> np.ndarray:
        """Set the padding to 0."""
        return _zero_after(values, self.lengths) if self._is_padded else values

    def retrieved(self, values: np.ndarray) -> np.ndarray:
        """Set the padding, and the documents without a rank, to 0."""
        if self.n_retrieved is self.lengths and not self._is_padded:
            return values
        return _zero_after(values, self.n_retrieved)

    def top_labels(self, k: Cutoff) -> np.ndarray:
        """Return the labels of the first ranks, including all documents that can be at the first `k`."""
        k = last_cutoff(k)
        if k is None or k >= len(self.ranks):
            return self.labels
        if self.open_ties is not None:  # ties can cross the cutoff
            k = int(self.open_ties.ends(k - 1).max())
        return _widen(self._labels[:, :k])

    def expected(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each rank: the mean of its tie.

        For values at the ranks of `top_labels(k)`, only the results at the first k ranks are valid.
        """
        ties = self._open_ties_of(values.shape[1])
        return values if ties is None else ties.mean(values)

    def _open_ties_of(self, n_ranks: int) -> Ties | None:
        """Return the open ties of the first ranks, none of which is cut."""
        if self.open_ties is None or n_ranks == len(self.ranks):
            return self.open_ties
        if n_ranks not in self._ties_of_first:
            self._ties_of_first[n_ranks] = Ties(self.open_ties.opens[:, :n_ranks])
        return self._ties_of_first[n_ranks]

    def of_top(self, marks: np.ndarray) -> Relevant:
        """Return the marked documents with a rank, among the ranks of `top_labels(k)`."""
        shown = self.retrieved(marks)
        return Relevant(self._open_ties_of(marks.shape[1]), self.ranks, shown, shown)

    def of_ties(self, values: np.ndarray, first: bool) -> np.ndarray:
        """Return at each rank the value at the first or at the last rank of its tie."""
        if self.ties is None:
            return values
        ends = self.ties.heads if first else self.ties.heads + self.ties.sizes - 1
        return self.ties.spread(values.ravel()[ends])

    def capped_above(self, marks: np.ndarray, caps: np.ndarray) -> np.ndarray:
        """Return the expected min(marked documents above, cap) of documents that are not marked.

        Caps can be fractions. With m marked documents in its tie and h above the tie, h, h + 1, ..., h + m
        are equally likely.
        """
        caps = caps[:, None]
        if self.open_ties is None:
            return np.minimum(running_sums(marks) - marks, caps)
        h, m = (self.open_ties.spread(counts) for counts in self.open_ties.count(marks))
        n_below = np.clip(np.ceil(caps - h), 0, m + 1)
        return (n_below * (h + (n_below - 1) / 2) + (m + 1 - n_below) * caps) / (m + 1)

    def running_product(self, values: np.ndarray, k: int | None) -> np.ndarray:
        """Return the expected product of the values at the first 1, 2, ... ranks, up to rank k."""
        if self.open_ties is None:
            return np.cumprod(values[:, :k], axis=1)
        n_ranks = values.shape[1]
        return self.open_ties.running_product(values, min(k or n_ranks, n_ranks))[:, :k]

    def n_inversions(self, open_ties: Ties | None) -> np.ndarray:
        """Count the pairs whose lower document has the higher label, except pairs inside open ties."""
        return count_inversions(self._code(self.labels, open_ties))

    def weigh_pairs(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum the weights of the lower ranks over pairs in the order of their labels, and reversed.

        Pairs inside open ties are left out, because each order of them is equally likely.
        """
        weights = self.expected(np.tile(weights, (len(self.labels), 1)))
        upside_down, as_is = (self._code(labels, self.open_ties) for labels in (-self.labels, self.labels))
        return count_inversions(upside_down, weights), count_inversions(as_is, weights)

    def _code(self, labels: np.ndarray, open_ties: Ties | None) -> np.ndarray:
        """Number the labels by their order, from high to low inside open ties."""
        labels = labels if open_ties is None else arrange(labels, open_ties, best=True)
        return self.judged(np.searchsorted(np.unique(labels), labels))  # padding is not higher than any label

    def n_equal_labels(self, inside: Ties | None = None) -> np.ndarray:
        """Count the pairs of judged documents with equal labels: all, or those inside ties of scores."""
        if inside is None:
            in_order = np.sort(self._judged_labels(), axis=1)
            return Ties.of(in_order).n_pairs(self.lengths)
        in_order = arrange(self._judged_labels(), inside, best=True)
        return Ties(inside.opens | Ties.of(in_order).opens).n_pairs(self.lengths)

    def mean_ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rank of each judged document by label and by score; ties have their mean rank."""
        labels = -self._judged_labels()
        order = np.argsort(labels, axis=1)
        by_label = np.empty(labels.shape)
        ties = Ties.of(np.take_along_axis(labels, order, axis=1))
        np.put_along_axis(by_label, order, ties.spread(ties.mean_ranks), axis=1)
        if self.ties is None:
            return by_label, np.tile(self.ranks, (len(labels), 1))
        return by_label, self.ties.spread(self.ties.mean_ranks)

    def _judged_labels(self) -> np.ndarray:
        return np.where(mark_first(self.lengths, self.labels), self.labels, np.nan)


def _widen(labels: np.ndarray) -> np.ndarray:
    """Convert small integers to a type for the results of calculations."""
    return labels if labels.dtype.kind == "f" else labels.astype(np.int32)


def _zero_after(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Set each row to 0 after its first `counts` cells."""
    if counts.min() >= values.shape[1]:
        return values
    return np.where(mark_first(counts, values), values, values.dtype.type(0))
