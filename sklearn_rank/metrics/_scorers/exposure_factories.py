"""What the factories of scorers of exposure share."""

from __future__ import annotations

from typing import Any

from ..._checks.errors import fail
from .. import _scorers
from .._beside_table import BesideMetric
from .factories import check_labels_name, check_origins, keep_changed


def build_exposure_scorer(
    metric: BesideMetric, owners: Any, groups: Any, response_method: Any, **options: Any
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
