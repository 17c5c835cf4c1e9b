"""What a model is made of, what its methods take, and what it requests."""

from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
)

GRIDS = ("param_grid", "param_distributions")  # parameters of searches: models in them are no parts


def find_models(container: Any) -> list[Any]:
    """List the models in a container: a model itself, values of a mapping, lists, arrays of objects."""
    if hasattr(container, "fit") and not isinstance(container, type):
        return [container]
    if isinstance(container, Mapping):
        container = list(container.values())
    if isinstance(container, np.ndarray) and container.dtype == object:
        container = container.ravel().tolist()
    if isinstance(container, list | tuple):
        return [model for value in container for model in find_models(value)]
    return []


def read_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of a model by name, not those of its parts; none without `get_params`."""
    parameters = model.get_params(deep=False) if callable(getattr(model, "get_params", None)) else {}
    return dict(parameters) if isinstance(parameters, Mapping) else {}


def list_parts(model: Any) -> list[Any]:
    """List the models among the parameters of a model, not those inside these."""
    return find_models([value for name, value in read_parameters(model).items() if name not in GRIDS])


def is_search(model: Any) -> bool:
    """Return whether a model is a search, which may replace parts of the model that it fits."""
    return any(hasattr(model, grid) for grid in GRIDS)


def list_candidates(search: Any) -> list[Any]:
    """List the models in the grid of a search, which it may put in the place of parts."""
    return find_models([getattr(search, grid, None) for grid in GRIDS])


def list_tuned(search: Any) -> set[Any]:
    """List the parameters in the grid of a search, as full names of parts; none for other models."""
    grids = [getattr(search, grid, None) for grid in GRIDS]
    several = [each for grid in grids for each in (grid if isinstance(grid, list | tuple) else [grid])]
    return {name for each in several if isinstance(each, Mapping) for name in each}


def takes(model: Any, method: str, name: str) -> bool:
    """Tell whether a method has a parameter of this name; for "**", whether it takes any name."""
    kind: Any = type(model)
    return name in parameters_of(kind, method)


@lru_cache(maxsize=4096)
def parameters_of(kind: Any, method: str) -> frozenset[str]:
    """Return the names of the parameters of a method, "**" among them if it takes any name."""
    try:
        parameters = signature(getattr(kind, method)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return frozenset()
    stars: dict[Any, str] = {Parameter.VAR_KEYWORD: "**", Parameter.VAR_POSITIONAL: "*"}
    return frozenset(stars.get(each.kind, each.name) for each in parameters)


def read_routing(model: Any) -> MetadataRouter | MetadataRequest | None:
    """Return what a model requests; None of one that refuses routing or knows nothing of it."""
    try:
        return get_routing_for_object(model) if hasattr(model, "get_metadata_routing") else None
    except Exception:  # besides refusals, errors of scikit-learn: RidgeCV with folds in 1.9, NMF in 1.6
        return None


def read_routing_through(model: Any) -> MetadataRouter | MetadataRequest | None:
    """Return what a model requests, even if a part of it refuses routing: then scikit-learn tells nothing.

    The model is asked with a plain regressor in the place of each such part.
    """
    routing = read_routing(model)
    if routing is not None:
        return routing
    trial, parameters = copy(model), read_parameters(model)
    refusing = [part for part in list_parts(model) if read_routing(part) is None]
    for name, value in parameters.items() if refusing else ():
        if name not in GRIDS and find_models(value):
            setattr(trial, name, replace_models(value, _replace_refusing))
    return read_routing(trial) if refusing else None


def _replace_refusing(part: Any) -> Any:
    return part if read_routing(part) is not None else DummyRegressor()


def replace_models(container: Any, change: Callable[[Any], Any]) -> Any:
    """Replace the models in a container: a list, a tuple or a mapping, of any class."""
    if hasattr(container, "fit") and not isinstance(container, type):
        return change(container)
    if isinstance(container, Mapping):
        replaced: Any = copy(container)
        for name, value in container.items():
            replaced[name] = replace_models(value, change)
        return replaced
    if isinstance(container, list | tuple):
        values = [replace_models(value, change) for value in container]
        return container._make(values) if hasattr(container, "_make") else type(container)(values)
    return container


def is_of_scikit_learn(model: Any) -> bool:
    """Tell whether a model is scikit-learn's own: none of these takes ids, but for its parts and folds."""
    return type(model).__module__.startswith("sklearn.")


def make_router(owner: Any, model: Any, method: str) -> MetadataRouter:
    """Make a router from a method of its owner to the same method of a model."""
    mapping = MethodMapping().add(caller=method, callee=method)
    return MetadataRouter(owner=owner).add(estimator=model, method_mapping=mapping)
