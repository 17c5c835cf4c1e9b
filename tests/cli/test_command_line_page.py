"""Every command on the pages about the command line prints the output that is shown below it."""

import re
import shlex
import shutil
from importlib.util import find_spec

import pytest

from tests.helpers.pages import ROOT

PAGES = ("command_line.md", "runs.md", "my_number_differs/trec_eval.md")
PAGE = "\n".join((ROOT / "docs" / page).read_text() for page in PAGES)
BLOCKS = re.findall(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "expected"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_command_line_page_shows_the_output_of_each_command(
    command, expected, run_command, tmp_path, monkeypatch
):
    if " plot " in command and not find_spec("matplotlib"):
        pytest.skip("needs matplotlib")
    shutil.copytree(ROOT / "examples" / "runs", tmp_path / "runs")
    monkeypatch.chdir(tmp_path / "runs")
    program, *words = shlex.split(command)
    code, out, err = run_command(*words)
    assert (program, out + err) == ("sklearn-rank", expected)
    assert code == ("broken.run" in words)


def test_command_line_page_shows_all_commands(run_command):
    named = {command.split()[1] for command, _ in BLOCKS}
    listed = re.findall(r"^  ([a-z]\S*) ", run_command("--help")[1], re.MULTILINE)
    assert named == set(listed)


@pytest.mark.parametrize("command", sorted({command.split()[1] for command, _ in BLOCKS}))
def test_command_help_has_an_example(command, run_command):
    code, out, err = run_command(command, "--help")
    assert (code, err) == (0, "")
    assert re.search(rf"^example: sklearn-rank {command} \S", out, re.MULTILINE)


def test_command_line_page_names_all_options(run_command):
    helps = "".join(run_command(command, "--help")[1] for command in ("evaluate", "compare", "plot"))
    options = set(re.findall(r"^  (--?[\w-]+)", helps, re.MULTILINE)) - {"-h", "--seed", "--max-k"}
    assert [option for option in sorted(options) if option not in PAGE] == []
