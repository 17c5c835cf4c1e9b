"""Rows that are read as they are scored: batches of columns by name, cut where a query ends."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from .._checks.errors import fail
from ..metrics import Given
from ..reports import RankingReport, Settings
from ._evaluator import RankingEvaluator

BATCH = 2**20  # rows that are read at once
FORMS = (
    "be a frame, a Parquet file or a folder of them, a dataset or reader of pyarrow, what exports a stream "
    "of Arrow, or an iterator of frames"
)


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
    _check_names(known, asked, function)
    found = {key: None if name is None else data[name] for key, name in asked.items()}
    return Given(*(found[key] for key in Given._fields)), found["cluster"]


def _check_names(known: Sequence[Any], names: Mapping[str, Any], function: str) -> None:
    """Check that data has the columns that are asked for."""
    for parameter, name in names.items():
        if name is not None and not (_is_name(name) and name in known):
            shown = ", ".join(map(repr, known)) or "none"
            fail(parameter, function, f"name a column of 'data', which has {shown}", _show(name))


def _is_name(name: Any) -> bool:
    """Tell whether this can be the name of a column, and is no column itself."""
    return isinstance(name, str | int | tuple) and not isinstance(name, bool)


def _show(name: Any) -> str:
    """Write what is no name by its type."""
    return repr(name) if _is_name(name) else type(name).__name__


def iter_queries(data: Any, names: Given, function: str) -> Iterator[Given]:
    """Yield the columns of whole queries, batch by batch; the rows of a query stand together."""
    waiting: list[Any] = []  # of the last query
    for table in _read_tables(data, names, function):
        start = _find_last(table[names.groups])
        if start == 0 and waiting and _first(waiting[0], names) == _first(table, names):
            waiting.append(table)
            continue
        if waiting or start:
            yield _as_given([*waiting, table.slice(0, start)], names)
        waiting = [table.slice(start)]
    if not waiting:
        fail("data", function, "have rows", "none")
    yield _as_given(waiting, names)


def _find_last(ids: Any) -> int:
    """Return the first row of the last query."""
    if str(ids.type).startswith(("int", "uint")) and not ids.null_count:
        codes = ids.to_numpy()
    else:
        encoded = ids.dictionary_encode().unify_dictionaries()
        codes = np.concatenate([chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks])
    changes = np.flatnonzero(codes[1:] != codes[:-1])
    return int(changes[-1]) + 1 if len(changes) else 0


def _first(table: Any, names: Given) -> Any:
    return table[names.groups][0].as_py()


def _as_given(tables: list[Any], names: Given) -> Given:
    """Return columns as arrays; ids as Arrow holds them, where that is text."""
    table = import_module("pyarrow").concat_tables(tables)
    ids = table[names.groups]
    is_text = str(ids.type).startswith(("string", "large_string", "dictionary"))
    labels, scores, weights = (
        None if name is None else table[name].to_numpy()
        for name in (names.y_true, names.y_score, names.sample_weight)
    )
    return Given(labels, scores, ids if is_text else ids.to_numpy(), weights)


def report_parts(
    parts: Iterable[Given],
    metrics: Any,
    options: Mapping[str, Any],
    settings: Settings,
    keep: Any,
    n_jobs: Any,
) -> RankingReport:
    """Report rows that come in parts of whole queries; options are those of `ranking_scores`."""
    evaluator = RankingEvaluator(metrics, keep=keep, n_jobs=n_jobs, **options, **settings._asdict())
    for part in parts:
        evaluator._add_queries(part, "evaluate")
    report = evaluator._report("evaluate")
    assert isinstance(report, RankingReport)  # of one system
    return report


# ---------------------------------------------------------------------------- where rows come from


def _read_tables(data: Any, names: Given, function: str) -> Iterator[Any]:
    """Yield tables of Arrow with the columns that are asked for, those with rows alone."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        rule = "be a frame in memory without pyarrow, which reads all else"
        fail("data", function, rule, type(data).__name__)
    for table in _read_any(arrow, data, names, function):
        checked = _select(arrow, table, names, function)
        if checked.num_rows:
            yield checked


def _select(arrow: Any, table: Any, names: Given, function: str) -> Any:
    """Return some columns of a table, with ids that can be compared."""
    _check_names(table.column_names, names._asdict(), function)
    table = table.select(_list_wanted(names))
    if str(table[names.groups].type).startswith("run_end_encoded"):
        decoded = import_module("pyarrow.compute").run_end_decode(table[names.groups])
        table = table.set_column(table.column_names.index(names.groups), names.groups, decoded)
    return table


def _list_wanted(names: Given) -> list[Any]:
    return list(dict.fromkeys(name for name in names if name is not None))


def _read_any(arrow: Any, data: Any, names: Given, function: str) -> Iterator[Any]:
    if isinstance(data, str) or hasattr(data, "__fspath__"):
        yield from _read_parquet(arrow, os.fspath(data), names, function)
    elif hasattr(data, "scanner") and hasattr(data, "schema"):  # a dataset of pyarrow
        yield from _read_dataset(arrow, data, names, function)
    elif hasattr(data, "__arrow_c_stream__"):
        for batch in arrow.RecordBatchReader.from_stream(data):
            yield arrow.Table.from_batches([batch])
    elif isinstance(data, Iterator):
        for frame in data:
            yield _as_table(arrow, frame, function)
    else:
        fail("data", function, FORMS, type(data).__name__)


def _as_table(arrow: Any, frame: Any, function: str) -> Any:
    if isinstance(frame, Mapping):
        return arrow.table(dict(frame))
    if hasattr(frame, "__arrow_c_stream__"):
        return arrow.table(frame)
    if hasattr(frame, "__arrow_c_array__"):
        return arrow.Table.from_batches([arrow.record_batch(frame)])
    fail("data", function, "yield frames, if it is an iterator", type(frame).__name__)


def _read_dataset(arrow: Any, data: Any, names: Given, function: str) -> Iterator[Any]:
    """Read a dataset in its order; by default pyarrow reads far ahead."""
    _check_names(data.schema.names, names._asdict(), function)
    options: dict[str, Any] = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 1}
    if str(getattr(getattr(data, "format", None), "default_extname", "")) == "parquet":
        of_parquet = import_module("pyarrow.dataset").ParquetFragmentScanOptions
        options["fragment_scan_options"] = of_parquet(pre_buffer=False)
    for batch in data.scanner(columns=_list_wanted(names), **options).to_batches():
        yield arrow.Table.from_batches([batch])


def _read_parquet(arrow: Any, path: str, names: Given, function: str) -> Iterator[Any]:
    """Read a file, or the files of a folder in the order of their names."""
    if not os.path.exists(path):
        fail("data", function, "be a file or a folder that is there", repr(path))
    paths = [path]
    if os.path.isdir(path):
        inside = (os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files)
        paths = sorted(each for each in inside if each.endswith((".parquet", ".pq")))
        if not paths:
            fail("data", function, "hold files that end in .parquet or .pq", f"none in {path!r}")
    for each in paths:
        # By default pyarrow holds all of a file before it gives the first batch.
        with import_module("pyarrow.parquet").ParquetFile(each, pre_buffer=False) as file:
            _check_names(file.schema_arrow.names, names._asdict(), function)
            for batch in file.iter_batches(batch_size=BATCH, columns=_list_wanted(names)):
                yield arrow.Table.from_batches([batch])
