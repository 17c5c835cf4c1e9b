"""What a run and its judgments have in common, to warn of ids that are written in two ways and never meet.

Some queries without a judged document are ordinary: where few documents are judged, a short list often has
none of them, and a recommender may miss all items of most users. A large share of such queries is reported if
ids would meet if they were written alike, or if these queries have many documents on both sides, as in pools.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.warn import RankingWarning, warn_user
from ._entries import Ids, RowNames, show_id

N_COMPARED = 20  # queries whose ids are compared as if they were written alike
N_POOLED = (
    10  # retrieved and judged documents of a query in which some should meet, and the fewest such queries
)
LARGE_SHARE = (
    0.9  # of these queries; with random judgments, as those of SCIDOCS, about half of them have none
)
N_ITEMS = 100  # distinct items on each side, of which some should meet; recommenders may miss all of fewer
NUMBER = re.compile(r"0*([0-9]+)(\.0*)?")


class Overlap(NamedTuple):
    """Counts of queries with documents on both sides, and ids that do not meet."""

    n_queries: int
    n_none: int  # of n_queries, without a document on both sides
    n_pooled: int  # of n_queries, with many documents on each side
    n_pooled_none: int
    is_apart: bool = True  # whether no document is on both sides, and some should be
    example: tuple[Any, ...] = ()  # a query without a document on both sides, and an id of each side
    alike: tuple[Any, ...] = ()  # the same, if the ids differ only in how they are written

    @property
    def is_large(self) -> bool:
        """Return whether most queries have no document on both sides."""
        return 2 * self.n_none > self.n_queries

    @property
    def is_suspicious(self) -> bool:
        """Return whether more queries than usual have no document on both sides."""
        is_pooled = self.n_pooled >= N_POOLED and self.n_pooled_none >= LARGE_SHARE * self.n_pooled
        return self.is_large and (self.is_apart or bool(self.alike) or is_pooled)


def find_overlap(
    of_query: tuple[np.ndarray, np.ndarray],
    documents: tuple[Ids | RowNames, Ids | RowNames],
    names: np.ndarray,
    n_common: np.ndarray,
    may_miss: bool = False,
) -> Overlap:
    """Compare both sides, given the query of each row among the names, and the documents on both by query.

    `may_miss` is for recommenders, to whom it happens with few items.
    """
    n_retrieved, n_judged = (np.bincount(codes, minlength=len(names)) for codes in of_query)
    both = (n_retrieved > 0) & (n_judged > 0)
    none = both & (n_common == 0)
    pooled = both & (np.minimum(n_retrieved, n_judged) >= (np.inf if may_miss else N_POOLED))
    counts = [int(each.sum()) for each in (both, none, pooled, pooled & none)]
    found = Overlap(counts[0], counts[1], counts[2], counts[3])
    if not found.is_large:
        return found._replace(is_apart=found.n_queries == 0)
    is_apart = found.n_none == found.n_queries and not (may_miss and _may_all_be_missed(documents))
    examples = [
        (*names[[place]].tolist(), *(ids.take(codes == place) for ids, codes in zip(documents, of_query)))
        for place in np.flatnonzero(none)[:N_COMPARED]
    ]
    alike = [(query, *pair) for query, *both_ids in examples for pair in _list_alike(*both_ids)]
    query, *firsts = examples[0]
    return found._replace(
        is_apart=is_apart, example=(query, *(ids[0] for ids in firsts)), alike=alike[0] if alike else ()
    )


def _may_all_be_missed(documents: Sequence[Ids | RowNames]) -> bool:
    """Return whether a recommender may miss all items: they are few, or some are those of other users."""
    one, other = (set(ids.names.tolist()) for ids in documents)
    return min(len(one), len(other)) < N_ITEMS or not one.isdisjoint(other)


def _list_alike(retrieved: list[Any], judged: list[Any]) -> list[tuple[Any, Any]]:
    """List pairs of ids that differ only in case, outer blanks, and zeros before or behind a number."""
    known = {_write_plainly(each): each for each in judged}
    return [(each, known[plain]) for each in retrieved if (plain := _write_plainly(each)) in known]


def _write_plainly(identifier: Any) -> Any:
    if not isinstance(identifier, str):
        return identifier
    text = identifier.strip().casefold()
    number = NUMBER.fullmatch(text)
    return number[1] if number else text


def check_overlap(found: Overlap, function: str, sides: tuple[str, str], words: tuple[str, str]) -> None:
    """Warn if ids of both sides, which are named, seem never to meet."""
    if not (found.n_queries and found.is_suspicious):
        return
    (of_query, of_document), (one, other) = words, sides
    query, *ids = map(show_id, found.alike or found.example)
    queries = "queries" if of_query == "query" else f"{of_query}s"
    share = f"{found.n_none} of {found.n_queries} {queries}"
    fact = f"no {of_document} of {one} is in {other} for {share}, so metrics are uninformative there"
    example = f"The {of_query} {query} has {ids[0]} in the former and {ids[1]} in the latter"
    warn_user(f"{function}: {fact}. {example}. Use the same ids in both.", RankingWarning)
