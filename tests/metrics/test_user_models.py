"""Metrics of users who stop reading: RBP of grades and its residual, and INSQ."""

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator, err_score, insq_score, ranking_scores, rbp_residual_loss, rbp_score
from sklearn_rank.metrics import intent_aware_score

NAN = np.nan


def draw(n_queries=200, n=12, judged=0.6, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 4, (n_queries, n)).astype(float)
    y_true[rng.random(y_true.shape) > judged] = NAN
    y_score = rng.integers(0, 6, y_true.shape).astype(float)
    y_score[rng.random(y_true.shape) < 0.2] = -np.inf
    return y_true, y_score


# ---------------------------------------------------------------------------- grades


@pytest.mark.parametrize(
    ("max_grade", "expected"), [(4, 0.5 * (2 / 4 + 1 / 4 * 0.25)), ("query", 0.5 * (1 + 1 / 2 * 0.25))]
)
def test_rbp_max_grade_weights_document_by_share_of_grade(max_grade, expected):
    got = rbp_score([[2, 0, 1]], [[3, 2, 1]], p=0.5, max_grade=max_grade)
    assert got == pytest.approx(expected, abs=1e-15)


def test_rbp_max_grade_query_includes_unretrieved_documents():
    assert rbp_score([[1, 4]], [[1, -np.inf]], p=0.5, max_grade="query") == 0.5 / 4


@pytest.mark.parametrize("function", [rbp_score, insq_score])
def test_rbp_and_insq_max_grade_equal_binary_for_two_grades(function):
    y_true, y_score = draw(judged=1.1)
    y_true = 3.0 * (y_true > 1)
    expected = function(y_true, y_score, average=None)
    np.testing.assert_allclose(function(y_true, y_score, max_grade=3, average=None), expected, rtol=1e-15)
    np.testing.assert_allclose(
        function(y_true, y_score, max_grade="query", average=None), expected, rtol=1e-15
    )


def test_rbp_max_grade_is_undefined_for_query_of_zeros():
    values = rbp_score([[0, 0], [0.5, 0]], [[2, 1], [2, 1]], max_grade=2, zero_division=NAN, average=None)
    np.testing.assert_allclose(values, [NAN, 0.2 / 4])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"max_grade": 1},
            "'max_grade' parameter of rbp_score must be at least the highest label. Got 1.0 for label 2.0 at",
        ),
        ({"max_grade": 0}, "'max_grade' parameter of rbp_score must be a finite number > 0 or None"),
        (
            {"max_grade": "list"},
            "'max_grade' parameter of rbp_score .* Got 'list' instead. Only rbp and insq accept 'query'",
        ),
        (
            {"max_grade": 2, "min_relevance": 2},
            "'min_relevance' parameter of rbp_score must be left out with max_",
        ),
        (
            {"max_grade": 2, "signed": True},
            "'max_grade' parameter of rbp_score must be left out with signed=True",
        ),
    ],
)
def test_rbp_rejects_invalid_max_grade_options(options, message):
    with pytest.raises(ValueError, match=message):
        rbp_score([[2, 0, 1]], [[3, 2, 1]], **options)


def test_err_rejects_max_grade_query():
    with pytest.raises(ValueError, match="'max_grade' parameter of err_score must be a finite number > 0 or"):
        err_score([[2, 0]], [[2, 1]], max_grade="query")


def test_ranking_scores_and_evaluator_accept_max_grade():
    y_true, y_score = draw(judged=1.1)
    ids = np.repeat(np.arange(len(y_true)), y_true.shape[1])
    names = [
        "rbp",
        "rbp@5(max_grade=3)",
        "insq(max_grade=query, desired_gain=2)",
        "neg_rbp_residual_loss@4(p=0.5)",
    ]
    expected = ranking_scores(y_true, y_score, metrics=names)
    assert expected["rbp@5(max_grade=3)"] == rbp_score(y_true, y_score, k=5, max_grade=3)
    assert expected["insq(max_grade=query, desired_gain=2)"] == insq_score(
        y_true, y_score, max_grade="query", desired_gain=2
    )
    assert expected[names[-1]] == -rbp_residual_loss(y_true, y_score, k=4, p=0.5)
    evaluator = RankingEvaluator(names)
    evaluator.update(y_true.ravel(), y_score.ravel(), ids)
    assert evaluator.result().mean == pytest.approx(expected, rel=1e-15)


def test_intent_aware_rbp_uses_labels_of_each_intent():
    y_true = np.array([[2, 0], [0, 1], [1, 0]])
    got = intent_aware_score("rbp(p=0.5)", y_true, [3, 2, 1], groups=[0, 0, 0])
    assert got == pytest.approx((0.5 + 0.125 + 0.25) / 2)


# ---------------------------------------------------------------------------- residual


@pytest.mark.parametrize("k", [None, 1, 5, 30])
def test_rbp_residual_is_gain_if_open_documents_are_relevant(k):
    y_true, y_score = draw()
    options = {"k": k, "p": 0.7, "average": None}
    least = rbp_score(y_true, y_score, unjudged="nonrelevant", **options)
    most = rbp_score(np.nan_to_num(y_true, nan=1), y_score, **options)
    n_shown = np.minimum((y_score > -np.inf).sum(axis=1), k or 30)
    residual = rbp_residual_loss(y_true, y_score, **options)
    np.testing.assert_allclose(residual, most - least + 0.7**n_shown, rtol=0, atol=1e-15)


def test_rbp_residual_of_empty_list_is_one():
    assert rbp_residual_loss([[1, 0]], [[-np.inf, -np.inf]]) == 1


# ---------------------------------------------------------------------------- INSQ


def test_insq_matches_hand_computed_values():
    # Weights 1/4, 1/9, 1/16, ... add up to pi**2 / 6 - 1.
    expected = (1 / 4 + 1 / 16) / (np.pi**2 / 6 - 1)
    assert insq_score([[1, 0, 1]], [[3, 2, 1]]) == pytest.approx(expected, rel=1e-15)
    assert insq_score([[1, 0, 1]], [[3, 2, 1]], k=2) == pytest.approx(1 / 4 / (np.pi**2 / 6 - 1), rel=1e-15)


def test_insq_decreases_at_top_with_higher_goal():
    values = [
        insq_score([[1, 0, 0]], [[3, 2, 1]], desired_gain=desired_gain) for desired_gain in (0.5, 1, 3, 100)
    ]
    assert values == sorted(values, reverse=True)


def test_insq_of_long_relevant_list_is_nearly_one():
    assert insq_score(np.ones((1, 10**5)), -np.arange(10**5)[None, :]) == pytest.approx(1, abs=2e-5)


@pytest.mark.parametrize("desired_gain", [0, -1, NAN, np.inf, 10**7, "1", None, True])
def test_insq_rejects_invalid_goal(desired_gain):
    with pytest.raises(
        ValueError, match="'desired_gain' parameter of insq_score must be a number from 1e-100"
    ):
        insq_score([[1, 0]], [[2, 1]], desired_gain=desired_gain)
