"""Numbers of queries needed, compared with simulations and statsmodels."""

import numpy as np
import pytest
from scipy import integrate, stats

from sklearn_rank import compare
from sklearn_rank.reports._power import (
    PILOT_LEVEL,
    power_of_difference,
    power_of_equivalence,
    queries_needed,
)
from tests.helpers.reports import column, compare_values, report_of


@pytest.mark.parametrize("level", [0.05, 0.05 / 20, 0.2])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
def test_queries_needed_matches_statsmodels(level, power):
    tests = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for deviation in (0.012, 0.05, 0.3):
        n = queries_needed([deviation], [50], difference=0.01, power=power, level=level)[0][0]
        powers = [tests.power(0.01 / deviation, number, level) for number in (n - 1, n)]
        assert powers[0] < power <= powers[1]


def integrate_power(n, effect, level):
    """Return the power of the t test by integrating over what the standard deviation of the sample may be."""
    critical = stats.t.isf(level / 2, n - 1)
    spread = stats.chi(n - 1, scale=1 / np.sqrt(n - 1))

    def weighted(s):
        mean = stats.norm(effect * np.sqrt(n))
        return spread.pdf(s) * (mean.sf(critical * s) + mean.cdf(-critical * s))

    return integrate.quad(weighted, *spread.ppf([1e-15, 1 - 1e-15]), epsabs=1e-13, epsrel=1e-12)[0]


# The last digits of statsmodels are not a reference: with scipy 1.13 its power differs by 1e-8.
@pytest.mark.slow
@pytest.mark.parametrize("level", [0.05, 0.05 / 20, 0.2])
@pytest.mark.parametrize(("n", "effect"), [(5, 1.2), (18, 0.83), (265, 0.2), (9459, 0.033)])
def test_power_of_difference_matches_integration(n, effect, level):
    expected = integrate_power(n, effect, level)
    assert power_of_difference(n, effect, level) == pytest.approx(expected, rel=1e-9)


def test_queries_needed_is_the_smallest_number_with_the_power():
    for find, options in [(power_of_difference, {}), (power_of_equivalence, {"margin": 0.01})]:
        n = queries_needed([0.002, 0.01, 0.05, 1.0], [9, 9, 9, 9], level=0.01, **options)[0]
        effect = 0.01 / np.array([0.002, 0.01, 0.05, 1.0])
        assert (n > 2).all()
        assert (find(n, effect, 0.01) >= 0.8).all()
        assert (find(n - 1, effect, 0.01) < 0.8).all()


def draw_t(n, effect, rng, repeats=20_000):
    """Draw means and standard errors of so many normal values of variance 1."""
    return rng.normal(effect, 1 / np.sqrt(n), repeats), np.sqrt(rng.chisquare(n - 1, repeats) / (n - 1) / n)


@pytest.mark.parametrize("effect", [0.15, 0.5, 1.5])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_queries_needed_for_a_difference_has_the_simulated_power(effect, level):
    n = queries_needed([1.0], [50], difference=effect, level=level)[0][0]
    for number in (n, max(n // 2, 3)):
        mean, error = draw_t(number, effect, np.random.default_rng(0))
        found = (np.abs(mean) > stats.t.isf(level / 2, number - 1) * error).mean()
        assert found == pytest.approx(power_of_difference(number, effect, level), abs=0.012)
    assert found < 0.7 < power_of_difference(n, effect, level)


@pytest.mark.parametrize("margin", [0.15, 0.5, 1.5])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_queries_needed_for_equivalence_has_the_simulated_power(margin, level):
    """What is simulated is the verdict: the interval lies within the margin."""
    n = queries_needed([1.0], [50], margin=margin, level=level)[0][0]
    mean, error = draw_t(n, 0, np.random.default_rng(0))
    shown = (np.abs(mean) + stats.t.isf(level / 2, n - 1) * error < margin).mean()
    assert shown == pytest.approx(power_of_equivalence(n, margin, level), abs=0.012)
    assert shown > 0.788
    fewer = max(n // 2, 3)
    mean, error = draw_t(fewer, 0, np.random.default_rng(0))
    assert (np.abs(mean) + stats.t.isf(level / 2, fewer - 1) * error < margin).mean() < 0.6


def test_queries_needed_holds_for_bounded_values():
    """As those of queries are: correlated values that end at 1, of which three in ten are equal."""
    rng = np.random.default_rng(0)

    def draw(*shape):
        values = rng.beta(2, 1, shape)
        others = np.clip(values + rng.normal(0.05, 0.2, shape), 0, 1)
        return np.where(rng.random(shape) < 0.3, 0.0, others - values)

    pilot = draw(500_000)
    n = int(queries_needed([pilot.std()], [len(pilot)], difference=pilot.mean())[0][0])
    for number, power in [(n, 0.8), (n // 2, 0.508)]:
        p = stats.ttest_1samp(draw(4000, number), 0, axis=1).pvalue
        assert (p < 0.05).mean() == pytest.approx(power, abs=0.025)


@pytest.mark.slow
@pytest.mark.parametrize(("n_pilot", "lower", "upper"), [(20, 0.61, 1.43), (200, 0.87, 1.13)])
def test_queries_needed_range_covers_the_answer_of_a_pilot(n_pilot, lower, upper):
    """In four of five pilots, the answer is between these parts of the true one, and the range holds that."""
    true = queries_needed([0.2], [n_pilot])[0][0]
    rng = np.random.default_rng(0)
    pilots = rng.normal(0, 0.2, (4000, n_pilot)).std(axis=1, ddof=1)
    answer, low, high = queries_needed(pilots, np.full(4000, n_pilot))
    assert ((lower * true < answer) & (answer < upper * true)).mean() == pytest.approx(PILOT_LEVEL, abs=0.02)
    assert ((low <= true) & (true <= high)).mean() == pytest.approx(PILOT_LEVEL, abs=0.02)
    np.testing.assert_allclose((answer / high)[answer > 500], lower, atol=0.008)
    np.testing.assert_allclose((answer / low)[answer > 500], upper, atol=0.008)


def test_queries_needed_is_nan_without_a_deviation():
    n, low, high = queries_needed([0.0, np.nan, 0.1, 0.1], [20, 20, 1, 20])
    assert np.isnan(n).tolist() == [True, True, False, False]
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, True, True, False]
    assert queries_needed([0.1], [20], difference=0.0)[0] == np.inf
    assert queries_needed([1e-9], [20])[0] == 2
    assert queries_needed([1e-9], [20], margin=0.01)[0] == 2
    assert queries_needed([1.0], [20], difference=1e-6)[0] == pytest.approx(7.8489e12, rel=1e-3)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_queries_needed_counts_queries_without_a_value(share):
    rng = np.random.default_rng(0)
    n = 1000
    known = np.arange(n) < share * n
    one = np.where(known, rng.random(n), np.nan)
    other = one + rng.normal(0, 0.1, n)
    table = compare_values(one, other, name="x").queries_needed()
    alone = compare_values(one[known], other[known], name="x").queries_needed().columns
    assert table.columns["n_with_value"] == alone["n"]
    assert table.columns["n"] == pytest.approx(np.ceil(alone["n"] / share), abs=1)
    assert ("with a value" in table.texts) == (share < 1)
    error = stats.norm.isf(0.1) * np.sqrt((1 - share) / known.sum())
    for end, sign in (("low", -1), ("high", 1)):
        apart = np.hypot(np.log(alone[end] / alone["n"]), error)
        assert table.columns[end] == pytest.approx(alone["n"] / share * np.exp(sign * apart), rel=1e-3, abs=1)


# ------------------------------------------------------------------ the difference to detect

REVENUE = np.random.default_rng(1).gamma(4, 2, (2, 60))


def list_detected(table):
    return table.columns["detected"].tolist()


def test_queries_needed_takes_differences_by_metric():
    reports = {name: report_of({"revenue@8": each, "mrr": each / 50}) for name, each in zip("ab", REVENUE)}
    found = compare(reports)
    table = found.queries_needed({"revenue@8": 0.5})
    assert list_detected(table) == [0.5, 0.01]
    assert table.texts["difference"] == ["0.5", "0.01"]
    assert table.caption == "queries needed to detect a difference, power 80%"
    for row, aim in enumerate((0.5, 0.01)):
        assert table.columns["n"][row] == found.queries_needed(aim).columns["n"][row]


def test_queries_needed_detects_a_part_of_means_beyond_1():
    table = compare_values(*REVENUE, name="revenue").queries_needed()
    aim = float(f"{0.02 * REVENUE[0].mean():.2g}")
    assert list_detected(table) == [aim]
    assert table.caption == f"queries needed to detect a difference of {aim:g}, power 80%"
    assert table.columns["n"] == compare_values(*REVENUE, name="revenue").queries_needed(aim).columns["n"]
    assert f"would show a difference of {aim:g} with 80% probability" in str(
        column(compare_values(REVENUE[0], REVENUE[0] + REVENUE[1] - 8, name="revenue"), "why")
    )


@pytest.mark.parametrize("name", ["mrr", "neg_fallout_loss@3", "kendall_tau"])
def test_queries_needed_detects_1_percent_of_values_up_to_1(name):
    sign = -1 if name.startswith("neg") else 1
    values = (sign * each / 50 for each in REVENUE)
    assert list_detected(compare_values(*values, name=name).queries_needed()) == [0.01]


def test_queries_needed_has_no_default_if_the_mean_is_not_clearly_above_0():
    found = compare_values(REVENUE[0] - 8, REVENUE[1] - 8, name="profit")
    table = found.queries_needed()
    assert np.isnan([*list_detected(table), *table.columns["n"]]).all()
    assert table.notes[-1].startswith("nan: The mean of the baseline is not clearly above 0.")
    assert column(found, "why").startswith("these 60 queries can show differences from ")
    assert found.queries_needed(0.5).columns["n"] > 0


@pytest.mark.parametrize(
    ("difference", "rule"),
    [
        ({"map": 0.1}, r"'difference' .* must have compared metrics as keys \('mrr'\)\. Got 'map'"),
        (
            {"mrr": 0},
            r"'difference' .* must be a positive number, a dict .* or None. Got \{'mrr': 0\}",
        ),
        (
            {"mrr": "a"},
            r"'difference' .* must be a positive number, a dict .* or None. Got \{'mrr': 'a'\}",
        ),
    ],
)
def test_queries_needed_rejects_other_differences(difference, rule):
    with pytest.raises(ValueError, match=rule):
        compare_values(*REVENUE / 50).queries_needed(difference)
