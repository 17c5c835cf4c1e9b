"""INSQ: users who look for so many relevant documents go on with a probability that rises with the rank."""

from __future__ import annotations

from typing import Unpack, overload

import numpy as np

from .._checks.types import ArrayLike, Average, MaxGrade, ResponseMethod, TieRule, Unjudged
from .._engine.ranked import Block
from . import _scorers
from ._compute import compute
from ._options import BinaryToOptions
from ._requests import Given, Rules
from ._scorers.factories import build_scorer
from ._table import Ratio, add_metric
from ._worth import add_weighted, find_worth


def _insq(block: Block, *, k: int | None, goal: float, min_relevance: float, max_grade: MaxGrade) -> Ratio:
    """INSQ@k = sum of (r - 1 + 2 T)^-2 over the ranks r <= k of relevant documents / that over all ranks."""
    from scipy.special import polygamma

    worth = find_worth(block, min_relevance, max_grade)
    of_all = polygamma(1, 2 * goal)  # the sum over the ranks 1, 2, ... of a list without an end
    weights = (block.ranks - 1 + 2 * goal) ** -2 / of_all
    value = add_weighted(block.retrieved(worth), weights, k, block)
    return Ratio(np.minimum(value, 1), 1, worth.any(axis=1))  # of a series, but for its last digit


class INSQOptions(BinaryToOptions, total=False):
    """What `insq_score` takes by name beside `average`."""

    goal: float
    max_grade: MaxGrade


@overload
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
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def insq_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[INSQOptions]
) -> np.ndarray: ...
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
    return compute(
        INSQ,
        Given(y_true, y_score, groups, sample_weight),
        Rules(ties, unjudged, average, zero_division),
        k=k,
        goal=goal,
        min_relevance=min_relevance,
        max_grade=max_grade,
    )


def insq_scorer(
    *,
    k: int | None = None,
    goal: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.RankingScorer:
    """Make a scorer of INSQ at `k`, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Cutoff >= 1; None for all documents.
    goal, min_relevance, max_grade, ties, unjudged, zero_division, average
        As in :func:`insq_score`; `average` may not be None.
    groups, labels, response_method
        Where query ids, and other labels than `y`, travel, and how the model answers: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank import insq_scorer
    >>> insq_scorer(k=10)
    RankingScorer(metrics='insq@10')
    """
    return build_scorer(
        INSQ,
        groups,
        labels,
        response_method,
        k=k,
        goal=goal,
        min_relevance=min_relevance,
        max_grade=max_grade,
        ties=ties,
        unjudged=unjudged,
        zero_division=zero_division,
        average=average,
    )


INSQ = add_metric("insq", _insq, insq_score, insq_scorer, binary=True)
