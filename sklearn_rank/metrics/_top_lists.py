"""Where rows stand in their queries: their ranks, which are in the top k, or what their ranks are worth."""

from typing import Any

import numpy as np

from .._checks.arrays import flatten, read_array
from .._checks.errors import fail
from .._checks.rows import LabelRules
from .._engine.blocks import iter_blocks
from ._opened import Opened, open_rows
from ._requests import Given


def count_scores(y_score: Any, function: str) -> int:
    """Count the scores, of which there are some and one per row."""
    rule = "be flat, a score per row, of at least one"
    shape = flatten(read_array(y_score, "y_score", function, rule)).shape
    if len(shape) != 1 or shape == (0,):
        fail("y_score", function, rule, f"shape {shape}")
    return shape[0]


def open_scores(function: str, y_score: Any, groups: Any, sample_weight: Any = None) -> Opened:
    """Check the rows of lists, which have no labels."""
    if groups is None:
        fail("groups", function, "hold the query id of each row", None)
    without_labels = Given(np.zeros(count_scores(y_score, function)), y_score, groups, sample_weight)
    return open_rows(function, without_labels, LabelRules())


def spread_worth(opened: Opened, ties: str, worth: np.ndarray) -> np.ndarray:
    """Give each row what its rank is worth; 0 to rows without a rank.

    Equal scores get the mean of their ranks ("average"), that of the first ("best") or of the last of them
    ("worst"), or each its own in the order of the rows ("order").
    """
    of_rows = np.zeros(len(opened.rows.labels))
    for block in iter_blocks(opened.rows, opened.scores, "order" if ties == "order" else "average"):
        worths = block.retrieved(np.broadcast_to(worth[: len(block.ranks)], block.labels.shape))
        if ties in ("best", "worst"):
            by_rank = block.of_ties(worths, first=ties == "best")
        else:
            by_rank = block.expected(worths)
        inside = block.ranks <= block.lengths[:, None]
        of_rows[block.rows[inside]] = by_rank[inside]
    return of_rows
