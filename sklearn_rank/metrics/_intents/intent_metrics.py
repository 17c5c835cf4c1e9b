"""Metrics that discount repeated intents: alpha-nDCG and NRBP."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._checks import explain_parameters
from ..._checks.codes import rank_ids
from ..._checks.rows import LabelRules
from ..._checks.types import ArrayLike, Average, Discount, ListTieRule, Normalize, UnjudgedIntent, Values
from ..._engine.blocks import iter_blocks
from ..._engine.ranked import Block
from ..._engine.ties import NEGLIGIBLE
from .._compute import compute_with_inputs
from .._factory import INTENTS, add_metric
from .._gains_and_discounts import bind_discount
from .._table import Ratio
from .intent_rows import IntentRows

CELLS = 2**18  # labels of queries and intents that are floats in memory at once
ALIKE = 1e-12  # gains with a smaller relative difference differ by rounding only


def find_vectors(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of each row of labels >= 0 among the distinct rows, and these rows, zeros first."""
    codes = np.zeros(len(labels), dtype=np.int64)
    for column in labels.T:
        levels = column if column.dtype == bool else np.unique(column, return_inverse=True)[1]
        codes = rank_ids(codes * (int(levels.max()) + 1) + levels)
    examples = np.empty(int(codes.max()) + 1, dtype=np.int64)
    examples[codes] = np.arange(len(labels))
    distinct = labels[examples]
    if distinct[0].any():
        distinct = np.concatenate((np.zeros_like(distinct[:1]), distinct))
        codes = codes + 1
    return codes, distinct


class Fading(NamedTuple):
    """The gains for the greedy best ranking: each document reduces the rest of the intents it serves."""

    gains: np.ndarray  # of shape (n_distinct, n_intents): of the distinct label vectors
    keeps: np.ndarray  # factor for the rest of each intent
    weights: np.ndarray  # of shape (1, n_intents) or (n_queries, n_intents)


def best_sums(block: Block, fading: Fading, discounts: np.ndarray) -> np.ndarray:
    """Return the value of the greedy best ranking of each query of a block.

    The document with the highest gain comes first. Among equal gains, it is the document with the greater
    labels, compared intent by intent, so the order of the rows has no effect.
    """
    codes = block.best_labels(None).astype(np.intp)  # from high to low
    codes = codes[:, : max(1, int((codes > 0).sum(axis=1).max()))]
    of_block = np.broadcast_to(fading.weights, (len(fading.weights), fading.gains.shape[1]))
    of_block = of_block[block.members] if len(of_block) > 1 else np.repeat(of_block, len(codes), axis=0)
    step = max(1, CELLS // (codes.shape[1] * fading.gains.shape[1]))
    parts = [slice(start, start + step) for start in range(0, len(codes), step)]
    return np.concatenate([_rank_greedily(codes[part], fading, of_block[part], discounts) for part in parts])


def _rank_greedily(
    codes: np.ndarray, fading: Fading, weights: np.ndarray, discounts: np.ndarray
) -> np.ndarray:
    """Choose one document after another, for all ranks with a weight."""
    unranked, remaining = fading.gains[codes], weights[:, :, None].copy()
    each = np.arange(len(codes))
    total = np.zeros(len(codes))
    for discount in discounts[: codes.shape[1]]:
        gains = np.matmul(unranked, remaining)[:, :, 0]
        chosen = (gains >= gains.max(axis=1, keepdims=True) * (1 - ALIKE)).argmax(axis=1)
        total += gains[each, chosen] * discount
        unranked[each, chosen] = 0
        remaining *= fading.keeps[codes[each, chosen], :, None]
    return total


def sum_novelty(
    rows: IntentRows,
    alpha: float,
    discounts: np.ndarray,
    normalize: str | None,
    *,
    min_relevance: float,
    ties: str,
    unjudged: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Sum, over ranks and intents, discount * (1 - alpha) ** (relevant documents of the intent above).

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
        codes = block.top_labels(len(discounts)).astype(np.intp)
        n_ranks = min(codes.shape[1], len(discounts))
        by_rank = np.zeros((len(codes), n_ranks))
        for of_intent in distinct.T:
            by_rank += block.of_top(of_intent[codes]).fading(1 - alpha, n_ranks)[:, :n_ranks]
        found[block.members] = by_rank @ discounts[:n_ranks]
        if normalize == "ideal":
            best[block.members] = best_sums(block, fading, discounts)
    n_intents: np.ndarray = intents.find_present(marks).sum(axis=1)
    return found / np.where(n_intents > 0, best, 1), n_intents


def sum_bounds(keep: float, discounts: np.ndarray, k: int | None, lengths: np.ndarray) -> np.ndarray:
    """Sum discount * keep ** (rank - 1) over the first `k` ranks, or over all ranks of each query."""
    sums = np.cumsum(discounts * keep ** np.arange(len(discounts), dtype=np.float64))
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
    """Compute alpha-NDCG for each query and average it over queries.

    Each relevant document reduces the gains of the documents below it that are relevant to the same intent.

    Source: Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR 2008. The
    default is ndeval's alpha-nDCG; its alpha-DCG has ``normalize="bound"``.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_rows, n_intents)
        Relevance labels of each row, one per intent: finite and non-negative. NaN means that the document was
        not judged; see `unjudged`.
    y_score : array-like of shape (n_rows,)
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,)
        Query id of each row. Ids can be of any sortable type, and rows can be in any order.
    k, min_relevance, zero_division, average
        As in :func:`map_score`.
    alpha : float, default=0.5
        Redundancy penalty, between 0 and 1: if n documents above a relevant document are relevant to the same
        intent, its gain is (1 - alpha) ** n.
    normalize : {"ideal", "bound"} or None, default="ideal"
        Divisor of the sum of gains: "ideal" is the sum of the greedy best ranking, "bound" the sum of a
        ranking in which all documents are relevant to all intents. If `None`, the sum is not divided.
    discount : {"log2", "reciprocal"}, callable or None, default="log2"
        Factor by which the gain at a rank is multiplied: 1 / log2(rank + 1) for "log2", 1 / rank for
        "reciprocal". A callable maps an array of ranks to an array of factors. If `None`, gains are not
        discounted.
    ties : {"average", "order"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order.
    unjudged : {"raise", "nonrelevant"}, default="raise"
        How to treat NaN labels: raise an error, or replace them by 0.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better. With ``normalize=None``, the sum of gains. If every query is
        excluded, `nan` is returned with a warning.

    Notes
    -----
    The ideal ranking is built greedily, because no fast way to find the best ranking is known. A ranking that
    is slightly better has a value above 1. Documents with equal gains are sorted by decreasing labels, intent
    by intent.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_ndcg_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document repeats the first
    >>> round(alpha_ndcg_score(y_true, [3, 2, 1], groups=["jaguar"] * 3), 3)
    0.965
    """
    return compute_with_inputs(ALPHA_NDCG, **locals())


def _alpha_ndcg(
    rows: IntentRows, *, k: int | None, alpha: float, normalize: str | None, discount: Values, **rules: Any
) -> Ratio:
    """Alpha-NDCG@k = alpha-DCG@k / (alpha-DCG@k of the greedy best list)."""
    longest = rows.opened.rows.longest
    discounts = bind_discount(discount, min(k or longest, longest))
    values, n_intents = sum_novelty(rows, alpha, discounts, normalize, **rules)
    if normalize == "bound":
        bounds = sum_bounds(1 - alpha, bind_discount(discount, k or longest), k, rows.queries.lengths)
        values = values / (bounds * np.maximum(n_intents, 1))
    return Ratio(values, 1, n_intents > 0)


ALPHA_NDCG = add_metric(_alpha_ndcg, alpha_ndcg_score, INTENTS, unbounded_with=("ideal", None))


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
    """Compute novelty- and rank-biased precision (NRBP) for each query and average it over queries.

    Source: Clarke, Kolla and Vechtomova, "An effectiveness measure for ambiguous and underspecified queries",
    ICTIR 2009. The default is ndeval's NRBP; its nNRBP has ``normalize="ideal"``.

    Parameters
    ----------
    y_true, y_score, groups, alpha, min_relevance, ties, unjudged, zero_division, average, sample_weight
        As in :func:`alpha_ndcg_score`.
    beta : float, default=0.5
        Probability that users continue from a rank to the next one, above 0 and below 1.
    normalize : {"bound", "ideal"} or None, default="bound"
        Divisor of the sum of gains: "bound", as in the paper, is the sum of an infinite ranking in which all
        documents are relevant to all intents, "ideal" the sum of the greedy best ranking of the query, as in
        :func:`alpha_ndcg_score`. If `None`, the sum is not divided.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better. With ``normalize=None``, the sum of gains. If every query is
        excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import nrbp_score
    >>> y_true = [[1, 0], [1, 0], [0, 1]]  # the second document repeats the first
    >>> nrbp_score(y_true, [3, 2, 1], groups=["jaguar"] * 3)  # (1 + 1/2 / 2 + 1 / 4) * (1 - 1/4) / 2
    0.5625
    """
    return compute_with_inputs(NRBP, **locals())


def _nrbp(rows: IntentRows, *, alpha: float, beta: float, normalize: str | None, **rules: Any) -> Ratio:
    """NRBP = (1 - (1 - alpha) beta) / (number of intents) * sum of beta^(rank - 1) times the novel gains."""
    discounts = beta ** np.arange(rows.opened.rows.longest, dtype=np.float64)
    values, n_intents = sum_novelty(rows, alpha, discounts[discounts > NEGLIGIBLE], normalize, **rules)
    if normalize == "bound":
        values = values * (1 - (1 - alpha) * beta) / np.maximum(n_intents, 1)
    return Ratio(values, 1, n_intents > 0)


NRBP = add_metric(_nrbp, nrbp_score, INTENTS, unbounded_with=("ideal", None))
