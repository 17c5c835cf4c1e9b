"""Files to rows of labels, scores and query ids."""

from __future__ import annotations

import gzip
import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ._errors import UsageError, files_at_fault

if TYPE_CHECKING:
    import numpy as np

STDIN = "-"
TAIL = 2**16  # bytes at the end of a file that are kept, for its last line


class Rows(NamedTuple):
    """What a run and its judgements hold."""

    name: str
    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray
    tag: str = ""  # the last field of the last line of a run


class Watched:
    """An open file of bytes that knows how it ends, and its name."""

    def __init__(self, file: Any, name: str):
        self._file = file
        self.name = name
        self.is_packed = file.peek(2)[:2] == b"\x1f\x8b"
        self.tail = b""

    def peek(self, size: int = 0) -> bytes:
        found: bytes = self._file.peek(size)
        return found

    def read(self, size: int = -1) -> bytes:
        block: bytes = self._file.read(size)
        self.tail = (self.tail + block if len(block) < TAIL else block)[-TAIL:]
        return block

    def unpacked_tail(self) -> bytes:
        """Return the end of the text; of a packed file, which has been read once without an error."""
        if not self.is_packed:
            return self.tail
        self._file.seek(0)
        tail = b""
        with gzip.GzipFile(fileobj=self._file) as unpacked:
            while block := unpacked.read(2**20):
                tail = (tail + block)[-TAIL:]
        return tail


@contextmanager
def open_file(path: str) -> Iterator[Watched]:
    """Open a file, or standard input."""
    file: Any
    if path != STDIN:
        with open(path, "rb") as file:
            yield Watched(file, path)
        return
    file = sys.stdin.buffer
    if not hasattr(file, "peek"):  # pragma: no cover - of a program that runs this one
        file = io.BufferedReader(file)
    if file.peek(2)[:2] == b"\x1f\x8b":  # is read twice
        file = io.BufferedReader(io.BytesIO(file.read()))
    yield Watched(file, "<stdin>")


def read_rows(args: Namespace) -> list[Rows]:
    """Read the judgements and the runs that a command names."""
    if args.files.count(STDIN) > 1:
        raise UsageError("'-', standard input, can be read once")
    if len(args.files) < 2:
        raise UsageError("name the file of judgements and at least one run")
    qrels, *runs = args.files
    return [_read_run(path, qrels, name, args) for path, name in zip(runs, name_runs(runs))]


def name_runs(paths: list[str]) -> list[str]:
    """Name runs by their files, without folders and endings if that tells them apart."""
    short = [path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gz") for path in paths]
    stems = [name.rsplit(".", 1)[0] or name for name in short]
    return next((names for names in (stems, short) if len(set(names)) == len(names)), paths)


def _read_run(path: str, qrels: str, name: str, args: Namespace) -> Rows:
    from ..datasets import from_run

    queries: Literal["judged", "both"] = "judged" if args.complete else "both"
    with files_at_fault({"run": path, "qrels": qrels}), open_file(path) as run, open_file(qrels) as judged:
        y_true, y_score, groups = from_run(run, judged, queries=queries, depth=args.depth)
        words = run.unpacked_tail().split() or [b""]
    return Rows(name, y_true, y_score, groups, words[-1].decode("utf-8", "surrogateescape"))
