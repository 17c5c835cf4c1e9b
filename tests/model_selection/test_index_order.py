"""Rows in another index order: scorers, splitters, searches and rankers reject them."""

import warnings
from inspect import signature

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RepeatedBalancedGroupKFold,
    TimeCut,
    WithinGroupKFold,
    make_group_scorer,
    permutation_importance,
    permutation_test_score,
    train_test_split,
)
from sklearn_rank.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV, check_folds
from sklearn_rank.preprocessing import WithinGroupScaler
from tests.helpers.index_order import LABELS, WEIGHTS, pandas, raises_order_error, reordered, series
from tests.helpers.rankers import BOOSTED, EVERY, ours
from tests.helpers.scorers import FACTORIES

# ------------------------------------------------------------------ scorers, model selection


@pytest.fixture
def frames(ranking_data):
    """Features, labels, ids and weights of the same rows, as objects of pandas."""
    X, y, groups = ranking_data
    labels = [f"d{row}" for row in range(len(y))]
    weights = 1 + groups % 3
    rows = {"y": y, "groups": groups, "sample_weight": weights.astype(float), "times": np.arange(len(y))}
    return {"X": pandas.DataFrame(X, index=labels).add_prefix("x")} | {
        name: series(values, labels) for name, values in rows.items()
    }


def sort(frames, parameter):
    """Sort what is given as one parameter by its values; its index goes along."""
    return frames | {parameter: frames[parameter].sort_values(kind="stable", ascending=False)}


SCORERS = [
    factory(k=3) if "k" in signature(factory).parameters else factory() for factory in FACTORIES.values()
]
SCORERS += [make_group_scorer(mean_absolute_error), sklearn_rank.neg_intra_list_similarity_loss_scorer(k=3)]


@pytest.mark.parametrize("parameter", ["y_true", "groups", "sample_weight"])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.describe())
def test_scorers_reject_rows_in_another_order(scorer, parameter, frames, model):
    given = sort(frames | {"y_true": frames["y"]}, parameter)
    ids = {name: given[name] for name in ("groups", "sample_weight")}
    with raises_order_error(scorer.describe(), parameter, "X"):
        scorer(model, given["X"], given["y_true"], **ids)


NDCG = {"scoring": "ndcg@3"}
DROP_INS = {name: NDCG for name in ("cross_val_score", "cross_validate", "learning_curve")}
DROP_INS |= {"cross_val_predict": {}, "permutation_test_score": NDCG}
DROP_INS |= {"validation_curve": NDCG | {"param_name": "alpha", "param_range": [1, 2]}}


@pytest.mark.parametrize("parameter", ["y", "groups", "sample_weight"])
@pytest.mark.parametrize("name", DROP_INS)
def test_functions_reject_rows_in_another_order(name, parameter, frames):
    given = sort(frames, parameter)
    params = {"sample_weight": given["sample_weight"]}
    with warnings.catch_warnings(), raises_order_error(name, parameter, "X"):
        warnings.simplefilter("ignore")  # about folds that fail
        getattr(sklearn_rank, name)(
            Ridge(), given["X"], given["y"], groups=given["groups"], params=params, **DROP_INS[name]
        )


def test_cross_val_score_rejects_labels_in_another_order_without_ids(frames):
    given = sort(frames, "y")
    with raises_order_error("cross_val_score", "y", "X"):
        sklearn_rank.cross_val_score(Ridge(), given["X"], given["y"])


SEARCHES = {
    "GridSearchCV": sklearn_rank.GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3, **NDCG),
    "RandomizedSearchCV": sklearn_rank.RandomizedSearchCV(Ridge(), {"alpha": [1, 2]}, n_iter=2, cv=3, **NDCG),
    "HalvingGridSearchCV": HalvingGridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3, **NDCG),
    "HalvingRandomSearchCV": HalvingRandomSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3, **NDCG),
}


@pytest.mark.parametrize("parameter", ["y", "groups", "sample_weight"])
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_reject_rows_in_another_order(name, parameter, frames):
    given = sort(frames, parameter)
    with raises_order_error(f"{name}.fit", parameter, "X"):
        SEARCHES[name].fit(
            given["X"], given["y"], groups=given["groups"], sample_weight=given["sample_weight"]
        )


@pytest.mark.parametrize("parameter", ["y", "groups"])
def test_search_score_rejects_rows_in_another_order(parameter, frames):
    search = SEARCHES["GridSearchCV"].fit(frames["X"], frames["y"], groups=frames["groups"])
    given = sort(frames, parameter)
    with raises_order_error("GridSearchCV.score", parameter, "X"):
        search.score(given["X"], given["y"], groups=given["groups"])


SPLITTERS = [(splitter, ("y", "groups")) for splitter in (BalancedGroupKFold(3), WithinGroupKFold(3))]
SPLITTERS += [(splitter, ("y", "groups", "times")) for splitter in (LeaveLastOut(), GroupTimeSeriesSplit(2))]


@pytest.mark.parametrize(
    ("splitter", "names", "parameter"),
    [(splitter, names, name) for splitter, names in SPLITTERS for name in names],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_splitters_reject_rows_in_another_order(splitter, names, parameter, frames):
    given = sort(frames, parameter)
    with raises_order_error(f"{type(splitter).__name__}.split", parameter, "X"):
        list(splitter.split(given["X"], **{name: given[name] for name in names}))


def test_splitter_rejects_another_order_in_scikit_learns_functions(frames):
    given = sort(frames, "groups")
    with raises_order_error("BalancedGroupKFold.split", "groups", "X"):
        theirs.cross_val_score(
            Ridge(), given["X"], given["y"], groups=given["groups"], cv=BalancedGroupKFold(3)
        )


@pytest.mark.parametrize("parameter", ["y", "groups", "times"])
def test_check_folds_rejects_rows_in_another_order(parameter, frames):
    given = sort(frames, parameter)
    cv, params = LeaveLastOut(), {"times": given["times"]}
    with raises_order_error("check_folds", parameter, "X"):
        check_folds(cv, given["X"], given["y"], groups=given["groups"], params=params)


@pytest.mark.parametrize("parameter", ["y", "groups", "sample_weight"])
def test_permutation_importance_rejects_rows_in_another_order(parameter, frames):
    given = sort(frames, parameter)
    model = Ridge().fit(frames["X"], frames["y"])
    ids = {name: given[name] for name in ("groups", "sample_weight")}
    with raises_order_error("permutation_importance", parameter, "X"):
        permutation_importance(model, given["X"], given["y"], **ids, **NDCG)


def test_within_group_scaler_rejects_ids_in_another_order(frames):
    groups = sort(frames, "groups")["groups"]
    for call in (WithinGroupScaler().fit, WithinGroupScaler().fit_transform):
        with raises_order_error(f"WithinGroupScaler.{call.__name__}", "groups", "X"):
            call(frames["X"], groups=groups)
    with raises_order_error("WithinGroupScaler.transform", "groups", "X"):
        WithinGroupScaler().fit(frames["X"]).transform(frames["X"], groups=groups)


# ------------------------------------------------------------------ orders that are accepted


def test_cross_val_score_and_search_accept_parts_of_one_frame(frames, ranking_data):
    X, y, groups = ranking_data
    options = {"cv": 3, **NDCG}
    got = sklearn_rank.cross_val_score(Ridge(), frames["X"], frames["y"], groups=frames["groups"], **options)
    np.testing.assert_array_equal(got, sklearn_rank.cross_val_score(Ridge(), X, y, groups=groups, **options))
    parts = theirs.train_test_split(frames["X"], frames["y"], frames["groups"], random_state=0)
    search = SEARCHES["GridSearchCV"].fit(parts[0], parts[2], groups=parts[4])
    assert 0 < search.score(parts[1], parts[3], groups=parts[5]) < 1


def test_permutation_test_permutes_labels_under_their_index(frames, ranking_data):
    X, y, groups = ranking_data
    options = {"cv": 3, "n_permutations": 5, **NDCG}
    got = permutation_test_score(Ridge(), frames["X"], frames["y"], groups=frames["groups"], **options)
    expected = permutation_test_score(Ridge(), X, y, groups=groups, **options)
    np.testing.assert_array_equal(got[1], expected[1])
    np.testing.assert_array_equal(frames["y"], y)  # the given labels do not change


# ------------------------------------------------------------------ rankers and one split


@pytest.mark.parametrize("parameter", ["y", "groups", "sample_weight"])
@EVERY
def test_rankers_reject_rows_in_another_order(name, parameter):
    y, groups, weights = [1, 0, 2, 0], [0, 0, 1, 1], WEIGHTS
    X = pandas.DataFrame(np.eye(4), index=LABELS)
    rows = {"y": series(y), "groups": series(groups), "sample_weight": series(weights)}
    model = ours(name)
    for method in ("fit", "score"):
        with raises_order_error(f"{name}.{method}", parameter, "X"):
            getattr(model, method)(X, **(rows | {parameter: rows[parameter][::-1]}))


@BOOSTED
def test_rankers_reject_evaluation_labels_in_another_order(name):
    X, y, groups = np.eye(4), [1, 0, 2, 0], [0, 0, 1, 1]
    sets = {"eval_set": [(pandas.DataFrame(X, index=LABELS), reordered(y))], "eval_groups": [groups]}
    with raises_order_error(f"{name}.fit", "eval_y", "eval_X"):
        ours(name).fit(X, y, groups=groups, **sets)


def test_single_splits_reject_rows_in_another_order():
    X = pandas.DataFrame(np.eye(4), index=LABELS)
    with raises_order_error("train_test_split", "arrays[1]", "arrays[0]"):
        train_test_split(X, reordered([1, 0, 1, 0]), groups=[0, 0, 1, 1])
    with raises_order_error("train_test_split", "groups", "arrays[0]"):
        train_test_split(X, groups=reordered([0, 0, 1, 1]))
    with raises_order_error("TimeCut.split", "times", "X"):
        next(TimeCut().split(X, times=reordered([1, 2, 3, 4])))


def test_repeated_folds_reject_ids_in_another_order():
    groups = series([0, 0, 1, 1])
    with raises_order_error("RepeatedBalancedGroupKFold.split", "groups", "X"):
        next(
            RepeatedBalancedGroupKFold(2).split(
                pandas.DataFrame(np.eye(4), index=LABELS), groups=groups[::-1]
            )
        )
