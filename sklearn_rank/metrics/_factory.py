"""Rows of the table, with factories of scorers and docstrings made from those of metric functions."""

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any, ForwardRef, NamedTuple

from .._checks.errors import fail, is_int
from .._checks.types import Arguments, Function, Options, ResponseMethod
from ._intents.intent_rows import IntentRows, check_intent_options, check_weights_of_all
from ._lists.list_rows import PASS_PAIR, ListRows, check_list_options, check_popularity, is_pair
from ._scorers.factories import build_function_scorer, build_scorer, check_direction
from ._table import ARGUMENTS, METRICS, Metric

# Parameters of metric functions that contain rows. Scorers receive them when they are called.
ROWS = ("X", "y_true", "y_score", "groups", "strata", "items", "sample_weight")

DOC = """Make a scorer from :func:`{function}`.

{summary}

Parameters
----------
{parameters}

Returns
-------
RankingScorer
    A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; {negated}higher {better}.

Examples
--------
>>> from sklearn_rank.metrics import {name}
>>> {call}
{printed}
"""
ALL_DOCUMENTS = " If `None`, all documents are considered."
# The types and descriptions of parameters that differ from those of the function.
DESCRIBED = {
    "k": ("int", "Number of top-ranked documents to consider, at least 1.{}"),
    "items": ("str", "Name of an index level of X or y, or of a column of X, that contains the item ids."),
    "columns": (
        "list",
        "Columns of X that are features of the item: names, or indices for an array. If `None`, all columns.",
    ),
    "history": (
        "tuple (features, ids)",
        "Past items of the users: their features, of shape (n_past_rows, n_features), and the query id of\n"
        "    each row.",
    ),
    "intents": (
        "str or list of str",
        'Name under which labels of intents are passed, ``params={{"intents": labels}}``, or columns of X\n'
        "    that contain them. The model does not use these columns.",
    ),
    "intent_weight": (
        "array-like of shape (n_intents,)",
        "Weight of each intent, on any scale. If `None`, all intents have the same weight.",
    ),
    "strata": (
        "str",
        'Name under which the stratum of each row is passed, ``params={{"strata": strata}}``, or name of a\n'
        "    column of X or of an index level. If `None`, all rows are in one stratum.",
    ),
}
FROM_LABELS = (
    "Names of the query ids and of labels other than `y`, the method of the model that is called, and the\n"
    "    relevant class: see :class:`RankingScorer`."
)
FROM_DATA = (
    "Name of the query ids in the data, the method of the model that is called, and the relevant class: see\n"
    "    :class:`RankingScorer`."
)


def add_parameter(name: str, annotation: str, default: object = Parameter.empty) -> Parameter:
    """Return a keyword-only parameter of a factory."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


GROUPS = add_parameter("groups", "str | None", None)
LABELS = add_parameter("labels", "str | None", None)
RESPONSE = (
    add_parameter("response_method", "ResponseMethod", "auto"),
    add_parameter("pos_label", "object", None),
)


class Inputs(NamedTuple):
    """The inputs of a kind of metrics, and the parameters of their factories."""

    # Parameters that replace those of the function.
    replaced: Mapping[str, Parameter] = {}
    last: tuple[Parameter, ...] = (GROUPS, *RESPONSE)
    # Arguments of the example in the docstring.
    example: Mapping[str, Any] = {}
    # Inputs that metrics can have in addition to labels, scores and query ids, and fields of their rows.
    needs: tuple[str, ...] = ()
    row: Mapping[str, Any] = {}
    # A check of the options of a scorer, in addition to the checks of the function.
    check: Callable[[Options], Any] = lambda options: None


def _check_list(options: Options) -> None:
    """Check the cutoff and the inputs of a scorer of lists."""
    if options["k"] is None:
        fail("k", "be an int >= 1", None)
    if "history" in options and not is_pair(options["history"]):
        fail(
            "history",
            "be a tuple (features, ids) in a scorer",
            f"a {type(options['history']).__name__}",
            PASS_PAIR,
        )
    if "popularity" in options:
        check_popularity(options["popularity"])
    if is_int(options.get("catalog")) and options["catalog"] < 1:
        fail("catalog", "be an int >= 1, item ids or None", options["catalog"])


def _check_intents(options: Options) -> None:
    """Check the metric and the weights of a scorer of intents."""
    if isinstance(options.get("metric"), str):
        check_direction(options["metric"], "metric")
    if options.get("intent_weight") is not None:
        check_weights_of_all(options["intent_weight"])


RANKING = Inputs(last=(GROUPS, LABELS, *RESPONSE), example={"k": 10})
LISTS = Inputs(
    {
        "items": add_parameter("items", "str"),
        "X": add_parameter("columns", "ArrayLike | None", None),
        "history": add_parameter("history", "tuple[Any, ArrayLike]"),
        "k": add_parameter("k", "int"),
    },
    example={
        "items": "item",
        "columns": ["genre", "year"],
        "k": 10,
        "popularity": {"a": 0.5},
        "history": ([[1, 0], [0, 1]], ["ann", "bob"]),
    },
    needs=("items", "features", "popularity", "history", "labels"),
    row={"reader": ListRows, "check": check_list_options},
    check=_check_list,
)
INTENTS = Inputs(
    {"y_true": add_parameter("intents", "str | list[str]", "intents")},
    example={"metric": "ndcg@10", "k": 10},
    needs=("intents",),
    row={"reader": IntentRows, "check": check_intent_options},
    check=_check_intents,
)


def add_metric(
    formula: Function,
    function: Function,
    inputs: Inputs = RANKING,
    build: Function | None = None,
    **flags: object,
) -> Metric:
    """Add a metric to the table under the stem of its function's name, with the factory of its scorers."""
    stem = re.sub("_at_k|_score$", "", function.__name__)
    greater_is_better = not function.__name__.endswith("_loss")
    takes = signature(function).parameters
    row = {**inputs.row, "needs": tuple(need for need in inputs.needs if ARGUMENTS[need] in takes), **flags}

    def build_row(**given: object) -> Any:
        if not inputs.row:
            return (build or build_scorer)(metric, **given)
        return build_function_scorer(function, check, greater_is_better, **given)

    def check(options: Options) -> None:
        inputs.check(options)
        metric.checked(options)

    prefix = "" if greater_is_better else "neg_"
    factory = make_factory(function, build_row, prefix, inputs, "" if inputs.row else stem)
    metric = METRICS[stem] = Metric(
        stem, formula, function, factory, greater_is_better=greater_is_better, **row
    )
    return metric


def make_factory(
    function: Function, build: Function, prefix: str, inputs: Inputs, stem: str = ""
) -> Function:
    """Make the factory of a metric's scorers from the signature of its function."""
    own = []
    for each in signature(function).parameters.values():
        if each.name == "average":  # None is not allowed: a scorer returns one number
            each = each.replace(annotation=each.annotation.removesuffix(" | None"))
        if each.name not in ROWS or each.name in inputs.replaced:
            own.append(inputs.replaced.get(each.name) or each)
    own.sort(key=lambda each: each.name != "k" and bool(inputs.replaced))
    takes = {each.name: each for each in (*own, *inputs.last)}
    name = f"{prefix}{function.__name__.removesuffix('_score')}_scorer"

    def factory(*positional: object, **given: object) -> Any:
        _called_as = name
        return build(**read_arguments(name, takes, positional, given))

    factory.__name__ = factory.__qualname__ = name
    factory.__module__ = "sklearn_rank.metrics"
    factory.__doc__ = _describe(function, name, own, inputs, prefix, stem)
    in_order = sorted(takes.values(), key=lambda each: each.default is not Parameter.empty)
    factory.__signature__ = Signature(in_order, return_annotation="RankingScorer")  # type: ignore[attr-defined]
    # `typing.get_type_hints` looks up names where the function does.
    factory.__wrapped__ = function  # type: ignore[attr-defined]
    factory.__annotations__ = {each.name: each.annotation for each in takes.values()}
    factory.__annotations__ |= {
        "response_method": ResponseMethod,
        "return": ForwardRef("metrics.RankingScorer", module="sklearn_rank"),
    }
    return factory


def read_arguments(
    name: str, takes: Mapping[str, Parameter], positional: tuple[Any, ...], given: Arguments
) -> Options:
    """Bind the arguments of a call to parameters; raise the errors that Python raises for wrong arguments."""
    try:
        bound = Signature(list(takes.values())).bind(*positional, **given)
    except TypeError as error:
        from .._hints.arguments import explain_positional, explain_unknown

        unknown = sorted(given.keys() - takes.keys())
        explained = explain_unknown(name, unknown[0], takes) if unknown else f"{name}() {error}"
        if "too many positional" in str(error):
            explained = explain_positional(name, len(positional), takes, given)
        raise TypeError(explained) from None
    bound.apply_defaults()
    return bound.arguments


def _describe(
    function: Function, name: str, own: list[Parameter], inputs: Inputs, prefix: str, stem: str
) -> str:
    """Write the docstring of a factory."""
    if not function.__doc__:  # pragma: no cover - python -OO removes it, in a process of its own
        return ""
    text = cleandoc(function.__doc__)
    better = re.search(r"\b(?:higher|lower) ((?:is|means) [^.;:,]+)", text[text.index("Returns\n") :])
    parameters = [_describe_parameter(each) for each in own if each.name in DESCRIBED]
    others = [each.name for each in own if each.name not in DESCRIBED]
    also = "; `average` must not be None" if "average" in others else ""
    parameters.append(f"{', '.join(others)}\n    As in :func:`{function.__name__}`{also}.")
    where = FROM_LABELS if LABELS in inputs.last else FROM_DATA
    parameters.append(f"{', '.join(each.name for each in inputs.last)}\n    {where}")
    names = {each.name for each in own}
    example = {key: value for key, value in inputs.example.items() if key in names}
    call = f"{name}({', '.join(f'{key}={value!r}' for key, value in example.items())})"
    return DOC.format(
        function=function.__name__,
        summary=re.sub("^Compute ", "The scorer computes ", text.partition("\n")[0]).replace(
            " and average it ", " and averages it "
        ),
        parameters="\n".join(parameters),
        negated="the negated value, so that\n    " if prefix else "",
        better=better[1] if better else "is better",
        name=name,
        call=call,
        printed=f"RankingScorer(metrics='{prefix}{stem}{'@10' * bool(example)}')" if stem else call,
    )


def _describe_parameter(parameter: Parameter) -> str:
    """Write the entry of a parameter that is described differently than in the function."""
    form, text = DESCRIBED[parameter.name]
    is_required = parameter.default is Parameter.empty
    value = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
    default = "" if is_required else f", default={value}"
    return f"{parameter.name} : {form}{default}\n    {text.format('' if is_required else ALL_DOCUMENTS)}"


def complete_docstrings(functions: Iterable[Any]) -> None:
    """Replace references by the entries of the functions before, in the order of the signature."""
    known: dict[str, dict[str, str]] = {}
    for function in functions:
        if not function.__doc__:  # pragma: no cover - python -OO removes it, in a process of its own
            return
        start, title, rest = cleandoc(function.__doc__).partition("Parameters\n----------\n")
        described, _, end = rest.partition("\n\n")
        entries = known[function.__name__] = {}
        for entry in re.split(r"\n(?=\S)", described):
            found = re.search(r"\n    As in :func:`(\w+)`\.$", entry)
            for name in re.split(" : |\n", entry)[0].split(", "):
                entries[name] = known.get(found[1], {}).get(name, f"{name}{found[0]}") if found else entry
        in_order = "\n".join(dict.fromkeys(entries[name] for name in signature(function).parameters))
        function.__doc__ = f"{start}{title}{in_order}\n\n{end}"
