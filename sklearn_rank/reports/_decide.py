"""The tests of a comparison: p-values, the intervals that determine verdicts, and their table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from .._checks.types import RandomState
from ._intervals import find_traits
from ._match import Columns, ComparedPair, Paired
from ._paired_tests import SignFlips, randomization_test, sign_test, wilcoxon_test


def correct_p_values(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Correct p-values by "holm", "bonferroni", "fdr_bh" or not at all, ignoring nan."""
    corrected = np.array(p_values, dtype=float)
    known = ~np.isnan(corrected)
    if correction is not None and known.any():
        corrected[known] = _CORRECTIONS[correction](corrected[known])
    return corrected


def _holm(p_values: np.ndarray) -> np.ndarray:
    """Multiply the smallest p by n, the next by n - 1, and so on, without a decrease (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty_like(p_values)
    corrected[order] = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    return np.minimum(1.0, corrected)


_CORRECTIONS = {
    "bonferroni": lambda p_values: np.minimum(1.0, len(p_values) * p_values),
    "fdr_bh": stats.false_discovery_control,
    "holm": _holm,
}


def critical_values(
    n_effective: np.ndarray, n_comparisons: int, confidence_level: float, correction: str | None
) -> np.ndarray:
    """Return the t quantiles for intervals; with any correction they are simultaneous, by Bonferroni."""
    level = corrected_level(1 - confidence_level, n_comparisons, correction)
    return stats.t.isf(level / 2, np.asarray(n_effective) - 1.0)


def intervals(
    difference: np.ndarray, standard_error: np.ndarray, critical: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of D -+ critical * se; 0 without any difference, even if `critical` is inf."""
    positive = standard_error > 0
    half = np.where(positive, critical * np.where(positive, standard_error, 1.0), standard_error)
    return difference - half, difference + half


def corrected_level(level: float, n_comparisons: int, correction: str | None) -> float:
    """Return the lowest level at which a comparison of the table is tested, by Bonferroni."""
    return level if correction is None else level / max(n_comparisons, 1)


def verdicts(low: np.ndarray, high: np.ndarray, margin: float | None = None) -> np.ndarray:
    """Return verdicts from the intervals of differences."""
    low, high = np.asarray(low), np.asarray(high)
    better, worse = low > 0, high < 0
    if margin is None:
        return np.select([better, worse], ["better", "worse"], "undecided")
    no_worse = low > -margin
    equivalent = no_worse & (high < margin)
    words = ["better", "worse", "equivalent", "no worse"]
    verdict = np.select([better, worse, equivalent, no_worse], words, "undecided")
    return np.char.add(verdict, np.where((better | worse) & equivalent, f", by less than {margin:g}", ""))


class ComparisonPlan(NamedTuple):
    """The options of the test, from `compare`."""

    test: str
    correction: str | None
    margin: float | None
    confidence_level: float
    n_resamples: int
    random_state: RandomState


def decide(
    comparisons: Sequence[ComparedPair], paired: Paired, columns: Columns | None, plan: ComparisonPlan
) -> tuple[dict[str, np.ndarray], SignFlips | None]:
    """Return the table of all comparisons as numbers, and the sign flips of a randomization test."""
    means, counts, n_effective, n_left_out, wins, losses, found = paired
    p_value, flips = _find_p_values(paired, columns, plan)
    difference = np.where(counts > 0, found.difference, np.nan)
    if flips is not None and plan.correction == "max":
        corrected = np.where(counts > 0, flips.max_p_value, np.nan)
        critical = np.full(len(counts), flips.critical_value)
    else:
        corrected = correct_p_values(p_value, plan.correction)
        n_comparisons = int(np.count_nonzero(~np.isnan(found.p_value)))
        critical = critical_values(n_effective, n_comparisons, plan.confidence_level, plan.correction)
    low, high = intervals(difference, found.standard_error, critical)
    up = np.array([find_traits(each.metric).greater_is_better for each in comparisons])
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(difference == 0, 0.0, difference / (found.standard_error * np.sqrt(counts)))
    table = {
        **dict(zip(("metric", "system", "other"), map(np.array, zip(*comparisons)))),
        "mean": means[:, 0],
        "other_mean": means[:, 1],
        "difference": difference,
        "low": low,
        "high": high,
        "p": p_value,
        "p_corrected": corrected,
        "effect": effect,
        "wins": np.where(up, wins, losses),
        "ties": counts - wins - losses,
        "losses": np.where(up, losses, wins),
        "n": counts,
        "left_out": n_left_out,
        "verdict": verdicts(np.where(up, low, -high), np.where(up, high, -low), plan.margin),
    }
    return table, flips


def _find_p_values(
    paired: Paired, columns: Columns | None, plan: ComparisonPlan
) -> tuple[np.ndarray, SignFlips | None]:
    """Return the p-value of each comparison by the test of the plan, and its sign flips, if any."""
    p_value, flips = paired.t.p_value, None
    if plan.test == "sign":
        p_value = sign_test(paired.wins, paired.losses)
    elif columns is not None and plan.test == "wilcoxon":
        p_value = wilcoxon_test(columns.values, columns.pairs, paired.counts, columns.rounding)
    elif columns is not None and plan.test == "randomization":
        flips = randomization_test(
            columns.terms,
            columns.residuals,
            paired.t.standard_error,
            columns.pairs,
            paired.counts,
            n_resamples=plan.n_resamples,
            confidence_level=plan.confidence_level,
            random_state=plan.random_state,
            rounding=columns.rounding,
        )
        p_value = flips.p_value
    return np.where(paired.counts > 0, p_value, np.nan), flips
