"""Ties in closed form: expectations over all orders of documents with tied scores."""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

# The type of `k` in formulas: a cutoff, None for all ranks, or a column of the cutoffs 1, 2, ...
Cutoff: TypeAlias = int | np.ndarray | None
LONG, SHARE = 2**9, 8  # ties of at least this many documents, and times as many as matter, are halved
FEW_RANKS = 2**10  # ranks up to which differences of their sums keep 13 digits
MEAN_SIZE = 6  # of ties above which the sum of each tie takes less time than running sums
NEGLIGIBLE = 2.0**-60  # smaller products have no effect when added to 1 in float64


def count(marks: np.ndarray, axis: int = 1) -> np.ndarray:
    """Count the marks of each row, in a small type that can hold their number."""
    dtype = np.uint8 if marks.shape[axis] < 256 else np.int32
    axes = "ijk"[: marks.ndim]
    sums = f"{axes}->{axes.replace(axes[axis], '')}"
    counts: np.ndarray = np.einsum(sums, marks.view(np.uint8), dtype=dtype, casting="unsafe")
    return counts  # `np.sum` takes up to four times as long if rows are short


def mark_first(counts: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Mark the first `counts` cells of each row, in the memory order of another matrix."""
    places = np.arange(like.shape[1], dtype=counts.dtype)
    return np.less(places, counts[:, None], order="C" if like.flags.c_contiguous else "F")


def running_sums(values: np.ndarray) -> np.ndarray:
    """Return the sums of the first 1, 2, ... values of each row; rank by rank if ranks are adjacent."""
    dtype = np.int32 if values.dtype == bool else values.dtype  # the fastest type for sums
    if values.flags.c_contiguous or not values.flags.f_contiguous:
        return np.cumsum(values, axis=1, dtype=dtype)
    sums = values.astype(dtype, order="F")
    for above, here in pairwise(sums.T):
        here += above
    return sums


def last_cutoff(k: Cutoff) -> int | None:
    """Return the highest of the cutoffs."""
    return len(k) if isinstance(k, np.ndarray) else k


def at_cutoffs(sums: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return running sums at cutoffs 1, 2, ..., one row per cutoff; they are constant below the last rank."""
    n_below = max(len(k) - sums.shape[1], 0)
    whole = np.concatenate([sums, *[sums[:, -1:]] * n_below], axis=1) if n_below else sums
    return whole[:, : len(k)].T


def sum_top(values: np.ndarray, k: Cutoff) -> np.ndarray:
    """Sum the values of the ranks up to k."""
    if isinstance(k, np.ndarray):
        return at_cutoffs(running_sums(values[:, : len(k)]), k)
    return values[:, :k].sum(axis=1)


class Ties:
    """Ties of equal neighbors in the rows of a matrix, numbered row by row."""

    def __init__(self, opens: np.ndarray):
        self.opens = opens  # where a tie begins; the padding of a row is one or several ties of its own

    @cached_property
    def heads(self) -> np.ndarray:
        """Return the first cell of each tie, row by row."""
        return np.flatnonzero(self.opens)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Return the number of cells of each tie."""
        sizes = np.empty_like(self.heads)
        np.subtract(self.heads[1:], self.heads[:-1], out=sizes[:-1])
        sizes[-1] = self.opens.size - self.heads[-1]
        return sizes

    @cached_property
    def rows(self) -> np.ndarray:
        return self.heads // self.opens.shape[1]

    @cached_property
    def columns(self) -> np.ndarray:
        """Return the column of the first cell of each tie."""
        return self.heads - self.rows * self.opens.shape[1]

    @classmethod
    def between(cls, tied: np.ndarray) -> "Ties":
        """Find the ties in rows, given whether each cell from the second one equals the cell before it."""
        opens = np.ones((len(tied), tied.shape[1] + 1), dtype=bool)
        np.logical_not(tied, out=opens[:, 1:])
        return cls(opens)

    @classmethod
    def of(cls, rows: np.ndarray) -> "Ties":
        """Find the ties of equal values in sorted rows; NaN equals nothing."""
        opens, values = np.ones(rows.shape, dtype=bool), rows.ravel()
        np.not_equal(values[1:], values[:-1], out=opens.reshape(-1)[1:])
        opens[:, 0] = True
        return cls(opens)

    @cached_property
    def _firsts(self) -> np.ndarray:
        """Return the first tie of each row."""
        return np.flatnonzero(self.columns == 0)

    @property
    def is_last(self) -> np.ndarray:
        """Mark the last cell of each tie."""
        return np.concatenate((self.opens[:, 1:], np.ones((len(self.opens), 1), dtype=bool)), axis=1)

    def n_pairs(self, lengths: np.ndarray) -> np.ndarray:
        """Return the number of pairs inside ties, per row, without the padding."""
        inside = self.columns < lengths[self.rows]
        return self.sum_rows(np.where(inside, self.sizes * (self.sizes - 1) // 2, 0))

    @property
    def mean_ranks(self) -> np.ndarray:
        """Return the mean rank of each tie in its row, from 1."""
        return self.columns + (self.sizes + 1) / 2

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of the cells of each tie."""
        return np.add.reduceat(values.astype(np.float64, copy=False).ravel(), self.heads)

    @property
    def are_many(self) -> bool:
        """Return whether many cells of many short rows are tied, so that a value per tie takes less time."""
        n_ranks = self.opens.shape[1]
        return n_ranks <= FEW_RANKS and 4 * (len(self.heads) + 4 * n_ranks) < 3 * self.opens.size

    def sum_ranks(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of the ranks of each tie, given one value per rank, exact to the last digit."""
        sums = np.concatenate(([0.0], np.cumsum(values)))
        added = np.diff(sums)
        lost = (sums[:-1] - (sums[1:] - added)) + (values - added)  # by rounding, in each sum (Knuth)
        all_lost = np.concatenate(([0.0], np.cumsum(lost)))
        ends = self.columns + self.sizes
        return (sums[ends] - sums[self.columns]) + (all_lost[ends] - all_lost[self.columns])

    def sum_rows(self, per_tie: np.ndarray) -> np.ndarray:
        return np.add.reduceat(per_tie, self._firsts)

    def spread(self, per_tie: np.ndarray) -> np.ndarray:
        """Repeat the value of each tie for its cells."""
        return np.repeat(per_tie, self.sizes).reshape(self.opens.shape)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Replace the value of each cell by the mean of its tie."""
        flat = self.opens.reshape(-1)
        if 4 * np.count_nonzero(flat) < 3 * flat.size:  # selecting that many tied cells takes longer
            return self.spread(self.sum(values) / self.sizes)
        means = np.array(values, dtype=np.float64, order="C")
        are_tied = ~flat  # with the cell before or, after the next line, with the next one
        are_tied[:-1] |= ~flat[1:]
        cells = np.flatnonzero(are_tied)  # few; the other cells do not change
        if len(cells):
            few = Ties(flat[cells])
            means.reshape(-1)[cells] = few.spread(few.sum(means.reshape(-1)[cells]) / few.sizes)
        return means

    def count(self, marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Count the marks above each tie in its row, and those in it."""
        if MEAN_SIZE * len(self.heads) < marks.size:
            inside = np.add.reduceat(marks.ravel().view(np.uint8), self.heads, dtype=np.int64)
            before = np.cumsum(inside) - inside
        else:
            until = np.cumsum(marks, dtype=np.int32)[self.heads + self.sizes - 1].astype(np.int64)
            before = np.concatenate(([0], until[:-1]))
            inside = until - before
        return before - before[self._firsts][self.rows], inside

    def across(self, column: int) -> np.ndarray:
        """Return the tie that contains a column, in each row."""
        cells = np.arange(len(self.opens)) * self.opens.shape[1] + column
        return np.searchsorted(self.heads, cells, side="right") - 1

    def ends(self, column: int) -> np.ndarray:
        """Return the column after the tie that contains a column, in each row."""
        after = np.ones((len(self.opens), self.opens.shape[1] - column), dtype=bool)
        after[:, :-1] = self.opens[:, column + 1 :]
        return after.argmax(axis=1) + (column + 1)

    def _by_octave(self, tied: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield ties of similar size at once: their numbers, their cells, and which cells are not padding."""
        octaves = np.frexp(self.sizes[tied])[1]
        for octave in np.unique(octaves):
            ties = tied[octaves == octave]
            sizes, heads = self.sizes[ties, None], self.heads[ties, None]
            places = np.arange(sizes.max())
            inside = places < sizes
            yield ties, np.where(inside, heads + places, heads), inside

    def running_product(self, values: np.ndarray, k: int) -> np.ndarray:
        """Return the expected product of the values at the first 1, 2, ... ranks; exact up to rank k."""
        products = np.concatenate((np.ones((len(values), 1)), np.cumprod(values, axis=1)), axis=1)
        above = products[:, :-1].ravel()[self.heads]
        tied = np.flatnonzero((self.sizes > 1) & (self.columns < k))
        flat = products[:, 1:].copy()
        for ties, cells, inside in self._by_octave(tied):
            means = mean_products(np.where(inside, values.ravel()[cells], np.nan), k)
            means = means[:, : inside.shape[1]] * above[ties, None]
            flat.ravel()[cells[inside]] = means[inside]
        return flat


class Cut(NamedTuple):
    """The part of each query's tie at the cutoff that is inside the cutoff."""

    n_above: np.ndarray  # documents above the tie
    n_places: np.ndarray  # places of the tie inside the cutoff
    marked_above: np.ndarray  # marked documents above the tie
    odds: np.ndarray  # (n_queries, most + 1): probability of 0, 1, ... marked documents on those places


def arrange(labels: np.ndarray, ties: Ties, best: bool) -> np.ndarray:
    """Sort the labels inside each tie, from high to low (best) or from low to high (worst)."""
    order = np.lexsort((-labels if best else labels, ties.spread(ties.heads)))
    return np.take_along_axis(labels, order, axis=1)


def count_inversions(codes: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Count, per row, the pairs in which the later code is higher; codes are ints >= 0.

    Among codes that agree in the higher bits, a 1 after a 0 is an inversion; all bits are counted. With
    weights, the weights of the later codes are summed.
    """
    counts = np.zeros(len(codes), dtype=np.int64 if weights is None else np.float64)
    for bit in range(int(codes.max()).bit_length()):
        order = np.argsort(codes >> (bit + 1), axis=1, kind="stable")
        alike = np.take_along_axis(codes, order, axis=1)
        is_zero = (alike >> bit) & 1 == 0
        zeros_before = np.cumsum(is_zero, axis=1) - is_zero
        opens = np.ones(codes.shape, dtype=bool)
        opens[:, 1:] = alike[:, 1:] >> (bit + 1) != alike[:, :-1] >> (bit + 1)
        at_opening = np.maximum.accumulate(np.where(opens, zeros_before, 0), axis=1)
        inversions = (zeros_before - at_opening) * ~is_zero
        if weights is not None:
            inversions = inversions * np.take_along_axis(weights, order, axis=1)
        counts += inversions.sum(axis=1)
    return counts


def draw_odds(sizes: np.ndarray, marked: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return the hypergeometric probability of each number of marked documents among those drawn."""
    t, r, n = sizes[:, None], marked[:, None], drawn[:, None]
    m = np.arange(int(np.minimum(marked, drawn).max()) + 1)
    possible = (m >= n - (t - r)) & (m <= np.minimum(r, n))
    ups = np.where(possible[:, :-1] & possible[:, 1:], (r - m[:-1]) * (n - m[:-1]), 1)
    downs = np.where(possible[:, :-1] & possible[:, 1:], m[1:] * (t - r - n + m[1:]), 1)
    logs = np.cumsum(np.log(ups / downs), axis=1)  # of ratios of neighbors, because the binomials overflow
    logs = np.where(possible, np.concatenate((np.zeros((len(logs), 1)), logs), axis=1), -np.inf)
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def mean_products(values: np.ndarray, k: int) -> np.ndarray:
    """Return the mean product of 1, 2, ... values of a row, drawn without replacement; padding is NaN.

    Rows have numbers of values that differ by at most a factor of 2.

    With U(n, j) the mean product of j of the first n values, adding the value x gives
    U(n + 1, j) = ((n + 1 - j) U(n, j) + j x U(n, j - 1)) / (n + 1), a mean of means, so it is stable.
    """
    n_values = (~np.isnan(values)).sum(axis=1)
    mean = np.nansum(values, axis=1) / n_values
    # U(n, j) <= U(n, 1)**j by Maclaurin's inequality: beyond the horizon, products are negligible.
    with np.errstate(divide="ignore"):
        horizon = np.nanmax(np.where(mean < 1, np.log(NEGLIGIBLE) / np.log(mean), np.inf))
    n_drawn = int(min(k, values.shape[1], max(horizon, 1)))
    result = np.zeros(values.shape)
    if values.shape[1] >= max(LONG, SHARE * n_drawn):
        in_order = np.sort(values, axis=1)
        rest = np.pad(in_order[:, 1::2], ((0, 0), (0, values.shape[1] % 2)), constant_values=np.nan)
        halves = np.concatenate((in_order[:, ::2], rest))
        places: dict[bytes, int] = {}  # with few distinct values, most halves are equal
        firsts = [places.setdefault(half.tobytes(), place) for place, half in enumerate(halves)]
        distinct, which = np.unique(firsts, return_inverse=True)
        means = mean_products(halves[distinct], n_drawn)[which, :n_drawn]
        result[:, :n_drawn] = _join_halves(means, n_values)
        return result
    changing = np.sort(np.where(values == 1, np.nan, values), axis=1)
    n_changing = (~np.isnan(changing)).sum(axis=1)
    j = np.arange(1, n_drawn + 1)
    # There are no products of more values than exist; values of 1 are counted at the start.
    means = (np.arange(n_drawn + 1) <= (n_values - n_changing)[:, None]).astype(np.float64)
    for column in range(n_changing.max(initial=0)):
        rows = np.flatnonzero(n_changing > column)
        n, x = (n_values - n_changing)[rows, None] + column, changing[rows, column, None]
        means[rows, 1:] = (np.maximum(n + 1 - j, 0) * means[rows, 1:] + j * x * means[rows, :-1]) / (n + 1)
    result[:, :n_drawn] = means[:, 1:]
    return result


def _join_halves(means: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the mean products of rows from those of their first halves, followed by their second halves.

    Of the first j values of a row, i are in the first half with a hypergeometric probability.
    """
    both = np.concatenate((np.ones((len(means), 1)), means), axis=1)
    joined = np.zeros((len(sizes), both.shape[1]))
    drawn = np.arange(both.shape[1])
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        one, other = both[rows], both[rows + len(sizes)]
        odds = draw_odds(np.full_like(drawn, size), np.full_like(drawn, (size + 1) // 2), drawn)
        for j in drawn:
            joined[rows, j] = (odds[j, : j + 1] * one[:, : j + 1] * other[:, j::-1]).sum(axis=1)
    return joined[:, 1:]
