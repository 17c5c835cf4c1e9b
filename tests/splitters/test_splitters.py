"""Behavior that all splitters share."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import Ridge

from sklearn_rank import (
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RepeatedBalancedGroupKFold,
    WithinGroupKFold,
    cross_val_score,
    ndcg_score,
    ndcg_scorer,
)

SPLITTERS = [WithinGroupKFold(3), LeaveLastOut(2), GroupTimeSeriesSplit(3)]
SPLITTERS += [RepeatedBalancedGroupKFold(3, n_repeats=2, random_state=0)]
TIMED = SPLITTERS[1:3]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_splitters_do_not_change_its_input_and_is_stateless(splitter, visits):
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
def test_splitters_survive_clone_pickle_and_repr(splitter):
    for copy in (clone(splitter, safe=False), pickle.loads(pickle.dumps(splitter)), eval(repr(splitter))):
        assert vars(copy) == vars(splitter)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_cross_val_score_and_search_pass_groups_and_times(splitter, n_jobs, routing, visits, recwarn):
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
    assert len(recwarn) == 0  # they cut groups on purpose
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
def test_splitters_reject_bad_input_by_name(splitter, change, parameter):
    rows = {"X": np.zeros((6, 1)), "groups": [1, 1, 2, 2, 3, 3], "times": [1, 2, 3, 4, 5, 6]} | change
    if isinstance(splitter, WithinGroupKFold | RepeatedBalancedGroupKFold):
        rows.pop("times")
    name = type(splitter).__name__
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name}(\.split)? must"):
        list(splitter.split(**rows))


@pytest.mark.parametrize("label", [1j, np.complex64(1j), np.complex128(1)])
def test_repeated_folds_ignore_complex_labels(label):
    groups = [0, 1, 2, 3, 4, 4]
    y = np.array([label, 0, 1, 0, 1, 0], dtype=object)
    cv = RepeatedBalancedGroupKFold(2, n_repeats=2, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.testing.assert_equal(list(cv.split(groups, y, groups)), list(cv.split(groups, None, groups)))
    assert not caught
