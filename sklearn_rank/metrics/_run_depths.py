"""Warnings about cutoffs below which the lists of runs end."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from .._checks.warn import RankingWarning, set_mark, warn_user
from ._prepared_input import Opened
from ._table import NEED_ALL, Subject

WHOLE = 10**6  # lowest cutoff that means all documents
MOST_NAMES = 2  # metrics that a warning names
FEW_RUN_LISTS = 5  # below it, lists of runs are not compared with cutoffs


class RunDepth(NamedTuple):
    """The lists of a run, and the metrics that are computed from them."""

    longest: int  # number of documents of the longest list
    is_lacking: bool  # whether a relevant document is in none of several lists
    subjects: Sequence[Subject]


_depths: ContextVar[list[RunDepth] | None] = ContextVar("depths", default=None)


@contextmanager
def note_depths() -> Iterator[list[RunDepth]]:
    """Note the depth of the lists in the code inside, for `warn_of_depths`, instead of a caution."""
    depths: list[RunDepth] = []
    with set_mark(_depths, depths):
        yield depths


def note_depth(opened: Opened, n_queries: int, longest: int, subjects: Sequence[Subject]) -> bool:
    """Note the depth of a run inside `note_depths`, and return whether the code is inside."""
    if (depths := _depths.get()) is None:
        return False
    lost = (opened.scores.values == -np.inf) & (opened.rows.given > 0)
    depths.append(RunDepth(longest, n_queries >= FEW_RUN_LISTS and bool(lost.any()), subjects))
    return True


def warn_of_depths(depths: Mapping[str, Sequence[RunDepth]], start: str = "") -> None:
    """Warn once if cutoffs exceed the lists of all runs, or of some, and relevant documents are in none."""
    known = {name: each[-1] for name, each in depths.items() if each}
    by_length = sorted(known, key=lambda name: known[name].longest)
    short = next((name for name in by_length if known[name].is_lacking), None)
    if short is None:
        return
    (lowest, _, subjects), highest = known[short], known[by_length[-1]].longest
    cutoffs = {each.name: each.cutoff or 0 for each in subjects if each.stem not in NEED_ALL}
    names = [name for name, k in cutoffs.items() if lowest < k < WHOLE]
    if not names:
        return
    what = ", ".join(names[:MOST_NAMES]) + f" and {len(names) - MOST_NAMES} others" * (
        len(names) > MOST_NAMES
    )
    fact = f"no list has more than {lowest} documents, so longer lists can have higher values of {what}"
    if highest > lowest:
        fact = f"lists of {short!r} have at most {lowest} documents, and those of {by_length[-1]!r} {highest}"
        fact = f"{fact}, so {what} cannot compare these runs"
    warn_user(f"{start}{fact}. Use cutoffs up to {lowest}, or read longer lists.", RankingWarning)
