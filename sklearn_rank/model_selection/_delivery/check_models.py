"""Checks before training, which reject models, scorers and parameters that would fail in every fold."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any

from sklearn import get_config
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.containers import column_names
from ..._checks.errors import fail, kind_of, name_call
from ..._checks.types import AnyScorer, Arguments, Estimator, Features, Labels, Options
from ..._rows.bound import RowTable, unwrap_model
from ..._rows.inner_models import METHODS, is_known, read_requests, takes
from ..._rows.needs import Needs
from ..._rows.scorer_columns import MADE_BY_SCIKIT_LEARN, find_function, takes_classes
from ...metrics import CHANGE_METHODS, RankingScorer, check_response
from .read_scoring import list_rankings

NO_NAME = "a name that no attribute has"
# The rankers of boosting libraries, and the parameters of their `fit` for the id of each row.
RANKERS = {"lightgbm": "LGBMRanker", "xgboost": "XGBRanker", "catboost": "CatBoostRanker"}
IDS_BY_ROW = ("qid", "group_id", "query_id")


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


def strip_parts(names: Collection[Any]) -> set[str]:
    """Return names of parameters without the prefix of their parts."""
    return {name.rpartition("__")[2] for name in names if isinstance(name, str)}


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
    names = [name for grid in needs.grids for name in grid]
    inside = tuned | strip_parts(names) if ours and tuned is not None else None
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
        names = strip_parts([name for grid in needs.grids for name in grid])
        check_scored(needs.parts[0], [*list_rankings(needs.model), *needs.scorers], y, names)
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
            rule = f"accept real predictions, as {type(unwrap_model(estimator)).__name__} returns them"
            fix = f'Pass scoring="{suggested}", which is the mean over queries.'
            fail("scoring", rule, f"{metric.__name__}, a metric for classifiers,", fix)


# ------------------------------------------------------------------ parameters of `fit`


def select_params(needs: Needs, params: Arguments, rows: RowTable, is_search: bool) -> Options:
    """Return the parameters for `fit`. Columns other than ids and labels can go to it too.

    With the user's routing, requests decide, and scikit-learn raises its errors.
    """
    params = {name: each for name, each in params.items() if name not in ("groups", *rows.kinds)}
    if not params:
        return {}
    if get_config()["enable_metadata_routing"]:
        model = needs.model
        routing = get_routing_for_object(model) if hasattr(model, "get_metadata_routing") else None
        both = routing.consumes("fit", [*params]) if routing is not None else []
        return {name: value for name, value in params.items() if name not in rows.columns or name in both}
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
        models = _list_models(needs)  # with `transform_input`, a pipeline always routes
        routes = any(getattr(each, "transform_input", None) for each in models)
        return routes and any(read_requests(each, "fit").get(name) is True for each in models)
    if takes(model, "fit", name):
        return True
    is_passed = not needs.parts or any(_takes_in_fit(part, name) for part in needs.parts)
    return is_passed and takes(model, "fit", "**")


def _list_models(needs: Needs) -> list[Any]:
    """List a model, its parts, and those inside them."""
    return [needs.model, *(model for part in needs.parts for model in _list_models(part))]


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
