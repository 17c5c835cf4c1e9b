"""Means of metrics over the intents of a query: ERR-IA, intent-aware metrics and subtopic recall."""

from __future__ import annotations

import numpy as np

from ..._checks import explain_parameters
from ..._checks.errors import fail
from ..._checks.options import check_needed_k
from ..._checks.types import (
    ArrayLike,
    Average,
    Gain,
    ListTieRule,
    Normalize,
    Options,
    Unjudged,
    UnjudgedIntent,
)
from ..._engine.blocks import iter_blocks
from .._binary import HIT_RATE
from .._compute import bind, compute_with_inputs
from .._factory import INTENTS, add_metric
from .._gain import ERR
from .._gains_and_discounts import bind_discount
from .._names import build_requests, parse_name
from .._table import Ratio, Request, Rules, find_label_rules
from .intent_metrics import Fading, best_sums, find_vectors, sum_bounds
from .intent_rows import (
    IntentRows,
    Intents,
    check_intent_options,
    check_request,
    find_means,
    mean_over_intents,
)


@explain_parameters
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
    """Compute intent-aware expected reciprocal rank (ERR-IA) for each query and average it over queries.

    ERR-IA is the weighted mean of ERR over intents.

    Source: Chapelle et al., "Intent-based diversification of web search results: metrics and algorithms",
    Information Retrieval 2011. ndeval's ERR-IA has ``max_grade=1, normalize="bound"``, its nERR-IA
    ``normalize="ideal"``.

    Parameters
    ----------
    y_true, y_score, groups, k, ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.
    gain : {"exponential", "linear"}, callable, sequence or mapping, default="exponential"
        Probability that users stop at a label, as in :func:`err_score`.
    max_grade : float, default=None
        Highest grade of the scale. If `None`, the highest label of all intents in the data.
    normalize : {"ideal", "bound"} or None, default=None
        Divisor of the mean: "ideal" is the mean of the greedy best ranking of the query, "bound" the mean of
        a ranking in which all documents have the highest grade for all intents. If `None`, the mean is not
        divided.
    intent_weight : array-like of shape (n_intents,) or (n_rows, n_intents), default=None
        Weight of each intent on any scale, or of each intent in each query, repeated on each row. Intents
        without a relevant document are excluded from the mean. If `None`, all weights are equal.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Notes
    -----
    The ideal ranking is built greedily, as in :func:`alpha_ndcg_score`.

    Examples
    --------
    >>> from sklearn_rank.metrics import err_ia_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]
    >>> err_ia_score(y_true, [3, 2, 1], groups=["jaguar"] * 3)  # (1/2 + 1/4 / 2 + 1/2 / 3) / 2
    0.3958...
    """
    return compute_with_inputs(ERR_IA, **locals())


def _err_ia(rows: IntentRows, *, normalize: str | None, ties: str, unjudged: str, **params: object) -> Ratio:
    """ERR-IA@k = mean over intents of ERR@k."""
    request = Request("", ERR, {**params, "discount": "reciprocal"}, Rules(ties, unjudged))
    intents = rows.under(find_label_rules([request]))
    weights = rows.weigh(intents)
    values, norm = mean_over_intents(request, intents, weights)
    if normalize is not None:
        values = values / np.where(norm > 0, _find_divisor(request, intents, weights, norm, normalize), 1)
    return Ratio(values, 1, norm > 0)


def _find_divisor(
    request: Request, intents: Intents, weights: np.ndarray, norm: np.ndarray, normalize: str
) -> np.ndarray:
    """Return the ERR-IA of the greedy best ranking of each query, or the bound of all rankings."""
    k, max_grade = request.params["k"], request.params["max_grade"]
    longest = intents.opened.rows.longest
    labels = np.nan_to_num(intents.labels).astype(np.float64, copy=False)  # gains in float32 are inexact
    flat = intents.of_labels(labels.ravel(), (intents.lowest, intents.highest))
    stop = bind({**request.params, "k": 1}, flat.rows)["stop"]
    if normalize == "bound":
        named = max_grade is not None and isinstance(request.params["gain"], str)
        highest = float(stop(np.array([max_grade if named else intents.highest]))[0])
        discounts = bind_discount("reciprocal", k or longest)
        return highest * sum_bounds(1 - highest, discounts, k, intents.queries.lengths)
    kinds, distinct = find_vectors(labels)
    first = int(kinds.min())  # without documents of zeros, 0 may be no label
    stops = np.concatenate((np.zeros((1, distinct.shape[1])), stop(distinct[first:])))
    kinds = kinds - first + 1  # code 0 is that of no document
    data = intents.of_labels(kinds.astype(np.float64), (0.0, float(len(stops) - 1)))
    discounts = bind_discount("reciprocal", min(k or longest, longest))
    best, fading = np.empty(len(norm)), Fading(stops, 1 - stops, weights)
    for block in iter_blocks(data.rows, data.scores):
        best[block.members] = best_sums(block, fading, discounts)
    return best / np.where(norm > 0, norm, 1)


ERR_IA = add_metric(_err_ia, err_ia_score, INTENTS, unbounded_with=("ideal",))


@explain_parameters
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
    """Compute the mean of a metric over intents, such as NDCG-IA or MAP-IA, and average it over queries.

    Source: Agrawal et al., "Diversifying search results", WSDM 2009. ndeval's MAP-IA has the metric
    ``"map(denominator=relevant)"``, its P-IA@10 the metric ``"precision@10"``.

    Parameters
    ----------
    metric : str
        Name of a metric such as ``"ndcg@10"``, ``"map"`` or ``"precision@5(min_relevance=2)"``. Parameters in
        the name take precedence over the arguments below.
    y_true, y_score, groups, min_relevance, ties, average, sample_weight
        As in :func:`alpha_ndcg_score`.
    intent_weight
        As in :func:`err_ia_score`.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query. Each intent is treated
        separately.
    zero_division : {0.0, 1.0, nan} or None, default=None
        Value of a query for which the metric is undefined for all intents. If `nan`, such queries are
        excluded from the mean. If `None`, the default of the metric is used.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In the range of the metric. If every query is excluded, `nan` is returned with a warning.

    Notes
    -----
    The best ranking differs between intents: a ranking with an NDCG-IA of 1 might not exist, and a ranking
    for the most likely intent alone can have the highest value. If redundant documents should have lower
    gains, use :func:`alpha_ndcg_score`.

    Examples
    --------
    >>> from sklearn_rank.metrics import intent_aware_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]
    >>> intent_aware_score("mrr", y_true, [3, 2, 1], groups=["jaguar"] * 3, intent_weight=[0.9, 0.1])
    0.9333...
    """
    return compute_with_inputs(INTENT_AWARE, **locals())


def _check_metric(options: Options) -> Options:
    """Check the options; the name of the metric can set the options of the mean."""
    rules = _request_of_intents(options).rules
    return {**options, "average": rules.average, "zero_division": rules.zero_division}


def _request_of_intents(options: Options) -> Request:
    """Check the options, and return the request for each intent."""
    metric = options["metric"]
    if not isinstance(metric, str):
        fail("metric", "be the name of a metric such as 'ndcg@10'", repr(metric))
    parse_name(metric, "metric")
    of_all = {name: value for name, value in options.items() if name not in ("metric", "intent_weight")}
    (request,) = build_requests([metric], of_all)
    check_request(request)
    return request.checked()


def _intent_aware(rows: IntentRows, **options: object) -> Ratio:
    """Metric-IA = mean over intents of the metric."""
    return find_means(rows, _request_of_intents(options))


INTENT_AWARE = add_metric(_intent_aware, intent_aware_score, INTENTS, check=_check_metric, named=False)


@explain_parameters
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
    """Compute the share of intents that are covered by the first `k` documents and average it over queries.

    Source: Zhai, Cohen and Lafferty, "Beyond independent relevance: methods and evaluation metrics for
    subtopic retrieval", SIGIR 2003. Called strec in ndeval.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.
    k : int
        Number of top-ranked documents to consider, at least 1.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better. Only intents with a relevant document count. With ties, it is the
        expected value. If every query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import subtopic_recall_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document repeats the first
    >>> subtopic_recall_score(y_true, [3, 2, 1], groups=["jaguar"] * 3, k=2)
    0.5
    """
    return compute_with_inputs(SUBTOPIC_RECALL, **locals())


def _check_cutoff(options: Options) -> Options:
    check_needed_k(options["k"])
    return check_intent_options(options)


def _subtopic_recall(rows: IntentRows, *, ties: str, unjudged: str, **params: object) -> Ratio:
    """S-recall@k = intents with a relevant document in the top k / intents with a relevant document."""
    defaults = {name: HIT_RATE.defaults[name] for name in HIT_RATE.params}
    return find_means(rows, Request("", HIT_RATE, defaults | params, Rules(ties, unjudged)).checked())


SUBTOPIC_RECALL = add_metric(_subtopic_recall, subtopic_recall_score, INTENTS, check=_check_cutoff)
