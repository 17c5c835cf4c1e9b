"""Times of rows: read, ranked and cut, for the splitters that train on the past and test on the future."""

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

from ..._checks.arrays import flatten
from ..._checks.codes import first_rows, rank_ids
from ..._checks.containers import check_same_order, count_rows, read_named
from ..._checks.errors import fail, is_real
from ..._checks.groups import check_groups
from ..._checks.types import ArrayLike, Features, Groups, Ids, Labels, Values

TIMES = (
    "hold numbers, dates or ordered categories, as text sorts by its letters ('10' before '9'): "
    "convert it by pandas.to_datetime or pandas.to_numeric"
)
NO_DAY = re.compile(r"[0-9]{4}(-[0-9]{2})?")  # a year or a month, which begins with its first day
N_NEAR = 50  # beginnings of groups on each side of where a part should begin, to choose from
N_SPREAD = 512  # beginnings over all rows to choose from first, where a single group is large


class Times(NamedTuple):
    """Checked times of rows."""

    ranks: np.ndarray  # of each row's time among the dates
    dates: np.ndarray  # the different times in their order
    are_categories: bool


class TimedSplitter(BaseCrossValidator):
    """What the splitters by the times of rows share."""

    __metadata_request__split = {"groups": True, "times": True}  # noqa: RUF012 - scikit-learn's own way

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

    @abstractmethod
    def _count_folds(self) -> int:
        """Return the number of folds."""

    @abstractmethod
    def _split(
        self, X: Features, y: Labels, groups: Ids, times: Values
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on."""


def read_times(times: Values, X: Features, y: Labels) -> Times:
    """Check the times of the rows, or read them by name, and rank them."""
    check_same_order(X=X, y=y, times=times)
    if isinstance(times, str):
        times = read_named(times, X, y, "times")
    if times is None:
        rule = 'hold the time of each row, as cross_val_score(..., cv=TimeCut(), params={"times": times})'
        fail("times", rule, None)
    ordered = _as_ordered(times)
    ids = check_groups(ordered, count_rows(X), "times")
    entries = flatten(np.asarray(ordered, dtype=None if hasattr(ordered, "dtype") else object))
    if len(entries) and isinstance(entries[0], str | bytes):  # as all are, being of one type
        fail("times", TIMES, f"text such as {entries[:1].tolist()[0]!r}")
    ranks = rank_ids(ids)
    firsts = first_rows(ranks)
    are_categories = ordered is not times
    return Times(ranks, (np.asarray(times) if are_categories else entries)[firsts], are_categories)


def _as_ordered(times: Any) -> Values:
    """Return ordered categories as numbers; anything else as it is."""
    kind = getattr(times, "dtype", None)
    if getattr(kind, "ordered", False) is True:  # of pandas
        codes = np.asarray(getattr(times, "cat", times).codes)
        return np.where(codes < 0, np.nan, codes)
    return times.to_physical() if str(kind).startswith("Enum(") else times  # of polars


def find_cut(cut: object, times: Times) -> int:
    """Return the rank of the first of the times that is not before a date."""
    dates: Any = times.dates
    try:
        if times.are_categories:
            return dates.tolist().index(cut)
        date = _read_date(cut, dates[0])
        if date == date:
            return bisect_left(dates, date, key=_plain)
        error = "it is missing"
    except Exception as raised:  # whatever dates of other kinds raise when they are read or compared
        error = str(raised)
    rule = f"hold dates of the kind that the times are, such as {_plain(dates[0])!r}"
    if isinstance(dates[0], Number) and not isinstance(dates[0], np.datetime64 | np.timedelta64 | np.bool_):
        rule += ', or come with times=pandas.to_datetime(times, unit="s") where these count seconds'
    fail("cuts", rule, f"{cut!r} ({error})")


def _plain(time: object) -> Any:
    """Return one of numpy's numbers as one of Python's, which compare exactly."""
    is_span = isinstance(time, np.timedelta64)
    return time.item() if isinstance(time, np.number | np.bool_) and not is_span else time


def _read_date(cut: object, time: object) -> Any:
    """Return a date as one of the kind that the times are."""
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
    """Return where consecutive tests at the end begin, and the end, so that each has about `wanted` rows.

    Of groups, or equal times, of so many rows in their order, the sum of squared differences is least; the
    first one is left to train on. Where there are many, only those near the wanted places are looked at.
    """
    n_parts, before = len(sizes), np.concatenate(([0], np.cumsum(sizes)))
    number = np.arange(n_tests)
    near = np.searchsorted(before, before[-1] - (n_tests - number) * wanted)
    if 4 * sizes.max() > wanted:  # the wanted places may all lie in one group: what is near is of no use
        rows = np.linspace(0, before[-1], max(N_SPREAD, 3 * n_tests))
        places = np.searchsorted(before, rows)
        edges = np.concatenate((places, places - 1, number + 1, n_parts - n_tests + number))
        spread = np.unique(np.clip(edges, 1, n_parts - 1))
        near = _choose_begins(np.broadcast_to(spread, (n_tests, len(spread))), before, wanted)
    around = near[:, None] + np.arange(-N_NEAR, N_NEAR + 1)
    begins = np.clip(around, number[:, None] + 1, n_parts - n_tests + number[:, None])
    return np.append(_choose_begins(begins, before, wanted), n_parts)


def _choose_begins(begins: np.ndarray, before: np.ndarray, wanted: float) -> np.ndarray:
    """Choose one of the places at which each test may begin, the sum of squared differences least."""
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
