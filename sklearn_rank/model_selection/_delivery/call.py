"""Preparation of calls of scikit-learn's functions: checks, then row numbers in the place of X."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sklearn.model_selection
from sklearn import get_config
from sklearn.base import clone

from ..._checks.containers import check_entries, check_same_order, resolve_groups
from ..._checks.errors import fail
from ..._checks.missed import warn_of_unretrieved
from ..._checks.options import check_params
from ..._checks.types import Estimator, Features, Ids, Labels, Options, Scoring, Splitter
from ..._rows.needs import Needs
from ..._rows.parts import METHODS, OUTPUTS, read_requests, takes
from ..._rows.scorers import list_labels, list_scorers, names_for, takes_weights
from ...metrics import RankingScorer
from .._catalog.catalog_scorer import CatalogScorer
from .._splitters.group_splits import as_splitter
from .bound_scorer import bind_scorers
from .call_rows import CallRows
from .check_folds import check_folds, split_call
from .check_models import check_model, check_models, check_names_of_ids, check_scored
from .check_params import select_params
from .check_parts import check_delivery, warn_of_inner_cuts
from .outermost import OutermostModel, check_whole
from .read_columns import read_all_labels, warn_of_ids
from .read_ids import CallIds, find_ids, list_scorer_aliases, read_aliases
from .read_scoring import check_missed, list_rankings, reject_scikit_learns_ndcg, resolve_scoring


class Arguments(NamedTuple):
    """The arguments of the caller."""

    estimator: Estimator
    X: Features
    y: Labels
    groups: Ids
    scoring: Scoring
    cv: Splitter
    params: Any
    times: Any = None
    tuned: Collection[str] = ()  # names of parameters of the model that are set for each candidate
    scores: bool = True  # whether the function scores models


class Call(NamedTuple):
    """The arguments for scikit-learn's function. With ids, X contains row numbers."""

    estimator: Estimator
    X: Features
    y: Labels
    scoring: Any
    cv: Splitter
    params: Options
    rows: CallRows | None = None  # None without ids
    labels: tuple[str, ...] = ()  # the names of columns that contain labels to score by

    @property
    def codes(self) -> np.ndarray | None:
        """Return the query of each row, from 0; None without ids."""
        return None if self.rows is None else self.rows.codes


def prepare_call(given: Arguments, candidates: Sequence[Estimator] = (), placed: Sequence[Any] = ()) -> Call:
    """Let splitter, model and scorers know the ids; without ids, leave the call unchanged.

    The `candidates` are models by which a search can replace the model or a part of it, and `placed` are the
    models that result.
    """
    check_model(given.estimator)
    needs = [Needs(model) for model in (given.estimator, *candidates)]
    given = _check(given, needs)
    estimator, X, y, params = given.estimator, given.X, given.y, given.params
    ids = find_ids(given.groups, X, y, params, given.scoring)
    of_placed = [needs[0], *map(Needs, placed)]
    if ids is None:
        for each in () if get_config()["enable_metadata_routing"] else of_placed:
            each.check_given(("fit", *OUTPUTS), params)
        return Call(estimator, X, y, given.scoring, given.cv, params)
    _check_labels(given, ids, bool(candidates))
    cv = as_splitter(given.cv, len(ids.codes))
    rankings = list_rankings(given.scoring, estimator, *candidates) if given.scores else []
    methods = [method for method in METHODS if (given.scores and given.scoring is None) or method != "score"]
    for each in of_placed:
        check_delivery(each, methods)
    for each in needs:
        warn_of_inner_cuts(each)
    params = {name: each for name, each in params.items() if name != "groups"}
    table, elsewhere, labels = _read_table(given._replace(cv=cv, params=params), ids, needs)
    rows = CallRows(table, X, y, ids.codes)
    of_model = {name: each for name, each in params.items() if name not in table or name in elsewhere}
    of_fit = select_params(estimator, of_model, elsewhere, bool(candidates))
    catalogs = [each for each in list_scorers(given.scoring) if isinstance(each, CatalogScorer)]
    rows.recorded = tuple(dict.fromkeys(each.columns for each in catalogs))
    folds = split_call(cv, rows)
    check_folds(rows, folds, cv, rankings, needs[0], catalogs)
    scoring = bind_scorers(given.scoring, cautioned=True)  # the check of the folds warns instead
    model = OutermostModel(clone(estimator), rows, needs[0])
    return Call(model, np.arange(len(ids.codes))[:, None], y, scoring, folds, of_fit, rows, labels)


def _check(given: Arguments, needs: list[Needs]) -> Arguments:
    """Check models, parameters and scorers; return parameters as a dict, and names as scorers."""
    params = check_params(given.params)
    if given.times is not None:
        if params.get("times") is not None:
            fail("times", "be passed once, as an argument or in 'params'", "both")
        params = {**params, "times": resolve_groups(given.times, given.X, given.y, "times")}
    check_models(needs, given.X, params, given.tuned)
    # Scorers check the order of rows too, but scikit-learn turns their errors into nan.
    check_same_order(**{"X": given.X, "y": given.y, "groups": given.groups, **params})
    return given._replace(params=params, scoring=resolve_scoring(given.scoring))


def _check_labels(given: Arguments, ids: CallIds, is_search: bool) -> None:
    """Check that the labels fit the ids and the scorers, and that the model does not train on the ids."""
    y, scoring = given.y, given.scoring
    if y is not None:
        check_entries(y, len(ids.codes), "y")
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if (
        len(shape) > 1
        and shape[1] != 1
        and any(isinstance(each, RankingScorer) for each in list_scorers(scoring))
    ):
        fail("y", "contain one label per row", f"shape {shape}")
    if not is_search:  # candidates can replace the model, or leave out the column
        if not ids.are_named:
            warn_of_ids(ids.given, given.X, y, given.estimator)
        check_scored(given.estimator, scoring)
    warn_of_unretrieved(given.X, y)
    reject_scikit_learns_ndcg(scoring, y)
    check_missed(scoring, ids.values)


def _read_table(
    given: Arguments, ids: CallIds, needs: list[Needs]
) -> tuple[Options, list[str], tuple[str, ...]]:
    """Read all columns that scorers, splitter and models take by name.

    Also return the names of parameters that can go to `fit` too, and those of labels to score by.
    """
    params, scorers = given.params, list_scorers(given.scoring)
    check_names_of_ids(needs)
    in_models = {name: kind for each in needs for name, kind in each.names.items()}
    kinds = {name: kind for name, kind in in_models.items() if kind != "ids"}
    kinds |= {name: kind for scorer in scorers for name, kind in list_labels(scorer).items()}
    labels = read_all_labels(kinds, params, given.X, given.y, given.estimator)
    of_split = read_requests(given.cv, "split")
    requested = [*list_scorer_aliases(given.scoring), of_split.get("groups")]
    requested += [name for name, kind in in_models.items() if kind == "ids"]
    aliases = [name for name in requested if isinstance(name, str) and name not in ("groups", *labels)]
    table = read_aliases(aliases, ids, given.X, given.y, params) | labels
    taken = [name for scorer in scorers for name in names_for(scorer).values()]
    taken += [name if alias is True else alias for name, alias in of_split.items() if alias]
    taken += [name for name in params if takes(given.cv, "split", name)]
    columns = {name: params[name] for name in taken if params.get(name) is not None}
    of_labels = tuple(name for name, kind in kinds.items() if kind == "labels")
    return {**columns, **table, "groups": ids.values}, [*columns.keys() - table.keys()], of_labels


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
    folds = [tuple(check_whole(each, rows.codes) for each in fold) for fold in call.cv]
    return call._replace(X=np.unique(rows.codes)[:, None], y=None, cv=folds, params={})


def run_call(name: str, call: Call, given: Mapping[str, Any]) -> Any:
    """Call scikit-learn's function of this name with the arguments of ours."""
    options = {key: value for key, value in given.items() if key not in ("groups", "times")}
    changed = ("estimator", "X", "y", "scoring", "cv", "params")
    options |= {key: getattr(call, key) for key in changed if key in given}
    return getattr(sklearn.model_selection, name)(**options)
