"""Paired tests, compared with those of scipy."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.reports._paired_tests import count_wins, paired_difference, sign_test, t_test, wilcoxon_test

PAIRS = np.array([[0, 1], [2, 0], [1, 2]])


def compare(values, pairs=PAIRS):
    """Test columns of values of queries that count alike."""
    n = np.full(len(pairs), len(values))
    return t_test(values / len(values), (values - values.mean(axis=0)) / len(values), pairs, n, n)


@pytest.fixture(params=[4, 30, 200])
def values(request):
    """Values in tenths, with ties."""
    return np.random.default_rng(0).integers(0, 11, (request.param, 3)) / 10


@pytest.mark.parametrize("order", ["C", "F"])
def test_paired_t_matches_scipy(values, order):
    result = compare(np.asarray(values, order=order))
    for j, (a, b) in enumerate(PAIRS):
        expected = stats.ttest_rel(values[:, a], values[:, b])
        difference = values[:, a] - values[:, b]
        assert result.difference[j] == pytest.approx(difference.mean(), abs=1e-15)
        assert result.standard_error[j] == pytest.approx(stats.sem(difference), rel=1e-12)
        assert result.statistic[j] == pytest.approx(expected.statistic, rel=1e-12)
        assert result.p_value[j] == pytest.approx(expected.pvalue, rel=1e-12)


def test_paired_t_of_weighted_means_matches_the_formula():
    rng = np.random.default_rng(1)
    values, weights = rng.random((20, 2)), rng.integers(1, 5, 20)
    shares = (weights / weights.sum())[:, np.newaxis]
    means = (shares * values).sum(axis=0)
    n_effective = weights.sum() ** 2 / (weights**2).sum()
    result = t_test(
        shares * values,
        shares * (values - means),
        np.array([[0, 1]]),
        np.array([20]),
        np.array([n_effective]),
    )
    difference = values[:, 0] - values[:, 1]
    e = shares[:, 0] * (difference - np.average(difference, weights=weights))
    assert result.difference[0] == pytest.approx(np.average(difference, weights=weights))
    assert result.standard_error[0] == pytest.approx(np.sqrt(20 / 19 * (e**2).sum()))
    assert result.p_value[0] == pytest.approx(
        2 * stats.t.sf(abs(result.difference[0]) / result.standard_error[0], n_effective - 1)
    )


def test_paired_t_ignores_units_that_are_left_out(values):
    n = len(values)
    expected = compare(values)
    padded = [
        np.vstack([part, np.zeros((5, 3))]) for part in (values / n, (values - values.mean(axis=0)) / n)
    ]
    result = t_test(*padded, PAIRS, np.full(3, n), np.full(3, n))
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_paired_tests_have_p_1_without_any_difference():
    values = np.random.default_rng(2).random((7, 1)) + [[0, 0]]
    result = compare(values, np.array([[0, 1]]))
    assert [part[0] for part in result] == [0, 0, 0, 1]
    for test in (
        wilcoxon_test(values, np.array([[0, 1]]), [7]),
        sign_test(*count_wins(values, np.array([[0, 1]]))),
    ):
        assert test.tolist() == [1]


@pytest.mark.parametrize("shift", [0.1, 0.3, 1 / 3, -0.25])
def test_paired_t_is_nan_for_a_constant_difference(shift):
    values = np.random.default_rng(3).random((50, 1)) + [[shift, 0]]
    result = compare(values, np.array([[0, 1]]))
    assert result.difference[0] == pytest.approx(shift)
    assert np.isnan([result.standard_error, result.statistic, result.p_value]).all()


def test_paired_t_is_finite_when_differences_hardly_vary():
    values = np.random.default_rng(4).random((50, 1)) + [[0.1, 0]]
    values[0, 0] += 1e-9
    assert compare(values, np.array([[0, 1]])).statistic[0] == pytest.approx((0.1 + 2e-11) / 2e-11, rel=1e-4)


@pytest.mark.parametrize("values", [[[0.5, 0.25]], [[0.5, 0.5]]])
def test_paired_t_is_nan_with_one_unit(values):
    result = compare(np.array(values), np.array([[0, 1]]))
    assert np.isnan([result.standard_error, result.statistic, result.p_value]).all()


def test_paired_difference_ignores_rounding_of_sums():
    columns = np.array([[0.1 + 0.2, 0.3], [0.3 - 0.2, 0.1], [0.5, 0.5 + 1e-12]])
    assert (columns[:, 0] != columns[:, 1]).all()
    assert (paired_difference(columns, 0, 1) != 0).tolist() == [False, False, True]
    assert sign_test(*count_wins(columns[:2], np.array([[0, 1]]))).tolist() == [1]


@pytest.mark.filterwarnings("ignore:Sample size too small:UserWarning")  # scipy warns of it
@pytest.mark.parametrize("left_out", [0, 7])
def test_wilcoxon_test_matches_scipy_of_integers(values, left_out):
    padded = np.vstack([values, np.zeros((left_out, 3))])
    result = wilcoxon_test(padded, PAIRS, np.full(3, len(values)))
    tenths = np.rint(10 * values)
    expected = [stats.wilcoxon(tenths[:, a] - tenths[:, b]).pvalue for a, b in PAIRS]
    np.testing.assert_array_equal(result, expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Sample size too small:UserWarning")
@pytest.mark.parametrize("n_equal", [0, 1])
@pytest.mark.parametrize("n", [5, 12, 40, 300])
def test_wilcoxon_test_matches_scipy_without_ties(n, n_equal):
    """A difference of zero decides by which method scipy finds p."""
    values = np.random.default_rng(n).random((n, 3))
    values[:n_equal] = 0.5
    result = wilcoxon_test(values, PAIRS, np.full(3, n))
    expected = [stats.wilcoxon(values[:, a], values[:, b]).pvalue for a, b in PAIRS]
    np.testing.assert_array_equal(result, expected)


def test_sign_test_counts_wins_and_losses():
    values = np.array([[0.5, 0.25], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5], [1.0, 0.5], [1.0, 0.0]])
    p = sign_test(*count_wins(values, np.array([[0, 1], [1, 0]])))
    expected = 2 * (1 + 5) / 2**5  # four wins, one loss
    np.testing.assert_allclose(p, [expected, expected], rtol=1e-12)


def test_sign_test_matches_scipy(values):
    expected = []
    for a, b in PAIRS:
        wins = int((values[:, a] > values[:, b]).sum())
        expected.append(stats.binomtest(wins, wins + int((values[:, a] < values[:, b]).sum())).pvalue)
    np.testing.assert_array_equal(sign_test(*count_wins(values, PAIRS)), expected)
