"""Scorers that take ids or weights: functions, nested searches, other names."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    GridSearchCV,
    cross_val_score,
    cross_validate,
    ndcg_score,
    ndcg_scorer,
)
from sklearn_rank._routing.scoring import deliver_groups


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
def test_ids_reach_a_scorer_that_calls_them_otherwise(params, routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(k=3).set_score_request(groups="qid")
    given = {"groups": groups} if params != "alias" else {}
    given |= {"params": {"qid": groups}} if params != "groups" else {}
    assert cross_val_score(Ridge(), X, y, scoring=scorer, cv=folds, **given).tolist() == by_hand(Ridge(), k=3)


def test_a_function_without_a_signature_stays_as_it_is():
    assert deliver_groups(max) is max


def test_weights_reach_a_function_of_a_search_as_in_scikit_learn(ranking_data, folds, weights):
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


@pytest.mark.parametrize("outer", [None, "r2"])
@pytest.mark.parametrize("inner", INNER)
def test_weights_mean_what_they_mean_in_scikit_learn_in_a_nested_search(
    inner, outer, ranking_data, folds, weights
):
    X, y, groups = ranking_data
    search = theirs.GridSearchCV(Ridge(), {"alpha": [1, 1000]}, cv=KFold(3), **INNER[inner])
    options = {"cv": folds, "params": {"sample_weight": weights}, "scoring": outer, "error_score": "raise"}
    expected = theirs.cross_val_score(search, X, y, **options)
    got = cross_val_score(search, X, y, groups=groups, **options)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_a_parameter_of_a_step_inside_a_nested_search(ranking_data, folds, weights):
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), Ridge())
    search = theirs.GridSearchCV(pipeline, {"ridge__alpha": [1, 1000]}, cv=KFold(3))
    options = {"cv": folds, "params": {"ridge__sample_weight": weights}, "scoring": "r2"}
    expected = theirs.cross_val_score(search, X, y, **options)
    np.testing.assert_allclose(cross_val_score(search, X, y, groups=groups, **options), expected, atol=1e-12)
