"""From a formula to a score: one door, one sort and one aggregation for every metric."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import UndefinedMetricWarning

from .._blocks import PIECE, iter_blocks
from .._layout import SMALL_INPUT, classify
from .._options import check_jobs, check_options
from .._queries import Queries, fill_unjudged, find_queries
from .._ranked import Block
from .._validation import check_constant, check_rows, fail
from ._bindings import MAX_EXPONENT, bind_discount, bind_gain, bind_stop

# Per query: numerator, denominator, and whether the metric is defined there.
Formula = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]


class Metric(NamedTuple):
    """A formula under its public name."""

    name: str
    formula: Formula
    micro: bool = False  # may be averaged as a ratio of sums over queries
    needs_groups: bool = False
    uses_scores: bool = False  # the values of the scores count, not their order alone
    of_judgements: bool = False  # ranks 1 for judged and 0 for not, in place of labels
    binary: bool = False  # depends on nothing but which ranks hold relevant documents


class Opened(NamedTuple):
    """Checked rows, their queries and one weight per query, if they have any."""

    labels: np.ndarray
    scores: np.ndarray
    scores_are_ranks: bool
    given: np.ndarray  # the labels before any was filled in
    queries: Queries
    weights: np.ndarray | None


class Request(NamedTuple):
    """One metric asked for: its parameters and the value of a query where it is undefined."""

    metric: Metric
    params: Mapping[str, Any]
    zero_division: float
    sign: float = 1.0  # -1 for a loss as a score
    average: str | None = None  # its own, in place of that of all


def score(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    groups: Any,
    params: Mapping[str, Any],
    ties: str,
    unjudged: str,
    average: str | None,
    sample_weight: Any,
    zero_division: float = 0.0,
) -> Any:
    """Compute one metric; the body of every public metric function."""
    requests = {"": Request(metric, params, zero_division)}
    return score_many(
        metric.name,
        requests,
        y_true,
        y_score,
        groups,
        ties,
        unjudged,
        average,
        sample_weight,
        metric.needs_groups,
    )[""]


def score_many(
    function: str,
    requests: Mapping[str, Request],
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    unjudged: str,
    average: str | None,
    sample_weight: Any,
    needs_groups: bool = True,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Compute metrics from rows that are checked and sorted once."""
    checked = check_requests(function, requests, ties, average, unjudged)
    if n_jobs is not None:
        check_jobs(n_jobs, function)
    of_judgements = [name for name, request in checked.items() if request.metric.of_judgements]
    of_labels = [name for name in checked if name not in of_judgements]
    opened = open_rows(
        function,
        y_true,
        y_score,
        groups,
        sample_weight,
        unjudged if of_labels else "nonrelevant",
        needs_groups,
    )
    _check_score_values(checked, opened, function)
    averages = {name: request.average or average for name, request in checked.items()}
    passes = [(opened, of_labels)] if of_labels else []
    if of_judgements:
        judged = (opened.given == opened.given).astype(np.float64)
        passes.append((opened._replace(labels=judged), of_judgements))
    # Of a micro average numerators and denominators are kept, else the value of each query.
    kept = {
        name: np.empty((2 if how == "micro" else 1, len(opened.queries.lengths)))
        for name, how in averages.items()
    }
    for data, names in passes:
        asked = [(kept[name], checked[name], bind(checked[name].params, data, function)) for name in names]
        places = _fill(asked, data, ties, n_jobs)
    if opened.weights is not None or not {"macro", "micro"}.issuperset(averages.values()):
        kept = {name: _put(values, places) for name, values in kept.items()}
    scores = {}
    for name, request in checked.items():
        if averages[name] == "micro":
            value = _ratio_of_sums(*kept[name], opened.weights, request.zero_division, function, stacklevel=6)
        else:
            value = average_values(kept[name][0], opened.weights, opened.queries, averages[name], function)
        scores[name] = request.sign * value
    return scores


def _fill(asked: list[Any], data: Opened, ties: str, n_jobs: int | None) -> np.ndarray:
    """Compute metrics of all queries, block after block, and return which query each value belongs to.

    In as many threads as asked for: numpy lets them run side by side.
    """
    places = np.empty(len(data.queries.lengths), dtype=np.int64)
    classes = classify(data.queries.lengths)

    def fill(span: slice) -> None:
        start = span.start
        for block in iter_blocks(data.labels, data.scores, data.queries.part(span), ties, classes=classes):
            here = slice(start, start + len(block.members))
            places[here] = block.members + span.start
            for kept, request, bound in asked:
                _keep(kept[:, here], block, request, bound)
            start = here.stop

    spans = data.queries.spans(min(effective_n_jobs(n_jobs), len(data.labels) // SMALL_INPUT))
    if len(spans) == 1:
        fill(spans[0])
    else:
        Parallel(n_jobs=len(spans), require="sharedmem")(delayed(fill)(span) for span in spans)
    return places


def _put(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Arrange values of blocks as the queries."""
    arranged = np.empty_like(values)
    arranged[:, places] = values
    return arranged


def open_rows(
    function: str,
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    unjudged: str,
    needs_groups: bool = False,
) -> Opened:
    """Check rows, find their queries, and give documents without a judgement what the rule says."""
    check_options(function, unjudged=unjudged)
    rows = check_rows(y_true, y_score, groups, sample_weight, function, unjudged)
    if needs_groups and rows.groups is None and rows.n_columns is None:
        fail("groups", function, "hold the query id of each row", None)
    queries = find_queries(rows.groups, len(rows.labels), rows.n_columns)
    weights = query_weights(rows.weights, queries, function, by_row=rows.n_columns is None)
    labels = fill_unjudged(rows.labels, queries, unjudged)
    return Opened(labels, rows.scores, rows.scores_are_ranks, rows.labels, queries, weights)


def _keep(kept: np.ndarray, block: Block, request: Request, bound: Mapping[str, Any]) -> None:
    """Compute one metric of one block; values, or numerators and denominators for a micro average."""
    distinct = block.distinct(bound["min_relevance"]) if request.metric.binary else None
    computed, like = distinct or (block, slice(None))
    numerators, denominators, defined = request.metric.formula(computed, **bound)
    if len(kept) == 2:  # a query without a value counts as if it had that of `zero_division`, or not
        otherwise = 0 if np.isnan(request.zero_division) else request.zero_division * denominators
        kept[0] = np.where(defined, numerators, otherwise)[like]
        kept[1] = np.where(defined | ~np.isnan(request.zero_division), denominators, 0)[like]
    else:
        kept[0] = _divide(numerators, denominators, defined, request.zero_division)[like]


def check_requests(
    function: str, requests: Mapping[str, Request], ties: str, average: str | None, unjudged: str
) -> dict[str, Request]:
    """Check all options before any data is looked at."""
    check_options(function, ties=ties, average=average, unjudged=unjudged)
    checked = {}
    for name, (metric, params, zero_division, sign, own_average) in requests.items():
        if (own_average or average) == "micro" and not metric.micro:
            rule = f"be 'macro', 'weighted' or None for {metric.name}, whose value is not a ratio of counts"
            fail("average", function, rule, "'micro'")
        if params.get("denominator") == "hits" and ties in ("best", "worst"):
            rule = "be 'average' or 'order' with denominator='hits': more hits may lower that value"
            fail("ties", function, rule, repr(ties))
        options = check_options(function, **params, zero_division=zero_division)
        checked[name] = Request(metric, options, options.pop("zero_division"), sign, own_average)
    return checked


def _check_score_values(requests: Mapping[str, Request], rows: Opened, function: str) -> None:
    """Check that scores are numbers to calculate with, where a metric does."""
    for request in requests.values():
        if request.metric.uses_scores and rows.scores_are_ranks:
            rule = (
                f"hold numbers that float64 holds exactly: the value of {request.metric.name} depends on them"
            )
            fail("y_score", function, rule, "larger ones")
        if request.metric.uses_scores and not np.isfinite(rows.scores).all():
            rule = f"be finite: the value of {request.metric.name} depends on them"
            fail("y_score", function, rule, rows.scores[~np.isfinite(rows.scores)][0])


def bind(params: Mapping[str, Any], opened: Opened, function: str) -> dict[str, Any]:
    """Turn gain and discount into what the formulas apply to labels and ranks."""
    bound = dict(params)
    labels, longest = opened.labels, int(opened.queries.lengths.max())
    if "max_grade" in bound:
        max_grade = bound.pop("max_grade")
        bound["stop"] = bind_stop(bound.pop("gain"), max_grade, labels, function)
    if "gain" in bound:
        bound["gain"] = bind_gain(bound["gain"], labels, function)
    if "discount" in bound:
        n_ranks = min(longest, bound["k"] or longest)
        bound["discount"] = bind_discount(bound["discount"], n_ranks, function)
    return bound


def _divide(
    numerators: np.ndarray, denominators: np.ndarray, defined: np.ndarray, zero_division: float
) -> np.ndarray:
    """Value of each query; the one place where undefined queries get theirs."""
    if defined is True or defined.all():
        return numerators / denominators
    return np.where(defined, numerators / np.where(defined, denominators, 1), zero_division)


def query_weights(
    weights: np.ndarray | None, queries: Queries, function: str, by_row: bool = True
) -> np.ndarray | None:
    """One weight per query; None for equal ones."""
    if weights is None:
        return None
    if by_row:
        weights = weights if queries.rows is None else weights[queries.rows]
        check_constant(weights, queries.firsts, queries.lengths, function)
        weights = weights[queries.firsts]
    return np.ldexp(weights, -np.frexp(weights.max())[1])  # their scale is free: let no sum overflow


def average_values(
    values: np.ndarray, weights: np.ndarray | None, queries: Queries, average: str | None, function: str
) -> Any:
    """Mean over the queries that have a value and a weight; all values for None."""
    if average is None:
        return queries.by_id(values)
    if average == "weighted":
        weights = queries.lengths if weights is None else weights * queries.lengths
    counted = ~np.isnan(values)
    if weights is not None:
        counted &= weights > 0
    if not counted.all():
        values, weights = values[counted], None if weights is None else weights[counted]
    total = np.array([len(values)]) if weights is None else np.ones(1)
    return _ratio_of_sums(values, total, weights, np.nan, function)


def _ratio_of_sums(
    numerators: np.ndarray,
    denominators: np.ndarray,
    weights: np.ndarray | None,
    otherwise: float,
    function: str,
    stacklevel: int = 7,
) -> float:
    if weights is not None:
        numerators, denominators = weights * numerators, weights * denominators
    denominator = exact_sum(denominators)
    if denominator > 0:
        return exact_sum(numerators) / denominator
    if np.isnan(otherwise):
        warn_undefined(function, stacklevel=stacklevel)
    return otherwise


def exact_sum(values: np.ndarray) -> float:
    """Sum to the last digit, so that neither the order of the rows nor the number of threads shows.

    The leading digits of n values, multiples of a unit above 2**-53 n times the largest, add up exactly.
    """
    largest = np.abs(values).max(initial=0.0)
    if len(values) == 1 or largest == np.inf:
        return float(values.sum())
    exponent = int(np.frexp(largest)[1]) + len(values).bit_length()
    shift = 1.5 * 2.0 ** min(exponent, MAX_EXPONENT)
    leading, rest = 0.0, 0.0
    for start in range(0, len(values), PIECE):
        piece = values[start : start + PIECE]
        rounded = (piece + shift) - shift
        leading += float(rounded.sum())
        rest += float((piece - rounded).sum())
    return leading + rest


def warn_undefined(function: str, stacklevel: int) -> None:
    """Warn that no query has a value."""
    message = f"{function} is undefined: no query has a value to average. Returning nan."
    warn(message, UndefinedMetricWarning, stacklevel=stacklevel)
