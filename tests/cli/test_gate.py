"""The options --fail-on and --margin of compare, and their exit codes."""

import os
import shlex
import subprocess

import pytest

from sklearn_rank import evaluate
from sklearn_rank._cli import _compare
from tests.cli.test_processes import COMMAND, ENVIRONMENT, posix

QUERIES = 40


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Runs of 40 queries with two documents: MRR is 1 or 0.5. "down" loses 10 of them, "some" wins 5 of 9."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n{q} 0 b 0\n" for q in range(QUERIES)))
    first = {"old": range(QUERIES), "down": range(10, QUERIES), "mid": range(20)}
    first |= {"same": first["old"], "some": [*range(4, 20), *range(20, 25)]}
    for name, queries in first.items():
        ranked = ["ab" if q in queries else "ba" for q in range(QUERIES)]
        lines = [f"{q} Q0 {a} 1 2 x\n{q} Q0 {b} 2 1 x\n" for q, (a, b) in enumerate(ranked)]
        (tmp_path / f"{name}.run").write_text("".join(lines))


@pytest.mark.parametrize(
    ("names", "words", "code"),
    [
        ("old down", "", 0),
        ("old down", "--fail-on worse", 3),
        ("old down", "--fail-on undecided", 3),
        ("old down", "--fail-on worse --margin 0.1", 3),  # the difference is -0.125
        ("old down", "--fail-on worse --margin 0.2", 0),
        ("old down", "--fail-on worse --margin mrr=0.2", 0),
        ("old down", "--fail-on worse --margin 0.2 --margin mrr=0.1", 3),
        ("old down", "--fail-on worse --margin 0.1 --margin mrr=0.2", 0),
        ("old same", "--fail-on undecided", 0),
        ("down old", "--fail-on undecided", 0),
        ("mid some", "--fail-on worse", 0),
        ("mid some", "--fail-on undecided", 4),
        ("mid some", "--fail-on undecided --margin 0.2", 0),
        ("down old same", "--fail-on worse --baseline down", 0),
        ("old down same", "--fail-on worse --baseline old", 3),
    ],
)
def test_compare_command_exits_with_the_code_of_the_gate(names, words, code, runs, run_command):
    files = ["qrels.txt", *(f"{name}.run" for name in names.split())]
    plain = [each for each in words.split() if each not in ("--fail-on", "worse", "undecided")]
    printed = run_command("compare", *files, "-m", "mrr", *plain)[1]
    found = run_command("compare", *files, "-m", "mrr", *words.split())
    one, other = names.split()[:2]
    fact = {
        0: "",
        3: f'"{other}" is worse than "{one}" in mrr\n',
        4: f'"{other}" might be worse than "{one}" in mrr\n',
    }
    assert found == (code, printed, f"sklearn-rank: {fact[code]}" if code else "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--fail-on worse", "--fail-on requires --baseline RUN, got 3 runs without it"),
        (
            "--fail-on worse --baseline old --test sign",
            "--fail-on requires --test auto, t or randomization, got sign",
        ),
        (
            "--margin 0.1 --margin 0.2",
            "--margin must be passed once for each metric, and once without a metric",
        ),
        (
            "--confidence-level 0.99999",
            "the number of sign flips must be at least 99999, "
            "because p must be able to reach 1e-05, got 10000",
        ),
        ("--margin map=0.1", "--margin must name one of mrr, got 'map'"),
        (
            "--margin mrr=-1",
            "argument --margin: must be D or NAME=D with a positive number D, got 'mrr=-1'; "
            "see sklearn-rank compare --help",
        ),
        (
            "--margin mrr",
            "argument --margin: must be D or NAME=D with a positive number D, got 'mrr'; "
            "see sklearn-rank compare --help",
        ),
    ],
)
def test_compare_command_rejects_invalid_gates(words, message, runs, run_command):
    files = ["qrels.txt", "old.run", "down.run", "same.run"]
    found = run_command("compare", *files, "-m", "mrr", *words.split())
    assert found == (2, "", f"sklearn-rank: {message}\n")


def test_gate_does_not_pass_metrics_without_values(runs, run_command, tmp_path):
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n{q} 0 b 1\n" for q in range(QUERIES)))
    code, out, err = run_command(
        "compare", "qrels.txt", "old.run", "down.run", "-m", "group_auc", "--fail-on", "worse"
    )
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        "sklearn-rank: old.run down.run: must have a query with a value in both systems, for each metric, "
        "got no such query for 'group_auc' of 'down', 'old'"
    )


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("sink", "code", "message"),
    [
        (">/dev/full", 1, "sklearn-rank: standard output: No space left on device\n"),
        ("| true; exit ${PIPESTATUS[0]}", 141, ""),
    ],
)
def test_failed_gate_ends_in_one_line_when_output_cannot_be_written(sink, code, message, runs):
    if not os.path.exists("/dev/full"):
        pytest.skip("of Linux")
    command = f"{shlex.join(COMMAND)} compare qrels.txt old.run down.run -m mrr --fail-on worse {sink}"
    found = subprocess.run(["bash", "-c", command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    assert (found.returncode, found.stderr) == (code, message)


@pytest.mark.parametrize("fail_on", ["worse", "undecided"])
def test_other_labels_of_a_run_exit_with_1(fail_on, runs, run_command, monkeypatch):
    def make_report(rows, metrics, args):
        """Lose the documents with label 0 of a run, so that its MRR is 1."""
        kept = rows.y_true > 0 if rows.name == "down" else slice(None)
        return evaluate(rows.y_true[kept], rows.y_score[kept], groups=rows.groups[kept], metrics=metrics)

    monkeypatch.setattr(_compare, "make_report", make_report)
    files = ["qrels.txt", "mid.run", "down.run"]
    code, printed, errors = run_command("compare", *files, "-m", "mrr", "--fail-on", fail_on)
    assert (code, printed) == (1, "")
    labels = '"down" has other labels than "mid" in 40 of 40 queries (labels 1 against 0, 1)'
    assert f"{labels}. Evaluate both on the same documents" in errors
    last = errors.splitlines()[-1]
    assert last.startswith(f"sklearn-rank: mid.run down.run: must compare the same labels, got {labels}")
