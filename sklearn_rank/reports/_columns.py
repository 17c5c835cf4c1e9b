"""From matched reports to what paired tests take: of queries a column a system and metric, a row a unit."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._equal import find_rounding
from ._match import Matched
from ._paired_tests import PairedT, count_wins, t_test, t_test_of_sums
from ._sample import Sample, estimate, find_terms, sum_clusters


class Pair(NamedTuple):
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


def make_columns(matched: Matched, comparisons: Sequence[Pair]) -> Columns:
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


def pair_moments(matched: Matched, comparisons: Sequence[Pair]) -> Paired:
    """Look up what was kept of each pair."""
    of = matched.moments
    found = [of[system].find(of[other], metric) for metric, system, other in comparisons]
    mean, other_mean, counts, n_effective, n_left_out, wins, losses, difference, squares, scale = (
        np.array(each) for each in zip(*found)
    )
    t = t_test_of_sums(difference, squares, scale, counts, n_effective)
    means = np.column_stack((mean, other_mean))
    return Paired(means, counts, n_effective, n_left_out, wins, losses, t)


def _restrict(sample: Sample, compared: np.ndarray) -> Sample:
    """Leave out the queries that are not compared."""
    return Sample(*(each * compared for each in sample))


def _make_column(
    sample: Sample, values: np.ndarray, clusters: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return terms, residuals and values of the units of one column, and its mean."""
    units = sum_clusters(sample, clusters)
    found = estimate(units)
    if not found.n_units:  # no query is compared: zeros, which touch no other comparison
        return units.above, units.above, units.above, np.nan
    of_units = values if clusters is None else np.bincount(clusters, values)
    return units.above / units.below.sum(), found.residuals, of_units, found.ratio
