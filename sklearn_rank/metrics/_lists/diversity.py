"""What the top-k lists look like beyond accuracy: how alike their items are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks.types import ArrayLike, Average, Features, ListTieRule, PlainAverage, Values
from .._compute import compute_beside
from .._factory import LISTS, add_metric
from .._table import Ratio
from .list_rows import ListRows

Similarity: TypeAlias = Literal["cosine"] | Callable[[Any], Any]


def intra_list_similarity_score(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Mean similarity of the pairs of items in each top k, averaged over queries: lower is more diverse.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Features of the item in each row.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    k : int, default=None
        Cutoff >= 1; None for all items retrieved.
    similarity : {"cosine"} or callable, default="cosine"
        A callable gets the features of n items and returns their (n, n) similarities. It is called once per
        query, with the items that may be in its list: those tied at the cutoff too. Features that are all 0
        have cosine 0 to any other.
    ties : {"average", "order"}, default="average"
        Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query with fewer than two items; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [-1, 1] for the cosine; lower is more diverse, and its scorer negates it. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Ziegler, McNee, Konstan and Lausen, "Improving recommendation lists through topic diversification",
    WWW 2005; here as a mean, so that `k` does not change the scale.

    Examples
    --------
    >>> from sklearn_rank import intra_list_similarity_score
    >>> intra_list_similarity_score([[1, 0], [1, 0], [0, 1]], [3, 2, 1], groups=[0, 0, 0])
    0.33...
    """
    return compute_beside(INTRA_LIST_SIMILARITY, **locals())


def _intra_list_similarity(rows: ListRows, *, k: int | None, similarity: Values, ties: str) -> Ratio:
    """ILS@k = mean over the pairs of items in the top k of their similarity."""
    from .pair_similarities import sum_cosines, sum_similarities

    features, lists = rows.features, rows.lists(k, ties)
    n_items = np.rint(lists.sum())
    n_pairs = n_items * (n_items - 1) / 2
    sums = sum_similarities if callable(similarity) else sum_cosines
    return Ratio(sums(features, lists, similarity), n_pairs, n_pairs > 0)


def _diversity(rows: ListRows, *, k: int | None, similarity: Values, ties: str) -> Ratio:
    """Diversity@k = 1 - ILS@k."""
    sums, n_pairs, defined = _intra_list_similarity(rows, k=k, similarity=similarity, ties=ties)
    return Ratio(n_pairs - sums, n_pairs, defined)


INTRA_LIST_SIMILARITY = add_metric(
    "intra_list_similarity",
    _intra_list_similarity,
    intra_list_similarity_score,
    LISTS,
    needs=("features",),
    lower=-1.0,
    greater_is_better=False,
)


def diversity_score(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """One less the mean similarity of the pairs of items in each top k: higher is more diverse.

    Parameters
    ----------
    X, y_score, groups, k, similarity
        As in :func:`intra_list_similarity_score`.
    ties : {"average", "order"}, default="average"
        Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query with fewer than two items; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        ``1 - intra_list_similarity_score(...)``, in [0, 2] for the cosine and in [0, 1] where no feature is
        negative; higher is more diverse. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Ziegler, McNee, Konstan and Lausen, "Improving recommendation lists through topic diversification",
    WWW 2005. Of features that are 0 and 1: Smyth and McClave, "Similarity vs. diversity", ICCBR 2001.

    Examples
    --------
    >>> from sklearn_rank import diversity_score
    >>> diversity_score([[1, 0], [1, 0], [0, 1]], [3, 2, 1], groups=[0, 0, 0])
    0.66...
    """
    return compute_beside(DIVERSITY, **locals())


DIVERSITY = add_metric("diversity", _diversity, diversity_score, LISTS, needs=("features",), upper=2.0)
