"""Arguments of cross-validation and searches: invalid ones raise errors, valid ones come in many forms."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

import sklearn_rank
from sklearn_rank import GridSearchCV, cross_val_score, learning_curve, validation_curve
from sklearn_rank.model_selection import check_folds
from tests.fuzz.models import Line
from tests.helpers.public_calls import SELECTION_OPTIONS, list_bad

ROWS = {"X": np.arange(6.0)[:, None], "y": [1, 0, 2, 0, 1, 0], "groups": [0, 0, 1, 1, 2, 2]}


def _search(estimator, X, y, groups, scoring="mrr", cv=None):
    return GridSearchCV(estimator, {}, scoring=scoring, cv=cv).fit(X, y, groups=groups)


CALLS = {name: partial(getattr(sklearn_rank, name), **options) for name, options in SELECTION_OPTIONS.items()}
CALLS["GridSearchCV"] = _search
FOLDS = "be an int >= 2, a splitter, None or a list of (train, test) pairs"
BAD = {
    "estimator": ("be an estimator", [None, "ridge", 5, ..., Ridge]),
    "cv": (
        FOLDS,
        [True, 2.5, "2", b"2", ..., [1, 2], [([0, 1],)], [([0, 1], [2], [3])], [([0, 1], ["a"])]]
        + [[([0, 1], [6])], [([-7], [1])], [([0, 1], [[2]])], [([0, 1], [True, False])], [([0.0], [1.0])]],
    ),
    "scoring": ("", [5, b"mrr", ..., [], {}, ["mrr", "mrr"], ["mrr", 5], {5: "mrr"}, {"a": 5}]),
    "params": ("be a dict of values by name", ["alpha", 5, [("alpha", 1)], {5: [1] * 6}]),
    "y": ("", [[1, 0], "ndcg@5", b"ndcg@5", dict(enumerate(ROWS["y"])), set(range(6))]),
    "X": ("have", ["ndcg@5", dict(enumerate(range(6))), set(range(6)), None, 5]),
}


@pytest.mark.parametrize(("name", "parameter", "value", "rule"), list_bad(CALLS, BAD))
def test_cross_validation_and_search_reject_bad_arguments(name, parameter, value, rule):
    arguments = {"estimator": Line(), **ROWS} | {parameter: value}
    with pytest.raises((ValueError, TypeError)) as error:
        CALLS[name](**arguments)
    owner = f"{name}.fit" if name == "GridSearchCV" and parameter in ("X", "y") else name
    message = rf"The '{parameter}' parameter of {owner} must {re.escape(rule)}.*\. Got .* instead\."
    assert re.match(message, str(error.value), re.DOTALL), str(error.value)


def test_cross_val_score_rejects_complex_labels_without_a_warning():
    y = np.array([np.complex64(1), 0, 2, 0, 1, 0], dtype=object)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match=r"'y' parameter of cross_val_score.* Got objects of type c"):
            cross_val_score(Ridge(), **{**ROWS, "y": y}, scoring="mrr", cv=2)
    assert not caught


@pytest.mark.parametrize(("call", "model"), [(cross_val_score, [Line()]), (check_folds, [])])
def test_empty_list_of_folds_is_rejected(call, model):
    message = rf"'cv' parameter of {call.__name__} must contain at least one fold"
    with pytest.raises(ValueError, match=message):
        call(*model, **ROWS, cv=[])


@pytest.mark.parametrize("sizes", [5, "all", [[1, 2]], ["a"], [[1], [2, 3]]], ids=repr)
def test_learning_curve_rejects_train_sizes_that_are_not_a_list(sizes):
    message = "'train_sizes' parameter of learning_curve must be a list of integers"
    with pytest.raises(ValueError, match=message):
        learning_curve(Ridge(), **ROWS, scoring="mrr", train_sizes=sizes)


@pytest.mark.parametrize("values", [5, None, "alpha", b"ab", Ridge, []], ids=repr)
def test_validation_curve_rejects_param_range_that_is_not_a_list(values):
    message = "'param_range' parameter of validation_curve must be a list of at least one value"
    with pytest.raises(ValueError, match=message):
        validation_curve(Ridge(), **ROWS, scoring="mrr", param_name="alpha", param_range=values)


def test_validation_curve_accepts_an_iterator_as_param_range(ranking_data):
    X, y, groups = ranking_data
    given = {"X": X, "y": y, "groups": groups, "scoring": "mrr", "param_name": "alpha"}
    _, scores = validation_curve(Ridge(), **given, param_range=iter([1, 1e6]))
    np.testing.assert_array_equal(scores, validation_curve(Ridge(), **given, param_range=[1, 1e6])[1])


# Two folds of the six rows, in forms other than lists of row numbers.
FORMS = {
    "arrays": [(np.array([2, 3, 4, 5]), np.array([0, 1])), (np.arange(4), np.array([4, 5]))],
    "masks": [(np.arange(6) > 1, np.arange(6) < 2), (np.arange(6) < 4, np.arange(6) > 3)],
    "from the end": [([2, 3, 4, 5], [-6, -5]), ([0, 1, 2, 3], [-2, -1])],
    "one array": np.array([[[2, 3], [0, 1]], [[0, 1], [4, 5]]]),
}


@pytest.mark.parametrize("folds", [*FORMS.values(), iter(FORMS["arrays"])], ids=[*FORMS, "an iterator"])
def test_cross_val_score_accepts_folds_in_many_forms(folds):
    scores = cross_val_score(Line(), **ROWS, scoring="mrr", cv=folds)
    # Scores increase with the row number, and the first of the two rows of a query is relevant.
    np.testing.assert_array_equal(scores, [0.5, 0.5])


@pytest.mark.parametrize("as_id", [int, "q{}".format], ids=["ints", "strings"])
@pytest.mark.parametrize("name", SELECTION_OPTIONS)
def test_functions_accept_ids_as_a_pandas_index(name, as_id, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    rows = {"X": X, "y": y, "estimator": Ridge().fit(X, y)}
    ids = [as_id(i) for i in groups]
    few = {"random_state": 0} if name.startswith("permutation") else {}
    few |= {"n_permutations": 2} if name == "permutation_test_score" else {}
    got, expected = (CALLS[name](**rows, **few, groups=each) for each in (pandas.Index(ids), ids))
    if name == "cross_val_report":
        got, expected = ((each.ids, each.values["mrr"]) for each in (got, expected))
    if isinstance(got, dict):
        got, expected = ([each[key] for key in each if "time" not in key] for each in (got, expected))
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("cv", [2, GroupKFold(2)], ids=["whole queries", "of scikit-learn"])
def test_cross_val_score_accepts_ids_of_numpy_string_dtype(cv):
    given = {**ROWS, "groups": np.array(["a", "a", "b", "b", "c", "c"], np.dtypes.StringDType())}
    expected = cross_val_score(Line(), **ROWS, scoring="mrr", cv=cv)
    np.testing.assert_array_equal(cross_val_score(Line(), **given, scoring="mrr", cv=cv), expected)
