"""Agreement of two rankings of the same rows: rank-biased overlap and overlap at a cutoff."""

from functools import partial
from itertools import permutations, product

import numpy as np
import pytest

from sklearn_rank import RankingWarning, unique_groups
from sklearn_rank.metrics import overlap_at_k_score, rbo_score

few = pytest.mark.filterwarnings("ignore:.*rankings of these rows have similar values")


def count_shared(one, other, d):
    return len({*one[:d]} & {*other[:d]})


def extrapolate(one, other, k, p):
    """Equation 32 of Webber, Moffat and Zobel, for lists of any lengths."""
    short, long = sorted((one[:k], other[:k]), key=len)
    s, n = len(short), len(long)
    shared = partial(count_shared, short, long)
    seen = sum(shared(d) / d * p**d for d in range(1, n + 1))
    missing = sum(shared(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * (seen + missing) + ((shared(n) - shared(s)) / n + shared(s) / s) * p**n


def sum_depths(one, other, k, p, variant):
    """Sum the definition down to a depth where nothing is left, for lists of any lengths."""
    one, other = one[:k], other[:k]
    short, long = sorted((len(one), len(other)))
    total = 0.0
    for d in range(1, 60):
        shared = count_shared(one, other, d)
        if variant == "max":  # missing documents add one each, ranks below the longer list two
            shared = min(shared + max(min(d, long) - short, 0) + 2 * max(d - long, 0), d)
        total += (1 - p) * p ** (d - 1) * shared / d
    return total


def sum_overlaps(one, other, p):
    """Return the definition, of lists so long that nothing is left below."""
    return sum((1 - p) * p ** (d - 1) * count_shared(one, other, d) / d for d in range(1, len(one) + 1))


def in_order(scores):
    return [place for place in np.argsort(-scores, kind="stable") if scores[place] > -np.inf]


def all_orders(scores):
    """Return the orders in which equal scores may stand."""
    orders = map(list, permutations(np.flatnonzero(scores > -np.inf)))
    return [order for order in orders if (np.diff(scores[order]) <= 0).all()]


def draw(seed, n, missing=0.0):
    rng = np.random.default_rng(seed)
    one, other = rng.permuted(np.tile(np.arange(1.0, n + 1), (2, 1)), axis=1)
    for scores in (one, other):
        scores[1:][rng.random(n - 1) < missing] = -np.inf
    return one, other


def test_rbo_matches_hand_computed_value():
    # Shared documents at depths 1, 2 and 3: 1, 1, 2. Depth 1 has weight 1/2, depth 2 has 1/4, and so on.
    old, new = [4, 3, 2, 1], [4, 1, 3, 2]
    seen = 0.5 * 1 + 0.25 * 1 / 2 + 0.125 * 2 / 3
    assert few_score(old, new, k=3, p=0.5) == pytest.approx(seen + 0.125 * 2 / 3, abs=1e-15)


def few_score(one, other, **options):
    return rbo_score(one, other, groups=[0] * len(one), **options)


@few
@pytest.mark.parametrize("missing", [0, 0.4])
@pytest.mark.parametrize("seed", range(20))
def test_rbo_extrapolates_lists_of_any_length_as_in_paper(seed, missing):
    one, other = draw(seed, 9, missing)
    for k, p in ((1, 0.5), (4, 0.9), (9, 0.7), (20, 0.98)):
        expected = extrapolate(in_order(one), in_order(other), k, p)
        assert few_score(one, other, k=k, p=p) == pytest.approx(expected, abs=1e-14)


@few
@pytest.mark.parametrize("seed", range(10))
def test_rbo_bounds_equal_values_of_continued_lists(seed):
    one, other = draw(seed, 8)
    k, p = 5, 0.7
    tops = in_order(one)[:k], in_order(other)[:k]
    apart = [top + [f"{name}{n}" for n in range(200)] for top, name in zip(tops, "ab")]
    missing = [[each for each in tops[1 - side] if each not in tops[side]] for side in (0, 1)]
    together = [top + rest + [f"c{n}" for n in range(200)] for top, rest in zip(tops, missing)]
    for lists, variant in ((apart, "min"), (together, "max")):
        found = few_score(one, other, k=k, p=p, variant=variant)
        assert found == pytest.approx(sum_overlaps(*lists, p), abs=1e-14)


@few
@pytest.mark.parametrize("seed", range(10))
def test_rbo_bounds_of_unequal_lists_include_extrapolation(seed):
    one, other = draw(seed, 8, missing=0.5)
    values = {
        variant: few_score(one, other, k=8, p=0.8, variant=variant) for variant in ("min", "ext", "max")
    }
    tops = in_order(one), in_order(other)
    apart = [top + [f"{name}{n}" for n in range(200)] for top, name in zip(tops, "ab")]
    assert values["min"] == pytest.approx(sum_overlaps(*apart, 0.8), abs=1e-14)
    missing = [[each for each in tops[1 - side] if each not in tops[side]] for side in (0, 1)]
    together = [top + rest + [f"c{n}" for n in range(200)] for top, rest in zip(tops, missing)]
    assert values["min"] <= values["ext"] <= values["max"]
    assert sum_overlaps(*together, 0.8) <= values["max"] + 1e-14


@few
@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("seed", range(8))
def test_rbo_and_overlap_of_ties_are_means_over_all_orders(seed, k):
    one, other = np.random.default_rng(seed).integers(0, 3, (2, 5)).astype(float)
    pairs = [(a, b) for a in all_orders(one) for b in all_orders(other)]
    expected = np.mean([extrapolate(a, b, k, 0.8) for a, b in pairs])
    assert few_score(one, other, k=k, p=0.8) == pytest.approx(expected, abs=1e-14)
    shared = np.mean([count_shared(a, b, k) / k for a, b in pairs])
    assert overlap_at_k_score(one, other, groups=[0] * 5, k=k) == pytest.approx(shared, abs=1e-14)


@few
@pytest.mark.parametrize("variant", ["ext", "max", "min"])
@pytest.mark.parametrize("missing", [0, 0.3])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_rbo_is_mean_over_all_orders_when_ties_cross_cutoff(seed, k, missing, variant):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(12), 4)
    scores = rng.integers(0, 3, (2, 48)).astype(float)
    scores[:, groups % 3 == 0] = 1  # all documents are tied in both rankings
    scores[1, groups % 3 == 1] = rng.permuted(np.tile(np.arange(4.0), (4, 1)), axis=1).ravel()
    scores[(rng.random(scores.shape) < missing) & (np.arange(48) % 4 > 0)] = -np.inf
    p, expected = 0.5, []
    for one, other in scores.reshape(2, 12, 4).swapaxes(0, 1):
        orders = all_orders(one), all_orders(other)
        value = {"ext": extrapolate}.get(variant, partial(sum_depths, variant=variant))
        expected.append(np.mean([value(a, b, k, p) for a, b in product(*orders)]))
    values = rbo_score(*scores, groups=groups, k=k, p=p, variant=variant, average=None)
    assert values == pytest.approx(expected, abs=1e-13)


@few
def test_rbo_bound_of_four_tied_documents_is_mean_over_24_orders():
    value = few_score([1, 1, 1, 1], [4, 3, 2, 1], k=2, p=0.5, variant="max")
    tops = [(1, 2), (2, 1), (1, 3), (1, 4), (3, 1), (4, 1), (2, 3), (2, 4), (3, 2), (4, 2), (3, 4), (4, 3)]
    expected = np.mean([sum_depths(top, (1, 2), 2, 0.5, "max") for top in tops])
    assert value == pytest.approx(expected, abs=1e-15)
    assert value == pytest.approx(0.493056, abs=5e-7)


@few
def test_rbo_bound_counts_the_orders_of_long_ties(monkeypatch):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 80)
    scores = rng.integers(0, 2, (2, len(groups))).astype(float)
    together = rbo_score(*scores, groups=groups, k=70, p=0.97, variant="max", average=None)
    drawn = []
    for _ in range(400):
        ranked = scores + rng.random(scores.shape) / 2
        drawn.append(rbo_score(*ranked, groups=groups, k=70, p=0.97, variant="max", average=None))
    error = np.std(drawn, axis=0) / 20
    assert (np.abs(np.mean(drawn, axis=0) - together) < 4 * error).all()
    monkeypatch.setattr("sklearn_rank._engine.pairs.CELLS", 1)  # one query at a time
    again = rbo_score(*scores, groups=groups, k=70, p=0.97, variant="max", average=None)
    assert again == pytest.approx(together, abs=1e-15)


@few
@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("seed", range(8))
def test_rbo_ties_w_and_b_match_their_definitions(seed, k):
    one, other = np.random.default_rng(seed).integers(0, 3, (2, 6)).astype(float)
    p = 0.8
    agreements = {"w": [], "b": []}
    for d in range(1, k + 1):
        sets = [{e for e in range(6) if (scores > scores[e]).sum() < d} for scores in (one, other)]
        agreements["w"].append(2 * len(sets[0] & sets[1]) / (len(sets[0]) + len(sets[1])))
        odds = []
        for scores in (one, other):
            above = (scores[:, None] > scores).sum(axis=0)
            odds.append(np.clip((d - above) / (scores[:, None] == scores).sum(axis=0), 0, 1))
        agreements["b"].append(odds[0] @ odds[1] / np.sqrt((odds[0] @ odds[0]) * (odds[1] @ odds[1])))
    for ties, values in agreements.items():
        expected = (1 - p) / p * sum(v * p**d for d, v in enumerate(values, 1)) + values[-1] * p**k
        assert few_score(one, other, k=k, p=p, ties=ties) == pytest.approx(expected, abs=1e-14)


@few
@pytest.mark.parametrize("ties", ["a", "b", "w"])
def test_rbo_of_ranking_with_itself_is_one(ties):
    one = draw(0, 7)[0]
    assert few_score(one, one, k=4, ties=ties) == pytest.approx(1, abs=1e-15)
    assert few_score(one, -one, k=3, ties=ties, variant="min") == 0


@few
@pytest.mark.parametrize("score", [rbo_score, overlap_at_k_score])
def test_rbo_and_overlap_score_queries_independently(score):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 90, 40))
    one, other = rng.integers(0, 12, (2, len(groups))).astype(float)
    other[rng.random(len(groups)) < 0.2] = -np.inf
    values = score(one, other, groups=groups, k=70, average=None)
    mixed = rng.permutation(len(groups))
    again = score(one[mixed], other[mixed], groups=groups[mixed], k=70, average=None)
    assert again == pytest.approx(values, abs=1e-14, nan_ok=True)
    for query, value in zip(unique_groups(groups), values):
        rows = groups == query
        alone = score(one[rows], other[rows], groups=groups[rows], k=70, zero_division=0.0)
        assert alone == pytest.approx(np.nan_to_num(value), abs=1e-14)
    assert score(other, one, groups=groups, k=70) == pytest.approx(np.nanmean(values), abs=1e-14)


@few
def test_rbo_matches_package_rbo():
    rbo = pytest.importorskip("rbo")
    for seed in range(20):
        one, other = draw(seed, 12)
        theirs = rbo.RankingSimilarity(in_order(one), in_order(other)).rbo_ext(p=0.8)
        assert few_score(one, other, k=12, p=0.8) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("score", [rbo_score, overlap_at_k_score])
def test_rbo_and_overlap_skip_query_without_retrieved_rows(score):
    one, other, groups = [2, 1, 2, 1], [2, 1, -np.inf, -np.inf], [0, 0, 1, 1]
    options = {"p": 0.1} if score is rbo_score else {}
    assert score(one, other, groups=groups, k=2, **options) == 1
    assert score(one, other, groups=groups, k=2, zero_division=0.0, **options) == 0.5
    found = score(one, other, groups=groups, k=2, average=None, **options)
    assert np.array_equal(found, [1, np.nan], equal_nan=True)


def test_overlap_at_k_averages_are_weighted():
    one, other, groups = [3, 2, 1, 2, 1], [1, 2, 3, 2, 1], [0, 0, 0, 1, 1]
    assert overlap_at_k_score(one, other, groups=groups, k=1) == 0.5
    assert overlap_at_k_score(one, other, groups=groups, k=1, average="weighted") == 0.4
    weights = [1, 1, 1, 3, 3]
    assert overlap_at_k_score(one, other, groups=groups, k=1, sample_weight=weights) == 0.75


def test_rbo_warns_when_lists_are_short():
    one, other, groups = np.arange(10.0), np.arange(10.0), [0] * 10
    with pytest.warns(RankingWarning, match=r"with p=0\.9, 35% of the weight is below .*10 rows on average"):
        rbo_score(one, other, groups=groups, k=5)
    rbo_score(one, other, groups=groups, k=5, p=0.75)


@few
def test_rbo_of_random_rankings_of_ten_rows_is_high():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5000), 10)
    value = rbo_score(*rng.random((2, len(groups))), groups=groups, k=10)
    assert value == pytest.approx(0.65, abs=0.005)


BAD = [
    ({"k": 0}, "'k' parameter of {} must be"),
    ({"k": None}, "'k' parameter of {} must be"),
    ({"groups": None}, "'groups' parameter of {} must contain the query id"),
    ({"y_score_a": [1, np.nan]}, "'y_score_a' parameter of {} must not contain NaN"),
    ({"y_score_b": [1, np.nan]}, "'y_score_b' parameter of {} must not contain NaN"),
    (
        {"y_score_b": [1, 2, 3]},
        "'y_score_b' parameter of {} must have one score per row of 'y_score_a' .2 rows.",
    ),
    ({"y_score_a": [[1, 2], [2, 3]]}, "'y_score_a' parameter of {} must be one-dimensional"),
    ({"average": "micro"}, "'average' parameter of {} must be 'macro', 'weighted', 'geometric' or None"),
    ({"zero_division": 2}, "'zero_division' parameter of {} must be"),
]


@pytest.mark.parametrize("score", [rbo_score, overlap_at_k_score])
@pytest.mark.parametrize(("change", "rule"), BAD)
def test_rbo_and_overlap_reject_invalid_rankings(score, change, rule):
    given = {"y_score_a": [1, 2], "y_score_b": [2, 1], "groups": [0, 0], "k": 1} | change
    with pytest.raises(ValueError, match=rule.format(score.__name__)):
        score(given.pop("y_score_a"), given.pop("y_score_b"), **given)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"p": 1}, "'p' parameter of rbo_score must be a number above 0 and below 1"),
        ({"ties": "average"}, "'ties' parameter of rbo_score must be one of 'a', 'b', 'w'"),
        ({"variant": "agree"}, "'variant' parameter of rbo_score must be one of 'ext', 'max', 'min'"),
        ({"ties": "w"}, "'ties' parameter of rbo_score must be 'a' if one ranking is shorter"),
    ],
)
def test_rbo_rejects_invalid_options(options, rule):
    with pytest.raises(ValueError, match=rule):
        rbo_score([2, 1, 3], [1, -np.inf, 2], groups=[0] * 3, k=3, **options)


def test_overlap_at_k_rejects_series_in_different_order():
    pandas = pytest.importorskip("pandas")
    one, other = pandas.Series([1.0, 2.0]), pandas.Series([1.0, 2.0], index=[1, 0])
    with pytest.raises(ValueError, match="index"):
        overlap_at_k_score(one, other, groups=[0, 0], k=1)
