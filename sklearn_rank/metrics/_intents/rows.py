"""Rows with a label for each intent: checked, with the weights of the intents."""

from typing import Any, NamedTuple

import numpy as np

from ..._checks.arrays import is_sparse, read_numbers, to_float
from ..._checks.containers import check_same_columns, check_same_order, is_of_pandas
from ..._checks.errors import fail
from ..._checks.options import check_choice, check_mean, check_options
from ..._checks.rows import LabelRules, check_labels
from ..._checks.weights import check_constant
from ..._engine.prepared import PreparedRows
from ..._engine.queries import Queries
from .._average import average_values
from .._opened import Opened
from .._requests import Rules
from .._top_lists import count_scores, open_scores

NO_ONE_ORDER = ": there is no best order of a list for all intents at once that could be computed"
ONE_OR_OTHER = ": a list that leaves a document out would be another one for each intent"
OF_LISTS = ("ties", "unjudged", "normalize", "intent_weight")
MOST = 10**6  # ranks of which a bound is made
RULE = "have a row per document and a column per intent, shape (n_rows, n_intents)"


class Intents(NamedTuple):
    """Rows with a label for each intent."""

    opened: Opened  # without labels
    labels: np.ndarray  # of shape (n_rows, n_intents)
    lowest: float  # of the labels that are no NaN
    highest: float

    @property
    def queries(self) -> Queries:
        """Return which rows belong to which query."""
        return self.opened.rows.queries

    def of_labels(self, labels: np.ndarray, extremes: tuple[float, float], unjudged: str = "raise") -> Opened:
        """Return the rows with one label each."""
        rows = self.opened.rows
        return Opened(
            PreparedRows(labels, rows.queries, extremes, unjudged, rows.weights), self.opened.scores
        )

    def find_present(self, marks: np.ndarray) -> np.ndarray:
        """Tell of each query which intents have a marked document."""
        in_order = marks if self.queries.rows is None else marks[self.queries.rows]
        present: np.ndarray = np.logical_or.reduceat(in_order, self.queries.firsts, axis=0)
        return present

    def average(self, values: np.ndarray, defined: np.ndarray, rules: Rules, function: str) -> Any:
        """Average the values of queries; those that are undefined get their own."""
        settled = np.where(defined, values, rules.zero_division)
        return average_values(settled, self.opened.rows.weights, self.queries, rules.average, function)


class GivenIntents(NamedTuple):
    """Rows with a label for each intent, as the caller gave them."""

    y_true: Any
    y_score: Any
    groups: Any
    sample_weight: Any = None
    intent_weight: Any = None


def open_intents(function: str, given: GivenIntents, rules: LabelRules) -> Intents:
    """Check labels of intents, scores, ids and weights of rows."""
    order = given._asdict()
    if getattr(given.intent_weight, "ndim", 2) == 1:  # an entry per intent, and none per row
        del order["intent_weight"]
    check_same_order(function, **order)
    if is_of_pandas(given.y_true) and is_of_pandas(given.intent_weight):
        by_name = given.intent_weight
        by_name = by_name if hasattr(by_name, "columns") else by_name.to_frame().T
        check_same_columns(function, y_true=given.y_true, intent_weight=by_name)
    labels = _read_labels(given.y_true, function)
    n_scores = count_scores(given.y_score, function)
    if n_scores != len(labels):
        fail("y_score", function, f"have one score per row of 'y_true', {len(labels)}", n_scores)
    opened = open_scores(function, given.y_score, given.groups, given.sample_weight)
    labels, lowest, highest = check_labels(labels, function, rules)
    return Intents(opened, labels, lowest, highest)


def _read_labels(y_true: Any, function: str) -> np.ndarray:
    """Return labels of intents as a matrix."""
    labels = read_numbers(y_true.toarray() if is_sparse(y_true) else y_true, "y_true", function)
    if labels.ndim == 1:
        got = f"shape {labels.shape}"
        fail("y_true", function, f"{RULE}; one intent is numpy.reshape(y_true, (-1, 1))", got)
    if labels.size == 0:
        fail("y_true", function, f"{RULE}, at least one of each", f"shape {labels.shape}")
    return labels


def check_intent_options(function: str, options: dict[str, Any]) -> dict[str, Any]:
    """Check options before any data is looked at; a list for several intents has fewer rules."""
    numbers = {name: value for name, value in options.items() if name not in OF_LISTS}
    checked = check_options(function, **numbers)
    check_mean(function, numbers["average"])
    check_choice("ties", options["ties"], ("average", "order"), function, NO_ONE_ORDER)
    check_choice("unjudged", options["unjudged"], ("raise", "nonrelevant"), function, ONE_OR_OTHER)
    normalize = options.get("normalize")
    check_choice("normalize", normalize, ("ideal", "bound", None), function)
    if normalize == "bound" and (options.get("k") or 1) > MOST:
        rule = f"not exceed {MOST} with normalize='bound'; None is the whole list"
        fail("k", function, rule, options["k"])
    return checked


def check_weights_of_all(function: str, intent_weight: Any) -> np.ndarray:
    """Check weights of intents that are the same for all queries."""
    weights = read_numbers(intent_weight, "intent_weight", function)
    if weights.ndim != 1 or weights.size == 0:
        fail("intent_weight", function, "have one entry per intent", f"shape {weights.shape}")
    return _check_values(function, weights)


def read_weights(intent_weight: Any, intents: Intents, function: str) -> np.ndarray:
    """Return the weights of the intents: of shape (1, n_intents), or (n_queries, n_intents)."""
    n_rows, n_intents = intents.labels.shape
    if intent_weight is None:
        return np.ones((1, n_intents))
    weights = read_numbers(intent_weight, "intent_weight", function)
    if weights.shape not in ((n_intents,), (n_rows, n_intents)):
        rule = f"have one entry per intent, shape ({n_intents},), or per row and intent"
        fail("intent_weight", function, f"{rule}, shape {n_rows, n_intents}", f"shape {weights.shape}")
    weights = _check_values(function, weights)
    if weights.ndim == 2:
        weights = _take_of_queries(weights, intents.queries, function)
    weights = np.atleast_2d(weights)
    return weights / weights.max(axis=1, keepdims=True)  # of free scale: no sum of them overflows


def _check_values(function: str, weights: np.ndarray) -> np.ndarray:
    """Check weights of intents, of all queries or in rows."""
    for extreme in (weights.min(), weights.max()):
        if not 0 <= to_float(extreme) < np.inf:
            fail("intent_weight", function, "be finite and >= 0", extreme)
    if not (weights > 0).any(axis=-1).all():
        fail("intent_weight", function, "not be zero for all intents of a query", "only zeros")
    return weights.astype(np.float64)


def _take_of_queries(weights: np.ndarray, queries: Queries, function: str) -> np.ndarray:
    """Return those of each query, which are the same in all its rows."""
    in_order = weights if queries.rows is None else weights[queries.rows]
    for column in in_order.T:
        check_constant(column, queries.firsts, queries.lengths, function, "intent_weight")
    return in_order[queries.firsts]
