"""Time reports, relative to values without a report, and comparisons, relative to those of ranx."""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from sklearn_rank import RankingReport, compare, evaluate, ranking_scores

from .workloads import WORKLOADS

BEGIN, END = "<!-- begin of the reports -->", "<!-- end of the reports -->"
METRICS = ["ndcg@10(gain=exponential)", "map", "mrr", "group_auc", "recall@10"]
N_SYSTEMS, N_METRICS, N_QUERIES, N_FLIPS = 5, 5, 30_000, 10_000


def _time(*calls: Callable[[], Any], repeats: int) -> list[float]:
    """Return the median seconds of calls that run in turn."""
    seconds: list[list[float]] = [[] for _ in calls]
    for each in range(repeats + 1):
        for call, taken in zip(calls, seconds):
            start = perf_counter()
            call()
            if each:  # the first call is slower
                taken.append(perf_counter() - start)
    return [median(taken) for taken in seconds]


def _draw_reports(n_systems: int, n_metrics: int, n_queries: int) -> dict[str, RankingReport]:
    rng = np.random.default_rng(0)
    return {
        f"system {i}": RankingReport.from_values(
            np.arange(n_queries), {f"metric {j}": rng.random(n_queries) for j in range(n_metrics)}
        )
        for i in range(n_systems)
    }


def format_table(repeats: int) -> str:
    """Return the table."""
    rows = WORKLOADS["W1"]()
    given = {"groups": rows.groups, "metrics": METRICS}
    values, report = _time(
        partial(ranking_scores, rows.y_true, rows.y_score, average=None, **given),
        partial(evaluate, rows.y_true, rows.y_score, **given),
        repeats=repeats,
    )
    many = _draw_reports(N_SYSTEMS, N_METRICS, N_QUERIES)
    flips = partial(compare, many, n_resamples=N_FLIPS, random_state=0)
    (flipped,) = _time(flips, repeats=repeats)
    (tested,) = _time(partial(compare, _draw_reports(2, 1, 1_000_000)), repeats=repeats)
    lines = [
        "| what | seconds |",
        "|---|---|",
        f"| `ranking_scores(average=None)`, W1, {len(METRICS)} metrics | {values:.3f} |",
        f"| `evaluate` of the same: {report / values:.2f} times as long | {report:.3f} |",
        f"| `compare`, {N_SYSTEMS} systems x {N_METRICS} metrics x {N_QUERIES:,} queries, {N_FLIPS:,} sign "
        f"flips, corrected by the maximum | {flipped:.2f} |",
        f"| `compare`, two systems, a million queries, t | {tested:.2f} |",
    ]
    try:
        from ranx.statistical_tests import fisher_randomization_test
    except ImportError:
        return "\n".join(lines)
    one, other = (many[name].values["metric 0"] for name in ("system 0", "system 1"))
    (theirs,) = _time(partial(fisher_randomization_test, one, other, N_FLIPS, 0.01, 42), repeats=1)
    return "\n".join([*lines, f"| ranx, one of these 50 comparisons, {N_FLIPS:,} flips | {theirs:.1f} |"])
