"""Correlations of scores with labels, and the similarity of two rankings of the same documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from .._checks import explain_parameters
from .._checks.containers import check_same_order
from .._checks.errors import fail, name_call
from .._checks.missed import MissedLabels
from .._checks.options import check_choice, check_mean, check_needed_k, check_options
from .._checks.rows import read_two_scores
from .._checks.types import ArrayLike, Average, Ids, PlainAverage, TieRule, Unjudged, Weights
from .._checks.warn import RankingWarning, warn_user
from .._engine.pairs import Pair, count_shared, count_together, find_open, iter_pairs, share_odds, sum_squares
from .._engine.ranked import Block
from ._average import average_values
from ._compute import compute_call
from ._factory import add_metric
from ._prepared_input import Opened, open_scores, spread_weights
from ._table import Ratio


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

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` contains missing ids.

    See Also
    --------
    scipy.stats.rankdata : Ranks of one array, with 1 for the lowest value.

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


def _spearman(block: Block) -> Ratio:
    """Spearman's rho = the correlation of the ranks of labels and scores, ties at their mean rank."""
    label_ranks, score_ranks = block.mean_ranks()
    return _correlation(block, -label_ranks, -score_ranks)


@explain_parameters
def spearman_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute Spearman's rank correlation of labels and scores, averaged over queries.

    It is the correlation of the ranks of labels and scores. Equal values get their mean rank. Values are
    equal to those of :func:`scipy.stats.spearmanr` for each query.

    Parameters
    ----------
    y_true, y_score, zero_division, average
        As in :func:`kendall_tau_score`.
    groups, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Spearman, "The proof and measurement of association between two things", 1904.

    Examples
    --------
    >>> from sklearn_rank.metrics import spearman_score
    >>> round(spearman_score([[2, 0, 1]], [[3, 2, 1]]), 4)
    0.5

    The rank IC of forecasts for each day:

    >>> returns, forecasts = [0.02, -0.01, 0.0, -0.03, 0.01, 0.0], [3, 1, 2, 1, 2, 3]
    >>> days = ["Mon", "Mon", "Mon", "Tue", "Tue", "Tue"]
    >>> spearman_score(returns, forecasts, groups=days, average=None)
    array([1. , 0.5])
    """
    return compute_call(SPEARMAN, **locals())


def _pearson(block: Block) -> Ratio:
    """Pearson's r = the correlation of the labels and scores themselves."""
    return _correlation(block, block.labels, block.scores)


def _correlation(block: Block, x: np.ndarray, y: np.ndarray) -> Ratio:
    """Return the sum of x y / sqrt(sum of x^2 * sum of y^2), after centering both."""
    x, y = (_center(block, values) for values in (x, y))
    norm = np.sqrt((x * x).sum(axis=1)) * np.sqrt((y * y).sum(axis=1))
    return Ratio(np.clip((x * y).sum(axis=1), -norm, norm), norm, norm > 0)


def _center(block: Block, values: np.ndarray) -> np.ndarray:
    """Subtract the mean of each query, scaled by powers of 2: no digit is lost and no square overflows.

    The first value is subtracted before the mean, because the mean would round away small differences.
    """
    values = _scale_by_row(block.judged(values))
    values = _scale_by_row(block.judged(values - values[:, :1]))
    mean = values.sum(axis=1, keepdims=True) / np.maximum(block.lengths, 1)[:, None]
    return block.judged(values - mean) * values.any(axis=1, keepdims=True)


def _scale_by_row(values: np.ndarray) -> np.ndarray:
    """Scale each row by a power of 2 so that its largest value is near 1."""
    return np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])


@explain_parameters
def pearson_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute Pearson's correlation of labels and scores, averaged over queries.

    Values are equal to those of :func:`scipy.stats.pearsonr` for each query.

    Parameters
    ----------
    y_true, zero_division, average
        As in :func:`kendall_tau_score`.
    y_score : array-like of the shape of `y_true`
        Predicted scores: finite. Their values matter, in addition to their order.
    groups, unjudged, sample_weight
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``. A score that is infinite, or an integer that float64 cannot represent,
        is also an error.

    References
    ----------
    Pearson, "Notes on regression and inheritance in the case of two parents", 1895.

    Examples
    --------
    >>> from sklearn_rank.metrics import pearson_score
    >>> round(pearson_score([[2, 0, 1]], [[3.0, 2.0, 1.0]]), 4)
    0.5
    """
    return compute_call(PEARSON, **locals())


SPEARMAN = add_metric("spearman", _spearman, spearman_score, lower=-1.0, any_label=True)
PEARSON = add_metric("pearson", _pearson, pearson_score, lower=-1.0, uses_scores=True, any_label=True)


def _kendall(block: Block) -> Ratio:
    """tau-b = (concordant - discordant pairs) / sqrt(pairs untied in labels * pairs untied in scores)."""
    n_pairs = block.lengths * (block.lengths - 1) / 2
    tied_labels = block.n_equal_labels()
    tied_scores = 0 if block.ties is None else block.ties.n_pairs(block.lengths)
    tied_both = 0 if block.ties is None else block.n_equal_labels(inside=block.ties)
    n_untied = n_pairs - tied_labels - tied_scores + tied_both
    norm = np.sqrt(n_pairs - tied_labels) * np.sqrt(n_pairs - tied_scores)
    return Ratio(np.clip(n_untied - 2 * block.n_inversions(block.ties), -norm, norm), norm, norm > 0)


@explain_parameters
def kendall_tau_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute Kendall's tau-b of labels and scores, averaged over queries.

    It is the number of pairs in the right order minus the number of pairs in the wrong order, normalized for
    equal labels and equal scores. Values are equal to those of :func:`scipy.stats.kendalltau` for each query.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as grades or returns: finite, of any sign. NaN means that the document was not judged;
        see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf is an ordinary lowest
        score.
    groups, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels or scores are all equal. If `nan`, such queries are excluded from the
        mean.
    average : {"macro", "weighted"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows. If `None`, return the value of each query, in the order of
        :func:`unique_groups`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Kendall, "The treatment of ties in ranking problems", Biometrika 1945.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_score
    >>> kendall_tau_score([[2, 0, 1]], [[3, 2, 1]])
    0.33...
    """
    return compute_call(KENDALL, **locals())


def _kendall_ap(block: Block) -> Ratio:
    """tau_AP = 2 / (n - 1) * sum over ranks i >= 2 of C(i) / (i - 1) - 1, C(i) documents above i in order.

    Of the i - 1 documents above, C(i) are in order and the rest are not: the two sums are subtracted.
    """
    right, wrong = block.weigh_pairs(1 / np.maximum(block.ranks - 1, 1))
    most = block.lengths - 1.0
    some_differ = block.n_equal_labels() < block.lengths * most / 2
    return Ratio(np.clip(right - wrong, -most, most), most, some_differ)


@explain_parameters
def kendall_tau_ap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the AP correlation of labels and scores, averaged over queries.

    This variant of Kendall's tau gives the top of the ranking by `y_score` the largest weight. For each
    document below the first, the share of documents above that also have a higher `y_true` is computed. The
    mean of these shares is scaled to [-1, 1]. The correlation is not symmetric in `y_true` and `y_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Labels, such as the scores of a reference ranking: finite, of any sign. NaN means that the document
        was not judged; see `unjudged`. Documents with equal labels count half in any order, so 1 cannot be
        reached if labels are equal.
    y_score, average
        As in :func:`kendall_tau_score`.
    groups, ties, unjudged, sample_weight, missed
        As in :func:`ndcg_score`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query whose labels are all equal. If `nan`, such queries are excluded from the mean.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Correlation between -1 and 1, 0 for constant scores; higher is better. If every query is excluded,
        `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008.
    Ties: Urbano and Marrero, "The treatment of ties in AP correlation", ICTIR 2017 (version a).

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_ap_score
    >>> old, new = [[4, 3, 2, 1]], [[3, 4, 2, 1]]  # the first two change places
    >>> round(kendall_tau_ap_score(old, new), 4)  # 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1
    0.3333
    >>> round(kendall_tau_ap_score(old, [[4, 3, 1, 2]]), 4)  # 2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1
    0.7778
    """
    return compute_call(KENDALL_AP, **locals())


KENDALL = add_metric("kendall_tau", _kendall, kendall_tau_score, lower=-1.0, any_label=True)
KENDALL_AP = add_metric("kendall_tau_ap", _kendall_ap, kendall_tau_ap_score, lower=-1.0, any_label=True)


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
Beyond: TypeAlias = Literal["extrapolate", "agree", "disagree"]
LEFT = 0.1  # share of the weight below the ends of rankings above which a warning is issued


def _rbo(pair: Pair, *, p: float, ties: str, beyond: str) -> np.ndarray:
    """RBO = (1 - p) * sum of p^(d - 1) * |A_d and B_d| / d over the depths d = 1, 2, ..."""
    width = pair.one.ranked.shape[1]
    d = np.arange(1, width + 1)
    n_one, n_other = (np.minimum(each.lengths, width)[:, None] for each in (pair.one, pair.other))
    if ties != "a" and ((n_one != n_other) & (n_one * n_other > 0)).any():
        fail("ties", "be 'a' if one ranking is shorter than the other and than k", repr(ties))
    short, deep = np.maximum(np.minimum(n_one, n_other), 1), np.maximum(np.maximum(n_one, n_other), 1)
    shared = _COUNTS[ties](pair)
    if beyond == "extrapolate":  # the missing part of the shorter ranking agrees as much as the known part
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


# The value of the ranks below, by `beyond`. "extrapolate": they agree as much as the ranks above.
_TAILS = {
    "extrapolate": lambda last, deep, p, width: last / deep * p**deep,
    "disagree": _disagree,
    "agree": _agree,
}


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
    k, average
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

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` contains missing ids.

    Notes
    -----
    Two random rankings of the same n documents have an expected overlap of k / n. Rank many documents per
    query, or compare the value with k / n.

    See Also
    --------
    rbo_score : Compute the overlap at all depths, with the largest weight at the top.

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
    beyond: Beyond = "extrapolate",
    zero_division: float = np.nan,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Compute rank-biased overlap (RBO) of two rankings, averaged over queries.

    RBO is a weighted mean of the overlap at all depths, with the largest weight at the top.

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
        their ranks.
    beyond : {"extrapolate", "agree", "disagree"}, default="extrapolate"
        What to assume about ranks below the cutoff or the end of a ranking: they agree as much as the ranks
        above ("extrapolate"), as much as possible ("agree") or as little as possible ("disagree"). The
        difference between "agree" and "disagree" is the residual.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        RBO between 0 and 1, where 1 means the same ranking. If every query is excluded, `nan` is returned
        with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` contains missing ids. With `ties` other than "a", a
        ranking that is shorter than the other one and than `k` is an error.

    Warns
    -----
    RankingWarning
        If more than a tenth of the weight is below the last row of the queries (p ** n_rows on average).
        Rankings with few rows all have similar values.

    References
    ----------
    Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", TOIS 2010. Ties: Corsi and
    Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024. For ``ties="a"``, values are means
    over all orderings, so they differ from the paper's if one ranking is shorter than the other.

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
    if left > LEFT:
        warn_user(
            f"{name_call()}: with p={p:g}, {left:.0%} of the weight is below the last row of the queries "
            f"({np.mean(lengths):.3g} rows on average), so all rankings of these rows have similar values. "
            "Pass a lower p, rank more documents per query, or compare with the value of a random ranking.",
            RankingWarning,
        )
    return value
