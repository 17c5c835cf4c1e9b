"""The randomization test, compared with explicit enumerations, scipy and simulations."""

from fractions import Fraction
from itertools import product
from math import ceil

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.reports._paired_tests import least_p, randomization_test, t_test

ALL_PAIRS = np.array([[0, 1], [0, 2], [1, 2], [3, 4]])


def flip(values, pairs=ALL_PAIRS, residuals=None, **options):
    """Test columns of values of units that count alike."""
    n = np.full(len(pairs), len(values))
    terms = values / len(values)
    residuals = (values - values.mean(axis=0)) / len(values) if residuals is None else residuals
    standard_error = t_test(terms, residuals, pairs, n, n).standard_error
    return randomization_test(terms, residuals, standard_error, pairs, n, **{"random_state": 0} | options)


def enumerate_exactly(values, pairs):
    """Return p by rational numbers: of each comparison alone, and corrected step by step as in the book."""
    tenths = np.rint(values * 10).astype(int)
    differences = [[int(row[a] - row[b]) for row in tenths] for a, b in pairs]
    # Squares of the scaled sums. Flips do not change the sums of squares.
    squares = [sum(d * d for d in column) or 1 for column in differences]
    flips = [
        [
            Fraction(sum(s * d for s, d in zip(signs, column)) ** 2, square)
            for column, square in zip(differences, squares)
        ]
        for signs in product([1, -1], repeat=len(values))
    ]
    observed = flips[0]
    alone = [sum(flip[j] >= observed[j] for flip in flips) / len(flips) for j in range(len(pairs))]
    single = [sum(max(flip) >= observed[j] for flip in flips) / len(flips) for j in range(len(pairs))]
    step_down, before, left = [0.0] * len(pairs), 0.0, list(range(len(pairs)))
    while left:
        j = max(left, key=lambda i: observed[i])
        p = sum(max(flip[i] for i in left) >= observed[j] for flip in flips) / len(flips)
        before = step_down[j] = max(before, p)
        left.remove(j)
    return alone, single, step_down


@pytest.mark.parametrize("seed", range(15))
def test_randomization_test_matches_exact_enumeration(seed):
    """Eight queries with ties, differences of zero and systems that are nearly equal."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 11, (8, 5)) / 10
    values[:, 1] = np.where(rng.random(8) < 0.4, values[:, 0], values[:, 1])
    values[rng.integers(0, 8)] = values[0, 0]  # no comparison differs in this query
    result = flip(values, n_resamples=256)
    alone, single, step_down = enumerate_exactly(values, ALL_PAIRS)
    assert result.all_flips
    assert result.n_flips <= 128
    np.testing.assert_array_equal(result.p_value, alone)
    np.testing.assert_array_equal(result.single_step_p_value, single)
    np.testing.assert_array_equal(result.max_p_value, step_down)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_randomization_test_counts_ties_among_random_flips(seed):
    """Add many queries in which other systems differ: no enumeration, and more rounding.

    Of the second comparison, only eight queries differ, so that many flips give what is observed.
    """
    rng = np.random.default_rng(seed)
    values = rng.random((3000, 4))
    values[:, 1] = values[:, 0]
    values[:8, :2] = rng.integers(0, 11, (8, 2)) / 10
    pairs = np.array([[3, 1], [1, 0], [3, 2]])
    result = flip(values, pairs, n_resamples=20_000)
    alone, _, _ = enumerate_exactly(values[:8, :2], [[1, 0]])
    assert not result.all_flips
    assert result.n_nonzero.tolist()[0::2] == [3000, 3000]
    # At least a fifth of the flips tie with the observed value, so a missed tie would be visible.
    assert abs(result.p_value[1] - alone[0]) < 4 * np.sqrt(alone[0] * (1 - alone[0]) / 20_000)


@pytest.mark.parametrize(("n", "n_resamples"), [(7, 9999), (9, 1000), (40, 9999)])
def test_randomization_test_matches_scipy(n, n_resamples):
    values = np.random.default_rng(n).random((n, 2)) + [0.15, 0]
    result = flip(values, np.array([[0, 1]]), n_resamples=n_resamples)
    expected = stats.permutation_test(
        (values[:, 0], values[:, 1]),
        lambda x, y, axis: np.abs(np.mean(x - y, axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=n_resamples,
        random_state=0,
    )
    assert result.all_flips == (2**n <= n_resamples)
    if result.all_flips:
        assert result.p_value[0] == pytest.approx(expected.pvalue, rel=1e-12)
    else:
        assert result.p_value[0] == pytest.approx(expected.pvalue, abs=0.015)
        reached = result.p_value[0] * (n_resamples + 1)  # the count includes the observed value
        assert reached == pytest.approx(round(reached), abs=1e-6)


def test_randomization_test_has_no_correction_for_one_comparison():
    for n in (8, 100):
        result = flip(np.random.default_rng(n).random((n, 2)), np.array([[0, 1]]), n_resamples=1000)
        assert result.p_value == result.max_p_value == result.single_step_p_value


def test_randomization_test_enumerates_when_n_resamples_suffices():
    values = np.random.default_rng(0).random((10, 2))
    pairs = np.array([[0, 1]])
    assert flip(values, pairs, n_resamples=1024)[-2:] == (1024, True)
    assert flip(values, pairs, n_resamples=1023)[-2:] == (1023, False)
    many = np.vstack([values, np.repeat(np.random.default_rng(1).random((90, 1)), 2, axis=1)])
    assert flip(many, pairs, n_resamples=1024)[-2:] == (1024, True)
    assert flip(many, pairs, n_resamples=1024).n_nonzero.tolist() == [10]


@pytest.mark.parametrize("n", range(8))
def test_randomization_test_reaches_least_p_when_signs_agree(n):
    """Where all go one way, no p is less: with five of them, none reaches .05."""
    values = np.zeros((9, 2))
    values[:n, 0] = np.random.default_rng(0).random(n) + 0.1
    result = flip(values, np.array([[0, 1]]))
    assert result.p_value[0] == least_p(n) == min(1, 2 / 2**n)
    assert (least_p(n) > 0.05) == (n <= 5)


def test_randomization_test_isolates_equal_systems_with_p_1():
    values = np.random.default_rng(0).random((200, 3))
    alone = flip(values, np.array([[0, 1]]), n_resamples=999)
    combined = flip(values[:, [0, 1, 2, 2]], np.array([[0, 1], [2, 3]]), n_resamples=999)
    assert [combined.p_value[1], combined.max_p_value[1], combined.single_step_p_value[1]] == [1, 1, 1]
    assert combined.max_p_value[0] == alone.p_value[0]
    assert combined.critical_value == pytest.approx(alone.critical_value, rel=1e-9)
    equal = flip(values[:, [2, 2]], np.array([[0, 1]]))
    assert (equal.p_value[0], equal.n_flips, equal.critical_value) == (1, 1, 0)


def test_randomization_test_is_reproducible_with_a_seed():
    values = np.random.default_rng(0).random((100, 5))
    first, again, other = (flip(values, n_resamples=500, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.max_p_value, again.max_p_value)
    assert first.critical_value == again.critical_value != other.critical_value


@pytest.mark.slow
def test_randomization_test_adds_up_pieces():
    """More units and flips than fit in a piece, compared with a test that draws each sign separately."""
    rng = np.random.default_rng(0)
    values = rng.random((9001, 3)) + [0.007, 0, 0]
    result = flip(values, np.array([[0, 1], [2, 1]]), n_resamples=2000)
    differences = values[:, [0, 2]] - values[:, [1]]
    signs = rng.choice([-1.0, 1.0], size=(2000, 9001))
    expected = (np.abs(signs @ differences) >= np.abs(differences.sum(axis=0))).mean(axis=0)
    np.testing.assert_allclose(result.p_value, expected, atol=0.05)
    np.testing.assert_allclose(result.p_value, stats.ttest_1samp(differences, 0).pvalue, atol=0.05)


def largest_t(differences):
    """Return the largest |t| over columns."""
    return np.abs(stats.ttest_1samp(differences, 0).statistic).max()


def test_critical_value_matches_t_over_all_flips_of_residuals():
    values = np.random.default_rng(0).random((9, 5))
    result = flip(values, n_resamples=512, confidence_level=0.9)
    differences = values[:, ALL_PAIRS[:, 0]] - values[:, ALL_PAIRS[:, 1]]
    e = differences - differences.mean(axis=0)
    flips = [largest_t(e * np.array(signs)[:, np.newaxis]) for signs in product([1, -1], repeat=9)]
    assert result.critical_value == pytest.approx(np.sort(flips)[ceil(0.9 * 512) - 1], rel=1e-9)


@pytest.mark.slow
def test_critical_value_of_random_flips_is_near_the_quantile():
    values = np.random.default_rng(0).random((60, 5))
    critical = {level: flip(values, confidence_level=level).critical_value for level in (0.8, 0.95)}
    rng = np.random.default_rng(1)
    differences = values[:, ALL_PAIRS[:, 0]] - values[:, ALL_PAIRS[:, 1]]
    e = differences - differences.mean(axis=0)
    flips = [largest_t(e * rng.choice([-1, 1], (60, 1))) for _ in range(4000)]
    for level, value in critical.items():
        assert value == pytest.approx(np.quantile(flips, level), rel=0.05)
    single = flip(values, ALL_PAIRS[:1]).critical_value
    assert single == pytest.approx(stats.t.ppf(0.975, 59), rel=0.04)
    assert single < critical[0.95] < stats.t.ppf(1 - 0.025 / 4, 59) * 1.02


def test_critical_value_is_infinite_with_too_few_flips():
    values = np.random.default_rng(0).random((60, 5))
    assert flip(values, n_resamples=10).critical_value == np.inf
    assert flip(values, n_resamples=19).critical_value < np.inf


@pytest.mark.parametrize("n", range(1, 9))
def test_critical_value_is_infinite_when_no_p_is_below_the_level(n):
    result = flip(np.random.default_rng(n).random((n, 5)))
    assert (result.critical_value == np.inf) == (n <= 5) == (least_p(n) > 0.05)


def test_randomization_test_ignores_units_left_out_of_a_pair():
    """Each pair over its own queries is the pair alone, in all that is enumerated."""
    values = np.random.default_rng(0).random((9, 4))
    together, apart = np.zeros((9, 4)), []
    residuals, counts = np.zeros((9, 4)), np.array([6, 8])
    pairs = np.array([[0, 1], [2, 3]])
    for (a, b), kept in zip(pairs, (slice(0, 6), slice(1, 9))):
        part = values[kept][:, [a, b]]
        together[kept, a : b + 1] = part / len(part)
        residuals[kept, a : b + 1] = (part - part.mean(axis=0)) / len(part)
        apart.append(flip(part, np.array([[0, 1]])))
    se = t_test(together, residuals, pairs, counts, counts).standard_error
    result = randomization_test(together, residuals, se, pairs, counts, random_state=0)
    assert result.n_nonzero.tolist() == [6, 8]
    np.testing.assert_array_equal(result.p_value, [one.p_value[0] for one in apart])
    assert result.critical_value > max(one.critical_value for one in apart)
