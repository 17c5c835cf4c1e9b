"""Signs that scores and judgments do not match: they are swapped, or their ids are written differently.

Metric functions check fewer signs of a swap, because real labels are common there: see
metrics/_label_warnings.py.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail, name_call
from .._checks.types import Labels, Scores, Values
from .._checks.warn import RankingWarning, warn_user
from ._entries import CALLS, Ids, show_id, start_warning

MANY_GRADES, FEW_SCORES = 20, 10  # distinct values
N_VALUES = 2**16  # of a matrix to examine


def fix_order() -> str:
    """Format the call with the labels first; the command line has no such call."""
    call = CALLS.get(name_call())
    return f"If the arguments are swapped, pass {call}." if call else ""


def reject_other_side(given: object, parameter: str) -> None:
    """Raise an error if `run` has a class for judgments, or judgments have a class for runs."""
    is_of_run = {"Run": True, "Qrels": False}.get(type(given).__name__)  # ranx
    if is_of_run is None and hasattr(given, "qrels_iter"):  # ir_datasets
        is_of_run = False
    if is_of_run is not None and is_of_run != (parameter == "run"):
        rule = "be a run with scores" if parameter == "run" else "be judgments with grades"
        fail(parameter, rule, f"a {type(given).__name__}", fix_order())


def check_swap(grades: np.ndarray, scores: np.ndarray, queries: np.ndarray) -> None:
    """Warn if grades look like scores, and scores like grades; `queries` are codes of the scores' rows."""
    if not look_like_scores(grades) or not _look_like_grades(scores, queries):
        return
    warn_user(
        f"{start_warning()}the grades have {len(np.unique(grades))} distinct real values and the scores have "
        f"{len(np.unique(scores))} distinct integers, so they look swapped. {fix_order()}",
        RankingWarning,
    )


def look_like_scores(grades: np.ndarray) -> bool:
    """Return whether most grades are distinct real numbers; ordinary grades are few, or integers."""
    if (grades == np.floor(grades)).all():
        return False
    n_distinct = len(np.unique(grades))
    return n_distinct >= MANY_GRADES and 2 * n_distinct > len(grades)


def _look_like_grades(scores: np.ndarray, queries: np.ndarray) -> bool:
    """Return whether scores are a few integers, mostly tied within queries; ranks are not tied."""
    if (scores != np.floor(scores)).any() or len(np.unique(scores)) > FEW_SCORES:
        return False
    pairs = queries.astype(np.int64) * len(scores) + np.unique(scores, return_inverse=True)[1]
    return 2 * len(np.unique(pairs)) <= len(scores)


def check_matrices(relevant: Labels, scores: Scores) -> None:
    """Compare the first values of a matrix of grades, dense or sparse by row, and of one of scores."""
    grades, values = _first_values(relevant), _first_values(scores)
    grades = grades[grades != 0]
    if not (((grades < 0) & (grades != np.floor(grades))).any() or look_like_scores(grades)):
        return
    if len(values) and np.isin(values, (0, 1)).all():
        got = "only 0 and 1, with real numbers in 'relevant',"
        fail("scores", "be predicted scores", got, fix_order())
    check_swap(grades, values, np.zeros(len(values)))


def _first_values(matrix: Values) -> np.ndarray:
    stored = matrix.data if hasattr(matrix, "indptr") else matrix[: 1 + N_VALUES // max(1, matrix.shape[1])]
    values: np.ndarray = np.ravel(stored)[:N_VALUES].astype(np.float64)
    return values[np.isfinite(values)]


MAX_ID = 40  # characters of an id in the warning, which contains three of them
N_COMPARED = 20  # queries whose ids are compared after normalizing
# Retrieved and judged documents of a query among which some should match, and the fewest such queries.
N_POOLED = 10
# Share of these queries without a match; with random judgments, as in SCIDOCS, it is about half.
LARGE_SHARE = 0.9
N_ITEMS = 100  # distinct items on each side among which some should match; recommenders can miss fewer
NUMBER = re.compile(r"0*([0-9]+)(\.0*)?")


class Overlap(NamedTuple):
    """Counts of queries with documents on both sides, and ids that do not match."""

    n_queries: int
    n_none: int  # of n_queries, without a document on both sides
    n_pooled: int  # of n_queries, with many documents on each side
    n_pooled_none: int
    is_apart: bool = True  # whether no document is on both sides, and some should be
    is_alike: bool = False  # whether the ids of the example differ only in how they are written
    example: tuple[Any, ...] = ()  # a query without a document on both sides, and an id of each side

    @property
    def is_large(self) -> bool:
        """Return whether most queries have no document on both sides."""
        return 2 * self.n_none > self.n_queries

    @property
    def is_suspicious(self) -> bool:
        """Return whether more queries than usual have no document on both sides."""
        is_pooled = self.n_pooled >= N_POOLED and self.n_pooled_none >= LARGE_SHARE * self.n_pooled
        return self.is_large and (self.is_apart or self.is_alike or is_pooled)


def find_overlap(
    of_query: tuple[np.ndarray, np.ndarray],
    documents: tuple[Ids, Ids],
    names: np.ndarray,
    n_common: np.ndarray,
    may_miss: bool = False,
) -> Overlap:
    """Compare both sides by the query of each row; recommenders `may_miss` all items if there are few."""
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
    query, one, other = examples[0]
    example = alike[0] if alike else (query, one[0], other[0])
    return found._replace(is_apart=is_apart, is_alike=bool(alike), example=example)


def merge_overlaps(pieces: Sequence[Overlap]) -> Overlap:
    """Return the overlap of all pieces of a run, with the example of the first query that has one."""
    columns = list(zip(*pieces))
    n_queries, n_none, n_pooled, n_pooled_none = map(sum, columns[:4])
    is_other, example = min(
        ((not each.is_alike, each.example) for each in pieces if each.example), default=(True, ())
    )
    return Overlap(n_queries, n_none, n_pooled, n_pooled_none, all(columns[4]), not is_other, example)


def _may_all_be_missed(documents: Sequence[Ids]) -> bool:
    """Return whether it is ordinary to miss all items: they are few, or some match items of other users."""
    one, other = (set(ids.names.tolist()) for ids in documents)
    return min(len(one), len(other)) < N_ITEMS or not one.isdisjoint(other)


def _list_alike(retrieved: list[Any], judged: list[Any]) -> list[tuple[Any, Any]]:
    """List pairs of ids that differ only in case, outer blanks, leading zeros, and zeros after the point."""
    known = {_write_plainly(each): each for each in judged}
    return [(each, known[plain]) for each in retrieved if (plain := _write_plainly(each)) in known]


def _write_plainly(identifier: object) -> Any:
    if not isinstance(identifier, str):
        return identifier
    text = identifier.strip().casefold()
    number = NUMBER.fullmatch(text)
    return number[1] if number else text


def check_overlap(found: Overlap, sides: tuple[str, str], words: tuple[str, str]) -> None:
    """Warn if it is suspicious how few ids of both `sides` match."""
    if not found.is_suspicious:
        return
    (of_query, of_document), (one, other) = words, sides
    query, *ids = (show_id(each, MAX_ID) for each in found.example)
    queries = "queries" if of_query == "query" else f"{of_query}s"
    share = f"{found.n_none} of {found.n_queries} {queries}"
    fact = f"no {of_document} of {one} is in {other} for {share}, so metrics are uninformative there"
    example = f"For example, {of_query} {query} has {ids[0]} in the former and {ids[1]} in the latter"
    warn_user(f"{start_warning()}{fact}. {example}. Use the same ids in both.", RankingWarning)
