"""The query ids that a model requests for each of its methods."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sklearn.exceptions import UnsetMetadataPassedError

from .parts import is_of_scikit_learn, make_router, parameters_of, read_routing, takes

Ids = Mapping[str, Any]  # ids of the rows by the name under which they are asked for, "groups" among them

PLAIN_PARAMETERS = frozenset({"self", "X", "y", "*", "**"})  # never requested


def list_requested_ids(model: Any, method: str) -> dict[str, str]:
    """List the ids that a model itself requests for a method: parameter -> the name of the ids.

    Requests come before the signature. A request is one for ids if its parameter, or its name, is `groups`.
    """
    kind: Any = type(model)
    if hasattr(model, "_list_asked_ids"):  # a search or a `WithGroups`, whose parts ask
        return dict(model._list_asked_ids(method))
    if is_of_scikit_learn(model) or not (
        parameters_of(kind, method) - PLAIN_PARAMETERS or _declares(kind, method)
    ):
        return {}
    requests = getattr(getattr(read_routing(model), method, None), "requests", {})
    asked = {name: name if alias is True else alias for name, alias in requests.items() if alias}
    if requests.get("groups") is None and takes(model, method, "groups"):
        asked["groups"] = "groups"
    return {name: alias for name, alias in asked.items() if name == "groups" or alias == "groups"}


@lru_cache(maxsize=4096)
def _declares(kind: Any, method: str) -> bool:
    """Return whether a class declares requests. Python adds the class to the attribute's name."""
    return any(f"__metadata_request__{method}" in name for base in kind.__mro__ for name in vars(base))


def list_routed(model: Any, method: str, names: Iterable[str]) -> list[str]:
    """List the names of the ids that a method of a model routes; call with routing enabled."""
    router = make_router(type(model).__name__, model, method)
    routed = []
    for name in names:
        try:
            if router.route_params(caller=method, params={name: True}).estimator[method]:
                routed.append(name)
        except UnsetMetadataPassedError:  # scikit-learn raises it again when ids are passed
            routed.append(name)
    return routed


def ids_as_arguments(model: Any, method: str, ids: Ids) -> dict[str, Any]:
    """Return the ids that a method of a model takes itself, by the names of its parameters."""
    asked = list_requested_ids(model, method)
    return {name: ids[alias] for name, alias in asked.items() if ids.get(alias) is not None}
