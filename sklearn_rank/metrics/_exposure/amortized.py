"""Attention and relevance of each owner, amortized over all queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.types import ArrayLike, Browsing, Gain, ListTieRule, Unjudged
from .._average import warn_undefined
from .._compute import compute_beside
from .._counts import Counts
from .._factory import OWNERS, add_metric
from .rows import OwnedRows


def amortized_exposure_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """How far the exposure of the owners is from what they deserve, amortized over all queries.

    In each query exposure and utility are divided by their sums. The loss is the sum over the owners of
    abs(exposure - utility), each of them summed up over the queries before, divided by the number of queries.

    Parameters
    ----------
    y_true, y_score, groups, owners, k, browsing, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    float
        In [0, 2]: twice the share of exposure that goes to the wrong owners; lower is better, and its scorer
        negates it. Queries without utility or exposure are left out; nan, with a warning, if every query is
        left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Biega, Gummadi and Weikum, "Equity of attention: amortizing individual fairness in rankings", SIGIR 2018;
    their unfairness is this times the number of queries.

    Examples
    --------
    >>> from sklearn_rank.metrics import amortized_exposure_loss
    >>> y_true, owners = [1, 1, 1, 1], ["a", "b", "a", "b"]  # two queries, the same items
    >>> amortized_exposure_loss(y_true, [2, 1, 2, 1], groups=[1, 1, 2, 2], owners=owners, k=1)  # always a
    1.0
    >>> amortized_exposure_loss(y_true, [2, 1, 1, 2], groups=[1, 1, 2, 2], owners=owners, k=1)  # in turn
    0.0
    """
    return compute_beside(AMORTIZED, **locals())


def _count_differences(rows: OwnedRows, **options: Any) -> Counts:
    """Sum up by owner what its exposure exceeds its utility by, both as shares of the query."""
    exposed = rows.expose(True, **options)
    assert exposed.utility is not None  # there are labels
    received, deserved = exposed.by_query(exposed.exposure), exposed.by_query(exposed.utility)
    defined = (received > 0) & (deserved > 0)
    weights = defined * (1.0 if exposed.weights is None else exposed.weights)
    attention = exposed.per_query(exposed.exposure, received)
    relevance = exposed.per_query(exposed.utility, deserved)
    differences = (attention - relevance) * defined[exposed.codes]
    return exposed.add_up({"differences": differences}, {"queries": float(weights.sum())})


def _amortized(counts: Counts, function: str, **_: Any) -> float:
    """Loss = sum over owners of abs(sum over queries of exposure - utility) / (number of queries)."""
    n_queries = counts.totals["queries"]
    if n_queries == 0:
        warn_undefined(function)
        return np.nan
    return float(min(np.abs(counts.sums["differences"]).sum() / n_queries, 2.0))


AMORTIZED = add_metric(
    "amortized_exposure_loss",
    _count_differences,
    amortized_exposure_loss,
    OWNERS,
    conclude=_amortized,
    upper=2.0,
    greater_is_better=False,
)
neg_amortized_exposure_loss_scorer = AMORTIZED.factory
