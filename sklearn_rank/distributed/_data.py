"""`evaluate` of data that is read in batches; unsorted rows are first grouped by query in files."""

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .._checks.arrays import reuse_memory
from .._checks.containers import make_column, read_column
from .._checks.errors import fail
from .._checks.types import Ids, Table
from ..metrics import Given
from ..reports import RankingReport
from ._dask import evaluate_collection
from ._evaluator import RankingEvaluator
from ._sources import ReadingPlan, RowGroup, Stored, TableSource, as_given, open_parquet, open_source
from ._workers import count_tables, count_workers, do_tasks, open_bar, read_ahead, share_out

MEMORY = 2**27  # bytes for rows to score at once
SIZE_OF_ROW = 126  # maximum bytes to score a row
MOST_FILES = 256  # to open at once
UNKNOWN = 64  # number of files if the number of rows is unknown
PIECE = 2**20  # rows to scatter at once
MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, made odd


class Bucket(NamedTuple):
    """Files that contain whole queries."""

    paths: tuple[str, ...]
    n_rows: int


class Scatter(NamedTuple):
    """The target of rows: a file for each bucket. The `seed` determines the bucket of an id."""

    folder: str
    n_buckets: int
    seed: int = 0
    part: int = 0  # the number of these rows among parts with the same buckets


def evaluate_anywhere(source: TableSource, plan: ReadingPlan) -> RankingEvaluator:
    """Score queries whose rows are in any order; keep the order within queries."""
    with TemporaryDirectory(prefix="sklearn_rank-") as folder:
        try:
            parts = [part for each in _scatter_source(source, plan, folder) for part in _split(each, plan)]
        except OSError as error:
            where = (
                f"evaluate groups rows by query in temporary files in {folder!r} (set TMPDIR to change it)"
            )
            raise OSError(f"{where}: {error}") from error
        return _score(parts, plan)


def _scatter_source(source: TableSource, plan: ReadingPlan, folder: str) -> list[Bucket]:
    """Write all rows into files; use several processes for Parquet."""
    n_rows = source.n_rows
    n_workers, spans = share_out(source.sizes, plan.n_jobs)
    scatter = Scatter(folder, UNKNOWN if n_rows is None else max(n_workers, _count_files(n_rows, plan)))
    with open_bar(plan.progress, n_rows, "grouping rows by query") as count:
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
    task: tuple[int, tuple[int, int]], *, stored: Stored, scatter: Scatter, plan: ReadingPlan
) -> dict[int, Bucket]:
    """Write the rows of some row groups into separate files."""
    _called_as = "evaluate"  # in errors
    number, span = task
    return scatter_tables(stored.read(slice(*span), plan.names), scatter._replace(part=number), plan)


def _join(pieces: list[Bucket]) -> Bucket:
    """Join the files of one bucket, in the order of their rows."""
    paths = sorted(path for each in pieces for path in each.paths)
    return Bucket(tuple(paths), sum(each.n_rows for each in pieces))


def _count_files(n_rows: int, plan: ReadingPlan) -> int:
    """Return the number of files, so that each can be scored at once."""
    return max(1, min(MOST_FILES, -int(-n_rows * SIZE_OF_ROW // MEMORY)))


def _split(bucket: Bucket, plan: ReadingPlan, seed: int = 1) -> Iterator[Bucket]:
    """Divide buckets of more than twice the intended size, except single queries."""
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


def _score(buckets: list[Bucket], plan: ReadingPlan) -> RankingEvaluator:
    """Score all buckets, in `n_jobs` processes."""
    n_rows = sum(each.n_rows for each in buckets)
    n_workers = count_workers(plan.n_jobs, len(buckets), n_rows)
    of_all = None if plan.keep_queries else len(buckets)
    work = partial(_score_bucket, n_buckets=of_all, plan=plan, n_jobs=plan.n_jobs if n_workers < 2 else 1)
    whole = None
    with open_bar(plan.progress, n_rows, "scoring") as count:
        for found, n_done in do_tasks(work, list(enumerate(buckets)), n_workers):
            whole = found if whole is None else whole._merge(found)
            count(n_done)
    return plan.make() if whole is None else whole


def _score_bucket(
    task: tuple[int, Bucket], *, n_buckets: int | None, plan: ReadingPlan, n_jobs: int | None
) -> tuple[RankingEvaluator, int]:
    """Score the queries of a bucket; for moments, its number is the `partition`."""
    _called_as = "evaluate"  # in errors
    number, bucket = task
    evaluator = plan.make(partition=None if n_buckets is None else (number, n_buckets), n_jobs=n_jobs)
    given = as_given([read_bucket(bucket)], plan.names)
    for path in bucket.paths:
        os.remove(path)
    return evaluator._add_queries(given), bucket.n_rows


def scatter_tables(tables: Iterator[Table], scatter: Scatter, plan: ReadingPlan) -> dict[int, Bucket]:
    """Write rows into files; return the buckets with rows, by number."""
    n_rows = np.zeros(scatter.n_buckets, dtype=np.int64)
    paths: dict[int, str] = {}
    streams: dict[int, Any] = {}
    with ExitStack() as files:
        for table in tables:
            table = _decode(table, plan.names.groups)
            for start in range(0, table.num_rows, PIECE):
                for number, rows in _divide(table.slice(start, PIECE), scatter, plan):
                    if number not in streams:
                        paths[number] = os.path.join(scatter.folder, f"{number:05d}-{scatter.part:05d}.arrow")
                        file = files.enter_context(import_module("pyarrow").OSFile(paths[number], "wb"))
                        streams[number] = import_module("pyarrow.ipc").new_stream(file, table.schema)
                    streams[number].write_table(rows)
                    n_rows[number] += rows.num_rows
        for stream in streams.values():
            stream.close()
    return {number: Bucket((path,), int(n_rows[number])) for number, path in paths.items()}


def _divide(table: Table, scatter: Scatter, plan: ReadingPlan) -> Iterator[tuple[int, Any]]:
    """Yield the rows of each bucket, in their order."""
    buckets = _find_buckets(table[plan.names.groups], scatter)
    counts = np.bincount(buckets, minlength=scatter.n_buckets)
    starts = np.cumsum(counts) - counts
    places = make_column(np.argsort(buckets, kind="stable"))
    table = import_module("pyarrow.compute").take(table, places, boundscheck=False)
    for number in np.flatnonzero(counts).tolist():
        yield number, table.slice(starts[number], counts[number])


def read_bucket(bucket: Bucket) -> Any:
    """Return the rows of a bucket, in their original order."""
    arrow = import_module("pyarrow")
    tables = []
    for path in bucket.paths:
        with arrow.OSFile(path) as file, import_module("pyarrow.ipc").open_stream(file) as stream:
            tables.append(stream.read_all())
    return arrow.concat_tables(tables)


def _decode(table: Table, name: object) -> Any:
    """Return a table with decoded ids, because codes can differ between tables."""
    kind = table[name].type
    if not str(kind).startswith("dictionary"):
        return table
    return table.set_column(table.column_names.index(name), name, table[name].cast(kind.value_type))


def _find_buckets(ids: Ids, scatter: Scatter) -> np.ndarray:
    """Return the bucket of each id as a small integer, which is fast to sort."""
    # Knuth, "Sorting and searching", 1973, section 6.4: multiplication spreads ids; use its highest bits.
    spread = _as_integers(ids) * np.uint64(MULTIPLIER + 2 * 10**9 * scatter.seed)
    spread >>= np.uint64(32)
    spread *= np.uint64(scatter.n_buckets)
    spread >>= np.uint64(32)
    return spread.astype(np.uint16)


def _as_integers(ids: Ids) -> np.ndarray:
    """Return integers that are equal for equal ids."""
    kind = str(ids.type)
    if not ids.null_count and kind.startswith(("int", "uint")):
        return read_column(ids).astype(np.uint64 if kind == "uint64" else np.int64).view(np.uint64)
    if not ids.null_count and kind in ("float", "double"):
        return (read_column(ids).astype(np.float64) + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    encoded = ids.combine_chunks().dictionary_encode()
    if hasattr(encoded, "chunks"):
        encoded = encoded.chunk(0)
    hashes = [crc32(str(each).encode(errors="surrogatepass")) for each in encoded.dictionary.to_pylist()]
    return np.array([*hashes, 0], dtype=np.uint64)[read_column(encoded.indices.fill_null(len(hashes)))]


TAIL = 2**16  # rows to read at once to find the end of a query


def report_data(data: Table, plan: ReadingPlan) -> RankingReport:
    """Report data that is read in batches."""
    reuse_memory()
    # Evaluators get no random state; only this process draws from the caller's generator.
    of_parts = plan._replace(make=partial(plan.make, random_state=None))
    if hasattr(data, "__dask_graph__"):
        evaluator = evaluate_collection(data, of_parts)
    else:
        source = open_source(data, plan.names)
        evaluator = (evaluate_together if plan.rows_adjacent else evaluate_anywhere)(source, of_parts)
    evaluator._settings = plan.make()._settings
    return _report(evaluator)


def report_moments_of(rows: Given, plan: ReadingPlan) -> RankingReport:
    """Report rows in memory, keeping only sums."""
    return _report(plan.make(n_jobs=plan.n_jobs)._add_queries(rows))


def _report(evaluator: RankingEvaluator) -> RankingReport:
    if not evaluator._state.kept:
        fail("data", "have rows", "no rows")
    report = evaluator._report()
    assert isinstance(report, RankingReport)  # there is one system
    return report


def evaluate_together(source: TableSource, plan: ReadingPlan) -> RankingEvaluator:
    """Score queries with consecutive rows; use `n_jobs` processes for row groups of Parquet."""
    n_workers, spans = share_out(source.sizes, plan.n_jobs)
    with open_bar(plan.progress, source.n_rows, "scoring") as count:
        if n_workers <= 2 or source.stored is None:
            whole = plan.make(n_jobs=plan.n_jobs if n_workers < 2 else 1)
            # With two workers, one reads ahead: starting two processes would take longer.
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
    """Yield the columns of whole queries; keep the last query for the next table."""
    waiting: list[Any] = []  # rows of the last query
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
    """Return integers that are equal for equal ids."""
    if str(ids.type).startswith(("int", "uint")) and not ids.null_count:
        return read_column(ids)
    encoded = ids.dictionary_encode().unify_dictionaries()
    return np.concatenate([read_column(chunk.indices.fill_null(-1)) for chunk in encoded.chunks])


def _count_first(ids: Ids, query: object) -> int:
    """Count the first rows that belong to a query."""
    if ids[0].as_py() != query:
        return 0
    codes = _code(ids)
    others = np.flatnonzero(codes != codes[0])
    return int(others[0]) if len(others) else len(codes)


def read_share(stored: Stored, span: tuple[int, int], names: Given) -> Iterator[Any]:
    """Yield the rows of the queries that begin in some row groups, up to the end of the last query."""
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
    """Return the id of the last row, if any."""
    for path, place, n_rows in reversed(row_groups):
        if n_rows:
            with open_parquet(path) as file:
                return (file.read_row_group(place, columns=[names.groups])[names.groups][-1].as_py(),)
    return None
