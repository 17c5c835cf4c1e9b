"""Help fits the terminal."""

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
