"""Reports made from moments: their intervals, and errors of methods that need values."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, evaluate
from sklearn_rank.reports import BinaryCounts, Moments, Settings, report_moments
from tests.helpers.reports import drop_values


@pytest.fixture
def report():
    """A report of two queries."""
    return RankingReport.from_values([2, 1], {"mrr": [0.5, 1]})


def report_moment(*numbers, level=0.95):
    """Report the moments of one metric, whose values are other than 0 and 1."""
    found = {"x": (Moments(*numbers), BinaryCounts(0, 0, True))}
    return report_moments(found, Settings(confidence_level=level))


def test_report_of_moments_prints_the_same_table(queries):
    y_true, y_score, groups = queries
    report = evaluate(y_true, y_score, groups=groups, metrics=["ndcg@10", "map"], confidence_level=0.9)
    other = drop_values(report)
    assert str(other) == str(report)
    assert (other.mean, other.standard_error) == (report.mean, report.standard_error)
    for name in report.metrics:
        assert other.interval[name] == pytest.approx(report.interval[name], rel=1e-14)


def test_report_of_moments_has_a_t_interval():
    report = report_moment(5.0, 0.5, 30, 28, 2, 14.5, level=0.9)
    half = stats.t.ppf(0.95, 13.5) * 0.5
    assert report.interval["x"] == pytest.approx((5 - half, 5 + half))
    assert (report.n_queries, report.n_defined, report.n_empty) == (30, {"x": 28}, {"x": 2})


@pytest.mark.parametrize(("n_defined", "small"), [(19, True), (20, False)])
def test_report_of_moments_marks_few_queries(n_defined, small):
    report = report_moment(0.5, 0.1, 30, n_defined, 0, 30.0)
    assert report.is_small_sample["x"] == small


def test_report_of_moments_has_no_interval_with_one_query():
    report = report_moment(0.5, np.nan, 1, 1, 0, 1.0)
    assert np.isnan(report.interval["x"]).all()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda report: report.values, "values"),
        (lambda report: report.worst("mrr"), "worst"),
        (lambda report: report.by([1]), "by"),
        (lambda report: report.to_frame(), "to_frame"),
    ],
    ids=["values", "worst", "by", "to_frame"],
)
def test_report_of_moments_names_methods_that_need_values(call, name, report):
    with pytest.raises(ValueError, match=f"^RankingReport.{name} requires the value of each query"):
        call(drop_values(report))


def test_report_of_moments_has_no_queries(report):
    other = drop_values(report)
    assert (other.ids, other.sizes, other.n_relevant, other.folds, other.clusters) == (None,) * 5
