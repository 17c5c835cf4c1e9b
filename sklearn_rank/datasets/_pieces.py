"""A run joined with its judgements in pieces of whole queries, while its file is read.

What is touched at a time stays in the cache of the processor, and the memory is that of the judgements and of
a few pieces. It needs a plain file in which the lines of a query stand together, as programs write them. Any
other is for the reader of whole files, which also says what is wrong with it.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._checks.codes import as_array, find_edges
from ._entries import EACH_ROW, Entries, EntrySource, Ids, find_contradiction, name_side
from ._join import Joined, Sides, as_one_kind, join_queries, match_queries
from ._mismatch import Overlap, check_overlap, look_like_scores, merge_overlaps
from ._run_objects import read_judgments
from ._trec_arrow import find_arrow, merge_chunks, parse_block
from ._trec_files import FIELDS, open_file, unpack

LARGE = 2**24  # bytes of a file that is read in pieces
PIECE = 2**21  # bytes that are read at once: what is made of them stays in the cache
LARGEST = 2**26  # bytes of one query
NAME = re.compile(rb"\S*[ \t]")  # with the blank behind it
N_THREADS = 2  # beside the one that reads


Result = TypeVar("Result")


class NotPlainError(ValueError):
    """A file that must be read as a whole."""


def find_size(given: object) -> int:
    """Return the bytes of a file that can be read again, by its path; 0 of anything else."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        with suppress(OSError, TypeError, ValueError):  # no path of a file
            return os.path.getsize(given) if os.path.isfile(given) else 0
    return 0


def join_pieces(
    run: Any,
    qrels: Any,
    queries: str,
    depth: int | None,
    use: Callable[[Joined], Result],
    with_pool: bool = False,
    whole_grades: bool = False,
) -> list[Result]:
    """Return what is made of each piece of a file; ValueError if it must be read as a whole, or is wrong."""
    arrow = find_arrow(LARGEST)
    if arrow is None:
        raise NotPlainError
    of_qrels = read_judgments(qrels, {}, whole_grades)
    if look_like_scores(of_qrels.values):
        raise NotPlainError
    judged = _order_judged(of_qrels)

    def use_text(text: bytes) -> tuple[list[Any], Overlap, Result | None]:
        """Return the names of the queries of some lines, and what is judged of them and made of these."""
        plain = parse_block(arrow, text, FIELDS["run"], use_threads=False)
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
        found = _map_ahead(use_text, _split_queries(unpack(file, reading, PIECE)))
    names = [name for each, *_ in found for name in each]
    if len(set(names)) < len(names) or judged.places.keys().isdisjoint(names):
        raise NotPlainError
    sides = reading.name, name_side(of_qrels, "qrels")
    check_overlap(merge_overlaps([each for _, each, _ in found]), sides, of_qrels.source.words)
    results = [result for *_, result in found if result is not None]
    missed = _join_missed(judged, set(names), with_pool)
    return [*results, use(missed)] if queries == "judged" and missed is not None else results


def put_together(pieces: list[Joined], with_documents: bool = False) -> Joined:
    """Join pieces in the order of their queries, as `join_run` has them; documents are kept if asked for."""
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
    """List the rows of stretches, one stretch after the other."""
    rows: np.ndarray = np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return rows


# ---------------------------------------------------------------------------- judgements


class Judged(NamedTuple):
    """Judgements in the order of their queries."""

    names: list[Any]  # of queries
    places: dict[Any, int]  # of each among the names
    edges: np.ndarray  # the first row of each, and after them their number
    documents: np.ndarray
    grades: np.ndarray

    def take(self, names: list[Any]) -> Entries:
        """Return the judgements of some queries."""
        places = np.array([self.places[name] for name in names], dtype=np.int64)
        starts, ends = self.edges[places], self.edges[places + 1]
        sizes = ends - starts
        rows = _list_rows(starts, sizes)
        ids = Ids(np.repeat(np.arange(len(names)), sizes), np.array(names, dtype=np.str_))
        return Entries(ids, Ids(EACH_ROW, self.documents[rows]), self.grades[rows], EntrySource())


def _order_judged(judged: Entries) -> Judged:
    """Bring judgements into the order of their queries."""
    codes, names = judged.queries.codes, judged.queries.names.tolist()
    documents = judged.documents.spread(judged.documents.names.astype(np.bytes_))  # a ValueError beyond ASCII
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(len(names) + 1))
    places = {name: place for place, name in enumerate(names)}
    return Judged(names, places, edges, documents[order], judged.values[order])


def _join_missed(judged: Judged, found: set[Any], with_pool: bool) -> Joined | None:
    """Join the queries of which nothing was retrieved; None where there is none."""
    missed = judged.take([name for name in judged.names if name not in found])
    return _join(judged.take([]), missed, None, with_pool) if len(missed.values) else None


def _join(run: Entries, judged: Entries, depth: int | None, with_pool: bool) -> Joined:
    """Join the queries of some judgements with a run."""
    sides = Sides(run, judged, with_pool=with_pool)
    matched = match_queries(sides)
    return join_queries(sides, matched, matched.in_judged, depth)


# ---------------------------------------------------------------------------- lines


def _split_queries(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole queries of the bytes of a file, if the lines of a query stand together."""
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
    """Return where the lines of the last query of whole lines begin."""
    name = NAME.match(text, text.rfind(b"\n", 0, text.rfind(b"\n")) + 1)
    return 0 if name is None or text.startswith(name[0]) else text.find(b"\n" + name[0]) + 1


def _map_ahead(function: Callable[[Any], Any], items: Iterator[Any]) -> list[Any]:
    """Apply a function to items in threads, while the next ones are read; no more than a few are held."""
    from concurrent.futures import Future, ThreadPoolExecutor  # takes long to import

    results, waiting = [], deque[Future[Any]]()
    with ThreadPoolExecutor(N_THREADS) as threads:
        for item in items:
            if len(waiting) > N_THREADS:
                results.append(waiting.popleft().result())
            waiting.append(threads.submit(function, item))
        return results + [each.result() for each in waiting]
