"""The door: the one place that checks input and words its errors.

Every message names the parameter, the function, the rule and what was got. The checks of options are
cheap and come first; those of the data come before any work is done on it.
"""

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations
from numbers import Integral, Real
from typing import Any, NoReturn, TypeGuard

import numpy as np
from scipy.sparse import issparse

from ._ids import as_objects, has_missing, hold_objects, rank_ids, rank_objects, read_held
from ._text import explain_text

EXACT_INT_LIMIT = 2**53  # beyond it float64 merges neighbouring integers
TO_ROWS = "list(map(dict(zip(sklearn_rank.unique_groups(groups), weights)).get, groups))"


def fail(parameter: str, function: str, rule: str, got: object) -> NoReturn:
    """Raise the one kind of error this package raises for a bad argument."""
    raise ValueError(f"The '{parameter}' parameter of {function} must {rule}. Got {got} instead.")


def is_int(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer: no truth value, and no span of time, which numpy counts as one."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number, likewise."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def check_count(value: Any, lowest: int, parameter: str, function: str, other: str = "") -> None:
    """Check an integer that counts something; `other` says what else it might have been."""
    if not is_int(value) or value < lowest:
        fail(parameter, function, f"be an int >= {lowest}{other}", repr(value))


def read_array(values: Any, parameter: str, function: str, rule: str) -> np.ndarray:
    """Return what numpy makes of values; what keeps it from reading them is the cause of our error."""
    try:
        return np.asarray(values)
    except Exception as error:
        ragged = "inhomogeneous" in str(error)
        got = "sequences of different lengths" if ragged else f"what numpy does not read ({error})"
        fail(parameter, function, rule, got)


def read_list(values: Any, parameter: str, function: str, rule: str) -> list[Any]:
    """Return what can be iterated, and is no text, as a list."""
    if not isinstance(values, str | bytes | bytearray | type):
        try:
            return list(values)
        except Exception as error:
            fail(parameter, function, rule, f"{values!r} ({error})")
    fail(parameter, function, rule, repr(values))


def read_floats(values: Any, shape: tuple[int, ...], parameter: str, function: str, rule: str) -> np.ndarray:
    """Return floats of a shape; of what a table holds, or a callable of the caller's gave."""
    array = read_array(values, parameter, function, rule)
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, parameter, function, rule)
    if array.dtype.kind not in "biufO":
        fail(parameter, function, rule, repr(values))
    if array.shape != shape:
        fail(parameter, function, f"{rule}, shape {shape}", f"shape {array.shape}")
    try:
        with np.errstate(over="ignore"):  # of a longdouble beyond the range
            return array.astype(np.float64)
    except OverflowError:  # an integer beyond their range
        fail(parameter, function, rule, repr(values))


# ---------------------------------------------------------------------------- numbers


def to_float(value: Any) -> float:
    """Return an integer beyond the range of floats as inf."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def exact_floats(values: np.ndarray) -> np.ndarray:
    """Floats in the same order and with the same ties; dense ranks where float64 would merge values."""
    if values.dtype in (np.float32, np.float64):
        return values
    if not values.size:
        return values.astype(np.float64)
    if values.dtype.kind in "iu" and values.itemsize == 8:
        exact = values.min() >= -EXACT_INT_LIMIT and values.max() <= EXACT_INT_LIMIT
    else:
        with np.errstate(over="ignore"):  # of a longdouble beyond the range
            exact = values.dtype.kind != "O" and bool((values.astype(np.float64) == values).all())
    if exact:
        return values.astype(np.float64)
    ranks = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.float64)
    ranks[values == -np.inf] = -np.inf
    return ranks


def flatten(array: np.ndarray) -> np.ndarray:
    """Return a column, of shape (n, 1), as a flat array; anything else as it is."""
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array


def check_weights(
    weights: Any, n: int, unit: str, function: str, parameter: str = "sample_weight"
) -> np.ndarray | None:
    if weights is None:
        return None
    weights = flatten(read_numbers(weights, parameter, function))
    if weights.shape != (n,):
        of_queries = unit == "row" and weights.ndim == 1 and 0 < len(weights) < n
        remedy = f": those of queries, in the order of their ids, go to their rows by {TO_ROWS}" * of_queries
        fail(parameter, function, f"have one entry per {unit}, shape ({n},){remedy}", weights.shape)
    for extreme in (weights.min(), weights.max()):
        if not 0 <= to_float(extreme) < np.inf:
            fail(parameter, function, "be finite and >= 0", extreme)
    weights = weights.astype(np.float64)
    if weights.max() == 0:
        fail(parameter, function, "not be all zero", "only zeros")
    return weights


def check_constant(
    weights: np.ndarray,
    firsts: np.ndarray,
    lengths: np.ndarray,
    function: str,
    parameter: str = "sample_weight",
) -> None:
    """Check that rows in query order carry one weight per query."""
    spread = weights != np.repeat(weights[firsts], lengths)
    if spread.any():
        row = int(spread.argmax())
        first = firsts[np.searchsorted(firsts, row, side="right") - 1]
        rule = "be constant inside a query: it weights the query"
        fail(parameter, function, rule, f"{weights[first]} and {weights[row]} in one query")


def read_numbers(values: Any, parameter: str, function: str) -> np.ndarray:
    """Return an array of real numbers with one or two dimensions."""
    rule = "be an array of real numbers, one per row"
    if issparse(values) or isinstance(values, np.ma.MaskedArray):
        fail(parameter, function, f"{rule}, dense and without a mask", f"a {type(values).__name__}")
    array = read_array(values, parameter, function, rule)
    if (
        isinstance(values, list | tuple)
        and array.dtype.kind == "f"
        and float(np.abs(array).max(initial=0)) >= EXACT_INT_LIMIT
    ):
        array = np.asarray(values, dtype=object)  # integers among them may have been merged
    if array.dtype.kind in "OSTU":
        rule += explain_text(array, values, parameter)
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, parameter, function, rule)
    if array.dtype.kind not in "biufO":
        fail(parameter, function, rule, f"dtype {array.dtype}")
    if array.ndim not in (1, 2):
        fail(
            parameter, function, "have one dimension, or two with a row per query", f"{array.ndim} dimensions"
        )
    return array


def _numbers_from_objects(array: np.ndarray, parameter: str, function: str, rule: str) -> np.ndarray:
    """Numbers held as objects; integers that no dtype holds stay objects, to be compared exactly."""
    kinds = set(map(type, array.ravel().tolist()))
    spans: type = np.timedelta64  # which numpy counts as integers
    strange = [kind for kind in kinds if not issubclass(kind, Real | Decimal | np.bool_) or kind is spans]
    if strange:
        fail(parameter, function, rule, f"objects of type {strange[0].__name__}")
    numbers = array
    try:
        if any(issubclass(kind, np.generic | Fraction) for kind in kinds):
            numbers = _plain(array)
        with np.errstate(over="ignore"):
            floats = numbers.astype(np.float64)
        if np.isnan(floats).any() or (floats == numbers).all():
            return floats
    except (OverflowError, ValueError) as error:  # an integer beyond the range of floats, a signalling NaN
        n_nan = sum(map(_is_nan, numbers.ravel()))
        if n_nan:
            fail(parameter, function, "not contain NaN", f"{n_nan} NaN ({error})")
    except TypeError as error:
        fail(parameter, function, rule, f"what is no number ({error})")
    try:
        np.sort(numbers, axis=None)
        for pair in combinations({type(number): number for number in numbers.ravel()}.values(), 2):
            min(pair)  # a sort may not have compared these two types
    except Exception as error:
        fail(parameter, function, f"{rule}, that can be compared", f"others ({error})")
    return numbers


def _plain(objects: np.ndarray) -> np.ndarray:
    """Return objects with Python's numbers in place of numpy's, which compare in their own precision."""
    items = map(_plain_item, objects.ravel())
    return np.fromiter(items, dtype=object, count=objects.size).reshape(objects.shape)


def _plain_item(item: Any) -> Any:
    if isinstance(item, np.number | np.bool_):
        return item.item()
    if isinstance(item, Fraction):  # which keeps numpy's integers as its parts
        return Fraction(int(item.numerator), int(item.denominator))
    return tuple(map(_plain_item, item)) if isinstance(item, tuple) else item


def is_array(kind: type) -> bool:
    """Tell whether values of a type are arrays, columns or matrices, and no single values."""
    return hasattr(kind, "shape") and not issubclass(kind, np.generic)


def _is_nan(number: Any) -> bool:
    return number.is_nan() if isinstance(number, Decimal) else number != number


# ---------------------------------------------------------------------------- query ids


def check_groups(groups: Any, n_rows: int, function: str, parameter: str = "groups") -> np.ndarray:
    """Check ids: one dimension, one per row, of one sortable type, none missing."""
    what = "times" if parameter == "times" else "ids"
    if groups is None:
        fail(parameter, function, "hold the query id of each row", None)
    if isinstance(groups, str):
        rule = "be the ids themselves here; a name is read by scorers, splitters and the drop-ins"
        fail(parameter, function, rule, repr(groups))
    if isinstance(groups, np.ma.MaskedArray):
        fail(parameter, function, "not have a mask", "a MaskedArray")
    held = read_held(groups)
    if held is not None and len(held[0]) == n_rows:
        codes, names = held
        with suppress(ValueError):  # the ids of all rows say better what is wrong
            return rank_ids(_check_kinds(names, function, parameter, what, distinct=True))[codes]
    is_sequence = isinstance(groups, list | tuple)
    if is_sequence:
        ids = as_objects(open_column(groups))
    else:
        ids = flatten(read_array(groups, parameter, function, f"hold {what}"))
    if ids.ndim != 1:
        several = ids.ndim == 2 and len(ids) == n_rows and hasattr(groups, "columns")
        remedy = (
            ": take one column, frame['qid'], or list(zip(frame['user'], frame['day'])) for pairs" * several
        )
        fail(parameter, function, f"be one-dimensional{remedy}", f"shape {ids.shape}")
    if len(ids) != n_rows:
        remedy = _explain_sizes(ids, n_rows, parameter)
        fail(parameter, function, f"have one {what[:-1]} per row, {n_rows}{remedy}", f"{len(ids)}")
    return _check_kinds(ids, function, parameter, what)


def _check_kinds(
    ids: np.ndarray, function: str, parameter: str, what: str, distinct: bool = False
) -> np.ndarray:
    """Check that ids are of one sortable type, none missing; those that are distinct are not looked up."""
    if ids.dtype.kind in "OT":
        return _encode_objects(ids.astype(object), function, parameter, what, distinct)
    if ids.dtype.kind not in "biufUSMm":
        fail(parameter, function, f"hold {what} of a sortable type", f"dtype {ids.dtype}")
    if ids.dtype.kind in "fMm" and (missing := ids != ids).any():  # NaN and NaT differ from themselves
        fail(parameter, function, f"not have missing {what}", f"{missing.sum()} missing")
    return ids.astype(np.int64) if ids.dtype.kind in "Mm" else ids


def _explain_sizes(ids: np.ndarray, n_rows: int, parameter: str) -> str:
    """Say what to do with sizes of queries, which add up to the rows, in the place of ids."""
    sizes = ids.tolist()
    if not parameter.endswith("groups") or not all(map(is_int, sizes)) or sum(sizes) != n_rows:
        return ""
    if min(sizes, default=0) < 1:
        return ""
    how = "numpy.repeat(numpy.arange(len(sizes)), sizes)"
    how = f"{parameter}=[{how}]" if parameter.startswith("eval_") else f"{parameter}={how}"
    sizes_of = "these look like sizes of queries, as LightGBM's group holds them"
    return f": {sizes_of}: if the rows of each query stand together, {how} makes ids"


def open_column(values: Any) -> Any:
    """Return what lists of one entry in a list hold, which are a column; anything else as it is."""
    is_column = isinstance(values, list | tuple) and len(values) > 0
    is_column = is_column and all(isinstance(entry, list) and len(entry) == 1 for entry in values)
    return [entry for [entry] in values] if is_column else values


def _encode_objects(ids: np.ndarray, function: str, parameter: str, what: str, distinct: bool) -> np.ndarray:
    """Dense integer codes in sorted order for ids held as Python objects."""
    kinds = set(map(type, ids.tolist()))
    numeric = all(issubclass(kind, Real) and not issubclass(kind, bool | np.timedelta64) for kind in kinds)
    text = all(issubclass(kind, str) for kind in kinds)
    compared_plain = _compare_plain(ids, kinds, numeric)
    held = None if compared_plain or distinct else hold_objects(ids)
    some = ids if held is None else ids[held.rows]
    if has_missing(some, kinds):
        fail(parameter, function, f"not have missing {what}", "None, NA, NaN or NaT among them")
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    if len(kinds) > 1 and not (numeric or text):
        fail(parameter, function, f"hold {what} of one type", names)
    if any(issubclass(kind, list) or is_array(kind) for kind in kinds):
        fail(parameter, function, "be one-dimensional", f"sequences as {what}")
    if not any(issubclass(kind, dict | set | frozenset) for kind in kinds):
        try:
            ranks = rank_objects(_plain(some) if compared_plain else some)
            return ranks if held is None else ranks[held.codes]
        except Exception as error:  # whatever ids raise when they are compared
            names += f" ({error})"
    remedy = ""
    kinds = kinds.union(*(map(type, each) for each in ids if isinstance(each, tuple)))
    if any(kind.__module__.startswith("pyarrow") for kind in kinds):
        remedy = (
            ": pyarrow's scalars become Python's values by groups.to_pylist(), pairs of two columns by "
            "list(zip(table['user'].to_pylist(), table['day'].to_pylist()))"
        )
    fail(parameter, function, f"hold {what} of a sortable type{remedy}", names)


def _compare_plain(ids: np.ndarray, kinds: set[type], numeric: bool) -> bool:
    """Tell whether numpy's numbers, which compare in their own precision, meet others."""
    if all(issubclass(kind, tuple) for kind in kinds):
        kinds = set(map(type, chain.from_iterable(ids.tolist())))
        return any(issubclass(kind, np.generic | Fraction | tuple) for kind in kinds)
    own = any(issubclass(kind, np.generic) for kind in kinds) and len(kinds) > 1 and numeric
    return own or any(issubclass(kind, Fraction) for kind in kinds)
