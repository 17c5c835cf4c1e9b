"""Fitted models that are called with query ids.

Most models predict from features alone. A part that works within queries, such as `WithinGroupScaler`, needs
the ids of the rows when it predicts, too.
"""

from collections.abc import Callable, Collection, Mapping
from copy import copy
from functools import lru_cache
from typing import Any

from sklearn import config_context, get_config
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .delivery import check_delivery
from .parts import (
    ANSWERS,
    GRIDS,
    METHODS,
    find_models,
    is_of_scikit_learn,
    list_parts,
    parameters_of,
    read_parameters,
    read_routing,
    replace_models,
)
from .requested import Ids, ids_as_arguments, list_requested_ids, list_routed


def answers_by_groups(model: Any) -> bool:
    """Tell whether a model, or a part of it, takes ids where it predicts or transforms."""
    if isinstance(model, ModelWithIds):
        return False
    reads_its_own = isinstance(getattr(model, "groups", None), str)
    if not reads_its_own and any(list_requested_ids(model, method) for method in ANSWERS):
        return True
    # Each call of a scorer comes here: attributes are read, which is faster than `get_params`.
    kind: Any = type(model)
    state, names = getattr(model, "__dict__", {}), parameters_of(kind, "__init__") - {*GRIDS}
    return any(answers_by_groups(part) for part in find_models([state.get(name) for name in names]))


def answer(
    model: Any,
    method: str,
    X: Any,
    ids: Ids,
    params: Mapping[str, Any] | None = None,
    routing: bool | None = None,
    check: bool = True,
) -> Any:
    """Call a method of a fitted model, with the ids if the model or a part of it takes them there.

    `routing` is whether the user has metadata routing enabled; None if the configuration is the user's.
    `check` is whether to check that the ids reach all parts; functions have checked it before training.
    """
    params = params or {}
    users = get_config()["enable_metadata_routing"] if routing is None else routing
    while hasattr(model, "best_estimator_"):  # a search asks its best model, and has no argument for ids
        model = model.best_estimator_
    given = {name: value for name, value in ids.items() if value is not None and name not in params}
    with config_context(enable_metadata_routing=True):
        if given and check:
            check_delivery([model], f"{type(model).__name__}.{method}", [method])
        weights = () if users else [name for name in params if name != "y"]
        routed = restore_parts(model, users, weights) if given else model
        if isinstance(read_routing(routed), MetadataRouter) and not getattr(model, "settles_ids", False):
            names = list_routed(routed, method, given)
            if names or not params.keys().isdisjoint(ids):  # else pipelines of stacks fail with routing
                return getattr(routed, method)(X, **{name: given[name] for name in names}, **params)
    with config_context(enable_metadata_routing=users):
        return getattr(model, method)(X, **ids_as_arguments(model, method, given), **params)


def available_with_model(method: str) -> Callable[[Callable[..., Any]], Any]:
    """Give an object around a model a method only if the model has it."""
    return available_if(lambda self: hasattr(self.estimator, method))


def _asks(method: str) -> Any:
    """Make a method of an object around a model, which calls the same method of the model."""

    def ask(self: Any, X: Any, **params: Any) -> Any:
        return self._ask(method, X, params)

    ask.__name__ = method
    return available_with_model(method)(ask)


@lru_cache(maxsize=4096)
def _name_class(kind: Any, name: str) -> Any:
    """Return a subclass with the name of the user's class, which messages of scikit-learn show."""
    return type(name, (kind,), {"__module__": kind.__module__, "plain_class": kind})


def _make_named(kind: Any, name: str) -> Any:
    """Return an object of a class that only this process has, for copies and pickles."""
    return object.__new__(_name_class(kind, name))


class DelegatingModel:
    """An object around a model, with its attributes and methods. Subclasses define how it is called.

    Its class has the name of the model's class.
    """

    estimator: Any
    plain_class: Any = None

    def __new__(cls, estimator: Any, *_: Any, **__: Any) -> Any:
        return _make_named(cls.plain_class or cls, type(estimator).__name__)

    def __reduce__(self) -> Any:
        return _make_named, (self.plain_class, type(self).__name__), self.__dict__

    def __repr__(self) -> str:
        return repr(self.estimator)

    def __getattr__(self, name: str) -> Any:
        # While it is unpickled there is no model yet; and scikit-learn's private notes are of this object.
        is_private = name.startswith("_") and not name.startswith("__")
        if name == "estimator" or is_private:
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_is_fitted__(self) -> bool:
        check_is_fitted(self.estimator)
        return True

    def __sklearn_tags__(self) -> Tags:  # scikit-learn 1.6 does not find the model's tags
        return get_tags(self.estimator)

    def __getitem__(self, step: Any) -> Any:
        return self.estimator[step]

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        """Call a method of the model."""
        return getattr(self.estimator, method)(X, **params)

    predict = _asks("predict")
    predict_proba = _asks("predict_proba")
    predict_log_proba = _asks("predict_log_proba")
    decision_function = _asks("decision_function")
    transform = _asks("transform")

    @available_with_model("score")
    def score(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Score the model."""
        return self._ask("score", X, {"y": y, **params})


class ModelWithIds(DelegatingModel):
    """A fitted model that gets the ids of the rows it predicts, by the name under which it requests them.

    Other options are those of `answer`.
    """

    def __init__(self, estimator: Any, ids: Ids, routing: bool | None = None, check: bool = True):
        self.estimator = estimator
        self.ids = ids
        self.options: dict[str, Any] = {"routing": routing, "check": check}

    def __len__(self) -> int:
        return len(self.estimator)

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        return answer(self.estimator, method, X, self.ids, params, **self.options)


class RestoringModel(DelegatingModel):
    """A part of a fitted model that runs with metadata routing as the user has it.

    A part that refuses routing, such as `AdaBoostRegressor`, gets no metadata but `weights` of its score.
    """

    def __init__(self, estimator: Any, routing: bool, weights: Collection[str] = ()):
        self.estimator = estimator
        self.routing = routing
        self.weights = weights

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        with config_context(enable_metadata_routing=self.routing):
            return super()._ask(method, X, params)

    def get_metadata_routing(self) -> MetadataRouter | MetadataRequest:
        """Request what the model requests, undecided ids if the user's routing is disabled, and weights."""
        requests = read_routing(self.estimator) or MetadataRequest(owner=type(self.estimator).__name__)
        if isinstance(requests, MetadataRequest):
            for each in [] if self.routing else [getattr(requests, method) for method in METHODS]:
                if each.requests.get("groups", False) is None:
                    each.add_request(param="groups", alias=True)
            for name in {"sample_weight", *self.weights}:  # a pipeline passes it even if it is None
                if name in self.weights or name not in requests.score.requests:
                    requests.score.add_request(param=name, alias=name in self.weights or None)
        return requests


def restore_parts(model: Any, routing: bool, weights: Collection[str] = ()) -> Any:
    """Return a copy of a fitted model whose parts run with metadata routing as the user has it.

    Routing passes through the copy even if a part refuses it. The `weights` are passed to its score.
    """
    trial = copy(model)
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    for name, value in (read_parameters(model) | fitted).items():
        if find_models(value) and name not in GRIDS:
            setattr(trial, name, replace_models(value, lambda part: _restore(part, routing, weights)))
    return trial


def _restore(part: Any, routing: bool, weights: Collection[str]) -> Any:
    if is_of_scikit_learn(part) and list_parts(part):
        trial = restore_parts(part, routing, weights)
        if isinstance(read_routing(trial), MetadataRouter):
            return trial
    plain = is_of_scikit_learn(part) and read_routing(part) is not None and not weights
    return part if plain else RestoringModel(part, routing, weights)


def with_groups(model: Any, ids: Ids, routing: bool | None = None, check: bool = True) -> Any:
    """Return a model that is asked with ids if anything in it takes them; else the model itself."""
    return ModelWithIds(model, ids, routing, check) if answers_by_groups(model) else model
