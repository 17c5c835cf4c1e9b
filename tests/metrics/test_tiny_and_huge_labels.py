"""Gains of labels near 0 keep their digits, and large labels are accepted while their sum is finite."""

from math import log, log2

import numpy as np
import pytest

from sklearn_rank import dcg_score, err_score, ndcg_score

SCORES = [0.1, 0.3, 0.2, 0.25]
LABELS = np.array([2.0, 1.0, 0.0, 3.0])
DISCOUNTED = 1 + 3 / log2(3) + 2 / log2(5)  # the DCG of LABELS
NDCG = DISCOUNTED / (3 + 2 / log2(3) + 1 / 2)


@pytest.mark.parametrize("unit", [1e-9, 1e-15, 1e-17, 1e-100, 1e-300])
def test_exponential_gain_of_tiny_labels_is_linear(unit):
    given = {"y_true": unit * LABELS, "y_score": SCORES, "groups": [1] * 4, "gain": "exponential"}
    assert dcg_score(**given) == pytest.approx(log(2) * unit * DISCOUNTED, rel=1e-8)
    assert ndcg_score(**given) == pytest.approx(NDCG, rel=1e-8)
    stop = log(2) * unit * LABELS[[1, 3, 2, 0]]  # the probability to go on is 1 up to 1e-8
    expected = (stop / [1, 2, 3, 4]).sum()
    assert err_score(**given, max_grade=0.001) == pytest.approx(expected / 2**0.001, rel=1e-7)


@pytest.mark.parametrize("grade", [0.5, 1, 1.5, 2, 3, 10, 30, 52, 53])
def test_exponential_gain_is_exact_from_one_half_on(grade):
    value = dcg_score([grade, 0.25], [2, 1], groups=[1, 1], gain="exponential", k=1)
    assert value == 2.0**grade - 1


@pytest.mark.parametrize(
    ("labels", "gain"),
    [
        ([1023, 0], "exponential"),
        ([1e308, 0], "linear"),
        ([1, 0], {0: 0, 1: 1e308}),
        ([1, 0], lambda labels: 1e308 * labels),
    ],
)
def test_gains_with_a_finite_sum_are_accepted(labels, gain):
    value = ndcg_score(labels, [1, 2], groups=[1, 1], gain=gain)
    assert value == pytest.approx(1 / log2(3), rel=1e-12)
