"""Time one workload in this process, on BENCHMARK_THREADS threads, and print the results as JSON.

Called by ``python -m tests.benchmarks``, which sets the number of threads before any library is imported.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from sklearn_rank._checks.codes import find_edges

from .peers import PEERS, Call, expect
from .workloads import WORKLOADS, Rows, users

FIRST_TOUCHED = 2**28  # size; in a virtual machine, the first use of memory takes ten times as long
BRIEF = 0.05  # seconds; shorter calls are repeated for this time, because the timer is coarse


def bounds(rows: Rows) -> dict[str, Callable[[], Any]]:
    """Return lower bounds for numpy: reading the arrays once, and sorting rows of equal length."""
    lengths = np.diff(find_edges(rows.groups))
    n_ranks = max(1, int(lengths.mean()))
    step = max(1, 2**15 // n_ranks) * n_ranks
    blocks = [rows.y_score[start : start + step] for start in range(0, len(rows.y_score), step)]

    def read() -> None:
        for values in rows:
            values.view(np.uint8).max()

    def sort() -> None:
        for block in blocks:
            np.sort(block[: len(block) // n_ranks * n_ranks].reshape(-1, n_ranks), axis=1)

    return {"bound: reading the arrays": read, "bound: np.sort(axis=1)": sort}


def time_calls(calls: dict[Any, Callable[[], Any]], repeats: int) -> dict[Any, list[float]]:
    """Time calls in turn, so that other load on the machine affects all of them."""
    once = {}
    for name, call in calls.items():
        start = perf_counter()
        call()
        once[name] = perf_counter() - start
    times: dict[Any, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            loops = max(1, int(BRIEF / once[name]))
            start = perf_counter()
            for _ in range(loops):
                call()
            times[name].append((perf_counter() - start) / loops)
    return times


def measure(workload: str, names: list[str], repeats: int) -> dict[str, Any]:
    """Return the median time of each peer, its spread, and the largest difference of a value to ours."""
    np.ones(FIRST_TOUCHED)
    rows = WORKLOADS[workload]()
    is_sorted = len(find_edges(rows.groups)) == len(np.unique(rows.groups)) + 1
    calls: dict[str, Call] = {}
    differences = {}
    missing = []
    for name in names:
        peer = PEERS[name]
        takes = len(rows.groups) <= peer.most_rows and (is_sorted or not peer.needs_sorted)
        if not takes or (rows.groups.dtype.kind == "U" and not peer.any_ids):
            continue
        try:
            call = peer.prepare(rows)
            values = call()
        except Exception as error:  # not installed, or rows are not supported: LightGBM rejects long queries
            missing.append(f"{name}: {str(error).splitlines()[0]}.")
            continue
        calls[name] = call
        expected = expect(peer, rows, list(values))
        differences[name] = max(abs(values[metric] - expected[metric]) for metric in values)
    times = time_calls({**calls, **bounds(rows)}, repeats)
    result = {
        name: {
            "median": median(measured),
            "spread": (max(measured) - min(measured)) / median(measured),
            "difference": differences.get(name),
        }
        for name, measured in times.items()
    }
    return {"workload": workload, "n_rows": len(rows.groups), "missing": missing, "peers": result}


def measure_growth(repeats: int) -> dict[int, float]:
    """Return the median time per row in ns for users' rankings, from about 1e5 to 1e7 rows."""
    np.ones(FIRST_TOUCHED)
    calls = {}
    for n_users in (10_000, 100_000, 1_000_000):
        rows = users(n_users)
        calls[len(rows.groups)] = PEERS["sklearn_rank"].prepare(rows)
    times = time_calls(calls, repeats)
    return {n_rows: 1e9 * median(measured) / n_rows for n_rows, measured in times.items()}


def measure_memory(workload: str, name: str) -> float:
    """Return by how many MB one call raises the peak memory of this process (Linux only)."""
    call = PEERS[name].prepare(WORKLOADS[workload]())
    call_small = PEERS[name].prepare(WORKLOADS["W4"]())
    call_small()  # imports and compilation at the first use are not counted
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    call()
    return (_status("VmHWM") - before) / 1024


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def main() -> None:
    """Measure from the command line, and print the results as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS, nargs="?", default="W1")
    parser.add_argument("--peers", nargs="+", default=list(PEERS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--growth", action="store_true")
    arguments = parser.parse_args()
    if arguments.growth:
        json.dump(measure_growth(arguments.repeats), sys.stdout)
    elif arguments.memory:
        json.dump({name: measure_memory(arguments.workload, name) for name in arguments.peers}, sys.stdout)
    else:
        json.dump(measure(arguments.workload, arguments.peers, arguments.repeats), sys.stdout)


if __name__ == "__main__":
    main()
