"""Evaluation of rows: `evaluate` returns a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import fail, kind_of
from .._checks.missed import MissedLabels
from .._checks.options import pick
from .._checks.types import (
    ArrayLike,
    ById,
    Discount,
    Features,
    Gain,
    Ids,
    Labels,
    MeanAverage,
    Metrics,
    RandomState,
    Table,
    TieRule,
    Unjudged,
    Values,
)
from ..metrics import SHARED, Given, Tables, read_entries, read_labels
from ..reports import RankingReport, Settings, Wanted, report_rows


@explain_parameters
def evaluate(
    y_true: ArrayLike | str,
    y_score: ArrayLike | str,
    *,
    groups: ArrayLike | str | None = None,
    metrics: Metrics,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: MeanAverage = "macro",
    sample_weight: ArrayLike | str | None = None,
    missed: MissedLabels | None = None,
    cluster: ById | str | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
    data: Table = None,
    n_jobs: int | None = None,
    items: ArrayLike | str | None = None,
    features: Features = None,
    popularity: Table = None,
    history: Table = None,
    intents: Labels = None,
    strata: ArrayLike | str | None = None,
    labels: Mapping[str, ArrayLike | str] | None = None,
) -> RankingReport:
    """Compute metrics with confidence intervals, and keep the value of each query.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, ties, unjudged, zero_division, sample_weight, missed
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in :func:`ranking_scores`, but `None` is not allowed.
    cluster : array-like of shape (n_rows,), mapping or pandas.Series, default=None
        Cluster of each row, or of each query by query id; for 2-D input, one entry per query. Queries of a
        cluster, such as a user, session or day, are not independent, so standard errors and intervals are
        computed over clusters. All rows of a query must have the same cluster.
    confidence_level : float, default=0.95
        Confidence level of the intervals, in (0, 1).
    interval : {"t", "bootstrap"}, default="t"
        How to compute intervals: "t" uses the t distribution, "bootstrap" the studentized bootstrap over
        queries or clusters. The hit rate has Wilson's interval if every query has the value 0 or 1. All
        intervals are inside the range of the metric.
    n_resamples : int, default=2000
        Number of bootstrap resamples, from 100 to 10**7.
    random_state : int, RandomState or None, default=0
        Seed of the bootstrap. If `None`, each call returns slightly different intervals.
    data : frame, path, dataset, reader, LazyFrame, iterator of frames or Dask DataFrame, default=None
        Data whose columns are named by `y_true`, `y_score`, `groups`, `sample_weight` and `cluster`. If
        `None`, these are arrays. A frame is a pandas, polars or pyarrow table or a dict of columns. pyarrow
        reads other data: a Parquet file, a list of Parquet files, a folder of Parquet files (in the order of
        their names), a pyarrow dataset or reader, an exporter of an Arrow stream, a polars LazyFrame or an
        iterator of frames. If these have at least 2**20 rows (1,048,576), they are read in batches, so the
        rows of each query must be adjacent. `cluster` must then be `None`. The partitions of a Dask DataFrame
        are computed and scored by Dask, so ids must ascend over partitions; its index can contain the ids.
        For a progress bar, or to keep only sums, use :meth:`RankingEvaluator.read`.
    n_jobs : int, default=None
        Number of threads, as in :func:`ranking_scores`. With several threads, the next rows of Parquet files
        are read while others are scored.
    items, features, popularity, history, intents, strata
        As in :func:`ranking_scores`, for metrics that need them. For data in batches, use
        :meth:`RankingEvaluator.update` instead. If `data` is a frame, pass names of columns, and lists of
        names for `features` and `intents`. `history` is never a name.
    labels
        As in :func:`ranking_scores`. With `data`, the names of columns. By default, a scorer with
        ``labels="revenue"`` uses the column of this name.

    Returns
    -------
    RankingReport
        Report with the same means as :func:`ranking_scores`. Its intervals are for the mean over the
        population of queries, with these predictions; they do not include the variation from training the
        model.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing, or if `data` lacks a named column.

    References
    ----------
    Intervals of proportions: Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 1927. Studentized bootstrap: Davison and Hinkley, "Bootstrap methods and their application", 1997.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_predict, evaluate
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> y_score = cross_val_predict(Ridge(), X, y, groups=qid)
    >>> print(evaluate(y, y_score, groups=qid, metrics=["ndcg@10", "mrr"]))
    100 queries, 95% confidence intervals over queries
    metric    mean          95% CI     SE  queries  no relevant docs
    ndcg@10  0.839  [0.810, 0.868]  0.015      100                 0
    mrr      0.966  [0.938, 0.994]  0.014      100                 0
    """
    if average is None:
        fail("average", "be 'macro', 'micro' or 'weighted'", None)
    options = pick(SHARED, locals())
    metrics = read_entries(metrics)
    rows = Given(y_true, y_score, groups, sample_weight, missed, read_labels(metrics, labels, data))
    settings = Settings(confidence_level, interval, n_resamples, random_state)
    wanted = Wanted(metrics, options, settings, cluster, n_jobs)
    tables = Tables(items, features, popularity, history, intents, strata=strata)
    if data is None:
        return report_rows(rows, tables, wanted)
    if groups is None:
        fail("groups", "be the name of the column of query ids in 'data'", None, "Pass groups='qid'.")
    return (_report_frame if _is_frame(data) else _report_batches)(data, rows, tables, wanted)


def _report_frame(data: Table, names: Given, tables: Tables, wanted: Wanted) -> RankingReport:
    """Evaluate columns of a frame."""
    from ..distributed import check_names

    columns = {**names.columns(), "cluster": wanted.cluster}
    check_names(_list_names(data), columns)
    cluster = None if wanted.cluster is None else data[wanted.cluster]
    given = names.map(data.__getitem__)
    return report_rows(given, _read_tables(data, tables), wanted._replace(cluster=cluster))


def _report_batches(data: Table, names: Given, tables: Tables, wanted: Wanted) -> RankingReport:
    """Evaluate columns of data that are read in batches."""
    from ..distributed import report_data

    for parameter, given in {**tables.given(), "cluster": wanted.cluster}.items():
        if given is not None:
            of_evaluator = f"Call RankingEvaluator.update(..., {parameter}=...) for each batch."
            is_other = parameter in ("cluster", "strata")
            fix = "Read the rows into a frame." if is_other else of_evaluator
            fail(parameter, "be None if rows are read in batches", kind_of(given), fix)
    options = {**wanted.options, **wanted.settings._asdict(), "n_jobs": wanted.n_jobs}
    return report_data(data, names, wanted.metrics, options)


def _is_frame(data: Table) -> bool:
    """Return whether data is in memory and has named columns."""
    # A DuckDB query also has columns, but they are not arrays, so its rows are fetched.
    if hasattr(data, "__dask_graph__") or hasattr(data, "fetchall"):
        return False
    names = ("__len__", "__getitem__", "columns")
    return isinstance(data, Mapping) or all(hasattr(data, name) for name in names)


def _list_names(data: Table) -> list[Any]:
    return list(data if isinstance(data, Mapping) else getattr(data, "column_names", data.columns))


def _read_tables(data: Table, tables: Tables) -> Tables:
    """Replace names by the columns that they name."""
    found = {name: _read_columns(data, name, each) for name, each in tables.given().items()}
    if isinstance(tables.popularity, str):
        found["popularity"] = _by_item(found.get("items"), found["popularity"])
    return tables._replace(**found)


def _read_columns(data: Table, parameter: str, given: Any) -> Any:
    """Return the column of a name, or a 2-D array for a list of names; return anything else unchanged."""
    from ..distributed import check_names

    is_matrix = parameter in ("features", "intents")
    names = [given] if isinstance(given, str) else given
    are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if parameter == "history" or not are_names or not (is_matrix or isinstance(given, str)):
        return given
    if not names:
        fail(parameter, "be a non-empty list of columns of 'data'", names)
    for name in names:
        check_names(_list_names(data), {parameter: name})
    return np.column_stack([np.asarray(data[name]) for name in names]) if is_matrix else data[given]


def _by_item(items: Ids, numbers: Values) -> dict[Any, Any]:
    """Return the popularity of each item, which is the same in all its rows."""
    if items is None:
        rule = "be passed if 'popularity' is a column of 'data'"
        fail("items", rule, None, "Pass items='item', the name of a column.")
    found: dict[Any, Any] = {}
    for item, number in zip(*(np.asarray(each).tolist() for each in (items, numbers))):
        if found.setdefault(item, number) != number:
            rule = "be the same in all rows of an item"
            fail("popularity", rule, f"{found[item]!r} and {number!r} for {item!r:.60}")
    return found
