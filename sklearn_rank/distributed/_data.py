"""`evaluate` of columns by name: of frames, and of rows that are read as they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .._checks.arrays import reuse_memory
from .._checks.errors import fail
from ..metrics import Given
from ..reports import RankingReport
from ._anywhere import evaluate_anywhere
from ._dask import evaluate_collection
from ._evaluator import RankingEvaluator
from ._sources import Plan, Source, check_names, open_source
from ._stretches import Share, iter_queries, read_share
from ._workers import count_tables, do_tasks, open_bar, read_ahead, share_out


def is_frame(data: Any) -> bool:
    """Tell whether this is in memory: columns by name."""
    # A query of DuckDB has columns too, which are no arrays: its rows are fetched.
    if hasattr(data, "__dask_graph__") or hasattr(data, "fetchall"):
        return False
    return isinstance(data, Mapping) or all(
        hasattr(data, name) for name in ("__len__", "__getitem__", "columns")
    )


def read_columns(data: Any, names: Given, cluster: Any, function: str) -> tuple[Given, Any]:
    """Return the columns of a frame, and that of clusters."""
    known = list(data if isinstance(data, Mapping) else getattr(data, "column_names", data.columns))
    asked = {**names._asdict(), "cluster": cluster}
    check_names(known, asked, function)
    found = {key: None if name is None else data[name] for key, name in asked.items()}
    return Given(*(found[key] for key in Given._fields)), found["cluster"]


def report_data(data: Any, plan: Plan) -> RankingReport:
    """Report rows that are read as they are scored."""
    reuse_memory()
    # A generator stays the caller's own, and is drawn from here.
    of_parts = plan._replace(make=partial(plan.make, random_state=None))
    if hasattr(data, "__dask_graph__"):
        evaluator = evaluate_collection(data, of_parts)
    else:
        source = open_source(data, plan.names, plan.function)
        evaluator = (evaluate_together if plan.together else evaluate_anywhere)(source, of_parts)
    evaluator._settings = plan.make()._settings
    return _report(evaluator, plan.function)


def report_moments_of(rows: Given, plan: Plan) -> RankingReport:
    """Report rows that are in memory, of which sums alone are kept."""
    return _report(plan.make(n_jobs=plan.n_jobs)._add_queries(rows, plan.function), plan.function)


def _report(evaluator: RankingEvaluator, function: str) -> RankingReport:
    if not evaluator._state.kept:
        fail("data", function, "have rows", "none")
    report = evaluator._report(function)
    assert isinstance(report, RankingReport)  # of one system
    return report


def evaluate_together(source: Source, plan: Plan) -> RankingEvaluator:
    """Score queries whose rows stand together; row groups of Parquet in several processes, if asked for."""
    n_workers, spans = share_out(source.sizes, plan.n_jobs)
    with open_bar(plan.progress, source.n_rows, "scoring") as count:
        if n_workers <= 2 or source.stored is None:
            whole = plan.make(n_jobs=plan.n_jobs if n_workers < 2 else 1)
            # One of two workers reads ahead: two processes take longer to start than that saves.
            tables = source.tables if n_workers < 2 else read_ahead(source.tables)
            for given in iter_queries(count_tables(tables, count), plan.names):
                whole._add_queries(given, plan.function)
            return whole
        whole = plan.make()
        shares = [Share(source.stored, *span) for span in spans]
        for found, n_done in do_tasks(partial(_score_share, plan=plan), shares, n_workers):
            whole._merge(found, plan.function)
            count(n_done)
        return whole


def _score_share(share: Share, plan: Plan) -> tuple[RankingEvaluator, int]:
    """Score the queries that begin in some row groups."""
    evaluator = plan.make(n_jobs=1)
    for given in iter_queries(read_share(share, plan.names, plan.function), plan.names):
        evaluator._add_queries(given, plan.function)
    return evaluator, sum(each.n_rows for each in share.stored.row_groups[share.start : share.stop])
