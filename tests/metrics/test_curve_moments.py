"""Means and standard errors of curves, compared with the values of all queries."""

import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_rank
from sklearn_rank import RankingWarning
from sklearn_rank.metrics import curve_moments, recall_curve
from tests.helpers.naming import name_of
from tests.helpers.table import with_unjudged

CURVES = {
    stem: getattr(sklearn_rank.metrics, f"{stem}_curve") for stem in ("ndcg", "map", "precision", "recall")
}
OPTIONS = [
    {},
    {"max_k": 3, "ties": "order"},
    {"zero_division": 1.0, "average": "weighted"},
    {"zero_division": np.nan},
    {"max_k": 40, "unjudged": "drop"},
]
each_curve = pytest.mark.parametrize("name", CURVES)
each_option = pytest.mark.parametrize("options", OPTIONS, ids=name_of)


@pytest.fixture(params=[False, True], ids=["all retrieved", "some not retrieved"])
def rows(request, queries):
    """Queries of 1 to 20 documents, two of them without any that is relevant, or without any retrieved."""
    y_true, y_score, groups = queries
    y_true = np.where(np.isin(groups, ["q05", "q06"]), 0, y_true)
    y_score = np.where((groups == "q07") & request.param, -np.inf, y_score)
    kept = np.ones(len(y_true), dtype=bool)
    for n in range(1, 9):
        kept[np.flatnonzero(groups == f"q1{n}")[n:]] = False
    return y_true[kept], y_score[kept], groups[kept]


def moments(values, weights):
    """Mean and standard error of each column, by the formula; of rows that are defined."""
    counted = ~np.isnan(values[:, 0]) & (weights > 0)
    values, weights, n = values[counted], weights[counted, None], counted.sum()
    mean = (weights * values).sum(axis=0) / weights.sum()
    errors = weights * (values - mean) / weights.sum()
    return mean, np.sqrt(n / (n - 1) * (errors**2).sum(axis=0))


def split_options(options, y_true, groups):
    """Labels, what one curve per query takes, and the weights of the queries in the mean."""
    given = {name: value for name, value in options.items() if name != "average"}
    sizes = np.unique(groups, return_counts=True)[1]
    by_size = sizes if options.get("average") == "weighted" else np.ones(len(sizes))
    labels = with_unjudged(y_true) if "unjudged" in options else y_true
    return labels, given | {"groups": groups, "average": None}, by_size


@each_option
@each_curve
def test_curve_moments_match_values_of_all_queries(name, options, rows):
    y_true, y_score, groups = rows
    labels, given, by_size = split_options(options, y_true, groups)
    row_weights = np.unique(groups, return_inverse=True)[1] % 4  # a quarter of the queries has weight 0
    k, values = CURVES[name](labels, y_score, **given)
    weights = by_size * (np.arange(len(by_size)) % 4)
    got = curve_moments(name, labels, y_score, groups=groups, sample_weight=row_weights, **options)
    mean, standard_error = moments(values, weights)
    assert got.k.tolist() == k.tolist()
    np.testing.assert_allclose(got.mean, mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got.standard_error, standard_error, rtol=1e-9, atol=1e-15)


@each_option
@each_curve
def test_curve_moments_of_difference_match_values_of_each_query(name, options, rows):
    y_true, y_score, groups = rows
    other = np.roll(y_score, 1)
    labels, given, by_size = split_options(options, y_true, groups)
    values = CURVES[name](labels, y_score, **given)[1] - CURVES[name](labels, other, **given)[1]
    got = curve_moments(name, labels, y_score, groups=groups, y_score_other=other, **options)
    mean, standard_error = moments(values, by_size)
    np.testing.assert_allclose(got.mean, mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got.standard_error, standard_error, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("paired", [False, True])
@each_curve
def test_curve_moments_match_values_over_several_blocks(name, paired):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(1000), rng.integers(1, 40, 1000))
    y_true = rng.integers(0, 4, len(groups)) * (rng.random(len(groups)) < 0.3)
    y_score, other = rng.standard_normal((2, len(groups))).round(1)
    row_weights = groups % 7 / 10
    given = {"groups": groups, "average": None, "zero_division": np.nan}
    values = CURVES[name](y_true, y_score, **given)[1]
    if paired:
        values = values - CURVES[name](y_true, other, **given)[1]
    given |= {"average": "macro", "sample_weight": row_weights, "y_score_other": other if paired else None}
    got = curve_moments(name, y_true, y_score, **given)
    mean, standard_error = moments(values, np.arange(1000) % 7 / 10)
    np.testing.assert_allclose(got.mean, mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got.standard_error, standard_error, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("zero_division", [0.0, np.nan])
def test_curve_moments_of_difference_handle_unretrieved_queries(zero_division):
    """An adaptive cutoff has nothing to divide by there: the query has its value, or leaves the pair."""
    y_true, groups = [[1, 0], [0, 1], [1, 1]], {"zero_division": zero_division, "adaptive_k": True}
    one, other = [[2, 1], [2, 1], [2, 1]], [[1, 2], [1, 2], [-np.inf, -np.inf]]
    got = curve_moments("precision", y_true, one, y_score_other=other, **groups)
    differences = np.array([[1, 0], [-1, 0], [1 - zero_division, 1 - zero_division]])
    mean, standard_error = moments(differences, np.ones(3))
    np.testing.assert_allclose(got.mean, mean)
    np.testing.assert_allclose(got.standard_error, standard_error, atol=1e-15)
    assert got.n_queries == (2 if np.isnan(zero_division) else 3)


@each_curve
def test_curve_moments_mean_equals_curve_exactly(name, rows):
    y_true, y_score, groups = rows
    _, mean = CURVES[name](y_true, y_score, groups=groups)
    assert curve_moments(name, y_true, y_score, groups=groups).mean.tolist() == mean.tolist()


@each_curve
def test_curve_moments_standard_error_ignores_scale_of_weights(name, rows):
    y_true, y_score, groups = rows
    weights = np.unique(groups, return_inverse=True)[1] + 1.0
    got = [
        curve_moments(name, y_true, y_score, groups=groups, sample_weight=weights * scale).standard_error
        for scale in (1, 1e-300, 1e290)
    ]
    np.testing.assert_allclose(got[1:], [got[0]] * 2, rtol=1e-12)


def test_curve_moments_of_two_rows_have_half_difference_as_error():
    """Precision at 1 is 1 and 0; at 2 both have 1/2."""
    got = curve_moments("precision", [[1, 0], [0, 1]], [[2, 1], [2, 1]])
    np.testing.assert_allclose(got.mean, [1 / 2, 1 / 2])
    np.testing.assert_allclose(got.standard_error, [1 / 2, 0], atol=1e-15)


def test_curve_moments_standard_error_is_accurate_for_small_spread():
    """NDCG@1 of 1 / (1 + i / 10**6): the mean of squares less the square of the mean has nine digits less."""
    lengths = np.arange(60) % 20 + 2
    groups = np.repeat(np.arange(60), lengths)
    y_true, y_score = np.zeros(len(groups)), -np.arange(len(groups))
    firsts = np.cumsum(lengths) - lengths
    y_true[firsts], y_true[firsts + 1] = 1, 1 + np.arange(60) / 1e6
    got = curve_moments("ndcg", y_true, y_score, groups=groups, max_k=1)
    _, [standard_error] = moments(1 / (1 + np.arange(60)[:, None] / 1e6), np.ones(60))
    assert got.standard_error[0] == pytest.approx(standard_error, rel=1e-9)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 0]], ids=name_of)
def test_curve_moments_count_defined_and_effective_queries(weights):
    y_true, y_score = [[1, 0], [0, 1], [1, 0], [0, 0]], [[2, 1]] * 4
    got = curve_moments("recall", y_true, y_score, sample_weight=weights, zero_division=np.nan)
    assert got.n_queries == 3
    assert got.n_effective == pytest.approx(3 if weights is None else 36 / 14)


def test_curve_moments_standard_error_is_nan_for_one_query():
    got = curve_moments("recall", [[1, 0, 1]], [[3, 2, 1]])
    np.testing.assert_allclose(got.mean, [0.5, 0.5, 1])
    assert np.isnan(got.standard_error).all()
    assert (got.n_queries, got.n_effective) == (1, 1.0)


def test_curve_moments_warn_and_return_nan_without_defined_query():
    with pytest.warns(UndefinedMetricWarning, match="curve_moments is undefined"):
        got = curve_moments("map", [[0, 0]], [[2, 1]], zero_division=np.nan)
    assert np.isnan(got.mean).all()
    assert np.isnan(got.standard_error).all()
    assert got.n_queries == 0


def test_curve_moments_warn_when_all_documents_are_relevant():
    with pytest.warns(RankingWarning, match="^curve_moments: all documents are relevant"):
        curve_moments("map", [[1, 2], [1, 1]], [[2, 1], [2, 1]])


def test_curve_moments_ignore_weight_with_underflowing_square():
    y_true, y_score, groups = [1, 0, 0, 1, 1, 0, 1, 1], np.arange(8), [1, 1, 2, 2, 3, 3, 3, 3]
    given = {"groups": groups, "max_k": 6, "zero_division": np.nan}
    weights = np.where(np.equal(groups, 3), 1e-200, 1)
    got = curve_moments("recall", y_true, y_score, sample_weight=weights, **given)
    _, values = recall_curve(y_true, y_score, average=None, **given)
    mean, standard_error = moments(values, np.array([1, 1, 1e-200]))
    np.testing.assert_allclose(got.mean, mean)
    np.testing.assert_allclose(got.standard_error, standard_error, atol=1e-15)


def test_curve_moments_do_not_allocate_matrix_of_all_queries():
    sizes = np.append(np.arange(6000) % 4 + 2, 20_000)
    groups = np.repeat(np.arange(6001), sizes)
    y_true = np.arange(len(groups)) % 3 == 0
    tracemalloc.start()
    got = curve_moments("recall", y_true, -groups, groups=groups)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    _, mean = recall_curve(y_true, -groups, groups=groups)
    assert got.mean.tolist() == mean.tolist()
    assert peak < 100e6  # a matrix of all queries has 960 MB


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"name": "mrr"}, "name"),
        ({"average": None}, "average"),
        ({"average": "micro"}, "average"),
        ({"max_k": 0}, "max_k"),
        ({"name": "map", "denominator": "hits"}, "denominator"),
        ({"y_score_other": [1, 2, 3]}, "y_score"),
        ({"y_score_other": [1, np.nan]}, "y_score"),
        ({"groups": None}, "groups"),
    ],
    ids=name_of,
)
def test_curve_moments_name_invalid_parameter(given, parameter):
    given = {"name": "ndcg", "groups": [0, 0]} | given
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of curve_moments (must|is required)"):
        curve_moments(y_true=[1, 0], y_score=[2, 1], **given)


def test_curve_moments_reject_option_of_other_curves():
    with pytest.raises(TypeError, match="'gain'"):
        curve_moments("map", [[1, 0]], [[2, 1]], gain="linear")


def test_curve_moments_reject_rows_in_different_order():
    pandas = pytest.importorskip("pandas")
    one, moved = (
        pandas.Series([2.0, 1.0, 0.0], ["a", "b", "c"]),
        pandas.Series([1.0, 0.0, 2.0], ["b", "c", "a"]),
    )
    with pytest.raises(ValueError, match="'y_score' parameter of curve_moments must have its rows"):
        curve_moments("map", one, one, groups=[0, 0, 0], y_score_other=moved)
