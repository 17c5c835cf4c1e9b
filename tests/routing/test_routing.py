"""Arguments of calls with ids: parameters of `fit`, splitters, and errors for models and ids."""

import warnings

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor, StackingRegressor, VotingRegressor
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, Ridge, RidgeCV, SGDRegressor
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_score,
    cross_validate,
    ndcg_scorer,
    ranking_scorer,
)

NDCG = ndcg_scorer(k=3)
PIPELINE = make_pipeline(StandardScaler(), Ridge())
ROWS = KFold(5)  # splits rows; an int would keep queries whole in models that split again
CALLS = {
    "cross_validate": cross_validate,
    "cross_val_score": cross_val_score,
    "GridSearchCV": lambda model, *data, scoring, **options: GridSearchCV(model, {}, scoring=scoring).fit(
        *data, **options
    ),
}
CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


class ByKeyword(KFold):
    """A splitter whose `groups` are a keyword."""

    def split(self, X, y=None, *, groups=None):
        return super().split(X, y)


class WithinQueries(KFold):
    """A splitter whose purpose is to cut queries."""

    cuts_groups = True


# ------------------------------------------------------------------ other parameters of `fit`


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*splits the training rows again")
@pytest.mark.parametrize(
    ("model", "names"),
    [
        (Ridge(), ["sample_weight"]),
        (PIPELINE, ["ridge__sample_weight"]),
        (PIPELINE, ["standardscaler__sample_weight"]),
        (PIPELINE, ["ridge__sample_weight", "standardscaler__sample_weight"]),
        (make_pipeline(PIPELINE), ["pipeline__ridge__sample_weight"]),
        (theirs.GridSearchCV(Ridge(), {"alpha": [1e-3, 1e3]}, scoring="r2"), ["sample_weight"]),
        (TransformedTargetRegressor(Ridge(), transformer=StandardScaler()), ["sample_weight"]),
        (VotingRegressor([("one", Ridge()), ("other", LinearRegression())]), ["sample_weight"]),
        (StackingRegressor([("one", Ridge()), ("other", LinearRegression())], cv=ROWS), ["sample_weight"]),
        (BaggingRegressor(Ridge(), random_state=0), ["sample_weight"]),
        (CalibratedClassifierCV(LogisticRegression(), cv=ROWS), ["sample_weight"]),
        (RidgeCV(cv=ROWS), ["sample_weight"]),
        (LassoCV(cv=ROWS), ["sample_weight"]),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else type(value).__name__,
)
def test_params_have_the_same_effect_as_in_scikit_learn(model, names, ranking_data, folds, weights):
    X, y, groups = ranking_data
    options = {"cv": folds, "scoring": "neg_mean_squared_error", "error_score": "raise"}
    params = {name: weights ** (i + 1) for i, name in enumerate(names)}
    expected = theirs.cross_val_score(model, X, y > 1, params=params, **options)
    assert not np.array_equal(expected, theirs.cross_val_score(model, X, y > 1, **options))
    got = cross_val_score(model, X, y > 1, groups=groups, params=params, **options)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_params_that_are_not_by_row_reach_fit_whole(ranking_data, folds):
    X, y, groups = ranking_data
    results = [
        score(SGDRegressor(random_state=0), X, y, groups=groups, cv=folds, params={"coef_init": np.ones(5)})
        for score in (cross_val_score, theirs.cross_val_score)
    ]
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Ridge(), "colour"),
        (PIPELINE, "colour"),
        (PIPELINE, "ridge__colour"),
        (PIPELINE, "ridgge__sample_weight"),
    ],
    ids=["model", "pipeline", "step", "no such step"],
)
def test_cross_val_score_rejects_params_that_no_part_takes(model, name, ranking_data, weights):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"'params' parameter of cross_val_score must .* Got '{name}'"):
        cross_val_score(model, X, y, scoring=NDCG, groups=groups, params={name: weights})


@pytest.mark.parametrize("weighted", [True, False])
def test_requests_decide_about_weights_with_routing(weighted, ranking_data, folds, weights):
    X, y, groups = ranking_data
    expected = []
    for train, test in folds:
        fit = Ridge().fit(X[train], y[train], weights[train] if weighted else None)
        expected.append(r2_score(y[test], fit.predict(X[test]), sample_weight=weights[test]))
    with config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=weighted)
        scorer = make_scorer(r2_score).set_score_request(sample_weight=True)
        options = {"scoring": scorer, "cv": folds, "params": {"sample_weight": weights}}
        assert cross_val_score(model, X, y, groups=groups, **options).tolist() == expected


def test_cross_val_score_rejects_undecided_params_with_routing(ranking_data, weights):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError):
        cross_val_score(Ridge(), X, y, scoring=NDCG, groups=groups, params={"sample_weight": weights})


def test_scorer_can_request_ids_under_another_name_with_routing(ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        scorer = ndcg_scorer(k=3).set_score_request(groups="ids")
        got = cross_val_score(Ridge(), X, y, scoring=scorer, cv=folds, params={"ids": groups})
    assert got.tolist() == by_hand(Ridge(), k=3)


# ------------------------------------------------------------------ splitters


@pytest.mark.parametrize(("cv", "n_splits"), [(None, 5), (3, 3), (np.int64(4), 4)])
def test_cv_none_or_int_keeps_queries_whole(cv, n_splits, routing, ranking_data):
    X, y, groups = ranking_data
    got = cross_validate(Ridge(), X, y, groups=groups, cv=cv, return_indices=True)["indices"]["test"]
    expected = [test for _, test in BalancedGroupKFold(n_splits).split(X, y, groups)]
    assert [rows.tolist() for rows in got] == [rows.tolist() for rows in expected]


@pytest.mark.slow
@pytest.mark.parametrize("model", [Ridge(), LogisticRegression()], ids=["regressor", "classifier"])
@pytest.mark.parametrize(
    "cv", [GroupKFold(3), LeaveOneGroupOut(), BalancedGroupKFold(4, shuffle=True, random_state=0)], ids=repr
)
def test_group_splitters_get_the_ids(cv, model, routing, ranking_data):
    X, y, groups = ranking_data
    got = cross_validate(model, X, y > 1, groups=groups, cv=cv, return_indices=True)["indices"]["test"]
    expected = [test for _, test in cv.split(X, y > 1, groups)]
    assert [rows.tolist() for rows in got] == [rows.tolist() for rows in expected]


@pytest.mark.parametrize("make", [list, iter], ids=["list", "iterator"])
def test_cross_val_score_uses_listed_folds_as_given(make, routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    got = cross_val_score(Ridge(), X, y, scoring=NDCG, groups=groups, cv=make(folds))
    assert got.tolist() == by_hand(Ridge(), k=3)


@pytest.mark.parametrize(
    ("cv", "n_warnings"),
    [
        (KFold(3), 1),
        (ByKeyword(3), 1),
        (TimeSeriesSplit(3), 1),
        (list(KFold(3).split(np.ones(513))), 1),
        (WithinQueries(3), 0),
        (LeaveOneGroupOut(), 0),
        (3, 0),
    ],
    ids=["KFold", "keyword", "in time", "predefined", "on purpose", "one query out", "int"],
)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_val_score_warns_once_about_cut_queries(cv, n_warnings, n_jobs, routing, ranking_data):
    X, y, groups = ranking_data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(Ridge(), X, y, scoring=NDCG, groups=groups, cv=cv, n_jobs=n_jobs)
    assert sum("cuts queries: in " in str(warning.message) for warning in caught) == n_warnings


def test_cut_queries_warning_counts_the_queries():
    X, y, groups = np.eye(6), np.arange(6), list("aabbcc")
    folds = [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]  # b is cut; c, then a, are whole
    with pytest.warns(UserWarning, match="in all 2 folds, 2 of 4 test queries have rows in the train"):
        cross_val_score(Ridge(), X, y, scoring="ndcg", groups=groups, cv=folds)


@pytest.mark.parametrize("cv", [0, 1, -3, 61])
def test_cross_val_score_rejects_impossible_numbers_of_folds(cv, routing, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match="'n_splits' parameter of BalancedGroupKFold must"):
        cross_val_score(Ridge(), X, y, scoring=NDCG, groups=groups, cv=cv)


# ------------------------------------------------------------------ errors before training


@CALL
@pytest.mark.parametrize("scoring", [NDCG, "map", ranking_scorer(["map", "mrr"])], ids=str)
def test_functions_reject_ranking_scorers_without_ids(call, scoring, routing, ranking_data):
    X, y, _ = ranking_data
    with pytest.raises(ValueError, match="groups=qid"):
        call(Ridge(), X, y, scoring=scoring)


@CALL
@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        (lambda ids: ids[1:], r"have one id per row \(513 rows\)"),
        (lambda ids: np.stack((ids, ids), axis=1), "be one-dimensional"),
        (lambda ids: [None, *ids[1:]], "not contain missing ids"),
        (lambda ids: [1, "1", *ids[2:]], "contain ids of one type"),
        (lambda ids: "qid", "name an index level of X or y, or a column of X"),
    ],
    ids=["short", "two columns", "missing", "mixed", "unknown name"],
)
def test_functions_reject_invalid_ids(call, groups, rule, routing, ranking_data):
    X, y, ids = ranking_data
    with pytest.raises(ValueError, match=f"'groups' parameter of .* must {rule}"):
        call(Ridge(), X, y, scoring=NDCG, groups=groups(ids))


@CALL
@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"model": Ridge}, "estimator"),
        ({"X": None}, "X"),
        ({"X": 5}, "X"),
        ({"y": np.ones((513, 2))}, "y"),
        ({"scoring": []}, "scoring"),
        ({"scoring": ["map", "map"]}, "scoring"),
    ],
    ids=str,
)
def test_functions_reject_invalid_models_rows_and_scoring(call, change, parameter, routing, ranking_data):
    X, y, groups = ranking_data
    given = {"model": Ridge(), "X": X, "y": y, "scoring": NDCG} | change
    with pytest.raises((ValueError, TypeError), match=f"'{parameter}' parameter of .* must "):
        call(given["model"], given["X"], given["y"], scoring=given["scoring"], groups=groups)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [({"cv": True}, "cv"), ({"params": ["a"]}, "params"), ({"scoring": ["map", "mrr"]}, "scoring")],
    ids=str,
)
def test_cross_val_score_rejects_invalid_cv_params_and_scoring(options, parameter, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of cross_val_score must "):
        cross_val_score(Ridge(), X, y, groups=groups, **options)


def test_cross_val_score_rejects_ids_given_twice(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'groups' .* be passed once"):
        cross_val_score(Ridge(), X, y, scoring=NDCG, groups=groups, params={"groups": groups})


@pytest.mark.parametrize("typo", ["ndgc@3", ["map", "ndgc@3"], {"ours": "ndgc@3"}], ids=str)
def test_cross_validate_suggests_a_metric_for_a_typo(typo, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match="did you mean ndcg"):
        cross_validate(Ridge(), X, y, scoring=typo, groups=groups)


@pytest.mark.slow
@CALL
@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_models_without_routing_support_work(call, wrap, ranking_data, folds, by_hand, routing):
    X, y, groups = ranking_data
    model = wrap(AdaBoostRegressor(n_estimators=5, random_state=0))
    got = call(model, X, y, scoring=NDCG, groups=groups)
    expected = by_hand(model, folds=BalancedGroupKFold(5).split(X, y, groups), k=3)
    scores = getattr(got, "best_score_", got["test_score"] if isinstance(got, dict) else got)
    np.testing.assert_allclose(np.mean(scores), np.mean(expected), atol=1e-15)
