"""The tests of a comparison: p values, the intervals from which verdicts follow, and the table of both."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._columns import Columns, Pair, Paired
from ._corrections import correct_p_values, critical_values, intervals, verdicts
from ._paired_tests import sign_test_of_counts, wilcoxon_test
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


def decide(paired: Paired, columns: Columns | None, plan: Plan) -> Decisions:
    """Test all comparisons; without columns, which moments have none of, by "t" or "sign"."""
    _, counts, n_effective, _, wins, losses, found = paired
    n_comparisons = int(np.count_nonzero(~np.isnan(found.p_value)))
    level = plan.confidence_level
    critical = critical_values(n_effective, n_comparisons, confidence_level=level, correction=plan.correction)
    flips = None
    p_value = found.p_value
    if plan.test == "sign":
        p_value = sign_test_of_counts(wins, losses)
    elif columns is not None and plan.test == "wilcoxon":
        p_value = wilcoxon_test(columns.values, columns.pairs, counts, columns.rounding)
    elif columns is not None and plan.test == "randomization":
        flips = randomization_test(
            columns.terms,
            columns.residuals,
            found.standard_error,
            columns.pairs,
            counts,
            n_resamples=plan.n_resamples,
            confidence_level=level,
            random_state=plan.random_state,
            rounding=columns.rounding,
        )
        p_value = flips.p_value
    compared = counts > 0
    p_value = np.where(compared, p_value, np.nan)
    difference = np.where(compared, found.difference, np.nan)
    if flips is not None and plan.correction == "max":
        corrected = np.where(compared, flips.max_p_value, np.nan)
        critical = np.full(len(counts), flips.critical_value)
    else:
        corrected = correct_p_values(p_value, plan.correction)
    low, high = intervals(difference, found.standard_error, critical)
    ties = counts - wins - losses
    return Decisions(
        difference, found.standard_error, p_value, corrected, low, high, wins, ties, losses, flips
    )


def tabulate(
    comparisons: Sequence[Pair], paired: Paired, found: Decisions, plan: Plan
) -> dict[str, np.ndarray]:
    """Return the table as numbers; better and worse are as the metric has it, differences as they are."""
    up = np.array([find_traits(each.metric).greater_is_better for each in comparisons])
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = found.standard_error * np.sqrt(paired.counts)
        effect = np.where(found.difference == 0, 0.0, found.difference / deviation)
    names = (np.array([each[place] for each in comparisons]) for place in range(3))
    lower, upper = np.where(up, found.low, -found.high), np.where(up, found.high, -found.low)
    return {
        **dict(zip(("metric", "system", "other"), names)),
        "mean": paired.means[:, 0],
        "other_mean": paired.means[:, 1],
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p_value,
        "p_corrected": found.corrected,
        "effect": effect,
        "wins": np.where(up, found.wins, found.losses),
        "ties": found.ties,
        "losses": np.where(up, found.losses, found.wins),
        "n": paired.counts,
        "left_out": paired.n_left_out,
        "verdict": verdicts(lower, upper, plan.margin),
    }
