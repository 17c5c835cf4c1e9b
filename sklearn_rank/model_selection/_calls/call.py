"""Preparation of calls of scikit-learn's functions that pass query ids."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np
import sklearn.model_selection
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._checks.arrays import flatten
from ..._checks.codes import has_codes, rank_ids
from ..._checks.containers import check_entries, check_same_order, count_rows, resolve_groups
from ..._checks.errors import fail, name_call, shorten
from ..._checks.groups import check_groups
from ..._checks.missed import warn_of_unretrieved
from ..._checks.options import check_params
from ..._checks.types import Estimator, Features, Ids, Labels, Options, Scoring, Splitter, Values
from ..._routing.delivery import check_delivery, check_needed
from ..._routing.model_calls import predicts_with_ids, unwrap_model
from ..._routing.model_parts import METHODS, OUTPUTS, is_search, is_stack, list_routed
from ...metrics import RankingScorer
from .._catalog.catalog_scorer import CatalogScorer
from .._splitters.group_splits import as_splitter
from .columns import read_all_labels, warn_of_ids
from .fold_checks import CallRows, check_folds, split_rows
from .grouped_model import GroupedModel
from .model_checks import check_model, check_models, check_names_of_ids, check_routing, check_scored
from .part_requests import (
    has_own_folds,
    list_aliases,
    list_inner_models,
    list_label_names,
    reject_param,
    request_in_scorers,
    split_request,
    takes_in_fit,
    warn_of_inner_cuts,
)
from .scoring import (
    DefaultScorer,
    check_missed,
    copy_scorers,
    deliver_groups,
    groups_request,
    list_labels,
    list_rankings,
    list_scorers,
    reject_scikit_learns_ndcg,
    resolve_scoring,
    wrap_scorers,
)


class Arguments(NamedTuple):
    """The arguments of the caller."""

    estimator: Estimator
    X: Features
    y: Labels
    groups: Ids
    scoring: Scoring
    cv: Splitter
    params: Any
    tuned: Collection[str] = ()  # names of parameters of the model that are set for each candidate
    scores: bool = True  # whether the function scores models


class Call(NamedTuple):
    """The arguments for scikit-learn's function, and whether to enable routing."""

    estimator: Estimator
    scoring: Any
    cv: Splitter
    params: Options
    routing: bool
    ids: Mapping[str, Any] = MappingProxyType({})  # by name, as are labels to score by
    codes: np.ndarray | None = None  # the query of each row, from 0; None without ids
    labels: tuple[str, ...] = ()  # the names of labels to score by, among the parameters


def prepare_call(
    given: Arguments,
    weights_reach_scorers: bool = False,
    candidates: Sequence[Estimator] = (),
    placed: Sequence[Any] = (),
) -> Call:
    """Pass `groups` to splitter, model and scorer; without ids, leave the call unchanged.

    The `candidates` are models by which a search can replace the model or a part of it, and
    `placed` are the models that result.
    """
    given = _check(given, candidates)
    found = _find_ids(given, candidates)
    user_routing = get_config()["enable_metadata_routing"]
    if found is None:
        for model in () if user_routing else (given.estimator, *placed):
            with config_context(enable_metadata_routing=True):
                check_needed(model, ("fit", *OUTPUTS), given.params)
        return Call(given.estimator, given.scoring, given.cv, given.params, user_routing)
    ids, codes, are_named = found
    if not candidates:  # candidates can replace the model
        check_scored(given.estimator, given.scoring)
    given = given._replace(cv=as_splitter(given.cv, len(codes)))
    reject_scikit_learns_ndcg(given.scoring, given.y)
    rankings = list_rankings(given.scoring, given.estimator, *candidates) if given.scores else []
    check_missed(given.scoring, ids)
    given = given._replace(params={name: each for name, each in given.params.items() if name != "groups"})
    with config_context(enable_metadata_routing=True):
        _check_models_get_ids(given, candidates, placed, user_routing)
        scorers = deliver_groups(given.scoring) if user_routing else copy_scorers(given.scoring)
        given = given._replace(scoring=scorers)
        of_models = list(dict.fromkeys(chain(*map(list_aliases, (given.estimator, *candidates)))))
        kinds = _list_kinds(given, candidates)
        labels = read_all_labels(kinds, given.params, given.X, given.y, given.estimator)
        requested = [*list_scorer_aliases(given.scoring), split_request(given.cv), *of_models]
        aliases = [each for each in dict.fromkeys(requested) if isinstance(each, str) and each not in labels]
        by_alias = _ids_by_alias(given, aliases, ids, are_named) | labels
        elsewhere = [*by_alias, *get_routing_for_object(given.cv).split.requests]
        catalogs = [each for each in list_scorers(given.scoring) if isinstance(each, CatalogScorer)]
        if user_routing:
            names = [name for name in given.params if name not in elsewhere]
            wrapped = GroupedModel(clone(given.estimator), True, names, of_models) if catalogs else None
            model = wrapped or _wrap_if_needed(given.estimator, names, of_models, candidates)
        else:
            given = given._replace(estimator=clone(given.estimator))
            weigh = weights_reach_scorers and "sample_weight" in given.params
            names = _settle_params(given, elsewhere, [*of_models, *labels], weigh, candidates)
            weigh = weigh and "sample_weight" in names
            model = GroupedModel(given.estimator, False, names, of_models, weigh)
        if catalogs:
            model.recorded = tuple(dict.fromkeys(each.columns for each in catalogs))
        if given.scoring is None and hasattr(model, "score"):
            scoring: Scoring = DefaultScorer(model, cautioned=bool(rankings))
        else:
            predicts = any(map(predicts_with_ids, (unwrap_model(model), *candidates)))
            names = ["groups", *of_models] if predicts else []
            scoring = wrap_scorers(given.scoring, names, cautioned=True)  # the fold checks warn instead
        named = {**by_alias, "groups": ids}
        params = given.params | named
        kept = _list_known(params, given.cv, model, scoring)
    with config_context(enable_metadata_routing=user_routing):
        rows = CallRows(given.X, given.y, codes, params, labels)
        folds = split_rows(given.cv, rows)
        check_folds(rows, folds, given.cv, rankings, given.estimator, catalogs)
    params = {name: values for name, values in params.items() if name in kept}
    names_of_labels = tuple(name for name, kind in kinds.items() if kind == "labels")
    return Call(model, scoring, folds, params, True, named, codes, names_of_labels)


def run_call(name: str, call: Call, given: Mapping[str, Any]) -> Any:
    """Call scikit-learn's function of this name with the arguments of ours."""
    options = {key: value for key, value in given.items() if key != "groups"}
    options |= {key: getattr(call, key) for key in ("estimator", "scoring", "cv", "params") if key in given}
    with config_context(enable_metadata_routing=call.routing):
        return getattr(sklearn.model_selection, name)(**options)


def _check_models_get_ids(
    given: Arguments, candidates: Sequence[Estimator], placed: Sequence[Any], user_routing: bool
) -> None:
    """Check that ids reach all parts that request them, and warn about inner folds that they do not reach."""
    models = (given.estimator, *candidates)
    for model in models:
        warn_of_inner_cuts(model)
        if user_routing:
            check_routing(model)
    check_names_of_ids(models)
    by_itself = given.scores and given.scoring is None
    methods = [method for method in METHODS if by_itself or method != "score"]
    check_delivery((given.estimator, *placed), methods, user_routing)


def _list_known(params: Mapping[str, Any], cv: Splitter, model: Estimator, scoring: Scoring) -> set[str]:
    """List the parameters except those that only the splitter takes; call with routing enabled."""
    of_splitter = {"groups", *list_routed(cv, "split", params)}
    known = set(list_routed(model, "fit", params))
    for scorer in list_scorers(scoring):
        known.update(list_routed(scorer, "score", params))
    return known | (params.keys() - of_splitter)


def _check(given: Arguments, candidates: Sequence[Estimator]) -> Arguments:
    """Check models, parameters and scorers; return parameters as a dict, and names as scorers."""
    check_model(given.estimator)
    given = given._replace(params=check_params(given.params))
    check_models(given.estimator, candidates, given.X, given.params, given.tuned)
    given = given._replace(scoring=resolve_scoring(given.scoring))
    # Scorers check the order of rows too, but scikit-learn turns their errors into nan.
    check_same_order(**{"X": given.X, "y": given.y, "groups": given.groups, **given.params})
    return given


# ------------------------------------------------------------------ the ids


def _find_ids(given: Arguments, candidates: Sequence[Estimator]) -> tuple[Values, np.ndarray, bool] | None:
    """Find the ids: as `groups`, among `params`, or by the name under which a scorer reads them.

    Return them in a form that scikit-learn can index by rows, their codes, and whether they were found
    only by the name in a scorer.
    """
    y, params = given.y, given.params
    if given.groups is not None and params.get("groups") is not None:
        fail("groups", "be passed once, as an argument or in 'params'", "both")
    scorers = [scorer for scorer in list_scorers(given.scoring) if isinstance(scorer, RankingScorer)]
    names = [scorer.groups for scorer in scorers]
    aliased = [params.get(alias) for alias in list_scorer_aliases(given.scoring)]
    found = [ids for ids in (given.groups, params.get("groups"), *names, *aliased) if ids is not None]
    if not found and scorers:
        from ..._hints.arguments import OTHER_NAMES_OF_GROUPS

        named = [name for name in params if name in OTHER_NAMES_OF_GROUPS]
        if named:
            fix = f"Pass {OTHER_NAMES_OF_GROUPS[named[0]]}."
            fail("groups", "contain the query id of each row", f"{named[0]}=", fix)
        require_groups(name_call("groups"), scorers[0])
    if not found:
        return None
    values, codes = _read_ids(found[0], given)
    if y is not None:
        check_entries(y, len(codes), "y")
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if scorers and len(shape) > 1 and shape[1] != 1:
        fail("y", "contain one label per row", f"shape {shape}")
    are_named = given.groups is None and params.get("groups") is None
    if not (are_named or candidates):  # candidates can leave out the column
        warn_of_ids(found[0], given.X, y, given.estimator)
    warn_of_unretrieved(given.X, y)
    return values, codes, are_named


def require_groups(called: str, scorer: RankingScorer) -> NoReturn:
    """Raise the error that a call got no query ids."""
    fix = f"Pass the query id of each row: {called}(..., groups=qid)."
    text = f"The 'groups' parameter of {called} is required by {shorten(scorer.describe(), 120)}. {fix}"
    raise ValueError(text)


def _read_ids(ids: Ids, given: Arguments, parameter: str = "groups") -> tuple[Any, np.ndarray]:
    """Check ids; return them in a form that scikit-learn can index by rows, and the code of each."""
    X, y = given.X, given.y
    ids = resolve_groups(ids, X, y, parameter)
    codes = rank_ids(check_groups(ids, count_rows(X), parameter))
    if isinstance(ids, list | tuple) or (hasattr(ids, "iloc") and ids.ndim == 1):
        return ids, codes
    if has_codes(ids) and hasattr(ids, "to_series"):  # a pandas index, which can raise an error
        index = next((data.index for data in (X, y) if hasattr(data, "iloc")), None)
        return ids.to_series(index=index), codes
    if has_codes(ids) and hasattr(ids, "to_physical"):  # a polars column
        return ids, codes
    array = flatten(np.asarray(ids))
    return array.astype(object) if array.dtype.kind == "T" else array, codes  # numpy's text type can fail


def _ids_by_alias(given: Arguments, aliases: Iterable[str], ids: Values, are_named: bool) -> Options:
    """Return the ids under each alias: those passed under it, else those passed as `groups`."""
    by_alias = {}
    for alias in aliases:
        values = given.params.get(alias)
        if values is None and are_named:
            rule = f"contain {alias!r}, the ids that a scorer, the splitter or the model requests"
            fail("params", rule, f"only {', '.join(map(repr, given.params))}")
        by_alias[alias] = ids if values is None else _read_ids(values, given, alias)[0]
    return by_alias


def _list_kinds(given: Arguments, candidates: Sequence[Estimator]) -> dict[str, str]:
    """List by name the labels other than y, or owners, that scorers of the call or in models request."""
    requested = [list_labels(scorer) for scorer in list_scorers(given.scoring)]
    requested += map(list_label_names, (given.estimator, *candidates))
    return {name: kind for each in requested for name, kind in each.items()}


def list_scorer_aliases(scoring: Scoring) -> list[str]:
    """List the names other than `groups` under which scorers request ids."""
    requested = [groups_request(scorer, None) for scorer in list_scorers(scoring)]
    return [alias for alias in requested if isinstance(alias, str)]


# ------------------------------------------------------------------ model and scorer


def _wrap_if_needed(
    estimator: Estimator, names: list[str], aliases: list[str], candidates: Sequence[Estimator]
) -> Estimator:
    """With the user's routing enabled, wrap a model that splits again, searches or has candidates."""
    if candidates:
        return GroupedModel(estimator, True, names, aliases)
    parts = (estimator, *list_inner_models(estimator))
    splits = any(has_own_folds(part) or is_stack(part) or is_search(part) for part in parts)
    look_for_ids = any(type(part).__module__.startswith("sklearn_rank.rankers") for part in parts)  # in fit
    return GroupedModel(clone(estimator), True) if splits or look_for_ids else estimator


def _settle_params(
    given: Arguments, elsewhere: list[str], aliases: list[str], weigh: bool, candidates: Sequence[Estimator]
) -> list[str]:
    """Return the names of the parameters of `fit`, except those under `aliases`.

    `aliases` are names of ids and of labels to score by. Parameters `elsewhere` go to scorers and splitter;
    weights can go to both scorers and `fit`.
    """
    names = []
    for name in given.params:
        requested = request_in_scorers(given.scoring, name, weigh and name == "sample_weight")
        taken = requested or name in elsewhere
        if name not in aliases and (takes_in_fit(given.estimator, name) or (candidates and not taken)):
            names.append(name)
        elif not taken:
            reject_param(given.estimator, name)
    return names
