"""Rows written as runs and judgements, in the format of TREC."""

import gzip
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
    function = "to_run"
    check_same_order(function, y_score=y_score, groups=groups, documents=documents)
    scores = read_numbers(y_score, "y_score", function).ravel()
    queries, query_names = _read_words(groups, len(scores), "groups", function)
    items, names = _read_words(documents, len(scores), "documents", function)
    [tag] = _check_words([tag], "tag", function)
    retrieved = np.flatnonzero(scores != -np.inf)
    bad = ~np.isfinite(scores[retrieved])
    if bad.any():
        fail("y_score", function, "be finite, or -inf where not retrieved", scores[retrieved][bad][0])
    values = scores.astype(np.float64)
    order = retrieved[np.lexsort((-items[retrieved], -values[retrieved], queries[retrieved]))]
    _check_once(queries[order], items[order], query_names, names, function)
    starts = np.searchsorted(queries[order], queries[order])
    ranks = np.arange(1, len(order) + 1) - starts
    columns = (queries[order].tolist(), items[order].tolist(), ranks.tolist(), values[order].tolist())
    lines = [
        f"{query_names[query]} Q0 {names[item]} {rank} {score!r} {tag}\n"
        for query, item, rank, score in zip(*columns)
    ]
    _write(lines, path, function)


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
    function = "to_qrels"
    check_same_order(function, y_true=y_true, groups=groups, documents=documents)
    labels = read_numbers(y_true, "y_true", function).ravel().astype(np.float64)
    queries, query_names = _read_words(groups, len(labels), "groups", function)
    items, names = _read_words(documents, len(labels), "documents", function)
    if np.isinf(labels).any():
        fail("y_true", function, "be finite, or NaN where not judged", labels[np.isinf(labels)][0])
    order = np.flatnonzero(labels == labels)
    order = order[np.lexsort((items[order], queries[order]))]
    _check_once(queries[order], items[order], query_names, names, function)
    columns = (queries[order].tolist(), items[order].tolist(), labels[order].tolist())
    lines = [
        f"{query_names[query]} 0 {names[item]} {int(grade) if grade == int(grade) else repr(grade)}\n"
        for query, item, grade in zip(*columns)
    ]
    _write(lines, path, function)


def _read_words(ids: Ids, n_rows: int, parameter: str, function: str) -> tuple[np.ndarray, list[str]]:
    """Return the place of each id among all, as text, and these texts in the order of trec_eval."""
    rank_ids(check_groups(ids, n_rows, function, parameter))  # one per row, none missing
    found = read_ids(as_objects(ids) if isinstance(ids, list | tuple) else ids, parameter, function)
    words = _check_words(found.names.tolist(), parameter, function)
    names = np.array(words, dtype=object)
    ranks = rank_ids(check_groups(words, len(words), function, parameter))
    return ranks[found.codes], names[first_rows(ranks)].tolist()


def _check_words(ids: list[Ids], parameter: str, function: str) -> list[str]:
    """Return ids as the words of a line."""
    words = [str(each) for each in ids]
    for word in words:
        if word.encode("utf-8", "replace").split() != [word.encode("utf-8", "replace")] or "\0" in word:
            fail(parameter, function, "be words without blanks or null bytes", repr(word))
    return words


def _check_once(
    queries: np.ndarray, items: np.ndarray, query_names: list[str], names: list[str], function: str
) -> None:
    """Check that no document is there twice in a query."""
    order = np.lexsort((items, queries))
    queries, items = queries[order], items[order]
    again = np.flatnonzero((queries[1:] == queries[:-1]) & (items[1:] == items[:-1]))
    if len(again):
        got = f"{names[items[again[0]]]!r} of the query {query_names[queries[again[0]]]!r} again"
        fail("documents", function, "name each document once per query", got)


def _write(lines: list[str], path: object, function: str) -> None:
    """Write lines to a path or into an open file."""
    if hasattr(path, "write"):
        _write_into(lines, path)
        return
    if not (isinstance(path, str) or hasattr(path, "__fspath__")):
        fail("path", function, "be a path or an open binary file", repr(path))
    with open(path, "wb") as file:
        if str(path).endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                _write_into(lines, packed)
        else:
            _write_into(lines, file)


def _write_into(lines: list[str], file: Any) -> None:
    for start in range(0, len(lines), CHUNK):
        file.write("".join(lines[start : start + CHUNK]).encode())
