"""Marked documents of ranked queries: counts by rank, expected over the orders of tied documents."""

from functools import cached_property

import numpy as np

from .._checks.codes import first_rows, rank_ids
from .ties import Cut, Cutoff, Ties, at_cutoffs, count, draw_odds, mean_products, running_sums


def fade_in_ties(sizes: np.ndarray, marked: np.ndarray, factor: float, k: int) -> np.ndarray:
    """Return, tie after tie, the expected value of marked documents at each place.

    Of t documents r >= 1 are marked. A place has a marked one with probability r / t. Its value is the mean
    product of as many values as there are places above it. They are drawn from the other t - 1: the `factor`
    for r - 1 marked ones, 1 for the rest. Places after the first k can get 0.
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
    return table[np.arange(ends[-1]) + np.repeat(starts[which.ravel()] - (ends - sizes), sizes)]


class Relevant:
    """Marked documents of a block; results that several metrics use are computed once."""

    def __init__(self, ties: Ties | None, ranks: np.ndarray, marks: np.ndarray, shown: np.ndarray):
        self.ties = ties  # ties whose order is open
        self.ranks = ranks
        self.marks = marks
        self.shown = shown  # marked documents that count at their rank

    @cached_property
    def n(self) -> np.ndarray:
        """Return the number of marked documents of each query."""
        return count(self.marks).astype(np.int64)

    @cached_property
    def sums(self) -> np.ndarray:
        """Return the number of shown documents down to each rank, with ties in one of their orders."""
        return running_sums(self.shown)

    @cached_property
    def in_ties(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of shown documents above each tie, and inside it."""
        assert self.ties is not None
        return self.ties.count(self.shown)

    @property
    def expected(self) -> np.ndarray:
        """Return the expected number of shown documents at each rank, 0 to 1."""
        return self.shown if self.ties is None else self.ties.spread(self.in_ties[1] / self.ties.sizes)

    @property
    def rank_sums(self) -> np.ndarray:
        """Return the sum of the expected ranks of the shown documents of each query."""
        if self.ties is None:
            return (self.shown * self.ranks).sum(axis=1)
        return self.ties.sum_rows(self.in_ties[1] * self.ties.mean_ranks)

    def in_top(self, k: Cutoff) -> np.ndarray:
        """Return the expected number of shown documents at the first `k` ranks."""
        if isinstance(k, np.ndarray):
            return at_cutoffs(self._in_tops, k)
        if k is None or k >= self.shown.shape[1]:
            return self.n if self.shown is self.marks else count(self.shown).astype(np.int64)
        if self.ties is None:
            return count(self.shown[:, :k]).astype(np.int64)
        last = self.ties.across(k - 1)
        above, marked = (counts[last] for counts in self.in_ties)
        return above + marked * (k - self.ties.columns[last]) / self.ties.sizes[last]

    @property
    def _in_tops(self) -> np.ndarray:
        """Return the expected number of shown documents at the first 1, 2, ... ranks."""
        if self.ties is None:
            return self.sums
        above, marked = (self.ties.spread(counts) for counts in self.in_ties)
        places = np.arange(1, self.shown.shape[1] + 1) - self.ties.spread(self.ties.columns)
        return above + marked * places / self.ties.spread(self.ties.sizes)

    def any_in_top(self, k: Cutoff) -> np.ndarray:
        """Return the probability that a shown document is at the first `k` ranks."""
        k = self.shown.shape[1] if k is None else k
        if not isinstance(k, np.ndarray):
            odds = self.at_first((self.ranks <= k).astype(np.float64))
        elif self.ties is None:
            odds = at_cutoffs(self.sums, k)
        else:
            ties, kinds, columns, odds_in_tie = self._first
            columns, odds_in_tie = columns[:, kinds], odds_in_tie[:, kinds]
            odds_by_rank = np.zeros(self.shown.shape)
            places, each = np.nonzero(odds_in_tie)
            odds_by_rank[self.ties.rows[ties[each]], columns[places, each]] = odds_in_tie[places, each]
            odds = at_cutoffs(np.cumsum(odds_by_rank, axis=1), k)
        return np.minimum(odds, 1)  # the sum of the probabilities is 1, except for rounding

    def at_first(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at the rank of the first shown document, 0 without one."""
        if self.ties is None:
            return np.append(values, 0).take(count(self.sums == 0))
        ties, kinds, columns, odds = self._first
        at_places = values.take(columns, mode="clip")  # clipped places have probability 0
        expected = np.zeros(len(self.shown))
        expected[self.ties.rows[ties]] = (odds * at_places).sum(axis=0)[kinds]
        return expected

    def fading(self, factor: float, k: int) -> np.ndarray:
        """Return the expected value of the shown documents at each rank, exact down to rank k.

        The value of a document is `factor` to the power of the number of shown documents above it.
        """
        powers = factor ** np.arange(self.shown.shape[1] + 1.0)
        worths = np.ascontiguousarray(np.where(self.shown, powers[self.sums - 1], 0.0))
        if self.ties is None:
            return worths
        above, marked = self.in_ties
        tied = np.flatnonzero((self.ties.sizes > 1) & (marked > 0))
        if len(tied):
            sizes = self.ties.sizes[tied]
            ends = np.cumsum(sizes)
            shifts = np.repeat(self.ties.heads[tied] - (ends - sizes), sizes)
            at_places = fade_in_ties(sizes, marked[tied], factor, k)
            places = np.arange(ends[-1]) + shifts
            worths.reshape(-1)[places] = np.repeat(powers[above[tied]], sizes) * at_places
        return worths

    @property
    def _first(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the first ties with marked documents, their kinds, and of each kind the columns and odds.

        The first of r marked among t documents is at the j-th place with probability C(t-j, r-1) / C(t, r).
        As binomials overflow, p(1) = r / t and p(j+1) = p(j) (t-j-r+1) / (t-j) are used.
        """
        assert self.ties is not None
        above, marked = self.in_ties
        tie = np.flatnonzero((above == 0) & (marked > 0))
        r, t, column = marked[tie], self.ties.sizes[tie], self.ties.columns[tie]
        width = np.int64(self.shown.shape[1] + 1)
        kinds = rank_ids((column * width + t) * width + r)  # many queries have equal ties
        some = first_rows(kinds)
        r, t, column = r[some], t[some], column[some]
        j = np.arange((t - r).max(initial=0) + 1)[:, None]
        ratios = np.maximum(t - r - j + 1, 0) / np.maximum(t - j, 1)
        ratios[0] = r / t
        return tie, kinds, column + j, np.cumprod(ratios, axis=0)

    def cut(self, k: int | None) -> Cut | None:
        """Describe the tie that contains rank k in each query; None if no tie can cross it."""
        if self.ties is None or k is None or k >= self.shown.shape[1]:
            return None
        last = self.ties.across(k - 1)
        above, marked = (counts[last] for counts in self.in_ties)
        columns = self.ties.columns[last]
        return Cut(columns, k - columns, above, draw_odds(self.ties.sizes[last], marked, k - columns))
