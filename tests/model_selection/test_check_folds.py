"""`check_folds`: folds keep queries whole, and each test set has a relevant document."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from sklearn_rank import (
    BalancedGroupKFold,
    LeaveLastOut,
    WithinGroupKFold,
    cross_val_score,
    cross_validate,
    ndcg_scorer,
)
from sklearn_rank.model_selection import check_folds


@pytest.fixture
def scarce():
    """Six queries, one of which has a relevant document."""
    groups = np.repeat(np.arange(6), 4)
    y = np.zeros(24)
    y[1] = 2
    return np.random.default_rng(0).standard_normal((24, 2)), y, groups


@pytest.mark.parametrize("cv", [3, BalancedGroupKFold(3), None], ids=repr)
def test_check_folds_returns_folds_that_pass(cv, ranking_data):
    X, y, groups = ranking_data
    folds = check_folds(cv, X, y, groups=groups)
    expected = BalancedGroupKFold(cv if isinstance(cv, int) else 3 if cv else 5).split(X, y, groups)
    for got, (train, test) in zip(folds, expected, strict=True):
        np.testing.assert_array_equal(got[0], train)
        np.testing.assert_array_equal(got[1], test)


def test_check_folds_rejects_a_fold_without_a_relevant_document(scarce):
    X, y, groups = scarce
    with pytest.raises(
        ValueError, match=r"a relevant document \(label >= 1\) in each test set\. Got none in fold 1 of 2"
    ):
        check_folds(2, X, y, groups=groups)
    y[[5, 9, 13, 17, 21]] = 1
    assert len(check_folds(2, X, y, groups=groups)) == 2
    with pytest.raises(ValueError, match=r"document \(label >= 2\) in each test set\. Got none in fold"):
        check_folds(2, X, y, groups=groups, min_relevance=2)


def test_check_folds_rejects_folds_that_cut_queries(ranking_data):
    X, y, groups = ranking_data
    with (
        pytest.warns(UserWarning, match="groups parameter is ignored by KFold"),
        pytest.raises(ValueError, match=r"keep queries whole\. Got \d+ of \d+ test queries .* fold 0 of 3"),
    ):
        check_folds(KFold(3), X, y, groups=groups)
    assert len(check_folds(WithinGroupKFold(3), X, y, groups=groups)) == 3


def test_check_folds_passes_params_to_the_splitter(ranking_data):
    X, y, groups = ranking_data
    times = np.arange(len(y))
    [(_, test)] = check_folds(LeaveLastOut(2), X, y, groups=groups, params={"times": times})
    assert np.unique(groups[test], return_counts=True)[1].tolist() == [2] * 60


@pytest.mark.parametrize(
    ("change", "parameter"),
    [({"groups": None}, "groups"), ({"y": [1, 0]}, "y")],
    ids=["no ids", "short labels"],
)
def test_check_folds_rejects_missing_ids_and_short_labels(change, parameter, ranking_data):
    X, y, groups = ranking_data
    given = {"y": y, "groups": groups} | change
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of check_folds must"):
        check_folds(3, X, **given)


def test_cross_val_score_warns_about_folds_without_relevant_documents(scarce, routing):
    X, y, groups = scarce
    with pytest.warns(
        UserWarning, match="no document is relevant in the test sets of folds 1, 2 of 3"
    ) as caught:
        cross_val_score(Ridge(), X, y, groups=groups, scoring=ndcg_scorer(), cv=3)
    assert len(caught) == 1
    assert cross_val_score(Ridge(), X, y, groups=groups, scoring="neg_mean_squared_error", cv=3).shape == (3,)
    assert cross_validate(Ridge(), X, y, groups=groups, cv=3)["test_score"].shape == (3,)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"cv": True}, "cv"),
        ({"cv": []}, "cv"),
        ({"cv": [([], [0, 1])]}, "cv"),
        ({"y": ["a"] * 24}, "y"),
        ({"y": np.ones((24, 2))}, "y"),
        ({"min_relevance": "a"}, "min_relevance"),
    ],
    ids=["bool", "no folds", "nothing to train on", "words", "two columns", "no number"],
)
def test_check_folds_rejects_invalid_folds_and_labels(change, parameter, scarce):
    X, y, groups = scarce
    given = {"cv": 2, "y": y} | change
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of check_folds must"):
        check_folds(given.pop("cv"), X, given.pop("y"), groups=groups, **given)


def test_check_folds_accepts_returns_below_the_relevance_threshold(scarce):
    X, y, groups = scarce
    returns = np.where(y > 0, 0.01, -0.02)
    folds = check_folds(BalancedGroupKFold(3), X, returns, groups=groups)
    assert len(folds) == 3


class TakesAny(BalancedGroupKFold):
    """A splitter whose split takes arguments of any name."""

    def split(self, X, y=None, groups=None, **given):
        assert set(given) == {"times"}
        return super().split(X, y, groups)


def test_check_folds_passes_params_to_a_splitter_with_kwargs(scarce):
    X, _, groups = scarce
    relevant = np.ones(len(X))
    assert len(check_folds(TakesAny(2), X, relevant, groups=groups, params={"times": groups})) == 2
