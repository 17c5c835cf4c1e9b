"""Rows of labels, scores and query ids from a run and its judgments, joined as in trec_eval, and back."""

import gzip
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory, read_numbers
from .._checks.codes import as_objects, first_rows, rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import check_count, fail, is_real, renamed, shorten
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_choice, check_flag
from .._checks.outputs import replace_file
from .._checks.types import Arguments, Ids, Labels, Options, Scores
from .._checks.warn import RankingWarning, warn_user, warnings_about
from ._entries import Entries, check_ranks, show_id, start_warning
from ._intents import read_intents
from ._join import Joined, Sides, find_pairs, join_entries, remove_identical
from ._mismatch import check_swap
from ._pieces import LARGE, find_size, join_pieces, put_together
from ._run_objects import check_columns, read_entries, read_ids, read_judgments, read_pairs


@explain_parameters
def from_run(
    qrels: object,
    run: object,
    *,
    queries: Literal["both", "judged", "run"] = "judged",
    depth: int | None = None,
    columns: Arguments | None = None,
    ignore_identical_ids: bool = False,
    duplicates: Literal["raise", "max"] = "raise",
    intents: bool = False,
    exclude: object = None,
    return_items: bool = False,
    return_strata: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Convert relevance judgments and a run to labels, scores and query ids, joined as in trec_eval.

    Parameters
    ----------
    qrels : path, file, mapping of query to mapping of document to grade, frame, or iterable of objects
        Relevance judgments. Each line of a file contains ``query iteration document grade``. A negative grade
        means that the document was not judged. A frame has the columns query, document and grade. You can
        also pass qrels of ranx, ir_measures and ir_datasets, data sets of Hugging Face, and files in the
        formats of BEIR, JSON and CSV, which are recognized by their content.
    run : path, file, mapping of query to mapping of document to score, frame, or iterable of objects
        Retrieved documents. Each line of a file, which can be compressed, contains ``query Q0 document rank
        score tag``. Documents are ranked by score; the rank is ignored. A frame has one row per query and
        document, with the columns query, document and score. You can also pass runs of ranx and ir_measures,
        and files in JSON and CSV. If there are only ranks, as in runs of MS MARCO, the scores are the negated
        ranks. In CSV, an empty cell instead of a grade means not judged. Each row needs a score, except in a
        table that also has grades.
    queries : {"both", "judged", "run"}, default="judged"
        Queries to include: those in both `qrels` and `run`, as in trec_eval; all judged queries, as with
        trec_eval's option -c; or all queries of the run. With "judged", judged queries that the run lacks
        count as queries without retrieved documents, so a run cannot gain by skipping difficult queries.
    depth : int, default=None
        Number of top-ranked documents to keep for each query, as with trec_eval's option -M. Scores are
        compared in float32; documents with equal scores are sorted by decreasing id. If `None`, all are kept.
    columns : mapping of str to name, default=None
        Names of the columns of frames for ``"query"``, ``"document"``, ``"score"`` and ``"grade"``, if they
        differ from these. Also recognized are qid, query_id, docno, doc_id, doc, label, relevance and rel, as
        in PyTerrier and ir_measures, and user_id, session_id, item_id and rating.
    ignore_identical_ids : bool, default=False
        Whether to remove retrieved documents whose id is the id of the query, as BEIR does by default. Use
        this if the queries are documents of the corpus, as in ArguAna and Quora.
    duplicates : {"raise", "max"}, default="raise"
        What to do if a query has a document several times, for example with several chunks: raise an error,
        or keep its highest score and its highest grade. `depth` and the cutoffs of metrics count documents.
    intents : bool, default=False
        Whether `qrels` has a label for each intent (subtopic) of a query, as in the diversity tasks of TREC.
        The second field of each line of a file, or the column "intent" or "subtopic", is then the intent.
    exclude : mapping of query to collection of documents, frame, path or qrels, default=None
        Pairs of queries and documents to remove from `qrels` and `run`, before `depth` is applied. Pass the
        documents that users have already judged, with any grade, to evaluate the residual collection. A frame
        has the columns query and document.
    return_items : bool, default=False
        Whether to also return the document of each row.
    return_strata : bool, default=False
        Whether to also return the `strata` of :func:`infap_score`, which mark the rows in the pool.
    return_missed : bool, default=False
        Whether to return only rows of retrieved documents, and the labels of the others as a :class:`Missed`,
        for the `missed` argument of metrics. Use this to train or test a re-ranker.

    Returns
    -------
    y_true : ndarray of shape (n_rows,), or (n_rows, n_intents) with ``intents=True``
        Grades of the documents; NaN if the document was not judged. Columns are the intents of each query in
        their order; a judged document has the grade 0 for an intent without a line.
    y_score : ndarray of shape (n_rows,)
        Scores of the documents; -inf if the document was judged but not retrieved.
    groups : ndarray of shape (n_rows,)
        Query ids in increasing order; the documents of a query are in decreasing order of their ids.
    documents : ndarray of shape (n_rows,)
        Document ids; only with ``return_items=True``.
    strata : ndarray of shape (n_rows,)
        0 if the document is in the judgments, also with a negative grade, and -1 if it is not; only with
        ``return_strata=True``.
    missed : Missed
        Labels of the judged documents that were not retrieved; only with ``return_missed=True``.

    Raises
    ------
    ValueError
        If a line has a wrong number of fields, if a score or grade is not a finite number, if a query
        contains a document twice, or if `qrels` and `run` have no query in common.

    Warns
    -----
    RankingWarning
        If the run lacks judged queries, if its ranks contradict its scores, if document ids seem to be
        written differently in `qrels` and `run`, or if the two arguments seem to be swapped.

    Notes
    -----
    With ``ties="order"``, metrics rank documents with equal scores as trec_eval does. trec_eval stores scores
    in float32; to get the same ties, pass ``y_score.astype(numpy.float32)``. trec_eval counts unjudged
    documents as not relevant; to do the same, pass ``unjudged="nonrelevant"``. Its names, such as
    ``"trec_eval:map_cut_10"``, set all its options, which :func:`explain` shows.

    Examples
    --------
    >>> from sklearn_rank import from_run, map_score
    >>> qrels = {"q1": {"b": 1, "c": 0, "e": 2}, "q2": {"d": 1}}
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.3, "d": 0.1}}
    >>> y_true, y_score, groups = from_run(qrels, run)
    >>> y_true
    array([ 2.,  0.,  1., nan,  1., nan])
    >>> y_score
    array([-inf,  0.7,  0.8,  0.9,  0.1,  0.3])
    >>> map_score(y_true, y_score, groups=groups, ties="order", unjudged="nonrelevant", average=None)
    array([0.25, 0.5 ])
    """
    check_flag(return_items, "return_items")
    check_flag(return_strata, "return_strata")
    check_flag(return_missed, "return_missed")
    check_flag(intents, "intents")
    if intents and (return_strata or return_missed):
        fail("intents", "be False with return_strata or return_missed", True)
    _check_choices(queries, depth, ignore_identical_ids, duplicates)
    check_in_memory(qrels=qrels, run=run)
    names = check_columns(columns, run, qrels, exclude)
    pairs = None if exclude is None else read_pairs(exclude, "exclude", names)
    more: Options = {"ignore_identical_ids": ignore_identical_ids, "excluded": pairs, "intents": intents}
    joined = _join_quickly(run, qrels, queries, depth, names, duplicates, return_strata, return_items, **more)
    _warn_of_lacking(joined, return_missed)
    rows = joined.rows(return_items, return_strata)
    return split_missed(rows, depth) if return_missed else rows


def join_runs(
    qrels: object,
    runs: Arguments,
    queries: str,
    depth: int | None,
    columns: Arguments | None,
    exclude: object,
    ignore_identical_ids: bool,
    duplicates: str,
    with_pool: bool,
    with_intents: bool,
) -> Iterator[tuple[str, Joined]]:
    """Yield the name of each run, and the run joined with the judgments, which are read once."""
    _check_choices(queries, depth, ignore_identical_ids, duplicates)
    check_in_memory(qrels=qrels, **{f"runs[{name!r}]": run for name, run in runs.items()})
    if any(isinstance(run, Mapping) and any(map(is_real, run.values())) for run in runs.values()):
        fail("runs", "be a mapping of names to runs", "one run", "Pass runs={'name': run}.")
    names = check_columns(columns, qrels, exclude, *runs.values())
    pairs = None if exclude is None else read_pairs(exclude, "exclude", names)
    more: Options = {"ignore_identical_ids": ignore_identical_ids, "excluded": pairs, "intents": with_intents}
    judged = read_intents(qrels, names) if with_intents else read_judgments(qrels, names, False)
    for name, run in runs.items():
        short = repr(shorten(name))
        with renamed("run", f"runs[{short}]"), warnings_about("evaluate_runs", f"run {short}"):
            joined = _join_quickly(run, judged, queries, depth, names, duplicates, with_pool, **more)
            _warn_of_lacking(joined, False)
        yield name, joined


def _warn_of_lacking(joined: Joined, return_missed: bool) -> None:
    """Warn if the run has no list for some of the judged queries."""
    if clause := joined.say_lacking():
        how = "each has no row" if return_missed else "each counts as a query without retrieved documents"
        fix = "To exclude them, pass queries='both'."
        warn_user(f"{start_warning()}{clause}{how}. {fix}", RankingWarning)


def _check_choices(queries: str, depth: int | None, ignore_identical_ids: bool, duplicates: str) -> None:
    """Check the options of the join."""
    check_choice("duplicates", duplicates, ("raise", "max"))
    check_flag(ignore_identical_ids, "ignore_identical_ids")
    check_choice("queries", queries, ("both", "judged", "run"))
    if depth is not None:
        check_count(depth, 1, "depth", " or None")


def _join_quickly(
    run: Any,
    qrels: Any,
    queries: str,
    depth: int | None,
    names: Arguments,
    duplicates: str,
    with_pool: bool = False,
    with_documents: bool = False,
    **more: Any,
) -> Joined:
    """Join a run with its judgments, in pieces if it is a large file and `more` is not set."""
    is_kept = isinstance(qrels, Entries) or find_size(qrels) > 0  # can be read again
    if queries != "run" and not any(more.values()) and find_size(run) >= LARGE and is_kept:
        with suppress(ValueError):  # then the file is read as a whole, which also reports its errors
            pieces = join_pieces(run, qrels, queries, depth, lambda joined: joined, with_pool)
            return put_together(pieces, with_documents)
    return join_run(run, qrels, queries, depth, names, with_pool, duplicates=duplicates, **more)


def join_run(
    run: object,
    qrels: object,
    queries: str = "both",
    depth: int | None = None,
    names: Arguments | None = None,
    with_pool: bool = False,
    whole_grades: bool = False,
    ignore_identical_ids: bool = False,
    intents: bool = False,
    excluded: tuple[Any, Any] | None = None,
    duplicates: str = "raise",
) -> Joined:
    """Join a run with its judgments as `from_run` does, after it has checked the options.

    If `with_pool`, documents with a grade below 0 have the label -1. If `intents`, there is a label for each
    intent. `excluded` are queries and documents of pairs to remove.
    """
    retrieved = read_entries(run, "run", names or {})
    found = read_intents(qrels, names or {}) if intents else None
    judged = found.judged if found else read_judgments(qrels, names or {}, whole_grades)
    check_ranks(retrieved, "run")
    if not found:  # the values of judgments by intent are not grades
        check_swap(judged.values, retrieved.values, judged.queries.codes, retrieved.queries.codes)
    retrieved = remove_identical(retrieved) if ignore_identical_ids else retrieved
    if excluded is not None:
        retrieved, judged = (
            each.keep(
                ~find_pairs((each.queries, each.documents), excluded, (name, "exclude"), each.source.words)
            )
            for each, name in ((retrieved, "run"), (judged, "qrels"))
        )
    sides = Sides(retrieved, judged, with_pool=with_pool, duplicates=duplicates)
    joined = join_entries(sides, queries, depth)
    return joined._replace(labels=found.labels) if found else joined


CHUNK = 2**16  # lines to write at once
OTHER_LINES = re.compile(r'#|\ufeff|\{["}]|\[[{\]]')  # of files that are read in another way


@explain_parameters
def to_run(
    y_score: Scores, groups: Ids, documents: object, path: object, *, tag: str = "sklearn-rank"
) -> None:
    """Write scores as a run in TREC format, which trec_eval and other tools read.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        not retrieved; it is not written.
    groups : array-like of shape (n_rows,)
        Query id of each row. Ids can be of any sortable type, and rows can be in any order.
    documents : array-like of shape (n_rows,)
        Document id of each row.
    path : path or binary file
        File to write, gzipped if its name ends in ``.gz``. An existing file is replaced.
    tag : str, default="sklearn-rank"
        Name of the run.

    Raises
    ------
    ValueError
        If an id is empty or contains blanks, or if a score is NaN or inf. Then nothing is written.

    Notes
    -----
    Lines are sorted by query and decreasing score; documents with equal scores are sorted as in trec_eval.
    :func:`from_run` reads exactly the same scores.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank.datasets import to_run
    >>> file = io.BytesIO()
    >>> to_run([0.5, 0.75], ["q1", "q1"], ["a", "b"], file, tag="mine")
    >>> print(file.getvalue().decode().rstrip())
    q1 Q0 b 1 0.75 mine
    q1 Q0 a 2 0.5 mine
    """
    check_same_order(y_score=y_score, groups=groups, documents=documents)
    scores = read_numbers(y_score, "y_score").ravel()
    [tag] = _check_words([tag], "tag")
    is_bad = ~np.isfinite(scores) & (scores != -np.inf)
    if is_bad.any():
        fail("y_score", "be finite, or -inf for documents that were not retrieved", scores[is_bad][0])
    rows = _list_rows(scores.astype(np.float64), groups, documents, scores != -np.inf, True)
    _write([f"{query} Q0 {name} {rank} {score!r} {tag}\n" for query, name, score, rank in rows], path)


@explain_parameters
def to_qrels(y_true: Labels, groups: Ids, documents: object, path: object) -> None:
    """Write labels as relevance judgments in TREC format.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels. NaN means that the document was not judged; it is not written.
    groups, documents, path
        As in :func:`to_run`.

    Raises
    ------
    ValueError
        If an id is empty or contains blanks, or if a label is infinite. Then nothing is written.

    Notes
    -----
    Whole grades are written as integers, because trec_eval reads only integers. :func:`from_run` reads
    exactly the same grades. A query without a label is not written.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank.datasets import to_qrels
    >>> file = io.BytesIO()
    >>> to_qrels([1, 0, float("nan")], ["q1", "q1", "q1"], ["a", "b", "c"], file)
    >>> print(file.getvalue().decode().rstrip())
    q1 0 a 1
    q1 0 b 0
    """
    check_same_order(y_true=y_true, groups=groups, documents=documents)
    labels = read_numbers(y_true, "y_true").ravel().astype(np.float64)
    if np.isinf(labels).any():
        fail("y_true", "be finite, or NaN for unjudged documents", labels[np.isinf(labels)][0])
    lines = [
        f"{query} 0 {name} {int(grade) if grade == int(grade) else repr(grade)}\n"
        for query, name, grade, _ in _list_rows(labels, groups, documents, labels == labels, False)
    ]
    _write(lines, path)


def _list_rows(
    values: np.ndarray, groups: Ids, documents: object, kept: np.ndarray, by_value: bool
) -> Iterator[tuple[str, str, float, int]]:
    """Yield query, document, value and rank of the kept rows, in the order of the output lines."""
    queries, query_names = _read_words(groups, len(values), "groups")
    items, names = _read_words(documents, len(values), "documents")
    keys = (-items, -values, queries) if by_value else (items, queries)
    order = np.flatnonzero(kept)
    order = order[np.lexsort([key[order] for key in keys])]
    queries, items = queries[order], items[order]
    first = np.unique(queries * max(1, len(names)) + items, return_index=True)[1]
    if len(first) < len(order):
        row = np.setdiff1d(np.arange(len(order)), first)[0]
        got = f"{show_id(names[items[row]])} twice for query {show_id(query_names[queries[row]])}"
        fail("documents", "contain each document once per query", got)
    ranks = np.arange(1, len(order) + 1) - np.searchsorted(queries, queries)
    columns = queries.tolist(), items.tolist(), values[order].tolist(), ranks.tolist()
    for query, item, value, rank in zip(*columns):
        yield query_names[query], names[item], value, rank


def _read_words(ids: Ids, n_rows: int, parameter: str) -> tuple[np.ndarray, list[str]]:
    """Return the index of each id in the distinct ids, and these as text in trec_eval's order."""
    rank_ids(check_groups(ids, n_rows, parameter))  # one id per row, not missing
    found = read_ids(as_objects(ids) if isinstance(ids, list | tuple) else ids, parameter)
    words = _check_words(found.names.tolist(), parameter)
    ranks = rank_ids(check_groups(words, len(words), parameter))
    return ranks[found.codes], np.array(words, dtype=object)[first_rows(ranks)].tolist()


def _check_words(ids: list[Ids], parameter: str) -> list[str]:
    """Return ids as text that can be written in a line."""
    words = [str(each) for each in ids]
    for word in words:
        text = word.encode("utf-8", "surrogatepass")
        if text.split() != [text] or "\0" in word or text.decode("utf-8", "replace") != word:
            verb = "be" if parameter == "tag" else "contain only"
            fail(parameter, f"{verb} non-empty UTF-8 text without blanks and null bytes", show_id(word))
        if parameter == "groups" and OTHER_LINES.match(word):
            rule = "not begin with characters that mark comments, byte order or JSON in a file"
            fail(parameter, rule, show_id(word), "Add a letter before each id.")
    return words


def _write(lines: list[str], path: Any) -> None:
    """Write lines to a path or an open file."""
    is_open = hasattr(path, "write")
    if not (is_open or isinstance(path, str) or hasattr(path, "__fspath__")):
        fail("path", "be a path or an open binary file", repr(path))
    with ExitStack() as files:
        file = path if is_open else files.enter_context(replace_file(path))
        if not is_open and str(path).endswith(".gz"):
            file = files.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
        for start in range(0, len(lines), CHUNK):
            file.write("".join(lines[start : start + CHUNK]).encode())
