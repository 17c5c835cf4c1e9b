"""A fuzzer of files of runs and judgments: all readers return the same rows or raise the same correct error.

Each input is read by pyarrow, by Python, and by a simple reader of lines and fields in this module.
"""

import io
import lzma
import re
import tempfile
import zlib
from collections import Counter
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

from sklearn_rank import from_run
from sklearn_rank.datasets import _file_bytes, _trec_arrow, _trec_files, load_svmlight_ranking

from .file_draws import QRELS, RUN, Files, draw_features, draw_files
from .runner import record_warnings
from .tables import Table, draw_table, judge_table

HAS_ARROW = find_spec("pyarrow") is not None
MESSAGE = re.compile(
    r"The '(run|qrels|path)' parameter of (from_run|load_svmlight_ranking) must .+\. Got .* instead\.( .+)?"
)
PLACE = re.compile(r" in line (\d+) of (.+?)(?:, '|, \"| instead)")
# Errors about a whole file or both files.
OF_FILES = (
    "unpack to at most",
    "be a complete gzip file",
    "be a complete bz2 file",
    "be a complete xz file",
    "be in svmlight format",
    "contain rows with a qid",
)
OF_BOTH = ("contain a query of 'qrels'", "have ids")
OF_LINES = (
    "the run has no document for",
    "the ranks in",
    "has ranks and no scores",
    "begins with #",
)  # warnings
OF_EMPTY = "contain documents with"
OF_FIELDS = "have judgments, query iteration document grade"  # of judgments with other columns
FEATURES, TABLES = 0.1, 0.1  # shares of the inputs


PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
RANKED = ("query", "document", "rank")


def is_number(word):
    """Return whether a word is a number."""
    with suppress(ValueError):
        float(word)
        return True
    return False


class Stream:
    """A file object that has only `read`."""

    def __init__(self, data):
        self.read = io.BytesIO(data).read


# ---------------------------------------------------------------------------- the simple reader


class SimpleReader:
    """Contents of a file: documents by query, and the 1-based numbers of invalid lines."""

    def __init__(self, data, fields, compressed, limit):
        self.entries, self.wrong, self.broken, self.ranks = {}, set(), False, []
        packing = next((name for first, name in PACKED.items() if data.startswith(first)), None)
        if compressed and packing:
            try:
                data = import_module(packing).decompress(data)
            except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError):
                self.broken = True
                data = b""
            self.is_large = len(data) > limit
        else:
            self.is_large = False
        self.lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        lines = {
            number: re.sub(b"^(\xef\xbb\xbf)+", b"", line).split()
            for number, line in enumerate(self.lines, 1)
        }
        lines = {number: words for number, words in lines.items() if words and not words[0].startswith(b"#")}
        n_first = len(next(iter(lines.values()), ()))
        self.is_ranked = fields == RUN and n_first == len(RANKED)
        fields = RANKED if self.is_ranked else fields
        for number, line in enumerate(self.lines, 1):
            if len(line) > limit:
                self.wrong.add(number)
            elif words := lines.get(number):
                has_long_tag = fields == RUN and len(words) > len(RUN) and self._is_long_tag(words, line)
                self._add(number, dict(zip(fields, words)), len(words) == len(fields) or has_long_tag)

    @staticmethod
    def _is_long_tag(words, line):
        """Return whether the sixth and later words are a tag, without rows that other programs would read."""
        tag = re.sub(b"^(\xef\xbb\xbf)+", b"", line).split(None, 5)[5].decode("utf-8", "surrogateescape")
        others = [part.encode("utf-8", "surrogateescape").split() for part in tag.splitlines()[1:]]
        has_rows = any(len(each) >= len(RUN) - 1 for each in others)
        return is_number(words[3]) and not is_number(words[5]) and not has_rows

    def _add(self, number, words, is_whole):
        try:
            query, document = words["query"].decode(), words["document"].decode()
            word = words.get("rank" if self.is_ranked else "score", words.get("grade"))
            value = -float(word) if self.is_ranked else float(word)
            named = self.entries.setdefault(query, {})
            if not is_whole or not np.isfinite(value) or "\0" in query + document or document in named:
                raise ValueError
            if b"_" in word or (self.is_ranked and (value > 0 or value % 1 or value in named.values())):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            self.wrong.add(number)
            return
        named[document] = value
        self.ranks.append((query, -value, 0 if self.is_ranked else words.get("rank")))

    @property
    def is_valid(self):
        return not (self.broken or self.wrong)

    def contradicts(self):
        """Return whether a lower score has a better rank."""
        try:
            rows = sorted((query, value, int(rank)) for query, value, rank in self.ranks)
        except ValueError:
            return False
        if any(not -(2**63) <= rank < 2**63 for *_, rank in rows):
            return False
        return any(one[0] == other[0] and one[2] > other[2] for one, other in pairwise(rows))


# ---------------------------------------------------------------------------- results of the readers


def pass_file(data, form, folder):
    """Return a file in the form in which it is passed, and its name in messages."""
    path = folder / "given"
    if form in ("path", "raw"):
        path.write_bytes(data)
        return (path if form == "path" else open(path, "rb", buffering=0)), str(path)
    if form == "text":
        return io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""), "an open file"
    return (io.BytesIO(data) if form == "bytes" else Stream(data)), "an open file"


def attempt(call):
    """Return the rows of a call or its error, and its warnings."""
    with record_warnings() as caught:
        try:
            return call(), [str(each.message) for each in caught]
        except Exception as error:
            return error, [str(each.message) for each in caught]


def is_same(one, other):
    """Return whether two results have bitwise equal rows, or two errors have the same message."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is type(other) and str(one) == str(other)
    return all(
        a.dtype.kind == b.dtype.kind and a.tolist() == b.tolist() for a, b in zip(one[2:], other[2:])
    ) and all(a.tobytes() == b.tobytes() for a, b in zip(one[:2], other[:2]))


def judge_error(error, simple, name):
    """Return what is wrong with an error, or None; `simple` has the contents of each file by parameter."""
    text = str(error)
    match = MESSAGE.fullmatch(text)
    if type(error) is not ValueError or match is None or not text.isprintable():
        return f"a {type(error).__name__} in another form"
    if len(text) > 1000:
        return "a message of more than 1000 characters"
    if any(words in text for words in OF_BOTH):
        common = set(simple["run"].entries) & set(simple["qrels"].entries)
        return "an error about both files, which have common queries" if common else None
    if name not in text:
        return "an error without the file name"
    file = simple[match[1]]
    if OF_EMPTY in text:
        return "an error about an empty file, which has documents" if file.entries else None
    if OF_FIELDS in text:
        return None
    if any(words in text for words in OF_FILES):
        return None if file.broken or file.is_large else "an error about gzip, which is valid"
    place = PLACE.search(text)
    if place is None:
        return "an error without a line number"
    return (
        None if int(place[1]) in file.wrong or file.broken or file.is_large else "an error about a valid line"
    )


def judge_rows(rows, caught, simple, options):
    """Return what is wrong with rows, or None."""
    if not all(each.is_valid for each in simple.values()):
        return "a result of an invalid file"
    expected, _ = attempt(
        lambda: from_run(simple["qrels"].entries, simple["run"].entries, return_items=True, **options)
    )
    if not is_same(rows, expected):
        return "rows that differ from the simple reader"
    of_ranks = [each for each in caught if "the ranks in" in each]
    if bool(of_ranks) != simple["run"].contradicts():
        return f"{'a' if of_ranks else 'no'} warning about ranks"
    others = [each for each in caught if not any(words in each for words in OF_LINES)]
    return judge_overlap(bool(others), simple["run"].entries, simple["qrels"].entries)


def judge_overlap(is_warned, run, qrels):
    """Return what is wrong with a warning about runs without judged documents, or with its absence."""
    both = run.keys() & qrels.keys()
    n_none = sum(run[query].keys().isdisjoint(qrels[query]) for query in both)
    if is_warned and 2 * n_none <= len(both):
        return "a warning about queries with judged documents"
    return None if is_warned or n_none < len(both) else "no warning about queries without judged documents"


def judge_files(files: Files, folder):
    """Read a run and qrels with both readers, and judge the results."""

    def read():
        (run, name), (qrels, _) = (
            pass_file(files.run, files.form, folder),
            pass_file(files.qrels, "bytes", folder),
        )
        names.append(name)
        try:
            return from_run(qrels, run, return_items=True, **files.options)
        finally:
            if files.form == "raw":
                run.close()

    names: list[str] = []
    compressed = files.form not in ("text", "stream")
    simple = {
        "run": SimpleReader(files.run, RUN, compressed, files.block),
        "qrels": SimpleReader(files.qrels, QRELS, True, files.block),
    }
    with (
        mock.patch.multiple(_file_bytes, BLOCK=files.block),
        mock.patch.object(_trec_arrow, "LARGE", 0),
    ):
        result, caught = attempt(read)
        if HAS_ARROW:
            with mock.patch.object(_trec_files, "find_arrow", lambda n_bytes: None):
                slow, caught_slow = attempt(read)
            if not is_same(result, slow) or caught != caught_slow:
                return "readers", f"pyarrow and Python differ: {result!r:.100} and {slow!r:.100}"
    if isinstance(result, Exception):
        name = names[0] if "'run'" in str(result)[:30] else "an open file"
        return type(result).__name__, judge_error(result, simple, name)
    return "result", judge_rows(result, caught, simple, files.options)


def judge_features(data):
    """Read features, and judge the result."""
    result, caught = attempt(lambda: load_svmlight_ranking(io.BytesIO(data), return_items=b"#" in data))
    if isinstance(result, Exception):
        match = MESSAGE.fullmatch(str(result))
        ours = (
            type(result) is ValueError
            and match
            and str(result).isprintable()
            and "an open file" in str(result)
        )
        return type(result).__name__, None if ours else f"a {type(result).__name__} in another form"
    packing = next((name for first, name in PACKED.items() if data.startswith(first)), None)
    data = import_module(packing).decompress(data) if packing else data
    n_rows = sum(bool(line.partition(b"#")[0].strip()) for line in data.split(b"\n"))
    same = {result[0].shape[0], *map(len, result[1:])} == {n_rows}
    return "result", None if same and not caught else f"{result[0].shape[0]} rows of {n_rows} lines"


# ---------------------------------------------------------------------------- the run


def draw(number, seed):
    """Draw the input with this number."""
    random = Random(seed * 2**40 + number)
    chance = random.random()
    if chance < FEATURES:
        return draw_features(random)
    return draw_table(random) if chance > 1 - TABLES else draw_files(random)


def judge(given, folder):
    """Return the kind of result of an input, and its violation or None."""
    if isinstance(given, Table):
        return judge_table(given, folder)
    return judge_files(given, folder) if isinstance(given, Files) else judge_features(given)


def run(numbers, seed):
    """Try numbered inputs; return counts of the kinds of results, and the numbers by violation."""
    kinds: Counter[str] = Counter()
    violations: dict[tuple[str, str], list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            given = draw(number, seed)
            kind, violation = judge(given, Path(folder))
            place = {Files: "files", Table: "tables"}.get(type(given), "features")
            kinds[f"{kind} of {place}"] += 1
            if violation:
                violations.setdefault((place, re.sub(r"\d+", "0", violation)[:80]), []).append(number)
    return kinds, violations


def show(number, seed):
    """Print one input, and return its result."""
    given = draw(number, seed)
    print(given)
    with tempfile.TemporaryDirectory() as folder:
        return judge(given, Path(folder))
