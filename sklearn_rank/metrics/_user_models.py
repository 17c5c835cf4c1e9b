"""Metrics that model users who can stop after each document: RBP and INSQ."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, MaxGrade, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._gains_and_discounts import add_weighted, check_sums, find_gains
from ._table import Ratio


def _rbp(block: Block, *, k: int | None, p: float, min_relevance: float | None, max_grade: MaxGrade) -> Ratio:
    """RBP@k = (1 - p) * sum of p^(r - 1) over the ranks r <= k of relevant documents."""
    weights = p ** (block.ranks - 1)
    if min_relevance is None:  # signed labels are used as they are
        with np.errstate(over="ignore", invalid="ignore"):
            sums = add_weighted(block.retrieved(block.top_labels(k)), weights, k, block)
        return Ratio((1 - p) * check_sums(sums, block), 1, block.judged(block.labels).any(axis=1))
    gains = find_gains(block, min_relevance, max_grade)
    value = (1 - p) * add_weighted(block.retrieved(gains), weights, k, block)
    return Ratio(np.minimum(value, 1), 1, gains.any(axis=1))  # at most 1 without rounding


@explain_parameters
def rbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute rank-biased precision (RBP), averaged over queries.

    RBP is the expected share of relevant documents among the documents that a user reads. After each
    document, the user continues to the next one with probability `p`.

    Source: Moffat and Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 2008.
    For the RBP of trec_eval 10, pass ``max_grade="query"``. Debiased clicks: Joachims, Swaminathan and
    Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Parameters
    ----------
    y_true
        As in :func:`dcg_score`.
    y_score, groups, k, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`mrr_score`.
    p : float, default=0.8
        Probability in (0, 1) that the user continues from one document to the next.
    max_grade : float, "query" or None, default=None
        Highest grade of the scale. The gain of a document is label / max_grade, and every label above 0 is
        relevant. "query" uses the highest grade of the query. If `None`, relevant documents have the gain 1
        and others 0.
    signed : bool, default=False
        Whether labels can be negative, such as debiased clicks. Labels are then used without a threshold,
        because a threshold causes bias. A query without a click has the value 0.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        RBP in [0, 1), or of any value if `signed`; higher is better. It is below 1 because rankings are
        finite. If every query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank import rbp_score
    >>> round(rbp_score([[1, 0, 1]], [[3, 2, 1]], p=0.5), 4)  # (1 - 0.5) * (1 + 0.25)
    0.625
    >>> rbp_score([[1, 0, 2]], [[3, 2, 1]], p=0.5, max_grade=2)  # (1 - 0.5) * (1/2 + 1 * 0.25)
    0.375
    >>> round(rbp_score([[3, -1, 0]], [[3, 2, 1]], p=0.5, signed=True), 4)  # (1 - 0.5) * (3 - 0.5)
    1.25
    """
    return compute_call(RBP, **locals())


RBP = add_metric(_rbp, rbp_score)


def _rbp_residual(block: Block, *, k: int | None, p: float) -> Ratio:
    """Residual = (1 - p) * sum of p^(r - 1) over ranks r <= min(k, n) of unjudged documents + p^min(k, n)."""
    unjudged = block.retrieved(1 - block.labels)  # labels are 1 for judged documents
    inside = (1 - p) * add_weighted(unjudged, p ** (block.ranks - 1), k, block)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved)
    return Ratio(np.minimum(inside + p ** n_shown.astype(np.float64), 1))


@explain_parameters
def rbp_residual_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    ties: TieRule = "average",
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the residual of rank-biased precision, averaged over queries.

    The residual is the increase of :func:`rbp_score` if all unjudged documents, and all documents below rank
    `k` or the end of the ranking, were relevant.

    Source: Moffat and Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 2008.

    Parameters
    ----------
    y_true, y_score
        As in :func:`judged_at_k_score`.
    groups, k, ties, sample_weight, missed
        As in :func:`ndcg_score`.
    p
        As in :func:`rbp_score`.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Residual in (0, 1]; lower is better, and the scorer negates it.

    Examples
    --------
    >>> from sklearn_rank import rbp_residual_loss, rbp_score
    >>> y_true, y_score = [[1, float("nan"), 0]], [[3, 2, 1]]
    >>> rbp_residual_loss(y_true, y_score, p=0.5)  # 0.25 at rank 2, 0.125 below rank 3
    0.375
    >>> rbp_score(y_true, y_score, p=0.5, unjudged="nonrelevant")  # RBP is from 0.5 to 0.5 + 0.375
    0.5
    """
    return compute_call(RBP_RESIDUAL, **locals(), unjudged="nonrelevant")


RBP_RESIDUAL = add_metric(_rbp_residual, rbp_residual_loss, nan_rule="judgments")


def _insq(
    block: Block, *, k: int | None, desired_gain: float, min_relevance: float, max_grade: MaxGrade
) -> Ratio:
    """INSQ@k = sum of (r - 1 + 2 T)^-2 over ranks r <= k of relevant documents / the sum over all ranks."""
    from scipy.special import polygamma

    gains = find_gains(block, min_relevance, max_grade)
    total = polygamma(1, 2 * desired_gain)  # the sum over all ranks 1, 2, ...
    value = add_weighted(block.retrieved(gains), (block.ranks - 1 + 2 * desired_gain) ** -2 / total, k, block)
    return Ratio(np.minimum(value, 1), 1, gains.any(axis=1))  # at most 1 without rounding


@explain_parameters
def insq_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    desired_gain: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the inverse-squares metric (INSQ), averaged over queries.

    INSQ is the expected share of relevant documents among the documents that a user reads. The user wants to
    find T relevant documents and continues from rank r to the next with probability ((r - 1 + 2 T) / (r + 2
    T))**2.

    Source: Moffat, Scholer and Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012, with
    weights of all ranks that add up to 1. In cwl_eval and ``"ir_measures:INSQ(max_rel=2)"``, the weights of
    the first 1000 ranks add up to 1.

    Parameters
    ----------
    y_true, y_score, groups, k, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`mrr_score`.
    desired_gain : float, default=1.0
        Number T of relevant documents that the user wants to find, in (0, 10**6].
    max_grade
        As in :func:`rbp_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        INSQ in [0, 1); higher is better. It is below 1 because rankings are finite. If every query is
        excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank import insq_score
    >>> round(insq_score([[1, 0, 1]], [[3, 2, 1]]), 4)  # (1/4 + 1/16) / (1/4 + 1/9 + 1/16 + ...)
    0.4845
    """
    return compute_call(INSQ, **locals())


INSQ = add_metric(_insq, insq_score)
