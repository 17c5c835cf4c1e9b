"""What the factories of scorers of several intents share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._checks.errors import fail
from .. import _scorers
from .._factory import Scorers, add_parameter, make_factory
from .._intents.rows import IntentRows, check_intent_options, check_weights_of_all
from .._table import METRICS, Metric, Options
from .factories import check_direction, check_labels_name, check_origins, keep_changed

SCORERS = Scorers(
    "IntentScorer",
    {"y_true": add_parameter("intents", "str | list[str]", "intents")},
    example={"metric": "ndcg@10", "k": 10},
)


def add_intent_metric(
    stem: str,
    formula: Callable[..., Any],
    function: Callable[..., Any],
    check: Callable[[str, Options], Options] = check_intent_options,
    **flags: Any,
) -> Metric:
    """Add a metric of several intents to the table."""
    factory = make_factory(function, lambda **given: build_intent_scorer(row, **given), "", SCORERS)
    of_all: dict[str, Any] = {"door": IntentRows, "check": check, "needs": ("intents",)}
    row = METRICS[stem] = Metric(stem, formula, function, factory, **of_all, **flags)
    return row


def build_intent_scorer(
    row: Metric, intents: Any, groups: Any, response_method: Any, **options: Any
) -> _scorers.IntentScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    function = row.factory.__name__
    if isinstance(options.get("metric"), str):
        check_direction(options["metric"], function, "metric")
    row.checked(function, options)
    if options["average"] is None:
        fail("average", function, "be 'macro', 'weighted' or 'geometric': a scorer returns one number", None)
    if options.get("intent_weight") is not None:
        check_weights_of_all(function, options["intent_weight"])
    check_origins(groups, response_method, function)
    if isinstance(intents, str):
        check_labels_name(intents, groups, function, "intents")
    elif not _are_names(intents):
        rule = "be the name under which labels of intents travel, or a list of columns of X"
        fail(
            "intents", function, rule, repr(intents) if isinstance(intents, list) else type(intents).__name__
        )
    return _scorers.IntentScorer(
        row.stem, intents, keep_changed(options, row.function), groups, response_method
    )


def _are_names(intents: Any) -> bool:
    """Tell whether these are names of columns, each once."""
    is_list = isinstance(intents, list | tuple) and len(intents) > 0
    return is_list and all(isinstance(name, str) for name in intents) and len(set(intents)) == len(intents)
