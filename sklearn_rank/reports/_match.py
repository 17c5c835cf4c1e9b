"""Matching of reports by query id, and their columns for paired tests."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, product
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from .._checks.arrays import read_list
from .._checks.errors import fail
from .._checks.groups import number_ids
from .._checks.types import Arguments
from ._equal import find_rounding
from ._intervals import RatioTerms, estimate, find_terms, sum_clusters
from ._model_labels import LabelSets, adjust_pair, match_labels
from ._paired_tests import PairedT, count_wins, t_test, t_test_of_errors, t_test_of_sums
from ._report import RankingReport
from ._reported_queries import OfSystem, QueryValues, check_metrics, check_same, list_names, show
from ._same_labels import check_users
from ._system_names import sort_naturally
from ._traits import Traits, find_traits

SHOWN = 3  # number of ids, metrics and options in errors
LEAST_FLIPPED = 10  # units; with fewer, flips of centered differences give too small p-values


class Matched(NamedTuple):
    """Systems on the same queries, in the same order."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    n_queries: int
    n_dropped: int  # queries that are missing in some system
    queries: dict[str, QueryValues]  # by system; empty if there are only moments
    moments: dict[str, OfSystem]  # by system; empty if there are queries
    traits: dict[str, Traits]  # by metric
    of_lists: tuple[str, ...] = ()  # metrics over all queries together, which are not compared
    labels: Mapping[str, LabelSets] = MappingProxyType({})  # by system, if a model labeled queries too
    paired: bool = True  # whether the systems are compared on the same queries
    errors: Mapping[tuple[str, str], float] = {}  # of the means of moments
    other_labels: Sequence[str] | None = ()  # systems whose labels differ; None if labels are unknown

    def count_units(self) -> list[int]:
        """Return the number of queries, or of clusters, of each system."""
        of_systems = self.queries.values()
        return [len(each.ids if each.clusters is None else np.unique(each.clusters)) for each in of_systems]

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
    if not paired:
        return _match_groups(reports, metrics)
    if all(report._queries is None for report in reports.values()):
        return _match_moments(reports, metrics)
    return _match_queries(reports, metrics, missing)


def _match_moments(reports: Mapping[str, RankingReport], metrics: object) -> Matched:
    """Check that moments were made together, from different systems."""
    names = _find_metrics({name: each.moments for name, each in reports.items()}, metrics)
    first = next(iter(reports))
    found: dict[str, OfSystem] = {}
    for name, report in reports.items():
        of = report._of_system
        if of is None or not of.is_together(found.get(first, of)):
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
    n_queries = reports[first].n_queries
    errors = {
        (metric, name): reports[name].standard_error[metric] for metric, name in product(names, reports)
    }
    traits = _find_traits(reports, names)
    return Matched(tuple(reports), names, n_queries, 0, {}, found, traits, errors=errors)


def _match_queries(reports: Mapping[str, RankingReport], metrics: object, missing: str) -> Matched:
    """Match queries by id; check that folds, weights and clusters are the same."""
    of_systems, names = _open_queries(reports, metrics)
    places, n_dropped = _find_common({name: each.ids for name, each in of_systems.items()}, missing)
    check_users(reports, names, n_dropped)
    matched = {name: each.take(places[name]) for name, each in of_systems.items()}
    check_same(matched, names)
    n_queries = len(next(iter(matched.values())).ids)
    of_lists = _find_left_out(reports, metrics)
    traits = _find_traits(reports, names)
    labels = _match_labels(reports, matched, names, missing)
    return Matched(tuple(matched), names, n_queries, n_dropped, matched, {}, traits, of_lists, labels)


def _match_labels(
    reports: Mapping[str, RankingReport],
    matched: Mapping[str, QueryValues],
    metrics: Sequence[str],
    missing: str,
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
    check_same(models, metrics)
    return {name: match_labels(matched[name], each) for name, each in models.items()}


def _open_queries(
    reports: Mapping[str, RankingReport], metrics: object
) -> tuple[dict[str, QueryValues], tuple[str, ...]]:
    """Return the queries of each report and the metrics to compare.

    If metrics are requested, they can be metrics over all queries together, by their jackknife values.
    """
    found = {}
    for name, report in reports.items():
        queries = report._need_values()
        of_lists = {} if metrics is None else report._of_lists
        found[name] = queries._replace(metrics={**queries.metrics, **of_lists})
    return found, _find_metrics({name: each.metrics for name, each in found.items()}, metrics)


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


def _find_left_out(reports: Mapping[str, RankingReport], metrics: object) -> tuple[str, ...]:
    """Return the metrics over all queries together, which are compared only if they are requested."""
    return tuple(sorted({name for each in reports.values() for name in each.of_lists if metrics is None}))


def _match_groups(reports: Mapping[str, RankingReport], metrics: object) -> Matched:
    """Check that no query or cluster is in two reports."""
    if labeled := [name for name, each in reports.items() if each._label_sets]:
        fix = "Compare the reports of people alone."
        fail("reports", "have no model labels with paired=False", f"some in {show(labeled[0])}", fix)
    of_systems, names = _open_queries(reports, metrics)
    check_metrics(of_systems, names)
    check_users(reports, names, 0)
    _check_apart({name: each.ids for name, each in of_systems.items()}, "query")
    clusters = {name: each.cluster_ids for name, each in of_systems.items() if each.cluster_ids is not None}
    if clusters:
        lacking = [name for name in of_systems if name not in clusters]
        if lacking:
            fail(
                "reports", "have clusters in all reports or in none", f"some in {list_names(list(clusters))}"
            )
        _check_apart(clusters, "cluster")
    n_queries = sum(len(each.ids) for each in of_systems.values())
    traits, of_lists = _find_traits(reports, names), _find_left_out(reports, metrics)
    return Matched(tuple(of_systems), names, n_queries, 0, of_systems, {}, traits, of_lists, paired=False)


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


class ComparedPair(NamedTuple):
    """One comparison: a metric of a system minus that of the other."""

    metric: str
    system: str
    other: str


class Paired(NamedTuple):
    """The statistics of each comparison, from values or from moments."""

    means: np.ndarray  # of shape (n_comparisons, 2)
    counts: np.ndarray  # number of compared units
    n_effective: np.ndarray  # degrees of freedom + 1
    n_left_out: np.ndarray  # queries without a value in one of the two
    wins: np.ndarray  # units whose value is higher
    losses: np.ndarray
    t: PairedT
    span: np.ndarray  # of the metric's values: upper minus lower bound, or inf
    n_differ: np.ndarray  # units that differ; inf if units are not paired
    alike: np.ndarray  # whether centered signs may be flipped: units count alike, and there are enough
    share: np.ndarray  # of the units that have a value in both
    errors: np.ndarray  # standard errors of both means; nan if unknown, and on scales from below 0
    unit: tuple[str, str] = ("query", "queries")
    unknown: str = "all differences are equal, so their variance is unknown"  # why a standard error is nan
    of_people: np.ndarray | None = None  # standard deviation of the differences, if a model adjusts them
    n_apart: np.ndarray | None = None  # units in which the differences of people and of the model differ

    @property
    def deviation(self) -> np.ndarray:
        """Return the standard deviation of the differences of values, without a model."""
        return self.t.standard_error * np.sqrt(self.counts) if self.of_people is None else self.of_people

    @property
    def are_equal(self) -> np.ndarray:
        """Return whether all paired differences are equal, but not 0: their only p is that of their signs."""
        of_values = self.of_people is None and np.isfinite(self.n_differ)
        return of_values & (self.n_differ > 0) & np.isnan(self.t.standard_error)


class Columns(NamedTuple):
    """The input of the paired tests."""

    residuals: np.ndarray  # centered contribution of each unit to the mean of a column
    terms: np.ndarray  # the contribution itself
    weights: np.ndarray  # of each unit in the mean of a column, or its denominator; 0 if it is excluded
    values: np.ndarray  # of the units themselves, for tests of ranks and signs
    pairs: np.ndarray  # of shape (n_comparisons, 2): which columns are compared
    rounding: float  # relative difference up to which values are equal


def pair_queries(
    matched: Matched, comparisons: Sequence[ComparedPair], inside: np.ndarray | Literal[True] = True
) -> tuple[Columns, Paired]:
    """Compare means by columns of contributions; pairs with the same queries share columns.

    Queries without a value in one of the two systems are excluded from both, and those that are not inside.
    """
    terms_of = cache(lambda metric, name: find_terms(matched.queries[name].metrics[metric]))
    made: dict[tuple[str, str, bytes], tuple[Any, ...]] = {}
    keys, n_left_out, n_all = [], [], []
    for metric, *names in comparisons:
        found = [matched.queries[name].metrics[metric] for name in names]
        samples = [terms_of(metric, name) for name in names]
        compared = (samples[0].below > 0) & (samples[1].below > 0) & inside
        keys.append([(metric, name, np.packbits(compared).tobytes()) for name in names])
        undefined = np.isnan(found[0].values) | np.isnan(found[1].values)
        n_left_out.append(np.count_nonzero(undefined & inside))
        asked = np.flatnonzero((compared | undefined) & inside)
        n_all.append(len(asked if matched.clusters is None else np.unique(matched.clusters[asked])))
        for key, each, sample in zip(keys[-1], found, samples):
            if key not in made:
                of_compared = RatioTerms(*(terms * compared for terms in sample))
                made[key] = _make_column(of_compared, np.where(compared, each.values, 0.0), matched.clusters)
    places = {key: place for place, key in enumerate(made)}
    pairs = np.array([[places[key] for key in pair] for pair in keys])
    terms, residuals, weights, values = (np.column_stack(each) for each in list(zip(*made.values()))[:4])
    means, n_units, n_effective = (np.array(each)[pairs] for each in list(zip(*made.values()))[4:])
    rounding = find_rounding(each for system in matched.queries.values() for each in system.metrics.values())
    counts, n_alike = n_units[:, 0], n_effective.min(axis=1)
    t = t_test(terms, residuals, pairs, counts, n_alike, rounding)
    wins, losses = count_wins(values, pairs, rounding)
    alike = (counts >= LEAST_FLIPPED) & (n_alike > counts * (1 - 1e-9))
    span, has_ratio = find_scales(matched, comparisons)
    unit = ("query", "queries") if matched.clusters is None else ("cluster", "clusters")
    sizes = counts, n_alike, np.array(n_left_out)
    share = counts / np.maximum(n_all, 1)
    factors = np.where(counts > 1, counts / np.maximum(counts - 1, 1), np.nan)[:, np.newaxis]
    errors = np.where(has_ratio, np.sqrt(factors * np.square(residuals).sum(axis=0)[pairs]), np.nan)
    paired = Paired(means, *sizes, wins, losses, t, span, wins + losses, alike, share, errors, unit)
    if matched.labels:
        paired = _adjust(paired, matched.labels, comparisons, rounding)
    return Columns(residuals, terms, weights, values, pairs, rounding), paired


def _adjust(
    paired: Paired, labels: Mapping[str, LabelSets], comparisons: Sequence[ComparedPair], rounding: float
) -> Paired:
    """Replace the means and the t test of human values by those that use the values of a model."""
    found = [adjust_pair(metric, labels[one], labels[other], rounding) for metric, one, other in comparisons]
    means, difference, error, deviation, n_apart = (np.array(each) for each in zip(*found))
    n_effective = paired.n_effective - 1  # another degree of freedom is that of the slope
    return paired._replace(
        means=means,
        n_effective=n_effective,
        t=t_test_of_errors(difference, error, n_effective),
        alike=np.zeros(len(found), dtype=bool),
        errors=np.full(means.shape, np.nan),
        unit=(f"{paired.unit[0]} labeled by people", f"{paired.unit[1]} labeled by people"),
        of_people=deviation,
        n_apart=n_apart,
    )


def pair_moments(matched: Matched, comparisons: Sequence[ComparedPair]) -> Paired:
    """Look up the moments of each pair."""
    of = matched.moments
    found = [of[system].find(of[other], metric) for metric, system, other in comparisons]
    mean, other_mean, counts, n_effective, n_left_out, wins, losses, difference, squares, scale = (
        np.array(each) for each in zip(*found)
    )
    t = t_test_of_sums(difference, squares, scale, counts, n_effective)
    means = np.column_stack((mean, other_mean))
    span, has_ratio = find_scales(matched, comparisons)
    alike = np.zeros(len(t.p_value), dtype=bool)
    share = counts / np.maximum(counts + n_left_out, 1)
    of_all = [[matched.errors[metric, name] for name in names] for metric, *names in comparisons]
    errors = np.where(has_ratio & (n_left_out == 0)[:, np.newaxis], of_all, np.nan)
    others = wins, losses, t, span, wins + losses, alike, share, errors
    return Paired(means, counts, n_effective, n_left_out, *others)


def find_scales(matched: Matched, comparisons: Sequence[ComparedPair]) -> tuple[np.ndarray, np.ndarray]:
    """Return the width of the range of each comparison's metric, and whether its values have ratios.

    They have none on a scale that begins below 0. The second array is a column.
    """
    traits = [matched.traits[each.metric] for each in comparisons]
    has_ratio = [not -np.inf < each.lower < 0 for each in traits]
    return np.array([each.span for each in traits]), np.array(has_ratio)[:, np.newaxis]


def _make_column(sample: RatioTerms, values: np.ndarray, clusters: np.ndarray | None) -> tuple[Any, ...]:
    """Return columns of units: terms, residuals, weights and values; then the mean and numbers of units."""
    units = sum_clusters(sample, clusters)
    mean, _, residuals, n, n_effective = estimate(units)
    of_units = values if clusters is None else np.bincount(clusters, values)
    total = units.below.sum() or 1.0
    residuals = _jackknife(residuals, units.below / total, n)
    return units.above / total, residuals, units.below, of_units, mean, n, n_effective


def _jackknife(residuals: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """Return how much the mean changes without each unit, centered, times (n - 1) / n; weights sum to 1."""
    others = np.maximum(1 - weights, np.finfo(float).eps)
    changes = residuals * ((1 - 1 / max(n, 2)) / others)
    return np.where(weights > 0, changes - changes.sum() / max(n, 1), 0.0)
