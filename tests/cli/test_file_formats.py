"""Commands recognize the formats of files by their names and contents, compressed or not."""

import bz2
import gzip
import json
import lzma

import pytest

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}}
RUN = {"q1": {"b": 2, "a": 1}, "q2": {"a": 5, "z": 4}}
WORDS = ["-m", "map", "-m", "ndcg@2", "--format", "json"]


def write(given, head, form):
    rows = [(query, name, number) for query, of in given.items() for name, number in of.items()]
    return head + "".join(form.format(*row) for row in rows)


def write_ranks(given, head, form):
    return write(
        {query: {name: rank for rank, name in enumerate(of, 1)} for query, of in given.items()}, head, form
    )


FILES = {
    "a.json": json.dumps,
    "beir.tsv": lambda given: write(given, "query-id\tcorpus-id\tscore\n", "{}\t{}\t{}\n"),
    "beir": lambda given: write(given, "query-id\tcorpus-id\tscore\n", "{}\t{}\t{}\n"),
    "a.csv": lambda given: write(given, "qid,docid,docno,query,NUMBER\n", "{0},7,{1},text,{2}\n"),
    "label.tsv": lambda given: write(given, "", "{}\t0\t{}\t{}\n"),
    "score.tsv": lambda given: write(given, "", "{}\tQ0\t{}\t0\t{}\tx\n"),
}
OF_RUNS, OF_QRELS = FILES.keys() - {"label.tsv"}, FILES.keys() - {"score.tsv"}


def write_file(folder, name, given, number):
    text = FILES[name](given).replace("NUMBER", number)
    (folder / f"{number}-{name}").write_text(text)
    return f"{number}-{name}"


@pytest.fixture
def expected(folder, run_command):
    return read_values(run_command("evaluate", "a.qrels", "a.run", *WORDS))


def read_values(result):
    code, out, err = result
    assert (code, err) == (0, "")
    return read_json(out)


def read_json(out):
    return [list(row.values())[1] for row in json.loads(out) if row["metric"] != "queries"]


@pytest.mark.parametrize("of_run", sorted(OF_RUNS))
@pytest.mark.parametrize("of_qrels", sorted(OF_QRELS))
def test_evaluate_command_recognizes_formats(of_qrels, of_run, folder, run_command, expected):
    files = write_file(folder, of_qrels, QRELS, "label"), write_file(folder, of_run, RUN, "score")
    values = read_values(run_command("evaluate", *files, *WORDS))
    assert values == expected


@pytest.mark.parametrize("name", sorted(OF_RUNS))
@pytest.mark.parametrize(
    ("ending", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_evaluate_command_unpacks_files(ending, compress, name, folder, run_command, expected):
    plain = write_file(folder, name, RUN, "score")
    (folder / f"{plain}{ending}").write_bytes(compress((folder / plain).read_bytes()))
    assert read_values(run_command("evaluate", "a.qrels", f"{plain}{ending}", *WORDS)) == expected


@pytest.mark.parametrize("name", ["run.tsv", "run.txt"])
def test_evaluate_command_says_that_ranks_become_scores(name, folder, run_command, expected):
    (folder / name).write_text(write_ranks(RUN, "", "{}\t{}\t{}\n"))
    _, out, err = run_command("evaluate", "a.qrels", name, *WORDS)
    assert err.count(f"{name} has ranks and no scores, so the score of each document is minus its rank") == 1
    assert read_json(out) == expected


def test_evaluate_command_reads_ranks_of_a_table(folder, run_command, expected):
    (folder / "run.csv").write_text(write_ranks(RUN, "qid,docno,rank\n", "{},{},{}\n"))
    _, out, err = run_command("evaluate", "a.qrels", "run.csv", *WORDS)
    assert "run.csv has ranks and no scores" in err
    assert read_json(out) == expected


def test_evaluate_command_takes_column_names_for_each_side(folder, run_command, expected):
    (folder / "judged.csv").write_text(write(QRELS, "topic,passage,value\n", "{},{},{}\n"))
    (folder / "run.csv").write_text(write(RUN, "question,passage,value\n", "{},{},{}\n"))
    words = ["--columns", "document=passage", "--qrels-columns", "query=topic,grade=value"]
    words += ["--run-columns", "query=question,score=value"]
    values = read_values(run_command("evaluate", "judged.csv", "run.csv", *words, *WORDS))
    assert values == expected


def test_beir_qrels_and_a_csv_run_work_together(folder, run_command, expected):
    qrels = write_file(folder, "beir.tsv", QRELS, "label")
    (folder / "run.csv").write_text(write(RUN, "topic,passage,value\n", "{},{},{}\n"))
    words = ["--run-columns", "query=topic,document=passage,score=value"]
    assert read_values(run_command("evaluate", qrels, "run.csv", *words, *WORDS)) == expected


def test_evaluate_command_compares_integer_ids_of_parquet_with_text(folder, run_command):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    (folder / "c.qrels").write_text("1 0 30 1\n1 0 4 0\n2 0 30 1\n")
    frame = pandas.DataFrame({"qid": [1, 1, 2], "docno": [4, 30, 30], "score": [2.0, 1.0, 1.0]})
    frame.to_parquet(folder / "c.parquet")
    assert read_values(run_command("evaluate", "c.qrels", "c.parquet", "-m", "mrr", "--format", "json")) == [
        0.75
    ]


BAD_COLUMNS = {
    "missing query": ({"qid": ["q1", None]}, "must not contain missing ids"),
    "missing document": ({"docno": ["a", None]}, "must not contain missing ids"),
    "list as document": ({"docno": [["a"], ["b"]]}, "must contain hashable ids"),
    "repeated document": ({"docno": ["a", "a"]}, "must contain each document once per query, got a second"),
    "text as score": ({"score": ["1", "2"]}, "must have numbers as scores, got the text '1'"),
    "list as score": ({"score": [[1.0], [2.0]]}, "must be an array of real numbers"),
    "missing score": ({"score": [1.0, None]}, "must have a score in each row"),
    "no rows": ({"qid": [], "docno": [], "score": []}, "must contain documents with scores, got none"),
}


@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_evaluate_command_names_the_parquet_file_of_bad_columns(case, folder, run_command):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    change, rule = BAD_COLUMNS[case]
    columns = {"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.0, 1.0], **change}
    parquet.write_table(pyarrow.table(columns), folder / "a.parquet")
    code, _, err = run_command("evaluate", "a.qrels", "a.parquet")
    assert (code, err.startswith("sklearn-rank: a.parquet:"), rule in err) == (1, True, True)


@pytest.mark.parametrize("option", ["--qrels-columns", "--run-columns"])
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("grade=a", "requires a table"),
        ("grade", "must contain KEY=NAME pairs"),
        ("a=b", "must contain KEY=NAME"),
    ],
)
def test_evaluate_command_names_the_option_of_wrong_columns(option, names, expected, folder, run_command):
    code, _, err = run_command("evaluate", "a.qrels", "a.run", option, names)
    assert (code, err.startswith(f"sklearn-rank: {option} {expected}")) == (2, True)


def test_evaluate_command_does_not_use_beir_grades_as_scores_too(folder, run_command):
    qrels = write_file(folder, "beir.tsv", QRELS, "label")
    code, _, err = run_command("evaluate", qrels)
    assert (code, "must have columns of scores and grades" in err) == (1, True)


@pytest.mark.parametrize("side", ["qrels", "run"])
@pytest.mark.parametrize("text", ['{"_id": "q1", "text": "b"}', '{"query_id": "q1", "results": [1]}'])
def test_evaluate_command_names_the_file_of_unknown_json(text, side, folder, run_command):
    (folder / "a.jsonl").write_text(f"{text}\n{text}\n")
    files = {"qrels": "a.qrels", "run": "a.run", side: "a.jsonl"}
    code, _, err = run_command("evaluate", *files.values())
    assert (code, err.startswith("sklearn-rank: a.jsonl: must have one column")) == (1, True)


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04" + bytes(99), b"PAR1" + bytes(99), b"\x1f\x8b" + bytes(99), bytes(99)]
)
@pytest.mark.parametrize("name", ["a.csv", "c.run"])
def test_commands_print_no_binary_noise(name, data, folder, run_command):
    (folder / name).write_bytes(data)
    code, out, err = run_command("evaluate", "a.qrels", name)
    assert (code, out, err.rstrip("\n").isprintable()) == (1, "", True)
