"""Parts of a model wrapped while it is fitted, so that ids reach all that take them; unwrapped afterwards."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from .._models.answers import answers_by_groups
from .._models.parts import (
    GRIDS,
    find_models,
    inherits_fit_transform,
    is_frozen,
    is_of_scikit_learn,
    is_search,
    is_stack,
    list_parts,
    read_parameters,
    read_routing,
    replace_models,
)
from .ids_in_parts import carries_ids, list_aliases, routes_to_parts
from .inner_splitter import InnerSplitter
from .models_that_split import (
    hands_ids_to_folds,
    has_own_folds,
    splits_by_members,
)
from .scoring import resolve_scoring
from .unwrapping_scorer import UnwrappingScorer, wrap_scorers

Wrap = Callable[..., Any]


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
        scoring = resolve_scoring(model.scoring, type(model).__name__) if names else model.scoring
        changed["scoring"] = wrap_scorers(scoring, names, cautioned=True)
    if has_own_folds(model) and hands_ids_to_folds(model):
        changed["cv"] = InnerSplitter(model.cv)
    if changed:
        model.set_params(**changed)
    return model


def _wrap_part(part: Any, owner: Any, wrap: Wrap, routing: bool) -> Any:
    """Return a part of a model, wrapped if it has to be."""
    if is_frozen(part) and hasattr(owner, "ensemble"):  # calibration looks for it
        return part
    if splits_by_members(owner) or is_search(owner):
        return wrap(part, routing, candidates=is_search(owner))
    if carries_ids(part) and inherits_fit_transform(part):  # in which scikit-learn 1.6 routes nothing
        return wrap(part, routing)
    if carries_ids(part):  # a stack routes what it gets twice, and private names of parameters would be lost
        return (
            wrap(part, routing)
            if splits_by_members(part) and not routing
            else wrap_parts(part, wrap, routing)
        )
    if routing or getattr(part, "fits_with_routing", False):
        return part
    # With routing enabled scikit-learn's own models do what they do without; of others nobody knows.
    plain = is_of_scikit_learn(part) and not (list_parts(part) or read_routing(part) is None)
    return part if plain else wrap(part, routing)


def _default_final(stack: Any) -> Any:
    """Return what scikit-learn's stacks have as their last estimator by default."""
    from sklearn.linear_model import LogisticRegression, RidgeCV  # takes long to import

    return LogisticRegression() if is_classifier(stack) else RidgeCV()


def unwrap_parts(model: Any, wrapper: Any, params: Iterable[str] = ()) -> Any:
    """Put back what `wrap_parts` replaced, in a model and in what it has fitted.

    Only models through which ids travel are searched, and the objects in which scikit-learn keeps parts:
    nothing else was replaced. Of the parameters `params` of `fit` the requests become undecided.
    """
    _forget_requests(model, params)
    for name, value in list(vars(model).items()):
        if isinstance(value, wrapper) and value.is_default and not name.endswith("_"):
            setattr(model, name, None)
        elif (put_back := _unwrap(value, wrapper, params)) is not value:
            setattr(model, name, put_back)
    return model


def _unwrap(value: Any, wrapper: Any, params: Iterable[str]) -> Any:
    """Return a value of an attribute without wrappers."""
    if isinstance(value, wrapper):
        _forget_requests(value.estimator, params)
        return value.estimator  # whose own parts were put back at the end of its `fit`
    if isinstance(value, InnerSplitter):
        return value.given
    if isinstance(value, UnwrappingScorer):
        return value.scorer
    if isinstance(value, dict | list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return _unwrap_entries(value, wrapper, params)
    if _may_hold_wrappers(value):
        unwrap_parts(value, wrapper, params)
    elif hasattr(value, "fit") and not isinstance(value, type):
        _forget_requests(value, params)
    return value


def _may_hold_wrappers(value: Any) -> bool:
    """Return whether parts of a value might have been replaced: of a model, or of scikit-learn's objects."""
    if not hasattr(value, "__dict__") or isinstance(value, type) or is_frozen(value):
        return False
    return routes_to_parts(value) if hasattr(value, "fit") else is_of_scikit_learn(value)


def _forget_requests(model: Any, params: Iterable[str]) -> None:
    """Make the requests for parameters of `fit` undecided again."""
    for name in params if hasattr(model, "set_fit_request") else ():
        if name in getattr(getattr(read_routing(model), "fit", None), "requests", {}):
            model.set_fit_request(**{name: None})


def _unwrap_entries(container: Any, wrapper: Any, params: Iterable[str]) -> Any:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    items = container.values() if isinstance(container, dict) else container
    changed = {key: new for key, old in zip(keys, items) if (new := _unwrap(old, wrapper, params)) is not old}
    if isinstance(container, tuple) and changed:
        entries = [changed.get(key, container[key]) for key in keys]
        return container._make(entries) if hasattr(container, "_make") else type(container)(entries)
    for key, item in changed.items():
        container[key] = item
    return container
