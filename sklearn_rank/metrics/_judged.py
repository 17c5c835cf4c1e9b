"""Metrics of partly judged rankings: bpref, fallout and the share of judged documents."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, MeanAverage, RatioDenominator, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _bpref(block: Block, *, min_relevance: float, denominator: str) -> Ratio:
    """BPREF = mean over relevant documents of 1 - min(n, R) / min(R, N); n of N non-relevant are above."""
    relevant = block.marks(min_relevance)
    n_relevant = relevant.sum(axis=1)
    most = np.minimum(n_relevant, block.lengths - n_relevant) if denominator == "achievable" else n_relevant
    worst = np.maximum(most, 1)
    above = block.capped_above(block.retrieved(~relevant), n_relevant)
    shares = block.retrieved(relevant) * (1 - above / worst[:, None])
    return Ratio(shares.sum(axis=1), n_relevant, n_relevant > 0)


@explain_parameters
def bpref_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute binary preference (bpref), averaged over queries.

    bpref measures how rarely documents judged as non-relevant are ranked above relevant ones. It is intended
    for incomplete judgments, and ignores unjudged documents, as in trec_eval.

    Source: Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`map_score`.
    denominator : {"achievable", "relevant"}, default="achievable"
        What to divide the number of non-relevant documents above a relevant one by: min(R, N) for R relevant
        and N non-relevant documents ("achievable", as in trec_eval and ir_measures), or R ("relevant", as in
        the paper). At most R documents above are counted.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        bpref between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpref_score
    >>> bpref_score([[1, float("nan"), 0, 1]], [[4, 3, 2, 1]], unjudged="drop")
    0.5
    >>> bpref_score([[1, 0, 1]], [[3, 2, 1]], denominator="relevant")  # (1 + (1 - 1 / 2)) / 2
    0.75
    """
    return compute_call(BPREF, **locals())


BPREF = add_metric(_bpref, bpref_score, denominators=("achievable", "relevant"), of_judged=True)


def _fallout(block: Block, *, k: int | None, min_relevance: float) -> Ratio:
    """fallout@k = |not relevant in the top k| / |not relevant|."""
    nonrelevant = 1 - block.marks(min_relevance)
    n_nonrelevant = block.judged(nonrelevant).sum(axis=1)
    n_shown = block.expected(block.retrieved(nonrelevant))[:, :k].sum(axis=1)
    # Rounding errors could raise a mean over ties above the total number.
    return Ratio(np.minimum(n_shown, n_nonrelevant), n_nonrelevant, n_nonrelevant > 0)


@explain_parameters
def fallout_at_k_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: MeanAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute fallout at k, averaged over queries.

    Fallout is the share of the non-relevant documents that are among the first `k`.

    Source: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.5.

    Parameters
    ----------
    y_true, y_score, groups, k, min_relevance, ties, unjudged, sample_weight, missed
        As in :func:`precision_at_k_score`.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a non-relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Fallout between 0 and 1; lower is better, and the scorer negates it. If every query is excluded, `nan`
        is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import fallout_at_k_loss
    >>> fallout_at_k_loss([[1, 0, 0, 1, 0]], [[5, 4, 3, 2, 1]], k=2)
    0.33...
    """
    return compute_call(FALLOUT, **locals())


def _judged(block: Block, *, k: int | None) -> Ratio:
    """judged@k = |judged in the top k| / min(k, n); the labels of the block are 1 for judged, 0 for not."""
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved)
    return Ratio(block.expected(block.retrieved(block.labels))[:, :k].sum(axis=1), n_shown, n_shown > 0)


@explain_parameters
def judged_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the share of judged documents in the top k, averaged over queries.

    If the share is low, the values of other metrics are uncertain.

    Source: Sakai, "Alternatives to bpref", SIGIR 2007. In ir_measures: Judged@k.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        not retrieved: it gets no rank.
    groups, k, ties, average, sample_weight, missed
        As in :func:`hit_rate_at_k_score`.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a retrieved document. If `nan`, such queries are excluded from the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Share between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import judged_at_k_score
    >>> judged_at_k_score([[1, float("nan"), 0]], [[3, 2, 1]], k=2)
    0.5
    """
    return compute_call(JUDGED, **locals(), unjudged="nonrelevant")


FALLOUT = add_metric(_fallout, fallout_at_k_loss, micro=True)
JUDGED = add_metric(_judged, judged_at_k_score, nan_rule="judgments")
