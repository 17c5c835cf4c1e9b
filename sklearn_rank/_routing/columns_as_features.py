"""Columns of X that a model trains on although they are no features: labels to score by, and query ids."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._checks.containers import column_names, is_index_level
from .._checks.ids_among_features import find_ids, warn_of_column
from .._models.parts import list_parts

# Libraries whose models train on all columns that they get.
PLAIN = ("sklearn", "sklearn_rank", "lightgbm", "xgboost", "catboost")


def trains_on_all_columns(model: Any) -> bool:
    """Tell whether a model is known to train on all columns of X: one of these libraries, without parts."""
    return type(model).__module__.partition(".")[0] in PLAIN and not list_parts(model)


def warn_of_ids(groups: Any, X: Any, y: Any, model: Any, function: str) -> None:
    """Warn if a model trains on a column of X that contains the query ids."""
    if not trains_on_all_columns(model):
        return
    name = groups if isinstance(groups, str) else getattr(groups, "name", None)
    is_named = name is not None and _has(column_names(X), name) and _is_column(groups, name, X, y)
    found = name if is_named else None if isinstance(groups, str) else find_ids(groups, X)
    if found is not None and not _reads_ids(model, found):
        warn_of_column(function, type(model).__name__, found, column_names(X) is not None)


def _has(names: Iterable[Any] | None, name: Any) -> bool:
    """Tell whether a name is among those of columns, which are text or, in pandas, anything else."""
    return names is not None and any(type(each) is type(name) and each == name for each in names)


def _reads_ids(model: Any, name: Any) -> bool:
    """Tell whether a model takes the column for ids, and no feature, as XGBoost's own ranker does."""
    return (
        type(model).__module__.startswith("xgboost.")
        and type(model).__name__ == "XGBRanker"
        and name == "qid"
    )


def _is_column(groups: Any, name: Any, X: Any, y: Any) -> bool:
    """Tell whether the ids were read from the column, or are the same."""
    if isinstance(groups, str):
        return not is_index_level(name, X, y)  # which goes before a column
    try:
        return np.array_equal(np.asarray(groups), np.asarray(X[name]))
    except (TypeError, ValueError):  # of values that do not compare, such as pandas.NA
        return False
