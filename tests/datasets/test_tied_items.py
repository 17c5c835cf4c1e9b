"""Non-relevant items tied with the k-th one, which `missed` counts: values equal those of all pairs."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from sklearn_rank import (
    RankingEvaluator,
    evaluate,
    from_factors,
    from_score_matrix,
    map_score,
    mrr_score,
    ndcg_score,
    ndcg_scorer,
    ranking_scores,
    recall_at_k_score,
)
from sklearn_rank.datasets import _score_matrix
from sklearn_rank.inspection import permutation_importance
from sklearn_rank.metrics import recall_curve, tie_report
from tests.helpers.table import CUTOFFS, METRICS, RULES

N_USERS, N_ITEMS, K = 30, 90, 4
LEFT_OUT = {"fallout_loss", "rbp_residual_loss"}  # need all documents, so they raise an error
KINDS = ["cold", "few values", "float32", "some not retrieved", "csr"]


@pytest.fixture(autouse=True)
def count_all(monkeypatch):
    """Count tied items however few they are, and read several chunks of users."""
    monkeypatch.setattr(_score_matrix, "MAX_TIED", 0)
    monkeypatch.setattr(_score_matrix, "CHUNK_CELLS", 7 * N_ITEMS)


def draw(kind="few values"):
    """Return grades and scores of users and items; some users are cold, some have nothing relevant."""
    random = np.random.default_rng(3)
    grades = random.integers(1, 4, (N_USERS, N_ITEMS)) * (random.random((N_USERS, N_ITEMS)) < 0.15)
    grades[::7] = 0
    scores = (random.random((N_USERS, N_ITEMS)) < 0.03) * random.integers(1, 3, (N_USERS, N_ITEMS)) + 1.0
    scores[::4] = 1
    return grades.astype(float), {
        "cold": np.zeros_like(scores),
        "few values": scores,
        "float32": scores.astype(np.float32) / 3,
        "some not retrieved": np.where(random.random(scores.shape) < 0.3, -np.inf, scores),
        "csr": sparse.csr_array(np.where(random.random(scores.shape) < 0.4, 0, scores)),
    }[kind]


def read_both(kind="few values", **options):
    """Return the rows with counted items, and the arguments of metrics for them, and those of all pairs."""
    grades, scores = draw(kind)
    *rows, missed = from_score_matrix(grades, scores, k=K, return_missed=True, **options)
    whole = from_score_matrix(grades, scores, **options)
    assert missed.tied is not None
    assert len(rows[0]) < len(whole[0]) / 2
    return (rows[:2], {"groups": rows[2], "missed": missed}), (whole[:2], {"groups": whole[2]})


def assert_same(score, counted, whole, **options):
    got, expected = (score(*rows, **more, **options) for rows, more in (counted, whole))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_counted_ties_keep_every_metric_at_a_cutoff(kind, ties):
    both = read_both(kind)
    for stem in set(CUTOFFS) - LEFT_OUT:
        options = {"ties": ties} if "ties" in METRICS[stem].defaults else {}
        for k in (1, 3, K):
            assert_same(METRICS[stem].function, *both, k=k, average=None, **options)


OPTIONS = {
    "a gain of what is not relevant": (ndcg_score, {"gain": [1, 2, 5, 6]}),
    "exponential gain": (ndcg_score, {"gain": "exponential"}),
    "a discount by rank": (ndcg_score, {"discount": lambda ranks: 1 / ranks}),
    "relevant from label 2": (recall_at_k_score, {"min_relevance": 2}),
    "hits": (map_score, {"denominator": "hits"}),
    "micro": (METRICS["precision"].function, {"average": "micro"}),
    "short lists": (METRICS["precision"].function, {"adaptive_k": True}),
    "undefined": (ndcg_score, {"zero_division": np.nan}),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_counted_ties_keep_values_with_metric_options(option, kind):
    score, options = OPTIONS[option]
    assert_same(score, *read_both(kind), k=K, **options)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop"])
def test_counted_ties_keep_values_with_missing_labels(unjudged):
    grades, scores = draw()
    grades[np.random.default_rng(0).random(grades.shape) < 0.1] = np.nan
    *rows, missed = from_score_matrix(grades, scores, k=K, return_missed=True)
    whole = from_score_matrix(grades, scores)
    options = {"unjudged": unjudged, "average": None}
    counted = rows[:2], {"groups": rows[2], "missed": missed}
    for score in (ndcg_score, map_score, mrr_score):
        assert_same(score, counted, (whole[:2], {"groups": whole[2]}), k=K, **options)


def test_counted_ties_keep_values_when_seen_items_are_excluded():
    seen = np.random.default_rng(1).random((N_USERS, N_ITEMS)) < 0.3
    assert_same(ndcg_score, *read_both(seen=seen), k=K, average=None)


def test_counted_ties_keep_values_by_reverse_row_order():
    counted, whole = (
        ranking_scores(*rows, metrics=["ir_measures:RR@4"], **more) for rows, more in read_both()
    )
    assert counted == pytest.approx(whole, abs=1e-12)


def test_counted_ties_keep_values_when_rows_are_shuffled():
    (rows, given), whole = read_both()
    order = np.random.default_rng(0).permutation(len(rows[0]))
    shuffled = [each[order] for each in rows], given | {"groups": given["groups"][order]}
    assert_same(ndcg_score, shuffled, whole, k=K, average=None)


def test_counted_ties_keep_values_of_some_users():
    (rows, given), (whole, ids) = read_both()
    kept, of_whole = given["groups"] % 3 == 0, ids["groups"] % 3 == 0
    some = [each[kept] for each in rows], given | {"groups": given["groups"][kept]}
    others = [each[of_whole] for each in whole], {"groups": ids["groups"][of_whole]}
    assert_same(ndcg_score, some, others, k=K, average=None)


def test_counted_ties_keep_values_of_pickled_missed():
    (rows, given), whole = read_both()
    pickled = pickle.loads(pickle.dumps(given["missed"]))
    assert_same(ndcg_score, (rows, given | {"missed": pickled}), whole, k=K, average=None)


def test_counted_ties_keep_curves():
    (_, recalls), (_, expected) = (recall_curve(*rows, max_k=K, **more) for rows, more in read_both())
    np.testing.assert_allclose(recalls, expected, rtol=0, atol=1e-12)


def test_counted_ties_keep_tie_report():
    counted, whole = (tie_report(*rows, metrics=["ndcg@4"], **more) for rows, more in read_both())
    assert counted.metrics == whole.metrics


def test_counted_ties_keep_reports_in_parts():
    (rows, given), (whole, ids) = read_both()
    evaluator = RankingEvaluator(["ndcg@4", "map@4"])
    for part in (given["groups"] < 11, given["groups"] >= 11):
        labels, scores = (each[part] for each in rows)
        evaluator.update(labels, scores, groups=given["groups"][part], missed=given["missed"])
    expected = evaluate(*whole, metrics=["ndcg@4", "map@4"], **ids)
    assert dict(evaluator.result().mean) == pytest.approx(dict(expected.mean), abs=1e-12)


def test_counted_ties_name_users_by_index_of_frame():
    grades, scores = draw()
    names = np.array([f"user {number}" for number in range(N_USERS)])
    frame = pd.DataFrame(scores, index=names)
    *rows, missed = from_score_matrix(grades, frame, k=K, return_missed=True)
    counted = rows[:2], {"groups": rows[2], "missed": missed}
    whole = from_score_matrix(grades, frame)
    assert_same(ndcg_score, counted, (whole[:2], {"groups": whole[2]}), k=K, average=None)


def test_from_factors_counts_ties():
    random = np.random.default_rng(0)
    users, items = random.integers(0, 2, (N_USERS, 2)), random.integers(0, 2, (N_ITEMS, 2))
    grades = draw()[0]
    *rows, missed = from_factors(grades, users, items, k=K, return_missed=True)
    assert missed.tied is not None
    whole = from_score_matrix(grades, users @ items.T)
    counted = rows[:2], {"groups": rows[2], "missed": missed}
    assert_same(ndcg_score, counted, (whole[:2], {"groups": whole[2]}), k=K, average=None)


def test_missed_shows_number_of_tied_items():
    *_, missed = from_score_matrix(np.eye(2, 20), np.zeros((2, 20)), k=3, return_missed=True)
    assert repr(missed) == "<Missed: 0 labels of 0 queries, and 26 tied documents>"  # 2 x (20 - 1 - 2 x 3)


@pytest.mark.parametrize("options", [{}, {"return_items": True, "return_missed": True}])
def test_readers_reject_too_many_tied_rows(options):
    rule = "'k' parameter of from_score_matrix must lead to at most 0 rows .* tied .* return_missed=True"
    with pytest.raises(ValueError, match=rule):
        from_score_matrix(*draw(), k=K, **options)


def test_from_score_matrix_returns_all_pairs_without_k():
    assert len(from_score_matrix(*draw("cold"))[0]) == N_USERS * N_ITEMS


@pytest.mark.parametrize("change", ["other scores", "lower scores", "fewer rows"])
def test_metrics_reject_counted_ties_with_other_rows(change):
    (rows, given), _ = read_both()
    labels, scores = rows
    kept = np.ones(len(scores), dtype=bool)
    if change == "other scores":
        scores = scores + 1
    elif change == "lower scores":
        scores = np.where(labels > 0, scores - 1, scores)
    else:
        kept = np.random.default_rng(0).random(len(scores)) < 0.5
    given = given | {"groups": given["groups"][kept]}
    with pytest.raises(ValueError, match=r"'missed' .* ndcg_score .* scores and labels of its reader"):
        ndcg_score(labels[kept], scores[kept], k=K, **given)


def test_scorers_reject_counted_ties_for_predictions():
    (rows, given), _ = read_both()
    X = rows[1][:, None]
    model = LinearRegression().fit(X, rows[0])
    scorer = ndcg_scorer(k=K, missed=given["missed"])
    with pytest.raises(ValueError, match=r"'missed' .* scores and labels of its reader"):
        permutation_importance(model, X, rows[0], groups=given["groups"], scoring=scorer)
