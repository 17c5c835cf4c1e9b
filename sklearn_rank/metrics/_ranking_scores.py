"""Several metrics in one call, and the dependence of metrics on the order of tied documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import as_printed, fail
from .._checks.missed import MissedLabels
from .._checks.options import pick
from .._checks.types import ArrayLike, Discount, Features, Gain, Metrics, RatioAverage, TieRule, Unjudged
from .._engine.blocks import iter_blocks
from ._compute import compute_many, score_opened
from ._label_warnings import caution
from ._lists.history import History
from ._lists.popularity import Popularity
from ._names import build_requests, parse_name, read_names
from ._prepared_input import open_rows
from ._requests import read_entries, read_labels, request_metrics
from ._table import Given, Tables, find_label_rules

# Options shared by many metrics.
SHARED = ("gain", "discount", "min_relevance", "ties", "unjudged", "zero_division", "average")


@explain_parameters
def ranking_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Metrics,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
    n_jobs: int | None = None,
    items: ArrayLike | None = None,
    features: Features = None,
    popularity: Popularity | None = None,
    history: History | None = None,
    intents: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> dict[str, float] | dict[str, np.ndarray]:
    """Compute several metrics in one call, in which rows are checked and sorted once.

    Parameters
    ----------
    y_score, groups, ties, unjudged, average, sample_weight, missed
        As in :func:`precision_at_k_score`.
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
        Negative labels are allowed if each metric is a correlation, "pairwise_accuracy" or has
        ``signed=True``.
    metrics : str, scorer, list of these, or dict of str to name or scorer
        Names such as ``"ndcg@10"``, ``"map"`` or ``"precision@5(min_relevance=2)"``, or names of other
        libraries such as ``"trec_eval:map_cut_10"``. Options in a name, as in ``"mrr(ties=worst)"``, and
        options that a library determines (see :func:`explain`) take precedence over the arguments below. If
        they do so for all metrics, another argument raises an error; if for some, there is a warning. Scorers
        such as ``dcg_scorer(k=8)`` or ``make_group_scorer(f)`` are computed from `y_score`. Their options
        count; other values below raise an error. The keys of a dict are the names of the results.
        scikit-learn's "neg_log_loss", "neg_brier_score", "neg_mean_squared_error",
        "neg_mean_absolute_error", "accuracy", "roc_auc" and "average_precision" are computed per query.
    gain, discount
        As in :func:`ndcg_score`, for "dcg" and "ndcg"; for "err", set them in the name: "err(gain=linear)".
    min_relevance
        As in :func:`map_score`, for metrics that have this parameter.
    zero_division : {0.0, 1.0, nan} or None, default=None
        Value of a query for which a metric is undefined. If `nan`, such queries are excluded from the mean.
        If `None`, the default of each metric is used.
    n_jobs : int, default=None
        Number of threads; -1 means one per core. Threads have at least about 100,000 rows each, and are most
        useful for queries with thousands of documents. If `None`, 1 or the number that is set with
        ``joblib.parallel_config``.
    items : array-like of shape (n_rows,), default=None
        Item id of each row, for metrics such as ``"catalog_coverage@10"`` and ``"novelty@10"``.
    features : {array-like, sparse matrix} of shape (n_rows, n_features), mapping or tuple, default=None
        Features of the item of each row, for metrics such as ``"diversity@10"``. With `items`, also features
        of each item: a mapping of item id to features, or a tuple (features, item_ids).
    popularity : mapping or pandas.Series, default=None
        Popularity by item id, as in :func:`novelty_score` and :func:`tail_share_score`.
    history : tuple (features, ids), mapping or pandas.DataFrame, default=None
        Past items of users, as in :func:`calibration_loss` and :func:`serendipity_score`.
    intents : array-like or sparse matrix of shape (n_rows, n_intents), default=None
        Labels of each row, one per intent, for metrics such as ``"alpha_ndcg@10"`` and ``"err_ia@10"``.
    strata : array-like of shape (n_rows,), default=None
        Stratum of each row, for ``"infap"``; see :func:`infap_score`. :func:`from_run` returns it with
        ``return_strata=True``.
    labels : dict of str to array-like of shape (n_rows,), default=None
        Labels of scorers in `metrics` that request others than `y_true`, by name. For example,
        ``labels={"revenue": revenue}`` for ``dcg_scorer(k=8, labels="revenue")``.

    Returns
    -------
    dict of str to float or to ndarray of shape (n_queries,)
        Values by name, in the order of `metrics`. With ``average=None``, each metric has one value per query,
        even "trec_eval:gm_map", whose name includes a mean. Metrics over the rankings of all queries together
        are always floats.

    Examples
    --------
    >>> from sklearn_rank import ranking_scores
    >>> y_true, y_score, qid = [0, 1, 2, 1, 0], [0.1, 0.3, 0.2, 0.9, 0.4], [1, 1, 1, 2, 2]
    >>> ranking_scores(y_true, y_score, groups=qid, metrics=["ndcg@2", "mrr", "precision@2"])
    {'ndcg@2': 0.92..., 'mrr': 1.0, 'precision@2': 0.75}
    """
    options = pick(SHARED, locals())
    metrics = read_entries(metrics)
    given = Given(y_true, y_score, groups, sample_weight, missed, read_labels(metrics, labels))
    tables = Tables(items, features, popularity, history, intents, strata=strata)
    requests = request_metrics(metrics, options, given, tables)
    return compute_many(requests, given, n_jobs, tables if tables.given() else None)


RULES = ("worst", "average", "best", "order")


@dataclass(frozen=True, repr=False)
class TieReport:
    """Values of metrics under each tie rule; returned by `tie_report` and printed as a table."""

    metrics: dict[str, dict[str, float]]  # the values by metric and tie rule
    tied_queries: float  # share of queries with tied scores among their retrieved documents
    tied_documents: float  # share of retrieved documents with the score of another one of their query

    def __repr__(self) -> str:
        width = max(map(len, ["metric", *self.metrics]))
        heads = ("row order" if rule == "order" else rule for rule in RULES)
        lines = [f"{'metric':{width}}" + "".join(f"{head:>11}" for head in heads)]
        for name, values in self.metrics.items():
            lines.append(f"{name:{width}}" + "".join(f"{values[rule]:11.4f}" for rule in RULES))
        shares = (f"{share:.1%}".replace(".0%", "%") for share in (self.tied_queries, self.tied_documents))
        return "\n".join([*lines, "{} of queries and {} of documents have tied scores.".format(*shares)])

    def _repr_html_(self) -> str:
        return as_printed(repr(self))


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
    missed: MissedLabels | None = None,
) -> TieReport:
    """Report metrics under every tie rule, and the shares of tied queries and documents.

    The difference between "best" and "worst" shows how much a value depends on the order of tied documents.
    If "order" is far from "average", the row order depends on the labels.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, unjudged, zero_division, sample_weight, missed
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro", "geometric"}, default="macro"
        As in :func:`ranking_scores`, without None.

    Returns
    -------
    TieReport
        A printable table with the attributes `metrics`, the values by metric and tie rule, and `tied_queries`
        and `tied_documents`, the shares of queries and of retrieved documents with tied scores.

    Examples
    --------
    >>> from sklearn_rank.metrics import tie_report
    >>> y_true, y_score, groups = [1, 0, 0, 0, 1, 0], [1, 1, 1, 1, 2, 1], [1, 1, 1, 1, 2, 2]
    >>> print(tie_report(y_true, y_score, groups=groups, metrics=["mrr@10", "ndcg"]))
    metric      worst    average       best  row order
    mrr@10     0.6250     0.7604     1.0000     1.0000
    ndcg       0.7153     0.8202     1.0000     1.0000
    50% of queries and 66.7% of documents have tied scores.
    """
    options = pick(SHARED, locals())
    if average is None:
        fail("average", "be 'macro', 'micro', 'weighted' or 'geometric'", None)
    metrics = read_names(metrics)
    requested = build_requests(metrics, options)
    for name in metrics:
        if "ties" in parse_name(name)[1]:
            rule = "not contain 'ties' or a name of another library"
            fail("metrics", rule, repr(name), "The report has a column for each tie rule.")
    # Some options are not allowed with every rule.
    requests = {rule: build_requests(metrics, {**options, "ties": rule}) for rule in RULES}
    opened = open_rows(Given(y_true, y_score, groups, sample_weight, missed), find_label_rules(requested))
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
