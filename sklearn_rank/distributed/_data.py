"""Whole queries of data that are read in batches, and partitions of Dask."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from .._checks.arrays import reuse_memory
from .._checks.containers import read_column
from .._checks.errors import fail, kind_of
from .._checks.options import count_jobs
from .._checks.outputs import open_bar
from .._checks.types import Ids, Table
from ..metrics import Given
from . import _sources
from ._sources import as_given, check_names, list_wanted, open_source


def read_queries(data: Table, names: Given, n_jobs: int | None, progress: bool) -> Iterator[Given]:
    """Yield the columns of whole queries; with several jobs, a thread reads ahead in Parquet files."""
    reuse_memory()
    source = open_source(data, names)
    is_ahead = source.n_rows is not None and n_jobs is not None and count_jobs(n_jobs) > 1
    tables = _read_ahead(source.tables) if is_ahead else source.tables
    with open_bar("RankingEvaluator.read", progress, source.n_rows, "rows") as count:
        for given in iter_queries(tables, names):
            yield given
            count(len(given.groups))


def iter_queries(tables: Iterator[Table], names: Given) -> Iterator[Given]:
    """Yield the columns of whole queries: all rows if they are few, otherwise adjacent rows of queries."""
    first: list[Any] = []
    n_rows = 0
    while n_rows < _sources.BATCH:
        if (table := next(tables, None)) is None:
            if first:
                yield as_given(first, names)
            return
        first.append(table)
        n_rows += table.num_rows
    tables = chain((first.pop(0) for _ in range(len(first))), tables)  # frees the rows that were read
    waiting: list[Any] = []  # rows of the last query, which can continue in the next table
    for table in tables:
        ids = table[names.groups]
        codes = _code(ids)
        changes = np.flatnonzero(codes[1:] != codes[:-1])
        start = int(changes[-1]) + 1 if len(changes) else 0  # of the last query
        if start == 0 and waiting and waiting[0][names.groups][0].as_py() == ids[0].as_py():
            waiting.append(table)
            continue
        if waiting or start:
            yield as_given([*waiting, table.slice(0, start)], names)
        waiting = [table.slice(start)]
    yield as_given(waiting, names)


def _code(ids: Ids) -> np.ndarray:
    """Return integers that are equal for equal ids."""
    if str(ids.type).startswith(("int", "uint")) and not ids.null_count:
        return read_column(ids)
    encoded = ids.dictionary_encode().unify_dictionaries()
    return np.concatenate([read_column(chunk.indices.fill_null(-1)) for chunk in encoded.chunks])


def _read_ahead(tables: Iterator[Table]) -> Iterator[Any]:
    """Yield tables while the next one is read."""
    from concurrent.futures import ThreadPoolExecutor  # takes long to import

    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, tables, None)
        while (table := following.result()) is not None:
            following = reader.submit(next, tables, None)
            yield table


# ---------------------------------------------------------------------------- Dask

FAN_IN = 8  # results that one task merges


def score_partitions(
    data: Table, names: Given, score: Callable[[Given, int], Any], merge: Callable[[list[Any]], Any]
) -> Any:
    """Score each partition of a Dask DataFrame with its number, and merge the results."""
    columns, by_index = _select(data, names)
    parts = columns.optimize().to_delayed()  # this can join partitions if few columns are read
    delayed = import_module("dask").delayed
    score_part = delayed(partial(_score_partition, names=names, by_index=by_index, score=score), pure=False)
    merge_some = delayed(merge, pure=False)
    results = [score_part(part, number) for number, part in enumerate(parts)]
    while len(results) > 1:
        results = [merge_some(results[start : start + FAN_IN]) for start in range(0, len(results), FAN_IN)]
    return results[0].compute()


def _select(data: Table, names: Given) -> tuple[Any, bool]:
    """Return the needed columns, and whether ids are the index."""
    try:
        frames = import_module("dask.dataframe")
    except ImportError as error:
        needed = "evaluate needs dask.dataframe for data of Dask: pip install 'sklearn-rank[dask]'"
        raise ImportError(needed) from error
    if not isinstance(data, frames.DataFrame):
        fail("data", "be a DataFrame if it is a collection of Dask", kind_of(data))
    by_index = names.groups not in list(data.columns) and names.groups == data.index.name
    names = names._replace(groups=None) if by_index else names
    check_names(list(data.columns), names.columns())
    return data[list_wanted(names)], by_index


def _score_partition(
    frame: Table, number: int, *, names: Given, by_index: bool, score: Callable[[Given, int], Any]
) -> Any:
    """Score the rows of a partition, which are sorted by query."""
    frame = frame.reset_index() if by_index else frame
    return score(names.map(frame.__getitem__), number)
