"""Models inside a model, and the parameters of its methods."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from functools import lru_cache, partial
from inspect import Parameter, signature
from operator import is_
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, get_routing_for_object

from .._checks.types import Estimator, Options

OUTPUTS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")
METHODS = ("fit", "score", *OUTPUTS)
SEARCH: Any = GridSearchCV.__base__  # base class of scikit-learn's searches
PLAIN = (type(None), bool, int, float, str)  # types of values that contain no models
GRIDS = ("param_grid", "param_distributions")  # parameters of searches: models in them are not parts


class Wrapper:
    """An object that replaces a user's model, splitter or scorer while a model is fitted."""

    inner = ""  # the attribute that contains the user's object

    @property
    def wrapped(self) -> Any:
        """The user's object."""
        return getattr(self, self.inner)

    def __repr__(self) -> str:
        return repr(getattr(self, self.inner))


def replace_models(value: Any, change: Callable[[Any], Any], in_objects: bool = True) -> Any:
    """Return a value in which each model or wrapper is changed; the same object if there is no change.

    Search mappings, lists, tuples, arrays of objects, and objects of scikit-learn that are not models, but
    not objects inside these.
    """
    if isinstance(value, type | MetadataRequest | MetadataRouter):
        return value
    if isinstance(value, Wrapper) or callable(getattr(value, "fit", None)):
        return change(value)
    is_array = isinstance(value, np.ndarray) and value.dtype == object and value.ndim > 0
    if isinstance(value, list | tuple) or is_array:
        new = [
            each if isinstance(each, PLAIN) else replace_models(each, change, in_objects) for each in value
        ]
        if all(map(is_, new, value)):
            return value
        if is_array:
            array = value.copy()
            array[:] = new
            return array
        return value._make(new) if hasattr(value, "_make") else type(value)(new)
    is_mapping = isinstance(value, Mapping)
    is_object = in_objects and type(value).__module__.startswith("sklearn.") and hasattr(value, "__dict__")
    if not (is_mapping or is_object):
        return value
    entries = dict(value) if is_mapping else vars(value)
    searched = in_objects and is_mapping
    pairs = [(key, old, replace_models(old, change, searched)) for key, old in entries.items()]
    if changed := {key: new for key, old, new in pairs if new is not old}:
        value = copy(value)
        for key, each in changed.items():
            (value if is_mapping else vars(value))[key] = each
    return value


def find_models(value: Any) -> list[Estimator]:
    """List the models in a value, in the order in which `replace_models` changes them."""
    found: list[Estimator] = []

    def keep(model: Estimator) -> Estimator:
        found.append(model)
        return model

    with suppress(RecursionError):  # of a list that contains itself
        replace_models(value, keep)
    return found


def read_parameters(model: Estimator) -> Options:
    """Return the parameters of a model by name, not those of its parts; none without `get_params`."""
    kind: Any = type(model)
    if (names := _list_parameters(kind)) is not None:
        return dict(zip(names, map(partial(getattr, model), names)))
    parameters = model.get_params(deep=False) if callable(getattr(model, "get_params", None)) else {}
    return dict(parameters) if isinstance(parameters, Mapping) else {}


@lru_cache(maxsize=4096)
def _list_parameters(kind: Any) -> list[str] | None:
    """List what `get_params` of scikit-learn's models returns, without inspecting a signature each time."""
    is_theirs = kind.__module__.startswith("sklearn.")
    return sorted(parameters_of(kind, "__init__") - {"self", "*", "**"}) if is_theirs else None


def strip_parts(names: Iterable[Any]) -> set[str]:
    """Return names of parameters without the prefix of their parts."""
    return {name.rpartition("__")[2] for name in names if isinstance(name, str)}


def takes(model: Estimator, method: str, *names: str) -> bool:
    """Return whether a method has one of these parameters; "**" means that it takes any name."""
    kind: Any = type(model)
    return not parameters_of(kind, method).isdisjoint(names)


@lru_cache(maxsize=4096)
def parameters_of(kind: Any, method: str) -> frozenset[str]:
    """Return the names of the parameters of a method, "**" among them if it takes any name."""
    try:
        parameters = signature(getattr(kind, method)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return frozenset()
    stars: dict[Any, str] = {Parameter.VAR_KEYWORD: "**", Parameter.VAR_POSITIONAL: "*"}
    return frozenset({stars.get(each.kind, each.name) for each in parameters})


def read_requests(model: object, method: str) -> Options:
    """Return what a model, a scorer or a splitter requests for a method by name; empty without support."""
    with suppress(Exception):  # missing support, or errors of scikit-learn
        if hasattr(model, "get_metadata_routing"):
            routing = get_routing_for_object(model)
            return dict(getattr(routing, method).requests) if isinstance(routing, MetadataRequest) else {}
    return {}


def is_pairwise(model: Estimator) -> bool:
    """Return whether X of a model is a square matrix with a row and a column for each document."""
    with suppress(Exception):  # models without scikit-learn's tags
        return bool(get_tags(model).input_tags.pairwise)
    return False


def is_of_scikit_learn(model: Estimator) -> bool:
    """Return whether a model is scikit-learn's own: such models take ids only for parts and folds."""
    return type(model).__module__.startswith("sklearn.")


def is_known(kind: type) -> bool:
    """Return whether scikit-learn, this package or imbalanced-learn defines a class."""
    return kind.__module__.partition(".")[0] in ("sklearn", "sklearn_rank", "imblearn")


def find_best(model: Estimator) -> Any:
    """Return the best model of a search, its model before `fit`, or any other model itself."""
    while isinstance(model, SEARCH | FrozenEstimator):
        model = getattr(model, "best_estimator_", model.estimator)
    return model
