"""Subtopic recall: how many of the intents are covered."""

from __future__ import annotations

from typing import Any, Required, Unpack, overload

import numpy as np

from ..._checks.options import check_needed_k
from ..._checks.types import ArrayLike, Average, ListTieRule, ResponseMethod, UnjudgedIntent
from .. import _scorers
from .._beside import compute_beside
from .._beside_table import Options, Tables
from .._hit_rate import HIT_RATE
from .._options import IntentOptions
from .._requests import Given, Request, Rules
from .._scorers.intent_factories import build_intent_scorer
from .._table import Ratio
from .means import find_means
from .rows import IntentRows, add_intent_metric, check_intent_options


class SubtopicOptions(IntentOptions, total=False):
    """What `subtopic_recall_score` takes by name beside `average`."""

    k: Required[int]
    min_relevance: float


@overload
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
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def subtopic_recall_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[SubtopicOptions]
) -> np.ndarray: ...
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
    given, tables = Given(None, y_score, groups, sample_weight), Tables(intents=y_true)
    options = {"k": k, "min_relevance": min_relevance, "ties": ties, "unjudged": unjudged}
    rules = {"average": average, "zero_division": zero_division}
    scores: float | np.ndarray = compute_beside(SUBTOPIC_RECALL, given, tables, rules, **options)
    return scores


def _check(function: str, options: Options) -> Options:
    """Check the options, of which the cutoff may not be missing."""
    check_needed_k(options["k"], function)
    return check_intent_options(function, options)


def _subtopic_recall(rows: IntentRows, *, ties: str, unjudged: str, **params: Any) -> Ratio:
    """S-recall@k = intents with a relevant document in the top k / intents with one at all."""
    defaults = {name: HIT_RATE.defaults[name] for name in HIT_RATE.params}
    request = Request("", HIT_RATE, defaults | params, Rules(ties, unjudged))
    return find_means(rows, request.checked(rows.function))


def subtopic_recall_scorer(
    *,
    intents: str | list[str] = "intents",
    k: int,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
) -> _scorers.IntentScorer:
    """Make a scorer of subtopic recall at `k`, averaged over queries.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    intents : str or list of str, default="intents"
        Name under which labels of intents travel, ``params={"intents": labels}``, or columns of X that hold
        them, of which the model makes no use.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`subtopic_recall_score`; `average` may not be None.

    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`IntentScorer`.

    Returns
    -------
    IntentScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import subtopic_recall_scorer
    >>> subtopic_recall_scorer(k=10).describe()
    'subtopic_recall_scorer(k=10)'
    """
    return build_intent_scorer(
        SUBTOPIC_RECALL,
        intents,
        groups,
        response_method,
        k=k,
        min_relevance=min_relevance,
        ties=ties,
        unjudged=unjudged,
        zero_division=zero_division,
        average=average,
    )


SUBTOPIC_RECALL = add_intent_metric(
    "subtopic_recall", _subtopic_recall, subtopic_recall_score, subtopic_recall_scorer, _check
)
