"""`whole_groups` of `TimeCut`: whole sessions, divided users, and the warning about sessions."""

import re

import numpy as np
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV, RankingWarning, TimeCut, cross_val_score, ndcg_scorer
from sklearn_rank.model_selection import check_folds

FEW = {"groups": ["a", "a", "b", "b", "c", "c"], "times": [1, 4, 3, 6, 5, 8]}


def split(splitter, groups, times):
    folds = splitter.split(np.zeros((len(times), 1)), groups=groups, times=times)
    return [(train.tolist(), test.tolist()) for train, test in folds]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cuts": [4], "whole_groups": True}, [([0, 1, 2, 3], [4, 5])]),
        ({"cuts": [3, 5], "whole_groups": True}, [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]),
        ({"test_size": 0.5, "whole_groups": True}, [([0, 1], [2, 3, 4, 5])]),
        ({"cuts": [4], "whole_groups": False}, [([0, 2], [1, 3, 4, 5])]),
        ({"cuts": [4]}, [([0, 2], [1, 3, 4, 5])]),
    ],
    ids=repr,
)
def test_whole_groups_places_groups_by_their_first_time(options, expected):
    assert split(TimeCut(**options), **FEW) == expected


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 20)), min_size=4, max_size=40), st.integers(1, 3))
def test_whole_groups_never_cuts_a_group(rows, n_splits):
    groups, times = np.array(rows).T
    begins = np.array([times[groups == group].min() for group in groups])
    if len(set(begins.tolist())) <= n_splits:
        with pytest.raises(ValueError, match="less than the number of different times"):
            split(TimeCut(n_splits, whole_groups=True), groups, times)
        return
    expected = split(TimeCut(n_splits, whole_groups=False), None, begins)
    assert split(TimeCut(n_splits, whole_groups=True), groups, times) == expected


# ------------------------------------------------------------------ the warning

rng = np.random.default_rng(0)
MINUTES = np.arange(400)  # a session of four minutes begins every minute
SESSIONS = np.repeat(MINUTES, 3), (MINUTES[:, None] + [0, 1, 3]).ravel()
SHORT = {
    "sessions": SESSIONS,
    "sessions in float": (SESSIONS[0], SESSIONS[1] / 7),
    "sessions with dates": (SESSIONS[0], np.datetime64("2024-01-01T00:00") + SESSIONS[1]),
    "sessions in a list of dates": (SESSIONS[0], (np.datetime64("2024-01-01T00:00") + SESSIONS[1]).tolist()),
    "sessions of one row": (
        np.r_[SESSIONS[0], 500 + np.arange(800)],
        np.r_[SESSIONS[1], np.arange(800) % 400],
    ),
}
USERS = rng.integers(0, 30, 1200)
ORDINARY = {
    "users": (USERS, np.arange(1200)),
    "users with dates": (USERS, np.datetime64("2024-01-01") + np.arange(1200)),
    "users with one row": (np.where(np.arange(1200) % 3, np.arange(1200) + 30, USERS), np.arange(1200)),
    "queries of one time": (np.arange(1200) // 4, np.arange(1200) // 4),
    "sessions that the cut does not separate": (
        np.arange(1200) // 4,
        np.arange(1200) + np.arange(1200) // 4 * 9,
    ),
    "ordered categories": (USERS, np.arange(1200) // 300),
}
MESSAGE = (
    r"TimeCut: the folds separate rows of (\d+) of (\d+) test groups, .*"
    r"Pass whole_groups=True for sessions or queries, whole_groups=False for users\."
)


@pytest.mark.parametrize("name", SHORT)
def test_time_cut_warns_if_it_cuts_short_groups(name):
    groups, times = SHORT[name]
    with pytest.warns(RankingWarning, match=MESSAGE) as caught:
        [(train, test)] = split(TimeCut(), groups, times)
    assert len(caught) == 1
    both = set(groups[train]) & set(groups[test])
    n_cut, n_tested = map(int, re.match(MESSAGE, str(caught[0].message)).groups())
    assert (n_cut, n_tested) == (len(both), len(set(groups[test])))


@pytest.mark.parametrize("whole_groups", [True, False])
@pytest.mark.parametrize("name", SHORT)
def test_time_cut_does_not_warn_with_whole_groups(name, whole_groups):
    assert len(split(TimeCut(whole_groups=whole_groups), *SHORT[name])) == 1


@pytest.mark.parametrize("n_splits", [1, 4])
@pytest.mark.parametrize("name", ORDINARY)
def test_time_cut_does_not_warn_about_ordinary_groups(name, n_splits):
    groups, times = ORDINARY[name]
    if name == "ordered categories":
        pandas = pytest.importorskip("pandas")
        times, n_splits = pandas.Categorical.from_codes(times, list("dcba"), ordered=True), 1
    assert len(split(TimeCut(n_splits), groups, times)) == n_splits


def test_time_cut_warns_once_for_several_folds():
    with pytest.warns(RankingWarning, match="TimeCut: the folds separate") as caught:
        split(TimeCut(5), *SESSIONS)
    assert len(caught) == 1


@pytest.mark.parametrize("call", ["cross_val_score", "GridSearchCV", "scikit-learn"])
def test_cross_validation_warns_once_if_it_cuts_sessions(call):
    groups, times = SESSIONS
    X, y = rng.normal(size=(len(groups), 2)), rng.integers(0, 3, len(groups))
    with pytest.warns(RankingWarning, match=MESSAGE) as caught:
        if call == "cross_val_score":
            options = {"scoring": "ndcg@10", "groups": groups, "cv": TimeCut(2), "params": {"times": times}}
            cross_val_score(Ridge(), X, y, **options)
        elif call == "GridSearchCV":
            search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="ndcg@10", cv=TimeCut(2))
            search.fit(X, y, groups=groups, times=times)
        else:
            with config_context(enable_metadata_routing=True):
                params = {"times": times, "groups": groups}
                options = {"scoring": ndcg_scorer(k=10), "cv": TimeCut(2), "params": params}
                theirs.cross_val_score(Ridge(), X, y, **options)
    assert len(caught) == 1


@pytest.mark.parametrize("name", SHORT)
def test_check_folds_rejects_folds_that_cut_short_groups(name):
    groups, times = SHORT[name]
    X = y = np.ones(len(groups))
    given = {"groups": groups, "params": {"times": times}}
    rule = r"'cv' parameter of check_folds must keep queries whole.*whole_groups=True"
    with pytest.raises(ValueError, match=rule):
        check_folds(TimeCut(), X, y, **given)
    for whole in (True, False):
        assert len(check_folds(TimeCut(whole_groups=whole), X, y, **given)) == 1


@pytest.mark.parametrize("name", ["users", "users with one row"])
def test_check_folds_accepts_folds_that_cut_users(name):
    groups, times = ORDINARY[name]
    X = y = np.ones(len(groups))
    assert len(check_folds(TimeCut(2), X, y, groups=groups, params={"times": times})) == 2


# ------------------------------------------------------------------ other arguments


@pytest.mark.parametrize("value", [1, "yes", np.nan])
def test_time_cut_rejects_whole_groups_that_is_not_a_bool(value):
    with pytest.raises(ValueError, match="'whole_groups' parameter of TimeCut must be True, False or None"):
        split(TimeCut(whole_groups=value), **FEW)


def test_whole_groups_requires_groups():
    with pytest.raises(ValueError, match=r"'groups' parameter of TimeCut\.split must contain"):
        split(TimeCut(whole_groups=True), None, FEW["times"])


@pytest.mark.parametrize("whole_groups", [None, False])
def test_time_cut_needs_no_groups_otherwise(whole_groups):
    assert split(TimeCut(cuts=[4], whole_groups=whole_groups), None, FEW["times"]) == [([0, 2], [1, 3, 4, 5])]
