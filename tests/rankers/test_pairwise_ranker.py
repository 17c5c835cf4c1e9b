"""`PairwiseRanker`: its pairs, their weights, and its scores of documents."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_rank import GridSearchCV, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.metrics import kendall_tau_score
from sklearn_rank.rankers import PairwiseRanker

LINEAR = [LogisticRegression(), LinearSVC(random_state=0), Ridge()]


class Remembers(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what it was given."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.X_, self.y_, self.sample_weight_ = X, y, sample_weight
        return self

    def decision_function(self, X):
        return X[:, 0]


def pairs_of(X, y, groups=None, sample_weight=None, **options):
    """Return the pairs that a ranker learns from, better minus worse, and their weights."""
    fit = (
        PairwiseRanker(Remembers(), **options)
        .fit(X, y, groups=groups, sample_weight=sample_weight)
        .estimator_
    )
    n_pairs = len(fit.X_) // 2
    np.testing.assert_array_equal(fit.X_[n_pairs:], -fit.X_[:n_pairs])
    np.testing.assert_array_equal(fit.y_, np.repeat([1, 0], n_pairs))
    np.testing.assert_array_equal(fit.sample_weight_[n_pairs:], fit.sample_weight_[:n_pairs])
    return fit.X_[:n_pairs], 2 * fit.sample_weight_[:n_pairs]


def one_query(X):
    return np.zeros(X.shape[0] if sparse.issparse(X) else len(np.asarray(X)))


class OfOneQuery(PairwiseRanker):
    """It takes all rows as one query, because scikit-learn's checks pass no ids."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, groups=one_query(X), sample_weight=sample_weight)

    def score(self, X, y):
        return super().score(X, y, groups=one_query(X))


@pytest.mark.slow
@parametrize_with_checks([OfOneQuery(estimator) for estimator in LINEAR])
def test_pairwise_ranker_passes_estimator_checks(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ pairs


def test_pairwise_ranker_pairs_different_labels_of_a_query(ranking_data):
    X, y, groups = ranking_data
    expected = []
    for i, j in combinations(range(len(y)), 2):
        if groups[i] == groups[j] and y[i] != y[j]:
            expected.append(X[i] - X[j] if y[i] > y[j] else X[j] - X[i])
    got, _ = pairs_of(X, y, groups, max_pairs=None)
    np.testing.assert_array_equal(np.sort(got, axis=0), np.sort(expected, axis=0))


def test_pairs_of_a_query_share_the_weight_of_its_rows():
    X, y = np.arange(7.0)[:, None], np.array([1, 0, 0, 2, 1, 0, 0])
    got, weights = pairs_of(X, y, groups=[1, 1, 1, 2, 2, 2, 2])
    assert got.ravel().tolist() == [-1, -2, -1, -2, -2, -3, -1]
    np.testing.assert_allclose(weights, [3 / 2] * 2 + [4 / 5] * 5)


def test_pair_weight_is_the_product_of_document_weights():
    X, y = np.arange(4.0)[:, None], [1, 0, 0, 0]
    got, weights = pairs_of(X, y, groups=[7] * 4, sample_weight=[2, 1, 3, 0])
    assert got.ravel().tolist() == [-1, -2]
    np.testing.assert_allclose(weights, [6 * 2 / 8, 6 * 6 / 8])


def test_query_of_weight_two_equals_the_query_twice(ranking_data):
    X, y, groups = ranking_data
    heavy = groups % 2 == 0
    twice = PairwiseRanker(LogisticRegression(), max_pairs=None)
    twice.fit(np.vstack([X, X[heavy]]), np.append(y, y[heavy]), groups=np.append(groups, -1 - groups[heavy]))
    weighed = clone(twice).fit(X, y, groups=groups, sample_weight=1.0 + heavy)
    np.testing.assert_allclose(weighed.coef_, twice.coef_, rtol=1e-4)


@pytest.mark.parametrize("max_pairs", [1, 7, 20])
def test_max_pairs_limits_the_pairs_of_each_query(max_pairs, ranking_data):
    X, y, groups = ranking_data
    everything = {tuple(pair) for pair in pairs_of(X, y, groups, max_pairs=None)[0]}
    drawn, weights = pairs_of(X, y, groups, max_pairs=max_pairs, random_state=0)
    assert {tuple(pair) for pair in drawn} <= everything
    assert len({tuple(pair) for pair in drawn}) == len(drawn)
    with_pairs = {group for group in groups if len(set(y[groups == group])) > 1}
    expected = 0
    for group in with_pairs:
        counts = np.unique(y[groups == group], return_counts=True)[1]
        expected += min(max_pairs, (counts.sum() ** 2 - (counts**2).sum()) // 2)
    assert len(drawn) == expected
    np.testing.assert_allclose(weights.sum(), np.isin(groups, list(with_pairs)).sum())


@pytest.mark.slow
def test_max_pairs_draws_pairs_with_equal_probability():
    X, y = 2.0 ** np.arange(5)[:, None], [2, 1, 1, 0, 0]
    everything = pairs_of(X, y, groups=[7] * 5)[0].ravel()
    drawn = [pairs_of(X, y, groups=[7] * 5, max_pairs=2, random_state=i)[0].ravel() for i in range(800)]
    shares = [np.mean([pair in some for some in drawn]) for pair in everything]
    np.testing.assert_allclose(shares, 2 / len(everything), atol=5 * np.sqrt(0.25 * 0.75 / 800))


def test_max_pairs_limits_a_query_of_ten_thousand_documents():
    X = np.random.default_rng(0).standard_normal((10_000, 2))
    got, weights = pairs_of(X, (X[:, 0] > 0).astype(int), np.zeros(10_000), random_state=0)
    assert got.shape == (500, 2)
    np.testing.assert_allclose(weights.sum(), 10_000)


def test_pairwise_ranker_fit_excludes_unjudged_rows(ranking_data):
    X, y, groups = ranking_data
    judged = np.random.default_rng(0).random(len(y)) < 0.8
    ranker = PairwiseRanker(LogisticRegression(), max_pairs=None)
    got = ranker.fit(X, np.where(judged, y, np.nan), groups=groups).predict(X)
    np.testing.assert_array_equal(
        got, clone(ranker).fit(X[judged], y[judged], groups=groups[judged]).predict(X)
    )


# ------------------------------------------------------------------ models of pairs


@pytest.mark.parametrize("estimator", LINEAR, ids=lambda estimator: type(estimator).__name__)
def test_linear_models_rank_by_their_coefficients(estimator, ranking_data):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(estimator, random_state=0).fit(X, y, groups=groups)
    scores = X @ ranker.coef_.ravel()
    assert kendall_tau_score(scores - scores.min(), ranker.predict(X), groups=groups) == pytest.approx(1)
    by_sparse = clone(ranker).fit(sparse.csr_array(X), y, groups=groups)
    np.testing.assert_allclose(by_sparse.coef_, ranker.coef_, rtol=0.02, atol=1e-3)
    shift = by_sparse.predict(sparse.csr_array(X)) - by_sparse.predict(sparse.csr_array(X[:1]))
    np.testing.assert_allclose(shift, (X - X[0]) @ by_sparse.coef_.ravel(), atol=1e-9)


def test_regressors_learn_differences_of_labels(ranking_data):
    X, y, groups = ranking_data
    order = np.argsort(groups, kind="stable")
    rows = [(i, j) for i, j in combinations(order, 2) if groups[i] == groups[j] and y[i] != y[j]]
    i, j = np.array(rows).T
    n_pairs = {group: (groups[i] == group).sum() for group in np.unique(groups)}
    weights = [(groups == group).sum() / n_pairs[group] for group in groups[i]]
    expected = Ridge(fit_intercept=False).fit(X[i] - X[j], y[i] - y[j], weights)
    ranker = PairwiseRanker(Ridge(), max_pairs=None).fit(X, y, groups=groups)
    np.testing.assert_allclose(ranker.coef_, expected.coef_)
    assert ranker.estimator_.intercept_ == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [*LINEAR, HistGradientBoostingClassifier(max_iter=20), RandomForestClassifier(20, random_state=0)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_pairwise_ranker_beats_chance_with_any_model(estimator, routing, ranking_data):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(estimator, random_state=0)
    scores = cross_val_score(ranker, X, y, scoring=ndcg_scorer(k=5), groups=groups, cv=3, error_score="raise")
    chance = ndcg_score(y, np.zeros(len(y)), groups=groups, k=5)
    assert scores.mean() > chance + 0.1


def test_pairs_weigh_the_same_for_models_without_weights(ranking_data):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(KNeighborsClassifier(), random_state=0).fit(X, y, groups=groups)
    np.testing.assert_array_equal(
        ranker.predict(X), ranker.estimator_.predict_proba(X - ranker.center_)[:, 1]
    )
    with pytest.raises(ValueError, match=r"'sample_weight' .* PairwiseRanker\.fit must be None, because KN"):
        ranker.fit(X, y, groups=groups, sample_weight=np.ones(len(y)))


@pytest.mark.slow
def test_pairwise_ranker_accepts_nan_features_if_its_model_does(ranking_data):
    X, y, groups = ranking_data
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    ranker = PairwiseRanker(HistGradientBoostingClassifier(max_iter=30), random_state=0)
    complete = clone(ranker).fit(X, y, groups=groups).score(X, y, groups=groups)
    assert ranker.fit(holes, y, groups=groups).score(holes, y, groups=groups) > complete - 0.1
    np.testing.assert_allclose(ranker.center_, np.nanmean(holes, axis=0))
    with pytest.raises(ValueError, match="NaN"):
        PairwiseRanker(Ridge()).fit(holes, y, groups=groups)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, bool, np.float32])
def test_differences_of_small_dtypes_do_not_overflow(dtype, ranking_data):
    X, y, groups = ranking_data
    small = np.clip(X * 20 + 100, 0, 255).astype(dtype) if dtype is not bool else X > 0
    exact = Ridge(solver="cholesky", fit_intercept=False)  # for sparse features too
    ranker = PairwiseRanker(exact, random_state=0)
    expected = clone(ranker).fit(small.astype(np.float64), y, groups=groups).predict(small)
    for data in (small, sparse.csr_matrix(small.astype(np.int32).astype(np.uint8))):
        got = clone(ranker).fit(data, y, groups=groups).predict(data)
        shift = expected[0] - got[0]
        np.testing.assert_allclose(got + shift, expected, atol=1e-4 if dtype is np.float32 else 1e-9)
        if dtype is np.float32:
            break


def test_sparse_features_rank_as_dense_features(ranking_data):
    X, y, groups = ranking_data
    moved = X + 5
    ranker = PairwiseRanker(SVC(), random_state=0, max_pairs=30).fit(moved, y, groups=groups)
    again = clone(ranker).fit(sparse.csr_array(moved), y, groups=groups)
    np.testing.assert_allclose(again.predict(sparse.csr_array(moved)), ranker.predict(moved), atol=1e-6)


def test_naive_bayes_gives_distinct_scores_to_certain_documents():
    rng = np.random.default_rng(0)
    groups, y = np.arange(600) // 20, rng.integers(0, 5, 600)
    X = rng.standard_normal((600, 300)) + 0.5 * y[:, None]
    ranker = PairwiseRanker(GaussianNB(), random_state=0, max_pairs=50).fit(X, y, groups=groups)
    assert len(np.unique(ranker.predict(X))) == 600
    assert ranker.score(X, y, groups=groups) > 0.99


def test_classifiers_get_the_labels_one_and_zero(ranking_data):
    xgboost = pytest.importorskip("xgboost")
    X, y, groups = ranking_data
    ranker = PairwiseRanker(xgboost.XGBClassifier(n_estimators=5), random_state=0).fit(X, y, groups=groups)
    assert ranker.score(X, y, groups=groups) > 0.7


def test_pairwise_ranker_rejects_classifiers_without_probabilities(ranking_data):
    X, y, groups = ranking_data
    vote = VotingClassifier([("one", LogisticRegression()), ("other", GaussianNB())])
    with pytest.raises(
        ValueError, match=r"'estimator' parameter of PairwiseRanker must have a method decision_f"
    ):
        PairwiseRanker(vote, random_state=0).fit(X, y, groups=groups)


def test_pairwise_ranker_has_coef_or_feature_importances(ranking_data):
    X, y, groups = ranking_data
    noise = np.random.default_rng(0).standard_normal((len(y), 3))
    selector = RFE(PairwiseRanker(Ridge(), random_state=0), n_features_to_select=1)
    assert selector.fit(np.hstack([noise, X]), y, groups=groups).ranking_[:3].min() > 2
    trees = PairwiseRanker(RandomForestClassifier(5, random_state=0), random_state=0).fit(X, y, groups=groups)
    assert trees.feature_importances_.shape == (X.shape[1],)
    assert not hasattr(trees, "coef_")


@pytest.mark.parametrize("method", ["fit", "score"])
def test_pairwise_ranker_raises_when_ids_are_missing(ranking_data, method):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(Ridge(), random_state=0).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=rf"parameter of PairwiseRanker\.{method} must contain the query id"):
        getattr(ranker, method)(X, y)


def test_pairwise_ranker_raises_after_a_search_when_ids_are_missing(ranking_data):
    X, y, groups = ranking_data
    search = GridSearchCV(PairwiseRanker(Ridge(), random_state=0), {}, scoring="ndcg@3", cv=2)
    best = search.fit(X, y, groups=groups).best_estimator_
    with pytest.raises(ValueError, match=r"parameter of PairwiseRanker\.score must contain the query id"):
        best.score(X, y)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ({"y": [1, 1, 1, 0, 0, 0]}, {}, r"'y' .* PairwiseRanker\.fit must contain different labels"),
        ({"sample_weight": [1, 0, 0, 0, 1, 0]}, {}, r"'y' .* must contain different labels"),
        ({"sample_weight": [1, 2]}, {}, r"'sample_weight' parameter of PairwiseRanker\.fit must have one"),
        ({"groups": [1, 2]}, {}, r"'groups' parameter of PairwiseRanker\.fit must have one id per row"),
        ({"groups": "qid"}, {}, r"'groups' parameter of PairwiseRanker\.fit must name an index level"),
        ({}, {"max_pairs": 0}, r"'max_pairs' parameter of PairwiseRanker must be an int >= 1\. Got 0"),
        ({}, {"max_pairs": 2.5}, r"'max_pairs' parameter of PairwiseRanker must be an int >= 1\. Got 2\.5"),
    ],
    ids=["one label", "one label weighs", "short weights", "short ids", "no such name", "none", "half"],
)
def test_pairwise_ranker_fit_rejects_bad_input(given, options, message):
    data = {"y": [1, 0, 1, 0, 1, 0], "groups": [1, 1, 1, 2, 2, 2]} | given
    with pytest.raises(ValueError, match=message):
        PairwiseRanker(Ridge(), **options).fit(np.eye(6), **data)


@pytest.mark.parametrize("estimator", [LogisticRegression, "ridge", None], ids=["class", "name", "none"])
def test_pairwise_ranker_fit_rejects_an_estimator_that_is_not_a_model(estimator):
    with pytest.raises(ValueError, match=r"'estimator' parameter of PairwiseRanker must be a classifier or"):
        PairwiseRanker(estimator).fit(np.eye(2), [0, 1], groups=[1, 1])


ROWS = {"X": np.arange(6.0)[:, None], "y": [1, 0, 2, 0, 1, 0], "groups": [0, 0, 1, 1, 2, 2]}


# ------------------------------------------------------------------ labels, seeds and large features


@pytest.mark.parametrize(
    ("change", "parameter", "rule"),
    [
        ({"y": [1, 0, "high", 0, 1, 0]}, "y", "contain numbers, or NaN for unjudged documents"),
        ({"y": [1, 0, 10**400, 0, 1, 0]}, "y", "contain numbers, or NaN for unjudged documents"),
        (
            {"y": np.ma.array([1, 0, 2, 0, 1, {}], dtype=object)},
            "y",
            "contain numbers, or NaN for unjudged documents",
        ),
        ({"random_state": "seed"}, "random_state", "be None, an int from 0"),
        ({"random_state": -1}, "random_state", "be None, an int from 0"),
        ({"max_pairs": 0}, "max_pairs", "be an int >= 1"),
    ],
    ids=["a word", "an integer beyond floats", "an object", "a word as seed", "a negative seed", "no pairs"],
)
def test_pairwise_ranker_fit_rejects_bad_labels_seeds_and_max_pairs(change, parameter, rule):
    given = ROWS | change
    options = {name: given.pop(name) for name in ("random_state", "max_pairs") if name in given}
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of PairwiseRanker(\.fit)? must {rule}"):
        PairwiseRanker(LogisticRegression(), **options).fit(**given)


def test_center_of_large_features_does_not_overflow():
    X = np.array([[1e308], [1.2e308], [1e308], [1.2e308]])
    model = PairwiseRanker(DummyRegressor()).fit(X, [0, 1, 0, 1], groups=[0, 0, 1, 1])
    np.testing.assert_allclose(model.center_, [1.1e308])
