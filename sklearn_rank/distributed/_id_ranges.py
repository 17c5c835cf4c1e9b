"""Which ids were met, where none is kept but the lowest and the highest of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail
from .._checks.groups import check_groups
from ._batches import OTHERWISE, join_arrays

REMEDY = (
    "keep='queries' knows all ids; partition=(i, n) promises that evaluators of other i share none "
    + OTHERWISE
)


class IdRanges(NamedTuple):
    """Ranges of ids, apart from each other; each an array of its lowest and its highest id."""

    ranges: tuple[np.ndarray, ...] = ()

    def extend(self, ids: np.ndarray, function: str) -> IdRanges:
        """Return them with ids above all others."""
        new = join_arrays([ids[:1], ids[-1:]])
        if not self.ranges:
            return IdRanges((new,))
        codes = _code([*self.ranges, new], function)
        highest = int(codes[:-1, 1].argmax())
        if codes[-1, 0] <= codes[highest, 1]:
            last = self.ranges[highest][1:]
            got = f"{ids[:1].tolist()[0]!r} after {last.tolist()[0]!r}"
            rule = f"hold ids above those before, with keep='moments': others may be met twice. {REMEDY}"
            fail("groups", function, rule, got)
        ranges = list(self.ranges)
        ranges[highest] = join_arrays([ranges[highest][:1], new[1:]])
        return IdRanges(tuple(ranges))

    def merge(self, other: IdRanges, function: str) -> IdRanges:
        """Return all; none may overlap."""
        ranges = (*self.ranges, *other.ranges)
        if len(ranges) > 1:
            codes = _code(ranges, function)
            order = np.argsort(codes[:, 0])
            overlap = np.flatnonzero(codes[order[1:], 0] <= codes[order[:-1], 1])
            if len(overlap):
                one, two = (ranges[place].tolist() for place in order[overlap[0] :][:2])
                got = f"{one[0]!r} to {one[1]!r} and {two[0]!r} to {two[1]!r}"
                rule = "have ids below or above those here, with keep='moments': some may be met twice"
                fail("other", function, f"{rule}. {REMEDY}", got)
        return IdRanges(ranges)


def _code(ranges: Sequence[np.ndarray], function: str) -> np.ndarray:
    """Return a row a range, of the ranks of its ends among all."""
    ids = join_arrays(ranges)
    return rank_ids(check_groups(ids, len(ids), function)).reshape(-1, 2)
