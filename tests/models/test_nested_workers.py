"""Workers that start workers of their own: the ids of the rows reach the models that these fit."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression

from sklearn_rank import WithGroups

ROWS = 24
QID = np.repeat(np.arange(6), 4)
X = np.column_stack([QID, np.arange(ROWS) % 4]).astype(float)  # the first column is the id


class Checked(RegressorMixin, BaseEstimator):
    """A regressor that rejects rows whose ids are not those in the first column."""

    def fit(self, X, y, groups=None):
        if groups is None or not np.array_equal(X[:, 0], groups):
            raise AssertionError("wrong ids")
        self.model_ = LinearRegression().fit(X[:, 1:], y)
        return self

    def predict(self, X, groups=None):
        if groups is None or not np.array_equal(X[:, 0], groups):
            raise AssertionError("wrong ids")
        return self.model_.predict(X[:, 1:])


def fit_parts(part, X, y, depth):
    if depth == 0:
        return [clone(part).fit(X, y)]
    half = len(y) // 2  # each worker starts the next one
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(fit_parts, clone(part), X[half:], y[half:], depth - 1).result()


class NestedWorkers(RegressorMixin, BaseEstimator):
    """Members that are fitted to selected rows by workers of workers."""

    __sklearn_rank_rows__ = "rows"

    def __init__(self, part, depth=2):
        self.part = part
        self.depth = depth

    def fit(self, X, y):
        self.members_ = fit_parts(self.part, X, y, self.depth)
        return self

    def predict(self, X):
        return np.mean([member.predict(X) for member in self.members_], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_with_groups_passes_ids_to_workers_of_workers(depth):
    model = WithGroups(NestedWorkers(Checked(), depth)).fit(X, X[:, 1], groups=QID)
    np.testing.assert_allclose(model.predict(X, groups=QID), X[:, 1], atol=1e-12)
