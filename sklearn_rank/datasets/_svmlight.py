"""Features, labels and query ids from files in svmlight format, such as LETOR and MSLR."""

import io
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import vstack
from sklearn.datasets import load_svmlight_file

from .._checks import explain_parameters
from .._checks.codes import as_array
from .._checks.errors import check_count, fail
from .._checks.options import check_flag
from ._file_bytes import Reading, is_file, open_file, remove_marks, unpack

DOCUMENT = re.compile(rb"\s*(?:doc_?id\s*[=:]\s*)?(\S+)", re.IGNORECASE)  # in a comment


@explain_parameters
def load_svmlight_ranking(
    path: object,
    *,
    sizes: object = None,
    n_features: int | None = None,
    return_items: bool = False,
    return_source: bool = False,
) -> tuple[Any, ...]:
    r"""Load features, labels and query ids from files in svmlight format, such as those of LETOR.

    Parameters
    ----------
    path : path, file or list of these
        File with lines such as ``label qid:1 1:0.5 2:0.3 # document``, optionally gzipped. Open files must be
        in binary mode. The rows of several files, such as those of a fold, are concatenated.
    sizes : path, file or list of these, default=None
        File with the number of rows of each query, such as ``rank.test.query`` of LightGBM and the ``.group``
        files of XGBoost, if lines have no qid. The query ids are then numbers from 0, in all files together.
    n_features : int, default=None
        Number of features. If `None`, it is the highest feature number in the files.
    return_items : bool, default=False
        Whether to also return the document of each row: the word after ``docid =`` in the comment of the
        line, or the first word of the comment.
    return_source : bool, default=False
        Whether to also return the index of the file of each row, from 0.

    Returns
    -------
    X : sparse matrix of shape (n_rows, n_features)
        Features; for a dense array, call ``X.toarray()``.
    y : ndarray of shape (n_rows,)
        Labels.
    groups : ndarray of shape (n_rows,)
        Query ids.
    documents : ndarray of shape (n_rows,)
        Document ids as text; only with ``return_items=True``.
    source : ndarray of shape (n_rows,)
        Index of the file in `path`; only with ``return_source=True``. For the files of training, validation
        and test set, ``PredefinedSplit(source[source < 2] - 1)`` trains on the first and scores the second.

    Raises
    ------
    ValueError
        If a line has another format or no qid, if a query is in two files, if the sum of `sizes` is not the
        number of rows, or if ``return_items=True`` and a line has no document.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank.datasets import load_svmlight_ranking
    >>> file = io.BytesIO(b"2 qid:7 1:0.5 2:1 # docid = a\n0 qid:7 2:0.25 # docid = b\n")
    >>> X, y, groups, documents = load_svmlight_ranking(file, return_items=True)
    >>> y, groups, documents
    (array([2., 0.]), array([7, 7]), array(['a', 'b'], dtype='<U1'))
    """
    check_flag(return_items, "return_items")
    check_flag(return_source, "return_source")
    if n_features is not None:
        check_count(n_features, 1, "n_features", " or None")
    files = _list_files(path, "path")
    of_sizes = [None] * len(files) if sizes is None else _list_files(sizes, "sizes")
    if len(of_sizes) != len(files):
        fail("sizes", f"have a file for each file of 'path' ({len(files)})", f"{len(of_sizes)}")
    parts = [_read_file(*each, return_items) for each in zip(files, of_sizes)]
    matrices, labels, ids, *documents, names = (list(column) for column in zip(*parts))
    if sizes is not None:
        starts = np.cumsum([0, *(1 + each[-1] for each in ids)])
        ids = [each + start for each, start in zip(ids, starts)]
    _check_distinct(ids, names)
    rows = _stack(matrices, n_features), *map(np.concatenate, (labels, ids, *documents))
    source = np.repeat(np.arange(len(files)), list(map(len, labels)))
    return (*rows, source) if return_source else rows


def _list_files(given: object, parameter: str) -> list[Any]:
    files = list(given) if isinstance(given, list | tuple) else [given]
    if not files or not all(map(is_file, files)):
        fail(parameter, "be a path, an open file, or a list of these", f"{given!r:.60}")
    return files


def _read_file(path: Any, sizes: Any, return_items: bool) -> tuple[Any, ...]:
    """Return features by their numbers in the file, labels, query ids, documents and the name of the file."""
    with open_file(path, "path") as (file, reading):
        data = remove_marks(b"".join(unpack(file, reading)))
    try:
        X, y, groups = load_svmlight_file(io.BytesIO(data), query_id=True, zero_based=True)
    except (ValueError, OverflowError) as error:
        _reject_line(data, reading, str(error))
    if sizes is not None:
        if len(groups):
            fail("sizes", "be left out if lines have a qid", f"a file for {reading.name}, which has a qid")
        groups = _read_sizes(sizes, len(y))
    if len(groups) != len(y) or not len(y):
        for line, text in _list_rows(data):
            if not re.search(rb"\sqid:", text.partition(b"#")[0]):
                fix = "If a file has the sizes of the queries, pass sizes=path."
                reading.reject("have a qid in each line", "none", line, text, fix)
        reading.reject("contain rows with a qid", "none")
    documents = [_read_documents(data, reading)] if return_items else []
    return X, y, groups, *documents, reading.name


def _read_sizes(sizes: Any, n_rows: int) -> np.ndarray:
    """Return the number of the query of each row, from 0."""
    with open_file(sizes, "sizes") as (file, reading):
        lines = remove_marks(b"".join(unpack(file, reading))).split(b"\n")
    for line, text in enumerate(lines):
        if text.strip() and not re.fullmatch(rb"\s*\d{1,18}\s*", text):
            reading.reject("have an integer >= 0 in each line", "none", line, text)
    numbers = [int(text) for text in lines if text.strip()]
    if sum(numbers) != n_rows:
        got = f"a sum of {sum(numbers)}"
        reading.reject(f"have the number of rows of each query, in all {n_rows} rows", got)
    return np.repeat(np.arange(len(numbers)), numbers)


def _check_distinct(ids: list[np.ndarray], names: list[str]) -> None:
    """Check that no query is in two files."""
    for (one, known), (other, new) in combinations(zip(names, map(np.unique, ids)), 2):
        if len(both := np.intersect1d(known, new)):
            got = f"query {both[0]} in {one} and {other}"
            fail("path", "contain each query in one file", got, "Load one fold at a time.")


def _stack(matrices: list[Any], n_features: int | None) -> Any:
    """Concatenate features; their numbers are from 1, unless a file has the number 0."""
    if all(X.nnz and X.indices.min() > 0 for X in matrices):
        for X in matrices:
            X.indices -= 1
    highest = max(int(X.indices.max(initial=0)) for X in matrices) + 1
    if n_features is not None and n_features < highest:
        fail("n_features", f"be None or at least {highest}, the number of features in the files", n_features)
    for X in matrices:
        X.resize(X.shape[0], n_features or highest)
    return vstack(matrices, format="csr") if len(matrices) > 1 else matrices[0]


def _list_rows(data: bytes) -> Iterator[tuple[int, bytes]]:
    """List the lines that contain a row, with their numbers from 0."""
    for line, text in enumerate(data.split(b"\n")):
        if text.partition(b"#")[0].strip():
            yield line, text


def _read_documents(data: bytes, reading: Reading) -> np.ndarray:
    """Return the document of each row."""
    documents = []
    for line, text in _list_rows(data):
        found = DOCUMENT.match(text.partition(b"#")[2])
        if not found:
            reading.reject("have the document of each line in a comment", "none", line, text)
        documents.append(found[1].decode("utf-8", "surrogateescape"))
    return as_array(documents)


def _reject_line(data: bytes, reading: Reading, why: str) -> NoReturn:
    """Raise an error with the first line that scikit-learn cannot read."""
    lines = list(_list_rows(data))
    rows = [text for _, text in lines]
    place = bisect_left(range(1, len(rows)), True, key=lambda n: not _is_read(b"\n".join(rows[:n])))
    line, text = lines[place] if lines else (None, b"")
    reading.reject("be in svmlight format", f"an error of scikit-learn ({why})", line, text)


def _is_read(text: bytes) -> bool:
    try:
        load_svmlight_file(io.BytesIO(text), query_id=True)
    except (ValueError, OverflowError):
        return False
    return True
