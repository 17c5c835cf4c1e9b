"""The mean over intents of what a metric of the table gives each of them."""

import numpy as np

from ..._checks.errors import fail
from .._compute import bind, check_score_values, evaluate
from .._requests import Request, find_label_rules
from .._table import Ratio
from .rows import NO_ONE_ORDER, IntentRows, Intents


def mean_over_intents(
    function: str, request: Request, intents: Intents, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted mean of each query, and by what it is divided; intents undefined are left out."""
    _check_labels_of_all(function, request, intents)
    n_queries = len(intents.queries.lengths)
    total, norm = np.zeros(n_queries), np.zeros(n_queries)
    if "gain" in request.params and request.params.get("max_grade", 0) is None:  # one scale for all intents
        request = request._replace(params={**request.params, "max_grade": intents.highest})
    for labels, weight in zip(intents.labels.T, weights.T):
        highest = float(np.fmax.reduce(labels, initial=0))
        extremes = float(np.fmin.reduce(labels, initial=highest)), highest
        opened = intents.of_labels(np.ascontiguousarray(labels), extremes, request.rules.unjudged)
        (of_queries,) = evaluate(function, [request], opened, marked=True)
        defined = of_queries[-1] > 0
        total += np.where(defined, weight * of_queries[0], 0)
        norm += weight * defined
    return request.sign * total / np.where(norm > 0, norm, 1), norm


def _check_labels_of_all(function: str, request: Request, intents: Intents) -> None:
    """Raise what the metric raises for labels or scores, in words that say where in the matrix they are."""
    check_score_values(request, intents.opened, function)
    flat = intents.of_labels(intents.labels.ravel(), (intents.lowest, intents.highest))
    flat.rows.n_columns = intents.labels.shape[1]
    params = {name: value for name, value in request.params.items() if name != "discount"}  # of ranks
    bind(params, flat.rows, function)


def check_request(function: str, request: Request) -> None:
    """Check that one list for all intents can be scored so."""
    if request.rules.ties not in ("average", "order"):
        fail("ties", function, f"be one of 'average', 'order'{NO_ONE_ORDER}", repr(request.rules.ties))
    if request.rules.average == "micro":
        fail("average", function, f"be {request.metric.list_averages()}", "'micro'")
    if request.params.get("weighted_by") == "relevant":
        fail(
            "metric",
            function,
            "weight queries by rows: relevant documents are each intent's own",
            request.name,
        )


def find_means(rows: IntentRows, request: Request) -> Ratio:
    """Return the mean over intents that each query has of a checked metric."""
    intents = rows.under(find_label_rules([request]))
    values, norm = mean_over_intents(rows.function, request, intents, rows.weigh(intents))
    return Ratio(values, 1, norm > 0)
