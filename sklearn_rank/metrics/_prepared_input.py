"""Conversion of input to checked rows of queries with scores, and to values by query id."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import flatten, read_array, read_numbers
from .._checks.codes import as_array, first_rows, rank_ids
from .._checks.containers import check_same_columns, check_same_order, is_default_index, is_of_pandas
from .._checks.errors import fail, name_call
from .._checks.groups import check_groups, list_keys, take_ids
from .._checks.missed import Missed, add_lowest, add_missed, reject_tied
from .._checks.rows import LabelRules, Rows, Scores, check_rows, read_scores
from .._checks.types import Ids, Labels, Values, Weights
from .._engine.blocks import iter_blocks
from .._engine.prepared import PreparedRows, Queries, find_queries
from ._average import query_weights
from ._table import Given


def unique_groups(groups: Ids) -> np.ndarray:
    """Return the distinct query ids, in the order of the values with ``average=None``.

    Parameters
    ----------
    groups : array-like of shape (n_rows,)
        Query id of each row. Ids can be of any sortable type, and rows can be in any order.

    Returns
    -------
    ndarray of shape (n_queries,)
        Sorted ids. Numbers, text and dates keep their type; tuples become an array of objects. For
        categoricals, the labels that occur, sorted by label and not by category.

    Examples
    --------
    >>> from sklearn_rank import ndcg_score, unique_groups
    >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], ["b", "b", "a", "a"]
    >>> values = ndcg_score(y_true, y_score, groups=qid, average=None)
    >>> {str(query): round(float(value), 2) for query, value in zip(unique_groups(qid), values)}
    {'a': 0.63, 'b': 1.0}
    """
    n_rows = 0
    with suppress(Exception):  # input without a length is rejected later
        n_rows = len(groups)
    return take_ids(groups, first_rows(rank_ids(check_groups(groups, n_rows))))


BY_ID = "Their order cannot be checked. Pass dict(zip(ids, values)), with the query id of each value."

WITH_IDS = "An index must contain query ids, as in frame.set_index('qid')['label']."


def is_by_id(values: Values) -> bool:
    """Return whether values are a mapping, or have an index of pandas that is not the default one."""
    if isinstance(values, Mapping):
        return True
    index: Any = getattr(values, "index", None)
    has_index = is_of_pandas(values) and index is not None
    return has_index and not (is_default_index(index) and index.name is None)


def show_index(values: Values) -> str:
    """Return an addition to an error about values with a default index."""
    return " with a default index" if is_of_pandas(values) and hasattr(values, "index") else ""


def take_by_id(values: Values, ids: Ids, parameter: str) -> Ids:
    """Return the entries of `ids`, in the order of `ids`; values can have more entries."""
    check_index(values, parameter)
    try:
        keys, needed = _list_keys(values), list_keys(ids)
        places = {key: place for place, key in enumerate(keys)}
        missing = [key for key in needed if key not in places]
    except Exception as error:  # unhashable ids, or a sparse array of keys
        got = f"ids that cannot be looked up ({error})"
        fail(parameter, "have an entry for each query id", got)
    if len(places) < len(keys):
        got = f"{len(keys)} entries for {len(places)} ids"
        fail(parameter, "have one entry for each query id", got)
    if missing:
        got = f"none for {missing[0]!r}" + f" and {len(missing) - 1} other ids" * (len(missing) > 1)
        example = f", but one for {keys[0]!r}" * (len(missing) == len(needed)) if keys else ""
        fix = "" if isinstance(values, Mapping) or not example else WITH_IDS
        fail(parameter, "have an entry for each query id", got + example, fix)
    taken = [places[key] for key in needed]
    if isinstance(values, Mapping):
        entries = list(values.values())
        return [entries[place] for place in taken]
    return values.iloc[taken]


def take_by_index(values: Values, ids: Ids, parameter: str) -> Ids:
    """Return values by id in the order of `ids`, and other values unchanged.

    An index of pandas contains row labels, not ids, if `ids` has an index too or shares no id with it.
    Ids in the order of the index have the same values either way.
    """
    if isinstance(values, Mapping):
        return take_by_id(values, ids, parameter)
    if (is_of_pandas(ids) and hasattr(ids, "index")) or not is_by_id(values):
        return values
    needed, keys = list_keys(ids), _list_keys(values)
    return values if needed == keys or set(needed).isdisjoint(keys) else take_by_id(values, ids, parameter)


def check_index(values: Values, parameter: str, of: str = "query") -> None:
    """Check that an index contains ids: unnamed integers >= 0 can be row numbers of a sorted frame."""
    index = getattr(values, "index", None)
    if isinstance(values, Mapping) or not is_of_pandas(values) or index is None:
        return
    if index.name is None and getattr(index, "inferred_type", "") == "integer" and index.min() >= 0:
        rule = f"have a named index of {of} ids"
        entries = f"{parameter}.to_numpy()" if hasattr(values, "columns") else parameter
        fix = (
            "Unnamed integers can be row numbers. "
            f'Pass {parameter}.rename_axis("{of}") if the index contains {of} ids, '
            f"or dict(zip(ids, {entries})) with the {of} id of each entry."
        )
        fail(parameter, rule, f"an unnamed index from {index[0]} to {index[-1]}", fix)


def _list_keys(values: Values) -> list[Any]:
    return list_keys(as_array(list(values)) if isinstance(values, Mapping) else values.index)


def _round_to_float32(scores: Scores) -> Scores:
    """Round scores to float32, in which more of them are tied; retrieved documents stay retrieved."""
    with np.errstate(over="ignore"):  # too large values become inf
        rounded = scores.values.astype(np.float32).astype(np.float64)
    rounded[np.isneginf(rounded) & ~np.isneginf(scores.values)] = np.finfo(np.float32).min
    return Scores(rounded, rounded.min(), rounded.max())


def _put_later_first(scores: Scores) -> Scores:
    """Rank the later of two tied rows first, by replacing each score by its position in that order."""
    order = np.argsort(scores.values, kind="stable")
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    places[np.isneginf(scores.values)] = -np.inf
    return Scores(places, places.min(), places.max(), are_ranks=True)


SCORE_TYPES: Mapping[str, Callable[[Scores], Scores]] = {
    "float32": _round_to_float32,
    "later_first": _put_later_first,
}


class Opened(NamedTuple):
    """Prepared rows and the scores to rank them by."""

    rows: PreparedRows
    scores: Scores

    def under(self, labels: str) -> "Opened":
        """Return the rows with the labels of another rule `unjudged`, or with the metric's own labels."""
        rows = self.rows.under(labels)
        return self if rows is self.rows else Opened(rows, self.scores)

    def with_scores(self, how: str) -> "Opened":
        """Return the rows with scores as another library uses them: "given", "float32", "later_first"."""
        return self if how == "given" else self._replace(scores=SCORE_TYPES[how](self.scores))


class OpenedInputs:
    """Rows that are opened with inputs in addition to labels and scores."""

    opened: Opened

    @property
    def queries(self) -> Queries:
        return self.opened.rows.queries

    @property
    def weights(self) -> np.ndarray | None:
        return self.opened.rows.weights


def open_rows(given: Given, rules: LabelRules) -> Opened:
    """Check rows, find their queries, and replace missing labels by the rule."""
    of_rows = given.y_true, given.y_score, given.groups, given.sample_weight
    if any(map(is_of_pandas, of_rows)):
        check_same_order(**given.of_rows())
        check_same_columns(y_true=given.y_true, y_score=given.y_score)
    checked = add_missed(check_rows(*of_rows, rules), given.groups, given.missed, rules)
    return Opened(_prepare(checked, rules), checked.scores)


def open_labels(
    y_true: Labels,
    groups: Ids,
    rules: LabelRules,
    sample_weight: Weights = None,
    missed: Missed | None = None,
) -> PreparedRows:
    """Check rows without scores, which are passed later or never."""
    labels = read_numbers(y_true, "y_true")
    checked = check_rows(labels, np.zeros(labels.shape), groups, sample_weight, rules)
    checked = checked._replace(labels=checked.labels.copy())  # the caller's array can change
    if missed is not None and missed.tied is not None:
        reject_tied(missed)
    return _prepare(add_missed(checked, groups, missed, rules), rules)


def open_predictions(rows: PreparedRows, y_score: object) -> Opened:
    """Check the scores of prepared rows; documents that are not rows get none."""
    n_missed = rows.n_missed
    return Opened(rows, add_lowest(read_scores(y_score, len(rows.given) - n_missed), n_missed))


def _prepare(checked: Rows, rules: LabelRules) -> PreparedRows:
    """Find the queries of checked rows."""
    if checked.groups is None and checked.n_columns is None:
        called = name_call("groups")
        fix = f"Pass the query id of each row: groups=qid. For a single query, pass 2-D input: {name_call()}"
        raise ValueError(
            f"The 'groups' parameter of {called} is required for 1-D input. {fix}([y_true], [y_score])."
        )
    queries = find_queries(checked.groups, len(checked.labels), checked.n_columns)
    weights = query_weights(checked.weights, queries, by_row=checked.n_columns is None)
    extremes = checked.lowest, checked.highest
    rows = PreparedRows(checked.labels, queries, extremes, rules.unjudged, weights, checked.n_columns)
    rows.n_missed, rows.depth, rows.n_items = checked.n_missed, checked.depth, checked.n_items
    rows.no_id_matches = checked.no_id_matches
    return rows.count(checked.copies)


def count_scores(y_score: object) -> int:
    """Return the number of scores, after checking that there is at least one, and one per row."""
    rule = "be a 1-D array of at least one score"
    shape = flatten(read_array(y_score, "y_score", rule)).shape
    if len(shape) != 1 or shape == (0,):
        fail("y_score", rule, f"shape {shape}")
    return shape[0]


def open_scores(y_score: object, groups: Ids, sample_weight: Weights = None) -> Opened:
    """Check rows that have no labels."""
    if groups is None:
        fail("groups", "contain the query id of each row", None, "Pass groups=qid.")
    without_labels = Given(np.zeros(count_scores(y_score)), y_score, groups, sample_weight)
    return open_rows(without_labels, LabelRules())


def spread_weights(opened: Opened, ties: str, worth: np.ndarray) -> np.ndarray:
    """Return the value of the rank of each row; rows without a rank get 0.

    Tied rows get the mean over their ranks ("average"), or the value of their first ("best") or last rank
    ("worst"). With "order", they are ranked in row order.
    """
    of_rows = np.zeros(len(opened.rows.labels))
    for block in iter_blocks(opened.rows, opened.scores, "order" if ties == "order" else "average"):
        worths = block.retrieved(np.broadcast_to(worth[: len(block.ranks)], block.labels.shape))
        if ties in ("best", "worst"):
            by_rank = block.of_ties(worths, first=ties == "best")
        else:
            by_rank = block.expected(worths)
        inside = block.ranks <= block.lengths[:, None]
        of_rows[block.rows[inside]] = by_rank[inside]
    return of_rows
