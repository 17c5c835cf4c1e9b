"""Time and memory of `evaluate` for 20 million rows of Parquet, in one process and with Dask."""

import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from sklearn_rank import evaluate

BEGIN, END = "<!-- begin of Dask -->", "<!-- end of Dask -->"
N_FILES, ROWS_OF_FILE, ROWS_OF_QUERY = 40, 500_000, 30
ARGUMENTS: dict[str, Any] = {"groups": "qid", "metrics": ["ndcg@10", "map", "mrr"]}
ONE = "one process, `data=folder`"
# How rows are read.
WAYS: dict[str, str | None] = {
    ONE: None,
    "Dask, in the same process": "synchronous",
    "Dask, two workers": "cluster",
    "Dask, two workers that keep memory": "keeping",
}
KEEPING = {
    f"distributed.nanny.pre-spawn-environ.MALLOC_{what}_THRESHOLD_": 2**26 for what in ("MMAP", "TRIM")
}


def write_rows(folder: Path) -> None:
    """Write files of rows sorted by query, whose boundaries split queries."""
    from pyarrow import parquet, table

    random = np.random.default_rng(0)
    for number in range(N_FILES):
        rows = np.arange(number * ROWS_OF_FILE, (number + 1) * ROWS_OF_FILE)
        labels = random.integers(0, 5, ROWS_OF_FILE, dtype=np.int8)
        scores = (labels + random.standard_normal(ROWS_OF_FILE)).round(3)
        columns = {"qid": rows // ROWS_OF_QUERY, "label": labels, "score": scores}
        parquet.write_table(table(columns), folder / f"{number:03d}.parquet")


def read_status(field: str) -> float:
    """Return a size of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def begin() -> float:
    """Import the libraries, reset the peak memory of this process, and return its size."""
    import dask.dataframe  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    evaluate([1, 0], [1, 0], groups=[0, 0], metrics=ARGUMENTS["metrics"])
    Path("/proc/self/clear_refs").write_text("5")
    return read_status("VmRSS")


def measure(way: str, folder: str) -> dict[str, Any]:
    """Evaluate once; return the seconds, the MB of this process and of a worker, and the means."""
    import dask
    from dask import dataframe
    from distributed import Client, LocalCluster

    where = WAYS[way]
    with ExitStack() as opened:
        workers: dict[str, float] = {}
        if where in ("cluster", "keeping"):
            opened.enter_context(dask.config.set(KEEPING if where == "keeping" else {}))
            options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
            client = opened.enter_context(Client(opened.enter_context(LocalCluster(**options))))
            workers = client.run(begin)
        elif where is not None:
            opened.enter_context(dask.config.set(scheduler=where))
        before = begin()
        start = perf_counter()
        data = folder if where is None else dataframe.read_parquet(folder)
        report = evaluate("label", "score", data=data, **ARGUMENTS)
        seconds, here = perf_counter() - start, read_status("VmHWM") - before
        peaks = client.run(read_status, "VmHWM") if workers else {}
    there = max((peaks[name] - size for name, size in workers.items()), default=None)
    return {"seconds": seconds, "here": here, "there": there, "means": dict(report.mean)}


def format_table(repeats: int) -> str:
    """Measure all ways in turn, each in separate processes, and format the results."""
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder))
        for _ in range(repeats):
            for way, runs in found.items():
                command = [
                    sys.executable,
                    "-W",
                    "ignore",
                    "-m",
                    "tests.benchmarks.dask_partitions",
                    way,
                    folder,
                ]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                runs.append(json.loads(done.stdout.splitlines()[-1]))
    assert all(run["means"] == found[ONE][0]["means"] for runs in found.values() for run in runs)
    seconds = {way: median(run["seconds"] for run in runs) for way, runs in found.items()}
    lines = [
        f"| {N_FILES * ROWS_OF_FILE:,} rows | seconds | one process = 1 | memory, MB | of a worker, MB |",
        "|---|---|---|---|---|",
    ]
    for way in WAYS:
        here, there = (max(run[kind] or 0 for run in found[way]) for kind in ("here", "there"))
        ratio = seconds[way] / seconds[ONE]
        lines.append(
            f"| {way} | {seconds[way]:.1f} | {ratio:.2f} | {here:,.0f} | {f'{there:,.0f}' if there else ''} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
