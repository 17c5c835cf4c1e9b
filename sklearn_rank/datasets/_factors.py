"""Rows of labels, scores and user ids from the factors of users and items."""

from typing import Any

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory
from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.options import check_flag, check_options
from .._checks.types import Labels, Scores
from ._score_matrix import CHUNK_CELLS, collect_rows, read_matrix


@explain_parameters
def from_factors(
    relevant: Labels,
    user_factors: Scores,
    item_factors: Scores,
    *,
    k: int,
    seen: object = None,
    return_items: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Convert relevant items and factors of users and items to labels, scores and user ids.

    A score is the dot product of a user's and an item's factors. The result is that of
    :func:`from_score_matrix` for ``user_factors @ item_factors.T``, but only a part of this matrix is in
    memory at a time.

    Parameters
    ----------
    relevant : {ndarray, sparse matrix} of shape (n_users, n_items)
        As in :func:`from_score_matrix`.
    user_factors : ndarray of shape (n_users, n_factors)
        Factors, or embeddings, of the users.
    item_factors : ndarray of shape (n_items, n_factors)
        Factors, or embeddings, of the items. For biases, add a column of ones to one matrix and a column of
        biases to the other.
    k : int
        Largest cutoff of the metrics, as in :func:`from_score_matrix`.
    seen, return_items, return_missed
        As in :func:`from_score_matrix`.

    Returns
    -------
    y_true, y_score, groups : ndarray of shape (n_rows,)
        Grade, score and user of each pair, in the order of the rows. Users are row numbers, or the index of a
        pandas frame. Scores of float32 factors are float32.
    items, missed : ndarray of shape (n_rows,), and Missed
        As in :func:`from_score_matrix`.

    Raises
    ------
    ValueError
        If the shapes or the indexes of frames do not match, if a factor is not finite, or if items tied with
        the k-th one lead to more than 10,000,000 rows and are not counted in `missed`.

    See Also
    --------
    from_score_matrix : Convert a matrix of scores. Its notes list metrics that need all pairs.

    Examples
    --------
    >>> from sklearn_rank import from_factors
    >>> relevant = [[0, 0, 1], [1, 0, 0]]
    >>> user_factors, item_factors = [[1, 0], [0, 1]], [[3, 1], [2, 2], [1, 3]]
    >>> y_true, y_score, groups = from_factors(relevant, user_factors, item_factors, k=2)
    >>> y_true, y_score
    (array([0., 0., 1., 1., 0., 0.]), array([  3.,   2., -inf, -inf,   2.,   3.]))
    """
    check_flag(return_items, "return_items")
    check_flag(return_missed, "return_missed")
    check_options(k=k)
    if k is None:
        fail("k", "be an int >= 1", None)
    given = {"user_factors": user_factors, "relevant": relevant} | ({} if seen is None else {"seen": seen})
    check_in_memory(**given, item_factors=item_factors)
    check_same_order(**given)
    users, items = _read_factors("user_factors", user_factors), _read_factors("item_factors", item_factors)
    if users.shape[1] != items.shape[1]:
        rule = f"have as many columns as 'user_factors' ({users.shape[1]} columns)"
        fail("item_factors", rule, f"{items.shape[1]} columns")
    shape = len(users), len(items)
    matrices = {name: read_matrix(name, given[name]) for name in list(given)[1:]}
    for name, matrix in matrices.items():
        if matrix.shape != shape:
            fail(name, f"be a matrix with a cell per user and item, {shape}", matrix.shape, "Pass all cells.")
    step = max(1, CHUNK_CELLS // max(1, len(items)))
    chunks = (slice(first, first + step) for first in range(0, max(len(users), 1), step))
    parts = (
        {name: each[chunk] for name, each in matrices.items()} | {"scores": users[chunk] @ items.T}
        for chunk in chunks
    )
    return collect_rows(parts, given, k, len(items), return_items, return_missed)


def _read_factors(name: str, factors: Scores) -> np.ndarray:
    """Return finite factors as a matrix of floats."""
    found = np.asarray(read_matrix(name, factors))
    found = found if found.dtype.kind == "f" else found.astype(np.float64)
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0]
        fail(name, "be finite", f"{found[row, column]} in row {row} and column {column}")
    return found
