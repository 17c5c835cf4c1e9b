"""Checks of input, options and ids, and the text of errors."""

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import Parameter, currentframe, signature
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

# Subpackages and modules that users import by name.
SUBPACKAGES = (
    "clicks",
    "conventions",
    "datasets",
    "distributed",
    "inspection",
    "metrics",
    "model_selection",
    "preprocessing",
    "rankers",
    "reports",
)


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


def explain_parameters(method: Method) -> Method:
    """Make a method explain arguments that have another name or position in other libraries."""
    parameters = signature(method).parameters
    n_positional = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters.values())
    kinds = {each.kind for each in parameters.values()}
    passes_on = "groups" in parameters and Parameter.VAR_KEYWORD in kinds  # from a search to its model

    @wraps(method)
    def explained(*args: Any, **options: Any) -> Any:
        too_many = len(args) > n_positional and "groups" in parameters
        unknown = [] if passes_on else sorted(options.keys() - parameters.keys())
        if too_many or unknown:
            from .._hints.arguments import explain_positional, explain_unknown

            if too_many:
                raise TypeError(explain_positional(args[0], method.__name__, n_positional, len(args)))
            for name in unknown:
                if message := explain_unknown(args[0], method.__name__, name, parameters):
                    raise TypeError(message)
        return method(*args, **options)

    return explained  # type: ignore[return-value]
