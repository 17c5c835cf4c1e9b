"""Corrected metrics of samples rank models in their true order when uncorrected metrics do not."""

import numpy as np
import pytest

from sklearn_rank.metrics import sampled_score
from tests.simulations.sampled import METRICS, N_ITEMS, are_in_order, draw_users, find_figures, score_models

N_USERS = 10_000


def draw_means(metric, random):
    """Draw users and samples; return the means of three models, the best first, by method."""
    values = score_models(metric, N_USERS, random, ("none", "bias_variance"))
    return {name: each.mean(axis=1) for name, each in values.items()}


def test_score_models_matches_sampled_score():
    drawn = draw_users("sharp", 500, np.random.default_rng(0))
    y_score = -np.column_stack((drawn.ranks, drawn.negatives))
    y_true = np.eye(1, y_score.shape[1]).repeat(500, axis=0)
    for method in ("none", "bias_variance"):
        options = {"metric": "mrr", "n_items": N_ITEMS, "method": method, "average": None}
        found = score_models("mrr", 500, np.random.default_rng(0), [method])[method][0]
        np.testing.assert_array_equal(sampled_score(y_true, y_score, **options), found)


@pytest.mark.parametrize("metric", METRICS)
def test_sampled_score_restores_the_order_that_samples_reverse(metric):
    means = draw_means(metric, np.random.default_rng(0))
    assert are_in_order(means["truth"])
    assert are_in_order(means["none"][::-1])
    assert are_in_order(means["bias_variance"])


@pytest.mark.thorough
@pytest.mark.parametrize("metric", METRICS)
def test_sampled_score_restores_the_order_in_95_of_100_draws(metric):
    random, repeats = np.random.default_rng(1), 100
    drawn = [draw_means(metric, random) for _ in range(repeats)]
    assert all(are_in_order(means["truth"]) for means in drawn)
    assert all(are_in_order(means["none"][::-1]) for means in drawn)
    assert np.mean([are_in_order(means["bias_variance"]) for means in drawn]) >= 0.95


def test_bias_variance_level_is_far_from_the_true_level():
    assert find_figures("recall@10", "bias_variance").level == pytest.approx(0.036, abs=5e-4)
    assert find_figures("recall@10", "none").level == pytest.approx(0.111, abs=5e-4)


def test_least_bias_varies_much_more_than_bias_variance():
    assert find_figures("recall@10", "least_bias").deviation > 10_000
    assert find_figures("recall@10", "bias_variance").deviation == pytest.approx(0.077, abs=5e-4)
