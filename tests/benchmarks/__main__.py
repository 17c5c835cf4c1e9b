"""Time this package and others: python -m tests.benchmarks W1 [--repeats 5] [--write docs/speed_tables.md].

Other benchmarks have names: `ids` times the reading of ids of any type and of score matrices, `reports` times
reports and comparisons, `searches` the cost of keeping values per query, `files` the reading of runs, `scale`
evaluations of Parquet files with `--rows` rows, `dask` the cost of partitions, `command_line` the evaluation
of files as a process, `stopping` early stopping of LightGBM by a metric of this package, `recommenders`
metrics of lists and of all items of a catalog for `--rows` users, `figures` every display with `--rows`
queries, and `waits` short calls: dicts, frames, lists, ties, predictions of a search and scorers.

Each workload runs in a separate process, once on one thread and once on two, with the calls of all libraries
in turn. Libraries that are not installed are skipped. Results are ratios of medians, because machines differ.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..oracles.pages import write_between
from . import (
    command_line,
    dask_partitions,
    figures,
    files,
    ids,
    recommenders,
    reports,
    scale,
    searches,
    stopping,
    waits,
)
from .workloads import WORKLOADS

POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS")
OURS = "sklearn_rank"
OTHERS: dict[str, Any] = {"ids": ids, "reports": reports, "searches": searches, "stopping": stopping}
OTHERS |= {
    "recommenders": recommenders,
    "command_line": command_line,
    "dask": dask_partitions,
    "figures": figures,
    "files": files,
    "scale": scale,
    "waits": waits,
}
BEGIN, END = "<!-- begin of the table -->", "<!-- end of the table -->"


def run(threads: int, *arguments: str) -> Any:
    """Run a measurement in a new process and return its results."""
    environment = {**os.environ, "BENCHMARK_THREADS": str(threads), **dict.fromkeys(POOLS, str(threads))}
    command = [sys.executable, "-m", "tests.benchmarks.run", *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def format_table(workload: str, repeats: int, with_memory: bool) -> str:
    """Measure one workload and format the results."""
    one = run(1, workload, "--repeats", str(repeats))
    two = run(2, workload, "--repeats", str(repeats))["peers"]
    peers = one["peers"]
    lines = [
        f"### {workload}: {one['n_rows']:,} rows",
        "",
        "| | time, ours = 1 | spread | on two threads | memory, MB | largest difference |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in peers.items():
        is_peer = found["difference"] is not None
        memory = (
            f"{run(1, workload, '--memory', '--peers', name)[name]:.0f}" if is_peer and with_memory else ""
        )
        difference = f"{found['difference']:.0e}" if is_peer else ""
        one_thread, two_threads = (times[name]["median"] / times[OURS]["median"] for times in (peers, two))
        cells = [
            name,
            f"{one_thread:.2f}",
            f"{found['spread']:.0%}",
            f"{two_threads:.2f}",
            memory,
            difference,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    gain = peers[OURS]["median"] / two[OURS]["median"]
    lines += ["", f"Two threads: {gain:.2f} times as fast. " + " ".join(one["missing"]), ""]
    return "\n".join(lines)


def main() -> None:
    """Run benchmarks from the command line, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "workload",
        nargs="*",
        help=f"one of {', '.join(OTHERS)}, or any of {', '.join(WORKLOADS)}; by default all of the latter",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--rows",
        type=int,
        help="rows of scale, users of recommenders, or queries of figures",
    )
    parser.add_argument("--memory", action="store_true", help="peak memory of one call, on Linux")
    parser.add_argument("--write", type=Path, help="page to write the tables into")
    arguments = parser.parse_args()
    for name, other in OTHERS.items():
        if arguments.workload == [name]:
            sizes = [arguments.rows] if arguments.rows else []
            table = other.format_table(arguments.repeats, *sizes)
            print(table)
            if arguments.write:
                write_between(arguments.write, other.BEGIN, other.END, table)
            return
    tables = []
    for workload in arguments.workload or WORKLOADS:
        tables.append(format_table(workload, arguments.repeats, arguments.memory))
        print(tables[-1], flush=True)
    if not arguments.workload:
        by_rows = run(1, "--growth", "--repeats", str(arguments.repeats))
        base = min(by_rows.values())
        found = ", ".join(f"{time / base:.2f} at {int(n_rows):,}" for n_rows, time in by_rows.items())
        tables.append(f"### Growth: time per row of W2's users, relative to the lowest\n\n{found} rows.\n")
        print(tables[-1])
    if arguments.write:
        write_between(arguments.write, BEGIN, END, "\n".join(tables))


if __name__ == "__main__":
    main()
