"""Rows in a different index order, which metrics reject; different labels are matched by position."""

from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

from sklearn_rank import from_recommendations, from_score_matrix, group_score, ndcg_score
from tests.helpers.index_order import LABELS, WEIGHTS, pandas, raises_order_error, reordered, series
from tests.helpers.public_calls import FUNCTIONS, GOOD, LISTS

ROWS = GOOD | {"sample_weight": WEIGHTS}


# ------------------------------------------------------------------ metrics


def test_ndcg_rejects_scores_with_labels_in_different_order():
    y_true, y_score = series([3, 2, 0, 0]), series([4.0, 3.0, 2.0, 1.0])
    with raises_order_error("ndcg_score", "y_score", "y_true") as error:
        ndcg_score(y_true, y_score.sort_values(), groups=[0] * 4)
    assert str(error.value).endswith(
        "Got 'd4' at position 0, where 'y_true' has 'd1', instead. If the rows already match, pass "
        "y_score.to_numpy(). Otherwise, pass y_score.loc[y_true.index]."
    )
    shuffled = y_score.sort_values()
    assert ndcg_score(y_true, shuffled.loc[y_true.index], groups=[0] * 4) == 1
    assert ndcg_score(y_true, shuffled.to_numpy(), groups=[0] * 4) < 1


@pytest.mark.parametrize("parameter", ["y_score", "groups", "sample_weight"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_metric_functions_reject_index_in_different_order(name, parameter):
    labeled = ROWS | {"y_true": series(ROWS["y_true"]), parameter: reordered(ROWS[parameter])}
    with raises_order_error(name, parameter, "y_true"):
        FUNCTIONS[name](**labeled)


@pytest.mark.parametrize("name", LISTS)
def test_list_metrics_reject_index_in_different_order(name):
    with raises_order_error(name, "groups", "y_score"):
        LISTS[name](y_score=series(GOOD["y_score"]), groups=reordered(GOOD["groups"]))
    content = "items" if "items" in signature(LISTS[name].func).parameters else "X"
    rows = series(["a", "b"] * 2) if content == "items" else pandas.DataFrame(np.eye(4), index=LABELS)
    with raises_order_error(name, "y_score", content):
        LISTS[name](y_score=reordered(GOOD["y_score"]), groups=GOOD["groups"], **{content: rows})


@pytest.mark.parametrize("parameter", ["y_pred", "groups", "sample_weight"])
def test_group_score_rejects_index_in_different_order(parameter):
    rows = {"y_pred": [1, 2, 3, 4], "groups": GOOD["groups"], "sample_weight": WEIGHTS}
    with raises_order_error("group_score", parameter, "y_true"):
        group_score(
            mean_absolute_error, series([1, 2, 3, 4]), **rows | {parameter: reordered(rows[parameter])}
        )


def test_ndcg_compares_index_of_ids_with_index_of_scores():
    with raises_order_error("ndcg_score", "groups", "y_score"):
        ndcg_score(pandas.Series(GOOD["y_true"]), series(GOOD["y_score"]), groups=reordered(GOOD["groups"]))


def test_ndcg_of_frames_checks_index_and_columns():
    y_true = pandas.DataFrame([[1, 0, 2], [0, 1, 0]], index=["q1", "q2"], columns=list("abc"))
    y_score = pandas.DataFrame([[3, 2, 1], [1, 2, 3]], index=["q1", "q2"], columns=list("abc"))
    assert ndcg_score(y_true, y_score) == ndcg_score(y_true.to_numpy(), y_score.to_numpy())
    with raises_order_error("ndcg_score", "y_score", "y_true"):
        ndcg_score(y_true, y_score[::-1])
    with raises_order_error("ndcg_score", "sample_weight", "y_true"):
        ndcg_score(y_true, y_score, sample_weight=series([1, 2], ["q2", "q1"]))
    with pytest.raises(
        ValueError, match=r"must have its columns in the same order as .* y_score\[y_true.columns\]"
    ):
        ndcg_score(y_true, y_score[["c", "b", "a"]])


# ------------------------------------------------------------------ equal labels

RANGE = pandas.RangeIndex(4)
DATES = pandas.date_range("2024-01-01", periods=4)
PAIRS = pandas.MultiIndex.from_product([["ann", "bob"], [1, 2]])
MIXED = pandas.Index([1, "a", None, 2.5], dtype=object)
REORDERED = {
    "numbers": (pandas.Index([5, 7, 6, 8]), pandas.Index([8, 6, 7, 5])),
    "default index, backwards": (RANGE, RANGE[::-1]),
    "default index, shuffled": (RANGE, pandas.Index([2, 0, 1, 3])),
    "text": (pandas.Index(LABELS), pandas.Index(LABELS)[[1, 0, 2, 3]]),
    "ids that repeat": (pandas.Index([1, 1, 2, 2]), pandas.Index([2, 2, 1, 1])),
    "dates": (DATES, DATES[::-1]),
    "dates of another unit": (DATES, DATES[::-1].as_unit("s")),
    "categories": (pandas.CategoricalIndex(LABELS), pandas.CategoricalIndex(LABELS)[::-1]),
    "categories and text": (pandas.CategoricalIndex(LABELS), pandas.Index(LABELS)[::-1]),
    "several levels": (PAIRS, PAIRS[[3, 1, 2, 0]]),
    "several levels, one missing": (
        PAIRS.set_levels([None, 2], level=1),
        PAIRS.set_levels([None, 2], level=1)[::-1],
    ),
    "mixed types": (MIXED, MIXED[::-1]),
    "missing ones": (pandas.Index([1.0, np.nan, 2.0, 3.0]), pandas.Index([np.nan, 1.0, 2.0, 3.0])),
    "integers and floats": (pandas.Index([1, 2, 3, 4]), pandas.Index([4.0, 3.0, 2.0, 1.0])),
    "integers and objects": (pandas.Index([1, 2, 3, 4]), pandas.Index([4, 3, 2, 1], dtype=object)),
}


@pytest.mark.parametrize("kind", REORDERED)
def test_ndcg_rejects_equal_labels_in_different_order(kind):
    one, other = REORDERED[kind]
    y_true, y_score = series(GOOD["y_true"], one), series(GOOD["y_score"], other)
    for scores in (y_score, y_score.to_frame()):
        with raises_order_error("ndcg_score", "y_score", "y_true"):
            ndcg_score(y_true, scores, groups=GOOD["groups"])


def test_index_order_error_does_not_suggest_loc_for_repeated_labels():
    y_true, groups = series(GOOD["y_true"], [1, 1, 2, 2]), series(GOOD["groups"], [2, 2, 1, 1])
    with pytest.raises(
        ValueError, match=r"pass groups\.to_numpy\(\)\. Otherwise, pass both from one frame\."
    ):
        ndcg_score(y_true, GOOD["y_score"], groups=groups)


BY_POSITION = {
    "equal": (pandas.Index([4, 3, 2, 1]), pandas.Index([4, 3, 2, 1])),
    "equal, of another type": (pandas.Index([4, 3, 2, 1]), pandas.Index([4, 3, 2, 1], dtype=object)),
    "other numbers": (RANGE, RANGE + 1),
    "other numbers, of one range": (pandas.Index([1, 2, 3, 9]), pandas.Index([9, 4, 3, 1])),
    "other ids that repeat": (pandas.Index([1, 1, 1, 2]), pandas.Index([2, 2, 2, 1])),
    "text and numbers": (pandas.Index([1, 2, 3, 4]), pandas.Index(["4", "3", "2", "1"])),
    "text and numbers as objects": (
        pandas.Index([1, 2, 3, 4], dtype=object),
        pandas.Index(["4", "3", "2", "1"], dtype=object),
    ),
    "dates with and without a zone": (DATES, DATES[::-1].tz_localize("UTC")),
    "levels in other pairs": (
        pandas.MultiIndex.from_tuples([(1, 1), (1, 1), (2, 2), (2, 2)]),
        pandas.MultiIndex.from_tuples([(2, 1), (2, 1), (1, 2), (1, 2)]),
    ),
    "other first level": (PAIRS, pandas.MultiIndex.from_product([["ann", "cat"], [1, 2]])),
    "one level and two": (PAIRS, pandas.Index([2, 1, 2, 1])),
    "one level and three": (
        pandas.Index([1, 2, 3, 4]),
        pandas.MultiIndex.from_tuples([("a", "b", 4), ("a", "b", 3), ("a", "b", 2), ("a", "b", 1)]),
    ),
    "labels that cannot be compared": (
        pandas.Index([np.zeros(2), np.ones(2), 1, 2], dtype=object),
        pandas.Index([np.ones(2), np.zeros(2), 2, 1], dtype=object),
    ),
    "labels without a hash": (
        pandas.Index([[1], [2], [3], [4]], dtype=object),
        pandas.Index([[4], [3], [2], [1]], dtype=object),
    ),
}


@pytest.mark.parametrize("kind", BY_POSITION)
def test_different_index_labels_are_matched_by_position(kind):
    one, other = BY_POSITION[kind]
    got = ndcg_score(series(GOOD["y_true"], one), series(GOOD["y_score"], other), groups=GOOD["groups"])
    assert got == ndcg_score(**GOOD)


def test_containers_without_index_are_matched_by_position():
    polars = pytest.importorskip("polars")
    y_true = series(GOOD["y_true"])
    for form in (list, tuple, np.array, polars.Series, pandas.Index, pandas.Categorical):
        groups = form(GOOD["groups"])
        assert ndcg_score(y_true, GOOD["y_score"], groups=groups) == ndcg_score(**GOOD)


def test_different_lengths_are_reported_before_index_order():
    with pytest.raises(ValueError, match="'y_score' parameter of ndcg_score must have the shape of 'y_true'"):
        ndcg_score(series(GOOD["y_true"]), reordered(GOOD["y_score"])[:3], groups=GOOD["groups"])


# ------------------------------------------------------------------ users by items


@pytest.mark.parametrize("parameter", ["relevant", "seen"])
def test_from_score_matrix_checks_order_of_users_and_items(parameter):
    scores = pandas.DataFrame([[3, 2, 1], [1, 2, 3]], index=["ann", "bob"], columns=["tea", "milk", "rice"])
    others = {"relevant": scores > 2, "seen": scores < 2}
    from_score_matrix(scores=scores, **others)
    with raises_order_error("from_score_matrix", parameter, "scores"):
        from_score_matrix(scores=scores, **others | {parameter: others[parameter][::-1]})
    by_item = others[parameter][["rice", "tea", "milk"]]
    with pytest.raises(
        ValueError, match=f"'{parameter}' .* must have its columns in the same order as 'scores'"
    ):
        from_score_matrix(scores=scores, **others | {parameter: by_item})


def test_from_recommendations_rejects_users_in_different_order():
    recommended = pandas.DataFrame([["x", "y"], ["z", "x"]], index=["ann", "bob"])
    relevant = pandas.DataFrame([["y"], ["z"]], index=["ann", "bob"])
    assert from_recommendations(relevant, recommended)[0].tolist() == [0, 1, 1, 0]
    with raises_order_error("from_recommendations", "relevant", "recommended"):
        from_recommendations(relevant[::-1], recommended)


def test_from_recommendations_matches_series_of_lists_by_index():
    recommended = pandas.Series([["x", "y"], ["z"]], index=["ann", "bob"])
    relevant = pandas.Series([["z"], ["y"]], index=["bob", "ann"])
    assert from_recommendations(relevant, recommended)[0].tolist() == [0, 1, 1]


def test_index_order_error_mentions_default_index_first():
    y_true = pandas.Series([3, 2, 0, 0], index=[2, 0, 3, 1])  # shuffled rows
    y_score = pandas.Series([4.0, 3.0, 2.0, 1.0])  # predictions in the order of these rows
    said = r"The index of 'y_score' looks like a default index\. If the rows already match, pass"
    with pytest.raises(ValueError, match=said):
        ndcg_score(y_true, y_score, groups=[0] * 4)
    assert ndcg_score(y_true, y_score.set_axis(y_true.index), groups=[0] * 4) == 1


def test_index_level_added_by_groupby_does_not_hide_different_order():
    data = pandas.DataFrame({"y": [1, 0, 1, 0], "score": [4, 3, 2, 1], "qid": [1, 0, 1, 0]}, index=LABELS)
    by_query = data.groupby("qid")[["score"]].apply(lambda rows: rows["score"] * 2.0)
    assert by_query.index.nlevels == 2
    with raises_order_error("ndcg_score", "y_score", "y_true"):
        ndcg_score(data["y"], by_query, groups=data["qid"])
