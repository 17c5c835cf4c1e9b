"""Query ids reach each part that requests them, or an error is raised before training."""

import re
from inspect import signature

import numpy as np
import pytest
import sklearn
from sklearn import config_context
from sklearn import model_selection as ms
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    GradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from sklearn_rank import (
    GridSearchCV,
    WithGroups,
    cross_val_predict,
    cross_val_score,
    ndcg_score,
    permutation_importance,
)
from sklearn_rank.model_selection import BalancedGroupKFold
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import PairwiseRanker

TRAINED = []
SCALED = make_pipeline(WithinGroupScaler(), Ridge())
needs_routed_predict = pytest.mark.skipif(
    "params" not in signature(BaggingRegressor.predict).parameters,
    reason="old versions of scikit-learn pass nothing on in predict of bagging",
)
needs_routed_score = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="old versions of scikit-learn pass nothing on to the default score",
)


def center(X, groups):
    """Return features without the mean of their query."""
    X, codes = np.asarray(X, dtype=float), np.unique(groups, return_inverse=True)[1]
    means = np.array([np.bincount(codes, column) / np.bincount(codes) for column in X.T]).T
    return X - means[codes]


class Centers(TransformerMixin, BaseEstimator):
    """A transformer within queries, which inherits `fit_transform`."""

    def fit(self, X, y=None):
        TRAINED.append(self)
        return self

    def transform(self, X, groups):
        return center(X, groups)


class Counts(TransformerMixin, BaseEstimator):
    """A transformer that takes ids in `fit` only, and inherits `fit_transform`."""

    def fit(self, X, y=None, groups=None):
        self.n_queries_ = len(np.unique(groups))
        return self

    def transform(self, X):
        return np.asarray(X) * self.n_queries_


class Asks(RegressorMixin, BaseEstimator):
    """A model that takes ids in `fit` and `predict`."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y, groups):
        TRAINED.append(self)
        self.model_ = Ridge(self.alpha).fit(center(X, groups), y)
        return self

    def predict(self, X, groups):
        return self.model_.predict(center(X, groups))


class AsksInFit(Asks):
    """A model that declares that it needs ids in `fit` only."""

    __metadata_request__predict = {"groups": False}  # noqa: RUF012

    def predict(self, X, groups=None):
        return self.model_.predict(X)


class Plain(BaseEstimator):
    """A user's model of a model, without a router."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, **params):
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        return self

    def predict(self, X, **params):
        return self.estimator_.predict(X, **params)


class HandsOn(Plain):
    """A user's model of a model that takes ids and passes them to its part."""

    def fit(self, X, y, groups=None):
        return super().fit(X, y, groups=groups)

    def predict(self, X, groups=None):
        return super().predict(X, groups=groups)


class Reverses(VotingRegressor):
    """A subclass of a known model that changes the rows."""

    def fit(self, X, y):
        return super().fit(X[::-1], y[::-1])


class HandsOnInFit(Plain):
    """A user's model of a model that passes ids to its part in `fit` only."""

    def fit(self, X, y, groups=None):
        return super().fit(X, y, groups=groups)

    def predict(self, X):
        return super().predict(X)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(30), 8))
    offsets = rng.normal(scale=5, size=(30, 3))[groups]
    inside = rng.normal(size=(240, 3))
    y = np.clip(np.round(inside[:, 0] + rng.normal(scale=0.5, size=240) + 1), 0, 4)
    TRAINED.clear()
    return inside + offsets, y, groups


def by_hand(data, model):
    """Return the scores of a model of centered features, without any routing."""
    X, y, groups = data
    scores = []
    for train, test in BalancedGroupKFold(3).split(X, y, groups):
        fitted = clone(model).fit(center(X[train], groups[train]), y[train])
        predicted = fitted.predict(center(X[test], groups[test]))
        scores.append(ndcg_score(y[test], predicted, groups=groups[test], k=5))
    return scores


def rejects(call, *words):
    """Assert that a call raises an error with these words before training; return its message."""
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert [word for word in words if word not in message] == []
    assert len(message) <= 350
    assert TRAINED == []
    return message


# ------------------------------------------------------------------ ids are delivered


@pytest.mark.parametrize(
    "model", [Ridge(), AdaBoostRegressor(n_estimators=3, random_state=0)], ids=["plain", "refuses routing"]
)
def test_pipelines_deliver_ids_to_transformers(data, model):
    X, y, groups = data
    got = cross_val_score(make_pipeline(Centers(), model), X, y, groups=groups, scoring="ndcg@5", cv=3)
    np.testing.assert_allclose(got, by_hand(data, model), rtol=1e-12)


@pytest.mark.parametrize("scoring", [None, make_scorer(r2_score)], ids=["default", "r2"])
def test_scorers_of_scikit_learn_get_predictions_with_ids(data, scoring):
    X, y, groups = data
    pipeline = make_pipeline(Centers(), AdaBoostRegressor(n_estimators=3, random_state=0))
    got = cross_val_score(pipeline, X, y, groups=groups, scoring=scoring, cv=3)
    predicted = cross_val_predict(pipeline, X, y, groups=groups, cv=3)
    folds = BalancedGroupKFold(3).split(X, y, groups)
    np.testing.assert_allclose(got, [r2_score(y[test], predicted[test]) for _, test in folds])


def test_transformers_get_ids_in_fit_when_they_inherit_fit_transform(data):
    X, y, groups = data
    search = GridSearchCV(make_pipeline(Counts(), Ridge()), {}, scoring="ndcg", cv=3)
    assert search.fit(X, y, groups=groups).best_estimator_[0].n_queries_ == 30


@pytest.mark.parametrize(
    "scoring", ["r2", ["r2", "neg_mean_squared_error"], pytest.param(None, marks=needs_routed_score)]
)
def test_inner_search_scores_with_ids(data, scoring):
    X, y, groups = data
    refit = {"refit": "r2"} if isinstance(scoring, list) else {}
    pipeline = make_pipeline(Centers(), Ridge())
    inner = ms.GridSearchCV(pipeline, {"ridge__alpha": [1e6, 1e-3]}, scoring=scoring, cv=3, **refit)
    outer = GridSearchCV(inner, {}, scoring="ndcg", cv=3).fit(X, y, groups=groups)
    found = outer.best_estimator_
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    name = "mean_test_r2" if refit else "mean_test_score"
    centered = center(X, groups)
    expected = [
        np.mean(
            [
                r2_score(y[test], Ridge(alpha).fit(centered[train], y[train]).predict(centered[test]))
                for train, test in folds
            ]
        )
        for alpha in (1e6, 1e-3)
    ]
    np.testing.assert_allclose(found.cv_results_[name], expected)
    assert found.best_params_ == {"ridge__alpha": 1e-3}


@needs_routed_predict
def test_bagging_trains_and_predicts_with_ids(data):
    X, y, groups = data
    model = BaggingRegressor(Asks(), n_estimators=2, bootstrap=False)
    got = cross_val_score(model, X, y, groups=groups, scoring="ndcg@5", cv=3)
    np.testing.assert_allclose(got, by_hand(data, Ridge()))


@pytest.mark.parametrize("model", [HandsOn(Asks()), HandsOn(AsksInFit()), HandsOnInFit(AsksInFit())])
def test_models_without_a_router_are_trusted_if_they_take_groups(data, model):
    X, y, groups = data
    assert len(cross_val_score(model, X, y, groups=groups, scoring="ndcg@5", cv=3)) == 3


# ------------------------------------------------------------------ an error before training


@pytest.mark.parametrize(
    ("model", "lost"),
    [
        (GradientBoostingRegressor(init=Asks()), "GradientBoostingRegressor, which calls Asks.fit"),
        (make_pipeline(Reverses([("a", Asks())])), "Reverses, which calls Asks.fit"),
        (StackingRegressor([("a", Asks())], passthrough=True), "StackingRegressor, which calls Asks.fit"),
        (Plain(Asks()), "Plain, which calls Asks.fit"),
        (HandsOnInFit(Asks()), "HandsOnInFit, which calls Asks.predict"),
        (PairwiseRanker(Asks()), "PairwiseRanker, which calls Asks.fit"),
    ],
)
def test_cross_val_score_blames_the_model_that_loses_ids(data, model, lost):
    X, y, groups = data
    rejects(
        lambda: cross_val_score(model, X, y, groups=groups, scoring="ndcg", cv=3), lost, "without 'groups'"
    )


def test_rankers_inside_a_users_model_raise_their_own_error(data):
    X, y, groups = data
    model = Plain(PairwiseRanker(LinearRegression()))
    with pytest.raises(ValueError, match=r"parameter of PairwiseRanker\.fit must contain"):
        cross_val_score(model, X, y, groups=groups, scoring="ndcg", cv=3, error_score="raise")


def test_delivery_error_shows_a_fix_that_works_for_transformers(data):
    X, y, groups = data
    boosted = GradientBoostingRegressor(init=make_pipeline(Centers(), Ridge()), random_state=0)
    message = rejects(lambda: cross_val_score(boosted, X, y, groups=groups, scoring="ndcg@5", cv=3))
    code = re.search(r"make_pipeline\(.*?\)\)", message)[0].replace("(...)", "()")
    names = {"Centers": Centers, "make_pipeline": make_pipeline}
    inner = GradientBoostingRegressor(init=Ridge(), random_state=0)
    fixed = eval(code, names | {"GradientBoostingRegressor": lambda: inner})
    got = cross_val_score(fixed, X, y, groups=groups, scoring="ndcg@5", cv=3)
    np.testing.assert_allclose(got, by_hand(data, inner))


def test_delivery_error_shows_an_opt_out_that_works(data):
    X, y, groups = data
    message = rejects(lambda: cross_val_score(HandsOnInFit(Asks()), X, y, groups=groups, cv=3))
    name, request = re.search(r"set (__metadata_request__predict) = (\{.*?\})", message).groups()
    assert getattr(AsksInFit, f"_AsksInFit{name}") == eval(request)
    got = cross_val_score(HandsOnInFit(AsksInFit()), X, y, groups=groups, cv=3, scoring="r2")
    assert got.shape == (3,)


def test_nested_search_of_scikit_learn_predicts_with_ids(data):
    X, y, groups = data
    model = make_pipeline(ms.GridSearchCV(Asks(), {}, scoring="r2"))
    np.testing.assert_allclose(
        cross_val_score(model, X, y, groups=groups, scoring="ndcg@5", cv=3), by_hand(data, Ridge())
    )


def test_delivery_check_puts_each_candidate_in_its_place(data):
    X, y, groups = data
    boosted = GradientBoostingRegressor()
    search = GridSearchCV(boosted, {"init": [Ridge(), Asks()]}, scoring="ndcg", cv=3)
    rejects(lambda: search.fit(X, y, groups=groups), "parameter of GridSearchCV", "Asks.fit")
    pipeline = make_pipeline(Ridge())
    search = GridSearchCV(pipeline, {"ridge": [Ridge(), Asks()]}, scoring="ndcg", cv=3)
    assert search.fit(X, y, groups=groups).n_splits_ == 3


def test_default_score_predicts_with_ids(data):
    X, y, groups = data
    got = cross_val_score(Asks(), X, y, groups=groups, cv=3)
    expected = cross_val_score(make_pipeline(Centers(), Ridge()), X, y, groups=groups, cv=3, scoring="r2")
    np.testing.assert_allclose(got, expected)


def test_cross_val_predict_ignores_ids_lost_by_the_default_score(data):
    X, y, groups = data
    predicted = cross_val_predict(Asks(), X, y, groups=groups, cv=3)
    np.testing.assert_allclose(predicted, cross_val_predict(HandsOn(Asks()), X, y, groups=groups, cv=3))


def test_frozen_models_predict_with_ids(data):
    X, y, groups = data
    model = make_pipeline(Centers(), Ridge())
    fitted = WithGroups(model).fit(X, y, groups=groups)
    expected = fitted.predict(X, groups=groups)
    for frozen in (FrozenEstimator(fitted.estimator_), make_pipeline(FrozenEstimator(fitted.estimator_))):
        predicted = cross_val_predict(frozen, X, y, groups=groups, cv=3)
        np.testing.assert_allclose(predicted, expected)


def test_frozen_parts_predict_with_ids(data):
    X, y, groups = data
    frozen = Asks().fit(X, y, groups=groups)
    vote = VotingRegressor([("a", FrozenEstimator(frozen))])
    got = cross_val_predict(vote, X, y, groups=groups, cv=3)
    np.testing.assert_allclose(got, frozen.predict(X, groups))


def test_permutation_importance_of_a_search_is_that_of_its_best_model(data):
    X, y, groups = data
    search = GridSearchCV(make_pipeline(Centers(), Ridge()), {}, scoring="ndcg").fit(X, y, groups=groups)
    options = {"groups": groups, "scoring": "ndcg", "random_state": 0, "n_repeats": 2}
    found = [permutation_importance(each, X, y, **options) for each in (search, search.best_estimator_)]
    np.testing.assert_array_equal(*(each.importances for each in found))


class FitsByRouting(TransformerMixin, BaseEstimator):
    """A transformer that passes ids on in `fit` only, and inherits `fit_transform`."""

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, y=None, **params):
        passed = process_routing(self, "fit", **params).transformer.fit if params else {}
        self.transformer_ = clone(self.transformer).fit(X, y, **passed)
        return self

    def transform(self, X):
        return self.transformer_.transform(X)

    def get_metadata_routing(self):
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner="FitsByRouting").add(transformer=self.transformer, method_mapping=mapping)


def test_routers_that_inherit_fit_transform_pass_ids(data, routing):
    X, y, groups = data
    with config_context(enable_metadata_routing=True):
        counts = Counts().set_fit_request(groups=True)
    options = {"groups": groups, "scoring": "ndcg", "cv": 3}
    pipelines = [make_pipeline(each, Ridge(0)) for each in (FitsByRouting(counts), counts)]
    np.testing.assert_allclose(*(cross_val_score(pipeline, X, y, **options) for pipeline in pipelines))


def test_inherited_fit_transform_gets_ids(data, routing):
    X, y, groups = data
    pipeline = make_pipeline(Centers(), Ridge())
    got = cross_val_score(pipeline, X, y, groups=groups, scoring="ndcg@5", cv=3)
    np.testing.assert_allclose(got, by_hand(data, Ridge()))


class Resamples(BaseEstimator):
    """A sampler of imbalanced-learn's kind."""

    def fit_resample(self, X, y):
        return X[::2], y[::2]

    def fit(self, X, y):
        return self


class ResamplingPipeline(type(make_pipeline(Ridge()))):
    """A pipeline of imbalanced-learn's kind."""

    __sklearn_rank_rows__ = "order"

    def fit(self, X, y=None, **params):
        for _, step in self.steps[:-1]:
            is_sampler = hasattr(step, "fit_resample")
            X, y = step.fit_resample(X, y) if is_sampler else (step.fit(X).transform(X, **params), y)
        self.steps[-1][1].fit(X, y)
        return self

    def predict(self, X, **params):
        for _, step in self.steps[:-1]:
            X = X if hasattr(step, "fit_resample") else step.transform(X, **params)
        return self.steps[-1][1].predict(X)


def test_samplers_raise_before_a_part_that_takes_ids(data):
    X, y, groups = data
    model = ResamplingPipeline([("under", Resamples()), ("asks", Asks())])
    call = lambda: cross_val_score(model, X, y, groups=groups, scoring="ndcg", cv=3)  # noqa: E731
    rejects(call, "Resamples, which changes the rows before Asks.fit", "Put Asks before Resamples")


def test_samplers_run_after_the_part_that_takes_ids(data):
    X, y, groups = data
    model = ResamplingPipeline([("scale", Centers()), ("under", Resamples()), ("model", LinearRegression())])
    assert len(cross_val_score(model, X, y, groups=groups, scoring="ndcg", cv=3)) == 3


def test_delivery_check_skips_models_that_request_no_ids(data):
    X, y, groups = data
    forest = RandomForestRegressor(5, random_state=0)
    vote = VotingRegressor([("a", forest), ("b", AdaBoostRegressor(n_estimators=2, random_state=0))])
    got = cross_val_score(vote, X, y, groups=groups, scoring="r2", cv=3)
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    np.testing.assert_array_equal(got, ms.cross_val_score(vote, X, y, scoring="r2", cv=folds))
