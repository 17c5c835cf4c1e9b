"""Rows of arrays, frames, sparse matrices, lists and Arrow columns: counting, taking, reading by name.

Row labels of pandas are compared too, because two frames can have the same labels in another order.
"""

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from copy import deepcopy
from itertools import combinations
from typing import Any

import numpy as np

from .arrays import read_array, reject_lazy
from .codes import has_codes
from .errors import count_of, fail, kind_of, shorten
from .types import Arguments, Features, Ids, Labels, Options, Table, Values

LABEL_KINDS = {"integer": "number", "floating": "number", "string": "text", "datetime64": "date"}  # of labels


def count_rows(X: Features, parameter: str = "X") -> int:
    """Count the rows of an array, a frame, a sparse matrix or a list."""
    shape = getattr(X, "shape", None)
    is_no_table = shape is None and isinstance(X, str | bytes | Mapping | Set)  # their entries are not rows
    if not is_no_table:
        with suppress(TypeError, ValueError, IndexError):
            return len(X) if shape is None else int(shape[0])
    reject_lazy(X, parameter)
    fail(parameter, "have rows", "None" if X is None else kind_of(X))


def as_rows(data: Any, parameter: str = "X") -> Any:
    """Return data that only numpy can read, by `__array__`, as an array; other data unchanged."""
    is_table = hasattr(data, "shape") or hasattr(data, "__len__") or not hasattr(data, "__array__")
    return data if is_table else read_array(data, parameter, "have rows")


def column_names(X: Features) -> Table:
    """Return the names of the columns of a frame; None for other data, and for lazy frames."""
    if not hasattr(X, "shape"):
        return None
    names = getattr(X, "column_names", getattr(X, "columns", None))  # of pyarrow, of others
    return names if isinstance(names, Iterable) else None


def has_column(X: Features, name: str | int) -> bool:
    """Return whether a frame has a column of this name, which is text or an integer."""
    names = column_names(X)
    kinds = str | int | np.integer
    return names is not None and any(isinstance(column, kinds) and column == name for column in names)


def check_entries(values: Values, n_rows: int, parameter: str, fix: str = "") -> None:
    """Check that labels, or other values of rows, have one entry per row."""
    n_entries = count_rows(values, parameter)
    if n_entries != n_rows:
        rule = f"have one entry per row of X ({count_of(n_rows, 'row')})"
        fail(parameter, rule, count_of(n_entries, "entry", "entries"), fix)


def is_filled_mapping(values: object) -> bool:
    """Return whether this is a mapping with entries; sparse arrays can be mappings without a truth value."""
    return isinstance(values, Mapping) and len(values) > 0


def is_of_pandas(values: Values) -> bool:
    """Return whether values are a series, a frame or an index of pandas, or similar to one."""
    return hasattr(type(values), "iloc")


def check_same_order(**given: object) -> None:
    """Check that objects of pandas, by parameter, do not have the same row labels in another order."""
    _compare_axes("index", "rows", "{name}.loc[{first}.index]", given)


def check_rows_of_fold(**given: Any) -> None:
    """Check that rows of a fold, taken by position, are not from data in another order.

    In that case they share some row labels but not all. Only unique labels of text or dates are compared,
    because two unrelated frames can have the same numbers.
    """
    indexes = {name: values.index for name, values in given.items() if is_of_pandas(values)}
    if len(indexes) < 2:
        return
    kinds = ("string", "datetime64")
    of_kind = {name for name, index in indexes.items() if getattr(index, "inferred_type", "") in kinds}
    named = {name: index for name, index in indexes.items() if name in of_kind and index.is_unique}
    for (first, one), (name, other) in combinations(named.items(), 2):
        if len(one) != len(other) or one.equals(other) or _differ_in_kind(one, other):
            continue
        shared = int(one.isin(other).sum())
        if shared:
            got = f"{shared} of {len(one)} labels in common"
            fix = (
                f"Rows of a fold are taken by position. Before splitting, reorder all rows, "
                f"{name}.loc[{first}.index], or ignore their labels, {name}.to_numpy()."
            )
            fail(name, f"have the same row labels as {first!r}", got, fix)


def check_same_columns(**given: object) -> None:
    """Check that frames of pandas do not have the same columns in another order."""
    _compare_axes("columns", "columns", "{name}[{first}.columns]", given)


def _compare_axes(axis: str, kind: str, remedy: str, given: Arguments) -> None:
    """Compare the labels of one axis, rows or columns, for each pair of pandas objects."""
    of_pandas = {name: values for name, values in given.items() if is_of_pandas(values)}
    if len(of_pandas) < 2:
        return
    labels: Options = {name: getattr(values, axis, None) for name, values in of_pandas.items()}
    labels = {name: index for name, index in labels.items() if hasattr(index, "get_level_values")}
    for (first, one), (name, other) in combinations(labels.items(), 2):
        moved = _find_moved(one, other)
        if moved is None:
            continue
        how = remedy.format(name=name, first=first) if one.is_unique else "both from one frame"
        fix = f"If the {kind} already match, pass {name}.to_numpy(). Otherwise, pass {how}."
        if axis == "index" and (is_default_index(one) or is_default_index(other)):
            plain = name if is_default_index(other) else first
            fix = f"The index of {plain!r} looks like a default index. {fix}"
        expected, got = (shorten(repr(index[moved : moved + 1].tolist()[0])) for index in (one, other))
        rule = f"have its {kind} in the same order as {first!r}"
        fail(name, rule, f"{got} at position {moved}, where {first!r} has {expected},", fix)


def is_default_index(index: Any) -> bool:
    """Return whether an index is the default index of pandas, which numbers the rows."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _find_moved(one: Any, other: Any) -> int | None:
    """Return the first position where two indexes with the same labels differ; None for other indexes."""
    if one is other or len(one) != len(other):
        return None
    if {one.nlevels, other.nlevels} == {1, 2}:  # groupby().apply() adds a level before the labels
        one, other = (index.get_level_values(index.nlevels - 1) for index in (one, other))
        if not one.is_unique:
            return None
    if one.nlevels != other.nlevels:
        return None
    try:
        codes = None if _differ_in_kind(one, other) or one.equals(other) else _encode_labels(one, other)
    except Exception:  # labels can be unhashable, or arrays
        return None
    differ = np.zeros(1, dtype=bool) if codes is None else codes[0] != codes[1]
    return int(differ.argmax()) if differ.any() else None


def _encode_labels(one: Any, other: Any) -> np.ndarray | None:
    """Return codes for the labels of two indexes; None if these do not have the same labels."""
    codes = np.zeros((2, len(one)), dtype=np.int64)
    for level in range(one.nlevels):
        mine, theirs = one.get_level_values(level), other.get_level_values(level)
        if _differ_in_kind(mine, theirs) or _differ_in_range(mine, theirs):
            return None
        found = mine.append(theirs).factorize(use_na_sentinel=False)[0]
        joint = codes.ravel() * (found.max() + 1) + found
        codes = np.unique(joint, return_inverse=True)[1].reshape(2, -1)
        counts = [np.bincount(part, minlength=len(joint)) for part in codes]
        if (counts[0] != counts[1]).any():
            return None
    return codes


def _differ_in_kind(one: Any, other: Any) -> bool:
    """Return whether labels have two kinds, such as text and numbers; pandas would compare all of them."""
    kinds = {LABEL_KINDS.get(labels.inferred_type) for labels in (one, other)}
    return len(kinds) > 1 and None not in kinds


def _differ_in_range(one: Any, other: Any) -> bool:
    """Return whether the lowest or the highest labels differ, which is faster than comparing all labels."""
    sortable = one.inferred_type in LABEL_KINDS and other.inferred_type in LABEL_KINDS
    return sortable and bool(one.min() != other.min() or one.max() != other.max())


def resolve_groups(
    groups: Ids, X: Features, y: Labels, parameter: str = "groups", columns: bool = True
) -> Any:
    """Read ids by name from an index level of X or y or from a column of X; pass anything else through."""
    if not isinstance(groups, str):
        return groups
    ids = read_named(groups, X, y, parameter, columns)
    return ids if has_codes(ids) else np.asarray(ids)


def _level_names(data: Table) -> Any:
    """Return the names of the levels of an index of pandas."""
    return getattr(getattr(data, "index", None), "names", None) or ()


def is_index_level(name: str, X: Features, y: Labels) -> bool:
    """Return whether X or y has an index level of this name."""
    return name in _level_names(X) or name in _level_names(y)


def read_named(name: str, X: Features, y: Labels, parameter: str, columns: bool = True) -> Any:
    """Return an index level of X or y, or a column of X, in its own type."""
    for data in (X, y):
        if name in _level_names(data):
            return data.index.get_level_values(name)
    is_column = has_column(X, name)
    if is_column and columns:
        return X[name]
    if is_column:
        shown = repr(shorten(name))
        fix = f"Columns of X are features: pass X.drop(columns={shown}), and X[{shown}] as {parameter!r}."
        fail(parameter, "name an index level of X or y", f"the column {shown} of X", fix)
    places = "an index level of X or y, or a column of X" if columns else "an index level of X or y"
    got = f"{shorten(name)!r}, which X (of type {type(X).__name__}) lacks,"
    fail(parameter, f"name {places}", got, f"Pass the values, such as {parameter}=frame[{shorten(name)!r}].")


def is_array_api(data: Table) -> bool:
    """Return whether data are an array of the array API standard, but not of numpy."""
    return hasattr(data, "__array_namespace__") and not isinstance(data, np.ndarray | np.generic)


def as_numpy(data: Table) -> Values:
    """Convert an array of another library to numpy; return anything else unchanged."""
    is_tensor = type(data).__module__.partition(".")[0] == "torch"
    return np.asarray(data) if is_tensor or is_array_api(data) else data


def take(data: Table, rows: np.ndarray | None) -> Table:
    """Take rows of an array, a frame, a sparse matrix or a list; return the data unchanged for None."""
    if data is None or rows is None:
        return data
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if type(data).__module__.startswith("pyarrow"):
        try:
            return data.take(rows)
        except NotImplementedError:  # Arrow cannot take rows of some types
            if column_names(data) is not None:
                raise
            return np.asarray(data)[rows]
    if isinstance(data, list | tuple):
        return [data[row] for row in rows]
    if is_array_api(data):
        namespace = data.__array_namespace__()
        return namespace.take(data, namespace.asarray(rows, device=data.device), axis=0)
    return data[rows] if hasattr(data, "__array__") else np.asarray(data)[rows]


def take_columns(X: Features, columns: np.ndarray) -> Any:
    """Take columns of an array, a frame or a sparse matrix."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    return X.tocsc()[:, columns] if hasattr(X, "tocsc") else np.asarray(X)[:, columns]


def permute_column(X: Features, feature: int, order: np.ndarray) -> Any:
    """Return a copy of an array, a sparse matrix or a frame with one column in another order."""
    if hasattr(X, "tocsr"):  # scipy
        from scipy.sparse import csr_matrix, hstack

        X = X.tocsr()
        column = csr_matrix(X[:, [feature]].toarray()[order])
        return hstack([X[:, :feature], column, X[:, feature + 1 :]], format="csr")
    if hasattr(X, "with_columns"):  # polars
        return X.with_columns(X[X.columns[feature]][order])
    if hasattr(X, "set_column"):  # pyarrow
        return X.set_column(feature, X.column_names[feature], X.column(feature).take(order))
    permuted = X.copy() if hasattr(X, "copy") else deepcopy(X)
    if hasattr(X, "isetitem"):  # pandas
        permuted.isetitem(feature, X.iloc[order, feature].array)
    else:
        permuted[:, feature] = take(X[:, feature], order)
    return permuted


def permute_within(codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the rows in a random order within each query, at the positions of its rows."""
    order = np.empty(len(codes), dtype=np.int64)
    order[np.argsort(codes, kind="stable")] = np.lexsort((random.random_sample(len(codes)), codes))
    return order


def read_mapping(values: Values, parameter: str) -> Any:
    """Turn a pandas.Series into a dict by its index; pass anything else through."""
    if not (hasattr(values, "to_dict") and hasattr(values, "index")) or hasattr(values, "columns"):
        return values
    if not values.index.is_unique:
        fix = f"For a list of values per label, pass {parameter}.groupby(level=0).agg(list)."
        fail(parameter, "have a unique index", "repeated labels", fix)
    return values.to_dict()


def view_numbers(chunk: Any, dtype: Any) -> np.ndarray:
    """View the numbers of an array of Arrow that has no missing values, without a copy."""
    dtype = np.dtype(dtype)
    if not len(chunk):  # there might be no buffer
        return np.empty(0, dtype)
    return np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * dtype.itemsize)


def read_column(column: Table) -> np.ndarray:
    """Return a column of Arrow as an array; pyarrow converts missing values and types other than numbers."""
    chunks = getattr(column, "chunks", [column])
    if str(column.type).startswith(("int", "uint", "float", "double")) and chunks and not column.null_count:
        arrays = [view_numbers(chunk, column.type.to_pandas_dtype()) for chunk in chunks]
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    array: np.ndarray = column.to_numpy()
    return array
