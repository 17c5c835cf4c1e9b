"""The values of a report, and its printed table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._checks import FROM_ABOVE
from .._checks.errors import check_count, count_of, fail, name_call
from .._checks.types import Options
from ..metrics import MetricValues
from ._equal import order_equal
from ._folds import average_folds
from ._intervals import FEW_UNITS, FEW_VALUES, Settings, Summary, jackknife_values, summarize
from ._model_labels import LabelSets, ModelLabels, add_columns
from ._reported_queries import OfSystem, QueryValues, as_json, check_metric, list_names, show
from ._tables import (
    CATALOG_NOTES,
    MARK,
    Printed,
    Table,
    count_queries,
    decimals_of,
    make_frame,
    share_decimals,
    write,
    write_column,
    write_interval,
    write_level,
)
from ._traits import note_directions


class ReportTable(Printed):
    """The parts of a report, and the tables that it prints."""

    def __init__(
        self, summaries: Mapping[str, Summary], settings: Settings, queries: QueryValues | None = None
    ):
        self.moments = moments = {name: each.moments for name, each in summaries.items()}
        self.metrics = tuple(moments)
        self.mean = {name: each.mean for name, each in moments.items()}
        self.standard_error = {name: each.standard_error for name, each in moments.items()}
        self.n_queries = next(iter(moments.values())).n_queries
        self.n_defined = {name: each.n_defined for name, each in moments.items()}
        self.n_empty = {name: each.n_empty for name, each in moments.items()}
        self.is_small_sample = {name: each.small_sample for name, each in summaries.items()}
        self.confidence_level = settings.confidence_level
        self._summaries = dict(summaries)
        self._settings = settings
        self._queries = queries
        kept: Sequence[np.ndarray | None] = (
            (queries.ids, *queries[2:6], queries.labels) if queries else [None] * 6
        )
        self.ids, self.sizes, self.n_relevant, self.folds, self.clusters, self.label_fingerprints = kept
        for each in (*kept[:5], *(self.values if queries else {}).values()):
            if each is not None:  # read-only, because means were computed from it
                each.flags.writeable = False
        self.list_metrics: dict[str, float] = {}
        self.list_metrics_interval: dict[str, tuple[float, float]] = {}
        self._list_metrics: dict[str, MetricValues] = {}  # jackknife values
        self.n_without_rows = 0
        self.fold_names: tuple[str, ...] = ()
        self.catalog_counts: dict[str, int] = {}
        self.model_labels: dict[str, ModelLabels] = {}
        self._label_sets: LabelSets | None = None
        self._of_system: OfSystem | None = None  # for moments that were made with those of other systems

    @cached_property
    def interval(self) -> dict[str, tuple[float, float]]:
        """Return the intervals, which are computed at first use."""
        return {name: each.interval for name, each in self._summaries.items()}

    def _add_lists(self, values: Mapping[str, float], without: Mapping[str, np.ndarray]) -> None:
        """Add metrics over all queries together, from their values without each query or cluster."""
        self.list_metrics = dict(values)
        known = {name: each for name, each in without.items() if np.isfinite(each).all()}
        self._list_metrics = {
            name: MetricValues(jackknife_values(values[name], each, self.clusters))
            for name, each in known.items()
        }
        found = summarize(self._list_metrics, self.clusters, self._settings._replace(interval="t"))
        self.list_metrics_interval = {name: each.interval for name, each in found.items()}

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Return the values of the queries."""
        return {name: each.values for name, each in self._need_values().metrics.items()}

    @property
    def mean_over_folds(self) -> dict[str, float] | None:
        """Return the mean of each metric over the folds."""
        return None if self._queries is None else average_folds(self._queries)

    def _need_values(self) -> QueryValues:
        if self._queries is None:
            got = "requires the value of each query. Got a report of moments instead"
            fix = "Make it with evaluate, RankingEvaluator(keep_queries=True) or RankingReport.from_values."
            raise ValueError(f"{name_call()} {got}. {fix}")
        return self._queries

    def _need_one_set(self, fix: str) -> None:
        if self.model_labels:
            got = "requires a report of one set of labels. Got a report with model labels instead"
            raise ValueError(f"{name_call()} {got}. {fix}")

    def worst(self, metric: str, n: int = 10) -> Table:
        """List the queries with the worst values of a metric.

        Parameters
        ----------
        metric : str
            One of `metrics`.
        n : int, default=10
            Number of queries.

        Returns
        -------
        Table
            Values of all metrics, with the worst query first. Equal values are in the order of the ids.
        """
        queries = self._need_values()
        check_metric(metric, self.metrics)
        check_count(n, 1, "n")
        order = order_equal(queries.metrics[metric], self._summaries[metric].traits.greater_is_better)[:n]
        columns, decimals = queries.take(order).columns(), decimals_of(self.interval[metric])
        texts = {name: write_column(each, decimals) for name, each in columns.items()}
        caption = f"{len(order)} of {len(queries.ids)} queries with the worst {metric}"
        optional = [name for name in texts if name not in ("query", metric)]
        return Table(columns, texts, caption, optional=tuple(reversed(optional)))

    def plot(self, metric: str | None = None, **kwargs: Any) -> Any:
        """Draw the distribution of a metric over queries.

        Parameters
        ----------
        metric : str, default=None
            One of `metrics`. If `None`, the first one.
        **kwargs
            `by`, `groups`, `ax` and others, as in
            :meth:`sklearn_rank.inspection.MetricDistributionDisplay.from_report`.

        Returns
        -------
        MetricDistributionDisplay
            The drawn display.
        """
        return FROM_ABOVE["displays"]().MetricDistributionDisplay.from_report(self, metric, **kwargs)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the id, size, number of relevant documents and values of each query as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"} or None, default=None
            Library of the frame. If `None`, pandas is used, or polars if pandas is not installed.

        Returns
        -------
        DataFrame
            One row per query, in the order of the ids.
        """
        return make_frame(self._need_values().columns(), library)

    def query(self, query_id: object) -> Options:
        """Return the values of one query.

        Parameters
        ----------
        query_id : object
            One of `ids`.

        Returns
        -------
        dict
            "size", "relevant", "cluster" and "fold" if they are known, and the value of each metric.

        Examples
        --------
        >>> from sklearn_rank import RankingReport
        >>> report = RankingReport.from_values(["q_1", "q_2"], {"mrr": [1, 0.5]}, sizes=[10, 20])
        >>> report.query("q_2")
        {'size': 20, 'mrr': 0.5}
        """
        queries = self._need_values()
        ids = queries.ids.tolist()
        same = [place for place, each in enumerate(ids) if each == query_id]
        if not same:
            fix = next((f"Pass {each!r}." for each in ids if str(each) == str(query_id)), "")
            fail("query_id", f"be one of the ids ({list_names(ids)})", show(query_id), fix)
        return {name: each.tolist()[same[0]] for name, each in queries.columns().items() if name != "query"}

    def table(self, digits: int | None = None) -> Table:
        """Return the printed table: a row per metric.

        Parameters
        ----------
        digits : int, default=None
            Number of decimals. If `None`, two digits of the smallest half width of an interval.

        Returns
        -------
        Table
            Means, intervals, standard errors and numbers of queries.
        """
        names, level = self.metrics, write_level(self.confidence_level)
        unit = "queries" if self.clusters is None else f"{len(np.unique(self.clusters))} clusters of queries"
        traits = {name: each.traits for name, each in self._summaries.items()}
        decimals = share_decimals({name: [each] for name, each in self.interval.items()}, traits, digits)
        written = zip(*(self._write(name, decimals[name]) for name in names))
        rows = [
            (name, each.mean, *self.interval[name], each.standard_error, each.n_defined, each.n_empty)
            for name, each in self.moments.items()
        ]
        keys = "metric", "mean", "low", "high", "standard_error", "n_defined", "n_empty"
        columns = dict(zip(keys, map(list, zip(*rows))))
        counts = (list(map("{:,}".format, columns[key])) for key in keys[-2:])
        heads = "metric", "mean", f"{level} CI", "SE", "queries", "no relevant docs"
        texts = dict(zip(heads, (names, *written, *counts)))
        notes = (*note_directions(traits), *self._note_few(), *self._note_others(decimals))
        caption = f"{count_queries(self.n_queries)}, {level} confidence intervals over {unit}"
        table = Table(columns, texts, caption, notes, ("no relevant docs", "SE"))
        sets = self._label_sets
        return table if sets is None else add_columns(table, self.model_labels, len(sets.model.ids))

    def _write(self, metric: str, digits: int) -> tuple[str, str, str]:
        """Return the texts of a mean, its interval and its standard error."""
        mean, interval = write(self.mean[metric], digits), self.interval[metric]
        if np.isnan(interval).all():  # of one query or cluster
            return mean, "", ""
        mark = MARK * self.is_small_sample[metric]
        return mean, write_interval(interval, digits, mark), write(self.standard_error[metric], digits)

    def _note_few(self) -> tuple[str, ...]:
        """Return the footnote of intervals of small samples, and that of missing intervals, if any."""
        unit, values = ("queries", "of their") if self.clusters is None else ("clusters", "query")
        few = f"fewer than {FEW_UNITS} {unit}, or fewer than {FEW_VALUES} {values} values differ"
        apart = "from 1, or from the model's" if self.model_labels else "from 1"
        note = f"{MARK} The interval may be too narrow: {few} from 0 (or {apart})."
        missing = {name for name, each in self.interval.items() if np.isnan(each).all()}
        is_marked = any(self.is_small_sample[name] for name in self.metrics if name not in missing)
        alone = f"One {'query' if self.clusters is None else 'cluster'} has no interval."
        return *[note] * is_marked, *[alone] * any(self.n_defined[name] for name in missing)

    def _note_others(self, decimals: Mapping[str, int]) -> Iterator[str]:
        """Yield notes on metrics over all queries together, on folds, and on what does not count."""
        all_together, ends = "Metrics over all queries together", self.list_metrics_interval
        values = {name: f"{name} {value:.3f}" for name, value in self.list_metrics.items()}
        if known := [f"{values[name]} {write_interval(each, 3)}" for name, each in ends.items()]:
            of = f"with {write_level(self.confidence_level)} CI for as many users as these (jackknife)"
            yield f"{all_together}, {of}: {', '.join(known)}."
        if others := [value for name, value in values.items() if name not in ends]:
            yield f"{all_together}, without an interval: {', '.join(others)}."
        if self.n_without_rows:
            yield f"Excluded: {count_queries(self.n_without_rows)} of `missed` without rows."
        if self.fold_names:
            means = (self.mean_over_folds or {}).items()
            shown = ", ".join(f"{name} {write(mean, decimals[name])}" for name, mean in means)
            over = f"Mean over {count_of(len(self.fold_names), 'fold')}"
            yield f"{over}: {shown}. The table has means over queries."
        yield from (f"{CATALOG_NOTES[key]}: {n}." for key, n in self.catalog_counts.items() if n)

    def to_dict(self) -> Options:
        """Return the summary as a dict that can be written as JSON, with None instead of NaN.

        Returns
        -------
        dict
            "n_queries", "confidence_level", "metrics" with the numbers of each metric, and "list_metrics",
            "list_metrics_interval" and "mean_over_folds" if any.
        """
        names = "mean", "standard_error", "interval", "n_defined", "n_empty"
        of_metrics = {
            metric: {name: getattr(self, name)[metric] for name in names} for metric in self.metrics
        }
        for metric, each in self.model_labels.items():
            of_metrics[metric] |= each._asdict()
        known = {"n_queries": self.n_queries, "confidence_level": self.confidence_level}
        of_all = {name: getattr(self, name) for name in ("list_metrics", "list_metrics_interval")}
        of_all["mean_over_folds"] = self.mean_over_folds if self.fold_names else None
        return as_json(
            known | {"metrics": of_metrics} | {name: each for name, each in of_all.items() if each}
        )
