"""Query ids that are a column of X, on which a model would train as a feature."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from .containers import column_names, take
from .warn import RankingWarning, is_inside_call, warn_user

TRAINS_ON_IDS = (
    "{function}: {model} trains on the query ids, because X contains them as column {name!r}. {fix}"
)
OF_FRAMES = (
    "Leave it out of X, as in X.drop(columns={name!r}), and pass groups=frame[{name!r}]; or put the ids into "
    "the index, as in X.set_index({name!r}); or drop the column in a pipeline."
)
OF_ARRAYS = "Leave it out of X, as in numpy.delete(X, {name!r}, axis=1)."
LOOKED_AT, FEWEST = 16, 5  # rows that are compared first, and the fewest different ids among them


def warn_of_ids_in(function: str, model: str, groups: Any, X: Any) -> None:
    """Warn if the ids of rows are a column of X, unless an outer call has checked it."""
    if not is_inside_call():
        name = find_ids(groups, X)
        if name is not None:
            warn_of_column(function, model, name, column_names(X) is not None)


def warn_of_column(function: str, model: str, name: Any, of_frame: bool = True) -> None:
    """Warn that a column contains the ids."""
    fix = (OF_FRAMES if of_frame else OF_ARRAYS).format(name=name)
    warn_user(TRAINS_ON_IDS.format(function=function, model=model, name=name, fix=fix), RankingWarning)


def find_ids(groups: Any, X: Any) -> Any:
    """Return the name, or number, of the column of X with the values of the ids; None if no column has them.

    A few rows are compared first. If they have few different ids, equal values could be chance: return None.
    """
    with suppress(Exception):  # of values that do not compare, such as pandas.NA
        ids = np.asarray(groups)
        n_rows, n_columns = X.shape
        if ids.shape != (n_rows,) or hasattr(X, "tocsr"):
            return None
        rows = np.linspace(0, n_rows - 1, LOOKED_AT).astype(np.int64)
        if len(set(ids[rows].tolist())) < FEWEST:
            return None
        names = column_names(X)
        names = range(n_columns) if names is None else list(names)
        for place in _find_alike(take(X, rows), ids[rows], n_columns):
            if np.array_equal(_column(X, names[place]), ids):
                return names[place]
    return None


def _find_alike(X: Any, ids: np.ndarray, n_columns: int) -> Iterable[int]:
    """Find the columns of a few rows that equal their ids, all at once."""
    if ids.dtype.kind in "mM":  # dates in a table of several types can be objects: compared one by one
        return range(n_columns)
    values = np.asarray(X)
    are_text = ids.dtype.kind in "SU"
    if values.dtype.kind != "O" and are_text != (values.dtype.kind in "SU"):
        return []
    return np.flatnonzero((values == ids[:, None]).all(axis=0)).tolist()


def _column(X: Any, name: Any) -> np.ndarray:
    """Return a column of a frame by its name, or of an array by its number."""
    return np.asarray(X[:, name] if column_names(X) is None else X[name])
