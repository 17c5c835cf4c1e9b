"""Precision: of the documents shown, how many are relevant."""

from __future__ import annotations

from typing import Unpack, overload

import numpy as np

from .._checks.types import ArrayLike, RatioAverage, ResponseMethod, TieRule, Unjudged
from .._engine.ranked import Block
from . import _scorers
from ._compute import compute
from ._options import BinaryAtOptions
from ._requests import Given, Rules
from ._scorers.factories import build_scorer
from ._table import Ratio, add_metric


def count_hits(block: Block, k: int, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Count the relevant documents expected in the top k, and all of them."""
    relevant = block.relevant(min_relevance)
    return relevant.in_top(k), relevant.n


def _precision(block: Block, *, k: int, min_relevance: float, adaptive_k: bool) -> Ratio:
    """P@k = |relevant in the top k| / k."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    n_shown = np.minimum(k, block.n_retrieved) if adaptive_k else k
    return Ratio(hits, n_shown, (n_relevant > 0) & (n_shown > 0))


class PrecisionOptions(BinaryAtOptions, total=False):
    """What `precision_at_k_score` takes by name beside `average`."""

    adaptive_k: bool


@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[PrecisionOptions]
) -> np.ndarray: ...
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Precision at k per query, averaged over queries.

    The share of relevant documents among the first `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    adaptive_k : bool, default=False
        Divide by min(k, number of documents retrieved) and not by `k`: a short list can then reach 1.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document, or with nothing to divide by; nan leaves it out of
        the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, the ratio of sums over queries, or the
        geometric mean of their values, raised to 0.00001 where they are below; None for the value of each
        query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. trec_eval and
    torchmetrics divide by `k`, XGBoost and CatBoost by min(k, n).

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> precision_at_k_score([[1, 1]], [[2, 1]], k=10, adaptive_k=True)
    1.0
    """
    return compute(
        PRECISION,
        Given(y_true, y_score, groups, sample_weight),
        Rules(ties, unjudged, average, zero_division),
        k=k,
        min_relevance=min_relevance,
        adaptive_k=adaptive_k,
    )


def precision_at_k_scorer(
    *,
    k: int,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.RankingScorer:
    """Make a scorer of precision at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    min_relevance, adaptive_k, ties, unjudged, zero_division, average
        As in :func:`precision_at_k_score`; `average` may not be None.
    groups, labels, response_method
        Where query ids, and other labels than `y`, travel, and how the model answers: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_scorer
    >>> precision_at_k_scorer(k=10)
    RankingScorer(metrics='precision@10')
    """
    return build_scorer(
        PRECISION,
        groups,
        labels,
        response_method,
        k=k,
        min_relevance=min_relevance,
        adaptive_k=adaptive_k,
        ties=ties,
        unjudged=unjudged,
        zero_division=zero_division,
        average=average,
    )


PRECISION = add_metric(
    "precision", _precision, precision_at_k_score, precision_at_k_scorer, micro=True, binary=True
)
