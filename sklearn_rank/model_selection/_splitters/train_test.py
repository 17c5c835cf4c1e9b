"""One split of the rows into a train and a test side, both of whole queries."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np

from ..._checks.arrays import read_floats
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, resolve_groups, take
from ..._checks.errors import fail, is_int, is_real
from ..._checks.groups import check_groups
from ..._checks.options import check_flag, check_random
from ..._checks.types import ArrayLike, Groups, RandomState
from .balanced_deal import draw_test
from .group_kfold import count_by_query, read_labels

NO_GROUPS = (
    "hold the query id of each row, groups=qid: rows of one query must not come to both sides, "
    "as they do in sklearn.model_selection.train_test_split"
)


def train_test_split(
    *arrays: Any,
    groups: Groups = None,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: RandomState = None,
    shuffle: bool = True,
    stratify: ArrayLike | None = None,
) -> list[Any]:
    """Split rows into a train and a test side of whole queries.

    scikit-learn's function with ids. Which queries are tested on is drawn at random, such that the test has
    about its share of the rows and of the relevant documents. It depends on the ids, their rows and the seed,
    not on the order of rows.

    Parameters
    ----------
    *arrays : array-like of n_rows
        What to split: arrays, frames, sparse matrices or lists. Ids are returned if they are among them.
    groups : array-like of shape (n_rows,) or str
        Query id of each row, or the name of an index level of one of the first two arrays or of a column of
        the first.
    test_size : float or int, default=None
        Share of the queries to test on, rounded up, or their number; None is what `train_size` leaves, or
        else 0.25.
    train_size : float or int, default=None
        Share of the queries to train on, rounded down, or their number; None is what `test_size` leaves.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw; needs ``shuffle=True``.
    shuffle : bool, default=True
        If False the queries that appear first train, and those that follow are tested on.
    stratify : array-like of shape (n_rows,) or str, default=None
        Labels to balance by, or the name of a column of the first array that holds them: relevant documents
        are those above 0. None takes the second array if that holds a number for each row, as in
        ``train_test_split(X, y, groups=qid)``. Needs ``shuffle=True``.

    Returns
    -------
    list
        Train and test of each array in turn, rows in their order.

    Raises
    ------
    ValueError
        If there are no ids, arrays differ in their numbers of rows, or a side would have no query.

    See Also
    --------
    BalancedGroupKFold : Folds, each of which is tested on once.
    TimeCut : The past trains, the future tests.

    Examples
    --------
    >>> from sklearn_rank import train_test_split
    >>> X, y, qid = [[5], [1], [4], [2], [3], [6]], [1, 0, 0, 1, 1, 0], ["a", "b", "c", "a", "b", "c"]
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, groups=qid, random_state=0)
    >>> X_train, X_test
    ([[5], [4], [2], [6]], [[1], [3]])
    >>> train_test_split(qid, groups=qid, test_size=2, random_state=0)  # ids are split if they are given
    [['c', 'c'], ['a', 'b', 'a', 'b']]
    """
    if not arrays:
        fail("arrays", "be one array at least", "none")
    check_flag(shuffle, "shuffle")
    n_rows = count_rows(arrays[0], "arrays")
    for array in arrays:
        if count_rows(array, "arrays") != n_rows:
            rule = f"have as many rows as the first one, {n_rows}"
            fail("arrays", rule, count_rows(array, "arrays"))
    given = {f"arrays[{i}]": array for i, array in enumerate(arrays)}
    check_same_order(**given, groups=groups, stratify=stratify)
    second = arrays[1] if len(arrays) > 1 else None
    if groups is None:
        fail("groups", NO_GROUPS, None)
    ids = check_groups(resolve_groups(groups, arrays[0], second), n_rows)
    labels = read_labels(second, n_rows)
    if stratify is not None:
        rule = "hold a number for each row, above 0 where it is relevant"
        stratify = resolve_groups(stratify, arrays[0], second, "stratify")
        labels = read_floats(stratify, (n_rows,), "stratify", rule)
    codes = rank_ids(ids)
    n_rows_of, n_relevant_of = count_by_query(codes, labels)
    n_train, n_test = _count_sides(len(n_rows_of), train_size, test_size)
    if shuffle:
        rng = check_random(random_state)
        in_test = draw_test(n_rows_of, n_relevant_of, n_test, rng)
        in_train = ~in_test
        if n_train + n_test < len(n_rows_of):  # some are on neither side
            in_train[in_train] = draw_test(n_rows_of[in_train], n_relevant_of[in_train], n_train, rng)
    else:
        if stratify is not None:
            fail("stratify", "be None with shuffle=False", type(stratify).__name__)
        if is_int(random_state):
            fail("random_state", "be None with shuffle=False", repr(random_state))
        place = np.argsort(np.argsort(np.unique(codes, return_index=True)[1]))  # by first appearance
        in_train, in_test = place < n_train, (place >= n_train) & (place < n_train + n_test)
    sides = [np.flatnonzero(side[codes]) for side in (in_train, in_test)]
    whole = [array if hasattr(array, "shape") or hasattr(array, "take") else list(array) for array in arrays]
    return [take(array, rows) for array in whole for rows in sides]


def _count_sides(n_queries: int, train_size: Any, test_size: Any) -> tuple[int, int]:
    """Return how many queries are trained and tested on."""
    if n_queries < 2:
        fail("groups", "hold two queries at least", n_queries)
    if test_size is None and train_size is None:
        test_size = 0.25
    n_train = _queries_of_share(train_size, n_queries, "train_size", floor)
    n_test = _queries_of_share(test_size, n_queries, "test_size", ceil)
    n_test = n_queries - n_train if test_size is None else n_test
    n_train = n_queries - n_test if train_size is None else n_train
    shares = [size for size in (train_size, test_size) if size is not None and not is_int(size)]
    if sum(shares) > 1 or n_train < 1 or n_test > n_queries - n_train:
        rule = f"leave both sides a query, and have no more than {n_queries} with 'train_size'"
        fail("test_size", rule, f"{n_train} to train on and {n_test} to test on")
    return n_train, n_test


def _queries_of_share(size: Any, n_queries: int, parameter: str, rounded: Callable[[float], int]) -> int:
    """Return the number of queries that a share, or a number, of them means; 0 for None."""
    if size is None:
        return 0
    if is_int(size) and 0 < size < n_queries:
        return int(size)
    if is_real(size) and not is_int(size) and 0 < size < 1:
        return rounded(size * n_queries)
    rule = f"be a share above 0 and below 1, or a number of queries from 1 to {n_queries - 1}"
    fail(parameter, rule, repr(size))
