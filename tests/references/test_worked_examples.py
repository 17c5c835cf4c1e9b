"""Worked examples from articles, papers and docstrings."""

import numpy as np
import pytest

from sklearn_rank import (
    dcg_score,
    map_score,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)
from tests.helpers.reference_data import needs_reference, read_json
from tests.helpers.table import METRICS, SCORE_OF


def ranked(labels):
    """One list of labels in ranked order, with scores that rank them so."""
    return np.array([labels]), np.arange(len(labels), 0, -1.0)[None]


def hits_at(*ranks):
    return [int(rank in ranks) for rank in range(1, max(ranks) + 1)]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, 0, 1, 0, 1, 0], 0.7556), (hits_at(2, 3, 5), 0.5889), (hits_at(1, 3, 6), 0.7222)],
)
def test_map_matches_published_average_precision(labels, expected):
    assert map_score(*ranked(labels)) == pytest.approx(expected, abs=5e-5)


def test_mrr_matches_published_reciprocal_rank():
    assert mrr_score(*ranked(hits_at(2, 3, 5))) == 0.5


def test_mrr_of_first_hits_at_3_2_1_matches_published_value():
    lists = [hits_at(3), hits_at(2), hits_at(1)]
    y_score = np.concatenate([ranked(labels)[1][0] for labels in lists])
    groups = np.repeat([0, 1, 2], [len(labels) for labels in lists])
    assert mrr_score(np.concatenate(lists), y_score, groups=groups) == pytest.approx(11 / 18, abs=1e-15)


@pytest.mark.parametrize(
    ("labels", "dcg", "ndcg"), [([0, 1, 1, 0, 1], 1.5178, 0.7123), ([0, 0, 1, 1, 1], 1.3175, 0.6183)]
)
def test_dcg_and_ndcg_match_published_binary_example(labels, dcg, ndcg):
    assert dcg_score(*ranked(labels)) == pytest.approx(dcg, abs=5e-5)
    assert ndcg_score(*ranked(labels)) == pytest.approx(ndcg, abs=5e-5)


def test_dcg_and_ndcg_match_published_graded_example():
    y_true, y_score = ranked([3, 2, 3, 0, 1, 2])
    assert dcg_score(y_true, y_score, discount=None) == 11
    assert dcg_score(y_true, y_score) == pytest.approx(6.861, abs=5e-4)
    assert dcg_score(y_true, y_score, gain="exponential") == pytest.approx(13.848, abs=5e-4)
    assert ndcg_score(y_true, y_score) == pytest.approx(0.961, abs=5e-4)
    assert ndcg_score(y_true, y_score, gain="exponential") == pytest.approx(0.949, abs=5e-4)


def test_ndcg_with_unretrieved_documents_matches_published_example():
    y_true, y_score = [[3, 2, 3, 0, 1, 2, 3, 2]], [[6, 5, 4, 3, 2, 1, -np.inf, -np.inf]]
    assert ndcg_score(y_true, y_score, k=6) == pytest.approx(0.785, abs=5e-4)
    assert ndcg_score(y_true, y_score, k=6, gain="exponential") == pytest.approx(0.751, abs=5e-4)


def test_dcg_and_ndcg_match_second_published_graded_example():
    y_true, y_score = ranked([3, 1, 2, 3, 2])
    assert dcg_score(y_true, y_score, discount=None) == 11
    assert dcg_score(y_true, y_score) == pytest.approx(6.697, abs=5e-4)
    assert ndcg_score(y_true, y_score) == pytest.approx(0.938, abs=5e-4)


def test_short_ranking_equals_ranking_with_irrelevant_padding():
    y_true, y_score = ranked([0, 2, 1])
    filled, filled_score = ranked([0, 2, 1, 0, 0, 0, 0, 0, 0, 0])
    assert ndcg_score(y_true, y_score, k=10) == ndcg_score(filled, filled_score, k=10)
    assert precision_at_k_score(y_true, y_score, k=10) == 2 / 10


def test_hit_ratio_is_micro_averaged_recall():
    n_relevant, n_found = [10, 12, 8], [6, 5, 4]
    lists = [
        [1] * found + [0] * (10 - found) + [1] * (total - found) for total, found in zip(n_relevant, n_found)
    ]
    y_score = np.concatenate([ranked(labels)[1][0] for labels in lists])
    groups = np.repeat(["u", "v", "w"], [len(labels) for labels in lists])
    got = recall_at_k_score(np.concatenate(lists), y_score, groups=groups, k=10, average="micro")
    assert got == 0.5


STEMS = {"ap": "map", "auc": "group_auc", "fall_out": "fallout_loss"}
CASES = list(read_json("worked_examples/cases.json"))


@needs_reference
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_metric_matches_published_case(case):
    stem = STEMS.get(case["metric"], case["metric"])
    options = {name: value for name, value in case["params"].items() if name != "discount"}  # log2 throughout
    options.update({"k": case["k"]} if METRICS[stem].cutoff != "none" else {})
    groups = case["groups"] or np.zeros(len(case["y_true"]))
    function = SCORE_OF[stem]
    got = function(case["y_true"], case["y_score"], groups=groups, **options)
    assert got == pytest.approx(case["expected"], abs=case["atol"])
    if case["expected_per_group"]:
        per_group = function(case["y_true"], case["y_score"], groups=groups, average=None, **options)
        np.testing.assert_allclose(per_group, case["expected_per_group"], atol=case["atol"])
