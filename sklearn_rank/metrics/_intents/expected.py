"""Metrics expected over the intents of a query."""

from __future__ import annotations

import numpy as np

from ..._checks.errors import fail
from ..._checks.options import check_needed_k
from ..._checks.types import ArrayLike, Average, ListTieRule, Options, Unjudged, UnjudgedIntent
from .._binary import HIT_RATE
from .._compute import compute_beside
from .._factory import INTENTS, add_metric
from .._names import build_requests, parse_name
from .._requests import Request, Rules
from .._table import Ratio
from .intent_rows import IntentRows, check_intent_options, check_request, find_means


def intent_aware_score(
    metric: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    intent_weight: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Mean over intents of a metric, such as NDCG-IA or MAP-IA, averaged over queries.

    Parameters
    ----------
    metric : str
        Name of a metric such as ``"ndcg@10"``, ``"map"`` or ``"precision@5(min_relevance=2)"``; what stands
        in it goes before the arguments below.
    y_true, y_score, groups
        As in :func:`alpha_ndcg_score`.
    intent_weight : array-like of shape (n_intents,) or (n_rows, n_intents), default=None
        Probability of each intent, of any scale; of those of each query, repeated on each of its rows.
        None: all alike. Intents to which nothing is relevant are left out, and the others share what
        they had.
    min_relevance, ties
        As in :func:`alpha_ndcg_score`.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or
        median of the query's judged labels, for each intent by itself.
    zero_division : {0.0, 1.0, nan} or None, default=None
        Value of a query where the metric is undefined for all intents; nan leaves it out of the mean. None:
        the metric's own default.
    average, sample_weight
        As in :func:`alpha_ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In the range of the metric. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    The best list of one intent is not that of another: a list that is perfect by NDCG-IA need not exist, and
    a list for the most likely intent alone may have the highest value. Use :func:`alpha_ndcg_score` where
    documents that say the same again are worth less.

    References
    ----------
    Agrawal et al., "Diversifying search results", WSDM 2009. ndeval's MAP-IA is that of
    ``"map(denominator=relevant)"``, its P-IA@10 that of ``"precision@10"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import intent_aware_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]
    >>> intent_aware_score("mrr", y_true, [3, 2, 1], groups=["jaguar"] * 3, intent_weight=[0.9, 0.1])
    0.9333...
    """
    return compute_beside(INTENT_AWARE, **locals())


def _check_metric(options: Options) -> Options:
    """Check the options; those of the mean are what the name of the metric says, if it says any."""
    rules = _request_of_intents(options).rules
    return {**options, "average": rules.average, "zero_division": rules.zero_division}


def _request_of_intents(options: Options) -> Request:
    """Check the options, and return what is asked for of each intent."""
    metric = options["metric"]
    if not isinstance(metric, str):
        fail("metric", "be the name of a metric, as 'ndcg@10'", repr(metric))
    parse_name(metric, "metric")
    of_all = {name: value for name, value in options.items() if name not in ("metric", "intent_weight")}
    (request,) = build_requests([metric], of_all)
    check_request(request)
    return request.checked()


def _intent_aware(rows: IntentRows, **options: object) -> Ratio:
    """Metric-IA = mean over intents of the metric."""
    return find_means(rows, _request_of_intents(options))


INTENT_AWARE = add_metric(
    "intent_aware", _intent_aware, intent_aware_score, INTENTS, check=_check_metric, named=False
)


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


def _check_cutoff(options: Options) -> Options:
    """Check the options, of which the cutoff may not be missing."""
    check_needed_k(options["k"])
    return check_intent_options(options)


def _subtopic_recall(rows: IntentRows, *, ties: str, unjudged: str, **params: object) -> Ratio:
    """S-recall@k = intents with a relevant document in the top k / intents with one at all."""
    defaults = {name: HIT_RATE.defaults[name] for name in HIT_RATE.params}
    request = Request("", HIT_RATE, defaults | params, Rules(ties, unjudged))
    return find_means(rows, request.checked())


SUBTOPIC_RECALL = add_metric(
    "subtopic_recall", _subtopic_recall, subtopic_recall_score, INTENTS, check=_check_cutoff
)
