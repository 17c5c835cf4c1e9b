"""Rankers in functions and models of scikit-learn: shuffled rows, two jobs, routing off and on."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingRegressor
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.forms import SCIKIT_LEARN_VERSION, column, frame, load, take
from tests.helpers.rankers import EVERY, LIBRARIES, OPTIONS, ours

pytestmark = pytest.mark.thorough

NDCG = ndcg_scorer(k=5)
CV = BalancedGroupKFold(3)
OPTION = {
    "LGBMRanker": ("num_leaves", [2, 15]),
    "XGBRanker": ("max_depth", [1, 4]),
    "CatBoostRanker": ("depth", [1, 5]),
    "PairwiseRanker": ("max_pairs", [1, 200]),
}


def by_hand(model, X, y, groups, folds):
    """Return predictions of each fold's test, by models of its train."""
    return [
        clone(model).fit(X[train], y[train], groups=groups[train]).predict(X[test]) for train, test in folds
    ]


def score_by_hand(model, X, y, groups, folds):
    predicted = by_hand(model, X, y, groups, folds)
    return [
        ndcg_score(y[test], scores, groups=groups[test], k=5) for scores, (_, test) in zip(predicted, folds)
    ]


@EVERY
def test_ranker_in_cross_val_score_with_two_jobs(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    model = ours(name)
    got = cross_val_score(model, X, y, scoring=NDCG, groups=groups, cv=CV, n_jobs=2)
    assert got.tolist() == score_by_hand(model, X, y, groups, folds)


@EVERY
def test_ranker_in_grid_search_with_two_jobs(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    parameter, values = OPTION[name]
    search = GridSearchCV(ours(name), {parameter: values}, scoring=NDCG, cv=CV, n_jobs=2)
    search.fit(X, y, groups=groups)
    models = [ours(name, **{parameter: value}) for value in values]
    expected = [np.mean(score_by_hand(model, X, y, groups, folds)) for model in models]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-15)
    best = models[np.argmax(expected)].fit(X, y, groups=groups)
    np.testing.assert_array_equal(search.predict(X), best.predict(X))
    assert search.score(X, y, groups=groups) == NDCG(best, X, y, groups=groups)


@EVERY
def test_ranker_in_nested_cross_validation(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    parameter, values = OPTION[name]
    search = GridSearchCV(ours(name), {parameter: values}, scoring=NDCG, cv=2)
    got = cross_val_score(search, X, y, scoring=NDCG, groups=groups, cv=CV, n_jobs=2)
    expected = []
    for train, test in folds:
        inner = clone(search).fit(X[train], y[train], groups=groups[train])
        expected.append(ndcg_score(y[test], inner.predict(X[test]), groups=groups[test], k=5))
    assert got.tolist() == expected


@EVERY
def test_ranker_in_a_pipeline_in_randomized_search(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    step, (parameter, values) = name.lower(), OPTION[name]
    pipeline = make_pipeline(StandardScaler(), ours(name))
    grid = {f"{step}__{parameter}": values}
    search = RandomizedSearchCV(pipeline, grid, n_iter=2, scoring=NDCG, cv=CV, random_state=0, n_jobs=2)
    search.fit(X, y, groups=groups)
    for params, got in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
        expected = []
        for train, test in folds:
            scaler = StandardScaler().fit(X[train])
            model = ours(name, **{parameter: params[f"{step}__{parameter}"]})
            model.fit(scaler.transform(X[train]), y[train], groups=groups[train])
            predicted = model.predict(scaler.transform(X[test]))
            expected.append(ndcg_score(y[test], predicted, groups=groups[test], k=5))
        assert got == pytest.approx(np.mean(expected), abs=1e-15)


@EVERY
def test_ranker_after_a_column_transformer_that_drops_ids(name, routing, ranking_data, folds):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    colours = np.array(["blue", "green", "red"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
    frame = pandas.DataFrame(X).add_prefix("x").assign(qid=groups, colour=colours)
    encoder = OneHotEncoder(sparse_output=False)
    columns = make_column_transformer((encoder, ["colour"]), ("drop", ["qid"]), remainder="passthrough")
    pipeline = make_pipeline(columns, ours(name))
    got = cross_val_score(pipeline, frame, y, scoring=NDCG, groups="qid", cv=CV, n_jobs=2)
    encoded = np.hstack([encoder.fit_transform(colours[:, None]), X])
    assert got.tolist() == score_by_hand(ours(name), encoded, y, groups, folds)


@EVERY
def test_ranker_in_cross_val_predict_with_two_jobs(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    got = cross_val_predict(ours(name), X, y, groups=groups, cv=CV, n_jobs=2)
    for (_, test), scores in zip(folds, by_hand(ours(name), X, y, groups, folds)):
        np.testing.assert_array_equal(got[test], scores)


@EVERY
def test_ranker_in_permutation_test_score(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    options = {"scoring": NDCG, "cv": CV, "n_permutations": 3, "n_jobs": 2}
    score, permuted, p_value = permutation_test_score(ours(name), X, y, groups=groups, **options)
    assert score == np.mean(score_by_hand(ours(name), X, y, groups, folds))
    assert (permuted < score).all()
    assert p_value == 0.25


@EVERY
def test_ranker_in_learning_and_validation_curve(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": CV, "n_jobs": 2}
    _, _, scores = learning_curve(ours(name), X, y, train_sizes=[10, 1.0][:1], **options)
    for (train, test), got in zip(folds, scores[0]):
        first = train[np.isin(groups[train], np.unique(groups[train])[:10])]
        [predicted] = by_hand(ours(name), X, y, groups, [(first, test)])
        assert got == ndcg_score(y[test], predicted, groups=groups[test], k=5)
    parameter, values = OPTION[name]
    _, scores = validation_curve(ours(name), X, y, param_name=parameter, param_range=values, **options)
    for value, got in zip(values, scores):
        assert got.tolist() == score_by_hand(ours(name, **{parameter: value}), X, y, groups, folds)


@EVERY
def test_ranker_in_successive_halving(name, routing, ranking_data):
    X, y, groups = ranking_data
    parameter, values = OPTION[name]
    options = {"scoring": NDCG, "cv": 2, "factor": 2, "min_resources": 30, "random_state": 0}
    search = HalvingGridSearchCV(ours(name), {parameter: values}, n_jobs=2, **options)
    assert search.fit(X, y, groups=groups).n_resources_ == [30, 60]
    best = ours(name, **search.best_params_).fit(X, y, groups=groups)
    np.testing.assert_array_equal(search.predict(X), best.predict(X))


def test_rankers_in_a_stack(routing, ranking_data, folds):
    X, y, groups = ranking_data
    members = [(name, ours(name)) for name in OPTIONS]
    assert all(is_regressor(model) for _, model in members)
    final = PairwiseRanker(Ridge(), max_pairs=None)  # gets the ids too
    stack = StackingRegressor(members, final_estimator=final, cv=BalancedGroupKFold(2))
    got = cross_val_score(stack, X, y, scoring=NDCG, groups=groups, cv=CV, n_jobs=2, error_score="raise")
    expected = []
    for train, test in folds:
        rows = X[train], y[train], groups[train]
        inner = list(BalancedGroupKFold(2).split(*rows))
        features = np.empty((len(train), len(members)))
        for j, (_, model) in enumerate(members):
            for (_, held_out), scores in zip(inner, by_hand(model, *rows, inner)):
                features[held_out, j] = scores
        fitted = [clone(model).fit(*rows[:2], groups=rows[2]) for _, model in members]
        top = clone(final).fit(features, y[train], groups=groups[train])
        predicted = top.predict(np.column_stack([model.predict(X[test]) for model in fitted]))
        expected.append(ndcg_score(y[test], predicted, groups=groups[test], k=5))
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def selectors(name):
    """Return a selector by importances, and one that adds features, both by cross-validation."""
    options = {"scoring": NDCG, "cv": BalancedGroupKFold(2)}
    forward = SequentialFeatureSelector(ours(name), n_features_to_select=1, **options)
    getter = "estimator_.coef_" if name == "PairwiseRanker" else "auto"
    backward = RFECV(ours(name), min_features_to_select=2, importance_getter=getter, **options)
    return [forward, backward]


@EVERY
def test_ranker_in_feature_selectors(name, ranking_data):
    X, y, groups = ranking_data
    X = np.hstack([np.random.default_rng(0).standard_normal((len(y), 2)), X])
    for selector in selectors(name):
        with config_context(enable_metadata_routing=True):
            selector.fit(X, y, groups=groups)
        assert selector.get_support()[2:].any()


@pytest.mark.skipif(SCIKIT_LEARN_VERSION < (1, 9), reason="a selector in a pipeline routes from 1.9 on")
@EVERY
def test_ranker_in_feature_selectors_in_a_pipeline(name, routing, ranking_data):
    X, y, groups = ranking_data
    X = np.hstack([np.random.default_rng(0).standard_normal((len(y), 2)), X])
    for selector in selectors(name):
        pipeline = make_pipeline(selector, ours(name))
        scores = cross_val_score(pipeline, X, y, scoring=NDCG, groups=groups, cv=2, error_score="raise")
        assert (scores > 0.45).all()


@EVERY
def test_ranker_in_permutation_importance(name, routing, ranking_data):
    X, y, groups = ranking_data
    X = np.hstack([np.random.default_rng(0).standard_normal((len(y), 2)), X])
    model = ours(name).fit(X, y, groups=groups)
    options = {"scoring": NDCG, "n_jobs": 2, "random_state": 0}
    importances = permutation_importance(model, X, y, groups=groups, **options).importances_mean
    assert importances.argmax() >= 2
    own = permutation_importance(model, X, y, groups=groups, random_state=0).importances_mean
    assert own.argmax() >= 2


# ------------------------------------------------------------------ data forms


@pytest.mark.parametrize("form", ["sparse", "pandas", "polars", "pyarrow"])
@EVERY
def test_rankers_accept_sparse_and_frame_features(name, form, routing, ranking_data, folds):
    X, y, groups = ranking_data
    data, ids = sparse.csr_matrix(X) if form == "sparse" else frame(form, X), groups
    if form == "pandas":
        data, ids = data.set_index(column(form, groups).rename("qid")), "qid"
    got = cross_val_score(ours(name), data, y, scoring=NDCG, groups=ids, cv=CV, error_score="raise")
    expected = score_by_hand(ours(name), X, y, groups, folds)
    np.testing.assert_allclose(got, expected, atol=0 if form != "sparse" else 0.05)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("kind", ["pandas", "polars Categorical", "polars Enum", "pyarrow"])
def test_rankers_accept_categorical_columns(name, kind, ranking_data, folds):
    library, _, dtype = kind.partition(" ")
    frames = load(library)
    X, y, groups = ranking_data
    names = ["lime", "ash", "tan", "sky", "red"]  # order unrelated to the grades
    data = frame(library, X[:, 2:3], colour=[names[grade] for grade in y])
    if library == "pandas":
        data = data.astype({"colour": "category"})
    elif library == "pyarrow":
        data = data.set_column(1, "colour", data.column("colour").dictionary_encode())
    else:
        enum = frames.Enum(names) if dtype == "Enum" else frames.Categorical
        data = data.with_columns(frames.col("colour").cast(enum))
    options = {
        "LGBMRanker": {"min_data_per_group": 1, "cat_smooth": 0, "cat_l2": 0},
        "XGBRanker": {"enable_categorical": True},
        "CatBoostRanker": {"cat_features": ["colour"]},
    }[name]
    model = ours(name, **options)
    scores = cross_val_score(model, data, y, scoring=NDCG, groups=groups, cv=CV, error_score="raise")
    assert scores.min() > 0.9
    held_out = np.flatnonzero(y < 3)[::-1]  # other rows, fewer categories
    predicted = model.fit(data, y, groups=groups).predict(take(data, held_out))
    np.testing.assert_array_equal(predicted, model.predict(data)[held_out])


@EVERY
def test_rankers_accept_frames_from_transformers(name, routing, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid")).add_prefix("x")
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), ours(name))
    by_name = ndcg_scorer(k=5, groups="qid")
    got = cross_val_score(pipeline, frame, y, scoring=by_name, cv=CV, error_score="raise")
    plain = make_pipeline(StandardScaler(), ours(name))
    expected = cross_val_score(plain, X, y, scoring=NDCG, groups=groups, cv=CV, error_score="raise")
    np.testing.assert_array_equal(got, expected)
