"""The properties of a metric's values: their range, and whether higher or lower values are better."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..metrics import LOWER, OWN_NAME, find_metric_with_inputs, is_metric_name, parse_name


class Traits(NamedTuple):
    """The properties of a metric's values, from its name."""

    lower: float = -np.inf
    upper: float = np.inf
    greater_is_better: bool = True
    of_0_and_1: bool = False  # except with ties
    is_assumed: bool = False  # whether the direction of an unknown metric is neither given nor in its name

    @property
    def scale(self) -> float:
        """Return the largest absolute value if values are of both signs and have bounds, else 0."""
        is_bounded = -np.inf < self.lower < 0 < self.upper < np.inf
        return max(-self.lower, self.upper) if is_bounded else 0.0


def find_traits(name: str, options: Sequence[str] = ()) -> Traits:
    """Find the range and direction of a metric's values.

    Other names, and options for labels of any sign, have no range. Their direction is in the options, or it
    is read from the name.
    """
    if own := [option for option in options if option.startswith(OWN_NAME)]:  # the key is another name
        name = own[0].removeprefix(OWN_NAME)
    metric, parsed = parse_name(name) if is_metric_name(name) else (find_metric_with_inputs(name), {})
    if metric is None:
        return _read_direction(name, options)
    if parsed.get("signed") or "signed=True" in options:
        return Traits(greater_is_better=metric.greater_is_better or name.startswith("neg_"))
    written = re.search(r"normalize\s*=\s*['\"]?(\w+)", name)
    divided_by = written[1] if written else str(metric.defaults.get("normalize"))
    upper = np.inf if divided_by in map(str, metric.unbounded_with) else metric.upper
    if name.startswith("neg_"):
        return Traits(-upper, -metric.lower)
    return Traits(metric.lower, upper, metric.greater_is_better, of_0_and_1=metric.stem == "hit_rate")


LOSSES = {"loss", "logloss", "error", "mae", "mse", "rmse", "mape", "brier", "ece"}


def _read_direction(name: str, options: Sequence[str]) -> Traits:
    """Return whether higher is better from the options, or from the name, as in "neg_mae" or "log_loss"."""
    if given := [option for option in options if option.startswith(LOWER)]:
        return Traits(greater_is_better=given[0] != f"{LOWER}True")
    words = re.findall("[a-z0-9]+", name.lower().partition("@")[0])
    is_loss, is_negative = bool(words) and words[-1] in LOSSES, words[:1] == ["neg"]
    return Traits(greater_is_better=is_negative or not is_loss, is_assumed=not is_negative and not is_loss)


def note_directions(metrics: Mapping[str, Traits]) -> Iterator[str]:
    """Yield notes on metrics of which lower is better, and on metrics whose direction is assumed."""
    if lower := [name for name, each in metrics.items() if not each.greater_is_better]:
        yield f"Lower is better: {', '.join(lower)}."
    if assumed := [name for name, each in metrics.items() if each.is_assumed]:
        yield f"Higher is better (assumed): {', '.join(assumed)}."


def has_query_values(name: str) -> bool:
    """Return whether each query has a value of a metric, which is not of all queries together."""
    metric = find_metric_with_inputs(name)
    return metric is None or metric.per_query
