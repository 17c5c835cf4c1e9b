"""Names of metrics of more than labels and scores: "novelty@10" with items, "alpha_ndcg@10" with intents."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_list
from .._checks.errors import fail
from .._checks.options import check_jobs, check_options, is_one_of
from ._average import geometric_mean
from ._beside_table import BESIDE_METRICS, NAMED, BesideMetric, Door, Options, Tables
from ._by_query import MetricValues
from ._compute import compute_many, divide
from ._counts import Counts
from ._inferred.formula import bind_strata
from ._names import NAME, build_requests, find_hints, read_said
from ._opened import open_rows
from ._requests import Given, Request, find_label_rules

SHARED = ("ties", "min_relevance", "unjudged")  # options of the call that such metrics take
RULES = ("average", "zero_division")


class BesideRequest(NamedTuple):
    """One such metric that is asked for."""

    name: str
    metric: BesideMetric
    params: Mapping[str, Any]
    rules: Mapping[str, Any]  # `average` and `zero_division`
    sign: float


class Asked(NamedTuple):
    """Metrics that are asked for in one call."""

    names: list[str]
    of_rows: list[Request]
    beside: list[BesideRequest]

    def order(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was found in the order of the names."""
        return {name: found[name] for name in self.names if name in found}


def ask(function: str, metrics: Any, options: Mapping[str, Any], given: Given, tables: Tables) -> Asked:
    """Part such names from others; check that each has what it needs, and that all given is needed."""
    asked = ask_names(function, metrics, options, tables.target)
    check_tables(function, asked, given, tables)
    if tables.strata is None:
        return asked
    return asked._replace(of_rows=bind_strata(function, asked.of_rows, tables.strata, given))


def ask_names(function: str, metrics: Any, options: Mapping[str, Any], target: Any = None) -> Asked:
    """Part such names from others, before any rows are there."""
    names = read_list(metrics, "metrics", function, "be a list of names such as ['ndcg@10', 'novelty@10']")
    if len(set(map(str, names))) < len(names):
        fail("metrics", function, "be a list of names, each once", repr(names))
    rows = [(name, find_beside_metric(name)) for name in names]
    others = [name for name, metric in rows if metric is None]
    of_rows = build_requests(function, others, options) if others or not names else []
    if not of_rows:
        check_options(
            function, **{key: options[key] for key in ("gain", "discount", "min_relevance", "unjudged")}
        )
    beside = [
        _build_request(name, metric, function, options, target) for name, metric in rows if metric is not None
    ]
    return Asked(names, of_rows, beside)


def check_tables(function: str, asked: Asked, given: Given, tables: Tables) -> None:
    """Check that each name has what it needs, and that all given is needed."""
    for request in asked.beside:
        for need in request.metric.needs:
            if need not in ("labels", "target") and getattr(tables, need) is None:
                fail(need, function, f"be given: {request.name!r} needs it", None)
        without_weights = not request.metric.per_query and "sample_weight" not in request.metric.defaults
        if without_weights and given.sample_weight is not None:
            rule = f"be None with {request.name!r}, which is of all lists together and no mean over queries"
            fail("sample_weight", function, rule, f"a {type(given.sample_weight).__name__}")
    needed = {need for request in asked.beside for need in request.metric.needs}
    for name, each in tables.given().items():
        if name not in needed and name != "strata":  # which metrics of rows need
            rule = f"be None, or be what a name in 'metrics' needs: {', '.join(_list_needing(name))}"
            fail(name, function, rule, f"a {type(each).__name__}, which none of {asked.names} needs")


def _list_needing(table: str) -> list[str]:
    """List the metrics that need something."""
    return [stem for stem, metric in BESIDE_METRICS.items() if table in metric.needs and metric.named]


def find_beside_metric(name: Any) -> BesideMetric | None:
    """Find the row of the table that a name begins with, if there is one."""
    stem = name.partition("@")[0].partition("(")[0].strip() if isinstance(name, str) else ""
    metric = BESIDE_METRICS.get(stem.removeprefix("neg_"))
    if metric is None or not metric.named or (stem.startswith("neg_") and metric.greater_is_better):
        return None
    return metric


def _build_request(
    name: str, metric: BesideMetric, function: str, options: Mapping[str, Any], target: Any
) -> BesideRequest:
    """Build the request of one name: what it says goes before the options of the call, before defaults."""
    match = NAME.fullmatch(name)
    if match is None or metric.cutoff == ("none" if match["k"] else "required"):
        from .._hints.metric_names import say_form

        stem = "neg_" * name.strip().startswith("neg_") + metric.stem
        rule = find_hints().explain_params(metric, name, function)
        fail("metrics", function, rule or say_form(metric, name, f"{stem}@10"), repr(name))
    said = read_said(match, metric, function, "metrics")
    if "target" in metric.needs and target is None and "target" not in said:
        fail("target", function, f"be given: {name!r} needs it", None)
    shared = {key: options[key] for key in SHARED} | {"target": target}
    params = {key: {**shared, **said}.get(key, metric.defaults[key]) for key in metric.params}
    if options["average"] is None:  # the values of queries, not the mean of the name
        said.pop("average", None)
    rules = _find_rules(name, metric, function, {**options, **said}) if metric.per_query else {}
    checked = metric.checked(function, {**params, **rules})
    params, rules = ({key: checked[key] for key in each} for each in (params, rules))
    return BesideRequest(name, metric, params, rules, -1.0 if name.startswith("neg_") else 1.0)


def _find_rules(name: str, metric: BesideMetric, function: str, asked: Options) -> Options:
    """Return how the values of queries are averaged."""
    rules = {key: asked.get(key) for key in RULES}
    if is_one_of(rules["average"], ("micro",)):
        alone = f"; {metric.name}(..., average='micro') is of all queries together" * metric.micro
        may_be = metric.list_averages()
        rule = f"be {may_be} with {name!r}, whose value is not a ratio of counts{alone}"
        fail("average", function, rule, "'micro'")
    if rules["zero_division"] is None:
        rules["zero_division"] = metric.defaults["zero_division"]
    return rules


def score_beside(
    function: str, requests: Sequence[BesideRequest], given: Given, tables: Tables
) -> dict[str, MetricValues | Counts]:
    """Compute such metrics of rows that are opened once for all that have the same door."""
    tables = tables._replace(labels=given.y_true)
    opened: dict[Door, Any] = {}
    found = {}
    for request in requests:
        door = request.metric.door
        if door not in opened:
            opened[door] = door(function, given, tables, NAMED)
        found[request.name] = _score(request, opened[door])
    return found


def _score(request: BesideRequest, rows: Any) -> MetricValues | Counts:
    """Compute one metric."""
    found: Any = request.metric.formula(rows, **request.params)
    if isinstance(found, Counts):
        return found
    (values,) = divide(found, float(request.rules["zero_division"]))
    weights, by_id = rows.weights, rows.queries.by_id
    if request.rules["average"] == "weighted":
        weights = rows.queries.lengths if weights is None else weights * rows.queries.lengths
    defined = np.broadcast_to(found.defined, values.shape)
    marked = None if defined.all() else by_id(defined)
    options = tuple(map(_write, *zip(*{**request.params, **request.rules}.items())))
    weights = None if weights is None else by_id(weights)
    return MetricValues(by_id(request.sign * values), weights, None, marked, options=options)


def conclude_lists(
    function: str, requests: Sequence[BesideRequest], found: Mapping[str, Any]
) -> dict[str, float]:
    """Return what is of all lists together, from its counts."""
    numbers = {}
    for request in requests:
        if request.metric.conclude is not None:
            number = request.metric.conclude(found[request.name], function, **request.params)
            numbers[request.name] = float(request.sign * number)
    return numbers


def _write(name: str, value: Any) -> str:
    """Write an option; a table as a whole, as that of pandas is printed in part."""
    return f"{name}={dict(value.items()) if hasattr(value, 'items') else value!r}"


def score_with_tables(
    function: str,
    metrics: Any,
    options: Mapping[str, Any],
    given: Given,
    tables: Tables,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Compute metrics of labels and scores, and of more, by name: the body of `ranking_scores`."""
    asked = ask(function, metrics, options, given, tables)
    if asked.of_rows:
        scores = compute_many(function, asked.of_rows, given, n_jobs)
    else:
        scores = {}
        if n_jobs is not None:
            check_jobs(n_jobs, function)
        open_rows(function, given, find_label_rules([]))  # labels that nothing needs are labels all the same
    found = score_beside(function, asked.beside, given, tables)
    for request in asked.beside:
        each = found[request.name]
        if isinstance(each, MetricValues):
            scores[request.name] = _average(function, request, each)
    return asked.order(scores | conclude_lists(function, asked.beside, found))


def _average(function: str, request: BesideRequest, each: MetricValues) -> Any:
    """Average the values of the queries."""
    average = request.rules["average"]
    if average == "geometric":
        return geometric_mean(each.values, each.weights, function)
    return each.values if average is None else each.mean(function)
