"""Metrics of relevant documents: MAP, MRR, precision, recall, F1, hit rate and R-precision."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, Denominator, RatioAverage, RatioDenominator, TieRule, Unjudged
from .._engine.ranked import Block
from .._engine.relevant import Relevant
from .._engine.ties import Cutoff, last_cutoff, sum_top
from ._compute import compute_call
from ._factory import add_metric
from ._table import Ratio


def _average_precision(block: Block, *, k: Cutoff, min_relevance: float, denominator: str) -> Ratio:
    """AP@k = sum of P@i over the ranks i <= k of relevant documents / min(k, R)."""
    relevant = block.relevant(min_relevance)
    top = last_cutoff(k)
    terms = _list_precisions(block, relevant, top)
    if denominator == "hits":
        return Ratio(_mean_at_hits(block, terms, relevant, top), 1, relevant.n > 0)
    best = relevant.n if k is None or denominator == "relevant" else np.minimum(k, relevant.n)
    return Ratio(sum_top(terms, k), best, relevant.n > 0)


def _list_precisions(block: Block, relevant: Relevant, k: int | None) -> np.ndarray:
    """Return the expected contribution of each rank i <= k: P@i if its document is relevant.

    Consider a tie of t documents (r relevant) below a documents (h relevant). Its j-th rank contributes
    (r / t) (h + 1 + (j - 1) s) / (a + j) with s = (r - 1) / (t - 1). At rank i = a + j, this is
    (r / t) ((h + 1 - (a + 1) s) / i + s).
    """
    ranks = block.ranks[:k]
    if relevant.ties is None:
        return relevant.sums[:, :k] / ranks * relevant.shown[:, :k]
    (h, r), t = relevant.in_ties, relevant.ties.sizes
    s = (r - 1) / np.maximum(t - 1, 1)
    terms = relevant.ties.spread(r / t * (h + 1 - (relevant.ties.columns + 1) * s))[:, :k]
    terms /= ranks
    terms += relevant.ties.spread(r / t * s)[:, :k]
    return terms


def _mean_at_hits(block: Block, terms: np.ndarray, relevant: Relevant, k: int | None) -> np.ndarray:
    """Return the mean of P@i over the hits in the top k, or 0 without hits; it is exact under ties too."""
    cut = relevant.cut(k)
    if cut is None:
        return terms.sum(axis=1) / np.maximum(relevant.in_top(k), 1)
    # If m hits are among the L ranks of the cut tie in the top k, the j-th of these ranks adds
    # (m / L) (h + 1 + (j - 1) (m - 1) / (L - 1)) / rank. These are summed over j, then averaged over m.
    above, places, h = cut.n_above[:, None], cut.n_places[:, None], cut.marked_above[:, None]
    ranks = block.ranks[:k]
    inverse_ranks = (ranks > above) / ranks
    plain, rising = inverse_ranks.sum(axis=1), (inverse_ranks * (ranks - 1 - above)).sum(axis=1)
    m = np.arange(cut.odds.shape[1])
    inside = (h + 1) * plain[:, None] + (m - 1) / np.maximum(places - 1, 1) * rising[:, None]
    before = (terms * (ranks <= above)).sum(axis=1)
    return (cut.odds * (before[:, None] + m / places * inside) / np.maximum(h + m, 1)).sum(axis=1)


@explain_parameters
def map_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: Denominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean average precision (MAP) over queries.

    Average precision is the sum of the precisions at the ranks of the relevant documents among the first `k`,
    divided by min(k, R). R is the number of relevant documents of the query. A perfect ranking scores 1.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank, but still counts among the relevant documents.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    denominator : {"achievable", "relevant", "hits"}, default="achievable"
        What to divide the sum by: min(k, R) ("achievable", as in LightGBM, XGBoost and CatBoost), R
        ("relevant", as in trec_eval), or the number of relevant documents among the first `k` ("hits", as in
        torchmetrics). "hits" does not support the ties "best" and "worst", because more hits can lower the
        value.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MAP between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4. Ties: McSherry
    and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import map_score
    >>> round(map_score([[1, 0, 1, 0, 1, 0]], [[6, 5, 4, 3, 2, 1]]), 4)
    0.7556
    """
    return compute_call(MAP, **locals())


MAP = add_metric("map", _average_precision, map_score, has_curve=True)


def _reciprocal_rank(block: Block, *, k: int | None, min_relevance: float) -> Ratio:
    """RR@k = 1 / rank of the first relevant document, 0 if it is below k."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.at_first((block.ranks <= (k or np.inf)) / block.ranks), 1, relevant.n > 0)


@explain_parameters
def mrr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean reciprocal rank (MRR) over queries.

    The reciprocal rank is 1 / rank of the first relevant document, or 0 if its rank is greater than `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MRR between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Voorhees, "The TREC-8 question answering track report", 1999. Ties: McSherry and Najork, ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank import mrr_score
    >>> mrr_score([[0, 1, 0, 1]], [[4, 3, 2, 1]])
    0.5
    """
    return compute_call(MRR, **locals())


MRR = add_metric("mrr", _reciprocal_rank, mrr_score)


def count_hits(block: Block, k: Cutoff, min_relevance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected number of relevant documents in the top k, and the number in the whole query."""
    relevant = block.relevant(min_relevance)
    return relevant.in_top(k), relevant.n


def _precision(block: Block, *, k: Cutoff, min_relevance: float, adaptive_k: bool) -> Ratio:
    """P@k = |relevant in the top k| / k."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    n_shown = block.n_retrieved if k is None else np.minimum(k, block.n_retrieved) if adaptive_k else k
    return Ratio(hits, n_shown, (n_relevant > 0) & (n_shown > 0))


@explain_parameters
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute precision at k, averaged over queries.

    Precision is the share of relevant documents among the first `k`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int or None
        Number of top-ranked documents to consider, at least 1. If `None`, all retrieved documents.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    adaptive_k : bool, default=False
        Whether to divide by the number of retrieved documents if it is below `k`, as in XGBoost and CatBoost,
        so that short rankings can reach 1. Otherwise, divide by `k`, as in trec_eval and torchmetrics.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document, or whose denominator is 0. If `nan`, such queries are
        excluded from the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "micro" divides the sum of the numerators by the sum of the denominators,
        "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If `None`, return the
        value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Precision between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_rank import precision_at_k_score
    >>> precision_at_k_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> precision_at_k_score([[1, 1]], [[2, 1]], k=10, adaptive_k=True)
    1.0
    """
    return compute_call(PRECISION, **locals())


PRECISION = add_metric("precision", _precision, precision_at_k_score, micro=True, has_curve=True)


def _recall(block: Block, *, k: Cutoff, min_relevance: float, denominator: str = "relevant") -> Ratio:
    """R@k = |relevant in the top k| / |relevant|."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    most = np.minimum(k, n_relevant) if denominator == "achievable" and k is not None else n_relevant
    return Ratio(hits, most, n_relevant > 0)


@explain_parameters
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute recall at k, averaged over queries.

    Recall is the share of relevant documents that are among the first `k`. With ``average="micro"``, it is
    the hit ratio of many recommender papers: all hits divided by all relevant documents.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank, but still counts among the relevant documents.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int or None
        Number of top-ranked documents to consider, at least 1. If `None`, all retrieved documents.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    denominator : {"relevant", "achievable"}, default="relevant"
        What to divide the number of hits by: the number R of relevant documents ("relevant"), or min(k, R)
        ("achievable"). With min(k, R), a perfect ranking scores 1, as in Recall@20 of papers on variational
        autoencoders and relative_P of trec_eval.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "micro" divides the sum of the numerators by the sum of the denominators,
        "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If `None`, return the
        value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Recall between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.3. "achievable":
    Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering", WWW 2018.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=3)
    0.66...
    >>> recall_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2, denominator="achievable")
    0.5
    """
    return compute_call(RECALL, **locals())


def _f1(block: Block, *, k: Cutoff, min_relevance: float, beta: float = 1.0) -> Ratio:
    """F@k = (1 + b^2) P R / (b^2 P + R) = (1 + b^2) |relevant in the top k| / (k + b^2 |relevant|)."""
    hits, n_relevant = count_hits(block, k, min_relevance)
    n_shown = block.n_retrieved if k is None else k
    return Ratio((1 + beta**2) * hits, 1.0 * n_shown + beta**2 * n_relevant, n_relevant > 0)


@explain_parameters
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    beta: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute F1 at k, or F-beta, averaged over queries.

    F1 is the harmonic mean of precision and recall of the first `k` documents. With another `beta`, it is the
    weighted harmonic mean of :func:`sklearn.metrics.fbeta_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int or None
        Number of top-ranked documents to consider, at least 1. If `None`, all retrieved documents.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    beta : float, default=1.0
        Weight of recall compared with precision; must be positive. 2 gives F2, 0.5 gives F0.5.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "micro" divides the sum of the numerators by the sum of the denominators,
        "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If `None`, return the
        value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        F1 between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from sklearn_rank import f1_at_k_score
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2)
    0.4
    >>> f1_at_k_score([[1, 0, 1, 1]], [[4, 3, 2, 1]], k=2, beta=0.5)
    0.4545...
    """
    return compute_call(F1, **locals())


RECALL = add_metric(
    "recall", _recall, recall_at_k_score, micro=True, has_curve=True, denominators=("relevant", "achievable")
)
F1 = add_metric("f1", _f1, f1_at_k_score, micro=True, has_curve=True)


def _hit_rate(block: Block, *, k: Cutoff, min_relevance: float) -> Ratio:
    """hit@k = 1 if a relevant document is in the top k, else 0."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.any_in_top(k), 1, relevant.n > 0)


@explain_parameters
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute the hit rate at k, averaged over queries.

    A query has the value 1 if a relevant document is among the first `k`, and 0 otherwise. With ties, the
    value is the probability of a hit. The hit rate is also known as success at k.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    k : int or None
        Number of top-ranked documents to consider, at least 1. If `None`, all retrieved documents.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Hit rate between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Deshpande and Karypis, "Item-based top-N recommendation algorithms", TOIS 2004. In trec_eval: success.

    Examples
    --------
    >>> from sklearn_rank import hit_rate_at_k_score
    >>> y_true, y_score = [0, 1, 0, 0, 0, 1], [3, 2, 1, 3, 2, 1]
    >>> hit_rate_at_k_score(y_true, y_score, groups=[1, 1, 1, 2, 2, 2], k=2)
    0.5
    """
    return compute_call(HIT_RATE, **locals())


HIT_RATE = add_metric("hit_rate", _hit_rate, hit_rate_at_k_score, has_curve=True)

DIGITS = 6  # decimals of `multiple * R` before it is rounded up


def _r_precision(block: Block, *, min_relevance: float, multiple: float) -> Ratio:
    """R-precision = |relevant in the top c| / c, c = multiple * |relevant|, rounded up."""
    relevant = block.relevant(min_relevance)
    cutoffs = np.ceil(np.round(multiple * relevant.n, DIGITS))  # 1.1 * 10 is 11, despite rounding errors
    in_top = block.ranks <= cutoffs[:, None]
    return Ratio((relevant.expected * in_top).sum(axis=1), np.maximum(cutoffs, 1), relevant.n > 0)


@explain_parameters
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute R-precision, averaged over queries.

    R-precision is the precision at cutoff R, the number of relevant documents of the query. The recall at R
    is equal to it.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    multiple : float, default=1.0
        Factor of R from 0.01 to 10**6. The cutoff is ``multiple * R``, rounded up, as in Rprec_mult of
        trec_eval.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        R-precision between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_rank import r_precision_score
    >>> r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.5
    >>> round(r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], multiple=1.5), 4)  # of the first 3
    0.6667
    """
    return compute_call(R_PRECISION, **locals())


R_PRECISION = add_metric("r_precision", _r_precision, r_precision_score)


def _average_precision_at_r(block: Block, *, min_relevance: float) -> Ratio:
    """AP@R = sum of P@i over the ranks i <= R of relevant documents / R, R = |relevant|."""
    relevant = block.relevant(min_relevance)
    terms = _list_precisions(block, relevant, None)
    in_top = block.ranks <= relevant.n[:, None]
    return Ratio((terms * in_top).sum(axis=1), relevant.n, relevant.n > 0)


@explain_parameters
def map_at_r_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean average precision at R (MAP@R) over queries.

    R is the number of relevant documents of the query. MAP@R is the sum of the precisions at the ranks of the
    relevant documents among the first R, divided by R. It is 1 only if the first R documents are relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        judged but not retrieved: it gets no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row. Ids can be of any sortable type, and rows can be in any order. Required unless
        the input is 2-D with one row per query.
    min_relevance : float, default=1
        Smallest label that counts as relevant; must be positive.
    ties : {"average", "order", "best", "worst"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, or
        replace them by the mean or median of the judged labels of the query.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows, "geometric" is the geometric mean, in which values below 1e-5 count as 1e-5. If
        `None`, return the value of each query, in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Query weights. For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass
        one weight per query.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MAP@R between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains
        NaN and ``unjudged="raise"``.

    References
    ----------
    Musgrave, Belongie and Lim, "A metric learning reality check", ECCV 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_at_r_score
    >>> map_at_r_score([[1, 0, 1, 1]], [[4, 3, 2, 1]])  # (1/1 + 2/3) / 3
    0.5555...
    """
    return compute_call(MAP_AT_R, **locals())


MAP_AT_R = add_metric("map_at_r", _average_precision_at_r, map_at_r_score)
