"""Gains that fade with each document shown for the same intent: of rankings, and of greedy best lists."""

from typing import NamedTuple

import numpy as np

from ..._engine.blocks import iter_blocks
from ..._engine.ranked import Block
from .._opened import Opened
from .rows import Intents

CELLS = 2**18  # labels of queries and intents that are held as floats at once
ALIKE = 1e-12  # gains that differ by a smaller part differ by rounding


class Vectors(NamedTuple):
    """The distinct rows of a matrix of labels, in lexicographic order; the first is all 0."""

    places: np.ndarray  # per row: which of them it is
    distinct: np.ndarray


def find_vectors(labels: np.ndarray) -> Vectors:
    """Find the distinct rows of a matrix of labels >= 0."""
    places, n_places = np.zeros(len(labels), dtype=np.int64), 1
    for column in labels.T:
        if column.dtype == bool:
            levels, n_levels = column.astype(np.int64), 2
        else:
            values, levels = np.unique(column, return_inverse=True)
            n_levels = len(values)
        places, n_places = places * n_levels + levels, n_places * n_levels
        if n_places > 4 * len(labels):
            places = np.unique(places, return_inverse=True)[1]
            n_places = int(places.max()) + 1
    present = np.bincount(places, minlength=n_places) > 0
    places = (np.cumsum(present) - 1)[places]
    examples = np.empty(int(places.max()) + 1, dtype=np.int64)
    examples[places] = np.arange(len(labels))
    distinct = labels[examples]
    if distinct[0].any():
        distinct = np.concatenate((np.zeros_like(distinct[:1]), distinct))
        places = places + 1
    return Vectors(places, distinct)


class Fading(NamedTuple):
    """By which gains a list is best: each document multiplies what is left of an intent."""

    gains: np.ndarray  # of shape (n_distinct, n_intents): of the distinct label vectors
    keeps: np.ndarray  # what each leaves of an intent
    weights: np.ndarray  # of shape (1, n_intents) or (n_queries, n_intents)


def best_worths(block: Block, fading: Fading, worth: np.ndarray) -> np.ndarray:
    """Return what the greedy best list of each query of a block is worth.

    The document with the highest gain comes first, of equal gains that with the greater labels, compared
    intent by intent: the order of the rows says nothing.
    """
    places = block.best_labels(None).astype(np.intp)  # from great to small
    places = places[:, : max(1, int((places > 0).sum(axis=1).max()))]
    of_block = np.broadcast_to(fading.weights, (len(fading.weights), fading.gains.shape[1]))
    of_block = of_block[block.members] if len(of_block) > 1 else np.repeat(of_block, len(places), axis=0)
    step = max(1, CELLS // (places.shape[1] * fading.gains.shape[1]))
    parts = [slice(start, start + step) for start in range(0, len(places), step)]
    return np.concatenate([_climb(places[part], fading, of_block[part], worth) for part in parts])


def _climb(places: np.ndarray, fading: Fading, weights: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Choose document after document, as many as have a worth."""
    offered, left = fading.gains[places], weights[:, :, None].copy()
    each = np.arange(len(places))
    total = np.zeros(len(places))
    for worth_of_rank in worth[: places.shape[1]]:
        gains = np.matmul(offered, left)[:, :, 0]
        chosen = (gains >= gains.max(axis=1, keepdims=True) * (1 - ALIKE)).argmax(axis=1)
        total += gains[each, chosen] * worth_of_rank
        offered[each, chosen] = 0
        left *= fading.keeps[places[each, chosen], :, None]
    return total


def best_of_queries(data: Opened, fading: Fading, worth: np.ndarray) -> np.ndarray:
    """Return what the greedy best list of each query is worth, of rows with places of label vectors."""
    best = np.empty(len(data.rows.queries.lengths))
    for block in iter_blocks(data.rows, data.scores):
        best[block.members] = best_worths(block, fading, worth)
    return best


class Novelty(NamedTuple):
    """What queries have, by gains that fade with each relevant document of the same intent."""

    found: np.ndarray  # in the ranking
    best: np.ndarray  # in the greedy best list; 1 where it is not asked for
    n_intents: np.ndarray  # those that have a relevant document


def sum_novelty(
    intents: Intents, marks: np.ndarray, alpha: float, worth: np.ndarray, ties: str, with_best: bool
) -> Novelty:
    """Sum, over ranks and intents, worth * (1 - alpha) ** (relevant documents of the intent above)."""
    vectors = find_vectors(marks)
    data = intents.of_labels(vectors.places.astype(np.float64), (0.0, float(len(vectors.distinct) - 1)))
    gains = vectors.distinct.astype(np.float64)
    fading = Fading(gains, 1 - alpha * gains, np.ones((1, marks.shape[1])))
    found, best = np.empty(len(intents.queries.lengths)), np.ones(len(intents.queries.lengths))
    for block in iter_blocks(data.rows, data.scores, ties):
        places = block.top_labels(len(worth)).astype(np.intp)
        n_ranks = min(places.shape[1], len(worth))
        by_rank = np.zeros((len(places), n_ranks))
        for of_intent in vectors.distinct.T:
            by_rank += block.of_top(of_intent[places]).fading(1 - alpha, n_ranks)[:, :n_ranks]
        found[block.members] = by_rank @ worth[:n_ranks]
        if with_best:
            best[block.members] = best_worths(block, fading, worth)
    return Novelty(found, best, intents.find_present(marks).sum(axis=1))


def sum_bounds(keep: float, worth: np.ndarray, k: int | None, intents: Intents) -> np.ndarray:
    """Return the sum of worth * keep ** (rank - 1) over the first `k` ranks; without `k`, of each list."""
    sums = np.cumsum(worth * keep ** np.arange(len(worth), dtype=np.float64))
    lengths = intents.queries.lengths
    return np.full(len(lengths), sums[-1]) if k is not None else sums[lengths - 1]
