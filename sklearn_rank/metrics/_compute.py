"""From a formula to a score: one door, one sort and one aggregation for every metric."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from .._blocks import map_blocks
from .._layout import SMALL_INPUT
from .._options import check_jobs, check_needed_k, check_options
from .._ranked import Block
from .._rows import ANY_SIGN, NOT_NEGATIVE
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
    any_label: bool = False  # labels of any sign: their order counts, or what is between them
    binary: bool = False  # depends on nothing but which ranks hold relevant documents


class Request(NamedTuple):
    """One metric asked for: its parameters and the value of a query where it is undefined."""

    metric: Metric
    params: Mapping[str, Any]
    zero_division: float
    sign: float = 1.0  # -1 for a loss as a score
    how: Mapping[str, Any] = {}  # its own ties, unjudged and average, in place of those of all

    @property
    def labels(self) -> str:
        """Return which labels it is computed of: those that the rule `unjudged` leaves, or judged or not."""
        return "judgements" if self.metric.of_judgements else self.how["unjudged"]


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
    unjudged, label_rule = strictest_rule(checked), find_label_rule(checked)
    opened = open_rows(function, y_true, y_score, groups, sample_weight, unjudged, label_rule)
    scores = score_opened(function, checked, opened, n_jobs)
    warn_of_constants(function, opened, thresholds_of(checked), scores)
    cutoffs = {n: each.params["k"] for n, each in checked.items() if each.metric.name in COUNT_RETRIEVED}
    warn_of_short_lists(function, opened, cutoffs)
    return scores


def check_labels(function: str, requests: Mapping[str, Request], y_true: Any) -> None:
    """Raise what checked metrics raise for labels, with whatever scores and ids."""
    rows = np.arange(len(y_true))
    opened = open_rows(
        function, y_true, rows, rows, None, strictest_rule(requests), find_label_rule(requests)
    )
    for request in requests.values():
        params = {name: value for name, value in request.params.items() if name != "discount"}  # of ranks
        bind(params, opened.under(request.labels), function)


def strictest_rule(requests: Mapping[str, Request]) -> str:
    """Return the rule `unjudged` to open rows by: missing labels are refused if one metric refuses them."""
    rules = [request.labels for request in requests.values() if not request.metric.of_judgements]
    return "raise" if "raise" in rules else (*rules, "nonrelevant")[0]


def score_opened(
    function: str, requests: Mapping[str, Request], opened: Opened, n_jobs: int | None = None
) -> dict[str, Any]:
    """Compute checked metrics of checked rows."""
    _check_score_values(requests, opened, function)
    averages = {name: request.how["average"] for name, request in requests.items()}
    by_query = opened.weights is not None or not {"macro", "micro"}.issuperset(averages.values())
    computed: dict[str, Evaluated] = {}
    for data, ties, names in _list_passes(requests, opened):
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


def _list_passes(requests: Mapping[str, Request], opened: Opened) -> list[tuple[Opened, str, list[str]]]:
    """List labels, a rule of ties, and the names of the metrics that share both: they are sorted once."""
    rows = {labels: opened.under(labels) for labels in {request.labels for request in requests.values()}}
    passes: dict[tuple[int, str], tuple[Opened, str, list[str]]] = {}
    for name, request in requests.items():
        data, ties = rows[request.labels], request.how["ties"]
        # Where no label is missing all rules leave the same array.
        passes.setdefault((id(data.labels), ties), (data, ties, []))[2].append(name)
    return list(passes.values())


def thresholds_of(requests: Mapping[str, Request]) -> dict[str, tuple[float, str]]:
    """Return the min_relevance of each metric that has one, and of which labels."""
    return {
        name: (request.params["min_relevance"], request.labels)
        for name, request in requests.items()
        if "min_relevance" in request.params
    }


def find_label_rule(requests: Mapping[str, Request]) -> str:
    """Return the rule for labels: of any sign, or not negative, for which metric if not for all."""
    of_gains_or_classes = [name for name, request in requests.items() if not request.metric.any_label]
    if not of_gains_or_classes or len(of_gains_or_classes) == len(requests):
        return NOT_NEGATIVE if of_gains_or_classes else ANY_SIGN
    name = of_gains_or_classes[0]
    params = requests[name].params
    of_gains = ", which takes labels for gains"
    of_classes = ", to which documents are relevant from a label above 0 on"
    why = of_gains if "gain" in params else of_classes if "min_relevance" in params else ""
    return f"{NOT_NEGATIVE} for {name!r}{why}"


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
            map_blocks(
                evaluate,
                data.labels,
                data.scores,
                data.queries,
                ties,
                lowest=data.lowest,
                highest=data.highest,
                run=run,
            )
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
    of_all = check_options(function, ties=ties, average=average, unjudged=unjudged)
    checked = {}
    for name, (metric, params, zero_division, sign, own) in requests.items():
        how = {**of_all, **own}
        if how["average"] == "micro" and not metric.micro:
            rule = f"be 'macro', 'weighted' or None for {metric.name}, whose value is not a ratio of counts"
            fail("average", function, rule, "'micro'")
        if metric.needs_k:
            check_needed_k(params["k"], function)
        options = check_options(function, **params, zero_division=zero_division)
        if options.get("denominator") == "hits" and how["ties"] in ("best", "worst"):
            rule = "be 'average' or 'order' with denominator='hits': more hits may lower that value"
            fail("ties", function, rule, repr(how["ties"]))
        if options.get("weighted_by") == "relevant" and how["average"] != "weighted":
            rule = "be 'rows' unless average='weighted': it says by what that weights"
            fail("weighted_by", function, rule, "'relevant'")
        checked[name] = Request(metric, options, options.pop("zero_division"), sign, how)
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
    longest = int(opened.queries.lengths.max())
    rows = opened.labels, opened.highest, function, opened.n_columns
    if "max_grade" in bound:
        max_grade = bound.pop("max_grade")
        bound["stop"] = bind_stop(bound.pop("gain"), max_grade, *rows)
    if "gain" in bound:
        bound["gain"] = bind_gain(bound["gain"], *rows)
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
