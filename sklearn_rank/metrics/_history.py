"""What users had before, as callers give it, beside their queries."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import ArrayLike
from ._by_id import is_by_id, show_index, take_by_id
from ._list_rows import ListRows, read_features
from ._unique_groups import take_ids, unique_groups

History: TypeAlias = Any  # (features, ids), or features by id
RULE = "be a tuple of features and ids, (X_past, users_past), or features by query id"
FIX = "Their order cannot be checked. Pass (features, ids), with the query id of each row."


class Past(NamedTuple):
    """Rows of the past that belong to a query."""

    features: Any  # of all rows
    rows: np.ndarray  # those that belong to a query
    codes: np.ndarray  # the query of each of these


def _is_pair(history: Any) -> bool:
    """Tell whether this is features and ids."""
    return isinstance(history, tuple) and len(history) == 2


def check_pair(history: Any, function: str) -> None:
    """Check what a scorer has of the past, of whatever queries it will see."""
    if not _is_pair(history):
        rule = "be a tuple of features and ids, (X_past, users_past): a scorer sees some of the queries"
        fail("history", function, rule, f"a {type(history).__name__}")


def read_history(rows: ListRows) -> Past:
    """Return features of the past, of the same kind as those of the items, and whose they are."""
    from scipy import sparse

    history, function, parameter = rows.tables.history, rows.function, rows.arguments["history"]
    ids = unique_groups(rows.groups)
    pair = _is_pair(history)
    if not (pair or is_by_id(history)):
        got = f"a {type(history).__name__} of one row per query{show_index(history)}"
        fail(parameter, function, RULE, got, FIX)
    given = history[0] if pair else take_by_id(history, ids, function, parameter)
    features = read_features(given, function, parameter)
    n_features = rows.features.shape[1]
    if features.shape[1] != n_features:
        fail(parameter, function, f"have the {n_features} features of the items", features.shape[1])
    if sparse.issparse(rows.features) and not sparse.issparse(features):
        features = sparse.csr_array(features)
    elif sparse.issparse(features) and not sparse.issparse(rows.features):
        features = features.toarray()
    places = rows.queries.by_id(np.arange(len(ids)))  # of each id, in the order of the ids
    if pair:
        return _match(features, history[1], ids, places, rows)
    return Past(features, np.arange(len(places)), places)


def _match(features: Any, of_rows: ArrayLike, ids: np.ndarray, places: np.ndarray, rows: ListRows) -> Past:
    """Find the query of each row of the past."""
    function, parameter = rows.function, rows.arguments["history"]
    check_same_order(function, **{parameter: rows.tables.history[0], f"ids of {parameter}": of_rows})
    codes = rank_ids(check_groups(of_rows, features.shape[0], function, parameter))
    names = take_ids(of_rows, np.unique(codes, return_index=True)[1])
    known = dict(zip(ids.tolist(), places.tolist()))
    found = np.array([known.get(name, -1) for name in names.tolist()])[codes]
    inside = np.flatnonzero(found >= 0)
    if not len(inside):
        got = f"{names.tolist()[0]!r}, and none of them"
        fail(parameter, function, "have ids of 'groups'", got)
    return Past(features, inside, found[inside])
