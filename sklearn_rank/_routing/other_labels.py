"""Labels to score by other than those to train on: found by their names before anything is trained."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._checks.containers import has_column
from .._checks.errors import fail
from ..metrics import find_labels
from .columns_as_features import trains_on_all_columns


def read_all_labels(
    names: Iterable[str], params: Mapping[str, Any], X: Any, y: Any, model: Any, function: str
) -> dict[str, Any]:
    """Return the labels of each name, in a form that scikit-learn can take rows of."""
    found = {}
    for name in names:
        if has_column(X, name):
            _check_leaves_out(model, name, function)
        labels = find_labels(name, params.get(name), X, y, function, name)
        is_sliced = isinstance(labels, list | tuple) or hasattr(labels, "iloc")
        found[name] = labels if is_sliced else np.asarray(labels)
    return found


def _check_leaves_out(model: Any, name: str, function: str) -> None:
    """Refuse a column of labels in X where a model is known to train on all columns."""
    if trains_on_all_columns(model):
        rule = (
            f"have no column {name!r}, as {type(model).__name__} would train on the labels that it is scored "
            f"by: pass them as params={{{name!r}: labels}}, or in an index level"
        )
        fail("X", function, rule, "one")
