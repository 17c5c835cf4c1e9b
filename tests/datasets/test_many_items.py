"""Labels and ids of many rows, with text of several kinds among short ASCII text."""

import numpy as np
import pytest

from sklearn_rank import from_recommendations, from_run

N_USERS, N_ITEMS, N_LISTED = 1_200, 4_000, 20  # more than one part of rows


class Name(str):
    """Text of a class of its own."""


# An item among short ASCII text.
ITEMS = {
    "another": "i9999",
    "of 12 letters": "x" * 12,
    "of 13 letters": "x" * 13,
    "of 40 letters": "x" * 40,
    "beyond ASCII": "é",
    "beyond Latin letters": "\u4e2d",
    "ending in a null": "a\0",
    "with a null": "a\0b",
    "a blank": " ",
    "numpy's": np.str_("name"),
    "of another class": Name("name"),
}


def draw_lists(item, place):
    """Return the items of each user, with an item in the list of one user."""
    rng = np.random.default_rng(0)
    lists = [[f"i{code}" for code in rng.choice(N_ITEMS, N_LISTED, replace=False)] for _ in range(N_USERS)]
    lists[place][3] = item
    relevant = [set(items[::6]) | {f"j{user}", f"k{user}"} for user, items in enumerate(lists)]
    return lists, relevant


def join(lists, relevant, missing, by_item):
    """List the label, score, user and item of each row; items outside of the lists have the score None."""
    rows = []
    for user, (items, liked) in enumerate(zip(lists, relevant)):
        known = {item: -1.0 - place for place, item in enumerate(items)} | dict.fromkeys(liked - set(items))
        order = sorted(known, reverse=True) if by_item else known
        rows += [(1.0 if item in liked else missing, known[item], user, item) for item in order]
    return rows


def columns(rows):
    return [list(column) for column in zip(*rows)]


@pytest.mark.parametrize("place", [0, N_USERS - 1], ids=["first", "last"])
@pytest.mark.parametrize("kind", ITEMS)
def test_from_recommendations_equals_a_loop_over_sets(kind, place):
    lists, relevant = draw_lists(ITEMS[kind], place)
    rows = join(lists, relevant, 0.0, by_item=False)
    listed = [row for row in rows if row[1] is not None]
    others = sorted((row for row in rows if row[1] is None), key=lambda row: row[3], reverse=True)
    others = sorted(others, key=lambda row: row[2])
    expected = columns([*listed, *((label, -np.inf, user, item) for label, _, user, item in others)])
    found = from_recommendations(relevant, lists, return_items=True)
    assert [column.tolist() for column in found] == expected


@pytest.mark.parametrize("place", [0, N_USERS - 1], ids=["first", "last"])
@pytest.mark.parametrize("kind", ITEMS)
def test_from_run_equals_a_loop_over_dicts(kind, place):
    lists, relevant = draw_lists(ITEMS[kind], place)
    run = {user: {item: -1.0 - place for place, item in enumerate(items)} for user, items in enumerate(lists)}
    qrels = {user: dict.fromkeys(liked, 1) for user, liked in enumerate(relevant)}
    rows = join(lists, relevant, None, by_item=True)
    expected = columns([(label, -np.inf if score is None else score, *ids) for label, score, *ids in rows])
    y_true, *others = from_run(qrels, run, return_items=True)
    assert [None if label != label else label for label in y_true.tolist()] == expected[0]
    assert [column.tolist() for column in others] == expected[1:]
