"""Scores of folds for a report: each model predicts once per response, for any number of scorers."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial, wraps
from typing import Any

import numpy as np

from .._checks.options import pick
from .._checks.types import RESPONSES, Estimator, Features, Options
from .._rows.bound import with_groups
from ..metrics import (
    Given,
    RankingScorer,
    Request,
    ScoredQueries,
    can_request,
    is_metric_name,
    is_ranking,
    mark_positive,
    merge_options,
    parse_name,
    predict_for,
    score_column,
    score_queries,
    split_labels,
    with_classes,
)

LABELS = "labels"  # name under which labels for scoring are passed


def read_scorers(entries: Mapping[str, Any], options: Options, call: Options) -> dict[str, RankingScorer]:
    """Return a scorer for each entry, with response, `pos_label`, labels and `missed` of the call.

    Cross-validation checks these scorers, and `score_fold` scores.
    """
    shared = {name: value for name, value in options.items() if name in ("unjudged", "min_relevance")}
    scorers = {}
    for key, entry in entries.items():
        if can_request(entry):
            scorer = copy(entry)
        else:
            fixed = parse_name(entry)[1] if is_metric_name(entry) else ()
            scorer = RankingScorer(entry, {name: each for name, each in shared.items() if name not in fixed})
        scorers[key] = scorer
        usual = {"response_method": "auto" if is_ranking(scorer) else None, "pos_label": None}
        own = {name: vars(scorer)[name] for name in usual if vars(scorer)[name] != usual[name]}
        rest = merge_options(key, pick(usual, call), own, {"response_method": "auto"})
        if not is_ranking(scorer) and call["response_method"] == "auto":  # a function has its own response
            rest.pop("response_method", None)
        if scorer.response_method == "predict":  # of classes, as they are
            rest.pop("pos_label", None)
        vars(scorer).update(rest, missed=call["missed"], is_scored_later=True)
        scorer.labels = scorer.labels or call["labels"]
    return scorers


def score_fold(
    model: Estimator,
    X: Features,
    rows: Given,
    scorers: Mapping[str, RankingScorer],
    requests: list[Request],
    min_relevance: float,
) -> ScoredQueries:
    """Score the rows of a test set, whose labels for the facts about queries are those without a name."""
    model = _remember(with_groups(model, {"groups": rows.groups}))
    parts: dict[Any, list[Request]] = {}
    for request in requests:
        scorer = scorers[request.name]
        key = (scorer.response_method, repr(scorer.pos_label)) if is_ranking(scorer) else request.name
        parts.setdefault(key, []).append(request)
    main, found = None, Options()
    for same in parts.values():
        scorer = with_classes(scorers[min(same, key=lambda each: each.column is not None).name], model)
        if not is_ranking(scorer):
            same = [
                each._replace(params={**each.params, **pick(["labels"], scorer.options or {})})
                for each in same
            ]
        y_score = predict_for(scorer, model, X, rows.y_true, rows.groups)
        given = rows._replace(y_true=mark_positive(scorer, rows.y_true), y_score=y_score)
        if main is None and is_ranking(scorer):
            main = same, given
            continue
        for each, of_column in split_labels(same, given):
            found |= score_column(each, of_column)
    if main is None:
        main = [], rows._replace(y_true=rows.labels[""], y_score=np.zeros(len(rows.groups)))
    scored = score_queries(*main, min_relevance)
    found |= scored.metrics
    return scored._replace(metrics={request.name: found[request.name] for request in requests})


def _remember(model: Estimator) -> Any:
    """Return a copy of a fitted model that predicts the rows of a fold once by each method."""
    copied, found = copy(model), Options()

    def call(method: str, X: Features, **params: Any) -> Any:
        if method not in found:
            found[method] = getattr(model, method)(X, **params)
        return found[method]

    for method in RESPONSES:
        if callable(predict := getattr(model, method, None)):
            setattr(copied, method, wraps(predict)(partial(call, method)))
    return copied
