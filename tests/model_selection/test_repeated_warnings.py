"""Each warning of a call is shown once, however many candidates and folds it concerns."""

import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer

import sklearn_rank as sr
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV

X, Y, QID = make_ranking(n_queries=40, random_state=0)
GRID = {"alpha": [0.1, 1, 10]}
UNDEFINED = "group_auc_scorer() is undefined: no query has a value to average. Returning nan."
SEARCHES = (sr.GridSearchCV, partial(sr.RandomizedSearchCV, n_iter=3), partial(HalvingGridSearchCV, factor=2))


def map_of(estimator, X, y, groups):
    return sr.map_score(y, estimator.predict(X), groups=groups)


def list_ours(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "non-finite" not in str(each.message)]


@pytest.mark.parametrize(
    "function", [sr.cross_val_score, sr.cross_validate, sr.learning_curve, sr.permutation_test_score]
)
def test_cross_validation_warns_once_about_undefined_scores(function):
    options = {"groups": QID, "scoring": "group_auc"}
    shown = list_ours(lambda: function(Ridge(), X, np.zeros(len(Y)), **options))
    assert shown.count(UNDEFINED) == 1
    assert len(shown) == 2  # and one that no document is relevant


@pytest.mark.parametrize("search", SEARCHES, ids=["grid", "random", "halving"])
def test_search_warns_once_about_undefined_scores(search):
    shown = list_ours(lambda: search(Ridge(), GRID, scoring="group_auc").fit(X, np.zeros(len(Y)), groups=QID))
    assert shown.count(UNDEFINED) == 1
    assert len(shown) == 2


@pytest.mark.parametrize("scoring", [map_of, make_scorer(sr.map_score)], ids=["function", "make_scorer"])
def test_search_warns_once_about_labels_in_scorers_of_users(scoring):
    fit = partial(sr.GridSearchCV(Ridge(), GRID, scoring=scoring).fit, X, Y + 1, groups=QID)
    (shown,) = list_ours(fit)
    assert shown.startswith("map_score: all documents are relevant")
    assert list_ours(fit) == [shown]  # each call warns again


def test_search_that_keeps_queries_warns_once_about_undefined_scores():
    search = sr.GridSearchCV(Ridge(), GRID, scoring="group_auc", keep_queries=True)
    assert list_ours(lambda: search.fit(X, np.zeros(len(Y)), groups=QID)).count(UNDEFINED) == 1


def test_cross_val_report_warns_once_about_each_undefined_mean():
    report = partial(sr.cross_val_report, Ridge(), X, np.zeros(len(Y)), groups=QID, scoring=["group_auc"])
    shown = list_ours(report)
    assert len(set(shown)) == len(shown)


WORKERS = """
from sklearn.linear_model import Ridge
import sklearn_rank as sr
from sklearn_rank.datasets import make_ranking

if __name__ == "__main__":
    X, y, qid = make_ranking(n_queries=40, random_state=0)
    options = {"scoring": "group_auc", "n_jobs": 2, "keep_queries": True}
    search = sr.GridSearchCV(Ridge(), {"alpha": [0.1, 1, 10]}, **options)
    search.fit(X, 0 * y, groups=qid)
    sr.cross_val_score(Ridge(), X, 0 * y, scoring="group_auc", n_jobs=2, groups=qid)
"""


def test_two_workers_show_each_warning_once(tmp_path):
    file = tmp_path / "search.py"
    file.write_text(WORKERS)
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert run.stderr.count("group_auc_scorer() is undefined") == 2  # one for each call
