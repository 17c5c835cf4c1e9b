"""The items of the top-k lists by their ids: how many of the catalog, how evenly, and how well known."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._data import check_same_order, read_mapping, take
from .._ids import first_rows, rank_ids
from .._options import check_mean
from .._validation import check_groups, fail, is_int, read_array, read_floats
from ._average import average_values, warn_undefined
from ._diversity import Lists, count_scores, open_lists


def _open_items(
    function: str, item_ids: Any, y_score: Any, groups: Any, k: int | None, ties: str, **options: Any
) -> tuple[Lists, np.ndarray, list[Any]]:
    """Return the lists, the code of the item in each row, and the id of each code."""
    given = {"y_score": y_score, "groups": groups, "sample_weight": options.get("sample_weight")}
    check_same_order(function, item_ids=item_ids, **given)
    ids = check_groups(item_ids, count_scores(y_score, function), function, "item_ids")
    codes = rank_ids(ids)
    rows = first_rows(codes)
    lists = open_lists(function, len(ids), y_score, groups, k, ties, **options)
    pairs = lists.codes * len(rows) + codes
    n_again = len(pairs) - len(np.unique(pairs))
    if n_again:
        fail("item_ids", function, "name an item once per query", f"{n_again} again")
    items = take(item_ids, rows)
    return lists, codes, items if isinstance(items, list) else list(np.asarray(items))


def _count_catalog(function: str, catalog: Any, items: list[Any]) -> int:
    """Return the number of items that could be shown."""
    if catalog is None:
        return len(items)
    rule = "be an int (below 2**63), item ids or None"
    if is_int(catalog) and catalog < 2**63:
        if catalog < len(items):
            fail("catalog", function, f"be at least the number of items in 'item_ids', {len(items)}", catalog)
        return int(catalog)
    if not isinstance(catalog, list | tuple | set | frozenset):
        catalog = read_array(catalog, "catalog", function, rule)
        if catalog.ndim != 1:
            fail("catalog", function, rule, f"shape {catalog.shape}")
        catalog = catalog.tolist()
    try:
        known = set(catalog)
        strange = [item for item in items if item not in known]
    except Exception as error:  # of what has no hash, or compares with nothing
        fail("catalog", function, rule, f"what cannot be looked up ({error})")
    if strange:
        fail("catalog", function, "hold all of 'item_ids'", f"none for {strange[0]!r}")
    return len(known)


def catalog_coverage_score(
    item_ids: Any,
    y_score: Any,
    *,
    groups: Any,
    k: int | None = None,
    catalog: Any = None,
    ties: str = "average",
) -> float:
    """Share of the catalog that is in at least one top k.

    Parameters
    ----------
    item_ids : array-like of shape (n_rows,)
        The item of each row, of any sortable type; each item once per query.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query (user) id of each row, in any order and of any sortable type.
    k : int, default=None
        Cutoff >= 1; None for all items retrieved.
    catalog : int, array-like of ids or None, default=None
        All items that could be shown, or their number; None for those in `item_ids`.
    ties : {"average", "order"}, default="average"
        Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.

    Returns
    -------
    float
        In [0, 1]; higher is more varied.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

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
    function = "catalog_coverage_score"
    lists, codes, items = _open_items(function, item_ids, y_score, groups, k, ties)
    with np.errstate(divide="ignore"):  # an item that is surely shown: log 0
        log_never = np.bincount(codes, np.log1p(-np.minimum(lists.share, 1)))
    return float((1 - np.exp(log_never)).sum() / _count_catalog(function, catalog, items))


def exposure_gini_score(
    item_ids: Any,
    y_score: Any,
    *,
    groups: Any,
    k: int | None = None,
    catalog: Any = None,
    discount: Any = None,
    ties: str = "average",
) -> float:
    """Gini coefficient of how often the items are shown: lower is more even.

    Parameters
    ----------
    item_ids, y_score, groups, k, catalog
        As in :func:`catalog_coverage_score`.
    discount : {"log2", "reciprocal"}, callable or None, default=None
        Exposure at a rank, as in :func:`dcg_score`; None counts every place in the top k alike.
    ties : {"average", "order"}, default="average"
        Equal scores share the exposure of their ranks, or stand in the order of the rows.

    Returns
    -------
    float
        In [0, 1 - 1 / n_items]: 0 if all items are shown alike, its maximum if a single one is; lower is more
        even, and its scorer negates it. nan, with a warning, if nothing is shown.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Fleder and Hosanagar, "Blockbuster culture's next rise or fall", Management Science 2009.

    Examples
    --------
    >>> from sklearn_rank import exposure_gini_score
    >>> items, users = ["a", "b", "a", "b"], [1, 1, 2, 2]
    >>> exposure_gini_score(items, [2, 1, 2, 1], groups=users, k=1)
    0.5
    """
    function = "exposure_gini_score"
    lists, codes, items = _open_items(function, item_ids, y_score, groups, k, ties, discount=discount)
    exposure = np.sort(np.bincount(codes, lists.share))
    if not exposure.any():
        warn_undefined(function)
        return np.nan
    n = _count_catalog(function, catalog, items)
    i = n - len(items) + np.arange(1, len(items) + 1)  # items that are never scored come first, with nothing
    return float(((2 * i - n - 1) * exposure).sum() / (n * exposure.sum()))


def novelty_score(
    item_ids: Any,
    y_score: Any,
    *,
    groups: Any,
    popularity: Any,
    k: int | None = None,
    ties: str = "average",
    zero_division: float = np.nan,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> Any:
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
        In bits, >= 0; higher is less well known.

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
    lists, codes, items = _open_items(
        function, item_ids, y_score, groups, k, ties, sample_weight=sample_weight
    )
    information = -np.log2(_read_popularity(popularity, items))[codes]
    n_shown = np.bincount(lists.codes, lists.share)
    values = np.full(len(n_shown), float(zero_division))
    np.divide(np.bincount(lists.codes, lists.share * information), n_shown, out=values, where=n_shown > 0)
    return average_values(values, lists.weights, lists.queries, average, function)


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
