"""`GroupTimeSeriesSplit`: training on groups that have ended, testing on later groups."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import GroupTimeSeriesSplit, RankingWarning, TimeCut

FEW = settings(max_examples=60, deadline=None, derandomize=True)
IDS = st.lists(st.integers(-3, 3), min_size=2, max_size=40)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # about excluded groups
@FEW
@given(IDS, st.integers(1, 3), st.integers(0, 2), st.data())
def test_time_series_split_trains_on_groups_that_ended_before(groups, n_splits, gap, data):
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
        assert re.search(r"parameter of GroupTimeSeriesSplit(\.split)? must", str(error))


def test_time_series_split_makes_parts_of_equal_size_with_a_gap():
    groups = np.arange(12).repeat(10)
    folds = list(GroupTimeSeriesSplit(3, gap=1).split(groups, groups=groups, times=groups))
    assert [sorted(set(groups[test])) for _, test in folds] == [[3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert [sorted(set(groups[train])) for train, _ in folds] == [[0, 1], list(range(5)), list(range(8))]


@FEW
@given(st.lists(st.integers(1, 100), min_size=2, max_size=12), st.data())
def test_time_series_split_sets_have_the_most_even_rows_possible(sizes, data):
    n_splits = data.draw(st.integers(1, len(sizes) - 1))
    groups, wanted = np.repeat(np.arange(len(sizes)), sizes), sum(sizes) / (n_splits + 1)

    def apart(sizes):
        return sum((size - wanted) ** 2 for size in sizes)

    begins = combinations(range(1, len(sizes)), n_splits)
    least = min(apart(np.add.reduceat(sizes, np.array(begin))) for begin in begins)
    folds = GroupTimeSeriesSplit(n_splits).split(groups, groups=groups, times=groups)
    assert apart(len(test) for _, test in folds) == pytest.approx(least)


def test_time_series_split_sets_are_even_with_large_and_small_groups():
    sizes = [5, 5, 5, 5, 60, 5, 60, 5, 60]
    groups = np.repeat(np.arange(9), sizes)
    folds = GroupTimeSeriesSplit(3).split(groups, groups=groups, times=groups)
    assert [len(test) for _, test in folds] == [60, 65, 65]


def test_time_series_split_sets_are_even_over_many_skewed_logs():
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
def test_test_size_max_train_size_and_gap_count_groups(options, trained, tested):
    groups = np.repeat(np.arange(10), np.arange(1, 11))
    folds = list(GroupTimeSeriesSplit(2, **options).split(groups, groups=groups, times=groups))
    assert [np.unique(groups[train]).tolist() for train, _ in folds] == [list(part) for part in trained]
    assert [np.unique(groups[test]).tolist() for _, test in folds] == tested


def test_max_train_size_keeps_the_last_groups_that_ended():
    # The third group has not ended when the test begins, so the first two are the last ones that ended.
    groups, times = [1, 2, 3, 3, 4], [1, 2, 3, 9, 5]
    options = {"test_size": 1, "max_train_size": 2}
    [(train, test)] = GroupTimeSeriesSplit(1, **options).split(groups, groups=groups, times=times)
    assert (train.tolist(), test.tolist()) == ([0, 1], [4])


def overlapping():
    """Return users and times of a log in which most users come back again and again."""
    rng = np.random.default_rng(0)
    users = rng.integers(0, 40, 300)
    return np.append(users, np.arange(100, 106)), np.append(np.arange(300) + 10, np.arange(6))


def test_time_series_split_warns_about_excluded_overlapping_groups():
    users, times = overlapping()
    message = r"\w+: (\d+) of (\d+) earlier groups were not over when .* fold 0 began.* use TimeCut"
    with pytest.warns(RankingWarning, match=message) as caught:
        [(train, test), _] = GroupTimeSeriesSplit(2).split(users, groups=users, times=times)
    assert len(caught) == 1
    n_left, n_before = map(int, re.match(message, str(caught[0].message)).groups())
    begin = times[test].min()
    began = [user for user in np.unique(users) if times[users == user].min() < begin]
    assert (n_left, n_before) == (len(began) - len(np.unique(users[train])), len(began))
    assert n_left > n_before / 2


def test_time_series_split_does_not_warn_if_most_groups_ended(recwarn):
    users, times = [1, 1, 2, 2, 3, 3, 4, 4, 5], [1, 2, 1, 9, 3, 9, 4, 5, 6]
    [(train, _)] = GroupTimeSeriesSplit(1, test_size=1).split(users, groups=users, times=times)
    assert train.tolist() == [0, 1, 6, 7]  # two of four groups
    assert len(recwarn) == 0


def test_time_series_split_excludes_groups_that_have_not_ended():
    groups, times = [1, 1, 2, 2, 3, 3, 3], [1, 2, 1, 9, 5, 6, 7]
    [(train, test)] = GroupTimeSeriesSplit(1).split(groups, groups=groups, times=times)
    assert (train.tolist(), test.tolist()) == ([0, 1], [4, 5, 6])


def test_time_series_split_error_names_a_gap_that_is_too_large():
    groups = np.arange(12).repeat(10)
    with pytest.raises(ValueError, match=r"'gap' parameter of GroupTimeSeriesSplit must leave a group"):
        list(GroupTimeSeriesSplit(3, gap=3).split(groups, groups=groups, times=groups))


@pytest.mark.parametrize(
    "splitter", [GroupTimeSeriesSplit(np.int64(2), test_size=2**70), TimeCut(np.int64(2), test_size=2**70)]
)
def test_time_series_split_rejects_a_test_size_above_int64(splitter):
    groups = np.arange(12)
    with pytest.raises(ValueError, match=r"'test_size' parameter of \w+(\.split)? must leave"):
        list(splitter.split(groups, groups=groups, times=groups))
