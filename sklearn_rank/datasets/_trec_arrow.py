"""Plain blocks of a file in TREC format, read by pyarrow.

A plain block has one blank between fields, no other blanks and no null bytes. pyarrow and the Python reader
return the same values for it. The Python reader reads all other blocks and reports their errors.
"""

import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from .._checks.codes import as_array, decode_ascii
from .._checks.containers import view_numbers
from .._checks.types import Estimator, Options, Table
from ._entries import EACH_ROW, Ids

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors write it; pyarrow removes it from any block
LARGE = 2**20  # bytes that Python reads in about the import time of pyarrow
PIECE = 2**21  # bytes for a thread
MAX_PADDED, MAX_ASCII = 32, 127  # length and highest character of names to keep as bytes
OTHER_BLANKS = (b"\t", b" ", b"\r", b"\v", b"\f", b"\0")
LINE_SEPARATORS = re.compile(rb"[\v\f\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]")  # of other programs
HEXADECIMAL = (b"x", b"X")  # after a 0: pyarrow reads such ranks, Python does not


def find_arrow(n_bytes: int) -> Any:
    """Return pyarrow with its CSV reader; None if it is not installed or the file is too small."""
    if n_bytes < LARGE and "pyarrow.csv" not in sys.modules:
        return None
    try:
        import_module("pyarrow.csv")
        return import_module("pyarrow")
    except ImportError:
        return None


def parse_block(
    arrow: Table, text: bytes, fields: tuple[str, ...], use_threads: bool = True
) -> tuple[Any, ...] | None:
    """Return query ids, document ids, numbers and ranks of a plain block; None for other blocks."""
    blank = b"\t" if b"\t" in text[: text.find(b"\n")] else b" "
    if not _is_plain(text, blank) or ("tag 0" in fields and LINE_SEPARATORS.search(text)):
        return None
    number = next(each for each in ("score", "grade", "rank") if each in fields)
    ids = arrow.dictionary(arrow.int32(), arrow.string())
    types: Options = {"rank": arrow.int64(), number: arrow.float64()}
    types |= {"query": ids, "document": arrow.string(), "tag": ids}
    reader = arrow.csv
    # Threads of pyarrow can free the buffer when Python ends, which would abort it if that were an object.
    buffer = arrow.allocate_buffer(len(text))
    np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(text, dtype=np.uint8)
    wanted: list[str] = ["query", "document", number]
    wanted += ["rank"] * (number == "score") + ["tag"] * ("tag 0" in fields)
    try:
        table = reader.read_csv(
            arrow.BufferReader(buffer),
            memory_pool=arrow.system_memory_pool(),  # it returns freed memory to the system
            read_options=reader.ReadOptions(column_names=fields, block_size=PIECE, use_threads=use_threads),
            parse_options=reader.ParseOptions(delimiter=blank.decode(), quote_char=False, escape_char=False),
            convert_options=reader.ConvertOptions(
                column_types={name: types[name] for name in wanted},
                include_columns=wanted,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except arrow.ArrowInvalid:  # wrong number of fields, invalid numbers or UTF-8
        return None
    # If a line is longer than a piece, a chunk has no rows.
    queries, documents = ([each for each in table[name].chunks if len(each)] for name in wanted[:2])
    values = _as_numpy(table[number].chunks, np.float64)
    if not np.isfinite(values).all():
        return None
    ends = map(_ends_of, (*documents, *(each.dictionary for each in queries)))
    if any((each[1:] == each[:-1]).any() for each in ends):  # an empty id
        return None
    if "tag" in wanted and any(map(_has_number, table["tag"].chunks)):  # a blank in another field
        return None
    ranks = _as_numpy(table["rank"].chunks, np.int64) if number == "score" else None
    return queries, _as_bytes(documents), values, ranks


def _is_plain(text: bytes, blank: bytes) -> bool:
    """Return whether fields are separated by one blank, without other blanks or empty lines."""
    others = [BYTE_ORDER_MARK, *(each for each in OTHER_BLANKS if each != blank)]
    if text.startswith((b"\n", b"#", blank)) or b"\n#" in text or any(each in text for each in others):
        return False
    if any(each in text and blank + b"0" + each in text for each in HEXADECIMAL):
        return False
    is_low = np.frombuffer(text, dtype=np.uint8) <= ord(" ")  # blanks, line ends, rare characters
    return not (is_low[1:] & is_low[:-1]).any()


def _has_number(tags: Any) -> bool:
    """Return whether some tag is a number."""
    for tag in tags.dictionary.to_pylist():
        with suppress(ValueError):
            float(tag)
            return True
    return False


def _ends_of(names: Any) -> np.ndarray:
    """Return the byte positions where the first name begins and each name ends."""
    return np.frombuffer(names.buffers()[1], dtype=np.int32)[names.offset : names.offset + len(names) + 1]


def _as_bytes(chunks: list[Any]) -> list[Any]:
    """Return short ASCII names as bytes padded to the same length; others as codes and names."""
    padded = []
    for chunk in chunks:
        ends = _ends_of(chunk)
        text = np.frombuffer(chunk.buffers()[2], dtype=np.uint8)[ends[0] : ends[-1]]
        sizes = np.diff(ends)
        width = int(sizes.max())
        if width > MAX_PADDED or text.max() > MAX_ASCII:
            return [each.dictionary_encode() for each in chunks]
        letters = np.zeros((len(sizes), width), dtype=np.uint8)
        letters[np.arange(width) < sizes[:, None]] = text
        padded.append(letters.view(f"S{width}").ravel())
    return padded


def merge_chunks(arrow: Table, parts: list[Estimator]) -> Any:
    """Join the ids of all blocks, read here or in Python, and empty the list of parts."""
    chunks = [chunk for part in parts for chunk in ([part] if isinstance(part, Ids) else part)]
    parts.clear()
    if all(isinstance(chunk, np.ndarray) for chunk in chunks):
        return Ids(EACH_ROW, np.concatenate(chunks))
    column = arrow.chunked_array([_as_dictionary(arrow, chunk) for chunk in chunks]).unify_dictionaries()
    names = column.chunk(0).dictionary.to_pylist()
    return Ids(_as_numpy([chunk.indices for chunk in column.chunks], np.int32), as_array(names))


def _as_dictionary(arrow: Table, chunk: Table) -> Any:
    """Return names in any form as a pyarrow dictionary array."""
    if isinstance(chunk, np.ndarray):
        return arrow.array(decode_ascii(chunk).tolist(), type=arrow.string()).dictionary_encode()
    if isinstance(chunk, Ids):
        names = arrow.array(chunk.names.tolist(), type=arrow.string())
        return arrow.DictionaryArray.from_arrays(arrow.array(chunk.codes.astype(np.int32)), names)
    return chunk


def _as_numpy(chunks: list[Any], dtype: type) -> np.ndarray:
    """Join chunks of numbers without missing values to one array."""
    return np.concatenate([view_numbers(chunk, dtype) for chunk in chunks])
