"""Files of bytes, and standard input as one of them."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._usage_errors import DataError

STDIN = "-"
TAIL = 2**16  # bytes at the end of a file that are kept, for its last line
LARGE = 2**24  # bytes of a file whose progress a terminal shows, and that is read in pieces
PACKED = b"\x1f\x8b"  # what files of gzip begin with


def show(path: str) -> str:
    """Return the name of a file for people."""
    return "<stdin>" if path == STDIN else path


class Watched:
    """An open file of bytes that knows how it ends, and tells a terminal how far it is read."""

    def __init__(self, file: Any, name: str, size: int = 0):
        self._file = file
        self.name = name
        self._size = size if size >= LARGE and sys.stderr.isatty() else 0
        self._done = 0
        self._is_packed = file.peek(2)[:2] == PACKED
        self._tail = b""

    def peek(self, size: int = 0) -> bytes:
        """Return what comes next, without reading on."""
        found: bytes = self._file.peek(size)
        return found

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        block: bytes = self._file.read(size)
        self._tail = (self._tail + block if len(block) < TAIL else block)[-TAIL:]
        if self._size:
            self._done += len(block)
            print(
                f"\rreading {self.name}: {self._done / self._size:4.0%}", end="", file=sys.stderr, flush=True
            )
        return block

    def clear(self) -> None:
        """Take away what a terminal shows of the progress."""
        if self._done:
            print("\r" + " " * (len(self.name) + 15), end="\r", file=sys.stderr, flush=True)

    def find_tag(self) -> str:
        """Return the last word of a file that has been read without an error."""
        tail = self._tail
        if self._is_packed:
            self._file.seek(0)
            tail = b""
            with gzip.GzipFile(fileobj=self._file) as unpacked:
                while block := unpacked.read(2**20):
                    tail = (tail + block)[-TAIL:]
        words = tail.split() or [b""]
        return words[-1].decode("utf-8", "surrogateescape")


def is_pipe(path: str) -> bool:
    """Tell whether a file can be read once."""
    return path == STDIN or stat.S_ISFIFO(os.stat(path).st_mode)


def is_large(path: str) -> bool:
    """Tell whether this is a file of many bytes, that can be read again."""
    return path != STDIN and os.path.isfile(path) and os.path.getsize(path) >= LARGE


_held: dict[str, bytes] = {}  # what can be read once, while it is read several times


@contextmanager
def hold(path: str) -> Iterator[None]:
    """Let standard input, or a pipe, be opened several times: as judgements of several runs."""
    if not is_pipe(path):
        yield
        return
    with _open(path) as file:
        _held[path] = file.read()
    try:
        yield
    finally:
        del _held[path]


@contextmanager
def open_file(path: str) -> Iterator[Watched]:
    """Open a file, or standard input."""
    with _open(path) as file:
        is_pipe = path == STDIN or not file.seekable()
        size = 0 if is_pipe or path in _held else os.fstat(file.fileno()).st_size
        if is_pipe and not hasattr(file, "peek"):
            file = io.BufferedReader(file)
        if is_pipe and file.peek(2)[:2] == PACKED:  # may be read twice
            file = io.BufferedReader(io.BytesIO(file.read()))
        watched = Watched(file, show(path), size)
        try:
            yield watched
        finally:
            watched.clear()


@contextmanager
def _open(path: str) -> Iterator[Any]:
    """Open the bytes of a file, of standard input, or of what is held of them."""
    if path in _held:
        yield io.BufferedReader(io.BytesIO(_held[path]))
    elif path != STDIN:
        with open(path, "rb") as file:
            yield file
    elif sys.stdin is None:
        raise DataError("standard input is closed")
    else:
        yield sys.stdin.buffer
