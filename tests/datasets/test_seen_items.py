"""`seen` of from_recommendations and from_interactions leaves out pairs of users and items."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import RankingWarning, from_interactions, from_recommendations, from_score_matrix
from tests.datasets.test_run_objects import make_frame

RECOMMENDED = {"ann": ["x", "y", "z"], "bob": ["z", "x"], "cat": ["y"]}
RELEVANT = {"ann": {"y": 1, "w": 2}, "bob": {"x": 1, "z": 3}, "dan": {"x": 1}}
SEEN = {"ann": ["x", "w", "unknown"], "bob": ["z"], "cat": ["y"], "eve": ["x"]}
# The pairs that are left, with grade and score.
LEFT = {("ann", "y", 1, -2), ("ann", "z", 0, -3), ("bob", "x", 1, -2), ("dan", "x", 1, -np.inf)}
LIBRARIES = ["pandas", "pandas categories", "polars", "pyarrow"]


def list_rows(result):
    y_true, y_score, groups, items = (column.tolist() for column in result)
    return set(zip(groups, items, y_true, y_score, strict=True))


def as_frame(library, table, **columns):
    """Return a frame with a row for each user and item of a table of lists."""
    pairs = [(user, item) for user, items in table.items() for item in items]
    users, items = (list(column) for column in zip(*pairs))
    return make_frame(library, {"user": users, "item": items, **columns})


FORMS = {
    "lists": SEEN,
    "sets": {user: set(items) for user, items in SEEN.items()},
    "grades": {user: dict.fromkeys(items, 2) for user, items in SEEN.items()},
    "a Series": pd.Series(SEEN),
}


@pytest.mark.parametrize("form", FORMS)
def test_from_recommendations_excludes_seen_items(form):
    rows = from_recommendations(RELEVANT, RECOMMENDED, seen=FORMS[form], return_items=True)
    assert list_rows(rows) == LEFT


def test_from_recommendations_keeps_items_with_seen_grade_0():
    seen = {user: {item: int(item != "x") for item in items} for user, items in SEEN.items()}
    rows = from_recommendations(RELEVANT, RECOMMENDED, seen=seen, return_items=True)
    assert list_rows(rows) == LEFT | {("ann", "x", 0, -1)}


@pytest.mark.parametrize("form", [list, np.array])
def test_from_recommendations_matches_seen_items_by_position(form):
    lists = [form([[5, 7], [7, 6]]), form([[7, 0], [7, 8]]), form([[5, 0], [8, 7]])]
    recommended, relevant, seen = lists
    rows = from_recommendations(relevant, recommended, seen=seen, padding=0, return_items=True)
    assert list_rows(rows) == {(0, 7, 1, -2), (1, 6, 0, -2)}


def test_from_recommendations_excludes_seen_items_from_missed():
    with pytest.warns(RankingWarning, match="no list for 1 of . users, such as 'dan'"):
        *_, missed = from_recommendations(RELEVANT, RECOMMENDED, seen=SEEN, return_missed=True)
    assert (missed.ids.tolist(), missed.labels.tolist()) == (["dan"], [1])


@pytest.mark.parametrize("library", LIBRARIES)
def test_from_interactions_excludes_seen_items(library):
    interactions = as_frame(library, RELEVANT, rating=[1, 2, 1, 3, 1])
    recommended = as_frame(library, RECOMMENDED, score=[-1, -2, -3, -1, -2, -1])
    seen = as_frame(library, SEEN)
    rows = from_interactions(interactions, recommended, seen=seen, return_items=True)
    assert list_rows(rows) == LEFT


def test_from_interactions_takes_names_of_columns_of_seen():
    interactions = as_frame("pandas", RELEVANT, rating=[1, 2, 1, 3, 1])
    recommended = as_frame("pandas", RECOMMENDED, score=[-1, -2, -3, -1, -2, -1])
    seen = as_frame("pandas", SEEN).rename(columns={"item": "product"})
    columns = {"item": "product"}
    rows = from_interactions(interactions, recommended, seen=seen, columns=columns, return_items=True)
    assert list_rows(rows) == LEFT


@pytest.mark.parametrize("n_seen", [0, 3])
def test_readers_exclude_the_same_seen_items(n_seen):
    random = np.random.default_rng(n_seen)
    scores = random.permuted(np.tile(np.arange(1.0, 13), (20, 1)), axis=1)
    relevant = (random.random(scores.shape) < 0.3).astype(float)
    seen = random.permuted(np.tile(np.arange(12), (20, 1)), axis=1) < n_seen
    expected = list_rows(from_score_matrix(relevant, scores, seen=seen, return_items=True))
    users, items = np.indices(scores.shape)
    frames = [
        {"user": users[relevant > 0], "item": items[relevant > 0]},
        {"user": users.ravel(), "item": items.ravel(), "score": scores.ravel()},
        {"user": users[seen], "item": items[seen]},
    ]
    log, recommended, known = map(pd.DataFrame, frames)
    assert list_rows(from_interactions(log, recommended, seen=known, return_items=True)) == expected
    best_first = np.argsort(-scores, axis=1)
    lists = ([np.flatnonzero(row).tolist() for row in each] for each in (relevant, seen))
    rows = from_recommendations(next(lists), best_first.tolist(), seen=next(lists), return_items=True)
    # Scores of lists are negated ranks: 12 - (the scores) are the places from 0.
    assert {(user, item, label, score + 13) for user, item, label, score in list_rows(rows)} == expected


@pytest.mark.parametrize(
    ("seen", "rule"),
    [
        ([["x"]], r"'seen' .* be a mapping or Series by user if and only if 'recommended' is one"),
        ({"ann": [3]}, r"'seen' .* item ids of the same type"),
        ({"ann": ["x"], "bob": {"x": 1}}, r"'seen' .* mapping of item to grade for every user"),
        ({"ann": {"x": -1}}, r"'seen' .* finite, non-negative grades"),
    ],
)
def test_from_recommendations_rejects_invalid_seen(seen, rule):
    with pytest.raises(ValueError, match=rule):
        from_recommendations(RELEVANT, RECOMMENDED, seen=seen)


def test_from_recommendations_rejects_seen_of_fewer_users():
    with pytest.raises(ValueError, match=r"'seen' .* as many users as 'recommended' \(2\)"):
        from_recommendations([["x"], ["y"]], [["x"], ["y"]], seen=[["x"]])


def test_from_recommendations_rejects_seen_frame_of_other_users():
    shown, other = (pd.DataFrame({"rank_1": ["x", "y"]}, index=list(index)) for index in ("ab", "cd"))
    with pytest.raises(ValueError, match=r"'seen' .* have the same index as 'relevant'"):
        from_recommendations(shown, shown, seen=other)


@pytest.mark.parametrize(
    ("seen", "rule"),
    [
        (SEEN, r"'seen' .* be a frame with one row per user and item"),
        (pd.DataFrame({"user": ["ann"]}), r"'seen' .* have one column"),
        (pd.DataFrame({"user": [1], "item": ["x"]}), r"'seen' .* user ids of the same type"),
    ],
)
def test_from_interactions_rejects_invalid_seen(seen, rule):
    interactions, recommended = as_frame("pandas", RELEVANT), as_frame("pandas", RECOMMENDED, rank=range(6))
    with pytest.raises(ValueError, match=rule):
        from_interactions(interactions, recommended, seen=seen)
