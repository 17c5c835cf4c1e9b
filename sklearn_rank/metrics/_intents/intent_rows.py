"""Rows with a label for each intent, the weights of the intents, and means over intents."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..._checks.arrays import is_sparse, read_numbers, to_float
from ..._checks.containers import check_same_columns, check_same_order, is_of_pandas
from ..._checks.errors import fail
from ..._checks.missed import reject_missed
from ..._checks.options import check_choice, check_mean, check_options
from ..._checks.rows import LabelRules, check_constant, check_labels
from ..._checks.types import Options, Weights
from ..._engine.prepared import PreparedRows, Queries
from .._compute import bind, check_score_values, compute_values
from .._gains_and_discounts import needs_scale
from .._prepared_input import Opened, OpenedInputs, count_scores, open_scores
from .._table import ARGUMENTS, Given, Ratio, Request, Tables, find_label_rules

FOR_INTENTS = " for metrics of several intents"  # one ranking is not the best one of each intent
OF_LISTS = ("ties", "unjudged", "normalize", "intent_weight")
MOST = 10**6  # ranks up to which a bound is computed
RULE = "have one row per document and one column per intent"


class Intents(NamedTuple):
    """Rows with a label for each intent."""

    opened: Opened  # without labels
    labels: np.ndarray  # of shape (n_rows, n_intents)
    lowest: float  # of the labels that are not NaN
    highest: float
    parameter: str  # argument that contains them, for messages

    @property
    def queries(self) -> Queries:
        """Return which rows belong to which query."""
        return self.opened.rows.queries

    def of_labels(self, labels: np.ndarray, extremes: tuple[float, float], unjudged: str = "raise") -> Opened:
        """Return the rows with one label each."""
        of, scores = self.opened
        rows = PreparedRows(labels, of.queries, extremes, unjudged, of.weights)
        rows.parameter = self.parameter
        return Opened(rows, scores)

    def find_present(self, marks: np.ndarray) -> np.ndarray:
        """Return which intents of each query have a marked document."""
        in_order = marks if self.queries.rows is None else marks[self.queries.rows]
        present: np.ndarray = np.logical_or.reduceat(in_order, self.queries.firsts, axis=0)
        return present


class IntentRows(OpenedInputs):
    """Rows with labels of intents, which are read by the rules of each requested metric."""

    def __init__(self, given: Given, tables: Tables, arguments: Mapping[str, str] = ARGUMENTS):
        self.parameter = arguments["intents"]
        self._intent_weight = tables.intent_weight
        reject_missed(given.missed, "intents")
        order = {**given.of_rows(), self.parameter: tables.intents}
        if getattr(tables.intent_weight, "ndim", 2) != 1:  # otherwise it has one entry per intent
            order["intent_weight"] = tables.intent_weight
        check_same_order(**order)
        if is_of_pandas(tables.intents) and is_of_pandas(tables.intent_weight):
            by_name = tables.intent_weight
            by_name = by_name if hasattr(by_name, "columns") else by_name.to_frame().T
            check_same_columns(**{self.parameter: tables.intents}, intent_weight=by_name)
        labels = tables.intents.toarray() if is_sparse(tables.intents) else tables.intents
        self._labels = read_numbers(labels, self.parameter)
        if self._labels.ndim == 1:
            fix = f"For a single intent, pass numpy.reshape({self.parameter}, (-1, 1))."
            fail(self.parameter, RULE, f"shape {self._labels.shape}", fix)
        if self._labels.size == 0:
            fail(self.parameter, f"{RULE}, at least one each", f"shape {self._labels.shape}")
        n_scores, n_labels = count_scores(given.y_score), len(self._labels)
        if n_scores != n_labels and self.parameter == "y_true":
            fail("y_score", f"have one score per row of 'y_true' ({n_labels} rows)", f"{n_scores} scores")
        if n_scores != n_labels:
            fail(self.parameter, f"have one row per score ({n_scores} scores)", f"{n_labels} rows")
        self.opened = open_scores(given.y_score, given.groups, given.sample_weight)
        self._found: dict[LabelRules, Intents] = {}

    def under(self, rules: LabelRules) -> Intents:
        """Return the labels, checked by the rules of a metric."""
        if rules not in self._found:
            labels, lowest, highest = check_labels(self._labels, rules._replace(parameter=self.parameter))
            self._found[rules] = Intents(self.opened, labels, lowest, highest, self.parameter)
        return self._found[rules]

    def weigh(self, intents: Intents) -> np.ndarray:
        """Return the weights of the intents: of shape (1, n_intents), or (n_queries, n_intents)."""
        given = self._intent_weight
        n_rows, n_intents = intents.labels.shape
        if given is None:
            return np.ones((1, n_intents))
        weights = read_numbers(given, "intent_weight")
        if weights.shape not in ((n_intents,), (n_rows, n_intents)):
            rule = f"have shape ({n_intents},) or {n_rows, n_intents}"
            fix = "Pass one weight per intent, or one per row and intent."
            fail("intent_weight", rule, f"shape {weights.shape}", fix)
        weights = _check_values(weights)
        if weights.ndim == 2:
            queries = intents.queries
            weights = weights if queries.rows is None else weights[queries.rows]
            for column in weights.T:
                check_constant(column, queries.firsts, queries.lengths, "intent_weight")
            weights = weights[queries.firsts]
        weights = np.atleast_2d(weights)
        return weights / weights.max(axis=1, keepdims=True)  # the scale is free; their sum must not overflow


def check_intent_options(options: Options) -> Options:
    """Check options before reading the data; a ranking for several intents supports fewer rules."""
    numbers = {name: value for name, value in options.items() if name not in OF_LISTS}
    checked = check_options(**numbers)
    if not 0 < checked.get("beta", 0.5) < 1:
        fail("beta", "be a number above 0 and below 1", options["beta"])
    check_mean(numbers["average"], geometric=True)
    check_choice("ties", options["ties"], ("average", "order"), FOR_INTENTS)
    check_choice("unjudged", options["unjudged"], ("raise", "nonrelevant"), FOR_INTENTS)
    normalize = options.get("normalize")
    check_choice("normalize", normalize, ("ideal", "bound", None))
    if normalize == "bound" and (options.get("k") or 1) > MOST:
        fail("k", f"be at most {MOST} with normalize='bound'", options["k"], "For all ranks, pass k=None.")
    return {**options, **checked}


def check_weights_of_all(intent_weight: Weights) -> np.ndarray:
    """Check weights of intents that are the same for all queries."""
    weights = read_numbers(intent_weight, "intent_weight")
    if weights.ndim != 1 or weights.size == 0:
        fail("intent_weight", "have one entry per intent", f"shape {weights.shape}")
    return _check_values(weights)


def _check_values(weights: np.ndarray) -> np.ndarray:
    """Check weights of intents, of all queries or in rows."""
    for extreme in (weights.min(), weights.max()):
        if not 0 <= to_float(extreme) < np.inf:
            fail("intent_weight", "be finite and non-negative", extreme)
    if not (weights > 0).any(axis=-1).all():
        fail("intent_weight", "be positive for at least one intent of each query", "only zeros")
    return weights.astype(np.float64)


def mean_over_intents(
    request: Request, intents: Intents, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted mean over the defined intents of each query, and the sum of their weights."""
    check_score_values(request, intents.opened)
    # Errors about labels show the position in the matrix.
    flat = intents.of_labels(intents.labels.ravel(), (intents.lowest, intents.highest))
    flat.rows.n_columns = intents.labels.shape[1]
    bind({name: value for name, value in request.params.items() if name != "discount"}, flat.rows)
    n_queries = len(intents.queries.lengths)
    total, norm = np.zeros(n_queries), np.zeros(n_queries)
    if needs_scale(request.params):  # one scale for all intents
        request = request._replace(params={**request.params, "max_grade": intents.highest})
    for labels, weight in zip(intents.labels.T, weights.T):
        highest = float(np.fmax.reduce(labels, initial=0))
        extremes = float(np.fmin.reduce(labels, initial=highest)), highest
        opened = intents.of_labels(np.ascontiguousarray(labels), extremes, request.rules.unjudged)
        (of_queries,) = compute_values([request], opened, marked=True)
        defined = of_queries[-1] > 0
        total += np.where(defined, weight * of_queries[0], 0)
        norm += weight * defined
    return request.sign * total / np.where(norm > 0, norm, 1), norm


def check_request(request: Request) -> None:
    """Check that one ranking for all intents can be scored with these options."""
    if request.rules.ties not in ("average", "order"):
        fail("ties", f"be one of 'average', 'order'{FOR_INTENTS}", repr(request.rules.ties))
    if request.rules.average == "micro":
        fail("average", f"be {request.metric.list_averages()}", "'micro'")
    if request.params.get("weighted_by") == "relevant":
        fix = "Their number differs between intents."
        fail("metric", "not weight queries by relevant documents", repr(request.name), fix)


def find_means(rows: IntentRows, request: Request) -> Ratio:
    """Return the mean over intents of a checked metric, for each query."""
    intents = rows.under(find_label_rules([request]))
    values, norm = mean_over_intents(request, intents, rows.weigh(intents))
    return Ratio(values, 1, norm > 0)
