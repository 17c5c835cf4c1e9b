"""How much of rank-biased precision is open: of documents without a judgement, and below the list."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, PlainAverage, TieRule
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._gains_and_discounts import add_weighted
from ._table import Ratio


def _rbp_residual(block: Block, *, k: int | None, p: float) -> Ratio:
    """(1 - p) * sum of p^(r - 1) over the ranks r <= min(k, n) of documents not judged, + p^min(k, n)."""
    unjudged = block.retrieved(1 - block.labels)  # labels say which are judged
    inside = (1 - p) * add_weighted(unjudged, p ** (block.ranks - 1), k, block)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved)
    return Ratio(np.minimum(inside + p ** n_shown.astype(np.float64), 1))


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
) -> float | np.ndarray:
    """Residual of rank-biased precision per query, averaged over queries: lower is better.

    How much more :func:`rbp_score` would be if all documents without a judgement, and all below the list,
    were relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    p : float, default=0.8
        Probability in (0, 1) that the user goes on from one document to the next.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In (0, 1]; lower is better, and its scorer negates it.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Moffat and Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 2008.

    Examples
    --------
    >>> from sklearn_rank import rbp_residual_loss, rbp_score
    >>> y_true, y_score = [[1, float("nan"), 0]], [[3, 2, 1]]
    >>> rbp_residual_loss(y_true, y_score, p=0.5)  # 0.25 of the second rank, 0.125 of the ranks from 4 on
    0.375
    >>> rbp_score(y_true, y_score, p=0.5, unjudged="nonrelevant")  # RBP is from 0.5 to 0.5 + 0.375
    0.5
    """
    return compute_call(RBP_RESIDUAL, **locals(), unjudged="nonrelevant")


RBP_RESIDUAL = add_metric(
    "rbp_residual_loss", _rbp_residual, rbp_residual_loss, nan_is="judgements", greater_is_better=False
)
neg_rbp_residual_loss_scorer = RBP_RESIDUAL.factory
