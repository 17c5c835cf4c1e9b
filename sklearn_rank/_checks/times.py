"""Reading of the times of rows, and of dates among them, in one way for all containers."""

import re
from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from .arrays import flatten
from .codes import first_rows, rank_ids
from .errors import fail, is_real, shorten
from .groups import check_groups
from .types import Values

TEXT = "Convert text, which sorts '10' before '9', with pandas.to_datetime or pandas.to_numeric."
NO_DAY = re.compile(r"[0-9]{4}(-[0-9]{2})?")  # a year or a month, which means its first day
LOWEST, HIGHEST = 1e8, 1e11  # seconds since 1970 that are compared with times in other units
SPREAD = 10  # maximum ratio of two times in the same unit that are compared


class Times(NamedTuple):
    """Checked times of rows."""

    ranks: np.ndarray  # index into `dates` of each row's time
    dates: np.ndarray  # the distinct times, sorted; dates are of numpy, and in UTC if they have a zone
    zones: set[Any]  # time zones of dates, as objects or names; None means that they have no zone
    are_categories: bool

    def as_numbers(self) -> np.ndarray:
        """Return the distinct times as floats: dates and spans in milliseconds, other types as ranks."""
        dates, kind = self.dates, self.dates.dtype.kind
        if kind in "Mm":
            return dates.astype(f"{kind}8[us]").astype(np.int64) / 1000
        try:
            with np.errstate(over="ignore"):  # a longdouble can be beyond the range
                return dates.astype(np.float64)
        except (TypeError, ValueError, OverflowError):  # such as names of categories
            return np.arange(len(dates), dtype=np.float64)


def read_times(times: Values, n_rows: int) -> Times:
    """Check the times of rows: numbers in one unit, dates or ordered categories. Rank them."""
    kind: Any = getattr(times, "dtype", getattr(times, "type", None))  # Arrow's attribute is `type`
    zone = getattr(kind, "tz", getattr(kind, "time_zone", None))  # polars's attribute is `time_zone`
    if hasattr(kind, "tz") and hasattr(times, "dtype"):  # pandas
        times = np.asarray(times, dtype=f"M8[{kind.unit}]")
    ordered = _as_ordered(times, kind)
    ranks = rank_ids(check_groups(ordered, n_rows, "times"))
    entries = flatten(np.asarray(times, dtype=object if isinstance(times, list | tuple) else None))
    dates, zones = entries[first_rows(ranks)], {zone}
    if ordered is times and len(dates) and isinstance(dates[0], str | bytes):  # all are of one type
        fail("times", "contain numbers, dates or ordered categories as times", repr(dates.tolist()[0]), TEXT)
    if dates.dtype == object and len(dates) and isinstance(dates[0], date | timedelta | np.datetime64):
        zones = {getattr(each, "tzinfo", None) for each in dates}
        dates = np.array([_as_numpy(each) for each in dates])
    read = Times(ranks, dates, zones, ordered is not times)
    if dates.dtype.kind != "m" and not read.are_categories:
        _check_unit(read)
    return read


def _as_ordered(times: Any, kind: Any) -> Values:
    """Return ordered categories as numbers; return anything else unchanged."""
    if getattr(kind, "ordered", False) is True and hasattr(times, "dtype"):  # pandas
        codes = np.asarray(getattr(times, "cat", times).codes)
        return np.where(codes < 0, np.nan, codes)
    return times.to_physical() if str(kind).startswith("Enum(") else times  # polars


def _as_numpy(date: Any) -> Any:
    """Convert a date or a time span of Python or pandas to numpy, in UTC if it has a time zone."""
    if hasattr(date, "to_numpy"):  # keeps the nanoseconds of pandas
        return date.to_numpy()
    if getattr(date, "tzinfo", None) is not None:
        date = date.astimezone(UTC).replace(tzinfo=None)
    return np.timedelta64(date) if isinstance(date, timedelta | np.timedelta64) else np.datetime64(date)


def _check_unit(times: Times) -> None:
    """Check that times are not in two units, such as seconds and milliseconds since 1970.

    Times in two units form clusters whose values differ by a factor of 1,000 or a power of it.
    """
    values = times.as_numbers()
    places = np.flatnonzero((values > LOWEST) & (values < np.inf))
    factors = np.floor(np.log(values[places] / LOWEST) / np.log(HIGHEST / LOWEST))
    seconds = values[places] / (HIGHEST / LOWEST) ** factors
    if len(places) and factors[0] != factors[-1] and seconds.max() < SPREAD * seconds.min():
        got = f"{times.dates[places[0]]} and {times.dates[places[-1]]}"
        fix = "They look like seconds and milliseconds. Divide the large ones by 1000 first."
        fail("times", "contain times in one unit", got, fix)


def find_cut(cut: Any, times: Times) -> int:
    """Return the rank of the first time that is not before a date, which has a type like the times'."""
    dates: Any = times.dates
    try:
        cut = cut.as_py() if callable(getattr(cut, "as_py", None)) else cut  # a scalar of Arrow
        if times.are_categories:
            return dates.tolist().index(cut)
        date = _read_date(cut, times)
        if date == date:
            return _find_place(date, dates)
        error = "it is missing"
    except Exception as raised:  # dates of other types raise various errors
        error = str(raised)
    fix = ""
    if isinstance(dates[0], Number) and not isinstance(dates[0], np.datetime64 | np.timedelta64 | np.bool_):
        fix = 'If times are in seconds, pass times=pandas.to_datetime(times, unit="s").'
    rule = f"contain dates of the same type as the times, such as {shorten(repr(_plain(dates[0])))}"
    fail("cuts", rule, f"{cut!r} ({error})", fix)


def _find_place(date: Any, dates: Any) -> int:
    """Return the rank of the first date that is not before another one."""
    if isinstance(date, np.datetime64):  # numpy compares dates beyond the range of nanoseconds wrongly
        at, first, last = (each.astype("M8[us]") for each in (date, dates[0], dates[-1]))
        if not first <= at <= last:
            return len(dates) * int(at > last)
    return bisect_left(dates, date, key=_plain)


def _plain(time: object) -> Any:
    """Return a numpy number as a Python number, which compares exactly."""
    is_span = isinstance(time, np.timedelta64)
    return time.item() if isinstance(time, np.number | np.bool_) and not is_span else time


def _read_date(cut: Any, times: Times) -> Any:
    """Convert a date to the type of the times; without a zone, it is in the zone of the times."""
    time = times.dates[0]
    if isinstance(time, np.datetime64):
        if isinstance(cut, str):
            cut = np.datetime64(cut) if NO_DAY.fullmatch(cut) else datetime.fromisoformat(cut)
        is_naive = getattr(cut, "tzinfo", None) is None
        if not is_naive and None in times.zones:
            raise TypeError("the times have no time zone")
        date = _as_numpy(cut)
        return date - _find_offset(date, times.zones) if is_naive and None not in times.zones else date
    if isinstance(time, np.timedelta64):
        if not isinstance(cut, timedelta | np.timedelta64):
            raise TypeError("it is not a time span")
        return _as_numpy(cut)
    if isinstance(time, Number | np.bool_):
        if not (is_real(cut) or isinstance(cut, Decimal)):
            raise TypeError("it is not a number")
        return _plain(cut)
    if isinstance(cut, str) and hasattr(time, "fromisoformat"):
        return type(time).fromisoformat(cut)
    if not isinstance(cut, type(time)):
        raise TypeError(f"it is not a {type(time).__name__}")
    return cut


def _find_offset(date: np.datetime64, zones: set[Any]) -> np.timedelta64:
    """Return the offset from UTC of a date in the only one of these time zones."""
    if len(zones) > 1:
        raise TypeError("the times have several time zones")
    [zone] = zones
    zone = getattr(zone, "zone", None) or zone  # of pytz, by name
    if isinstance(zone, str):
        from zoneinfo import ZoneInfo

        is_offset = zone[0] in "+-"  # as in Arrow
        zone = datetime.strptime(zone, "%z").tzinfo if is_offset else ZoneInfo(zone)
    return np.timedelta64(zone.utcoffset(date.astype("M8[us]").item()))
