"""Curves per query, averaged over queries: NDCG and MAP as functions of the cutoff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from .._checks.options import check_choice, check_mean
from .._checks.rows import LabelRules
from .._checks.types import ArrayLike, Discount, Gain, PlainAverage, TieRule, Unjudged
from .._engine.ranked import Block
from ._average_precision import precision_terms
from ._compute import bind
from ._curve_means import CurveFormula, Curves, compute_curve
from ._opened import Opened, open_rows
from ._requests import Given, Rules


def ndcg_by_k(block: Block, *, k: int, gain: Callable[..., np.ndarray], discount: np.ndarray) -> Curves:
    """NDCG@k = DCG@k / (DCG@k of the best order), for k = 1, 2, ..."""
    discount = discount[: len(block.ranks)]
    gains = block.expected(block.retrieved(gain(block.labels)))[:, :k]
    ideal = np.cumsum(block.judged(gain(block.best_labels(k))) * discount, axis=1)
    values = np.cumsum(gains * discount, axis=1) / np.where(ideal > 0, ideal, 1)
    return Curves(values, ideal[:, -1] > 0)


def map_by_k(block: Block, *, k: int, min_relevance: float, denominator: str) -> Curves:
    """AP@k = sum of P@i over the ranks i <= k of relevant documents / min(k, R), for k = 1, 2, ..."""
    terms, n_relevant = precision_terms(block, min_relevance)
    terms, n_relevant = terms[:, :k], n_relevant[:, None]
    best = np.minimum(block.ranks[:k], n_relevant) if denominator == "achievable" else n_relevant
    return Curves(np.cumsum(terms, axis=1) / np.maximum(best, 1), n_relevant[:, 0] > 0)


class ByK(NamedTuple):
    """What a curve over the cutoffs is computed of: checked rows, and bound parameters of its formula."""

    opened: Opened
    rules: Rules
    k: int  # the last cutoff
    params: dict[str, Any]


def open_by_k(function: str, given: Given, rules: Rules, max_k: int | None, **params: Any) -> ByK:
    """Check options and rows for a curve over the cutoffs."""
    denominator = params.get("denominator", "relevant")  # a mean over "hits" is no sum over ranks
    check_choice("denominator", denominator, ("achievable", "relevant"), function)
    options = {"max_k": max_k, "ties": rules.ties, "zero_division": rules.zero_division, **params}
    check_mean(function, rules.average, **options, unjudged=rules.unjudged)
    opened = open_rows(function, given, LabelRules(rules.unjudged))
    k = opened.rows.longest if max_k is None else int(max_k)
    bound = bind({**params, "k": k}, opened.rows, function)
    return ByK(opened, rules._replace(zero_division=float(rules.zero_division)), k, bound)


def compute_by_k(
    function: str, formula: CurveFormula, given: Given, rules: Rules, max_k: int | None, **params: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Compute a metric at the cutoffs 1, 2, ..., max_k."""
    opened, rules, k, bound = open_by_k(function, given, rules, max_k, **params)
    return np.arange(1, k + 1), compute_curve(function, formula, opened, rules, k, **bound)


def ndcg_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """NDCG at every cutoff, in one pass.

    Parameters
    ----------
    y_true, y_score, groups, gain, discount, ties, unjudged, zero_division, sample_weight
        As in :func:`ndcg_score`.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    ndcg : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``ndcg_score(..., k=k)`` for each of them.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndcg_curve
    >>> k, ndcg = ndcg_curve([[0, 1, 1]], [[3, 2, 1]])
    >>> k, ndcg.round(3)
    (array([1, 2, 3]), array([0.   , 0.387, 0.693]))
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    return compute_by_k("ndcg_curve", ndcg_by_k, given, rules, max_k, gain=gain, discount=discount)


def map_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    denominator: Literal["achievable", "relevant"] = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean average precision at every cutoff, in one pass.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, sample_weight
        As in :func:`map_score`.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query in the
        order of :func:`unique_groups`.
    max_k : int, default=None
        The last cutoff; None for the length of the longest query.
    denominator : {"achievable", "relevant"}, default="achievable"
        As in :func:`map_score`, without "hits".

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        The cutoffs 1, 2, ..., max_k.
    map : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``map_score(..., k=k)`` for each of them.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_curve
    >>> k, ap = map_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> ap.round(3)
    array([1.   , 0.5  , 0.833])
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    params = {"min_relevance": min_relevance, "denominator": denominator}
    return compute_by_k("map_curve", map_by_k, given, rules, max_k, **params)
