"""Time the evaluation of recommenders, and plain numpy that computes the same values."""

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from sklearn_rank import RankingReport, from_factors, from_score_matrix, metrics, recall_at_k_score
from sklearn_rank.model_selection import catalog_scorer

BEGIN, END = "<!-- begin of the recommenders -->", "<!-- end of the recommenders -->"
K, N_FACTORS, N_ITEMS, N_USERS = 10, 64, 20_000, 2_000
N_METRICS, N_RESAMPLES = 6, 100
Calls = tuple[Callable[[], float], Callable[[], float] | None]  # of this package, and of plain numpy


class Factors:
    """A recommender with given factors."""

    def __init__(self, users: np.ndarray, items: np.ndarray):
        self.users, self.items = users, items
        self.items_ = np.arange(len(items))

    def score_items(self, users: np.ndarray) -> np.ndarray:
        """Return the scores of all items."""
        scores: np.ndarray = self.users[users] @ self.items.T
        return scores


def make_lists(n_users: int) -> dict[str, Calls]:
    """Return calls of list metrics for the top items of users, most of which are popular."""
    rng = np.random.default_rng(0)
    items = (N_ITEMS * rng.random((n_users, K)) ** 3).astype(np.int64)
    items = (np.sort(items, axis=1) + np.arange(K)).ravel()  # no item is in a list twice
    n_catalog = N_ITEMS + K
    known = 1 + np.bincount(items, minlength=n_catalog)
    popularity = dict(enumerate((known / known.max()).tolist()))
    scores = np.tile(-np.arange(K, dtype=float), n_users)
    users = np.repeat(np.arange(n_users), K)

    def find_top() -> np.ndarray:
        order = np.lexsort((-scores, users))
        starts = np.flatnonzero(np.diff(users[order], prepend=-1))
        ranks = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
        return items[order[ranks < K]]

    def find_coverage() -> float:
        return np.count_nonzero(np.bincount(find_top())) / n_catalog

    def find_gini() -> float:
        counts = np.sort(np.bincount(find_top(), minlength=n_catalog))
        ranks = 2 * np.arange(1, n_catalog + 1) - n_catalog - 1
        return float((ranks * counts).sum() / (n_catalog * counts.sum()))

    def find_personalization() -> float:
        counts = np.bincount(find_top())
        return float(1 - (counts @ counts - counts.sum()) / (K * n_users * (n_users - 1)))

    def find_novelty() -> float:
        return float(-np.log2(known / known.max())[find_top()].mean())

    def find_tail_share() -> float:
        ordered, n_tail = np.sort(known), int(0.8 * n_catalog)
        first, last = (np.searchsorted(ordered, ordered[n_tail - 1], side=side) for side in ("left", "right"))
        tied = (n_tail - first) / (last - first)
        part = np.where(known == ordered[n_tail - 1], tied, known < ordered[n_tail - 1])
        return float(part[find_top()].mean())

    catalog, popular = {"catalog": n_catalog}, {"popularity": popularity}
    calls: dict[str, tuple[Any, dict[str, Any], Callable[[], float]]] = {
        "catalog_coverage_score": (metrics.catalog_coverage_score, catalog, find_coverage),
        "exposure_gini_loss": (metrics.exposure_gini_loss, catalog, find_gini),
        "personalization_score": (metrics.personalization_score, {}, find_personalization),
        "novelty_score": (metrics.novelty_score, popular, find_novelty),
        "tail_share_score": (metrics.tail_share_score, popular, find_tail_share),
    }
    return {
        f"`{name}`, {len(items):,} rows": (partial(metric, items, scores, groups=users, k=K, **more), by_hand)
        for name, (metric, more, by_hand) in calls.items()
    }


def draw_relevant(n_users: int) -> csr_array:
    """Draw a matrix of some relevant items of each user."""
    rng = np.random.default_rng(1)
    columns = rng.integers(N_ITEMS, size=(n_users, K)).ravel()
    drawn = csr_array((np.ones(len(columns)), columns, np.arange(0, len(columns) + 1, K)), (n_users, N_ITEMS))
    drawn.sum_duplicates()
    drawn.data[:] = 1
    return drawn


def find_recall(relevant: csr_array, score: Callable[[slice], np.ndarray]) -> float:
    """Return recall at K, for a function that scores all items for some of the users."""
    n_users, step = relevant.shape[0], 2**21 // N_ITEMS
    top = []
    for first in range(0, n_users, step):
        scores = score(slice(first, first + step))
        top.append(np.argpartition(-scores, K, axis=1)[:, :K].copy())
    n_found = relevant[np.arange(n_users)[:, np.newaxis], np.concatenate(top)].sum(axis=1)
    return float((n_found / relevant.sum(axis=1)).mean())


def average_recall(rows: tuple[Any, ...]) -> float:
    """Return recall at K of rows and missed labels."""
    y_true, y_score, groups, missed = rows
    return float(recall_at_k_score(y_true, y_score, groups=groups, k=K, missed=missed))


def make_catalog(n_users: int) -> dict[str, Calls]:
    """Return calls that rank all items for each user."""
    rng, relevant = np.random.default_rng(2), draw_relevant(n_users)
    users, items = (rng.standard_normal((n, N_FACTORS)).astype(np.float32) for n in (n_users, N_ITEMS))
    X = pd.DataFrame(dict(zip(("user", "item"), relevant.nonzero())))
    scorer = catalog_scorer(f"recall@{K}", seen="include")
    scores = users @ items.T
    equal = np.zeros_like(scores[: n_users // 10])
    size = f"{n_users:,} users x {N_ITEMS:,} items"
    by_product = partial(find_recall, relevant, lambda part: users[part] @ items.T)

    def of_factors() -> float:
        return average_recall(from_factors(relevant, users, items, k=K, return_missed=True))

    def of_matrix(matrix: np.ndarray) -> float:
        some = relevant[: len(matrix)]
        return average_recall(from_score_matrix(some, matrix, k=K, return_missed=True))

    return {
        f"`catalog_scorer`, {size}": (partial(scorer, Factors(users, items), X), by_product),
        f"`from_factors`, recall, {size}": (of_factors, by_product),
        f"`from_score_matrix`, recall, {size}": (
            partial(of_matrix, scores),
            partial(find_recall, relevant, scores.__getitem__),
        ),
        f"the same with equal scores, {len(equal):,} users": (partial(of_matrix, equal), None),
    }


def make_values(n_queries: int) -> dict[str, Calls]:
    """Return a call that computes bootstrap intervals."""
    values = np.random.default_rng(4).random((N_METRICS, n_queries)) ** 3
    named = {f"metric {place}": row for place, row in enumerate(values)}
    options: dict[str, Any] = {"interval": "bootstrap", "n_resamples": N_RESAMPLES, "random_state": 0}

    def find_end() -> float:
        return RankingReport.from_values(np.arange(n_queries), named, **options).interval["metric 0"][0]

    def find_end_by_hand() -> float:
        random, t = np.random.RandomState(0), []
        mean, root = values.mean(axis=1), np.sqrt(n_queries)
        for _ in range(N_RESAMPLES):
            drawn = values[:, (n_queries * random.random_sample(n_queries)).astype(np.intp)]
            t.append((drawn.mean(axis=1) - mean) / drawn.std(axis=1, ddof=1) * root)
        high = np.quantile(t, 0.975, axis=0, method="weibull")
        return float((mean - high * values.std(axis=1, ddof=1) / root)[0])

    name = f"bootstrap, {n_queries:,} queries, {N_METRICS} metrics, {N_RESAMPLES} resamples"
    return {name: (find_end, find_end_by_hand)}


def format_table(repeats: int, n_users: int = N_USERS) -> str:
    """Return the table."""
    cases = make_lists(126_000) | make_values(81_584) | make_catalog(n_users)
    return format_calls(cases, repeats, "plain numpy")


def format_calls(cases: dict[str, Calls], repeats: int, other: str) -> str:
    """Return a table of calls of this package, and of the others, in turn."""
    lines = [f"| what | seconds | {other} | ratio | difference |", "|---|---|---|---|---|"]
    for name, calls in cases.items():
        known = [call for call in calls if call is not None]
        values = [call() for call in known]
        times = np.empty((repeats, len(known)))
        for seconds in times:
            for place, call in enumerate(known):
                start = process_time()
                call()
                seconds[place] = process_time() - start
        cells = [f"{each:.3f}" for each in np.median(times, axis=0)]
        if len(known) > 1:
            cells += [f"{np.median(times[:, 0] / times[:, 1]):.2f}", f"{abs(values[0] - values[1]):.0e}"]
        lines.append(f"| {' | '.join([name, *cells, *[''] * (4 - len(cells))])} |")
    return "\n".join(lines)
