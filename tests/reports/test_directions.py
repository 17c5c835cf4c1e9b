"""The better direction of values: of metrics, by names in `from_values`, and as given."""

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, evaluate
from sklearn_rank.reports import find_failure
from tests.helpers.reports import A, column

LOWER = [
    "log_loss",
    "logloss",
    "Brier",
    "rmse",
    "mean_absolute_error",
    "mae@10",
    "mean_squared_error",
    "x MSE",
]
LOWER += ["calibration error", "mape", "ece"]
HIGHER = [
    "err@10",
    "neg_log_loss",
    "neg_mean_squared_error",
    "brier skill",
    "error rate",
    "accuracy",
    "ndcg@10",
]
NOISE = np.tile([-0.01, 0.01], 25)


def compare_named(name, lower_is_better=None):
    """Compare a system with one whose values are higher."""
    reports = {
        key: RankingReport.from_values(range(50), {name: each / 4 + 0.2}, lower_is_better=lower_is_better)
        for key, each in {"old": A, "new": A + 1 + NOISE}.items()
    }
    return compare(reports, baseline="old")


@pytest.mark.parametrize("name", LOWER)
def test_from_values_reads_losses_from_names(name):
    found = compare_named(name)
    assert column(found, "verdict") == "worse"
    assert find_failure(found, "worse")[0] == "worse"
    assert (column(found, "wins"), column(found, "losses")) == (0, 50)
    assert f"Lower is better: {name}." in found.table().notes


@pytest.mark.parametrize("name", HIGHER[:-1])
def test_from_values_reads_other_names_as_higher_is_better(name):
    if not name.startswith("neg"):
        assert column(compare_named(name), "verdict") == "better"
    values = -A if name.startswith("neg") else A / 4
    text = str(RankingReport.from_values(range(50), {name: values}))
    is_known = name.startswith("neg") or name == "err@10"
    assert (f"Higher is better (assumed): {name}." in text) != is_known


@pytest.mark.parametrize(
    ("name", "lower", "verdict"),
    [
        ("cost", ["cost"], "worse"),
        ("log_loss", [], "better"),
        ("cost", [], "better"),
    ],
)
def test_lower_is_better_overrides_names(name, lower, verdict):
    found = compare_named(name, lower)
    assert column(found, "verdict") == verdict
    assert "(assumed)" not in str(found)
    assert ("Lower is better" in str(found)) == bool(lower)
    values = found.changes(name).columns["difference"]
    assert len(values) == 20 - 10  # all changes are gains, or all are losses


def test_direction_survives_json_and_segments():
    report = RankingReport.from_values(range(50), {"cost": A}, lower_is_better=["cost"])
    again = RankingReport.from_json(report.to_json())
    assert "Lower is better: cost." in str(again)
    assert again.worst("cost", 1).columns["cost"][0] == A.max()
    segment = again.by({i: i % 2 for i in range(50)})[0]
    assert "Lower is better: cost." in str(segment)


def test_metrics_of_this_package_keep_their_direction():
    report = evaluate([[1, 0], [0, 1]], [[2, 1], [2, 1]], metrics=["rank_sum_loss", "mrr"])
    assert "Lower is better: rank_sum_loss." in str(report)
    assert "(assumed)" not in str(report)


def test_from_values_rejects_unknown_names_of_losses():
    with pytest.raises(
        ValueError, match=r"'lower_is_better' parameter .* contain keys of 'values' \('cost'\)"
    ):
        RankingReport.from_values(range(50), {"cost": A}, lower_is_better=["loss"])
