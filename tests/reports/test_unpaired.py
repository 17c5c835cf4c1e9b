"""Statistics of systems on different units, compared with scipy, statsmodels and direct computation."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.reports._intervals import RatioTerms, estimate
from sklearn_rank.reports._unpaired import compare_arms, make_arm

RNG = np.random.default_rng(0)
ONE, OTHER = RNG.normal(0.5, 0.1, 30), RNG.exponential(0.4, 12)
PAST = RNG.normal(1, 0.2, 30) + ONE, RNG.normal(1, 0.2, 12) + 2 * OTHER


def plain(values):
    return RatioTerms(np.asarray(values, float), np.ones(len(values)))


def join(*samples):
    return RatioTerms(*map(np.concatenate, zip(*samples)))


def adjust(values, past):
    """Return both arms, and the comparison at the common mean of the covariate."""
    center = estimate(join(*map(plain, past)))
    arms = [make_arm(plain(each), plain(x), center.ratio) for each, x in zip(values, past)]
    return arms, compare_arms([tuple(arms)], [center])


def test_plain_means_match_welch_of_scipy():
    found = compare_arms([(make_arm(plain(ONE)), make_arm(plain(OTHER)))], [None])
    expected = stats.ttest_ind(ONE, OTHER, equal_var=False)
    low, high = expected.confidence_interval(0.95)
    half = stats.t.isf(0.025, found.df) * found.t.standard_error
    assert found.t.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.df == pytest.approx(expected.df, rel=1e-12)
    assert found.t.difference - half == pytest.approx(low, rel=1e-10)
    assert found.t.difference + half == pytest.approx(high, rel=1e-10)
    assert found.counts.tolist() == [[30, 12]]
    np.testing.assert_allclose(found.means, [[ONE.mean(), OTHER.mean()]], rtol=1e-14)


def test_effect_is_in_roots_of_mean_variance():
    found = compare_arms([(make_arm(plain([1, 2, 3])), make_arm(plain([0, 0, 3])))], [None])
    assert found.effect[0] == pytest.approx((2 - 1) / np.sqrt((1 + 3) / 2), rel=1e-12)


def test_adjusted_difference_matches_interactions_of_statsmodels():
    linear_model = pytest.importorskip("statsmodels.regression.linear_model")
    arms, found = adjust((ONE, OTHER), PAST)
    x = np.concatenate(PAST) - np.concatenate(PAST).mean()
    is_one = np.repeat([1.0, 0.0], [30, 12])
    design = np.column_stack([np.ones(42), is_one, x, is_one * x])
    fitted = linear_model.OLS(np.concatenate([ONE, OTHER]), design).fit(cov_type="HC2")
    assert found.t.difference[0] == pytest.approx(fitted.params[1], rel=1e-10)
    assert arms[0].variance + arms[1].variance == pytest.approx(fitted.bse[1] ** 2, rel=1e-10)
    assert [arm.slope for arm in arms] == pytest.approx([fitted.params[2:].sum(), fitted.params[2]], rel=1e-9)
    # In addition, the mean of the covariate varies between samples of users.
    extra = fitted.params[3] ** 2 * np.var(x, ddof=1) / 42
    assert found.t.standard_error[0] ** 2 == pytest.approx(fitted.bse[1] ** 2 + extra, rel=1e-10)


def test_ratio_has_the_variance_of_the_delta_method():
    below = RNG.integers(1, 9, 25).astype(float)
    above = RNG.binomial(below.astype(int), 0.4).astype(float)
    arm = make_arm(RatioTerms(above, below))
    n, ratio = 25, above.sum() / below.sum()
    covariance = np.cov(above, below)
    expected = covariance[0, 0] - 2 * ratio * covariance[0, 1] + ratio**2 * covariance[1, 1]
    assert arm.mean == pytest.approx(ratio, rel=1e-14)
    assert arm.variance == pytest.approx(expected / below.mean() ** 2 / n, rel=1e-10)
    assert arm.df == pytest.approx(below.sum() ** 2 / (below @ below) - 1, rel=1e-12)


def test_units_without_denominator_do_not_count():
    some = make_arm(RatioTerms(np.array([1.0, 0, 2, 5]), np.array([2.0, 0, 3, 5])), plain([1, 9, 3, 2]), 2.0)
    alone = make_arm(RatioTerms(np.array([1.0, 2, 5]), np.array([2.0, 3, 5])), plain([1, 3, 2]), 2.0)
    assert some == alone
    assert some.n_units == 3


@pytest.mark.parametrize("past", [[3.0] * 12, [0.1 + 0.2] * 6 + [0.3] * 6], ids=["constant", "rounded"])
def test_constant_covariate_does_not_adjust(past):
    found, expected = make_arm(plain(OTHER), plain(past), 7.0), make_arm(plain(OTHER))
    assert (found.mean, found.slope) == (expected.mean, 0.0)
    assert found.variance == pytest.approx(expected.variance, rel=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    [([0.0] * 9, [0.0] * 8), ([0.3] * 9, [0.1 + 0.2] * 8), ([1.0] * 5, [0.0] * 5)],
    ids=["equal", "rounded", "different"],
)
def test_constant_values_have_unknown_variance(one, other):
    found = compare_arms([(make_arm(plain(one)), make_arm(plain(other)))], [None])
    assert np.isnan([found.t.standard_error, found.t.p_value, found.df]).all()
    assert found.t.difference == pytest.approx(np.mean(one) - np.mean(other))


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_units_have_no_standard_error(n):
    found = compare_arms([(make_arm(plain(ONE[:n])), make_arm(plain(OTHER)))], [None])
    assert np.isnan(found.t.standard_error)


def test_adjustment_needs_three_units_in_each_group():
    _, two = adjust((ONE[:2], OTHER), (PAST[0][:2], PAST[1]))
    _, three = adjust((ONE[:3], OTHER), (PAST[0][:3], PAST[1]))
    assert np.isnan(two.t.standard_error)
    assert three.t.standard_error > 0


def test_unit_that_determines_the_slope_alone_adds_no_variance():
    arm = make_arm(plain([1.0, 2, 3, 9]), plain([0.0, 0, 0, 1]), 0.0)  # the last residual is 0
    # At x = 0, the mean is that of the first three values.
    assert arm.mean == pytest.approx(2.0)
    assert arm.variance == pytest.approx(1 / 3)
