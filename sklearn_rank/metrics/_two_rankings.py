"""Two rankings of the same rows: checked, with what the first ranks have in common."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._checks.containers import check_same_order
from .._checks.errors import fail
from .._checks.options import check_mean, check_needed_k
from .._checks.rows import LabelRules, Scores, read_two_scores
from .._engine.pairs import Pair, iter_pairs
from ._average import average_values
from ._opened import Opened, open_rows
from ._requests import Given

NAMES = ("y_score_a", "y_score_b")


class Two(NamedTuple):
    """Scores of two systems, and how the values of queries are averaged."""

    y_score_a: Any
    y_score_b: Any
    groups: Any
    zero_division: float
    average: str | None
    sample_weight: Any


def open_two(function: str, two: Two) -> tuple[Opened, Scores]:
    """Check rows with two scores each."""
    check_mean(function, two.average, geometric=True, zero_division=two.zero_division)
    rows = {"groups": two.groups, "sample_weight": two.sample_weight}
    check_same_order(function, y_score_a=two.y_score_a, y_score_b=two.y_score_b, **rows)
    if two.groups is None:
        fail("groups", function, "hold the query id of each row", None)
    one, other = read_two_scores(two.y_score_a, two.y_score_b, NAMES, function)
    without_labels = Given(np.zeros(len(one.values)), one.values, two.groups, two.sample_weight)
    return open_rows(function, without_labels, LabelRules()), other


def score_tops(function: str, two: Two, k: int, formula: Callable[[Pair], np.ndarray]) -> tuple[Opened, Any]:
    """Apply a formula to what the first `k` ranks have in common; average its values.

    A query for which one of the two has nothing is undefined, whatever the formula says of it.
    """
    check_needed_k(k, function)
    opened, other = open_two(function, two)
    values = np.full(len(opened.rows.queries.lengths), float(two.zero_division))
    for pair in iter_pairs(opened.rows, opened.scores, other, min(k, opened.rows.longest)):
        defined = (pair.one.lengths > 0) & (pair.other.lengths > 0)
        values[pair.members] = np.where(defined, formula(pair), two.zero_division)
    return opened, average_values(values, opened.rows.weights, opened.rows.queries, two.average, function)
