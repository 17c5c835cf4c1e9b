"""A report: means over queries with their intervals, the value of each query, and reports of segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import is_sparse, read_list
from .._checks.codes import first_rows, rank_ids
from .._checks.containers import check_same_order, count_rows
from .._checks.errors import fail, kind_of
from .._checks.groups import check_groups, take_ids
from .._checks.types import Arguments, ArrayLike, ById, Groups, Labels, Options, RandomState
from ..metrics import LOWER, take_by_index, unique_groups
from ._folds import join_folds
from ._intervals import Settings, check_settings, find_terms, summarize
from ._model_labels import combine_labels, match_labels
from ._report_json import OTHERS, read_report, write_report
from ._report_table import ReportTable
from ._reported_queries import QueryValues, list_names, read_aligned, read_metric
from ._segments import SegmentReports, align_segments, compare_to_rest


class RankingReport(ReportTable):
    """Metrics over queries: means with standard errors and intervals, and the value of each query.

    Made by :func:`evaluate`, :func:`cross_val_report`, :class:`RankingEvaluator` or :meth:`from_values`.

    Attributes
    ----------
    metrics : tuple of str
        Names of the metrics.
    mean, standard_error : dict of str to float
        Mean of each metric over the queries, and its standard error.
    interval : dict of str to tuple of float
        Confidence interval of each mean: its lower and upper end, inside the range of the metric.
    n_queries : int
        Number of queries.
    n_defined : dict of str to int
        By metric, number of queries that have a value. The mean is over these queries.
    n_empty : dict of str to int
        By metric, number of queries without a relevant document. Their value is `zero_division`, or
        undefined. If `n_relevant` is unknown, this is the number of queries without a value.
    is_small_sample : dict of str to bool
        By metric, whether the interval might be too narrow because of few queries or few distinct values.
        Printed tables mark it.
    ids : ndarray of shape (n_queries,) or None
        Sorted query ids, or None in a report of moments.
    values : dict of str to ndarray of shape (n_queries,)
        By metric, the value of each query in the order of `ids`, or NaN if it has none. Read-only.
    sizes, n_relevant : ndarray of shape (n_queries,) or None
        Number of rows and of relevant documents of each query.
    folds : ndarray of shape (n_queries,) or (n_queries, n_repeats), or None
        The fold in which each query was tested.
    mean_over_folds : dict of str to float or None
        Mean of each metric over the folds, as of `cross_val_score`. None if `folds` is not of shape
        (n_queries,).
    fold_names : tuple of str
        Names of the folds in a report of :meth:`concat`, otherwise empty.
    clusters : ndarray of shape (n_queries,) or None
        The cluster of each query, as an integer.
    label_fingerprints : ndarray of shape (n_queries,) or None
        Fingerprints of each query, which show whether two reports have the same labels, and tied scores.
    confidence_level : float
        Confidence level of the intervals.
    list_metrics : dict of str to float
        Values of metrics over the rankings of all queries together, such as "catalog_coverage@10". They have
        no value per query, so they are not in segments.
    list_metrics_interval : dict of str to tuple of float
        Confidence intervals of catalog coverage and Gini coefficient by the jackknife over queries or
        clusters. Both depend on the number of users, so the intervals are for as many users as these.
    n_without_rows : int
        Number of queries of `missed` that have no rows. They are not among the queries of the report.
    catalog_counts : dict of str to int
        In a report of :func:`catalog_scorer`, the sums over folds of four counts of test sets: "n_repeats",
        pairs that were excluded because they are training pairs too; "n_new_items", pairs whose item the
        model does not have, which count as missed; "n_new_users", users without training pairs; and
        "n_finished_users", users of whom all pairs were excluded. The printed report contains those above 0.
    model_labels : dict of str to ModelLabels
        Empty, except after :meth:`with_model_labels`. By metric, the part of the model in the mean:
        `model_mean` over all its queries, the `slope` of human values on the model's values, their
        `correlation`, `worth` in queries, the `z` of the labeled queries, and `n_apart`, the number of
        labeled queries whose two values differ.

    Examples
    --------
    >>> from sklearn_rank import RankingReport
    >>> report = RankingReport.from_values(["a", "b", "c"], {"mrr": [1, 0.5, 0.25]})
    >>> print(report)
    3 queries, 95% confidence intervals over queries
    metric  mean         95% CI    SE  queries  no relevant docs
    mrr     0.58  [0.00, 1.00]*  0.22        3                 0
    * The interval may be too narrow: fewer than 20 queries, or fewer than 5 of their values differ from 0
    (or from 1).
    """

    @classmethod
    @explain_parameters
    def from_values(
        cls,
        ids: ArrayLike,
        values: Arguments,
        *,
        weights: ById | None = None,
        sizes: ById | None = None,
        n_relevant: ById | None = None,
        folds: ById | None = None,
        cluster: ById | None = None,
        label_fingerprints: np.ndarray | None = None,
        lower_is_better: Iterable[str] | None = None,
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> RankingReport:
        """Make a report from the values of queries, from any source.

        Parameters
        ----------
        ids : array-like of shape (n_queries,)
            Query ids, each only once, in any order and of any sortable type.
        values : dict of str to array-like of shape (n_queries,)
            By metric, the value of each query, or NaN if it has none. If a name is a metric of this package,
            it determines the range of the values and whether lower is better. Of other names, lower is better
            if the last word is loss, logloss, error, mae, mse, rmse, mape, brier or ece, as in "log_loss",
            and the first one is not neg; see `lower_is_better`. A mapping, or a pandas Series with the ids as
            index, is matched by id, also for the parameters below. An integer index must have a name or be
            equal to `ids`, because integers can be row numbers.
        weights : array-like of shape (n_queries,), default=None
            Query weights in all means. If `None`, all queries have the same weight.
        sizes, n_relevant : array-like of int of shape (n_queries,), default=None
            Number of rows and of relevant documents of each query.
        folds : array-like of int of shape (n_queries,) or (n_queries, n_repeats), default=None
            The fold in which each query was tested.
        cluster : array-like of shape (n_queries,), default=None
            Cluster of each query, such as its user. Queries in the same cluster are not independent.
        label_fingerprints : ndarray of shape (n_queries,), default=None
            The attribute of a report of the same queries and labels, in the order of `ids`, so that
            :func:`compare` can check the labels.
        lower_is_better : iterable of str, default=None
            Names of all metrics in `values` of which lower values are better, except metrics of this package.
            If `None`, the direction is read from the names.
        confidence_level, interval, n_resamples, random_state
            As in :func:`evaluate`.

        Returns
        -------
        RankingReport
            Report with the queries in the order of their ids.
        """
        settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
        n_queries = count_rows(ids, "ids")
        order = first_rows(rank_ids(check_groups(ids, n_queries, "ids")))
        if len(order) < n_queries or not n_queries:
            got = f"{n_queries} ids, {n_queries - len(order)} of them repeated"
            fix = "For one row per document, call evaluate(y_true, y_score, groups=ids, metrics=[...])."
            fail("ids", "contain each query id once, and at least one id", got, fix)
        if not isinstance(values, Mapping) or is_sparse(values) or not values:
            got = "an empty dict" if isinstance(values, Mapping) else f"a {type(values).__name__}"
            fail("values", "be a dict of metric names to values", got, 'Pass values={"mrr": values}.')
        columns: Options = {"weights": weights, "sizes": sizes, "n_relevant": n_relevant}
        columns |= {"folds": folds, "cluster": cluster, "label_fingerprints": label_fingerprints}
        check_same_order(ids=ids, **columns)
        for each in values.values():
            check_same_order(ids=ids, values=each)
        columns = {name: take_by_index(each, ids, name) for name, each in columns.items()}
        read = [read_aligned(each, name, n_queries) for name, each in columns.items()]
        metrics = {
            name: read_metric(name, take_by_index(each, ids, "values"), read[0], read[2], n_queries)
            for name, each in values.items()
        }
        if lower_is_better is not None:
            lower = read_list(lower_is_better, "lower_is_better", "be a list of keys of 'values'")
            for name in lower:
                if name not in metrics:
                    rule = f"contain keys of 'values' ({list_names(list(metrics))})"
                    fail("lower_is_better", rule, repr(name))
            for name, metric in metrics.items():
                options = (*(metric.options or ()), f"{LOWER}{name in lower}")
                metrics[name] = metric._replace(options=options)
        cluster_ids = None if cluster is None else take_ids(columns["cluster"], np.arange(n_queries))
        queries = QueryValues(np.empty(n_queries), metrics, *read[1:5])
        queries = queries._replace(cluster_ids=cluster_ids, labels=read[5]).take(order)
        return cls._of(queries._replace(ids=unique_groups(ids)), settings)

    @classmethod
    def _of(cls, queries: QueryValues, settings: Settings) -> RankingReport:
        return cls(summarize(queries.metrics, queries.clusters, settings), settings, queries)

    @classmethod
    def concat(cls, reports: Mapping[str, RankingReport]) -> RankingReport:
        """Make one report of the test queries of several folds.

        Parameters
        ----------
        reports : dict of str to RankingReport
            The report of each fold by its name, with the same metrics and options. Each query is in one fold.
            Either all reports have weights, or none.

        Returns
        -------
        RankingReport
            Report of all queries. `mean` is over queries, `mean_over_folds` is the mean of the means of
            `reports`, and `folds` is the index of the fold of each query in `fold_names`. Intervals are over
            all queries, with the settings of the first report. Metrics in `list_metrics` are left out.

        Examples
        --------
        >>> from sklearn_rank import RankingReport
        >>> one = RankingReport.from_values(["a", "b", "c"], {"mrr": [1, 0.5, 0.75]})
        >>> other = RankingReport.from_values(["d"], {"mrr": [0.25]})
        >>> report = RankingReport.concat({"fold 1": one, "fold 2": other})
        >>> report.mean, report.mean_over_folds
        ({'mrr': 0.625}, {'mrr': 0.5})
        """
        folds = list(reports.values()) if isinstance(reports, Mapping) else []
        if not folds or not all(isinstance(each, RankingReport) for each in folds):
            got = kind_of(next((each for each in folds if not isinstance(each, RankingReport)), reports))
            fail("reports", "be a dict of names to reports", got, 'Pass reports={"fold 1": report}.')
        for each in folds:
            each._need_one_set("Join the reports of people and those of the model before.")
        joined = join_folds({name: each._need_values() for name, each in reports.items()})
        report = cls._of(joined, folds[0]._settings)
        report.fold_names = tuple(map(str, reports))
        report.n_without_rows = sum(each.n_without_rows for each in folds)
        counts = [each.catalog_counts for each in folds]
        report.catalog_counts = {key: sum(each.get(key, 0) for each in counts) for key in counts[0]}
        return report

    @classmethod
    def from_json(cls, text: str) -> RankingReport:
        """Make a report from the text that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            Text in JSON.

        Returns
        -------
        RankingReport
            Report with the same values and intervals.
        """
        summaries, settings, queries, others = read_report(text)
        report = cls(summaries, settings, queries)
        vars(report).update(others)
        return report

    def to_json(self) -> str:
        """Return the whole report in JSON, with the value of each query, for :meth:`from_json`.

        The text contains the version of its schema. Query ids must be numbers, text or dates of numpy.
        Reports of moments are written without the moments of pairs of systems, so they cannot be compared
        afterwards. Reports with model labels cannot be written; write both reports before.

        Returns
        -------
        str
            Text in JSON. For the means alone, call :meth:`to_dict`.

        Examples
        --------
        >>> from sklearn_rank import RankingReport
        >>> report = RankingReport.from_values(["a", "b", "c"], {"mrr": [1, 0.5, 0.25]})
        >>> RankingReport.from_json(report.to_json()).interval == report.interval
        True
        """
        self._need_one_set("Write both reports before they are combined.")
        others = {name: getattr(self, name) for name in OTHERS}
        return write_report(self._summaries, self._settings, self._queries, others)

    def _list_figures(self) -> list[Options]:
        return [] if self._queries is None else [{}]

    def by(self, labels: Labels, *, groups: Groups = None) -> SegmentReports[RankingReport]:
        """Report each segment of the queries separately, before :meth:`with_model_labels`.

        Parameters
        ----------
        labels : mapping, pandas.Series or array-like of shape (n_rows,)
            Segment of each query, by query id. With `groups`, segment of each row, the same for all rows of a
            query: ``by(frame["market"], groups=frame["query"])``. The order of an array with one label per
            query cannot be checked, so pass ``dict(zip(ids, labels))`` instead. An integer index must have a
            name, because integers can be row numbers: ``labels.rename_axis("query")``.
        groups : array-like of shape (n_rows,), default=None
            Query id of each row, if `labels` has one entry per row.

        Returns
        -------
        SegmentReports
            A dict of segments to their reports, which is printed as a table.

        Examples
        --------
        >>> from sklearn_rank import RankingReport
        >>> report = RankingReport.from_values([1, 2, 3, 4], {"mrr": [1, 0.5, 0.25, 0.5]})
        >>> age = {1: "new", 2: "old", 3: "new", 4: "old"}
        >>> {name: segment.mean["mrr"] for name, segment in report.by(age).items()}
        {'new': 0.625, 'old': 0.5}
        """
        queries = self._need_values()
        self._need_one_set("Call by on both reports, and with_model_labels for each segment.")
        codes, names = align_segments(labels, groups, queries.ids)
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

    def with_model_labels(self, model_report: RankingReport) -> RankingReport:
        """Combine this report of few queries labeled by people with many queries labeled by a model.

        The means are those of the human values, adjusted by regression on the model's values. The model can
        be wrong: if it is too lenient, the mean is corrected, and if it is useless, the intervals are as wide
        as without it. The queries labeled by people must be a random part of those labeled by the model.

        Parameters
        ----------
        model_report : RankingReport
            Report of the same system with the labels of a model, such as judgments of a language model,
            clicks or older labels. It must contain all queries of this report, at least five of them, and its
            metrics, with the same weights, clusters and options.

        Returns
        -------
        RankingReport
            Report with adjusted means and intervals by t, also if this report has `interval="bootstrap"`.
            Its `values` are those of the queries labeled by people. :func:`compare` uses both.

        Notes
        -----
        People must label all documents of a query; otherwise, NDCG, average precision and recall cannot be
        estimated. An error is raised if a query has fewer rows here than in `model_report`. Rows without a
        label count as rows: add the metric "judged@10", which must be 1. Leave out queries without a label.

        With the slope b of human values on the model's values, the estimate is the mean of the human values
        plus b times (the model's mean over all queries - its mean over the queries labeled by people). The
        variance is that of the residuals, each divided by 1 - leverage, plus b**2 times the variance of the
        model's mean; t has n - 2 degrees of freedom, for n queries or clusters.

        References
        ----------
        Cochran, "Sampling techniques", 1977, chapter 12. Angelopoulos, Duchi and Zrnic, "PPI++: efficient
        prediction-powered inference", 2023, has the same estimate with normal quantiles. Oosterhuis et al.,
        "Reliable confidence intervals for information retrieval evaluation using generative A.I.", KDD 2024.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_rank import RankingReport
        >>> random = np.random.RandomState(0)
        >>> judged = random.uniform(size=200)
        >>> human = {"ndcg@10": 0.9 * judged[:20] + 0.1 * random.uniform(size=20)}
        >>> report = RankingReport.from_values(range(20), human)
        >>> judge = RankingReport.from_values(range(200), {"ndcg@10": judged})
        >>> print(report.with_model_labels(judge))
        20 queries labeled by people, 200 by a model, 95% confidence intervals over
        queries
        metric    mean          95% CI  queries  correlation  worth (queries)     z
        ndcg@10  0.495  [0.453, 0.537]       20         0.99              169  +1.4
        worth: The number of queries labeled by people alone with the same SE.
        z: The model's mean of the queries labeled by people, less that of the others,
        in standard errors.
        A z near 0 does not exclude that people labeled other queries than a random
        part.
        """
        if not isinstance(model_report, RankingReport):
            fix = "Pass evaluate(model_labels, y_score, groups=groups, metrics=metrics)."
            fail("model_report", "be a RankingReport", kind_of(model_report), fix)
        if model_report._queries is None or model_report.model_labels:
            got = "a report of moments" if model_report._queries is None else "a report with model labels"
            fail("model_report", "be a report of one set of labels, with the value of each query", got)
        sets = match_labels(self._need_values(), model_report._queries)
        found = {name: combine_labels(name, sets, self._settings) for name in self.metrics}
        summaries = {name: summary for name, (summary, _) in found.items()}
        report = RankingReport(summaries, self._settings, sets.human)
        report.list_metrics, report.list_metrics_interval = self.list_metrics, self.list_metrics_interval
        report.n_without_rows = self.n_without_rows
        report.model_labels = {name: labels for name, (_, labels) in found.items()}
        report._label_sets = sets
        return report
