"""From rows with what stands beside their labels and scores to a score: one way for all such metrics."""

from typing import Any

from ._average import average_values
from ._beside_table import ARGUMENTS, NOT_PARAMS, BesideMetric, Tables
from ._compute import divide
from ._requests import Given


def compute_beside(
    metric: BesideMetric,
    /,
    y_score: Any,
    groups: Any,
    sample_weight: Any = None,
    **arguments: Any,
) -> Any:
    """Compute one metric from the arguments of its function, whose body this is."""
    function = metric.name
    needs = [need for need in (*metric.needs, "intent_weight") if ARGUMENTS[need] in NOT_PARAMS]
    tables = Tables(**{need: arguments.pop(ARGUMENTS[need], None) for need in needs})
    given = Given(arguments.pop("y_true", None), y_score, groups, sample_weight)
    checked = metric.checked(function, arguments)
    rows = metric.door(function, given, tables, ARGUMENTS)
    options = {name: checked[name] for name in metric.params}
    found = metric.formula(rows, **options)
    if metric.conclude is not None:
        return float(metric.conclude(found, function, **options))
    (values,) = divide(found, float(checked["zero_division"]))
    return average_values(values, rows.weights, rows.queries, checked["average"], function)
