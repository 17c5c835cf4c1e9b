"""Rows with what they get and what they deserve: the door of all that is about exposure."""

from typing import Any, NamedTuple

import numpy as np

from ..._checks.containers import check_same_order, count_rows
from ..._checks.errors import fail
from ..._checks.options import check_choice, check_options
from ..._checks.rows import LabelRules
from ..._engine.queries import Queries, query_of_row
from .._gains_and_discounts import bind_gain
from .._opened import open_rows
from .._requests import Given
from .._top_lists import count_scores
from .browsing import BrowsingOptions
from .owners import Owners, read_owners


class GivenExposure(NamedTuple):
    """Rows and options as the caller gave them."""

    y_true: Any
    y_score: Any
    groups: Any
    owners: Any
    k: int | None
    browsing: Any
    p: float | None
    gain: Any
    max_grade: float | None
    ties: str
    unjudged: str
    sample_weight: Any


class Exposed(NamedTuple):
    """Rows, what they get, and what they deserve."""

    exposure: np.ndarray  # of each row
    utility: np.ndarray | None  # of each row; None where nothing depends on labels
    counted: np.ndarray  # 1 for rows that are in a list, 0 for those left out as not judged
    codes: np.ndarray  # the query of each row
    queries: Queries
    weights: np.ndarray | None  # of queries
    owners: Owners

    def by_query(self, values: np.ndarray) -> np.ndarray:
        """Sum up values of rows by query."""
        return np.bincount(self.codes, values)

    def per_query(self, values: np.ndarray, totals: np.ndarray) -> np.ndarray:
        """Divide values of rows by the total of their query; 0 where that is 0."""
        return np.divide(values, totals[self.codes], out=np.zeros(len(values)), where=totals[self.codes] > 0)

    def by_owner(self, values: np.ndarray) -> np.ndarray:
        """Sum up values of rows by owner, each times the weight of its query."""
        return self.owners.sum(values if self.weights is None else values * self.weights[self.codes])

    @property
    def even(self) -> np.ndarray:
        """Return what each row would get if the exposure of a query was the same for all of its rows."""
        shares = self.per_query(self.counted, self.by_query(self.counted))
        return shares * self.by_query(self.exposure)[self.codes]


def open_exposed(function: str, given: GivenExposure, needs_labels: bool) -> Exposed:
    """Check all, and compute exposure and utility of each row; without labels where nothing needs them."""
    options = given.browsing, given.p, given.k, given.gain, given.max_grade
    browsing = BrowsingOptions(*options).checked(function)
    check_choice("ties", given.ties, ("average", "order"), function, ": there is no best order of a list")
    check_options(function, unjudged=given.unjudged)
    of_rows = {
        name: getattr(given, name) for name in ("y_true", "y_score", "groups", "owners", "sample_weight")
    }
    check_same_order(function, **of_rows)
    if given.groups is None:
        fail("groups", function, "hold the query id of each row", None)
    n_rows = count_scores(given.y_score, function)
    owners = read_owners(given.owners, n_rows, function)
    needs_labels = needs_labels or browsing.stops
    if needs_labels and given.y_true is None:
        rule = "hold the label of each row, by which users stop or exposure is deserved"
        fail("y_true", function, rule, None)
    n_labels = n_rows if given.y_true is None else count_rows(given.y_true, function, "y_true")
    if n_labels != n_rows:
        fail("y_true", function, f"have one label per row, {n_rows}", n_labels)
    labels = given.y_true if needs_labels else np.zeros(n_rows)
    rows = Given(labels, given.y_score, given.groups, given.sample_weight)
    opened = open_rows(function, rows, LabelRules(given.unjudged))
    exposure = browsing.expose(opened, given.ties, function)
    known, utility = opened.rows.labels == opened.rows.labels, None
    if needs_labels:
        utility = np.zeros(n_rows)
        utility[known] = bind_gain(browsing.gain, opened.rows, function)(opened.rows.labels[known])
    queries = opened.rows.queries
    codes = query_of_row(queries)
    return Exposed(exposure, utility, known.astype(float), codes, queries, opened.rows.weights, owners)
