"""Top-k lists compared with the history of users: serendipity and calibration."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order
from ..._checks.errors import fail
from ..._checks.groups import check_groups
from ..._checks.types import (
    ArrayLike,
    Average,
    Discount,
    Features,
    ListTieRule,
    Options,
    PlainAverage,
    Table,
    Values,
)
from .._compute import compute_beside
from .._factory import LISTS, add_metric
from .._prepared_input import is_by_id, show_index, take_by_id, take_ids, unique_groups
from .._table import Ratio
from .list_rows import ListRows, read_features

History: TypeAlias = Any  # (features, ids), or features by id
RULE = "be a tuple of features and ids, (X_past, users_past), or features by query id"
FIX = "Their order cannot be checked. Pass (features, ids), with the query id of each row."


class Past(NamedTuple):
    """Rows of the history that belong to a query."""

    features: Features  # of all rows
    rows: np.ndarray  # indices of rows that belong to a query
    codes: np.ndarray  # the query of each of these rows


def _is_pair(history: Table) -> bool:
    """Return whether the history is a pair of features and ids."""
    return isinstance(history, tuple) and len(history) == 2


def check_pair(options: Options) -> None:
    """Check the history of a scorer, whose queries are not known yet."""
    if not _is_pair(options["history"]):
        rule = "be a tuple of features and ids, (X_past, users_past): a scorer sees some of the queries"
        fail("history", rule, f"a {type(options['history']).__name__}")


def read_history(rows: ListRows) -> Past:
    """Return the features of the history, in the same format as those of the items, and their queries."""
    from scipy import sparse

    history, parameter = rows.tables.history, rows.arguments["history"]
    ids = unique_groups(rows.groups)
    pair = _is_pair(history)
    if not (pair or is_by_id(history)):
        fail(parameter, RULE, f"a {type(history).__name__} of one row per query{show_index(history)}", FIX)
    features = read_features(history[0] if pair else take_by_id(history, ids, parameter), parameter)
    n_features = rows.features.shape[1]
    if features.shape[1] != n_features:
        fail(parameter, f"have the {n_features} features of the items", features.shape[1])
    if sparse.issparse(rows.features) and not sparse.issparse(features):
        features = sparse.csr_array(features)
    elif sparse.issparse(features) and not sparse.issparse(rows.features):
        features = features.toarray()
    places = rows.queries.by_id(np.arange(len(ids)))  # position of each id among the queries
    if pair:
        return _match(features, history[1], ids, places, rows)
    return Past(features, np.arange(len(places)), places)


def _match(
    features: Features, of_rows: ArrayLike, ids: np.ndarray, places: np.ndarray, rows: ListRows
) -> Past:
    """Find the query of each row of the history."""
    parameter = rows.arguments["history"]
    check_same_order(**{parameter: rows.tables.history[0], f"ids of {parameter}": of_rows})
    codes = rank_ids(check_groups(of_rows, features.shape[0], parameter))
    names = take_ids(of_rows, np.unique(codes, return_index=True)[1])
    known = dict(zip(ids.tolist(), places.tolist()))
    found = np.array([known.get(name, -1) for name in names.tolist()])[codes]
    inside = np.flatnonzero(found >= 0)
    if not len(inside):
        fail(parameter, "have ids of 'groups'", f"{names.tolist()[0]!r}, and none of them")
    return Past(features, inside, found[inside])


@explain_parameters
def serendipity_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    X: Features,
    history: History,
    k: int | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """How unexpected the relevant items of each top k are to the user, averaged over queries.

    An item that is not relevant counts 0, another 1 less the mean cosine of its features with those of the
    items in the history; all are divided by the items in the list.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels: real, none of them NaN.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Features of the item in each row.
    history : tuple (features, ids), mapping or pandas.DataFrame
        What the user of each query had before: features of those items, of shape (n_past_rows, n_features),
        and the query id of each; or features by query id, one row per query.
    k : int, default=None
        Cutoff >= 1; None for all items retrieved.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order"}, default="average"
        Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query without a list or without a history; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 2], and in [0, 1] where no feature is negative; higher is better. nan, with a warning, if every
        query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Zhang, Ó Séaghdha, Quercia and Jambor, "Auralist: introducing serendipity into music recommendation",
    WSDM 2012, times relevance: Ge, Delgado-Battenfeld and Jannach, "Beyond accuracy: evaluating recommender
    systems by coverage and serendipity", RecSys 2010.

    Examples
    --------
    >>> from sklearn_rank.metrics import serendipity_score
    >>> rock, jazz = [1, 0], [0, 1]
    >>> history = [rock, rock], ["ann", "ann"]
    >>> serendipity_score([1, 1], [2, 1], groups=["ann", "ann"], X=[rock, jazz], history=history)
    0.5
    """
    return compute_beside(SERENDIPITY, **locals())


def _serendipity(rows: ListRows, *, k: int | None, min_relevance: float, ties: str) -> Ratio:
    """Serendipity@k = mean over the top k of relevance (1 - mean cosine with the items of the history)."""
    from scipy import sparse

    from .pair_similarities import CHUNK_ROWS, dot_rows, unit_rows

    lists, past = rows.lists(k, ties), read_history(rows)
    counts = np.bincount(past.codes, minlength=lists.n_queries)
    before = sparse.csr_array(
        (1 / counts[past.codes], (past.codes, past.rows)), shape=(lists.n_queries, past.features.shape[0])
    )
    profiles = before @ unit_rows(past.features)  # mean cosine = product with the mean
    shown = np.flatnonzero((lists.share > 0) & (rows.labels >= min_relevance))
    gains = np.zeros(rows.n_rows)
    for start in range(0, len(shown), CHUNK_ROWS):
        part = shown[start : start + CHUNK_ROWS]
        gains[part] = 1 - dot_rows(unit_rows(rows.features[part]), profiles[lists.codes[part]])
    sums, n_shown, is_shown = lists.mean(gains)
    return Ratio(sums, n_shown, is_shown & (counts > 0))


SERENDIPITY = add_metric(
    "serendipity",
    _serendipity,
    serendipity_score,
    LISTS,
    needs=("features", "history", "labels"),
    check_scorer=check_pair,
    upper=2.0,
)

CHUNK_QUERIES = 2**12  # queries whose distributions are dense at once


@explain_parameters
def calibration_loss(
    X: Features,
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


def _calibration(rows: ListRows, *, k: int | None, smoothing: float, discount: Values, ties: str) -> Ratio:
    """KL@k = sum over genres g of p(g) log(p(g) / q(g)), of history p and list q = (1 - s) q + s p."""
    from scipy import sparse
    from scipy.special import rel_entr

    lists, past = rows.lists(k, ties, discount), read_history(rows)
    genres = _share_out(rows.features, rows.arguments["features"])
    before = _share_out(past.features, rows.arguments["history"])
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
        divergence = rel_entr(p, q + smoothing * (p - q)).sum(axis=1)  # exactly 0 if p and q are equal
        values[part] = np.maximum(divergence, 0.0)  # rounding must not make it negative
    return Ratio(values, 1, defined)


def _share_out(features: Features, parameter: str) -> Any:
    """Scale rows to the sum 1, except rows of zeros."""
    from sklearn.preprocessing import normalize

    from .pair_similarities import scale_rows

    if features.min() < 0:
        fail(parameter, "hold no negative numbers: how much an item is of each genre", features.min())
    return normalize(scale_rows(features), norm="l1")


def _as_dense(matrix: Values) -> np.ndarray:
    dense: np.ndarray = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense


CALIBRATION = add_metric(
    "calibration_loss",
    _calibration,
    calibration_loss,
    LISTS,
    needs=("features", "history"),
    check_scorer=check_pair,
    upper=np.inf,
    greater_is_better=False,
    own=("discount",),
)
