"""Models that record, request, require or check query ids."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

from sklearn_rank import ndcg_score


class RecordingModel(RegressorMixin, BaseEstimator):
    """A model that records the ids passed to `fit`."""

    ids: list = []  # noqa: RUF012 - shared by all clones

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def record(self, X, y, ids):
        self.ids.append(None if ids is None else np.asarray(ids))
        self.model_ = Ridge(alpha=self.alpha).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class RequestingModel(RecordingModel):
    """A recording model that requests `groups` in `fit`."""

    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    def fit(self, X, y, groups=None):
        return self.record(X, y, groups)


class NeedsIds(Ridge):
    """A model whose `score` requires ids."""

    def score(self, X, y, groups=None, sample_weight=None):
        assert groups is not None
        return ndcg_score(y, self.predict(X), groups=groups, k=3)


class ChecksIds(Ridge):
    """A ranker that checks the ids of its rows, which the last column of X repeats."""

    def fit(self, X, y, groups=None):
        np.testing.assert_array_equal(groups, X[:, -1])
        return super().fit(X[:, :-1], y)

    def predict(self, X):
        return super().predict(X[:, :-1])

    def score(self, X, y, groups=None, sample_weight=None):
        np.testing.assert_array_equal(groups, X[:, -1])
        return ndcg_score(y, self.predict(X), groups=groups)
