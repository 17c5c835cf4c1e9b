"""The engine: flat rows with query ids become dense blocks of ranked queries.

Queries of similar length stand in a matrix, a row per query, and are sorted by score with one call.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from ._layout import Layout, Part, classify, cut_chunks
from ._queries import Queries
from ._ranked import SHORT, Block, Ranking
from ._threads import Map
from ._ties import Runs, arrange, count

PIECE = 2**16  # rows that are read, changed and written at once
STRIP = 2**18  # rows that one thread reads
SLOT_BITS = 18  # of the table of different scores
EMPTY = np.int64(-1)  # as bits of a float a NaN
MULTIPLIER = np.int64(0x1E3779B97F4A7C15)  # odd and without a pattern: spreads bits (Knuth)
LOW_BITS = 2**5 - 1  # of a key, where an integer label below it fits, to be sorted along

Result = TypeVar("Result")


def map_blocks(
    function: Callable[[Block], Result],
    labels: np.ndarray,
    scores: np.ndarray,
    queries: Queries,
    ties: str,
    n_values: int = 1,
    highest: float | None = None,
    run: Map = map,
    lowest: float | None = None,
) -> Iterator[Result]:
    """Apply a function to the queries, as blocks of similar length, each sorted by score under one tie rule.

    Documents whose label is NaN are left out. Blocks are smaller where `n_values` are computed per query. The
    `lowest` and the `highest` label need not be found again. What can be done side by side is left to `run`.
    """
    highest = labels.max() if highest is None else highest
    lowest = np.fmin.reduce(labels) if lowest is None else lowest
    classes = classify(queries.lengths, n_values)
    buffer = np.empty(0)
    for span in cut_chunks(queries):
        firsts, lengths = queries.firsts[span], queries.lengths[span]
        places = slice(firsts[0], firsts[-1] + lengths[-1])
        rows = places if queries.rows is None else queries.rows[places]
        layout = Layout(lengths, classes, n_values)
        if layout.size > len(buffer):  # one for all chunks: new memory costs as much as what is done with it
            buffer = np.empty(layout.size * 65 // 64)
        chunk = _Chunk(labels[rows], (lowest, highest), scores[rows], layout, buffer[: layout.size], run)
        yield from run(partial(_apply, function, chunk, span.start, ties), chunk.parts)


def iter_blocks(
    labels: np.ndarray, scores: np.ndarray, queries: Queries, ties: str, n_values: int = 1
) -> Iterator[Block]:
    """Yield the queries as blocks of similar length, each sorted by score under one tie rule."""
    return map_blocks(lambda block: block, labels, scores, queries, ties, n_values)


def _apply(function: Callable[[Block], Result], chunk: "_Chunk", first: int, ties: str, part: Part) -> Result:
    """Apply a function to one block of a chunk, whose first query is the `first` of all."""
    ranking = chunk.rank_packed(part, in_order=ties == "order")
    ranking = ranking or chunk.rank(part, in_order=ties == "order")
    if ranking.tied is not None and ties in ("best", "worst"):
        by_rank = arrange(ranking.labels, ranking.tied, best=ties == "best")
        ranking = ranking._replace(labels=by_rank)
    return function(Block(part.queries + first, ranking, settled=ties != "average"))


class _Chunk:
    """Rows that are read together, laid out in matrices."""

    def __init__(
        self,
        labels: np.ndarray,
        extremes: tuple[float, float],
        scores: np.ndarray,
        layout: Layout,
        buffer: np.ndarray,
        run: Map,
    ):
        self.given_labels = labels
        self.lowest, self.highest = extremes  # of all labels
        self.scores = scores
        self.layout = layout
        self.parts = list(layout.parts())
        self.packed = buffer  # the keys with labels in the place of their lowest bits
        padded = (part.cells.start for part in self.parts if part.lengths.min() < part.shape[1])
        list(run(self._pad, range(next(padded, layout.size), layout.size, STRIP)))
        self.is_packed = all(run(self._pack, range(0, len(scores), STRIP)))

    @cached_property
    def unretrieved(self) -> bool:
        """Tell whether there is a score of -inf."""
        return bool(self.scores.min() == -np.inf)

    @cached_property
    def keys(self) -> np.ndarray:
        """Return the negated scores, to be sorted up; padding comes last, also after a true -inf."""
        keys = np.full(self.layout.size, np.nan if self.unretrieved else np.inf)
        for start in range(0, len(self.scores), PIECE):
            self.layout.place(0.0 - self.scores[start : start + PIECE], start, keys)
        return keys

    @cached_property
    def labels(self) -> np.ndarray:
        """Return the labels."""
        labels = np.zeros(self.layout.size)
        self.layout.place(self.given_labels, 0, labels)
        return labels

    @cached_property
    def ties_are_exact(self) -> bool:
        """Tell whether scores that agree but for the bits that hold labels are surely equal.

        Those of float32 are 0 in these bits. Others are looked up in a table, as long as none falls on the
        place of another: few different ones.
        """
        if self.scores.dtype != np.float64:
            return True
        table = np.full(2**SLOT_BITS, EMPTY)
        for start in range(0, len(self.scores), PIECE):
            bits = (0.0 - self.scores[start : start + PIECE]).view(np.int64)
            slots = bits & ~LOW_BITS
            agreeing = slots.view(np.float64)  # in the same memory, as all that follows
            agreeing += 0.0  # for a -0.0
            slots *= MULTIPLIER
            leading = slots.view(np.uint64)
            leading >>= np.uint64(64 - SLOT_BITS)
            known = table[slots]
            if (known == bits).all():
                continue
            table[slots] = np.where(known == EMPTY, bits, known)
            if (table[slots] != bits).any():
                return False
        return True

    def _pad(self, start: int) -> None:
        """Write what comes last into a strip of cells."""
        self.packed[start : start + STRIP] = np.inf

    def _pack(self, start: int) -> bool:
        """Write the keys of a strip of rows with their labels, to be sorted where they are.

        False where labels are no small integers from 0 on, or scores not finite.
        """
        labels, scores = self.given_labels[start : start + STRIP], self.scores[start : start + STRIP]
        highest = labels.max() if labels.dtype.kind == "f" else self.highest  # NaN where one is
        if not (self.lowest >= 0 and highest < LOW_BITS and scores.min() > -np.inf and scores.max() < np.inf):
            return False
        for first in range(0, len(scores), PIECE):
            rows = slice(first, first + PIECE)
            keys = 0.0 - scores[rows].astype(np.float64, copy=False)
            grades = labels[rows].astype(np.int64, copy=False)
            if labels.dtype.kind == "f" and (grades != labels[rows]).any():
                return False
            bits = keys.view(np.int64)
            bits &= ~LOW_BITS
            bits |= grades
            self.layout.place(keys, start + first, self.packed)
        return True

    def rank_packed(self, part: Part, in_order: bool) -> Ranking | None:
        """Rank the documents of some queries by one sort of scores and labels.

        None where they are not packed, where scores differ only in the bits that hold labels, or where equal
        ones shall stay in order.
        """
        if not self.is_packed:
            return None
        bits = self.packed[part.cells].view(np.int64)
        matrix = bits.view(np.float64).reshape(part.shape)
        matrix.sort(axis=1)
        grades = (bits & LOW_BITS).astype(np.int8).reshape(part.shape)
        bits &= ~LOW_BITS
        keys = matrix.ravel()  # compared as floats, here and below: what is left of a subnormal may be a -0.0
        n_equal = np.count_nonzero(keys[1:] == keys[:-1])  # of one query, or of its last and the next's first
        n_padded = np.maximum(part.shape[1] - part.lengths - 1, 0).sum()
        runs = None
        if n_equal > n_padded:
            tied = matrix[:, 1:] == matrix[:, :-1]  # the padding too, which holds no label
            runs = Runs.between(tied) if np.count_nonzero(tied) > n_padded else None
        if runs is None:
            grades = np.asarray(grades, order="F" if part.shape[1] <= SHORT else "C")
        elif in_order or not (self.ties_are_exact or self._count_equal(part) == n_equal):
            return None
        return Ranking(grades, runs, part.lengths, part.lengths, partial(self.cut, "keys", part))

    def _count_equal(self, part: Part) -> int:
        """Count the neighbours with equal keys, all their bits compared."""
        keys = np.sort(self.cut("keys", part), axis=1).ravel()
        return int(np.count_nonzero(keys[1:] == keys[:-1]))

    def rank(self, part: Part, in_order: bool) -> Ranking:
        """Rank the documents of some queries, with any labels and any scores."""
        keys, labels, lengths = self.cut("keys", part), self.cut("labels", part), part.lengths
        unjudged = np.isnan(labels)
        if unjudged.any():  # as padding, so that the other documents close up
            keys = np.where(unjudged, np.nan, keys)
            labels = np.where(unjudged, 0, labels)
            lengths = lengths - count(unjudged)
        order = np.argsort(keys, axis=1)
        tied = _equals_last(np.take_along_axis(keys, order, axis=1), lengths)
        if in_order and tied.any():
            order = np.argsort(keys, axis=1, kind="stable")
        n_retrieved = (keys < np.inf).sum(axis=1) if self.unretrieved else lengths
        by_rank = np.take_along_axis(labels, order, axis=1)
        return Ranking(
            by_rank, Runs.between(tied) if tied.any() else None, lengths, n_retrieved, lambda: keys
        )

    def cut(self, name: str, part: Part) -> np.ndarray:
        """Return one of the matrices."""
        values: np.ndarray = getattr(self, name)
        return values[part.cells].reshape(part.shape)


def _equals_last(ranked: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Tell of each key after the first whether it equals the one before; not in the padding."""
    equal = ranked[:, 1:] == ranked[:, :-1]
    if lengths.min() < ranked.shape[1]:
        equal &= np.arange(1, ranked.shape[1]) < lengths[:, None]
    return equal
