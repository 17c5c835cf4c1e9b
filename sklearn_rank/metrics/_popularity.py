"""How often each item is known or used, as callers give it: a number by item."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from .._checks.arrays import read_floats
from .._checks.containers import read_mapping
from .._checks.errors import fail
from ._list_rows import ListRows


class Popularity(Protocol):
    """A mapping or a pandas.Series of numbers by item."""

    def items(self) -> Iterable[tuple[Any, float]]: ...


RULE_OF_SHARES = "map each item id to the share of users who know it, in (0, 1]"
RULE_OF_NUMBERS = "map each item id to its popularity, a finite number >= 0"


def check_popularity(popularity: Any, function: str, rule: str) -> Any:
    """Return a mapping of item to number."""
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
        fail("popularity", rows.function, rule, f"nothing for {missing[0]!r}")
    return read_numbers_of([table[item] for item in items], rows.function, rule, most)


def read_numbers_of(values: list[Any], function: str, rule: str, most: float = np.inf) -> np.ndarray:
    """Check numbers of items: shares above 0 where there is a most, else any that are not negative."""
    numbers = read_floats(values, (len(values),), "popularity", function, rule)
    right = (numbers > 0) & (numbers <= most) if most < np.inf else (numbers >= 0) & (numbers < np.inf)
    if not right.all():
        fail("popularity", function, rule, numbers[~right][0])
    return numbers
