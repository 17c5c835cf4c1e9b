"""The engine: flat rows with query ids become dense blocks of ranked queries.

Queries of similar length are gathered into a matrix, a row per query, and sorted by score with one call.
"""

from collections.abc import Iterator

import numpy as np

from ._queries import Queries
from ._ranked import Block
from ._ties import Runs, arrange

BLOCK_CELLS = 2**15  # a block and its temporaries stay in the cache
SMALL_INPUT = 2**17  # rows below which the number of blocks costs more than padding
SHORT = 32  # documents up to which the queries of a block, not the documents of a query, lie together
HIGHEST_GRADE = 30  # of the labels that are sorted along with their scores


def iter_blocks(
    labels: np.ndarray, scores: np.ndarray, queries: Queries, ties: str = "average", width: int = 1
) -> Iterator[Block]:
    """Yield the queries as blocks of similar length, each sorted by score under one tie rule.

    Documents whose label is NaN are left out. Blocks are smaller where `width` values are computed per query.
    """
    unretrieved = bool(scores.min() == -np.inf)
    finite = not unretrieved and bool(scores.max() < np.inf)
    has_unjudged = labels.dtype.kind == "f" and bool(np.isnan(labels.min()))
    for members in _bucket(queries.lengths, width):
        lengths = queries.lengths[members]
        rows, outside = _find_rows(members, lengths, queries)
        block_labels = labels[rows]
        # Ascending in the negated score, without a -0.0; a true -inf must sort before the padding.
        keys = 0.0 - scores[rows].astype(np.float64, copy=False)
        if has_unjudged:  # as padding, so that the other documents close up
            unjudged = np.isnan(block_labels)
            outside = unjudged if outside is None else unjudged | outside
            lengths = (~outside).sum(axis=1)
        if outside is not None:
            block_labels[outside] = 0
            keys[outside] = np.nan if unretrieved else np.inf
        in_order = ties == "order"
        ranked = _rank_with_grades(block_labels, keys, lengths, in_order) if finite else None
        block_labels, tied = ranked or _rank(block_labels, keys, lengths, in_order)
        runs = Runs.between(tied) if tied.any() else None
        if runs and ties in ("best", "worst"):
            block_labels = arrange(block_labels, runs, best=ties == "best")
        n_retrieved = (keys < np.inf).sum(axis=1) if unretrieved else lengths
        yield Block(members, block_labels, keys, lengths, n_retrieved, runs, settled=ties != "average")


def _bucket(lengths: np.ndarray, width: int) -> Iterator[np.ndarray]:
    """Yield queries of similar length: equal up to 16 documents, then in eighths of an octave."""
    if len(lengths) * max(lengths.max(), width) <= BLOCK_CELLS:
        yield np.arange(len(lengths))
        return
    exact_bits, step_bits = (2, 0) if lengths.sum() < SMALL_INPUT else (4, 3)
    octaves = np.frexp(lengths - 1)[1].astype(np.int64)  # bits of length - 1: 9 to 16 share an octave
    shifts = np.maximum(octaves - 1 - step_bits, 0) * (octaves > exact_bits)
    keys = ((lengths - 1) >> shifts) + (shifts << 32)
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    edges = np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1]) + 1
    for bucket in np.split(order, edges):
        step = max(1, BLOCK_CELLS // max(int(lengths[bucket].max()), width))
        for start in range(0, len(bucket), step):
            yield bucket[start : start + step]


def _find_rows(
    members: np.ndarray, lengths: np.ndarray, queries: Queries
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the rows of each query, and which cells are padding (None without)."""
    longest = lengths.max()
    order = "F" if longest <= SHORT else "C"
    rows = np.add(queries.firsts[members, None], np.arange(longest), order=order)
    outside = None
    if lengths.min() < longest:
        outside = np.greater_equal(np.arange(longest), lengths[:, None], order=order)
        rows[outside] = 0
    return (rows if queries.rows is None else queries.rows[rows]), outside


def _rank_with_grades(
    labels: np.ndarray, keys: np.ndarray, lengths: np.ndarray, in_order: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rank labels by finite keys in one sort: a small integer takes the place of a key's lowest bits.

    Returns the labels by rank, and which keys equal the one before. None where the labels are others, where
    keys differ in those bits alone, or where equal ones shall stay in order.
    """
    grades = labels.astype(np.int64, copy=False)
    highest = int(grades.max())
    if highest > HIGHEST_GRADE or (grades is not labels and not (grades == labels).all()):
        return None
    low_bits = (1 << highest.bit_length()) - 1
    packed = (keys.view(np.int64) & ~low_bits) | grades
    ranked = np.ascontiguousarray(packed).view(np.float64)
    ranked.sort(axis=1)
    bits = np.asarray(ranked.view(np.int64), order="F" if packed.flags.f_contiguous else "C")
    tied = _equals_last(bits & ~low_bits, lengths)
    if tied.any() and (in_order or not (_equals_last(np.sort(keys, axis=1), lengths) == tied).all()):
        return None
    return (bits & low_bits).astype(np.int32), tied


def _rank(
    labels: np.ndarray, keys: np.ndarray, lengths: np.ndarray, in_order: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Rank any labels by any keys; returns as above."""
    order = np.argsort(keys, axis=1)
    tied = _equals_last(np.take_along_axis(keys, order, axis=1), lengths)
    if in_order and tied.any():
        order = np.argsort(keys, axis=1, kind="stable")
    return np.take_along_axis(labels.astype(np.float64, copy=False), order, axis=1), tied


def _equals_last(ranked: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Tell of each key after the first whether it equals the one before; not in the padding."""
    equal = ranked[:, 1:] == ranked[:, :-1]
    if lengths.min() < ranked.shape[1]:
        order = "F" if equal.flags.f_contiguous else "C"
        equal &= np.less(np.arange(1, ranked.shape[1]), lengths[:, None], order=order)
    return equal
