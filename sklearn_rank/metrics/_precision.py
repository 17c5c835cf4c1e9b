"""Precision: of the documents shown, how many are relevant."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, RatioAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def count_hits(block: Block, k: int | np.ndarray, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Count the relevant documents expected in the top k, and all of them."""
    relevant = block.relevant(min_relevance)
    return relevant.in_top(k), relevant.n


def _precision(block: Block, *, k: int | np.ndarray, min_relevance: float, adaptive_k: bool) -> Ratio:
    """P@k = |relevant in the top k| / k."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    n_shown = np.minimum(k, block.n_retrieved) if adaptive_k else k
    return Ratio(hits, n_shown, (n_relevant > 0) & (n_shown > 0))


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
    return compute_call(PRECISION, **locals())


PRECISION = add_metric("precision", _precision, precision_at_k_score, micro=True, has_curve=True, binary=True)
precision_at_k_scorer = PRECISION.factory
