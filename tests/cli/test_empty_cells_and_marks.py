"""Files with empty cells, byte order marks and invalid numbers."""

import pytest

from tests.cli.test_evaluate import COLUMNS, TABLE, write_table


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize(("column", "key"), [(0, "query"), (1, "document")])
def test_evaluate_command_names_line_of_an_empty_id_cell(ending, column, key, folder, run_command):
    rows = [list(row) for row in TABLE]
    rows[2][column] = " "
    write_table(folder / f"a{ending}", rows=rows)
    code, _, err = run_command("evaluate", f"a{ending}", *COLUMNS)
    assert (code, f"a{ending}:4: must have a {key} id in each row, got an empty cell" in err) == (1, True)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_evaluate_command_names_line_of_an_empty_score(ending, folder, run_command):
    rows = [[*row[:2], "" if place == 2 else "1"] for place, row in enumerate(TABLE)]
    write_table(folder / f"a{ending}", range(3), rows)
    code, _, err = run_command("evaluate", "a.qrels", f"a{ending}", *COLUMNS)
    line = 3 if ending == ".parquet" else 4
    assert (code, f"a{ending}:{line}: must have a score in each row, got an empty cell" in err) == (1, True)


def test_evaluate_command_names_line_of_an_empty_query_in_fields(folder, run_command):
    (folder / "kinds.csv").write_text("query,kind\nq1,old\n,new\n")
    code, _, err = run_command("evaluate", "a.qrels", "a.run", "--by", "kind", "--fields", "kinds.csv")
    assert (code, "kinds.csv:3: must have a query id" in err) == (1, True)


MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # the byte order mark


@pytest.mark.parametrize("name", ["a.qrels", "a.run"])
def test_evaluate_command_ignores_byte_order_marks_of_joined_files(name, folder, run_command):
    expected = run_command("evaluate", "a.qrels", "a.run")
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    (folder / name).write_text("".join(f"{MARK}{line}\n" for line in lines), encoding="utf-8")
    assert run_command("evaluate", "a.qrels", "a.run") == expected


def test_evaluate_command_ignores_byte_order_marks_in_pieces(folder, run_command, pieces):
    expected = run_command("evaluate", "a.qrels", "a.run")
    text = (folder / "a.run").read_text(encoding="utf-8")
    (folder / "a.run").write_text(text.replace("q2 Q0 a", f"{MARK}q2 Q0 a"), encoding="utf-8")
    assert run_command("evaluate", "a.qrels", "a.run") == expected
    assert pieces[-1] == "whole"


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_evaluate_command_ignores_byte_order_marks_of_tables(ending, folder, run_command):
    write_table(folder / f"a{ending}")
    expected = run_command("evaluate", f"a{ending}", *COLUMNS)
    text = (folder / f"a{ending}").read_text(encoding="utf-8")
    (folder / f"a{ending}").write_text(MARK + text.replace("\nq2", f"\n{MARK}q2"), encoding="utf-8")
    assert run_command("evaluate", f"a{ending}", *COLUMNS) == expected


def test_evaluate_command_ignores_byte_order_marks_of_svmlight(folder, run_command):
    (folder / "a.svm").write_text("1 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:1\n0 qid:2 1:3\n")
    (folder / "a.txt").write_text("2\n1\n1\n2\n")
    expected = run_command("evaluate", "a.svm", "a.txt")
    for name in ("a.svm", "a.txt"):
        lines = (folder / name).read_text().splitlines()
        (folder / name).write_text("".join(f"{MARK}{line}\n" for line in lines), encoding="utf-8")
    assert run_command("evaluate", "a.svm", "a.txt") == expected


@pytest.mark.parametrize("number", ["nan", "inf", "x"])
def test_evaluate_command_names_line_of_an_invalid_score(number, folder, run_command):
    (folder / "a.svm").write_text("1 qid:1 1:1\n0 qid:1 1:2\n")
    (folder / "a.txt").write_text(f"2\n{number}\n")
    code, _, err = run_command("evaluate", "a.svm", "a.txt")
    assert (code, err) == (1, f"sklearn-rank: a.txt:2: must be a finite number, got {number!r}\n")


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (f"1{MARK}".encode(), r"'1\ufeff', which contains a byte order mark"),
        ("1".encode("utf-16"), "bytes that are not text in UTF-8"),
    ],
    ids=["mark behind the number", "UTF-16"],
)
def test_evaluate_command_names_the_reason_for_an_unreadable_score(text, got, folder, run_command):
    (folder / "a.svm").write_text("1 qid:1 1:1\n0 qid:1 1:2\n")
    (folder / "a.txt").write_bytes(text + b"\n2\n")
    code, _, err = run_command("evaluate", "a.svm", "a.txt")
    assert (code, err) == (1, f"sklearn-rank: a.txt:1: must be a finite number, got {got}\n")


@pytest.mark.parametrize("key", ["query", "document"])
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_evaluate_command_names_row_of_an_empty_parquet_id(kind, key, folder, run_command):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    ids = {"query": ["q1", "q1", "q2"], "document": ["a", "b", "a"]}
    ids[key][2] = " "
    columns = {name: pyarrow.array(values) for name, values in ids.items()}
    column = columns[key]
    columns[key] = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
    table = pyarrow.table({**columns, "score": [None, 1.0, 2.0], "grade": [1.0, None, None]})
    parquet.write_table(table, folder / "a.parquet")
    code, _, err = run_command("evaluate", "a.qrels", "a.parquet")
    expected = f"sklearn-rank: a.parquet:3: must have a {key} id in each row, got an empty cell\n"
    assert (code, err) == (1, expected)


@pytest.mark.parametrize("number", ["score", "grade"])
def test_evaluate_command_names_row_of_a_nonfinite_parquet_number(number, folder, run_command):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"query": [1, 1, 2], "score": [2.0, 1.0, 1.0], "grade": [1.0, 0.0, 1.0]}
    columns[number][1] = float("nan")
    parquet.write_table(pyarrow.table(columns), folder / "a.parquet")
    code, _, err = run_command("evaluate", "a.parquet")
    expected = f"sklearn-rank: a.parquet:2: must have finite numbers as {number}s, got nan for document"
    assert (code, err.startswith(expected)) == (1, True)


def test_evaluate_command_names_row_of_a_nonfinite_svmlight_label(folder, run_command):
    (folder / "a.svm").write_text("1 qid:1 1:1\nnan qid:1 1:2\n")
    (folder / "a.txt").write_text("2\n1\n")
    code, _, err = run_command("evaluate", "a.svm", "a.txt")
    assert (code, err) == (1, "sklearn-rank: a.svm: row 2 must have a finite grade, got nan\n")


def test_evaluate_command_ignores_repeated_byte_order_marks(folder, run_command):
    expected = run_command("evaluate", "a.qrels", "a.run")
    text = (folder / "a.run").read_text(encoding="utf-8")
    (folder / "a.run").write_text(MARK * 2 + text.replace("q2", f"{MARK * 3}q2"), encoding="utf-8")
    assert run_command("evaluate", "a.qrels", "a.run") == expected


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_evaluate_command_rejects_a_query_without_label_for_by(ending, folder, run_command):
    rows = [[*row[:4], "" if row[0] == "q2" else row[4]] for row in TABLE]
    write_table(folder / f"a{ending}", rows=rows)
    if ending == ".parquet":
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_parquet(folder / "a.parquet")
        frame["kind"] = frame["kind"].replace({"": None})
        frame.to_parquet(folder / "a.parquet")
    code, _, err = run_command("evaluate", f"a{ending}", *COLUMNS, "--by", "kind")
    expected = f"sklearn-rank: a{ending}: must have a label (kind) for each query, got none for 'q2'\n"
    assert (code, err) == (1, expected)


def test_evaluate_command_accepts_a_label_in_one_row_per_query(folder, run_command):
    write_table(folder / "a.csv")
    expected = run_command("evaluate", "a.csv", *COLUMNS, "--by", "kind")
    rows = [[*row[:4], "" if row[1] in "bz" else row[4]] for row in TABLE]
    write_table(folder / "a.csv", rows=[*rows, [""] * 5])
    assert run_command("evaluate", "a.csv", *COLUMNS, "--by", "kind") == expected


@pytest.mark.parametrize(
    ("grade", "name", "n_warnings"),
    [("0.5", "trec_eval:map", 1), ("0.5", "map", 0), ("1.0", "trec_eval:map", 0)],
)
def test_evaluate_command_warns_about_fractional_trec_eval_grades(
    grade, name, n_warnings, folder, run_command
):
    (folder / "a.qrels").write_text(f"q1 0 a 2\nq1 0 b {grade}\n")
    code, _, err = run_command("evaluate", "a.qrels", "a.run", "b.run", "-m", name)
    assert (code, err.count("a.qrels has fractional grades")) == (0, n_warnings)
    assert err.count("\n") == n_warnings
