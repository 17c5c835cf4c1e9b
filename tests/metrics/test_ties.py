"""Tied scores: every rule, compared with all orders."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from sklearn_rank.metrics import group_auc_score, hit_rate_at_k_score, map_score, mrr_score
from tests.helpers.reference import by_enumeration
from tests.helpers.table import CUTOFFS, METRICS, SCORE_OF, WITH_TIES

SUMMARY = {"average": np.mean, "best": np.max, "worst": np.min}
BEST_IS_LEAST = {"average": np.mean, "best": np.min, "worst": np.max}
OPTIONS = [
    *[(stem, {}) for stem in WITH_TIES if stem != "err" and METRICS[stem].cutoff != "required"],
    *[(stem, {"k": k}) for stem in CUTOFFS if stem != "err" for k in (1, 2, 3, 5)],
    *[("map", {"k": k, "denominator": by}) for k in (None, 1, 2, 3, 5) for by in ("relevant", "hits")],
    *[("recall", {"k": k, "denominator": "achievable"}) for k in (1, 2, 3, 5)],
    *[("f1", {"k": k, "beta": beta}) for k in (1, 3, 5) for beta in (0.5, 2)],
    *[("ndcg", {"k": k, "ideal": "full"}) for k in (1, 2, 3, 9)],
    *[("group_auc", {"max_fpr": rate}) for rate in (0.1, 0.5, 0.7, 1)],
    ("bpref", {"denominator": "relevant"}),
    *[("r_precision", {"multiple": multiple}) for multiple in (0.25, 0.5, 1.5, 3)],
    *[("precision", {"k": k, "adaptive_k": True}) for k in (2, 5)],
    *[("err", {"k": k, "max_grade": grade}) for k in (None, 1, 2, 3, 5) for grade in (2, 4)],
    *[("rbp", {"k": k, "p": 0.5}) for k in (None, 2)],
    *[
        (stem, {"k": k, "max_grade": grade})
        for stem in ("rbp", "insq")
        for k in (None, 2)
        for grade in (4, "query")
    ],
    ("insq", {"desired_gain": 2.5}),
    ("rbp_residual_loss", {"p": 0.5, "k": 3}),
]


def random_lists(n_lists, seed, unretrieved):
    """Short lists with many ties; with `unretrieved` some scores are -inf."""
    rng = np.random.default_rng(seed)
    for _ in range(n_lists):
        n = rng.integers(1, 7)
        y_score = rng.integers(0, 3, n).astype(float)
        if unretrieved:
            y_score[rng.random(n) < 0.3] = -np.inf
        yield rng.integers(0, 3, n) * rng.integers(0, 2, n), y_score


CASES = [
    (stem, options, ties)
    for stem, options in OPTIONS
    for ties in SUMMARY
    if options.get("denominator") != "hits" or ties == "average"  # otherwise rejected, see below
]


@pytest.mark.parametrize("unretrieved", [False, True])
@pytest.mark.parametrize(("stem", "options", "ties"), CASES, ids=str)
def test_tie_rule_equals_summary_over_all_orders(stem, options, ties, unretrieved):
    lists = list(random_lists(150, seed=len(str(options)), unretrieved=unretrieved))
    if METRICS[stem].nan_rule:
        lists = [(np.where(y_true == 0, np.nan, y_true), y_score) for y_true, y_score in lists]
    summary = (SUMMARY if METRICS[stem].greater_is_better else BEST_IS_LEAST)[ties]
    orders = [by_enumeration(stem, *(rows.tolist() for rows in each), **options) for each in lists]
    expected = [np.nan if values[0] is None else summary(values) for values in orders]
    y_true, y_score = map(np.concatenate, zip(*lists))
    ids = np.repeat(np.arange(150), [len(y_true) for y_true, _ in lists])
    has_undefined = "zero_division" in METRICS[stem].defaults
    zero_division = {"zero_division": np.nan} if has_undefined else {}
    got = SCORE_OF[stem](y_true, y_score, groups=ids, ties=ties, average=None, **options, **zero_division)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_map_with_hits_denominator_rejects_best_and_worst_ties(ties):
    with pytest.raises(ValueError, match="'ties' parameter of map_score must be 'average' or 'order'"):
        map_score([[1, 0]], [[1, 1]], k=1, denominator="hits", ties=ties)


def test_ties_order_ranks_earlier_row_first():
    assert mrr_score([[0, 1, 0]], [[1, 1, 1]], ties="order") == 1 / 2


def test_ties_order_keeps_row_order_of_shuffled_queries():
    y_true, groups = [0, 1, 1, 0, 0, 1], ["a", "b", "a", "b", "a", "b"]
    values = mrr_score(y_true, np.zeros(6), groups=groups, ties="order", average=None)
    np.testing.assert_array_equal(values, [1 / 2, 1])


@pytest.mark.parametrize("n", [3, 40, 5000])
def test_mrr_of_one_relevant_among_tied_is_mean_reciprocal_rank(n):
    expected = (1 / np.arange(1, n + 1)).mean()
    assert mrr_score(np.eye(1, n), np.zeros((1, n))) == pytest.approx(expected, abs=1e-12)


def test_many_tied_documents_do_not_overflow():
    n, r = 2400, 1200  # C(2400, 1200) exceeds 1e308: the reference counts with exact integers
    y_true, y_score = np.arange(n) % 2, np.zeros(n)
    first = [Fraction(comb(n - j, r - 1), comb(n, r)) for j in range(1, n - r + 2)]
    expected = float(sum(p / j for j, p in enumerate(first, 1)))
    assert mrr_score([y_true], [y_score]) == pytest.approx(expected, abs=1e-12)
    assert hit_rate_at_k_score([y_true], [y_score], k=3) == pytest.approx(float(sum(first[:3])), abs=1e-12)
    assert group_auc_score(y_true, y_score, groups=np.zeros(n)) == pytest.approx(0.5, abs=1e-12)


def test_map_of_many_tied_documents_with_cutoff_does_not_overflow():
    n, r, k = 2400, 1200, 900
    odds = [Fraction(comb(r, m) * comb(n - r, k - m), comb(n, k)) for m in range(k + 1)]
    ranks = np.arange(1, k + 1)
    plain, rising = (1 / ranks).sum(), ((ranks - 1) / ranks).sum()
    at = [0.0] + [(plain + (m - 1) / (k - 1) * rising) / k for m in range(1, k + 1)]
    expected = sum(float(p) * value for p, value in zip(odds, at))
    got = map_score([np.arange(n) % 2], [np.zeros(n)], k=k, denominator="hits")
    assert got == pytest.approx(expected, abs=1e-12)


def test_scores_that_differ_slightly_are_not_tied():
    assert mrr_score([[0, 1]], [[1.0, 1.0 + 1e-12]]) == 1.0


def test_large_integer_scores_are_compared_exactly():
    assert mrr_score([[0, 1]], [[2**53, 2**53 + 1]]) == 1.0
    assert mrr_score([[0, 1]], np.array([[2**64 - 2, 2**64 - 1]], dtype=np.uint64)) == 1.0
    assert mrr_score([[0, 1]], [[2**70, 2**70 + 1]]) == 1.0


def test_negative_zero_is_tied_with_zero():
    assert mrr_score([[0, 1]], [[0.0, -0.0]]) == 3 / 4


@pytest.mark.parametrize("k", [None, 50])
def test_map_of_perfect_orders_is_exactly_one_if_many_other_documents_are_tied(k):
    sizes = range(1, 61)  # numbers of relevant documents
    y_true = [label for n in sizes for label in [1] * n + [0] * (n + 20)]
    y_score = [score for n in sizes for score in [*range(n, 0, -1), *[0] * (n + 20)]]
    values = map_score(
        y_true, y_score, groups=np.repeat(sizes, [2 * n + 20 for n in sizes]), k=k, average=None
    )
    assert values.tolist() == [1.0] * len(sizes)


@pytest.mark.parametrize("n_queries", [1, 20])
@pytest.mark.parametrize("n_above", [20, 900, 22_000])
def test_map_of_a_tie_below_many_tied_documents_is_precise(n_above, n_queries):
    y_true, y_score = [0] * n_above + [1, 1], [3.5] * n_above + [2.5, 2.5]
    expected = float((Fraction(1, n_above + 1) + Fraction(2, n_above + 2)) / 2)
    values = map_score([y_true] * n_queries, [y_score] * n_queries, average=None)
    assert values.tolist() == pytest.approx([expected] * n_queries, rel=1e-12, abs=0)
