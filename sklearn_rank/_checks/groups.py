"""Checks of query ids, which have any sortable type, and the search for ids among the features."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from fractions import Fraction
from itertools import chain
from numbers import Complex, Real
from typing import Any, NoReturn

import numpy as np

from .arrays import (
    UNMASK,
    convert_array,
    flatten,
    is_array,
    is_masked,
    plain_numbers,
    read_array,
    reject_lazy,
)
from .codes import (
    SHORT,
    as_array,
    as_objects,
    code_objects,
    has_codes,
    has_missing,
    rank_ids,
    rank_objects,
    read_codes,
)
from .containers import column_names, count_rows, resolve_groups, take
from .errors import count_of, fail, is_int, name_call, shorten
from .types import Features, Ids, Labels, Values
from .warn import RankingWarning, is_inside_call, warn_user

DROP = "Keep only the rows in which pandas.notna({}) is True."
ARE_SIZES = (
    "{function}: each id in {parameter!r} divides its number of rows, so the ids look like sizes of queries, "
    "and queries of the same size count as one. Pass the query id of each row: {parameter}=frame['qid']."
)
SOME_ROWS, SAMPLE_SIZE, FEWEST_SIZES = 64, 4_096, 8
FEWEST_ROWS = sum(range(1, FEWEST_SIZES + 1))  # of queries with 1, 2, ... rows


def check_groups(groups: Ids, n_rows: int, parameter: str = "groups") -> np.ndarray:
    """Check ids: one dimension, one per row, of one sortable type, none missing or empty."""
    ids = _check_groups(groups, n_rows, parameter)
    if parameter.endswith("groups") and ids.dtype.kind in "iu" and _are_sizes(ids):
        warn_user(ARE_SIZES.format(function=name_call(parameter), parameter=parameter), RankingWarning)
    return ids


def read_ids(groups: Ids, X: Features, y: Labels, parameter: str = "groups") -> tuple[Any, np.ndarray]:
    """Read ids by name and check them; return them in a form to take rows of, and the code of each."""
    ids = resolve_groups(groups, X, y, parameter)
    codes = rank_ids(check_groups(ids, count_rows(X), parameter))
    if isinstance(ids, list | tuple) or (hasattr(ids, "iloc") and ids.ndim == 1) or has_codes(ids):
        return ids, codes
    array = flatten(np.asarray(ids))
    return array.astype(object) if array.dtype.kind == "T" else array, codes  # numpy's text type can fail


def _are_sizes(ids: np.ndarray) -> bool:
    """Return whether integers look like the size of each query, repeated in its rows.

    Then each divides its number of rows. If all ids have as many rows, this could be chance.
    """
    if len(ids) < FEWEST_ROWS:
        return False
    some, step = int(ids[:SOME_ROWS].max(initial=0)), len(ids) // SAMPLE_SIZE + 1
    sample = ids[::step]  # counting all rows takes longer
    if sample.min() < 1:  # sizes are at least 1
        return False
    if some > 20 * step and np.count_nonzero(sample == some) * step < some / 4:  # far fewer rows than a size
        return False
    if not 0 < some <= len(ids) or np.count_nonzero(ids == some) % some or ids.min() < 1:
        return False
    sizes, counts = np.unique(ids, return_counts=True)
    return len(sizes) >= FEWEST_SIZES and not (counts % sizes).any() and counts.min() < counts.max()


def _check_groups(groups: Ids, n_rows: int, parameter: str) -> np.ndarray:
    if type(groups) is np.ndarray and groups.dtype.kind in "iu" and groups.shape == (n_rows,):
        return groups  # the most frequent input needs no other check
    what = "times" if parameter == "times" else "ids"
    if groups is None:
        is_query, fix = parameter.endswith("groups"), f"Pass {parameter}=qid."
        rule = f"contain the {'query id' if is_query else what[:-1]} of each row"
        fail(parameter, rule, None, fix * is_query)
    if isinstance(groups, str):
        fix = f"Pass the column of ids: {parameter}=frame[{shorten(groups)!r}]."
        fail(parameter, "be an array of ids, not a name", repr(groups), fix)
    if is_masked(groups):
        fail(parameter, "not have masked entries", "a MaskedArray", UNMASK)
    reject_lazy(groups, parameter)
    coded = read_codes(groups)
    if coded is not None and len(coded[0]) == n_rows:
        codes, names = coded
        with suppress(ValueError):  # the check of the ids of all rows has a better message
            return rank_ids(_check_types(names, parameter, what, distinct=True))[codes]
    if isinstance(groups, list | tuple):
        ids = as_objects(open_column(groups))
    else:
        ids = flatten(read_array(groups, parameter, f"contain {what}"))
    if ids.ndim != 1:
        several = ids.ndim == 2 and len(ids) == n_rows and hasattr(groups, "columns")
        fix = "Pass one column, frame['qid'], or pairs, list(zip(frame['user'], frame['day']))." * several
        fail(parameter, "be one-dimensional", f"shape {ids.shape}", fix)
    if len(ids) != n_rows:
        rule = f"have one {what[:-1]} per row ({count_of(n_rows, 'row')})"
        fail(parameter, rule, count_of(len(ids), what[:-1]), _explain_sizes(ids, n_rows, parameter))
    return _check_types(ids, parameter, what)


def _check_types(ids: np.ndarray, parameter: str, what: str, distinct: bool = False) -> np.ndarray:
    """Check that ids are of one sortable type, none missing; those that are distinct are not looked up."""
    if ids.dtype.kind in "OT":
        if len(ids) and isinstance(ids[0], str) and (text := as_array(ids.tolist(), SHORT)).dtype.kind == "U":
            return rank_ids(_check_types(text, parameter, what))
        return _encode_objects(ids.astype(object), parameter, what, distinct)
    if ids.dtype.kind not in "biufUSMm":
        fail(parameter, f"contain {what} of a sortable type", f"dtype {ids.dtype}")
    if ids.dtype.kind in "fMm" and (missing := ids != ids).any():  # NaN and NaT differ from themselves
        fail(parameter, f"not contain missing {what}", f"{missing.sum()} missing", DROP.format(what))
    if ids.dtype.kind in "SU" and (ids == ids.dtype.type()).any():
        _reject_empty(parameter, what)
    return ids.astype(np.int64) if ids.dtype.kind in "Mm" else ids


def _reject_empty(parameter: str, what: str) -> NoReturn:
    fail(parameter, f"not contain empty {what}", "''", f"Remove the rows whose {what[:-1]} is ''.")


def _explain_sizes(ids: np.ndarray, n_rows: int, parameter: str) -> str:
    """Explain how to convert query sizes, which add up to the number of rows, to ids."""
    sizes = ids.tolist()
    are_sizes = all(map(is_int, sizes)) and sum(map(int, sizes)) == n_rows and min(sizes, default=0) >= 1
    if not parameter.endswith("groups") or not are_sizes:
        return ""
    how = "numpy.repeat(numpy.arange(len(sizes)), sizes)"
    how = f"{parameter}=[{how}]" if parameter.startswith("eval_") else f"{parameter}={how}"
    explanation = "They look like group sizes, as LightGBM takes them."
    return f"{explanation} If the rows are sorted by query, convert sizes to ids: {how}."


def open_column(values: Values) -> Any:
    """Unpack a list of lists with one entry each, which is a column; return anything else unchanged."""
    is_column = isinstance(values, list | tuple) and len(values) > 0
    is_column = is_column and all(isinstance(entry, list) and len(entry) == 1 for entry in values)
    return [entry for [entry] in values] if is_column else values


def _encode_objects(ids: np.ndarray, parameter: str, what: str, distinct: bool) -> np.ndarray:
    """Return dense integer codes, in sorted order, for ids stored as Python objects."""
    kinds = set(map(type, ids.tolist()))
    numeric = all(issubclass(kind, Real) and not issubclass(kind, bool | np.timedelta64) for kind in kinds)
    text = all(issubclass(kind, str) for kind in kinds)
    compared_plain = _compare_plain(ids, kinds, numeric)
    coded = None if compared_plain or distinct else code_objects(ids)
    some = ids if coded is None else ids[coded.rows]
    if has_missing(some, kinds):
        fail(parameter, f"not contain missing {what}", "None, NA, NaN or NaT", DROP.format(what))
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    if len(kinds) > 1 and not (numeric or text):
        fix = f"Convert them to one type, for example list(map(str, {what}))."
        fail(parameter, f"contain {what} of one type", names, fix)
    if any(issubclass(kind, list) or is_array(kind) or hasattr(kind, "to_pylist") for kind in kinds):
        fix = f"To use pairs as {what}, pass list(map(tuple, {parameter}))."
        fail(parameter, "be one-dimensional", f"lists or arrays as {what}", fix)
    if all(issubclass(kind, str | bytes) for kind in kinds) and not all(some.tolist()):
        _reject_empty(parameter, what)
    if not any(map(_has_no_order, kinds)):
        try:
            ranks = rank_objects(plain_numbers(some) if compared_plain else some)
            return ranks if coded is None else ranks[coded.codes]
        except Exception as error:  # ids raise various errors when they are compared
            names += f" ({error})"
    fail(parameter, f"contain {what} of a sortable type", names)


def _has_no_order(kind: Any) -> bool:
    """Return whether objects of a type cannot be sorted."""
    is_complex = issubclass(kind, Complex) and not issubclass(kind, Real)
    return is_complex or issubclass(kind, dict | set | frozenset)


def _compare_plain(ids: np.ndarray, kinds: set[type], numeric: bool) -> bool:
    """Return whether ids must become plain numbers: numpy's compare with others in their own precision."""
    if all(issubclass(kind, tuple) for kind in kinds):
        kinds = set(map(type, chain.from_iterable(ids.tolist())))
        return any(issubclass(kind, np.generic | Fraction | tuple) for kind in kinds)
    own = any(issubclass(kind, np.generic) for kind in kinds) and len(kinds) > 1 and numeric
    return own or any(issubclass(kind, Fraction) for kind in kinds)


TRAINS_ON_IDS = "{function}: X contains the query ids as column {name!r}, so {model} trains on them. {fix}"
OF_FRAMES = (
    "Pass X.drop(columns={name!r}) and groups=frame[{name!r}]. You can also move the ids into the index, "
    "X.set_index({name!r}), or drop the column in a pipeline."
)
OF_ARRAYS = "Pass numpy.delete(X, {name!r}, axis=1)."
LOOKED_AT, FEWEST = 16, 5  # rows that are compared first, and the fewest different ids among them


def warn_of_ids_in(model: str, groups: Ids, X: Features) -> None:
    """Warn if the ids of rows are a column of X, unless an outer call has checked it."""
    if not is_inside_call():
        name = find_ids(groups, X)
        if name is not None:
            warn_of_column(model, name, column_names(X) is not None)


def warn_of_column(model: str, name: object, of_frame: bool = True) -> None:
    """Warn that a column contains the ids."""
    fix = (OF_FRAMES if of_frame else OF_ARRAYS).format(name=name)
    warn_user(TRAINS_ON_IDS.format(function=name_call(), model=model, name=name, fix=fix), RankingWarning)


def find_ids(groups: Ids, X: Features, fewest: int = FEWEST) -> Any:
    """Return the name, or number, of the column of X with the values of the ids; None if no column has them.

    A few rows are compared first. If they have few different ids, equal values could be chance: return None.
    """
    with suppress(Exception):  # some values cannot be compared, such as pandas.NA
        ids = np.asarray(groups)
        n_rows, n_columns = X.shape
        if ids.shape != (n_rows,) or hasattr(X, "tocsr"):
            return None
        rows = np.linspace(0, n_rows - 1, LOOKED_AT).astype(np.int64)
        if len(set(ids[rows].tolist())) < fewest:
            return None
        names = column_names(X)
        names = range(n_columns) if names is None else list(names)
        for place in _find_alike(take(X, rows), ids[rows], n_columns):
            column = X[:, place] if column_names(X) is None else X[names[place]]
            if np.array_equal(np.asarray(column), ids):
                return names[place]
    return None


def _find_alike(X: Features, ids: np.ndarray, n_columns: int) -> Iterable[int]:
    """Find the columns of a few rows that equal their ids, all at once."""
    if ids.dtype.kind in "mM":  # dates in a table of several types can be objects: compared one by one
        return range(n_columns)
    values = np.asarray(X)
    if values.dtype.kind != "O" and (ids.dtype.kind in "SU") != (values.dtype.kind in "SU"):
        return []
    return np.flatnonzero((values == ids[:, None]).all(axis=0)).tolist()


def take_ids(groups: Ids, rows: np.ndarray) -> np.ndarray:
    """Return the ids of some rows, of their own type."""
    names = take(open_column(groups), rows)
    return as_array(names) if isinstance(names, list) else flatten(convert_array(names))


def list_keys(ids: Ids) -> list[Any]:
    """Return ids as objects with equal hashes for equal ids; dates get one unit."""
    found = take_ids(ids, np.arange(len(ids)))
    if found.dtype.kind == "M":
        return list(found.astype("M8[ns]"))
    return [each.astype("M8[ns]") if isinstance(each, np.datetime64) else each for each in found.tolist()]


def number_ids(ids: Ids) -> dict[Any, int]:
    """Return the position of each id."""
    return {key: place for place, key in enumerate(list_keys(ids))}


def find_places(ids: Ids, places: Mapping[Any, int]) -> np.ndarray:
    """Return the position of each id, or -1 if it has none."""
    return np.array([places.get(key, -1) for key in list_keys(ids)], dtype=np.int64)


KINDS = {"text": (str,), "number": (Real, np.number, np.bool_), "date": (date, np.datetime64)}


def name_kind(ids: np.ndarray) -> str:
    """Return the kind of ids: text, number, date, or the name of another type."""
    first = ids[0]
    kinds = (kind for kind, types in KINDS.items() if isinstance(first, types))
    return next(kinds, type(first).__name__)
