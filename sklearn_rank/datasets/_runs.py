"""Rows of labels, scores and groups from a run and its judgements, as trec_eval joins them."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from .._checks.codes import find_edges, first_rows, rank_ids
from .._checks.errors import check_count, fail, is_real
from .._checks.groups import check_groups
from .._checks.options import check_choice, check_flag
from .._checks.warn import RankingWarning, warn_user
from ._entries import Entries, Ids, show_entry
from ._recommendations import _join_ids, _show_id
from ._run_objects import check_columns, read_entries

FUNCTION = "from_run"


class Keyed(NamedTuple):
    """Entries by a key that rises with the query and falls with the document."""

    keys: np.ndarray  # sorted
    values: np.ndarray


def from_run(
    run: Any,
    qrels: Any,
    *,
    queries: Literal["both", "judged", "run"] = "both",
    depth: int | None = None,
    columns: Mapping[str, Any] | None = None,
    return_items: bool = False,
) -> tuple[np.ndarray, ...]:
    """Turn a run and its relevance judgements into labels, scores and query ids by row, as trec_eval does.

    Parameters
    ----------
    run : path, file, mapping of query to mapping of document to score, frame, or iterable of objects
        What was retrieved. A file has TREC's format, ``query Q0 document rank score tag`` in each line, and
        may be packed by gzip. The score alone counts; the rank does not. A frame has a row per query and
        document, with the columns query, document and score. Runs of ranx and ir_measures are taken too.
    qrels : path, file, mapping of query to mapping of document to grade, frame, or iterable of objects
        What was judged. A file has ``query iteration document grade`` in each line. A grade below 0 means
        that the document was not judged. A frame has the columns query, document and grade. Qrels of ranx,
        ir_measures and ir_datasets are taken too.
    queries : {"both", "judged", "run"}, default="both"
        Those that are in both, as trec_eval has it; all that were judged, as with its -c; or all of the run.
    depth : int, default=None
        Keep the so many highest documents of each query, as trec_eval's -M does: equal scores, compared in
        float32, by their ids from high to low.
    columns : mapping of str to name, default=None
        Which columns of frames hold the ``"query"``, the ``"document"``, the ``"score"`` and the ``"grade"``,
        where they have other names than these, or than those of PyTerrier and ir_measures: qid, query_id,
        docno, doc_id, label, relevance; or user, item and rating.
    return_items : bool, default=False
        Return the document of each row too.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        The grade of each document; NaN where it was not judged.
    y_score : ndarray of shape (n_rows,)
        Its score; -inf where it was judged and not retrieved.
    groups : ndarray of shape (n_rows,)
        Its query. Queries rise; within one the ids of documents fall.
    documents : ndarray of shape (n_rows,)
        Its id; only with ``return_items=True``.

    Raises
    ------
    ValueError
        If a line has other fields, a score or a grade is no finite number, a document is named twice in a
        query, or no query of the run was judged. An error of a file says in which line.

    Warns
    -----
    RankingWarning
        If the ranks of a file contradict its scores.

    Notes
    -----
    With ``ties="order"`` equal scores have the order of trec_eval, which holds scores in float32:
    ``y_score.astype(numpy.float32)`` has its ties. Documents that were not judged are for `unjudged` to
    decide: ``"nonrelevant"`` is trec_eval's way, :data:`sklearn_rank.conventions.TREC_EVAL` has all.

    Examples
    --------
    >>> from sklearn_rank import from_run, map_score
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.3, "d": 0.1}}
    >>> qrels = {"q1": {"b": 1, "c": 0, "e": 2}, "q2": {"d": 1}}
    >>> y_true, y_score, groups = from_run(run, qrels)
    >>> y_true
    array([ 2.,  0.,  1., nan,  1., nan])
    >>> y_score
    array([-inf,  0.7,  0.8,  0.9,  0.1,  0.3])
    >>> map_score(y_true, y_score, groups=groups, ties="order", unjudged="nonrelevant", average=None)
    array([0.25, 0.5 ])
    """
    check_flag(return_items, "return_items", FUNCTION)
    check_choice("queries", queries, ("both", "judged", "run"), FUNCTION)
    if depth is not None:
        check_count(depth, 1, "depth", FUNCTION, ", or None")
    names = check_columns(columns, FUNCTION, run=run, qrels=qrels)
    given = {"run": run, "qrels": qrels}
    retrieved, judged = (read_entries(each, name, FUNCTION, names) for name, each in given.items())
    _check_ranks(retrieved)
    return join_entries(retrieved, judged, queries, depth, return_items, FUNCTION)


# ---------------------------------------------------------------------------- the join


def join_entries(
    retrieved: Entries,
    judged: Entries,
    queries: str,
    depth: int | None,
    return_items: bool,
    function: str,
    parameters: tuple[str, str] = ("run", "qrels"),
    missing: float = np.nan,
) -> tuple[np.ndarray, ...]:
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
    if not (in_run & in_judged).any():
        shown = [_show_some(ids.names) for ids in (retrieved.queries, judged.queries)]
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
    grades = np.where(wanted.values < 0, np.nan, wanted.values)
    places = np.searchsorted(found.keys, wanted.keys)
    is_found = np.zeros(len(places), dtype=bool)
    inside = places < len(found.keys)
    is_found[inside] = found.keys[places[inside]] == wanted.keys[inside]
    y_true = np.full(len(found.keys), missing)
    y_true[places[is_found]] = grades[is_found]
    missed = ~is_found & (_is_needed(wanted, grades, found, n_names))
    at = places[missed]
    y_true = np.insert(y_true, at, grades[missed])
    y_score = np.insert(found.values, at, -np.inf)
    keys = np.insert(found.keys, at, wanted.keys[missed])
    rows = (y_true, y_score, query_names[keys // n_names])
    return (*rows, names[n_names - 1 - keys % n_names]) if return_items else rows


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
    one: Ids, other: Ids, parameters: tuple[str, str], kind: str, function: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the names of both in their order, and where those of each are among them."""
    if len(one.names) and len(other.names):
        known, new = one.names[:1].tolist()[0], other.names[:1].tolist()[0]
        if any(isinstance(first, str) and is_real(last) for first, last in ((known, new), (new, known))):
            rule = f"have {kind} ids of the type of those in {parameters[0]!r}, such as {_show_id(known)}"
            fail(parameters[1], function, rule, _show_id(new))
    names = _join_ids(one.names, other.names)
    ranks = rank_ids(check_groups(names, len(names), function, parameters[0]))
    return ranks[: len(one.names)], ranks[len(one.names) :], names[first_rows(ranks)]


def _sort(
    entries: Entries, queries: np.ndarray, documents: np.ndarray, n_names: int, parameter: str, function: str
) -> Keyed:
    """Sort entries by query, and from the highest document down; none is there twice."""
    keys = queries[entries.queries.codes] * n_names
    keys += n_names - 1 - documents[entries.documents.codes]
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


def _show_some(names: np.ndarray) -> str:
    """Write one of the ids, if there is one."""
    return _show_id(names[:1].tolist()[0]) if len(names) else "none at all"


# ---------------------------------------------------------------------------- ranks


def _check_ranks(run: Entries) -> None:
    """Warn where the ranks of a file contradict its scores: a lower score has a better rank."""
    if run.ranks is None:
        return
    query, scores, ranks = run.queries.codes, run.values, run.ranks
    rises = (scores[1:] > scores[:-1]) | (ranks[1:] < ranks[:-1]) | (query[1:] < query[:-1])
    if not (rises & ~(query[1:] > query[:-1])).any():
        return  # as most files have it, and no sort is needed
    order = np.lexsort((ranks, -scores, query))
    query, ranks = query[order], ranks[order]
    against = np.flatnonzero((query[1:] == query[:-1]) & (ranks[1:] < ranks[:-1]))
    if not len(against):
        return
    high, low = (int(row) for row in order[against[0] : against[0] + 2])
    words = [
        f"{show_entry(run, row)} has rank {run.ranks[row]} and score {run.values[row]}" for row in (high, low)
    ]
    warn_user(
        f"The ranks of {run.source.name} contradict its scores: {words[0]}, {words[1]}. The scores count, as "
        "trec_eval has it.",
        RankingWarning,
    )
