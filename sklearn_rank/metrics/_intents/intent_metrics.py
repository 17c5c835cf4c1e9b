"""Metrics of queries with several intents: means over intents, or discounts of repeated intents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._checks import explain_parameters
from ..._checks.codes import rank_ids
from ..._checks.errors import fail
from ..._checks.options import check_needed_k
from ..._checks.rows import LabelRules
from ..._checks.types import (
    ArrayLike,
    Average,
    Discount,
    Gain,
    ListTieRule,
    Normalize,
    Options,
    Unjudged,
    UnjudgedIntent,
    Values,
)
from ..._engine.blocks import iter_blocks
from ..._engine.ranked import Block
from ..._engine.ties import NEGLIGIBLE
from .._binary import HIT_RATE
from .._compute import bind, compute_beside
from .._factory import INTENTS, add_metric
from .._gain import ERR
from .._gains_and_discounts import bind_discount
from .._names import build_requests, parse_name
from .._table import Ratio, Request, Rules, find_label_rules
from .intent_rows import (
    IntentRows,
    Intents,
    check_intent_options,
    check_request,
    find_means,
    mean_over_intents,
)

CELLS = 2**18  # labels of queries and intents that are floats in memory at once
ALIKE = 1e-12  # gains with a smaller relative difference differ by rounding only


def find_vectors(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the rows of a matrix of labels >= 0 by distinct row; return these too, sorted, all 0 first."""
    places = np.zeros(len(labels), dtype=np.int64)
    for column in labels.T:
        levels = column if column.dtype == bool else np.unique(column, return_inverse=True)[1]
        places = rank_ids(places * (int(levels.max()) + 1) + levels)
    examples = np.empty(int(places.max()) + 1, dtype=np.int64)
    examples[places] = np.arange(len(labels))
    distinct = labels[examples]
    if distinct[0].any():
        distinct = np.concatenate((np.zeros_like(distinct[:1]), distinct))
        places = places + 1
    return places, distinct


class Fading(NamedTuple):
    """The gains for the greedy best ranking: each document reduces the rest of the intents it serves."""

    gains: np.ndarray  # of shape (n_distinct, n_intents): of the distinct label vectors
    keeps: np.ndarray  # factor for the rest of each intent
    weights: np.ndarray  # of shape (1, n_intents) or (n_queries, n_intents)


def best_worths(block: Block, fading: Fading, worth: np.ndarray) -> np.ndarray:
    """Return the value of the greedy best ranking of each query of a block.

    The document with the highest gain comes first. Among equal gains, it is the document with the greater
    labels, compared intent by intent, so the order of the rows has no effect.
    """
    places = block.best_labels(None).astype(np.intp)  # from high to low
    places = places[:, : max(1, int((places > 0).sum(axis=1).max()))]
    of_block = np.broadcast_to(fading.weights, (len(fading.weights), fading.gains.shape[1]))
    of_block = of_block[block.members] if len(of_block) > 1 else np.repeat(of_block, len(places), axis=0)
    step = max(1, CELLS // (places.shape[1] * fading.gains.shape[1]))
    parts = [slice(start, start + step) for start in range(0, len(places), step)]
    return np.concatenate([_climb(places[part], fading, of_block[part], worth) for part in parts])


def _climb(places: np.ndarray, fading: Fading, weights: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Choose one document after another, for all ranks with a weight."""
    offered, left = fading.gains[places], weights[:, :, None].copy()
    each = np.arange(len(places))
    total = np.zeros(len(places))
    for worth_of_rank in worth[: places.shape[1]]:
        gains = np.matmul(offered, left)[:, :, 0]
        chosen = (gains >= gains.max(axis=1, keepdims=True) * (1 - ALIKE)).argmax(axis=1)
        total += gains[each, chosen] * worth_of_rank
        offered[each, chosen] = 0
        left *= fading.keeps[places[each, chosen], :, None]
    return total


def sum_novelty(
    rows: IntentRows,
    alpha: float,
    worth: np.ndarray,
    normalize: str | None,
    *,
    min_relevance: float,
    ties: str,
    unjudged: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Sum, over ranks and intents, worth * (1 - alpha) ** (relevant documents of the intent above).

    If `normalize` is "ideal", the sums are divided by those of the greedy best rankings. The number of
    intents with a relevant document is returned too.
    """
    intents = rows.under(LabelRules(unjudged))
    marks = intents.labels >= min_relevance
    kinds, distinct = find_vectors(marks)
    data = intents.of_labels(kinds.astype(np.float64), (0.0, float(len(distinct) - 1)))
    gains = distinct.astype(np.float64)
    fading = Fading(gains, 1 - alpha * gains, np.ones((1, marks.shape[1])))
    found, best = np.empty(len(intents.queries.lengths)), np.ones(len(intents.queries.lengths))
    for block in iter_blocks(data.rows, data.scores, ties):
        places = block.top_labels(len(worth)).astype(np.intp)
        n_ranks = min(places.shape[1], len(worth))
        by_rank = np.zeros((len(places), n_ranks))
        for of_intent in distinct.T:
            by_rank += block.of_top(of_intent[places]).fading(1 - alpha, n_ranks)[:, :n_ranks]
        found[block.members] = by_rank @ worth[:n_ranks]
        if normalize == "ideal":
            best[block.members] = best_worths(block, fading, worth)
    n_intents: np.ndarray = intents.find_present(marks).sum(axis=1)
    return found / np.where(n_intents > 0, best, 1), n_intents


def sum_bounds(keep: float, worth: np.ndarray, k: int | None, lengths: np.ndarray) -> np.ndarray:
    """Sum worth * keep ** (rank - 1) over the first `k` ranks, or over all ranks of each query."""
    sums = np.cumsum(worth * keep ** np.arange(len(worth), dtype=np.float64))
    return np.full(len(lengths), sums[-1]) if k is not None else sums[lengths - 1]


@explain_parameters
def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    alpha: float = 0.5,
    normalize: Normalize | None = "ideal",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Alpha-NDCG at k: gains fade with each document shown for the same intent; averaged over queries.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_intents)
        Relevance labels of each row, one per intent: real, finite, >= 0; NaN where not judged, see
        `unjudged`.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no
        rank.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    k : int, default=None
        Cutoff >= 1; None for all documents.
    alpha : float, default=0.5
        In [0, 1]: a relevant document is worth (1 - alpha) to the power of how many above it are relevant
        to the same intent.
    normalize : {"ideal", "bound"} or None, default="ideal"
        Divide by what the greedy best list of the query has; by what a list would have all of whose
        documents are relevant to all intents, which is the same for all queries; or not at all.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Worth of a rank: 1 / log2(rank + 1), 1 / rank, a function of an array of ranks, or 1.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    ties : {"average", "order"}, default="average"
        Equal scores: the exact mean over all their orders, or the order of the rows.
    unjudged : {"raise", "nonrelevant"}, default="raise"
        Labels that are NaN: refused, or counted as 0.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], higher is better; the gains themselves with ``normalize=None``. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    The best list is built greedily, as no fast way to the best of all is known: a ranking may be better by
    little, and has more than 1 then. Of documents with equal gains the one with the greater labels comes
    first, compared from the first intent on.

    References
    ----------
    Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR 2008. ndeval's
    alpha-nDCG is the default, its alpha-DCG has ``normalize="bound"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_ndcg_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document says what the first has said
    >>> round(alpha_ndcg_score(y_true, [3, 2, 1], groups=["jaguar"] * 3), 3)
    0.965
    """
    return compute_beside(ALPHA_NDCG, **locals())


def _alpha_ndcg(
    rows: IntentRows, *, k: int | None, alpha: float, normalize: str | None, discount: Values, **rules: Any
) -> Ratio:
    """Alpha-NDCG@k = alpha-DCG@k / (alpha-DCG@k of the greedy best list)."""
    longest = rows.opened.rows.longest
    worth = bind_discount(discount, min(k or longest, longest))
    values, n_intents = sum_novelty(rows, alpha, worth, normalize, **rules)
    if normalize == "bound":
        bounds = sum_bounds(1 - alpha, bind_discount(discount, k or longest), k, rows.queries.lengths)
        values = values / (bounds * np.maximum(n_intents, 1))
    return Ratio(values, 1, n_intents > 0)


ALPHA_NDCG = add_metric("alpha_ndcg", _alpha_ndcg, alpha_ndcg_score, INTENTS, exceeds=("ideal", None))


@explain_parameters
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


def _nrbp(rows: IntentRows, *, alpha: float, beta: float, normalize: str | None, **rules: Any) -> Ratio:
    """NRBP = (1 - (1 - alpha) beta) / (number of intents) * sum of beta^(rank - 1) times the novel gains."""
    worth = beta ** np.arange(rows.opened.rows.longest, dtype=np.float64)
    values, n_intents = sum_novelty(rows, alpha, worth[worth > NEGLIGIBLE], normalize, **rules)
    if normalize == "bound":
        values = values * (1 - (1 - alpha) * beta) / np.maximum(n_intents, 1)
    return Ratio(values, 1, n_intents > 0)


NRBP = add_metric("nrbp", _nrbp, nrbp_score, INTENTS, exceeds=("ideal", None))


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


def _err_ia(rows: IntentRows, *, normalize: str | None, ties: str, unjudged: str, **params: object) -> Ratio:
    """ERR-IA@k = mean over intents of ERR@k."""
    request = Request("", ERR, {**params, "discount": "reciprocal"}, Rules(ties, unjudged))
    intents = rows.under(find_label_rules([request]))
    weights = rows.weigh(intents)
    values, norm = mean_over_intents(request, intents, weights)
    if normalize is not None:
        values = values / np.where(norm > 0, _find_most(request, intents, weights, norm, normalize), 1)
    return Ratio(values, 1, norm > 0)


def _find_most(
    request: Request, intents: Intents, weights: np.ndarray, norm: np.ndarray, normalize: str
) -> np.ndarray:
    """Return the ERR-IA of the best ranking of each query, or of a ranking that is best for all intents."""
    k, max_grade = request.params["k"], request.params["max_grade"]
    longest = intents.opened.rows.longest
    labels = np.nan_to_num(intents.labels)
    flat = intents.of_labels(labels.ravel(), (intents.lowest, intents.highest))
    stop = bind({**request.params, "k": 1}, flat.rows)["stop"]
    if normalize == "bound":
        named = max_grade is not None and isinstance(request.params["gain"], str)
        highest = float(stop(np.array([max_grade if named else intents.highest]))[0])
        worth = bind_discount("reciprocal", k or longest)
        return highest * sum_bounds(1 - highest, worth, k, intents.queries.lengths)
    kinds, distinct = find_vectors(labels)
    stops = stop(distinct)
    data = intents.of_labels(kinds.astype(np.float64), (0.0, float(len(stops) - 1)))
    worth = bind_discount("reciprocal", min(k or longest, longest))
    best, fading = np.empty(len(norm)), Fading(stops, 1 - stops, weights)
    for block in iter_blocks(data.rows, data.scores):
        best[block.members] = best_worths(block, fading, worth)
    return best / np.where(norm > 0, norm, 1)


ERR_IA = add_metric("err_ia", _err_ia, err_ia_score, INTENTS, exceeds=("ideal",))


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
    """Check the options; the name of the metric can set the options of the mean."""
    rules = _request_of_intents(options).rules
    return {**options, "average": rules.average, "zero_division": rules.zero_division}


def _request_of_intents(options: Options) -> Request:
    """Check the options, and return the request for each intent."""
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
    """Check the options, including the required cutoff."""
    check_needed_k(options["k"])
    return check_intent_options(options)


def _subtopic_recall(rows: IntentRows, *, ties: str, unjudged: str, **params: object) -> Ratio:
    """S-recall@k = intents with a relevant document in the top k / intents with one at all."""
    defaults = {name: HIT_RATE.defaults[name] for name in HIT_RATE.params}
    return find_means(rows, Request("", HIT_RATE, defaults | params, Rules(ties, unjudged)).checked())


SUBTOPIC_RECALL = add_metric(
    "subtopic_recall", _subtopic_recall, subtopic_recall_score, INTENTS, check=_check_cutoff
)
