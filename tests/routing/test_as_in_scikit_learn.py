"""What works in scikit-learn works here: all its models, and parameters of `fit` wherever they go."""

from inspect import Parameter, signature

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    HistGradientBoostingRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import (
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    RANSACRegressor,
    Ridge,
    RidgeCV,
)
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import all_estimators

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
)
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.forms import SCIKIT_LEARN_VERSION

ROWS = KFold(2)  # of a model that splits again: an int would mean whole queries here
NDCG = ndcg_scorer(k=3)

# ------------------------------------------------------------------ all models of scikit-learn

KINDS = ("regressor", "classifier", "transformer")
# They are made of lists that name columns or other models, or want a dictionary.
WITHOUT_DEFAULTS = {"ColumnTransformer", "FeatureUnion", "SparseCoder"}
ZOO = {
    f"{name} as {kind}": (kind, model)
    for kind in KINDS
    for name, model in all_estimators(type_filter=kind)
    if name not in WITHOUT_DEFAULTS
}


def build(kind, model):
    """Make a model with its defaults, and what it needs."""
    base = LogisticRegression() if kind == "classifier" else Ridge()
    needed = {"random_state": 0, "cv": ROWS, "n_iter": 1, "param_grid": {}, "param_distributions": {}}
    needed |= {"estimator": base, "estimators": [("a", base), ("b", base)]}
    always = ("random_state", "cv")
    parameters = signature(model).parameters
    searches = "param_distributions" in parameters
    given = {
        name: value
        for name, value in needed.items()
        if name in parameters
        and (name in always or parameters[name].default is Parameter.empty or (name == "n_iter" and searches))
    }
    return model(**given)


@pytest.fixture(scope="module")
def indexed():
    """Positive features with the ids in the index, labels, ids, folds and weights."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20, 160)
    X = rng.random((160, 4)).round(2) + 0.1
    y = (3 * X[:, 0] + rng.random(160)).astype(int)
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid"))
    return frame, y, groups, list(BalancedGroupKFold(2).split(X, y, groups)), rng.random(160) + 0.1


def attempt(call):
    """Return what a call gives, or the error it raises."""
    np.random.seed(0)  # noqa: NPY002 - of models that draw from it
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kind", "model"), ZOO.values(), ids=ZOO)
def test_each_model_gives_what_it_gives_in_scikit_learn(kind, model, weighted, indexed):
    X, y, groups, folds, weights = indexed
    name = f"{model.__name__.lower()}__sample_weight" if kind == "transformer" else "sample_weight"
    options = {"cv": folds, "error_score": "raise", "params": {name: weights} if weighted else None}
    labels = (y > 1).astype(int) if kind == "classifier" else y
    try:
        model = build(kind, model)
    except TypeError:
        pytest.skip("it is made of parts that differ from model to model")
    model = make_pipeline(model, Ridge()) if kind == "transformer" else model
    by_name = ndcg_scorer(k=3, groups="qid")
    expected = attempt(lambda: theirs.cross_val_score(model, X, labels, scoring=by_name, **options))
    got = attempt(lambda: cross_val_score(model, X, labels, scoring=NDCG, groups=groups, **options))
    if isinstance(expected, Exception):  # and ours says at once that it does not take them
        refused = "'params' parameter of cross_val_score must name parameters that reach the fit of"
        assert isinstance(got, Exception)
        assert (weighted and refused in str(got)) or type(got) is type(expected)
    else:
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_there_are_many():
    assert len(ZOO) > 150


# ------------------------------------------------------------------ other parameters of `fit`

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


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_mean_what_they_mean_in_scikit_learn(name, scoring, ranking_data, folds, weights):
    X, y, groups = ranking_data
    model, parameter = WEIGHTED[name]
    options = {"cv": folds, "scoring": scoring, "error_score": "raise"}
    expected = theirs.cross_val_score(model, X, y, params={parameter: weights}, **options)
    assert not np.array_equal(expected, theirs.cross_val_score(model, X, y, **options))
    got = cross_val_score(model, X, y, groups=groups, params={parameter: weights}, **options)
    np.testing.assert_allclose(got, expected, atol=1e-12)


# With an int as `cv` they are fitted by way of metadata routing, which does not change what weights do.
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


@pytest.mark.filterwarnings("ignore:.*LogisticRegressionCV", "ignore:The default value")
@pytest.mark.parametrize("options", [{}, {"scoring": "accuracy"}], ids=["default", "accuracy"])
def test_weights_of_a_model_whose_scoring_is_no_scorer(options, ranking_data, folds, weights):
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


def test_further_rows_of_a_model_reach_its_fit(ranking_data, folds):
    if SCIKIT_LEARN_VERSION < (1, 7):
        pytest.skip("its fit takes them from scikit-learn 1.7 on")
    X, y, groups = ranking_data
    model = HistGradientBoostingRegressor(max_iter=5, early_stopping=True)
    params = {"X_val": X[:50], "y_val": y[:50]}
    options = {"cv": folds, "scoring": "r2", "params": params, "error_score": "raise"}
    expected = [model.fit(X[train], y[train], **params).score(X[test], y[test]) for train, test in folds]
    np.testing.assert_allclose(cross_val_score(model, X, y, groups=groups, **options), expected)


def test_a_model_that_takes_weights_wins_in_a_search_over_models(ranking_data, folds, weights):
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
def test_parameters_of_catboosts_models(kind, name, ranking_data, folds, weights):
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


# ------------------------------------------------------------------ models of one's own


class FindsItsOwnScore(Ridge):
    """A ranker whose `fit` calls scikit-learn's cross-validation with ids."""

    def fit(self, X, y, groups=None):
        out_of_fold = theirs.cross_val_predict(Ridge(), X, y, groups=groups, cv=theirs.GroupKFold(3))
        self.score_ = ndcg_score(y, out_of_fold, groups=groups)
        return super().fit(X, y)


class OutsideScikitLearn:
    """A model that only looks like one of scikit-learn's."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def get_params(self, deep=True):
        return {"alpha": self.alpha}

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def __sklearn_tags__(self):
        return Ridge().__sklearn_tags__()

    def fit(self, X, y, groups=None):
        np.testing.assert_array_equal(groups, X[:, -1])
        self.model_ = Ridge(alpha=self.alpha).fit(X[:, :-1], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, :-1])


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_a_ranker_may_call_scikit_learn_with_ids(wrap, ranking_data, by_hand):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "error_score": "raise"}
    assert cross_val_score(wrap(FindsItsOwnScore()), X, y, **options).tolist() == by_hand(Ridge(), k=3)


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_a_model_outside_scikit_learn_gets_ids(wrap, with_ids, ranking_data, by_hand):
    (_, X), (_, y, groups) = with_ids, ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "error_score": "raise"}
    got = cross_val_score(wrap(OutsideScikitLearn()), X, y, **options)
    np.testing.assert_allclose(got, by_hand(Ridge(), k=3), atol=1e-12)


PAIRS = {
    "calibrated": CalibratedClassifierCV(LogisticRegression()),
    "searching": LogisticRegressionCV(Cs=2, cv=2, scoring="accuracy"),
    "boosted": AdaBoostClassifier(n_estimators=3, random_state=0),
    "robust": RANSACRegressor(random_state=0),
    "searched": theirs.GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=2),
}


@pytest.mark.filterwarnings("ignore:.*LogisticRegressionCV", "ignore:The default value")
@pytest.mark.parametrize("name", PAIRS)
def test_the_model_of_pairs_is_fitted_as_without_routing(name, ranking_data, folds, routing):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(PAIRS[name], max_pairs=20, random_state=0)
    options = {"groups": groups, "scoring": NDCG, "cv": folds[:1], "error_score": "raise"}
    got = cross_val_score(make_pipeline(StandardScaler(), ranker), X, y, **options)
    train, test = folds[0]
    scaler = StandardScaler().fit(X[train])
    with config_context(enable_metadata_routing=False):
        ranker.fit(scaler.transform(X[train]), y[train], groups=groups[train])
        predicted = ranker.predict(scaler.transform(X[test]))
    assert got.tolist() == [ndcg_score(y[test], predicted, groups=groups[test], k=3)]


class PerQuery(TransformerMixin, BaseEstimator):
    """A transformer of one's own that wants ids in `fit` and in `transform`."""

    def fit(self, X, y=None, groups=None):
        assert len(groups) == len(X)
        return self

    def transform(self, X, groups=None):
        means = {group: X[groups == group].mean(axis=0) for group in np.unique(groups)}
        return X - np.array([means[group] for group in groups])


@pytest.mark.parametrize("scoring", [NDCG, "r2", None], ids=str)
def test_a_transformer_of_ones_own_gets_ids_in_predict_too(scoring, ranking_data, folds):
    X, y, groups = ranking_data
    model = make_pipeline(PerQuery(), Ridge())
    options = {"groups": groups, "cv": folds, "error_score": "raise"}
    got = cross_val_score(model, X, y, scoring=scoring, **options)
    predicted = cross_val_predict(model, X, y, groups=groups, cv=folds)
    for score, (train, test) in zip(got, folds):
        fitted = Ridge().fit(PerQuery().transform(X[train], groups[train]), y[train])
        expected = fitted.predict(PerQuery().transform(X[test], groups[test]))
        np.testing.assert_allclose(predicted[test], expected, atol=1e-12)
        metric = ndcg_score if scoring is NDCG else sklearn.metrics.r2_score
        ids = {"groups": groups[test], "k": 3} if scoring is NDCG else {}
        assert score == pytest.approx(metric(y[test], expected, **ids), abs=1e-12)


# ------------------------------------------------------------------ importances


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("scoring", [None, "r2", ["r2", "neg_mean_squared_error"]], ids=str)
@pytest.mark.parametrize("model", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=["alone", "steps"])
def test_importances_without_ids_are_those_of_scikit_learn(model, scoring, weighted, ranking_data, weights):
    X, y, _ = ranking_data
    fitted = model.fit(X, y)
    options = {"scoring": scoring, "random_state": 0, "n_repeats": 2, "max_samples": 0.5}
    options |= {"sample_weight": weights} if weighted else {}
    got = permutation_importance(fitted, X, y, **options)
    expected = sklearn.inspection.permutation_importance(fitted, X, y, **options)
    for ours, other in (
        [(got[name], expected[name]) for name in scoring] if isinstance(scoring, list) else [(got, expected)]
    ):
        np.testing.assert_array_equal(ours.importances, other.importances)


class ByKeyword(RegressorMixin, BaseEstimator):
    """A model whose own score takes weights."""

    def fit(self, X, y):
        self.n_ = len(y)
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("model", [Ridge(), RidgeCV(), ByKeyword()], ids=repr)
def test_importances_for_the_models_own_score_with_weights(model, ranking_data, weights):
    X, y, groups = ranking_data
    fitted = model.fit(X, y)
    options = {"random_state": 0, "n_repeats": 1, "sample_weight": weights}
    got = permutation_importance(fitted, X, y, groups=groups, **options).importances
    expected = permutation_importance(fitted, X, y, groups=groups, scoring="r2", **options).importances
    np.testing.assert_allclose(got, expected, atol=1e-12)
    base = fitted.score(X, y, sample_weight=weights)
    assert base != fitted.score(X, y)
