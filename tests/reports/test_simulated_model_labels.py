"""Coverage with few human labels and many model labels. All: `python -m tests.simulations model_labels`."""

import pytest

from tests.simulations.model_labels import JUDGES, cover, cover_differences, cover_users

pytestmark = pytest.mark.thorough

NOMINAL = 0.93, 0.98  # HC3 is a bit wide for few queries


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize(("n", "n_model"), [(20, 200), (50, 1000)])
def test_interval_with_model_labels_has_nominal_coverage(name, n, n_model):
    assert NOMINAL[0] <= cover(name, n, n_model).coverage <= NOMINAL[1]


def test_normal_quantiles_undercover_with_skewed_values():
    assert cover("reciprocal ranks, 85% agree", 20, 200).plug_in < 0.87


def test_judge_of_correlation_nine_tenths_makes_20_queries_worth_about_60():
    assert 55 < cover("normal, correlation 0.9", 20, 200).worth < 70


@pytest.mark.parametrize("way", ["users", "single queries"])
def test_interval_of_users_has_nominal_coverage(way):
    assert NOMINAL[0] <= cover_users(way) <= NOMINAL[1]


def test_interval_of_users_treated_as_queries_undercovers():
    assert cover_users("users, treated as queries") < 0.6


def test_regressing_differences_is_narrower_than_subtracting_means():
    coverage, width, by_subtracting, *_ = cover_differences(20, 200)
    assert NOMINAL[0] <= coverage <= NOMINAL[1]
    assert width < 0.85 * by_subtracting
