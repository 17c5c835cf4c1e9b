"""Ranks of rows, and the similarity of two rankings of the same documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from .._checks import explain_parameters
from .._checks.containers import check_same_order
from .._checks.errors import fail, name_call
from .._checks.options import check_choice, check_mean, check_needed_k, check_options
from .._checks.rows import read_two_scores
from .._checks.types import ArrayLike, Average, Ids, TieRule, Weights
from .._checks.warn import RankingWarning, warn_user
from .._engine.pairs import Pair, count_shared, count_together, find_open, iter_pairs, share_odds, sum_squares
from ._average import average_values
from ._prepared_input import Opened, open_scores, spread_weights


@explain_parameters
def ranks(y_score: ArrayLike, *, groups: ArrayLike, ties: TieRule = "average") -> np.ndarray:
    """Return the rank of each row in its query, which is 1 for the highest score.

    Parameters
    ----------
    y_score, groups
        As in :func:`catalog_coverage_score`.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" gives each the mean of their ranks, "order" keeps
        them in row order, "best" and "worst" give each the first or last of their ranks.

    Returns
    -------
    ndarray of shape (n_rows,)
        Ranks in row order, at least 1. If a document is not retrieved, its rank is `nan`.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranks
    >>> ranks([0.9, 0.1, 0.5, 0.5, 0.7], groups=["a", "b", "a", "a", "b"])
    array([1. , 2. , 2.5, 2.5, 1. ])
    """
    check_choice("ties", ties, ("average", "order", "best", "worst"))
    check_same_order(y_score=y_score, groups=groups)
    opened = open_scores(y_score, groups)
    by_row = spread_weights(opened, ties, np.arange(1.0, opened.rows.longest + 1))
    by_row[by_row == 0] = np.nan
    return by_row


NAMES = ("y_score_a", "y_score_b")


def score_tops(
    k: int,
    formula: Callable[[Pair], np.ndarray],
    scores: tuple[Any, Any],
    groups: Ids,
    zero_division: float,
    average: str | None,
    sample_weight: Weights,
) -> tuple[Opened, Any]:
    """Average a formula of the first `k` ranks; a query is undefined if one ranking has no documents."""
    check_needed_k(k)
    check_mean(average, geometric=True, zero_division=zero_division)
    check_same_order(**dict(zip(NAMES, scores)), groups=groups, sample_weight=sample_weight)
    one, other = read_two_scores(*scores, NAMES)
    opened = open_scores(one.values, groups, sample_weight)
    values = np.full(len(opened.rows.queries.lengths), float(zero_division))
    for pair in iter_pairs(opened.rows, opened.scores, other, min(k, opened.rows.longest)):
        defined = (pair.one.lengths > 0) & (pair.other.lengths > 0)
        values[pair.members] = np.where(defined, formula(pair), zero_division)
    return opened, average_values(values, opened.rows.weights, opened.rows.queries, average)


OverlapTies: TypeAlias = Literal["a", "b", "w"]
Variant: TypeAlias = Literal["ext", "max", "min"]
LEFT = 0.1  # share of the weight below the ends of rankings above which a warning is issued


def _rbo(pair: Pair, *, p: float, ties: str, variant: str) -> np.ndarray:
    """RBO = (1 - p) * sum of p^(d - 1) * |A_d and B_d| / d over the depths d = 1, 2, ..."""
    width = pair.one.ranked.shape[1]
    d = np.arange(1, width + 1)
    n_one, n_other = (np.minimum(each.lengths, width)[:, None] for each in (pair.one, pair.other))
    if ties != "a" and ((n_one != n_other) & (n_one * n_other > 0)).any():
        fail("ties", "be 'a' if one ranking is shorter than the other and than k", repr(ties))
    short, deep = np.maximum(np.minimum(n_one, n_other), 1), np.maximum(np.maximum(n_one, n_other), 1)
    shared = _COUNTS[ties](pair)
    if variant == "ext":  # the missing part of the shorter ranking agrees as much as the known part
        shared = shared + np.take_along_axis(shared, short - 1, axis=1) * np.maximum(d - short, 0) / short
    elif variant == "max":
        shared = np.minimum(shared + np.maximum(d - short, 0), d)
    seen = (1 - p) * np.where(d <= deep, shared / d * p ** (d - 1), 0).sum(axis=1)
    last, deep = np.take_along_axis(shared, deep - 1, axis=1), deep[:, 0]
    tail = _TAILS[variant](last[:, 0], deep, p, width)
    if variant == "max" and ties == "a":
        _average_agreement(tail, pair, (deep - short[:, 0]), p, width)
    return np.minimum(seen + tail, 1)


def _disagree(last: np.ndarray, deep: np.ndarray, p: float, width: int) -> np.ndarray:
    """Return the value of the ranks below, if no document there is in both rankings."""
    d = np.arange(1, width + 1)
    left = -np.log1p(-p) - np.where(d <= deep[:, None], p**d / d, 0).sum(axis=1)
    return last * (1 - p) / p * left


def _agree(last: np.ndarray, deep: np.ndarray, p: float, width: int) -> np.ndarray:
    """Return the value of the ranks below, if each adds two documents to the overlap until it is complete."""
    more = np.arange(1, width + 1)
    d = deep[:, None] + more
    odds = np.minimum((last[:, None] + 2 * more) / d, 1)
    return (1 - p) / p * (odds * p**d).sum(axis=1) + p ** (deep + width)


def _average_agreement(tail: np.ndarray, pair: Pair, missing: np.ndarray, p: float, width: int) -> None:
    """Replace the tail if the cutoff cuts ties, because its mean is not the tail of the mean overlap."""
    n_shared = np.arange(width + 1)
    of_number = _agree(n_shared, np.full(width + 1, width), p, width)
    for queries, odds in share_odds(pair, np.flatnonzero(find_open(pair))):
        with_missing = np.minimum(n_shared + missing[queries, None], width)
        tail[queries] = (odds * of_number[with_missing]).sum(axis=1)


# The value of the ranks below, by `variant`. "ext": they agree as much as the ranks above.
_TAILS = {"ext": lambda last, deep, p, width: last / deep * p**deep, "min": _disagree, "max": _agree}


def _count_by_sizes(pair: Pair) -> np.ndarray:
    """Return d times the agreement of sets that contain whole ties: 2 |A and B| / (|A| + |B|)."""
    depths = np.arange(1, pair.one.ranked.shape[1] + 1)
    return 2 * count_together(pair) * depths / (pair.one.lasts + pair.other.lasts)


def _count_by_norms(pair: Pair) -> np.ndarray:
    """Return d times the agreement, divided by that of each ranking with itself, as in Kendall's tau-b."""
    depths = np.arange(1, pair.one.ranked.shape[1] + 1)
    return count_shared(pair) * depths / np.sqrt(sum_squares(pair.one) * sum_squares(pair.other))


_COUNTS = {"a": count_shared, "b": _count_by_norms, "w": _count_by_sizes}


def _overlap(pair: Pair) -> np.ndarray:
    """O@k = |in both top k| / min(k, documents of the longer ranking)."""
    longer = np.maximum(pair.one.lengths, pair.other.lengths)
    return count_shared(pair)[:, -1] / np.clip(longer, 1, pair.one.ranked.shape[1])


@explain_parameters
def overlap_at_k_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute the share of the top k that two rankings have in common, averaged over queries.

    Parameters
    ----------
    y_score_a, y_score_b : array-like of shape (n_rows,)
        Scores of two systems for the same rows; documents are ranked by decreasing score. A score of -inf
        marks a document that the system did not retrieve.
    groups : array-like of shape (n_rows,)
        Query id of each row. Ids can be of any sortable type, and rows can be in any order.
    k : int
        Number of top-ranked documents to consider, at least 1.
    average
        As in :func:`hit_rate_at_k_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query for which one of the two rankings is empty. If `nan`, such queries are excluded from
        the mean.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Number of documents in both top k, divided by `k` or by the length of the longer ranking if that is
        below `k`; between 0 and 1. If scores are tied at the cutoff, the exact mean over all orderings. If
        every query is excluded, `nan` is returned with a warning.

    Notes
    -----
    Two random rankings of the same n documents have an expected overlap of k / n. Rank many documents per
    query, or compare the value with k / n.

    Examples
    --------
    >>> from sklearn_rank.metrics import overlap_at_k_score
    >>> old, new, qid = [4, 3, 2, 1], [4, 1, 3, 2], ["a", "a", "a", "a"]
    >>> overlap_at_k_score(old, new, groups=qid, k=2)
    0.5
    """
    given = (y_score_a, y_score_b), groups, zero_division, average, sample_weight
    return score_tops(k, _overlap, *given)[1]


@explain_parameters
def rbo_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    p: float = 0.9,
    ties: OverlapTies = "a",
    variant: Variant = "ext",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute rank-biased overlap (RBO) of two rankings, averaged over queries.

    RBO is a weighted mean of the overlap at all depths, with the largest weight at the top.

    Source: Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", TOIS 2010. Ties: Corsi
    and Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024. For ``ties="a"``, values are means
    over all orderings, so they differ from the paper's if one ranking is shorter than the other.

    Parameters
    ----------
    y_score_a, y_score_b, groups, zero_division, average, sample_weight
        As in :func:`overlap_at_k_score`.
    k : int
        Depth to which the rankings are compared, at least 1.
    p : float, default=0.9
        Factor in (0, 1) by which the weight decreases from one depth to the next.
    ties : {"a", "b", "w"}, default="a"
        How to treat equal scores: "a" computes the exact mean over all orderings of both rankings, "b"
        divides this mean by the overlap of each ranking with itself, and "w" gives tied documents the best of
        their ranks. With "b" and "w", both rankings must have `k` documents or the same number.
    variant : {"ext", "max", "min"}, default="ext"
        What to assume about ranks below the cutoff or the end of a ranking: they agree as much as the ranks
        above ("ext"), as much as possible ("max") or as little as possible ("min"). The difference between
        "max" and "min" is the residual.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        RBO between 0 and 1, where 1 means the same ranking. If every query is excluded, `nan` is returned
        with a warning.

    Warns
    -----
    RankingWarning
        If more than a tenth of the weight is below the last row of the queries (p ** n_rows on average).
        Rankings with few rows all have similar values.

    Examples
    --------
    >>> from sklearn_rank.metrics import rbo_score
    >>> old, new, qid = [4, 3, 2, 1], [4, 1, 3, 2], ["a", "a", "a", "a"]
    >>> round(rbo_score(old, new, groups=qid, k=3, p=0.5), 4)
    0.7917
    """
    p = check_options(p=p)["p"]
    check_choice("ties", ties, ("a", "b", "w"))
    check_choice("variant", variant, ("ext", "max", "min"))
    formula = partial(_rbo, p=p, ties=ties, variant=variant)
    given = (y_score_a, y_score_b), groups, zero_division, average, sample_weight
    opened, value = score_tops(k, formula, *given)
    lengths = opened.rows.queries.lengths
    left = float(np.mean(p**lengths))
    if left > LEFT:
        warn_user(
            f"{name_call()}: with p={p:g}, {left:.0%} of the weight is below the last row of the queries "
            f"({np.mean(lengths):.3g} rows on average), so all rankings of these rows have similar values. "
            "Pass a lower p, rank more documents per query, or compare with the value of a random ranking.",
            RankingWarning,
        )
    return value
