"""Needs of a model and the models inside it: query ids, and other columns by name."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRouter

from .._checks.errors import fail, is_int
from .._checks.types import Arguments, Estimator
from .inner_models import (
    GRIDS,
    METHODS,
    OUTPUTS,
    PLAIN,
    SEARCH,
    find_best,
    find_models,
    is_known,
    is_of_scikit_learn,
    parameters_of,
    read_parameters,
    read_requests,
    strip_parts,
    takes,
)
from .owners import find_how
from .scorer_columns import list_labels, list_scorers, names_for

ANSWERS = (*OUTPUTS, "score")
NO_IDS = " If {part}.{method} needs no ids, set __metadata_request__{method} = {{'groups': False}} in {part}."


class Needs:
    """The needs of a model and the models inside it. Each thing is read once.

    Clones share it, because they differ in parameters only; `set_params` of a `Bound` discards it.
    """

    def __init__(self, model: Estimator):
        self.model, self.parameters = model, read_parameters(model)
        self.is_theirs = is_of_scikit_learn(model)
        self.is_search, self.is_frozen = isinstance(model, SEARCH), isinstance(model, FrozenEstimator)
        self.passes_ids_itself = getattr(model, "passes_ids_itself", False) is True  # in `fit`, to its parts
        values, grids = list[Any](), list[Any]()
        for name, value in self.parameters.items():
            if not isinstance(value, PLAIN):
                (grids if name in GRIDS else values).append(value)
        self.parts = [Needs(part) for value in values for part in find_models(value)] if values else []
        self.candidates = [Needs(part) for value in grids for part in find_models(value)] if grids else []
        self.inside = self.parts + self.candidates
        # Names of scorers mean those of scikit-learn.
        self.scorers = [*filter(callable, list_scorers(self.parameters.get("scoring")))]
        chooses = "cv" in self.parameters or self.scorers
        self.is_simple = self.is_theirs and not (self.inside or chooses)  # and needs neither ids nor columns
        self._of_fitted: dict[int, Needs] = {}

    def of_part(self, part: Estimator) -> "Needs":
        """Return what a fitted part takes, which is kept for further predictions."""
        if id(part) not in self._of_fitted:
            self._of_fitted[id(part)] = Needs(part)
        return self._of_fitted[id(part)]

    def walk(self) -> Iterator["Needs"]:
        """Yield this model and the models inside it, except fitted ones."""
        if not self.is_frozen:
            yield self
            for each in self.inside:
                yield from each.walk()

    @cached_property
    def how(self) -> str | None:
        """The way in which the model treats the rows of its parts; None if that is not known."""
        return find_how(self)

    @cached_property
    def own(self) -> dict[str, dict[str, str]]:
        """The ids that methods of the model itself take: method -> parameter -> name of the ids."""
        if self.is_theirs:  # such models take ids only for parts and folds
            return {}
        found = {each: list_requested_ids(self.model, each) for each in (*METHODS, "fit_transform")}
        routed = {each: {"groups": "groups"} for each, ids in found.items() if not ids and self.routes(each)}
        return {each: ids for each, ids in {**found, **routed}.items() if ids}

    def routes(self, method: str) -> bool:
        """Return whether another library's model routes ids to its only part that takes them, in a method."""
        model: Any = self.model
        if not self.parts or is_known(type(model)) or not hasattr(model, "get_metadata_routing"):
            return False
        asking, router = [part for part in self.parts if part.asks(*METHODS)], None
        if len(asking) == 1 and not (method == "fit" and asking[0].predicts):  # `fit` can also predict
            with suppress(Exception):  # routers of other libraries
                router = model.get_metadata_routing()
        return isinstance(router, MetadataRouter) and bool(router.consumes(method, ["groups"]))

    def find(self, *methods: str) -> "Needs | None":
        """Return the first model, this or one inside, that takes ids in one of these methods, or None."""
        if not (self.passes_ids_itself or self.own.keys().isdisjoint(methods)):
            return self
        return next((found for each in self.inside if (found := each.find(*methods)) is not None), None)

    def asks(self, *methods: str) -> bool:
        """Return whether this model, or one inside, takes ids in one of these methods."""
        return not self.own.keys().isdisjoint(methods) or any(each.asks(*methods) for each in self.inside)

    @cached_property
    def predicts(self) -> bool:
        """Return whether ids are needed to predict or transform."""
        return self.asks(*OUTPUTS)

    @cached_property
    def in_fit(self) -> bool:
        """Return whether the model, a part, its folds or its scorers need ids in `fit`."""
        if self.is_frozen:
            return self.asks(*METHODS)
        itself = self.passes_ids_itself or self.splits or self.scores or bool(self.own)
        return itself or any(each.in_fit for each in self.inside)

    @cached_property
    def grids(self) -> list[Arguments]:
        """The grids of a search: values by the name of a parameter. Other models have none."""
        given = [self.parameters.get(grid) for grid in GRIDS]
        several = [each for grid in given for each in (grid if isinstance(grid, list | tuple) else [grid])]
        return [each for each in several if isinstance(each, Mapping)]

    @cached_property
    def tuned(self) -> set[str]:
        """The names of the parameters in the grids, without the prefix of their parts."""
        return strip_parts(name for grid in self.grids for name in grid)

    @cached_property
    def takes_no_splitter(self) -> bool:
        """Return whether the model splits its rows by an int only: TargetEncoder before scikit-learn 1.9."""
        is_encoder = self.is_theirs and type(self.model).__name__ == "TargetEncoder"
        return is_encoder and not takes(self.model, "fit_transform", "**")

    @cached_property
    def has_own_folds(self) -> bool:
        """Return whether the model splits its rows by an int as `cv` or by default, or else by a splitter."""
        cv = self.parameters.get("cv", "none")
        if is_int(cv):
            is_prefit = bool(self.parts) and all(part.is_frozen for part in self.parts)
            return not (self.takes_no_splitter or is_prefit)
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
        if self.is_simple:
            return {}
        requested: list[Any] = [alias for each in self.own.values() for alias in each.values()]
        requested.append(read_requests(self.parameters.get("cv"), "split").get("groups"))
        requested += [read_requests(scorer, "score").get("groups") for scorer in self.scorers]
        found = {name: "ids" for name in requested if isinstance(name, str) and name != "groups"}
        for each in [*map(list_labels, self.scorers), *(part.names for part in self.inside)]:
            found |= each
        return found

    def list_needed(self, method: str) -> list[str]:
        """List the names of the columns that a method of a fitted model takes or passes to its parts."""
        if (best := find_best(self.model)) is not self.model:
            return self.of_part(best).list_needed(method)
        inside, itself = (ANSWERS, ANSWERS) if method == "score" else (OUTPUTS, (method,))
        takes_ids = not self.own.keys().isdisjoint(itself) or any(part.asks(*inside) for part in self.inside)
        return ["groups", *self.names] if takes_ids else []

    def check_given(self, methods: tuple[str, ...], params: Arguments) -> None:
        """Raise an error that ids are missing if they are needed in one of these methods."""
        part = self.find(*methods)
        if part is None:
            return
        from .._hints.arguments import find_other_name

        name, other = type(part.model).__name__, find_other_name(params)
        fix = "Pass groups=qid."
        if not is_known(type(part.model)):
            method, *more = [each for each in methods if each in part.own]
            fix += NO_IDS.format(part=name, method=method)
            fix += f" Do the same for {', '.join(more)}." * bool(more)
        fail("groups", f"contain the query id of each row for {name}", f"{other}=" if other else None, fix)


def list_requested_ids(model: Estimator, method: str) -> dict[str, str]:
    """List the ids that a method of a model takes: parameter -> the name of the ids.

    Requests come before the signature. A request is one for ids if its parameter, or its name, is `groups`.
    """
    kind: Any = type(model)
    if hasattr(model, "_list_needed_ids"):  # a search or a `WithGroups`, whose parts take ids
        return dict(model._list_needed_ids(method))
    if is_known(kind) and isinstance(getattr(model, "groups", None), str):
        return {}  # a model of this package can read ids from the index
    if parameters_of(kind, method) <= {"self", "X", "y"}:
        return {}
    requests = read_requests(model, method)
    requested = {name: name if alias is True else alias for name, alias in requests.items() if alias}
    if requests.get("groups") is None and takes(model, method, "groups"):
        requested["groups"] = "groups"
    return {name: alias for name, alias in requested.items() if name == "groups" or alias == "groups"}
