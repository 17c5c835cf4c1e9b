"""The command line in its own process: pipes, signals and imports."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_rank

HERE = str(Path(sklearn_rank.__file__).parents[1])
COMMAND = [sys.executable, "-m", "sklearn_rank"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": HERE}
posix = pytest.mark.skipif(os.name != "posix", reason="of signals of Unix")


def start(*words, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    return subprocess.Popen([*COMMAND, *words], **{**pipes, **options})


def finish(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_module_runs_as_a_command(folder):
    assert finish(start("--version")) == (0, f"sklearn-rank {sklearn_rank.__version__}\n", "")
    expected = "2 queries\nmetric       a\nmrr     0.7500\n"
    assert finish(start("evaluate", "a.qrels", "a.run", "-m", "mrr")) == (0, expected, "")


def test_pyproject_declares_the_command():
    text = (Path(HERE) / "pyproject.toml").read_text() if (Path(HERE) / "pyproject.toml").exists() else None
    if text is None:
        pytest.skip("not in a checkout")
    assert re.search(r'^\[project\.scripts\]\nsklearn-rank = "sklearn_rank\._cli:main"$', text, re.MULTILINE)


@pytest.mark.parametrize(("words", "code"), [(["evaluate", "a.qrels", "nope"], 1), (["evaluate"], 2)])
def test_command_exits_with_1_for_files_and_2_for_usage(words, code, folder):
    found, out, err = finish(start(*words))
    assert (found, out, err.count("\n")) == (code, "", 1)


@pytest.mark.slow
@posix
def test_command_ends_quietly_when_the_pipe_is_closed(folder):
    with (folder / "a.qrels").open("w") as qrels, (folder / "a.run").open("w") as run:
        for query in range(5000):
            qrels.write(f"q{query} 0 a 1\nq{query} 0 b 0\n")
            run.write(f"q{query} Q0 a 1 2 x\nq{query} Q0 b 2 1 x\n")
    process = start("evaluate", "a.qrels", "a.run", "-q", "--format", "csv")
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (141, "")
    process.stderr.close()


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("target", "what"),
    [("/dev/full", "standard output: No space left on device"), ("&-", "standard output is closed")],
)
def test_command_fails_when_output_cannot_be_written(target, what, folder):
    if target == "/dev/full" and not os.path.exists(target):
        pytest.skip("of Linux")
    line = f"{shlex.join(COMMAND)} evaluate a.qrels a.run >{target}"
    done = subprocess.run(line, shell=True, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, f"sklearn-rank: {what}\n")


@pytest.mark.slow
@posix
def test_command_ends_quietly_when_interrupted(folder):
    process = start("evaluate", "a.qrels", "-", stdin=subprocess.PIPE)
    process.stdin.write("q1 Q0 a 1 1 x\n" * 20_000)  # more than a pipe buffers: it waits for more
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, "", "")


def test_command_starts_without_heavy_libraries(folder):
    code = """
import sys
from sklearn_rank._cli import main
main(["--help"])
assert not {"numpy", "argparse"} & set(sys.modules)
main(["evaluate", "--help"])
assert "numpy" not in sys.modules
main(["evaluate", "a.qrels", "a.run"])
main(["evaluate", "a.qrels", "a.run", "--format", "trec_eval", "-m", "all_trec"])
print(sorted({"joblib", "matplotlib", "pandas", "scipy", "sklearn"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
