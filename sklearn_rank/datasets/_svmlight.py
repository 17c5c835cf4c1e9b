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
from ._trec_files import Reading, is_file, open_file, remove_marks, unpack

DOCUMENT = re.compile(rb"\s*(?:doc_?id\s*[=:]\s*)?(\S+)", re.IGNORECASE)  # in a comment


@explain_parameters
def load_svmlight_ranking(
    path: object, *, n_features: int | None = None, return_items: bool = False
) -> tuple[Any, ...]:
    r"""Load features, labels and query ids from a file in the format of svmlight, such as LETOR's.

    Parameters
    ----------
    path : path or file
        Lines of ``label qid:1 1:0.5 2:0.3 # document``; may be packed by gzip. A file is open in binary mode.
    n_features : int, default=None
        The number of features, so that several files of one data set have the same; None for the highest.
    return_items : bool, default=False
        Return the document of each row too: the first word of its comment, or what follows ``docid =``.

    Returns
    -------
    X : sparse matrix of shape (n_rows, n_features)
        The features; ``X.toarray()`` is dense.
    y : ndarray of shape (n_rows,)
        The labels.
    groups : ndarray of shape (n_rows,)
        The query ids.
    documents : ndarray of shape (n_rows,)
        The ids of documents, text; only with ``return_items=True``.

    Raises
    ------
    ValueError
        If a line is not of this format, has no qid, or no document where it is asked for.

    See Also
    --------
    sklearn.datasets.load_svmlight_file : The reader of features, labels and ids.

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
        check_count(n_features, 1, "n_features", ", or None")
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
        reading.reject("have rows with a qid", "none")
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
            reading.reject("name the document of each line in a comment", "none", line, text)
        documents.append(found[1].decode("utf-8", "surrogateescape"))
    return as_array(documents)


def _reject_line(data: bytes, reading: Reading, why: str) -> NoReturn:
    """Raise an error with the first line that scikit-learn cannot read."""
    lines = list(_list_rows(data))
    rows = [text for _, text in lines]
    place = bisect_left(range(1, len(rows)), True, key=lambda n: not _is_read(b"\n".join(rows[:n])))
    line, text = lines[place] if lines else (None, b"")
    reading.reject("be in the format of svmlight", f"what scikit-learn does not read ({why})", line, text)


def _is_read(text: bytes) -> bool:
    try:
        load_svmlight_file(io.BytesIO(text), query_id=True)
    except (ValueError, OverflowError):
        return False
    return True
