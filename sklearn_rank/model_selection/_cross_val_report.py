"""Report of out-of-fold predictions."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order, count_rows, resolve_groups, take, take_columns
from .._checks.errors import fail, renamed
from .._checks.groups import check_groups
from .._checks.missed import MissedLabels, read_missed
from .._checks.options import check_params, pick
from .._checks.types import (
    Arguments,
    ArrayLike,
    ById,
    Discount,
    Estimator,
    Features,
    Gain,
    Groups,
    MeanAverage,
    Metrics,
    Options,
    RandomState,
    ResponseMethod,
    Splitter,
    TieRule,
    Unjudged,
)
from .._checks.warn import warn_once
from .._rows.inner_models import is_pairwise, read_requests
from ..metrics import (
    SHARED,
    Given,
    align_labels,
    align_weights,
    find_labels,
    mark_positive,
    read_entries,
    request_entries,
    score_queries,
    unique_groups,
    with_scale,
    without_cautions,
)
from ..reports import RankingReport, Settings, check_settings, count_without_rows
from ._catalog.catalog_scorer import CatalogScorer
from ._catalog.seen_pairs import locate, read_pairs, take_column
from ._cross_validation import validate_each
from ._fold_scores import LABELS, read_scorers, score_fold
from ._kept_queries import join_tests


@explain_parameters
@warn_once
def cross_val_report(
    estimator: Estimator,
    X: Features,
    y: ArrayLike,
    *,
    groups: Groups,
    scoring: Metrics | CatalogScorer,
    cv: Splitter = None,
    times: ArrayLike | None = None,
    n_jobs: int | None = None,
    params: Arguments | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: MeanAverage = "macro",
    labels: ArrayLike | str | None = None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
    cluster: ById | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> RankingReport:
    """Report metrics of a model over queries, by cross-validation.

    Each query is scored by models that were not trained on it. A query that is tested several times, for
    example with repeated folds, counts once, with the mean of its values. The confidence interval is for the
    mean over similar queries with these fitted models. It does not include the variation due to the training
    data.

    Parameters
    ----------
    estimator, X, y, groups, cv, times, n_jobs, params
        As in :func:`cross_validate`.
    scoring : str, scorer, list of these, or dict of str to name or scorer
        Metrics, as in :func:`ranking_scores`: names such as "ndcg@10" or "neg_log_loss", and scorers such as
        ``make_group_scorer(f)``, also of other labels: ``dcg_scorer(k=8, labels="revenue")`` with
        ``params={"revenue": revenue}``. Each fold is fitted once and predicted once per method. Options of a
        scorer count; other values of the parameters below raise an error. Or a :func:`catalog_scorer`. Then
        the queries of the report are its users, and options of metrics, `response_method`, `pos_label`,
        `labels` and `missed` must be left out. Metrics of lists, such as "catalog_coverage@10", are averaged
        over folds.
    response_method : {"auto", "predict", "decision_function", "predict_proba"}, default="auto"
        Method of the model that returns its scores; see :class:`RankingScorer`.
    pos_label : object, default=None
        Relevant class of a classifier; see :class:`RankingScorer`.
    gain, discount, min_relevance, ties, unjudged, zero_division, average
        As in :func:`evaluate`.
    labels : array-like of shape (n_rows,) or str, default=None
        Labels to compute the metrics from, such as debiased clicks, or the name of an index level of X or y
        that contains them. If `None`, `y` is used, as for training.
    missed
        As in :func:`ranking_scores`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights for the means: repeat the weight of a query on each of its rows. Pass weights of `fit`
        in `params`.
    cluster : array-like of shape (n_rows,), mapping or pandas.Series, default=None
        As in :func:`evaluate`.
    confidence_level, interval, n_resamples, random_state
        As in :func:`evaluate`.

    Returns
    -------
    RankingReport
        Report whose attribute `folds` is the test fold of each query, from 0. If queries are tested several
        times, `folds` has a column for each test, padded with -1. Queries without a test are excluded.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_report
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> print(cross_val_report(Ridge(), X, y, groups=qid, scoring=["ndcg@10", "mrr"]))
    100 queries, 95% confidence intervals over queries
    metric    mean          95% CI     SE  queries  no relevant docs
    ndcg@10  0.839  [0.810, 0.868]  0.015      100                 0
    mrr      0.966  [0.938, 0.994]  0.014      100                 0
    """
    settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
    if average is None:
        fail("average", "be 'macro', 'micro' or 'weighted'", None)
    options = pick(SHARED, locals())
    catalog = scoring if isinstance(scoring, CatalogScorer) else None
    if catalog is not None:
        others = {"response_method": response_method, "pos_label": pos_label, "missed": missed}
        _check_left_out({**options, **others, "labels": labels})
        scoring, options = catalog.plain_names, catalog.shared_options
        min_relevance = options.get("min_relevance", min_relevance)
    found = read_missed(missed)
    call: Options = {"response_method": response_method, "pos_label": pos_label, "missed": found}
    call["labels"] = None if labels is None else LABELS
    with renamed("metrics", "scoring"):
        entries = read_entries(scoring)
        scorers = read_scorers(entries, options, call)
        requests = request_entries(entries, options, of_call=["missed", "groups"])
    names = list(entries)
    if sample_weight is None and any(
        read_requests(each, "score").get("sample_weight") for each in scorers.values()
    ):
        rule = "be passed to the report, because a scorer requests weights"
        fail("sample_weight", rule, None, "Pass sample_weight=weights.")
    if groups is None:
        fail("groups", "contain the query id of each row", None, "Pass groups=qid.")
    ids = resolve_groups(groups, X, y) if catalog is None else take_column(X, catalog.user, "user")
    labels = resolve_groups(labels, X, y, "labels", columns=False)
    check_same_order(X=X, y=y, groups=ids, labels=labels, cluster=cluster, sample_weight=sample_weight)
    codes = rank_ids(check_groups(ids, count_rows(X)))
    clusters = None
    if cluster is not None:
        codes_of, names_of = align_labels(cluster, ids, unique_groups(ids), "cluster")
        clusters = names_of[codes_of]
    weights = align_weights(sample_weight, ids)
    params = check_params(params)
    if labels is not None:
        params = {**params, LABELS: labels}
    scored_by = y if labels is None else labels
    by_y = [each for each in scorers.values() if each.pos_label is not None and each.labels == call["labels"]]
    by_name: Options = {"": mark_positive([*by_y, *scorers.values()][0], scored_by)}
    for request in requests:
        if (column := request.column) is not None:
            by_name[column] = find_labels(column, params.get(column), X, y)
    rows = Given(scored_by, None, ids, None, None if found is None else found.of_parts(), by_name)
    if catalog is None:  # grades have one scale in all folds
        scaled = [with_scale(scorers[each.name], by_name[each.column or ""]) for each in requests]
        requests = [each._replace(highest=of.highest) for each, of in zip(requests, scaled)]
    options = {"n_jobs": n_jobs, "return_estimator": True, "return_indices": True, "error_score": "raise"}
    call = {"estimator": estimator, "X": X, "y": y, "groups": groups, "scoring": catalog or scorers, "cv": cv}
    results = validate_each({**call, "params": params, "times": times, **options})
    tested, scored, counts = [], [], []
    for model, train, test in zip(results["estimator"], *(results["indices"][s] for s in ("train", "test"))):
        if catalog is not None:
            seen = read_pairs(take(X, train), *catalog.columns)
            top = catalog.list_rows(model, take(X, test), None if y is None else take(y, test), seen)
            with without_cautions():
                scored.append(score_queries(requests, Given(*catalog.keep_open(top)), min_relevance))
            tested.append(locate(scored[-1].ids, unique_groups(ids)))
            counts.append(top.counts)
            continue
        X_test = take(X, test)
        X_test = take_columns(X_test, train) if is_pairwise(model) else X_test
        of_fold = X_test, rows.map(partial(take, rows=test))
        with without_cautions():  # the call gave them before the first fit
            scored.append(score_fold(model, *of_fold, scorers, requests, min_relevance))
        tested.append(np.unique(codes[test]))
    fold_of = np.repeat(np.arange(len(tested)), [len(each) for each in tested])
    joined, folds = join_tests(scored, np.concatenate(tested), fold_of)
    of_queries = None if weights is None else weights[joined.ids]
    report = RankingReport.from_values(
        take(unique_groups(ids), joined.ids),
        {name: each.weigh(of_queries) for name, each in joined.metrics.items()},
        sizes=joined.sizes,
        n_relevant=joined.n_relevant,
        folds=folds,
        cluster=None if clusters is None else clusters[joined.ids],
        label_fingerprints=joined.labels,
        **settings._asdict(),
    )
    report.n_without_rows = count_without_rows(found, unique_groups(ids))
    if catalog is not None:
        report.catalog_counts = {key: sum(each[key] for each in counts) for key in counts[0]}
        list_metrics = [each for each in catalog.names if each not in names]
        report.list_metrics = {each: float(np.mean(results[f"test_{each}"])) for each in list_metrics}
    return report


def _check_left_out(given: Options) -> None:
    """Check that options which a catalog scorer has itself are left out."""
    defaults = signature(cross_val_report).parameters
    for option, value in given.items():
        if repr(value) != repr(defaults[option].default):
            fix = "Pass options of metrics to catalog_scorer."
            fail(option, "be left out if 'scoring' is a catalog_scorer", repr(value), fix)
