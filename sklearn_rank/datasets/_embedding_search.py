"""Rows of labels, scores and query ids from embeddings of queries and documents."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory, is_sparse
from .._checks.codes import find_edges, rank_ids
from .._checks.containers import count_rows
from .._checks.errors import check_count, fail, kind_of, spell_id
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments, ArrayLike, Scores
from ._entries import EACH_ROW, Entries, EntrySource, Ids, as_python, show_typed_id
from ._join import BEST_OF_CHUNKS, SAME_TYPE, Sides, join_entries, join_names, remove_identical
from ._run_objects import check_columns, name_rows, read_judgments
from ._score_matrix import read_matrix

BLOCK = 256, 16384  # queries and documents to compare at once: their scores take 16 or 32 MB
SHORTEST = 1e-150  # the squares of shorter vectors of float64 are rounded to 0
MANY = 4  # times k scores per query, above which those of a block are selected before they are sorted


@explain_parameters
def from_embeddings(
    qrels: object,
    queries: Scores,
    corpus: Scores,
    *,
    query_ids: ArrayLike | None = None,
    document_ids: ArrayLike | None = None,
    k: int = 100,
    similarity: Literal["cosine", "dot"] = "cosine",
    columns: Arguments | None = None,
    ignore_identical_ids: bool = False,
    duplicates: Literal["raise", "max"] = "raise",
    return_items: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Retrieve the k documents with the most similar embeddings, and join them with judgments.

    The search is exact. It compares blocks of queries and documents, so that memory beyond the arguments is
    that of the k best documents of each query. The result is that of :func:`from_run` with ``depth=k`` for
    the similarities of all documents.

    Parameters
    ----------
    qrels : path, file, mapping of query to mapping of document to grade, frame, or iterable of objects
        As in :func:`from_run`. Queries that are not both in `qrels` and in `queries` are excluded.
    queries : array-like of shape (n_queries, n_dimensions)
        Embeddings of the queries.
    corpus : array-like of shape (n_documents, n_dimensions)
        Embeddings of the documents. A :class:`numpy.memmap` is read in blocks.
    query_ids : array-like of shape (n_queries,), default=None
        Id of each query, as in `qrels`. If `None`, ids are the row numbers of `queries`.
    document_ids : array-like of shape (n_documents,), default=None
        Id of each document, as in `qrels`. If `None`, ids are the row numbers of `corpus`.
    k : int, default=100
        Number of documents to retrieve for each query, at least the largest cutoff of the metrics. Of
        documents with equal scores, those with the highest ids are retrieved.
    similarity : {"cosine", "dot"}, default="cosine"
        Score of a document: the cosine similarity or the dot product of the embeddings. The cosine similarity
        with a vector of zeros is 0.
    ignore_identical_ids : bool, default=False
        Whether to leave out documents whose id is the id of the query, as BEIR does by default. Then k other
        documents are retrieved.
    duplicates : {"raise", "max"}, default="raise"
        What to do if an id occurs several times in `document_ids`, for several chunks of a document: raise an
        error, or use the highest similarity. `k` counts documents.
    columns, return_items, return_missed
        As in :func:`from_run`.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        Grades of the documents; NaN if the document was not judged.
    y_score : ndarray of shape (n_rows,)
        Similarities of the documents; -inf if the document was judged but not retrieved. They are computed in
        the precision of the embeddings, at least in float32.
    groups, documents, missed : ndarrays of shape (n_rows,), and Missed
        As in :func:`from_run`.

    Raises
    ------
    ValueError
        If the shapes of the arguments do not match, if an embedding is not finite or too short for a cosine,
        if an id occurs twice, or if `qrels` and `queries` have no query in common.

    See Also
    --------
    from_factors : Convert factors of users and items. It returns all items tied with the k-th one.

    Examples
    --------
    >>> from sklearn_rank import from_embeddings, mrr_score
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> queries, corpus = [[1.0, 0.0], [0.0, 1.0]], [[3.0, 4.0], [2.0, 0.0], [0.0, 5.0]]
    >>> ids = {"query_ids": ["q1", "q2"], "document_ids": ["a", "b", "c"]}
    >>> y_true, y_score, groups = from_embeddings(qrels, queries, corpus, **ids, k=2)
    >>> y_score
    array([ 1. ,  0.6,  1. , -inf,  0.8])
    >>> mrr_score(y_true, y_score, groups=groups, unjudged="nonrelevant", average=None)
    array([0.5, 0. ])
    """
    check_count(k, 1, "k")
    check_choice("similarity", similarity, ("cosine", "dot"))
    check_flag(ignore_identical_ids, "ignore_identical_ids")
    check_flag(return_items, "return_items")
    check_flag(return_missed, "return_missed")
    check_choice("duplicates", duplicates, ("raise", "max"))
    check_in_memory(qrels=qrels, queries=queries, corpus=corpus)
    asked, documents = _read_embeddings("queries", queries), _read_embeddings("corpus", corpus)
    if documents.shape[1] != asked.shape[1]:
        rule = f"have as many columns as 'queries' ({asked.shape[1]} columns)"
        fail("corpus", rule, f"{documents.shape[1]} columns")
    of_queries = _read_ids("query_ids", query_ids, "queries", len(asked))
    of_documents = _read_ids("document_ids", document_ids, "corpus", len(documents), duplicates)
    judged = read_judgments(qrels, check_columns(columns, qrels), False)
    fix = SAME_TYPE if query_ids is not None else "Pass query_ids, the id of each row of 'queries'."
    names = rank_ids(join_names(judged.queries, of_queries, ("qrels", "query_ids"), "query", fix)[1])
    n_judged = len(judged.queries.names)
    kept = np.flatnonzero(np.isin(names[n_judged:], names[:n_judged]))
    fix = SAME_TYPE if document_ids is not None else "Pass document_ids, the id of each row of 'corpus'."
    _check_documents(of_documents, judged.documents, fix)
    codes = rank_ids(of_documents.names)
    order = np.argsort(codes, kind="stable")[::-1]
    edges = find_edges(codes[order])  # the first chunk of each document, then the number of chunks
    n_found = k + bool(ignore_identical_ids)
    scores, places = _search(asked[kept], documents, order, edges, n_found, similarity == "cosine")
    rows = np.repeat(kept, scores.shape[1]), order[edges[places.ravel()]]
    ids = Ids(rows[0], of_queries.names), Ids(rows[1], of_documents.names)
    found = Entries(*ids, scores.ravel().astype(np.float64), EntrySource())
    if ignore_identical_ids:
        found = remove_identical(found)
        queries_of = found.queries.codes  # ascending; the documents of each are in decreasing order of score
        found = found.keep(np.arange(len(queries_of)) - np.searchsorted(queries_of, queries_of) < k)
    # Unlike other runs, a search can miss all judged documents although the ids match.
    sides = Sides(found, judged, ("queries", "qrels"), duplicates=duplicates)
    result = join_entries(sides, "both", None, with_warnings=False).rows(return_items)
    return split_missed(result, k, len(edges) - 1) if return_missed else result


def _read_embeddings(name: str, embeddings: Scores) -> np.ndarray:
    """Return embeddings as a matrix, without a copy if they are an array."""
    if is_sparse(embeddings):
        fail(name, "be a dense array", kind_of(embeddings), f"Pass {name}.toarray().")
    found: np.ndarray = read_matrix(name, embeddings)
    return found


def _read_ids(name: str, ids: object, of: str, n_rows: int, duplicates: str = "") -> Ids:
    """Return the id of each row, by default its number; check that all are distinct, except with "max"."""
    if ids is None:
        return Ids(EACH_ROW, np.arange(n_rows))
    names = name_rows(ids, np.arange(count_rows(ids, name)))
    if names.ndim != 1 or len(names) != n_rows:
        fail(name, f"have one id per row of {of!r} ({n_rows})", f"shape {names.shape}")
    ranks = rank_ids(check_groups(names, n_rows, name))
    counts = np.bincount(ranks)
    if counts.max(initial=0) > 1 and duplicates != "max":
        fix = BEST_OF_CHUNKS * bool(duplicates)
        fail(name, "contain each id once", f"{spell_id(names[np.argmax(counts[ranks] > 1)])} twice", fix)
    return Ids(EACH_ROW, names)


def _check_documents(ids: Ids, judged: Ids, fix: str) -> None:
    """Check that a judged document is in the corpus."""
    names = rank_ids(join_names(judged, ids, ("qrels", "document_ids"), "document", fix)[1])
    n_judged = len(judged.names)
    if n_judged and not np.isin(names[:n_judged], names[n_judged:]).any():
        got = f"ids such as {show_typed_id(as_python(ids.names[0]))}" if len(ids.names) else "no id"
        rule = f"contain a document of 'qrels', such as {show_typed_id(as_python(judged.names[0]))}"
        fail("document_ids", rule, got, "Use the same document ids in both.")


def _search(
    queries: np.ndarray, corpus: np.ndarray, order: np.ndarray, edges: np.ndarray, k: int, is_cosine: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k highest scores of each query, and the numbers of their documents in `edges`.

    The rows of a document are adjacent in `order`, and its best one counts. Of equal scores, those of the
    first documents are returned.
    """
    kind = np.result_type(*(_find_kind(each.dtype) for each in (queries, corpus)))
    queries, longest = _prepare("queries", queries, kind, is_cosine)
    n_documents = len(edges) - 1
    k = min(k, n_documents)
    scores = np.full((len(queries), k), -np.inf, dtype=kind)
    places = np.zeros((len(queries), k), dtype=np.int64)
    cuts = np.unique([*np.searchsorted(edges, np.arange(0, len(order), BLOCK[1])), n_documents])
    for start, end in pairwise(cuts.tolist()):
        block, length = _prepare("corpus", corpus[order[edges[start] : edges[end]]], kind, is_cosine)
        starts = edges[start:end] - edges[start]
        if not is_cosine and longest * length > float(np.finfo(kind).max):
            rule = f"have dot products with 'queries' that {kind} can represent"
            fail("corpus", rule, f"vectors of length {length:g} and {longest:g}")
        for first in range(0, len(queries), BLOCK[0]):
            chosen = slice(first, first + BLOCK[0])
            found = queries[chosen] @ block.T
            if len(starts) < len(block):
                found = np.maximum.reduceat(found, starts, axis=1)
            _add_better(scores[chosen], places[chosen], found, start)
    return scores, places


def _find_kind(dtype: np.dtype[Any]) -> Any:
    """Return the type in which scores are computed."""
    return {"float16": np.float32, "float32": np.float32}.get(dtype.name, np.float64)


def _prepare(name: str, rows: np.ndarray, kind: Any, is_cosine: bool) -> tuple[np.ndarray, float]:
    """Return vectors in a type, of length 1 or 0 if `is_cosine`, and the greatest length that they had."""
    rows = rows.astype(kind, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    longest = float(lengths.max(initial=0))
    if not longest < float(np.finfo(kind).max):
        row = rows[np.argmin(np.isfinite(lengths))]
        fail(
            name,
            "contain vectors of finite length",
            f"a vector with {row[np.argmax(~(np.abs(row) < 1e150))]}",
        )
    if is_cosine:
        least = max(float(np.finfo(kind).tiny), SHORTEST)
        if (short := rows[lengths < least]).any():
            rule = f"contain vectors of zeros, or of length {least:.3g} or more"
            fix = f"Divide {name} by its largest absolute value."
            fail(name, rule, f"a vector with {short[short != 0][0]}", fix)
        rows = rows / np.where(lengths > 0, lengths, 1).astype(kind)[:, None]
    return rows, longest


def _add_better(scores: np.ndarray, places: np.ndarray, found: np.ndarray, start: int) -> None:
    """Replace the best scores of each query, in decreasing order, if it has higher ones in `found`."""
    k, n_found = scores.shape[1], found.shape[1]
    is_better = found > scores[:, -1:]
    if k < n_found and np.count_nonzero(is_better) > MANY * k * len(found):
        is_better &= found >= np.partition(found, -k, axis=1)[:, [-k]]
    cells = np.flatnonzero(is_better)
    if not len(cells):
        return
    counts = np.bincount(cells // n_found, minlength=len(found))
    queries = np.flatnonzero(counts)
    counts = counts[queries]
    rows = np.repeat(np.arange(len(queries)), counts)
    columns = k + np.arange(len(cells)) - np.repeat(np.cumsum(counts) - counts, counts)
    both = np.full((len(queries), k + counts.max()), -np.inf, dtype=found.dtype)
    both[:, :k], both[rows, columns] = scores[queries], found.ravel()[cells]
    of_both = np.zeros(both.shape, dtype=np.int64)
    of_both[:, :k], of_both[rows, columns] = places[queries], start + cells % n_found
    best = np.argsort(-both, axis=1, kind="stable")[:, :k]
    scores[queries] = np.take_along_axis(both, best, axis=1)
    places[queries] = np.take_along_axis(of_both, best, axis=1)
