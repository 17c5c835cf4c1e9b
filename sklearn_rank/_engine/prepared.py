"""Rows that are ready to be ranked, once or many times: labels and queries, laid out, without any scores."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Self

import numpy as np

from .._checks.arrays import PIECE, reuse_memory
from .._checks.rows import Scores
from .._checks.types import Options
from .layout import NOT_SAMPLED, Classes, Layout, Part, Queries, classify, cut_chunks, fill_unjudged
from .ranked import Best, Origin


def _round_to_float32(scores: Scores) -> Scores:
    """Round scores to float32, where more of them are equal; what is retrieved stays so."""
    with np.errstate(over="ignore"):  # what is too large is inf there
        rounded = scores.values.astype(np.float32).astype(np.float64)
    rounded[np.isneginf(rounded) & ~np.isneginf(scores.values)] = np.finfo(np.float32).min
    return Scores(rounded, rounded.min(), rounded.max())


def _put_later_first(scores: Scores) -> Scores:
    """Put the later row of two with equal scores first: the place in that order stands for each score."""
    order = np.argsort(scores.values, kind="stable")
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    places[np.isneginf(scores.values)] = -np.inf
    return Scores(places, places.min(), places.max(), are_ranks=True)


HELD: Mapping[str, Callable[[Scores], Scores]] = {
    "float32": _round_to_float32,
    "later_first": _put_later_first,
}

MAX_GRADE = 30  # an integer label up to it fits into a sort of scores


class Chunk:
    """Neighbouring queries that are ranked together: their labels, and where each row goes in matrices."""

    def __init__(self, prepared: "PreparedRows", span: slice, classes: Classes, n_values: int):
        queries = prepared.queries
        stop = queries.firsts[span.stop - 1] + queries.lengths[span.stop - 1]
        places = slice(int(queries.firsts[span.start]), int(stop))
        self.first_query = span.start
        # Indices of another type would be changed into this one each time that values are taken by them.
        self.rows = places if queries.rows is None else queries.rows[places].astype(np.intp, copy=False)
        self.labels = prepared.labels[self.rows]
        self.lowest, self.highest = prepared.lowest, prepared.highest
        self.layout = Layout(queries.lengths[span], places.stop - places.start, classes, n_values)
        self.parts = list(self.layout.parts())
        self._best: dict[int, Best] = {}

    @cached_property
    def laid_out_labels(self) -> np.ndarray:
        """Return the labels where they belong; 0 in the padding."""
        labels = np.zeros(self.layout.size)
        self.layout.place(self.labels, 0, labels)
        return labels

    def read_grades(self, labels: np.ndarray) -> np.ndarray | None:
        """Return some of the labels as small integers; None where they are no such."""
        highest = labels.max() if labels.dtype.kind == "f" else self.highest  # NaN where one is
        if not (self.lowest >= 0 and highest <= MAX_GRADE):
            return None
        grades: np.ndarray = labels.astype(np.int64, copy=False)
        return None if labels.dtype.kind == "f" and (grades != labels).any() else grades

    def lay_out_keys(self, scores: np.ndarray, unretrieved: bool) -> np.ndarray:
        """Return the negated scores, to be sorted up; padding comes last, also after one that is -inf."""
        keys = np.full(self.layout.size, np.nan if unretrieved else np.inf)
        for start in range(0, len(scores), PIECE):
            self.layout.place(0.0 - scores[start : start + PIECE], start, keys)
        return keys

    def cut(self, cells: np.ndarray, part: Part) -> np.ndarray:
        """Return one of the matrices that lie in memory one after another."""
        return cells[part.cells].reshape(part.shape)

    @cached_property
    def _places(self) -> np.ndarray:
        """Return the number of the row that belongs to each cell."""
        places = np.zeros(self.layout.size, dtype=np.int64)
        rows = self.rows
        self.layout.place(np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows, 0, places)
        return places

    def origin_of(self, part: Part) -> Origin:
        """Return where the queries of a block come from."""
        first = self.first_query + part.start
        places = slice(first, first + len(part.queries))
        best = self._best.setdefault(part.cells.start, {})
        members = part.queries + self.first_query
        return Origin(members, places, best, self.highest, lambda: self.cut(self._places, part))


class PreparedRows:
    """Labels and their queries, checked, to be ranked by any scores.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        With those that are missing filled in by the rule `unjudged`.
    given : ndarray of shape (n_rows,)
        The labels before that.
    queries : Queries
        Which rows belong to which query.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    n_columns : int or None
        Documents per query where the input was two-dimensional.
    parameter : str
        What holds the labels, as messages name it.
    lowest, highest : float
        Of the labels that were given.
    unjudged : str
        What was done with labels that are missing.
    longest : int
        Documents of the longest query.
    kept : bool
        Whether what is laid out is kept for other scores.
    """

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
        self.labels = fill_unjudged(given, queries, unjudged)
        self.queries = queries
        self.longest = int(np.maximum.reduce(queries.lengths))
        lowest, highest = extremes or (np.fmin.reduce(given), np.fmax.reduce(given))
        self.lowest, self.highest = float(lowest), float(highest)
        self.unjudged = unjudged
        self.weights = weights
        self.n_columns = n_columns
        self.parameter = "y_true"
        self._chunks: list[Chunk] | None = None
        self._under: dict[str, PreparedRows] = {}
        self.kept = False

    def __getstate__(self) -> Options:
        """Leave out what is laid out: another process does that sooner than it reads it."""
        return {**self.__dict__, "_chunks": None, "_under": {}}

    def keep(self) -> Self:
        """Keep from now on what is laid out: these rows will be ranked many times."""
        reuse_memory()  # each time takes arrays of the same size
        self.kept = True
        return self

    def under(self, rule: str) -> "PreparedRows":
        """Return the rows with the labels that another rule `unjudged` leaves, or a metric has of its own.

        Their "judgements" are 1 or 0; "sampled" labels are below 0 where they are missing.
        """
        if rule == self.unjudged:
            return self
        if rule not in self._under:
            given, extremes = self.given, (self.lowest, self.highest)
            if rule == "judgements":
                given, extremes = (given == given).astype(np.float64), (0.0, 1.0)
            elif rule == "sampled" and (given != given).any():
                extremes = NOT_SAMPLED, self.highest
            rows = PreparedRows(given, self.queries, extremes, rule, self.weights, self.n_columns)
            rows.kept = self.kept
            self._under[rule] = rows
        return self._under[rule]

    def chunks(self, n_values: int = 1) -> Iterator[Chunk]:
        """Yield the rows laid out; in smaller blocks where `n_values` are computed per query."""
        if self._chunks is not None and n_values == 1:
            yield from self._chunks
            return
        classes = classify(self.queries.lengths, self.longest, n_values)
        kept = []
        for span in cut_chunks(self.queries):
            chunk = Chunk(self, span, classes, n_values)
            yield chunk
            if self.kept:
                kept.append(chunk)
        if self.kept and n_values == 1:
            self._chunks = kept
