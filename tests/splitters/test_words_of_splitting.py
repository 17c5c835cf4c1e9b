"""Messages of parameters, splitters and times: they lead to what works, which is run."""

import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_rank
from tests.helpers.model_words import QID, X, Y
from tests.helpers.words import NAN, assert_said

TIMES = np.arange(len(Y))


def ridge_search(**options):
    return sklearn_rank.GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="ndcg@10", **options)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"params": {"groups": QID}}, "'params' parameter of GridSearchCV.fit must come as keywords, as fit"),
        ({"qid": QID}, "'groups' parameter of GridSearchCV.fit must hold the query ids, groups=qid"),
        ({"group": QID}, "'groups' parameter of GridSearchCV.fit must .*groups=numpy.repeat"),
        ({"groups": QID, "qid": QID}, "'params' parameter of GridSearchCV.fit must name ids .*groups=qid"),
        ({"groups": QID, "times": TIMES}, r"'params' parameter .* have no times .*cv=TimeCut\(\)"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_a_search_says_how_ids_and_times_are_given(given, rule):
    with pytest.raises(ValueError, match=rule):
        ridge_search().fit(X, Y, **given)
    assert np.isfinite(ridge_search().fit(X, Y, groups=QID).best_score_)
    assert np.isfinite(ridge_search(cv=sklearn_rank.TimeCut()).fit(X, Y, groups=QID, times=TIMES).best_score_)


def test_a_search_takes_ids_by_name_alone():
    for method in (ridge_search().fit, ridge_search().fit(X, Y, groups=QID).score):
        with pytest.raises(
            TypeError,
            match="takes 3 positional arguments but 4 were given: name what comes after y, as groups=qid",
        ):
            method(X, Y, QID)
        method(X, Y, groups=QID)


@pytest.mark.parametrize("name", ["qid", "times"])
def test_params_of_the_functions_are_answered_too(name):
    with pytest.raises(ValueError, match=f"'params' parameter of cross_val_score must .*Got '{name}'"):
        sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring="map", params={name: TIMES})


def test_check_folds_says_which_splitters_take_times():
    with pytest.raises(
        ValueError, match=r"'params' parameter of check_folds .* as times with cv=TimeCut\(\)"
    ):
        sklearn_rank.model_selection.check_folds(5, X, Y, groups=QID, params={"times": TIMES})
    assert (
        len(
            sklearn_rank.model_selection.check_folds(
                sklearn_rank.TimeCut(), X, Y, groups=QID, params={"times": TIMES}
            )
        )
        == 1
    )


def test_a_splitter_by_time_shows_how_times_reach_it():
    with pytest.raises(
        ValueError, match=r"'times' parameter of TimeCut.split must .*params=\{\"times\": times\}"
    ):
        sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring="map", cv=sklearn_rank.TimeCut())


@pytest.mark.parametrize(
    "cv",
    [
        sklearn_rank.TimeCut(),
        sklearn_rank.LeaveLastOut(),
        sklearn_rank.RepeatedBalancedGroupKFold(3, n_repeats=2),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_folds_that_do_not_test_each_row_once_are_predicted_by_a_loop(cv):
    timed = not isinstance(cv, sklearn_rank.RepeatedBalancedGroupKFold)
    params = {"times": TIMES} if timed else {}
    with pytest.raises(
        ValueError, match="'cv' parameter of cross_val_predict must test each row once"
    ) as error:
        sklearn_rank.cross_val_predict(Ridge(), X, Y, groups=QID, cv=cv, params=params)
    loop = re.search(r"for train, test in (.*)\. Got", str(error.value))[1]
    for train, test in eval(loop, {"cv": cv, "X": X, "y": Y, "qid": QID, "times": TIMES}):
        assert np.isfinite(Ridge().fit(X[train], Y[train]).predict(X[test])).all()


def test_one_repeat_tests_each_row_once():
    cv = sklearn_rank.RepeatedBalancedGroupKFold(3, n_repeats=1)
    assert sklearn_rank.cross_val_predict(Ridge(), X, Y, groups=QID, cv=cv).shape == Y.shape


def test_labels_to_balance_by_are_read_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).assign(y=Y, qid=QID)
    options = {"groups": "qid", "test_size": 0.4, "random_state": 0}
    by_name = sklearn_rank.train_test_split(frame, stratify="y", **options)
    by_value = sklearn_rank.train_test_split(frame, stratify=frame["y"], **options)
    for one, other in zip(by_name, by_value):
        pandas.testing.assert_frame_equal(one, other)
    with pytest.raises(ValueError, match="'stratify' parameter of train_test_split must name"):
        sklearn_rank.train_test_split(frame, stratify="labels", **options)


@pytest.mark.parametrize("cut", ["2023-12-01", np.datetime64("2023-12-01")])
def test_unix_times_and_dates_lead_to_dates(cut):
    pandas = pytest.importorskip("pandas")
    times = 1_700_000_000 + TIMES * 86400
    splitter = sklearn_rank.TimeCut(cuts=[cut])
    with pytest.raises(ValueError, match=r"'cuts' parameter of TimeCut must hold dates of the kind") as error:
        list(splitter.split(X, times=times))
    code = re.search(r"times=(pandas.*\)) where these count seconds", str(error.value))[1]
    [(train, _)] = splitter.split(X, times=eval(code, {"pandas": pandas, "times": times}))
    assert len(train) == 17  # days from 2023-11-14 on


# ------------------------------------------------------------------ times


@pytest.mark.parametrize(
    "times", [[1, None, 2, 3], [1.0, NAN, 2, 3], np.array(["2020", "NaT", "2021", "2022"], "M8[D]")]
)
@pytest.mark.parametrize("splitter", [sklearn_rank.TimeCut(), sklearn_rank.LeaveLastOut()])
def test_missing_times_are_called_times(splitter, times):
    X = np.eye(4)
    rule = f"'times' parameter of {type(splitter).__name__}.split must not have missing times"
    assert_said(lambda: list(splitter.split(X, groups=[0, 0, 1, 1], times=times)), rule)


def test_too_few_times_are_called_times():
    split = sklearn_rank.TimeCut().split
    assert_said(lambda: list(split(np.eye(4), times=[1, 2])), "have one time per row, 4. Got 2")
    assert_said(lambda: list(split(np.eye(4), times=[1, "a", 2, 3])), "hold times of one type")
