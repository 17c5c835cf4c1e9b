"""Warnings about labels of folds if models use their own `score`, without `scoring`."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV as PlainGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    GridSearchCV,
    RankingWarning,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    map_scorer,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.rankers import PairwiseRanker
from tests.model_selection.test_fold_warnings import CV, GROUPS, NOTHING, X, Y, without_relevant

RANKER = PairwiseRanker(LogisticRegression(), random_state=0)
GRID = {"estimator__C": [1, 2]}
CALLS = {
    "cross_val_score": lambda y, **given: cross_val_score(RANKER, X, y, **given),
    "cross_validate": lambda y, **given: cross_validate(RANKER, X, y, return_train_score=True, **given),
    "validation_curve": lambda y, **given: validation_curve(
        RANKER, X, y, param_name="estimator__C", param_range=[1, 2], **given
    ),
    "learning_curve": lambda y, **given: learning_curve(RANKER, X, y, train_sizes=[0.9, 1.0], **given),
    "permutation_test_score": lambda y, **given: permutation_test_score(
        RANKER, X, y, n_permutations=2, **given
    ),
    "GridSearchCV": lambda y, groups, **given: GridSearchCV(RANKER, GRID, **given).fit(X, y, groups=groups),
    "HalvingGridSearchCV": lambda y, groups, **given: HalvingGridSearchCV(
        RANKER, GRID, min_resources="exhaust", **given
    ).fit(X, y, groups=groups),
}


@pytest.mark.parametrize("function", CALLS)
def test_call_without_scoring_warns_once_with_the_folds(function, routing):
    with pytest.warns(RankingWarning, match=rf"^{function}(\.fit)?: {NOTHING}") as caught:
        CALLS[function](without_relevant(0, 2), groups=GROUPS, cv=CV)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), RANKER),
        GridSearchCV(RANKER, GRID, cv=2),
        GridSearchCV(Ridge(), {}, scoring="map", cv=2),
        GridSearchCV(Ridge(), {}, scoring=["r2", "map"], refit="map", cv=2),
        PlainGridSearchCV(Ridge(), {}, scoring=map_scorer(), cv=2),
    ],
    ids=["pipeline", "search", "metric", "metrics", "scikit-learn"],
)
def test_models_that_score_rankings_warn_once_without_scoring(model):
    with pytest.warns(RankingWarning, match=NOTHING) as caught:
        cross_val_score(model, X, without_relevant(0, 2), groups=GROUPS, cv=CV, error_score="raise")
    assert len(caught) == 1


def test_search_warns_once_if_candidates_score_by_their_own_metric():
    search = GridSearchCV(make_pipeline(Ridge()), {"ridge": [Ridge(), RANKER]}, cv=CV)
    with pytest.warns(RankingWarning, match=NOTHING) as caught:
        search.fit(X, without_relevant(0, 2), groups=GROUPS)
    assert len(caught) == 1


def test_unjudged_labels_raise_before_training_without_scoring():
    y = np.where(GROUPS == 3, np.nan, Y)
    with pytest.raises(ValueError, match=r"cross_val_score, scored by ndcg_scorer\(\), must not contain NaN"):
        cross_val_score(RANKER, X, y, groups=GROUPS)


def test_predictions_and_other_scores_do_not_warn_about_labels():
    y = without_relevant(0, 2)
    assert len(cross_val_predict(RANKER, X, y, groups=GROUPS, cv=CV)) == len(y)
    assert len(cross_val_score(DummyRegressor(), X, y, groups=GROUPS, cv=CV)) == 5
