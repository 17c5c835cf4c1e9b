"""Corrected p-values, intervals and verdicts of a table."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.reports._decide import (
    correct_p_values,
    corrected_level,
    critical_values,
    intervals,
    verdicts,
)

P_VALUES = np.array([0.04, 0.001, 0.03, 0.0499, 0.03, 0.9])


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        (None, P_VALUES),
        ("bonferroni", [0.24, 0.006, 0.18, 0.2994, 0.18, 1]),
        ("holm", [0.15, 0.006, 0.15, 0.15, 0.15, 0.9]),
        ("fdr_bh", [0.05988, 0.006, 0.05988 - 1e-99, 0.05988, 0.05988, 0.9]),
    ],
)
def test_correct_p_values_matches_values_computed_by_hand(correction, expected):
    np.testing.assert_allclose(correct_p_values(P_VALUES, correction), expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_correct_p_values_matches_statsmodels(correction, n):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(n)
    for power in (1, 3):
        p = rng.random(n).round(2) ** power  # with ties
        expected = multitest.multipletests(p, method=correction)[1]
        np.testing.assert_allclose(correct_p_values(p, correction), expected, rtol=1e-12)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh", None])
def test_correct_p_values_keeps_and_ignores_nan(correction):
    p = np.array([np.nan, 0.01, np.nan, 0.03, 0.02])
    corrected = correct_p_values(p, correction)
    assert np.isnan(corrected).tolist() == np.isnan(p).tolist()
    np.testing.assert_array_equal(corrected[[1, 3, 4]], correct_p_values(p[[1, 3, 4]], correction))
    assert np.isnan(correct_p_values(p[[0, 2]], correction)).all()
    assert p[1] == 0.01  # the input is not changed


def test_critical_values_match_t_quantiles():
    n = np.array([5.0, 30.0, 1.0])
    alone = critical_values(n, 3, confidence_level=0.95, correction=None)
    np.testing.assert_allclose(alone[:2], stats.t.ppf(0.975, [4, 29]), rtol=1e-12)
    for correction in ("holm", "bonferroni", "fdr_bh"):
        together = critical_values(n, 3, confidence_level=0.95, correction=correction)
        np.testing.assert_allclose(together[:2], stats.t.ppf(1 - 0.025 / 3, [4, 29]), rtol=1e-12)
        assert np.isnan(together[2])
    assert corrected_level(0.05, 50, None) == 0.05
    assert corrected_level(0.05, 50, "holm") == 0.001


def test_intervals_have_ends_at_critical_values():
    difference, error = np.array([0.5, 0.0, 0.25]), np.array([0.125, 0.0, np.nan])
    for critical, low, high in [(2.0, 0.25, 0.75), (np.inf, -np.inf, np.inf), (np.full(3, 2.0), 0.25, 0.75)]:
        ends = np.array(intervals(difference, error, critical))
        np.testing.assert_array_equal(ends, [[low, 0, np.nan], [high, 0, np.nan]])


def test_critical_values_agree_with_bonferroni_p_values():
    rng = np.random.default_rng(0)
    n, t = rng.integers(3, 60, 300), rng.uniform(0, 8, 300)
    p = correct_p_values(2 * stats.t.sf(t, n - 1), "bonferroni")
    leaves_out = t > critical_values(n, 300, confidence_level=0.9, correction="bonferroni")
    np.testing.assert_array_equal(leaves_out, p < 0.1)
    assert 0 < leaves_out.sum() < 300


WORDS = [
    (0.002, 0.01, "better", "better"),
    (0.001, 0.004, "better", "better, by less than 0.005"),
    (-0.01, -0.002, "worse", "worse"),
    (-0.004, -0.001, "worse", "worse, by less than 0.005"),
    (-0.004, 0.004, "undecided", "equivalent"),
    (0.0, 0.0, "undecided", "equivalent"),
    (-0.004, 0.02, "undecided", "no worse"),
    (-0.004, 0.005, "undecided", "no worse"),
    (0.0, 0.02, "undecided", "no worse"),
    (-0.005, 0.004, "undecided", "undecided"),
    (-0.02, 0.001, "undecided", "undecided"),
    (-0.02, 0.0, "undecided", "undecided"),
    (-0.1, 0.1, "undecided", "undecided"),
    (-np.inf, np.inf, "undecided", "undecided"),
    (np.nan, np.nan, "undecided", "undecided"),
]


def test_verdicts_follow_intervals_and_margin():
    low, high, without, with_margin = zip(*WORDS)
    assert verdicts(low, high).tolist() == list(without)
    assert verdicts(low, high, 0.005).tolist() == list(with_margin)


def test_verdicts_are_empty_without_comparisons():
    assert verdicts(np.zeros(0), np.zeros(0), 0.1).tolist() == []
