"""Calls of fitted models with query ids.

Most models predict from features only. A part that works within queries, such as `WithinGroupScaler`, also
needs the ids of the rows when it predicts.
"""

from collections.abc import Callable
from copy import copy
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn import config_context, get_config
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._checks.types import Arguments, Estimator, Features, Function, Labels, Options, Scores
from .delivery import check_delivery
from .model_parts import (
    GRIDS,
    METHODS,
    OUTPUTS,
    Ids,
    find_called,
    find_models,
    ids_as_arguments,
    is_of_scikit_learn,
    is_pipeline,
    list_parts,
    list_requested_ids,
    list_routed,
    read_parameters,
    read_routing,
    read_stored,
    reads_index,
    replace_models,
)

# Since scikit-learn 1.9, models take the callbacks of a search.
_CALLBACKS = import_module("sklearn.callback") if find_spec("sklearn.callback") else None
CallbackSupportMixin: Any = getattr(_CALLBACKS, "CallbackSupportMixin", object)


def predicts_with_ids(model: Estimator) -> bool:
    """Return whether a model, or a part of it, takes ids when it predicts or transforms."""
    if isinstance(model, ModelWithIds):
        return False
    if not reads_index(model) and any(list_requested_ids(model, method) for method in OUTPUTS):
        return True
    # Each scorer call runs this, so read attributes, which is faster than `get_params`.
    stored = [value for name, value in read_stored(model).items() if name not in GRIDS]
    return any(map(predicts_with_ids, find_models(stored)))


def call_method(
    model: Estimator,
    method: str,
    X: Features,
    ids: Ids,
    params: Arguments | None = None,
    routing: bool | None = None,
    check: bool = True,
) -> Scores:
    """Call a method of a fitted model, with the ids if the model or a part of it takes them there.

    `routing` is whether the user has metadata routing enabled; None if the configuration is the user's.
    `check` is whether to check that the ids reach all parts; functions have checked it before training.
    """
    params = params or {}
    users = get_config()["enable_metadata_routing"] if routing is None else routing
    given = {name: params.get(name, values) for name, values in ids.items()}
    given = {name: values for name, values in given.items() if values is not None}
    params = {name: value for name, value in params.items() if name not in given and value is not None}
    if given and check:
        with config_context(enable_metadata_routing=True):
            check_delivery([model], [method])
    return _call(model, method, X, given, params, users)


def _call(model: Estimator, method: str, X: Features, ids: Ids, params: Options, users: bool) -> Any:
    """Call a method of a model. Steps of a pipeline are called one after the other, as the user would."""
    model = find_called(model, method)
    # Routing in a pipeline rejects parameters without a request, and weights that are None.
    if is_pipeline(model, method) and ids and (not users or params.keys() <= {"y"}):
        for _, step in model.steps[:-1]:
            if hasattr(step, "transform"):  # not "passthrough" or a sampler of imbalanced-learn
                X = _call(step, "transform", X, ids, {}, users)
        last = model.steps[-1][1]
        return X if last is None or last == "passthrough" else _call(last, method, X, ids, params, users)
    if ids and not getattr(model, "settles_ids", False):
        with config_context(enable_metadata_routing=True):
            routes = is_of_scikit_learn(model) or isinstance(read_routing(model), MetadataRouter)
            routed = restore_parts(model, users) if routes else model
            is_router = isinstance(read_routing(routed), MetadataRouter)
            names = list_routed(routed, method, ids) if is_router else []
            if names:
                return getattr(routed, method)(X, **{name: ids[name] for name in names}, **params)
    with config_context(enable_metadata_routing=users):
        return getattr(model, method)(X, **(ids_as_arguments(model, method, ids) | params))


def available_with_model(method: str) -> Callable[[Function], Any]:
    """Return a decorator that provides a method of a wrapper only if the model has it."""
    return available_if(lambda self: hasattr(self.estimator, method))


def _delegate(method: str) -> Any:
    """Make a method of a wrapper, which calls the same method of the model."""

    def call(self: Any, X: Features, **params: object) -> Scores:
        return self._call_method(method, X, params)

    call.__name__ = method
    return available_with_model(method)(call)


@lru_cache(maxsize=4096)
def _name_class(kind: Any, name: str) -> Any:
    """Return a subclass named as the user's class, because messages of scikit-learn contain the name."""
    return type(name, (kind,), {"__module__": kind.__module__, "plain_class": kind})


def _make_named(kind: object, name: str) -> Any:
    """Return an object of a class made at run time, for copies and pickles."""
    return object.__new__(_name_class(kind, name))


class DelegatingModel(CallbackSupportMixin):
    """An object around a model, with its attributes and methods. Subclasses define how it is called.

    Its class has the name of the model's class. It takes the callbacks of a search, so that the search
    reports its progress, and keeps them to itself.
    """

    estimator: Estimator
    plain_class: Any = None

    def __new__(cls, estimator: Estimator, *_: object, **__: object) -> Any:
        return _make_named(cls.plain_class or cls, type(estimator).__name__)

    def __reduce__(self) -> Any:
        return _make_named, (self.plain_class, type(self).__name__), self.__dict__

    def __repr__(self) -> str:
        return repr(self.estimator)

    def __getattr__(self, name: str) -> Any:
        # There is no model yet during unpickling; scikit-learn's private attributes belong to this object.
        is_note = name.startswith(("_sk", "_callback", "_metadata"))
        if name == "estimator" or is_note or (name.startswith("_") and hasattr(BaseEstimator, name)):
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_is_fitted__(self) -> bool:
        check_is_fitted(self.estimator)
        return True

    def __sklearn_tags__(self) -> Tags:  # scikit-learn 1.6 does not find the model's tags
        return get_tags(self.estimator)

    def __getitem__(self, step: object) -> Any:
        return self.estimator[step]

    def set_params(self, **params: object) -> Any:
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        return self

    def _call_method(self, method: str, X: Features, params: Options) -> Scores:
        """Call a method of the model."""
        return getattr(self.estimator, method)(X, **params)

    predict = _delegate("predict")
    predict_proba = _delegate("predict_proba")
    predict_log_proba = _delegate("predict_log_proba")
    decision_function = _delegate("decision_function")
    transform = _delegate("transform")

    @available_with_model("score")
    def score(self, X: Features, y: Labels = None, **params: object) -> Scores:
        """Score the model."""
        return self._call_method("score", X, {"y": y, **params})


def unwrap_model(model: Estimator) -> Any:
    """Return the user's model, inside any number of wrappers."""
    while isinstance(model, DelegatingModel):
        model = model.estimator
    return model


class ModelWithIds(DelegatingModel):
    """A fitted model that gets the ids of the rows it predicts, by the name under which it requests them.

    Other options are those of `call_method`.
    """

    def __init__(self, estimator: Estimator, ids: Ids, routing: bool | None = None, check: bool = True):
        self.estimator = estimator
        self.ids = ids
        self.options: Options = {"routing": routing, "check": check}

    def __len__(self) -> int:
        return len(self.estimator)

    def _call_method(self, method: str, X: Features, params: Options) -> Scores:
        return call_method(self.estimator, method, X, self.ids, params, **self.options)


class RestoringModel(DelegatingModel):
    """A part of a fitted model that runs with the user's setting of metadata routing."""

    def __init__(self, estimator: Estimator, routing: bool):
        self.estimator = estimator
        self.routing = routing

    def _call_method(self, method: str, X: Features, params: Options) -> Scores:
        with config_context(enable_metadata_routing=self.routing):
            return super()._call_method(method, X, params)

    def get_metadata_routing(self) -> MetadataRouter | MetadataRequest:
        """Request the same as the model, and also ids that it takes if the user has routing disabled."""
        requests = read_routing(self.estimator) or MetadataRequest(owner=type(self.estimator).__name__)
        if isinstance(requests, MetadataRequest) and not self.routing:
            for method in METHODS:
                for name, alias in list_requested_ids(self.estimator, method).items():
                    getattr(requests, method).add_request(param=name, alias=alias)
        return requests


def restore_parts(model: Estimator, routing: bool) -> Estimator:
    """Return a copy of a fitted model whose parts run with the user's setting of metadata routing.

    Routing passes through the copy even if a part does not support it.
    """
    trial = copy(model)
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    for name, value in (read_parameters(model) | fitted).items():
        if find_models(value) and name not in GRIDS:
            setattr(trial, name, replace_models(value, lambda part: _restore(part, routing)))
    return trial


def _restore(part: Estimator, routing: bool) -> Any:
    if is_of_scikit_learn(part) and list_parts(part):
        trial = restore_parts(part, routing)
        if isinstance(read_routing(trial), MetadataRouter):
            return trial
    plain = is_of_scikit_learn(part) and read_routing(part) is not None
    return part if plain else RestoringModel(part, routing)


def with_groups(model: Estimator, ids: Ids, routing: bool | None = None, check: bool = True) -> Estimator:
    """Return a model whose methods are called with ids if any part takes them; else the model itself."""
    return ModelWithIds(model, ids, routing, check) if predicts_with_ids(model) else model
