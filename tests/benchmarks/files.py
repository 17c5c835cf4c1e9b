"""Time the reading of runs and judgments in TREC format, each way in separate processes."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .command_line import N_DOCUMENTS, write_files

BEGIN, END = "<!-- begin of the reading -->", "<!-- end of the reading -->"
N_QUERIES = 1000
OURS = "`from_run`, with pyarrow"
MEASURED = """
import sys, time
from pathlib import Path
def status(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
qrels, run = sys.argv[1:]
{prepare}
Path("/proc/self/clear_refs").write_text("5")
start, before = time.perf_counter(), status("VmRSS")
{read}
print(time.perf_counter() - start, (status("VmHWM") - before) / 1024)
"""
WORDS = "sep=' ', header=None, quoting=3"


class Reader(NamedTuple):
    """A way to read both files: the required module, the code before timing, and the timed call."""

    module: str
    prepare: str
    read: str


READERS = {
    OURS: Reader(
        "pyarrow", "import pyarrow.csv; from sklearn_rank import from_run", "rows = from_run(qrels, run)"
    ),
    "`from_run`, by Python": Reader(
        "sklearn_rank",
        "from sklearn_rank import from_run; sys.modules['pyarrow'] = None",
        "rows = from_run(qrels, run)",
    ),
    "pytrec_eval, parse_run": Reader(
        "pytrec_eval",
        "import pytrec_eval",
        "dicts = pytrec_eval.parse_qrel(open(qrels)), pytrec_eval.parse_run(open(run))",
    ),
    "ranx, from_file": Reader(
        "ranx",
        "import ranx",
        "objects = ranx.Qrels.from_file(qrels, kind='trec'), ranx.Run.from_file(run, kind='trec')",
    ),
    "ir_measures, read_trec_run": Reader(
        "ir_measures",
        "import ir_measures",
        "lists = list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(run))",
    ),
    "pandas, read_csv, files not joined": Reader(
        "pandas",
        "import pandas",
        f"frames = pandas.read_csv(qrels, {WORDS}), pandas.read_csv(run, {WORDS})",
    ),
}


def read_once(reader: Reader, files: dict[str, str]) -> tuple[float, float]:
    """Return the seconds and the peak memory, in MB, of one reading."""
    code = MEASURED.format(prepare=reader.prepare, read=reader.read)
    command = [sys.executable, "-W", "ignore", "-c", code, files["qrels"], files["run"]]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes


def format_table(repeats: int) -> str:
    """Read files of a million lines in turn, and format the results as ratios to ours."""
    readers = {name: reader for name, reader in READERS.items() if find_spec(reader.module) is not None}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), N_QUERIES)
        for _ in range(repeats):
            for name, reader in readers.items():
                found[name].append(read_once(reader, files))
    costs = {name: tuple(map(median, zip(*each))) for name, each in found.items()}
    lines = [
        f"| a run of {N_QUERIES * N_DOCUMENTS:,} lines | seconds | ours = 1 | memory, MB |",
        "|---|---|---|---|",
    ]
    for name, (seconds, megabytes) in costs.items():
        lines.append(f"| {name} | {seconds:.1f} | {seconds / costs[OURS][0]:.2f} | {megabytes:,.0f} |")
    return "\n".join(lines)
