"""The join of what was retrieved with what was judged, sorted by query and from the highest document down."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .._checks.codes import find_edges, first_rows, rank_ids
from .._checks.errors import fail, is_real
from .._checks.groups import check_groups
from ._entries import Entries, Ids, RowNames, join_ids, show_entry, show_typed_id


class Keyed(NamedTuple):
    """Entries by a key that rises with the query and falls with the document."""

    keys: np.ndarray  # sorted
    values: np.ndarray


class Joined(NamedTuple):
    """Rows of labels and scores, and of which query and document each is."""

    y_true: np.ndarray
    y_score: np.ndarray
    keys: np.ndarray  # sorted
    query_names: np.ndarray  # sorted; some may have no row
    document_names: np.ndarray  # sorted; as bytes where files hold short names of ASCII

    @property
    def codes(self) -> np.ndarray:
        """Return the place of each row's query among the names."""
        return self.keys // max(len(self.document_names), 1)

    @property
    def groups(self) -> np.ndarray:
        """Return the query of each row."""
        return self.query_names[self.codes]

    @property
    def documents(self) -> np.ndarray:
        """Return the document of each row."""
        n_names = max(len(self.document_names), 1)
        found = self.document_names[n_names - 1 - self.keys % n_names]
        return found.astype(np.str_) if found.dtype.kind == "S" else found

    def rows(self, return_items: bool) -> tuple[np.ndarray, ...]:
        """Return labels, scores and queries, and the documents if asked for."""
        rows = self.y_true, self.y_score, self.groups
        return (*rows, self.documents) if return_items else rows


def join_entries(
    retrieved: Entries,
    judged: Entries,
    queries: str,
    depth: int | None,
    function: str,
    parameters: tuple[str, str] = ("run", "qrels"),
    missing: float = np.nan,
) -> Joined:
    """Join what was retrieved with what was judged; `missing` is the label of what was not."""
    of_query, of_document = retrieved.source.words
    run_queries, judged_queries, query_names = _match(
        retrieved.queries, judged.queries, parameters, of_query, function
    )
    run_documents, judged_documents, names = _match(
        retrieved.documents, judged.documents, parameters, of_document, function
    )
    in_run, in_judged = np.zeros((2, len(query_names)), dtype=bool)
    in_run[run_queries], in_judged[judged_queries] = True, True
    for parameter, ids, number in zip(parameters, (retrieved, judged), ("scores", "grades")):
        if not len(ids.queries.names):
            place = f" in {ids.source.name}" if ids.source.name else ""
            fail(parameter, function, f"hold {of_document}s with {number}", f"none at all{place}")
    if not (in_run & in_judged).any():
        shown = [show_typed_id(_first(ids.names)) for ids in (retrieved.queries, judged.queries)]
        rule = f"have a {of_query} of {parameters[1]!r}, such as {shown[1]}"
        fail(parameters[0], function, rule, f"none, but {shown[0]}")
    kept = {"both": in_run & in_judged, "judged": in_judged, "run": in_run, "all": in_run | in_judged}[
        queries
    ]
    n_names = max(len(names), 1)
    found = _sort(retrieved, run_queries, run_documents, n_names, parameters[0], function)
    wanted = _sort(judged, judged_queries, judged_documents, n_names, parameters[1], function)
    found, wanted = (_keep(entries, kept[entries.keys // n_names]) for entries in (found, wanted))
    if depth is not None:
        found = _keep(found, _find_highest(found, n_names, depth))
    return Joined(*_merge_rows(found, wanted, n_names, missing), query_names, names)


def _merge_rows(
    found: Keyed, wanted: Keyed, n_names: int, missing: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, scores and keys: a row for each document that is found, and each that is missed."""
    grades = np.where(wanted.values < 0, np.nan, wanted.values)
    places = np.searchsorted(found.keys, wanted.keys)
    is_found = np.zeros(len(places), dtype=bool)
    inside = places < len(found.keys)
    is_found[inside] = found.keys[places[inside]] == wanted.keys[inside]
    y_true = np.full(len(found.keys), missing)
    y_true[places[is_found]] = grades[is_found]
    missed = ~is_found & _is_needed(wanted, grades, found, n_names)
    is_new = np.zeros(len(y_true) + np.count_nonzero(missed), dtype=bool)
    is_new[places[missed] + np.arange(np.count_nonzero(missed))] = True
    return (
        _weave(is_new, y_true, grades[missed]),
        _weave(is_new, found.values, -np.inf),
        _weave(is_new, found.keys, wanted.keys[missed]),
    )


def _weave(is_new: np.ndarray, old: np.ndarray, new: np.ndarray | float) -> np.ndarray:
    """Put new values between old ones, where they are marked."""
    woven = np.empty(len(is_new), dtype=old.dtype)
    woven[is_new] = new
    woven[~is_new] = old
    return woven


def _is_needed(wanted: Keyed, grades: np.ndarray, found: Keyed, n_names: int) -> np.ndarray:
    """Tell which judged documents have a row if they are not retrieved: those with a grade.

    And, of a query that would have no row at all, those without one, so that the query counts.
    """
    is_graded = grades == grades
    if is_graded.all():
        return is_graded
    query = wanted.keys // n_names
    full = np.concatenate((query[is_graded], np.unique(found.keys // n_names)))
    return is_graded | ~np.isin(query, full)


def _match(
    one: Ids | RowNames, other: Ids | RowNames, parameters: tuple[str, str], kind: str, function: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the names of both in their order, and where those of each are among them."""
    if len(one.names) and len(other.names):
        known, new = (_first(ids.names) for ids in (one, other))
        if any(
            isinstance(first, str | bytes) and is_real(last) for first, last in ((known, new), (new, known))
        ):
            rule = (
                f"have {kind} ids of the type of those in {parameters[0]!r}, such as {show_typed_id(known)}"
            )
            fail(parameters[1], function, rule, show_typed_id(new))
    for ids, parameter in zip((one, other), parameters):
        if ids.names.dtype.kind == "O" and len(
            ids.names
        ):  # of several types, or missing: so that it is named
            check_groups(ids.names, len(ids.names), function, parameter)
    names = join_ids(*_as_one_kind(one.names, other.names))
    ranks = rank_ids(check_groups(names, len(names), function, parameters[0]))
    return ranks[: len(one.names)], ranks[len(one.names) :], names[first_rows(ranks)]


def _as_one_kind(*names: np.ndarray) -> list[np.ndarray]:
    """Return names of text and of bytes as bytes if they can be so, else as text; of one kind as they are."""
    if {each.dtype.kind for each in names} == {"S", "U"}:
        with suppress(UnicodeEncodeError):
            return [each.astype(np.bytes_) for each in names]
    mixed = len({each.dtype.kind for each in names}) > 1
    return [each.astype(np.str_) if mixed and each.dtype.kind == "S" else each for each in names]


def _sort(
    entries: Entries, queries: np.ndarray, documents: np.ndarray, n_names: int, parameter: str, function: str
) -> Keyed:
    """Sort entries by query, and from the highest document down; none is there twice."""
    keys = entries.queries.spread(queries) * n_names
    keys += n_names - 1
    keys -= entries.documents.spread(documents)
    order = np.argsort(keys)
    keys = keys[order]
    again = np.flatnonzero(keys[1:] == keys[:-1])
    if len(again):
        row = int(np.maximum(order[again], order[again + 1]).min())
        fail(
            parameter,
            function,
            f"name each {entries.source.words[1]} once per {entries.source.words[0]}",
            f"{show_entry(entries, row)} again",
        )
    return Keyed(keys, entries.values[order])


def _keep(entries: Keyed, kept: np.ndarray) -> Keyed:
    """Return some of the entries."""
    return entries if kept.all() else Keyed(entries.keys[kept], entries.values[kept])


def _find_highest(entries: Keyed, n_names: int, depth: int) -> np.ndarray:
    """Tell which entries are among the highest of their query, as trec_eval ranks them."""
    query = entries.keys // n_names
    with np.errstate(over="ignore", under="ignore"):  # of scores beyond the range of float32
        scores = entries.values.astype(np.float32)
    order = np.lexsort((entries.keys, -scores, query))
    edges = find_edges(query)
    places = np.arange(len(order)) - np.repeat(edges[:-1], np.diff(edges))
    kept = np.zeros(len(order), dtype=bool)
    kept[order[places < depth]] = True
    return kept


def _first(names: np.ndarray) -> Any:
    """Return one of the ids; names of files are text."""
    first = names[:1].tolist()[0]
    return first.decode() if names.dtype.kind == "S" else first
