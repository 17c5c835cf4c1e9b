"""Propensities by documents of a query that stood at several positions without an experiment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._checks.codes import first_rows, rank_ids
from ._read import Estimate, Rows, draw_weights
from ._splits import (
    Splits,
    Sums,
    choose_component,
    count_splits,
    find_components,
    place,
    solve,
    solve_resamples,
)

RULE = (
    "hold documents of a query that stood at several positions and were clicked; a log of one ranker that "
    "never changed has none"
)


def harvest(rows: Rows, documents: np.ndarray, n_resamples: int, random: np.random.RandomState) -> Estimate:
    """Estimate by the documents of a query that stood at several positions."""
    pairs = rank_ids(rows.codes * (int(documents.max()) + 1) + documents)
    moved, clicked = _find_moved(pairs, rows)
    some = moved & clicked
    if not some.any():
        choose_component((), "documents", RULE)
    used, numbers = rows.take(some), rank_ids(pairs[some])
    splits = count_splits(numbers, int(numbers.max()) + 1, used)
    components = find_components(splits)
    chosen = choose_component(components, "documents", RULE)
    splits = Splits(splits.shown[:, chosen], splits.clicked[:, chosen])
    telling = splits.find_telling()
    owners = rank_ids(used.codes[first_rows(numbers)][telling])
    splits = Splits(splits.shown[telling], splits.clicked[telling])
    patterns, numbers = np.unique(splits.shown, axis=0, return_inverse=True)
    alike = Alike(patterns, numbers.ravel(), splits.clicked)
    whole = alike.sum_up(np.ones(len(owners)))
    best = solve(whole)
    weighted = (alike.sum_up(draw_weights(owners, random)) for _ in range(n_resamples))
    resampled = solve_resamples(whole, best, weighted)
    return place(best, resampled, chosen, rows.take(moved).tally(), components)


def _find_moved(pairs: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Tell for each row whether its document stood at several positions, and whether it was ever clicked."""
    n_pairs = int(pairs.max()) + 1
    lowest, highest = np.full(n_pairs, rows.n_positions), np.zeros(n_pairs, dtype=np.int64)
    np.minimum.at(lowest, pairs, rows.positions)
    np.maximum.at(highest, pairs, rows.positions)
    clicked = np.bincount(pairs, rows.clicks) > 0
    return (lowest < highest)[pairs], clicked[pairs]


class Alike(NamedTuple):
    """Documents by the positions at which they stood: those that stood alike are one."""

    patterns: np.ndarray  # (n_patterns, n_positions)
    numbers: np.ndarray  # of the pattern of each document
    clicked: np.ndarray  # (n_documents, n_positions)

    def sum_up(self, weights: np.ndarray) -> Sums:
        """Sum the clicks, each with the weight of its document."""
        of_alike = np.bincount(self.numbers, self.clicked.sum(axis=1) * weights)
        return Sums(self.patterns, of_alike, weights @ self.clicked)
