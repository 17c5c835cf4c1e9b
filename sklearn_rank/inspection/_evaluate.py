"""From rows to a report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from .._checks.errors import fail
from .._checks.types import ArrayLike, Discount, Gain, RatioAverage, TieRule, Unjudged
from ..metrics import Given
from ..reports import RankingReport, Settings, report_rows


def evaluate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: Any = None,
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
    return report_rows(
        "evaluate",
        Given(y_true, y_score, groups, sample_weight),
        metrics,
        options,
        Settings(confidence_level, interval, n_resamples, random_state),
        cluster,
        n_jobs,
    )
