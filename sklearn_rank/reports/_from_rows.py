"""From rows to a report: the body of `evaluate`."""

from collections.abc import Mapping, Sequence
from typing import Any

from .._checks.errors import fail
from ..metrics import (
    Given,
    Request,
    ScoredQueries,
    Tables,
    ask,
    check_kept,
    conclude_lists,
    score_queries,
)
from ._intervals import Settings, Wanted, check_settings
from ._report import RankingReport
from ._summary import Moments, OfSystem, PairsByName, Spread, summarize_moments


def report_rows(function: str, given: Given, wanted: Wanted, tables: Tables | None = None) -> RankingReport:
    """Score the queries of rows, with all inputs that metrics need, and report them."""
    check_settings(wanted.settings, function)
    requests = ask(function, wanted.metrics, wanted.options, given, tables or Tables())
    check_reported(function, requests)
    of_rows = wanted.options["min_relevance"], wanted.cluster, wanted.n_jobs
    found = score_queries(function, requests, given, *of_rows, tables)
    report = report_queries(found, wanted.settings)
    report.of_lists = conclude_lists(function, requests, found.counts)
    return report


def check_reported(function: str, requests: Sequence[Request]) -> None:
    """Check that a report can be made: of values of queries, whose means are reported."""
    check_kept([request.rules.average for request in requests if request.metric.needs], function)
    if not any(request.metric.per_query for request in requests):
        rule = "hold a metric that has a value per query; ranking_scores takes those of all lists together"
        fail("metrics", function, rule, repr([request.name for request in requests]))


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
