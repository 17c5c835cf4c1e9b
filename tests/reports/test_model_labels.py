"""Few human labels and many model labels, compared with ordinary least squares."""

import pickle

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, compare, evaluate
from tests.helpers.reports import drop_values, join_lines

random = np.random.RandomState(0)
N, FEW = 60, 20
JUDGED = random.beta(2, 2, N)
HUMAN = np.clip(0.8 * JUDGED[:FEW] + random.normal(0.05, 0.1, FEW), 0, 1)


def make_report(values, ids=None, name="ndcg@10", **options):
    return RankingReport.from_values(
        np.arange(len(values)) if ids is None else ids, {name: values}, **options
    )


def combine(human, judged, human_options=None, **options):
    """Combine reports of values of the first queries and of all queries."""
    few = {name: np.asarray(each)[: len(human)] for name, each in options.items()}
    return make_report(human, **few, **(human_options or {})).with_model_labels(
        make_report(judged, **options)
    )


def fit(x, y, mean, weights=1.0):
    """Return the prediction of least squares at a mean of x and its variance by HC3."""
    design = np.column_stack((np.ones(len(x)), x))
    inverse = np.linalg.inv(design.T @ design)
    slope = (inverse @ design.T @ y)[1]
    hat = np.einsum("ij,jk,ik->i", design, inverse, design)
    residuals = y - design @ inverse @ design.T @ y
    of_mean = design @ inverse @ [1, mean]
    return [1, mean] @ inverse @ design.T @ y, slope, ((of_mean * residuals / (1 - hat)) ** 2).sum()


def test_with_model_labels_predicts_human_mean_by_least_squares():
    found = combine(HUMAN, JUDGED)
    mean, slope, variance = fit(JUDGED[:FEW], HUMAN, JUDGED.mean())
    error = np.sqrt(variance + slope**2 * JUDGED.var(ddof=1) / N)
    half = stats.t.ppf(0.975, FEW - 2) * error
    assert found.mean["ndcg@10"] == pytest.approx(mean)
    assert found.standard_error["ndcg@10"] == pytest.approx(error)
    assert found.interval["ndcg@10"] == pytest.approx((mean - half, mean + half))


def test_with_model_labels_variance_matches_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    fitted = api.OLS(HUMAN, api.add_constant(JUDGED[:FEW])).fit(cov_type="HC3")
    predicted = fitted.get_prediction([[1, JUDGED.mean()]])
    slope = fitted.params[1]
    error = np.sqrt(predicted.se_mean[0] ** 2 + slope**2 * JUDGED.var(ddof=1) / N)
    found = combine(HUMAN, JUDGED)
    assert found.mean["ndcg@10"] == pytest.approx(predicted.predicted_mean[0])
    assert found.standard_error["ndcg@10"] == pytest.approx(error)
    assert found.model_labels["ndcg@10"].slope == pytest.approx(slope)


def test_model_labels_describe_the_model():
    report = combine(HUMAN, JUDGED)
    found = report.model_labels["ndcg@10"]
    few, rest = JUDGED[:FEW], JUDGED[FEW:]
    z = (few.mean() - rest.mean()) / np.sqrt(few.var(ddof=1) / FEW + rest.var(ddof=1) / (N - FEW))
    assert found.model_mean == pytest.approx(JUDGED.mean())
    assert found.correlation == pytest.approx(np.corrcoef(HUMAN, few)[0, 1])
    assert found.worth == pytest.approx(HUMAN.var(ddof=1) / report.standard_error["ndcg@10"] ** 2)
    assert found.z == pytest.approx(z)
    assert found.n_apart == FEW


def test_with_model_labels_matches_ids_in_any_order():
    ids = [f"q{i}" for i in random.permutation(N)]
    order = np.random.RandomState(1).permutation(N)
    human = make_report(HUMAN, ids[:FEW])
    judged = make_report(JUDGED[order], [ids[i] for i in order])
    found, expected = human.with_model_labels(judged), combine(HUMAN, JUDGED)
    assert found.mean == pytest.approx(expected.mean)
    assert found.standard_error == pytest.approx(expected.standard_error)
    assert found.values["ndcg@10"].tolist() == human.values["ndcg@10"].tolist()


def test_with_model_labels_uses_cluster_means_for_clusters_of_equal_size():
    clusters = np.arange(N) // 2
    found = combine(HUMAN, JUDGED, cluster=clusters)
    human, judged = HUMAN.reshape(-1, 2).mean(axis=1), JUDGED.reshape(-1, 2).mean(axis=1)
    expected = combine(human, judged)
    assert found.mean == pytest.approx(expected.mean)
    assert found.standard_error == pytest.approx(expected.standard_error)
    assert found.interval["ndcg@10"] == pytest.approx(expected.interval["ndcg@10"])
    assert "over 10 clusters of queries" in join_lines(found)


def test_with_model_labels_weights_clusters_by_their_sizes():
    # Cluster sums of y and x, centered by the size of the cluster times the mean.
    sizes = np.array([1, 2, 3, 4, 5, 5, 10, 10, 20])
    clusters = np.repeat(np.arange(9), sizes)
    found = combine(HUMAN, JUDGED, cluster=clusters)
    parts = [(values - values.mean()) / len(values) for values in (HUMAN, JUDGED[:FEW], JUDGED)]
    y, x, every = (np.bincount(clusters[: len(each)], each) for each in parts)
    slope = y @ x / (x @ x)
    shift = JUDGED.mean() - JUDGED[:FEW].mean()
    leverages = np.bincount(clusters[:FEW]) / FEW + x**2 / (x @ x)
    of_labeled = (1 + shift * x / (x @ x)) * (y - slope * x) / (1 - leverages)
    variance = of_labeled @ of_labeled + slope**2 * every @ every * 9 / 8
    shared = 2 * slope * (y - slope * x) @ every[: len(y)]
    assert found.mean["ndcg@10"] == pytest.approx(HUMAN.mean() + slope * shift)
    assert found.standard_error["ndcg@10"] == pytest.approx(np.sqrt(variance + max(shared, 0)))
    degrees = FEW**2 / (np.bincount(clusters[:FEW]) ** 2).sum() - 2
    half = stats.t.ppf(0.975, degrees) * found.standard_error["ndcg@10"]
    assert found.interval["ndcg@10"][1] == pytest.approx(found.mean["ndcg@10"] + half)


def test_with_model_labels_weights_queries():
    weights = np.tile([1.0, 2.0], N // 2)
    found = combine(HUMAN, JUDGED, weights=weights)
    few = weights[:FEW]
    means = [np.average(HUMAN, weights=few), np.average(JUDGED[:FEW], weights=few)]
    y, x = few * (HUMAN - means[0]), few * (JUDGED[:FEW] - means[1])
    slope = y @ x / (x @ x)
    expected = means[0] + slope * (np.average(JUDGED, weights=weights) - means[1])
    assert found.mean["ndcg@10"] == pytest.approx(expected)


def test_model_with_equal_values_does_not_change_the_mean():
    found = combine(HUMAN, np.full(N, 0.1))
    assert found.mean["ndcg@10"] == pytest.approx(HUMAN.mean())
    squares = ((HUMAN - HUMAN.mean()) ** 2).sum()
    assert found.standard_error["ndcg@10"] == pytest.approx(np.sqrt(squares) / (FEW - 1))
    assert np.isnan(found.model_labels["ndcg@10"].correlation)


def test_model_without_further_queries_does_not_change_the_mean():
    found = combine(HUMAN, JUDGED[:FEW])
    assert found.mean["ndcg@10"] == pytest.approx(HUMAN.mean())
    assert np.isnan(found.model_labels["ndcg@10"].z)


def test_undefined_values_of_people_and_model_are_left_out_of_their_own_means():
    human, judged = HUMAN.copy(), JUDGED.copy()
    human[0] = judged[[1, 30]] = np.nan
    found = combine(human, judged)
    parts = [np.nan_to_num(v - np.nanmean(v)) / np.sum(~np.isnan(v)) for v in (human, judged[:FEW])]
    slope = parts[0] @ parts[1] / (parts[1] @ parts[1])
    shift = np.nanmean(judged) - np.nanmean(judged[:FEW])
    assert found.mean["ndcg@10"] == pytest.approx(np.nanmean(human) + slope * shift)
    assert found.n_defined["ndcg@10"] == FEW - 1


def test_interval_of_with_model_labels_stays_in_the_range_of_the_metric():
    human = np.where(np.arange(8) < 7, 1.0, 0.2)
    assert combine(human, JUDGED).interval["ndcg@10"][1] == 1.0


@pytest.mark.parametrize(("n_apart", "is_few"), [(4, True), (5, False)])
def test_star_marks_few_differences_between_people_and_model(n_apart, is_few):
    human = JUDGED[:FEW].copy()
    human[:n_apart] /= 2
    found = combine(human, JUDGED)
    assert found.model_labels["ndcg@10"].n_apart == n_apart
    assert found.is_small_sample["ndcg@10"] is is_few
    assert ("]*" in str(found)) is is_few
    assert ("or from the model's" in str(found)) is is_few


def test_table_says_how_many_queries_people_and_the_model_labeled():
    table = combine(HUMAN, JUDGED).table()
    assert (
        table.caption == "20 queries labeled by people, 60 by a model, 95% confidence intervals over queries"
    )
    assert list(table.texts)[-3:] == ["correlation", "worth (queries)", "z"]
    assert table.notes[-1].startswith("A z near 0 does not exclude")


def test_table_warns_of_labeled_queries_that_differ_from_the_rest():
    found = combine(HUMAN, np.where(np.arange(N) < FEW, JUDGED, JUDGED / 3))
    assert found.model_labels["ndcg@10"].z > 3
    assert str(found).endswith(
        "The z of ndcg@10 is large: People did not label a random part. Do not use it."
    )


def test_dict_contains_the_part_of_the_model():
    found = combine(HUMAN, JUDGED)
    assert found.to_dict()["metrics"]["ndcg@10"]["worth"] == found.model_labels["ndcg@10"].worth


def test_report_with_model_labels_can_be_pickled():
    found = combine(HUMAN, JUDGED)
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


def test_with_model_labels_combines_evaluated_reports(queries):
    y_true, y_score, groups = queries
    groups = np.asarray(groups)
    judged = np.where(np.arange(len(y_true)) % 7 == 0, 0, y_true)
    inside = np.isin(groups, np.unique(groups)[:30])
    human = evaluate(
        np.asarray(y_true)[inside], np.asarray(y_score)[inside], groups=groups[inside], metrics=["mrr", "map"]
    )
    model = evaluate(judged, y_score, groups=groups, metrics=["map", "mrr", "ndcg"])
    found = human.with_model_labels(model)
    assert found.metrics == ("mrr", "map")
    few = model.values["map"][np.isin(model.ids, human.ids)]
    mean, _, _ = fit(few, human.values["map"], model.mean["map"])
    assert found.mean["map"] == pytest.approx(mean)


MOMENTS = drop_values(make_report(JUDGED))
REFUSED = [
    (None, "must be a RankingReport. Got None"),
    (MOMENTS, "with the value of each query. Got a report of moments"),
    (combine(HUMAN, JUDGED), "must be a report of one set of labels, .* Got a report with model labels"),
    (
        make_report(JUDGED, name="mrr"),
        r"must contain the metrics of the report \('ndcg@10'\). Got a report of 'mrr'",
    ),
    (
        make_report(JUDGED[5:], np.arange(5, N)),
        r"must contain all queries .* Got 5 of 20 queries missing \(0, 1, 2",
    ),
    (make_report(JUDGED, list(map(str, range(N)))), "Got 20 of 20 queries missing"),
    (make_report(JUDGED, weights=np.full(N, 2.0)), "must have the same query weights"),
    (make_report(JUDGED, cluster=np.arange(N)), "must have the same clusters"),
    (
        make_report(JUDGED, sizes=np.full(N, 12)),
        "must have the same documents .* Got 12 rows instead of 10 in query 0",
    ),
]


@pytest.mark.parametrize(("model_report", "message"), REFUSED)
def test_with_model_labels_rejects_other_reports(model_report, message):
    human = make_report(HUMAN, sizes=np.full(FEW, 10))
    with pytest.raises(
        ValueError, match=f"'model_report' parameter of RankingReport.with_model_labels .*{message}"
    ):
        human.with_model_labels(model_report)


def test_with_model_labels_requires_values():
    with pytest.raises(ValueError, match="with_model_labels requires the value of each query"):
        MOMENTS.with_model_labels(make_report(JUDGED))


@pytest.mark.parametrize(
    ("options", "units"), [({}, "queries"), ({"cluster": np.arange(N) // 5}, "clusters")]
)
def test_with_model_labels_requires_five_units(options, units):
    n = 4 * (5 if options else 1)
    with pytest.raises(
        ValueError, match=f"requires at least 5 {units} labeled by people. Got 4 for 'ndcg@10'"
    ):
        combine(HUMAN[:n], JUDGED, **options)


def test_segments_of_a_report_with_model_labels_raise_an_error():
    with pytest.raises(ValueError, match="by requires a report of one set of labels"):
        combine(HUMAN, JUDGED).by(dict.fromkeys(range(FEW), "all"))


OLD, NEW = HUMAN, np.clip(HUMAN + random.normal(0.05, 0.1, FEW), 0, 1)
OLD_JUDGED = JUDGED
NEW_JUDGED = np.clip(JUDGED + np.r_[0.5 * (NEW - OLD), random.normal(0.03, 0.05, N - FEW)], 0, 1)


def compare_both(systems, **options):
    """Compare systems, each as values of people and of a model."""
    reports = {name: combine(human, judged, **options) for name, (human, judged) in systems.items()}
    return compare(reports, baseline="old")


BOTH = {"old": (OLD, OLD_JUDGED), "new": (NEW, NEW_JUDGED)}


def test_compare_regresses_differences_on_differences_of_the_model():
    found = compare_both(BOTH).columns
    every = NEW_JUDGED - OLD_JUDGED
    mean, slope, variance = fit(every[:FEW], NEW - OLD, every.mean())
    half = stats.t.ppf(0.975, FEW - 2) * np.sqrt(variance + slope**2 * every.var(ddof=1) / N)
    assert found["difference"] == pytest.approx([mean])
    assert (found["low"], found["high"]) == (pytest.approx([mean - half]), pytest.approx([mean + half]))
    assert found["p_unadjusted"] == pytest.approx(
        2 * stats.t.sf(mean / half * stats.t.ppf(0.975, FEW - 2), FEW - 2)
    )
    assert found["effect"] == pytest.approx([mean / (NEW - OLD).std(ddof=1)])


def test_compare_shows_the_adjusted_means():
    found = compare_both(BOTH).columns
    assert found["mean"] == pytest.approx([combine(NEW, NEW_JUDGED).mean["ndcg@10"]])
    assert found["other_mean"] == pytest.approx([combine(OLD, OLD_JUDGED).mean["ndcg@10"]])


def test_compare_uses_clusters_of_both_sets():
    found = compare_both(BOTH, cluster=np.arange(N) // 2).columns
    halves = {name: [each.reshape(-1, 2).mean(axis=1) for each in values] for name, values in BOTH.items()}
    expected = compare_both(halves).columns
    for column in ("difference", "low", "high", "p", "effect"):
        assert found[column] == pytest.approx(expected[column])


def test_compare_leaves_out_queries_without_a_value_in_either_system():
    old = OLD.copy(), OLD_JUDGED.copy()
    old[0][3] = old[1][[3, 40]] = np.nan
    found = compare_both(BOTH | {"old": old}).columns
    kept = np.delete(np.arange(N), [3, 40])
    few = kept[: FEW - 1]
    shorter = {name: (human[few], judged[kept]) for name, (human, judged) in BOTH.items()}
    expected = compare_both(shorter).columns
    for column in ("mean", "other_mean", "difference", "low", "high"):
        assert found[column] == pytest.approx(expected[column])


def test_compare_adjusts_several_metrics_by_bonferroni():
    reports = {
        name: RankingReport.from_values(range(FEW), {"mrr": human, "map": human}).with_model_labels(
            RankingReport.from_values(range(N), {"mrr": judged, "map": judged})
        )
        for name, (human, judged) in BOTH.items()
    }
    found, alone = compare(reports).columns, compare(reports, metrics=["mrr"]).columns
    ratio = stats.t.ppf(1 - 0.0125, FEW - 2) / stats.t.ppf(0.975, FEW - 2)
    width, alone_width = (each["high"][0] - each["low"][0] for each in (found, alone))
    assert width == pytest.approx(ratio * alone_width)
    assert found["p"] == pytest.approx(2 * found["p_unadjusted"])


def test_compare_says_which_labels_were_used():
    table = compare_both(BOTH).table()
    assert table.caption.startswith(
        '20 queries labeled by people, 60 by a model, difference from "old", paired t'
    )
    assert (
        "Each difference is adjusted by the model's difference, not the difference of both means."
        in table.notes
    )


def test_compare_warns_if_people_and_model_hardly_differ():
    systems = {"old": (OLD, np.r_[OLD, JUDGED[FEW:]]), "new": (NEW, np.r_[NEW, NEW_JUDGED[FEW:]])}
    note = "people and the model differ on fewer than 5 queries labeled by people"
    assert note in join_lines(compare_both(systems))
    assert note not in str(compare_both(BOTH))


def test_compare_equal_systems_with_model_labels_is_undecided():
    found = compare_both({"old": (OLD, OLD_JUDGED), "new": (OLD, OLD_JUDGED)}).columns
    assert found["difference"] == [0.0]
    assert found["verdict"] == ["undecided"]


def test_compare_is_undecided_if_all_human_differences_are_equal():
    old = np.linspace(0.1, 0.5, FEW)
    found = compare_both({"old": (old, OLD_JUDGED), "new": (old + 0.25, NEW_JUDGED)}).columns
    assert np.isnan([found["low"][0], found["p_unadjusted"][0]]).all()
    assert found["why"] == ["all differences are equal, so their variance is unknown"]


def test_compare_is_undecided_if_few_queries_have_both_values():
    old, new = OLD[:10].copy(), NEW[:10].copy()
    old[:4], new[4:8] = np.nan, np.nan
    found = compare_both({"old": (old, OLD_JUDGED), "new": (new, NEW_JUDGED)}).columns
    assert found["why"] == ["2 queries labeled by people are too few to decide"]


def test_queries_needed_without_model_labels_follows_from_human_differences():
    found = compare_both(BOTH).queries_needed(0.02).columns["n"]
    alone = {name: make_report(human) for name, (human, _) in BOTH.items()}
    assert found == pytest.approx(compare(alone, correction="bonferroni").queries_needed(0.02).columns["n"])


def test_compare_rejects_reports_of_which_some_have_model_labels():
    reports = {"old": make_report(OLD), "new": combine(NEW, NEW_JUDGED)}
    with pytest.raises(ValueError, match=r"or none\. Got 'new' with and 'old' without"):
        compare(reports)


def test_compare_rejects_models_with_different_queries():
    reports = {"old": combine(OLD, OLD_JUDGED), "new": combine(NEW, NEW_JUDGED[:50])}
    with pytest.raises(ValueError, match="Got 10 of 60 queries missing in 'new'"):
        compare(reports)
    assert compare(reports, missing="drop").columns["n"] == [FEW]


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomization"])
def test_compare_with_model_labels_allows_only_t(test):
    with pytest.raises(
        ValueError, match=f"must be 'auto' or 't' for reports with model labels. Got '{test}'"
    ):
        compare({name: combine(*each) for name, each in BOTH.items()}, test=test)


def test_compare_without_pairs_rejects_model_labels():
    with pytest.raises(ValueError, match=r"have no model labels with paired=False\. Got some in 'old'"):
        compare({name: combine(*each) for name, each in BOTH.items()}, paired=False)
