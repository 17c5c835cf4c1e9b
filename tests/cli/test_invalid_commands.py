"""Errors of the command line: one line on standard error, an exit code, and no other output."""

import builtins
import gzip

import pytest

from sklearn_rank._cli._usage_errors import UsageError, options_at_fault

BAD_USAGE = {
    "": "a command is required: evaluate",
    "evalute a b": "unknown command 'evalute'; the commands are evaluate, compare",
    "a.qrels a.run": "plot. To compute metrics, use sklearn-rank evaluate QRELS RUN",
    "-m map a.qrels a.run": "plot. To compute metrics, use sklearn-rank evaluate QRELS RUN",
    "evaluate": "pass a file of judgments and at least one run (QRELS RUN), or one table",
    "evaluate a.qrels": "pass a file of judgments and at least one run (QRELS RUN), or one table",
    "evaluate - -": "'-' (standard input) can be used for one file only",
    "evaluate a.qrels a.run a.run": "each run can be passed only once",
    "evaluate a.qrels a.run -m ndgc@10": "-m must name a metric (did you mean ndcg?), got 'ndgc@10'",
    "evaluate a.qrels a.run -m trec_eval:mapp": "-m must be the name of a metric of trec_eval",
    "evaluate a.qrels a.run -m judged": "-m must have a cutoff, such as judged@10",
    "evaluate a.qrels a.run -M 0": "-M: must be an integer >= 1, got '0'",
    "evaluate a.qrels a.run -l x": "-l: invalid float value: 'x'",
    "evaluate a.qrels a.run -l nan": "-l must",
    "evaluate a.qrels a.run --format xml": "--format: invalid choice: 'xml'",
    "evaluate a.qrels a.run --nope": "unrecognized arguments: --nope",
    "evaluate a.qrels a.run --confidence-level 2": "--confidence-level must be between 0 and 1",
    "evaluate a.qrels a.run -q --by kind": "-q cannot be combined with --by or --confidence-level",
    "evaluate a.qrels a.run --by kind": "--by requires --fields FILE",
    "evaluate a.qrels a.run --fields a.tsv": "--fields requires --by FIELD",
    "evaluate a.csv --columns query": "--columns must contain KEY=NAME pairs with distinct keys",
    "evaluate a.csv --columns qid=query": "--columns must contain KEY=NAME pairs with distinct keys",
    "evaluate a.qrels a.run --columns query=qid": "--columns requires a table",
    "evaluate a.qrels a.svm": "an svmlight file must come first",
    "evaluate a.qrels a.run --format trec_eval -m ndcg@10": "-m must name a measure of trec_eval",
    "evaluate a.qrels a.run --format trec_eval -m P_10": "trec_eval, got 'P_10'. Did you mean P.10?",
    "evaluate a.qrels a.run --format trec_eval -m iprec_at_recall_0.1": "Did you mean iprec_at_recall.0.1?",
    "evaluate a.qrels a.run -m official": "-m official requires --format trec_eval",
    "evaluate a.qrels a.run -m map,mrr": "must be one name, got 'map,mrr'. Repeat the option: -m map -m mrr",
    "evaluate -m mrr map a.qrels a.run": "there is no file 'map'. To compute this metric, pass -m map",
    "evaluate a.qrels a.run trec_eval:P_5": "there is no file 'trec_eval:P_5'. To compute this",
    "evaluate a.qrels a.run --format trec_eval -m binG": "-m binG is a measure of trec_eval that is not",
    "evaluate a.qrels a.run --format trec_eval -m P.0": "-m P must have cutoffs >= 1 after the period, got",
    "evaluate a.qrels a.run --format trec_eval -m P.": "after the period, got ''",
    "evaluate a.qrels a.run --format trec_eval -m P.5,5": "-m P must have distinct parameters",
    "evaluate a.qrels a.run --format trec_eval -m P.99999999999999999999": "-m must be the name of a metric",
    "evaluate a.qrels a.run --format trec_eval -l 0": "-l must be a finite number > 0, got 0.0",
    "evaluate a.qrels a.run --format trec_eval -l 0.5": "-l must be an integer with --format trec_eval",
    "evaluate a.qrels a.run --format trec_eval -m map.5": "-m map must have no parameters",
    "evaluate a.qrels a.run --format trec_eval -m iprec_at_recall.2": "levels from 0 to 1 with at most two",
    "evaluate a.qrels a.run --format trec_eval -m Rprec_mult.0.25": "positive multiples of R with at most",
    "evaluate a.qrels a.run b.run --format trec_eval": "requires exactly one run, got 2 runs",
    "evaluate a.qrels a.run --format trec_eval --by x": "--by cannot be combined with --format trec_eval",
    "evaluate a.qrels a.run --format trec_eval --ties best": "--ties and --gain cannot be combined with",
    "compare a.qrels a.run": "compare requires a file of judgments and at least two runs",
    "compare a.qrels a.run b.run --changes 0": "--changes must be an integer >= 1, and requires --format t",
    "compare a.qrels a.run b.run --changes 5 --format csv": "--changes must be an integer >= 1, and requires",
    "compare a.qrels a.run b.run -c --baseline c": "must be the name of a report ('a', 'b'), got 'c'",
    "compare a.qrels a.run b.run -c --test sign --margin 1": "--margin must be None with test='sign', got",
    "compare a.qrels a.run b.run -c --margin -1": "--margin: must be D or NAME=D with a positive number D",
    "compare a.qrels a.run b.run -c --seed -1": "--seed must be None, an int from 0 to 2**32 - 1",
    "ties a.qrels a.run -m trec_eval:map": "-m must not contain 'ties' or a name of another library",
    "explain ndgc": "NAME must name a metric (did you mean ndcg?), got 'ndgc'",
    "explain": "required: NAME",
    "plot a.qrels a.run": "required: -o",
    "plot a.qrels a.run -o a.doc": "-o must end with one of",
    "plot a.qrels a.run -o a.png -m mrr": "-m must be one of ndcg, map",
    "plot a.qrels a.run -o a.png -m ndcg@5": "without a cutoff, for --kind cutoffs, got 'ndcg@5'. Set the",
    "plot a.qrels a.run -o a.png --kind difference": "--kind difference requires exactly 2 runs, got 1",
    "plot a.qrels a.run -o a.png -m ndcg -m map": "--kind cutoffs requires exactly one -m, got 2",
}


@pytest.mark.parametrize("words", BAD_USAGE)
def test_command_rejects_wrong_usage_in_one_line(words, folder, run_command):
    if words.startswith("plot"):
        pytest.importorskip("matplotlib")
    code, out, err = run_command(*words.split())
    assert (code, out) == (2, "")
    assert BAD_USAGE[words] in err
    assert err.startswith("sklearn-rank: ") and err.count("\n") == 1


TABLE = "query,document,score,grade\n"
BAD_FILES = {
    "a.run": [
        (b"q1 Q0 a 1 1 x\nq1 Q0 b 1 1\n", "a.run:2: must have the fields query Q0 document rank score tag"),
        (b"q1 Q0 a 1 1 x\n\nq1 Q0 b 1 high x\n", "a.run:3: must have a finite number as the score"),
        (
            b"q1 Q0 a 1 1 x\nq1 Q0 a 2 0 x\n",
            "a.run:2: must contain each document once per query, got a second document 'a'",
        ),
        (
            b"q9 Q0 a 1 1 x\n",
            "a.run: must contain a query of a.qrels, such as 'q1' (str), got query ids such as 'q9'",
        ),
        (b"", "a.run: must contain documents with scores, got none"),
        (b"q1 0 a 1\n", "a.run:1: must have the fields query Q0 document rank score tag in each line, got"),
        (b"q1 Q0 a 1 1 \xff\nq1 Q0 \xff 2 0 x\n", "a.run:2: must be text in UTF-8"),
        (gzip.compress(b"q1 Q0 a 1 1 x\n", mtime=0)[:-9], "a.run: must be a complete gzip file"),
    ],
    "a.qrels": [
        (b"q1 0 a 1\nq1 a 1\n", "a.qrels:2: must have the fields query iteration document grade"),
        (b"", "a.qrels: must contain documents with grades, got none"),
    ],
    "a.csv": [
        (b"", "a.csv:1: must have a line of column names, got an empty file"),
        (
            b"query,document,grade\nq,a,1\n",
            "a.csv:1: must have exactly one column named score, got query, document, grade. Pass --columns s",
        ),
        (b"query_id,qid,score,grade\n", "a.csv:1: must have exactly one column named query or query_id"),
        (f"{TABLE}q,a,1\n".encode(), "a.csv:2: must have 4 columns like the first line, got 3"),
        (f"{TABLE}q,a,1,1\n\nq,b,x,1\n".encode(), "a.csv:4: must have a finite score, got 'x'"),
        (f"{TABLE}q,a,inf,1\n".encode(), "a.csv:2: must have a finite score, got 'inf'"),
        (
            f"{TABLE}q,a,1,1\nq,a,2,1\n".encode(),
            "a.csv:3: must contain each document once per query, got a second document 'a' of",
        ),
        (f"{TABLE}q,a,1,\n".encode(), "a.csv: must contain documents with grades, got none"),
        (f"{TABLE}q,\xe4,1,1\n".encode("latin-1"), "a.csv:2: must be text in UTF-8"),
        (
            f'{TABLE}q,"a,1,1\n'.encode(),
            "a.csv:2: must be a valid table, got an error (unexpected end of data)",
        ),
    ],
    "a.svm": [
        (b"1 1:1\n", "a.svm:1: must have a qid in each line"),
        (b"1 qid:1 1:1\n", "a.txt: must have as many scores as a.svm has rows, got 2 instead of 1"),
    ],
    "a.txt": [(b"1\nx\n", "a.txt:2: must be a finite number, got 'x'")],
    "kinds.tsv": [
        (b"query\tkind\nq1\told\n", "kinds.tsv: must have a label (kind) for each query, got none for 'q2'"),
        (b"query\tkind\n", "kinds.tsv: must have a label (kind) for each query, got none for 'q1'"),
        (
            b"query\tkind\nq1\told\nq1\tnew\n",
            "kinds.tsv:3: must have one label per query, got 'new' and 'old' for the query 'q1'",
        ),
        (
            b"query\tsort\nq1\told\n",
            "kinds.tsv:1: must have a column named kind for --by, got query, sort",
        ),
    ],
    "a.parquet": [(b"PAR1", "a.parquet: must be a Parquet file")],
}
COMMANDS = {
    "a.csv": "a.csv",
    "a.svm": "a.svm a.txt",
    "a.txt": "a.svm a.txt",
    "kinds.tsv": "a.qrels a.run --by kind --fields kinds.tsv",
    "a.parquet": "a.parquet",
}


@pytest.mark.parametrize(
    ("name", "data", "expected"), [(name, *case) for name, cases in BAD_FILES.items() for case in cases]
)
def test_evaluate_command_names_the_error_in_a_file(name, data, expected, folder, run_command):
    if name == "a.parquet":
        pytest.importorskip("pyarrow")
    (folder / "a.svm").write_text("1 qid:1 1:1\n0 qid:1 1:2\n")
    (folder / "a.txt").write_text("1\n2\n")
    (folder / name).write_bytes(data)
    words = COMMANDS.get(name, "a.qrels a.run")
    code, out, err = run_command("evaluate", *words.split())
    assert (code, out) == (1, "")
    assert f"sklearn-rank: {expected}" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", ["nope a.run", "a.qrels nope", "a.qrels a.run --by x --fields nope", "nope.csv"]
)
def test_evaluate_command_names_a_missing_file(words, folder, run_command):
    code, out, err = run_command("evaluate", *words.split())
    name = next(word for word in words.split() if word.startswith("nope"))
    assert (code, out, err) == (1, "", f"sklearn-rank: {name}: No such file or directory\n")


def test_evaluate_command_rejects_a_folder(folder, run_command):
    assert run_command("evaluate", "a.qrels", ".")[::2] == (1, "sklearn-rank: .: Is a directory\n")


def test_evaluate_command_suggests_input_trec_for_tsv_without_names(folder, run_command):
    (folder / "qrels.tsv").write_text("q1\ta\tgood\n")
    err = run_command("evaluate", "qrels.tsv", "a.run")[2]
    assert "or --input trec for a TREC file" in err


def test_plot_command_rejects_differences_of_runs_with_different_queries(folder, run_command):
    pytest.importorskip("matplotlib")
    words = ["b.qrels", "a.run", "b.run", "--kind", "difference", "-o", "a.png"]
    code, out, err = run_command("plot", *words, "--drop-missing")
    fix = "Leave out --drop-missing: queries that a run lacks then count as empty lists"
    rule = "--kind difference requires the same queries in both runs"
    assert (code, out, err) == (2, "", f"sklearn-rank: {rule}. {fix}\n")


def test_evaluate_command_rejects_infinite_gains(folder, run_command):
    (folder / "a.qrels").write_text("q1 0 a 5000\n")
    code, out, err = run_command("evaluate", "a.qrels", "a.run", "--gain", "exponential")
    assert (code, out) == (1, "")
    assert err.startswith("sklearn-rank: a.qrels a.run: must give gains with a finite sum, got 'exponential'")


def test_usage_errors_omit_python_code_of_fixes():
    message = "The 'metrics' parameter of evaluate must name a metric. Got 'x' instead."
    names = "Did you mean 'a' or 'b(gain=x)'? Higher values are better."
    for fix, shown in [("Pass metrics=['a'].", ""), (f"{names} Pass metrics=['a'].", f". {names}"), ("", "")]:
        given = f"{message} {fix}".rstrip()
        with pytest.raises(UsageError) as caught, options_at_fault():
            raise ValueError(given)
        assert str(caught.value) == f"-m must name a metric, got 'x'{shown}"


@pytest.mark.parametrize("names", ["score=s", "query=nope,score=s"])
def test_evaluate_command_completes_the_names_of_columns(names, folder, run_command):
    (folder / "a.csv").write_text("q,s,grade\nq1,1,1\n")
    err = run_command("evaluate", "a.csv", "--columns", "query=q", "--columns", names)[2]
    fixed = sorted(err.partition(". Pass --columns ")[2].strip().split(","))
    assert "must have exactly one column named" in err
    assert fixed == ["query=NAME", "score=s"]


def test_metrics_command_fails_when_no_metric_matches(run_command):
    code, out, err = run_command("metrics", "nothing")
    assert (code, out) == (1, "") and "no metric matches 'nothing'" in err


@pytest.mark.parametrize(
    ("package", "words", "expected"),
    [
        (
            "pyarrow",
            ["evaluate", "a.parquet"],
            "a.parquet: Parquet files require pyarrow: pip install pyarrow",
        ),
        (
            "matplotlib",
            ["plot", "a.qrels", "a.run", "-o", "a.png"],
            "plot requires matplotlib: pip install 'sklearn-rank[plots]'",
        ),
    ],
)
def test_command_names_a_missing_package(package, words, expected, folder, run_command, monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest)

    (folder / "a.parquet").write_bytes(b"")
    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr("sklearn_rank._cli._files.import_module", refuse)
    code, out, err = run_command(*words)
    assert (code, out) == (1, "")
    assert expected in err


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            "a.run a.qrels",
            "a.qrels:1: must have the fields query Q0 document rank score tag in each line, got 4 ",
        ),
        ("b.run a.run", "b.run:1: must have the fields query iteration document grade in each line, got 6 "),
    ],
)
def test_command_explains_the_order_of_files(files, message, folder, run_command):
    code, out, err = run_command("evaluate", *files.split())
    assert (code, out) == (1, "")
    assert err.startswith(f"sklearn-rank: {message}fields: 'q1 ")
    assert err.endswith("'. QRELS comes before RUN\n")
