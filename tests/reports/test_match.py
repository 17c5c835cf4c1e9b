"""Reports whose queries are matched by id, and reports that cannot be compared."""

import warnings

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, evaluate
from tests.helpers.forms import load
from tests.helpers.reports import drop_values

IDS = ["q1", "q2", "q3", "q4", "q5", "q6"]
ONE, OTHER = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.2, 0.1, 0.5, 0.6, 0.9]


def report_of(ids=IDS, values=ONE, name="mrr", **options):
    return RankingReport.from_values(ids, {name: values}, **options)


def match_error(rule, got=""):
    return rf"The 'reports' parameter of compare must {rule}.*{got}"


# ------------------------------------------------------------------ matching


def test_compare_matches_ids_in_any_order():
    order = [3, 0, 5, 1, 4, 2]
    moved = report_of([IDS[i] for i in order], [OTHER[i] for i in order])
    expected = compare({"a": report_of(), "b": report_of(values=OTHER)})
    assert str(compare({"a": report_of(), "b": moved})) == str(expected)


def test_compare_counts_and_names_missing_ids():
    few = report_of(IDS[:2], OTHER[:2])
    with pytest.raises(
        ValueError,
        match=match_error(
            "have the same queries", r"4 of 6 queries missing in 'b' \('q3', 'q4', 'q5', \.\.\.\)"
        ),
    ):
        compare({"a": report_of(), "b": few})
    most = report_of(IDS[1:], OTHER[1:])
    with pytest.raises(ValueError, match=r"Got 1 of 6 queries missing in 'a' \('q1'\) instead"):
        compare({"a": most, "b": report_of()})


@pytest.mark.filterwarnings("ignore:compare. missing='drop' excluded")
def test_compare_drops_missing_ids_when_missing_is_drop():
    reports = {"a": report_of(IDS[1:], ONE[1:]), "b": report_of(IDS[:5], OTHER[:5])}
    found = compare(reports, missing="drop")
    expected = compare({"a": report_of(IDS[1:5], ONE[1:5]), "b": report_of(IDS[1:5], OTHER[1:5])})
    assert (found.n_queries, found.n_dropped) == (4, 2)
    assert "missing='drop' excluded 2 queries that not every report contains." in str(found)
    for name, column in expected.columns.items():
        np.testing.assert_array_equal(found.columns[name], column)
    assert set(found.changes("mrr").columns["query"].tolist()) <= set(IDS[1:5])


@pytest.mark.parametrize(("n_dropped", "warns"), [(1, False), (2, True)])
def test_compare_warns_if_more_than_5_percent_are_dropped(n_dropped, warns):
    values = np.random.default_rng(0).random((2, 21))
    n = 21 - n_dropped
    reports = {"a": report_of(range(21), values[0]), "b": report_of(range(n), values[1][:n])}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(reports, missing="drop")
    message = "compare: missing='drop' excluded 2 of 21 queries, so the result can be biased"
    assert [str(each.message).startswith(message) for each in caught] == [True] * warns


@pytest.mark.filterwarnings("ignore:compare. missing='drop' excluded")
@pytest.mark.parametrize(
    "ids",
    [[3, 1, 2], [(1, "b"), (1, "a"), (0, "z")], [0.5, 0.25, 1.0]],
    ids=["ints", "tuples", "floats"],
)
def test_compare_matches_ids_of_all_types(ids):
    one, other = report_of(ids, [1, 0, 1]), report_of(ids[:2], [0, 0])
    changes = compare({"a": one, "b": other}, missing="drop").changes("mrr")
    assert changes.columns["query"].tolist() == [ids[0]]


@pytest.mark.filterwarnings("ignore:compare. missing='drop' excluded")
@pytest.mark.parametrize("units", [("D", "ns"), ("us", "ns"), ("s", "D")], ids=str)
def test_compare_matches_dates_in_any_unit(units):
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[D]")
    one, other = (report_of(days[:n].astype(f"M8[{unit}]"), ONE[:n]) for n, unit in zip((3, 2), units))
    assert compare({"a": one, "b": other}, missing="drop").n_queries == 2
    with pytest.raises(ValueError, match=r"Got 1 of 3 queries missing in 'b'.*2020-01-03"):
        compare({"a": one, "b": other})


def test_compare_accepts_dates_of_a_frame():
    days = load("pandas").to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    found = compare({"a": report_of(days, [1, 0, 1]), "b": report_of(days, [0, 0, 1])})
    assert str(found.changes("mrr")).split("\n")[2].split()[0] == "2020-01-01"


def test_compare_does_not_match_numbers_with_text():
    with pytest.raises(
        ValueError,
        match=match_error(
            "have common query ids",
            "ids such as 0 in 'a' and '0' in 'b' instead. .*the number 1 is not equal to the text '1'",
        ),
    ):
        compare({"a": report_of(range(6)), "b": report_of(list(map(str, range(6))))})


def test_compare_rejects_disjoint_ids_when_missing_is_drop():
    with pytest.raises(ValueError, match=match_error("have common query ids")):
        compare({"a": report_of(range(6)), "b": report_of(range(6, 12))}, missing="drop")


@pytest.mark.filterwarnings("ignore:compare. missing='drop' excluded")
def test_compare_keeps_queries_of_all_three_reports():
    reports = {name: report_of(IDS[n:], ONE[n:]) for name, n in (("a", 0), ("b", 1), ("c", 2))}
    found = compare(reports, missing="drop")
    assert (found.n_queries, found.n_dropped) == (4, 2)


# ------------------------------------------------------------------ metrics


def test_compare_selects_metrics():
    one = RankingReport.from_values(IDS, {"mrr": ONE, "map": ONE, "ndcg": ONE})
    other = RankingReport.from_values(IDS, {"ndcg": OTHER, "mrr": OTHER})
    found = compare({"a": one, "b": other}, metrics=(name for name in ["ndcg", "mrr"]))
    assert found.metrics == ("ndcg", "mrr")
    assert found.columns["metric"].tolist() == ["ndcg", "mrr"]


def test_compare_error_names_the_metrics_that_reports_share():
    one = RankingReport.from_values(IDS, {"mrr": ONE, "map": ONE, "ndcg": ONE})
    other = RankingReport.from_values(IDS, {"ndcg": OTHER, "mrr": OTHER})
    with pytest.raises(
        ValueError, match=r"'b' with 'ndcg', 'mrr' instead\. .*, such as metrics=\['mrr'\]\.$"
    ):
        compare({"a": one, "b": other})


def test_compare_matches_metrics_in_any_order():
    one = RankingReport.from_values(IDS, {"mrr": ONE, "map": OTHER})
    other = RankingReport.from_values(IDS, {"map": OTHER, "mrr": ONE})
    assert compare({"a": one, "b": other}).columns["difference"].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("metrics", "rule"),
    [
        (["map"], "be a non-empty list of metrics that are in all reports. Got 'map', which is not in 'a'"),
        (["mrr", 7], "be a non-empty list of metrics that are in all reports. Got 7, which is not in 'a'"),
        ([["mrr"]], "be a non-empty list of metrics that are in all reports"),
        ([], "be a non-empty list of metrics that are in all reports. Got \\[\\] instead"),
        ("mrr", "be a non-empty list of metrics that are in all reports. Got 'mrr' instead"),
        (7, "be a non-empty list of metrics that are in all reports"),
    ],
    ids=str,
)
def test_compare_rejects_invalid_metrics(metrics, rule):
    with pytest.raises(ValueError, match=f"The 'metrics' parameter of compare must {rule}"):
        compare({"a": report_of(), "b": report_of(values=OTHER)}, metrics=metrics)


# ------------------------------------------------------------------ invalid input


@pytest.mark.parametrize(
    ("reports", "rule"),
    [
        ({"a": report_of()}, "be a dict with at least two reports. Got 1 report instead"),
        ([report_of(), report_of()], "be a dict with at least two reports. Got a list instead"),
        ({}, "be a dict with at least two reports. Got 0 reports instead"),
        (None, "be a dict with at least two reports"),
        ({"a": report_of(), 7: report_of()}, "be a dict of names to reports.*Got 7: RankingReport"),
        (
            {"a": report_of(), "b": ONE},
            "be a dict of names to reports. Got 'b': list instead. Make reports with eval",
        ),
        (
            {"a": report_of(), "b": report_of(name="map")},
            "have the same metrics. Got 'a' with 'mrr' and 'b' with 'map' instead.$",
        ),
    ],
)
def test_compare_rejects_invalid_reports(reports, rule):
    with pytest.raises(ValueError, match=match_error(rule)):
        compare(reports)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        (
            {"weights": range(6)},
            {},
            "have the same query weights. Got different weights in 'a' and 'b' instead",
        ),
        ({"weights": range(6)}, {"weights": range(1, 7)}, "have the same query weights"),
        ({"cluster": [0, 0, 1, 1, 2, 2]}, {}, "have the same clusters"),
        ({"cluster": [0, 0, 1, 1, 2, 2]}, {"cluster": [0, 1, 1, 1, 2, 2]}, "have the same clusters"),
        ({"folds": [0, 0, 1, 1, 2, 2]}, {"folds": [0, 1, 0, 1, 2, 2]}, "have each query in the same fold"),
        ({"folds": [0, 0, 1, 1, 2, 2]}, {"folds": [[0, 1]] * 6}, "have each query in the same fold"),
    ],
    ids=str,
)
def test_compare_rejects_inconsistent_weights_clusters_and_folds(one, other, rule):
    with pytest.raises(ValueError, match=match_error(rule)):
        compare({"a": report_of(**one), "b": report_of(values=OTHER, **other)})


@pytest.mark.parametrize(
    "options",
    [
        {"weights": range(6)},
        {"cluster": ["u", "u", "v", "v", "w", "w"]},
        {"folds": [0, 0, 1, 1, 2, 2]},
    ],
    ids=str,
)
def test_compare_accepts_equal_weights_clusters_and_folds(options):
    found = compare({"a": report_of(**options), "b": report_of(values=OTHER, **options)})
    assert found.n_queries == 6


def test_compare_accepts_folds_in_only_one_report():
    assert compare({"a": report_of(folds=range(6)), "b": report_of(values=OTHER)}).n_queries == 6


@pytest.mark.parametrize("names", [(5, 6, 9), (9, 5, 6)], ids=str)
def test_compare_matches_clusters_with_different_names(names):
    one = report_of(cluster=["u", "u", "v", "v", "w", "w"])
    assert compare({"a": one, "b": report_of(values=OTHER, cluster=np.repeat(names, 2))}).n_queries == 6


@pytest.mark.filterwarnings("ignore:compare. missing='drop' excluded")
def test_compare_matches_clusters_when_ids_are_dropped():
    one = report_of(cluster=["u", "u", "v", "v", "w", "w"])
    other = report_of(IDS[2:], OTHER[2:], cluster=["v", "v", "w", "w"])
    assert str(compare({"a": one, "b": other}, missing="drop")).startswith("4 queries in 2 clusters")


def test_compare_rejects_micro_with_macro_averages():
    rows = {"y_true": [1, 0, 1, 1], "y_score": [1, 2, 3, 4], "groups": [0, 0, 1, 1], "metrics": ["recall@1"]}
    reports = {name: evaluate(**rows, average=name) for name in ("micro", "macro")}
    with pytest.raises(
        ValueError, match=match_error("have the same average for 'recall@1'. Got 'micro' in one of")
    ):
        compare(reports)


def test_compare_rejects_weighted_with_macro_averages():
    rows = {
        "y_true": [1, 0, 1, 1, 1],
        "y_score": [1, 2, 3, 4, 5],
        "groups": [0, 0, 1, 1, 1],
        "metrics": ["mrr"],
    }
    reports = {name: evaluate(**rows, average=name) for name in ("weighted", "macro")}
    with pytest.raises(
        ValueError, match=match_error("have the same options for 'mrr'. Got average='weighted'")
    ):
        compare(reports)


def test_compare_rejects_values_mixed_with_moments():
    with pytest.raises(
        ValueError, match=r"^compare requires the value of each query. Got a report of moments instead"
    ):
        compare({"a": report_of(), "b": drop_values(report_of())})


@pytest.mark.parametrize(
    ("given", "parameter", "rule"),
    [
        ({"baseline": "bm25"}, "baseline", "be the name of a report \\('a', 'b'\\). Got 'bm25' instead"),
        ({"baseline": 0}, "baseline", "be the name of a report"),
        ({"test": "student"}, "test", "be one of 'auto', 't', 'randomization', 'wilcoxon', 'sign'"),
        ({"correction": "BH"}, "correction", "be one of 'auto', 'holm', 'bonferroni', None"),
        (
            {"correction": "fdr_bh"},
            "correction",
            r".*columns\['p_unadjusted'\], method='fdr_bh'\)\.$",
        ),
        ({"margin": 0.1, "test": "sign"}, "margin", "be None with test='sign'. Got 0.1 .* Pass test='t'"),
        ({"margin": 0.1, "test": "wilcoxon"}, "margin", "be None with test='wilcoxon'"),
        ({"confidence_level": 95}, "confidence_level", "be between 0 and 1, such as 0.95. Got 95 instead"),
        (
            {"margin": 0},
            "margin",
            "be a positive number, a dict of metrics to positive numbers, or None. Got 0 instead",
        ),
        ({"margin": -0.1}, "margin", "be a positive number, a dict"),
        ({"margin": True}, "margin", "be a positive number, a dict"),
        ({"margin": np.nan}, "margin", "be a positive number, a dict"),
        ({"margin": "0.1"}, "margin", "be a positive number, a dict"),
        ({"margin": {"mrr": 0}}, "margin", "be a positive number, a dict .* Got {'mrr': 0} instead"),
        ({"margin": {"mrr": None}}, "margin", "be a positive number, a dict"),
        ({"margin": {}}, "margin", "be a positive number, a dict of metrics"),
        ({"margin": {"map": 0.1}}, "margin", "have compared metrics as keys \\('mrr'\\). Got 'map' instead"),
        ({"missing": "ignore"}, "missing", "be one of 'raise', 'drop'"),
        ({"n_resamples": 10}, "n_resamples", "be an int from 100 to 10\\*\\*7. Got 10"),
        ({"random_state": "x"}, "random_state", "be None, an int"),
    ],
    ids=str,
)
def test_compare_rejects_invalid_arguments(given, parameter, rule):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of compare must {rule}"):
        compare({"a": report_of(), "b": report_of(values=OTHER)}, **given)


def test_compare_errors_shorten_long_names_and_options():
    names, metrics = [letter * 500 for letter in "ab"], [letter * 500 for letter in "cd"]
    with pytest.raises(ValueError, match=r"Got 'a{26}\.{3}a{9}' with 'c{26}\.{3}c{9}' and 'b") as caught:
        compare({names[0]: report_of(name=metrics[0]), names[1]: report_of(name=metrics[1])})
    assert len(str(caught.value)) < 350
    rows = {"groups": [1, 1, 2], "metrics": ["ndcg"]}
    gains = [dict(zip(range(300), range(300))), {0: 0, 1: 2}]
    reports = [evaluate([1, 0, 1], [3, 2, 1], gain=each, **rows) for each in gains]
    with pytest.raises(
        ValueError, match=r"Got gain={0: 0, 1: 1, .*\.{3}.* in 'a+\.{3}a+' and gain={0: 0, 1: 2}"
    ) as caught:
        compare(dict(zip(names, reports)))
    assert len(str(caught.value)) < 350


def test_compare_checks_every_entry_of_long_options():
    plain = {grade: grade for grade in range(300)}
    rows = {"groups": [1, 1, 2], "metrics": ["ndcg"]}
    reports = [evaluate([1, 0, 1], [3, 2, 1], gain=each, **rows) for each in (plain, plain | {150: 150.5})]
    with pytest.raises(ValueError, match="have the same options for 'ndcg'"):
        compare(dict(zip("ab", reports)))


# ------------------------------------------------------------------ LaTeX


def test_comparison_latex_marks_worse_systems_by_letter():
    rng = np.random.default_rng(0)
    base = rng.random(60)
    values = {
        "low_1": base,
        "middle": base + 0.2 + rng.normal(0, 0.01, 60),
        "high": base + 0.4 + rng.normal(0, 0.01, 60),
    }
    reports = {
        name: RankingReport.from_values(np.arange(60), {"dcg": each, "bpr_loss": each})
        for name, each in values.items()
    }
    rows = compare(reports).to_latex().split("\n")
    assert "Superscript letters name the systems that are significantly worse." in rows[2]
    rows = rows[rows.index("\\toprule") :]
    assert rows[1] == "letter & system & dcg & bpr\\_loss \\\\"
    assert [row.split(" & ")[:2] for row in rows[3:6]] == [["a", "low\\_1"], ["b", "middle"], ["c", "high"]]
    assert [row.partition("$")[2].split("$")[0] for row in rows[3:6]] == ["^{bc}", "^{a}", "^{ab}"]
    assert [row.count("$") for row in rows[3:6]] == [2, 4, 2]


@pytest.mark.parametrize(("n_systems", "last", "marks"), [(30, "D", "^{a}"), (53, "53", "^{1}")])
def test_comparison_latex_has_a_distinct_mark_per_system(n_systems, last, marks):
    base = np.random.default_rng(0).random(20)
    noise = np.random.default_rng(1).normal(0, 0.01, (n_systems, 20))
    reports = {
        f"s{place}": RankingReport.from_values(np.arange(20), {"dcg": base + place + noise[place]})
        for place in range(n_systems)
    }
    rows = compare(reports).to_latex().split("\n")
    cells = [row.split(" & ")[0] for row in rows if " & s" in row and "system" not in row]
    assert len(set(cells)) == n_systems
    assert cells[-1] == last
    assert rows[-4].count(marks[:-1]) == 1
    assert rows[-4].count(",") == (n_systems - 2 if n_systems > 52 else 0)


@pytest.mark.parametrize(
    ("one", "other", "got"),
    [
        ({}, {"gain": "exponential"}, "gain='linear' in 'a' and gain='exponential' in 'b'"),
        ({}, {"zero_division": np.nan}, "zero_division=0.0 in 'a' and zero_division=nan in 'b'"),
        ({"ties": "best"}, {}, "ties='best' in 'a' and ties='average' in 'b'"),
    ],
)
def test_compare_rejects_metrics_with_different_options(one, other, got):
    random = np.random.default_rng(0)
    y_true, y_score = random.integers(0, 3, (30, 5)), random.random((30, 5))
    reports = {
        name: evaluate(y_true, y_score, metrics=["ndcg"], **options)
        for name, options in (("a", one), ("b", other))
    }
    with pytest.raises(ValueError, match=rf"must have the same options for 'ndcg'\. Got {got} instead"):
        compare(reports)
    plain = RankingReport.from_values(np.arange(30), reports["a"].values)  # its options are unknown
    assert compare({"a": reports["a"], "plain": plain}).columns["difference"] == 0
