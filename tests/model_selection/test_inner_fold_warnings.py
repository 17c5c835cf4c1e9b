"""Warnings about folds of searches inside a model: one per call, not one per training set."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV as PlainGridSearchCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import BalancedGroupKFold, GridSearchCV, RankingWarning, cross_val_score, map_scorer
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.forms import SCIKIT_LEARN_VERSION
from tests.model_selection.test_fold_warnings import CV, GROUPS, X, Y, list_warnings

GRID = {"alpha": [1, 2]}
RANKER = PairwiseRanker(LogisticRegression(), random_state=0)
FEW = np.where(GROUPS < 8, Y, 0)  # every test set of the call has relevant documents, inner ones do not
NOTHING = r"no document is relevant in the test sets of \d+ of 35 folds of {name} inside the model \(every"
SEARCHES = [
    GridSearchCV(Ridge(), GRID, scoring="map", cv=7),
    GridSearchCV(RANKER, {}, cv=BalancedGroupKFold(7)),
    PlainGridSearchCV(Ridge(), GRID, scoring=map_scorer(), cv=BalancedGroupKFold(7)),
    PlainGridSearchCV(Ridge(), GRID, scoring={"map": map_scorer()}, refit="map", cv=7),
    PlainGridSearchCV(RANKER, {"estimator__C": [1, 2]}, cv=7),
]


def score(model, y=FEW, **options):
    return cross_val_score(model, X, y, groups=GROUPS, cv=CV, scoring="ndcg", **options)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)
def test_call_warns_once_about_labels_of_inner_folds(search, n_jobs, routing):
    if type(search) is PlainGridSearchCV and search.scoring is None and SCIKIT_LEARN_VERSION < (1, 9):
        pytest.skip("old versions of scikit-learn pass nothing on to the default score")
    message = f"^cross_val_score: {NOTHING.format(name=type(search).__name__)}"
    with pytest.warns(RankingWarning, match=message) as caught:
        score(search, n_jobs=n_jobs)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "model",
    [make_pipeline(StandardScaler(), SEARCHES[0]), VotingRegressor([("one", SEARCHES[0])])],
    ids=["pipeline", "vote"],
)
def test_call_warns_about_searches_inside_pipelines_and_ensembles(model):
    with pytest.warns(RankingWarning, match=NOTHING.format(name="GridSearchCV")) as caught:
        score(model)
    assert len(caught) == 1


def test_call_warns_about_searches_inside_searches():
    outer = GridSearchCV(SEARCHES[0], {}, scoring="r2", cv=2)
    with pytest.warns(RankingWarning, match=r"of \d+ of 70 folds of GridSearchCV inside") as caught:
        score(outer)
    assert len(caught) == 1


def test_warning_counts_inner_folds_without_relevant_documents():
    of_call = [(GROUPS < 12, GROUPS >= 12), (GROUPS >= 8, GROUPS < 8)]
    cv = [tuple(map(np.flatnonzero, fold)) for fold in of_call]
    y = np.where(GROUPS == 9, 0, Y)  # in both training sets
    search = GridSearchCV(Ridge(), GRID, scoring="map", cv=12)
    with pytest.warns(RankingWarning, match="in the test sets of 2 of 24 folds of GridSearchCV inside"):
        cross_val_score(search, X, y, groups=GROUPS, cv=cv, scoring="ndcg")


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_call_warns_once_about_inner_folds_that_cut_queries():
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer(), cv=KFold(3))
    with pytest.warns(UserWarning, match=r"cuts queries: in 15 of 15 folds of GridSearchCV inside") as caught:
        score(search, Y)
    assert sum("cuts queries" in str(each.message) for each in caught) == 1


class SearchesItself(RegressorMixin, BaseEstimator):
    """A user's model that runs a search inside `fit`, hidden from the call."""

    def fit(self, X, y, groups):
        self.search_ = GridSearchCV(Ridge(), GRID, scoring="map", cv=7).fit(X, y, groups=groups)
        return self

    def predict(self, X):
        return self.search_.predict(X)


def test_searches_run_inside_fit_warn_once_per_call():
    found = list_warnings(lambda: score(SearchesItself(), FEW))
    assert sum(text.startswith("GridSearchCV.fit: no document is relevant") for text in found) == 1


def test_call_is_silent_if_a_scikit_learn_search_cuts_queries():
    search = PlainGridSearchCV(Ridge(), GRID, scoring="r2", cv=KFold(3))
    assert list_warnings(lambda: score(search, Y)) == []


@pytest.mark.parametrize("cv", [3, BalancedGroupKFold(3)], ids=["int", "splitter"])
def test_call_is_silent_if_inner_folds_have_relevant_documents(cv):
    assert list_warnings(lambda: score(GridSearchCV(Ridge(), GRID, scoring="map", cv=cv), Y)) == []
