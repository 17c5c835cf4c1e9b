"""The engine: flat rows with query ids become dense blocks of ranked queries.

Queries of similar length are gathered into a matrix, a row per query, and sorted by score with one call.
A block knows about order and ties and nothing about any metric: it takes a matrix of values per document,
in rank order, and gives back what is expected over the orders of tied documents.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ._queries import Queries
from ._ties import Cut, Runs, arrange, count_inversions, draw_odds

BLOCK_CELLS = 2**15  # a block and its temporaries stay in the cache
SMALL_INPUT = 2**17  # rows below which the number of blocks costs more than padding


def iter_blocks(
    labels: np.ndarray, scores: np.ndarray, queries: Queries, ties: str = "average", width: int = 1
) -> Iterator["Block"]:
    """Yield the queries as blocks of similar length, each sorted by score under one tie rule.

    Documents whose label is NaN are left out. Blocks are smaller where `width` values are computed per query.
    """
    unretrieved = bool(scores.min() == -np.inf)
    has_unjudged = labels.dtype.kind == "f" and bool(np.isnan(labels.min()))
    for members in _bucket(queries.lengths, width):
        lengths = queries.lengths[members]
        positions = queries.firsts[members, None] + np.arange(lengths.max())
        outside = np.arange(lengths.max()) >= lengths[:, None] if lengths.min() < lengths.max() else None
        rows = positions if queries.rows is None else queries.rows.take(positions, mode="clip")
        block_labels = labels.take(rows, mode="clip").astype(np.float64, copy=False)
        # Ascending in the negated score; a true -inf must sort before the padding, a slower sort.
        keys = -scores.take(rows, mode="clip")
        if has_unjudged:  # as padding, so that the other documents close up
            unjudged = np.isnan(block_labels)
            outside = unjudged if outside is None else unjudged | outside
            lengths = (~outside).sum(axis=1)
        if outside is not None:
            block_labels[outside] = 0
            keys[outside] = np.nan if unretrieved else np.inf
        yield _sort_block(members, block_labels, keys, lengths, unretrieved, ties)


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


def _sort_block(
    members: np.ndarray,
    labels: np.ndarray,
    keys: np.ndarray,
    lengths: np.ndarray,
    unretrieved: bool,
    ties: str,
) -> "Block":
    """Rank the documents of each query and settle or describe the ties."""
    order = np.argsort(keys, axis=1)
    sorted_keys = np.take_along_axis(keys, order, axis=1)
    tied = sorted_keys[:, 1:] == sorted_keys[:, :-1]
    if lengths.min() < labels.shape[1]:
        tied &= np.arange(1, labels.shape[1]) < lengths[:, None]
    n_retrieved = (sorted_keys < np.inf).sum(axis=1) if unretrieved else lengths
    has_ties = bool(tied.any())
    if has_ties and ties == "order":
        order = np.argsort(keys, axis=1, kind="stable")
    labels = np.take_along_axis(labels, order, axis=1)
    runs = None
    if has_ties:
        runs = Runs(np.concatenate((np.ones((len(members), 1), dtype=bool), ~tied), axis=1))
        if ties in ("best", "worst"):
            labels = arrange(labels, runs, best=ties == "best")
    return Block(members, labels, sorted_keys, lengths, n_retrieved, runs, settled=ties != "average")


class Marked:
    """Documents of a block that are marked; what several metrics ask of them is computed once."""

    def __init__(self, block: "Block", marks: np.ndarray, shown: np.ndarray):
        self.block = block
        self.marks = marks
        self.shown = shown  # those that count at their rank

    @cached_property
    def n(self) -> np.ndarray:
        """Return how many there are in each query."""
        return self.marks.sum(axis=1)

    @cached_property
    def expected(self) -> np.ndarray:
        """Return the expected number of those shown at each rank, 0 to 1."""
        return self.block.expected(self.shown)

    @cached_property
    def above(self) -> np.ndarray:
        """Return the expected number of those shown above each rank, given one of them there."""
        return self.block.marked_above(self.shown)


class Block:
    """Queries of similar length, a row each, their documents in rank order.

    Attributes
    ----------
    members : ndarray of shape (n_queries,)
        Position of each query in the sorted order of the ids.
    labels : ndarray of shape (n_queries, n_ranks)
        Labels by rank; 0 where a shorter query is padded.
    lengths, n_retrieved : ndarray of shape (n_queries,)
        Documents judged, and those of them with a rank (a score above -inf), which come first.
    ranks : ndarray of shape (n_ranks,)
        1, 2, ..., n_ranks.
    tied : Runs or None
        Runs of equal scores; None without ties.
    runs : Runs or None
        Those of them whose order is open; None where the tie rule has settled it.
    """

    def __init__(
        self,
        members: np.ndarray,
        labels: np.ndarray,
        keys: np.ndarray,
        lengths: np.ndarray,
        n_retrieved: np.ndarray,
        tied: Runs | None,
        settled: bool,
    ):
        self.members = members
        self.labels = labels
        self.keys = keys
        self.lengths = lengths
        self.n_retrieved = n_retrieved
        self.ranks = np.arange(1, labels.shape[1] + 1, dtype=np.float64)
        self.tied = tied
        self.runs = None if settled else tied
        self._marked: dict[tuple[float, bool], Marked] = {}

    @cached_property
    def best_labels(self) -> np.ndarray:
        """Return the labels of each query from high to low."""
        return np.sort(self.labels, axis=1)[:, ::-1]

    @property
    def scores(self) -> np.ndarray:
        """Return the scores by rank; 0 where a shorter query is padded."""
        return self.judged(-self.keys.astype(np.float64))

    def marks(self, lowest: float) -> np.ndarray:
        """Mark with 1 the documents labelled `lowest` > 0 or higher."""
        return (self.labels >= lowest).astype(np.float64)

    def relevant(self, lowest: float, ranked_only: bool = True) -> Marked:
        """Return the documents labelled `lowest` > 0 or higher, all or those with a rank at their ranks."""
        masked = ranked_only and self.n_retrieved is not self.lengths
        if (lowest, masked) not in self._marked:
            marks = self.marks(lowest)
            self._marked[lowest, masked] = Marked(self, marks, self.retrieved(marks) if masked else marks)
        return self._marked[lowest, masked]

    def judged(self, values: np.ndarray) -> np.ndarray:
        """Zero the padding."""
        return _zero_after(values, self.lengths)

    def retrieved(self, values: np.ndarray) -> np.ndarray:
        """Zero the padding and the documents without a rank."""
        return _zero_after(values, self.n_retrieved)

    def expected(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each rank: the mean of its run of tied documents."""
        if self.runs is None:
            return values
        return self.runs.spread(self.runs.sum(values) / self.runs.sizes)

    def marked_above(self, marks: np.ndarray) -> np.ndarray:
        """Return the expected number of marked documents above each rank, given a marked one there.

        In a run of t tied documents, r of them marked, the ranks above the j-th hold (j-1)(r-1)/(t-1) of
        the r-1 others.
        """
        above = np.cumsum(marks, axis=1) - marks
        if self.runs is None:
            return above
        marked, sizes = self.runs.sum(marks), self.runs.sizes
        share = (marked - 1) / np.maximum(sizes - 1, 1)
        return self.runs.spread(above.ravel()[self.runs.heads]) + self.runs.offsets * self.runs.spread(share)

    def capped_above(self, marks: np.ndarray, caps: np.ndarray) -> np.ndarray:
        """Return the expected min(marked documents above, cap) of a document that is not marked.

        With m marked documents in its run and h above the run, h, h + 1, ..., h + m are equally likely.
        """
        above = np.cumsum(marks, axis=1) - marks
        caps = caps[:, None]
        if self.runs is None:
            return np.minimum(above, caps)
        h = self.runs.spread(above.ravel()[self.runs.heads])
        m = self.runs.spread(self.runs.sum(marks))
        n_below = np.clip(caps - h, 0, m + 1)
        return (n_below * (h + (n_below - 1) / 2) + (m + 1 - n_below) * caps) / (m + 1)

    def first_marked(self, marked: Marked) -> np.ndarray:
        """Return the probability that the first marked document of the query stands at each rank.

        In the first run with marked documents, r of t, it is C(t-j, r-1) / C(t, r) at the j-th place, by
        the recurrence p(1) = r / t, p(j+1) = p(j) (t-j-r+1) / (t-j), as the binomials overflow.
        """
        marks = marked.shown
        if self.runs is None:
            return marks * (marked.above == 0)
        above = np.cumsum(marks, axis=1) - marks
        n_marked, sizes = self.runs.sum(marks), self.runs.sizes
        is_first = self.runs.spread((above.ravel()[self.runs.heads] == 0) & (n_marked > 0))
        r, t, j = self.runs.spread(n_marked), self.runs.spread(sizes), self.runs.offsets
        ratios = np.where(j == 0, r / t, np.maximum(t - j - r + 1, 0) / (t - j))
        return np.cumprod(np.where(is_first, ratios, 1.0), axis=1) * is_first

    def running_product(self, values: np.ndarray, k: int | None) -> np.ndarray:
        """Return the expected product of the values at the first 1, 2, ... ranks, up to rank k."""
        if self.runs is None:
            return np.cumprod(values[:, :k], axis=1)
        n_ranks = values.shape[1]
        return self.runs.running_product(values, min(k or n_ranks, n_ranks))[:, :k]

    def n_inversions(self, open_runs: Runs | None) -> np.ndarray:
        """Count the pairs whose lower document has the higher label, those inside open runs left out."""
        labels = self.labels if open_runs is None else arrange(self.labels, open_runs, best=True)
        codes = np.searchsorted(np.unique(labels), labels)
        return count_inversions(codes)

    def n_equal_labels(self, inside: Runs | None = None) -> np.ndarray:
        """Count the pairs of judged documents with equal labels, of all or inside runs of equal scores."""
        if inside is None:
            in_order = np.sort(self._judged_labels(), axis=1)
            return Runs.of(in_order).n_pairs
        in_order = arrange(self._judged_labels(), inside, best=True)
        return Runs(inside.opens | Runs.of(in_order).opens).n_pairs

    def mean_ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rank of each judged document by label and by score, equal ones at their mean rank."""
        labels = -self._judged_labels()
        order = np.argsort(labels, axis=1)
        by_label = np.empty(labels.shape)
        in_order = np.take_along_axis(labels, order, axis=1)
        np.put_along_axis(by_label, order, Runs.of(in_order).mean_ranks, axis=1)
        by_score = np.tile(self.ranks, (len(labels), 1)) if self.tied is None else self.tied.mean_ranks
        return by_label, by_score

    def _judged_labels(self) -> np.ndarray:
        return np.where(np.arange(self.labels.shape[1]) < self.lengths[:, None], self.labels, np.nan)

    def cut(self, marks: np.ndarray, k: int | None) -> Cut | None:
        """Describe the run that holds rank k in each query; None where no ties can reach across it."""
        if self.runs is None or k is None or k >= self.labels.shape[1]:
            return None
        column = k - 1
        n_places = self.runs.offsets[:, column] + 1
        above = (np.cumsum(marks, axis=1) - marks).ravel()[self.runs.heads]
        sizes, marked, marked_above = (
            self.runs.spread(values)[:, column] for values in (self.runs.sizes, self.runs.sum(marks), above)
        )
        return Cut(k - n_places, n_places, marked_above, draw_odds(sizes, marked, n_places))


def _zero_after(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Zero each row after its first `counts` cells."""
    if counts.min() >= values.shape[1]:
        return values
    return np.where(np.arange(values.shape[1]) < counts[:, None], values, 0)
