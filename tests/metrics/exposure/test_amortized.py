"""Amortized exposure loss, compared with hand-computed values."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import amortized_exposure_loss

from .conftest import expose


def test_amortized_exposure_loss_is_zero_when_equal_items_take_turns():
    rows = {"groups": [0, 0, 1, 1], "owners": ["a", "b", "a", "b"], "k": 1}
    assert amortized_exposure_loss([1, 1, 1, 1], [2, 1, 1, 2], **rows) == 0
    assert amortized_exposure_loss([1, 1, 1, 1], [2, 1, 2, 1], **rows) == 1


def test_amortized_exposure_loss_matches_hand_computed_query():
    """Attention 1/1, 1/2 and 1/3 of 11/6; relevance 0.5, 0.25 and 0.25."""
    got = amortized_exposure_loss(
        [2, 1, 1], [3, 2, 1], groups=[0] * 3, owners=["a", "b", "c"], browsing_model="reciprocal"
    )
    expected = abs(6 / 11 - 1 / 2) + abs(3 / 11 - 1 / 4) + abs(2 / 11 - 1 / 4)
    assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("weights", [None, [1, 2, 5]])
def test_amortized_exposure_loss_sums_query_differences_by_owner(weights, k, owned):
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1), k=k)
    difference = dict.fromkeys(["ann", "bob", "eve"], 0.0)
    for query, weight in zip("uvw", weights or [1, 1, 1]):
        inside = owned["groups"] == query
        for name in difference:
            of = inside & (owned["owners"] == name)
            attention = exposure[of].sum() / exposure[inside].sum()
            difference[name] += weight * (
                attention - owned["y_true"][of].sum() / owned["y_true"][inside].sum()
            )
    of_row = None if weights is None else np.array([weights["uvw".index(q)] for q in owned["groups"]])
    expected = sum(map(abs, difference.values())) / sum(weights or [1, 1, 1])
    got = amortized_exposure_loss(**owned, k=k, sample_weight=of_row)
    assert got == pytest.approx(expected, abs=1e-12)


def test_amortized_exposure_loss_is_two_if_irrelevant_owner_gets_all():
    rows = {"groups": [0, 0], "owners": ["a", "b"], "k": 1}
    assert amortized_exposure_loss([0, 1], [2, 1], **rows) == 2


def test_amortized_exposure_loss_skips_queries_without_utility():
    rows = {"groups": [0, 0, 1, 1, 2, 2], "owners": ["a", "b"] * 3, "k": 1}
    y_score = [2, 1, 2, 1, -np.inf, -np.inf]
    assert amortized_exposure_loss([1, 1, 0, 0, 1, 1], y_score, **rows) == 1
    with pytest.warns(UndefinedMetricWarning, match="no query has a value"):
        assert np.isnan(amortized_exposure_loss([0, 0, 0, 0, 1, 1], y_score, **rows))
