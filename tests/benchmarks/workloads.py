"""Workloads of the benchmarks: learning to rank, recommenders, long queries, cross-validation and ties."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sklearn_rank._checks.codes import find_edges

WEB = (0.515, 0.325, 0.125, 0.025, 0.01)  # shares of the grades 0 to 4, as in MSLR-WEB30K
USERS = (0.8, 0.08, 0.06, 0.04, 0.02)
LONG = (0.97, 0.015, 0.008, 0.005, 0.002)


class Rows(NamedTuple):
    """Labels, scores and ids, with one row per document."""

    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray


def make(lengths: np.ndarray, shares: tuple[float, ...], seed: int) -> Rows:
    """Draw grades and scores for queries of these lengths, with unsorted ids."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(rng.permutation(len(lengths)), lengths)
    y_true = np.searchsorted(np.cumsum(shares)[:-1], rng.random(len(groups)), side="right")
    return Rows(y_true, rng.standard_normal(len(groups)) + 0.45 * y_true, groups)


def web(n_queries: int = 30_000) -> Rows:
    """W1: learning to rank as in MSLR-WEB30K."""
    lengths = np.random.default_rng(1).lognormal(4.55, 0.65, n_queries).astype(int)
    return make(np.clip(lengths, 1, 1200), WEB, 1)


def web_sample() -> Rows:
    """W1/100: its first 300 queries."""
    rows = web()
    stop = find_edges(rows.groups)[300]
    return Rows(*(values[:stop] for values in rows))


def users(n_users: int = 1_000_000) -> Rows:
    """W2: candidates of a recommender."""
    return make(1 + np.random.default_rng(2).poisson(9, n_users), USERS, 2)


def shuffled_users(n_users: int = 1_000_000) -> Rows:
    """W2s: the rows of W2 in random order."""
    rows = users(n_users)
    order = np.random.default_rng(3).permutation(len(rows.groups))
    return Rows(*(values[order] for values in rows))


def named_users(n_users: int = 1_000_000) -> Rows:
    """W2t: W2 with ids that are strings."""
    rows = users(n_users)
    return rows._replace(groups=np.char.add("user", rows.groups.astype(str)))


def long_queries(n_documents: int = 100_000) -> Rows:
    """W3: few queries of many documents."""
    return make(np.full(100, n_documents), LONG, 4)


def fold() -> Rows:
    """W4: a test set in cross-validation."""
    return make(np.full(50, 20), WEB, 5)


def rounded_web() -> Rows:
    """T1: W1 with scores rounded to one decimal."""
    rows = web()
    return rows._replace(y_score=rows.y_score.round(1))


def constant_users() -> Rows:
    """T2: W2 with one score for all."""
    rows = users()
    return rows._replace(y_score=np.zeros(len(rows.groups)))


WORKLOADS: dict[str, Callable[[], Rows]] = {
    "W1": web,
    "W1/100": web_sample,
    "W2": users,
    "W2s": shuffled_users,
    "W2t": named_users,
    "W3": long_queries,
    "W4": fold,
    "T1": rounded_web,
    "T2": constant_users,
}
