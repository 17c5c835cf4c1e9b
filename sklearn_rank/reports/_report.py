"""A report: means over queries with their intervals, the value of each query, and reports of segments.

Reports are made from rows, as by `evaluate`, or from moments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .._checks.codes import first_rows, rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import check_count, fail, name_call
from .._checks.groups import check_groups
from .._checks.types import Arguments, ArrayLike, ById, Groups, Labels, Options, RandomState
from ..metrics import (
    Given,
    Request,
    ScoredQueries,
    Tables,
    align_labels,
    ask,
    check_kept,
    conclude_lists,
    score_queries,
    take_by_index,
    unique_groups,
)
from ._equal import find_scale, order_equal, rank_equal
from ._intervals import (
    BinaryCounts,
    Difference,
    Moments,
    Settings,
    Summary,
    Wanted,
    check_settings,
    compare_to_rest,
    find_terms,
    find_traits,
    summarize,
    summarize_moments,
)
from ._reported_queries import (
    OfSystem,
    PairsByName,
    QueryValues,
    as_json,
    check_metric,
    count_rows,
    read_aligned,
    read_metric,
    read_moments,
)
from ._tables import (
    FEW,
    MARK,
    Printed,
    Table,
    count_queries,
    decimals_of,
    make_frame,
    write,
    write_column,
    write_interval,
    write_signed,
)


class SegmentReports(Printed, dict[Any, "RankingReport"]):
    """Reports by segment, printed with the worst segment of each metric first.

    Attributes
    ----------
    rest : dict
        By segment and metric, the difference to the mean of all other queries, with its interval by Welch's
        t: `value` and `interval`.
    """

    def __init__(self, segments: Mapping[Any, RankingReport], rest: Mapping[Any, Mapping[str, Difference]]):
        super().__init__(segments)
        self.rest = dict(rest)

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentReports, (dict(self), self.rest)

    def table(self) -> Table:
        """Return what is printed: a row a metric and segment, the worst segment first."""
        rows: list[tuple[Any, ...]] = []
        texts: list[tuple[str, ...]] = []
        for metric in next(iter(self.values())).metrics:
            sign = 1 if find_traits(metric).greater_is_better else -1
            means = np.array([sign * each.mean[metric] for each in self.values()])
            order = np.argsort(rank_equal(means, find_scale(means)), kind="stable")
            names = list(self)
            for name in (names[place] for place in order):  # segments without a mean come last
                report, rest = self[name], self.rest[name][metric]
                n, mean = report.n_queries, report.mean[metric]
                rows.append((metric, name, n, mean, *report.interval[metric], rest.value, *rest.interval))
                apart = decimals_of(rest.interval)
                difference = f"{write_signed(rest.value, apart)} {write_interval(rest.interval, apart)}"
                texts.append((metric, str(name), str(n), *report._write(metric)[:2], difference))
        heads = "metric", "segment", "queries", "mean", "low", "high", "to_rest", "rest_low", "rest_high"
        shown = "metric", "segment", "queries", "mean", "interval", "to the rest"
        level = f"{100 * next(iter(self.values())).confidence_level:g} %"
        return Table(
            dict(zip(heads, map(list, zip(*rows)))),
            dict(zip(shown, map(list, zip(*texts)))),
            f"{len(self)} segments, {level} intervals, the worst first",
            (FEW,) if any(each._any_few() for each in self.values()) else (),
        )


class RankingReport(Printed):
    """Metrics over queries: means, how well they are known, and the value of each query.

    Made by :func:`evaluate`, :func:`cross_val_report`, :meth:`from_values` or :meth:`from_moments`.

    Attributes
    ----------
    metrics : tuple of str
        The names of the metrics.
    mean, standard_error : dict of str to float
        By metric.
    interval : dict of str to tuple of float
        By metric, the lower and the upper end, inside the range of the metric.
    n_queries : int
        Number of queries.
    n_defined : dict of str to int
        By metric, the queries that have a value: the mean is over these.
    n_empty : dict of str to int
        By metric, the queries with nothing to find. They have the value `zero_division`, or none. Of values
        from elsewhere, without `n_relevant`, those that have no value.
    ids : ndarray of shape (n_queries,) or None
        The query ids, sorted. None where there are moments alone.
    values : dict of str to ndarray of shape (n_queries,)
        By metric, the value of each query in the order of `ids`; NaN where it has none. To be read alone: a
        copy may be changed.
    sizes, n_relevant : ndarray of shape (n_queries,) or None
        Rows and relevant documents of each query.
    folds : ndarray of shape (n_queries,) or (n_queries, n_repeats), or None
        The fold in which each query was tested.
    clusters : ndarray of shape (n_queries,) or None
        The cluster of each query, as a number.
    confidence_level : float
        Of the intervals.
    of_lists : dict of str to float
        What is of all lists together, by name, such as "catalog_coverage@10": it has no value per query, and
        so no interval. Segments have none of it, and comparisons leave it out.

    Examples
    --------
    >>> from sklearn_rank import RankingReport
    >>> report = RankingReport.from_values(["a", "b", "c"], {"mrr": [1, 0.5, 0.25]})
    >>> print(report)
    3 queries, 95 % intervals over queries
    metric  mean  interval       s.e.  values  nothing to find
    mrr     0.58  [0.00, 1.00]*  0.22       3                0
    * of fewer than 20, or of fewer than 5 values other than 0 or other than 1: may be too narrow
    """

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
        self.confidence_level = settings.confidence_level
        self._summaries = dict(summaries)
        self._settings = settings
        self._queries = None if queries is None else queries.freeze()
        kept: Sequence[np.ndarray | None] = (queries.ids, *queries[2:]) if queries else [None] * 5
        self.ids, self.sizes, self.n_relevant, self.folds, self.clusters = kept
        self.of_lists: dict[str, float] = {}
        self._of_system: OfSystem | None = None  # for moments that were made with those of other systems

    @cached_property
    def interval(self) -> dict[str, tuple[float, float]]:
        """Return the intervals, which are made when they are first asked for."""
        return {name: each.interval for name, each in self._summaries.items()}

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Return the values of the queries."""
        return {name: each.values for name, each in self._need_values().metrics.items()}

    def is_of_few(self, metric: str) -> bool:
        """Tell whether an interval is of too few queries, or values other than 0 or 1, to keep its word."""
        return metric in self._summaries and self._summaries[metric].of_few

    def _need_values(self) -> QueryValues:
        if self._queries is None:
            raise ValueError(
                f"{name_call()} needs the value of each query, and this report was made from moments. "
                "Make it by evaluate(...) or RankingReport.from_values(ids, values)."
            )
        return self._queries

    @classmethod
    def from_values(
        cls,
        ids: ArrayLike,
        values: Arguments,
        *,
        weights: ById | None = None,
        sizes: ById | None = None,
        n_relevant: ById | None = None,
        folds: ById | None = None,
        clusters: ById | None = None,
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = None,
    ) -> RankingReport:
        """Make a report of values of queries, from wherever they come.

        Parameters
        ----------
        ids : array-like of shape (n_queries,)
            The query ids, each once, in any order and of any sortable type.
        values : dict of str to array-like of shape (n_queries,)
            By metric, the value of each query; NaN where it has none. Names of this package's metrics give
            the range of the values and say whether lower is better; others may be any, and higher is better.
            A mapping, or a pandas Series with the ids as index, is read by id, as are the parameters below.
            An index of integers must have a name, or be equal to `ids`, because integers can be row numbers.
        weights : array-like of shape (n_queries,), default=None
            Of the queries in all means; None for equal ones.
        sizes, n_relevant : array-like of int of shape (n_queries,), default=None
            Rows and relevant documents of each query.
        folds : array-like of int of shape (n_queries,) or (n_queries, n_repeats), default=None
            The fold in which each query was tested.
        clusters : array-like of shape (n_queries,), default=None
            What queries belong together and are not independent, such as the user of each.
        confidence_level, interval, n_resamples, random_state
            As in :func:`evaluate`.

        Returns
        -------
        RankingReport
            With the queries in the order of their ids.

        Raises
        ------
        ValueError
            If an id occurs twice, shapes differ, or an argument breaks a rule above.
        """
        settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
        n_queries = count_rows(ids)
        order = first_rows(rank_ids(check_groups(ids, n_queries, "ids")))
        if len(order) < n_queries or not n_queries:
            twice = f"{n_queries - len(order)} of {n_queries} a second time" if n_queries else "none"
            fail("ids", "hold the id of each query once, and at least one", twice)
        if not isinstance(values, Mapping) or not values:
            fail("values", "be a dict of names of metrics to values", f"a {type(values).__name__}")
        columns: Options = {"weights": weights, "sizes": sizes, "n_relevant": n_relevant}
        columns |= {"folds": folds, "clusters": clusters}
        check_same_order(ids=ids, **columns)
        for each in values.values():
            check_same_order(ids=ids, values=each)
        columns = {name: take_by_index(each, ids, name) for name, each in columns.items()}
        read = [read_aligned(each, name, n_queries) for name, each in columns.items()]
        metrics = {
            name: read_metric(name, take_by_index(each, ids, "values"), read[0], read[2], n_queries)
            for name, each in values.items()
        }
        queries = QueryValues(np.empty(n_queries), metrics, *read[1:]).take(order)
        return cls._of(queries._replace(ids=unique_groups(ids)), settings)

    @classmethod
    def _of(cls, queries: QueryValues, settings: Settings) -> RankingReport:
        found = queries.metrics.items()
        summaries = {name: summarize(name, each, queries.clusters, settings) for name, each in found}
        return cls(summaries, settings, queries)

    @classmethod
    def from_moments(cls, moments: Mapping[str, Moments], *, confidence_level: float = 0.95) -> RankingReport:
        """Make a report of moments alone, without the value of each query.

        Parameters
        ----------
        moments : dict of str to Moments
            By metric.
        confidence_level : float, default=0.95
            Of the intervals, which are those of the t distribution.

        Returns
        -------
        RankingReport
            It has no `values`: :meth:`worst`, :meth:`by` and the like say so.

        Raises
        ------
        ValueError
            If an argument breaks a rule above.
        """
        settings = check_settings(Settings(confidence_level))
        read = read_moments(moments)
        return cls({name: summarize_moments(name, settings, each) for name, each in read.items()}, settings)

    def by(self, labels: Labels, *, groups: Groups = None) -> SegmentReports:
        """Report each segment of the queries by itself.

        Parameters
        ----------
        labels : mapping, pandas.Series or array-like of shape (n_rows,)
            The segment of each query, by query id; or with `groups` that of each row,
            ``by(frame["market"], groups=frame["query"])``, the same for all rows of a query. The order of an
            array with one label per query cannot be checked: pass ``dict(zip(ids, labels))``. An
            index of integers must have a name, ``labels.rename_axis("query")``: row numbers are not ids.
        groups : array-like of shape (n_rows,), default=None
            The query id of each row, where `labels` are of rows.

        Returns
        -------
        SegmentReports
            A dict of the label of a segment to its report, which prints as a table.

        Raises
        ------
        ValueError
            If `labels` lack a query, vary inside one, or are an array without `groups`.

        Examples
        --------
        >>> from sklearn_rank import RankingReport
        >>> report = RankingReport.from_values([1, 2, 3, 4], {"mrr": [1, 0.5, 0.25, 0.5]})
        >>> age = {1: "new", 2: "old", 3: "new", 4: "old"}
        >>> {name: segment.mean["mrr"] for name, segment in report.by(age).items()}
        {'new': 0.625, 'old': 0.5}
        """
        queries = self._need_values()
        of_rows = ", or have one entry per row with groups=qid"
        codes, names = align_labels(labels, groups, queries.ids, of_rows=of_rows)
        rest, segments = {}, {}
        terms = {metric: find_terms(each) for metric, each in queries.metrics.items()}
        if names.dtype == "M8[ns]":  # Python has no dates in nanoseconds
            names = names.astype("M8[us]")
        for code, name in enumerate(names.tolist()):
            inside = codes == code
            segments[name] = self._of(queries.take(np.flatnonzero(inside)), self._settings)
            rest[name] = {
                metric: compare_to_rest(each, queries.clusters, inside, self.confidence_level)
                for metric, each in terms.items()
            }
        return SegmentReports(segments, rest)

    def worst(self, metric: str, n: int = 10) -> Table:
        """List the queries with the worst values of a metric.

        Parameters
        ----------
        metric : str
            One of `metrics`.
        n : int, default=10
            How many queries.

        Returns
        -------
        Table
            The worst first, with the values of all metrics; equal ones in the order of the ids.

        Raises
        ------
        ValueError
            If the report has no such metric, or moments alone.
        """
        queries = self._need_values()
        check_metric(metric, self.metrics)
        check_count(n, 1, "n")
        order = order_equal(queries.metrics[metric], find_traits(metric).greater_is_better)[:n]
        columns = queries.take(order).columns()
        digits = decimals_of(self.interval[metric])
        texts = {name: write_column(each, digits) for name, each in columns.items()}
        return Table(columns, texts, f"The {len(order)} of {self.n_queries} queries with the worst {metric}")

    def to_frame(self, library: str | None = None) -> Any:
        """Return one row a query: its id, size, number of relevant documents, and values.

        Parameters
        ----------
        library : {"pandas", "polars"} or None, default=None
            None: pandas, or polars where pandas is not installed.

        Returns
        -------
        DataFrame
            Of `n_queries` rows, in the order of the ids.
        """
        return make_frame(self._need_values().columns(), library)

    def table(self) -> Table:
        """Return what is printed: a row a metric."""
        names = list(self.metrics)
        level = f"{100 * self.confidence_level:g} %"
        unit = "queries" if self.clusters is None else f"{len(np.unique(self.clusters))} clusters of queries"
        counts = {"values": self.n_defined, "nothing to find": self.n_empty}
        columns: Options = {
            "metric": names,
            "mean": list(self.mean.values()),
            "low": [self.interval[name][0] for name in names],
            "high": [self.interval[name][1] for name in names],
            "standard_error": list(self.standard_error.values()),
            **{name: list(each.values()) for name, each in counts.items()},
        }
        texts = {
            "metric": names,
            **dict(zip(("mean", "interval", "s.e."), zip(*map(self._write, names)))),
            **{name: list(map(str, each.values())) for name, each in counts.items()},
        }
        notes = (FEW,) if self._any_few() else ()
        if self.of_lists:
            written = ", ".join(f"{name} {value:.3f}" for name, value in self.of_lists.items())
            notes = (*notes, f"of all lists together, without an interval: {written}")
        return Table(columns, texts, f"{count_queries(self.n_queries)}, {level} intervals over {unit}", notes)

    def _write(self, metric: str) -> tuple[str, str, str]:
        """Return the texts of a mean, its interval and its standard error."""
        interval = self.interval[metric]
        digits, mark = decimals_of(interval), MARK if self.is_of_few(metric) else ""
        error = write(self.standard_error[metric], digits)
        return write(self.mean[metric], digits), write_interval(interval, digits, mark), error

    def _any_few(self) -> bool:
        return any(map(self.is_of_few, self.metrics))

    def __repr__(self) -> str:
        return f"<RankingReport of {self.n_queries} queries: {', '.join(self.metrics)}>"

    def to_dict(self) -> Options:
        """Return the summary as what JSON holds; what is not a number as None.

        Returns
        -------
        dict
            "n_queries", "confidence_level", "metrics" with the numbers of each, and "of_lists", if any.
        """
        of_metrics = {
            name: {
                "mean": as_json(self.mean[name]),
                "standard_error": as_json(self.standard_error[name]),
                "interval": [as_json(end) for end in self.interval[name]],
                "n_defined": self.n_defined[name],
                "n_empty": self.n_empty[name],
            }
            for name in self.metrics
        }
        known = {
            "n_queries": self.n_queries,
            "confidence_level": self.confidence_level,
            "metrics": of_metrics,
        }
        of_lists = {name: as_json(value) for name, value in self.of_lists.items()}
        return known | ({"of_lists": of_lists} if of_lists else {})


def report_rows(given: Given, tables: Tables, wanted: Wanted) -> RankingReport:
    """Score the queries of rows, with all inputs of the metrics, and report them."""
    check_settings(wanted.settings)
    requests = ask(wanted.metrics, wanted.options, given, tables)
    check_reported(requests)
    of_rows = wanted.options["min_relevance"], wanted.cluster, wanted.n_jobs
    found = score_queries(requests, given, *of_rows, tables)
    report = report_queries(found, wanted.settings)
    report.of_lists = conclude_lists(requests, found.counts)
    return report


def check_reported(requests: Sequence[Request]) -> None:
    """Check that all metrics have values of queries, whose means can be reported."""
    check_kept([request.rules.average for request in requests if request.metric.needs])
    if not any(request.metric.per_query for request in requests):
        rule = "hold a metric that has a value per query; ranking_scores takes those of all lists together"
        fail("metrics", rule, repr([request.name for request in requests]))


def report_queries(found: ScoredQueries, settings: Settings) -> RankingReport:
    """Report scored queries, in any order."""
    return RankingReport.from_values(
        found.ids,
        found.metrics,
        sizes=found.sizes,
        n_relevant=found.n_relevant,
        clusters=found.clusters,
        **settings._asdict(),
    )


def report_moments(found: Mapping[str, tuple[Moments, BinaryCounts]], settings: Settings) -> RankingReport:
    """Report moments of values with binary counts, which `RankingReport.from_moments` does not take."""
    summaries = {name: summarize_moments(name, settings, *each) for name, each in found.items()}
    return RankingReport(summaries, settings)


def relate_reports(reports: Mapping[Any, RankingReport], pairs: PairsByName) -> None:
    """Attach the paired moments of each two systems, if any, to their reports."""
    for system, report in reports.items():
        report._of_system = OfSystem(system, pairs) if pairs else None
