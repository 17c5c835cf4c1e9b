"""Ids come back as they were given, from all readers, in all containers, for all sortable types."""

import datetime
import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas
import pyarrow
import pytest

from sklearn_rank import datasets, evaluate_runs
from sklearn_rank.datasets import (
    from_embeddings,
    from_factors,
    from_interactions,
    from_recommendations,
    from_run,
    from_score_matrix,
    from_two_runs,
)
from tests.helpers.file_forms import FORMS, read, write

DAY = datetime.datetime(2020, 1, 2, 3)
DAYS = [DAY.replace(day=day) for day in (9, 2, 5)]


class Name(str):
    """Text of a class of its own."""


# Three distinct ids of each type, unsorted.
KINDS = {
    "int": [7, -3, 11],
    "int beyond int64": [2**63 + 2, 2**63 + 1, 2**63],
    "int beyond uint64": [2**70, 5, 2**65],
    "numpy.int64": list(np.array([7, -3, 11])),
    "numpy.int32": list(np.array([7, 3, 11], dtype=np.int32)),
    "numpy.uint64": list(np.array([2**64 - 1, 2**64 - 2, 3], dtype=np.uint64)),
    "bool": [True, False],
    "numpy.bool": [np.True_, np.False_],
    "float": [0.5, -0.25, 3.0],
    "numpy.float32": list(np.array([0.1, 0.2, 0.3], dtype=np.float32)),
    "ints and floats": [2, 0.5, np.int8(3)],
    "str": ["b", "a", "ä"],
    "str of digits": ["10", "9", "09"],
    "str with null": ["b\0", "b", "a"],
    "numpy.str": [np.str_("b"), np.str_("a"), np.str_("ab")],
    "subclass of str": [Name("b"), Name("a"), Name("ab")],
    "bytes": [b"b", b"a", b"a\xff"],
    "numpy.bytes": [np.bytes_(b"b"), np.bytes_(b"a"), np.bytes_(b"ab")],
    "tuple": [(2, "a"), (1, "b"), (1, "a")],
    "date": [day.date() for day in DAYS],
    "datetime": DAYS,
    "datetime in a zone": [day.replace(tzinfo=datetime.UTC) for day in DAYS],
    "timedelta": [datetime.timedelta(days) for days in (3, 1, 2)],
    "numpy.datetime64": list(np.array(DAYS, dtype="M8[s]")),
    "numpy.timedelta64": list(np.array([3, 1, 2], dtype="m8[s]")),
    "Timestamp": [pandas.Timestamp(day) for day in DAYS],
    "Timestamp in nanoseconds": [pandas.Timestamp(10**18 + place) for place in (5, 2, 3)],
    "Timedelta": [pandas.Timedelta(place) for place in (5, 2, 3)],
    "Period": list(pandas.period_range("2020-01", periods=3, freq="M")[::-1]),
    "UUID": [UUID(int=place) for place in (2, 1, 3)],
    "Decimal": [Decimal("1.10"), Decimal("0.5"), Decimal(3)],
    "Fraction": [Fraction(1, 2), Fraction(1, 3), Fraction(5)],
}
# Containers of a column, and what lists its ids.
COLUMNS = {
    "pandas": (pandas.Series, list),
    "pandas objects": (lambda ids: pandas.Series(ids, dtype=object), list),
    "pandas categories": (lambda ids: pandas.Series(ids, dtype="category"), list),
    "pyarrow": (pyarrow.array, lambda column: column.to_pylist()),
}
with suppress(ImportError):
    import polars

    COLUMNS["polars"] = (polars.Series, list)
SINGLE = ["x"]


def make_frame(column, **columns):
    """Return a frame of the library of a column; its other columns are lists."""
    if isinstance(column, pyarrow.Array):
        return pyarrow.table({"ids": column, **columns})
    library = pandas if isinstance(column, pandas.Series) else polars
    return library.DataFrame({"ids": column, **columns})


def rank(column, other, number):
    """Return a frame of different numbers for the ids of a column."""
    n = len(column)
    return make_frame(column, **{other: ["x"] * n, number: [float(place) for place in range(n)]})


def ones(ids, document="x"):
    return {each: {document: 1.0, "z": 0.0} for each in ids}


def scores(ids):
    return {each: float(place) for place, each in enumerate(ids)}


def square(ids):
    """Return a frame with the ids as its index; a list of tuples makes levels."""
    return pandas.DataFrame(np.eye(len(ids)), index=pandas.Index(ids))


def report(qrels, run, **options):
    return evaluate_runs(qrels, {"run": run}, metrics=["mrr"], **options)["run"].ids


QUERY, DOCUMENT = {"query": "ids"}, {"document": "ids"}
# The ids of rows by reader: of a list, or of a column.
OF_LISTS = {
    "from_run: queries": lambda ids: from_run(ones(ids), ones(ids))[2],
    "from_run: queries without results": lambda ids: from_run(ones(ids), ones(ids[:1]))[2],
    "from_run: documents": lambda ids: from_run({"q": scores(ids)}, {"q": scores(ids)}, return_items=True)[3],
    "from_run: missed": lambda ids: from_run(ones(ids, "y"), ones(ids), return_missed=True)[3].ids,
    "from_run: with excluded": lambda ids: from_run(ones(ids), ones(ids), exclude={ids[0]: ["y"]})[2],
    "from_two_runs: queries": lambda ids: from_two_runs(ones(ids), ones(ids))[2],
    "from_two_runs: documents": lambda ids: from_two_runs(
        {"q": scores(ids)}, {"q": scores(ids)}, return_items=True
    )[3],
    "from_embeddings: queries": lambda ids: from_embeddings(
        ones(ids), np.eye(len(ids)), [[1] * len(ids)], query_ids=ids, document_ids=SINGLE
    )[2],
    "from_embeddings: documents": lambda ids: from_embeddings(
        {"x": scores(ids)}, [[1] * len(ids)], np.eye(len(ids)), query_ids=SINGLE, document_ids=ids,
        return_items=True,
    )[3],
    "from_recommendations: users": lambda ids: from_recommendations(
        dict.fromkeys(ids, SINGLE), dict.fromkeys(ids, SINGLE)
    )[2],
    "from_recommendations: items": lambda ids: from_recommendations([ids], [ids], return_items=True)[3],
    "from_recommendations: seen": lambda ids: from_recommendations(
        [ids], [ids], seen=[ids[:1]], return_items=True
    )[3].tolist() + ids[:1],
    "evaluate_runs": lambda ids: report(ones(ids), ones(ids)),
}  # fmt: skip
OF_COLUMNS = {
    "from_run: queries": lambda column: from_run(
        rank(column, "document", "grade"), rank(column, "document", "score"), columns=QUERY
    )[2],
    "from_run: documents": lambda column: from_run(
        rank(column, "query", "grade"), rank(column, "query", "score"), columns=DOCUMENT, return_items=True
    )[3],
    "from_two_runs: queries": lambda column: from_two_runs(
        *[rank(column, "document", "score")] * 2, columns=QUERY
    )[2],
    "from_two_runs: documents": lambda column: from_two_runs(
        *[rank(column, "query", "score")] * 2, columns=DOCUMENT, return_items=True
    )[3],
    "from_embeddings: queries": lambda column: from_embeddings(
        rank(column, "document", "grade"), np.eye(len(column)), [[1] * len(column)], columns=QUERY,
        query_ids=column, document_ids=SINGLE,
    )[2],
    "from_embeddings: documents": lambda column: from_embeddings(
        rank(column, "query", "grade"), [[1] * len(column)], np.eye(len(column)), columns=DOCUMENT,
        query_ids=SINGLE, document_ids=column, return_items=True,
    )[3],
    "from_interactions: users": lambda column: from_interactions(
        rank(column, "item", "rating"), rank(column, "item", "score"), columns={"user": "ids"}
    )[2],
    "from_interactions: items": lambda column: from_interactions(
        rank(column, "user", "rating"), rank(column, "user", "score"), columns={"item": "ids"},
        return_items=True,
    )[3],
    "evaluate_runs": lambda column: report(
        rank(column, "document", "grade"), rank(column, "document", "score"), columns=QUERY
    ),
}  # fmt: skip
OF_INDEXES = {
    "from_score_matrix: users": lambda frame: from_score_matrix(frame, frame)[2],
    "from_factors: users": lambda frame: from_factors(frame, frame, np.eye(len(frame)), k=1)[2],
    "from_recommendations: users": lambda frame: from_recommendations(
        *[frame.iloc[:, 0].map(lambda _: SINGLE)] * 2
    )[2],
}  # fmt: skip


def list_columns():
    """List the containers that can contain the ids of each type."""
    found = []
    for container, (make, list_ids) in COLUMNS.items():
        for kind, ids in KINDS.items():
            with suppress(Exception):  # of several types, for ids that the library cannot contain
                if len(set(list_ids(make(ids)))) == len(ids):
                    found.append((container, kind))
    return found


def assert_given(got, given):
    """Assert that all given ids came back, and that each is found in a dict of them."""
    places = {each: place for place, each in enumerate(given)}
    found = [places[each] for each in got]
    assert sorted(set(found)) == list(range(len(given)))
    assert [given[place] for place in dict.fromkeys(found)] == [each for each in dict.fromkeys(list(got))]


@pytest.mark.filterwarnings("ignore:.*one document only", "ignore:.*no document of 'run' is in")
@pytest.mark.filterwarnings("ignore:from_run. the run has no document for")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", OF_LISTS)
def test_readers_return_ids_of_dicts_and_lists_as_given(reader, kind):
    assert_given(OF_LISTS[reader](KINDS[kind]), KINDS[kind])


@pytest.mark.filterwarnings("ignore:.*one document only")
@pytest.mark.parametrize(("container", "kind"), list_columns())
@pytest.mark.parametrize("reader", OF_COLUMNS)
def test_readers_return_ids_of_columns_as_given(reader, container, kind):
    make, list_ids = COLUMNS[container]
    column = make(KINDS[kind])
    assert_given(OF_COLUMNS[reader](column), list_ids(column))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", OF_INDEXES)
def test_readers_return_ids_of_an_index_as_given(reader, kind):
    frame = square(KINDS[kind])
    assert_given(OF_INDEXES[reader](frame), list(frame.index))


EMPTY = "must not contain empty ids. Got '' instead. Remove the rows whose id is ''."


@pytest.mark.filterwarnings("ignore:.*no document of 'run' is in")
@pytest.mark.parametrize("empty", ["", b"", np.str_()], ids=repr)
@pytest.mark.parametrize("reader", OF_LISTS)
def test_readers_reject_the_empty_string_in_dicts_and_lists(reader, empty):
    with pytest.raises(ValueError, match=re.escape(EMPTY)):
        OF_LISTS[reader]([type(empty)(b"a" if isinstance(empty, bytes) else "a"), empty])


@pytest.mark.parametrize("container", COLUMNS)
@pytest.mark.parametrize("reader", OF_COLUMNS)
def test_readers_reject_the_empty_string_in_columns(reader, container):
    with pytest.raises(ValueError, match=re.escape(EMPTY)):
        OF_COLUMNS[reader](COLUMNS[container][0](["a", ""]))


@pytest.mark.parametrize("reader", OF_INDEXES)
def test_readers_reject_the_empty_string_in_an_index(reader):
    with pytest.raises(ValueError, match=re.escape(EMPTY)):
        OF_INDEXES[reader](square(["a", ""]))


@pytest.mark.parametrize("form", ["JSON", "JSON lines", "records", "JSON in gzip"])
@pytest.mark.parametrize("empty", [["", "a"], ["a", ""]])
def test_from_run_rejects_the_empty_string_in_json(form, empty):
    rows = [(empty[0], empty[1], 1), ("b", "b", 2)]
    for side in ("run", "qrels"):
        with pytest.raises(ValueError, match=f"^The '{side}' .*{re.escape(EMPTY)}"):
            read(write(form, rows, side), side, [("b", "b", 1)])


@pytest.mark.filterwarnings("ignore:.*has ranks and no scores")
@pytest.mark.parametrize("names", [["b", "a"], ["ä", "a" * 40], ["10", "09"]])
@pytest.mark.parametrize("form", FORMS)
def test_from_run_returns_ids_of_files_and_tables_as_given(form, names):
    rows = [(name, document, -place) for name in names for place, document in enumerate(names)]
    for side in ("run", "qrels"):
        _, _, queries, documents = read(write(form, rows, side), side, rows)
        assert_given(queries, names)
        assert_given(documents, names)


def test_tables_of_this_file_contain_all_readers():
    names = {name for name in datasets.__all__ if name.startswith("from_")}
    tested = {name.partition(":")[0] for table in (OF_LISTS, OF_COLUMNS, OF_INDEXES) for name in table}
    assert tested == names | {"evaluate_runs"}
