"""From rows with what stands beside their labels and scores to a score: one way for all such metrics."""

from typing import Any

from ._average import average_values
from ._beside_table import ARGUMENTS, BesideMetric, Tables
from ._compute import divide
from ._requests import Given


def compute_beside(
    metric: BesideMetric, given: Given, tables: Tables, rules: dict[str, Any], /, **params: Any
) -> Any:
    """Compute one metric; the body of its function. `rules` are `average` and `zero_division`, if any."""
    function = metric.name
    checked = metric.checked(function, {**params, **rules})
    rows = metric.door(function, given, tables, ARGUMENTS)
    options = {name: checked[name] for name in metric.params}
    found = metric.formula(rows, **options)
    if metric.conclude is not None:
        return metric.conclude(found, function, **options)
    (values,) = divide(found, float(checked["zero_division"]))
    return average_values(values, rows.weights, rows.queries, checked["average"], function)
