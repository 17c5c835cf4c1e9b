"""Runs and judgments in TREC format: one line per document with fields separated by blanks.

A file is read in blocks of whole lines. pyarrow reads a block if it is installed, the file is large and the
block is plain. Python reads all other blocks and reports their errors. Files in other formats are recognized
by their content: tables with column names, and JSON.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from .._checks.codes import as_array
from .._checks.types import Arguments
from .._checks.warn import RankingWarning, warn_user
from . import _file_bytes
from ._entries import Entries, EntrySource, Ids, score_ranks, show_line, start_warning
from ._file_bytes import Reading, open_file, remove_marks, unpack
from ._file_tables import CONTENT, JSON, Frame, find_kind, read_json, read_table
from ._trec_arrow import LINE_SEPARATORS, find_arrow, merge_chunks, parse_block

FIELDS = {
    "run": ("query", "Q0", "document", "rank", "score", "tag"),
    "qrels": ("query", "iteration", "document", "grade"),
}
HEAD = 2**16  # bytes of lines to search for signs of another format
MOST_GRADE, MOST_INTENTS = 10**8, 20  # of judgments
RANKED = ("query", "document", "rank")  # in a run of MS MARCO
CUT = "If the file was cut while it was written or copied, write it again, or remove its last line."
LINE_END = "If %s ends lines, replace it by a line feed."
OPTION = "If it is a table, pass its column names: columns={'query': ..., 'document': ..., %r: ...}."


class LineBlock(NamedTuple):
    """The data of some lines."""

    queries: Any  # Ids, or chunks of pyarrow
    documents: Any
    values: np.ndarray
    ranks: np.ndarray | None
    lines: np.ndarray | None = None  # line numbers of rows, from 0 in the block; None if no line is blank


def read_file(given: object, parameter: str, columns: Arguments) -> Entries | Frame:
    """Read a run or judgments from a path or an open file."""
    with open_file(given, parameter) as (file, reading):
        blocks, line = read_head(unpack(file, reading))
        if line is None:
            return read_json(b"".join(blocks), reading)
        if kind := find_kind(line, columns):
            return read_table(b"".join(blocks), reading, kind, columns)
        return read_lines(blocks, reading, find_fields(line, parameter))


def read_head(blocks: Iterator[bytes]) -> tuple[Iterator[bytes], bytes | None]:
    """Return all blocks, and the first line that is not a comment; None instead of a line if it is JSON."""
    parts: list[bytes] = []
    unsearched: list[bytes] = []
    line, n_bytes, is_end = None, 0, False
    while line is None and n_bytes <= _file_bytes.BLOCK and not is_end:
        parts.append(next(blocks, b""))
        is_end = not parts[-1]
        n_bytes += len(parts[-1])
        unsearched.append(parts[-1] or b"\n")
        if b"\n" in unsearched[-1]:
            text = b"".join(unsearched)
            line = CONTENT.search(remove_marks(text))
            unsearched = [text[text.rfind(b"\n") + 1 :]]
    if JSON.match(b"".join(parts)):
        return chain(parts, blocks), None
    return chain(parts, blocks), line[1] if line else b""


def find_fields(line: bytes, parameter: str) -> tuple[str, ...]:
    """Return the fields of a file from its first line; the name of a run can consist of several words."""
    words = line.split()
    if parameter == "run" and len(words) == len(RANKED):
        return RANKED
    fields = FIELDS[parameter]
    more = len(words) - len(fields) if parameter == "run" else 0
    return (*fields, *(f"tag {place}" for place in range(more)))


def read_lines(texts: Iterable[bytes], reading: Reading, fields: tuple[str, ...]) -> Entries:
    """Read lines with these fields."""
    blocks: list[LineBlock] = []
    starts: list[int] = []
    arrow, head = None, b""
    for line, text in _read_blocks(texts, reading):
        if text.isspace():
            continue
        arrow = arrow or find_arrow(len(text))
        plain = parse_block(arrow, text, fields) if arrow else None
        if plain is None and not head and b"#" not in (start := text[: text.find(b"\n", HEAD) + 1]):
            _parse(start, reading, line, fields)  # reports an error before all lines are split
        head = head or text[:HEAD]
        blocks.append(_parse(text, reading, line, fields) if plain is None else LineBlock(*plain))
        starts.append(line)
    if not blocks:
        empty = Ids(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.str_))
        return Entries(empty, empty, np.empty(0), EntrySource(reading.name))
    source = EntrySource(reading.name, _join_lines(blocks, starts))
    if fields == FIELDS["qrels"]:
        source = source._replace(
            doubt=_find_doubt(head, max(block.values.max(initial=0) for block in blocks))
        )
    queries, documents, values, ranks, _ = (list(column) for column in zip(*blocks))
    blocks.clear()
    merge = partial(merge_chunks, arrow) if arrow else _merge
    all_ranks = None if any(each is None for each in ranks) else _join(ranks)
    entries = Entries(merge(queries), merge(documents), _join(values), source, all_ranks)
    return score_ranks(entries, reading.parameter) if fields == RANKED else entries


def _find_doubt(head: bytes, highest: float) -> str:
    """Return a sign that lines are not judgments, such as ratings: user, item, rating, time."""
    if highest > MOST_GRADE:
        return f"the grade {highest:.15g}"
    rows = [row for row in map(bytes.split, head.splitlines()) if len(row) == len(FIELDS["qrels"])]
    n_seconds, n_documents = (len({row[place] for row in rows}) for place in (1, 2))
    if n_seconds > max(MOST_INTENTS, n_documents):
        return f"{n_seconds} different entries in the second field and {n_documents} documents"
    return ""


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


def _read_blocks(texts: Iterable[bytes], reading: Reading) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of complete lines, and the number of the first, from 0."""
    line, rest = 0, b""
    longest = _file_bytes.BLOCK
    for block in texts:
        block = rest + block
        first, end = block.find(b"\n"), block.rfind(b"\n") + 1
        if (first if end else len(block)) > longest:
            reading.reject(f"have lines of at most {longest} bytes", "more", line, block[:longest])
        block, rest = block[:end], block[end:]
        if block:
            yield line, remove_marks(block)
            line += block.count(b"\n")
    if rest:
        yield line, remove_marks(rest) + b"\n"


# ---------------------------------------------------------------------------- lines


def _parse(text: bytes, reading: Reading, line: int, fields: tuple[str, ...]) -> LineBlock:
    """Read lines by Python; `line` is the number of the first."""
    fields = fields[: len(FIELDS["run"])]
    lines = text.split(b"\n")[:-1]
    if b"#" in text:
        lines = _remove_comments(lines, reading, line, fields)
    places = np.flatnonzero(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    rows = list(map(bytes.split, filter(None, lines)))
    sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    wrong = (sizes != len(fields)) & (sizes > 0)
    for row in np.flatnonzero(wrong).tolist() if "tag" in fields else ():
        wrong[row] = not _has_long_tag(rows[row]) or _has_rows_in_tag(lines[places[row]])
    if wrong.any():
        row = int(wrong.argmax())
        bad = int(places[row])
        is_cut = line + bad > 0 and row == len(rows) - 1 and sizes[row] < len(fields)
        rule = f"have the fields {' '.join(fields)} in each line"
        fix = "If the files are swapped, pass qrels first." * (sizes[row] in (4, 6))
        fix = "Read it by load_svmlight_ranking." if b" qid:" in lines[bad] else fix
        fix = fix or OPTION % ("score" if reading.parameter == "run" else "grade")
        fix = CUT if is_cut else fix
        if separator := LINE_SEPARATORS.search(lines[bad]):
            fix = LINE_END % show_line(separator[0])
        reading.reject(rule, f"{sizes[row]} fields", line + bad, lines[bad], fix)
    places = places[sizes > 0]
    column = dict(zip(fields, list(zip(*(row for row in rows if row))) or [()] * len(fields)))
    number = next(each for each in ("score", "grade", "rank") if each in fields)

    def reject(place: int, rule: str, got: str) -> None:
        bad = int(places[place])
        reading.reject(rule, got, line + bad, lines[bad])

    return LineBlock(
        _decode_ids(column["query"], reject),
        _decode_ids(column["document"], reject),
        _decode_numbers(column[number], number, reject),
        _decode_ranks(column["rank"]) if number == "score" else None,
        places if len(places) < len(lines) else None,
    )


def _has_long_tag(words: list[bytes]) -> bool:
    """Return whether a line of a run has several words as its tag, and not a blank in another field."""
    return len(words) > len(FIELDS["run"]) and _is_number(words[3]) and not _is_number(words[5])


def _has_rows_in_tag(line: bytes) -> bool:
    """Return whether the tag of a run contains other rows, which another program would read as lines."""
    n_words = (len(part.split()) for part in LINE_SEPARATORS.split(line.split(None, 5)[5])[1:])
    return max(n_words, default=0) >= len(FIELDS["run"]) - 1


def _is_number(word: bytes) -> bool:
    with suppress(ValueError):
        float(word)
        return True
    return False


def _remove_comments(lines: list[bytes], reading: Reading, line: int, fields: tuple[str, ...]) -> list[bytes]:
    """Empty the lines that begin with #, as trec_eval 10 does; warn if such a line has all fields."""
    is_comment = [each.lstrip().startswith(b"#") for each in lines]
    for place in np.flatnonzero(is_comment).tolist():
        words = lines[place].split()
        if len(words) == len(fields) and _is_number(words[len(fields) - 1 - ("tag" in fields)]):
            where = f"line {line + place + 1} of {reading.name}, {show_line(lines[place])}"
            fact = f"{start_warning()}{where}, begins with #, so it is a comment, as in trec_eval 10"
            warn_user(f"{fact}. If it is an entry, change the query id.", RankingWarning)
            break
    return [b"" if skipped else each for skipped, each in zip(is_comment, lines)]


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
