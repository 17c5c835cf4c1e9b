"""Popularity and novelty of the items in top-k lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ..._checks import explain_parameters
from ..._checks.arrays import read_floats
from ..._checks.errors import fail, spell_id
from ..._checks.types import ArrayLike, Average, ListTieRule, PlainAverage
from .._compute import compute_with_inputs
from .._factory import LISTS, add_metric
from .._table import Ratio
from .list_rows import ListRows, check_popularity


class Popularity(Protocol):
    """A mapping or pandas.Series of numbers by item."""

    def items(self) -> Iterable[tuple[Any, float]]:
        """Return the items with their numbers."""


RULE_OF_SHARES = "map each item id to the share of users who know it, in (0, 1]"
RULE_OF_NUMBERS = "map each item id to its popularity, a finite number >= 0"
OF_UNSEEN = (
    "The novelty of an item that nobody has seen is infinite. Smooth the shares of all items: "
    "(n_users_of_item + 1) / (n_users + 1)."
)
OF_COUNTS = "Divide the number of users of each item by the number of all users."


def read_popularity(rows: ListRows, rule: str = RULE_OF_NUMBERS, most: float = np.inf) -> np.ndarray:
    """Return the popularity of each item."""
    table, (_, items) = check_popularity(rows.tables.popularity), rows.items
    try:
        missing = [item for item in items if item not in table]
    except Exception as error:
        fail("popularity", rule, f"keys that cannot be looked up ({error})")
    if missing:
        item = missing[0]
        same_text = [each for each in table if type(each) is not type(item) and str(each) == str(item)]
        fix = OF_UNSEEN if most < np.inf else "Set the popularity of items that nobody has used to 0."
        if same_text:
            kinds = f"{type(same_text[0]).__name__} in 'popularity' and {type(item).__name__} in the rows"
            fix = f"Convert the ids to one type: {spell_id(same_text[0])} is {kinds}."
        fail("popularity", rule, f"no entry for item {spell_id(item)}", fix)
    return read_numbers_of({item: table[item] for item in items}, rule, most)


def read_numbers_of(numbers_of: Mapping[Any, Any], rule: str, most: float = np.inf) -> np.ndarray:
    """Check numbers of items: in (0, most] if `most` is finite, otherwise finite and >= 0."""
    values = list(numbers_of.values())
    numbers = read_floats(values, (len(values),), "popularity", rule)
    right = (numbers > 0) & (numbers <= most) if most < np.inf else (numbers >= 0) & (numbers < np.inf)
    if not right.all():
        first = int(np.argmin(right))
        of_shares = OF_UNSEEN if numbers[first] == 0 else OF_COUNTS * bool(numbers[first] > most)
        got = f"{numbers[first]:g} for item {spell_id(list(numbers_of)[first])}"
        fail("popularity", rule, got, of_shares if most < np.inf else "")
    return numbers


@explain_parameters
def novelty_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute the mean self-information of the items in each top k and average it over queries.

    The self-information of an item that a share p of the users know is -log2(p).

    Source: Zhou et al., "Solving the apparent diversity-accuracy dilemma of recommender systems", PNAS 2010.

    Parameters
    ----------
    items, y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.
    popularity : mapping or pandas.Series
        Share of users who know each item, by item id: above 0 and at most 1.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query without a retrieved document. If `nan`, such queries are excluded from the mean.
    average
        As in :func:`ndcg_score`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In bits, at least 0; higher means less popular items. If every query is excluded, `nan` is returned
        with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import novelty_score
    >>> novelty_score(["hit", "rare"], [2, 1], groups=[0, 0], popularity={"hit": 0.5, "rare": 0.125})
    2.0
    """
    return compute_with_inputs(NOVELTY, **locals())


def _novelty(rows: ListRows, *, k: int | None, ties: str) -> Ratio:
    """Novelty@k = mean over the top k of -log2(the share of users who know the item)."""
    shares = read_popularity(rows, RULE_OF_SHARES, 1)
    return rows.lists(k, ties).mean(-np.log2(shares)[rows.items[0]])


NOVELTY = add_metric(_novelty, novelty_score, LISTS, upper=np.inf)


@explain_parameters
def average_popularity_loss(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute the mean popularity of the items in each top k and average it over queries.

    Source: Yin, Cui, Li, Yao and Chen, "Challenging the long tail recommendation", PVLDB 2012.

    Parameters
    ----------
    items, y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.
    popularity : mapping or pandas.Series
        Popularity of each item, by item id: a number >= 0, such as its number of purchases.
    zero_division, sample_weight
        As in :func:`novelty_score`.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In the unit of `popularity`; lower means less popular items, and the scorer negates it. If every query
        is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import average_popularity_loss
    >>> average_popularity_loss(["hit", "rare"], [2, 1], groups=[0, 0], popularity={"hit": 90, "rare": 10})
    50.0
    """
    return compute_with_inputs(AVERAGE_POPULARITY, **locals())


def _average_popularity(rows: ListRows, *, k: int | None, ties: str) -> Ratio:
    """ARP@k = mean over the top k of the popularity of the item."""
    return rows.lists(k, ties).mean(read_popularity(rows)[rows.items[0]])


@explain_parameters
def tail_share_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    tail: float = 0.8,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute the share of unpopular items in each top k and average it over queries.

    Source: Abdollahpouri, Burke and Mobasher, "Managing popularity bias in recommender systems with
    personalized re-ranking", FLAIRS 2019, where it is called APLT.

    Parameters
    ----------
    items, y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.
    popularity : mapping or pandas.Series
        Popularity of each item of the catalog, by item id: a number >= 0. Items that are in no list also
        belong to the catalog.
    tail : float, default=0.8
        Share of the catalog that is unpopular, above 0 and below 1: the ``floor(tail * n_items)`` least
        popular items, at least one. Equally popular items at the end of the tail count as equal fractions.
    zero_division, sample_weight
        As in :func:`novelty_score`.
    average
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher means less popular items. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import tail_share_score
    >>> popularity = {"hit": 90, "new": 5, "old": 7, "rare": 1}
    >>> tail_share_score(["hit", "rare"], [2, 1], groups=[0, 0], popularity=popularity, tail=0.5)
    0.5
    """
    return compute_with_inputs(TAIL_SHARE, **locals())


def _tail_share(rows: ListRows, *, k: int | None, tail: float, ties: str) -> Ratio:
    """Tail@k = items in the top k that are among the least popular / items in the top k."""
    of_items = read_popularity(rows)
    table = check_popularity(rows.tables.popularity)
    catalog = np.sort(read_numbers_of(table, RULE_OF_NUMBERS))
    n_tail = max(int(np.floor(tail * len(catalog) + 1e-9)), 1)
    border = catalog[n_tail - 1]
    first, last = (np.searchsorted(catalog, border, side=side) for side in ("left", "right"))
    of_tied = (n_tail - first) / (last - first)
    part = np.where(of_items < border, 1.0, np.where(of_items > border, 0.0, of_tied))
    return rows.lists(k, ties).mean(part[rows.items[0]])


AVERAGE_POPULARITY = add_metric(_average_popularity, average_popularity_loss, LISTS, upper=np.inf)
TAIL_SHARE = add_metric(_tail_share, tail_share_score, LISTS)
