"""Runs and judgments in files that are not in TREC format: tables with column names, and JSON."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from .._checks.codes import as_array
from .._checks.types import Arguments, Options
from ._entries import (
    EACH_ROW,
    NO_LINES,
    Entries,
    EntrySource,
    Ids,
    check_values,
    choose_names,
    read_dicts,
    show_id,
)
from ._file_bytes import Reading, remove_marks
from ._trec_arrow import MAX_PADDED

JSON = re.compile(rb'(\xef\xbb\xbf)?\s*+(\{\s*+["}]|\[\s*+[\{\]])')  # the beginning of a file
CONTENT = re.compile(rb"(?m)^[ \t\r\v\f]*+([^#\s][^\n]*)\n")  # a complete line that is not a comment
OPEN, NEXT = re.compile(r"\s*(\{)\s*"), re.compile(r"\s*([,}])\s*")
KEY = re.compile(r'"([^"]*)"\s*:\s*')
DELIMITERS = {"csv": ",", "tsv": "\t"}
KEYS = ("query", "document", "rank", "intent")  # the columns other than scores and grades


def find_kind(line: bytes, columns: Arguments) -> str:
    """Return "csv" or "tsv" if a line has the column names of a table; "" for other lines."""
    text = line.decode("utf-8", "replace").strip("\r\n")
    for kind, delimiter in DELIMITERS.items():
        names: list[str] = []
        with suppress(csv.Error):
            names = next(csv.reader([text], delimiter=delimiter), [])
        found = [choose_names(names, key, columns) for key in ("query", "document", "score", "grade", "rank")]
        if found[0] and found[1] and any(found[2:]):
            return kind
    return ""


class Frame:
    """Columns by name, which `from_run` reads as a long frame."""

    source: tuple[Any, ...] = ()  # the name of the file, and the line of each row, from 0

    def __init__(self, columns: Arguments, source: tuple[Any, ...], labels: Any = None):
        self._columns = dict(columns)
        self.column_names = list(columns)
        self.shape = (len(next(iter(columns.values()), ())), len(columns))
        self.source = source
        self.labels: dict[str, str] | None = labels  # by query, for --by

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]


def read_cells(data: bytes, reading: Reading, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield non-empty rows with their line numbers, from 1."""
    data = remove_marks(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        reading.reject("be text in UTF-8", "other bytes", data.count(b"\n", 0, error.start))
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    n_cells = 0
    try:
        for cells in filter(None, reader):
            n_cells = n_cells or len(cells)
            if len(cells) != n_cells:
                rule = f"have {n_cells} columns like the first line"
                reading.reject(rule, f"{len(cells)}", reader.line_num - 1)
            yield reader.line_num, cells
    except csv.Error as error:
        reading.reject("be a valid table", f"an error ({error})", max(reader.line_num - 1, 0))
    if not n_cells:
        reading.reject("have a line of column names", "an empty file", 0)


def take_columns(
    cells_of: Iterator[tuple[int, list[str]]], places: Mapping[str, int]
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the line of each row, from 1, and the cells of some columns. Equal ids share memory."""
    lines: list[int] = []
    columns: dict[str, Any] = {key: [] for key in places}
    known: dict[str, str] = {}
    for line, cells in cells_of:
        lines.append(line)
        for key, place in places.items():
            cell = cells[place]
            columns[key].append(known.setdefault(cell, cell) if key in KEYS else cell)
    return np.array(lines, dtype=np.int64), columns


def read_table(data: bytes, reading: Reading, kind: str, columns: Arguments) -> Frame:
    """Read a run or judgments from a table; `reading` has the parameter."""
    cells_of = read_cells(data, reading, DELIMITERS[kind])
    head = next(cells_of)[1]
    number = "score" if reading.parameter == "run" else "grade"
    names = {key: choose_names(head, key, columns) for key in (*KEYS, number)}
    if number == "score" and not names[number]:
        number = "rank"
    single = {key: head.index(found[0]) for key, found in names.items() if len(found) == 1}
    if not {"query", "document", number} <= single.keys() or len(set(head)) < len(head):
        frame = Frame(dict.fromkeys(head, ()), (reading.name,))  # its names are shown in the error
        frame.column_names = head
        return frame
    return take_rows(reading, *take_columns(cells_of, single), number, needs_score(head, number, columns))


def needs_score(names: Sequence[Any], number: str, columns: Arguments) -> bool:
    """Return whether each row needs a score: in a table with grades, a document can lack one of both."""
    of_score, of_grade = (choose_names(names, key, columns) for key in ("score", "grade"))
    return number != "grade" and not set(of_grade) - set(of_score)


def take_rows(
    reading: Reading,
    lines: np.ndarray,
    by_key: Arguments,
    number: str,
    is_needed: bool,
    labels: dict[str, str] | None = None,
) -> Frame:
    """Return the rows that have a score or a grade; raise an error for others if it `is_needed`."""
    rows, values = [], []
    for row, text in enumerate(by_key[number]):
        if not text.strip():
            if is_needed and (by_key["query"][row].strip() or by_key["document"][row].strip()):
                reject_lack(reading, lines[row], number)
            continue
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            reading.reject(f"have a finite {number}", repr(text[:100]), lines[row] - 1)
        rows.append(row)
        values.append(value)
    for key in ("query", "document"):
        if isinstance(by_key[key], list) and not all(map(str.strip, by_key[key])):
            for row in rows:
                check_id(reading, lines[row], key, by_key[key][row])
    others = {key: as_array([by_key[key][row] for row in rows]) for key in KEYS if key in by_key}
    source = reading.name, lines[rows] - 1
    return Frame({**others, number: np.array(values, dtype=np.float64)}, source, labels)


def reject_lack(reading: Reading, line: int, number: str) -> NoReturn:
    """Raise an error for a line without a score."""
    fix = "If the document was not retrieved, remove the row."
    reading.reject(f"have a {number} in each row", "an empty cell", line - 1, fix=fix)


def check_id(reading: Reading, line: int, key: str, cell: str) -> None:
    """Check that the cell of an id is not blank."""
    if not cell.strip():
        reading.reject(f"have a {key} id in each row", "an empty cell", line - 1)


# ---------------------------------------------------------------------------- JSON


def read_json(data: bytes, reading: Reading) -> Entries | Frame:
    """Read {query: {document: number}}, in one object or one per line, or a list or lines of records."""
    if plain := _scan_runs(data, reading):
        return plain
    parts = _parse_json(remove_marks(data), reading)
    if not parts or parts == [(None, [])]:
        return read_dicts({}, reading.parameter, EntrySource(reading.name, NO_LINES))
    first = parts[0][1]
    if isinstance(first, list):
        return _read_records([(None, each) for each in first] if len(parts) == 1 else parts, reading)
    values = list(first.values())
    if values and not (isinstance(values[0], Mapping) or all(isinstance(each, list) for each in values)):
        return _read_records(parts, reading)
    runs: Options = {}
    for line, part in parts:
        _check_object(part, reading, line)
        if twice := runs.keys() & part.keys():
            reading.reject("contain each query once", f"{min(twice)!r} again", line)
        runs |= part
    inner = next((each for each in runs.values() if isinstance(each, Mapping) and each), {})
    if isinstance(next(iter(inner.values()), None), Mapping):
        fix = f"Pass the inner object: json.load(file)[{next(iter(runs))!r}][{next(iter(inner))!r}]."
        reading.reject("map queries to documents", "objects in objects of objects", fix=fix)
    return read_dicts(runs, reading.parameter, EntrySource(reading.name, NO_LINES))


def _scan_runs(data: bytes, reading: Reading) -> Entries | None:
    """Read one object with short ASCII ids query by query, in less time and memory; None for other data."""
    with suppress(ValueError, RecursionError, OverflowError):
        text = data.decode("ascii")
        if "\\" in text:
            return None
        read = json.JSONDecoder().raw_decode
        names, documents, values = [], [], []
        next_one = OPEN.match(text)
        while next_one and next_one[1] != "}":
            key = KEY.match(text, next_one.end())
            found, end = read(text, key.end() if key else len(text))
            kinds = set(map(type, found.values())) if type(found) is dict else {dict}
            if not key or not kinds <= {int, float} or 2 * len(found) != text.count('"', key.end(), end):
                return None  # two equal names, or other values
            names.append(key[1])
            documents.append(np.array(list(found), dtype=np.bytes_))
            values.append(np.array(list(found.values()), dtype=np.float64))
            next_one = NEXT.match(text, end)
        is_whole = next_one is not None and next_one.end() == len(text) and len(set(names)) == len(names)
        if not is_whole or not names or max(each.dtype.itemsize for each in documents) > MAX_PADDED:
            return None
        codes = np.repeat(np.arange(len(names)), list(map(len, values)))
        ids = Ids(codes, as_array(names)), Ids(EACH_ROW, np.concatenate(documents))
        entries = Entries(*ids, np.concatenate(values), EntrySource(reading.name, NO_LINES))
        return check_values(entries, reading.parameter)
    return None


def _parse_json(data: bytes, reading: Reading) -> list[tuple[int | None, Any]]:
    """Return the values in a file, with line numbers from 0 if there is one per line."""
    end = data.find(b"\n", len(data) - len(data.lstrip()))
    try:
        first = _load(data if end < 0 else data[:end])
    except (ValueError, RecursionError):
        first = None
    if first is None or not data[end:].strip() or end < 0:
        try:
            return [(None, _load(data) if first is None else first)]
        except (ValueError, RecursionError) as error:
            reading.reject("be valid JSON", f"an error ({error})")
    parts: list[tuple[int | None, Any]] = []
    for line, text in enumerate(data.split(b"\n")):
        try:
            parts += [(line, _load(text))] if text.strip() else []
        except (ValueError, RecursionError) as error:
            reading.reject("be valid JSON in each line", f"an error ({error})", line, text)
    return parts


def _load(text: bytes) -> Any:
    return json.loads(text.decode("utf-8"), object_pairs_hook=_as_dict)


def _as_dict(pairs: Sequence[tuple[str, Any]]) -> Options:
    """Return an object as a dict; Python's reader would ignore all but the last of two equal names."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} twice in an object")
    return found


def _check_object(part: object, reading: Reading, line: int | None) -> None:
    if not isinstance(part, Mapping):
        reading.reject("contain JSON objects", type(part).__name__, line)


def _read_records(records: Sequence[tuple[int | None, Any]], reading: Reading) -> Frame:
    """Return records with the same names as columns."""
    for line, record in records:
        _check_object(record, reading, line)
        if record.keys() != records[0][1].keys():
            first, other = (", ".join(map(show_id, each))[:80] for each in (records[0][1], record))
            reading.reject(f"have the names {first} in each record", other, line)
    names = list(records[0][1]) if records else []
    lines = NO_LINES if records[:1] and records[0][0] is None else np.array([line for line, _ in records])
    columns = {name: as_array([record[name] for _, record in records]) for name in names}
    return Frame(columns, (reading.name, lines))
