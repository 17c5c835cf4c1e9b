"""NDCG of several intents: what an intent has already been shown for is worth less."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.rows import LabelRules
from ..._checks.types import (
    ArrayLike,
    Average,
    Discount,
    ListTieRule,
    Normalize,
    UnjudgedIntent,
)
from .._compute import compute_beside
from .._factory import INTENTS, add_metric
from .._gains_and_discounts import bind_discount
from .._table import Ratio
from .novelty import sum_bounds, sum_novelty
from .rows import IntentRows


def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    alpha: float = 0.5,
    normalize: Normalize | None = "ideal",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Alpha-NDCG at k: gains fade with each document shown for the same intent; averaged over queries.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_intents)
        Relevance labels of each row, one per intent: real, finite, >= 0; NaN where not judged, see
        `unjudged`.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    alpha : float, default=0.5
        In [0, 1]: a relevant document is worth (1 - alpha) to the power of how many above it are relevant
        to the same intent.
    normalize : {"ideal", "bound"} or None, default="ideal"
        Divide by what the greedy best list of the query has; by what a list would have all of whose
        documents are relevant to all intents, which is the same for all queries; or not at all.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Worth of a rank: 1 / log2(rank + 1), 1 / rank, a function of an array of ranks, or 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order"}, default="average"
        Equal scores: the exact mean over all their orders, or the order of the rows.
    unjudged : {"raise", "nonrelevant"}, default="raise"
        Labels that are NaN: refused, or counted as 0.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], higher is better; the gains themselves with ``normalize=None``. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    The best list is built greedily, as no fast way to the best of all is known: a ranking may be better by
    little, and has more than 1 then. Of documents with equal gains the one with the greater labels comes
    first, compared from the first intent on.

    References
    ----------
    Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR 2008. ndeval's
    alpha-nDCG is the default, its alpha-DCG has ``normalize="bound"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_ndcg_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document says what the first has said
    >>> round(alpha_ndcg_score(y_true, [3, 2, 1], groups=["jaguar"] * 3), 3)
    0.965
    """
    return compute_beside(ALPHA_NDCG, **locals())


def _alpha_ndcg(
    rows: IntentRows,
    *,
    k: int | None,
    alpha: float,
    normalize: str | None,
    discount: Any,
    min_relevance: float,
    ties: str,
    unjudged: str,
) -> Ratio:
    """Alpha-NDCG@k = alpha-DCG@k / (alpha-DCG@k of the greedy best list)."""
    intents = rows.under(LabelRules(unjudged))
    longest = intents.opened.rows.longest
    worth = bind_discount(discount, min(k or longest, longest), rows.function)
    novelty = sum_novelty(intents, intents.labels >= min_relevance, alpha, worth, ties, normalize == "ideal")
    defined = novelty.n_intents > 0
    values = novelty.found / np.where(defined, novelty.best, 1)
    if normalize == "bound":
        all_worths = bind_discount(discount, k or longest, rows.function)
        values = values / (sum_bounds(1 - alpha, all_worths, k, intents) * np.maximum(novelty.n_intents, 1))
    return Ratio(values, 1, defined)


ALPHA_NDCG = add_metric("alpha_ndcg", _alpha_ndcg, alpha_ndcg_score, INTENTS, exceeds=("ideal", None))
alpha_ndcg_scorer = ALPHA_NDCG.factory
