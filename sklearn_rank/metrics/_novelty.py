"""How little known the items of the top-k lists are."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, Average, ListTieRule
from ._compute import compute_beside
from ._factory import LISTS, add_metric
from ._list_rows import ListRows
from ._popularity import RULE_OF_SHARES, Popularity, check_popularity, read_popularity
from ._table import Options, Ratio


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
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
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
    >>> from sklearn_rank.metrics import novelty_score
    >>> novelty_score(["hit", "rare"], [2, 1], groups=[0, 0], popularity={"hit": 0.5, "rare": 0.125})
    2.0
    """
    return compute_beside(NOVELTY, **locals())


def _novelty(rows: ListRows, *, k: int | None, ties: str) -> Ratio:
    """Novelty@k = mean over the top k of -log2(the share of users who know the item)."""
    shares = read_popularity(rows, RULE_OF_SHARES, 1)
    return rows.lists(k, ties).mean(-np.log2(shares)[rows.items[0]])


def _check_scorer(function: str, options: Options) -> None:
    check_popularity(options["popularity"], function, RULE_OF_SHARES)


NOVELTY = add_metric(
    "novelty",
    _novelty,
    novelty_score,
    LISTS,
    needs=("items", "popularity"),
    check_scorer=_check_scorer,
    upper=np.inf,
)
novelty_scorer = NOVELTY.factory
