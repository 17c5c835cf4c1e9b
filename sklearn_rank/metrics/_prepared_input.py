"""From what the caller gave to checked rows of queries, with the scores to rank them by."""

from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import flatten, read_array, read_numbers
from .._checks.containers import check_same_columns, check_same_order, is_of_pandas
from .._checks.errors import fail, name_call
from .._checks.rows import LabelRules, Rows, Scores, check_rows
from .._checks.types import Ids, Labels, Weights
from .._engine.blocks import iter_blocks
from .._engine.prepared import HELD, PreparedRows
from .._engine.queries import Queries, find_queries
from ._average import query_weights
from ._requests import Given


class Opened(NamedTuple):
    """Prepared rows and the scores to rank them by."""

    rows: PreparedRows
    scores: Scores

    def under(self, labels: str) -> "Opened":
        """Return them with the labels that another rule `unjudged` leaves, or a metric has of its own."""
        rows = self.rows.under(labels)
        return self if rows is self.rows else Opened(rows, self.scores)

    def hold(self, how: str) -> "Opened":
        """Return them with the scores as another library holds them: "given", "float32", "later_first"."""
        return self if how == "given" else self._replace(scores=HELD[how](self.scores))


class OpenedInputs:
    """Rows that are opened with inputs in addition to labels and scores."""

    opened: Opened

    @property
    def queries(self) -> Queries:
        """Return the queries."""
        return self.opened.rows.queries

    @property
    def weights(self) -> np.ndarray | None:
        """Return the weight of each query."""
        return self.opened.rows.weights


def open_rows(given: Given, rules: LabelRules) -> Opened:
    """Check rows, find their queries, and give documents without a judgement what the rule says."""
    if any(map(is_of_pandas, given)):
        check_same_order(**given._asdict())
        check_same_columns(y_true=given.y_true, y_score=given.y_score)
    checked = check_rows(*given, rules)
    return Opened(_prepare(checked, rules), checked.scores)


def open_labels(
    y_true: Labels, groups: Ids, rules: LabelRules, sample_weight: Weights = None
) -> PreparedRows:
    """Check rows whose scores come later, or never."""
    labels = read_numbers(y_true, "y_true")
    checked = check_rows(labels, np.zeros(labels.shape), groups, sample_weight, rules)
    checked = checked._replace(labels=checked.labels.copy())  # the caller's may change
    return _prepare(checked, rules)


def _prepare(checked: Rows, rules: LabelRules) -> PreparedRows:
    """Find the queries of checked rows."""
    if checked.groups is None and checked.n_columns is None:
        rule = "hold the query id of each row, groups=qid, or be left out with one list in two dimensions"
        fail("groups", f"{rule}, {name_call()}([y_true], [y_score])", None)
    queries = find_queries(checked.groups, len(checked.labels), checked.n_columns)
    weights = query_weights(checked.weights, queries, by_row=checked.n_columns is None)
    extremes = checked.lowest, checked.highest
    return PreparedRows(checked.labels, queries, extremes, rules.unjudged, weights, checked.n_columns)


def count_scores(y_score: Any) -> int:
    """Count the scores, of which there are some and one per row."""
    rule = "be flat, a score per row, of at least one"
    shape = flatten(read_array(y_score, "y_score", rule)).shape
    if len(shape) != 1 or shape == (0,):
        fail("y_score", rule, f"shape {shape}")
    return shape[0]


def open_scores(y_score: Any, groups: Ids, sample_weight: Weights = None) -> Opened:
    """Check the rows of lists, which have no labels."""
    if groups is None:
        fail("groups", "hold the query id of each row", None)
    without_labels = Given(np.zeros(count_scores(y_score)), y_score, groups, sample_weight)
    return open_rows(without_labels, LabelRules())


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
