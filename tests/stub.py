"""Write ``sklearn_rank/metrics/__init__.pyi``: ``python -m tests.stub`` in a checkout.

The file contains what type checkers and editors do not find in the code: overloads of metric functions, in
which ``average=None`` returns an array, and the factories of scorers, which are made at import.
A test compares the file with what this module writes.
"""

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator
from importlib.util import resolve_name
from inspect import Parameter
from pathlib import Path
from typing import Any

import sklearn_rank.metrics

MODULE = sklearn_rank.metrics
PATH = Path(MODULE.__file__).with_suffix(".pyi")
OF_ALL = ("PlainAverage", "RatioDenominator", "ResponseMethod")  # not imported by factories and curves
HEAD = '''"""Types of `sklearn_rank.metrics`, written by ``python -m tests.stub``."""'''


def write_stub() -> str:
    """Return the text of the stub."""
    written = {name: each for name, each in list_functions() if is_factory(each) or has_overloads(each)}
    late = {name: resolve_name(home, MODULE.__name__) for name, home in MODULE._HOMES.items()}
    of_functions = {name: each.__module__ for name, each in list_functions()}
    homes = {**of_functions, **find_imports(MODULE), **late}
    homes = {name: home for name, home in homes.items() if home.startswith(f"{MODULE.__name__}._")}
    others = {name: home for name, home in homes.items() if name not in written and hasattr(MODULE, name)}
    shown = {f"from {home} import {name} as {name}" for name, home in others.items()}
    functions = [line for each in written.values() for line in write_function(each)]
    types = {f"from {home} import {name}" for each in written.values() for name, home in find_types(each)}
    types -= {each.rpartition(" as ")[0] for each in shown}
    head = [HEAD, "from typing import overload", "import numpy as np", *sorted(types | shown)]
    public = [f"__all__ = {sorted(MODULE.__all__)!r}"]
    return "\n".join([*head, *public, *functions]) + "\n"


def list_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """List the public functions."""
    for name in sorted(MODULE.__all__):
        if inspect.isfunction(function := getattr(MODULE, name)):
            yield name, function


def is_factory(function: Callable[..., Any]) -> bool:
    """Return whether a function is a factory that was made of a metric function."""
    return function.__code__.co_name in ("factory", "curve")


def has_overloads(function: Callable[..., Any]) -> bool:
    """Return whether a function returns an array only for ``average=None``."""
    average = inspect.signature(function).parameters.get("average")
    return average is not None and average.annotation.endswith("| None") and len(split_returns(function)) == 2


def split_returns(function: Callable[..., Any]) -> list[str]:
    """Return the types that a function returns: for a mean, and for one value per query."""
    return str(inspect.signature(function).return_annotation).split(" | ")


def write_function(function: Callable[..., Any]) -> Iterator[str]:
    """Write the lines of one function."""
    parameters = inspect.signature(function).parameters
    if is_factory(function):
        yield from write_parameters(function, parameters.values(), returns_of_factory(function))
        yield textwrap.indent(f'"""{function.__doc__}"""', "    ")
        return
    one, each = split_returns(function)
    average = parameters["average"]
    mean = average.replace(annotation=average.annotation.removesuffix(" | None"))
    none = average.replace(annotation="None", default=Parameter.empty)
    for changed, returns in ((mean, one), (none, each)):
        yield "@overload"
        *lines, last = write_parameters(function, {**parameters, "average": changed}.values(), returns)
        yield from [*lines, f"{last} ..."]


def returns_of_factory(function: Callable[..., Any]) -> str:
    """Return the class of the scorers that a factory makes."""
    return str(inspect.signature(function).return_annotation)


def write_parameters(function: Callable[..., Any], parameters: Any, returns: str) -> Iterator[str]:
    """Write a signature with one line per parameter."""
    yield f"def {function.__name__}("
    kind = Parameter.POSITIONAL_OR_KEYWORD
    for each in parameters:
        if each.kind is Parameter.KEYWORD_ONLY is not kind:
            yield "    *,"
        kind = each.kind
        stars = "**" if each.kind is Parameter.VAR_KEYWORD else ""
        yield f"    {stars}{each.name}: {each.annotation}{spell_default(each.default)},"
    yield f") -> {returns}:"


def spell_default(default: Any) -> str:
    """Write a default value; NaN has no literal."""
    if default is Parameter.empty:
        return ""
    if default != default:
        return " = np.nan"
    return f' = "{default}"' if isinstance(default, str) else f" = {default!r}"


def find_types(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """List the names in the annotations of a function, and the modules that they are imported from."""
    signature = inspect.signature(function)
    annotations = [each.annotation for each in signature.parameters.values()]
    trees = map(ast.parse, [*annotations, signature.return_annotation])
    used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    file = inspect.getmodule(inspect.unwrap(function))
    homes = {**find_imports(file), **dict.fromkeys(OF_ALL, "sklearn_rank._checks.types")}
    for name in used - {*dir(builtins), *MODULE.__all__, "np"}:
        yield name, homes.get(name, file.__name__)


def find_imports(module: Any) -> dict[str, str]:
    """Return the module of each name that a file imports."""
    nodes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ImportFrom)]
    homes = {}
    for node in nodes:
        home = resolve_name("." * node.level + (node.module or ""), module.__spec__.parent)
        homes |= {alias.name: home for alias in node.names}
    return homes


if __name__ == "__main__":
    PATH.write_text(write_stub())
