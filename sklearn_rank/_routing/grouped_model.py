"""Models that are fitted with ids: each part that takes ids gets them, and all else is as in scikit-learn.

A model of which no part takes ids is fitted as scikit-learn fits it. Else scikit-learn's metadata routing
carries the ids. A part that would fail with routing enabled, or that routing does not reach, is wrapped in a
`GroupedModel` of its own while the model is fitted.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import Any

from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping, process_routing

from .._checks.warn import inside_call
from .._models.answers import answer, available_with_model
from .._models.parts import inherits_fit_transform, make_router, read_routing, takes
from .._models.requested import ids_as_arguments, list_requested_ids, list_routed
from ..metrics import without_cautions
from .default_scorer import find_own_scorer
from .ids_in_parts import carries_ids, list_aliases, list_label_names
from .inner_searches import are_watched, watched_searches
from .wrapped_model import WrappedModel
from .wrapped_parts import wrapped_parts


class GroupedModel(WrappedModel):
    """A model that takes ids in `fit` and `score` whether it needs them or not.

    What it hands on is decided in `fit`, by the model as it is then: a search may have replaced its steps.

    Parameters
    ----------
    estimator : object
        The model.
    routing : bool, default=False
        Whether the user has metadata routing enabled, and so says by requests what each model gets.
    names : iterable of str
        The parameters of `fit` other than ids, as the user gave them.
    aliases : iterable of str, default=None
        The names other than `groups` under which the model asks for ids; None to find them.
    weigh : bool or None, default=None
        Whether the model's own `score` gets the weights too; None where that is undecided.
    candidates : bool, default=False
        Whether a search may replace steps by other models.
    is_last : bool, default=False
        Whether this is the last model of a stack, which gets all parameters of the stack's `fit`.
    """

    settles_ids = True

    def __init__(
        self,
        estimator: Any,
        routing: bool = False,
        names: Iterable[str] = (),
        aliases: Iterable[str] | None = None,
        weigh: bool | None = None,
        candidates: bool = False,
        is_last: bool = False,
    ):
        self.estimator = estimator
        self.routing = routing
        self.aliases = tuple(list_aliases(estimator) if aliases is None else aliases)
        self.candidates = candidates
        self.is_last = is_last
        self.fit_request: dict[str, Any] = dict.fromkeys(names, True)
        self.score_request: dict[str, Any] = {"sample_weight": weigh}

    def __sklearn_clone__(self) -> "GroupedModel":
        model = copy(self)
        model.estimator = clone(self.estimator)
        model.fit_request, model.score_request = dict(self.fit_request), dict(self.score_request)
        return model

    def fit(self, X: Any, y: Any = None, **params: Any) -> "GroupedModel":
        """Fit the model, with the ids if it takes them."""
        with inside_call(), watched_searches(self.estimator), self._reaching_parts("fit", params) as given:
            self.estimator.fit(X, y, **given)
        return self

    @available_with_model("transform")
    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit a transformer and transform the same rows, with the ids if it takes them."""
        methods = ("fit", "fit_transform", "transform")
        asked = {method: list_requested_ids(self.estimator, method) for method in methods}
        in_two = asked["transform"] or (asked["fit"] and not asked["fit_transform"])
        if in_two or inherits_fit_transform(self.estimator) or not hasattr(self.estimator, "fit_transform"):
            return self.fit(X, y, **params).transform(X, **self._take_ids(params))
        with self._reaching_parts("fit_transform", params) as given:
            return self.estimator.fit_transform(X, y, **given)

    @available_with_model("transform")
    def transform(self, X: Any, **ids: Any) -> Any:
        """Transform, with the ids if the model takes them there."""
        return answer(self.estimator, "transform", X, ids, routing=self.routing, check=False)

    def _take_ids(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ids among parameters."""
        return {name: params.get(name) for name in ("groups", *self.aliases)}

    @contextmanager
    def _reaching_parts(self, method: str, passed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Let ids reach the parts of the model while it is fitted; yield the arguments of its method.

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
        with routing, wrapped_parts(self.estimator, GroupedModel, self.routing, given) as given:
            routed = list_routed(self.estimator, method, [name for name in ids if ids[name] is not None])
            yield self._by_requests(method, given | {name: ids[name] for name in routed})

    def _own_ids(self, method: str, ids: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ids that the model takes itself, where none travel through it to its parts.

        A search of this package takes those of its parts, too.
        """
        others = {name: ids[name] for name in self.aliases if hasattr(self.estimator, "settles_ids")}
        if self.routing and read_routing(self.estimator) is not None:  # named as it requests them
            asked = list_requested_ids(self.estimator, method).values()
            return {name: ids[name] for name in asked if ids.get(name) is not None} | others
        return ids_as_arguments(self.estimator, method, ids) | others

    def _by_requests(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        """Return what the requests of the model leave, where the user has routing enabled."""
        if not self.routing or self.is_last or read_routing(self.estimator) is None:
            return given
        router = make_router(self, self.estimator, method)
        return dict(process_routing(router, method, **given).estimator[method])

    @available_with_model("score")
    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Score the model, with the ids if it takes them."""
        ids = self._take_ids(params)
        others = {name: value for name, value in params.items() if name not in ids}
        with config_context(enable_metadata_routing=True):
            carries = any(value is not None for value in ids.values()) and carries_ids(self.estimator)
        if carries:
            return answer(self.estimator, "score", X, ids, {"y": y, **others}, self.routing, check=False)
        own = {name: ids[name] for name in list_label_names(self.estimator) if name in ids}
        is_cautioned = are_watched() and find_own_scorer(self.estimator) is not None
        silence = without_cautions() if is_cautioned else nullcontext()
        with self._without_ids(others), silence:
            own |= ids_as_arguments(self.estimator, "score", ids)
            return self.estimator.score(X, y, **others, **own)

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        with self._without_ids(params):
            return getattr(self.estimator, method)(X, **params)

    def _without_ids(self, params: Mapping[str, Any]) -> Any:
        """Enable routing if the user has, and there is something to route: else pipelines of stacks fail."""
        return config_context(enable_metadata_routing=self.routing and bool(params))

    def set_fit_request(self, **requests: Any) -> "GroupedModel":
        """Say what metadata routing should deliver to `fit`."""
        self.fit_request |= requests
        return self

    def get_metadata_routing(self) -> MetadataRouter | MetadataRequest:
        """Request ids, and for `fit` what it was told to; with routing, what the model requests too."""
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
