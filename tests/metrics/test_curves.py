"""Curves per query, compared with the metrics at each cutoff and with textbook loops."""

import tracemalloc
import warnings
from math import fsum

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import auc, roc_curve

from sklearn_rank import group_auc_score, map_score, ndcg_score
from sklearn_rank.metrics import group_roc_curve, interpolated_precision_curve, map_curve, ndcg_curve
from tests.helpers.naming import name_of
from tests.helpers.table import with_unjudged

BY_K = [
    (ndcg_curve, ndcg_score, {}),
    (ndcg_curve, ndcg_score, {"gain": "exponential", "discount": "reciprocal"}),
    (map_curve, map_score, {}),
    (map_curve, map_score, {"denominator": "relevant", "min_relevance": 2}),
]
CURVES = [ndcg_curve, map_curve, interpolated_precision_curve, group_roc_curve]


@pytest.fixture(params=[False, True], ids=["all retrieved", "some not retrieved"])
def rows(request, queries):
    y_true, y_score, groups = queries
    if request.param:
        y_score = np.where(np.random.default_rng(3).random(len(y_true)) < 0.2, -np.inf, y_score)
    return y_true, y_score, groups


# ------------------------------------------------------------------ functions of the cutoff


@pytest.mark.parametrize("ties", ["average", "order", "best", "worst"])
@pytest.mark.parametrize(("curve", "metric", "options"), BY_K, ids=name_of)
def test_ndcg_and_map_curves_equal_metric_at_each_cutoff(curve, metric, options, ties, rows):
    y_true, y_score, groups = rows
    k, values = curve(y_true, y_score, groups=groups, ties=ties, average=None, **options)
    assert k.tolist() == list(range(1, np.unique(groups, return_counts=True)[1].max() + 1))
    for cutoff, column in zip(k, values.T):
        expected = metric(y_true, y_score, groups=groups, k=cutoff, ties=ties, average=None, **options)
        np.testing.assert_allclose(column, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize(("curve", "metric", "options"), BY_K, ids=name_of)
def test_ndcg_and_map_curves_average_like_metric(curve, metric, options, average, zero_division, rows):
    y_true, y_score, groups = rows
    weights = np.unique(groups, return_inverse=True)[1] % 3
    options = options | {"average": average, "zero_division": zero_division, "sample_weight": weights}
    _, values = curve(y_true * (weights < 2), y_score, groups=groups, max_k=40, **options)
    for cutoff in (1, 7, 40):
        expected = metric(y_true * (weights < 2), y_score, groups=groups, k=cutoff, **options)
        assert values[cutoff - 1] == pytest.approx(expected, abs=1e-12)


def test_map_curve_rejects_hits_as_denominator():
    with pytest.raises(ValueError, match="'denominator' parameter of map_curve must be"):
        map_curve([[1, 0]], [[2, 1]], denominator="hits")


# ------------------------------------------------------------------ interpolated precision


def textbook(y_true, y_score, levels, together):
    """Highest precision at recall >= level, by looking at every rank."""
    relevant = y_true >= 1
    order = np.argsort(-y_score, kind="stable")
    order = order[y_score[order] > -np.inf]
    hits, scores = relevant[order], y_score[order]
    ends = [i for i in range(len(order)) if i + 1 == len(order) or scores[i + 1] < scores[i] or not together]
    points = [(hits[: i + 1].sum() / max(relevant.sum(), 1), hits[: i + 1].mean()) for i in ends]
    highest = [max((p for r, p in points if r >= level - 1e-12), default=0) for level in levels]
    return highest if relevant.any() else np.zeros(len(levels))


@pytest.mark.parametrize("levels", [11, 3, [0.0, 0.05, 1 / 3, 1.0], None], ids=name_of)
@pytest.mark.parametrize("ties", ["together", "order"])
def test_interpolated_precision_is_highest_at_recall_or_higher(ties, levels, rows):
    y_true, y_score, groups = rows
    recall, precision = interpolated_precision_curve(
        y_true, y_score, groups=groups, recall_levels=levels, ties=ties, average=None
    )
    for group, got in zip(np.unique(groups), precision):
        inside = groups == group
        expected = textbook(y_true[inside], y_score[inside], recall, ties == "together")
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_interpolated_precision_curve_returns_all_levels_when_none():
    recall, precision = interpolated_precision_curve(
        [1, 0, 1, 1, 1, 1], [6, 5, 4, 3, 2, 1], groups=[0, 0, 0, 1, 1, 1], recall_levels=None
    )
    np.testing.assert_allclose(recall, [0, 1 / 3, 1 / 2, 2 / 3, 1])
    np.testing.assert_allclose(precision, [1, 1, 1, (2 / 3 + 1) / 2, (2 / 3 + 1) / 2])


@pytest.mark.parametrize(
    ("ties", "expected"), [("best", [1, 1]), ("worst", [2 / 3, 2 / 3]), ("together", [2 / 3] * 2)]
)
def test_interpolated_precision_curve_orders_ties_best_or_worst(ties, expected):
    _, precision = interpolated_precision_curve([[1, 0, 1]], [[1, 1, 1]], recall_levels=2, ties=ties)
    np.testing.assert_allclose(precision, expected)


# Three relevant documents at ranks 1, 3 and 6, with precision 1, 2/3 and 1/2.
@pytest.mark.parametrize(
    ("rounding", "n_needed"),
    [
        ("up", [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3]),
        ("trec_eval_9", [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]),  # 0.7 * 3 + 0.9 is just below 3
        ("trec_eval_10", [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3]),  # 1.5 is rounded up
    ],
)
def test_interpolated_precision_curve_rounds_recall_levels(rounding, n_needed):
    y_true, y_score = [[1, 0, 1, 0, 0, 1]], [[6, 5, 4, 3, 2, 1]]
    recall, precision = interpolated_precision_curve(y_true, y_score, rounding=rounding)
    assert recall.tolist() == [level / 10 for level in range(11)]
    np.testing.assert_allclose(precision, [[1, 1, 2 / 3, 1 / 2][n] for n in n_needed])


# All documents are relevant, so every rank is a level of the curve.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
def test_interpolated_precision_curve_of_long_query_saves_memory():
    sizes = np.append(np.full(3000, 4), 20_000)
    groups = np.repeat(np.arange(3001), sizes)
    y_true, y_score = np.ones(len(groups)), np.arange(len(groups))
    tracemalloc.start()
    recall, precision = interpolated_precision_curve(y_true, y_score, groups=groups, recall_levels=None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(recall) == 20_001
    np.testing.assert_allclose(precision, 1)
    assert peak < 100e6


# ------------------------------------------------------------------ ROC


def test_group_roc_curve_matches_scikit_learn_in_each_group(rows):
    y_true, y_score, groups = rows
    rates, curves = group_roc_curve(y_true, y_score, groups=groups, false_positive_rates=97, average=None)
    for group, got in zip(np.unique(groups), curves):
        relevant, scores = y_true[groups == group] >= 1, y_score[groups == group]
        if relevant.all() or not relevant.any():
            assert np.isnan(got).all()
            continue
        codes = np.unique(scores, return_inverse=True)[1]  # scikit-learn does not accept -inf
        false, true, _ = roc_curve(relevant, codes, drop_intermediate=False)
        on_curve = [polyline(false, true, rate) for rate in rates]
        np.testing.assert_allclose(got, on_curve, rtol=0, atol=1e-9)


def polyline(false, true, rate):
    """The highest point of the curve above a false positive rate."""
    left = np.searchsorted(false, rate + 1e-9, side="right") - 1
    if left == len(false) - 1:
        return true[left]
    share = (rate - false[left]) / (false[left + 1] - false[left])
    return true[left] + max(share, 0) * (true[left + 1] - true[left])


def test_group_roc_curve_area_equals_mean_group_auc(queries):
    y_true, y_score, groups = queries
    rates, mean = group_roc_curve(y_true, y_score, groups=groups, false_positive_rates=100_001)
    assert auc(rates, mean) == pytest.approx(group_auc_score(y_true, y_score, groups=groups), abs=1e-4)


def test_group_roc_curve_of_constant_score_is_diagonal():
    rates, mean = group_roc_curve([1, 0, 1, 0, 0], np.zeros(5), groups=np.zeros(5))
    np.testing.assert_allclose(mean, rates, rtol=0, atol=1e-12)


# ------------------------------------------------------------------ all curves


@pytest.mark.parametrize("curve", CURVES)
def test_curves_drop_unjudged_documents(curve, queries):
    y_true, y_score, groups = queries
    unjudged = with_unjudged(y_true)
    judged = ~np.isnan(unjudged)
    _, got = curve(unjudged, y_score, groups=groups, unjudged="drop")
    _, expected = curve(y_true[judged], y_score[judged], groups=groups[judged])
    np.testing.assert_allclose(got[: len(expected)], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("curve", CURVES)
def test_curves_warn_when_no_query_is_defined(curve):
    with pytest.warns(UndefinedMetricWarning, match=f"{curve.__name__} is undefined"):
        _, values = curve([0, 0], [2, 1], groups=[0, 0], zero_division=np.nan)
    assert np.isnan(values).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (curve([0, 0], [2, 1], groups=[0, 0], zero_division=1.0)[1] == 1).all()


@pytest.mark.parametrize(
    ("curve", "options", "parameter"),
    [
        (ndcg_curve, {"max_k": 0}, "max_k"),
        (map_curve, {"max_k": 2.5}, "max_k"),
        (ndcg_curve, {"gain": "log"}, "gain"),
        *[(curve, {"average": "micro"}, "average") for curve in CURVES],
        *[(curve, {"unjudged": "skip"}, "unjudged") for curve in CURVES],
        *[(curve, {"zero_division": 0.5}, "zero_division") for curve in CURVES],
        (interpolated_precision_curve, {"ties": "average"}, "ties"),
        (interpolated_precision_curve, {"ties": "random"}, "ties"),
        (interpolated_precision_curve, {"rounding": "down"}, "rounding"),
        (interpolated_precision_curve, {"recall_levels": 1}, "recall_levels"),
        (interpolated_precision_curve, {"recall_levels": [0.5, 0.1]}, "recall_levels"),
        (interpolated_precision_curve, {"recall_levels": [0.5, 1.1]}, "recall_levels"),
        (interpolated_precision_curve, {"recall_levels": "all"}, "recall_levels"),
        (group_roc_curve, {"false_positive_rates": None}, "false_positive_rates"),
        (group_roc_curve, {"false_positive_rates": []}, "false_positive_rates"),
        (group_roc_curve, {"min_relevance": 0}, "min_relevance"),
        (group_roc_curve, {"groups": None}, "groups"),
    ],
    ids=name_of,
)
def test_curves_name_invalid_option(curve, options, parameter):
    given = {"groups": [0, 0]} | options
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {curve.__name__} (must|is required)"):
        curve([1, 0], [2, 1], **given)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("curve", CURVES)
def test_curves_average_queries_by_exact_sums(curve, average, queries):
    """To the last digit: the mean of the values at each point, summed exactly."""
    y_true, y_score, groups = queries
    options = {"groups": groups, "zero_division": 0.0}
    _, values = curve(y_true, y_score, average=average, **options)
    per_query = curve(y_true, y_score, average=None, **options)[1]
    sizes = np.unique(groups, return_counts=True)[1]
    weights = (sizes / 2.0 ** np.frexp(sizes.max())[1]) if average == "weighted" else np.ones(len(sizes))
    total = fsum(weights)
    assert values.tolist() == [fsum(weights * column) / total for column in per_query.T]


@pytest.mark.parametrize("levels", [2**31, np.int64(2**31)])
def test_interpolated_precision_curve_shows_limit_of_levels(levels):
    with pytest.raises(ValueError, match=r"Got .*2147483648.* instead\. An int must be below 2\*\*31\."):
        interpolated_precision_curve([[1, 0]], [[2, 1]], recall_levels=levels)


def test_interpolated_precision_curve_error_shows_first_levels_only():
    levels = [level / 50 for level in range(100)]
    rule = r"must contain sorted values in \[0, 1\]\. Got \[0\.0, 0\.02, .*\.\.\.\] instead\.$"
    with pytest.raises(ValueError, match=rule) as error:
        interpolated_precision_curve([[1, 0]], [[2, 1]], recall_levels=levels)
    assert len(str(error.value)) < 200
