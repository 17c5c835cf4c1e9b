"""Propensities by rows whose positions were drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import rank_ids
from .._checks.errors import fail
from ._log import FUNCTION, Estimate, Rows
from ._splits import (
    Splits,
    Sums,
    choose_component,
    count_splits,
    find_components,
    place,
    solve,
    sum_up,
)

RULE = "mark rows of two positions or more, with clicks at each"


def read_arm(arm: Any, rows: Rows, documents: np.ndarray | None) -> np.ndarray:
    """Return the number of each row's experiment, 0 for none."""
    values = flatten(read_numbers(arm, "arm", FUNCTION))
    if values.shape != rows.clicks.shape:
        shape = rows.clicks.shape
        fail("arm", FUNCTION, f"have one entry per row, shape {shape}", f"shape {values.shape}")
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # of a longdouble beyond the range
            values = values.astype(np.float64)
    fine = (values >= 0) & (values < 2**31)
    fine &= np.where(fine, values, 0).astype(np.int64) == values
    if not fine.all():
        rule = "be True or False, or the number of an experiment from 1 on and 0 for none"
        fail("arm", FUNCTION, rule, values[~fine][0])
    arms = values.astype(np.int64)
    if not arms.any():
        fail("arm", FUNCTION, RULE, "no row that is marked")
    if documents is not None:
        _check_moved(arms, rows, documents)
    return arms


def _check_moved(arms: np.ndarray, rows: Rows, documents: np.ndarray) -> None:
    """Check that documents that are shown again in an experiment have not always the same position."""
    some = arms > 0
    shows = np.stack([arms[some], rows.codes[some], rank_ids(documents[some]), rows.positions[some]], axis=1)
    n_documents = len(np.unique(shows[:, :3], axis=0))
    if n_documents < len(shows) and n_documents == len(np.unique(shows, axis=0)):
        rule = (
            "mark rows whose positions were drawn at random; of swaps both rows, swapped or not, in all "
            "lists of the experiment"
        )
        fail("arm", FUNCTION, rule, "documents that always have the same position")


def compare_arms(rows: Rows, arms: np.ndarray, n_resamples: int, random: np.random.RandomState) -> Estimate:
    """Estimate by the rows of experiments, all documents of one of which are alike."""
    some = arms > 0
    used, numbers = rows.take(some), rank_ids(arms[some])
    splits = count_splits(numbers, int(numbers.max()) + 1, used)
    components = find_components(splits)
    chosen = choose_component(components, "arm", RULE)
    queries = rank_ids(used.codes)
    n_queries = int(queries.max()) + 1
    by_query = count_splits(numbers * n_queries + queries, len(splits.shown) * n_queries, used)
    tables = [part.reshape(-1, n_queries, rows.n_positions)[..., chosen] for part in by_query]
    whole = Splits(splits.shown[:, chosen], splits.clicked[:, chosen])
    telling = whole.find_telling()
    whole = Splits(whole.shown[telling], whole.clicked[telling])
    tables = [table[telling] for table in tables]
    resampled = _weight_queries(tables, n_resamples, random)
    return place(solve(sum_up(whole)), resampled, chosen, used.tally(), components)


def _weight_queries(
    tables: list[np.ndarray], n_resamples: int, random: np.random.RandomState
) -> Iterator[Sums]:
    """Yield the sums of the experiments where each query has a random weight."""
    for _ in range(n_resamples):
        weights = random.standard_exponential(tables[0].shape[1])
        shown, clicked = (weights @ table for table in tables)
        yield sum_up(Splits(shown, clicked))
