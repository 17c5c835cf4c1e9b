"""What metrics of all lists together count: sums by item or owner, which add up over parts of the lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._checks.types import Ids


class Counts(NamedTuple):
    """Sums over some lists: of each item or owner, and of all."""

    ids: list[Ids]  # of items or owners, each once
    sums: Mapping[str, np.ndarray]  # an entry for each of them
    totals: Mapping[str, float] = {}
    parameter: str = "items"  # what holds the ids, as messages name it
    exponent: int | None = None  # of 2: weights were divided by it; None without any above 0
    longest: float = 1.0  # sums are in units of 1 / its root

    def clear(self) -> Counts:
        """Return those of lists none of which has a weight: they know what there is, and count nothing."""
        sums = {name: np.zeros(len(each)) for name, each in self.sums.items()}
        return self._replace(sums=sums, totals=dict.fromkeys(self.totals, 0.0), exponent=None)

    def merge(self, other: Counts) -> Counts:
        """Return the counts of both."""
        places = {each: place for place, each in enumerate(self.ids)}
        of_other = np.array([places.setdefault(each, len(places)) for each in other.ids], dtype=np.int64)
        exponents = [each.exponent for each in (self, other) if each.exponent is not None]
        scale = max(exponents, default=None), max(self.longest, other.longest)
        one, two = self._scale(*scale), other._scale(*scale)
        sums = {}
        for name, values in one.sums.items():
            sums[name] = np.zeros(len(places))
            sums[name][: len(values)] = values
            sums[name][of_other] += two.sums[name]
        totals = {name: value + two.totals[name] for name, value in one.totals.items()}
        return one._replace(ids=list(places), sums=sums, totals=totals)

    def _scale(self, exponent: int | None, longest: float) -> Counts:
        """Return counts in other units, whose weights were divided by another power of 2."""
        by = 0 if self.exponent is None or exponent is None else self.exponent - exponent
        factor = np.sqrt(longest / self.longest)
        sums = {name: np.ldexp(each * factor, by) for name, each in self.sums.items()}
        totals = {name: float(np.ldexp(each, by)) for name, each in self.totals.items()}
        return self._replace(sums=sums, totals=totals, exponent=exponent, longest=longest)


def pile(one: tuple[Counts, ...], other: tuple[Counts, ...]) -> tuple[Counts, ...]:
    """Return both, merged where they are of like size: few items that come often cost little beside many."""
    piled = sorted((*one, *other), key=_count_ids, reverse=True)
    while len(piled) > 1 and _count_ids(piled[-2]) <= 2 * _count_ids(piled[-1]):
        smallest = piled.pop()
        piled.append(piled.pop().merge(smallest))
        piled.sort(key=_count_ids, reverse=True)
    return tuple(piled)


def _count_ids(counts: Counts) -> int:
    return len(counts.ids)
