"""What many metrics give each query, with all that their means are made of: what a report keeps."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.options import check_jobs
from .._checks.rows import check_weights
from .._engine.prepared import PreparedRows
from .._engine.queries import Queries, find_queries
from ._average import mean_of_values, query_weights, ratio_of_sums
from ._by_id import BY_ID, is_by_id, show_index, take_by_id
from ._cautions import caution, caution_sampled
from ._compute import check_score_values, count_relevant, evaluate, find_weights, list_passes
from ._facts import Facts, find_facts, list_subjects
from ._opened import Opened, open_rows
from ._requests import Given, Request, check_kept, find_label_rules
from ._unique_groups import take_ids


class MetricValues(NamedTuple):
    """One metric of all queries, in the order of their ids.

    The values of a loss as a score ("neg_...") are negative already.
    """

    values: np.ndarray  # as with average=None: NaN where a query does not count
    weights: np.ndarray | None = None  # by which they are averaged; None: equal ones
    sums: tuple[np.ndarray, np.ndarray] | None = None  # numerators and denominators of a micro average
    defined: np.ndarray | None = None  # where the metric is; None: everywhere
    otherwise: float = np.nan  # a micro average of queries none of which is defined
    options: tuple[str, ...] = ()  # with which it was computed, where that is known
    precision: float = 0.0  # relative, of values that were stored in fewer than 64 bits

    def mean(self, function: str) -> float:
        """Return what the metric function returns."""
        if self.sums is None:
            return mean_of_values(self.values, self.weights, function)
        return ratio_of_sums(*self.sums, self.weights, self.otherwise, function)

    def weigh(self, weights: np.ndarray | None) -> "MetricValues":
        """Return those whose queries have weights, beside what they are weighted by already."""
        if weights is None:
            return self
        return self._replace(weights=weights if self.weights is None else weights * self.weights)

    def take(self, queries: np.ndarray, taken: dict[int, np.ndarray]) -> "MetricValues":
        """Return those of some of the queries; arrays that metrics share are `taken` once."""

        def pick(array: np.ndarray) -> np.ndarray:
            return taken[id(array)] if id(array) in taken else taken.setdefault(id(array), array[queries])

        weights, defined = (None if each is None else pick(each) for each in (self.weights, self.defined))
        sums = None if self.sums is None else (pick(self.sums[0]), pick(self.sums[1]))
        return self._replace(values=pick(self.values), weights=weights, sums=sums, defined=defined)


class ScoredQueries(NamedTuple):
    """Queries in the order of their ids, and what metrics give each."""

    ids: np.ndarray
    sizes: np.ndarray  # rows of each
    n_relevant: np.ndarray
    metrics: dict[str, MetricValues]
    clusters: np.ndarray | None = None  # the cluster of each, as a number
    facts: Facts | None = None  # about all rows of a part, for cautions about all parts

    def take(self, queries: np.ndarray) -> "ScoredQueries":
        """Return some of the queries."""
        taken: dict[int, np.ndarray] = {}
        metrics = {name: each.take(queries, taken) for name, each in self.metrics.items()}
        clusters = None if self.clusters is None else self.clusters[queries]
        return ScoredQueries(
            self.ids[queries], self.sizes[queries], self.n_relevant[queries], metrics, clusters, self.facts
        )


def score_queries(
    function: str,
    requests: Sequence[Request],
    given: Given,
    min_relevance: float = 1,
    cluster: Any = None,
    n_jobs: int | None = None,
) -> ScoredQueries:
    """Compute checked metrics as `compute_many` does, and keep what their means are made of."""
    opened = open_rows(function, given, find_label_rules(requests))
    check_same_order(function, y_true=given.y_true, groups=given.groups, cluster=cluster)
    found = _score_opened(function, requests, opened, given.groups, min_relevance, n_jobs)
    caution(function, opened, requests, [each.values for each in found.metrics.values()])
    caution_sampled(function, requests, found.sizes, found.n_relevant)
    if cluster is None:
        return found
    queries = opened.rows.queries
    n_rows, is_flat = len(opened.rows.given), given.groups is not None
    codes, _ = code_labels(cluster, queries, n_rows, found.ids, "cluster", function, is_flat)
    return found._replace(clusters=queries.by_id(codes))


def score_part(
    function: str,
    requests: Sequence[Request],
    given: Given,
    min_relevance: float = 1,
    n_jobs: int | None = None,
) -> ScoredQueries:
    """Score some of many queries; `facts` are for cautions about all of them."""
    opened = open_rows(function, given, find_label_rules(requests))
    found = _score_opened(function, requests, opened, given.groups, min_relevance, n_jobs)
    return found._replace(facts=find_facts(opened.rows, opened.scores, list_subjects(requests)))


def _score_opened(
    function: str,
    requests: Sequence[Request],
    opened: Opened,
    groups: Any,
    min_relevance: float,
    n_jobs: int | None,
) -> ScoredQueries:
    """Score the queries of opened rows."""
    if n_jobs is not None:
        check_jobs(n_jobs, function)
    check_kept([request.rules.average for request in requests], function)
    for request in requests:
        check_score_values(request, opened, function)
    queries = opened.rows.queries
    found: dict[int, MetricValues] = {}
    for places, data in list_passes(requests, opened):
        asked = [requests[place] for place in places]
        computed = evaluate(asked, data, function, n_jobs, marked=True)
        for place, request, rows in zip(places, asked, computed):
            found[place] = _read(request, rows, opened.rows)
    metrics = {request.name: found[place] for place, request in enumerate(requests)}
    ids, by_id = _find_ids(groups, queries), queries.by_id
    n_relevant = by_id(count_relevant(opened.rows, min_relevance))
    return ScoredQueries(ids, by_id(queries.lengths), n_relevant, _share_equal(metrics))


def _read(request: Request, computed: np.ndarray, rows: PreparedRows) -> MetricValues:
    """Bring what was computed of one metric into the order of the ids."""
    by_id, sign = rows.queries.by_id, request.sign
    defined = computed[-1] > 0
    marked = None if defined.all() else by_id(defined)
    if request.rules.average != "micro":
        weights = find_weights(request, rows)
        values = by_id(sign * computed[0])
        weights = None if weights is None else by_id(weights)
        return MetricValues(values, weights, None, marked, options=_describe(request))
    above, below, otherwise = sign * computed[0], computed[1], request.rules.zero_division
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(defined, above / below, sign * otherwise)
    weights = None if rows.weights is None else by_id(rows.weights)
    sums = by_id(above), by_id(below)
    return MetricValues(by_id(values), weights, sums, marked, sign * otherwise, _describe(request))


def _describe(request: Request) -> tuple[str, ...]:
    """Write with which options a metric is computed; functions by their names."""
    options = {**request.params, **request.rules._asdict()}
    return tuple(f"{name}={getattr(value, '__name__', value)!r}" for name, value in options.items())


def _share_equal(metrics: dict[str, MetricValues]) -> dict[str, MetricValues]:
    """Let metrics share the arrays of weights, and of where they are defined, that are equal."""
    known: dict[bytes, np.ndarray] = {}

    def share(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else known.setdefault(array.tobytes(), array)

    return {
        name: each._replace(weights=share(each.weights), defined=share(each.defined))
        for name, each in metrics.items()
    }


def _find_ids(groups: Any, queries: Queries) -> np.ndarray:
    """Return the ids of the queries as they were given; their numbers where each is a row of a matrix."""
    if groups is None:
        return np.arange(len(queries.lengths))
    firsts = queries.firsts if queries.rows is None else queries.rows[queries.firsts]
    return take_ids(groups, queries.by_id(firsts))


def code_labels(
    labels: Any, queries: Queries, n_rows: int, ids: np.ndarray, parameter: str, function: str, is_flat: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each query, in the order of the queries, from labels of rows or by id; and names.

    Labels of queries without ids are in the order of the rows of two-dimensional input.
    """
    n_queries = len(queries.lengths)
    n_labels = len(labels) if hasattr(labels, "__len__") else 0
    by_id = isinstance(labels, Mapping) or (n_labels != n_rows and is_by_id(labels))
    of_queries = by_id or n_labels == n_queries != n_rows
    if by_id:
        labels = take_by_id(labels, ids, function, parameter)
    elif of_queries and is_flat:
        rule = (
            f"have one entry per row ({n_rows} rows), or be a mapping or pandas.Series of query id to label"
        )
        fail(parameter, function, rule, f"{n_labels} entries, one per query,", BY_ID)
    codes = rank_ids(check_groups(labels, n_queries if of_queries else n_rows, function, parameter))
    names = take_ids(labels, np.unique(codes, return_index=True)[1])
    if of_queries:
        order = np.arange(n_queries) if queries.names is None else np.argsort(np.argsort(queries.names))
        return codes[order], names
    in_order = codes if queries.rows is None else codes[queries.rows]
    lowest = np.minimum.reduceat(in_order, queries.firsts)
    varies = lowest != np.maximum.reduceat(in_order, queries.firsts)
    if varies.any():
        rule = "be the same for all rows of a query"
        fail(parameter, function, rule, f"several for {varies.sum()} of {n_queries} queries")
    return lowest, names


def align_labels(
    labels: Any, groups: Any, ids: np.ndarray, function: str, parameter: str = "labels", of_rows: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Return codes in the order of the `ids`, from labels of rows or of queries by id, and their names.

    Labels of rows come with `groups`, the ids of the rows; errors add `of_rows`, on how to pass them.
    """
    if isinstance(labels, str):
        fail(parameter, function, "be the labels themselves, as frame[name]", repr(labels))
    if groups is None:
        if not is_by_id(labels):
            rule = "be a mapping or pandas.Series of query id to label" + of_rows
            kind = type(labels).__name__
            got = f"a {kind} of {len(labels)}" if hasattr(labels, "__len__") else repr(labels)
            fail(parameter, function, rule, got + show_index(labels), BY_ID)
        n_queries = len(ids)
        each = Queries(None, np.arange(n_queries), np.ones(n_queries, dtype=np.int64))
        labels = take_by_id(labels, ids, function, parameter)
        return code_labels(labels, each, n_queries, ids, parameter, function, False)
    n_rows = len(groups)
    check_same_order(function, **{"groups": groups, parameter: labels})
    queries = find_queries(check_groups(groups, n_rows, function), n_rows)
    if not np.array_equal(_find_ids(groups, queries), ids):
        fail("groups", function, "hold the ids of the report", "others")
    codes, names = code_labels(labels, queries, n_rows, ids, parameter, function, True)
    return queries.by_id(codes), names


def align_weights(sample_weight: Any, groups: Any, function: str) -> np.ndarray | None:
    """Return the weight of each query in the order of the ids, from those of rows."""
    if sample_weight is None:
        return None
    n_rows = len(groups)
    queries = find_queries(check_groups(groups, n_rows, function), n_rows)
    weights = query_weights(check_weights(sample_weight, n_rows, "row", function), queries, function)
    return None if weights is None else queries.by_id(weights)
