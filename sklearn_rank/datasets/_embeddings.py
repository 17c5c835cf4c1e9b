"""Rows of labels, scores and query ids from embeddings of queries and documents."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory
from .._checks.errors import check_count, fail, spell_id
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments, ArrayLike, Scores
from ._entries import Entries, EntrySource, Ids, encode_ids
from ._join import Sides, join_entries, join_names
from ._run_objects import check_columns, read_judgments
from ._score_matrix import read_matrix

BLOCK = 512, 4096  # queries and documents to compare at once; their scores fit in the processor cache
PLAIN = EntrySource()


@explain_parameters
def from_embeddings(
    qrels: Any,
    queries: Scores,
    corpus: Scores,
    *,
    query_ids: ArrayLike | None = None,
    document_ids: ArrayLike | None = None,
    k: int = 100,
    similarity: Literal["cosine", "dot"] = "cosine",
    columns: Arguments | None = None,
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
        Relevance judgments, as in :func:`from_run`. Queries that are not both in `qrels` and in `queries` are
        excluded.
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
    columns : mapping of str to name, default=None
        Names of the columns of `qrels`, as in :func:`from_run`.
    return_items : bool, default=False
        Whether to also return the document of each row.
    return_missed : bool, default=False
        Whether to return only rows of retrieved documents, and the labels of the others as a :class:`Missed`,
        for the `missed` argument of metrics. Use this to train or test a re-ranker.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        Grades of the documents; NaN if the document was not judged.
    y_score : ndarray of shape (n_rows,)
        Similarities of the documents; -inf if the document was judged but not retrieved. They are computed in
        the precision of the embeddings, at least in float32.
    groups : ndarray of shape (n_rows,)
        Query ids in increasing order; the documents of a query are in decreasing order of their ids.
    documents : ndarray of shape (n_rows,)
        Document ids; only with ``return_items=True``.
    missed : Missed
        Labels of the judged documents that were not retrieved; only with ``return_missed=True``.

    Raises
    ------
    ValueError
        If the shapes of the arguments do not match, if an embedding is not finite, if an id occurs twice, or
        if `qrels` and `queries` have no query in common.

    See Also
    --------
    from_factors : Convert factors of users and items. It returns all items tied with the k-th one.

    Examples
    --------
    >>> from sklearn_rank import from_embeddings, recall_at_k_score
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> queries, corpus = [[1.0, 0.0], [0.0, 1.0]], [[3.0, 4.0], [2.0, 0.0], [0.0, 5.0]]
    >>> ids = {"query_ids": ["q1", "q2"], "document_ids": ["a", "b", "c"]}
    >>> y_true, y_score, groups = from_embeddings(qrels, queries, corpus, **ids, k=2)
    >>> y_score
    array([1. , 0.6, 1. , -inf, 0.8])
    >>> recall_at_k_score(y_true, y_score, groups=groups, k=2, unjudged="nonrelevant", average=None)
    array([1., 0.])
    """
    check_count(k, 1, "k")
    check_choice("similarity", similarity, ("cosine", "dot"))
    check_flag(return_items, "return_items")
    check_flag(return_missed, "return_missed")
    check_in_memory(qrels=qrels, queries=queries, corpus=corpus)
    given = {name: np.asarray(read_matrix(name, each)) for name, each in zip(SIDES, (queries, corpus))}
    n_dimensions = given["queries"].shape[1]
    if given["corpus"].shape[1] != n_dimensions:
        rule = f"have as many columns as 'queries' ({n_dimensions} columns)"
        fail("corpus", rule, f"{given['corpus'].shape[1]} columns")
    of_queries = _read_ids("query_ids", query_ids, len(given["queries"]), "queries")
    of_documents = _read_ids("document_ids", document_ids, len(given["corpus"]), "corpus")
    judged = read_judgments(qrels, check_columns(columns, qrels), False)
    known = join_names(judged.queries, Ids(slice(None), of_queries), ("qrels", "query_ids"), "query")
    is_asked = np.isin(known[len(judged.queries.names) :], known[: len(judged.queries.names)])
    asked = np.flatnonzero(is_asked)
    order = np.argsort(of_documents, kind="stable")[::-1]
    places, scores = _search(given["queries"][asked], given["corpus"], order, k, similarity == "cosine")
    n_kept = scores.shape[1]
    found = Entries(
        Ids(np.repeat(np.arange(len(asked)), n_kept), of_queries[asked]),
        Ids(order[places.ravel()], of_documents),
        scores.ravel().astype(np.float64),
        PLAIN,
    )
    joined = join_entries(Sides(found, judged, ("queries", "qrels")), "both", None)
    rows = joined.rows(return_items)
    return split_missed(rows, k, len(order)) if return_missed else rows
