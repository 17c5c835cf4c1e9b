"""Factories of scorers, made from the signatures of metric functions."""

import re
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any, ForwardRef

from .._checks.types import ResponseMethod
from ._scorers.factories import build_scorer
from ._table import METRICS, Formula, Metric

# Parameters of metric functions that hold rows: a scorer receives these in its calls.
DATA = ("y_true", "y_score", "groups", "strata", "sample_weight")


def add_parameter(name: str, annotation: str, default: Any = Parameter.empty) -> Parameter:
    """Return a keyword of factories."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


ORIGINS = (
    add_parameter("groups", "str | None", None),
    add_parameter("labels", "str | None", None),
    add_parameter("response_method", "ResponseMethod", "auto"),
)
DOC = """Make a scorer from :func:`{function}`.

{summary}

Parameters
----------
{parameters}

Returns
-------
{scorer}
    A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; {negated}higher is {better}.

Examples
--------
>>> from sklearn_rank import {name}
{example}
"""
# Parameters with a description of their own: their type, and the text.
DESCRIBED = {
    "k": ("int", "Cutoff >= 1{}."),
}
ALL_DOCUMENTS = "; None for all documents"
WHERE = {
    True: "Where query ids, and other labels than `y`, travel, and how the model answers: see\n"
    "    :class:`{}`.",
    False: "Where query ids travel in the data, and how the model answers: see :class:`{}`.",
}


def add_metric(
    stem: str,
    formula: Formula,
    function: Callable[..., Any],
    factory: Callable[..., Any] | None = None,
    **flags: Any,
) -> Metric:
    """Add a row to the table, with the factory of its scorers."""

    def build(**arguments: Any) -> Any:
        return build_scorer(METRICS[stem], **arguments)

    cutoff = "k" in signature(function).parameters
    prefix = "" if flags.get("greater_is_better", True) else "neg_"
    call = f"{prefix}{find_stem(function)}_scorer({'k=10' if cutoff else ''})"
    printed = f"RankingScorer(metrics='{prefix}{stem}{'@10' if cutoff else ''}')"
    factory = factory or make_factory(function, build, prefix, "RankingScorer", f">>> {call}\n{printed}")
    METRICS[stem] = Metric(stem, formula, function, factory, **flags)
    return METRICS[stem]


def find_stem(function: Callable[..., Any]) -> str:
    """Return the name of a metric function without its ending "_score"."""
    return function.__name__.removesuffix("_score")


def make_factory(
    function: Callable[..., Any], build: Callable[..., Any], prefix: str, scorer: str, example: str
) -> Callable[..., Any]:
    """Make the factory of a metric's scorers: with the options of its function, in their order."""
    own = [_keep_scores(each) for each in signature(function).parameters.values() if each.name not in DATA]
    takes = Signature([*own, *ORIGINS], return_annotation=f"_scorers.{scorer}")
    defaults = {each.name: each.default for each in takes.parameters.values()}
    name = f"{prefix}{find_stem(function)}_scorer"

    def factory(**given: Any) -> Any:
        for each in given.keys() - takes.parameters:
            raise TypeError(f"{name}() got an unexpected keyword argument {each!r}")
        arguments = {**defaults, **given}
        if missing := [repr(each) for each in takes.parameters if arguments.get(each) is Parameter.empty]:
            count = f"{len(missing)} required keyword-only argument{'s' * (len(missing) > 1)}"
            raise TypeError(f"{name}() missing {count}: {' and '.join(missing)}")
        return build(**arguments)

    factory.__name__ = factory.__qualname__ = name
    factory.__module__ = function.__module__
    factory.__doc__ = _describe(function, name, own, scorer, prefix, example)
    factory.__signature__ = takes  # type: ignore[attr-defined]
    # By the names of the file of the function, where `typing.get_type_hints` looks for them.
    factory.__wrapped__ = function  # type: ignore[attr-defined]
    factory.__annotations__ = {each.name: each.annotation for each in takes.parameters.values()}
    factory.__annotations__ |= {"response_method": ResponseMethod, "return": _refer(scorer)}
    return factory


def _refer(scorer: str) -> ForwardRef:
    """Refer to a class of scorers, which is imported with scikit-learn when it is needed."""
    return ForwardRef(f"_scorers.{scorer}", module=__package__)


def _keep_scores(parameter: Parameter) -> Parameter:
    """Take None out of what `average` may be, as a scorer returns one number."""
    annotation = str(parameter.annotation)
    if parameter.name == "average":
        annotation = annotation.removesuffix(" | None")
    return parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=annotation)


def _describe(
    function: Callable[..., Any],
    name: str,
    own: Sequence[Parameter],
    scorer: str,
    prefix: str,
    example: str,
) -> str:
    """Write the docstring of a factory."""
    words = cleandoc(function.__doc__ or "")
    summary, *_ = words.partition("\n")
    better = re.search(r"\b(?:higher|lower) is ([^.;,]+)", words[words.index("Returns\n") :])
    parameters = [_describe_parameter(each) for each in own if each.name in DESCRIBED]
    if others := [each.name for each in own if each.name not in DESCRIBED]:
        also = "; `average` may not be None" if "average" in others else ""
        parameters.append(f"{', '.join(others)}\n    As in :func:`{function.__name__}`{also}.")
    parameters.append(f"{', '.join(each.name for each in ORIGINS)}\n    {WHERE[True].format(scorer)}")
    return DOC.format(
        function=function.__name__,
        summary=summary,
        parameters="\n".join(parameters),
        scorer=scorer,
        negated="the negated value, so that\n    " if prefix else "",
        better=better[1] if better else "better",
        name=name,
        example=example,
    )


def _describe_parameter(parameter: Parameter) -> str:
    form, text = DESCRIBED[parameter.name]
    is_optional = parameter.default is not Parameter.empty
    default = f", default={parameter.default!r}" if is_optional else ""
    return f"{parameter.name} : {form}{default}\n    {text.format(ALL_DOCUMENTS if is_optional else '')}"
