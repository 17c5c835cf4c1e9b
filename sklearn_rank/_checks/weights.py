"""Weights of rows: checked, and constant inside a query."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import flatten, read_numbers, to_float
from .errors import fail

TO_ROWS = "Repeat the weight of each query on its rows: [weight_of[query] for query in groups]."


def check_weights(
    weights: Any, n: int, unit: str, function: str, parameter: str = "sample_weight"
) -> np.ndarray | None:
    """Check weights, one per "row" or "query", finite, not negative and not all 0; None stays None."""
    if weights is None:
        return None
    rule = f"have one entry per {unit}, shape ({n},)"
    if isinstance(weights, Mapping):
        fail(parameter, function, rule, f"a {type(weights).__name__}", TO_ROWS * (unit == "row"))
    weights = flatten(read_numbers(weights, parameter, function))
    if weights.shape != (n,):
        of_queries = unit == "row" and weights.ndim == 1 and 0 < len(weights) < n
        fail(parameter, function, rule, weights.shape, TO_ROWS * of_queries)
    for extreme in (weights.min(), weights.max()):
        if not 0 <= to_float(extreme) < np.inf:
            fail(parameter, function, "be finite and >= 0", extreme)
    weights = weights.astype(np.float64)
    if weights.max() == 0:
        fail(parameter, function, "not be all zero", "only zeros")
    return weights


def check_constant(
    weights: np.ndarray,
    firsts: np.ndarray,
    lengths: np.ndarray,
    function: str,
    parameter: str = "sample_weight",
    fix: str = "",
) -> None:
    """Check that rows in query order carry one weight per query."""
    spread = weights != np.repeat(weights[firsts], lengths)
    if spread.any():
        row = int(spread.argmax())
        first = firsts[np.searchsorted(firsts, row, side="right") - 1]
        rule = "be constant inside a query: it weights the query"
        fail(parameter, function, rule, f"{weights[first]} and {weights[row]} in one query", fix)
