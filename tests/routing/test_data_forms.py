"""Rows, labels and ids in pandas, polars and pyarrow, in every function that takes ids."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV, check_folds
from tests.helpers.forms import column, frame, without_ids

NDCG = ndcg_scorer(k=3)
LIBRARY = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
RESULTS = {
    "cross_val_score": lambda *data, **ids: cross_val_score(*data, **ids, scoring=NDCG, cv=3),
    "cross_val_predict": lambda *data, **ids: cross_val_predict(*data, **ids, cv=3),
    "grid search": lambda model, X, y, **ids: (
        GridSearchCV(model, {}, scoring=NDCG, cv=3).fit(X, y, **ids).cv_results_["mean_test_score"]
    ),
    "halving": lambda model, X, y, **ids: (
        HalvingGridSearchCV(model, {"fit_intercept": [True, False]}, scoring=NDCG, cv=3, random_state=0)
        .fit(X, y, **ids)
        .cv_results_["mean_test_score"]
    ),
    "learning_curve": lambda *data, **ids: learning_curve(*data, **ids, scoring=NDCG, cv=3)[2],
    "validation_curve": lambda *data, **ids: validation_curve(
        *data, **ids, scoring=NDCG, cv=3, param_name="fit_intercept", param_range=[True, False]
    )[1],
    "permutation_test_score": lambda *data, **ids: permutation_test_score(
        *data, **ids, scoring=NDCG, cv=3, n_permutations=2
    )[1],
    "permutation_importance": lambda model, X, y, **ids: (
        permutation_importance(
            model.fit(X, y), X, y, **ids, scoring=NDCG, n_repeats=1, random_state=0
        ).importances_mean
    ),
    "check_folds": lambda _, X, y, **ids: np.concatenate([test for _, test in check_folds(3, X, y, **ids)]),
    "splitter": lambda _, X, y, **ids: np.concatenate(
        [test for _, test in BalancedGroupKFold(3).split(X, y, **ids)]
    ),
    "scorer": lambda model, X, y, **ids: NDCG(model.fit(X, y), X, y, **ids),
    "metric": lambda model, X, y, **ids: ndcg_score(y, model.fit(X, y).predict(X), **ids),
}


@pytest.mark.parametrize(
    "convert", [np.asarray, lambda ids: [f"q{i:03}" for i in ids]], ids=["ints", "strings"]
)
@pytest.mark.parametrize("name", RESULTS)
@LIBRARY
def test_functions_accept_labels_and_ids_as_columns(library, name, convert, ranking_data):
    X, y, groups = ranking_data
    got = RESULTS[name](Ridge(), X, column(library, y), groups=column(library, convert(groups)))
    np.testing.assert_allclose(got, RESULTS[name](Ridge(), X, y, groups=groups), atol=1e-12)


@pytest.mark.parametrize("name", RESULTS)
@LIBRARY
def test_functions_accept_features_as_a_frame(library, name, ranking_data):
    X, y, groups = ranking_data
    got = RESULTS[name](Ridge(), frame(library, X), y, groups=groups)
    np.testing.assert_allclose(got, RESULTS[name](Ridge(), X, y, groups=groups), atol=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in RESULTS if name not in ("metric", "halving", "validation_curve")]
)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_functions_read_ids_from_a_column_of_x(library, name, ranking_data):
    X, y, groups = ranking_data
    model = make_pipeline(FunctionTransformer(without_ids), Ridge())
    got = RESULTS[name](model, frame(library, X, qid=groups), y, groups="qid")
    if name == "permutation_importance":
        assert got[-1] == 0
        got = got[:-1]
    np.testing.assert_allclose(got, RESULTS[name](Ridge(), X, y, groups=groups), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in RESULTS if name != "metric"])
def test_functions_read_ids_from_an_index_level(name, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    levels = pandas.MultiIndex.from_arrays([groups, np.arange(len(y))], names=["qid", "row"])
    data = pandas.DataFrame(X, index=levels).add_prefix("x")
    expected = RESULTS[name](Ridge(), X, y, groups=groups)
    np.testing.assert_allclose(RESULTS[name](Ridge(), data, y, groups="qid"), expected, atol=1e-12)
    labels = pandas.Series(y, index=levels)
    np.testing.assert_allclose(RESULTS[name](Ridge(), X, labels, groups="qid"), expected, atol=1e-12)


def test_cross_val_score_reads_ids_after_set_output_pandas(ranking_data, routing):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    data = pandas.DataFrame(X, index=pandas.Index(groups, name="qid")).add_prefix("x")
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), Ridge())
    got = cross_val_score(model, data, y, scoring=ndcg_scorer(k=3, groups="qid"), cv=3)
    np.testing.assert_allclose(got, cross_val_score(model, X, y, scoring=NDCG, groups=groups, cv=3))


def test_lightgbm_ranker_fit_accepts_nullable_labels(ranking_data):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("lightgbm")
    from sklearn_rank.rankers import LGBMRanker

    X, y, groups = ranking_data
    missing = np.random.default_rng(0).random(len(y)) < 0.2
    labels = pandas.Series(y, dtype="Int64").mask(missing)
    model = LGBMRanker(n_estimators=5, verbose=-1)
    got = model.fit(X, labels, groups=groups).predict(X)
    expected = model.fit(X[~missing], y[~missing], groups=groups[~missing]).predict(X)
    np.testing.assert_array_equal(got, expected)
