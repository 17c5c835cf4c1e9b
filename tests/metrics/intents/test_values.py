"""Metrics of several intents: worked examples, all orders of ties, and equality with plain metrics."""

from itertools import permutations

import numpy as np
import pytest

from sklearn_rank import err_score, hit_rate_at_k_score, ranking_scores
from sklearn_rank.metrics import (
    alpha_ndcg_score,
    err_ia_score,
    intent_aware_score,
    nrbp_score,
    subtopic_recall_score,
)
from tests.metrics.intents import reference

# Ten ranked documents and the six nuggets that they contain.
NUGGETS = [[1, 2], [2], [2], [], [3, 4], [3], [5], [3], [6], []]
LABELS = np.array([[int(nugget in held) for nugget in range(1, 7)] for held in NUGGETS])
GAINS = [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4, 1, 0]
BEST = [2, 2, 1, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4, 0, 0]
SHOWN = {"y_score": np.arange(10, 0, -1), "groups": ["cruise"] * 10}


@pytest.mark.parametrize("k", [1, 3, 5, 10])
def test_alpha_ndcg_matches_hand_computed_values(k):
    discounts = 1 / np.log2(np.arange(2, k + 2))
    got = [alpha_ndcg_score(LABELS, **SHOWN, k=k, normalize=by) for by in (None, "ideal", "bound")]
    found, best = GAINS[:k] @ discounts, BEST[:k] @ discounts
    bound = 6 * (0.5 ** np.arange(k)) @ discounts
    np.testing.assert_allclose(got, [found, found / best, found / bound], rtol=1e-14)


def test_nrbp_matches_hand_computed_values():
    halves = 0.5 ** np.arange(10)
    found, best = GAINS @ halves, BEST @ halves
    got = [nrbp_score(LABELS, **SHOWN, normalize=by) for by in (None, "ideal", "bound")]
    np.testing.assert_allclose(got, [found, found / best, found * 0.75 / 6], rtol=1e-14)


def test_err_ia_matches_hand_computed_values():
    reciprocals = 1 / np.arange(1, 11)
    found, best = GAINS @ reciprocals, BEST @ reciprocals
    bound = 0.5 ** np.arange(10) @ reciprocals
    got = [err_ia_score(LABELS, **SHOWN, normalize=by) for by in (None, "ideal", "bound")]
    np.testing.assert_allclose(got, [found / 2 / 6, found / best, found / bound / 6], rtol=1e-14)


@pytest.mark.parametrize(("k", "n_covered"), [(1, 2), (4, 2), (5, 4), (7, 5), (20, 6)])
def test_subtopic_recall_counts_covered_intents(k, n_covered):
    assert subtopic_recall_score(LABELS, **SHOWN, k=k) == pytest.approx(n_covered / 6)


def test_intent_aware_score_weights_intents_by_probability():
    y_true = [[1, 0], [1, 0], [0, 1]]
    got = intent_aware_score("mrr", y_true, [3, 2, 1], groups=[1] * 3, intent_weight=[9, 1])
    assert got == pytest.approx(0.9 + 0.1 / 3)


def test_intent_without_document_leaves_its_weight_to_other_intents():
    y_true = [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    options = {"y_score": [3, 2, 1], "groups": [1] * 3}
    got = intent_aware_score("mrr", y_true, **options, intent_weight=[0.6, 0.2, 0.2])
    assert got == pytest.approx(0.75 + 0.25 / 3)
    assert err_ia_score(y_true, **options) == err_ia_score(np.array(y_true)[:, :2], **options)


def test_intent_aware_score_accepts_different_weights_per_query():
    y_true = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    weights = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    for rows in (slice(None), [2, 0, 3, 1]):
        options = {"groups": np.array(["a", "a", "b", "b"])[rows], "intent_weight": weights[rows]}
        got = intent_aware_score("mrr", y_true[rows], np.array([2, 1, 2, 1])[rows], **options, average=None)
        np.testing.assert_array_equal(got, [1, 0.5])


def test_err_ia_ideal_ranking_uses_intent_weights():
    y_true = [[1, 0], [1, 0], [0, 1]]
    of_first = err_ia_score(y_true, [3, 2, 1], groups=[1] * 3, intent_weight=[0.9, 0.1], normalize="ideal")
    assert of_first == pytest.approx(1, abs=1e-15)
    last = err_ia_score(y_true, [1, 2, 3], groups=[1] * 3, intent_weight=[0.1, 0.9], normalize="ideal")
    assert last == pytest.approx(1, abs=1e-15)


def test_err_ia_uses_grades():
    y_true, y_score, groups = [[2, 0], [0, 1], [1, 1]], [3, 2, 1], [0] * 3
    stops = np.array([[3, 0], [0, 1], [1, 1]]) / 4
    first = stops[0, 0] + (1 - stops[0, 0]) * stops[2, 0] / 3
    second = stops[1, 1] / 2 + (1 - stops[1, 1]) * stops[2, 1] / 3
    assert err_ia_score(y_true, y_score, groups=groups) == pytest.approx((first + second) / 2)
    best = 3 / 4 + (1 / 4 * 1 / 4 + 1 / 4) / 2 + 3 / 4 * 1 / 4 / 3  # the first, the last, the second
    got = err_ia_score(y_true, y_score, groups=groups, normalize="ideal")
    assert got == pytest.approx((first + second) / best)
    bound = 3 / 4 * (1 + 1 / 4 / 2 + 1 / 16 / 3)
    got = err_ia_score(y_true, y_score, groups=groups, normalize="bound")
    assert got == pytest.approx((first + second) / 2 / bound)


@pytest.mark.parametrize(
    ("options", "stop"),
    [({"max_grade": 3}, 7 / 8), ({"gain": "linear", "max_grade": 4}, 1), ({"gain": [0, 0.2, 0.4]}, 0.4)],
)
def test_err_ia_bound_uses_highest_grade(options, stop):
    y_true = [[2, 1], [0, 1]]
    plain = err_ia_score(y_true, [2, 1], groups=[0, 0], **options)
    got = err_ia_score(y_true, [2, 1], groups=[0, 0], **options, normalize="bound")
    assert got == pytest.approx(plain / (stop + (1 - stop) * stop / 2))


@pytest.mark.parametrize("n_intents", [1, 2])
@pytest.mark.parametrize(
    "gain", ["exponential", {1: 0.5}, lambda labels: labels / 2], ids=["name", "table", "function"]
)
def test_err_ia_ideal_ranks_only_documents_of_the_query(gain, n_intents):
    y_true, groups = np.ones((6, n_intents)), [0, 1, 1, 2, 2, 2]
    options = {"gain": gain, "normalize": "ideal", "average": None}
    np.testing.assert_array_equal(err_ia_score(y_true, np.arange(6.0), groups=groups, **options), [1, 1, 1])


def test_err_ia_ideal_uses_gain_of_label_0():
    y_true, groups = [[1], [0], [0], [0], [1]], [0, 0, 1, 1, 1]
    options = {"gain": [0.1, 0.5], "average": None}
    got = err_ia_score(y_true, [2, 1, 3, 2, 1], groups=groups, **options, normalize="ideal")
    best = err_ia_score(y_true, [2, 1, 2, 1, 3], groups=groups, **options)
    np.testing.assert_allclose(got, err_ia_score(y_true, [2, 1, 3, 2, 1], groups=groups, **options) / best)


# ---------------------------------------------------------------------------- ties


def draw(n_lists, seed, n_documents=6, n_intents=3):
    """Draw short lists with many ties, some documents not retrieved."""
    rng = np.random.default_rng(seed)
    for _ in range(n_lists):
        n = rng.integers(1, n_documents + 1)
        scores = rng.integers(0, 3, n).astype(float)
        scores[rng.random(n) < 0.15] = -np.inf
        yield (rng.random((n, n_intents)) < 0.4).astype(int).tolist(), scores.tolist()


def flatten(lists):
    labels, scores = (np.concatenate(part) for part in zip(*lists))
    return labels, scores, np.repeat(np.arange(len(lists)), [len(each) for _, each in lists])


def expect(lists, value, divide):
    """Return the mean over all orders of each list, divided by what `divide` gives of it; nan without one."""
    expected = []
    for labels, scores in lists:
        by = divide(labels) if reference.n_present(labels) else np.nan
        expected.append(reference.mean_over_orders(labels, scores, value) / by)
    return expected


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("k", [None, 1, 2, 4])
def test_alpha_ndcg_of_ties_is_mean_over_all_orders(alpha, k):
    lists = list(draw(80, seed=int(10 * alpha)))
    labels, scores, groups = flatten(lists)
    got = alpha_ndcg_score(
        labels, scores, groups=groups, k=k, alpha=alpha, average=None, zero_division=np.nan
    )

    def best(labels):
        return reference.alpha_dcg(reference.greedy(labels, alpha), alpha, k)

    expected = expect(lists, lambda ranked: reference.alpha_dcg(ranked, alpha, k), best)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.2, 0.9), (1.0, 0.3)])
def test_nrbp_of_ties_is_mean_over_all_orders(alpha, beta):
    lists = list(draw(80, seed=1))
    labels, scores, groups = flatten(lists)
    options = {"groups": groups, "alpha": alpha, "beta": beta, "average": None, "zero_division": np.nan}

    def value(ranked):
        return reference.nrbp(ranked, alpha, beta)

    got = nrbp_score(labels, scores, **options)
    expected = expect(lists, value, lambda labels: reference.n_present(labels) / (1 - (1 - alpha) * beta))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    got = nrbp_score(labels, scores, **options, normalize="ideal")
    expected = expect(lists, value, lambda labels: value(reference.greedy(labels, alpha)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_err_ia_of_ties_is_mean_over_all_orders(k):
    lists = list(draw(80, seed=2))
    labels, scores, groups = flatten(lists)
    options = {"groups": groups, "k": k, "max_grade": 1, "average": None, "zero_division": np.nan}

    def value(ranked):
        return reference.err_sum(ranked, k)

    got = err_ia_score(labels, scores, **options)
    np.testing.assert_allclose(got, expect(lists, value, reference.n_present), rtol=0, atol=1e-12)
    got = err_ia_score(labels, scores, **options, normalize="ideal")
    expected = expect(lists, value, lambda labels: value(reference.greedy(labels, 0.5)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4, 9])
def test_subtopic_recall_of_ties_is_mean_over_all_orders(k):
    lists = list(draw(80, seed=3))
    labels, scores, groups = flatten(lists)
    got = subtopic_recall_score(labels, scores, groups=groups, k=k, average=None, zero_division=np.nan)
    expected = expect(lists, lambda ranked: reference.covered(ranked, k), reference.n_present)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [1e-9, 0.5, 0.999])
def test_alpha_ndcg_of_long_ties_is_mean_of_sampled_orders(alpha):
    # All documents are tied: sampled orders have the same expected gain, up to sampling error.
    rng = np.random.default_rng(0)
    labels = rng.random((150, 2)) < [0.1, 0.6]
    got = alpha_ndcg_score(labels, np.zeros(150), groups=np.zeros(150), k=40, alpha=alpha, normalize=None)
    orders = [labels[rng.permutation(150)].astype(int).tolist()[:40] for _ in range(2000)]
    values = [reference.alpha_dcg(order, alpha) for order in orders]
    assert abs(got - np.mean(values)) < 5 * np.std(values) / 2000**0.5


def test_alpha_ndcg_with_order_ties_keeps_row_order():
    options = {"groups": [0] * 10, "k": 5}
    tied = alpha_ndcg_score(LABELS, np.ones(10), ties="order", **options)
    assert tied == alpha_ndcg_score(LABELS, SHOWN["y_score"], **options)


# ---------------------------------------------------------------------------- invariances


ALL = {
    "alpha_ndcg": alpha_ndcg_score,
    "alpha_dcg": lambda *rows, **options: alpha_ndcg_score(*rows, k=3, normalize="bound", **options),
    "err_ia": err_ia_score,
    "n_err_ia": lambda *rows, **options: err_ia_score(*rows, k=2, normalize="ideal", **options),
    "strec": lambda *rows, **options: subtopic_recall_score(*rows, k=2, **options),
    "nrbp": nrbp_score,
    "n_nrbp": lambda *rows, **options: nrbp_score(*rows, normalize="ideal", **options),
    "ndcg_ia": lambda *rows, **options: intent_aware_score("ndcg@3", *rows, **options),
    "map_ia": lambda *rows, **options: intent_aware_score("map", *rows, **options),
}


@pytest.fixture(scope="module")
def rows():
    return flatten(list(draw(60, seed=5, n_documents=20, n_intents=4)))


@pytest.mark.parametrize("name", ALL)
def test_intent_metrics_do_not_depend_on_row_order(name, rows):
    labels, scores, groups = rows
    expected = ALL[name](labels, scores, groups=groups, average=None)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(groups))
        got = ALL[name](labels[order], scores[order], groups=groups[order], average=None)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ALL)
def test_intent_metrics_do_not_depend_on_query_names(name, rows):
    labels, scores, groups = rows
    names = np.array([f"q{group:03d}" for group in groups])
    got = ALL[name](labels, scores, groups=names, average=None)
    np.testing.assert_array_equal(got, ALL[name](labels, scores, groups=groups, average=None))


@pytest.mark.parametrize("name", ALL)
def test_intent_metrics_depend_only_on_order_of_scores(name, rows):
    labels, scores, groups = rows
    got = ALL[name](labels, np.where(scores == -np.inf, scores, np.exp(scores)), groups=groups, average=None)
    np.testing.assert_array_equal(got, ALL[name](labels, scores, groups=groups, average=None))


@pytest.mark.parametrize("name", ALL)
def test_intent_metrics_compute_each_query_independently(name, rows):
    labels, scores, groups = rows
    options = {"max_grade": 1} if "err" in name else {}
    together = ALL[name](labels, scores, groups=groups, average=None, **options)
    for query in range(0, 60, 7):
        mine = groups == query
        alone = ALL[name](labels[mine], scores[mine], groups=groups[mine], average=None, **options)
        np.testing.assert_allclose(alone, together[query : query + 1], rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ALL)
def test_intent_metrics_average_values_of_queries(name, rows):
    labels, scores, groups = rows
    values = ALL[name](labels, scores, groups=groups, average=None)
    assert ALL[name](labels, scores, groups=groups) == pytest.approx(values.mean(), abs=1e-14)
    sizes = np.bincount(groups)
    weighted = ALL[name](labels, scores, groups=groups, average="weighted")
    assert weighted == pytest.approx(np.average(values, weights=sizes), abs=1e-14)
    by_query = np.arange(60) % 3.0
    got = ALL[name](labels, scores, groups=groups, sample_weight=by_query[groups])
    assert got == pytest.approx(np.average(values, weights=by_query), abs=1e-14)


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("alpha_ndcg", "n_err_ia", "n_nrbp")])
def test_intent_metrics_without_greedy_ranking_ignore_intent_order(name, rows):
    labels, scores, groups = rows
    got = ALL[name](labels[:, ::-1], scores, groups=groups, average=None)
    np.testing.assert_allclose(got, ALL[name](labels, scores, groups=groups, average=None), atol=1e-14)


def test_greedy_ideal_ranking_is_nearly_best_for_short_lists():
    # The greedy ranking can miss the best value, by less than 1 / e of it.
    for labels, _ in draw(40, seed=9):
        if reference.n_present(labels):
            best = max(reference.alpha_dcg(list(order)) for order in permutations(labels))
            ours = reference.alpha_dcg(reference.greedy(labels, 0.5))
            assert (1 - np.exp(-1)) * best < ours <= best + 1e-12


# ---------------------------------------------------------------------------- one intent


@pytest.fixture(scope="module")
def one(rows):
    labels, scores, groups = rows
    return labels[:, :1], labels[:, 0], scores, groups


def test_err_ia_of_one_intent_equals_err(one):
    column, labels, scores, groups = one
    for k in (None, 3):
        got = err_ia_score(column, scores, groups=groups, k=k, average=None)
        np.testing.assert_array_equal(got, err_score(labels, scores, groups=groups, k=k, average=None))


def test_subtopic_recall_of_one_intent_equals_hit_rate(one):
    column, labels, scores, groups = one
    got = subtopic_recall_score(column, scores, groups=groups, k=2, average=None)
    np.testing.assert_array_equal(got, hit_rate_at_k_score(labels, scores, groups=groups, k=2, average=None))


METRICS = [
    "ndcg@10",
    "map",
    "precision@2",
    "group_auc",
    "kendall_tau",
    "judged@2",
    "neg_rank_sum_loss",
    "bpref",
]
METRICS += ["trec_eval:ndcg_cut_5", "mrr(ties=order)", "recall@2(zero_division=nan)", "bpr_loss", "err@3"]


@pytest.mark.parametrize("metric", METRICS)
def test_intent_aware_score_of_one_intent_equals_metric(metric, one):
    column, labels, scores, groups = one
    scores = np.where(scores == -np.inf, -1, scores)
    expected = ranking_scores(labels, scores, groups=groups, metrics=[metric], average=None)[metric]
    got = intent_aware_score(metric, column, scores, groups=groups, average=None)
    np.testing.assert_array_equal(got, expected)


def test_alpha_ndcg_of_one_intent_with_alpha_zero_equals_ndcg(one):
    column, labels, scores, groups = one
    got = alpha_ndcg_score(column, scores, groups=groups, k=5, alpha=0, average=None)
    expected = ranking_scores(labels, scores, groups=groups, metrics=["ndcg@5"], average=None)["ndcg@5"]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


def test_intent_aware_score_is_weighted_mean_over_intents(rows):
    labels, scores, groups = rows
    options = {"groups": groups, "metrics": ["ndcg@3"], "average": None, "zero_division": np.nan}
    each = np.array([ranking_scores(column, scores, **options)["ndcg@3"] for column in labels.T])
    weights = np.array([4, 3, 2, 1])
    defined = ~np.isnan(each)
    sums = (np.nan_to_num(each) * weights[:, None]).sum(axis=0)
    expected = sums / np.maximum((defined * weights[:, None]).sum(axis=0), 1)
    got = intent_aware_score("ndcg@3", labels, scores, groups=groups, intent_weight=weights, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("normalize", ["ideal", "bound", None])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_err_ia_of_fractions_in_float32_is_that_in_float64(gain, normalize):
    random = np.random.default_rng(0)
    labels, options = random.uniform(0, 3, (60, 3)).astype(np.float32), {"gain": gain, "normalize": normalize}
    options |= {"y_score": random.random(60), "groups": np.arange(60) % 6, "k": 3}
    assert err_ia_score(labels, **options) == err_ia_score(labels.astype(float), **options)


def test_err_ia_of_large_grades_in_float32_is_that_in_float64():
    labels = np.full((1, 2), 1003, dtype=np.float32)
    assert err_ia_score(labels, [1], groups=[0], normalize="ideal") == 1
