"""What a list would be worth that is best for all intents at once."""

import numpy as np

from .rows import Intents


def sum_bounds(keep: float, worth: np.ndarray, k: int | None, intents: Intents) -> np.ndarray:
    """Return the sum of worth * keep ** (rank - 1) over the first `k` ranks; without `k`, of each list."""
    sums = np.cumsum(worth * keep ** np.arange(len(worth), dtype=np.float64))
    lengths = intents.queries.lengths
    return np.full(len(lengths), sums[-1]) if k is not None else sums[lengths - 1]
