"""Searches of scikit-learn inside ours, and searches of models that predict with ids."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.linear_model import BayesianRidge, Lasso, LassoCV, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    ndcg_scorer,
    permutation_importance,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.preprocessing import WithinGroupScaler
from tests.helpers.forms import SCIKIT_LEARN_VERSION
from tests.helpers.id_models import RequestingModel

NDCG = ndcg_scorer(k=3)
QUERY = "ndcg@3"


@pytest.fixture
def whole(monkeypatch):
    """Count the splits of rows that scikit-learn's folds make."""
    n_splits, split = [], KFold.split

    def count(self, X, y=None, groups=None):
        n_splits.append(len(X))
        return split(self, X, y, groups)

    monkeypatch.setattr(KFold, "split", count)
    return n_splits


# ------------------------------------------------------------------ scikit-learn's searches inside ours

STACK = StackingRegressor([("a", Lasso()), ("b", Ridge())], final_estimator=Ridge(), cv=3)
GRIDS = {
    "folds of a stack": (make_pipeline(StandardScaler(), STACK), {"stackingregressor__cv": [2, 3]}),
    "member": (VotingRegressor([("a", Ridge()), ("b", RequestingModel())]), {"a": [LassoCV(cv=3)]}),
    "member left out": (STACK, {"b": ["drop", Ridge()]}),
    "step": (Pipeline([("m", Ridge())]), {"m": [STACK, LassoCV(cv=3), RequestingModel()]}),
    "folds of a path": (make_pipeline(LassoCV()), {"lassocv__cv": [2, 3]}),
    "last model": (
        make_pipeline(STACK),
        {"stackingregressor__final_estimator": [LassoCV(cv=3), RequestingModel()]},
    ),
    "members": (STACK, {"estimators": [[("a", RequestingModel())], [("a", Ridge())]]}),
    "scaler": (
        make_pipeline(WithinGroupScaler(), Ridge()),
        {"withingroupscaler": ["passthrough", WithinGroupScaler()]},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRIDS)
def test_inner_scikit_learn_search_equals_our_search(name, rows, whole, routing):
    X, y, groups, _ = rows
    model, grid = GRIDS[name][0], GRIDS[name][1]
    options = {"groups": groups, "cv": 2, "scoring": QUERY, "error_score": "raise"}
    inner = {"scoring": NDCG, "cv": 2, "error_score": "raise"}
    other = cross_validate(theirs.GridSearchCV(model, grid, **inner), X, y, **options, return_estimator=True)
    ours = cross_validate(GridSearchCV(model, grid, **inner), X, y, **options, return_estimator=True)
    np.testing.assert_array_equal(other["test_score"], ours["test_score"])
    for one, two in zip(other["estimator"], ours["estimator"]):
        np.testing.assert_array_equal(*(each.cv_results_["mean_test_score"] for each in (one, two)))
    assert whole == []
    assert all(ids is not None for ids in RequestingModel.ids)


@pytest.mark.parametrize("make", [lambda m: m, lambda m: Pipeline([("m", m)])], ids=["alone", "pipeline"])
def test_inner_search_scores_candidates_by_their_own_score(make, rows, routing):
    X, y, groups, _ = rows
    step = "m__" if hasattr(make(RequestingModel()), "steps") else ""
    search = theirs.GridSearchCV(make(RequestingModel()), {f"{step}alpha": [1e7, 1.0]}, cv=2)
    options = {"groups": groups, "cv": 2, "scoring": "r2", "return_estimator": True}
    for fitted in cross_validate(search, X, y, **options)["estimator"]:
        assert np.isfinite(fitted.cv_results_["mean_test_score"]).all()
        assert fitted.best_params_ == {f"{step}alpha": 1.0}


@pytest.mark.skipif(SCIKIT_LEARN_VERSION < (1, 8), reason="scikit-learn's own search fails before 1.8")
def test_search_over_models_passes_requested_weights_to_score(rows, weights, folds):
    X, y, groups, _ = rows
    with config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        searches = [
            search(Pipeline([("m", model)]), {"m": [model]}, cv=folds)
            for search in (theirs.GridSearchCV, GridSearchCV)
        ]
        searches[0].fit(X, y, sample_weight=weights)
        searches[1].fit(X, y, groups=groups, sample_weight=weights)
    assert searches[0].best_score_ == searches[1].best_score_


# ------------------------------------------------------------------ predictions with ids

PER_QUERY = make_pipeline(WithinGroupScaler(), Ridge())


@pytest.mark.slow
@pytest.mark.parametrize("search", [GridSearchCV, HalvingGridSearchCV, theirs.GridSearchCV])
def test_nested_search_of_a_model_that_predicts_with_ids(search, rows, folds, routing):
    X, y, groups, _ = rows
    scoring = NDCG if search is theirs.GridSearchCV else QUERY
    options = {"resource": "ridge__max_iter", "max_resources": 9} if search is HalvingGridSearchCV else {}
    inner = search(PER_QUERY, {"ridge__alpha": [1.0]}, scoring=scoring, cv=2, **options)
    given = {"groups": groups, "cv": folds}
    got = cross_val_score(inner, X, y, scoring=QUERY, error_score="raise", **given)
    np.testing.assert_allclose(got, cross_val_score(PER_QUERY, X, y, scoring=QUERY, **given))
    predicted = cross_val_predict(inner, X, y, **given)
    np.testing.assert_allclose(predicted, cross_val_predict(PER_QUERY, X, y, **given))


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["r2", QUERY, None])
def test_fitted_search_scores_with_ids(scoring, rows, routing):
    X, y, groups, _ = rows
    search = GridSearchCV(PER_QUERY, {}, scoring=scoring, cv=2, error_score="raise").fit(X, y, groups=groups)
    with config_context(enable_metadata_routing=True):
        predicted = search.best_estimator_.predict(X, groups=groups)
    r2, ndcg = r2_score(y, predicted), NDCG(search.best_estimator_, X, y, groups=groups)
    assert search.score(X, y, groups=groups) == pytest.approx(ndcg if scoring == QUERY else r2)
    assert NDCG(search, X, y, groups=groups) == ndcg
    options = {"groups": groups, "scoring": QUERY, "n_repeats": 1, "random_state": 0}
    np.testing.assert_array_equal(
        permutation_importance(search, X, y, **options).importances,
        permutation_importance(search.best_estimator_, X, y, **options).importances,
    )


FUNCTIONS = {
    "a step": lambda model, X, y: float(model[-1].coef_[0]),
    "how many steps": lambda model, X, y: len(model),
    "its own score": lambda model, X, y: model.score(X, y),
    "ids of its own": lambda model, X, y, groups: r2_score(y, model.predict(X, groups=np.zeros(len(y)))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scoring_function_can_use_a_model_that_predicts_with_ids(name, rows, folds):
    X, y, groups, _ = rows
    options = {"groups": groups, "cv": folds, "error_score": "raise"}
    got = cross_val_score(PER_QUERY, X, y, scoring=FUNCTIONS[name], **options)
    for value, (train, test) in zip(got, folds):
        with config_context(enable_metadata_routing=True):
            fitted = clone(PER_QUERY).fit(X[train], y[train], groups=groups[train])
            ids = np.zeros(len(test)) if name == "ids of its own" else groups[test]
            r2 = r2_score(y[test], fitted.predict(X[test], groups=ids))
        expected = {"a step": fitted[-1].coef_[0], "how many steps": 2}.get(name, r2)
        assert value == pytest.approx(expected)


def test_scoring_function_gets_the_model_if_ids_are_in_the_index(rows):
    pandas = pytest.importorskip("pandas")
    X, y, groups, _ = rows
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid"))
    model = make_pipeline(WithinGroupScaler(groups="qid"), BayesianRidge())

    def is_pipeline(model, X, y):
        _, deviations = model.predict(X, return_std=True)
        return float(type(model) is Pipeline and len(deviations) == len(y))

    got = cross_val_score(model, frame, y, groups="qid", scoring=is_pipeline, cv=2, error_score="raise")
    assert got.tolist() == [1, 1]
