"""Sources of rows: consecutive Arrow tables with the needed columns."""

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from .._checks.containers import read_column
from .._checks.errors import fail, kind_of, shorten
from .._checks.types import Arguments, Options, Table, Values
from ..metrics import Given

BATCH = 2**20  # rows to read at once; fewer rows are read whole, in any order
FRAMES = ("keys", "__arrow_c_stream__", "__arrow_c_array__")  # a frame in an iterator has one
FORMS = (
    "be a frame, a Parquet file, a folder or list of Parquet files, a dataset or reader of pyarrow, an "
    "object with __arrow_c_stream__, a LazyFrame of polars, or an iterator of frames"
)


class TableSource(NamedTuple):
    """Tables with rows, and their total number of rows if it is known, as for Parquet files."""

    tables: Iterator[Table]
    n_rows: int | None = None


def open_source(data: Table, names: Given) -> TableSource:
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        got, fix = kind_of(data), "To read other data, install pyarrow: pip install pyarrow."
        fail("data", "be a frame in memory if pyarrow is not installed", got, fix)
    paths = data if isinstance(data, list | tuple) and data else [data]
    if all(isinstance(each, str) or hasattr(each, "__fspath__") for each in paths):
        return _open_files([file for path in paths for file in _list_files(os.fspath(path))], names)
    return TableSource(_gather(_select(_read_any(arrow, data, names), None, names)))


def check_names(known: Sequence[Any], names: Arguments) -> None:
    """Check that data has the columns of these names."""
    for parameter, name in names.items():
        if name is not None and not (_is_name(name) and name in known):
            shown = shorten(", ".join(map(repr, known)), 150) or "none"
            got = repr(name) if _is_name(name) else kind_of(name)
            fail(parameter, "name a column of 'data'", got, f"Its columns are {shown}.")


def _is_name(name: object) -> bool:
    """Return whether a value can be the name of a column, and is not a column itself."""
    return isinstance(name, str | int | tuple) and not isinstance(name, bool)


def list_wanted(names: Given) -> list[Any]:
    """List the columns to read, without duplicates."""
    return list(dict.fromkeys(name for name in names.columns().values() if name is not None))


def _select(tables: Iterator[Table], schema: object, names: Given) -> Iterator[Table]:
    """Yield the named columns of non-empty tables or batches, with `schema` or that of the first one."""
    kind = import_module("pyarrow").Table
    for each in tables:
        table = each if isinstance(each, kind) else kind.from_batches([each])
        check_names(table.column_names, names.columns())
        table = table.select(list_wanted(names))
        if schema is None:
            schema = table.schema
        if table.num_rows:
            yield _plain_ids(_cast(table, schema), names)


def _gather(tables: Iterator[Table]) -> Iterator[Any]:
    """Join small tables to larger ones, to reduce the cost per table."""
    concat = import_module("pyarrow").concat_tables
    waiting: list[Any] = []
    n_rows = 0
    for table in tables:
        waiting.append(table)
        n_rows += table.num_rows
        if n_rows >= BATCH // 4:
            yield concat(waiting)
            waiting, n_rows = [], 0
    if waiting:
        yield concat(waiting)


def _cast(table: Table, schema: Any) -> Values:
    if table.schema.equals(schema):
        return table
    arrow = import_module("pyarrow")
    for name, kind, before in zip(schema.names, table.schema.types, schema.types):
        try:
            column = table[name].cast(before)
        except arrow.ArrowException:
            got = f"{name!r} of {kind} after {before}"
            fail("data", "have the same column types in all parts", got)
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _plain_ids(table: Table, names: Given) -> Any:
    """Convert run-end encoded ids and views, because Arrow supports fewer operations for them."""
    ids = table[names.groups]
    kind = str(ids.type)
    if kind.startswith("run_end_encoded"):
        ids = import_module("pyarrow.compute").run_end_decode(ids)
    elif kind.endswith("_view"):
        ids = ids.cast(kind.removesuffix("_view"))
    else:
        return table
    return table.set_column(table.column_names.index(names.groups), names.groups, ids)


def _read_any(arrow: Table, data: Table, names: Given) -> Iterator[Any]:
    if hasattr(data, "scanner") and hasattr(data, "schema"):  # a pyarrow dataset
        yield from _read_dataset(data, names)
    elif hasattr(data, "collect_batches"):  # a polars LazyFrame
        check_names(data.collect_schema().names(), names.columns())
        lazy = data.select(list_wanted(names)).collect_batches(chunk_size=BATCH, maintain_order=True)
        yield from map(arrow.table, lazy)
    elif hasattr(data, "__arrow_c_stream__"):
        try:
            reader = arrow.RecordBatchReader.from_stream(data)
        except arrow.ArrowInvalid:  # a column
            fail("data", FORMS, kind_of(data))
        yield from reader
    elif isinstance(data, Iterator | Mapping):
        for frame in [data] if isinstance(data, Mapping) else data:
            if not any(hasattr(frame, each) for each in FRAMES):
                fail("data", "yield frames if it is an iterator", kind_of(frame), "Pass iter([frame]).")
            yield arrow.table(dict(frame) if isinstance(frame, Mapping) else frame)
    else:
        fail("data", FORMS, kind_of(data))


def _read_dataset(data: Table, names: Given) -> Iterator[Table]:
    """Read a dataset in order, with less read-ahead than pyarrow's default."""
    check_names(data.schema.names, names.columns())
    options: Options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 1}
    if str(getattr(getattr(data, "format", None), "default_extname", "")) == "parquet":
        of_parquet = import_module("pyarrow.dataset").ParquetFragmentScanOptions
        options["fragment_scan_options"] = of_parquet(pre_buffer=False)
    yield from data.scanner(columns=list_wanted(names), **options).to_batches()


def as_given(tables: list[Table], names: Given) -> Given:
    """Return columns as arrays; keep text ids as Arrow arrays."""
    table = import_module("pyarrow").concat_tables(tables)
    ids = table[names.groups]
    is_text = str(ids.type).startswith(("string", "large_string", "dictionary"))
    read = names._replace(groups=None, missed=None).map(lambda name: read_column(table[name]))
    return read._replace(groups=ids if is_text else read_column(ids))


# ---------------------------------------------------------------------------- Parquet


def _open_files(paths: Sequence[str], names: Given) -> TableSource:
    """Check all files before reading, and read their rows in order, as the types of the first file."""
    schema, n_rows = None, 0
    for path in paths:
        try:
            opened = _open_parquet(path)
        except import_module("pyarrow").ArrowInvalid as error:
            fix = "Pass files of other formats as an iterator of frames."
            fail("data", "be in Parquet format if it is a file", f"{path!r} ({error})", fix)
        with opened as file:
            check_names(file.schema_arrow.names, names.columns())
            if schema is None:
                wanted = [file.schema_arrow.field(name) for name in list_wanted(names)]
                schema = import_module("pyarrow").schema(wanted)
            n_rows += file.metadata.num_rows
    return TableSource(_select(_read_files(paths, names), schema, names), n_rows)


def _read_files(paths: Sequence[str], names: Given) -> Iterator[Table]:
    for path in paths:
        with _open_parquet(path) as file:
            yield from file.iter_batches(BATCH, columns=list_wanted(names))


def _list_files(path: str) -> list[str]:
    if not os.path.exists(path):
        fail("data", "be an existing file or folder", repr(path))
    if not os.path.isdir(path):
        return [path]
    inside = (os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files)
    paths = sorted(each for each in inside if each.endswith((".parquet", ".pq")))
    if not paths:
        fail("data", "contain files with the ending .parquet or .pq", f"the folder {path!r} without any")
    return paths


def _open_parquet(path: str) -> Table:
    """Open a Parquet file without pre-buffering, with which pyarrow loads all before the first batch."""
    return import_module("pyarrow.parquet").ParquetFile(path, pre_buffer=False)
