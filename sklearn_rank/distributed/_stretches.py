"""Rows that stand together by query, cut where a query ends."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from .._checks.containers import read_column
from ..metrics import Given
from ._sources import RowGroup, Stored, open_parquet

TAIL = 2**16  # rows that are read at once to find where a query ends


class Share(NamedTuple):
    """Some of the row groups: the queries that begin there."""

    stored: Stored
    start: int
    stop: int


def iter_queries(tables: Iterator[Any], names: Given) -> Iterator[Given]:
    """Yield the columns of whole queries; what is left of a table waits for the next."""
    waiting: list[Any] = []  # of the last query
    for table in tables:
        ids = table[names.groups]
        start = _find_last(ids)
        if start == 0 and waiting and waiting[0][names.groups][0].as_py() == ids[0].as_py():
            waiting.append(table)
            continue
        if waiting or start:
            yield as_given([*waiting, table.slice(0, start)], names)
        waiting = [table.slice(start)]
    if waiting:
        yield as_given(waiting, names)


def _code(ids: Any) -> np.ndarray:
    """Return integers that are equal where ids are."""
    if str(ids.type).startswith(("int", "uint")) and not ids.null_count:
        return read_column(ids)
    encoded = ids.dictionary_encode().unify_dictionaries()
    return np.concatenate([read_column(chunk.indices.fill_null(-1)) for chunk in encoded.chunks])


def _find_last(ids: Any) -> int:
    """Return the first row of the last query."""
    codes = _code(ids)
    changes = np.flatnonzero(codes[1:] != codes[:-1])
    return int(changes[-1]) + 1 if len(changes) else 0


def _count_first(ids: Any, query: Any) -> int:
    """Return how many rows at the start are of a query."""
    if ids[0].as_py() != query:
        return 0
    codes = _code(ids)
    others = np.flatnonzero(codes != codes[0])
    return int(others[0]) if len(others) else len(codes)


def as_given(tables: list[Any], names: Given) -> Given:
    """Return columns as arrays; ids as Arrow holds them, where that is text."""
    table = import_module("pyarrow").concat_tables(tables)
    ids = table[names.groups]
    is_text = str(ids.type).startswith(("string", "large_string", "dictionary"))
    labels, scores, weights = (
        None if name is None else read_column(table[name])
        for name in (names.y_true, names.y_score, names.sample_weight)
    )
    return Given(labels, scores, ids if is_text else read_column(ids), weights)


def read_share(share: Share, names: Given, function: str) -> Iterator[Any]:
    """Yield the rows of the queries that begin in a share, the last of which may end beyond it."""
    stored, start, stop = share
    before = _read_last_id(stored.row_groups[:start], names)
    last = None
    for table in stored.read(slice(start, stop), names, function):
        ids = table[names.groups]
        n_before = 0 if before is None else _count_first(ids, before[0])
        if n_before < len(ids):
            before, last = None, (ids[-1].as_py(),)
            yield table.slice(n_before)
    if last is None:
        return
    for table in stored.read(slice(stop, None), names, function, TAIL):
        n_more = _count_first(table[names.groups], last[0])
        if n_more:
            yield table.slice(0, n_more)
        if n_more < table.num_rows:
            return


def _read_last_id(row_groups: tuple[RowGroup, ...], names: Given) -> tuple[Any] | None:
    """Return the id of the last row, if there is one."""
    for path, place, n_rows in reversed(row_groups):
        if n_rows:
            with open_parquet(path) as file:
                return (file.read_row_group(place, columns=[names.groups])[names.groups][-1].as_py(),)
    return None
