"""Time metrics of recommenders, compared with plain numpy that computes the same numbers."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import random_array

from sklearn_rank import from_factors, recall_at_k_score
from sklearn_rank.metrics import catalog_coverage_score, exposure_gini_score, novelty_score, sampled_score
from sklearn_rank.model_selection import catalog_scorer

BEGIN, END = "<!-- begin of the recommenders -->", "<!-- end of the recommenders -->"
K, N_FACTORS = 10, 64
Calls = tuple[Callable[[], float], Callable[[], float] | None]


class Factors:
    """A recommender with given factors."""

    def __init__(self, users: np.ndarray, items: np.ndarray):
        self.users, self.items = users, items
        self.items_ = np.arange(len(items))

    def score_items(self, users: np.ndarray) -> np.ndarray:
        """Return the scores of all items."""
        scores: np.ndarray = self.users[users] @ self.items.T
        return scores


def _find_top(users: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return the top items of each user, in any order."""
    blocks = np.array_split(users, max(1, len(users) * len(items) // 2**22))
    return np.concatenate([np.argpartition(-(block @ items.T), K, axis=1)[:, :K] for block in blocks])


def list_rows(n_users: int, n_items: int) -> dict[str, Calls]:
    """Return calls of list metrics for the top items of users, of a few popular items."""
    rng = np.random.default_rng(0)
    items = (n_items * rng.random((n_users, K)) ** 3).astype(np.int64)
    items = np.sort(items, axis=1) + np.arange(K)  # no item is in a list twice
    users, y_score = np.repeat(np.arange(n_users), K), np.tile(-np.arange(K, dtype=float), n_users)
    flat = items.ravel()
    counts = np.bincount(flat)
    popularity = {item: count / n_users for item, count in enumerate(counts.tolist()) if count}
    given: dict[str, Any] = {"item_ids": flat, "y_score": y_score, "groups": users, "k": K}

    def gini() -> float:
        ordered = np.sort(counts[counts > 0])
        ranks = 2 * np.arange(1, len(ordered) + 1) - len(ordered) - 1
        return float((ranks * ordered).sum() / (len(ordered) * ordered.sum()))

    return {
        "`catalog_coverage_score`": (
            lambda: catalog_coverage_score(**given, catalog=n_items + K),
            lambda: len(np.unique(flat)) / (n_items + K),
        ),
        "`exposure_gini_score`": (
            lambda: exposure_gini_score(**given),
            lambda: gini() if len(np.bincount(flat)) else 0.0,
        ),
        "`novelty_score`": (
            lambda: novelty_score(**given, popularity=popularity),
            lambda: float(-np.log2(counts[flat] / n_users).mean()),
        ),
    }


def catalog(n_users: int, n_items: int) -> dict[str, Calls]:
    """Return calls that rank all items by factors."""
    rng = np.random.default_rng(1)
    users, items = (rng.standard_normal((n, N_FACTORS)).astype(np.float32) for n in (n_users, n_items))
    relevant = random_array((n_users, n_items), density=K / n_items, rng=rng, format="csr")
    relevant.data[:] = 1
    pairs = relevant.tocoo()
    X = pd.DataFrame({"user": pairs.row, "item": pairs.col})
    scorer = catalog_scorer(f"recall@{K}", seen="include")
    model = Factors(users, items)

    def by_hand() -> float:
        top = _find_top(users, items)
        is_hit = np.asarray(relevant[np.arange(n_users)[:, None], top].todense()) > 0
        sizes = np.diff(relevant.indptr)
        return float((is_hit.sum(axis=1)[sizes > 0] / sizes[sizes > 0]).mean())

    def of_factors() -> float:
        y_true, y_score, groups = from_factors(relevant, users, items, k=K)
        return float(recall_at_k_score(y_true, y_score, groups=groups, k=K))

    what = f", {n_users:,} users and {n_items:,} items"
    return {
        f"`catalog_scorer`{what}": (lambda: scorer(model, X), by_hand),
        f"`from_factors` and `recall_at_k_score`{what}": (of_factors, None),
    }


def sampled(n_users: int) -> dict[str, Calls]:
    """Return a call with a different number of items for each user."""
    y_score = np.random.default_rng(2).random((n_users, 101))
    y_true = np.zeros((n_users, 101))
    y_true[:, 0] = 1
    n_items = 18_000 + np.arange(n_users) % 2_000
    name = f"`sampled_score`, {n_users:,} users with 2,000 numbers of items"
    return {name: (lambda: sampled_score(y_true, y_score, n_items=n_items, metric=f"recall@{K}"), None)}


def format_table(repeats: int) -> str:
    """Return the table; calls that plain numpy computes too must agree."""
    cases = list_rows(126_000, 20_000) | catalog(10_000, 20_000) | sampled(10_000)
    lines = ["| what | seconds | plain numpy, seconds | ratio | difference |", "|---|---|---|---|---|"]
    for name, (ours, theirs) in cases.items():
        calls = [ours] if theirs is None else [ours, theirs]
        times: list[list[float]] = [[] for _ in calls]
        values = [call() for call in calls]
        for _ in range(repeats):
            for call, seconds in zip(calls, times):
                start = perf_counter()
                call()
                seconds.append(perf_counter() - start)
        found = f"| {name} | {np.median(times[0]):.2f} |"
        if theirs is None:
            lines.append(f"{found} | | |")
            continue
        ratio = np.median(np.array(times[0]) / np.array(times[1]))
        lines.append(f"{found} {np.median(times[1]):.2f} | {ratio:.2f} | {abs(values[0] - values[1]):.0e} |")
    return "\n".join(lines)
