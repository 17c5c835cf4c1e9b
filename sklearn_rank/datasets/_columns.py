"""Names of the columns of frames and tables."""

from collections.abc import Sequence
from typing import Any

from .._checks.types import Arguments

# Default column names of each field.
COLUMNS = {
    "query": ("query", "query_id", "query-id", "qid", "q_id", "user", "user_id"),
    "document": (
        *("document", "document_id", "doc_id", "docno", "docid", "corpus_id", "corpus-id", "pid"),
        *("item", "item_id"),
    ),
    "score": ("score",),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "label", "rating"),
    "intent": ("intent", "subtopic", "subtopic_id"),
    "time": ("time", "timestamp"),
}
ALIASES = {"user": "query", "item": "document", "rating": "grade"}  # further keys of a mapping
OF_BEIR = {"query-id", "corpus-id", "score"}  # columns of BEIR's judgments, whose grade is the score
QUERY_IDS = ("query_id", "query-id", "qid", "q_id")  # in a frame that also has the text of the query


def choose_names(names: Sequence[Any], key: str, columns: Arguments) -> list[Any]:
    """List the columns that can contain a key: that in `columns`, else the default names.

    PyTerrier's frames have texts in "query" and ids in "qid", and positions in "docid" and ids in "docno".
    """
    if columns.get(key) in names:
        return [columns[key]]
    found = [name for name in COLUMNS[key] if name in names]
    if key == "query" and len(found) == 2 and found[0] == "query" and found[1] in QUERY_IDS:
        return found[1:]
    if key == "document" and len(found) == 2 and "docid" in found:
        found.remove("docid")
    if key == "grade" and not found and set(names) >= OF_BEIR:
        return ["score"]
    return found
