"""What the factories of scorers share: options are checked at once, before scikit-learn is imported."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ..._checks.errors import fail
from ..._checks.options import check_needed_k, check_options
from .. import _scorers
from .._names import build_requests, parse_name
from .._table import Metric

NAMES_OF_OTHERS = ("X", "y", "groups", "sample_weight")  # arguments of scorers and of `fit`
EXAMPLES_OF_NAMES = {"labels": "debiased", "owners": "seller"}
RESPONSES = {"decision_function", "predict", "predict_proba"}


def build_scorer(
    metric: Metric,
    groups: str | None,
    labels: str | None,
    response_method: Any,
    k: int | None = None,
    **options: Any,
) -> _scorers.RankingScorer:
    """Build the scorer of one row of the table under its name, such as ndcg@10."""
    function = metric.factory.__name__
    if metric.cutoff == "required":
        check_needed_k(k, function)
    check_options(function, k=k)
    name = metric.prefix + metric.stem + ("" if k is None else f"@{int(k)}")
    return build_scorer_of_names(
        metric.factory, metric.function, name, groups, labels, response_method, options
    )


def build_scorer_of_names(
    factory: Callable[..., _scorers.RankingScorer],
    defaults_of: Callable[..., Any],
    metrics: Any,
    groups: str | None,
    labels: str | None,
    response_method: Any,
    options: dict[str, Any],
) -> _scorers.RankingScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan; keep non-defaults."""
    function = factory.__name__
    asked = keep_changed(options, defaults_of)
    if asked.get("average", "macro") is None:
        rule = "be 'macro', 'micro', 'weighted' or 'geometric': a scorer returns one number"
        fail("average", function, rule, None)
    single = isinstance(metrics, str)
    for request in build_requests(function, [metrics] if single else metrics, asked, shared=not single):
        check_direction(request.name, function, "metrics")
    check_origins(groups, response_method, function)
    check_labels_name(labels, groups, function)
    return _scorers.RankingScorer(metrics, asked or None, groups, response_method, labels=labels)


def check_direction(name: str, function: str, parameter: str) -> None:
    """Refuse a loss that is not negated: what scorers return is maximised."""
    metric, _ = parse_name(name, function, parameter)
    if metric.prefix and not name.startswith(metric.prefix):
        fail(parameter, function, f"be negated in a scorer, as {metric.prefix}{name}", repr(name))


def check_origins(groups: Any, response_method: Any, function: str, auto: bool = True) -> None:
    """Check where a factory's scorer reads ids, and by which methods it asks a model."""
    if groups is not None and not (isinstance(groups, str) and groups):
        rule = "be the name of an index level or of a column of X; ids themselves go to the call"
        fail("groups", function, rule, repr(groups) if isinstance(groups, str) else type(groups).__name__)
    methods = [response_method] if isinstance(response_method, str) else response_method
    is_list = isinstance(methods, list | tuple) and len(methods) > 0
    known = is_list and all(isinstance(method, str) and method in RESPONSES for method in methods)
    if not known and not (auto and isinstance(response_method, str) and response_method == "auto"):
        names = ", ".join(map(repr, sorted(RESPONSES)))
        rule = f"be {repr('auto') + ', ' if auto else ''}one of {names} or a list of them"
        fail("response_method", function, rule, repr(response_method))


def check_labels_name(
    labels: Any, groups: Any, function: str, parameter: str = "labels", required: bool = False
) -> None:
    """Check under which name other labels than `y`, or owners, travel, and that ids are not read by it."""
    if (required or labels is not None) and not (isinstance(labels, str) and labels):
        example = EXAMPLES_OF_NAMES.get(parameter, parameter)
        rule = f"be the name under which {parameter} travel, as {example!r}"
        rule += f"; {parameter} themselves go to the call"
        fail(parameter, function, rule, repr(labels) if isinstance(labels, str) else type(labels).__name__)
    if labels in NAMES_OF_OTHERS:
        fail(parameter, function, "be a name that nothing else has", repr(labels))
    if labels is not None and labels == groups:
        fail(parameter, function, "be another name than that of the query ids, 'groups'", repr(labels))


def keep_changed(options: dict[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """Keep the options that are not the function's defaults."""
    defaults = signature(function).parameters
    return {name: value for name, value in options.items() if not _same(value, defaults[name].default)}


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return value is default or (isinstance(value, str | int | float) and value == default)
