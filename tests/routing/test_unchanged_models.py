"""Models and scorers of the user, whose parameters, requests and contents do not change."""

import threading

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor, StackingRegressor
from sklearn.feature_selection import RFE
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GridSearchCV as SklearnGridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

from sklearn_rank import (
    GridSearchCV,
    RankingEvaluator,
    WithGroups,
    cross_val_report,
    cross_val_score,
    cross_validate,
    learning_curve,
    ndcg_scorer,
    permutation_importance,
    ranking_scorer,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.preprocessing import WithinGroupScaler

X, Y, GROUPS = make_ranking(n_queries=30, n_features=4, random_state=0)
KERNEL = X @ X.T
WEIGHTS = np.ones(len(Y))


class Fits(RegressorMixin, BaseEstimator):
    """A ranker that takes ids in `fit`, and keeps what `make` returns."""

    def __init__(self, make=lambda: None):
        self.make = make

    def fit(self, X, y, groups=None):
        self.kept_ = self.make()
        return self

    def predict(self, X):
        return X[:, 0]


class Weighed(RegressorMixin, BaseEstimator):
    """A model whose score is the sum of its weights; it does not predict with metadata routing enabled."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]

    def score(self, X, y, sample_weight=None):
        assert not sklearn.get_config()["enable_metadata_routing"]
        return 1.0 if sample_weight is None else float(np.sum(sample_weight))


class Centers(TransformerMixin, BaseEstimator):
    """A transformer that needs ids in `transform`."""

    def fit(self, X, y=None, groups=None):
        self.fitted_ = True
        return self

    def transform(self, X, groups=None):
        return X - [X[groups == group].mean(axis=0) for group in groups]


class Chained:
    """A link of a chain of objects that look like models."""

    def __init__(self, last=None):
        self.last = last

    def fit(self, X, y):
        return self


class Lazy:
    """An object of which every attribute raises an error."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(name)


def make_chain():
    link = Chained()
    for _ in range(1500):
        link = Chained(link)
    return link


def make_tuples():
    return [(number, "a") for number in range(300_000)]


def read_requests(model):
    with sklearn.config_context(enable_metadata_routing=True):
        return str(model.get_metadata_routing())


def test_members_of_a_stack_with_drop_are_the_users_models():
    stack = StackingRegressor([("a", "drop"), ("b", Fits()), ("c", Ridge())], cv=3)
    fitted = cross_validate(stack, X, Y, groups=GROUPS, scoring="ndcg@5", cv=2, return_estimator=True)
    members = fitted["estimator"][0].named_estimators_
    assert {name: type(each) for name, each in members.items() if name != "a"} == {"b": Fits, "c": Ridge}


@pytest.mark.parametrize("last", [Ridge(), Weighed(), AdaBoostRegressor(n_estimators=2, random_state=0)])
def test_search_score_with_weights_leaves_requests(last):
    search = GridSearchCV(Pipeline([("scale", WithinGroupScaler()), ("last", last)]), {}, cv=2)
    best = search.fit(X, Y, groups=GROUPS).best_estimator_["last"]
    weights, attributes = np.arange(1.0, len(Y) + 1), list(vars(best))
    scaled = WithinGroupScaler().fit_transform(X, groups=GROUPS)
    expected = best.score(scaled, Y, sample_weight=weights)
    assert search.score(X, Y, groups=GROUPS, sample_weight=weights) == expected
    assert list(vars(best)) == attributes


@pytest.mark.parametrize("scoring", ["r2", ["r2", "neg_mean_squared_error"], None])
def test_nested_search_keeps_its_scoring(scoring):
    inner = SklearnGridSearchCV(Ridge(), {"alpha": [1]}, scoring=scoring, refit="r2", cv=2)
    model = make_pipeline(WithinGroupScaler(), inner)
    given = {"params": {"gridsearchcv__sample_weight": WEIGHTS}, "return_estimator": True, "cv": 2}
    fitted = cross_validate(model, X, Y, groups=GROUPS, scoring="ndcg@5", **given)
    assert fitted["estimator"][0][-1].scoring == scoring


@pytest.mark.parametrize("request_of_user", [True, False])
def test_models_keep_the_requests_of_the_user(request_of_user):
    with sklearn.config_context(enable_metadata_routing=True):
        ridge = Ridge().set_fit_request(sample_weight=request_of_user)
    model, before = make_pipeline(WithinGroupScaler(), ridge), read_requests(ridge)
    given = {"params": {"ridge__sample_weight": WEIGHTS}, "return_estimator": True, "cv": 2}
    fitted = cross_validate(model, X, Y, groups=GROUPS, scoring="ndcg@5", **given)
    assert read_requests(fitted["estimator"][0][-1]) == before
    assert read_requests(ridge) == before


@pytest.mark.parametrize("request_of_user", [True, False])
def test_members_of_a_stack_keep_the_requests_of_the_user(request_of_user):
    with sklearn.config_context(enable_metadata_routing=True):
        ridge = Ridge().set_fit_request(sample_weight=request_of_user)
    stack = StackingRegressor([("a", ridge)], final_estimator=clone(ridge), cv=2)
    given = {"params": {"sample_weight": WEIGHTS}, "return_estimator": True, "cv": 2}
    fitted = cross_validate(stack, X, Y, groups=GROUPS, scoring="ndcg@5", **given)["estimator"][0]
    requests = [read_requests(each) for each in (fitted.estimators_[0], fitted.final_estimator_)]
    assert requests == [read_requests(ridge)] * 2


@pytest.mark.parametrize("model", [make_pipeline(Centers(), Ridge()), make_pipeline(Fits())])
def test_undecided_requests_for_ids_stay_undecided(model):
    search = GridSearchCV(model, {}, scoring="ndcg@5", cv=2).fit(X, Y, groups=GROUPS)
    final = WithGroups(model).fit(X, Y, groups=GROUPS)
    importances = permutation_importance(final.estimator_, X, Y, groups=GROUPS, scoring="ndcg@5", n_repeats=1)
    assert importances.importances_mean.shape == (X.shape[1],)
    requests = [read_requests(each[0]) for each in (model, search.best_estimator_, final.estimator_)]
    assert requests == [read_requests(clone(model[0]))] * 3


class Numbers(Fits):
    """A model that predicts the ids of queries."""

    def predict(self, X, groups=None):
        return np.asarray(groups, dtype=float)


CENTERED = make_pipeline(Centers(), Ridge())
SELECTS = RFE(CENTERED, importance_getter=lambda pipeline: pipeline[-1].coef_, n_features_to_select=3)


@pytest.mark.parametrize(
    "model",
    [
        StackingRegressor([("a", Ridge())], final_estimator=Numbers()),
        TransformedTargetRegressor(CENTERED),
        make_pipeline(ColumnTransformer([("a", make_pipeline(Centers()), [0, 1])]), Ridge()),
        SELECTS,
    ],
    ids=lambda model: type(model).__name__,
)
def test_fitted_clones_with_undecided_requests_get_ids(model):
    predicted = WithGroups(model).fit(X, Y, groups=GROUPS).predict(X, groups=GROUPS)
    assert np.isfinite(predicted).all()


def bagged_searches_take_weights():
    """Return whether bagging of this scikit-learn passes weights to searches; older versions raise."""
    try:
        BaggingRegressor(SklearnGridSearchCV(Ridge(), {}, cv=2), 1).fit(X, Y, sample_weight=WEIGHTS)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("scoring", ["r2", ["r2"], make_scorer(r2_score)])
def test_clones_of_a_search_keep_their_scoring(scoring):
    inner = SklearnGridSearchCV(Ridge(), {"alpha": [1]}, scoring=scoring, refit="r2", cv=2)
    model = make_pipeline(WithinGroupScaler(), BaggingRegressor(inner, n_estimators=2, random_state=0))
    params = {"baggingregressor__sample_weight": WEIGHTS} if bagged_searches_take_weights() else {}
    given = {"params": params, "return_estimator": True, "cv": 2}
    fitted = cross_validate(model, X, Y, groups=GROUPS, scoring="ndcg@5", **given)["estimator"][0]
    searches = [inner, fitted[-1].estimator, *fitted[-1].estimators_]
    assert {repr(search.scoring) for search in searches} == {repr(scoring)}


@pytest.mark.parametrize("make", [make_chain, make_tuples, Lazy])
def test_contents_of_models_are_not_searched(make):
    model = make_pipeline(WithinGroupScaler(), Fits(make))
    assert cross_val_score(model, X, Y, groups=GROUPS, scoring="ndcg@5", cv=2, error_score="raise").all()


SCORING = [None, "r2", "ndcg@5", ["map", "mrr"], lambda model, X, y, groups: float(len(groups))]


@pytest.mark.parametrize("scoring", SCORING)
def test_search_scores_models_without_routing_support(scoring):
    model = AdaBoostRegressor(n_estimators=2, random_state=0)
    refit = "map" if isinstance(scoring, list) else True
    search = GridSearchCV(model, {"learning_rate": [1]}, scoring=scoring, refit=refit, cv=2)
    score = search.fit(X, Y, groups=GROUPS).score(X, Y, groups=GROUPS)
    if scoring is None or scoring == "r2":
        assert score == search.best_estimator_.score(X, Y)
    elif callable(scoring):
        assert score == len(Y)
    else:
        name = "map" if isinstance(scoring, list) else scoring
        assert score == ranking_scorer(name)(search.best_estimator_, X, Y, groups=GROUPS)


def test_learning_curve_takes_precomputed_kernels():
    given = {"groups": GROUPS, "scoring": "ndcg@5", "train_sizes": [0.5, 1.0], "cv": 3}
    _, *by_kernel = learning_curve(KernelRidge(kernel="precomputed"), KERNEL, Y, **given)
    _, *expected = learning_curve(KernelRidge(kernel="linear"), X, Y, **given)
    np.testing.assert_allclose(by_kernel, expected)


def test_halving_takes_precomputed_kernels():
    given = {"scoring": "ndcg@5", "cv": 2, "random_state": 0}
    grid = {"alpha": [0.1, 1, 10]}
    search = HalvingGridSearchCV(KernelRidge(kernel="precomputed"), grid, **given)
    plain = HalvingGridSearchCV(KernelRidge(kernel="linear"), grid, **given).fit(X, Y, groups=GROUPS)
    scores = search.fit(KERNEL, Y, groups=GROUPS).cv_results_["mean_test_score"]
    np.testing.assert_allclose(scores, plain.cv_results_["mean_test_score"])


def test_cross_val_report_takes_precomputed_kernels():
    given = {"groups": GROUPS, "scoring": ["ndcg@5"], "cv": 3}
    by_kernel = cross_val_report(KernelRidge(kernel="precomputed"), KERNEL, Y, **given)
    expected = cross_val_report(KernelRidge(kernel="linear"), X, Y, **given)
    assert str(by_kernel) == str(expected)


def count_errors(y_true, y_pred, lock=None):
    return float(np.mean(np.abs(y_true - y_pred)))


def test_scorers_with_a_lock_are_not_copied_in_depth():
    scorer = make_scorer(count_errors, lock=threading.Lock())
    scores = cross_val_score(Ridge(), X, Y, groups=GROUPS, scoring=scorer, cv=2)
    without = cross_val_score(Ridge(), X, Y, groups=GROUPS, scoring=make_scorer(count_errors), cv=2)
    np.testing.assert_array_equal(scores, without)


def test_scorers_of_the_user_keep_their_requests():
    scorers = [ndcg_scorer(k=5), make_scorer(count_errors)]
    before = [read_requests(scorer) for scorer in scorers]
    for scorer in scorers:
        cross_val_score(Ridge(), X, Y, groups=GROUPS, scoring=scorer, cv=2, params={"sample_weight": WEIGHTS})
    assert [read_requests(scorer) for scorer in scorers] == before


def raises(self):
    raise RuntimeError("a property of the user's")


def test_model_with_an_attribute_named_aliases_is_scored_as_usual():
    model = Fits()
    model.aliases = 3
    scores = cross_val_score(make_pipeline(WithinGroupScaler(), model), X, Y, groups=GROUPS, scoring="ndcg@5")
    assert scores.all()


@pytest.mark.parametrize("name", ["scoring", "cv", "gcv_mode", "param_grid", "param_distributions"])
def test_properties_named_as_parameters_of_others_are_not_read(name):
    model = type("Raises", (Fits,), {name: property(raises)})()
    assert cross_val_score(model, X, Y, groups=GROUPS, scoring="ndcg@5", cv=2).all()


def test_ranking_scorer_takes_one_name():
    model = Ridge().fit(X, Y)
    expected = ndcg_scorer(k=10)(model, X, Y, groups=GROUPS)
    assert ranking_scorer("ndcg@10")(model, X, Y, groups=GROUPS) == expected


def test_ranking_evaluator_takes_one_name():
    one, several = RankingEvaluator("map"), RankingEvaluator(["map"])
    for evaluator in (one, several):
        evaluator.update(Y, X[:, 0], groups=GROUPS)
    assert str(one.result()) == str(several.result())
