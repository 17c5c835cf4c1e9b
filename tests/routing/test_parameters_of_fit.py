"""Parameters of `fit` reach models that split again, pipelines and searches, as in scikit-learn."""

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as theirs
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostRegressor,
    HistGradientBoostingRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegressionCV, RANSACRegressor, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_score, ndcg_scorer
from tests.helpers.forms import SCIKIT_LEARN_VERSION

ROWS = KFold(2)  # splits rows; an int would keep queries whole in models that split again
NDCG = ndcg_scorer(k=3)


ROBUST = RANSACRegressor(LinearRegression(), min_samples=0.5, residual_threshold=3, random_state=0)
WEIGHTED = {
    "HistGradientBoosting": (HistGradientBoostingRegressor(max_iter=5), "sample_weight"),
    "RANSAC": (ROBUST, "sample_weight"),
    "target": (TransformedTargetRegressor(Ridge()), "sample_weight"),
    "step behind a target": (TransformedTargetRegressor(make_pipeline(Ridge())), "ridge__sample_weight"),
    "search in a pipeline": (
        make_pipeline(StandardScaler(), theirs.GridSearchCV(Ridge(), {"alpha": [1e-3, 1e3]}, cv=ROWS)),
        "gridsearchcv__sample_weight",
    ),
    "search of RANSAC": (theirs.GridSearchCV(ROBUST, {}, scoring="r2", cv=ROWS), "sample_weight"),
    "search of a model that refuses routing": (
        theirs.GridSearchCV(AdaBoostRegressor(n_estimators=3, random_state=0), {}, cv=ROWS),
        "sample_weight",
    ),
    "stack in a pipeline": (
        make_pipeline(
            StandardScaler(), StackingRegressor([("a", Ridge()), ("b", LassoCV(cv=ROWS))], cv=ROWS)
        ),
        "stackingregressor__sample_weight",
    ),
    "vote of stacks": (
        VotingRegressor([("a", StackingRegressor([("b", Ridge())], Ridge(), cv=ROWS)), ("c", Ridge())]),
        "sample_weight",
    ),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*splits the training rows again")
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_have_the_same_effect_as_in_scikit_learn(name, scoring, ranking_data, folds, weights):
    X, y, groups = ranking_data
    model, parameter = WEIGHTED[name]
    options = {"cv": folds, "scoring": scoring, "error_score": "raise"}
    expected = theirs.cross_val_score(model, X, y, params={parameter: weights}, **options)
    assert not np.array_equal(expected, theirs.cross_val_score(model, X, y, **options))
    got = cross_val_score(model, X, y, groups=groups, params={parameter: weights}, **options)
    np.testing.assert_allclose(got, expected, atol=1e-12)


# If `cv` is an int, they are fitted by metadata routing, which does not change the effect of weights.
ROUTED = {
    "search in a pipeline": lambda cv: make_pipeline(
        StandardScaler(), theirs.GridSearchCV(Ridge(), {"alpha": [1e-3, 1e3]}, cv=cv)
    ),
    "search of a pipeline": lambda cv: make_pipeline(
        theirs.GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {}, cv=cv)
    ),
    "search of RANSAC": lambda cv: make_pipeline(theirs.GridSearchCV(ROBUST, {}, scoring="r2", cv=cv)),
    "stack": lambda cv: make_pipeline(StackingRegressor([("a", Ridge()), ("b", LinearRegression())], cv=cv)),
    "stack of pipelines": lambda cv: StackingRegressor([("a", Ridge()), ("b", Ridge(9.0))], Ridge(), cv=cv),
    "path": lambda cv: make_pipeline(LassoCV(cv=cv)),
    "vote": lambda cv: VotingRegressor([("a", LassoCV(cv=cv)), ("b", Ridge())]),
    "target": lambda cv: TransformedTargetRegressor(make_pipeline(LassoCV(cv=cv))),
}
STEPS = {
    "search in a pipeline": "gridsearchcv__sample_weight",
    "search of a pipeline": "gridsearchcv__ridge__sample_weight",
    "search of RANSAC": "gridsearchcv__sample_weight",
    "stack": "stackingregressor__sample_weight",
    "path": "lassocv__sample_weight",
    "target": "lassocv__sample_weight",
}


@pytest.mark.slow
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
@pytest.mark.parametrize("name", ROUTED)
def test_weights_reach_models_that_split_again(name, scoring, ranking_data, folds, weights):
    X, y, groups = ranking_data
    parameter = STEPS.get(name, "sample_weight")
    got = cross_val_score(
        ROUTED[name](3),
        X,
        y,
        groups=groups,
        cv=folds,
        scoring=scoring,
        params={parameter: weights},
        error_score="raise",
    )
    for score, (train, test) in zip(got, folds):
        rows = X[train], y[train]
        inner = list(BalancedGroupKFold(3).split(*rows, groups[train]))
        model = ROUTED[name](inner).fit(*rows, **{parameter: weights[train]})
        expected = sklearn.metrics.get_scorer(scoring or "r2")(model, X[test], y[test])
        assert score == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*LogisticRegressionCV", "ignore:The default value")
@pytest.mark.parametrize("options", [{}, {"scoring": "accuracy"}], ids=["default", "accuracy"])
def test_weights_reach_logistic_regression_cv_without_a_scorer(options, ranking_data, folds, weights):
    X, y, groups = ranking_data
    labels = (y > 1).astype(int)
    model = LogisticRegressionCV(Cs=3, cv=3, **options)
    got = cross_val_score(
        model, X, labels, groups=groups, cv=folds, params={"sample_weight": weights}, error_score="raise"
    )
    for score, (train, test) in zip(got, folds):
        inner = list(BalancedGroupKFold(3).split(X[train], labels[train], groups[train]))
        fitted = LogisticRegressionCV(Cs=3, cv=inner, **options).fit(X[train], labels[train], weights[train])
        assert score == fitted.score(X[test], labels[test])


@pytest.mark.slow
def test_validation_rows_in_params_reach_fit_whole(ranking_data, folds):
    if SCIKIT_LEARN_VERSION < (1, 7):
        pytest.skip("its fit takes them from scikit-learn 1.7 on")
    X, y, groups = ranking_data
    model = HistGradientBoostingRegressor(max_iter=5, early_stopping=True)
    params = {"X_val": X[:50], "y_val": y[:50]}
    options = {"cv": folds, "scoring": "r2", "params": params, "error_score": "raise"}
    expected = [model.fit(X[train], y[train], **params).score(X[test], y[test]) for train, test in folds]
    np.testing.assert_allclose(cross_val_score(model, X, y, groups=groups, **options), expected)


@pytest.mark.slow
def test_weights_reach_candidates_as_in_scikit_learn(ranking_data, folds, weights):
    X, y, groups = ranking_data
    models = [HistGradientBoostingRegressor(max_iter=30), Ridge(1e6)]
    grid, name = {"model": models}, "model__sample_weight"
    pipeline = sklearn.pipeline.Pipeline([("model", Ridge())])
    options = {"cv": folds, "scoring": "r2", "error_score": "raise"}
    ours = GridSearchCV(pipeline, grid, **options).fit(X, y, groups=groups, **{name: weights})
    expected = theirs.GridSearchCV(pipeline, grid, **options).fit(X, y, **{name: weights})
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], atol=1e-12
    )


@pytest.mark.parametrize("name", ["sample_weight", "cat_features"])
@pytest.mark.parametrize("kind", ["CatBoostRegressor", "CatBoostClassifier"])
def test_params_reach_fit_of_catboost_models(kind, name, ranking_data, folds, weights):
    catboost = pytest.importorskip("catboost")
    X, y, groups = ranking_data
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(X).add_prefix("x").assign(colour=np.where(X[:, 0] > 0, "red", "blue"))
    X = X.drop(columns="colour") if name == "sample_weight" else X
    labels = y if kind == "CatBoostRegressor" else (y > 1).astype(int)
    params = {"sample_weight": weights} if name == "sample_weight" else {"cat_features": ["colour"]}
    model = getattr(catboost, kind)(iterations=3, verbose=False, allow_writing_files=False, random_seed=0)
    got = cross_val_score(
        model, X, labels, groups=groups, cv=folds, scoring=NDCG, params=params, error_score="raise"
    )
    for score, (train, test) in zip(got, folds):
        given = {"sample_weight": weights[train]} if name == "sample_weight" else params
        fitted = model.copy().fit(X.iloc[train], labels[train], **given)
        assert score == NDCG(fitted, X.iloc[test], labels[test], groups=groups[test])
