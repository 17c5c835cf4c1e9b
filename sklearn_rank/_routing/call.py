"""How query ids reach splitter, model and scorer: scikit-learn's metadata routing, opened for one call."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object

from .._checks.arguments import IDS
from .._checks.arrays import flatten
from .._checks.codes import holds_codes
from .._checks.containers import check_entries, check_same_order, count_rows, resolve_groups
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.options import check_params
from .._models.answers import answers_by_groups, list_asked
from .._models.parts import find_models, read_parameters
from .._splitters.folds import as_splitter
from ..metrics import BaseScorer, RankingScorer
from .grouped_model import GroupedModel
from .inner_folds import has_own_folds, is_frozen, is_stack, warn_of_cuts
from .model_score import around_scorers
from .opened_parts import hands_on, list_aliases, split_request
from .requests import nested, refuse_param, request_in_scorers, request_undecided_groups, takes_in_fit
from .scoring import (
    EstimatorScore,
    check_made,
    copy_scorers,
    deliver_groups,
    groups_request,
    list_scorers,
    resolve_scoring,
)
from .trainable import check_model, check_routing, check_trained
from .whole_queries import WholeQueries
from .wrapped_model import inside_model


class Call(NamedTuple):
    """What to call scikit-learn's function with, and whether with routing enabled."""

    estimator: Any
    scoring: Any
    cv: Any
    params: dict[str, Any]
    routing: bool


def prepare(
    function: str,
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    scoring: Any,
    cv: Any,
    params: Mapping[str, Any] | None,
    weights_reach_scorers: bool = False,
    models: list[Any] | None = None,
) -> Call:
    """Make `groups` reach splitter, model and scorer; without any, leave the call as it is.

    A search may have further `models` among its candidates.
    """
    check_model(estimator, function)
    params, models = check_params(params, function), models or []
    check_trained(estimator, models, X, params, function)
    scoring = resolve_scoring(scoring, function)
    # Here, as scikit-learn makes a nan of what a scorer raises.
    check_same_order(function, **{"X": X, "y": y, "groups": groups, **params})
    given = groups is not None or params.get("groups") is not None
    groups = _find_groups(function, groups, params, scoring, X, y)
    user_routing = get_config()["enable_metadata_routing"]
    if groups is None:
        return Call(estimator, scoring, cv, params, user_routing)
    cv = as_splitter(cv, count_rows(X, function), function)
    check_made(scoring, y, function)
    rankings = [scorer for scorer in list_scorers(scoring) if isinstance(scorer, RankingScorer)]
    params.pop("groups", None)
    with config_context(enable_metadata_routing=True):
        for model in (estimator, *models):
            _warn_of_cuts_in(model)
            if user_routing:
                check_routing(model)
        scoring = deliver_groups(scoring) if user_routing else copy_scorers(scoring)
        aliases = _list_all_aliases([estimator, *models], scoring, cv)
        ids = _ids_by_alias(function, aliases, params, groups if given else None, X, y)
        others = [*aliases, *get_routing_for_object(cv).split.requests]
        if user_routing:
            names = [name for name in params if name not in others]
            estimator = _wrap_if_needed(estimator, names, models)
        else:
            estimator = request_undecided_groups(clone(estimator))
            names = _settle_params(
                function, estimator, scoring, params, others, weights_reach_scorers, models
            )
            weigh = weights_reach_scorers and "sample_weight" in names
            of_models = _list_aliases_of([estimator, *models])
            estimator = GroupedModel(estimator, False, names, of_models, weigh, candidates=bool(models))
        if scoring is None and hasattr(estimator, "score"):
            scoring = EstimatorScore(estimator)
        else:
            scoring = _around(scoring, estimator, models)
    cv = cv if isinstance(cv, WholeQueries) else WholeQueries(cv, rankings, function)
    return Call(estimator, scoring, cv, {**params, **ids, "groups": groups}, routing=True)


def _wrap_if_needed(estimator: Any, names: list[str], models: list[Any]) -> Any:
    """Wrap a model where the user has routing enabled: candidates may differ, or it splits again."""
    if models:
        of_models = _list_aliases_of([estimator, *models])
        return GroupedModel(estimator, True, names, of_models, candidates=True)
    splits = any(has_own_folds(part) or is_stack(part) for part in (estimator, *nested(estimator)))
    return GroupedModel(clone(estimator), True) if splits else estimator


def _settle_params(
    function: str,
    estimator: Any,
    scoring: Any,
    params: dict[str, Any],
    others: list[str],
    weights_reach_scorers: bool,
    models: list[Any],
) -> list[str]:
    """Return the names of the parameters that go to `fit`; `others` are those of scorers and splitter."""
    of_models = _list_aliases_of([estimator, *models])
    names = []
    for name in params:
        reaches = weights_reach_scorers and name == "sample_weight"
        taken = request_in_scorers(scoring, name, reaches) or name in others
        if name not in of_models and (takes_in_fit(estimator, name) or (models and not taken)):
            names.append(name)
        elif not taken and name not in of_models:
            refuse_param(estimator, name, function)
    return names


def _around(scoring: Any, estimator: Any, models: list[Any]) -> Any:
    """Make scorers see the model itself, asked with ids if it, or a candidate, takes them there."""
    model = inside_model(estimator)
    answers = any(map(answers_by_groups, (model, *models)))
    if not answers and model is estimator:
        return scoring
    return around_scorers(scoring, ["groups", *_list_aliases_of([model, *models])] if answers else [])


def _list_all_aliases(models: list[Any], scoring: Any, cv: Any) -> list[str]:
    """List the names other than `groups` under which scorers, the splitter or models ask for ids."""
    asked = [*list_scorer_aliases(scoring), split_request(cv), *_list_aliases_of(models)]
    return [alias for alias in dict.fromkeys(asked) if isinstance(alias, str)]


def _warn_of_cuts_in(model: Any, reached: bool = True) -> None:
    """Warn of models that split again, in a model too; not in one that takes ids itself, such as of pairs."""
    warn_of_cuts(model, reached)
    takes_ids = getattr(model, "settles_ids", False) or (not hands_on(model) and list_asked(model, "fit"))
    for part in [] if takes_ids else find_models(read_parameters(model)):
        if not is_frozen(part):
            _warn_of_cuts_in(part, reached and hands_on(model))


def _list_aliases_of(models: list[Any]) -> list[str]:
    return list(dict.fromkeys(alias for model in models for alias in list_aliases(model)))


def _ids_by_alias(
    function: str, aliases: list[str], params: dict[str, Any], groups: Any, X: Any, y: Any
) -> dict[str, Any]:
    """Return the ids under each alias: those given under it, else those given as `groups`."""
    by_alias = {}
    for alias in aliases:
        given = params.get(alias)
        if given is None and groups is None:
            rule = f"hold the ids {alias!r} that a scorer, the splitter or the model asks for"
            fail("params", function, rule, f"only {', '.join(map(repr, params))}")
        by_alias[alias] = groups if given is None else _read_ids(given, X, y, function, alias)
    return by_alias


def _find_groups(function: str, groups: Any, params: dict[str, Any], scoring: Any, X: Any, y: Any) -> Any:
    """Find the ids: given, among `params`, or by the name that a scorer reads them by."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", function, "be given once, as an argument or in 'params'", "both")
    rankings = [scorer for scorer in list_scorers(scoring) if isinstance(scorer, BaseScorer)]
    names = [scorer.groups for scorer in rankings]
    aliased = [params.get(alias) for alias in list_scorer_aliases(scoring)]
    candidates = (groups, params.get("groups"), *names, *aliased)
    found = next((candidate for candidate in candidates if candidate is not None), None)
    named = [name for name in params if name in IDS]
    if found is None and rankings and named:
        fail("groups", function, f"hold the query ids, {IDS[named[0]]}", f"{named[0]!r} in its place")
    if found is None and rankings:
        raise ValueError(rankings[0].explain_groups())
    if found is None:
        return None
    ids = _read_ids(found, X, y, function)
    if y is not None:
        check_entries(y, count_rows(X, function), function, "y")
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if rankings and len(shape) > 1 and shape[1] != 1:
        fail("y", function, "be flat, or one column, with a label per row", f"shape {shape}")
    return ids


def _read_ids(ids: Any, X: Any, y: Any, function: str, parameter: str = "groups") -> Any:
    """Return ids that scikit-learn can take rows of: pandas' index and numpy's strings may refuse."""
    ids = resolve_groups(ids, X, y, function, parameter)
    check_groups(ids, count_rows(X, function), function, parameter)
    if isinstance(ids, list | tuple) or (hasattr(ids, "iloc") and ids.ndim == 1):
        return ids
    if holds_codes(ids) and hasattr(ids, "to_series"):  # an index of pandas
        index = next((data.index for data in (X, y) if hasattr(data, "iloc")), None)
        return ids.to_series(index=index)
    if holds_codes(ids) and hasattr(ids, "to_physical"):  # a column of polars
        return ids
    ids = flatten(np.asarray(ids))
    return ids.astype(object) if ids.dtype.kind == "T" else ids


def list_scorer_aliases(scoring: Any) -> list[str]:
    """List the names other than `groups` under which scorers ask for ids."""
    asked = [groups_request(scorer, None) for scorer in list_scorers(scoring)]
    return [alias for alias in asked if isinstance(alias, str)]
