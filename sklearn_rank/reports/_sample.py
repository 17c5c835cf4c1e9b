"""The statistics of a mean over queries: one formula for plain, weighted, micro and clustered means.

All are a ratio R = sum(a) / sum(b) over independent units: of queries a = w v and b = w; of a micro average
w times its numerator and denominator; of clusters the sums of these over their queries.
"""

from typing import NamedTuple

import numpy as np

from ..metrics import MetricValues, scale_weights


class Sample(NamedTuple):
    """What each unit adds to both sums of a ratio."""

    above: np.ndarray
    below: np.ndarray  # >= 0; units with 0 do not count


class Estimate(NamedTuple):
    """The ratio, and how well it is known."""

    ratio: float
    standard_error: float  # nan with one unit
    residuals: np.ndarray  # (a - R b) / sum(b): what each unit moves the ratio by
    n_units: int
    n_effective: float  # sum(b)**2 / sum(b**2), n_units where all count alike

    @property
    def df(self) -> float:
        """Return the degrees of freedom."""
        return self.n_effective - 1


def find_terms(metric: MetricValues) -> Sample:
    """Return what each query adds to both sums."""
    weights = metric.weights
    if metric.sums is not None:
        above, below = metric.sums
        return Sample(above, below) if weights is None else Sample(above * weights, below * weights)
    counted = ~np.isnan(metric.values)
    below = counted.astype(np.float64) if weights is None else np.where(counted, weights, 0.0)
    return Sample(np.where(counted, metric.values, 0.0) * below, below)


def sum_clusters(sample: Sample, clusters: np.ndarray | None) -> Sample:
    """Return the sums over clusters, which are the units then."""
    if clusters is None:
        return sample
    return Sample(*(np.bincount(clusters, terms) for terms in sample))


def estimate(sample: Sample) -> Estimate:
    """Return a ratio with se**2 = n / (n - 1) sum(e**2), e = (a - R b) / sum(b)."""
    above, below = sample
    total, n = below.sum(), int(np.count_nonzero(below))
    if n == 0:
        return Estimate(np.nan, np.nan, np.zeros(len(below)), 0, 0.0)
    ratio = above.sum() / total
    residuals = (above - ratio * below) / total
    with np.errstate(over="ignore"):  # inf: squares of values that are this large tell nothing
        error = float(np.sqrt(n / (n - 1) * (residuals @ residuals))) if n > 1 else np.nan
    scaled = scale_weights(below)  # squares of tiny weights are 0
    return Estimate(float(ratio), error, residuals, n, float(scaled.sum() ** 2 / (scaled @ scaled)))
