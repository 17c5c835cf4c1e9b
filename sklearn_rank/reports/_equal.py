"""Equality up to rounding: 0.9 - 0.7 and 0.2 - 0.0 are mathematically equal but differ as floats.

Values of one sign are sums without cancellation, so rounding is relative to each value. The rounding of
differences, and of values of both signs, is relative to the largest value, the `scale`.
"""

from collections.abc import Iterable

import numpy as np

from ..metrics import MetricValues

ROUNDING = 1e-12  # the rounding of metrics is below 2e-14; true gaps between values of AP or NDCG exceed 3e-9


def find_precision(dtype: np.dtype) -> float:
    """Return the relative rounding of differences between values that are stored in a dtype."""
    return 2 * float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def find_rounding(metrics: Iterable[MetricValues]) -> float:
    """Return the relative difference up to which values of metrics are equal."""
    return max(ROUNDING, *(each.precision for each in metrics))


def find_scale(*values: np.ndarray) -> float:
    """Return the largest absolute value if there are values of both signs, else 0; NaN does not count."""
    lowest = min(float(np.nanmin(each, initial=0)) for each in values)
    highest = max(float(np.nanmax(each, initial=0)) for each in values)
    return max(-lowest, highest) if lowest < 0 < highest else 0.0


def subtract_equal(
    first: np.ndarray, second: np.ndarray | float, scale: float = 0.0, rounding: float = ROUNDING
) -> np.ndarray:
    """Subtract the second from the first; return 0 for values that are equal up to rounding."""
    difference = first - second
    sizes = np.maximum(np.maximum(np.abs(first), np.abs(second)), scale)
    return np.where(np.abs(difference) <= rounding * sizes, 0.0, difference)


def rank_equal(values: np.ndarray, scale: float = 0.0, rounding: float = ROUNDING) -> np.ndarray:
    """Return ranks from 0 for the lowest value, NaN last; values that are equal up to rounding share one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ranks = np.zeros(len(values), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(subtract_equal(ordered[1:], ordered[:-1], scale, rounding) != 0)
    return ranks


def order_equal(metric: MetricValues, ascending: bool) -> np.ndarray:
    """Return the indices that sort the queries with a value; equal values are sorted by id."""
    known = np.flatnonzero(~np.isnan(metric.values))
    keys = metric.values[known] if ascending else -metric.values[known]
    return known[np.argsort(rank_equal(keys, find_scale(keys), find_rounding([metric])), kind="stable")]


def first_best(values: np.ndarray, rounding: float = ROUNDING) -> np.ndarray:
    """Return the index along the last axis of the first value that is the highest up to rounding."""
    highest = values.max(axis=-1, keepdims=True)
    slack = np.multiply(rounding, np.abs(highest), out=np.zeros_like(highest), where=np.isfinite(highest))
    return (values >= highest - slack).argmax(axis=-1)
