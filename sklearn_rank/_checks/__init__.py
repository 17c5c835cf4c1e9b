"""Checks of input, options and ids, and the text of errors."""

import sys
from collections.abc import Callable, Mapping
from functools import update_wrapper
from importlib import import_module
from inspect import Parameter, currentframe, signature, unwrap
from types import FunctionType
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

# Subpackages that users import by name.
SUBPACKAGES = (
    "clicks",
    "datasets",
    "distributed",
    "inspection",
    "metrics",
    "model_selection",
    "preprocessing",
    "rankers",
    "reports",
)

# Imports of subpackages that files below them use, set by `sklearn_rank` itself.
FROM_ABOVE: dict[str, Callable[[], Any]] = {}


def find_missing(module: str, name: str, public: list[str], homes: Mapping[str, str] | None = None) -> Any:
    """Import a subpackage, or a name from its file in `homes`; for other names raise an error with a hint.

    For ``from sklearn_rank import name`` it is an ImportError, because Python drops the text of an
    AttributeError.
    """
    if homes is not None and name in homes:
        value = getattr(import_module(homes[name], module), name)
        setattr(sys.modules[module], name, value)
        return value
    if module == "sklearn_rank" and name in SUBPACKAGES:
        return import_module(f"{module}.{name}")
    if name.startswith("_"):  # it might be a file of the package, which Python imports after this error
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from .._hints.arguments import find_name

    hint = find_name(name, public, SUBPACKAGES)
    message = f"module {module!r} has no attribute {name!r}{hint}"
    frame = currentframe()
    importer = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
    importing = importer is not None and importer.f_code.co_name == "_handle_fromlist"  # of importlib
    raise ImportError(message, name=module) if hint and importing else AttributeError(message)


def share_globals(wrapper: Callable[..., Any], function: Any) -> Any:
    """Return a wrapper that looks like a function to doctest and `typing`, which read its globals.

    The code of the wrapper can use only its own variables and built-in functions.
    """
    return update_wrapper(
        FunctionType(wrapper.__code__, function.__globals__, closure=wrapper.__closure__), function
    )


class Default(float):
    """The default value of a parameter; an equal value that the user passes has another type."""

    def __repr__(self) -> str:
        return f"{float(self):g}"


def explain_parameters(function: Method) -> Method:
    """Make a function or method explain arguments that have another name or position in other libraries."""
    defaults = unwrap(function).__kwdefaults__ or {}
    defaults |= {name: Default(defaults[name]) for name in ("min_relevance",) if name in defaults}
    parameters = signature(function).parameters
    kinds = {each.kind for each in parameters.values()}
    n_positional = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters.values())
    is_explained = not parameters.keys().isdisjoint(("groups", "reports"))
    most = n_positional if is_explained and Parameter.VAR_POSITIONAL not in kinds else sys.maxsize
    passes_on = "groups" in parameters and Parameter.VAR_KEYWORD in kinds  # from a search to its model
    names = parameters.keys()

    def explain(args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        from .._hints.arguments import explain_positional, explain_unknown

        called, model = function.__name__, args[0] if "self" in names and args else None
        if model is not None:
            called = type(model).__name__ + f".{called}" * (called != "__init__")
        if len(args) > most:
            raise TypeError(explain_positional(called, len(args), parameters, options))
        for name in sorted(options.keys() - names):
            if message := explain_unknown(called, name, parameters, model):
                raise TypeError(message)

    def explained(*args: object, **options: object) -> Any:
        if len(args) > most or not (passes_on or options.keys() <= names):
            explain(args, options)
        return function(*args, **options)

    return share_globals(explained, function)
