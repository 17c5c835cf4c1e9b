"""Gains of labels and discounts of ranks that other libraries have and that have no word here."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np


class Curve:
    """A gain or a discount that has no word here, written as the code that computes it."""

    def __init__(self, code: str, compute: Callable[[np.ndarray], np.ndarray]) -> None:
        self.code = code
        self.compute = compute

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Return that of each label or rank."""
        return self.compute(values)

    def __repr__(self) -> str:
        """Return the code."""
        return self.code


@lru_cache(maxsize=256)
def binary_gain(level: int) -> Curve:
    """1 for labels from a level on, 0 for those below."""
    return Curve(f"lambda label: label >= {level}", lambda label: label >= level)


@lru_cache(maxsize=256)
def gain_from(level: int, exponential: bool = False) -> Curve:
    """The label, or 2**label - 1, from a level on; 0 for labels below."""
    if exponential:
        code = f"lambda label: (2**label - 1) * (label >= {level})"
        return Curve(code, lambda label: (np.exp2(label) - 1) * (label >= level))
    return Curve(f"lambda label: label * (label >= {level})", lambda label: label * (label >= level))


@lru_cache(maxsize=256)
def gain_table(pairs: tuple[tuple[int, float], ...]) -> Curve:
    """What a table says, by grade; labels that it leaves out stay."""
    gains = dict(pairs)
    code = f"lambda labels: [{gains}.get(label, label) for label in labels]"
    return Curve(code, lambda labels: np.array([gains.get(label, label) for label in labels.tolist()]))


@lru_cache(maxsize=256)
def graded_gain(highest: int) -> Curve:
    """The share of a label in the highest grade of a scale, which higher labels count as."""
    code = f"lambda label: numpy.minimum(label, {highest}) / {highest}"
    return Curve(code, lambda label: np.minimum(label, highest) / highest)


@lru_cache(maxsize=256)
def insq_discount(goal: float, n: int) -> Curve:
    """How likely a reader of n documents looks at a rank who wants to find so many relevant ones."""
    of_all = float(((np.arange(n) + 2 * goal) ** -2).sum())
    code = f"lambda rank: (rank - 1 + {2 * goal:g}) ** -2 / {of_all!r}"
    return Curve(code, lambda rank: (rank - 1 + 2 * goal) ** -2 / of_all)


@lru_cache(maxsize=256)
def rbp_discount(p: float, n: int | None = None) -> Curve:
    """How likely a reader stops at a rank who goes on with probability p; of the first n ranks, if given."""
    of_all = 1.0 if n is None else 1 - p**n
    code = f"lambda rank: (1 - {p}) * {p} ** (rank - 1)" + ("" if n is None else f" / (1 - {p}**{n})")
    return Curve(code, lambda rank: (1 - p) * p ** (rank - 1) / of_all)
