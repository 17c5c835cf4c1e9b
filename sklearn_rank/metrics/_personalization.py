"""How much the top-k lists of users differ from each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.types import ArrayLike, ListTieRule
from ._average import warn_undefined
from ._compute import compute_beside
from ._counts import Counts
from ._factory import LISTS, add_metric
from ._list_rows import ListRows


def personalization_score(
    item_ids: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    ties: ListTieRule = "average",
) -> float:
    """One less the mean overlap of the top k of each two users: higher is more personal.

    Parameters
    ----------
    item_ids, y_score, groups, k, ties
        As in :func:`catalog_coverage_score`.

    Returns
    -------
    float
        In [0, 1]: 0 if all users are shown the same items, 1 if no two of them share one; higher is more
        varied. The overlap is the number of items in both lists, divided by their length, or by the root of
        the product of their lengths. nan, with a warning, if fewer than two users are shown anything.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    The mean over all pairs of users is made of how often each item is shown, in one pass over the rows.

    References
    ----------
    Zhou et al., "Solving the apparent diversity-accuracy dilemma of recommender systems", PNAS 2010: there
    the "personalization", for lists of one length.

    Examples
    --------
    >>> from sklearn_rank.metrics import personalization_score
    >>> items, users = ["a", "b", "c", "a", "b", "c"], [1, 1, 1, 2, 2, 2]
    >>> personalization_score(items, [3, 2, 1, 3, 1, 2], groups=users, k=2)
    0.5
    """
    return compute_beside(PERSONALIZATION, **locals())


def _count_units(rows: ListRows, *, k: int | None, ties: str) -> Counts:
    """Return what each item has of all lists, each of which is divided by the root of its length."""
    lists = rows.lists(k, ties)
    lengths = np.rint(lists.sum())
    shown = lengths > 0
    longest = float(max(lengths.max(), 1))  # in units of which lists of just that length add whole numbers
    inside = lists.share > 0
    units = np.zeros(len(inside))
    units[inside] = lists.share[inside] / np.sqrt(lengths[lists.codes[inside]] / longest)
    squares = lists.sum(lists.share)[shown] / lengths[shown]
    totals = {"squares": float(squares.sum()), "lists": float(shown.sum())}
    return rows.add_up({"units": units}, totals)._replace(longest=longest)


def _personalization(counts: Counts, function: str, **_: Any) -> float:
    """Personalization@k = 1 - mean over the pairs of lists of their items in common / their length."""
    n, of_items = counts.totals["lists"], counts.sums["units"]
    if n < 2:
        warn_undefined(function)
        return np.nan
    # Twice the sum over pairs is the square of the sum less the sum of the squares.
    in_common = (of_items @ of_items / counts.longest - counts.totals["squares"]) / (n * (n - 1))
    return float(np.clip(1 - in_common, 0.0, 1.0))


PERSONALIZATION = add_metric(
    "personalization", _count_units, personalization_score, LISTS, needs=("items",), conclude=_personalization
)
personalization_scorer = PERSONALIZATION.factory
