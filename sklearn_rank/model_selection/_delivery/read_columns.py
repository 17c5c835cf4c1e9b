"""Reading of `scoring`, query ids, labels and other columns, and warnings about ids among the features."""

from collections.abc import Mapping
from functools import partial
from types import FunctionType
from typing import Any, NoReturn

import numpy as np
import sklearn.metrics
from sklearn.base import OneToOneFeatureMixin

from ... import metrics
from ..._checks.containers import (
    check_entries,
    column_names,
    count_rows,
    has_column,
    is_index_level,
    resolve_groups,
)
from ..._checks.errors import fail, name_call, shorten
from ..._checks.groups import find_ids as find_column
from ..._checks.groups import read_ids, warn_of_column
from ..._checks.types import AnyScorer, Arguments, Estimator, Features, Ids, Labels, Scoring
from ..._checks.warn import RankingWarning, is_inside_call, warn_user
from ..._rows.bound import RowTable, unwrap
from ..._rows.inner_models import SEARCH, is_of_scikit_learn
from ..._rows.needs import Needs
from ..._rows.scorer_columns import find_function, list_scorers
from ...metrics import (
    RankingScorer,
    check_missed,
    check_once,
    find_labels,
    is_ranking,
    name_entries,
    read_scorer,
)
from .bound_parts import BoundScorer

FEWEST_ROWS = 50  # in which a column does not equal y by chance
LABELS_IN_X = (
    "{function}: {model} trains on column {name!r} of X, which equals the labels, so values are too high. "
    "Pass X without this column."
)
HELD_OUT = (
    "{model}: early stopping holds out random rows, not queries, so it stops too late. Use a ranker of "
    "sklearn_rank with validation_fraction, or fix the number of iterations."
)
# Libraries whose models train on all columns that they get.
PLAIN = ("sklearn", "sklearn_rank", "lightgbm", "xgboost", "catboost")


def resolve_scoring(scoring: Scoring) -> AnyScorer:
    """Replace names by scorers; return None and callables unchanged."""
    if isinstance(scoring, str):
        return read_scorer(scoring)
    if isinstance(scoring, list | tuple | set):
        if not all(isinstance(each, str) or callable(each) for each in scoring):
            fail("scoring", "be a list of names and scorers", repr(scoring))
        return dict(zip(name_entries(list(scoring), "scoring"), map(resolve_scoring, scoring)))
    if isinstance(scoring, Mapping):
        if not list(scoring) or not all(isinstance(name, str) for name in scoring):
            fail("scoring", "be a dict of scorers by name, with at least one scorer", repr(scoring))
        resolved = {name: resolve_scoring(scorer) for name, scorer in scoring.items()}
        for name, scorer in resolved.items():
            if is_ranking(scorer) and not isinstance(scorer.metrics, str):
                fix = f"Pass one scorer per name, or scoring={scorer.describe()} alone."
                fail("scoring", "contain scorers of one metric if it is a dict", f"several for {name!r}", fix)
        return resolved
    if isinstance(scoring, FunctionType | partial | type):  # perhaps a metric
        from ..._hints.scorers import suggest_scorer

        if (suggested := suggest_scorer(scoring, vars(metrics))) is not None:
            kind = "class" if isinstance(scoring, type) else "function"
            got = f"the {kind} {getattr(scoring, '__name__', repr(scoring))}"
            fail("scoring", "be a scorer", got, f"Pass scoring={suggested}.")
    if scoring is not None and not callable(scoring):
        fail("scoring", "be a scorer, a name, a list or dict of them, or None", repr(scoring))
    return scoring


def list_score_names(scoring: Scoring) -> list[str]:
    """List the names of several scores; return an empty list for one score."""
    if is_ranking(scoring) and not isinstance(scoring.metrics, str):
        return list(scoring.metrics)
    if isinstance(scoring, list | tuple | set):
        return name_entries(list(scoring), "scoring")
    return list(scoring) if isinstance(scoring, Mapping) else []


def list_own_rankings(*models: object) -> list[RankingScorer]:
    """List the ranking scorer of the first model whose own `score` is one."""
    return [scorer for scorer in map(find_own_scorer, models) if scorer is not None][:1]


def list_rankings(search: Estimator) -> list[RankingScorer]:
    """List the ranking scorers of a search."""
    scoring = read_scoring(search)
    if scoring is None:
        return list_own_rankings(search.estimator)
    return [*filter(is_ranking, list_scorers(scoring))]


def find_own_scorer(model: Estimator) -> RankingScorer | None:
    """Return the ranking scorer that computes a model's own `score`; None if it is not known to be one."""
    model = unwrap(model)
    if isinstance(getattr(model, "own_metric", None), str):  # a ranker of this package
        return RankingScorer(model.own_metric)
    if is_of_scikit_learn(model) and hasattr(model, "steps"):
        return find_own_scorer(model.steps[-1][1])
    if not isinstance(model, SEARCH):
        return None
    scoring = read_scoring(model)
    if scoring is None:
        return find_own_scorer(getattr(model, "estimator", None))
    if isinstance(scoring, Mapping):
        name = getattr(model, "refit", None)
        scoring = scoring.get(getattr(name, "metric", name))
    return scoring if is_ranking(scoring) else None


def read_scoring(search: Estimator) -> AnyScorer:
    """Return the scorers of a search; in scikit-learn's own searches, names mean its own metrics."""
    scoring = getattr(search, "scoring", None)
    return resolve_scoring(scoring) if hasattr(search, "passes_ids_itself") else scoring


# ------------------------------------------------------------------ query ids


def find_ids(
    groups: Ids, X: Features, y: Labels, params: Arguments, scorers: list[BoundScorer]
) -> RowTable | None:
    """Find the ids of a call, and begin its table of rows. Return None without ids if no scorer needs any."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", "be passed once, as an argument or in 'params'", "both")
    given = params.get("groups") if groups is None else groups
    found, rankings = [given], list[RankingScorer]()
    for each in scorers if given is None else ():
        if isinstance(each.scorer, RankingScorer):
            rankings.append(each.scorer)
            found.append(each.scorer.groups)
        found.append(params.get(each.names.get("groups", "")))
    for ids in found:
        if ids is not None:
            values, codes = read_ids(ids, X, y)
            rows = RowTable({"groups": values}, X, y, codes)
            rows.given = given
            return rows
    if not rankings:
        return None
    from ..._hints.arguments import explain_param, find_other_name

    if other := find_other_name(params):
        fail("groups", "contain the query id of each row", f"{other}=", explain_param(other))
    require_groups(name_call("groups"), rankings[0])


def check_labels_of_call(rows: RowTable, scorers: list[BoundScorer]) -> None:
    """Check that labels fit the ids, and that scorers fit the labels and the ids."""
    if rows.y is not None:
        check_entries(rows.y, len(rows.codes), "y")
    shape: tuple[int, ...] = getattr(rows.y, "shape", ())
    for each in scorers:
        if each.is_ranking and len(shape) > 1 and shape[1] != 1:
            fail("y", "contain one label per row", f"shape {shape}")
        if isinstance(each.scorer, RankingScorer):
            check_missed(each.scorer, rows.columns["groups"])
        elif len(shape or (0,)) == 1:
            function: Any = find_function(each.scorer)
            if function in (sklearn.metrics.ndcg_score, sklearn.metrics.dcg_score):
                name = function.__name__
                got = f"scikit-learn's {name}, which takes one query per row,"
                fix = f"Pass scoring={name.removesuffix('_score')}_scorer(k=10)."
                fail("scoring", "take one label per row", got, fix)


def require_groups(called: str, scorer: RankingScorer) -> NoReturn:
    """Raise the error that a call got no query ids."""
    fix = f"Pass the query id of each row: {called}(..., groups=qid)."
    text = f"The 'groups' parameter of {called} is required by {shorten(scorer.describe(), 120)}. {fix}"
    raise ValueError(text)


# ------------------------------------------------------------------ columns of X that are not features


def trains_on_all_columns(model: Needs) -> bool:
    """Return whether a model trains on all columns of X: it is of these libraries and has no parts."""
    return not model.parts and type(model.model).__module__.partition(".")[0] in PLAIN


def warn_of_columns(rows: RowTable, needs: Needs, params: Arguments) -> None:
    """Warn if a model, or a part of it, trains on a column of X that contains the query ids or equals y.

    Warn also if the user has set it to hold out rows. It holds out none if `params` contain rows for
    validation.
    """
    if is_inside_call():  # the call has checked X
        return
    given, X, y = rows.given, rows.X, rows.y
    if isinstance(given, str) and not is_index_level(given, X, y):
        found = given if has_column(X, given) else None
    else:  # an index level takes precedence over a column, which can have the same values
        found = None if given is None else find_column(resolve_groups(given, X, y), X)
    trained = None if found is None else _find_trained(needs)
    if trained is not None and not (type(trained).__name__ == "XGBRanker" and found == "qid"):  # read as ids
        warn_of_column(type(trained).__name__, found, column_names(X) is not None)
    found = find_column(y, X, fewest=1) if y is not None and count_rows(X) >= FEWEST_ROWS else None
    is_meant = found is not None and (len(np.unique(np.asarray(y))) > 2 or found == getattr(y, "name", None))
    if is_meant and (trained := _find_trained(needs)) is not None:
        model = type(trained).__name__
        warn_user(LABELS_IN_X.format(function=name_call(), model=model, name=found), RankingWarning)
    if params and any(name.endswith("X_val") for name in params):
        return
    for each in needs.walk():
        own: Any = each.parameters
        waits = own.get("early_stopping", own.get("n_iter_no_change") is not None)
        if each.is_theirs and waits is True and own.get("validation_fraction") is not None:
            warn_user(HELD_OUT.format(model=type(each.model).__name__), RankingWarning)


def _find_trained(needs: Needs) -> Estimator:
    """Return the model, or the first part of it, that is known to train on all columns; else None."""
    model: Any = needs.model
    if needs.is_frozen or needs.candidates:  # they can replace parts
        return None
    if trains_on_all_columns(needs):
        return model
    known = needs.is_theirs or needs.passes_ids_itself
    if needs.is_theirs and hasattr(model, "steps"):
        known = all(_keeps_columns(step) for _, step in model.steps[:-1])
    parts = [part for part in needs.parts if hasattr(part.model, "predict")] if known else []
    return next((part for part in map(_find_trained, parts) if part is not None), None)


def _keeps_columns(step: object) -> bool:
    """Return whether a step of a pipeline is known to keep all columns, in their order."""
    if step is None or isinstance(step, str):
        return step != "drop"
    return is_of_scikit_learn(step) and isinstance(step, OneToOneFeatureMixin)


# ------------------------------------------------------------------ the table of a call


def read_table(
    rows: RowTable,
    params: Arguments,
    scorers: list[BoundScorer],
    needs: list[Needs],
    of_split: dict[str, str],
) -> None:
    """Read all columns that scorers, the models and the splitter (`of_split`) take by name."""
    requested, taken = [of_split.get("groups")], [*of_split.values()]
    for each in needs:
        rows.kinds |= each.names
    for scorer in scorers:
        rows.kinds |= scorer.labels
        requested.append(scorer.names.get("groups"))
        taken += scorer.names.values()
    for name in filter(None, requested):
        rows.kinds.setdefault(name, "ids")
    for name in sorted({*taken} - rows.kinds.keys()):
        if params.get(name) is not None:
            rows.columns[name] = params[name]
    for name, kind in rows.kinds.items():
        given = params.get(name)
        if kind != "ids":
            rows.columns[name] = _read_label(name, kind, given, rows.X, rows.y, needs[0])
        elif given is not None and name != "groups":
            rows.columns[name] = read_ids(given, rows.X, rows.y, name)[0]
        elif rows.given is None and name != "groups":
            rule = f"contain {name!r}, the ids that a scorer, the splitter or the model requests"
            fail("params", rule, f"only {', '.join(map(repr, params))}")
        else:
            rows.columns[name] = rows.columns["groups"]


def _read_label(name: str, kind: str, given: Any, X: Features, y: Labels, model: Needs) -> Any:
    """Return labels or strata."""
    if has_column(X, name) and kind != "strata" and trains_on_all_columns(model):
        got = f"a column on which {type(model.model).__name__} would be trained"
        fix = f"Pass params={{{name!r}: labels}}, or use an index level."
        fail("X", f"not contain the labels {name!r} for scoring", got, fix)
    if not is_inside_call():
        check_once(name, given, X, y, name)
    return find_labels(name, given, X, y, name, kind)
