"""Parity and ratios of exposure: hand-computed values and undefined ratios."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import exposure_by_owner, exposure_parity_score, exposure_ratio_score

from .conftest import expose

# The six job seekers of Singh and Joachims, KDD 2018: men and women of nearly the same relevance.
RELEVANCE = [0.82, 0.81, 0.80, 0.79, 0.78, 0.77]
JOBS = {"groups": [0] * 6, "owners": ["m", "m", "m", "f", "f", "f"]}
MEN, WOMEN = (1 + 0.63093 + 0.5) / 3, (0.43068 + 0.38685 + 0.35621) / 3


def test_exposure_by_owner_matches_job_seekers_of_singh_and_joachims():
    table = exposure_by_owner(RELEVANCE, RELEVANCE, **JOBS)
    assert table["owner"].tolist() == ["f", "m"]
    assert (table["exposure"] / table["n_rows"]).round(2).tolist() == [0.39, 0.71]
    np.testing.assert_allclose(table["utility"] / table["n_rows"], [0.78, 0.81], rtol=1e-12)


def test_exposure_parity_score_is_ratio_of_mean_exposures():
    assert exposure_parity_score(None, RELEVANCE, **JOBS) == pytest.approx(WOMEN / MEN, abs=1e-5)


def test_exposure_ratio_score_is_ratio_of_exposures_by_utility():
    got = exposure_ratio_score(RELEVANCE, RELEVANCE, **JOBS)
    assert got == pytest.approx((WOMEN / 0.78) / (MEN / 0.81), abs=1e-5)


def test_exposure_ratio_score_impact_is_ratio_of_clicks_by_utility():
    men = (0.82 + 0.81 * 0.63093 + 0.80 * 0.5) / 3 / 0.81
    women = (0.79 * 0.43068 + 0.78 * 0.38685 + 0.77 * 0.35621) / 3 / 0.78
    got = exposure_ratio_score(RELEVANCE, RELEVANCE, **JOBS, disparate="impact")
    assert got == pytest.approx(women / men, abs=1e-5)


def test_exposure_ratio_log_is_logarithm_of_ratio():
    for function in (exposure_parity_score, exposure_ratio_score):
        ratio, log = (function(RELEVANCE, RELEVANCE, **JOBS, log=log) for log in (False, True))
        assert log == pytest.approx(np.log(ratio), abs=1e-12)


def test_exposure_parity_score_is_lowest_for_unexposed_owner():
    rows = {"groups": [0, 0], "owners": ["a", "b"], "k": 1}
    assert exposure_parity_score(None, [2, 1], **rows) == 0
    assert exposure_parity_score(None, [2, 1], **rows, log=True) == -np.inf


def test_exposure_ratios_are_even_when_all_scores_are_tied():
    assert exposure_parity_score(None, [1] * 6, **JOBS, log=True) == pytest.approx(0, abs=1e-12)
    assert exposure_ratio_score([1] * 6, [1] * 6, **JOBS) == pytest.approx(1, abs=1e-12)


def test_exposure_parity_score_is_one_for_tied_lists_of_any_length():
    rows = {"groups": [0] * 2 + [1] * 50, "owners": ["a"] * 2 + ["b"] * 50}
    assert exposure_parity_score(None, np.ones(52), **rows) == pytest.approx(1, abs=1e-12)


def test_exposure_ratios_sum_over_queries_before_dividing():
    """One query gives all to a, the other to b; the mean of ratios by query would be 0."""
    rows = {"groups": [0, 0, 1, 1], "owners": ["a", "b", "a", "b"], "k": 1}
    assert exposure_ratio_score([1, 1, 1, 1], [2, 1, 1, 2], **rows) == 1
    assert exposure_parity_score(None, [2, 1, 1, 2], **rows) == 1


@pytest.mark.parametrize("weights", [[1, 1, 3, 3], [1e300, 1e300, 3e300, 3e300]])
def test_exposure_ratios_weight_queries_by_sample_weight(weights):
    rows = {"groups": [0, 0, 1, 1], "owners": ["a", "b", "a", "b"], "k": 1, "sample_weight": weights}
    assert exposure_ratio_score([1, 1, 1, 1], [2, 1, 1, 2], **rows) == pytest.approx(1 / 3, abs=1e-12)
    np.testing.assert_allclose(
        exposure_by_owner(None, [2, 1, 1, 2], **rows)["exposure"], [weights[0], weights[2]], rtol=1e-12
    )


def test_exposure_by_owner_rejects_weights_with_infinite_sums():
    rows = {"groups": [0, 0], "owners": ["a", "b"], "sample_weight": [1e300, 1e300]}
    with pytest.raises(
        ValueError,
        match=r"'sample_weight' parameter of exposure_by_owner must be small enough.* up to 1e\+300",
    ):
        exposure_by_owner([1e100, 1], [2, 1], **rows)


def test_exposure_by_owner_returns_sums_shares_and_ratios(owned):
    table = exposure_by_owner(**owned, k=3)
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1), k=3)
    of = {name: owned["owners"] == name for name in ("ann", "bob", "eve")}
    received = np.array([exposure[rows].sum() for rows in of.values()])
    utility = np.array([owned["y_true"][rows].sum() for rows in of.values()])
    clicks = np.array([(exposure * owned["y_true"])[rows].sum() for rows in of.values()])
    spread = np.zeros(14)
    for query in "uvw":
        inside = owned["groups"] == query
        spread[inside] = exposure[inside].mean()
    even = np.array([spread[rows].sum() for rows in of.values()])
    share = received / received.sum()
    expected = {
        "n_rows": [rows.sum() for rows in of.values()],
        "exposure": received,
        "exposure_share": share,
        "even_share": even / even.sum(),
        "parity": share / (even / even.sum()),
        "utility": utility,
        "utility_share": utility / utility.sum(),
        "treatment": share / (utility / utility.sum()),
        "impact_share": clicks / clicks.sum(),
        "impact": clicks / clicks.sum() / (utility / utility.sum()),
    }
    assert list(table) == ["owner", *expected]
    for name, values in expected.items():
        np.testing.assert_allclose(table[name], values, rtol=1e-12, err_msg=name)


def test_exposure_by_owner_has_no_utility_without_labels(owned):
    owned["y_true"] = None
    assert "utility" not in exposure_by_owner(**owned)


def test_exposure_by_owner_uses_gains_as_utility(owned):
    table = exposure_by_owner(**owned, gain=[0, 5, 7])
    expected = np.bincount(
        np.unique(owned["owners"], return_inverse=True)[1], np.array([0, 5, 7])[owned["y_true"].astype(int)]
    )
    np.testing.assert_allclose(table["utility"], expected)


# ------------------------------------------------------------------ undefined ratios


def test_exposure_ratio_is_undefined_for_owner_without_utility():
    rows = {"groups": [0] * 3, "owners": ["a", "b", "c"]}
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"1 of 3 owners \(such as 'b'\) have no utility, or no document is shown, so nan",
    ):
        assert np.isnan(exposure_ratio_score([1, 0, 1], [3, 2, 1], **rows))
    assert np.isnan(exposure_by_owner([1, 0, 1], [3, 2, 1], **rows)["treatment"]).tolist() == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("function", [exposure_parity_score, exposure_ratio_score])
def test_exposure_ratios_are_undefined_for_one_owner(function):
    with pytest.warns(UndefinedMetricWarning, match="'a' is the only owner, so nan is returned"):
        assert np.isnan(function([1, 1], [2, 1], groups=[0, 0], owners=["a", "a"]))


@pytest.mark.parametrize("function", [exposure_parity_score, exposure_ratio_score])
def test_exposure_ratios_are_undefined_when_nothing_is_retrieved(function):
    with pytest.warns(UndefinedMetricWarning, match="no document is shown"):
        assert np.isnan(function([1, 1], [-np.inf, -np.inf], groups=[0, 0], owners=["a", "b"]))


@pytest.mark.parametrize(
    ("function", "options", "parameter"),
    [
        (exposure_ratio_score, {"disparate": "parity"}, "disparate"),
        (exposure_ratio_score, {"log": 1}, "log"),
        (exposure_parity_score, {"log": "yes"}, "log"),
    ],
)
def test_exposure_ratios_reject_invalid_options(function, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {function.__name__} must"):
        function([1, 1], [2, 1], groups=[0, 0], owners=["a", "b"], **options)


def test_exposure_treatment_overflows_if_utility_share_is_nearly_zero():
    table = exposure_by_owner([1e300, 1e-10], [2, 1], groups=[1, 1], owners=["a", "b"], gain="linear")
    np.testing.assert_array_equal(table["treatment"][1], np.inf)
    table = exposure_by_owner([1e300, 1e-6], [2, 1], groups=[1, 1], owners=["a", "b"], gain="linear")
    assert np.isfinite(table["treatment"][1])
