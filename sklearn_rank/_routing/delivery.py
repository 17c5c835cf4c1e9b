"""Checks that query ids reach the parts of a model that request them.

scikit-learn's routers report which methods of a part receive metadata. If a router does not report a method,
the model is assumed to call it without ids. The exceptions are listed below.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import NamedTuple, NoReturn

from sklearn.base import ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter

from .._checks.errors import fail
from .._checks.types import Estimator, Ids
from .model_parts import (
    METHODS,
    OUTPUTS,
    find_called,
    inherits_fit_transform,
    is_frozen,
    is_known,
    is_of_scikit_learn,
    is_pipeline,
    is_search,
    is_stack,
    list_candidates,
    list_parts,
    list_requested_ids,
    list_routed,
    place_candidates,
    read_router,
    read_routing,
    reads_index,
    takes,
)

# Models of scikit-learn whose `fit` trains parts by routing alone and does not predict with them.
ONLY_FITS = {"Pipeline", "FeatureUnion", "ColumnTransformer", "TransformedTargetRegressor", "RFE"}
ONLY_FITS |= {"SelectFromModel", "MultiOutputClassifier", "MultiOutputRegressor"}
SELECTORS = {"RFE", "RFECV", "SelectFromModel", "SequentialFeatureSelector"}  # `transform` takes columns only
SCORES = (RegressorMixin.score, ClassifierMixin.score)  # which call `predict` with X only
NO_IDS = " If {part}.{method} needs no ids, set __metadata_request__{method} = {{'groups': False}} in {part}."


class Loss(NamedTuple):
    """A method of a part that requests ids, and the model that calls it without them."""

    part: Estimator
    method: str
    owner: Ids  # or the step that resamples the rows, or the class that lacks a method or a request


def check_delivery(models: Iterable[Estimator], methods: Iterable[str], by_user: bool = False) -> None:
    """Raise an error if a part of a model requests ids that do not reach it; call with routing enabled.

    `by_user` is whether the user has enabled routing. If so, no part is wrapped.
    """
    read = dict[int, _Part]()
    for part in [_Part(model, read) for model in models]:
        for method in methods if part.requests_anywhere else ():
            if method == "fit" or hasattr(part.model, method):
                losses = part.find(method, True, None, top=True)
                of_user = part.find_by_user(methods) if by_user and method == "fit" else ()
                for loss in chain(losses, of_user):
                    _reject(loss, part.model)


def find_requesting(model: Estimator, methods: Iterable[str]) -> Estimator:
    """Return the first part of a model that requests ids in one of these methods, or None."""
    if hasattr(model, "settles_ids") or reads_index(model):
        requesting = []
    else:
        requesting = [method for method in methods if list_requested_ids(model, method)]
    inside = (find_requesting(part, methods) for part in (*list_parts(model), *list_candidates(model)))
    return model if requesting else next((part for part in inside if part is not None), None)


def check_needed(model: Estimator, methods: Iterable[str], params: Iterable[str] = ()) -> None:
    """Raise an error that ids are missing if a part of a model requests them; call with routing enabled."""
    part = find_requesting(model, methods)
    if part is not None:
        from .._hints.arguments import OTHER_NAMES_OF_GROUPS

        name = type(part).__name__
        others = [f"{name}=" for name in params if name in OTHER_NAMES_OF_GROUPS]
        fix = "Pass groups=qid."
        if not is_known(type(part)):
            method, *more = [each for each in methods if list_requested_ids(part, each)]
            fix += NO_IDS.format(part=name, method=method)
            fix += f" Do the same for {', '.join(more)}." * bool(more)
        rule = f"contain the query id of each row for {name}"
        fail("groups", rule, others[0] if others else None, fix)


class _Part:
    """A model, or a model inside it, with its requests. Each is read once."""

    def __init__(self, model: Estimator, read: dict[int, "_Part"]):
        self.model = model
        self.read = read
        read[id(model)] = self

    def _read_all(self, models: Iterable[Estimator]) -> list["_Part"]:
        return [self.read.get(id(model)) or _Part(model, self.read) for model in models]

    @cached_property
    def parts(self) -> list["_Part"]:
        """The models inside the model."""
        return self._read_all(list_parts(self.model))

    @cached_property
    def placed(self) -> list["_Part"]:
        """The model of a search with each candidate in its place."""
        return self._read_all(place_candidates(self.model))

    @cached_property
    def requesting(self) -> list[str]:
        """The methods that request ids, unless the model reads them from the index."""
        model = self.model
        return [] if reads_index(model) else [each for each in METHODS if list_requested_ids(model, each)]

    @cached_property
    def requests_inside(self) -> bool:
        """Return whether a model inside the model requests ids."""
        inside = (*self.parts, *self._read_all(list_candidates(self.model)))
        return any(part.requests_anywhere for part in inside)

    @property
    def requests_anywhere(self) -> bool:
        """Return whether the model, or a model inside it, requests ids."""
        return bool(self.requesting) or self.requests_inside

    @cached_property
    def calls(self) -> list[tuple["_Part", dict[str, list[str]]]] | None:
        """The parts of a router, and those of their methods that get the metadata of each of its methods.

        None for a model that does not support routing, has no router, or takes ids as an argument.
        """
        if getattr(self.model, "settles_ids", False):
            return None
        router, stand_ins = read_router(self.model)
        if router is None:
            return None
        marks = [each.mark + method for each in stand_ins for method in METHODS]
        passed = {caller: router.consumes(caller, marks) for caller in METHODS}
        calls = []
        for part, mark in zip(self.parts, [each.mark for each in stand_ins]):
            reached = {outer: [each for each in METHODS if mark + each in passed[outer]] for outer in METHODS}
            calls.append((part, reached))
        return calls if any(reached["fit"] for _, reached in calls) else None

    def find(self, method: str, reached: bool, owner: Ids, top: bool = False) -> Iterator[Loss]:
        """Yield the methods that a method calls without the ids that they request."""
        model = self.model
        target = find_called(model, method) if top and method != "fit" else model
        if target is not model:
            yield from self._read_all([target])[0].find(method, reached, owner, top)
            return
        if method in self.requesting and not reached:
            yield Loss(model, method, owner)
        if method == "score" and getattr(type(model), "score", None) in SCORES:
            yield from self.find("predict", False, model)
            return
        if not self.requests_inside:
            return
        loser = model if reached else owner
        if is_frozen(model):
            for part in self.parts if method != "fit" and hasattr(model, method) else ():
                yield from part.find(method, False, loser)
        elif is_search(model):
            yield from self._find_in_search(method, reached, top, loser)
        elif top and method != "fit" and is_pipeline(model, method):
            for part in self.parts:  # steps get ids one after the other
                each = method if part is self.parts[-1] else "transform"
                yield from part.find(each, reached, loser, top)
        elif self.calls is not None:
            yield from self._find_in_router(method, reached and takes(model, method, "**", "groups"), loser)
        elif getattr(model, "settles_ids", False):
            for part in self.parts:
                yield from part.find(method, reached, loser, top)
        elif is_known(type(model)) or method not in self.requesting:
            # Models of this package raise an error without ids, and a user's model can pass them its own.
            for part in self.parts:
                for each in ("fit",) if method == "fit" else OUTPUTS:
                    if is_known(type(model)) or not _is_ours(part.model):
                        yield from part.find(each, False, loser)

    def find_by_user(self, methods: Iterable[str]) -> Iterator[Loss]:
        """Yield the losses that wrapping a part would prevent, which is not done with the user's routing.

        These are methods without a request, and `fit_transform` if it is scikit-learn's, which calls
        `transform` without ids.
        """
        for part in self.parts:
            routing = read_routing(part.model)
            settled = isinstance(routing, MetadataRouter) or hasattr(part.model, "settles_ids")
            for method in [] if settled else [each for each in part.requesting if each in methods]:
                requests = getattr(getattr(routing, method, None), "requests", {})
                if any(requests.get(name) is None for name in list_requested_ids(part.model, method)):
                    yield Loss(part.model, method, MetadataRequest)
            if inherits_fit_transform(part.model) and not is_frozen(part.model):
                # On scikit-learn 1.6, routing passes ids to the parts of some models in `fit` only.
                routed = [list_routed(part.model, each, ["groups"]) for each in ("fit", "fit_transform")]
                lost = {"transform": "transform" in part.requesting, "fit": routed == [["groups"], []]}
                yield from (Loss(part.model, each, TransformerMixin) for each in lost if lost[each])
            yield from part.find_by_user(methods)

    def _find_in_router(self, method: str, reached: bool, loser: Estimator) -> Iterator[Loss]:
        for part, by_method in self.calls or ():
            called = by_method[method]
            # The router of a pipeline reports calls of methods that its last step lacks.
            for each in [each for each in called if each == "fit" or hasattr(part.model, each)]:
                yield from part.find(each, reached, loser)
            if method == "fit" and hasattr(part.model, "fit_resample"):  # a step of imbalanced-learn
                reached, loser = False, part.model
            for each in _list_unreported(self.model, part.model, method, called):
                yield from part.find(each, False, loser)

    def _find_in_search(self, method: str, reached: bool, top: bool, loser: Estimator) -> Iterator[Loss]:
        """Yield the losses in a search. Only the outermost search passes ids in `predict`, too."""
        by_itself = self.model.scoring is None
        settles = hasattr(self.model, "settles_ids")
        # On scikit-learn 1.6 the default score of a search does not request what its estimator requests.
        scores = not by_itself or self.calls is None or "score" in self.calls[0][1]["fit"]
        for part in (*self.parts, *self.placed):
            if method != "fit":
                by_scorer = method == "score" and not (by_itself or settles)
                for each in OUTPUTS if by_scorer else (method,):
                    yield from part.find(each, reached and top and not by_scorer, loser)
                continue
            yield from part.find("fit", reached, loser)
            for each in ("score",) if by_itself and scores else OUTPUTS:
                yield from part.find(each, reached and scores, loser)


def _reject(loss: Loss, model: Estimator) -> NoReturn:
    part, owner, method = type(loss.part).__name__, type(loss.owner).__name__, loss.method
    got = f"{owner}, which calls {part}.{method} without 'groups',"
    resamples = hasattr(loss.owner, "fit_resample")
    if resamples:
        got = f"{owner}, which changes the rows before {part}.{method}, so ids no longer match,"
        fix = f"Put {part} before {owner}, or resample before the call."
    elif loss.owner is MetadataRequest:
        got = f"{part}, whose {method} has no request for 'groups',"
        fix = f"Call set_{method}_request(groups=True) of the {part} object."
        if not hasattr(loss.part, f"set_{method}_request"):
            fix = f"Derive {part} from BaseEstimator first, and call set_{method}_request(groups=True)."
    elif loss.owner is TransformerMixin:
        got = f"{part}, whose inherited fit_transform calls {method} without 'groups',"
        fix = f"Define {part}.fit_transform(self, X, y=None, groups=None)."
        fix = "Upgrade scikit-learn." if is_of_scikit_learn(loss.part) else fix
    elif loss.part is loss.owner:
        got = f"{part}, whose score calls {part}.{method} without 'groups',"
        fix = "Pass a scorer, such as scoring='ndcg@10'."
    elif is_search(loss.owner):
        fix = "Use a search of sklearn_rank.model_selection as the outermost model."
    elif hasattr(loss.part, "transform") and not hasattr(loss.part, "predict") and owner != "Pipeline":
        fix = f"Put {part} first: make_pipeline({part}(...), {owner}(...))."
    elif not is_known(type(loss.owner)) and takes(loss.owner, "fit", "**"):
        fix = f"If {owner} passes 'groups' to {part}, declare it: def {method}(self, X, ..., groups=None)."
    else:
        fix = f"Use {part} outside of {owner}."
    if not (resamples or loss.part is loss.owner or _is_ours(loss.part)):
        fix += NO_IDS.format(part=part, method=method)
    fail("estimator", "pass 'groups' to all parts that take it", got, fix)


def _list_unreported(model: Estimator, part: Estimator, method: str, called: Iterable[str]) -> list[str]:
    """List the methods of a part that a method calls without its router reporting the call."""
    name = type(model).__name__
    is_last = is_stack(model) and part is getattr(model, "final_estimator", None)
    unreported, reported = [], {*OUTPUTS, "score"}
    if method == "fit":
        reported = {*OUTPUTS}
        # These fit parts to other rows than their own. The last model of a stack gets what the stack gets.
        refits = name == "SelfTrainingClassifier" or (name == "ClassifierChain" and model.cv is not None)
        unreported += ["fit"] if refits or not (is_last or "fit" in called) else []
        only_fits = name in ONLY_FITS or (name.startswith("Bagging") and not model.oob_score)
        passes_ids = is_of_scikit_learn(model) and not (is_last or only_fits)
    else:
        of_columns = name in SELECTORS and (method == "transform" or name == "SelectFromModel")
        passes_ids = not (of_columns or (is_last and method == "transform"))
    return unreported + ([*OUTPUTS] if passes_ids and not reported.intersection(called) else [])


def _is_ours(model: Estimator) -> bool:
    return type(model).__module__.startswith("sklearn_rank.")
