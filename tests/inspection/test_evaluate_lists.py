"""Reports of metrics of items: metrics with a value per query, and metrics of all lists."""

import json
import pickle

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import compare, evaluate, ranking_scores
from tests.helpers.reports import split_by
from tests.metrics.test_list_metric_names import LIST_METRICS, NAMES, SHARES, given

assert given  # a fixture
WHOLE = ["catalog_coverage@3", "exposure_gini_loss@3", "personalization@3"]
SOME = ["ndcg@3", "novelty@3", "catalog_coverage@3"]


@pytest.fixture
def few(given):
    """What these need."""
    return {key: given[key] for key in ("y_true", "y_score", "groups", "items", "popularity")}


@pytest.fixture
def frame(given):
    """The same as columns."""
    pandas = pytest.importorskip("pandas")
    columns = {"label": "y_true", "score": "y_score", "user": "groups", "item": "items"}
    columns = {name: given[key] for name, key in columns.items()}
    columns |= {f"f{place}": given["features"][:, place] for place in range(3)}
    return pandas.DataFrame(columns).assign(known=[SHARES[item] for item in given["items"]])


def test_evaluate_of_items_has_means_of_ranking_scores(given):
    report = evaluate(**given, metrics=["mrr", *NAMES])
    assert {**report.mean, **report.list_metrics} == ranking_scores(**given, metrics=["mrr", *NAMES])
    assert report.metrics == ("mrr", *[name for name in NAMES if name not in WHOLE])
    assert list(report.list_metrics) == [name for name in NAMES if name in WHOLE]


def test_evaluate_of_items_has_values_of_ranking_scores(given):
    names = ["mrr", *[name for name in NAMES if name not in WHOLE]]
    report = evaluate(**given, metrics=names)
    expected = ranking_scores(**given, metrics=names, average=None)
    for name in names:
        np.testing.assert_array_equal(report.values[name], expected[name])
    assert report.ids.tolist() == ["u", "v", "w"]
    assert report.to_frame("pandas").columns.tolist()[-len(names) :] == names


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_evaluate_of_items_follows_weights_and_average(average, few):
    weights = np.unique(few["groups"], return_inverse=True)[1] + 1.0
    options = {"sample_weight": weights, "average": average, "metrics": SOME[:2]}
    assert evaluate(**few, **options).mean == ranking_scores(**few, **options)


def test_evaluate_reports_item_metrics_alone(few):
    report = evaluate(**few, metrics=["novelty@3"])
    assert report.mean == ranking_scores(**few, metrics=["novelty@3"])
    assert report.n_relevant.tolist() == [
        int(np.count_nonzero(few["y_true"][few["groups"] == user])) for user in "uvw"
    ]


def test_evaluate_of_items_leaves_out_users_without_retrieved_items(few):
    few["y_score"] = np.where(few["groups"] == "v", -np.inf, few["y_score"])
    report = evaluate(**few, metrics=["novelty@3"])
    assert (report.n_defined["novelty@3"], report.n_empty["novelty@3"]) == (2, 1)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WHOLE])
def test_evaluate_of_items_keeps_intervals_within_bounds(name, given):
    metric = LIST_METRICS[name.removesuffix("@3")]
    names = [name] if metric.greater_is_better else [name, f"neg_{name}"]
    tables = {
        key: value for key, value in given.items() if key in (*metric.needs, "y_true", "y_score", "groups")
    }
    report = evaluate(**tables, metrics=names, confidence_level=1 - 1e-9)
    low, high = report.interval[name]
    assert metric.lower <= low < high <= metric.upper
    if not metric.greater_is_better:
        low, high = report.interval[f"neg_{name}"]
        assert -metric.upper <= low < high <= -metric.lower


def test_report_shows_metrics_of_all_lists_with_known_intervals(few):
    report = evaluate(**few, metrics=[*SOME, "personalization@3"])
    values = report.list_metrics
    (name, (low, high)), *others = report.list_metrics_interval.items()
    assert (name, others) == ("catalog_coverage@3", [])
    assert list(report.table().notes[-2:]) == [
        "Metrics over all queries together, with 95% CI for as many users as these (jackknife): "
        f"catalog_coverage@3 {values[name]:.3f} [{low:.3f}, {high:.3f}].",
        "Metrics over all queries together, without an interval: "
        f"personalization@3 {values['personalization@3']:.3f}.",
    ]
    assert json.loads(json.dumps(report.to_dict()))["list_metrics_interval"] == {name: [low, high]}
    loaded = pickle.loads(pickle.dumps(report))
    assert (loaded.list_metrics, loaded.list_metrics_interval) == (values, report.list_metrics_interval)
    assert "list_metrics" not in evaluate(**few, metrics=SOME[:2]).to_dict()


def draw_lists(n_users=30, seed=0):
    """Draw lists of five of 40 items; some items are shown more often."""
    rng = np.random.default_rng(seed)
    shown = [rng.choice(40, 5, replace=False, p=np.arange(1, 41) / 820) for _ in range(n_users)]
    users, scores = np.repeat(np.arange(n_users), 5), rng.random(5 * n_users)
    return {"y_true": scores > 0.5, "y_score": scores, "groups": users, "items": np.concatenate(shown)}


@pytest.mark.parametrize("name", ["catalog_coverage@2", "exposure_gini_loss@3", "neg_exposure_gini_loss@3"])
@pytest.mark.parametrize("n_clusters", [None, 12])
def test_interval_of_all_lists_is_that_of_the_jackknife(name, n_clusters):
    rows = draw_lists()
    units = rows["groups"] if n_clusters is None else rows["groups"] % n_clusters
    report = evaluate(**rows, metrics=["mrr", name], cluster=units if n_clusters else None)
    without = []
    for unit in np.unique(units):
        rest = {key: each[units != unit] for key, each in rows.items()}
        catalog = f"{name}(catalog={len(np.unique(rows['items']))})"
        without.append(ranking_scores(**rest, metrics=[catalog])[catalog])
    n = len(without)
    error = np.sqrt((n - 1) * np.var(without))
    # The degrees of freedom are smaller if clusters differ in size.
    sizes = np.unique(units, return_counts=True)[1]
    half = stats.t.isf(0.025, sizes.sum() ** 2 / (sizes @ sizes) - 1) * error
    expected = report.list_metrics[name] - half, report.list_metrics[name] + half
    assert report.list_metrics_interval[name] == pytest.approx(expected, rel=1e-10)


def test_interval_of_all_lists_stays_within_bounds():
    rows = draw_lists(n_users=4)
    report = evaluate(**rows, metrics=["mrr", "catalog_coverage"], confidence_level=0.9999)
    assert report.list_metrics_interval["catalog_coverage"][1] == 1.0


def test_metric_of_all_lists_of_one_user_has_no_known_interval():
    report = evaluate(**draw_lists(n_users=1), metrics=["mrr", "catalog_coverage", "exposure_gini_loss@2"])
    assert np.isnan(report.list_metrics_interval["catalog_coverage"]).all()
    assert list(report.list_metrics_interval) == ["catalog_coverage"]  # nobody else sees an item


def test_report_of_items_finds_worst_queries_and_segments(few):
    report = evaluate(**few, metrics=["novelty@3", "catalog_coverage@3"])
    values = report.values["novelty@3"]
    assert report.worst("novelty@3", 1).columns["query"].tolist() == [report.ids[values.argmin()]]
    segments = split_by(report, ["a", "b", "b"])
    assert segments["b"].mean["novelty@3"] == pytest.approx(values[1:].mean(), abs=1e-15)
    assert segments["b"].list_metrics == {}


def test_compare_leaves_out_metrics_of_all_lists_with_a_note(few):
    other = few | {"y_score": -np.abs(few["y_score"])}
    reports = {"a": evaluate(**few, metrics=SOME), "b": evaluate(**other, metrics=SOME)}
    found = compare(reports)
    assert found.metrics == ("ndcg@3", "novelty@3")
    assert "Metrics without a value per query are not compared: catalog_coverage@3." in str(found)
    assert "not compared" not in str(compare(reports, metrics=["novelty@3"]))
    assert compare(reports, metrics=["catalog_coverage@3"]).metrics == ("catalog_coverage@3",)


def test_compare_rejects_metrics_of_all_lists_without_a_jackknife(few):
    report = evaluate(**few, metrics=["ndcg@3", "novelty@3", "personalization@3"])
    with pytest.raises(
        ValueError, match=r"'metrics' parameter of compare must be a non-empty list of metrics"
    ):
        compare({"a": report, "b": report}, metrics=["personalization@3"])


def test_evaluate_rejects_only_metrics_of_all_lists(few):
    del few["popularity"]
    with pytest.raises(
        ValueError, match="'metrics' parameter of evaluate must contain a metric that has a value per query"
    ):
        evaluate(**few, metrics=["catalog_coverage@3"])


# ------------------------------------------------------------------ columns of a frame


def test_evaluate_reads_items_and_features_by_column_name(frame, given):
    names = ["ndcg@3", "novelty@3", "catalog_coverage@3", "diversity@3", "calibration_loss@3"]
    of_names = {"items": "item", "features": ["f0", "f1", "f2"], "popularity": "known"}
    named = evaluate(
        "label", "score", groups="user", data=frame, metrics=names, **of_names, history=given["history"]
    )
    plain = evaluate(**given, metrics=names)
    assert (named.mean, named.list_metrics) == (plain.mean, plain.list_metrics)


def test_evaluate_accepts_arrays_of_items_with_data(frame, given):
    names = ["novelty@3", "diversity@3"]
    tables = {key: given[key] for key in ("items", "features", "popularity")}
    named = evaluate("label", "score", groups="user", data=frame, metrics=names, **tables)
    assert named.mean == ranking_scores(**{**given, "history": None}, metrics=names)


def test_evaluate_accepts_a_dict_of_columns_and_one_feature(frame):
    columns = {name: frame[name].to_numpy() for name in frame}
    given = {"y_true": "label", "y_score": "score", "groups": "user", "metrics": ["diversity@3"]}
    found = evaluate(**given, data=columns, features="f0")
    assert found.mean == evaluate(**given, data=frame, features=["f0"]).mean


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"items": "nowhere"}, "items"),
        ({"popularity": "nowhere"}, "popularity"),
        ({"popularity": "score"}, "popularity"),
        ({"items": None}, "items"),
        (
            {"metrics": ["diversity@3"], "items": None, "popularity": None, "features": ["f0", "f9"]},
            "features",
        ),
        ({"metrics": ["diversity@3"], "items": None, "popularity": None, "features": []}, "features"),
        ({"groups": None}, "groups"),
    ],
    ids=str,
)
def test_evaluate_rejects_invalid_columns_of_items(change, parameter, frame):
    arguments = {
        "y_true": "label",
        "y_score": "score",
        "groups": "user",
        "data": frame,
        "metrics": ["novelty@3"],
    }
    arguments |= {"items": "item", "popularity": "known"}
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of evaluate must"):
        evaluate(**(arguments | change))


def test_evaluate_rejects_items_of_batches(frame):
    arguments = {
        "y_true": "label",
        "y_score": "score",
        "groups": "user",
        "metrics": ["catalog_coverage@3", "mrr"],
    }
    with pytest.raises(
        ValueError, match="'items' parameter of evaluate must be None if rows are read in batches"
    ):
        evaluate(**arguments, data=iter([frame]), items="item")
