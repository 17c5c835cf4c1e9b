"""Needs of a model and the models inside it: query ids, and other columns by name."""

from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any

from sklearn.utils.metadata_routing import MetadataRouter

from .._checks.errors import fail, is_int
from .._checks.types import Arguments, Estimator
from .inner_models import (
    GRIDS,
    METHODS,
    OUTPUTS,
    find_best,
    find_models,
    is_frozen,
    is_known,
    is_of_scikit_learn,
    parameters_of,
    read_parameters,
    read_requests,
    takes,
)
from .scorer_columns import list_labels, list_scorers, names_for

ANSWERS = (*OUTPUTS, "score")
NOT_IDS = frozenset({"self", "X", "y", "*", "**"})  # parameters that are never ids
NO_IDS = " If {part}.{method} needs no ids, set __metadata_request__{method} = {{'groups': False}} in {part}."


class Needs:
    """The needs of a model and the models inside it. Each thing is read once.

    Clones share it, because they differ in parameters only; `set_params` of a `Bound` discards it.
    """

    def __init__(self, model: Estimator):
        self.model, self.parameters = model, read_parameters(model)
        self.is_theirs = is_of_scikit_learn(model)
        self.settles = getattr(model, "settles_ids", False) is True  # `fit` passes ids to its parts itself
        values = [value for name, value in self.parameters.items() if name not in GRIDS]
        self.parts = [Needs(part) for part in find_models(values)]
        grids = [self.parameters[grid] for grid in GRIDS if grid in self.parameters]
        self.inside = [*self.parts, *map(Needs, find_models(grids))] if grids else self.parts
        scorers = list_scorers(self.parameters.get("scoring"))
        self.scorers = [scorer for scorer in scorers if callable(scorer)]  # names mean those of scikit-learn
        self._of_fitted: dict[int, Needs] = {}

    def of_part(self, part: Estimator) -> "Needs":
        """Return what a fitted part takes, which is kept for further predictions."""
        if id(part) not in self._of_fitted:
            self._of_fitted[id(part)] = Needs(part)
        return self._of_fitted[id(part)]

    @cached_property
    def _own(self) -> dict[str, dict[str, str]]:
        if self.is_theirs:  # such models take ids only for parts and folds
            return {}
        routed = {"groups": "groups"}
        return {
            each: list_requested_ids(self.model, each) or (routed if self.routes(each) else {})
            for each in (*METHODS, "fit_transform")
        }

    def own(self, method: str) -> dict[str, str]:
        """Return the ids that a method of the model itself takes: parameter -> name of the ids."""
        return self._own.get(method, {})

    def routes(self, method: str) -> bool:
        """Return whether another library's model routes ids to its only part that takes them, in a method."""
        model: Any = self.model
        if not self.parts or is_known(type(model)) or not hasattr(model, "get_metadata_routing"):
            return False
        asking = [part for part in self.parts if part.asks(*METHODS)]
        if len(asking) != 1 or (method == "fit" and asking[0].predicts):  # `fit` can also predict
            return False
        with suppress(Exception):  # routers of other libraries
            router = model.get_metadata_routing()
            return isinstance(router, MetadataRouter) and bool(router.consumes(method, ["groups"]))
        return False

    def find(self, *methods: str) -> Estimator:
        """Return the first model, this or one inside, that takes ids in one of these methods, or None."""
        if self._own and not self.settles and any(map(self.own, methods)):
            return self.model
        return next((found for each in self.inside if (found := each.find(*methods)) is not None), None)

    def asks(self, *methods: str) -> bool:
        """Return whether this model, or one inside, takes ids in one of these methods."""
        itself = bool(self._own) and any(map(self.own, methods))
        return itself or any(each.asks(*methods) for each in self.inside)

    @cached_property
    def answers(self) -> bool:
        """Return whether ids are needed to predict, transform or score."""
        return self.asks(*ANSWERS)

    @cached_property
    def predicts(self) -> bool:
        """Return whether ids are needed to predict or transform."""
        return self.asks(*OUTPUTS)

    @cached_property
    def in_fit(self) -> bool:
        """Return whether the model, a part, its folds or its scorers need ids in `fit`."""
        if is_frozen(self.model):
            return self.asks(*METHODS)
        itself = self.settles or self.splits or self.scores or any(self._own.values())
        return itself or any(each.in_fit for each in self.inside)

    @cached_property
    def takes_no_splitter(self) -> bool:
        """Return whether the model splits its rows by an int only: TargetEncoder before scikit-learn 1.9."""
        is_encoder = self.is_theirs and type(self.model).__name__ == "TargetEncoder"
        return is_encoder and not takes(self.model, "fit_transform", "**")

    @cached_property
    def has_own_folds(self) -> bool:
        """Return whether the model splits its rows by an int as `cv` or by default, or else by a splitter."""
        if self.takes_no_splitter:
            return False
        cv = self.parameters.get("cv", "none")
        if is_int(cv):
            return not self.parts or not all(is_frozen(part.model) for part in self.parts)
        if cv is not None or {"gcv_mode", "order"} & self.parameters.keys():
            return False
        theirs = [kind for kind in type(self.model).__mro__ if kind.__module__.startswith("sklearn.")]
        return any("cv" in parameters_of(kind, "__init__") for kind in theirs)

    @cached_property
    def splits(self) -> bool:
        """Return whether the model has folds."""
        return self.has_own_folds or hasattr(self.parameters.get("cv"), "split")

    @cached_property
    def scores(self) -> bool:
        """Return whether the model has scorers that take ids or other columns."""
        return any(map(names_for, self.scorers))

    @cached_property
    def names(self) -> dict[str, str]:
        """The names other than `groups` of all columns: name -> "ids", or the kind of the scorer's input."""
        requested: list[Any] = [alias for each in self._own.values() for alias in each.values()]
        requested.append(read_requests(self.parameters.get("cv"), "split").get("groups"))
        requested += [read_requests(scorer, "score").get("groups") for scorer in self.scorers]
        found = {name: "ids" for name in requested if isinstance(name, str) and name != "groups"}
        for each in [*map(list_labels, self.scorers), *(part.names for part in self.inside)]:
            found |= each
        return found

    def check_given(self, methods: tuple[str, ...], params: Arguments) -> None:
        """Raise an error that ids are missing if they are needed in one of these methods."""
        part = self.find(*methods)
        if part is None:
            return
        from .._hints.arguments import OTHER_NAMES_OF_GROUPS

        name = type(part).__name__
        others = [f"{name}=" for name in params if name in OTHER_NAMES_OF_GROUPS]
        fix = "Pass groups=qid."
        if not is_known(type(part)):
            method, *more = [each for each in methods if Needs(part).own(each)]
            fix += NO_IDS.format(part=name, method=method)
            fix += f" Do the same for {', '.join(more)}." * bool(more)
        fail("groups", f"contain the query id of each row for {name}", others[0] if others else None, fix)


def list_requested_ids(model: Estimator, method: str) -> dict[str, str]:
    """List the ids that a method of a model takes: parameter -> the name of the ids.

    Requests come before the signature. A request is one for ids if its parameter, or its name, is `groups`.
    """
    kind: Any = type(model)
    if hasattr(model, "_list_needed_ids"):  # a search or a `WithGroups`, whose parts take ids
        return dict(model._list_needed_ids(method))
    if is_of_scikit_learn(model) or (is_known(kind) and isinstance(getattr(model, "groups", None), str)):
        return {}  # a model of this package can read ids from the index
    if not (parameters_of(kind, method) - NOT_IDS or _declares(kind, method)):
        return {}
    requests = read_requests(model, method)
    requested = {name: name if alias is True else alias for name, alias in requests.items() if alias}
    if requests.get("groups") is None and takes(model, method, "groups"):
        requested["groups"] = "groups"
    return {name: alias for name, alias in requested.items() if name == "groups" or alias == "groups"}


@lru_cache(maxsize=4096)
def _declares(kind: Any, method: str) -> bool:
    """Return whether a class declares requests. Python adds the class to the attribute's name."""
    return any(f"__metadata_request__{method}" in name for base in kind.__mro__ for name in vars(base))


def list_needed_ids(model: Estimator) -> dict[str, list[str]]:
    """List, by method, the names of the columns that a fitted model takes or passes to its parts."""
    needs, found = Needs(find_best(model)), dict[str, list[str]]()
    for method in ANSWERS:
        inside = ANSWERS if method == "score" else OUTPUTS
        itself = ANSWERS if method == "score" else (method,)
        if any(map(needs.own, itself)) or any(part.asks(*inside) for part in needs.inside):
            found[method] = ["groups", *needs.names]
    return found
