"""Races: who falls when, what is kept of it, and what is as in scikit-learn."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut, ParameterGrid
from sklearn.tree import DecisionTreeRegressor

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    ndcg_scorer,
    simplest,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import RacingGridSearchCV, RacingRandomSearchCV

TREE = DecisionTreeRegressor(random_state=0)
GRID = {"max_depth": [1, 2, 3, 4, 6, None], "min_samples_leaf": [1, 10]}
ADDED = {"n_folds", "fell", "fell_to"}


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=150, n_documents=(5, 15), n_features=5, shuffle=True, random_state=0)


def race(data, **options):
    X, y, groups = data
    return RacingGridSearchCV(TREE, GRID, **{"scoring": "ndcg@10", **options}).fit(X, y, groups=groups)


def grid_search(data, **options):
    X, y, groups = data
    return GridSearchCV(TREE, GRID, scoring="ndcg@10", keep_queries=True, **options).fit(X, y, groups=groups)


def replay(values, folds, level, min_folds):
    """Run a race slowly on values of queries, candidate by candidate; return when and to whom each falls."""
    n_candidates, n_folds = len(values), folds.max() + 1
    each_level = (1 - level) / ((n_candidates - 1) * (n_folds - min_folds + 1))
    alive, fell_to, n_run = list(range(n_candidates)), [-1] * n_candidates, [0] * n_candidates
    for n_done in range(1, n_folds + 1):
        for candidate in alive:
            n_run[candidate] = n_done
        if n_done < min_folds:
            continue
        means = np.array([[values[c][folds == f].mean() for f in range(n_done)] for c in alive])
        leader = alive[int(means.mean(axis=1).argmax())]
        means = np.array(list(dict.fromkeys(map(tuple, means))))  # candidates that are the same count once
        rows, columns = means.mean(axis=1, keepdims=True), means.mean(axis=0)
        df_folds = (n_done - 1) * (len(means) - 1)
        square = ((means - rows - columns + means.mean()) ** 2).sum() / df_folds
        inside = folds < n_done
        weights = np.concatenate([np.full((folds == f).sum(), 1 / (folds == f).sum()) for f in range(n_done)])
        weights /= n_done
        falling = []
        for candidate in alive:
            apart = values[leader][inside] - values[candidate][inside]
            mean = weights @ apart
            n = inside.sum()
            of_queries = n / (n - 1) * ((weights * (apart - mean)) ** 2).sum()
            bounds = [
                stats.t.isf(each_level, df) * np.sqrt(variance)
                for variance, df in [
                    (of_queries, 1 / (weights @ weights) - 1),
                    (2 * square / n_done, df_folds),
                ]
            ]
            if mean > max(bounds):
                falling.append(candidate)
        for candidate in falling:
            fell_to[candidate] = leader
        alive = [candidate for candidate in alive if candidate not in falling]
        if len(alive) == 1:
            break
    return n_run, fell_to


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("min_folds", [2, 4])
def test_who_falls_when_and_to_whom(level, min_folds, data):
    kept = grid_search(data).kept_queries_
    found = race(data, confidence_level=level, min_folds=min_folds)
    n_folds, fell_to = replay(kept.values, kept.folds, level, min_folds)
    assert found.cv_results_["n_folds"].tolist() == n_folds
    assert found.cv_results_["fell_to"].tolist() == fell_to
    assert found.cv_results_["fell"].tolist() == [place >= 0 for place in fell_to]
    assert any(place >= 0 for place in fell_to)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"return_train_score": True}, {"n_jobs": 2}], ids=str)
@pytest.mark.parametrize("level", [1, 0.95])
def test_where_nothing_falls_the_results_are_those_of_a_grid_search(options, level, data):
    X, y, groups = data
    grid = {"alpha": [1.0, 1.0 + 1e-9], "fit_intercept": [True]}
    searches = [
        kind(Ridge(), grid, scoring="ndcg@10", **options).fit(X, y, groups=groups)
        for kind in (GridSearchCV, RacingGridSearchCV)
    ]
    searches[1].set_params(confidence_level=level).fit(X, y, groups=groups)
    expected, found = (each.cv_results_ for each in searches)
    assert [name for name in found if name not in ADDED] == list(expected)
    assert set(found) - set(expected) == (ADDED if level < 1 else set())
    for name in expected:
        if "time" not in name:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
            assert type(found[name]) is type(expected[name])
            assert getattr(found[name], "dtype", None) == getattr(expected[name], "dtype", None)
    for name in ("best_index_", "best_params_", "best_score_", "n_splits_", "multimetric_"):
        assert getattr(searches[0], name) == getattr(searches[1], name)
    assert np.isfinite(found["mean_fit_time"]).all()
    assert searches[1].n_fits_ == 10


def test_what_was_not_run_is_nan_and_means_are_over_what_was(data):
    results = race(data).cv_results_
    scores = np.column_stack([results[f"split{fold}_test_score"] for fold in range(5)])
    for row, n_folds, mean, deviation in zip(
        scores, results["n_folds"], results["mean_test_score"], results["std_test_score"]
    ):
        assert np.isfinite(row[:n_folds]).all()
        assert np.isnan(row[n_folds:]).all()
        assert mean == np.average(row[:n_folds])
        assert deviation == pytest.approx(row[:n_folds].std())
    assert len(set(results["n_folds"])) > 1


def test_those_that_are_left_rank_before_those_that_fell_and_late_before_early(data):
    results = race(data).cv_results_
    keys = list(zip(results["fell"], -results["n_folds"], -results["mean_test_score"]))
    assert results["rank_test_score"].tolist() == [1 + sum(other < key for other in keys) for key in keys]


def test_the_best_is_the_best_of_those_that_are_left(data):
    found = race(data)
    results = found.cv_results_
    left = ~results["fell"]
    assert found.best_score_ == results["mean_test_score"][left].max()
    assert results["rank_test_score"][found.best_index_] == 1
    assert (
        found.best_params_
        == results["params"][found.best_index_]
        == list(ParameterGrid(GRID))[found.best_index_]
    )
    X, y, groups = data
    expected = clone(TREE).set_params(**found.best_params_).fit(X, y)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert found.score(X, y, groups=groups) == ndcg_scorer(k=10)(expected, X, y, groups=groups)


class Counting(DecisionTreeRegressor):
    """A tree that counts how often trees like it are fitted."""

    n_fits = 0

    def fit(self, X, y):
        Counting.n_fits += 1
        return super().fit(X, y)


def test_no_fit_is_made_that_is_not_counted(data):
    X, y, groups = data
    Counting.n_fits = 0
    search = RacingGridSearchCV(Counting(random_state=0), GRID, scoring="ndcg@10", refit=False)
    search.fit(X, y, groups=groups)
    assert search.n_fits_ == Counting.n_fits == search.cv_results_["n_folds"].sum() < 60
    n_fell = search.cv_results_["fell"].sum()
    assert search.race_.startswith(f"{search.n_fits_} of 60 fits: {n_fell} of 12 candidates fell, ")


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"keep_queries": True}, {"verbose": 1}], ids=str)
def test_the_race_is_the_same_however_it_is_run(options, data, capsys):
    expected, found = race(data), race(data, **options)
    for name, column in expected.cv_results_.items():
        if "time" not in name:
            np.testing.assert_array_equal(found.cv_results_[name], column)
    assert found.race_ == expected.race_


@pytest.mark.slow
def test_a_random_race_draws_the_candidates_of_a_random_search(data):
    X, y, groups = data
    options = {"n_iter": 6, "scoring": "map", "random_state": 3}
    values = {"max_depth": stats.randint(1, 30)}
    found, again, plain = (
        kind(TREE, values, **options).fit(X, y, groups=groups)
        for kind in (RacingRandomSearchCV, RacingRandomSearchCV, RandomizedSearchCV)
    )
    assert found.cv_results_["params"] == plain.cv_results_["params"]
    np.testing.assert_array_equal(found.cv_results_["fell_to"], again.cv_results_["fell_to"])


# ------------------------------------------------------------------ how a race ends


def test_a_race_ends_when_one_is_left(data):
    X, y, groups = data
    search = RacingGridSearchCV(Ridge(), {"alpha": [1, 1e9]}, scoring="r2").fit(X, y, groups=groups)
    assert search.n_splits_ < 5
    assert "1 is left" in search.race_
    assert search.race_.endswith("one is left. They were compared by the means of folds alone.")


def test_a_race_ends_when_those_that_are_left_are_equivalent(data):
    X, y, groups = data
    grid = {"alpha": [1.0, 1.01, 1.02]}
    search = RacingGridSearchCV(Ridge(), grid, scoring="ndcg@10", margin=0.05).fit(X, y, groups=groups)
    assert (search.n_splits_, search.n_fits_) == (2, 6)
    assert not search.cv_results_["fell"].any()
    assert "differ by less than 0.05" in search.race_


@pytest.mark.thorough
def test_repeats_deal_other_folds_while_more_than_one_is_left(data):
    found = race(data, n_repeats=2, random_state=0)
    results = found.cv_results_
    assert found.n_splits_ == 10
    assert not np.array_equal(
        np.sort([results[f"split{fold}_test_score"][3] for fold in range(5)]),
        np.sort([results[f"split{fold}_test_score"][3] for fold in range(5, 10)]),
    )
    once = race(data, confidence_level=1).cv_results_  # the first deal is that of `cv`
    for fold in range(2):
        np.testing.assert_array_equal(results[f"split{fold}_test_score"], once[f"split{fold}_test_score"])
    again = race(data, n_repeats=2, random_state=0).cv_results_
    np.testing.assert_array_equal(again["mean_test_score"], results["mean_test_score"])
    other = race(data, n_repeats=2, random_state=1).cv_results_
    assert not np.array_equal(other["mean_test_score"], results["mean_test_score"], equal_nan=True)


@pytest.mark.slow
def test_all_repeats_are_used_at_level_1(data):
    found = race(data, n_repeats=2, random_state=0, confidence_level=1)
    assert (found.n_splits_, found.n_fits_) == (10, 120)
    assert not found.cv_results_["fell"].any()


# ------------------------------------------------------------------ what a search offers, of a race


@pytest.mark.slow
def test_a_race_keeps_the_values_of_those_that_were_run(data):
    found, plain = race(data, keep_queries=True), grid_search(data)
    kept = found.kept_queries_
    assert kept.tested.sum(axis=1).tolist() == [
        (kept.folds < n_folds).sum() for n_folds in found.cv_results_["n_folds"]
    ]
    same = kept.tested
    np.testing.assert_array_equal(kept.values[same], plain.kept_queries_.values[same])
    left = np.flatnonzero(~found.cv_results_["fell"])
    assert set(found.contenders()) <= set(left)
    assert found.best_index_ in found.contenders()
    fell = int(np.flatnonzero(found.cv_results_["fell"])[0])
    assert found.report(fell).n_queries < found.report(found.best_index_).n_queries == 150


def test_a_corrected_score_of_a_race_says_what_it_leaves_out(data):
    found = race(data, keep_queries=True)
    corrected = found.corrected_score()
    n_fell = found.cv_results_["fell"].sum()
    assert (corrected.n_candidates, corrected.n_left_out) == (12 - n_fell, n_fell)
    assert f"at least this optimistic: {n_fell} candidates had left before" in str(corrected)


def test_the_simplest_of_a_race_is_one_of_those_that_are_left(data):
    found = race(data, refit=simplest("max_depth"))
    assert not found.cv_results_["fell"][found.best_index_]
    assert found.best_score_ == found.cv_results_["mean_test_score"][found.best_index_]
    assert found.best_estimator_.max_depth == found.best_params_["max_depth"]
    assert found.choice_.startswith(f"max_depth={found.best_params_['max_depth']}, ")
    assert not hasattr(found, "kept_queries_")


@pytest.mark.slow
def test_a_function_chooses_by_the_results_of_the_race(data):
    seen = []

    def last(results):
        seen.append(results)
        return len(results["params"]) - 1

    found = race(data, refit=last)
    assert found.best_index_ == 11
    assert found.best_params_ == list(ParameterGrid(GRID))[11]
    assert not hasattr(found, "best_score_")
    assert seen[0]["n_folds"].shape == (12,)
    with pytest.raises(TypeError, match="best_index_ returned is not an integer"):
        race(data, refit=lambda results: "3")
    with pytest.raises(IndexError, match="best_index_ index out of range"):
        race(data, refit=lambda results: 12)


@pytest.mark.slow
def test_without_refit_there_is_a_best_index_and_no_model(data):
    found = race(data, refit=False)
    assert found.best_index_ == race(data).best_index_
    assert not hasattr(found, "best_estimator_")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"scoring": ["map", "ndcg@10"], "refit": "ndcg@10"},
        {"scoring": ["map", "ndcg@10"], "refit": False, "keep_queries": "ndcg@10"},
        {"scoring": {"NDCG": ndcg_scorer(k=10), "r2": "r2"}, "refit": "NDCG"},
    ],
    ids=str,
)
def test_one_of_several_metrics_decides(options, data):
    expected, found = race(data), race(data, **options)
    np.testing.assert_array_equal(found.cv_results_["fell_to"], expected.cv_results_["fell_to"])
    assert sum(name.startswith("rank_test_") for name in found.cv_results_) == 2


def test_a_race_inside_cross_validation_and_with_routing(data, routing):
    X, y, groups = data
    search = RacingGridSearchCV(TREE, {"max_depth": [1, 3]}, scoring="ndcg@10", cv=3)
    scores = cross_val_score(search, X, y, groups=groups, scoring="ndcg@10", cv=3)
    assert np.isfinite(scores).all()


def test_copies_and_pictures(data):
    found = race(data, keep_queries=True)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.contenders(), found.contenders())
    assert clone(found).get_params()["confidence_level"] == 0.95
    assert "RacingGridSearchCV" in repr(found)
    assert "RacingGridSearchCV" in found._repr_html_()


# ------------------------------------------------------------------ what fails


class Failing(DecisionTreeRegressor):
    """A tree that fails for one depth."""

    def fit(self, X, y):
        if self.max_depth == 3:
            raise ValueError("no such depth")
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test")
@pytest.mark.parametrize("error_score", [np.nan, 0.0, 2.0])
def test_a_candidate_that_fails_falls_at_once(error_score, data):
    X, y, groups = data
    search = RacingGridSearchCV(
        Failing(random_state=0), {"max_depth": [2, 3, 4]}, scoring="ndcg@10", error_score=error_score
    ).fit(X, y, groups=groups)
    assert search.cv_results_["n_folds"][1] == 1
    assert search.cv_results_["fell"][1]
    assert search.cv_results_["fell_to"][1] == -1
    np.testing.assert_array_equal(search.cv_results_["split0_test_score"][1], error_score)
    assert search.best_index_ != 1


def test_a_candidate_that_fails_raises_if_asked_to(data):
    X, y, groups = data
    search = RacingGridSearchCV(Failing(), {"max_depth": [2, 3]}, scoring="ndcg@10", error_score="raise")
    with pytest.raises(ValueError, match="no such depth"):
        search.fit(X, y, groups=groups)


BAD = [
    ({"confidence_level": 95}, "confidence_level.*RacingGridSearchCV must be.*95"),
    ({"confidence_level": 0}, "confidence_level.*RacingGridSearchCV must be.*0"),
    ({"min_folds": 1}, "min_folds.*RacingGridSearchCV must be an int >= 2"),
    ({"min_folds": 6}, "min_folds.*RacingGridSearchCV must be at most the number of folds, 5"),
    ({"cv": [(np.arange(100), np.arange(100, 200))]}, "min_folds.*must be at most the number of folds, 1"),
    ({"margin": 0}, "margin.*RacingGridSearchCV must be a difference > 0, or None"),
    ({"n_repeats": 0}, "n_repeats.*RacingGridSearchCV must be an int >= 1"),
    ({"random_state": "a"}, "random_state.*RacingGridSearchCV"),
    ({"n_repeats": 2, "cv": LeaveOneGroupOut()}, "n_repeats.*must be 1 where cv has no random_state"),
    (
        {"scoring": ["map", "mrr"], "refit": False},
        "keep_queries.*must name the metric that decides, 'map' or 'mrr'",
    ),
]


@pytest.mark.filterwarnings("ignore:.*cuts queries")
@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_bad_arguments(options, message, data):
    with pytest.raises(ValueError, match=f"The '{message}"):
        race(data, **options)


def test_a_splitter_with_a_seed_is_not_changed_by_repeats(data):
    cv = BalancedGroupKFold(3)
    race(data, cv=cv, n_repeats=2, random_state=0)
    assert (cv.shuffle, cv.random_state) == (False, None)


def test_three_queries_decide_nothing():
    X, y, groups = make_ranking(n_queries=3, n_documents=20, random_state=0)
    search = RacingGridSearchCV(TREE, GRID, scoring="ndcg@10", cv=3).fit(X, y, groups=groups)
    assert not search.cv_results_["fell"].any()
    assert search.n_fits_ == 36


class Constant(BaseEstimator):
    """A model that predicts a constant times the first feature."""

    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.sign * X[:, 0]


def test_queries_without_a_value_count_for_nothing(data):
    X, y, groups = data
    labels = np.where(groups % 10 == 0, y, 0)  # nine of ten queries have nothing to find
    scorer = ndcg_scorer(k=10, zero_division=np.nan)
    search = RacingGridSearchCV(Constant(), {"sign": [1, -1, 0]}, scoring=scorer, keep_queries=True, cv=3)
    search.fit(X, labels, groups=groups)
    assert search.report(0).n_defined["ndcg@10"] == 15
    assert np.isfinite(search.best_score_)
