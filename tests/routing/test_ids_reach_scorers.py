"""Ids reach scorers of scikit-learn's kind and models' own scores, under whatever name they ask for them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostRegressor, RandomForestRegressor
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    cross_val_score,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from tests.helpers.forms import SCIKIT_LEARN_VERSION

NDCG = ndcg_scorer(k=3)


class NeedsIds(Ridge):
    """A model whose score is wrong without ids."""

    def score(self, X, y, groups=None, sample_weight=None):
        assert groups is not None
        return ndcg_score(y, self.predict(X), groups=groups, k=3)


class WithoutScore(BaseEstimator):
    """A model without a score of its own."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_a_scorer_of_our_function_gets_the_ids_with_routing_on(ranking_data, by_hand):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": make_scorer(ndcg_score, k=3), "cv": 3}
    with config_context(enable_metadata_routing=True):
        if SCIKIT_LEARN_VERSION < (1, 9):  # where scikit-learn cannot say that it is undecided
            assert cross_val_score(Ridge(), X, y, **options).tolist() == by_hand(Ridge(), k=3)
        else:
            with pytest.raises(UnsetMetadataPassedError):
                cross_val_score(Ridge(), X, y, **options)


def test_a_scorer_that_asks_under_another_name_gets_the_ids(ranking_data, by_hand, routing):
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
def test_the_importance_of_features_for_the_models_own_score(make, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "random_state": 0}
    model = make(NeedsIds()).fit(X, y)
    own = permutation_importance(model, X, y, **options).importances
    np.testing.assert_array_equal(
        own, permutation_importance(model, X, y, scoring=NDCG, **options).importances
    )


def test_a_model_that_refuses_routing_scores_by_itself(ranking_data):
    X, y, groups = ranking_data
    model = AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, y)
    options = {"groups": groups, "random_state": 0}
    own = permutation_importance(model, X, y, **options).importances
    np.testing.assert_array_equal(
        own, permutation_importance(model, X, y, scoring="r2", **options).importances
    )


def test_weights_under_another_name_reach_the_models_own_score(ranking_data, folds, weights):
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
def test_a_model_without_a_score_wants_a_scorer(call, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises((TypeError, ValueError), match=r"scoring"):
        call(WithoutScore(), X, y, groups=groups)


# ------------------------------------------------------------------ folds, rows and labels


@pytest.mark.parametrize(
    "cv", [BalancedGroupKFold(3, shuffle=True), GroupShuffleSplit(3)], ids=["folds", "draws"]
)
def test_halving_by_a_parameter_compares_all_candidates_on_the_same_folds(cv, ranking_data):
    X, y, groups = ranking_data
    seen = []

    class Watches(RandomForestRegressor):
        def fit(self, X, y):
            seen.append(tuple(np.unique(X[:, -1])))
            return super().fit(X, y)

    resource = {"resource": "n_estimators", "max_resources": 4, "min_resources": 1, "factor": 2}
    search = HalvingGridSearchCV(
        Watches(max_depth=1), {"max_depth": [1, 2, 3]}, cv=cv, scoring=NDCG, **resource
    )
    search.fit(np.column_stack([X, groups]), y, groups=groups)
    assert len(set(seen)) == 3 + 1  # and all queries, at the end


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
def test_labels_of_another_length_are_refused(call, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(
        ValueError, match=r"'y' parameter of \w+ must have one entry per row of X, 513\. Got 515"
    ):
        call(Ridge(), X, np.append(y, [1, 1]), groups=groups)


def test_a_score_that_is_undefined_has_no_p_value(ranking_data):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(zero_division=np.nan)
    options = {"groups": groups, "scoring": scorer, "cv": 3, "n_permutations": 3}
    with pytest.warns(Warning, match="undefined|no relevant document"):
        score, _, p_value = permutation_test_score(Ridge(), X, np.zeros_like(y), **options)
    assert np.isnan(score)
    assert np.isnan(p_value)


def test_models_are_compared_by_a_search_and_not_by_a_curve(ranking_data):
    X, y, groups = ranking_data
    options = {"param_name": "ridge", "param_range": [Ridge(), NeedsIds()], "scoring": NDCG}
    with pytest.raises(
        ValueError, match=r"'param_range' .* must hold no models, .*GridSearchCV compares models"
    ):
        validation_curve(make_pipeline(Ridge()), X, y, groups=groups, **options)


def test_rows_may_be_lists_of_different_lengths(ranking_data):
    _, y, groups = ranking_data
    words = [["good"] * (grade + 1) + ["odd"] * (i % 3) for i, grade in enumerate(y)]
    model = make_pipeline(CountVectorizer(analyzer=list), Ridge())
    options = {"groups": groups, "scoring": NDCG, "cv": 3}
    _, _, scores = learning_curve(model, words, y, train_sizes=[40], **options)
    np.testing.assert_allclose(scores[0], cross_val_score(model, words, y, **options))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_features_of_a_sparse_matrix_are_permuted(kind, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "random_state": 0}
    dense = permutation_importance(Ridge().fit(X, y), X, y, **options).importances
    got = permutation_importance(Ridge().fit(X, y), kind(X), y, **options).importances
    np.testing.assert_allclose(got, dense, atol=1e-12)


def test_no_fold_is_no_curve(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'cv' parameter of learning_curve must give at least one fold"):
        learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, cv=[])
