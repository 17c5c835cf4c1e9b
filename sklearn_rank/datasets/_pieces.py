"""The join of a run with its judgments in pieces of whole queries, while its file is read.

Each piece fits in the processor cache, and the memory is that of the judgments and a few pieces. It needs a
plain file with consecutive lines for each query, as programs write them. Other files are read as a whole,
which also reports their errors.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._checks.codes import as_array, find_edges
from ._entries import EACH_ROW, Entries, EntrySource, Ids, find_contradiction, name_side, show_file
from ._file_bytes import open_file, unpack
from ._join import Joined, Sides, as_one_kind, join_queries, match_queries
from ._mismatch import Overlap, check_overlap, count_negative, look_like_scores, merge_overlaps
from ._run_objects import read_judgments
from ._trec_arrow import find_arrow, merge_chunks, parse_block
from ._trec_files import find_fields, read_head

LARGE = 2**24  # bytes; larger files are read in pieces
PIECE = 2**21  # bytes to read at once: its data fits in the cache
LARGEST = 2**26  # bytes of one query
NAME = re.compile(rb"\S*[ \t]")  # with the blank after it
N_THREADS = 2  # in addition to the one that reads


Result = TypeVar("Result")


class NotPlainError(ValueError):
    """The error for a file that must be read as a whole."""


def find_size(given: object) -> int:
    """Return the size of a file that can be read again, by its path; 0 for anything else."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        with suppress(OSError, TypeError, ValueError):  # not the path of a file
            return os.path.getsize(given) if os.path.isfile(given) else 0
    return 0


def join_pieces(
    run: object,
    qrels: object,
    queries: str,
    depth: int | None,
    use: Callable[[Joined], Result],
    with_pool: bool = False,
    whole_grades: bool = False,
) -> list[Result]:
    """Apply `use` to each piece of a file; raise ValueError if it is invalid or not readable in pieces."""
    arrow = find_arrow(LARGEST)
    if arrow is None:
        raise NotPlainError
    of_qrels = read_judgments(qrels, {}, whole_grades)
    grades = of_qrels.values
    if count_negative(grades) or look_like_scores(grades, of_qrels.queries.codes):
        raise NotPlainError
    judged = _order_judged(of_qrels)

    def use_text(text: bytes) -> tuple[list[Any], Overlap, Result | None]:
        """Return the queries in some lines, the overlap with their judgments, and the result of `use`."""
        plain = parse_block(arrow, text, fields, use_threads=False)
        if plain is None:
            raise NotPlainError
        ids, documents = (merge_chunks(arrow, [chunks]) for chunks in plain[:2])
        lines = Entries(ids, documents, plain[2], EntrySource(), plain[3])
        if find_contradiction(lines) is not None:
            raise NotPlainError
        names = ids.names.tolist()
        known = judged.take([name for name in names if name in judged.places])
        joined = _join(lines, known, depth, with_pool)
        return names, joined.overlap, use(joined) if len(joined.codes) else None

    with open_file(run, "run") as (file, reading):
        blocks, line = read_head(unpack(file, reading, PIECE))
        fields = find_fields(line or b"", "run")
        if "score" not in fields or line is None:
            raise NotPlainError
        found = _map_ahead(use_text, _split_queries(blocks))
    names = [name for each, *_ in found for name in each]
    distinct = set(names)
    if len(distinct) < len(names) or judged.places.keys().isdisjoint(names):
        raise NotPlainError
    sides = show_file(reading.name), name_side(of_qrels, "qrels")
    check_overlap(merge_overlaps([each for _, each, _ in found]), sides, of_qrels.source.words)
    results = [result for *_, result in found if result is not None]
    missed = judged.take([name for name in judged.names if name not in distinct])
    if queries != "judged" or not len(missed.values):
        return results
    return [*results, use(_join(judged.take([]), missed, None, with_pool))]


def put_together(pieces: list[Joined], with_documents: bool = False) -> Joined:
    """Join pieces, sorted by query as in `join_run`; keep the documents if `with_documents`."""
    edges = [find_edges(piece.codes) for piece in pieces]
    names = [piece.query_names[piece.codes[each[:-1]]].tolist() for piece, each in zip(pieces, edges)]
    ids = as_array([name for each in names for name in each])
    sizes = np.concatenate([np.diff(each) for each in edges])
    order = np.argsort(ids)
    starts, lengths = (np.cumsum(sizes) - sizes)[order], sizes[order]
    rows = _list_rows(starts, lengths)
    documents = as_one_kind(*(piece.find_documents() for piece in pieces)) if with_documents else [ids[:0]]
    return Joined(
        np.concatenate([piece.y_true for piece in pieces])[rows],
        np.concatenate([piece.y_score for piece in pieces])[rows],
        np.repeat(np.arange(len(ids)), lengths),
        ids[order],
        rows,
        (Ids(EACH_ROW, np.concatenate(documents)), Ids(EACH_ROW, ids[:0])),
    )


def _list_rows(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """List the row numbers of consecutive ranges, given by starts and sizes."""
    rows: np.ndarray = np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return rows


# ---------------------------------------------------------------------------- judgments


class Judged(NamedTuple):
    """Judgments, sorted by query."""

    names: list[Any]  # of queries
    places: dict[Any, int]  # index of each query in `names`
    edges: np.ndarray  # the first row of each query, then the number of rows
    documents: np.ndarray
    grades: np.ndarray

    def take(self, names: list[Any]) -> Entries:
        """Return the judgments of some queries."""
        places = np.array([self.places[name] for name in names], dtype=np.int64)
        starts, ends = self.edges[places], self.edges[places + 1]
        sizes = ends - starts
        rows = _list_rows(starts, sizes)
        ids = Ids(np.repeat(np.arange(len(names)), sizes), np.array(names, dtype=np.str_))
        return Entries(ids, Ids(EACH_ROW, self.documents[rows]), self.grades[rows], EntrySource())


def _order_judged(judged: Entries) -> Judged:
    """Sort judgments by query."""
    codes, names = judged.queries.codes, judged.queries.names.tolist()
    documents = judged.documents.spread(judged.documents.names.astype(np.bytes_))  # ValueError if not ASCII
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(len(names) + 1))
    places = {name: place for place, name in enumerate(names)}
    return Judged(names, places, edges, documents[order], judged.values[order])


def _join(run: Entries, judged: Entries, depth: int | None, with_pool: bool) -> Joined:
    """Join a run with some judgments, for the judged queries."""
    sides = Sides(run, judged, with_pool=with_pool)
    matched = match_queries(sides)
    return join_queries(sides, matched, matched.in_judged, depth)


# ---------------------------------------------------------------------------- lines


def _split_queries(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of whole queries, if each query has consecutive lines in the file."""
    rest = b""
    for block in blocks:
        text = rest + block
        cut = _find_last_query(text)
        if cut:
            yield text[:cut]
        rest = text[cut:]
        if len(rest) > LARGEST:
            raise NotPlainError
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _find_last_query(text: bytes) -> int:
    """Return the position of the first line of the last query in complete lines."""
    name = NAME.match(text, text.rfind(b"\n", 0, text.rfind(b"\n")) + 1)
    return 0 if name is None or text.startswith(name[0]) else text.find(b"\n" + name[0]) + 1


def _map_ahead(function: Callable[[Any], Any], items: Iterator[Any]) -> list[Any]:
    """Apply a function to items in threads while the next ones are read; keep few items in memory."""
    from concurrent.futures import Future, ThreadPoolExecutor  # takes long to import

    results, waiting = [], deque[Future[Any]]()
    with ThreadPoolExecutor(N_THREADS) as threads:
        for item in items:
            if len(waiting) > N_THREADS:
                results.append(waiting.popleft().result())
            waiting.append(threads.submit(function, item))
        return results + [each.result() for each in waiting]
