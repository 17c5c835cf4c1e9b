"""Metrics of top-k lists, compared with all lists that ties allow."""

from itertools import combinations, groupby, permutations, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics.pairwise import cosine_similarity

from sklearn_rank import catalog_coverage_score, diversity_score, intra_list_similarity_loss
from sklearn_rank.metrics import (
    average_popularity_loss,
    calibration_loss,
    exposure_gini_loss,
    novelty_score,
    personalization_score,
    serendipity_score,
    tail_share_score,
)
from tests.helpers.naming import name_of

SOLD = {item: [3, 0, 7, 7, 1, 7, 2, 9, 4, 5][item] for item in range(10)}  # item 9 is in no list
PAST = np.array([[1, 0, 2], [0, 0, 1], [3, 1, 0], [1, 1, 1], [0, 0, 0]]), ["u", "u", "v", "w", "w"]


def name_users(rows):
    """Return the history with the users' names in these rows."""
    names = {str(name): name for name in ("u", "v", "w")}
    named = [] if rows["groups"] is None else [user for user in rows["groups"] if isinstance(user, tuple)]
    names |= {chr(user[1]): user for user in named}
    return PAST[0], [names[user] for user in PAST[1]]


LIST_METRICS = {
    "intra_list_similarity_loss": lambda rows, **options: intra_list_similarity_loss(
        rows["X"], rows["y_score"], groups=rows["groups"], **options
    ),
    "catalog_coverage_score": lambda rows, **options: catalog_coverage_score(
        rows["items"], rows["y_score"], groups=rows["groups"], **options
    ),
    "exposure_gini_loss": lambda rows, **options: exposure_gini_loss(
        rows["items"], rows["y_score"], groups=rows["groups"], **options
    ),
    "novelty_score": lambda rows, **options: novelty_score(
        rows["items"],
        rows["y_score"],
        groups=rows["groups"],
        **{"popularity": {item: 1 / (2 + item) for item in range(9)}, **options},
    ),
}
LIST_METRICS |= {
    "diversity_score": lambda rows, **options: diversity_score(
        rows["X"], rows["y_score"], groups=rows["groups"], **options
    ),
    "personalization_score": lambda rows, **options: personalization_score(
        rows["items"], rows["y_score"], groups=rows["groups"], **options
    ),
    "average_popularity_loss": lambda rows, **options: average_popularity_loss(
        rows["items"], rows["y_score"], groups=rows["groups"], **{"popularity": SOLD, **options}
    ),
    "tail_share_score": lambda rows, **options: tail_share_score(
        rows["items"], rows["y_score"], groups=rows["groups"], **{"popularity": SOLD, **options}
    ),
    "calibration_loss": lambda rows, **options: calibration_loss(
        np.abs(rows["X"]), rows["y_score"], groups=rows["groups"], **{"history": name_users(rows), **options}
    ),
    "serendipity_score": lambda rows, **options: serendipity_score(
        rows["items"] % 3,
        rows["y_score"],
        groups=rows["groups"],
        X=rows["X"],
        **{"history": name_users(rows), **options},
    ),
}
PER_QUERY = ["intra_list_similarity_loss", "novelty_score", "diversity_score", "average_popularity_loss"]
PER_QUERY += ["tail_share_score", "calibration_loss", "serendipity_score"]
OF_FEATURES = ["intra_list_similarity_loss", "diversity_score", "calibration_loss", "serendipity_score"]
EVERY = pytest.mark.parametrize("name", LIST_METRICS)


def lists_of(rows, user, k):
    """Yield the rows of the top k under every order of tied items."""
    inside = [row for row in np.flatnonzero(rows["groups"] == user) if rows["y_score"][row] > -np.inf]
    inside.sort(key=lambda row: -rows["y_score"][row])
    runs = [list(run) for _, run in groupby(inside, key=lambda row: rows["y_score"][row])]
    for order in product(*(permutations(run) for run in runs)):
        yield sum(order, ())[:k]


# ------------------------------------------------------------------ values


def test_intra_list_similarity_matches_hand_computed_value():
    got = intra_list_similarity_loss([[1, 0], [1, 0], [0, 1]], [3, 2, 1], groups=[0, 0, 0])
    assert got == pytest.approx(1 / 3, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
@pytest.mark.parametrize(
    "similarity", ["cosine", cosine_similarity, lambda X: -np.abs(X[:, :1] - X[:, :1].T)]
)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_intra_list_similarity_is_mean_over_pairs_and_tie_orders(make, similarity, k, rows):
    between = cosine_similarity if similarity == "cosine" else similarity
    expected = []
    for user in "uvw":
        values = []
        for shown in lists_of(rows, user, k):
            similarities = between(rows["X"][list(shown)])
            values.append(
                np.mean([similarities[pair] for pair in combinations(range(len(shown)), 2)] or [np.nan])
            )
        expected.append(np.mean(values))
    if make is sparse.csr_array and callable(similarity):
        similarity = lambda X: between(X.toarray())  # noqa: E731
    got = intra_list_similarity_loss(
        make(rows["X"]), rows["y_score"], groups=rows["groups"], k=k, similarity=similarity, average=None
    )
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4, None])
def test_novelty_is_mean_information_over_tie_orders(k, rows):
    popularity = {item: (item + 1) / 10 for item in range(9)}
    expected = [
        np.mean(
            [
                np.mean([-np.log2(popularity[rows["items"][row]]) for row in shown])
                for shown in lists_of(rows, u, k)
            ]
        )
        for u in "uvw"
    ]
    got = LIST_METRICS["novelty_score"](rows, k=k, popularity=popularity, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4, None])
def test_catalog_coverage_is_mean_over_tie_orders_of_all_users(k, rows):
    lists = [[frozenset(rows["items"][list(s)]) for s in lists_of(rows, user, k)] for user in "uvw"]
    never = np.ones(9)
    for user in lists:  # users are independent
        never *= [np.mean([item not in shown for shown in user]) for item in range(9)]
    assert LIST_METRICS["catalog_coverage_score"](rows, k=k, catalog=9) == pytest.approx(
        1 - never.mean(), abs=1e-12
    )


@pytest.mark.parametrize("discount", [None, "log2"])
@pytest.mark.parametrize("k", [1, 2, 4, None])
def test_exposure_gini_is_gini_of_expected_exposure(k, discount, rows):
    exposure = np.zeros(9)
    for user in "uvw":
        lists = list(lists_of(rows, user, k))
        for shown in lists:
            for rank, row in enumerate(shown, 1):
                exposure[rows["items"][row]] += (1 / np.log2(rank + 1) if discount else 1) / len(lists)
    expected = np.abs(np.subtract.outer(exposure, exposure)).sum() / (2 * 9 * exposure.sum())
    got = LIST_METRICS["exposure_gini_loss"](rows, k=k, catalog=9, discount=discount)
    assert got == pytest.approx(expected, abs=1e-12)


@EVERY
def test_list_metrics_with_order_ties_keep_row_order(name, rows):
    settled = {**rows, "y_score": rows["y_score"] - 1e-6 * np.arange(14)}
    got = LIST_METRICS[name](rows, k=2, ties="order")
    assert got == pytest.approx(LIST_METRICS[name](settled, k=2), abs=1e-12)


@EVERY
def test_list_metrics_do_not_depend_on_row_order_and_user_names(name, rows):
    mixed = np.random.default_rng(2).permutation(14)
    other = {key: values[mixed] for key, values in rows.items()}
    other["groups"] = [("user", ord(user)) for user in other["groups"]]
    assert LIST_METRICS[name](other, k=2) == pytest.approx(LIST_METRICS[name](rows, k=2), abs=1e-12)


SIZES = [(1, np.float16), (1e200, float), (1e-200, float), (300, np.float16)]


@pytest.mark.parametrize(("scale", "dtype"), SIZES)
def test_intra_list_similarity_does_not_depend_on_scale_or_dtype(scale, dtype, rows):
    X = np.array(rows["X"] * scale, dtype=dtype)
    got = intra_list_similarity_loss(X, rows["y_score"], groups=rows["groups"], k=3)
    assert got == pytest.approx(LIST_METRICS["intra_list_similarity_loss"](rows, k=3), abs=1e-12)


def test_exposure_gini_of_huge_catalog_needs_no_memory(rows):
    small = LIST_METRICS["exposure_gini_loss"](rows, catalog=1000)
    large = LIST_METRICS["exposure_gini_loss"](rows, catalog=10**12)
    assert small < large < 1


def test_intra_list_similarity_sums_many_users_in_chunks():
    rng = np.random.default_rng(0)
    groups, X, y_score = rng.integers(0, 3000, 40_000), rng.standard_normal((40_000, 3)), rng.random(40_000)
    some = groups < 50
    got = intra_list_similarity_loss(X, y_score, groups=groups, k=5, average=None)
    alone = intra_list_similarity_loss(X[some], y_score[some], groups=groups[some], k=5, average=None)
    np.testing.assert_allclose(got[:50], alone, rtol=0, atol=1e-12)


# ------------------------------------------------------------------ averages


@pytest.mark.parametrize("name", PER_QUERY)
def test_list_metrics_average_and_weight_users(name, rows):
    metric = LIST_METRICS[name]
    values = metric(rows, k=3, average=None)
    assert metric(rows, k=3) == pytest.approx(values.mean(), abs=1e-12)
    assert metric(rows, k=3, average="weighted") == pytest.approx(
        np.average(values, weights=[3, 5, 6]), abs=1e-12
    )
    weights = np.unique(rows["groups"], return_inverse=True)[1]
    expected = np.average(values, weights=[0, 1, 2])
    assert metric(rows, k=3, sample_weight=weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "k"), [(name, 1 if "simil" in name or "div" in name else 3) for name in PER_QUERY]
)
def test_list_metrics_use_zero_division_for_short_lists(name, k, rows):
    rows = {**rows, "y_score": np.where(rows["groups"] == "u", -np.inf, 1.0)}
    got = LIST_METRICS[name](rows, k=k, zero_division=1.0, average=None)
    np.testing.assert_array_equal(got == 1.0, [True, k == 1, k == 1])
    nothing = {**rows, "y_score": np.full(14, -np.inf)}
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined"):
        assert np.isnan(LIST_METRICS[name](nothing))


def test_list_metrics_are_zero_or_undefined_when_nothing_is_shown(rows):
    nothing = {**rows, "y_score": np.full(14, -np.inf)}
    assert LIST_METRICS["catalog_coverage_score"](nothing) == 0
    for name in ("exposure_gini_loss", "personalization_score"):
        with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined"):
            assert np.isnan(LIST_METRICS[name](nothing))


@pytest.mark.parametrize("catalog", [20, range(20), np.arange(20), list(range(20)), set(range(20))], ids=type)
def test_catalog_coverage_counts_items_that_were_never_scored(catalog, rows):
    n_seen = len(set(rows["items"][rows["y_score"] > -np.inf].tolist()))
    assert LIST_METRICS["catalog_coverage_score"](rows, catalog=catalog) == pytest.approx(n_seen / 20)


def test_novelty_accepts_popularity_as_series(rows):
    pandas = pytest.importorskip("pandas")
    popularity = {item: (item + 1) / 10 for item in range(9)}
    got = LIST_METRICS["novelty_score"](rows, popularity=pandas.Series(popularity).rename_axis("item"))
    assert got == LIST_METRICS["novelty_score"](rows, popularity=popularity)


def test_popularity_with_row_numbers_as_index_raises(rows):
    pandas = pytest.importorskip("pandas")
    items = pandas.DataFrame({"item": range(9), "share": np.linspace(0.1, 0.9, 9)}).sort_values("share")
    with pytest.raises(ValueError, match=r"'popularity' .* named index of item ids.*rename_axis\(\"item\"\)"):
        LIST_METRICS["novelty_score"](rows, popularity=items["share"])


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    "change", [{"k": 0}, {"k": 1.5}, {"ties": "best"}, {"ties": "random"}, {"groups": None}]
)
@EVERY
def test_list_metrics_name_invalid_common_option(name, change, rows):
    parameter, value = next(iter(change.items()))
    given = {**rows, "groups": None} if parameter == "groups" else rows
    options = {} if parameter == "groups" else {parameter: value}
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must"):
        LIST_METRICS[name](given, **options)


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        ("intra_list_similarity_loss", {"similarity": "jaccard"}, "similarity"),
        ("intra_list_similarity_loss", {"similarity": lambda X: X}, "similarity"),
        *[(name, {"average": "micro"}, "average") for name in PER_QUERY],
        *[(name, {"zero_division": 2}, "zero_division") for name in PER_QUERY],
        *[(name, {"sample_weight": np.arange(14)}, "sample_weight") for name in PER_QUERY],
        ("novelty_score", {"popularity": [1, 2]}, "popularity"),
        ("novelty_score", {"popularity": {0: 0.5}}, "popularity"),
        ("novelty_score", {"popularity": dict.fromkeys(range(9), 3)}, "popularity"),
        ("novelty_score", {"popularity": dict.fromkeys(range(9), 0)}, "popularity"),
        ("catalog_coverage_score", {"catalog": 3}, "catalog"),
        ("catalog_coverage_score", {"catalog": [0, 1]}, "catalog"),
        ("catalog_coverage_score", {"catalog": 2.5}, "catalog"),
        ("catalog_coverage_score", {"catalog": "ab c"}, "catalog"),
        ("novelty_score", {"popularity": dict.fromkeys(range(9), "x")}, "popularity"),
        ("exposure_gini_loss", {"discount": "ln"}, "discount"),
        ("diversity_score", {"similarity": "jaccard"}, "similarity"),
        *[
            (name, {"popularity": wrong}, "popularity")
            for name in ("average_popularity_loss", "tail_share_score")
            for wrong in (3, {0: 1}, dict.fromkeys(range(9), -1), dict.fromkeys(range(9), np.inf))
        ],
        ("tail_share_score", {"popularity": SOLD | {"other": -1}}, "popularity"),
        *[("tail_share_score", {"tail": wrong}, "tail") for wrong in (0, 1, "half", None)],
        *[("calibration_loss", {"smoothing": wrong}, "smoothing") for wrong in (0, 1, -0.1, "x")],
        ("calibration_loss", {"discount": "ln"}, "discount"),
        ("serendipity_score", {"min_relevance": 0}, "min_relevance"),
    ],
    ids=name_of,
)
def test_list_metrics_name_invalid_own_option(name, options, parameter, rows):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must"):
        LIST_METRICS[name](rows, **options)


@EVERY
def test_list_metrics_reject_scores_of_different_shape(name, rows):
    for y_score in (rows["y_score"][1:], rows["y_score"][None], 3):
        with pytest.raises(ValueError, match=f"parameter of {name} must"):
            LIST_METRICS[name]({**rows, "y_score": y_score})


@pytest.mark.parametrize("name", [name for name in LIST_METRICS if name not in OF_FEATURES])
def test_list_metrics_reject_item_twice_in_one_list(name, rows):
    with pytest.raises(
        ValueError, match=f"'items' parameter of {name} must not repeat an item within a query"
    ):
        LIST_METRICS[name]({**rows, "items": np.zeros(14, dtype=int)})


def test_duplicate_item_error_names_item_and_rows():
    with pytest.raises(ValueError, match=r"Got item 'a' in rows 1 and 3 of one query instead\. Keep one row"):
        novelty_score(np.array(["b", "a", "b", "a"]), [1, 2, 3, 4], groups=[0, 1, 2, 1], popularity={"a": 1})


UNSEEN = r"Smooth the shares of all items: \(n_users_of_item \+ 1\) / \(n_users \+ 1\)"


@pytest.mark.parametrize(
    ("popularity", "got"),
    [
        ({"hit": 0.5, "new": 0}, f"Got 0 for item 'new' instead. The novelty .* {UNSEEN}"),
        ({"hit": 0.5}, f"Got no entry for item 'new' instead. The novelty .* {UNSEEN}"),
        (
            {"hit": 5, "new": 1},
            "Got 5 for item 'hit' instead. Divide the number of users of each item by",
        ),
        ({"hit": 0.5, "new": -0.1}, "Got -0.1 for item 'new' instead. Pass popularity="),
        ({"hit": 0.5, "new": np.nan}, "Got nan for item 'new' instead. Pass popularity="),
    ],
)
@pytest.mark.parametrize("make", [list, np.array])
def test_novelty_error_names_item_without_share(make, popularity, got):
    with pytest.raises(ValueError, match=got):
        novelty_score(make(["hit", "new"]), [2, 1], groups=[0, 0], popularity=popularity)


@pytest.mark.parametrize("score", [average_popularity_loss, tail_share_score])
@pytest.mark.parametrize(
    ("popularity", "got"),
    [
        ({1: 5.0}, "Got no entry for item 2 instead. Set the popularity of items that nobody has used to 0."),
        ({1: 5.0, 2: -1}, "Got -1 for item 2 instead. Pass popularity="),
        (
            {1: 5.0, "2": 1},
            "Got no entry for item 2 instead. Convert .*: '2' is str in 'popularity' and int in the rows",
        ),
    ],
)
def test_popularity_error_names_item_without_number(score, popularity, got):
    with pytest.raises(ValueError, match=got):
        score([1, 2], [2, 1], groups=[0, 0], popularity=popularity)
