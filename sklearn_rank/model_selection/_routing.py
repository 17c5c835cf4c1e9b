"""How query ids reach splitter, model and scorer: scikit-learn's metadata routing, opened for one call.

Opening it changes what other fit parameters mean. Where the user has routing off, each of them is requested,
on a clone, by just the estimators that would have received it.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from inspect import signature
from typing import Any, NamedTuple

from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object

from .._validation import check_groups, count_rows, fail, resolve_groups
from ..metrics import RankingScorer, get_scorer
from ._whole_queries import WholeQueries

REFUSES_ROUTING = """{estimator} refuses scikit-learn's metadata routing, by which query ids reach a scorer.
Let the ids travel in the data and keep routing off:
  X = X.set_index(pandas.Index(qid, name="qid"))
  scoring, cv = ndcg_scorer(k=10, groups="qid"), BalancedGroupKFold()
  sklearn.model_selection.cross_val_score(model, X, y, scoring=scoring, cv=cv, groups=qid)"""


class Call(NamedTuple):
    """What to call scikit-learn's function with, and whether with routing enabled."""

    estimator: Any
    scoring: Any
    cv: Any
    params: dict[str, Any]
    routing: bool


class EstimatorScore:
    """Score by the model's own `score`, which gets what it requests; what ``scoring=None`` means."""

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> float:
        """Return ``estimator.score(X, y, **metadata)``."""
        return estimator.score(X, y, **metadata)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model's `score` requests."""
        mapping = MethodMapping().add(caller="score", callee="score")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)


def prepare(
    function: str,
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    scoring: Any,
    cv: Any,
    params: Mapping[str, Any] | None,
    weights_reach_scorers: bool = False,
) -> Call:
    """Make `groups` reach splitter, model and scorer; without any, leave the call as it is."""
    params = dict(params or {})
    scoring = resolve_scoring(scoring)
    groups = _find_groups(function, groups, params, scoring, X, y)
    user_routing = get_config()["enable_metadata_routing"]
    if groups is None:
        return Call(estimator, scoring, cv, params, user_routing)
    params.pop("groups", None)
    with config_context(enable_metadata_routing=True):
        _check_routing(estimator)
        if not user_routing:
            estimator, scoring = request_undecided_groups(clone(estimator)), _copy_scorers(scoring)
            params = _request_params(function, estimator, scoring, params, weights_reach_scorers)
    if scoring is None and hasattr(estimator, "score"):
        scoring = EstimatorScore(estimator)
    cv = WholeQueries.around(cv, y, estimator)
    return Call(estimator, scoring, cv, {**params, "groups": groups}, routing=True)


def _check_routing(estimator: Any) -> None:
    """Check that no estimator refuses routing; the innermost one that does is to blame."""
    for candidate in reversed([estimator, *_nested(estimator)]):
        try:
            get_routing_for_object(candidate)
        except NotImplementedError as error:
            raise ValueError(REFUSES_ROUTING.format(estimator=type(candidate).__name__)) from error


def resolve_scoring(scoring: Any) -> Any:
    """Turn names into scorers; None and callables stay as they are."""
    if isinstance(scoring, str):
        return get_scorer(scoring)
    if isinstance(scoring, list | tuple | set) and all(isinstance(name, str) for name in scoring):
        return {name: get_scorer(name) for name in scoring}
    if isinstance(scoring, Mapping):
        return {name: resolve_scoring(scorer) for name, scorer in scoring.items()}
    return scoring


def _find_groups(function: str, groups: Any, params: dict[str, Any], scoring: Any, X: Any, y: Any) -> Any:
    """Find the ids: given, among `params`, or by the name that a scorer reads them by."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", function, "be given once, as an argument or in 'params'", "both")
    rankings = [scorer for scorer in _list_scorers(scoring) if isinstance(scorer, RankingScorer)]
    names = [scorer.groups for scorer in rankings]
    aliases = [(scorer.score_request or {}).get("groups") for scorer in rankings]
    aliased = [params.get(alias) for alias in aliases if isinstance(alias, str)]
    for candidate in (groups, params.get("groups"), *names, *aliased):
        if candidate is not None:
            ids = resolve_groups(candidate, X, y, function)
            check_groups(ids, count_rows(X), function)
            return ids
    if rankings:
        raise ValueError(rankings[0].explain_groups())
    return None


def _list_scorers(scoring: Any) -> list[Any]:
    return list(scoring.values()) if isinstance(scoring, Mapping) else [scoring]


def _nested(estimator: Any) -> list[Any]:
    """List all estimators among the parameters, theirs included, outer ones first."""
    children = list(_children(estimator))
    return children + [nested for child in children for nested in _nested(child)]


def _children(estimator: Any) -> Iterator[Any]:
    """Yield the estimators among the parameters, alone or in containers."""
    containers = [estimator.get_params(deep=False)] if hasattr(estimator, "get_params") else []
    while containers:
        container = containers.pop()
        for value in container.values() if isinstance(container, Mapping) else container:
            if isinstance(value, Mapping | list | tuple):
                containers.append(value)
            elif hasattr(value, "fit") and not isinstance(value, type):
                yield value


def request_undecided_groups(estimator: Any) -> Any:
    """Request `groups` wherever a `fit` or `score` takes them and nobody has said yes or no."""
    for consumer in (estimator, *_nested(estimator)):
        routing = get_routing_for_object(consumer)
        for method in ("fit", "score"):
            # What only routes has no requests of its own to decide.
            requests = getattr(getattr(routing, method, None), "requests", {})
            if requests.get("groups", False) is None:
                getattr(consumer, f"set_{method}_request")(groups=True)
    return estimator


def _copy_scorers(scoring: Any) -> Any:
    """Copy scorers, to change what they request; rankings get the ids as `groups`, whatever their alias."""
    if isinstance(scoring, Mapping):
        return {name: _copy_scorers(scorer) for name, scorer in scoring.items()}
    scorer = deepcopy(scoring)
    if isinstance(scorer, RankingScorer) and scorer.groups is None:
        scorer.set_score_request(groups=True)
    return scorer


def _request_params(
    function: str,
    estimator: Any,
    scoring: Any,
    params: Mapping[str, Any],
    weights_reach_scorers: bool,
) -> dict[str, Any]:
    """Request each parameter where scikit-learn would have passed it, and nowhere else."""
    named = {}
    for name, value in params.items():
        step, _, rest = name.rpartition("__")
        consumer = _find_step(estimator, step)
        # Two steps may each have theirs: a private name, which nothing else reads, keeps them apart.
        alias = f"fit__{name}" if step else True
        taken = consumer is not None and _request(consumer, "fit", rest, alias)
        if not step:
            reaches = weights_reach_scorers and name == "sample_weight"
            taken |= _request_in_scorers(estimator, scoring, name, reaches)
        if not taken:
            rule = f"name parameters that the fit of {type(estimator).__name__} takes"
            fail("params", function, rule, repr(name))
        named[alias if step else name] = value
    return named


def _find_step(estimator: Any, path: str) -> Any:
    """Find the step of a pipeline that `path` leads to; None where there is no such step."""
    for step in filter(None, path.split("__")):
        estimator = getattr(estimator, "named_steps", {}).get(step)
    return None if isinstance(estimator, Pipeline) else estimator


def _request(estimator: Any, method: str, name: str, alias: Any) -> bool:
    """Request a parameter of a method in an estimator and all it wraps; tell whether anything takes it."""
    taken = False
    for consumer in (estimator, *_nested(estimator)):
        if isinstance(getattr(consumer, "scoring", None), str):  # a search, or a model that searches itself
            scorer = get_scorer(consumer.scoring)
            _request_in_scorers(consumer, scorer, name, reaches=alias)
            consumer.set_params(scoring=scorer)
        setter = getattr(consumer, f"set_{method}_request", None)
        if setter is not None and name in signature(setter).parameters:
            setter(**{name: alias})
            taken = True
    return taken


def _request_in_scorers(estimator: Any, scoring: Any, name: str, reaches: Any) -> bool:
    """Settle what scorers do with a parameter of `fit`; tell whether one had asked for it."""
    asked = False
    for scorer in _list_scorers(scoring):
        if scorer is None:
            _request(estimator, "score", name, reaches)
            continue
        requests = get_routing_for_object(scorer).score.requests
        asked |= requests.get(name) is True or name in requests.values()
        if requests.get(name, False) is None:
            scorer.set_score_request(**{name: reaches})
    return asked
