"""Rows from lists of items."""

import re

import numpy as np
import pytest

from sklearn_rank import (
    RankingWarning,
    from_recommendations,
    map_score,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)

RECOMMENDED = {"ann": ["x", "y", "z"], "bob": ["z", "x"], "cat": []}
RELEVANT = {"ann": {"y"}, "bob": {"v", "x"}, "dan": {"x"}, "cat": {"y"}}


def as_lists(table):
    return [table.get(user, []) for user in ("ann", "bob", "cat", "dan")]


def as_numbers(lists):
    return [[ord(item) for item in items] for items in lists]


def as_padded(lists, fill):
    numbers = as_numbers(lists)
    width = max(map(len, numbers))
    return np.array([row + [fill] * (width - len(row)) for row in numbers])


FORMS = {
    "mappings": (RECOMMENDED, RELEVANT, {}),
    "lists": (as_lists(RECOMMENDED), as_lists(RELEVANT), {}),
    "lists of numbers": (as_numbers(as_lists(RECOMMENDED)), as_numbers(as_lists(RELEVANT)), {}),
    "arrays of numbers": (
        [np.array(row, dtype=int) for row in as_numbers(as_lists(RECOMMENDED))],
        as_numbers(as_lists(RELEVANT)),
        {},
    ),
    "padded": (as_padded(as_lists(RECOMMENDED), -1), as_padded(as_lists(RELEVANT), -1), {"padding": -1}),
    "padded with NaN": (as_padded(as_lists(RECOMMENDED), np.nan), as_padded(as_lists(RELEVANT), np.nan), {}),
    "padded and lists": (as_padded(as_lists(RECOMMENDED), 0), as_numbers(as_lists(RELEVANT)), {"padding": 0}),
    "graded": (RECOMMENDED, {user: dict.fromkeys(items, 1) for user, items in RELEVANT.items()}, {}),
    "objects padded with None": (
        np.array([["x", "y", "z"], ["z", "x", None], [None] * 3, [None] * 3], dtype=object),
        as_lists(RELEVANT),
        {},
    ),
    "iterators": ([iter(items) for items in as_lists(RECOMMENDED)], as_lists(RELEVANT), {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_from_recommendations_gives_same_metrics_for_all_input_forms(form):
    recommended, relevant, options = FORMS[form]
    if form == "iterators":
        recommended = [iter(items) for items in as_lists(RECOMMENDED)]
    y_true, y_score, groups = from_recommendations(relevant, recommended, **options)
    # Hits: ann's only relevant item at rank 2; one of bob's two at rank 2; none of cat's and dan's one.
    rows = {"groups": groups, "average": None}
    np.testing.assert_allclose(recall_at_k_score(y_true, y_score, k=2, **rows), [1, 1 / 2, 0, 0])
    np.testing.assert_allclose(mrr_score(y_true, y_score, **rows), [1 / 2, 1 / 2, 0, 0])
    np.testing.assert_allclose(map_score(y_true, y_score, **rows), [1 / 2, 1 / 4, 0, 0])
    np.testing.assert_allclose(precision_at_k_score(y_true, y_score, k=2, **rows), [1 / 2, 1 / 2, 0, 0])


def test_from_recommendations_returns_users_as_groups():
    _, _, groups = from_recommendations(RELEVANT, RECOMMENDED)
    assert set(groups.tolist()) == {"ann", "bob", "cat", "dan"}
    _, _, groups = from_recommendations(as_lists(RELEVANT), as_lists(RECOMMENDED))
    assert set(groups.tolist()) == {0, 1, 2, 3}
    _, _, groups = from_recommendations({("a", 1): [1], ("b", 2): [3]}, {("a", 1): [1]})
    assert set(groups.tolist()) == {("a", 1), ("b", 2)}


@pytest.mark.parametrize("form", ["mappings", "padded", "padded with NaN"])
def test_from_recommendations_returns_items_when_return_items(form):
    recommended, relevant, options = FORMS[form]
    y_true, y_score, groups, items = from_recommendations(relevant, recommended, return_items=True, **options)
    letters = [item if isinstance(item, str) else chr(int(item)) for item in items.tolist()]
    rows = sorted(zip(map(str, groups.tolist()), letters, y_score.tolist(), y_true.tolist()))
    ann, bob, cat, dan = ("ann", "bob", "cat", "dan") if form == "mappings" else "0123"
    inf = float("inf")
    assert rows == [
        (ann, "x", -1, 0),
        (ann, "y", -2, 1),
        (ann, "z", -3, 0),
        (bob, "v", -inf, 1),
        (bob, "x", -2, 1),
        (bob, "z", -1, 0),
        (cat, "y", -inf, 1),
        (dan, "x", -inf, 1),
    ]


def test_from_recommendations_uses_grades_as_labels():
    recommended, relevant = {1: [7, 8, 9]}, {1: {7: 0, 8: 2, 5: 3}}
    y_true, y_score, groups = from_recommendations(relevant, recommended)
    assert ndcg_score(y_true, y_score, groups=groups) == pytest.approx(2 / np.log2(3) / (3 + 2 / np.log2(3)))


def test_from_recommendations_counts_repeated_relevant_item_once():
    y_true, _, _ = from_recommendations([[2, 2, 3, 3]], [[1, 2]])
    assert sorted(y_true.tolist()) == [0, 1, 1]


@pytest.mark.parametrize("padding", [-1, None, np.nan], ids=str)
def test_from_recommendations_strips_padding_from_lists(padding):
    recommended = [[1, 2, padding, padding], [3, 4, padding, padding]]
    relevant = [[2, padding], [padding, padding]]
    got = from_recommendations(relevant, recommended, padding=padding, return_items=True)
    y_true, y_score, groups, items = got
    assert (y_true.tolist(), y_score.tolist()) == ([0, 1, 0, 0], [-1, -2, -1, -2])
    assert (groups.tolist(), items.tolist()) == ([0, 0, 1, 1], [1, 2, 3, 4])


def test_from_recommendations_treats_pandas_na_as_padding():
    pandas = pytest.importorskip("pandas")
    items = np.array([["a", "b"], ["c", pandas.NA]], dtype=object)
    assert from_recommendations([["a"], []], items)[0].tolist() == [1, 0, 0]
    assert from_recommendations([["a"], []], pandas.DataFrame(items))[0].tolist() == [1, 0, 0]


def test_from_recommendations_accepts_user_without_grades():
    y_true, _, groups = from_recommendations({"u": {"a": 2}}, {"u": ["a"], "v": ["c"]})
    assert (y_true.tolist(), groups.tolist()) == ([2, 0], ["u", "v"])
    assert from_recommendations([{"a": 2}, []], [["a"], ["c"]])[0].tolist() == [2, 0]


def test_from_recommendations_rejects_series_with_repeated_user():
    pandas = pytest.importorskip("pandas")
    twice = pandas.Series([[1, 2], [3]], index=["u", "u"])
    with pytest.raises(ValueError, match=r"'recommended' .* must have a unique index"):
        from_recommendations({"u": [1]}, twice)


def test_from_recommendations_reads_series_of_lists():
    pandas = pytest.importorskip("pandas")
    got = from_recommendations(pandas.Series(RELEVANT), pandas.Series(RECOMMENDED))
    for one, other in zip(got, from_recommendations(RELEVANT, RECOMMENDED)):
        np.testing.assert_array_equal(one, other)


def test_from_recommendations_accepts_empty_sides():
    y_true, y_score, _ = from_recommendations([[], []], [[1], []])
    assert (y_true.tolist(), y_score.tolist()) == ([0], [-1])
    y_true, y_score, _ = from_recommendations([[4], []], [[], []])
    assert (y_true.tolist(), y_score.tolist()) == ([1], [-np.inf])


def test_from_recommendations_rejects_series_mixed_with_lists():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"'relevant' .*mapping or Series by user .*Got Series"):
        from_recommendations(pandas.Series({1: [1]}), [[1]])


@pytest.mark.parametrize(
    ("recommended", "relevant", "parameter", "rule"),
    [
        ([[1, 1]], [[1]], "recommended", "contain each item once per user"),
        ([[1]], [[1], [2]], "relevant", "have as many users"),
        ({1: [1]}, [[1]], "relevant", "be a mapping or Series by user"),
        ([[1]], {1: [1]}, "relevant", "be a mapping or Series by user"),
        ("abc", [[1]] * 3, "recommended", "contain a list of items per user"),
        (["abc"], [["a"]], "recommended", "contain a list of items per user"),
        ([3], [[1]], "recommended", "contain a list of items per user"),
        ([[1]], None, "relevant", "contain a list of items per user"),
        ([{1: 2}], [[1]], "recommended", "contain a list of items per user, best first"),
        (
            [[1], [1]],
            [[1], {1: 2}],
            "relevant",
            "contain a mapping of item to grade for every user or for no user",
        ),
        ([[1]], [{1: "high"}], "relevant", "have numbers as grades"),
        ([{1, 2}], [[1]], "recommended", "contain a list of items per user, best first"),
        ([[1, "1"]], [[1]], "recommended", "contain ids of one type"),
        ([[1]], [["1"]], "relevant", r"contain item ids .* such as 1 \(int\)\. Got '1' \(str\)"),
        (
            [["a"], ["b"]],
            np.array([[1], [2]]),
            "relevant",
            "contain item ids of the same type as 'recommended'",
        ),
        ({"u": [1, 2]}, {"u": {"1": 3}}, "relevant", "contain item ids of the same type as 'recommended'"),
        ({"u": [1], "v": [1]}, {"u": [2], "v": [(2,)]}, "relevant", "contain ids of one type"),
        (
            {1: [7]},
            {"1": [7]},
            "relevant",
            r"contain a user .* such as 1 \(int\)\. Got users such as '1' \(str\)",
        ),
        ({"u": [7]}, {"v": [7], "w": [8]}, "relevant", r"contain a user .* such as 'u' \(str\)"),
    ],
    ids=str,
)
def test_from_recommendations_rejects_inconsistent_lists(recommended, relevant, parameter, rule):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of from_recommendations must {rule}"):
        from_recommendations(relevant, recommended)


def test_from_recommendations_keeps_unshared_users_when_others_match():
    y_true, y_score, groups = from_recommendations({1: ["x"], 3: ["z"]}, {1: ["x"], 2: ["y"]})
    assert (y_true.tolist(), y_score.tolist()) == ([1, 0, 1], [-1, -1, -np.inf])
    assert groups.tolist() == [1, 2, 3]


@pytest.mark.parametrize(("recommended", "relevant"), [({}, {1: ["x"]}), ({1: ["x"]}, {})], ids=str)
def test_from_recommendations_accepts_one_side_without_users(recommended, relevant):
    assert from_recommendations(relevant, recommended)[2].tolist() == [1]


def test_from_recommendations_accepts_disjoint_items_of_one_type():
    y_true, y_score, _ = from_recommendations([[3]], [[1, 2]])
    assert (y_true.tolist(), y_score.tolist()) == ([0, 0, 1], [-1, -2, -np.inf])


# ------------------------------------------------------------------ frames

LONG = {"user": ["ann", "bob", "ann"], "item": ["x", "z", "y"], "score": [0.9, 0.8, 0.7]}
BOUGHT = {"user": ["bob", "ann", "bob"], "item": ["v", "y", "z"]}


def test_from_recommendations_rejects_sorted_long_frame():
    pandas = pytest.importorskip("pandas")
    long, bought = pandas.DataFrame(LONG).sort_values("item"), pandas.DataFrame(BOUGHT)
    with pytest.raises(ValueError, match="numbered columns"):
        from_recommendations(bought, long)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_from_recommendations_rejects_long_frames(library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    long, bought = make(LONG), make(BOUGHT)
    rule = "have numbered columns.*For one row per user and item, use from_interactions"
    for frames, parameter in [((bought, long), "recommended"), ((bought, ["x"] * 3), "relevant")]:
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of from_recommendations must {rule}"):
            from_recommendations(*frames)
    with pytest.raises(ValueError, match="Got the columns 'user', 'item', 'score' instead"):
        from_recommendations(bought, long)


RANKED = {
    "numbers from 0": [0, 1],
    "numbers from 1": [1, 2],
    "names with numbers": ["rank_1", "rank_2"],
    "past nine": ["item9", "item10"],
}


@pytest.mark.parametrize("kind", RANKED)
def test_from_recommendations_reads_tables_with_numbered_columns(kind):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([["x", "y"], ["z", None]], columns=RANKED[kind])
    assert from_recommendations([["y"], ["z"]], table)[0].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "columns", [["first", "second"], ["rank_2", "rank_1"], ["user", "item_0"], [0, 2]], ids=str
)
def test_from_recommendations_rejects_tables_without_numbered_columns(columns):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([["x", "y"], ["z", None]], columns=columns)
    with pytest.raises(ValueError, match="numbered columns"):
        from_recommendations([["y"], ["z"]], table)
    assert from_recommendations([["y"], ["z"]], table.to_numpy())[0].tolist() == [0, 1, 1]


def test_from_recommendations_rejects_user_item_pairs():
    pairs = [("ann", 1), ("ann", 2), ("bob", 1)]
    with pytest.raises(ValueError, match="contain ids of one type"):
        from_recommendations(pairs, pairs)


def test_from_recommendations_error_shows_how_to_group_long_series():
    pandas = pytest.importorskip("pandas")
    long = pandas.Series(["x", "y", "z"], index=["ann", "ann", "bob"])
    with pytest.raises(
        ValueError, match=r"For a list of values per label, pass .*\.groupby\(level=0\)\.agg\(list\)"
    ):
        from_recommendations({"ann": ["y"]}, long)
    y_true, _, groups = from_recommendations({"ann": ["y"], "bob": ["z"]}, long.groupby(level=0).agg(list))
    assert [list(groups), list(y_true)] == [["ann", "ann", "bob"], [0, 1, 1]]


# ------------------------------------------------------------------ padding inside lists, and repeated items

HOLES = {
    "None": lambda: ([["b"]], [[None, "b"]], {}),
    "NaN": lambda: ([[2.0]], [[1.0, np.nan, 2.0]], {}),
    "mapping": lambda: ({"u": ["b"]}, {"u": [None, "b"]}, {}),
    "padding": lambda: ([[2]], [[1, -1, 2]], {"padding": -1}),
    "text": lambda: ([["b"]], [["a", "", "b"]], {"padding": ""}),
    "array": lambda: (np.array([[2]]), np.array([[1, -1, 2]]), {"padding": -1}),
    "array of NaN": lambda: (np.array([[2]]), np.array([[np.nan, 2.0]]), {}),
    "array of objects": lambda: ([["b"]], np.array([[None, "b"]], dtype=object), {}),
    "second user": lambda: ([["b"], ["b"]], [["a", None], [None, "b"]], {}),
    "frame": lambda: ([["b"]], pytest.importorskip("pandas").DataFrame({0: [None], 1: ["b"]}), {}),
    "polars": lambda: (
        [["b"]],
        pytest.importorskip("polars").DataFrame({"rank_1": [None], "rank_2": ["b"]}),
        {},
    ),
    "lists of polars": lambda: ([["b"]], pytest.importorskip("polars").Series([[None, "b"]]), {}),
    "lists of pyarrow": lambda: (
        [["b"]],
        pytest.importorskip("pyarrow").array([[None, "b"]]),
        {},
    ),
    "series": lambda: ([["b"]], pytest.importorskip("pandas").Series([[None, "b"]]).tolist(), {}),
}


@pytest.mark.parametrize("form", HOLES)
def test_from_recommendations_rejects_padding_before_an_item(form):
    relevant, recommended, options = HOLES[form]()
    rule = "'recommended' parameter of from_recommendations must have padding only at the end of a list"
    with pytest.raises(ValueError, match=f"{rule}. Got .* before .* for user"):
        from_recommendations(relevant=relevant, recommended=recommended, **options)


def test_from_recommendations_error_locates_padding_before_item():
    with pytest.raises(ValueError, match="Got None before 'b' for user 'bob' instead"):
        from_recommendations(
            relevant={"bob": ["b"]}, recommended={"ann": ["a", None], "bob": ["a", None, "b"]}
        )


def test_from_recommendations_accepts_padding_anywhere_in_relevant():
    y_true = from_recommendations(relevant=[[None, "b"]], recommended=[["b"]])[0]
    assert y_true.tolist() == [1]


@pytest.mark.parametrize(
    ("relevant", "recommended", "got", "padding"),
    [
        ({"bob": [2]}, {"ann": [1], "bob": [2, -1, -1]}, "-1 twice for user 'bob'", "-1"),
        ([["a"]], [["a", "b", "a"]], "'a' twice for user 0", "'a'"),
        ([[3], [3]], np.array([[1, 2], [3, 3]]), "3 twice for user 1", "3"),
    ],
)
def test_from_recommendations_names_the_repeated_item(relevant, recommended, got, padding):
    fix = f"If {padding} fills short lists, pass padding={padding}."
    expected = re.escape(f"must contain each item once per user. Got {got} instead. {fix}")
    with pytest.raises(ValueError, match=expected):
        from_recommendations(relevant=relevant, recommended=recommended)


def test_from_recommendations_reads_pyarrow_lists():
    pyarrow = pytest.importorskip("pyarrow")
    relevant, recommended = [["a"], ["c"]], [["b", "a"], ["c"]]
    arrow = from_recommendations(pyarrow.array(relevant), pyarrow.chunked_array([recommended]))
    for one, other in zip(arrow, from_recommendations(relevant, recommended), strict=True):
        np.testing.assert_array_equal(one, other)


def test_from_recommendations_warns_of_users_without_a_list_and_row():
    relevant, recommended = {"ann": {"y"}, "bob": {"v"}, "cy": {"q"}}, {"ann": ["x", "y"], "bob": []}
    with pytest.warns(RankingWarning, match="no list for 1 of 3 users, such as 'cy', so they have no row"):
        *_, groups, missed = from_recommendations(relevant, recommended, return_missed=True)
    assert (groups.tolist(), missed.ids.tolist()) == (["ann", "ann"], ["bob", "cy"])


def test_from_recommendations_accepts_empty_lists_with_missed():
    relevant, recommended = {"ann": {"y"}, "bob": {"v"}}, {"ann": ["x", "y"], "bob": []}
    *_, missed = from_recommendations(relevant, recommended, return_missed=True)  # warnings are errors
    assert missed.ids.tolist() == ["bob"]


OTHERS = {
    "plain": lambda text: text,
    "padded": lambda text: [[*items, None, None] for items in text],
    "padded with text": lambda text: [[*items, "none"] for items in text],
    "padded with empty text": lambda text: [[*items, ""] for items in text],
    "of numpy": lambda text: [list(map(np.str_, items)) for items in text],
    "tuples": lambda text: list(map(tuple, text)),
}


@pytest.mark.parametrize("n_items", [8, 10**9])
@pytest.mark.parametrize("form", OTHERS)
def test_from_recommendations_returns_same_rows_for_text_items(form, n_items):
    drawn = np.random.default_rng(0).integers(10**9, 10**9 + n_items, (60, 8)).tolist()
    lists = [[*dict.fromkeys(items[:5])] for items in drawn]
    relevant = [[*dict.fromkeys(items[3:])] for items in drawn]
    seen = [items[:1] for items in lists]
    expected = from_recommendations(relevant, lists, seen=seen, return_items=True)
    as_text = ([[*map(str, items)] for items in each] for each in (relevant, lists, seen))
    others = [OTHERS[form](each) for each in as_text]
    padding = {"padded with text": "none", "padded with empty text": ""}.get(form)
    got = from_recommendations(others[0], others[1], seen=others[2], return_items=True, padding=padding)
    for one, other in zip(got[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(one, other)
    assert list(map(str, got[3])) == list(map(str, expected[3]))
