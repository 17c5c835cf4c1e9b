"""The table of metrics: one row a metric, which stands beside its formula."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np


class Ratio(NamedTuple):
    """What a formula gives of each query of a block: a ratio, and where that is defined."""

    numerators: np.ndarray
    denominators: np.ndarray | int = 1
    defined: np.ndarray | np.bool_ | bool = True


Formula = Callable[..., Ratio]  # of a block and the metric's own parameters

# Options of the whole pass, and what they are unless given.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}
# What is no parameter of a formula.
NOT_PARAMS = ("y_true", "y_score", "groups", "strata", *DEFAULTS, "zero_division", "sample_weight")


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table."""

    stem: str  # its name as a string, without a cutoff
    formula: Formula
    function: Callable[..., Any]
    factory: Callable[..., Any]  # of its scorers
    lower: float = 0.0  # its values are in [lower, upper]
    upper: float = 1.0
    greater_is_better: bool = True
    own: tuple[str, ...] = ()  # parameters that mean something else than those shared by many metrics
    micro: bool = False  # may be averaged as a ratio of sums over queries
    uses_scores: bool = False  # the values of the scores count, not their order alone
    nan_is: str = ""  # what a missing label is, whatever `unjudged`: of "judgements" 0, or not "sampled"
    any_label: bool = False  # labels of any sign: their order counts, or what is between them
    denominators: tuple[str, ...] = ("achievable", "relevant", "hits")  # what it may be divided by
    has_curve: bool = False  # over its cutoffs: the formula takes a column of them
    binary: bool = False  # depends on nothing but which ranks hold relevant documents

    @cached_property
    def name(self) -> str:
        """Return the name of the function."""
        return self.function.__name__

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Return the parameters of the function with their defaults."""
        return {name: value.default for name, value in signature(self.function).parameters.items()}

    @cached_property
    def params(self) -> tuple[str, ...]:
        """Return the parameters of the formula, as a caller names them."""
        return tuple(name for name in self.defaults if name not in NOT_PARAMS)

    @cached_property
    def cutoff(self) -> str:
        """Return whether a cutoff behind the stem is "optional", "required" or there is "none"."""
        if "k" not in self.defaults:
            return "none"
        return "required" if self.defaults["k"] is Parameter.empty else "optional"

    @property
    def why_no_geometric(self) -> str:
        """Return why there is no geometric mean of its values over queries; empty if there is one."""
        if not self.greater_is_better:
            return "a loss: one value near 0, the best, would hide all others"
        return "" if self.lower >= 0 else "whose values may be negative"

    def list_averages(self, micro: bool = False) -> str:
        """Write what `average` may be."""
        words = [
            "'macro'",
            "'weighted'",
            *["'micro'"] * micro,
            *["'geometric'"] * (not self.why_no_geometric),
        ]
        return f"{', '.join(words)} or None"

    @property
    def prefix(self) -> str:
        """Return what the name of a scorer begins with."""
        return "" if self.greater_is_better else "neg_"


METRICS: dict[str, Metric] = {}
