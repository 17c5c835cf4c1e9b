"""Ordinary data sets of many kinds, for which no warning should be issued."""

from typing import NamedTuple

import numpy as np

from ..helpers.table import METRICS

BY_ORDER = ["pairwise_accuracy", "kendall_tau", "kendall_tau_ap", "spearman"]
NAMES = [
    f"{stem}@3" if metric.cutoff == "required" else stem
    for stem, metric in METRICS.items()
    if stem not in ("rbp_residual_loss", "bpr_loss", "pearson")
]
LABELS = {
    "clicks": lambda rng, n: (rng.random(n) < rng.uniform(0.03, 0.4)).astype(int),
    "grades": lambda rng, n: np.minimum(rng.geometric(0.5, n) - 1, 4),
    "ratings": lambda rng, n: rng.integers(1, 6, n),
    "plays": lambda rng, n: rng.poisson(2.0, n),
    "seconds": lambda rng, n: np.where(rng.random(n) < 0.5, 0, rng.exponential(30, n)),
    "returns": lambda rng, n: 0.02 * rng.standard_normal(n),
}
SCORES = {
    "real": lambda rng, n: rng.standard_normal(n),
    "probabilities": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
    "popularity": lambda rng, n: rng.poisson(40, n),
    "stars": lambda rng, n: rng.integers(1, 6, n),
    "rounded": lambda rng, n: rng.random(n).round(1),
    "constant": lambda rng, n: np.zeros(n),
}
IDS = {
    "numbers": lambda rng, n: rng.permutation(n),
    "numbers from 1": lambda rng, n: 1 + np.arange(n),
    "large numbers": lambda rng, n: rng.choice(10**9, n, replace=False),
    "text": lambda rng, n: np.array([f"user{number}" for number in rng.permutation(n)]),
    "days": lambda rng, n: np.datetime64("2024-01-01") + rng.permutation(n),
}
YEAR = 365 * 24 * 3600


class Rows(NamedTuple):
    """Rows of a data set; each query is a user with events over a year."""

    kind: str  # of the labels
    X: np.ndarray
    y: np.ndarray
    score: np.ndarray
    groups: np.ndarray
    items: np.ndarray
    times: np.ndarray


def draw_rows(seed):
    """Draw features, labels, scores, ids, items and times."""
    rng = np.random.default_rng(seed)
    kind, of_scores, of_ids = (str(rng.choice(list(kinds))) for kinds in (LABELS, SCORES, IDS))
    sizes = rng.integers(1, rng.integers(8, 40), rng.integers(30, 150)) + 1
    groups = np.repeat(np.arange(len(sizes)), sizes)
    n = len(groups)
    by_query = rng.integers(0, rng.integers(2, 20), len(sizes))[groups]  # for example a market
    X = np.column_stack([rng.standard_normal((n, 2)), np.ones(n), by_query, np.arange(n), groups % 7])
    items = np.concatenate([rng.permutation(200)[:size] for size in sizes])
    times = np.datetime64("2024-01-01") + rng.integers(0, YEAR, n).astype("m8[s]")
    order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)
    labels, scores = LABELS[kind](rng, n), SCORES[of_scores](rng, n)
    if kind != "clicks" and rng.random() < 0.3:
        scores = labels + rng.integers(0, 3, n)  # a good model
    columns = X, labels, scores, IDS[of_ids](rng, len(sizes))[groups], items, times
    return Rows(kind, *(column[order] for column in columns))


def list_metrics(kind):
    """Return the metrics of a kind of labels, with a threshold where ratings need one."""
    if kind == "returns":
        return BY_ORDER
    least = find_threshold(kind)
    names = [name for name in NAMES if name not in BY_ORDER]
    takers = [name for name in names if "min_relevance" in METRICS[name.partition("@")[0]].defaults]
    return [f"{name}(min_relevance={least})" if name in takers else name for name in names]


def find_threshold(kind):
    return 4 if kind == "ratings" else 1


class Run(NamedTuple):
    """Judgments of some documents, and the best documents of a system."""

    kind: str
    qrels: dict  # {query: {document: grade}}
    run: dict  # {query: {document: score}}


def draw_run(seed):
    """Draw judgments and a run of the same queries, or one held-out item for each user."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice([each for each in LABELS if each != "returns"]))
    # Few integers as scores of grades that are fractions are a sign of swapped arguments.
    excluded = {"constant", "stars" if kind == "seconds" else ""}
    of_scores = str(rng.choice([each for each in SCORES if each not in excluded]))
    n_queries, n_items, depth = rng.integers(20, 80), rng.integers(60, 200), rng.integers(10, 50)
    spell = [int, lambda number: f"d{number}"][rng.integers(2)]
    leaves_one_out = rng.random() < 0.2
    qrels, run = {}, {}
    for query in map(spell, range(n_queries)):
        scores = SCORES[of_scores](rng, n_items)
        best = np.argsort(-scores, kind="stable")[:depth]
        run[query] = {spell(int(item)): float(scores[item]) for item in best}
        judged = np.union1d(best[rng.random(depth) < 0.7], rng.permutation(n_items)[:10])
        grades = LABELS[kind](rng, len(judged))
        grades[0] = 5 if kind == "ratings" else 1
        if leaves_one_out:
            judged, grades = judged[[0]], np.ones(1, dtype=int)
        qrels[query] = {spell(int(item)): grade.item() for item, grade in zip(judged, grades)}
    return Run("clicks" if leaves_one_out else kind, qrels, run)
