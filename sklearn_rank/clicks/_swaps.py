"""Propensities by rows whose positions were drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import first_rows, rank_ids
from .._checks.errors import fail
from ._read import FUNCTION, Estimate, Rows, draw_weights
from ._splits import (
    Splits,
    choose_component,
    count_splits,
    find_components,
    place,
    solve,
    sum_up,
)

RULE = "mark rows of two positions or more, in the same queries, with clicks at each"


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
    pairs = rank_ids(numbers * (int(used.codes.max()) + 1) + used.codes)
    of_pairs = count_splits(pairs, int(pairs.max()) + 1, used)
    _check_equally_often(of_pairs.shown)
    firsts = first_rows(pairs)
    alike, queries = _find_alike(numbers[firsts], of_pairs.shown), rank_ids(used.codes[firsts])
    splits = Splits(*(_sum_alike(alike, table) for table in of_pairs))
    components = find_components(splits)
    chosen = choose_component(components, "arm", RULE)
    whole = Splits(splits.shown[:, chosen], splits.clicked[:, chosen])
    telling = whole.find_telling()
    whole = Splits(whole.shown[telling], whole.clicked[telling])
    kept = telling[alike]
    tables = [table[kept][:, chosen] for table in of_pairs]
    best = solve(sum_up(whole))
    alike, queries = rank_ids(alike[kept]), queries[kept]
    weights = (draw_weights(queries, random) for _ in range(n_resamples))
    weighted = (Splits(*(_sum_alike(alike, table, each) for table in tables)) for each in weights)
    resampled = (solve(sum_up(each), best) for each in weighted)
    return place(best, resampled, chosen, used.tally(), components)


def _check_equally_often(shown: np.ndarray) -> None:
    """Check that each query of an experiment has as many rows at each of its positions.

    Else some of its rows were drawn among fewer positions than others, and are not alike.
    """
    highest = shown.max(axis=1, keepdims=True)
    uneven = ((shown > 0) & (shown < highest)).any(axis=1)
    if uneven.any():
        counts = shown[int(uneven.argmax())]
        most, least = int(counts.argmax()), int(np.where(counts > 0, counts, np.inf).argmin())
        rule = (
            "mark as many rows at each position of a query: where its lists have several lengths, or several "
            "parts of a list were shuffled, number the arms by which rows were drawn together, 1, 2, ..."
        )
        got = f"a query with {counts[most]:.0f} rows at position {most + 1} and {counts[least]:.0f} at"
        fail("arm", FUNCTION, rule, f"{got} position {least + 1}")


def _find_alike(numbers: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Return a code of the experiment and the set of positions of each of its queries.

    What stands deep stands in long lists alone, and these may be less relevant than short ones.
    """
    sets = np.unique(np.packbits(shown > 0, axis=1), axis=0, return_inverse=True)[1].ravel()
    return rank_ids(numbers * (int(sets.max()) + 1) + sets)


def _sum_alike(alike: np.ndarray, table: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum the rows of a table that are alike, each with its weight."""
    from scipy.sparse import csr_array

    n = len(alike)
    factors = np.ones(n) if weights is None else weights
    return np.asarray(csr_array((factors, (alike, np.arange(n))), shape=(int(alike.max()) + 1, n)) @ table)
