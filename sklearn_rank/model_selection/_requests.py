"""Who asks for which parameter: requests that are set on clones, for one call with routing enabled."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
import sklearn
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from .._validation import fail
from ._scoring import copy_scorers, list_scorers, resolve_scoring

SCIKIT_LEARN_VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
SEARCHES_WEIGH = SCIKIT_LEARN_VERSION >= (1, 7)  # they pass the weights of `fit` on to their scorers


def nested(estimator: Any) -> list[Any]:
    """List all estimators among the parameters, theirs included, outer ones first."""
    has_parameters = callable(getattr(estimator, "get_params", None))
    parameters = estimator.get_params(deep=False) if has_parameters else {}
    children = find_models(parameters) if isinstance(parameters, Mapping) else []
    return children + [inner for child in children for inner in nested(child)]


def find_models(container: Any) -> list[Any]:
    """List the models in a container: a model itself, values of a mapping, lists, arrays of objects."""
    if hasattr(container, "fit") and not isinstance(container, type):
        return [container]
    if isinstance(container, Mapping):
        container = list(container.values())
    if isinstance(container, np.ndarray) and container.dtype == object:
        container = container.ravel().tolist()
    if isinstance(container, list | tuple):
        return [model for value in container for model in find_models(value)]
    return []


def request_undecided_groups(estimator: Any) -> Any:
    """Request `groups` wherever a `fit` or `score` takes them and nobody has said yes or no."""
    for consumer in (estimator, *nested(estimator)):
        routing = get_routing_for_object(consumer)
        for method in ("fit", "score"):
            # What only routes has no requests of its own to decide.
            requests = getattr(getattr(routing, method, None), "requests", {})
            if requests.get("groups", False) is None:
                getattr(consumer, f"set_{method}_request")(groups=True)
        if _has_scoring(consumer) and not isinstance(consumer.scoring, str):
            consumer.set_params(scoring=copy_scorers(consumer.scoring))
    return estimator


def _has_scoring(estimator: Any) -> bool:
    """Tell whether this is a search, or a model that searches by itself."""
    return getattr(estimator, "scoring", None) is not None and hasattr(estimator, "set_params")


def request_params(
    function: str,
    estimator: Any,
    scoring: Any,
    cv: Any,
    params: Mapping[str, Any],
    weights_reach_scorers: bool,
) -> dict[str, Any]:
    """Request each parameter where scikit-learn would have passed it, and nowhere else."""
    named = {}
    for name, value in params.items():
        step, _, rest = name.rpartition("__")
        consumer = _find_step(estimator, step)
        # Two steps may each have theirs: a private name, which nothing else reads, keeps them apart.
        key = f"fit__{name}" if step else name
        taken = consumer is not None and request(consumer, "fit", rest, key if step else True)
        if not step:
            reaches = weights_reach_scorers and name == "sample_weight"
            taken |= _request_in_scorers(estimator, scoring, name, reaches)
            taken |= hasattr(cv, "get_metadata_routing") and name in cv.get_metadata_routing().split.requests
        if not taken:
            rule = (
                f"name parameters that scikit-learn's metadata routing delivers to the fit of "
                f"{type(estimator).__name__}: those of its signature, if it is scikit-learn's kind"
            )
            fail("params", function, rule, repr(name))
        named[key] = value
    return named


def _find_step(estimator: Any, path: str) -> Any:
    """Find the step of a pipeline that `path` leads to, within searches too; None where there is none."""
    for step in filter(None, path.split("__")):
        while hasattr(estimator, "estimator") and not isinstance(estimator, Pipeline):
            estimator = estimator.estimator
        estimator = getattr(estimator, "named_steps", {}).get(step)
    return None if isinstance(estimator, Pipeline) else estimator


def request(estimator: Any, method: str, name: str, alias: Any) -> bool:
    """Request a parameter of a method in an estimator and all it wraps; tell whether anything takes it."""
    taken = False
    for consumer in (estimator, *nested(estimator)):
        if method == "fit" and hasattr(consumer, "scoring"):
            _request_in_own_scorers(consumer, name, alias)
        setter = getattr(consumer, f"set_{method}_request", None)
        if setter is not None and name in signature(setter).parameters:
            setter(**{name: alias})
            taken = True
    return taken


def _request_in_own_scorers(search: Any, name: str, alias: Any) -> None:
    """Settle what the scorers of a search, or of a model that searches itself, do with a fit parameter."""
    is_search = hasattr(search, "error_score")
    if search.scoring is None and not is_search:
        return
    weigh = name == "sample_weight" and (SEARCHES_WEIGH or not is_search)
    scoring = copy_scorers(resolve_scoring(search.scoring, type(search).__name__))
    _request_in_scorers(getattr(search, "estimator", None), scoring, name, alias if weigh else False)
    search.set_params(scoring=scoring)


def _request_in_scorers(estimator: Any, scoring: Any, name: str, reaches: Any) -> bool:
    """Settle what scorers do with a parameter of `fit`; tell whether one had asked for it."""
    asked = False
    for scorer in list_scorers(scoring):
        if scorer is None:
            request(estimator, "score", name, reaches)
            continue
        requests = get_routing_for_object(scorer).score.requests
        asked |= requests.get(name) is True or name in requests.values()
        if requests.get(name, False) is None:
            scorer.set_score_request(**{name: reaches})
    return asked
