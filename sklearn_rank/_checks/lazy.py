"""Rows that are not in memory: to read them here would bring all of them into this process unasked."""

from typing import Any

import numpy as np

from .errors import fail

# Packages whose collections are read when they are asked for, and what such are called in others.
LAZY = ("dask", "dask_cudf", "duckdb", "_duckdb", "ibis", "pyspark", "ray")
LAZY_NAMES = ("LazyFrame", "Expr")  # of polars and narwhals
RULE = (
    "hold rows that are in memory: evaluate('label', 'score', groups='qid', metrics=..., data=collection) "
    "takes others by the names of their columns, and never holds all of them at once"
)
# Methods that read such a collection into memory.
READERS = ("compute", "df", "toPandas", "to_pandas", "collect")  # polars only has the last


def refuse_lazy(values: Any, parameter: str, function: str) -> None:
    """Refuse what is read only when it is asked for: columns and frames of Dask, polars, Spark and others."""
    if package := _find_lazy(values):
        fail(parameter, function, RULE, f"a {type(values).__name__} of {package}")


def check_in_memory(function: str, **given: Any) -> None:
    """Raise for frames that are not in memory, in a function that needs all of their rows."""
    for parameter, values in given.items():
        if package := _find_lazy(values):
            method = next((name for name in READERS if hasattr(values, name)), None)
            fix = f"Pass {parameter}.{method}()." if method else ""
            fail(parameter, function, "be in memory", f"a {type(values).__name__} of {package}", fix)


def _find_lazy(values: Any) -> str:
    """Return the package of a collection that is not in memory; "" for other values."""
    kind = type(values)
    if kind in (list, np.ndarray):  # most of what is given, at once
        return ""
    package = str(kind.__module__).partition(".")[0]
    is_lazy = package in LAZY or kind.__name__ in LAZY_NAMES
    if not is_lazy and hasattr(kind, "__dask_graph__"):
        is_lazy = values.__dask_graph__() is not None  # None of what may hold Dask's, and holds numpy's
    return package if is_lazy else ""
