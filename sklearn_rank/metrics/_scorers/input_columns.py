"""The inputs of a scorer in addition to features, labels `y` and query ids, and where they come from."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._checks.arrays import read_array
from ..._checks.containers import (
    check_entries,
    column_names,
    count_rows,
    has_column,
    is_index_level,
    permute_column,
    read_named,
    resolve_groups,
)
from ..._checks.errors import fail, name_call
from ..._checks.types import Estimator, Features, Labels, Table
from .responses import predict_scores

# Inputs that are passed in the call, or read from an index level or a column of X.
WITH_CALL = ("labels", "intents", "strata")
# The argument of the metric function, if it has another name.
ARGUMENTS = {"labels": "y_true", "intents": "y_true", "columns": "X"}

WITHOUT_LABELS = (
    "{call} requires the {kind} {name!r}. Pass params={{{name!r}: {kind}}} to cross_val_score, {name}={kind} "
    "to the fit of a search, labels={{{name!r}: {kind}}} to permutation_importance, or {kind}={kind} to a "
    "scorer that you call. Or put them into {where}."
)
BY_INDEX = "an index level {name!r} of X or y"
BY_COLUMNS = "columns of X that the model does not use, with intents=['car', 'cat'] in the scorer"
NO_NAMES = (
    "Some models pass arrays to scorers. RFECV, RidgeCV and LogisticRegressionCV take ids with "
    "routing: fit(X, y, groups=qid). To stop early, use a ranker with validation_fraction=0.1."
)


def read_input(kind: str, origin: Any, given: object, X: Features, y: Labels, groups: str | None) -> Any:
    """Return an input that was passed, or read it from the data. A column `groups` is not a feature."""
    if kind == "columns":
        return _take_features(X, origin, groups)
    if kind == "items":
        return resolve_groups(origin, X, y, "items")
    if isinstance(origin, str):
        return find_labels(origin, given, X, y, kind, kind)
    missing = [name for name in origin if not has_column(X, name)]
    if missing:
        fail(kind, "contain only columns of X", repr(missing[0]))
    return np.column_stack([np.asarray(X[name]) for name in origin])


def find_labels(
    name: str, given: object, X: Features, y: Labels, parameter: str = "labels", kind: str = "labels"
) -> Any:
    """Return labels or strata that were passed, or read them by name: one per row."""
    if given is None and not (is_index_level(name, X, y) or has_column(X, name)):
        where = BY_COLUMNS if kind == "intents" else BY_INDEX  # an index level is one column
        where = where.format(name=name)
        raise ValueError(WITHOUT_LABELS.format(call=name_call(), name=name, kind=kind, where=where))
    labels = read_named(name, X, y, parameter) if given is None else given
    check_entries(labels, count_rows(X), parameter)
    return labels if given is not None or hasattr(labels, "iloc") else np.asarray(labels)


def check_once(name: str, given: object, X: Features, y: Labels, parameter: str) -> None:
    """Check that labels or strata are not passed by a name that the data contain too."""
    if given is not None and (has_column(X, name) or is_index_level(name, X, y)):
        rule = f"contain {name!r} only if the data do not" if parameter != name else "be passed once"
        fail(parameter, rule, f"{name!r} in both", f"Pass {name!r} only once.")


def check_unseen(
    names: Sequence[str], model: Estimator, response_method: object, X: Features, y: Labels
) -> None:
    """Check that the predictions of a model do not depend on the columns of X that contain labels."""
    order = np.roll(np.arange(count_rows(X)), 1)
    moved = X
    for name in names:
        moved = permute_column(moved, list(column_names(X)).index(name), order)
    scores, moved_scores = (predict_scores(model, response_method, data, y) for data in (X, moved))
    if not np.array_equal(scores, moved_scores):
        name = names[0]
        fix = (
            f"The predictions of the model depend on this column. Pass params={{{name!r}: labels}}, or drop "
            "the column in the first step of a pipeline."
        )
        fail("labels", "not be a feature of the model", f"the column {name!r} of X", fix)


def _take_features(X: Features, columns: Table, groups: str | None) -> Any:
    """Return columns of a frame by name or of an array by number; all except the ids for None."""
    names = column_names(X)
    if names is None:
        try:
            return X if columns is None else read_array(X, "X", "be a matrix")[:, columns]
        except IndexError as error:
            fail("columns", "contain numbers of columns of X", f"{columns!r} ({error})")
    columns = [name for name in names if name != groups] if columns is None else columns
    missing = [name for name in columns if name not in list(names)]
    if missing:
        fail("columns", "contain only columns of X", repr(missing[0]))
    if not len(columns):
        fail("X", "have a feature column in addition to the ids", "only ids")
    return np.column_stack([np.asarray(X[name]) for name in columns])
