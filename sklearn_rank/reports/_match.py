"""Reports of the same queries: matched by id, and written as the columns of paired tests."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_list
from .._checks.codes import rank_ids
from .._checks.errors import fail
from ._equal import find_rounding
from ._intervals import RatioTerms, estimate, find_terms, sum_clusters
from ._paired_tests import PairedT, count_wins, t_test, t_test_of_sums
from ._report import RankingReport
from ._reported_queries import OfSystem, QueryValues

SHOWN = 3  # ids that an error names
REMEDY = (
    "Give the scores of all systems to one RankingEvaluator, as a dict, or make all reports with "
    "keep='queries', which keeps the value of each query"
)


class Matched(NamedTuple):
    """Systems on the same queries, in the same order."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    n_queries: int
    n_dropped: int  # queries that some system lacks
    queries: dict[str, QueryValues]  # by system; none where there are moments alone
    moments: dict[str, OfSystem]  # by system; none where there are queries
    of_lists: tuple[str, ...] = ()  # what is of all lists together, and not compared

    @property
    def clusters(self) -> np.ndarray | None:
        """Return the cluster of each query."""
        return next((each.clusters for each in self.queries.values()), None)


def match_reports(reports: Any, metrics: object, missing: str, function: str) -> Matched:
    """Match reports by the ids of their queries, or by what their moments were made of."""
    if not isinstance(reports, Mapping) or len(reports) < 2:
        got = f"{len(reports)} report" if isinstance(reports, Mapping) else f"a {type(reports).__name__}"
        fail("reports", function, 'be a dict of at least two names to reports, {"a": one, "b": other}', got)
    for name, report in reports.items():
        if not isinstance(name, str) or not isinstance(report, RankingReport):
            rule = "be a dict of names to reports of evaluate, cross_val_report or RankingReport"
            fail("reports", function, rule, f"{name!r}: {type(report).__name__}")
    if all(report._queries is None for report in reports.values()):
        return _match_moments(reports, metrics, function)
    return _match_queries(reports, metrics, missing, function)


def _match_moments(reports: Mapping[str, RankingReport], metrics: object, function: str) -> Matched:
    """Check that moments were made together, of different systems."""
    names = _find_metrics({name: each.moments for name, each in reports.items()}, metrics, function)
    first = next(iter(reports))
    found: dict[str, OfSystem] = {}
    for name, report in reports.items():
        of = report._of_system
        if of is None or not of.is_together(found.get(first, of)):
            rule = f"be made together where they are of moments alone. {REMEDY}"
            others = " and ".join(repr(other) for other in reports if other != name)
            fail("reports", function, rule, f"{name!r} apart from {others}")
        twice = [other for other, each in found.items() if each.system == of.system]
        if twice:
            fail(
                "reports", function, "be of different systems", f"{of.system!r} as {twice[0]!r} and {name!r}"
            )
        found[name] = of
    return Matched(tuple(reports), names, reports[first].n_queries, 0, {}, found)


def _match_queries(
    reports: Mapping[str, RankingReport], metrics: object, missing: str, function: str
) -> Matched:
    """Match queries by id; check that folds, weights and clusters are the same."""
    for name, report in reports.items():
        if report._queries is None:
            what = "needs the value of each query, and this report was made from moments"
            raise ValueError(f"{function} {what}, unless all are: {name!r}. {REMEDY}")
    of_systems = {name: report._need_values(function) for name, report in reports.items()}
    by_system = {name: each.metrics for name, each in of_systems.items()}
    of_lists = sorted({name for report in reports.values() for name in report.of_lists})
    names = _find_metrics(by_system, metrics, function, of_lists)
    places, n_dropped = _find_common({name: each.ids for name, each in of_systems.items()}, missing, function)
    matched = {name: each.take(places[name]) for name, each in of_systems.items()}
    _check_same(matched, names, function)
    n_queries = len(next(iter(matched.values())).ids)
    left_out = tuple(of_lists) if metrics is None else ()
    return Matched(tuple(matched), names, n_queries, n_dropped, matched, {}, left_out)


def _find_metrics(
    by_system: Mapping[str, Mapping[str, Any]], metrics: object, function: str, of_lists: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the metrics to compare: those asked for, or all, which must be the same everywhere."""
    first = next(iter(by_system.values()))
    if metrics is None:
        for name, each in by_system.items():
            if set(each) != set(first):
                rule = f"have the same metrics, or name some in 'metrics': {', '.join(first)}"
                fail("reports", function, rule, f"{name!r} with {', '.join(each)}")
        return tuple(first)
    names = read_list(metrics, "metrics", function, "be a list of names of metrics of the reports")
    for name in names:
        if name in of_lists:
            rule = "have a value per query: what is of all lists together is in `of_lists` of each report"
            fail("metrics", function, rule, repr(name))
        lacking = [system for system, each in by_system.items() if name not in list(each)]
        if lacking:
            fail("metrics", function, "be metrics of all reports", f"{name!r}, which {lacking[0]!r} lacks")
    if not names:
        fail("metrics", function, "be a list of names of metrics of the reports", names)
    return tuple(dict.fromkeys(names))


def _find_common(
    by_system: Mapping[str, np.ndarray], missing: str, function: str
) -> tuple[dict[str, np.ndarray], int]:
    """Return where the ids that all have in common stand in each, and how many ids some lack."""
    first, *others = by_system.values()
    if all(np.array_equal(first, each) for each in others):
        return dict.fromkeys(by_system, np.arange(len(first))), 0
    places = {
        name: {id: place for place, id in enumerate(_find_keys(each))} for name, each in by_system.items()
    }
    every: dict[Any, None] = {}
    for each in places.values():
        every.update(dict.fromkeys(each))
    common = [id for id in places[next(iter(places))] if all(id in each for each in places.values())]
    n_dropped = len(every) - len(common)
    if not common:
        rule = "have queries in common: ids are matched as they are, the number 1 is not the text '1'"
        example = ", ".join(f"{next(iter(each))!r} in {name!r}" for name, each in places.items())
        fail("reports", function, rule, f"none, such as {example}")
    if n_dropped and missing == "raise":
        system = next(name for name, each in places.items() if len(each) < len(every))
        lacking = [id for id in every if id not in places[system]]
        some = ", ".join(map(repr, lacking[:SHOWN])) + ", ..." * (len(lacking) > SHOWN)
        rule = "be of the same queries, unless missing='drop' leaves out those that one lacks"
        fail("reports", function, rule, f"{len(lacking)} of {len(every)} that {system!r} lacks: {some}")
    return {name: np.array([each[id] for id in common]) for name, each in places.items()}, n_dropped


def _find_keys(ids: np.ndarray) -> list[Any]:
    """Return ids as what is equal and hashes alike: dates of any unit in one."""
    return list(ids.astype("M8[ns]")) if ids.dtype.kind == "M" else ids.tolist()


def _check_same(matched: Mapping[str, QueryValues], metrics: Iterable[str], function: str) -> None:
    """Check that folds, clusters and weights are the same."""
    names, systems = list(matched), list(matched.values())
    for name, each in zip(names[1:], systems[1:]):
        pair = f"{names[0]!r} and {name!r}"
        one_fold, other_fold = systems[0].folds, each.folds
        both = one_fold is not None and other_fold is not None
        if both and not _equal(one_fold, other_fold):
            rule = "test each query in the same fold: use the same splitter with the same random_state"
            fail("reports", function, rule, f"other folds in {pair}")
        if not _equal(*(None if of.clusters is None else rank_ids(of.clusters) for of in (systems[0], each))):
            fail("reports", function, "have the same clusters", f"others in {pair}")
        for metric in metrics:
            one, other = systems[0].metrics[metric], each.metrics[metric]
            if (one.sums is None) != (other.sums is None):
                fail("reports", function, f"average {metric!r} alike", f"'micro' and another in {pair}")
            if one.options and other.options and one.options != other.options:
                apart = set(one.options) ^ set(other.options)
                got = " and ".join(", ".join(sorted(apart & set(each.options))) for each in (one, other))
                fail("reports", function, f"compute {metric!r} with the same options", f"{got} in {pair}")
            if not _equal(one.weights, other.weights):
                fail("reports", function, "give the same weight to each query", f"others in {pair}")


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


class ComparedPair(NamedTuple):
    """One comparison: a metric of a system less that of the other."""

    metric: str
    system: str
    other: str


class Paired(NamedTuple):
    """What is known of each comparison, from values or from moments."""

    means: np.ndarray  # of shape (n_comparisons, 2)
    counts: np.ndarray  # units compared
    n_effective: np.ndarray
    n_left_out: np.ndarray  # queries without a value in one of the two
    wins: np.ndarray  # units whose value is higher
    losses: np.ndarray
    t: PairedT


class Columns(NamedTuple):
    """What the paired tests take, and the means that are compared."""

    terms: np.ndarray  # what each unit adds to the mean of a column
    residuals: np.ndarray  # likewise, centred
    values: np.ndarray  # of the units themselves, for tests of ranks and signs
    means: np.ndarray  # of each column
    pairs: np.ndarray  # of shape (n_comparisons, 2): which columns are compared
    counts: np.ndarray  # units compared, of each pair
    n_effective: np.ndarray
    n_left_out: np.ndarray  # queries without a value in one of the two
    rounding: float  # relative difference up to which values are equal


def make_columns(matched: Matched, comparisons: Sequence[ComparedPair]) -> Columns:
    """Write what each unit adds to the means that are compared.

    Queries without a value in one of the two systems are left out of both. Pairs that compare the same
    queries share the column of a system.
    """
    clusters = matched.clusters
    terms_of = {
        (metric, name): find_terms(system.metrics[metric])
        for metric in matched.metrics
        for name, system in matched.queries.items()
    }
    places: dict[tuple[str, str, bytes], int] = {}
    made: list[tuple[np.ndarray, np.ndarray, np.ndarray, float]] = []
    pairs, sizes = [], []
    for metric, system, other in comparisons:
        found = {name: matched.queries[name].metrics[metric] for name in (system, other)}
        samples = [terms_of[metric, name] for name in found]
        missing = np.any([np.isnan(each.values) for each in found.values()], axis=0)
        compared = (samples[0].below > 0) & (samples[1].below > 0)
        pair = []
        for name, sample in zip(found, samples):
            key = metric, name, np.packbits(compared).tobytes()
            if key not in places:
                places[key] = len(made)
                values = np.where(compared, found[name].values, 0.0)
                made.append(_make_column(_restrict(sample, compared), values, clusters))
            pair.append(places[key])
        pairs.append(pair)
        units = estimate(sum_clusters(_restrict(samples[0], compared), clusters))
        sizes.append((units.n_units, units.n_effective, np.count_nonzero(missing)))
    terms, residuals, values, means = zip(*made)
    counts, n_effective, n_left_out = (np.array(each) for each in zip(*sizes))
    return Columns(
        np.column_stack(terms),
        np.column_stack(residuals),
        np.column_stack(values),
        np.array(means),
        np.array(pairs),
        counts,
        n_effective,
        n_left_out,
        find_rounding(each for system in matched.queries.values() for each in system.metrics.values()),
    )


def pair_columns(columns: Columns) -> Paired:
    """Sum up what columns say of each pair."""
    terms, residuals, values, means, pairs, counts, n_effective, n_left_out, rounding = columns
    t = t_test(terms, residuals, pairs, counts, n_effective, rounding)
    return Paired(means[pairs], counts, n_effective, n_left_out, *count_wins(values, pairs, rounding), t)


def pair_moments(matched: Matched, comparisons: Sequence[ComparedPair]) -> Paired:
    """Look up what was kept of each pair."""
    of = matched.moments
    found = [of[system].find(of[other], metric) for metric, system, other in comparisons]
    mean, other_mean, counts, n_effective, n_left_out, wins, losses, difference, squares, scale = (
        np.array(each) for each in zip(*found)
    )
    t = t_test_of_sums(difference, squares, scale, counts, n_effective)
    means = np.column_stack((mean, other_mean))
    return Paired(means, counts, n_effective, n_left_out, wins, losses, t)


def _restrict(sample: RatioTerms, compared: np.ndarray) -> RatioTerms:
    """Leave out the queries that are not compared."""
    return RatioTerms(*(each * compared for each in sample))


def _make_column(
    sample: RatioTerms, values: np.ndarray, clusters: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return terms, residuals and values of the units of one column, and its mean."""
    units = sum_clusters(sample, clusters)
    found = estimate(units)
    if not found.n_units:  # no query is compared: zeros, which touch no other comparison
        return units.above, units.above, units.above, np.nan
    of_units = values if clusters is None else np.bincount(clusters, values)
    return units.above / units.below.sum(), found.residuals, of_units, found.ratio
