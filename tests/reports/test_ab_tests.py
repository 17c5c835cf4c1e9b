"""`compare` of systems on different queries, and of metrics over all queries together."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, compare, evaluate
from sklearn_rank.metrics import MetricValues
from tests.inspection.test_evaluate_lists import draw_lists

RNG = np.random.default_rng(0)
OLD, NEW = np.arange(40), np.arange(40, 100)
PAST = RNG.normal(0, 1, 100)
VALUES = {"x": 0.5 + 0.1 * PAST + RNG.normal(0, 0.1, 100), "y": RNG.random(100)}
COVARIATE = dict(enumerate(PAST))


def report_of(ids, values=VALUES, **options):
    of_queries = {
        name: each if isinstance(each, MetricValues) else each[ids] for name, each in values.items()
    }
    return RankingReport.from_values(ids, of_queries, **options)


def compare_groups(metrics=("x",), one=OLD, other=NEW, of_one=None, of_other=None, **options):
    if of_other is None:
        of_other = {}
    if of_one is None:
        of_one = {}
    reports = {"old": report_of(one, **of_one), "new": report_of(other, **of_other)}
    return compare(reports, metrics=metrics, paired=False, **options)


def read(found, *names):
    return [found.columns[name][0] for name in names]


def test_compare_of_different_queries_matches_welch_of_scipy():
    expected = stats.ttest_ind(VALUES["x"][NEW], VALUES["x"][OLD], equal_var=False)
    found = read(compare_groups(), "p_unadjusted", "p", "low", "high")
    assert found == pytest.approx([*[expected.pvalue] * 2, *expected.confidence_interval(0.95)], rel=1e-9)


def test_comparisons_of_different_queries_are_adjusted_by_bonferroni():
    found, alone = compare_groups(("x", "y")), compare_groups(("x", "y"), correction=None)
    expected = stats.ttest_ind(VALUES["x"][NEW], VALUES["x"][OLD], equal_var=False)
    assert read(found, "low", "high") == pytest.approx(expected.confidence_interval(0.975), rel=1e-9)
    assert read(alone, "low", "high") == pytest.approx(expected.confidence_interval(0.95), rel=1e-9)
    assert read(found, "p")[0] == pytest.approx(min(1, 2 * expected.pvalue))


def test_covariate_narrows_the_interval_and_shifts_both_means():
    found, plain = compare_groups(covariate=COVARIATE), compare_groups()
    widths = [np.subtract(*read(each, "high", "low")) for each in (found, plain)]
    assert widths[0] < 0.8 * widths[1]
    mean, other_mean, difference = read(found, "mean", "other_mean", "difference")
    assert mean - other_mean == pytest.approx(difference)
    slopes = [np.polyfit(PAST[ids], VALUES["x"][ids], 1) for ids in (NEW, OLD)]
    assert [mean, other_mean] == pytest.approx([np.polyval(each, PAST.mean()) for each in slopes])


def test_covariate_can_be_a_series_by_query_id():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(COVARIATE).sample(frac=1, random_state=0).rename_axis("user")
    found, expected = (compare_groups(covariate=each) for each in (series, COVARIATE))
    assert read(found, "low", "high") == read(expected, "low", "high")


def test_covariate_series_with_default_index_is_rejected():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="Got a Series with a default index instead"):
        compare_groups(covariate=pd.Series(PAST))


def test_covariate_is_averaged_over_queries_with_a_value():
    values = {"x": np.where(np.arange(100) % 10 == 0, np.nan, VALUES["x"])}
    reports = {name: report_of(ids, values) for name, ids in (("old", OLD), ("new", NEW))}
    kept = np.arange(100) % 10 > 0
    few = {name: report_of(ids[kept[ids]]) for name, ids in (("old", OLD), ("new", NEW))}
    found = compare(reports, paired=False, covariate=COVARIATE)
    expected = compare(few, metrics=["x"], paired=False, covariate=COVARIATE)
    names = "mean", "other_mean", "low", "high", "p", "n", "other_n"
    assert read(found, *names) == pytest.approx(read(expected, *names), rel=1e-12)
    assert read(found, "left_out") == [10]
    assert "Up to 10 queries were excluded because its system has no value for them." in str(found)


def test_clusters_of_different_queries_are_units():
    clusters = {"of_one": {"cluster": OLD // 4}, "of_other": {"cluster": NEW // 4}}
    found = compare_groups(**clusters)
    means = [VALUES["x"][ids].reshape(-1, 4).mean(axis=1) for ids in (NEW, OLD)]
    expected = stats.ttest_ind(*means, equal_var=False)
    assert read(found, "p", "low") == pytest.approx(
        [expected.pvalue, expected.confidence_interval(0.95)[0]], rel=1e-9
    )
    assert read(found, "n", "other_n") == [15, 10]
    assert 'different clusters (10 of "old", 15 of "new")' in str(found)
    # A covariate that is the same inside clusters is adjusted for like one of the clusters.
    of_clusters = {query: PAST[query // 4] for query in range(100)}
    adjusted = compare_groups(**clusters, covariate=of_clusters)
    reports = {
        name: RankingReport.from_values(range(start, start + len(each)), {"x": each})
        for name, start, each in (("old", 0, means[1]), ("new", 10, means[0]))
    }
    alone = compare(reports, paired=False, covariate=COVARIATE)
    assert read(adjusted, "low", "high") == pytest.approx(read(alone, "low", "high"), rel=1e-9)


def test_micro_averages_of_different_users_have_delta_method_errors():
    shown = RNG.integers(1, 20, 100).astype(float)
    clicks = RNG.binomial(shown.astype(int), 0.3).astype(float)
    reports = {
        name: report_of(ids, {"ctr": MetricValues(clicks[ids] / shown[ids], sums=(clicks[ids], shown[ids]))})
        for name, ids in (("old", OLD), ("new", NEW))
    }
    found = compare(reports, paired=False)
    ratios, variances = [], []
    for ids in (NEW, OLD):
        ratios.append(clicks[ids].sum() / shown[ids].sum())
        residuals = clicks[ids] - ratios[-1] * shown[ids]
        variances.append(residuals.var(ddof=1) / len(ids) / shown[ids].mean() ** 2)
    assert read(found, "difference") == pytest.approx([ratios[0] - ratios[1]])
    z = read(found, "difference")[0] / np.sqrt(sum(variances))
    dfs = [shown[ids].sum() ** 2 / (shown[ids] @ shown[ids]) - 1 for ids in (NEW, OLD)]
    df = sum(variances) ** 2 / sum(v**2 / df for v, df in zip(variances, dfs))
    assert read(found, "p") == pytest.approx([2 * stats.t.sf(abs(z), df)], rel=1e-9)


def test_printed_comparison_of_different_queries():
    found = compare_groups(baseline="old", margin=0.5, covariate=COVARIATE)
    table = found.table()
    assert table.caption == (
        'different queries (40 of "old", 60 of "new"), adjusted for a covariate, difference from "old", '
        "Welch's t test"
    )
    assert list(table.texts) == ["metric", "system", "mean", "difference (95% CI)", "p", "effect", "verdict"]
    assert table.texts["verdict"][1] == "equivalent"
    assert "queries of both systems needed" in str(found.queries_needed())


def test_comparison_of_more_than_three_groups_lists_three():
    reports = {f"s{i}": report_of(np.arange(25 * i, 25 * i + 25)) for i in range(4)}
    assert '(25 of "s0", 25 of "s1", 25 of "s2", ...)' in str(compare(reports, metrics=["x"], paired=False))


def test_small_group_is_noted():
    assert "may be too narrow" not in str(compare_groups())
    assert "may be too narrow: fewer than 20 queries" in str(compare_groups(one=OLD[:19]))
    assert "may be too narrow: fewer than 20 queries" in str(compare_groups(other=NEW[:19]))


def test_constant_groups_are_undecided_with_a_reason():
    found = compare({name: report_of(ids, {"x": np.zeros(100)}) for name, ids in (("a", OLD), ("b", NEW))},
                    paired=False, margin=0.1)  # fmt: skip
    assert read(found, "verdict") == ["undecided"]
    assert "the variance is unknown" in read(found, "why")[0]
    assert np.isnan(read(found, "low", "high", "p")).all()


def test_different_numbers_of_relevant_documents_of_other_queries_are_not_noted():
    found = compare_groups(of_one={"n_relevant": OLD + 1}, of_other={"n_relevant": NEW})
    assert "relevant documents" not in str(found)


# ------------------------------------------------------------------ invalid arguments


@pytest.mark.parametrize(
    ("options", "parameter", "message"),
    [
        ({"other": OLD}, "reports", "not have a query in two reports with paired=False. Got 40"),
        ({"of_one": {"cluster": OLD // 8}, "of_other": {"cluster": NEW // 16}}, "reports",
         "not have a cluster in two reports with paired=False. Got 3 in both 'old' and 'new' (2, 3, 4)"),
        ({"of_one": {"cluster": OLD}}, "reports", "have clusters in all reports or in none"),
        ({"test": "sign"}, "test", "be 'auto' or 't' with paired=False"),
        ({"missing": "drop"}, "missing", "be 'raise' with paired=False"),
        ({"covariate": PAST}, "covariate", "be a mapping or pandas.Series of query id to a finite number"),
        ({"covariate": dict.fromkeys(range(99), 0.5)}, "covariate", "have an entry for each query id"),
        ({"covariate": COVARIATE | {3: np.nan}}, "covariate", "Got NaN or inf for 1 query instead"),
        ({"covariate": COVARIATE | {3: "a"}}, "covariate", "be a mapping or pandas.Series"),
        ({"expected_ratio": {"old": 1}}, "expected_ratio", "be a dict of the name of each report"),
        ({"expected_ratio": {"old": 1, "new": 0}}, "expected_ratio", "be a dict of the name of each report"),
        ({"expected_ratio": [1, 1]}, "expected_ratio", "pass expected_ratio={'old': 1, 'new': 1}"),
    ],
)  # fmt: skip
def test_compare_of_different_queries_rejects(options, parameter, message):
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of compare must") as error:
        compare_groups(**options)
    assert message in str(error.value)


def test_clusters_of_text_are_matched_by_name():
    names = np.array([f"c{number // 10}" for number in range(100)])
    compare_groups(of_one={"cluster": names[OLD]}, of_other={"cluster": names[NEW]})
    with pytest.raises(ValueError, match=r"Got 1 in both 'old' and 'new' \('c3'\)"):
        compare_groups(of_one={"cluster": names[OLD]}, of_other={"cluster": names[NEW - 5]})


def test_clusters_of_evaluated_rows_are_matched_by_name():
    rows = {"y_true": [1, 0, 1, 0], "y_score": [1, 2, 2, 1], "groups": [1, 1, 2, 2], "metrics": ["mrr"]}
    other = rows | {"groups": [3, 3, 4, 4]}
    reports = {
        "a": evaluate(**rows, cluster=["u", "u", "v", "v"]),
        "b": evaluate(**other, cluster=["v", "v", "w", "w"]),
    }
    with pytest.raises(ValueError, match=r"Got 1 in both 'a' and 'b' \('v'\)"):
        compare(reports, paired=False)


@pytest.mark.parametrize("options", [{"covariate": COVARIATE}, {"expected_ratio": {"old": 1, "new": 1}}])
def test_options_of_different_queries_require_paired_false(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"'{name}' parameter of compare must be None with paired=True"):
        compare({"old": report_of(OLD), "new": report_of(OLD)}, **options)


def test_reports_without_common_ids_suggest_paired_false():
    with pytest.raises(ValueError, match="For an A/B test of different users, pass paired=False"):
        compare({"old": report_of(OLD), "new": report_of(NEW)})


def test_changes_reject_different_queries():
    with pytest.raises(ValueError, match="changes requires systems on the same queries"):
        compare_groups().changes("x")


@pytest.mark.parametrize(
    ("ratio", "warns"), [((1, 1), False), ((2, 3), False), ((0.2, 0.8), True), ((1, 1e9), True)]
)
def test_expected_ratio_warns_of_a_mismatch(ratio, warns, recwarn):
    options = {"expected_ratio": dict(zip(("old", "new"), ratio))}
    if warns:
        with pytest.warns(UserWarning, match=r"numbers of queries do not match expected_ratio \(40 in 'old'"):
            compare_groups(**options)
    else:
        compare_groups(**options)
        assert not recwarn.list


def test_expected_ratio_is_that_of_clusters():
    clusters = {"of_one": {"cluster": OLD}, "of_other": {"cluster": 100 + NEW // 50}}
    with pytest.warns(UserWarning, match=r"numbers of clusters .*\(40 in 'old', 2 in 'new'; p=4.5e-09\)"):
        compare_groups(**clusters, expected_ratio={"old": 1, "new": 1})


# ------------------------------------------------------------------ metrics over all queries together

LISTS = ["mrr", "catalog_coverage@2", "exposure_gini_loss@3"]


def evaluate_lists(seed=0, n_users=30, shift=0):
    rows = draw_lists(n_users, seed)
    return evaluate(**rows | {"groups": rows["groups"] + shift}, metrics=LISTS)


def leave_out(report, name):
    """Return the jackknife values of users, from which intervals are made."""
    return report._list_metrics[name].values


@pytest.mark.parametrize("name", LISTS[1:])
def test_metric_of_all_lists_is_compared_by_the_jackknife_of_the_difference(name):
    one, other = evaluate_lists(0), evaluate_lists(1)
    found = compare({"one": one, "other": other}, metrics=[name], correction=None, check_labels=False)
    expected = stats.ttest_rel(leave_out(other, name), leave_out(one, name))
    assert read(found, "difference", "p") == pytest.approx(
        [other.list_metrics[name] - one.list_metrics[name], expected.pvalue], rel=1e-9
    )
    assert "/" not in str(found).splitlines()[2]  # no wins
    with pytest.raises(
        ValueError, match=r"'metric' parameter of Comparison.changes must have a value per query"
    ):
        found.changes(name)


def test_metric_of_all_lists_of_different_users_has_the_sum_of_variances():
    one, other = evaluate_lists(0), evaluate_lists(1, shift=100)
    found = compare({"one": one, "other": other}, metrics=["exposure_gini_loss@3"], paired=False)
    expected = stats.ttest_ind(
        leave_out(other, "exposure_gini_loss@3"), leave_out(one, "exposure_gini_loss@3"), equal_var=False
    )
    assert read(found, "p") == pytest.approx([expected.pvalue], rel=1e-9)


def test_metrics_of_all_lists_reject_different_numbers_of_users():
    reports = {"one": evaluate_lists(0), "other": evaluate_lists(1, n_users=31, shift=100)}
    with pytest.raises(ValueError, match="have the same number of users for 'exposure_gini_loss@3'") as error:
        compare(reports, metrics=["exposure_gini_loss@3"], paired=False)
    assert "Got 30 in 'one' and 31 in 'other' instead. Evaluate a random sample of 30" in str(error.value)
    compare(reports, metrics=["mrr"], paired=False)


@pytest.mark.filterwarnings("ignore:.*missing='drop' excluded")
def test_metrics_of_all_lists_reject_dropped_users():
    reports = {"one": evaluate_lists(0), "other": evaluate_lists(1, shift=1)}
    with pytest.raises(ValueError, match="; 2 users are not in all reports instead"):
        compare(reports, metrics=["exposure_gini_loss@3"], missing="drop", check_labels=False)
    compare(reports, metrics=["mrr"], missing="drop", check_labels=False)


@pytest.mark.parametrize(
    ("values", "has_note"),
    [([1] * 29 + [0.9], True), ([0] * 26 + [1] * 4, True), ([0] * 15 + [1] * 15, False)],
)
def test_note_on_systems_with_few_values_other_than_0_or_1(values, has_note):
    one = RankingReport.from_values(range(30), {"mrr": np.linspace(0, 1, 30)})
    other = RankingReport.from_values(range(30, 60), {"mrr": values})
    note = "fewer than 5 values of a system differ from 0 (or from 1)."
    assert (note in " ".join(str(compare({"one": one, "other": other}, paired=False)).split())) == has_note
