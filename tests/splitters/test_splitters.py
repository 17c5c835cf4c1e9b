"""Splitters within groups and over time."""

import pickle
import re
from itertools import combinations

import numpy as np
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import Ridge

from sklearn_rank import (
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RankingWarning,
    RepeatedBalancedGroupKFold,
    TimeCut,
    WithinGroupKFold,
    cross_val_score,
    ndcg_score,
    ndcg_scorer,
)

FEW = settings(max_examples=60, deadline=None, derandomize=True)
IDS = st.lists(st.integers(-3, 3), min_size=2, max_size=40)


@pytest.fixture
def visits(ranking_data):
    """Features, grades, users in mixed order, and the time of each row, some of them equal."""
    X, y, users = ranking_data
    return X, y, users, np.random.default_rng(1).integers(0, 300, len(y))


# ------------------------------------------------------------------ WithinGroupKFold


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 0}], ids=["in order", "shuffled"])
def test_each_group_is_spread_over_the_folds(options):
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
def test_what_comes_first_of_each_group_is_tested_in_all_folds_alike(size):
    # Dealt from one fold on, users of [1, 0, 0, 0, 0] would give fold means of 1, 0, 0, 0 and 0.
    groups, y = np.repeat(np.arange(40), size), np.tile(np.arange(size) == 0, 40)
    tests = [test for _, test in WithinGroupKFold(5).split(y, y, groups)]
    assert [y[test].sum() for test in tests] == [8] * 5


def test_full_rounds_are_staggered_whatever_groups_are_between():
    # Every second user has one row; of those of two rows the first is relevant.
    sizes = np.tile([2, 1], 20)
    groups = np.repeat(np.arange(40), sizes)
    y = (sizes[groups] == 2) & np.append(True, np.diff(groups) > 0)
    tests = [test for _, test in WithinGroupKFold(2).split(y, y, groups)]
    assert [y[test].sum() for test in tests] == [10, 10]


def test_a_seed_decides_the_folds_and_nothing_else(visits):
    X, y, users, _ = visits
    first, again, other = (
        [test.tolist() for _, test in WithinGroupKFold(3, shuffle=True, random_state=seed).split(X, y, users)]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_names_of_the_groups_do_not_matter_but_for_their_order(visits):
    X, y, users, _ = visits
    named = np.char.add("u", np.char.zfill(users.astype(str), 5))
    for one, other in zip(WithinGroupKFold().split(X, y, users), WithinGroupKFold().split(X, y, named)):
        np.testing.assert_array_equal(one[1], other[1])


# ------------------------------------------------------------------ LeaveLastOut


@FEW
@given(IDS, st.integers(1, 3), st.data())
def test_the_last_rows_of_each_group_are_tested(groups, n_last, data):
    n = len(groups)
    times = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    groups = np.array(groups)
    sizes = {group: (groups == group).sum() for group in groups.tolist()}
    splitter = LeaveLastOut(n_last)
    if max(sizes.values()) <= n_last:
        with pytest.raises(ValueError, match=r"'n_last' parameter of LeaveLastOut\.split must be"):
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
def test_times_of_any_kind(kind, visits):
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


LEVELS = ["low", "mid", "high"]  # in no order of letters
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
def test_ordered_categories_count_by_their_order(splitter, library, place):
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
def test_times_that_are_text_are_refused(splitter, kind):
    rule = (
        r"'times' parameter of \w+\.split must hold numbers, dates or ordered categories.*pandas\.to_datetime"
    )
    with pytest.raises(ValueError, match=f"{rule}.* Got text such as"):
        next(splitter.split(np.zeros((6, 1)), groups=["a"] * 3 + ["b"] * 3, times=NO_TIMES[kind]()))


# ------------------------------------------------------------------ GroupTimeSeriesSplit


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # of groups that are left out
@FEW
@given(IDS, st.integers(1, 3), st.integers(0, 2), st.data())
def test_groups_that_are_over_train_for_those_that_follow(groups, n_splits, gap, data):
    n = len(groups)
    times = np.array(data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)))
    groups = np.array(groups)
    begins = {group: times[groups == group].min() for group in groups.tolist()}
    ends = {group: times[groups == group].max() for group in groups.tolist()}
    tested = []
    try:
        for train, test in GroupTimeSeriesSplit(n_splits, gap=gap).split(groups, groups=groups, times=times):
            inside, before = set(groups[test].tolist()), set(groups[train].tolist())
            assert not inside & before
            begin = min(begins[group] for group in inside)
            assert max(ends[group] for group in before) < begin
            for sides, rows in ((inside, test), (before, train)):
                assert sorted(rows) == np.flatnonzero(np.isin(groups, list(sides))).tolist()
            over = [group for group in ends if ends[group] < begin and group not in inside]
            earlier = [group for group in begins if group not in inside and begins[group] <= begin]
            assert len(before) >= len(over) - gap - (len(earlier) - len(over)) * bool(gap)
            assert begin >= max([0] + [begins[group] for group in tested])
            tested += inside
        assert len(tested) == len(set(tested))
    except ValueError as error:
        assert "parameter of GroupTimeSeriesSplit.split must" in str(error)


def test_parts_of_nearly_equal_size_and_a_gap():
    groups = np.arange(12).repeat(10)
    folds = list(GroupTimeSeriesSplit(3, gap=1).split(groups, groups=groups, times=groups))
    assert [sorted(set(groups[test])) for _, test in folds] == [[3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert [sorted(set(groups[train])) for train, _ in folds] == [[0, 1], list(range(5)), list(range(8))]


@FEW
@given(st.lists(st.integers(1, 100), min_size=2, max_size=12), st.data())
def test_tests_are_as_even_in_rows_as_consecutive_groups_allow(sizes, data):
    n_splits = data.draw(st.integers(1, len(sizes) - 1))
    groups, wanted = np.repeat(np.arange(len(sizes)), sizes), sum(sizes) / (n_splits + 1)

    def apart(sizes):
        return sum((size - wanted) ** 2 for size in sizes)

    begins = combinations(range(1, len(sizes)), n_splits)
    least = min(apart(np.add.reduceat(sizes, np.array(begin))) for begin in begins)
    folds = GroupTimeSeriesSplit(n_splits).split(groups, groups=groups, times=groups)
    assert apart(len(test) for _, test in folds) == pytest.approx(least)


def test_large_groups_among_small_ones_leave_tests_even():
    sizes = [5, 5, 5, 5, 60, 5, 60, 5, 60]
    groups = np.repeat(np.arange(9), sizes)
    folds = GroupTimeSeriesSplit(3).split(groups, groups=groups, times=groups)
    assert [len(test) for _, test in folds] == [60, 65, 65]


def test_over_many_skewed_logs_tests_are_even():
    spreads = []
    for seed in range(100):
        sizes = np.minimum(5 * np.random.default_rng(seed).pareto(1.2, 40) + 1, 130).astype(int)
        groups = np.repeat(np.arange(40), sizes)
        tests = [len(test) for _, test in GroupTimeSeriesSplit(3).split(groups, groups=groups, times=groups)]
        spreads.append(np.ptp(tests) / np.mean(tests))
    assert np.mean(spreads) < 0.25


@pytest.mark.parametrize(
    ("options", "trained", "tested"),
    [
        ({"test_size": 2}, [[0, 1, 2, 3, 4, 5], range(8)], [[6, 7], [8, 9]]),
        ({"test_size": 1, "gap": 3}, [range(5), range(6)], [[8], [9]]),
        ({"test_size": 2, "max_train_size": 3}, [[3, 4, 5], [5, 6, 7]], [[6, 7], [8, 9]]),
        ({"test_size": 1, "max_train_size": 2, "gap": 1}, [[5, 6], [6, 7]], [[8], [9]]),
        ({"test_size": 1, "max_train_size": 2**64}, [range(8), range(9)], [[8], [9]]),
    ],
    ids=repr,
)
def test_sizes_and_gaps_are_numbers_of_groups(options, trained, tested):
    groups = np.repeat(np.arange(10), np.arange(1, 11))
    folds = list(GroupTimeSeriesSplit(2, **options).split(groups, groups=groups, times=groups))
    assert [np.unique(groups[train]).tolist() for train, _ in folds] == [list(part) for part in trained]
    assert [np.unique(groups[test]).tolist() for _, test in folds] == tested


def test_what_trains_at_most_are_the_last_groups_that_are_over():
    # The third group is not over when the test begins: the two that began last before are the first two.
    groups, times = [1, 2, 3, 3, 4], [1, 2, 3, 9, 5]
    options = {"test_size": 1, "max_train_size": 2}
    [(train, test)] = GroupTimeSeriesSplit(1, **options).split(groups, groups=groups, times=times)
    assert (train.tolist(), test.tolist()) == ([0, 1], [4])


def overlapping():
    """Return users and times of a log in which most users come back again and again."""
    rng = np.random.default_rng(0)
    users = rng.integers(0, 40, 300)
    return np.append(users, np.arange(100, 106)), np.append(np.arange(300) + 10, np.arange(6))


def test_groups_that_overlap_are_left_out_with_a_warning_that_says_how_many():
    users, times = overlapping()
    message = r"(\d+) of the (\d+) groups that began before the test of fold 0 were not over .* use TimeCut"
    with pytest.warns(RankingWarning, match=message) as caught:
        [(train, test), _] = GroupTimeSeriesSplit(2).split(users, groups=users, times=times)
    assert len(caught) == 1
    n_left, n_before = map(int, re.match(message, str(caught[0].message)).groups())
    begin = times[test].min()
    began = [user for user in np.unique(users) if times[users == user].min() < begin]
    assert (n_left, n_before) == (len(began) - len(np.unique(users[train])), len(began))
    assert n_left > n_before / 2


def test_where_most_groups_are_over_nothing_is_said(recwarn):
    users, times = [1, 1, 2, 2, 3, 3, 4, 4, 5], [1, 2, 1, 9, 3, 9, 4, 5, 6]
    [(train, _)] = GroupTimeSeriesSplit(1, test_size=1).split(users, groups=users, times=times)
    assert train.tolist() == [0, 1, 6, 7]  # two of four
    assert len(recwarn) == 0


def test_a_group_that_is_not_over_does_not_train():
    groups, times = [1, 1, 2, 2, 3, 3, 3], [1, 2, 1, 9, 5, 6, 7]
    [(train, test)] = GroupTimeSeriesSplit(1).split(groups, groups=groups, times=times)
    assert (train.tolist(), test.tolist()) == ([0, 1], [4, 5, 6])


# ------------------------------------------------------------------ all of them

SPLITTERS = [WithinGroupKFold(3), LeaveLastOut(2), GroupTimeSeriesSplit(3)]
SPLITTERS += [RepeatedBalancedGroupKFold(3, n_repeats=2, random_state=0)]
TIMED = SPLITTERS[1:3]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_input_is_not_changed_and_the_splitter_keeps_no_state(splitter, visits):
    X, _, users, times = visits
    times = users * 1000 + times % 7
    options = {"times": times} if splitter in TIMED else {}
    before = users.copy(), times.copy()
    first, again = (
        [(train.tolist(), test.tolist()) for train, test in splitter.split(X, groups=users, **options)]
        for _ in range(2)
    )
    assert first == again
    assert len(first) == splitter.get_n_splits()
    np.testing.assert_equal((users, times), before)


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_they_are_copied_stored_and_printed(splitter):
    for copy in (clone(splitter, safe=False), pickle.loads(pickle.dumps(splitter)), eval(repr(splitter))):
        assert vars(copy) == vars(splitter)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_groups_and_times_reach_the_splitter(splitter, n_jobs, routing, visits, recwarn):
    X, y, users, times = visits
    times = users * 1000 + times
    params = {"times": times} if splitter in TIMED else {}
    expected = [
        ndcg_score(y[test], Ridge().fit(X[train], y[train]).predict(X[test]), groups=users[test], k=3)
        for train, test in splitter.split(X, y, users, **params)
    ]
    got = cross_val_score(
        Ridge(), X, y, scoring="ndcg@3", groups=users, cv=splitter, params=params, n_jobs=n_jobs
    )
    assert got.tolist() == expected
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring="ndcg@3", cv=splitter, n_jobs=n_jobs)
    assert search.fit(X, y, groups=users, **params).best_score_ == np.mean(expected)
    assert len(recwarn) == 0  # cutting groups is their purpose
    with config_context(enable_metadata_routing=True):
        options = {"scoring": ndcg_scorer(k=3), "cv": splitter, "params": {**params, "groups": users}}
        assert theirs.cross_val_score(Ridge(), X, y, **options).tolist() == expected


@pytest.mark.parametrize(
    ("splitter", "change", "parameter"),
    [
        (WithinGroupKFold(1), {}, "n_splits"),
        (WithinGroupKFold(7), {}, "n_splits"),
        (WithinGroupKFold(2.0), {}, "n_splits"),
        (WithinGroupKFold(2, random_state=0), {}, "random_state"),
        (WithinGroupKFold(2, shuffle="yes"), {}, "shuffle"),
        (LeaveLastOut(0), {}, "n_last"),
        (LeaveLastOut(3), {}, "n_last"),
        (GroupTimeSeriesSplit(0), {}, "n_splits"),
        (GroupTimeSeriesSplit(3), {}, "n_splits"),
        (GroupTimeSeriesSplit(1, gap=-1), {}, "gap"),
        *[(GroupTimeSeriesSplit(1, test_size=size), {}, "test_size") for size in (0, 3, 0.5, "1")],
        (GroupTimeSeriesSplit(2, test_size=2), {}, "test_size"),
        *[(GroupTimeSeriesSplit(1, max_train_size=size), {}, "max_train_size") for size in (0, 0.5, True)],
        (RepeatedBalancedGroupKFold(1), {}, "n_splits"),
        (RepeatedBalancedGroupKFold(4), {}, "n_splits"),
        (RepeatedBalancedGroupKFold(2, n_repeats=0), {}, "n_repeats"),
        (RepeatedBalancedGroupKFold(2, random_state="a"), {}, "random_state"),
        (GroupTimeSeriesSplit(2, gap=1), {}, "gap"),
        *[(splitter, {"groups": None}, "groups") for splitter in SPLITTERS],
        *[(splitter, {"groups": [1, 2]}, "groups") for splitter in SPLITTERS],
        *[(splitter, {"times": None}, "times") for splitter in TIMED],
        *[(splitter, {"times": [1, 2]}, "times") for splitter in TIMED],
        *[(splitter, {"times": [1, 2, None, 4, 5, 6]}, "times") for splitter in TIMED],
        *[(splitter, {"times": "day"}, "times") for splitter in TIMED],
        *[(splitter, {"X": None}, "X") for splitter in SPLITTERS],
    ],
    ids=str,
)
def test_bad_input_is_refused_by_name(splitter, change, parameter):
    rows = {"X": np.zeros((6, 1)), "groups": [1, 1, 2, 2, 3, 3], "times": [1, 2, 3, 4, 5, 6]} | change
    if isinstance(splitter, WithinGroupKFold | RepeatedBalancedGroupKFold):
        rows.pop("times")
    name = type(splitter).__name__
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name}(\.split)? must"):
        list(splitter.split(**rows))


@pytest.mark.parametrize(
    ("size", "n_splits"), [(5, 5), (2, 4), (3, 6), (5, 10), (4, 8), (4, 6), (3, 4), (2, 5), (7, 5), (12, 5)]
)
def test_first_rows_of_users_are_spread_evenly_over_the_folds(size, n_splits):
    n_users = 120
    users, is_first = np.repeat(np.arange(n_users), size), np.tile(np.arange(size) == 0, n_users)
    tests = [test for _, test in WithinGroupKFold(n_splits).split(users, groups=users)]
    n_firsts = [is_first[test].sum() for test in tests]
    assert max(n_firsts) - min(n_firsts) <= 2
    assert max(map(len, tests)) - min(map(len, tests)) <= 1
    of_user = np.array([np.bincount(users[test], minlength=n_users) for test in tests])
    assert (of_user.max(axis=0) - of_user.min(axis=0)).max() <= 1


def test_a_gap_that_leaves_nothing_is_blamed_and_not_the_times():
    groups = np.arange(12).repeat(10)
    with pytest.raises(
        ValueError, match=r"'gap' parameter of GroupTimeSeriesSplit\.split must leave a group"
    ):
        list(GroupTimeSeriesSplit(3, gap=3).split(groups, groups=groups, times=groups))


@pytest.mark.parametrize(
    "splitter", [GroupTimeSeriesSplit(np.int64(2), test_size=2**70), TimeCut(np.int64(2), test_size=2**70)]
)
def test_sizes_beyond_the_integers_of_numpy_are_too_large_as_others_are(splitter):
    groups = np.arange(12)
    with pytest.raises(ValueError, match=r"'test_size' parameter of \w+(\.split)? must leave"):
        list(splitter.split(groups, groups=groups, times=groups))
