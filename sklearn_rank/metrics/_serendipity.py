"""How unexpected the relevant items of the top-k lists are."""

from __future__ import annotations

from typing import Any, Required, Unpack, overload

import numpy as np

from .._checks.types import ArrayLike, Average, ListTieRule, ResponseMethod
from . import _scorers
from ._beside import compute_beside
from ._beside_table import Tables
from ._history import History, check_pair, read_history
from ._list_rows import ListRows, add_list_metric
from ._options import ListOptions
from ._requests import Given
from ._scorers.list_factories import build_list_scorer
from ._table import Ratio


class SerendipityOptions(ListOptions, total=False):
    """What `serendipity_score` takes by name beside `average`."""

    X: Required[Any]
    history: Required[History]
    min_relevance: float


@overload
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
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def serendipity_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[SerendipityOptions]
) -> np.ndarray: ...
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
    given, tables = (
        Given(None, y_score, groups, sample_weight),
        Tables(features=X, history=history, labels=y_true),
    )
    rules = {"average": average, "zero_division": zero_division}
    options = {"k": k, "min_relevance": min_relevance, "ties": ties}
    scores: float | np.ndarray = compute_beside(SERENDIPITY, given, tables, rules, **options)
    return scores


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


def serendipity_scorer(
    *,
    k: int,
    history: tuple[Any, ArrayLike],
    columns: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.ListScorer:
    """Make a scorer of how unexpected the relevant items of the top `k` are.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    columns : list, default=None
        The columns of X that are features of the item: names of a frame, numbers of an array; None for all.
    history : tuple (features, ids)
        Features of what users had before, of shape (n_past_rows, n_features), and the query id of each.
    min_relevance, ties, zero_division, average
        As in :func:`serendipity_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import serendipity_scorer
    >>> history = [[1, 0], [0, 1]], ["ann", "bob"]
    >>> serendipity_scorer(k=10, columns=["rock", "jazz"], history=history).describe()
    "serendipity_scorer(columns=['rock', 'jazz'], k=10, history=([[1, 0], [0, 1]], ['ann', 'bob']))"
    """
    check_pair(history, "serendipity_scorer")
    return build_list_scorer(
        SERENDIPITY,
        columns,
        groups,
        response_method,
        k=k,
        history=history,
        min_relevance=min_relevance,
        ties=ties,
        zero_division=zero_division,
        average=average,
    )


SERENDIPITY = add_list_metric(
    "serendipity",
    _serendipity,
    serendipity_score,
    serendipity_scorer,
    "features",
    "history",
    "labels",
    upper=2.0,
)
