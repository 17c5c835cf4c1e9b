"""Models that pass ids to each part that takes them, and otherwise behave as in scikit-learn.

If no part of a model takes ids, scikit-learn fits it as usual. Otherwise scikit-learn's metadata routing
passes the ids. A part that would fail with routing enabled, or that routing does not reach, is wrapped in a
`GroupedModel` of its own while the model is fitted.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping, process_routing

from ..._checks.types import Arguments, Estimator, Features, Ids, Labels, Options, Scores, Table
from ..._checks.warn import inside_call, part_of_call, running_call
from ..._routing.model_calls import DelegatingModel, available_with_model, call_method, predicts_with_ids
from ..._routing.model_parts import (
    GRIDS,
    find_models,
    ids_as_arguments,
    inherits_fit_transform,
    is_frozen,
    is_of_scikit_learn,
    is_search,
    is_stack,
    list_parts,
    list_requested_ids,
    list_routed,
    make_router,
    read_parameters,
    read_routing,
    replace_models,
    takes,
)
from ...metrics import without_cautions
from .._catalog.seen_pairs import Pairs, read_pairs
from .fold_checks import are_watched, watched_searches
from .part_requests import (
    InnerSplitter,
    carries_ids,
    has_own_folds,
    list_aliases,
    list_label_names,
    passes_ids_to_folds,
    request_params,
    routes_to_parts,
    splits_by_members,
)
from .scoring import UnwrappingScorer, copy_scorers, find_own_scorer, resolve_scoring, wrap_scorers


class GroupedModel(DelegatingModel):
    """A model that takes ids in `fit` and `score` whether it needs them or not.

    `fit` decides what to pass on by the current model, because a search might have replaced its steps.

    Parameters
    ----------
    estimator : object
        The model.
    routing : bool, default=False
        Whether the user has metadata routing enabled, so that requests determine what each model gets.
    names : iterable of str
        The parameters of `fit` other than ids, as the user passed them.
    aliases : iterable of str, default=None
        The names other than `groups` under which the model requests ids; None to find them.
    weigh : bool or None, default=None
        Whether the model's own `score` gets the weights too; None if that is undecided.
    is_last : bool, default=False
        Whether this is the last model of a stack, which gets all parameters of the stack's `fit`.
    """

    settles_ids = True

    def __init__(
        self,
        estimator: Estimator,
        routing: bool = False,
        names: Iterable[str] = (),
        aliases: Iterable[str] | None = None,
        weigh: bool | None = None,
        is_last: bool = False,
    ):
        self.estimator = estimator
        self.routing = routing
        self.aliases = tuple(list_aliases(estimator) if aliases is None else aliases)
        self.is_last = is_last
        self.fit_request: Options = dict.fromkeys(names, True)
        self.score_request: Options = {"sample_weight": weigh}
        self.recorded: tuple[tuple[Any, Any], ...] = ()  # columns of users and items to record in `fit`
        self.seen: dict[tuple[Any, Any], Pairs] = {}  # the recorded pairs
        self.running_call = running_call()  # which shows each warning once
        self.number: int | None = None  # of the fit; a search makes a clone for each
        self.n_clones = 0

    def __sklearn_clone__(self) -> "GroupedModel":
        model = copy(self)
        model.number, model.n_clones = self.n_clones, 0
        self.n_clones += 1
        model.estimator = clone(self.estimator)
        model.fit_request, model.score_request = dict(self.fit_request), dict(self.score_request)
        return model

    def fit(self, X: Features, y: Labels = None, **params: object) -> "GroupedModel":
        """Fit the model, passing the ids if it takes them."""
        self.seen = {columns: read_pairs(X, *columns) for columns in self.recorded}
        running = part_of_call(self.running_call)
        watched = watched_searches(self.estimator)
        with inside_call(), running, watched, self._reaching_parts("fit", params) as given:
            self.estimator.fit(X, y, **given)
        return self

    @available_with_model("transform")
    def fit_transform(self, X: Features, y: Labels = None, **params: object) -> Features:
        """Fit a transformer and transform the same rows, passing the ids if it takes them."""
        methods = ("fit", "fit_transform", "transform")
        requested = {method: list_requested_ids(self.estimator, method) for method in methods}
        in_two = requested["transform"] or (requested["fit"] and not requested["fit_transform"])
        if in_two or inherits_fit_transform(self.estimator) or not hasattr(self.estimator, "fit_transform"):
            return self.fit(X, y, **params).transform(X, **self._take_ids(params))
        with self._reaching_parts("fit_transform", params) as given:
            return self.estimator.fit_transform(X, y, **given)

    @available_with_model("transform")
    def transform(self, X: Features, **ids: object) -> Features:
        """Transform, passing the ids if the model takes them there."""
        return call_method(self.estimator, "transform", X, ids, routing=self.routing, check=False)

    def _take_ids(self, params: Arguments) -> Options:
        """Return the ids among parameters."""
        return {name: params.get(name) for name in ("groups", *self.aliases)}

    @contextmanager
    def _reaching_parts(self, method: str, passed: Arguments) -> Iterator[Options]:
        """Route ids to the parts of the model while it is fitted; yield the arguments of its method.

        Parts are wrapped before, and unwrapped after.
        """
        own_names = {alias: name for name, alias in self.fit_request.items() if isinstance(alias, str)}
        ids = self._take_ids(passed)
        given = {own_names.get(name, name): value for name, value in passed.items() if name not in ids}
        with config_context(enable_metadata_routing=True):
            carries = ids["groups"] is not None and carries_ids(self.estimator)
        if not carries:
            with config_context(enable_metadata_routing=self.routing):
                yield self._by_requests(method, given | self._own_ids(method, ids))
            return
        routing = config_context(enable_metadata_routing=True)
        with routing, wrapped_parts(self.estimator, self.routing, given) as given:
            routed = list_routed(self.estimator, method, [name for name in ids if ids[name] is not None])
            yield self._by_requests(method, given | {name: ids[name] for name in routed})

    def _own_ids(self, method: str, ids: Arguments) -> Options:
        """Return the ids that the model takes itself if it does not route ids to its parts.

        A search of this package also takes the ids of its parts.
        """
        others = {name: ids[name] for name in self.aliases if hasattr(self.estimator, "settles_ids")}
        if self.routing and read_routing(self.estimator) is not None:  # under the names that it requests
            requested = list_requested_ids(self.estimator, method).values()
            return {name: ids[name] for name in requested if ids.get(name) is not None} | others
        return ids_as_arguments(self.estimator, method, ids) | others

    def _by_requests(self, method: str, given: Options) -> Options:
        """Return the parameters that the model requests if the user has routing enabled."""
        if not self.routing or self.is_last or read_routing(self.estimator) is None:
            return given
        router = make_router(self, self.estimator, method)
        return dict(process_routing(router, method, **given).estimator[method])

    @available_with_model("score")
    def score(self, X: Features, y: Labels = None, **params: object) -> float:
        """Score the model, passing the ids if it takes them."""
        labels = {name: params[name] for name in list_label_names(self.estimator) if name in params}
        ids = {name: values for name, values in self._take_ids(params).items() if name not in labels}
        others = {name: value for name, value in params.items() if name not in ids}
        is_cautioned = are_watched() and find_own_scorer(self.estimator) is not None
        with without_cautions() if is_cautioned else nullcontext(), part_of_call(self.running_call):
            return call_method(self.estimator, "score", X, ids, {"y": y, **others}, self.routing, check=False)

    def _call_method(self, method: str, X: Features, params: Options) -> Scores:
        with config_context(enable_metadata_routing=self.routing), part_of_call(self.running_call):
            return getattr(self.estimator, method)(X, **params)

    def set_fit_request(self, **requests: object) -> "GroupedModel":
        """Set the metadata that routing passes to `fit`."""
        self.fit_request |= requests
        return self

    def get_metadata_routing(self) -> MetadataRouter | MetadataRequest:
        """Request ids and what `set_fit_request` set; with routing, also what the model requests."""
        requests = MetadataRequest(owner=self)
        for name, alias in self.fit_request.items():
            requests.fit.add_request(param=name, alias=alias)
        for name in ("groups", *self.aliases):
            requests.fit.add_request(param=name, alias=True)
            requests.score.add_request(param=name, alias=True)
            if hasattr(self.estimator, "transform"):
                requests.transform.add_request(param=name, alias=True)
        for name, alias in {} if self.routing else self.score_request.items():
            known = alias is False or takes(self.estimator, "score", name)
            requests.score.add_request(param=name, alias=alias if known else None)
        if not self.routing:
            return requests
        mapping = MethodMapping()
        for method in ("score",) if self.fit_request else ("fit", "fit_transform", "score"):
            mapping.add(caller=method, callee=method)
        router = MetadataRouter(owner=self).add_self_request(requests)
        return router.add(estimator=self.estimator, method_mapping=mapping)


# ------------------------------------------------------------------ parts while a model is fitted


@contextmanager
def wrapped_parts(model: object, routing: bool, params: Arguments) -> Iterator[Options]:
    """Wrap parts of a model so that ids reach all that take them; yield its parameters of `fit`.

    At the end the user's parts, folds, scorers and requests are restored, also in fitted attributes.
    """
    others = [name for name, value in read_parameters(model).items() if not find_models(value)]
    kept = {key: value for key, value in vars(model).items() if key in others or _is_request(value)}
    try:
        _wrap_parts(model, routing, bool(params))
        yield dict(params) if routing else request_params(model, params)
    finally:
        for name in [name for name, value in vars(model).items() if _is_request(value)]:
            delattr(model, name)
        vars(model).update(kept)
        _unwrap_parts(model)


def _is_request(value: object) -> bool:
    return isinstance(value, MetadataRequest)


def _wrap_parts(model: Estimator, routing: bool, weighs: bool) -> None:
    """Wrap the members of a stack, the model of a search, and all parts through which ids are passed.

    If the user has routing disabled, also wrap parts that must not be fitted with routing enabled. Replace an
    int as `cv` by folds of whole queries.
    """
    changed: Options = {}
    for name, value in read_parameters(model).items():
        if find_models(value) and name not in GRIDS:
            changed[name] = replace_models(value, lambda part: _wrap_part(part, model, routing, weighs))
    if is_stack(model):
        last = _default_final(model) if model.final_estimator is None else model.final_estimator
        changed["final_estimator"] = GroupedModel(last, routing, is_last=True, aliases=list_aliases(model))
    scoring = read_parameters(model).get("scoring")
    if scoring is not None:
        names = ("groups", *list_aliases(model)) if is_search(model) and predicts_with_ids(model) else ()
        scoring = resolve_scoring(scoring) if names else scoring
        scoring = scoring if routing else copy_scorers(scoring)
        changed["scoring"] = wrap_scorers(scoring, names, cautioned=is_search(model))
    if has_own_folds(model) and passes_ids_to_folds(model):
        changed["cv"] = InnerSplitter(model.cv)
    if changed:
        model.set_params(**changed)


def _wrap_part(part: Estimator, owner: Ids, routing: bool, weighs: bool) -> Any:
    """Return a part of a model, wrapped if it has to be."""
    if is_frozen(part) and hasattr(owner, "ensemble"):  # calibration looks for it
        return part
    # The wrapper gets the requests, so that the part keeps its own.
    if splits_by_members(owner) or is_search(owner) or carries_ids(part) or (weighs and not routing):
        return GroupedModel(part, routing)
    if routing or getattr(part, "fits_with_routing", False):
        return part
    # Only scikit-learn's own models are known to behave the same with routing enabled.
    plain = is_of_scikit_learn(part) and not (list_parts(part) or read_routing(part) is None)
    return part if plain else GroupedModel(part, routing)


def _default_final(stack: Estimator) -> Any:
    """Return the default final estimator of scikit-learn's stacks."""
    from sklearn.linear_model import LogisticRegression, RidgeCV  # takes long to import

    return LogisticRegression() if is_classifier(stack) else RidgeCV()


def _unwrap_parts(model: Estimator) -> None:
    """Restore the replaced parts in a model and in its fitted attributes.

    Search only models through which ids are passed, and the objects in which scikit-learn keeps parts.
    """
    for name, value in list(vars(model).items()):
        if (put_back := _unwrap(value)) is not value:
            setattr(model, name, put_back)


def _unwrap(value: object) -> Estimator:
    """Return a value of an attribute without wrappers."""
    if isinstance(value, GroupedModel):
        return value.estimator  # its `fit` has restored its parts
    if isinstance(value, InnerSplitter):
        return value.given
    if isinstance(value, UnwrappingScorer):
        return value.scorer
    if isinstance(value, dict | list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return _unwrap_entries(value)
    if _may_hold_wrappers(value):
        _unwrap_parts(value)
    return value


def _may_hold_wrappers(value: object) -> bool:
    """Return whether parts of a value might have been replaced: it is a model or scikit-learn's object."""
    if not hasattr(value, "__dict__") or isinstance(value, type) or is_frozen(value):
        return False
    return routes_to_parts(value) if hasattr(value, "fit") else is_of_scikit_learn(value)


def _unwrap_entries(container: Table) -> Any:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    items = container.values() if isinstance(container, dict) else container
    changed = {key: new for key, old in zip(keys, items) if (new := _unwrap(old)) is not old}
    if isinstance(container, tuple) and changed:
        entries = [changed.get(key, container[key]) for key in keys]
        return container._make(entries) if hasattr(container, "_make") else type(container)(entries)
    for key, item in changed.items():
        container[key] = item
    return container
