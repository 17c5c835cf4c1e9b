"""Two rankings of the same documents, without labels: RBO and overlap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from .._checks.containers import check_same_order
from .._checks.errors import fail, name_call
from .._checks.options import check_choice, check_mean, check_needed_k, check_options
from .._checks.rows import read_two_scores
from .._checks.types import ArrayLike, Average, Ids, Weights
from .._checks.warn import RankingWarning, warn_user
from .._engine.pairs import Pair, count_shared, count_together, find_open, iter_pairs, share_odds, sum_squares
from ._average import average_values
from ._prepared_input import Opened, open_scores

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
    """Average the values of a formula of the first `k` ranks; undefined where one ranking has nothing."""
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
Beyond: TypeAlias = Literal["extrapolate", "agree", "disagree"]
LEFT = 0.1  # of the weight, beyond the ends of the lists


def _rbo(pair: Pair, *, p: float, ties: str, beyond: str) -> np.ndarray:
    """RBO = (1 - p) * sum of p^(d - 1) * |A_d and B_d| / d over the depths d = 1, 2, ..."""
    width = pair.one.ranked.shape[1]
    d = np.arange(1, width + 1)
    n_one, n_other = (np.minimum(each.lengths, width)[:, None] for each in (pair.one, pair.other))
    if ties != "a" and ((n_one != n_other) & (n_one * n_other > 0)).any():
        rule = "be 'a' where one ranking is shorter than the other, and than k"
        fail("ties", rule, repr(ties))
    short, deep = np.maximum(np.minimum(n_one, n_other), 1), np.maximum(np.maximum(n_one, n_other), 1)
    shared = _COUNTS[ties](pair)
    if beyond == "extrapolate":  # what is missing of the shorter list agrees as what is there does
        shared = shared + np.take_along_axis(shared, short - 1, axis=1) * np.maximum(d - short, 0) / short
    elif beyond == "agree":
        shared = np.minimum(shared + np.maximum(d - short, 0), d)
    seen = (1 - p) / p * np.where(d <= deep, shared / d * p**d, 0).sum(axis=1)
    last, deep = np.take_along_axis(shared, deep - 1, axis=1), deep[:, 0]
    tail = _TAILS[beyond](last[:, 0], deep, p, width)
    if beyond == "agree" and ties == "a":
        _average_agreement(tail, pair, (deep - short[:, 0]), p, width)
    return np.minimum(seen + tail, 1)


def _disagree(last: np.ndarray, deep: np.ndarray, p: float, width: int) -> np.ndarray:
    """Return what the ranks below are worth where no document there is in both."""
    d = np.arange(1, width + 1)
    left = -np.log1p(-p) - np.where(d <= deep[:, None], p**d / d, 0).sum(axis=1)
    return last * (1 - p) / p * left


def _agree(last: np.ndarray, deep: np.ndarray, p: float, width: int) -> np.ndarray:
    """Return what they are worth where each rank below brings two more to what is in both, up to all."""
    more = np.arange(1, width + 1)
    d = deep[:, None] + more
    odds = np.minimum((last[:, None] + 2 * more) / d, 1)
    return (1 - p) / p * (odds * p**d).sum(axis=1) + p ** (deep + width)


def _average_agreement(tail: np.ndarray, pair: Pair, missing: np.ndarray, p: float, width: int) -> None:
    """Replace the tail if the cutoff cuts ties: its mean is not the tail of the mean overlap."""
    n_shared = np.arange(width + 1)
    of_number = _agree(n_shared, np.full(width + 1, width), p, width)
    for queries, odds in share_odds(pair, np.flatnonzero(find_open(pair))):
        with_missing = np.minimum(n_shared + missing[queries, None], width)
        tail[queries] = (odds * of_number[with_missing]).sum(axis=1)


# What the ranks below are worth; to extrapolate is to let them agree as those above do.
_TAILS = {
    "extrapolate": lambda last, deep, p, width: last / deep * p**deep,
    "disagree": _disagree,
    "agree": _agree,
}


def _count_by_sizes(pair: Pair) -> np.ndarray:
    """Return d times the agreement of sets that hold whole ties: 2 |A and B| / (|A| + |B|)."""
    depths = np.arange(1, pair.one.ranked.shape[1] + 1)
    sizes = pair.one.lasts + pair.other.lasts
    return 2 * count_together(pair) * depths / sizes


def _count_by_norms(pair: Pair) -> np.ndarray:
    """Return d times the agreement divided by that of each ranking with itself, as in Kendall's tau-b."""
    depths = np.arange(1, pair.one.ranked.shape[1] + 1)
    return count_shared(pair) * depths / np.sqrt(sum_squares(pair.one) * sum_squares(pair.other))


_COUNTS = {"a": count_shared, "b": _count_by_norms, "w": _count_by_sizes}


def _overlap(pair: Pair) -> np.ndarray:
    """O@k = |in both top k| / min(k, documents of the longer ranking)."""
    longer = np.maximum(pair.one.lengths, pair.other.lengths)
    return count_shared(pair)[:, -1] / np.clip(longer, 1, pair.one.ranked.shape[1])


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
    """Share of the top k that two rankings have in common, averaged over queries.

    Parameters
    ----------
    y_score_a, y_score_b : array-like of shape (n_rows,)
        Scores of two systems for the same rows, higher first; -inf: not retrieved by it.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    k : int
        Cutoff >= 1.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query for which one of the two retrieved nothing; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]: the documents in both, divided by `k`, or by what the longer ranking has where that is
        less. Of equal scores at the cutoff the exact mean over their orders. nan, with a warning, if every
        query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Notes
    -----
    Two rankings of the same n rows in random order have a share of k / n in common: rank each document among
    many, or compare with that.

    See Also
    --------
    rbo_score : The same at all depths, the first ones weighing most.

    Examples
    --------
    >>> from sklearn_rank.metrics import overlap_at_k_score
    >>> old, new, qid = [4, 3, 2, 1], [4, 1, 3, 2], ["a", "a", "a", "a"]
    >>> overlap_at_k_score(old, new, groups=qid, k=2)
    0.5
    """
    given = (y_score_a, y_score_b), groups, zero_division, average, sample_weight
    return score_tops(k, _overlap, *given)[1]


def rbo_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    p: float = 0.9,
    ties: OverlapTies = "a",
    beyond: Beyond = "extrapolate",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Rank-biased overlap (RBO) of two rankings, averaged over queries: the first ranks weigh most.

    Parameters
    ----------
    y_score_a, y_score_b, groups
        As in :func:`overlap_at_k_score`.
    k : int
        Cutoff >= 1: the depth to which the rankings are compared.
    p : float, default=0.9
        In (0, 1): the weight of a depth is p times that of the one above it.
    ties : {"a", "b", "w"}, default="a"
        Equal scores: the exact mean over all orders of both rankings; that, divided by what each ranking has
        in common with itself; or all at the first of their ranks.
    beyond : {"extrapolate", "agree", "disagree"}, default="extrapolate"
        What the ranks below the cutoff, or the end of a list, are taken for: they agree as those above do, as
        much as they can, or as little. "agree" minus "disagree" is what is not known, the residual.
    zero_division, average, sample_weight
        As in :func:`overlap_at_k_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1], 1 for the same order. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above, or with `ties` other than "a" if a ranking is shorter than the
        other and than `k`; the message names it.

    Warns
    -----
    RankingWarning
        If lists are so short that more than a tenth of the weight lies beyond their ends, p ** n_documents on
        average: rankings of the same few rows agree in any order.

    References
    ----------
    Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", TOIS 2010. Ties: Corsi and
    Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024. Their values for ties of kind "a"
    differ if one list is shorter than the other: values here are the mean over all orders, theirs are not.

    Examples
    --------
    >>> from sklearn_rank.metrics import rbo_score
    >>> old, new, qid = [4, 3, 2, 1], [4, 1, 3, 2], ["a", "a", "a", "a"]
    >>> round(rbo_score(old, new, groups=qid, k=3, p=0.5), 4)
    0.7917
    """
    p = check_options(p=p)["p"]
    check_choice("ties", ties, ("a", "b", "w"))
    check_choice("beyond", beyond, ("extrapolate", "agree", "disagree"))
    formula = partial(_rbo, p=p, ties=ties, beyond=beyond)
    given = (y_score_a, y_score_b), groups, zero_division, average, sample_weight
    opened, value = score_tops(k, formula, *given)
    lengths = opened.rows.queries.lengths
    left = float(np.mean(p**lengths))
    if left > LEFT:  # rankings of the same rows agree by themselves
        warn_user(
            f"{name_call()}: queries have {np.mean(lengths):.3g} rows on average, and {left:.0%} of the "
            f"weight lies beyond their ends with p={p:g}: rankings of the same few rows agree in any order. "
            "Choose a lower p, rank each document among more, or compare with the value of a random order.",
            RankingWarning,
        )
    return value
