"""Which parts of a model request ids, and whether scikit-learn's metadata routing reaches them.

A part is a model inside a model, such as a step of a pipeline. The functions are to be called with routing
enabled, as models say what they request only then.
"""

from typing import Any
from weakref import WeakKeyDictionary

from sklearn.utils.metadata_routing import get_routing_for_object

from .._models.parts import (
    METHODS,
    is_of_scikit_learn,
    list_candidates,
    list_parts,
    read_parameters,
    read_router,
    read_routing,
)
from .._models.requested import list_requested_ids
from .models_that_split import hands_ids_to_folds, has_own_folds
from .scoring import deliver_groups, groups_request, list_labels, list_scorers
from .wrapped_model import WrappedModel

_ROUTES: WeakKeyDictionary[type, bool] = WeakKeyDictionary()  # of `routes_to_parts`


def routes_to_parts(model: Any) -> bool:
    """Tell whether scikit-learn's routing goes through a model to its parts or folds.

    It does not go through a search of this package, which takes ids as an argument and hands them on by
    itself, nor through another model of models that says what its own `fit` takes.
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


def carries_ids(model: Any) -> bool:
    """Tell whether ids have to travel through a model: to a part, to its folds or to its scorers."""
    if not routes_to_parts(model):
        return False
    inside = any(requests_ids(part) or carries_ids(part) for part in list_parts(model))
    return inside or _hands_ids_to_folds_or_scorers(model)


def requests_ids(model: Any) -> bool:
    """Tell whether a method of a model takes ids."""
    return getattr(model, "settles_ids", False) or any(
        list_requested_ids(model, method) for method in METHODS
    )


def _hands_ids_to_folds_or_scorers(model: Any) -> bool:
    """Tell whether ids are of use to the folds, the scorers or the candidates of a model that has such."""
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


def _list_own_scorers(model: Any) -> list[Any]:
    """List the scorers that a model has as its `scoring`; names are left out, as they mean scikit-learn's."""
    scoring = read_parameters(model).get("scoring")
    return [scorer for scorer in list_scorers(scoring) if callable(scorer)]


def split_request(splitter: Any) -> Any:
    """Return a splitter's request for `groups`: True, False, an alias, or None where it is undecided."""
    if not (hasattr(splitter, "split") and hasattr(splitter, "get_metadata_routing")):
        return None
    return get_routing_for_object(splitter).split.requests.get("groups")


def list_label_names(model: Any) -> dict[str, str]:
    """List the names under which scorers inside a model ask for labels other than `y`, or for owners."""
    asked = [list_labels(scorer) for scorer in _list_own_scorers(model)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        asked += map(list_label_names, list_parts(model))
    return {name: kind for each in asked for name, kind in each.items()}


def list_aliases(model: Any) -> list[str]:
    """List the names other than `groups` under which a model, its parts, folds or scorers request ids.

    Labels to score by travel to scorers in the same way, under names of their own.
    """
    if isinstance(model, WrappedModel) and hasattr(model, "aliases"):
        return list(model.aliases)
    asked = [alias for method in METHODS for alias in list_requested_ids(model, method).values()]
    asked.append(split_request(read_parameters(model).get("cv")))
    asked += [groups_request(scorer, None) for scorer in _list_own_scorers(model)]
    asked += [name for scorer in _list_own_scorers(model) for name in list_labels(scorer)]
    if routes_to_parts(model) or getattr(model, "settles_ids", False):
        asked += [alias for part in list_parts(model) for alias in list_aliases(part)]
    return [alias for alias in dict.fromkeys(asked) if isinstance(alias, str) and alias != "groups"]
