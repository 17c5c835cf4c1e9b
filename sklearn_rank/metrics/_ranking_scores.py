"""Many metrics of the same rows in one call."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .._checks.types import ArrayLike, Discount, Features, Gain, RatioAverage, TieRule, Unjudged
from ._compute import compute_many
from ._exposure.awrf import Target
from ._lists.history import History
from ._lists.popularity import Popularity
from ._names import ask
from ._requests import Given
from ._table import Tables

# Options of many metrics.
SHARED = ("gain", "discount", "min_relevance", "ties", "unjudged", "zero_division", "average")


def ranking_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    items: ArrayLike | None = None,
    features: Features = None,
    popularity: Popularity | None = None,
    history: History | None = None,
    intents: ArrayLike | None = None,
    owners: ArrayLike | None = None,
    target: Target | None = None,
    strata: ArrayLike | None = None,
) -> dict[str, float] | dict[str, np.ndarray]:
    """Many metrics through one door and one sort.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`. Of any sign where all
        metrics are correlations, "pairwise_accuracy" or have ``signed=True``.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    metrics : iterable of str
        Names such as ``"ndcg@10"``, ``"map"``, ``"precision@5(min_relevance=2)"``; what stands in a name,
        as in ``"bpref(unjudged=drop)"`` or ``"mrr(ties=worst)"``, goes before the arguments below. Of
        another library, behind its name, ``"trec_eval:map_cut_10"``: what it settles, see :func:`explain`,
        goes before them too.
    gain, discount
        As in :func:`ndcg_score`, for "dcg" and "ndcg"; ERR's own stand in its name, "err(gain=linear)".
    min_relevance
        As in :func:`map_score`, for the metrics that take it.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan} or None, default=None
        Value of a query where a metric is undefined; nan leaves it out of the mean. None: each metric's own
        default.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, the ratio of sums over queries, or the
        geometric mean of their values, raised to 0.00001 where they are below; None for the value of each
        query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.
    n_jobs : int, default=None
        Threads; -1 for one per core, None for 1 or what ``joblib.parallel_config`` says. They gain
        most where lists have thousands of documents. Fewer than some 100,000 rows each are not shared.
    items : array-like of shape (n_rows,), default=None
        The item of each row, for names of lists that need it: ``"catalog_coverage@10"``, ``"novelty@10"``.
    features : {array-like, sparse matrix} of shape (n_rows, n_features), default=None
        Features of the item in each row, for ``"diversity@10"`` and the like.
    popularity : mapping or pandas.Series, default=None
        By item id, as in :func:`novelty_score` and :func:`tail_share_score`.
    history : tuple (features, ids), mapping or pandas.DataFrame, default=None
        What users had before, as in :func:`calibration_loss` and :func:`serendipity_score`.
    intents : array-like or sparse matrix of shape (n_rows, n_intents), default=None
        Labels of each row, one per intent, for ``"alpha_ndcg@10"``, ``"err_ia@10(max_grade=4)"`` and others.
    owners : array-like of shape (n_rows,) or (n_rows, n_owners), default=None
        The owner of the item in each row, or shares of several, for ``"awrf@10"``, ``"exposure_ratio@10"``
        and the like, as in :func:`exposure_ratio_score`.
    target : {"candidates", "relevant"} or mapping, default=None
        For ``"awrf@10"``, as in :func:`awrf_score`; a word may stand in the name, "awrf@10(target=relevant)".
    strata : array-like of shape (n_rows,), default=None
        Stratum of each row, for ``"infap"``, as in :func:`infap_score`. :func:`from_run` returns it with
        ``return_strata=True``.

    Returns
    -------
    dict of str to float or to ndarray of shape (n_queries,)
        One entry per name, in the order given. What is of all lists together is a float, whatever `average`.
        With ``average=None`` names with a mean, such as "trec_eval:gm_map", have one value per query too.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank import ranking_scores
    >>> y_true, y_score, qid = [0, 1, 2, 1, 0], [.1, .3, .2, .9, .4], [1, 1, 1, 2, 2]
    >>> ranking_scores(y_true, y_score, groups=qid, metrics=["ndcg@2", "mrr", "precision@2"])
    {'ndcg@2': 0.92..., 'mrr': 1.0, 'precision@2': 0.75}
    """
    arguments = locals()
    options = {name: arguments[name] for name in SHARED}
    given = Given(y_true, y_score, groups, sample_weight)
    tables = Tables(items, features, popularity, history, intents, owners, target, strata=strata)
    function = "ranking_scores"
    requests = ask(function, metrics, options, given, tables)
    return compute_many(function, requests, given, n_jobs, tables if tables.given() else None)
