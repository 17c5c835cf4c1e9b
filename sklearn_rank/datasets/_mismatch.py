"""Signs that scores and judgments do not match: they are swapped, or their ids are written differently.

Metric functions check fewer signs of a swap, because real labels are common there: see
metrics/_label_warnings.py.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import count_of, fail, name_call
from .._checks.types import Labels, Scores, Values
from .._checks.warn import RankingWarning, warn_user
from ._entries import CALLS, Ids, show_id, start_warning

MANY_GRADES, FEW_SCORES = 20, 6  # distinct values
# Fewest negative fractions, mean number of grades that differ in each query, and length of lists of items.
SEVERAL = 5
FEWEST_LISTS = 8
N_FIRST = 1000  # rows to compare first
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


def check_swap(grades: np.ndarray, scores: np.ndarray, of_grades: np.ndarray, of_scores: np.ndarray) -> None:
    """Warn if grades look like scores, and scores like grades, whose query codes are the last arguments."""
    if below := count_negative(grades):
        _warn_of_swap(f"there are {below} distinct negative grades that are not integers")
    elif _look_like_grades(scores, of_scores) and look_like_scores(grades, of_grades):
        n_scores = count_of(len(np.unique(scores)), "distinct integer")
        _warn_of_swap(f"there are {len(np.unique(grades))} distinct grades, and the scores are {n_scores}")


def _warn_of_swap(fact: str) -> None:
    warn_user(
        f"{start_warning()}{fact}, so the arguments look swapped. {fix_order()}".rstrip(), RankingWarning
    )


def count_negative(grades: np.ndarray) -> int:
    """Count the distinct negative fractions, which are not grades; a few of them do not show a swap."""
    n_distinct = len(np.unique(grades[(grades < 0) & (grades != np.floor(grades))]))
    return n_distinct if n_distinct >= SEVERAL else 0


def look_like_scores(grades: np.ndarray, queries: np.ndarray) -> bool:
    """Return whether grades are many real numbers, or differ in each query like ranks."""
    if (grades != np.floor(grades)).any() and len(np.unique(grades)) >= MANY_GRADES:
        return True
    if len(grades) < max(SEVERAL * len(np.unique(queries)), MANY_GRADES):
        return False
    return not any(_count_tied(grades[:n], queries[:n]) for n in (N_FIRST, len(grades)))


def _look_like_grades(scores: np.ndarray, queries: np.ndarray) -> bool:
    """Return whether scores are a few integers that are tied in queries, or alone in them; ranks differ."""
    if (scores != np.floor(scores)).any() or not 0 < len(np.unique(scores)) <= FEW_SCORES:
        return False
    is_single = 2 * len(scores) <= 3 * len(np.unique(queries))
    return _count_tied(scores, queries) > 0 or (is_single and (scores[0] >= 0 or bool(np.ptp(scores))))


def _count_tied(values: np.ndarray, queries: np.ndarray) -> int:
    """Count the values that occur before in their query."""
    codes = queries.astype(np.int64) * max(len(values), 1) + np.unique(values, return_inverse=True)[1]
    return len(values) - len(np.unique(codes))


def check_matrices(relevant: Labels, scores: Scores) -> None:
    """Compare the first values of a matrix of grades, dense or sparse by row, and of one of scores."""
    (grades, of_grades), (values, of_values) = _first_values(relevant), _first_values(scores)
    grades, of_grades = grades[grades != 0], of_grades[grades != 0]
    below = (grades < 0) & (grades != np.floor(grades))
    is_real = bool(below.any()) or look_like_scores(grades, of_grades)
    if is_real and len(values) and np.isin(values, (0, 1)).all():
        got = "only 0 and 1, with real numbers in 'relevant',"
        fail("scores", "be predicted scores", got, fix_order())
    if is_real:
        check_swap(abs(grades), values, of_grades, of_values)


def _first_values(matrix: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return the first finite values and their rows."""
    if hasattr(matrix, "indptr"):
        stored, rows = matrix.data, np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    else:
        stored = np.ravel(matrix[: 1 + N_VALUES // max(1, matrix.shape[1])])
        rows = np.arange(len(stored)) // max(1, matrix.shape[1])
    values: np.ndarray = stored[:N_VALUES].astype(np.float64)
    return values[np.isfinite(values)], rows[:N_VALUES][np.isfinite(values)]


def check_lists(n_relevant: np.ndarray, n_recommended: np.ndarray) -> None:
    """Warn if all users have as many relevant items, as lists of the top k, and most lists are short."""
    both = (n_relevant > 0) & (n_recommended > 0)
    of_user, lengths = n_relevant[both], n_recommended[both]
    if len(lengths) < FEWEST_LISTS or of_user.min() < max(SEVERAL, of_user.max()):
        return
    longest = int(lengths.max())
    if longest == 1 or 4 * np.median(lengths) < 3 * longest:  # seen items shorten lists by less
        lists = f"1 to {longest} recommended ones" if longest > 1 else "1 recommended one"
        _warn_of_swap(f"each user has {of_user[0]} relevant items and {lists}")


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
    counts: Sequence[np.ndarray],
    may_miss: bool = False,
) -> Overlap:
    """Compare both sides by the query of each row; recommenders `may_miss` all items if there are few.

    `counts` are the numbers of retrieved, judged and common documents per query.
    """
    n_retrieved, n_judged, n_common = counts
    both = (n_retrieved > 0) & (n_judged > 0)
    none = both & (n_common == 0)
    pooled = both & (np.minimum(n_retrieved, n_judged) >= (np.inf if may_miss else N_POOLED))
    n_queries, n_none, n_pooled, n_pooled_none = (
        int(each.sum()) for each in (both, none, pooled, pooled & none)
    )
    found = Overlap(n_queries, n_none, n_pooled, n_pooled_none)
    if not found.is_large:
        return found._replace(is_apart=found.n_queries == 0)
    is_apart = found.n_none == found.n_queries
    if is_apart and may_miss:  # ordinary if there are few items, or if some match items of other users
        one, other = (set(ids.names.tolist()) for ids in documents)
        is_apart = min(len(one), len(other)) >= N_ITEMS and one.isdisjoint(other)
    examples = [
        (*names[[place]].tolist(), *(ids.take(codes == place) for ids, codes in zip(documents, of_query)))
        for place in np.flatnonzero(none)[:N_COMPARED]
    ]
    alike = [(query, *pair) for query, *both_ids in examples for pair in _list_alike(*both_ids)]
    query, one_ids, other_ids = examples[0]
    example = alike[0] if alike else (query, one_ids[0], other_ids[0])
    return found._replace(is_apart=is_apart, is_alike=bool(alike), example=example)


def merge_overlaps(pieces: Sequence[Overlap]) -> Overlap:
    """Return the overlap of all pieces of a run, with the example of the first query that has one."""
    columns = list(zip(*pieces))
    n_queries, n_none, n_pooled, n_pooled_none = map(sum, columns[:4])
    is_other, example = min(
        ((not each.is_alike, each.example) for each in pieces if each.example), default=(True, ())
    )
    return Overlap(n_queries, n_none, n_pooled, n_pooled_none, all(columns[4]), not is_other, example)


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
