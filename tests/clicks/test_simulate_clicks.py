"""`simulate_clicks`: positions by score, click probabilities by model, and errors."""

import numpy as np
import pytest

from sklearn_rank.clicks import simulate_clicks

from .test_debias_clicks import make_curve

LISTS = ["a", "a", "a", "b", "b"]
SURE = {"propensities": [1, 1, 1], "random_state": 0}


def simulate_many(y_true, y_score, n=20_000, **given):
    """Return the click rate of each row of a list that is shown many times."""
    lists = np.repeat(np.arange(n), len(y_true))
    given = {"groups": lists, "random_state": 0} | given
    clicks, positions = simulate_clicks(np.tile(y_true, n), np.tile(y_score, n), **given)
    return (each.reshape(n, -1) for each in (clicks, positions))


def test_simulate_clicks_sorts_lists_by_score():
    _, positions = simulate_clicks([0] * 5, [1, 3, 2, 5, 9], groups=LISTS, **SURE)
    np.testing.assert_array_equal(positions, [3, 1, 2, 2, 1])


def test_simulate_clicks_clicks_relevant_rows_if_all_are_examined():
    clicks, _ = simulate_clicks([1, 0, 1, 0, 1], [1, 3, 2, 5, 9], groups=LISTS, **SURE)
    np.testing.assert_array_equal(clicks, [1, 0, 1, 0, 1])


def test_simulate_clicks_gives_rows_beyond_k_no_position_or_click():
    clicks, positions = simulate_clicks([1] * 5, [1, 3, 2, 5, 9], groups=LISTS, k=1, **SURE)
    np.testing.assert_array_equal(positions, [0, 1, 0, 0, 1])
    np.testing.assert_array_equal(clicks, [0, 1, 0, 0, 1])


def test_simulate_clicks_orders_tied_scores_randomly():
    _, positions = simulate_many([1, 1, 1], [0, 0, 0], propensities=[1, 1, 1])
    assert positions.mean(axis=0) == pytest.approx([2, 2, 2], abs=4 * np.sqrt(2 / 3 / 20_000))


def test_simulate_clicks_rate_is_propensity_times_noisy_attraction():
    clicks, _ = simulate_many([1, 0.5, 0], [3, 2, 1], propensities=[0.8, 0.4, 0.2], noise=0.1)
    assert clicks.mean(axis=0) == pytest.approx([0.8, 0.4 * 0.55, 0.2 * 0.1], abs=0.012)


def test_simulate_clicks_rate_with_trust_uses_alpha_and_beta():
    given = {"propensities": None, "trust": ([0.5, 0.4], [0.3, 0.1])}
    clicks, _ = simulate_many([0.5, 0], [2, 1], **given)
    assert clicks.mean(axis=0) == pytest.approx([0.55, 0.1], abs=0.014)


def test_simulate_clicks_matches_labeled_propensities_by_position():
    clicks, _ = simulate_clicks([1] * 3, [3, 2, 1], groups=[1] * 3, propensities={3: 0, 1: 1, 2: 0})
    np.testing.assert_array_equal(clicks, [1, 0, 0])


def test_simulate_clicks_is_reproducible_with_seed():
    given = {"groups": LISTS, "propensities": [0.5, 0.5, 0.5]}
    one, other = (simulate_clicks([1] * 5, [0] * 5, random_state=3, **given) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": None}, "'groups' .* must contain the session id of each row"),
        ({"y_true": [2, 0, 0, 0, 0]}, r"'y_true' .* must contain probabilities from 0 to 1"),
        ({"y_score": [1, 2]}, "'y_score' .* must have the shape of 'y_true'"),
        (
            {"propensities": [1, 1]},
            "'propensities' .* a value for each of the 3 positions .* Got 2 values",
        ),
        ({"propensities": None}, "'propensities' .* must be passed if and only if trust=None"),
        ({"trust": ([1] * 3, [0] * 3)}, "'propensities' .* if and only if trust=None. Got both"),
        ({"propensities": make_curve([1, 1, 1])}, "must be absolute probabilities"),
        ({"noise": 1}, "'noise' .* must be a number >= 0 and below 1"),
        (
            {"noise": 0.1, "propensities": None, "trust": ([1] * 3, [0] * 3)},
            "'noise' .* must be 0 if 'trust' is passed",
        ),
        ({"k": 0}, "'k' .* must be an int >= 1"),
        ({"random_state": -1}, "'random_state' .* must be None"),
    ],
)
def test_simulate_clicks_rejects_invalid_arguments(given, message):
    rows = {"y_true": [1] * 5, "y_score": [0] * 5, "groups": LISTS, "propensities": [1, 1, 1]}
    with pytest.raises(ValueError, match=message) as caught:
        simulate_clicks(**(rows | given))
    assert "of simulate_clicks must" in str(caught.value)
