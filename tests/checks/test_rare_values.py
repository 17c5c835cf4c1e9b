"""Rare but valid values, which are accepted without a warning."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mean_absolute_error

from sklearn_rank import (
    dcg_score,
    from_recommendations,
    from_score_matrix,
    group_score,
    mrr_score,
    ndcg_score,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import recall_at_k_score
from tests.helpers.public_calls import GOOD
from tests.helpers.table import BY_ORDER, CUTOFFS, METRICS, SCORE_OF

NAN, INF = float("nan"), float("inf")


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("k", [np.int64(1), np.uint8(2), 10**9, 2**62], ids=repr)
@pytest.mark.parametrize("stem", CUTOFFS)
def test_cutoff_accepts_any_positive_int(stem, k):
    assert SCORE_OF[stem](**GOOD | {"y_score": [1, 2, 2, 1]}, k=k) > 0


@pytest.mark.parametrize("stem", [stem for stem in CUTOFFS if METRICS[stem].cutoff == "optional"])
def test_cutoff_none_means_whole_list(stem):
    rows = GOOD | {"y_score": [1, 2, 2, 1]}
    assert SCORE_OF[stem](**rows, k=None) == SCORE_OF[stem](**rows, k=len(rows["y_true"]))


@pytest.mark.parametrize("label", [0.5, 2**40, 1100, 1e300, np.float16(0.5)], ids=repr)
def test_ndcg_accepts_any_finite_nonnegative_label(label):
    assert ndcg_score([[0, label]], [[2, 1]]) == pytest.approx(1 / np.log2(3), abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", BY_ORDER)
def test_score_of_plus_infinity_ranks_first(stem):
    top, high = ({"y_score": [first, 3.0, 2.0, 1.0]} for first in (INF, 4.0))
    function = SCORE_OF[stem]
    assert function(**GOOD | top) == function(**GOOD | high)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e100, 1e300])
def test_recall_does_not_depend_on_size_of_weights(average, scale):
    arguments = {"y_true": [0, 1, 1, 1], "sample_weight": [scale] * 4}
    got = recall_at_k_score(**GOOD | arguments, k=1, average=average)
    assert got == pytest.approx({"macro": 1 / 4, "weighted": 1 / 4, "micro": 1 / 3}[average], abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # two documents would halve it
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("weights", [None, [1, 1, 3]])
def test_dcg_mean_of_values_near_float_maximum_is_finite(average, weights):
    got = dcg_score([5e307] * 3, [1, 2, 3], groups=[0, 1, 2], average=average, sample_weight=weights)
    assert got == pytest.approx(5e307, rel=1e-15)


def test_group_score_mean_of_largest_floats_is_finite():
    got = group_score(mean_absolute_error, [0, 0], [1.7e308, 1.7e308], groups=[0, 1])
    assert got == pytest.approx(1.7e308, rel=1e-15)


@pytest.mark.parametrize("labels", [[False, np.float16(0.5)], [0, np.True_], [Decimal(0), np.float16(0.5)]])
def test_ndcg_reads_labels_of_several_types_without_warning(labels):
    assert ndcg_score([labels], [[2, 1]]) == pytest.approx(1 / np.log2(3), abs=1e-12)


@pytest.mark.parametrize("top", [np.longdouble("1e4000"), 10**400, Decimal("1e999")], ids=repr)
def test_score_beyond_float_range_ranks_first(top):
    assert mrr_score([[0, 1, 0]], [[1, top, 2]]) == 1
    assert mrr_score([[0, 1, 0]], np.array([[1, top, 2]], dtype=object)) == 1


def test_numpy_bool_and_large_integer_are_compared():
    assert mrr_score([[0, 1]], [[np.True_, 2**70]]) == 1


BIG = np.int64(2**62 + 1)
SEVERAL_PRECISIONS = [[0.1, np.float32(0.1)], [np.int8(1), 300], [1e300, np.float32(1)]]
SEVERAL_PRECISIONS += [[(each, "a") for each in ids] for ids in SEVERAL_PRECISIONS]
SEVERAL_PRECISIONS += [[Fraction(BIG, np.int64(3)), Fraction(BIG, np.int64(5))]]


@pytest.mark.parametrize("ids", SEVERAL_PRECISIONS, ids=repr)
def test_ids_of_several_precisions_are_compared_exactly(ids):
    values = mrr_score([1, 0, 0, 0], [1, 2, 3, 4], groups=[*ids, *ids], average=None)
    assert sorted(values) == [0, 1 / 2]


def test_from_recommendations_keeps_item_ids_beyond_any_dtype():
    recommended = [[2**63, 2**63 + 1, -1]]
    assert from_recommendations([[]], recommended, return_items=True)[3].tolist() == recommended[0]


def test_from_score_matrix_accepts_empty_sparse_matrix():
    scores, relevant = sparse.csr_array([[0.5, 1]]), sparse.csr_array((1, 2))
    assert from_score_matrix(relevant, scores)[0].tolist() == [0, 0]
    assert from_score_matrix(relevant, relevant)[0].tolist() == []


def test_timedelta_item_is_not_integer_padding():
    items = from_recommendations([[]], [[np.timedelta64(1, "D")]], padding=1, return_items=True)[3]
    assert items.tolist() == [datetime.timedelta(1)]


def test_timedelta_padding_applies_only_to_timedelta_items():
    one, two = np.timedelta64(1, "D"), np.timedelta64(2, "D")
    assert from_recommendations([[]], [[two, one]], padding=one, return_items=True)[3].tolist() == [two]
    assert from_recommendations([[]], [[one, 1]], padding=1, return_items=True)[3].tolist() == [one]


def test_make_ranking_accepts_noise_of_any_real_type():
    given = {"n_queries": 2, "random_state": 0}
    some, same = (make_ranking(**given, noise=noise) for noise in (Fraction(1, 2), 0.5))
    np.testing.assert_array_equal(some[1], same[1])
