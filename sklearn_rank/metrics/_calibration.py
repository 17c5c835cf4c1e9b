"""Whether the genres of the top-k lists are those of the user's history."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.errors import fail
from .._checks.types import ArrayLike, Discount, ListTieRule, PlainAverage
from ._compute import compute_beside
from ._factory import LISTS, add_metric
from ._history import History, check_pair, read_history
from ._list_rows import ListRows
from ._table import Options, Ratio

CHUNK_QUERIES = 2**12  # whose distributions are dense at once


def calibration_loss(
    X: Any,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    history: History,
    k: int | None = None,
    smoothing: float = 0.01,
    discount: Discount = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """How far the genres of each top k are from those of the user's history: lower is closer.

    The Kullback-Leibler divergence of the two distributions over genres. With ``ties="average"`` it is that
    of the mean distribution over all lists, and no mean over lists.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        How much the item in each row is of each genre, >= 0; rows are scaled to the sum 1.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    history : tuple (features, ids), mapping or pandas.DataFrame
        What the user of each query had before: features of those items, of shape (n_past_rows, n_features),
        and the query id of each; or features by query id, one row per query.
    k : int, default=None
        Cutoff >= 1; None for all items retrieved.
    smoothing : float, default=0.01
        Which share of the list's distribution is taken from the history, in (0, 1): without it one genre that
        the list lacks makes the loss infinite.
    discount : {"log2", "reciprocal"}, callable or None, default=None
        Weight of a rank, as in :func:`dcg_score`; None counts every place in the top k alike.
    ties : {"average", "order"}, default="average"
        Equal scores share the weight of their ranks, or stand in the order of the rows.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query with no item, or no history, that has a genre; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, -log(smoothing)], in nats: 0 if the list has the genres of the history in their shares; lower
        is better, and its scorer negates it. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Steck, "Calibrated recommendations", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import calibration_loss
    >>> drama, comedy = [1, 0], [0, 1]
    >>> history = [drama, drama, drama, comedy], ["ann"] * 4
    >>> X, users = [drama, comedy, drama], ["ann"] * 3
    >>> calibration_loss(X, [3, 2, 1], groups=users, history=history, k=1)
    0.93...
    >>> calibration_loss(X, [3, 2, 1], groups=users, history=history, k=3)
    0.01...
    """
    return compute_beside(CALIBRATION, **locals())


def _calibration(rows: ListRows, *, k: int | None, smoothing: float, discount: Any, ties: str) -> Ratio:
    """KL@k = sum over genres g of p(g) log(p(g) / q(g)), of history p and list q = (1 - s) q + s p."""
    from scipy import sparse

    lists, past = rows.lists(k, ties, discount), read_history(rows)
    genres = _share_out(rows.features, rows.arguments["features"], rows.function)
    before = _share_out(past.features, rows.arguments["history"], rows.function)
    n = lists.n_queries
    of_lists = sparse.csr_array((lists.share, (lists.codes, np.arange(rows.n_rows))), shape=(n, rows.n_rows))
    of_past = sparse.csr_array(
        (np.ones(len(past.codes)), (past.codes, past.rows)), shape=(n, before.shape[0])
    )
    values, defined = np.zeros(n), np.zeros(n, dtype=bool)
    for start in range(0, n, CHUNK_QUERIES):
        part = slice(start, start + CHUNK_QUERIES)
        q, p = _as_dense(of_lists[part] @ genres), _as_dense(of_past[part] @ before)
        sums = q.sum(axis=1, keepdims=True), p.sum(axis=1, keepdims=True)
        defined[part] = ((sums[0] > 0) & (sums[1] > 0)).ravel()
        q, p = (each / np.where(total > 0, total, 1) for each, total in zip((q, p), sums))
        values[part] = _diverge(p, q + smoothing * (p - q))  # p where they are equal
    return Ratio(values, 1, defined)


def _diverge(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Kullback-Leibler divergence of each row, which rounding does not make negative."""
    from scipy.special import rel_entr

    divergence: np.ndarray = np.maximum(rel_entr(p, q).sum(axis=1), 0.0)
    return divergence


def _share_out(features: Any, parameter: str, function: str) -> Any:
    """Scale rows to the sum 1, but for those that are all 0."""
    from sklearn.preprocessing import normalize

    from ._pair_similarities import scale_rows

    if features.min() < 0:
        fail(
            parameter, function, "hold no negative numbers: how much an item is of each genre", features.min()
        )
    return normalize(scale_rows(features), norm="l1")


def _as_dense(matrix: Any) -> np.ndarray:
    dense: np.ndarray = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense


def _check_scorer(function: str, options: Options) -> None:
    check_pair(options["history"], function)


CALIBRATION = add_metric(
    "calibration_loss",
    _calibration,
    calibration_loss,
    LISTS,
    needs=("features", "history"),
    check_scorer=_check_scorer,
    upper=np.inf,
    greater_is_better=False,
    own=("discount",),
)
neg_calibration_loss_scorer = CALIBRATION.factory
