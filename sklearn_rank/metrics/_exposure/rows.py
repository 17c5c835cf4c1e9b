"""Rows with what they get and what they deserve: the door of all that is about exposure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..._checks.containers import check_same_order, count_rows
from ..._checks.errors import fail
from ..._checks.options import check_choice, check_flag, check_options
from ..._checks.rows import LabelRules
from ..._engine.queries import Queries, query_of_row
from .._counts import Counts
from .._gains_and_discounts import bind_gain
from .._opened import Opened, OpenedInputs, count_scores, open_rows
from .._requests import Given
from .._table import ARGUMENTS, Options, Tables
from .browsing import BrowsingOptions
from .owners import Owners, read_owners


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

    def add_up(self, of_rows: Mapping[str, np.ndarray], totals: Mapping[str, float] | None = None) -> Counts:
        """Sum up values of rows by owner, beside totals of all lists."""
        sums = {name: self.by_owner(each) for name, each in of_rows.items()}
        return Counts(self.owners.names.tolist(), sums, totals or {}, "owners")

    @property
    def even(self) -> np.ndarray:
        """Return what each row would get if the exposure of a query was the same for all of its rows."""
        shares = self.per_query(self.counted, self.by_query(self.counted))
        return shares * self.by_query(self.exposure)[self.codes]


class OwnedRows(OpenedInputs):
    """Rows with their owners; what they get and deserve depends on the options of each metric."""

    def __init__(self, function: str, given: Given, tables: Tables, arguments: Mapping[str, str] = ARGUMENTS):
        self.function, self._given = function, given
        y_true, y_score, groups, sample_weight = given
        of_rows = {"y_true": y_true, "y_score": y_score, "groups": groups, "owners": tables.owners}
        check_same_order(function, **of_rows, sample_weight=sample_weight)
        if given.groups is None:
            fail("groups", function, "hold the query id of each row", None)
        self.n_rows = count_scores(given.y_score, function)
        self.owners = read_owners(tables.owners, self.n_rows, function)
        self._opened: dict[tuple[bool, str], Opened] = {}

    def expose(
        self,
        needs_labels: bool,
        *,
        k: int | None,
        browsing: Any,
        p: float | None,
        gain: Any,
        max_grade: float | None,
        ties: str,
        unjudged: str,
    ) -> Exposed:
        """Compute exposure and utility of each row; without labels where nothing needs them."""
        options = BrowsingOptions(browsing, p, k, gain, max_grade)
        needs_labels = needs_labels or options.stops
        opened = self._open(needs_labels, unjudged)
        exposure = options.expose(opened, ties, self.function)
        rows, utility = opened.rows, None
        known = rows.labels == rows.labels
        if needs_labels:
            utility = np.zeros(self.n_rows)
            utility[known] = bind_gain(gain, rows, self.function)(rows.labels[known])
        codes = query_of_row(rows.queries)
        return Exposed(exposure, utility, known.astype(float), codes, rows.queries, rows.weights, self.owners)

    def _open(self, needs_labels: bool, unjudged: str) -> Opened:
        """Check labels, scores and ids; labels that nothing needs are not looked at."""
        if needs_labels and self._given.y_true is None:
            rule = "hold the label of each row, by which users stop or exposure is deserved"
            fail("y_true", self.function, rule, None)
        if self._given.y_true is not None:
            n_labels = count_rows(self._given.y_true, self.function, "y_true")
            if n_labels != self.n_rows:
                fail("y_true", self.function, f"have one label per row, {self.n_rows}", n_labels)
        key = needs_labels, unjudged
        if key not in self._opened:
            rows = self._given if needs_labels else self._given._replace(y_true=np.zeros(self.n_rows))
            self.opened = self._opened[key] = open_rows(self.function, rows, LabelRules(unjudged))
        return self._opened[key]


WORDS = {"disparate": ("treatment", "impact"), "ties": ("average", "order")}
WHY = {"ties": ": there is no best order of a list"}


def check_exposure_options(function: str, options: Options) -> Options:
    """Check how users go down lists, and what is made of what they see."""
    browsing = BrowsingOptions(*(options[name] for name in BrowsingOptions._fields)).checked(function)
    check_flag(options.get("log", False), "log", function)
    for name, words in WORDS.items():
        check_choice(name, options.get(name, words[0]), words, function, WHY.get(name, ""))
    known = ("unjudged", "zero_division", "average")
    checked = check_options(function, **{name: options[name] for name in known if name in options})
    return {**options, **browsing._asdict(), **checked}
