"""Recall: of the relevant documents, how many are shown; and its harmonic mean with precision."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, RatioAverage, RatioDenominator, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._precision import count_hits
from ._table import Ratio


def _recall(
    block: Block, *, k: int | np.ndarray, min_relevance: float, denominator: str = "relevant"
) -> Ratio:
    """R@k = |relevant in the top k| / |relevant|.

    Where what is achievable divides, it is min(k, |relevant|).
    """
    hits, n_relevant = count_hits(block, k, min_relevance)
    most = np.minimum(k, n_relevant) if denominator == "achievable" else n_relevant
    return Ratio(hits, most, n_relevant > 0)


def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Recall at k per query, averaged over queries.

    The share of the relevant documents that is among the first `k`. With ``average="micro"`` it is the hit
    ratio of many recommender papers: all hits by all relevant documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank and
        counts among the relevant ones.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int
        Cutoff >= 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    denominator : {"relevant", "achievable"}, default="relevant"
        Divide by the number R of relevant documents, or by min(k, R), so that a perfect ranking scores 1: the
        Recall@20 of the papers on variational autoencoders, relative_P of trec_eval.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
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
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3. By
    min(k, R): Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering",
    WWW 2018.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2, denominator="achievable")
    0.5
    """
    return compute_call(RECALL, **locals())


def _f1(block: Block, *, k: int | np.ndarray, min_relevance: float) -> Ratio:
    """F1@k = 2 P@k R@k / (P@k + R@k) = 2 |relevant in the top k| / (k + |relevant|)."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    return Ratio(2 * hits, 1.0 * k + n_relevant, n_relevant > 0)


def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """F1 at k per query, averaged over queries.

    The harmonic mean of precision and recall of the first `k` documents.

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
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
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
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from sklearn_rank import f1_at_k_score
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2)
    0.4
    """
    return compute_call(F1, **locals())


RECALL = add_metric(
    "recall",
    _recall,
    recall_at_k_score,
    micro=True,
    has_curve=True,
    binary=True,
    denominators=("relevant", "achievable"),
)
recall_at_k_scorer = RECALL.factory
F1 = add_metric("f1", _f1, f1_at_k_score, micro=True, has_curve=True, binary=True)
f1_at_k_scorer = F1.factory
