"""AP correlation, compared with its paper, hand-computed values and the R package ircor."""

import numpy as np
import pytest

from sklearn_rank import compare, evaluate, ranking_scores
from sklearn_rank.metrics import kendall_tau_ap_score, kendall_tau_score
from tests.helpers.reference import by_enumeration

# Data and values from the tests of ircor, the R package of Urbano and Marrero (ICTIR 2017), to four
# decimals: true scores, estimated scores, the same rounded to make ties, and the two coefficients.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
        (0.8519, 0.7454),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        (0.2504, 0.2692),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        (-0.6971, -0.5558),
    ),
]


@pytest.mark.parametrize(("true", "estimated", "tied", "values"), IRCOR)
def test_kendall_tau_ap_matches_ircor(true, estimated, tied, values):
    got = [kendall_tau_ap_score([true], [scores]) for scores in (estimated, tied)]
    np.testing.assert_allclose(got, values, rtol=0, atol=5e-5)


def test_kendall_tau_ap_penalizes_errors_at_top_more():
    old = [[8, 7, 6, 5, 4, 3, 2, 1]]
    top, bottom = [[7, 8, 6, 5, 4, 3, 2, 1]], [[8, 7, 6, 5, 4, 3, 1, 2]]
    assert kendall_tau_score(old, top) == kendall_tau_score(old, bottom) == pytest.approx(26 / 28)
    assert kendall_tau_ap_score(old, top) == pytest.approx(1 - 2 / 7)
    assert kendall_tau_ap_score(old, bottom) == pytest.approx(1 - 2 / 7 / 7)


def test_kendall_tau_ap_is_not_symmetric():
    old, new = [[3, 2, 1]], [[1, 3, 2]]  # the new order is second, third, first of the old one
    assert kendall_tau_ap_score(old, new) == pytest.approx(2 / 2 * (1 + 0) - 1)
    assert kendall_tau_ap_score(new, old) == pytest.approx(2 / 2 * (0 + 1 / 2) - 1)


@pytest.mark.filterwarnings("ignore:kendall_tau_ap_score is undefined")
@pytest.mark.parametrize("seed", range(40))
def test_kendall_tau_ap_of_ties_is_mean_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 8)
    labels, scores = rng.integers(-2, 3, n), rng.integers(0, 3, n)
    values = by_enumeration("kendall_tau_ap", labels.tolist(), scores.tolist())
    got = {ties: kendall_tau_ap_score([labels], [scores], ties=ties) for ties in ("average", "best", "worst")}
    if values[0] is None:
        assert np.isnan(list(got.values())).all()
    else:
        expected = {"average": np.mean(values), "best": max(values), "worst": min(values)}
        assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_kendall_tau_ap_of_equal_labels_is_mean_of_both_orders(seed):
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 3, 30), rng.standard_normal(30)
    orders = labels + 1e-3 * np.arange(30), labels - 1e-3 * np.arange(30)
    halves = [kendall_tau_ap_score([each], [scores]) for each in orders]
    assert kendall_tau_ap_score([labels], [scores]) == pytest.approx(np.mean(halves), abs=1e-12)


def test_kendall_tau_ap_is_available_by_name_in_reports():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    old = rng.standard_normal(200)
    near, far = (old + noise * rng.standard_normal(200) for noise in (0.1, 3.0))
    means = {}
    reports = {}
    for name, scores in (("far", far), ("near", near)):
        values = kendall_tau_ap_score(old, scores, groups=groups, average=None)
        reports[name] = evaluate(old, scores, groups=groups, metrics=["kendall_tau_ap"])
        np.testing.assert_array_equal(reports[name].values["kendall_tau_ap"], values)
        means[name] = ranking_scores(old, scores, groups=groups, metrics=["kendall_tau_ap"])["kendall_tau_ap"]
    columns = compare(reports).columns
    assert (columns["system"][0], columns["other"][0], columns["verdict"][0]) == ("near", "far", "better")
    assert columns["difference"][0] == pytest.approx(means["near"] - means["far"], abs=1e-15)
