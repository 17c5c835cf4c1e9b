"""What the top-k lists look like beyond accuracy: how alike their items are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, TypeAlias, Unpack, overload

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

from .._checks.arrays import read_floats
from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.options import call_given, check_mean, is_one_of
from .._checks.types import ArrayLike, Average, ListTieRule, ResponseMethod
from ._average import average_values
from ._options import ListOptions
from ._scorers.list_scorer import ListScorer, add_list_metric, build_list_scorer
from ._top_lists import GivenLists, Lists, open_lists

CHUNK_ROWS = 2**14  # rows of features that are summed at once

Similarity: TypeAlias = Literal["cosine"] | Callable[[Any], Any]


def check_similarity(similarity: Any, function: str) -> None:
    """Check a name or a function of similarities."""
    if not callable(similarity) and not is_one_of(similarity, ("cosine",)):
        fail("similarity", function, "be 'cosine' or a callable of features", repr(similarity))


def _read_features(X: Any, function: str) -> Any:
    """Return a matrix of finite floats, dense or sparse by row."""
    if isinstance(X, np.ma.MaskedArray):
        fail("X", function, "not have a mask", "a MaskedArray")
    try:
        numbers = check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)
        return check_array(numbers, accept_sparse="csr", dtype=np.float64)
    except Exception as error:
        rule = "be a matrix of finite real numbers, a row per item"
        fail("X", function, rule, f"what scikit-learn does not read ({error})")


class SimilarityOptions(ListOptions, total=False):
    """What `intra_list_similarity_score` takes by name beside `average`."""

    similarity: Similarity


@overload
def intra_list_similarity_score(
    X: Any,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def intra_list_similarity_score(
    X: Any, y_score: ArrayLike, *, average: None, **options: Unpack[SimilarityOptions]
) -> np.ndarray: ...
def intra_list_similarity_score(
    X: Any,
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
    function = "intra_list_similarity_score"
    check_mean(function, average, zero_division=zero_division)
    check_similarity(similarity, function)
    check_same_order(function, X=X, y_score=y_score, groups=groups, sample_weight=sample_weight)
    features = _read_features(X, function)
    given = GivenLists(y_score, groups, k, ties, sample_weight)
    lists = open_lists(function, features.shape[0], given)
    sums = _sum_similarities if callable(similarity) else _sum_cosines
    n_items = np.rint(np.bincount(lists.codes, lists.share))
    n_pairs = n_items * (n_items - 1) / 2
    values = np.full(len(n_items), float(zero_division))
    np.divide(sums(features, lists, similarity), n_pairs, out=values, where=n_pairs > 0)
    return average_values(values, lists.weights, lists.queries, average, function)


def _sum_cosines(features: Any, lists: Lists, similarity: Any) -> np.ndarray:
    """Sum the cosines of pairs: of a set of unit vectors u they are (|sum of u|^2 - sum of |u|^2) / 2.

    Items above the tie that the cutoff cuts are in the list, L of the t items of that tie at random: a pair
    with one of them is there with probability L / t, one of two of them with L (L - 1) / (t (t - 1)).
    """
    units = normalize(_scale_features(features))
    squares = _dot(units, units)
    totals = np.zeros(len(lists.queries.lengths))
    for queries, rows, starts in _chunks(lists):
        share = lists.share[rows]
        above, tied = (
            sparse.csr_array((inside * 1.0, rows, starts), shape=(len(queries), len(lists.share)))
            for inside in (share == 1, share < 1)
        )
        of_above, of_tied = above @ units, tied @ units
        t, places = tied.sum(axis=1), np.rint(tied @ lists.share)
        one_there = places / np.maximum(t, 1)
        both_there = one_there * (places - 1) / np.maximum(t - 1, 1)
        among_above = (_dot(of_above, of_above) - above @ squares) / 2
        among_tied = (_dot(of_tied, of_tied) - tied @ squares) / 2
        totals[queries] = among_above + one_there * _dot(of_above, of_tied) + both_there * among_tied
    return totals


def _scale_features(features: Any) -> Any:
    """Bring the largest feature of each row near 1, by a power of two: no square overflows or is lost."""
    if sparse.issparse(features):
        exponents = np.frexp(abs(features).max(axis=1).toarray().ravel())[1]
        data = np.ldexp(features.data, -np.repeat(exponents, np.diff(features.indptr)))
        return sparse.csr_array((data, features.indices, features.indptr), shape=features.shape)
    return np.ldexp(features, -np.frexp(np.abs(features).max(axis=1, keepdims=True))[1])


def _dot(left: Any, right: Any) -> np.ndarray:
    """Return the dot products of the rows of two matrices, dense or sparse."""
    if sparse.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", left, right)


def _sum_similarities(features: Any, lists: Lists, similarity: Any) -> np.ndarray:
    """Sum the similarities of pairs, each with the probability that both are in the list."""
    totals = np.zeros(len(lists.queries.lengths))
    for queries, rows, starts in _chunks(lists):
        for query, (first, last) in zip(queries, pairwise(starts)):
            inside = rows[first:last]
            share = lists.share[inside]
            t, places = (share < 1).sum(), np.rint(share[share < 1].sum())
            probability = np.minimum.outer(share, share)
            probability[np.ix_(share < 1, share < 1)] = places * (places - 1) / max(t * (t - 1), 1)
            function, rule = "intra_list_similarity_score", "give one finite number per pair of items"
            given = call_given(similarity, "similarity", function, features[inside])
            values = read_floats(given, probability.shape, "similarity", function, rule)
            if not np.isfinite(values).all():
                fail("similarity", function, rule, values[~np.isfinite(values)][0])
            totals[query] = np.triu(values * probability, 1).sum()
    return totals


def _chunks(lists: Lists) -> Any:
    """Yield queries, the rows that may be in their lists, and where those of each query start and end."""
    rows = np.flatnonzero(lists.share > 0)
    rows = rows[np.argsort(lists.codes[rows], kind="stable")]
    queries, starts = np.unique(lists.codes[rows], return_index=True)
    starts = np.append(starts, len(rows))
    edges = np.append(np.flatnonzero(np.diff(starts[:-1] // CHUNK_ROWS, prepend=-1)), len(queries))
    for start, stop in pairwise(edges):
        first, last = starts[start], starts[stop]
        yield queries[start:stop], rows[first:last], starts[start : stop + 1] - first


def neg_intra_list_similarity_scorer(
    *,
    k: int,
    columns: ArrayLike | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> ListScorer:
    """Make a scorer of the similarity inside the top `k`, negated: higher is more diverse.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    columns : list, default=None
        The columns of X that are features of the item: names of a frame, numbers of an array; None for all.
    similarity, ties, zero_division, average
        As in :func:`intra_list_similarity_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is more diverse.

    Examples
    --------
    >>> from sklearn_rank import neg_intra_list_similarity_scorer
    >>> neg_intra_list_similarity_scorer(k=10, columns=["genre", "year"]).describe()
    "neg_intra_list_similarity_scorer(columns=['genre', 'year'], k=10)"
    """
    check_similarity(similarity, "neg_intra_list_similarity_scorer")
    return build_list_scorer(
        INTRA_LIST_SIMILARITY,
        columns,
        groups,
        response_method,
        k=k,
        similarity=similarity,
        ties=ties,
        zero_division=zero_division,
        average=average,
    )


INTRA_LIST_SIMILARITY = add_list_metric(
    "intra_list_similarity",
    intra_list_similarity_score,
    neg_intra_list_similarity_scorer,
    greater_is_better=False,
    takes_weights=True,
)
