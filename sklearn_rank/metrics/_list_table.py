"""The table of metrics of lists: one row a metric, which stands beside its formula."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ._table import Metric

# What lists are of, and the argument of a metric function that holds it.
ARGUMENTS = {
    "items": "item_ids",
    "features": "X",
    "popularity": "popularity",
    "history": "history",
    "labels": "y_true",
}
NOT_PARAMS = (*ARGUMENTS.values(), "y_score", "groups", "average", "zero_division", "sample_weight")


@dataclass(frozen=True, eq=False)
class ListMetric(Metric):
    """One row of the table: a formula of all lists, which gives a ratio per query or one number."""

    needs: tuple[str, ...] = ()  # what lists are of
    per_query: bool = True  # else it is of all lists together

    @cached_property
    def params(self) -> tuple[str, ...]:
        """Return the parameters of the formula."""
        return tuple(name for name in self.defaults if name not in NOT_PARAMS)


LIST_METRICS: dict[str, ListMetric] = {}


def add_list_metric(
    stem: str,
    formula: Callable[..., Any],
    function: Callable[..., Any],
    factory: Callable[..., Any],
    *needs: str,
    **flags: Any,
) -> ListMetric:
    """Add a row to the table."""
    LIST_METRICS[stem] = ListMetric(stem, formula, function, factory, needs=needs, **flags)
    return LIST_METRICS[stem]
