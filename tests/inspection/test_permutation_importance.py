"""Permutation importance of features, with permutations that respect queries."""

import numpy as np
import pytest
import sklearn
import sklearn.inspection
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import ndcg_score, ndcg_scorer, permutation_importance, ranking_scorer
from sklearn_rank.metrics import RankingScorer

NDCG = ndcg_scorer(k=3)


@pytest.fixture
def fitted(ranking_data):
    """A model of features of which the first two are noise, and these."""
    X, y, groups = ranking_data
    X = np.hstack([np.random.default_rng(0).standard_normal((len(y), 2)), X])
    return RandomForestRegressor(10, random_state=0).fit(X, y), X, y, groups


@pytest.mark.slow
@pytest.mark.parametrize("within_groups", [False, True])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_permutation_importance_is_high_for_used_features(within_groups, n_jobs, routing, fitted):
    model, X, y, groups = fitted
    options = {"scoring": NDCG, "within_groups": within_groups, "n_jobs": n_jobs, "random_state": 0}
    result = permutation_importance(model, X, y, groups=groups, **options)
    assert result.importances.shape == (7, 5)
    np.testing.assert_array_equal(result.importances_mean, result.importances.mean(axis=1))
    np.testing.assert_array_equal(result.importances_std, result.importances.std(axis=1))
    assert result.importances_mean.argmax() >= 2
    assert result.importances_mean.max() > 0.05
    again = permutation_importance(model, X, y, groups=groups, **options | {"n_jobs": None})
    np.testing.assert_array_equal(again.importances, result.importances)


def test_permutation_importance_of_one_feature_is_the_loss_to_chance(ranking_data):
    """With one feature and a linear model, the scores are the feature's values in another order."""
    X, y, groups = ranking_data
    model = Ridge().fit(X[:, :1], y)
    result = permutation_importance(
        model, X[:, :1], y, groups=groups, scoring=NDCG, n_repeats=300, random_state=0
    )
    chance = ndcg_score(y, np.zeros(len(y)), groups=groups, k=3)
    expected = ndcg_score(y, model.predict(X[:, :1]), groups=groups, k=3) - chance
    error = result.importances_std[0] / np.sqrt(300)
    assert abs(result.importances_mean[0] - expected) < 4 * error


def test_permutation_importance_within_groups_is_0_for_query_features(ranking_data):
    _, y, groups = ranking_data
    rng = np.random.default_rng(0)
    X = np.column_stack([groups % 7, rng.standard_normal(len(y))])
    model = RandomForestRegressor(10, random_state=0).fit(X, y)
    options = {"groups": groups, "scoring": NDCG, "random_state": 0}
    within = permutation_importance(model, X, y, within_groups=True, **options).importances
    assert (within[0] == 0).all()
    assert (within[1] != 0).all()
    assert (permutation_importance(model, X, y, **options).importances[0] != 0).any()


@pytest.mark.slow
def test_permutation_importance_matches_scikit_learn_with_ids_in_x(fitted):
    pandas = pytest.importorskip("pandas")
    _, X, y, groups = fitted
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid")).add_prefix("x")
    model = Ridge().fit(frame, y)
    options = {"scoring": ndcg_scorer(k=3, groups="qid"), "n_repeats": 100, "random_state": 0}
    ours = permutation_importance(model, frame, y, **options)
    other = sklearn.inspection.permutation_importance(model, frame, y, **options)
    spread = np.hypot(ours.importances_std, other.importances_std) / 10
    assert (abs(ours.importances_mean - other.importances_mean) < 4 * spread + 1e-12).all()
    by_array = permutation_importance(
        clone(model).fit(X, y), X, y, groups=groups, **options | {"scoring": NDCG}
    )
    np.testing.assert_allclose(by_array.importances, ours.importances, atol=1e-12)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_permutation_importance_keeps_columns_of_frames(kind, fitted):
    library = pytest.importorskip(kind)
    _, X, y, groups = fitted
    frame = library.DataFrame({f"x{i}": column for i, column in enumerate(X.T)})
    given = frame.clone() if kind == "polars" else frame.copy()
    model = make_pipeline(StandardScaler(), Ridge()).fit(frame, y)
    options = {"groups": groups, "scoring": NDCG, "random_state": 0}
    got = permutation_importance(model, frame, y, **options)
    plain = permutation_importance(clone(model).fit(X, y), X, y, **options)
    np.testing.assert_allclose(got.importances, plain.importances, atol=1e-12)
    assert frame.equals(given)


def test_permutation_importance_samples_whole_queries(ranking_data):
    X, y, groups = ranking_data
    seen = []

    def watching(estimator, X, y, groups):
        seen.append(np.unique(groups, return_counts=True))
        return 0.0

    model, n_rows = Ridge().fit(X, y), dict(zip(*np.unique(groups, return_counts=True)))
    for max_samples, n_queries in ((7, 7), (0.5, 30), (1.0, 60)):
        seen.clear()
        permutation_importance(model, X, y, groups=groups, scoring=watching, max_samples=max_samples)
        for ids, counts in seen:
            assert len(ids) == n_queries
            assert [n_rows[i] for i in ids] == counts.tolist()


def test_permutation_importance_returns_a_result_per_metric(fitted):
    model, X, y, groups = fitted
    options = {"groups": groups, "n_repeats": 2, "random_state": 0}
    by_scorer = permutation_importance(model, X, y, scoring=ranking_scorer(["map", "mrr"]), **options)
    by_names = permutation_importance(model, X, y, scoring=["map", "mrr"], **options)
    for name in ("map", "mrr"):
        single = permutation_importance(model, X, y, scoring=name, **options).importances
        np.testing.assert_array_equal(by_scorer[name].importances, single)
        np.testing.assert_array_equal(by_names[name].importances, single)
    assert set(by_scorer) == set(by_names) == {"map", "mrr"}


@pytest.mark.parametrize(
    "scoring",
    [make_scorer(ndcg_score), "r2", None, lambda model, X, y, groups: NDCG(model, X, y, groups=groups)],
    ids=["make_scorer", "of scikit-learn", "own", "function"],
)
def test_permutation_importance_accepts_any_scorer(scoring, routing, fitted):
    model, X, y, groups = fitted
    result = permutation_importance(model, X, y, groups=groups, scoring=scoring, random_state=0)
    assert result.importances_mean.argmax() >= 2


def test_permutation_importance_passes_ids_to_the_model_score(with_ids, ranking_data, routing):
    (model, X), (_, y, groups) = with_ids, ranking_data
    if routing:
        model.set_fit_request(groups=True).set_score_request(groups=True)
    fitted = model.fit(X, y, groups=groups)
    with pytest.raises(AssertionError):  # the ids in X are permuted too
        permutation_importance(fitted, X, y, groups=groups)


def test_permutation_importance_passes_weights_to_the_scorer(fitted):
    model, X, y, groups = fitted
    options = {"groups": groups, "scoring": NDCG, "random_state": 0}
    heavy = groups % 2 == 0
    only = permutation_importance(model, X, y, sample_weight=heavy.astype(float), **options)
    assert not np.array_equal(only.importances, permutation_importance(model, X, y, **options).importances)
    labels = np.where(heavy, y, 0)  # labels of queries with weight 0 do not count
    same = permutation_importance(model, X, labels, sample_weight=heavy.astype(float), **options)
    np.testing.assert_array_equal(only.importances, same.importances)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"n_repeats": 0}, "n_repeats"),
        ({"max_samples": 0}, "max_samples"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"max_samples": 61}, "max_samples"),
        ({"within_groups": "yes"}, "within_groups"),
        ({"groups": None}, "groups"),
        ({"groups": [1, 2]}, "groups"),
    ],
    ids=["no repeat", "no query", "share", "too many", "no bool", "no ids", "short ids"],
)
def test_permutation_importance_rejects_invalid_input(options, parameter, fitted):
    model, X, y, groups = fitted
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of permutation_importance must"):
        permutation_importance(model, X, y, **{"groups": groups, "scoring": NDCG} | options)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_permutation_importance_permutes_sparse_features(kind, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "random_state": 0}
    dense = permutation_importance(Ridge().fit(X, y), X, y, **options).importances
    got = permutation_importance(Ridge().fit(X, y), kind(X), y, **options).importances
    np.testing.assert_allclose(got, dense, atol=1e-12)


# ------------------------------------------------------------------ comparison with scikit-learn


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("scoring", [None, "r2", ["r2", "neg_mean_squared_error"]], ids=str)
@pytest.mark.parametrize("model", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=["alone", "steps"])
def test_permutation_importance_without_ids_equals_scikit_learn(
    model, scoring, weighted, ranking_data, weights
):
    X, y, _ = ranking_data
    fitted = model.fit(X, y)
    options = {"scoring": scoring, "random_state": 0, "n_repeats": 2, "max_samples": 0.5}
    options |= {"sample_weight": weights} if weighted else {}
    got = permutation_importance(fitted, X, y, **options)
    expected = sklearn.inspection.permutation_importance(fitted, X, y, **options)
    for ours, other in (
        [(got[name], expected[name]) for name in scoring] if isinstance(scoring, list) else [(got, expected)]
    ):
        np.testing.assert_array_equal(ours.importances, other.importances)


class ByKeyword(RegressorMixin, BaseEstimator):
    """A model whose own score takes weights."""

    def fit(self, X, y):
        self.n_ = len(y)
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("model", [Ridge(), RidgeCV(), ByKeyword()], ids=repr)
def test_permutation_importance_passes_weights_to_the_model_score(model, ranking_data, weights):
    X, y, groups = ranking_data
    fitted = model.fit(X, y)
    options = {"random_state": 0, "n_repeats": 1, "sample_weight": weights}
    got = permutation_importance(fitted, X, y, groups=groups, **options).importances
    expected = permutation_importance(fitted, X, y, groups=groups, scoring="r2", **options).importances
    np.testing.assert_allclose(got, expected, atol=1e-12)
    base = fitted.score(X, y, sample_weight=weights)
    assert base != fitted.score(X, y)


# ------------------------------------------------------------------ rows that are prepared once


def test_permutation_importance_rejects_predictions_in_another_order(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data

    class Reversed(Ridge):
        def predict(self, X):
            return pandas.Series(super().predict(X), index=range(len(X))[::-1])

    model = Reversed().fit(X, y)
    with pytest.raises(ValueError, match="must have its rows in the same order as 'y_true'"):
        permutation_importance(model, X, pandas.Series(y), groups=groups, scoring="ndcg@5")


def test_permutation_importance_calls_subclasses_of_scorers(ranking_data):
    X, y, groups = ranking_data

    class Doubled(RankingScorer):
        def __call__(self, *rows, **metadata):
            return 2 * super().__call__(*rows, **metadata)

    model, options = Ridge().fit(X, y), {"groups": groups, "n_repeats": 2, "random_state": 0}
    once, twice = (
        permutation_importance(model, X, y, scoring=kind("map"), **options).importances
        for kind in (RankingScorer, Doubled)
    )
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-12)
