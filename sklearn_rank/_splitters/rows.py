"""What splitters read of the rows: the query of each, and labels to balance by."""

from typing import Any

import numpy as np

from .._checks.arrays import is_complex
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order, count_rows, resolve_groups
from .._checks.groups import check_groups


def read_group_codes(splitter: Any, X: Any, y: Any, groups: Any) -> tuple[str, np.ndarray]:
    """Return the name of the call and the code of each row's group."""
    function = f"{type(splitter).__name__}.split"
    check_same_order(function, X=X, y=y, groups=groups)
    ids = check_groups(resolve_groups(groups, X, y, function), count_rows(X, function), function)
    return function, rank_ids(ids)


def count_by_query(codes: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows and of relevant documents of each query."""
    n_rows_of = np.bincount(codes)
    return n_rows_of, np.bincount(codes[labels > 0], minlength=len(n_rows_of))


def read_labels(y: Any, n_rows: int) -> np.ndarray:
    """Return labels as floats; zeros where labels are no numbers or there are several a row."""
    try:
        labels = np.asarray(y).reshape(n_rows)
        with np.errstate(over="ignore"):
            return np.zeros(n_rows) if is_complex(labels) else labels.astype(np.float64)
    except Exception:  # whatever keeps numpy from reading them
        return np.zeros(n_rows)
