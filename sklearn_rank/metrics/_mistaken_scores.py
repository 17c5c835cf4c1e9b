"""Scores that look like labels, predicted classes or negated scores."""

from collections.abc import Sequence

import numpy as np

from .._checks.errors import fail
from .._checks.rows import Scores
from .._engine.prepared import PreparedRows
from ._cut_lists import FEWEST
from ._table import Subject

# Signs of swapped labels and scores: many real labels, and a few small integers as scores.
MANY_LABELS, HIGHEST_GRADE, HIGHEST_CLASS = 1000, 10, 4
SEEN_FIRST, SEEN, SHARE_REAL = 100, 10_000, 0.9
FEWEST_PREDICTED = 50  # rows in which 0 and 1 look like predicted classes


def check_not_negated(rows: PreparedRows, scores: Scores) -> None:
    """Check that the score inf does not mark documents that were not retrieved, as -inf does."""
    is_infinite, is_relevant = scores.values == np.inf, rows.given > 0
    if np.count_nonzero(is_infinite) < FEWEST or not is_relevant[is_infinite].all():
        return
    if 2 * np.count_nonzero(is_relevant[~is_infinite]) < np.count_nonzero(~is_infinite):
        rule = "be -inf for documents that were not retrieved, or finite"
        fix = "If scores were negated, pass numpy.where(y_score == numpy.inf, -numpy.inf, y_score)."
        fail("y_score", rule, "inf for relevant rows only", fix)


def look_swapped(rows: PreparedRows, scores: Scores, subjects: Sequence[Subject]) -> bool:
    """Return whether there are many real labels, and a few small integers as scores.

    The extremes of scores show whether they can be grades. If labels can have any sign, real labels are
    ordinary, so most scores must be 0, as grades are.
    """
    lowest, highest = scores.lowest, scores.highest
    n_rows = len(rows.given)
    if n_rows < MANY_LABELS or rows.given.dtype.kind != "f" or not 0 <= lowest < highest <= HIGHEST_GRADE:
        return False
    of_returns = all(subject.any_label for subject in subjects)
    least, most = (0, HIGHEST_CLASS) if of_returns else (1, HIGHEST_GRADE)
    if not (lowest <= least and highest <= most and float(highest).is_integer()):
        return False
    for n_seen in (SEEN_FIRST, SEEN):
        seen = slice(None, None, max(1, n_rows // n_seen))
        labels, values = rows.given[seen], scores.values[seen]
        if np.count_nonzero(labels % 1 != 0) < SHARE_REAL * len(labels) or (values % 1 != 0).any():
            return False
    if of_returns and 2 * np.count_nonzero(values == 0) < len(values):
        return False
    return len(np.unique(labels)) >= MANY_LABELS


def look_predicted(rows: PreparedRows, scores: Scores) -> bool:
    """Return whether integer scores are 0 and 1, like the labels, but do not equal them.

    These can be the classes that a classifier predicts. Integers among more grades can be ratings.
    """
    n_rows = len(rows.given) - rows.n_missed
    extremes = rows.lowest, rows.highest, scores.lowest, scores.highest
    if n_rows < FEWEST_PREDICTED or extremes != (0, 1, 0, 1):
        return False
    return not np.array_equal(scores.values[:n_rows], rows.given[:n_rows])
