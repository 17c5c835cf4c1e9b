"""Comparisons of systems on different units, compared with scipy, statsmodels and direct computation."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingEvaluator, RankingReport, compare, evaluate
from sklearn_rank.reports._intervals import RatioTerms
from sklearn_rank.reports._unpaired import make_arm
from tests.helpers.reports import column

RNG = np.random.default_rng(0)
ONE, OTHER = RNG.normal(0.5, 0.1, 30), RNG.exponential(0.4, 12)
PAST = RNG.normal(1, 0.2, 30) + ONE, RNG.normal(1, 0.2, 12) + 2 * OTHER


def plain(values):
    return RatioTerms(np.asarray(values, float), np.ones(len(values)))


def compare_groups(one, other, past=None, name="value", **options):
    """Compare the first group with the other, adjusted for a covariate if there is one."""
    values = {"other": np.asarray(other, float), "one": np.asarray(one, float)}
    ids = {key: [f"{key} {i}" for i in range(len(each))] for key, each in values.items()}
    reports = {key: RankingReport.from_values(ids[key], {name: each}) for key, each in values.items()}
    if past is not None:
        options["covariate"] = dict(zip(ids["one"] + ids["other"], np.concatenate(past)))
    return compare(reports, paired=False, **options)


def test_plain_means_match_welch_of_scipy():
    found = compare_groups(ONE, OTHER)
    expected = stats.ttest_ind(ONE, OTHER, equal_var=False)
    assert column(found, "p") == pytest.approx(expected.pvalue, rel=1e-10)
    ends = [column(found, "low"), column(found, "high")]
    assert ends == pytest.approx(list(expected.confidence_interval(0.95)), rel=1e-10)
    assert [column(found, "n"), column(found, "other_n")] == [30, 12]
    means = [column(found, "mean"), column(found, "other_mean")]
    assert means == pytest.approx([ONE.mean(), OTHER.mean()], rel=1e-14)


def test_effect_is_in_roots_of_mean_variance():
    found = compare_groups([1, 2, 3], [0, 0, 3])
    assert column(found, "effect") == pytest.approx((2 - 1) / np.sqrt((1 + 3) / 2), rel=1e-12)


def test_adjusted_difference_matches_interactions_of_statsmodels():
    linear_model = pytest.importorskip("statsmodels.regression.linear_model")
    found = compare_groups(ONE, OTHER, PAST)
    x = np.concatenate(PAST) - np.concatenate(PAST).mean()
    is_one = np.repeat([1.0, 0.0], [30, 12])
    design = np.column_stack([np.ones(42), is_one, x, is_one * x])
    fitted = linear_model.OLS(np.concatenate([ONE, OTHER]), design).fit(cov_type="HC2")
    assert column(found, "difference") == pytest.approx(fitted.params[1], rel=1e-10)
    # In addition, the mean of the covariate varies between samples of users.
    extra = fitted.params[3] ** 2 * np.var(x, ddof=1) / 42
    error = found._paired.t.standard_error[0]
    assert error**2 == pytest.approx(fitted.bse[1] ** 2 + extra, rel=1e-10)


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
    found = compare_groups(one, other)
    assert np.isnan([column(found, name) for name in ("low", "high", "p", "relative")]).all()
    assert column(found, "difference") == pytest.approx(np.mean(one) - np.mean(other))


def test_one_unit_has_no_interval():
    assert np.isnan(column(compare_groups(ONE[:1], OTHER), "low"))


def test_adjustment_needs_three_units_in_each_group():
    two, three = (compare_groups(ONE[:n], OTHER, (PAST[0][:n], PAST[1])) for n in (2, 3))
    assert np.isnan(column(two, "low"))
    assert column(three, "low") < column(three, "high")


def test_unit_that_determines_the_slope_alone_adds_no_variance():
    arm = make_arm(plain([1.0, 2, 3, 9]), plain([0.0, 0, 0, 1]), 0.0)  # the last residual is 0
    # At x = 0, the mean is that of the first three values.
    assert arm.mean == pytest.approx(2.0)
    assert arm.variance == pytest.approx(1 / 3)


# ------------------------------------------------------------------ relative effects


def test_relative_interval_of_groups_is_fiellers():
    """The interval of Fieller contains the ratios r for which (m - r m0)**2 <= t**2 (V + r**2 V0)."""
    found = compare_groups(ONE + 1, OTHER + 1, name="revenue")
    variances = [each.var(ddof=1) / len(each) for each in (ONE, OTHER)]
    t = stats.t.isf(0.025, stats.ttest_ind(ONE, OTHER, equal_var=False).df)
    for end in ("relative_low", "relative_high"):
        ratio = 1 + column(found, end)
        apart = (ONE + 1).mean() - ratio * (OTHER + 1).mean()
        assert apart**2 == pytest.approx(t**2 * (variances[0] + ratio**2 * variances[1]), rel=1e-9)
    assert column(found, "relative") == pytest.approx((ONE.mean() - OTHER.mean()) / (OTHER.mean() + 1))


def test_adjusted_comparison_has_no_relative_interval():
    assert np.isnan(column(compare_groups(ONE + 1, OTHER + 1, PAST), "relative"))


def test_relative_interval_is_that_of_a_paired_t_test():
    """At an end of the interval, the t test of m - r m0 has exactly p = 0.05."""
    one, other = RNG.gamma(4, 1, 40), RNG.gamma(5, 1, 40)
    reports = {
        name: RankingReport.from_values(range(40), {"revenue": each})
        for name, each in (("a", one), ("b", other))
    }
    found = compare(reports)
    for end in ("relative_low", "relative_high"):
        p = stats.ttest_1samp(other - (1 + column(found, end)) * one, 0).pvalue
        assert p == pytest.approx(0.05, rel=1e-9)
    text = f"{column(found, 'relative'):+.1%} [{column(found, 'relative_low'):.1%}, "
    assert text in found.to_markdown()


@pytest.mark.parametrize(
    ("values", "name", "test"),
    [
        ([-1, 0, 1, 2, -1, 0, 0, 1], "revenue", "t"),  # a mean near 0
        ([-1, -2, -1, -2, -3, -1, -1, -2], "revenue", "t"),
        ([0.5, 0.4, 0.6, 0.5, 0.7, 0.3, 0.4, 0.6], "spearman", "t"),  # from -1 to 1
        ([0.5, 0.4, 0.6, 0.5, 0.7, 0.3, 0.4, 0.6], "mrr", "randomization"),
        ([0.5, 0.4, 0.6, 0.5, 0.7, 0.3, 0.4, 0.6], "mrr", "sign"),
    ],
)
def test_relative_interval_needs_t_and_a_baseline_clearly_above_0(values, name, test):
    other = np.array(values) + np.array([0.1, 0.2, 0.1, -0.1, 0.2, 0.3, 0, 0.2])
    reports = {
        key: RankingReport.from_values(range(8), {name: each}) for key, each in (("a", values), ("b", other))
    }
    found = compare(reports, test=test)
    assert np.isnan([column(found, f"relative{end}") for end in ("", "_low", "_high")]).all()
    assert "relative" not in found.to_markdown()


def test_table_says_which_rows_have_no_relative_interval():
    near = np.tile([-1.0, 0, 1, 2, -1, 0, 0, 1], 2)
    values = {"a": (np.arange(16) + 20.0, near), "b": (np.arange(16)[::-1] + 21.0, near + np.arange(16) % 3)}
    reports = {
        name: RankingReport.from_values(range(16), dict(zip(("gmv", "profit"), each)))
        for name, each in values.items()
    }
    rows = compare(reports).to_markdown().splitlines()
    assert [row for row in rows if "no relative interval" in row] == [row for row in rows if "| b |" in row][
        1:
    ]


def test_relative_interval_of_moments_is_that_of_values():
    y_true = RNG.integers(0, 3, (30, 5))
    scores = {name: y_true + RNG.normal(0, size, y_true.shape) for name, size in (("a", 1), ("b", 2))}
    ids = np.repeat(np.arange(30), 5)
    found = []
    for keep in (True, False):
        evaluator = RankingEvaluator(["ndcg@3"], keep_queries=keep)
        evaluator.update(y_true.ravel(), {name: each.ravel() for name, each in scores.items()}, groups=ids)
        found.append(compare(evaluator.result(), test="t").columns)
    for end in ("relative", "relative_low", "relative_high"):
        assert found[0][end] == pytest.approx(found[1][end], rel=1e-9)


def test_micro_average_has_a_relative_interval():
    y_true = RNG.integers(0, 2, (30, 5))
    y_true[:, 0] = 1
    scores = y_true + RNG.normal(size=y_true.shape), y_true + 2 * RNG.normal(size=y_true.shape)
    reports = {
        name: evaluate(y_true, each, metrics=["recall@2"], average="micro")
        for name, each in zip("ab", scores)
    }
    found = compare(reports)
    assert column(found, "relative_low") < column(found, "relative") < column(found, "relative_high")
