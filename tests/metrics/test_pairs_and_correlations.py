"""Metrics of pairs and correlations, compared with scipy, scikit-learn and loops over pairs."""

import tracemalloc
import warnings
from math import exp, log, log1p

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from sklearn_rank import err_score, group_auc_score, pairwise_accuracy_score, rbp_score
from sklearn_rank.metrics import (
    average_rank_loss,
    bpr_loss,
    judged_at_k_score,
    kendall_tau_score,
    pearson_score,
    spearman_score,
)

PEERS = {kendall_tau_score: stats.kendalltau, spearman_score: stats.spearmanr, pearson_score: stats.pearsonr}


@pytest.fixture(params=["rounded", "distinct", "few", "huge", "tiny", "negative"])
def rows(request):
    """Queries of 1 to 30 documents; scores with and without ties, of any size."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 31, 40))
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.6)
    y_score = {
        "rounded": rng.standard_normal(len(groups)).round(1),
        "distinct": rng.standard_normal(len(groups)),
        "few": rng.integers(0, 3, len(groups)).astype(float),
        "huge": rng.standard_normal(len(groups)) * 1e150,
        "tiny": rng.standard_normal(len(groups)) * 1e-150,
        "negative": rng.standard_normal(len(groups)) - 1e4,
    }[request.param]
    mixed = rng.permutation(len(groups))
    return y_true[mixed], y_score[mixed], groups[mixed]


def each_alone(metric, rows):
    y_true, y_score, groups = rows
    return [metric(y_true[groups == group], y_score[groups == group]) for group in np.unique(groups)]


@pytest.mark.parametrize("score", PEERS)
def test_correlations_match_scipy(score, rows):
    def peer(x, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant input gives nan there and here
            return PEERS[score](x, y)[0] if len(x) > 1 else np.nan

    y_true, y_score, groups = rows
    got = score(y_true, y_score, groups=groups, average=None)
    scaled = y_score / np.abs(y_score).max()  # scipy's squares would overflow
    np.testing.assert_allclose(got, each_alone(peer, (y_true, scaled, groups)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("score", PEERS)
def test_correlations_change_sign_for_reversed_scores(score, rows):
    y_true, y_score, groups = rows
    got = score(y_true, -y_score, groups=groups, average=None)
    np.testing.assert_allclose(got, -score(y_true, y_score, groups=groups, average=None), rtol=0, atol=1e-12)


@pytest.mark.parametrize("offset", [1.7e15, -1e16, 1.7e12])
def test_pearson_keeps_small_differences_with_large_offset(offset):
    labels, scores = [0, 1, 0, 2, 1], np.array([0, 4, 2, 8, 6.0])
    expected = stats.pearsonr(labels, scores)[0]
    assert pearson_score([labels], [scores + offset]) == pytest.approx(expected, abs=1e-12)
    assert pearson_score([scores + abs(offset)], [labels]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("score", [kendall_tau_score, spearman_score])
def test_correlations_rank_unretrieved_documents_last(score):
    assert score([[2, 1, 0, 0]], [[3, 2, -np.inf, -np.inf]]) == pytest.approx(1, abs=1e-12)
    lowest = score([[2, 1, 0, 1]], [[3, 2, -1, -1]])
    assert score([[2, 1, 0, 1]], [[3, 2, -np.inf, -np.inf]]) == pytest.approx(lowest, abs=1e-12)


def pairs_in_order(y_true, y_score):
    """Share of pairs in the right order, equal scores half."""
    wins = [
        (y_score[i] > y_score[j]) + (y_score[i] == y_score[j]) / 2
        for i in range(len(y_true))
        for j in range(len(y_true))
        if y_true[i] > y_true[j]
    ]
    return np.mean(wins) if wins else np.nan


def test_pairwise_accuracy_is_share_of_ordered_pairs(rows):
    y_true, y_score, groups = rows
    got = pairwise_accuracy_score(y_true, y_score, groups=groups, average=None)
    np.testing.assert_allclose(got, each_alone(pairs_in_order, rows), rtol=0, atol=1e-12)


def test_pairwise_accuracy_micro_counts_all_pairs_equally(rows):
    y_true, y_score, groups = rows
    in_order = n_pairs = 0  # TF-Ranking's OPA: equal scores are not in order
    for group in np.unique(groups):
        labels, scores = y_true[groups == group], y_score[groups == group]
        above = labels[:, None] > labels
        n_pairs += above.sum()
        in_order += (above & (scores[:, None] > scores)).sum()
    got = pairwise_accuracy_score(y_true, y_score, groups=groups, average="micro", ties="worst")
    assert got == pytest.approx(in_order / n_pairs, abs=1e-15)


def test_average_rank_loss_micro_is_mean_rank_of_relevant_documents(rows):
    y_true, y_score, groups = rows
    ranks = np.concatenate([stats.rankdata(-y_score[groups == group]) for group in np.unique(groups)])
    labels = np.concatenate([y_true[groups == group] for group in np.unique(groups)])
    got = average_rank_loss(y_true, y_score, groups=groups, average="micro")
    assert got == pytest.approx(ranks[labels >= 1].mean(), abs=1e-12)  # TF-Ranking's ARP


def test_average_rank_loss_ranks_unretrieved_documents_last():
    assert average_rank_loss([[1, 0, 1, 1]], [[-np.inf, 2, 3, -np.inf]]) == (1 + 3.5 + 3.5) / 3


def test_pairwise_accuracy_of_two_grades_equals_group_auc(rows):
    y_true, y_score, groups = rows
    got = pairwise_accuracy_score(y_true > 1, y_score, groups=groups, average=None)
    expected = group_auc_score(y_true > 1, y_score, groups=groups, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    one = groups == np.unique(groups)[np.flatnonzero(~np.isnan(got))[0]]
    assert np.nanmin(got) >= 0
    first = got[~np.isnan(got)][0]
    assert first == pytest.approx(roc_auc_score(y_true[one] > 1, y_score[one]), abs=1e-12)


# ------------------------------------------------------------------ BPR


def loss_of_pairs(y_true, y_score):
    """Mean of log(1 + exp(-margin)), in two branches so that nothing overflows."""
    margins = [a - b for a, x in zip(y_score, y_true) if x >= 1 for b, z in zip(y_score, y_true) if z < 1]
    losses = [log1p(exp(-m)) if m > 0 else -m + log1p(exp(m)) for m in margins]
    return np.mean(losses) if losses else np.nan


def test_bpr_loss_is_mean_loss_of_pairs(rows):
    y_true, y_score, groups = rows
    got = bpr_loss(y_true, y_score, groups=groups, average=None)
    np.testing.assert_allclose(got, each_alone(loss_of_pairs, rows), rtol=1e-12)


def test_bpr_loss_of_constant_score_is_log_two():
    assert bpr_loss([[1, 0, 0]], np.full((1, 3), 7.5)) == pytest.approx(log(2), abs=1e-15)


@pytest.mark.parametrize("margin", [800, 1e6, 1e300])
def test_bpr_loss_of_large_margins_does_not_overflow(margin):
    assert bpr_loss([[0, 1]], [[margin, -margin]]) == 2 * margin
    assert bpr_loss([[1, 0]], [[margin, -margin]]) == 0


def test_bpr_loss_depends_on_scale_but_not_offset_of_scores():
    y_true, y_score = [1, 0, 0], np.array([0.5, 0.25, -1])
    assert bpr_loss([y_true], [y_score + 8]) == pytest.approx(bpr_loss([y_true], [y_score]), abs=1e-15)
    assert bpr_loss([y_true], [2 * y_score]) < bpr_loss([y_true], [y_score])


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 1], ids=["few relevant", "few others"])
def test_bpr_loss_of_long_query_needs_little_memory(few):
    rng = np.random.default_rng(0)
    n, n_few = 100_000, 100  # 1e7 pairs, 80 MB
    y_true, y_score = (np.arange(n) < n_few) ^ few, rng.standard_normal(n)
    sign = -1 if few else 1
    losses = [np.logaddexp(0, sign * (y_score[n_few:] - s)).mean() for s in y_score[:n_few]]
    tracemalloc.start()
    got = bpr_loss([y_true], [y_score])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert got == pytest.approx(np.mean(losses), rel=1e-12, abs=0)
    assert peak < 20e6


# ------------------------------------------------------------------ hand-computed values


def test_err_matches_hand_computed_values():
    stops = [(2**g - 1) / 2**4 for g in (3, 2, 4)]
    by_hand = stops[0] + (1 - stops[0]) * stops[1] / 2 + (1 - stops[0]) * (1 - stops[1]) * stops[2] / 3
    assert err_score([[3, 2, 4]], [[3, 2, 1]]) == pytest.approx(by_hand, abs=1e-15)
    assert err_score([[3, 2, 4]], [[3, 2, 1]], k=1) == pytest.approx(stops[0], abs=1e-15)
    assert err_score([[3, 2, 4]], [[3, 2, 1]], gain=[0, 0.1, 0.2, 0.5, 0.9], discount=None) == pytest.approx(
        1 - 0.5 * 0.8 * 0.1, abs=1e-15
    )


@pytest.mark.parametrize(
    ("options", "parameter"),
    [({"max_grade": 3}, "max_grade"), ({"gain": [0, 1, 2, 3, 4]}, "gain"), ({"gain": lambda g: g}, "gain")],
    ids=["lower than a label", "table above 1", "callable above 1"],
)
def test_err_rejects_options_that_give_no_probability(options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of err_score must"):
        err_score([[3, 2, 4]], [[3, 2, 1]], **options)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1200, 3000])
@pytest.mark.parametrize("top", [5, 8, 20])
def test_err_of_thousands_of_tied_documents_equals_any_order(n, top):
    y_true = np.ones(n)  # all orders have the same value
    expected = err_score([y_true], [-np.arange(n)], max_grade=top)
    assert err_score([y_true], [np.zeros(n)], max_grade=top) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("max_grade", [1024, 2000])
def test_err_rejects_max_grade_beyond_float_range(max_grade):
    with pytest.raises(ValueError, match="'max_grade' parameter of err_score must be at most 1023"):
        err_score([[1, 0]], [[2, 1]], max_grade=max_grade)


def test_err_of_smallest_labels_is_one():
    assert err_score([[5e-310, 0]], [[2, 1]], gain="linear") == pytest.approx(1)


@pytest.mark.parametrize("n", [1, 50, 3000])
def test_err_of_many_tied_documents_is_mean_over_orders(n):
    y_true = np.zeros(n)
    y_true[0] = 1  # one document, uniform over the ranks
    expected = 0.5 * (1 / np.arange(1, n + 1)).mean()
    assert err_score([y_true], [np.zeros(n)]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_err_of_tied_documents_is_mean_of_sampled_orders():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 5, 40)
    drawn = [err_score([rng.permutation(y_true)], [-np.arange(40)], k=10) for _ in range(4000)]
    got = err_score([y_true], [np.zeros(40)], k=10)
    assert abs(got - np.mean(drawn)) < 5 * np.std(drawn) / np.sqrt(len(drawn))


def test_rbp_of_long_perfect_ranking_is_one():
    assert rbp_score([np.ones(2000)], [-np.arange(2000)], p=0.95) == pytest.approx(1, abs=1e-12)
    assert rbp_score([[0, 1, 0, 1]], [[4, 3, 2, 1]], p=0.5) == pytest.approx(0.5 * (0.5 + 0.125), abs=1e-15)
    assert rbp_score([[0, 1, 0, 1]], [[4, 3, 2, 1]], p=0.5, k=2) == pytest.approx(0.25, abs=1e-15)


def test_judged_at_k_is_share_of_judged_retrieved_documents():
    nan = np.nan
    y_true, y_score = [1, nan, 0, nan, 1], [5, 4, 3, -np.inf, -np.inf]
    assert judged_at_k_score([y_true], [y_score], k=2) == 1 / 2
    assert judged_at_k_score([y_true], [y_score], k=10) == 2 / 3
    assert judged_at_k_score([[nan, 0]], [[1, 1]], k=1) == 1 / 2  # tied
