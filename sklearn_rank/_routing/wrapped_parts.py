"""Parts of a model wrapped while it is fitted, so that ids reach all that take them; unwrapped afterwards."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from .._models.answers import ANSWERS, answers_by_groups
from .._models.parts import (
    GRIDS,
    find_models,
    is_search,
    list_parts,
    read_parameters,
    read_routing,
    replace_models,
)
from .ids_in_parts import carries_ids, list_aliases, requests_ids, routes_to_parts
from .inner_splitter import InnerSplitter
from .models_that_split import (
    hands_ids_to_folds,
    has_own_folds,
    is_frozen,
    is_stack,
    make_inner_splitter,
    splits_by_members,
)
from .unwrapping_scorer import UnwrappingScorer, wrap_scorers

Wrap = Callable[..., Any]
LEAVES = (str, bytes, int, float, np.generic, type(None))  # what is no model and holds none


def wrap_parts(model: Any, wrap: Wrap, routing: bool) -> Any:
    """Wrap parts of a model so that ids reach all that take them; the model is changed in place.

    `wrap` is `GroupedModel`. Wrapped are the members of a stack and what a search fits. Where the user has
    routing disabled, so is each part that is not to be fitted with routing enabled. An int as `cv` becomes
    folds of whole queries.
    """
    changed: dict[str, Any] = {}
    searches = is_search(model)
    for name, value in read_parameters(model).items():
        if find_models(value) and name not in GRIDS:
            changed[name] = replace_models(value, lambda part: _wrap_part(part, model, wrap, routing))
    if is_stack(model):
        last = model.final_estimator
        options = {"is_last": True, "is_default": last is None, "aliases": list_aliases(model)}
        changed["final_estimator"] = wrap(_default_final(model) if last is None else last, routing, **options)
    if searches:
        names = ("groups", *list_aliases(model)) if answers_by_groups(model) else ()
        changed["scoring"] = wrap_scorers(model.scoring, names, cautioned=True)
    if has_own_folds(model) and hands_ids_to_folds(model):
        changed["cv"] = make_inner_splitter(model)
    if changed:
        model.set_params(**changed)
    return model


def _wrap_part(part: Any, owner: Any, wrap: Wrap, routing: bool) -> Any:
    """Return a part of a model, wrapped if it has to be."""
    if is_frozen(part) and hasattr(owner, "ensemble"):  # calibration looks for it
        return part
    if splits_by_members(owner) or is_search(owner):
        return wrap(part, routing, candidates=is_search(owner))
    if carries_ids(part):  # a stack routes what it gets twice, and private names of parameters would be lost
        return (
            wrap(part, routing)
            if splits_by_members(part) and not routing
            else wrap_parts(part, wrap, routing)
        )
    if routing or getattr(part, "fits_with_routing", False):
        return part
    # What a model with ids, with parts or without requests does with routing enabled, nobody knows.
    is_fitted_without_routing = (
        requests_ids(part) or list_parts(part) or routes_to_parts(part) or read_routing(part) is None
    )
    return wrap(part, routing) if is_fitted_without_routing else part


def _default_final(stack: Any) -> Any:
    """Return what scikit-learn's stacks have as their last estimator by default."""
    from sklearn.linear_model import LogisticRegression, RidgeCV  # takes long to import

    return LogisticRegression() if is_classifier(stack) else RidgeCV()


def unwrap_parts(value: Any, wrapper: Any, params: Iterable[str] = (), seen: set[int] | None = None) -> Any:
    """Put back what `wrap_parts` replaced, in a model and in all that it has fitted.

    Of the parameters `params` of `fit` the requests become undecided again. `seen` holds what was looked at.
    """
    seen = set() if seen is None else seen
    if isinstance(value, wrapper):
        return unwrap_parts(value.estimator, wrapper, params, seen)
    if isinstance(value, UnwrappingScorer):
        return unwrap_parts(value.scorer, wrapper, params, seen)
    if isinstance(value, tuple):
        items = [unwrap_parts(item, wrapper, params, seen) for item in value]
        if all(new is old for new, old in zip(items, value)):
            return value
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    if isinstance(value, LEAVES) or id(value) in seen or is_frozen(value):
        return value
    seen.add(id(value))
    if isinstance(value, dict | list) or (isinstance(value, np.ndarray) and value.dtype == object):
        _unwrap_entries(value, wrapper, params, seen)
    elif _is_model(value):
        _forget_requests(value, params)
        _unwrap_attributes(value, wrapper, params, seen)
    return value


def _forget_requests(model: Any, params: Iterable[str]) -> None:
    """Make the requests for parameters of `fit` undecided again."""
    for name in params if hasattr(model, "set_fit_request") else ():
        if name in getattr(getattr(read_routing(model), "fit", None), "requests", {}):
            model.set_fit_request(**{name: None})


def _unwrap_entries(container: Any, wrapper: Any, params: Iterable[str], seen: set[int]) -> None:
    entries = container.flat if isinstance(container, np.ndarray) else container
    first = next(iter(entries.values() if isinstance(entries, dict) else entries), None)
    if isinstance(first, LEAVES):  # as in a vocabulary of a million words
        return
    places = entries.items() if isinstance(entries, dict) else enumerate(entries)
    for place, item in list(places):
        if (put_back := unwrap_parts(item, wrapper, params, seen)) is not item:
            entries[place] = put_back


def _is_model(value: Any) -> bool:
    methods = ("fit", "get_metadata_routing", *ANSWERS)  # a scorer may hold the model, too
    return (
        any(hasattr(value, method) for method in methods)
        and hasattr(value, "__dict__")
        and not isinstance(value, type)
    )


def _unwrap_attributes(model: Any, wrapper: Any, params: Iterable[str], seen: set[int]) -> None:
    for name, value in list(vars(model).items()):
        if isinstance(value, InnerSplitter):
            setattr(model, name, value.given)
        elif isinstance(value, wrapper) and value.is_default and not name.endswith("_"):
            setattr(model, name, None)
        elif (put_back := unwrap_parts(value, wrapper, params, seen)) is not value:
            setattr(model, name, put_back)
