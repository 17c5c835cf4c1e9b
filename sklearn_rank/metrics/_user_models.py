"""Metrics of users who may stop after each document: RBP and INSQ."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.types import ArrayLike, Average, MaxGrade, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._gains_and_discounts import add_weighted, find_worth
from ._table import Ratio


def _rbp(block: Block, *, k: int | None, p: float, min_relevance: float | None, max_grade: MaxGrade) -> Ratio:
    """RBP@k = (1 - p) * sum of p^(r - 1) over the ranks r <= k of relevant documents."""
    weights = p ** (block.ranks - 1)
    if min_relevance is None:  # labels count as they are
        return Ratio((1 - p) * add_weighted(block.retrieved(block.top_labels(k)), weights, k, block))
    worth = find_worth(block, min_relevance, max_grade)
    value = (1 - p) * add_weighted(block.retrieved(worth), weights, k, block)
    return Ratio(np.minimum(value, 1), 1, worth.any(axis=1))  # at most 1 without rounding


@explain_parameters
def rbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Rank-biased precision per query, averaged over queries.

    The expected share of relevant documents that a user sees who goes on to the next document with
    probability `p`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0 unless `signed`; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    p : float, default=0.8
        Probability in (0, 1) that the user goes on from one document to the next.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    max_grade : float, "query" or None, default=None
        Highest grade of the scale: a document is worth label / max_grade, and relevant with any label above
        0. "query": the highest grade of its query. None: relevant documents are worth 1, others 0.
    signed : bool, default=False
        Whether labels count as they stand, of any sign, as those of debiased clicks: no threshold of
        them is unbiased. A query without a click counts 0.
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
        In [0, 1), as the list is finite, and any number if `signed`; higher is better. nan, with a
        warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Moffat and Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 2008. With
    ``max_grade="query"`` it is that of trec_eval 10.
    Debiased clicks: Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased
    feedback", WSDM 2017.

    Examples
    --------
    >>> from sklearn_rank import rbp_score
    >>> round(rbp_score([[1, 0, 1]], [[3, 2, 1]], p=0.5), 4)  # (1 - 0.5) * (1 + 0.25)
    0.625
    >>> rbp_score([[1, 0, 2]], [[3, 2, 1]], p=0.5, max_grade=2)  # (1 - 0.5) * (1/2 + 1 * 0.25)
    0.375
    >>> round(rbp_score([[3, -1, 0]], [[3, 2, 1]], p=0.5, signed=True), 4)  # (1 - 0.5) * (3 - 0.5)
    1.25
    """
    return compute_call(RBP, **locals())


RBP = add_metric("rbp", _rbp, rbp_score)


def _rbp_residual(block: Block, *, k: int | None, p: float) -> Ratio:
    """(1 - p) * sum of p^(r - 1) over the ranks r <= min(k, n) of documents not judged, + p^min(k, n)."""
    unjudged = block.retrieved(1 - block.labels)  # labels are 1 for judged documents
    inside = (1 - p) * add_weighted(unjudged, p ** (block.ranks - 1), k, block)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved)
    return Ratio(np.minimum(inside + p ** n_shown.astype(np.float64), 1))


@explain_parameters
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
    "rbp_residual_loss", _rbp_residual, rbp_residual_loss, nan_rule="judgements", greater_is_better=False
)


def _insq(block: Block, *, k: int | None, goal: float, min_relevance: float, max_grade: MaxGrade) -> Ratio:
    """INSQ@k = sum of (r - 1 + 2 T)^-2 over the ranks r <= k of relevant documents / that over all ranks."""
    from scipy.special import polygamma

    worth = find_worth(block, min_relevance, max_grade)
    of_all = polygamma(1, 2 * goal)  # the sum over all ranks 1, 2, ...
    value = add_weighted(block.retrieved(worth), (block.ranks - 1 + 2 * goal) ** -2 / of_all, k, block)
    return Ratio(np.minimum(value, 1), 1, worth.any(axis=1))  # at most 1 without rounding


@explain_parameters
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


INSQ = add_metric("insq", _insq, insq_score)
