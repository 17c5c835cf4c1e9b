"""The metrics by which LightGBM stops training: its own, by name, and those of this package."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any, NamedTuple

import lightgbm
import numpy as np

from .._checks.errors import fail
from ..metrics import RankingScorer, is_metric_name
from ._eval_metric import (
    PREFIX,
    LightGBMMetric,
    check_no_function,
    is_of_package,
    is_ours,
    list_metrics,
    read_metric,
)
from ._eval_rows import EvalRows, weighs

METRIC_NAMES = ("metric", "metrics", "metric_types")  # LightGBM's names of one parameter, as these
NO_METRIC = ("", "None", "none", "na", "null", "custom")


class Metrics(NamedTuple):
    """The metrics that LightGBM evaluates."""

    given: list[Any] | None  # as it takes them in `fit`
    parameters: dict[str, Any]  # with them, only scorers stop the training if there are any
    scorers: list[RankingScorer]  # those among them
    has_own: bool  # whether there are others

    def knowing(self, rows: list[EvalRows]) -> list[Any] | None:
        """Return the metrics as LightGBM calls them: those of this package score these rows."""
        return self.given and [_know(metric, rows) for metric in self.given]


def read_metrics(eval_metric: Any, params: dict[str, Any]) -> Metrics:
    """Return the metrics of LightGBM, and the parameters with which only scorers stop the training."""
    theirs, given, metrics = check_metrics(eval_metric, params)
    scorers = [metric.scorer for metric in metrics if isinstance(metric, LightGBMMetric)]
    has_own = len(scorers) < len(metrics) or bool(set(theirs) - set(NO_METRIC))
    if theirs or not scorers:
        return Metrics(metrics or None, {"metric": theirs} if theirs else {}, scorers, has_own)
    if not any(map(is_ours, given)):
        rule = (
            'be "None", or name LightGBM\'s own metrics that may stop the training beside '
            "'eval_metric'; or pass the scorer as it stands, such as eval_metric=map_scorer(k=10)"
        )
        fail("metric", "LGBMRanker", rule, "nothing")
    return Metrics(metrics, {"metric": "None"}, scorers, has_own)


def check_metrics(eval_metric: Any, params: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return LightGBM's own metrics by name, all others, and these as LightGBM calls them; checked."""
    named = [each for name in METRIC_NAMES if params.get(name) for each in list_metrics(params[name])]
    theirs = [metric for metric in named if not is_of_package(metric)]
    for metric in theirs:
        check_no_function(metric, "metric", "LGBMRanker")
        if not isinstance(metric, str):
            fail("metric", "LGBMRanker", "be names, or scorers such as map_scorer(k=10)", repr(metric))
        _check_name(metric, "metric", "LGBMRanker")
    asked = [metric for metric in (eval_metric, params.get("eval_metric")) if metric is not None]
    given = [each for metric in asked for each in list_metrics(metric)]
    for metric in given:
        _check_name(metric, "eval_metric", "LGBMRanker.fit")
    given += [metric for metric in named if is_of_package(metric)]
    found: dict[Any, Any] = {}
    for metric in (read_metric(each, "lightgbm", "LGBMRanker.fit") for each in given):
        name = metric.name if isinstance(metric, LightGBMMetric) else id(metric)
        other = found.setdefault(name, metric)  # LightGBM fails on two metrics of one name
        if other is not metric and weighs(other.scorer) != weighs(metric.scorer):
            rule = "not contain a scorer twice, with and without weights"
            fail("eval_metric", "LGBMRanker.fit", rule, name)
    return theirs, given, list(found.values())


def _check_name(metric: Any, parameter: str, function: str) -> None:
    """Reject names of metrics that LightGBM would ignore to stop by its own NDCG at 1."""
    if not isinstance(metric, str) or is_ours(metric):
        return
    for name in (part.strip() for part in metric.split(",")):
        if name.startswith(PREFIX):
            fail(parameter, function, f"have {name!r} apart, in a list", repr(metric))
        if name not in NO_METRIC and not _is_known(name):
            example = name if is_metric_name(name) else "ndcg@10"
            stem, _, k = example.partition("@")
            known = stem if _is_known(stem) else "ndcg"
            own = f'eval_metric="{known}", eval_at=[{k if k.isdigit() else 10}]'
            rule = (
                f"name a metric that LightGBM knows, such as {own} for its own number, or this package's, "
                f'"{PREFIX}{example}" or its scorer'
            )
            fail(parameter, function, rule, repr(name))


@cache
def _is_known(name: str) -> bool:
    """Return whether the installed LightGBM evaluates a metric of this name; it ignores unknown names."""
    if ":" in name:  # by which LightGBM would read another parameter
        return False
    data = lightgbm.Dataset(np.arange(4.0)[:, None], [0, 1, 0, 1], group=[4], params={"verbosity": -1})
    try:
        booster = lightgbm.Booster({"objective": "lambdarank", "metric": name, "verbosity": -1}, data)
    except lightgbm.basic.LightGBMError:  # known, and not for rankings: its own error follows
        return True
    return bool(booster.eval_train())


def _know(metric: Any, rows: list[EvalRows]) -> Any:
    """Bind the rows of evaluation sets to a metric of this package; return others unchanged."""
    if isinstance(metric, LightGBMMetric):
        metric = copy(metric)
        metric.known = rows
        metric.check_known("LGBMRanker.fit", shows_sizes=True)
    return metric
