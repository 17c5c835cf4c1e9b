"""Curves per query, averaged over queries: what is among the first documents, as a function of the cutoff."""

from __future__ import annotations

import numpy as np

from .._checks.types import ArrayLike, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._curve_means import Curves
from ._cutoff_curves import compute_by_k
from ._requests import Given, Rules


def precision_by_k(block: Block, *, k: int, min_relevance: float, adaptive_k: bool) -> Curves:
    """P@k = |relevant in the top k| / k, for k = 1, 2, ..."""
    relevant = block.relevant(min_relevance)
    hits, ranks, n_retrieved = relevant.in_tops[:, :k], block.ranks[:k], block.n_retrieved[:, None]
    if adaptive_k:
        n_shown = np.minimum(ranks, np.maximum(n_retrieved, 1))
        return Curves(hits / n_shown, (relevant.n > 0) & (n_retrieved[:, 0] > 0))
    return Curves(hits / ranks, relevant.n > 0, fade=0.0)


def recall_by_k(block: Block, *, k: int, min_relevance: float) -> Curves:
    """R@k = |relevant in the top k| / |relevant|, for k = 1, 2, ..."""
    relevant = block.relevant(min_relevance)
    return Curves(relevant.in_tops[:, :k] / np.maximum(relevant.n, 1)[:, None], relevant.n > 0)


def f1_by_k(block: Block, *, k: int, min_relevance: float) -> Curves:
    """F1@k = 2 |relevant in the top k| / (k + |relevant|), for k = 1, 2, ..."""
    relevant = block.relevant(min_relevance)
    values = 2 * relevant.in_tops[:, :k] / (block.ranks[:k] + relevant.n[:, None])
    return Curves(values, relevant.n > 0, fade=relevant.n)


def hit_rate_by_k(block: Block, *, k: int, min_relevance: float) -> Curves:
    """hit@k = 1 if a relevant document is in the top k, else 0, for k = 1, 2, ..."""
    relevant = block.relevant(min_relevance)
    return Curves(relevant.any_in_tops[:, :k], relevant.n > 0)


def precision_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Precision at every cutoff, in one pass.

    A mean over queries: there is no ``average="micro"``, which is a ratio of sums.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, adaptive_k, ties, unjudged, zero_division, sample_weight
        As in :func:`precision_at_k_score`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    precision : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``precision_at_k_score(..., k=k)`` for each of them, also beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_curve
    >>> k, precision = precision_curve([[1, 0, 1]], [[3, 2, 1]], max_k=4)
    >>> precision.round(3)
    array([1.   , 0.5  , 0.667, 0.5  ])
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    params = {"min_relevance": min_relevance, "adaptive_k": adaptive_k}
    return compute_by_k("precision_curve", precision_by_k, given, rules, max_k, **params)


def recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Recall at every cutoff, in one pass.

    A mean over queries: there is no ``average="micro"``, which is a ratio of sums.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, sample_weight
        As in :func:`recall_at_k_score`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    recall : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``recall_at_k_score(..., k=k)`` for each of them.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import recall_curve
    >>> k, recall = recall_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> recall
    array([0.5, 0.5, 1. ])
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    return compute_by_k("recall_curve", recall_by_k, given, rules, max_k, min_relevance=min_relevance)


def f1_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """F1 at every cutoff, in one pass.

    A mean over queries: there is no ``average="micro"``, which is a ratio of sums.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, sample_weight
        As in :func:`f1_at_k_score`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    f1 : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``f1_at_k_score(..., k=k)`` for each of them, also beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import f1_curve
    >>> k, f1 = f1_curve([[1, 0, 1]], [[3, 2, 1]], max_k=4)
    >>> f1.round(3)
    array([0.667, 0.5  , 0.8  , 0.667])
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    return compute_by_k("f1_curve", f1_by_k, given, rules, max_k, min_relevance=min_relevance)


def hit_rate_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hit rate at every cutoff, in one pass.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, sample_weight
        As in :func:`hit_rate_at_k_score`.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    hit_rate : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``hit_rate_at_k_score(..., k=k)`` for each of them.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import hit_rate_curve
    >>> k, hit_rate = hit_rate_curve([[0, 1, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]])
    >>> hit_rate
    array([0.5, 1. , 1. ])
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    return compute_by_k("hit_rate_curve", hit_rate_by_k, given, rules, max_k, min_relevance=min_relevance)
