"""Checks of the parameters of `fit`, before training."""

from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.errors import fail, name_call
from ..._checks.types import Arguments, Estimator, Options
from ..._rows.inner_models import list_parts, read_requests, takes
from .read_columns import CallColumns


def select_params(model: Estimator, params: Arguments, table: CallColumns, is_search: bool) -> Options:
    """Return the parameters for `fit`. Columns other than ids and labels can go to it too.

    With the user's routing, requests decide, and scikit-learn raises its errors.
    """
    params = {name: each for name, each in params.items() if name not in ("groups", *table.ids)}
    if not params:
        return {}
    if get_config()["enable_metadata_routing"]:
        routing = get_routing_for_object(model) if hasattr(model, "get_metadata_routing") else None
        both = routing.consumes("fit", [*params]) if routing is not None else []
        return {name: value for name, value in params.items() if name not in table.columns or name in both}
    taken = [name for name in params if takes_in_fit(model, name)]
    for name in params:
        if not (is_search or name in taken or name in table.columns):
            _reject_param(model, name)
    return {name: value for name, value in params.items() if name in taken or name not in table.columns}


def takes_in_fit(model: Estimator, name: str) -> bool:
    """Return whether scikit-learn, with routing disabled, passes a parameter of `fit` on."""
    step, _, rest = name.partition("__")
    if hasattr(model, "named_steps"):
        return takes_in_fit(model.named_steps.get(step), rest) if rest else _transforms(model, name)
    if takes(model, "fit", name):
        return True
    parts = list_parts(model)
    return takes(model, "fit", "**") and (not parts or any(takes_in_fit(part, name) for part in parts))


def _transforms(pipeline: Estimator, name: str) -> bool:
    """Return whether a pipeline has `transform_input`, so that it always routes, and a step takes `name`."""
    inside = _list_inside(pipeline)
    routes = any(getattr(model, "transform_input", None) for model in inside)
    return routes and any(read_requests(model, "fit").get(name) is True for model in inside)


def _list_inside(model: Estimator) -> list[Estimator]:
    """List a model, its parts, and those inside them."""
    return [model, *(inner for part in list_parts(model) for inner in _list_inside(part))]


def _reject_param(model: Estimator, name: str) -> None:
    """Raise an error for a parameter that no part takes, and suggest the intended one."""
    from ..._hints.arguments import OTHER_NAMES_OF_GROUPS, WITH_MISSED

    last = name.rpartition("__")[2]
    rule = f"contain only parameters that {type(model).__name__} or a scorer takes"
    fix = ""
    if last in OTHER_NAMES_OF_GROUPS:
        fix = f"Pass {OTHER_NAMES_OF_GROUPS[last]}."
    elif last == "missed":
        fix = f"Pass the labels to the scorer: scoring={WITH_MISSED}."
    elif last == "times":
        fix = "Only splitters by time, such as cv=TimeCut(), take times."
    elif path := _find_step(model, name):
        by_name = name_call("params").endswith(".fit")
        fix = "Pass it to the step that takes it: "
        fix += f"fit(..., {path}=...)." if by_name else f"params={{{path!r}: ...}}."
    fail("params", rule, repr(name), fix)


def _find_step(model: Any, name: str) -> str:
    """Return a parameter with the name of the last step of a pipeline that takes it, or ""."""
    for step, part in reversed(getattr(model, "named_steps", {}).items()):
        if part is not None and takes_in_fit(part, name):
            return f"{step}__{name}"
    return ""
