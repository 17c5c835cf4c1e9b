"""Rows of a query that may be anywhere: they go into files that hold whole queries, which are then scored."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryDirectory

from ._evaluator import RankingEvaluator
from ._scatter import Bucket, Scatter, read_bucket, scatter_tables
from ._sources import Plan, Source, Stored
from ._stretches import as_given
from ._workers import count_tables, count_workers, do_tasks, open_bar, share_out

MEMORY = 2**27  # bytes for the rows that are scored at once
SIZE_OF_ROW = 126  # bytes that scoring one takes, at most
MOST_FILES = 256  # that are open at once
UNKNOWN = 64  # files where nobody knows how many rows come


def evaluate_anywhere(source: Source, plan: Plan) -> RankingEvaluator:
    """Score queries whose rows may be anywhere; those of each stay in their order."""
    with TemporaryDirectory(prefix="sklearn_rank-") as folder:
        buckets = _scatter_source(source, plan, folder)
        return _score([part for each in buckets for part in _split(each, plan)], plan)


def _scatter_source(source: Source, plan: Plan, folder: str) -> list[Bucket]:
    """Write all rows into files, by several processes where Parquet is read."""
    n_rows = source.n_rows
    n_workers, spans = share_out(source.sizes, plan.n_jobs)
    n_files = UNKNOWN if n_rows is None else max(n_workers, _count_files(n_rows, plan))
    scatter = Scatter(folder, n_files)
    with open_bar(plan.progress, n_rows, "bringing queries together") as count:
        if n_workers < 2 or source.stored is None:
            return list(scatter_tables(count_tables(source.tables, count), scatter, plan).values())
        work = partial(_scatter_stored, stored=source.stored, scatter=scatter, plan=plan)
        pieces: dict[int, list[Bucket]] = defaultdict(list)
        for found in do_tasks(work, list(enumerate(spans)), n_workers):
            count(sum(each.n_rows for each in found.values()))
            for number, bucket in found.items():
                pieces[number].append(bucket)
    return [_join(each) for each in pieces.values()]


def _scatter_stored(
    task: tuple[int, tuple[int, int]], *, stored: Stored, scatter: Scatter, plan: Plan
) -> dict[int, Bucket]:
    """Write the rows of some row groups into files of their own."""
    number, span = task
    tables = stored.read(slice(*span), plan.names, plan.function)
    return scatter_tables(tables, scatter._replace(part=number), plan)


def _join(pieces: list[Bucket]) -> Bucket:
    """Return the files of one bucket in the order of their rows."""
    paths = sorted(path for each in pieces for path in each.paths)
    return Bucket(tuple(paths), sum(each.n_rows for each in pieces))


def _count_files(n_rows: int, plan: Plan) -> int:
    """Return into how many files rows go, so that each can be scored at once."""
    return max(1, min(MOST_FILES, -int(-n_rows * SIZE_OF_ROW // (plan.max_memory or MEMORY))))


def _split(bucket: Bucket, plan: Plan, seed: int = 1) -> Iterator[Bucket]:
    """Divide what is more than twice as large as was meant, unless it is one query."""
    n_files = _count_files(bucket.n_rows, plan)
    if n_files <= 2:
        yield bucket
        return
    folder = os.path.join(os.path.dirname(bucket.paths[0]), f"{os.path.basename(bucket.paths[0])}-divided")
    os.mkdir(folder)
    parts = scatter_tables(iter([read_bucket(bucket)]), Scatter(folder, n_files, seed), plan)
    for path in bucket.paths:
        os.remove(path)
    for part in parts.values():
        if len(parts) == 1:
            yield part
        else:
            yield from _split(part, plan, seed + 1)


def _score(buckets: list[Bucket], plan: Plan) -> RankingEvaluator:
    """Score all buckets, in several processes if asked for."""
    n_rows = sum(each.n_rows for each in buckets)
    n_workers = count_workers(plan.n_jobs, len(buckets), n_rows)
    of_all = len(buckets) if plan.keep == "moments" else None
    work = partial(_score_bucket, n_buckets=of_all, plan=plan, n_jobs=plan.n_jobs if n_workers < 2 else 1)
    whole = None
    with open_bar(plan.progress, n_rows, "scoring") as count:
        for found, n_done in do_tasks(work, list(enumerate(buckets)), n_workers):
            whole = found if whole is None else whole._merge(found, plan.function)
            count(n_done)
    return plan.make() if whole is None else whole


def _score_bucket(
    task: tuple[int, Bucket], *, n_buckets: int | None, plan: Plan, n_jobs: int | None
) -> tuple[RankingEvaluator, int]:
    """Score the queries of a bucket; its number tells moments that no other has them."""
    number, bucket = task
    partition = None if n_buckets is None else (number, n_buckets)
    evaluator = plan.make(partition=partition, n_jobs=n_jobs)
    given = as_given([read_bucket(bucket)], plan.names)
    for path in bucket.paths:
        os.remove(path)
    return evaluator._add_queries(given, plan.function), bucket.n_rows
