"""Attention-weighted rank fairness, compared with scipy's distance and all orders of tied rows."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import awrf_score

from .conftest import expose

NAMES = ["ann", "bob", "eve"]
TARGET = {"ann": 1, "bob": 2, "eve": 1, "nobody": 4}


def by_hand(rows, exposure, target, queries="uvw", base=2):
    """Return the value of some queries together, by scipy's distance."""
    inside = np.isin(rows["groups"], list(queries))
    shown = [exposure[inside & (rows["owners"] == name)].sum() for name in NAMES] + [0] * (len(target) - 3)
    return 1 - jensenshannon(shown, target, base=base) ** 2


@pytest.mark.parametrize("base", [2, np.e])
@pytest.mark.parametrize("k", [1, 2, None])
def test_awrf_score_compares_each_query_with_target(k, base, owned):
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1), k=k)
    expected = [by_hand(owned, exposure, [1, 2, 1, 4], query, base) for query in "uvw"]
    got = awrf_score(**owned, target=TARGET, k=k, base=base, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_awrf_score_accepts_trec_discount_as_callable():
    disc = 1 / np.log2(np.maximum(np.arange(1, 5), 2))
    owners, target = np.array(["a", "b", "b", "a"]), {"a": 0.3, "b": 0.7}
    got = awrf_score(
        None,
        [4, 3, 2, 1],
        groups=[0] * 4,
        owners=owners,
        target=target,
        base=np.e,
        browsing_model=lambda ranks: 1 / np.log2(np.maximum(ranks, 2)),
    )
    shown = [disc[owners == name].sum() for name in "ab"]
    assert got == pytest.approx(1 - jensenshannon(shown, [0.3, 0.7]) ** 2, abs=1e-12)


def test_awrf_score_target_candidates_counts_rows_of_query(owned):
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1), k=2)
    expected = []
    for query in "uvw":
        counts = [((owned["groups"] == query) & (owned["owners"] == name)).sum() for name in NAMES]
        expected.append(by_hand(owned, exposure, counts, query))
    got = awrf_score(**owned, target="candidates", k=2, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_awrf_score_target_relevant_uses_utility_shares_of_query(owned):
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1), k=2)
    expected = []
    for query in "uvw":
        inside = owned["groups"] == query
        utility = [owned["y_true"][inside & (owned["owners"] == name)].sum() for name in NAMES]
        expected.append(by_hand(owned, exposure, utility, query))
    got = awrf_score(**owned, target="relevant", k=2, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weights", [None, [1, 2, 5]])
def test_awrf_score_averages_match_weighted_values(weights, owned):
    values = awrf_score(**owned, target=TARGET, average=None)
    lengths = [5, 5, 4]
    of_row = None if weights is None else np.array([weights["uvw".index(q)] for q in owned["groups"]])
    weights = weights or [1, 1, 1]
    got = awrf_score(**owned, target=TARGET, sample_weight=of_row)
    assert got == pytest.approx(np.average(values, weights=weights), abs=1e-12)
    got = awrf_score(**owned, target=TARGET, sample_weight=of_row, average="weighted")
    assert got == pytest.approx(np.average(values, weights=np.multiply(weights, lengths)), abs=1e-12)
    exposure = expose(owned, lambda rank: 1 / np.log2(rank + 1))
    exposure = exposure * np.array([weights["uvw".index(q)] for q in owned["groups"]])
    got = awrf_score(**owned, target=TARGET, sample_weight=of_row, average="micro")
    assert got == pytest.approx(by_hand(owned, exposure, [1, 2, 1, 4]), abs=1e-12)


@pytest.mark.parametrize("target", ["candidates", "relevant"])
def test_awrf_score_micro_equals_macro_for_one_query(target, owned):
    first = {name: values[owned["groups"] == "u"] for name, values in owned.items()}
    values = [awrf_score(**first, target=target, k=2, average=average) for average in ("macro", "micro")]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_awrf_score_micro_is_one_when_owners_take_turns():
    rows = {"groups": [0, 0, 1, 1], "owners": ["a", "b", "a", "b"], "k": 1, "target": {"a": 1, "b": 1}}
    assert awrf_score(None, [2, 1, 1, 2], **rows, average="micro") == pytest.approx(1, abs=1e-12)
    one = 1 - jensenshannon([1, 0], [0.5, 0.5], base=2) ** 2
    assert awrf_score(None, [2, 1, 1, 2], **rows) == pytest.approx(one, abs=1e-12)


def test_awrf_score_is_zero_when_exposure_and_target_are_disjoint():
    rows = {"groups": [0, 0], "owners": ["a", "b"], "k": 1, "target": {"a": 0, "b": 3}}
    assert awrf_score(None, [2, 1], **rows) == pytest.approx(0, abs=1e-12)


def test_awrf_score_is_undefined_without_exposure_or_target(owned):
    rows = {"groups": [0, 0, 1, 1, 2], "owners": ["a", "b", "a", "b", "a"], "target": "relevant"}
    y_true, y_score = [1, 1, 0, 0, 1], [2, 2, 2, 1, -np.inf]
    got = awrf_score(y_true, y_score, **rows, average=None)
    np.testing.assert_allclose(got, [1, np.nan, np.nan], atol=1e-12)
    assert awrf_score(y_true, y_score, **rows) == pytest.approx(1, abs=1e-12)
    assert awrf_score(y_true, y_score, **rows, average="micro") == pytest.approx(1, abs=1e-12)
    assert awrf_score(y_true, y_score, **rows, zero_division=0.0) == pytest.approx(1 / 3, abs=1e-12)
    for average in ("macro", "micro"):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(awrf_score(np.zeros(5), y_score, **rows, average=average))
        assert awrf_score(np.zeros(5), y_score, **rows, average=average, zero_division=1.0) == 1


def test_awrf_score_accepts_series_as_target(owned):
    pandas = pytest.importorskip("pandas")
    got = awrf_score(**owned, target=pandas.Series(TARGET))
    assert got == awrf_score(**owned, target=TARGET)


@pytest.mark.parametrize(
    ("options", "parameter", "rule"),
    [
        ({"target": None}, "target", "be 'candidates', 'relevant' or a mapping of owners to shares"),
        ({"target": "uniform"}, "target", "be 'candidates', 'relevant' or a mapping of owners to shares"),
        ({"target": {"ann": 1}}, "target", "contain a share for each owner. Got none for 'bob'"),
        ({"target": {**TARGET, "eve": -1}}, "target", "contain finite and non-negative shares.*from -1 to"),
        ({"target": {**TARGET, "eve": np.nan}}, "target", "contain finite and non-negative shares"),
        ({"target": dict.fromkeys(TARGET, 0)}, "target", "contain .* shares with a positive sum.*0 to 0"),
        ({"target": dict.fromkeys(TARGET, "x")}, "target", "be 'candidates', 'relevant' or a mapping"),
        ({"base": 1}, "base", "be a finite number >= 2"),
        ({"average": "none"}, "average", "be one of"),
        ({"zero_division": 3}, "zero_division", "be 0.0, 1.0 or nan"),
    ],
)
def test_awrf_score_rejects_invalid_targets_and_options(options, parameter, rule, owned):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of awrf_score must {rule}"):
        awrf_score(**owned, **{"target": TARGET, **options})


def test_awrf_score_rejects_unhashable_owners_with_mapping():
    with pytest.raises(ValueError, match=r"'target' .* Got owners that cannot be looked up \(unhashable"):
        awrf_score([1], [1], groups=[1], owners=[bytearray(b"1")], target={b"1": 1})
