"""Rows of labels, scores and groups from a run and its judgements, as trec_eval joins them."""

from contextlib import suppress
from typing import Any, Literal

import numpy as np

from .._checks.arrays import check_in_memory
from .._checks.errors import check_count
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments
from ._entries import check_ranks
from ._join import Joined, Sides, join_entries
from ._mismatch import check_swap
from ._pieces import LARGE, find_size, join_pieces, put_together
from ._run_objects import check_columns, read_entries, read_judgments


def from_run(
    qrels: Any,
    run: Any,
    *,
    queries: Literal["both", "judged", "run"] = "both",
    depth: int | None = None,
    columns: Arguments | None = None,
    return_items: bool = False,
    return_strata: bool = False,
) -> tuple[np.ndarray, ...]:
    """Turn relevance judgments and a run into labels, scores and query ids by row, as trec_eval does.

    Parameters
    ----------
    qrels : path, file, mapping of query to mapping of document to grade, frame, or iterable of objects
        What was judged. A file has ``query iteration document grade`` in each line. A grade below 0 means
        that the document was not judged. A frame has the columns query, document and grade. Qrels of ranx,
        ir_measures and ir_datasets are taken too.
    run : path, file, mapping of query to mapping of document to score, frame, or iterable of objects
        What was retrieved. A file has TREC's format, ``query Q0 document rank score tag`` in each line, and
        may be packed by gzip. The score alone counts; the rank does not. A frame has a row per query and
        document, with the columns query, document and score. Runs of ranx and ir_measures are taken too.
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
    return_strata : bool, default=False
        Return for each row whether it is in the pool, which :func:`infap_score` takes as `strata`.

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
    strata : ndarray of shape (n_rows,)
        0 where the document stands in the judgements, if with a grade below 0, and -1 where it does not; only
        with ``return_strata=True``.

    Raises
    ------
    ValueError
        If a line has other fields, a score or a grade is no finite number, a document is named twice in a
        query, or no query of the run was judged. An error of a file says in which line.

    Warns
    -----
    RankingWarning
        If the ranks of the run contradict its scores, if document ids seem to be written differently in
        `qrels` and `run`, or if the two seem to be swapped.

    Notes
    -----
    With ``ties="order"`` equal scores have the order of trec_eval, which holds scores in float32:
    ``y_score.astype(numpy.float32)`` has its ties. Documents that were not judged are for `unjudged` to
    decide: ``"nonrelevant"`` is trec_eval's way, :data:`sklearn_rank.conventions.TREC_EVAL` has all.

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
    check_choice("queries", queries, ("both", "judged", "run"))
    if depth is not None:
        check_count(depth, 1, "depth", ", or None")
    check_in_memory(qrels=qrels, run=run)
    names = check_columns(columns, run=run, qrels=qrels)
    if queries != "run" and find_size(run) >= LARGE and find_size(qrels):
        with suppress(ValueError):  # it must be read as a whole, which also says what is wrong with it
            pieces = join_pieces(run, qrels, queries, depth, lambda joined: joined, return_strata)
            return put_together(pieces, return_items).rows(return_items, return_strata)
    joined = join_run(run, qrels, queries, depth, names, return_strata)
    return joined.rows(return_items, return_strata)


def join_run(
    run: Any,
    qrels: Any,
    queries: str = "both",
    depth: int | None = None,
    names: Arguments | None = None,
    with_pool: bool = False,
    whole_grades: bool = False,
) -> Joined:
    """Join a run with its judgements as `from_run` does, which has checked the options.

    With the pool, documents with a grade below 0 have the label -1.
    """
    retrieved = read_entries(run, "run", names or {})
    judged = read_judgments(qrels, names or {}, whole_grades)
    check_ranks(retrieved, "run")
    check_swap(judged.values, retrieved.values, retrieved.queries.codes)
    return join_entries(Sides(retrieved, judged, with_pool=with_pool), queries, depth)
