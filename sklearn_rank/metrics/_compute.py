"""From a formula to a score: one door, one sort and one aggregation for every metric."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from .._blocks import map_blocks
from .._layout import SMALL_INPUT
from .._options import check_jobs, check_options
from .._ranked import Block
from .._threads import open_threads
from .._validation import fail
from ._average import average_values, ratio_of_sums
from ._bindings import bind_discount, bind_gain, bind_stop
from ._opened import (
    COUNT_RETRIEVED,
    Opened,
    count_relevant,
    open_rows,
    warn_of_constants,
    warn_of_short_lists,
)

# Per query: numerator, denominator, and whether the metric is defined there.
Formula = Callable[..., tuple[np.ndarray, np.ndarray | int, np.ndarray | Literal[True]]]


class Metric(NamedTuple):
    """A formula under its public name."""

    name: str
    formula: Formula
    needs_k: bool = False  # has a cutoff in any case
    micro: bool = False  # may be averaged as a ratio of sums over queries
    uses_scores: bool = False  # the values of the scores count, not their order alone
    of_judgements: bool = False  # ranks 1 for judged and 0 for not, in place of labels
    binary: bool = False  # depends on nothing but which ranks hold relevant documents


class Request(NamedTuple):
    """One metric asked for: its parameters and the value of a query where it is undefined."""

    metric: Metric
    params: Mapping[str, Any]
    zero_division: float
    sign: float = 1.0  # -1 for a loss as a score
    average: str | None = None  # its own, in place of that of all


class Asked(NamedTuple):
    """One metric as it is computed of a block."""

    request: Request
    bound: Mapping[str, Any]  # what the formula takes
    micro: bool


# Of a block: values in a row, or numerators and denominators; of how many queries each is, None for one.
Evaluated = tuple[np.ndarray, np.ndarray | None]


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
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Compute metrics from rows that are checked and sorted once."""
    checked = check_requests(function, requests, ties, average, unjudged)
    if n_jobs is not None:
        check_jobs(n_jobs, function)
    of_labels = any(not request.metric.of_judgements for request in checked.values())
    unjudged = unjudged if of_labels else "nonrelevant"
    opened = open_rows(function, y_true, y_score, groups, sample_weight, unjudged)
    scores = score_opened(function, checked, opened, ties, average, n_jobs)
    warn_of_constants(function, opened, thresholds_of(checked), scores)
    of_retrieved = {name: each for name, each in checked.items() if each.metric.name in COUNT_RETRIEVED}
    warn_of_short_lists(function, opened, {name: each.params["k"] for name, each in of_retrieved.items()})
    return scores


def score_opened(
    function: str,
    requests: Mapping[str, Request],
    opened: Opened,
    ties: str,
    average: str | None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Compute checked metrics of checked rows."""
    _check_score_values(requests, opened, function)
    of_judgements = [name for name, request in requests.items() if request.metric.of_judgements]
    of_labels = [name for name in requests if name not in of_judgements]
    averages = {name: request.average or average for name, request in requests.items()}
    by_query = opened.weights is not None or not {"macro", "micro"}.issuperset(averages.values())
    passes = [(opened, of_labels)] if of_labels else []
    if of_judgements:
        judged = (opened.given == opened.given).astype(np.float64)
        passes.append((opened._replace(labels=judged, highest=1.0), of_judgements))
    computed: dict[str, Evaluated] = {}
    for data, names in passes:
        asked = [
            Asked(requests[name], bind(requests[name].params, data, function), averages[name] == "micro")
            for name in names
        ]
        computed.update(zip(names, _evaluate_all(asked, data, ties, n_jobs, by_query)))
    scores = {}
    for name, request in requests.items():
        values, counts = computed[name]
        if averages[name] == "micro":
            numerators, denominators = values
            value = ratio_of_sums(
                numerators, denominators, opened.weights, request.zero_division, function, counts
            )
        else:
            by_relevant = request.params.get("weighted_by") == "relevant"
            sizes = count_relevant(opened, request.params["min_relevance"]) if by_relevant else None
            value = average_values(
                values[0], opened.weights, opened.queries, averages[name], function, counts, sizes
            )
        scores[name] = request.sign * value
    return scores


def thresholds_of(requests: Mapping[str, Request]) -> dict[str, float]:
    """Return the min_relevance of each metric that has one."""
    params = {name: request.params for name, request in requests.items()}
    return {name: given["min_relevance"] for name, given in params.items() if "min_relevance" in given}


def _evaluate_all(
    asked: list[Asked], data: Opened, ties: str, n_jobs: int | None, by_query: bool
) -> list[Evaluated]:
    """Compute metrics of all queries, block after block, and return those of each metric.

    Of each query in order if `by_query`, else in any order and with how many queries each is the value of.
    In as many threads as asked for: numpy lets them run side by side.
    """

    def evaluate(block: Block) -> tuple[np.ndarray | None, list[Evaluated]]:
        members = block.members if by_query else None
        return members, [_evaluate(block, each, by_query) for each in asked]

    n_threads = min(effective_n_jobs(n_jobs), len(data.labels) // SMALL_INPUT)
    with open_threads(n_threads) as run:
        blocks = list(
            map_blocks(evaluate, data.labels, data.scores, data.queries, ties, highest=data.highest, run=run)
        )
    places = np.concatenate([members for members, _ in blocks]) if by_query else None
    return [_join(parts, places) for parts in zip(*(of_block for _, of_block in blocks))]


def _join(parts: Sequence[Evaluated], places: np.ndarray | None) -> Evaluated:
    """Join the values that one metric has in several blocks; put them in place if those are known."""
    values = np.concatenate([values for values, _ in parts], axis=1)
    if places is not None:
        arranged = np.empty_like(values)
        arranged[:, places] = values
        return arranged, None
    if all(counts is None for _, counts in parts):
        return values, None
    times = [np.ones(each.shape[1], dtype=int) if counts is None else counts for each, counts in parts]
    return values, np.concatenate(times)


def _evaluate(block: Block, asked: Asked, by_query: bool) -> Evaluated:
    """Compute one metric of one block; values, or numerators and denominators for a micro average."""
    request, bound, micro = asked
    distinct = block.distinct(bound["min_relevance"]) if request.metric.binary else None
    numerators, denominators, defined = request.metric.formula(distinct.block if distinct else block, **bound)
    if micro:  # a query without a value counts as if it had that of `zero_division`, or not
        otherwise = 0 if np.isnan(request.zero_division) else request.zero_division * denominators
        numerators = np.where(defined, numerators, otherwise)
        denominators = np.where(defined | ~np.isnan(request.zero_division), denominators, 0)
        values = np.stack(np.broadcast_arrays(numerators, denominators))
    else:
        values = _divide(numerators, denominators, defined, request.zero_division)[None]
    if distinct is None:
        return values, None
    return (distinct.of_each(values), None) if by_query else (values, distinct.counts)


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
        options = check_options(function, **params, zero_division=zero_division)
        if metric.needs_k and options["k"] is None:
            fail("k", function, "be an int >= 1", None)
        if options.get("denominator") == "hits" and ties in ("best", "worst"):
            rule = "be 'average' or 'order' with denominator='hits': more hits may lower that value"
            fail("ties", function, rule, repr(ties))
        if options.get("weighted_by") == "relevant" and (own_average or average) != "weighted":
            rule = "be 'rows' unless average='weighted': it says by what that weights"
            fail("weighted_by", function, rule, "'relevant'")
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
    bound = {name: value for name, value in params.items() if name != "weighted_by"}  # of the average alone
    labels, longest = opened.labels, int(opened.queries.lengths.max())
    if "max_grade" in bound:
        max_grade = bound.pop("max_grade")
        bound["stop"] = bind_stop(bound.pop("gain"), max_grade, labels, opened.highest, function)
    if "gain" in bound:
        bound["gain"] = bind_gain(bound["gain"], labels, opened.highest, function)
    if "discount" in bound:
        n_ranks = min(longest, bound["k"] or longest)
        bound["discount"] = bind_discount(bound["discount"], n_ranks, function)
    return bound


def _divide(
    numerators: np.ndarray,
    denominators: np.ndarray | int,
    defined: np.ndarray | Literal[True],
    zero_division: float,
) -> np.ndarray:
    """Value of each query; the one place where undefined queries get theirs."""
    if defined is True or defined.all():
        return numerators / denominators
    with np.errstate(divide="ignore", invalid="ignore"):
        values = numerators / denominators
    values[~defined] = zero_division
    return values
