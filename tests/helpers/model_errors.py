"""Calls of functions and searches, a model that counts its fits, and messages of failed calls."""

from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin

import sklearn_rank
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV

X, Y, QID = make_ranking(n_queries=30, n_documents=(4, 14), n_features=4, random_state=0)
NEWEST = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


class Counts(RegressorMixin, BaseEstimator):
    """A model that counts the fits of all its instances."""

    n_fits = 0

    def __init__(self, a=1):
        self.a = a

    def fit(self, X, y, **params):
        Counts.n_fits += 1
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return X[:, 0]


def search(kind, **own):
    return lambda model, X, y, groups, **options: kind(model, **own, **options).fit(X, y, groups=groups)


# Calls by their name in messages.
CALLS = {
    "cross_val_score": sklearn_rank.cross_val_score,
    "cross_validate": sklearn_rank.cross_validate,
    "learning_curve": sklearn_rank.learning_curve,
    "permutation_test_score": partial(sklearn_rank.permutation_test_score, n_permutations=2),
    "validation_curve": partial(sklearn_rank.validation_curve, param_name="a", param_range=[1]),
    "GridSearchCV": search(sklearn_rank.GridSearchCV, param_grid={}),
    "RandomizedSearchCV": search(sklearn_rank.RandomizedSearchCV, param_distributions={}, n_iter=1),
    "HalvingGridSearchCV": search(HalvingGridSearchCV, param_grid={}),
}
EVERY_CALL = pytest.mark.parametrize("function", CALLS)


def error_message(function, **options):
    """Return the error message of a call, which must fail before training."""
    Counts.n_fits = 0
    given = {"model": Counts(), "X": X, "y": Y, "groups": QID, "scoring": "ndcg@10"} | options
    model, *rows = (given.pop(name) for name in ("model", "X", "y"))
    with pytest.raises(ValueError, match=" must ") as error:
        CALLS[function](model, *rows, **given)
    assert Counts.n_fits == 0
    return str(error.value)
