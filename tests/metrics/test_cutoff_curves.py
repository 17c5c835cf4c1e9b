"""Curves over the cutoff, compared with the metrics at each cutoff."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    RankingWarning,
    map_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_rank.metrics import (
    CURVE_STEMS,
    curve_moments,
    map_curve,
    ndcg_curve,
    precision_curve,
    recall_curve,
)
from tests.helpers.naming import name_of
from tests.helpers.table import with_unjudged

PAIRS = [
    (ndcg_curve, ndcg_score, {}),
    (map_curve, map_score, {}),
    (precision_curve, precision_at_k_score, {}),
    (precision_curve, precision_at_k_score, {"adaptive_k": True, "min_relevance": 2}),
    (recall_curve, recall_at_k_score, {}),
    (recall_curve, recall_at_k_score, {"denominator": "achievable"}),
]
CURVES = [ndcg_curve, map_curve, precision_curve, recall_curve]
BEYOND = 8  # cutoffs beyond the longest list
of_all = pytest.mark.parametrize(("curve", "metric", "options"), PAIRS, ids=name_of)

# No query has more documents than the highest cutoffs.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*no query has more documents than:sklearn_rank.RankingWarning"
)


@pytest.fixture(params=[False, True], ids=["all retrieved", "some not retrieved"])
def rows(request, queries):
    """Queries of 5 to 20 documents, some of one or two, one without any that is retrieved."""
    y_true, y_score, groups = queries
    if request.param:
        y_score = np.where(np.random.default_rng(3).random(len(y_true)) < 0.3, -np.inf, y_score)
        y_score[groups == "q07"] = -np.inf
    kept = np.ones(len(y_true), dtype=bool)
    for name, n in (("q00", 1), ("q11", 2), ("q22", 3), ("q33", 5)):
        kept[np.flatnonzero(groups == name)[n:]] = False
    return y_true[kept], y_score[kept], groups[kept]


def test_curve_stems_match_curve_functions():
    assert {f"{stem}_curve" for stem in CURVE_STEMS} - {"f1_curve", "hit_rate_curve"} == {
        curve.__name__ for curve in CURVES
    }


def at_each_cutoff(metric, max_k, *rows, **options):
    """The metric at the cutoffs 1, 2, ..., max_k, the last axis."""
    return np.stack([metric(*rows, k=k, **options) for k in range(1, max_k + 1)], axis=-1)


def longest(groups):
    return int(np.unique(groups, return_counts=True)[1].max())


@pytest.mark.parametrize("ties", ["average", "order", "best", "worst"])
@of_all
def test_cutoff_curve_equals_metric_at_each_cutoff_per_query(curve, metric, options, ties, rows):
    y_true, y_score, groups = rows
    options = options | {"groups": groups, "ties": ties, "average": None}
    k, values = curve(y_true, y_score, max_k=longest(groups) + BEYOND, **options)
    expected = at_each_cutoff(metric, len(k), y_true, y_score, **options)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@of_all
def test_cutoff_curve_mean_equals_metric_mean(curve, metric, options, average, zero_division, rows):
    y_true, y_score, groups = rows
    weights = np.unique(groups, return_inverse=True)[1] % 4
    labels = y_true * (weights < 3)  # queries of weight 3 have no relevant document
    options = options | {"groups": groups, "average": average, "zero_division": zero_division}
    options |= {"sample_weight": weights}
    k, values = curve(labels, y_score, max_k=longest(groups) + BEYOND, **options)
    expected = at_each_cutoff(metric, len(k), labels, y_score, **options)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop", "mean", "median"])
@of_all
def test_cutoff_curve_treats_unjudged_labels_like_metric(curve, metric, options, unjudged, rows):
    y_true, y_score, groups = rows
    labels = with_unjudged(y_true)
    options = options | {"groups": groups, "unjudged": unjudged}
    k, values = curve(labels, y_score, **options)
    expected = at_each_cutoff(metric, len(k), labels, y_score, **options)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@of_all
def test_cutoff_curve_accepts_one_row_per_query(curve, metric, options, rows):
    y_true, y_score = (each[:210].reshape(30, 7) for each in rows[:2])
    weights = np.arange(30) % 3
    k, values = curve(y_true, y_score, sample_weight=weights, max_k=7 + BEYOND, **options)
    expected = at_each_cutoff(metric, len(k), y_true, y_score, sample_weight=weights, **options)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@of_all
def test_cutoff_curve_matches_metric_for_long_lists_and_ties(curve, metric, options):
    """More documents than a matrix with ranks beside each other in memory has, and than int8 counts."""
    rng = np.random.default_rng(5)
    groups = np.repeat([1, 2, 3], [400, 300, 40])
    y_true = np.where(rng.random(740) < 0.1, rng.integers(1, 4, 740), 0)
    y_score = rng.integers(0, 5, 740)
    options = options | {"groups": groups, "average": None}
    _, values = curve(y_true, y_score, **options)
    for k in (1, 39, 41, 150, 300, 399, 400):
        expected = metric(y_true, y_score, k=k, **options)
        np.testing.assert_allclose(values[:, k - 1], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("curve", CURVES)
def test_cutoff_curve_ends_at_longest_list(curve, rows):
    y_true, y_score, groups = rows
    k, values = curve(y_true, y_score, groups=groups)
    assert k.tolist() == list(range(1, longest(groups) + 1))
    assert len(values) == len(k)


@pytest.mark.parametrize("curve", CURVES)
def test_cutoff_curve_stops_at_max_k(curve, rows):
    y_true, y_score, groups = rows
    _, whole = curve(y_true, y_score, groups=groups, average=None)
    k, values = curve(y_true, y_score, groups=groups, average=None, max_k=4)
    np.testing.assert_allclose(values, whole[:, :4], rtol=0, atol=1e-12)
    assert k.tolist() == [1, 2, 3, 4]


def test_precision_and_f1_curves_decrease_beyond_list_end():
    rows = [1, 1], [2, 1]
    with pytest.warns(RankingWarning, match="equally relevant"):
        _, precision = precision_curve(*([each, each] for each in rows), max_k=4)
    f1 = curve_moments("f1", [1, 0], [2, 1], groups=[0, 0], max_k=4).mean
    np.testing.assert_allclose(precision, [1, 1, 2 / 3, 2 / 4], rtol=0, atol=1e-15)
    np.testing.assert_allclose(f1, [1, 2 / 3, 2 / 4, 2 / 5], rtol=0, atol=1e-15)


def test_hit_rate_curve_of_ties_is_probability_of_hit():
    """Of one in three: a third more with each rank; of two in four, all tied: 1 - C(4 - k, 2) / C(4, 2)."""
    values = curve_moments("hit_rate", [1, 0, 0, 1, 1, 0, 0], np.zeros(7), groups=[0, 0, 0, 1, 1, 1, 1]).mean
    expected = [[1 / 3, 2 / 3, 1, 1], [1 - 3 / 6, 1 - 1 / 6, 1, 1]]
    np.testing.assert_allclose(values, np.mean(expected, axis=0), rtol=0, atol=1e-15)


@pytest.mark.parametrize("curve", CURVES)
def test_cutoff_curve_warns_without_relevant_documents(curve):
    with pytest.warns(UndefinedMetricWarning, match=f"{curve.__name__} is undefined"):
        _, values = curve([0, 0], [2, 1], groups=[0, 0], zero_division=np.nan, max_k=5)
    assert np.isnan(values).all()


@pytest.mark.parametrize("curve", CURVES)
def test_cutoff_curve_keeps_zero_division_value_beyond_list_end(curve):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, values = curve([0, 0], [2, 1], groups=[0, 0], zero_division=1.0, max_k=5)
    assert values.tolist() == [1.0] * 5


@pytest.mark.parametrize("option", [{"average": "micro"}, {"max_k": 0}, {"zero_division": 0.5}], ids=name_of)
@pytest.mark.parametrize("curve", CURVES)
def test_cutoff_curve_names_invalid_option(curve, option):
    [parameter] = option
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {curve.__name__} must"):
        curve([1, 0], [2, 1], groups=[0, 0], **option)
