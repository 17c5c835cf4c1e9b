"""Preparation of calls of scikit-learn's functions: checks, then row numbers instead of X."""

from collections.abc import Collection, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import sklearn.model_selection
from sklearn import get_config
from sklearn.base import clone

from ..._checks.containers import as_rows, check_same_order, resolve_groups
from ..._checks.errors import fail
from ..._checks.missed import warn_of_unretrieved
from ..._checks.options import check_params
from ..._checks.types import Estimator, Features, Ids, Labels, Options, Scoring, Splitter, Table
from ..._rows.bound import RowTable, select
from ..._rows.inner_models import METHODS, OUTPUTS
from ..._rows.needs import Needs
from ..._rows.scorer_columns import list_scorers, takes_weights
from ...metrics import RankingScorer, with_scale
from .._splitters.group_splits import as_splitter, count_cut
from .bound_parts import BoundScorer, bind_scorers, list_columns
from .check_folds import check_folds
from .check_models import (
    INSIDE,
    check_delivery,
    check_model,
    check_models,
    check_names_of_ids,
    check_scored,
    place_candidates,
    select_params,
    warn_of_inner_cuts,
)
from .fitting import OutermostModel
from .read_columns import (
    check_labels_of_call,
    find_ids,
    list_own_rankings,
    list_score_names,
    read_table,
    resolve_scoring,
    warn_of_columns,
)

CHANGED = ("estimator", "X", "y", "scoring", "cv", "params")  # arguments of scikit-learn's functions


class Call(NamedTuple):
    """The arguments for scikit-learn's function. With ids, X contains row numbers."""

    estimator: Estimator
    X: Features
    y: Labels
    scoring: Any
    cv: Splitter
    params: Options
    rows: RowTable | None = None  # None without ids


def prepare_call(
    estimator: Estimator,
    X: Features,
    y: Labels,
    groups: Ids,
    scoring: Scoring,
    cv: Splitter,
    params: Any,
    times: Any = None,
    *,
    tuned: Collection[str] = (),
    search: Needs | None = None,
    scores: bool = True,
    single: bool = False,
) -> Call:
    """Pass the ids to splitter, model and scorers; without ids, leave the call unchanged.

    The parameters of the model named in `tuned`, or in the grids of a `search`, are set for each candidate.
    Models in a grid can replace the model or a part of it. `scores` is whether the function scores models,
    and `single` whether it returns one score.
    """
    X, y, params = as_rows(X), as_rows(y, "y"), check_params(params)
    if times is not None:
        if params.get("times") is not None:
            fail("times", "be passed once, as an argument or in 'params'", "both")
        params = {**params, "times": resolve_groups(times, X, y, "times")}
    check_model(estimator)
    tuned = tuned if search is None else search.tuned
    model = Needs(estimator) if search is None else search.parts[0]
    candidates = [] if search is None else search.candidates
    others = check_models([model, *candidates], X, params, tuned)
    resolved = resolve_scoring(scoring)
    if single and list_score_names(scoring):
        fail("scoring", "be one scorer", repr(scoring), "For several, use cross_validate.")
    # Scorers check the order of rows too, but scikit-learn turns their errors into nan.
    check_same_order(**{"X": X, "y": y, "groups": groups, **params})
    bound = bind_scorers(resolved, cautioned=True)  # the check of the folds warns instead
    scorers: list[BoundScorer] = [] if bound is None else list_scorers(bound)
    rows = find_ids(groups, X, y, params, scorers)
    placed = [model] if search is None else [model, *place_candidates(search)]
    if rows is None:
        for each in () if get_config()["enable_metadata_routing"] else placed:
            each.check_given(("fit", *OUTPUTS), params)
        return Call(estimator, X, y, resolved, cv, params)
    if not candidates:  # they can replace the model, or leave out the column
        check_scored(model, map(attrgetter("scorer"), scorers), y, tuned)
        warn_of_columns(rows, model, params)
    check_labels_of_call(rows, scorers)
    warn_of_unretrieved(X, y)
    if others or candidates or not model.is_simple:
        for each in placed:
            check_delivery(each, METHODS if scores and bound is None else INSIDE)
        for each in (model, *candidates):
            warn_of_inner_cuts(each)
        check_names_of_ids(others)
    splitter = as_splitter(cv, len(rows.codes))
    of_split = list_columns(splitter)
    read_table(rows, params, scorers, [model, *candidates], of_split)
    of_fit = select_params(model, params, rows, bool(candidates)) if params else {}
    folds = list(splitter.split(X, y, **select(rows.columns, of_split)))
    for scorer in scorers:
        if scorer.records:
            rows.recorded.add(scorer.scorer.columns)
    if bound is None and scores:
        scorers = [*map(BoundScorer, list_own_rankings(estimator, *(each.model for each in candidates)))]
    check_folds(rows, folds, splitter, scorers, model)
    for scorer in scorers:
        if isinstance(scorer.scorer, RankingScorer) and not scorer.is_ranking:
            scorer.scorer = with_scale(scorer.scorer, y, X, rows.columns)
    outermost = OutermostModel(clone(estimator), rows, model)
    return Call(outermost, np.arange(len(rows.codes))[:, None], y, bound, folds, of_fit, rows)


def count_queries(call: Call, weighs: bool = False) -> Call:
    """Return a call whose samples are whole queries, with their numbers in place of row numbers.

    `weighs` is whether scikit-learn's function passes the weights of `fit` to scorers.
    """
    rows = call.rows
    if rows is None:
        return call
    rows.by_query, rows.params = True, call.params
    if weighs and call.params.get("sample_weight") is not None:
        rows.weighs = True
        rows.columns["sample_weight"] = call.params["sample_weight"]
        for each in [each for each in list_scorers(call.scoring) if each and takes_weights(each.scorer)]:
            each.names["sample_weight"] = "sample_weight"
    folds = [tuple(_check_whole(each, rows.codes) for each in fold) for fold in call.cv]
    return call._replace(X=np.unique(rows.codes)[:, None], y=None, cv=folds, params={})


def _check_whole(rows: Table, codes: np.ndarray) -> np.ndarray:
    """Check that queries are whole, and return the queries of the rows."""
    n_cut, n_queries = count_cut(np.delete(codes, rows), codes[rows])
    if n_cut:
        got = f"folds that cut {n_cut} of {n_queries} queries"
        fail("cv", "keep queries whole", got, "Pass cv=5 or BalancedGroupKFold().")
    return np.unique(codes[rows])


def run_call(name: str, call: Call, given: Mapping[str, Any]) -> Any:
    """Call scikit-learn's function of this name with the arguments of ours."""
    options = {**given}
    options.pop("groups")
    options.pop("times", None)
    for key in {*CHANGED}.intersection(given):
        options[key] = getattr(call, key)
    return getattr(sklearn.model_selection, name)(**options)
