"""Reports that are written as JSON and read again."""

import json
from datetime import date

import numpy as np
import pytest

from sklearn_rank import RankingReport, evaluate
from sklearn_rank.reports._report_json import VERSION
from tests.helpers.reports import drop_values

VALUES = {"ndcg@10": [1, 0.5, np.nan, 0.25], "my metric": [1e300, -1.5, 0, 0.1]}
IDS = {
    "text": ["b", "a", "d", "c"],
    "integers": [4, 2, 3, 1],
    "dates": np.array(["2020-01-02", "2020-01-01", "2020-01-04", "2020-01-03"], dtype="M8[D]"),
    "durations": np.array([3, 1, 4, 2], dtype="m8[D]"),
    "objects": np.array(["b", "a", "d", "c"], dtype=object),
    "numbers as objects": np.array([2.5, 1, 4, 3], dtype=object),
}


def copy_by_json(report):
    return RankingReport.from_json(report.to_json())


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_report_is_the_same_after_json(ids):
    options = {
        "weights": [1, 2, 3, 4],
        "sizes": [5, 6, 7, 8],
        "folds": [[0, 1]] * 4,
        "cluster": list("xxyz"),
    }
    report = RankingReport.from_values(ids, VALUES, confidence_level=0.9, **options)
    again = copy_by_json(report)
    assert repr(again) == repr(report)
    assert again.interval == report.interval
    for name in ("ids", "sizes", "folds", "clusters"):
        np.testing.assert_array_equal(getattr(again, name), getattr(report, name))
        assert getattr(again, name).dtype == getattr(report, name).dtype
    for name, values in report.values.items():
        np.testing.assert_array_equal(again.values[name], values)


def test_segments_of_a_report_from_json_are_the_same():
    report = RankingReport.from_values(range(4), VALUES, weights=[1, 2, 3, 4])
    segments = {0: "x", 1: "x", 2: "y", 3: "y"}
    assert repr(copy_by_json(report).by(segments)) == repr(report.by(segments))


def test_bootstrap_interval_is_not_drawn_again():
    values = np.random.RandomState(0).uniform(size=30)
    report = RankingReport.from_values(range(30), {"mrr": values}, interval="bootstrap")
    assert copy_by_json(report).interval == report.interval


def test_report_of_micro_averages_and_catalog_metrics_is_the_same_after_json():
    groups, items = np.repeat(np.arange(6), 3), np.tile(np.arange(9), 2)
    metrics = ["precision@2(average=micro)", "catalog_coverage@2"]
    random = np.random.RandomState(0)
    labels, scores = random.randint(0, 2, 18), random.uniform(size=18)
    report = evaluate(labels, scores, groups=groups, items=items, metrics=metrics)
    again = copy_by_json(report)
    assert repr(again) == repr(report)
    assert again.list_metrics_interval == report.list_metrics_interval
    assert again.by(dict(enumerate("aabbcc"))).keys() == {"a", "b", "c"}


def test_report_of_moments_is_the_same_after_json():
    report = drop_values(RankingReport.from_values([1], {"ndcg@10": [0.5]}))
    again = copy_by_json(report)
    assert repr(again) == repr(report)
    assert again.ids is None


def test_json_of_a_report_has_a_schema_version():
    content = json.loads(RankingReport.from_values(range(4), VALUES).to_json())
    assert (content["format"], content["schema_version"]) == ("sklearn_rank.RankingReport", VERSION)


def test_to_json_rejects_ids_that_are_objects():
    report = RankingReport.from_values([("a", 1), ("b", 2)], {"mrr": [0.5, 1]})
    with pytest.raises(ValueError, match="to_json requires query ids that are numbers, text or dates"):
        report.to_json()


@pytest.mark.parametrize(
    "ids",
    [np.array([date(2020, 1, 1), date(2020, 1, 2)], dtype=object), np.array([b"a", b"b"])],
    ids=["dates of Python", "bytes"],
)
def test_to_json_rejects_ids_that_json_cannot_contain(ids):
    report = RankingReport.from_values(ids, {"mrr": [0.5, 1]})
    with pytest.raises(ValueError, match="Convert them, for example to str"):
        report.to_json()


def test_to_json_rejects_model_labels():
    values = np.linspace(0, 1, 40)
    human = RankingReport.from_values(range(20), {"mrr": values[:20] ** 2})
    report = human.with_model_labels(RankingReport.from_values(range(40), {"mrr": values}))
    with pytest.raises(ValueError, match="Write both reports before they are combined"):
        report.to_json()


@pytest.mark.parametrize("text", ["[]", "{}", "no JSON", '{"format": "x"}', {"format": "x"}, None])
def test_from_json_rejects_other_text(text):
    with pytest.raises(ValueError, match="must be the text of RankingReport"):
        RankingReport.from_json(text)


def test_from_json_rejects_a_later_schema():
    content = json.loads(RankingReport.from_values(range(4), VALUES).to_json())
    with pytest.raises(ValueError, match=f"must be of schema version {VERSION} or earlier. Got version 99"):
        RankingReport.from_json(json.dumps({**content, "schema_version": 99}))


@pytest.mark.parametrize(("ids", "query"), [(["b", "a"], "b"), ([7, 3], 7), ([7, 3], np.int64(7))])
def test_query_returns_what_is_known_of_one_query(ids, query):
    options = {"sizes": [5, 6], "n_relevant": [1, 2], "folds": [0, 1], "cluster": ["x", "y"]}
    report = RankingReport.from_values(ids, {"mrr": [0.5, 1], "map": [np.nan, 1]}, **options)
    found = report.query(query)
    assert np.isnan(found.pop("map"))
    assert found == {"size": 5, "relevant": 1, "cluster": 0, "fold": 0, "mrr": 0.5}
    assert type(found["size"]) is int


@pytest.mark.parametrize(("query", "fix"), [("1", "Pass 1."), ("q_1", "")])
def test_query_rejects_other_ids(query, fix):
    report = RankingReport.from_values([1, 2], {"mrr": [0.5, 1]})
    with pytest.raises(ValueError, match=r"'query_id' .* must be one of the ids \(1, 2\)") as error:
        report.query(query)
    assert str(error.value).endswith(f"Got {query!r} instead. {fix}".rstrip())
