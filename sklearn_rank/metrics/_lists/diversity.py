"""Diversity of the top k: similarity of items, catalog coverage, exposure and personalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.types import ArrayLike, Average, Discount, Features, ListTieRule, PlainAverage, Table, Values
from .._average import Counts, warn_undefined
from .._compute import compute_with_inputs
from .._factory import LISTS, add_metric
from .._table import Ratio
from .catalog import count_catalog, coverage_without, gini_without
from .list_rows import ListRows

Similarity: TypeAlias = Literal["cosine"] | Callable[[Any], Any]


@explain_parameters
def intra_list_similarity_loss(
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
    """Compute the mean similarity of item pairs in each top k and average it over queries.

    Source: Ziegler, McNee, Konstan and Lausen, "Improving recommendation lists through topic
    diversification", WWW 2005. Here it is a mean instead of a sum, so that the scale does not depend on `k`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Features of the item in each row.
    y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.
    similarity : {"cosine"} or callable, default="cosine"
        Similarity of two items. With "cosine", items whose features are all 0 have similarity 0. A callable
        maps the features of n items to an (n, n) matrix of similarities. It is called once per query, with
        all items that can be in the top k, including those tied at the cutoff.
    zero_division, sample_weight
        As in :func:`diversity_score`.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between -1 and 1 for the cosine; lower is more diverse, and the scorer negates it. If every query is
        excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank import intra_list_similarity_loss
    >>> intra_list_similarity_loss([[1, 0], [1, 0], [0, 1]], [3, 2, 1], groups=[0, 0, 0])
    0.33...
    """
    return compute_with_inputs(INTRA_LIST_SIMILARITY, **locals())


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


INTRA_LIST_SIMILARITY = add_metric(_intra_list_similarity, intra_list_similarity_loss, LISTS, lower=-1.0)


@explain_parameters
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
    """Compute 1 minus the mean similarity of item pairs in each top k and average it over queries.

    Source: Ziegler, McNee, Konstan and Lausen, "Improving recommendation lists through topic
    diversification", WWW 2005. For binary features: Smyth and McClave, "Similarity vs. diversity", ICCBR
    2001.

    Parameters
    ----------
    X, y_score, groups, k, similarity
        As in :func:`intra_list_similarity_loss`.
    ties
        As in :func:`catalog_coverage_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query with fewer than two items. If `nan`, such queries are excluded from the mean.
    average
        As in :func:`ndcg_score`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        ``1 - intra_list_similarity_loss(...)``: between 0 and 2 for the cosine, and at most 1 if all
        features are non-negative; higher is more diverse. If every query is excluded, `nan` is returned with
        a warning.

    Examples
    --------
    >>> from sklearn_rank import diversity_score
    >>> diversity_score([[1, 0], [1, 0], [0, 1]], [3, 2, 1], groups=[0, 0, 0])
    0.66...
    """
    return compute_with_inputs(DIVERSITY, **locals())


DIVERSITY = add_metric(_diversity, diversity_score, LISTS, upper=2.0)


@explain_parameters
def catalog_coverage_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    catalog: int | ArrayLike | None = None,
    ties: ListTieRule = "average",
) -> float:
    """Compute the share of the catalog that is in at least one top k.

    Parameters
    ----------
    items : array-like of shape (n_rows,)
        Item id of each row. Ids can be of any sortable type, and must not repeat within a query.
    y_score : array-like of shape (n_rows,)
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row. Ids can be of any sortable type, and rows can be in any order.
    k : int, default=None
        Number of top-ranked items to consider, at least 1. If `None`, all retrieved items are considered.
    catalog : int, array-like of ids or None, default=None
        All items that can be recommended, or their number. If `None`, the items in `items`.
    ties : {"average", "order"}, default="average"
        How to choose among equal scores at the cutoff: "average" computes the exact mean over all lists,
        "order" keeps row order.

    Returns
    -------
    float
        Between 0 and 1; higher is more varied.

    References
    ----------
    Ge, Delgado-Battenfeld and Jannach, "Beyond accuracy: evaluating recommender systems by coverage and
    serendipity", RecSys 2010.

    Examples
    --------
    >>> from sklearn_rank import catalog_coverage_score
    >>> items, users = ["a", "b", "c", "a", "b", "c"], [1, 1, 1, 2, 2, 2]
    >>> catalog_coverage_score(items, [3, 2, 1, 3, 1, 2], groups=users, k=1, catalog=4)
    0.25
    """
    return compute_with_inputs(CATALOG_COVERAGE, **locals())


def _count_never(rows: ListRows, *, k: int | None, catalog: Table, ties: str) -> Counts:
    """Return the log of the probability that an item is in no top k."""
    share = rows.lists(k, ties).share
    with np.errstate(divide="ignore"):  # log(0) for an item that is always shown
        return rows.add_up({"log_never": np.log1p(-np.minimum(share, 1))})


def _catalog_coverage(counts: Counts, *, catalog: Table, **_: object) -> float:
    """Coverage@k = items in at least one top k / items of the catalog."""
    return float((1 - np.exp(counts.sums["log_never"])).sum() / count_catalog(counts, catalog))


@explain_parameters
def exposure_gini_loss(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    catalog: int | ArrayLike | None = None,
    discount: Discount = None,
    ties: ListTieRule = "average",
) -> float:
    """Compute the Gini coefficient of the exposure of items.

    Source: Fleder and Hosanagar, "Blockbuster culture's next rise or fall", Management Science 2009.

    Parameters
    ----------
    items, y_score, groups, k, catalog
        As in :func:`catalog_coverage_score`.
    discount : {"log2", "reciprocal"}, callable or None, default=None
        Exposure at a rank, as in :func:`dcg_score`. If `None`, all ranks in the top k have the same exposure.
    ties : {"average", "order"}, default="average"
        How to rank items with equal scores: "average" shares the weight of their ranks equally, "order" keeps
        them in row order.

    Returns
    -------
    float
        Between 0, if all items have the same exposure, and ``1 - 1 / n_items``, if one item has all of it;
        lower is more even, and the scorer negates it. If no item is shown, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_gini_loss
    >>> items, users = ["a", "b", "a", "b"], [1, 1, 2, 2]
    >>> exposure_gini_loss(items, [2, 1, 2, 1], groups=users, k=1)
    0.5
    """
    return compute_with_inputs(EXPOSURE_GINI, **locals())


def _count_exposure(rows: ListRows, *, k: int | None, catalog: Table, discount: Values, ties: str) -> Counts:
    """Return the exposure of each item: how often it is shown, or the sum of its discounts."""
    return rows.add_up({"exposure": rows.lists(k, ties, discount).share})


def _exposure_gini(counts: Counts, *, catalog: Table, **_: object) -> float:
    """Gini@k = sum((2 i - n - 1) exposure_i) / (n sum(exposure_i)), of n items in ascending order."""
    exposure = np.sort(counts.sums["exposure"])
    if not exposure.any():
        warn_undefined()
        return np.nan
    n = count_catalog(counts, catalog)
    # Items without a score come first, with exposure 0.
    i = n - len(exposure) + np.arange(1, len(exposure) + 1)
    return float(((2 * i - n - 1) * exposure).sum() / (n * exposure.sum()))


CATALOG_COVERAGE = add_metric(
    _count_never, catalog_coverage_score, LISTS, conclude=_catalog_coverage, leave_out=coverage_without
)
EXPOSURE_GINI = add_metric(
    _count_exposure, exposure_gini_loss, LISTS, conclude=_exposure_gini, leave_out=gini_without
)


@explain_parameters
def personalization_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    ties: ListTieRule = "average",
) -> float:
    """Compute 1 minus the mean overlap of the top k of two users, over all pairs of users.

    Source: Zhou et al., "Solving the apparent diversity-accuracy dilemma of recommender systems", PNAS 2010,
    where "personalization" is defined for lists of equal length.

    Parameters
    ----------
    items, y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.

    Returns
    -------
    float
        Between 0, if all users have the same items, and 1, if no two users share an item; higher is more
        varied. The overlap is the number of items in both lists, divided by the square root of the product of
        their lengths. If fewer than two users have a list, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import personalization_score
    >>> items, users = ["a", "b", "c", "a", "b", "c"], [1, 1, 1, 2, 2, 2]
    >>> personalization_score(items, [3, 2, 1, 3, 1, 2], groups=users, k=2)
    0.5
    """
    return compute_with_inputs(PERSONALIZATION, **locals())


def _count_units(rows: ListRows, *, k: int | None, ties: str) -> Counts:
    """Sum for each item the lists that contain it, each divided by the root of its length."""
    lists = rows.lists(k, ties)
    lengths = np.rint(lists.sum())
    shown = lengths > 0
    longest = float(max(lengths.max(), 1))  # the unit, in which lists of this length have integer sums
    inside = lists.share > 0
    units = np.zeros(len(inside))
    units[inside] = lists.share[inside] / np.sqrt(lengths[lists.codes[inside]] / longest)
    squares = lists.sum(lists.share)[shown] / lengths[shown]
    totals = {"squares": float(squares.sum()), "lists": float(shown.sum())}
    return rows.add_up({"units": units}, totals)._replace(longest=longest)


def _personalization(counts: Counts, **_: object) -> float:
    """Personalization@k = 1 - mean over the pairs of lists of their items in common / their length."""
    n, of_items = counts.totals["lists"], counts.sums["units"]
    if n < 2:
        warn_undefined()
        return np.nan
    # Twice the sum over pairs is the square of the sum minus the sum of the squares.
    in_common = (of_items @ of_items / counts.longest - counts.totals["squares"]) / (n * (n - 1))
    return float(np.clip(1 - in_common, 0.0, 1.0))


PERSONALIZATION = add_metric(_count_units, personalization_score, LISTS, conclude=_personalization)
