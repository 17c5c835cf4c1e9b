"""Novelty- and rank-biased precision: users with an intent and some patience."""

from __future__ import annotations

from typing import Unpack, overload

import numpy as np

from ..._checks.rows import LabelRules
from ..._checks.types import ArrayLike, Average, ListTieRule, Normalize, ResponseMethod, UnjudgedIntent
from .. import _scorers
from .._beside import compute_beside
from .._beside_table import Tables
from .._options import IntentOptions
from .._requests import Given
from .._scorers.intent_factories import build_intent_scorer
from .._table import Ratio
from .novelty import sum_novelty
from .rows import IntentRows, add_intent_metric

NEGLIGIBLE = 2.0**-60  # worths below it are lost beside 1 in float64


class NRBPOptions(IntentOptions, total=False):
    """What `nrbp_score` takes by name beside `average`."""

    alpha: float
    beta: float
    normalize: Normalize | None
    min_relevance: float


@overload
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
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def nrbp_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[NRBPOptions]
) -> np.ndarray: ...
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
    given, tables = Given(None, y_score, groups, sample_weight), Tables(intents=y_true)
    options = {
        "alpha": alpha,
        "beta": beta,
        "normalize": normalize,
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
    }
    rules = {"average": average, "zero_division": zero_division}
    scores: float | np.ndarray = compute_beside(NRBP, given, tables, rules, **options)
    return scores


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


def nrbp_scorer(
    *,
    intents: str | list[str] = "intents",
    alpha: float = 0.5,
    beta: float = 0.5,
    normalize: Normalize | None = "bound",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.IntentScorer:
    """Make a scorer of novelty- and rank-biased precision, averaged over queries.

    Parameters
    ----------
    intents : str or list of str, default="intents"
        Name under which labels of intents travel, ``params={"intents": labels}``, or columns of X that hold
        them, of which the model makes no use.
    alpha, beta, normalize, min_relevance, ties, unjudged, zero_division, average
        As in :func:`nrbp_score`; `average` may not be None.

    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`IntentScorer`.

    Returns
    -------
    IntentScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import nrbp_scorer
    >>> nrbp_scorer(beta=0.8).describe()
    'nrbp_scorer(beta=0.8)'
    """
    return build_intent_scorer(
        NRBP,
        intents,
        groups,
        response_method,
        alpha=alpha,
        beta=beta,
        normalize=normalize,
        min_relevance=min_relevance,
        ties=ties,
        unjudged=unjudged,
        zero_division=zero_division,
        average=average,
    )


NRBP = add_intent_metric("nrbp", _nrbp, nrbp_score, nrbp_scorer, exceeds=("ideal", None))
