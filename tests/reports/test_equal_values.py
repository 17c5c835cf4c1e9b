"""Values and differences that are mathematically equal, compared with exact arithmetic."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
import scipy
from scipy import stats

from sklearn_rank import ranking_scores
from sklearn_rank.inspection import QueryDifferenceDisplay
from sklearn_rank.metrics import pearson_score
from sklearn_rank.reports import find_contenders, first_best, rank_equal, sum_by_unit
from sklearn_rank.reports._equal import find_scale, subtract_equal
from tests.helpers.candidates import candidates_of
from tests.helpers.reports import TESTS, column, compare_values, report_of

OLD = [0.2] * 6 + [0.7] * 6
NEW = [0.0] * 6 + [0.9] * 6  # six differences of -0.2, six of 0.2

# ------------------------------------------------------------------ exact values


def as_fractions(values, denominator):
    """Return values on a grid, exactly."""
    return [Fraction(round(value * denominator), denominator) for value in values]


def average_precisions(labels):
    """Return the AP of each row, divided by the number of relevant documents."""
    hits = [[sum(row[: rank + 1]) for rank in range(len(row))] for row in labels]
    return [
        sum(Fraction(n, rank) * label for rank, (n, label) in enumerate(zip(found, row), 1)) / sum(row)
        for found, row in zip(hits, labels)
    ]


def ndcgs(labels):
    """Return the NDCG of each row, to 50 digits."""
    with localcontext(prec=50):

        def dcg(row):
            return sum(Decimal(label) * Decimal(2).ln() / Decimal(r + 2).ln() for r, label in enumerate(row))

        return [dcg(row) / dcg(sorted(row, reverse=True)) for row in labels]


def signed_ranks(first, second):
    """Return twice the signed mid-ranks of the differences, and 0 for each that is 0, exactly."""
    with localcontext(prec=50):
        differences = [one - other for one, other in zip(first, second)]
        sizes = sorted(abs(each) for each in differences if abs(each) > TINY)
        ranks = [
            sum(size < abs(each) - TINY for size in sizes)
            + sum(size < abs(each) + TINY for size in sizes)
            + 1
            if abs(each) > TINY
            else 0
            for each in differences
        ]
    return np.array([rank if each > 0 else -rank for rank, each in zip(ranks, differences)])


TINY = Fraction(1, 10**40)


def exactly(values):
    return [Fraction(each) for each in values]


def draw(kind, n, seed):
    """Return the values of two systems as metrics compute them, and exactly."""
    rng = np.random.default_rng(seed)
    pair = []
    for _ in range(2):
        labels = rng.integers(0, 2, (n, 10))
        labels[:, 0] |= ~labels.any(axis=1)
        rows = labels.tolist()
        scores = np.tile(np.arange(10, 0, -1.0), (n, 1))
        metric, exact = {
            "P@5": ("precision@5", [Fraction(sum(row[:5]), 5) for row in rows]),
            "P@10": ("precision@10", [Fraction(sum(row), 10) for row in rows]),
            "AP": ("map(denominator=relevant)", average_precisions(rows)),
            "NDCG": ("ndcg", exactly(ndcgs(rows))),
        }[kind]
        pair.append((ranking_scores(labels, scores, metrics=[metric], average=None)[metric], exact))
    (first, exact_first), (second, exact_second) = pair
    return first, second, exact_first, exact_second


KINDS = ["P@5", "P@10", "AP", "NDCG"]

# ------------------------------------------------------------------ Wilcoxon's test


def test_compare_wilcoxon_p_is_1_when_differences_cancel():
    found = compare_values(OLD, NEW, name="P@10", test="wilcoxon")
    assert column(found, "p") == 1.0


# scipy before 1.15 approximates p of few ties, and warns.
@pytest.mark.filterwarnings("ignore:Sample size too small for normal approximation:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [8, 40, 300])
def test_compare_wilcoxon_uses_ranks_of_exact_values(kind, n):
    for seed in range(5):
        first, second, *exact = draw(kind, n, seed)
        found = compare_values(first, second, name="x", test="wilcoxon")
        ranks = signed_ranks(*exact[::-1])
        assert column(found, "p") == pytest.approx(stats.wilcoxon(ranks).pvalue, rel=1e-12)


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15),
    reason="scipy approximates p of few ties before 1.15",
)
@pytest.mark.parametrize("seed", range(10))
def test_compare_wilcoxon_is_exact_when_few_differences_are_tied(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 11, (2, 8)) / 10
    ranks = signed_ranks(as_fractions(second, 10), as_fractions(first, 10))
    ranks = ranks[ranks != 0]
    sums = [abs(sum(s * r for s, r in zip(signs, ranks))) for signs in product([1, -1], repeat=len(ranks))]
    expected = np.mean([each >= abs(sum(ranks)) for each in sums])
    assert column(compare_values(first, second, test="wilcoxon"), "p") == pytest.approx(expected)


def test_rank_equal_separates_the_smallest_gaps_of_ap():
    rows = [row for row in product([0, 1], repeat=10) if any(row)]
    values = sorted(set(average_precisions(rows)))
    gap, low = min((b - a, a) for a, b in pairwise(values))
    assert gap > Fraction(3, 10**9)
    assert rank_equal(np.array([float(low + gap), float(low)]), 1.0).tolist() == [1, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_compare_counts_wins_and_losses_of_exact_values(kind):
    first, second, *exact = draw(kind, 300, 7)
    signs = np.sign(signed_ranks(*exact[::-1]))
    found = compare_values(first, second, name="x")
    assert column(found, "wins") == (signs > 0).sum()
    assert column(found, "losses") == (signs < 0).sum()


# ------------------------------------------------------------------ float32 values


@pytest.mark.parametrize("test", TESTS)
def test_compare_gives_the_p_of_float64_for_float32_values(test):
    values = [np.array(each) for each in (OLD, NEW)]
    options = {"name": "P@10", "test": test}
    single = compare_values(*(each.astype(np.float32) for each in values), **options)
    assert column(single, "p") == pytest.approx(column(compare_values(*values, **options), "p"))


def test_compare_has_no_interval_of_constant_float32_differences():
    first = np.arange(50) % 7 / 10
    found = compare_values(first.astype(np.float32), (first + 0.3).astype(np.float32))
    assert np.isnan([column(found, "low"), column(found, "high")]).all()


def test_report_worst_lists_equal_float32_values_by_id():
    values = np.array([0.1 + 0.2, 0.3, 0.1], dtype=np.float32)
    values[0] = np.nextafter(values[1], np.float32(1))
    assert report_of(values).worst("mrr").columns["query"].tolist() == [2, 0, 1]


# ------------------------------------------------------------------ values of both signs


def test_compare_counts_zero_correlations_as_ties():
    """Correlations that are 0 on paper come out as numbers near 1e-17, of any sign."""
    rng = np.random.default_rng(0)
    labels = np.array([1.0, 2, 3, 4])
    rows = np.array([[2.0, 4, 1, 3], [3, 1, 4, 2]])[rng.integers(0, 2, 40)] / rng.uniform(1, 3, (40, 1))
    tied = np.where(np.arange(40)[:, np.newaxis] < 4, labels, rows)
    values = [pearson_score(np.tile(labels, (40, 1)), each, average=None) for each in (tied, tied[:, ::-1])]
    noisy = np.flatnonzero(values[0] != values[1])
    assert len(noisy) > 4
    found = compare_values(*values, name="pearson")
    assert [column(found, name) for name in ("wins", "ties", "losses")] == [0, 36, 4]


def test_subtract_equal_separates_small_values_of_one_sign():
    small = np.array([1.0, 2.0**-50, 2.0**-51])
    assert np.count_nonzero(subtract_equal(small[1:], small[:-1], find_scale(small))) == 2


# ------------------------------------------------------------------ lists of queries


def test_report_worst_lists_equal_values_by_id():
    report = report_of([0.3, 0.1 + 0.2, 0.3 - 1e-16, 0.1])
    assert report.worst("mrr").columns["query"].tolist() == [3, 0, 1, 2]
    assert report.worst("mrr", 2).columns["query"].tolist() == [3, 0]


def test_report_worst_leaves_out_queries_without_a_value():
    report = report_of([np.nan, 0.5, np.nan, 0.25])
    assert report.worst("mrr").columns["query"].tolist() == [3, 1]


def test_comparison_changes_lists_equal_differences_by_id():
    first, second = [0.2, 0.7, 0.0, 0.5], [0.0, 0.5, 0.2, 0.7]
    found = compare_values(first, second).changes("mrr", system="b", other="a")
    assert found.columns["query"].tolist() == [0, 1, 2, 3]


def test_query_difference_display_counts_like_compare():
    rng = np.random.default_rng(0)
    first = rng.random(50) * 1e6
    second = np.where(np.arange(50) < 30, first * 3 / 3 * (1 + 1e-15), first + 1)
    display = QueryDifferenceDisplay.from_reports(*(report_of(each, "x") for each in (first, second)), "x")
    found = compare_values(first, second, name="x")
    assert (display.n_wins, display.n_ties, display.n_losses) == (20, 30, 0)
    assert (column(found, "wins"), column(found, "ties")) == (20, 30)


def test_query_difference_display_orders_equal_differences_by_id():
    display = QueryDifferenceDisplay("x", [1, 2, 3, 4], [0.9 - 0.7, 0.2, 0.7 - 0.5, 0.5])
    assert display.ids.tolist() == [4, 1, 2, 3]


def test_segments_with_equal_means_are_listed_by_name():
    report = report_of([0.3, 0.1 + 0.2, 0.3 - 1e-16, 0.1])
    labels = dict(enumerate(["a", "b", "c", "d"]))
    assert list(report.by(labels).table().columns["segment"]) == ["d", "a", "b", "c"]


def test_report_intervals_are_marked_when_few_values_differ_from_1():
    values = np.ones(40)
    values[:36] = 1 - 2.0**-53
    values[36:] = 0.5
    assert report_of(values).is_small_sample["mrr"]


# ------------------------------------------------------------------ candidates


def test_first_best_returns_the_first_of_equal_values():
    values = np.array([[0.2, 0.3, 0.1 + 0.2], [-np.inf] * 3])
    assert first_best(values).tolist() == [1, 0]


def test_find_contenders_keeps_equal_candidates_of_any_size():
    """Values of DCG may be large, and so is their rounding."""
    values = np.random.default_rng(0).random(30) * 1e9
    found = find_contenders(
        sum_by_unit(candidates_of([values, values * (1 + 2e-16), values / 3 * 3])),
        confidence_level=0.95,
        n_resamples=500,
        random_state=0,
    )
    assert found.stays.all()
    assert found.difference.tolist() == [0, 0, 0]


def test_find_contenders_keeps_candidates_at_the_critical_value():
    """Of whole numbers nothing is rounded: tenths give the same contenders."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        whole = rng.integers(0, 11, (3, 6))
        found = [
            find_contenders(
                sum_by_unit(candidates_of(each)), confidence_level=0.75, n_resamples=500, random_state=0
            )
            for each in (whole * 60, whole / 10)
        ]
        assert found[0].stays.tolist() == found[1].stays.tolist()
        assert ((found[1].high >= 0) == found[1].stays).all()


def test_rank_equal_ranks_nan_last():
    assert rank_equal(np.array([np.nan, 0.5, 0.25, 0.5])).tolist() == [2, 1, 0, 1]
