"""Rows with their owners, their exposure in a browsing model, and their utility."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..._checks.arrays import read_numbers
from ..._checks.codes import first_rows, rank_ids
from ..._checks.containers import check_same_order, column_names, count_rows
from ..._checks.errors import fail
from ..._checks.groups import check_groups, take_ids
from ..._checks.missed import reject_missed
from ..._checks.options import check_choice, check_flag, check_options, is_one_of
from ..._checks.rows import LabelRules
from ..._checks.types import Ids, Options, Values
from ..._engine.blocks import iter_blocks
from ..._engine.prepared import Queries, query_of_row
from .._average import Counts
from .._gains_and_discounts import bind_discount, bind_gain, bind_stop
from .._prepared_input import Opened, OpenedInputs, count_scores, open_rows, spread_weights
from .._table import ARGUMENTS, Given, Tables

TOLERANCE = 1e-6  # shares of a row can differ from 1 by this much, as in float32


class Owners(NamedTuple):
    """The shares of owners in rows, one entry per share."""

    names: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    shares: np.ndarray

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum values of rows by owner."""
        return np.bincount(self.codes, self.shares * values[self.rows], minlength=len(self.names))


def read_owners(owners: Ids, n_rows: int) -> Owners:
    """Check owners: one id per row, or a matrix with the shares of each row."""
    if owners is None:
        fail("owners", "contain the owner of each row", None)
    if _is_matrix(owners):
        return _read_shares(owners, n_rows)
    if getattr(getattr(owners, "dtype", None), "kind", "") == "f" and np.isnan(np.asarray(owners)).any():
        fix = "Give rows without a known owner an id of their own, for example 'unknown'."
        fail("owners", "not contain NaN", f"{np.isnan(np.asarray(owners)).sum()} NaN", fix)
    codes = rank_ids(check_groups(owners, n_rows, "owners"))
    return Owners(take_ids(owners, first_rows(codes)), np.arange(n_rows), codes, np.ones(n_rows))


def _is_matrix(owners: Ids) -> bool:
    """Return whether owners are a matrix of shares: more than one column, or a list of lists."""
    shape = getattr(owners, "shape", None)
    if shape is not None:
        return len(shape) == 2 and shape[1] != 1
    return isinstance(owners, list | tuple) and len(owners) > 0 and isinstance(owners[0], list | np.ndarray)


def _read_shares(owners: Ids, n_rows: int) -> Owners:
    """Check the shares of each row."""
    shares = read_numbers(owners, "owners")
    if shares.ndim != 2 or len(shares) != n_rows:
        fail("owners", f"have one row of shares per score ({n_rows} scores)", f"shape {shares.shape}")
    shares = shares.astype(np.float64)
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        wrong = shares[~(shares >= 0) | ~np.isfinite(shares)][0]
        fail("owners", "contain finite and non-negative shares", wrong)
    missing = np.abs(shares.sum(axis=1) - 1) > TOLERANCE
    if missing.any():
        row = int(missing.argmax())
        got = f"a sum of {shares[row].sum():g} in row {row}"
        fix = "If an owner is unknown, add a column for its share."
        fail("owners", "contain shares that add up to 1 in each row", got, fix)
    rows, codes = np.nonzero(shares)
    names = column_names(owners)
    names = np.arange(shares.shape[1]) if names is None else np.asarray(list(names), dtype=object)
    return Owners(names, rows, codes, shares[rows, codes])


BROWSING = ("log2", "reciprocal", "rbp", "cascade")
# Default probability of continuing to the next rank; other models have none.
DEFAULT_P = {"rbp": 0.8, "cascade": 1.0}


class BrowsingOptions(NamedTuple):
    """A browsing model with its options."""

    browsing_model: Any
    p: float | None
    k: int | None
    gain: Values
    max_grade: float | None

    @property
    def stops(self) -> bool:
        """Return whether users stop at documents because of their labels."""
        return isinstance(self.browsing_model, str) and self.browsing_model == "cascade"

    def checked(self) -> "BrowsingOptions":
        """Check all options, and their combination."""
        browsing_model, p, k, gain, max_grade = self
        if not (callable(browsing_model) or is_one_of(browsing_model, (*BROWSING, None))):
            rule = f"be {', '.join(map(repr, BROWSING))}, None or a callable of the rank"
            fail("browsing_model", rule, repr(browsing_model))
        default_p = DEFAULT_P.get(browsing_model) if isinstance(browsing_model, str) else None
        if p is not None:
            check_options(p=p)
            if default_p is None:
                fail("p", "be None unless browsing_model is 'rbp' or 'cascade'", repr(p))
        options = check_options(k=k, gain=gain, max_grade=max_grade)
        if max_grade is not None and not self.stops:
            fail("max_grade", "be None unless browsing_model is 'cascade'", repr(max_grade))
        return BrowsingOptions(browsing_model, default_p if p is None else float(p), **options)

    def attention(self, n_ranks: int) -> np.ndarray:
        """Return the probability that users look at each rank if no document stops them."""
        ranks = np.arange(n_ranks)
        attention = (
            bind_discount(self.browsing_model, n_ranks, "browsing_model") if self.p is None else self.p**ranks
        )
        return attention * (ranks < (self.k or n_ranks))

    def expose(self, opened: Opened, ties: str) -> np.ndarray:
        """Return the expected exposure of each row; 0 for rows without a rank."""
        rows = opened.rows
        attention = self.attention(rows.longest)
        if not self.stops:
            return spread_weights(opened, ties, attention)
        stop: Callable[..., np.ndarray] = bind_stop(self.gain, self.max_grade, rows)
        stops, of_rows = np.zeros((2, len(rows.labels)))
        judged = rows.labels == rows.labels
        stops[judged] = stop(rows.labels[judged])
        for block in iter_blocks(rows, opened.scores, "order" if ties == "order" else "average"):
            inside = block.ranks <= block.n_retrieved[:, None]
            continues = np.where(inside, 1 - stops[block.rows], 1)
            of_rows[block.rows[inside]] = block.examined(continues, attention[: len(block.ranks)])[inside]
        return of_rows


class Exposed(NamedTuple):
    """Rows with their exposure and utility."""

    exposure: np.ndarray  # of each row
    utility: np.ndarray | None  # of each row; None if labels are not needed
    counted: np.ndarray  # 1 for ranked rows, 0 for unjudged rows that are excluded
    codes: np.ndarray  # the query of each row
    queries: Queries
    weights: np.ndarray | None  # of queries
    owners: Owners

    def by_query(self, values: np.ndarray) -> np.ndarray:
        """Sum values of rows by query."""
        return np.bincount(self.codes, values)

    def per_query(self, values: np.ndarray, totals: np.ndarray) -> np.ndarray:
        """Divide values of rows by the total of their query; 0 if the total is 0."""
        return np.divide(values, totals[self.codes], out=np.zeros(len(values)), where=totals[self.codes] > 0)

    def by_owner(self, values: np.ndarray) -> np.ndarray:
        """Sum values of rows by owner, each times the weight of its query."""
        return self.owners.sum(values if self.weights is None else values * self.weights[self.codes])

    def add_up(self, of_rows: Mapping[str, np.ndarray], totals: Mapping[str, float] | None = None) -> Counts:
        """Sum values of rows by owner, and add totals of all queries."""
        sums = {name: self.by_owner(each) for name, each in of_rows.items()}
        return Counts(self.owners.names.tolist(), sums, totals or {}, "owners")

    @property
    def even(self) -> np.ndarray:
        """Return the exposure of each row if all rows of a query shared its exposure equally."""
        shares = self.per_query(self.counted, self.by_query(self.counted))
        return shares * self.by_query(self.exposure)[self.codes]


class OwnedRows(OpenedInputs):
    """Rows with their owners; exposure and utility depend on the options of each metric."""

    def __init__(self, given: Given, tables: Tables, arguments: Mapping[str, str] = ARGUMENTS):
        self._given = given
        reject_missed(given.missed, "owners")
        check_same_order(**given.of_rows(), owners=tables.owners)
        if given.groups is None:
            fail("groups", "contain the query id of each row", None, "Pass groups=qid.")
        self.n_rows = count_scores(given.y_score)
        self.owners = read_owners(tables.owners, self.n_rows)
        self._opened: dict[tuple[bool, str], Opened] = {}

    def expose(self, needs_labels: bool, *, ties: str, unjudged: str, **browsing: Any) -> Exposed:
        """Compute the exposure of each row, and its utility if labels are needed."""
        options = BrowsingOptions(**browsing)
        needs_labels = needs_labels or options.stops
        opened = self._open(needs_labels, unjudged)
        exposure = options.expose(opened, ties)
        rows, utility = opened.rows, None
        known = rows.labels == rows.labels
        if needs_labels:
            utility = np.zeros(self.n_rows)
            utility[known] = bind_gain(options.gain, rows)(rows.labels[known])
        codes = query_of_row(rows.queries)
        return Exposed(exposure, utility, known.astype(float), codes, rows.queries, rows.weights, self.owners)

    def _open(self, needs_labels: bool, unjudged: str) -> Opened:
        """Check labels, scores and ids; labels that are not needed are not read."""
        if needs_labels and self._given.y_true is None:
            fix = "Labels are required for the utility of documents and for browsing_model='cascade'."
            fail("y_true", "contain the label of each row", None, fix)
        if self._given.y_true is not None:
            n_labels = count_rows(self._given.y_true, "y_true")
            if n_labels != self.n_rows:
                fail("y_true", f"have one label per score ({self.n_rows} scores)", f"{n_labels} labels")
        key = needs_labels, unjudged
        if key not in self._opened:
            rows = self._given if needs_labels else self._given._replace(y_true=np.zeros(self.n_rows))
            self._opened[key] = open_rows(rows, LabelRules(unjudged))
        self.opened = self._opened[key]
        return self.opened


WORDS = {"disparate": ("treatment", "impact"), "ties": ("average", "order")}


def check_exposure_options(options: Options) -> Options:
    """Check the options of the browsing model, and those of the comparison."""
    browsing = BrowsingOptions(*(options[name] for name in BrowsingOptions._fields)).checked()
    check_flag(options.get("log", False), "log")
    for name, words in WORDS.items():
        check_choice(name, options.get(name, words[0]), words, " for metrics of exposure")
    known = ("unjudged", "zero_division", "average")
    checked = check_options(**{name: options[name] for name in known if name in options})
    return {**options, **browsing._asdict(), **checked}
