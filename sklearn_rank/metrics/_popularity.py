"""How often each item is known or used, as callers give it: a number by item."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Protocol

import numpy as np

from .._checks.arrays import read_floats
from .._checks.containers import read_mapping
from .._checks.errors import fail, spell_id
from ._by_id import check_index
from ._list_rows import ListRows


class Popularity(Protocol):
    """A mapping or a pandas.Series of numbers by item."""

    def items(self) -> Iterable[tuple[Any, float]]: ...


RULE_OF_SHARES = "map each item id to the share of users who know it, in (0, 1]"
RULE_OF_NUMBERS = "map each item id to its popularity, a finite number >= 0"
OF_UNSEEN = (
    "The novelty of an item that nobody has seen is infinite. Smooth the shares of all items: "
    "(n_users_of_item + 1) / (n_users + 1)."
)
OF_COUNTS = "Divide numbers of users by the number of all users."


def check_popularity(popularity: Any, function: str, rule: str) -> Any:
    """Return a mapping of item to number."""
    check_index(popularity, function, "popularity", "item")
    table = read_mapping(popularity, "popularity", function)
    if not isinstance(table, Mapping):
        fail("popularity", function, rule, type(popularity).__name__)
    return table


def read_popularity(rows: ListRows, rule: str = RULE_OF_NUMBERS, most: float = np.inf) -> np.ndarray:
    """Look the numbers of the items up."""
    table, (_, items) = check_popularity(rows.tables.popularity, rows.function, rule), rows.items
    try:
        missing = [item for item in items if item not in table]
    except Exception as error:
        fail("popularity", rows.function, rule, f"what cannot be looked up ({error})")
    if missing:
        _refuse_missing(missing[0], table, rows.function, rule, most)
    return read_numbers_of({item: table[item] for item in items}, rows.function, rule, most)


def _refuse_missing(item: Any, table: Mapping[Any, Any], function: str, rule: str, most: float) -> NoReturn:
    """Raise an error for an item without a number: its id has another type, or it is unseen."""
    alike = next((each for each in table if type(each) is not type(item) and str(each) == str(item)), None)
    if alike is not None:
        kinds = f"{type(alike).__name__} there and {type(item).__name__} in the rows"
        fix = f"Convert the ids to one type: {spell_id(alike)} is {kinds}."
    elif most < np.inf:
        fix = OF_UNSEEN
    else:
        fix = "Give items that nobody has used the popularity 0."
    fail("popularity", function, rule, f"no number for the item {spell_id(item)}", fix)


def read_numbers_of(
    numbers_of: Mapping[Any, Any], function: str, rule: str, most: float = np.inf
) -> np.ndarray:
    """Check numbers of items: shares above 0 where there is a most, else any that are not negative."""
    values = list(numbers_of.values())
    numbers = read_floats(values, (len(values),), "popularity", function, rule)
    right = (numbers > 0) & (numbers <= most) if most < np.inf else (numbers >= 0) & (numbers < np.inf)
    if not right.all():
        first = int(np.argmin(right))
        of_shares = OF_UNSEEN if numbers[first] == 0 else OF_COUNTS * bool(numbers[first] > most)
        got = f"{numbers[first]:g} for the item {spell_id(list(numbers_of)[first])}"
        fail("popularity", function, rule, got, of_shares if most < np.inf else "")
    return numbers
