"""Each form of a run and of judgments treats awkward rows, numbers and ids alike."""

import io
import random
import re

import numpy as np
import pytest

from sklearn_rank import from_run
from tests.helpers.file_forms import (
    FORMS,
    SIDES,
    TABLES,
    TEXTS,
    as_dict,
    assert_same_rows,
    read,
    write,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has ranks and no scores"),
    pytest.mark.filterwarnings("ignore:.*the ranks in"),
    pytest.mark.filterwarnings("ignore:.*no document of"),
]
ROWS = [  # a query with one document, with ties, without a relevant document
    *(("q2", "a", -1), ("q2", "c", -2), ("q2", "b", -3)),
    *(("q10", "a", -4), ("q10", "é", -1)),
    ("q1", "b", -1),
]
OTHER = [(query, document, 1) for query, document, _ in ROWS]
OF_RANKS = "MS MARCO"  # its numbers are integers
WITH_RANKS = [form for form in FORMS if form != OF_RANKS]
NESTED = [form for form in FORMS if form.startswith("JSON")]  # ids are text, and blanks can be ids


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", FORMS)
def test_from_run_ignores_the_order_of_rows_in_each_form(form, side):
    expected = read(as_dict(ROWS), side, OTHER)
    for seed in range(3):
        rows = random.Random(seed).sample(ROWS, len(ROWS))
        assert_same_rows(read(write(form, rows, side), side, OTHER), expected)


@pytest.mark.parametrize("form", FORMS)
def test_from_run_sorts_tied_documents_by_decreasing_id_in_each_form(form):
    rows = [("q", name, -1) for name in ("b", "é", "a", "B", "ab")]
    rows = rows if form != OF_RANKS else [(*row[:2], -place) for place, row in enumerate(rows)]
    documents = read(write(form, rows, "run"), "run", [("q", "a", 1)])[3]
    assert documents.tolist() == ["é", "b", "ab", "a", "B"]


NUMBERS = [-0.0, 5e-324, -1e-12, 1 + 1e-12, -1e300, 1.7976931348623157e308, 0.1 + 0.2, 2**53, -3, 1e22, 0]


@pytest.mark.parametrize("form", WITH_RANKS)
def test_from_run_reads_scores_exactly_in_each_form(form):
    rows = [("q", f"d{place:02}", float(number)) for place, number in enumerate(NUMBERS)]
    _, y_score, _, documents = read(write(form, rows, "run"), "run", [("q", "d00", 1)])
    assert documents.tolist() == [row[1] for row in rows][::-1]
    assert y_score.tobytes() == np.array(NUMBERS[::-1], dtype=float).tobytes()


@pytest.mark.parametrize("form", FORMS)
def test_from_run_keeps_grades_of_at_least_0_in_each_form(form):
    rows = [("q", "a", -1), ("q", "b", -2.5), ("q", "c", 0.5), ("q", "d", 2.0**20), ("q", "e", 0)]
    rows = [(*row[:2], float(row[2])) for row in rows]
    y_true = read(write(form, rows, "qrels"), "qrels", [(*row[:2], 1) for row in rows])[0]
    assert np.array_equal(y_true, [0, 2**20, 0.5, np.nan, np.nan], equal_nan=True)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", FORMS)
def test_from_run_rejects_nonfinite_numbers_in_each_form(form, side, number):
    bad = float(number) if form in TABLES else number
    given = write(form, _with_number(form, bad), side)
    with pytest.raises(
        ValueError, match=rf"'{side}' parameter of from_run must .*finite (number|score|grade)"
    ):
        read(given, side, OTHER)


def _with_number(form, bad):
    rows = [(*row[:2], float(row[2])) for row in ROWS] if form in TABLES else ROWS
    return [*rows[:3], (*rows[3][:2], bad), *rows[4:]]


@pytest.mark.parametrize("bad", ["high", "1_0", '"1"', "0x1", "1,5", "true", "null"])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", TEXTS)
def test_from_run_rejects_other_values_as_numbers_of_files(form, side, bad):
    with pytest.raises(ValueError, match=rf"'{side}' parameter of from_run must ") as caught:
        read(write(form, _with_number(form, bad), side), side, OTHER)
    assert "an open file" in str(caught.value)


@pytest.mark.parametrize("bad", ["1", None])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", TABLES)
def test_from_run_rejects_other_values_as_numbers_of_tables(form, side, bad):
    rows = [(*row[:2], bad) for row in ROWS]
    with pytest.raises(ValueError, match=rf"'{side}' parameter of from_run must "):
        read(write(form, rows, side), side, OTHER)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", FORMS)
def test_from_run_rejects_repeated_documents_in_each_form(form, side):
    rows = [*ROWS, ("q2", "c", -9)]
    with pytest.raises(ValueError, match=f"'{side}' .*(a second document 'c' of query 'q2'|'c' twice in an)"):
        read(write(form, rows, side), side, OTHER)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", FORMS)
def test_from_run_rejects_empty_input_in_each_form(form, side):
    with pytest.raises(ValueError, match=rf"'{side}' .* contain documents with"):
        read(write(form, [], side), side, OTHER)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", [form for form in FORMS if form not in NESTED])
def test_from_run_rejects_missing_ids_in_each_form(form, side, place):
    bad = None if form in TABLES or "records" in form else ""
    row = [*ROWS[3]]
    row[place] = bad
    with pytest.raises(ValueError, match=rf"'{side}' parameter of from_run must "):
        read(write(form, [*ROWS[:3], row, *ROWS[4:]], side), side, OTHER)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", ["pandas", "PyTerrier", "records", "lines of records"])
def test_from_run_rejects_ids_of_two_types(form, side, place):
    row = [*ROWS[3]]
    row[place] = 1
    with pytest.raises(ValueError, match=r"parameter of from_run must .*(one|the same) type"):
        read(write(form, [*ROWS[:3], row, *ROWS[4:]], side), side, OTHER)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", ["pandas", "PyTerrier", "records", "lines of records"])
def test_from_run_rejects_lists_as_ids(form, side):
    with pytest.raises(ValueError, match=rf"'{side}' parameter of from_run must "):
        read(write(form, [(["q2"], "a", 1), (["q2"], "b", 0)], side), side, OTHER)


@pytest.mark.parametrize("ids", [(7, -2, 10), (0.5, -1.5, 2.0)])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", [*TABLES, "records", "lines of records"])
def test_from_run_accepts_numeric_ids_of_tables(form, side, ids):
    rows = [(query, document, 1) for query in ids for document in (3, -10)]
    got = read(write(form, rows, side), side, rows)
    assert_same_rows(got, read(as_dict(rows), side, rows))
    assert got[2].tolist() == sorted([*ids, *ids])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", FORMS)
def test_from_run_keeps_ids_that_look_like_numbers_as_text(form, side):
    rows = [("007", "1", -1), ("7", "1.0", -1), ("7", "1", -2), ("7.0", "01", -1), ("1e3", "1", -1)]
    got = read(write(form, rows, side), side, rows)
    assert_same_rows(got, read(as_dict(rows), side, rows))


SEPARATORS = [("a b", "c d"), ("a\tb", "c"), ("a", 'c"d'), ("a,b", "c\nd"), ("'a'", "{c}"), (" a", "c ")]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("TREC", OF_RANKS)])
def test_from_run_accepts_separators_and_quotes_in_ids(form, side):
    rows = [(*ids, -place) for place, ids in enumerate(SEPARATORS)]
    got = read(write(form, rows, side), side, rows)
    assert_same_rows(got, read(as_dict(rows), side, rows))


# ---------------------------------------------------------------------------- lines of files

CHANGES = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "CR once": lambda text: text.replace("\n", "\r", 1),
    "no newline at the end": lambda text: text.rstrip("\n"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "a blank line at the start": lambda text: f"\n{text}",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", TEXTS)
def test_from_run_ignores_ends_of_lines_in_each_format(form, side, change):
    text = CHANGES[change](TEXTS[form](ROWS, side))
    got = read(io.BytesIO(text.encode()), side, OTHER)
    assert_same_rows(got, read(as_dict(ROWS), side, OTHER))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_from_run_reads_line_ends_that_two_reads_divide(end, size):
    class SlowFile(io.BytesIO):
        """A file such as a socket, which returns few bytes at a time."""

        def read(self, n=-1):
            return super().read(size)

    text = TEXTS["TREC"](ROWS, "run").replace("\n", end).encode()
    assert_same_rows(read(SlowFile(text), "run", OTHER), read(as_dict(ROWS), "run", OTHER))


@pytest.mark.parametrize("end", ["\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"], ids=ascii)
@pytest.mark.parametrize("n_lines", [1, 3])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("form", ["TREC", "MS MARCO"])
def test_from_run_rejects_other_line_separators(form, side, n_lines, end):
    text = TEXTS[form](ROWS, side)
    text = "\n".join(text.split("\n", n_lines)[:-1]) + "\n" + text.split("\n", n_lines)[-1].replace("\n", end)
    with pytest.raises(ValueError, match=rf"'{side}' .*ends lines, replace it by a line feed"):
        read(io.BytesIO(text.encode()), side, OTHER)


def list_incomplete_files():
    """List files whose last line lacks its last field or bracket."""
    for form in TEXTS:
        for side in SIDES:
            text = TEXTS[form](ROWS, side).rstrip()
            short = re.sub(r"(?:[]}]+|[ ,\t][^ ,\t\n]*)$", "", text)
            assert short != text
            yield pytest.param(short, side, id=f"{form}-{side}")


@pytest.mark.parametrize(("text", "side"), list_incomplete_files())
def test_from_run_rejects_incomplete_lines_in_each_format(text, side):
    with pytest.raises(ValueError, match=rf"'{side}' parameter of from_run must "):
        read(io.BytesIO(text.encode()), side, OTHER)


# ---------------------------------------------------------------------------- tables


@pytest.mark.parametrize("form", ["pandas", "polars", "Arrow", "PyTerrier"])
def test_from_run_does_not_change_tables(form):
    given, again = (write(form, ROWS, "run") for _ in range(2))
    read(given, "run", OTHER)
    assert given.equals(again)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "float16", "float32", "bool", "object", "Int64", "boolean"]
)
@pytest.mark.parametrize("side", SIDES)
def test_from_run_accepts_numbers_of_any_type_in_frames(side, dtype):
    rows = [(query, document, place % 2) for place, (query, document, _) in enumerate(ROWS)]
    frame = write("pandas", rows, side)
    name = frame.columns[2]
    got = read(frame.astype({name: dtype}), side, OTHER)
    assert_same_rows(got, read(as_dict(rows), side, OTHER))


@pytest.mark.parametrize("dtype", ["category", "string", "datetime64[ns]", "str"])
@pytest.mark.parametrize("side", SIDES)
def test_from_run_accepts_ids_of_sortable_types_in_frames(side, dtype):
    days = ["2024-01-02", "2023-05-01", "2024-01-10"]
    rows = [(day, document, -place) for day in days for place, document in enumerate("ab")]
    one, other = (write("pandas", rows, each).astype({"qid": dtype}) for each in SIDES)
    got = from_run(other, one, return_items=True)
    expected = from_run(as_dict(rows), as_dict(rows), return_items=True)
    assert_same_rows((*got[:2], got[3]), (*expected[:2], expected[3]))


# ---------------------------------------------------------------------------- judgments of several intents

INTENTS = [("q2", "1", "a", 1), ("q2", "10", "a", 2), ("q2", "2", "c", 1), ("q1", "1", "b", 1)]
INTENT_FORMS = {
    "TREC": lambda rows: "".join("{} {} {} {}\n".format(*row) for row in rows),
    "CSV": lambda rows: "qid,intent,docno,label\n" + "".join("{},{},{},{}\n".format(*row) for row in rows),
    "TSV": lambda rows: (
        "qid\tintent\tdocno\tlabel\n" + "".join("{}\t{}\t{}\t{}\n".format(*row) for row in rows)
    ),
}


def read_intents(form, rows):
    given = io.BytesIO(INTENT_FORMS[form](rows).encode())
    return from_run(given, as_dict(ROWS), intents=True, return_items=True)


@pytest.mark.parametrize("form", INTENT_FORMS)
def test_from_run_ignores_the_order_of_rows_with_intents(form):
    expected = read_intents("TREC", INTENTS)
    for seed in range(3):
        assert_same_rows(read_intents(form, random.Random(seed).sample(INTENTS, len(INTENTS))), expected)


@pytest.mark.parametrize("form", INTENT_FORMS)
@pytest.mark.parametrize(
    "row",
    [
        *(("q2", "2", "a", number) for number in ("nan", "inf", "high")),
        *(("q2", "2", "c", 0), ("q2", "2", "", 1), ("", "2", "c", 1), ("q2", "", "c", 1)),
    ],
)
def test_from_run_rejects_bad_rows_with_intents(form, row):
    with pytest.raises(ValueError, match="'qrels' parameter of from_run must "):
        read_intents(form, [*INTENTS, row])
