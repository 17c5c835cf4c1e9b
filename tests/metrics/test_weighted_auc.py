"""Weights of users in the group AUC: by rows or by relevant documents."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import sklearn_rank
from sklearn_rank.datasets import make_ranking

# Three users: 3 rows, 1 positive, AUC 1; 4 rows, 3 positives, AUC 1/3; 2 rows of one class, excluded.
CLICKS = {
    "y_true": [2, 0, 0, 3, 0, 3, 4, 0, 0],
    "y_score": [3, 2, 1, 4, 3, 2, 1, 2, 1],
    "groups": ["a", "a", "a", "b", "b", "b", "b", "c", "c"],
}


@pytest.mark.parametrize(
    ("weighted_by", "options", "expected"),
    [
        ("rows", {}, (3 * 1 + 4 / 3) / 7),
        ("relevant", {}, (1 * 1 + 3 / 3) / 4),
        ("relevant", {"min_relevance": 4}, 0),
        ("relevant", {"sample_weight": [5] * 3 + [1] * 6}, (5 * 1 + 3 / 3) / 8),
        ("relevant", {"zero_division": 1.0}, (1 * 1 + 3 / 3) / 4),  # a user without positives has weight 0
    ],
)
def test_group_auc_weights_users_by_rows_or_positives(weighted_by, options, expected):
    got = sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by=weighted_by, **options)
    assert got == pytest.approx(expected, abs=1e-15)


def test_group_auc_weights_by_rows_by_default():
    by_rows = sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by="rows")
    assert sklearn_rank.group_auc_score(**CLICKS, average="weighted") == by_rows


@pytest.mark.parametrize("shuffled", [False, True])
def test_group_auc_weighted_by_relevant_matches_recbole(shuffled):
    _, y_true, users = make_ranking(n_queries=60, shuffle=shuffled, random_state=0)
    y_score = np.random.default_rng(0).integers(0, 9, len(y_true))
    aucs, n_positive = [], []
    for user in np.unique(users):
        relevant = y_true[users == user] >= 2
        if 0 < relevant.sum() < len(relevant):
            aucs.append(roc_auc_score(relevant, y_score[users == user]))
            n_positive.append(relevant.sum())
    expected = np.sum(np.multiply(aucs, n_positive)) / np.sum(n_positive)
    options = {"min_relevance": 2, "average": "weighted", "weighted_by": "relevant"}
    assert sklearn_rank.group_auc_score(y_true, y_score, groups=users, **options) == pytest.approx(
        expected, abs=1e-12
    )


def test_group_auc_weighting_is_accepted_in_metric_name():
    name = "group_auc(average=weighted, weighted_by=relevant)"
    assert sklearn_rank.ranking_scores(**CLICKS, metrics=[name]) == {name: 0.5}
    scorer = sklearn_rank.group_auc_scorer(average="weighted", weighted_by="relevant")
    assert sklearn_rank.get_scorer(name).score_rows(**CLICKS) == scorer.score_rows(**CLICKS) == 0.5
    assert sklearn_rank.metrics.tie_report(**CLICKS, metrics=[name]).metrics[name]["average"] == 0.5
    short = "group_auc(weighted_by=relevant)"
    assert sklearn_rank.ranking_scores(**CLICKS, metrics=[short], average="weighted") == {short: 0.5}


@pytest.mark.parametrize("average", ["macro", None])
def test_group_auc_rejects_weighted_by_without_weighted_average(average):
    rule = "'weighted_by' parameter of group_auc_score must be 'rows' unless average='weighted'"
    with pytest.raises(ValueError, match=rule):
        sklearn_rank.group_auc_score(**CLICKS, average=average, weighted_by="relevant")
    with pytest.raises(ValueError, match="'weighted_by' parameter of group_auc_scorer must be 'rows' unless"):
        sklearn_rank.group_auc_scorer(weighted_by="relevant")
    with pytest.raises(
        ValueError, match="'weighted_by' parameter of group_auc_score must be one of 'rows', "
    ):
        sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by="clicks")
