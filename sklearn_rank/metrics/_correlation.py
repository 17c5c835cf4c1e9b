"""Correlations of scores with labels."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _spearman(block: Block) -> Ratio:
    """Spearman's rho = the correlation of the ranks of labels and scores, ties at their mean rank."""
    label_ranks, score_ranks = block.mean_ranks()
    return _correlation(block, -label_ranks, -score_ranks)


@explain_parameters
def spearman_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute Spearman's rank correlation of labels and scores, averaged over queries.

    It is the correlation of the ranks of labels and scores. Equal values get their mean rank. Values are
    equal to those of :func:`scipy.stats.spearmanr` for each query.

    Source: Spearman, "The proof and measurement of association between two things", 1904.

    Parameters
    ----------
    y_true, y_score, zero_division, average
        As in :func:`kendall_tau_score`.
    groups, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import spearman_score
    >>> round(spearman_score([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.5

    The rank IC of forecasts for each day:

    >>> returns, forecasts = [0.02, -0.01, 0.0, -0.03, 0.01, 0.0], [3, 1, 2, 1, 2, 3]
    >>> days = ["Mon", "Mon", "Mon", "Tue", "Tue", "Tue"]
    >>> spearman_score(returns, forecasts, groups=days, average=None)
    array([1. , 0.5])
    """
    return compute_call(SPEARMAN, **locals())


def _pearson(block: Block) -> Ratio:
    """Pearson's r = the correlation of the labels and scores themselves."""
    return _correlation(block, block.labels, block.scores)


def _correlation(block: Block, x: np.ndarray, y: np.ndarray) -> Ratio:
    """Return the sum of x y / sqrt(sum of x^2 * sum of y^2), after centering both."""
    x, y = (_center(block, values) for values in (x, y))
    norm = np.sqrt((x * x).sum(axis=1)) * np.sqrt((y * y).sum(axis=1))
    return Ratio(np.clip((x * y).sum(axis=1), -norm, norm), norm, norm > 0)


def _center(block: Block, values: np.ndarray) -> np.ndarray:
    """Subtract the mean of each query, scaled by powers of 2: no digit is lost and no square overflows.

    The first value is subtracted before the mean, because the mean would round away small differences.
    """
    values = _scale_by_row(block.judged(values))
    values = _scale_by_row(block.judged(values - values[:, :1]))
    mean = values.sum(axis=1, keepdims=True) / np.maximum(block.lengths, 1)[:, None]
    return block.judged(values - mean) * values.any(axis=1, keepdims=True)


def _scale_by_row(values: np.ndarray) -> np.ndarray:
    """Scale each row by a power of 2 so that its largest value is near 1."""
    return np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])


@explain_parameters
def pearson_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute Pearson's correlation of labels and scores, averaged over queries.

    Values are equal to those of :func:`scipy.stats.pearsonr` for each query.

    Source: Pearson, "Notes on regression and inheritance in the case of two parents", 1895.

    Parameters
    ----------
    y_true, zero_division, average
        As in :func:`kendall_tau_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores: finite. Their values matter, in addition to their order.
    groups, unjudged, sample_weight
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import pearson_score
    >>> round(pearson_score([[2, 0, 1]], [[3.0, 2.0, 1.0]]), 4)
    0.5
    """
    return compute_call(PEARSON, **locals())


SPEARMAN = add_metric(_spearman, spearman_score, lower=-1.0, any_label=True)
PEARSON = add_metric(_pearson, pearson_score, lower=-1.0, uses_scores=True, any_label=True)


def _kendall(block: Block) -> Ratio:
    """tau-b = (concordant - discordant pairs) / sqrt(pairs untied in labels * pairs untied in scores)."""
    n_pairs = block.lengths * (block.lengths - 1) / 2
    tied_labels = block.n_equal_labels()
    tied_scores = 0 if block.ties is None else block.ties.n_pairs(block.lengths)
    tied_both = 0 if block.ties is None else block.n_equal_labels(inside=block.ties)
    n_untied = n_pairs - tied_labels - tied_scores + tied_both
    norm = np.sqrt(n_pairs - tied_labels) * np.sqrt(n_pairs - tied_scores)
    return Ratio(np.clip(n_untied - 2 * block.n_inversions(block.ties), -norm, norm), norm, norm > 0)


@explain_parameters
def kendall_tau_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute Kendall's tau-b of labels and scores, averaged over queries.

    It is the number of pairs in the right order minus the number of pairs in the wrong order, normalized for
    equal labels and equal scores. Values are equal to those of :func:`scipy.stats.kendalltau` for each query.

    Source: Kendall, "The treatment of ties in ranking problems", Biometrika 1945.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: finite, of any sign. NaN means that the document was not judged;
        see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf is an ordinary lowest
        score.
    groups, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels or scores are all equal. If `nan`, such queries are excluded from the
        mean.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_score
    >>> kendall_tau_score([[2, 0, 1]], [[3, 2, 1]])
    0.33...
    """
    return compute_call(KENDALL, **locals())


def _kendall_ap(block: Block) -> Ratio:
    """tau_AP = 2 / (n - 1) * sum over ranks i >= 2 of C(i) / (i - 1) - 1, C(i) documents above i in order.

    Of the i - 1 documents above, C(i) are in order and the rest are not: the two sums are subtracted.
    """
    right, wrong = block.weigh_pairs(1 / np.maximum(block.ranks - 1, 1))
    most = block.lengths - 1.0
    some_differ = block.n_equal_labels() < block.lengths * most / 2
    return Ratio(np.clip(right - wrong, -most, most), most, some_differ)


@explain_parameters
def kendall_tau_ap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the AP correlation of labels and scores, averaged over queries.

    This variant of Kendall's tau gives the top of the ranking by `y_score` the largest weight. For each
    document below the first, the share of documents above that also have a higher `y_true` is computed. The
    mean of these shares is scaled to [-1, 1]. The correlation is not symmetric in `y_true` and `y_score`.

    Source: Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR
    2008. Ties: Urbano and Marrero, "The treatment of ties in AP correlation", ICTIR 2017 (version a).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as the scores of a reference ranking: finite, of any sign. NaN means that the document
        was not judged; see `unjudged`. Documents with equal labels count half in any order, so 1 cannot be
        reached if labels are equal.
    y_score, average
        As in :func:`kendall_tau_score`.
    groups, ties, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels are all equal. If `nan`, such queries are excluded from the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1, 0 for constant scores; higher is better. If every query is excluded,
        `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_ap_score
    >>> old, new = [[4, 3, 2, 1]], [[3, 4, 2, 1]]  # the first two change places
    >>> round(kendall_tau_ap_score(old, new), 4)  # 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1
    0.3333
    >>> round(kendall_tau_ap_score(old, [[4, 3, 1, 2]]), 4)  # 2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1
    0.7778
    """
    return compute_call(KENDALL_AP, **locals())


KENDALL = add_metric(_kendall, kendall_tau_score, lower=-1.0, any_label=True)
KENDALL_AP = add_metric(_kendall_ap, kendall_tau_ap_score, lower=-1.0, any_label=True)
