"""What the factories of scorers of exposure share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._checks.errors import fail
from .. import _scorers
from .._exposure.rows import OwnedRows, check_exposure_options
from .._factory import Scorers, add_parameter, find_prefix, make_factory
from .._table import METRICS, Metric, Options
from .factories import check_labels_name, check_origins, keep_changed

SCORERS = Scorers(
    "ExposureScorer",
    {"owners": add_parameter("owners", "str", "owners")},
    example={"k": 10, "target": "candidates"},
)


def add_exposure_metric(
    stem: str,
    formula: Callable[..., Any],
    function: Callable[..., Any],
    check: Callable[[str, Options], Options] = check_exposure_options,
    **flags: Any,
) -> Metric:
    """Add a metric of exposure to the table."""
    factory = make_factory(
        function, lambda **given: build_exposure_scorer(metric, **given), find_prefix(flags), SCORERS
    )
    of_all: dict[str, Any] = {"door": OwnedRows, "check": check, "needs": ("owners",)}
    metric = METRICS[stem] = Metric(stem, formula, function, factory, **{**of_all, **flags})
    return metric


def build_exposure_scorer(
    metric: Metric, owners: Any, groups: Any, response_method: Any, **options: Any
) -> _scorers.ExposureScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    function = metric.factory.__name__
    metric.checked(function, options)
    if options.get("average", "macro") is None:
        fail(
            "average",
            function,
            "be 'macro', 'weighted', 'micro' or 'geometric': a scorer returns one number",
            None,
        )
    check_origins(groups, response_method, function)
    check_labels_name(owners, groups, function, "owners", required=True)
    changed = keep_changed(options, metric.function)
    return _scorers.ExposureScorer(metric.stem, owners, changed or None, groups, response_method)
