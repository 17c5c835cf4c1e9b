"""The decision about each comparison: p, interval, verdict, and why it is undecided."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy import stats

from .._checks.errors import fail
from .._checks.options import check_random
from .._checks.types import RandomState
from ._equal import ROUNDING, subtract_equal
from ._paired_queries import Columns, ComparedPair, Paired
from ._paired_tests import (
    TOLERANCE,
    are_few,
    correct_p,
    draw_sums,
    find_p_among,
    flip_test,
    paired_difference,
    sign_test,
    studentize,
    swap_test,
    wilcoxon_test,
)
from ._power import find_aims

RANKS = ("wilcoxon", "sign")  # tests that do not test the difference of means, so they have no interval of it
FEWEST = 6  # differences; a sign test of fewer is not significant at 0.05: 2 / 2**5 = 0.06
POWER = 0.8  # of the number of queries in a reason

Margin = float | Mapping[str, float] | None


def list_by_metric(numbers: Margin, metrics: Sequence[str]) -> np.ndarray:
    """Return the margin or difference of each metric; nan for a metric without a number."""
    by_metric = numbers if isinstance(numbers, Mapping) else dict.fromkeys(metrics, numbers)
    found = [by_metric.get(name) for name in metrics]
    return np.array([np.nan if each is None else each for each in found], dtype=float)


class ComparisonPlan(NamedTuple):
    """The options of the test, from `compare`."""

    test: str
    correction: str | None
    margin: Margin
    confidence_level: float
    n_resamples: int
    random_state: RandomState
    is_adjusted: bool = False  # whether means are adjusted for a covariate

    @property
    def alpha(self) -> float:
        """Return the level of all comparisons together, or of each without a correction."""
        return 1 - self.confidence_level

    @property
    def method(self) -> str | None:
        """Return the correction: "auto" is that by the largest |t|, or Holm's."""
        return "holm" if self.correction == "auto" and self.test != "auto" else self.correction

    def count(self, paired: Paired) -> int:
        """Return the number of comparisons that share the level."""
        return 1 if self.correction is None else len(paired.counts)


class Decision(NamedTuple):
    """The decision about each comparison."""

    p_value: np.ndarray  # uncorrected
    corrected: np.ndarray
    critical: np.ndarray  # c of a t test
    level: np.ndarray  # of a t test with this critical value
    limit: np.ndarray  # 0, or if few units differ, the highest plausible share of units that do
    low: np.ndarray
    high: np.ndarray
    significant: np.ndarray


def decide(
    comparisons: Sequence[ComparedPair], paired: Paired, columns: Columns | None, plan: ComparisonPlan
) -> tuple[dict[str, np.ndarray], Decision]:
    """Return the table of all comparisons as numbers, and the decisions."""
    counts, wins, losses = paired.counts, paired.wins, paired.losses
    decision = _decide(paired, columns, plan)
    metrics = [each.metric for each in comparisons]
    up, margins = paired.up, list_by_metric(plan.margin, metrics)
    low, high = decision.low, decision.high
    difference = np.where(counts > 0, paired.t.difference, np.nan)
    signs = np.where(up, 1, -1) * np.sign(np.where(decision.significant, difference, 0))
    words = verdicts(signs, np.where(up, low, -high), np.where(up, high, -low), margins)
    aims = np.where(np.isnan(margins), find_aims(paired, decision.critical), margins)
    by_holm = decision.significant & (low <= 0) & (high >= 0)
    reasons = [
        _explain(place, paired, decision, plan, aims[place]) if word == "undecided" else BY_HOLM * marked
        for place, (word, marked) in enumerate(zip(words, by_holm.tolist()))
    ]
    if plan.test in RANKS:
        words, reasons = np.full(len(words), ""), [""] * len(words)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(difference == 0, 0.0, difference / paired.deviation)
    table = {
        **dict(zip(("metric", "system", "other"), map(np.array, zip(*comparisons)))),
        "mean": paired.means[:, 0],
        "other_mean": paired.means[:, 1],
        "difference": difference,
        "low": low,
        "high": high,
        **_relate(paired, decision, difference, plan.test in ("auto", "t")),
        "p": decision.corrected,
        "p_unadjusted": decision.p_value,
        "effect": effect,
        "wins": np.where(up, wins, losses),
        "ties": counts - wins - losses,
        "losses": np.where(up, losses, wins),
        "n": counts,
        "left_out": paired.n_left_out,
        "verdict": words,
        "why": np.array(reasons),
    }
    return table, decision


def _relate(
    paired: Paired, decision: Decision, difference: np.ndarray, is_by_t: bool
) -> dict[str, np.ndarray]:
    """Return differences as parts of the other mean, with Fieller's interval by the t of the difference.

    All are nan without such an interval: if the other mean is not clearly above 0, or few units differ.
    """
    mean = paired.means[:, 1]
    with np.errstate(invalid="ignore", over="ignore"):
        variances, square = np.square(paired.errors), np.square(paired.t.standard_error)
        covariance = (variances[:, 0] - variances[:, 1] - square) / 2  # of the difference and the other mean
        is_known = is_by_t & paired.has_ratio & (decision.limit == 0)
        c = np.where(is_known, decision.critical, np.nan) ** 2
        a, b = mean**2 - c * variances[:, 1], difference * mean - c * covariance
        a = np.where((a > 0) & (mean > 0), a, np.nan)
        root = np.sqrt(np.maximum(b**2 - a * (difference**2 - c * square), 0))
    low, high = (b - root) / a, (b + root) / a
    relative = difference / np.where(np.isnan(low), np.nan, mean)
    return {"relative": relative, "relative_low": low, "relative_high": high}


def _decide(paired: Paired, columns: Columns | None, plan: ComparisonPlan) -> Decision:
    """Test and correct, and widen the intervals of comparisons in which few units differ."""
    found, counts, level = paired.t, paired.counts, plan.alpha / plan.count(paired)
    critical = stats.t.isf(level / 2, paired.n_effective - 1.0)
    p_value, low, high = _test(paired, columns, plan, level)
    few, of_pairs = paired.n_differ == 0, np.isfinite(paired.n_differ) & (paired.of_people is None)
    equal = of_pairs & ~few & np.isnan(found.standard_error)  # all differences, which are not 0
    if plan.test not in RANKS:  # units that do not count alike are as many as n_effective
        p_value = np.where(equal, 2.0 ** (1 - np.floor(paired.n_effective + TOLERANCE)), p_value)
    p_value = np.where(counts > 0, p_value, np.nan)
    corrected = correct_p(p_value, "bonferroni" if plan.method == "auto" else plan.method)
    joint = paired.alike & (found.standard_error > 0) & (plan.method == "auto" and len(counts) > 1)
    if columns is not None and joint.any():
        rows = np.flatnonzero(joint)
        corrected[rows], critical[rows] = _correct_jointly(rows, paired, columns, plan)
    if plan.test == "auto":
        least = np.minimum(1.0, 2.0 ** (1.0 - paired.n_differ))  # p if all differences have one sign
        few = few | (least > min(plan.alpha, 2.0 ** (2 - FEWEST)))
        p_value, corrected = (np.where(few, np.maximum(each, least), each) for each in (p_value, corrected))
    if plan.test in ("auto", "t"):
        low, high = intervals(found.difference, found.standard_error, critical)
    significant = (corrected <= plan.alpha * (1 + TOLERANCE)) & (plan.test not in RANKS)
    limit = np.where(few & ~significant, share_limit(paired, level), 0.0)
    reach = np.where(limit > 0, limit * np.where(np.isinf(paired.span), np.nan, paired.span), 0.0)
    low = np.where(significant, low, np.minimum(low, 0.0 - reach))
    high = np.where(significant, high, np.maximum(high, reach))
    low, high = (np.where(equal | (counts < 2), np.nan, end) for end in (low, high))
    levels = np.where(joint, 2 * stats.t.sf(critical, paired.n_effective - 1.0), level)
    return Decision(p_value, corrected, critical, levels, limit, low, high, significant)


def _test(
    paired: Paired, columns: Columns | None, plan: ComparisonPlan, level: float
) -> tuple[np.ndarray, ...]:
    """Return the uncorrected p of each comparison, and the interval of a randomization test, else nan."""
    none = np.full(len(paired.counts), np.nan)
    if plan.test == "sign":
        return sign_test(paired.wins, paired.losses), none, none
    if columns is not None and plan.test == "wilcoxon":
        of_ranks = wilcoxon_test(columns.values, columns.pairs, paired.counts, columns.rounding)
        return of_ranks, none, none
    if columns is not None and plan.test == "randomization":
        return _flip(paired, columns, plan, level)
    return paired.t.p_value.copy(), none, none


def _flip(paired: Paired, columns: Columns, plan: ComparisonPlan, level: float) -> tuple[np.ndarray, ...]:
    """Test each comparison by sign flips; those of the same units share the flips."""
    p_value, low, high = np.ones(len(paired.counts)), *np.full((2, len(paired.counts)), np.nan)
    together: dict[bytes, list[int]] = {}
    for row, pair in enumerate(columns.pairs.tolist()):
        one, other = columns.weights[:, pair].T
        inside, is_same = one > 0, subtract_equal(one, other, rounding=columns.rounding) == 0
        if not inside.any():
            continue
        _check_resamples(level, int(np.count_nonzero(inside)), plan)
        if is_same.all():
            together.setdefault(inside.tobytes(), []).append(row)
            continue
        below, random = columns.weights[:, pair], check_random(plan.random_state)
        above = columns.terms[:, pair] * below.sum(axis=0)
        p_value[row] = swap_test(above[inside], below[inside], plan.n_resamples, random)
    for inside_bytes, rows in together.items():
        units, pairs = np.frombuffer(inside_bytes, dtype=bool), columns.pairs[rows]
        weights = columns.weights[units][:, pairs[:, 0]]
        differences = [paired_difference(columns.terms, a, b, columns.rounding) for a, b in pairs]
        sizes = np.abs(columns.terms).sum(axis=0)[pairs].sum(axis=1)
        p_value[rows], low[rows], high[rows] = flip_test(
            np.column_stack(differences)[units],
            weights / weights.sum(axis=0),
            sizes * (columns.rounding - ROUNDING),  # of values in float32
            level,
            plan.n_resamples,
            check_random(plan.random_state),
        )
    return p_value, np.maximum(low, -paired.span), np.minimum(high, paired.span)


def _correct_jointly(
    rows: np.ndarray, paired: Paired, columns: Columns, plan: ComparisonPlan
) -> tuple[np.ndarray, np.ndarray]:
    """Return the p of the largest |t| of the rows, or that of t if larger, and the critical value.

    If centered differences get random signs, one per unit, the largest |t| of all comparisons has the
    distribution of that of equal systems (Westfall and Young 1993).
    """
    found, df = paired.t, paired.n_effective[rows] - 1.0
    part = paired.alike.mean()  # of the level; the other comparisons have the rest
    _check_resamples(plan.alpha * part, len(columns.residuals), plan)
    sums = draw_sums(columns.residuals, plan.n_resamples, check_random(plan.random_state))
    largest = np.zeros(len(sums))
    for row, (one, other) in zip(rows, columns.pairs[rows]):
        drawn = np.abs(sums[:, one] - sums[:, other])
        t = studentize(drawn, found.standard_error[row] ** 2, paired.counts[row])
        largest = np.maximum(largest, t)
    p, least = find_p_among(largest, found.statistic[rows], plan.alpha * part)
    critical = np.maximum(stats.t.isf(plan.alpha / 2, df), least)
    return np.maximum(np.minimum(1.0, p / part), found.p_value[rows]), critical


def _check_resamples(level: float, n_units: int, plan: ComparisonPlan) -> None:
    """Check that random flips are enough for a p-value at the level; otherwise all intervals are infinite."""
    least = ceil(1 / level - 1e-6) - 1
    if plan.n_resamples < least and not are_few(n_units, plan.n_resamples):
        rule = f"be at least {least}, because p must be able to reach {level:.2g}"
        fail("n_resamples", rule, plan.n_resamples, f"Pass n_resamples={least}.")


def intervals(
    difference: np.ndarray, standard_error: np.ndarray, critical: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of D -+ critical * se; 0 without any difference, even if `critical` is inf."""
    positive = standard_error > 0
    half = np.where(positive, critical * np.where(positive, standard_error, 1.0), standard_error)
    return difference - half, difference + half


def share_limit(paired: Paired, level: float) -> np.ndarray:
    """Return the upper end of Clopper and Pearson's two-sided interval of the share of units that differ.

    Units that do not count alike are as many as `n_effective` (Korn and Graubard 1998).
    """
    n, n_differ = paired.n_effective, np.minimum(paired.n_differ, paired.counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        k = n * n_differ / paired.counts
    limit = stats.beta.isf(level / 2, k + 1, np.where(n > k, n - k, 1.0))
    return np.where(n > k, limit, 1.0)


def verdicts(
    signs: np.ndarray, low: np.ndarray, high: np.ndarray, margin: float | np.ndarray = np.nan
) -> np.ndarray:
    """Return verdicts from the signs of significant differences, else 0, and from intervals and margins."""
    signs, low, high, margin = np.broadcast_arrays(signs, low, high, margin)
    no_worse = low > -margin
    equivalent = no_worse & (high < margin)
    words = ["better", "worse", "equivalent", "no worse"]
    verdict = np.select([signs > 0, signs < 0, equivalent, no_worse], words, "undecided")
    by_less = [f", by less than {each:g}" for each in margin.tolist()]
    return np.char.add(verdict, np.where((signs != 0) & equivalent, by_less, ""))


BY_HOLM = "significant by Holm; the Bonferroni interval contains 0"


def _explain(place: int, paired: Paired, decision: Decision, plan: ComparisonPlan, aim: float) -> str:
    """Return why a comparison is undecided."""
    unit, units = paired.unit
    n, n_differ, error = paired.counts[place], paired.n_differ[place], paired.t.standard_error[place]
    if n < 2:
        return f"one {unit} has no interval" if n else f"no {unit} is compared"
    if paired.n_effective[place] <= 1:
        return f"{n} {units} are too few to decide"
    if np.isnan(error):
        return paired.unknown
    if limit := decision.limit[place]:
        share = f"{limit:.0%}" if limit > 0.02 else f"{limit:.2%}"
        few = f"{n_differ} of {n:,} {units} differ: too few to decide"
        more = f"no {unit} differs. With {n:,} {units}, up to {share} of new {units} could still differ"
        return few if n_differ else more
    if plan.test == "randomization" and 2.0 ** (1 - n) > plan.alpha / plan.count(paired):
        return f"{n} {units} cannot reach p = {plan.alpha:.4g}"
    z, z_power = stats.norm.isf((decision.level[place] / 2, 1 - POWER))
    needed = (((z + z_power) * paired.deviation[place] / aim) ** 2 + z**2 / 2) / paired.share[place]
    shown = (decision.critical[place] + z_power) * error
    these = f"these {n:,} {units} can show differences from {shown:.2g}"
    if np.isinf([needed, shown]).any():
        return f"{n} {units} are too few to decide"
    if np.isnan(needed):
        return these
    of_power = f"a difference of {aim:.3g} with {POWER:.0%} probability"
    return f"about {needed:,.0f} {units} would show {of_power}. T{these[1:]}"
