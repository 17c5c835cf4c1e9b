"""Parts of a model, parameters of its methods, and its requests."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
)

from .._checks.types import Arguments, Estimator, Options, Table

OUTPUTS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")
METHODS = ("fit", "score", *OUTPUTS)
Ids = Arguments  # ids of the rows by the requested name, such as "groups"
NOT_REQUESTED = frozenset({"self", "X", "y", "*", "**"})  # parameters that are never requested
SEARCH: Any = GridSearchCV.__base__  # base class of scikit-learn's searches
GRIDS = ("param_grid", "param_distributions")  # parameters of searches: models in them are not parts


def find_models(container: Table) -> list[Estimator]:
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


def read_parameters(model: Estimator) -> Options:
    """Return the parameters of a model by name, not those of its parts; none without `get_params`."""
    kind: Any = type(model)
    if getattr(kind, "get_params", None) is BaseEstimator.get_params:  # it would read the signature again
        stored = read_stored(model)
        if stored.keys() == parameters_of(kind, "__init__") - {"self"}:
            return stored
    parameters = model.get_params(deep=False) if callable(getattr(model, "get_params", None)) else {}
    return dict(parameters) if isinstance(parameters, Mapping) else {}


def read_stored(model: Estimator) -> Options:
    """Return the parameters that a model stores as attributes, without calling `get_params`."""
    kind: Any = type(model)
    state = getattr(model, "__dict__", {})
    return {name: state[name] for name in sorted(parameters_of(kind, "__init__") & state.keys())}


def list_parts(model: Estimator) -> list[Estimator]:
    """List the models among the parameters of a model, not those inside these."""
    return find_models([value for name, value in read_parameters(model).items() if name not in GRIDS])


def list_candidates(search: Estimator) -> list[Estimator]:
    """List the models in the grid of a search, which can replace parts."""
    return find_models([read_parameters(search).get(grid) for grid in GRIDS])


def list_tuned(search: Estimator) -> set[Any]:
    """List the parameters in the grid of a search, as full names of parts; none for other models."""
    return {name for grid in _list_grids(search) for name in grid}


def place_candidates(search: Estimator) -> list[Estimator]:
    """List the model of a search with each candidate in its place, if that is possible."""
    placed = []
    for name, values in [pair for grid in _list_grids(search) for pair in grid.items()]:
        for candidate in values if isinstance(values, list | tuple | np.ndarray) else ():
            if find_models(candidate):
                with suppress(Exception):  # scikit-learn raises its own error for wrong names
                    placed.append(clone(search.estimator, safe=False).set_params(**{name: candidate}))
    return placed


def _list_grids(search: Estimator) -> list[Arguments]:
    grids = [read_parameters(search).get(grid) for grid in GRIDS]
    several = [each for grid in grids for each in (grid if isinstance(grid, list | tuple) else [grid])]
    return [each for each in several if isinstance(each, Mapping)]


def takes(model: Estimator, method: str, *names: str) -> bool:
    """Return whether a method has one of these parameters; "**" means that it takes any name."""
    kind: Any = type(model)
    return not parameters_of(kind, method).isdisjoint(names)


@lru_cache(maxsize=4096)
def parameters_of(kind: object, method: str) -> frozenset[str]:
    """Return the names of the parameters of a method, "**" among them if it takes any name."""
    try:
        parameters = signature(getattr(kind, method)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return frozenset()
    stars: dict[Any, str] = {Parameter.VAR_KEYWORD: "**", Parameter.VAR_POSITIONAL: "*"}
    return frozenset(stars.get(each.kind, each.name) for each in parameters)


def read_routing(model: Estimator) -> MetadataRouter | MetadataRequest | None:
    """Return the requests of a model; None if it does not support routing."""
    try:
        return get_routing_for_object(model) if hasattr(model, "get_metadata_routing") else None
    except Exception:  # missing support, or errors of scikit-learn: RidgeCV with folds in 1.9, NMF in 1.6
        return None


class StandIn:
    """A part that requests a unique name for each method, so that routing shows where each is passed."""

    def __init__(self, estimator: Estimator, mark: str):
        self.estimator = estimator
        self.mark = mark

    def __getattr__(self, name: str) -> Any:
        if name == "estimator":  # before scikit-learn 1.7 the owners of requests are copied in depth
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def get_metadata_routing(self) -> MetadataRequest:
        """Request the names."""
        requests = MetadataRequest(owner=self.mark)  # before scikit-learn 1.7 the owner is copied in depth
        for method in METHODS:
            getattr(requests, method).add_request(param=self.mark + method, alias=True)
        return requests


def read_router(model: Estimator, **changed: object) -> tuple[MetadataRouter | None, list[StandIn]]:
    """Return the router of a model with stand-ins for its parts, which might not support routing, and these.

    The router is None if the model has or supports none. `changed` are parameters to set before reading it.
    """
    trial, stand_ins = copy(model), list[StandIn]()
    for name in [name for name in getattr(trial, "__dict__", {}) if name.endswith("_")]:
        delattr(trial, name)  # fitted attributes, which routers would read before the parameters

    def replace(part: Estimator) -> StandIn:
        stand_ins.append(StandIn(part, f"{len(stand_ins)}_"))
        return stand_ins[-1]

    for name, value in {**read_parameters(model), **changed}.items():
        if name in changed or (find_models(value) and name not in GRIDS):
            setattr(trial, name, replace_models(value, replace))
    router = read_routing(trial)
    return router if isinstance(router, MetadataRouter) else None, stand_ins


def replace_models(container: Table, change: Callable[[Any], Any]) -> Estimator:
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


def is_pairwise(model: Estimator) -> bool:
    """Return whether X of a model is a square matrix with a row and a column for each document."""
    with suppress(Exception):  # models without scikit-learn's tags
        return bool(get_tags(model).input_tags.pairwise)
    return False


def is_of_scikit_learn(model: Estimator) -> bool:
    """Return whether a model is scikit-learn's own: such models take ids only for parts and folds."""
    return type(model).__module__.startswith("sklearn.")


def is_frozen(model: Estimator) -> bool:
    """Return whether a model is frozen, so that `fit` does not change it."""
    return type(model).__name__ == "FrozenEstimator" and is_of_scikit_learn(model)


def is_stack(model: Estimator) -> bool:
    """Return whether a model is a stack. Its last model is trained on predictions of the others."""
    is_one = all(hasattr(model, name) for name in ("estimators", "final_estimator", "cv"))
    return is_one and not isinstance(model.cv, str)


def inherits_fit_transform(model: Estimator) -> bool:
    """Return whether scikit-learn's mixin defines `fit_transform`: `fit`, then `transform` of `X` only."""
    return getattr(type(model), "fit_transform", None) is TransformerMixin.fit_transform


def is_search(model: Estimator) -> bool:
    """Return whether a model is a scikit-learn search, which can replace parts of its model."""
    return isinstance(model, SEARCH)


def is_known(kind: type, method: str | None = None) -> bool:
    """Return whether scikit-learn, this package or imbalanced-learn defines a class, or a method of it."""
    if method is not None:
        kind = next((base for base in kind.__mro__ if method in vars(base)), kind)
    return kind.__module__.partition(".")[0] in ("sklearn", "sklearn_rank", "imblearn")


def is_pipeline(model: Estimator, method: str) -> bool:
    """Return whether a method calls one step after the other, each with what the one before returns."""
    return isinstance(model, Pipeline) and is_known(type(model), method)


def find_called(model: Estimator, method: str) -> Estimator:
    """Return the model whose method is called: the best one of a search, and the one that is frozen."""
    while True:
        by_scorer = method == "score" and getattr(model, "scoring", None) is not None
        if is_search(model) and not by_scorer and is_known(type(model), method):
            inside = vars(model).get("best_estimator_")
        else:
            inside = model.estimator if is_frozen(model) else None
        if inside is None:
            return model
        model = inside


def reads_index(model: Estimator) -> bool:
    """Return whether a model of this package reads ids from the index, by the name in its `groups`."""
    return is_known(type(model)) and isinstance(getattr(model, "groups", None), str)


def make_router(owner: object, model: Estimator, method: str) -> MetadataRouter:
    """Make a router from a method of its owner to the same method of a model."""
    mapping = MethodMapping().add(caller=method, callee=method)
    return MetadataRouter(owner=owner).add(estimator=model, method_mapping=mapping)


# ------------------------------------------------------------------ ids that a model requests


def list_requested_ids(model: Estimator, method: str) -> dict[str, str]:
    """List the ids that a model itself requests for a method: parameter -> the name of the ids.

    Requests come before the signature. A request is one for ids if its parameter, or its name, is `groups`.
    """
    kind: Any = type(model)
    if hasattr(model, "_list_needed_ids"):  # a search or a `WithGroups`, whose parts request ids
        return dict(model._list_needed_ids(method))
    if is_of_scikit_learn(model) or not (
        parameters_of(kind, method) - NOT_REQUESTED or _declares(kind, method)
    ):
        return {}
    requests = getattr(getattr(read_routing(model), method, None), "requests", {})
    requested = {name: name if alias is True else alias for name, alias in requests.items() if alias}
    if requests.get("groups") is None and takes(model, method, "groups"):
        requested["groups"] = "groups"
    return {name: alias for name, alias in requested.items() if name == "groups" or alias == "groups"}


@lru_cache(maxsize=4096)
def _declares(kind: Any, method: str) -> bool:
    """Return whether a class declares requests. Python adds the class to the attribute's name."""
    return any(f"__metadata_request__{method}" in name for base in kind.__mro__ for name in vars(base))


def list_routed(model: Estimator, method: str, names: Iterable[str]) -> list[str]:
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


def ids_as_arguments(model: Estimator, method: str, ids: Ids) -> Options:
    """Return the ids that a method of a model takes itself, by the names of its parameters."""
    requested = list_requested_ids(model, method)
    return {name: ids[alias] for name, alias in requested.items() if ids.get(alias) is not None}
