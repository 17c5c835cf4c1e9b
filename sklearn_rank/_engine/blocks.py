"""The engine: flat rows with query ids become matrices of ranked queries of similar length, a row each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from .._checks.rows import Scores
from .layout import Part
from .packed import Map, PackedSort
from .prepared import PreparedRows
from .ranked import Block, Ranking
from .ties import Ties, arrange, count

Result = TypeVar("Result")


def map_blocks(
    function: Callable[[Block], Result],
    rows: PreparedRows,
    scores: Scores,
    tie_rule: str = "average",
    n_values: int = 1,
    each: Map = map,
) -> Iterator[Result]:
    """Apply a function to the queries, as blocks of similar length, each sorted by score under one tie rule.

    Documents whose label is NaN are left out. Blocks are smaller where `n_values` are computed per query.
    What can be done side by side is left to `each`, which applies a function as `map` does.
    """
    buffer = np.empty(0)
    for chunk in rows.chunks(n_values):
        size = chunk.layout.size
        if size > len(buffer):  # one for all chunks: new memory costs as much as what is done with it
            buffer = np.empty(size * 65 // 64)
        packed = PackedSort(chunk, scores, buffer[:size], each)
        yield from each(partial(_apply, function, packed, tie_rule), chunk.parts)


def iter_blocks(
    rows: PreparedRows, scores: Scores, tie_rule: str = "average", n_values: int = 1
) -> Iterator[Block]:
    """Yield the queries as blocks of similar length, each sorted by score under one tie rule."""
    return map_blocks(lambda block: block, rows, scores, tie_rule, n_values)


def _apply(function: Callable[[Block], Result], packed: PackedSort, tie_rule: str, part: Part) -> Result:
    """Apply a function to one block of a chunk."""
    in_order = tie_rule == "order"
    ranking = packed.rank(part, in_order) or _rank_by_places(packed, part, in_order)
    if ranking.ties is not None and tie_rule in ("best", "worst"):
        by_rank = arrange(ranking.labels, ranking.ties, best=tie_rule == "best")
        ranking = ranking._replace(labels=by_rank)
    return function(Block(packed.chunk.origin_of(part), ranking, settled=tie_rule != "average"))


def _rank_by_places(packed: PackedSort, part: Part, in_order: bool) -> Ranking:
    """Rank the documents of some queries, with any labels and any scores."""
    chunk = packed.chunk
    keys = chunk.cut(packed.whole_keys, part)
    labels, lengths = chunk.cut(chunk.laid_out_labels, part), part.lengths
    unjudged, is_padded = np.isnan(labels), part.is_padded
    if unjudged.any():  # as padding, so that the other documents close up
        keys = np.where(unjudged, np.nan, keys)
        labels = np.where(unjudged, 0, labels)
        lengths, is_padded = lengths - count(unjudged), True
    order = np.argsort(keys, axis=1)
    ranked = np.take_along_axis(keys, order, axis=1)
    tied = ranked[:, 1:] == ranked[:, :-1]
    if lengths.min() < ranked.shape[1]:  # not in the padding
        tied &= np.arange(1, ranked.shape[1]) < lengths[:, None]
    if in_order and tied.any():
        _settle(order, tied)
    n_retrieved = (keys < np.inf).sum(axis=1) if packed.unretrieved else lengths
    by_rank = np.take_along_axis(labels, order, axis=1)
    ties = Ties.between(tied) if tied.any() else None
    return Ranking(by_rank, ties, lengths, n_retrieved, lambda: keys, is_padded)


def _settle(order: np.ndarray, tied: np.ndarray) -> None:
    """Bring documents of equal scores into the order of their rows; a stable sort of all takes longer."""
    as_last, is_tied = np.zeros((2, *order.shape), dtype=bool)
    as_last[:, 1:] = tied
    is_tied[:, :-1] = tied
    cells = np.flatnonzero(is_tied | as_last)
    places = order.ravel()[cells]
    run = np.cumsum(~as_last.ravel()[cells])
    order.ravel()[cells] = places[np.argsort(run * order.shape[1] + places)]
