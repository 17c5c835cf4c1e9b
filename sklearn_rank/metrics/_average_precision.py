"""Average precision: precision at the rank of each relevant document."""

from __future__ import annotations

import numpy as np

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
    top = last_cutoff(k)
    terms = _list_precisions(block, relevant, top)
    if denominator == "hits":
        return Ratio(_mean_at_hits(block, terms, relevant, top), 1, relevant.n > 0)
    best = relevant.n if k is None or denominator == "relevant" else np.minimum(k, relevant.n)
    return Ratio(sum_top(terms, k), best, relevant.n > 0)


def _list_precisions(block: Block, relevant: Relevant, k: int | None) -> np.ndarray:
    """Return what each rank i <= k is expected to add: P@i if its document is relevant.

    In a tie of t documents, r of them relevant, below a others, h of them relevant, the j-th place adds
    (r / t) (h + 1 + (j - 1) s) / (a + j), s = (r - 1) / (t - 1). At rank i = a + j that is
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


def _mean_at_hits(block: Block, terms: np.ndarray, relevant: Relevant, k: int | None) -> np.ndarray:
    """Mean of P@i over the hits in the top k, 0 without one; exact where ties make their number random."""
    cut = relevant.cut(k)
    if cut is None:
        return terms.sum(axis=1) / np.maximum(relevant.in_top(k), 1)
    # Given m hits on the cut tie's L places in the top k, the j-th place of them adds
    # (m / L) (h + 1 + (j - 1) (m - 1) / (L - 1)) / rank: sums over j first, then the mean over m.
    above, places, h = cut.n_above[:, None], cut.n_places[:, None], cut.marked_above[:, None]
    ranks = block.ranks[:k]
    inverse_ranks = (ranks > above) / ranks
    plain, rising = inverse_ranks.sum(axis=1), (inverse_ranks * (ranks - 1 - above)).sum(axis=1)
    m = np.arange(cut.odds.shape[1])
    inside = (h + 1) * plain[:, None] + (m - 1) / np.maximum(places - 1, 1) * rising[:, None]
    before = (terms * (ranks <= above)).sum(axis=1)
    return (cut.odds * (before[:, None] + m / places * inside) / np.maximum(h + m, 1)).sum(axis=1)


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
) -> float | np.ndarray:
    """Mean average precision: average precision per query, averaged over queries.

    The sum of the precisions at the ranks of the relevant documents among the first `k`, divided by
    min(k, R), R the query's number of relevant documents, so that a perfect ranking scores 1.

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
    k : int, default=None
        Cutoff >= 1; None for all documents.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    denominator : {"achievable", "relevant", "hits"}, default="achievable"
        Divide by min(k, R) (LightGBM, XGBoost, CatBoost), by R (trec_eval), or by the number of relevant
        documents found among the first `k` (torchmetrics, some textbooks; not with the ties "best" and
        "worst", as one more hit may lower this value).
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
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
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. Ties: McSherry
    and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import map_score
    >>> round(map_score([[1, 0, 1, 0, 1, 0]], [[6, 5, 4, 3, 2, 1]]), 4)
    0.7556
    """
    return compute_call(MAP, **locals())


MAP = add_metric("map", _average_precision, map_score, has_curve=True, binary=True)
map_scorer = MAP.factory
