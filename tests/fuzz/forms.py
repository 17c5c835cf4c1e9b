"""Ways to spoil rows: an unusual value, another form, fewer or more rows."""

import datetime
import itertools
from array import array
from collections import UserList, deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
from scipy import sparse

from .values import SCALARS, anything, pandas, pick, polars, pyarrow


def _objects(rows):
    values = np.empty(len(rows), dtype=object)
    values[:] = rows
    return values


def _strided(rows):
    return np.repeat(np.asarray(rows), 2)[::2]


def _read_only(rows):
    values = np.array(rows)
    values.flags.writeable = False
    return values


def _structured(rows):
    values = np.zeros(len(rows), [("a", "f8"), ("b", "U2")])
    values["a"] = rows
    return values


def _cast(dtype):
    return lambda rows: np.array(rows).astype(dtype)


def _typed(rows):
    """Return an array of numbers; other values can make polars panic or pyarrow crash."""
    values = np.array(rows)
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise ValueError
    return values


def _polars(rows):
    return polars.Series(_typed(rows))


def _arrow(rows, mask=None):
    return pyarrow.array(_typed(rows), mask=mask)


def _half(rows):
    return rows[: len(rows) // 2]


# Other forms of a list of numbers or ids, valid or not. Forms that numpy cannot build are skipped.
FORMS = [tuple, np.array, np.array, _objects, _strided, _read_only, _structured]
FORMS += [lambda rows: np.array(rows)[::-1]]
FORMS += map(
    _cast, ["f2", "f4", "f8", "g", "i1", "u1", "i4", "i8", "u8", "?", "c8", "c16", "O", ">f8", ">i4", ">f2"]
)
FORMS += map(_cast, ["U", "S", "U1", "M8[s]", "m8[D]", "V8", np.dtypes.StringDType()])
FORMS += [lambda rows: np.array(rows)[:, None], lambda rows: np.array(rows)[None]]
FORMS += [lambda rows: np.array(rows)[None, None]]
FORMS += [lambda rows: np.asfortranarray([rows, rows]), lambda rows: np.array([rows, rows]).T]
FORMS += [lambda rows: [rows]]
FORMS += [lambda rows: [[row] for row in rows], lambda rows: [*rows[1:], [rows[0]]]]
FORMS += [lambda rows: [[*rows], rows[1:]]]
FORMS += [lambda rows: np.ma.array(rows)]
FORMS += [lambda rows: np.ma.array(rows, mask=[True] + [False] * (len(rows) - 1))]
FORMS += [lambda rows: sparse.csr_array([rows]), lambda rows: sparse.coo_matrix([rows]).T]
FORMS += [lambda rows: np.matrix(rows)]
FORMS += [_half, lambda rows: rows[1:], lambda rows: rows * 2, lambda rows: rows + rows[:1]]
FORMS += [lambda rows: []]
FORMS += [deque, iter, set, frozenset, dict.fromkeys, enumerate, UserList, str, repr, len]
FORMS += [lambda rows: rows[0]]
FORMS += [lambda rows: (row for row in rows), lambda rows: dict(enumerate(rows))]
FORMS += [lambda rows: array("d", rows)]
FORMS += [lambda rows: memoryview(array("d", rows)), lambda rows: memoryview(np.array([rows]))]
FORMS += [itertools.chain]
FORMS += [lambda rows: [np.array(row) for row in rows], lambda rows: [np.array([row]) for row in rows]]
FORMS += [lambda rows: [str(row) for row in rows], lambda rows: [str(row).encode() for row in rows]]
FORMS += [lambda rows: [Decimal(row) for row in rows], lambda rows: [Fraction(row) for row in rows]]
FORMS += [lambda rows: [(row, 1) for row in rows], lambda rows: [{row} for row in rows]]
FORMS += [lambda rows: [{} for _ in rows]]
FORMS += [lambda rows: [np.float64(row) for row in rows]]
FORMS += [lambda rows: [datetime.date(2020, 1, int(row) + 1) for row in rows]]
FORMS += [lambda rows: np.broadcast_to(np.array(rows)[0], len(rows)), lambda rows: np.array(rows) * 1e308]
FORMS += [lambda rows: np.array(rows) + 2**60, lambda rows: [row + 2**70 for row in rows]]
FORMS += [lambda rows: [None] * len(rows)]
if pandas:
    FORMS += [pandas.Series, pandas.Index, pandas.Categorical]
    FORMS += [lambda rows: pandas.Series(rows, dtype="Float64")]
    FORMS += [lambda rows: pandas.Series(rows, index=[0] * len(rows))]
    FORMS += [lambda rows: pandas.DataFrame({"a": rows})]
    FORMS += [lambda rows: pandas.Series(rows, dtype="category")]
    FORMS += [lambda rows: pandas.Series(rows).astype("string")]
    FORMS += [lambda rows: pandas.Series([*rows[1:], None]).astype("Float64")]
    FORMS += [lambda rows: pandas.array(rows)]
    FORMS += [lambda rows: pandas.Series(rows).astype("datetime64[s]")]
    FORMS += [lambda rows: pandas.arrays.SparseArray(rows)]
if polars:
    FORMS += [_polars, lambda rows: polars.DataFrame({"a": _polars(rows)})]
    FORMS += [lambda rows: _polars(rows).shift(1), lambda rows: _polars(rows).reshape((-1, 1))]
if pyarrow:
    FORMS += [_arrow, lambda rows: _arrow(rows, mask=np.arange(len(rows)) == 0)]
    FORMS += [
        lambda rows: pyarrow.chunked_array([_arrow(rows)]),
        lambda rows: pyarrow.table({"a": _arrow(rows)}),
    ]


def _spoil_one(random, rows):
    """Replace one row by an unusual value."""
    spoiled = list(rows)
    spoiled[int(random.random() * len(spoiled))] = (
        pick(random, SCALARS) if random.random() < 0.8 else anything(random)
    )
    return spoiled


def spoil(random, rows):
    """Return rows in another form, rows with an unusual value, or any other value."""
    if not isinstance(rows, list) or not rows or random.random() < 0.15:
        return anything(random)
    chance = random.random()
    if chance < 0.3:
        rows = _spoil_one(random, rows)
    if chance > 0.2:
        try:
            return pick(random, FORMS)(rows)
        except Exception:  # numpy, pandas or Python cannot build it
            return rows
    return rows
