"""Scores as other programs hold them: which are equal, and which of equal ones comes first."""

from collections.abc import Callable, Mapping

import numpy as np

from .._checks.rows import Scores


def _round_to_float32(scores: Scores) -> Scores:
    """Round scores to float32, where more of them are equal; what is retrieved stays so."""
    with np.errstate(over="ignore"):  # what is too large is inf there
        rounded = scores.values.astype(np.float32).astype(np.float64)
    rounded[np.isneginf(rounded) & ~np.isneginf(scores.values)] = np.finfo(np.float32).min
    return Scores(rounded, rounded.min(), rounded.max())


def _put_later_first(scores: Scores) -> Scores:
    """Put the later row of two with equal scores first: the place in that order stands for each score."""
    order = np.argsort(scores.values, kind="stable")
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    places[np.isneginf(scores.values)] = -np.inf
    return Scores(places, places.min(), places.max(), are_ranks=True)


HELD: Mapping[str, Callable[[Scores], Scores]] = {
    "float32": _round_to_float32,
    "later_first": _put_later_first,
}
