"""Runs and judgments in TREC format: one line per document with fields separated by blanks, possibly gzipped.

A file is read in blocks of whole lines. pyarrow reads a block if it is installed, the file is large and the
block is plain. Python reads all other blocks and reports their errors.
"""

import gzip
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._checks.codes import as_array
from .._checks.errors import fail
from ._entries import Entries, EntrySource, Ids, show_id, show_line
from ._trec_arrow import BYTE_ORDER_MARK, find_arrow, merge_chunks, parse_block

BLOCK = 2**22  # bytes to read at once; the limit of a line
MAX_RATIO = 200  # of unpacked to packed bytes, beyond a block; about 10 in real runs
MARKS = re.compile(b"(?m)^(?:" + BYTE_ORDER_MARK + b")+")
FIELDS = {
    "run": ("query", "Q0", "document", "rank", "score", "tag"),
    "qrels": ("query", "iteration", "document", "grade"),
}


class LineBlock(NamedTuple):
    """The data of some lines."""

    queries: Any  # Ids, or chunks of pyarrow
    documents: Any
    values: np.ndarray
    ranks: np.ndarray | None
    lines: np.ndarray | None = None  # line numbers of rows, from 0 in the block; None if no line is blank


class Reading(NamedTuple):
    """The parameter and file that are read, for errors."""

    parameter: str  # "run" or "qrels"
    name: str  # of the file

    def reject(
        self, rule: str, got: str, line: int | None = None, text: bytes = b"", fix: str = ""
    ) -> NoReturn:
        """Raise an error about a line of the file, numbered from 0."""
        place = self.name if line is None else f"line {line + 1} of {self.name}, {show_line(text)}"
        fail(self.parameter, rule, f"{got} in {place}", fix)


def is_file(given: object) -> bool:
    """Return whether an argument is a path or an open file."""
    return isinstance(given, str) or hasattr(given, "__fspath__") or _is_open(given)


def _is_open(given: object) -> bool:
    return callable(getattr(given, "read", None))


def read_file(given: object, parameter: str) -> Entries:
    """Read a run or judgments from a path or an open file."""
    blocks: list[LineBlock] = []
    starts: list[int] = []
    arrow = None
    with open_file(given, parameter) as (file, reading):
        for line, text in _read_blocks(file, reading):
            arrow = arrow or find_arrow(len(text))
            plain = parse_block(arrow, text, FIELDS[parameter]) if arrow else None
            blocks.append(_parse(text, reading, line) if plain is None else LineBlock(*plain))
            starts.append(line)
    if not blocks:
        empty = Ids(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.str_))
        return Entries(empty, empty, np.empty(0), EntrySource(reading.name))
    source = EntrySource(reading.name, _join_lines(blocks, starts))
    queries, documents, values, ranks, _ = (list(column) for column in zip(*blocks))
    blocks.clear()
    merge = partial(merge_chunks, arrow) if arrow else _merge
    all_ranks = None if any(each is None for each in ranks) else _join(ranks)
    return Entries(merge(queries), merge(documents), _join(values), source, all_ranks)


@contextmanager
def open_file(given: Any, parameter: str) -> Iterator[tuple[Any, Reading]]:
    """Open a path, or yield an open file unchanged; also yield its name for errors."""
    if _is_open(given):
        name = getattr(given, "name", None)
        yield given, Reading(parameter, name if isinstance(name, str) else "an open file")
        return
    try:
        file = open(given, "rb")  # noqa: SIM115
    except (ValueError, TypeError):  # invalid characters, or an object with a wrong __fspath__
        fail(parameter, "be the path of a file", show_id(str(given)))
    with file:
        yield file, Reading(parameter, str(given))


def _join(parts: list[np.ndarray]) -> np.ndarray:
    """Join parts and empty their list, because parts and result need the same memory."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def _join_lines(blocks: list[LineBlock], starts: list[int]) -> np.ndarray | None:
    """Return the line number of each row; None if no line is blank."""
    if all(block.lines is None for block in blocks):
        return None
    lines = [np.arange(len(block.values)) if block.lines is None else block.lines for block in blocks]
    return np.concatenate([start + each for start, each in zip(starts, lines)])


def _merge(parts: list[Ids]) -> Ids:
    """Return the ids of all blocks."""
    known: Any = defaultdict(count().__next__)
    codes = []
    for part in parts:
        names = part.names.tolist()
        codes.append(np.fromiter(map(known.__getitem__, names), dtype=np.int32, count=len(names))[part.codes])
    return Ids(np.concatenate(codes), as_array(list(known)))


# ---------------------------------------------------------------------------- bytes


def _read_blocks(file: object, reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of complete lines, and the number of the first, from 0."""
    line, rest = 0, b""
    for block in unpack(file, reading):
        block = rest + block
        first, end = block.find(b"\n"), block.rfind(b"\n") + 1
        if (first if end else len(block)) > BLOCK:
            reading.reject(f"have lines of at most {BLOCK} bytes", "more", line, block[:BLOCK])
        block, rest = block[:end], block[end:]
        if block:
            yield line, remove_marks(block)
            line += block.count(b"\n")
    if rest:
        yield line, remove_marks(rest) + b"\n"


def remove_marks(text: bytes) -> bytes:
    """Remove byte order marks from the beginning of each line; concatenated files contain them."""
    return MARKS.sub(b"", text) if BYTE_ORDER_MARK in text else text


def unpack(file: Any, reading: Reading, size: int | None = None) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file; at most `size` at a time, by default BLOCK."""
    size = size or BLOCK
    try:
        head = _peek(file)
        if isinstance(head, str):
            while text := file.read(size // 4):  # characters of up to four bytes
                yield text.encode("utf-8", "surrogateescape")
            return
    except UnicodeError as error:
        reading.reject("be text in the encoding of the open file", f"an error ({error})")
    if head != b"\x1f\x8b":
        while block := file.read(size):
            if not isinstance(block, bytes):
                reading.reject("be a file whose read method returns bytes or text", type(block).__name__)
            yield block
        return
    packed: Any = _Counted(file)
    n_bytes = 0
    try:
        with gzip.GzipFile(mode="rb", fileobj=packed) as unpacked:
            while block := unpacked.read(size):
                n_bytes += len(block)
                if n_bytes > BLOCK + MAX_RATIO * packed.n_bytes:
                    rule = f"unpack to at most {MAX_RATIO} times its size plus {BLOCK} bytes"
                    reading.reject(rule, "more")
                yield block
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reading.reject("be a complete gzip file", f"an error ({error})")


def _peek(file: Any) -> bytes | str:
    """Return the first two bytes, or text of a text file, without changing the position."""
    if callable(getattr(file, "peek", None)):
        return bytes(file.peek(2)[:2])
    is_seekable = hasattr(file, "seekable") and file.seekable()
    place = file.tell() if is_seekable else 0
    head: bytes | str = file.read(2 if is_seekable else 0)
    if is_seekable:
        file.seek(place)
    return head


class _Counted:
    """An open file that counts the bytes read from it."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.n_bytes = 0

    def read(self, size: int = -1, /) -> bytes:
        block: bytes = self.file.read(size)
        self.n_bytes += len(block)
        return block


# ---------------------------------------------------------------------------- lines


def _parse(text: bytes, reading: Reading, line: int) -> LineBlock:
    """Read lines by Python; `line` is the number of the first."""
    fields = FIELDS[reading.parameter]
    lines = text.split(b"\n")[:-1]
    places = np.flatnonzero(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    rows = list(map(bytes.split, filter(None, lines)))
    sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    wrong = (sizes != len(fields)) & (sizes > 0)
    if wrong.any():
        row = int(wrong.argmax())
        bad = int(places[row])
        rule = f"have the fields {' '.join(fields)} in each line"
        fix = "If the files are swapped, pass qrels first." * (sizes[row] in (4, 6))
        reading.reject(rule, f"{sizes[row]} fields", line + bad, lines[bad], fix)
    places = places[sizes > 0]
    column = dict(zip(fields, list(zip(*(row for row in rows if row))) or [()] * len(fields)))
    number = fields[4 if len(fields) == 6 else 3]

    def reject(place: int, rule: str, got: str) -> None:
        bad = int(places[place])
        reading.reject(rule, got, line + bad, lines[bad])

    return LineBlock(
        _decode_ids(column["query"], reject),
        _decode_ids(column["document"], reject),
        _decode_numbers(column[number], number, reject),
        _decode_ranks(column["rank"]) if "rank" in column else None,
        places if len(places) < len(lines) else None,
    )


def _decode_ids(words: tuple[bytes, ...], reject: Callable[..., None]) -> Ids:
    """Return the ids of a column as text."""
    codes: Any = defaultdict(count().__next__)
    found = np.fromiter(map(codes.__getitem__, words), dtype=np.int32, count=len(words))
    names = []
    for name in codes:
        try:
            names.append(name.decode("utf-8"))
        except UnicodeDecodeError:
            reject(words.index(name), "be text in UTF-8", "other bytes")
        if b"\0" in name:
            reject(words.index(name), "not contain null bytes", "one")
    return Ids(found, np.array(names, dtype=object))


def _decode_numbers(words: tuple[bytes, ...], number: str, reject: Callable[..., None]) -> np.ndarray:
    """Return the finite numbers of a column."""
    with suppress(ValueError):
        values = np.array(list(map(float, words)), dtype=np.float64)
        if np.isfinite(values).all() and not any(b"_" in word for word in words):
            return values
    for place, word in enumerate(words):
        value = np.nan
        with suppress(ValueError):
            value = float(word)
        if not np.isfinite(value) or b"_" in word:
            reject(place, f"have a finite number as the {number} in each line", "none")
    raise AssertionError(number)  # pragma: no cover


def _decode_ranks(words: tuple[bytes, ...]) -> np.ndarray | None:
    """Return the ranks of a column; None if they are not integers, because they are optional."""
    with suppress(ValueError, OverflowError):
        return np.array(list(map(int, words)), dtype=np.int64)
    return None
