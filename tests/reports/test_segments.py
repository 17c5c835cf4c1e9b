"""Reports of segments and their differences from the rest."""

import json
import pickle
from datetime import date, datetime

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, evaluate
from tests.helpers.forms import load
from tests.helpers.reports import split_by

VALUES = np.random.default_rng(0).random(60)
LABELS = np.array(["head", "tail", "torso"])[np.random.default_rng(1).integers(0, 3, 60)]
NDCG = ["ndcg@10", "mrr"]
BY_ID = "be a mapping or pandas.Series of query id to label, or have one entry per row with groups=qid"


def report_of(values=VALUES, name="x", **options):
    return RankingReport.from_values(np.arange(len(values)), {name: values}, **options)


def test_segment_equals_the_report_of_its_queries():
    found = split_by(report_of(weights=np.arange(60) % 4, sizes=np.arange(60)), LABELS)
    assert list(found) == ["head", "tail", "torso"]
    for name, segment in found.items():
        ids = np.flatnonzero(name == LABELS)
        alone = RankingReport.from_values(ids, {"x": VALUES[ids]}, weights=(np.arange(60) % 4)[ids])
        assert segment.to_dict() == alone.to_dict()
        assert segment.ids.tolist() == segment.sizes.tolist() == ids.tolist()


def test_report_by_labels_of_rows_equals_labels_of_queries(queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=NDCG)
    of_rows = report.by([query[-1] for query in groups], groups=groups)
    of_queries = split_by(report, [query[-1] for query in report.ids])
    assert str(of_rows) == str(of_queries)


def test_report_by_accepts_a_column_of_a_frame(queries):
    frame = load("pandas").DataFrame(dict(zip(("y", "score", "qid"), queries)))
    report = evaluate(frame.y, frame.score, groups=frame.qid, metrics=NDCG)
    segments = report.by(frame.qid.str[-1].astype("category"), groups=frame.qid)
    assert list(segments) == [str(digit) for digit in range(10)]


@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        ([3, 1, 3, 1], [1, 3]),
        ([True, False, True, True], [False, True]),
        ([("a", 1), ("b", 1), ("a", 1), ("b", 2)], [("a", 1), ("b", 1), ("b", 2)]),
        ([0.5, 0.25, 0.25, 0.25], [0.25, 0.5]),
        (np.array(["2020-01-02"] * 4, dtype="M8[D]"), [date(2020, 1, 2)]),
        (np.array(["2020-01-02"] * 4, dtype="M8[ns]"), [datetime(2020, 1, 2)]),
    ],
)
def test_segments_are_sorted_by_label_and_keep_its_type(labels, keys):
    assert list(split_by(report_of(VALUES[:4]), labels)) == keys


def test_segment_difference_to_the_rest_matches_welch():
    found = split_by(report_of(), LABELS)
    for name, segment in found.items():
        inside, outside = VALUES[name == LABELS], VALUES[name != LABELS]
        expected = stats.ttest_ind(inside, outside, equal_var=False).confidence_interval(0.95)
        value, interval = found.rest[name]["x"]
        assert value == pytest.approx(segment.mean["x"] - outside.mean())
        assert interval == pytest.approx((expected.low, expected.high), rel=1e-10)


def test_segment_difference_allows_clusters_in_both_parts():
    clusters, inside = np.arange(60) % 12, np.arange(60) % 2 == 0
    clusters[:7] = 0
    found = split_by(report_of(cluster=clusters), inside)
    value, (low, high) = found.rest[True]["x"]
    one, other = VALUES[inside], VALUES[~inside]
    moved = np.where(inside, (VALUES - one.mean()) / len(one), -(VALUES - other.mean()) / len(other))
    sums = np.array([moved[clusters == c].sum() for c in range(12)])
    half = stats.t.ppf(0.975, 11) * np.sqrt(12 / 11 * sum(sums**2))
    assert value == pytest.approx(one.mean() - other.mean())
    assert (low, high) == pytest.approx((value - half, value + half))


def test_segments_of_segments_count_their_own_clusters():
    clusters, half = np.arange(60) // 3, np.arange(60) < 30
    inner = split_by(report_of(cluster=clusters), half)[True]
    assert "over 10 clusters" in str(inner)
    labels = np.arange(30) % 2
    alone = report_of(VALUES[:30], cluster=clusters[:30])
    assert str(split_by(inner, labels)) == str(split_by(alone, labels))


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 2, 3, 4]])
def test_segment_of_one_unit_has_no_interval_of_its_difference(clusters):
    found = split_by(
        report_of(VALUES[:6], cluster=clusters), [1, 1, 0, 0, 0, 0] if clusters else [1, 0, 0, 0, 0, 0]
    )
    assert np.isnan(found.rest[1]["x"].interval).all()
    assert np.isfinite(found.rest[1]["x"].value)


def test_segment_difference_is_nan_when_it_is_the_only_one():
    found = split_by(report_of(), ["all"] * 60)
    assert found["all"].to_dict() == report_of().to_dict()
    assert np.isnan(found.rest["all"]["x"].value)


def test_segment_difference_is_0_when_values_are_equal():
    found = split_by(report_of([0.5] * 40), np.arange(40) % 2)
    assert found.rest[0]["x"] == (0.0, (0.0, 0.0))


@pytest.mark.parametrize(("name", "first"), [("mrr", "tail"), ("bpr_loss", "head"), ("neg_bpr_loss", "head")])
def test_segments_table_lists_the_worst_first(name, first):
    values = np.array([0.9, 0.8, 0.1, 0.2]) * (-1 if name.startswith("neg") else 1)
    found = split_by(report_of(values, name), ["head", "head", "tail", "tail"])
    assert found.table().columns["segment"][0] == first


def test_segments_table_lists_undefined_segments_last():
    with pytest.warns(match="mean of 'x' is undefined"):
        found = split_by(report_of([np.nan, 0.9, 0.1, np.nan]), ["a", "b", "c", "d"])
    assert found.table().columns["segment"] == ["c", "b", "a", "d"]


def test_segments_to_frame_has_a_row_per_metric_and_segment():
    report = RankingReport.from_values(np.arange(60), {"x": VALUES, "z": -VALUES})
    frame = split_by(report, LABELS).to_frame()
    assert frame.shape == (6, 9)
    row = frame[(frame.metric == "z") & (frame.segment == "tail")].iloc[0]
    assert row["queries"] == (LABELS == "tail").sum()
    assert row["mean"] == split_by(report, LABELS)["tail"].mean["z"]


def test_segments_are_a_dict_that_can_be_pickled_and_printed():
    found = split_by(report_of(), LABELS)
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert isinstance(found, dict)
    assert json.loads(json.dumps({name: each.to_dict() for name, each in found.items()}))
    assert str(found).startswith("3 segments, 95% confidence intervals, worst segment first\nmetric  segment")
    for text in (found._repr_html_(), found.to_markdown(), found.to_latex()):
        assert all(name in text for name in found)


def test_segments_table_explains_marks_only_when_present():
    many = np.tile(VALUES, 3)
    assert "* The interval may be too narrow: fewer than 20 queries, or" in str(
        split_by(report_of(), np.arange(60) < 10)
    )
    assert "*" not in str(split_by(report_of(many), np.arange(180) < 90))


@pytest.mark.parametrize(
    ("labels", "groups", "parameter", "rule"),
    [
        (
            ["a"] * 4,
            None,
            "labels",
            f"{BY_ID}. Got a list instead. Their order cannot be checked. Pass dict",
        ),
        (np.arange(4), None, "labels", f"{BY_ID}. Got an ndarray instead"),
        (["a"] * 3, None, "labels", BY_ID),
        ([], None, "labels", BY_ID),
        (iter("abcd"), None, "labels", BY_ID),
        ({}, None, "labels", "have an entry for each query id. Got none for 0 and 3 other ids instead"),
        ({0: "a", 1: "b", 2: "a"}, None, "labels", "have an entry for each query id. Got none for 3 instead"),
        (
            dict.fromkeys("0123", "a"),
            None,
            "labels",
            "have an entry for each query id. Got none for 0 and 3 other ids, but one for '0' instead",
        ),
        (["a", "b", "b", "b"] * 2, [0, 0, 1, 1, 2, 2, 3, 3], "labels", "be the same for all rows of a query"),
        (["a"] * 8, [0, 0, 1, 1, 2, 2, 5, 5], "groups", "have an entry for each query id. Got none for 3"),
        (["a"] * 8, ["0"] * 8, "groups", "have an entry for each query id. Got none for 0"),
        (["a"] * 3, [0, 0, 1, 1, 2, 2, 3, 3], "labels", r"have one id per row \(8 rows\)"),
        ({0: None, 1: "a", 2: "b", 3: "a"}, None, "labels", "not contain missing ids"),
        ({0: np.nan, 1: "a", 2: "b", 3: "a"}, None, "labels", "not contain missing ids"),
        ({0: 1, 1: "a", 2: "b", 3: "a"}, None, "labels", "contain ids of one type"),
        (7, None, "labels", f"{BY_ID}. Got an int instead"),
    ],
)
def test_report_by_rejects_invalid_labels(labels, groups, parameter, rule):
    match = f"The '{parameter}' parameter of RankingReport.by must {rule}"
    with pytest.raises(ValueError, match=match):
        report_of(VALUES[:4]).by(labels, groups=groups)


def test_report_by_rejects_labels_in_order_of_first_appearance():
    """Their mean by market is not that of the sorted ids."""
    pd = load("pandas")
    frame = pd.DataFrame({"qid": list("bbaacc"), "market": list("xxyyxx")})
    report = evaluate([1, 0, 1, 0, 0, 0], [1, 2, 2, 1, 2, 1], groups=frame["qid"], metrics=["mrr"])
    first = frame.drop_duplicates("qid")
    with pytest.raises(ValueError, match="order cannot be checked"):
        report.by(first["market"].to_numpy())
    with pytest.raises(ValueError, match="order cannot be checked"):
        report.by(first["market"].reset_index(drop=True))
    with pytest.raises(ValueError, match="a Series with a default index"):
        report.by(pd.Series(list("xyx")))
    with pytest.raises(ValueError, match="Unnamed integers can be row numbers"):
        report.by(first["market"])
    with pytest.raises(
        ValueError, match=r"Got none for 'a' and 2 other ids.* as in frame.set_index\('qid'\)"
    ):
        report.by(first["market"].rename_axis("query"))
    by_id = first.set_index("qid")["market"]
    of_rows = report.by(frame["market"], groups=frame["qid"])
    for labels in (by_id, by_id.to_dict()):
        found = report.by(labels)
        assert {name: each.mean["mrr"] for name, each in found.items()} == {"x": 0.25, "y": 1.0}
        assert str(found) == str(of_rows)


def test_report_by_reads_a_named_default_index_by_id():
    """pandas makes a default index of the ids 0, 1, 2 when they are set as the index."""
    pd = load("pandas")
    labels = pd.DataFrame({"qid": np.arange(4), "market": list("abab")}).set_index("qid")["market"]
    assert str(report_of(VALUES[:4]).by(labels)) == str(split_by(report_of(VALUES[:4]), list("abab")))


def test_report_by_rejects_labels_with_repeated_ids():
    pd = load("pandas")
    labels = pd.Series(list("abaab"), index=pd.Index([0, 1, 2, 3, 3], name="query"))
    with pytest.raises(ValueError, match=r"have one entry for each query id. Got 5 entries for 4 ids"):
        report_of(VALUES[:4]).by(labels)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_report_by_matches_dates_of_any_unit(unit):
    days = np.array(["2020-01-03", "2020-01-01", "2020-01-02"], dtype="M8[D]")
    report = RankingReport.from_values(days, {"x": [0.3, 0.1, 0.2]})
    labels = dict(zip(np.sort(days).astype(f"M8[{unit}]"), "abc"))
    assert {name: each.mean["x"] for name, each in report.by(labels).items()} == {
        "a": 0.1,
        "b": 0.2,
        "c": 0.3,
    }


def test_report_by_rejects_labels_in_another_row_order():
    pd = load("pandas")
    groups = pd.Series([0, 1, 2, 3])
    labels = pd.Series(["a", "b", "a", "b"], index=[3, 2, 1, 0])
    with pytest.raises(
        ValueError, match=r"'labels' parameter of RankingReport.by must have its rows in the same order"
    ):
        report_of(VALUES[:4]).by(labels, groups=groups)


def test_segment_of_equal_values_has_no_interval_of_its_difference():
    report = RankingReport.from_values(range(8), {"x": [1.0] * 4 + [0.5] * 4})
    value, interval = report.by(dict.fromkeys(range(8), 0) | dict.fromkeys(range(4), 1)).rest[1]["x"]
    assert value == 0.5
    assert np.isnan(interval).all()


def test_report_by_takes_labels_of_rows_of_more_queries():
    report = RankingReport.from_values(["a", "b"], {"mrr": [1, 0.5]})
    segments = report.by(["x", "y", "y", "z", "z"], groups=["a", "b", "b", "c", "c"])
    assert {name: each.mean["mrr"] for name, each in segments.items()} == {"x": 1, "y": 0.5}
