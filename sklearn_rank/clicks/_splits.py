"""Propensities from the distribution of clicks over the positions of comparable documents.

Documents of a randomized experiment are comparable, and so are all displays of the same document: their
relevance is the same at all positions. If position k was displayed n_k times, its share of the clicks is
n_k p_k / sum_j(n_j p_j). The likelihood of these shares has one maximum and does not depend on relevance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import first_rows, rank_ids
from .._checks.errors import fail
from ._read import ClickRows, PropensityEstimate, draw_weights

MAX_CELLS = 10**8  # cells of a table by positions
MAX_STEPS = 100
MAX_SETS, MAX_SHOWN = 3, 8  # sets of positions, and positions of a set, in errors
MAX_STEP = 5.0  # in one step, a propensity changes by at most a factor of exp(5)
TOLERANCE = 1e-9
MAX_AT_ONCE = 2 * 10**6  # cells of a table by resamples
LEAST_STEP = 1e-12  # for resamples that are solved together


class Splits(NamedTuple):
    """Comparable documents: how often they were shown and clicked at each position."""

    shown: np.ndarray  # (n_alike, n_positions)
    clicked: np.ndarray  # (n_alike, n_positions)

    def sum_up(self) -> ClickSums:
        return ClickSums(self.shown, self.clicked.sum(axis=1), self.clicked.sum(axis=0))

    def find_informative(self) -> np.ndarray:
        """Find documents that were shown at several positions and clicked; others are uninformative."""
        return (np.count_nonzero(self.shown, axis=1) > 1) & (self.clicked.sum(axis=1) > 0)


def count_splits(alike: np.ndarray, n_alike: int, rows: ClickRows) -> Splits:
    """Count rows and clicks of comparable documents by position."""
    size = n_alike * rows.n_positions
    if size > MAX_CELLS:
        rule = f"span at most {MAX_CELLS:,} cells of documents, or queries of experiments, by positions"
        fail("positions", rule, f"{n_alike:,} by {rows.n_positions:,}", "Drop the rows at high positions.")
    cells = alike * rows.n_positions + rows.positions - 1
    counted = (np.bincount(cells, weights, size) for weights in (None, rows.clicks))
    shown, clicked = (each.reshape(n_alike, rows.n_positions).astype(np.float64) for each in counted)
    return Splits(shown, clicked)


def find_components(splits: Splits) -> tuple[tuple[int, ...], ...]:
    """Return sets of positions whose ratios are known, because clicks connect them in both directions.

    The likelihood has a maximum if paths connect each two positions in both directions. A step of a path is
    a document that was clicked at one position and shown at the next (Ford 1957, for the same likelihood).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    links = (splits.clicked > 0).T.astype(np.float64) @ (splits.shown > 0)
    _, labels = connected_components(csr_array(links), directed=True, connection="strong")
    members = [tuple((np.flatnonzero(labels == label) + 1).tolist()) for label in range(labels.max() + 1)]
    return tuple(sorted(members))


def choose_component(
    components: tuple[tuple[int, ...], ...], parameter: str, rule: str, fix: str = ""
) -> np.ndarray:
    """Return the connected positions, counted from 0; raise an error unless there is one set of them."""
    several = [each for each in components if len(each) > 1]
    if not several:
        fail(parameter, rule, "no two positions that clicks connect", fix)
    if len(several) > 1:
        got = f"the separate sets {' and '.join(map(_show_set, several[:MAX_SETS]))}"
        fix = "Ratios between these sets are unknown: pass the rows of one set."
        fail("positions", "be connected by clicks", got, fix)
    return np.array(several[0]) - 1


def _show_set(positions: tuple[int, ...]) -> str:
    """Format a set of positions, the first ones if there are many."""
    return f"{{{', '.join(map(str, positions[:MAX_SHOWN]))}{', ...' if len(positions) > MAX_SHOWN else ''}}}"


class ClickSums(NamedTuple):
    """The data of the likelihood: `shown`, the clicks of its rows, and the clicks of its columns."""

    shown: np.ndarray
    of_alike: np.ndarray
    at_positions: np.ndarray


def solve(sums: ClickSums, start: np.ndarray | None = None) -> np.ndarray:
    """Return the logarithms of propensities relative to the first position, by Newton's method.

    The maximized function is sum_k(c_k b_k) - sum_i(c_i log(sum_k(n_ik exp(b_k)))), which is concave in b.
    """
    shown, of_alike, at_positions = sums
    b = np.zeros(len(at_positions)) if start is None else start

    def find_likelihood(b: np.ndarray) -> float:
        return float(at_positions @ b - of_alike @ np.log(shown @ np.exp(b)))

    value = find_likelihood(b)
    for _ in range(MAX_STEPS):
        shares = shown * np.exp(b)
        shares /= shares.sum(axis=1, keepdims=True)
        expected = of_alike @ shares
        gradient = (at_positions - expected)[1:]
        if np.abs(gradient).max() <= TOLERANCE * of_alike.sum():
            break
        step = np.append(0.0, np.linalg.solve(_find_curvature(shares, of_alike, expected), gradient))
        step *= min(1.0, MAX_STEP / np.abs(step).max())
        while (new := find_likelihood(b + step)) < value - TOLERANCE * abs(value):
            step /= 2
        b, value = b + step, new
    return b


def _find_curvature(shares: np.ndarray, of_alike: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the negative second derivatives of the likelihood, without the first position."""
    return (np.diag(expected) - shares.T @ (shares * of_alike[:, None]))[1:, 1:]


def solve_resamples(
    whole: ClickSums, best: np.ndarray, resampled: Iterable[ClickSums]
) -> Iterator[np.ndarray]:
    """Solve resamples that differ only in clicks, many at once, with the curvature of the whole log.

    A step is two products of matrices for all of them. Those that do not converge are solved one by one.
    """
    shares = whole.shown * np.exp(best)
    shares /= shares.sum(axis=1, keepdims=True)
    inverse = np.linalg.inv(_find_curvature(shares, whole.of_alike, whole.of_alike @ shares))
    rest, n_at_once = iter(resampled), max(1, MAX_AT_ONCE // len(whole.shown))
    while many := tuple(islice(rest, n_at_once)):
        yield from _solve_batch(whole, best, inverse, many)


def _solve_batch(
    whole: ClickSums, best: np.ndarray, inverse: np.ndarray, many: tuple[ClickSums, ...]
) -> Iterator[np.ndarray]:
    """Solve some resamples, one per column."""
    of_alike, at_positions = (
        np.stack(each, axis=1) for each in zip(*((one.of_alike, one.at_positions) for one in many))
    )
    scale = whole.of_alike.sum() / of_alike.sum(axis=0)
    b = np.repeat(best[:, None], len(many), axis=1)
    left, solved = np.arange(len(many)), np.zeros(len(many), dtype=bool)
    for _ in range(MAX_STEPS):
        odds = np.exp(b[:, left])
        expected = odds * (whole.shown.T @ (of_alike[:, left] / (whole.shown @ odds)))
        step = inverse @ (at_positions[:, left] - expected)[1:] * scale[left]
        largest = np.abs(step).max(axis=0)
        b[1:, left] += step
        solved[left] = largest <= LEAST_STEP
        left = left[(largest > LEAST_STEP) & (largest <= MAX_STEP)]
        if not len(left):
            break
    for one, found, done in zip(many, b.T, solved):
        yield found if done else solve(one, best)


def expand(
    best: np.ndarray,
    resampled: Iterable[np.ndarray],
    chosen: np.ndarray,
    n_observations: np.ndarray,
    components: tuple[tuple[int, ...], ...],
) -> PropensityEstimate:
    """Return the estimate with values at the chosen positions; others, which are not connected, are nan."""
    values = np.full(len(n_observations), np.nan)
    values[chosen] = np.exp(best)
    solved = [np.exp(each) for each in resampled]
    drawn = np.full((len(solved), len(values)), np.nan)
    drawn[:, chosen] = np.reshape(solved, (-1, len(chosen)))
    return PropensityEstimate(values, drawn, n_observations, components)


HARVEST_RULE = "contain documents that were clicked and had several positions for the same query"
HARVEST_FIX = "The log of a ranker that never changed has no such documents."


def harvest(
    rows: ClickRows, documents: np.ndarray, n_resamples: int, random: np.random.RandomState
) -> PropensityEstimate:
    """Estimate propensities from the documents of a query that were shown at several positions."""
    pairs = rank_ids(rows.codes * (int(documents.max()) + 1) + documents)
    moved, clicked = _find_moved(pairs, rows)
    some = moved & clicked
    if not some.any():
        choose_component((), "documents", HARVEST_RULE, HARVEST_FIX)
    used, numbers = rows.take(some), rank_ids(pairs[some])
    splits = count_splits(numbers, int(numbers.max()) + 1, used)
    components = find_components(splits)
    chosen = choose_component(components, "documents", HARVEST_RULE, HARVEST_FIX)
    splits = Splits(splits.shown[:, chosen], splits.clicked[:, chosen])
    informative = splits.find_informative()
    owners = rank_ids(used.codes[first_rows(numbers)][informative])
    splits = Splits(splits.shown[informative], splits.clicked[informative])
    patterns, numbers = np.unique(splits.shown, axis=0, return_inverse=True)
    of_all = splits.clicked.sum(axis=1)

    def sum_clicks(weights: np.ndarray) -> ClickSums:
        """Sum the clicks by pattern of positions, each with the weight of its document."""
        return ClickSums(patterns, np.bincount(numbers.ravel(), of_all * weights), weights @ splits.clicked)

    whole = sum_clicks(np.ones(len(owners)))
    best = solve(whole)
    weighted = (sum_clicks(draw_weights(owners, random)) for _ in range(n_resamples))
    return expand(best, solve_resamples(whole, best, weighted), chosen, rows.take(moved).tally(), components)


def _find_moved(pairs: np.ndarray, rows: ClickRows) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each row's document was shown at several positions, and whether it was ever clicked."""
    n_pairs = int(pairs.max()) + 1
    lowest, highest = np.full(n_pairs, rows.n_positions), np.zeros(n_pairs, dtype=np.int64)
    np.minimum.at(lowest, pairs, rows.positions)
    np.maximum.at(highest, pairs, rows.positions)
    return (lowest < highest)[pairs], (np.bincount(pairs, rows.clicks) > 0)[pairs]


SWAPS_RULE = "mark rows at two or more positions of the same queries, with clicks at each position"


def read_arm(arm: object, rows: ClickRows, documents: np.ndarray | None) -> np.ndarray:
    """Return the number of each row's experiment, 0 for none."""
    values = flatten(read_numbers(arm, "arm"))
    if values.shape != rows.clicks.shape:
        fail("arm", f"have the shape of 'clicks', {rows.clicks.shape}", f"shape {values.shape}")
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # a longdouble can be beyond the range
            values = values.astype(np.float64)
    is_valid = (values >= 0) & (values < 2**31)
    is_valid &= np.where(is_valid, values, 0).astype(np.int64) == values
    if not is_valid.all():
        rule = "contain booleans, or experiment numbers >= 1 and 0 for rows in no experiment"
        fail("arm", rule, values[~is_valid][0])
    arms = values.astype(np.int64)
    if not arms.any():
        fail("arm", SWAPS_RULE, "no marked row")
    if documents is None:
        return arms
    some = arms > 0
    shows = np.stack([arms[some], rows.codes[some], rank_ids(documents[some]), rows.positions[some]], axis=1)
    n_documents = len(np.unique(shows[:, :3], axis=0))
    if n_documents < len(shows) and n_documents == len(np.unique(shows, axis=0)):
        got = "documents that always have the same position"
        fix = "For swaps, mark both rows in all rankings of the experiment, swapped or not."
        fail("arm", "mark rows whose positions were drawn at random", got, fix)
    return arms


def compare_arms(
    rows: ClickRows, arms: np.ndarray, n_resamples: int, random: np.random.RandomState
) -> PropensityEstimate:
    """Estimate propensities from experiments, in each of which all documents are comparable."""
    some = arms > 0
    used, numbers = rows.take(some), rank_ids(arms[some])
    pairs = rank_ids(numbers * (int(used.codes.max()) + 1) + used.codes)
    of_pairs = count_splits(pairs, int(pairs.max()) + 1, used)
    _check_equally_often(of_pairs.shown)
    firsts = first_rows(pairs)
    alike, queries = _find_alike(numbers[firsts], of_pairs.shown), rank_ids(used.codes[firsts])
    splits = Splits(*(_sum_alike(alike, table) for table in of_pairs))
    components = find_components(splits)
    chosen = choose_component(components, "arm", SWAPS_RULE)
    whole = Splits(splits.shown[:, chosen], splits.clicked[:, chosen])
    informative = whole.find_informative()
    whole = Splits(whole.shown[informative], whole.clicked[informative])
    kept = informative[alike]
    tables = [table[kept][:, chosen] for table in of_pairs]
    best = solve(whole.sum_up())
    alike, queries = rank_ids(alike[kept]), queries[kept]
    weights = (draw_weights(queries, random) for _ in range(n_resamples))
    weighted = (Splits(*(_sum_alike(alike, table, each) for table in tables)) for each in weights)
    return expand(best, (solve(each.sum_up(), best) for each in weighted), chosen, used.tally(), components)


def _check_equally_often(shown: np.ndarray) -> None:
    """Check that each query of an experiment has the same number of rows at each of its positions.

    Otherwise, some rows were drawn among fewer positions than others and are not comparable.
    """
    uneven = ((shown > 0) & (shown < shown.max(axis=1, keepdims=True))).any(axis=1)
    if uneven.any():
        counts = shown[int(uneven.argmax())]
        most, least = int(counts.argmax()), int(np.where(counts > 0, counts, np.inf).argmin())
        got = f"a query with {counts[most]:.0f} rows at position {most + 1} and {counts[least]:.0f} at"
        fix = (
            "If rankings have several lengths or several shuffled parts, pass a number for each set of rows "
            "that were drawn together: 1, 2, ..."
        )
        rule = "mark the same number of rows at each position of a query"
        fail("arm", rule, f"{got} position {least + 1}", fix)


def _find_alike(numbers: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Return a code for the experiment and the set of positions of each query.

    The last positions exist only in long rankings, whose documents can be less relevant.
    """
    sets = np.unique(np.packbits(shown > 0, axis=1), axis=0, return_inverse=True)[1].ravel()
    return rank_ids(numbers * (int(sets.max()) + 1) + sets)


def _sum_alike(alike: np.ndarray, table: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum the comparable rows of a table, each with its weight."""
    from scipy.sparse import csr_array

    n = len(alike)
    factors = np.ones(n) if weights is None else weights
    return np.asarray(csr_array((factors, (alike, np.arange(n))), shape=(int(alike.max()) + 1, n)) @ table)
