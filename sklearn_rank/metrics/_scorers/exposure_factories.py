"""The table of metrics of exposure, and what the factories of their scorers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._checks.errors import fail
from ..._checks.options import check_choice, check_flag, check_options
from .. import _scorers
from .._exposure.browsing import BrowsingOptions
from .factories import NAMES_OF_OTHERS, check_origins, keep_changed


class ExposureMetric(NamedTuple):
    """One row of the table of metrics of exposure."""

    name: str
    function: Callable[..., Any]
    factory: Callable[..., Any]  # of its scorers
    greater_is_better: bool = True


EXPOSURES: dict[str, ExposureMetric] = {}


def add_exposure_metric(
    name: str, function: Callable[..., Any], factory: Callable[..., Any], **flags: bool
) -> ExposureMetric:
    """Add a row to the table."""
    EXPOSURES[name] = ExposureMetric(name, function, factory, **flags)
    return EXPOSURES[name]


def build_exposure_scorer(
    metric: ExposureMetric, owners: Any, groups: Any, response_method: Any, **options: Any
) -> _scorers.ExposureScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    function = metric.factory.__name__
    BrowsingOptions(*(options[name] for name in BrowsingOptions._fields)).checked(function)
    check_choice("ties", options["ties"], ("average", "order"), function)
    known = {name: options[name] for name in ("unjudged", "zero_division", "average") if name in options}
    check_options(function, **known)
    check_choice("average", options.get("average", "macro"), ("macro", "weighted", "micro"), function)
    check_flag(options.get("log", False), "log", function)
    check_choice("disparate", options.get("disparate", "treatment"), ("treatment", "impact"), function)
    check_origins(groups, response_method, function)
    if not (isinstance(owners, str) and owners) or owners in NAMES_OF_OTHERS or owners == groups:
        rule = "be a name that nothing else has, under which owners travel; owners themselves go to the call"
        fail("owners", function, rule, repr(owners) if isinstance(owners, str) else type(owners).__name__)
    changed = keep_changed(options, metric.function)
    return _scorers.ExposureScorer(metric.name, owners, changed or None, groups, response_method)
