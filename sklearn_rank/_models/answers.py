"""Fitted models asked with query ids: what inside them works per query gets the ids of the rows."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils.metadata_routing import (
    MetadataRouter,
)
from sklearn.utils.metaestimators import available_if

from .parts import GRIDS, find_models, is_of_scikit_learn, make_router, parameters_of, read_routing, takes

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")

Ids = Mapping[str, Any]  # ids of the rows by the name under which they are asked for, "groups" among them

ROWS = frozenset({"self", "X", "y", "*", "**"})  # parameters that nobody requests


def list_requested_ids(model: Any, method: str) -> dict[str, str]:
    """List the ids that a model itself asks for in a method: parameter -> the name of the ids.

    What it requests goes before what its signature names; of ids that are no `groups` nobody knows here.
    """
    kind: Any = type(model)
    if is_of_scikit_learn(model) or not (parameters_of(kind, method) - ROWS or _declares(kind, method)):
        return {}
    requests = getattr(getattr(read_routing(model), method, None), "requests", {})
    asked = {name: name if alias is True else alias for name, alias in requests.items() if alias}
    if requests.get("groups") is None and takes(model, method, "groups"):
        asked["groups"] = "groups"
    return {name: alias for name, alias in asked.items() if name == "groups" or alias == "groups"}


@lru_cache(maxsize=4096)
def _declares(kind: Any, method: str) -> bool:
    """Tell whether a class says what a method requests; Python puts the class before the attribute's name."""
    return any(f"__metadata_request__{method}" in name for base in kind.__mro__ for name in vars(base))


def list_routed(model: Any, method: str, names: Iterable[str]) -> list[str]:
    """List those of some names of ids that a method of a model hands on; asked with routing enabled."""
    router = make_router(type(model).__name__, model, method)
    routed = []
    for name in names:
        try:
            if router.route_params(caller=method, params={name: True}).estimator[method]:
                routed.append(name)
        except UnsetMetadataPassedError:  # which says what to do, once they are passed
            routed.append(name)
    return routed


def ids_as_arguments(model: Any, method: str, ids: Ids) -> dict[str, Any]:
    """Return the ids that a method takes, of a model that hands nothing on, as arguments."""
    asked = list_requested_ids(model, method)
    return {name: ids[alias] for name, alias in asked.items() if ids.get(alias) is not None}


def answers_by_groups(model: Any) -> bool:
    """Tell whether a model, or a part in it, takes ids where it predicts or transforms."""
    if isinstance(model, ModelWithIds):
        return False
    reads_its_own = isinstance(getattr(model, "groups", None), str)
    if not reads_its_own and any(list_requested_ids(model, method) for method in ANSWERS):
        return True
    # Each scorer asks this each time: parameters are attributes, which are read faster than by `get_params`.
    kind: Any = type(model)
    state, names = getattr(model, "__dict__", {}), parameters_of(kind, "__init__") - {*GRIDS}
    return any(answers_by_groups(part) for part in find_models([state.get(name) for name in names]))


def answer(model: Any, method: str, X: Any, ids: Ids, params: Mapping[str, Any] | None = None) -> Any:
    """Ask a fitted model by one of its methods; whatever in it takes ids gets those not given in `params`."""
    params = params or {}
    while hasattr(model, "best_estimator_"):  # a search asks its best model, and has no argument for ids
        model = model.best_estimator_
    ask = getattr(model, method)
    given = {name: value for name, value in ids.items() if value is not None and name not in params}
    with config_context(enable_metadata_routing=True):
        if isinstance(read_routing(model), MetadataRouter):
            return ask(X, **{name: given[name] for name in list_routed(model, method, given)}, **params)
    return ask(X, **ids_as_arguments(model, method, given), **params)


def has(method: str) -> Callable[[Callable[..., Any]], Any]:
    """Make a method of an object around a model there only if the model has it."""
    return available_if(lambda self: hasattr(self.estimator, method))


class DelegatingModel:
    """A model inside another object, which says how it is asked."""

    estimator: Any

    def __getattr__(self, name: str) -> Any:
        # Not there yet, while unpickled; and notes that a search leaves are on this object.
        is_note = name.startswith("_") and not name.startswith("__")
        if name == "estimator" or is_note:
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        """Ask the model by a method."""
        return getattr(self.estimator, method)(X, **params)

    @has("predict")
    def predict(self, X: Any, **params: Any) -> Any:
        """Predict."""
        return self._ask("predict", X, params)

    @has("predict_proba")
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Predict probabilities."""
        return self._ask("predict_proba", X, params)

    @has("predict_log_proba")
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Predict logarithms of probabilities."""
        return self._ask("predict_log_proba", X, params)

    @has("decision_function")
    def decision_function(self, X: Any, **params: Any) -> Any:
        """Return decision values."""
        return self._ask("decision_function", X, params)


class ModelWithIds(DelegatingModel):
    """A fitted model that is asked with the ids of the rows.

    Parameters
    ----------
    estimator : object
        A fitted model.
    ids : dict of str to array-like of shape (n_rows,)
        Ids of each row that it will be asked about, by the name under which they are asked for.
    """

    def __init__(self, estimator: Any, ids: Ids):
        self.estimator = estimator
        self.ids = ids

    def __getitem__(self, step: Any) -> Any:
        return self.estimator[step]

    def __len__(self) -> int:
        return len(self.estimator)

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        return answer(self.estimator, method, X, self.ids, params)

    @has("score")
    def score(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Score the model."""
        return answer(self.estimator, "score", X, self.ids, {"y": y, **params})


def with_groups(model: Any, ids: Ids) -> Any:
    """Return a model that is asked with ids if anything in it takes them; else the model itself."""
    return ModelWithIds(model, ids) if answers_by_groups(model) else model
