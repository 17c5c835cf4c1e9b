"""The studentized bootstrap when resamples have only one value."""

import numpy as np
import pytest

from sklearn_rank import RankingReport


def interval(values, metric="value"):
    """Return the interval of a mean."""
    report = RankingReport.from_values(
        range(len(values)), {metric: values}, interval="bootstrap", random_state=0
    )
    return report.interval[metric]


@pytest.mark.parametrize("metric", ["value", "mrr"])
def test_bootstrap_interval_is_open_towards_a_single_outlier(metric):
    # 36% of the resamples of 20 lack it, so their mean has no standard error.
    top = np.inf if metric == "value" else 1.0
    low, high = interval([0.0] * 19 + [1.0], metric)
    assert high == top
    assert low == pytest.approx(0.0, abs=0.02)
    low, high = interval([1.0] * 19 + [0.0], metric)
    assert low == 1 - top
    assert high == pytest.approx(1.0, abs=0.02)


def test_report_prints_an_open_end_of_an_interval():
    report = RankingReport.from_values(
        range(20), {"value": [0.0] * 19 + [1.0]}, interval="bootstrap", random_state=0
    )
    assert "inf]" in str(report)
