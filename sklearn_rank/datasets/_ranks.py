"""The ranks of a run, which count for nothing, and should not contradict its scores."""

import numpy as np

from .._checks.warn import RankingWarning, warn_user
from ._entries import Entries, name_side, show_entry


def check_ranks(run: Entries, parameter: str) -> None:
    """Warn if ranks contradict scores: a lower score has a better rank."""
    found = find_contradiction(run)
    if found is None or run.ranks is None:
        return
    words = [
        f"{show_entry(run, row)} has rank {run.ranks[row]:.15g} and score {run.values[row]}" for row in found
    ]
    warn_user(
        f"The ranks of {name_side(run, parameter)} contradict its scores: {words[0]}, {words[1]}. The scores "
        "count, as in trec_eval.",
        RankingWarning,
    )


def find_contradiction(run: Entries) -> tuple[int, int] | None:
    """Return two rows of a query, of which the one with the higher score has the worse rank."""
    if run.ranks is None:
        return None
    query, scores, ranks = run.queries.codes, run.values, run.ranks
    rises = (scores[1:] > scores[:-1]) | (ranks[1:] < ranks[:-1]) | (query[1:] < query[:-1])
    if not (rises & ~(query[1:] > query[:-1])).any():
        return None  # as most files have it, and no sort is needed
    order = np.lexsort((ranks, -scores, query))
    query, ranks = query[order], ranks[order]
    against = np.flatnonzero((query[1:] == query[:-1]) & (ranks[1:] < ranks[:-1]))
    if not len(against):
        return None
    high, low = (int(row) for row in order[against[0] : against[0] + 2])
    return high, low
