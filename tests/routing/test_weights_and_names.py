"""Weights, names of steps and other parameters in calls with query ids."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as theirs
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.feature_selection import RFE
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import BalancedGroupKFold, GridSearchCV, TimeCut, WithGroups, cross_val_score, ndcg_scorer
from sklearn_rank.model_selection import HalvingGridSearchCV


@pytest.fixture(scope="module")
def weights(ranking_data):
    return np.random.default_rng(0).uniform(0.5, 2, len(ranking_data[1]))


ALPHAS, STEPS = {"alpha": [1, 1000]}, {"n_features_to_select": [1, 3]}
INNER = {  # the search, and its models by hand
    "theirs": (lambda **given: theirs.GridSearchCV(Ridge(), ALPHAS, cv=3, **given), Ridge, ALPHAS),
    "ours": (lambda **given: GridSearchCV(Ridge(), ALPHAS, cv=3, **given), Ridge, ALPHAS),
    "random": (
        lambda **given: theirs.RandomizedSearchCV(Ridge(), ALPHAS, n_iter=2, cv=3, **given),
        Ridge,
        ALPHAS,
    ),
    "RFE": (
        lambda **given: theirs.GridSearchCV(RFE(Ridge()), STEPS, cv=3, **given),
        lambda **given: RFE(Ridge(), **given),
        STEPS,
    ),
}


@pytest.mark.filterwarnings("ignore:The scoring")  # scikit-learn's, about models whose score takes no weights
@pytest.mark.parametrize("name", INNER)
def test_search_around_a_search_that_scores_itself_takes_weights(name, ranking_data, weights):
    X, y, groups = ranking_data
    outer = GridSearchCV(INNER[name][0](), {}, cv=3).fit(X, y, groups=groups, sample_weight=weights)
    assert np.isfinite(outer.best_score_)


def search_by_hand(make, grid, X, y, groups, weights):
    """Return the mean score of a search in a search, by loops over folds of whole queries."""
    weighs = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 7)  # searches score with weights
    ((name, candidates),) = grid.items()

    def score(value, train, test):
        model = make(**{name: value}).fit(X[train], y[train], sample_weight=weights[train])
        return r2_score(y[test], model.predict(X[test]), sample_weight=weights[test] if weighs else None)

    values = []
    for train, test in BalancedGroupKFold(3).split(X, y, groups):
        inner = list(BalancedGroupKFold(3).split(X[train], y[train], groups[train]))
        means = {each: np.mean([score(each, train[a], train[b]) for a, b in inner]) for each in candidates}
        values.append(score(max(means, key=means.get), train, test))
    return np.mean(values)


@pytest.mark.parametrize("name", INNER)
def test_weighted_search_in_a_search_equals_loops_by_hand(name, ranking_data, weights):
    X, y, groups = ranking_data
    build, make, grid = INNER[name]
    outer = GridSearchCV(build(scoring="r2"), {}, cv=3, scoring="r2")
    outer.fit(X, y, groups=groups, sample_weight=weights)
    expected = search_by_hand(make, grid, X, y, groups, weights)
    assert outer.best_score_ == pytest.approx(expected, rel=1e-12)


class Asking(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None, groups=None):
        assert groups is not None
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X, groups=None):
        assert groups is not None
        return X


def test_weights_reach_steps_whose_names_are_not_identifiers(ranking_data, weights):
    X, y, groups = ranking_data
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    pipeline = Pipeline([("scale", Asking()), ("linear model", Ridge())])
    params = {"linear model__sample_weight": weights}
    got = cross_val_score(pipeline, X, y, groups=groups, cv=folds, scoring="r2", params=params)
    expected = theirs.cross_val_score(Ridge(), X, y, cv=folds, params={"sample_weight": weights})
    np.testing.assert_allclose(got, expected)


class AskingRidge(Ridge):
    def fit(self, X, y, groups=None, sample_weight=None):
        assert groups is not None
        return super().fit(X, y, sample_weight)


def test_weights_reach_asking_parts_of_pipelines_with_a_hyphen(ranking_data, weights):
    X, y, groups = ranking_data
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    model = make_pipeline(make_pipeline(Asking()), Pipeline([("asking", AskingRidge())]))
    assert list(model.named_steps) == ["pipeline-1", "pipeline-2"]
    params = {"pipeline-2__asking__sample_weight": weights}
    got = cross_val_score(model, X, y, groups=groups, cv=folds, scoring="r2", params=params)
    expected = theirs.cross_val_score(Ridge(), X, y, cv=folds, params={"sample_weight": weights})
    np.testing.assert_allclose(got, expected)


THRESHOLDS = [
    theirs.FixedThresholdClassifier(LogisticRegression(), threshold=0.4),
    theirs.TunedThresholdClassifierCV(LogisticRegression(), cv=theirs.KFold(3)),
]


@pytest.mark.parametrize("model", THRESHOLDS, ids=lambda model: type(model).__name__)
def test_weights_reach_classifiers_with_a_threshold(model, ranking_data, weights):
    X, y, groups = ranking_data
    grades = (y > 1).astype(int)
    folds = list(BalancedGroupKFold(3).split(X, y, groups))

    class Weighted(ClassifierMixin, BaseEstimator):
        """A classifier that weights rows by the last column of X."""

        def fit(self, X, y):
            self.model_ = LogisticRegression().fit(X[:, :-1], y, X[:, -1])
            self.classes_ = self.model_.classes_
            return self

        def predict_proba(self, X):
            return self.model_.predict_proba(X[:, :-1])

        def decision_function(self, X):
            return self.model_.decision_function(X[:, :-1])

        def predict(self, X):
            return self.model_.predict(X[:, :-1])

    params = {"sample_weight": weights}
    got = cross_val_score(model, X, grades, groups=groups, cv=folds, scoring="accuracy", params=params)
    plain = type(model)(**{**model.get_params(deep=False), "estimator": Weighted()})
    expected = theirs.cross_val_score(plain, np.c_[X, weights], grades, cv=folds, scoring="accuracy")
    np.testing.assert_allclose(got, expected)


def test_searches_of_scikit_learn_take_a_dict_with_ranking_scorers_and_weights(ranking_data, weights):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="q"))
    scoring = {"a": ndcg_scorer(k=10, groups="q"), "b": "r2"}
    search = theirs.GridSearchCV(Ridge(), {}, scoring=scoring, refit="b")
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # the ranking scorer gets no weights, and folds cut queries
        search.fit(frame, y, sample_weight=weights)
    assert np.isfinite(search.cv_results_["mean_test_a"]).all()


def test_scorers_have_a_name():
    assert ndcg_scorer(k=10).__name__ == "ndcg@10"


class OnlyArray:
    """Data that only numpy can read."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


def test_data_with_only_an_array_method_is_accepted(ranking_data):
    X, y, groups = ranking_data
    model = WithGroups(Ridge()).fit(OnlyArray(X), OnlyArray(y), groups=groups)
    np.testing.assert_array_equal(model.predict(OnlyArray(X)), Ridge().fit(X, y).predict(X))
    got, expected = (
        cross_val_score(Ridge(), data, y, groups=groups, scoring="ndcg", cv=3) for data in (OnlyArray(X), X)
    )
    np.testing.assert_array_equal(got, expected)


def test_score_accepts_data_with_only_an_array_method(ranking_data):
    X, y, groups = ranking_data
    expected = Ridge().fit(X, y).score(X, y)
    assert WithGroups(Ridge()).fit(X, y, groups=groups).score(OnlyArray(X), y, groups=groups) == expected
    search = GridSearchCV(Ridge(), {}, scoring="r2", cv=3).fit(X, y, groups=groups)
    assert search.score(OnlyArray(X), y, groups=groups) == expected


def test_inner_folds_are_five_by_default(ranking_data):
    X, y, groups = ranking_data
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    five, default = (
        cross_val_score(
            make_pipeline(StandardScaler(), LassoCV(cv=cv)), X, y, groups=groups, cv=folds, scoring="r2"
        )
        for cv in (5, None)
    )
    np.testing.assert_array_equal(five, default)
    train = folds[0][0]
    inner = list(BalancedGroupKFold(5).split(X[train], y[train], groups[train]))
    expected = LassoCV(cv=inner).fit(StandardScaler().fit_transform(X[train]), y[train]).alpha_
    fitted = WithGroups(make_pipeline(StandardScaler(), LassoCV())).fit(
        X[train], y[train], groups=groups[train]
    )
    assert fitted.estimator_[-1].alpha_ == pytest.approx(expected)


def test_times_are_an_argument_of_functions_and_searches(ranking_data):
    X, y, groups = ranking_data
    times = np.unique(groups, return_inverse=True)[1]
    options = {"groups": groups, "scoring": "ndcg", "cv": TimeCut(2)}
    expected = cross_val_score(Ridge(), X, y, params={"times": times}, **options)
    np.testing.assert_array_equal(cross_val_score(Ridge(), X, y, times=times, **options), expected)
    search = HalvingGridSearchCV(Ridge(), {"alpha": [1, 10, 100]}, scoring="ndcg", cv=TimeCut(1))
    assert search.fit(X, y, groups=groups, times=times).n_resources_[-1] <= len(np.unique(groups))


def test_times_given_twice_raise(ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "times": groups, "params": {"times": groups}, "cv": TimeCut(1)}
    with pytest.raises(ValueError, match="'times' parameter of cross_val_score must be passed once"):
        cross_val_score(Ridge(), X, y, scoring="ndcg", **options)


def test_results_do_not_send_rows_back(ranking_data):
    X, y, groups = ranking_data
    seen = []

    def scorer(model, X, y):
        seen.append(len(pickle.dumps(model)))
        return 0.0

    big = np.hstack([X] * 50)
    cross_val_score(Ridge(), big, y, groups=groups, scoring=scorer, cv=3)
    assert max(seen) < big.nbytes / 10
