"""Metrics of sampled negatives, compared with the paper, enumeration and Bayes' rule."""

from itertools import combinations, permutations, product
from math import comb, log2

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import hit_rate_at_k_score, map_score, mrr_score, ndcg_score, recall_at_k_score
from sklearn_rank.metrics import _sampled_correction as _sampled_tables
from sklearn_rank.metrics import sampled_score
from tests.helpers.random_rows import FEW

# Textbook value by the rank of the one relevant item.
VALUES = {
    "recall@2": lambda rank: float(rank <= 2),
    "hit_rate@3": lambda rank: float(rank <= 3),
    "ndcg": lambda rank: 1 / log2(1 + rank),
    "ndcg@3": lambda rank: (rank <= 3) / log2(1 + rank),
    "mrr": lambda rank: 1 / rank,
    "mrr@2": lambda rank: (rank <= 2) / rank,
    "map": lambda rank: 1 / rank,
    "map@4": lambda rank: (rank <= 4) / rank,
}
ALL = pytest.mark.parametrize("metric", VALUES)
BOTH = pytest.mark.parametrize("replacement", [True, False])


def odds_of(n, m, replacement):
    """Probabilities of 0 to m negatives above, a row per rank from 1 to n."""
    table = []
    for above in range(n):
        if replacement:
            share = above / (n - 1)
            table.append([comb(m, j) * share**j * (1 - share) ** (m - j) for j in range(m + 1)])
        else:
            of_all = comb(n - 1, m)
            table.append([comb(above, j) * comb(n - 1 - above, m - j) / of_all for j in range(m + 1)])
    return np.array(table)


def lists_of(n_negatives, *places):
    """Return a list for each number of negatives above the relevant item."""
    y_true = np.zeros((len(places), n_negatives + 1))
    y_true[:, -1] = 1
    y_score = np.array([[*range(n_negatives, 0, -1), n_negatives - place + 0.5] for place in places])
    return y_true, y_score


def table_of(m, **options):
    """Return the value of each sampled rank."""
    return sampled_score(*lists_of(m, *range(m + 1)), average=None, **options)


# ------------------------------------------------------------------ methods


@ALL
@BOTH
@pytest.mark.parametrize("gamma", [0.01, 0.5, 1, 3])
@pytest.mark.parametrize("prior", ["uniform", lambda ranks: 1 / ranks])
def test_sampled_score_matches_closed_form_of_paper(metric, replacement, gamma, prior):
    n, m = 12, 5
    weights = np.ones(n) if prior == "uniform" else prior(np.arange(1.0, n + 1))
    p, P = weights / weights.sum(), odds_of(n, m, replacement)
    A, b = np.sqrt(p)[:, None] * P, np.sqrt(p) * [VALUES[metric](rank) for rank in range(1, n + 1)]
    expected = np.linalg.solve((1 - gamma) * A.T @ A + gamma * np.diag(p @ P), A.T @ b)
    options = {"gamma": gamma, "prior": prior, "replacement": replacement}
    found = table_of(m, metric=metric, n_items=n, **options)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@BOTH
def test_sampled_score_minimizes_squared_bias_and_variance(replacement):
    n, m, gamma, rng = 30, 6, 0.1, np.random.default_rng(0)
    truth = np.array([VALUES["ndcg@3"](rank) for rank in range(1, n + 1)])

    def cost(values):
        cost = 0.0
        for odds, value in zip(odds_of(n, m, replacement), truth):
            mean = odds @ values
            cost += (mean - value) ** 2 + gamma * odds @ (values - mean) ** 2
        return cost

    best = table_of(m, metric="ndcg@3", n_items=n, gamma=gamma, replacement=replacement)
    for _ in range(200):
        assert cost(best + rng.normal(0, 10 ** rng.uniform(-4, 0), m + 1)) > cost(best)


@ALL
@BOTH
def test_sampled_score_least_bias_is_least_squares_fit(metric, replacement):
    n, m = 15, 4
    truth = np.array([VALUES[metric](rank) for rank in range(1, n + 1)])
    expected = np.linalg.lstsq(odds_of(n, m, replacement), truth)[0]
    found = table_of(m, metric=metric, n_items=n, method="least_bias", replacement=replacement)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@ALL
def test_sampled_score_with_gamma_one_is_posterior_mean(metric):
    n, m = 10, 3
    joint = odds_of(n, m, True)
    truth = np.array([VALUES[metric](rank) for rank in range(1, n + 1)])
    expected = [joint[:, s] @ truth / joint[:, s].sum() for s in range(m + 1)]
    np.testing.assert_allclose(table_of(m, metric=metric, n_items=n, gamma=1), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("metric", "expected"), [("recall@12", 1), ("recall@10", 0), ("mrr", 1 / 11)])
def test_sampled_score_method_rank_uses_estimated_rank(metric, expected):
    # One of ten negatives is above, so ten of a hundred are: rank 11.
    options = {"metric": metric, "n_items": 101, "method": "rank"}
    assert sampled_score(*lists_of(10, 1), **options) == pytest.approx(expected, abs=1e-12)
    assert sampled_score(*lists_of(10, 0), **options) == 1


@pytest.mark.parametrize(("metric", "expected"), [("mrr", 1 / 1.5), ("ndcg", 1 / log2(2.5))])
def test_sampled_score_method_rank_accepts_fractional_ranks(metric, expected):
    found = sampled_score(*lists_of(4, 1), metric=metric, n_items=3, method="rank")
    assert found == pytest.approx(expected, abs=1e-12)


PLAIN = {
    "recall@2": lambda *rows: recall_at_k_score(*rows, k=2, average=None),
    "hit_rate@3": lambda *rows: hit_rate_at_k_score(*rows, k=3, average=None),
    "ndcg@3": lambda *rows: ndcg_score(*rows, k=3, average=None),
    "mrr": lambda *rows: mrr_score(*rows, average=None),
    "map@4": lambda *rows: map_score(*rows, k=4, average=None),
}


@pytest.mark.parametrize("metric", PLAIN)
def test_sampled_score_method_none_equals_metric(metric):
    rng = np.random.default_rng(0)
    y_true, y_score = np.eye(8)[rng.integers(0, 8, 50)], rng.integers(0, 5, (50, 8))
    found = sampled_score(y_true, y_score, metric=metric, n_items=50, method="none", average=None)
    np.testing.assert_allclose(found, PLAIN[metric](y_true, y_score), rtol=0, atol=1e-12)


@ALL
def test_sampled_score_of_all_items_is_not_corrected(metric):
    found = table_of(9, metric=metric, n_items=10, replacement=False)
    np.testing.assert_allclose(found, [VALUES[metric](rank) for rank in range(1, 11)], rtol=0, atol=1e-12)


def test_sampled_score_does_not_depend_on_chunk_size(monkeypatch):
    options = {"metric": "ndcg", "n_items": 200, "gamma": 0.02}
    at_once = table_of(4, **options)
    monkeypatch.setattr(_sampled_tables, "CELLS", 1)
    _sampled_tables._fit_uniform.cache_clear()
    np.testing.assert_allclose(table_of(4, **options), at_once, rtol=0, atol=1e-12)


# ------------------------------------------------------------------ expected values over draws


@pytest.mark.parametrize("metric", ["recall@2", "ndcg", "mrr@2"])
@pytest.mark.parametrize("method", ["bias_variance", "least_bias", "rank", "none"])
@BOTH
def test_sampled_score_mean_over_all_draws_matches_odds(metric, method, replacement):
    """All samples are drawn and scored, and the mean is what the odds of sampled ranks say."""
    n, m = 6, 3
    options = {"metric": metric, "n_items": n, "method": method, "replacement": replacement}
    table = table_of(m, **options)
    for rank in range(1, n + 1):
        others = [other for other in range(1, n + 1) if other != rank]
        draws = product(others, repeat=m) if replacement else combinations(others, m)
        y_score = -np.array([(rank, *negatives) for negatives in draws], dtype=float)
        y_true = np.zeros(y_score.shape)
        y_true[:, 0] = 1
        found = sampled_score(y_true, y_score, **options)
        expected = odds_of(n, m, replacement)[rank - 1] @ table
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_sampled_score_recall_at_1_is_unbiased_only_if_all_are_drawn():
    """Of n items a polynomial of degree m in the rank is 1 at rank 1 and 0 elsewhere only if m = n - 1."""
    values = table_of(4, metric="recall@1", n_items=5, method="least_bias", replacement=False)
    np.testing.assert_allclose(odds_of(5, 4, False) @ values, [1, 0, 0, 0, 0], atol=1e-9)
    values = table_of(3, metric="recall@1", n_items=5, method="least_bias", replacement=False)
    assert abs(odds_of(5, 3, False) @ values - [1, 0, 0, 0, 0]).max() > 0.01


@ALL
def test_sampled_score_of_ties_is_mean_over_all_orders(metric):
    scores = [2, 1, 1, 1, 0, 3]  # the relevant item is tied with two items and below two
    y_true = [[0, 1, 0, 0, 0, 0]]
    values = []
    for order in permutations([0.1, 0.2, 0.3]):
        untied = np.array(scores, dtype=float)
        untied[1:4] += order
        values.append(sampled_score(y_true, [untied], metric=metric, n_items=40))
    found = sampled_score(y_true, [scores], metric=metric, n_items=40)
    assert found == pytest.approx(np.mean(values), abs=1e-12)


# ------------------------------------------------------------------ users


@pytest.fixture
def users():
    """Return the rows of users with lists of two lengths, and their ids, in no order."""
    rng = np.random.default_rng(1)
    groups = rng.permutation(np.repeat(["d", "b", "a", "c"], [5, 5, 8, 8]))
    y_true = np.zeros(len(groups))
    for name in "abcd":
        y_true[rng.choice(np.flatnonzero(groups == name))] = 1
    return y_true, rng.integers(0, 9, len(groups)).astype(float), groups


def test_sampled_score_accepts_different_n_items_per_user(users):
    y_true, y_score, groups = users
    numbers = {"a": 50, "b": 60, "c": 70, "d": 60}
    expected = []
    for name, number in numbers.items():
        own = groups == name
        expected.append(sampled_score([y_true[own]], [y_score[own]], n_items=number, metric="mrr"))
    series = pandas.Series(numbers)[["d", "a", "c", "b"]]
    for n_items in (numbers, series):
        options = {"groups": groups, "n_items": n_items, "metric": "mrr"}
        found = sampled_score(y_true, y_score, **options, average=None)
        np.testing.assert_array_equal(found, expected)
        assert sampled_score(y_true, y_score, **options) == pytest.approx(np.mean(expected), abs=1e-15)


def test_sampled_score_rejects_array_of_n_items_with_ids(users):
    y_true, y_score, groups = users
    match = (
        r"mapping or pandas.Series of user id to int. Got a list of one per user instead. Their order cann"
    )
    with pytest.raises(ValueError, match=match):
        sampled_score(y_true, y_score, groups=groups, n_items=[50, 60, 70, 60])


def test_sampled_score_accepts_list_of_n_items_for_matrix():
    numbers = [30, 300]
    apart = [sampled_score(*lists_of(4, place), n_items=n) for place, n in zip((0, 2), numbers)]
    found = sampled_score(*lists_of(4, 0, 2), n_items=numbers, average=None)
    np.testing.assert_array_equal(found, apart)


def test_sampled_score_uses_zero_division_without_relevant_item(users):
    y_true, y_score, groups = users
    y_true = np.where(groups == "b", 0, y_true)
    options = {"groups": groups, "n_items": 60, "average": None}
    plain = sampled_score(*users[:2], **options)
    for value in (0.0, 1.0, np.nan):
        found = sampled_score(y_true, y_score, **options, zero_division=value)
        np.testing.assert_array_equal(found, [plain[0], value, *plain[2:]])
    with pytest.warns(UndefinedMetricWarning, match="^sampled_score is undefined"):
        assert np.isnan(sampled_score(0 * y_true, y_score, groups=groups, n_items=60, zero_division=np.nan))


def test_sampled_score_averages_and_weights_users(users):
    y_true, y_score, groups = users
    values = sampled_score(*users[:2], groups=groups, n_items=60, average=None)
    weight = dict(zip("abcd", [1, 2, 3, 4]))
    weights = [weight[name] for name in groups]
    found = sampled_score(y_true, y_score, groups=groups, n_items=60, sample_weight=weights)
    assert found == pytest.approx(np.average(values, weights=[1, 2, 3, 4]), abs=1e-12)
    found = sampled_score(y_true, y_score, groups=groups, n_items=60, average="weighted")
    assert found == pytest.approx(np.average(values, weights=[8, 5, 8, 5]), abs=1e-12)


def test_sampled_score_counts_labels_from_min_relevance():
    y_true, y_score = [[5, 3, 1], [2, 1, 4]], [[1, 2, 3], [1, 2, 3]]
    found = sampled_score(y_true, y_score, n_items=9, metric="mrr", min_relevance=4)
    assert found == sampled_score(np.array(y_true) >= 4, y_score, n_items=9, metric="mrr")


def test_sampled_score_treats_minus_infinity_as_lowest_score():
    y_true = [[1, 0, 0, 0]]
    found = sampled_score(y_true, [[-np.inf, 3, 2, -np.inf]], n_items=50, metric="mrr")
    assert found == sampled_score(y_true, [[0, 3, 2, 0]], n_items=50, metric="mrr")


@st.composite
def drawn_lists(draw):
    """Draw lists of several users, in any order of the rows, tied or not."""
    n_users = draw(st.integers(1, 4))
    rows = []
    for user in range(n_users):
        size = draw(st.integers(2, 6))
        place = draw(st.integers(0, size - 1))
        scores = draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
        rows += [(float(row == place), score, user) for row, score in enumerate(scores)]
    return tuple(np.array(column) for column in zip(*draw(st.permutations(rows))))


@pytest.mark.slow
@FEW
@given(drawn_lists(), st.randoms(), st.sampled_from([*VALUES]))
def test_sampled_score_does_not_depend_on_order_names_or_scale(rows, random, metric):
    def value(y_true, y_score, groups):
        return sampled_score(y_true, y_score, groups=groups, n_items=20, metric=metric, average=None)

    y_true, y_score, groups = rows
    expected = value(*rows)
    order = random.sample(range(len(groups)), len(groups))
    np.testing.assert_array_equal(value(y_true[order], y_score[order], groups[order]), expected)
    np.testing.assert_array_equal(value(y_true, y_score, -groups), expected[::-1])
    np.testing.assert_array_equal(value(y_true, y_score, groups.astype(str)), expected)
    for scores in (3 * y_score - 100, np.exp(y_score), y_score.astype(float), y_score + 2**60):
        np.testing.assert_array_equal(value(y_true, scores, groups), expected)
    np.testing.assert_array_equal(value(y_true > 0, y_score, groups), expected)


# ------------------------------------------------------------------ errors

GIVEN = {"y_true": [[1, 0, 0], [0, 1, 0]], "y_score": [[3, 2, 1], [3, 2, 1]], "n_items": 9}
UNHASHABLE = {
    "groups": [bytearray(b"a")] * 3,
    "y_true": [1, 0, 0],
    "y_score": [3, 2, 1],
    "n_items": {b"a": 9},
}
SEVERAL = "contain one relevant item per query. Got 2 in one query.* its own query id"
BAD = [
    ({"y_true": [[1, 1, 0], [0, 1, 0]]}, "y_true", SEVERAL),
    (
        {"y_true": [0, 0, 1], "y_score": [1, 2, 3], "groups": [0, 0, 1]},
        "y_true",
        "contain sampled negatives for each relevant item. Got a query without negatives",
    ),
    (
        {"y_true": [[1, 0, np.nan], [0, 1, 0]]},
        "y_true",
        "not contain NaN. Got 1 NaN instead. Pass 0 as the label of sampled negatives",
    ),
    (
        {"n_items": 2, "replacement": False},
        "n_items",
        "be greater than the number of negatives.* Got 2 items with 2",
    ),
    ({"n_items": 1}, "n_items", "be an int >= 2"),
    ({"n_items": 2**53}, "n_items", "be an int >= 2"),
    ({"n_items": True}, "n_items", "be an int >= 2"),
    ({"n_items": 9.5}, "n_items", "be an int >= 2.* Got 9.5"),
    ({"n_items": {0: 9, 1: "many"}}, "n_items", "be an int >= 2.* Got 'many'"),
    ({"n_items": sparse.dok_array((2, 3))}, "n_items", "have an entry for each .* cannot be looked up"),
    (UNHASHABLE, "n_items", "have an entry for each query id. Got ids that cannot be looked up"),
    ({"n_items": 10**12}, "n_items", r"be at most 100,000,000 .* Got 1,000,000,000,000 .*method='rank'"),
    ({"n_items": None}, "n_items", "be an int >= 2"),
    ({"n_items": "9"}, "n_items", "be an int >= 2"),
    ({"n_items": [9, 8, 7]}, "n_items", "be an int >= 2.*shape"),
    ({"n_items": [9, 8.5]}, "n_items", "be an int >= 2.* Got 8.5"),
    ({"n_items": [9, np.nan]}, "n_items", "be an int >= 2.* Got nan"),
    ({"n_items": {0: 9}}, "n_items", "have an entry for each query id. Got none for 1"),
    ({"metric": "group_auc"}, "metric", "be 'recall@k',.* The AUC of sampled lists needs no correction"),
    ({"metric": "precision@2"}, "metric", "be 'recall@k', 'hit_rate@k', 'ndcg"),
    ({"metric": "recall"}, "metric", "be 'recall@k'"),
    ({"metric": "ndcg@2(gain=exponential)"}, "metric", "be 'recall@k'.*without other parameters"),
    ({"metric": "recbole:recall@10"}, "metric", "be 'recall@k'"),
    ({"metric": 5}, "metric", "be 'recall@k'"),
    ({"method": "mle"}, "method", "be one of 'bias_variance'"),
    ({"method": None}, "method", "be one of"),
    ({"gamma": 0}, "gamma", "be a finite number >= 1e-08"),
    ({"gamma": np.nan}, "gamma", "be a finite number"),
    ({"gamma": "0.1"}, "gamma", "be a finite number"),
    ({"gamma": 0.1, "method": "rank"}, "gamma", "be left out with method='rank'"),
    ({"prior": "power"}, "prior", "be 'uniform' or a function"),
    ({"prior": [1, 2, 3]}, "prior", "be 'uniform' or a function"),
    ({"prior": np.sqrt, "method": "none"}, "prior", "be left out with method='none'"),
    ({"prior": lambda ranks: ranks[1:]}, "prior", "return one weight per rank.*shape"),
    ({"prior": lambda ranks: -ranks}, "prior", "return one weight per rank.* Got -1"),
    ({"prior": lambda ranks: 0 * ranks}, "prior", "return one weight per rank.* Got 0"),
    ({"prior": lambda ranks: ranks * np.inf}, "prior", "return one weight per rank.* Got inf"),
    ({"prior": lambda ranks: ranks == 1}, "prior", "return a positive weight for at least one possible rank"),
    ({"replacement": None}, "replacement", "be True or False"),
    ({"min_relevance": 0}, "min_relevance", "be a finite number > 0"),
    ({"average": "micro"}, "average", "be 'macro', 'weighted' or None"),
    ({"zero_division": 3}, "zero_division", "be 0.0, 1.0 or nan"),
]


@pytest.mark.parametrize(
    ("changed", "parameter", "rule"), BAD, ids=[f"{each[1]}-{number}" for number, each in enumerate(BAD)]
)
def test_sampled_score_rejects_invalid_arguments(changed, parameter, rule):
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of sampled_score must {rule}"):
        sampled_score(**GIVEN | changed)


def test_sampled_score_error_in_prior_names_prior():
    with pytest.raises(ZeroDivisionError) as error:
        sampled_score(**GIVEN, prior=lambda ranks: 1 / 0)
    assert error.value.__notes__ == ["The 'prior' parameter of sampled_score raised this error."]


def test_sampled_score_rejects_fitting_table_for_many_negatives():
    rows = lists_of(2001, 4)
    rule = r"'method' parameter .* be 'rank' or 'none' for more than 2000 negatives per user"
    with pytest.raises(ValueError, match=rule):
        sampled_score(*rows, n_items=10**6)
    assert sampled_score(*rows, n_items=10**6, metric="mrr", method="none") == 0.2


def test_sampled_score_rejects_fitting_many_different_n_items():
    rows, numbers = lists_of(4, *[0] * 1001), np.arange(50, 1051)
    rule = r"'n_items' parameter .* at most 1,000 pairs .* Got 1,001 different pairs .* Round n_items"
    with pytest.raises(ValueError, match=rule):
        sampled_score(*rows, n_items=numbers, method="least_bias")
    assert sampled_score(*rows, n_items=numbers, metric="mrr", method="rank") == 1


def test_sampled_score_method_rank_accepts_any_number_of_items():
    assert sampled_score(*lists_of(4, 0), n_items=10**12, metric="mrr", method="rank") == 1


def test_sampled_score_accepts_more_draws_than_items():
    assert np.isfinite(sampled_score(*lists_of(4, 1), n_items=3))


def test_sampled_score_rejects_too_few_items_for_negatives():
    """There is one other item: drawn twice, it is above or below each time."""
    assert np.isfinite(table_of(1, n_items=2)).all()
    rule = r"'n_items' parameter .* large enough for the sampled ranks\. Got 2 items with 2 negatives"
    with pytest.raises(ValueError, match=rule):
        sampled_score(*lists_of(2, 1), n_items=2)


# ------------------------------------------------------------------ impossible samples

ITEMS = [["a", "b", "c"], ["c", "a", "d"]]


def score_items(items, n_items=9, **options):
    rows = {name: np.ravel(GIVEN[name]) for name in ("y_true", "y_score")}
    return sampled_score(**rows, groups=[1, 1, 1, 0, 0, 0], items=np.ravel(items), n_items=n_items, **options)


def test_sampled_score_does_not_depend_on_items():
    assert score_items(ITEMS) == sampled_score(**GIVEN)
    assert score_items([["a", "b", "b"], ["c", "a", "d"]]) == sampled_score(**GIVEN)


SAME = [["a", "b", "c"], ["c", "d", "b"]]


@pytest.mark.parametrize(
    ("items", "options", "parameter", "rule"),
    [
        (
            [["a", "b", "a"], ["c", "a", "d"]],
            {},
            "items",
            "not repeat the relevant item of a user among the negatives",
        ),
        (
            [["a", "b", "b"], ["c", "a", "d"]],
            {"replacement": False},
            "items",
            "contain each item of a user once",
        ),
        (SAME, {}, "items", "differ between users"),
        (ITEMS, {"n_items": 3}, "n_items", "be at least the number of different 'items', 4"),
        ([["a", "b", "c"], ["c", "a", None]], {}, "items", "not contain missing ids"),
        ([["a", "b"], ["c", "a"]], {}, "items", r"have one id per row \(6 rows\)"),
    ],
)
def test_sampled_score_rejects_items_not_drawn_uniformly(items, options, parameter, rule):
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of sampled_score must {rule}"):
        score_items(items, **options)


def test_sampled_score_accepts_same_negatives_when_all_are_drawn():
    y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]]
    rows = {"groups": [0, 0, 0, 1, 1, 1], "items": ["a", "b", "c", "b", "c", "a"], "replacement": False}
    value = sampled_score(np.ravel(y_true), np.ravel(y_score), **rows, n_items=3, metric="mrr")
    assert value == pytest.approx((1 + 1 / 3) / 2, abs=1e-12)


def test_sampled_score_reads_items_in_row_order():
    y_true, y_score, groups, items = (
        [1, 1, 0, 0, 0, 0],
        [3, 2, 1, 3, 2, 1],
        [0, 1, 0, 1, 0, 1],
        list("acbdbe"),
    )
    options = {"groups": groups, "n_items": 9}
    assert sampled_score(y_true, y_score, **options, items=items) == sampled_score(y_true, y_score, **options)
    with pytest.raises(ValueError, match="contain each item of a user once"):
        sampled_score(y_true, y_score, **options, items=items, replacement=False)


def test_sampled_score_interpolates_many_numbers_of_items():
    random = np.random.default_rng(0)
    n_items = random.permutation(np.arange(900, 1100))
    y_true, y_score = np.zeros((200, 21)), random.random((200, 21))
    y_true[:, 0] = 1
    given = {"metric": "ndcg@10", "average": None}
    found = sampled_score(y_true, y_score, n_items=n_items, **given)
    each = [
        sampled_score(y_true[[user]], y_score[[user]], n_items=n_items[[user]], **given)
        for user in range(200)
    ]
    assert np.abs(found - np.concatenate(each)).max() <= 1e-3 * np.abs(found).max()


def test_sampled_score_rejects_numbers_of_items_that_need_too_many_tables(monkeypatch):
    monkeypatch.setattr("sklearn_rank.metrics._sampled_correction.MOST_GRID", 5)
    y_true, y_score = np.zeros((40, 21)), np.random.default_rng(0).random((40, 21))
    y_true[:, 0] = 1
    with pytest.raises(ValueError, match=r"be interpolated with an error of at most 0\.1%\. Got 40 numbers"):
        sampled_score(y_true, y_score, n_items=np.arange(100, 500, 10), metric="recall@10")


def test_sampled_score_fits_each_of_few_neighboring_numbers_of_items():
    random = np.random.default_rng(0)
    n_items, y_true, y_score = np.arange(22, 62), np.zeros((40, 21)), random.random((40, 21))
    y_true[:, 0] = 1
    given = {"metric": "recall@10", "average": None}
    found = sampled_score(y_true, y_score, n_items=n_items, **given)
    each = [sampled_score(y_true[[i]], y_score[[i]], n_items=n_items[[i]], **given) for i in range(40)]
    assert found == pytest.approx(np.concatenate(each), abs=1e-12)
