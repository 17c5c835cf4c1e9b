"""Requests set for one call: which parameter of `fit` goes to which model, step or scorer.

Where the user has routing disabled, a clone of the model is told to request what scikit-learn would have
passed on without routing. All functions are to be called with routing enabled.
"""

from contextlib import suppress
from inspect import signature
from typing import Any

import sklearn
import sklearn.metrics
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.errors import fail
from ..._checks.types import AnyScorer, Arguments, Estimator, Options, Scoring
from ..._routing.model_calls import unwrap_model
from ..._routing.model_parts import find_models, is_frozen, list_parts, read_parameters, read_routing, takes
from .ids_in_parts import list_aliases, routes_to_parts
from .scoring import SCIKIT_LEARN_VERSION, copy_scorers, find_function, list_scorers, resolve_scoring

SEARCHES_WEIGH = SCIKIT_LEARN_VERSION >= (1, 7)  # they pass the weights of `fit` on to their scorers
# Scorers that take weights, of models that have None or a name such as "warn" in their place.
DEFAULT_SCORING = {"LogisticRegressionCV": "accuracy"}
INNER = ("estimator", "regressor", "classifier")  # names of the model inside a model


def list_inner_models(estimator: Estimator) -> list[Estimator]:
    """List the models that routing reaches through a model, outer ones first; candidates of searches too."""
    children = find_models(read_parameters(estimator)) if routes_to_parts(estimator) else []
    children = [unwrap_model(child) for child in children if not is_frozen(child)]
    return children + [inner for child in children for inner in list_inner_models(child)]


# ------------------------------------------------------------------ other parameters of `fit`


def takes_in_fit(model: Estimator, name: str) -> bool:
    """Tell whether scikit-learn, with routing disabled, hands a parameter of `fit` on to something."""
    step, _, rest = name.partition("__")
    if hasattr(model, "named_steps"):
        return takes_in_fit(model.named_steps.get(step), rest) if rest else _routes_itself(model, name)
    if takes(model, "fit", name):
        return True
    parts = list_parts(model)
    return takes(model, "fit", "**") and (not parts or any(takes_in_fit(part, name) for part in parts))


def _routes_itself(pipeline: Any, name: str) -> bool:
    """Tell whether a pipeline has `transform_input`, so that it always routes, and a step takes this."""
    parts = list_inner_models(pipeline)
    transforms = any(getattr(model, "transform_input", None) for model in (pipeline, *parts))
    return transforms and any(_requests_in_fit(part, name) for part in parts)


def _requests_in_fit(model: Estimator, name: str) -> bool:
    """Return whether a model, or a model inside it, requests a parameter of `fit`."""
    routings = [getattr(read_routing(each), "fit", None) for each in (model, *list_inner_models(model))]
    return any(getattr(routing, "requests", {}).get(name) is True for routing in routings)


def refuse_param(model: Estimator, name: str) -> None:
    """Refuse a parameter that nothing takes, and say what may have been meant."""
    from ..._hints.arguments import OTHER_NAMES_OF_GROUPS

    last = name.rpartition("__")[2]
    if last in OTHER_NAMES_OF_GROUPS:
        rule = f"name ids as they are named here, {OTHER_NAMES_OF_GROUPS[last]}"
        fail("params", rule, repr(name))
    if last == "times":
        rule = "have no times unless the splitter takes them, as cv=TimeCut() or cv=LeaveLastOut() do"
        fail("params", rule, repr(name))
    rule = f"name parameters that reach the fit of {type(model).__name__} or a step of it, or a scorer"
    fail("params", rule, repr(name))


def request_params(model: Estimator, params: Arguments) -> Options:
    """Request each parameter where scikit-learn passes it without routing, and nowhere else.

    Returned are the parameters by the names to pass them under.
    """
    named = {}
    aliases = list_aliases(model) if params else []
    for name, value in params.items():
        # Two steps may have parameters of one name: they are kept apart as "fit__step__name".
        key = f"fit__{name}" if "__" in name else name
        if name.rpartition("__")[2] in (getattr(model, "transform_input", None) or ()):
            key = name.rpartition("__")[2]  # the name that the pipeline transforms its value by
        if _request_at_path(model, name, key) or name in aliases:
            named[key if name not in aliases else name] = value
        else:
            refuse_param(model, name)
    return named


def _request_at_path(model: Estimator, path: str, key: str) -> bool:
    """Request a parameter under the name `key` in the step of its path, such as "scaler__sample_weight".

    Returned is whether anything takes it.
    """
    step, _, rest = path.partition("__")
    if model is None:
        return False
    if hasattr(model, "fit_request"):  # of a `GroupedModel`, whose `fit` calls `request_params` again
        taken = takes_in_fit(model.estimator, path)
        model.set_fit_request(**({path: key if key != path else True} if taken else {}))
        return taken
    if hasattr(model, "named_steps"):
        inner = model.named_steps.get(step)
        if rest or not _routes_itself(model, path):
            return bool(rest) and _request_at_path(inner, rest, key)
        for part in list_parts(model):
            if hasattr(part, "fit_request") and _requests_in_fit(part.estimator, path):
                part.set_fit_request(**{path: True})
        return True
    if rest:
        inner = next((getattr(model, name) for name in INNER if hasattr(model, name)), None)
        return _request_at_path(inner, path, key)
    alias = key if key != path else True
    if "scoring" in read_parameters(model):
        _request_in_own_scorers(model, path, alias)
    setter: Any = getattr(model, "set_fit_request", None)
    if taken := setter is not None and path in signature(setter).parameters:
        setter(**{path: alias})
    for part in list_parts(model):
        taken |= hasattr(part, "fit_request") and _request_at_path(part, path, key)
    return taken


def _request_in_own_scorers(search: Estimator, name: str, alias: Any) -> None:
    """Decide whether the scorers of a search, or of a model such as LogisticRegressionCV, get a parameter."""
    is_search = hasattr(search, "error_score")
    given = search.scoring
    if given is None or (isinstance(given, str) and given not in sklearn.metrics.get_scorer_names()):
        given = DEFAULT_SCORING.get(type(search).__name__)  # other names, such as "loss", are the model's own
    weigh = name == "sample_weight" and (SEARCHES_WEIGH or not is_search)
    if given is not None:
        scoring = copy_scorers(resolve_scoring(given))
        request_in_scorers(scoring, name, alias if weigh else False)
        search.set_params(scoring=scoring)
    elif is_search:
        search.estimator.score_request[name] = alias if weigh else False


def request_in_scorers(scoring: Scoring, name: str, reaches: Any) -> bool:
    """Decide what scorers leave undecided about a parameter of `fit`; tell whether one had requested it."""
    asked = False
    for scorer in list_scorers(scoring):
        if scorer is None:
            continue
        with suppress(AttributeError):  # a router has no requests of its own
            requests = get_routing_for_object(scorer).score.requests
            asked |= requests.get(name) is True or name in requests.values()
            hides = reaches and name not in requests and _hides_weights(scorer)
            if requests.get(name, False) is None or hides:
                scorer.set_score_request(**{name: reaches})
    return asked


def _hides_weights(scorer: AnyScorer) -> bool:
    """Tell whether a scorer of a function of scikit-learn's takes weights: before 1.9 it requests nothing."""
    function = find_function(scorer)
    is_theirs = str(getattr(function, "__module__", "")).startswith("sklearn.metrics.")
    return is_theirs and "sample_weight" in signature(function).parameters
