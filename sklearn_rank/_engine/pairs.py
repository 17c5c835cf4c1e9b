"""Queries whose documents have two scores each, and the overlap of the first ranks in both rankings."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._checks.rows import Scores
from .prepared import PreparedRows
from .ties import count, draw_odds

SHORT = 64  # ranks up to which a score is compared with all of them at once
CELLS = 2**21  # numbers that are processed at once


class Tops(NamedTuple):
    """The first ranks of some queries: a row per query, a column per rank."""

    ranked: np.ndarray  # negated scores in increasing order; NaN after the last
    firsts: np.ndarray  # the first rank of the tie at each rank
    lasts: np.ndarray  # the last rank of the tie, which can be beyond the first ranks
    lengths: np.ndarray  # number of retrieved documents


class Pair(NamedTuple):
    """The first ranks of some queries in two rankings."""

    places: slice  # position of the queries among all, part after part
    members: np.ndarray  # which queries they are
    one: Tops
    other: Tops
    ranks: np.ndarray  # (n, 4): first and last rank in one ranking and in the other, of documents in both
    queries: np.ndarray  # (n,): the query of each of these, in this block


def iter_pairs(rows: PreparedRows, one: Scores, other: Scores, k: int) -> Iterator[Pair]:
    """Yield the first `k` ranks of each query in two rankings; documents with score -inf have no rank."""
    for chunk in rows.chunks():
        keys = [chunk.lay_out_keys(each.values[chunk.rows], unretrieved=True) for each in (one, other)]
        for each in keys:
            each[each == np.inf] = np.nan
        for part in chunk.parts:
            origin = chunk.origin_of(part)
            here, there = (chunk.cut(each, part) for each in keys)
            tops = _find_tops(here, k), _find_tops(there, k)
            cells = np.flatnonzero(_is_in(here, tops[0]) & _is_in(there, tops[1]))
            queries = cells // here.shape[1]
            ranks = [_find_ranks(top, queries, each.ravel()[cells]) for top, each in zip(tops, (here, there))]
            yield Pair(origin.places, origin.members, *tops, np.concatenate(ranks, axis=1), queries)


def _find_tops(keys: np.ndarray, k: int) -> Tops:
    """Sort the keys, and find the ties at the first ranks."""
    ranked = np.sort(keys[:, :k] if k >= keys.shape[1] else np.partition(keys, k - 1, axis=1)[:, :k], axis=1)
    lengths = count(keys == keys).astype(np.int64)
    places = np.arange(1, ranked.shape[1] + 1)
    opens = np.ones(ranked.shape, dtype=bool)
    np.not_equal(ranked[:, 1:], ranked[:, :-1], out=opens[:, 1:])
    firsts = np.maximum.accumulate(np.where(opens, places, 0), axis=1)
    closes = np.ones(ranked.shape, dtype=bool)
    closes[:, :-1] = opens[:, 1:]
    ends = np.where(closes, places, keys.shape[1] + 1)
    ends[:, -1] = np.maximum(count(keys <= ranked[:, -1:]), len(places))
    return Tops(ranked, firsts, np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1], lengths)


def _is_in(keys: np.ndarray, top: Tops) -> np.ndarray:
    """Mark the documents that can be at the first ranks."""
    lowest = top.ranked[np.arange(len(keys)), np.clip(top.lengths, 1, top.ranked.shape[1]) - 1]
    return keys <= lowest[:, None]


def _find_ranks(top: Tops, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the first and the last rank of documents by their keys."""
    width = top.ranked.shape[1]
    places = np.empty(len(keys), dtype=np.int64)
    if width <= SHORT:
        by_rank = np.ascontiguousarray(top.ranked.T)
        step = CELLS // width
        for start in range(0, len(keys), step):
            piece = slice(start, start + step)
            places[piece] = count(by_rank[:, queries[piece]] < keys[piece], axis=0)
    else:  # by bisection
        padded = np.pad(top.ranked, ((0, 0), (0, 1)), constant_values=np.nan)  # not less than any key
        flat, begins = padded.ravel(), queries * (width + 1) - 1
        places[:] = 0
        for step in 2 ** np.arange(width.bit_length())[::-1]:
            further = np.minimum(places + step, width + 1)
            places += step * (flat[begins + further] < keys)
    return np.stack((top.firsts[queries, places], top.lasts[queries, places]), axis=1)


def count_shared(pair: Pair) -> np.ndarray:
    """Return the expected number of documents that both rankings have at the first 1, 2, ... ranks.

    Tied documents are in any order, independently in both rankings. A document whose tie has the ranks f to l
    is among the first d with probability (d - f + 1) / (l - f + 1). At each d, one tie per ranking is open,
    and its documents are counted by their probabilities; documents in ties above are counted as 1.
    """
    first, last, other_first, other_last = pair.ranks.T
    shared = _count_until(pair, np.maximum(last, other_last)).astype(np.float64)
    odds, other_odds = _find_odds(pair.one), _find_odds(pair.other)
    if not (odds.any() or other_odds.any()):
        return shared
    n_queries, width = odds.shape
    depths = np.arange(1, width + 1)
    here, there = (
        (np.arange(n_queries)[:, None] * (width + 2) + each.firsts) * (width + 2)
        for each in (pair.one, pair.other)
    )
    own, others = ((pair.queries * (width + 2) + each) * (width + 2) for each in (first, other_first))
    ended = [np.minimum(each, width + 1) for each in (other_last, last)]
    shared += odds * _count_between(own + ended[0], here, here + depths)
    shared += other_odds * _count_between(others + ended[1], there, there + depths)
    both = here + pair.other.firsts
    shared += odds * other_odds * _count_between(own + other_first, both, both)
    return shared


def _count_until(pair: Pair, ranks: np.ndarray) -> np.ndarray:
    """Count the documents of each query down to ranks 1, 2, ..."""
    n_queries, width = pair.one.ranked.shape
    inside = ranks <= width
    cells = pair.queries[inside] * width + ranks[inside] - 1
    return np.cumsum(np.bincount(cells, minlength=n_queries * width).reshape(n_queries, width), axis=1)


def _count_between(codes: np.ndarray, lowest: np.ndarray, highest: np.ndarray) -> np.ndarray:
    """Count the codes from one value to another."""
    codes = np.sort(codes)
    return np.searchsorted(codes, highest, side="right") - np.searchsorted(codes, lowest)


def _find_odds(top: Tops) -> np.ndarray:
    """Return the probability that documents in an open tie are among the first 1, 2, ...; otherwise 0."""
    depths = np.arange(1, top.ranked.shape[1] + 1)
    return np.where(top.lasts > depths, (depths - top.firsts + 1) / (top.lasts - top.firsts + 1), 0)


def find_open(pair: Pair) -> np.ndarray:
    """Mark the queries in which a tie of either ranking continues beyond the last rank."""
    width = pair.one.ranked.shape[1]
    marked: np.ndarray = (pair.one.lasts[:, -1] > width) | (pair.other.lasts[:, -1] > width)
    return marked


def share_odds(pair: Pair, queries: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield queries, and the probabilities that the rankings share 0, 1, ... documents up to the last rank.

    The tie that crosses the last rank of one order contributes j documents that are in the other order's last
    tie too, and i documents that the other order ranks above its last tie. Given j, the number i and the
    number of documents that the other tie contributes are independent.
    """
    width = pair.one.ranked.shape[1]
    is_open, other_is_open = (pair.ranks[:, side] > width for side in (1, 3))
    kinds = 4 * pair.queries + 2 * is_open + other_is_open
    counts = np.bincount(kinds, minlength=4 * len(pair.one.ranked)).reshape(-1, 4)
    step = max(CELLS // (width + 1) ** 2, 1)
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        sizes, drawn = _describe_last(pair.one, some)
        other_sizes, other_drawn = _describe_last(pair.other, some)
        in_both, other_in_tie, in_tie, tied_in_both = counts[some].T
        fewest = np.maximum(drawn - (sizes - tied_in_both), 0)
        n_cases = np.minimum(tied_in_both, drawn) - fewest + 1
        case = np.repeat(np.arange(len(some)), n_cases)
        j = np.arange(len(case)) - np.repeat(np.cumsum(n_cases) - n_cases, n_cases) + fewest[case]
        of_j = draw_odds(sizes, tied_in_both, drawn)[case, j]
        of_i = draw_odds((sizes - tied_in_both)[case], in_tie[case], drawn[case] - j)
        of_other = draw_odds(other_sizes[case], other_in_tie[case] + j, other_drawn[case])
        of_sum = np.zeros((len(case), of_i.shape[1] + of_other.shape[1] - 1))
        for i, odds in enumerate(of_i.T):
            of_sum[:, i : i + of_other.shape[1]] += (of_j * odds)[:, None] * of_other
        of_drawn = np.add.reduceat(of_sum, np.flatnonzero(np.diff(case, prepend=-1)), axis=0)
        n_shared = np.arange(width + 1) - in_both[:, None]
        found = np.take_along_axis(of_drawn, np.clip(n_shared, 0, of_drawn.shape[1] - 1), axis=1)
        yield some, np.where((n_shared >= 0) & (n_shared < of_drawn.shape[1]), found, 0)


def _describe_last(top: Tops, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the size of the tie across the last rank, and how many of it are drawn; 0 without such a tie."""
    width = top.ranked.shape[1]
    first, last = (each[queries, -1] for each in (top.firsts, top.lasts))
    is_open = last > width
    return np.where(is_open, last - first + 1, 0), np.where(is_open, width - first + 1, 0)


def count_together(pair: Pair) -> np.ndarray:
    """Return how many documents both rankings have at the first ranks, if ties have their first rank."""
    return _count_until(pair, np.maximum(pair.ranks[:, 0], pair.ranks[:, 2]))


def sum_squares(top: Tops) -> np.ndarray:
    """Return the sum of the squared probabilities of being among the first 1, 2, ... documents."""
    depths = np.minimum(np.arange(1, top.ranked.shape[1] + 1), np.maximum(top.lengths, 1)[:, None])
    first, last = (np.take_along_axis(each, depths - 1, axis=1) for each in (top.firsts, top.lasts))
    return first - 1 + (depths - first + 1) ** 2 / (last - first + 1)
