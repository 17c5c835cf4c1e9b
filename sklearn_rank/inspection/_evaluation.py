"""Evaluation of rows: `evaluate` returns a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import fail, is_real
from .._checks.options import check_choice, check_flag
from .._checks.types import (
    ArrayLike,
    ById,
    Discount,
    Features,
    Gain,
    Ids,
    Labels,
    MeanAverage,
    Options,
    RandomState,
    Table,
    TieRule,
    Unjudged,
    Values,
)
from ..metrics import Given, Tables, build_requests
from ..reports import RankingReport, Settings, Wanted, check_settings, report_rows

LEAST_MEMORY = 10**7  # bytes; the minimum of max_memory


@explain_parameters
def evaluate(
    y_true: ArrayLike | str,
    y_score: ArrayLike | str,
    *,
    groups: ArrayLike | str | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: MeanAverage = "macro",
    sample_weight: ArrayLike | str | None = None,
    cluster: ById | str | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: RandomState = None,
    data: Table = None,
    together: bool = True,
    keep: Literal["queries", "moments"] = "queries",
    max_memory: float | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    items: ArrayLike | str | None = None,
    features: Features = None,
    popularity: Table = None,
    history: Table = None,
    intents: Labels = None,
    owners: ArrayLike | str | None = None,
    target: Labels = None,
    strata: ArrayLike | str | None = None,
) -> RankingReport:
    """Report metrics over queries: means, how well they are known, and the value of each query.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, ties, unjudged, zero_division, sample_weight
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in :func:`ranking_scores`, without None.
    cluster : array-like of shape (n_rows,), mapping or pandas.Series, default=None
        What queries belong together and are not independent, such as the user, session or day of each row,
        or of each query by query id; for two-dimensional input, one entry per row of it. Clusters replace
        queries in standard errors and intervals. All rows of a query have the same cluster.
    confidence_level : float, default=0.95
        Of the intervals, in (0, 1).
    interval : {"t", "bootstrap"}, default="t"
        By the t distribution, or by the studentized bootstrap over queries or clusters. The hit rate, where
        it is 0 or 1 for each query, has Wilson's interval. All stay inside the range of the metric.
    n_resamples : int, default=2000
        Number of bootstrap resamples, from 100 to 10**7.
    random_state : int, RandomState or None, default=None
        Of the bootstrap.
    data : frame, path, dataset, reader, LazyFrame, iterator of frames or Dask DataFrame, default=None
        With it `y_true`, `y_score`, `groups`, `sample_weight` and `cluster` are names of its columns. A frame
        is of pandas, polars or pyarrow, or a dict of columns. All else is read by pyarrow batch by batch, the
        named columns alone, in the memory of a batch: a Parquet file, a list of them, a folder of them in the
        order of their names, a dataset or a reader of pyarrow, what exports a stream of Arrow, a LazyFrame of
        polars, an iterator of frames. There are no clusters then. A Dask DataFrame is scored partition by
        partition where Dask computes it; its ids may be the index.
    together : bool, default=True
        Whether the rows of each query stand together where `data` comes in batches; a query in two places is
        an error. False: they may be anywhere. They are brought together in files of a temporary folder, which
        needs the room of the named columns, and keep their order. Of Dask the ids ascend from partition to
        partition, or False: its shuffle brings rows together, in any order, and ``ties="order"`` is refused.
    keep : {"queries", "moments"}, default="queries"
        Keep the value of each query, or sums alone, as in :class:`RankingEvaluator`: the report then has no
        `values`. With ``together=True`` the ids of batches then ascend, so that one met twice is found.
    max_memory : float, default=None
        With ``together=False``: about how many bytes the rows may take that are scored at once, >= 1e7, in
        each process; None for 128 MiB. A query that needs more takes it.
    n_jobs : int, default=None
        Threads, as in :func:`ranking_scores`. Where Parquet files are read and have some 8 million rows: with
        2 the next rows are read while others are scored; with more, and with ``together=False``, processes,
        each of which takes some row groups.
    progress : bool, default=False
        Show how many rows of batches are done, by tqdm.
    items, features, popularity, history, intents, owners, target, strata
        As in :func:`ranking_scores`, for the names that need them; of rows that come in batches see
        :meth:`RankingEvaluator.update`. With a
        frame as `data` they may be names of its columns, `features` and `intents` lists of them; `history`
        and `target` may not.

    Returns
    -------
    RankingReport
        Its means are those of :func:`ranking_scores`. An interval is where the mean over all queries like
        these lies, for these predictions: nothing was trained anew.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Intervals of shares: Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 1927. Studentized bootstrap: Davison and Hinkley, "Bootstrap methods and their application", 1997.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_predict, evaluate
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> y_score = cross_val_predict(Ridge(), X, y, groups=qid)
    >>> print(evaluate(y, y_score, groups=qid, metrics=["ndcg@10", "mrr"]))
    100 queries, 95 % intervals over queries
    metric    mean        interval   s.e.  values  nothing to find
    ndcg@10  0.839  [0.810, 0.868]  0.015     100                0
    mrr      0.966  [0.938, 0.994]  0.014     100                0
    """
    if average is None:
        fail("average", "be 'macro', 'micro' or 'weighted'", None)
    options: Options = {"gain": gain, "discount": discount, "min_relevance": min_relevance, "ties": ties}
    options |= {"unjudged": unjudged, "zero_division": zero_division, "average": average}
    rows = Given(y_true, y_score, groups, sample_weight)
    settings = Settings(confidence_level, interval, n_resamples, random_state)
    wanted = Wanted(metrics, options, settings, cluster, n_jobs)
    are_default = keep == "queries" and together is True and max_memory is None
    batches = together, keep, max_memory, progress, are_default
    tables = Tables(items, features, popularity, history, intents, owners, target, strata=strata)
    if data is None and are_default:
        return report_rows(rows, tables, wanted)
    return _report_data(data, rows, tables, wanted, batches)


def _report_data(
    data: Table,
    names: Given,
    tables: Tables,
    wanted: Wanted,
    batches: tuple[bool, Any, float | None, bool, bool],
) -> RankingReport:
    """Report columns of data, or arrays if only sums are kept."""
    from .. import distributed

    together, keep, max_memory, progress, are_default = batches
    in_memory = data is None or _is_frame(data)
    if not tables.given():
        metrics = wanted.metrics
        wanted = wanted._replace(metrics=list(metrics) if isinstance(metrics, Iterator) else metrics)
        requests = build_requests(wanted.metrics, wanted.options)
        check_settings(wanted.settings)
        check_choice("keep", keep, ("queries", "moments"))
        check_flag(together, "together")
        check_flag(progress, "progress")
        if max_memory is not None and (in_memory or together):
            rule = "be None but for together=False with 'data' that is read in batches"
            fail("max_memory", rule, repr(max_memory))
        if max_memory is not None and not (is_real(max_memory) and LEAST_MEMORY <= max_memory < np.inf):
            rule = f"be a number of bytes >= {LEAST_MEMORY:g}, or None"
            fail("max_memory", rule, repr(max_memory))
    elif not (in_memory and are_default):
        first, given = next(iter(tables.given().items()))
        rule = "be None where rows come in batches, and with keep='moments': RankingEvaluator.update takes it"
        fail(first, rule, f"a {type(given).__name__}")
    if data is not None and names.groups is None:
        fail("groups", "name the column of query ids in 'data'", None)
    if wanted.cluster is not None and not (in_memory and keep == "queries"):
        rule = "be None where rows come in batches, and with keep='moments'"
        fail("cluster", rule, repr(wanted.cluster))
    if data is not None and in_memory:
        columns = {**names._asdict(), "cluster": wanted.cluster}
        distributed.check_names(_list_names(data), columns)
        *rows, cluster = (None if name is None else data[name] for name in columns.values())
        names, wanted = Given(*rows), wanted._replace(cluster=cluster)
        tables = _read_tables(data, tables)
    if in_memory and keep == "queries":
        return report_rows(names, tables, wanted)
    distributed.check_whole(requests)
    of_all = {**wanted.options, **wanted.settings._asdict()}
    make = partial(distributed.RankingEvaluator, wanted.metrics, keep=keep, **of_all)
    plan = distributed.ReadingPlan(names, make, keep, together, wanted.n_jobs, max_memory, progress)
    return distributed.report_moments_of(names, plan) if in_memory else distributed.report_data(data, plan)


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
    """Replace names by the columns of these names."""
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
    if parameter in ("history", "target") or not are_names or not (is_matrix or isinstance(given, str)):
        return given
    if not names:
        fail(parameter, "name columns of 'data'", names)
    for name in names:
        check_names(_list_names(data), {parameter: name})
    return np.column_stack([np.asarray(data[name]) for name in names]) if is_matrix else data[given]


def _by_item(items: Ids, numbers: Values) -> dict[Any, Any]:
    """Return the popularity of each item, which is the same in all its rows."""
    if items is None:
        fail("items", "be given with 'popularity' as a column of 'data'", None)
    found: dict[Any, Any] = {}
    for item, number in zip(*(np.asarray(each).tolist() for each in (items, numbers))):
        if found.setdefault(item, number) != number:
            rule = "be the same in all rows of an item"
            fail("popularity", rule, f"{found[item]!r} and {number!r} for {item!r}")
    return found
