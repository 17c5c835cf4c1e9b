"""The rank of each row in its query."""

from __future__ import annotations

import numpy as np

from .._checks.containers import check_same_order
from .._checks.options import check_choice
from .._checks.types import ArrayLike, TieRule
from ._opened import open_scores, spread_worth


def ranks(y_score: ArrayLike, *, groups: ArrayLike, ties: TieRule = "average") -> np.ndarray:
    """Return the rank of each row in its query, as all metrics count it: 1 for the highest score.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    ties : {"average", "order", "best", "worst"}, default="average"
        Ranks of equal scores: the mean of their ranks for each of them, the order of the rows, or the first
        or the last of their ranks for each of them.

    Returns
    -------
    ndarray of shape (n_rows,)
        Ranks >= 1 in the order of the rows; nan where a document is not retrieved.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    See Also
    --------
    scipy.stats.rankdata : Ranks of one list, from the lowest value on.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranks
    >>> ranks([0.9, 0.1, 0.5, 0.5, 0.7], groups=["a", "b", "a", "a", "b"])
    array([1. , 2. , 2.5, 2.5, 1. ])
    """
    check_choice("ties", ties, ("average", "order", "best", "worst"), "ranks")
    check_same_order("ranks", y_score=y_score, groups=groups)
    opened = open_scores("ranks", y_score, groups)
    by_row = spread_worth(opened, ties, np.arange(1.0, opened.rows.longest + 1))
    by_row[by_row == 0] = np.nan
    return by_row
