"""Arguments have the same meaning in all metrics."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    dcg_score,
    f1_at_k_score,
    group_auc_score,
    hit_rate_at_k_score,
    map_score,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from tests.helpers.table import BINARY, CUTOFFS, METRICS, SCORE_OF

ALL = pytest.mark.parametrize("stem", METRICS)
CUTOFF = pytest.mark.parametrize("stem", CUTOFFS)
MICRO = [stem for stem, entry in METRICS.items() if entry.micro]


def per_query(stem, queries, **options):
    y_true, y_score, groups = queries
    return SCORE_OF[stem](y_true, y_score, groups=groups, average=None, **options)


# ------------------------------------------------------------------ averages and weights


@ALL
def test_macro_average_is_mean_of_defined_queries(stem, queries):
    y_true, y_score, groups = queries
    expected = np.nanmean(per_query(stem, queries))
    assert SCORE_OF[stem](y_true, y_score, groups=groups) == pytest.approx(expected, abs=1e-12)


@ALL
def test_weighted_average_weights_queries_by_rows(stem, queries):
    y_true, y_score, groups = queries
    values, sizes = per_query(stem, queries), np.unique(groups, return_counts=True)[1]
    defined = ~np.isnan(values)
    expected = np.average(values[defined], weights=sizes[defined])
    got = SCORE_OF[stem](y_true, y_score, groups=groups, average="weighted")
    assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@ALL
def test_integer_sample_weights_equal_repeated_queries(stem, average, queries):
    y_true, y_score, groups = queries
    weights = np.unique(groups, return_inverse=True)[1] % 3
    copies = [(groups[weights > i], np.flatnonzero(weights > i), i) for i in range(2)]
    repeated = np.concatenate([np.char.add(ids, str(i)) for ids, _, i in copies])
    rows = np.concatenate([rows for _, rows, _ in copies])
    function = SCORE_OF[stem]
    expected = function(y_true[rows], y_score[rows], groups=repeated, average=average)
    got = function(y_true, y_score, groups=groups, sample_weight=weights, average=average)
    assert got == pytest.approx(expected, abs=1e-12)


@ALL
def test_metrics_do_not_depend_on_scale_of_weights(stem, queries):
    y_true, y_score, groups = queries
    weights = 1.0 + np.unique(groups, return_inverse=True)[1] % 3
    function = SCORE_OF[stem]
    one = function(y_true, y_score, groups=groups, sample_weight=weights)
    assert function(y_true, y_score, groups=groups, sample_weight=weights * 1e-7) == pytest.approx(
        one, abs=1e-12
    )


def test_weights_apply_to_queries_with_zero_division_value():
    y_true, y_score, groups = [1, 0, 0, 0], [2, 1, 2, 1], [0, 0, 1, 1]
    weights = [0.1, 0.1, 0.3, 0.3]
    got = ndcg_score(y_true, y_score, groups=groups, sample_weight=weights, zero_division=1.0)
    assert got == 1.0
    got = ndcg_score(y_true, y_score, groups=groups, sample_weight=weights)
    assert got == pytest.approx(0.25, abs=1e-15)


def test_query_of_weight_zero_is_removed_even_if_undefined():
    y_true, y_score, groups = [1, 0, 0, 0], [2, 1, 2, 1], [0, 0, 1, 1]
    assert group_auc_score(y_true, y_score, groups=groups, sample_weight=[1, 1, 0, 0]) == 1.0


@pytest.mark.parametrize(("stem", "expected"), [("precision", 4 / 6), ("recall", 4 / 4), ("f1", 8 / 10)])
def test_micro_average_is_ratio_of_sums(stem, expected):
    y_true, y_score = [[1, 1, 1, 0], [1, 0, 0, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]]
    assert SCORE_OF[stem](y_true, y_score, k=3, average="micro") == pytest.approx(expected, abs=1e-15)


def test_micro_average_uses_sample_weight():
    y_true, y_score = [[1, 1], [1, 0]], [[2, 1], [1, 2]]
    got = recall_at_k_score(y_true, y_score, k=1, average="micro", sample_weight=[3, 1])
    assert got == pytest.approx(3 * 1 / (3 * 2 + 1 * 1), abs=1e-15)


@pytest.mark.parametrize("stem", [stem for stem in METRICS if stem not in MICRO])
def test_micro_average_is_rejected_if_metric_is_not_a_ratio_of_counts(stem, queries):
    y_true, y_score, groups = queries
    with pytest.raises(
        ValueError, match=r"'average' parameter of \w+ must be 'macro', 'weighted'(, 'geometric')? or None"
    ):
        SCORE_OF[stem](y_true, y_score, groups=groups, average="micro")


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", MICRO)
@pytest.mark.parametrize(("value", "expected"), [(0.0, 1 / 4), (1.0, 3 / 4), (np.nan, 1 / 2)])
def test_micro_average_treats_undefined_queries_by_zero_division(stem, value, expected):
    y_true, y_score = [[1, 0], [0, 0]], [[2, 1], [2, 1]]  # k=2: one of two; no relevant document
    if stem == "fallout_loss":
        y_true = [[1, 0], [1, 1]]
    k = {"k": 2} if stem in CUTOFFS else {}
    got = SCORE_OF[stem](y_true, y_score, average="micro", zero_division=value, **k)
    if stem == "precision":
        assert got == expected
    elif stem == "average_rank_loss":  # the rank of the relevant document
        assert got == 1
    elif stem == "f1":  # 2 hits / (k + R): 2 of 3, and 0 of 2
        assert got == pytest.approx({0.0: 2 / 5, 1.0: 4 / 5}.get(value, 2 / 3), abs=1e-15)
    else:  # an undefined query adds nothing to either sum
        assert got == 1


def test_micro_average_uses_zero_division_without_relevant_documents():
    assert recall_at_k_score([[0, 0]], [[2, 1]], k=1, average="micro", zero_division=1.0) == 1.0
    with pytest.warns(UndefinedMetricWarning, match="recall_at_k_score is undefined"):
        assert np.isnan(recall_at_k_score([[0, 0]], [[2, 1]], k=1, average="micro", zero_division=np.nan))


# ------------------------------------------------------------------ undefined queries


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("stem", [stem for stem in METRICS if "zero_division" in METRICS[stem].defaults])
def test_zero_division_is_value_of_undefined_query(stem, value):
    undefined = {"fallout_loss": ([1, 1], [1, 2]), "judged": ([1, 1], [-np.inf, -np.inf])}
    labels, scores = undefined.get(stem, ([0, 0], [1, 2]))
    y_true, y_score, groups = [*labels, 1, 0], [*scores, 2, 1], ["a", "a", "b", "b"]
    got = SCORE_OF[stem](y_true, y_score, groups=groups, zero_division=value, average=None)
    np.testing.assert_array_equal(got[0], value)


def test_group_auc_is_undefined_for_queries_of_one_class():
    y_true, y_score, groups = [0, 0, 1, 1, 0, 1], [1, 2, 1, 2, 1, 2], [0, 0, 1, 1, 2, 2]
    got = group_auc_score(y_true, y_score, groups=groups, average=None)
    np.testing.assert_array_equal(got, [np.nan, np.nan, 1.0])


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_ndcg_warns_and_returns_nan_when_all_queries_are_undefined(average):
    with pytest.warns(UndefinedMetricWarning, match="ndcg_score is undefined: no query has a value"):
        assert np.isnan(ndcg_score([[0, 0]], [[1, 2]], zero_division=np.nan, average=average))


def test_metrics_of_one_document_are_one_or_zero():
    for function in (ndcg_score, map_score, mrr_score, r_precision_score):
        assert function([[3]], [[0.5]]) == 1.0
        assert function([[0]], [[0.5]]) == 0.0


# ------------------------------------------------------------------ cutoffs and thresholds


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", [stem for stem in CUTOFFS if stem not in ("precision", "f1")])
def test_cutoff_beyond_list_changes_nothing_unless_k_divides(stem, queries):
    longest = np.unique(queries[2], return_counts=True)[1].max()
    expected = per_query(stem, queries, k=longest)
    np.testing.assert_allclose(per_query(stem, queries, k=10**9), expected, atol=1e-15)
    if METRICS[stem].cutoff == "optional":
        np.testing.assert_allclose(per_query(stem, queries), expected, atol=1e-15)


@CUTOFF
def test_cutoff_accepts_numpy_integer(stem, queries):
    np.testing.assert_array_equal(per_query(stem, queries, k=np.int64(3)), per_query(stem, queries, k=3))


def test_precision_divides_by_k_or_list_length():
    assert precision_at_k_score([[1, 1]], [[2, 1]], k=10) == 0.2
    assert precision_at_k_score([[1, 1]], [[2, 1]], k=10, adaptive_k=True) == 1.0


def test_map_divides_by_chosen_denominator():
    y_true, y_score = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]  # hits at 1 and 3 of the top 3; R = 4
    hits = 1 + 2 / 3
    assert map_score([y_true], [y_score], k=3) == pytest.approx(hits / 3, abs=1e-15)
    assert map_score([y_true], [y_score], k=3, denominator="relevant") == pytest.approx(hits / 4, abs=1e-15)
    assert map_score([y_true], [y_score], k=3, denominator="hits") == pytest.approx(hits / 2, abs=1e-15)


@pytest.mark.parametrize("stem", BINARY)
def test_min_relevance_equals_binarized_labels(stem, queries):
    y_true, y_score, groups = queries
    binarised = (y_true >= 3, y_score, groups)
    np.testing.assert_array_equal(per_query(stem, queries, min_relevance=3), per_query(stem, binarised))


def test_fractional_labels_are_compared_with_min_relevance():
    assert mrr_score([[0.4, 0.6]], [[2, 1]], min_relevance=0.5) == 0.5
    assert ndcg_score([[0.4, 0.6]], [[2, 1]], k=1) == pytest.approx(0.4 / 0.6, abs=1e-15)


# ------------------------------------------------------------------ gains and discounts


@pytest.mark.parametrize(
    "gain",
    [
        lambda labels: 2**labels - 1,
        [0, 1, 3, 7, 15],
        np.array([0, 1, 3, 7, 15]),
        {0: 0, 1: 1, 2: 3, 3: 7, 4: 15},
    ],
    ids=["callable", "list", "array", "dict"],
)
def test_ndcg_custom_gain_equals_named_gain(gain, queries):
    expected = per_query("ndcg", queries, k=5, gain="exponential")
    np.testing.assert_allclose(per_query("ndcg", queries, k=5, gain=gain), expected, atol=1e-15)


def test_dcg_gain_of_lowest_grade_excludes_padding():
    y_true, y_score, groups = [0, 1, 0, 0], [1, 2, 2, 1], [0, 0, 0, 1]  # queries of three and of one
    got = dcg_score(y_true, y_score, groups=groups, gain=[1, 2], discount=None, average=None)
    np.testing.assert_array_equal(got, [4, 1])
    got = dcg_score([[1, 0]], [[1, -np.inf]], gain=[1, 2], discount=None)
    assert got == 2  # the unretrieved document adds nothing


@pytest.mark.parametrize(
    ("discount", "expected"),
    [
        ("log2", 3 / 1 + 2 / np.log2(3) + 1 / 2),
        ("reciprocal", 3 / 1 + 2 / 2 + 1 / 3),
        (None, 6),
        (lambda rank: 0.5 ** (rank - 1), 3 + 2 / 2 + 1 / 4),
    ],
)
def test_dcg_applies_discount(discount, expected):
    assert dcg_score([[3, 2, 1]], [[3, 2, 1]], discount=discount) == pytest.approx(expected, abs=1e-12)


def test_ndcg_linear_gain_does_not_depend_on_label_scale(queries):
    y_true, y_score, groups = queries
    scaled = per_query("ndcg", (y_true * 7.5, y_score, groups))
    np.testing.assert_allclose(scaled, per_query("ndcg", queries), atol=1e-12)


# ------------------------------------------------------------------ unretrieved documents


def test_unretrieved_documents_have_no_rank():
    y_true, y_score = [0, 1, 1, 1], [2, 1, -np.inf, -np.inf]
    assert recall_at_k_score([y_true], [y_score], k=4) == pytest.approx(1 / 3)
    assert precision_at_k_score([y_true], [y_score], k=4, adaptive_k=True) == 1 / 2
    assert precision_at_k_score([y_true], [y_score], k=4) == 1 / 4
    assert f1_at_k_score([y_true], [y_score], k=4) == pytest.approx(2 / 7)
    assert r_precision_score([y_true], [y_score]) == pytest.approx(1 / 3)
    assert map_score([y_true], [y_score]) == pytest.approx(1 / 2 / 3)
    assert mrr_score([[0, 1]], [[1, -np.inf]]) == 0
    assert hit_rate_at_k_score([[0, 1]], [[1, -np.inf]], k=2) == 0


def test_metrics_are_zero_when_nothing_is_retrieved():
    y_true, y_score = [1, 0], [-np.inf, -np.inf]
    for function in (ndcg_score, map_score, mrr_score, r_precision_score):
        assert function([y_true], [y_score]) == 0
    assert recall_at_k_score([y_true], [y_score], k=2) == 0
    assert precision_at_k_score([y_true], [y_score], k=2) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        assert np.isnan(precision_at_k_score([y_true], [y_score], k=2, adaptive_k=True, zero_division=np.nan))


def test_group_auc_ranks_unretrieved_documents_last():
    groups = np.zeros(4)
    assert group_auc_score([1, 0, 0, 1], [1, 0, -np.inf, -np.inf], groups=groups) == (2 + 0 + 0.5) / 4


def test_group_auc_distinguishes_padding_from_unretrieved_documents():
    # one query of two and one of five documents share a block
    y_true, y_score = [1, 0, 0, 1, 0, 0, 1], [-np.inf, 1, 5, 4, -np.inf, -np.inf, -np.inf]
    groups = [0, 0, 1, 1, 1, 1, 1]
    got = group_auc_score(y_true, y_score, groups=groups, average=None)
    # the second query: the hit at rank 2 beats two of three, the one at the bottom ties with two of them
    np.testing.assert_allclose(got, [0, (2 + 0 + 2 * 0.5) / 6], atol=1e-15)


def test_infinite_scores_rank_first():
    assert mrr_score([[0, 1]], [[1e308, np.inf]]) == 1


# ------------------------------------------------------------------ results


@ALL
def test_metrics_return_builtin_float(stem, queries):
    y_true, y_score, groups = queries
    assert type(SCORE_OF[stem](y_true, y_score, groups=groups)) is float


@ALL
def test_metric_values_are_within_declared_range(stem, queries):
    values = per_query(stem, queries)
    assert np.nanmin(values) >= METRICS[stem].lower - 1e-12
    assert np.nanmax(values) <= METRICS[stem].upper + 1e-12


NOT_ONE = (
    "precision",
    "f1",
    "err",
    "rbp",
    "insq",
    "rbp_residual_loss",
    "fallout_loss",
    "kendall_tau",
    "kendall_tau_ap",
    "spearman",
    "infap",
)


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", [s for s, entry in METRICS.items() if entry.upper == 1 and s not in NOT_ONE])
def test_perfect_ranking_scores_one(stem, queries):
    y_true, _, groups = queries
    options = {"k": len(y_true)} if stem == "recall" else {}
    values = per_query(stem, (y_true, y_true, groups), zero_division=1.0, **options)
    np.testing.assert_allclose(values, 1, atol=1e-12)
