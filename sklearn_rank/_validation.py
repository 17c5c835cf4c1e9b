"""The door: the one place that checks input and words its errors.

Every message names the parameter, the function, the rule and what was got. The checks of options are
cheap and come first; those of the data come before any work is done on it.
"""

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations
from numbers import Integral, Real
from typing import Any, NamedTuple, NoReturn, TypeGuard

import numpy as np
from scipy.sparse import issparse

from ._ids import as_objects, has_missing, hold_objects, rank_ids, rank_objects, read_held

EXACT_INT_LIMIT = 2**53  # beyond it float64 merges neighbouring integers


class Rows(NamedTuple):
    """Checked rows: what the engine works on."""

    labels: np.ndarray
    scores: np.ndarray
    groups: np.ndarray | None
    weights: np.ndarray | None
    n_columns: int | None  # documents per query where the input was two-dimensional
    scores_are_ranks: bool  # float64 does not hold the scores exactly
    lowest: float  # of the labels that are no NaN
    highest: float


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


# ---------------------------------------------------------------------------- rows


def to_float(value: Any) -> float:
    """Return an integer beyond the range of floats as inf."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def check_rows(
    y_true: Any, y_score: Any, groups: Any, sample_weight: Any, function: str, unjudged: str = "raise"
) -> Rows:
    """Check labels, scores, ids and weights; flat, or a row per query in two dimensions."""
    labels = _numbers(y_true, "y_true", function)
    scores = _numbers(y_score, "y_score", function)
    if labels.shape != scores.shape:
        fail("y_score", function, f"have the shape of 'y_true', {labels.shape}", scores.shape)
    if labels.size == 0:
        fail("y_true", function, "have at least one row", f"shape {labels.shape}")
    labels, lowest, highest = _check_labels(labels, unjudged, function)
    given = _check_scores(scores, function)
    scores = exact_floats(given)
    are_ranks = scores is not given and not (scores == given).all()
    if labels.ndim == 1:
        ids = None if groups is None else check_groups(groups, labels.size, function)
        weights = check_weights(sample_weight, labels.size, "row", function)
        return Rows(labels, scores, ids, weights, None, are_ranks, lowest, highest)
    if groups is not None:
        rule = "be None where 'y_true' has two dimensions: each of its rows is one query"
        fail("groups", function, rule, type(groups).__name__)
    n_queries, n_columns = labels.shape
    weights = check_weights(sample_weight, n_queries, "query", function)
    return Rows(labels.ravel(), scores.ravel(), None, weights, n_columns, are_ranks, lowest, highest)


def _check_labels(labels: np.ndarray, unjudged: str, function: str) -> tuple[np.ndarray, float, float]:
    lowest, highest = labels.min(), labels.max()
    if lowest != lowest:
        if unjudged == "raise":
            rule = "not contain NaN, unless 'unjudged' says what they mean"
            fail("y_true", function, rule, f"{np.isnan(labels).sum()} NaN")
        judged = labels[~np.isnan(labels)]
        lowest, highest = judged.min(initial=np.inf), judged.max(initial=0)
    if lowest < 0 or to_float(highest) == np.inf:
        fail("y_true", function, "be finite and >= 0", lowest if lowest < 0 else highest)
    labels = labels.astype(np.float64) if labels.dtype.kind == "O" else labels
    return labels, float(lowest), float(highest)


def _check_scores(scores: np.ndarray, function: str) -> np.ndarray:
    lowest = scores.min()
    if lowest != lowest:
        fail("y_score", function, "not contain NaN", f"{np.isnan(scores).sum()} NaN")
    return scores


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


def check_weights(
    weights: Any, n: int, unit: str, function: str, parameter: str = "sample_weight"
) -> np.ndarray | None:
    if weights is None:
        return None
    weights = _numbers(weights, parameter, function)
    if weights.shape != (n,):
        fail(parameter, function, f"have one entry per {unit}, shape ({n},)", weights.shape)
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


def _numbers(values: Any, parameter: str, function: str) -> np.ndarray:
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
    if array.dtype.kind == "O":
        array = _numbers_from_objects(array, parameter, function, rule)
    if array.dtype.kind not in "biufO":
        fail(parameter, function, rule, f"dtype {array.dtype}")
    if array.ndim == 2 and array.shape[1] == 1 and array.shape[0] > 1:
        fix = "be flat: pass it through .ravel(), or squeeze the one column out of the frame"
        fail(parameter, function, fix, f"a column vector of shape {array.shape}")
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
            return rank_ids(check_groups(names, len(names), function, parameter))[codes]
    is_sequence = isinstance(groups, list | tuple)
    ids = as_objects(groups) if is_sequence else read_array(groups, parameter, function, "hold ids")
    if ids.ndim != 1:
        fail(parameter, function, "be one-dimensional", f"shape {ids.shape}")
    if len(ids) != n_rows:
        fail(parameter, function, f"have one id per row, {n_rows}", f"{len(ids)}")
    if ids.dtype.kind in "OT":
        return _encode_objects(ids.astype(object), function, parameter)
    if ids.dtype.kind not in "biufUSMm":
        fail(parameter, function, "hold ids of a sortable type", f"dtype {ids.dtype}")
    if ids.dtype.kind in "fMm" and (missing := ids != ids).any():  # NaN and NaT differ from themselves
        fail(parameter, function, "not have missing ids", f"{missing.sum()} missing")
    return ids.astype(np.int64) if ids.dtype.kind in "Mm" else ids


def _encode_objects(ids: np.ndarray, function: str, parameter: str) -> np.ndarray:
    """Dense integer codes in sorted order for ids held as Python objects."""
    kinds = set(map(type, ids.tolist()))
    numeric = all(issubclass(kind, Real) and not issubclass(kind, bool | np.timedelta64) for kind in kinds)
    text = all(issubclass(kind, str) for kind in kinds)
    compared_plain = _compare_plain(ids, kinds, numeric)
    held = None if compared_plain else hold_objects(ids)
    some = ids if held is None else ids[held.rows]
    if has_missing(some, kinds):
        fail(parameter, function, "not have missing ids", "None, NA, NaN or NaT among them")
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    if len(kinds) > 1 and not (numeric or text):
        fail(parameter, function, "hold ids of one type", names)
    if any(issubclass(kind, list) or is_array(kind) for kind in kinds):
        fail(parameter, function, "be one-dimensional", "sequences as ids")
    if not any(issubclass(kind, dict | set | frozenset) for kind in kinds):
        try:
            ranks = rank_objects(_plain(some) if compared_plain else some)
            return ranks if held is None else ranks[held.codes]
        except Exception as error:  # whatever ids raise when they are compared
            names += f" ({error})"
    fail(parameter, function, "hold ids of a sortable type", names)


def _compare_plain(ids: np.ndarray, kinds: set[type], numeric: bool) -> bool:
    """Tell whether numpy's numbers, which compare in their own precision, meet others."""
    if all(issubclass(kind, tuple) for kind in kinds):
        kinds = set(map(type, chain.from_iterable(ids.tolist())))
        return any(issubclass(kind, np.generic | Fraction | tuple) for kind in kinds)
    own = any(issubclass(kind, np.generic) for kind in kinds) and len(kinds) > 1 and numeric
    return own or any(issubclass(kind, Fraction) for kind in kinds)
