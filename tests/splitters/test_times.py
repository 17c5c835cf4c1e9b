"""Times of rows: equal folds for equal instants in all containers, time zones, and times in two units."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from sklearn_rank import GroupTimeSeriesSplit, LeaveLastOut, TimeCut, from_interactions

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

# Every hour from March 30 to April 1, 2024, in Berlin, which has no hour 2 on March 31.
HOURS = pandas.Series(pandas.date_range("2024-03-30", "2024-04-01T23:00", freq="h", tz="Europe/Berlin"))
MIXED = HOURS.sample(frac=1, random_state=0, ignore_index=True)
SESSIONS = np.random.default_rng(0).integers(0, 9, len(HOURS))
CONTAINERS = {
    "pandas": lambda times: times,
    "pandas index": pandas.DatetimeIndex,
    "pandas milliseconds": lambda times: times.dt.as_unit("ms"),
    "pandas objects": lambda times: times.astype(object),
    "pandas of Arrow": lambda times: times.astype(pandas.ArrowDtype(pyarrow.array(times).type)),
    "polars": lambda times: pytest.importorskip("polars").from_pandas(times),
    "polars milliseconds": lambda times: (
        pytest.importorskip("polars").from_pandas(times).dt.cast_time_unit("ms")
    ),
    "Arrow": pyarrow.array,
    "Arrow in chunks": lambda times: pyarrow.chunked_array([times[:5], times[5:]]),
    "datetimes": lambda times: [time.to_pydatetime() for time in times],
    "timestamps": list,
}
# Cuts, with the number of earlier hours: 24 hours on March 30, 23 on March 31.
NAIVE = {
    "text": ("2024-04-01", 47),
    "month": ("2024-04", 47),
    "text with hours": ("2024-03-31T04:00", 27),
    "date": (datetime.date(2024, 4, 1), 47),
    "datetime": (datetime.datetime(2024, 4, 1, 0, 30), 48),
    "datetime64": (np.datetime64("2024-04-01T01", "h"), 48),
    "Timestamp": (pandas.Timestamp("2024-03-31 00:00:00.000000001"), 25),
}
AWARE = {
    "text with offset": ("2024-04-01T00:00+02:00", 47),
    "text of UTC": ("2024-03-31T22:00Z", 47),
    "datetime of the zone": (datetime.datetime(2024, 4, 1, tzinfo=ZoneInfo("Europe/Berlin")), 47),
    "datetime of another zone": (datetime.datetime(2024, 4, 1, tzinfo=ZoneInfo("Asia/Tokyo")), 40),
    "Timestamp of another zone": (pandas.Timestamp("2024-04-01", tz="Asia/Tokyo"), 40),
    "scalar of Arrow": (pyarrow.scalar(HOURS[47].to_pydatetime()), 47),
}
CUTS = {name: cut for name, (cut, _) in (NAIVE | AWARE).items()}
SPLITTERS = [TimeCut(3), LeaveLastOut(2), GroupTimeSeriesSplit(1, test_size=1)]
CONTAINER = pytest.mark.parametrize("container", CONTAINERS)


def split(splitter, times):
    folds = splitter.split(np.zeros((len(times), 1)), groups=SESSIONS[: len(times)], times=times)
    return [(train.tolist(), test.tolist()) for train, test in folds]


@pytest.mark.parametrize("cut", CUTS)
@CONTAINER
def test_cuts_mean_the_same_instant_in_every_container(container, cut):
    times, (date, n_before) = CONTAINERS[container](MIXED), (NAIVE | AWARE)[cut]
    earlier = np.isin(MIXED, HOURS[:n_before])
    expected = [(np.flatnonzero(earlier).tolist(), np.flatnonzero(~earlier).tolist())]
    assert split(TimeCut(cuts=[date]), times) == expected


@pytest.mark.parametrize("cut", NAIVE)
@CONTAINER
def test_naive_cuts_of_naive_times_are_in_their_own_zone(container, cut):
    local, (date, n_before) = MIXED.dt.tz_localize(None), NAIVE[cut]
    [(train, _)] = split(TimeCut(cuts=[date]), CONTAINERS[container](local))
    assert train == np.flatnonzero(np.isin(MIXED, HOURS[:n_before])).tolist()


@pytest.mark.parametrize("cut", AWARE)
@CONTAINER
def test_cuts_with_a_zone_are_rejected_for_naive_times(container, cut):
    times = CONTAINERS[container](MIXED.dt.tz_localize(None))
    with pytest.raises(ValueError, match=r"'cuts' .* of TimeCut must .*\(the times have no time zone\)"):
        split(TimeCut(cuts=[CUTS[cut]]), times)


@pytest.mark.filterwarnings("ignore:GroupTimeSeriesSplit")  # sessions overlap
@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
@CONTAINER
def test_splitters_by_time_return_equal_folds_for_every_container(container, splitter):
    if isinstance(splitter, GroupTimeSeriesSplit):  # needs a session that ends before another begins
        times = pandas.Series(HOURS.to_numpy()[np.argsort(np.argsort(SESSIONS, kind="stable"))])
    else:
        times = MIXED
    seconds = times.astype("int64")
    assert split(splitter, CONTAINERS[container](times)) == split(splitter, seconds)


@pytest.mark.parametrize("zone", ["+02:00", "Etc/GMT-2", "UTC"])
def test_naive_cuts_of_arrow_use_zones_with_any_name(zone):
    instants = HOURS.dt.tz_convert("UTC").dt.tz_localize(None)
    times = pyarrow.array(instants, pyarrow.timestamp("us", zone))
    [(train, _)] = split(TimeCut(cuts=["2024-03-31T12:00"]), times)
    offset = pandas.Timedelta(hours=0 if zone == "UTC" else 2)
    assert len(train) == (instants + offset < pandas.Timestamp("2024-03-31T12:00")).sum()


def test_naive_cuts_are_rejected_if_times_have_several_zones():
    times = [
        datetime.datetime(2024, 1, day, tzinfo=datetime.timezone(datetime.timedelta(hours=day)))
        for day in range(1, 9)
    ]
    with pytest.raises(ValueError, match=r"'cuts' .* \(the times have several time zones\)"):
        split(TimeCut(cuts=["2024-01-05"]), times)
    assert split(TimeCut(cuts=["2024-01-05T00:00Z"]), times)[0][0] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("cut", "message"),
    [("3000-01-01", "none at or after '3000"), ("1500-01-01", "none before '1500")],
)
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_cuts_beyond_the_range_of_nanoseconds_are_compared(cut, message, unit):
    times = np.arange("2024-01-01", "2024-02-01", dtype="M8[D]").astype(f"M8[{unit}]")
    with pytest.raises(ValueError, match=message):
        split(TimeCut(cuts=[cut]), times)


# ------------------------------------------------------------------ times in two units

NOW = 1_700_000_000 + 3600 * np.arange(40)
IN_TWO_UNITS = {
    "seconds and milliseconds": np.where(np.arange(40) % 2, NOW * 1000, NOW),
    "one row in milliseconds": np.where(np.arange(40) == 7, NOW * 1000, NOW),
    "floats": np.where(np.arange(40) % 2, NOW * 1000, NOW) + 0.5,
    "milliseconds and nanoseconds": np.where(np.arange(40) % 2, NOW * 1000, NOW * 10**9),
    "two decades": np.where(np.arange(40) % 2, (NOW - 600_000_000) * 1000, NOW),
    "unknown times": np.where(np.arange(40) < 3, 0, np.where(np.arange(40) % 2, NOW * 1000, NOW)),
    "dates": np.where(np.arange(40) % 2, NOW * 1000, NOW).astype("M8[ms]"),
}
IN_ONE_UNIT = {
    "seconds": NOW,
    "milliseconds": NOW * 1000,
    "nanoseconds": NOW * 10**9,
    "two decades": np.where(np.arange(40) % 2, NOW - 600_000_000, NOW),
    "across a power of 1,000": np.linspace(5e10, 2e12, 40),
    "numbers of any size": np.geomspace(1, 1e15, 40),
    "unknown times": np.where(np.arange(40) < 3, 0, NOW),
    "days": 10**8 + np.arange(40),
    "an epoch in another zone": np.where(np.arange(40) < 3, 3600, NOW).astype("M8[s]"),
    "dates from 1970": np.arange("1970-01-01", "2025-01-01", dtype="M8[M]")[::16][:40],
    "spans": np.where(np.arange(40) % 2, NOW * 1000, NOW).astype("m8[ms]"),
}
FORMS = {
    "numpy": np.asarray,
    "list": np.ndarray.tolist,
    "pandas": pandas.Series,
    "polars": lambda times: pytest.importorskip("polars").Series(times),
    "Arrow": pyarrow.array,
}
FORM = pytest.mark.parametrize("form", FORMS)


@pytest.mark.parametrize(
    "splitter", [TimeCut(), LeaveLastOut(), GroupTimeSeriesSplit(1, test_size=1)], ids=repr
)
@FORM
@pytest.mark.parametrize("name", IN_TWO_UNITS)
def test_splitters_reject_times_in_two_units(name, form, splitter):
    kind = type(splitter).__name__
    with pytest.raises(
        ValueError, match=rf"'times' .* of {kind}.split must contain times in one unit. Got .* and .*"
    ):
        split(splitter, FORMS[form](IN_TWO_UNITS[name]))


@FORM
@pytest.mark.parametrize("name", IN_ONE_UNIT)
def test_splitters_accept_times_in_one_unit(name, form):
    times = IN_ONE_UNIT[name]
    if form == "polars" and name == "spans":
        times = times.astype("m8[us]")
    if times.dtype == "M8[M]" and form in ("pandas", "polars", "Arrow"):
        times = times.astype("M8[ms]")
    assert len(split(LeaveLastOut(), FORMS[form](times))) == 1


def test_from_interactions_rejects_times_in_two_units():
    frame = {"user": ["a", "a"], "item": ["x", "x"], "rating": [1, 2], "time": [NOW[0], NOW[1] * 1000]}
    recommended = pandas.DataFrame({"user": ["a"], "item": ["x"], "score": [1.0]})
    with pytest.raises(
        ValueError, match="'interactions' parameter of from_interactions must contain times in one unit"
    ):
        from_interactions(pandas.DataFrame(frame), recommended)


@CONTAINER
def test_from_interactions_uses_the_last_time_of_every_container(container):
    times = CONTAINERS[container](pandas.Series([HOURS[5], HOURS[2]]))
    frame = {"user": ["a", "a"], "item": ["x", "x"], "rating": [5, 2], "time": times}
    recommended = pandas.DataFrame({"user": ["a"], "item": ["x"], "score": [1.0]})
    if "polars" in container:
        interactions = pytest.importorskip("polars").DataFrame(frame)
    elif container.startswith("Arrow"):
        interactions = pyarrow.table(frame)
    else:
        interactions = pandas.DataFrame(frame)
    y_true, _, _ = from_interactions(interactions, recommended)
    assert y_true.tolist() == [5]


MORNING = [datetime.time(hour) for hour in range(6, 12)]


@pytest.mark.parametrize("cut", ["09:00", datetime.time(9)], ids=["text", "time"])
def test_cuts_of_times_of_day_are_times_or_text(cut):
    assert split(TimeCut(cuts=[cut]), MORNING) == [([0, 1, 2], [3, 4, 5])]


def test_cuts_of_another_type_than_times_of_day_raise():
    with pytest.raises(ValueError, match=r"'cuts' parameter of TimeCut.*it is not a time"):
        split(TimeCut(cuts=[9]), MORNING)
