"""Metrics of pairs and of the ranks of relevant documents: AUC, pairwise accuracy, BPR, rank sums."""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, MeanAverage, PlainAverage, RatioAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._curves import standardize_area
from ._factory import add_metric
from ._gains_and_discounts import check_sums
from ._table import Ratio


def _rank_sum(block: Block) -> Ratio:
    """Sum of label * rank over the documents; those with the score -inf are ranked last."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.einsum("qi,i->q", block.expected(block.judged(block.labels)), block.ranks)
    return Ratio(check_sums(sums, block), 1, block.judged(block.labels).any(axis=1))


@explain_parameters
def rank_sum_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the sum of the ranks of relevant documents, averaged over queries.

    The loss is the sum of ``label * rank`` over all documents, so grades weight the ranks. Unbiased learning
    from clicks estimates this loss.

    Source: Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Parameters
    ----------
    y_true, groups, ties, unjudged, sample_weight, missed
        As in :func:`dcg_score`.
    y_score, average
        As in :func:`kendall_tau_score`.
    signed : bool, default=False
        Whether labels can be negative, such as debiased clicks. A query without a click has the value 0.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Sum of ranks, non-negative unless `signed`; lower is better, and the scorer negates it.

    Examples
    --------
    >>> from sklearn_rank.metrics import rank_sum_loss
    >>> rank_sum_loss([[0, 1, 1, 0]], [[4, 3, 2, 1]])  # 2 + 3
    5.0
    >>> rank_sum_loss([[2.5, -0.5]], [[1, 2]], signed=True)  # 2 * 2.5 - 1 * 0.5
    4.5
    """
    return compute_call(RANK_SUM, **locals())


def _average_rank(block: Block, *, min_relevance: float) -> Ratio:
    """AR = sum of the ranks of the relevant documents / their number."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    return Ratio(relevant.rank_sums, relevant.n, relevant.n > 0)


@explain_parameters
def average_rank_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: MeanAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the mean rank of relevant documents, averaged over queries.

    With ``average="micro"``, all relevant documents of all queries have the same weight. For labels 0 and 1,
    this is the ARP of TF-Ranking.

    Source: Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017.

    Parameters
    ----------
    y_true, groups, min_relevance, ties, unjudged, sample_weight, missed
        As in :func:`map_score`.
    y_score
        As in :func:`kendall_tau_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "micro"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean rank, at least 1; lower is better, and the scorer negates it. If every query is excluded, `nan`
        is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import average_rank_loss
    >>> average_rank_loss([[1, 0, 1], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])  # ((1 + 3) / 2 + 3) / 2
    2.5
    >>> round(average_rank_loss([[1, 0, 1], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]], average="micro"), 4)
    2.3333
    """
    return compute_call(AVERAGE_RANK, **locals())


RANK_SUM = add_metric(_rank_sum, rank_sum_loss, upper=inf)
AVERAGE_RANK = add_metric(_average_rank, average_rank_loss, upper=inf, micro=True)


def _auc(block: Block, *, min_relevance: float, max_fpr: float | None = None) -> Ratio:
    """AUC = share of pairs (relevant, not relevant) in which the relevant document has the higher score."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    n_others = block.lengths - relevant.n
    n_pairs = relevant.n * n_others
    if max_fpr is None or max_fpr == 1:
        n_wrong = relevant.rank_sums - relevant.n * (relevant.n + 1) / 2  # Mann and Whitney's U
        return Ratio(n_pairs - n_wrong, n_pairs, n_pairs > 0)
    most = max_fpr * n_others
    above = block.capped_above(block.judged(~relevant.marks), most)
    areas = (relevant.marks * (most[:, None] - above)).sum(axis=1) / np.maximum(n_pairs, 1)
    return Ratio(standardize_area(areas, max_fpr), 1, n_pairs > 0)


@explain_parameters
def group_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    max_fpr: float | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    weighted_by: Literal["rows", "relevant"] = "rows",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the area under the ROC curve (AUC) per group, averaged over groups.

    With ``average="macro"``, each group (user) has the same weight (customer AUC). ``average="weighted"``
    computes the GAUC: groups are weighted by their rows (impressions), as in most papers, or with
    ``weighted_by="relevant"`` by their relevant rows (positives), as in RecBole. The AUC of a group is equal
    to :func:`sklearn.metrics.roc_auc_score`.

    Parameters
    ----------
    y_true, groups, ties, unjudged, average, sample_weight, missed
        As in :func:`ndcg_score`.
    min_relevance
        As in :func:`map_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. Pairs with equal scores count half,
        including pairs with scores of -inf.
    max_fpr : float, default=None
        False positive rate, above 0 and up to 1, at which the ROC curve ends. The area up to this rate is
        standardized as in scikit-learn: the diagonal has 0.5, a perfect ranking 1. If `None`, the whole area
        is used.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose documents are all relevant or all non-relevant. If `nan`, such queries are
        excluded from the mean.
    weighted_by : {"rows", "relevant"}, default="rows"
        Weight of a query with ``average="weighted"``: its number of rows or its number of relevant rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        AUC between 0 and 1, 0.5 for constant scores (about 0.5 with `max_fpr`); higher is better. If every
        query is excluded, `nan` is returned with a warning.

    References
    ----------
    Zhu et al., "Optimized cost per click in Taobao display advertising", KDD 2017 (GAUC by impressions or
    clicks). Area up to `max_fpr`: McClish, "Analyzing a portion of the ROC curve", Medical Decision Making,
    1989.

    Examples
    --------
    >>> from sklearn_rank import group_auc_score
    >>> group_auc_score([1, 0, 0, 1, 0], [0.9, 0.8, 0.1, 0.2, 0.3], groups=["a", "a", "a", "b", "b"])
    0.5
    """
    return compute_call(GROUP_AUC, **locals())


def _pairwise_accuracy(block: Block) -> Ratio:
    """Pairs in the right order / pairs with different labels; pairs of tied scores count as half."""
    n_pairs = block.lengths * (block.lengths - 1) / 2 - block.n_equal_labels()
    tied: np.ndarray | int = 0
    if block.open_ties is not None:
        tied = block.open_ties.n_pairs(block.lengths) - block.n_equal_labels(inside=block.open_ties)
    return Ratio(n_pairs - block.n_inversions(block.open_ties) - tied / 2, n_pairs, n_pairs > 0)


@explain_parameters
def pairwise_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the share of correctly ordered pairs, averaged over queries.

    Only pairs with different labels count. For two grades, the share is the AUC of the query. With
    ``average="micro"``, all pairs of all queries have the same weight.

    Source: Cohen, Schapire and Singer, "Learning to order things", JAIR 1999. In CatBoost:
    QueryAUC:type=Ranking and PairAccuracy.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: finite, of any sign. NaN means that the document was not judged;
        see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf is an ordinary lowest
        score. Pairs with equal scores count half.
    groups, ties, unjudged, average, sample_weight, missed
        As in :func:`precision_at_k_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels are all equal. If `nan`, such queries are excluded from the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Share between 0 and 1, 0.5 for constant scores; higher is better. If every query is excluded, `nan` is
        returned with a warning.

    Examples
    --------
    >>> from sklearn_rank import pairwise_accuracy_score
    >>> pairwise_accuracy_score([[2, 0, 1]], [[3, 2, 1]])
    0.66...
    """
    return compute_call(PAIRWISE_ACCURACY, **locals())


GROUP_AUC = add_metric(_auc, group_auc_score)
PAIRWISE_ACCURACY = add_metric(_pairwise_accuracy, pairwise_accuracy_score, micro=True, any_label=True)


def _bpr(block: Block, *, min_relevance: float) -> Ratio:
    """BPR = mean of -log sigmoid(s_i - s_j) = log(1 + exp(s_j - s_i)) over pairs (relevant i, other j)."""
    relevant = block.marks(min_relevance)
    others = block.judged(~relevant) > 0
    n_relevant, n_others = relevant.sum(axis=1), others.sum(axis=1)
    # To bound memory, one document of the smaller class per query is compared with the other class at a time.
    of_relevant = n_relevant.max() <= n_others.max()
    few, many, n_few = (relevant, others, n_relevant) if of_relevant else (others, relevant, n_others)
    sign = 1 if of_relevant else -1
    few_first = np.take_along_axis(block.scores, np.argsort(~few, axis=1, kind="stable"), axis=1)
    against = np.where(many, block.scores, -sign * np.inf)  # adds 0
    total = np.zeros(len(few))
    with np.errstate(over="ignore"):  # a margin beyond the range of floats is an infinite loss
        for place in range(n_few.max()):
            losses = np.logaddexp(0, sign * (against - few_first[:, place, None])).sum(axis=1)
            total += np.where(place < n_few, losses, 0)
    n_pairs = n_relevant * n_others
    return Ratio(total, n_pairs, n_pairs > 0)


@explain_parameters
def bpr_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute the Bayesian personalized ranking (BPR) loss, averaged over queries.

    The loss is the mean of -log sigmoid(s_i - s_j) over all pairs of a relevant document i and a non-relevant
    document j. No pairs are sampled. Memory grows with the number of documents, time with the number of
    pairs.

    Source: Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian personalized ranking from
    implicit feedback", UAI 2009.

    Parameters
    ----------
    y_true, groups, min_relevance, unjudged, zero_division, sample_weight
        As in :func:`group_auc_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores: finite. Their differences matter, so the loss depends on their scale.
    average
        As in :func:`rank_sum_loss`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Loss, at least 0, and log 2 for constant scores; lower is better, and the scorer negates it. If every
        query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpr_loss
    >>> round(bpr_loss([[1, 0, 0]], [[2.0, 2.0, -1.0]]), 4)  # (log 2 + log(1 + exp(-3))) / 2
    0.3709
    """
    return compute_call(BPR, **locals())


BPR = add_metric(_bpr, bpr_loss, upper=inf, uses_scores=True)
