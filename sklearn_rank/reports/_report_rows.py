"""Reports of rows, as by `evaluate`, of scored queries, and of moments of several systems."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks.errors import fail
from .._checks.missed import read_missed
from ..metrics import (
    Given,
    Request,
    ScoredQueries,
    Tables,
    check_kept,
    conclude_lists,
    leave_out_units,
    request_metrics,
    score_queries,
)
from ._intervals import Settings, Wanted, check_settings, summarize_moments
from ._report import RankingReport
from ._reported_queries import OfSystem, PairsByName, list_names


def report_rows(given: Given, tables: Tables, wanted: Wanted) -> RankingReport:
    """Score the queries of rows, with all inputs of the metrics, and report them."""
    check_settings(wanted.settings)
    requests = request_metrics(wanted.metrics, wanted.options, given, tables)
    check_reported(requests)
    of_rows = wanted.options["min_relevance"], wanted.cluster, wanted.n_jobs
    found = score_queries(requests, given, *of_rows, tables)
    report = report_queries(found, wanted.settings)
    report._add_lists(
        conclude_lists(requests, found.counts), leave_out_units(requests, found.counts, report.clusters)
    )
    report.n_without_rows = count_without_rows(given.missed, report.ids)
    return report


def count_without_rows(missed: object, ids: np.ndarray | None) -> int:
    """Count the queries of `missed` that are not among the queries of a report."""
    found = read_missed(missed)
    return 0 if found is None or ids is None else len(found.ids) - len(np.unique(found.find(ids)[1]))


def check_reported(requests: Sequence[Request]) -> None:
    """Check that all metrics have values of queries, whose means can be reported."""
    check_kept(request for request in requests if request.metric.needs)
    if not any(request.metric.per_query for request in requests):
        fix = "For metrics over all queries together, call ranking_scores(..., metrics=[...])."
        got = list_names([request.name for request in requests])
        fail("metrics", "contain a metric that has a value per query", got, fix)


def report_queries(found: ScoredQueries, settings: Settings) -> RankingReport:
    """Report scored queries, in any order."""
    return RankingReport.from_values(
        found.ids,
        found.metrics,
        sizes=found.sizes,
        n_relevant=found.n_relevant,
        cluster=found.clusters,
        label_fingerprints=found.labels,
        **settings._asdict(),
    )


def report_moments(found: Mapping[str, Sequence[Any]], settings: Settings) -> RankingReport:
    """Report the moments of metrics, with their binary counts and options."""
    summaries = {name: summarize_moments(name, settings, *each) for name, each in found.items()}
    return RankingReport(summaries, settings)


def relate_reports(reports: Mapping[Any, RankingReport], pairs: PairsByName) -> None:
    """Attach the paired moments of each two systems, if any, to their reports."""
    for system, report in reports.items():
        report._of_system = OfSystem(system, pairs, report.standard_error) if pairs else None
