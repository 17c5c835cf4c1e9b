"""Searches inside a model. The call that fits the model warns about their folds, once."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import ContextVar
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object

from .._checks.containers import take
from .._checks.warn import turn_on
from .._models.parts import is_frozen, is_of_scikit_learn, is_search, list_parts, takes
from .._splitters.folds import as_splitter

Folds = list[tuple[np.ndarray, np.ndarray]]

_watched: ContextVar[bool] = ContextVar("watched", default=False)


def watched_searches(model: Any) -> AbstractContextManager[None]:
    """Mark the code inside as a fit of a model; warnings about its searches have been given."""
    return turn_on(_watched) if any(_iter_searches(model)) else nullcontext()


def are_watched() -> bool:
    """Return whether a call gives the warnings about the searches inside its model."""
    return _watched.get()


def iter_inner_folds(
    model: Any, folds: Iterable[Any], X: Any, y: Any, named: Mapping[str, Any]
) -> Iterator[tuple[Any, Any, Folds]]:
    """Yield each search inside a model, its splitter, and its folds in each training set, as rows of X.

    Searches inside the models of searches are included. Splitters get what they request by name.
    """
    for search in _iter_searches(model):
        splitter, inner = _read_splitter(search), []
        for train, _ in folds:
            some = np.arange(len(named["groups"]))[train]
            inner += [(some[fit], some[test]) for fit, test in _split(splitter, X, y, named, some)]
        yield search, splitter, inner
        yield from iter_inner_folds(search.estimator, inner, X, y, named)


def _iter_searches(model: Any) -> Iterator[Any]:
    """Yield the searches among a model and its parts, not those inside searches."""
    if is_search(model):
        yield model
    elif is_of_scikit_learn(model) and not is_frozen(model):
        for part in list_parts(model):
            yield from _iter_searches(part)


def _read_splitter(search: Any) -> Any:
    """Return the splitter of a search; None for folds that only its `fit` can read."""
    with suppress(ValueError):  # `fit` raises it
        return None if hasattr(search.cv, "__next__") else as_splitter(search.cv, 0, type(search).__name__)
    return None


def _split(splitter: Any, X: Any, y: Any, named: Mapping[str, Any], some: np.ndarray) -> list[Any]:
    """Return the folds of some rows. If the splitter raises an error, there are none."""
    with suppress(Exception):
        requests = dict(get_routing_for_object(splitter).split.requests)
        if not is_of_scikit_learn(splitter) and takes(splitter, "split", "groups"):
            requests.setdefault("groups", True)
        names = {name: name if alias is True else alias for name, alias in requests.items() if alias}
        given = {name: take(named[alias], some) for name, alias in names.items() if alias in named}
        return list(deepcopy(splitter).split(take(X, some), take(y, some), **given))
    return []
