"""The statistics of compared systems, from the values of matched queries or from moments."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ._equal import find_rounding
from ._intervals import RatioTerms, estimate, find_terms, sum_clusters
from ._match import Matched
from ._model_labels import LabelSets, adjust_pair
from ._paired_tests import PairedT, count_wins, t_test, t_test_of_errors, t_test_of_sums

LEAST_FLIPPED = 10  # units; with fewer, flips of centered differences give too small p-values


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
    n_differ: np.ndarray  # units that differ; inf if units are not paired
    alike: np.ndarray  # whether centered signs may be flipped: units count alike, and there are enough
    share: np.ndarray  # of the units that have a value in both
    errors: np.ndarray  # standard errors of both means; nan if unknown
    span: np.ndarray  # of the metric's values: upper minus lower bound, or inf
    up: np.ndarray  # whether higher values are better
    has_ratio: np.ndarray  # whether values have ratios, because their scale does not begin below 0
    unit: tuple[str, str] = ("query", "queries")
    unknown: str = "all differences are equal, so their variance is unknown"  # why a standard error is nan
    of_people: np.ndarray | None = None  # standard deviation of the differences, if a model adjusts them
    n_apart: np.ndarray | None = None  # units in which the differences of people and of the model differ

    @property
    def deviation(self) -> np.ndarray:
        """Return the standard deviation of the differences of values, without a model."""
        return self.t.standard_error * np.sqrt(self.counts) if self.of_people is None else self.of_people


class Columns(NamedTuple):
    """The input of the paired tests."""

    residuals: np.ndarray  # centered contribution of each unit to the mean of a column
    terms: np.ndarray  # the contribution itself
    weights: np.ndarray  # of each unit in the mean of a column, or its denominator; 0 if it is excluded
    values: np.ndarray  # of the units themselves, for tests of ranks and signs
    pairs: np.ndarray  # of shape (n_comparisons, 2): which columns are compared
    rounding: float  # relative difference up to which values are equal


def pair_queries(
    matched: Matched, comparisons: Sequence[ComparedPair], parts: Iterable[np.ndarray | bool] = repeat(True)
) -> tuple[Columns, Paired]:
    """Compare means by columns of contributions; pairs with the same queries share columns.

    Queries without a value in one of the two systems are excluded from both, and those that are not in the
    part of the comparison.
    """
    terms_of = cache(lambda metric, name: find_terms(matched.queries[name].metrics[metric]))
    made: dict[tuple[str, str, bytes], tuple[Any, ...]] = {}
    keys, n_left_out, n_all = [], [], []
    for (metric, *names), inside in zip(comparisons, parts):
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
    share = counts / np.maximum(n_all, 1)
    factors = np.where(counts > 1, counts / np.maximum(counts - 1, 1), np.nan)[:, np.newaxis]
    errors = np.sqrt(factors * np.square(residuals).sum(axis=0)[pairs])
    sizes = counts, n_alike, np.array(n_left_out), wins, losses
    others = wins + losses, alike, share, errors, *list_scales(matched, comparisons)
    paired = Paired(means, *sizes, t, *others, matched.unit)
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
    alike = np.zeros(len(t.p_value), dtype=bool)
    share = counts / np.maximum(counts + n_left_out, 1)
    of_all = [[of[name].errors[metric] for name in names] for metric, *names in comparisons]
    errors = np.where((n_left_out == 0)[:, np.newaxis], of_all, np.nan)
    others = wins, losses, t, wins + losses, alike, share, errors
    return Paired(means, counts, n_effective, n_left_out, *others, *list_scales(matched, comparisons))


def list_scales(
    matched: Matched, comparisons: Sequence[ComparedPair]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `span`, `up` and `has_ratio` of the metric of each comparison."""
    traits = [matched.traits[each.metric] for each in comparisons]
    rows = [
        (each.upper - each.lower, each.greater_is_better, not -np.inf < each.lower < 0) for each in traits
    ]
    span, up, has_ratio = (np.array(each) for each in zip(*rows))
    return span, up, has_ratio


def _make_column(sample: RatioTerms, values: np.ndarray, clusters: np.ndarray | None) -> tuple[Any, ...]:
    """Return columns of units: terms, residuals, weights and values; then the mean and numbers of units."""
    units = sum_clusters(sample, clusters)
    mean, _, residuals, n, n_effective = estimate(units)
    of_units = values if clusters is None else np.bincount(clusters, values)
    total = units.below.sum() or 1.0
    others = np.maximum(1 - units.below / total, np.finfo(float).eps)  # the share of all other units
    changes = residuals * ((1 - 1 / max(n, 2)) / others)  # of the mean without each unit, times (n - 1) / n
    residuals = np.where(units.below > 0, changes - changes.sum() / max(n, 1), 0.0)
    return units.above / total, residuals, units.below, of_units, mean, n, n_effective
