"""Coverage of nominal 95% intervals of the mean over random samples of queries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState

from sklearn_rank import RankingReport
from sklearn_rank.metrics import MetricValues

from .tables import Row

REPEATS, N_RESAMPLES = 2000, 500
N_UNITS = (20, 50, 200)
NOMINAL = (0.9345, 0.9645)  # contains 99.8% of runs of 2,000 repeats with a coverage of 95%
PER_CLUSTER, N_REPEATS = 10, 10


class Population(NamedTuple):
    """A distribution of queries, with its true mean."""

    metric: str  # names of no metric allow any values and have no special interval
    mean: float
    draw: Callable[[RandomState, int], Mapping[str, Any]]  # takes the number of units


def draw_normal(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw values similar to NDCG."""
    return {"values": random.normal(0.5, 0.2, n)}


def draw_reciprocal_ranks(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw reciprocal ranks; each document is relevant with probability 0.07."""
    return {"values": 1 / random.geometric(0.07, n)}


def draw_zeros(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw values, 60% of which are 0."""
    return {"values": np.where(random.uniform(size=n) < 0.6, 0.0, random.beta(1, 4, n))}


def draw_hits(share: float) -> Callable[[RandomState, int], Mapping[str, Any]]:
    """Return a function that draws zeros and ones."""
    return lambda random, n: {"values": (random.uniform(size=n) < share).astype(float)}


def draw_weighted(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw queries whose values increase with their weights."""
    weights = random.gamma(2, size=n)
    return {"values": random.normal(0.3 + 0.05 * weights, 0.2), "weights": weights}


def draw_micro(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw numerators and denominators: hits among the relevant documents of each query."""
    below = 1 + random.poisson(4, n)
    above = random.binomial(below, random.beta(2, 3, n))
    sums = above.astype(float), below.astype(float)
    return {"values": MetricValues(above / below, sums=sums)}


def draw_clustered(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw ten queries of each user; half of the variance is between users."""
    clusters = np.repeat(np.arange(n), PER_CLUSTER)
    values = random.normal(0.5, 0.15, n)[clusters] + random.normal(0, 0.15, len(clusters))
    return {"values": values, "clusters": clusters}


def draw_unclustered(random: RandomState, n: int) -> Mapping[str, Any]:
    """Draw the same queries, but without clusters."""
    return {"values": draw_clustered(random, n)["values"]}


def draw_repeats(random: RandomState, n: int) -> np.ndarray:
    """Draw a row for each query, with the values of ten slightly different models."""
    return random.normal(0.5, 0.2, (n, 1)) + random.normal(0, 0.05, (n, N_REPEATS))


def draw_averaged(random: RandomState, n: int) -> Mapping[str, Any]:
    """Average over the models of each query, as `cross_val_report` does."""
    return {"values": draw_repeats(random, n).mean(axis=1)}


def draw_each_test(random: RandomState, n: int) -> Mapping[str, Any]:
    """Treat each value as a separate query."""
    return {"values": draw_repeats(random, n).ravel()}


RECIPROCAL_MEAN = -np.log(0.07) * 0.07 / 0.93
WEIGHTED_MEAN = 0.3 + 0.05 * 3  # E(w**2) / E(w) of the gamma distribution is 3

POPULATIONS = {
    "normal": Population("value", 0.5, draw_normal),
    "reciprocal ranks": Population("mrr", RECIPROCAL_MEAN, draw_reciprocal_ranks),
    "60% zeros": Population("ndcg@10", 0.4 * 0.2, draw_zeros),
    "hit rate 0.05": Population("value", 0.05, draw_hits(0.05)),
    "hit rate 0.05, Wilson": Population("hit_rate@10", 0.05, draw_hits(0.05)),
    "hit rate 0.5": Population("value", 0.5, draw_hits(0.5)),
    "hit rate 0.5, Wilson": Population("hit_rate@10", 0.5, draw_hits(0.5)),
    "weighted": Population("value", WEIGHTED_MEAN, draw_weighted),
    "micro average": Population("recall@10", 0.4, draw_micro),
    "clusters of 10": Population("value", 0.5, draw_clustered),
    "clusters of 10, treated as independent": Population("value", 0.5, draw_unclustered),
    "10 repeats, averaged first": Population("value", 0.5, draw_averaged),
    "10 repeats, treated as independent": Population("value", 0.5, draw_each_test),
}
ONE_INTERVAL = {  # the option is ignored, or studentized adds nothing
    "hit rate 0.05, Wilson": "Wilson",
    "hit rate 0.5, Wilson": "Wilson",
    "clusters of 10, treated as independent": "t",
    "10 repeats, treated as independent": "t",
}
ROWS = [
    (name, interval)
    for name in POPULATIONS
    for interval in ([ONE_INTERVAL[name]] if name in ONE_INTERVAL else ["t", "studentized"])
]


def cover(name: str, interval: str, n: int, repeats: int = REPEATS, seed: int = 0) -> float:
    """Return the share of intervals over n units that contain the mean of the population."""
    population = POPULATIONS[name]
    random = RandomState([seed, list(POPULATIONS).index(name), n])
    covered = 0
    for _ in range(repeats):
        drawn = dict(population.draw(random, n))
        values = drawn.pop("values")
        ids = np.arange(len(values.values if isinstance(values, MetricValues) else values))
        report = RankingReport.from_values(
            ids,
            {population.metric: values},
            interval="bootstrap" if interval == "studentized" else "t",
            n_resamples=N_RESAMPLES,
            random_state=random,
            **drawn,
        )
        low, high = report.interval[population.metric]
        covered += low <= population.mean <= high
    return covered / repeats


def is_nominal(share: float) -> bool:
    """Return whether a share of 2,000 intervals is compatible with a coverage of 95%."""
    return NOMINAL[0] <= share <= NOMINAL[1]


def make_rows(
    repeats: int, seed: int, chosen: Sequence[tuple[str, str]] = ROWS, sizes: Sequence[int] = N_UNITS
) -> list[Row]:
    """Return a row for each population and interval; coverage that is not nominal is bold."""
    rows = []
    for name, interval in chosen:
        found = [cover(name, interval, n, repeats, seed) for n in sizes]
        shares = [f"{share:.3f}" for share in found]
        cells = [text if is_nominal(share) else f"**{text}**" for text, share in zip(shares, found)]
        rows.append([name.removesuffix(", Wilson"), interval, *cells])
    return rows
