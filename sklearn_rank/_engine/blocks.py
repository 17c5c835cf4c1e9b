"""Blocks of ranked queries: flat rows become matrices of queries of similar length, one row per query.

The packed sort orders scores and labels by sorting numbers instead of positions. Sorting positions (argsort)
takes several times as long as sorting numbers. So the label of a document is stored inside its score. Scores
are 64-bit floats, negated, because the highest comes first:

    bit   63     62 ... 52   51 ............. 5   4 ... 0
         [sign] [exponent]  [mantissa          ] [ label ]

The five lowest bits of the mantissa, 2**-47 of the score, make room for a label from 0 to 30. The floats are
sorted as they are. Then the five bits are the labels by rank, and the other bits, again a float, show which
neighbors are tied. Two things can go wrong. Labels might not fit, because they are not integers, negative,
too large or missing. And different scores might agree in all but the five bits: the sort orders them by
label, and they would count as tied. Both cases are detected, and such rows are ranked by `_rank_by_places`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from .._checks.arrays import PIECE
from .._checks.rows import Scores
from .prepared import Chunk, Part, PreparedRows
from .ranked import SHORT, Block, Ranking
from .ties import Ties, arrange, count

Map = Callable[..., Iterable[Any]]  # `map`, or a function like it


def open_threads(n_threads: int) -> AbstractContextManager[Map]:
    """Return a context with a function that works like `map`, in a number of threads."""
    return nullcontext(map) if n_threads < 2 else _start_threads(n_threads)


@contextmanager
def _start_threads(n_threads: int) -> Iterator[Map]:
    from concurrent.futures import ThreadPoolExecutor  # takes long to import

    with ThreadPoolExecutor(n_threads) as threads:
        yield lambda function, items: list(threads.map(function, items))


STRIP = 2**18  # rows that one thread reads
# Arrays, because numpy converts a number to an array in each call. The low bits of a key have room for labels
# up to MAX_GRADE of `prepared.py`.
LOW_BITS, OTHER_BITS, ZERO = np.array(2**5 - 1), np.array(-(2**5)), np.array(0.0)
SLOT_BITS = 18  # of the indices of a table of different scores
SAMPLE, MANY = 2**12, 2**10  # first rows, and too many different scores among them
EMPTY = np.int64(-1)  # NaN, as bits of a float
MULTIPLIER = np.int64(0x1E3779B97F4A7C15)  # odd and irregular, to spread bits (Knuth)


class PackedSort:
    """The rows of a chunk in the layout of its matrices, with labels in the lowest bits of negated scores."""

    def __init__(self, chunk: Chunk, scores: Scores, buffer: np.ndarray, each: Map):
        self.chunk = chunk
        self.scores = scores.values[chunk.rows]
        self.unretrieved = scores.lowest == -np.inf
        self.keys = buffer
        self.all_are_equal = scores.lowest == scores.highest
        self.fits = scores.lowest > -np.inf and scores.highest < np.inf
        if self.fits:
            padded = (part.cells.start for part in chunk.parts if part.is_padded)
            self.keys[next(padded, chunk.layout.size) :] = np.inf  # padding comes last
            self.fits = all(each(self._place, range(0, len(self.scores), STRIP)))

    def _place(self, start: int) -> bool:
        """Write the keys of a strip of rows, including labels, and return whether the labels fit."""
        chunk = self.chunk
        for first in range(start, min(start + STRIP, len(self.scores)), PIECE):
            rows = slice(first, min(first + PIECE, start + STRIP))
            grades = chunk.read_grades(chunk.labels[rows])
            if grades is None:
                return False
            keys = ZERO - self.scores[rows].astype(np.float64, copy=False)
            bits = keys.view(np.int64)
            bits &= OTHER_BITS
            bits |= grades
            chunk.layout.place(keys, first, self.keys)
        return True

    def rank(self, part: Part, in_order: bool) -> Ranking | None:
        """Rank the documents of some queries by one sort.

        Return None if labels do not fit, if scores differ only in the bits for labels, or if tied scores must
        stay in row order.
        """
        if not self.fits:
            return None
        bits = self.keys[part.cells].view(np.int64)
        matrix = bits.view(np.float64).reshape(part.shape)
        matrix.sort(axis=1)
        grades = (bits & LOW_BITS).astype(np.int8).reshape(part.shape)
        bits &= OTHER_BITS
        keys = matrix.ravel()  # compared as floats, here and below: the rest of a subnormal can be -0.0
        n_equal = np.count_nonzero(keys[1:] == keys[:-1])  # the last of a query and the first of the next too
        n_padded = np.maximum(part.shape[1] - part.lengths - 1, 0).sum() if part.is_padded else 0
        ties = None
        if n_equal > n_padded:
            ties = Ties.of(matrix)  # including padding, which has no label
            n_tied = int(matrix.size - np.count_nonzero(ties.opens))
            ties = ties if n_tied > n_padded else None
        if ties is None:
            grades = np.asarray(grades, order="F" if part.shape[1] <= SHORT else "C")
        elif in_order or not (self.ties_are_exact or self._are_equal(part, ties, n_tied)):
            return None
        whole_keys = partial(self._cut_whole, part)
        return Ranking(grades, ties, part.lengths, part.lengths, whole_keys, part.is_padded)

    @cached_property
    def whole_keys(self) -> np.ndarray:
        """Return the negated scores with all their bits."""
        return self.chunk.lay_out_keys(self.scores, self.unretrieved)

    def _cut_whole(self, part: Part) -> np.ndarray:
        return self.chunk.cut(self.whole_keys, part)

    def _are_equal(self, part: Part, ties: Ties, n_tied: int) -> bool:
        """Return whether neighbors that look tied have equal scores in all bits."""
        are_few = 2 * n_tied < len(ties.opens)  # at most half of the queries have ties
        queries = _find_rows(~ties.opens) if are_few else slice(None)
        whole = np.sort(self._cut_whole(part)[queries], axis=1)
        return np.count_nonzero(whole[:, 1:] == whole[:, :-1]) == n_tied

    @cached_property
    def ties_are_exact(self) -> bool:
        """Return whether scores that agree except in the bits for labels are certainly equal.

        Float32 scores are 0 in these bits. Others are looked up in a hash table, unless different ones
        are many or collide.
        """
        if self.all_are_equal or self.scores.dtype != np.float64:
            return True
        if len(np.unique(self.scores[:SAMPLE])) > MANY:
            return False
        table = np.full(2**SLOT_BITS, EMPTY)
        for start in range(0, len(self.scores), PIECE):
            bits = (0.0 - self.scores[start : start + PIECE]).view(np.int64)
            slots = bits & OTHER_BITS
            agreeing = slots.view(np.float64)  # in the same memory, like all arrays below
            agreeing += 0.0  # makes 0.0 of -0.0
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


def _find_rows(marks: np.ndarray) -> np.ndarray:
    """Return the rows of a matrix that contain a mark."""
    rows = np.flatnonzero(marks) // max(marks.shape[1], 1)
    return rows[np.diff(rows, prepend=-1) > 0]


Result = TypeVar("Result")


def map_blocks(
    function: Callable[[Block], Result],
    rows: PreparedRows,
    scores: Scores,
    tie_rule: str = "average",
    n_values: int = 1,
    each: Map = map,
) -> Iterator[Result]:
    """Apply a function to blocks of queries of similar length, each sorted by score under one tie rule.

    Documents with the label NaN are left out. Blocks are smaller if `n_values` are computed per query. `each`
    applies functions like `map`, and can do so in parallel.
    """
    buffer = np.empty(0)
    for chunk in rows.chunks(n_values):
        size = chunk.layout.size
        if size > len(buffer):  # one for all chunks: new memory takes as long as the work with it
            buffer = np.empty(size * 65 // 64)
        packed = PackedSort(chunk, scores, buffer[:size], each)
        yield from each(partial(_apply, function, packed, tie_rule), chunk.parts)


def iter_blocks(
    rows: PreparedRows, scores: Scores, tie_rule: str = "average", n_values: int = 1
) -> Iterator[Block]:
    """Yield the queries as blocks of similar length, each sorted by score under one tie rule."""
    return map_blocks(lambda block: block, rows, scores, tie_rule, n_values)


def _apply(function: Callable[[Block], Result], packed: PackedSort, tie_rule: str, part: Part) -> Result:
    """Apply a function to one block of a chunk."""
    in_order = tie_rule == "order"
    ranking = packed.rank(part, in_order) or _rank_by_places(packed, part, in_order)
    if ranking.ties is not None and tie_rule in ("best", "worst"):
        ranking = ranking._replace(labels=arrange(ranking.labels, ranking.ties, best=tie_rule == "best"))
    return function(Block(packed.chunk.origin_of(part), ranking, settled=tie_rule != "average"))


def _rank_by_places(packed: PackedSort, part: Part, in_order: bool) -> Ranking:
    """Rank the documents of some queries, with any labels and any scores."""
    chunk = packed.chunk
    keys = chunk.cut(packed.whole_keys, part)
    labels, lengths = chunk.cut(chunk.laid_out_labels, part), part.lengths
    unjudged, is_padded = np.isnan(labels), part.is_padded
    if unjudged.any():  # like padding, so that the ranks of the others are contiguous
        keys = np.where(unjudged, np.nan, keys)
        labels = np.where(unjudged, 0, labels)
        lengths, is_padded = lengths - count(unjudged), True
    order = np.argsort(keys, axis=1)
    ranked = np.take_along_axis(keys, order, axis=1)
    tied = ranked[:, 1:] == ranked[:, :-1]
    if lengths.min() < ranked.shape[1]:  # not in the padding
        tied &= np.arange(1, ranked.shape[1]) < lengths[:, None]
    if in_order and tied.any():
        _settle(order, tied)
    n_retrieved = (keys < np.inf).sum(axis=1) if packed.unretrieved else lengths
    by_rank = np.take_along_axis(labels, order, axis=1)
    ties = Ties.between(tied) if tied.any() else None
    return Ranking(by_rank, ties, lengths, n_retrieved, lambda: keys, is_padded)


def _settle(order: np.ndarray, tied: np.ndarray) -> None:
    """Sort tied documents by row, which is faster than a stable sort of all documents."""
    as_last, is_tied = np.zeros((2, *order.shape), dtype=bool)
    as_last[:, 1:] = tied
    is_tied[:, :-1] = tied
    cells = np.flatnonzero(is_tied | as_last)
    places = order.ravel()[cells]
    run = np.cumsum(~as_last.ravel()[cells])
    order.ravel()[cells] = places[np.argsort(run * order.shape[1] + places)]
