"""Time early stopping of LightGBM by a metric of this package, compared with its own NDCG."""

from time import perf_counter
from typing import Any

import numpy as np

from sklearn_rank.rankers import as_eval_metric

from .workloads import USERS, WEB, make, users, web

BEGIN, END = "<!-- begin of the stopping -->", "<!-- end of the stopping -->"
N_ROWS, N_TREES = 500_000, 50
# The metric that stops LightGBM, and the arguments that pass it.
METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "own": ("ndcg", {"eval_at": [10]}),
    # The cost of calling Python.
    "empty": ("None", {"eval_metric": lambda y_true, y_score: ("empty", 0.0, True)}),
    "ours": ("None", {"eval_metric": as_eval_metric("ndcg@10", library="lightgbm")}),
}


WHAT = {"search": "about 110 per query, 50 features", "users": "about 10 per user, 10 features"}
Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def _draw(kind: str, seed: int) -> Data:
    """Draw features, grades and query sizes of a search engine, or of users with few items each."""
    if kind == "search":
        lengths, shares, n_features = np.unique(web().groups, return_counts=True)[1], WEB, 50
    else:
        lengths, shares, n_features = np.unique(users(N_ROWS // 5).groups, return_counts=True)[1], USERS, 10
    rng = np.random.default_rng(seed)
    lengths = rng.permutation(lengths)
    lengths = lengths[: np.searchsorted(np.cumsum(lengths), N_ROWS)]
    grades = make(lengths, shares, seed).y_true
    X = rng.standard_normal((len(grades), n_features)).astype(np.float32)
    X[:, 0] += grades
    return X, grades, lengths


def _train(data: Data, held_out: Data, kind: str) -> float:
    """Return the seconds of training with an evaluation after each tree."""
    from lightgbm import LGBMRanker

    (X, y, sizes), (eval_X, eval_y, eval_sizes) = data, held_out
    metric, arguments = METRICS[kind]
    model = LGBMRanker(n_estimators=N_TREES, metric=metric, n_jobs=2, verbose=-1)
    start = perf_counter()
    model.fit(X, y, group=sizes, eval_X=(eval_X,), eval_y=(eval_y,), eval_group=[eval_sizes], **arguments)
    return perf_counter() - start


def format_table(repeats: int) -> str:
    """Return the table."""
    lines = [
        f"{N_TREES} trees of LightGBM on two threads, each evaluated on {N_ROWS:,} rows.",
        "",
        "| rows | own NDCG@10, seconds | an empty metric, own = 1 | `as_eval_metric`, own = 1 |",
        "|---|---|---|---|",
    ]
    for kind, what in WHAT.items():
        data, held_out = (_draw(kind, seed) for seed in (7, 8))
        times: dict[str, list[float]] = {name: [] for name in METRICS}
        for _ in range(repeats + 1):  # the first call warms up
            for name in METRICS:
                times[name].append(_train(data, held_out, name))
        own, empty, ours = (np.array(seconds[1:]) for seconds in times.values())
        ratios = " | ".join(f"{np.median(seconds / own):.2f}" for seconds in (empty, ours))
        lines.append(f"| {what} | {np.median(own):.2f} | {ratios} |")
    return "\n".join(lines)
