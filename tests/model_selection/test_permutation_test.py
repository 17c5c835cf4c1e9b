"""Permutation tests that permute labels within queries."""

from inspect import signature

import numpy as np
import pytest
import sklearn.inspection
import sklearn.model_selection as theirs
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

import sklearn_rank
from sklearn_rank import (
    LeaveLastOut,
    cross_val_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
)
from sklearn_rank.model_selection import _cross_validation

NDCG = ndcg_scorer(k=3)


class Watches(Ridge):
    """Keeps the labels it was trained on, by the ids in the last column of X."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append({i: tuple(y[X[:, -1] == i]) for i in np.unique(X[:, -1])})
        return super().fit(X, y)


def test_permutation_test_permutes_labels_within_queries(ranking_data):
    X, y, groups = ranking_data
    Watches.seen.clear()
    options = {"groups": groups, "scoring": NDCG, "cv": 2, "n_permutations": 5}
    permutation_test_score(Watches(), np.column_stack([X, groups]), y, **options)
    assert len(Watches.seen) == 12
    given = {i: tuple(y[groups == i]) for i in np.unique(groups)}
    for labels in Watches.seen:
        assert all(sorted(values) == sorted(given[i]) for i, values in labels.items())
    moved = [labels != {i: given[i] for i in labels} for labels in Watches.seen]
    assert moved == [False] * 2 + [True] * 10
    assert len({tuple(labels.items()) for labels in Watches.seen}) == 12


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_permutation_test_returns_score_permuted_scores_and_p_value(n_jobs, routing, ranking_data):
    X, y, groups = ranking_data
    options = {"scoring": NDCG, "cv": 3, "n_permutations": 9, "n_jobs": n_jobs, "random_state": 0}
    score, permuted, p_value = permutation_test_score(Ridge(), X, y, groups=groups, **options)
    assert score == cross_val_score(Ridge(), X, y, groups=groups, scoring=NDCG, cv=3).mean()
    assert permuted.shape == (9,)
    assert (permuted < score).all()
    assert p_value == 0.1
    again = permutation_test_score(Ridge(), X, y, groups=groups, **options | {"n_jobs": None})
    np.testing.assert_array_equal(again[1], permuted)


@pytest.mark.slow
def test_permutation_test_is_not_significant_for_noise(ranking_data):
    _, y, groups = ranking_data
    noise = np.random.default_rng(0).standard_normal((len(y), 2))
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "n_permutations": 50}
    score, permuted, p_value = permutation_test_score(Ridge(), noise, y, **options)
    assert p_value == ((permuted >= score).sum() + 1) / 51
    assert p_value > 0.05


def test_permutation_p_value_counts_equal_scores(monkeypatch, ranking_data):
    scores = iter([0.1 + 0.2, 0.3, 0.3 - 1e-16, 0.2])
    monkeypatch.setattr(_cross_validation, "_mean_score", lambda *args: next(scores))
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "n_permutations": 3}
    assert permutation_test_score(Ridge(), X, y, **options)[2] == (1 + 2) / (1 + 3)


def test_permutation_test_is_not_significant_for_a_query_feature(ranking_data):
    _, y, groups = ranking_data
    mean = np.bincount(groups, weights=y)[groups] / np.bincount(groups)[groups]
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "n_permutations": 10}
    assert permutation_test_score(Ridge(), mean[:, None], y, **options)[2] > 0.05


@pytest.mark.thorough
def test_permutation_test_agrees_with_scikit_learn_within_groups(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    labels = pandas.Series(y, index=pandas.Index(groups, name="qid"))
    folds = list(sklearn_rank.BalancedGroupKFold(3).split(X, y, groups))
    options = {"groups": groups, "cv": folds, "n_permutations": 200, "random_state": 0}
    by_name = {"scoring": ndcg_scorer(k=3, groups="qid")}
    other = theirs.permutation_test_score(Ridge(), X, labels, **options, **by_name)
    ours = permutation_test_score(Ridge(), X, y, **options, scoring=NDCG)
    assert ours[0] == pytest.approx(other[0], abs=1e-12)
    spread = np.hypot(ours[1].std(), other[1].std()) / np.sqrt(200)
    assert abs(ours[1].mean() - other[1].mean()) < 4 * spread
    assert ours[1].std() == pytest.approx(other[1].std(), rel=0.25)


def test_permutation_test_passes_params_to_model_and_splitter(ranking_data):
    X, y, groups = ranking_data
    params = {"times": np.arange(len(y)), "sample_weight": np.arange(len(y)) + 1.0}
    options = {"groups": groups, "cv": LeaveLastOut(3), "n_permutations": 2}
    weighed = permutation_test_score(Ridge(), X, y, **options, scoring=NDCG, params=params)
    assert weighed[1].shape == (2,)


def test_permutation_test_equals_scikit_learn_without_ids(ranking_data):
    X, y, _ = ranking_data
    options = {"scoring": "r2", "cv": KFold(3), "n_permutations": 3}
    ours, other = (f.permutation_test_score(Ridge(), X, y, **options) for f in (sklearn_rank, theirs))
    np.testing.assert_array_equal(ours[1], other[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_permutations": 0}, r"'n_permutations' parameter of permutation_test_score must be an int >= 1"),
        ({"scoring": ["ndcg", "map"]}, r"'scoring' parameter of permutation_test_score must be one scorer"),
        ({"groups": None}, r"required by ndcg_scorer\(k=3\)"),
    ],
    ids=["none", "several", "no ids"],
)
def test_permutation_test_rejects_bad_arguments(options, message, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=message):
        permutation_test_score(Ridge(), X, y, **{"groups": groups, "scoring": NDCG} | options)


def test_permutation_signatures_equal_those_of_scikit_learn():
    other = [name for name in signature(theirs.permutation_test_score).parameters if name != "fit_params"]
    own = signature(permutation_test_score).parameters
    assert [name for name in own if name != "times"] == other
    other = list(signature(sklearn.inspection.permutation_importance).parameters)
    assert set(signature(permutation_importance).parameters) == {*other, "groups", "labels", "within_groups"}


def test_permutation_test_p_value_is_nan_for_an_undefined_score(ranking_data):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(zero_division=np.nan)
    options = {"groups": groups, "scoring": scorer, "cv": 3, "n_permutations": 3}
    with pytest.warns(Warning, match="undefined|no document is relevant"):
        score, _, p_value = permutation_test_score(Ridge(), X, np.zeros_like(y), **options)
    assert np.isnan(score)
    assert np.isnan(p_value)
