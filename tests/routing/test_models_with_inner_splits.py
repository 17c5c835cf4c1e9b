"""Models that split their training rows again: queries stay whole, and the model does not change."""

import warnings

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesRegressor, StackingClassifier, StackingRegressor
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    ElasticNetCV,
    LarsCV,
    LassoCV,
    LassoLarsCV,
    LogisticRegression,
    LogisticRegressionCV,
    OrthogonalMatchingPursuitCV,
    Ridge,
    RidgeCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, TargetEncoder

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    ndcg_score,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.forms import SCIKIT_LEARN_VERSION

ROUTES_IN_PIPELINES = SCIKIT_LEARN_VERSION >= (1, 9)
needs_1_9 = pytest.mark.skipif(not ROUTES_IN_PIPELINES, reason="its TargetEncoder takes an int only")


class Watch(RegressorMixin, BaseEstimator):
    """A model that notes the rows of each fit."""

    row_of: dict = {}  # noqa: RUF012 - of each value of any feature
    seen: list = []  # noqa: RUF012 - shared by all clones
    model = Ridge()

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y):
        self.seen.append(np.array([self.row_of[value] for value in np.asarray(X)[:, 0]]))
        self.model_ = clone(self.model).fit(X, y)
        self.coef_ = self.model_.coef_
        return self

    def predict(self, X):
        return self.model_.predict(X)


class WatchClasses(ClassifierMixin, Watch):
    """Likewise, a classifier."""

    model = LogisticRegression()

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class OwnStack(StackingRegressor):
    """A stack that adds nothing."""


LAST = {"final_estimator": Ridge()}
MODELS = {
    "stack": StackingRegressor([("a", Watch()), ("b", Ridge())], **LAST, cv=3),
    "stack by default": StackingRegressor([("a", Watch()), ("b", Watch(2.0))], **LAST),
    "stack of one's own": OwnStack([("a", Watch()), ("b", Ridge())], **LAST),
    "stack in a pipeline": make_pipeline(
        FunctionTransformer(), StackingRegressor([("a", Watch())], **LAST, cv=3)
    ),
    "stack in a stack": StackingRegressor(
        [("a", StackingRegressor([("b", Watch())], **LAST, cv=2))], **LAST, cv=3
    ),
    "search": theirs.GridSearchCV(Watch(), {"alpha": [1.0, 2.0]}, cv=3),
    "search of a pipeline": theirs.RandomizedSearchCV(make_pipeline(Watch()), {}, n_iter=1, cv=3),
    "search in a search": theirs.GridSearchCV(theirs.GridSearchCV(Watch(), {}, cv=2), {}, cv=3),
    "feature elimination": RFECV(Watch(), cv=3),
    "calibration": CalibratedClassifierCV(WatchClasses(), cv=3),
    "calibration of one": CalibratedClassifierCV(WatchClasses(), cv=3, ensemble=False),
    "stack of classifiers": StackingClassifier(
        [("a", WatchClasses()), ("b", LogisticRegression())], LogisticRegression(), cv=3
    ),
    "selection": make_pipeline(SequentialFeatureSelector(Watch(), n_features_to_select=1, cv=3), Ridge()),
}
MODEL = pytest.mark.parametrize("name", MODELS)


@pytest.fixture
def numbered(ranking_data):
    """Rows that a model can tell by any feature; labels of two classes."""
    X, y, groups = ranking_data
    Watch.row_of = {value: row for row in range(len(y)) for value in X[row]}
    Watch.seen.clear()
    return X, (y > 1).astype(int), groups


def cuts_queries(groups):
    """Tell whether a fit that was noted had a part of a query."""
    sizes = np.bincount(groups)
    for rows in Watch.seen:
        found = np.bincount(groups[rows], minlength=len(sizes))
        if ((found > 0) & (found < sizes)).any():
            return True
    return False


@pytest.mark.thorough
@MODEL
def test_functions_keep_queries_whole_in_models_that_split_again(name, numbered, routing):
    X, y, groups = numbered
    model, options = MODELS[name], {"groups": groups, "cv": 2}
    scored = options | {"scoring": "ndcg@3"}
    calls = {
        "cross_val_score": lambda: cross_val_score(model, X, y, **scored),
        "cross_val_predict": lambda: cross_val_predict(model, X, y, **options),
        "learning_curve": lambda: learning_curve(model, X, y, train_sizes=[30], **scored),
        "permutation_test_score": lambda: permutation_test_score(model, X, y, n_permutations=1, **scored),
        "GridSearchCV": lambda: GridSearchCV(model, {}, scoring="ndcg@3", cv=2).fit(X, y, groups=groups),
        "GridSearchCV of models": lambda: GridSearchCV(
            make_pipeline(Ridge()), {"ridge": [model]}, scoring="ndcg@3", cv=2, error_score="raise"
        ).fit(X, y, groups=groups),
    }
    for function, call in calls.items():
        Watch.seen.clear()
        call()
        assert Watch.seen, function
        assert not cuts_queries(groups), function


@MODEL
def test_scikit_learn_cuts_queries_in_models_that_split_again(name, numbered):
    X, y, groups = numbered
    Watch.seen.clear()
    theirs.cross_val_score(MODELS[name], X, y, cv=list(BalancedGroupKFold(2).split(X, y, groups)))
    assert cuts_queries(groups)


def test_searched_cv_parameter_keeps_queries_whole(numbered, routing):
    X, y, groups = numbered
    Watch.seen.clear()
    GridSearchCV(MODELS["stack"], {"cv": [2, 3]}, scoring="ndcg", cv=2).fit(X, y, groups=groups)
    validation_curve(
        MODELS["stack"], X, y, param_name="cv", param_range=[2], groups=groups, scoring="ndcg", cv=2
    )
    assert not cuts_queries(groups)


BY_VALUE = {
    "LassoCV": LassoCV(cv=3, alphas=5) if SCIKIT_LEARN_VERSION >= (1, 7) else LassoCV(cv=3, n_alphas=5),
    "ElasticNetCV": ElasticNetCV(cv=3),
    "LarsCV": LarsCV(cv=3),
    "LassoLarsCV": LassoLarsCV(cv=3),
    "OrthogonalMatchingPursuitCV": OrthogonalMatchingPursuitCV(cv=3),
    "LogisticRegressionCV": LogisticRegressionCV(cv=3, Cs=3, scoring="roc_auc"),
}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*LogisticRegressionCV", "ignore:'n_alphas' was deprecated")
@pytest.mark.filterwarnings(
    "ignore:The default value of use_legacy", "ignore:The default value for l1_ratios"
)
@pytest.mark.parametrize("name", BY_VALUE)
def test_path_models_choose_by_whole_queries(name, numbered, folds, routing):
    X, y, groups = numbered
    got = cross_val_predict(BY_VALUE[name], X, y, groups=groups, cv=folds)
    for train, test in folds:
        rows = X[train], y[train]
        labels = None if name == "OrthogonalMatchingPursuitCV" else y[train]  # it splits without labels
        inner = list(BalancedGroupKFold(3).split(X[train], labels, groups[train]))
        expected = clone(BY_VALUE[name]).set_params(cv=inner).fit(*rows).predict(X[test])
        np.testing.assert_array_equal(got[test], expected)


@needs_1_9
@pytest.mark.parametrize("encoder", [TargetEncoder(), TargetEncoder(cv=3)], ids=["default", "int"])
def test_target_encoder_encodes_by_other_queries(encoder, numbered, folds, routing):
    X, y, groups = numbered
    X = np.round(X[:, :2])
    got = cross_val_predict(make_pipeline(encoder, Ridge()), X, y, groups=groups, cv=folds)
    whole = TargetEncoder(cv=BalancedGroupKFold(encoder.cv))
    for train, test in folds:
        with config_context(enable_metadata_routing=True):
            encoded = clone(whole).fit_transform(X[train], y[train], groups=groups[train])
        fitted = TargetEncoder().fit(X[train], y[train])
        expected = Ridge().fit(encoded, y[train]).predict(fitted.transform(X[test]))
        np.testing.assert_allclose(got[test], expected, atol=1e-12)


@pytest.mark.skipif(ROUTES_IN_PIPELINES, reason="ids reach it")
def test_cross_val_score_warns_about_a_target_encoder_without_ids(numbered, routing):
    X, y, groups = numbered
    with pytest.warns(
        UserWarning, match=r"^TargetEncoder: cv=.* splits .* cuts queries.* Upgrade scikit-learn"
    ):
        cross_val_score(make_pipeline(TargetEncoder(), Ridge()), np.round(X), y, groups=groups, cv=2)


@pytest.mark.thorough
def test_stack_with_whole_queries_scores_above_a_stack_that_leaks(ranking_data, routing):
    X, y, groups = ranking_data
    X = np.column_stack([X, np.random.default_rng(0).standard_normal(groups.max() + 1)[groups]])
    y = y + 2 * (groups % 3)  # a forest can learn this from other rows of the query
    members = [("leaky", ExtraTreesRegressor(30, random_state=0)), ("b", Ridge())]
    stack = StackingRegressor(members, final_estimator=Ridge(), cv=3)
    options = {"groups": groups, "cv": 3, "scoring": "r2"}
    ours = cross_validate(stack, X, y, return_estimator=True, **options)
    cut = theirs.cross_val_score(
        stack, X, y, cv=list(BalancedGroupKFold(3).split(X, y, groups)), scoring="r2"
    )
    assert ours["test_score"].mean() > cut.mean() + 0.05


# ------------------------------------------------------------------ the model does not change


@pytest.mark.thorough
@MODEL
def test_given_and_fitted_models_contain_no_private_folds(name, numbered, routing):
    X, y, groups = numbered
    model = MODELS[name]
    before = repr(model)
    fitted = cross_validate(model, X, y, groups=groups, cv=2, return_estimator=True)["estimator"]
    search = GridSearchCV(model, {}, scoring="ndcg", cv=2).fit(X, y, groups=groups)
    for each in [model, *fitted, search.best_estimator_]:
        assert repr(each) == before
        assert find_ours(each) == []


def find_ours(value, seen=None):
    """List all objects of private classes of this package in a model."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, str | type):
        return []
    seen.add(id(value))
    module = type(value).__module__
    found = [value] if module.startswith("sklearn_rank._") else []
    parts = list(value.values()) if isinstance(value, dict) else []
    parts += list(value) if isinstance(value, list | tuple) else []
    parts += list(vars(value).values()) if hasattr(value, "__dict__") else []
    return found + [each for part in parts for each in find_ours(part, seen)]


def test_fitted_stack_can_be_refit_without_ids_as_in_scikit_learn(numbered):
    X, y, groups = numbered
    stack = StackingRegressor([("a", Ridge()), ("b", Ridge(1e3))])
    search = GridSearchCV(stack, {}, scoring="ndcg", cv=2).fit(X, y, groups=groups)
    got = search.best_estimator_.fit(X, y).predict(X)
    np.testing.assert_array_equal(got, clone(stack).fit(X, y).predict(X))
    assert search.best_estimator_.final_estimator is None


# ------------------------------------------------------------------ mixed ensembles


@pytest.mark.thorough
@pytest.mark.parametrize("final", [None, Ridge(), PairwiseRanker(Ridge(), max_pairs=None)], ids=repr)
def test_stack_of_a_ranker_and_a_plain_model_equals_a_loop(final, ranking_data, folds, routing):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(Ridge(), max_pairs=None)
    stack = StackingRegressor([("a", ranker), ("b", Ridge())], final_estimator=final, cv=3)
    got = cross_val_score(stack, X, y, groups=groups, cv=folds, scoring="ndcg@3", error_score="raise")
    expected = []
    for train, test in folds:
        rows, ids = (X[train], y[train]), {"groups": groups[train]}
        features = np.empty((len(train), 2))
        for inner, held_out in BalancedGroupKFold(3).split(*rows, **ids):
            part = X[train][inner], y[train][inner]
            features[held_out, 0] = (
                clone(ranker).fit(*part, groups=groups[train][inner]).predict(X[train][held_out])
            )
            features[held_out, 1] = Ridge().fit(*part).predict(X[train][held_out])
        members = [clone(ranker).fit(*rows, **ids), Ridge().fit(*rows)]
        last = clone(final) if final is not None else RidgeCV()
        last.fit(features, y[train], **(ids if isinstance(last, PairwiseRanker) else {}))
        predicted = last.predict(np.column_stack([member.predict(X[test]) for member in members]))
        expected.append(ndcg_score(y[test], predicted, groups=groups[test], k=3))
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_stack_keeps_its_splitter_of_whole_queries(numbered, routing):
    X, y, groups = numbered
    Watch.seen.clear()
    for cv in (theirs.GroupKFold(3), BalancedGroupKFold(3)):
        stack = StackingRegressor([("a", Watch())], cv=cv)
        fitted = cross_validate(stack, X, y, groups=groups, cv=2, return_estimator=True, error_score="raise")
        assert type(fitted["estimator"][0].cv) is type(cv)
    assert not cuts_queries(groups)


# ------------------------------------------------------------------ parts that get no ids


def test_cross_val_score_warns_about_leave_one_out_in_ridge_cv(ranking_data, routing):
    X, y, groups = ranking_data
    with pytest.warns(UserWarning, match=r"^RidgeCV: cv=None splits .* cuts queries\. Pass it an int"):
        cross_val_score(RidgeCV(), X, y, groups=groups, cv=2)


def test_calibration_of_a_frozen_model_does_not_warn(ranking_data, routing):
    X, y, groups = ranking_data
    frozen = FrozenEstimator(LogisticRegression().fit(X, y > 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(CalibratedClassifierCV(frozen), X, y > 1, groups=groups, cv=2, error_score="raise")


def test_stack_scores_equal_scikit_learn_without_groups(numbered, routing):
    X, y, _ = numbered
    stack = StackingRegressor([("a", Ridge()), ("b", Ridge(1e3))], cv=3)
    with config_context(enable_metadata_routing=False):
        expected = theirs.cross_val_score(stack, X, y, cv=2)
    np.testing.assert_array_equal(cross_val_score(stack, X, y, cv=2), expected)
