"""Scorers by name or with several metrics, and scorers of rows that are prepared once."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import sklearn.metrics

from ..._checks import explain_parameters
from ..._checks.arrays import is_sparse
from ..._checks.containers import check_same_order
from ..._checks.errors import fail
from ..._checks.missed import MissedLabels
from ..._checks.options import pick
from ..._checks.types import (
    AnyScorer,
    Arguments,
    Discount,
    Estimator,
    Features,
    Function,
    Gain,
    Ids,
    Labels,
    Options,
    RatioAverage,
    ResponseMethod,
    Scores,
    Scoring,
    TieRule,
    Unjudged,
    Weights,
)
from ..._engine.prepared import PreparedRows
from .._compute import score_opened
from .._gains_and_discounts import needs_scale
from .._libraries.library_names import is_prefixed
from .._libraries.library_table import NOTHING
from .._names import build_requests, is_metric_name, parse_name, read_names
from .._prepared_input import open_labels, open_predictions, unique_groups
from .._ranking_scores import SHARED, ranking_scores
from .._table import METRICS, find_label_rules
from .factories import build_scorer_of_names, check_direction
from .input_columns import read_input
from .responses import find_response, mark_positive, predict_scores
from .scorer import RankingScorer, name_values


@explain_parameters
def ranking_scorer(
    metrics: str | Iterable[str],
    *,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer that computes several metrics from one prediction and one sort.

    Parameters
    ----------
    metrics : str or iterable of str
        Names of metrics such as ``"ndcg@10"``, ``"map"`` or ``"precision@5(min_relevance=2)"``, or one name.
    gain, discount, min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`ranking_scores`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a dict of floats, or a float for one
        name; pass it as `scoring` to `cross_validate` or, with ``refit="ndcg@10"``, to `GridSearchCV`.

    Examples
    --------
    >>> from sklearn_rank import ranking_scorer
    >>> ranking_scorer(["ndcg@10", "map"])
    RankingScorer(metrics=['ndcg@10', 'map'])
    """
    options = pick(SHARED, locals())
    given = pick(("groups", "labels", "response_method", "missed", "pos_label"), locals())
    names = metrics if isinstance(metrics, str) else read_names(metrics)
    return build_scorer_of_names(ranking_scorer, ranking_scores, names, options, **given)


def get_scorer(scoring: str | Function, *, pos_label: object = None) -> AnyScorer:
    """Return the scorer of a metric of this package or else of scikit-learn.

    Parameters
    ----------
    scoring : str or callable
        Name of a metric, such as ``"ndcg@10"``, or a name from another library with a prefix, such as
        ``"trec_eval:ndcg_cut_10"``. A callable is returned unchanged.
    pos_label : object, default=None
        Relevant class of a classifier; see :class:`RankingScorer`. Only for metrics of this package.

    Returns
    -------
    callable
        A scorer with the signature ``scorer(estimator, X, y)``. Ranking scorers also take ``groups``.

    Examples
    --------
    >>> from sklearn_rank import get_scorer
    >>> get_scorer("ndcg@10")
    RankingScorer(metrics='ndcg@10')
    >>> get_scorer("r2")
    make_scorer(r2_score, response_method='predict')
    """
    scorer = read_scorer(scoring)
    if pos_label is not None:
        if not is_metric_name(scoring):
            fix = "Pass it to the function that makes the scorer."
            fail("pos_label", "be None unless 'scoring' is a name of a ranking metric", repr(pos_label), fix)
        scorer.pos_label = pos_label
    return scorer


def read_scorer(scoring: Scoring, parameter: str = "scoring") -> AnyScorer:
    """Return a scorer by name; errors name the `parameter` of the calling function."""
    if is_metric_name(scoring):
        check_direction(scoring, parameter)
        build_requests([scoring], {})  # checks everything
        if is_prefixed(scoring):
            return RankingScorer(scoring)
        _, options = parse_name(scoring, parameter)
        options.pop("k", None)  # the cutoff stays in the name
        return RankingScorer(scoring.partition("(")[0].strip(), options or None)
    theirs = sklearn.metrics.get_scorer_names()
    if isinstance(scoring, str) and scoring not in theirs:
        parse_name(scoring, parameter, theirs if parameter == "scoring" else ())
    return sklearn.metrics.get_scorer(scoring)


def check_missed(scorer: RankingScorer, ids: Ids) -> None:
    """Check that labels of documents that are not rows belong to queries of the data."""
    if scorer.missed is not None and scorer.groups is None:
        scorer.missed.find(unique_groups(ids))


def get_scorer_names() -> list[str]:
    """Return the names of the metrics of this package that `get_scorer` and `scoring=` accept.

    Returns
    -------
    list of str
        Sorted names. The cutoff 10 is an example; any integer >= 1 can be used instead.

    Examples
    --------
    >>> from sklearn_rank import get_scorer_names
    >>> get_scorer_names()[:4]
    ['bpref', 'dcg', 'dcg@10', 'err']
    """
    names = []
    for stem, metric in METRICS.items():
        if metric.needs:
            continue
        names += [metric.prefix + stem] if metric.cutoff != "required" else []
        names += [f"{metric.prefix}{stem}@10"] if metric.cutoff != "none" else []
    return sorted(names)


def with_scale(
    scorer: RankingScorer, y: Labels, X: Features = None, columns: Arguments = NOTHING
) -> RankingScorer:
    """Return a scorer whose grades have one scale in all folds, which ends at the highest of all labels.

    `columns` contains the labels of intents by name, if they are not columns of X.
    """
    options, scaled = scorer.options or {}, copy(scorer)
    if isinstance(scorer.metrics, partial):
        return scorer
    if not callable(scorer.metrics):
        if any(needs_scale(each.params) for each in scorer.list_requests()):
            missed: Labels = [] if scorer.missed is None else scorer.missed.labels
            scaled.highest = float(np.fmax.reduce(np.append(np.asarray(y, dtype=float), missed)))
        return scaled
    takes, name = signature(scorer.metrics).parameters, options.get("metric", "")
    by_name = bool(name) and needs_scale(build_requests([name], {})[0].params)
    if not by_name and ("max_grade" not in takes or options.get("max_grade") is not None):
        return scorer
    origin = scorer.inputs["intents"]
    found = read_input("intents", origin, columns.get(str(origin)), X, y, None)
    found = found.toarray() if is_sparse(found) else found
    highest = float(np.fmax.reduce(np.asarray(found, dtype=float), axis=None))
    changed: Options = {"max_grade": highest}
    if by_name:
        start = f"{name.removesuffix(')')}, " if "(" in name else f"{name}("
        changed = {"metric": f"{start}max_grade={highest!r})"}
    scaled.options = {**options, **changed} if highest > 0 else options
    return scaled


def prepare_rows(scorer: RankingScorer, y_true: Labels, groups: Ids, sample_weight: Weights) -> PreparedRows:
    """Check and arrange labels, ids and weights for a scorer; scores are passed later."""
    rules = find_label_rules(scorer.list_requests())
    return open_labels(
        mark_positive(scorer, y_true), groups, rules, sample_weight, scorer.missed_of_parts
    ).keep()


def score_prepared(scorer: RankingScorer, rows: PreparedRows, y_score: Scores) -> Scores:
    """Score the predictions of a model for prepared rows: return a float, or a dict of floats by name."""
    return name_values(scorer, score_opened(scorer.list_requests(), open_predictions(rows, y_score)))


def predict_for(scorer: RankingScorer, estimator: Estimator, X: Features, y_true: Labels, groups: Ids) -> Any:
    """Return the predictions by which a scorer ranks the rows."""
    model, response_method = find_response(scorer, estimator, groups)
    y_score = predict_scores(model, response_method, X, y_true)
    check_same_order(y_true=y_true, y_score=y_score)
    return y_score


def score_model(
    scorer: RankingScorer, estimator: Estimator, X: Features, y_true: Labels, rows: PreparedRows, groups: Ids
) -> Any:
    """Score the predictions of a fitted model for prepared rows, whose labels are `y_true`."""
    return score_prepared(scorer, rows, predict_for(scorer, estimator, X, y_true, groups))
