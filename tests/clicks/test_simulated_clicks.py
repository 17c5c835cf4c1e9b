"""Bias of estimates and coverage of intervals; see `python -m tests.simulations clicks`."""

import pytest

from tests.simulations.clicks import (
    POLICIES,
    PROPENSITIES,
    cover_values,
    estimate_curves,
    estimate_values,
    measure_bias,
)

REPEATS = 200
LOGS = 300


@pytest.fixture(scope="module", params=POLICIES)
def found(request):
    return estimate_values(request.param, REPEATS, seed=5)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["ips", "trust", "snips"])
def test_unbiased_estimates_match_truth_for_any_logging_ranker(name, found):
    _, _, bias, error = measure_bias(found[name])
    assert abs(bias) < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("name", ["raw", "clicked", "clipped", "naive", "ratios"])
def test_biased_estimates_differ_from_truth(name, found):
    _, _, bias, error = measure_bias(found[name])
    assert abs(bias) > 3 * error


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["swaps", "harvest"])
def test_propensity_intervals_cover_truth(method):
    curves = estimate_curves(method, 300, LOGS, seed=3, n_resamples=100)[..., 1:]
    held = (curves[:, 1] <= PROPENSITIES[1:]) & (curves[:, 2] >= PROPENSITIES[1:])
    assert held.mean() > 0.93
    assert held.mean(axis=0).min() > 0.93 - 3 * (0.93 * 0.07 / LOGS) ** 0.5


@pytest.mark.thorough
def test_value_intervals_cover_truth_if_propensities_are_known():
    held = cover_values(200, seed=1)
    assert held["mean, known"] > 0.91
    assert held["snips, known"] > 0.91
    assert held["snips, estimated"] > 0.91
    assert held["mean, estimated"] < 0.85
