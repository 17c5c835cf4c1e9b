"""Names of metrics of lists beside others in one call: "novelty@10" with the items and the popularity."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_list
from .._checks.errors import fail
from .._checks.options import check_jobs, check_options
from ._by_query import MetricValues
from ._compute import compute_many, divide
from ._list_rows import ListRows, Tables, check_list_options
from ._list_table import LIST_METRICS, ListMetric
from ._names import NAME, build_requests, read_said
from ._opened import open_rows
from ._requests import Given, Request, find_label_rules

NAMED = {name: name for name in Tables._fields} | {"labels": "y_true"}  # the arguments of such a call
SHARED = ("ties", "min_relevance")  # options of the call that metrics of lists take


class ListRequest(NamedTuple):
    """One metric of lists that is asked for."""

    name: str
    metric: ListMetric
    params: Mapping[str, Any]
    rules: Mapping[str, Any]  # `average` and `zero_division`
    sign: float


class Asked(NamedTuple):
    """Metrics that are asked for in one call."""

    names: list[str]
    of_rows: list[Request]
    of_lists: list[ListRequest]

    def order(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was found in the order of the names."""
        return {name: found[name] for name in self.names if name in found}


def ask(function: str, metrics: Any, options: Mapping[str, Any], given: Given, tables: Tables) -> Asked:
    """Part names of lists from others; check that each has what it needs, and that all given is needed."""
    names = read_list(metrics, "metrics", function, "be a list of names such as ['ndcg@10', 'novelty@10']")
    if len(set(map(str, names))) < len(names):
        fail("metrics", function, "be a list of names, each once", repr(names))
    rows = [(name, find_list_metric(name)) for name in names]
    others = [name for name, metric in rows if metric is None]
    of_rows = build_requests(function, others, options) if others or not names else []
    if not of_rows:
        check_options(
            function, **{key: options[key] for key in ("gain", "discount", "min_relevance", "unjudged")}
        )
    of_lists = [_ask_list(name, metric, function, options) for name, metric in rows if metric is not None]
    available = tables.given()
    needed: set[str] = {"labels"}
    for request in of_lists:
        needed.update(request.metric.needs)
        missing = [need for need in request.metric.needs if need not in (*available, "labels")]
        if missing:
            fail(missing[0], function, f"be given: {request.name!r} needs it", None)
        if not request.metric.per_query and given.sample_weight is not None:
            rule = f"be None with {request.name!r}, which is of all lists together and no mean over queries"
            fail("sample_weight", function, rule, f"a {type(given.sample_weight).__name__}")
    for name in available:
        if name not in needed:
            rule = f"be None, or be what a name in 'metrics' needs: {', '.join(_list_needing(name))}"
            fail(name, function, rule, f"a {type(available[name]).__name__}, which none of {names} needs")
    return Asked(names, of_rows, of_lists)


def _list_needing(table: str) -> list[str]:
    """List the metrics that need something."""
    return [stem for stem, metric in LIST_METRICS.items() if table in metric.needs]


def find_list_metric(name: Any) -> ListMetric | None:
    """Find the row of the table that a name begins with, if it is one of lists."""
    stem = name.partition("@")[0].partition("(")[0].strip() if isinstance(name, str) else ""
    metric = LIST_METRICS.get(stem.removeprefix("neg_"))
    return None if metric is None or (stem.startswith("neg_") and metric.greater_is_better) else metric


def _ask_list(name: str, metric: ListMetric, function: str, options: Mapping[str, Any]) -> ListRequest:
    """Build the request of one name: what it says goes before the options of the call, before defaults."""
    match = NAME.fullmatch(name)
    if match is None:
        stem = metric.stem
        rule = f"read as {stem}, or {stem}@10 for a cutoff, an int >= 1, with parameters as (name=value)"
        fail("metrics", function, rule, repr(name))
    said = read_said(match, metric, function, "metrics")
    shared = {key: options[key] for key in SHARED if key in options}
    params = {key: {**shared, **said}.get(key, metric.defaults[key]) for key in metric.params}
    asked = {key: {**options, **said}.get(key) for key in ("average", "zero_division")}
    if asked["zero_division"] is None:
        asked["zero_division"] = metric.defaults.get("zero_division", np.nan)
    params = check_list_options(metric, function, params, asked)
    return ListRequest(name, metric, params, asked, -1.0 if name.startswith("neg_") else 1.0)


def score_lists(
    function: str, requests: Sequence[ListRequest], given: Given, tables: Tables
) -> dict[str, MetricValues | float]:
    """Compute metrics of lists of rows that are opened once: of each query, or one number of all."""
    rows = ListRows(function, given, tables._replace(labels=given.y_true), NAMED)
    return {request.name: _score(request, rows) for request in requests}


def _score(request: ListRequest, rows: ListRows) -> MetricValues | float:
    """Compute one metric."""
    found: Any = request.metric.formula(rows, **request.params)
    if not request.metric.per_query:
        return float(request.sign * found)
    (values,) = divide(found, float(request.rules["zero_division"]))
    weights, by_id = rows.weights, rows.queries.by_id
    if request.rules["average"] == "weighted":
        weights = rows.queries.lengths if weights is None else weights * rows.queries.lengths
    defined = np.broadcast_to(found.defined, values.shape)
    marked = None if defined.all() else by_id(defined)
    options = tuple(f"{name}={value!r}" for name, value in {**request.params, **request.rules}.items())
    weights = None if weights is None else by_id(weights)
    return MetricValues(by_id(request.sign * values), weights, None, marked, options=options)


def score_with_lists(
    function: str,
    metrics: Any,
    options: Mapping[str, Any],
    given: Given,
    tables: Tables,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Compute metrics of labels and scores, and of lists, by name: the body of `ranking_scores`."""
    asked = ask(function, metrics, options, given, tables)
    if asked.of_rows:
        scores = compute_many(function, asked.of_rows, given, n_jobs)
    else:
        scores = {}
        if n_jobs is not None:
            check_jobs(n_jobs, function)
        open_rows(function, given, find_label_rules([]))  # labels that nothing needs are labels all the same
    found = score_lists(function, asked.of_lists, given, tables)
    for request in asked.of_lists:
        each = found[request.name]
        if isinstance(each, MetricValues):
            scores[request.name] = each.values if request.rules["average"] is None else each.mean(function)
        else:
            scores[request.name] = each
    return asked.order(scores)
