"""Reports made from values: contents, worst queries, frames, JSON and pickles."""

import json
import pickle

import numpy as np
import pytest

from sklearn_rank import RankingReport, evaluate
from tests.helpers.forms import load
from tests.helpers.reports import join_lines, split_by

VALUES = {"ndcg@10": [0.5, 1.0, np.nan, 0.25], "mrr": [0, 1, 1, 0.5]}
IDS = ["q3", "q1", "q2", "q0"]
FROM_VALUES = "RankingReport.from_values"


@pytest.fixture
def report():
    """A report of four queries in another order than that of their ids."""
    return RankingReport.from_values(
        IDS, VALUES, sizes=[3, 1, 2, 5], n_relevant=[1, 0, 2, 2], folds=[3, 1, 2, 0], cluster=list("dbac")
    )


# ------------------------------------------------------------------ from values


def test_report_from_values_sorts_everything_by_id(report):
    assert report.ids.tolist() == sorted(IDS)
    assert report.sizes.tolist() == [5, 1, 2, 3]
    assert report.n_relevant.tolist() == [2, 0, 2, 1]
    assert report.folds.tolist() == [0, 1, 2, 3]
    assert report.clusters.tolist() == [2, 1, 0, 3]
    np.testing.assert_array_equal(report.values["ndcg@10"], [0.25, 1, np.nan, 0.5])
    assert report.values["mrr"].tolist() == [0.5, 1, 1, 0]


def test_report_from_values_leaves_absent_arguments_none():
    report = RankingReport.from_values([1, 2], {"x": [1, 2]})
    assert (report.sizes, report.n_relevant, report.folds, report.clusters) == (None,) * 4


def test_report_has_counts_and_means(report):
    assert report.mean == {"ndcg@10": 1.75 / 3, "mrr": 0.625}
    assert (report.n_queries, report.n_defined) == (4, {"ndcg@10": 3, "mrr": 4})
    assert report.n_empty == {"ndcg@10": 1, "mrr": 1}  # one query has no relevant document
    assert report.metrics == ("ndcg@10", "mrr")
    assert repr(report).startswith("4 queries, 95% confidence intervals")


@pytest.mark.parametrize("ids", [[(2, "b"), (1, "z"), (1, "a")], [3, -1, 2], [2.5, 0.5, 1.0]], ids=str)
def test_report_from_values_accepts_ids_of_any_sortable_type(ids):
    report = RankingReport.from_values(ids, {"x": [0, 1, 2]})
    assert report.ids.tolist() == sorted(ids)
    assert report.values["x"].tolist() == [ids.index(each) for each in sorted(ids)]


@pytest.mark.parametrize(
    "values", [[True, False, True], [1, 0, 1], np.array([1, 0, 1], dtype="float32")], ids=repr
)
def test_report_from_values_accepts_values_of_any_number_type(values):
    assert RankingReport.from_values([1, 2, 3], {"mrr": values}).mean == {"mrr": 2 / 3}


def test_report_from_values_accepts_columns_of_a_frame():
    frame = load("pandas").DataFrame(
        VALUES | {"query": IDS, "user": ["u", "v", "u", "v"]}, index=[4, 2, 9, 1]
    )
    values = {name: frame[name] for name in VALUES}
    report = RankingReport.from_values(frame["query"], values, cluster=frame["user"])
    assert report.mean == RankingReport.from_values(IDS, VALUES).mean
    assert report.clusters.tolist() == [1, 1, 0, 0]


def test_report_does_not_share_arrays_of_the_caller():
    ids, values, weights = np.arange(5), np.arange(5) / 5, np.ones(5)
    clusters, folds = np.arange(5), np.zeros((5, 2), dtype=int)
    given = {"weights": weights, "cluster": clusters, "folds": folds, "sizes": clusters}
    report = RankingReport.from_values(ids, {"x": values}, **given)
    before = str(report.to_frame()), report.folds.tolist(), str(split_by(report, [0, 0, 1, 1, 1]))
    for each in (ids, values, weights, clusters, folds):
        each[:] = 7
    assert before == (str(report.to_frame()), report.folds.tolist(), str(split_by(report, [0, 0, 1, 1, 1])))


@pytest.mark.parametrize("name", ["ids", "sizes", "n_relevant", "folds", "clusters"])
def test_report_arrays_are_read_only(name, report):
    with pytest.raises(ValueError, match="read-only"):
        getattr(report, name)[0] = getattr(report, name)[1]
    with pytest.raises(ValueError, match="read-only"):
        report.values["mrr"][0] = 1


def test_report_needs_eight_bytes_per_query_and_metric(queries):
    y_true, y_score, groups = queries
    names = [f"ndcg@{k}" for k in range(1, 21)]
    weights = np.unique(groups, return_inverse=True)[1] + 1.0
    report = evaluate(y_true, y_score, groups=groups, metrics=names, sample_weight=weights)
    arrays = [
        array
        for each in report._queries.metrics.values()
        for array in (each.values, each.weights, each.defined)
    ]
    memory = {id(array): array.nbytes for array in arrays if array is not None}
    assert sum(memory.values()) <= 8 * 60 * (len(names) + 2)


@pytest.mark.parametrize(
    ("given", "parameter", "rule"),
    [
        ({"ids": [1, 1, 2, 3]}, "ids", "contain each query id once.* Got 4 ids, 1 of them repeated inst"),
        (
            {"ids": []},
            "ids",
            "contain each query id once, and at least one id. Got 0 ids, 0 of them repeated inst",
        ),
        ({"ids": [None, 1, 2, 3]}, "ids", "not contain missing ids"),
        ({"ids": ["1", 1, 2, 3]}, "ids", "contain ids of one type"),
        ({"ids": 7}, "ids", ""),
        ({"values": {}}, "values", "be a dict of metric names to values. Got an empty dict instead"),
        ({"values": [1, 2, 3, 4]}, "values", "be a dict of metric names to values. Got a list"),
        ({"values": {7: [1, 2, 3, 4]}}, "values", "be a dict of metric names to values. Got the key 7"),
        (
            {"values": {"x": [1, 2]}},
            "values",
            "contain one number per query for 'x', shape .4,.* Got shape .2,.",
        ),
        ({"values": {"x": [[1], [2], [3], [4]]}}, "values", "contain one number per query for 'x'"),
        ({"values": {"x": [1, 2, 3, np.inf]}}, "values", "be finite or NaN for 'x'. Got inf"),
        ({"values": {"x": list("abcd")}}, "values", "contain one number per query for 'x'"),
        (
            {"values": {"mrr": [0, 0, 0, 41.2]}},
            "values",
            "be from 0 to 1 for the metric 'mrr'. Got 41.2 instead",
        ),
        (
            {"values": {"neg_bpr_loss": [0, 0, 0, 1]}},
            "values",
            "be from -inf to -?0 for the metric 'neg_bpr_loss'.* Got 1",
        ),
        (
            {"values": {"kendall_tau": [-1, 1, -1.1, 0]}},
            "values",
            "be from -1 to 1 for the metric 'kendall_tau'. Got -1.1 instead",
        ),
        ({"weights": [0, 0, 0, 0]}, "weights", "contain a value above 0"),
        ({"weights": [1e308] * 4}, "weights", "be at most 1e.300. Got 1e.308"),
        ({"weights": [1, 2, 3]}, "weights", "have one entry per query"),
        ({"weights": [1, 2, 3, -4]}, "weights", ""),
        ({"sizes": [1, 2, 3]}, "sizes", "have one entry per query .4 queries.. Got shape .3,."),
        ({"sizes": [[1], [2], [3], [4]]}, "sizes", "have one entry per query .4 queries."),
        ({"n_relevant": [0.5, 1, 2, 3]}, "n_relevant", "contain integers. Got dtype float64"),
        ({"folds": list("abcd")}, "folds", "contain integers"),
        ({"folds": np.zeros((4, 2, 2), int)}, "folds", "have one entry per query"),
        ({"cluster": [1, 2, 3]}, "cluster", "have one id per row, 4|have one"),
        ({"cluster": [1, 2, 3, None]}, "cluster", "not contain missing ids"),
        ({"confidence_level": 95}, "confidence_level", "be between 0 and 1"),
        ({"interval": "bca"}, "interval", "be one of 't', 'bootstrap'"),
        ({"n_resamples": 99}, "n_resamples", "be an int from 100"),
        ({"random_state": -1}, "random_state", "be None, an int"),
    ],
    ids=str,
)
def test_report_from_values_rejects_invalid_arguments(given, parameter, rule):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {FROM_VALUES} must {rule}"):
        RankingReport.from_values(**{"ids": [1, 2, 3, 4], "values": {"x": [1, 2, 3, 4]}} | given)


def test_report_from_values_accepts_rounding_at_the_ends_of_a_range():
    report = RankingReport.from_values([1, 2], {"ndcg": np.float32([1.0000001, -1e-8])})
    assert report.interval["ndcg"] == (0, 1)


@pytest.mark.parametrize("parameter", ["values", "weights", "cluster"])
def test_report_from_values_rejects_rows_in_another_order(parameter):
    pd = load("pandas")
    ids, moved = pd.Series([1, 2, 3]), pd.Series([1, 2, 3], index=[2, 1, 0])
    given = {"values": {"x": [1, 2, 3]}} | {parameter: {"x": moved} if parameter == "values" else moved}
    with pytest.raises(
        ValueError, match=f"'{parameter}' parameter of {FROM_VALUES} must have its rows in the same order"
    ):
        RankingReport.from_values(ids, **given)


# ------------------------------------------------------------------ worst


@pytest.mark.parametrize(
    ("name", "values", "worst"),
    [
        ("mrr", [0.5, 0.1, 0.9, np.nan, 0.1], [1, 4, 0]),
        ("bpr_loss", [0.5, 0.1, 0.9, np.nan, 0.1], [2, 0, 1]),
        ("neg_bpr_loss", [-0.5, -0.1, -0.9, np.nan, -0.1], [2, 0, 1]),
        ("fallout_loss@5", [0.5, 0.1, 0.9, np.nan, 0.1], [2, 0, 1]),
        ("of another library", [0.5, 0.1, 0.9, np.nan, 0.1], [1, 4, 0]),
    ],
)
def test_report_worst_lists_the_worst_queries_first(name, values, worst):
    table = RankingReport.from_values(range(5), {name: values, "other": np.arange(5)}).worst(name, n=3)
    assert table.columns["query"].tolist() == table.columns["other"].tolist() == worst
    assert str(table).startswith(f"3 of 5 queries with the worst {name}\n")


def test_report_worst_excludes_queries_without_a_value(report):
    assert report.worst("ndcg@10").columns["query"].tolist() == ["q0", "q3", "q1"]


def test_report_worst_to_frame_has_all_columns(report):
    frame = report.worst("mrr", 2).to_frame()
    assert list(frame.columns) == ["query", "size", "relevant", "cluster", "fold", *VALUES]
    assert frame["query"].tolist() == ["q3", "q0"]
    assert frame["size"].tolist() == [3, 5]


@pytest.mark.parametrize(
    ("arguments", "parameter", "rule"),
    [
        (("map",), "metric", "be a metric of the report .'ndcg@10', 'mrr'.. Got 'map' instead"),
        ((["mrr"],), "metric", "be a metric of the report"),
        (("mrr", 0), "n", "be an int >= 1. Got 0"),
        (("mrr", 1.5), "n", "be an int >= 1. Got 1.5"),
        (("mrr", True), "n", "be an int >= 1. Got True"),
    ],
)
def test_report_worst_rejects_invalid_arguments(arguments, parameter, rule, report):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of RankingReport.worst must {rule}"):
        report.worst(*arguments)


# ------------------------------------------------------------------ formats


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("ids", [IDS, [(1, 2), (1, 1), (0, 5), (3, 3)]], ids=["text", "tuples"])
def test_report_to_frame_has_a_row_per_query(library, ids):
    load(library)
    frame = RankingReport.from_values(ids, VALUES, sizes=[1, 2, 3, 4]).to_frame(library)
    assert list(frame.columns) == ["query", "size", *VALUES]
    got = frame["query"].to_list() if library == "polars" else frame["query"].tolist()
    assert [tuple(each) if isinstance(each, list) else each for each in got] == sorted(ids)
    assert type(frame).__module__.startswith(library)
    assert list(frame["mrr"]) == [VALUES["mrr"][ids.index(each)] for each in sorted(ids)]


def test_report_to_frame_omits_folds_of_repeats():
    report = RankingReport.from_values([1, 2], {"x": [1, 2]}, folds=[[0, 1], [1, 0]])
    assert list(report.to_frame().columns) == ["query", "x"]


def test_report_to_dict_is_valid_json(report):
    again = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert (again["n_queries"], again["confidence_level"]) == (4, 0.95)
    assert list(again["metrics"]) == list(VALUES)
    for name, each in again["metrics"].items():
        assert each["mean"] == report.mean[name]
        assert tuple(each["interval"]) == report.interval[name]
        assert (each["n_defined"], each["n_empty"]) == (report.n_defined[name], report.n_empty[name])


def test_report_to_dict_writes_nan_as_none():
    report = RankingReport.from_values([1], {"x": [0.5]})
    assert report.to_dict()["metrics"]["x"]["interval"] == [None, None]


def test_report_can_be_pickled(report):
    again = pickle.loads(pickle.dumps(report))
    assert (str(again), again.to_dict()) == (str(report), report.to_dict())
    assert str(split_by(again, list("abab"))) == str(split_by(report, list("abab")))
    np.testing.assert_array_equal(again.values["ndcg@10"], report.values["ndcg@10"])


def test_report_table_counts_clusters(report):
    text = str(RankingReport.from_values(IDS, VALUES, cluster=[1, 1, 7, 7], confidence_level=0.9))
    assert text.startswith("4 queries, 90% confidence intervals over 2 clusters of queries\n")
    assert "fewer than 20 clusters, or fewer than 5 query values differ from 0 (or from 1)." in join_lines(
        text
    )
    assert str(report.table()) == str(report)


def test_report_table_shares_decimals_of_metrics_between_minus_1_and_1():
    values = np.random.default_rng(0).random((3, 40)) * [[1], [0.1], [10]]
    report = RankingReport.from_values(range(40), dict(zip(("mrr", "kendall_tau", "x"), values)))
    decimals = [len(row.split()[1].partition(".")[2]) for row in str(report).split("\n")[2:5]]
    assert decimals == [4, 4, 1]


# ------------------------------------------------------------------ series by id


def test_report_counts_undefined_queries_as_empty_without_n_relevant():
    assert RankingReport.from_values(IDS, VALUES).n_empty == {"ndcg@10": 1, "mrr": 0}


@pytest.mark.parametrize("ids", [["b", "a", "c"], [7, 3, 5]], ids=["text", "numbers"])
def test_report_from_values_reads_series_by_ids_in_the_index(ids):
    pandas = pytest.importorskip("pandas")
    index = pandas.Index(ids, name="query")
    by_id = pandas.Series([0.1, 0.2, 0.3], index=index)
    shuffled = by_id.iloc[[2, 0, 1]]
    plain = RankingReport.from_values(ids, {"mrr": [0.1, 0.2, 0.3]}, weights=[1, 2, 3])
    weights = pandas.Series([1, 2, 3], index=index).iloc[::-1]
    for given in (ids, by_id.index):
        report = RankingReport.from_values(given, {"mrr": shuffled}, weights=weights)
        assert report.values["mrr"].tolist() == plain.values["mrr"].tolist()
        assert report.mean == plain.mean
    segments = pandas.Series(["one", "two", "two"], index=index)
    for labels in (segments, segments.iloc[[1, 2, 0]]):
        assert plain.by(labels)["one"].ids.tolist() == [ids[0]]


def test_report_from_values_reads_mappings_by_id():
    ids = ["b", "a", "c"]
    plain = RankingReport.from_values(ids, {"mrr": [0.1, 0.2, 0.3]}, weights=[1, 2, 3], cluster=[7, 8, 9])
    by_id = {"values": {"mrr": {"c": 0.3, "a": 0.2, "b": 0.1}}, "weights": {"a": 2, "b": 1, "c": 3}}
    report = RankingReport.from_values(ids, **by_id, cluster={"c": 9, "b": 7, "a": 8})
    assert report.to_dict() == plain.to_dict()
    assert report.clusters.tolist() == plain.clusters.tolist()


def test_report_from_values_reads_a_named_default_index_by_id():
    """pandas makes a default index of the ids 0, 1, 2 when they are set as the index."""
    frame = load("pandas").DataFrame({"qid": [0, 1, 2], "mrr": [0.1, 0.2, 0.3]}).set_index("qid")
    report = RankingReport.from_values([2, 0, 1], {"mrr": frame["mrr"]})
    assert report.values["mrr"].tolist() == [0.1, 0.2, 0.3]


def test_report_from_values_rejects_an_index_with_some_of_the_ids():
    values = load("pandas").Series([0.1, 0.2, 0.3], index=["a", "c", "x"])
    with pytest.raises(
        ValueError, match=r"'values' .* have an entry for each query id. Got none for 'b' inst"
    ):
        RankingReport.from_values(["a", "b", "c"], {"mrr": values})


def test_report_from_values_ignores_an_index_without_the_ids():
    pandas = pytest.importorskip("pandas")
    for index in (None, ["x", "y", "z"], [9, 9, 8]):
        values = pandas.Series([0.1, 0.2, 0.3], index=index)
        report = RankingReport.from_values([2, 0, 1], {"mrr": values})
        assert report.values["mrr"].tolist() == [0.2, 0.3, 0.1]
    frame = pandas.DataFrame({"id": [2, 0, 1], "mrr": [0.1, 0.2, 0.3]}, index=[1, 2, 0])
    report = RankingReport.from_values(frame["id"], {"mrr": frame["mrr"]})
    assert report.values["mrr"].tolist() == [0.2, 0.3, 0.1]


def test_report_by_rejects_a_column_name(report):
    with pytest.raises(
        ValueError, match=r"'labels' parameter of RankingReport.by must contain the labels, not their name"
    ):
        report.by("market")
