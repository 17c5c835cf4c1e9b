"""The order of models by metrics of sampled negatives, compared with the order by all ranks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.stats import binom

from sklearn_rank.metrics import sampled_score

from .comparisons import write_share
from .tables import Row

N_ITEMS, N_NEGATIVES = 10_000, 100
# Median and standard deviation of the logarithm of the rank of a user's item. The first model is best at the
# top and worst in the middle. Samples reverse the order, because one rank in a sample is about 100 ranks.
MODELS = {"sharp": (6.6, 3.4), "middling": (6.0, 2.5), "even": (5.4, 1.5)}
METRICS = ("recall@10", "ndcg@10", "mrr")
METHODS = ("none", "rank", "bias_variance", "least_bias")
SIZES = (1_000, 3_000, 10_000)


class Drawn(NamedTuple):
    """The rank of each user's item among all items, and the ranks of the sampled negatives."""

    ranks: np.ndarray
    negatives: np.ndarray

    @property
    def n_above(self) -> np.ndarray:
        """Return the number of negatives above the item."""
        above: np.ndarray = (self.negatives < self.ranks[:, np.newaxis]).sum(axis=1)
        return above


def draw_users(model: str, n_users: int, random: Generator) -> Drawn:
    """Draw ranks of the items of users, and negatives from the ranks of all other items."""
    middle, deviation = MODELS[model]
    ranks = np.exp(random.normal(middle, deviation, n_users)).clip(1, N_ITEMS).astype(np.int64)
    negatives = random.integers(1, N_ITEMS, (n_users, N_NEGATIVES))
    negatives += negatives >= ranks[:, np.newaxis]
    return Drawn(ranks, negatives)


def score_truth(metric: str, ranks: np.ndarray) -> np.ndarray:
    """Return the value of each user among all items, by definition."""
    if metric == "mrr":
        return 1 / ranks
    return (ranks <= 10) / (1 if metric == "recall@10" else np.log2(1 + ranks))


def value_sampled_ranks(metric: str, method: str) -> np.ndarray:
    """Return the value of a user for each number of negatives above the item."""
    above = np.tri(N_NEGATIVES + 1, N_NEGATIVES, -1)
    y_score = np.column_stack((np.zeros(N_NEGATIVES + 1), 2 * above - 1))
    y_true = np.zeros_like(y_score)
    y_true[:, 0] = 1
    options = {"metric": metric, "n_items": N_ITEMS, "method": method}
    return sampled_score(y_true, y_score, **options, average=None)


def score_models(
    metric: str, n_users: int, random: Generator, methods: Sequence[str] = METHODS
) -> dict[str, np.ndarray]:
    """Return true values and sampled values by method, with one row per model and one column per user."""
    drawn = [draw_users(model, n_users, random) for model in MODELS]
    values = {"truth": np.array([score_truth(metric, each.ranks) for each in drawn])}
    above = np.array([each.n_above for each in drawn])
    return values | {method: value_sampled_ranks(metric, method)[above] for method in methods}


def are_in_order(means: np.ndarray) -> bool:
    """Return whether the models are in their true order."""
    return bool((np.diff(means) < 0).all())


def make_order_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate how often samples rank the models in their true order."""
    rows = []
    for metric in METRICS:
        random = np.random.default_rng([seed, METRICS.index(metric)])
        means: dict[str, list[np.ndarray]] = {}
        for _ in range(repeats):
            for method, values in score_models(metric, max(SIZES), random).items():
                means.setdefault(method, []).append([values[:, :n].mean(axis=1) for n in SIZES])
        for method, found in means.items():
            shares = np.mean([[are_in_order(of_size) for of_size in each] for each in found], axis=0)
            typical = np.mean(found, axis=0)[-1]
            cells = [f"{value:.3f}" if abs(value) < 1 else f"{value:.0f}" for value in typical]
            rows.append([metric, method, *cells, *map(write_share, shares)])
    return rows


class OfUsers(NamedTuple):
    """Properties of the values that a method gives to users."""

    deviation: float  # standard deviation of the value of a user with a uniform rank
    level: float  # expected mean if 10% of users have ranks up to 10 and the others ranks above 1,000


def find_figures(metric: str, method: str) -> OfUsers:
    """Compute the exact standard deviation and the expected mean of a method."""
    share = np.arange(N_ITEMS)[:, np.newaxis] / (N_ITEMS - 1)
    odds = binom.pmf(np.arange(N_NEGATIVES + 1), N_NEGATIVES, share)
    values = value_sampled_ranks(metric, method)
    expected = odds @ values
    variance = odds @ values**2 - expected**2
    level = 0.1 * expected[:10].mean() + 0.9 * expected[1000:].mean()
    return OfUsers(float(np.sqrt(np.maximum(variance, 0).mean())), float(level))


def make_figure_rows() -> list[Row]:
    """Compute the figures of recall@10, whose true mean is 0.100."""
    rows = []
    for method in METHODS:
        found = find_figures("recall@10", method)
        deviation = f"{found.deviation:,.0f}" if found.deviation > 1 else f"{found.deviation:.3f}"
        rows.append([method, deviation, f"{found.level:.3f}"])
    return rows
