"""Columns of X that a model trains on although they are no features: labels to score by, and query ids."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from .._checks.containers import column_names, is_index_level
from .._checks.ids_among_features import find_ids, warn_of_column
from .._checks.warn import is_inside_call
from .._models.parts import is_frozen, is_of_scikit_learn, list_candidates, list_parts

# Libraries whose models train on all columns that they get.
PLAIN = ("sklearn", "sklearn_rank", "lightgbm", "xgboost", "catboost")


def trains_on_all_columns(model: Any) -> bool:
    """Tell whether a model is known to train on all columns of X: one of these libraries, without parts."""
    return type(model).__module__.partition(".")[0] in PLAIN and not list_parts(model)


def warn_of_ids(groups: Any, X: Any, y: Any, model: Any, function: str) -> None:
    """Warn if a model, or a part of it, trains on a column of X that contains the query ids."""
    if is_inside_call():  # the call has checked X
        return
    name = groups if isinstance(groups, str) else getattr(groups, "name", None)
    is_named = name is not None and _has(column_names(X), name) and _is_column(groups, name, X, y)
    found = name if is_named else None if isinstance(groups, str) else find_ids(groups, X)
    trained = None if found is None else _find_trained(model)
    if trained is not None and not _reads_ids(trained, found):
        warn_of_column(function, type(trained).__name__, found, column_names(X) is not None)


def _find_trained(model: Any) -> Any:
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
    found = map(_find_trained, parts)
    return next((part for part in found if part is not None), None)


def _keeps_columns(step: Any) -> bool:
    """Return whether a step of a pipeline is known to keep all columns, in their order."""
    if step is None or isinstance(step, str):
        return step != "drop"
    return is_of_scikit_learn(step) and isinstance(step, OneToOneFeatureMixin)


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
