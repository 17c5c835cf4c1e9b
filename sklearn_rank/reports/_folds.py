"""The queries of several reports as those of one, to average over all queries or over folds."""

from collections.abc import Mapping, Sequence

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail, spell_id
from .._checks.groups import check_groups
from ..metrics import MetricValues
from ._intervals import estimate, find_terms
from ._reported_queries import QueryValues, check_metrics, list_names, show


def join_folds(of_folds: Mapping[str, QueryValues]) -> QueryValues:
    """Return the queries of all folds, sorted by id, after checking that each is in one fold."""
    names, parts = list(of_folds), list(of_folds.values())
    metrics = list(parts[0].metrics)
    for name, each in of_folds.items():
        if each.metrics.keys() != parts[0].metrics.keys():
            got = f"{list_names(metrics)} in {show(names[0])} and {list_names(list(each.metrics))}"
            fail("reports", "have the same metrics", f"{got} in {show(name)}")
        if (each.cluster_ids is None) != (parts[0].cluster_ids is None):
            got = f"clusters in only one of {show(names[0])} and {show(name)}"
            fail("reports", "all have clusters, or none of them", got)
    check_metrics(of_folds, metrics)
    ids = np.concatenate([each.ids.astype(object) for each in parts])
    if len({each.ids.dtype for each in parts}) == 1:
        ids = np.concatenate([each.ids for each in parts])
    codes = rank_ids(check_groups(ids, len(ids), "reports"))
    folds = np.repeat(np.arange(len(parts)), [len(each.ids) for each in parts])
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(np.diff(codes[order]) == 0)
    if len(again):
        pair = [show(names[fold]) for fold in folds[order[again[0] :][:2]]]
        fix = "To compare reports of the same queries, call compare(reports)."
        got = f"{spell_id(ids[order[again[0]]]):.60} in {pair[0]} and {pair[1]}"
        fail("reports", "contain each query in one fold", got, fix)
    known = {
        name: _join([getattr(each, name) for each in parts]) for name in ("sizes", "n_relevant", "labels")
    }
    clusters = _join([each.cluster_ids for each in parts])
    return QueryValues(
        ids,
        {name: _join_values([each.metrics[name] for each in parts]) for name in metrics},
        **known,
        folds=folds,
        clusters=None if clusters is None else rank_ids(check_groups(clusters, len(ids), "reports")),
        cluster_ids=clusters,
    ).take(order)


def _join(columns: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """Concatenate columns; return None if a report lacks the column."""
    known = [each for each in columns if each is not None]
    return np.concatenate(known) if len(known) == len(columns) else None


def _join_values(parts: Sequence[MetricValues]) -> MetricValues:
    sizes = [len(each.values) for each in parts]
    ones = [np.ones(n) if each.weights is None else each.weights for n, each in zip(sizes, parts)]
    all_true = [np.ones(n, bool) if each.defined is None else each.defined for n, each in zip(sizes, parts)]
    sums = [each.sums for each in parts if each.sums is not None]
    return parts[0]._replace(
        values=np.concatenate([each.values for each in parts]),
        weights=None if all(each.weights is None for each in parts) else np.concatenate(ones),
        sums=(np.concatenate([each[0] for each in sums]), np.concatenate([each[1] for each in sums]))
        if sums
        else None,
        defined=None if all(each.defined is None for each in parts) else np.concatenate(all_true),
        precision=max(each.precision for each in parts),
    )


def average_folds(queries: QueryValues) -> dict[str, float] | None:
    """Return the mean over folds of each metric; None unless each query is in one fold."""
    folds = queries.folds
    if folds is None or folds.ndim > 1:
        return None
    parts = [queries.take(np.flatnonzero(folds == fold)).metrics for fold in np.unique(folds)]
    return {
        name: float(np.mean([estimate(find_terms(each[name])).ratio for each in parts])) for name in parts[0]
    }
