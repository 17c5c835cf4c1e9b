"""The tests of a comparison: p values, the intervals from which verdicts follow, and the table of both."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._columns import Columns, Pair
from ._corrections import correct_p_values, critical_values, intervals, verdicts
from ._paired_tests import paired_difference, sign_test, t_test, wilcoxon_test
from ._sign_flips import SignFlips, randomization_test
from ._summary import find_traits


class Plan(NamedTuple):
    """How to test, as `compare` takes it."""

    test: str
    correction: str | None
    margin: float | None
    confidence_level: float
    n_resamples: int
    random_state: Any


class Decisions(NamedTuple):
    """What is found of each comparison."""

    difference: np.ndarray
    standard_error: np.ndarray
    p_value: np.ndarray
    corrected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    wins: np.ndarray  # units
    ties: np.ndarray
    losses: np.ndarray
    flips: SignFlips | None  # of the randomization test


def decide(columns: Columns, plan: Plan) -> Decisions:
    """Test all comparisons."""
    terms, residuals, values, _, pairs, counts, n_effective, _ = columns
    found = t_test(terms, residuals, pairs, counts, n_effective)
    n_comparisons = int(np.count_nonzero(~np.isnan(found.p_value)))
    level = plan.confidence_level
    critical = critical_values(n_effective, n_comparisons, confidence_level=level, correction=plan.correction)
    flips = None
    p_value = found.p_value
    if plan.test == "wilcoxon":
        p_value = wilcoxon_test(values, pairs, counts)
    elif plan.test == "sign":
        p_value = sign_test(values, pairs)
    elif plan.test == "randomization":
        flips = randomization_test(
            terms,
            residuals,
            found.standard_error,
            pairs,
            counts,
            n_resamples=plan.n_resamples,
            confidence_level=level,
            random_state=plan.random_state,
        )
        p_value = flips.p_value
    compared = counts > 0
    p_value = np.where(compared, p_value, np.nan)
    difference = np.where(compared, found.difference, np.nan)
    if flips is not None and plan.correction == "max":
        corrected = np.where(compared, flips.max_p_value, np.nan)
        critical = np.full(len(pairs), flips.critical_value)
    else:
        corrected = correct_p_values(p_value, plan.correction)
    low, high = intervals(difference, found.standard_error, critical)
    wins, losses = _count_wins(values, pairs)
    sums = wins, counts - wins - losses, losses
    return Decisions(difference, found.standard_error, p_value, corrected, low, high, *sums, flips)


def tabulate(
    comparisons: Sequence[Pair], columns: Columns, found: Decisions, plan: Plan
) -> dict[str, np.ndarray]:
    """Return the table as numbers; better and worse are as the metric has it, differences as they are."""
    up = np.array([find_traits(each.metric).greater_is_better for each in comparisons])
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = found.standard_error * np.sqrt(columns.counts)
        effect = np.where(found.difference == 0, 0.0, found.difference / deviation)
    names = (np.array([each[place] for each in comparisons]) for place in range(3))
    lower, upper = np.where(up, found.low, -found.high), np.where(up, found.high, -found.low)
    return {
        **dict(zip(("metric", "system", "other"), names)),
        "mean": columns.means[columns.pairs[:, 0]],
        "other_mean": columns.means[columns.pairs[:, 1]],
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p_value,
        "p_corrected": found.corrected,
        "effect": effect,
        "wins": np.where(up, found.wins, found.losses),
        "ties": found.ties,
        "losses": np.where(up, found.losses, found.wins),
        "n": columns.counts,
        "left_out": columns.n_left_out,
        "verdict": verdicts(lower, upper, plan.margin),
    }


def _count_wins(values: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the units whose value is higher, and lower."""
    apart = [np.sign(paired_difference(values, a, b)) for a, b in pairs]
    return np.array([(each > 0).sum() for each in apart]), np.array([(each < 0).sum() for each in apart])
