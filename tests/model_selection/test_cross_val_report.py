"""Reports of out-of-fold predictions: equal to those of `evaluate`, with each query counted once."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupShuffleSplit, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RepeatedBalancedGroupKFold,
    WithinGroupKFold,
    compare,
    cross_val_predict,
    cross_val_report,
    evaluate,
    ndcg_scorer,
    ranking_scores,
)
from tests.helpers.forms import frame, load, without_ids

NAMES = ["ndcg@10", "mrr", "precision@3", "hit_rate@1", "bpr_loss", "neg_bpr_loss"]
PIPELINE = make_pipeline(StandardScaler(), Ridge())


def report_of(model, rows, metrics=NAMES, **options):
    X, y, groups = rows
    return cross_val_report(model, X, y, groups=groups, scoring=metrics, **{"cv": 3} | options)


def expected_of(model, rows, cv=3, method="predict", params=None, **options):
    """Evaluate what `cross_val_predict` returns."""
    X, y, groups = rows
    y_score = cross_val_predict(model, X, y, groups=groups, cv=cv, method=method, params=params)
    y_score = y_score[:, 1] if method == "predict_proba" else y_score
    return evaluate(y, y_score, groups=groups, **{"metrics": NAMES} | options)


def assert_same(report, expected):
    """Compare reports; the last digit of a value depends on the rows that it is computed with."""
    assert (report.metrics, report.n_queries, report.n_empty) == (
        expected.metrics,
        expected.n_queries,
        expected.n_empty,
    )
    assert report.n_defined == expected.n_defined
    np.testing.assert_array_equal(report.ids, expected.ids)
    np.testing.assert_array_equal(report.sizes, expected.sizes)
    np.testing.assert_array_equal(report.n_relevant, expected.n_relevant)
    for name in report.metrics:
        np.testing.assert_allclose(report.values[name], expected.values[name], rtol=1e-14)
        assert report.mean[name] == pytest.approx(expected.mean[name], rel=1e-14)
        assert report.standard_error[name] == pytest.approx(expected.standard_error[name], rel=1e-11)
        assert report.interval[name] == pytest.approx(expected.interval[name], rel=1e-11)


@pytest.fixture(scope="module")
def weights(ranking_data):
    """A weight of each query, repeated on its rows."""
    return ranking_data[2] % 4 + 0.5


@pytest.fixture(scope="module")
def binary(ranking_data):
    X, y, groups = ranking_data
    return X, (y > 1).astype(int), groups


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("model", [Ridge(), PIPELINE], ids=["alone", "pipeline"])
def test_cross_val_report_equals_evaluate_on_cross_val_predict(model, routing, ranking_data):
    assert_same(report_of(model, ranking_data), expected_of(model, ranking_data))


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_cross_val_report_means_equal_ranking_scores_exactly(average, ranking_data, weights):
    names = (
        ["recall@3", "precision@3"]
        if average == "micro"
        else ["mrr", "map", "recall@3", "hit_rate@1", "ndcg@1"]
    )
    options = {"metrics": names, "average": average, "sample_weight": weights}
    X, y, groups = ranking_data
    y_score = cross_val_predict(Ridge(), X, y, groups=groups, cv=3)
    expected = ranking_scores(y, y_score, groups=groups, **options)
    assert report_of(Ridge(), ranking_data, **options).mean == expected


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "worst", "gain": "exponential", "discount": "reciprocal"},
        {"min_relevance": 3, "zero_division": 1.0},
        {"min_relevance": 4, "zero_division": np.nan},
        {"average": "weighted"},
        {"average": "micro", "metrics": ["precision@3", "recall@3"]},
        {"average": "micro", "metrics": ["recall@3"], "min_relevance": 4, "zero_division": np.nan},
        {"interval": "bootstrap", "random_state": 3, "n_resamples": 200, "confidence_level": 0.8},
        {"metrics": ["recall@3(average=micro)", "ndcg@10(ties=worst)"]},
    ],
    ids=str,
)
def test_cross_val_report_options_match_evaluate(options, ranking_data):
    assert_same(report_of(Ridge(), ranking_data, **options), expected_of(Ridge(), ranking_data, **options))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_cross_val_report_weights_match_evaluate_over_all_folds(average, ranking_data, weights):
    options = {"sample_weight": weights, "average": average}
    assert_same(report_of(Ridge(), ranking_data, **options), expected_of(Ridge(), ranking_data, **options))


def test_cross_val_report_weights_micro_averages(ranking_data, weights):
    options = {"sample_weight": weights, "average": "micro", "metrics": ["recall@3"]}
    assert_same(report_of(Ridge(), ranking_data, **options), expected_of(Ridge(), ranking_data, **options))


def test_cross_val_report_passes_params_to_fit(ranking_data, weights):
    params = {"sample_weight": weights}
    report = report_of(Ridge(), ranking_data, params=params)
    assert_same(report, expected_of(Ridge(), ranking_data, params=params))
    assert report.mean != report_of(Ridge(), ranking_data).mean


def test_cross_val_report_passes_params_to_fit_with_routing_enabled(ranking_data, weights):
    params = {"sample_weight": weights}
    with sklearn.config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=True)
        report = report_of(model, ranking_data, params=params)
    assert_same(report, report_of(Ridge(), ranking_data, params=params))


@pytest.mark.parametrize("of", ["rows", "queries"])
def test_cross_val_report_clusters_match_evaluate(of, ranking_data):
    groups = ranking_data[2]
    ids = np.unique(groups)
    cluster = groups // 7 if of == "rows" else dict(zip(ids, ids // 7))
    report = report_of(Ridge(), ranking_data, cluster=cluster)
    assert_same(report, expected_of(Ridge(), ranking_data, cluster=cluster))
    assert report.clusters.tolist() == (np.unique(groups) // 7).tolist()


def test_cross_val_report_is_the_same_with_two_jobs(ranking_data):
    assert_same(report_of(Ridge(), ranking_data, n_jobs=2), report_of(Ridge(), ranking_data))


# ------------------------------------------------------------------ models


@pytest.mark.parametrize("response_method", ["auto", "predict_proba"])
def test_cross_val_report_ranks_by_probability_of_classifiers(response_method, binary):
    report = report_of(LogisticRegression(), binary, response_method=response_method, metrics=["ndcg@10"])
    assert_same(
        report, expected_of(LogisticRegression(), binary, method="predict_proba", metrics=["ndcg@10"])
    )


def test_cross_val_report_ranks_by_the_given_response_method(binary):
    report = report_of(LogisticRegression(), binary, response_method="predict", metrics=["ndcg@10"])
    assert_same(report, expected_of(LogisticRegression(), binary, metrics=["ndcg@10"]))


def test_cross_val_report_of_a_ranker_with_early_stopping(ranking_data):
    pytest.importorskip("lightgbm")
    from sklearn_rank.rankers import LGBMRanker

    model = LGBMRanker(
        n_estimators=20,
        early_stopping_round=2,
        validation_fraction=0.2,
        metric="ndcg",
        random_state=0,
        verbose=-1,
    )
    assert_same(report_of(model, ranking_data), expected_of(model, ranking_data))


def test_cross_val_report_of_a_search(ranking_data):
    search = GridSearchCV(Ridge(), {"alpha": [1, 1000]}, scoring=ndcg_scorer(), cv=2)
    assert_same(report_of(search, ranking_data), expected_of(search, ranking_data))


# ------------------------------------------------------------------ ids and rows


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_cross_val_report_reads_ids_from_a_column(library, ranking_data):
    X, y, groups = ranking_data
    model = make_pipeline(FunctionTransformer(without_ids), Ridge())
    report = report_of(model, (frame(library, X, qid=groups), y, "qid"))
    expected = report_of(Ridge(), ranking_data)
    np.testing.assert_array_equal(report.ids, expected.ids)
    for name in NAMES:
        np.testing.assert_allclose(report.values[name], expected.values[name], rtol=1e-9)


def test_cross_val_report_reads_ids_from_the_index(ranking_data):
    X, y, groups = ranking_data
    pd = load("pandas")
    index = pd.Index(groups, name="qid")
    rows = pd.DataFrame(X, index=index), pd.Series(y, index=index), "qid"
    assert_same(report_of(Ridge(), rows), report_of(Ridge(), ranking_data))


@pytest.mark.parametrize(
    "convert",
    [list, lambda ids: [f"{i:03d}" for i in ids], lambda ids: [(int(i), "web") for i in ids]],
    ids=["ints", "strings", "tuples"],
)
def test_cross_val_report_keeps_ids_as_given(convert, ranking_data):
    X, y, groups = ranking_data
    report = report_of(Ridge(), (X, y, convert(groups)))
    assert report.ids.tolist() == convert(np.unique(groups).tolist())
    assert report.mean == report_of(Ridge(), ranking_data).mean


def test_cross_val_report_accepts_an_iterator_of_metrics(ranking_data):
    assert report_of(Ridge(), ranking_data, metrics=iter(["mrr"])).metrics == ("mrr",)


# ------------------------------------------------------------------ folds


def test_report_folds_contain_the_fold_of_each_query(ranking_data, folds):
    report = report_of(Ridge(), ranking_data)
    groups = ranking_data[2]
    for number, (_, test) in enumerate(folds):
        assert report.ids[report.folds == number].tolist() == np.unique(groups[test]).tolist()


def test_repeatedly_tested_query_counts_once_with_its_mean(ranking_data):
    X, y, groups = ranking_data
    cv = RepeatedBalancedGroupKFold(n_splits=3, n_repeats=2, random_state=0)
    report = report_of(Ridge(), ranking_data, cv=cv)
    values, folds = {name: [] for name in NAMES}, []
    for start in (0, 3):
        splits = list(cv.split(X, y, groups))[start : start + 3]
        once = report_of(Ridge(), ranking_data, cv=splits)
        folds.append(once.folds + start)
        for name in NAMES:
            values[name].append(once.values[name])
    assert (report.n_queries, report.folds.shape) == (60, (60, 2))
    np.testing.assert_array_equal(report.folds, np.transpose(folds))
    for name in NAMES:
        np.testing.assert_allclose(report.values[name], np.mean(values[name], axis=0), rtol=1e-14)
        assert report.mean[name] == pytest.approx(np.nanmean(report.values[name]), rel=1e-14)


def test_micro_average_over_repeats_is_the_mean_of_repeats(ranking_data):
    X, y, groups = ranking_data
    cv = RepeatedBalancedGroupKFold(n_splits=3, n_repeats=2, random_state=0)
    options = {"metrics": ["recall@3"], "average": "micro", "min_relevance": 4, "zero_division": np.nan}
    report = report_of(Ridge(), ranking_data, cv=cv, **options)
    splits = list(cv.split(X, y, groups))
    means = [
        report_of(Ridge(), ranking_data, cv=splits[i : i + 3], **options).mean["recall@3"] for i in (0, 3)
    ]
    assert report.mean["recall@3"] == pytest.approx(np.mean(means), rel=1e-13)
    assert report.n_defined["recall@3"] < report.n_queries == 60


def test_cross_val_report_excludes_queries_that_no_fold_tests(ranking_data, weights):
    X, y, groups = ranking_data
    cv = GroupShuffleSplit(2, test_size=0.2, random_state=0)
    tested = [np.unique(groups[test]) for _, test in cv.split(X, y, groups)]
    report = report_of(Ridge(), ranking_data, cv=cv, sample_weight=weights, cluster=groups // 3)
    assert report.ids.tolist() == sorted(set(tested[0]) | set(tested[1]))
    assert report.n_queries < 60
    for query, folds in zip(report.ids, report.folds.tolist()):
        expected = [number for number in (0, 1) if query in tested[number]]
        assert folds == expected + [-1] * (2 - len(expected))


def test_query_tested_in_parts_counts_once(ranking_data):
    report = report_of(Ridge(), ranking_data, cv=WithinGroupKFold(n_splits=2))
    assert (report.n_queries, report.folds.shape) == (60, (60, 2))


def test_compare_rejects_reports_of_different_folds(ranking_data):
    reports = {f"{alpha}": report_of(Ridge(alpha=alpha), ranking_data) for alpha in (1, 1000)}
    assert compare(reports).n_queries == 60
    others = {"a": reports["1"], "b": report_of(Ridge(), ranking_data, cv=5)}
    with pytest.raises(ValueError, match="must have each query in the same fold"):
        compare(others)


def test_cross_val_report_warns_about_folds_that_cut_queries(ranking_data):
    cv = list(KFold(3).split(ranking_data[0]))
    with pytest.warns(match="cuts queries|in fold 0"):
        report_of(Ridge(), ranking_data, cv=cv)


def test_cross_val_report_with_int_cv_uses_balanced_group_kfold(ranking_data):
    assert_same(report_of(Ridge(), ranking_data, cv=BalancedGroupKFold(3)), report_of(Ridge(), ranking_data))
