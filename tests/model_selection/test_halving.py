"""Successive halving whose samples are whole queries."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import BalancedGroupKFold, cross_val_score, ndcg_score, ndcg_scorer, ranking_scorer
from sklearn_rank.model_selection import GridSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV

NDCG = ndcg_scorer(k=3)
GRID = {"alpha": [1e-3, 1e3, 1e5, 1e7]}


def halving_grid(model=None, grid=GRID, **options):
    return HalvingGridSearchCV(Ridge() if model is None else model, grid, random_state=0, **options)


def halving_random(model=None, grid=GRID, **options):
    return HalvingRandomSearchCV(
        Ridge() if model is None else model, grid, n_candidates=4, random_state=0, **options
    )


SEARCH = pytest.mark.parametrize("make", [halving_grid, halving_random], ids=["grid", "random"])


class Watches(Ridge):
    """Keeps the ids it was trained and scored on, which are the last column of X."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append(X[:, -1])
        return super().fit(X, y)

    def predict(self, X):
        self.seen.append(X[:, -1])
        return super().predict(X)


@SEARCH
def test_halving_trains_and_tests_on_whole_queries(make, ranking_data):
    X, y, groups = ranking_data
    Watches.seen.clear()
    search = make(Watches(), scoring=NDCG, cv=3, factor=2).fit(np.column_stack([X, groups]), y, groups=groups)
    n_rows = dict(zip(*np.unique(groups, return_counts=True)))
    sizes = set()
    for seen in Watches.seen:
        ids, counts = np.unique(seen, return_counts=True)
        assert [n_rows[i] for i in ids] == counts.tolist()
        sizes.add(len(ids))
    assert len(sizes) > 3
    assert search.n_resources_[-1] <= 60
    assert search.max_resources_ == 60


@SEARCH
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_halving_with_all_queries_equals_grid_search(make, n_jobs, routing, ranking_data):
    X, y, groups = ranking_data
    options = {"scoring": NDCG, "cv": 3}
    search = make(**options, min_resources=60, n_jobs=n_jobs).fit(X, y, groups=groups)
    plain = GridSearchCV(Ridge(), GRID, **options).fit(X, y, groups=groups)
    results = zip(search.cv_results_["params"], search.cv_results_["mean_test_score"])
    expected = zip(plain.cv_results_["params"], plain.cv_results_["mean_test_score"])
    by_alpha = {params["alpha"]: score for params, score in results}
    assert by_alpha == pytest.approx({params["alpha"]: score for params, score in expected})
    assert search.best_params_ == plain.best_params_
    np.testing.assert_allclose(search.best_estimator_.coef_, plain.best_estimator_.coef_)


@SEARCH
def test_halving_refits_the_best_model_on_all_rows(make, routing, ranking_data):
    X, y, groups = ranking_data
    search = make(scoring=NDCG, cv=3).fit(X, y, groups=groups)
    assert type(search.best_estimator_) is Ridge
    expected = Ridge(**search.best_params_).fit(X, y)
    np.testing.assert_allclose(search.predict(X), expected.predict(X))
    assert search.score(X, y, groups=groups) == ndcg_score(y, search.predict(X), groups=groups, k=3)
    assert search.n_features_in_ == X.shape[1]
    assert search.scorer_.metrics == "ndcg@3"
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert clone(search).get_params()["cv"] == 3


@SEARCH
def test_halving_repeats_with_the_same_random_state(make, ranking_data):
    X, y, groups = ranking_data
    scores = [make(scoring=NDCG, cv=3).fit(X, y, groups=groups).cv_results_["mean_test_score"] for _ in "ab"]
    np.testing.assert_array_equal(*scores)


@pytest.mark.slow
@SEARCH
def test_halving_by_a_parameter_of_the_model(make, routing, ranking_data):
    X, y, groups = ranking_data
    options = {"resource": "n_estimators", "max_resources": 9, "min_resources": 3, "cv": 3}
    forest, grid = RandomForestRegressor(random_state=0), {"max_depth": [1, 2, 4, 8]}
    search = make(forest, grid, scoring=NDCG, **options).fit(X, y, groups=groups)
    assert search.n_resources_ == [3, 9]
    best = forest.set_params(**search.best_params_)
    expected = cross_val_score(best, X, y, groups=groups, scoring=NDCG, cv=3).mean()
    assert search.best_score_ == pytest.approx(expected)


@pytest.mark.slow
@SEARCH
def test_halving_inside_cross_val_score(make, routing, ranking_data):
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), make(scoring="ndcg@3", cv=2))
    scores = cross_val_score(pipeline, X, y, groups=groups, scoring=NDCG, cv=3, error_score="raise")
    assert (scores > 0.5).all()


@SEARCH
def test_halving_passes_ids_and_weights_by_rows(make, with_ids, ranking_data, routing):
    (model, with_column), (X, y, groups) = with_ids, ranking_data
    if routing:
        model.set_fit_request(groups=True).set_score_request(groups=True)
    assert make(model, cv=3, error_score="raise").fit(with_column, y, groups=groups).best_score_ > 0.5
    if not routing:
        search = make(cv=3, scoring=NDCG, error_score="raise")
        weighed = search.fit(X, y, groups=groups, sample_weight=np.arange(len(y)) + 1.0)
        assert not np.array_equal(
            weighed.best_estimator_.coef_, Ridge(**weighed.best_params_).fit(X, y).coef_
        )


@SEARCH
def test_halving_compares_models(make, routing, ranking_data):
    X, y, groups = ranking_data
    grid = {"model": [Ridge(), LinearRegression(), Ridge(1e6), Ridge(1e8)]}
    pipeline = make_pipeline(StandardScaler())
    pipeline.steps.append(("model", Ridge()))
    search = make(pipeline, grid, scoring=NDCG, cv=3).fit(X, y, groups=groups)
    assert type(search.best_estimator_) is type(pipeline)


@SEARCH
def test_halving_without_ids_counts_rows(make, ranking_data):
    X, y, groups = ranking_data
    search = make(cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert search.max_resources_ == 60
    plain = make(cv=KFold(3)).fit(X, y)
    assert plain.max_resources_ == len(y)


@SEARCH
def test_halving_rejects_several_scorers_and_cut_queries(make, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'scoring' parameter of Halving\w+SearchCV must be one scorer"):
        make(scoring=["ndcg", "map"], cv=3).fit(X, y, groups=groups)
    folds = [(np.arange(300), np.arange(300, len(y)))]
    with (
        pytest.warns(UserWarning, match="cuts queries"),
        pytest.raises(ValueError, match=r"'cv' parameter of Halving\w+SearchCV must keep queries whole"),
    ):
        make(scoring=NDCG, cv=folds).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=r"required by ndcg_scorer\(k=3\)"):
        make(scoring=NDCG).fit(X, y)
    with pytest.raises(ValueError, match=r"'scoring' parameter of Halving\w+SearchCV must be one scorer"):
        make(scoring=ranking_scorer(["ndcg", "map"]), cv=3).fit(X, y, groups=groups)


@pytest.mark.parametrize(
    "cv", [BalancedGroupKFold(3, shuffle=True), GroupShuffleSplit(3)], ids=["folds", "draws"]
)
def test_halving_by_a_parameter_uses_the_same_folds_throughout(cv, ranking_data):
    X, y, groups = ranking_data
    seen = []

    class Watches(RandomForestRegressor):
        def fit(self, X, y):
            seen.append(tuple(np.unique(X[:, -1])))
            return super().fit(X, y)

    resource = {"resource": "n_estimators", "max_resources": 4, "min_resources": 1, "factor": 2}
    search = HalvingGridSearchCV(
        Watches(max_depth=1), {"max_depth": [1, 2, 3]}, cv=cv, scoring=NDCG, **resource
    )
    search.fit(np.column_stack([X, groups]), y, groups=groups)
    assert len(set(seen)) == 3 + 1  # and all queries, at the end
