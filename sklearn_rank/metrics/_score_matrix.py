"""From a matrix of scores of users and items to labels, scores and groups by row."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, issparse

from .._data import check_same_columns, check_same_order
from .._options import check_flag
from .._validation import exact_floats, fail, read_array
from ._recommendations import look_up


def from_score_matrix(
    scores: Any, relevant: Any, *, seen: Any = None, return_items: bool = False
) -> tuple[np.ndarray, ...]:
    """Turn a matrix of scores of users and items into labels, scores and user ids by row.

    Parameters
    ----------
    scores : {ndarray, sparse matrix} of shape (n_users, n_items)
        Predicted scores. Of a sparse matrix the stored entries were retrieved, the others not.
    relevant : {ndarray, sparse matrix} of shape (n_users, n_items)
        Grades; 0 where not relevant.
    seen : {ndarray, sparse matrix} of shape (n_users, n_items), default=None
        Not 0 where a user knew the item before: such pairs are left out, relevant or not.
    return_items : bool, default=False
        Return the item of each row too.

    Returns
    -------
    y_true, y_score, groups : ndarray of shape (n_rows,)
        Grade, score and user of each pair: all of a dense matrix; of a sparse one those stored and, with
        score -inf, the relevant ones among the others.
    items : ndarray of shape (n_rows,)
        The item, a column number; only with ``return_items=True``.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> from sklearn_rank import from_score_matrix, ndcg_score
    >>> scores, relevant, seen = [[3, 2, 1]], [[1, 0, 1]], [[1, 0, 0]]
    >>> y_true, y_score, groups = from_score_matrix(scores, relevant, seen=seen)
    >>> y_true, y_score
    (array([0., 1.]), array([2., 1.]))
    """
    function = "from_score_matrix"
    check_flag(return_items, "return_items", function)
    given = {"scores": scores, "relevant": relevant} | ({} if seen is None else {"seen": seen})
    check_same_order(function, **given)
    check_same_columns(function, **given)
    matrices = {name: _matrix(function, name, matrix) for name, matrix in given.items()}
    shape = matrices["scores"].shape
    for name, matrix in matrices.items():
        if matrix.shape != shape:
            fail(name, function, f"have the shape of 'scores', {shape}", matrix.shape)
    cells, values = _cells(matrices["scores"])
    wanted, grades = _cells(matrices["relevant"])
    order = np.argsort(wanted)
    wanted, grades = wanted[order], grades[order]
    wanted, grades = wanted[grades != 0], grades[grades != 0]
    missed = wanted[~np.isin(wanted, cells)]
    cells = np.concatenate((cells, missed))
    values = np.concatenate((values, np.full(len(missed), -np.inf)))
    if seen is not None:
        known, marks = _cells(matrices["seen"])
        new = ~np.isin(cells, known[marks != 0])
        cells, values = cells[new], values[new]
    result = (look_up(cells, wanted, grades), values, cells // shape[1])
    return (*result, cells % shape[1]) if return_items else result


def _matrix(function: str, name: str, matrix: Any) -> Any:
    """Return a matrix of users and items, dense or in coordinates."""
    if isinstance(matrix, np.ma.MaskedArray):
        fail(name, function, "not have a mask", "a MaskedArray")
    rule = "be a matrix of numbers, users by items"
    found = matrix if issparse(matrix) else read_array(matrix, name, function, rule)
    if found.ndim != 2 or found.dtype.kind not in "biuf":
        fail(name, function, rule, f"{found.dtype} of shape {found.shape}")
    if issparse(matrix):
        found = coo_array(matrix, copy=True)
        found.sum_duplicates()
    return found


def _cells(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the position and the value of each entry, row by row."""
    if issparse(matrix):
        return matrix.row.astype(np.int64) * matrix.shape[1] + matrix.col, exact_floats(matrix.data)
    return np.arange(matrix.size), exact_floats(matrix.ravel())
