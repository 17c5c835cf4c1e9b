"""Prepared rows: the rows of each query, and the layout of queries in matrices of similar length."""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from .._checks.arrays import PIECE, reuse_memory
from .._checks.codes import encode_ids, find_edges
from .._checks.types import Options
from .ranked import Best, Origin

NOT_SAMPLED = -1.0  # label of a document that was not sampled for judging
FEW = 2**12  # number of ids up to which sorting is faster than a sparse matrix


class Queries(NamedTuple):
    """The rows of each query; queries are in the order of their first rows, or of their ids."""

    rows: np.ndarray | None  # rows in query order, or None if the rows of each query are adjacent
    firsts: np.ndarray  # position of each query's first row, in `rows` or among all
    lengths: np.ndarray
    names: np.ndarray | None = None  # codes in the order of the ids; None if queries are in it

    def by_id(self, values: np.ndarray) -> np.ndarray:
        """Arrange values of queries in sorted order of the ids."""
        return values if self.names is None else values[np.argsort(self.names)]


def find_queries(groups: np.ndarray | None, n_rows: int, n_columns: int | None = None) -> Queries:
    """Find the rows of each query; rows keep their order inside a query."""
    if groups is None:
        length = n_columns or n_rows
        firsts = np.arange(0, n_rows, length)
        return Queries(None, firsts, np.full(len(firsts), length))
    edges = find_edges(groups)
    heads, ends = edges[:-1], edges[1:]
    are_apart = 2 * len(heads) > n_rows  # few rows are next to another row of their query
    ids = groups if are_apart else groups[heads]
    if not (are_apart or np.count_nonzero(ids[1:] <= ids[:-1])):  # sorted, as most input
        return Queries(None, heads, ends - heads)
    codes, n_codes = encode_ids(ids)
    present = np.zeros(n_codes, dtype=bool)
    present[codes] = True
    if np.count_nonzero(present) == len(heads):  # the rows of each query are already adjacent
        return Queries(None, heads, ends - heads, codes[heads] if are_apart else codes)
    if not are_apart:
        codes = np.repeat(codes, ends - heads)
    rows, counts = sort_by_code(codes, n_codes)
    lengths = counts[counts > 0].astype(np.int64)
    return Queries(rows, np.cumsum(lengths) - lengths, lengths)


def sort_by_code(codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
    """Sort positions by code, stably, and count each code; scipy transposes a sparse row by counting."""
    n = len(codes)
    if n < FEW:
        return np.argsort(codes, kind="stable"), np.bincount(codes, minlength=n_codes)
    from scipy.sparse import csr_array

    dtype = np.int32 if max(n, n_codes) < 2**31 else np.int64
    row = csr_array(
        (np.arange(n, dtype=dtype), codes.astype(dtype), np.array([0, n], dtype)), shape=(1, n_codes)
    )
    column = row.tocsc()
    return column.data, np.diff(column.indptr)


def query_of_row(queries: Queries) -> np.ndarray:
    """Return the query of each row, by its position among the queries."""
    codes = np.repeat(np.arange(len(queries.lengths)), queries.lengths)
    if queries.rows is None:
        return codes
    by_row = np.empty_like(codes)
    by_row[queries.rows] = codes
    return by_row


def fill_unjudged(labels: np.ndarray, queries: Queries, how: str) -> np.ndarray:
    """Replace NaN labels by 0, the mean or median of their query, or -1 ("sampled"); "drop" keeps them."""
    if how in ("raise", "drop") or labels.dtype.kind != "f":
        return labels
    missing = np.isnan(labels)
    if not missing.any():
        return labels
    if how in ("nonrelevant", "sampled"):
        return np.where(missing, NOT_SAMPLED if how == "sampled" else 0, labels)
    labels = labels.astype(np.float64)
    codes = query_of_row(queries)
    n_judged = np.bincount(codes[~missing], minlength=len(queries.lengths))
    if how == "mean":
        values = np.where(missing, 0, labels)
        largest = np.abs(values).max()
        room = int(np.frexp(n_judged.max())[1]) if largest > 1 else 0  # sums of large values stay finite
        means = np.bincount(codes, np.ldexp(values, -room)) / np.maximum(n_judged, 1)
        largest = np.ldexp(largest, -room)  # rounding must not raise a mean above it
        typical = np.ldexp(np.clip(means, -largest, largest), room)
    else:
        in_order = labels[np.lexsort((labels, codes))]  # NaN last in each query
        firsts = np.cumsum(queries.lengths) - queries.lengths
        middles = (in_order[firsts + np.maximum(n_judged - 1, 0) // 2], in_order[firsts + n_judged // 2])
        typical = np.where(n_judged > 0, middles[0] / 2 + middles[1] / 2, 0)
    return np.where(missing, typical[codes], labels)


BLOCK_CELLS = 2**19  # smaller blocks stay in the cache, but need more calls
CHUNK_QUERIES, CHUNK_ROWS = 2**18, 2**22
ONE_BLOCK = 2**15  # cells up to which all queries are one block, regardless of padding
SMALL_INPUT = 2**17  # rows below which more blocks take longer than padding


class Part(NamedTuple):
    """A matrix in the memory of its chunk: queries of similar length, one per row."""

    queries: np.ndarray  # indices in the chunk
    lengths: np.ndarray
    cells: slice
    shape: tuple[int, int]
    is_padded: bool  # whether some queries are shorter than its rows
    start: int  # number of queries of the chunk before it


class Classes(NamedTuple):
    """Classes of query lengths that share a matrix, and the width of that matrix."""

    widths: list[int]  # of each class: its longest query
    of_length: np.ndarray | None = None  # of shape (longest + 1,): the class of each length, if several


def classify(lengths: np.ndarray, longest: int, n_values: int = 1) -> Classes:
    """Assign lengths to classes: each length up to 16 to its own, longer ones by a third of an octave.

    For small inputs, in which blocks take longer than padding, lengths up to 8 share a class, and longer ones
    are assigned by octave. `n_values` are kept per query at the same time.
    """
    if len(lengths) * max(longest, n_values) <= ONE_BLOCK:
        return Classes([longest])
    first, last, n_steps = (8, 8, 1) if lengths.sum() < SMALL_INPUT else (1, 16, 3)
    octaves = last << np.arange(longest.bit_length())[:, None]
    steps = octaves + octaves * np.arange(1, n_steps + 1) // n_steps
    ends = np.concatenate((np.arange(first, last + 1), steps.ravel()))
    sizes = np.diff(np.minimum(ends, longest), prepend=-1)
    of_length = np.repeat(np.arange(len(ends), dtype=np.uint16), sizes)
    present = np.flatnonzero(np.bincount(lengths))
    return Classes(present[np.searchsorted(present, ends, side="right") - 1].tolist(), of_length)


class Layout:
    """The queries of a chunk, sorted by length into consecutive matrices in memory."""

    def __init__(self, lengths: np.ndarray, n_rows: int, classes: Classes, n_values: int = 1):
        self.lengths = lengths
        self.n_values = n_values
        self._shifts = None  # shift of each row
        if classes.of_length is None:
            self.order = np.arange(len(lengths))
            self.edges, self.widths = [0, len(lengths)], classes.widths
            self.size = len(lengths) * classes.widths[0]
            if self.size == n_rows:  # already in place
                return
            heads = self.order * classes.widths[0]
        else:
            class_of = classes.of_length[lengths]
            self.order = np.argsort(class_of, kind="stable")  # of a type that numpy sorts by counting
            class_of = class_of[self.order]
            edges = find_edges(class_of)
            widths = np.array(classes.widths)[class_of[edges[:-1]]]
            self.edges, self.widths = edges.tolist(), widths.tolist()
            width_of = np.repeat(widths, edges[1:] - edges[:-1])
            ends = np.cumsum(width_of)
            self.size = int(ends[-1])
            heads = np.empty_like(lengths)
            heads[self.order] = ends - width_of
        if len(self.widths) == 1 and self.size == n_rows:  # already in place
            return
        shifts = heads - (np.cumsum(lengths) - lengths)
        self._shifts = np.repeat(shifts.astype(np.int32 if self.size < 2**31 else np.int64), lengths)

    def place(self, values: np.ndarray, start: int, out: np.ndarray) -> None:
        """Write values of the rows from `start` to their places in the layout."""
        rows = slice(start, start + len(values))
        if self._shifts is None:
            out[rows] = values
        else:
            out[self._shifts[rows] + np.arange(rows.start, rows.stop)] = values

    def parts(self) -> Iterator[Part]:
        """Yield the matrices, divided into blocks."""
        first = 0
        for (head, tail), width in zip(pairwise(self.edges), self.widths):
            step = max(1, BLOCK_CELLS // max(width, self.n_values))
            for start in range(head, tail, step):
                queries = self.order[start : min(start + step, tail)]
                cells = slice(first, first + len(queries) * width)
                is_whole = len(queries) == len(self.lengths)  # then they are in order
                lengths = self.lengths if is_whole else self.lengths[queries]
                is_padded = self._shifts is not None and bool(np.minimum.reduce(lengths) < width)
                yield Part(queries, lengths, cells, (len(queries), width), is_padded, start)
                first = cells.stop


def cut_chunks(queries: Queries) -> Iterator[slice]:
    """Yield spans of neighboring queries that are read together."""
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


MAX_GRADE = 30  # highest integer label that fits into a sort of scores


class Chunk:
    """Neighboring queries that are ranked together: their labels, and the layout of their rows."""

    def __init__(self, prepared: "PreparedRows", span: slice, classes: Classes, n_values: int):
        queries = prepared.queries
        stop = queries.firsts[span.stop - 1] + queries.lengths[span.stop - 1]
        places = slice(int(queries.firsts[span.start]), int(stop))
        self.first_query = span.start
        # Indices of another type would be converted each time they are used.
        self.rows = places if queries.rows is None else queries.rows[places].astype(np.intp, copy=False)
        if prepared.copies is not None:
            rows = np.arange(places.start, places.stop) if isinstance(self.rows, slice) else self.rows
            self.rows = np.repeat(rows, prepared.copies[rows])
        self.labels = prepared.labels[self.rows]
        self.lowest, self.highest = prepared.lowest, prepared.highest
        self.layout = Layout(prepared.counted.lengths[span], len(self.labels), classes, n_values)
        self.parts = list(self.layout.parts())
        self._best: dict[int, Best] = {}

    @cached_property
    def laid_out_labels(self) -> np.ndarray:
        """Return the labels in the layout; padding is 0."""
        labels = np.zeros(self.layout.size)
        self.layout.place(self.labels, 0, labels)
        return labels

    def read_grades(self, labels: np.ndarray) -> np.ndarray | None:
        """Return labels as small integers, or None if they are not small integers."""
        highest = labels.max() if labels.dtype.kind == "f" else self.highest  # NaN if one is NaN
        if not (self.lowest >= 0 and highest <= MAX_GRADE):
            return None
        grades: np.ndarray = labels.astype(np.int64, copy=False)
        return None if labels.dtype.kind == "f" and (grades != labels).any() else grades

    def lay_out_keys(self, scores: np.ndarray, unretrieved: bool) -> np.ndarray:
        """Return the negated scores in the layout, to be sorted; padding is last, even after -inf."""
        keys = np.full(self.layout.size, np.nan if unretrieved else np.inf)
        for start in range(0, len(scores), PIECE):
            self.layout.place(0.0 - scores[start : start + PIECE], start, keys)
        return keys

    def cut(self, cells: np.ndarray, part: Part) -> np.ndarray:
        """Return one of the matrices that are consecutive in memory."""
        return cells[part.cells].reshape(part.shape)

    @cached_property
    def _places(self) -> np.ndarray:
        """Return the row number of each cell."""
        places = np.zeros(self.layout.size, dtype=np.int64)
        rows = self.rows
        self.layout.place(np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows, 0, places)
        return places

    def origin_of(self, part: Part) -> Origin:
        """Return the origin of the queries of a block."""
        first = self.first_query + part.start
        places = slice(first, first + len(part.queries))
        best = self._best.setdefault(part.cells.start, {})
        members = part.queries + self.first_query if self.first_query else part.queries
        return Origin(members, places, best, self.highest, lambda: self.cut(self._places, part))


class PreparedRows:
    """Checked labels and queries, which can be ranked by any scores."""

    def __init__(
        self,
        given: np.ndarray,
        queries: Queries,
        extremes: tuple[float, float] | None = None,
        unjudged: str = "raise",
        weights: np.ndarray | None = None,
        n_columns: int | None = None,
    ):
        self.given = given
        self.labels = fill_unjudged(given, queries, unjudged)  # missing ones are replaced by the rule
        self.queries = queries
        self.longest: int = queries.lengths.item(queries.lengths.argmax())  # documents of the longest query
        lowest, highest = extremes or (np.fmin.reduce(given), np.fmax.reduce(given))
        self.lowest, self.highest = float(lowest), float(highest)  # of the given labels
        self.unjudged = unjudged
        self.weights = weights  # one per query
        self.n_columns = n_columns  # documents per query if the input was 2-D
        self.parameter = "y_true"  # argument that contains the labels, for messages
        self._chunks: list[Chunk] | None = None
        self._under: dict[str, PreparedRows] = {}
        self.kept = False  # whether the layout is kept for other scores
        self.n_missed = 0  # documents at the end that are not rows of the caller
        # Length at which the lists were cut of which these are missed, and number of documents that could be
        # retrieved, if they are known.
        self.depth: int | None = None
        self.n_items: int | None = None
        self.no_id_matches = False  # whether labels of other documents belong to none of these queries
        self.copies: np.ndarray | None = None  # number of documents that each row counts for, if not 1
        self.counted = queries  # the documents of each query, including those that a row counts for

    def count(self, copies: np.ndarray | None) -> Self:
        """Count each row for a number of documents with its label and score, one after another."""
        if copies is not None:
            in_order = copies if self.queries.rows is None else copies[self.queries.rows]
            lengths = np.add.reduceat(in_order, self.queries.firsts)
            self.counted = Queries(None, np.cumsum(lengths) - lengths, lengths)
            self.copies, self.longest = copies, int(lengths.max())
        return self

    def __getstate__(self) -> Options:
        """Leave out the layout, which another process computes faster than it reads it."""
        return {**self.__dict__, "_chunks": None, "_under": {}}

    def keep(self) -> Self:
        """Keep the layout from now on, because these rows will be ranked many times."""
        reuse_memory()  # each ranking allocates arrays of the same size
        self.kept = self.copies is None  # a layout of many documents that are not rows takes too much memory
        return self

    def under(self, rule: str) -> "PreparedRows":
        """Return the rows with the labels of another rule `unjudged`, or with the metric's own labels.

        With "judgments", labels are 1 or 0; with "sampled", missing labels are negative.
        """
        if rule == self.unjudged:
            return self
        if rule not in self._under:
            given, extremes = self.given, (self.lowest, self.highest)
            if rule == "judgments":
                given, extremes = (given == given).astype(np.float64), (0.0, 1.0)
            elif rule == "sampled" and (given != given).any():
                extremes = NOT_SAMPLED, self.highest
            rows = PreparedRows(given, self.queries, extremes, rule, self.weights, self.n_columns)
            rows.count(self.copies).kept = self.kept
            self._under[rule] = rows
        return self._under[rule]

    def chunks(self, n_values: int = 1) -> Iterator[Chunk]:
        """Yield the rows in their layout; blocks are smaller if `n_values` are computed per query."""
        if self._chunks is not None and n_values == 1:
            yield from self._chunks
            return
        classes = classify(self.counted.lengths, self.longest, n_values)
        kept = []
        for span in cut_chunks(self.counted):
            chunk = Chunk(self, span, classes, n_values)
            yield chunk
            if self.kept:
                kept.append(chunk)
        if self.kept and n_values == 1:
            self._chunks = kept
