"""Metrics of the ranks of relevant documents: MAP and MRR."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, Denominator, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.relevant import Relevant
from .._engine.ties import Cutoff, last_cutoff, sum_top
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _average_precision(block: Block, *, k: Cutoff, min_relevance: float, denominator: str) -> Ratio:
    """AP@k = sum of P@i over the ranks i <= k of relevant documents / min(k, R)."""
    relevant = block.relevant(min_relevance)
    if denominator == "hits":
        return Ratio(_mean_at_hits(block, relevant, last_cutoff(k)), 1, relevant.n > 0)
    best = relevant.n if k is None or denominator == "relevant" else np.minimum(k, relevant.n)
    return Ratio(_sum_precisions(block, relevant, k), best, relevant.n > 0)


def _sum_precisions(block: Block, relevant: Relevant, k: Cutoff) -> np.ndarray:
    """Sum P@i over the ranks i <= k of relevant documents; tie by tie if many are tied, which is faster.

    The n ranks i <= k of a tie contribute (r / t) ((h + 1 - (a + 1) s) H + n s), in the notation of
    `list_precisions`, where H is the sum of 1 / i over these ranks.
    """
    ties = relevant.ties
    if ties is None or isinstance(k, np.ndarray) or not ties.are_many:
        return sum_top(list_precisions(block, relevant, last_cutoff(k)), k)
    (h, r), a, t = relevant.in_ties, ties.columns, ties.sizes
    n = t if k is None else np.clip(k - a, 0, t)
    s = (r - 1) / np.maximum(t - 1, 1)
    inverse = ties.sum_ranks(1 / block.ranks if k is None else (block.ranks <= k) / block.ranks)
    return ties.sum_rows(r / t * ((h + 1 - (a + 1) * s) * inverse + n * s))


def list_precisions(block: Block, relevant: Relevant, k: int | None) -> np.ndarray:
    """Return the expected contribution of each rank i <= k: P@i if its document is relevant.

    Consider a tie of t documents (r relevant) below a documents (h relevant). Its j-th rank contributes
    (r / t) (h + 1 + (j - 1) s) / (a + j) with s = (r - 1) / (t - 1). At rank i = a + j, this is
    (r / t) ((h + 1 - (a + 1) s) / i + s).
    """
    ranks = block.ranks[:k]
    if relevant.ties is None:
        return relevant.sums[:, :k] / ranks * relevant.shown[:, :k]
    (h, r), t = relevant.in_ties, relevant.ties.sizes
    s = (r - 1) / np.maximum(t - 1, 1)
    terms = relevant.ties.spread(r / t * (h + 1 - (relevant.ties.columns + 1) * s))[:, :k]
    terms /= ranks
    terms += relevant.ties.spread(r / t * s)[:, :k]
    return terms


def _mean_at_hits(block: Block, relevant: Relevant, k: int | None) -> np.ndarray:
    """Return the mean of P@i over the hits in the top k, or 0 without hits; it is exact under ties too."""
    terms, cut = list_precisions(block, relevant, k), relevant.cut(k)
    if cut is None:
        return terms.sum(axis=1) / np.maximum(relevant.in_top(k), 1)
    # If m hits are among the L ranks of the cut tie in the top k, the j-th of these ranks adds
    # (m / L) (h + 1 + (j - 1) (m - 1) / (L - 1)) / rank. These are summed over j, then averaged over m.
    above, places, h = cut.n_above[:, None], cut.n_places[:, None], cut.marked_above[:, None]
    ranks = block.ranks[:k]
    inverse_ranks = (ranks > above) / ranks
    plain, rising = inverse_ranks.sum(axis=1), (inverse_ranks * (ranks - 1 - above)).sum(axis=1)
    m = np.arange(cut.odds.shape[1])
    inside = (h + 1) * plain[:, None] + (m - 1) / np.maximum(places - 1, 1) * rising[:, None]
    before = (terms * (ranks <= above)).sum(axis=1)
    return (cut.odds * (before[:, None] + m / places * inside) / np.maximum(h + m, 1)).sum(axis=1)


@explain_parameters
def map_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: Denominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean average precision (MAP) over queries.

    Average precision is the sum of the precisions at the ranks of the relevant documents among the first `k`,
    divided by min(k, R). R is the number of relevant documents of the query. A perfect ranking scores 1.

    Parameters
    ----------
    y_true, groups, k, ties, unjudged, average, sample_weight, missed
        As in :func:`ndcg_score`.
    y_score, min_relevance, zero_division
        As in :func:`recall_at_k_score`.
    denominator : {"achievable", "relevant", "hits"}, default="achievable"
        What to divide the sum by: min(k, R) ("achievable", as in LightGBM, XGBoost and CatBoost), R
        ("relevant", as in trec_eval), or the number of relevant documents among the first `k` ("hits", as in
        torchmetrics). "hits" does not support the ties "best" and "worst", because more hits can lower the
        value.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MAP between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. Ties: McSherry
    and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import map_score
    >>> round(map_score([[1, 0, 1, 0, 1, 0]], [[6, 5, 4, 3, 2, 1]]), 4)
    0.7556
    """
    return compute_call(MAP, **locals())


MAP = add_metric(_average_precision, map_score, has_curve=True)


def _reciprocal_rank(block: Block, *, k: int | None, min_relevance: float) -> Ratio:
    """RR@k = 1 / rank of the first relevant document, 0 if it is below k."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.at_first((block.ranks <= (k or np.inf)) / block.ranks), 1, relevant.n > 0)


@explain_parameters
def mrr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean reciprocal rank (MRR) over queries.

    The reciprocal rank is 1 / rank of the first relevant document, or 0 if its rank is greater than `k`.

    Parameters
    ----------
    y_true, groups, k, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`map_score`.
    y_score
        As in :func:`precision_at_k_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MRR between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    References
    ----------
    Voorhees, "The TREC-8 question answering track report", 1999. Ties: McSherry and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import mrr_score
    >>> mrr_score([[0, 1, 0, 1]], [[4, 3, 2, 1]])
    0.5
    """
    return compute_call(MRR, **locals())


MRR = add_metric(_reciprocal_rank, mrr_score)
