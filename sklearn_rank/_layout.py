"""Where documents go: neighbouring queries laid out as matrices of queries of similar length."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ._queries import Queries

BLOCK_CELLS = 2**15  # a block and its temporaries stay in the cache
CHUNK_QUERIES, CHUNK_ROWS = 2**17, 2**22
SMALL_INPUT = 2**17  # rows below which the number of blocks costs more than padding


class Part(NamedTuple):
    """A matrix in the memory of its chunk: a row per query, of similar length."""

    queries: np.ndarray  # which of the chunk's
    lengths: np.ndarray
    cells: slice
    shape: tuple[int, int]


class Layout:
    """Queries of a chunk, sorted by length into matrices that lie one after another in memory.

    In a `small` input there are few of them: their number costs more than padding.
    """

    def __init__(self, lengths: np.ndarray, small: bool, n_values: int = 1):
        self.lengths = lengths
        self.n_values = n_values  # computed per query and kept at the same time
        self.order, self.heads, self.widths = _sort_by_length(lengths, small, n_values)
        width_of = np.repeat(self.widths, np.diff(self.heads, append=len(lengths)))
        ends = np.cumsum(width_of)
        self.size = int(ends[-1])
        self._shifts = None
        if len(self.heads) > 1 or self.size > lengths.sum():
            shifts = np.empty_like(lengths)
            shifts[self.order] = ends - width_of
            shifts -= np.cumsum(lengths) - lengths
            self._shifts = np.repeat(shifts.astype(np.int32 if self.size < 2**31 else np.int64), lengths)

    def place(self, values: np.ndarray, start: int, out: np.ndarray) -> None:
        """Write values of the rows of the chunk from `start` on where they belong."""
        rows = slice(start, start + len(values))
        if self._shifts is None:
            out[rows] = values
        else:
            out[self._shifts[rows] + np.arange(rows.start, rows.stop)] = values

    def parts(self) -> Iterator[Part]:
        """Yield the matrices, cut so that they fit the cache."""
        first = 0
        for head, tail, width in zip(self.heads, [*self.heads[1:], len(self.order)], self.widths.tolist()):
            step = max(1, BLOCK_CELLS // max(width, self.n_values))
            for start in range(head, tail, step):
                queries = self.order[start : min(start + step, tail)]
                cells = slice(first, first + len(queries) * width)
                yield Part(queries, self.lengths[queries], cells, (len(queries), width))
                first = cells.stop


def cut_chunks(queries: Queries) -> Iterator[slice]:
    """Yield neighbouring queries to be read together."""
    ends = queries.firsts + queries.lengths
    start = 0
    while start < len(ends):
        enough = int(np.searchsorted(ends, queries.firsts[start] + CHUNK_ROWS, side="right"))
        stop = min(max(start + 1, min(start + CHUNK_QUERIES, enough)), len(ends))
        yield slice(start, stop)
        start = stop


def most_ranks(queries: Queries) -> int:
    """Return how many ranks a block may have: the longest query with its padding."""
    longest = int(queries.lengths.max())
    classes = _length_classes(longest, bool(queries.lengths.sum() < SMALL_INPUT))
    return int(classes[np.searchsorted(classes, longest)])


def _length_classes(longest: int, small: bool) -> np.ndarray:
    """Return the lengths up to which queries share a class: up to 16 none do, then an eighth of an octave."""
    exact, n_steps = (4, 1) if small else (16, 8)
    octaves = exact << np.arange(longest.bit_length())[:, None]
    steps = octaves + octaves * np.arange(1, n_steps + 1) // n_steps
    return np.concatenate((np.arange(1, exact + 1), steps.ravel()))


def _sort_by_length(
    lengths: np.ndarray, small: bool, n_values: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order queries by classes of length; where each class begins, and how many documents its rows take."""
    longest = int(lengths.max())
    if small and len(lengths) * max(longest, n_values) <= BLOCK_CELLS:
        return np.arange(len(lengths)), np.zeros(1, dtype=np.int64), np.array([longest])
    longest_of = _length_classes(longest, small)
    classes = np.searchsorted(longest_of, lengths).astype(np.uint16)  # a type that numpy sorts by counting
    order = np.argsort(classes, kind="stable")
    classes = classes[order]
    heads = np.concatenate(([0], np.flatnonzero(classes[1:] != classes[:-1]) + 1))
    # The width depends on nothing but the length, and with it the last digit of a sum; but for small inputs.
    return order, heads, np.maximum.reduceat(lengths[order], heads) if small else longest_of[classes[heads]]
