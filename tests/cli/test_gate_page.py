"""The workflow on the page about the gate passes for an unchanged model and fails for a worse one."""

import os
import re
import subprocess
import sys

import pytest

from tests.helpers.pages import ROOT

PAGE = (ROOT / "docs" / "gate.md").read_text()


def run(command, folder):
    """Run a step as the workflow does, with `sklearn-rank` and `python` of this environment."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
    return subprocess.run(shell, cwd=folder, env={**os.environ, **given}, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
def test_gate_page_workflow_fails_only_for_a_worse_model(tmp_path):
    pytest.importorskip("pandas")
    yaml = pytest.importorskip("yaml")
    [script], [workflow] = (
        re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S) for kind in ("py", "yaml")
    )
    steps = yaml.safe_load(workflow)["jobs"]["gate"]["steps"]
    named = {step["name"]: step for step in steps if "name" in step}
    assert named["install"]["run"].startswith("pip install sklearn-rank")
    assert named["compare"]["shell"] == "bash"
    (tmp_path / "bin").mkdir()
    for name, words in {"python": "", "sklearn-rank": "-m sklearn_rank"}.items():
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        program.chmod(0o755)
    (tmp_path / "rank.py").write_text(script)
    assert run("python rank.py baseline.csv", tmp_path).returncode == 0
    for n_trees, code in ((50, 0), (5, 3)):
        (tmp_path / "rank.py").write_text(script.replace("(50,", f"({n_trees},"))
        assert run(named["rank"]["run"], tmp_path).returncode == 0
        compared = run(named["compare"]["run"], tmp_path)
        assert compared.returncode == code, compared.stderr
        assert compared.stdout.startswith('120 queries, difference from "baseline"')
        assert (tmp_path / "summary.md").read_text().endswith(compared.stdout)
        assert ('"new" is worse than "baseline" in ndcg@10' in compared.stderr) == (code == 3)
