"""Effect of the order of tied documents on metrics."""

import numpy as np
import pytest

from sklearn_rank import ranking_scores
from sklearn_rank.metrics import tie_report
from tests.helpers.table import with_unjudged

NAMES = ["ndcg@5", "map", "neg_fallout_loss@3", "kendall_tau", "mrr@10"]


def test_tie_report_has_value_of_metric_for_each_rule(queries):
    y_true, y_score, groups = queries
    options = {"gain": "exponential", "min_relevance": 2, "average": "weighted", "zero_division": 1.0}
    report = tie_report(y_true, y_score, groups=groups, metrics=NAMES, **options)
    for rule in ("worst", "average", "best", "order"):
        expected = ranking_scores(y_true, y_score, groups=groups, metrics=NAMES, ties=rule, **options)
        assert {name: values[rule] for name, values in report.metrics.items()} == expected


def test_tie_report_takes_a_single_name(queries):
    y_true, y_score, groups = queries
    one, several = (tie_report(y_true, y_score, groups=groups, metrics=each) for each in ("map", ["map"]))
    assert one.metrics == several.metrics


def test_tie_report_orders_worst_average_and_best(queries):
    y_true, y_score, groups = queries
    for values in tie_report(y_true, y_score, groups=groups, metrics=NAMES).metrics.values():
        assert values["worst"] <= values["average"] <= values["best"]


def test_tie_report_of_constant_score_shows_full_range():
    y_true = np.tile(np.arange(100) == 0, 30)  # the relevant document is first in the array
    report = tie_report(y_true, np.zeros(3000), groups=np.arange(3000) // 100, metrics=["mrr@10"])
    mean = (1 / np.arange(1, 11)).sum() / 100
    expected = {"worst": 0, "average": mean, "best": 1, "order": 1}
    assert report.metrics["mrr@10"] == pytest.approx(expected, abs=1e-12)
    assert (report.tied_queries, report.tied_documents) == (1, 1)


def test_tie_report_counts_tied_queries_and_documents():
    y_score = [1, 1, 2, 3, 3, 4, -np.inf, -np.inf, 5, 6]
    groups = ["a", "a", "a", "b", "c", "c", "c", "c", "d", "d"]
    report = tie_report(np.ones(10), y_score, groups=groups, metrics=["map"])
    assert (report.tied_queries, report.tied_documents) == (1 / 4, 2 / 8)


def test_tie_report_drops_unjudged_documents(queries):
    y_true, y_score, groups = queries
    unjudged = with_unjudged(y_true)
    judged = ~np.isnan(unjudged)
    one = tie_report(unjudged, y_score, groups=groups, metrics=NAMES, unjudged="drop")
    other = tie_report(y_true[judged], y_score[judged], groups=groups[judged], metrics=NAMES)
    assert one.tied_documents == other.tied_documents
    for name in NAMES:
        assert one.metrics[name] == pytest.approx(other.metrics[name], abs=1e-12)


def test_tie_report_without_ties_has_equal_values(queries):
    y_true, _, groups = queries
    report = tie_report(y_true, np.arange(len(y_true)), groups=groups, metrics=NAMES)
    assert (report.tied_queries, report.tied_documents) == (0, 0)
    assert all(len(set(values.values())) == 1 for values in report.metrics.values())


def test_tie_report_has_no_ties_when_nothing_is_retrieved():
    report = tie_report([1, 0], [-np.inf, -np.inf], groups=[0, 0], metrics=["map"])
    assert (report.tied_queries, report.tied_documents) == (0, 0)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"metrics": ["ndgc"]}, "metrics"),
        ({"average": None}, "average"),
        ({"groups": None}, "groups"),
        ({"unjudged": "skip"}, "unjudged"),
        ({"metrics": ["map@3(denominator=hits)"]}, "ties"),
    ],
    ids=str,
)
def test_tie_report_names_invalid_option(options, parameter):
    given = {"groups": [0, 0], "metrics": ["map"]} | options
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of tie_report (must|is required)"):
        tie_report([1, 0], [2, 1], **given)


def test_tie_report_html_shows_printed_text():
    report = tie_report([1, 0], [1, 1], groups=[1, 1], metrics=["mrr@10"])
    shown = report._repr_html_()
    assert "monospace; white-space: pre" in shown  # columns are aligned
    assert shown.endswith(f">{report}</pre>")
