"""Metrics and options that other libraries have: MAP@R, F-beta, partial AUC, NDCG of a full ideal ranking."""

from math import log2

import numpy as np
import pytest

from sklearn_rank import f1_at_k_score, group_auc_score, ndcg_score, ranking_scores
from sklearn_rank.metrics import map_at_r_score, ndcg_curve, nrbp_score

BY_HAND = [
    # Of three relevant documents, those at ranks 1 and 3 are among the first three.
    ("map_at_r", [1, 0, 1, 1], (1 + 2 / 3) / 3),
    ("map_at_r", [0, 1, 0], 0),
    # Precision is 1 / 2 and recall 1 / 3.
    ("f1@2(beta=2)", [1, 0, 1, 1], 5 / (4 / (1 / 3) + 1 / (1 / 2))),
    ("f1@2(beta=0.5)", [1, 0, 1, 1], 1.25 / (0.25 / (1 / 3) + 1 / (1 / 2))),
    # Up to a rate of 1 / 4, half of the relevant documents are above all others: 1 / 8, of at most 1 / 4.
    ("group_auc(max_fpr=0.25)", [1, 0, 0, 1, 0, 0], (1 + (1 / 8 - 1 / 32) / (1 / 4 - 1 / 32)) / 2),
    # The rate 3 / 8 is in the middle of the second document that is not relevant.
    ("group_auc(max_fpr=0.375)", [0, 1, 0, 0, 0], (1 + (1 / 8 - 9 / 128) / (3 / 8 - 9 / 128)) / 2),
    ("ndcg@3(ideal=full)", [0, 1, 0, 1], (1 / log2(3)) / (1 + 1 / log2(3) + 1 / 2)),
    ("ndcg@3(ideal=full)", [1, 2], (1 + 2 / log2(3)) / (2 * (1 + 1 / log2(3) + 1 / 2))),
]


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # lists are shorter than k
@pytest.mark.parametrize(("name", "y_true", "expected"), BY_HAND)
def test_metrics_of_peers_match_hand_computed_values(name, y_true, expected):
    y_score = [-np.arange(len(y_true))]
    assert ranking_scores([y_true], y_score, metrics=[name])[name] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("max_fpr", [0.01, 0.2, 0.5, 0.999])
def test_partial_auc_of_constant_scores_is_mean_over_orders(max_fpr):
    y_true = [[1] + [0] * 4]
    orders = [np.roll(y_true[0], place) for place in range(5)]
    values = [group_auc_score([order], [[5, 4, 3, 2, 1]], max_fpr=max_fpr) for order in orders]
    assert group_auc_score(y_true, np.zeros((1, 5)), max_fpr=max_fpr) == pytest.approx(np.mean(values))


def test_full_ideal_of_labels_0_and_1_is_dcg_of_k_ones():
    y_true, y_score = np.eye(4)[[0, 2]], [[4, 3, 2, 1]] * 2
    ones = sum(1 / log2(rank + 1) for rank in range(1, 11))
    expected = [1 / ones, 1 / 2 / ones]
    assert ndcg_score(y_true, y_score, k=10, ideal="full", average=None) == pytest.approx(expected)


def test_full_ideal_excludes_queries_without_a_gain():
    values = ndcg_score([[0, 0], [1, 0]], [[2, 1]] * 2, k=1, ideal="full", zero_division=np.nan, average=None)
    assert np.isnan(values[0])
    assert values[1] == 1


def test_curves_have_no_full_ideal():
    with pytest.raises(TypeError, match="ideal"):
        ndcg_curve([[1, 0]], [[2, 1]], ideal="full")


INVALID = [
    (
        ndcg_score,
        {"ideal": "full"},
        "'k' parameter of ndcg_score must be an int from 1 to 1000000 with ideal='full'",
    ),
    (ndcg_score, {"ideal": "full", "k": 10**6 + 1}, "'k' parameter .* with ideal='full'. Got 1000001"),
    (
        ndcg_score,
        {"ideal": "ones", "k": 5},
        "'ideal' parameter of ndcg_score must be one of 'judged', 'full'",
    ),
    (
        f1_at_k_score,
        {"beta": 0, "k": 5},
        "'beta' parameter of f1_at_k_score must be a number above 0, up to 1e100. Got 0",
    ),
    (
        f1_at_k_score,
        {"beta": np.inf, "k": 5},
        "'beta' parameter of f1_at_k_score must be a number above 0, up to 1e100",
    ),
    (
        group_auc_score,
        {"max_fpr": 0},
        "'max_fpr' parameter .* must be a number above 0, up to 1, or None. Got 0",
    ),
    (group_auc_score, {"max_fpr": 1.5}, "'max_fpr' parameter of group_auc_score must be a number above 0"),
    (group_auc_score, {"max_fpr": "half"}, "'max_fpr' parameter .* Got 'half'"),
]


@pytest.mark.parametrize(("function", "options", "rule"), INVALID)
def test_options_of_peers_reject_invalid_values(function, options, rule):
    with pytest.raises(ValueError, match=rule):
        function([[1, 0]], [[2, 1]], **options)


def test_beta_of_nrbp_must_be_below_1():
    with pytest.raises(
        ValueError, match="'beta' parameter of nrbp_score must be a number above 0 and below 1"
    ):
        nrbp_score([[1], [0]], [2, 1], groups=[0, 0], beta=1)


def test_map_at_r_is_exact_for_tied_scores():
    # Two orders: the relevant document first, with 1, or second, with 0.
    assert map_at_r_score([[1, 0]], [[1, 1]]) == 0.5
