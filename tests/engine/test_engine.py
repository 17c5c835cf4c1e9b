"""Packed sorts, layouts, chunks and threads do not change values."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sklearn_rank._engine.blocks
import sklearn_rank._engine.prepared
from sklearn_rank import (
    dcg_score,
    err_score,
    f1_at_k_score,
    map_score,
    mrr_score,
    ndcg_score,
    ndcg_scorer,
    ranking_scores,
)
from sklearn_rank._engine.prepared import find_queries
from sklearn_rank.metrics import prepare_rows, score_prepared

METRICS = ["ndcg@10(gain=exponential)", "map", "mrr", "group_auc", "recall@10", "kendall_tau", "pearson"]

BINARY = [
    "map",
    "mrr",
    "precision@3",
    "recall@3",
    "f1@3",
    "hit_rate@3",
    "r_precision",
    "rbp",
    "bpref",
    "fallout_loss@3",
]
BINARY += ["group_auc"]


def make(n_queries, seed=0, most=60):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, most, n_queries)
    groups = np.repeat(rng.permutation(n_queries), lengths)
    y_true = rng.integers(0, 5, len(groups))
    return y_true, rng.standard_normal(len(groups)).round(1) + y_true, groups


def per_query(y_true, y_score, groups, **options):
    return ranking_scores(y_true, y_score, groups=groups, metrics=METRICS, average=None, **options)


def assert_same(got, expected):
    """Equal but for the last digits, which are those of the other queries in a block: alone, or with ties."""
    for name in expected:
        np.testing.assert_allclose(got[name], expected[name], rtol=2e-15, atol=2e-15, err_msg=name)


# ------------------------------------------------------------------ labels sorted with their scores


@pytest.mark.parametrize("length", [2, 9, 40, 300])
def test_scores_that_differ_in_last_bits_are_not_tied(length):
    rng = np.random.default_rng(length)
    for base in (1.0, -1.0, 0.1, 1e-300, 3e300):
        y_score = base + np.spacing(base) * rng.permutation(length)
        y_true = rng.integers(0, 5, length)
        by_rank = y_true[sorted(range(length), key=lambda row: -y_score[row])]
        expected = ndcg_score([by_rank], [-np.arange(length)], k=5)
        assert ndcg_score([y_true], [y_score], k=5) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.9], ids="{:.0%} of the queries".format)
@pytest.mark.parametrize("kept", [False, True], ids=["once", "again and again"])
@pytest.mark.parametrize("n_close", [0, 1, 40])
def test_ndcg_of_queries_with_ties_and_last_bit_differences_is_exact(share, n_close, kept):
    """Among more scores than a table holds: a tie counts the mean of both orders, a last bit its own."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 5, (800, 10))
    y_score = rng.permutation(8000).reshape(800, 10) + 1.0
    tied, close = rng.random(800) < share, rng.permutation(800) < n_close
    first, second = y_score.copy(), y_score.copy()
    y_score[tied, 3] = y_score[tied, 7]
    first[tied, 3], second[tied, 3] = y_score[tied, 7] + 0.25, y_score[tied, 7] - 0.25
    for scores in (y_score, first, second):
        scores[close, 5] = np.nextafter(scores[close, 1], np.inf)
    by_rank = [np.take_along_axis(y_true, np.argsort(-each, axis=1), axis=1) for each in (first, second)]
    discounts = 1 / np.log2(np.arange(2, 7))
    best = -np.sort(-y_true, axis=1)[:, :5] @ discounts
    expected = np.mean([labels[:, :5] @ discounts / best for labels in by_rank])
    groups = np.repeat(np.arange(800), 10)
    if kept:
        prepared = prepare_rows(ndcg_scorer(k=5), y_true.ravel(), groups, None)
        found = score_prepared(ndcg_scorer(k=5), prepared, y_score.ravel())
    else:
        found = ndcg_score(y_true, y_score, k=5)
    assert found == pytest.approx(expected, abs=1e-14)


def test_equal_scores_of_other_queries_do_not_hide_last_bit():
    y_score, groups = [5, 3, 5, 2, 1, 1 + np.spacing(1)], [0, 0, 1, 1, 2, 2]
    values = mrr_score([1, 0, 1, 0, 0, 1], y_score, groups=groups, average=None)
    np.testing.assert_array_equal(values, [1, 1, 1])


@pytest.mark.parametrize(
    "extra", [{"y_true": 1000.0}, {"y_true": 0.5}, {"y_score": np.inf}, {"y_score": -1e300}]
)
def test_ndcg_of_query_does_not_depend_on_rows_elsewhere(extra):
    y_true, y_score, groups = make(300)
    alone = ndcg_score(y_true, y_score, groups=groups, average=None)
    more = ndcg_score(
        np.append(y_true.astype(float), extra.get("y_true", 1)),
        np.append(y_score, extra.get("y_score", 1.0)),
        groups=np.append(groups, 300),
        average=None,
    )
    np.testing.assert_allclose(more[:300], alone, rtol=1e-14)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.float64])
def test_metrics_do_not_depend_on_label_dtype(dtype):
    y_true, y_score, groups = make(200)
    y_true = np.minimum(y_true, 1) if dtype is bool else y_true
    assert_same(per_query(y_true.astype(dtype), y_score, groups), per_query(y_true, y_score, groups))


@pytest.mark.parametrize("others", [[], [40]])  # a label of 40 is not packed into scores
@pytest.mark.parametrize("tiny", [5e-324, -5e-324, 31 * 5e-324, 2e-308])
def test_scores_next_to_zero_are_not_tied_with_zero(tiny, others):
    y_score = [0.0, tiny, -0.0, *[-1.0] * len(others)]
    assert mrr_score([[0, 1, 0, *others]], [y_score]) == pytest.approx(1 if tiny > 0 else 1 / 3)
    assert mrr_score([[0, 0, 1, *others]], [y_score]) == pytest.approx(
        (1 / 2 + 1 / 3) / 2 if tiny > 0 else 3 / 4
    )


@pytest.mark.parametrize("place", range(20))
def test_single_last_bit_difference_is_found_in_any_piece(place, monkeypatch):
    monkeypatch.setattr(sklearn_rank._engine.blocks, "PIECE", 7)
    y_true, y_score = np.zeros(20), np.ones(20)
    y_true[place], y_score[place] = 1, 1 + np.spacing(1)
    assert mrr_score([y_true], [y_score]) == 1


@pytest.mark.parametrize("tiny", [5e-324, -5e-324, 31 * 5e-324])
@pytest.mark.parametrize("step", [1, -1])
def test_zeros_and_tiny_scores_in_different_pieces_are_not_tied(tiny, step, monkeypatch):
    monkeypatch.setattr(sklearn_rank._engine.blocks, "PIECE", 2)
    y_true, y_score = [0, 0, 1, 1][::step], [0.0, 0.0, tiny, tiny][::step]
    assert mrr_score([y_true], [y_score]) == pytest.approx(1 if tiny > 0 else 1 / 3)


@pytest.mark.parametrize("kind", [Decimal, Fraction])
def test_metrics_accept_decimal_and_fraction_labels(kind):
    labels = [kind("0.1"), kind("0.7"), kind(0)]
    assert ndcg_score([labels], [[1, 2, 3]]) == pytest.approx(
        ndcg_score([[0.1, 0.7, 0.0]], [[1, 2, 3]]), abs=1e-15
    )
    assert mrr_score([labels], [[1, 2, 3]], min_relevance=0.5) == 0.5


@pytest.mark.parametrize("k", [None, 5])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("grades", [[0, 0.1, 0.3, 0.7], [0, 1, 2, 3], range(12)])
def test_ndcg_of_perfect_ranking_does_not_exceed_one(grades, tied, k):
    y_true = np.sort(np.random.default_rng(0).choice(grades, (3000, 60)), axis=1)
    y_score = y_true if tied else np.tile(np.arange(60), (3000, 1))
    values = ndcg_score(y_true, y_score, average=None, k=k)
    assert values.max() <= 1
    assert values.min() >= 1 - 1e-14 if tied else values.min() == 1


@pytest.mark.parametrize("relevant", [labels for labels in product([0, 1], repeat=5) if any(labels)])
def test_map_does_not_depend_on_ties_below_last_relevant_document(relevant):
    y_true = [*relevant, 0, 0]
    assert map_score([y_true], [[7, 6, 5, 4, 3, 1, 1]]) == map_score([y_true], [[7, 6, 5, 4, 3, 2, 1]])


# ------------------------------------------------------------------ layouts, chunks and threads


@pytest.mark.thorough
def test_metrics_do_not_depend_on_chunk_size(monkeypatch):
    rows = make(20_000)
    expected = per_query(*rows)
    monkeypatch.setattr(sklearn_rank._engine.prepared, "CHUNK_QUERIES", 100)
    assert_same(per_query(*rows), expected)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_metrics_do_not_depend_on_number_of_threads(n_jobs):
    rows = make(20_000)
    assert len(rows[0]) > 3 * sklearn_rank._engine.prepared.SMALL_INPUT
    expected = per_query(*rows)
    for name, values in per_query(*rows, n_jobs=n_jobs).items():
        np.testing.assert_array_equal(values, expected[name])


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_ranking_scores_reject_invalid_n_jobs(n_jobs):
    with pytest.raises(ValueError, match="'n_jobs' parameter of ranking_scores must be an int other than 0"):
        per_query([1], [1], [1], n_jobs=n_jobs)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_averages_do_not_depend_on_row_order_in_last_digit(average):
    y_true, y_score, groups = make(3000)
    order = np.random.default_rng(1).permutation(len(groups))
    first, second = (
        ranking_scores(y_true[rows], y_score[rows], groups=groups[rows], metrics=METRICS[:5], average=average)
        for rows in (slice(None), order)
    )
    assert first == second


# ------------------------------------------------------------------ query ids

IDS = {
    "dense": np.array([3, 3, 1, 1, 1, 2]),
    "scattered": np.array([1, 0, 1, 2, 0, 1]),
    "all of int8": np.array([127, -128, -128, 127, 5, 0], dtype=np.int8),
    "large uint64": np.array([2**64 - 1, 0, 2**64 - 1, 2**63, 1, 0], dtype=np.uint64),
    "large and near": np.array(
        [2**64 - 1, 2**64 - 3, 2**64 - 1, 2**64 - 2, 2**64 - 1, 2**64 - 3], dtype=np.uint64
    ),
    "far apart": np.array([-(2**63), 2**63 - 1, 0, -(2**63), 0, 7]),
    "floats": np.array([0.5, -1.5, 0.5, 1e300, -1.5, 2]),
    "strings": np.array(["b", "a", "b", "c", "a", "c"]),
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("repeats", [1, 2000])  # few ids are sorted differently than many
def test_find_queries_finds_rows_of_each_id(kind, repeats):
    groups = np.tile(IDS[kind], repeats)
    queries = find_queries(groups, len(groups))
    rows = np.arange(len(groups)) if queries.rows is None else queries.rows
    found = [rows[first : first + length] for first, length in zip(queries.firsts, queries.lengths)]
    names = np.unique(groups)
    np.testing.assert_array_equal(queries.by_id(np.array([groups[part[0]] for part in found])), names)
    for part in found:
        np.testing.assert_array_equal(np.sort(part), np.flatnonzero(groups == groups[part[0]]))
        assert (np.diff(part) > 0).all()


# ------------------------------------------------------------------ limits of the number range


def test_f1_accepts_the_largest_cutoff():
    assert f1_at_k_score([[1, 0]], [[2, 1]], k=10**6 - 1) == pytest.approx(2 / 10**6, rel=1e-12, abs=0)


def test_err_is_accurate_for_tiny_stop_probability():
    stop = 1 / 2**60
    assert err_score([[1, 0, 1]], [[3, 2, 1]], max_grade=60) == pytest.approx(
        stop * (1 + 1 / 3), rel=1e-12, abs=0
    )


@pytest.mark.parametrize("unjudged", ["mean", "median"])
def test_unjudged_mean_and_median_of_float16_labels_are_exact(unjudged):
    labels = np.array([2048, 2050, np.nan], dtype=np.float16)
    assert dcg_score([labels], [[3, 2, 1]], unjudged=unjudged, discount=None) == 2048 + 2050 + 2049
    labels = np.array([40_000, 40_000, np.nan], dtype=np.float16)
    assert dcg_score([labels], [[3, 2, 1]], unjudged=unjudged, discount=None) == 120_000
