"""Bytes of files, unpacked from the formats that Python or pyarrow can read."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any, NamedTuple, NoReturn

from .._checks.errors import fail
from ._entries import show_id, show_line
from ._trec_arrow import BYTE_ORDER_MARK

BLOCK = 2**22  # bytes to read at once
MAX_RATIO = 200  # of unpacked to packed bytes, beyond a block; about 10 in real runs
MARKS = re.compile(b"(?m)^(?:" + BYTE_ORDER_MARK + b")+")
# Formats that contain text, by their first bytes, and the endings of their names.
PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
OTHERS = {b"PK\x03\x04": "a zip archive", b"PAR1": "a Parquet file", b"ARROW1": "an Arrow file"}
N_FIRST = max(map(len, (*PACKED, *OTHERS)))


class Reading(NamedTuple):
    """The parameter and file that are read, for errors."""

    parameter: str  # "run" or "qrels"
    name: str  # of the file

    def reject(
        self, rule: str, got: str, line: int | None = None, text: bytes = b"", fix: str = ""
    ) -> NoReturn:
        """Raise an error about a line of the file, numbered from 0."""
        place = f" in {self.name}" if line is None else f" in line {line + 1} of {self.name}"
        place += f", {show_line(text)}" if text else ""
        fail(self.parameter, rule, got, fix, place)


def is_file(given: object) -> bool:
    """Return whether an argument is a path or an open file."""
    return isinstance(given, str) or hasattr(given, "__fspath__") or _is_open(given)


def _is_open(given: object) -> bool:
    return callable(getattr(given, "read", None))


@contextmanager
def open_file(given: Any, parameter: str) -> Iterator[tuple[Any, Reading]]:
    """Open a path, or yield an open file unchanged; also yield its name for errors."""
    if _is_open(given):
        name = getattr(given, "name", None)
        yield given, Reading(parameter, name if isinstance(name, str) else "an open file")
        return
    try:
        file = open(given, "rb")  # noqa: SIM115
    except IsADirectoryError:
        fix = "If it is a data set of BEIR, pass its file qrels/test.tsv as judgments."
        fail(parameter, "be the path of a file", f"the folder {show_id(str(given))}", fix)
    except (ValueError, TypeError):  # invalid characters, or an object with a wrong __fspath__
        fail(parameter, "be the path of a file", show_id(str(given)))
    with file:
        yield file, Reading(parameter, str(given))


def remove_marks(text: bytes) -> bytes:
    """Remove byte order marks from the beginning of each line; concatenated files contain them."""
    return MARKS.sub(b"", text) if BYTE_ORDER_MARK in text else text


def is_packed(head: bytes) -> bool:
    """Return whether a file is packed, from its first bytes."""
    return bool(_find_format(head, PACKED))


def _find_format(head: object, formats: Mapping[bytes, str]) -> str:
    """Return the format of a file from its first bytes; "" for others."""
    return next(
        (name for first, name in formats.items() if isinstance(head, bytes) and head.startswith(first)), ""
    )


def unpack(file: Any, reading: Reading, size: int | None = None) -> Iterator[bytes]:
    r"""Yield the unpacked bytes of a text file; at most `size` at a time, by default BLOCK.

    The line ends ``\r\n`` and ``\r`` become ``\n``.
    """
    held = b""  # the first byte of a line end that can continue in the next block
    for block in _unpack(file, reading, size):
        if held or b"\r" in block:
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""
            block = block.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if block:
            yield block
    if held:
        yield b"\n"


def _unpack(file: Any, reading: Reading, size: int | None) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file, with all its line ends."""
    size = size or BLOCK
    try:
        head = _peek(file)
        if isinstance(head, str):
            while text := file.read(size // 4):  # characters of up to four bytes
                yield text.encode("utf-8", "surrogateescape")
            return
    except UnicodeError as error:
        reading.reject("be text in the encoding of the open file", f"an error ({error})")
    if other := _find_format(head, OTHERS):
        fix = "Read it with pandas.read_parquet, and pass the frame." if "Parquet" in other else ""
        reading.reject("be text, which can be compressed", other, fix=fix)
    packing = _find_format(head, PACKED)
    if not packing:
        while block := file.read(size):
            if not isinstance(block, bytes):
                reading.reject("be a file whose read method returns bytes or text", type(block).__name__)
            yield block
        return
    packed = _Counted(file)
    unpacked, errors = _open_packed(packed, packing, reading)
    n_bytes = 0
    while True:
        try:
            block = unpacked.read(size)
        except errors as error:
            reading.reject(f"be a complete {packing} file", f"an error ({error})")
        if not block:
            return
        n_bytes += len(block)
        if n_bytes > BLOCK + MAX_RATIO * packed.n_bytes:
            reading.reject(f"unpack to at most {MAX_RATIO} times its size plus {BLOCK} bytes", "more")
        yield block


def _open_packed(packed: Any, packing: str, reading: Reading) -> tuple[Any, tuple[type[Exception], ...]]:
    """Open a packed file; also return the errors that it raises if its data is wrong."""
    errors = (EOFError, OSError, ValueError)
    if packing == "gzip":
        return gzip.GzipFile(fileobj=packed), (*errors, zlib.error)
    try:
        module: Any = import_module({"bz2": "bz2", "xz": "lzma"}.get(packing, "pyarrow"))
    except ImportError as error:
        fix = "Install pyarrow, or unpack the file first."
        reading.reject("be packed in a format that can be read here", f"{packing} ({error})", fix=fix)
    if packing == "bz2":
        return module.BZ2File(packed), errors
    if packing == "xz":
        return module.LZMAFile(packed), (*errors, module.LZMAError)
    return module.CompressedInputStream(module.PythonFile(packed, mode="r"), packing), errors


def _peek(file: Any) -> Any:
    """Return the first bytes, or text of a text file, without changing the position."""
    if callable(getattr(file, "peek", None)):
        return bytes(file.peek(N_FIRST)[:N_FIRST])
    is_seekable = hasattr(file, "seekable") and file.seekable()
    place = file.tell() if is_seekable else 0
    head = file.read(N_FIRST if is_seekable else 0)
    if is_seekable:
        file.seek(place)
    return head


class _Counted(io.RawIOBase):
    """An open file that counts the bytes read from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.n_bytes = 0

    def read(self, size: int = -1, /) -> bytes:
        block: bytes = self.file.read(size)
        self.n_bytes += len(block)
        return block

    def readable(self) -> bool:
        return True
