"""Error rates and power of `compare`. All numbers: `python -m tests.simulations comparisons`."""

import numpy as np
import pytest

from tests.simulations.comparisons import (
    CLUSTERED,
    FEW,
    MARGIN,
    WEIGHTED,
    find_nominal,
    find_power,
    find_power_of_share,
    find_range,
    find_shares,
    find_sparse_shares,
    is_false,
)


def test_is_false_compares_verdict_with_true_difference():
    false = {
        "better": (0.0, -0.1),
        "better, by less than 0.05": (0.0, 0.05),
        "worse": (0.0, 0.1),
        "worse, by less than 0.05": (0.0, -0.05),
        "equivalent": (0.05, -0.05),
        "no worse": (-0.05, -0.1),
    }
    true = {
        "better": (0.01, 0.1),
        "better, by less than 0.05": (0.01, 0.04),
        "worse": (-0.01, -0.1),
        "worse, by less than 0.05": (-0.01, -0.04),
        "equivalent": (0.0, 0.04, -0.04),
        "no worse": (-0.04, 0.0, 0.1),
        "undecided": (-0.1, 0.0, 0.1),
    }
    assert all(is_false(word, each) for word, differences in false.items() for each in differences)
    assert not any(is_false(word, each) for word, differences in true.items() for each in differences)


@pytest.mark.thorough
@pytest.mark.parametrize("shift", [0.0, MARGIN], ids=["no difference", "at the margin"])
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "tenths, 40% of them 0", CLUSTERED, WEIGHTED])
@pytest.mark.parametrize("n", [8, 20])
def test_auto_keeps_joint_coverage_and_false_verdicts(n, kind, shift):
    covered, false = find_shares(kind, n, shift)
    assert 1 - covered <= find_nominal()
    assert false <= find_nominal()


@pytest.mark.thorough
def test_auto_has_documented_errors_for_skewed_differences():
    assert find_shares("lognormal", 20, 0.0)[1] == pytest.approx(0.41, abs=0.04)


@pytest.mark.thorough
@pytest.mark.parametrize("n_differ", FEW)
def test_auto_keeps_false_verdicts_rare_if_few_queries_differ(n_differ):
    covered, false, _ = find_sparse_shares(n_differ, 50)
    assert 1 - covered <= find_nominal()
    assert false <= 0.003


@pytest.mark.thorough
@pytest.mark.parametrize("aim", ["difference", "margin"])
@pytest.mark.parametrize("n_comparisons", [1, 9])
def test_queries_needed_has_the_requested_power_in_tables(n_comparisons, aim):
    _, share = find_power(n_comparisons, aim, 0.8)
    assert share == pytest.approx(0.8, abs=3 * np.sqrt(0.8 * 0.2 / 2000))


@pytest.mark.thorough
@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_queries_needed_has_the_power_if_some_queries_have_no_value(share):
    n, power = find_power_of_share(share, repeats=1000)
    assert n == pytest.approx(128 / share, rel=0.05)
    assert 0.75 <= power <= 0.85


@pytest.mark.thorough
def test_queries_needed_range_covers_the_number_in_80_percent():
    assert find_range(20) == pytest.approx(0.8, abs=0.03)
