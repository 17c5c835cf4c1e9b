"""How unexpected the relevant items of the top-k lists are."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.types import ArrayLike, Average, ListTieRule
from ._compute import compute_beside
from ._factory import LISTS, add_metric
from ._history import History, check_pair, read_history
from ._list_rows import ListRows
from ._table import Options, Ratio


def serendipity_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    X: Any,
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

    from ._pair_similarities import CHUNK_ROWS, dot_rows, unit_rows

    lists, past = rows.lists(k, ties), read_history(rows)
    counts = np.bincount(past.codes, minlength=lists.n_queries)
    before = sparse.csr_array(
        (1 / counts[past.codes], (past.codes, past.rows)), shape=(lists.n_queries, past.features.shape[0])
    )
    profiles = before @ unit_rows(past.features)  # the mean cosine with unit vectors is one with their mean
    shown = np.flatnonzero((lists.share > 0) & (rows.labels >= min_relevance))
    gains = np.zeros(rows.n_rows)
    for start in range(0, len(shown), CHUNK_ROWS):
        part = shown[start : start + CHUNK_ROWS]
        gains[part] = 1 - dot_rows(unit_rows(rows.features[part]), profiles[lists.codes[part]])
    sums, n_shown, is_shown = lists.mean(gains)
    return Ratio(sums, n_shown, is_shown & (counts > 0))


def _check_scorer(function: str, options: Options) -> None:
    check_pair(options["history"], function)


SERENDIPITY = add_metric(
    "serendipity",
    _serendipity,
    serendipity_score,
    LISTS,
    needs=("features", "history", "labels"),
    check_scorer=_check_scorer,
    upper=2.0,
)
serendipity_scorer = SERENDIPITY.factory
