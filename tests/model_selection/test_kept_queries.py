"""Values per query that a search keeps: equal to a loop over the folds, without changing its results."""

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RankingWarning,
    RepeatedBalancedGroupKFold,
    WithinGroupKFold,
    cross_val_report,
    cross_val_score,
    cross_validate,
    map_score,
    ndcg_score,
    ndcg_scorer,
    ranking_scorer,
)
from sklearn_rank.preprocessing import WithinGroupScaler
from tests.helpers.forms import frame, load, without_ids
from tests.helpers.id_models import ChecksIds
from tests.helpers.rankers import ours
from tests.helpers.search_kinds import EVERY_KIND, exact_results, fit, make, values_by_fold, values_by_hand
from tests.helpers.searches import ALPHAS


def ndcg_at_3(y_true, y_score, **options):
    return ndcg_score(y_true, y_score, k=3, **options)


# ------------------------------------------------------------------ results of searches do not change


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize(
    "options",
    [{}, {"n_jobs": 2}, {"return_train_score": True}, {"return_train_score": False}, {"refit": False}],
    ids=str,
)
def test_keep_queries_does_not_change_search_results(kind, options, routing, ranking_data):
    kept = fit(ranking_data, kind, **options)
    plain = fit(ranking_data, kind, keep_queries=False, **options)
    assert exact_results(kept) == exact_results(plain)
    assert kept.best_index_ == plain.best_index_
    if "refit" not in options:
        np.testing.assert_array_equal(kept.predict(ranking_data[0]), plain.predict(ranking_data[0]))


@pytest.mark.slow
@EVERY_KIND
def test_kept_values_are_the_same_with_threads(kind, ranking_data):
    alone = fit(ranking_data, kind)
    with joblib.parallel_backend("threading"):
        threaded = fit(ranking_data, kind, n_jobs=2)
    assert exact_results(threaded) == exact_results(alone)
    np.testing.assert_array_equal(threaded.kept_queries_.values, alone.kept_queries_.values)


@pytest.mark.slow
@EVERY_KIND
def test_kept_values_are_the_same_with_processes(kind, routing, ranking_data):
    alone, several = fit(ranking_data, kind), fit(ranking_data, kind, n_jobs=2)
    np.testing.assert_array_equal(several.kept_queries_.values, alone.kept_queries_.values)
    np.testing.assert_array_equal(several.kept_queries_.queries, alone.kept_queries_.queries)


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize("place", ["outermost", "step", "last step"])
def test_keep_queries_does_not_change_scores_of_nested_searches(kind, place, routing, ranking_data):
    X, y, groups = ranking_data
    scores = []
    for keep in (False, True):
        model = make(kind, keep_queries=keep, cv=2)
        if place == "last step":
            model = make_pipeline(StandardScaler(), model)
        if place == "step":
            inner = make_pipeline(StandardScaler(), Ridge())
            model = Pipeline(
                [("model", make(kind, inner, {"ridge__alpha": ALPHAS}, keep_queries=keep, cv=2))]
            )
        asked = {"groups": groups, "scoring": "ndcg", "cv": 2, "error_score": "raise"}
        scores.append(cross_val_score(model, X, y, **asked).tolist())
    assert scores[0] == scores[1]


@pytest.mark.slow
@EVERY_KIND
def test_inner_searches_keep_queries_of_their_training_set(kind, routing, ranking_data):
    X, y, groups = ranking_data
    search = (
        make(kind, keep_queries=True, cv=2, random_state=0)
        if kind != "grid"
        else make(keep_queries=True, cv=2)
    )
    found = cross_validate(
        search, X, y, groups=groups, scoring="ndcg", cv=3, return_estimator=True, return_indices=True
    )
    for fitted, train in zip(found["estimator"], found["indices"]["train"]):
        assert fitted.kept_queries_.ids.tolist() == np.unique(groups[train]).tolist()
        last = fitted.report(len(fitted.cv_results_["params"]) - 1)
        assert set(last.ids) <= set(groups[train])


# ------------------------------------------------------------------ the values


TIMES = np.arange(1000) % 97
SPLITTERS = {
    "int": 3,
    "balanced": BalancedGroupKFold(4, shuffle=True, random_state=1),
    "repeated": RepeatedBalancedGroupKFold(n_splits=3, n_repeats=2, random_state=0),
    "within": WithinGroupKFold(n_splits=2),
    "last out": LeaveLastOut(n_last=3),
    "over time": GroupTimeSeriesSplit(n_splits=3),
    "shuffled": GroupShuffleSplit(3, test_size=0.2, random_state=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPLITTERS)
def test_kept_values_equal_a_loop_over_the_folds(name, routing, ranking_data):
    X, y, groups = ranking_data
    cv, times = SPLITTERS[name], {}
    if name in ("last out", "over time"):
        rank = np.argsort(np.argsort(groups, kind="stable"), kind="stable")
        times = {"times": rank if name == "over time" else TIMES[: len(y)]}
    search = make(cv=cv, keep_queries=True).fit(X, y, groups=groups, **times)
    params = {"params": times} if times else {}
    for candidate, alpha in enumerate(ALPHAS):
        expected = values_by_hand(Ridge(alpha=alpha), ranking_data, cv, ndcg_at_3, **params)
        assert values_by_fold(search, candidate) == expected


def test_kept_values_of_listed_folds_of_unequal_sizes(ranking_data):
    groups = ranking_data[2]
    tests = [groups < 5, (groups >= 5) & (groups < 40), groups % 7 == 3]
    cv = [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]
    search = fit(ranking_data, cv=cv)
    assert values_by_fold(search, 1) == values_by_hand(Ridge(alpha=ALPHAS[1]), ranking_data, cv, ndcg_at_3)
    assert [len(ids) for ids, _ in values_by_fold(search, 1)] == [
        len(np.unique(groups[test])) for test in tests
    ]


@EVERY_KIND
def test_scores_of_folds_are_means_of_kept_values(kind, routing, ranking_data):
    search = fit(ranking_data, kind)
    for candidate in range(len(search.cv_results_["params"])):
        for fold, (_, values) in enumerate(values_by_fold(search, candidate)):
            score = search.cv_results_[f"split{fold}_test_score"][candidate]
            assert np.mean(values) == pytest.approx(score, rel=1e-14)


def test_halving_tests_candidates_of_a_round_on_the_same_queries(ranking_data):
    search = fit(ranking_data, "halving grid")
    kept, rounds = search.kept_queries_, search.cv_results_["iter"]
    assert len(np.unique(rounds)) > 1
    n_tested = [len(np.unique(kept.queries[each])) for each in kept.tested]
    assert n_tested == search.cv_results_["n_resources"].tolist()
    for number in np.unique(rounds):
        of_round = kept.tested[rounds == number]
        assert (of_round == of_round[0]).all()


def test_search_report_keeps_the_scale_of_weights(routing, ranking_data):
    X, y, groups = ranking_data
    per_query = 2.0 ** (groups % 9 - 4)
    scorer = ndcg_scorer(k=3).set_score_request(sample_weight=True)
    model = Ridge().set_fit_request(sample_weight=False) if routing else Ridge()
    options = {"scoring": scorer, "keep_queries": True}
    search = make(model=model, **options).fit(X, y, groups=groups, sample_weight=per_query)
    plain = make(model=model, scoring=scorer).fit(X, y, groups=groups, sample_weight=per_query)
    assert exact_results(search) == exact_results(plain)
    report = search.report(1)
    assert report.mean["ndcg@3"] == pytest.approx(
        np.average(report.values["ndcg@3"], weights=2.0 ** (report.ids % 9 - 4)), rel=1e-14
    )


MODELS = {
    "scaled within queries": (make_pipeline(WithinGroupScaler(), Ridge()), {"ridge__alpha": ALPHAS}),
    "models": (Pipeline([("model", Ridge())]), {"model": [Ridge(), Ridge(1e3), make_pipeline(Ridge(1e5))]}),
    "models with ids": (
        Pipeline([("model", Ridge())]),
        {"model": [Ridge(), make_pipeline(WithinGroupScaler(), Ridge())]},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("name", MODELS)
def test_kept_values_equal_cross_val_report_for_models_with_ids(name, n_jobs, routing, ranking_data, folds):
    X, y, groups = ranking_data
    model, grid = MODELS[name]
    search = fit(ranking_data, model=model, grid=grid, cv=folds, n_jobs=n_jobs)
    for candidate, params in enumerate(search.cv_results_["params"]):
        fresh = make(model=model, grid=grid).estimator.set_params(**params)
        for fold, (ids, values) in enumerate(values_by_fold(search, candidate)):
            report = cross_val_report(fresh, X, y, groups=groups, scoring=["ndcg@3"], cv=[folds[fold]])
            assert (ids, values) == (report.ids.tolist(), report.values["ndcg@3"].tolist())


def test_search_that_keeps_queries_passes_ids_to_models(with_ids, ranking_data):
    (model, X), (_, y, groups) = with_ids, ranking_data
    search = fit(
        (X, y, groups), model=Pipeline([("model", model)]), grid={"model": [ChecksIds(), ChecksIds(1e3)]}
    )
    assert values_by_fold(search, 0) == values_by_fold(fit(ranking_data, grid={"alpha": [1.0]}), 0)


def test_kept_values_of_a_boosted_ranker(ranking_data, folds):
    model = ours("LGBMRanker")
    search = fit(ranking_data, model=model, grid={"num_leaves": [3, 7]}, cv=folds)
    for candidate, leaves in enumerate([3, 7]):
        expected = values_by_hand(ours("LGBMRanker", num_leaves=leaves), ranking_data, folds, ndcg_at_3)
        assert values_by_fold(search, candidate) == expected


# ------------------------------------------------------------------ choice of the metric


@pytest.mark.parametrize("keep", [True, "map", "ndcg@3"])
@pytest.mark.parametrize(
    "scoring",
    [
        ["ndcg@3", "map", "r2"],
        {"ndcg@3": ndcg_scorer(k=3), "map": "map", "own": "r2"},
        ranking_scorer(["ndcg@3", "map"]),
    ],
    ids=["list", "dict", "one scorer"],
)
def test_search_keeps_one_of_several_metrics(scoring, keep, routing, ranking_data, folds):
    search = fit(ranking_data, scoring=scoring, refit="ndcg@3", keep_queries=keep)
    name = keep if isinstance(keep, str) else "ndcg@3"
    metric = map_score if name == "map" else ndcg_at_3
    assert exact_results(search) == exact_results(
        fit(ranking_data, scoring=scoring, refit="ndcg@3", keep_queries=False)
    )
    assert values_by_fold(search, 2) == values_by_hand(Ridge(alpha=ALPHAS[2]), ranking_data, 3, metric)
    assert search.report(2).metrics == (name,)


def test_kept_queries_of_a_scorer_named_unlike_its_metric(ranking_data):
    scoring = {"ours": ndcg_scorer(k=3), "theirs": "r2"}
    search = fit(ranking_data, scoring=scoring, refit="theirs", keep_queries="ours")
    assert (search.kept_queries_.key, search.kept_queries_.metric) == ("ours", "ndcg@3")
    assert values_by_fold(search, 0) == values_by_fold(fit(ranking_data), 0)


@pytest.mark.parametrize(
    "model", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=["alone", "pipeline"]
)
def test_scoring_functions_get_the_users_model(model, routing, ranking_data):
    def score(fitted, X, y):
        assert type(fitted) is type(model)
        return fitted.score(X, y)

    options = {"model": model, "grid": {}, "refit": "kept", "error_score": "raise"}
    scoring = {"kept": "ndcg@3", "own": score, "theirs": "r2"}
    results = fit(ranking_data, scoring=scoring, **options).cv_results_
    np.testing.assert_array_equal(results["mean_test_own"], results["mean_test_theirs"])


# ------------------------------------------------------------------ ids


@pytest.mark.parametrize(
    "convert",
    [list, lambda ids: np.array([f"q{i:03d}" for i in ids]), lambda ids: [(int(i), "web") for i in ids]],
    ids=["ints", "strings", "tuples"],
)
def test_kept_queries_keep_ids_as_given(convert, routing, ranking_data):
    X, y, groups = ranking_data
    search, plain = fit((X, y, convert(groups))), fit(ranking_data)
    assert search.kept_queries_.ids.tolist() == list(convert(np.unique(groups).tolist()))
    np.testing.assert_array_equal(search.kept_queries_.values, plain.kept_queries_.values)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
@EVERY_KIND
def test_search_that_keeps_queries_reads_ids_from_a_column(kind, library, routing, ranking_data):
    X, y, groups = ranking_data
    model = make_pipeline(FunctionTransformer(without_ids), Ridge())
    rows = frame(library, X, qid=groups), y, "qid"
    search = fit(rows, kind, model=model, grid={"ridge__alpha": ALPHAS})
    plain = fit(ranking_data, kind)
    assert search.kept_queries_.ids.tolist() == plain.kept_queries_.ids.tolist()
    np.testing.assert_allclose(search.kept_queries_.values, plain.kept_queries_.values, rtol=1e-9)


def test_search_that_keeps_queries_accepts_a_shuffled_index(routing, ranking_data):
    X, y, groups = ranking_data
    pd = load("pandas")
    index = np.random.default_rng(0).permutation(len(y))
    rows = pd.DataFrame(X, index=index), pd.Series(y, index=index), pd.Series(groups, index=index)
    search, plain = fit(rows), fit(ranking_data)
    assert search.kept_queries_.ids.tolist() == plain.kept_queries_.ids.tolist()
    np.testing.assert_allclose(search.kept_queries_.values, plain.kept_queries_.values, rtol=1e-9)


# ------------------------------------------------------------------ memory


def test_keep_dtype_float32_halves_the_memory(ranking_data):
    double, single = (fit(ranking_data, keep_dtype=dtype).kept_queries_ for dtype in ("float64", "float32"))
    assert double.values.nbytes == 2 * single.values.nbytes == 8 * 60 * 3
    assert single.values.dtype == np.float32
    np.testing.assert_allclose(single.values, double.values, rtol=0, atol=1e-7)


def test_keep_dtype_float32_changes_reports_by_less_than_1e_6(ranking_data):
    scorer = ranking_scorer(["recall@3"], average="micro")
    double, single = (
        fit(ranking_data, scoring=scorer, refit="recall@3", keep_dtype=dtype).report(0)
        for dtype in ("float64", "float32")
    )
    assert single.mean["recall@3"] == pytest.approx(double.mean["recall@3"], abs=1e-7)
    assert single.interval["recall@3"] == pytest.approx(double.interval["recall@3"], abs=1e-6)


def test_kept_queries_repr_counts_candidates_and_queries(ranking_data):
    assert repr(fit(ranking_data).kept_queries_) == "<KeptQueries of 3 candidates and 60 queries: ndcg@3>"


def test_search_warns_if_kept_values_are_lost(ranking_data, monkeypatch):
    monkeypatch.setattr("sklearn_rank.model_selection._kept_queries._carry", lambda score, *_: score)
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring="ndcg@5", cv=3, keep_queries=True)
    with pytest.warns(RankingWarning, match=r"no per-query values for 6 of 6 fits, so"):
        search.fit(X, y, groups=groups)


@pytest.mark.parametrize("keep_queries", [False, True])
def test_metadata_without_a_request_raises_before_any_fit(keep_queries):
    X, y, groups = np.arange(24.0).reshape(12, 2), np.arange(12) % 3, np.repeat(np.arange(4), 3)
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring="ndcg", cv=2, keep_queries=keep_queries)
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(UnsetMetadataPassedError, match=r"within GridSearchCV\.fit"),
    ):
        search.fit(X, y, groups=groups, sample_weight=np.ones(12))
