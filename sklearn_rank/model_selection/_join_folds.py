"""From folds to queries: a query that is tested several times counts once, with the mean of its values."""

from collections.abc import Sequence

import numpy as np

from ..metrics import MetricValues, ScoredQueries


def join_folds(
    scored: Sequence[ScoredQueries], tested: Sequence[np.ndarray]
) -> tuple[ScoredQueries, np.ndarray, np.ndarray]:
    """Join the folds: what is known of each query, its folds, and which queries these are."""
    queries, places, counts = np.unique(np.concatenate(tested), return_inverse=True, return_counts=True)
    fold_of = np.repeat(np.arange(len(tested)), [len(each) for each in tested])
    order = np.argsort(places, kind="stable")
    firsts = np.cumsum(counts) - counts
    folds = np.full((len(queries), counts.max()), -1)
    folds[places[order], np.arange(len(order)) - np.repeat(firsts, counts)] = fold_of[order]
    first = order[firsts]

    metrics = {
        name: _average([each.metrics[name] for each in scored], places, len(queries))
        for name in scored[0].metrics
    }
    sizes, n_relevant = (np.concatenate([each[i] for each in scored])[first] for i in (1, 2))
    folds = folds[:, 0] if folds.shape[1] == 1 else folds
    return ScoredQueries(queries, sizes, n_relevant, metrics), folds, queries


def _average(parts: Sequence[MetricValues], places: np.ndarray, n_queries: int) -> MetricValues:
    """Average what a query has in each of its tests: it counts once."""

    def mean(values: Sequence[np.ndarray]) -> np.ndarray:
        joined = np.concatenate(values)
        known = ~np.isnan(joined)
        n_known = np.bincount(places[known], minlength=n_queries)
        totals = np.bincount(places[known], joined[known], minlength=n_queries)
        return np.where(n_known > 0, totals / np.maximum(n_known, 1), np.nan)

    values = mean([each.values for each in parts])
    weighted = any(each.weights is not None for each in parts)
    weights = mean([_or_ones(each.weights, each.values) for each in parts]) if weighted else None
    sums = None
    if all(each.sums is not None for each in parts):
        above, below = ([each.sums[i] for each in parts if each.sums is not None] for i in (0, 1))
        sums = mean(above), mean(below)
    marked = [_or_ones(each.defined, each.values) for each in parts]
    defined = mean([each.astype(np.float64) for each in marked]) > 0
    marked_or_none = None if defined.all() else defined
    return parts[0]._replace(values=values, weights=weights, sums=sums, defined=marked_or_none)


def _or_ones(known: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.ones(len(like)) if known is None else known
