"""Novelty- and rank-biased precision: users with an intent and some patience."""

from __future__ import annotations

import numpy as np

from ..._checks.rows import LabelRules
from ..._checks.types import ArrayLike, Average, ListTieRule, Normalize, UnjudgedIntent
from .._compute import compute_beside
from .._factory import INTENTS, add_metric
from .._table import Ratio
from .novelty import sum_novelty
from .rows import IntentRows

NEGLIGIBLE = 2.0**-60  # worths below it are lost beside 1 in float64


def nrbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    alpha: float = 0.5,
    beta: float = 0.5,
    normalize: Normalize | None = "bound",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Novelty- and rank-biased precision (NRBP), averaged over queries.

    Parameters
    ----------
    y_true, y_score, groups, alpha
        As in :func:`alpha_ndcg_score`.
    beta : float, default=0.5
        In (0, 1): the share of users who go on from a rank to the next.
    normalize : {"bound", "ideal"} or None, default="bound"
        Divide by what an endless list would have all of whose documents are relevant to all intents, as the
        paper does; by what the greedy best list of the query has; or not at all.
    min_relevance, ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], higher is better; the gains themselves with ``normalize=None``. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    See Also
    --------
    alpha_ndcg_score : Which says more of the best list.

    References
    ----------
    Clarke, Kolla and Vechtomova, "An effectiveness measure for ambiguous and underspecified queries", ICTIR
    2009. ndeval's NRBP is the default, its nNRBP has ``normalize="ideal"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import nrbp_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document says what the first has said
    >>> nrbp_score(y_true, [3, 2, 1], groups=["jaguar"] * 3)  # (1 + 1/2 / 2 + 1 / 4) * (1 - 1/4) / 2
    0.5625
    """
    return compute_beside(NRBP, **locals())


def _nrbp(
    rows: IntentRows,
    *,
    alpha: float,
    beta: float,
    normalize: str | None,
    min_relevance: float,
    ties: str,
    unjudged: str,
) -> Ratio:
    """NRBP = (1 - (1 - alpha) beta) / (number of intents) * sum of beta^(rank - 1) times the novel gains."""
    intents = rows.under(LabelRules(unjudged))
    worth = beta ** np.arange(intents.opened.rows.longest, dtype=np.float64)
    worth = worth[worth > NEGLIGIBLE]
    novelty = sum_novelty(intents, intents.labels >= min_relevance, alpha, worth, ties, normalize == "ideal")
    defined = novelty.n_intents > 0
    values = novelty.found / np.where(defined, novelty.best, 1)
    if normalize == "bound":
        values = values * (1 - (1 - alpha) * beta) / np.maximum(novelty.n_intents, 1)
    return Ratio(values, 1, defined)


NRBP = add_metric("nrbp", _nrbp, nrbp_score, INTENTS, exceeds=("ideal", None))
nrbp_scorer = NRBP.factory
