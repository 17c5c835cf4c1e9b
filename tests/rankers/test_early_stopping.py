"""Early stopping by a metric of this package: what is refused, and what else the libraries allow."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

import sklearn_rank.rankers
from sklearn_rank import get_scorer, ranking_scorer
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.rankers import BOOSTED, LIBRARIES, best, stopping_by


@pytest.mark.parametrize(
    ("metric", "library", "parameter"),
    [
        ("map@10", "sklearn", "library"),
        ("map@10", None, "library"),
        (ranking_scorer(["map", "mrr"]), "lightgbm", "metric"),
        ("accuracy", "lightgbm", "metric"),
        (np.mean, "xgboost", "metric"),
    ],
    ids=["library", "no library", "several", "of scikit-learn", "a function"],
)
def test_bad_arguments_are_refused(metric, library, parameter):
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of as_eval_metric must"):
        as_eval_metric(metric, library=library)


def test_lightgbm_must_say_what_else_stops_it(ranking_data):
    pytest.importorskip("lightgbm")
    X, y, groups = ranking_data
    made = as_eval_metric("ndcg@5", library="lightgbm")
    with pytest.raises(ValueError, match=r"'metric' parameter of LGBMRanker must be \"None\""):
        sklearn_rank.rankers.LGBMRanker(verbose=-1).fit(X, y, groups=groups, eval_metric=made)


@pytest.mark.parametrize(
    "options", [{"cat_features": [0]}, {"boosting_type": "Ordered"}], ids=["categories", "ordered"]
)
def test_where_catboost_permutes_the_rows_it_still_stops_by_the_evaluation_set(
    options, ranking_data, held_out
):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    X = np.column_stack([(X[:, 0] > 0).astype(int).astype(object), X[:, 1:]])
    model, _ = stopping_by("map@10", "CatBoostRanker")
    model.set_params(**options)
    evaluation = {"eval_set": [(X[test], y[test])], "eval_groups": [groups[test]]}
    with pytest.warns(UserWarning, match="CatBoost has permuted the training rows"):
        model.fit(X[train], y[train], groups=groups[train], **evaluation)
    values, i = best(model, "map@10")
    assert values[i] == get_scorer("map@10")(model, X[test], y[test], groups=groups[test])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(has_time=True, boosting_type="Plain").fit(X, y, groups=groups)
    [learned] = model.evals_result_["learn"].values()
    assert learned[-1] == get_scorer("map@10")(model, X, y, groups=groups)


def test_catboost_cannot_tell_apart_sets_of_equal_labels(ranking_data, held_out):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    model, _ = stopping_by("map@10", "CatBoostRanker")
    order = np.argsort(groups[test], kind="stable")
    rows, others = test[order], np.arange(len(test)) // 3
    two = {"eval_set": [(X[rows], y[rows])] * 2, "eval_groups": [groups[rows], others]}
    with pytest.raises(
        ValueError, match=r"'eval_set' parameter of CatBoostRanker\.fit must differ in its labels"
    ):
        model.fit(X[train], y[train], groups=groups[train], **two)


def test_clones_of_catboosts_ranker_train_side_by_side(ranking_data, held_out):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    model, _ = stopping_by("ndcg@5", "CatBoostRanker")
    order = np.argsort(groups[test], kind="stable")
    rows, ids = test[order], [groups[test[order]], np.arange(len(test)) // 3]

    def train_on(ids):
        fit = clone(model).fit(
            X[train], y[train], groups=groups[train], eval_set=[(X[rows], y[rows])], eval_groups=[ids]
        )
        return best(fit, "ndcg@5")[0]

    alone = [train_on(each) for each in ids]
    together = Parallel(2, backend="threading")(delayed(train_on)(each) for each in ids * 3)
    assert together == alone * 3


def test_catboosts_ranker_leaves_the_filters_of_warnings_alone_as_threads_share_them(ranking_data):
    X, y, groups = ranking_data
    model, _ = stopping_by("ndcg@5", "CatBoostRanker")
    seen = []

    class Watch:
        def after_iteration(self, info):
            seen.append(warnings.filters)
            return True

    model.fit(X, y, groups=groups, callbacks=[Watch()])
    assert seen
    assert all(filters is warnings.filters for filters in seen)


@BOOSTED
def test_a_metric_for_another_library_is_refused(name, ranking_data):
    X, y, groups = ranking_data
    model, _ = stopping_by("map@10", name)
    other = as_eval_metric("map@10", library="lightgbm" if name != "LGBMRanker" else "xgboost")
    fit = {"eval_metric": other} if name == "LGBMRanker" else {}
    if not fit:
        model.set_params(eval_metric=other)
    with pytest.raises(
        ValueError, match=rf"must be made with library='{LIBRARIES[name]}'\. Got as_eval_metric"
    ):
        model.fit(X, y, groups=groups, **fit)


def test_a_list_hides_no_metric(ranking_data, held_out):
    (X, y, groups), ([(train, _)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("mrr", "LGBMRanker")
    listed = {"eval_metric": [fit["eval_metric"]]}
    single = clone(model).fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **listed)
    assert model.best_iteration_ == single.best_iteration_
    with pytest.raises(ValueError, match=r"'metric' parameter of LGBMRanker must"):
        sklearn_rank.rankers.LGBMRanker().fit(X, y, groups=groups, **listed)
    made = as_eval_metric("mrr", library="xgboost")
    with pytest.raises(
        ValueError, match=r"'eval_metric' parameter of XGBRanker must be a metric of as_eval_m"
    ):
        sklearn_rank.rankers.XGBRanker(eval_metric=[made]).fit(X, y, groups=groups)


def test_no_name_is_the_librarys_own(ranking_data, held_out):
    (X, y, groups), ([(train, _)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("ndcg@5", "LGBMRanker")
    model.set_params(metric="ndcg", early_stopping_round=None)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    log = model.evals_result_["valid_0"]
    assert {len(values) for values in log.values()} == {60}
    assert {"ndcg@5", "ndcg_scorer(k=5)"} <= set(log)


def test_early_stopping_of_xgboost_wants_an_evaluation_set(ranking_data):
    X, y, groups = ranking_data
    model, _ = stopping_by("mrr", "XGBRanker")
    with pytest.raises(ValueError, match=r"'early_stopping_rounds' parameter of XGBRanker must come with"):
        model.fit(X, y, groups=groups)


def test_callbacks_of_the_user_see_the_metric(ranking_data, held_out):
    xgboost = pytest.importorskip("xgboost")
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    model, _ = stopping_by("mrr", "XGBRanker")
    stop = xgboost.callback.EarlyStopping(rounds=4, metric_name="mrr_scorer()", maximize=True, save_best=True)
    model.set_params(callbacks=[stop], early_stopping_rounds=None)
    model.fit(X[train], y[train], groups=groups[train], **evaluation)
    assert model.best_score == get_scorer("mrr")(model, X[test], y[test], groups=groups[test])
    assert model.get_params()["callbacks"] == [stop]


@BOOSTED
def test_weights_that_vary_inside_a_query_are_refused(name, ranking_data, held_out):
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("mrr", name)
    weights = {"eval_sample_weight": [np.arange(len(test)) + 1.0]}
    with pytest.raises(ValueError, match=rf"'eval_sample_weight' parameter of {name}\.fit must be constant"):
        model.fit(X[train], y[train], groups=groups[train], **evaluation, **weights, **fit)
