"""Requests of the parts of a model, whether scikit-learn's routing reaches them, and requests of one call.

A part is a model inside a model, such as a step of a pipeline. Some models split their training rows again:
stacks, searches, RFECV, LassoCV and others. If the user has routing disabled, a clone of the model is set
to request what scikit-learn would have passed on without routing. Call these functions with routing enabled.
Otherwise models report no requests.
"""

from contextlib import suppress
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import sklearn
import sklearn.metrics
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.errors import fail, is_int, is_real, name_call
from ..._checks.types import AnyScorer, Arguments, Estimator, Options, Scoring, Splitter
from ..._checks.warn import warn_user
from ..._routing.model_calls import DelegatingModel, unwrap_model
from ..._routing.model_parts import (
    METHODS,
    find_models,
    is_frozen,
    is_of_scikit_learn,
    is_stack,
    list_candidates,
    list_parts,
    list_requested_ids,
    read_parameters,
    read_router,
    read_routing,
    takes,
)
from .._splitters.group_splits import BalancedGroupKFold, spell_splitter
from .scoring import (
    SCIKIT_LEARN_VERSION,
    copy_scorers,
    deliver_groups,
    find_function,
    groups_request,
    list_labels,
    list_scorers,
    resolve_scoring,
)

INNER_CUTS = "{model}: cv={cv} splits the training rows again without query ids, so it cuts queries. {remedy}"
BY_SEARCH = "Use sklearn_rank.GridSearchCV to tune its parameters."
BY_NUMBER = "Pass it an int, such as cv=5, which means folds of whole queries in functions of sklearn_rank."
BY_UPGRADE = "Upgrade scikit-learn to version 1.9 or later, which passes the ids."

_ROUTES: WeakKeyDictionary[type, bool] = WeakKeyDictionary()  # results of `routes_to_parts`
SEARCHES_WEIGH = SCIKIT_LEARN_VERSION >= (1, 7)  # they pass the weights of `fit` on to their scorers
# Default scorers that take weights, of models whose `scoring` is None or a name such as "warn".
DEFAULT_SCORING = {"LogisticRegressionCV": "accuracy"}
INNER = ("estimator", "regressor", "classifier")  # names of the model inside a model


def routes_to_parts(model: Estimator) -> bool:
    """Return whether scikit-learn's routing goes through a model to its parts or folds.

    It does not go through a search of this package, which takes ids as an argument and passes them itself.
    The same holds for a meta-estimator whose own `fit` requests ids.
    """
    if getattr(model, "settles_ids", False):
        return False
    kind = type(model)
    if kind not in _ROUTES:
        routes = read_router(model)[0] is not None
        if not is_of_scikit_learn(model) or (not routes and read_routing(model) is None):
            return routes
        _ROUTES[kind] = routes  # for all objects of a scikit-learn class
    return _ROUTES[kind]


def carries_ids(model: Estimator) -> bool:
    """Return whether a model has to pass ids on: to a part, its folds, scorers or candidates."""
    if not routes_to_parts(model):
        return False
    if any(requests_ids(part) or carries_ids(part) for part in list_parts(model)):
        return True
    scorers = [deliver_groups(scorer) for scorer in _list_own_scorers(model)]
    return (
        (has_own_folds(model) and passes_ids_to_folds(model))
        or split_request(read_parameters(model).get("cv")) not in (None, False)
        or any(groups_request(scorer, False) is not False for scorer in scorers)
        or any(map(list_labels, scorers))
        or any(requests_ids(candidate) or carries_ids(candidate) for candidate in list_candidates(model))
    )


def requests_ids(model: Estimator) -> bool:
    """Return whether a method of a model takes ids."""
    return getattr(model, "settles_ids", False) or any(list_requested_ids(model, each) for each in METHODS)


def _list_own_scorers(model: Estimator) -> list[AnyScorer]:
    """List the scorers that a model has as its `scoring`; not names, which mean scikit-learn's."""
    return [scorer for scorer in list_scorers(read_parameters(model).get("scoring")) if callable(scorer)]


def split_request(splitter: Splitter) -> Any:
    """Return a splitter's request for `groups`: True, False, an alias, or None if it is undecided."""
    if not (hasattr(splitter, "split") and hasattr(splitter, "get_metadata_routing")):
        return None
    return get_routing_for_object(splitter).split.requests.get("groups")


def list_label_names(model: Estimator) -> dict[str, str]:
    """List the names under which scorers inside a model request labels other than `y`, or owners."""
    requested = [list_labels(scorer) for scorer in _list_own_scorers(model)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        requested += map(list_label_names, list_parts(model))
    return {name: kind for each in requested for name, kind in each.items()}


def list_aliases(model: Estimator) -> list[str]:
    """List the names other than `groups` under which a model, its parts, folds or scorers request ids.

    Labels for scoring are passed to scorers in the same way, under their own names.
    """
    if isinstance(model, DelegatingModel) and hasattr(model, "aliases"):
        return list(model.aliases)
    requested = [alias for method in METHODS for alias in list_requested_ids(model, method).values()]
    requested.append(split_request(read_parameters(model).get("cv")))
    requested += [groups_request(scorer, None) for scorer in _list_own_scorers(model)]
    requested += [name for scorer in _list_own_scorers(model) for name in list_labels(scorer)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        requested += [alias for part in list_parts(model) for alias in list_aliases(part)]
    return [alias for alias in dict.fromkeys(requested) if isinstance(alias, str) and alias != "groups"]


# ------------------------------------------------------------------ models that split again


class InnerSplitter(BalancedGroupKFold):
    """A splitter that replaces the `cv` of a model, which is `given` as an int or None."""

    def __init__(self, given: int | None):
        super().__init__(5 if given is None else int(given))
        self.given = given

    def __repr__(self) -> str:
        return repr(BalancedGroupKFold(self.n_splits))


def warn_of_inner_cuts(model: Estimator, reached: bool = True) -> None:
    """Warn about models and parts whose inner folds cut queries. `reached` is whether ids reach the model.

    Parts of models that train their parts themselves are not checked.
    """
    if getattr(model, "settles_ids", False) or is_frozen(model):
        return
    routes, cv = routes_to_parts(model), read_parameters(model).get("cv")
    cuts = leaves_out_rows(model) or (is_real(cv) and not is_int(cv))
    passes_on = reached and (cuts or has_own_folds(model)) and passes_ids_to_folds(model)
    if cuts or (has_own_folds(model) and not passes_on):
        name = type(model).__name__
        remedy = BY_NUMBER if passes_on else BY_UPGRADE if name == "TargetEncoder" else BY_SEARCH
        warn_user(INNER_CUTS.format(model=name, cv=spell_splitter(cv), remedy=remedy))
    if routes or not list_requested_ids(model, "fit"):
        for part in find_models(read_parameters(model)):
            warn_of_inner_cuts(part, reached and routes)


def has_own_folds(model: Estimator) -> bool:
    """Return whether a model splits its training rows, by an int as `cv` or by default."""
    cv = read_parameters(model).get("cv", "none")
    if not (is_int(cv) or (cv is None and _splits_by_default(model))):
        return False
    parts = list_parts(model)
    return not parts or not all(map(is_frozen, parts))


def _splits_by_default(model: Estimator) -> bool:
    """Return whether ``cv=None`` means folds: in models of scikit-learn except chains."""
    theirs = [kind for kind in type(model).__mro__ if kind.__module__.startswith("sklearn.")]
    takes_cv = any("cv" in signature(kind).parameters for kind in theirs)
    return takes_cv and not leaves_out_rows(model) and not hasattr(model, "order")


def leaves_out_rows(model: Estimator) -> bool:
    """Return whether a model leaves out single rows by a formula, in place of folds: RidgeCV by default."""
    parameters = read_parameters(model)
    return "gcv_mode" in parameters and parameters.get("cv") is None


def splits_by_members(model: Estimator) -> bool:
    """Return whether a model splits by `cross_val_predict` of its members, which then need the ids."""
    return is_stack(model) or getattr(model, "ensemble", None) is False  # of CalibratedClassifierCV


def passes_ids_to_folds(model: Estimator) -> bool:
    """Return whether scikit-learn passes ids to the folds of a model; call with routing enabled."""
    if is_stack(model):
        return True
    router, _ = read_router(model, cv=InnerSplitter(model.cv))
    requests = [getattr(getattr(pair.router, "split", None), "requests", {}) for _, pair in router or ()]
    return any(request.get("groups") is True for request in requests)


def list_inner_models(estimator: Estimator) -> list[Estimator]:
    """List the models that routing reaches through a model, outer ones first; candidates of searches too."""
    children = find_models(read_parameters(estimator)) if routes_to_parts(estimator) else []
    children = [unwrap_model(child) for child in children if not is_frozen(child)]
    return children + [inner for child in children for inner in list_inner_models(child)]


# ------------------------------------------------------------------ other parameters of `fit`


def takes_in_fit(model: Estimator, name: str) -> bool:
    """Return whether scikit-learn, with routing disabled, passes a parameter of `fit` on."""
    step, _, rest = name.partition("__")
    if hasattr(model, "named_steps"):
        return takes_in_fit(model.named_steps.get(step), rest) if rest else _routes_itself(model, name)
    if takes(model, "fit", name):
        return True
    parts = list_parts(model)
    return takes(model, "fit", "**") and (not parts or any(takes_in_fit(part, name) for part in parts))


def _routes_itself(pipeline: Estimator, name: str) -> bool:
    """Return whether a pipeline has `transform_input`, so that it always routes, and a step takes `name`."""
    parts = list_inner_models(pipeline)
    transforms = any(getattr(model, "transform_input", None) for model in (pipeline, *parts))
    return transforms and any(_requests_in_fit(part, name) for part in parts)


def _requests_in_fit(model: Estimator, name: str) -> bool:
    """Return whether a model, or a model inside it, requests a parameter of `fit`."""
    routings = [getattr(read_routing(each), "fit", None) for each in (model, *list_inner_models(model))]
    return any(getattr(routing, "requests", {}).get(name) is True for routing in routings)


def reject_param(model: Estimator, name: str) -> None:
    """Raise an error for a parameter that no part takes, and suggest the intended one."""
    from ..._hints.arguments import OTHER_NAMES_OF_GROUPS, WITH_MISSED

    last = name.rpartition("__")[2]
    rule = f"contain only parameters that {type(model).__name__} or a scorer takes"
    fix = ""
    if last in OTHER_NAMES_OF_GROUPS:
        fix = f"Pass {OTHER_NAMES_OF_GROUPS[last]}."
    elif last == "missed":
        fix = f"Pass the labels to the scorer: scoring={WITH_MISSED}."
    elif last == "times":
        fix = "Only splitters by time, such as cv=TimeCut(), take times."
    elif path := _find_step(model, name):
        by_name = name_call("params").endswith(".fit")
        fix = "Pass it to the step that takes it: "
        fix += f"fit(..., {path}=...)." if by_name else f"params={{{path!r}: ...}}."
    fail("params", rule, repr(name), fix)


def _find_step(model: Estimator, name: str) -> str:
    """Return a parameter with the name of the last step of a pipeline that takes it, or ""."""
    for step, part in reversed(getattr(model, "named_steps", {}).items()):
        if part is not None and takes_in_fit(part, name):
            return f"{step}__{name}"
    return ""


def request_params(model: Estimator, params: Arguments) -> Options:
    """Request each parameter where scikit-learn passes it without routing, and nowhere else.

    Return the parameters by the names to pass them under.
    """
    named = {}
    aliases = list_aliases(model) if params else []
    for name, value in params.items():
        # Two steps can have parameters of the same name: they are kept apart as "fit__step__name".
        key = f"fit__{name}" if "__" in name else name
        if name.rpartition("__")[2] in (getattr(model, "transform_input", None) or ()):
            key = name.rpartition("__")[2]  # the name by which the pipeline transforms its value
        if _request_at_path(model, name, key) or name in aliases:
            named[key if name not in aliases else name] = value
        else:
            reject_param(model, name)
    return named


def _request_at_path(model: Estimator, path: str, key: str) -> bool:
    """Request a parameter under the name `key` in the step of its path, such as "scaler__sample_weight".

    Return whether anything takes it.
    """
    step, _, rest = path.partition("__")
    if model is None:
        return False
    if hasattr(model, "fit_request"):  # a `GroupedModel`, whose `fit` calls `request_params` again
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


def _request_in_own_scorers(search: Estimator, name: str, alias: object) -> None:
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


def request_in_scorers(scoring: Scoring, name: str, reaches: object) -> bool:
    """Set undecided requests of scorers for a parameter of `fit`; return whether one had requested it."""
    requested = False
    for scorer in list_scorers(scoring):
        if scorer is None:
            continue
        with suppress(AttributeError):  # routers have no requests of their own
            requests = get_routing_for_object(scorer).score.requests
            requested |= requests.get(name) is True or name in requests.values()
            hides = reaches and name not in requests and _hides_weights(scorer)
            if requests.get(name, False) is None or hides:
                scorer.set_score_request(**{name: reaches})
    return requested


def _hides_weights(scorer: AnyScorer) -> bool:
    """Return whether a scikit-learn scorer takes weights without a request, as before 1.9."""
    function = find_function(scorer)
    is_theirs = str(getattr(function, "__module__", "")).startswith("sklearn.metrics.")
    return is_theirs and "sample_weight" in signature(function).parameters
