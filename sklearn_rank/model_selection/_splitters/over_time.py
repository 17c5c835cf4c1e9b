"""Splitters that train on the past and test on the future."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from ..._checks import explain_parameters
from ..._checks.arrays import read_list
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, read_named
from ..._checks.errors import check_count, fail, is_int, is_real, name_call
from ..._checks.times import Times, find_cut, read_times
from ..._checks.types import ArrayLike, Features, Groups, Ids, Labels, Values
from ..._checks.warn import RankingWarning, warn_user
from .group_folds import read_group_codes
from .group_splits import count_cut

Splits = Iterator[tuple[np.ndarray, np.ndarray]]  # training and test rows
N_NEAR = 50  # possible starts of a test set on each side of the ideal one
N_SPREAD = 512  # possible starts over all rows if a single group is large
OVERLAP = (
    "GroupTimeSeriesSplit: {n_left} of {n_before} earlier groups were not over when the test set of fold "
    "{fold} began, so they are excluded from its training set. If groups overlap in time, as users do, use "
    "TimeCut, or pass sessions or queries as groups."
)
SHORT = 0.01  # largest median span of groups that are taken for sessions, as a fraction of the period
WHOLE = "Pass whole_groups=True for sessions or queries, whole_groups=False for users."
SESSIONS = (
    "TimeCut: the folds separate rows of {n_cut} of {n_tested} test groups, which are short (median span "
    "{share:.2%} of the period), so scores can be too high. {fix}"
)
BY_TIME = "If groups overlap in time, as users do, use TimeCut."


class TimedSplitter(BaseCrossValidator):
    """Base class of splitters by time."""

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
        """
        return self.n_splits if getattr(self, "cuts", None) is None else len(self._read_cuts())

    def split(
        self,
        X: Features,
        y: ArrayLike | None = None,
        groups: Groups = None,
        times: ArrayLike | str | None = None,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the row numbers of the training and test set of each fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features. Only the number of rows is used if `groups` and `times` are arrays.
        y : object
            Ignored, unless `groups` or `times` is the name of an index level of y.
        groups, times : array-like of shape (n_rows,) or str
            Group (user, session) and time of each row, or names of index levels or columns. Times must be
            numbers, dates or ordered categories. :class:`TimeCut` needs groups only if `whole_groups` is
            True.

        Yields
        ------
        train, test : ndarray of int
            Row numbers in increasing order.
        """
        yield from self._split(X, y, groups, times)

    n_splits: int
    _read_cuts: Any

    @abstractmethod
    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        """Yield the training and test rows."""


def read_times_of(X: Features, y: Labels, times: Values) -> Times:
    """Check the times of the rows, after reading them by name if needed, and rank them."""
    check_same_order(X=X, y=y, times=times)
    if isinstance(times, str):
        times = read_named(times, X, y, "times")
    if times is None:
        fix = 'Pass times=times, or params={"times": times} to functions of scikit-learn.'
        fail("times", "contain the time of each row", None, fix)
    return read_times(times, count_rows(X))


def _find_spans(codes: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of the first and the last time of each group."""
    n_groups = int(codes.max()) + 1
    begins, ends = np.full(n_groups, len(codes)), np.zeros(n_groups, dtype=np.int64)
    np.minimum.at(begins, codes, ranks)
    np.maximum.at(ends, codes, ranks)
    return begins, ends


def cut_off_tests(sizes: np.ndarray, n_tests: int, wanted: float) -> np.ndarray:
    """Return the starts of consecutive test sets, and the end, so that each has about `wanted` rows.

    `sizes` are the numbers of rows of each group, or time, in order. The sum of squared differences from
    `wanted` is minimized. The first group is always in training. If there are many groups, only starts near
    the ideal ones are tried.
    """
    n_parts, before = len(sizes), np.concatenate(([0], np.cumsum(sizes)))
    number = np.arange(n_tests)
    near = np.searchsorted(before, before[-1] - (n_tests - number) * wanted)
    if 4 * sizes.max() > wanted:  # all ideal starts might be in one group, so look further
        places = np.searchsorted(before, np.linspace(0, before[-1], max(N_SPREAD, 3 * n_tests)))
        edges = np.concatenate((places, places - 1, number + 1, n_parts - n_tests + number))
        spread = np.unique(np.clip(edges, 1, n_parts - 1))
        near = _choose_begins(np.broadcast_to(spread, (n_tests, len(spread))), before, wanted)
    around = near[:, None] + np.arange(-N_NEAR, N_NEAR + 1)
    begins = np.clip(around, number[:, None] + 1, n_parts - n_tests + number[:, None])
    return np.append(_choose_begins(begins, before, wanted), n_parts)


def _choose_begins(begins: np.ndarray, before: np.ndarray, wanted: float) -> np.ndarray:
    """Choose the start of each test set to minimize the sum of squared differences."""
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
    """Train on all rows before a date, and test on later rows.

    This is how a model is used in practice: it predicts what happens after its training data. Users are in
    both training and test sets on purpose. To keep sessions whole, pass ``whole_groups=True``. Rows with the
    same time are always in the same set. With `catalog_scorer`, cross-validation warns about test pairs of
    user and item that are also training pairs.

    Test sets are `n_splits` consecutive periods at the end, each with about `test_size` of the rows. With
    `cuts`, each test set begins at one of these dates and ends before the next.

    Parameters
    ----------
    n_splits : int, default=1
        Number of test sets, at least 1. With `cuts`, omit `n_splits` or pass the number of cuts.
    test_size : float or int, default=None
        Fraction or number of rows in each test set. If `None`, 0.2 for up to four test sets, and
        ``1 / (n_splits + 1)`` for more.
    cuts : list of dates, default=None
        Start of each test set, in increasing order. Dates must have the type of the times: numbers, dates of
        numpy, pandas or datetime, or names of ordered categories. If times are dates, cuts can be text in ISO
        format, such as "2024-05-01". Dates without a time zone are in the zone of the times.
    whole_groups : bool, default=None
        Whether to place all rows of a group by its first time, as for sessions (True), or to place each row
        by its own time, as for users (False). If `None`, rows are placed by their own times, with a
        :class:`~sklearn_rank.RankingWarning` if this separates rows of groups whose median time span is below
        1% of the period.

    See Also
    --------
    LeaveLastOut : Test on the last rows of each user.
    GroupTimeSeriesSplit : Train on earlier sessions or queries, and test on later ones.

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

    @explain_parameters
    def __init__(
        self,
        n_splits: int = 1,
        *,
        test_size: float | None = None,
        cuts: object = None,
        whole_groups: bool | None = None,
    ):
        self.n_splits = n_splits
        self.test_size = test_size
        self.cuts = cuts
        self.whole_groups = whole_groups

    @property
    def cuts_groups(self) -> bool:
        return not self.whole_groups

    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        read, whole = read_times_of(X, y, times), self.whole_groups
        if whole is not None and not isinstance(whole, bool | np.bool_):
            fail("whole_groups", "be True, False or None", repr(whole))
        codes = read_group_codes(X, y, groups) if whole or (whole is None and groups is not None) else None
        if whole and codes is not None:
            begins, _ = _find_spans(codes, read.ranks)
            read = read._replace(ranks=rank_ids(begins)[codes], dates=read.dates[np.unique(begins)])
        ranks = read.ranks
        starts = self._cut_by_size(ranks) if self.cuts is None else self._cut_by_date(read)
        folds = [
            (np.flatnonzero(ranks < first), np.flatnonzero((ranks >= first) & (ranks < end)))
            for first, end in pairwise(starts)
        ]
        if whole is None and codes is not None:
            _check_sessions(codes, read, folds)
        yield from folds

    def _cut_by_size(self, ranks: np.ndarray) -> np.ndarray:
        """Return the ranks at which test sets of `test_size` begin, and the end."""
        check_count(self.n_splits, 1, "n_splits")
        sizes = np.bincount(ranks)
        if self.n_splits >= len(sizes):
            fix = f"Pass n_splits={len(sizes) - 1}." if len(sizes) > 1 else "Pass rows of several times."
            fail("n_splits", f"be less than the number of different times ({len(sizes)})", self.n_splits, fix)
        size = min(0.2, 1 / (self.n_splits + 1)) if self.test_size is None else self.test_size
        if not is_real(size) or not size > 0:  # or NaN
            fail("test_size", "be a positive float or a number of rows", repr(size))
        whole = len(ranks) if is_int(size) else 1
        if int(self.n_splits) * (int(size) if is_int(size) else size) >= whole:
            rule = f"leave rows for training (n_splits * test_size < {whole})"
            fail("test_size", rule, f"{self.n_splits} * {size}", "Pass test_size=None.")
        return cut_off_tests(sizes, self.n_splits, float(size * len(ranks) / whole))

    def _cut_by_date(self, times: Times) -> list[int]:
        """Return the ranks at which test sets from given dates begin, and the end."""
        cuts = self._read_cuts()
        starts = [*(find_cut(cut, times) for cut in cuts), len(times.dates)]
        for cut, (first, end) in zip(cuts, pairwise(starts)):
            if first == 0:
                fix = f"Pass later dates than {times.dates[0]}."
                fail("cuts", "leave rows for training before each date", f"none before {cut!r}", fix)
            if first >= end:
                rule = "be in increasing order and have test rows before the next date"
                fail("cuts", rule, f"none at or after {cut!r}")
        return starts

    def _read_cuts(self) -> list[Any]:
        """Check the dates, and that no other parameter sets the cuts."""
        cuts = read_list(self.cuts, "cuts", "be a list of dates")
        if not cuts:
            fail("cuts", "contain at least one date", "none", "Pass cuts=['2024-06-01'].")
        if self.test_size is not None:
            fail("test_size", "be None if 'cuts' is given", repr(self.test_size))
        if not is_int(self.n_splits) or self.n_splits not in (1, len(cuts)):
            fail("n_splits", f"equal the number of 'cuts' ({len(cuts)}) or be left out", repr(self.n_splits))
        return cuts


def _check_sessions(codes: np.ndarray, times: Times, folds: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Warn about folds that separate rows of groups if these are short; `check_folds` raises an error."""
    begins, ends = _find_spans(codes, times.ranks)
    n_cut, n_tested = np.sum([count_cut(codes[train], codes[test]) for train, test in folds], axis=0)
    values = times.as_numbers()
    with np.errstate(invalid="ignore"):  # times can be infinite
        spans = (values[ends] - values[begins])[ends > begins] / (values[-1] - values[0])
    if not n_cut or not np.median(spans) < SHORT:
        return
    if name_call() == "check_folds":
        got = f"{n_cut} of {n_tested} test queries with rows in the training set"
        fail("cv", "keep queries whole", got, WHOLE)
    share = np.median(spans)
    warn_user(SESSIONS.format(n_cut=n_cut, n_tested=n_tested, share=share, fix=WHOLE), RankingWarning)


class GroupTimeSeriesSplit(TimedSplitter):
    """Train on groups (sessions, queries) that end before the groups of the test set begin.

    Groups are sorted by their first time and divided into `n_splits` + 1 consecutive parts with about the
    same number of rows. Each part except the first is a test set. Its training set is all earlier groups,
    except the last `gap` groups and groups that have not ended when the test set begins. If most earlier
    groups have not ended, a :class:`~sklearn_rank.RankingWarning` is issued. If groups overlap in time, for
    example if they are users, use :class:`TimeCut`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 1.
    gap : int, default=0
        Number of groups to exclude between the training and the test set.
    max_train_size : int, default=None
        Maximum number of groups in a training set. If there are more, the groups that began last are used.
    test_size : int, default=None
        Number of groups in each test set. If `None`, test sets have about the same number of rows.

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
        ranks = read_times_of(X, y, times).ranks
        begins, ends = _find_spans(codes, ranks)
        order = np.argsort(begins, kind="stable")
        warned = False
        for fold, (first, end) in enumerate(pairwise(self._cut(np.bincount(codes)[order]))):
            if first <= self.gap:
                rule = f"leave a group for training before the test set of fold {fold}"
                fail("gap", rule, self.gap, f"Pass gap={first - 1}.")
            before = order[: int(first) - self.gap]
            over = before[ends[before] < begins[order[first]]]
            n_left = len(before) - len(over)
            if not len(over):
                rule = "have a group in each training set that is over before the test set begins"
                fail("times", rule, f"none for fold {fold}", BY_TIME)
            if n_left > len(over) and not warned:
                warn_user(OVERLAP.format(n_left=n_left, n_before=len(before), fold=fold), RankingWarning)
                warned = True
            last = over if self.max_train_size is None else over[-min(self.max_train_size, len(over)) :]
            yield np.flatnonzero(np.isin(codes, last)), np.flatnonzero(np.isin(codes, order[first:end]))

    def _cut(self, sizes: np.ndarray) -> np.ndarray:
        """Return the indices of the sorted groups at which test sets begin, and the end."""
        n_groups = len(sizes)
        if n_groups <= self.n_splits:
            fix = f"Pass n_splits={n_groups - 1}." if n_groups > 2 else "Pass rows of at least 3 groups."
            fail("n_splits", f"be less than the number of groups ({n_groups})", self.n_splits, fix)
        if self.test_size is None:
            return cut_off_tests(sizes, self.n_splits, sizes.sum() / (self.n_splits + 1))
        if n_groups <= int(self.n_splits) * int(self.test_size):
            rule = f"leave a group for training (n_splits * test_size < {n_groups})"
            fail("test_size", rule, f"{self.n_splits} * {self.test_size}", "Pass test_size=None.")
        return n_groups - np.arange(self.n_splits, -1, -1) * int(self.test_size)


class LeaveLastOut(TimedSplitter):
    """Test on the last rows of each group, and train on the earlier ones.

    A group with at most `n_last` rows is in the training set only. Rows with the same time are in row order.

    The training set can contain rows of other groups that are later than a test row. So a model can learn
    about the future, such as which items became popular, and score higher than in production. Use
    :class:`TimeCut` to avoid this. With `catalog_scorer`, cross-validation warns about test pairs of user and
    item that are also training pairs.

    Parameters
    ----------
    n_last : int, default=1
        Number of test rows of each group, at least 1.

    Examples
    --------
    >>> from sklearn_rank import LeaveLastOut
    >>> users, days = ["ann", "ann", "bob", "ann", "cat"], [3, 1, 1, 2, 1]
    >>> next(LeaveLastOut().split([0] * 5, groups=users, times=days))
    (array([1, 2, 3, 4]), array([0]))
    """

    cuts_groups = True
    n_splits = 1

    @explain_parameters
    def __init__(self, n_last: int = 1):
        self.n_last = n_last

    def _split(self, X: Features, y: Labels, groups: Ids, times: Values) -> Splits:
        codes = read_group_codes(X, y, groups)
        check_count(self.n_last, 1, "n_last")
        order = np.lexsort((read_times_of(X, y, times).ranks, codes))
        sizes = np.bincount(codes)
        from_end = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(codes))  # 1 for a group's last row
        in_test = np.empty(len(codes), dtype=bool)
        in_test[order] = (from_end <= self.n_last) & np.repeat(sizes > self.n_last, sizes)
        if not in_test.any():
            most = sizes.max()
            fix = f"Pass n_last={most - 1}." if most > 1 else "Pass a group of several rows."
            fail("n_last", f"be less than the size of the largest group ({most} rows)", self.n_last, fix)
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)
