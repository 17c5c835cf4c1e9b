"""Tied documents: the expected precision at a relevant one, over all orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..._engine.ranked import Block
from ..._engine.ties import Ties, draw_odds
from .sample import Sample

AT_ONCE = 2**20  # probabilities that are held in memory


class Others(NamedTuple):
    """Documents of one stratum around a relevant one: those above its tie, and the others in it."""

    above: np.ndarray  # of shape (3, n): pooled, judged, relevant
    beside: np.ndarray


def expect_in_ties(
    block: Block, sample: Sample, smoothing: tuple[float, float], precision: np.ndarray
) -> None:
    """Replace the precision at tied relevant documents by that expected, where the order is open.

    Relevant documents of one stratum in one tie have the same.
    """
    ties = block.open_ties
    if ties is None:
        return
    of_cell = ties.spread(np.arange(len(ties.heads)))
    cells = np.flatnonzero(block.retrieved(sample.relevant) & (ties.sizes[of_cell] > 1))
    if not len(cells):
        return
    kinds = of_cell.ravel()[cells] * sample.n_strata + sample.codes.ravel()[cells]
    kinds, kind_of_cell = np.unique(kinds, return_inverse=True)
    tie, own = np.divmod(kinds, sample.n_strata)
    strata = [_count_others(block, ties, sample, stratum, tie, own) for stratum in range(sample.n_strata)]
    means = _average_places(ties.sizes[tie], ties.columns[tie], strata, smoothing)
    precision.ravel()[cells] = means[kind_of_cell]


def _count_others(
    block: Block, ties: Ties, sample: Sample, stratum: int, tie: np.ndarray, own: np.ndarray
) -> Others:
    counts = [ties.count(block.retrieved(marks)) for marks in sample.in_stratum(stratum)]
    above, beside = (np.array([each[part][tie] for each in counts]) for part in (0, 1))
    return Others(above, beside - (own == stratum))


def _average_places(
    sizes: np.ndarray, columns: np.ndarray, strata: list[Others], smoothing: tuple[float, float]
) -> np.ndarray:
    """Average the expected precision over the places of a tie, each of which is equally likely."""
    sums = np.zeros(len(sizes))
    widths = np.max([of_stratum.beside[1] for of_stratum in strata], axis=0) + 1
    for kinds, places in _cut(sizes, widths):
        n_expected = np.zeros(len(kinds))
        for above, beside in strata:
            n_expected += _expect_above(sizes[kinds], places, above[:, kinds], beside[:, kinds], smoothing)
        sums += np.bincount(kinds, (1 + n_expected) / (columns[kinds] + places + 1), minlength=len(sums))
    return sums / sizes


def _cut(sizes: np.ndarray, widths: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the places of ties, from 0, with the number of the tie: so many that memory holds their odds."""
    octaves = np.frexp(widths)[1]
    for octave in np.unique(octaves):
        members = np.flatnonzero(octaves == octave)
        n_places = max(AT_ONCE >> int(octave), 1)
        ends = np.cumsum(sizes[members])
        for start in range(0, int(ends[-1]), n_places):
            each = np.arange(start, min(start + n_places, int(ends[-1])))
            at = np.searchsorted(ends, each, side="right")
            yield members[at], each - (ends - sizes[members])[at]


def _expect_above(
    sizes: np.ndarray,
    places: np.ndarray,
    above: np.ndarray,
    beside: np.ndarray,
    smoothing: tuple[float, float],
) -> np.ndarray:
    """Return how many relevant documents of a stratum are expected above a place of a tie.

    So many of the t - 1 others as the place says are drawn. Of how many of them are judged the odds are
    hypergeometric; given that number, the relevant among these and the pooled among the rest have their mean
    shares, and do not depend on each other.
    """
    pooled, judged, relevant = beside
    others = sizes - 1
    odds = draw_odds(others, judged, places)
    drawn = np.arange(odds.shape[1])
    share_pooled = (pooled - judged) / np.maximum(others - judged, 1)
    share_relevant = relevant / np.maximum(judged, 1)
    n_pooled = above[0][:, None] + drawn + (places[:, None] - drawn) * share_pooled[:, None]
    n_relevant = above[2][:, None] + drawn * share_relevant[:, None] + smoothing[0]
    n_judged = above[1][:, None] + drawn + smoothing[1]
    expected: np.ndarray = (odds * n_pooled * n_relevant / n_judged).sum(axis=1)
    return expected
