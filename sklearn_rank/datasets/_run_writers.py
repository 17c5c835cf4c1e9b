"""Rows written as runs and judgements, in the format of TREC."""

import gzip
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from .._checks.arrays import read_numbers
from .._checks.codes import as_objects, first_rows, rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import Ids, Labels, Scores
from ._run_objects import read_ids

CHUNK = 2**16  # lines that are written at once


def to_run(
    y_score: Scores, groups: Ids, documents: object, path: object, *, tag: str = "sklearn-rank"
) -> None:
    """Write scores as a run in TREC's format, for trec_eval and others to read.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first. Rows of -inf, which were not retrieved, are left out.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    documents : array-like of shape (n_rows,)
        Document id of each row.
    path : path or binary file
        Where to write; packed by gzip if its name ends in ``.gz``. A file that is there is replaced.
    tag : str, default="sklearn-rank"
        The name of the run.

    Raises
    ------
    ValueError
        If an id is empty or has blanks, or a score is NaN or inf. Then nothing is written.

    Notes
    -----
    Lines are sorted by query and score, equal scores as trec_eval ranks them. Scores are written so that
    :func:`from_run` reads the same.

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
        fail("y_score", "be finite, or -inf where not retrieved", scores[is_bad][0])
    rows = _list_rows(scores.astype(np.float64), groups, documents, scores != -np.inf, True)
    lines = [f"{query} Q0 {name} {rank} {score!r} {tag}\n" for query, name, score, rank in rows]
    _write(lines, path)


def to_qrels(y_true: Labels, groups: Ids, documents: object, path: object) -> None:
    """Write labels as relevance judgements in TREC's format.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels. Rows of NaN, which were not judged, are left out.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    documents : array-like of shape (n_rows,)
        Document id of each row.
    path : path or binary file
        Where to write; packed by gzip if its name ends in ``.gz``. A file that is there is replaced.

    Raises
    ------
    ValueError
        If an id is empty or has blanks, or a label is inf. Then nothing is written.

    Notes
    -----
    Whole grades are written as integers, which is all that trec_eval reads; others so that :func:`from_run`
    reads the same. A query without any label has no line.

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
        fail("y_true", "be finite, or NaN where not judged", labels[np.isinf(labels)][0])
    rows = _list_rows(labels, groups, documents, labels == labels, False)
    lines = [
        f"{query} 0 {name} {int(grade) if grade == int(grade) else repr(grade)}\n"
        for query, name, grade, _ in rows
    ]
    _write(lines, path)


def _list_rows(
    values: np.ndarray, groups: Ids, documents: object, kept: np.ndarray, by_value: bool
) -> Iterator[tuple[str, str, float, int]]:
    """Yield query, document, value and rank of the rows that are kept, in the order of their lines."""
    queries, query_names = _read_words(groups, len(values), "groups")
    items, names = _read_words(documents, len(values), "documents")
    keys = (-items, -values, queries) if by_value else (items, queries)
    order = np.flatnonzero(kept)
    order = order[np.lexsort([key[order] for key in keys])]
    queries, items = queries[order], items[order]
    first = np.unique(queries * max(1, len(names)) + items, return_index=True)[1]
    if len(first) < len(order):
        row = np.setdiff1d(np.arange(len(order)), first)[0]
        got = f"{names[items[row]]!r} of the query {query_names[queries[row]]!r} again"
        fail("documents", "name each document once per query", got)
    ranks = np.arange(1, len(order) + 1) - np.searchsorted(queries, queries)
    columns = queries.tolist(), items.tolist(), values[order].tolist(), ranks.tolist()
    for query, item, value, rank in zip(*columns):
        yield query_names[query], names[item], value, rank


def _read_words(ids: Ids, n_rows: int, parameter: str) -> tuple[np.ndarray, list[str]]:
    """Return the place of each id among all, as text, and these texts in the order of trec_eval."""
    rank_ids(check_groups(ids, n_rows, parameter))  # one per row, none missing
    found = read_ids(as_objects(ids) if isinstance(ids, list | tuple) else ids, parameter)
    words = _check_words(found.names.tolist(), parameter)
    names = np.array(words, dtype=object)
    ranks = rank_ids(check_groups(words, len(words), parameter))
    return ranks[found.codes], names[first_rows(ranks)].tolist()


def _check_words(ids: list[Ids], parameter: str) -> list[str]:
    """Return ids as the words of a line."""
    words = [str(each) for each in ids]
    for word in words:
        if word.encode("utf-8", "replace").split() != [word.encode("utf-8", "replace")] or "\0" in word:
            fail(parameter, "be words without blanks or null bytes", repr(word))
    return words


def _write(lines: list[str], path: Any) -> None:
    """Write lines to a path or into an open file."""
    is_open = hasattr(path, "write")
    if not (is_open or isinstance(path, str) or hasattr(path, "__fspath__")):
        fail("path", "be a path or an open binary file", repr(path))
    with ExitStack() as files:
        file = path if is_open else files.enter_context(open(path, "wb"))
        if not is_open and str(path).endswith(".gz"):
            file = files.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
        for start in range(0, len(lines), CHUNK):
            file.write("".join(lines[start : start + CHUNK]).encode())
