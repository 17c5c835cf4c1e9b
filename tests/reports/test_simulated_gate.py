"""Red days of a gate. All numbers: `python -m tests.simulations gate`."""

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import norm

from sklearn_rank import RankingReport, compare
from sklearn_rank.reports import find_failure
from tests.simulations.gate import (
    DAYS,
    LOSS,
    N_QUERIES,
    OF_QUERY,
    OF_SEED,
    RULES,
    count_red_days,
    draw_year,
    find_intervals,
    find_red,
)

OF_DIFFERENCE = np.sqrt(2 * OF_SEED**2 + 2 * OF_QUERY**2 / N_QUERIES)  # of two means with one seed each


@pytest.mark.parametrize("loss", [0.0, 0.012, LOSS])
@pytest.mark.parametrize("margin", [margin for margin in RULES.values() if margin is not None])
def test_simulated_gate_is_the_gate_of_comparisons(margin, loss):
    year = draw_year(RandomState(0), 1, n_days=40)
    difference, half = find_intervals(year)
    red = find_red(difference - loss, half, margin).tolist()
    ids = np.arange(N_QUERIES)
    base = RankingReport.from_values(ids, {"value": year.baseline})
    for values, is_red in zip(year.models - loss, red):
        new = RankingReport.from_values(ids, {"value": values})
        found = compare({"base": base, "new": new}, margin=margin or None, correction=None)
        assert find_failure(found, "worse")[0] == ("worse" if is_red else "")


@pytest.mark.thorough
def test_gate_is_red_on_documented_days_when_nothing_has_changed():
    days = count_red_days(1)[0]
    error = days.std(axis=1, ddof=1) / np.sqrt(days.shape[1])
    expected = [183, 54, 54, 42, 3]
    assert (np.abs(days.mean(axis=1) - expected) < 3 * error + 0.5).all()


def test_expected_red_days_follow_from_the_normal_distribution():
    """The difference is red below the margin, and below 1.96 standard errors."""
    error = np.sqrt(2 * OF_QUERY**2 / N_QUERIES)
    limits = [0.0] + [max(margin, 1.96 * error) for margin in RULES.values() if margin is not None]
    days = DAYS * norm.cdf(-np.array(limits) / OF_DIFFERENCE)
    assert np.round(days).tolist() == [182, 54, 54, 42, 3]
