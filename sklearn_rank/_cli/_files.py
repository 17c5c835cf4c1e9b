"""Files of bytes and of cells; standard input is one of them."""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._usage_errors import DataError

STDIN = "-"
TAIL = 2**16  # bytes at the end of a file in which its last word is looked for
LARGE = 2**24  # bytes of a file that is read in pieces
PACKED = b"\x1f\x8b"  # what files of gzip begin with

held: dict[str, bytes] = {}  # what a command can read only once: standard input, and pipes


def show(path: str) -> str:
    """Return the name of a file for people."""
    return "<stdin>" if path == STDIN else path


def is_large(path: str) -> bool:
    """Tell whether this is a file of many bytes, that can be read again."""
    return path != STDIN and os.path.isfile(path) and os.path.getsize(path) >= LARGE


@contextmanager
def open_file(path: str) -> Iterator[Any]:
    """Open a file, or standard input; bytes that can be read only once are held for the next time."""
    if path not in held and path == STDIN:
        if sys.stdin is None:
            raise DataError("standard input is closed")
        held[path] = sys.stdin.buffer.read()
    if path not in held:
        with open(path, "rb") as file:
            if file.seekable():
                yield file
                return
            held[path] = file.read()
    found = io.BytesIO(held[path])
    found.name = show(path)
    yield found


def find_tag(file: Any) -> str:
    """Return the last word of an open file, which may be packed."""
    file.seek(0)
    is_packed = file.read(2) == PACKED
    file.seek(0 if is_packed else max(0, file.seek(0, os.SEEK_END) - TAIL))
    opened, tail = gzip.GzipFile(fileobj=file) if is_packed else file, b""
    while block := opened.read(TAIL):
        tail = (tail + block)[-TAIL:]
    return (tail.split() or [b""])[-1].decode("utf-8", "surrogateescape")


def read_cells(path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the numbers of their lines, those that are empty left out."""
    from ..datasets import remove_marks

    with open_file(path) as file:
        data = file.read()
    if data.startswith(PACKED):
        raise DataError(f"{show(path)}: must be unpacked, got a file of gzip")
    try:
        text = remove_marks(data).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{show(path)}:{line}: must be text in UTF-8, got other bytes") from error
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    n_cells = 0
    try:
        for cells in filter(None, reader):
            n_cells = n_cells or len(cells)
            if len(cells) != n_cells:
                where = f"{show(path)}:{reader.line_num}"
                raise DataError(f"{where}: must have {n_cells} columns as the first line, got {len(cells)}")
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(f"{show(path)}:{reader.line_num}: {error}") from error
    if not n_cells:
        raise DataError(f"{show(path)}:1: must name its columns, got an empty file")
