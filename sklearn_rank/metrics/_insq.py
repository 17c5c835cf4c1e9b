"""INSQ: users who look for so many relevant documents go on with a probability that rises with the rank."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, Average, MaxGrade, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._gains_and_discounts import add_weighted, find_worth
from ._table import Ratio


def _insq(block: Block, *, k: int | None, goal: float, min_relevance: float, max_grade: MaxGrade) -> Ratio:
    """INSQ@k = sum of (r - 1 + 2 T)^-2 over the ranks r <= k of relevant documents / that over all ranks."""
    from scipy.special import polygamma

    worth = find_worth(block, min_relevance, max_grade)
    of_all = polygamma(1, 2 * goal)  # the sum over the ranks 1, 2, ... of a list without an end
    weights = (block.ranks - 1 + 2 * goal) ** -2 / of_all
    value = add_weighted(block.retrieved(worth), weights, k, block)
    return Ratio(np.minimum(value, 1), 1, worth.any(axis=1))  # of a series, but for its last digit


def insq_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    goal: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """INSQ per query, averaged over queries: what users get who look for so many relevant documents.

    A user at rank r goes on to the next with probability ((r - 1 + 2 T) / (r + 2 T))**2, which rises with r;
    the value is the share of relevant documents among those looked at.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    goal : float, default=1.0
        How many relevant documents the user wants to find, in (0, 10**6]; T in the paper.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    max_grade : float, "query" or None, default=None
        Highest grade of the scale: a document is worth label / max_grade, and relevant with any label above
        0. "query": the highest grade of its query. None: relevant documents are worth 1, others 0.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1), as the list is finite; higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Moffat, Scholer and Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012, of a list
    without an end. In cwl_eval, and so in ``"ir_measures:INSQ(max_rel=2)"``, the weights of the first 1000
    ranks add up to 1.

    Examples
    --------
    >>> from sklearn_rank import insq_score
    >>> round(insq_score([[1, 0, 1]], [[3, 2, 1]]), 4)  # (1/4 + 1/16) / (1/4 + 1/9 + 1/16 + ...)
    0.4845
    """
    return compute_call(INSQ, **locals())


INSQ = add_metric("insq", _insq, insq_score, binary=True)
insq_scorer = INSQ.factory
