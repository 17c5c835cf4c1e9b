"""Gains, discounts and metrics that exist here only under the names of other libraries."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..._engine.ranked import Block
from .._curves import interpolated_precision as find_precisions
from .._curves import standardize_area
from .._table import METRICS, Formula, Metric, Ratio

Curve = Callable[[np.ndarray], np.ndarray]  # of labels or ranks


def name_curve(code: str, curve: Curve) -> Curve:
    """Return a gain or a discount without a name here, whose name is the code that computes it."""
    curve.__name__ = code
    return curve


@lru_cache(maxsize=256)
def binary_gain(level: int) -> Curve:
    """Return the gain that is 1 for labels >= `level`, and 0 for others."""
    return name_curve(f"lambda label: label >= {level}", lambda label: label >= level)


@lru_cache(maxsize=256)
def gain_from(level: int, exponential: bool = False) -> Curve:
    """Return the gain that is the label, or 2**label - 1, for labels >= `level`, and 0 for others."""
    if exponential:
        code = f"lambda label: (2**label - 1) * (label >= {level})"
        return name_curve(code, lambda label: (np.exp2(label) - 1) * (label >= level))
    return name_curve(f"lambda label: label * (label >= {level})", lambda label: label * (label >= level))


@lru_cache(maxsize=256)
def gain_table(pairs: tuple[tuple[int, float], ...]) -> Curve:
    """Return the gain from a table by grade; the gain of a label that is not in the table is the label."""
    gains = dict(pairs)
    code = f"lambda labels: [{gains}.get(label, label) for label in labels]"
    return name_curve(code, lambda labels: np.array([gains.get(label, label) for label in labels.tolist()]))


@lru_cache(maxsize=256)
def graded_gain(highest: int) -> Curve:
    """Return the gain label / highest; labels above the highest grade count as the highest grade."""
    code = f"lambda label: numpy.minimum(label, {highest}) / {highest}"
    return name_curve(code, lambda label: np.minimum(label, highest) / highest)


@lru_cache(maxsize=256)
def insq_discount(desired_gain: float, n: int) -> Curve:
    """Return the weights of INSQ over n ranks, for users who want `desired_gain` relevant documents."""
    of_all = float(((np.arange(n) + 2 * desired_gain) ** -2).sum())
    code = f"lambda rank: (rank - 1 + {2 * desired_gain:g}) ** -2 / {of_all!r}"
    return name_curve(code, lambda rank: (rank - 1 + 2 * desired_gain) ** -2 / of_all)


@lru_cache(maxsize=256)
def rbp_discount(p: float, n: int | None = None) -> Curve:
    """Return the weights of RBP over all or the first n ranks, for users who continue with probability p."""
    of_all = 1.0 if n is None else 1 - p**n
    code = f"lambda rank: (1 - {p}) * {p} ** (rank - 1)" + ("" if n is None else f" / (1 - {p}**{n})")
    return name_curve(code, lambda rank: (1 - p) * p ** (rank - 1) / of_all)


def _add_row(**flags: Any) -> Callable[[Formula], Metric]:
    """Make a formula a row of the table under its own name, without a function and a scorer."""
    return lambda formula: Metric(formula.__name__, formula, formula, formula, **flags)


def _find_last_of_ties(block: Block, min_relevance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return marks of relevant documents, and at each rank the hits and the rank at the end of its tie."""
    shown = block.relevant(min_relevance, ranked_only=False).shown
    hits, ranks = (np.ascontiguousarray(each) for each in (np.cumsum(shown, axis=1), block.ranks + 0 * shown))
    return shown, block.of_ties(hits, first=False), block.of_ties(ranks, first=False)


@_add_row(ties="average")
def label_ranking_precision(block: Block, *, min_relevance: float = 1) -> Ratio:
    """The mean over relevant documents of the precision down to the last document with the same score."""
    shown, hits, ranks = _find_last_of_ties(block, min_relevance)
    n_relevant = shown.sum(axis=1)
    return Ratio((shown * hits / ranks).sum(axis=1), n_relevant, n_relevant > 0)


@_add_row(ties="average", upper=np.inf, greater_is_better=False)
def coverage_error(block: Block, *, min_relevance: float = 1) -> Ratio:
    """The rank of the last relevant document, or of the last document that is tied with it."""
    shown, _, ranks = _find_last_of_ties(block, min_relevance)
    return Ratio((shown * ranks).max(axis=1), 1, shown.any(axis=1))


@_add_row(ties="worst", greater_is_better=False)
def label_ranking_loss(block: Block, *, min_relevance: float = 1) -> Ratio:
    """Pairs of a relevant and another document in the wrong order / all such pairs."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    n_pairs = relevant.n * (block.lengths - relevant.n)
    return Ratio(relevant.rank_sums - relevant.n * (relevant.n + 1) / 2, n_pairs, n_pairs > 0)


@_add_row()
def set_relative_precision(block: Block, *, min_relevance: float = 1) -> Ratio:
    """Hits / min(n, R), where n documents are retrieved."""
    relevant = block.relevant(min_relevance)
    best = np.minimum(block.n_retrieved, relevant.n)
    return Ratio(relevant.in_top(None), best, best > 0)


@_add_row()
def set_map(block: Block, *, min_relevance: float = 1) -> Ratio:
    """Precision times recall of all retrieved documents: hits**2 / (n R)."""
    relevant = block.relevant(min_relevance)
    both = block.n_retrieved.astype(np.float64) * relevant.n
    return Ratio(relevant.in_top(None).astype(np.float64) ** 2, both, both > 0)


@_add_row()
def set_f(block: Block, *, beta: float = 1.0, min_relevance: float = 1) -> Ratio:
    """Harmonic mean of precision and recall of all retrieved documents: (1 + beta) hits / (n + beta R)."""
    relevant = block.relevant(min_relevance)
    return Ratio((1 + beta) * relevant.in_top(None), block.n_retrieved + beta * relevant.n, relevant.n > 0)


def _count_pairs(block: Block, k: int | None, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Count pairs of a relevant and another document, both in the top k: those in order, and all."""
    relevant = block.relevant(min_relevance)
    hits = relevant.in_top(k)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved)
    rank_sums = (relevant.expected * block.ranks)[:, :k].sum(axis=1)
    n_pairs = hits * (n_shown - hits)
    return n_pairs - (rank_sums - hits * (hits + 1) / 2), n_pairs


@_add_row()
def accuracy(block: Block, *, k: int | None = None, min_relevance: float = 1) -> Ratio:
    """Pairs of a relevant and another document in the right order / all such pairs, both in the top k."""
    in_order, n_pairs = _count_pairs(block, k, min_relevance)
    return Ratio(in_order, n_pairs, n_pairs > 0)


@_add_row(ties="average")
def roc_area(
    block: Block, *, k: int | None = None, max_fpr: float | None = None, min_relevance: float = 1
) -> Ratio:
    """Area under the ROC curve of the documents retrieved in the top k, 0 if they are all of one class.

    The area up to a false positive rate is scaled as in McClish, so that a random ranking has 1 / 2.
    """
    area, n_pairs = _count_pairs(block, k, min_relevance)
    relevant = block.relevant(min_relevance)
    if max_fpr is None or max_fpr == 1:
        return Ratio(area, np.maximum(n_pairs, 1), relevant.n > 0)
    hits = relevant.expected[:, :k]
    others = block.retrieved(np.ones(block.labels.shape))[:, :k] - hits
    return Ratio(np.where(n_pairs > 0, _find_area(hits, others, max_fpr), 0), 1, relevant.n > 0)


@_add_row(ties="average")
def partial_roc_area(block: Block, *, max_fpr: float, min_relevance: float = 1) -> Ratio:
    """Area under the ROC curve up to a false positive rate, straight in ties, scaled as in McClish."""
    relevant = block.relevant(min_relevance, ranked_only=False)
    hits = relevant.expected
    others = block.judged(np.ones(block.labels.shape)) - hits
    defined = (relevant.n > 0) & (relevant.n < block.lengths)
    if max_fpr == 1:
        return METRICS["group_auc"].formula(block, min_relevance=min_relevance)
    return Ratio(_find_area(hits, others, max_fpr), 1, defined)


def _find_area(hits: np.ndarray, others: np.ndarray, max_fpr: float) -> np.ndarray:
    """Return the scaled area under ROC curves, from the expected documents of both classes at each rank."""
    true, false = (_accumulate_shares(marks) for marks in (hits, others))
    widths, inside = np.diff(false), np.diff(np.minimum(false, max_fpr))
    rises = np.diff(true) * inside / np.where(widths > 0, widths, 1)
    return standardize_area((inside * (true[:, :-1] + rises / 2)).sum(axis=1), max_fpr)


def _accumulate_shares(marks: np.ndarray) -> np.ndarray:
    """Return the share of the marked documents at ranks up to 0, 1, 2, ..."""
    sums = np.cumsum(marks, axis=1)
    return np.concatenate((np.zeros((len(marks), 1)), sums / np.maximum(sums[:, -1:], 1)), axis=1)


@_add_row()
def interpolated_precision(
    block: Block, *, recall_levels: Sequence[float], rounding: str = "up", min_relevance: float = 1
) -> Ratio:
    """The mean over recall levels of the highest precision at any rank with at least this recall."""
    precisions = find_precisions(
        block, levels=np.array(recall_levels), rounding=rounding, min_relevance=min_relevance, together=False
    )
    return precisions._replace(numerators=precisions.numerators.mean(axis=0))


@_add_row(nan_rule="judgments")
def unjudged_share(block: Block, *, k: int) -> Ratio:
    """The share of the ranks 1 to k whose document is not judged, as in trec_eval 10."""
    return Ratio(block.expected(block.retrieved(1 - block.labels))[:, :k].sum(axis=1), k)


@_add_row()
def graded_rbp(block: Block, *, p: float) -> Ratio:
    """(1 - p) * the sum of p^(rank - 1) * label / the highest label of the query, as in trec_eval 10."""
    return METRICS["rbp"].formula(block, k=None, p=p, min_relevance=1, max_grade="query")


@_add_row(nan_rule="judgments")
def rbp_residual(block: Block, *, p: float) -> Ratio:
    """The residual of RBP, 0 if all n retrieved documents are judged, as in trec_eval 10.

    Residual = (1 - p) * sum of p^(rank - 1) over unjudged documents + p^n.
    """
    unjudged = block.retrieved(1 - block.labels)
    inside = (1 - p) * (block.expected(unjudged) * p ** (block.ranks - 1)).sum(axis=1)
    is_any = unjudged.any(axis=1)
    return Ratio(np.where(is_any, inside + p ** block.n_retrieved.astype(np.float64), 0))


def _if_retrieved(stem: str, of: str, words: str, **fixed: object) -> Metric:
    """Return a metric that is defined only if documents are retrieved; `words` describe it."""

    def formula(block: Block, *, k: int, min_relevance: float = 1) -> Ratio:
        ratio = METRICS[of].formula(block, k=k, min_relevance=min_relevance, **fixed)
        return ratio._replace(defined=np.logical_and(ratio.defined, block.n_retrieved > 0))

    formula.__doc__, formula.__name__ = f"{words}, if documents are retrieved.", stem
    return _add_row()(formula)


_SUM = "The sum of the precisions at the hits in the top k"
retrieved_precision = _if_retrieved(
    "retrieved_precision", "precision", "Hits in the top k / k", adaptive_k=False
)
retrieved_recall = _if_retrieved("retrieved_recall", "recall", "Hits in the top k / R")
retrieved_map = _if_retrieved("retrieved_map", "map", f"{_SUM} / R", denominator="relevant")
retrieved_achievable_map = _if_retrieved(
    "retrieved_achievable_map", "map", f"{_SUM} / min(k, R)", denominator="achievable"
)


@_add_row()
def retrieved_r_precision(block: Block, *, k: int, min_relevance: float = 1) -> Ratio:
    """Hits in the top min(k, R) / R, if documents are retrieved."""
    relevant = block.relevant(min_relevance)
    hits = (relevant.expected * (block.ranks <= np.minimum(k, relevant.n)[:, None])).sum(axis=1)
    return Ratio(hits, relevant.n, (relevant.n > 0) & (block.n_retrieved > 0))


@_add_row(upper=np.inf)
def mean_label(block: Block, *, k: int) -> Ratio:
    """The mean of the labels in the top min(k, n), where n documents are retrieved."""
    labels = block.expected(block.retrieved(block.top_labels(k)))
    n_shown = np.minimum(k, block.n_retrieved)
    return Ratio(labels[:, :k].sum(axis=1), n_shown, n_shown > 0)


@_add_row()
def inst(block: Block, *, highest_grade: int, desired_gain: float = 1.0, n_ranks: int = 1000) -> Ratio:
    """Sum of V(r) * gain(r) / sum of V(r), V(r) = C(1) ... C(r - 1), C(r) = ((b - 1) / b)^2, b = r + T + T_r.

    T_r = T - the sum of gains up to rank r: the gain that the user still wants to find.
    """
    from scipy.special import polygamma

    gains = _scale_gains(block, highest_grade, n_ranks)
    wanted = desired_gain - np.cumsum(gains, axis=1)
    b = block.ranks[:n_ranks] + desired_gain + wanted
    reached = np.cumprod(((b - 1) / b) ** 2, axis=1)  # V(r + 1)
    weights = np.concatenate((np.ones((len(b), 1)), reached[:, :-1]), axis=1)
    # After the last document there are no gains, and V(r) decreases with 1 / b^2, b = r - 1 + T + T_n.
    n_below = n_ranks - b.shape[1]
    tail = reached[:, -1] * b[:, -1] ** 2 * (polygamma(1, b[:, -1]) - polygamma(1, b[:, -1] + n_below))
    return Ratio((weights * gains).sum(axis=1), weights.sum(axis=1) + tail)


@_add_row()
def bpm(block: Block, *, k: int, highest_grade: int, desired_gain: float = 1.0, n_ranks: int = 1000) -> Ratio:
    """The mean gain of the documents up to the rank at which their gains add up to T, or up to rank k."""
    last = min(k, n_ranks)
    sums = np.cumsum(_scale_gains(block, highest_grade, last), axis=1)
    enough = sums >= desired_gain
    n_seen = np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, last)
    return Ratio(sums[np.arange(len(sums)), np.minimum(n_seen, sums.shape[1]) - 1], n_seen)


def _scale_gains(block: Block, highest_grade: int, n_ranks: int) -> np.ndarray:
    """Return each label divided by the highest grade; labels above that count as the highest grade."""
    return block.retrieved(np.minimum(block.labels[:, :n_ranks], highest_grade) / highest_grade)


LETOR_DISCOUNT = name_curve(
    "lambda rank: 1 / numpy.maximum(numpy.log2(rank), 1)", lambda rank: 1 / np.maximum(np.log2(rank), 1)
)


@_add_row()
def letor_ndcg(
    block: Block, *, k: int, gain: object = "exponential", discount: object = LETOR_DISCOUNT
) -> Ratio:
    """NDCG@k with a discount from rank 3, 0 if fewer than k documents are retrieved."""
    ratio = METRICS["ndcg"].formula(block, k=k, gain=gain, discount=discount)
    return ratio._replace(numerators=np.where(block.n_retrieved >= k, ratio.numerators, 0))


@_add_row()
def letor_mean_ndcg(
    block: Block, *, k: int | None = None, gain: object = "exponential", discount: object = LETOR_DISCOUNT
) -> Ratio:
    """The mean of NDCG@1, NDCG@2, ... down to the last document, with a discount from rank 3."""
    cutoffs = np.arange(1, len(block.ranks) + 1)[:, None]
    sums, highest, defined = METRICS["ndcg"].formula(block, k=cutoffs, gain=gain, discount=discount)
    values = sums / np.where(highest > 0, highest, 1) * (cutoffs <= block.n_retrieved)
    return Ratio(values.sum(axis=0), block.n_retrieved, np.asarray(defined)[0] & (block.n_retrieved > 0))
