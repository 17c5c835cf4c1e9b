"""Columns of Arrow as arrays, and back: pyarrow's own ways import pandas, which takes long."""

from importlib import import_module
from typing import Any

import numpy as np


def view_numbers(chunk: Any, dtype: Any) -> np.ndarray:
    """Return the numbers of one array of Arrow, none of which is missing, where they lie."""
    dtype = np.dtype(dtype)
    if not len(chunk):  # there may be no buffer
        return np.empty(0, dtype)
    return np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * dtype.itemsize)


def read_column(column: Any) -> np.ndarray:
    """Return a column of Arrow as an array; other types than numbers, and missing ones, as pyarrow does."""
    chunks = getattr(column, "chunks", [column])
    is_numeric = str(column.type).startswith(("int", "uint", "float", "double"))
    if is_numeric and chunks and not column.null_count:
        arrays = [view_numbers(chunk, column.type.to_pandas_dtype()) for chunk in chunks]
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    array: np.ndarray = column.to_numpy()
    return array


def make_column(places: np.ndarray) -> Any:
    """Return integers as an array of Arrow."""
    arrow = import_module("pyarrow")
    numbers = np.ascontiguousarray(places, dtype=np.int64)
    return arrow.Array.from_buffers(arrow.int64(), len(numbers), [None, arrow.py_buffer(numbers)])
