"""`evaluate` of rows that are read as they are scored."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .._checks.arrays import reuse_memory
from .._checks.containers import read_column
from .._checks.errors import fail
from .._checks.types import Ids, Table
from ..metrics import Given
from ..reports import RankingReport
from ._anywhere import evaluate_anywhere
from ._dask import evaluate_collection
from ._evaluator import RankingEvaluator
from ._sources import ReadingPlan, RowGroup, Stored, TableSource, as_given, open_parquet, open_source
from ._workers import count_tables, do_tasks, open_bar, read_ahead, share_out

TAIL = 2**16  # rows that are read at once to find where a query ends


def report_data(data: Table, plan: ReadingPlan) -> RankingReport:
    """Report rows that are read as they are scored."""
    reuse_memory()
    # A generator stays the caller's own, and is drawn from here.
    of_parts = plan._replace(make=partial(plan.make, random_state=None))
    if hasattr(data, "__dask_graph__"):
        evaluator = evaluate_collection(data, of_parts)
    else:
        source = open_source(data, plan.names)
        evaluator = (evaluate_together if plan.together else evaluate_anywhere)(source, of_parts)
    evaluator._settings = plan.make()._settings
    return _report(evaluator)


def report_moments_of(rows: Given, plan: ReadingPlan) -> RankingReport:
    """Report rows that are in memory, of which sums alone are kept."""
    return _report(plan.make(n_jobs=plan.n_jobs)._add_queries(rows))


def _report(evaluator: RankingEvaluator) -> RankingReport:
    if not evaluator._state.kept:
        fail("data", "have rows", "none")
    report = evaluator._report()
    assert isinstance(report, RankingReport)  # of one system
    return report


def evaluate_together(source: TableSource, plan: ReadingPlan) -> RankingEvaluator:
    """Score queries whose rows stand together; row groups of Parquet in several processes, if asked for."""
    n_workers, spans = share_out(source.sizes, plan.n_jobs)
    with open_bar(plan.progress, source.n_rows, "scoring") as count:
        if n_workers <= 2 or source.stored is None:
            whole = plan.make(n_jobs=plan.n_jobs if n_workers < 2 else 1)
            # One of two workers reads ahead: two processes take longer to start than that saves.
            tables = source.tables if n_workers < 2 else read_ahead(source.tables)
            for given in iter_queries(count_tables(tables, count), plan.names):
                whole._add_queries(given)
            return whole
        whole = plan.make()
        for found, n_done in do_tasks(partial(_score_share, source.stored, plan), spans, n_workers):
            whole._merge(found)
            count(n_done)
        return whole


def _score_share(stored: Stored, plan: ReadingPlan, span: tuple[int, int]) -> tuple[RankingEvaluator, int]:
    """Score the queries that begin in some row groups."""
    _called_as = "evaluate"  # in errors
    evaluator = plan.make(n_jobs=1)
    for given in iter_queries(read_share(stored, span, plan.names), plan.names):
        evaluator._add_queries(given)
    return evaluator, sum(each.n_rows for each in stored.row_groups[slice(*span)])


def iter_queries(tables: Iterator[Table], names: Given) -> Iterator[Given]:
    """Yield the columns of whole queries; what is left of a table waits for the next."""
    waiting: list[Any] = []  # of the last query
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
    if waiting:
        yield as_given(waiting, names)


def _code(ids: Ids) -> np.ndarray:
    """Return integers that are equal where ids are."""
    if str(ids.type).startswith(("int", "uint")) and not ids.null_count:
        return read_column(ids)
    encoded = ids.dictionary_encode().unify_dictionaries()
    return np.concatenate([read_column(chunk.indices.fill_null(-1)) for chunk in encoded.chunks])


def _count_first(ids: Ids, query: Any) -> int:
    """Return how many rows at the start are of a query."""
    if ids[0].as_py() != query:
        return 0
    codes = _code(ids)
    others = np.flatnonzero(codes != codes[0])
    return int(others[0]) if len(others) else len(codes)


def read_share(stored: Stored, span: tuple[int, int], names: Given) -> Iterator[Any]:
    """Yield the rows of the queries that begin in some row groups, the last of which may end beyond them."""
    start, stop = span
    before = _read_last_id(stored.row_groups[:start], names)
    last = None
    for table in stored.read(slice(start, stop), names):
        ids = table[names.groups]
        n_before = 0 if before is None else _count_first(ids, before[0])
        if n_before < len(ids):
            before, last = None, (ids[-1].as_py(),)
            yield table.slice(n_before)
    if last is None:
        return
    for table in stored.read(slice(stop, None), names, TAIL):
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
