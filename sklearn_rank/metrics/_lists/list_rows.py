"""Rows of lists: their probabilities of being in the top k, and inputs that are read when first needed."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..._checks.arrays import UNMASK, flatten, is_masked, read_numbers
from ..._checks.codes import as_array, first_rows, rank_ids
from ..._checks.containers import check_same_order, read_mapping, take
from ..._checks.errors import fail, spell_id
from ..._checks.groups import check_groups, list_keys, open_column
from ..._checks.options import check_choice, check_mean, check_options, is_one_of
from ..._checks.types import Features, Options, Table, Values
from ..._engine.prepared import query_of_row, sort_by_code
from .._average import CountedRows, Counts
from .._gains_and_discounts import bind_discount
from .._prepared_input import OpenedInputs, check_index, count_scores, open_scores, spread_weights
from .._table import ARGUMENTS, Given, Ratio, Tables

OF_ROWS = ("items", "features", "labels")  # inputs with one entry per row


class Lists(NamedTuple):
    """The top k of each query."""

    share: np.ndarray  # per row: the expected discount of its rank, or its probability; 0 below k
    codes: np.ndarray  # per row: its query
    n_queries: int

    def sum(self, of_rows: np.ndarray | None = None) -> np.ndarray:
        """Return the expected number of shown rows of each query, or the expected sum of their values."""
        values = self.share if of_rows is None else self.share * of_rows
        return np.bincount(self.codes, values, self.n_queries)

    def mean(self, of_rows: np.ndarray) -> Ratio:
        """Return the mean over the shown rows of each query."""
        n_shown = self.sum()
        return Ratio(self.sum(of_rows), n_shown, n_shown > 0)


class ListRows(OpenedInputs):
    """Rows of lists, with the inputs of list metrics."""

    def __init__(self, given: Given, tables: Tables, arguments: Mapping[str, str] = ARGUMENTS):
        self.arguments, self.tables = arguments, tables
        of_rows = {arguments[name]: getattr(tables, name) for name in OF_ROWS}
        rows = {"y_score": given.y_score, "groups": given.groups, "sample_weight": given.sample_weight}
        check_same_order(**of_rows, **rows)
        self.groups = given.groups
        self.n_rows = count_scores(given.y_score)
        self.opened = open_scores(given.y_score, given.groups, given.sample_weight)
        self._found: dict[tuple[int | None, str], Lists] = {}

    @cached_property
    def codes(self) -> np.ndarray:
        """Return the query of each row."""
        return query_of_row(self.queries)

    def lists(self, k: int | None, ties: str, discount: Values = None) -> Lists:
        """Return the expected discount of each row in the top k, or its probability without discounts."""
        if discount is None and (k, ties) in self._found:
            return self._found[k, ties]
        longest = self.opened.rows.longest
        discounts = bind_discount(discount, longest) * (np.arange(longest) < (k or longest))
        lists = Lists(spread_weights(self.opened, ties, discounts), self.codes, len(self.queries.lengths))
        if discount is None:
            self._found[k, ties] = lists
        return lists

    @cached_property
    def items(self) -> tuple[np.ndarray, list[Any]]:
        """Return the code of the item in each row, and the id of each code."""
        parameter, given = self.arguments["items"], self.tables.items
        codes = rank_ids(check_groups(given, self.n_rows, parameter))
        firsts = first_rows(codes)
        ids = take(open_column(given), firsts)
        ids = ids if isinstance(ids, list) else list(flatten(np.asarray(ids)))
        first, second = self._find_twice(codes, len(firsts))
        if first >= 0:
            got = f"item {spell_id(ids[codes[first]])} in rows {first} and {second} of one query"
            fix = "Keep one row per query and item, for example with frame.drop_duplicates."
            fail(parameter, "not repeat an item within a query", got, fix)
        return codes, ids

    def _find_twice(self, codes: np.ndarray, n_items: int) -> tuple[int, int]:
        """Return the first two rows of a query with the same item, or -1 and -1."""
        rows = self.queries.rows
        in_order = codes if rows is None else codes[rows]
        by_item = sort_by_code(in_order, n_items)[0]  # stable, so that the rows of a query stay adjacent
        of_query = (self.codes if rows is None else self.codes[rows])[by_item]
        items = in_order[by_item]
        again = np.flatnonzero((items[1:] == items[:-1]) & (of_query[1:] == of_query[:-1]))
        if not len(again):
            return -1, -1
        pairs = by_item[again], by_item[again + 1]
        firsts, seconds = pairs if rows is None else (rows[pairs[0]], rows[pairs[1]])
        place = int(np.argmin(firsts))
        return int(firsts[place]), int(seconds[place])

    def add_up(self, of_rows: Mapping[str, np.ndarray], totals: Mapping[str, float] | None = None) -> Counts:
        """Sum values of rows by item, and add totals of all lists."""
        codes, items = self.items
        sums = {name: np.bincount(codes, each) for name, each in of_rows.items()}
        rows = CountedRows(codes, self.codes, of_rows, self.queries, len(self.queries.lengths))
        return Counts(items, sums, totals or {}, self.arguments["items"], rows=rows)

    @cached_property
    def features(self) -> Any:
        """Return the features of the item in each row."""
        parameter, given = self.arguments["features"], self.tables.features
        if self.tables.items is not None and self.tables.has_features_by_item:
            return self._take_by_item(given)
        features = read_features(given, parameter)
        if features.shape[0] != self.n_rows:
            fail(parameter, f"have one row per score ({self.n_rows} scores)", f"{features.shape[0]} rows")
        return features

    def _take_by_item(self, given: Any) -> Any:
        """Return the features of the item in each row, from those of each item."""
        by_id = isinstance(given, Mapping)
        features = read_features(list(given.values()) if by_id else given[0], "features")
        if not by_id:
            check_groups(given[1], features.shape[0], "features")
        keys = list(given) if by_id else list_keys(given[1])
        places = {key: place for place, key in enumerate(keys)}
        if len(places) < len(keys):
            fail("features", "have each item id once", f"{len(keys)} rows for {len(places)} ids")
        codes, items = self.items
        found = np.array([places.get(key, -1) for key in list_keys(as_array(items))])
        if found.min() < 0:
            item, known = spell_id(items[int(found.argmin())]), spell_id(keys[0])
            fail("features", "have a row for each item", f"none for item {item}, but one for {known}")
        return features[found[codes]]

    @cached_property
    def labels(self) -> np.ndarray:
        """Return the label of each row."""
        labels = flatten(read_numbers(self.tables.labels, self.arguments["labels"]))
        parameter = self.arguments["labels"]
        if labels.shape != (self.n_rows,):
            fail(parameter, f"have one label per score ({self.n_rows} scores)", f"shape {labels.shape}")
        if (missing := labels != labels).any():  # objects have no isnan
            fix = "Replace NaN, for example by 0, or drop these rows."
            fail(parameter, "not contain NaN", f"{missing.sum()} NaN", fix)
        return labels


def read_features(X: Features, parameter: str = "X") -> Any:
    """Return a matrix of finite floats, dense or sparse by row."""
    from sklearn.utils import check_array

    if is_masked(X):
        fail(parameter, "not be a masked array", "a MaskedArray", UNMASK)
    try:
        numbers = check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)
        return check_array(numbers, accept_sparse="csr", dtype=np.float64)
    except Exception as error:
        rule = "be a matrix of finite real numbers with one row per item"
        reason = str(error).partition("\n")[0].rstrip(":.")
        fail(parameter, rule, f"a {type(X).__name__} ({reason})")


CHECKED = ("k", "discount", "min_relevance", "smoothing", "tail")  # formulas check other parameters


def check_list_options(options: Options) -> Options:
    """Check the options of lists, of their values and of their averages."""
    if "average" in options:
        check_mean(options["average"], geometric=True, zero_division=options["zero_division"])
    similarity = options.get("similarity", "cosine")
    if not callable(similarity) and not is_one_of(similarity, ("cosine",)):
        fail("similarity", "be 'cosine' or a callable of features", repr(similarity))
    check_choice("ties", options["ties"], ("average", "order"), " for metrics of lists")
    return {**options, **check_options(**{name: options[name] for name in CHECKED if name in options})}


PASS_PAIR = "Pass history=(X_past, users_past), where users_past contains the query id of each row of X_past."


def is_pair(history: Table) -> bool:
    """Return whether the history is a pair of features and ids."""
    return isinstance(history, tuple) and len(history) == 2


def check_popularity(popularity: Table) -> Any:
    """Return a mapping of item to number."""
    check_index(popularity, "popularity", "item")
    table = read_mapping(popularity, "popularity")
    if not isinstance(table, Mapping):
        fail("popularity", "be a mapping or pandas.Series of item id to number", type(popularity).__name__)
    return table
