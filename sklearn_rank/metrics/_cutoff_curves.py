"""Curves per query, averaged over queries: NDCG and MAP as functions of the cutoff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .._checks.options import check_choice, check_mean
from .._checks.rows import LabelRules
from .._checks.types import ArrayLike, Average, Discount, Gain, TieRule, Unjudged
from .._engine.blocks import iter_blocks
from .._engine.ranked import Block
from ._average import ExactSums, scale_weights, warn_undefined
from ._average_precision import precision_terms
from ._cautions import Threshold, warn_of_constants
from ._compute import bind
from ._opened import Opened, open_rows
from ._requests import Given, Rules

# Per query of a block: its values at each point, and whether it has any.
CurveFormula = Callable[..., tuple[np.ndarray, np.ndarray]]


def _ndcg_by_k(
    block: Block, *, k: int, gain: Callable[..., np.ndarray], discount: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """NDCG@k = DCG@k / (DCG@k of the best order), for k = 1, 2, ..."""
    discount = discount[: len(block.ranks)]
    gains = block.expected(block.retrieved(gain(block.labels)))[:, :k]
    ideal = np.cumsum(block.judged(gain(block.best_labels(k))) * discount, axis=1)
    return np.cumsum(gains * discount, axis=1) / np.where(ideal > 0, ideal, 1), ideal[:, -1] > 0


def _map_by_k(
    block: Block, *, k: int, min_relevance: float, denominator: str
) -> tuple[np.ndarray, np.ndarray]:
    """AP@k = sum of P@i over the ranks i <= k of relevant documents / min(k, R), for k = 1, 2, ..."""
    terms, n_relevant = precision_terms(block, min_relevance)
    terms, n_relevant = terms[:, :k], n_relevant[:, None]
    best = np.minimum(block.ranks[:k], n_relevant) if denominator == "achievable" else n_relevant
    return np.cumsum(terms, axis=1) / np.maximum(best, 1), n_relevant[:, 0] > 0


def compute_curve(
    function: str, formula: CurveFormula, opened: Opened, rules: Rules, n_points: int, **params: Any
) -> np.ndarray:
    """Average the curves of all queries; the last value of a short one holds for the points beyond it."""
    rows, zero_division = opened.rows, rules.zero_division
    n_queries = len(rows.queries.lengths)
    weights = rows.weights
    if rules.average == "weighted":
        weights = rows.queries.lengths * (1.0 if weights is None else weights)
    weights = np.ones(n_queries) if weights is None else scale_weights(weights)
    per_query = np.full((n_queries, n_points), zero_division) if rules.average is None else None
    totals, total_weights = ExactSums(n_queries, 1.0), ExactSums(n_queries, 1.0)  # no value is above 1
    n_values = len(params["levels"]) if "levels" in params else 1
    for block in iter_blocks(rows, opened.scores, rules.ties, n_values):
        values, defined = formula(block, **params)
        values = np.where(defined[:, None], values, zero_division)
        if per_query is not None:
            n_known = values.shape[1]
            per_query[block.members, :n_known] = values
            per_query[block.members, n_known:] = values[:, -1:]
            continue
        w = np.where(defined | ~np.isnan(zero_division), weights[block.members], 0)
        totals.add(w[w > 0, None] * values[w > 0], n_points)
        total_weights.add(w)
    if per_query is not None:
        curve = rows.queries.by_id(per_query)
    elif total_weights.total() > 0:
        curve = totals.total() / total_weights.total()
    else:
        curve = np.full(n_points, np.nan)
        warn_undefined(function)
    least = params.get("min_relevance")
    thresholds = [] if least is None else [Threshold("", least, rules.unjudged, curve)]
    warn_of_constants(function, opened, thresholds, 1)
    return curve


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
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """NDCG at every cutoff, in one pass.

    Parameters
    ----------
    y_true, y_score, groups, gain, discount, ties, unjudged, zero_division, average, sample_weight
        As in :func:`ndcg_score`.
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
    >>> from sklearn_rank import ndcg_curve
    >>> k, ndcg = ndcg_curve([[0, 1, 1]], [[3, 2, 1]])
    >>> k, ndcg.round(3)
    (array([1, 2, 3]), array([0.   , 0.387, 0.693]))
    """
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    return _by_k("ndcg_curve", _ndcg_by_k, given, rules, max_k, gain=gain, discount=discount)


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
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean average precision at every cutoff, in one pass.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, average, sample_weight
        As in :func:`map_score`.
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
    >>> from sklearn_rank import map_curve
    >>> k, ap = map_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> ap.round(3)
    array([1.   , 0.5  , 0.833])
    """
    check_choice("denominator", denominator, ("achievable", "relevant"), "map_curve")
    given = Given(y_true, y_score, groups, sample_weight)
    rules = Rules(ties, unjudged, average, zero_division)
    params = {"min_relevance": min_relevance, "denominator": denominator}
    return _by_k("map_curve", _map_by_k, given, rules, max_k, **params)


def _by_k(
    function: str, formula: CurveFormula, given: Given, rules: Rules, max_k: int | None, **params: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Compute a metric at the cutoffs 1, 2, ..., max_k."""
    options = {"max_k": max_k, "ties": rules.ties, "zero_division": rules.zero_division, **params}
    check_mean(function, rules.average, **options, unjudged=rules.unjudged)
    opened = open_rows(function, given, LabelRules(rules.unjudged))
    k = opened.rows.longest if max_k is None else int(max_k)
    bound = bind({**params, "k": k}, opened.rows, function)
    rules = rules._replace(zero_division=float(rules.zero_division))
    return np.arange(1, k + 1), compute_curve(function, formula, opened, rules, k, **bound)
