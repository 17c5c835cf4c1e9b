"""Where the first relevant document stands."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, Average, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _reciprocal_rank(block: Block, *, k: int | None, min_relevance: float) -> Ratio:
    """RR@k = 1 / rank of the first relevant document, 0 if it stands below k."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.at_first((block.ranks <= (k or np.inf)) / block.ranks), 1, relevant.n > 0)


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
) -> float | np.ndarray:
    """Mean reciprocal rank: 1 / rank of the first relevant document, averaged over queries.

    A query whose first relevant document stands below `k` counts 0.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
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
    Voorhees, "The TREC-8 question answering track report", 1999. Ties: McSherry and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import mrr_score
    >>> mrr_score([[0, 1, 0, 1]], [[4, 3, 2, 1]])
    0.5
    """
    return compute_call(MRR, **locals())


MRR = add_metric("mrr", _reciprocal_rank, mrr_score, binary=True)
mrr_scorer = MRR.factory
