"""What the factories of scorers of lists share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._checks.errors import fail, is_int
from ..._checks.options import check_choice, check_options
from .. import _scorers
from .._factory import Scorers, add_parameter, find_prefix, make_factory
from .._list_rows import ListRows, check_list_options
from .._table import METRICS, Metric, Options
from .factories import check_origins, keep_changed


def _are_columns(origin: Any) -> bool:
    """Tell whether these may be columns: a list, or an array, of names or numbers."""
    is_list = isinstance(origin, list | tuple) or (isinstance(origin, np.ndarray) and origin.ndim == 1)
    return (
        is_list and len(origin) > 0 and all(is_int(name) or isinstance(name, str | tuple) for name in origin)
    )


SCORERS = Scorers(
    "ListScorer",
    {
        "item_ids": add_parameter("items", "str"),
        "X": add_parameter("columns", "ArrayLike | None", None),
        "history": add_parameter("history", "tuple[Any, ArrayLike]"),
        "k": add_parameter("k", "int"),
    },
    example={
        "items": "item",
        "columns": ["genre", "year"],
        "k": 10,
        "popularity": {"a": 0.5},
        "history": ([[1, 0], [0, 1]], ["ann", "bob"]),
    },
)


def add_list_metric(
    stem: str,
    formula: Callable[..., Any],
    function: Callable[..., Any],
    *needs: str,
    check_scorer: Callable[[str, Options], None] | None = None,
    **flags: Any,
) -> Metric:
    """Add a metric of lists to the table."""

    def build(**given: Any) -> Any:
        if check_scorer is not None:
            check_scorer(metric.factory.__name__, given)
        return build_list_scorer(metric, **given)

    factory = make_factory(function, build, find_prefix(flags), SCORERS)
    of_all: dict[str, Any] = {"door": ListRows, "check": check_list_options}
    metric = METRICS[stem] = Metric(stem, formula, function, factory, needs=needs, **of_all, **flags)
    return metric


def build_list_scorer(
    metric: Metric,
    groups: Any,
    response_method: Any,
    items: Any = None,
    columns: Any = None,
    **options: Any,
) -> _scorers.ListScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    function = metric.factory.__name__
    origin = items if "items" in metric.needs else columns
    checked = ("k", "average", "zero_division", "discount", "min_relevance", "smoothing", "tail")
    known = {name: options[name] for name in checked if name in options}
    check_options(function, **known)
    if options["k"] is None:
        fail("k", function, "be an int >= 1", None)
    check_choice("ties", options["ties"], ("average", "order"), function)
    check_choice("average", options.get("average", "macro"), ("macro", "weighted", "geometric"), function)
    if options.get("average") == "geometric":
        metric.check_geometric(function)
    if "items" in metric.needs and not (isinstance(origin, str) and origin):
        fail("items", function, "name an index level of X or y, or a column of X", repr(origin))
    if not ("items" in metric.needs or origin is None or _are_columns(origin)):
        fail("columns", function, "be a list of columns of X, names or numbers, or None", repr(origin))
    if is_int(options.get("catalog")) and options["catalog"] < 1:
        fail("catalog", function, "be an int >= 1, item ids or None", options["catalog"])
    check_origins(groups, response_method, function)
    changed = keep_changed(options, metric.function)
    return _scorers.ListScorer(metric.stem, origin, changed, groups, response_method)
