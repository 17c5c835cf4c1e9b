"""Values of sampled ranks: Krichene and Rendle, "On sampled metrics for item recommendation", 2020.

One of n items is relevant, at rank r. Among m negatives drawn from the other items, it has the sampled rank s
with probability P(s | r). A correction is a table x of m + 1 values; their mean over users is the metric.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._engine.ties import draw_odds

NEGLIGIBLE = 1e-8  # smaller singular values, relative to the largest, are ignored by "least_bias"
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
