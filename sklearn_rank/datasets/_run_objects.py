"""Runs and judgments from frames and from objects of other libraries."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from .._checks.arrays import read_array, read_numbers, to_float
from .._checks.codes import as_array, first_rows, read_codes
from .._checks.containers import column_names, take
from .._checks.errors import fail, renamed
from .._checks.groups import take_ids
from .._checks.types import Arguments, Options, Table
from .._checks.warn import warn_user
from ._entries import (
    ALIASES,
    COLUMNS,
    Entries,
    EntrySource,
    Ids,
    check_values,
    choose_names,
    encode_ids,
    read_dicts,
    read_numbers_of,
    score_ranks,
    show_entry,
    show_id,
)
from ._file_bytes import is_file
from ._mismatch import fix_order, reject_other_side
from ._trec_files import read_file

FORMS = (
    "be a path, an open file, a mapping {{query: {{document: {number}}}}}, a frame, or objects with "
    "query_id, doc_id and {number}"
)
OF_RATINGS = "If it has other fields, add a line with their names, and pass"
MAX_NAMES = 8  # columns to list in errors


def read_entries(given: object, parameter: str, columns: Arguments) -> Entries:
    """Read a run or judgments in any form."""
    number = "score" if parameter == "run" else "grade"
    reject_other_side(given, parameter)
    if is_file(given):
        given = read_file(given, parameter, columns)
        if isinstance(given, Entries):
            return given
    given = take_table(given, parameter)
    if isinstance(given, Mapping):
        return read_dicts(given, parameter)
    if column_names(given) is not None:
        return read_frame(given, number, parameter, columns)
    if hasattr(given, "to_dict") and hasattr(given, "keys"):  # ranx
        return read_dicts(given.to_dict(), parameter)
    return _read_objects(given, parameter)


def read_judgments(given: object, columns: Arguments, whole_grades: bool) -> Entries:
    """Read judgments; if `whole_grades`, truncate grades as trec_eval does, with a warning."""
    judged = given if isinstance(given, Entries) else read_entries(given, "qrels", columns)
    if judged.source.doubt and whole_grades:
        fact = f"{judged.source.name} does not look like judgments: it has {judged.source.doubt}"
        fix = f"{OF_RATINGS} --qrels-columns query=user,document=item,grade=rating."
        warn_user(f"{fact}. The values are those of trec_eval. {fix}")
    elif judged.source.doubt:
        rule = "have judgments, query iteration document grade, in each line"
        fix = f"{OF_RATINGS} columns={{'query': 'user', 'document': 'item', 'grade': 'rating'}}."
        fail("qrels", rule, judged.source.doubt, fix, judged.source.locate())
    if not whole_grades:
        return judged
    whole = np.trunc(judged.values) + 0.0  # -0.0 becomes 0.0
    is_fraction = whole != judged.values
    if not is_fraction.any():
        return judged
    row = int(is_fraction.argmax())
    fact = f"the grade of {show_entry(judged, row)} is {judged.values[row]:g}"
    warn_user(
        f"{fact}, so all grades are truncated to integers, as trec_eval does. Other output formats keep "
        "fractions."
    )
    return judged._replace(values=whole)


def _read_objects(given: object, parameter: str) -> Entries:
    """Read objects of ir_measures and ir_datasets: one per document, with named fields."""
    number = "score" if parameter == "run" else "relevance"
    rule = FORMS.format(number=number)
    if hasattr(given, "qrels_iter"):  # ir_datasets
        given = given.qrels_iter()
    if isinstance(given, bytes | bytearray) or not isinstance(given, Iterable):
        fail(parameter, rule, type(given).__name__)
    try:
        given = list(given)
    except (TypeError, NotImplementedError):  # an array or a memoryview without rows
        fail(parameter, rule, type(given).__name__)
    try:
        parts = [(each.query_id, each.doc_id, getattr(each, number)) for each in given]
    except AttributeError as error:
        fix = "Pass pandas.DataFrame(records)." if isinstance(given[0], Mapping) else fix_order()
        fail(parameter, rule, f"a {type(given).__name__} of other objects ({error})", fix)
    queries, documents, numbers = (list(column) for column in zip(*parts)) if parts else ([], [], [])
    entries = Entries(
        encode_ids(queries, parameter),
        encode_ids(documents, parameter),
        read_numbers_of(numbers),
        EntrySource(),
    )
    return check_values(entries, parameter, numbers)


# ---------------------------------------------------------------------------- frames


def check_columns(columns: Table, *frames: object) -> Options:
    """Check a mapping of fields to column names; each name must be a column of some frame."""
    if columns is None:
        return {}
    rule = f"be a mapping of {', '.join(map(repr, (*COLUMNS, *ALIASES)))} to column names, or None"
    if not isinstance(columns, Mapping):
        fail("columns", rule, repr(columns))
    known = [name for frame in frames for name in list_names(frame)]
    for key, name in columns.items():
        if not isinstance(key, str) or key not in {*COLUMNS, *ALIASES}:
            fail("columns", rule, repr(key))
        if name not in known and not any(map(is_file, frames)):
            fix = f"The columns are {show_names(list(dict.fromkeys(known)))}." if known else ""
            fail("columns", "contain names of columns of the frames", repr(name), fix)
    return {ALIASES.get(str(key), str(key)): name for key, name in columns.items()}


def show_names(names: Sequence[Any]) -> str:
    """Format the names of columns for an error, the first ones if there are many."""
    return ", ".join([show_id(name) for name in names[:MAX_NAMES]] + ["..."] * (len(names) > MAX_NAMES))


def take_table(given: Any, parameter: str) -> Any:
    """Return the rows of a data set of Hugging Face or of an Arrow stream as an Arrow table; others as is."""
    if callable(getattr(given, "with_format", None)) and isinstance(given, Mapping):
        rule = "be one split of a data set"
        fail(parameter, rule, f"the splits {show_names(list(given))}", f"Pass {parameter}['test'].")
    if callable(getattr(given, "with_format", None)) and hasattr(given, "shape"):
        return given.with_format("arrow")[:]  # the rows of a filtered data set, in its order
    if column_names(given) is None and hasattr(given, "__arrow_c_stream__"):
        with suppress(TypeError, ValueError, OverflowError):  # a stream of one column
            return import_module("pyarrow").table(given)
    return given


def list_names(frame: Table) -> list[Any]:
    names = column_names(frame)
    return [] if names is None else list(names)


def find_column(frame: Table, key: str, parameter: str, columns: Arguments, needed: bool = True) -> Any:
    """Return the column of a frame that contains a key; None if it is missing and not needed."""
    names = list_names(frame)
    found = choose_names(names, key, columns)
    if len(found) == 1 and names.count(found[0]) == 1:
        return frame[found[0]]
    if not found and not needed:
        return None
    known = " or ".join(filter(None, (", ".join(map(repr, COLUMNS[key][:-1])), repr(COLUMNS[key][-1]))))
    fix = f"If the column has another name, pass columns={{{key!r}: name}}. {fix_order()}"
    got, place = f"the columns {show_names(names)}", _find_source(frame).locate()
    fail(parameter, f"have one column {known}", got, fix, place)


def _find_source(frame: Table) -> EntrySource:
    """Return the file of a frame, if it was read from one."""
    return EntrySource(*frame.source) if hasattr(type(frame), "source") else EntrySource()


def read_ranks(frame: Table, columns: Arguments) -> np.ndarray | None:
    """Read the optional column of ranks; return None without one, or if ranks are not numeric."""
    name = columns.get("rank", "rank")
    if list_names(frame).count(name) != 1:
        return None
    with suppress(ValueError, TypeError, OverflowError):
        ranks = np.asarray(frame[name]).astype(np.float64)
        return ranks if np.isfinite(ranks).all() else None
    return None


def read_frame(frame: Table, number: str, parameter: str, columns: Arguments) -> Entries:
    """Read a frame with a row per query and document."""
    where = (parameter, columns)
    queries = read_ids(find_column(frame, "query", *where), parameter)
    documents = read_ids(find_column(frame, "document", *where), parameter, distinct=False)
    ranks = read_ranks(frame, columns) if number == "score" else None
    source = _find_source(frame)
    if ranks is not None and not choose_names(list_names(frame), "score", columns):
        return score_ranks(Entries(queries, documents, ranks, source), parameter)
    column = find_column(frame, number, *where)
    is_mixed = bool(source.name) and isinstance(column, np.ndarray) and column.dtype.kind not in "iuf"
    given = column.tolist() if is_mixed else None  # of records in JSON
    values = read_column(column, f"{number}s", parameter) if given is None else read_numbers_of(given)
    return check_values(Entries(queries, documents, values, source, ranks), parameter, given)


def read_pairs(given: object, parameter: str, columns: Arguments) -> tuple[Ids, Ids]:
    """Read queries and documents: a mapping of query to documents, a frame, or judgments in another form."""
    if isinstance(given, Mapping):
        for query, documents in given.items():
            if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
                rule = "map each query to a collection of documents"
                fail(parameter, rule, f"{type(documents).__name__} for query {show_id(query)}")
        lists = [list(documents) for documents in given.values()]
        queries = Ids(np.repeat(np.arange(len(lists)), list(map(len, lists))), as_array(list(given)))
        return queries, encode_ids(list(chain.from_iterable(lists)), parameter)
    if column_names(given) is not None:
        found = [find_column(given, key, parameter, columns) for key in ("query", "document")]
        queries, documents = (read_ids(column, parameter) for column in found)
        return queries, documents
    with renamed("qrels", parameter):
        judged = read_judgments(given, columns, False)
    return judged.queries, judged.documents


def read_ids(column: Table, parameter: str, distinct: bool = True) -> Ids:
    """Read a column of ids, with a code for each row, or a name if names can be repeated."""
    codes, names = read_codes(column) or encode_ids(
        read_array(column, parameter, "contain ids"), parameter, distinct
    )
    if names.dtype.kind in "mM" or (names.dtype.kind == "O" and hasattr(column, "to_pylist")):
        return Ids(codes, name_rows(column, first_rows(codes)))
    return Ids(codes, names if names.dtype.kind != "O" else as_array(names.tolist()))


def name_rows(column: Table, rows: np.ndarray) -> np.ndarray:
    """Return the ids of some rows of a column as its library lists them, so that dicts contain dates."""
    if isinstance(column, np.ndarray | list | tuple):
        names = take_ids(column, rows)
        return names.astype(object) if names.dtype.kind == "S" else names
    taken = take(column, rows)
    return as_array(taken.to_pylist() if hasattr(taken, "to_pylist") else list(taken))


def read_column(column: Table, kind: str, parameter: str) -> np.ndarray:
    """Read a column of numbers; `kind` names them in errors."""
    array = np.asarray(column)
    if array.dtype.kind in "OSTU":
        text = next((each for each in array.tolist() if isinstance(each, str | bytes)), None)
        if text is not None:
            fix = "Pass pandas.to_numeric(column)."
            fail(parameter, f"have numbers as {kind}", f"the text {show_id(text)}", fix)
    numbers = read_numbers(column, parameter)
    with np.errstate(over="ignore"):  # a longdouble beyond the range
        try:
            return numbers.astype(np.float64)
        except OverflowError:  # an integer beyond it
            return np.array([to_float(each) for each in numbers.tolist()])
