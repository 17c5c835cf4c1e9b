"""Named tests compared with scipy, statsmodels and enumeration on 40 data sets."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, compare, evaluate
from tests.helpers.reports import column

DARWIN = (
    [188, 96, 168, 176, 153, 172, 177, 163, 146, 173, 186, 168, 177, 184, 96],
    [139, 163, 160, 160, 147, 149, 149, 122, 132, 144, 130, 144, 102, 124, 144],
)
FEW, MANY = (5, 6, 8, 11, 13), (20, 50, 300)
KINDS = ("grid", "skewed", "ties", "weights", "clusters")
SETS = [(kind, n) for kind in KINDS for n in (*FEW, *MANY)]  # 40


def draw(kind, n):
    """Draw values of two systems, and the options of their reports."""
    rng = np.random.default_rng([KINDS.index(kind), n])
    one = rng.integers(0, 11, n) / 10
    apart = {
        "skewed": lambda: rng.exponential(size=n) / 5 - 0.1,
        "ties": lambda: rng.integers(-1, 4, n) / 10 * (rng.random(n) < 0.7),
    }.get(kind, lambda: rng.integers(-3, 6, n) / 10)()
    options = {"weights": {"weights": rng.lognormal(size=n)}, "clusters": {"cluster": np.arange(n) * 2 // 3}}
    return one, one + apart, options.get(kind, {})


def compare_drawn(kind, n, **arguments):
    """Compare two drawn systems; return also the units' weighted differences and weights."""
    one, other, options = draw(kind, n)
    reports = {
        name: RankingReport.from_values(range(n), {"value": each}, **options)
        for name, each in (("one", one), ("other", other))
    }
    weights = options.get("weights", np.ones(n))
    codes = options.get("cluster", np.arange(n))
    units = [np.bincount(codes, each) / weights.sum() for each in (weights * (other - one), weights)]
    return compare(reports, **arguments), *units


def find_p(d, w, delta, rounding=1e-13):
    """Return Fisher's p of the mean delta by all signs."""
    terms = d - delta * w
    sums = np.abs(np.array(list(product([1, -1], repeat=len(d)))) @ terms)
    return (sums >= abs(terms.sum()) - rounding * np.abs(d).sum()).mean()


def count_grid(d):
    """Return the exact p of differences on a grid of 0.1, from the distribution of their signed sum."""
    steps = np.rint(np.abs(d) / np.abs(d[d != 0]).min()).astype(int)
    chances = np.ones(1)
    for step in steps[steps > 0]:
        wider = np.zeros(len(chances) + 2 * step)
        wider[: len(chances)] += chances / 2
        wider[2 * step :] += chances / 2
        chances = wider
    sums = np.arange(len(chances)) - len(chances) // 2
    observed = int((np.sign(d) * steps).sum())
    return chances[np.abs(sums) >= abs(observed)].sum()


# ------------------------------------------------------------------ randomization


def test_randomization_of_darwins_maize_is_fishers():
    ids = range(15)
    reports = {
        name: RankingReport.from_values(ids, {"height": each}) for name, each in zip("ab", DARWIN[::-1])
    }
    found = compare(reports, test="randomization", n_resamples=2**15)
    assert column(found, "p") == 1726 / 2**15
    drawn = compare(reports, test="randomization")
    assert column(drawn, "p") == pytest.approx(1726 / 2**15, abs=4 * np.sqrt(0.05 / 10_000))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", FEW)
def test_randomization_enumerates_all_signs(kind, n):
    found, d, w = compare_drawn(kind, n, test="randomization")
    assert column(found, "p") == find_p(d, w, 0)
    low, high = column(found, "low"), column(found, "high")
    if 2.0 ** (1 - len(d)) > 0.05:
        assert (low, high) == (-np.inf, np.inf)
        assert column(found, "why") == f"{len(d)} {found._paired.unit[1]} cannot reach p = 0.05"
        return
    step = 1e-10
    assert find_p(d, w, low + step) > 0.05 >= find_p(d, w, low - step)
    assert find_p(d, w, high - step) > 0.05 >= find_p(d, w, high + step)


@pytest.mark.parametrize("n", FEW)
def test_randomization_is_that_of_scipy(n):
    one, other, _ = draw("skewed", n)
    expected = stats.permutation_test(
        (other - one,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert column(compare_drawn("skewed", n, test="randomization")[0], "p") == expected.pvalue


@pytest.mark.parametrize("kind", ["grid", "ties"])
@pytest.mark.parametrize("n", MANY)
def test_random_flips_estimate_the_exact_p(kind, n):
    one, other, _ = draw(kind, n)
    shift = np.where(np.arange(n) % 2, -0.1, -0.2).round(1)  # so that p is not 0
    d = np.round(other - one + shift, 10)
    reports = {
        name: RankingReport.from_values(range(n), {"value": each}) for name, each in (("a", d * 0), ("b", d))
    }
    p = count_grid(d)
    for seed in range(5):
        found = column(compare(reports, test="randomization", random_state=seed), "p")
        assert abs(found - p) <= 4 * np.sqrt(p * (1 - p) / 10_000) + 1e-4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", MANY)
def test_random_flips_have_the_interval_of_their_p(kind, n):
    """The interval contains 0 exactly if p is above the level; shifted values shift it."""
    found, _, _ = compare_drawn(kind, n, test="randomization")
    low, high = column(found, "low"), column(found, "high")
    assert (low <= 0 <= high) == (column(found, "p") > 0.05)
    one, other, options = draw(kind, n)
    for end, sign in ((low, 1), (high, -1)):
        for step, is_inside in ((1e-7, True), (-1e-7, False)):
            reports = {
                "a": RankingReport.from_values(range(n), {"value": one + end + sign * step}, **options),
                "b": RankingReport.from_values(range(n), {"value": other}, **options),
            }
            p = column(compare(reports, test="randomization"), "p")
            assert (p > 0.05) == is_inside


def test_randomization_swaps_both_sums_of_micro_averages():
    rng = np.random.default_rng(0)
    n, rows = 9, 5
    y_true = rng.integers(0, 2, (n, rows))
    y_true[:, 0] = 1
    given = {"metrics": ["recall@2"], "average": "micro"}
    one = evaluate(y_true, rng.random((n, rows)), **given)
    y_other = y_true.copy()
    y_other[:, 1] = 1
    other = evaluate(y_other, rng.random((n, rows)), **given)
    found = compare({"a": one, "b": other}, test="randomization", check_labels=False)
    below = np.array([y_true.sum(axis=1), y_other.sum(axis=1)])
    above = np.array([each.values["recall@2"] for each in (one, other)]) * below
    drawn = []
    for swap in product([False, True], repeat=n):
        a, b = (np.where(swap, each[::-1], each) for each in (above, below))
        drawn.append(abs(a[0].sum() / b[0].sum() - a[1].sum() / b[1].sum()))
    assert column(found, "p") == np.mean(np.array(drawn) >= drawn[0] - 1e-12)
    assert np.isnan([column(found, "low"), column(found, "high")]).all()
    assert "nan: " in str(found)


# ------------------------------------------------------------------ t


@pytest.mark.parametrize("test", ["t", "auto"])
@pytest.mark.parametrize(("kind", "n"), SETS)
def test_t_is_students_for_one_comparison(kind, n, test):
    found, d, w = compare_drawn(kind, n, test=test, correction="bonferroni")
    if test == "auto" and found._paired.n_differ[0] < 6:
        assert column(found, "p") >= 2.0 ** (1 - found._paired.n_differ[0])
        return
    if kind in ("weights", "clusters"):
        without = np.array([np.delete(d, i).sum() / np.delete(w, i).sum() for i in range(len(d))])
        error = np.sqrt((len(d) - 1) / len(d) * np.square(without - without.mean()).sum())
        df = w.sum() ** 2 / (w**2).sum() - 1
        expected = 2 * stats.t.sf(abs(d.sum() / error), df)
        ends = d.sum() + np.array([-1, 1]) * stats.t.isf(0.025, df) * error
    else:
        result = stats.ttest_1samp(d / w, 0)
        expected, ends = result.pvalue, result.confidence_interval()
    assert column(found, "p") == pytest.approx(expected, rel=1e-9, abs=1e-10)
    np.testing.assert_allclose([column(found, "low"), column(found, "high")], ends, atol=1e-10)


def test_t_notes_how_few_queries_differ():
    values = np.zeros(200), np.arange(200) < 4
    found = compare(
        {name: RankingReport.from_values(range(200), {"mrr": each}) for name, each in zip("ab", values)},
        test="t",
    )
    assert "Only 4 of 200 queries differ; sign test 0.125." in found.table().notes
    assert column(found, "p") == pytest.approx(stats.ttest_1samp(values[1] * 1.0, 0).pvalue)


# ------------------------------------------------------------------ corrections


def compare_several(test, correction, n=30):
    rng = np.random.default_rng(3)
    base = rng.random(n)
    reports = {
        f"s{i}": RankingReport.from_values(range(n), {"value": base + rng.normal(0.06 * i, 0.15, n)})
        for i in range(4)
    }
    return compare(reports, test=test, correction=correction)


@pytest.mark.parametrize("test", ["t", "auto", "randomization", "wilcoxon", "sign"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", None])
def test_corrections_are_those_of_statsmodels(test, correction):
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    found = compare_several(test, correction).columns
    p = found["p_unadjusted"]
    expected = p if correction is None else multipletests(p, method=correction)[1]
    np.testing.assert_allclose(found["p"], expected, atol=1e-12)


def test_holm_by_hand():
    found = compare_several("t", "holm").columns
    p = found["p_unadjusted"]
    order = np.argsort(p)
    steps = [min(1.0, (6 - i) * p[row]) for i, row in enumerate(order)]
    np.testing.assert_allclose(found["p"][order], np.maximum.accumulate(steps))
    alone = compare_several("t", "bonferroni").columns
    np.testing.assert_array_equal(found["low"], alone["low"])


@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon", "sign"])
def test_auto_corrects_other_tests_by_holm(test):
    one, other = (compare_several(test, correction).columns for correction in ("auto", "holm"))
    np.testing.assert_array_equal(one["p"], other["p"])


@pytest.mark.parametrize("test", ["auto", "t", "randomization", "wilcoxon", "sign"])
def test_corrections_of_one_comparison_do_nothing(test):
    results = [
        compare_drawn("grid", 20, test=test, correction=correction)[0]
        for correction in ("auto", "holm", "bonferroni", None)
    ]
    for each in results:
        for name in ("p", "p_unadjusted", "low", "high"):
            np.testing.assert_array_equal(each.columns[name], results[0].columns[name])
        assert each.table().caption == results[0].table().caption


def test_rows_that_only_holm_rejects_are_marked():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, 40)
    noise -= noise.mean()
    apart = [0.2, 0.2, 0.2, 2.1 * noise.std(ddof=1) / np.sqrt(40)]
    reports = {"base": RankingReport.from_values(range(40), {"value": np.zeros(40)})}
    for i, each in enumerate(apart):
        reports[f"s{i}"] = RankingReport.from_values(range(40), {"value": each + noise})
    found = compare(reports, baseline="base", test="t")
    assert found.columns["verdict"].tolist() == ["better"] * 4
    assert (found.columns["low"] < 0).tolist() == [False, False, False, True]
    assert found.table().texts["verdict"][1:] == ["better"] * 3 + ["better*"]
    assert "* Significant by Holm; the Bonferroni interval contains 0." in str(found)
    assert column(found, "why", 3) == "significant by Holm; the Bonferroni interval contains 0"
