"""X is pickled no more often than by scikit-learn, and predictions do not search the model for ids again."""

import os
from collections import Counter

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sklearn_rank import BalancedGroupKFold, GridSearchCV, WithGroups, cross_val_score, cross_validate


class CountsPickles(np.ndarray):
    """Features that record in a file each process that pickles them."""

    def __array_finalize__(self, original):
        self.path = getattr(original, "path", None)

    def __reduce_ex__(self, protocol):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
        return _read_pickle, (np.array(self), self.path)


def _read_pickle(values, path):
    features = values.view(CountsPickles)
    features.path = path
    return features


def count_pickles(path, call):
    """Call a function; return how often this process and its workers pickled X."""
    path.write_text("")
    call()
    counts = Counter(path.read_text().split())
    own = counts.pop(str(os.getpid()), 0)
    return own, sum(counts.values())


FOLDS, GRID = 3, {"alpha": [1, 10, 100]}
CALLS = {
    "cross_val_score": (
        lambda X, y, groups, cv: cross_val_score(Ridge(), X, y, groups=groups, scoring="r2", cv=cv, n_jobs=2),
        lambda X, y, groups, cv: theirs.cross_val_score(Ridge(), X, y, scoring="r2", cv=cv, n_jobs=2),
        FOLDS,
    ),
    "fitted models": (
        lambda X, y, groups, cv: cross_validate(
            Ridge(), X, y, groups=groups, cv=cv, n_jobs=2, return_estimator=True
        ),
        lambda X, y, groups, cv: theirs.cross_validate(Ridge(), X, y, cv=cv, n_jobs=2, return_estimator=True),
        FOLDS,
    ),
    "GridSearchCV": (
        lambda X, y, groups, cv: GridSearchCV(Ridge(), GRID, cv=cv, n_jobs=2).fit(X, y, groups=groups),
        lambda X, y, groups, cv: theirs.GridSearchCV(Ridge(), GRID, cv=cv, n_jobs=2).fit(X, y),
        FOLDS * len(GRID["alpha"]),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_processes_get_x_once_for_each_fit_and_do_not_return_it(name, ranking_data, tmp_path):
    X, y, groups = ranking_data
    path = tmp_path / "pickles"
    ours, plain, n_fits = CALLS[name]
    counted = _read_pickle(np.array(X), str(path))
    cv = list(BalancedGroupKFold(FOLDS).split(X, y, groups))
    of_theirs = count_pickles(path, lambda: plain(counted, y, groups, cv))
    own, in_workers = count_pickles(path, lambda: ours(counted, y, groups, cv))
    assert 0 < of_theirs[0] <= n_fits  # some fits share a pickle
    assert 0 < own <= n_fits
    assert in_workers == of_theirs[1] == 0


class CountsWalks(TransformerMixin, BaseEstimator):
    """A transformer that takes ids, and counts the calls of its `get_params`."""

    n_calls = 0

    def get_params(self, deep=True):
        CountsWalks.n_calls += 1
        return super().get_params(deep)

    def fit(self, X, y=None):
        return self

    def transform(self, X, groups=None):
        assert groups is not None
        return X


FITTED = {
    "search": lambda model: GridSearchCV(model, {"ridge__alpha": [1]}, cv=3),
    "WithGroups": WithGroups,
    "WithGroups of a search": lambda model: WithGroups(theirs.GridSearchCV(model, {}, cv=3)),
}


@pytest.mark.parametrize("name", FITTED)
def test_predictions_do_not_search_the_model_for_parts_with_ids(name, ranking_data):
    X, y, groups = ranking_data
    model = FITTED[name](make_pipeline(CountsWalks(), Ridge())).fit(X, y, groups=groups)
    model.predict(X, groups=groups)
    CountsWalks.n_calls = 0
    for _ in range(5):
        model.predict(X, groups=groups)
    assert CountsWalks.n_calls == 0
