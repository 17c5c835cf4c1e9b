"""How little known the items of the top-k lists are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Required, Unpack, overload

import numpy as np

from .._checks.arrays import read_floats
from .._checks.containers import read_mapping
from .._checks.errors import fail
from .._checks.options import check_mean
from .._checks.types import ArrayLike, Average, ListTieRule, ResponseMethod
from . import _scorers
from ._average import average_values
from ._items import open_items
from ._options import ListOptions
from ._scorers.list_factories import add_list_metric, build_list_scorer
from ._top_lists import GivenLists


class Popularity(Protocol):
    """A mapping or a pandas.Series of shares by item."""

    def items(self) -> Iterable[tuple[Any, float]]: ...


class NoveltyOptions(ListOptions, total=False):
    """What `novelty_score` takes by name beside `average`."""

    popularity: Required[Popularity]


@overload
def novelty_score(
    item_ids: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def novelty_score(
    item_ids: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[NoveltyOptions]
) -> np.ndarray: ...
def novelty_score(
    item_ids: ArrayLike,
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
    """Mean self-information of the items in each top k, averaged over queries: higher is less well known.

    The self-information of an item that a share p of the users knows is -log2 p.

    Parameters
    ----------
    item_ids, y_score, groups, k
        As in :func:`catalog_coverage_score`.
    popularity : mapping or pandas.Series
        The share of users who know each item, in (0, 1], by its id.
    ties : {"average", "order"}, default="average"
        Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query for which nothing was retrieved; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In bits, >= 0; higher is less well known. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Zhou et al., "Solving the apparent diversity-accuracy dilemma of recommender systems", PNAS 2010.

    Examples
    --------
    >>> from sklearn_rank import novelty_score
    >>> novelty_score(["hit", "rare"], [2, 1], groups=[0, 0], popularity={"hit": 0.5, "rare": 0.125})
    2.0
    """
    function = "novelty_score"
    check_mean(function, average, zero_division=zero_division)
    given = GivenLists(y_score, groups, k, ties, sample_weight)
    lists, codes, items = open_items(function, item_ids, given)
    information = -np.log2(_read_popularity(popularity, items))[codes]
    n_shown = np.bincount(lists.codes, lists.share)
    values = np.full(len(n_shown), float(zero_division))
    np.divide(np.bincount(lists.codes, lists.share * information), n_shown, out=values, where=n_shown > 0)
    return average_values(values, lists.weights, lists.queries, average, function)


def novelty_scorer(
    *,
    k: int,
    items: str,
    popularity: Popularity,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.ListScorer:
    """Make a scorer of the mean self-information of the items in the top `k`.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    popularity, ties, zero_division, average
        As in :func:`novelty_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is less well known.

    Examples
    --------
    >>> from sklearn_rank import novelty_scorer
    >>> novelty_scorer(k=10, items="item", popularity={"a": 0.5}).describe()
    "novelty_scorer(items='item', k=10, popularity={'a': 0.5})"
    """
    check_popularity(popularity, "novelty_scorer")
    return build_list_scorer(
        NOVELTY,
        items,
        groups,
        response_method,
        k=k,
        popularity=popularity,
        ties=ties,
        zero_division=zero_division,
        average=average,
    )


RULE_OF_POPULARITY = "map each item id to the share of users who know it, in (0, 1]"


def check_popularity(popularity: Any, function: str) -> Any:
    """Return a mapping of item to share."""
    table = read_mapping(popularity, "popularity", function)
    if not isinstance(table, Mapping):
        fail("popularity", function, RULE_OF_POPULARITY, type(popularity).__name__)
    return table


def _read_popularity(popularity: Any, items: list[Any]) -> np.ndarray:
    """Look the shares of the items up."""
    function, rule = "novelty_score", RULE_OF_POPULARITY
    table = check_popularity(popularity, function)
    try:
        missing = [item for item in items if item not in table]
    except Exception as error:
        fail("popularity", function, rule, f"what cannot be looked up ({error})")
    if missing:
        fail("popularity", function, rule, f"nothing for {missing[0]!r}")
    shares = read_floats([table[item] for item in items], (len(items),), "popularity", function, rule)
    wrong = ~((shares > 0) & (shares <= 1))
    if wrong.any():
        fail("popularity", function, rule, shares[wrong][0])
    return shares


NOVELTY = add_list_metric("novelty", novelty_score, novelty_scorer, of_items=True, takes_weights=True)
