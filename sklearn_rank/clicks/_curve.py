"""What is known of positions: how likely each is to be examined, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks.errors import fail
from ._read import check_not_of_rows, read_by_position, read_shares


@dataclass(frozen=True, eq=False)
class PropensityCurve:
    """How likely a position is to be examined, relative to the first.

    Made by :func:`estimate_propensities`; :func:`debias_clicks` takes it.

    Attributes
    ----------
    propensities : ndarray of float of shape (n_positions,)
        Of the positions 1, 2, ..., relative to the first that is known, which has 1. NaN where a position is
        connected with no other.
    low, high : ndarray of float of shape (n_positions,)
        Ends of the intervals, each of one position alone; NaN without intervals, and with one query. Those of
        the position that has 1 are 1.
    n_observations : ndarray of int of shape (n_positions,)
        Rows of each position that say something of it.
    components : tuple of tuple of int
        Positions whose ratios are known, together; a position that is connected with no other is alone.
    method : str
        How it was estimated.
    confidence_level : float
        Of the intervals.
    n_groups : int
        Number of queries, which were resampled.

    Examples
    --------
    >>> from sklearn_rank.clicks import estimate_propensities
    >>> clicks, positions = [1, 1, 1, 0, 1, 0, 0, 0], [1, 1, 1, 1, 2, 2, 2, 2]
    >>> curve = estimate_propensities(clicks, positions, groups=[1, 2, 3, 4] * 2, arm=[True] * 8)
    >>> curve.propensities.round(3)
    array([1.   , 0.333])
    """

    propensities: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_observations: np.ndarray
    components: tuple[tuple[int, ...], ...]
    method: str
    confidence_level: float
    n_groups: int

    def __str__(self) -> str:
        """Write a line for each position."""
        lines = [
            f"{self.n_groups} queries, method {self.method!r}, {100 * self.confidence_level:.4g} % intervals"
        ]
        lines += ["position  propensity  interval        rows"]
        cells = zip(self.propensities, self.low, self.high, self.n_observations)
        for position, (value, low, high, n_rows) in enumerate(cells, start=1):
            lines.append(f"{position:8}  {value:10.3f}  {f'[{low:.3f}, {high:.3f}]':14}  {n_rows:6}")
        return "\n".join(lines)


def read_propensities(propensities: Any, positions: np.ndarray | None, function: str) -> np.ndarray:
    """Return propensities of positions, or of rows where there are no positions."""
    if not isinstance(propensities, PropensityCurve):
        more = "; a PropensityCurve, which may exceed 1, goes in itself"
        if positions is None:
            return read_shares(propensities, "propensities", function, more)
        check_not_of_rows(propensities, "propensities", positions, function)
        return read_by_position(propensities, "propensities", function, more)
    if positions is None:
        rule = "have one entry per row where 'positions' is None"
        fail("propensities", function, rule, "a PropensityCurve, which has one per position")
    used = np.unique(positions[positions > 0])
    known = propensities.propensities
    unknown = used[used <= len(known)]
    unknown = unknown[np.isnan(known[unknown - 1])]
    if len(unknown):
        rule = "be known at all positions of the rows; those that are connected with no other are not"
        fail("propensities", function, rule, f"nan at position {unknown[0]}")
    return known
