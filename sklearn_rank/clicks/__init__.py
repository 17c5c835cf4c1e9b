"""Evaluation with clicks: labels without position bias, propensities of positions, and simulated clicks."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._estimate import estimate_propensities
from ._simulate import simulate_clicks
from ._unbiased import debias_clicks, snips_score

__all__ = ["debias_clicks", "estimate_propensities", "simulate_clicks", "snips_score"]


if not TYPE_CHECKING:  # pragma: no branch - type checkers use the existing names

    def __getattr__(name: str) -> Any:
        """Raise an error that explains where a missing name is."""
        return find_missing(__name__, name, __all__)
