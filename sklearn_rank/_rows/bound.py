"""The rows of a call, and fitted models that predict, transform and score rows with their ids."""

from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from threading import current_thread, main_thread
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Tags, TargetTags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._checks.containers import count_rows, take, take_columns
from .._checks.types import Arguments, Estimator, Features, Labels, Options, Values
from .inner_models import GRIDS, Wrapper, find_best, replace_models
from .needs import ANSWERS, Needs
from .scorer_columns import REQUESTS, call_scorer, names_for

# Since scikit-learn 1.9, models take the callbacks of a search.
_CALLBACKS = import_module("sklearn.callback") if find_spec("sklearn.callback") else None
CallbackSupportMixin: Any = getattr(_CALLBACKS, "CallbackSupportMixin", object)

SCORES = (RegressorMixin.score, ClassifierMixin.score)  # which call `predict` with X only
GONE = (
    "A worker saved a model that it fitted to rows of another process, and these rows are gone. Return the "
    "model to that process, and save it there."
)
_ROWS: WeakValueDictionary[str, "RowTable"] = WeakValueDictionary()


class RowTable:
    """The table of a call: query ids and other columns by name; X and y where row numbers take their place.

    The `params` are parameters of `fit` that scikit-learn does not pass on.

    Workers get a copy, also from other workers. Results of a worker refer to the table of the process that
    sent it, so X is not sent back.
    """

    def __init__(self, columns: Mapping[str, Any], X: Features = None, y: Labels = None, codes: Any = None):
        self.columns: dict[str, Any] = dict(columns)
        self.X, self.y = X, y
        self.params: Options = {}
        # In the table of the outermost model, also:
        self.codes = codes  # the query of each row
        self.given: Any = None  # the ids that the caller passed; None if they were found by a scorer's name
        self.by_query = False  # whether queries take the place of rows, by their codes
        self.weighs = False  # whether, by query, weights of `fit` are also those of scores
        self.recorded: set[tuple[Any, Any]] = set()  # columns of users and items to record in `fit`
        self.kinds: dict[str, str] = {}  # of ids and labels by name, which `fit` does not take
        self.key, self.is_copy = uuid4().hex, False
        _ROWS[self.key] = self

    def __reduce__(self) -> Any:
        return _copy_rows, (vars(self),)

    def count(self) -> int:
        """Return the number of rows."""
        return count_rows(self.columns["groups"], "groups")

    def numbers(self, how: str, X: Features, y: Labels, name: str) -> np.ndarray:
        """Return the numbers of the rows that a model or a splitter of this name gets."""
        if how == "order":
            if (n_rows := count_rows(X)) != self.count():
                raise RuntimeError(f"{name} got {n_rows} of {self.count()} rows, so their ids are not known.")
            return np.arange(n_rows)
        numbers = np.asarray(np.asarray(X)[:, 0] if how == "rows" else y).astype(int)
        return np.flatnonzero(np.isin(self.codes, numbers)) if self.by_query else numbers

    def read(
        self, how: str, X: Features, y: Labels, name: str, with_columns: bool = True
    ) -> tuple[Any, Any, Options]:
        """Return the real rows that a model or a splitter of this name gets, and their columns."""
        numbers = self.numbers(how, X, y, name)
        if how == "order":
            return X, y, self.columns
        columns = self.take(numbers) if with_columns else {}
        if how == "y":
            return X, take(self.y, numbers), columns
        are_all = np.array_equal(numbers, np.arange(count_rows(self.X)))  # as in a refit
        X = self.X if are_all else take(self.X, numbers)
        return X, take(self.y, numbers) if self.by_query else y, columns

    def take(self, numbers: Values) -> Options:
        """Return the columns of some rows."""
        return {name: take(values, numbers) for name, values in self.columns.items()}

    def take_params(self, numbers: Values) -> Options:
        """Return the parameters of `fit` for some rows; those without an entry per row are unchanged."""
        n_rows, found = self.count(), self.params.items()
        return {name: take(each, numbers) if is_by_row(each, n_rows) else each for name, each in found}


def is_by_row(value: Any, n_rows: int) -> bool:
    """Return whether a parameter has an entry for each row."""
    sized = not isinstance(value, str | Mapping) and (hasattr(value, "__len__") or hasattr(value, "shape"))
    return sized and getattr(value, "shape", None) != () and count_rows(value) == n_rows


def _copy_rows(state: Options) -> RowTable:
    """Return the table of this process with the same key, or a copy."""
    if (rows := _ROWS.get(state["key"])) is None:
        rows = _ROWS[state["key"]] = object.__new__(RowTable)
        vars(rows).update(state, is_copy=True)
    return rows


# ------------------------------------------------------------------ a model in its wrapper


def make_method(method: str, runner: str = "_answer", theirs: object = None) -> Any:
    """Make a method of a wrapper that only models with this method have, with the signature of `theirs`."""

    def call(self: Any, X: Features, y: Labels = None, **params: object) -> Any:
        return getattr(self, runner)(method, X, y, params)

    with suppress(TypeError, ValueError):  # not a function
        call.__signature__ = signature(theirs)  # type: ignore[attr-defined,arg-type]
    call.__name__ = method
    return call if method == "fit" else available_if(lambda self: hasattr(self.estimator, method))(call)


@lru_cache(maxsize=4096)
def _make_class(kind: Any, model_class: Any) -> Any:
    """Return a subclass for models of a class, with its name and the signatures of its methods.

    Messages of scikit-learn contain the name. It looks for `sample_weight` in the signatures.
    """
    members = {"__module__": kind.__module__, "plain_class": kind}
    for method, runner in (("fit", "_fit"), ("score", "_answer")):
        if hasattr(kind, runner):
            members[method] = make_method(method, runner, getattr(model_class, method, None))
    return type(model_class.__name__, (kind,), members)


def _make(kind: object, model_class: object) -> Any:
    """Return an object of a class made at run time, for copies and pickles."""
    return object.__new__(_make_class(kind, model_class))


class Bound(Wrapper, CallbackSupportMixin):
    """A model that knows the ids of the rows of each call, in the `how` of the model around it.

    Its class has the name of the model's class. It takes the callbacks of a search and keeps them to itself.
    """

    plain_class: Any = None
    inner = "estimator"

    def __new__(cls, estimator: Estimator, *_: object, **__: object) -> Any:
        return _make(cls.plain_class or cls, type(estimator))

    def __init__(self, estimator: Estimator, rows: RowTable, how: str = "order", needs: Needs | None = None):
        self.estimator, self.rows, self.how = estimator, rows, how
        self.needs = needs or Needs(estimator)
        self.trained_on: np.ndarray | None = None  # rows, if the model takes a column for each
        self.is_fitted_here = False  # whether this process has fitted the model

    def __reduce__(self) -> Any:
        is_result = self.is_fitted_here and self.rows.is_copy and current_thread() is main_thread()
        rows = self.rows.key if is_result else self.rows  # other threads pickle tasks of workers
        state = {**vars(self), "rows": rows, "is_fitted_here": False}
        del state["needs"]
        return _make, (self.plain_class, type(self.estimator)), state

    def __setstate__(self, state: Options) -> None:
        if isinstance(key := state["rows"], str):  # of a table of this process
            if key not in _ROWS:
                raise RuntimeError(GONE)
            state["rows"] = _ROWS[key]
        self.__dict__.update(state)
        self.needs = Needs(self.estimator)

    def __copy__(self) -> "Bound":
        new: Any = object.__new__(type(self))
        new.__dict__.update(vars(self))
        return new

    def __sklearn_clone__(self) -> "Bound":
        new = copy(self)
        new.estimator, new.trained_on, new.is_fitted_here = clone(self.estimator), None, False
        return new

    def __getattr__(self, name: str) -> Any:
        # There is no model yet during unpickling; other private attributes belong to this object.
        if name == "estimator" or (name.startswith("_") and name not in REQUESTS):
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_is_fitted__(self) -> bool:
        check_is_fitted(self.estimator)
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = get_tags(self.estimator)
        if self.how == "rows":
            tags.input_tags.pairwise = False
        if self.rows.by_query:
            tags.estimator_type, tags.target_tags = None, TargetTags(required=False)
        return tags

    def __getitem__(self, step: object) -> Any:
        return self.estimator[step]

    def __len__(self) -> int:
        return len(self.estimator)

    def __bool__(self) -> bool:
        return True

    def set_params(self, **params: object) -> Any:
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        self.needs = Needs(self.estimator)
        return self

    def get_metadata_routing(self) -> Any:
        """Request what the model requests, if anything. Ids are not routed."""
        routing = MetadataRequest(owner=type(self.estimator).__name__)
        with suppress(Exception):  # a model that does not support routing
            routing = get_routing_for_object(self.estimator)
        return routing

    def numbers(self, X: Features, y: Labels = None) -> np.ndarray:
        """Return the numbers of the rows of a call."""
        return self.rows.numbers(self.how, X, y, type(self.estimator).__name__)

    def read(self, X: Features, y: Labels = None, with_columns: bool = True) -> tuple[Any, Any, Any]:
        """Return the real rows of a call, and their columns: None if the rows are not known."""
        if self.how == "y" and y is None:  # known only with labels, in `fit` and in scorers
            return X, y, None
        X, y, columns = self.rows.read(self.how, X, y, type(self.estimator).__name__, with_columns)
        return X if self.trained_on is None else take_columns(X, self.trained_on), y, columns

    def _answer(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        X, y, columns = self.read(X, y)
        if columns is None:
            if self.needs.predicts:
                name = type(self.estimator).__name__
                raise RuntimeError(f"The ids of the rows of {name}.{method} are not known.")
            return getattr(self.estimator, method)(X, **params)
        given = {name: value for name, value in params.items() if value is not None and name in columns}
        others = {name: value for name, value in params.items() if name not in given}
        return call_method(self.estimator, method, X, y, {**columns, **given}, others, self.needs)

    predict = make_method("predict")
    predict_proba = make_method("predict_proba")
    predict_log_proba = make_method("predict_log_proba")
    decision_function = make_method("decision_function")
    transform = make_method("transform")


def unwrap(value: Any) -> Any:
    """Return a user's model, or a value with the user's models, splitters and scorers, without wrappers."""
    return replace_models(value, lambda each: unwrap(each.wrapped) if isinstance(each, Wrapper) else each)


# ------------------------------------------------------------------ calls of fitted models


def select(columns: Arguments, names: Mapping[str, str]) -> Options:
    """Return the columns that a method or a scorer takes, by its parameters."""
    return {name: columns[key] for name, key in names.items() if columns.get(key) is not None}


def call_method(
    model: Estimator,
    method: str,
    X: Features,
    y: Labels,
    columns: Arguments,
    params: Options,
    needs: Needs | None = None,
) -> Any:
    """Call a method of a fitted model to predict, transform or score rows in order, with their columns."""
    needs = needs or Needs(model)
    labels = () if y is None else (y,)
    if own := select(columns, needs.own.get(method, {})):
        return getattr(model, method)(X, *labels, **{**own, **params})
    if method == "score" and getattr(type(model), "score", None) in SCORES and needs.predicts:
        return type(model).score(Bound(model, RowTable(columns), needs=needs), X, *labels, **params)
    return getattr(bind(model, columns, needs), method)(X, *labels, **params)


def bind(model: Estimator, columns: Arguments, needs: Needs) -> Any:
    """Return a copy of a fitted model whose parts that take ids know those of the rows, in order."""
    takes_columns = needs.asks(*ANSWERS) or (needs.scores and needs.is_search)
    if not (columns and takes_columns) or needs.passes_ids_itself:
        return model
    new, rows = copy(model), RowTable(columns)

    def change(part: Estimator) -> Any:
        inside = needs.of_part(part)
        return Bound(part, rows, needs=inside) if inside.asks(*ANSWERS) else part

    for name, value in vars(model).items():
        if name not in GRIDS:
            vars(new)[name] = replace_models(value, change)
    if needs.is_search and needs.scores and hasattr(model, "scorer_"):
        new.scorer_ = _with_columns(model.scorer_, columns)
    return new


def _with_columns(scoring: Any, columns: Arguments) -> Any:
    """Return scorers that take columns from a table."""
    if isinstance(scoring, Mapping):
        return {name: _with_columns(scorer, columns) for name, scorer in scoring.items()}
    return partial(call_scorer, scoring, **select(columns, names_for(scoring)))


def with_groups(model: Estimator, columns: Arguments, needs: Needs | None = None) -> Any:
    """Return a fitted model that knows the ids of the rows if any part takes them; else the model itself."""
    if isinstance(model, Bound) or (needs is not None and not needs.predicts):
        return model
    needs = Needs(find_best(model))
    return Bound(model, RowTable(columns)) if needs.predicts else model
