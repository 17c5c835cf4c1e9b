"""What stands beside labels and scores, where these are columns of a frame."""

from typing import Any

import numpy as np

from .._checks.errors import fail
from ..metrics import Given, Tables


def find_tables(
    function: str, data: Any, given: Given, cluster: Any, tables: Tables, in_memory: bool
) -> tuple[Given, Any, Tables]:
    """Return rows, clusters and what stands beside them: themselves, or the columns of a frame by name."""
    first = next(iter(tables.given()))
    if data is None and in_memory:
        return given, cluster, tables
    from ..distributed import is_frame, read_columns

    if not (in_memory and is_frame(data)):
        rule = "be None where rows come in batches, and with keep='moments': RankingEvaluator.update takes it"
        fail(first, function, rule, f"a {type(tables.given()[first]).__name__}")
    if given.groups is None:
        fail("groups", function, "name the column of query ids in 'data'", None)
    rows, cluster = read_columns(data, given, cluster, function)
    return rows, cluster, _read_tables(function, data, tables)


def _read_tables(function: str, data: Any, tables: Tables) -> Tables:
    """Replace names by the columns that have them."""
    items = _read_column(function, data, "items", tables.items)
    popularity = tables.popularity
    if isinstance(popularity, str):
        popularity = _by_item(function, items, _read_column(function, data, "popularity", popularity))
    return tables._replace(
        items=items,
        features=_read_matrix(function, data, "features", tables.features),
        popularity=popularity,
        intents=_read_matrix(function, data, "intents", tables.intents),
        owners=_read_column(function, data, "owners", tables.owners),
        strata=_read_column(function, data, "strata", tables.strata),
    )


def _read_matrix(function: str, data: Any, parameter: str, given: Any) -> Any:
    """Return the columns of a name or a list of names, side by side; anything else as it is."""
    names = [given] if isinstance(given, str) else given
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        return given
    if not names:
        fail(parameter, function, "name columns of 'data'", names)
    return np.column_stack([np.asarray(_read_column(function, data, parameter, name)) for name in names])


def _read_column(function: str, data: Any, parameter: str, name: Any) -> Any:
    """Return the column of a name; anything else as it is."""
    if not isinstance(name, str):
        return name
    known = list(data if isinstance(data, dict) else getattr(data, "column_names", data.columns))
    if name not in known:
        fail(parameter, function, f"name a column of 'data', {', '.join(map(str, known))}", repr(name))
    return data[name]


def _by_item(function: str, items: Any, numbers: Any) -> dict[Any, Any]:
    """Return the popularity of each item, which is the same in all its rows."""
    if items is None:
        fail("items", function, "be given with 'popularity' as a column of 'data'", None)
    pairs = zip(*(np.asarray(each).tolist() for each in (items, numbers)))
    found: dict[Any, Any] = {}
    for item, number in pairs:
        if found.setdefault(item, number) != number:
            rule = "be the same in all rows of an item"
            fail("popularity", function, rule, f"{found[item]!r} and {number!r} for {item!r}")
    return found
