"""Entries of a run or of judgments in any form: a query, a document and a score or grade each."""

from collections.abc import Collection, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import to_float
from .._checks.codes import (
    MOST_LETTERS,
    SHORT,
    as_array,
    code_objects,
    decode_ascii,
    first_rows,
    rank_ids,
)
from .._checks.errors import fail, is_real, name_call
from .._checks.types import Arguments, Values
from .._checks.warn import RankingWarning, warn_user

MAX_LINE, MAX_ID = 100, 60  # characters of a line and of an id in errors
# The call of each reader.
CALLS = {
    "from_run": "from_run(qrels, run)",
    "evaluate_runs": "evaluate_runs(qrels, runs)",
    "from_two_runs": "from_two_runs(run_a, run_b)",
    "from_embeddings": "from_embeddings(qrels, queries, corpus)",
    "from_recommendations": "from_recommendations(relevant, recommended)",
    "from_interactions": "from_interactions(interactions, recommended)",
    "from_score_matrix": "from_score_matrix(relevant, scores)",
}

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
# Names of fields, and of texts, in addition to ids: these are used if a frame has none of the names above.
SECOND_NAMES = {"query": ("session_id", "session"), "document": ("doc",), "grade": ("rel",)}
ALIASES = {"user": "query", "item": "document", "rating": "grade"}  # further keys of a mapping
OF_BEIR = {"query-id", "corpus-id", "score"}  # columns of BEIR's judgments, whose grade is the score
QUERY_IDS = ("query_id", "query-id", "qid", "q_id")  # in a frame that also has the text of the query


class Ids(NamedTuple):
    """Ids by code."""

    codes: Any  # the code of each row; slice(None) if there is a name for each row
    names: np.ndarray  # ASCII bytes, or distinct ids; includes queries without documents

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return the value of each row from the values of the names."""
        spread: np.ndarray = values[self.codes]
        return spread

    def take(self, rows: np.ndarray) -> list[Any]:
        """Return the ids of the rows in a mask, with ids from files as text."""
        names = self.spread(self.names)[rows]
        ids: list[Any] = decode_ascii(names).tolist()
        return ids

    def show(self, row: int) -> str:
        """Format the id of a row for an error."""
        return show_id(as_python(self.spread(self.names)[row]))


NO_LINES = np.empty(0, dtype=np.int64)  # the lines of a file whose entries have none
EACH_ROW = slice(None)  # the codes of ids with a name for each row


def as_python(name: object) -> Any:
    """Return an id or a number as a Python type, and bytes as text."""
    name = name.item() if isinstance(name, np.generic) else name
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


class Entries(NamedTuple):
    """The entries of a run or of judgments, in their original order."""

    queries: Ids
    documents: Ids
    values: np.ndarray  # scores or grades, float64
    source: "EntrySource"
    ranks: np.ndarray | None = None  # from the file

    def keep(self, kept: np.ndarray) -> "Entries":
        """Return some of the entries. Queries without entries remain."""
        rows = np.flatnonzero(kept)
        queries, documents = (
            Ids(ids.spread(np.arange(len(ids.names)))[rows], ids.names)
            for ids in (self.queries, self.documents)
        )
        lines = self.source.lines
        source = self.source._replace(lines=rows if lines is None else lines[rows])
        ranks = None if self.ranks is None else self.ranks[rows]
        return Entries(queries, documents, self.values[rows], source, ranks)


class EntrySource(NamedTuple):
    """The source of entries, to locate them in errors."""

    name: str = ""  # of the file
    # Line number of each entry, from 0; None if equal to the row number, NO_LINES if there are none.
    lines: np.ndarray | None = None
    words: tuple[str, str] = ("query", "document")  # the nouns for ids in errors
    doubt: str = ""  # why a file of judgments seems to be another file

    def find_line(self, row: int) -> int:
        """Return the line number of an entry, from 1."""
        return 1 + (row if self.lines is None else int(self.lines[row]))

    @property
    def has_lines(self) -> bool:
        """Return whether each entry has a line."""
        return bool(self.name) and self.lines is not NO_LINES

    def locate(self, row: int | None = None) -> str:
        """Return the file, and the line of an entry, as text."""
        line = " in" if row is None or not self.has_lines else f" in line {self.find_line(row)} of"
        return f"{line} {self.name}" if self.name else ""


def choose_names(names: Sequence[Any], key: str, columns: Arguments) -> list[Any]:
    """List the columns that can contain a key: that in `columns`, else the default names.

    PyTerrier's frames have texts in "query" and ids in "qid", and positions in "docid" and ids in "docno".
    """
    if columns.get(key) in names:
        return [columns[key]]
    found = [name for name in COLUMNS[key] if name in names]
    found = found or [name for name in SECOND_NAMES.get(key, ()) if name in names]
    if key == "query" and len(found) == 2 and found[0] == "query" and found[1] in QUERY_IDS:
        return found[1:]
    if key == "document" and len(found) == 2 and "docid" in found:
        found.remove("docid")
    if key == "grade" and not found and set(names) >= OF_BEIR:
        return ["score"]
    return found


def show_line(line: bytes) -> str:
    """Format a line for an error."""
    return show_id(line[: 8 * MAX_LINE].decode("utf-8", "replace").strip("\r\n"), MAX_LINE)


def show_id(identifier: object, longest: int = MAX_ID) -> str:
    """Format an id for an error, and truncate long ids."""
    if isinstance(identifier, str) and len(identifier) > longest:
        identifier = f"{identifier[:longest]}..."
    return repr(identifier)


def show_typed_id(identifier: object) -> str:
    """Format an id with its type, because 1 and "1" can look the same."""
    return f"{show_id(identifier)} ({type(identifier).__name__})"


def are_long(*names: np.ndarray) -> bool:
    """Return whether one array of all these texts would be large, because one of them is long."""
    longest = max(each.itemsize // (4 if each.dtype.kind == "U" else 1) for each in names)
    return longest * sum(map(len, names)) > MOST_LETTERS


def join_ids(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Join two arrays of ids, as objects if their types differ, to avoid conversion, or if texts are long."""
    if not len(one) or not len(other):
        return one if len(one) else other
    is_large = one.dtype.kind == "U" and are_long(one, other)
    if one.dtype.kind == other.dtype.kind and not is_large:
        return np.concatenate((one, other))
    return np.concatenate((one.astype(object), other.astype(object)))


def encode_ids(ids: Collection[Any] | np.ndarray, parameter: str, distinct: bool = True) -> Ids:
    """Encode ids as codes and names; numbers and short text stay as they are if names can be repeated."""
    array = as_array(ids.tolist() if isinstance(ids, np.ndarray) and ids.dtype == object else ids, SHORT)
    if not distinct and array.dtype.kind in "biufU" and array.dtype.itemsize <= 4 * SHORT:
        return Ids(EACH_ROW, array)
    if array.dtype.kind not in "OST":  # bytes in arrays are ids from files
        codes = rank_ids(array)
        return Ids(codes, array[first_rows(codes)])
    array = array.astype(object, copy=False)
    coded = code_objects(array)
    if coded is None:
        fail(parameter, "contain hashable ids", "unhashable ids")
    names = np.empty(coded.codes.max(initial=-1) + 1, dtype=object)
    names[coded.codes] = array
    return Ids(coded.codes, as_array(names.tolist()))


def read_dicts(
    given: Mapping[Any, Any],
    parameter: str,
    source: EntrySource = EntrySource(),  # noqa: B008
) -> Entries:
    """Read {query: {document: number}}."""
    for query, documents in given.items():
        if not isinstance(documents, Mapping):
            number = "score" if parameter == "run" else "grade"
            rule = f"map each query to a mapping of documents to {number}s"
            got = f"{type(documents).__name__} for query {show_id(query)}"
            fix = f"Pass {{query: {{document: {number}}}}}."
            if isinstance(documents, Set | list | tuple) and number == "grade":
                fix = (
                    "If all documents are relevant, pass {query: dict.fromkeys(documents, 1)} for each query."
                )
            fail(parameter, rule, got, fix)
    sizes = np.fromiter(map(len, given.values()), dtype=np.int64, count=len(given))
    queries = Ids(np.repeat(np.arange(len(given)), sizes), as_array(list(given)))
    documents = encode_ids(list(chain.from_iterable(given.values())), parameter, distinct=False)
    numbers = list(chain.from_iterable(each.values() for each in given.values()))
    entries = Entries(queries, documents, read_numbers_of(numbers), source)
    return check_values(entries, parameter, numbers)


def read_numbers_of(numbers: list[Values]) -> np.ndarray:
    """Return numbers as floats, with NaN for other values."""
    if not all(issubclass(kind, float) for kind in set(map(type, numbers))):
        numbers = [to_float(each) if is_real(each) else np.nan for each in numbers]
    return np.fromiter(numbers, dtype=np.float64, count=len(numbers))


def check_values(entries: Entries, parameter: str, given: Sequence[Any] | None = None) -> Entries:
    """Check that scores or grades are finite; the error shows the value in `given`, if passed."""
    bad = ~np.isfinite(entries.values)
    if bad.any():
        row = int(bad.argmax())
        kind = "scores" if parameter in ("run", "recommended") else "grades"
        value = as_python(entries.values[row] if given is None else given[row])
        shown = value if isinstance(value, float) else show_typed_id(value)
        got = f"{shown} for {show_entry(entries, row)}"
        fix = "Convert truth values to integers: int(True) is 1." * isinstance(value, bool)
        fail(parameter, f"have finite numbers as {kind}", got, fix)
    return entries


def name_side(entries: Entries, parameter: str) -> str:
    """Return the name of entries for warnings: their file, otherwise their parameter."""
    return show_file(entries.source.name) or repr(parameter)


def show_file(name: str) -> str:
    """Format the path of a file for a warning that names two files; of a long path, only the end."""
    return f"...{name[-MAX_ID:]}" if len(name) > MAX_ID else name


def show_entry(entries: Entries, row: int) -> str:
    """Format the document and query of an entry, and its line in a file."""
    of_query, of_document = entries.source.words
    document, query = entries.documents.show(row), entries.queries.show(row)
    return f"{of_document} {document} of {of_query} {query}{entries.source.locate(row)}"


def start_warning() -> str:
    """Return the beginning of a warning: the name of the running reader, or nothing in the command line."""
    name = name_call()
    return f"{name}: " if name in CALLS else ""


def check_ranks(run: Entries, parameter: str) -> None:
    """Warn if ranks contradict scores, that is, a lower score has a better rank."""
    found = find_contradiction(run)
    if found is None or run.ranks is None:
        return
    of_query, of_document = run.source.words
    examples = []
    for row in found:
        line = f" (line {run.source.find_line(row)})" if run.source.has_lines else ""
        numbers = f"rank {run.ranks[row]:.15g} and score {run.values[row]}"
        examples.append(f"{of_document} {run.documents.show(row)}{line} has {numbers}")
    warn_user(
        f"{start_warning()}the ranks in {name_side(run, parameter)} contradict the scores, so the ranks are "
        f"ignored, as in trec_eval. For {of_query} {run.queries.show(found[0])}, {' and '.join(examples)}.",
        RankingWarning,
    )


def score_ranks(run: Entries, parameter: str) -> Entries:
    """Return a run with minus the ranks, which are the values, as scores; warn about it."""
    ranks = run.values
    order = np.lexsort((ranks, run.queries.codes))
    queries = run.queries.codes[order]
    again = np.flatnonzero((queries[1:] == queries[:-1]) & (ranks[order][1:] == ranks[order][:-1]))
    bad = (ranks < 0) | (ranks != np.floor(ranks))
    if len(again) or bad.any():
        row = int(bad.argmax()) if bad.any() else int(order[again + 1].min())
        rule = "have scores, or distinct integers >= 0 as ranks in each query"
        fix = "If the ranks are scores, pass a frame or a table with the column 'score'."
        fail(parameter, rule, f"the rank {ranks[row]:g} of {show_entry(run, row)}", fix)
    fact = f"{start_warning()}{name_side(run, parameter)} has ranks and no scores"
    warn_user(f"{fact}, so the score of each document is minus its rank.", RankingWarning)
    return run._replace(values=-ranks, ranks=None)


def find_contradiction(run: Entries) -> tuple[int, int] | None:
    """Return two rows of a query whose ranks contradict their scores, or None."""
    if run.ranks is None:
        return None
    query, scores, ranks = run.queries.codes, run.values, run.ranks
    rises = (scores[1:] > scores[:-1]) | (ranks[1:] < ranks[:-1]) | (query[1:] < query[:-1])
    if not (rises & ~(query[1:] > query[:-1])).any():
        return None  # most files are sorted like this; the sort below is slow
    order = np.lexsort((ranks, -scores, query))
    query, ranks = query[order], ranks[order]
    against = np.flatnonzero((query[1:] == query[:-1]) & (ranks[1:] < ranks[:-1]))
    if not len(against):
        return None
    high, low = (int(row) for row in order[against[0] : against[0] + 2])
    return high, low
