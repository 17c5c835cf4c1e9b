"""Several metrics of the same rows in one call, and how much they depend on the order of tied documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import as_printed, fail
from .._checks.types import ArrayLike, Discount, Features, Gain, RatioAverage, TieRule, Unjudged
from .._engine.blocks import iter_blocks
from ._compute import compute_many, score_opened
from ._exposure.exposure_metrics import Target
from ._label_warnings import caution
from ._lists.history import History
from ._lists.popularity import Popularity
from ._names import ask, build_requests, parse_name, read_names
from ._prepared_input import open_rows
from ._table import Given, Tables, find_label_rules

# Options shared by many metrics.
SHARED = ("gain", "discount", "min_relevance", "ties", "unjudged", "zero_division", "average")


@explain_parameters
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
    requests = ask(metrics, options, given, tables)
    return compute_many(requests, given, n_jobs, tables if tables.given() else None)


RULES = ("worst", "average", "best", "order")


@dataclass(frozen=True)
class TieReport:
    """What ties leave open; made by `tie_report`, printed as a table.

    Attributes
    ----------
    metrics : dict of str to dict of str to float
        Per name the values under the tie rules "worst", "average", "best" and "order".
    tied_queries : float
        Share of the queries with tied documents among those retrieved, in [0, 1].
    tied_documents : float
        Share of the retrieved documents whose score another one of their query has, in [0, 1].
    """

    metrics: dict[str, dict[str, float]]
    tied_queries: float
    tied_documents: float

    def __str__(self) -> str:
        width = max(map(len, self.metrics))
        lines = [f"{'':{width}}" + "".join(f"{rule:>10}" for rule in RULES)]
        for name, values in self.metrics.items():
            lines.append(f"{name:{width}}" + "".join(f"{values[rule]:10.4f}" for rule in RULES))
        shares = (
            f"{self.tied_queries:.1%} of the queries have ties, {self.tied_documents:.1%} of the documents."
        )
        return "\n".join([*lines, shares])

    def _repr_html_(self) -> str:
        return as_printed(str(self))


@explain_parameters
def tie_report(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> TieReport:
    """Report metrics under every tie rule, and how many queries and documents are tied.

    Where "worst" and "best" differ, a number under any one order of ties is luck; where "order" is far from
    "average", the rows were sorted by something that knows the labels.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, unjudged, zero_division, sample_weight
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro", "geometric"}, default="macro"
        As in :func:`ranking_scores`, without None.

    Returns
    -------
    TieReport
        The values under the four rules and the shares of tied queries and documents.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import tie_report
    >>> y_true, y_score, groups = [1, 0, 0, 0, 1, 0], [1, 1, 1, 1, 2, 1], [1, 1, 1, 1, 2, 2]
    >>> print(tie_report(y_true, y_score, groups=groups, metrics=["mrr@10", "ndcg"]))
               worst   average      best     order
    mrr@10    0.6250    0.7604    1.0000    1.0000
    ndcg      0.7153    0.8202    1.0000    1.0000
    50.0% of the queries have ties, 66.7% of the documents.
    """
    arguments = locals()
    options = {name: arguments[name] for name in SHARED if name != "ties"}
    if average is None:
        fail("average", "be 'macro', 'micro', 'weighted' or 'geometric'", None)
    metrics = read_names(metrics)
    requested = build_requests(metrics, options)
    for name in metrics:
        if "ties" in parse_name(name)[1]:
            rule = "leave ties out of names, and other libraries: the report has a column for each rule"
            fail("metrics", rule, repr(name))
    # Some options are not allowed with every rule.
    requests = {rule: build_requests(metrics, {**options, "ties": rule}) for rule in RULES}
    opened = open_rows(Given(y_true, y_score, groups, sample_weight), find_label_rules(requested))
    opened.rows.keep()
    values = {rule: score_opened(requests[rule], opened) for rule in RULES}
    caution(opened, requested, values["average"])
    n_tied, n_shown, n_tied_queries = 0, 0, 0
    for block in iter_blocks(opened.rows, opened.scores):
        n_shown += int(block.n_retrieved.sum())
        if block.ties is not None:
            is_tied = block.retrieved(block.ties.spread(block.ties.sizes > 1))
            n_tied += int(np.count_nonzero(is_tied))
            n_tied_queries += int(np.count_nonzero(is_tied.any(axis=1)))
    by_rule = {rule: dict(zip((each.name for each in requested), values[rule])) for rule in RULES}
    by_name = {each.name: {rule: by_rule[rule][each.name] for rule in RULES} for each in requested}
    return TieReport(by_name, n_tied_queries / len(opened.rows.queries.lengths), n_tied / max(n_shown, 1))
