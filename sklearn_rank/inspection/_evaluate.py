"""From rows to a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from .._checks.errors import fail
from .._checks.options import check_choice
from .._checks.types import ArrayLike, Discount, Gain, RatioAverage, TieRule, Unjudged
from ..metrics import Given, build_requests
from ..reports import RankingReport, Settings, check_settings, report_rows


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
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | str | None = None,
    cluster: ArrayLike | str | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: Any = None,
    data: Any = None,
    keep: Literal["queries", "moments"] = "queries",
    n_jobs: int | None = None,
) -> RankingReport:
    """Report metrics over queries: means, how well they are known, and the value of each query.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, ties, unjudged, zero_division, sample_weight, n_jobs
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in :func:`ranking_scores`, without None.
    cluster : array-like of shape (n_rows,) or (n_queries,), default=None
        What queries belong together and are not independent, such as the user, session or day of each row,
        or of each query in the order of :func:`unique_groups`. Clusters take the place of queries in
        standard errors and intervals. It is the same for all rows of a query.
    confidence_level : float, default=0.95
        Of the intervals, in (0, 1).
    interval : {"t", "bootstrap"}, default="t"
        By the t distribution, or by the studentized bootstrap over queries or clusters. The hit rate, where
        it is 0 or 1 for each query, has Wilson's interval. All stay inside the range of the metric.
    n_resamples : int, default=2000
        Of the bootstrap, >= 100.
    random_state : int, RandomState or None, default=None
        Of the bootstrap.
    data : frame, path, dataset, reader or iterator of frames, default=None
        With it `y_true`, `y_score`, `groups`, `sample_weight` and `cluster` are names of its columns. A frame
        is of pandas, polars or pyarrow, or a dict of columns. All else is read by pyarrow batch by batch, the
        named columns alone, in the memory of a batch: a Parquet file, a folder of them in the order of their
        names, a dataset or a reader of pyarrow, what exports a stream of Arrow, an iterator of frames. There
        the rows of a query stand together, and there are no clusters.
    keep : {"queries", "moments"}, default="queries"
        Keep the value of each query, or sums alone, as in :class:`RankingEvaluator`: the report then has no
        `values`. In batches the ids of queries ascend, so that one that comes twice is found.

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
        fail("average", "evaluate", "be 'macro', 'micro' or 'weighted'", None)
    options = {
        "gain": gain,
        "discount": discount,
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    given = Given(y_true, y_score, groups, sample_weight)
    settings = Settings(confidence_level, interval, n_resamples, random_state)
    if data is None and keep == "queries":
        return report_rows("evaluate", given, metrics, options, settings, cluster, n_jobs)
    return _report_data(data, given, cluster, metrics, options, settings, keep, n_jobs)


def _report_data(
    data: Any,
    names: Given,
    cluster: Any,
    metrics: Iterable[str],
    options: dict[str, Any],
    settings: Settings,
    keep: str,
    n_jobs: int | None,
) -> RankingReport:
    """Report columns of data, or arrays of which sums alone are kept."""
    from ..distributed import is_frame, iter_queries, read_columns, report_parts

    function = "evaluate"
    metrics = list(metrics) if isinstance(metrics, Iterator) else metrics
    build_requests(function, metrics, options)
    check_settings(settings, function)
    check_choice("keep", keep, ("queries", "moments"), function)
    if data is not None and names.groups is None:
        fail("groups", function, "name the column of query ids in 'data'", None)
    in_memory = data is None or is_frame(data)
    if cluster is not None and not (in_memory and keep == "queries"):
        fail(
            "cluster", function, "be None where rows come in batches, and with keep='moments'", repr(cluster)
        )
    if data is not None and in_memory:
        names, cluster = read_columns(data, names, cluster, function)
    if in_memory and keep == "queries":
        return report_rows(function, names, metrics, options, settings, cluster, n_jobs)
    parts = [names] if in_memory else iter_queries(data, names, function)
    return report_parts(parts, metrics, options, settings, keep, n_jobs)
