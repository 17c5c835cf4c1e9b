"""Workers that start workers of their own: the ids of the rows reach the models that these fit."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
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


def fit_and_send(part, X, y):
    fitted = part.fit(X, y)  # in a worker, which sends the model on to a worker of its own
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(fitted.predict, X).result()


class SendsOn(NestedWorkers):
    """A model whose part is fitted by a worker and predicts in a worker of this worker."""

    def fit(self, X, y):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            self.predicted_ = pool.submit(fit_and_send, clone(self.part), X, y).result()
        return self


@pytest.mark.slow
def test_model_fitted_by_a_worker_predicts_in_a_worker_of_this_worker():
    model = WithGroups(SendsOn(Checked())).fit(X, X[:, 1], groups=QID)
    np.testing.assert_allclose(model.estimator_.predicted_, X[:, 1], atol=1e-12)


class KeepsTask(NestedWorkers):
    """A model that keeps what a worker would get to fit its part."""

    def fit(self, X, y):
        self.task_ = pickle.dumps(self.part)
        self.rows_ = X
        return self


def test_tasks_of_workers_contain_x_but_results_do_not():
    kept = WithGroups(KeepsTask(Checked())).fit(X, X[:, 1], groups=QID).estimator_
    assert X.tobytes() in kept.task_
    fitted = pickle.loads(kept.task_).fit(
        kept.rows_, X[:, 1]
    )  # without the rows of the caller, as in a worker
    result = pickle.dumps(fitted)
    assert X.tobytes() not in result
    np.testing.assert_allclose(pickle.loads(result).predict(kept.rows_), X[:, 1], atol=1e-12)
    with ThreadPoolExecutor(1) as pool:  # tasks for workers are pickled in a thread of their queue
        assert X.tobytes() in pool.submit(pickle.dumps, fitted).result()


def test_loading_a_result_of_a_worker_without_its_rows_raises_an_error():
    kept = WithGroups(KeepsTask(Checked())).fit(X, X[:, 1], groups=QID).estimator_
    result = pickle.dumps(pickle.loads(kept.task_).fit(kept.rows_, X[:, 1]))
    with pytest.raises(RuntimeError, match="rows are gone"):
        pickle.loads(result)
