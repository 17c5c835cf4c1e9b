"""The checked queries of a report, and paired moments of two systems without the values of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_floats
from .._checks.codes import rank_ids
from .._checks.errors import fail, is_int, is_real
from .._checks.groups import check_groups
from .._checks.rows import check_weights
from .._checks.types import Ids, Values
from ..metrics import MetricValues
from ._equal import find_precision, find_rounding, find_scale, rank_equal, subtract_equal
from ._intervals import Moments, find_traits
from ._tables import Table, count_queries, write, write_column, write_signed


class QueryValues(NamedTuple):
    """Queries, sorted by id."""

    ids: np.ndarray
    metrics: dict[str, MetricValues]
    sizes: np.ndarray | None = None
    n_relevant: np.ndarray | None = None
    folds: np.ndarray | None = None
    clusters: np.ndarray | None = None

    def take(self, places: np.ndarray) -> QueryValues:
        """Return some of the queries."""
        taken: dict[int, np.ndarray] = {}
        metrics = {name: each.take(places, taken) for name, each in self.metrics.items()}
        others = [None if each is None else each[places] for each in self[2:]]
        return QueryValues(self.ids[places], metrics, *others)

    def freeze(self) -> QueryValues:
        """Make the arrays read-only, because means were computed from them."""
        for each in (*self.columns().values(), self.folds):
            if each is not None:
                each.flags.writeable = False
        return self

    def columns(self) -> dict[str, np.ndarray]:
        """Return the data of each query, by column."""
        folds = self.folds if self.folds is not None and self.folds.ndim == 1 else None
        known = {"query": self.ids, "size": self.sizes, "relevant": self.n_relevant}
        known |= {"cluster": self.clusters, "fold": folds}
        values = {name: each.values for name, each in self.metrics.items()}
        return {name: each for name, each in known.items() if each is not None} | values


SHOWN = 5  # number of names in errors
ROUNDING = 1e-6  # by which values from other libraries, or in float32, can exceed the range


def shorten(text: str) -> str:
    """Shorten a long text for errors."""
    return text if len(text) <= 40 else f"{text[:37]}..."


def show(value: object) -> str:
    """Return a name or value as text for errors."""
    return shorten(repr(value))


def list_names(names: Sequence[Any], shown: int = SHOWN) -> str:
    """Return some names as text for errors."""
    return ", ".join(show(name) for name in names[:shown]) + ", ..." * (len(names) > shown)


def count_rows(ids: Ids) -> int:
    """Return the length of a column; 0 if it has none, which raises an error later."""
    return len(ids) if hasattr(ids, "__len__") else 0


def read_aligned(values: Values, parameter: str, n_queries: int) -> np.ndarray | None:
    """Return data of each query as an array: weights, counts, folds, or codes of clusters."""
    if values is None:
        return None
    if parameter == "weights":
        return check_weights(values, n_queries, "query", parameter)
    if parameter == "clusters":
        return rank_ids(check_groups(values, n_queries, parameter))
    array = np.asarray(values)
    if array.ndim < 1 or len(array) != n_queries or array.ndim > 1 + (parameter == "folds"):
        fail(parameter, f"have one entry per query ({n_queries} queries)", f"shape {array.shape}")
    if array.dtype.kind not in "iu":
        fail(parameter, "contain integers", f"dtype {array.dtype}")
    return array


def read_metric(
    name: object, values: Values, weights: np.ndarray | None, n_relevant: np.ndarray | None, n_queries: int
) -> MetricValues:
    """Return the values of one metric."""
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


def read_moments(moments: Any) -> dict[str, Moments]:
    if not isinstance(moments, Mapping) or not moments:
        fail("moments", "be a dict of metric names to Moments", show(moments))
    for name, each in moments.items():
        if not isinstance(name, str) or not isinstance(each, Moments):
            got = f"{show(name)}: {show(each)}"
            fail("moments", "be a dict of metric names to Moments", got)
        are_numbers = all(map(is_real, each)) and all(map(is_int, each[2:5]))
        if not (are_numbers and 0 <= each.n_defined <= each.n_queries and not each.standard_error < 0):
            rule = "contain numbers, int counts, n_defined <= n_queries and standard_error >= 0 or NaN"
            fail("moments", rule, f"{show(name)}: {each!r}")
    if len(counts := sorted({each.n_queries for each in moments.values()})) > 1:
        fail("moments", "have the same n_queries for all metrics", list_names(counts))
    return {name: Moments(*map(_as_python, each)) for name, each in moments.items()}


def _as_python(number: Any) -> Any:
    """Return a numpy number as a Python number, for JSON."""
    return int(number) if is_int(number) else float(number)


def check_metric(metric: object, metrics: Sequence[str]) -> None:
    if metric not in metrics:
        fail("metric", f"be a metric of the report ({list_names(metrics)})", repr(metric))


def as_json(number: float) -> float | None:
    """Return a float for JSON; None if it is not finite."""
    return float(number) if isfinite(number) else None


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

    def is_together(self, other: OfSystem) -> bool:
        """Return whether both were made together; compare contents, because unpickled objects differ."""
        return self.pairs is other.pairs or repr(self.pairs) == repr(other.pairs)

    def find(self, other: OfSystem, metric: str) -> PairedMoments:
        """Return the moments of this system minus the other."""
        found = self.pairs.get((self.system, other.system))
        return found[metric] if found else self.pairs[other.system, self.system][metric].turn()


def tabulate_changes(pair: Sequence[str], queries: Sequence[QueryValues], metric: str, n: int) -> Table:
    """Return the queries with the n largest losses and gains of the first system, losses first."""
    found = [each.metrics[metric] for each in queries]
    values, rounding = [each.values for each in found], find_rounding(found)
    apart = subtract_equal(values[0], values[1], find_scale(*values), rounding)
    gain = apart if find_traits(metric).greater_is_better else -apart
    changed = np.flatnonzero(~np.isnan(gain) & (gain != 0))
    largest = float(np.nanmax(np.abs(values), initial=0))
    order = changed[np.argsort(rank_equal(gain[changed], largest, rounding), kind="stable")]
    losses, gains = order[gain[order] < 0][:n], order[gain[order] > 0][-n:]
    rows = np.concatenate((losses, gains))
    names = dict(zip(pair, values))
    columns = {"query": queries[0].ids[rows], **{name: each[rows] for name, each in names.items()}}
    columns["difference"] = apart[rows]
    texts = {
        "query": write_column(columns["query"], 3),
        **{name: [write(each, 3) for each in columns[name]] for name in names},
        "difference": [write_signed(each, 3) for each in apart[rows]],
    }
    n_worse, n_better = (int(np.count_nonzero(sign * gain > 0)) for sign in (-1, 1))
    caption = f'{metric}: {count_queries(n_worse)} worse with "{pair[0]}", {n_better} better'
    return Table(columns, texts, caption)


def write_changes(table: Table, metric: str) -> str:
    """Return a note with the queries of a table of changes; empty without any."""
    queries = (shorten(each) for each in table.texts["query"])
    shown = list(map("{} ({})".format, queries, table.texts["difference"]))
    up = find_traits(metric).greater_is_better
    n_worse = sum((difference < 0) == up for difference in table.columns["difference"].tolist())
    parts = {"worse": shown[:n_worse], "better": shown[n_worse:][::-1]}
    facts = [f"{word} {', '.join(each)}" for word, each in parts.items() if each]
    return f"Largest changes of {metric}: {'; '.join(facts)}." if facts else ""
