"""Forms of runs and judgments: files in each format, and tables. Each is written from rows.

A row has a query, a document and a number, which can be text to write it as it is.
"""

import csv
import gzip
import io
import json
import lzma
from collections import defaultdict

import numpy as np
import pytest

from sklearn_rank import from_run

SIDES = ("run", "qrels")
BEIR = ("query-id", "corpus-id", "score")


def _write_trec(rows, side):
    form = "{} Q0 {} 0 {} t\n" if side == "run" else "{} 0 {} {}\n"
    return "".join(form.format(*row) for row in rows)


def _write_ranks(rows, side):
    """Write minus the numbers as ranks, as in MS MARCO, whose judgments are in TREC format."""
    if side == "qrels":
        return _write_trec(rows, side).replace(" ", "\t")
    return "".join(f"{query}\t{document}\t{_negate(number)}\n" for query, document, number in rows)


def _negate(number):
    return number if isinstance(number, str) else -number


def _write_table(rows, names, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


def _nest(rows):
    """Write {query: {document: number}} as JSON; a document can be there twice."""
    by_query = defaultdict(list)
    for query, document, number in rows:
        by_query[query].append(f"{json.dumps(document)}: {_spell(number)}")
    return [f"{json.dumps(query)}: {{{', '.join(each)}}}" for query, each in by_query.items()]


def _spell(number):
    return number if isinstance(number, str) else json.dumps(number)


def _list_records(rows, names):
    return [
        f'{{"{names[0]}": {json.dumps(query)}, "{names[1]}": {json.dumps(document)}, '
        f'"{names[2]}": {_spell(number)}}}'
        for query, document, number in rows
    ]


def _name_columns(side):
    return "qid", "docno", "score" if side == "run" else "label"


# Texts of files.
TEXTS = {
    "TREC": _write_trec,
    "MS MARCO": _write_ranks,
    "BEIR": lambda rows, side: _write_table(rows, BEIR, "\t"),
    "CSV": lambda rows, side: _write_table(rows, _name_columns(side), ","),
    "JSON": lambda rows, side: f"{{{', '.join(_nest(rows))}}}",
    "JSON with indentation": lambda rows, side: "{\n" + ",\n ".join(_nest(rows)) + "\n}\n",
    "JSON lines": lambda rows, side: "".join(f"{{{each}}}\n" for each in _nest(rows)),
    "records": lambda rows, side: f"[{', '.join(_list_records(rows, BEIR))}]",
    "lines of records": lambda rows, side: "\n".join(_list_records(rows, _name_columns(side))),
}
PACKED = {
    "BEIR in gzip": ("BEIR", gzip.compress),
    "CSV in xz": ("CSV", lzma.compress),
    "JSON in gzip": ("JSON", gzip.compress),
}


def write_file(form, rows, side):
    """Return an open file in a form."""
    form, pack = PACKED.get(form, (form, bytes))
    return io.BytesIO(pack(TEXTS[form](rows, side).encode()))


# ---------------------------------------------------------------------------- tables


class Dataset:
    """The parts of a data set of Hugging Face that are used: a selection of the rows of an Arrow table."""

    def __init__(self, table, rows=None, form=None):
        self.table, self.form = table, form
        self.rows = np.arange(table.num_rows) if rows is None else np.array(rows)
        self.column_names, self.shape = table.column_names, (len(self.rows), table.num_columns)

    def with_format(self, form):
        return Dataset(self.table, self.rows, form)

    def __getitem__(self, key):
        return self.table.take(self.rows)[key] if self.form == "arrow" else NotImplemented


class Stream:
    """A stream of Arrow, without columns."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def _make_frame(library, rows, side):
    module = pytest.importorskip(library)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(_name_columns(side))}
    if library == "pyarrow":  # numpy finds the type of large integers
        return module.table({name: np.array(values) for name, values in columns.items()})
    return module.DataFrame(columns)


def _make_pyterrier_frame(rows, side):
    frame = _make_frame("pandas", rows, side)
    return frame.assign(query="a text", docid=range(len(frame)), rank=0).set_index("docid", drop=False)


TABLES = {
    "PyTerrier": _make_pyterrier_frame,
    "pandas": lambda rows, side: _make_frame("pandas", rows, side),
    "polars": lambda rows, side: _make_frame("polars", rows, side),
    "Arrow": lambda rows, side: _make_frame("pyarrow", rows, side),
    "Arrow stream": lambda rows, side: Stream(_make_frame("pyarrow", rows, side)),
    "Hugging Face": lambda rows, side: Dataset(_make_frame("pyarrow", rows, side)),
}
FORMS = (*TEXTS, *PACKED, *TABLES)


def write(form, rows, side):
    """Return a file or a table in a form."""
    return TABLES[form](rows, side) if form in TABLES else write_file(form, rows, side)


def read(given, side, other):
    """Read a run or judgments together with the rows of the other side as a dict."""
    sides = {"qrels": as_dict(other), "run": as_dict(other), side: given}
    return from_run(**sides, queries="both", return_items=True)


def as_dict(rows):
    """Return {query: {document: number}}."""
    found = defaultdict(dict)
    for query, document, number in rows:
        found[query][document] = number
    return dict(found)


def assert_same_rows(got, expected):
    for one, other in zip(got, expected, strict=True):
        is_number = other.dtype.kind == "f"
        assert one.tobytes() == other.tobytes() if is_number else np.array_equal(one, other)
