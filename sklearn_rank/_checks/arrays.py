"""Conversion of input to arrays of numbers: exact, dense and with one or two dimensions."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from .codes import MISSING_TYPES, as_array, decode_ascii, split_text
from .errors import count_of, fail, kind_of, name_call, shorten
from .types import Values

# Packages whose collections are lazy, and the names of lazy types in others.
LAZY = ("dask", "dask_cudf", "duckdb", "_duckdb", "ibis", "pyspark", "ray")
LAZY_NAMES = ("LazyFrame", "Expr")  # of polars and narwhals
IN_BATCHES = (
    "To read it in batches, call evaluate('label', 'score', groups='qid', metrics=..., data=collection) with "
    "the names of its columns."
)
NUMBERS = "Pass one number per row: {}=[2, 0, 1]."
UNMASK = "Remove the masked rows from all arguments: values[~mask]."
FLAT = "Pass flat rows, numpy.concatenate(values), with groups=qid."
WORDS = "Pass a number per word: [{'bad': 0, 'good': 1}[word] for word in y_true]."
# Methods that read such a collection into memory.
READERS = ("compute", "df", "toPandas", "to_pandas", "collect")  # polars only has the last


def reject_lazy(values: Values, parameter: str) -> None:
    """Reject lazy columns and frames, such as those of Dask, polars and Spark."""
    if package := _find_lazy(values):
        fail(parameter, "be in memory", f"{kind_of(values)} of {package}", IN_BATCHES)


def check_in_memory(**given: object) -> None:
    """Raise an error for frames that are not in memory, in a function that uses all rows."""
    for parameter, values in given.items():
        if package := _find_lazy(values):
            method = next((name for name in READERS if hasattr(values, name)), None)
            fix = f"Pass {parameter}.{method}()." if method else ""
            fail(parameter, "be in memory", f"{kind_of(values)} of {package}", fix)


def _find_lazy(values: Values) -> str:
    """Return the package of a collection that is not in memory; "" for other values."""
    kind = type(values)
    if kind in (list, np.ndarray):  # most input, checked first
        return ""
    package = str(kind.__module__).partition(".")[0]
    is_lazy = package in LAZY or kind.__name__ in LAZY_NAMES
    if not is_lazy and hasattr(kind, "__dask_graph__"):
        is_lazy = values.__dask_graph__() is not None  # None if it contains numpy's arrays instead
    return package if is_lazy else ""


def explain_text(array: np.ndarray, values: Values, parameter: str) -> str:
    """Return a sentence with code that converts numbers stored as text, or labels with missing values."""
    if array.ndim == 0:
        column = f"Pass the column itself: frame[{shorten(values)!r}]." if isinstance(values, str) else ""
        if parameter == "y_true" and (column or hasattr(values, "__fspath__")) and name_call() == "evaluate":
            return " ".join(filter(None, (column, OF_RUNS)))
        predicted = "Pass the predictions of the model, model.predict(X)." * hasattr(values, "predict")
        return column or predicted or f"Pass list({parameter})." * isinstance(values, Iterator)
    kinds = set(map(type, array.ravel().tolist()))
    missing = any(kind.__name__ in MISSING_TYPES for kind in kinds)
    if not ((missing and parameter == "y_true") or any(issubclass(kind, str | bytes) for kind in kinds)):
        return ""
    others = TypeError, OverflowError, np.exceptions.ComplexWarning  # not a number; beyond the range
    with suppress(ValueError, *others), warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        np.asarray(values, dtype=np.float64)
        aim = "To replace missing values by NaN" if missing else "To convert text to numbers"
        return f"{aim}, pass numpy.asarray({parameter}, dtype=float)."
    return WORDS * (parameter == "y_true" and not missing)


FREED = 3 * 10**7  # bytes, below the 32 MiB up to which the C library adapts


def reuse_memory() -> None:
    """Make glibc keep freed arrays for the next ones, by freeing a large one.

    Otherwise it returns them to the system, which clears each page again. From then on it keeps at most about
    60 MB for the whole process. The array is not written to, and takes no memory.
    """
    np.empty(FREED, dtype=np.uint8)


Shape = tuple[int, ...]
PIECE = 2**16  # numbers that are read, changed and written at once, so that they stay in the cache
FROM_RUN = "For qrels and a run, use y_true, y_score, qid = sklearn_rank.from_run(qrels=qrels, run=run)."
OF_RUNS = "For qrels and runs, call sklearn_rank.evaluate_runs(qrels, {'name': run}, metrics=['map'])."
EXACT_INT_LIMIT = 2**53  # beyond it float64 merges neighboring integers


def _fix_run() -> str:
    """Return how to pass judgments and runs to the running function."""
    return OF_RUNS if name_call() == "evaluate" else FROM_RUN


def read_array(values: Values, parameter: str, rule: str, fix: str = "") -> np.ndarray:
    """Convert values to an array; an error of numpy becomes the cause of our error."""
    reject_lazy(values, parameter)
    try:
        return convert_array(values)
    except Exception as error:
        ragged = "inhomogeneous" in str(error)
        got = "sequences of different lengths" if ragged else f"values that numpy cannot convert ({error})"
        fail(parameter, rule, got, fix or FLAT * ragged)


def convert_array(values: Any) -> np.ndarray:
    """Convert values to an array; text and 128-bit integers of polars by their values.

    numpy would drop null bytes at the end of text, and has no such integers.
    """
    is_of_polars = type(values).__module__.startswith("polars") and hasattr(values, "to_list")
    kind = str(values.dtype) if is_of_polars else ""
    if kind not in ("String", "Int128", "UInt128"):
        return np.asarray(values)
    if kind == "String" and hasattr(values.str, "join") and len(values) and not values.null_count():
        text = split_text(values.str.join("\0").item(), len(values))
        if text is not None:
            return decode_ascii(text)
    return as_array(values.to_list())


def read_list(values: Values, parameter: str, rule: str, fix: str = "") -> list[Any]:
    """Return an iterable other than text as a list."""
    if not isinstance(values, str | bytes | bytearray | type):
        try:
            return list(values)
        except Exception as error:
            fail(parameter, rule, f"{values!r} ({error})", fix)
    fail(parameter, rule, repr(values), fix)


def read_floats(values: Values, shape: Shape, parameter: str, rule: str, fix: str = "") -> np.ndarray:
    """Return numbers as floats in an array of this shape, from a table or a user's function."""
    array = read_array(values, parameter, rule, fix)
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, parameter, rule, fix)
    if array.dtype.kind not in "biufO":
        fail(parameter, rule, repr(values), fix)
    if array.shape != shape:
        fail(parameter, f"{rule}, shape {shape}", f"shape {array.shape}", fix)
    try:
        with np.errstate(over="ignore"):  # a longdouble can be beyond the range
            return array.astype(np.float64)
    except OverflowError:  # an integer beyond their range
        fail(parameter, rule, repr(values), fix)


# ---------------------------------------------------------------------------- numbers


def to_float(value: Any) -> float:
    """Convert a number to float; an integer beyond the range becomes inf."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def find_extremes(values: np.ndarray) -> tuple[Any, Any]:
    """Return the lowest and the highest value, or NaN if one is NaN; many values are read once."""
    if values.dtype.kind == "O":
        return np.minimum.reduce(values, axis=None), np.maximum.reduce(values, axis=None)
    flat = values.ravel()
    if flat.size <= PIECE:  # argmin is faster than min for few values
        return flat[flat.argmin()], flat[flat.argmax()]
    pieces = [flat[start : start + PIECE] for start in range(0, flat.size, PIECE)]
    lows, highs = zip(*((piece.min(), piece.max()) for piece in pieces))
    return np.min(lows), np.max(highs)


def exact_floats(values: np.ndarray) -> np.ndarray:
    """Convert to floats with the same order and ties, or to dense ranks if float64 would merge values."""
    if values.dtype in (np.float32, np.float64):
        return values
    if not values.size:
        return values.astype(np.float64)
    if values.dtype.kind in "iu" and values.itemsize == 8:
        exact = values.min() >= -EXACT_INT_LIMIT and values.max() <= EXACT_INT_LIMIT
    else:
        with np.errstate(over="ignore"):  # a longdouble can be beyond the range
            exact = values.dtype.kind != "O" and bool((values.astype(np.float64) == values).all())
    if exact:
        return values.astype(np.float64)
    ranks = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.float64)
    ranks[values == -np.inf] = -np.inf
    return ranks


def flatten(array: np.ndarray) -> np.ndarray:
    """Return a column, of shape (n, 1), as a flat array; anything else as it is."""
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array


def is_sparse(values: Values) -> bool:
    """Return whether values are a sparse array or matrix of scipy, which is imported only if needed."""
    if not hasattr(values, "tocsr"):
        return False
    from scipy.sparse import issparse

    return bool(issparse(values))


def is_masked(values: Values) -> bool:
    """Return whether entries of an array are masked; `numpy.ma` is imported only if needed."""
    return hasattr(values, "mask") and isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values)


def read_numbers(values: Values, parameter: str) -> np.ndarray:
    """Return an array of real numbers with one or two dimensions."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf" and 1 <= values.ndim <= 2:
        return values  # the most frequent input needs no other check
    rule = "be an array of real numbers"
    if is_sparse(values):
        fail(parameter, "be a dense array", kind_of(values), f"Pass {parameter}.toarray().")
    if is_masked(values):
        fail(parameter, "be an array without masked entries", kind_of(values), UNMASK)
    if isinstance(values, Mapping):
        fix = _fix_run() if parameter in ("y_true", "y_score") else ""
        fail(parameter, rule, kind_of(values), fix)
    array, fix = read_array(values, parameter, rule), NUMBERS.format(parameter)
    if (
        isinstance(values, list | tuple)
        and array.dtype.kind == "f"
        and float(np.abs(array).max(initial=0)) >= EXACT_INT_LIMIT
    ):
        array = np.asarray(values, dtype=object)  # integers among them might have been merged
    if array.dtype.kind in "OSTU":
        has_columns = array.ndim == 2 and array.shape[1] > 1 and hasattr(values, "columns")
        if has_columns and any(isinstance(each, str) for each in array.flat):  # such as document ids
            got = f"a frame with the columns {list(values.columns)[:4]}"
            fail(parameter, rule, got, f"Pass one column. {_fix_run()}")
        fix = explain_text(array, values, parameter) or fix
    if is_complex(array):
        fix = f"Pass numpy.real({parameter})."
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, parameter, rule, fix)
    if array.dtype.kind not in "biufO":
        fail(parameter, rule, f"dtype {array.dtype}", fix)
    if array.ndim not in (1, 2):
        rule = "have one dimension, or two dimensions with one row per query"
        fail(parameter, rule, count_of(array.ndim, "dimension"), NUMBERS.format(parameter))
    return array


def _numbers_from_objects(array: np.ndarray, parameter: str, rule: str, fix: str = "") -> np.ndarray:
    """Convert numbers stored as objects; integers beyond every dtype stay objects, to be compared exactly."""
    kinds = set(map(type, array.ravel().tolist()))
    spans: type = np.timedelta64  # numpy counts them as integers
    strange = [kind for kind in kinds if not issubclass(kind, Real | Decimal | np.bool_) or kind is spans]
    if strange:
        fail(parameter, rule, f"objects of type {strange[0].__name__}", fix)
    numbers = array
    try:
        if any(issubclass(kind, np.generic | Fraction) for kind in kinds):
            numbers = plain_numbers(array)
        with np.errstate(over="ignore"):
            floats = numbers.astype(np.float64)
        if np.isnan(floats).any() or (floats == numbers).all():
            return floats
    except (OverflowError, ValueError) as error:  # an integer beyond the range of floats, a signalling NaN
        n_nan = sum(n.is_nan() if isinstance(n, Decimal) else n != n for n in numbers.ravel())
        if n_nan:
            fail(parameter, "not contain NaN", f"{n_nan} NaN ({error})")
    except TypeError as error:
        fail(parameter, rule, f"values that are not numbers ({error})", fix)
    try:
        np.sort(numbers, axis=None)
        for pair in combinations({type(number): number for number in numbers.ravel()}.values(), 2):
            min(pair)  # the sort might not have compared these two types
    except Exception as error:
        fail(parameter, f"{rule} that can be compared", f"other values ({error})")
    return numbers


def plain_numbers(objects: np.ndarray) -> np.ndarray:
    """Replace numpy's numbers by Python's in an array of objects: numpy's compare in their own precision."""
    items = map(_plain_number, objects.ravel())
    return np.fromiter(items, dtype=object, count=objects.size).reshape(objects.shape)


def _plain_number(item: object) -> Values:
    if isinstance(item, np.number | np.bool_):
        return item.item()
    if isinstance(item, Fraction):  # its parts can be numpy's integers
        return Fraction(int(item.numerator), int(item.denominator))
    return tuple(map(_plain_number, item)) if isinstance(item, tuple) else item


def is_complex(array: np.ndarray) -> bool:
    """Return whether an array contains complex numbers, whose imaginary part numpy would drop."""
    if array.dtype != object:
        return array.dtype.kind == "c"
    return any(isinstance(each, complex | np.complexfloating) for each in array.flat)


def is_array(kind: type) -> bool:
    """Return whether values of a type are arrays, columns or matrices, and not scalars."""
    return hasattr(kind, "shape") and not issubclass(kind, np.generic)
