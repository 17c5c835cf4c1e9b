"""Top-k lists compared with the history of users: serendipity and calibration."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order
from ..._checks.errors import fail
from ..._checks.groups import check_groups, take_ids
from ..._checks.types import ArrayLike, Average, Discount, Features, ListTieRule, PlainAverage, Values
from .._compute import compute_with_inputs
from .._factory import LISTS, add_metric
from .._prepared_input import is_by_id, show_index, take_by_id, unique_groups
from .._table import Ratio
from .list_rows import PASS_PAIR, ListRows, is_pair, read_features

History: TypeAlias = Any  # (features, ids), or features by id
RULE = "be a tuple (features, ids), or a table of features by query id"


class Past(NamedTuple):
    """Rows of the history that belong to a query."""

    features: Features  # of all rows
    rows: np.ndarray  # indices of rows that belong to a query
    codes: np.ndarray  # the query of each of these rows


def read_history(rows: ListRows) -> Past:
    """Return the features of the history, in the format of the item features, and their queries."""
    from scipy import sparse

    history, parameter = rows.tables.history, rows.arguments["history"]
    ids = unique_groups(rows.groups)
    pair = is_pair(history)
    if not (pair or is_by_id(history)):
        fail(parameter, RULE, f"a {type(history).__name__}{show_index(history)}", PASS_PAIR)
    features = read_features(history[0] if pair else take_by_id(history, ids, parameter), parameter)
    n_features = rows.features.shape[1]
    if features.shape[1] != n_features:
        rule = f"have the same features as the items ({n_features} features)"
        fail(parameter, rule, f"{features.shape[1]} features")
    if sparse.issparse(rows.features) and not sparse.issparse(features):
        features = sparse.csr_array(features)
    elif sparse.issparse(features) and not sparse.issparse(rows.features):
        features = features.toarray()
    indices = rows.queries.by_id(np.arange(len(ids)))  # position of each id among the queries
    if pair:
        return _match(features, history[1], ids, indices, rows)
    return Past(features, np.arange(len(indices)), indices)


def _match(
    features: Features, of_rows: ArrayLike, ids: np.ndarray, indices: np.ndarray, rows: ListRows
) -> Past:
    """Find the query of each row of the history."""
    parameter = rows.arguments["history"]
    check_same_order(**{parameter: rows.tables.history[0], f"ids of {parameter}": of_rows})
    codes = rank_ids(check_groups(of_rows, features.shape[0], parameter))
    names = take_ids(of_rows, np.unique(codes, return_index=True)[1])
    known = dict(zip(ids.tolist(), indices.tolist()))
    found = np.array([known.get(name, -1) for name in names.tolist()])[codes]
    inside = np.flatnonzero(found >= 0)
    if not len(inside):
        fix = "Pass the query id of each row of the history, of the same type as in 'groups'."
        fail(parameter, "contain ids of 'groups'", f"only other ids, such as {names.tolist()[0]!r}", fix)
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
    """Compute the serendipity of each top k and average it over queries.

    A relevant item counts as 1 minus its mean cosine similarity to the items in the user's history, and any
    other item as 0. The sum is divided by the number of items in the list.

    Source: Zhang, Ó Séaghdha, Quercia and Jambor, "Auralist: introducing serendipity into music
    recommendation", WSDM 2012. With relevance as a factor: Ge, Delgado-Battenfeld and Jannach, "Beyond
    accuracy: evaluating recommender systems by coverage and serendipity", RecSys 2010.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels: finite, without NaN.
    y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Features of the item in each row.
    history : tuple (features, ids), mapping or pandas.DataFrame
        Past items of the user of each query: their features, of shape (n_past_rows, n_features), and the
        query id of each row; or features by query id, with one row per query.
    min_relevance, average
        As in :func:`map_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query without a list or without a history. If `nan`, such queries are excluded from the
        mean.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 2, and at most 1 if all features are non-negative; higher is better. If every query is
        excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import serendipity_score
    >>> rock, jazz = [1, 0], [0, 1]
    >>> history = [rock, rock], ["ann", "ann"]
    >>> serendipity_score([1, 1], [2, 1], groups=["ann", "ann"], X=[rock, jazz], history=history)
    0.5
    """
    return compute_with_inputs(SERENDIPITY, **locals())


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


SERENDIPITY = add_metric(_serendipity, serendipity_score, LISTS, upper=2.0)

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
    """Compute the divergence of the genres in each top k from the user's history and average it over queries.

    The loss is the Kullback-Leibler divergence between the two distributions over genres. With
    ``ties="average"``, the distribution of the list is the mean over all lists.

    Source: Steck, "Calibrated recommendations", RecSys 2018.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Weight of each genre in the item of each row, at least 0. Rows are scaled to the sum 1.
    y_score, groups, k
        As in :func:`catalog_coverage_score`.
    history, sample_weight
        As in :func:`serendipity_score`.
    smoothing : float, default=0.01
        Share of the list's distribution that is replaced by the history, above 0 and below 1. Without it, a
        genre that is missing in the list would make the loss infinite.
    discount : {"log2", "reciprocal"}, callable or None, default=None
        Weight of a rank, as in :func:`dcg_score`. If `None`, all ranks in the top k have the same weight.
    ties : {"average", "order"}, default="average"
        How to rank items with equal scores: "average" shares the weight of their ranks equally, "order" keeps
        them in row order.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query in which no item of the list, or of the history, has a genre. If `nan`, such queries
        are excluded from the mean.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In nats, between 0 (genres have the same shares in list and history) and -log(smoothing); lower is
        better, and the scorer negates it. If every query is excluded, `nan` is returned with a warning.

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
    return compute_with_inputs(CALIBRATION, **locals())


def _calibration(rows: ListRows, *, k: int | None, smoothing: float, discount: Values, ties: str) -> Ratio:
    """KL@k = sum over genres of p log(p / q'), where q' = (1 - s) q + s p for history p and list q."""
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
        fix = "Each feature is the weight of a genre in an item."
        fail(parameter, "contain non-negative features", features.min(), fix)
    return normalize(scale_rows(features), norm="l1")


def _as_dense(matrix: Values) -> np.ndarray:
    dense: np.ndarray = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense


CALIBRATION = add_metric(_calibration, calibration_loss, LISTS, upper=np.inf)
