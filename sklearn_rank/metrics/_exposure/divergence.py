"""The Jensen-Shannon divergence of two distributions over owners, of which many may be in neither."""

from typing import Any

import numpy as np


def add_present(shown: np.ndarray, shares: np.ndarray, base: float) -> np.ndarray:
    """Return what each owner adds to the Jensen-Shannon divergence."""
    middle = (shown + shares) / 2
    return (_relative_entropy(shown, middle) + _relative_entropy(shares, middle)) / (2 * np.log(base))


def add_absent(total: Any, base: float) -> Any:
    """Return what the owners add that are in the target and get nothing: half of their share, in bits."""
    return np.maximum(1 - total, 0) * np.log(2) / (2 * np.log(base))


def _relative_entropy(shares: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Return shares * log(shares / middle), 0 where there is no share."""
    ratios = np.divide(shares, middle, out=np.ones(len(shares)), where=shares > 0)
    return shares * np.log(ratios)
