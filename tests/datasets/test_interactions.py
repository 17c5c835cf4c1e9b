"""Long frames of recommendations and interactions, which give the same rows as lists."""

import numpy as np
import pytest

from sklearn_rank import RankingWarning, from_interactions, from_recommendations, ranking_scores
from tests.datasets.test_run_objects import make_frame

LIBRARIES = ["pandas", "pandas categories", "polars", "pyarrow"]
SHOWN = {
    "user": ["ann", "bob", "ann", "cat"],
    "item": ["tea", "rice", "milk", "tea"],
    "score": [0.9, 0.8, 0.7, 0.1],
}
DONE = {"user": ["bob", "ann", "ann", "dan"], "item": ["rice", "milk", "salt", "tea"]}


def rows_of(result):
    y_true, y_score, groups, items = (column.tolist() for column in result)
    return list(zip(groups, items, y_true, y_score))


@pytest.mark.parametrize("library", LIBRARIES)
def test_from_interactions_joins_log_and_recommended(library):
    got = from_interactions(make_frame(library, DONE), make_frame(library, SHOWN), return_items=True)
    assert rows_of(got) == [
        ("ann", "tea", 0, 0.9),
        ("ann", "salt", 1, -np.inf),
        ("ann", "milk", 1, 0.7),
        ("bob", "rice", 1, 0.8),
        ("cat", "tea", 0, 0.1),
        ("dan", "tea", 1, -np.inf),
    ]


@pytest.mark.parametrize("ranked", ["score", "rank"])
def test_from_interactions_gives_values_of_from_recommendations(ranked):
    rng = np.random.default_rng(0)
    lists = {user: rng.choice(30, 10, replace=False).tolist() for user in range(20)}
    grades = {
        user: {int(item): int(rng.integers(1, 5)) for item in rng.choice(30, 6)} for user in range(5, 25)
    }
    places = [(user, item, rank) for user, items in lists.items() for rank, item in enumerate(items)]
    users, items, ranks = (list(column) for column in zip(*places))
    values = ranks if ranked == "rank" else [-rank for rank in ranks]
    shown = make_frame("pandas", {"user": users, "item": items, ranked: values})
    done = [(user, item, grade) for user, items in grades.items() for item, grade in items.items()]
    users, items, ratings = (list(column) for column in zip(*done))
    rows = from_interactions(make_frame("pandas", {"user": users, "item": items, "rating": ratings}), shown)
    metrics = ["ndcg@5", "recall@5", "map"]
    expected = from_recommendations(grades, lists)
    got, expected = (
        ranking_scores(*each[:2], groups=each[2], metrics=metrics, average=None) for each in (rows, expected)
    )
    for metric in metrics:
        np.testing.assert_array_equal(got[metric], expected[metric])


@pytest.mark.parametrize(
    ("users", "expected"),
    [
        ("all", ["ann", "bob", "cat", "dan"]),
        ("both", ["ann", "bob"]),
        ("recommended", ["ann", "bob", "cat"]),
        ("interacted", ["ann", "bob", "dan"]),
    ],
)
def test_from_interactions_selects_users_by_option(users, expected):
    frames = [make_frame("pandas", each) for each in (DONE, SHOWN)]
    assert np.unique(from_interactions(*frames, users=users)[2]).tolist() == expected


AGAIN = {"user": ["ann", "ann", "ann"], "item": ["tea", "tea", "tea"], "rating": [5, 2, 4]}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "times",
    [
        [2, 3, 1],
        [0.2, 0.3, 0.1],
        np.array(["2024-01-02", "2024-01-03", "2024-01-01"], dtype="datetime64[ns]"),
    ],
    ids=["int", "float", "date"],
)
def test_from_interactions_keeps_the_latest_rating(library, times):
    done = make_frame(library, AGAIN | {"time": times})
    assert from_interactions(done, make_frame(library, SHOWN), users="both")[0].tolist() == [2, 0]


def test_from_interactions_merges_repeats_without_ratings():
    done = make_frame("pandas", {"user": ["bob", "bob"], "item": ["rice", "rice"]})
    assert from_interactions(done, make_frame("pandas", SHOWN), users="both")[0].tolist() == [1]


def test_from_interactions_reads_renamed_columns():
    shown, done = (
        make_frame("pandas", {f"the {name}": values for name, values in each.items()})
        for each in (SHOWN, DONE)
    )
    columns = {"user": "the user", "item": "the item", "score": "the score"}
    got = from_interactions(done, shown, columns=columns)
    expected = from_interactions(make_frame("pandas", DONE), make_frame("pandas", SHOWN))
    for one, other in zip(got, expected):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("shown", "done", "words"),
    [
        (
            {},
            AGAIN,
            r"'interactions' .* one rating per user and item\. Got \d.0 and 4.0 for .* add a column 'time'",
        ),
        (
            {},
            AGAIN | {"time": [1, 1, 0]},
            r"'interactions' .* Got 5.0 and 2.0 for item 'tea' of user 'ann'",
        ),
        ({}, AGAIN | {"rating": ["5", "2", "4"]}, r"'interactions' .* numbers as ratings\. Got the text '5'"),
        (
            {},
            AGAIN | {"rating": [-1, 1, 1]},
            r"'interactions' .* have finite, non-negative ratings\. Got -1.0 for",
        ),
        (
            {},
            AGAIN | {"rating": [10**400, 1, 1]},
            r"'interactions' .* have finite, non-negative ratings\. Got inf for",
        ),
        (
            {},
            AGAIN | {"time": ["a", "b", "c"]},
            r"'interactions' .* numbers, dates or ordered categories as times. Got 'a'",
        ),
        ({"item": ["tea", "rice", "tea", "tea"]}, {}, r"'recommended' .* contain each item once per user"),
        (
            {"user": ["x", "y", "z", "v"]},
            {},
            r"'recommended' .* contain a user of 'interactions', such as '\w+' .* ids such as 'x'",
        ),
        ({"score": [1, 2, 3, np.nan]}, {}, r"'recommended' .* finite numbers as scores"),
        ({"user": [1, 2, 3, 4]}, {}, r"'interactions' .* user ids of the same type as 'recommended'"),
    ],
)
def test_from_interactions_rejects_invalid_frames(shown, done, words):
    with pytest.raises(ValueError, match=words):
        from_interactions(make_frame("pandas", done or DONE), make_frame("pandas", SHOWN | shown))


@pytest.mark.parametrize("given", [{"ann": ["tea"]}, [["tea"]], None])
def test_from_interactions_names_from_recommendations_for_lists(given):
    with pytest.raises(
        ValueError, match=r"'recommended' .* be a frame .* For lists, use from_recommendations"
    ):
        from_interactions(make_frame("pandas", DONE), given)


def test_from_recommendations_names_from_interactions_for_long_frames():
    with pytest.raises(
        ValueError, match=r"'recommended' .* For one row per user and item, use from_interactions"
    ):
        from_recommendations(make_frame("pandas", DONE), make_frame("pandas", SHOWN))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_from_interactions_warns_when_ranks_contradict_scores(library):
    shown = {"user": ["u"] * 3, "item": ["a", "b", "c"], "score": [0.1, 0.2, 0.3], "rank": [1, 2, 3]}
    done = {"user": ["u"], "item": ["a"]}
    expected = "the ranks in 'recommended' contradict the scores, .* For user 'u', item 'c' has rank 3 and"
    with pytest.warns(RankingWarning, match=expected):
        from_interactions(interactions=make_frame(library, done), recommended=make_frame(library, shown))
