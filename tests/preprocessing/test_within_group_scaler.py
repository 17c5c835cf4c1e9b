"""`WithinGroupScaler`: values, sources of ids, and estimator checks of scikit-learn."""

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as theirs
from scipy.stats import rankdata
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
)
from sklearn_rank.preprocessing import WithinGroupScaler

METHODS = ["standard", "rank"]
NDCG = ndcg_scorer(k=3)


def scale_by_hand(X, groups, method):
    """Scale each query by scikit-learn and scipy."""
    scaled = np.empty_like(X)
    for group in np.unique(groups):
        rows = groups == group
        if method == "standard":
            scaled[rows] = StandardScaler().fit_transform(X[rows])
        else:
            n_others = np.maximum((~np.isnan(X[rows])).sum(axis=0) - 1, 0)
            ranks = rankdata(X[rows], axis=0, nan_policy="omit") - 1
            alone = np.where(np.isnan(X[rows]), np.nan, 0.5)
            scaled[rows] = np.where(n_others > 0, ranks / np.maximum(n_others, 1), alone)
    return scaled


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("method", "column", "expected"),
    [
        ("standard", [1, 3, 10, 40], [-1, 1, -1, 1]),
        ("standard", [5, 5, 0, 0], [0, 0, 0, 0]),
        ("standard", [0.1, 0.1, 7, np.nan], [0, 0, 0, np.nan]),
        ("standard", [1e200, -1e200, 1e-200, 3e-200], [1, -1, -1, 1]),
        ("standard", [1.5e308, -1.5e308, 1e308, 1.7e308], [1, -1, -1, 1]),
        ("standard", [1.5e308, -1.5e308, 5e-324, 1.5e-323], [1, -1, -1, 1]),
        ("rank", [1, 3, 10, 4], [0, 1, 1, 0]),
        ("rank", [5, 5, -1, 2], [0.5, 0.5, 0, 1]),
        ("rank", [np.nan, 3, 2, 9], [np.nan, 0.5, 0, 1]),
    ],
)
def test_scaled_values_equal_values_by_hand(method, column, expected):
    X = np.array(column, dtype=float)[:, None]
    got = WithinGroupScaler(method).fit_transform(X, groups=["a", "a", "b", "b"])
    np.testing.assert_allclose(got.ravel(), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", METHODS)
def test_scaler_scales_each_query_separately(method, dtype, ranking_data):
    X, _, groups = ranking_data
    X = X.round(1).astype(dtype)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    got = WithinGroupScaler(method).fit_transform(X, groups=groups)
    assert got.dtype == dtype
    expected = scale_by_hand(X.astype(np.float64), groups, method)
    np.testing.assert_allclose(got, expected, atol=1e-5 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_scaled_values_do_not_depend_on_row_order_or_id_names(method, ranking_data):
    X, _, groups = ranking_data
    order = np.random.default_rng(0).permutation(len(X))
    scaler = WithinGroupScaler(method)
    expected = scaler.fit_transform(X, groups=groups)
    names = [f"q{id:03d}" for id in groups[order]]
    np.testing.assert_allclose(scaler.fit_transform(X[order], groups=names), expected[order], atol=1e-12)


# ------------------------------------------------------------------ in scikit-learn


def by_hand(X, y, groups, folds):
    """Return the score of each fold, and all predictions, of a ridge on scaled features."""
    scores, predicted = [], np.empty(len(y))
    for train, test in folds:
        model = Ridge().fit(scale_by_hand(X[train], groups[train], "standard"), y[train])
        predicted[test] = model.predict(scale_by_hand(X[test], groups[test], "standard"))
        scores.append(ndcg_score(y[test], predicted[test], groups=groups[test], k=3))
    return scores, predicted


def test_scaler_in_a_pipeline_gets_ids_in_fit_and_predict(ranking_data, folds, routing):
    X, y, groups = ranking_data
    scores, predicted = by_hand(X, y, groups, folds)
    model, ids = make_pipeline(WithinGroupScaler(), Ridge()), {"groups": groups}
    options = {"cv": folds, "error_score": "raise", **ids}
    np.testing.assert_allclose(cross_val_score(model, X, y, scoring=NDCG, **options), scores)
    np.testing.assert_allclose(cross_val_predict(model, X, y, cv=folds, **ids), predicted)
    grid = {"withingroupscaler__method": METHODS}
    search = GridSearchCV(model, grid, scoring=NDCG, cv=folds, error_score="raise").fit(X, y, **ids)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(scores))
    fitted = search.best_estimator_
    best = scale_by_hand(X, groups, search.best_params_["withingroupscaler__method"])
    expected = ndcg_score(y, fitted[-1].predict(best), groups=groups, k=3)
    assert search.score(X, y, **ids) == NDCG(fitted, X, y, **ids) == pytest.approx(expected)
    options = {"scoring": NDCG, "train_sizes": [1.0], "error_score": "raise", **ids}
    np.testing.assert_allclose(learning_curve(model, X, y, cv=folds, **options)[2][0], scores)
    importances = permutation_importance(fitted, X, y, scoring=NDCG, n_repeats=1, random_state=0, **ids)
    assert importances.importances.shape == (5, 1)


def r2(model, X, y):
    return sklearn.metrics.r2_score(y, model.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["r2", None, r2], ids=["name", "none", "function"])
def test_scaler_gets_ids_with_scorers_of_scikit_learn(scoring, ranking_data, folds, routing):
    X, y, groups = ranking_data
    model = make_pipeline(WithinGroupScaler(), Ridge())
    _, predicted = by_hand(X, y, groups, folds)
    got = cross_val_score(model, X, y, scoring=scoring, groups=groups, cv=folds, error_score="raise")
    expected = [sklearn.metrics.r2_score(y[test], predicted[test]) for _, test in folds]
    np.testing.assert_allclose(got, expected)


def test_scaler_reads_ids_from_the_index(ranking_data, folds, routing):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid")).add_prefix("x")
    model = make_pipeline(WithinGroupScaler(groups="qid").set_output(transform="pandas"), Ridge())
    scores, _ = by_hand(X, y, groups, folds)
    by_name = ndcg_scorer(k=3, groups="qid")
    np.testing.assert_allclose(theirs.cross_val_score(model, frame, y, scoring=by_name, cv=folds), scores)
    np.testing.assert_allclose(cross_val_score(model, frame, y, scoring=NDCG, groups="qid", cv=folds), scores)
    other = np.zeros(len(y))  # the `groups` of the constructor have priority over the argument
    got = WithinGroupScaler(groups="qid").fit(frame).transform(frame, groups=other)
    np.testing.assert_allclose(got, scale_by_hand(X, groups, "standard"), atol=1e-12)


def test_scaler_gets_ids_from_scikit_learn_with_routing(ranking_data, folds):
    X, y, groups = ranking_data
    model = make_pipeline(WithinGroupScaler(), Ridge())
    with config_context(enable_metadata_routing=True):
        got = theirs.cross_val_score(
            model, X, y, scoring=NDCG, cv=BalancedGroupKFold(3), params={"groups": groups}
        )
        model.fit(X, y, groups=groups).predict(X, groups=groups)
    np.testing.assert_allclose(got, by_hand(X, y, groups, folds)[0])


def test_scaler_keeps_feature_names_of_frames(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, _, groups = ranking_data
    frame = pandas.DataFrame(X).add_prefix("x")
    scaler = WithinGroupScaler().set_output(transform="pandas")
    assert list(scaler.fit_transform(frame, groups=groups)) == list(frame)
    assert list(scaler.get_feature_names_out()) == list(frame)


class OfOneQuery(WithinGroupScaler):
    """It takes all rows for one query, as scikit-learn's checks give no ids."""

    def fit(self, X, y=None):
        return super().fit(X)

    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X)

    def transform(self, X):
        return super().transform(X, groups=np.zeros(len(np.asarray(X))))


FAILED = {  # each row would be its own query
    "check_methods_subset_invariance": "what a row becomes depends on the other rows of its query",
}


@parametrize_with_checks([OfOneQuery(), OfOneQuery("rank")], expected_failed_checks=lambda estimator: FAILED)
def test_scaler_passes_estimator_checks(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("way", range(4), ids=["index", "argument", "functions", "model"])
def test_scaler_error_without_ids_shows_code_that_works(way, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    model = make_pipeline(WithinGroupScaler(), Ridge())
    shown = (
        "WithinGroupScaler(groups='qid')",
        "groups=qid,",
        "sklearn_rank.cross_val_score(..., groups=qid)",
        "sklearn_rank.WithGroups(pipeline).fit(X, y, groups=qid)",
    )
    with pytest.raises(
        ValueError, match=r"^WithinGroupScaler.fit_transform received no query ids\. "
    ) as error:
        model.fit(X, y)
    assert shown[way] in str(error.value)
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid"))
    ways = (
        lambda: WithinGroupScaler(groups="qid").fit_transform(frame),
        lambda: WithinGroupScaler().fit_transform(X, groups=groups),
        lambda: sklearn_rank.cross_val_score(model, X, y, scoring="ndcg@10", groups=groups),
        lambda: sklearn_rank.WithGroups(model).fit(X, y, groups=groups).predict(X, groups=groups),
    )
    got, expected = ways[way](), scale_by_hand(X, groups, "standard")
    if way == 2:
        folds = BalancedGroupKFold().split(X, y, groups)
        expected = cross_val_score(Ridge(), expected, y, scoring="ndcg@10", groups=groups, cv=list(folds))
    if way == 3:
        expected = Ridge().fit(expected, y).predict(expected)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_scaler_raises_if_a_step_removed_the_index(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid"))
    model = make_pipeline(FunctionTransformer(np.asarray), WithinGroupScaler(groups="qid"), Ridge())
    with pytest.raises(
        ValueError, match=r"'groups' parameter of WithinGroupScaler.fit(_transform)? must name"
    ):
        model.fit(frame, y)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"method": "minmax"}, "'method' parameter of WithinGroupScaler must be one of 'standard', 'rank'"),
        (
            {"groups": "who"},
            "'groups' parameter of WithinGroupScaler.fit(_transform)? must name",
        ),
    ],
    ids=str,
)
def test_scaler_fit_rejects_bad_options(options, rule):
    with pytest.raises(ValueError, match=rule):
        WithinGroupScaler(**options).fit([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        ([1], r"have one id per row \(2 rows\)"),
        ([1, None], "not contain missing ids"),
        ("q", "name an index level"),
    ],
    ids=["short", "missing", "name"],
)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_scaler_fit_rejects_bad_ids(method, groups, rule):
    with pytest.raises(ValueError, match=rf"'groups' parameter of WithinGroupScaler\.{method} must {rule}"):
        getattr(WithinGroupScaler(), method)([[1.0], [2.0]], groups=groups)
