"""Reports of metrics of intents."""

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, evaluate, ranking_scores
from sklearn_rank.metrics import alpha_ndcg_score
from tests.helpers.reports import split_by
from tests.metrics.test_intent_names import NAMES, given, needed

assert given  # a fixture


@pytest.fixture
def frame(given):
    """The same as columns."""
    pandas = pytest.importorskip("pandas")
    columns = {name: given[name] for name in ("y_true", "y_score", "groups")}
    columns |= {f"intent {place}": given["intents"][:, place] for place in range(3)}
    return pandas.DataFrame(columns)


def test_evaluate_of_intents_has_means_of_ranking_scores(given):
    first = "mrr(min_relevance=2)"
    report = evaluate(**given, metrics=[first, *NAMES])
    assert report.mean == ranking_scores(**given, metrics=[first, *NAMES])


def test_evaluate_of_intents_has_values_of_ranking_scores(given):
    report = evaluate(**given, metrics=NAMES)
    expected = ranking_scores(**given, metrics=NAMES, average=None)
    for name in NAMES:
        np.testing.assert_array_equal(report.values[name], expected[name])
    assert report.ids.tolist() == list(range(7))


def test_evaluate_of_intents_counts_queries_without_relevant(given):
    report = evaluate(**given, metrics=NAMES)
    assert report.n_empty == dict.fromkeys(NAMES, 1)
    left_out = evaluate(**given, metrics=["alpha_ndcg@3"], zero_division=np.nan)
    assert left_out.n_defined == {"alpha_ndcg@3": 6}


def test_evaluate_of_intents_supports_segments_worst_and_compare(given):
    report = evaluate(**given, metrics=NAMES)
    values = report.values["alpha_ndcg@3"]
    segments = split_by(report, ["a", "b", "b", "b", "b", "b", "b"])
    assert segments["b"].mean["alpha_ndcg@3"] == pytest.approx(values[1:].mean(), abs=1e-15)
    assert report.worst("alpha_ndcg@3", 1).columns["query"].tolist() == [6]
    other = evaluate(**(given | {"y_score": -given["y_score"]}), metrics=NAMES)
    found = compare({"a": report, "b": other}, baseline="a")
    assert found.metrics == tuple(NAMES)
    labels, scores = given["intents"], -given["y_score"]
    expected = alpha_ndcg_score(labels, scores, groups=given["groups"], k=3) - report.mean["alpha_ndcg@3"]
    place = found.columns["metric"].tolist().index("alpha_ndcg@3")
    assert found.columns["difference"][place] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_evaluate_of_intents_keeps_intervals_within_bounds(name, given):
    report = evaluate(**needed(given, name), metrics=[name], confidence_level=1 - 1e-9)
    low, high = report.interval[name]
    assert low == 0 < high
    assert high == 1 or name == "alpha_ndcg@3"  # its ideal list is found greedily


@pytest.mark.parametrize(
    ("name", "upper"),
    [
        ("alpha_ndcg@3", np.inf),
        ("alpha_ndcg@3(normalize=bound)", 1),
        ("nrbp", 1),
        ("nrbp(beta=.8, normalize = None)", np.inf),
        ("err_ia@3", 1),
        ("err_ia@3(normalize='ideal')", np.inf),
    ],
)
def test_report_interval_exceeds_1_only_for_greedy_ideals(name, upper):
    report = RankingReport.from_values([1, 2], {name: [0, 1]}, confidence_level=0.999)
    assert report.interval[name][1] == upper or (upper == np.inf and 1 < report.interval[name][1] < np.inf)


# ------------------------------------------------------------------ columns of a frame


BY_NAME = {"intents": ["intent 0", "intent 1", "intent 2"]}


def test_evaluate_reads_intents_by_column_name(frame, given):
    plain = evaluate(**given, metrics=NAMES)
    for data in (frame, {name: frame[name].to_numpy() for name in frame}):
        named = evaluate("y_true", "y_score", groups="groups", data=data, metrics=NAMES, **BY_NAME)
        assert isinstance(named, RankingReport)
        assert named.mean == plain.mean


def test_evaluate_accepts_arrays_of_intents_with_data(frame, given):
    rows = {"y_true": "y_true", "y_score": "y_score", "groups": "groups", "data": frame}
    found = evaluate(**rows, metrics=NAMES, intents=given["intents"])
    assert found.mean == evaluate(**given, metrics=NAMES).mean
    one = evaluate(**rows, metrics=["alpha_ndcg@3"], intents="intent 1")
    labels = given["intents"][:, 1:2]
    assert one.mean["alpha_ndcg@3"] == alpha_ndcg_score(labels, given["y_score"], groups=given["groups"], k=3)


@pytest.mark.parametrize(
    ("change", "parameter", "rule"),
    [
        ({"intents": ["intent 0", "nowhere"]}, "intents", "name a column of 'data'"),
        ({"intents": []}, "intents", "be a non-empty list of columns of 'data'"),
        ({"groups": None}, "groups", "be the name of the column"),
    ],
    ids=str,
)
def test_evaluate_rejects_invalid_columns_of_intents(change, parameter, rule, frame):
    arguments = {
        "y_true": "y_true",
        "y_score": "y_score",
        "groups": "groups",
        "data": frame,
        "metrics": NAMES,
    }
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of evaluate must {rule}"):
        evaluate(**(arguments | BY_NAME | change))


def test_evaluate_rejects_intents_of_batches(frame):
    arguments = {"y_true": "y_true", "y_score": "y_score", "groups": "groups"}
    rule = "'intents' parameter of evaluate must be None if rows are read in batches"
    with pytest.raises(ValueError, match=rule):
        evaluate(**arguments, metrics=["mrr", "alpha_ndcg@3"], data=iter([frame]), **BY_NAME)
