"""`TimeCut`: the split of a log at dates, into past and future."""

import datetime
import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import Ridge

from sklearn_rank import TimeCut, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.model_selection import check_folds
from tests.helpers.naming import name_of

TEN = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])


def split(times, **options):
    """Return the rows of each fold."""
    folds = TimeCut(**options).split(np.zeros((len(times), 1)), times=times)
    return [(train.tolist(), test.tolist()) for train, test in folds]


def times_of_tests(times, **options):
    """Return the times of each test, sorted."""
    return [sorted(np.asarray(times)[test].tolist()) for _, test in split(times, **options)]


# ------------------------------------------------------------------ sizes and order


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=40), st.integers(1, 4))
def test_time_cut_trains_on_earlier_rows_and_never_cuts_equal_times(times, n_splits):
    times = np.array(times)
    if len(set(times.tolist())) <= n_splits:
        with pytest.raises(ValueError, match=r"'n_splits' .* be less than the number of different times"):
            split(times, n_splits=n_splits)
        return
    folds = split(times, n_splits=n_splits)
    assert len(folds) == n_splits
    for train, test in folds:
        assert train and test
        assert times[train].max() < times[test].min()
        assert sorted(train) == np.flatnonzero(times < times[test].min()).tolist()
        assert sorted(test) == np.flatnonzero(np.isin(times, times[test])).tolist()
    begin = times[folds[0][1]].min()
    assert sorted(row for _, test in folds for row in test) == np.flatnonzero(times >= begin).tolist()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 12), min_size=5, max_size=40).filter(lambda times: len(set(times)) > 3),
    st.integers(1, 3),
    st.sampled_from([0.1, 0.2, 0.3]),
)
def test_time_cut_sets_are_as_close_to_test_size_as_equal_times_allow(times, n_splits, share):
    sizes = np.unique(times, return_counts=True)[1]
    wanted = share * len(times)

    def apart(sizes):
        return sum((size - wanted) ** 2 for size in sizes)

    begins = combinations(range(1, len(sizes)), n_splits)
    least = min(apart(np.add.reduceat(sizes, np.array(begin))) for begin in begins)
    got = apart(len(test) for _, test in split(times, n_splits=n_splits, test_size=share))
    assert got == pytest.approx(least)


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, [20]),
        ({"n_splits": 4}, [20] * 4),
        ({"n_splits": 9}, [10] * 9),
        ({"test_size": 0.35}, [35]),
        ({"n_splits": 2, "test_size": 7}, [7, 7]),
        ({"n_splits": 3, "test_size": Fraction(1, 10)}, [10] * 3),
    ],
    ids=repr,
)
def test_test_size_sets_the_rows_of_test_sets(options, sizes):
    assert [len(test) for test in times_of_tests(np.arange(100), **options)] == sizes


def test_time_cut_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    times, order = rng.integers(0, 50, 200), rng.permutation(200)
    for (train, test), (mixed_train, mixed_test) in zip(
        split(times, n_splits=3), split(times[order], n_splits=3)
    ):
        assert set(order[mixed_train]) == set(train)
        assert set(order[mixed_test]) == set(test)


# ------------------------------------------------------------------ dates


def test_time_cut_cuts_begin_test_sets_that_end_before_the_next_cut():
    assert times_of_tests(TEN, cuts=[3, 6]) == [[3, 3, 4, 5, 5], [6, 9]]
    assert split(TEN, cuts=[3.5]) == [([0, 1, 3, 6, 9], [2, 4, 5, 7, 8])]
    assert TimeCut(cuts=[3, 6]).get_n_splits() == 2


DAYS = np.array(["2024-03-01", "2024-01-01", "2024-02-01", "2024-04-01"], dtype="M8[D]")


def plain_dates(kind):
    return [kind(2024, month, 1) for month in (3, 1, 2, 4)]


def stamps(zone=None):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(pandas.DatetimeIndex(DAYS).tz_localize(zone))


def stamp(text, zone=None):
    return pytest.importorskip("pandas").Timestamp(text, tz=zone)


def span(days):
    return pytest.importorskip("pandas").Timedelta(days=days)


def levels():
    pandas = pytest.importorskip("pandas")
    return pandas.Categorical([5, 7, 1, 3], categories=[7, 1, 5, 3], ordered=True)


# Times of four rows, with ranks 2, 0, 1 and 3, and a date that is after the first two and at most the third.
FORMS = {
    "days": (lambda: DAYS, lambda: np.datetime64("2024-02-15")),
    "days and hours": (lambda: DAYS, lambda: np.datetime64("2024-02-01T01", "h")),
    "nanoseconds": (lambda: DAYS.astype("M8[ns]"), lambda: np.datetime64("2024-03-01")),
    "text": (lambda: DAYS, lambda: "2024-03-01"),
    "datetime": (lambda: DAYS, lambda: datetime.datetime(2024, 2, 1, 3)),
    "date": (lambda: DAYS, lambda: datetime.date(2024, 3, 1)),
    "pandas": (stamps, lambda: stamp("2024-02-20")),
    "pandas and text": (stamps, lambda: "2024-03-01"),
    "zone": (lambda: stamps("UTC"), lambda: stamp("2024-03-01 00:00", "Europe/Berlin")),
    "zone and text": (lambda: stamps("Europe/Berlin"), lambda: "2024-03-01"),
    "datetimes": (lambda: plain_dates(datetime.datetime), lambda: datetime.datetime(2024, 3, 1)),
    "datetimes and text": (lambda: plain_dates(datetime.datetime), lambda: "2024-02-05T12:00"),
    "dates": (lambda: plain_dates(datetime.date), lambda: datetime.date(2024, 2, 3)),
    "list of days": (lambda: list(DAYS), lambda: "2024-03"),
    "spans": (lambda: DAYS - DAYS[1], lambda: np.timedelta64(40, "D")),
    "spans of datetime": (lambda: DAYS - DAYS[1], lambda: datetime.timedelta(days=59, hours=3)),
    "spans of pandas": (lambda: DAYS - DAYS[1], lambda: span(33)),
    "integers": (lambda: [2, 0, 1, 3], lambda: np.int8(2)),
    "large integers": (lambda: np.array([2, 0, 1, 3]) + 2**62, lambda: 2**62 + 2),
    "floats": (lambda: [2.0, 0.0, 1.0, 3.0], lambda: 1.5),
    "decimals": (lambda: [Decimal(n) for n in (2, 0, 1, 3)], lambda: Decimal("1.1")),
    "fractions": (lambda: [Fraction(n) for n in (2, 0, 1, 3)], lambda: 1.25),
    "truth": (lambda: np.array([True, False, False, True]), lambda: 1),
    "categories": (levels, lambda: 5),
}


@pytest.mark.parametrize("form", FORMS)
def test_time_cut_cuts_of_the_type_of_the_times_are_accepted(form):
    times, cut = (make() for make in FORMS[form])
    assert split(times, cuts=[cut]) == [([1, 2], [0, 3])]


@pytest.mark.parametrize(
    ("times", "cut"),
    [
        (lambda: TEN, "2024-01-01"),
        (lambda: TEN, "3"),
        (lambda: TEN, np.datetime64("2024-01-01")),
        (lambda: TEN, np.timedelta64(3)),
        (lambda: TEN, np.nan),
        (lambda: TEN, None),
        (lambda: TEN, True),
        (lambda: DAYS, 5),
        (lambda: DAYS, "March"),
        (lambda: DAYS, np.datetime64("NaT")),
        (lambda: DAYS, datetime.datetime(2024, 2, 1, tzinfo=datetime.UTC)),
        (lambda: DAYS - DAYS[0], 5),
        (lambda: plain_dates(datetime.datetime), 7),
        (levels, 6),
        (levels, "5"),
    ],
    ids=name_of,
)
def test_time_cut_cuts_of_another_type_are_rejected(times, cut):
    with pytest.raises(ValueError, match=r"'cuts' .* of TimeCut must contain dates of the same type as"):
        split(times(), cuts=[cut])


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ([1], "leave rows for training before each date. Got none before 1"),
        ([0, 5], "leave rows for training before each date. Got none before 0"),
        ([10], "have test rows before the next date. Got none at or after 10"),
        ([5, 5], "be in increasing order and have test rows before the next date. Got none at or after 5"),
        ([5, 3], "in increasing order .* Got none at or after 5"),
        ([6.5, 7], "in increasing order .* Got none at or after 6.5"),
    ],
    ids=repr,
)
def test_time_cut_cuts_that_leave_a_set_empty_are_rejected(cuts, message):
    with pytest.raises(ValueError, match=rf"'cuts' parameter of TimeCut must .*{message}"):
        split(TEN, cuts=cuts)


# ------------------------------------------------------------------ other arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_splits": 0}, "'n_splits' parameter of TimeCut must be an int >= 1"),
        ({"n_splits": 2.0}, "'n_splits' parameter of TimeCut must be an int >= 1"),
        ({"n_splits": 7}, "'n_splits' .* must be less than the number of different times \\(7\\). Got 7"),
        *[
            ({"test_size": s}, "'test_size' .* must be a positive float or a number")
            for s in (0, -0.1, "1", True)
        ],
        *[({"test_size": s}, "'test_size' .* must leave rows for training") for s in (1.0, 10, np.inf)],
        ({"test_size": np.nan}, "'test_size' .* must"),
        ({"n_splits": 2, "test_size": 0.5}, r"'test_size' .* < 1\). Got 2 \* 0.5"),
        ({"cuts": []}, "'cuts' parameter of TimeCut must contain at least one date"),
        ({"cuts": 3}, "'cuts' parameter of TimeCut must be a list of dates"),
        ({"cuts": "2024-01-01"}, "'cuts' parameter of TimeCut must be a list of dates"),
        ({"cuts": [3], "test_size": 0.2}, "'test_size' parameter of TimeCut must be None if 'cuts' is given"),
        (
            {"cuts": [3, 5], "n_splits": 3},
            "'n_splits' .* must equal the number of 'cuts' \\(2\\) or be left out",
        ),
    ],
    ids=repr,
)
def test_time_cut_rejects_bad_options_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        split(TEN, **options)


def test_time_cut_rejects_text_and_missing_times():
    for times, rule in (
        (["a", "b"], "contain numbers, dates or ordered categories"),
        (None, "contain the time"),
    ):
        with pytest.raises(ValueError, match=rf"'times' parameter of TimeCut\.split must {rule}"):
            next(TimeCut().split(np.zeros((2, 1)), times=times))


def test_time_cut_reads_times_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"day": TEN})
    expected = split(TEN)[0][1]
    assert next(TimeCut().split(frame, times="day"))[1].tolist() == expected
    assert next(TimeCut().split(frame.set_index("day"), times="day"))[1].tolist() == expected


# ------------------------------------------------------------------ in scikit-learn


@pytest.fixture
def log(ranking_data):
    X, y, users = ranking_data
    return X, y, users, np.random.default_rng(1).integers(0, 300, len(y))


@pytest.mark.parametrize("cv", [TimeCut(), TimeCut(3), TimeCut(cuts=[100, 200])], ids=repr)
def test_cross_val_score_passes_users_and_times(cv, routing, log, recwarn):
    X, y, users, times = log
    expected = []
    for train, test in cv.split(X, times=times):
        assert set(users[train]) & set(users[test])
        predicted = Ridge().fit(X[train], y[train]).predict(X[test])
        expected.append(ndcg_score(y[test], predicted, groups=users[test], k=3))
    options = {"scoring": "ndcg@3", "groups": users, "cv": cv, "params": {"times": times}}
    assert cross_val_score(Ridge(), X, y, **options).tolist() == expected
    assert len(recwarn) == 0  # it cuts users on purpose
    with config_context(enable_metadata_routing=True):
        params = {"times": times, "groups": users}
        got = theirs.cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=3), cv=cv, params=params)
    assert got.tolist() == expected


def test_check_folds_accepts_time_cut(log):
    X, y, users, times = log
    assert len(check_folds(TimeCut(2), X, y, groups=users, params={"times": times})) == 2


@pytest.mark.parametrize("cv", [TimeCut(3, test_size=0.1), TimeCut(cuts=["2024-01-01"])], ids=repr)
def test_time_cut_survives_clone_pickle_and_repr(cv):
    for copy in (clone(cv, safe=False), pickle.loads(pickle.dumps(cv)), eval(repr(cv))):
        assert vars(copy) == vars(cv)


@pytest.mark.parametrize(
    ("times", "n_splits", "sizes"),
    [
        (np.r_[np.zeros(12_000), np.arange(1, 8001)], 4, [2000] * 4),
        (np.r_[np.arange(1000), np.full(18_000, 1000), np.arange(1001, 2001)], 4, [250] * 4),
        (np.r_[np.zeros(60), np.arange(1, 41)], 3, [13, 13, 14]),
    ],
    ids=["at the beginning", "in the middle", "few rows"],
)
def test_time_cut_sets_are_even_with_many_rows_of_one_time(times, n_splits, sizes):
    times = np.random.default_rng(0).permutation(times)
    tests = [len(test) for _, test in TimeCut(n_splits).split(times, times=times)]
    np.testing.assert_allclose(sorted(tests), sizes, atol=1)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("20151012", "2015-10-12"),
        ("20170306", "2017-03-06"),
        ("2015-10-12T12:30", "2015-10-12T12:30"),
        ("2016", "2016-01-01"),
        ("2016-05", "2016-05-01"),
    ],
)
@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_time_cut_cuts_accept_iso_text_for_times_of_any_unit(text, date, unit):
    times = np.arange("2015-01-01", "2026-01-01", dtype="M8[D]").astype(f"M8[{unit}]")
    train, _ = next(TimeCut(cuts=[text]).split(times, times=times))
    assert len(train) == np.count_nonzero(times < np.datetime64(date))


@pytest.mark.parametrize("text", ["now", "today", "2024-01-01T12:00+05:00", "May 2024"])
def test_time_cut_cuts_reject_text_that_is_not_an_iso_date(text):
    times = np.arange("2024-01-01", "2024-12-31", dtype="M8[D]")
    with pytest.raises(ValueError, match=r"'cuts' parameter of TimeCut must contain dates of the same type"):
        next(TimeCut(cuts=[text]).split(times, times=times))


def test_time_cut_cuts_keep_nanoseconds_of_pandas():
    pandas = pytest.importorskip("pandas")
    times = pandas.Series(pandas.to_datetime(17 * 10**17 + np.arange(10) * 300))
    train, _ = next(TimeCut(cuts=[times[6]]).split(times, times=times))
    assert train.tolist() == list(range(6))
