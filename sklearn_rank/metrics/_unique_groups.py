"""The ids that ``average=None`` gives values for, in its order."""

from contextlib import suppress
from typing import Any

import numpy as np

from .._checks.arrays import flatten
from .._checks.codes import as_array, first_rows, rank_ids
from .._checks.containers import take
from .._checks.groups import check_groups, open_column


def unique_groups(groups: Any) -> np.ndarray:
    """Return the different ids in the order in which ``average=None`` gives the values of queries.

    Parameters
    ----------
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.

    Returns
    -------
    ndarray of shape (n_queries,)
        The ids, sorted, of their own type: numbers, text and dates as arrays of it, tuples as an array of
        objects. Of a categorical the labels that occur in their own order, not in that of the categories.

    Raises
    ------
    ValueError
        If `groups` are no ids, as in any metric.

    See Also
    --------
    sklearn.utils.multiclass.unique_labels : The different labels, sorted.

    Examples
    --------
    >>> from sklearn_rank import ndcg_score, unique_groups
    >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], ["b", "b", "a", "a"]
    >>> values = ndcg_score(y_true, y_score, groups=qid, average=None)
    >>> {str(query): round(float(value), 2) for query, value in zip(unique_groups(qid), values)}
    {'a': 0.63, 'b': 1.0}
    """
    n_rows = 0
    with suppress(Exception):  # of what has no length, and is refused
        n_rows = len(groups)
    codes = rank_ids(check_groups(groups, n_rows, "unique_groups"))
    return take_ids(groups, first_rows(codes))


def take_ids(groups: Any, rows: np.ndarray) -> np.ndarray:
    """Return the ids of some rows, of their own type."""
    names = take(open_column(groups), rows)
    if not isinstance(names, list) or _are_numbers_of_numpy(names):
        return flatten(np.asarray(names))
    return as_array(names)


def _are_numbers_of_numpy(names: list[Any]) -> bool:
    """Tell whether ids in a list are numbers or dates of one of numpy's types."""
    kinds = set(map(type, names))
    return len(kinds) == 1 and issubclass(kinds.pop(), np.number | np.bool_ | np.datetime64)
