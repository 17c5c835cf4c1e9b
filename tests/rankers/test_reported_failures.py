"""Failures in scikit-learn that users of the boosting libraries report, and the same calls here."""

import warnings

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import GridSearchCV, RandomizedSearchCV, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.model_selection import HalvingGridSearchCV
from tests.helpers.rankers import OPTIONS, ours

NDCG = ndcg_scorer(k=5)
GRID = {"num_leaves": [2, 7]}


@pytest.fixture
def grouped(ranking_data):
    """The rows of `ranking_data`, one query after another, as the libraries want them."""
    order = np.argsort(ranking_data[2], kind="stable")
    return tuple(values[order] for values in ranking_data)


def sizes(groups):
    return np.unique(groups, return_counts=True)[1]


def test_lightgbms_ranker_fails_in_a_grid_search_and_ours_works(grouped, ranking_data):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, groups = grouped
    search = theirs.GridSearchCV(
        lightgbm.LGBMRanker(**OPTIONS["LGBMRanker"]), GRID, scoring="r2", cv=GroupKFold(3)
    )
    with warnings.catch_warnings(), pytest.raises(ValueError, match="Sum of query counts"):
        warnings.simplefilter("ignore", FitFailedWarning)
        search.fit(X, y, groups=groups, group=sizes(groups))
    X, y, groups = ranking_data
    search = GridSearchCV(ours("LGBMRanker"), GRID, scoring=NDCG, cv=3, error_score="raise")
    assert search.fit(X, y, groups=groups).best_score_ > 0.5


def test_lightgbms_ranker_fails_in_a_searched_pipeline_and_ours_works(grouped, ranking_data):
    lightgbm = pytest.importorskip("lightgbm")
    grid = {f"lgbmranker__{name}": values for name, values in GRID.items()}
    X, y, groups = grouped
    pipeline = make_pipeline(StandardScaler(), lightgbm.LGBMRanker(**OPTIONS["LGBMRanker"]))
    options = {"n_iter": 2, "random_state": 0}
    search = theirs.RandomizedSearchCV(pipeline, grid, scoring="r2", cv=GroupKFold(3), **options)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="Sum of query counts"):
        warnings.simplefilter("ignore", FitFailedWarning)
        search.fit(X, y, groups=groups, lgbmranker__group=sizes(groups))
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), ours("LGBMRanker"))
    search = RandomizedSearchCV(pipeline, grid, scoring=NDCG, cv=3, error_score="raise", **options)
    assert search.fit(X, y, groups=groups).best_score_ > 0.5


def test_xgboosts_ranker_fails_on_unsorted_rows_and_ours_works(grouped, ranking_data, folds):
    xgboost = pytest.importorskip("xgboost")
    X, y, groups = ranking_data
    train, test = folds[0]
    model = xgboost.XGBRanker(**OPTIONS["XGBRanker"])
    with pytest.raises(ValueError, match="sorted"):
        model.fit(X[train], y[train], qid=groups[train])
    got = ours("XGBRanker").fit(X[train], y[train], groups=groups[train]).predict(X[test])
    order = train[np.argsort(groups[train], kind="stable")]
    np.testing.assert_array_equal(got, model.fit(X[order], y[order], qid=groups[order]).predict(X[test]))


def test_xgboosts_ranker_fails_in_a_pipeline_and_ours_works(ranking_data):
    xgboost = pytest.importorskip("xgboost")
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), xgboost.XGBRanker(**OPTIONS["XGBRanker"]))
    with pytest.raises(ValueError, match=r"qid|group"):
        theirs.cross_val_score(
            pipeline, X, y, scoring="r2", cv=GroupKFold(3), groups=groups, error_score="raise"
        )
    pipeline = make_pipeline(StandardScaler(), ours("XGBRanker"))
    scores = cross_val_score(pipeline, X, y, scoring=NDCG, groups=groups, cv=3, error_score="raise")
    assert (scores > 0.5).all()


def test_xgboost_ranker_score_is_per_query_unlike_xgboosts_own(grouped):
    xgboost = pytest.importorskip("xgboost")
    X, y, groups = grouped
    model = xgboost.XGBRanker(**OPTIONS["XGBRanker"]).fit(X, y, qid=groups)
    per_query = ndcg_score(y, model.predict(X), groups=groups)
    try:
        assert abs(model.score(X, y) - per_query) > 0.05  # it ranks all rows as one query
    except ValueError as error:  # newer releases raise an error
        assert "qid" in str(error)
    assert ours("XGBRanker").fit(X, y, groups=groups).score(X, y, groups=groups) == per_query


def test_catboosts_ranker_fails_in_cross_validation_and_ours_works(ranking_data):
    catboost = pytest.importorskip("catboost")
    X, y, groups = ranking_data
    model = catboost.CatBoostRanker(**OPTIONS["CatBoostRanker"])
    with pytest.raises(catboost.CatBoostError, match=r"[Gg]roup"):
        theirs.cross_val_score(
            model, X, y, scoring="r2", cv=GroupKFold(3), groups=groups, error_score="raise"
        )
    scores = cross_val_score(
        ours("CatBoostRanker"), X, y, scoring=NDCG, groups=groups, cv=3, error_score="raise"
    )
    assert (scores > 0.5).all()


def test_catboosts_ranker_with_a_list_cannot_be_cloned_and_ours_can(ranking_data):
    catboost = pytest.importorskip("catboost")
    with pytest.raises(RuntimeError, match="Cannot clone"):
        clone(catboost.CatBoostRanker(cat_features=[0]))
    assert clone(ours("CatBoostRanker", cat_features=[0])).get_params()["cat_features"] == [0]


class CountsRows(Ridge):
    """Keeps the number of rows of each query that it was trained on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append(np.unique(X[:, -1], return_counts=True))
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("search", "cuts"), [(theirs.HalvingGridSearchCV, True), (HalvingGridSearchCV, False)]
)
def test_halving_keeps_queries_whole_unlike_scikit_learn(search, cuts, ranking_data):
    X, y, groups = ranking_data
    CountsRows.seen.clear()
    model = search(CountsRows(), {"alpha": [1, 2, 4]}, cv=GroupKFold(3), scoring="r2", random_state=0)
    model.fit(np.column_stack([X, groups]), y, groups=groups)
    rows = dict(zip(*np.unique(groups, return_counts=True)))
    whole = [[rows[i] for i in ids] == counts.tolist() for ids, counts in CountsRows.seen]
    assert all(whole) != cuts
