"""The items of each user in lists, flattened to arrays."""

from collections.abc import Mapping, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import is_sparse, read_list
from .._checks.codes import MISSING_TYPES, as_array, flatten_array
from .._checks.errors import fail
from .._checks.types import Table
from ._entries import show_id
from ._mismatch import fix_order
from ._run_objects import read_column

LISTS_RULE = "contain a list of items per user"
LISTS_FIX = "Pass one list for each user, such as [['a', 'b'], []]."


class UserItems(NamedTuple):
    """The items of all users, concatenated."""

    users: np.ndarray  # index of the user of each item
    items: np.ndarray  # item ids
    grades: np.ndarray


def flatten_lists(name: str, lists: Any, users: list[Any] | None, padding: object) -> UserItems:
    """Flatten the lists of all users, without padding and missing items."""
    grades = None
    if isinstance(lists, np.ndarray) and lists.ndim == 2:
        user_of, items = np.repeat(np.arange(len(lists)), lists.shape[1]), lists.ravel()
    else:
        of_users = lists if users is None else [lists.get(user, ()) for user in users]
        given = read_list(of_users, name, LISTS_RULE, LISTS_FIX)
        plain = {list, tuple} if name == "recommended" else {list, tuple, set, frozenset, dict}
        kinds = set(map(type, given))
        rows = given if kinds <= plain else [_check_row(name, row) for row in given]
        user_of = np.repeat(np.arange(len(rows)), np.fromiter(map(len, rows), np.int64, len(rows)))
        # Bytes cannot be compared with padding.
        items = flatten_array(rows) if padding is None else as_array(list(chain.from_iterable(rows)))
        if any(issubclass(kind, Mapping) for kind in kinds):
            grades = _read_grades(name, rows, users)
    kept = ~_is_missing(items, padding)
    if not kept.all():
        if name == "recommended":
            _check_holes(user_of, items, kept, users)
        user_of, items = user_of[kept], items[kept]
    return UserItems(user_of, items, np.broadcast_to(1.0, len(items)) if grades is None else grades[kept])


def _check_holes(user_of: np.ndarray, items: np.ndarray, kept: np.ndarray, users: list[Any] | None) -> None:
    """Check that no item follows padding, because its rank would change."""
    holes = np.flatnonzero(~kept[:-1] & kept[1:] & (user_of[:-1] == user_of[1:]))
    if len(holes):
        before, item = items[holes[0] : holes[0] + 2].tolist()
        got = f"{show_id(before)} before {show_id(item)} for user {name_user(user_of[holes[0]], users)}"
        fail("recommended", "have padding only at the end of a list", got)


def name_user(user: int, users: list[Any] | None) -> str:
    return show_id(int(user) if users is None else users[user])


def _check_row(name: str, row: object) -> Any:
    """Check one user's items. Recommended items need an order; relevant items can have grades."""
    if is_sparse(row):  # some sparse types are mappings
        fail(name, LISTS_RULE, type(row).__name__, "Pass the column numbers, matrix[row].indices.")
    if name == "recommended" and isinstance(row, Mapping | Set):
        fail(name, "contain a list of items per user, best first", type(row).__name__, fix_order())
    if isinstance(row, np.ndarray) and row.ndim:
        return row.tolist()
    return (
        row if isinstance(row, list | tuple | Mapping | Set) else read_list(row, name, LISTS_RULE, LISTS_FIX)
    )


def _read_grades(name: str, rows: list[Table], users: list[Any] | None) -> np.ndarray:
    """Return the grade of each item; a user without items can have any empty collection."""
    if any(len(row) and not isinstance(row, Mapping) for row in rows):
        rule = "contain a mapping of item to grade for every user or for no user"
        fail(name, rule, "mappings and other collections")
    grades = [grade for row in rows if len(row) for grade in row.values()]
    values = read_column(as_array(grades), "grades", name)
    bad = (values < 0) | np.isinf(values)
    if bad.any():
        graded = [(user, row) for user, row in zip(users or range(len(rows)), rows) if len(row)]
        places = [(user, *pair) for user, row in graded for pair in row.items()]
        user, item, grade = places[int(bad.argmax())]
        got = f"{grade!r} for item {show_id(item)} of user {show_id(user)}"
        fix = "For an item that was not judged, pass float('nan')."
        fail(name, "have finite, non-negative grades", got, fix)
    return values


def _is_missing(items: np.ndarray, padding: object) -> np.ndarray:
    """Return a mask of the items that are padding, None, NaN or NA."""
    if items.dtype == object:
        given = items.tolist()
        marks = [type(item).__name__ in MISSING_TYPES or not _equals(item, item, True) for item in given]
        missing = np.array(marks, dtype=bool)
    else:
        missing = items != items if items.dtype.kind in "fcmM" else np.zeros(len(items), dtype=bool)
    if padding is None:
        return missing
    given = list(items) if items.dtype.kind == "m" else items.tolist()
    return missing | np.array([_equals(item, padding, False) for item in given], dtype=bool)


def _equals(item: object, other: object, otherwise: bool) -> bool:
    """Return whether ids are equal; `otherwise` if the comparison fails (they are rejected later)."""
    if isinstance(item, np.timedelta64) != isinstance(other, np.timedelta64):  # numpy would convert 1
        return False
    try:
        return bool(item == other)
    except Exception:
        return otherwise
