"""Moments of the differences of systems: what reports without the value of each query are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class PairedMoments(NamedTuple):
    """What is known of one metric of two systems, over the queries that have a value in both."""

    mean: float
    other_mean: float
    n: int  # of those, with a weight above 0
    n_effective: float
    n_left_out: int  # queries without a value in one of the two
    wins: int  # queries whose value is higher, and lower
    losses: int
    difference: float
    squares: float  # the sum of the squares of what queries add to the difference, centred
    scale: float  # likewise of what they add to both means; 0 where no query differs

    def turn(self) -> PairedMoments:
        """Return those of the second system less the first."""
        return self._replace(
            mean=self.other_mean,
            other_mean=self.mean,
            difference=0.0 - self.difference,
            wins=self.losses,
            losses=self.wins,
        )


PairsByName = Mapping[tuple[str, str], Mapping[str, PairedMoments]]  # by both systems, and by metric


class OfSystem(NamedTuple):
    """Which system a report is of, and what is known of all pairs of systems."""

    system: str
    pairs: PairsByName

    def is_together(self, other: OfSystem) -> bool:
        """Tell whether both were made together; by what they say, as pickles are other objects."""
        return self.pairs is other.pairs or repr(self.pairs) == repr(other.pairs)

    def find(self, other: OfSystem, metric: str) -> PairedMoments:
        """Return what is known of this system less the other."""
        if (self.system, other.system) in self.pairs:
            return self.pairs[self.system, other.system][metric]
        return self.pairs[other.system, self.system][metric].turn()
