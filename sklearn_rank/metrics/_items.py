"""The items of the top-k lists by their ids: how many of the catalog, and how evenly."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.arrays import flatten, read_array
from .._checks.codes import first_rows, rank_ids
from .._checks.containers import check_same_order, take
from .._checks.errors import fail, is_int
from .._checks.groups import check_groups, open_column
from .._checks.types import ArrayLike, Discount, ListTieRule, ResponseMethod
from . import _scorers
from ._average import warn_undefined
from ._scorers.list_factories import add_list_metric, build_list_scorer
from ._top_lists import GivenLists, Lists, count_scores, open_lists


def open_items(function: str, item_ids: Any, given: GivenLists) -> tuple[Lists, np.ndarray, list[Any]]:
    """Return the lists, the code of the item in each row, and the id of each code."""
    rows = {"y_score": given.y_score, "groups": given.groups, "sample_weight": given.sample_weight}
    check_same_order(function, item_ids=item_ids, **rows)
    ids = check_groups(item_ids, count_scores(given.y_score, function), function, "item_ids")
    codes = rank_ids(ids)
    firsts = first_rows(codes)
    lists = open_lists(function, len(ids), given)
    pairs = lists.codes * len(firsts) + codes
    n_again = len(pairs) - len(np.unique(pairs))
    if n_again:
        fail("item_ids", function, "name an item once per query", f"{n_again} again")
    items = take(open_column(item_ids), firsts)
    return lists, codes, items if isinstance(items, list) else list(flatten(np.asarray(items)))


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
    item_ids: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    catalog: int | ArrayLike | None = None,
    ties: ListTieRule = "average",
) -> float:
    """Share of the catalog that is in at least one top k.

    Parameters
    ----------
    item_ids : array-like of shape (n_rows,)
        The item of each row, of any sortable type; each item once per query.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
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
    lists, codes, items = open_items(function, item_ids, GivenLists(y_score, groups, k, ties))
    with np.errstate(divide="ignore"):  # an item that is surely shown: log 0
        log_never = np.bincount(codes, np.log1p(-np.minimum(lists.share, 1)))
    return float((1 - np.exp(log_never)).sum() / _count_catalog(function, catalog, items))


def catalog_coverage_scorer(
    *,
    k: int,
    items: str,
    catalog: int | ArrayLike | None = None,
    ties: ListTieRule = "average",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.ListScorer:
    """Make a scorer of the share of the catalog that is in at least one top `k`.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    catalog, ties
        As in :func:`catalog_coverage_score`.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is more varied.

    Examples
    --------
    >>> from sklearn_rank import catalog_coverage_scorer
    >>> catalog_coverage_scorer(k=10, items="item").describe()
    "catalog_coverage_scorer(items='item', k=10)"
    """
    return build_list_scorer(
        CATALOG_COVERAGE, items, groups, response_method, k=k, catalog=catalog, ties=ties
    )


def exposure_gini_score(
    item_ids: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    catalog: int | ArrayLike | None = None,
    discount: Discount = None,
    ties: ListTieRule = "average",
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
    given = GivenLists(y_score, groups, k, ties, discount=discount)
    lists, codes, items = open_items(function, item_ids, given)
    exposure = np.sort(np.bincount(codes, lists.share))
    if not exposure.any():
        warn_undefined(function)
        return np.nan
    n = _count_catalog(function, catalog, items)
    i = n - len(items) + np.arange(1, len(items) + 1)  # items that are never scored come first, with nothing
    return float(((2 * i - n - 1) * exposure).sum() / (n * exposure.sum()))


def neg_exposure_gini_scorer(
    *,
    k: int,
    items: str,
    catalog: int | ArrayLike | None = None,
    discount: Discount = None,
    ties: ListTieRule = "average",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.ListScorer:
    """Make a scorer of the Gini coefficient of how often items are shown, negated: higher is more even.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    catalog, discount, ties
        As in :func:`exposure_gini_score`.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is more even.

    Examples
    --------
    >>> from sklearn_rank import neg_exposure_gini_scorer
    >>> neg_exposure_gini_scorer(k=10, items="item").describe()
    "neg_exposure_gini_scorer(items='item', k=10)"
    """
    return build_list_scorer(
        EXPOSURE_GINI, items, groups, response_method, k=k, catalog=catalog, discount=discount, ties=ties
    )


CATALOG_COVERAGE = add_list_metric(
    "catalog_coverage", catalog_coverage_score, catalog_coverage_scorer, of_items=True
)
EXPOSURE_GINI = add_list_metric(
    "exposure_gini", exposure_gini_score, neg_exposure_gini_scorer, of_items=True, greater_is_better=False
)
