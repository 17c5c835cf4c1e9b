"""Learning curves over numbers of whole queries, and validation curves over a parameter."""

import re
import warnings
from inspect import signature

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    WithinGroupKFold,
    cross_val_score,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    validation_curve,
)
from tests.helpers.id_models import NeedsIds

NDCG = ndcg_scorer(k=3)
ALPHAS = [1e-3, 1e3, 1e6]
PIPELINE = make_pipeline(StandardScaler(), Ridge())
CURVES = {
    "learning_curve": lambda *args, **options: learning_curve(*args, train_sizes=[3, 30], **options)[1:],
    "validation_curve": lambda *args, **options: validation_curve(
        *args, param_name="alpha", param_range=[1, 10], **options
    ),
}
CURVE = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)


def score_by_hand(model, train, test, X, y, groups):
    fit = clone(model).fit(X[train], y[train])
    return [ndcg_score(y[rows], fit.predict(X[rows]), groups=groups[rows], k=3) for rows in (train, test)]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_validation_curve_equals_a_loop_over_the_folds(n_jobs, routing, ranking_data, folds):
    X, y, groups = ranking_data
    options = {"param_name": "ridge__alpha", "param_range": ALPHAS, "cv": 3, "n_jobs": n_jobs}
    train, test = validation_curve(PIPELINE, X, y, groups=groups, scoring=NDCG, **options)
    models = [make_pipeline(StandardScaler(), Ridge(alpha=alpha)) for alpha in ALPHAS]
    expected = [[score_by_hand(model, *fold, X, y, groups) for fold in folds] for model in models]
    np.testing.assert_array_equal(np.stack([train, test], axis=-1), expected)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_learning_curve_trains_on_the_first_queries_of_each_fold(n_jobs, routing, ranking_data, folds):
    X, y, groups = ranking_data
    options = {"scoring": NDCG, "cv": 3, "train_sizes": [2, 7, 40], "n_jobs": n_jobs}
    sizes, train_scores, test_scores = learning_curve(PIPELINE, X, y, groups=groups, **options)
    assert sizes.tolist() == [2, 7, 40]
    for i, size in enumerate(sizes):
        for j, (train, test) in enumerate(folds):
            first = train[np.isin(groups[train], np.unique(groups[train])[:size])]
            expected = score_by_hand(PIPELINE, first, test, X, y, groups)
            np.testing.assert_allclose([train_scores[i, j], test_scores[i, j]], expected, atol=1e-12)


def test_learning_curve_draws_whole_queries_when_shuffled(ranking_data):
    X, y, groups = ranking_data
    seen = []

    class Watches(Ridge):
        def fit(self, X, y):
            seen.append(np.unique(X[:, -1], return_counts=True))
            return super().fit(X, y)

    rows = dict(zip(*np.unique(groups, return_counts=True)))
    options = {"scoring": NDCG, "cv": 3, "train_sizes": [5], "shuffle": True, "random_state": 0}
    learning_curve(Watches(), np.column_stack([X, groups]), y, groups=groups, **options)
    for ids, counts in seen:
        assert len(ids) == 5
        assert [rows[i] for i in ids] == counts.tolist()
    assert seen[0][0].tolist() != np.unique(groups)[:5].tolist()


def test_learning_curve_sizes_default_to_shares_of_queries(ranking_data):
    X, y, groups = ranking_data
    sizes, *_ = learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, cv=3)
    assert sizes.tolist() == [4, 13, 22, 31, 40]
    assert len(learning_curve(Ridge(), X, y, groups=groups, cv=3, return_times=True)) == 5


def test_learning_curve_passes_ids_and_weights_by_rows(with_ids, ranking_data, routing):
    (model, with_column), (X, y, groups) = with_ids, ranking_data
    if routing:
        model.set_fit_request(groups=True).set_score_request(groups=True)
    assert np.isfinite(
        CURVES["learning_curve"](model, with_column, y, groups=groups, error_score="raise")
    ).all()
    if routing:
        return
    weights = 1.0 + groups % 3
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "train_sizes": [20], "error_score": "raise"}
    got = learning_curve(Ridge(), X, y, params={"sample_weight": weights}, **options)[2]
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    folds = BalancedGroupKFold(3).split(X, y, groups)
    for j, (train, test) in enumerate(folds):
        first = repeated[np.isin(groups[repeated], np.unique(groups[train])[:20])]
        expected = score_by_hand(Ridge(), first, test, X, y, groups)[1]
        assert got[0, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "curve",
    [
        lambda module, *args, **options: module(*args, train_sizes=[100, 200], **options)[1:],
        lambda module, *args, **options: module(*args, param_name="alpha", param_range=ALPHAS, **options),
    ],
    ids=["learning_curve", "validation_curve"],
)
def test_curves_equal_scikit_learn_without_ids(curve, request, ranking_data):
    X, y, _ = ranking_data
    name = request.node.callspec.id
    options = {"scoring": "r2", "cv": KFold(3)}
    ours, other = getattr(sklearn_rank, name), getattr(theirs, name)
    np.testing.assert_array_equal(
        curve(ours, Ridge(), X, y, **options), curve(other, Ridge(), X, y, **options)
    )


@CURVE
def test_curves_accept_metric_names_and_the_models_own_score(curve, routing, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "cv": 3}
    named = curve(Ridge(), X, y, scoring="ndcg@3", **options)
    np.testing.assert_array_equal(named, curve(Ridge(), X, y, scoring=NDCG, **options))
    own = curve(Ridge(), X, y, **options)
    np.testing.assert_array_equal(own, curve(Ridge(), X, y, scoring="r2", **options))


@CURVE
def test_curves_read_ids_from_the_data(curve, routing, data_with_ids, ranking_data):
    model, X, y = data_with_ids
    model = model if isinstance(model, Ridge) else model[-1]
    X = X if not hasattr(X, "columns") or "qid" not in X.columns else X.set_index("qid")
    by_name = curve(model, X, y, scoring=ndcg_scorer(k=3, groups="qid"), cv=3)
    data, labels, groups = ranking_data
    np.testing.assert_allclose(by_name, curve(Ridge(), data, labels, groups=groups, scoring=NDCG, cv=3))


@CURVE
def test_curves_reject_several_scorers(curve, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'scoring' parameter of .*_curve must be one scorer"):
        curve(Ridge(), X, y, groups=groups, scoring=["ndcg", "map"])


@CURVE
def test_curves_reject_a_ranking_scorer_without_ids(curve, ranking_data):
    X, y, _ = ranking_data
    with pytest.raises(ValueError, match=r"required by ndcg_scorer\(k=3\)"):
        curve(Ridge(), X, y, scoring=NDCG)


@pytest.mark.parametrize("cv", [KFold(3), ShuffleSplit(2, random_state=0), WithinGroupKFold(3)], ids=repr)
def test_learning_curve_rejects_folds_that_cut_queries(cv, ranking_data):
    X, y, groups = ranking_data
    keep_whole = pytest.raises(ValueError, match=r"'cv' parameter of learning_curve must keep queries whole")
    with keep_whole, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about cut queries, from here and from scikit-learn
        learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, cv=cv)
    assert learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, cv=GroupKFold(2))[1].shape == (5, 2)


def test_learning_curve_rejects_incremental_learning_with_groups(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'exploit_incremental_learning' .* must be False with 'groups'"):
        learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, exploit_incremental_learning=True)


@pytest.mark.parametrize(
    "sizes", [[100, 400], [41], [0, 20], [100.0, 400.0], [5, -1], np.array([500])], ids=repr
)
def test_learning_curve_rejects_train_sizes_that_count_rows(sizes, ranking_data):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": 3}
    rule = (
        r"'train_sizes' parameter of learning_curve must be integers from 1 to 40 \(queries\), or floats in "
        r"\(0, 1\]. Got \S+ instead. Sizes count queries, not rows. For fractions, pass (train_sizes=.*)\.$"
    )
    with pytest.raises(ValueError, match=rule) as error:
        learning_curve(Ridge(), X, y, train_sizes=sizes, **options)
    fixed = eval(f"dict({re.match(f'The {rule}', str(error.value))[1]})")
    assert learning_curve(Ridge(), X, y, **fixed, **options)[0].max() == 40


def test_learning_curve_of_a_classifier(routing, ranking_data):
    X, y, groups = ranking_data
    scores = CURVES["learning_curve"](LogisticRegression(), X, y, groups=groups, scoring=NDCG, cv=3)
    assert (np.array(scores) > 0.4).all()


@pytest.mark.parametrize("name", ["learning_curve", "validation_curve"])
def test_curve_signatures_equal_those_of_scikit_learn(name):
    own = signature(getattr(sklearn_rank, name)).parameters
    other = [name for name in signature(getattr(theirs, name)).parameters if name != "fit_params"]
    assert [name for name in own if name != "times"] == other


def test_validation_curve_rejects_models_as_param_range(ranking_data):
    X, y, groups = ranking_data
    options = {"param_name": "ridge", "param_range": [Ridge(), NeedsIds()], "scoring": NDCG}
    with pytest.raises(ValueError, match=r"'param_range' .* must not contain models. .*GridSearchCV"):
        validation_curve(make_pipeline(Ridge()), X, y, groups=groups, **options)


def test_learning_curve_accepts_rows_of_different_lengths(ranking_data):
    _, y, groups = ranking_data
    words = [["good"] * (grade + 1) + ["odd"] * (i % 3) for i, grade in enumerate(y)]
    model = make_pipeline(CountVectorizer(analyzer=list), Ridge())
    options = {"groups": groups, "scoring": NDCG, "cv": 3}
    _, _, scores = learning_curve(model, words, y, train_sizes=[40], **options)
    np.testing.assert_allclose(scores[0], cross_val_score(model, words, y, **options))


def test_learning_curve_rejects_an_empty_list_of_folds(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"'cv' parameter of learning_curve must contain at least one fold"):
        learning_curve(Ridge(), X, y, groups=groups, scoring=NDCG, cv=[])
