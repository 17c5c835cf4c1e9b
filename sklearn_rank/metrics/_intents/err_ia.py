"""Expected reciprocal rank of several intents."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.types import ArrayLike, Average, Gain, ListTieRule, Normalize, UnjudgedIntent
from .._compute import bind, compute_beside
from .._err import ERR
from .._factory import INTENTS, add_metric
from .._gains_and_discounts import bind_discount
from .._requests import Request, Rules, find_label_rules
from .._table import Ratio
from .novelty import Fading, best_of_queries, find_vectors, sum_bounds
from .rows import IntentRows, Intents, mean_over_intents


def err_ia_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    normalize: Normalize | None = None,
    intent_weight: ArrayLike | None = None,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Intent-aware expected reciprocal rank (ERR-IA), averaged over queries: the mean of ERR over intents.

    Parameters
    ----------
    y_true, y_score, groups, k
        As in :func:`alpha_ndcg_score`.
    gain : {"exponential", "linear"}, callable, sequence or mapping, default="exponential"
        Probability to stop at a label, as in :func:`err_score`.
    max_grade : float, default=None
        Highest grade of the scale; None for the highest label in the data, of all intents, which differs
        between folds: give it where values are compared.
    normalize : {"ideal", "bound"} or None, default=None
        Divide by what the greedy best list of the query has; by what a list would have all of whose
        documents have the highest grade for all intents, which is the same for all queries; or not at all.
    intent_weight : array-like of shape (n_intents,) or (n_rows, n_intents), default=None
        Probability of each intent, of any scale; of those of each query, repeated on each of its rows.
        None: all alike. Intents to which nothing is relevant are left out, and the others share what
        they had.
    ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], higher is better. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    The best list is built greedily, as in :func:`alpha_ndcg_score`.

    References
    ----------
    Chapelle et al., "Intent-based diversification of web search results: metrics and algorithms", Information
    Retrieval 2011. ndeval's ERR-IA has ``max_grade=1, normalize="bound"``, its nERR-IA ``normalize="ideal"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import err_ia_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]
    >>> err_ia_score(y_true, [3, 2, 1], groups=["jaguar"] * 3)  # (1/2 + 1/4 / 2 + 1/2 / 3) / 2
    0.3958...
    """
    return compute_beside(ERR_IA, **locals())


def _err_ia(rows: IntentRows, *, normalize: str | None, ties: str, unjudged: str, **params: Any) -> Ratio:
    """ERR-IA@k = mean over intents of ERR@k."""
    request = Request("", ERR, {**params, "discount": "reciprocal"}, Rules(ties, unjudged))
    intents = rows.under(find_label_rules([request]))
    weights = rows.weigh(intents)
    values, norm = mean_over_intents(rows.function, request, intents, weights)
    if normalize is not None:
        most = _find_most(rows.function, request, intents, weights, norm, normalize)
        values = values / np.where(norm > 0, most, 1)
    return Ratio(values, 1, norm > 0)


def _find_most(
    function: str, request: Request, intents: Intents, weights: np.ndarray, norm: np.ndarray, normalize: str
) -> np.ndarray:
    """Return the ERR-IA of the best list of each query, or of a list that is best for all intents."""
    k, max_grade = request.params["k"], request.params["max_grade"]
    longest = intents.opened.rows.longest
    labels = np.nan_to_num(intents.labels)
    flat = intents.of_labels(labels.ravel(), (intents.lowest, intents.highest))
    stop = bind({**request.params, "k": 1}, flat.rows, function)["stop"]
    if normalize == "bound":
        named = max_grade is not None and isinstance(request.params["gain"], str)
        highest = float(stop(np.array([max_grade if named else intents.highest]))[0])
        return highest * sum_bounds(
            1 - highest, bind_discount("reciprocal", k or longest, function), k, intents
        )
    vectors = find_vectors(labels)
    stops = stop(vectors.distinct)
    data = intents.of_labels(vectors.places.astype(np.float64), (0.0, float(len(stops) - 1)))
    worth = bind_discount("reciprocal", min(k or longest, longest), function)
    return best_of_queries(data, Fading(stops, 1 - stops, weights), worth) / np.where(norm > 0, norm, 1)


ERR_IA = add_metric("err_ia", _err_ia, err_ia_score, INTENTS, exceeds=("ideal",))
err_ia_scorer = ERR_IA.factory
