"""Rank of each row in its query."""

import numpy as np
import pytest
from scipy.stats import rankdata

from sklearn_rank.metrics import ranks

METHODS = {"average": "average", "order": "ordinal", "best": "min", "worst": "max"}
Y_SCORE = [0.5, 0.9, 0.5, 0.1, 0.5, 2.0]
QID = ["a", "a", "a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("average", [3, 1, 3, 2, 3, 1]),
        ("order", [2, 1, 3, 2, 4, 1]),
        ("best", [2, 1, 2, 2, 2, 1]),
        ("worst", [4, 1, 4, 2, 4, 1]),
    ],
)
def test_ranks_of_tied_scores_follow_tie_rule(ties, expected):
    assert ranks(Y_SCORE, groups=QID, ties=ties).tolist() == expected


@pytest.mark.parametrize("ties", METHODS)
@pytest.mark.parametrize("n_scores", [2, 10**6])
def test_ranks_match_scipy_for_each_query(ties, n_scores):
    rng = np.random.default_rng(n_scores)
    groups = rng.permutation(np.repeat(np.arange(300), rng.integers(1, 60, 300)))
    y_score = rng.integers(0, n_scores, len(groups)).astype(float)
    found = ranks(y_score, groups=groups, ties=ties)
    for query in np.unique(groups):
        rows = groups == query
        assert found[rows].tolist() == rankdata(-y_score[rows], METHODS[ties]).tolist()


@pytest.mark.parametrize("ties", METHODS)
def test_ranks_of_unretrieved_rows_are_nan(ties):
    found = ranks([-np.inf, 1, 2, -np.inf], groups=[1, 1, 1, 2], ties=ties)
    assert np.array_equal(found, [np.nan, 2, 1, np.nan], equal_nan=True)


def test_ranks_distinguish_scores_beyond_float64():
    assert ranks([2**62, 2**62 + 1], groups=[0, 0]).tolist() == [2, 1]


def test_ranks_reject_series_in_different_order():
    pandas = pytest.importorskip("pandas")
    scores = pandas.Series([1.0, 2.0], index=[0, 1])
    with pytest.raises(ValueError, match="index"):
        ranks(scores, groups=pandas.Series(["a", "a"], index=[1, 0]))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"ties": "mean"}, "'ties' parameter of ranks must be one of 'average', 'order', 'best', 'worst'"),
        ({"groups": None}, "'groups' parameter of ranks must contain the query id of each row"),
        ({"groups": [1]}, "'groups' parameter of ranks must"),
        ({"y_score": [np.nan, 1]}, "'y_score' parameter of ranks must"),
        ({"y_score": [[1, 2]]}, "'y_score' parameter of ranks must be a 1-D array"),
        ({"y_score": []}, "'y_score' parameter of ranks must be a 1-D array"),
    ],
)
def test_ranks_reject_invalid_arguments(change, rule):
    given = {"y_score": [1, 2], "groups": [0, 0]} | change
    with pytest.raises(ValueError, match=rule):
        ranks(given.pop("y_score"), **given)
