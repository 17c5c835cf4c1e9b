"""`debias_clicks`: hand-computed labels, containers and errors."""

import numpy as np
import pytest

from sklearn_rank import RankingWarning
from sklearn_rank.clicks import debias_clicks
from sklearn_rank.clicks._read import PropensityCurve

CLICKS, POSITIONS, KNOWN = [1, 0, 0, 1], [1, 2, 1, 3], [1, 0.5, 0.25]


def make_curve(propensities):
    propensities = np.array(propensities, dtype=float)
    counts = np.ones(len(propensities), dtype=int)
    return PropensityCurve(propensities, propensities, propensities, counts, ((1,),), "swaps", 0.95, 1)


def test_debias_clicks_divides_clicks_by_propensity():
    np.testing.assert_array_equal(debias_clicks(CLICKS, POSITIONS, KNOWN), [1, 0, 0, 4])


def test_debias_clicks_with_trust_gives_negative_labels_without_click():
    labels = debias_clicks(CLICKS, POSITIONS, None, trust=([0.5, 0.4, 0.2], [0.25, 0.1, 0.1]))
    np.testing.assert_allclose(labels, [1.5, -0.25, -0.5, 4.5], rtol=1e-15)


def test_debias_clicks_with_zero_trust_bias_equals_propensities():
    labels = debias_clicks(CLICKS, POSITIONS, KNOWN, trust=(KNOWN, [0, 0, 0]))
    np.testing.assert_array_equal(labels, debias_clicks(CLICKS, POSITIONS, KNOWN))


def test_debias_clicks_accepts_curve_above_one():
    labels = debias_clicks([1, 1], [1, 2], make_curve([1, 1.25]))
    np.testing.assert_array_equal(labels, [1, 0.8])


def test_debias_clicks_without_positions_uses_propensity_of_each_row():
    np.testing.assert_array_equal(debias_clicks([1, 0, 1], None, [0.5, 0.3, 0.1]), [2, 0, 10])


def test_debias_clicks_is_unbiased_for_rarely_displayed_document():
    # Displayed first in one of four lists, with propensity 0.8, and clicked at that rate.
    clicks = [1] * 4 + [0] * 16
    assert debias_clicks(clicks, None, np.full(20, 0.25 * 0.8)).mean() == 1


def test_debias_clicks_gives_undisplayed_rows_zero_and_warns():
    with pytest.warns(RankingWarning, match=r"^debias_clicks: 2 of 4 rows \(50\.0%\) could not be clicked"):
        labels = debias_clicks([1, 0, 0, 0], [2, 1, 0, 0], KNOWN)
    np.testing.assert_array_equal(labels, [2, 0, 0, 0])


def test_debias_clicks_gives_rows_of_zero_propensity_zero_and_warns():
    with pytest.warns(RankingWarning, match=r"1 of 3 rows \(33\.3%\)"):
        labels = debias_clicks([1, 0, 0], None, [0.5, 0.5, 0])
    np.testing.assert_array_equal(labels, [2, 0, 0])


def test_debias_clicks_has_no_trust_bias_for_undisplayed_rows():
    with pytest.warns(RankingWarning):
        labels = debias_clicks([0, 0], [1, 0], None, trust=([0.5], [0.25]))
    np.testing.assert_array_equal(labels, [-0.5, 0])


def test_debias_clicks_warns_about_share_of_clipped_clicks():
    with pytest.warns(
        RankingWarning, match=r"^debias_clicks: clip=0\.5 raises the propensities of 1 of 2 clicks \(50\.0%\)"
    ):
        labels = debias_clicks(CLICKS, POSITIONS, KNOWN, clip=0.5)
    np.testing.assert_array_equal(labels, [1, 0, 0, 2])


def test_debias_clicks_does_not_warn_if_clip_changes_no_click():
    np.testing.assert_array_equal(debias_clicks([1, 0], [1, 3], KNOWN, clip=0.5), [1, 0])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, object])
def test_debias_clicks_accepts_any_dtype(dtype):
    np.testing.assert_array_equal(
        debias_clicks(np.array(CLICKS, dtype=dtype), POSITIONS, KNOWN), [1, 0, 0, 4]
    )


def test_debias_clicks_accepts_pandas_columns_and_checks_order():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"click": CLICKS, "position": POSITIONS}, index=list("abcd"))
    np.testing.assert_array_equal(debias_clicks(frame["click"], frame["position"], KNOWN), [1, 0, 0, 4])
    with pytest.raises(
        ValueError, match="'positions' parameter of debias_clicks must have its rows in the same order"
    ):
        debias_clicks(frame["click"], frame["position"][::-1], KNOWN)


def test_debias_clicks_matches_labeled_propensities_by_position():
    expected = [1, 2, 4]
    np.testing.assert_array_equal(debias_clicks([1] * 3, [1, 2, 3], {3: 0.25, 1: 1, 2: 0.5}), expected)
    pandas = pytest.importorskip("pandas")
    by_label = pandas.Series({3: 0.25, 1: 1.0, 2: 0.5})
    for values in (by_label, by_label.to_frame(), by_label.sort_index(), pandas.Series([1, 0.5, 0.25])):
        np.testing.assert_array_equal(debias_clicks([1] * 3, [1, 2, 3], values), expected)
    labels = debias_clicks([1] * 3, [1, 2, 3], None, trust=(by_label, dict.fromkeys([2, 3, 1], 0)))
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("labels", [[0, 1, 2], [1, 3, 4], [1, 2, 2], list("abc"), [2, 3, 4]])
def test_debias_clicks_rejects_labels_that_are_not_positions(labels):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"'propensities' .* must have the positions 1 to 3 as labels"):
        debias_clicks([1, 0], [1, 3], pandas.Series(KNOWN, index=labels))


def test_debias_clicks_rejects_propensities_of_rows_as_positions():
    rows = [1, 0, 0], [1, 2, 1]
    message = r"one value per position \(1 to 2\)\. Got one value per row \(3\) .* pass positions=None"
    with pytest.raises(ValueError, match=f"'propensities' .* {message}"):
        debias_clicks(*rows, [1, 0.5, 1])
    with pytest.raises(ValueError, match=f"'trust' .* {message}"):
        debias_clicks(*rows, None, trust=([0.5, 0.4, 0.5], [0, 0, 0]))
    np.testing.assert_array_equal(debias_clicks(*rows, {1: 1, 2: 0.5, 3: 0.2}), [1, 0, 0])


def test_debias_clicks_rejects_trust_in_different_order():
    pandas = pytest.importorskip("pandas")
    clicks = pandas.Series([1, 0], index=["a", "b"])
    alpha = pandas.Series([0.4, 0.8], index=["b", "a"])
    with pytest.raises(ValueError, match=r"'trust\[0\]' .* must have its rows in the same order as 'clicks'"):
        debias_clicks(clicks, None, None, trust=(alpha, [0.1, 0.1]))


def test_debias_clicks_accepts_polars_columns():
    polars = pytest.importorskip("polars")
    labels = debias_clicks(polars.Series(CLICKS), polars.Series(POSITIONS), polars.Series([1.0, 0.5, 0.25]))
    np.testing.assert_array_equal(labels, [1, 0, 0, 4])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([2, 0], [1, 2], KNOWN), r"'clicks' .* must contain only 0 and 1. Got 2 "),
        (([1, np.nan], [1, 2], KNOWN), r"'clicks' .* must contain only 0 and 1"),
        ((["yes"], [1], KNOWN), r"'clicks' .* must be an array of real numbers"),
        (([], [], KNOWN), r"'clicks' .* must have at least one row"),
        (([[1, 0], [0, 1]], [1, 2], KNOWN), r"'clicks' .* must be one-dimensional"),
        (([1, 0], [1, 2, 3], KNOWN), r"'positions' .* must have the shape of 'clicks', \(2,\)"),
        (([1, 0], [1, -1], KNOWN), r"'positions' .* >= 0 .* Position 0 marks rows that were not displayed"),
        (([1, 0], [1, np.nan], KNOWN), r"'positions' .* must be integers >= 0"),
        (([1, 0], [1, 1.5], KNOWN), r"'positions' .* must be integers >= 0 .* Got 1\.5"),
        (([1, 0], [1, 2**31], KNOWN), r"'positions' .* below 2\*\*31"),
        (([1, 0], [0, 1], KNOWN), r"'positions' .* at least 1 in rows with a click. Got 0 for 1 of 1 clicks"),
        (([1, 0], [1, 4], KNOWN), r"'positions' .* not exceed 3, the number of positions .* Got 4 "),
        (([1, 0], [1, 2], None), r"'propensities' .* must not be None if trust=None"),
        (([1, 0], [1, 2], []), r"'propensities' .* must be one-dimensional and not empty"),
        (([1, 0], [1, 2], [[1, 0.5], [1, 0.5]]), r"'propensities' .* must be one-dimensional"),
        (([1, 0], [1, 2], [100, 50]), r"must contain probabilities from 0 to 1\. .* PropensityCurve"),
        (([1, 0], [1, 2], [1, np.nan]), r"'propensities' .* must contain probabilities"),
        (([1, 0], [1, 2], [1, 10**400]), r"'propensities' .* must contain probabilities"),
        (([1, 0], [1, 2], [1e-320, 1]), "must be large enough for finite labels. Got 1e-320 "),
        (([1, 0], [1, 2], [1, 0]), r"'propensities' .* must be above 0 .* Got 0 at position 2 "),
        (([1, 0], None, [1, 0.5, 0.5]), "must have the shape of 'clicks', .* if positions=None"),
        (([1, 0], None, [0, 0.5]), r"'propensities' .* must be above 0 .* Got 0 in row 0 "),
        (([1, 0], None, make_curve([1])), r"'propensities' .* one value per row if positions=None"),
        (([1, 0], [1, 2], make_curve([1, np.nan])), "known for .* all rows. Got nan at position 2 "),
        (([1, 0], [1, 3], make_curve([1, np.nan])), r"'positions' .* not exceed 2, the number of positions"),
    ],
)  # fmt: skip
def test_debias_clicks_rejects_invalid_arguments(given, message):
    with pytest.raises(ValueError, match=message):
        debias_clicks(*given)


@pytest.mark.parametrize(
    ("trust", "message"),
    [
        ([0.5, 0.5, 0.5], r"'trust' .* must be a pair \(alpha, beta\)"),
        (([0.5, 0.5], [0.1]), r"must be a pair .* Got 2 and 1 values"),
        (([0.5, 0.5], [0.1, 0.6]), r"must have alpha \+ beta <= 1\. Got 1\.1 "),
        (([0.5, 1.5], [0.1, 0]), r"must contain probabilities from 0 to 1. Got values from 0\.5 to 1\.5 "),
        (([0.5, 0], [0.1, 0.1]), r"must be above 0 \(with 'trust', alpha\) .* Got 0 at position 2 "),
        (([0.9, 0.5], [0, 0.1]), r"must have alpha \+ beta <= propensity\. Got an excess of 0\.1 "),
    ],
)
def test_debias_clicks_rejects_invalid_trust(trust, message):
    with pytest.raises(ValueError, match=message):
        debias_clicks([1, 0], [1, 2], [1, 0.5], trust=trust)


@pytest.mark.parametrize("clip", [0, -1, 1.5, np.nan, "low", True])
def test_debias_clicks_rejects_invalid_clip(clip):
    with pytest.raises(ValueError, match="'clip' parameter of debias_clicks must be a number above 0"):
        debias_clicks(CLICKS, POSITIONS, KNOWN, clip=clip)
