"""Processes end without an abort after each kind of file, although threads of pyarrow might still run.

Each of many children is forked from one process with all imports, runs a command on one core and ends Python.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import sklearn_rank

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="of Linux")
N_EXITS = 300
FORK = """
import os, sys
import pandas, pyarrow, pyarrow.parquet, pyarrow.csv
import sklearn_rank.datasets, sklearn_rank.inspection, sklearn_rank.reports
from sklearn_rank._cli import main, _run_commands, _files, _inputs, _trec_values
sys.stderr = sys.stdout = open(os.devnull, "w")
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        sys.exit(main(sys.argv[2:]))
    os.write(3, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])} ".encode())
"""


def write_rows(folder):
    """Write judgments, and runs of 30,000 rows that are accepted or rejected, in each form."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    rows = [(f"q{i % 300}", f"d{i}", i / 7) for i in range(30_000)]
    queries, documents, scores = zip(*rows)
    (folder / "a.qrels").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(300)))
    text = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows).encode()
    table = pyarrow.table({"query": queries, "document": documents, "score": scores})
    bad = pyarrow.table({"query": queries, "document": documents, "score": ["x"] * len(rows)})
    for name, each in (("good", table), ("bad", bad)):
        parquet.write_table(each, folder / f"{name}.parquet", row_group_size=2000)
        csv.write_csv(each, folder / f"{name}.csv")
    for name, each in (("good", text), ("bad", text + b"q1 Q0 d1 1 x t\n")):
        (folder / f"{name}.run").write_bytes(each)
        (folder / f"{name}.run.zst").write_bytes(pyarrow.compress(each, "zstd", asbytes=True))
        with pyarrow.CompressedOutputStream(str(folder / f"{name}.run.lz4"), "lz4") as packed:
            packed.write(each)
    whole = (folder / "good.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2] + whole[-len(whole) // 4 :])


FORMS = ["parquet", "csv", "run", "run.zst", "run.lz4"]


@pytest.mark.parametrize(
    "n_exits",
    [pytest.param(3, marks=pytest.mark.slow), pytest.param(N_EXITS, marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize(
    ("name", "code"),
    [*((f"good.{form}", 0) for form in FORMS), *((f"bad.{form}", 1) for form in FORMS), ("cut.parquet", 1)],
)
def test_command_ends_with_its_exit_code_after_each_file(name, code, n_exits, tmp_path):
    write_rows(tmp_path)
    reading, writing = os.pipe()
    words = [sys.executable, "-c", f"import os; os.dup2({writing}, 3)\n{FORK}", str(n_exits)]
    words += ["evaluate", "a.qrels", name]
    environment = {**os.environ, "PYTHONPATH": str(Path(sklearn_rank.__file__).parents[1])}
    subprocess.run(words, cwd=tmp_path, env=environment, pass_fds=[writing], timeout=3600, check=False)
    os.close(writing)
    with open(reading) as found:
        assert Counter(found.read().split()) == {str(code): n_exits}
