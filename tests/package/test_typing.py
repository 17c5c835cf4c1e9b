"""Types of the public functions, as mypy and editors see them; mypy itself runs in CI."""

import ast
from collections import Counter
from inspect import isfunction, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import pytest
from sklearn.metrics import mean_absolute_error

import sklearn_rank
import sklearn_rank.metrics
from sklearn_rank.metrics import Tables
from sklearn_rank.rankers import as_eval_metric
from tests import typed_usage
from tests.stub import PATH, write_stub

PUBLIC = [getattr(sklearn_rank.metrics, name) for name in sklearn_rank.metrics.__all__]
FUNCTIONS = [each for each in PUBLIC if isfunction(each) and each.__name__ != "get_scorer"]


def name(function):
    return function.__name__


def test_typed_usage_runs():
    typed_usage.main()


def test_package_has_py_typed():
    assert (Path(sklearn_rank.__file__).parent / "py.typed").is_file()  # in the wheel, if the wheel is tested


# ------------------------------------------------------------ overloads: a float for each average except None


def can_be_none(hint):
    return NoneType in get_args(hint)


def returns_one_value_per_query_for_none(function):
    hints = get_type_hints(function)
    return can_be_none(hints.get("average")) and "curve" not in function.__name__


OVERLOADED = [each for each in FUNCTIONS if returns_one_value_per_query_for_none(each)]


def test_stub_overloads_only_functions_with_average_none():
    assert OVERLOADED
    shown = Counter(
        node.name for node in ast.parse(PATH.read_text()).body if isinstance(node, ast.FunctionDef)
    )
    assert [each for each in shown if shown[each] == 2] == list(map(name, OVERLOADED))


def test_stub_is_up_to_date():
    assert PATH.read_text() == write_stub(), "run python -m tests.stub"


# ------------------------------------------------------------- literal types list the accepted values

DATA = {
    "y_true": [0, 1, 1, 1, 0, 0],
    "y_pred": [0, 1, 1, 1, 0, 0],
    "y_score": [3, 2, 1, 3, 2, 1],
    "X": [[1.0], [2.0], [3.0], [1.0], [2.0], [3.0]],
    "items": ["ann", "bob", "eve", "ann", "bob", "eve"],
    "groups": [1, 1, 1, 2, 2, 2],
    "k": 2,
    "popularity": {"ann": 0.5, "bob": 0.25, "eve": 0.125},
    "history": ([[1.0], [2.0]], [1, 2]),
    "metrics": ["precision@2"],
    "score_func": mean_absolute_error,
    "metric": "map",
    "library": "lightgbm",
    "n_items": 9,
    "y_score_a": [3, 1, 2, 3, 2, 1],
    "y_score_b": [3, 2, 1, 1, 2, 3],
    "p": 0.1,
}
OF_INTENTS = {"y_true": [[0, 1], [1, 0], [1, 1], [1, 0], [0, 0], [0, 1]]}
INTENTS = ("alpha_ndcg_score", "err_ia_score", "intent_aware_score", "nrbp_score", "subtopic_recall_score")
ONE_RELEVANT = {"y_true": [0, 1, 0, 1, 0, 0], "items": None}  # for sampled_score


def literal_values(hint):
    """Return the values of a literal type or of a union with literal types."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return (
        set().union(*map(literal_values, get_args(hint))) if get_origin(hint) in (Union, UnionType) else set()
    )


WITH_WORDS = [
    (function, parameter, literal_values(hint))
    for function in [*FUNCTIONS, as_eval_metric]
    for parameter, hint in get_type_hints(function).items()
    if literal_values(hint)
]
CANDIDATES = {"?"}.union(*(words for _, _, words in WITH_WORDS))


@pytest.mark.parametrize(
    ("function", "parameter", "words"), WITH_WORDS, ids=[f"{row[0].__name__}-{row[1]}" for row in WITH_WORDS]
)
def test_literal_types_list_exactly_the_accepted_words(function, parameter, words):
    parameters = signature(function).parameters.values()
    given_names = [each.name for each in parameters]
    given = {name: DATA[name] for name in given_names if name in DATA}
    if function.__name__.endswith("_scorer"):
        given.pop("groups")  # a name, not ids
        given |= {"items": "item"} if "items" in given else {}
    if function.__name__ == "sampled_score":
        given |= ONE_RELEVANT
    if function.__name__ == "ranking_scores":
        given = {name: each for name, each in given.items() if name not in Tables._fields}
    if function.__name__ in INTENTS:
        given |= OF_INTENTS
    if parameter == "weighted_by":
        given["average"] = "weighted"
    assert {word for word in CANDIDATES if accepts(function, given, parameter, word)} == words


def accepts(function, given, parameter, word):
    try:
        function(**{**given, parameter: word})
    except ValueError as error:
        assert str(error).startswith(f"The '{parameter}' parameter of {function.__name__} must ")
        return False
    return True
