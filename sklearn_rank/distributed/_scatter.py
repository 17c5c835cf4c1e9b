"""Rows scattered by the hash of their query id, so that those of a query fall into one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .._checks.containers import make_column, read_column
from ._sources import Plan

PIECE = 2**20  # rows that are scattered at once
MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio, made odd


class Bucket(NamedTuple):
    """Files with whole queries."""

    paths: tuple[str, ...]
    n_rows: int


class Scatter(NamedTuple):
    """Where rows go: into a file for each bucket. With another `seed` ids fall into others."""

    folder: str
    n_buckets: int
    seed: int = 0
    part: int = 0  # the number of these rows among others that are scattered alike

    def name_file(self, number: int) -> str:
        """Return the path of the file of a bucket."""
        return os.path.join(self.folder, f"{number:05d}-{self.part:05d}.arrow")


def scatter_tables(tables: Iterator[Any], scatter: Scatter, plan: Plan) -> dict[int, Bucket]:
    """Write rows into files; return those that have rows, by the number of the bucket."""
    n_rows = np.zeros(scatter.n_buckets, dtype=np.int64)
    paths: dict[int, str] = {}
    streams: dict[int, Any] = {}
    with ExitStack() as files:
        for table in tables:
            table = _decode(table, plan.names.groups)
            for start in range(0, table.num_rows, PIECE):
                for number, rows in _divide(table.slice(start, PIECE), scatter, plan):
                    with _say_where(scatter, plan):
                        if number not in streams:
                            paths[number] = scatter.name_file(number)
                            streams[number] = _open(files, paths[number], table.schema)
                        streams[number].write_table(rows)
                    n_rows[number] += rows.num_rows
        with _say_where(scatter, plan):
            for stream in streams.values():
                stream.close()
    return {number: Bucket((path,), int(n_rows[number])) for number, path in paths.items()}


def _divide(table: Any, scatter: Scatter, plan: Plan) -> Iterator[tuple[int, Any]]:
    """Yield the rows of each bucket, in their order."""
    buckets = _find_buckets(table[plan.names.groups], scatter)
    counts = np.bincount(buckets, minlength=scatter.n_buckets)
    starts = np.cumsum(counts) - counts
    places = make_column(np.argsort(buckets, kind="stable"))
    table = import_module("pyarrow.compute").take(table, places, boundscheck=False)
    for number in np.flatnonzero(counts).tolist():
        yield number, table.slice(starts[number], counts[number])


def _open(files: ExitStack, path: str, schema: Any) -> Any:
    file = files.enter_context(import_module("pyarrow").OSFile(path, "wb"))
    return import_module("pyarrow.ipc").new_stream(file, schema)


@contextmanager
def _say_where(scatter: Scatter, plan: Plan) -> Iterator[None]:
    """Say to whom cannot write where it is written."""
    try:
        yield
    except OSError as error:
        where = f"{plan.function} brings queries together in files of {scatter.folder!r}"
        raise OSError(f"{where}, which TMPDIR chooses, and cannot write them: {error}") from error


def read_bucket(bucket: Bucket) -> Any:
    """Return the rows of a bucket, in the order in which they came."""
    arrow = import_module("pyarrow")
    tables = []
    for path in bucket.paths:
        with arrow.OSFile(path) as file, import_module("pyarrow.ipc").open_stream(file) as stream:
            tables.append(stream.read_all())
    return arrow.concat_tables(tables)


def _decode(table: Any, name: Any) -> Any:
    """Return a table whose ids are no codes, which may differ from table to table."""
    kind = table[name].type
    if not str(kind).startswith("dictionary"):
        return table
    return table.set_column(table.column_names.index(name), name, table[name].cast(kind.value_type))


def _find_buckets(ids: Any, scatter: Scatter) -> np.ndarray:
    """Return the bucket of each id, as small integers, which are sorted fast."""
    # Knuth, "Sorting and searching", 1973, section 6.4: multiplication spreads ids; its highest bits decide.
    spread = _as_integers(ids) * np.uint64(MULTIPLIER + 2 * 10**9 * scatter.seed)
    spread >>= np.uint64(32)
    spread *= np.uint64(scatter.n_buckets)
    spread >>= np.uint64(32)
    return spread.astype(np.uint16)


def _as_integers(ids: Any) -> np.ndarray:
    """Return integers that are equal where ids are."""
    kind = str(ids.type)
    if not ids.null_count and kind.startswith(("int", "uint")):
        numbers = read_column(ids)
        return numbers.astype(np.uint64 if kind == "uint64" else np.int64).view(np.uint64)
    if not ids.null_count and kind in ("float", "double"):
        return (read_column(ids).astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    encoded = ids.combine_chunks().dictionary_encode()
    if hasattr(encoded, "chunks"):
        encoded = encoded.chunk(0)
    hashes = [crc32(str(each).encode(errors="surrogatepass")) for each in encoded.dictionary.to_pylist()]
    codes = read_column(encoded.indices.fill_null(len(hashes)))
    return np.array([*hashes, 0], dtype=np.uint64)[codes]
