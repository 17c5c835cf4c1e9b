"""Which ids a model requests, and fitted models asked with ids.

Most models predict from features alone. A part that works within queries, such as `WithinGroupScaler`, needs
the ids of the rows where it predicts, too.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.metaestimators import available_if

from .parts import GRIDS, find_models, is_of_scikit_learn, make_router, parameters_of, read_routing, takes

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")

Ids = Mapping[str, Any]  # ids of the rows by the name under which they are asked for, "groups" among them

PLAIN_PARAMETERS = frozenset({"self", "X", "y", "*", "**"})  # which nobody requests


def list_requested_ids(model: Any, method: str) -> dict[str, str]:
    """List the ids that a model itself requests for a method: parameter -> the name of the ids.

    Requests come before the signature. A request is one for ids if its parameter, or its name, is `groups`.
    """
    kind: Any = type(model)
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
    """Tell whether a class declares requests, by an attribute to whose name Python has added the class."""
    return any(f"__metadata_request__{method}" in name for base in kind.__mro__ for name in vars(base))


def list_routed(model: Any, method: str, names: Iterable[str]) -> list[str]:
    """List the names of ids that routing takes from a method of a model on; to be called with it enabled."""
    router = make_router(type(model).__name__, model, method)
    routed = []
    for name in names:
        try:
            if router.route_params(caller=method, params={name: True}).estimator[method]:
                routed.append(name)
        except UnsetMetadataPassedError:  # which scikit-learn raises again when ids are passed, and says why
            routed.append(name)
    return routed


def ids_as_arguments(model: Any, method: str, ids: Ids) -> dict[str, Any]:
    """Return the ids that a method of a model takes itself, by the names of its parameters."""
    asked = list_requested_ids(model, method)
    return {name: ids[alias] for name, alias in asked.items() if ids.get(alias) is not None}


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


def answer(model: Any, method: str, X: Any, ids: Ids, params: Mapping[str, Any] | None = None) -> Any:
    """Call a method of a fitted model, with the ids if the model or a part of it takes them there."""
    params = params or {}
    while hasattr(model, "best_estimator_"):  # a search asks its best model, and has no argument for ids
        model = model.best_estimator_
    ask = getattr(model, method)
    given = {name: value for name, value in ids.items() if value is not None and name not in params}
    with config_context(enable_metadata_routing=True):
        if isinstance(read_routing(model), MetadataRouter):
            return ask(X, **{name: given[name] for name in list_routed(model, method, given)}, **params)
    return ask(X, **ids_as_arguments(model, method, given), **params)


def available_with_model(method: str) -> Callable[[Callable[..., Any]], Any]:
    """Give an object around a model a method only if the model has it."""
    return available_if(lambda self: hasattr(self.estimator, method))


@lru_cache(maxsize=4096)
def _name_class(kind: Any, name: str) -> Any:
    """Return a subclass with the name of the user's class, which messages of scikit-learn show."""
    return type(name, (kind,), {"__module__": kind.__module__, "plain_class": kind})


def _restore(kind: Any, name: str) -> Any:
    """Return an object of a class that only this process has, for copies and pickles."""
    return object.__new__(_name_class(kind, name))


class DelegatingModel:
    """An object around a model, with the model's attributes and methods; a subclass says how it is asked.

    Its class has the name of the model's class.
    """

    estimator: Any
    plain_class: Any = None

    def __new__(cls, estimator: Any, *_: Any, **__: Any) -> Any:
        return _restore(cls.plain_class or cls, type(estimator).__name__)

    def __reduce__(self) -> Any:
        return _restore, (self.plain_class, type(self).__name__), self.__dict__

    def __repr__(self) -> str:
        return repr(self.estimator)

    def __getattr__(self, name: str) -> Any:
        # While it is unpickled there is no model yet; and scikit-learn's private notes are of this object.
        is_private = name.startswith("_") and not name.startswith("__")
        if name == "estimator" or is_private:
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_tags__(self) -> Tags:  # scikit-learn 1.6 does not find that of the model
        return get_tags(self.estimator)

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        """Ask the model by a method."""
        return getattr(self.estimator, method)(X, **params)

    @available_with_model("predict")
    def predict(self, X: Any, **params: Any) -> Any:
        """Predict."""
        return self._ask("predict", X, params)

    @available_with_model("predict_proba")
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Predict probabilities."""
        return self._ask("predict_proba", X, params)

    @available_with_model("predict_log_proba")
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Predict logarithms of probabilities."""
        return self._ask("predict_log_proba", X, params)

    @available_with_model("decision_function")
    def decision_function(self, X: Any, **params: Any) -> Any:
        """Return decision values."""
        return self._ask("decision_function", X, params)


class ModelWithIds(DelegatingModel):
    """A fitted model that gets the ids of the rows it is asked about.

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

    @available_with_model("score")
    def score(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Score the model."""
        return answer(self.estimator, "score", X, self.ids, {"y": y, **params})


def with_groups(model: Any, ids: Ids) -> Any:
    """Return a model that is asked with ids if anything in it takes them; else the model itself."""
    return ModelWithIds(model, ids) if answers_by_groups(model) else model
