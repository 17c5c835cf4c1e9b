"""Metrics of relevant documents at a cutoff: precision, recall, F1 and hit rate."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, RatioAverage, RatioDenominator, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.ties import Cutoff
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _count_hits(block: Block, k: Cutoff, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected number of relevant documents in the top k, and the number in the whole query."""
    relevant = block.relevant(min_relevance)
    return relevant.in_top(k), relevant.n


def _precision(block: Block, *, k: Cutoff, min_relevance: float, adaptive_k: bool) -> Ratio:
    """P@k = |relevant in the top k| / k."""
    hits, n_relevant = _count_hits(block, k, min_relevance)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved) if adaptive_k else k
    return Ratio(hits, n_shown, (n_relevant > 0) & (n_shown > 0))


@explain_parameters
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute precision at k, averaged over queries.

    Precision is the share of relevant documents among the first `k`.

    Parameters
    ----------
    y_true, groups, ties, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    k : int
        Number of top-ranked documents to consider, at least 1. If `None`, all retrieved ones.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    adaptive_k : bool, default=False
        Whether to divide by the number of retrieved documents if it is below `k`, as in XGBoost and CatBoost,
        so that short rankings can reach 1. Otherwise, divide by `k`, as in trec_eval and torchmetrics.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document, or whose denominator is 0. If `nan`, such queries are
        excluded from the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "micro" divides the sum of the numerators by the sum of the denominators,
        "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If `None`, return the
        value of each query, in the order of :func:`unique_groups`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Precision between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> precision_at_k_score([[1, 1]], [[2, 1]], k=10, adaptive_k=True)
    1.0
    """
    return compute_call(PRECISION, **locals())


PRECISION = add_metric(_precision, precision_at_k_score, micro=True, has_curve=True)


def _recall(block: Block, *, k: Cutoff, min_relevance: float, denominator: str = "relevant") -> Ratio:
    """R@k = |relevant in the top k| / |relevant|."""
    hits, n_relevant = _count_hits(block, k, min_relevance)
    most = np.minimum(k, n_relevant) if denominator == "achievable" and k is not None else n_relevant
    return Ratio(hits, most, n_relevant > 0)


@explain_parameters
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute recall at k, averaged over queries.

    Recall is the share of relevant documents that are among the first `k`. With ``average="micro"``, it is
    the hit ratio of many recommender papers: all hits divided by all relevant documents.

    Parameters
    ----------
    y_true, groups, k, min_relevance, ties, unjudged, average, sample_weight, missed
        As in :func:`precision_at_k_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank, but still counts among the relevant documents.
    denominator : {"relevant", "achievable"}, default="relevant"
        What to divide the number of hits by: the number R of relevant documents ("relevant"), or min(k, R)
        ("achievable"). With min(k, R), a perfect ranking scores 1, as in Recall@20 of papers on variational
        autoencoders and relative_P of trec_eval.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Recall between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3. "achievable":
    Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering", WWW 2018.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2, denominator="achievable")
    0.5
    """
    return compute_call(RECALL, **locals())


def _f1(block: Block, *, k: Cutoff, min_relevance: float, beta: float = 1.0) -> Ratio:
    """F@k = (1 + b^2) P R / (b^2 P + R) = (1 + b^2) |relevant in the top k| / (k + b^2 |relevant|)."""
    hits, n_relevant = _count_hits(block, k, min_relevance)
    n_shown = block.n_retrieved if k is None else k
    return Ratio((1 + beta**2) * hits, 1.0 * n_shown + beta**2 * n_relevant, n_relevant > 0)


@explain_parameters
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    beta: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute F1 at k, or F-beta, averaged over queries.

    F1 is the harmonic mean of precision and recall of the first `k` documents. With another `beta`, it is the
    weighted harmonic mean of :func:`sklearn.metrics.fbeta_score`.

    Parameters
    ----------
    y_true, y_score, groups, k, min_relevance, ties, unjudged, average, sample_weight, missed
        As in :func:`precision_at_k_score`.
    zero_division
        As in :func:`recall_at_k_score`.
    beta : float, default=1.0
        Weight of recall compared with precision; must be positive. 2 gives F2, 0.5 gives F0.5.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        F1 between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    References
    ----------
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from sklearn_rank import f1_at_k_score
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2)
    0.4
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2, beta=0.5)
    0.4545...
    """
    return compute_call(F1, **locals())


RECALL = add_metric(
    _recall, recall_at_k_score, micro=True, has_curve=True, denominators=("relevant", "achievable")
)
F1 = add_metric(_f1, f1_at_k_score, micro=True, has_curve=True)


def _hit_rate(block: Block, *, k: Cutoff, min_relevance: float) -> Ratio:
    """hit@k = 1 if a relevant document is in the top k, else 0."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.any_in_top(k), 1, relevant.n > 0)


@explain_parameters
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the hit rate at k, averaged over queries.

    A query has the value 1 if a relevant document is among the first `k`, and 0 otherwise. With ties, the
    value is the probability of a hit. The hit rate is also known as success at k.

    Parameters
    ----------
    y_true, y_score, groups, k, min_relevance, ties, unjudged, sample_weight, missed
        As in :func:`precision_at_k_score`.
    zero_division
        As in :func:`recall_at_k_score`.
    average
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Hit rate between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    References
    ----------
    Deshpande and Karypis, "Item-based top-N recommendation algorithms", TOIS 2004. In trec_eval: success.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> y_true, y_score = [0, 1, 0, 0, 0, 1], [3, 2, 1, 3, 2, 1]
    >>> hit_rate_at_k_score(y_true, y_score, groups=[1, 1, 1, 2, 2, 2], k=2)
    0.5
    """
    return compute_call(HIT_RATE, **locals())


HIT_RATE = add_metric(_hit_rate, hit_rate_at_k_score, has_curve=True)
