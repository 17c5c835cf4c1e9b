"""Popularity, personalization, calibration and serendipity: by hand and over all orders of ties."""

from itertools import combinations, product
from math import log

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from sklearn_rank import diversity_score, intra_list_similarity_loss
from sklearn_rank.metrics import (
    average_popularity_loss,
    calibration_loss,
    personalization_score,
    serendipity_score,
    tail_share_score,
)
from tests.metrics.test_list_metrics import PAST, SOLD, lists_of, name_users

CUTOFFS = pytest.mark.parametrize("k", [1, 2, 4, None])
NO_FEATURE = np.zeros((1, 3))


def mean_over_lists(rows, k, of_list):
    """Return by user the mean over all lists that ties allow."""
    found = [[of_list(list(shown)) for shown in lists_of(rows, user, k)] for user in "uvw"]
    return [np.mean(values) for values in found]


# ------------------------------------------------------------------ popularity


@CUTOFFS
def test_average_popularity_is_mean_over_tie_orders(k, rows):
    expected = mean_over_lists(rows, k, lambda shown: np.mean([SOLD[rows["items"][row]] for row in shown]))
    got = average_popularity_loss(
        rows["items"], rows["y_score"], groups=rows["groups"], popularity=SOLD, k=k, average=None
    )
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@CUTOFFS
@pytest.mark.parametrize(
    ("tail", "certain", "tied"), [(0.5, [0, 1, 4, 6, 8], 0), (0.8, [0, 1, 4, 6, 8, 9], 2)]
)
def test_tail_share_splits_items_tied_at_end_of_tail(tail, certain, tied, k, rows):
    part = dict.fromkeys(range(10), 0.0) | dict.fromkeys(certain, 1.0)
    part |= dict.fromkeys((2, 3, 5), tied / 3)  # three items were sold 7 times
    expected = mean_over_lists(rows, k, lambda shown: np.mean([part[rows["items"][row]] for row in shown]))
    got = tail_share_score(
        rows["items"], rows["y_score"], groups=rows["groups"], popularity=SOLD, tail=tail, k=k, average=None
    )
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_tail_share_tail_contains_at_least_one_item():
    popularity = {"hit": 9, "rare": 1}
    assert tail_share_score(["hit", "rare"], [1, 2], groups=[0, 0], popularity=popularity, tail=0.01) == 0.5


def test_tail_share_does_not_round_down_whole_number_of_items():
    popularity = dict(enumerate(range(100)))  # 0.29 * 100 is a little below 29
    assert tail_share_score([28, 29], [2, 1], groups=[0, 0], popularity=popularity, tail=0.29) == 0.5


# ------------------------------------------------------------------ diversity


def test_diversity_is_one_minus_similarity(rows):
    given = rows["X"], rows["y_score"]
    got = diversity_score(*given, groups=rows["groups"], k=3, average=None)
    expected = 1 - intra_list_similarity_loss(*given, groups=rows["groups"], k=3, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


# ------------------------------------------------------------------ personalization


@CUTOFFS
def test_personalization_is_mean_over_user_pairs_and_tie_orders(k, rows):
    lists = [[set(rows["items"][list(shown)]) for shown in lists_of(rows, user, k)] for user in "uvw"]
    overlaps = [
        np.mean([len(a & b) / np.sqrt(len(a) * len(b)) for a, b in product(one, other)])
        for one, other in combinations(lists, 2)
    ]
    got = personalization_score(rows["items"], rows["y_score"], groups=rows["groups"], k=k)
    assert got == pytest.approx(1 - np.mean(overlaps), abs=1e-12)


def test_personalization_is_zero_for_equal_and_one_for_disjoint_lists():
    users = np.repeat(np.arange(50), 2)
    assert personalization_score(np.tile([1, 2], 50), np.tile([2, 1], 50), groups=users) == 0
    assert personalization_score(np.arange(100), np.tile([2, 1], 50), groups=users) == 1


def test_personalization_ignores_users_without_shown_items():
    items, users = ["a", "b", "a", "c", "a"], [1, 1, 2, 2, 3]
    got = personalization_score(items, [2, 1, 2, 1, -np.inf], groups=users)
    assert got == pytest.approx(0.5, abs=1e-12)


# ------------------------------------------------------------------ calibration


def test_calibration_loss_of_two_genres_matches_hand_computation():
    history = [[1, 0]] * 3 + [[0, 1]], ["ann"] * 4
    got = calibration_loss([[1, 0]], [1], groups=["ann"], history=history)
    assert got == pytest.approx(0.75 * log(0.75 / 0.9975) + 0.25 * log(0.25 / 0.0025), abs=1e-12)


def test_calibration_loss_is_zero_for_genres_of_history():
    history = [[2, 2], [0, 7]], ["ann"] * 2  # an item of both genres and an item of the second
    assert calibration_loss([[1, 1], [0, 3]], [2, 1], groups=["ann"] * 2, history=history) == 0


def test_calibration_loss_is_highest_for_disjoint_genres():
    history = [[1, 0]], ["ann"]
    got = calibration_loss([[0, 1]], [1], groups=["ann"], history=history, smoothing=0.2)
    assert got == pytest.approx(-log(0.2), abs=1e-12)


@pytest.mark.parametrize("discount", [None, "log2"])
@CUTOFFS
def test_calibration_loss_uses_mean_distribution_over_tie_orders(k, discount, rows):
    X = np.abs(rows["X"]) + np.arange(3)  # each item has a genre
    genres = X / X.sum(axis=1, keepdims=True)
    past = PAST[0] / np.maximum(PAST[0].sum(axis=1, keepdims=True), 1)
    expected = []
    for user in "uvw":
        lists = list(lists_of(rows, user, k))
        weights = [1 / np.log2(rank + 2) if discount else 1 for rank in range(14)]
        q = sum(weights[rank] * genres[row] for shown in lists for rank, row in enumerate(shown))
        p = sum(past[place] for place, name in enumerate(PAST[1]) if name == user)
        p, q = p / p.sum(), q / q.sum()
        expected.append(sum(a * log(a / (0.9 * b + 0.1 * a)) for a, b in zip(p, q) if a))
    given = {"groups": rows["groups"], "history": PAST, "k": k, "smoothing": 0.1, "discount": discount}
    got = calibration_loss(X, rows["y_score"], **given, average=None)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_calibration_loss_in_chunks_equals_single_pass(monkeypatch):
    rng = np.random.default_rng(0)
    X, users = rng.random((300, 3)), rng.integers(0, 40, 300)
    given = {"groups": users, "history": (rng.random((90, 3)), np.arange(90) % 45), "average": None}
    together = calibration_loss(X, X[:, 0], **given)
    monkeypatch.setattr("sklearn_rank.metrics._lists.history.CHUNK_QUERIES", 7)
    np.testing.assert_array_equal(calibration_loss(X, X[:, 0], **given), together)


# ------------------------------------------------------------------ serendipity


@CUTOFFS
def test_serendipity_is_mean_of_relevant_unfamiliar_items_over_orders(k, rows):
    relevant = rows["items"] % 3 >= 1
    features, users = PAST

    def of_list(shown):
        user = rows["groups"][shown[0]]
        past = features[[name == user for name in users]]
        return np.mean(relevant[shown] * (1 - cosine_similarity(rows["X"][shown], past).mean(axis=1)))

    got = serendipity_score(
        rows["items"] % 3,
        rows["y_score"],
        groups=rows["groups"],
        X=rows["X"],
        history=PAST,
        k=k,
        average=None,
    )
    np.testing.assert_allclose(got, mean_over_lists(rows, k, of_list), rtol=0, atol=1e-12)


def test_serendipity_counts_labels_from_min_relevance():
    given = {"groups": [0, 0], "X": [[1, 0], [1, 0]], "history": ([[0, 1]], [0])}
    assert serendipity_score([1, 2], [2, 1], **given) == 1
    assert serendipity_score([1, 2], [2, 1], **given, min_relevance=2) == 0.5


# The values of user_serendipity of recommenders 1.2.1, for users 1 to 3 of these rows.
SEEN = [(1, 1), (1, 2), (2, 1), (2, 3), (2, 4), (3, 2), (3, 3), (4, 4), (4, 1)]
SHOWN = [(1, 3), (1, 4), (2, 2), (2, 5), (3, 1), (3, 4), (3, 5)]
RELEVANT = [1, 0, 1, 1, 1, 1, 0]
THEIRS = [0.2729379273840343, 0.8486252849226895, 0.44725056984537903]


def test_serendipity_of_cooccurrence_matches_recommenders():
    matrix = np.zeros((6, 5))
    matrix[tuple(np.transpose(SEEN)[::-1])] = 1  # an item in each row, a user in each column
    users, items = np.transpose(SHOWN)
    past_users, past_items = np.transpose(SEEN)
    got = serendipity_score(
        RELEVANT,
        -np.arange(7),
        groups=users,
        X=sparse.csr_array(matrix)[items],
        history=(sparse.csr_array(matrix)[past_items], past_users),
        average=None,
    )
    np.testing.assert_allclose(got, THEIRS, rtol=0, atol=1e-12)


# ------------------------------------------------------------------ history


OF_HISTORY = {
    "calibration_loss": lambda rows, **options: calibration_loss(
        np.abs(rows["X"]), rows["y_score"], groups=rows["groups"], **options
    ),
    "serendipity_score": lambda rows, **options: serendipity_score(
        rows["items"] % 3, rows["y_score"], groups=rows["groups"], X=rows["X"], **options
    ),
}
EVERY = pytest.mark.parametrize("name", OF_HISTORY)


@EVERY
def test_history_takes_a_mapping_of_one_item_per_query(name, rows):
    each = np.array([[1, 0, 2], [0, 0, 1], [3, 1, 0]])
    expected = OF_HISTORY[name](rows, history=(each, ["u", "v", "w"]), average=None)
    by_id = dict(zip("wvu", each[::-1]))
    np.testing.assert_array_equal(OF_HISTORY[name](rows, history=by_id, average=None), expected)


@EVERY
def test_history_of_one_row_per_query_is_rejected(name, rows):
    with pytest.raises(ValueError, match=r"Got a ndarray instead\. Pass history=\(X_past, users_past\)"):
        OF_HISTORY[name](rows, history=np.eye(3), average=None)


@EVERY
def test_history_frame_is_matched_by_its_index(name, rows):
    pandas = pytest.importorskip("pandas")
    each = pandas.DataFrame([[1, 0, 2], [0, 0, 1], [3, 1, 0]], index=["w", "u", "v"])
    expected = OF_HISTORY[name](rows, history=(each.to_numpy(), each.index), average=None)
    np.testing.assert_array_equal(OF_HISTORY[name](rows, history=each, average=None), expected)


@EVERY
def test_history_ignores_row_order_and_users_without_list(name, rows):
    features, users = PAST
    order = [4, 1, 3, 0, 2]
    more = np.vstack([features[order], [[9, 9, 9]]]), [users[place] for place in order] + ["stranger"]
    got = OF_HISTORY[name](rows, history=more, average=None)
    np.testing.assert_allclose(got, OF_HISTORY[name](rows, history=PAST, average=None), rtol=0, atol=1e-15)


@EVERY
def test_user_without_history_has_zero_division_value(name, rows):
    got = OF_HISTORY[name](rows, history=([[1, 2, 3]], ["v"]), zero_division=1.0, average=None)
    assert got[0] == got[2] == 1.0 != got[1]


@EVERY
@pytest.mark.parametrize("kinds", [(0, 1), (1, 0), (1, 1)], ids=["history", "features", "both"])
def test_history_metrics_mix_sparse_and_dense_features(name, kinds, rows):
    make = np.asarray, sparse.csr_array
    given = {**rows, "X": make[kinds[1]](np.abs(rows["X"]))}
    got = OF_HISTORY_OF_ANY[name](given, history=(make[kinds[0]](PAST[0]), PAST[1]), average=None)
    dense = OF_HISTORY_OF_ANY[name]({**rows, "X": np.abs(rows["X"])}, history=PAST, average=None)
    np.testing.assert_allclose(got, dense, rtol=0, atol=1e-15)


OF_HISTORY_OF_ANY = OF_HISTORY | {
    "calibration_loss": lambda rows, **options: calibration_loss(
        rows["X"], rows["y_score"], groups=rows["groups"], **options
    )
}
WRONG = {
    "other features": (PAST[0][:, :2], PAST[1]),
    "too few rows": PAST[0][:2],
    "too few ids": (PAST[0], PAST[1][1:]),
    "users who are nowhere": (PAST[0], ["x"] * 5),
    "ids of another type": (PAST[0], range(5)),
    "no numbers": ([["a"] * 3] * 5, PAST[1]),
    "nothing": None,
}


@EVERY
@pytest.mark.parametrize("history", WRONG.values(), ids=WRONG)
def test_history_metrics_reject_invalid_history(name, history, rows):
    with pytest.raises(ValueError, match=f"'history' parameter of {name} must"):
        OF_HISTORY[name](rows, history=history)


def test_history_metrics_reject_ids_in_different_order(rows):
    pandas = pytest.importorskip("pandas")
    features, users = pandas.DataFrame(PAST[0]), pandas.Series(PAST[1])
    with pytest.raises(ValueError, match="calibration_loss"):
        OF_HISTORY["calibration_loss"](rows, history=(features, users[::-1]))


@pytest.mark.parametrize("wrong", ["X", "history"])
def test_calibration_loss_rejects_negative_genres(wrong, rows):
    given = {"X": np.abs(rows["X"]), "history": PAST}
    given[wrong] = -given["X"] if wrong == "X" else (-PAST[0], PAST[1])
    with pytest.raises(
        ValueError, match=f"'{wrong}' parameter of calibration_loss must contain non-negative"
    ):
        calibration_loss(y_score=rows["y_score"], groups=rows["groups"], **given)


@pytest.mark.parametrize("y_true", [[1.0] * 13, [np.nan] * 14])
def test_serendipity_rejects_missing_labels(y_true, rows):
    with pytest.raises(ValueError, match="'y_true' parameter of serendipity_score must"):
        serendipity_score(
            y_true, rows["y_score"], groups=rows["groups"], X=rows["X"], history=name_users(rows)
        )


@pytest.mark.parametrize("large", [np.longdouble("1e4000"), 10**400])
def test_serendipity_takes_labels_beyond_the_range_of_floats(large, rows):
    labels = [large, *np.ones(len(rows["groups"]) - 1)]
    given = rows["y_score"], rows["groups"], rows["X"], name_users(rows)
    score, groups, X, history = given
    values = [
        serendipity_score(each, score, groups=groups, X=X, history=history, k=3)
        for each in (labels, np.ones(len(labels)))
    ]
    assert values[0] == values[1]
