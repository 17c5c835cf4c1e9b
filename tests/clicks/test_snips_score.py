"""`snips_score` and its standard error, compared with hand-computed values."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingWarning
from sklearn_rank.clicks import snips_score
from tests.simulations.clicks import find_discounts

LOG_3 = 1 / np.log2(3)
LABELS, SCORES, LISTS = [1, 0, 4, 0, 2, 0], [3, 2, 1, 3, 2, 1], ["a", "a", "a", "b", "b", "b"]


def test_snips_score_is_weighted_mean_discount_of_clicks():
    value, _ = snips_score(LABELS, SCORES, groups=LISTS)
    assert value == pytest.approx((1 * 1 + 4 * 0.5 + 2 * LOG_3) / 7, abs=1e-15)


def test_snips_standard_error_is_that_of_ratio():
    value, error = snips_score(LABELS, SCORES, groups=LISTS)
    residuals = np.array([1 + 4 * 0.5 - value * 5, 2 * LOG_3 - value * 2])
    assert error == pytest.approx(np.sqrt(2 * (residuals**2).sum()) / 7, abs=1e-15)


def test_snips_standard_error_is_close_to_bootstrap():
    random = np.random.RandomState(0)
    labels = (random.random_sample(4000) < 0.2) * random.choice([1.0, 2.0, 5.0], 4000)
    scores, lists = random.standard_normal(4000), np.repeat(np.arange(400), 10)
    _, error = snips_score(labels, scores, groups=lists)
    above, below = (np.bincount(lists, each) for each in (labels * find_discounts(lists, scores), labels))
    drawn = random.randint(0, 400, (2000, 400))
    assert error == pytest.approx(np.std(above[drawn].sum(axis=1) / below[drawn].sum(axis=1)), rel=0.05)


def test_snips_score_clusters_lists_of_one_query():
    lists, clusters = np.repeat([0, 1, 2, 3], 3), np.repeat(["x", "x", "y", "y"], 3)
    value, error = snips_score(LABELS * 2, SCORES * 2, groups=lists, cluster=clusters)
    one_each = snips_score(LABELS, SCORES, groups=LISTS)
    assert value == pytest.approx(one_each[0], abs=1e-15)
    assert error == pytest.approx(0, abs=1e-15)  # both clusters contain the same two lists


def test_snips_score_of_copied_lists_in_clusters_is_unchanged():
    given = {"groups": np.repeat([0, 1, 2, 3], 3), "cluster": np.repeat(["x", "y", "x", "y"], 3)}
    copied = snips_score(LABELS * 2, SCORES * 2, **given)
    np.testing.assert_allclose(copied, snips_score(LABELS, SCORES, groups=LISTS), rtol=1e-14)


def test_snips_score_ignores_list_without_click_except_in_error():
    value, error = snips_score(LABELS, SCORES, groups=LISTS)
    more, other = snips_score([*LABELS, 0], [*SCORES, 1], groups=[*LISTS, "c"])
    assert more == pytest.approx(value, abs=1e-15)
    assert other == pytest.approx(error * np.sqrt((3 / 2) / 2), abs=1e-15)


def test_snips_score_does_not_depend_on_scale_of_labels():
    scaled = snips_score(np.multiply(LABELS, 7.5), SCORES, groups=LISTS)
    np.testing.assert_allclose(scaled, snips_score(LABELS, SCORES, groups=LISTS), rtol=1e-14)


def test_snips_score_averages_tied_scores_over_orders():
    value, _ = snips_score([1, 0], [5, 5], groups=["a", "a"])
    assert value == pytest.approx((1 + LOG_3) / 2, abs=1e-15)


def test_snips_score_counts_negative_labels():
    value, _ = snips_score([3, -1], [2, 1], groups=["a", "a"])
    assert value == pytest.approx((3 - LOG_3) / 2, abs=1e-15)


def test_snips_score_without_discount_is_share_of_clicks_in_top_k():
    assert snips_score(LABELS, SCORES, groups=LISTS, k=2, discount=None)[0] == pytest.approx(3 / 7, abs=1e-15)


def test_snips_score_orders_models_like_dcg():
    random = np.random.RandomState(1)
    labels, lists = (random.random_sample(200) < 0.3) * 2.5, np.repeat(np.arange(20), 10)
    models = random.standard_normal((8, 200))
    sums = [labels @ find_discounts(lists, scores) for scores in models]
    ratios = [snips_score(labels, scores, groups=lists)[0] for scores in models]
    np.testing.assert_allclose(ratios, np.array(sums) / labels.sum(), rtol=1e-12)


def test_snips_standard_error_is_nan_for_one_list():
    assert np.isnan(snips_score([1, 0], [2, 1], groups=["a", "a"])[1])


@pytest.mark.parametrize("labels", [[0, 0], [1, -1], [-2, 1]])
def test_snips_score_is_undefined_without_clicks(labels):
    with pytest.warns(UndefinedMetricWarning, match="snips_score: the sum of the labels is not positive"):
        found = snips_score(labels, [2, 1], groups=["a", "a"])
    assert np.isnan(found).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": None}, "'groups' .* must contain the session id of each row"),
        ({"groups": ["a"] * 5}, "'groups' .* must have one id per row"),
        ({"y_true": [np.nan, *LABELS[1:]]}, "'y_true' .* must not contain NaN. Got 1 NaN"),
        ({"y_true": [np.inf, *LABELS[1:]]}, "'y_true' .* must be finite"),
        ({"y_score": SCORES[1:]}, "'y_score' .* must have the shape of 'y_true'"),
        ({"k": 0}, "'k' .* must be an int >= 1"),
        ({"discount": "ln"}, "'discount' .* must be 'log2'"),
        ({"cluster": list("xxxxxy")}, "the same for all rows of a session. Got other clusters in 2 rows"),
    ],
)  # fmt: skip
def test_snips_score_rejects_invalid_arguments(given, message):
    rows = {"y_true": LABELS, "y_score": SCORES, "groups": LISTS}
    with pytest.raises(ValueError, match=message) as caught:
        snips_score(**(rows | given))
    assert "of snips_score must" in str(caught.value)


def test_snips_score_rejects_labels_with_infinite_sum():
    with pytest.raises(
        ValueError, match="'y_true' parameter of snips_score must have a sum within the range of float64"
    ):
        snips_score([1e308, 1e308], [2, 1], groups=[0, 0])


def test_snips_score_warning_and_discount_error_name_it():
    with pytest.warns(RankingWarning, match="^snips_score: 3 of 3 queries have one document only"):
        snips_score([1, 2, 3], [1, 2, 3], groups=[1, 2, 3])
    with pytest.raises(ValueError, match="'discount' parameter of snips_score must be finite, non-negative"):
        snips_score(LABELS, SCORES, groups=LISTS, discount=lambda ranks: ranks)
