"""Curves per query, averaged over queries: NDCG and MAP as functions of the cutoff."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._blocks import iter_blocks
from .._options import check_choice, check_mean
from .._ranked import Block
from ._average import warn_undefined
from ._average_precision import precision_terms
from ._compute import bind
from ._opened import Opened, open_rows, warn_of_constants

# Per query of a block: its values at each point, and whether it has any.
CurveFormula = Callable[..., tuple[np.ndarray, np.ndarray]]


def _ndcg_by_k(block: Block, *, k: int, gain: Callable[..., np.ndarray], discount: np.ndarray) -> Any:
    """NDCG@k = DCG@k / (DCG@k of the best order), for k = 1, 2, ..."""
    discount = discount[: len(block.ranks)]
    gains = block.expected(block.retrieved(gain(block.labels)))[:, :k]
    ideal = np.cumsum(block.judged(gain(block.best_labels(k))) * discount, axis=1)
    return np.cumsum(gains * discount, axis=1) / np.where(ideal > 0, ideal, 1), ideal[:, -1] > 0


def _map_by_k(block: Block, *, k: int, min_relevance: float, denominator: str) -> Any:
    """AP@k = sum of P@i over the ranks i <= k of relevant documents / min(k, R), for k = 1, 2, ..."""
    terms, n_relevant = precision_terms(block, min_relevance)
    terms, n_relevant = terms[:, :k], n_relevant[:, None]
    best = np.minimum(block.ranks[:k], n_relevant) if denominator == "achievable" else n_relevant
    return np.cumsum(terms, axis=1) / np.maximum(best, 1), n_relevant[:, 0] > 0


def compute_curve(
    function: str,
    formula: CurveFormula,
    opened: Opened,
    params: Mapping[str, Any],
    n_points: int,
    ties: str,
    zero_division: float,
    average: str | None,
) -> np.ndarray:
    """Average the curves of all queries; the last value of a short one holds for the points beyond it."""
    lengths = opened.queries.lengths
    weights = np.ones(len(lengths)) if opened.weights is None else opened.weights
    weights = weights * lengths if average == "weighted" else weights
    per_query = np.full((len(weights), n_points), zero_division) if average is None else None
    total, weight = np.zeros(n_points), 0.0
    n_values = len(params["levels"]) if "levels" in params else 1
    for block in iter_blocks(opened.labels, opened.scores, opened.queries, ties, n_values):
        values, defined = formula(block, **params)
        values = np.where(defined[:, None], values, zero_division)
        n_known = values.shape[1]
        if per_query is not None:
            per_query[block.members, :n_known] = values
            per_query[block.members, n_known:] = values[:, -1:]
            continue
        w = np.where(defined | ~np.isnan(zero_division), weights[block.members], 0)
        sums = (w[:, None] * np.where(w[:, None] > 0, values, 0)).sum(axis=0)
        total[:n_known] += sums
        total[n_known:] += sums[-1]
        weight += w.sum()
    if per_query is not None:
        curve = opened.queries.by_id(per_query)
    else:
        curve = total / weight if weight else np.full(n_points, np.nan)
        if weight == 0:
            warn_undefined(function)
    thresholds = {"": (params["min_relevance"], opened.unjudged)} if "min_relevance" in params else {}
    warn_of_constants(function, opened, thresholds, {"": curve})
    return curve


def ndcg_curve(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    max_k: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
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
    params = {"gain": gain, "discount": discount}
    return _by_k(
        "ndcg_curve",
        _ndcg_by_k,
        (y_true, y_score, groups, sample_weight),
        max_k,
        params,
        ties,
        unjudged,
        zero_division,
        average,
    )


def map_curve(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    denominator: str = "achievable",
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    average: str | None = "macro",
    sample_weight: Any = None,
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
    params = {"min_relevance": min_relevance, "denominator": denominator}
    return _by_k(
        "map_curve",
        _map_by_k,
        (y_true, y_score, groups, sample_weight),
        max_k,
        params,
        ties,
        unjudged,
        zero_division,
        average,
    )


def _by_k(
    function: str,
    formula: CurveFormula,
    rows: tuple[Any, Any, Any, Any],
    max_k: int | None,
    params: Mapping[str, Any],
    ties: str,
    unjudged: str,
    zero_division: float,
    average: str | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute a metric at the cutoffs 1, 2, ..., max_k."""
    check_mean(function, average, max_k=max_k, ties=ties, zero_division=zero_division, **params)
    opened = open_rows(function, *rows, unjudged)
    k = int(opened.queries.lengths.max()) if max_k is None else int(max_k)
    params = bind({**params, "k": k}, opened, function)
    values = compute_curve(function, formula, opened, params, k, ties, float(zero_division), average)
    return np.arange(1, k + 1), values
