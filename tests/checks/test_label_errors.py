"""Error messages for invalid labels and grades: the value, its position and the code that fixes it."""

import re
from decimal import Decimal

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import (
    err_score,
    err_scorer,
    from_recommendations,
    group_auc_score,
    map_score,
    ndcg_score,
    ranking_scores,
)
from sklearn_rank.metrics import ndcg_curve, spearman_score, tie_report
from tests.helpers.messages import INF, ROWS, assert_message

# ------------------------------------------------------------------ invalid grades

TWO = {"y_true": [[0, 1], [3, 0]], "y_score": [[2, 1], [2, 1]]}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ndcg_score(**ROWS, gain=[0, 1]),
            ["a gain for each label. Got none for label 2.0", "y_true[2]"],
        ),
        (lambda: ndcg_score(**TWO, gain={0: 0, 1: 1}), ["Got none for label 3.0 at y_true[1, 0] instead"]),
        (lambda: err_score(**ROWS, gain=[0, 0.5]), ["Got none for label 2.0 at y_true[2] instead"]),
        (
            lambda: err_score(**ROWS, gain=[0, 0.5, 2]),
            ["in [0, 1]", "Got 2 for label 2.0", "y_true[2]"],
        ),
        (lambda: err_score(**ROWS, max_grade=1), ["the highest label. Got 1.0 for label 2.0 at y_true[2]"]),
        (lambda: err_score(**TWO, max_grade=1), ["Got 1.0 for label 3.0 at y_true[1, 0] instead"]),
        (
            lambda: ndcg_score(**ROWS, gain=[0, 5, 3]),
            ["non-decreasing in the label", "Got 5 for label 1 and 3 for label 2"],
        ),
        (lambda: ndcg_score([1, 2000], [1, 2], groups=[1, 1], gain="exponential"), ["2000.0", "y_true[1]"]),
        (
            lambda: ndcg_score([1, INF], [1, 2], groups=[1, 1]),
            ["be finite and non-negative. Got inf at y_true[1]"],
        ),
        (lambda: ndcg_curve(**ROWS, gain=[0, 1]), ["of ndcg_curve must have a gain", "2.0", "y_true[2]"]),
        (lambda: err_scorer(max_grade=1).score_rows(**ROWS), ["err_scorer(max_grade=1)", "2.0", "y_true[2]"]),
    ],
)
def test_label_error_shows_label_and_position(call, said):
    assert_message(call, *said)


@pytest.mark.parametrize("grade", [-1, INF, 10**400])
@pytest.mark.parametrize(
    ("recommended", "relevant", "user"),
    [
        ({"ann": ["x"], "bob": ["y"]}, lambda grade: {"ann": {"x": 1}, "bob": {"z": 1, "y": grade}}, "'bob'"),
        ([["x"], ["y"]], lambda grade: [(), {"z": 1, "y": grade}], "1"),
    ],
)
def test_grade_error_shows_item_and_user(recommended, relevant, user, grade):
    rule = "have finite, non-negative grades"
    got = f"Got {repr(grade)[:40]}"
    words = f" for item 'y' of user {user} instead. For an item that was not judged, pass float('nan')"
    assert_message(lambda: from_recommendations(relevant(grade), recommended), rule, got, words)


@pytest.mark.parametrize("grade", ["2", None, [1], 1j, Decimal("snan")])
def test_from_recommendations_rejects_grade_that_is_no_number(grade):
    rule = "The 'relevant' parameter of from_recommendations must"
    assert_message(lambda: from_recommendations([{"x": grade}], [["x"]]), rule)


# ------------------------------------------------------------------ labels below 0

TO_FLOATS = "numpy.asarray(y_true, dtype=float)"
TO_NAN = "numpy.where(y < 0, numpy.nan, y)"
TREATMENT = " with unjudged='nonrelevant' or unjudged='drop'"
JUDGMENTS = f'If negative labels mean "not judged", let y = {TO_FLOATS} and pass {TO_NAN}{TREATMENT}.'
CLASSES = "numpy.asarray(y_true) > 0"
RETURNS = (
    "For labels of any sign, such as returns, use kendall_tau, kendall_tau_ap, spearman, pearson or pair"
)


@pytest.mark.parametrize(
    "function", [ndcg_score, map_score, group_auc_score, sklearn_rank.metrics.judged_at_k_score]
)
@pytest.mark.parametrize(
    ("label", "remedy"), [(-1, JUDGMENTS), (-2, JUDGMENTS), (-0.013, RETURNS), (-7, RETURNS)]
)
def test_negative_label_error_explains_possible_meaning(function, label, remedy):
    k = {}
    if function is sklearn_rank.metrics.judged_at_k_score:  # it reads NaN without `unjudged`
        k, remedy = {"k": 2}, remedy.replace(TREATMENT, "")
    said = f"'y_true' parameter of {function.__name__} must be finite and non-negative. "
    got = f"Got {label} at y_true[3] instead. "
    assert_message(lambda: function(**ROWS | {"y_true": [1, 0, 2, label]}, **k), said + got + remedy)


FORMS = ["list", "array", "pandas", "Int64", "pyarrow"]


def hold(labels, form):
    """Labels as a column of some library."""
    if form in ("pandas", "Int64"):
        return pytest.importorskip("pandas").Series(labels, dtype="Int64" if form == "Int64" else "int64")
    if form == "pyarrow":
        return pytest.importorskip("pyarrow").array(labels)
    return np.array(labels) if form == "array" else labels


@pytest.mark.parametrize("form", FORMS)
def test_fix_for_negative_judgments_gives_value_of_trec_eval(form):
    y_true = hold([1, -1, 2, 0], form)
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": y_true}), JUDGMENTS)
    y = eval(TO_FLOATS, {"numpy": np, "y_true": y_true})
    labels = eval(TO_NAN, {"numpy": np, "y": y})
    kept = ndcg_score(**ROWS | {"y_true": labels}, unjudged="nonrelevant")
    assert kept == ndcg_score(**ROWS | {"y_true": [1, 0, 2, 0]})


def test_fix_for_negative_judgments_keeps_missing_labels():
    y_true = pytest.importorskip("pandas").Series([1, -1, None, 0], dtype="Int64")
    y = eval(TO_FLOATS, {"numpy": np, "y_true": y_true})
    np.testing.assert_array_equal(eval(TO_NAN, {"numpy": np, "y": y}), [1, np.nan, np.nan, 0])


@pytest.mark.parametrize("form", FORMS)
def test_signed_classes_error_suggests_relevant_class(form):
    y_true = hold([1, -1, -1, 1], form)
    said = (
        "must be finite and non-negative. Got -1 at y_true[1] instead. If the labels are the classes -1 and "
    )
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": y_true}), f"{said}1, pass {CLASSES}.")
    relevant = eval(CLASSES, {"numpy": np, "y_true": y_true})
    assert ndcg_score(**ROWS | {"y_true": relevant}) == ndcg_score(**ROWS | {"y_true": [1, 0, 0, 1]})


def test_negative_labels_of_one_class_are_treated_as_judgments():
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": [-1, -1, -1, -1]}), JUDGMENTS)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (["spearman", "ndcg@10"], "be finite and non-negative for 'ndcg@10'. Got -1"),
        (
            ["map", "pearson"],
            "be finite and non-negative for 'map'. Got -1",
        ),
        (["spearman", "judged@5"], "be finite and non-negative for 'judged@5'. Got -1"),
    ],
)
def test_ranking_scores_error_names_metric_that_rejects_label(metrics, said):
    rows = ROWS | {"y_true": [1, 0, 2, -1]}
    for function in (ranking_scores, tie_report):
        call = f"'y_true' parameter of {function.__name__} must "
        assert_message(lambda: function(**rows, metrics=metrics), call + said)  # noqa: B023 - called at once


# ------------------------------------------------------------------ text

WORDS = ["relevant", "not", "not", "relevant"]
TO_FLOAT = "To convert text to numbers, pass numpy.asarray({parameter}, dtype=float)."


@pytest.mark.parametrize("parameter", ["y_true", "y_score", "sample_weight"])
@pytest.mark.parametrize(
    "values", [["1", "0", "2", "0"], ["1.5", 0, 2, 0], np.array([b"1", b"0", b"2", b"0"])]
)
def test_numeric_text_error_shows_conversion_to_float(parameter, values):
    said = TO_FLOAT.format(parameter=parameter)
    assert_message(lambda: ndcg_score(**ROWS | {parameter: values}), "array of real numbers", said)
    np.asarray(values, dtype=float)


@pytest.mark.parametrize("parameter", ["y_true", "y_score"])
def test_word_error_has_no_fix(parameter):
    for words in (WORDS, np.array([*WORDS[:2], 1, None], dtype=object)):
        with pytest.raises(ValueError, match=r"be an array of real numbers\. Got"):
            ndcg_score(**ROWS | {parameter: words})


def test_missing_label_error_explains_unjudged():
    labels = [1, np.nan, 2, 0]
    said = "must not contain NaN when unjudged='raise'. Got 1 NaN instead."
    fix = "If NaN means \"not judged\", pass unjudged='nonrelevant' (count as 0) or unjudged='drop'."
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": labels}), f"{said} {fix}")


@pytest.mark.parametrize(("metrics", "as_0"), [(["spearman"], False), (["spearman", "ndcg"], True)])
def test_missing_label_error_of_correlations_does_not_suggest_zero(metrics, as_0):
    rows = ROWS | {"y_true": [1, np.nan, 2, 0]}
    said = "unjudged='nonrelevant' (count as 0) or " if as_0 else ""
    fix = f"If NaN means \"not judged\", pass {said}unjudged='drop'."
    assert_message(lambda: ranking_scores(**rows, metrics=metrics), "Got 1 NaN", fix)


def test_none_label_error_suggests_nan():
    said = "To replace missing values by NaN, pass numpy.asarray(y_true, dtype=float)."
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": [1, None, 2, 0]}), said)


def test_infinite_label_error_of_spearman_allows_any_sign():
    assert_message(
        lambda: spearman_score(**ROWS | {"y_true": [1, 0, -INF, 1]}),
        "must be finite. Got -inf at y_true[2] instead.",
    )


@pytest.mark.parametrize(
    ("changed", "fix"),
    [
        ({"y_score": Ridge()}, "Pass the predictions of the model, model.predict(X)."),
        ({"y_score": iter([0.5, 0.1])}, "Pass list(y_score)."),
        ({"y_true": None}, "Pass one number per row: y_true=[2, 0, 1]."),
        ({"y_true": ["bad", "good"]}, "[{'bad': 0, 'good': 1}[word] for word in y_true]."),
        ({"y_score": ["low", "high"]}, "Pass one number per row: y_score=[2, 0, 1]."),
        (
            {"y_score": [0.5, np.nan]},
            "If NaN means not retrieved, pass numpy.where(numpy.isnan(y_score), -numpy.inf, y_score).",
        ),
    ],
)
def test_error_for_values_that_are_not_numbers_ends_with_fix(changed, fix):
    with pytest.raises(ValueError, match=re.escape(fix)) as error:
        ndcg_score(**{"y_true": [1, 0], "y_score": [0.5, 0.1], "groups": ["q", "q"]} | changed)
    assert str(error.value).endswith(fix)
