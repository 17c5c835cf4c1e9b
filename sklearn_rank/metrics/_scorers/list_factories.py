"""What the factories of scorers of lists share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.errors import fail, is_int
from ..._checks.options import check_choice, check_options
from .. import _scorers
from .._beside_table import BesideMetric
from .._requests import check_geometric
from .factories import check_origins, keep_changed


def _are_columns(origin: Any) -> bool:
    """Tell whether these may be columns: a list, or an array, of names or numbers."""
    is_list = isinstance(origin, list | tuple) or (isinstance(origin, np.ndarray) and origin.ndim == 1)
    return (
        is_list and len(origin) > 0 and all(is_int(name) or isinstance(name, str | tuple) for name in origin)
    )


def build_list_scorer(
    metric: BesideMetric, origin: Any, groups: Any, response_method: Any, **options: Any
) -> _scorers.ListScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    function = metric.factory.__name__
    checked = ("k", "average", "zero_division", "discount", "min_relevance", "smoothing", "tail")
    known = {name: options[name] for name in checked if name in options}
    check_options(function, **known)
    if options["k"] is None:
        fail("k", function, "be an int >= 1", None)
    check_choice("ties", options["ties"], ("average", "order"), function)
    check_choice("average", options.get("average", "macro"), ("macro", "weighted", "geometric"), function)
    if options.get("average") == "geometric":
        check_geometric(metric, function)
    if "items" in metric.needs and not (isinstance(origin, str) and origin):
        fail("items", function, "name an index level of X or y, or a column of X", repr(origin))
    if not ("items" in metric.needs or origin is None or _are_columns(origin)):
        fail("columns", function, "be a list of columns of X, names or numbers, or None", repr(origin))
    if is_int(options.get("catalog")) and options["catalog"] < 1:
        fail("catalog", function, "be an int >= 1, item ids or None", options["catalog"])
    check_origins(groups, response_method, function)
    changed = keep_changed(options, metric.function)
    return _scorers.ListScorer(metric.stem, origin, changed, groups, response_method)
