"""Ids and weights in scorers of every kind, under any requested name."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from tests.helpers.id_models import NeedsIds


def ndcg_of_ids(estimator, X, y, groups=None):
    return ndcg_score(y, estimator.predict(X), groups=groups, k=3)


def is_weighted(estimator, X, y, sample_weight=None):
    return float(sample_weight is not None)


@pytest.mark.parametrize(
    "make", [lambda: ndcg_of_ids, lambda: {"a": ndcg_of_ids}], ids=["function", "dict of functions"]
)
def test_ids_reach_a_function_whose_signature_names_them(make, routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    results = cross_validate(Ridge(), X, y, scoring=make(), groups=groups, cv=folds)
    scores = results["test_a" if "test_a" in results else "test_score"]
    assert scores.tolist() == by_hand(Ridge(), k=3)


def test_ids_reach_a_function_in_a_search(routing, ranking_data, by_hand, folds):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {}, scoring=ndcg_of_ids, cv=folds).fit(X, y, groups=groups)
    assert search.best_score_ == np.mean(by_hand(Ridge(), k=3))
    assert search.score(X, y, groups=groups) == ndcg_of_ids(search, X, y, groups)


def test_ids_reach_a_scorer_made_by_scikit_learn(ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    got = cross_val_score(Ridge(), X, y, scoring=make_scorer(ndcg_score, k=3), groups=groups, cv=folds)
    assert got.tolist() == by_hand(Ridge(), k=3)


@pytest.mark.parametrize("params", ["groups", "alias", "both"])
def test_ids_reach_a_scorer_that_requests_another_name(params, routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(k=3).set_score_request(groups="qid")
    given = {"groups": groups} if params != "alias" else {}
    given |= {"params": {"qid": groups}} if params != "groups" else {}
    assert cross_val_score(Ridge(), X, y, scoring=scorer, cv=folds, **given).tolist() == by_hand(Ridge(), k=3)


def test_scoring_function_gets_weights_as_in_scikit_learn(ranking_data, folds, weights):
    X, y, groups = ranking_data
    searches = [
        search(Ridge(), {"alpha": [1]}, scoring=is_weighted, cv=folds)
        for search in (GridSearchCV, theirs.GridSearchCV)
    ]
    searches[0].fit(X, y, groups=groups, sample_weight=weights)
    searches[1].fit(X, y, sample_weight=weights)
    assert searches[0].best_score_ == searches[1].best_score_
    got = cross_val_score(
        Ridge(), X, y, scoring=is_weighted, groups=groups, cv=folds, params={"sample_weight": weights}
    )
    assert got.tolist() == [0, 0, 0]


INNER = {
    "none": {},
    "name": {"scoring": "r2"},
    "scorer": {"scoring": make_scorer(r2_score)},
    "names": {"scoring": ["r2", "neg_mean_absolute_error"], "refit": "r2"},
    "dict": {"scoring": {"a": "r2"}, "refit": "a"},
}


@pytest.mark.slow
@pytest.mark.parametrize("outer", [None, "r2"])
@pytest.mark.parametrize("inner", INNER)
def test_weights_in_a_nested_search_equal_scikit_learn(inner, outer, ranking_data, folds, weights):
    X, y, groups = ranking_data
    search = theirs.GridSearchCV(Ridge(), {"alpha": [1, 1000]}, cv=KFold(3), **INNER[inner])
    options = {"cv": folds, "params": {"sample_weight": weights}, "scoring": outer, "error_score": "raise"}
    expected = theirs.cross_val_score(search, X, y, **options)
    got = cross_val_score(search, X, y, groups=groups, **options)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_step_parameter_in_a_nested_search_equals_scikit_learn(ranking_data, folds, weights):
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), Ridge())
    search = theirs.GridSearchCV(pipeline, {"ridge__alpha": [1, 1000]}, cv=KFold(3))
    options = {"cv": folds, "params": {"ridge__sample_weight": weights}, "scoring": "r2"}
    expected = theirs.cross_val_score(search, X, y, **options)
    np.testing.assert_allclose(cross_val_score(search, X, y, groups=groups, **options), expected, atol=1e-12)


NDCG = ndcg_scorer(k=3)


class WithoutScore(BaseEstimator):
    """A model without a score of its own."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_make_scorer_of_our_function_gets_ids_without_a_request(ranking_data, by_hand, routing):
    X, y, groups = ranking_data
    scores = cross_val_score(Ridge(), X, y, groups=groups, scoring=make_scorer(ndcg_score, k=3), cv=3)
    assert scores.tolist() == by_hand(Ridge(), k=3)


def test_scorer_that_requests_another_name_gets_the_ids(ranking_data, by_hand, routing):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(ndcg_score, k=3).set_score_request(groups="ids")
    got = cross_val_score(Ridge(), X, y, groups=groups, scoring=scorer, cv=3)
    assert got.tolist() == by_hand(Ridge(), k=3)
    model = Ridge().fit(X, y)
    options = {"groups": groups, "random_state": 0, "n_repeats": 1}
    ours = permutation_importance(model, X, y, scoring=NDCG, **options).importances
    np.testing.assert_array_equal(
        permutation_importance(model, X, y, scoring=scorer, **options).importances, ours
    )


@pytest.mark.parametrize("make", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_permutation_importance_uses_the_models_own_score(make, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "random_state": 0}
    model = make(NeedsIds()).fit(X, y)
    own = permutation_importance(model, X, y, **options).importances
    np.testing.assert_array_equal(
        own, permutation_importance(model, X, y, scoring=NDCG, **options).importances
    )


def test_importance_uses_own_score_of_models_without_routing_support(ranking_data):
    X, y, groups = ranking_data
    model = AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y)
    options = {"groups": groups, "random_state": 0}
    own = permutation_importance(model, X, y, **options).importances
    np.testing.assert_array_equal(
        own, permutation_importance(model, X, y, scoring="r2", **options).importances
    )


def test_weights_under_another_name_reach_the_models_score(ranking_data, folds, weights):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight="w").set_score_request(sample_weight="w")
        options = {"groups": groups, "params": {"w": weights}, "cv": folds, "error_score": "raise"}
        got = cross_val_score(model, X, y, **options)
    for (train, test), score in zip(folds, got):
        fit = Ridge().fit(X[train], y[train], weights[train])
        assert score == fit.score(X[test], y[test], weights[test])


@pytest.mark.parametrize(
    "call",
    [
        lambda *data, **ids: learning_curve(*data, **ids),
        lambda model, *data, **ids: HalvingGridSearchCV(model, {}).fit(*data, **ids),
        lambda *data, **ids: permutation_importance(*data, **ids),
    ],
    ids=["learning_curve", "halving", "permutation_importance"],
)
def test_functions_require_scoring_for_a_model_without_score(call, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises((TypeError, ValueError), match=r"scoring"):
        call(WithoutScore(), X, y, groups=groups)


@pytest.mark.parametrize(
    "call",
    [
        lambda *data, **options: learning_curve(*data, scoring=NDCG, cv=BalancedGroupKFold(3), **options),
        lambda *data, **options: cross_val_score(*data, scoring=NDCG, cv=3, **options),
        lambda *data, **options: permutation_test_score(*data, scoring=NDCG, cv=3, **options),
        lambda model, X, y, **options: permutation_importance(
            model.fit(X, y[: len(X)]), X, y, scoring=NDCG, **options
        ),
    ],
    ids=["learning_curve", "cross_val_score", "permutation_test_score", "permutation_importance"],
)
def test_functions_reject_labels_of_another_length(call, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(
        ValueError,
        match=r"'y' parameter of \w+ must have one entry per row of X \(513 rows\)\. Got 515 entries",
    ):
        call(Ridge(), X, np.append(y, [1, 1]), groups=groups)
