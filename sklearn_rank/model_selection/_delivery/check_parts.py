"""The check, before training, that ids reach all parts of a model that take them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit

from ..._checks.errors import fail, is_int, is_real
from ..._checks.warn import warn_user
from ..._rows.inner_models import OUTPUTS, find_models, is_known, is_of_scikit_learn, read_requests
from ..._rows.needs import NO_IDS, Needs
from ..._rows.owners import DECLARED, EXCEPTIONS
from ..._rows.scorer_columns import names_for
from .._splitters.group_splits import spell_splitter
from .check_models import trains_parts_itself

INSIDE = ("fit", *OUTPUTS)  # the methods that an owner calls
INNER_CUTS = "{model}: cv={cv} splits the training rows again without query ids, so it cuts queries. {remedy}"
BY_SEARCH = "Use sklearn_rank.GridSearchCV to tune its parameters."
BY_NUMBER = "Pass it an int, such as cv=5, which means folds of whole queries in functions of sklearn_rank."
BY_UPGRADE = "Upgrade scikit-learn to version 1.9 or later, which passes the ids."


def check_delivery(needs: Needs, methods: Iterable[str], is_fitted: bool = False) -> None:
    """Raise an error if a part of a model takes ids that do not reach it in one of these methods."""
    if needs.is_simple or (needs.passes_ids_itself and is_fitted):
        return
    model, is_ours = needs.model, is_known(type(needs.model))
    if not is_fitted:
        _check_scorers(needs)
    if not needs.inside:
        return
    resampler = None  # a step of imbalanced-learn, which changes the rows for later steps
    for step in needs.parts:
        if hasattr(step.model, "fit_resample") and (step.asks(*INSIDE) or resampler is None):
            resampler = step
        if resampler is not None and (found := step.find(*INSIDE)) is not None:
            _reject(found, "fit", resampler)
    if not (needs.how or needs.passes_ids_itself):
        for method in methods:
            called = (*INSIDE, "score") if method == "fit" else OUTPUTS if hasattr(model, method) else ()
            part = next(filter(None, (each.find(*called) for each in needs.inside)), None) if called else None
            by_itself = part is not None and type(part.model).__module__.startswith("sklearn_rank.")
            if part is not None and (is_ours or not (by_itself or method in needs.own)):
                _reject(part, method, needs)
    elif not trains_parts_itself(needs):
        placed = place_candidates(needs) if needs.is_search and not is_fitted else []
        for each in [*needs.inside, *placed]:
            check_delivery(each, INSIDE, is_fitted)


def place_candidates(search: Needs) -> list[Needs]:
    """List the model of a search with each candidate in its place, if that is possible."""
    placed = []
    for name, values in [pair for grid in search.grids for pair in grid.items()] if search.candidates else ():
        for candidate in values if isinstance(values, list | tuple | np.ndarray) else ():
            if find_models(candidate):
                with suppress(Exception):  # scikit-learn raises its own error for wrong names
                    model = clone(search.parameters["estimator"], safe=False)
                    placed.append(Needs(model.set_params(**{name: candidate})))
    return placed


def _check_scorers(needs: Needs) -> None:
    """Reject scorers that take ids in a model that passes none to them."""
    model = needs.model
    for scorer in needs.scorers:
        if needs.passes_ids_itself or needs.how in ("rows", "y") or "fit" in needs.own:
            return
        routed = needs.is_theirs and not needs.parts and hasattr(scorer, "get_metadata_routing")
        if names_for(scorer) and not routed:
            got = f"{type(model).__name__}, which calls the scorer {scorer!r:.80} without 'groups',"
            fix = f"Tune {type(model).__name__} with a search of sklearn_rank."
            fail("estimator", "pass 'groups' to all parts that take it", got, fix)


def _reject(part: Needs, method: str, needs: Needs) -> NoReturn:
    owner: Any = needs.model
    name, of_owner = type(part.model).__name__, type(owner).__name__
    method = next((each for each in (method, *INSIDE) if each in part.own), method)
    got = f"{of_owner}, which calls {name}.{method} without 'groups',"
    exception = EXCEPTIONS.get(of_owner)
    fix = f"Use {name} outside of {of_owner}."
    if hasattr(owner, "fit_resample"):
        got = f"{of_owner}, which changes the rows before {name}.{method}, so ids no longer match,"
        fix = f"Put {name} before {of_owner}, or resample before the call."
    elif exception is not None and exception.applies(needs):
        fix = exception.fix
    elif not is_known(type(owner)):
        fix = f"If {of_owner} passes all rows in order, set {DECLARED} = 'order' in it."
    elif hasattr(part.model, "transform") and not hasattr(part.model, "predict"):
        fix = f"Put {name} first: make_pipeline({name}(...), {of_owner}(...))."
    if not type(part.model).__module__.startswith("sklearn_rank."):
        fix += NO_IDS.format(part=name, method=method)
    fail("estimator", "pass 'groups' to all parts that take it", got, fix)


def warn_of_inner_cuts(needs: Needs, reached: bool = True) -> None:
    """Warn about models and parts whose inner folds cut queries. `reached` is whether ids reach the model.

    Parts of models that train their parts themselves are not checked.
    """
    if needs.is_simple or needs.passes_ids_itself or needs.is_frozen:
        return
    cv = needs.parameters.get("cv")
    # Models with `gcv_mode` leave out single rows by default, and some libraries take a fraction as `cv`.
    cuts = ("gcv_mode" in needs.parameters and cv is None) or (is_real(cv) and not is_int(cv))
    is_search = "refit" in needs.parameters  # searches choose among candidates only
    if needs.is_theirs and not is_search and hasattr(cv, "split") and is_of_scikit_learn(cv):
        keeps_queries = isinstance(cv, PredefinedSplit) or read_requests(cv, "split").get("groups")
        cuts = cuts or not keeps_queries
    if cuts or needs.takes_no_splitter or (needs.has_own_folds and not reached):
        remedy = BY_UPGRADE if needs.takes_no_splitter else BY_NUMBER if reached else BY_SEARCH
        warn_user(INNER_CUTS.format(model=type(needs.model).__name__, cv=spell_splitter(cv), remedy=remedy))
    known = bool(needs.inside) and needs.how is not None
    is_ranker = type(needs.model).__module__.startswith("sklearn_rank.rankers.")  # trains its part on pairs
    if known or is_ranker or "fit" not in needs.own:
        for part in needs.inside:
            warn_of_inner_cuts(part, reached and known)
