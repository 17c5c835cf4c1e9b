"""From the options `gain` and `discount` to what a formula applies to labels and ranks."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from .._validation import fail


def bind_gain(gain: Any, labels: np.ndarray, longest: int, function: str) -> Callable[..., np.ndarray]:
    """Turn a checked `gain` into a function of label arrays; no sum over a query may overflow."""
    if isinstance(gain, str):
        apply = (lambda grades: grades) if gain == "linear" else (lambda grades: np.exp2(grades) - 1)
        with np.errstate(over="ignore"):
            if not isfinite(float(apply(np.float64(labels.max()))) * longest):
                fail("gain", function, "give finite gains", f"{gain!r} for the label {labels.max()}")
        return apply
    grades = np.unique(labels).astype(np.float64)
    gains = gain(grades) if callable(gain) else _table_gains(gain, grades, function)
    gains = np.asarray(gains, dtype=np.float64)
    if gains.shape != grades.shape:
        fail("gain", function, f"return one gain per label, shape {grades.shape}", f"shape {gains.shape}")
    if not (np.isfinite(gains * longest).all() and gains[0] >= 0 and (np.diff(gains) >= 0).all()):
        fail("gain", function, "give finite gains >= 0 that never fall as the label rises", gains)
    return lambda labels: gains[np.searchsorted(grades, labels)]


def _table_gains(table: Any, grades: np.ndarray, function: str) -> list[float]:
    """Look grades up in a sequence (gain of grade 0, 1, ...) or in a mapping."""
    by_grade = table if isinstance(table, Mapping) else dict(enumerate(table))
    missing = [grade for grade in grades.tolist() if grade not in by_grade]
    if missing:
        fail("gain", function, "have a gain for each label", f"none for {missing[0]}")
    return [by_grade[grade] for grade in grades.tolist()]


def bind_discount(discount: Any, n_ranks: int, function: str) -> np.ndarray:
    """Turn a checked `discount` into the discounts of the ranks 1 to n_ranks."""
    ranks = np.arange(1, n_ranks + 1, dtype=np.float64)
    if discount == "log2":
        return 1 / np.log2(ranks + 1)
    if discount == "reciprocal":
        return 1 / ranks
    if discount is None:
        return np.ones(n_ranks)
    values = np.asarray(discount(ranks), dtype=np.float64)
    if values.shape != ranks.shape:
        fail("discount", function, "return one value per rank", f"shape {values.shape}")
    if not (np.isfinite(values).all() and values[0] > 0 and values[-1] >= 0 and (np.diff(values) <= 0).all()):
        fail("discount", function, "give finite values >= 0 that never rise with the rank", values[:5])
    return values
