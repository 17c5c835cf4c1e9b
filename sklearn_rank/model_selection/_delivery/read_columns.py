"""Columns of X other than features: labels for scoring and query ids."""

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
from ..._checks.errors import count_of, fail
from ..._checks.groups import find_ids, warn_of_column
from ..._checks.types import Arguments, Estimator, Features, Ids, Labels, Options, Table
from ..._checks.warn import is_inside_call
from ..._rows.parts import is_frozen, is_of_scikit_learn, list_candidates, list_parts
from ...metrics import find_labels

# Libraries whose models train on all columns that they get.
PLAIN = ("sklearn", "sklearn_rank", "lightgbm", "xgboost", "catboost")


def trains_on_all_columns(model: Estimator) -> bool:
    """Return whether a model trains on all columns of X: it is of these libraries and has no parts."""
    return type(model).__module__.partition(".")[0] in PLAIN and not list_parts(model)


def warn_of_ids(groups: Ids, X: Features, y: Labels, model: Estimator) -> None:
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


def _find_trained(model: Estimator) -> Estimator:
    """Return the model, or the first part of it, that is known to train on all columns; else None."""
    if is_frozen(model) or list_candidates(model):
        return None
    if trains_on_all_columns(model):
        return model
    if is_of_scikit_learn(model) and hasattr(model, "steps"):
        *steps, last = (step for _, step in model.steps)
        return _find_trained(last) if all(map(_keeps_columns, steps)) else None
    knows_parts = is_of_scikit_learn(model) or getattr(model, "settles_ids", False)
    parts = [part for part in list_parts(model) if hasattr(part, "predict")] if knows_parts else []
    return next((part for part in map(_find_trained, parts) if part is not None), None)


def _keeps_columns(step: object) -> bool:
    """Return whether a step of a pipeline is known to keep all columns, in their order."""
    if step is None or isinstance(step, str):
        return step != "drop"
    return is_of_scikit_learn(step) and isinstance(step, OneToOneFeatureMixin)


# ------------------------------------------------------------------ labels for scoring


def read_all_labels(names: Arguments, params: Arguments, X: Features, y: Labels, model: Estimator) -> Options:
    """Return the labels, owners or strata of each name, in a form that scikit-learn can index by rows."""
    found = {}
    for name, kind in names.items():
        is_column = has_column(X, name)
        if is_column and kind not in ("owners", "strata") and trains_on_all_columns(model):
            got = f"a column on which {type(model).__name__} would be trained"
            fix = f"Pass params={{{name!r}: labels}}, or use an index level."
            fail("X", f"not contain the labels {name!r} for scoring", got, fix)
        given = params.get(name)
        if given is not None and (is_column or is_index_level(name, X, y)):
            check_entries(given, count_rows(X), name)
            _check_agree(name, given, read_named(name, X, y, name))
        labels = find_labels(name, given, X, y, name, kind)
        is_sliced = isinstance(labels, list | tuple) or hasattr(labels, "iloc") or is_sparse(labels)
        found[name] = labels if is_sliced else np.asarray(labels)
    return found


def _check_agree(name: str, given: object, in_data: Table) -> None:
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
