"""Where documents go: neighbouring queries laid out as matrices of queries of similar length."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._checks.codes import find_edges
from .queries import Queries

BLOCK_CELLS = 2**19  # smaller blocks stay in the cache, and cost more calls
CHUNK_QUERIES, CHUNK_ROWS = 2**18, 2**22
ONE_BLOCK = 2**15  # cells up to which all queries are one block, whatever the padding
SMALL_INPUT = 2**17  # rows below which the number of blocks costs more than padding


class Part(NamedTuple):
    """A matrix in the memory of its chunk: a row per query, of similar length."""

    queries: np.ndarray  # which of the chunk's
    lengths: np.ndarray
    cells: slice
    shape: tuple[int, int]
    is_padded: bool  # some are shorter than its rows
    start: int  # how many queries of the chunk lie before it


class Classes(NamedTuple):
    """Lengths of queries that share a matrix, and how many documents its rows take."""

    of_length: np.ndarray  # of shape (longest + 1,): the class of each length
    widths: np.ndarray  # of each class: its longest query


def classify(lengths: np.ndarray, longest: int, n_values: int = 1) -> Classes:
    """Class lengths: each up to 16 by itself, then by a third of an octave.

    For small inputs, where a block costs more than padding, all up to 8 together, then by octave. `n_values`
    are kept per query at the same time.
    """
    if len(lengths) * max(longest, n_values) <= ONE_BLOCK:
        return Classes(np.zeros(longest + 1, dtype=np.uint16), np.array([longest]))
    first, last, n_steps = (8, 8, 1) if lengths.sum() < SMALL_INPUT else (1, 16, 3)
    octaves = last << np.arange(longest.bit_length())[:, None]
    steps = octaves + octaves * np.arange(1, n_steps + 1) // n_steps
    ends = np.concatenate((np.arange(first, last + 1), steps.ravel()))
    sizes = np.diff(np.minimum(ends, longest), prepend=-1)
    of_length = np.repeat(np.arange(len(ends), dtype=np.uint16), sizes)
    present = np.flatnonzero(np.bincount(lengths))
    return Classes(of_length, present[np.searchsorted(present, ends, side="right") - 1])


class Layout:
    """Queries of a chunk, sorted by length into matrices that lie one after another in memory."""

    def __init__(self, lengths: np.ndarray, n_rows: int, classes: Classes, n_values: int = 1):
        self.lengths = lengths
        self.n_values = n_values
        self._shifts = None  # of each row
        if len(classes.widths) == 1:
            self.order = np.arange(len(lengths))
            self.edges, self.widths = [0, len(lengths)], classes.widths
            self.size = len(lengths) * int(classes.widths[0])
            heads = self.order * classes.widths[0]
        else:
            class_of = classes.of_length[lengths]
            self.order = np.argsort(class_of, kind="stable")  # of a type that numpy sorts by counting
            class_of = class_of[self.order]
            edges = find_edges(class_of)
            self.edges, self.widths = edges.tolist(), classes.widths[class_of[edges[:-1]]]
            width_of = np.repeat(self.widths, edges[1:] - edges[:-1])
            ends = np.cumsum(width_of)
            self.size = int(ends[-1])
            heads = np.empty_like(lengths)
            heads[self.order] = ends - width_of
        if len(self.widths) == 1 and self.size == n_rows:  # already where they belong
            return
        shifts = heads - (np.cumsum(lengths) - lengths)
        self._shifts = np.repeat(shifts.astype(np.int32 if self.size < 2**31 else np.int64), lengths)

    def place(self, values: np.ndarray, start: int, out: np.ndarray) -> None:
        """Write values of the rows of the chunk from `start` on where they belong."""
        rows = slice(start, start + len(values))
        if self._shifts is None:
            out[rows] = values
        else:
            out[self._shifts[rows] + np.arange(rows.start, rows.stop)] = values

    def parts(self) -> Iterator[Part]:
        """Yield the matrices, cut into blocks."""
        first = 0
        for (head, tail), width in zip(pairwise(self.edges), self.widths.tolist()):
            step = max(1, BLOCK_CELLS // max(width, self.n_values))
            for start in range(head, tail, step):
                queries = self.order[start : min(start + step, tail)]
                cells = slice(first, first + len(queries) * width)
                is_whole = len(queries) == len(self.lengths)  # in order then
                lengths = self.lengths if is_whole else self.lengths[queries]
                is_padded = self._shifts is not None and bool(np.minimum.reduce(lengths) < width)
                yield Part(queries, lengths, cells, (len(queries), width), is_padded, start)
                first = cells.stop


def cut_chunks(queries: Queries) -> Iterator[slice]:
    """Yield neighbouring queries to be read together."""
    ends = queries.firsts + queries.lengths
    if len(ends) <= CHUNK_QUERIES and ends[-1] <= CHUNK_ROWS:
        yield slice(0, len(ends))
        return
    start = 0
    while start < len(ends):
        enough = int(np.searchsorted(ends, queries.firsts[start] + CHUNK_ROWS, side="right"))
        stop = min(max(start + 1, min(start + CHUNK_QUERIES, enough)), len(ends))
        yield slice(start, stop)
        start = stop
