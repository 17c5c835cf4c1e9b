"""Values of sampled ranks: Krichene and Rendle, "On sampled metrics for item recommendation", 2020.

One of n items is relevant, at rank r. Among m negatives drawn from the other items, it has the sampled rank s
with probability P(s | r). A correction is a table x of m + 1 values; their mean over users is the metric.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._checks.errors import fail
from .._engine.ties import draw_odds

NEGLIGIBLE = 1e-8  # smaller singular values, relative to the largest, are ignored by "least_bias"
FEW_TABLES = 32  # numbers of items up to which a table is fitted for each; more are interpolated
N_FIRST, MOST_GRID, MOST_ERROR = 5, 129, 1e-3  # tables fitted at first and at most, and the relative error
CELLS = 2**19  # probabilities that are in memory at once

Weigh = Callable[[np.ndarray], np.ndarray]


class Design(NamedTuple):
    """The design of the sample: negatives drawn from all items except the relevant one."""

    n_items: int
    n_negatives: int
    replacement: bool


class OneRelevant(NamedTuple):
    """A metric of one relevant item, as a function of its rank."""

    stem: str
    k: int | None

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """Return the values at some ranks, which need not be integers."""
        return (ranks <= (np.inf if self.k is None else self.k)) * RANK_VALUES[self.stem](ranks)


# AP of one relevant item is RR, and its hit rate is recall.
RANK_VALUES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "recall": np.ones_like,
    "hit_rate": np.ones_like,
    "ndcg": lambda ranks: 1 / np.log2(1 + ranks),
    "mrr": np.reciprocal,
    "map": np.reciprocal,
}


class Correction(NamedTuple):
    """The method that corrects sampled ranks, with its options."""

    method: str
    gamma: float
    weigh: Weigh | None = None  # the prior of ranks; None: uniform


def find_values(metric: OneRelevant, design: Design, correction: Correction) -> np.ndarray:
    """Return the value of each sampled rank, 1 to m + 1; NaN if the prior gives it no probability."""
    n, m, _ = design
    sampled = np.arange(1, m + 2, dtype=np.float64)
    if correction.method == "none":
        return metric.at(sampled)
    if correction.method == "rank":  # 1 + (n - 1) (s - 1) / m is an unbiased estimate of r
        return metric.at(1 + (n - 1) * (sampled - 1) / m)
    return (_fit_uniform if correction.weigh is None else _fit)(metric, design, correction)


def interpolate_values(
    metric: OneRelevant, numbers: np.ndarray, m: int, replacement: bool, correction: Correction
) -> Iterator[np.ndarray]:
    """Yield the values of the sampled ranks for each number of items, in increasing order.

    Many values of "bias_variance" are interpolated linearly in log n. Numbers of items are added halfway
    between others until values there differ from the interpolated ones by at most MOST_ERROR of the largest.
    """

    def find(n: int) -> np.ndarray:
        return find_values(metric, Design(int(n), m, replacement), correction)

    if correction.method != "bias_variance" or len(numbers) <= FEW_TABLES:
        yield from map(find, numbers)
        return
    grid = np.unique(np.geomspace(numbers[0], numbers[-1], N_FIRST).round().astype(np.int64))
    tables, error = np.array([find(n) for n in grid]), np.inf
    while error > MOST_ERROR:
        if len(grid) > MOST_GRID:
            got = f"{len(numbers):,} numbers from {numbers[0]:,} to {numbers[-1]:,}"
            fix = f"Round n_items to at most {FEW_TABLES} values, or pass method='rank'."
            fail("n_items", "have values that can be interpolated with an error of at most 0.1%", got, fix)
        middles = np.setdiff1d((grid[1:] + grid[:-1]) // 2, grid)
        if not len(middles):  # all numbers between the ends are in the grid
            break
        exact = np.array([find(n) for n in middles])
        guessed = np.array([_between(tables, np.log(grid), n) for n in middles])
        error = float((np.abs(guessed - exact).max(axis=1) / np.abs(exact).max(axis=1)).max())
        order = np.argsort(np.concatenate((grid, middles)))
        grid, tables = np.concatenate((grid, middles))[order], np.concatenate((tables, exact))[order]
    for n in numbers:
        yield _between(tables, np.log(grid), n)


def _between(tables: np.ndarray, logs: np.ndarray, n: int) -> np.ndarray:
    """Interpolate tables linearly in log n."""
    place = min(int(np.searchsorted(logs, np.log(n), side="right")), len(logs) - 1)
    share = (np.log(n) - logs[place - 1]) / (logs[place] - logs[place - 1])
    return (1 - share) * tables[place - 1] + share * tables[place]


def _fit(metric: OneRelevant, design: Design, correction: Correction) -> np.ndarray:
    """Minimize the squared bias plus gamma times the variance, over ranks weighted by their prior p.

    With A = sqrt(p) P, b = sqrt(p) M and c = p P, the sum over r of p ((E x - M)^2 + gamma (E x^2 - (E x)^2))
    is least at x = ((1 - gamma) A'A + gamma diag(c))^-1 A'b. A'A has the squared condition number of A, so B
    = A / sqrt(c) = U s V' is used, with s <= 1: sqrt(c) x = V (s / ((1 - gamma) s^2 + gamma)) U'b.
    """
    n, m, _ = design
    ranks = np.arange(1, n + 1, dtype=np.float64)
    prior = np.ones(n) if correction.weigh is None else correction.weigh(ranks)
    prior = prior / prior.sum()
    upper, seen = np.empty((0, m + 2)), np.zeros(m + 1)  # the triangle of the QR decomposition of [A, b]; c
    step = max(CELLS // (m + 1), 2 * (m + 2))  # ranks whose probabilities are in memory at once
    for part in (slice(start, start + step) for start in range(0, n, step)):
        odds = sampled_odds(ranks[part], design)
        seen += prior[part] @ odds
        rows = np.column_stack((odds, metric.at(ranks[part]))) * np.sqrt(prior[part, np.newaxis])
        upper = np.asarray(np.linalg.qr(np.vstack((upper, rows)), mode="r"))
    scale = np.sqrt(seen)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    left, s, right = np.linalg.svd(upper[:, :-1] * inverse, full_matrices=False)
    if correction.method == "least_bias":
        factors = np.divide(1, s, out=np.zeros_like(s), where=s > NEGLIGIBLE * s[0])
    else:
        factors = s / ((1 - correction.gamma) * s**2 + correction.gamma)
    return np.where(scale > 0, right.T @ (factors * (left.T @ upper[:, -1])) * inverse, np.nan)


_fit_uniform = lru_cache(maxsize=1024)(_fit)  # cached: models are compared on the same candidates


def sampled_odds(ranks: np.ndarray, design: Design) -> np.ndarray:
    """Return the probability of each sampled rank, one row per rank.

    s - 1 is binomial (m draws, each above with probability (r - 1) / (n - 1)) or hypergeometric.
    """
    n, m, replacement = design
    odds = np.zeros((len(ranks), m + 1))
    if not replacement:
        above = (ranks - 1).astype(np.int64)
        found = draw_odds(np.full(len(ranks), n - 1), above, np.full(len(ranks), m))
        odds[:, : found.shape[1]] = found
        return odds
    from scipy.special import gammaln, xlog1py, xlogy

    share = ((ranks - 1) / (n - 1))[:, np.newaxis]
    above = np.arange(m + 1)
    log_ways = gammaln(m + 1) - gammaln(above + 1) - gammaln(m - above + 1)
    np.exp(log_ways + xlogy(above, share) + xlog1py(m - above, -share), out=odds)
    return odds / odds.sum(axis=1, keepdims=True)
