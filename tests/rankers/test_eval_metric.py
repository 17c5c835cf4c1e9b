"""Early stopping by a metric of this package: the same value in training, in a search and in the report."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

import sklearn_rank.rankers
from sklearn_rank import (
    GridSearchCV,
    cross_validate,
    get_scorer,
    map_scorer,
    ndcg_scorer,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import RankingScorer
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best, stopping_by

NAMES = ["map@10", "mrr@5", "ndcg@5(gain=exponential)", "neg_bpr_loss"]


@pytest.mark.slow
@pytest.mark.parametrize("metric", NAMES)
@BOOSTED
def test_logged_searched_and_reported_values_are_equal(name, metric, ranking_data, held_out):
    (X, y, groups), (cv, evaluation) = ranking_data, held_out
    model, fit = stopping_by(metric, name)
    options = {"scoring": metric, "cv": cv, "error_score": "raise"}
    results = cross_validate(
        model, X, y, groups=groups, params=evaluation | fit, return_estimator=True, **options
    )
    trained, test = results["estimator"][0], cv[0][1]
    values, i = best(trained, metric)
    assert i == np.argmax(values)
    assert len(values) < 60
    search = GridSearchCV(model, {}, refit=False, **options).fit(X, y, groups=groups, **evaluation, **fit)
    reported = ranking_scores(y[test], trained.predict(X[test]), groups=groups[test], metrics=[metric])
    assert values[i] == search.best_score_ == results["test_score"][0] == reported[metric]


@pytest.mark.slow
@BOOSTED
def test_early_stopping_by_a_metric_with_two_jobs_and_routing(name, ranking_data, held_out, routing):
    (X, y, groups), (cv, evaluation) = ranking_data, held_out
    model, fit = stopping_by("map@10", name)
    options = {"groups": groups, "params": evaluation | fit, "cv": cv, "error_score": "raise"}
    results = cross_validate(model, X, y, scoring="map@10", return_estimator=True, n_jobs=2, **options)
    values, i = best(results["estimator"][0], "map@10")
    assert results["test_score"][0] == values[i]


@BOOSTED
def test_early_stopping_uses_the_options_of_the_scorer(name, ranking_data, held_out):
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    scorer = ndcg_scorer(k=3, gain=[0, 1, 2, 9, 20], ties="worst", zero_division=1.0)
    model, fit = stopping_by(scorer, name)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    values, i = best(model, scorer)
    assert values[i] == scorer(model, X[test], y[test], groups=groups[test])


@BOOSTED
def test_fit_weighs_evaluation_queries_when_the_scorer_requests_it(name, ranking_data, held_out):
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    weights = (1.0 + groups[test] % 4) / 10
    scorer = get_scorer("mrr").set_score_request(sample_weight=True)
    model, fit = stopping_by(scorer, name)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, eval_sample_weight=[weights], **fit)
    values, i = best(model, "mrr")
    assert values[i] == scorer(model, X[test], y[test], groups=groups[test], sample_weight=weights)


@BOOSTED
def test_fit_drops_unjudged_rows_when_the_scorer_does(name, ranking_data, held_out):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    judged = np.random.default_rng(0).random(len(test)) < 0.8
    labels = np.where(judged, y[test], np.nan)
    model, fit = stopping_by(map_scorer(k=10, unjudged="drop"), name)
    evaluation = {"eval_set": [(X[test], labels)], "eval_groups": [groups[test]]}
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    values, i = best(model, map_scorer(k=10, unjudged="drop"))
    kept = test[judged]
    assert values[i] == get_scorer("map@10")(model, X[kept], y[kept], groups=groups[kept])


@BOOSTED
def test_ranker_with_eval_metric_can_be_refit_cloned_and_pickled(name, ranking_data, held_out):
    (X, y, groups), ([(train, _)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("map@10", name)
    again = pickle.loads(pickle.dumps(clone(model)))
    parameters = set(model.get_params())
    values = [
        best(each.fit(X[train], y[train], groups=groups[train], **evaluation, **fit), "map@10")
        for each in (model, model, again, clone(model))
    ]
    assert all(value == values[0] for value in values)
    assert set(model.get_params()) == parameters
    assert clone(model).get_params().get("callbacks") is None


@BOOSTED
def test_ranker_fit_trains_all_rounds_without_an_evaluation_set(name, ranking_data):
    X, y, groups = ranking_data
    model, fit = stopping_by("map@10", name)
    model.set_params(**{"early_stopping_round" if name == "LGBMRanker" else "early_stopping_rounds": None})
    predicted = model.fit(X, y, groups=groups, **fit).predict(X)
    assert get_scorer("map@10").score_rows(y, predicted, groups=groups) > 0.5


# ------------------------------------------------------------------ the libraries' own functions


def test_lightgbms_own_ranker_accepts_as_eval_metric(ranking_data, held_out):
    lightgbm = pytest.importorskip("lightgbm")
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    train, test = (rows[np.argsort(groups[rows], kind="stable")] for rows in (train, test))
    sizes = [np.unique(groups[rows], return_counts=True)[1] for rows in (train, test)]
    model = lightgbm.LGBMRanker(**STOPPED["LGBMRanker"], metric="None", early_stopping_round=4)
    with_sets = "eval_X" in lightgbm.LGBMRanker.fit.__annotations__
    sets = {"eval_X": (X[test],), "eval_y": (y[test],)} if with_sets else {"eval_set": [(X[test], y[test])]}
    made = as_eval_metric("map@10", library="lightgbm")
    model.fit(X[train], y[train], group=sizes[0], eval_group=[sizes[1]], eval_metric=made, **sets)
    values, i = best(model, "map@10")
    assert values[i] == get_scorer("map@10")(model, X[test], y[test], groups=groups[test])


def test_xgboost_train_accepts_as_eval_metric(ranking_data, held_out):
    xgboost = pytest.importorskip("xgboost")
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    train, test = (rows[np.argsort(groups[rows], kind="stable")] for rows in (train, test))
    matrices = [xgboost.DMatrix(X[rows], y[rows], qid=groups[rows]) for rows in (train, test)]
    matrices[1].set_weight(np.ones(len(np.unique(groups[test]))))
    log = {}
    booster = xgboost.train(
        {"objective": "rank:ndcg", "max_depth": 3},
        matrices[0],
        60,
        evals=[(matrices[1], "held_out")],
        custom_metric=as_eval_metric("mrr@5", library="xgboost"),
        callbacks=[xgboost.callback.EarlyStopping(rounds=4, maximize=True)],
        evals_result=log,
        verbose_eval=False,
    )
    predicted = booster.predict(matrices[1], iteration_range=(0, booster.best_iteration + 1))
    expected = get_scorer("mrr@5").score_rows(y[test], predicted, groups=groups[test])
    logged = log["held_out"]["mrr_scorer(k=5)"][booster.best_iteration]
    assert logged == float(f"{expected:f}")  # XGBoost writes its log with six digits
    assert booster.best_score == max(log["held_out"]["mrr_scorer(k=5)"])


def test_xgboosts_own_ranker_with_as_eval_metric_raises(ranking_data):
    xgboost = pytest.importorskip("xgboost")
    X, y, groups = (rows[np.argsort(ranking_data[2], kind="stable")] for rows in ranking_data)
    model = xgboost.XGBRanker(n_estimators=2, eval_metric=as_eval_metric("map@10", library="xgboost"))
    with pytest.raises(
        ValueError,
        match=r"must be a metric of XGBoost.* Use sklearn_rank\.rankers\.XGBRanker, or custom_metric of",
    ):
        model.fit(X, y, qid=groups, eval_set=[(X, y)], eval_qid=[groups], verbose=False)


def test_catboosts_own_ranker_with_as_eval_metric_raises(ranking_data):
    catboost = pytest.importorskip("catboost")
    X, y, groups = (rows[np.argsort(ranking_data[2], kind="stable")] for rows in ranking_data)
    made = as_eval_metric("map@10", library="catboost")
    model = catboost.CatBoostRanker(**STOPPED["CatBoostRanker"], eval_metric=made)
    with pytest.raises(
        catboost.CatBoostError,
        match=r"must be a metric of CatBoost.* Use sklearn_rank\.rankers\.CatBoostRanker",
    ):
        model.fit(X, y, group_id=groups, eval_set=catboost.Pool(X, y, group_id=groups))


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
def test_as_eval_metric_rejects_bad_arguments(metric, library, parameter):
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of as_eval_metric must"):
        as_eval_metric(metric, library=library)


def test_lightgbm_ranker_requires_metric_none_with_as_eval_metric(ranking_data):
    pytest.importorskip("lightgbm")
    X, y, groups = ranking_data
    made = as_eval_metric("ndcg@5", library="lightgbm")
    with pytest.raises(
        ValueError,
        match=r"'metric' parameter of LGBMRanker(\.fit)? must be set with an eval_metric of as_eval_metric",
    ):
        sklearn_rank.rankers.LGBMRanker(verbose=-1).fit(X, y, groups=groups, eval_metric=made)


@pytest.mark.parametrize(
    "options", [{"cat_features": [0]}, {"boosting_type": "Ordered"}], ids=["categories", "ordered"]
)
def test_catboost_that_permutes_rows_stops_by_the_evaluation_set(options, ranking_data, held_out):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    X = np.column_stack([(X[:, 0] > 0).astype(int).astype(object), X[:, 1:]])
    model, _ = stopping_by("map@10", "CatBoostRanker")
    model.set_params(**options)
    evaluation = {"eval_set": [(X[test], y[test])], "eval_groups": [groups[test]]}
    with pytest.warns(UserWarning, match="CatBoost permuted the training rows, so"):
        model.fit(X[train], y[train], groups=groups[train], **evaluation)
    values, i = best(model, "map@10")
    assert values[i] == get_scorer("map@10")(model, X[test], y[test], groups=groups[test])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(has_time=True, boosting_type="Plain", early_stopping_rounds=None)
        model.fit(X, y, groups=groups)
    [learned] = model.evals_result_["learn"].values()
    assert learned[-1] == get_scorer("map@10")(model, X, y, groups=groups)


def test_catboost_ranker_rejects_evaluation_sets_of_equal_labels(ranking_data, held_out):
    (X, y, groups), ([(train, test)], _) = ranking_data, held_out
    model, _ = stopping_by("map@10", "CatBoostRanker")
    order = np.argsort(groups[test], kind="stable")
    rows, others = test[order], np.arange(len(test)) // 3
    two = {"eval_set": [(X[rows], y[rows])] * 2, "eval_groups": [groups[rows], others]}
    with pytest.raises(
        ValueError,
        match=r"'eval_set' parameter of CatBoostRanker\.fit must contain sets with different labels",
    ):
        model.fit(X[train], y[train], groups=groups[train], **two)


def test_catboost_ranker_clones_train_in_parallel(ranking_data, held_out):
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


def test_catboost_ranker_does_not_change_warning_filters(ranking_data):
    X, y, groups = ranking_data
    model, _ = stopping_by("ndcg@5", "CatBoostRanker")
    model.set_params(early_stopping_rounds=None)
    seen = []

    class Watch:
        def after_iteration(self, info):
            seen.append(warnings.filters)
            return True

    model.fit(X, y, groups=groups, callbacks=[Watch()])
    assert seen
    assert all(filters is warnings.filters for filters in seen)


@BOOSTED
def test_ranker_fit_rejects_a_metric_made_for_another_library(name, ranking_data):
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


def test_rankers_check_metrics_inside_lists(ranking_data, held_out):
    (X, y, groups), ([(train, _)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("mrr", "LGBMRanker")
    listed = {"eval_metric": [fit["eval_metric"]]}
    single = clone(model).fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **listed)
    assert model.best_iteration_ == single.best_iteration_
    with pytest.raises(ValueError, match=r"'metric' parameter of LGBMRanker(\.fit)? must"):
        sklearn_rank.rankers.LGBMRanker().fit(X, y, groups=groups, **listed)
    made = as_eval_metric("mrr", library="xgboost")
    with pytest.raises(
        ValueError, match=r"'eval_metric' parameter of XGBRanker must be a single scorer, or a l"
    ):
        sklearn_rank.rankers.XGBRanker(eval_metric=[made]).fit(X, y, groups=groups)


def test_logged_scorer_has_another_name_than_lightgbms_metric(ranking_data, held_out):
    (X, y, groups), ([(train, _)], evaluation) = ranking_data, held_out
    model, fit = stopping_by("ndcg@5", "LGBMRanker")
    model.set_params(metric="ndcg", early_stopping_round=None)
    model.fit(X[train], y[train], groups=groups[train], **evaluation, **fit)
    log = model.evals_result_["valid_0"]
    assert {len(values) for values in log.values()} == {60}
    assert {"ndcg@5", "ndcg_scorer(k=5)"} <= set(log)


def test_xgboost_ranker_early_stopping_requires_an_evaluation_set(ranking_data):
    X, y, groups = ranking_data
    model, _ = stopping_by("mrr", "XGBRanker")
    with pytest.raises(
        ValueError,
        match=r"'early_stopping_rounds' parameter of XGBRanker must be combined with evaluation data",
    ):
        model.fit(X, y, groups=groups)


def test_xgboost_callbacks_see_the_metric(ranking_data, held_out):
    xgboost = pytest.importorskip("xgboost")
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    model, _ = stopping_by("mrr", "XGBRanker")
    stop = xgboost.callback.EarlyStopping(rounds=4, metric_name="mrr_scorer()", maximize=True, save_best=True)
    model.set_params(callbacks=[stop], early_stopping_rounds=None)
    model.fit(X[train], y[train], groups=groups[train], **evaluation)
    assert model.best_score == get_scorer("mrr")(model, X[test], y[test], groups=groups[test])
    assert model.get_params()["callbacks"] == [stop]


@BOOSTED
def test_ranker_fit_rejects_evaluation_weights_that_vary_in_a_query(name, ranking_data, held_out):
    (X, y, groups), ([(train, test)], evaluation) = ranking_data, held_out
    model, fit = stopping_by(get_scorer("mrr").set_score_request(sample_weight=True), name)
    weights = {"eval_sample_weight": [np.arange(len(test)) + 1.0]}
    with pytest.raises(
        ValueError, match=rf"'eval_sample_weight' parameter of {name}\.fit must be the same for all rows"
    ):
        model.fit(X[train], y[train], groups=groups[train], **evaluation, **weights, **fit)


# ------------------------------------------------------------------ cache of evaluation sets


@pytest.mark.parametrize("changed", ["labels", "sizes and weights", "weights"])
def test_as_eval_metric_notices_arrays_changed_in_place(changed):
    stop_by = as_eval_metric(ndcg_scorer(k=2).set_score_request(sample_weight=True), library="lightgbm")
    y_true, sizes = np.array([1.0, 0, 0, 1], dtype=np.float32), np.array([2, 2])
    weights, y_score = np.array([1.0, 1, 3, 3]), np.array([0.9, 0.8, 0.7, 0.6])
    stop_by(y_true, y_score, weights, sizes)
    if changed == "labels":
        y_true[3] = 4
    if changed == "sizes and weights":
        sizes[:], weights[:] = [1, 3], [1, 3, 3, 3]
    if changed == "weights":
        weights[:] = [2, 2, 1, 1]
    groups = np.repeat([0, 1], sizes)
    expected = ndcg_scorer(k=2).score_rows(y_true, y_score, groups=groups, sample_weight=weights)
    assert stop_by(y_true, y_score, weights, sizes)[1] == expected


def test_as_eval_metric_scores_more_sets_than_it_caches():
    stop_by = as_eval_metric("map", library="lightgbm")
    rng = np.random.default_rng(0)
    sets = [(rng.permutation([0, 0, 0, 1, 1, 1]), rng.random(6), np.array([2, 4])) for _ in range(12)]
    for _ in range(2):
        for y_true, y_score, sizes in sets:
            expected = ranking_scores(y_true, y_score, groups=np.repeat([0, 1], sizes), metrics=["map"])
            assert stop_by(y_true, y_score, None, sizes)[1] == expected["map"]


def test_as_eval_metric_pickle_excludes_its_cache():
    stop_by = as_eval_metric("map", library="lightgbm")
    alone = pickle.dumps(stop_by)
    stop_by(np.arange(1000) % 2, np.arange(1000), None, np.full(10, 100))
    copied = pickle.dumps(stop_by)
    assert copied == alone
    assert pickle.loads(copied)([1, 0], [0.5, 0.7], None, [2]) == ("map_scorer()", 0.5, True)


def test_as_eval_metric_checks_labels_again_if_the_scorer_changed():
    scorer = get_scorer("kendall_tau")
    stop_by = as_eval_metric(scorer, library="lightgbm")
    rows = np.array([-1.0, 0, 2, 1]), np.array([0.1, 0.4, 0.3, 0.2]), None, np.array([4])
    assert stop_by(*rows)[1] == pytest.approx(1 / 3)
    scorer.metrics = "ndcg"
    with pytest.raises(ValueError, match=r"'y_true' parameter of .* must be finite and non-negative"):
        stop_by(*rows)


def test_as_eval_metric_calls_score_rows_of_own_scorers():
    class Constant(RankingScorer):
        def score_rows(self, *rows, **options):
            return 42.0

    stop_by = as_eval_metric(Constant("map"), library="lightgbm")
    assert stop_by(np.array([1, 0]), np.array([0.5, 0.7]), None, np.array([2]))[1] == 42


def test_as_eval_metric_rejects_another_order_and_masked_weights():
    pandas = pytest.importorskip("pandas")
    stop_by = as_eval_metric(map_scorer().set_score_request(sample_weight=True), library="lightgbm")
    y_true = pandas.Series([1, 0, 0, 1], index=[0, 1, 2, 3])
    y_score = pandas.Series([0.6, 0.7, 0.8, 0.9], index=[3, 2, 1, 0])
    with pytest.raises(
        ValueError, match=r"'y_score' parameter of .* must have its rows in the same order as 'y_true'"
    ):
        stop_by(y_true, y_score, None, [2, 2])
    weights = np.ma.array([1.0, 1, 1, 1], mask=[0, 1, 0, 0])
    with pytest.raises(
        ValueError, match=r"'sample_weight' parameter of .* must be an array without masked entries"
    ):
        stop_by(y_true.to_numpy(), y_score.to_numpy(), weights, [2, 2])


def test_as_eval_metric_is_thread_safe():
    stop_by = as_eval_metric("ndcg@5", library="lightgbm")
    rng = np.random.default_rng(0)
    sets = [(rng.integers(0, 4, 60), rng.random(60), None, np.full(6, 10)) for _ in range(16)]
    expected = [as_eval_metric("ndcg@5", library="lightgbm")(*rows) for rows in sets] * 20
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda rows: stop_by(*rows), sets * 20)) == expected
