"""Models of other libraries that declare what they do with rows by `__sklearn_rank_rows__`."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import Ridge

from sklearn_rank import WithGroups, cross_val_predict, cross_val_score, ndcg_score, ndcg_scorer
from tests.routing.probes import OwnMeta

pytestmark = pytest.mark.filterwarnings("ignore:.*contains the query ids")
QID = np.repeat(np.arange(8), 4)
X = np.column_stack([QID, np.tile(np.arange(4), 8)]).astype(float)  # the first column is the id
Y = X[:, 1]


class Checked(Ridge):
    """A regressor that rejects rows whose ids are not those in the first column."""

    def fit(self, X, y, groups=None):
        np.testing.assert_array_equal(X[:, 0], groups)
        return super().fit(X, y)


class CheckedTwice(Checked):
    def predict(self, X, groups=None):
        np.testing.assert_array_equal(X[:, 0], groups)
        return super().predict(X)


class Around(OwnMeta):
    __sklearn_rank_rows__ = "order"


class InArray(Around):
    """A model that keeps its members in an array of objects."""

    def fit(self, X, y):
        self.members_ = np.array([clone(self.estimator).fit(X, y) for _ in range(2)], dtype=object)
        return self

    def predict(self, X):
        return np.mean([member.predict(X) for member in self.members_], axis=0)


def test_members_in_an_array_of_objects_get_ids():
    got = WithGroups(InArray(CheckedTwice())).fit(X, Y, groups=QID).predict(X, groups=QID)
    np.testing.assert_allclose(got, Ridge().fit(X, Y).predict(X))


class Halves(Around):
    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X[::2], y[::2])
        return self


def test_owner_that_passes_fewer_rows_than_declared_raises():
    with pytest.raises(RuntimeError, match=r"Checked got 16 of 32 rows, so their ids are not known"):
        WithGroups(Halves(Checked())).fit(X, Y, groups=QID)


class Typo(Around):
    __sklearn_rank_rows__ = "rows in order"


def test_unknown_declaration_raises():
    with pytest.raises(ValueError, match=r"must be 'order', 'rows' or 'y' in Typo. Got 'rows in order'"):
        WithGroups(Typo(Checked())).fit(X, Y, groups=QID)


class ByLabels(Around):
    """A model that selects rows and columns, and predicts the training rows in `fit`."""

    __sklearn_rank_rows__ = "y"

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X[::2], y[::2])
        self.fitted_ = self.estimator_.predict(X[::2])
        return self


def test_part_without_known_rows_predicts_if_it_needs_no_ids():
    model = WithGroups(ByLabels(Checked())).fit(X, Y, groups=QID).estimator_
    np.testing.assert_allclose(model.fitted_, Ridge().fit(X[::2], Y[::2]).predict(X[::2]))


def test_part_without_known_rows_raises_if_it_predicts_with_ids():
    with pytest.raises(RuntimeError, match=r"ids of the rows of CheckedTwice.predict are not known"):
        WithGroups(ByLabels(CheckedTwice())).fit(X, Y, groups=QID)


@pytest.mark.parametrize(
    "scoring", [ndcg_scorer(k=2), {"a": ndcg_scorer(k=2), "b": "r2"}], ids=["one", "two"]
)
def test_with_groups_score_of_a_search_passes_ids_to_its_scorers(scoring):
    refit = "a" if isinstance(scoring, dict) else True
    search = theirs.GridSearchCV(Ridge(), {}, scoring=scoring, refit=refit, cv=2)
    model = WithGroups(search).fit(X, Y[::-1], groups=QID)
    expected = ndcg_score(Y, model.predict(X), groups=QID, k=2)
    assert model.score(X, Y, groups=QID) == pytest.approx(expected, rel=1e-12)


def test_scorer_that_requests_no_ids_gets_those_of_the_call():
    scorer = ndcg_scorer(k=2).set_score_request(groups=False)
    scores = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=2, error_score="raise")
    np.testing.assert_allclose(scores, 1)


def test_parts_of_a_declared_owner_get_ids_in_each_fold():
    got = cross_val_predict(Around(CheckedTwice()), X, Y, groups=QID, cv=2)
    np.testing.assert_allclose(got, cross_val_predict(Ridge(), X, Y, groups=QID, cv=2))


class WithoutRouting(Ridge):
    def get_metadata_routing(self):
        raise NotImplementedError("no routing")


def test_parts_that_do_not_support_routing_are_fitted_with_routing():
    model = VotingRegressor([("a", CheckedTwice()), ("b", WithoutRouting())])
    expected = WithGroups(model).fit(X, Y, groups=QID).predict(X, groups=QID)
    with config_context(enable_metadata_routing=True):
        got = WithGroups(model).fit(X, Y, groups=QID).predict(X, groups=QID)
    np.testing.assert_array_equal(got, expected)
