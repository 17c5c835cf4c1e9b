"""`from_factors` returns the rows that `from_score_matrix` returns for the product of the factors."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from sklearn_rank import from_factors, from_score_matrix
from sklearn_rank.datasets import _factors


def draw(n_users=30, n_items=40, n_factors=3, seed=0):
    """Return integer factors, whose products are exact, with relevant and seen items."""
    random = np.random.default_rng(seed)
    users, items = random.integers(-3, 4, (n_users, n_factors)), random.integers(-3, 4, (n_items, n_factors))
    relevant, seen = (random.random((2, n_users, n_items)) < 0.1).astype(float)
    return relevant, users, items, seen


@pytest.mark.parametrize("as_matrix", [np.asarray, csr_array])
@pytest.mark.parametrize("has_seen", [True, False])
@pytest.mark.parametrize("k", [1, 10, 100])
@pytest.mark.parametrize("cells", [1, 130, 2**21])
def test_from_factors_equals_score_matrix_of_product(monkeypatch, as_matrix, has_seen, k, cells):
    monkeypatch.setattr(_factors, "CHUNK_CELLS", cells)
    relevant, users, items, seen = draw()
    given = {"seen": as_matrix(seen) if has_seen else None, "k": k, "return_items": True}
    found = from_factors(as_matrix(relevant), users, items, **given)
    expected = from_score_matrix(relevant, users @ items.T.astype(float), **given)
    for each, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(each, other)


def test_from_factors_keeps_float32():
    relevant, users, items, _ = draw()
    _, y_score, _ = from_factors(relevant, users.astype(np.float32), items.astype(np.float32), k=5)
    assert y_score.dtype == np.float32


def test_from_factors_returns_missed_labels():
    relevant, users, items, _ = draw()
    y_true, y_score, _, missed = from_factors(relevant, users, items, k=5, return_missed=True)
    assert np.isfinite(y_score).all()
    assert y_true.sum() + missed.labels.sum() == relevant.sum()
    assert (missed.depth, missed.n_items) == (5, 40)


@pytest.mark.parametrize(
    "change, rule",
    [
        (
            {"item_factors": np.ones((40, 2))},
            r"'item_factors' .* as many columns as 'user_factors' \(3 columns\)",
        ),
        ({"relevant": np.ones((30, 41))}, r"'relevant' .* a cell per user and item, \(30, 40\)"),
        ({"seen": np.ones((29, 40))}, "'seen' .* a cell per user"),
        ({"user_factors": np.full((30, 3), np.nan)}, "'user_factors' .* be finite. Got nan in row 0"),
        ({"k": 0}, "'k' parameter of from_factors"),
        ({"k": None}, "'k' parameter of from_factors"),
    ],
)
def test_from_factors_rejects_invalid_arguments(change, rule):
    relevant, users, items, _ = draw()
    given = {"relevant": relevant, "user_factors": users, "item_factors": items, "k": 5}
    with pytest.raises(ValueError, match=rule):
        from_factors(**given | change)


@pytest.mark.parametrize("named", ["relevant", "user_factors"])
def test_from_factors_names_users_by_index_of_frame(named):
    relevant, users, items, _ = draw(n_users=3)
    given = {"relevant": relevant, "user_factors": users}
    given[named] = pd.DataFrame(given[named], index=["cleo", "ann", "bob"])
    groups = from_factors(**given, item_factors=items, k=5)[2]
    positions = from_factors(relevant, users, items, k=5)[2]
    assert groups.tolist() == np.array(["cleo", "ann", "bob"])[positions].tolist()
