"""Splitters within groups: folds of each group, and its last rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import GroupTimeSeriesSplit, LeaveLastOut, WithinGroupKFold

FEW = settings(max_examples=60, deadline=None, derandomize=True)
IDS = st.lists(st.integers(-3, 3), min_size=2, max_size=40)


# ------------------------------------------------------------------ WithinGroupKFold


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 0}], ids=["in order", "shuffled"])
def test_within_group_kfold_spreads_each_group_over_the_folds(options):
    @FEW
    @given(IDS, st.integers(2, 5))
    def holds(groups, n_splits):
        groups = np.array(groups)
        if len(groups) < n_splits:
            return
        tested = np.zeros(len(groups), dtype=int)
        for train, test in WithinGroupKFold(n_splits, **options).split(groups, groups=groups):
            tested[test] += 1
            assert sorted([*train, *test]) == list(range(len(groups)))
            assert abs(len(test) - len(groups) / n_splits) < 1
            for group in np.unique(groups):
                share = (groups[test] == group).sum()
                assert abs(share - (groups == group).sum() / n_splits) < 1
        assert (tested == 1).all()

    holds()


@pytest.mark.parametrize("size", [5, 3, 7, 10, 12])
def test_within_group_kfold_tests_first_rows_equally_in_all_folds(size):
    # If each group began in the same fold, labels [1, 0, 0, 0, 0] would give fold means of 1, 0, 0, 0 and 0.
    groups, y = np.repeat(np.arange(40), size), np.tile(np.arange(size) == 0, 40)
    tests = [test for _, test in WithinGroupKFold(5).split(y, y, groups)]
    assert [y[test].sum() for test in tests] == [8] * 5


def test_within_group_kfold_staggers_groups_between_single_rows():
    # Every second user has one row; the first of two rows is relevant.
    sizes = np.tile([2, 1], 20)
    groups = np.repeat(np.arange(40), sizes)
    y = (sizes[groups] == 2) & np.append(True, np.diff(groups) > 0)
    tests = [test for _, test in WithinGroupKFold(2).split(y, y, groups)]
    assert [y[test].sum() for test in tests] == [10, 10]


def test_within_group_kfold_repeats_with_the_same_random_state(visits):
    X, y, users, _ = visits
    first, again, other = (
        [test.tolist() for _, test in WithinGroupKFold(3, shuffle=True, random_state=seed).split(X, y, users)]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_within_group_kfold_depends_only_on_the_order_of_ids(visits):
    X, y, users, _ = visits
    named = np.char.add("u", np.char.zfill(users.astype(str), 5))
    for one, other in zip(WithinGroupKFold().split(X, y, users), WithinGroupKFold().split(X, y, named)):
        np.testing.assert_array_equal(one[1], other[1])


# ------------------------------------------------------------------ LeaveLastOut


@FEW
@given(IDS, st.integers(1, 3), st.data())
def test_leave_last_out_tests_the_last_rows_of_each_group(groups, n_last, data):
    n = len(groups)
    times = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    groups = np.array(groups)
    sizes = {group: (groups == group).sum() for group in groups.tolist()}
    splitter = LeaveLastOut(n_last)
    if max(sizes.values()) <= n_last:
        with pytest.raises(ValueError, match=r"'n_last' parameter of LeaveLastOut must be"):
            next(splitter.split(groups, groups=groups, times=times))
        return
    [(train, test)] = splitter.split(groups, groups=groups, times=times)
    assert sorted([*train, *test]) == list(range(n))
    for group, size in sizes.items():
        rows = np.flatnonzero(groups == group)
        by_time = rows[np.argsort(times[rows], kind="stable")]
        expected = by_time[-n_last:] if size > n_last else []
        assert sorted(test[groups[test] == group]) == sorted(expected)


@pytest.mark.parametrize("kind", ["dates", "pandas", "column", "index"])
def test_leave_last_out_accepts_times_of_any_type(kind, visits):
    X, y, users, times = visits
    expected = next(LeaveLastOut().split(X, y, users, times))
    options = {"groups": users}
    if kind == "dates":
        options["times"] = times.astype("M8[h]")
    else:
        pandas = pytest.importorskip("pandas")
        dates = pandas.Timestamp("2024-01-01") + pandas.to_timedelta(times, unit="h")
        if kind == "pandas":
            options["times"] = pandas.Series(dates, index=np.arange(len(y)) + 5)
        elif kind == "column":
            X, options["times"] = pandas.DataFrame({"a": y, "time": dates}), "time"
        else:
            X, options["times"] = pandas.DataFrame({"a": y}, index=pandas.Index(dates, name="time")), "time"
    got = next(LeaveLastOut().split(X, y, **options))
    np.testing.assert_array_equal(got[1], expected[1])


LEVELS = ["low", "mid", "high"]  # not in alphabetical order
WORDS = ["mid", "high", "low"]


def categories(library, ordered):
    """Return words as categories, ordered or not, of a library."""
    module = pytest.importorskip(library)
    if library == "polars":
        kind = module.Enum(LEVELS) if ordered else module.Categorical()
        return module.Series("time", WORDS * 2, dtype=kind)
    return module.Series(module.Categorical(WORDS * 2, categories=LEVELS, ordered=ordered), name="time")


@pytest.mark.parametrize("place", ["array", "column", "index"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("splitter", [LeaveLastOut(), GroupTimeSeriesSplit(1)], ids=["last", "series"])
def test_time_splitters_use_the_order_of_categories(splitter, library, place):
    times, users, X = categories(library, ordered=True), ["a"] * 3 + ["b"] * 3, np.zeros((6, 1))
    numbers = [LEVELS.index(word) for word in WORDS * 2]
    if isinstance(splitter, GroupTimeSeriesSplit):
        users = [0, 1, 2, 0, 1, 2]
    expected = [rows.tolist() for rows in next(splitter.split(X, groups=users, times=numbers))]
    if place == "index":
        pandas = pytest.importorskip("pandas")
        times = times.to_pandas() if library == "polars" else times
        X, times = pandas.DataFrame(X, index=pandas.Index(times, name="time")), "time"
    elif place == "column":
        X, times = times.to_frame(), "time"
    assert [rows.tolist() for rows in next(splitter.split(X, groups=users, times=times))] == expected


NO_TIMES = {
    "list": lambda: ["9", "10", "8"] * 2,
    "array": lambda: np.array(["9", "10", "8"] * 2),
    "objects": lambda: np.array(["9", "10", "8"] * 2, dtype=object),
    "bytes": lambda: np.array([b"9", b"10", b"8"] * 2),
    "column": lambda: pytest.importorskip("pandas").Series(["9", "10", "8"] * 2),
    "categories of pandas": lambda: categories("pandas", ordered=False),
    "categories of polars": lambda: categories("polars", ordered=False),
    "column of polars": lambda: pytest.importorskip("polars").Series(["9", "10", "8"] * 2),
}


@pytest.mark.parametrize("kind", NO_TIMES)
@pytest.mark.parametrize("splitter", [LeaveLastOut(), GroupTimeSeriesSplit(1)], ids=["last", "series"])
def test_time_splitters_reject_times_that_are_text(splitter, kind):
    rule = r"'times' parameter of \w+\.split must contain numbers, dates or ordered categories as times\. Got"
    with pytest.raises(ValueError, match=rf"{rule}.*pandas\.to_datetime"):
        next(splitter.split(np.zeros((6, 1)), groups=["a"] * 3 + ["b"] * 3, times=NO_TIMES[kind]()))


@pytest.mark.parametrize(
    ("size", "n_splits"), [(5, 5), (2, 4), (3, 6), (5, 10), (4, 8), (4, 6), (3, 4), (2, 5), (7, 5), (12, 5)]
)
def test_within_group_kfold_spreads_first_rows_evenly(size, n_splits):
    n_users = 120
    users, is_first = np.repeat(np.arange(n_users), size), np.tile(np.arange(size) == 0, n_users)
    tests = [test for _, test in WithinGroupKFold(n_splits).split(users, groups=users)]
    n_firsts = [is_first[test].sum() for test in tests]
    assert max(n_firsts) - min(n_firsts) <= 2
    assert max(map(len, tests)) - min(map(len, tests)) <= 1
    of_user = np.array([np.bincount(users[test], minlength=n_users) for test in tests])
    assert (of_user.max(axis=0) - of_user.min(axis=0)).max() <= 1
