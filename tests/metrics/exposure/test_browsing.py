"""Exposure of single rows under each browsing model, compared with all orders of tied rows."""

import numpy as np
import pytest

from sklearn_rank.metrics import exposure_by_owner

from .conftest import expose

MODELS = [
    ({"browsing_model": "log2"}, lambda rank: 1 / np.log2(rank + 1), None),
    ({"browsing_model": "reciprocal"}, lambda rank: 1 / rank, None),
    ({"browsing_model": None}, lambda rank: 1, None),
    ({"browsing_model": lambda ranks: 1 / ranks**2}, lambda rank: 1 / rank**2, None),
    ({"browsing_model": "rbp"}, lambda rank: 0.8 ** (rank - 1), None),
    ({"browsing_model": "rbp", "p": 0.3}, lambda rank: 0.3 ** (rank - 1), None),
    ({"browsing_model": "cascade"}, lambda rank: 1, lambda label: label / 2),
    ({"browsing_model": "cascade", "p": 0.6}, lambda rank: 0.6 ** (rank - 1), lambda label: label / 2),
    (
        {"browsing_model": "cascade", "gain": "exponential", "max_grade": 4},
        lambda rank: 1,
        lambda label: (2**label - 1) / 16,
    ),
    (
        {"browsing_model": "cascade", "gain": [0, 0.2, 0.9]},
        lambda rank: 1,
        lambda label: [0, 0.2, 0.9][int(label)],
    ),
]


def of_rows(rows, **options):
    """Return the exposure of each row, as that of its own owner."""
    y_true, y_score, groups = (rows[name] for name in ("y_true", "y_score", "groups"))
    table = exposure_by_owner(y_true, y_score, groups=groups, owners=np.arange(len(y_true)), **options)
    return table["exposure"]


@pytest.mark.parametrize("k", [1, 2, 3, None])
@pytest.mark.parametrize(("options", "worth", "stop"), MODELS)
def test_exposure_of_tied_rows_is_mean_over_all_orders(options, worth, stop, k, owned):
    expected = expose(owned, worth, stop or (lambda label: 0.0), k)
    np.testing.assert_allclose(of_rows(owned, k=k, **options), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_cascade_exposure_of_long_ties_is_exact(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    rows = {
        "y_true": rng.random(n).round(1),
        "y_score": rng.integers(0, 2, n).astype(float),
        "groups": np.zeros(n),
    }
    got = of_rows(rows, browsing_model="cascade", p=0.7, max_grade=1, k=4)
    expected = expose(rows, lambda rank: 0.7 ** (rank - 1), lambda label: label, 4)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("options", "worth", "stop"), MODELS)
def test_exposure_with_input_order_ties_equals_settled_scores(options, worth, stop, owned):
    settled = {**owned, "y_score": owned["y_score"] - 1e-6 * np.arange(14)}
    np.testing.assert_array_equal(of_rows(owned, ties="order", **options), of_rows(settled, **options))


def test_cascade_exposure_stops_at_relevant_document():
    rows = {"y_true": [0, 1, 0], "y_score": [3, 2, 1], "groups": [0, 0, 0]}
    np.testing.assert_array_equal(of_rows(rows, browsing_model="cascade"), [1, 1, 0])


def test_exposure_of_dropped_unjudged_rows_is_zero():
    rows = {"y_true": [1, np.nan, 1], "y_score": [3, 2, 1], "groups": [0, 0, 0]}
    np.testing.assert_array_equal(of_rows(rows, browsing_model="reciprocal", unjudged="drop"), [1, 0, 0.5])
    np.testing.assert_array_equal(
        of_rows(rows, browsing_model="cascade", unjudged="drop", max_grade=2), [1, 0, 0.5]
    )


@pytest.mark.parametrize(
    ("options", "parameter", "rule"),
    [
        (
            {"browsing_model": "dcg"},
            "browsing_model",
            "be 'log2', 'reciprocal', 'rbp', 'cascade', None or a callable",
        ),
        (
            {"browsing_model": lambda ranks: ranks},
            "browsing_model",
            "be finite, non-negative, non-increasing in the rank",
        ),
        ({"browsing_model": lambda ranks: "x"}, "browsing_model", "return one real number per rank"),
        ({"p": 0.5}, "p", "be None unless browsing_model is 'rbp' or 'cascade'"),
        ({"browsing_model": "rbp", "p": 1}, "p", "be a number above 0 and below 1"),
        ({"max_grade": 3}, "max_grade", "be None unless browsing_model is 'cascade'"),
        ({"browsing_model": "cascade", "max_grade": 1}, "max_grade", "be at least the highest label"),
        (
            {"browsing_model": "cascade", "gain": [0, 1, 2]},
            "gain",
            r"be 'linear', 'exponential' or probabilities in \[0, 1\]",
        ),
        ({"k": 0}, "k", "be an int >= 1"),
        ({"ties": "best"}, "ties", "be one of 'average', 'order' for metrics of exposure"),
        ({"unjudged": "no"}, "unjudged", "be one of"),
    ],
)
def test_exposure_by_owner_rejects_invalid_browsing_options(options, parameter, rule, owned):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of exposure_by_owner must {rule}"):
        of_rows(owned, **options)
