"""How query ids reach splitter, model and scorer: scikit-learn's metadata routing, opened for one call.

Opening it changes what other fit parameters mean. Where the user has routing off, each of them is requested,
on a clone, by just the estimator that would have received it, under a private name that nothing else reads.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

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
        try:
            get_routing_for_object(estimator)
        except NotImplementedError as error:
            raise ValueError(REFUSES_ROUTING.format(estimator=type(estimator).__name__)) from error
        if not user_routing:
            estimator = request_undecided_groups(clone(estimator))
            scoring, for_scorers = _alias_for_scorers(scoring, params, weights_reach_scorers)
            params = {**_alias_for_fit(function, estimator, params), **for_scorers}
    cv = WholeQueries.around(cv, y, estimator)
    return Call(estimator, scoring, cv, {**params, "groups": groups}, routing=True)


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
    names = [scorer.groups for scorer in rankings if scorer.groups is not None]
    for candidate in (groups, params.get("groups"), *names):
        if candidate is not None:
            ids = resolve_groups(candidate, X, y, function)
            check_groups(ids, count_rows(X), function)
            return ids
    if rankings:
        raise ValueError(rankings[0].explain_groups())
    return None


def _list_scorers(scoring: Any) -> list[Any]:
    return list(scoring.values()) if isinstance(scoring, Mapping) else [scoring]


def request_undecided_groups(estimator: Any) -> Any:
    """Request `groups` wherever a `fit` or `score` takes them and nobody has said yes or no."""
    nested = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    for consumer in (estimator, *nested):
        routing = _consumer_requests(consumer)
        for method in ("fit", "score"):
            if routing is not None and getattr(routing, method).requests.get("groups", False) is None:
                getattr(consumer, f"set_{method}_request")(groups=True)
    return estimator


def _consumer_requests(estimator: Any) -> MetadataRequest | None:
    """Return what an estimator itself requests; None for one that only hands on."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_metadata_routing"):
        return None
    routing = get_routing_for_object(estimator)
    return routing if isinstance(routing, MetadataRequest) else None


def _alias_for_fit(function: str, estimator: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Request each fit parameter where scikit-learn would have passed it."""
    for name in params:
        if not _request_in_fit(estimator, name, f"fit__{name}"):
            rule = f"name parameters that the fit of {type(estimator).__name__} takes"
            fail("params", function, rule, repr(name))
    return {f"fit__{name}": value for name, value in params.items()}


def _request_in_fit(estimator: Any, name: str, alias: str) -> bool:
    """Request a fit parameter, `step__name` in a pipeline; tell whether anything took it."""
    if isinstance(estimator, Pipeline):
        step, _, rest = name.partition("__")
        return step in estimator.named_steps and _request_in_fit(estimator.named_steps[step], rest, alias)
    routing = _consumer_requests(estimator)
    if routing is not None and name in routing.fit.requests:
        estimator.set_fit_request(**{name: alias})
        return True
    # A meta-estimator hands its fit parameters on to the estimators that it wraps.
    return any([_request_in_fit(child, name, alias) for child in _children(estimator)])


def _children(estimator: Any) -> Iterator[Any]:
    """Yield the estimators among the parameters, alone or in lists of named ones."""
    params = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    for value in params.values():
        for item in value if isinstance(value, list | tuple) else [value]:
            for candidate in item if isinstance(item, tuple) else [item]:
                if hasattr(candidate, "fit") and not isinstance(candidate, type):
                    yield candidate


def _alias_for_scorers(
    scoring: Any, params: Mapping[str, Any], weights_reach_scorers: bool
) -> tuple[Any, dict[str, Any]]:
    """Request for each scorer, on a copy, those of `params` that it has been told to request."""
    taken: dict[str, Any] = {}

    def alias(scorer: Any) -> Any:
        requests = {} if scorer is None else get_routing_for_object(scorer).score.requests
        asked = [name for name, request in requests.items() if request is True and name in params]
        # Searches of scikit-learn >= 1.7 pass the weights of `fit` on to scorers that take them.
        if (
            weights_reach_scorers
            and requests.get("sample_weight", False) is None
            and "sample_weight" in params
        ):
            asked.append("sample_weight")
        if not asked:
            return scorer
        taken.update({f"score__{name}": params[name] for name in asked})
        return deepcopy(scorer).set_score_request(**{name: f"score__{name}" for name in asked})

    if isinstance(scoring, Mapping):
        return {name: alias(scorer) for name, scorer in scoring.items()}, taken
    return alias(scoring), taken
