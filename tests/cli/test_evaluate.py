"""`sklearn-rank evaluate` prints the values of the functions for all kinds of files and formats."""

import csv
import gzip
import io
import json
import os
import threading

import numpy as np
import pytest

from sklearn_rank import evaluate, from_run, ranking_scores

OPTIONS = {"unjudged": "nonrelevant"}
INF = float("inf")


def means(run="a.run", names=("ndcg@10", "map", "mrr"), queries="both", depth=None, **options):
    y_true, y_score, groups = from_run("a.qrels", run, queries=queries, depth=depth)
    return ranking_scores(y_true, y_score, groups=groups, metrics=list(names), **{**OPTIONS, **options})


def read_json(text):
    return {row["metric"]: row["a"] for row in json.loads(text) if row["metric"] != "queries"}


WAYS = {
    "": {},
    "-c": {"queries": "judged"},
    "-M 1": {"depth": 1},
    "-l 2": {"min_relevance": 2},
    "-J": {"unjudged": "drop"},
    "--ties worst": {"ties": "worst"},
    "--gain exponential": {"gain": "exponential"},
}


@pytest.mark.parametrize("way", WAYS)
def test_evaluate_command_prints_means_of_ranking_scores(way, folder, run_command):
    code, out, err = run_command("evaluate", "a.qrels", "a.run", "--format", "json", *way.split())
    assert (code, err, read_json(out)) == (0, "", means(**WAYS[way]))


def test_evaluate_command_prints_means_computed_by_hand(folder, run_command):
    out = run_command("evaluate", "a.qrels", "a.run", "-m", "mrr", "-m", "precision@1")[1]
    assert out == "2 queries\nmetric            a\nmrr          0.7500\nprecision@1  0.5000\n"


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "mrr", "a.qrels", "-q", "a.run"],
        ["a.qrels", "-m", "mrr", "a.run", "-q"],
        ["-qm", "mrr", "a.qrels", "a.run"],
        ["-q", "-mmrr", "--", "a.qrels", "a.run"],
    ],
    ids=" ".join,
)
def test_evaluate_command_accepts_options_and_files_in_any_order(words, folder, run_command):
    out = run_command("evaluate", *words)[1]
    assert out == "2 queries\nquery     mrr\nq1     0.5000\nq2     1.0000\nall    0.7500\n"


def test_evaluate_command_prints_a_column_per_run(folder, run_command):
    out = run_command("evaluate", "b.qrels", "a.run", "b.run", "-m", "mrr")[1]
    assert out == "3 queries\nmetric       a       b\nmrr     0.5000  0.9167\n"


def test_evaluate_command_prints_queries_of_one_run_after_another(folder, run_command):
    words = ["b.qrels", "a.run", "b.run", "--drop-missing", "-q", "-m", "mrr", "--format", "csv"]
    out = run_command("evaluate", *words)[1]
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[:3] == [["run", "query", "mrr"], ["a", "q1", "0.5"], ["a", "q2", "1.0"]]
    assert [row[:2] for row in rows[3:]] == [
        ["a", "all"],
        *(["b", each] for each in ("q1", "q2", "q3", "all")),
    ]


def test_evaluate_command_prints_the_report_with_confidence_level(folder, run_command):
    y_true, y_score, groups = from_run("a.qrels", "a.run")
    options = {**OPTIONS, "confidence_level": 0.9}
    report = evaluate(y_true, y_score, groups=groups, metrics=["mrr"], **options)
    words = ["evaluate", "a.qrels", "a.run", "-m", "mrr", "--confidence-level", "0.9"]
    assert run_command(*words)[1] == f"{report}\n"
    assert run_command(*words, "--format", "markdown")[1] == f"{report.to_markdown()}\n"
    assert run_command(*words, "--format", "latex")[1] == f"{report.to_latex()}\n"
    assert run_command(*words, "--format", "html")[1] == report.to_html()
    (row,) = json.loads(run_command(*words, "--format", "json")[1])
    assert (row["mean"], (row["low"], row["high"])) == (0.75, report.interval["mrr"])


NONE_RELEVANT = (
    "a.run: no document of its queries has a grade of at least 3, so none is relevant. "
    "Set -l to the smallest relevant grade."
)


def test_evaluate_command_writes_nan_as_null_in_json(folder, run_command):
    words = ["-q", "-m", "mrr(zero_division=nan)", "-l", "3", "--format", "json"]
    code, out, err = run_command("evaluate", "a.qrels", "a.run", *words)
    rows = [list(row.values()) for row in json.loads(out)]
    assert (code, rows) == (0, [["q1", None], ["q2", None], ["all", None]])
    none, undefined = err.splitlines()
    assert none == f"sklearn-rank: warning: {NONE_RELEVANT}"
    assert undefined.startswith("sklearn-rank: warning: ranking_scores is undefined")


@pytest.mark.parametrize("command", ["evaluate", "evaluate -q", "evaluate --confidence-level 0.9", "ties"])
def test_command_warns_once_when_no_document_is_relevant(command, folder, run_command):
    code, _, err = run_command(*command.split(), "a.qrels", "a.run", "-l", "3")
    assert (code, err) == (0, f"sklearn-rank: warning: {NONE_RELEVANT}\n")


@pytest.mark.parametrize(("lowest", "n_warnings"), [("2", 0), ("2.5", 1)])
def test_evaluate_command_warns_when_level_exceeds_all_grades(lowest, n_warnings, folder, run_command):
    (folder / "a.qrels").write_text("q1 0 a 2\nq2 0 a 0\n")
    (folder / "a.run").write_text("q1 Q0 a 1 1 x\nq2 Q0 a 1 1 x\n")
    code, _, err = run_command("evaluate", "a.qrels", "a.run", "-m", "mrr", "-l", lowest)
    assert (code, err.count(f"has a grade of at least {lowest}, so none")) == (0, n_warnings)


@pytest.mark.parametrize("ending", [".tsv", ".csv"])
def test_evaluate_command_splits_by_a_table_of_queries(ending, folder, run_command):
    text = "query,kind\nq1,old\nq2,new\nq9,new\n"
    (folder / f"kinds{ending}").write_text(text.replace(",", "\t") if ending == ".tsv" else text)
    words = ["--by", "kind", "--fields", f"kinds{ending}", "--format", "json", "-m", "mrr"]
    rows = json.loads(run_command("evaluate", "a.qrels", "a.run", *words)[1])
    assert [(row["segment"], row["mean"]) for row in rows] == [("old", 0.5), ("new", 1.0)]


# ---------------------------------------------------------------------------- forms of files

HEAD = ["qid", "doc", "s", "label", "kind"]
# q1: ranks b (0), a (1); q2: a (2), then z, which was not judged; c (1) was not retrieved.
TABLE = [
    ["q1", "b", "2", "0", "old"],
    ["q1", "a", "1", "1", "old"],
    ["q2", "a", "5", "2", "new"],
    ["q2", "z", "4", "", "new"],
    ["q2", "c", "", "1", "new"],
]
COLUMNS = ["--columns", "query=qid,document=doc,score=s,grade=label"]


def write_table(path, columns=range(5), rows=TABLE):
    sign = "\t" if path.suffix == ".tsv" else ","
    lines = [[row[place] for place in columns] for row in [HEAD, *rows]]
    if path.suffix == ".parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        frame = pandas.DataFrame(lines[1:], columns=lines[0])
        numbers = [name for name in ("s", "label") if name in frame]
        frame[numbers] = frame[numbers].apply(pandas.to_numeric)
        frame.to_parquet(path)
    else:
        path.write_text("\n".join(map(sign.join, lines)) + "\n")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_evaluate_command_reads_one_table_with_scores_and_grades(ending, folder, run_command):
    write_table(folder / f"a{ending}")
    out = run_command("evaluate", f"a{ending}", *COLUMNS, "--format", "json")[1]
    assert read_json(out) == means()
    words = ["--by", "kind", "-m", "mrr", "--format", "json"]
    rows = json.loads(run_command("evaluate", f"a{ending}", *COLUMNS, *words)[1])
    assert [(row["segment"], row["mean"]) for row in rows] == [("old", 0.5), ("new", 1.0)]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_evaluate_command_reads_separate_tables_of_scores_and_grades(ending, folder, run_command):
    write_table(folder / f"a{ending}", (0, 1, 2), TABLE[:4])
    write_table(folder / f"judged{ending}", (0, 1, 3), [TABLE[row] for row in (0, 1, 2, 4)])
    out = run_command("evaluate", f"judged{ending}", f"a{ending}", *COLUMNS, "--format", "json")[1]
    assert read_json(out) == means()


def test_evaluate_command_joins_a_table_with_trec_qrels(folder, run_command):
    write_table(folder / "a.csv", (0, 1, 2), TABLE[:4])
    out = run_command("evaluate", "a.qrels", "a.csv", *COLUMNS, "--format", "json")[1]
    assert read_json(out) == means()


def test_evaluate_command_reads_a_table_without_documents(folder, run_command):
    (folder / "a.csv").write_text("user,score,rating\nu,2,0\nu,1,1\nv,3,1\n")
    out = run_command("evaluate", "a.csv", "-m", "mrr", "--format", "json")[1]
    assert read_json(out) == {"mrr": 0.75}


def test_evaluate_command_breaks_ties_by_row_without_documents(folder, run_command):
    (folder / "a.csv").write_text("user,score,rating\nu,1,0\nu,1,1\nu,1,0\n")
    out = run_command("evaluate", "a.csv", "-m", "mrr", "--ties", "order", "--format", "json")[1]
    assert read_json(out) == {"mrr": 0.5}


def test_evaluate_command_reads_delimiters_in_quoted_cells(folder, run_command):
    (folder / "a.csv").write_text('query,document,score,grade\n"q,1","a\nb",1,1\n\n"q,1",c,2,0\n')
    out = run_command("evaluate", "a.csv", "-q", "-m", "mrr", "--format", "csv")[1]
    assert out == 'query,mrr\n"q,1",0.5\nall,0.5\n'


def test_evaluate_command_reads_svmlight_with_scores(folder, run_command):
    (folder / "a.svm").write_text("0 qid:1 1:1\n1 qid:1 1:2 # x\n2 qid:2 1:1\n")
    (folder / "a.txt").write_text("2\n1\n\n5\n")
    out = run_command("evaluate", "a.svm", "a.txt", "-m", "mrr", "--format", "json")[1]
    assert read_json(out) == {"mrr": 0.75}
    (folder / "data").write_text((folder / "a.svm").read_text())
    words = ["--input", "svmlight", "-m", "mrr", "--format", "json"]
    assert run_command("evaluate", "data", "a.txt", *words)[1] == out


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("place", [0, 1])
def test_evaluate_command_reads_standard_input(place, is_packed, folder, run_command, monkeypatch):
    files = ["a.qrels", "a.run"]
    data = (folder / files[place]).read_bytes()
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(data) if is_packed else data)))
    monkeypatch.setattr("sys.stdin", stream)
    words = ["--format", "trec_eval", "-m", "runid", "-m", "map"]
    files[place] = "-"
    expected = "runid                 \tall\ta\nmap                   \tall\t0.5000\n"
    assert run_command("evaluate", *files, *words) == (0, expected, "")


def test_evaluate_command_reads_qrels_of_several_runs_from_stdin(folder, run_command, monkeypatch):
    expected = run_command("evaluate", "a.qrels", "a.run", "b.run")
    for data in ((folder / "a.qrels").read_bytes(), gzip.compress((folder / "a.qrels").read_bytes())):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        assert run_command("evaluate", "-", "a.run", "b.run") == expected


@pytest.mark.parametrize(("name", "shown"), [("metric.run", "metric.run"), ("metric", "./metric")])
def test_evaluate_command_renames_a_run_called_metric(name, shown, folder, run_command):
    (folder / name).write_text((folder / "a.run").read_text().replace(" a\n", " metric\n"))
    code, out, _ = run_command("evaluate", "a.qrels", name, "-m", "map", "--format", "json")
    assert (code, json.loads(out)[0]) == (0, {"metric": "map", shown: 0.5})


def test_evaluate_command_distinguishes_ids_with_a_null_byte(folder, run_command):
    (folder / "a.csv").write_text("query,document,score,grade\nq,a,1,1\nq,a\0,2,0\n")
    out = run_command("evaluate", "a.csv", "-m", "map", "--format", "json")[1]
    assert read_json(out) == {"map": 0.5}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("runs", [["a.run"], ["a.run", "b.run"]])
def test_evaluate_command_reads_qrels_from_a_pipe(runs, is_packed, folder, run_command):
    expected = run_command("evaluate", "a.qrels", *runs)
    data = (folder / "a.qrels").read_bytes()
    os.mkfifo(folder / "pipe")
    data = gzip.compress(data) if is_packed else data
    writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(data,), daemon=True)
    writer.start()
    assert run_command("evaluate", "pipe", *runs) == expected
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_evaluate_command_prints_tag_of_a_gzip_run_from_a_pipe(folder, run_command):
    os.mkfifo(folder / "pipe")
    data = gzip.compress((folder / "a.run").read_bytes())
    threading.Thread(target=(folder / "pipe").write_bytes, args=(data,), daemon=True).start()
    out = run_command("evaluate", "a.qrels", "pipe", "--format", "trec_eval", "-m", "runid")[1]
    assert out == "runid                 \tall\ta\n"


@pytest.mark.parametrize("runs", [["a.run"], ["a.run", "b.run"]])
def test_evaluate_command_fails_when_standard_input_is_closed(runs, folder, run_command, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    expected = (1, "", "sklearn-rank: standard input is closed\n")
    assert run_command("evaluate", "-", *runs) == expected


def test_evaluate_command_reads_gzip_files(folder, run_command):
    for name in ("a.qrels", "a.run"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    words = ["--format", "trec_eval", "-m", "official"]
    plain = run_command("evaluate", "a.qrels", "a.run", *words)
    assert run_command("evaluate", "a.qrels.gz", "a.run.gz", *words) == plain
    assert "\tall\ta\n" in plain[1]


@pytest.mark.slow
def test_evaluate_command_prints_the_tag_of_the_last_line(folder, run_command):
    lines = [f"q1 Q0 d{number} 1 {number} first" for number in range(9000)]
    (folder / "a.run").write_text("\n".join([*lines, "q2 Q0 a 1 1 last", " ", ""]))
    out = run_command("evaluate", "a.qrels", "a.run", "--format", "trec_eval", "-m", "runid")[1]
    assert out == "runid                 \tall\tlast\n"


def test_evaluate_command_warns_when_run_ranks_contradict_scores(folder, run_command):
    (folder / "a.run").write_text("q1 Q0 a 1 1 a\nq1 Q0 b 2 2 a\n")
    words = ["a.qrels", "a.run", "--drop-missing", "-m", "mrr", "--format", "json"]
    code, out, err = run_command("evaluate", *words)
    assert (code, read_json(out)) == (0, {"mrr": 0.5})
    assert err.startswith("sklearn-rank: warning: the ranks in a.run contradict the scores")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("form", "options"), [("csv", []), ("parquet", []), ("tsv", ["--columns", "rank=r"])]
)
def test_evaluate_command_warns_when_table_ranks_contradict_scores(form, options, folder, run_command):
    pandas = pytest.importorskip("pandas")
    rank = "r" if options else "rank"
    frame = pandas.DataFrame({"query": ["q1", "q1"], "document": ["a", "b"], "score": [1, 2], rank: [1, 2]})
    if form == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(folder / "a.parquet")
    else:
        frame.to_csv(folder / f"a.{form}", sep="," if form == "csv" else "\t", index=False)
    words = ["a.qrels", f"a.{form}", "--drop-missing", "-m", "mrr", "--format", "json", *options]
    code, out, err = run_command("evaluate", *words)
    assert (code, read_json(out)) == (0, {"mrr": 0.5})
    assert err.startswith("sklearn-rank: warning: the ranks in a." + form)


@pytest.mark.parametrize("name", ["map(average=geometric)", "trec_eval:gm_map"])
def test_evaluate_command_prints_queries_of_the_geometric_mean(name, folder, run_command):
    words = ["evaluate", "a.qrels", "a.run", "-m", name]
    got = read_json(run_command(*words, "--format", "json")[1])
    assert got[name] == means(names=["map"], average="geometric", ties="order")["map"]
    rows = json.loads(run_command(*words, "-q", "--format", "json")[1])
    values = means(names=["map"], average=None, ties="order")["map"]
    assert [row[name] for row in rows] == [*values, got[name]]
    code, _, err = run_command(*words, "--confidence-level", "0.9")
    assert (code, "must be 'macro', 'weighted' or 'micro'" in err) == (2, True)


def test_evaluate_command_accepts_names_of_other_libraries(folder, run_command):
    names = ["trec_eval:map", "ndcg@10"]
    words = [word for name in names for word in ("-m", name)]
    out = run_command("evaluate", "a.qrels", "a.run", *words, "--format", "json")[1]
    assert read_json(out) == means(names=names)
    assert np.isclose(read_json(out)["trec_eval:map"], 0.5)


@pytest.mark.parametrize("form", [(), ("--format", "trec_eval")])
def test_evaluate_command_ignores_identical_ids(form, folder, run_command, pieces):
    (folder / "b.run").write_text((folder / "a.run").read_text() + "q2 Q0 q2 1 9 a\n")
    expected = run_command("evaluate", "a.qrels", "a.run", "-m", "map", *form)
    got = run_command("evaluate", "a.qrels", "b.run", "-m", "map", *form, "--ignore-identical-ids")
    assert got == expected
    assert run_command("evaluate", "a.qrels", "b.run", "-m", "map", *form) != expected


def test_evaluate_command_names_the_option_of_identical_ids_of_two_types(folder, run_command):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"query": [1, 1], "document": ["a", "b"], "score": [2.0, 1.0], "grade": [0, 1]})
    frame.to_parquet(folder / "a.parquet")
    code, _, err = run_command("evaluate", "a.parquet", "--ignore-identical-ids")
    assert (code, err.startswith("sklearn-rank: --ignore-identical-ids must be False if ids of")) == (2, True)


@pytest.mark.parametrize("command", ["evaluate", "compare", "ties"])
def test_warnings_of_commands_name_metrics_but_no_function(command, folder, run_command):
    for name in "ab":
        lines = [
            f"q{query} Q0 {name}{rank} {rank} {-rank} {name}" for query in range(20) for rank in range(5)
        ]
        (folder / f"{name}.run").write_text("\n".join(lines))
    (folder / "a.qrels").write_text(
        "".join(f"q{query} 0 x{query} 1\nq{query} 0 a1 1\n" for query in range(20))
    )
    runs = ["a.run", "b.run"][: 1 + (command == "compare")]
    _, _, err = run_command(command, "a.qrels", *runs, "-m", "recall@9", "-m", "mrr")
    fact = "no list has more than 5 documents, so longer lists can have higher values of recall@9"
    assert {line[: line.index(".")] for line in err.splitlines() if "list" in line} == {
        f"sklearn-rank: warning: {fact}"
    }
