"""Configuration of metadata routing: the user's code runs with the user's setting."""

import numpy as np
import pytest
from sklearn import config_context, get_config
from sklearn import model_selection as ms
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline

from sklearn_rank import GridSearchCV, cross_val_predict, cross_val_score, ndcg_scorer, permutation_importance
from sklearn_rank.model_selection import BalancedGroupKFold
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import PairwiseRanker

SEEN = []
EVERY_ROUTING = pytest.mark.parametrize("routing", [False, True])


def see():
    """Note whether metadata routing is enabled."""
    SEEN.append(get_config()["enable_metadata_routing"])


@pytest.fixture(autouse=True)
def forget():
    SEEN.clear()


@pytest.fixture
def data(ranking_data):
    return ranking_data


class Sees(TransformerMixin, BaseEstimator):
    """A transformer that takes no ids, and sees the configuration."""

    def fit(self, X, y=None):
        see()
        return self

    def transform(self, X):
        see()
        return np.asarray(X)


class SeesRidge(Ridge):
    """A model that sees the configuration."""

    def fit(self, X, y):
        see()
        return super().fit(X, y)

    def predict(self, X):
        see()
        return super().predict(X)

    def score(self, X, y, sample_weight=None):
        see()
        return super().score(X, y, sample_weight)


class WithoutWeights(SeesRidge):
    """A model whose `score` takes no weights."""

    def score(self, X, y):
        return super().score(X, y)


class SeesFolds(BalancedGroupKFold):
    """A splitter that sees the configuration."""

    def split(self, X, y=None, groups=None):
        see()
        return super().split(X, y, groups)


class FoldOut(TransformerMixin, BaseEstimator):
    """A transformer that calls scikit-learn's `cross_val_predict` with clusters as `groups`."""

    def fit(self, X, y):
        clusters = np.arange(len(X)) % 7
        folds = ms.GroupKFold(3)
        self.mean_ = ms.cross_val_predict(Ridge(), X, y, groups=clusters, cv=folds).mean()
        return self

    def transform(self, X):
        return np.asarray(X) - self.mean_


def difference(y_true, y_score):
    see()
    return -float(np.abs(np.ravel(y_true) - y_score).mean())


def gain(labels):
    see()
    return labels


def last(results):
    see()
    return 0


MODELS = {
    "scaled": lambda part: make_pipeline(WithinGroupScaler(), part, Ridge()),
    "ranker": lambda part: make_pipeline(part, PairwiseRanker(Ridge())),
    "nested": lambda part: make_pipeline(WithinGroupScaler(), make_pipeline(part, Ridge())),
    "refusing": lambda part: make_pipeline(WithinGroupScaler(), part, AdaBoostRegressor(n_estimators=2)),
}


CASES = [(False, name) for name in MODELS] + [(True, "scaled"), (True, "nested")]


@pytest.mark.parametrize(("routing", "name"), CASES)
def test_transformers_run_with_the_users_configuration(routing, name, data):
    X, y, groups = data
    model = MODELS[name](Sees())
    with config_context(enable_metadata_routing=routing):
        cross_val_score(model, X, y, groups=groups, scoring="ndcg@5", cv=3)
        cross_val_predict(model, X, y, groups=groups, cv=3)
    assert set(SEEN) == {routing}


@pytest.mark.parametrize("name", MODELS)
def test_transformers_can_call_scikit_learn_with_groups(name, data):
    X, y, groups = data
    assert np.isfinite(
        cross_val_score(MODELS[name](FoldOut()), X, y, groups=groups, scoring="ndcg@5", cv=3)
    ).all()


@EVERY_ROUTING
def test_models_run_with_the_users_configuration(routing, data):
    X, y, groups = data
    model = make_pipeline(WithinGroupScaler(), SeesRidge())
    with config_context(enable_metadata_routing=routing):
        for scoring in ("ndcg@5", None, "r2"):
            cross_val_score(model, X, y, groups=groups, scoring=scoring, cv=3)
            GridSearchCV(model, {"seesridge__alpha": [1]}, scoring=scoring, cv=3).fit(X, y, groups=groups)
        fitted = WithinGroupScaler().fit_transform(X, groups=groups)
        permutation_importance(
            SeesRidge().fit(fitted, y), fitted, y, groups=groups, scoring="ndcg@5", n_repeats=1
        )
    assert set(SEEN) == {routing}


def test_pipelines_score_models_that_take_no_weights(data):
    X, y, groups = data
    found = [
        cross_val_score(make_pipeline(WithinGroupScaler(), model), X, y, groups=groups, cv=3)
        for model in (WithoutWeights(), Ridge())
    ]
    np.testing.assert_array_equal(*found)
    assert set(SEEN) == {False}


@EVERY_ROUTING
@pytest.mark.parametrize(
    "model", [Ridge(), make_pipeline(WithinGroupScaler(), Ridge())], ids=["plain", "asks"]
)
def test_functions_of_scorers_run_with_the_users_configuration(model, routing, data):
    X, y, groups = data
    several = {"mine": make_scorer(difference), "gain": ndcg_scorer(gain=gain)}
    with config_context(enable_metadata_routing=routing):
        for scoring in several.values():
            cross_val_score(model, X, y, groups=groups, scoring=scoring, cv=3)
        search = GridSearchCV(model, {}, scoring=several, refit=last, cv=SeesFolds(3))
        search.fit(X, y, groups=groups)
    assert set(SEEN) == {routing}


@EVERY_ROUTING
def test_scorers_of_nested_searches_run_with_the_users_configuration(routing, data):
    X, y, groups = data
    inner = ms.GridSearchCV(
        make_pipeline(WithinGroupScaler(), Ridge()), {}, scoring=make_scorer(difference), cv=3
    )
    with config_context(enable_metadata_routing=routing):
        cross_val_score(inner, X, y, groups=groups, scoring=ndcg_scorer(gain=gain), cv=3)
    assert set(SEEN) == {routing}
