"""Warnings of the command line when runs and judgments have no ids in common."""

import pytest

APART = "no document of {run} is in {qrels} for 2 of 2 queries"
COMMANDS = {
    "evaluate": [],
    "evaluate -q": ["-q"],
    "evaluate --format trec_eval": ["--format", "trec_eval"],
    "ties": [],
}


def write_upper(folder, name):
    """Write the run with upper-case ids of documents, as TREC file or table."""
    if name.endswith(".csv"):
        (folder / name).write_text("query,document,score\nq1,B,2\nq1,A,1\nq2,A,5\n")
    else:
        (folder / name).write_text("q1 Q0 B 1 2 x\nq1 Q0 A 2 1 x\nq2 Q0 A 1 5 x\n")


@pytest.mark.parametrize("name", ["upper.run", "upper.csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_command_warns_once_when_no_document_is_judged(command, name, folder, run_command):
    write_upper(folder, name)
    code, _, err = run_command(command.split()[0], "a.qrels", name, *COMMANDS[command])
    warned = [line for line in err.splitlines() if APART.format(run=name, qrels="a.qrels") in line]
    assert (code, len(warned)) == (0, 1)
    assert "For example, query 'q1' has 'B' in the former and 'b' in the latter" in warned[0]


@pytest.mark.parametrize("name", ["upper.run", "upper.csv"])
def test_compare_command_names_the_run_without_judged_documents(name, folder, run_command):
    write_upper(folder, name)
    (folder / "b.run").write_text((folder / "a.run").read_text())
    code, _, err = run_command("compare", "a.qrels", "b.run", name, "-m", "map")
    assert (code, err.count("no document of")) == (0, 1)
    assert APART.format(run=name, qrels="a.qrels") in err


def test_evaluate_command_warns_about_ids_of_a_large_run(folder, run_command, pieces):
    write_upper(folder, "upper.run")
    _, _, err = run_command("evaluate", "a.qrels", "upper.run")
    assert pieces[-1] != "whole"
    assert APART.format(run="upper.run", qrels="a.qrels") in err


@pytest.mark.parametrize("files", [["a.qrels", "a.run"], ["a.qrels", "a.run", "b.run"]])
def test_evaluate_command_does_not_warn_about_judged_runs(files, folder, run_command):
    assert run_command("evaluate", *files)[2] == ""
