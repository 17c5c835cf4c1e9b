"""Parts of a model wrapped while it is fitted, so that ids reach all that take them; unwrapped afterwards."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metadata_routing import MetadataRequest

from .._models.answers import answers_by_groups
from .._models.parts import (
    GRIDS,
    find_models,
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
from .requests import request_params
from .scoring import copy_scorers, resolve_scoring
from .unwrapping_scorer import UnwrappingScorer, wrap_scorers

Wrap = Callable[..., Any]


@contextmanager
def wrapped_parts(
    model: Any, wrap: Any, routing: bool, params: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Wrap parts of a model so that ids reach all that take them; yield its parameters of `fit`.

    `wrap` is `GroupedModel`. At the end parts, folds, scorers and requests are the user's again, in the model
    and in what it has fitted.
    """
    others = [name for name, value in read_parameters(model).items() if not find_models(value)]
    kept = {key: value for key, value in vars(model).items() if key in others or _is_request(value)}
    try:
        _wrap_parts(model, wrap, routing, bool(params))
        yield dict(params) if routing else request_params(model, params)
    finally:
        for name in [name for name, value in vars(model).items() if _is_request(value)]:
            delattr(model, name)
        vars(model).update(kept)
        _unwrap_parts(model, wrap)


def _is_request(value: Any) -> bool:
    return isinstance(value, MetadataRequest)


def _wrap_parts(model: Any, wrap: Wrap, routing: bool, weighs: bool) -> None:
    """Wrap parts of a model: the members of a stack, what a search fits, and all through which ids travel.

    Where the user has routing disabled, so is each part that is not to be fitted with routing enabled. An int
    as `cv` becomes folds of whole queries.
    """
    changed: dict[str, Any] = {}
    for name, value in read_parameters(model).items():
        if find_models(value) and name not in GRIDS:
            changed[name] = replace_models(value, lambda part: _wrap_part(part, model, wrap, routing, weighs))
    if is_stack(model):
        last = _default_final(model) if model.final_estimator is None else model.final_estimator
        changed["final_estimator"] = wrap(last, routing, is_last=True, aliases=list_aliases(model))
    scoring = read_parameters(model).get("scoring")
    if scoring is not None:
        names = ("groups", *list_aliases(model)) if is_search(model) and answers_by_groups(model) else ()
        scoring = resolve_scoring(scoring, type(model).__name__) if names else scoring
        scoring = scoring if routing else copy_scorers(scoring)
        changed["scoring"] = wrap_scorers(scoring, names, cautioned=is_search(model))
    if has_own_folds(model) and hands_ids_to_folds(model):
        changed["cv"] = InnerSplitter(model.cv)
    if changed:
        model.set_params(**changed)


def _wrap_part(part: Any, owner: Any, wrap: Wrap, routing: bool, weighs: bool) -> Any:
    """Return a part of a model, wrapped if it has to be."""
    if is_frozen(part) and hasattr(owner, "ensemble"):  # calibration looks for it
        return part
    if splits_by_members(owner) or is_search(owner):
        return wrap(part, routing, candidates=is_search(owner))
    if carries_ids(part) or (weighs and not routing):  # the wrapper has requests, and the part keeps its own
        return wrap(part, routing)
    if routing or getattr(part, "fits_with_routing", False):
        return part
    # Only scikit-learn's own models are known to behave the same with routing enabled.
    plain = is_of_scikit_learn(part) and not (list_parts(part) or read_routing(part) is None)
    return part if plain else wrap(part, routing)


def _default_final(stack: Any) -> Any:
    """Return what scikit-learn's stacks have as their last estimator by default."""
    from sklearn.linear_model import LogisticRegression, RidgeCV  # takes long to import

    return LogisticRegression() if is_classifier(stack) else RidgeCV()


def _unwrap_parts(model: Any, wrapper: Any) -> None:
    """Put back what was replaced, in a model and in what it has fitted.

    Only models through which ids travel are searched, and the objects in which scikit-learn keeps parts.
    """
    for name, value in list(vars(model).items()):
        if (put_back := _unwrap(value, wrapper)) is not value:
            setattr(model, name, put_back)


def _unwrap(value: Any, wrapper: Any) -> Any:
    """Return a value of an attribute without wrappers."""
    if isinstance(value, wrapper):
        return value.estimator  # the end of its `fit` has restored its parts
    if isinstance(value, InnerSplitter):
        return value.given
    if isinstance(value, UnwrappingScorer):
        return value.scorer
    if isinstance(value, dict | list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return _unwrap_entries(value, wrapper)
    if _may_hold_wrappers(value):
        _unwrap_parts(value, wrapper)
    return value


def _may_hold_wrappers(value: Any) -> bool:
    """Return whether parts of a value might have been replaced: of a model, or of scikit-learn's objects."""
    if not hasattr(value, "__dict__") or isinstance(value, type) or is_frozen(value):
        return False
    return routes_to_parts(value) if hasattr(value, "fit") else is_of_scikit_learn(value)


def _unwrap_entries(container: Any, wrapper: Any) -> Any:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    items = container.values() if isinstance(container, dict) else container
    changed = {key: new for key, old in zip(keys, items) if (new := _unwrap(old, wrapper)) is not old}
    if isinstance(container, tuple) and changed:
        entries = [changed.get(key, container[key]) for key in keys]
        return container._make(entries) if hasattr(container, "_make") else type(container)(entries)
    for key, item in changed.items():
        container[key] = item
    return container
