"""Which parts of a model request ids, and whether scikit-learn's metadata routing reaches them.

A part is a model inside a model, such as a step of a pipeline. Some models split their training rows again:
stacks, searches, RFECV, LassoCV and others. Call these functions with routing enabled. Otherwise models
report no requests.
"""

from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.errors import is_int, is_real
from ..._checks.types import AnyScorer, Estimator, Splitter
from ..._checks.warn import warn_user
from ..._routing.model_calls import DelegatingModel
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
)
from .._splitters.cv import spell_splitter
from .._splitters.group_kfold import BalancedGroupKFold
from .scoring import deliver_groups, groups_request, list_labels, list_scorers

CUTS_INSIDE = (
    "{model}: cv={cv} splits the training rows again without query ids, so it cuts queries. {remedy}"
)
BY_SEARCH = "Tune the same parameters with sklearn_rank.GridSearchCV instead."
BY_NUMBER = "Pass it an int, such as cv=5: in functions of sklearn_rank it means folds of whole queries."
BY_UPGRADE = "Upgrade scikit-learn: it passes ids in version 1.9 or later."

_ROUTES: WeakKeyDictionary[type, bool] = WeakKeyDictionary()  # of `routes_to_parts`


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
        _ROUTES[kind] = routes  # for all objects of a class of scikit-learn's
    return _ROUTES[kind]


def carries_ids(model: Estimator) -> bool:
    """Return whether ids have to travel through a model: to a part, to its folds or to its scorers."""
    if not routes_to_parts(model):
        return False
    inside = any(requests_ids(part) or carries_ids(part) for part in list_parts(model))
    return inside or _hands_ids_to_folds_or_scorers(model)


def requests_ids(model: Estimator) -> bool:
    """Return whether a method of a model takes ids."""
    return getattr(model, "settles_ids", False) or any(
        list_requested_ids(model, method) for method in METHODS
    )


def _hands_ids_to_folds_or_scorers(model: Estimator) -> bool:
    """Return whether ids are of use to the folds, the scorers or the candidates of a model that has such."""
    if getattr(model, "settles_ids", False):
        return False
    scorers = [deliver_groups(scorer) for scorer in _list_own_scorers(model)]
    return (
        (has_own_folds(model) and hands_ids_to_folds(model))
        or split_request(read_parameters(model).get("cv")) not in (None, False)
        or any(groups_request(scorer, False) is not False for scorer in scorers)
        or any(map(list_labels, scorers))
        or any(requests_ids(candidate) or carries_ids(candidate) for candidate in list_candidates(model))
    )


def _list_own_scorers(model: Estimator) -> list[AnyScorer]:
    """List the scorers that a model has as its `scoring`; names are left out, as they mean scikit-learn's."""
    scoring = read_parameters(model).get("scoring")
    return [scorer for scorer in list_scorers(scoring) if callable(scorer)]


def split_request(splitter: Splitter) -> Any:
    """Return a splitter's request for `groups`: True, False, an alias, or None where it is undecided."""
    if not (hasattr(splitter, "split") and hasattr(splitter, "get_metadata_routing")):
        return None
    return get_routing_for_object(splitter).split.requests.get("groups")


def list_label_names(model: Estimator) -> dict[str, str]:
    """List the names under which scorers inside a model ask for labels other than `y`, or for owners."""
    asked = [list_labels(scorer) for scorer in _list_own_scorers(model)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        asked += map(list_label_names, list_parts(model))
    return {name: kind for each in asked for name, kind in each.items()}


def list_aliases(model: Estimator) -> list[str]:
    """List the names other than `groups` under which a model, its parts, folds or scorers request ids.

    Labels to score by travel to scorers in the same way, under names of their own.
    """
    if isinstance(model, DelegatingModel) and hasattr(model, "aliases"):
        return list(model.aliases)
    asked = [alias for method in METHODS for alias in list_requested_ids(model, method).values()]
    asked.append(split_request(read_parameters(model).get("cv")))
    asked += [groups_request(scorer, None) for scorer in _list_own_scorers(model)]
    asked += [name for scorer in _list_own_scorers(model) for name in list_labels(scorer)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        asked += [alias for part in list_parts(model) for alias in list_aliases(part)]
    return [alias for alias in dict.fromkeys(asked) if isinstance(alias, str) and alias != "groups"]


# ------------------------------------------------------------------ models that split again


class InnerSplitter(BalancedGroupKFold):
    """A splitter that replaces the int, or None, that is `given` to a model as its `cv`."""

    def __init__(self, given: int | None):
        super().__init__(5 if given is None else int(given))
        self.given = given

    def __repr__(self) -> str:
        return repr(BalancedGroupKFold(self.n_splits))


def warn_of_inner_cuts(model: Estimator, reached: bool = True) -> None:
    """Warn of models, parts too, whose inner folds cut queries. `reached` is whether ids reach the model.

    Parts are left out in models that know how to train them.
    """
    if getattr(model, "settles_ids", False) or is_frozen(model):
        return
    routes, cv = routes_to_parts(model), read_parameters(model).get("cv")
    cuts = leaves_out_rows(model) or (is_real(cv) and not is_int(cv))
    hands_on = reached and (cuts or has_own_folds(model)) and hands_ids_to_folds(model)
    if cuts or (has_own_folds(model) and not hands_on):
        name = type(model).__name__
        remedy = BY_NUMBER if hands_on else BY_UPGRADE if name == "TargetEncoder" else BY_SEARCH
        warn_user(CUTS_INSIDE.format(model=name, cv=spell_splitter(cv), remedy=remedy))
    if routes or not list_requested_ids(model, "fit"):
        for part in find_models(read_parameters(model)):
            warn_of_inner_cuts(part, reached and routes)


def has_own_folds(model: Estimator) -> bool:
    """Return whether a model splits its training rows into as many folds as an int says, or by default."""
    cv = read_parameters(model).get("cv", "none")
    if not (is_int(cv) or (cv is None and _splits_by_default(model))):
        return False
    parts = list_parts(model)
    return not parts or not all(map(is_frozen, parts))


def _splits_by_default(model: Estimator) -> bool:
    """Return whether ``cv=None`` means folds; in a chain it means none, and only scikit-learn's are known."""
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


def hands_ids_to_folds(model: Estimator) -> bool:
    """Return whether scikit-learn hands ids to the folds of a model; to be called with routing enabled."""
    if is_stack(model):
        return True
    router, _ = read_router(model, cv=InnerSplitter(model.cv))
    requests = [getattr(getattr(pair.router, "split", None), "requests", {}) for _, pair in router or ()]
    return any(request.get("groups") is True for request in requests)
