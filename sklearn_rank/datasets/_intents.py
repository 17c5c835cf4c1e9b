"""Judgments of documents for several intents (subtopics) of a query, as in the diversity tasks of TREC."""

from typing import NamedTuple

import numpy as np

from .._checks.containers import column_names
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import Arguments
from ._entries import Entries, EntrySource, Ids, show_entry
from ._file_bytes import is_file, open_file, unpack
from ._file_tables import find_kind, read_table
from ._run_objects import find_column, read_frame, read_ids, take_table
from ._trec_files import FIELDS, read_head, read_lines

OF_SUBTOPICS = ("query", "document", "name", "grade")  # to read the second field as an id


class IntentLabels(NamedTuple):
    """Judged documents, whose values are rows of `labels`."""

    judged: Entries
    labels: np.ndarray  # of shape (n_documents, n_intents)


def read_intents(qrels: object, columns: Arguments) -> IntentLabels:
    """Read judgments with a subtopic each; the columns are the subtopics of each query in their order."""
    if isinstance(qrels, IntentLabels):
        return qrels
    entries, subtopics = _read_file(qrels, columns) if is_file(qrels) else _read_frame(qrels, columns)
    if len(subtopics.names) and len(set(subtopics.spread(subtopics.names).tolist())) < 2:
        rule = "contain several subtopics if metrics of intents are computed"
        fail("qrels", rule, f"only {subtopics.show(0)} in {entries.source.name or 'the frame'}")
    queries = entries.queries.codes
    names, documents = np.unique(entries.documents.spread(entries.documents.names), return_inverse=True)
    _, first, rows = np.unique(
        queries * max(len(names), 1) + documents, return_index=True, return_inverse=True
    )
    places = _number_subtopics(queries, subtopics)
    order = np.lexsort((places, rows))
    again = (np.diff(rows[order]) == 0) & (np.diff(places[order]) == 0)
    if again.any():
        row = int(order[1:][again].min())
        fail("qrels", "contain each document once per subtopic", f"a second {show_entry(entries, row)}")
    labels = np.zeros((len(first), int(places.max(initial=-1)) + 1))
    labels[rows, places] = np.where(entries.values < 0, np.nan, entries.values)
    source = EntrySource(entries.source.name, np.array([entries.source.find_line(row) - 1 for row in first]))
    judged = Entries(
        Ids(queries[first], entries.queries.names),
        Ids(documents[first], names),
        np.arange(len(first), dtype=np.float64),
        source,
    )
    return IntentLabels(judged, labels)


def _read_file(qrels: object, columns: Arguments) -> tuple[Entries, Ids]:
    with open_file(qrels, "qrels") as (file, reading):
        blocks, line = read_head(unpack(file, reading))
        texts = list(blocks)
        if line is None:
            reading.reject("be a TREC file or a table with subtopics", "JSON")
        if kind := find_kind(line, columns):
            return _read_frame(read_table(b"".join(texts), reading, kind, columns), columns)
        entries = read_lines(texts, reading, FIELDS["qrels"])
        return entries, read_lines(texts, reading, OF_SUBTOPICS).documents


def _read_frame(qrels: object, columns: Arguments) -> tuple[Entries, Ids]:
    frame = take_table(qrels, "qrels")
    if column_names(frame) is None:
        fail("qrels", "be a file or a frame with subtopics", type(qrels).__name__)
    entries = read_frame(frame, "grade", "qrels", columns)
    subtopics = read_ids(find_column(frame, "intent", "qrels", columns), "qrels")
    if len(subtopics.names):
        check_groups(subtopics.names, len(subtopics.names), "qrels")
    is_blank = np.array([isinstance(name, str) and not name.strip() for name in subtopics.names.tolist()])
    if is_blank.any():
        row = int(subtopics.spread(is_blank).argmax())
        fail("qrels", "have a subtopic in each row", f"an empty one for {show_entry(entries, row)}")
    return entries, subtopics


def _number_subtopics(queries: np.ndarray, subtopics: Ids) -> np.ndarray:
    """Return the place of each row's subtopic among those of its query, ordered as numbers or text."""
    names, codes = np.unique(subtopics.spread(subtopics.names), return_inverse=True)
    texts = names.astype(np.str_)
    if len(texts) and np.strings.isdecimal(texts).all():
        codes = np.argsort(np.argsort([int(text) for text in texts.tolist()], kind="stable"))[codes]
    pairs, places = np.unique(queries * max(len(names), 1) + codes, return_inverse=True)
    of_query = pairs // max(len(names), 1)
    starts = np.searchsorted(of_query, of_query)
    found: np.ndarray = (np.arange(len(pairs)) - starts)[places]
    return found
