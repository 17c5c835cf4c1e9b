"""Searches inside a model: warnings about their folds are given once, by the call that fits the model."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import ContextVar
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object

from .._checks.containers import take
from .._checks.warn import turn_on
from .._models.parts import is_of_scikit_learn, is_search, list_parts, takes
from .._splitters.folds import as_splitter
from ..metrics import RankingScorer
from .default_scorer import list_rankings
from .models_that_split import is_frozen
from .scoring import resolve_scoring

Folds = list[tuple[np.ndarray, np.ndarray]]

_watched: ContextVar[bool] = ContextVar("watched", default=False)


class Rows(NamedTuple):
    """The rows of a call, with the ids and what splitters ask for by name."""

    X: Any
    y: Any
    named: Mapping[str, Any]


class InnerFolds(NamedTuple):
    """The folds of a search for each training set that it gets, in rows of the call."""

    name: str
    splitter: Any
    is_ours: bool  # cuts of queries are warned of as if the search were fitted alone
    scorers: list[RankingScorer]
    folds: Folds


def watched_searches(model: Any) -> AbstractContextManager[None]:
    """Mark the code inside as a fit of a model; warnings about its searches have been given."""
    return turn_on(_watched) if any(_iter_searches(model)) else nullcontext()


def are_watched() -> bool:
    """Return whether a call gives the warnings about the searches inside its model."""
    return _watched.get()


def iter_inner_folds(model: Any, folds: Iterable[Any], rows: Rows) -> Iterator[InnerFolds]:
    """Yield the folds of each search inside a model, and of searches inside the models of these."""
    for search in _iter_searches(model):
        splitter, inner = _read_splitter(search), []
        for train, _ in folds:
            some = np.arange(len(rows.named["groups"]))[train]
            inner += [(some[fit], some[test]) for fit, test in _split(splitter, rows, some)]
        is_ours = hasattr(search, "settles_ids")
        yield InnerFolds(type(search).__name__, splitter, is_ours, _list_scorers(search), inner)
        yield from iter_inner_folds(search.estimator, inner, rows)


def _iter_searches(model: Any) -> Iterator[Any]:
    """Yield the searches among a model and its parts, not those inside searches."""
    if is_search(model):
        yield model
    elif is_of_scikit_learn(model) and not is_frozen(model):
        for part in list_parts(model):
            yield from _iter_searches(part)


def _list_scorers(search: Any) -> list[RankingScorer]:
    """List the ranking scorers of a search; names mean scikit-learn's metrics in its own searches."""
    scoring = search.scoring
    if getattr(search, "settles_ids", False):
        scoring = resolve_scoring(scoring, type(search).__name__)
    return list_rankings(scoring, search.estimator)


def _read_splitter(search: Any) -> Any:
    """Return the splitter of a search; None for folds that only its `fit` can read."""
    with suppress(ValueError):  # which `fit` raises
        return None if hasattr(search.cv, "__next__") else as_splitter(search.cv, 0, type(search).__name__)
    return None


def _split(splitter: Any, rows: Rows, some: np.ndarray) -> list[Any]:
    """Return the folds of some rows; none if the splitter raises an error, as the search will."""
    with suppress(Exception):
        requests = dict(get_routing_for_object(splitter).split.requests)
        if not is_of_scikit_learn(splitter) and takes(splitter, "split", "groups"):
            requests.setdefault("groups", True)
        names = {name: name if alias is True else alias for name, alias in requests.items() if alias}
        given = {name: take(rows.named[alias], some) for name, alias in names.items() if alias in rows.named}
        return list(deepcopy(splitter).split(take(rows.X, some), take(rows.y, some), **given))
    return []
