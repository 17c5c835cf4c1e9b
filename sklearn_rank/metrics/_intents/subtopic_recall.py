"""Subtopic recall: how many of the intents are covered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.options import check_needed_k
from ..._checks.types import ArrayLike, Average, ListTieRule, UnjudgedIntent
from .._compute import compute_beside
from .._factory import INTENTS, add_metric
from .._hit_rate import HIT_RATE
from .._requests import Request, Rules
from .._table import Options, Ratio
from .rows import IntentRows, check_intent_options, find_means


def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Subtopic recall at k: share of the intents that the first `k` cover, averaged over queries.

    Parameters
    ----------
    y_true, y_score, groups
        As in :func:`alpha_ndcg_score`.
    k : int
        Cutoff >= 1.
    min_relevance, ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], higher is better: of the intents to which a document is relevant. With ties it is expected.
        nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Zhai, Cohen and Lafferty, "Beyond independent relevance: methods and evaluation metrics for subtopic
    retrieval", SIGIR 2003. ndeval names it strec.

    Examples
    --------
    >>> from sklearn_rank.metrics import subtopic_recall_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document says what the first has said
    >>> subtopic_recall_score(y_true, [3, 2, 1], groups=["jaguar"] * 3, k=2)
    0.5
    """
    return compute_beside(SUBTOPIC_RECALL, **locals())


def _check(function: str, options: Options) -> Options:
    """Check the options, of which the cutoff may not be missing."""
    check_needed_k(options["k"], function)
    return check_intent_options(function, options)


def _subtopic_recall(rows: IntentRows, *, ties: str, unjudged: str, **params: Any) -> Ratio:
    """S-recall@k = intents with a relevant document in the top k / intents with one at all."""
    defaults = {name: HIT_RATE.defaults[name] for name in HIT_RATE.params}
    request = Request("", HIT_RATE, defaults | params, Rules(ties, unjudged))
    return find_means(rows, request.checked(rows.function))


SUBTOPIC_RECALL = add_metric(
    "subtopic_recall", _subtopic_recall, subtopic_recall_score, INTENTS, check=_check
)
subtopic_recall_scorer = SUBTOPIC_RECALL.factory
