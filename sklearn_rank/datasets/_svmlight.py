"""Features, labels and query ids from files in svmlight format, such as LETOR and MSLR."""

import io
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from sklearn.datasets import load_svmlight_file

from .._checks import explain_parameters
from .._checks.codes import as_array
from .._checks.errors import check_count, fail
from .._checks.options import check_flag
from ._file_bytes import Reading, is_file, open_file, remove_marks, unpack

DOCUMENT = re.compile(rb"\s*(?:doc_?id\s*[=:]\s*)?(\S+)", re.IGNORECASE)  # in a comment


@explain_parameters
def load_svmlight_ranking(
    path: object, *, n_features: int | None = None, return_items: bool = False
) -> tuple[Any, ...]:
    r"""Load features, labels and query ids from a file in svmlight format, such as those of LETOR.

    Parameters
    ----------
    path : path or file
        File with lines such as ``label qid:1 1:0.5 2:0.3 # document``, optionally gzipped. Open files must be
        in binary mode.
    n_features : int, default=None
        Number of features; set it to the same value for all files of a data set. If `None`, it is the highest
        feature number in the file.
    return_items : bool, default=False
        Whether to also return the document of each row: the word after ``docid =`` in the comment of the
        line, or the first word of the comment.

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

    Raises
    ------
    ValueError
        If a line has another format or no qid, or if ``return_items=True`` and a line has no document.

    See Also
    --------
    sklearn.datasets.load_svmlight_file : Load svmlight files without document ids.

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
    if n_features is not None:
        check_count(n_features, 1, "n_features", " or None")
    if not is_file(path):
        fail("path", "be a path or an open file", type(path).__name__)
    with open_file(path, "path") as (file, reading):
        data = remove_marks(b"".join(unpack(file, reading)))
    try:
        X, y, groups = load_svmlight_file(io.BytesIO(data), n_features=n_features, query_id=True)
    except (ValueError, OverflowError) as error:
        _reject_line(data, reading, str(error))
    if len(groups) != len(y) or not len(y):
        for line, text in _list_rows(data):
            if not re.search(rb"\sqid:", text.partition(b"#")[0]):
                reading.reject("have a qid in each line", "none", line, text)
        reading.reject("contain rows with a qid", "none")
    if not return_items:
        return X, y, groups
    return X, y, groups, _read_documents(data, reading)


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
