"""Precision at the number of relevant documents."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, Average, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio

DIGITS = 6  # of a multiple of R that count


def _r_precision(block: Block, *, min_relevance: float, multiple: float) -> Ratio:
    """R-precision = |relevant in the top c| / c, c = multiple * |relevant|, rounded up."""
    relevant = block.relevant(min_relevance)
    cutoffs = np.ceil(np.round(multiple * relevant.n, DIGITS))  # 1.1 * 10 is 11 and not more
    in_top = block.ranks <= cutoffs[:, None]
    return Ratio((relevant.expected * in_top).sum(axis=1), np.maximum(cutoffs, 1), relevant.n > 0)


def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """R-precision per query, averaged over queries.

    Precision and recall at the cutoff R, the query's number of relevant documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    multiple : float, default=1.0
        Cut at this multiple of R, rounded up; from 0.01 to 10**6.
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
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4 (trec_eval's
    Rprec; Rprec_mult with a multiple).

    Examples
    --------
    >>> from sklearn_rank import r_precision_score
    >>> r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.5
    >>> round(r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], multiple=1.5), 4)  # of the first 3
    0.6667
    """
    return compute_call(R_PRECISION, **locals())


R_PRECISION = add_metric("r_precision", _r_precision, r_precision_score, binary=True)
r_precision_scorer = R_PRECISION.factory
