"""Propensities by how clicks split over the positions at which the same documents stood.

Documents that are alike, of one randomized experiment or the same document itself, have the same relevance at
all positions: of their clicks, position k gets the share n_k p_k / sum_j(n_j p_j), where n_k counts how often
they stood there. The likelihood of these shares has one maximum, in which no relevance is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from .._checks.errors import fail
from ._read import FUNCTION, Estimate, Rows

MAX_CELLS = 10**8  # of a table by positions
MAX_STEPS = 100
MAX_STEP = 5.0  # no position moves by more than a factor of exp(5) at once
TOLERANCE = 1e-9
MAX_AT_ONCE = 2 * 10**6  # cells of a table by resamples
LEAST_STEP = 1e-12  # of resamples that are solved together


class Splits(NamedTuple):
    """Documents that are alike, and how often they stood and were clicked where."""

    shown: np.ndarray  # (n_alike, n_positions)
    clicked: np.ndarray  # (n_alike, n_positions)

    def find_telling(self) -> np.ndarray:
        """Find what stood at several positions and was clicked: nothing else says anything."""
        return (np.count_nonzero(self.shown, axis=1) > 1) & (self.clicked.sum(axis=1) > 0)


def count_splits(alike: np.ndarray, n_alike: int, rows: Rows) -> Splits:
    """Count rows and clicks of what is alike, by positions."""
    size = n_alike * rows.n_positions
    if size > MAX_CELLS:
        rule = f"leave at most {MAX_CELLS:,} cells of documents, or of queries and experiments, by positions"
        fail("positions", FUNCTION, rule, f"{n_alike:,} by {rows.n_positions:,}")
    cells = alike * rows.n_positions + rows.positions - 1
    counted = (np.bincount(cells, weights, size) for weights in (None, rows.clicks))
    shown, clicked = (each.reshape(n_alike, rows.n_positions).astype(np.float64) for each in counted)
    return Splits(shown, clicked)


def find_components(splits: Splits) -> tuple[tuple[int, ...], ...]:
    """Return positions whose ratios are known, together: clicks of either could have been at the other.

    The likelihood has a maximum where a path leads from each position to each other, along documents that
    were clicked at the one and stood at the other (Ford 1957, for the same likelihood).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    links = (splits.clicked > 0).T.astype(np.float64) @ (splits.shown > 0)
    _, labels = connected_components(csr_array(links), directed=True, connection="strong")
    members = [tuple((np.flatnonzero(labels == label) + 1).tolist()) for label in range(labels.max() + 1)]
    return tuple(sorted(members))


def choose_component(components: tuple[tuple[int, ...], ...], parameter: str, rule: str) -> np.ndarray:
    """Return the positions, from 0 on, that are connected; refuse none, and several sets of them."""
    several = [each for each in components if len(each) > 1]
    if not several:
        fail(parameter, FUNCTION, rule, "no two positions that clicks connect")
    if len(several) > 1:
        rule = "be connected, as no ratios between these sets are known: pass the rows of one of them"
        got = " and ".join(f"{{{', '.join(map(str, each))}}}" for each in several)
        fail("positions", FUNCTION, rule, f"the sets {got}")
    return np.array(several[0]) - 1


class Sums(NamedTuple):
    """All that the likelihood depends on: `shown`, the clicks of each of its rows, and those of positions."""

    shown: np.ndarray
    of_alike: np.ndarray
    at_positions: np.ndarray


def sum_up(splits: Splits) -> Sums:
    """Sum the clicks."""
    return Sums(splits.shown, splits.clicked.sum(axis=1), splits.clicked.sum(axis=0))


def solve(sums: Sums, start: np.ndarray | None = None) -> np.ndarray:
    """Return the logarithms of propensities relative to the first position, by Newton's method.

    Maximized is sum_k(c_k b_k) - sum_i(c_i log(sum_k(n_ik exp(b_k)))), which is concave in b.
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
        curvature = _find_curvature(shares, of_alike, expected)
        step = np.append(0.0, np.linalg.solve(curvature, gradient))
        step *= min(1.0, MAX_STEP / np.abs(step).max())
        while (new := find_likelihood(b + step)) < value - TOLERANCE * abs(value):
            step /= 2
        b, value = b + step, new
    return b


def _find_curvature(shares: np.ndarray, of_alike: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the negative second derivatives of the likelihood, without the first position."""
    return (np.diag(expected) - shares.T @ (shares * of_alike[:, None]))[1:, 1:]


def solve_resamples(whole: Sums, best: np.ndarray, resampled: Iterable[Sums]) -> Iterator[np.ndarray]:
    """Solve resamples that differ in clicks alone, many at once, by the curvature of the whole log.

    So a step is two products of matrices for all of them. Those that do not come to rest are solved alone.
    """
    shares = whole.shown * np.exp(best)
    shares /= shares.sum(axis=1, keepdims=True)
    inverse = np.linalg.inv(_find_curvature(shares, whole.of_alike, whole.of_alike @ shares))
    rest, n_at_once = iter(resampled), max(1, MAX_AT_ONCE // len(whole.shown))
    while many := tuple(islice(rest, n_at_once)):
        yield from _solve_batch(whole, best, inverse, many)


def _solve_batch(
    whole: Sums, best: np.ndarray, inverse: np.ndarray, many: tuple[Sums, ...]
) -> Iterator[np.ndarray]:
    """Solve some resamples, a column each."""
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


def place(
    best: np.ndarray,
    resampled: Iterable[np.ndarray],
    chosen: np.ndarray,
    n_observations: np.ndarray,
    components: tuple[tuple[int, ...], ...],
) -> Estimate:
    """Place what was solved, of resamples too; positions that are not connected get nan."""
    values = np.full(len(n_observations), np.nan)
    values[chosen] = np.exp(best)
    solved = [np.exp(each) for each in resampled]
    drawn = np.full((len(solved), len(values)), np.nan)
    drawn[:, chosen] = np.reshape(solved, (-1, len(chosen)))
    return Estimate(values, drawn, n_observations, components)
