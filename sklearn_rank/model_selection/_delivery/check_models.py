"""Checks before training: models and scorers that would fail in every fold, ids that do not reach a part."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import PredefinedSplit
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.containers import column_names
from ..._checks.errors import fail, is_int, is_real, kind_of, name_call
from ..._checks.types import AnyScorer, Arguments, Estimator, Features, Labels, Options
from ..._checks.warn import warn_user
from ..._rows.bound import RowTable, unwrap
from ..._rows.inner_models import (
    METHODS,
    OUTPUTS,
    find_models,
    is_known,
    is_of_scikit_learn,
    read_requests,
    strip_parts,
    takes,
)
from ..._rows.needs import NO_IDS, Needs
from ..._rows.owners import DECLARED, EXCEPTIONS
from ..._rows.scorer_columns import MADE_BY_SCIKIT_LEARN, find_function, names_for, takes_classes
from ...metrics import CHANGE_METHODS, RankingScorer, check_response
from .._splitters.group_splits import spell_splitter
from .read_columns import list_rankings

NO_NAME = "a name that no attribute has"
# The rankers of boosting libraries, and the parameters of their `fit` for the id of each row.
RANKERS = {"lightgbm": "LGBMRanker", "xgboost": "XGBRanker", "catboost": "CatBoostRanker"}
IDS_BY_ROW = ("qid", "group_id", "query_id")
INSIDE = ("fit", *OUTPUTS)  # the methods that an owner calls
INNER_CUTS = "{model}: cv={cv} splits the training rows again without query ids, so it cuts queries. {remedy}"
BY_SEARCH = "Use sklearn_rank.GridSearchCV to tune its parameters."
BY_NUMBER = "Pass it an int, such as cv=5, which means folds of whole queries in functions of sklearn_rank."
BY_UPGRADE = "Upgrade scikit-learn to version 1.9 or later, which passes the ids."


def check_model(estimator: Estimator) -> None:
    """Check that this is a model, not a class, a mock or another object."""
    if isinstance(estimator, type):
        name = estimator.__name__
        fail("estimator", "be an estimator", f"the class {name}", f"Pass an object: {name}().")
    if not callable(getattr(estimator, "fit", None)):
        fail("estimator", "be an estimator with a fit method", kind_of(estimator))
    if hasattr(estimator, NO_NAME):
        fail("estimator", "be an estimator", f"{type(estimator).__name__}, which accepts any attribute name,")


def check_models(
    models: list[Needs], X: Features, params: Arguments, tuned: Collection[str] = ()
) -> list[Needs]:
    """Check all models that will be trained: the model with its parts, then candidates.

    They have other values of the parameters named in `tuned`. Return those of other libraries than
    scikit-learn.
    """
    model, *candidates = models
    if model.is_simple and not candidates:
        return []
    trained = _list_trained(model, {*tuned})
    if candidates and not any(trains_parts_itself(part) for part, _ in trained):
        trained += [pair for each in candidates for pair in _list_trained(each, {*tuned})]
    for needs, _ in trained:
        check_model(needs.model)
    others = [(needs, of_grids) for needs, of_grids in trained if not needs.is_theirs]
    for needs, of_grids in others:
        part: Any = needs.model
        _check_library(needs, X, params)
        if hasattr(part, "_check_eval_metric"):  # a ranker of this package
            part._check_eval_metric()
        if hasattr(part, "_check_fit_parameters") and of_grids is not None:
            part._check_fit_parameters(strip_parts(params), of_grids, X if needs in models else None)
    return [needs for needs, _ in others]


def trains_parts_itself(needs: Needs) -> bool:
    """Return whether a user-defined model takes ids, and therefore trains its parts itself."""
    return not needs.is_theirs and "fit" in needs.own and not is_known(type(needs.model))


def _list_trained(needs: Needs, tuned: set[str] | None) -> list[tuple[Needs, set[str] | None]]:
    """List a model and its parts, except fitted ones and those that a user's model trains by itself.

    Each is with the names of the parameters that searches around it set; None inside a user's model, which
    can train parts with other parameters than those of its `fit`.
    """
    if needs.is_frozen:
        return []
    if needs.is_simple or trains_parts_itself(needs):
        return [(needs, tuned)]
    ours = needs.is_theirs or type(needs.model).__module__.startswith("sklearn_rank.")
    inside = tuned | needs.tuned if ours and tuned is not None else None
    return [(needs, tuned), *(pair for part in needs.inside for pair in _list_trained(part, inside))]


def _check_library(needs: Needs, X: Features, params: Arguments) -> None:
    """Reject a library's own ranker, unless it gets ids under its name for ids by row."""
    model: Any = needs.model
    library, name = type(model).__module__.partition(".")[0], type(model).__name__
    if RANKERS.get(library) != name or "fit" in needs.own:
        return
    names = column_names(X)
    if name == "XGBRanker" and names is not None and "qid" in list(names):  # which it reads as ids
        return
    given = {param.rpartition("__")[2] for param in params} & {*IDS_BY_ROW}
    if not any(takes(model, "fit", param) for param in given):
        fix = f"Use the one with the same parameters: from sklearn_rank.rankers import {name}."
        fail("estimator", "be a ranker that takes 'groups'", f"{library}.{name}", fix)


def check_names_of_ids(models: Iterable[Needs]) -> None:
    """Reject a user-defined model that takes ids under another name without requesting them."""
    for needs in models:
        model = needs.model
        is_read = type(model).__module__.partition(".")[0] in RANKERS or is_known(type(model))
        for method in () if is_read else METHODS:
            requests = read_requests(model, method)
            names = [each for each in IDS_BY_ROW if takes(model, method, each) and requests.get(each) is None]
            if names and not takes(model, method, "groups"):
                got = f"{type(model).__name__}.{method}, which takes {names[0]!r},"
                request = f"__metadata_request__{method} = {{{names[0]!r}: 'groups'}}"
                fix = f"Rename the parameter to 'groups', or set {request} in {type(model).__name__}."
                fail("estimator", "take query ids as 'groups'", got, fix)


def check_scored(needs: Needs, scorers: Iterable[AnyScorer], y: Labels, tuned: Collection[str]) -> None:
    """Check that scorers accept the predictions of a model trained on `y`, or of a search inside it."""
    labels = None if CHANGE_METHODS.intersection(tuned) else y
    for scorer in scorers:
        if isinstance(scorer, RankingScorer):
            check_response(scorer, needs.model, labels)
        elif isinstance(scorer, MADE_BY_SCIKIT_LEARN):
            _check_classifies(needs.model, scorer)
    if needs.is_search and not needs.candidates:
        check_scored(needs.parts[0], [*list_rankings(needs.model), *needs.scorers], y, needs.tuned)
    elif needs.is_theirs and needs.parts and hasattr(needs.model, "steps"):
        last: Any = needs.parts[-1]
        if last.model is needs.model.steps[-1][1]:
            check_scored(last, (), y, tuned)


def _check_classifies(estimator: Estimator, scorer: AnyScorer) -> None:
    """Reject a scorer of scikit-learn that gets classes to rank by, or real numbers instead of classes."""
    from ... import metrics
    from ..._hints.scorers import find_for_rankings, suggest_scorer

    metric: Any = find_function(scorer)
    is_own = takes_classes(scorer) and str(getattr(metric, "__module__", "")).startswith("sklearn_rank.")
    with suppress(AttributeError):  # an object without scikit-learn's tags
        if is_own and is_classifier(estimator):
            fix = f"Pass scoring={suggest_scorer(metric, vars(metrics))}, which ranks by scores."
            got = f"make_scorer({metric.__name__}), which gets predicted classes,"
            fail("scoring", "rank by scores", got, fix)
        suggested = find_for_rankings(metric) if is_regressor(estimator) else None
        if suggested is not None:
            rule = f"accept real predictions, as {type(unwrap(estimator)).__name__} returns them"
            fix = f'Pass scoring="{suggested}", which is the mean over queries.'
            fail("scoring", rule, f"{metric.__name__}, a metric for classifiers,", fix)


# ------------------------------------------------------------------ ids reach all parts


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


# ------------------------------------------------------------------ parameters of `fit`


def select_params(needs: Needs, params: Arguments, rows: RowTable, is_search: bool) -> Options:
    """Return the parameters for `fit`. Columns other than ids and labels can go to it too.

    With the user's routing, requests decide, and scikit-learn raises its errors.
    """
    params = {name: each for name, each in params.items() if name not in ("groups", *rows.kinds)}
    if not params:
        return {}
    if get_config()["enable_metadata_routing"]:
        taken = get_routing_for_object(needs.model).consumes("fit", [*params])
    else:
        taken = [name for name in params if _takes_in_fit(needs, name)]
        for name in params:
            if not (is_search or name in taken or name in rows.columns):
                _reject_param(needs, name)
    return {name: value for name, value in params.items() if name in taken or name not in rows.columns}


def _takes_in_fit(needs: Needs, name: str) -> bool:
    """Return whether scikit-learn, with routing disabled, passes a parameter of `fit` on."""
    model: Any = needs.model
    if hasattr(model, "named_steps"):
        name, _, rest = name.partition("__")
        step = model.named_steps.get(name)
        if rest:
            return any(part.model is step and _takes_in_fit(part, rest) for part in needs.parts)
        models = [each.model for each in needs.walk()]  # with `transform_input`, a pipeline always routes
        routes = any(getattr(each, "transform_input", None) for each in models)
        return routes and any(read_requests(each, "fit").get(name) is True for each in models)
    if takes(model, "fit", name):
        return True
    is_passed = not needs.parts or any(_takes_in_fit(part, name) for part in needs.parts)
    return is_passed and takes(model, "fit", "**")


def _reject_param(needs: Needs, name: str) -> None:
    """Raise an error for a parameter that no part takes, and suggest the intended one."""
    from ..._hints.arguments import explain_param

    fix = explain_param(name.rpartition("__")[2])
    paths = [f"{step}__{name}" for step in reversed(getattr(needs.model, "named_steps", {}))]
    path = next((each for each in paths if _takes_in_fit(needs, each)), "")
    if path and not fix:
        by_name = name_call("params").endswith(".fit")
        given = f"fit(..., {path}=...)" if by_name else f"params={{{path!r}: ...}}"
        fix = f"Pass it to the step that takes it: {given}."
    rule = f"contain only parameters that {type(needs.model).__name__} or a scorer takes"
    fail("params", rule, repr(name), fix)
