"""Checks of the parameters of `fit`, before training."""

from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.errors import fail, name_call
from ..._checks.types import Arguments, Options
from ..._rows.inner_models import read_requests, takes
from ..._rows.needs import Needs
from .read_columns import CallColumns


def select_params(needs: Needs, params: Arguments, table: CallColumns, is_search: bool) -> Options:
    """Return the parameters for `fit`. Columns other than ids and labels can go to it too.

    With the user's routing, requests decide, and scikit-learn raises its errors.
    """
    params = {name: each for name, each in params.items() if name not in ("groups", *table.ids)}
    if not params:
        return {}
    if get_config()["enable_metadata_routing"]:
        model = needs.model
        routing = get_routing_for_object(model) if hasattr(model, "get_metadata_routing") else None
        both = routing.consumes("fit", [*params]) if routing is not None else []
        return {name: value for name, value in params.items() if name not in table.columns or name in both}
    taken = [name for name in params if _takes_in_fit(needs, name)]
    for name in params:
        if not (is_search or name in taken or name in table.columns):
            _reject_param(needs, name)
    return {name: value for name, value in params.items() if name in taken or name not in table.columns}


def _takes_in_fit(needs: Needs, name: str) -> bool:
    """Return whether scikit-learn, with routing disabled, passes a parameter of `fit` on."""
    model: Any = needs.model
    if hasattr(model, "named_steps"):
        name, _, rest = name.partition("__")
        step = model.named_steps.get(name)
        if rest:
            return any(part.model is step and _takes_in_fit(part, rest) for part in needs.parts)
        models = _list_models(needs)  # with `transform_input`, a pipeline always routes
        routes = any(getattr(each, "transform_input", None) for each in models)
        return routes and any(read_requests(each, "fit").get(name) is True for each in models)
    if takes(model, "fit", name):
        return True
    is_passed = not needs.parts or any(_takes_in_fit(part, name) for part in needs.parts)
    return is_passed and takes(model, "fit", "**")


def _list_models(needs: Needs) -> list[Any]:
    """List a model, its parts, and those inside them."""
    return [needs.model, *(model for part in needs.parts for model in _list_models(part))]


def _reject_param(needs: Needs, name: str) -> None:
    """Raise an error for a parameter that no part takes, and suggest the intended one."""
    from ..._hints.arguments import OTHER_NAMES_OF_GROUPS, WITH_MISSED

    last = name.rpartition("__")[2]
    rule = f"contain only parameters that {type(needs.model).__name__} or a scorer takes"
    if last in OTHER_NAMES_OF_GROUPS:
        fix = f"Pass {OTHER_NAMES_OF_GROUPS[last]}."
    elif last == "missed":
        fix = f"Pass the labels to the scorer: scoring={WITH_MISSED}."
    elif last == "times":
        fix = "Only splitters by time, such as cv=TimeCut(), take times."
    else:
        paths = [f"{step}__{name}" for step in reversed(getattr(needs.model, "named_steps", {}))]
        path = next((each for each in paths if _takes_in_fit(needs, each)), "")
        by_name = name_call("params").endswith(".fit")
        given = f"fit(..., {path}=...)." if by_name else f"params={{{path!r}: ...}}."
        fix = f"Pass it to the step that takes it: {given}" if path else ""
    fail("params", rule, repr(name), fix)
