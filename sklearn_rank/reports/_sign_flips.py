"""The randomization test: one sign for each unit, a query or a cluster, flips all comparisons together.

If two systems are equally good, what a unit gives to one of them might as well have been given to the other.
"""

from collections.abc import Iterator
from itertools import product
from math import ceil, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from .._checks.options import check_random
from ._equal import ROUNDING
from ._paired_tests import paired_difference

TOLERANCE = 1e-12  # sums that are equal on paper differ by less, others by more
FLIPS, UNITS = 256, 4096  # a piece of the matrix of signs: 8 MB
SIGNS = np.array(list(product([-1.0, 1.0], repeat=8)))  # the eight signs that a random byte stands for


class SignFlips(NamedTuple):
    """What the sign flips tell of each comparison, and of all of them together."""

    p_value: np.ndarray  # of each comparison alone
    max_p_value: np.ndarray  # corrected by the maximum, step-down
    single_step_p_value: np.ndarray  # likewise, single-step: the one that goes with the intervals
    critical_value: float  # an interval is D -+ critical_value * se, for all comparisons together
    n_nonzero: np.ndarray  # units with a difference, of each comparison
    n_flips: int
    all_flips: bool  # all sign vectors, or random ones


class Observed(NamedTuple):
    """What the sums of the flips are compared with, one of each comparison."""

    pairs: np.ndarray
    least: np.ndarray  # the observed sums, less what rounding may make of equal ones
    roots: np.ndarray  # the root sums of squares; inf without a difference
    least_scaled: np.ndarray  # the sums over their roots, likewise
    order: np.ndarray  # from the largest scaled sum to the smallest


def least_p(n_nonzero: np.ndarray) -> np.ndarray:
    """Return the smallest p that so many units with a difference can give: with 5 of them, 2 / 32."""
    return np.minimum(1.0, np.ldexp(2.0, -np.asarray(n_nonzero)))


def randomization_test(
    terms: np.ndarray,
    residuals: np.ndarray,
    standard_error: np.ndarray,
    pairs: np.ndarray,
    counts: np.ndarray,
    *,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: Any = None,
    rounding: float = ROUNDING,
) -> SignFlips:
    """Flip the signs of units, and compare the absolute sums with those observed.

    All sign vectors are taken if they are at most `n_resamples`, where units without any difference count
    for nothing. Else the observed one is counted beside `n_resamples` random ones.

    Corrected p values are those of Westfall and Young (1993): each comparison is divided by its root sum of
    squares, which no flip changes, and the largest of all decides. The critical value of simultaneous
    intervals comes from flips of the residuals, studentized anew at each flip. It is inf where there are too
    few flips to tell, as of five units at 95 %, where no p is below .05. Comparisons without a
    `standard_error`, that of `t_test`, have no part in it.
    """
    differ, observed = _observe(terms, pairs, rounding)
    active = differ.any(axis=1)
    random_state = check_random(random_state, "compare")
    counted, maxima, n_terms = np.zeros((3, len(pairs))), [], terms.shape[1]
    all_flips = are_few(active.sum(), n_resamples)
    if all_flips:  # of units with a difference; their residuals differ in others too
        for sums in flip_signs(terms[active], n_resamples, random_state):
            counted += _count_reaching(sums, observed)
        for sums in flip_signs(residuals, n_resamples, random_state):
            maxima.append(_largest_t(sums, standard_error, pairs, counts))
    else:
        for sums in flip_signs(np.hstack([terms, residuals]), n_resamples, random_state):
            counted += _count_reaching(sums[:, :n_terms], observed)
            maxima.append(_largest_t(sums[:, n_terms:], standard_error, pairs, counts))
    n_flips = 2 ** int(active.sum()) if all_flips else n_resamples
    alone, single_step, step_down = counted / n_flips if all_flips else (1 + counted) / (1 + n_flips)
    step_down[observed.order] = np.maximum.accumulate(step_down[observed.order])
    critical_value = upper_quantile(
        np.concatenate(maxima), confidence_level, are_few(len(terms), n_resamples)
    )
    return SignFlips(alone, step_down, single_step, critical_value, differ.sum(axis=0), n_flips, all_flips)


def are_few(n_units: int, n_resamples: int) -> bool:
    """Tell whether all sign vectors are at most so many."""
    return n_units < 63 and 2 ** int(n_units) <= n_resamples


def _observe(terms: np.ndarray, pairs: np.ndarray, rounding: float) -> tuple[np.ndarray, Observed]:
    """Return which units differ in which comparison, and what is observed."""
    differ = np.zeros((len(terms), len(pairs)), dtype=bool)
    sums, roots = np.zeros(len(pairs)), np.zeros(len(pairs))
    for j, (a, b) in enumerate(pairs):
        difference = paired_difference(terms, a, b, rounding)
        differ[:, j] = difference != 0
        sums[j], roots[j] = abs(difference.sum()), sqrt(difference @ difference)
    roots[roots == 0] = np.inf
    # Differences are taken of the sums of columns, whose rounding goes with the columns.
    errors = rounding * np.abs(terms).sum(axis=0)[pairs].sum(axis=1)
    scaled, error = sums / roots, (errors / roots).max(initial=0.0)
    least, least_scaled = sums * (1 - TOLERANCE) - errors, scaled * (1 - TOLERANCE) - error
    return differ, Observed(pairs, least, roots, least_scaled, np.argsort(-scaled, kind="stable"))


def flip_signs(
    columns: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield the sums of the columns under all sign vectors, or `n_resamples` random ones, some at a time."""
    n_units = len(columns)
    few = are_few(n_units, n_resamples)
    n_flips = 2**n_units if few else n_resamples
    for start in range(0, n_flips, FLIPS):
        n = min(FLIPS, n_flips - start)
        if few:
            bits = np.arange(start, start + n)[:, np.newaxis] >> np.arange(n_units) & 1
            yield (1.0 - 2.0 * bits) @ columns
            continue
        sums = np.zeros((n, columns.shape[1]))
        for first in range(0, n_units, UNITS):
            piece = columns[first : first + UNITS]
            sums += _draw_signs(n, len(piece), random_state) @ piece
        yield sums


def _draw_signs(n_flips: int, n_units: int, random_state: np.random.RandomState) -> np.ndarray:
    """Draw signs, -1.0 and 1.0, eight from each random byte."""
    n_bytes = -(-n_units // 8)
    drawn = np.frombuffer(random_state.bytes(n_flips * n_bytes), np.uint8)
    return SIGNS.take(drawn, axis=0, mode="clip").reshape(n_flips, -1)[:, :n_units]


def _count_reaching(sums: np.ndarray, observed: Observed) -> np.ndarray:
    """Count the flips that reach what was observed: each comparison alone, single-step and step-down."""
    flipped = np.abs(sums[:, observed.pairs[:, 0]] - sums[:, observed.pairs[:, 1]])
    alone = (flipped >= observed.least).sum(axis=0)
    # The maxima over a comparison and those that come after it: the first is the maximum over all.
    scaled, needed = (flipped / observed.roots)[:, observed.order], observed.least_scaled[observed.order]
    maxima = np.maximum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    single_step, step_down = np.empty_like(alone), np.empty_like(alone)
    single_step[observed.order] = (maxima[:, :1] >= needed).sum(axis=0)
    step_down[observed.order] = (maxima >= needed).sum(axis=0)
    return np.array([alone, single_step, step_down])


def _largest_t(
    sums: np.ndarray, standard_error: np.ndarray, pairs: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Return of each flip the largest |S| / se, with se**2 = n / (n - 1) (sum e**2 - S**2 / n)."""
    known = standard_error > 0
    flipped = np.abs(sums[:, pairs[known, 0]] - sums[:, pairs[known, 1]])
    squares = standard_error[known] ** 2
    left = squares - flipped**2 / (counts[known] - 1)
    constant = left <= TOLERANCE * squares  # all flipped to one value
    t = np.where(constant, np.inf, flipped / np.sqrt(np.where(constant, 1.0, left)))
    return t.max(axis=1, initial=0.0)


def upper_quantile(values: np.ndarray, level: float, all_flips: bool) -> float:
    """Return the smallest value that `level` of them do not exceed, the observed one counted among them."""
    if all_flips and (1 - level) * len(values) + 1e-9 < 2:
        return inf  # no p would be so small
    rank = ceil(level * (len(values) + (not all_flips)) - 1e-9)
    return float(np.sort(values)[rank - 1]) if rank <= len(values) else inf
