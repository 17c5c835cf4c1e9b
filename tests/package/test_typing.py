"""The package is typed for its users; mypy itself runs in CI."""

from inspect import Parameter, isfunction, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Required, Union, get_args, get_origin, get_overloads, get_type_hints

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

import sklearn_rank
import sklearn_rank.metrics
from sklearn_rank.metrics import Tables
from sklearn_rank.rankers import as_eval_metric
from tests import typed_usage

PUBLIC = [getattr(sklearn_rank.metrics, name) for name in sklearn_rank.metrics.__all__]
FUNCTIONS = [each for each in PUBLIC if isfunction(each) and each.__name__ != "get_scorer"]


def name(function):
    return function.__name__


def test_what_type_checkers_read_also_runs():
    typed_usage.main()


def test_the_package_is_marked_as_typed():
    assert (Path(sklearn_rank.__file__).parent / "py.typed").is_file()  # of the wheel, where that is tested


# ------------------------------------------------------------- overloads: a float is a float


def may_be_none(hint):
    return NoneType in get_args(hint)


def returns_one_value_per_query_for_none(function):
    hints = get_type_hints(function)
    return may_be_none(hints.get("average")) and "curve" not in function.__name__


OVERLOADED = [each for each in FUNCTIONS if returns_one_value_per_query_for_none(each)]
VALUES = {"ranking_scores": (dict[str, float], dict[str, np.ndarray])}


def test_only_functions_with_an_average_of_none_have_overloads():
    assert OVERLOADED
    assert [each for each in FUNCTIONS if get_overloads(each)] == OVERLOADED


@pytest.mark.parametrize("function", OVERLOADED, ids=name)
def test_the_overload_that_editors_show_is_the_signature(function):
    shown = get_overloads(function)[0]
    own, hints = get_type_hints(function), get_type_hints(shown)
    assert hints.pop("average") | None == own.pop("average")
    assert hints.pop("return") | get_type_hints(get_overloads(function)[1])["return"] == own.pop("return")
    assert hints == own
    one, other = signature(shown).parameters, signature(function).parameters
    assert [strip(each) for each in one.values()] == [strip(each) for each in other.values()]


def strip(parameter):
    """Take away what is compared beside, and NaN, which is not equal to itself."""
    default = repr(parameter.default) if parameter.default != parameter.default else parameter.default
    return parameter.replace(annotation=Parameter.empty, default=default)


@pytest.mark.parametrize("function", OVERLOADED, ids=name)
def test_the_overload_of_none_takes_what_the_function_takes(function):
    of_none = get_overloads(function)[1]
    hints, own = get_type_hints(of_none), get_type_hints(function)
    own_parameters = signature(function).parameters
    required = {each.name for each in own_parameters.values() if each.default is Parameter.empty}
    if "options" in hints:
        [options] = get_args(hints.pop("options"))
        keys = get_type_hints(options, include_extras=True)
        named = {key for key, hint in keys.items() if get_origin(hint) is Required}
        rows = [each.name for each in own_parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        assert list(signature(of_none).parameters)[: len(rows)] == rows
        assert required - set(rows) == named
        hints |= get_type_hints(options)
    assert hints.pop("average") is NoneType
    own.pop("average")
    of_one, of_each = VALUES.get(function.__name__, (float, np.ndarray))
    assert (hints.pop("return"), own.pop("return")) == (of_each, of_one | of_each)
    assert hints == own


# ------------------------------------------------------------- the words of a type are those that are taken

DATA = {
    "y_true": [0, 1, 1, 1, 0, 0],
    "y_pred": [0, 1, 1, 1, 0, 0],
    "y_score": [3, 2, 1, 3, 2, 1],
    "X": [[1.0], [2.0], [3.0], [1.0], [2.0], [3.0]],
    "item_ids": ["ann", "bob", "eve", "ann", "bob", "eve"],
    "groups": [1, 1, 1, 2, 2, 2],
    "k": 2,
    "items": "item",
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
    "owners": ["ann", "bob", "bob", "ann", "bob", "bob"],
    "target": "candidates",
}
OF_INTENTS = {"y_true": [[0, 1], [1, 0], [1, 1], [1, 0], [0, 0], [0, 1]]}
OF_OWNERS = {"metrics": ["awrf@2"], "owners": DATA["owners"]}
INTENTS = ("alpha_ndcg_score", "err_ia_score", "intent_aware_score", "nrbp_score", "subtopic_recall_score")
ONE_RELEVANT = {"y_true": [0, 1, 0, 1, 0, 0], "items": None}  # of sampled_score


def words_of(hint):
    """Return the words of a type or of the members of a union."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*map(words_of, get_args(hint))) if get_origin(hint) in (Union, UnionType) else set()


WITH_WORDS = [
    (function, parameter, words_of(hint))
    for function in [*FUNCTIONS, as_eval_metric]
    for parameter, hint in get_type_hints(function).items()
    if words_of(hint)
]
CANDIDATES = {"?"}.union(*(words for _, _, words in WITH_WORDS))


@pytest.mark.parametrize(
    ("function", "parameter", "words"), WITH_WORDS, ids=[f"{row[0].__name__}-{row[1]}" for row in WITH_WORDS]
)
def test_words_of_a_type_are_those_that_are_taken(function, parameter, words):
    parameters = signature(function).parameters.values()
    given_names = [each.name for each in parameters]
    given = {name: DATA[name] for name in given_names if name in DATA}
    if function.__name__.endswith("_scorer"):
        given.pop("groups")  # a name, not ids
        given.pop("owners", None)  # likewise
    if function.__name__ == "sampled_score":
        given |= ONE_RELEVANT
    if function.__name__ == "ranking_scores":
        given = {name: each for name, each in given.items() if name not in Tables._fields}
        given |= OF_OWNERS if parameter == "target" else {}
    if "browsing" in given_names:
        given.pop("p")  # of some of its words alone
    if function.__name__ in INTENTS:
        given |= OF_INTENTS
    if parameter == "weighted_by":
        given["average"] = "weighted"
    assert {word for word in CANDIDATES if takes(function, given, parameter, word)} == words


def takes(function, given, parameter, word):
    try:
        function(**{**given, parameter: word})
    except ValueError as error:
        assert str(error).startswith(f"The '{parameter}' parameter of {function.__name__} must ")
        return False
    return True
