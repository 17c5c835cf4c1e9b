"""Reports of `evaluate`: means and values compared with `ranking_scores`, and errors."""

import datetime
from inspect import signature

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingReport, evaluate, ranking_scores, unique_groups
from tests.helpers.forms import load
from tests.helpers.public_calls import NAMES, assert_rejected
from tests.helpers.reports import split_by
from tests.helpers.table import METRICS, with_unjudged

SIGNED = [*NAMES, *(f"neg_{name}" for name in NAMES if not METRICS[name.partition("@")[0]].greater_is_better)]
OF_COUNTS = [name for name in SIGNED if METRICS[name.removeprefix("neg_").partition("@")[0]].micro]
JUDGED = [name for name in SIGNED if "auc" not in name]
NDCG = ["ndcg@10", "mrr"]


def both(rows, names, **options):
    """Return the means of a report and what `ranking_scores` says."""
    y_true, y_score, groups = rows
    report = evaluate(y_true, y_score, groups=groups, metrics=names, **options)
    return report.mean, ranking_scores(y_true, y_score, groups=groups, metrics=names, **options)


@pytest.fixture(scope="module")
def weights(queries):
    """A weight of each query, repeated on its rows; 0 for some."""
    _, codes = np.unique(queries[2], return_inverse=True)
    return np.random.default_rng(1).integers(0, 4, codes.max() + 1)[codes] / 3


# ------------------------------------------------------------------ means and values


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights"])
@pytest.mark.parametrize(
    ("average", "name"),
    [(average, name) for average in ("macro", "weighted") for name in SIGNED]
    + [("micro", name) for name in OF_COUNTS],
)
def test_evaluate_means_equal_ranking_scores_exactly(name, average, weighted, queries, weights):
    options = {"average": average} | ({"sample_weight": weights} if weighted else {})
    got, expected = both(queries, [name], **options)
    assert got == expected


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "worst"},
        {"ties": "best"},
        {"ties": "order"},
        {"gain": "exponential", "discount": "reciprocal"},
        {"min_relevance": 3},
        {"zero_division": 0.0},
        {"zero_division": np.nan},
        {"zero_division": 1.0, "average": "weighted"},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_evaluate_means_follow_all_options(options, queries):
    names = [name for name in NAMES if options.get("ties") != "best" or name != "err"]
    got, expected = both(queries, names, **options)
    assert got == expected


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_evaluate_micro_means_follow_zero_division(zero_division, queries):
    got, expected = both(queries, OF_COUNTS, average="micro", zero_division=zero_division)
    assert got == expected


@pytest.mark.parametrize("unjudged", ["drop", "nonrelevant"])
def test_evaluate_means_equal_ranking_scores_when_labels_are_missing(unjudged, queries):
    y_true, y_score, groups = queries
    rows = with_unjudged(y_true), y_score, groups
    got, expected = both(rows, [*JUDGED, "judged@2"], unjudged=unjudged)
    assert got == expected


@pytest.mark.parametrize("name", SIGNED)
def test_evaluate_values_equal_ranking_scores_without_average(name, queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=[name])
    alone = ranking_scores(y_true, y_score, groups=groups, metrics=[name], average=None)
    np.testing.assert_array_equal(report.values[name], alone[name])


@pytest.mark.parametrize("name", OF_COUNTS)
@pytest.mark.parametrize("zero_division", [1.0, np.nan])
def test_evaluate_with_micro_average_keeps_ratios_of_queries(name, zero_division, queries):
    y_true, y_score, groups = queries
    options = {"groups": groups, "metrics": [name], "zero_division": zero_division}
    report = evaluate(y_true, y_score, average="micro", **options)
    alone = ranking_scores(y_true, y_score, average=None, **options)
    np.testing.assert_allclose(report.values[name], alone[name], rtol=1e-15)


def test_evaluate_of_all_metrics_equals_one_report_per_metric(queries):
    y_true, y_score, groups = queries
    together = evaluate(y_true, y_score, groups=groups, metrics=SIGNED)
    for name in SIGNED:
        alone = evaluate(y_true, y_score, groups=groups, metrics=[name])
        assert (together.mean[name], together.standard_error[name]) == (
            alone.mean[name],
            alone.standard_error[name],
        )
    assert together.metrics == tuple(SIGNED)


def test_evaluate_follows_average_in_a_metric_name(queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=["recall@5(average=micro)", "recall@5"])
    micro = ranking_scores(y_true, y_score, groups=groups, metrics=["recall@5"], average="micro")
    assert report.mean["recall@5(average=micro)"] == micro["recall@5"] != report.mean["recall@5"]


def test_evaluate_counts_rows_and_relevant_documents(queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=NDCG, min_relevance=2)
    assert report.sizes.tolist() == [int((groups == query).sum()) for query in report.ids]
    assert report.n_relevant.tolist() == [int((y_true[groups == query] >= 2).sum()) for query in report.ids]


@pytest.mark.parametrize(("zero_division", "n_defined"), [(0.0, 3), (1.0, 3), (np.nan, 2)])
def test_evaluate_counts_queries_without_relevant_documents(zero_division, n_defined):
    y_true, groups = [1, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]
    report = evaluate(y_true, np.arange(6), groups=groups, metrics=["mrr"], zero_division=zero_division)
    assert (report.n_queries, report.n_defined["mrr"], report.n_empty["mrr"]) == (3, n_defined, 1)


def test_evaluate_with_micro_average_counts_queries_without_relevant():
    y_true, groups = [1, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]
    options = {"groups": groups, "metrics": ["recall@1"], "average": "micro", "zero_division": np.nan}
    report = evaluate(y_true, np.arange(6), **options)
    assert (report.n_queries, report.n_defined["recall@1"], report.n_empty["recall@1"]) == (3, 2, 1)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_evaluate_warns_and_is_nan_when_no_query_has_a_value(average, interval):
    options = {"metrics": ["recall@1"], "zero_division": np.nan, "average": average, "interval": interval}
    with pytest.warns(UndefinedMetricWarning, match="mean of 'recall@1' is undefined"):
        report = evaluate([[0, 0], [0, 0]], [[1, 2], [1, 2]], **options)
    assert np.isnan([report.mean["recall@1"], *report.interval["recall@1"]]).all()
    assert report.n_defined == {"recall@1": 0}


# ------------------------------------------------------------------ ids and rows

KINDS = {
    "ints": lambda groups: [7 * int(each[1:]) - 100 for each in groups],
    "strings": lambda groups: groups,
    "objects": lambda groups: groups.astype(object),
    "tuples": lambda groups: [(int(each[1:]) % 3, str(each)) for each in groups],
    "dates": lambda groups: np.array([np.datetime64("2020-01-01") + int(each[1:]) for each in groups]),
    "datetimes": lambda groups: [
        datetime.datetime(2020, 1, 1) + datetime.timedelta(int(each[1:])) for each in groups
    ],
    "pandas": lambda groups: load("pandas").Series(groups, dtype="string"),
    "categories": lambda groups: load("pandas").Series(groups).astype("category"),
    "polars": lambda groups: load("polars").Series(groups),
}


@pytest.mark.parametrize("kind", KINDS)
def test_evaluate_sorts_ids_and_keeps_their_type(kind, queries):
    y_true, y_score, groups = queries
    ids = KINDS[kind](groups)
    report = evaluate(y_true, y_score, groups=ids, metrics=NDCG)
    assert report.ids.tolist() == unique_groups(ids).tolist() == sorted(set(np.asarray(report.ids).tolist()))
    assert report.mean == evaluate(y_true, y_score, groups=groups, metrics=NDCG).mean


def test_evaluate_does_not_depend_on_row_order(queries):
    order = np.random.default_rng(0).permutation(len(queries[0]))
    y_true, y_score, groups = queries
    cluster = [query[:2] for query in groups]
    one = evaluate(y_true, y_score, groups=groups, metrics=SIGNED, cluster=cluster)
    moved = [each[order] for each in (y_true, y_score, groups)]
    other = evaluate(*moved[:2], groups=moved[2], metrics=SIGNED, cluster=np.array(cluster)[order])
    assert one.to_dict() == other.to_dict()
    np.testing.assert_array_equal(one.ids, other.ids)


def test_evaluate_treats_rows_of_2d_labels_as_queries():
    y_true, y_score = np.random.default_rng(0).integers(0, 3, (8, 5)), np.random.default_rng(1).random((8, 5))
    wide = evaluate(y_true, y_score, metrics=NDCG, sample_weight=np.arange(8))
    ids = np.repeat(np.arange(8), 5)
    long = evaluate(y_true.ravel(), y_score.ravel(), groups=ids, metrics=NDCG, sample_weight=ids)
    assert wide.to_dict() == long.to_dict()
    assert wide.ids.tolist() == list(range(8))


def test_evaluate_accepts_a_generator_of_metrics(queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=(name for name in NDCG))
    assert report.metrics == tuple(NDCG)


def test_evaluate_report_does_not_share_arrays_of_the_caller():
    y_score, groups, weights = (
        np.array([1.0, 2.0, 3.0, 4.0]),
        np.array([0, 0, 1, 1]),
        np.array([1.0, 1, 2, 2]),
    )
    given = {"groups": groups, "metrics": ["mrr"], "sample_weight": weights, "cluster": groups}
    report = evaluate([1, 0, 1, 0], y_score, **given)
    before = report.to_dict(), report.ids.tolist(), str(split_by(report, ["a", "b"]))
    for each in (y_score, groups, weights):
        each[:] = 9
    assert before == (report.to_dict(), report.ids.tolist(), str(split_by(report, ["a", "b"])))


# ------------------------------------------------------------------ clusters


@pytest.mark.parametrize("kind", ["of rows", "of queries"])
def test_evaluate_accepts_clusters_by_row_or_query_id(kind, queries):
    y_true, y_score, groups = queries
    users = {query: f"user {int(query[1:]) % 7}" for query in groups.tolist()}
    cluster = [users[query] for query in groups.tolist()] if kind == "of rows" else users
    report = evaluate(y_true, y_score, groups=groups, metrics=NDCG, cluster=cluster)
    assert report.clusters.tolist() == [int(query[1:]) % 7 for query in report.ids]


def test_evaluate_rejects_an_array_of_clusters_per_query(queries):
    y_true, y_score, groups = queries
    cluster = [query[-1] for query in unique_groups(groups)]
    match = (
        r"have one entry per row \(\d+ rows\) or be a mapping .*one per query, instead. Their order cannot"
    )
    with pytest.raises(ValueError, match=match):
        evaluate(y_true, y_score, groups=groups, metrics=NDCG, cluster=cluster)


def test_evaluate_accepts_clusters_for_2d_labels():
    report = evaluate(np.eye(4), np.ones((4, 4)), metrics=NDCG, cluster=["b", "a", "b", "a"])
    assert report.clusters.tolist() == [1, 0, 1, 0]


# ------------------------------------------------------------------ invalid input

ROWS = {"y_true": [1, 0, 2, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "groups": [0, 0, 1, 1], "metrics": NDCG}


@pytest.mark.parametrize(
    ("parameter", "value", "rule", "got"),
    [
        ("confidence_level", 95, "be between 0 and 1, such as 0.95", "95"),
        ("confidence_level", True, "be between 0 and 1", "True"),
        ("confidence_level", "0.9", "be between 0 and 1", "'0.9'"),
        ("confidence_level", 0, "be between 0 and 1", "0"),
        ("interval", "normal", "be one of 't', 'bootstrap'", "'normal'"),
        ("n_resamples", 10, "be an int from 100", "10"),
        ("n_resamples", 2**31, "be an int from 100", "2147483648"),
        ("n_resamples", 1e4, "be an int from 100", "10000.0"),
        ("random_state", "x", "be None, an int", "'x'"),
        ("average", None, "be 'macro', 'micro' or 'weighted'", "None"),
        ("metrics", [], "be a non-empty list of distinct names", r"\[\]"),
        ("metrics", ["mrr", "mrr"], "be a non-empty list of distinct names", "mrr"),
        ("metrics", ["ndgc"], "name a metric .did you mean ndcg", "'ndgc'"),
        ("groups", None, "is required for 1-D input", ""),
        ("groups", [None, 0, 1, 1], "not contain missing ids", "None"),
        (
            "cluster",
            [0, 1, 1, 1],
            "be the same for all rows of a query",
            "different values in 1 of 2 queries",
        ),
        ("cluster", [0, 0, 1], r"have one id per row \(4 rows\)", "3"),
        ("cluster", [0, 0, None, 1], "not contain missing ids", ""),
        ("n_jobs", 0, "be an int other than 0", "0"),
        ("sample_weight", [1, 2, 1, 1], "be the same for all rows of a query", "1.0 and 2.0"),
    ],
)
def test_evaluate_rejects_invalid_arguments(parameter, value, rule, got):
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of evaluate (must )?{rule}.*{got}"):
        evaluate(**ROWS | {parameter: value})


def test_evaluate_rejects_clusters_in_another_row_order(queries):
    pd = load("pandas")
    frame = pd.DataFrame(dict(zip(("y", "score", "qid"), queries)))
    cluster = frame.qid.sort_values()
    call = {"y_true": frame.y, "y_score": frame.score, "groups": frame.qid, "metrics": NDCG}
    assert_rejected(
        evaluate, "evaluate", call | {"cluster": cluster}, "cluster", "have its rows in the same order"
    )


def test_evaluate_has_parameters_and_defaults_of_ranking_scores():
    ours, theirs = signature(evaluate).parameters, signature(ranking_scores).parameters
    assert set(theirs) <= set(ours)
    assert all(ours[name].default == each.default for name, each in theirs.items())


def test_evaluate_returns_a_ranking_report():
    assert isinstance(evaluate(**ROWS), RankingReport)


def test_evaluate_reads_clusters_by_index_of_ids():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    queries = np.array([f"q{i}" for i in random.permutation(40)])
    groups, users = np.repeat(queries, 5), np.repeat(random.integers(0, 8, 40), 5)
    y_true, y_score = random.integers(0, 2, 200), random.random(200)
    options = {"groups": groups, "metrics": ["ndcg"]}
    of_rows = evaluate(y_true, y_score, cluster=users, **options)
    by_id = pandas.Series(users[::5], index=queries)
    assert evaluate(y_true, y_score, cluster=by_id, **options).interval == of_rows.interval
    with pytest.raises(ValueError, match=r"'cluster' parameter of evaluate must"):
        evaluate(y_true, y_score, cluster="user", **options)
