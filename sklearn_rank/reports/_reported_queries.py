"""The checked queries of a report, and paired moments of two systems without the values of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_array, read_floats
from .._checks.codes import rank_ids
from .._checks.errors import fail, shorten
from .._checks.groups import check_groups
from .._checks.rows import check_weights
from .._checks.types import Values
from ..metrics import FINGERPRINT, MetricValues
from ._equal import find_precision
from ._traits import find_traits


class QueryValues(NamedTuple):
    """Queries, sorted by id."""

    ids: np.ndarray
    metrics: dict[str, MetricValues]
    sizes: np.ndarray | None = None
    n_relevant: np.ndarray | None = None
    folds: np.ndarray | None = None
    clusters: np.ndarray | None = None
    cluster_ids: np.ndarray | None = None  # the cluster of each query as it was given
    labels: np.ndarray | None = None  # fingerprints

    def take(self, places: np.ndarray) -> QueryValues:
        """Return some of the queries."""
        taken: dict[int, np.ndarray] = {}
        metrics = {name: each.take(places, taken) for name, each in self.metrics.items()}
        others = [None if each is None else each[places] for each in self[2:]]
        return QueryValues(self.ids[places], metrics, *others)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the data of each query, by column."""
        folds = self.folds if self.folds is not None and self.folds.ndim == 1 else None
        known = {"query": self.ids, "size": self.sizes, "relevant": self.n_relevant}
        known |= {"cluster": self.clusters, "fold": folds}
        values = {name: each.values for name, each in self.metrics.items()}
        return {name: each for name, each in known.items() if each is not None} | values


SHOWN_NAMES, SHOWN = 5, 3  # in errors and notes: names of one kind, and ids, systems, rows and others
ROUNDING = 1e-6  # by which values from other libraries, or in float32, can exceed the range


def show(value: object) -> str:
    """Return a name or value as text for errors."""
    return shorten(repr(value), 40)


def list_names(names: Sequence[Any], shown: int = SHOWN_NAMES) -> str:
    """Return some names as text for errors."""
    return ", ".join(show(name) for name in names[:shown]) + ", ..." * (len(names) > shown)


def read_aligned(values: Values, parameter: str, n_queries: int) -> np.ndarray | None:
    """Return data of each query as an array: weights, counts, folds, or codes of clusters."""
    if values is None:
        return None
    if parameter == "weights":
        return check_weights(values, n_queries, "query", parameter)
    if parameter == "cluster":
        return rank_ids(check_groups(values, n_queries, parameter))
    rule, fix = f"have one entry per query ({n_queries} queries)", f"Pass {parameter}=[3, 2, 4]."
    of_labels = parameter == "label_fingerprints"
    if of_labels:
        rule, fix = "be the attribute of a report of these queries", "Pass report.label_fingerprints."
    array = read_array(values, parameter, rule, fix)
    if of_labels and (array.shape != (n_queries,) or array.dtype != FINGERPRINT):
        fail(parameter, rule, f"{array.dtype} of shape {array.shape}", fix)
    if array.ndim < 1 or len(array) != n_queries or array.ndim > 1 + (parameter == "folds"):
        fail(parameter, rule, f"shape {array.shape}", fix)
    if not of_labels and array.dtype.kind not in "iu":
        fail(parameter, "contain integers", f"dtype {array.dtype}", fix)
    return array


def read_metric(
    name: object, values: Values, weights: np.ndarray | None, n_relevant: np.ndarray | None, n_queries: int
) -> MetricValues:
    if not isinstance(name, str):
        fail("values", "be a dict of metric names to values", f"the key {name!r}")
    if isinstance(values, MetricValues):
        return values
    array = read_floats(values, (n_queries,), "values", f"contain one number per query for {name!r}")
    if np.isinf(array).any():
        fail("values", f"be finite or NaN for {name!r}", "inf")
    traits = find_traits(name)
    outside = (array < traits.lower - ROUNDING) | (array > traits.upper + ROUNDING)
    if outside.any():
        rule = f"be from {traits.lower:g} to {traits.upper:g} for the metric {name!r}"
        fix = "If this is another metric, use another name."
        fail("values", rule, f"{array[outside][0]:g}", fix)
    defined = None if n_relevant is None else n_relevant != 0
    return MetricValues(array, weights, None, defined, precision=find_precision(np.asarray(values).dtype))


def check_metric(metric: object, metrics: Sequence[str]) -> None:
    if metric not in metrics:
        fail("metric", f"be a metric of the report ({list_names(metrics)})", repr(metric))


def check_same(
    matched: Mapping[str, QueryValues], metrics: Iterable[str], parameter: str = "reports"
) -> None:
    """Check that metrics, folds, clusters and weights are the same."""
    metrics = list(metrics)
    check_metrics(matched, metrics, parameter)
    (first, one), *others = matched.items()
    for name, other in others:
        pair = f"{show(first)} and {show(name)}"
        has_folds = one.folds is not None and other.folds is not None
        if has_folds and not _is_equal(one.folds, other.folds):
            fix = "Use the same splitter with the same random_state for all reports."
            fail(parameter, "have each query in the same fold", f"different folds in {pair}", fix)
        if not _is_equal(*(_find_partition(each.clusters) for each in (one, other))):
            fail(parameter, "have the same clusters", f"different clusters in {pair}")
        if not all(_is_equal(*(each.metrics[metric].weights for each in (one, other))) for metric in metrics):
            fail(parameter, "have the same query weights", f"different weights in {pair}")


def _find_partition(clusters: np.ndarray | None) -> np.ndarray | None:
    """Return the first query of each query's cluster, which does not depend on the clusters' names."""
    if clusters is None:
        return None
    _, first, inverse = np.unique(clusters, return_index=True, return_inverse=True)
    return first[inverse]


def check_metrics(
    of_systems: Mapping[str, QueryValues], metrics: Iterable[str], parameter: str = "reports"
) -> None:
    """Check that averages and options of the metrics are the same."""
    (first, of_first), *rest = of_systems.items()
    for (name, each), metric in product(rest, metrics):
        one, other, shown = of_first.metrics[metric], each.metrics[metric], show(metric)
        if (one.sums is None) != (other.sums is None):
            got = f"'micro' in one of {show(first)} and {show(name)}"
            fail(parameter, f"have the same average for {shown}", got)
        if one.options and other.options and one.options != other.options:
            apart = set(one.options) ^ set(other.options)
            own, others = (sorted(apart & set(each.options))[:SHOWN] for each in (one, other))
            got = " and ".join(
                f"{', '.join(map(shorten, options))} in {show(system)}"
                for options, system in ((own, first), (others, name))
            )
            fail(parameter, f"have the same options for {shown}", got)


def _is_equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def as_json(value: Any) -> Any:
    """Return a value for JSON, in which numbers that are not finite are None."""
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(as_json, value))
    return None if isinstance(value, float) and not isfinite(value) else value


class PairedMoments(NamedTuple):
    """Moments of one metric of two systems, over the queries that have a value in both."""

    mean: float
    other_mean: float
    n: int  # such queries with a weight above 0
    n_effective: float
    n_left_out: int  # queries without a value in one of the two
    wins: int  # queries with a higher value
    losses: int
    difference: float
    squares: float  # the sum of squares of the queries' centered contributions to the difference
    scale: float  # the sum of squares of their contributions to both means; 0 if no query differs

    def turn(self) -> PairedMoments:
        """Return the moments of the second system minus the first."""
        turned = self.other_mean, self.mean, *self[2:5], self.losses, self.wins
        return PairedMoments(*turned, 0.0 - self.difference, *self[8:])


PairsByName = Mapping[tuple[str, str], Mapping[str, PairedMoments]]  # by both systems, and by metric


class OfSystem(NamedTuple):
    """The system of a report, and the moments of all pairs of systems."""

    system: str
    pairs: PairsByName
    errors: Mapping[str, float]  # of the means

    def is_together(self, other: OfSystem) -> bool:
        """Return whether both were made together; compare contents, because unpickled objects differ."""
        return self.pairs is other.pairs or repr(self.pairs) == repr(other.pairs)

    def find(self, other: OfSystem, metric: str) -> PairedMoments:
        """Return the moments of this system minus the other."""
        found = self.pairs.get((self.system, other.system))
        return found[metric] if found else self.pairs[other.system, self.system][metric].turn()
