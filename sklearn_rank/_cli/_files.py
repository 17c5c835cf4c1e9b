"""Reading of files and standard input as bytes, cells and columns."""

from __future__ import annotations

import io
import math
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

from ._usage_errors import DataError, UsageError, files_at_fault, to_line

if TYPE_CHECKING:
    from .._checks.types import Arguments
    from ..datasets import Frame, Reading

STDIN = "-"
TAIL = 2**16  # bytes at the end of a file to search for its last word
LARGE = 2**24  # bytes; larger files are read in pieces
ENDINGS = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}
ENDINGS |= {".svm": "svmlight", ".svmlight": "svmlight"}

cached: dict[str, bytes] = {}  # data that can be read only once: standard input and pipes


def show(path: str) -> str:
    """Return the name of a file for messages."""
    return "<stdin>" if path == STDIN else path


def is_large(path: str) -> bool:
    """Return whether a file is large and can be read again."""
    return path != STDIN and os.path.isfile(path) and os.path.getsize(path) >= LARGE


@contextmanager
def open_file(path: str) -> Iterator[Any]:
    """Open a file or standard input; keep bytes that can be read only once."""
    if path not in cached and path == STDIN:
        if sys.stdin is None:
            raise DataError("standard input is closed")
        cached[path] = sys.stdin.buffer.read()
    if path not in cached:
        with open(path, "rb") as file:
            if file.seekable():
                yield file
                return
            cached[path] = file.read()
    found = io.BytesIO(cached[path])
    found.name = show(path)
    yield found


def find_tag(file: Any, name: str) -> str:
    """Return the tag in the last line of an open file, which can be packed; the name if it has no tag."""
    from ..datasets import Reading, is_packed, unpack

    file.seek(0)
    from_start = is_packed(file.read(8))
    file.seek(0 if from_start else max(0, file.seek(0, os.SEEK_END) - TAIL))
    blocks = unpack(file, Reading("run", name), TAIL) if from_start else [file.read()]
    tail = b""
    for block in blocks:
        tail = (tail + block)[-TAIL:]
    lines = (line.split() for line in reversed(tail.splitlines()) if not line.lstrip().startswith(b"#"))
    words = next(filter(None, lines), [])
    return words[5].decode("utf-8", "surrogateescape") if len(words) > 5 else name


@cache
def read_first_line(path: str) -> bytes:
    """Return the first line of a file, which can be packed, without comments; empty for JSON."""
    from ..datasets import Reading, read_head, unpack

    with open_file(path) as file:
        line = read_head(unpack(file, Reading("path", show(path)), TAIL))[1] or b""
        file.seek(0)
    return line


def detect_kind(path: str, columns: Mapping[str, str]) -> str:
    """Return the format of a file from the ending of its name, or else from its first line."""
    from ..datasets import ENDINGS as OF_PACKED
    from ..datasets import find_kind

    name = path.lower()
    name = next((name.removesuffix(ending) for ending in OF_PACKED if name.endswith(ending)), name)
    kind = next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), "")
    if kind not in ("", "tsv"):
        return kind
    try:
        line = read_first_line(path)
    except (OSError, ValueError):  # reading the file reports the error
        return kind or "trec"
    if kind and not _has_numbers(line):
        return kind
    return find_kind(line, columns) or "trec"


def _has_numbers(line: bytes) -> bool:
    """Return whether a line has the fields of a file without column names."""
    words = line.split()
    place = {3: 2, 4: 3, 6: 4}.get(len(words))
    try:
        return place is not None and math.isfinite(float(words[place]))
    except ValueError:
        return False


def read_columns(args: Namespace, *sides: str) -> dict[str, str]:
    """Read "query=qid,score=s" of --columns, and of the options for "qrels" or "run"."""
    from ..datasets import COLUMNS

    columns: dict[str, str] = {}
    for option in ("--columns", *(f"--{side}-columns" for side in sides)):
        found: dict[str, str] = {}
        text = getattr(args, option[2:].replace("-", "_"), None)
        for part in text.split(",") if text is not None else ():
            key, equals, name = part.partition("=")
            if not equals or key not in COLUMNS or key in found or not name:
                rule = "contain KEY=NAME pairs with distinct keys, separated by commas"
                fix = f"For example, pass {option} query=qid,document=doc,score=s,grade=label"
                raise UsageError(f"{option} must {rule}, got {text!r}. {fix}")
            found[key] = name
        columns |= found
    return columns


def read_frames(
    path: str,
    kind: str,
    numbers: Sequence[str],
    named: Mapping[str, str],
    field: str | None,
    as_text: bool = False,
) -> list[Frame]:
    """Return a frame for scores and one for grades, as requested; `as_text` converts integer ids to text."""
    if kind == "parquet":
        return _read_parquet(path, numbers, named, field, as_text)
    from ..datasets import DELIMITERS, needs_score, take_columns, take_rows

    reading = _find_reading(path, numbers)
    cells_of = _read_cells(path, reading, DELIMITERS[kind])
    head = next(cells_of)[1]
    places = _find_columns(path, head, numbers, named, field)
    lines, by_key = take_columns(cells_of, places)
    labels = _list_labels(reading, zip(lines, by_key["query"], by_key["field"])) if field in head else None
    # Without document ids, use decreasing row numbers: from_run sorts by decreasing document.
    by_key.setdefault("document", range(0, -len(lines), -1))
    used = [_use(number, by_key) for number in numbers]
    return [take_rows(reading, lines, by_key, each, needs_score(head, each, named), labels) for each in used]


def _use(number: str, columns: Arguments) -> str:
    """Return the column that contains a number; ranks replace missing scores."""
    return "rank" if number == "score" and number not in columns else number


def _find_reading(path: str, numbers: Sequence[str]) -> Reading:
    from ..datasets import Reading

    return Reading("run" if "score" in numbers else "qrels", show(path))


def _read_cells(path: str, reading: Reading, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield non-empty rows of a table, which can be packed, with their line numbers."""
    from ..datasets import read_cells, unpack

    with open_file(path) as file:
        data = b"".join(unpack(file, reading))
    return read_cells(data, reading, delimiter)


def _find_columns(
    path: str, head: Sequence[str], numbers: Sequence[str], named: Mapping[str, str], field: str | None
) -> dict[str, int]:
    """Return the index of each column; a table with both scores and grades needs no documents."""
    places = {}
    rank = named.get("rank", "rank")
    has_rank = "score" in numbers and list(head).count(rank) == 1
    for key in ("query", "document", *numbers):
        is_needed = len(numbers) < 2 if key == "document" else key != "score" or not has_rank
        place = _find_column(path, head, key, named, is_needed)
        if place is not None:
            places[key] = place
    if len(numbers) > 1 and places.get("score") == places["grade"]:
        got = _show_names(head)
        raise DataError(f"{show(path)}:1: must have columns of scores and grades, got {got}. Pass QRELS RUN")
    if field in head:
        places["field"] = list(head).index(str(field))
    if "grade" in numbers and (place := _find_column(path, head, "intent", named, False)) is not None:
        places["intent"] = place
    if has_rank:
        places["rank"] = list(head).index(rank)
    return places


def _show_names(names: Sequence[str]) -> str:
    """Return names of columns in one line, with escapes for characters that cannot be printed."""
    text = ", ".join(names)[:200]
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _find_column(
    path: str, head: Sequence[str], key: str, named: Mapping[str, str], is_needed: bool = True
) -> int | None:
    """Return the index of the column for a key."""
    from ..datasets import COLUMNS, choose_names

    known = (named[key],) if key in named else COLUMNS[key]
    chosen = known if key in named else choose_names(head, key, named)
    found = [place for place, name in enumerate(head) if name in chosen]
    if len(found) == 1:
        return found[0]
    if not found and not is_needed and key not in named:
        return None
    rule = f"must have exactly one column named {' or '.join(known)}, got {_show_names(head)}"
    names = ",".join(f"{each}={name}" for each, name in {**named, key: "NAME"}.items())
    hint = ", or --input trec for a TREC file" * path.lower().endswith(".tsv")
    raise DataError(f"{show(path)}:1: {rule}. Pass --columns {names}{hint}")


def _list_labels(reading: Reading, rows: Iterable[tuple[int, str, str]]) -> dict[str, str]:
    """Return the label of each query, from lines, queries and labels. Blank cells are ignored."""
    from ..datasets import check_id

    labels: dict[str, str] = {}
    for line, query, value in rows:
        if not value.strip():
            continue
        check_id(reading, line, "query", query)
        if labels.setdefault(query, value) != value:
            got = f"{value!r} and {labels[query]!r} for the query {query!r}"
            raise DataError(f"{reading.name}:{line}: must have one label per query, got {got}")
    return labels


def read_labels(path: str, field: str, args: Namespace) -> dict[str, str]:
    """Read a field of a table with one row per query."""
    from ..datasets import DELIMITERS, Reading

    with files_at_fault({"fields": show(path)}):
        reading = Reading("fields", show(path))
        rows = _read_cells(path, reading, DELIMITERS["csv" if ".csv" in path.lower() else "tsv"])
        head = next(rows)[1]
        place = _find_column(path, head, "query", read_columns(args))
        if field not in head or place is None:
            rule = f"must have a column named {field} for --by, got {_show_names(head)}"
            raise DataError(f"{show(path)}:1: {rule}")
        return _list_labels(reading, ((line, cells[place], cells[head.index(field)]) for line, cells in rows))


def _read_parquet(
    path: str, numbers: Sequence[str], named: Mapping[str, str], field: str | None, as_text: bool
) -> list[Frame]:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise DataError(f"{show(path)}: Parquet files require pyarrow: pip install pyarrow") from error
    with open_file(path) as file:
        data = file.read()
    try:
        # A thread of `read_table` can free `data` when Python ends, which would abort it.
        with parquet.ParquetFile(pyarrow.BufferReader(data), pre_buffer=False) as opened:
            head = opened.schema_arrow.names
            places = _find_columns(path, head, numbers, named, field)
            names = {key: head[place] for key, place in places.items()}
            table = opened.read(columns=list(names.values()), use_threads=False)
    except pyarrow.ArrowException as error:
        raise DataError(f"{show(path)}: must be a Parquet file ({to_line(error)})") from error
    from ..datasets import needs_score

    columns = {key: table[name] for key, name in names.items()}
    for key in ("query", "document") if as_text else ():
        if pyarrow.types.is_integer(columns[key].type):
            columns[key] = columns[key].cast("string")
    labels = None
    if "field" in columns:
        cells = [columns[key].to_pylist() for key in ("query", "field")]
        texts = (["" if each is None else str(each) for each in column] for column in cells)
        labels = _list_labels(_find_reading(path, numbers), zip(count(1), *texts))
    columns.setdefault("document", pyarrow.chunked_array([pyarrow.array(range(0, -len(table), -1))]))
    reading = _find_reading(path, numbers)
    used = [_use(number, columns) for number in numbers]
    return [_take_valid(reading, columns, each, needs_score(head, each, named), labels) for each in used]


def _take_valid(
    reading: Reading, columns: Arguments, number: str, is_needed: bool, labels: dict[str, str] | None
) -> Frame:
    """Return the rows of a Parquet file that have a score or grade; check text ids."""
    import numpy as np

    from ..datasets import KEYS, Frame, check_id, reject_lack

    compute = import_module("pyarrow.compute")
    is_there = columns[number].is_valid()
    rows = np.flatnonzero(is_there.to_numpy())
    if is_needed and len(rows) < len(is_there):
        reject_lack(reading, compute.index(is_there, False).as_py() + 1, number)
    taken = {key: columns[key].filter(is_there) for key in (*KEYS, number) if key in columns}
    for key in ("query", "document"):
        column = taken[key]
        kind = column.type.value_type if str(column.type).startswith("dictionary") else column.type
        if str(kind) in ("string", "large_string"):
            blank = compute.index(compute.utf8_trim_whitespace(column.cast(kind)), "").as_py()
            if blank >= 0:
                check_id(reading, int(rows[blank]) + 1, key, "")
    return Frame(taken, (reading.name, rows), labels)
