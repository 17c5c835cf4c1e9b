"""Errors name the public function, class or method that the user called."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score as scikit_learns_cross_val_score

import sklearn_rank
from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking

X, Y, QID = make_ranking(random_state=0)


class Splitter(BalancedGroupKFold):
    """A splitter of a user's."""


class Diverging(RegressorMixin, BaseEstimator):
    """A model that calls this package with a bad cutoff."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return ndcg_score([[1, 0]], [[2, 1]], k=0)


CALLS = {
    "'k' parameter of ndcg_score": lambda: ndcg_score([[1, 0]], [[2, 1]], k=0),
    "'k' parameter of ndcg_scorer": lambda: ndcg_scorer(k=0),
    "'max_k' parameter of ndcg_curve": lambda: sklearn_rank.metrics.ndcg_curve([[1]], [[1]], max_k=0),
    "'y_score' parameter of ndcg_scorer(k=3).score_rows": lambda: ndcg_scorer(k=3).score_rows([[1]], [["a"]]),
    "'scoring' parameter of GridSearchCV": lambda: GridSearchCV(Ridge(), {}, scoring=5).fit(X, Y, groups=QID),
    "'y' parameter of GridSearchCV.fit": lambda: GridSearchCV(Ridge(), {}).fit(X, Y[1:], groups=QID),
    "'n_splits' parameter of Splitter": lambda: cross_val_score(Ridge(), X, Y, groups=QID, cv=Splitter(1)),
}


@pytest.mark.parametrize("words", CALLS)
def test_error_names_callable_with_the_parameter(words):
    with pytest.raises(ValueError, match=r"^The '\w+' parameter of \S+ must") as error:
        CALLS[words]()
    assert str(error.value).startswith(f"The {words} must ")


def test_error_of_a_call_inside_a_users_model_names_that_call():
    with pytest.raises(ValueError, match="'k' parameter of ndcg_score must"):
        ndcg_scorer()(Diverging().fit(X, Y), X, Y, groups=QID)


def test_errors_with_long_values_have_at_most_350_letters():
    with pytest.raises(
        ValueError, match=r"must be an int >= 1 or None\. Got 'xxx.*\.\.\..*xxx' instead\."
    ) as error:
        ndcg_score([[1, 0]], [[2, 1]], k="x" * 10_000)
    assert 340 < len(str(error.value)) <= 350


def test_errors_with_long_scorer_names_shorten_them():
    scorer = sklearn_rank.ranking_scorer([f"ndcg@{k}" for k in range(1, 40)])
    with pytest.raises(ValueError, match="'y_score' parameter of ranking_scorer") as error:
        scorer.score_rows([[1, 0]], [["a", "b"]])
    assert len(str(error.value)) < 200


def test_error_in_a_thread_names_the_call():
    with ThreadPoolExecutor(1) as threads:
        error = threads.submit(ndcg_score, [[1, 0]], [[2, 1]], k=0).exception()
    assert "parameter of ndcg_score must" in str(error)


def test_error_below_scikit_learns_functions_names_the_splitter():
    with pytest.raises(ValueError, match="'n_splits' parameter of BalancedGroupKFold must"):
        scikit_learns_cross_val_score(Ridge(), X, Y, groups=QID, cv=BalancedGroupKFold(1))
