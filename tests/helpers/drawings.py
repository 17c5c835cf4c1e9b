"""Every display, drawn for any number of queries and systems, and names of any length."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sklearn_rank import RankingReport
from sklearn_rank.inspection import (
    ContendersDisplay,
    GroupROCDisplay,
    InterpolatedPrecisionDisplay,
    MetricAtKDisplay,
    MetricDistributionDisplay,
    QueryDifferenceDisplay,
    TieRangeDisplay,
)


def name_systems(n_systems: int, n_letters: int) -> list[str]:
    """Return distinct names of this length, long ones with words as in real run names."""
    words = "_lightgbm-lambdarank_ndcg10_depth7_lr0.05_features-v3_2026-11-24_seed"
    return [(f"s{i:02d}" + words)[:n_letters].ljust(n_letters, "x") for i in range(n_systems)]


def make_rows(n_queries: int, n_documents: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grades, scores with ties, and query ids; the first document of each query is relevant."""
    rng = np.random.default_rng(0)
    n_rows = n_queries * n_documents
    y_true = rng.integers(0, 3, n_rows) * (rng.random(n_rows) < 0.4)
    y_true[::n_documents], y_true[1::n_documents] = 1, 0
    y_score = (y_true + 2 * rng.standard_normal(n_rows)).round(1)
    return y_true, y_score, np.repeat(np.arange(n_queries), n_documents)


def make_values(n_queries: int, seed: int) -> np.ndarray:
    """Return values of queries in [0, 1], with some at both ends."""
    return np.clip(np.random.default_rng(seed).normal(0.5, 0.3, n_queries), 0, 1)


def draw_contenders(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    lead = np.arange(len(names)) / -100
    parts: dict[str, Any] = {"difference": lead, "low": lead - 0.02, "high": lead + 0.02}
    parts["is_contender"] = lead > -0.02
    return ContendersDisplay("ndcg@10", names, range(len(names)), **parts).plot(ax)


def draw_roc(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    y_true, y_score, groups = make_rows(n_queries, n_documents)
    for i, name in enumerate(names):
        scores = y_score + i / 10 * y_true
        display = GroupROCDisplay.from_predictions(y_true, scores, groups=groups, name=name, ax=ax)
        ax = display.ax_
    return display


def draw_precision(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    y_true, y_score, groups = make_rows(n_queries, n_documents)
    for i, name in enumerate(names):
        scores = y_score + i / 10 * y_true
        given: dict[str, Any] = {"groups": groups, "name": name, "ax": ax, "random_state": 0}
        display = InterpolatedPrecisionDisplay.from_predictions(y_true, scores, **given)
        ax = display.ax_
    return display


def draw_at_k(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    y_true, y_score, groups = make_rows(n_queries, n_documents)
    scores = {name: y_score + i / 10 * y_true for i, name in enumerate(names)}
    return MetricAtKDisplay.from_predictions(y_true, scores, groups=groups, ax=ax)


def draw_distribution(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    values = {name: {"ndcg@10": make_values(n_queries, i)} for i, name in enumerate(names)}
    reports = {name: RankingReport.from_values(np.arange(n_queries), each) for name, each in values.items()}
    return MetricDistributionDisplay.from_reports(reports, "ndcg@10", ax=ax)


def draw_differences(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    values = [{"ndcg@10": make_values(n_queries, seed)} for seed in (0, 1)]
    reports = [RankingReport.from_values(np.arange(n_queries), each) for each in values]
    both = (names[0], names[-1].upper())
    return QueryDifferenceDisplay.from_reports(*reports, "ndcg@10", names=both, ax=ax)


def draw_tie_range(n_queries: int, names: list[str], ax: Any = None, n_documents: int = 20) -> Any:
    y_true, y_score, groups = make_rows(n_queries, n_documents)
    given: dict[str, Any] = {"groups": groups, "metrics": ["ndcg@10", "mrr"]}
    for i, name in enumerate(names):
        scores = (y_score + i / 10 * y_true).round()
        display = TieRangeDisplay.from_predictions(y_true, scores, **given, name=name, ax=ax)
        ax = display.ax_
    return display


DRAWINGS: dict[str, Callable[..., Any]] = {
    "ContendersDisplay": draw_contenders,
    "GroupROCDisplay": draw_roc,
    "InterpolatedPrecisionDisplay": draw_precision,
    "MetricAtKDisplay": draw_at_k,
    "MetricDistributionDisplay": draw_distribution,
    "QueryDifferenceDisplay": draw_differences,
    "TieRangeDisplay": draw_tie_range,
}
