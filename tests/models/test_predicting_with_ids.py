"""Fitted models predict, transform and score with ids as if each part were called by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor, StackingRegressor, VotingRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV as PlainGridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    WithGroups,
    cross_val_predict,
    cross_val_score,
)
from sklearn_rank.preprocessing import WithinGroupScaler

RNG = np.random.default_rng(0)
GROUPS = RNG.permutation(np.repeat(np.arange(30), 6))
X = RNG.normal(size=(180, 3)) + RNG.normal(scale=5, size=(30, 3))[GROUPS]
Y = np.clip(np.round(X[:, 0] - np.bincount(GROUPS, X[:, 0])[GROUPS] / 6), -2, 2) + 2.0
FOLDS = list(BalancedGroupKFold(3).split(X, Y, GROUPS))


def center(X, groups):
    means = np.array([np.bincount(groups, column) / np.maximum(np.bincount(groups), 1) for column in X.T]).T
    return X - means[groups]


def predict_by_hand(model):
    """Return what a model of centered features predicts for the test sets."""
    predicted = np.empty(len(Y))
    for train, test in FOLDS:
        fitted = clone(model).fit(center(X[train], GROUPS[train]), Y[train])
        predicted[test] = fitted.predict(center(X[test], GROUPS[test]))
    return predicted


class Centers(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X, groups=None):
        return X if groups is None else center(X, groups)


class CentersByItself:
    """A transformer that derives from nothing of scikit-learn."""

    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def fit(self, X, y=None, groups=None):
        return self

    def transform(self, X, groups=None):
        return X if groups is None else center(X, groups)


class BoostsWithin(AdaBoostRegressor):
    """A model that takes ids and derives from one that refuses metadata routing."""

    def fit(self, X, y, groups=None):
        return super().fit(X if groups is None else center(X, groups), y)

    def predict(self, X, groups=None):
        return super().predict(X if groups is None else center(X, groups))


BOOST = AdaBoostRegressor(n_estimators=3, random_state=0)
PAIRS = {
    "transformer": (make_pipeline(Centers(), BOOST), BOOST),
    "transformer without BaseEstimator": (make_pipeline(CentersByItself(), BOOST), BOOST),
    "model that refuses routing": (BoostsWithin(n_estimators=3, random_state=0), BOOST),
    "model that refuses routing, in a pipeline": (
        make_pipeline("passthrough", BoostsWithin(n_estimators=3, random_state=0)),
        BOOST,
    ),
    "search in a pipeline": (make_pipeline(Centers(), PlainGridSearchCV(Ridge(), {"alpha": [3]})), Ridge(3)),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_predictions_with_ids_equal_a_model_called_by_hand(pair):
    model, of_centered = pair
    predicted = cross_val_predict(model, X, Y, groups=GROUPS, cv=FOLDS)
    np.testing.assert_allclose(predicted, predict_by_hand(of_centered))
    fitted = WithGroups(model).fit(X, Y, groups=GROUPS).predict(X, groups=GROUPS)
    np.testing.assert_allclose(
        fitted, clone(of_centered).fit(center(X, GROUPS), Y).predict(center(X, GROUPS))
    )


MEMBERS = [("a", Ridge()), ("b", LinearRegression())]
LAST = [
    VotingRegressor(MEMBERS),
    StackingRegressor(MEMBERS, final_estimator=Ridge(), cv=BalancedGroupKFold(3)),
    BaggingRegressor(Ridge(), n_estimators=2, random_state=0),
    TransformedTargetRegressor(Ridge()),
    PlainGridSearchCV(Ridge(), {"alpha": [1, 10]}, cv=[(np.arange(60), np.arange(60, 120))]),
]


@pytest.mark.parametrize("last", LAST, ids=lambda model: type(model).__name__)
def test_pipeline_default_score_uses_predictions_with_ids(last):
    model = make_pipeline(Centers(), last)
    scores = cross_val_score(model, X, Y, groups=GROUPS, cv=FOLDS, error_score="raise")
    predicted = cross_val_predict(model, X, Y, groups=GROUPS, cv=FOLDS)
    np.testing.assert_allclose(scores, [r2_score(Y[test], predicted[test]) for _, test in FOLDS])


class PredictsByItsBest(RegressorMixin, BaseEstimator):
    """A model with an attribute `best_estimator_`, whose predictions are others."""

    def fit(self, X, y):
        self.best_estimator_ = Ridge().fit(X, np.log1p(y))
        return self

    def predict(self, X):
        return np.expm1(self.best_estimator_.predict(X))


class ShiftsPredictions(PlainGridSearchCV):
    """A search with a `predict` of its own."""

    def predict(self, X):
        return super().predict(X) + 100


@pytest.mark.parametrize("model", [PredictsByItsBest(), ShiftsPredictions(Ridge(), {}, cv=FOLDS)], ids=str)
def test_models_with_a_best_model_predict_by_their_own_method(model):
    expected = clone(model).fit(X, Y).predict(X)
    np.testing.assert_allclose(WithGroups(model).fit(X, Y, groups=GROUPS).predict(X), expected)


class CentersBy(Centers):
    """A transformer with a parameter `groups` that names no index level."""

    def __init__(self, groups="auto"):
        self.groups = groups


def test_parameter_named_groups_of_a_users_class_is_not_a_level():
    predicted = cross_val_predict(make_pipeline(CentersBy(), Ridge()), X, Y, groups=GROUPS, cv=FOLDS)
    np.testing.assert_allclose(predicted, predict_by_hand(Ridge()))


class HasGrid(Ridge):
    """A model with a parameter that is named as one of searches."""

    def __init__(self, param_grid=None, alpha=1.0):
        super().__init__(alpha)
        self.param_grid = param_grid


def test_parameter_named_param_grid_does_not_make_a_search():
    scores = [
        cross_val_score(model, X, Y, groups=GROUPS, cv=FOLDS, scoring="ndcg@5")
        for model in (Ridge(), HasGrid({"alpha": [1]}))
    ]
    np.testing.assert_array_equal(*scores)


def test_predict_passes_other_parameters_together_with_ids():
    model = make_pipeline(WithinGroupScaler(), BayesianRidge())
    fitted = WithGroups(model).fit(X, Y, groups=GROUPS)
    mean, deviation = fitted.predict(X, groups=GROUPS, return_std=True)
    np.testing.assert_array_equal(mean, fitted.predict(X, groups=GROUPS))
    assert deviation.shape == mean.shape


class BagsWithoutIds(BaggingRegressor):
    """A model with an inherited router, whose `fit` takes no ids."""

    def fit(self, X, y):
        return super().fit(X, y)


def test_search_raises_before_training_if_ids_would_be_lost(routing):
    model = BagsWithoutIds(make_pipeline(Centers(), Ridge()))
    with pytest.raises(ValueError, match="BagsWithoutIds, which calls Centers"):
        GridSearchCV(model, {}, scoring="ndcg@5").fit(X, Y, groups=GROUPS)


class CentersByQid(TransformerMixin, BaseEstimator):
    """A transformer that takes ids under another name."""

    def fit(self, X, y=None):
        return self

    def transform(self, X, qid=None):
        return X if qid is None else center(X, qid)


class RequestsByQid(CentersByQid):
    __metadata_request__transform = {"qid": "groups"}  # noqa: RUF012


def test_ids_under_another_name_need_a_request():
    message = (
        r"Got CentersByQid.transform, which takes 'qid', .*__metadata_request__transform = {'qid': 'groups'}"
    )
    with pytest.raises(ValueError, match=message):
        cross_val_predict(make_pipeline(CentersByQid(), Ridge()), X, Y, groups=GROUPS, cv=FOLDS)
    predicted = cross_val_predict(make_pipeline(RequestsByQid(), Ridge()), X, Y, groups=GROUPS, cv=FOLDS)
    np.testing.assert_allclose(predicted, predict_by_hand(Ridge()))


@pytest.mark.parametrize("scoring", ["r2", None])
def test_calls_without_ids_raise_if_a_part_takes_them(scoring):
    message = r"must contain the query id of each row for Centers. Got None instead. Pass groups=qid."
    with pytest.raises(ValueError, match=message):
        cross_val_score(make_pipeline(Centers(), Ridge()), X, Y, cv=3, scoring=scoring)
