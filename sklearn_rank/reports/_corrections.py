"""From many p values and intervals to those of a whole table, and its verdicts in words."""

import numpy as np
from scipy import stats


def correct_p_values(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Correct the p values of a table by "holm", "bonferroni", "fdr_bh" or not at all.

    What is nan stays nan, and does not count.
    """
    corrected = np.array(p_values, dtype=float)
    known = ~np.isnan(corrected)
    if correction is not None and known.any():
        corrected[known] = _CORRECTIONS[correction](corrected[known])
    return corrected


def _bonferroni(p_values: np.ndarray) -> np.ndarray:
    return np.minimum(1.0, len(p_values) * p_values)


def _holm(p_values: np.ndarray) -> np.ndarray:
    """The smallest p times n, the next times n - 1, and none below one that comes before it (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty_like(p_values)
    corrected[order] = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    return np.minimum(1.0, corrected)


_CORRECTIONS = {"bonferroni": _bonferroni, "fdr_bh": stats.false_discovery_control, "holm": _holm}


def critical_values(
    n_effective: np.ndarray, n_comparisons: int, *, confidence_level: float, correction: str | None
) -> np.ndarray:
    """Return the quantiles of t for intervals D -+ critical value * se, one for each comparison.

    With any correction, all intervals together hold at the confidence level, by Bonferroni: Holm and
    Benjamini-Hochberg have no intervals of their own. Without one, each holds by itself. They go with all
    tests but the randomization test corrected by the maximum, which has its own.
    """
    level = corrected_level(1 - confidence_level, n_comparisons, correction)
    return stats.t.isf(level / 2, np.asarray(n_effective) - 1.0)


def intervals(
    difference: np.ndarray, standard_error: np.ndarray, critical: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of D -+ critical value * se; 0 and 0 without any difference, even if it is inf."""
    positive = standard_error > 0
    half = np.where(positive, critical * np.where(positive, standard_error, 1.0), standard_error)
    return difference - half, difference + half


def corrected_level(level: float, n_comparisons: int, correction: str | None) -> float:
    """Return the level at which each comparison of a table is tested, at the least: by Bonferroni."""
    return level if correction is None else level / max(n_comparisons, 1)


def verdicts(low: np.ndarray, high: np.ndarray, margin: float | np.ndarray | None = None) -> np.ndarray:
    """Say in words what intervals of differences tell; without a margin, which is better, if any.

    All that is said of a table follows from its intervals: if these are all right, so are the words.
    """
    low, high = np.asarray(low), np.asarray(high)
    better, worse = low > 0, high < 0
    if margin is None:
        return np.select([better, worse], ["better", "worse"], "undecided")
    margin = np.broadcast_to(margin, low.shape)
    no_worse = low > -margin
    equivalent = no_worse & (high < margin)
    less = np.array([f", by less than {value:g}" for value in margin.ravel()]).reshape(low.shape)
    words = ["better", "worse", "equivalent", "no worse"]
    said = np.select([better, worse, equivalent, no_worse], words, "undecided")
    return np.char.add(said, np.where((better | worse) & equivalent, less, ""))
