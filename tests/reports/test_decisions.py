"""The rule of p, interval and verdict, compared with enumerated signs, leave-one-out errors and scipy."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, compare
from sklearn_rank.reports._decide import intervals, verdicts
from sklearn_rank.reports._paired_tests import draw_sums, find_p_among, studentize
from tests.helpers.reports import A, B, C, column, compare_values, join_lines, report_of


def draw_systems(n, n_systems=3, seed=0):
    """Draw values of two metrics for each system."""
    rng = np.random.default_rng(seed)
    base = rng.random((n, 2))
    return [np.clip(base + rng.normal(0.04 * place, 0.2, (n, 2)), 0, 1) for place in range(n_systems)]


def compare_systems(systems, options=None, **arguments):
    names = ("mrr", "map")
    reports = {
        f"s{place}": report_of(dict(zip(names, each.T)), **options or {})
        for place, each in enumerate(systems)
    }
    return compare(reports, **arguments)


def list_differences(systems):
    """Return the differences of all comparisons in the order of the table: n queries by 6."""
    return np.column_stack(
        [systems[a][:, j] - systems[b][:, j] for j in (0, 1) for a, b in ((1, 0), (2, 0), (2, 1))]
    )


def enumerate_t(differences):
    """Return |t| of each comparison for all signs of the centered differences."""
    centered = differences - differences.mean(axis=0)
    signs = product([1, -1], repeat=len(differences))
    return np.abs([stats.ttest_1samp(centered * np.array(each)[:, None], 0).statistic for each in signs])


# ------------------------------------------------------------------ sign flips


def test_auto_matches_all_signs_of_ten_queries():
    systems = draw_systems(10)
    found = compare_systems(systems).columns
    differences = list_differences(systems)
    t = stats.ttest_1samp(differences, 0)
    largest = enumerate_t(differences).max(axis=1)
    assert len(largest) == 1024
    by_flips = [(1 + (largest >= abs(each) * (1 - 1e-12)).sum()) / 1025 for each in t.statistic]
    np.testing.assert_allclose(found["p"], np.maximum(by_flips, t.pvalue), rtol=1e-9)
    np.testing.assert_allclose(found["p_unadjusted"], t.pvalue, rtol=1e-9)
    critical = max(np.sort(largest)[973], stats.t.isf(0.025, 9))  # 974 = 0.95 * 1025, rounded up
    se = differences.std(axis=0, ddof=1) / np.sqrt(10)
    np.testing.assert_allclose(found["low"], differences.mean(axis=0) - critical * se, rtol=1e-9)
    np.testing.assert_allclose(found["high"], differences.mean(axis=0) + critical * se, rtol=1e-9)


def test_auto_is_students_t_for_one_comparison():
    found, expected = compare_values(A, B), stats.ttest_rel(B, A)
    assert column(found, "p") == pytest.approx(expected.pvalue, rel=1e-10)
    ends = column(found, "low"), column(found, "high")
    assert ends == pytest.approx(tuple(expected.confidence_interval()), rel=1e-10)


def test_auto_is_narrower_than_bonferroni_and_wider_than_one_t():
    widths = [
        np.subtract(*(compare_values(A, B, C, correction=each).columns[end] for end in ("high", "low")))
        for each in (None, "auto", "bonferroni")
    ]
    assert (widths[0] < widths[1]).all()
    assert (widths[1] < widths[2]).all()


@pytest.mark.parametrize("size", [4500, 6000])
def test_drawn_sums_have_the_covariances_of_the_columns(size):
    """In more than one piece of units and flips, and as normal variables."""
    rng = np.random.default_rng(0)
    residuals = rng.normal(size=(size, 3)) @ [[1, 0.9, 0], [0, 0.1, 0], [0, 0, 1e-6]]
    residuals -= residuals.mean(axis=0)
    sums = draw_sums(residuals, 4000, np.random.RandomState(0))
    expected = residuals.T @ residuals
    scale = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(
        sums.T @ sums / 4000 / scale / scale[:, None], expected / scale / scale[:, None], atol=0.06
    )


@pytest.mark.slow
def test_normal_sums_agree_with_sign_flips(monkeypatch):
    systems = draw_systems(6000)
    normal = compare_systems(systems, n_resamples=20_000, random_state=1)._decision.critical
    monkeypatch.setattr("sklearn_rank.reports._paired_tests.MOST_FLIPPED", 10_000)
    flipped = compare_systems(systems, n_resamples=20_000, random_state=1)._decision.critical
    # The density of the largest |t| at its 0.95 quantile is about 0.13, so the standard error is 0.012.
    np.testing.assert_allclose(normal, flipped, atol=0.05)


def test_find_p_among_counts_the_observed_value():
    drawn = np.arange(1.0, 100.0)[::-1]
    p, critical = find_p_among(drawn, np.array([0.0, -95.0, 95.5, 200.0]), 0.05)
    assert p.tolist() == [1.0, 0.06, 0.05, 0.01]
    assert critical == 95
    assert find_p_among(drawn[:18], np.zeros(1), 0.05)[1] == np.inf


def test_studentized_flips_of_equal_values_are_infinite():
    assert studentize(np.array([2.0, -2.0, 0.0]), np.array(4 / 3), 4).tolist() == [np.inf, -np.inf, 0]


def test_random_state_none_flips_other_signs_in_each_call():
    one, again, *others = (
        tuple(compare_values(A, B, C, random_state=seed).columns["high"]) for seed in (0, 0, *[None] * 8)
    )
    assert one == again
    assert len({*others}) > 1  # few flips can agree by chance


def test_order_of_queries_and_systems_does_not_change_the_decision():
    order = np.random.default_rng(1).permutation(50)
    values = {"a": A, "b": B, "c": C}
    one = compare(
        {name: RankingReport.from_values(range(50), {"mrr": each}) for name, each in values.items()}
    )
    shuffled = {name: RankingReport.from_values(order, {"mrr": values[name][order]}) for name in "cba"}
    other = compare(shuffled)
    np.testing.assert_allclose(one.columns["p"], other.columns["p"][::-1])
    np.testing.assert_allclose(one.columns["low"], -other.columns["high"][::-1])


# ------------------------------------------------------------------ t


def check_t(found, apart, errors, df, m=1):
    half = stats.t.isf(0.025 / m, df) * errors
    np.testing.assert_allclose(found["low"], apart - half, rtol=1e-9)
    np.testing.assert_allclose(found["high"], apart + half, rtol=1e-9)
    p = np.minimum(1, m * 2 * stats.t.sf(np.abs(apart / errors), df))
    np.testing.assert_allclose(found["p"], p, rtol=1e-9)


def test_auto_uses_t_and_bonferroni_below_ten_queries():
    systems = draw_systems(9)
    differences = list_differences(systems)
    found = compare_systems(systems)
    check_t(found.columns, differences.mean(axis=0), stats.sem(differences), 8, m=6)
    assert found.table().caption.endswith("; p and intervals adjusted for 6 comparisons by Bonferroni")


def leave_one_out(above, below):
    """Return the jackknife standard error of the difference of two ratios of sums."""
    without = np.array([[(a.sum() - a) / (b.sum() - b) for a, b in zip(above, below)]])[0]
    apart = without[1] - without[0]
    return np.sqrt((len(apart) - 1) / len(apart) * np.square(apart - apart.mean()).sum())


def test_auto_uses_the_jackknife_for_clusters_of_different_size():
    clusters = np.repeat(np.arange(12), [1, 9, 2, 8, 3, 7, 4, 6, 5, 1, 2, 2])
    found = compare_values(A, B, options={"cluster": clusters})
    sizes = np.bincount(clusters).astype(float)
    error = leave_one_out([np.bincount(clusters, each) for each in (A, B)], [sizes, sizes])
    df = sizes.sum() ** 2 / (sizes**2).sum() - 1
    check_t(found.columns, (B - A).mean(), error, df)


def test_auto_flips_clusters_of_the_same_size():
    clusters = np.arange(50) // 5
    found = compare_values(A, B, C, options={"cluster": clusters})
    of_clusters = [each.reshape(10, 5).mean(axis=1) for each in (A, B, C)]
    expected = compare_values(*of_clusters)
    for name in ("p", "low", "high"):
        np.testing.assert_allclose(found.columns[name], expected.columns[name], rtol=1e-9)


def test_jackknife_uses_each_denominator_of_micro_averages():
    rng = np.random.default_rng(0)
    n = 12
    found = {}
    for name in ("one", "other"):
        lengths = rng.integers(3, 9, n)
        groups = np.repeat(np.arange(n), lengths)
        found[name] = groups, rng.integers(0, 2, len(groups)), rng.random(len(groups))
    from sklearn_rank import evaluate

    reports, sums = {}, []
    for name, (groups, y_true, y_score) in found.items():
        given = {"groups": groups, "metrics": ["recall@2"], "average": "micro", "zero_division": np.nan}
        reports[name] = evaluate(y_true, y_score, **given)
        n_relevant = np.bincount(groups, y_true)
        sums.append((np.nan_to_num(reports[name].values["recall@2"]) * n_relevant, n_relevant))
    kept = (sums[0][1] > 0) & (sums[1][1] > 0)
    above, below = ([each[place][kept] for each in sums] for place in (0, 1))
    ratios = [a.sum() / b.sum() for a, b in zip(above, below)]
    df = min(each.sum() ** 2 / (each**2).sum() for each in below) - 1
    check_t(
        compare(reports, check_labels=False).columns, ratios[1] - ratios[0], leave_one_out(above, below), df
    )


def test_weight_on_one_query_leaves_the_comparison_undecided():
    found = compare_values(A, B, options={"weights": np.where(np.arange(50) == 0, 1.0, 1e-30)})
    assert column(found, "verdict") == "undecided"


def test_comparisons_by_flips_and_by_t_share_the_level():
    systems = draw_systems(30)
    holes = [np.where((np.arange(30) < 22)[:, None] & [False, True], np.nan, each) for each in systems]
    found = compare_systems(holes)
    differences = list_differences(holes)[22:, 3:]
    by_t = {name: each[3:] for name, each in found.columns.items()}
    check_t(by_t, differences.mean(axis=0), stats.sem(differences), 7, m=6)
    alone = compare_values(*(each[:, 0] for each in systems), confidence_level=0.975)
    np.testing.assert_allclose(found.columns["low"][:3], alone.columns["low"], rtol=1e-9)
    assert found.table().caption.endswith("by the largest |t| under random signs (3 by Bonferroni)")


# ------------------------------------------------------------------ few differing queries


@pytest.mark.parametrize("n_differ", range(7))
@pytest.mark.parametrize("n_systems", [2, 4])
def test_few_differing_queries_widen_the_interval(n_differ, n_systems):
    """All of them are better, so that only their number leaves the comparison undecided."""
    base = np.full(40, 0.2)
    values = [base, base + 0.5 * (np.arange(40) < n_differ), *[base] * (n_systems - 2)]
    found = compare_values(*values, baseline="a")
    m = n_systems - 1
    most = stats.binomtest(n_differ, 40).proportion_ci(1 - 0.05 / m, method="exact").high
    assert column(found, "p") >= min(1, 2.0 ** (1 - n_differ)) * (n_differ < 6)
    assert (column(found, "verdict") == "undecided") == (n_differ < 6)
    if n_differ < 6:
        assert column(found, "low") == pytest.approx(-most)
        assert column(found, "high") >= most - 1e-12
    else:
        assert column(found, "low") > 0


def test_limit_of_weighted_queries_uses_their_effective_number():
    weights = np.arange(1.0, 41)
    found = compare_values(A[:40], A[:40], options={"weights": weights})
    n = weights.sum() ** 2 / (weights**2).sum()
    assert column(found, "high") == pytest.approx(1 - 0.025 ** (1 / n))


def test_limit_is_the_whole_range_if_all_of_few_queries_differ():
    found = compare_values([0.1, 0.1, 0.1], [0.2, 0.3, 0.2])
    assert (column(found, "low"), column(found, "high")) == (-1, 1)


@pytest.mark.parametrize(("name", "span"), [("kendall_tau", 2), ("mrr", 1), ("neg_fallout_loss@3", 1)])
def test_limit_is_multiplied_by_the_range_of_the_metric(name, span):
    values = -A if name.startswith("neg_") else A
    found = compare_values(values, values, name=name)
    assert column(found, "high") == pytest.approx(span * (1 - 0.025 ** (1 / 50)))


def test_few_differing_queries_have_no_interval_without_a_range():
    found = compare_values(A, A, name="dcg", margin=1)
    assert np.isnan([column(found, "low"), column(found, "high")]).all()
    assert column(found, "verdict") == "undecided"
    assert "nan: few queries differ, and the metric has no known range" in str(found)


def test_equal_systems_are_equivalent_if_queries_are_many():
    """Of 368 queries, 1% of queries like these would differ at least once in 97.5% of samples."""
    for n, verdict in ((367, "undecided"), (368, "equivalent")):
        assert column(compare_values(np.zeros(n), np.zeros(n), margin=0.01), "verdict") == verdict


# ------------------------------------------------------------------ reasons


def test_why_names_the_obstacle():
    some = A.copy()
    some[:4] = 1 - some[:4]
    clusters = {"cluster": np.arange(50) // 2}
    assert column(compare_values(A[:20], A[:20]), "why") == (
        "no query differs. With 20 queries, up to 17% of new queries could still differ"
    )
    assert column(compare_values(np.zeros(900), np.zeros(900)), "why").startswith(
        "no query differs. With 900 queries, up to 0.41% of new queries"
    )
    assert column(compare_values(A, some), "why") == "4 of 50 queries differ: too few to decide"
    assert column(compare_values(A, some, options=clusters), "why").startswith("2 of 25 clusters differ")
    equal = compare_values(A[:5] / 2, A[:5] / 2 + 0.25)
    assert column(equal, "why") == "all differences are equal, so their variance is unknown"


@pytest.mark.parametrize("margin", [None, 0.03])
def test_why_counts_the_queries_that_would_suffice(margin):
    found = compare_values(A, C, margin=margin)
    aim = margin or 0.01
    needed = found.queries_needed(aim).columns["n"][0]
    text = column(found, "why")
    said = int(text.split()[1].replace(",", ""))
    assert said == pytest.approx(needed, abs=2)
    shown = (found._decision.critical[0] + stats.norm.isf(0.2)) * stats.sem(C - A)
    assert text == (
        f"about {said:,} queries would show a difference of {aim:g} with 80% probability. "
        f"These 50 queries can show differences from {shown:.2g}"
    )


def test_reasons_are_noted_only_if_a_comparison_is_undecided():
    decided, undecided = compare_values(A / 2, A / 2 + 0.2 + C / 9), compare_values(A, C)
    assert column(decided, "why") == ""
    assert "Undecided" not in str(decided)
    assert f"Undecided: {column(undecided, 'why')}." in undecided.table().notes


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_rank_tests_have_neither_interval_nor_verdict(test):
    found = compare_values(A / 2, A / 2 + 0.2 + C / 9, test=test)
    assert column(found, "p") < 1e-6
    assert np.isnan([column(found, "low"), column(found, "high")]).all()
    assert (column(found, "verdict"), column(found, "why")) == ("", "")
    text, latex = str(found), found.to_latex()
    assert "CI" not in text
    assert "verdict" not in text.splitlines()[1]
    assert "no interval of the mean difference, so no verdict." in text
    assert "^" not in latex
    assert "significantly worse" not in latex


def test_rank_tests_can_correct_p_by_bonferroni():
    found = compare_values(A, B, C, test="wilcoxon", correction="bonferroni")
    np.testing.assert_allclose(found.columns["p"], np.minimum(1, 3 * found.columns["p_unadjusted"]))
    assert "; p adjusted for 3 comparisons by Bonferroni" in join_lines(found)


# ------------------------------------------------------------------ verdicts


def test_intervals_have_ends_at_critical_values():
    difference, error = np.array([0.5, 0.0, 0.25]), np.array([0.125, 0.0, np.nan])
    for critical, low, high in [(2.0, 0.25, 0.75), (np.inf, -np.inf, np.inf), (np.full(3, 2.0), 0.25, 0.75)]:
        ends = np.array(intervals(difference, error, critical))
        np.testing.assert_array_equal(ends, [[low, 0, np.nan], [high, 0, np.nan]])


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
    signs = [1 if one > 0 else -1 if other < 0 else 0 for one, other in zip(low, high)]
    assert verdicts(signs, low, high).tolist() == list(without)
    assert verdicts(signs, low, high, 0.005).tolist() == list(with_margin)


def test_verdicts_are_empty_without_comparisons():
    assert verdicts(*np.zeros((3, 0)), 0.1).tolist() == []


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({"confidence_level": 0.999, "n_resamples": 998, "correction": "auto"}, 999),
        ({"test": "randomization", "correction": "bonferroni", "n_resamples": 100}, 119),  # 6 / 0.05 - 1
    ],
    ids=str,
)
def test_compare_rejects_fewer_flips_than_p_requires(options, least):
    systems = draw_systems(20)
    with pytest.raises(ValueError, match=f"be at least {least}, because p must be able to reach"):
        compare_systems(systems, **options)
    assert np.isfinite(compare_systems(systems, **options | {"n_resamples": least}).columns["low"]).all()


def test_all_signs_of_ten_queries_can_be_too_few_for_the_level():
    options = {"test": "randomization", "correction": "bonferroni", "confidence_level": 0.996}
    found = compare_systems(draw_systems(10), **options)  # 1,024 signs, where 0.004 / 6 requires 1,500
    assert set(found.columns["why"]) == {"10 queries cannot reach p = 0.004"}
