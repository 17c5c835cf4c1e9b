"""Splitters that train on the past and test on the future, and reading of the times of rows."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from ..._checks import explain_parameters
from ..._checks.arrays import flatten, read_list
from ..._checks.codes import first_rows, rank_ids
from ..._checks.containers import check_same_order, count_rows, read_named
from ..._checks.errors import check_count, fail, is_int, is_real
from ..._checks.groups import check_groups
from ..._checks.types import ArrayLike, Features, Groups, Ids, Labels, Values
from ..._checks.warn import RankingWarning, warn_user
from .group_splits import read_group_codes

TIMES = (
    "hold numbers, dates or ordered categories, as text sorts by its letters ('10' before '9'): "
    "convert it by pandas.to_datetime or pandas.to_numeric"
)
Splits = Iterator[tuple[np.ndarray, np.ndarray]]  # training and test rows
NO_DAY = re.compile(r"[0-9]{4}(-[0-9]{2})?")  # a year or a month, which means its first day
N_NEAR = 50  # possible beginnings of a test on each side of the ideal one
N_SPREAD = 512  # possible beginnings over all rows if a single group is large
OVERLAP = (
    "{n_left} of the {n_before} groups that began before the test of fold {fold} were not over when it "
    "began, and are left out of its training. For groups that overlap in time, such as users, use TimeCut, "
    "which trains on all rows before a date; or give sessions or queries as groups."
)
NONE_OVER = (
    "leave every fold a group to train on that is over before the test begins; "
    "for groups that overlap in time, such as users, there is TimeCut"
)


class Times(NamedTuple):
    """Checked times of rows."""

    ranks: np.ndarray  # index into `dates` of each row's time
    dates: np.ndarray  # the distinct times, sorted
    are_categories: bool


class TimedSplitter(BaseCrossValidator):
    """Base class of the splitters by time."""

    __metadata_request__split = {"groups": True, "times": True}  # noqa: RUF012 - scikit-learn's convention

    def get_n_splits(
        self,
        X: Features = None,
        y: ArrayLike | None = None,
        groups: Groups = None,
        times: ArrayLike | str | None = None,
    ) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups, times : object
            Ignored.

        Returns
        -------
        int
            How many folds `split` yields.
        """
        return self._count_folds()

    def split(
        self,
        X: Features,
        y: ArrayLike | None = None,
        groups: Groups = None,
        times: ArrayLike | str | None = None,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; only their number of rows and, for names, their index or columns are used.
        y : object
            Only used to read ids and times by name from its index.
        groups, times : array-like of shape (n_rows,) or str
            Group (user, session) and time of each row, or the names to read them by. Times are numbers, dates
            or ordered categories; text is refused. A splitter at dates, the same for all users, ignores
            `groups`.

        Yields
        ------
        train, test : ndarray of int
            Row positions in rising order.

        Raises
        ------
        ValueError
            If there are no ids or times, or too few of them, or a fold has nothing to train or to test on.
        """
        yield from self._split(X, y, groups, times)

    n_splits: int

    def _count_folds(self) -> int:
        """Return the number of folds."""
        return self.n_splits

    @abstractmethod
    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        """Yield the training and test rows."""


def read_times(times: Values, X: Features, y: Labels) -> Times:
    """Check the times of the rows, after reading them by name if needed, and rank them."""
    check_same_order(X=X, y=y, times=times)
    if isinstance(times, str):
        times = read_named(times, X, y, "times")
    if times is None:
        rule = 'hold the time of each row, as cross_val_score(..., cv=TimeCut(), params={"times": times})'
        fail("times", rule, None)
    ordered = _as_ordered(times)
    ids = check_groups(ordered, count_rows(X), "times")
    entries = flatten(np.asarray(ordered, dtype=None if hasattr(ordered, "dtype") else object))
    if len(entries) and isinstance(entries[0], str | bytes):  # all are of one type
        fail("times", TIMES, f"text such as {entries[:1].tolist()[0]!r}")
    ranks = rank_ids(ids)
    firsts = first_rows(ranks)
    are_categories = ordered is not times
    return Times(ranks, (np.asarray(times) if are_categories else entries)[firsts], are_categories)


def _as_ordered(times: Any) -> Values:
    """Return ordered categories as numbers; return anything else unchanged."""
    kind = getattr(times, "dtype", None)
    if getattr(kind, "ordered", False) is True:  # pandas
        codes = np.asarray(getattr(times, "cat", times).codes)
        return np.where(codes < 0, np.nan, codes)
    return times.to_physical() if str(kind).startswith("Enum(") else times  # polars


def find_cut(cut: object, times: Times) -> int:
    """Return the rank of the first time that is not before a date."""
    dates: Any = times.dates
    try:
        if times.are_categories:
            return dates.tolist().index(cut)
        date = _read_date(cut, dates[0])
        if date == date:
            return bisect_left(dates, date, key=_plain)
        error = "it is missing"
    except Exception as raised:  # dates of other types raise various errors
        error = str(raised)
    rule = f"hold dates of the kind that the times are, such as {_plain(dates[0])!r}"
    if isinstance(dates[0], Number) and not isinstance(dates[0], np.datetime64 | np.timedelta64 | np.bool_):
        rule += ', or come with times=pandas.to_datetime(times, unit="s") where these count seconds'
    fail("cuts", rule, f"{cut!r} ({error})")


def _plain(time: object) -> Any:
    """Return a numpy number as a Python number, which compares exactly."""
    is_span = isinstance(time, np.timedelta64)
    return time.item() if isinstance(time, np.number | np.bool_) and not is_span else time


def _read_date(cut: object, time: object) -> Any:
    """Convert a date to the type of the times."""
    if isinstance(time, np.datetime64):
        if isinstance(cut, str):
            cut = np.datetime64(cut) if NO_DAY.fullmatch(cut) else datetime.fromisoformat(cut)
        if getattr(cut, "tzinfo", None) is not None:
            raise TypeError("the times have no time zone")
        return cut.to_datetime64() if hasattr(cut, "to_datetime64") else np.datetime64(cut)  # nanoseconds too
    if isinstance(time, np.timedelta64):
        if not isinstance(cut, timedelta | np.timedelta64):
            raise TypeError("no span of time")
        return np.timedelta64(cut)
    if isinstance(time, Number | np.bool_):
        if not (is_real(cut) or isinstance(cut, Decimal)):
            raise TypeError("no number")
        return _plain(cut)
    if isinstance(cut, str) and hasattr(time, "fromisoformat"):
        date = type(time).fromisoformat(cut)
        zone = getattr(time, "tzinfo", None)
        return date.replace(tzinfo=zone) if zone is not None and date.tzinfo is None else date
    if not isinstance(cut, type(time)):
        raise TypeError(f"no {type(time).__name__}")
    return cut


def cut_off_tests(sizes: np.ndarray, n_tests: int, wanted: float) -> np.ndarray:
    """Return the beginnings of consecutive tests, and the end, so that each has about `wanted` rows.

    `sizes` are the rows of each group, or time, in order. Minimize the sum of squared differences from
    `wanted`, and leave the first group for training. If there are many, try only those near the ideal.
    """
    n_parts, before = len(sizes), np.concatenate(([0], np.cumsum(sizes)))
    number = np.arange(n_tests)
    near = np.searchsorted(before, before[-1] - (n_tests - number) * wanted)
    if 4 * sizes.max() > wanted:  # all ideal beginnings might be in one group, so look further
        places = np.searchsorted(before, np.linspace(0, before[-1], max(N_SPREAD, 3 * n_tests)))
        edges = np.concatenate((places, places - 1, number + 1, n_parts - n_tests + number))
        spread = np.unique(np.clip(edges, 1, n_parts - 1))
        near = _choose_begins(np.broadcast_to(spread, (n_tests, len(spread))), before, wanted)
    around = near[:, None] + np.arange(-N_NEAR, N_NEAR + 1)
    begins = np.clip(around, number[:, None] + 1, n_parts - n_tests + number[:, None])
    return np.append(_choose_begins(begins, before, wanted), n_parts)


def _choose_begins(begins: np.ndarray, before: np.ndarray, wanted: float) -> np.ndarray:
    """Choose the beginning of each test to minimize the sum of squared differences."""
    cost, came_from = np.zeros(begins.shape[1]), []
    for last, here in pairwise(begins):
        costs = cost[:, None] + (before[here] - before[last][:, None] - wanted) ** 2
        costs[last[:, None] >= here] = np.inf
        came_from.append(costs.argmin(axis=0))
        cost = costs.min(axis=0)
    choice = int((cost + (before[-1] - before[begins[-1]] - wanted) ** 2).argmin())
    starts = [begins[-1][choice]]
    for places, origin in zip(begins[-2::-1], reversed(came_from)):
        choice = origin[choice]
        starts.append(places[choice])
    return np.array(starts[::-1])


class TimeCut(TimedSplitter):
    """Train on all rows before a date, test on those from it on: the honest split of a log.

    A model is tested as it will be used, on what comes after all that it has seen. Users are on both sides on
    purpose. Rows of equal time are never cut.

    The tests are `n_splits` consecutive periods at the end, each of nearly `test_size` of the rows, or those
    that begin at the dates of `cuts` and end before the next one.

    Parameters
    ----------
    n_splits : int, default=1
        Number of tests, at least 1; with `cuts` it is their number.
    test_size : float or int, default=None
        Share of the rows that each test is to have, or their number. None means 0.2 for up to four tests, and
        ``1 / (n_splits + 1)`` for more.
    cuts : list of dates, default=None
        When each test begins, in rising order. Dates are of the kind that the times are: numbers, dates of
        numpy, pandas or datetime, or names of ordered categories. Where the times are dates, text in ISO form
        will do, such as "2024-05-01".

    See Also
    --------
    LeaveLastOut : The last rows of each user, whenever they were.
    GroupTimeSeriesSplit : Whole sessions or queries over time.

    Examples
    --------
    >>> from sklearn_rank import TimeCut
    >>> days = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    >>> next(TimeCut(test_size=0.3).split([0] * 10, times=days))
    (array([0, 1, 2, 3, 6, 9]), array([4, 5, 7, 8]))
    >>> for train, test in TimeCut(cuts=[3, 6]).split([0] * 10, times=days):
    ...     print(train, test)
    [1 3 6] [0 2 4 8 9]
    [0 1 2 3 4 6 8 9] [5 7]
    """

    cuts_groups = True

    @explain_parameters
    def __init__(self, n_splits: int = 1, *, test_size: float | None = None, cuts: Any = None):
        self.n_splits = n_splits
        self.test_size = test_size
        self.cuts = cuts

    def _count_folds(self) -> int:
        return self.n_splits if self.cuts is None else len(self._read_cuts())

    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        read = read_times(times, X, y)
        ranks = read.ranks
        starts = self._cut_by_size(ranks) if self.cuts is None else self._cut_by_date(read)
        for first, end in pairwise(starts):
            yield np.flatnonzero(ranks < first), np.flatnonzero((ranks >= first) & (ranks < end))

    def _cut_by_size(self, ranks: np.ndarray) -> np.ndarray:
        """Return the ranks at which tests of `test_size` begin, and the end."""
        check_count(self.n_splits, 1, "n_splits")
        sizes = np.bincount(ranks)
        if self.n_splits >= len(sizes):
            fail("n_splits", f"be below the number of different times, {len(sizes)}", self.n_splits)
        size = min(0.2, 1 / (self.n_splits + 1)) if self.test_size is None else self.test_size
        if not is_real(size) or not size > 0:  # or NaN
            fail("test_size", "be a share above 0 or a number of rows", repr(size))
        whole = len(ranks) if is_int(size) else 1
        if int(self.n_splits) * (int(size) if is_int(size) else size) >= whole:
            rule = f"leave rows to train on: n_splits * test_size below {whole}"
            fail("test_size", rule, f"{self.n_splits} * {size}")
        return cut_off_tests(sizes, self.n_splits, float(size * len(ranks) / whole))

    def _cut_by_date(self, times: Times) -> list[int]:
        """Return the ranks at which tests from given dates begin, and the end."""
        cuts = self._read_cuts()
        starts = [*(find_cut(cut, times) for cut in cuts), len(times.dates)]
        for cut, (first, end) in zip(cuts, pairwise(starts)):
            if first == 0:
                fail("cuts", "leave rows to train on before each date", f"none before {cut!r}")
            if first >= end:
                rule = "rise and leave rows to test on from each date on, before the next"
                fail("cuts", rule, f"none from {cut!r} on")
        return starts

    def _read_cuts(self) -> list[Any]:
        """Check the dates, and that no other parameter sets the cuts."""
        cuts = read_list(self.cuts, "cuts", "be a list of dates")
        if not cuts:
            fail("cuts", "hold a date at least", "none")
        if self.test_size is not None:
            fail("test_size", "be None with 'cuts'", repr(self.test_size))
        if not is_int(self.n_splits) or self.n_splits not in (1, len(cuts)):
            fail("n_splits", f"be left out or be the number of 'cuts', {len(cuts)}", repr(self.n_splits))
        return cuts


class GroupTimeSeriesSplit(TimedSplitter):
    """Train on groups (sessions, queries) that are over before those begin that are tested on.

    The groups, in the order of their first times, form `n_splits` + 1 parts: each part but the first is
    tested on once. The numbers of rows of the tests are as near to equal parts as consecutive groups allow.
    Groups that are not over when the first one of the test begins are left out of its training, and so are
    the last `gap` groups before. Where most groups are not over there is a
    :class:`~sklearn_rank.RankingWarning`: for users, who overlap in time, there is :class:`TimeCut`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 1.
    gap : int, default=0
        Number of groups to leave out between train and test.
    max_train_size : int, default=None
        Number of groups to train on at most: of those that are over, the ones that began last.
    test_size : int, default=None
        Number of groups of each test; None makes tests of nearly equal numbers of rows.

    Examples
    --------
    >>> from sklearn_rank import GroupTimeSeriesSplit
    >>> sessions, days = [7, 7, 5, 5, 9, 9], [1, 2, 3, 4, 5, 6]
    >>> for train, test in GroupTimeSeriesSplit(2).split([0] * 6, groups=sessions, times=days):
    ...     print(train, test)
    [0 1] [2 3]
    [0 1 2 3] [4 5]
    """

    @explain_parameters
    def __init__(
        self,
        n_splits: int = 5,
        *,
        gap: int = 0,
        max_train_size: int | None = None,
        test_size: int | None = None,
    ):
        self.n_splits = n_splits
        self.gap = gap
        self.max_train_size = max_train_size
        self.test_size = test_size

    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        codes = read_group_codes(X, y, groups)
        check_count(self.n_splits, 1, "n_splits")
        check_count(self.gap, 0, "gap")
        for parameter, size in (("max_train_size", self.max_train_size), ("test_size", self.test_size)):
            if size is not None:
                check_count(size, 1, parameter, " or None")
        ranks = read_times(times, X, y).ranks
        n_groups = int(codes.max()) + 1
        begins, ends = np.full(n_groups, len(codes)), np.zeros(n_groups, dtype=np.int64)
        np.minimum.at(begins, codes, ranks)
        np.maximum.at(ends, codes, ranks)
        order = np.argsort(begins, kind="stable")
        warned = False
        for fold, (first, end) in enumerate(pairwise(self._cut(np.bincount(codes)[order]))):
            if first <= self.gap:
                fail("gap", f"leave a group to train on before the test from group {first + 1} on", self.gap)
            before = order[: int(first) - self.gap]
            over = before[ends[before] < begins[order[first]]]
            n_left = len(before) - len(over)
            if not len(over):
                fail("times", NONE_OVER, f"none for the test from group {first + 1} of {n_groups} on")
            if n_left > len(over) and not warned:
                warn_user(OVERLAP.format(n_left=n_left, n_before=len(before), fold=fold), RankingWarning)
                warned = True
            last = over if self.max_train_size is None else over[-min(self.max_train_size, len(over)) :]
            yield np.flatnonzero(np.isin(codes, last)), np.flatnonzero(np.isin(codes, order[first:end]))

    def _cut(self, sizes: np.ndarray) -> np.ndarray:
        """Return the indices of the sorted groups at which tests begin, and the end."""
        n_groups = len(sizes)
        if n_groups <= self.n_splits:
            fail("n_splits", f"be below the number of groups, {n_groups}", self.n_splits)
        if self.test_size is None:
            return cut_off_tests(sizes, self.n_splits, sizes.sum() / (self.n_splits + 1))
        if n_groups <= int(self.n_splits) * int(self.test_size):
            rule = f"leave a group to train on: n_splits * test_size below {n_groups}"
            fail("test_size", rule, f"{self.n_splits} * {self.test_size}")
        return n_groups - np.arange(self.n_splits, -1, -1) * int(self.test_size)


class LeaveLastOut(TimedSplitter):
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

    cuts_groups = True

    @explain_parameters
    def __init__(self, n_last: int = 1):
        self.n_last = n_last

    def _count_folds(self) -> int:
        return 1

    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        codes = read_group_codes(X, y, groups)
        check_count(self.n_last, 1, "n_last")
        order = np.lexsort((read_times(times, X, y).ranks, codes))
        sizes = np.bincount(codes)
        from_end = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(codes))  # 1 for a group's last row
        in_test = np.empty(len(codes), dtype=bool)
        in_test[order] = (from_end <= self.n_last) & np.repeat(sizes > self.n_last, sizes)
        if not in_test.any():
            fail("n_last", f"be below the size of the largest group, {sizes.max()}", self.n_last)
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)
