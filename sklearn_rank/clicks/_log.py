"""A checked log of clicks, and what a method found in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FUNCTION = "estimate_propensities"


class Rows(NamedTuple):
    """Checked rows: clicks, positions from 1 on, and queries as numbers."""

    clicks: np.ndarray
    positions: np.ndarray
    codes: np.ndarray
    n_positions: int

    def take(self, some: np.ndarray) -> Rows:
        """Take some rows."""
        return Rows(self.clicks[some], self.positions[some], self.codes[some], self.n_positions)

    def tally(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Count the rows at each position, or sum what each has."""
        return np.bincount(self.positions - 1, weights, self.n_positions)


class Estimate(NamedTuple):
    """What a method found: propensities, those of resamples, and what they rest on."""

    values: np.ndarray  # (n_positions,)
    resampled: np.ndarray  # (n_resamples, n_positions)
    n_observations: np.ndarray
    components: tuple[tuple[int, ...], ...]
