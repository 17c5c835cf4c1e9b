"""The check before training that query ids reach the parts of a model that request them.

The routers of scikit-learn report which method of a part gets the metadata of a method of the whole. A call
that they do not report is treated as made without ids, unless scikit-learn's model is known not to make it.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from sklearn.base import ClassifierMixin, RegressorMixin, TransformerMixin

from .._checks.errors import fail
from .parts import (
    ANSWERS,
    METHODS,
    inherits_fit_transform,
    is_frozen,
    is_of_scikit_learn,
    is_search,
    is_stack,
    list_candidates,
    list_parts,
    place_candidates,
    read_parameters,
    read_router,
)
from .requested import list_requested_ids, list_routed

# Models of scikit-learn whose `fit` trains parts by routing alone and does not predict with them.
ONLY_FITS = {"Pipeline", "FeatureUnion", "ColumnTransformer", "TransformedTargetRegressor", "RFE"}
ONLY_FITS |= {"SelectFromModel", "MultiOutputClassifier", "MultiOutputRegressor"}
SELECTORS = {"RFE", "RFECV", "SelectFromModel", "SequentialFeatureSelector"}  # `transform` takes columns only
SCORES = (RegressorMixin.score, ClassifierMixin.score)  # which call `predict` with X only
OPTS_OUT = " If {part} needs no ids there, set __metadata_request__{method} = {{'groups': False}} in it."


class Loss(NamedTuple):
    """A method of a part that asks for ids, and the model that calls it without them."""

    part: Any
    method: str
    owner: Any  # or the step that resamples the rows


def check_delivery(
    models: Iterable[Any], function: str, methods: Iterable[str], by_user: bool = False
) -> None:
    """Raise an error if a part of a model requests ids that do not reach it; call with routing enabled.

    `by_user` is whether the user has enabled routing. If so, no part is wrapped.
    """
    gate = _Gate()
    for model in models:
        if not gate.asks_somewhere(model):
            continue
        for method in methods:
            if method == "fit" or hasattr(model, method):
                losses = gate.find(model, method, True, None, top=True)
                inherited = gate.find_inherited(model) if by_user and method == "fit" else ()
                for loss in chain(losses, inherited):
                    _refuse(loss, model, function)


Calls = list[tuple[Any, dict[str, list[str]]]]


class _Gate:
    """The search for losses in models; each model is read once."""

    def __init__(self) -> None:
        self._read: dict[Any, tuple[Any, Any]] = {}

    def _once(self, read: Callable[..., Any], model: Any, *method: str) -> Any:
        """Read a model with a function once. The model is kept, so that its `id` is not reused."""
        key = (read.__name__, id(model), *method)
        if key not in self._read:
            self._read[key] = (model, read(model, *method))
        return self._read[key][1]

    def asks(self, model: Any, method: str) -> bool:
        """Return whether a method asks for ids, unless the model reads them from the index."""
        return bool(self._once(_asks, model, method))

    def asks_somewhere(self, model: Any) -> bool:
        """Return whether a model, or a model inside it, asks for ids."""
        return any(self.asks(model, method) for method in METHODS) or self.asks_inside(model)

    def asks_inside(self, model: Any) -> bool:
        """Return whether a model inside a model asks for ids."""
        return any(map(self.asks_somewhere, self._once(_list_inside, model)))

    def find(self, model: Any, method: str, reached: bool, owner: Any, top: bool = False) -> Iterator[Loss]:
        """Yield the methods that a method calls without the ids that they request."""
        while hasattr(model, "best_estimator_") and top and method != "fit":
            model = model.best_estimator_
        if self.asks(model, method) and not reached:
            yield Loss(model, method, owner)
        if method == "score" and getattr(type(model), "score", None) in SCORES:
            yield from self.find(model, "predict", False, model)
            return
        if not self.asks_inside(model):
            return
        parts, loser = self._once(list_parts, model), model if reached else owner
        if is_frozen(model):
            for part in parts if method != "fit" else ():
                yield from self.find(part, method, False, model)
        elif is_search(model):
            yield from self._in_search(model, method, reached, top, loser)
        elif (calls := self._once(_read_calls, model)) is not None:
            yield from self._in_router(model, calls, method, reached, loser)
        elif getattr(model, "settles_ids", False):
            for part in parts:
                yield from self.find(part, method, reached, loser, top)
        elif _is_known(model) or not self.asks(model, method):
            # Models of this package raise an error without ids, and a user's model can give them their own.
            for part in parts if _is_known(model) else [part for part in parts if not _is_ours(part)]:
                for each in ("fit",) if method == "fit" else ANSWERS:
                    yield from self.find(part, each, False, loser)

    def find_inherited(self, model: Any) -> Iterator[Loss]:
        """Yield transformers whose `fit_transform` is scikit-learn's, which calls `transform` without ids."""
        for part in list_parts(model):
            if inherits_fit_transform(part) and not is_frozen(part):
                lost = {"transform": self.asks(part, "transform"), "fit": _loses_in_fit_transform(part)}
                yield from (Loss(part, method, TransformerMixin) for method in lost if lost[method])
            yield from self.find_inherited(part)

    def _in_router(self, model: Any, calls: Calls, method: str, reached: bool, loser: Any) -> Iterator[Loss]:
        for part, by_method in calls:
            called = by_method[method]
            for each in called:
                yield from self.find(part, each, reached, loser)
            if method == "fit" and hasattr(part, "fit_resample"):  # a step of imbalanced-learn
                reached, loser = False, part
            for each in _list_unreported(model, part, method, called):
                yield from self.find(part, each, False, loser)

    def _in_search(self, model: Any, method: str, reached: bool, top: bool, loser: Any) -> Iterator[Loss]:
        """Yield the losses in a search. Only the outermost search passes ids in `predict`, too."""
        # On scikit-learn 1.6 the default score of a search does not request what its estimator requests.
        calls = self._once(_read_calls, model) if model.scoring is None else None
        scores = calls is None or "score" in calls[0][1]["fit"]
        for part in (*self._once(list_parts, model), *self._once(place_candidates, model)):
            if method != "fit":
                yield from self.find(part, method, reached and top, loser)
                continue
            yield from self.find(part, "fit", reached, loser)
            for each in ("score",) if model.scoring is None and scores else ANSWERS:
                yield from self.find(part, each, reached and scores, loser)


def _refuse(loss: Loss, model: Any, function: str) -> NoReturn:
    part, owner = type(loss.part).__name__, type(loss.owner).__name__
    got = f"{owner}, which calls {part}.{loss.method} without 'groups',"
    reads_index = "groups" in read_parameters(loss.part)
    resamples = hasattr(loss.owner, "fit_resample")
    if resamples:
        got = f"{owner}, which passes other rows to {part}.{loss.method} than those of 'groups',"
        fix = f"Put {part} before {owner}, or resample before the call."
    elif reads_index:
        fix = f"Let {part} read the ids from an index level of X: {part}(groups='qid')."
    elif isinstance(loss.owner, type):
        got = f"{part}, whose inherited fit_transform calls {loss.method} without 'groups',"
        fix = f"Define {part}.fit_transform(self, X, y=None, groups=None)."
        fix = "Upgrade scikit-learn." if is_of_scikit_learn(loss.part) else fix
    elif loss.part is loss.owner:
        got = f"{part}, whose score calls {loss.method} without 'groups',"
        fix = "Pass a scorer, such as scoring='ndcg@10'."
    elif is_search(loss.owner):
        fix = f"Use sklearn_rank.{owner} as the outermost model."
    elif hasattr(loss.part, "transform") and not hasattr(loss.part, "predict") and owner != "Pipeline":
        fix = f"Put {part} before it: make_pipeline({part}(...), {owner}(...))."
    else:
        fix = f"Use {part} outside of {owner}."
    if not (reads_index or resamples or loss.part is loss.owner or _is_ours(loss.part)):
        fix += OPTS_OUT.format(part=part, method=loss.method)
    fail("estimator", function, "pass 'groups' to all of its parts that take it", got, fix)


def _list_unreported(model: Any, part: Any, method: str, called: Iterable[str]) -> list[str]:
    """List the methods of a part that a method calls without its router reporting the call."""
    name = type(model).__name__
    is_last = is_stack(model) and part is getattr(model, "final_estimator", None)
    unreported, reported = [], {*ANSWERS, "score"}
    if method == "fit":
        reported = {*ANSWERS}
        # These fit parts to other rows than their own. The last model of a stack gets what the stack gets.
        refits = name == "SelfTrainingClassifier" or (name == "ClassifierChain" and model.cv is not None)
        unreported += ["fit"] if refits or not (is_last or "fit" in called) else []
        only_fits = name in ONLY_FITS or (name.startswith("Bagging") and not model.oob_score)
        answers = is_of_scikit_learn(model) and not (is_last or only_fits)
    else:
        of_columns = name in SELECTORS and (method == "transform" or name == "SelectFromModel")
        answers = not (of_columns or (is_last and method == "transform"))
    return unreported + ([*ANSWERS] if answers and not reported.intersection(called) else [])


def _read_calls(model: Any) -> Calls | None:
    """Return the parts of a router, and which of their methods get the metadata of each of its methods.

    None for a model that refuses routing, has no router, or takes ids as an argument.
    """
    if getattr(model, "settles_ids", False):
        return None
    router, stand_ins = read_router(model)
    if router is None:
        return None
    marks = [each.mark + method for each in stand_ins for method in METHODS]
    passed = {caller: router.consumes(caller, marks) for caller in METHODS}
    calls = []
    for each in stand_ins:
        reached = {
            caller: [method for method in METHODS if each.mark + method in found]
            for caller, found in passed.items()
        }
        calls.append((each.estimator, reached))
    return calls if any(reached["fit"] for _, reached in calls) else None


def _loses_in_fit_transform(model: Any) -> bool:
    """Return whether routing passes ids to the parts of a model in `fit` only, as scikit-learn 1.6 does."""
    return bool(list_routed(model, "fit", ["groups"])) and not list_routed(model, "fit_transform", ["groups"])


def _asks(model: Any, method: str) -> bool:
    return not isinstance(read_parameters(model).get("groups"), str) and bool(
        list_requested_ids(model, method)
    )


def _list_inside(model: Any) -> list[Any]:
    return [*list_parts(model), *list_candidates(model)]


def _is_known(model: Any) -> bool:
    """Return whether a model without a router is known to pass no ids to its parts."""
    return is_of_scikit_learn(model) or _is_ours(model)


def _is_ours(model: Any) -> bool:
    return type(model).__module__.startswith("sklearn_rank.")
