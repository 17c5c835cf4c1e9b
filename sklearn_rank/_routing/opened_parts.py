"""What a model is made of, seen by who needs ids; parts replaced for one fit, and put back."""

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from .._models.answers import ANSWERS, answers_by_groups, list_asked
from .._models.parts import (
    GRIDS,
    find_models,
    is_of_scikit_learn,
    list_parts,
    read_parameters,
    read_routing,
    read_routing_through,
    replace_models,
)
from .inner_folds import (
    InnerFolds,
    asks_members,
    has_own_folds,
    is_frozen,
    is_stack,
    make_inner_folds,
    reach_folds,
)
from .model_score import ModelScore, around_scorers
from .scoring import deliver_groups, groups_request, list_scorers

Wrap = Callable[..., Any]
PLAIN = (str, bytes, int, float, np.generic, type(None))  # what is no model and holds none
METHODS = ("fit", "score", *ANSWERS)
_ROUTES: WeakKeyDictionary[type, bool] = WeakKeyDictionary()  # whether routing goes through a kind of model


def hands_on(model: Any) -> bool:
    """Tell whether scikit-learn's routing goes through a model to its parts or folds; asked with it enabled.

    A search of this package takes ids as an argument and hands them on by itself, and so does a model of
    models that says what its own `fit` takes.
    """
    if getattr(model, "settles_ids", False):
        return False
    if not is_of_scikit_learn(model):  # which say the same of all objects of a class
        return isinstance(read_routing_through(model), MetadataRouter)
    kind = type(model)
    if kind not in _ROUTES:
        routing = read_routing_through(model)
        if routing is None:
            return False
        _ROUTES[kind] = isinstance(routing, MetadataRouter)
    return _ROUTES[kind]


def list_handed(model: Any) -> list[Any]:
    """List a model and all parts that routing reaches through it."""
    parts = list_parts(model) if hands_on(model) else []
    return [model, *(inner for part in parts for inner in list_handed(part))]


def carries_ids(model: Any) -> bool:
    """Tell whether ids have to travel through a model to a part, to its folds or to its scorers."""
    handed = list_handed(model)
    return hands_on(model) and (any(map(_takes_ids, handed[1:])) or any(map(_wants_ids, handed)))


def _takes_ids(model: Any) -> bool:
    """Tell whether a method of a model asks for ids."""
    settles = getattr(model, "settles_ids", False)
    return settles or any(list_asked(model, method) for method in METHODS)


def _wants_ids(model: Any) -> bool:
    """Tell whether the folds or the scorers of a model that searches by itself want ids."""
    if getattr(model, "settles_ids", False):
        return False
    scorers = [deliver_groups(scorer) for scorer in _own_scorers(model)]
    candidates = find_models([getattr(model, grid, None) for grid in GRIDS])
    return (
        (has_own_folds(model) and reach_folds(model))
        or split_request(getattr(model, "cv", None)) not in (None, False)
        or any(groups_request(scorer, False) is not False for scorer in scorers)
        or any(_takes_ids(candidate) or carries_ids(candidate) for candidate in candidates)
    )


def _own_scorers(model: Any) -> list[Any]:
    """List the scorers of a model that searches by itself; names are those of scikit-learn's."""
    scoring = getattr(model, "scoring", None)
    return [scorer for scorer in list_scorers(scoring) if callable(scorer)]


def split_request(splitter: Any) -> Any:
    """Return what a splitter requests as `groups`: True, False, an alias, or None where nothing."""
    if not (hasattr(splitter, "split") and hasattr(splitter, "get_metadata_routing")):
        return None
    return get_routing_for_object(splitter).split.requests.get("groups")


def list_aliases(model: Any) -> list[str]:
    """List the names other than `groups` under which a model, a part, its folds or scorers ask for ids."""
    if hasattr(model, "aliases"):  # of a `GroupedModel`
        return list(model.aliases)
    asked = [alias for method in METHODS for alias in list_asked(model, method).values()]
    asked.append(split_request(getattr(model, "cv", None)))
    asked += [groups_request(scorer, None) for scorer in _own_scorers(model)]
    if hands_on(model) or getattr(model, "settles_ids", False):
        asked += [alias for part in list_parts(model) for alias in list_aliases(part)]
    return [alias for alias in dict.fromkeys(asked) if isinstance(alias, str) and alias != "groups"]


# ------------------------------------------------------------------ parts replaced for one fit


def open_parts(model: Any, wrap: Wrap, routing: bool) -> Any:
    """Make ids reach all parts of a model that take them; the model is changed in place.

    Ints as `cv` become folds of whole queries. Members of a stack and what a search fits are wrapped, and
    where the user has routing disabled so is each part that settles by itself what it does with ids: it is
    fitted with routing disabled.
    """
    changed: dict[str, Any] = {}
    searches = _searches(model)
    for name, value in read_parameters(model).items():
        if find_models(value) and name not in GRIDS:
            changed[name] = replace_models(value, lambda part: _open_part(part, model, wrap, routing))
    if is_stack(model):
        last = model.final_estimator
        options = {"is_last": True, "is_default": last is None, "aliases": list_aliases(model)}
        changed["final_estimator"] = wrap(_default_final(model) if last is None else last, routing, **options)
    if searches:
        names = ("groups", *list_aliases(model)) if answers_by_groups(model) else ()
        changed["scoring"] = around_scorers(model.scoring, names)
    if has_own_folds(model) and reach_folds(model):
        changed["cv"] = make_inner_folds(model)
    if changed:
        model.set_params(**changed)
    return model


def _searches(model: Any) -> bool:
    """Tell whether a model is a search, which may replace parts of what it fits."""
    return any(hasattr(model, grid) for grid in GRIDS)


def _open_part(part: Any, owner: Any, wrap: Wrap, routing: bool) -> Any:
    """Return a part of a model that ids reach, or reach through."""
    if is_frozen(part) and hasattr(owner, "ensemble"):  # calibration looks for it
        return part
    if asks_members(owner) or _searches(owner):
        return wrap(part, routing, candidates=_searches(owner))
    if carries_ids(part):  # what a stack gets it routes twice: names that are private to it would be lost
        return wrap(part, routing) if asks_members(part) and not routing else open_parts(part, wrap, routing)
    if routing or getattr(part, "fits_with_routing", False):
        return part
    settles = _takes_ids(part) or list_parts(part) or hands_on(part) or read_routing(part) is None
    return wrap(part, routing) if settles else part


def _default_final(stack: Any) -> Any:
    """Return what scikit-learn's stacks have as their last estimator by default."""
    from sklearn.linear_model import LogisticRegression, RidgeCV  # takes long to import

    return LogisticRegression() if is_classifier(stack) else RidgeCV()


def restore(value: Any, wrapper: Any, params: Iterable[str] = (), seen: set[int] | None = None) -> Any:
    """Put back what `open_parts` replaced, in a model and in all that it has fitted; forget `params`."""
    seen = set() if seen is None else seen
    if isinstance(value, wrapper):
        return restore(value.estimator, wrapper, params, seen)
    if isinstance(value, ModelScore):
        return restore(value.scorer, wrapper, params, seen)
    if isinstance(value, tuple):
        items = [restore(item, wrapper, params, seen) for item in value]
        if all(new is old for new, old in zip(items, value)):
            return value
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    if isinstance(value, PLAIN) or id(value) in seen or is_frozen(value):
        return value
    seen.add(id(value))
    if isinstance(value, dict | list) or (isinstance(value, np.ndarray) and value.dtype == object):
        _restore_entries(value, wrapper, params, seen)
    elif _is_model(value):
        _forget(value, params)
        _restore_attributes(value, wrapper, params, seen)
    return value


def _forget(model: Any, params: Iterable[str]) -> None:
    """Leave a parameter of `fit` undecided again."""
    for name in params if hasattr(model, "set_fit_request") else ():
        if name in getattr(getattr(read_routing(model), "fit", None), "requests", {}):
            model.set_fit_request(**{name: None})


def _restore_entries(container: Any, wrapper: Any, params: Iterable[str], seen: set[int]) -> None:
    entries = container.flat if isinstance(container, np.ndarray) else container
    first = next(iter(entries.values() if isinstance(entries, dict) else entries), None)
    if isinstance(first, PLAIN):  # as in a vocabulary of a million words
        return
    places = entries.items() if isinstance(entries, dict) else enumerate(entries)
    for place, item in list(places):
        if (put_back := restore(item, wrapper, params, seen)) is not item:
            entries[place] = put_back


def _is_model(value: Any) -> bool:
    methods = ("fit", "get_metadata_routing", *ANSWERS)  # a scorer may hold the model, too
    return (
        any(hasattr(value, method) for method in methods)
        and hasattr(value, "__dict__")
        and not isinstance(value, type)
    )


def _restore_attributes(model: Any, wrapper: Any, params: Iterable[str], seen: set[int]) -> None:
    for name, value in list(vars(model).items()):
        if isinstance(value, InnerFolds):
            setattr(model, name, value.given)
        elif isinstance(value, wrapper) and value.is_default and not name.endswith("_"):
            setattr(model, name, None)
        elif (put_back := restore(value, wrapper, params, seen)) is not value:
            setattr(model, name, put_back)
