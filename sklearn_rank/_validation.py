"""The door: the one place that checks input and words its errors.

Every message names the parameter, the function, the rule and what was got. The checks of options are
cheap and come first; those of the data come before any work is done on it.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import isnan
from numbers import Integral, Real
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.sparse import issparse

EXACT_INT_LIMIT = 2**53  # beyond it float64 merges neighbouring integers


class Rows(NamedTuple):
    """Checked rows: what the engine works on."""

    labels: np.ndarray
    scores: np.ndarray
    groups: np.ndarray | None
    weights: np.ndarray | None
    n_columns: int | None  # documents per query where the input was two-dimensional
    scores_are_ranks: bool  # float64 does not hold the scores exactly


def fail(parameter: str, function: str, rule: str, got: object) -> NoReturn:
    """Raise the one kind of error this package raises for a bad argument."""
    raise ValueError(f"The '{parameter}' parameter of {function} must {rule}. Got {got} instead.")


# ---------------------------------------------------------------------------- options


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _to_float(value: Any) -> float:
    """Return an integer beyond the range of floats as inf."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _check_k(value: Any, function: str) -> int | None:
    if value is None:
        return None
    is_int = isinstance(value, Integral) and not isinstance(value, bool)
    if is_int and 1 <= value < 2**63:
        return int(value)
    fail("k", function, "be an int >= 1 or None (and below 2**63)", repr(value))


def _check_min_relevance(value: Any, function: str) -> float:
    if _is_real(value) and 0 < _to_float(value) < np.inf:
        return float(value)
    fail("min_relevance", function, "be a finite number > 0", repr(value))


def _check_max_grade(value: Any, function: str) -> float | None:
    if value is None or (_is_real(value) and 0 < _to_float(value) < np.inf):
        return None if value is None else float(value)
    fail("max_grade", function, "be a finite number > 0, or None", repr(value))


def _check_p(value: Any, function: str) -> float:
    if _is_real(value) and 0 < value < 1:
        return float(value)
    fail("p", function, "be a number above 0 and below 1", repr(value))


def _check_zero_division(value: Any, function: str) -> float:
    if _is_real(value) and (value in (0, 1) or isnan(value)):
        return float(value)
    fail("zero_division", function, "be 0.0, 1.0 or nan", repr(value))


def _check_gain(value: Any, function: str) -> Any:
    named = isinstance(value, str) and value in ("linear", "exponential")
    table = isinstance(value, Sequence | Mapping | np.ndarray) and not isinstance(value, str | bytes)
    if named or table or callable(value):
        return value
    rule = "be 'linear', 'exponential', a callable of the labels or a table of gains by grade"
    fail("gain", function, rule, repr(value))


def _check_discount(value: Any, function: str) -> Any:
    if value is None or callable(value) or (isinstance(value, str) and value in ("log2", "reciprocal")):
        return value
    fail("discount", function, "be 'log2', 'reciprocal', None or a callable of the rank", repr(value))


def _one_of(parameter: str, options: Sequence[Any]) -> Callable[[Any, str], Any]:
    def check(value: Any, function: str) -> Any:
        if any(value is option or (isinstance(value, str) and value == option) for option in options):
            return value
        fail(parameter, function, f"be one of {', '.join(map(repr, options))}", repr(value))

    return check


_OPTION_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "k": _check_k,
    "min_relevance": _check_min_relevance,
    "zero_division": _check_zero_division,
    "gain": _check_gain,
    "discount": _check_discount,
    "unjudged": _one_of("unjudged", ("raise", "nonrelevant", "drop", "mean", "median")),
    "max_grade": _check_max_grade,
    "p": _check_p,
    "ties": _one_of("ties", ("average", "order", "best", "worst")),
    "average": _one_of("average", ("macro", "micro", "weighted", None)),
    "denominator": _one_of("denominator", ("achievable", "relevant", "hits")),
    "adaptive_k": _one_of("adaptive_k", (False, True)),
}


def check_options(function: str, **options: Any) -> dict[str, Any]:
    """Check options by name: one name has one meaning in the whole package."""
    return {name: _OPTION_CHECKS[name](value, function) for name, value in options.items()}


# ---------------------------------------------------------------------------- rows


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
    labels = _check_labels(labels, unjudged, function)
    given = _check_scores(scores, function)
    scores = exact_floats(given)
    are_ranks = scores is not given and not (scores == given).all()
    if labels.ndim == 1:
        ids = None if groups is None else check_groups(groups, labels.size, function)
        weights = _check_weights(sample_weight, labels.size, "row", function)
        return Rows(labels, scores, ids, weights, None, are_ranks)
    if groups is not None:
        rule = "be None where 'y_true' has two dimensions: each of its rows is one query"
        fail("groups", function, rule, type(groups).__name__)
    n_queries, n_columns = labels.shape
    weights = _check_weights(sample_weight, n_queries, "query", function)
    return Rows(labels.ravel(), scores.ravel(), None, weights, n_columns, are_ranks)


def _check_labels(labels: np.ndarray, unjudged: str, function: str) -> np.ndarray:
    lowest, highest = labels.min(), labels.max()
    if lowest != lowest:
        if unjudged == "raise":
            rule = "not contain NaN, unless 'unjudged' says what they mean"
            fail("y_true", function, rule, f"{np.isnan(labels).sum()} NaN")
        judged = labels[~np.isnan(labels)]
        lowest, highest = judged.min(initial=np.inf), judged.max(initial=0)
    if lowest < 0 or _to_float(highest) == np.inf:
        fail("y_true", function, "be finite and >= 0", lowest if lowest < 0 else highest)
    return labels


def _check_scores(scores: np.ndarray, function: str) -> np.ndarray:
    lowest = scores.min()
    if lowest != lowest:
        fail("y_score", function, "not contain NaN", f"{np.isnan(scores).sum()} NaN")
    return scores


def exact_floats(values: np.ndarray) -> np.ndarray:
    """Floats in the same order and with the same ties; dense ranks where float64 would merge values."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind in "iu" and values.itemsize == 8:
        exact = values.min() >= -EXACT_INT_LIMIT and values.max() <= EXACT_INT_LIMIT
    else:
        exact = values.dtype.kind != "O" and bool((values.astype(np.float64) == values).all())
    if exact:
        return values.astype(np.float64)
    ranks = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.float64)
    ranks[values == -np.inf] = -np.inf
    return ranks


def _check_weights(weights: Any, n: int, unit: str, function: str) -> np.ndarray | None:
    if weights is None:
        return None
    weights = _numbers(weights, "sample_weight", function)
    if weights.shape != (n,):
        fail("sample_weight", function, f"have one entry per {unit}, shape ({n},)", weights.shape)
    for extreme in (weights.min(), weights.max()):
        if not 0 <= _to_float(extreme) < np.inf:
            fail("sample_weight", function, "be finite and >= 0", extreme)
    weights = weights.astype(np.float64)
    if weights.max() == 0:
        fail("sample_weight", function, "not be all zero", "only zeros")
    return weights


def check_constant(weights: np.ndarray, firsts: np.ndarray, lengths: np.ndarray, function: str) -> None:
    """Check that rows in query order carry one weight per query."""
    spread = weights != np.repeat(weights[firsts], lengths)
    if spread.any():
        row = int(spread.argmax())
        first = firsts[np.searchsorted(firsts, row, side="right") - 1]
        rule = "be constant inside a query: it weights the query"
        fail("sample_weight", function, rule, f"{weights[first]} and {weights[row]} in one query")


def _numbers(values: Any, parameter: str, function: str) -> np.ndarray:
    """Return an array of real numbers with one or two dimensions."""
    rule = "be an array of real numbers, one per row"
    if issparse(values) or isinstance(values, np.ma.MaskedArray):
        fail(parameter, function, f"{rule}, dense and without a mask", f"a {type(values).__name__}")
    try:
        array = np.asarray(values)
    except ValueError:
        fail(parameter, function, rule, "sequences of different lengths")
    if (
        isinstance(values, list | tuple)
        and array.dtype.kind == "f"
        and np.abs(array).max(initial=0) > EXACT_INT_LIMIT
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
        fail(parameter, function, "have one dimension, or two with a row per query", f"{array.ndim}")
    return array


def _numbers_from_objects(array: np.ndarray, parameter: str, function: str, rule: str) -> np.ndarray:
    """Numbers held as objects; integers that no dtype holds stay objects, to be compared exactly."""
    kinds = set(map(type, array.ravel().tolist()))
    strange = [kind for kind in kinds if not issubclass(kind, Real | Decimal | np.bool_)]
    if strange:
        fail(parameter, function, rule, f"objects of type {strange[0].__name__}")
    try:
        floats = array.astype(np.float64)
    except OverflowError:
        return array
    except ValueError:  # a signalling NaN
        signalling = [item for item in array.ravel() if isinstance(item, Decimal) and item.is_snan()]
        fail(parameter, function, "not contain NaN", f"{len(signalling)} NaN")
    if np.isnan(floats).any() or (floats == array).all():
        return floats
    return array


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
    ids = _ids_from_sequence(groups) if isinstance(groups, list | tuple) else np.asarray(groups)
    if ids.ndim != 1:
        fail(parameter, function, "be one-dimensional", f"shape {ids.shape}")
    if len(ids) != n_rows:
        fail(parameter, function, f"have one id per row, {n_rows}", f"{len(ids)}")
    if ids.dtype.kind in "OT":
        return _encode_objects(ids.astype(object), function, parameter)
    if ids.dtype.kind not in "biufUSMm":
        fail(parameter, function, "hold ids of a sortable type", f"dtype {ids.dtype}")
    missing = np.isnat(ids) if ids.dtype.kind in "Mm" else ids != ids  # NaN differs from itself
    if missing.any():
        fail(parameter, function, "not have missing ids", f"{missing.sum()} missing")
    return ids.astype(np.int64) if ids.dtype.kind in "Mm" else ids


def _ids_from_sequence(groups: Sequence[Any]) -> np.ndarray:
    """Keep a list's own types: asarray would merge 1 and "1" and make tuples two-dimensional."""
    ids = np.empty(len(groups), dtype=object)
    ids[:] = list(groups)
    return ids


def _encode_objects(ids: np.ndarray, function: str, parameter: str) -> np.ndarray:
    """Dense integer codes in sorted order for ids held as Python objects."""
    kinds = set(map(type, ids.tolist()))
    if any(kind.__name__ in ("NoneType", "NAType", "NaTType") for kind in kinds) or _has_nan(ids, kinds):
        fail(parameter, function, "not have missing ids", "None, NA, NaN or NaT among them")
    numeric = all(issubclass(kind, Real) and not issubclass(kind, bool) for kind in kinds)
    text = all(issubclass(kind, str) for kind in kinds)
    if len(kinds) > 1 and not (numeric or text):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        fail(parameter, function, "hold ids of one type", names)
    if any(issubclass(kind, list | np.ndarray) for kind in kinds):
        fail(parameter, function, "be one-dimensional", "sequences as ids")
    if any(issubclass(kind, dict | set | frozenset) for kind in kinds):
        fail(parameter, function, "hold ids of a sortable type", next(iter(kinds)).__name__)
    try:
        return np.unique(ids, return_inverse=True)[1].ravel()
    except (TypeError, ValueError):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        fail(parameter, function, "hold ids of a sortable type", names)


def _has_nan(ids: np.ndarray, kinds: set[type]) -> bool:
    """Tell whether an id, or a part of one that is a tuple, differs from itself as NaN and NaT do."""
    if any(issubclass(kind, tuple) for kind in kinds):
        return any(part != part for parts in ids.tolist() if isinstance(parts, tuple) for part in parts)
    try:
        return bool((ids != ids).any())
    except ArithmeticError:  # a signalling Decimal NaN
        return True


def count_rows(X: Any) -> int:
    """Count the rows of an array, a frame, a sparse matrix or a list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def resolve_groups(groups: Any, X: Any, y: Any, function: str) -> Any:
    """Read ids by name from an index level of X or y or from a column of X; pass anything else through."""
    if not isinstance(groups, str):
        return groups
    for data in (X, y):
        index = getattr(data, "index", None)
        if groups in (getattr(index, "names", None) or ()):
            return np.asarray(index.get_level_values(groups))
    columns = getattr(X, "columns", None)
    if hasattr(X, "column_names"):  # pyarrow
        columns = X.column_names
    if columns is not None and any(isinstance(name, str) and name == groups for name in columns):
        return np.asarray(X[groups])
    rule = f"name an index level of X or y, or a column of X, to read {groups!r} from"
    fail("groups", function, rule, f"X of type {type(X).__name__} without it")
