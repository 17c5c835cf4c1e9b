"""Columns of X other than features: labels for scoring and query ids."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..._checks.arrays import is_sparse
from ..._checks.containers import (
    check_entries,
    column_names,
    count_rows,
    has_column,
    is_index_level,
    read_named,
)
from ..._checks.errors import count_of, fail, name_call
from ..._checks.groups import find_ids, warn_of_column
from ..._checks.types import Arguments, Estimator, Features, Ids, Labels, Options, Splitter
from ..._checks.warn import RankingWarning, is_inside_call, warn_user
from ..._rows.inner_models import is_of_scikit_learn, read_requests, takes
from ..._rows.needs import Needs
from ...metrics import find_labels
from .bound_scorer import BoundScorer
from .read_ids import CallIds, read_aliases

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


def trains_on_all_columns(model: Needs) -> bool:
    """Return whether a model trains on all columns of X: it is of these libraries and has no parts."""
    return not model.parts and type(model.model).__module__.partition(".")[0] in PLAIN


def warn_of_ids(groups: Ids, X: Features, y: Labels, model: Needs) -> None:
    """Warn if a model, or a part of it, trains on a column of X that contains the query ids."""
    if is_inside_call():  # the call has checked X
        return
    if isinstance(groups, str):  # an index level takes precedence over a column
        found = groups if has_column(X, groups) and not is_index_level(groups, X, y) else None
    else:
        found = find_ids(groups, X)
    trained = None if found is None else _find_trained(model)
    if trained is not None and not (type(trained).__name__ == "XGBRanker" and found == "qid"):  # read as ids
        warn_of_column(type(trained).__name__, found, column_names(X) is not None)


def warn_of_leaks(needs: Needs, X: Features, y: Labels, params: Iterable[str]) -> None:
    """Warn if a model trains on a column that equals y, or if the user has set it to hold out rows.

    A model holds out no rows if `params` contain rows for validation.
    """
    if is_inside_call():  # the call has checked X
        return
    found = find_ids(y, X, fewest=1) if y is not None and count_rows(X) >= FEWEST_ROWS else None
    if found is not None and (len(np.unique(np.asarray(y))) > 2 or found == getattr(y, "name", None)):
        trained = _find_trained(needs)
        if trained is not None:
            model = type(trained).__name__
            warn_user(LABELS_IN_X.format(function=name_call(), model=model, name=found), RankingWarning)
    if not any(name.endswith("X_val") for name in params):
        _warn_of_held_out(needs)


def _warn_of_held_out(needs: Needs) -> None:
    """Warn if a model of scikit-learn, or a part, stops early on rows that it holds out."""
    given: Any = needs.parameters
    if needs.is_frozen:
        return
    waits = given.get("early_stopping", given.get("n_iter_no_change") is not None)
    if needs.is_theirs and waits is True and given.get("validation_fraction") is not None:
        warn_user(HELD_OUT.format(model=type(needs.model).__name__), RankingWarning)
    for part in needs.inside:
        _warn_of_held_out(part)


def _find_trained(needs: Needs) -> Estimator:
    """Return the model, or the first part of it, that is known to train on all columns; else None."""
    model: Any = needs.model
    if needs.is_frozen or needs.candidates:  # they can replace parts
        return None
    if trains_on_all_columns(needs):
        return model
    if needs.is_theirs and hasattr(model, "steps"):
        *steps, last = (step for _, step in model.steps)
        of_last = [part for part in needs.parts if part.model is last]
        return _find_trained(of_last[0]) if of_last and all(map(_keeps_columns, steps)) else None
    known = needs.is_theirs or needs.passes_ids_itself
    parts = [part for part in needs.parts if hasattr(part.model, "predict")] if known else []
    return next((part for part in map(_find_trained, parts) if part is not None), None)


def _keeps_columns(step: object) -> bool:
    """Return whether a step of a pipeline is known to keep all columns, in their order."""
    if step is None or isinstance(step, str):
        return step != "drop"
    return is_of_scikit_learn(step) and isinstance(step, OneToOneFeatureMixin)


# ------------------------------------------------------------------ the table of a call


class CallColumns(NamedTuple):
    """The columns of a call by name, except `groups`."""

    columns: Options
    ids: Collection[str]  # the names of ids and labels, which `fit` does not take
    labels: tuple[str, ...]  # the names of labels to score by


def read_table(
    X: Features,
    y: Labels,
    ids: CallIds,
    params: Arguments,
    scorers: Iterable[BoundScorer],
    needs: list[Needs],
    cv: Splitter,
) -> CallColumns:
    """Read all columns that scorers, splitter and models take by name."""
    kinds, asked = Options(), read_requests(cv, "split")
    requested: list[Any] = [asked.get("groups")]
    taken: list[Any] = [name if alias is True else alias for name, alias in asked.items()]
    for each in needs:
        kinds |= each.names
    for scorer in scorers:
        kinds |= scorer.labels
        requested.append(scorer.names.get("groups"))
        taken += scorer.names.values()
    taken += [name for name in params if takes(cv, "split", name)] if params else []
    columns = {name: params[name] for name in taken if name and params.get(name) is not None}
    found, labels = Options(), []
    for name, kind in kinds.items():
        if kind != "ids":
            found[name] = _read_label(name, kind, params, X, y, needs[0])
            labels += [name] * (kind == "labels")
    aliases = {*filter(None, requested), *kinds} - {"groups", True, *found}
    found |= read_aliases(sorted(aliases), ids, X, y, params) if aliases else {}
    return CallColumns({**columns, **found}, found, tuple(labels))


def _read_label(name: str, kind: str, params: Arguments, X: Features, y: Labels, model: Needs) -> Any:
    """Return labels or strata, in a form that scikit-learn can index by rows."""
    is_column = has_column(X, name)
    if is_column and kind != "strata" and trains_on_all_columns(model):
        got = f"a column on which {type(model.model).__name__} would be trained"
        fix = f"Pass params={{{name!r}: labels}}, or use an index level."
        fail("X", f"not contain the labels {name!r} for scoring", got, fix)
    given = params.get(name)
    if given is not None and (is_column or is_index_level(name, X, y)):
        check_entries(given, count_rows(X), name)
        _check_agree(name, given, read_named(name, X, y, name))
    labels = find_labels(name, given, X, y, name, kind)
    is_sliced = isinstance(labels, list | tuple) or hasattr(labels, "iloc") or is_sparse(labels)
    return labels if is_sliced else np.asarray(labels)


def _check_agree(name: str, given: object, in_data: Any) -> None:
    """Reject labels passed by name that differ from those of the same name in the data."""
    one, other = np.ravel(np.asarray(given)), np.ravel(np.asarray(in_data))
    if one.shape != other.shape:
        fail(name, "have one value per row", count_of(len(one), "value"))
    try:
        numbers = one.astype(np.float64), other.astype(np.float64)
    except (TypeError, ValueError):  # text, or missing values other than NaN
        differ = one.astype(str) != other.astype(str)
    else:
        differ = ~np.isclose(*numbers, rtol=0, atol=0, equal_nan=True)
    if differ.any():
        row = int(differ.argmax())
        rule = f"equal the column or index level {name!r} of the data"
        fail(name, rule, f"{one[row]} and {other[row]} in row {row}", "Pass the values only once.")
