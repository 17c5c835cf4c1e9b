"""Owners of rows as ids or shares, invariances and errors."""

import numpy as np
import pytest

from sklearn_rank.metrics import awrf_score, exposure_by_owner

from .conftest import EVERY, call


def value(name, rows, **changed):
    """Return what a function gives, as an array."""
    return np.atleast_1d(call(name, rows, **changed))


@EVERY
@pytest.mark.parametrize("browsing_model", ["log2", "rbp", "cascade"])
def test_exposure_metrics_do_not_depend_on_row_order(name, browsing_model, owned):
    order = np.random.default_rng(0).permutation(14)
    shuffled = {key: values[order] for key, values in owned.items()}
    expected = value(name, owned, browsing_model=browsing_model, k=3)
    np.testing.assert_allclose(
        value(name, shuffled, browsing_model=browsing_model, k=3), expected, rtol=1e-12
    )


@EVERY
def test_exposure_metrics_do_not_depend_on_names_or_score_scale(name, owned):
    expected = value(name, owned, k=2)
    renamed = {
        "groups": [{"u": 30, "v": 10, "w": 20}[query] for query in owned["groups"]],
        "owners": [{"ann": (1, "x"), "bob": (1, "y"), "eve": (2, "a")}[each] for each in owned["owners"]],
        "y_score": np.exp(3 * owned["y_score"]) - 1,
    }
    renamed["y_score"][4] = -np.inf
    np.testing.assert_allclose(value(name, owned, k=2, **renamed), expected, rtol=1e-12)


@EVERY
def test_exposure_metrics_treat_one_hot_shares_as_owner_ids(name, owned):
    shares = np.array([[each == owner for owner in ("ann", "bob", "eve")] for each in owned["owners"]])
    expected = value(name, owned, k=2)
    for given in (shares, shares.astype(float).tolist(), shares.astype(np.float32)):
        np.testing.assert_allclose(value(name, owned, k=2, owners=given), expected, rtol=1e-12)


def test_exposure_by_owner_splits_item_of_two_owners_by_shares():
    table = exposure_by_owner(
        [1, 1], [2, 1], groups=[0, 0], owners=[[0.25, 0.75], [1, 0]], browsing_model="reciprocal"
    )
    assert table["owner"].tolist() == [0, 1]
    assert table["exposure"].tolist() == [0.75, 0.75]
    assert table["n_rows"].tolist() == [1.25, 0.75]


def test_owner_names_are_taken_from_frame_columns(owned):
    pandas = pytest.importorskip("pandas")
    shares = pandas.get_dummies(pandas.Series(owned["owners"]))
    assert exposure_by_owner(**owned | {"owners": shares})["owner"].tolist() == ["ann", "bob", "eve"]
    target = {"ann": 1, "bob": 1, "eve": 2}
    got = awrf_score(**owned | {"owners": shares}, target=target)
    assert got == pytest.approx(awrf_score(**owned, target=target), abs=1e-12)


def test_frame_of_one_column_contains_owner_ids(owned):
    pandas = pytest.importorskip("pandas")
    table = exposure_by_owner(**owned | {"owners": pandas.DataFrame({"owner": owned["owners"]})})
    assert table["owner"].tolist() == ["ann", "bob", "eve"]


BAD_OWNERS = [
    (None, "contain the owner of each row"),
    (["a"] * 13, r"have one id per row \(14 rows\)"),
    ([np.nan] * 7 + [1.0] * 7, "not contain missing ids"),
    (
        np.array([np.nan] * 7 + [1.0] * 7),
        "not contain NaN. Got 7 NaN instead. Give rows without a known owner",
    ),
    ([None] + ["a"] * 13, "not contain missing ids"),
    ("seller", "be an array of ids, not a name"),
    (np.full((13, 2), 0.5), r"have one row of shares per score \(14 scores\).*shape \(13, 2\)"),
    (np.ones((14, 2)), "contain shares that add up to 1 in each row. Got a sum of 2 in row 0"),
    (np.tile([2.0, -1.0], (14, 1)), "contain finite and non-negative shares.*-1.0"),
    (np.tile([np.nan, 1.0], (14, 1)), "contain finite and non-negative shares.*nan"),
    ([["a", "b"]] * 14, "be an array of real numbers"),
]


@EVERY
@pytest.mark.parametrize(("owners", "rule"), BAD_OWNERS)
def test_exposure_metrics_reject_invalid_owners(name, owners, rule, owned):
    with pytest.raises(ValueError, match=f"'owners' parameter of {name} must {rule}"):
        call(name, owned, owners=owners)


@EVERY
@pytest.mark.parametrize(
    ("changed", "parameter", "rule"),
    [
        ({"groups": None}, "groups", "contain the query id of each row"),
        ({"groups": [1] * 13}, "groups", "have one id per row"),
        ({"y_score": [1.0] * 13}, "(owners|y_score|y_true)", ""),
        ({"y_true": [1] * 13}, "y_true", r"have one label per score \(14 scores\). Got 13 labels"),
        ({"y_score": []}, "y_score", "be a 1-D array of at least one score"),
        ({"y_score": [np.nan] * 14}, "y_score", "not contain NaN"),
        ({"sample_weight": np.arange(14)}, "sample_weight", "be the same for all rows of a query"),
    ],
)
def test_exposure_metrics_reject_invalid_rows(name, changed, parameter, rule, owned):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must {rule}"):
        call(name, owned, **changed)


@pytest.mark.parametrize("name", ["amortized_exposure_loss", "exposure_ratio_score"])
@pytest.mark.parametrize(
    ("y_true", "rule"),
    [(None, "contain the label of each row"), ([np.nan] * 14, "not contain NaN"), ([-1] * 14, "be finite")],
)
def test_exposure_metrics_require_labels_when_they_use_utility(name, y_true, rule, owned):
    with pytest.raises(ValueError, match=f"'y_true' parameter of {name} must {rule}"):
        call(name, owned, y_true=y_true)


@pytest.mark.parametrize("name", ["awrf_score", "exposure_parity_score"])
def test_exposure_metrics_require_labels_for_cascade_browsing(name, owned):
    assert call(name, owned, y_true=None) == call(name, owned)
    with pytest.raises(ValueError, match=f"'y_true' parameter of {name} must contain the label"):
        call(name, owned, y_true=None, browsing_model="cascade")


@EVERY
def test_exposure_metrics_reject_frames_in_different_order(name, owned):
    pandas = pytest.importorskip("pandas")
    index = [f"row {i}" for i in range(14)]
    owners = pandas.Series(owned["owners"], index=index)[::-1]
    y_score = pandas.Series(owned["y_score"], index=index)
    with pytest.raises(
        ValueError, match=f"'owners' parameter of {name} must have its rows in the same order"
    ):
        call(name, owned, owners=owners, y_score=y_score)
