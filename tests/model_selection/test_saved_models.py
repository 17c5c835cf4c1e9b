"""Saved and loaded searches, rankers and `WithGroups`, which predict the same."""

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import GridSearchCV, RandomizedSearchCV, WithGroups, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV, simplest
from sklearn_rank.preprocessing import WithinGroupScaler
from tests.helpers.early_stopping import make_holdout
from tests.helpers.rankers import BOOSTED

X, Y, GROUPS = make_ranking(n_queries=30, n_features=4, random_state=0)
NAMES = pd.Series([f"q{group}" for group in GROUPS])
SCALED = make_pipeline(WithinGroupScaler(), Ridge())
ALPHAS = {"ridge__alpha": [1, 1000]}
MODELS = {
    "WithGroups": WithGroups(SCALED),
    "grid": GridSearchCV(SCALED, ALPHAS, scoring="ndcg@5", cv=2),
    "own score": GridSearchCV(SCALED, ALPHAS, cv=2),
    "several": GridSearchCV(SCALED, ALPHAS, scoring=["map", "mrr"], refit="map", cv=2),
    "kept": GridSearchCV(SCALED, ALPHAS, scoring="ndcg@5", keep_queries=True, cv=2),
    "simplest": GridSearchCV(SCALED, ALPHAS, scoring="ndcg@5", refit=simplest("alpha"), cv=2),
    "random": RandomizedSearchCV(SCALED, ALPHAS, n_iter=2, scoring="ndcg@5", cv=2),
    "halving": HalvingGridSearchCV(SCALED, ALPHAS, scoring="ndcg@5", cv=2),
    "search of WithGroups": GridSearchCV(WithGroups(SCALED), {"estimator__ridge__alpha": [1]}, cv=2),
}


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(model):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    data = skops.dumps(model)
    return skops.loads(data, trusted=skops.get_untrusted_types(data=data))


SAVED = pytest.mark.parametrize("save", [by_pickle, by_joblib, by_skops])


@SAVED
@pytest.mark.parametrize("name", MODELS)
def test_saved_models_predict_the_same(name, save):
    model = MODELS[name].fit(X, Y, groups=GROUPS)
    loaded = save(model)
    np.testing.assert_array_equal(loaded.predict(X, groups=GROUPS), model.predict(X, groups=GROUPS))
    assert repr(loaded) == repr(model)


@SAVED
@BOOSTED
def test_saved_rankers_predict_the_same_when_stopped_early(name, save):
    model = make_holdout(name).fit(X, Y, groups=NAMES)
    loaded = save(model)
    assert isinstance(model.validation_groups_, np.ndarray)
    np.testing.assert_array_equal(loaded.validation_groups_, model.validation_groups_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


METHODS = {
    "predict": Ridge(),
    "predict_proba": LogisticRegression(),
    "decision_function": LogisticRegression(),
}


@pytest.mark.parametrize("method", METHODS)
def test_search_methods_pass_ids(method):
    scaled = WithinGroupScaler().fit_transform(X, groups=GROUPS)
    search = GridSearchCV(make_pipeline(WithinGroupScaler(), METHODS[method]), {}, cv=2)
    search.fit(X, Y > 1, groups=GROUPS)
    expected = getattr(METHODS[method].fit(scaled, Y > 1), method)(scaled)
    np.testing.assert_array_equal(getattr(search, method)(X, groups=GROUPS), expected)


def test_search_transform_passes_ids():
    search = GridSearchCV(make_pipeline(WithinGroupScaler()), {}, scoring=lambda model, X, y: 0.0, cv=2)
    transformed = search.fit(X, Y, groups=GROUPS).transform(X, groups=GROUPS)
    np.testing.assert_array_equal(transformed, WithinGroupScaler().fit_transform(X, groups=GROUPS))


class Centers(TransformerMixin, BaseEstimator):
    """A transformer that centers within queries, or overall without ids."""

    def fit(self, X, y=None, groups=None):
        return self

    def transform(self, X, groups=None):
        groups = np.zeros(len(X)) if groups is None else groups
        return X - [X[groups == group].mean(axis=0) for group in groups]


@pytest.mark.parametrize("scoring", ["ndcg@5", ndcg_scorer(k=5), ["ndcg@5", "map"]], ids=str)
def test_search_scores_its_own_predictions(scoring):
    refit = "ndcg@5" if isinstance(scoring, list) else True
    search = GridSearchCV(make_pipeline(Centers(), Ridge()), {}, scoring=scoring, refit=refit, cv=2)
    search.fit(X, Y, groups=GROUPS)
    expected = ndcg_score(Y, search.predict(X, groups=GROUPS), groups=GROUPS, k=5)
    assert search.score(X, Y, groups=GROUPS) == expected


@pytest.mark.parametrize("method", ["predict", "score"])
def test_search_raises_without_the_ids_it_was_fitted_with(method):
    search = GridSearchCV(make_pipeline(Centers(), Ridge()), {}, cv=2).fit(X, Y, groups=GROUPS)
    message = rf"^The 'groups' parameter of GridSearchCV.{method} must .* for Centers"
    with pytest.raises(ValueError, match=message):
        getattr(search, method)(*(X, Y)[: 1 + (method == "score")])


def test_search_predicts_without_ids_if_fitted_without():
    search = GridSearchCV(Ridge(), {}, cv=2).fit(X, Y)
    np.testing.assert_array_equal(search.predict(X), Ridge().fit(X, Y).predict(X))


class CentersBack(Centers):
    """A transformer with an inverse, which takes no ids."""

    def inverse_transform(self, X):
        return X


def one(model, X, y):
    return 1.0


OTHER_METHODS = {
    "score_samples": make_pipeline(Centers(), KernelDensity()),
    "inverse_transform": make_pipeline(CentersBack(), StandardScaler()),
}


@pytest.mark.parametrize("method", OTHER_METHODS)
def test_other_methods_raise_without_the_ids_that_a_part_takes(method):
    model = OTHER_METHODS[method]
    for fitted in (GridSearchCV(model, {}, cv=2, scoring=one), WithGroups(model)):
        fitted.fit(X, Y, groups=GROUPS)
        with pytest.raises(
            ValueError, match=rf"'groups' parameter of (GridSearchCV|WithGroups)\.{method} must"
        ):
            getattr(fitted, method)(X)


@pytest.mark.parametrize("method", OTHER_METHODS)
def test_other_methods_pass_ids(method):
    first, last = (clone(step) for _, step in OTHER_METHODS[method].steps)
    centered = first.fit(X, groups=GROUPS).transform(X, groups=GROUPS)
    last.fit(centered)
    expected = getattr(last, method)(centered if method == "score_samples" else X)
    for fitted in (
        GridSearchCV(OTHER_METHODS[method], {}, cv=2, scoring=one),
        WithGroups(OTHER_METHODS[method]),
    ):
        got = getattr(fitted.fit(X, Y, groups=GROUPS), method)(X, groups=GROUPS)
        np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("method", OTHER_METHODS)
def test_other_methods_call_those_of_the_model(method):
    last = clone(OTHER_METHODS[method][-1])
    expected = getattr(clone(last).fit(X), method)(X)
    for fitted in (GridSearchCV(last, {}, cv=2, scoring=one), WithGroups(last)):
        np.testing.assert_array_equal(getattr(fitted.fit(X, groups=GROUPS), method)(X), expected)


def test_search_predicts_log_probabilities_with_ids():
    search = GridSearchCV(make_pipeline(Centers(), LogisticRegression()), {}, cv=2, scoring=one)
    search.fit(X, Y > 1, groups=GROUPS)
    expected = np.log(search.predict_proba(X, groups=GROUPS))
    np.testing.assert_allclose(search.predict_log_proba(X, groups=GROUPS), expected)


def test_predict_requires_the_second_ids_of_fit():
    with config_context(enable_metadata_routing=True):
        scaler = WithinGroupScaler().set_fit_request(groups="user").set_transform_request(groups="user")
    model = make_pipeline(scaler, Ridge())
    users = np.roll(GROUPS, 1)
    for fitted in (GridSearchCV(model, {}, cv=2, scoring="ndcg@5"), WithGroups(model)):
        fitted.fit(X, Y, groups=GROUPS, user=users)
        with pytest.raises(ValueError, match=rf"^The 'user' parameter of {type(fitted).__name__}.predict"):
            fitted.predict(X, groups=GROUPS)
        assert len(fitted.predict(X, groups=GROUPS, user=users)) == len(X)


def test_search_predict_is_missing_without_refit():
    search = GridSearchCV(Ridge(), {"alpha": [1]}, refit=False, cv=2).fit(X, Y, groups=GROUPS)
    with pytest.raises(AttributeError):
        search.predict(X, groups=GROUPS)


def test_search_predict_checks_the_number_of_ids():
    search = MODELS["grid"].fit(X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=r"^The 'groups' parameter of GridSearchCV.predict must"):
        search.predict(X, groups=GROUPS[1:])
