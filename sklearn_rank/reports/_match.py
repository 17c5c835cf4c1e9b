"""Matching of reports by query id, and facts from their fingerprints: other labels and tied scores."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_list
from .._checks.errors import fail
from .._checks.groups import number_ids
from .._checks.types import Arguments
from ._model_labels import LabelSets, match_labels
from ._report import RankingReport
from ._reported_queries import SHOWN, OfSystem, QueryValues, check_metrics, check_same, list_names, show
from ._system_names import sort_naturally
from ._tables import count_queries
from ._traits import Traits, find_traits

ON_SAME = "Evaluate both on the same documents, or pass check_labels=False."


class Matched(NamedTuple):
    """Systems on the same queries, in the same order."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    n_queries: int
    n_dropped: int  # queries that are missing in some system
    queries: dict[str, QueryValues]  # by system; empty if there are only moments
    moments: dict[str, OfSystem]  # by system; empty if there are queries
    traits: dict[str, Traits]  # by metric
    list_metrics: tuple[str, ...] = ()  # metrics over all queries together, which are not compared
    labels: Mapping[str, LabelSets] = {}  # by system, if a model labeled queries too
    paired: bool = True  # whether the systems are compared on the same queries
    other_labels: Sequence[str] | None = ()  # systems whose labels differ; None if labels are unknown

    def count_units(self) -> list[int]:
        """Return the number of queries, or of clusters, of each system."""
        of_systems = self.queries.values()
        return [len(each.ids if each.clusters is None else np.unique(each.clusters)) for each in of_systems]

    @property
    def unit(self) -> tuple[str, str]:
        """Return the name of a unit, and of several."""
        return ("query", "queries") if self.clusters is None else ("cluster", "clusters")

    @property
    def clusters(self) -> np.ndarray | None:
        """Return the cluster of each query."""
        return next((each.clusters for each in self.queries.values()), None)


def match_reports(reports: Any, metrics: object, missing: str, paired: bool = True) -> Matched:
    """Match reports by query id, or by the common origin of their moments, unless they are not paired."""
    is_dict = isinstance(reports, Mapping)
    if not is_dict or len(reports) < 2:
        got = ("0 reports", "1 report")[len(reports)] if is_dict else f"a {type(reports).__name__}"
        fix = 'Pass compare({"name_a": report_a, "name_b": report_b}).'
        fail("reports", "be a dict with at least two reports", got, fix)
    for name, report in reports.items():
        if not isinstance(name, str) or not isinstance(report, RankingReport):
            fix = "Make reports with evaluate, cross_val_report or RankingReport.from_values."
            fail("reports", "be a dict of names to reports", f"{show(name)}: {type(report).__name__}", fix)
    reports = sort_naturally(reports)
    of_values: dict[str, QueryValues] = {}
    if not (paired and all(report._queries is None for report in reports.values())):
        of_values = {name: report._need_values() for name, report in reports.items()}
        if metrics is not None:  # others too, with their jackknife values
            every = {name: each.metrics | reports[name]._list_metrics for name, each in of_values.items()}
            of_values = {name: each._replace(metrics=every[name]) for name, each in of_values.items()}
    of_metrics = {name: (of_values or reports)[name].metrics for name in reports}
    names = _find_metrics(of_metrics, metrics)
    n_queries = next(iter(reports.values())).n_queries
    left_out = {name for each in reports.values() for name in each.list_metrics if metrics is None}
    others = _find_traits(reports, names), tuple(sorted(left_out))
    matched = Matched(tuple(reports), names, n_queries, 0, of_values, {}, *others, paired=paired)
    if not paired:
        return _match_groups(reports, matched)
    return _match_queries(reports, matched, missing) if of_values else _match_moments(reports, matched)


def _match_moments(reports: Mapping[str, RankingReport], matched: Matched) -> Matched:
    """Check that moments were made together, from different systems."""
    found: dict[str, OfSystem] = {}
    for name, report in reports.items():
        of = report._of_system
        if of is None or not of.is_together(found.get(matched.systems[0], of)):
            others = [other for other in reports if other != name]
            got = f"{show(name)} made separately from {list_names(others, 2)}"
            fix = (
                "Pass the scores of all systems to one RankingEvaluator as a dict, or use keep_queries=True."
            )
            fail("reports", "be made by one RankingEvaluator if they contain only moments", got, fix)
        for other, each in found.items():
            if each.system == of.system:
                got = f"{show(of.system)} twice, as {show(other)} and {show(name)}"
                fail("reports", "be of different systems", got)
        found[name] = of
    return matched._replace(moments=found)


def _match_queries(reports: Mapping[str, RankingReport], matched: Matched, missing: str) -> Matched:
    """Match queries by id; check that folds, weights and clusters are the same."""
    places, n_dropped = _find_common({name: each.ids for name, each in matched.queries.items()}, missing)
    _check_users(reports, matched.metrics, n_dropped)
    queries = {name: each.take(places[name]) for name, each in matched.queries.items()}
    check_same(queries, matched.metrics)
    n_queries = len(places[matched.systems[0]])
    matched = matched._replace(queries=queries, n_queries=n_queries, n_dropped=n_dropped)
    return matched._replace(labels=_match_labels(reports, matched, missing))


def _match_labels(
    reports: Mapping[str, RankingReport], matched: Matched, missing: str
) -> dict[str, LabelSets]:
    """Match the queries labeled by a model, which all reports must have or none."""
    models = {name: each._label_sets.model for name, each in reports.items() if each._label_sets}
    if models and len(models) < len(reports):
        lacking = next(name for name in reports if name not in models)
        got = f"{show(next(iter(models)))} with and {show(lacking)} without"
        fix = "Call with_model_labels for each report."
        fail("reports", "all be combined with labels of a model, or none", got, fix)
    if not models:
        return {}
    places, _ = _find_common({name: each.ids for name, each in models.items()}, missing)
    models = {name: each.take(places[name]) for name, each in models.items()}
    check_same(models, matched.metrics)
    return {name: match_labels(matched.queries[name], each) for name, each in models.items()}


def _find_traits(reports: Mapping[str, RankingReport], metrics: Sequence[str]) -> dict[str, Traits]:
    """Return the range of each metric over all reports, and whether higher is better in all of them."""
    found = {}
    for metric in metrics:
        known = [report._summaries.get(metric) for report in reports.values()]
        each = [find_traits(metric) if summary is None else summary.traits for summary in known]
        low, high = min(of.lower for of in each), max(of.upper for of in each)
        up = all(of.greater_is_better for of in each)
        found[metric] = each[0]._replace(lower=low, upper=high, greater_is_better=up)
    return found


def _match_groups(reports: Mapping[str, RankingReport], matched: Matched) -> Matched:
    """Check that no query or cluster is in two reports."""
    if labeled := [name for name, each in reports.items() if each._label_sets]:
        fix = "Compare the reports of people alone."
        fail("reports", "have no model labels with paired=False", f"some in {show(labeled[0])}", fix)
    of_systems = matched.queries
    check_metrics(of_systems, matched.metrics)
    _check_users(reports, matched.metrics, 0)
    _check_apart({name: each.ids for name, each in of_systems.items()}, "query")
    clusters = {name: each.cluster_ids for name, each in of_systems.items() if each.cluster_ids is not None}
    if clusters and len(clusters) < len(of_systems):
        got = f"some in {list_names(list(clusters))}"
        fail("reports", "have clusters in all reports or in none", got)
    _check_apart(clusters, "cluster")
    return matched._replace(n_queries=sum(len(each.ids) for each in of_systems.values()))


def _check_users(reports: Mapping[str, RankingReport], metrics: Sequence[str], n_dropped: int) -> None:
    """Check that metrics over all queries together are of as many queries in all reports."""
    list_metrics = [name for name in metrics if name in next(iter(reports.values()))._list_metrics]
    sizes = {name: report.n_queries for name, report in reports.items()}
    if list_metrics and (n_dropped or len(set(sizes.values())) > 1):
        got = " and ".join(f"{n} in {show(name)}" for name, n in list(sizes.items())[:2])
        got += f"; {n_dropped} users are not in all reports" * (n_dropped > 0)
        fix = "Evaluate the users that are in all reports."
        if not n_dropped:
            fix = f"Evaluate a random sample of {min(sizes.values())} users of each."
        rule = f"have the same number of users for {show(list_metrics[0])}, which depends on it"
        fail("reports", rule, got, fix)


def _check_apart(by_system: Mapping[str, np.ndarray], unit: str) -> None:
    """Check that each unit is in one report only."""
    seen: dict[Any, str] = {}
    for name, ids in by_system.items():
        keys = number_ids(ids)
        if twice := [key for key in keys if key in seen]:
            got = f"{len(twice)} in both {show(seen[twice[0]])} and {show(name)} ({list_names(twice, SHOWN)})"
            fix = "Assign each user to one system. For systems on the same queries, pass paired=True."
            fail("reports", f"not have a {unit} in two reports with paired=False", got, fix)
        seen |= dict.fromkeys(keys, name)


def _find_metrics(by_system: Mapping[str, Arguments], metrics: object) -> tuple[str, ...]:
    """Return the requested metrics, or all, which must then be the same in all reports."""
    first = next(iter(by_system.values()))
    if metrics is None:
        for name, each in by_system.items():
            if set(each) != set(first):
                both = (next(iter(by_system)), first), (name, each)
                got = " and ".join(f"{show(of)} with {list_names(list(has), SHOWN)}" for of, has in both)
                shared = [each for each in first if all(each in list(of) for of in by_system.values())]
                fix = f"Pass the metrics to compare, such as metrics={shared[:1]!r}." if shared else ""
                fail("reports", "have the same metrics", got, fix)
        return tuple(first)
    rule = "be a non-empty list of metrics that are in all reports"
    names = read_list(metrics, "metrics", rule)
    if not names:
        fail("metrics", rule, names)
    for name, (system, each) in product(names, by_system.items()):
        if name not in list(each):
            fail("metrics", rule, f"{show(name)}, which is not in {show(system)}")
    return tuple(dict.fromkeys(names))


def _find_common(by_system: Mapping[str, np.ndarray], missing: str) -> tuple[dict[str, np.ndarray], int]:
    """Return the indices of the common ids, and the number of ids that are missing in some report."""
    first, *others = by_system.values()
    if all(np.array_equal(first, each) for each in others):
        return dict.fromkeys(by_system, np.arange(len(first))), 0
    places = {name: number_ids(ids) for name, ids in by_system.items()}
    every = dict.fromkeys(chain.from_iterable(places.values()))
    common = [id for id in every if all(id in each for each in places.values())]
    n_dropped = len(every) - len(common)
    if not common:
        examples = [f"{show(next(iter(each)))} in {show(name)}" for name, each in places.items()]
        fix = "Use the same ids in all reports: the number 1 is not equal to the text '1'. "
        fix += "For an A/B test of different users, pass paired=False."
        fail("reports", "have common query ids", f"ids such as {' and '.join(examples[:2])}", fix)
    if n_dropped and missing == "raise":
        system = next(name for name, each in places.items() if len(each) < len(every))
        lacking = [id for id in every if id not in places[system]]
        few = list_names(lacking, SHOWN)
        got = f"{len(lacking)} of {len(every)} queries missing in {show(system)} ({few})"
        fix = "To compare the common queries only, pass missing='drop'."
        fail("reports", "have the same queries", got, fix)
    return {name: np.array([each[id] for id in common]) for name, each in places.items()}, n_dropped


def find_other_labels(queries: Mapping[str, QueryValues], baseline: str | None) -> list[str] | None:
    """Return how the labels of reports differ from those of the baseline or the first; None if unknown.

    Labels of 0 and below can differ if lists contain only retrieved documents.
    """
    first = baseline or next(iter(queries))
    one = queries[first].labels
    if one is None or any(each.labels is None for each in queries.values()):
        return None
    facts = []
    for name, each in queries.items():
        other = each.labels
        assert other is not None
        compared = ["n_above", "hashes_above"]
        if not (one["is_retrieved"].any() or other["is_retrieved"].any()):
            compared += ["n", "hashes"]
        apart = np.any([one[each] != other[each] for each in compared], axis=0)
        if apart.any():
            of = f"{np.count_nonzero(apart):,} of {len(apart):,} queries"
            facts.append(f'"{name}" has other labels than "{first}" in {of}{_describe(one, other)}')
    return facts


def _describe(one: np.ndarray, other: np.ndarray) -> str:
    """Return what differs: the values of labels, or the number of documents with them."""
    ranges = [_write_range(each) for each in (other, one)]
    if ranges[0] != ranges[1]:
        return f" (labels {ranges[0]} against {ranges[1]})"
    apart = {field: other[field].sum(dtype=int) - one[field].sum(dtype=int) for field in ("n", "n_above")}
    changes = {"above 0": apart["n_above"], "with label 0": apart["n"] - apart["n_above"]}
    words = [f"{abs(n):,} {'more' if n > 0 else 'fewer'} {of}" for of, n in changes.items() if n]
    return f" ({', '.join(words)})" if words else ""


def _write_range(labels: np.ndarray) -> str:
    """Return the range of labels, such as "0, 1" or "0 to 3"."""
    low, high = labels["lowest"].min(), labels["highest"].max()
    return f"{low:g}" if low == high else f"{low:g}, {high:g}" if high == low + 1 else f"{low:g} to {high:g}"


def note_ties(queries: Mapping[str, QueryValues]) -> Iterator[str]:
    """Yield a note on models that give all documents of a query the same score, in most queries."""
    facts = []
    for name, each in queries.items():
        if each.labels is None:
            continue
        n, n_tied = int((each.labels["n"] > 1).sum()), int(each.labels["is_tied"].sum())
        if n_tied > n / 2:
            facts.append(f'{n_tied:,} of {count_queries(n)} of "{name}"')
    if facts:
        of = " and ".join(facts[:SHOWN])
        yield f"All scores are tied in {of}. The rule for ties determines these values."
