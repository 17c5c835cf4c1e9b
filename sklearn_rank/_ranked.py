"""A block of ranked queries: what a formula may ask about the order of documents and about ties.

It knows nothing about any metric: it takes a value per document, in rank order, and gives back what is
expected over the orders of tied documents.
"""

from collections.abc import Callable
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np

from ._marked import Marked
from ._ties import Runs, arrange, count, count_inversions, mark_first, running_sums

SHORT = 32  # documents up to which those of a rank lie together in memory, and not those of a query
FEW_GRADES = 8  # up to here counting the documents of each grade is faster than sorting them


class Ranking(NamedTuple):
    """The documents of queries by rank, a row per query."""

    labels: np.ndarray  # float64, or small integers in int8; 0 where a shorter query is padded
    tied: Runs | None  # runs of equal scores; None without ties
    lengths: np.ndarray  # documents judged
    n_retrieved: np.ndarray  # those of them with a score above -inf, which come first
    keys: Callable[[], np.ndarray]  # the negated scores, in no order


class Block:
    """Queries of similar length, a row each, their documents in rank order.

    Attributes
    ----------
    members : ndarray of shape (n_queries,)
        The queries.
    labels : ndarray of shape (n_queries, n_ranks)
        Labels by rank, float64 or small integers in int32; 0 where a shorter query is padded.
    lengths, n_retrieved : ndarray of shape (n_queries,)
        Documents judged, and those of them with a rank (a score above -inf), which come first.
    ranks : ndarray of shape (n_ranks,)
        1, 2, ..., n_ranks.
    tied : Runs or None
        Runs of equal scores; None without ties.
    runs : Runs or None
        Those of them whose order is open; None where the tie rule has settled it.
    """

    def __init__(self, members: np.ndarray, ranking: Ranking, settled: bool):
        self.members = members
        self.lengths = ranking.lengths
        self.n_retrieved = ranking.n_retrieved
        self.ranks = np.arange(1, ranking.labels.shape[1] + 1, dtype=np.float64)
        self.tied = ranking.tied
        self.runs = None if settled else ranking.tied
        self._labels = ranking.labels
        self._keys = ranking.keys
        self._marked: dict[tuple[float, bool], Marked] = {}
        self._first_runs: dict[int, Runs] = {}
        self._distinct: dict[float, Distinct | None] = {}

    @cached_property
    def labels(self) -> np.ndarray:
        """Return the labels in a type to calculate with."""
        return _widen(self._labels)

    @property
    def scores(self) -> np.ndarray:
        """Return the scores by rank; 0 where a shorter query is padded."""
        return self.judged(-np.sort(self._keys(), axis=1))

    def best_labels(self, k: int | None) -> np.ndarray:
        """Return the `k` highest labels of each query from high to low."""
        highest = self._labels.max()
        if self._labels.dtype.kind == "f" or highest > FEW_GRADES:
            return np.ascontiguousarray(np.sort(self.labels, axis=1)[:, ::-1][:, :k])
        grades = np.arange(1, highest + 1, dtype=np.int8)[:, None, None]
        n_ranks = len(self.ranks)
        if n_ranks <= SHORT:  # documents of a rank together
            counts = count(grades <= np.ascontiguousarray(self._labels.T), axis=1)[:, None, :]
            places = np.arange(n_ranks, dtype=counts.dtype)[:k, None]
            return count(places < counts, axis=0).T.astype(np.int32)
        counts = count(grades <= self._labels, axis=2)[:, :, None]
        places = np.arange(n_ranks, dtype=counts.dtype)[:k]
        return count(places < counts, axis=0).astype(np.int32)  # the n-th has a grade if n have it or more

    def marks(self, lowest: float) -> np.ndarray:
        """Mark the documents labelled `lowest` > 0 or higher."""
        if self._labels.dtype.kind == "f":
            return self._labels >= lowest
        return self._labels >= np.int8(min(ceil(lowest), 127))

    def relevant(self, lowest: float, ranked_only: bool = True) -> Marked:
        """Return the documents labelled `lowest` > 0 or higher, all or those with a rank at their ranks."""
        masked = ranked_only and self.n_retrieved is not self.lengths
        if (lowest, masked) not in self._marked:
            marks = self.marks(lowest)
            shown = self.retrieved(marks) if masked else marks
            self._marked[lowest, masked] = Marked(self.runs, self.ranks, marks, shown)
        return self._marked[lowest, masked]

    def distinct(self, lowest: float) -> "Distinct | None":
        """Return queries that differ in which ranks hold a label >= `lowest`, each for all that are like it.

        Short lists repeat each other: of ten documents, relevant or not, there are 1024. None where lists are
        longer, or where more than the ranks of the relevant documents may differ.
        """
        if lowest not in self._distinct:
            self._distinct[lowest] = self._find_distinct(self.marks(lowest))
        return self._distinct[lowest]

    def _find_distinct(self, marks: np.ndarray) -> "Distinct | None":
        n_queries, n_ranks = marks.shape
        many = n_ranks > SHORT or 2**n_ranks > 4 * n_queries
        if many or self.n_retrieved is not self.lengths or self.lengths.min() < n_ranks:
            return None
        if self.tied is not None and not (self.tied.opens == self.tied.opens[0]).all():
            return None
        codes: np.ndarray = np.zeros(n_queries, dtype=np.uint16 if n_ranks <= 16 else np.int64)
        for column in marks.T:
            codes <<= 1
            codes |= column
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        queries = np.empty_like(counts)
        queries[codes] = np.arange(n_queries)
        return Distinct(self._take(queries[present]), counts[present], codes, present)

    def _take(self, queries: np.ndarray) -> "Block":
        """Return a block of some of the queries, all of whose documents have a rank."""
        lengths = self.lengths[queries]
        labels = np.asarray(self._labels[queries], order="C" if self._labels.flags.c_contiguous else "F")
        tied = None if self.tied is None else Runs(self.tied.opens[queries])
        ranking = Ranking(labels, tied, lengths, lengths, lambda: self._keys()[queries])
        return Block(self.members[queries], ranking, settled=self.runs is None)

    def judged(self, values: np.ndarray) -> np.ndarray:
        """Zero the padding."""
        return _zero_after(values, self.lengths)

    def retrieved(self, values: np.ndarray) -> np.ndarray:
        """Zero the padding and the documents without a rank."""
        return _zero_after(values, self.n_retrieved)

    def top_labels(self, k: int | None) -> np.ndarray:
        """Return the labels of the first ranks, as many as have documents that may stand at the first `k`."""
        if k is None or k >= len(self.ranks):
            return self.labels
        if self.runs is not None:  # ties may reach across the cutoff
            last = self.runs.across(k - 1)
            k = int((self.runs.columns[last] + self.runs.sizes[last]).max())
        return _widen(self._labels[:, :k])

    def expected(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each rank: the mean of its run of tied documents.

        Of values of the ranks of `top_labels(k)` it returns those expected at the first k; none beyond count.
        """
        if self.runs is None:
            return values
        n_ranks = values.shape[1]
        if n_ranks not in self._first_runs:
            whole = n_ranks == len(self.ranks)
            self._first_runs[n_ranks] = self.runs if whole else Runs(self.runs.opens[:, :n_ranks])
        return self._first_runs[n_ranks].mean(values)

    def capped_above(self, marks: np.ndarray, caps: np.ndarray) -> np.ndarray:
        """Return the expected min(marked documents above, cap) of a document that is not marked.

        With m marked documents in its run and h above the run, h, h + 1, ..., h + m are equally likely.
        """
        caps = caps[:, None]
        if self.runs is None:
            return np.minimum(running_sums(marks) - marks, caps)
        h, m = (self.runs.spread(counts) for counts in self.runs.count(marks))
        n_below = np.clip(caps - h, 0, m + 1)
        return (n_below * (h + (n_below - 1) / 2) + (m + 1 - n_below) * caps) / (m + 1)

    def running_product(self, values: np.ndarray, k: int | None) -> np.ndarray:
        """Return the expected product of the values at the first 1, 2, ... ranks, up to rank k."""
        if self.runs is None:
            return np.cumprod(values[:, :k], axis=1)
        n_ranks = values.shape[1]
        return self.runs.running_product(values, min(k or n_ranks, n_ranks))[:, :k]

    def n_inversions(self, open_runs: Runs | None) -> np.ndarray:
        """Count the pairs whose lower document has the higher label, those inside open runs left out."""
        labels = self.labels if open_runs is None else arrange(self.labels, open_runs, best=True)
        codes = self.judged(np.searchsorted(np.unique(labels), labels))  # the padding no higher than any
        return count_inversions(codes)

    def n_equal_labels(self, inside: Runs | None = None) -> np.ndarray:
        """Count the pairs of judged documents with equal labels, of all or inside runs of equal scores."""
        if inside is None:
            in_order = np.sort(self._judged_labels(), axis=1)
            return Runs.of(in_order).n_pairs(self.lengths)
        in_order = arrange(self._judged_labels(), inside, best=True)
        return Runs(inside.opens | Runs.of(in_order).opens).n_pairs(self.lengths)

    def mean_ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rank of each judged document by label and by score, equal ones at their mean rank."""
        labels = -self._judged_labels()
        order = np.argsort(labels, axis=1)
        by_label = np.empty(labels.shape)
        in_order = np.take_along_axis(labels, order, axis=1)
        runs = Runs.of(in_order)
        np.put_along_axis(by_label, order, runs.spread(runs.mean_ranks), axis=1)
        if self.tied is None:
            return by_label, np.tile(self.ranks, (len(labels), 1))
        return by_label, self.tied.spread(self.tied.mean_ranks)

    def _judged_labels(self) -> np.ndarray:
        return np.where(mark_first(self.lengths, self.labels), self.labels, np.nan)


class Distinct(NamedTuple):
    """Queries that stand for all those whose relevant documents have the same ranks."""

    block: Block
    counts: np.ndarray  # how many each stands for
    codes: np.ndarray  # of all queries
    present: np.ndarray  # codes of those of the block

    def of_each(self, values: np.ndarray) -> np.ndarray:
        """Return the values of all queries, of shape (n, n_queries), from those of the block."""
        by_code = np.empty((len(values), self.present[-1] + 1))
        by_code[:, self.present] = values
        return by_code[:, self.codes]


def _widen(labels: np.ndarray) -> np.ndarray:
    """Return small integers as those of a type that holds what is calculated from them."""
    return labels if labels.dtype.kind == "f" else labels.astype(np.int32)


def _zero_after(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Zero each row after its first `counts` cells."""
    if counts.min() >= values.shape[1]:
        return values
    return np.where(mark_first(counts, values), values, values.dtype.type(0))
