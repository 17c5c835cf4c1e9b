"""Propensities by documents of a query that stood at several positions without an experiment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._checks.codes import first_rows, rank_ids
from ._log import Estimate, Rows
from ._splits import Splits, Sums, choose_component, count_splits, find_components, place, solve, sum_up

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
    resampled = _weight_queries(splits, owners, n_resamples, random)
    return place(solve(sum_up(splits)), resampled, chosen, rows.take(moved).tally(), components)


def _find_moved(pairs: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Tell for each row whether its document stood at several positions, and whether it was ever clicked."""
    n_pairs = int(pairs.max()) + 1
    lowest, highest = np.full(n_pairs, rows.n_positions), np.zeros(n_pairs, dtype=np.int64)
    np.minimum.at(lowest, pairs, rows.positions)
    np.maximum.at(highest, pairs, rows.positions)
    clicked = np.bincount(pairs, rows.clicks) > 0
    return (lowest < highest)[pairs], clicked[pairs]


def _weight_queries(
    splits: Splits, owners: np.ndarray, n_resamples: int, random: np.random.RandomState
) -> Iterator[Sums]:
    """Yield the sums where each query has a random weight; documents that stood alike are one."""
    patterns, numbers = np.unique(splits.shown, axis=0, return_inverse=True)
    numbers, totals = numbers.ravel(), splits.clicked.sum(axis=1)
    for _ in range(n_resamples):
        weights = random.standard_exponential(int(owners.max()) + 1)[owners]
        yield Sums(patterns, np.bincount(numbers, totals * weights), weights @ splits.clicked)
