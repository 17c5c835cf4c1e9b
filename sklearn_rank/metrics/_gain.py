"""Metrics of cumulated gain: DCG, NDCG and ERR."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, Discount, Gain, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.ties import Cutoff, last_cutoff, sum_top
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def sum_discounted(gains: np.ndarray, k: Cutoff, discount: np.ndarray) -> np.ndarray:
    """Sum gain(rank) * discount(rank) over the ranks up to k."""
    top = gains[:, : last_cutoff(k)]
    if isinstance(k, np.ndarray):
        return sum_top(top * discount[: top.shape[1]], k)
    return np.einsum("qi,i->q", top, discount[: top.shape[1]])


Function = Callable[..., np.ndarray]


def _cumulate(block: Block, k: Cutoff, gain: Function, discount: np.ndarray) -> np.ndarray:
    """Return the DCG of each query."""
    return sum_discounted(block.expected(block.retrieved(gain(block.top_labels(k)))), k, discount)


def _dcg(block: Block, *, k: Cutoff, gain: Function, discount: np.ndarray) -> Ratio:
    """DCG@k = sum over the ranks i <= k of gain(label_i) * discount(i)."""
    highest = block.judged(gain(block.labels.max(axis=1, keepdims=True)))[:, 0]
    lowest = block.labels.min(axis=1) if block.labels.dtype.kind == "f" else 0  # below 0 if signed
    return Ratio(_cumulate(block, k, gain, discount), 1, (highest > 0) | (lowest < 0))


@explain_parameters
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute discounted cumulative gain (DCG), averaged over queries.

    DCG is the sum of ``gain(label) * discount(rank)`` over the first `k` documents.

    Parameters
    ----------
    groups, k, gain, ties, unjudged, average, sample_weight, missed
        As in :func:`ndcg_score`.
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative, or of any sign if `signed`. NaN means that the document was
        not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Factor of the gain at a rank: 1 / log2(rank + 1) for "log2", 1 / rank for "reciprocal". A callable
        maps an array of ranks to factors. If `None`, gains are not discounted (cumulative gain, CG).
    signed : bool, default=False
        Whether labels can be negative, such as debiased clicks. Requires the linear gain, because only sums
        of labels are unbiased. A query without a click has the value 0.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        DCG, non-negative unless `signed`; higher is better.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002. Ties: McSherry
    and Najork, "Computing information retrieval performance measures efficiently in the presence of tied
    scores", ECIR 2008. Debiased clicks: Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with
    biased feedback", WSDM 2017.

    Examples
    --------
    >>> from sklearn_rank import dcg_score
    >>> round(dcg_score([[3, 2, 3, 0, 1, 2]], [[6, 5, 4, 3, 2, 1]]), 3)
    6.861
    >>> dcg_score([[3, 2, 3, 0, 1, 2]], [[6, 5, 4, 3, 2, 1]], discount=None)
    11.0
    >>> dcg_score([[3.5, -0.5, 0]], [[3, 2, 1]], discount=None, signed=True)
    3.0
    """
    return compute_call(DCG, **locals())


DCG = add_metric(_dcg, dcg_score, upper=inf)


def _ndcg(block: Block, *, k: Cutoff, gain: Function, discount: np.ndarray, ideal: str = "judged") -> Ratio:
    """NDCG@k = DCG@k / (DCG@k of the ideal ranking of all judged documents)."""
    dcg = _cumulate(block, k, gain, discount)
    if ideal == "full":
        highest = gain(block.best_labels(1))[:, 0] * discount.sum()
    else:
        highest = sum_discounted(block.judged(gain(block.best_labels(k))), k, discount)
    # Rounding errors must not raise the DCG above the ideal DCG.
    return Ratio(np.minimum(dcg, highest), highest, highest > 0)


@explain_parameters
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "full"] = "judged",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute normalized discounted cumulative gain (NDCG), averaged over queries.

    NDCG is the DCG of the first `k` documents divided by the DCG of the ideal ranking, in which all judged
    documents are sorted by decreasing label. With the default arguments, values are equal to those of
    :func:`sklearn.metrics.ndcg_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank, but still counts in the ideal ranking.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    gain : {"linear", "exponential"}, callable, sequence or mapping, default="linear"
        Gain of a label; must be non-decreasing in the label. "linear" is the label itself, as in scikit-learn
        and trec_eval; "exponential" is 2**label - 1, as in LightGBM and XGBoost. A callable maps an array of
        labels to gains; a sequence or mapping contains the gain of each grade.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Factor of the gain at a rank: 1 / log2(rank + 1) for "log2", 1 / rank for "reciprocal". A callable
        maps an array of ranks to factors. If `None`, gains are not discounted.
    ideal : {"judged", "full"}, default="judged"
        Ranking whose DCG is the denominator: "judged" sorts the judged documents by decreasing label; "full"
        has the highest label of the query at all ranks up to `k`, as in RecTools. "full" requires `k`.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query in which every gain is 0. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        NDCG between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002.

    Examples
    --------
    >>> from sklearn_rank import ndcg_score
    >>> y_true, y_score = [0, 1, 2, 1, 0], [0.1, 0.3, 0.2, 0.9, 0.4]
    >>> ndcg_score(y_true, y_score, groups=["a", "a", "a", "b", "b"], k=2)
    0.92...
    """
    return compute_call(NDCG, **locals())


NDCG = add_metric(_ndcg, ndcg_score, has_curve=True)


def _err(block: Block, *, k: int | None, stop: Function, discount: np.ndarray) -> Ratio:
    """ERR@k = sum of R_r (1 - R_1) ... (1 - R_(r-1)) / r over the ranks r <= k, R = (2^grade - 1) / 2^max."""
    stops = stop(block.labels)
    shown = block.retrieved(stops)
    reach = block.running_product(1 - shown, k)  # probability of not stopping at or above each rank
    before = np.concatenate((np.ones((len(reach), 1)), reach[:, :-1]), axis=1)
    n_ranks = reach.shape[1]
    # The probability of stopping at each rank. Without ties it is a product, so no digits cancel.
    ends = before * shown[:, :n_ranks] if block.open_ties is None else before - reach
    return Ratio((ends * discount[:n_ranks]).sum(axis=1), 1, block.judged(stops).any(axis=1))


@explain_parameters
def err_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    discount: Discount = "reciprocal",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute expected reciprocal rank (ERR), averaged over queries.

    The user reads the ranking from the top and stops at a document with a probability that increases with its
    grade. ERR is the expected value of 1 / rank of the document at which the user stops, or 0 if the user
    never stops.

    Parameters
    ----------
    y_true, groups, k, ties, unjudged, average, sample_weight, missed
        As in :func:`ndcg_score`.
    y_score
        As in :func:`precision_at_k_score`.
    gain : {"exponential", "linear"}, callable, sequence or mapping, default="exponential"
        Probability that users stop at a label; must be non-decreasing in the label. "exponential" is
        (2**label - 1) / 2**max_grade, "linear" is label / max_grade. A callable maps an array of labels to
        probabilities; a sequence or mapping contains the probability of each grade.
    max_grade : float, default=None
        Highest grade of the scale. Pass it to compare values of different data sets, such as folds. If
        `None`, the highest label in the data is used.
    discount : {"reciprocal", "log2"}, callable or None, default="reciprocal"
        Value of a stop at a rank: 1 / rank for "reciprocal", 1 / log2(rank + 1) for "log2". A callable maps
        an array of ranks to values. If `None`, every stop has the value 1.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query in which no document can satisfy the user. If `nan`, such queries are excluded from
        the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        ERR between 0 and 1; higher is better. With the exponential gain, it is below 1, because some users
        continue even after a document of the highest grade. If every query is excluded, `nan` is returned
        with a warning.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009. For
    CatBoost's ERR, in which labels are probabilities, pass ``gain="linear", max_grade=1``; for its PFound,
    pass ``discount=lambda rank: 0.85 ** (rank - 1)`` too.

    Examples
    --------
    >>> from sklearn_rank import err_score
    >>> err_score([[1, 0, 2]], [[3, 2, 1]], max_grade=2)  # 1/4 + (1 - 1/4) * 3/4 / 3
    0.4375
    """
    return compute_call(ERR, **locals())


ERR = add_metric(_err, err_score)
