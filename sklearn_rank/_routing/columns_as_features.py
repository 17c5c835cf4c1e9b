"""Columns of X that a model trains on although they are no features: labels to score by, and query ids."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._checks.containers import column_names, is_index_level
from .._checks.warn import RankingWarning, warn_user
from .._models.parts import list_parts

# Libraries whose models train on all columns that they get.
PLAIN = ("sklearn", "sklearn_rank", "lightgbm", "xgboost", "catboost")
TRAINS_ON_IDS = (
    "{function}: {model} trains on the query ids, as X has them as a column, {name!r}. Leave it out of X, as "
    "in X.drop(columns={name!r}), and pass groups=frame[{name!r}]; or put the ids into the index, as in "
    "X.set_index({name!r}); or drop the column in a pipeline."
)


def trains_on_all_columns(model: Any) -> bool:
    """Tell whether a model is known to train on all columns of X: one of these libraries, without parts."""
    return type(model).__module__.partition(".")[0] in PLAIN and not list_parts(model)


def warn_of_ids(groups: Any, X: Any, y: Any, model: Any, function: str) -> None:
    """Warn where a model trains on a column of X that holds the query ids, given by its name or as it is."""
    name = groups if isinstance(groups, str) else getattr(groups, "name", None)
    if name is None or not _has(column_names(X), name) or not trains_on_all_columns(model):
        return
    if _reads_ids(model, name) or not _is_column(groups, name, X, y):
        return
    message = TRAINS_ON_IDS.format(function=function, model=type(model).__name__, name=name)
    warn_user(message, RankingWarning)


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
