"""Comparisons of reports of moments, compared with those of reports that have a value per query."""

import pickle
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingEvaluator, RankingReport, compare, evaluate
from tests.distributed.test_ranking_evaluator import NAMES, draw_labels, merge_at_random, weigh
from tests.helpers.table import METRICS

SYSTEMS = ["one", "other", "third"]


@pytest.fixture(scope="module")
def rows():
    """Rows sorted by query, of three systems; one cannot rank the documents of some queries."""
    rng = np.random.default_rng(0)
    y_true, groups = draw_labels(rng)
    scores = {name: (rng.standard_normal(len(groups)) + y_true / 2).round(1) for name in SYSTEMS}
    scores["other"][np.isin(groups, [105, 130, 131])] = 0
    return y_true, scores, groups


def update(evaluator, rows, chosen, weights=None):
    """Score some of the rows; ids ascend, as moments ask for."""
    y_true, scores, groups = rows
    given = () if weights is None else (weights[chosen],)
    systems = {name: each[chosen] for name, each in scores.items()}
    return evaluator.update(y_true[chosen], systems, groups[chosen], *given)


def report_moments(rows, metrics, weights=None, n_updates=3, **options):
    """Report the moments of all systems by one evaluator."""
    evaluator = RankingEvaluator(metrics, keep_queries=False, **options)
    for ids in np.array_split(np.unique(rows[2]), n_updates):
        update(evaluator, rows, np.isin(rows[2], ids), weights)
    return evaluator.result()


def report_values(rows, metrics, weights=None, **options):
    """Report the values of each system by itself."""
    y_true, scores, groups = rows
    given = {"groups": groups, "metrics": metrics, "sample_weight": weights, **options}
    return {name: evaluate(y_true, each, **given) for name, each in scores.items()}


def of_ranks(**ranks_by_system):
    """Rows whose MRR is known: of each query the document that is relevant is at these ranks."""
    n_queries, depth = len(next(iter(ranks_by_system.values()))), 10
    y_true = np.tile(np.arange(depth) == 0, n_queries).astype(int)
    scores = {}
    for name, ranks in ranks_by_system.items():
        others = np.arange(depth - 1, 0, -1)  # the first of them has the score depth - 1
        scores[name] = np.concatenate([[depth + 0.5 - rank, *others] for rank in ranks])
    return y_true, scores, np.repeat(np.arange(n_queries), depth)


BY_T = {"correction": "bonferroni"}
OF_ERRORS = ["low", "high", "p", "p_unadjusted", "verdict"]
# These depend on the error of the other mean, which moments lack if queries are left out.
OF_OTHER_ERROR = ["why", "relative", "relative_low", "relative_high"]


def check_columns(found, expected, same_errors=True):
    """Counts and words are the same, numbers to twelve digits; effects are near without the same errors."""
    is_whole = found.columns["left_out"] == 0
    for name, column in expected.columns.items():
        got = found.columns[name]
        if name in OF_OTHER_ERROR:
            got, column = got[is_whole], column[is_whole]
        if not same_errors and name == "effect":
            np.testing.assert_allclose(got, column, rtol=0.1, atol=1e-14)
        elif not same_errors and name in OF_ERRORS + OF_OTHER_ERROR:
            continue
        elif column.dtype.kind == "f":
            np.testing.assert_allclose(got, column, rtol=1e-12, atol=1e-14, err_msg=name)
        else:
            np.testing.assert_array_equal(got, column, err_msg=name)


# ------------------------------------------------------------------ equality with comparisons of values


@pytest.mark.slow
@pytest.mark.parametrize("zero_division", [None, 1.0, np.nan])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_compare_gives_same_columns_for_moments_and_values(average, weighted, zero_division, rows):
    names = [name for stem, name in NAMES.items() if average != "micro" or METRICS[stem].micro]
    weights = weigh(rows[2]) if weighted else None
    options = {"average": average, "zero_division": zero_division}
    moments = report_moments(rows, names, weights, **options)
    values = report_values(rows, names, weights, **options)
    same_errors = average == "macro" and not weighted  # otherwise those of values are by the jackknife
    for asked in ({}, {"test": "sign", "baseline": "other"}, {"margin": 0.01, "correction": None}):
        expected = compare(values, **{"correction": "bonferroni"} | asked)
        check_columns(compare(moments, **asked), expected, same_errors)


def test_compare_of_moments_leaves_out_queries_without_a_value(rows):
    found = compare(report_moments(rows, ["kendall_tau"])).columns
    lacking = {
        name: np.isnan(evaluate(rows[0], each, groups=rows[2], metrics=["kendall_tau"]).values["kendall_tau"])
        for name, each in rows[1].items()
    }
    n_left_out = [np.count_nonzero(lacking[a] | lacking[b]) for a, b in combinations(SYSTEMS, 2)]
    assert found["left_out"].tolist() == n_left_out
    assert found["n"].tolist() == [80 - n for n in n_left_out]
    assert len(set(n_left_out)) == 2


def test_comparison_of_moments_prints_like_one_of_values(rows):
    metrics = ["ndcg@10", "mrr", "bpr_loss"]
    asked = {"margin": 0.02, "baseline": "other", "confidence_level": 0.9, "correction": "bonferroni"}
    found, expected = (compare(make(rows, metrics), **asked) for make in (report_moments, report_values))
    assert str(found) == str(expected)
    assert found.to_latex() == expected.to_latex()
    assert repr(found) == repr(expected)
    found, expected = (compare(make(rows, metrics[:2]), **asked) for make in (report_moments, report_values))
    assert (
        found.to_markdown() == expected.to_markdown()
    )  # with relative intervals, if all queries have values
    assert found._repr_html_() == expected._repr_html_()
    for options in ({}, {"difference": 0.05}, {"margin": 0.03, "power": 0.9}):
        assert str(found.queries_needed(**options)) == str(expected.queries_needed(**options))


def test_comparison_of_moments_converts_to_frame(rows):
    pytest.importorskip("pandas")
    frame = compare(report_moments(rows, ["mrr"])).to_frame("pandas")
    expected = compare(report_values(rows, ["mrr"])).to_frame("pandas")
    assert list(frame.columns) == list(expected.columns)
    assert frame["wins"].tolist() == expected["wins"].tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_compare_of_moments_repeats_report_means_exactly(weighted, rows):
    reports = report_moments(rows, ["ndcg@10", "map", "precision@5"], weigh(rows[2]) if weighted else None)
    columns = compare(reports).columns
    for place, metric in enumerate(columns["metric"]):
        assert columns["mean"][place] == reports[columns["system"][place]].mean[metric]
        assert columns["other_mean"][place] == reports[columns["other"][place]].mean[metric]


def test_compare_of_moments_rounds_the_difference_once(rows):
    values = {name: each.values["map"] for name, each in report_values(rows, ["map"]).items()}
    columns = compare(report_moments(rows, ["map"], n_updates=1)).columns
    for place, (one, other) in enumerate(combinations(SYSTEMS, 2)):
        later, earlier = (sum(map(Fraction, values[name])) for name in (other, one))
        assert columns["difference"][place] == float((later - earlier) / 80)


def test_compare_of_moments_selects_metrics_and_systems(rows):
    moments, values = (make(rows, ["mrr", "map", "ndcg"]) for make in (report_moments, report_values))
    found, expected = (
        compare({"third": each["third"], "one": each["one"]}, metrics=["ndcg", "mrr"], **BY_T)
        for each in (moments, values)
    )
    check_columns(found, expected)
    assert (found.metrics, found.systems) == (("ndcg", "mrr"), ("third", "one"))


def test_compare_of_moments_uses_names_of_the_mapping(rows):
    """Also the name of the other system."""
    moments, values = (make(rows, ["mrr"]) for make in (report_moments, report_values))
    for names in (("new", "old"), ("other", "one")):
        found, expected = (
            compare(dict(zip(names, (each["one"], each["other"]))), **BY_T) for each in (moments, values)
        )
        check_columns(found, expected)
        assert found.systems == names


# ------------------------------------------------------------------ values computed by hand


def test_compare_of_moments_matches_t_test_of_three_queries():
    """Reciprocal ranks 1, 1/2, 1/4 and 1/2, 1/2, 1/5."""
    columns = compare(report_moments(of_ranks(new=[1, 2, 4], old=[2, 2, 5]), ["mrr"]), test="t").columns
    apart = np.array([0.5, 0, 0.05])
    expected = stats.ttest_1samp(-apart, 0)
    low, high = expected.confidence_interval()
    assert columns["difference"] == pytest.approx(-apart.mean(), rel=1e-14)
    assert columns["p"] == pytest.approx(expected.pvalue, rel=1e-12)
    assert columns["low"] == pytest.approx(low, rel=1e-12)
    assert columns["high"] == pytest.approx(high, rel=1e-12)
    assert columns["effect"] == pytest.approx(-apart.mean() / apart.std(ddof=1), rel=1e-12)
    assert [columns[name].item() for name in ("wins", "ties", "losses", "n", "left_out")] == [0, 1, 2, 3, 0]


def test_compare_of_moments_sign_test_counts_wins_and_losses():
    found = compare(report_moments(of_ranks(a=[1, 2, 4, 3, 3], b=[2, 1, 2, 2, 3]), ["mrr"]), test="sign")
    assert [found.columns[name].item() for name in ("wins", "ties", "losses")] == [3, 1, 1]
    assert found.columns["p"] == pytest.approx(2 * (1 + 4) / 2**4)


def test_compare_of_moments_counts_lower_loss_as_win(rows):
    columns = compare(report_moments(rows, ["bpr_loss"])).columns
    values = {name: each.values["bpr_loss"] for name, each in report_values(rows, ["bpr_loss"]).items()}
    assert columns["wins"][0] == np.count_nonzero(values["other"] < values["one"])
    assert columns["wins"][0] != columns["losses"][0]


def test_compare_of_moments_finds_no_difference_of_equal_systems(rows):
    y_true, scores, groups = rows
    columns = compare(
        report_moments((y_true, {"a": scores["one"], "b": scores["one"]}, groups), ["map"])
    ).columns
    numbers = [columns[name].item() for name in ("difference", "low", "high", "p", "effect")]
    most = 1 - 0.025 ** (1 / 80)
    assert numbers == pytest.approx([0, -most, most, 1, 0])
    assert [columns[name].item() for name in ("wins", "ties", "losses")] == [0, 80, 0]


def test_compare_of_moments_tests_equal_differences_by_their_signs():
    """Reciprocal ranks 1/3 and 1/2: their difference is no float."""
    found = compare(report_moments(of_ranks(a=[3] * 7, b=[2] * 7), ["mrr"]))
    assert found.columns["difference"] == pytest.approx(1 / 6)
    assert np.isnan([found.columns[name].item() for name in ("low", "high")]).all()
    assert (found.columns["p"], found.columns["verdict"]) == (2.0**-6, "better")
    assert "nan: all differences are equal, so their variance is unknown." in str(found)


def test_compare_of_moments_has_no_interval_for_one_query():
    found = compare(report_moments(of_ranks(a=[2], b=[1]), ["mrr"], n_updates=1))
    assert found.columns["difference"] == 0.5
    assert np.isnan([found.columns[name].item() for name in ("low", "high")]).all()
    assert (found.columns["p"], found.columns["why"]) == (1, "one query has no interval")
    assert (found.columns["n"], found.columns["wins"]) == (1, 1)
    assert "nan: all" not in str(found)


def test_compare_of_moments_is_undecided_without_shared_queries():
    scores = {"a": np.array([0, 0, 1, 0]), "b": np.array([1, 0, 0, 0])}
    rows = np.array([1, 0, 1, 0]), scores, np.array([1, 1, 2, 2])
    found = compare(report_moments(rows, ["pearson"], n_updates=2))
    assert (found.columns["n"], found.columns["left_out"]) == (0, 2)
    assert np.isnan([found.columns[name].item() for name in ("mean", "difference", "low", "p")]).all()
    assert found.columns["verdict"] == "undecided"


def test_compare_of_moments_scales_tiny_weights():
    weights = np.repeat([1e-250, 3e-250, 2e-250, 1e-250], 10)
    rows = of_ranks(a=[1, 2, 4, 3], b=[2, 1, 1, 1])
    found = compare(report_moments(rows, ["mrr"], weights, n_updates=4))
    check_columns(found, compare(report_moments(rows, ["mrr"], weights * 2.0**800, n_updates=4)))


def test_compare_of_moments_is_accurate_when_means_are_large():
    """1e6 and some: squares of floats have too few digits for their difference."""
    n = 50
    gains = np.column_stack([np.full(n, 1e6), 1e6 + np.arange(n) / 1e3]).ravel()
    rows = gains, {"a": np.tile([1.0, 0], n), "b": np.tile([0.0, 1], n)}, np.repeat(np.arange(n), 2)
    columns = compare(report_moments(rows, ["dcg@1"])).columns
    expected = np.std(np.arange(n) / 1e3, ddof=1)
    assert columns["effect"] == pytest.approx(np.mean(np.arange(n) / 1e3) / expected, rel=1e-7)


def test_compare_of_moments_is_infinite_when_squares_overflow():
    rows = of_ranks(a=[1] * 6 + [2, 1], b=[2] * 6 + [2, 1])
    found = compare(report_moments((rows[0] * 1e200, *rows[1:]), ["dcg@1"]))
    assert (found.columns["low"], found.columns["high"]) == (-np.inf, np.inf)
    assert (found.columns["p"], found.columns["why"]) == (1, "8 queries are too few to decide")


# ------------------------------------------------------------------ merges and pickles


def bits_of(comparison):
    return {
        name: column.tobytes() for name, column in comparison.columns.items() if column.dtype.kind in "if"
    }


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_compare_of_moments_does_not_depend_on_merge_order(weighted, rows):
    weights = weigh(rows[2]) if weighted else None
    found = []
    for seed in range(6):
        evaluators = []
        for ids in np.array_split(np.unique(rows[2]), 7):
            evaluator = RankingEvaluator(["ndcg@10", "map", "kendall_tau"], keep_queries=False)
            evaluators.append(update(evaluator, rows, np.isin(rows[2], ids), weights))
        found.append(bits_of(compare(merge_at_random(np.random.default_rng(seed), evaluators).result())))
    assert all(each == found[0] for each in found[1:])


def test_compare_of_moments_accepts_sorted_parts_that_split_queries(rows):
    y_true, scores, groups = rows
    evaluators = []
    for part, span in enumerate(np.array_split(np.arange(len(groups)), 9)):
        evaluator = RankingEvaluator(["ndcg@10", "mrr"], keep_queries=False)
        systems = {name: each[span] for name, each in scores.items()}
        evaluators.append(evaluator.update(y_true[span], systems, groups[span], part=part))
    merged = merge_at_random(np.random.default_rng(0), evaluators)
    check_columns(compare(merged.result()), compare(report_values(rows, ["ndcg@10", "mrr"]), **BY_T))


def test_evaluator_merge_accepts_systems_in_any_order(rows):
    y_true, scores, groups = rows
    backwards = y_true, dict(reversed(scores.items())), groups
    halves = groups < 140, groups >= 140
    one, other = (RankingEvaluator(["map"], keep_queries=False) for _ in halves)
    update(one, rows, halves[0])
    update(other, backwards, halves[1])
    expected = report_moments(rows, ["map"], n_updates=1)
    check_columns(compare(one.merge(other).result()), compare(expected))


def test_compare_accepts_reports_of_moments_pickled_separately(rows):
    reports = report_moments(rows, ["map", "mrr"])
    copies = {name: pickle.loads(pickle.dumps(each)) for name, each in reports.items()}
    assert bits_of(compare(copies)) == bits_of(compare(reports))


def test_compare_accepts_moments_of_the_same_updates(rows):
    one, other = (report_moments(rows, ["map"]) for _ in range(2))
    found = compare({"one": one["one"], "other": other["other"]})
    assert bits_of(found) == bits_of(compare({name: one[name] for name in ("one", "other")}))


def test_evaluator_with_moments_of_pairs_has_constant_size():
    def measure(systems, n):
        groups = np.repeat(np.arange(n), 2)
        scores = {name: np.random.default_rng(len(name)).random(2 * n) for name in systems}
        evaluator = RankingEvaluator(["ndcg@10", "map"], keep_queries=False)
        evaluator.update(np.arange(2 * n) % 3 % 2, scores, groups)
        return len(pickle.dumps(evaluator)), len(pickle.dumps(evaluator.result()[systems[0]]))

    sizes = [measure(["a", "bb"], n) for n in (1000, 100_000)]
    alone = measure(["a", "bb", "ccc"], 1000)[0]
    assert max(sizes[0][0], sizes[1][0]) < 5000
    assert max(sizes[0][1], sizes[1][1]) < 3000
    assert alone < 10_000


# ------------------------------------------------------------------ invalid input


def test_compare_rejects_moments_of_different_evaluators(rows):
    one, other = report_moments(rows, ["map"]), report_moments(rows, ["map"], n_updates=1, ties="worst")
    rule = r"'reports' parameter of compare must be made by one RankingEvaluator if they contain only moments"
    with pytest.raises(
        ValueError, match=rf"{rule}\. Got 'b' made separately from 'a' instead\. .* keep_queries=True\.$"
    ):
        compare({"a": one["one"], "b": other["other"]})
    y_true, scores, groups = rows
    alone = RankingEvaluator(["map"], keep_queries=False).update(y_true, scores["one"], groups).result()
    for lone in (alone, RankingReport.from_json(alone.to_json())):
        with pytest.raises(ValueError, match=rf"{rule}\. Got 'a' made separately from 'b', 'c' instead"):
            compare({"a": lone, "b": one["one"], "c": lone})


def test_compare_rejects_moments_from_before_and_after_an_update(rows):
    evaluator = RankingEvaluator(["map"], keep_queries=False)
    before = update(evaluator, rows, rows[2] < 140).result()
    after = update(evaluator, rows, rows[2] >= 140).result()
    with pytest.raises(ValueError, match=r"Got 'b' made separately from 'a' instead"):
        compare({"a": before["one"], "b": after["other"]})


def test_compare_rejects_moments_of_one_system_under_two_names(rows):
    reports = report_moments(rows, ["map"])
    with pytest.raises(
        ValueError, match=r"must be of different systems\. Got 'one' twice, as 'a' and 'b' instead"
    ):
        compare({"a": reports["one"], "b": reports["one"]})


def test_compare_rejects_values_mixed_with_moments(rows):
    moments, values = (make(rows, ["map"]) for make in (report_moments, report_values))
    with pytest.raises(
        ValueError, match=r"compare requires the value of each query\. Got a report of moments inst"
    ):
        compare({"a": values["one"], "b": moments["other"]})


@pytest.mark.parametrize("test", ["randomization", "wilcoxon"])
def test_compare_of_moments_rejects_tests_that_need_values(test, rows):
    reports = report_moments(rows, ["map"])
    rule = rf"'test' .* must be 'auto', 't' or 'sign' for reports of moments\. Got '{test}' instead\..*keep_q"
    with pytest.raises(ValueError, match=rule):
        compare(reports, test=test)


@pytest.mark.parametrize("method", ["changes", "plot"])
def test_comparison_methods_for_queries_raise_for_moments(method, rows):
    found = compare(report_moments(rows, ["map"]))
    message = (
        rf"^Comparison\.{method} requires the value of each query\. Got reports of .* keep_queries=True\.$"
    )
    with pytest.raises(ValueError, match=message):
        getattr(found, method)("map", system="other", other="one")


def test_compare_of_moments_rejects_missing_metrics(rows):
    with pytest.raises(
        ValueError, match=r"'metrics' parameter of compare must be a non-empty list of metrics"
    ):
        compare(report_moments(rows, ["map"]), metrics=["mrr"])
