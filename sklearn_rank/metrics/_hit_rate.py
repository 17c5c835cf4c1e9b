"""Whether a relevant document is shown."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, Average, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _hit_rate(block: Block, *, k: int | np.ndarray, min_relevance: float) -> Ratio:
    """hit@k = 1 if a relevant document is in the top k, else 0."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.any_in_top(k), 1, relevant.n > 0)


def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Hit rate at k: share of queries with a relevant document among the first `k`.

    Also known as success at k. With ties it is the probability of a hit.

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
    trec_eval's success; Deshpande and Karypis, "Item-based top-N recommendation algorithms", TOIS 2004.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> y_true, y_score = [0, 1, 0, 0, 0, 1], [3, 2, 1, 3, 2, 1]
    >>> hit_rate_at_k_score(y_true, y_score, groups=[1, 1, 1, 2, 2, 2], k=2)
    0.5
    """
    return compute_call(HIT_RATE, **locals())


HIT_RATE = add_metric("hit_rate", _hit_rate, hit_rate_at_k_score, has_curve=True, binary=True)
hit_rate_at_k_scorer = HIT_RATE.factory
