"""`RankingReport.concat`: the test queries of several folds in one report."""

import json

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, cross_val_report, cross_val_score, evaluate
from sklearn_rank.datasets import make_ranking
from tests.helpers.reports import drop_values

SIZES = {"fold 1": 12, "fold 2": 30, "fold 3": 8}
METRICS = ["ndcg@5", "map", "precision@3"]


def draw(seed=0):
    """Return rows of all queries, and the queries of each fold."""
    random = np.random.default_rng(seed)
    groups = np.repeat(random.permutation(50), 6)
    y_true, y_score = random.integers(0, 3, len(groups)), random.random(len(groups))
    queries = np.split(random.permutation(50), [12, 42])
    return y_true, y_score, groups, dict(zip(SIZES, queries, strict=True))


def report_folds(rows=None, metrics=METRICS, cluster=None, sample_weight=None, **options):
    """Return the report of all queries and the reports of the folds."""
    y_true, y_score, groups, folds = rows or draw()
    options["metrics"] = metrics
    functions = {"cluster": cluster, "sample_weight": sample_weight}

    def report(chosen):
        more = {name: each(groups[chosen]) for name, each in functions.items() if each is not None}
        return evaluate(y_true[chosen], y_score[chosen], groups=groups[chosen], **options, **more)

    return report(slice(None)), {name: report(np.isin(groups, each)) for name, each in folds.items()}


WAYS = {
    "plain": {},
    "micro": {"average": "micro", "metrics": ["precision@3"]},
    "weighted": {"average": "weighted"},
    "weights of other sizes in each fold": {"sample_weight": lambda ids: 2.0 ** (ids % 40)},
    "micro with weights": {
        "average": "micro",
        "metrics": ["precision@3"],
        "sample_weight": lambda ids: 2.0 ** (ids % 40),
    },
    "undefined": {"zero_division": np.nan, "min_relevance": 2},
    "clusters": {"cluster": lambda ids: ids % 7},
    "bootstrap": {"interval": "bootstrap", "n_resamples": 200, "confidence_level": 0.9},
}


@pytest.mark.parametrize("way", WAYS)
def test_concat_equals_the_report_of_all_queries(way):
    expected, reports = report_folds(**WAYS[way])
    found = RankingReport.concat(reports)
    assert found.ids.tolist() == expected.ids.tolist()
    for name in expected.metrics:
        np.testing.assert_array_equal(found.values[name], expected.values[name])
        assert found.mean[name] == pytest.approx(expected.mean[name], abs=1e-12)
        assert found.interval[name] == pytest.approx(expected.interval[name], abs=1e-12)
    for name in ("sizes", "n_relevant", "label_fingerprints"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert (found.n_defined, found.n_empty) == (expected.n_defined, expected.n_empty)


@pytest.mark.parametrize("way", WAYS)
def test_mean_over_folds_is_the_mean_of_their_means(way):
    _, reports = report_folds(**WAYS[way])
    found = RankingReport.concat(reports)
    for name, mean in found.mean_over_folds.items():
        assert mean == pytest.approx(np.mean([each.mean[name] for each in reports.values()]), abs=1e-12)
    assert found.fold_names == tuple(SIZES)
    assert np.bincount(found.folds).tolist() == list(SIZES.values())


def test_printed_report_names_both_means():
    reports = {
        "fold 1": RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.75]}),
        "fold 2": RankingReport.from_values([4], {"mrr": [0.25]}),
    }
    lines = str(RankingReport.concat(reports)).splitlines()
    assert lines[2].split()[:2] == ["mrr", "0.62"]  # 2.5 / 4
    assert "Mean over 2 folds: mrr 0.50. The table has means over queries." in " ".join(lines)


def test_summary_contains_both_means():
    found = RankingReport.concat(report_folds()[1])
    summary = found.to_dict()
    assert summary["mean_over_folds"] == found.mean_over_folds
    assert summary["metrics"]["map"]["mean"] == found.mean["map"]
    assert "mean_over_folds" not in report_folds()[0].to_dict()


def test_cross_val_report_has_the_mean_of_cross_val_score():
    from sklearn.linear_model import Ridge

    X, y, qid = make_ranking(n_queries=23, random_state=0)
    scores = cross_val_score(Ridge(), X, y, groups=qid, scoring="ndcg@5", cv=4)
    report = cross_val_report(Ridge(), X, y, groups=qid, scoring=["ndcg@5"], cv=4)
    assert report.mean_over_folds["ndcg@5"] == pytest.approx(scores.mean(), abs=1e-12)
    assert report.mean["ndcg@5"] != pytest.approx(scores.mean(), abs=1e-6)
    assert report.fold_names == ()


def test_reports_without_folds_have_no_mean_over_folds():
    expected, _ = report_folds()
    moments = drop_values(expected)
    twice = RankingReport.from_values([1, 2], {"mrr": [1, 0]}, folds=[[0, 1], [1, 0]])
    assert [each.mean_over_folds for each in (expected, moments, twice)] == [None] * 3


def test_json_keeps_the_folds():
    found = RankingReport.concat(report_folds()[1])
    again = RankingReport.from_json(found.to_json())
    assert (again.fold_names, again.mean_over_folds) == (found.fold_names, found.mean_over_folds)
    assert str(again) == str(found)


def test_json_without_names_of_folds_is_read():
    content = json.loads(report_folds()[0].to_json())
    del content["fold_names"]
    assert RankingReport.from_json(json.dumps(content)).fold_names == ()


def test_concatenated_reports_are_compared():
    y_true, y_score, groups, folds = draw()
    rows = y_true, y_score + 0.3 * y_true, groups, folds
    one, other = (RankingReport.concat(report_folds(each)[1]) for each in (draw(), rows))
    whole = [report_folds(each)[0] for each in (draw(), rows)]
    found = compare({"a": one, "b": other}, baseline="a").columns
    expected = compare({"a": whole[0], "b": whole[1]}, baseline="a").columns
    np.testing.assert_allclose(found["p"], expected["p"], rtol=1e-9)


def test_counts_of_folds_are_summed():
    reports = [RankingReport.from_values([query], {"mrr": [1]}) for query in (1, 2)]
    for n, each in enumerate(reports, 1):
        each.n_without_rows, each.catalog_counts = n, {"n_repeats": n, "n_new_items": 0}
    found = RankingReport.concat(dict(zip("ab", reports, strict=True)))
    assert (found.n_without_rows, found.catalog_counts) == (3, {"n_repeats": 3, "n_new_items": 0})


def test_columns_that_a_report_lacks_are_left_out():
    one = RankingReport.from_values([1, 2], {"mrr": [1, 0.5]}, sizes=[3, 4])
    other = RankingReport.from_values([3], {"mrr": [0]})
    found = RankingReport.concat({"a": one, "b": other})
    assert found.sizes is None
    assert found.mean["mrr"] == 0.5


def of(ids, metric="mrr", **more):
    return RankingReport.from_values(ids, {metric: np.ones(len(ids))}, **more)


def options_of(beta):
    return evaluate([1, 0], [0, 1], groups=[beta, beta], metrics=["dcg"], gain={0: 0, 1: beta})


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        (
            {"a": of([1, 2]), "b": of([3, 2])},
            "each query in one fold. Got 2 in 'a' and 'b' instead. To compare",
        ),
        ({"a": of([1]), "b": of([2], "map")}, "have the same metrics. Got 'mrr' in 'a' and 'map' in 'b'"),
        ({"a": options_of(1), "b": options_of(2)}, "have the same options for 'dcg'"),
        (
            {"a": of([1], cluster=[1]), "b": of([2])},
            "all have clusters, or none. Got clusters in only",
        ),
        (
            {"a": of([1], weights=[2]), "b": of([2])},
            "all have weights, or none. Got weights in only one of 'a' and 'b'",
        ),
        ({"a": of([1]), "b": of(["x"])}, "'reports'"),
        ({}, "be a dict of names to reports. Got a dict"),
        ([of([1])], "be a dict of names to reports. Got a list"),
        ({"a": 3}, "be a dict of names to reports. Got an int"),
        (
            {"a": drop_values(of([1, 2]))},
            "requires the value of each query. Got a report of moments",
        ),
    ],
)
def test_concat_rejects_reports_of_other_kinds(reports, words):
    with pytest.raises((ValueError, TypeError), match=f"(?s){words}"):
        RankingReport.concat(reports)


def test_concat_accepts_metrics_in_another_order():
    one = RankingReport.from_values([1], {"mrr": [1], "map": [1]})
    other = RankingReport.from_values([2], {"map": [0], "mrr": [1]})
    assert RankingReport.concat({"a": one, "b": other}).mean == {"mrr": 1, "map": 0.5}


def test_concat_rejects_reports_with_model_labels():
    random = np.random.default_rng(0)
    values = random.random(60)
    people = RankingReport.from_values(range(20), {"mrr": values[:20]})
    found = people.with_model_labels(RankingReport.from_values(range(60), {"mrr": values**2}))
    with pytest.raises(ValueError, match=r"concat requires a report of one set of labels.* Join the reports"):
        RankingReport.concat({"a": found})
