"""Labels of any sign, such as debiased clicks, in metrics that add labels up."""

import warnings

import numpy as np
import pytest

from sklearn_rank import (
    RankingEvaluator,
    RankingReport,
    compare,
    dcg_score,
    dcg_scorer,
    evaluate,
    explain,
    ranking_scores,
    rbp_score,
)
from sklearn_rank.metrics import rank_sum_loss, tie_report
from tests.helpers.reference import by_enumeration
from tests.helpers.table import METRICS, SCORE_OF

# Each metric with its options.
SIGNED = {
    "dcg": {},
    "dcg at 3": {"k": 3},
    "cumulative gain": {"k": 2, "discount": None},
    "rbp": {"p": 0.7},
    "rbp at 2": {"k": 2},
    "rank_sum_loss": {},
}
STEMS = {name: "dcg" if name == "cumulative gain" else name.partition(" ")[0] for name in SIGNED}
EVERY = pytest.mark.parametrize("name", SIGNED)
OTHERS = [stem for stem, entry in METRICS.items() if not (entry.any_label or entry.nan_rule)]


def score(name, y_true, y_score, **options):
    return SCORE_OF[STEMS[name]](y_true, y_score, signed=True, **SIGNED[name], **options)


def weights(name, n):
    """What a label counts at each rank."""
    options, ranks = SIGNED[name], np.arange(1, n + 1)
    p = options.get("p", 0.8)
    counted = {
        "dcg": np.ones(n) if "discount" in options else 1 / np.log2(ranks + 1),
        "rbp": (1 - p) * p ** (ranks - 1),
        "rank_sum_loss": ranks,
    }[STEMS[name]]
    return np.where(ranks <= options.get("k", n), counted, 0)


def draw_rows(seed, n_queries=40):
    """Labels of any sign, a third of them 0, scores with and without ties, and ids in any order."""
    random = np.random.RandomState(seed)
    groups = np.repeat(np.arange(n_queries), random.randint(1, 9, n_queries))
    groups = groups[random.permutation(len(groups))]
    labels = random.normal(size=len(groups)) * (random.random_sample(len(groups)) > 1 / 3)
    scores = [random.randint(0, 3, len(groups)), random.normal(size=len(groups))][seed % 2]
    return labels, scores.astype(float), groups


def by_orders(name, labels, scores):
    """The mean over all orders of tied documents, by weights that do not depend on labels."""
    with_weights = [
        sum(label * weight for label, weight in zip(order, weights(name, len(order))))
        for order in by_enumeration("shown", labels, scores)
    ]
    return np.mean(with_weights)


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    """An entry of the references that gives the labels as they are shown."""
    monkeypatch.setitem(by_enumeration.__globals__["REFERENCES"], "shown", lambda shown, judged: shown)


@pytest.mark.parametrize("seed", range(4))
@EVERY
def test_signed_metrics_of_ties_are_means_over_all_orders(name, seed):
    labels, scores, groups = draw_rows(seed)
    got = score(name, labels, scores, groups=groups, average=None)
    expected = [by_orders(name, labels[groups == g], scores[groups == g]) for g in np.unique(groups)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@EVERY
def test_signed_metrics_are_linear_in_labels(name):
    one, scores, groups = draw_rows(0)
    other = np.random.RandomState(9).normal(size=len(one))
    values = [score(name, y, scores, groups=groups, average=None) for y in (one, other, 3 * one - 2 * other)]
    np.testing.assert_allclose(values[2], 3 * values[0] - 2 * values[1], rtol=0, atol=1e-12)


@EVERY
def test_signed_metrics_equal_unsigned_for_binary_labels(name):
    labels, scores, groups = draw_rows(1)
    binary = (labels > 0).astype(int)
    plain = SCORE_OF[STEMS[name]](binary, scores, groups=groups, average=None, **SIGNED[name])
    np.testing.assert_allclose(
        score(name, binary, scores, groups=groups, average=None), plain, rtol=0, atol=1e-15
    )


@pytest.mark.parametrize("ties", ["best", "worst", "order"])
@EVERY
def test_signed_metrics_support_tie_rules(name, ties):
    labels, groups = np.array([-1.0, 2.0, 0.5, -3.0]), np.zeros(4)
    order = {"best": [2.0, 0.5, -1.0, -3.0], "worst": [-3.0, -1.0, 0.5, 2.0], "order": labels}[ties]
    got = score(name, labels, np.ones(4), groups=groups, ties=ties)
    assert got == pytest.approx(weights(name, 4) @ order)


@EVERY
def test_signed_metrics_count_query_without_click_as_zero(name):
    labels, scores, groups = [2.5, 0, 0, 0], [1, 2, 1, 2], [0, 0, 1, 1]
    values = score(name, labels, scores, groups=groups, average=None)
    assert values[1] == 0
    assert score(name, labels, scores, groups=groups) == values[0] / 2


def test_signed_metrics_treat_unretrieved_documents_like_unsigned():
    labels, scores = [[1.0, -2.0, 4.0]], [[1.0, -np.inf, -np.inf]]
    assert dcg_score(labels, scores, signed=True) == 1
    assert rbp_score(labels, scores, signed=True) == pytest.approx(0.2)
    assert rank_sum_loss(labels, scores, signed=True) == 1 * 1 + 2.5 * (-2 + 4)


def test_rank_sum_loss_signed_applies_unjudged_rule():
    labels, scores = [[-1.0, np.nan, 2.0]], [[3, 2, 1]]
    assert rank_sum_loss(labels, scores, signed=True, unjudged="drop") == -1 + 2 * 2
    assert rank_sum_loss(labels, scores, signed=True, unjudged="nonrelevant") == -1 + 3 * 2


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, object])
@EVERY
def test_signed_metrics_accept_labels_of_any_dtype(name, dtype):
    labels, scores = np.array([[-1, 2, 0, 3]]), [[1, 2, 3, 4]]
    assert score(name, labels.astype(dtype), scores) == score(name, labels.astype(float), scores)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("stem", OTHERS)
def test_metrics_without_signed_reject_negative_labels(stem):
    with pytest.raises(
        ValueError, match="For debiased clicks, use dcg, rbp or rank_sum_loss with signed=True"
    ) as error:
        SCORE_OF[stem]([[3.7, -0.4, 0]], [[3, 2, 1]])
    assert "with signed=True" in str(error.value)


BAD = [("dcg_score", "gain", gain) for gain in ("exponential", [0, 1], np.sqrt, {0: 0})]
BAD += [("rbp_score", "min_relevance", 2), ("rbp_score", "min_relevance", 0.5)]
BAD += [("rbp_score", "zero_division", value) for value in (1.0, np.nan)]


@pytest.mark.parametrize(("function", "option", "value"), BAD)
def test_signed_metrics_reject_options_that_are_not_linear(function, option, value):
    scores = {"dcg_score": dcg_score, "rbp_score": rbp_score}
    with pytest.raises(ValueError, match=f"'{option}' parameter of {function} must .*signed=True. Got"):
        scores[function]([[1, 0]], [[2, 1]], signed=True, **{option: value})


def test_dcg_scorer_rejects_signed_with_exponential_gain():
    with pytest.raises(ValueError, match="'gain' parameter of dcg_scorer must be 'linear' with signed=True"):
        dcg_scorer(signed=True, gain="exponential")


def test_ranking_scores_name_metric_that_rejects_signed_labels():
    rule = "be finite and non-negative for 'ndcg'"
    with pytest.raises(ValueError, match=rule):
        ranking_scores([[-1.5, 2]], [[1, 2]], metrics=["dcg(signed=True)", "ndcg"])


@pytest.mark.parametrize("label", [1e308, -1e308])
def test_signed_dcg_rejects_labels_with_infinite_sum(label):
    with pytest.raises(ValueError, match=r"finite.*label -?1e\+308 at y_true\[0, 1\]"):
        score("dcg", [[0, label, label]], [[3, 2, 1]])


# ------------------------------------------------------------------ names, reports, ties


def test_metric_names_accept_signed():
    names = ["dcg@1(signed=True)", "rbp(p=0.5, signed=True)", "rank_sum_loss(signed=True)"]
    got = ranking_scores([[3, -1]], [[2, 1]], metrics=[*names, "neg_rank_sum_loss(signed=True)"])
    assert list(got.values()) == [3.0, 0.5 * (3 - 0.5), 3.0 - 2.0, -1.0]
    assert explain(names[0]).changed == {"k": 1, "signed": True}


def test_evaluate_report_of_signed_metrics_has_negative_values():
    labels, scores, groups = draw_rows(1)
    metrics = ["dcg(signed=True)", "rbp(signed=True)", "rank_sum_loss(signed=True)"]
    report = evaluate(labels - 5, scores, groups=groups, metrics=metrics)
    for name in metrics:
        low, high = report.interval[name]
        assert low < report.mean[name] < high < 0
    copied = RankingReport.from_values(report.ids, {name: report.values[name] for name in metrics})
    assert copied.interval == report.interval


def test_compare_treats_rank_sum_loss_as_lower_is_better():
    labels, scores, groups = draw_rows(1, n_queries=200)
    name = "rank_sum_loss(signed=True)"
    given = {"groups": groups, "metrics": [name]}
    reports = {
        "good": evaluate(labels, labels, **given),
        "bad": evaluate(labels, scores, **given),
    }
    found = compare(reports, baseline="bad")
    assert "better" in str(found)


def test_evaluator_parts_of_signed_metrics_equal_whole():
    labels, scores, groups = draw_rows(1)
    names = ["dcg(signed=True)", "rbp(signed=True)", "rank_sum_loss(signed=True)"]
    whole = evaluate(labels, scores, groups=groups, metrics=names)
    for keep in (True, False):
        evaluator = RankingEvaluator(names, keep_queries=keep)
        for part in (groups < 20, groups >= 20):
            evaluator.update(labels[part], scores[part], groups[part])
        for name in names:
            assert evaluator.result().mean[name] == pytest.approx(whole.mean[name], rel=1e-12)


def test_tie_report_of_signed_labels_has_best_and_worst():
    found = tie_report([[-1.0, 2.0]], [[1, 1]], metrics=["rank_sum_loss(signed=True)"])
    ends = found.metrics["rank_sum_loss(signed=True)"]
    assert (ends["best"], ends["average"], ends["worst"]) == (2 - 2, 1.5, -1 + 4)


def test_rbp_signed_does_not_warn_about_threshold():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rbp_score([[3, 2], [3, 2]], [[2, 1], [2, 1]], signed=True) == pytest.approx(0.2 * (3 + 1.6))


# ------------------------------------------------------------------ large labels


@pytest.mark.parametrize(
    ("function", "options", "expected"),
    [(rank_sum_loss, {}, 1e308), (rbp_score, {"p": 0.5}, 5e307), (dcg_score, {}, 1e308)],
)
def test_signed_metrics_accept_large_labels_with_finite_sums(function, options, expected):
    assert function([[1e308, 0]], [[2, 1]], signed=True, **options) == pytest.approx(expected)


@pytest.mark.parametrize(("function", "p"), [(rank_sum_loss, {}), (rbp_score, {"p": 0.9})])
@pytest.mark.parametrize("y_score", [[1, 2, 3], [1, 1, 1]])
def test_signed_metrics_reject_labels_without_finite_sums(function, p, y_score):
    with pytest.raises(ValueError, match=r"must have a finite sum\. Got label -1e\+308 instead\. Divide"):
        function([[-1e308, -1e308, -1e308]], [y_score], signed=True, **p)
