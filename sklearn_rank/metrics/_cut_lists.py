"""Detection of lists that were cut at k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._checks.rows import Scores
from .._engine.prepared import PreparedRows

FEWEST = 10  # queries with documents without a rank


class RetrievedLists(NamedTuple):
    """Ranked and other documents of each query."""

    n_ranked: np.ndarray
    has_lost: np.ndarray  # whether documents have no rank: rows with the score -inf, or not rows
    is_met: np.ndarray  # whether documents are not rows
    n_others: np.ndarray  # documents without a rank that are not relevant

    def take(self, queries: np.ndarray) -> RetrievedLists:
        return RetrievedLists(*(each[queries] for each in self))

    def sum(self) -> CutLists:
        """Return the counts of all queries."""
        longest = int(self.n_ranked.max(initial=0))
        n_full = int(np.count_nonzero(self.n_ranked[self.has_lost] == longest))
        return CutLists(longest, n_full, *(int(each.sum()) for each in self[1:]))


class CutLists(NamedTuple):
    """Counts that show whether lists were cut."""

    longest: int = 0  # the largest number of ranked documents
    n_full: int = 0  # queries that have documents without a rank, and this number of ranked ones
    n_lost: int = 0  # queries that have documents without a rank
    n_met: int = 0  # queries that have documents that are not rows
    n_others: int = 0  # documents without a rank that are not relevant

    def add(self, other: CutLists) -> CutLists:
        """Return the counts of the queries of both."""
        longest = max(self.longest, other.longest)
        n_full = sum(each.n_full for each in (self, other) if each.longest == longest)
        return CutLists(longest, n_full, *(a + b for a, b in zip(self[2:], other[2:])))

    @property
    def depth(self) -> int | None:
        """Return k if no query has more than k ranked documents and most have exactly k.

        Only queries with documents without a rank are counted; others were not cut.
        """
        is_cut = self.longest > 1 and self.n_lost >= FEWEST and 2 * self.n_full > self.n_lost
        return self.longest if is_cut else None


def find_lists(rows: PreparedRows, scores: Scores) -> RetrievedLists:
    """Count the ranked documents of each query, in the order of the ids.

    If the length at which lists were cut is known, only `is_met` is found.
    """
    lengths, (order, firsts) = rows.queries.lengths, rows.queries[:2]

    def count(marks: np.ndarray) -> np.ndarray:
        return np.add.reduceat(marks if order is None else marks[order], firsts, dtype=np.int64)

    none = np.zeros(len(lengths), dtype=np.int64)
    is_lost = scores.lowest == -np.inf and rows.depth is None
    is_unranked = scores.values == -np.inf
    n_lost = count(is_unranked) if is_lost else none
    n_others = count(is_unranked & ~(rows.given > 0)) if is_lost else none
    n_missed = count(np.arange(len(rows.given)) >= len(rows.given) - rows.n_missed) if rows.n_missed else none
    counts = none if rows.depth is not None else lengths - n_lost, n_lost > 0, n_missed > 0, n_others
    return RetrievedLists(*map(rows.queries.by_id, counts))
