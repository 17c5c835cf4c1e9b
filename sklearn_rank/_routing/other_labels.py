"""Labels to score by other than those to train on: found by their names before anything is trained."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks.arrays import is_sparse
from .._checks.containers import check_entries, count_rows, has_column, is_index_level, read_named
from .._checks.errors import fail
from ..metrics import find_labels
from .columns_as_features import trains_on_all_columns


def read_all_labels(
    names: Mapping[str, str], params: Mapping[str, Any], X: Any, y: Any, model: Any, function: str
) -> dict[str, Any]:
    """Return the labels, owners or strata of each name, in a form that scikit-learn can take rows of."""
    found = {}
    for name, kind in names.items():
        if kind not in ("owners", "strata") and has_column(X, name):  # which may be features
            _check_leaves_out(model, name, function)
        _check_agree(name, params.get(name), X, y, function)
        labels = find_labels(name, params.get(name), X, y, function, name, kind)
        is_sliced = isinstance(labels, list | tuple) or hasattr(labels, "iloc") or is_sparse(labels)
        found[name] = labels if is_sliced else np.asarray(labels)
    return found


def _check_agree(name: str, given: Any, X: Any, y: Any, function: str) -> None:
    """Refuse labels that are given by name, and differ from those of the same name in the data."""
    if given is None or not (is_index_level(name, X, y) or has_column(X, name)):
        return
    check_entries(given, count_rows(X, function), function, name)
    both = [np.ravel(np.asarray(labels)) for labels in (given, read_named(name, X, y, function, name))]
    if both[0].shape != both[1].shape:
        fail(name, function, f"be one value per row, as {name!r} in the data is", f"{len(both[0])} values")
    try:
        one, other = (labels.astype(np.float64) for labels in both)
    except (TypeError, ValueError):  # text, or missing values that are no NaN
        one, other = (labels.astype(str) for labels in both)
    differ = (one != other) & ((one == one) | (other == other))  # NaN is not equal to itself
    if differ.any():
        row = int(differ.argmax())
        rule = (
            f"hold the values of the column, or index level, {name!r} of the data, or one of them be left out"
        )
        fail(name, function, rule, f"{both[0][row]} for {both[1][row]} in row {row}")


def _check_leaves_out(model: Any, name: str, function: str) -> None:
    """Refuse a column of labels in X where a model is known to train on all columns."""
    if trains_on_all_columns(model):
        rule = (
            f"have no column {name!r}, as {type(model).__name__} would train on the labels that it is scored "
            f"by: pass them as params={{{name!r}: labels}}, or in an index level"
        )
        fail("X", function, rule, "one")
