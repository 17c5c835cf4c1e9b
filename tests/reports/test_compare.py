"""Tests and intervals of comparisons, compared with scipy and statsmodels."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, RankingWarning, compare, evaluate
from sklearn_rank.datasets import from_run
from tests.helpers.reports import (
    TESTS,
    A,
    B,
    C,
    column,
    compare_values,
    join_lines,
    report_of,
)

# ------------------------------------------------------------------ tests


def test_compare_t_test_matches_scipy():
    found = compare_values(A, B)
    expected = stats.ttest_rel(B, A)
    interval = expected.confidence_interval(0.95)
    assert column(found, "p") == pytest.approx(expected.pvalue, rel=1e-11)
    assert column(found, "difference") == pytest.approx((B - A).mean(), rel=1e-12)
    assert column(compare_values(A, B, correction=None), "low") == pytest.approx(interval.low)
    assert (column(found, "mean"), column(found, "other_mean")) == pytest.approx((B.mean(), A.mean()))
    assert column(found, "effect") == pytest.approx((B - A).mean() / (B - A).std(ddof=1))


@pytest.mark.parametrize("other", [B, C], ids=["B", "C"])
def test_compare_wilcoxon_matches_scipy_of_integers(other):
    found = compare_values(A, other, test="wilcoxon")
    tenths = np.rint(10 * other) - np.rint(10 * A)
    assert column(found, "p") == pytest.approx(stats.wilcoxon(tenths).pvalue, rel=1e-12)


def test_compare_sign_test_matches_the_binomial_test():
    found = compare_values(A, B, test="sign")
    wins, losses = int((B > A).sum()), int((B < A).sum())
    assert column(found, "p") == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert [column(found, name) for name in ("wins", "ties", "losses", "n")] == [
        wins,
        50 - wins - losses,
        losses,
        50,
    ]


@pytest.mark.parametrize("test", TESTS)
def test_compare_changes_only_signs_when_systems_are_swapped(test):
    one, other = (
        compare_values(A, B, test=test, random_state=0),
        compare_values(B, A, test=test, random_state=0),
    )
    assert column(one, "p") == column(other, "p")
    assert column(one, "difference") == -column(other, "difference")
    assert (column(one, "wins"), column(one, "losses")) == (column(other, "losses"), column(other, "wins"))


def jackknife(find, n):
    """Return the standard error of a function of some of n units."""
    without = [find(np.arange(n) != left_out) for left_out in range(n)]
    return np.sqrt((n - 1) / n * np.square(without - np.mean(without)).sum())


def test_compare_weights_means_and_errors():
    w = np.arange(50) % 4
    found = compare_values(A, B, options={"weights": w})
    v, w = (B - A)[w > 0], w[w > 0]
    mean = np.average(v, weights=w)
    error = jackknife(lambda kept: np.average(v[kept], weights=w[kept]), len(w))
    df = sum(w) ** 2 / sum(w**2) - 1
    assert column(found, "difference") == pytest.approx(mean)
    assert column(found, "p") == pytest.approx(2 * stats.t.sf(abs(mean) / error, df))
    assert (column(found, "n"), column(found, "left_out")) == (len(w), 0)


def test_compare_uses_clusters_as_units():
    clusters = np.arange(50) // 5
    found = compare_values(A, B, options={"cluster": clusters})
    expected = stats.ttest_rel(*(each.reshape(10, 5).mean(axis=1) for each in (B, A)))
    assert column(found, "p") == pytest.approx(expected.pvalue)
    assert column(found, "n") == 10
    assert str(found).startswith('50 queries in 10 clusters, difference from "a"')


def test_compare_treats_micro_averages_as_ratios(queries):
    y_true, y_score, groups = queries
    other = np.random.default_rng(3).permutation(y_score)
    given = {"groups": groups, "metrics": ["recall@3"], "average": "micro"}
    one, two = evaluate(y_true, y_score, **given), evaluate(y_true, other, **given)
    found = compare({"a": one, "b": two})
    w = one.n_relevant[one.n_relevant > 0]
    apart = (two.values["recall@3"] - one.values["recall@3"])[one.n_relevant > 0]
    error = jackknife(lambda kept: np.average(apart[kept], weights=w[kept]), len(w))
    t = (two.mean["recall@3"] - one.mean["recall@3"]) / error
    df = w.sum() ** 2 / (w**2).sum() - 1
    assert column(found, "p") == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_compare_of_equal_systems_has_p_1_and_no_difference(test):
    found = compare_values(A, A, test=test)
    row = [column(found, name) for name in ("p_unadjusted", "p", "difference", "effect", "ties")]
    assert row == [1, 1, 0, 0, 50]


@pytest.mark.parametrize("test", ["auto", "t", "randomization"])
@pytest.mark.parametrize(("n", "verdict"), [(5, "undecided"), (6, "better"), (50, "better")])
def test_equal_differences_are_tested_by_their_signs(test, n, verdict):
    found = compare_values(A[:n] / 2, A[:n] / 2 + 0.25, test=test, margin=0.5)
    assert column(found, "difference") == pytest.approx(0.25)
    assert column(found, "p") == 2.0 ** (1 - n)
    assert np.isnan([column(found, name) for name in ("low", "high", "effect")]).all()
    assert (column(found, "verdict"), column(found, "wins")) == (verdict, n)
    assert "nan: all differences are equal" in str(found)


def test_equal_differences_are_corrected_like_others():
    found = compare_values(np.zeros(6), np.ones(6), np.ones(6), baseline="a", test="t", correction="holm")
    assert found.columns["p"].tolist() == [2 * 2.0**-5] * 2
    assert found.columns["verdict"].tolist() == ["undecided"] * 2


@pytest.mark.parametrize("test", TESTS)
def test_compare_is_undecided_with_one_query(test):
    found = compare_values([0.2], [0.4], test=test)
    assert not column(found, "p") < 1
    assert np.isnan([column(found, "low"), column(found, "high")]).all()
    is_t = test in ("auto", "t", "randomization")
    assert column(found, "verdict") == "undecided" * is_t
    assert column(found, "why") == "one query has no interval" * is_t


@pytest.mark.parametrize("test", TESTS)
def test_compare_ignores_differences_from_rounding(test):
    values = np.arange(1, 8)
    found = compare_values(values * 0.1 * 3, values * 0.3, name="dcg", test=test)
    assert (column(found, "p"), column(found, "ties")) == (1, 7)
    assert found.changes("dcg").columns["query"].tolist() == []


# ------------------------------------------------------------------ queries without a value


def test_compare_leaves_out_queries_without_a_value_in_either_system():
    one, other = np.where(np.arange(50) < 3, np.nan, A), np.where(np.arange(50) > 47, np.nan, B)
    found = compare_values(one, other)
    both = slice(3, 48)
    assert column(found, "p") == pytest.approx(stats.ttest_rel(B[both], A[both]).pvalue)
    assert [column(found, name) for name in ("n", "left_out")] == [45, 5]
    assert (column(found, "mean"), column(found, "other_mean")) == pytest.approx(
        (B[both].mean(), A[both].mean())
    )
    assert (
        "Up to 5 queries were excluded because one of the two systems has no value for them."
        in join_lines(found)
    )


def test_comparison_note_counts_one_query_without_a_value():
    note = "Up to 1 query was excluded because one of the two systems has no value for it."
    assert note in join_lines(compare_values(np.where(np.arange(50) < 1, np.nan, A), B))


def test_compare_leaves_out_queries_by_pair():
    holes = [np.where(np.arange(50) < n, np.nan, each) for n, each in ((0, A), (4, B), (9, C))]
    found = compare_values(*holes)
    assert found.columns["n"].tolist() == [46, 41, 41]
    assert found.columns["other_mean"].tolist() == pytest.approx([A[4:].mean(), A[9:].mean(), B[9:].mean()])


@pytest.mark.filterwarnings("ignore:The mean of 'map' is undefined")
@pytest.mark.parametrize(
    ("test", "correction"),
    [*((test, None) for test in TESTS), ("t", "auto"), ("auto", "auto")],
)
def test_compare_isolates_a_metric_without_values(test, correction):
    options = {"test": test, "correction": correction, "random_state": 0}
    alone = compare_values(A, B, **options)
    nothing = np.full(50, np.nan)
    found = compare(
        {"a": report_of({"mrr": A, "map": nothing}), "b": report_of({"mrr": B, "map": nothing})}, **options
    )
    for name in ("p_unadjusted", "difference", *([] if correction else ("p", "low", "high"))):
        np.testing.assert_equal(column(found, name), column(alone, name))
        assert np.isnan(column(found, name, 1))
    assert column(found, "why", 1) == ("" if test in ("wilcoxon", "sign") else "no query is compared")
    assert (column(found, "n", 1), column(found, "left_out", 1)) == (0, 50)


# ------------------------------------------------------------------ many comparisons


def test_compare_without_baseline_compares_all_pairs():
    found = compare_values(A, B, C)
    assert list(zip(found.columns["system"], found.columns["other"])) == [("b", "a"), ("c", "a"), ("c", "b")]
    assert (found.systems, found.metrics, found.baseline, found.n_queries) == (
        ("a", "b", "c"),
        ("mrr",),
        None,
        50,
    )


def test_compare_with_baseline_compares_others_with_it():
    found = compare_values(A, B, C, baseline="b")
    assert list(zip(found.columns["system"], found.columns["other"])) == [("a", "b"), ("c", "b")]
    caption = '50 queries, difference from "b", paired t test; p and intervals adjusted for 2 comparisons by'
    assert found.table().caption == f"{caption} the largest |t| under random signs"
    assert str(found).split("\n")[3].split() == ["mrr", "b", f"{B.mean():.3f}"]


def test_compare_makes_simultaneous_intervals_by_bonferroni():
    found = compare_values(A, B, C, correction="bonferroni")
    for place, (one, other) in enumerate([(B, A), (C, A), (C, B)]):
        low, high = stats.ttest_rel(one, other).confidence_interval(1 - 0.05 / 3)
        assert (column(found, "low", place), column(found, "high", place)) == pytest.approx((low, high))
    assert found.table().caption.endswith("; p and intervals adjusted for 3 comparisons by Bonferroni")


def test_compare_without_correction_makes_separate_intervals():
    found = compare_values(A, B, C, correction=None)
    interval = stats.ttest_rel(C, A).confidence_interval(0.95)
    assert (column(found, "low", 1), column(found, "high", 1)) == pytest.approx(tuple(interval))
    assert found.table().caption.endswith("; p and intervals not adjusted for 3 comparisons")


def test_compare_randomization_is_reproducible_with_a_seed():
    options = {"test": "randomization", "n_resamples": 500}
    p = [compare_values(A, B, C, random_state=seed, **options).columns["p"].tolist() for seed in (0, 0, 1)]
    assert p[0] == p[1] != p[2]


def test_comparison_prints_limits_as_notes():
    ids = np.arange(12)
    values = np.random.default_rng(0).random((2, 12))
    sizes = np.full(12, 5)
    reports = {
        name: RankingReport.from_values(
            ids, {"mrr": each}, sizes=sizes, n_relevant=sizes - name, cluster=ids // 2
        )
        for name, each in enumerate(values)
    }
    found = compare({str(name): report for name, report in reports.items()})
    text = str(found)
    assert "The intervals may be too narrow: fewer than 20 clusters are compared." in text
    assert "win/tie/loss (clusters)" in found.table().texts
    assert "The number of relevant documents of 12 queries differs. Check the labels." in text
    constant = {
        "a": RankingReport.from_values(ids, {"x": ids}),
        "b": RankingReport.from_values(ids, {"x": ids + 1}),
    }
    assert "nan: all differences are equal, so their variance is unknown." in str(compare(constant))


def compare_runs(evaluated):
    """Compare runs of other lengths, of the same qrels."""
    rng = np.random.default_rng(0)
    qrels = {
        f"q{i}": {f"d{j}": int(grade) for j, grade in enumerate(rng.integers(0, 2, 9))} for i in range(30)
    }
    reports = {}
    for name, n in (("short", 5), ("long", 12)):
        run = {query: {f"d{j}": rng.random() for j in rng.permutation(20)[:n]} for query in qrels}
        y_true, y_score, groups = from_run(qrels=evaluated(name, qrels), run=run)
        options = {"metrics": ["map"], "unjudged": "nonrelevant"}
        reports[name] = evaluate(y_true, y_score, groups=groups, **options)
    return compare(reports)


def test_compare_does_not_note_labels_for_runs_of_the_same_qrels():
    found = compare_runs(lambda name, qrels: qrels)
    assert "Check the labels" not in str(found)
    assert "Check the labels" not in found.to_latex()


def test_compare_counts_queries_with_other_labels():
    def change(name, qrels):
        return qrels if name == "short" else {**qrels, "q3": dict.fromkeys(qrels["q3"], 1)}

    note = '"long" has other labels than "short" in 1 of 30 queries (4 more above 0, 4 fewer with label 0).'
    with pytest.warns(RankingWarning, match="has other labels"):
        found = compare_runs(change)
    assert note in join_lines(found)
    assert note in found.to_latex()
