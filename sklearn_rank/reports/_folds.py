"""The queries of several reports as those of one, to average over all queries or over folds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail, spell_id
from .._checks.groups import check_groups
from ..metrics import MetricValues
from ._intervals import estimate, find_terms
from ._reported_queries import QueryValues, check_metrics, list_names, show


def join_folds(of_folds: Mapping[str, QueryValues]) -> QueryValues:
    """Return the queries of all folds, sorted by id, after checking that each is in one fold."""
    names, parts = list(map(show, of_folds)), list(of_folds.values())
    metrics = list(parts[0].metrics)
    for name, each in zip(names, parts):
        if each.metrics.keys() != parts[0].metrics.keys():
            got = f"{list_names(metrics)} in {names[0]} and {list_names(list(each.metrics))} in {name}"
            fail("reports", "have the same metrics", got)
        if (each.cluster_ids is None) != (parts[0].cluster_ids is None):
            fail("reports", "all have clusters, or none", f"clusters in only one of {names[0]} and {name}")
        if _list_weighted(each) != _list_weighted(parts[0]):
            fail("reports", "all have weights, or none", f"weights in only one of {names[0]} and {name}")
    check_metrics(of_folds, metrics)
    is_one_kind = len({each.ids.dtype.kind for each in parts}) == 1
    ids = np.concatenate([each.ids if is_one_kind else each.ids.astype(object) for each in parts])
    codes = rank_ids(check_groups(ids, len(ids), "reports"))
    folds = np.repeat(np.arange(len(parts)), [len(each.ids) for each in parts])
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(np.diff(codes[order]) == 0)
    if len(again):
        one, other = order[again[0] :][:2]
        got = f"{spell_id(ids[one]):.60} in {names[folds[one]]} and {names[folds[other]]}"
        fix = "To compare reports of the same queries, call compare(reports)."
        fail("reports", "contain each query in one fold", got, fix)
    sizes, n_relevant, clusters, labels = (
        _join([getattr(each, name) for each in parts])
        for name in ("sizes", "n_relevant", "cluster_ids", "labels")
    )
    clustered = None if clusters is None else rank_ids(check_groups(clusters, len(ids), "reports"))
    values = {name: _join_values([each.metrics[name] for each in parts]) for name in metrics}
    return QueryValues(ids, values, sizes, n_relevant, folds, clustered, clusters, labels).take(order)


def _list_weighted(queries: QueryValues) -> list[str]:
    """List the metrics whose queries have weights."""
    return sorted(name for name, each in queries.metrics.items() if each.weights is not None)


def _join(columns: Sequence[Any]) -> Any:
    """Concatenate columns; return None if a report lacks the column."""
    return None if any(each is None for each in columns) else np.concatenate(columns)


def _join_values(parts: Sequence[MetricValues]) -> MetricValues:
    """Concatenate the values, weights and sums of queries."""
    joined = {name: _join([getattr(each, name) for each in parts]) for name in ("values", "weights")}
    if any(each.defined is not None for each in parts):  # None if all queries are
        marks = [np.ones(len(each.values), bool) if each.defined is None else each.defined for each in parts]
        joined["defined"] = np.concatenate(marks)
    sums: Any = parts[0].sums and tuple(map(np.concatenate, zip(*(each.sums for each in parts if each.sums))))
    return parts[0]._replace(**joined, sums=sums, precision=max(each.precision for each in parts))


def average_folds(queries: QueryValues) -> dict[str, float] | None:
    """Return the mean over folds of each metric; None unless each query is in one fold."""
    if queries.folds is None or queries.folds.ndim > 1:
        return None
    parts = [queries.take(np.flatnonzero(queries.folds == fold)).metrics for fold in np.unique(queries.folds)]
    return {
        name: float(np.mean([estimate(find_terms(each[name])).ratio for each in parts])) for name in parts[0]
    }
