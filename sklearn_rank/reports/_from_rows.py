"""From rows to a report: the body of `evaluate`."""

from collections.abc import Mapping
from typing import Any

from .._checks.errors import fail
from ..metrics import (
    Asked,
    Given,
    MetricValues,
    ScoredQueries,
    Tables,
    ask,
    build_requests,
    check_kept,
    conclude_lists,
    score_beside,
    score_queries,
)
from ._intervals import Settings, Wanted, check_settings
from ._report import RankingReport
from ._summary import Moments, OfSystem, PairsByName, Spread, summarize_moments


def report_rows(function: str, given: Given, wanted: Wanted) -> RankingReport:
    """Score the queries of rows, and report them."""
    check_settings(wanted.settings, function)
    requests = build_requests(function, wanted.metrics, wanted.options)
    return report_queries(_score(function, requests, given, wanted), wanted.settings)


def report_beside(function: str, given: Given, tables: Tables, wanted: Wanted) -> RankingReport:
    """Score the queries of rows with what stands beside labels and scores, and report them."""
    check_settings(wanted.settings, function)
    asked = ask(function, wanted.metrics, wanted.options, given, tables)
    check_reported(function, asked)
    found = _score(function, asked.of_rows, given, wanted)
    beside = score_beside(function, asked.beside, given, tables)
    by_query = {name: each for name, each in beside.items() if isinstance(each, MetricValues)}
    found = found._replace(metrics=asked.order({**found.metrics, **by_query}))
    report = report_queries(found, wanted.settings)
    report.of_lists = conclude_lists(function, asked.beside, beside)
    return report


def _score(function: str, requests: Any, given: Given, wanted: Wanted) -> ScoredQueries:
    """Score the queries of rows."""
    min_relevance = wanted.options["min_relevance"]
    return score_queries(function, requests, given, min_relevance, wanted.cluster, wanted.n_jobs)


def check_reported(function: str, asked: Asked) -> None:
    """Check that a report can be made: of values of queries, whose means are reported."""
    check_kept([request.rules.average for request in asked.beside], function)
    if not (asked.of_rows or any(request.metric.per_query for request in asked.beside)):
        rule = "hold a metric that has a value per query; ranking_scores takes those of all lists together"
        fail("metrics", function, rule, repr(asked.names))


def report_queries(found: ScoredQueries, settings: Settings) -> RankingReport:
    """Report scored queries, in any order."""
    return RankingReport.from_values(
        found.ids,
        found.metrics,
        sizes=found.sizes,
        n_relevant=found.n_relevant,
        clusters=found.clusters,
        **settings._asdict(),
    )


def report_moments(found: Mapping[str, tuple[Moments, Spread]], settings: Settings) -> RankingReport:
    """Report moments of values of which more is known than `RankingReport.from_moments` asks for."""
    summaries = {
        name: summarize_moments(name, moments, settings, spread) for name, (moments, spread) in found.items()
    }
    return RankingReport(summaries, settings)


def relate_reports(reports: Mapping[Any, RankingReport], pairs: PairsByName) -> None:
    """Let reports of moments, by system, know what is known of each two of them, if anything is."""
    for system, report in reports.items():
        report._of_system = OfSystem(system, pairs) if pairs else None
