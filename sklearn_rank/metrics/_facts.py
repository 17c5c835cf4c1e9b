"""Facts about rows that decide whether every ranking of them has the same value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.rows import Scores
from .._engine.prepared import PreparedRows
from .._engine.queries import Queries
from ._requests import Key, Request, Subject

WHOLE = 10**6  # the lowest cutoff that means whole lists
# Signs of swapped labels and scores: many real labels, and a few small integers as scores.
MANY_LABELS, HIGHEST_GRADE, HIGHEST_CLASS = 1000, 10, 4
SEEN_FIRST, SEEN, SHARE_REAL = 100, 10_000, 0.9
STEP = 16  # factor by which the examined spans of queries grow


def list_subjects(requests: Iterable[Request]) -> list[Subject]:
    """List the metrics whose value depends on the order of the labels."""
    return [request.subject for request in requests if request.metric.nan_is != "judgements"]


class Facts(NamedTuple):
    """Facts about rows; facts about several batches can be merged."""

    n_queries: int
    n_single: int  # queries of one document
    longest: int
    retrieved: bool = True  # whether no score is -inf
    missed: bool = False  # whether half of the queries of several documents have one that is -inf
    # The lowest and highest label, by key, if labels (or relevance) vary within no query.
    constant: Mapping[Key, tuple[float, float]] = {}
    swapped: bool = False  # whether labels look like scores, and scores like labels

    def merge(self, other: Facts) -> Facts:
        """Return the facts about both batches."""
        constant = {}
        for key in self.constant.keys() & other.constant.keys():
            (low, high), (other_low, other_high) = self.constant[key], other.constant[key]
            constant[key] = float(np.fmin(low, other_low)), float(np.fmax(high, other_high))
        return Facts(
            self.n_queries + other.n_queries,
            self.n_single + other.n_single,
            max(self.longest, other.longest),
            self.retrieved and other.retrieved,
            self.missed or other.missed,
            constant,
            self.swapped and other.swapped,
        )


def find_facts(rows: PreparedRows, scores: Scores | None, subjects: Sequence[Subject]) -> Facts:
    """Find facts about rows and their scores; None means the scores of a model, which are finite."""
    queries = rows.queries
    n_queries, n_single = len(queries.lengths), int(np.count_nonzero(queries.lengths == 1))
    retrieved = scores is None or scores.lowest != -np.inf
    missed = not retrieved and 2 * n_single > n_queries and _lists_missed(queries, scores)
    constant: dict[Key, tuple[float, float]] = {}
    by_labels: dict[str, set[float | None]] = {}
    for subject in subjects:
        by_labels.setdefault(subject.labels, set()).add(subject.min_relevance)
    for labels, thresholds in by_labels.items():
        if not retrieved:  # rankings differ by what they leave out, unless there is nothing to leave out
            thresholds = {least for least in thresholds if not rows.highest >= (least or np.nextafter(0, 1))}
        for least, extremes in _find_constant(rows.under(labels), thresholds).items():
            constant[labels, least] = extremes
    swapped = scores is not None and _look_swapped(rows, scores, subjects)
    return Facts(n_queries, n_single, rows.longest, retrieved, missed, constant, swapped)


def _lists_missed(queries: Queries, scores: Any) -> bool:
    """Return whether half of the queries of several documents have one that was not retrieved."""
    values = scores.values if queries.rows is None else scores.values[queries.rows]
    missed = np.logical_or.reduceat(values == -np.inf, queries.firsts)
    several = queries.lengths > 1
    n_several = int(np.count_nonzero(several))
    return 0 < n_several <= 2 * int(np.count_nonzero(missed & several))


def _find_constant(
    rows: PreparedRows, thresholds: Iterable[float | None]
) -> dict[float | None, tuple[float, float]]:
    """Return the thresholds that divide no query, each with the lowest and highest label.

    Growing spans of queries are examined until one is divided; in ordinary data, the first one is.
    """
    labels, (order, firsts, lengths, _) = rows.labels, rows.queries
    stop = min(lengths.item(0), SEEN_FIRST)  # the first query is mostly enough, as a list if it is short
    first_labels = labels[slice(stop) if order is None else order[:stop]].tolist()
    low, high = min(first_labels), max(first_labels)
    left = [least for least in thresholds if not (low < high if least is None else low < least <= high)]
    start, n_looked_at = 0, 1
    while left and start < len(firsts):
        stop = min(start + n_looked_at, len(firsts))
        first, last = firsts[start], firsts[stop - 1] + lengths[stop - 1]
        some = labels[first:last] if order is None else labels[order[first:last]]
        heads = firsts[start:stop] - first
        low, high = np.fmin.reduceat(some, heads), np.fmax.reduceat(some, heads)
        left = [least for least in left if not _divides(least, low, high).any()]
        start, n_looked_at = stop, STEP * n_looked_at
    return dict.fromkeys(left, (float(np.fmin.reduce(labels)), float(np.fmax.reduce(labels)))) if left else {}


def _divides(least: float | None, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return whether labels, or documents by whether they are relevant, differ within queries."""
    divides: np.ndarray = low < high if least is None else (low < least) & (high >= least)
    return divides


def _look_swapped(rows: PreparedRows, scores: Scores, subjects: Sequence[Subject]) -> bool:
    """Return whether there are many real labels, and a few small integers as scores.

    The extremes of scores show whether they can be grades. If labels can have any sign, real labels are
    ordinary, so most scores must be 0, as grades are.
    """
    lowest, highest = scores.lowest, scores.highest
    n_rows = len(rows.given)
    if n_rows < MANY_LABELS or rows.given.dtype.kind != "f" or not 0 <= lowest < highest <= HIGHEST_GRADE:
        return False
    of_returns = all(subject.any_label for subject in subjects)
    least, most = (0, HIGHEST_CLASS) if of_returns else (1, HIGHEST_GRADE)
    if not (lowest <= least and highest <= most and float(highest).is_integer()):
        return False
    for n_seen in (SEEN_FIRST, SEEN):
        seen = slice(None, None, max(1, n_rows // n_seen))
        labels, values = rows.given[seen], scores.values[seen]
        real = np.count_nonzero(labels % 1 != 0) >= SHARE_REAL * len(labels)
        if not real or (values % 1 != 0).any():
            return False
    if of_returns and 2 * np.count_nonzero(values == 0) < len(values):
        return False
    return len(np.unique(labels)) >= MANY_LABELS
