"""Who asks for which parameter: requests that are set on clones, for one call with routing enabled."""

from collections.abc import Mapping
from contextlib import suppress
from inspect import signature
from typing import Any

import sklearn
import sklearn.metrics
from sklearn.utils.metadata_routing import get_routing_for_object

from .._checks.arguments import IDS
from .._checks.errors import fail
from .._models.answers import ANSWERS
from .._models.parts import find_models, list_parts, read_parameters, read_routing, takes
from .inner_folds import is_frozen
from .opened_parts import hands_on, list_aliases
from .scoring import (
    MADE_BY_SCIKIT_LEARN,
    SCIKIT_LEARN_VERSION,
    copy_scorers,
    groups_request,
    list_scorers,
    resolve_scoring,
)

SEARCHES_WEIGH = SCIKIT_LEARN_VERSION >= (1, 7)  # they pass the weights of `fit` on to their scorers
# Where None, or a name such as "warn", stands for a scorer that takes weights.
DEFAULT_SCORING = {"LogisticRegressionCV": "accuracy"}
INNER = ("estimator", "regressor", "classifier")  # the model in a model that has one


def nested(estimator: Any) -> list[Any]:
    """List the models that routing reaches through a model, outer ones first; candidates of searches too."""
    children = find_models(read_parameters(estimator)) if hands_on(estimator) else []
    children = [child for child in children if not is_frozen(child)]  # which is the user's own
    return children + [inner for child in children for inner in nested(child)]


def request_undecided_groups(estimator: Any) -> Any:
    """Request `groups` wherever a method takes them and nobody has said yes or no."""
    for consumer in (estimator, *nested(estimator)):
        routing = read_routing(consumer)
        for method in ("fit", "score", *ANSWERS):
            # What only routes has no requests of its own to decide.
            requests = getattr(getattr(routing, method, None), "requests", {})
            if requests.get("groups", False) is None:
                getattr(consumer, f"set_{method}_request")(groups=True)
        scoring = getattr(consumer, "scoring", None)
        copies = copy_scorers(scoring)
        if any(groups_request(scorer, False) is not False for scorer in list_scorers(copies)):
            consumer.set_params(scoring=copies)
    return estimator


# ------------------------------------------------------------------ other parameters of `fit`


def takes_in_fit(model: Any, name: str) -> bool:
    """Tell whether scikit-learn, with routing disabled, hands a parameter of `fit` on to something."""
    step, _, rest = name.partition("__")
    if hasattr(model, "named_steps"):
        return takes_in_fit(model.named_steps.get(step), rest) if rest else _routes_itself(model, name)
    if takes(model, "fit", name):
        return True
    parts = list_parts(model)
    return takes(model, "fit", "**") and (not parts or any(takes_in_fit(part, name) for part in parts))


def _routes_itself(pipeline: Any, name: str) -> bool:
    """Tell whether a pipeline with `transform_input`, which always routes, has a step that asks for this."""
    parts = nested(pipeline)
    if not any(getattr(model, "transform_input", None) for model in (pipeline, *parts)):
        return False
    routings = [getattr(read_routing(part), "fit", None) for part in parts]
    return any(getattr(routing, "requests", {}).get(name) is True for routing in routings)


def refuse_param(model: Any, name: str, function: str) -> None:
    """Refuse a parameter that nothing takes; under another name it may have been meant for something else."""
    last = name.rpartition("__")[2]
    if last in IDS:
        fail("params", function, f"name ids as they are named here, {IDS[last]}", repr(name))
    if last == "times":
        rule = "have no times unless the splitter takes them, as cv=TimeCut() or cv=LeaveLastOut() do"
        fail("params", function, rule, repr(name))
    rule = f"name parameters that reach the fit of {type(model).__name__} or a step of it, or a scorer"
    fail("params", function, rule, repr(name))


def request_params(model: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Request each parameter where scikit-learn would have passed it, and nowhere else."""
    named = {}
    aliases = list_aliases(model) if params else []
    for name, value in params.items():
        # Two steps may each have theirs: a private name, which nothing else reads, keeps them apart.
        key = f"fit__{name}" if "__" in name else name
        if name.rpartition("__")[2] in (getattr(model, "transform_input", None) or ()):
            key = name.rpartition("__")[2]  # by which the pipeline knows what to transform
        if _request_in_step(model, name, key) or name in aliases:
            named[key if name not in aliases else name] = value
        else:
            refuse_param(model, name, "fit")
    return named


def _request_in_step(model: Any, path: str, key: str) -> bool:
    """Request a parameter in the step that its path leads to; tell whether anything takes it."""
    step, _, rest = path.partition("__")
    if model is None:
        return False
    if hasattr(model, "fit_request"):  # of a `GroupedModel`, whose `fit` finds the way
        taken = takes_in_fit(model.estimator, path)
        model.set_fit_request(**({path: key if key != path else True} if taken else {}))
        return taken
    if hasattr(model, "named_steps"):
        inner = model.named_steps.get(step)
        return _request_in_step(inner, rest, key) if rest else _routes_itself(model, path)
    if rest:
        inner = next((getattr(model, name) for name in INNER if hasattr(model, name)), None)
        return _request_in_step(inner, path, key)
    return request(model, "fit", path, key if key != path else True)


def request(estimator: Any, method: str, name: str, alias: Any) -> bool:
    """Request a parameter of a method in an estimator and all it wraps; tell whether anything takes it."""
    taken = False
    if is_frozen(estimator):
        return False
    if hasattr(estimator, "fit_request"):
        if method == "fit":
            return _request_in_step(estimator, name, alias if isinstance(alias, str) else name)
        estimator.score_request[name] = alias
        return True
    if method == "fit" and hasattr(estimator, "scoring"):
        _request_in_own_scorers(estimator, name, alias)
    setter = getattr(estimator, f"set_{method}_request", None)
    if setter is not None and name in signature(setter).parameters:
        setter(**{name: alias})
        taken = True
    for part in find_models(read_parameters(estimator)):
        taken |= request(part, method, name, alias)
    return taken


def _request_in_own_scorers(search: Any, name: str, alias: Any) -> None:
    """Settle what the scorers of a search, or of a model that searches itself, do with a fit parameter."""
    is_search = hasattr(search, "error_score")
    given = search.scoring
    if given is None or (isinstance(given, str) and given not in sklearn.metrics.get_scorer_names()):
        given = DEFAULT_SCORING.get(type(search).__name__)  # other names, such as "loss", are the model's own
    weigh = name == "sample_weight" and (SEARCHES_WEIGH or not is_search)
    if given is not None:
        scoring = copy_scorers(resolve_scoring(given, type(search).__name__))
        request_in_scorers(scoring, name, alias if weigh else False)
        search.set_params(scoring=scoring)
    elif is_search:
        request(getattr(search, "estimator", None), "score", name, alias if weigh else False)


def request_in_scorers(scoring: Any, name: str, reaches: Any) -> bool:
    """Settle what scorers do with a parameter of `fit`; tell whether one had asked for it."""
    asked = False
    for scorer in list_scorers(scoring):
        if scorer is None:
            continue
        with suppress(AttributeError):  # of a router, which has no requests of its own
            requests = get_routing_for_object(scorer).score.requests
            asked |= requests.get(name) is True or name in requests.values()
            hides = reaches and name not in requests and _hides_weights(scorer)
            if requests.get(name, False) is None or hides:
                scorer.set_score_request(**{name: reaches})
    return asked


def _hides_weights(scorer: Any) -> bool:
    """Tell whether a scorer of a function of scikit-learn's takes weights: before 1.9 it requests nothing."""
    name = repr(scorer).removeprefix("make_scorer(").partition(",")[0].rstrip(")")
    function = getattr(sklearn.metrics, name, None) if isinstance(scorer, MADE_BY_SCIKIT_LEARN) else None
    return callable(function) and "sample_weight" in signature(function).parameters
