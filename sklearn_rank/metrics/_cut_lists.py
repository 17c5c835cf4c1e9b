"""Detection of lists that were cut at k, without the rows of other documents that were not retrieved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._checks.rows import Scores
from .._engine.prepared import PreparedRows

CHANCE = 0.001  # probability below which it is not chance that documents without a rank are relevant
EXCEPTIONS = 0.05  # share of the expected number of such documents that can be not relevant
# Lists are taken to be cut if there are enough, most have one length and few are shorter.
FEW_LISTS, MOST, SHORTER = 10, 0.5, 0.05


class RetrievedLists(NamedTuple):
    """Retrieved and other documents of each query."""

    retrieved: np.ndarray
    lost: np.ndarray  # rows with the score -inf, and documents that are not rows
    not_relevant: np.ndarray  # of the lost ones
    expected: np.ndarray  # the mean of `not_relevant` if chance decided which documents are lost
    is_met: np.ndarray  # whether documents of the query are not rows

    def take(self, queries: np.ndarray) -> RetrievedLists:
        """Return some of the queries."""
        return RetrievedLists(*(each[queries] for each in self))

    def sum(self) -> CutLists:
        """Return sums over the queries, and the number of lists of each length."""
        lengths, counts = np.unique(self.retrieved[self.retrieved > 0], return_counts=True)
        n_lost, n_not_relevant, n_met = (
            int(each.sum()) for each in (self.lost, self.not_relevant, self.is_met)
        )
        by_length = dict(zip(lengths.tolist(), counts.tolist()))
        return CutLists(n_lost, n_not_relevant, float(self.expected.sum()), n_met, by_length)


class CutLists(NamedTuple):
    """Sums over queries, which show whether lists were cut; sums of several batches can be added."""

    n_lost: int = 0
    n_not_relevant: int = 0
    n_expected: float = 0.0
    n_met: int = 0  # queries with documents that are not rows
    lengths: Mapping[int, int] = {}  # number of lists of each length

    def add(self, other: CutLists) -> CutLists:
        """Return the sums of both."""
        lengths = dict(self.lengths)
        for length, count in other.lengths.items():
            lengths[length] = lengths.get(length, 0) + count
        return CutLists(
            self.n_lost + other.n_lost,
            self.n_not_relevant + other.n_not_relevant,
            self.n_expected + other.n_expected,
            self.n_met + other.n_met,
            lengths,
        )

    @property
    def are_relevant(self) -> bool:
        """Return whether almost all lost documents are relevant, and too many of them to be so by chance.

        Chance leaves the number of relevant documents of each query as it is. By Chernoff's bound, m of them
        are then not relevant with a probability of at most exp(m - e) * (e / m)**m, where e are expected.
        This is at most CHANCE if m is 0 and e is at least -log(CHANCE), or if e is at least 20 m >= 20.
        """
        enough = self.n_expected >= -np.log(CHANCE)
        return bool(enough and self.n_not_relevant <= EXCEPTIONS * self.n_expected)

    @property
    def depth(self) -> int | None:
        """Return the length at which lists were cut, or None if lengths differ or rows look complete."""
        n_lists = sum(self.lengths.values())
        if n_lists < FEW_LISTS or not (self.n_met or self.are_relevant):
            return None
        depth = max(self.lengths, key=lambda length: (self.lengths[length], -length))  # ties lengthen lists
        n_shorter = sum(count for length, count in self.lengths.items() if length < depth)
        is_cut = depth > 1 and self.lengths[depth] >= MOST * n_lists and n_shorter <= SHORTER * n_lists
        return depth if is_cut else None


def find_lists(rows: PreparedRows, scores: Scores) -> RetrievedLists:
    """Count the retrieved and the other documents of each query, in the order of the ids.

    If the length at which lists were cut is known, only `is_met` is counted.
    """
    lengths, (order, firsts) = rows.queries.lengths, rows.queries[:2]
    none = np.zeros(len(lengths), dtype=np.int64)
    is_met = none
    if rows.n_missed:
        is_row = np.arange(len(rows.given)) < len(rows.given) - rows.n_missed
        is_met = ~np.logical_and.reduceat(is_row if order is None else is_row[order], firsts)
    if rows.depth is not None:
        counts = RetrievedLists(none, none, none, none, is_met)
    elif scores.lowest == -np.inf:
        counts = count_lost(rows, scores.values == -np.inf)._replace(is_met=is_met)
    else:
        counts = RetrievedLists(lengths, none, none, none, is_met)
    return RetrievedLists(*map(rows.queries.by_id, counts))


def count_lost(rows: PreparedRows, is_lost: np.ndarray) -> RetrievedLists:
    """Count the lost documents of each query."""
    lengths, (order, firsts) = rows.queries.lengths, rows.queries[:2]
    is_relevant = rows.given > 0
    marks = is_lost, is_lost & ~is_relevant, is_relevant
    in_order = (each if order is None else each[order] for each in marks)
    lost, not_relevant, relevant = (np.add.reduceat(each, firsts, dtype=np.int64) for each in in_order)
    expected = lost * (1 - relevant / lengths)
    return RetrievedLists(lengths - lost, lost, not_relevant, expected, np.zeros(len(lengths), dtype=bool))
