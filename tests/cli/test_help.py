"""Help and output fit the terminal."""

import os
import sys

import pytest

from sklearn_rank._cli._main import COMMANDS


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_command_help_has_whole_words_in_lines_that_fit(command, width, run_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    whole = set(run_command(command, "--help")[1].split())
    monkeypatch.setenv("COLUMNS", str(width))
    out = run_command(command, "--help")[1]
    assert max(map(len, out.splitlines())) <= width
    assert set(out.split()) == whole


def test_help_with_a_command_is_the_help_of_the_command(run_command):
    assert run_command("help", "rbo") == run_command("rbo", "--help")


def test_help_without_a_command_fits_80_columns(run_command):
    assert max(map(len, run_command("--help")[1].splitlines())) <= 80


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_explains_exit_codes(command, run_command):
    text = " ".join(run_command(*command.split(), "--help")[1].split())
    codes = (
        "0 success, 1 invalid file or data, 2 invalid command, 3 worse and 4 undecided with compare --fail-on"
    )
    assert f"exit codes: {codes}" in text


def test_evaluate_help_explains_grades_below_0_and_trec_eval_options(run_command):
    text = " ".join(run_command("evaluate", "--help")[1].split())
    assert "A grade below 0 means not judged" in text
    assert "-q, -c, -l, -M and -J are those of trec_eval." in text


LONG = ("run-of-the-system-bm25-with-1000-documents", "run-of-the-system-dense-with-documents")
FILES = ("a.qrels", "a.run", "b.run")
OPTIONS = ("-c", "-m", "ndcg@10", "-m", "recall@100")


@pytest.fixture
def long_tags(folder):
    """Give the runs of the folder long tags."""
    for file, name in zip(FILES[1:], LONG):
        text = (folder / file).read_text()
        (folder / file).write_text(text.replace(f" {file[0]}\n", f" {name}\n"))


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", *FILES, *OPTIONS),
        ("evaluate", *FILES, *OPTIONS, "-q"),
        ("evaluate", *FILES, *OPTIONS, "--confidence-level", "0.95"),
        ("compare", *FILES, *OPTIONS),
        ("compare", *FILES, *OPTIONS, "--margin", "0.9"),
        ("queries-needed", *FILES, *OPTIONS),
        ("rbo", "a.run", "b.run"),
        ("ties", *FILES, *OPTIONS),
        ("metrics",),
        ("metrics", "catboost"),
        ("explain", "trec_eval:P_10"),
    ],
    ids=" ".join,
)
def test_output_fits_80_columns_with_long_names(words, long_tags, run_command):
    code, out, _ = run_command(*words)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("is_terminal", [True, False])
def test_messages_are_wrapped_only_in_a_terminal(is_terminal, run_command, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda file: os.terminal_size((40, 20)))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys.stderr, "fileno", lambda: 2)
    lines = run_command("unknown")[2].splitlines()
    assert (max(map(len, lines)) <= 40) == is_terminal
    assert (len(lines) > 1) == is_terminal
    assert " ".join(lines).startswith("sklearn-rank: unknown command 'unknown'; the commands are evaluate,")


def test_evaluate_has_a_row_per_run_if_names_are_long(long_tags, run_command):
    _, head, *rows = run_command("evaluate", *FILES, "-c", "-m", "mrr")[1].splitlines()
    assert head.split() == ["run", "mrr"]
    assert [row.split()[0] for row in rows] == list(LONG)
