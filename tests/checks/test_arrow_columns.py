"""Conversion between Arrow columns and numpy arrays, compared with pyarrow."""

import numpy as np
import pytest

from sklearn_rank._checks.containers import permute_column, read_column
from tests.helpers.frames import arrow

NUMBERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
COLUMNS = {
    "one chunk": lambda numbers: [numbers],
    "two chunks": lambda numbers: [numbers, numbers.slice(2)],
    "a slice": lambda numbers: [numbers.slice(1, 3)],
    "a chunk without rows": lambda numbers: [numbers.slice(5)],
    "rows and none": lambda numbers: [arrow.array([], numbers.type), numbers],
    "no chunk": lambda numbers: [],
    "one that is missing": lambda numbers: [arrow.array([3, None], numbers.type)],
}


@pytest.mark.parametrize("case", COLUMNS)
@pytest.mark.parametrize("kind", NUMBERS)
def test_read_column_equals_array_of_pyarrow(kind, case):
    chunks = COLUMNS[case](arrow.array(np.arange(5), getattr(arrow, kind)()))
    column = arrow.chunked_array(chunks, getattr(arrow, kind)())
    array, expected = read_column(column), column.to_numpy()
    assert array.dtype == expected.dtype
    assert np.array_equal(array, expected, equal_nan=True)


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_permute_column_reorders_one_column_of_a_copy(name):
    library, columns = pytest.importorskip(name), {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
    frame = library.table(columns) if name == "pyarrow" else library.DataFrame(columns)
    permuted = permute_column(frame, 1, np.array([2, 0, 1]))
    assert type(permuted) is type(frame)
    assert np.asarray(permuted["a"]).tolist() == [1.0, 2.0, 3.0]
    assert np.asarray(permuted["b"]).tolist() == [6.0, 4.0, 5.0]
    assert np.asarray(frame["b"]).tolist() == [4.0, 5.0, 6.0]
