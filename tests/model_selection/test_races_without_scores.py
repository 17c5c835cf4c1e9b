"""Races in which no candidate has a score in every fold, or in which it is open what decides."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from sklearn_rank import GridSearchCV, ndcg_scorer, simplest
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import RacingGridSearchCV

TREE = DecisionTreeRegressor(random_state=0)
DEPTHS = {"max_depth": [1, 4]}


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=60, n_documents=(5, 12), n_features=5, shuffle=True, random_state=0)


class Signed(BaseEstimator):
    """A model that predicts the relevance that X holds, times a sign."""

    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.sign * X[:, 0]


def search_with_an_empty_fold(data, empty, **options):
    """Race a perfect model and two others over six folds, one of which has no relevant document."""
    _, y, groups = data
    folds = groups % 6
    labels = np.where(folds == empty, 0, y)
    cv = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(6)]
    scorer = ndcg_scorer(k=10, zero_division=np.nan)
    search = RacingGridSearchCV(Signed(), {"sign": [-1, 1, 1.5]}, scoring=scorer, cv=cv, **options)
    return search.fit(y[:, np.newaxis].astype(float), labels, groups=groups)


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.UndefinedMetricWarning", "ignore:One or more of the test", "ignore:cv leaves"
)
@pytest.mark.filterwarnings("ignore:.*no document is relevant")
@pytest.mark.parametrize(("empty", "n_fits"), [(0, 3), (1, 6), (5, 15)])
@pytest.mark.parametrize("keep_queries", [True, False])
def test_a_fold_in_which_the_metric_is_undefined_ends_the_race(empty, n_fits, keep_queries, data):
    search = search_with_an_empty_fold(data, empty, keep_queries=keep_queries)
    assert search.n_fits_ == n_fits
    assert f"0 are left after {empty + 1} folds; none has a score in every fold." in search.race_
    assert search.cv_results_["fell"].all()
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1
    assert search.best_params_ == {"sign": -1 if empty < 2 else 1}  # the first of those that ran longest


def test_what_is_the_simplest_of_contenders_needs_values_before_anything_is_fitted(data):
    X, y, groups = data
    search = RacingGridSearchCV(TREE, DEPTHS, refit=simplest("max_depth"), scoring="r2")
    with pytest.raises(
        ValueError, match="'scoring' parameter of RacingGridSearchCV must be a ranking scorer"
    ):
        search.fit(X, y, groups=groups)


def test_the_score_of_a_model_is_refused_by_the_name_it_was_given(data):
    X, y, groups = data
    search = RacingGridSearchCV(TREE, DEPTHS, keep_queries=True)
    with pytest.raises(ValueError, match=r"where the values of queries are kept\. Got None instead"):
        search.fit(X, y, groups=groups)


class Unfit(DecisionTreeRegressor):
    """A tree that must not be fitted."""

    def fit(self, X, y):
        raise AssertionError("fitted")


@pytest.mark.parametrize("refit", [False, lambda results: 0])
def test_which_of_several_metrics_decides_is_asked_before_anything_is_fitted(refit, data):
    X, y, groups = data
    options = {"scoring": ["map", "mrr"], "refit": refit, "error_score": "raise"}
    search = RacingGridSearchCV(Unfit(), DEPTHS, **options)
    with pytest.raises(ValueError, match=r"keep_queries.*must name the metric that decides, 'map' or 'mrr'"):
        search.fit(X, y, groups=groups)


@pytest.mark.parametrize("refit", [False, lambda results: 0])
def test_at_level_1_none_of_several_metrics_need_decide(refit, data):
    X, y, groups = data
    options = {"scoring": ["map", "mrr"], "refit": refit, "confidence_level": 1}
    assert RacingGridSearchCV(TREE, DEPTHS, **options).fit(X, y, groups=groups).n_fits_ == 10


@pytest.mark.parametrize("refit", ["map", simplest("max_depth", metric="map", within=0.01)], ids=str)
def test_a_race_does_not_keep_one_metric_and_choose_by_another(refit, data):
    X, y, groups = data
    options = {"scoring": ["map", "mrr"], "refit": refit, "error_score": "raise", "keep_queries": "mrr"}
    with pytest.raises(ValueError, match=r"keep_queries.*must name the metric of refit, 'map': .*Got 'mrr'"):
        RacingGridSearchCV(Unfit(), DEPTHS, **options).fit(X, y, groups=groups)
    options |= {"keep_queries": "map"}
    found = RacingGridSearchCV(TREE, DEPTHS, **options).fit(X, y, groups=groups)
    assert found.best_score_ == found.cv_results_["mean_test_map"][found.best_index_]
    assert found.kept_queries_.metric == "map"


def test_one_candidate_runs_on_all_folds(data):
    X, y, groups = data
    search = RacingGridSearchCV(Ridge(), {"alpha": [1.0]}, scoring="ndcg@10").fit(X, y, groups=groups)
    plain = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring="ndcg@10").fit(X, y, groups=groups)
    assert (search.n_fits_, search.best_score_) == (5, plain.best_score_)
