"""Evaluation of formulas: rows are read and sorted once, and values are averaged in one place."""

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .._checks import Default
from .._checks.errors import fail
from .._checks.missed import Missed, reject_missed
from .._checks.options import check_jobs, count_jobs
from .._checks.rows import DROP_ROWS
from .._checks.types import Arguments, Ids, Labels, Options, Scores, Table, Values, Weights
from .._engine.blocks import map_blocks, open_threads
from .._engine.prepared import SMALL_INPUT, PreparedRows
from .._engine.ranked import Block
from ._average import LOWER, OWN_NAME, Counts, MetricValues
from ._gains_and_discounts import bind_discount, bind_gain, bind_stop, check_max_grade, needs_scale
from ._label_warnings import caution
from ._prepared_input import Opened, open_labels, open_rows
from ._table import (
    ARGUMENTS,
    DATA,
    NAMED,
    NEED_ALL,
    Given,
    Metric,
    Ratio,
    Reader,
    Request,
    Rules,
    Tables,
    find_label_rules,
    keep_label_metrics,
    request_metric,
)


def compute_call(
    metric: Metric,
    y_true: Labels,
    y_score: Scores,
    groups: Ids,
    sample_weight: Weights,
    missed: object = None,
    *,
    average: str | None,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float = 0.0,
    **params: object,
) -> Scores:
    """Compute one metric from the arguments of its public function."""
    request = request_metric(metric, ties, unjudged, average, zero_division, **params)
    given = Given(y_true, y_score, groups, sample_weight, missed)
    opened = open_rows(given, find_label_rules([request]))
    (values,) = compute_values([request], opened)
    score = collect_values(request, values, opened.rows, kept=False).mean()
    caution(opened, [request], [score])
    return score


def compute_many(
    requests: Sequence[Request], given: Given, n_jobs: int | None = None, tables: Tables | None = None
) -> Options:
    """Compute checked metrics from rows that are checked and sorted once."""
    if n_jobs is not None:
        check_jobs(n_jobs)
    found: Options = {}
    for same, rows in split_labels(requests, given):
        plain = keep_label_metrics(same)
        if plain or rows is given:  # labels are checked even if no metric needs them
            opened = open_rows(rows, find_label_rules(plain))
            scores = score_opened(plain, opened, n_jobs)
            if plain:
                caution(opened, plain, scores)
            found |= {request.name: score for request, score in zip(plain, scores)}
        if len(plain) < len(same):
            values, counts = score_with_inputs(same, rows, tables or Tables())
            found |= {name: each.mean() for name, each in values.items()}
            found |= conclude_lists(same, counts)
    return {request.name: found[request.name] for request in requests}


def split_labels(requests: Sequence[Request], given: Given) -> list[tuple[list[Request], Given]]:
    """Group requests by their labels; the first ones use `y_true`."""
    parts = [([each for each in requests if each.column is None], given)]
    for column in dict.fromkeys(request.column for request in requests if request.column is not None):
        reject_missed(given.missed, "labels=")
        same = [each for each in requests if each.column == column]
        parts.append((same, given._replace(y_true=given.labels[column])))
    return parts


def compute_with_inputs(
    metric: Metric, /, y_score: Scores, groups: Ids, sample_weight: Weights = None, **arguments: object
) -> Scores:
    """Compute a metric with other inputs than labels and scores, from the arguments of its function."""
    needs = [need for need in (*metric.needs, "intent_weight") if ARGUMENTS[need] in DATA]
    tables = Tables(**{need: arguments.pop(ARGUMENTS[need], None) for need in needs})
    given = Given(arguments.pop("y_true", None), y_score, groups, sample_weight)
    checked = metric.checked(arguments)
    rows = metric.reader(given, tables, ARGUMENTS)
    rules = Rules(average=checked.get("average"), zero_division=checked.get("zero_division", np.nan))
    request = Request(metric.stem, metric, {name: checked[name] for name in metric.params}, rules)
    found = _score(request, rows)
    return _conclude(request, found) if isinstance(found, Counts) else found.mean()


def score_with_inputs(
    requests: Sequence[Request], given: Given, tables: Tables
) -> tuple[dict[str, MetricValues], dict[str, Counts]]:
    """Compute metrics with other inputs than labels and scores; metrics with the same reader share rows."""
    tables = tables._replace(labels=given.y_true)
    opened: dict[Reader, Any] = {}
    values, counts = {}, {}
    for request in requests:
        if not request.metric.needs:
            continue
        reader = request.metric.reader
        if reader not in opened:
            opened[reader] = reader(given, tables, NAMED)
        found = _score(request, opened[reader])
        if isinstance(found, Counts):
            counts[request.name] = found
        else:
            values[request.name] = found
    return values, counts


def _score(request: Request, rows: Table) -> MetricValues | Counts:
    """Compute a metric with other inputs than labels and scores, from opened rows."""
    found: Values = request.metric.formula(rows, **request.params)
    if isinstance(found, Counts):
        return found
    (values,) = as_values(found, float(request.rules.zero_division))
    return collect_values(request, np.array([values, np.broadcast_to(found.defined, values.shape)]), rows)


def conclude_lists(requests: Sequence[Request], found: Arguments) -> dict[str, float]:
    """Return the values of the metrics of all queries together, from their counts."""
    requests = [request for request in requests if not request.metric.per_query]
    return {request.name: _conclude(request, found[request.name]) for request in requests}


def leave_out_units(
    requests: Sequence[Request], found: Arguments, clusters: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Return the values of metrics of all queries together without each query, or without each cluster.

    Clusters are numbers from 0, in the order of the query ids. Only metrics with a `leave_out` are returned.
    """
    values = {}
    for request in requests:
        if request.metric.leave_out is not None:
            counts = found[request.name]
            without = request.metric.leave_out(counts, counts.rows.of_units(clusters), **request.params)
            values[request.name] = request.sign * without
    return values


def _conclude(request: Request, counts: Counts) -> float:
    """Return the value of one metric of all queries together, from its counts."""
    conclude: Any = request.metric.conclude
    return float(request.sign * conclude(counts, **request.params))


def score_opened(requests: Sequence[Request], opened: Opened, n_jobs: int | None = None) -> list[Scores]:
    """Compute checked metrics of opened rows."""
    pairs = zip(requests, compute_values(requests, opened, n_jobs))
    return [collect_values(request, each, opened.rows, kept=False).mean() for request, each in pairs]


def check_labels(requests: Sequence[Request], y_true: Labels) -> None:
    """Raise the errors that checked metrics raise for labels, whatever the scores and ids are."""
    rows = open_labels(y_true, np.arange(len(y_true)), find_label_rules(requests))
    for request in requests:
        # Discounts depend on ranks, not on labels.
        params = {name: value for name, value in request.params.items() if name != "discount"}
        bind(params, rows.under(request.labels))


def _list_passes(requests: Sequence[Request], opened: Opened) -> list[tuple[list[int], Opened]]:
    """Group the metrics that share labels, scores and a tie rule; each group is sorted once."""
    passes: dict[tuple[int, str, str], tuple[list[int], Opened]] = {}
    for place, request in enumerate(requests):
        data = opened.under(request.labels)
        # If no label is missing, all rules return the same array.
        key = id(data.rows.labels), request.rules.ties, request.scores
        passes.setdefault(key, ([], data))[0].append(place)
    return [(places, data.with_scores(requests[places[0]].scores)) for places, data in passes.values()]


def compute_values(
    requests: Sequence[Request], opened: Opened, n_jobs: int | None = None, marked: bool = False
) -> list[np.ndarray]:
    """Compute checked metrics of all queries in blocks: one row each, or two for a micro average.

    If `marked`, one more row marks where the metric is defined, and the queries keep their order.
    """
    for request in requests:
        check_score_values(request, opened)
        name = request.name or request.metric.name
        check_depth(name, request.metric.stem, request.params.get("k"), opened.rows)
    found: dict[int, np.ndarray] = {}
    for places, data in _list_passes(requests, opened):
        columns = [_bind_column(requests[place], data.rows, marked) for place in places]
        most = len(data.scores.values) // SMALL_INPUT
        with open_threads(1 if most < 2 else min(count_jobs(n_jobs), most)) as each:
            ties, fill = requests[places[0]].rules.ties, partial(_fill, columns, marked)
            deque(map_blocks(fill, data.rows, data.scores, ties, each=each), maxlen=0)
        found |= zip(places, (values for values, *_ in columns))
    return [found[place] for place in range(len(requests))]


# The array for the values of a metric, the metric, its parameters, and whether the values are in the order of
# the queries; otherwise, they are in the order of the blocks.
_Column = tuple[np.ndarray, Request, Arguments, bool]


def _bind_column(request: Request, rows: PreparedRows, marked: bool) -> _Column:
    """Return the array for the values of a metric, with its parameters and the order."""
    given, average = request.params, request.rules.average
    if request.highest is not None and needs_scale(given):
        given = {**given, "max_grade": max(request.highest, rows.highest)}
    params = bind(given, rows)
    # Sums are exact, so without weights the order of the queries has no effect.
    in_order = marked or rows.weights is not None or average not in ("macro", "micro", "geometric")
    values = np.empty((1 + (average == "micro") + marked, len(rows.queries.lengths)))
    return values, request, params, in_order


def _fill(columns: Sequence[_Column], marked: bool, block: Block) -> None:
    """Compute the values of the queries of a block, and write them into the columns."""
    for values, request, params, in_order in columns:
        ratio = request.metric.formula(block, **params)
        settle = _as_sums if request.rules.average == "micro" else as_values
        found = settle(ratio, request.rules.zero_division)
        if marked:
            found = *found, np.broadcast_to(ratio.defined, found[0].shape)
        where = block.members if in_order else block.places
        for of_all, of_block in zip(values, found):
            of_all[where] = of_block


def as_values(ratio: Ratio, zero_division: float) -> tuple[np.ndarray]:
    """Return the value of each query; undefined queries get `zero_division`."""
    numerators, denominators, defined = ratio
    if defined is True or np.count_nonzero(defined) == np.size(defined):
        return (numerators / denominators,)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.where(defined, numerators / denominators, zero_division),)


def _as_sums(ratio: Ratio, zero_division: float) -> Sequence[np.ndarray]:
    """Return numerators and denominators; undefined queries count as `zero_division`; nan excludes them."""
    numerators, denominators, defined = ratio
    is_left_out = np.isnan(zero_division)
    numerators = np.where(defined, numerators, 0 if is_left_out else zero_division * denominators)
    return numerators, np.where(defined | ~is_left_out, denominators, 0)


def collect_values(request: Request, computed: np.ndarray, rows: Table, kept: bool = True) -> MetricValues:
    """Return the computed values of one metric, and everything that its mean depends on.

    If `kept`, queries are in the order of their ids, and the last row of `computed` marks the defined ones.
    """
    rules, sign = request.rules, request.sign
    values, weights, otherwise = computed[0], rows.weights, rules.zero_division
    if rules.average == "weighted":
        by_relevant = request.params.get("weighted_by") == "relevant"
        sizes = count_relevant(rows, request.params["min_relevance"]) if by_relevant else rows.queries.lengths
        weights = sizes if weights is None else weights * sizes
    if sign < 0:
        values, otherwise = -values, -otherwise
    if not kept:
        values = rows.queries.by_id(values) if rules.average is None else values
        sums = (values, computed[1]) if rules.average == "micro" else None
        return MetricValues(values, weights, sums, otherwise=otherwise, average=rules.average)
    arrange = rows.queries.by_id
    values, weights = arrange(values), None if weights is None else arrange(weights)
    marks, options = computed[-1] > 0, describe(request)
    defined = None if marks.all() else arrange(marks)
    if rules.average != "micro":
        return MetricValues(values, weights, None, defined, options=options, average=rules.average)
    sums = values, arrange(computed[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(True if defined is None else defined, values / sums[1], otherwise)
    return MetricValues(values, weights, sums, defined, otherwise, options)


def describe(request: Request) -> tuple[str, ...]:
    """Return the options of a metric as text: functions by their names, mappings in full."""
    rules = {name: value for name, value in request.rules._asdict().items() if name not in request.params}
    own = [f"{OWN_NAME}{request.own_name}"] if request.own_name else []
    own += [f"{LOWER}False"] if "score_func" in request.params else []  # as scorers
    own += [f"labels={request.column}"] if request.column else []
    return (*own, *(f"{name}={_write(value)}" for name, value in {**request.params, **rules}.items()))


def _write(value: object) -> str:
    value = float(value) if isinstance(value, Default) else value
    return repr(dict(value.items()) if hasattr(value, "items") else getattr(value, "__name__", value))


def count_relevant(rows: PreparedRows, min_relevance: float) -> np.ndarray:
    """Count the relevant documents of each query."""
    relevant = rows.labels >= float(min_relevance)  # some types of arrays reject a fraction
    in_order = relevant if rows.queries.rows is None else relevant[rows.queries.rows]
    return np.add.reduceat(in_order, rows.queries.firsts, dtype=np.int64)


def check_score_values(request: Request, opened: Opened) -> None:
    """Check that scores are exact and finite if the metric calculates with them."""
    scores, calculated = opened.scores, request.metric.uses_scores
    if calculated and opened.rows.n_missed:
        reject_missed(f"{opened.rows.n_missed} labels", "the values of scores")
    if scores.are_ranks and (calculated or request.scores == "float32"):
        fix = f"{request.metric.name} is computed from the values of the scores."
        fix = f"{request.name!r} rounds them to float32." if request.scores == "float32" else fix
        fail("y_score", "be exactly representable in float64", "larger or more precise numbers", fix)
    if calculated and not np.isfinite([scores.lowest, scores.highest]).all():
        fix = f"{request.metric.name} is computed from values of scores. {DROP_ROWS.format('y_score')}"
        fail("y_score", "be finite", scores.values[~np.isfinite(scores.values)][0], fix)


def check_depth(name: str, stem: str, k: int | None, rows: PreparedRows | Missed) -> None:
    """Check the documents that a metric needs by the name, the row of the table and the cutoff."""
    depth = rows.depth
    if depth is None:
        return
    got = f"lists cut at {depth} documents"
    if stem in NEED_ALL:
        fail("missed", f"be None for {name}, which needs all documents", got, "Pass rows of all documents.")
    if k is not None and k > depth:
        fail("missed", f"have lists of at least k={k} documents", got, f"Pass k={depth} or less.")
    if k is None and rows.n_items is not None and rows.n_items > depth:
        fail("missed", f"be None for {name} without a cutoff", got, f"Pass k={depth} or less.")


def bind(params: Arguments, rows: PreparedRows) -> Options:
    """Convert gain and discount to the functions and arrays that formulas use."""
    bound = {name: value for name, value in params.items() if name != "weighted_by"}  # of the average
    if bound.pop("signed", False) and "min_relevance" in bound:
        bound["min_relevance"] = None  # labels count as they are
    if "max_grade" in bound and "gain" not in bound:
        check_max_grade(bound["max_grade"], rows)
    elif "max_grade" in bound:
        bound["stop"] = bind_stop(bound.pop("gain"), bound.pop("max_grade"), rows)
    if "gain" in bound:
        bound["gain"] = bind_gain(bound["gain"], rows)
    if "discount" in bound:
        longest = bound["k"] if bound.get("ideal") == "full" else rows.longest
        bound["discount"] = bind_discount(bound["discount"], min(longest, bound["k"] or longest))
    return bound
