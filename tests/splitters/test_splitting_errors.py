"""Messages about splitters, parameters and times, and the fixes that they show, which are run."""

import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_rank
from tests.helpers.messages import NAN, assert_message
from tests.helpers.model_errors import QID, X, Y

TIMES = np.arange(len(Y))


def ridge_search(**options):
    return sklearn_rank.GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="ndcg@10", **options)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        (
            {"params": {"groups": QID}},
            "'params' .* of GridSearchCV.fit must be passed as keyword arguments",
        ),
        (
            {"qid": QID},
            "'groups' .* of GridSearchCV.fit must .* Got qid= instead. Pass groups=qid",
        ),
        ({"group": QID}, "'groups' parameter of GridSearchCV.fit must .*groups=numpy.repeat"),
        (
            {"groups": QID, "qid": QID},
            "'params' .* of GridSearchCV.fit must .* Got 'qid' .*groups=qid",
        ),
        ({"groups": QID, "times": TIMES}, r"'params' parameter .* Got 'times' .*cv=TimeCut\(\), take times"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_search_fit_errors_show_how_to_pass_ids_and_times(given, rule):
    with pytest.raises(ValueError, match=rule):
        ridge_search().fit(X, Y, **given)
    assert np.isfinite(ridge_search().fit(X, Y, groups=QID).best_score_)
    assert np.isfinite(ridge_search(cv=sklearn_rank.TimeCut()).fit(X, Y, groups=QID, times=TIMES).best_score_)


def test_search_fit_and_score_reject_positional_ids():
    for method in (ridge_search().fit, ridge_search().fit(X, Y, groups=QID).score):
        with pytest.raises(
            TypeError,
            match=r"but 4 were given\. Pass arguments after y by name, for example groups=qid\.",
        ):
            method(X, Y, QID)
        method(X, Y, groups=QID)


@pytest.mark.parametrize("name", ["qid", "times"])
def test_cross_val_score_rejects_ids_and_times_that_nothing_takes(name):
    with pytest.raises(ValueError, match=f"'params' parameter of cross_val_score must .*Got '{name}'"):
        sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring="map", params={name: TIMES})


def test_check_folds_error_names_splitters_that_take_times():
    with pytest.raises(
        ValueError,
        match=r"'params' .* of check_folds .*Got 'times' .* such as cv=TimeCut\(\), take times",
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


def test_time_cut_error_without_times_shows_the_argument():
    with pytest.raises(
        ValueError, match=r"'times' parameter of cross_val_score must .* Pass times=times, or"
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
def test_cross_val_predict_error_shows_a_loop_over_folds(cv):
    timed = not isinstance(cv, sklearn_rank.RepeatedBalancedGroupKFold)
    params = {"times": TIMES} if timed else {}
    with pytest.raises(
        ValueError, match="'cv' parameter of cross_val_predict must test each row once"
    ) as error:
        sklearn_rank.cross_val_predict(Ridge(), X, Y, groups=QID, cv=cv, params=params)
    loop = re.search(r"for train, test in (.*)\.$", str(error.value))[1]
    for train, test in eval(loop, {"cv": cv, "X": X, "y": Y, "qid": QID, "times": TIMES}):
        assert np.isfinite(Ridge().fit(X[train], Y[train]).predict(X[test])).all()


def test_cross_val_predict_accepts_one_repeat():
    cv = sklearn_rank.RepeatedBalancedGroupKFold(3, n_repeats=1)
    assert sklearn_rank.cross_val_predict(Ridge(), X, Y, groups=QID, cv=cv).shape == Y.shape


def test_train_test_split_reads_stratify_by_name():
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
def test_time_cut_error_for_unix_times_shows_a_conversion(cut):
    pandas = pytest.importorskip("pandas")
    times = 1_700_000_000 + TIMES * 86400
    splitter = sklearn_rank.TimeCut(cuts=[cut])
    with pytest.raises(
        ValueError, match=r"'cuts' .* of TimeCut must contain dates of the same type"
    ) as error:
        list(splitter.split(X, times=times))
    code = re.search(r"in seconds, pass times=(pandas.*\))\.$", str(error.value))[1]
    [(train, _)] = splitter.split(X, times=eval(code, {"pandas": pandas, "times": times}))
    assert len(train) == 17  # days since 2023-11-14


# ------------------------------------------------------------------ times


@pytest.mark.parametrize(
    "times", [[1, None, 2, 3], [1.0, NAN, 2, 3], np.array(["2020", "NaT", "2021", "2022"], "M8[D]")]
)
@pytest.mark.parametrize("splitter", [sklearn_rank.TimeCut(), sklearn_rank.LeaveLastOut()])
def test_error_for_missing_times_calls_them_times(splitter, times):
    X = np.eye(4)
    rule = f"'times' parameter of {type(splitter).__name__}.split must not contain missing times"
    assert_message(lambda: list(splitter.split(X, groups=[0, 0, 1, 1], times=times)), rule)


def test_error_for_times_of_another_length_calls_them_times():
    split = sklearn_rank.TimeCut().split
    assert_message(
        lambda: list(split(np.eye(4), times=[1, 2])), "have one time per row (4 rows). Got 2 times"
    )
    assert_message(lambda: list(split(np.eye(4), times=[1, "a", 2, 3])), "contain times of one type")
