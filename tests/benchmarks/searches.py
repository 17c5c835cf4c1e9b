"""Time the cost of keeping values per query in a search, and of the methods that use them."""

import tracemalloc
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV
from sklearn_rank.datasets import make_ranking

BEGIN, END = "<!-- begin of the searches -->", "<!-- end of the searches -->"
N_QUERIES, N_CANDIDATES = 30_000, 50


def _fit(model: Any, grid: dict[str, Any], data: Any, keep: bool) -> tuple[float, Any]:
    """Return the CPU seconds of a search, and the search."""
    X, y, groups = data
    start = process_time()
    search = GridSearchCV(model, grid, scoring="ndcg@10", refit=False, keep_queries=keep)
    search.fit(X, y, groups=groups)
    return process_time() - start, search


def _compare(model: Any, grid: dict[str, Any], data: Any, repeats: int) -> tuple[float, float, Any]:
    """Return the median seconds without and with values, in turn, and a search with values."""
    plain, keeping = [], []
    for _ in range(repeats):
        plain.append(_fit(model, grid, data, keep=False)[0])
        seconds, search = _fit(model, grid, data, keep=True)
        keeping.append(seconds)
    return float(np.median(plain)), float(np.median(keeping)), search


def _measure(call: Any) -> tuple[float, float]:
    """Return the seconds of a call, and the MB by which it raises the peak memory."""
    start = perf_counter()
    call()
    seconds = perf_counter() - start
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak / 2**20


def format_table(repeats: int) -> str:
    """Return the table."""
    data = make_ranking(n_queries=N_QUERIES, n_documents=(5, 15), n_features=10, random_state=0)
    plain, keeping, search = _compare(Ridge(), {"alpha": np.logspace(-3, 3, N_CANDIDATES)}, data, repeats)
    what = f"{N_CANDIDATES} candidates, 5 folds, {N_QUERIES:,} queries, {len(data[1]):,} rows"
    lines = ["| what | without | with values | ratio |", "|---|---|---|---|"]
    lines.append(f"| `Ridge`, {what} | {plain:.1f} s | {keeping:.1f} s | {keeping / plain:.2f} |")
    try:
        from sklearn_rank.rankers import LGBMRanker
    except ImportError:
        pass
    else:
        model = LGBMRanker(n_estimators=20, num_leaves=15, n_jobs=1, verbose=-1)
        few = {"min_child_samples": [10, 20, 40, 80, 160]}
        plain, keeping, _ = _compare(model, few, data, repeats)
        lines.append(
            f"| `LGBMRanker`, 20 trees, {len(few['min_child_samples'])} candidates of these "
            f"| {plain:.1f} s | {keeping:.1f} s | {keeping / plain:.2f} |"
        )
    lines += ["", "| what | seconds | peak memory, MB |", "|---|---|---|"]
    calls = {
        "`corrected_score`, 1,000 draws": partial(search.corrected_score, 1000),
        "`contenders`, 2,000 sign flips": search.contenders,
        "`report` of a candidate": partial(search.report, 0),
    }
    for name, call in calls.items():
        seconds, memory = _measure(call)
        lines.append(f"| {name} | {seconds:.2f} | {memory:.0f} |")
    return "\n".join(lines)
