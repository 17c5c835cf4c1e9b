"""Ids in nested models: requests for them, their names, and state after a call."""

import pickle
import threading
from collections import namedtuple

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import KFold
from sklearn.multioutput import RegressorChain
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from sklearn_rank import GridSearchCV, cross_val_predict, cross_val_score, cross_validate, ndcg_scorer
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.id_models import RecordingModel, RequestingModel

QUERY = "ndcg@3"


class ByRequest(RecordingModel):
    """Its signature does not name what it asks for."""

    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    def fit(self, X, y, **given):
        return self.record(X, y, given.get("groups"))


class OtherName(RecordingModel):
    """Its ids have the name of another library."""

    def fit(self, X, y, qid=None):
        return self.record(X, y, qid)


def request(model, **requests):
    """Set the requests of `fit` and of other methods."""
    with config_context(enable_metadata_routing=True):
        for method, asked in requests.items():
            getattr(model, f"set_{method}_request")(**asked)
    return model


# ------------------------------------------------------------------ requests for ids


@pytest.mark.parametrize(
    "wrap",
    [lambda m: m, make_pipeline, lambda m: GridSearchCV(Pipeline([("m", m)]), {"m": [m]}, cv=2)],
    ids=["alone", "pipeline", "candidate"],
)
@pytest.mark.parametrize("kind", [ByRequest, OtherName])
def test_model_that_requests_ids_gets_them_with_any_signature(kind, wrap, rows, routing):
    X, y, groups, _ = rows
    model = kind() if kind is ByRequest else request(OtherName(), fit={"qid": "groups"})
    cross_val_score(wrap(model), X, y, groups=groups, cv=2, scoring="r2", error_score="raise")
    assert RequestingModel.ids
    assert all(ids is not None for ids in RequestingModel.ids)


def test_ranker_subclass_can_pass_keywords_to_fit(rows):
    X, y, groups, _ = rows

    class Passes(PairwiseRanker):
        def fit(self, X, y, **given):
            return super().fit(X, y, **given)

    options = {"groups": groups, "cv": 2, "scoring": QUERY, "error_score": "raise"}
    got = cross_val_score(Passes(Ridge(), random_state=0), X, y, **options)
    expected = cross_val_score(PairwiseRanker(Ridge(), random_state=0), X, y, **options)
    np.testing.assert_array_equal(got, expected)


class Optional(RegressorMixin, BaseEstimator):
    """A model that has another one, or none; it routes accordingly."""

    def __init__(self, estimator=None):
        self.estimator = estimator

    def fit(self, X, y, **params):
        given = process_routing(self, "fit", **params).estimator.fit if params else {}
        self.model_ = clone(self.estimator or Ridge()).fit(X, y, **given)
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def get_metadata_routing(self):
        if self.estimator is None:
            return MetadataRequest(owner=self)
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)


def test_objects_of_one_class_can_route_differently(rows):
    X, y, groups, _ = rows
    cross_val_score(Optional(), X, y, groups=groups, cv=2)
    cross_val_score(Optional(RequestingModel()), X, y, groups=groups, cv=2, error_score="raise")
    assert len(RequestingModel.ids) == 2
    assert all(ids is not None for ids in RequestingModel.ids)


Step = namedtuple("Step", "name model")


class OfSteps(RegressorMixin, BaseEstimator):
    """A model that holds another one in a container of its own kind, and keeps it twice."""

    def __init__(self, steps):
        self.steps = steps

    def _inner(self):
        return self.steps.model if isinstance(self.steps, Bunch) else self.steps[0].model

    def fit(self, X, y, **params):
        routed = process_routing(self, "fit", **params)
        self.fitted_ = (clone(self._inner()).fit(X, y, **routed.inner.fit),)
        self.again_ = self.fitted_
        return self

    def predict(self, X):
        return self.fitted_[0].predict(X)

    def get_metadata_routing(self):
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(inner=self._inner(), method_mapping=mapping)


@pytest.mark.parametrize(
    "steps", [[Step("a", RequestingModel())], Bunch(model=RequestingModel())], ids=["named tuple", "bunch"]
)
def test_cross_validate_keeps_types_of_containers_in_models(steps, rows):
    X, y, groups, _ = rows
    options = {"groups": groups, "cv": 2, "error_score": "raise", "return_estimator": True}
    for fitted in cross_validate(OfSteps(steps), X, y, **options)["estimator"]:
        assert type(fitted.steps) is type(steps)
        assert [type(each) for each in (*fitted.fitted_, *fitted.again_, fitted._inner())] == [
            RequestingModel
        ] * 3
    assert all(ids is not None for ids in RequestingModel.ids)


# ------------------------------------------------------------------ aliases in nested models


@pytest.mark.parametrize(
    "wrap",
    [
        lambda m: GridSearchCV(m, {}, scoring="r2", cv=2),
        lambda m: make_pipeline(StandardScaler(), GridSearchCV(m, {}, scoring="r2", cv=2)),
        lambda m: theirs.GridSearchCV(m, {}, scoring="r2", cv=2),
        lambda m: StackingRegressor([("a", m), ("b", Ridge())], Ridge(), cv=2),
        lambda m: StackingRegressor([("a", Ridge()), ("b", m)], PairwiseRanker(Ridge()), cv=2),
        lambda m: VotingRegressor([("a", m), ("b", Ridge())]),
    ],
    ids=["search", "search in a pipeline", "theirs", "stack", "stack under a ranker", "vote"],
)
def test_inner_model_gets_ids_under_the_requested_name(wrap, rows, routing):
    X, y, groups, user = rows
    user = user + 1000  # differs from every query id
    model = request(RequestingModel(), fit={"groups": "user"})
    options = {"groups": groups, "cv": 2, "scoring": QUERY, "params": {"user": user}}
    cross_val_score(wrap(model), X, y, **options, error_score="raise")
    assert RequestingModel.ids
    assert all((ids >= 1000).all() for ids in RequestingModel.ids)


def test_inner_search_scorer_gets_ids_under_the_requested_name(rows, routing):
    X, y, groups, user = rows
    scorer = ndcg_scorer(k=3).set_score_request(groups="user")
    pipeline = make_pipeline(StandardScaler(), GridSearchCV(Ridge(), {}, scoring=scorer, cv=2))
    options = {"groups": groups, "cv": 2, "params": {"user": user}, "return_estimator": True}
    for fitted in cross_validate(pipeline, X, y, **options)["estimator"]:
        assert np.isfinite(fitted[-1].best_score_)


@pytest.mark.parametrize("kind", ["score", "transform"])
def test_score_and_transform_get_ids_under_the_requested_name(kind, rows, folds, routing):
    X, y, groups, user = rows
    given = {"groups": groups, "cv": folds, "error_score": "raise", "params": {"user": user}}
    if kind == "transform":
        scaler = WithinGroupScaler()
        aliased = request(clone(scaler), fit={"groups": "user"}, transform={"groups": "user"})
        models, options = [make_pipeline(each, Ridge()) for each in (aliased, scaler)], {"scoring": "r2"}
    else:
        ranker = PairwiseRanker(Ridge(), random_state=0)
        models = [request(clone(ranker), score={"groups": "user"}), ranker]
        options = {"scoring": None}
    got = cross_val_score(models[0], X, y, **given, **options)
    for score, (train, test) in zip(got, folds):
        fit_by = user if kind == "transform" else groups
        with config_context(enable_metadata_routing=True):
            fitted = clone(models[1]).fit(X[train], y[train], groups=fit_by[train])
            if kind == "transform":
                expected = r2_score(y[test], fitted.predict(X[test], groups=user[test]))
            else:
                expected = fitted.score(X[test], y[test], groups=user[test])
        assert score == pytest.approx(expected, abs=1e-12)
    if kind == "transform":
        predicted = cross_val_predict(models[0], X, y, groups=groups, cv=folds, params={"user": user})
        assert r2_score(y[folds[0][1]], predicted[folds[0][1]]) == pytest.approx(got[0])


def test_search_score_accepts_ids_under_the_requested_name(rows, routing):
    X, y, groups, user = rows
    ranker = PairwiseRanker(Ridge(), random_state=0)
    aliased = request(ranker, fit={"groups": "user"}, score={"groups": "user"})
    search = GridSearchCV(aliased, {}, cv=2, error_score="raise").fit(X, y, groups=groups, user=user)
    plain = PairwiseRanker(Ridge(), random_state=0).fit(X, y, groups=user)
    expected = plain.score(X, y, groups=user)
    assert search.score(X, y, user=user) == search.score(X, y, groups=user) == expected


# ------------------------------------------------------------------ predictions with ids

PER_QUERY = make_pipeline(WithinGroupScaler(), Ridge())


# ------------------------------------------------------------------ own scorers and splitters


def test_scorer_can_request_a_parameter_named_ids(rows, routing):
    X, y, groups, user = rows

    def count(y_true, y_pred, ids=None):
        return float(len(np.unique(ids)))

    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(count).set_score_request(ids=True)
    options = {"groups": groups, "cv": 2, "params": {"ids": user}, "error_score": "raise"}
    for model in (Ridge(), PER_QUERY):
        assert cross_val_score(model, X, y, scoring=scorer, **options).tolist() == [20, 20]


def test_cross_val_score_calls_the_given_scorer_and_not_a_copy(rows):
    X, y, groups, _ = rows

    class Counts:
        def __init__(self):
            self.lock, self.n_calls = threading.Lock(), 0  # a lock cannot be copied

        def __call__(self, estimator, X, y):
            self.n_calls += 1
            return estimator.score(X, y)

    scorer = Counts()
    cross_val_score(Ridge(), X, y, groups=groups, cv=2, scoring=scorer, error_score="raise")
    assert scorer.n_calls == 2


def test_scorer_that_wraps_a_scorer_gets_requested_ids(rows, routing):
    X, y, groups, _ = rows

    class Around:
        def __init__(self, scorer):
            self.scorer = scorer

        def __call__(self, estimator, X, y, **metadata):
            return self.scorer(estimator, X, y, **metadata)

        def get_metadata_routing(self):
            return get_routing_for_object(self.scorer)

    def count(y_true, y_pred, groups=None):
        return float(len(np.unique(groups)))

    with config_context(enable_metadata_routing=True):
        scorer = Around(make_scorer(count).set_score_request(groups=True))
    got = cross_val_score(Ridge(), X, y, groups=groups, cv=2, scoring=scorer, error_score="raise")
    assert got.tolist() == [30, 30]


@pytest.mark.filterwarnings("ignore:.*cuts queries")
def test_cross_val_score_accepts_a_splitter_without_groups(rows, routing):
    X, y, groups, _ = rows

    class Halves:
        def split(self, X, y=None):
            return KFold(2).split(X)

        def get_n_splits(self, X=None, y=None):
            return 2

    got = cross_val_score(Ridge(), X, y, groups=groups, cv=Halves(), scoring="r2", error_score="raise")
    np.testing.assert_array_equal(got, theirs.cross_val_score(Ridge(), X, y, cv=KFold(2), scoring="r2"))


# ------------------------------------------------------------------ warnings

WARNED = {
    "share of rows": lambda: theirs.TunedThresholdClassifierCV(LogisticRegression(), cv=0.2),
    "behind an unknown model": lambda: OfSteps([Step("path", LassoCV(cv=3))]),
    "candidate": lambda: theirs.GridSearchCV(Pipeline([("m", Ridge())]), {"m": [RidgeCV()]}, cv=2),
}


@pytest.mark.parametrize("name", WARNED)
def test_cross_val_score_warns_about_inner_splits_without_ids(name, rows):
    X, y, groups, _ = rows
    with pytest.warns(UserWarning, match="cv=.* splits the training rows again .* cuts queries"):
        cross_val_score(WARNED[name](), X, (y > 0).astype(int), groups=groups, cv=2, scoring=QUERY)


def test_cross_val_score_does_not_warn_about_a_chain_without_cv(rows, routing):
    X, y, groups, _ = rows
    options = {"groups": groups, "cv": 2, "scoring": "r2", "error_score": "raise"}
    cross_val_score(RegressorChain(Ridge()), X, np.column_stack([y, y]), **options)


# ------------------------------------------------------------------ state after a call


def test_fitted_search_contains_no_private_objects(rows, routing):
    X, y, groups, _ = rows
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=2).fit(X, y, groups=groups)
    fitted = {name: value for name, value in vars(search).items() if name not in search.get_params()}
    assert b"sklearn_rank" not in pickle.dumps(fitted)


@pytest.mark.filterwarnings("ignore:.*cuts queries")
def test_fitted_pipeline_does_not_keep_requests_for_fit_params(rows, weights):
    X, y, groups, _ = rows
    pipeline = make_pipeline(StandardScaler(), LassoCV(cv=2))
    params = {"standardscaler__sample_weight": weights, "lassocv__sample_weight": weights}
    options = {"groups": groups, "cv": 2, "params": params, "error_score": "raise", "return_estimator": True}
    for fitted in cross_validate(pipeline, X, y, **options)["estimator"]:
        with config_context(enable_metadata_routing=True):
            assert get_routing_for_object(fitted[0]).fit.requests == {"sample_weight": None}


def test_cross_val_score_does_not_change_a_frozen_model(rows, weights):
    X, y, groups, _ = rows
    frozen = Ridge().fit(X, y)
    vote = VotingRegressor([("frozen", FrozenEstimator(frozen)), ("seen", Ridge()), ("path", LassoCV(cv=2))])
    before = dict(vars(frozen))
    options = {"groups": groups, "cv": 2, "error_score": "raise"}
    cross_val_score(vote, X, y, **options, params={"sample_weight": weights})
    assert vars(frozen).keys() == before.keys()
    assert all(vars(frozen)[name] is value for name, value in before.items())
