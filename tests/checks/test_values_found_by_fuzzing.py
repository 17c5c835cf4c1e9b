"""Rare arguments that once ended in an error of numpy or Python, in a warning or without memory."""

import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    LeaveLastOut,
    RankingEvaluator,
    RankingReport,
    TimeCut,
    compare,
    evaluate_runs,
    from_run,
    ranking_scores,
)
from sklearn_rank.metrics import insq_score
from tests.helpers.messages import ROWS

REPORT = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]})
RUNS = {"qrels": {"q": {"d": 1}}, "runs": {"one": {"q": {"d": 0.5}}}}
MATRIX = sparse.csr_array(np.eye(3))
REJECTED = {
    "a matrix as values": lambda: RankingReport.from_values([1, 2, 3], MATRIX),
    "a matrix as ids": lambda: RankingReport.from_values(MATRIX, {"mrr": [1, 0.5, 0.25]}),
    "a matrix as baseline": lambda: compare({"a": REPORT, "b": REPORT}, baseline=MATRIX),
    "a number as metrics": lambda: evaluate_runs(**RUNS, metrics=3),
    "a mapping among metrics": lambda: evaluate_runs(**RUNS, metrics=["map", {}]),
    "as many folds as times": lambda: [*TimeCut(2).split([[0]] * 3, groups=[1, 2, 3], times=[1, 1, 2])],
    "folds of one time": lambda: [*TimeCut(2).split([[0]] * 3, groups=[1, 2, 3], times=[1, 1, 1])],
    "void names": lambda: ranking_scores(**ROWS, metrics=np.array(["map"]).view("V12")),
    "a level that rounds to 1": lambda: RankingReport.from_values(
        [1, 2], {"mrr": [1, 0]}, confidence_level=1 - Fraction(1, 10**400)
    ),
    "a gain whose square is 0": lambda: insq_score(**ROWS, desired_gain=5e-324),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rare_argument_raises_error_that_names_the_parameter(name):
    with pytest.raises(ValueError, match=r"The '\w+' parameter of [\w.]+ must .* Got .* instead\."):
        REJECTED[name]()


@pytest.mark.parametrize(
    ("options", "part", "kind"),
    [({}, 2**60, "parts"), ({"keep_queries": False, "partition": (12, 2**60)}, None, "partitions")],
)
def test_result_lists_the_first_missing_numbers_of_many(options, part, kind):
    evaluator = RankingEvaluator(["mrr"], **options).update(*ROWS.values(), part=part)
    text = f"requires all {kind}. Missing numbers: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...."
    with pytest.raises(ValueError, match=re.escape(text)):
        evaluator.result()


def test_report_shows_level_that_is_a_fraction():
    report = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]}, confidence_level=Fraction(9, 10))
    assert "90% confidence intervals" in repr(report)


def test_split_accepts_times_beyond_the_range_of_floats():
    times = np.longdouble([1, 2, 3, 4])
    times[3] *= np.longdouble("1e4000")
    [(train, test)] = LeaveLastOut().split([[0]] * 4, groups=[0, 0, 1, 1], times=times)
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="of numpy 2")
def test_json_keeps_clusters_that_are_text_of_any_length():
    cluster = np.array(["u", "u", "v"], np.dtypes.StringDType())
    report = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]}, cluster=cluster)
    assert RankingReport.from_json(report.to_json()).interval == report.interval


def test_from_run_rejects_a_column_of_polars():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="The 'qrels' parameter of from_run must"):
        from_run(polars.Series([1.0, 2.0]), {"q": {"d": 1}})
