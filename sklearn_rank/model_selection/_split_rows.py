"""Splitters of recommenders: each user has rows on both sides, or the past trains and the future tests."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from .._data import check_same_order, count_rows, read_named, resolve_groups
from .._options import check_random
from .._validation import check_count, check_groups, fail
from ._split import DealtKFold

TIMES = (
    "hold numbers, dates or ordered categories, as text sorts by its letters ('10' before '9'): "
    "convert it by pandas.to_datetime or pandas.to_numeric"
)


def _read(splitter: Any, X: Any, y: Any, groups: Any) -> tuple[str, np.ndarray]:
    """Return the name of the call and the code of each row's group."""
    function = f"{type(splitter).__name__}.split"
    check_same_order(function, X=X, y=y, groups=groups)
    ids = check_groups(resolve_groups(groups, X, y, function), count_rows(X, function), function)
    return function, np.unique(ids, return_inverse=True)[1].ravel()


def _read_times(times: Any, X: Any, y: Any, function: str) -> np.ndarray:
    """Return the rank of each row's time, equal for equal times."""
    check_same_order(function, X=X, y=y, times=times)
    if isinstance(times, str):
        times = read_named(times, X, y, function, "times")
    if times is None:
        fail("times", function, "hold the time of each row", None)
    times = _as_ordered(times)
    ids = check_groups(times, count_rows(X, function), function, "times")
    entries = np.asarray(times, dtype=None if hasattr(times, "dtype") else object)
    if len(entries) and isinstance(entries[0], str | bytes):  # as all are, being of one type
        fail("times", function, TIMES, f"text such as {entries[:1].tolist()[0]!r}")
    return np.unique(ids, return_inverse=True)[1].ravel()


def _as_ordered(times: Any) -> Any:
    """Return ordered categories as numbers; anything else as it is."""
    kind = getattr(times, "dtype", None)
    if getattr(kind, "ordered", False) is True:  # of pandas
        codes = np.asarray(getattr(times, "cat", times).codes)
        return np.where(codes < 0, np.nan, codes)
    return times.to_physical() if str(kind).startswith("Enum(") else times  # of polars


class WithinGroupKFold(DealtKFold):
    """K folds of rows that spread each group's rows over the folds: the hold-out of recommenders.

    The rows of a group go to the folds in turn, so that their numbers differ by one at most, in each group
    and overall. Groups are on both sides on purpose: what is predicted are a known user's other items.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Deal each group's rows at random; else in their order.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling; needs ``shuffle=True``.

    Examples
    --------
    >>> from sklearn_rank import WithinGroupKFold
    >>> users = ["ann", "bob", "ann", "bob", "ann", "ann"]
    >>> for train, test in WithinGroupKFold(2).split([0] * 6, groups=users):
    ...     print(train, test)
    [2 3 5] [0 1 4]
    [0 1 4] [2 3 5]
    """

    cuts_groups = True

    def _deal(self, X: Any, y: Any, groups: Any) -> np.ndarray:
        """Return the test fold of each row."""
        self._check_options()
        function, codes = _read(self, X, y, groups)
        if len(codes) < self.n_splits:
            fail("n_splits", function, f"not exceed the number of rows, {len(codes)}", self.n_splits)
        places = np.arange(len(codes))
        if self.shuffle:
            places = check_random(self.random_state, "WithinGroupKFold").permutation(len(codes))
        folds = np.empty(len(codes), dtype=np.int64)
        folds[np.lexsort((places, codes))] = np.arange(len(codes)) % self.n_splits
        return folds


class LeaveLastOut(BaseCrossValidator):
    """Test on the last interactions of each group, train on those before them.

    A group with no row before its last `n_last` is left in training whole. Rows of equal time stand in their
    order.

    What is last is settled in each group: rows of other groups that are later than a test row are trained on.
    From a log over time a model so learns what comes later, such as which items became popular, and scores
    higher than in use.

    Parameters
    ----------
    n_last : int, default=1
        Number of rows of each group to test on, at least 1.

    Examples
    --------
    >>> from sklearn_rank import LeaveLastOut
    >>> users, days = ["ann", "ann", "bob", "ann", "cat"], [3, 1, 1, 2, 1]
    >>> next(LeaveLastOut().split([0] * 5, groups=users, times=days))
    (array([1, 2, 3, 4]), array([0]))
    """

    __metadata_request__split = {"groups": True, "times": True}  # noqa: RUF012 - scikit-learn's own way
    cuts_groups = True

    def __init__(self, n_last: int = 1):
        self.n_last = n_last

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, times: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups, times : object
            Ignored.

        Returns
        -------
        int
            1.
        """
        return 1

    def split(
        self, X: Any, y: Any = None, groups: Any = None, times: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on, once.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; only their number of rows and, for names, their index or columns are used.
        y : object
            Only used to read ids and times by name from its index.
        groups, times : array-like of shape (n_rows,) or str
            Group (user) and time of each row, or the names to read them by. Times are numbers, dates or
            ordered categories; text is refused.

        Yields
        ------
        train, test : ndarray of int
            Row positions in rising order.

        Raises
        ------
        ValueError
            If there are no ids or times, or no group has rows enough.
        """
        function, codes = _read(self, X, y, groups)
        check_count(self.n_last, 1, "n_last", "LeaveLastOut")
        order = np.lexsort((_read_times(times, X, y, function), codes))
        sizes = np.bincount(codes)
        from_end = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(codes))  # 1 for a group's last row
        in_test = np.empty(len(codes), dtype=bool)
        in_test[order] = (from_end <= self.n_last) & np.repeat(sizes > self.n_last, sizes)
        if not in_test.any():
            fail("n_last", function, f"be below the size of the largest group, {sizes.max()}", self.n_last)
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)


class GroupTimeSeriesSplit(BaseCrossValidator):
    """Train on groups (sessions, queries) that are over before those begin that are tested on.

    The groups, in the order of their first times, form `n_splits` + 1 parts of nearly equal numbers of rows:
    each part but the first is tested on once. Groups that are not over when the first one of the test begins
    are left out of its training, and so are the last `gap` groups before.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 1.
    gap : int, default=0
        Number of groups to leave out between train and test.

    Examples
    --------
    >>> from sklearn_rank import GroupTimeSeriesSplit
    >>> sessions, days = [7, 7, 5, 5, 9, 9], [1, 2, 3, 4, 5, 6]
    >>> for train, test in GroupTimeSeriesSplit(2).split([0] * 6, groups=sessions, times=days):
    ...     print(train, test)
    [0 1] [2 3]
    [0 1 2 3] [4 5]
    """

    __metadata_request__split = {"groups": True, "times": True}  # noqa: RUF012

    def __init__(self, n_splits: int = 5, *, gap: int = 0):
        self.n_splits = n_splits
        self.gap = gap

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, times: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups, times : object
            Ignored.

        Returns
        -------
        int
            `n_splits`.
        """
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None, times: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; only their number of rows and, for names, their index or columns are used.
        y : object
            Only used to read ids and times by name from its index.
        groups, times : array-like of shape (n_rows,) or str
            Group and time of each row, or the names to read them by. Times are numbers, dates or ordered
            categories; text is refused.

        Yields
        ------
        train, test : ndarray of int
            Row positions in rising order.

        Raises
        ------
        ValueError
            If there are no ids or times, too few groups, or a fold has nothing to train on.
        """
        function, codes = _read(self, X, y, groups)
        check_count(self.n_splits, 1, "n_splits", "GroupTimeSeriesSplit")
        check_count(self.gap, 0, "gap", "GroupTimeSeriesSplit")
        ranks = _read_times(times, X, y, function)
        n_groups = codes.max() + 1
        if n_groups <= self.n_splits:
            fail("n_splits", function, f"be below the number of groups, {n_groups}", self.n_splits)
        begins, ends = np.full(n_groups, len(codes)), np.zeros(n_groups, dtype=np.int64)
        np.minimum.at(begins, codes, ranks)
        np.maximum.at(ends, codes, ranks)
        order = np.argsort(begins, kind="stable")
        parts = _cut(np.bincount(codes)[order], self.n_splits + 1)
        place = np.empty(n_groups, dtype=np.int64)
        place[order] = np.arange(n_groups)
        for first, last in pairwise(parts[1:]):
            over = (ends < begins[order[first]]) & (place < first - min(self.gap, n_groups))
            if not over.any():
                rule = "leave every fold a group to train on that is over before the test begins"
                fail("times", function, rule, f"none for the test from group {first + 1} of {n_groups} on")
            in_test = (place >= first) & (place < last)
            yield np.flatnonzero(over[codes]), np.flatnonzero(in_test[codes])


def _cut(sizes: np.ndarray, n_parts: int) -> np.ndarray:
    """Return where parts of nearly equal sums begin, each of one entry at least, and the end."""
    ends = np.cumsum(sizes)
    wanted = ends[-1] * np.arange(1, n_parts) / n_parts
    starts = np.searchsorted(ends, wanted - 0.5 * sizes.mean()) + 1
    starts = np.maximum.accumulate(np.maximum(starts, np.arange(1, n_parts)) - np.arange(1, n_parts))
    starts = starts + np.arange(1, n_parts)
    latest = len(sizes) - n_parts + np.arange(1, n_parts)
    return np.concatenate(([0], np.minimum(starts, latest), [len(sizes)]))
