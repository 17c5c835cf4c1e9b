"""The decision about each comparison: its critical value, p, interval, verdict, and why it is undecided.

An interval is D -+ c se. It excludes 0 exactly if p is at most 1 - confidence_level.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import ceil
from typing import NamedTuple

import numpy as np
from scipy import stats

from .._checks.errors import fail, is_real
from .._checks.options import check_random
from .._checks.types import RandomState
from ._intervals import find_traits
from ._match import Columns, ComparedPair, Matched, Paired, pair_queries
from ._paired_tests import PairedT, are_few, draw_sums, find_p_among, sign_test, studentize, wilcoxon_test
from ._reported_queries import list_names

RANKS = ("wilcoxon", "sign")  # tests that do not test the difference of means, so they have no interval of it
AIM, POWER = 0.01, 0.8  # of the number of queries in a reason

Margin = float | Mapping[str, float] | None


def check_margin(margin: object, metrics: Sequence[str]) -> None:
    """Check a margin, or margins by metric."""
    by_metric = margin if isinstance(margin, Mapping) else {metrics[0]: margin}
    if not by_metric:
        fail("margin", "be a positive number, a non-empty dict of metrics to positive numbers, or None", "{}")
    for name, each in by_metric.items():
        if name not in metrics:
            fail("margin", f"have compared metrics as keys ({list_names(metrics)})", repr(name))
        if margin is not None and not (is_real(each) and 0 < each < np.inf):
            rule = "be a positive number, a dict of metrics to positive numbers, or None"
            fail("margin", rule, repr(margin))


def write_margin(margin: float | Mapping[str, float]) -> str:
    """Return the note on a margin, or on margins by metric."""
    if not isinstance(margin, Mapping):
        return f"Equivalence margin: {margin:g}."
    return f"Equivalence margins: {', '.join(f'{each:g} for {name}' for name, each in margin.items())}."


def list_margins(margin: Margin, metrics: Sequence[str]) -> np.ndarray:
    """Return the margin of each metric; nan for a metric without a margin."""
    by_metric = margin if isinstance(margin, Mapping) else dict.fromkeys(metrics, margin)
    found = [by_metric.get(name) for name in metrics]
    return np.array([np.nan if each is None else each for each in found], dtype=float)


def find_directions(metrics: Sequence[str]) -> np.ndarray:
    """Return 1 for each metric whose greater values are better, and -1 for the others."""
    return np.array([1 if find_traits(name).greater_is_better else -1 for name in metrics])


class ComparisonPlan(NamedTuple):
    """The options of the test, from `compare`."""

    test: str
    correction: str | None
    margin: Margin
    confidence_level: float
    n_resamples: int
    random_state: RandomState

    @property
    def alpha(self) -> float:
        """Return the level of all comparisons together, or of each without a correction."""
        return 1 - self.confidence_level

    def count(self, paired: Paired) -> int:
        """Return the number of comparisons that share the level."""
        return 1 if self.correction is None else len(paired.counts)


class Decision(NamedTuple):
    """The decision about each comparison."""

    p_value: np.ndarray  # uncorrected
    corrected: np.ndarray
    critical: np.ndarray  # c
    level: np.ndarray  # of a t test with this critical value
    flipped: np.ndarray  # whether c and p are from sign flips too
    limit: np.ndarray  # 0, or if few units differ, the highest plausible share of units that do
    low: np.ndarray
    high: np.ndarray


def decide(
    comparisons: Sequence[ComparedPair], paired: Paired, columns: Columns | None, plan: ComparisonPlan
) -> tuple[dict[str, np.ndarray], Decision]:
    """Return the table of all comparisons as numbers, and the decisions."""
    counts, wins, losses = paired.counts, paired.wins, paired.losses
    decision = _decide(paired, columns, plan)
    metrics = [each.metric for each in comparisons]
    up, margins = find_directions(metrics) > 0, list_margins(plan.margin, metrics)
    low, high = decision.low, decision.high
    words = verdicts(np.where(up, low, -high), np.where(up, high, -low), margins)
    if plan.test in RANKS:
        words = np.full(len(words), "")
    reasons = [
        _explain(place, paired, decision, margins[place]) if word == "undecided" else ""
        for place, word in enumerate(words)
    ]
    difference = np.where(counts > 0, paired.t.difference, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(difference == 0, 0.0, difference / paired.deviation)
    table = {
        **dict(zip(("metric", "system", "other"), map(np.array, zip(*comparisons)))),
        "mean": paired.means[:, 0],
        "other_mean": paired.means[:, 1],
        "difference": difference,
        "low": low,
        "high": high,
        "p": decision.p_value,
        "p_corrected": decision.corrected,
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


def decide_segments(
    matched: Matched,
    comparisons: Sequence[ComparedPair],
    codes: np.ndarray,
    n_segments: int,
    plan: ComparisonPlan,
) -> tuple[dict[str, np.ndarray], Paired, Decision]:
    """Decide about the comparisons in each segment together. Queries outside a segment count as zeros."""
    parts = [pair_queries(matched, comparisons, codes == code) for code in range(n_segments)]
    columns, paired = zip(*parts)
    residuals, values, pairs, rounding = zip(*columns)
    first = np.cumsum([0, *(each.shape[1] for each in residuals)])
    places = np.concatenate([each + start for each, start in zip(pairs, first)])
    every = Columns(np.hstack(residuals), np.hstack(values), places, max(rounding))
    arrays = {
        name: np.concatenate([getattr(each, name) for each in paired])
        for name in Paired._fields
        if isinstance(getattr(paired[0], name), np.ndarray)
    }
    t = PairedT(*map(np.concatenate, zip(*(each.t for each in paired))))
    joined = paired[0]._replace(t=t, **arrays)
    table, decision = decide(list(comparisons) * n_segments, joined, every, plan)
    return table, joined, decision


def _decide(paired: Paired, columns: Columns | None, plan: ComparisonPlan) -> Decision:
    """Test, and widen the intervals of comparisons in which few units differ to what the others may hide."""
    p_value, corrected, critical, flipped = _test(paired, columns, plan)
    found, level = paired.t, plan.alpha / plan.count(paired)
    levels = np.where(flipped, 2 * stats.t.sf(critical, paired.n_effective - 1.0), level)
    limit = np.zeros(len(critical))
    if plan.test in RANKS:
        low, high = np.full((2, len(critical)), np.nan)
    else:
        least = np.minimum(1.0, 2.0 ** (1.0 - paired.n_differ))  # p if all differences have one sign
        corrected = np.maximum(corrected, least)
        few = least > plan.alpha
        limit[few] = share_limit(paired, level)[few]
        reach = np.where(few, limit * np.where(np.isinf(paired.span), np.nan, paired.span), 0.0)
        low, high = intervals(found.difference, found.standard_error, critical)
        low = np.where(corrected > plan.alpha, np.minimum(low, 0.0 - reach), low)
        high = np.where(corrected > plan.alpha, np.maximum(high, reach), high)
    return Decision(p_value, corrected, critical, levels, flipped, limit, low, high)


def _test(
    paired: Paired, columns: Columns | None, plan: ComparisonPlan
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return p, corrected p and the critical value of each comparison, and whether signs were flipped."""
    found, n = paired.t, plan.count(paired)
    df, level = paired.n_effective - 1.0, plan.alpha / n
    critical = stats.t.isf(level / 2, df)
    flipped = np.zeros(len(critical), dtype=bool)
    p_value = found.p_value.copy()
    if plan.test == "sign":
        p_value = sign_test(paired.wins, paired.losses)
    elif columns is not None and plan.test == "wilcoxon":
        p_value = wilcoxon_test(columns.values, columns.pairs, paired.counts, columns.rounding)
    elif plan.correction == "auto" or plan.test == "randomization":
        flipped = paired.alike & (found.standard_error > 0)
    rows = np.flatnonzero(flipped)
    if columns is not None and len(rows) and plan.test == "randomization":
        _check_resamples(level, len(columns.residuals), plan)
        for row, drawn in zip(rows, _draw_t(rows, paired, columns, plan)):
            p, least = find_p_among(drawn, found.statistic[row], level)
            p_value[row], critical[row] = max(p_value[row], p), max(critical[row], least)
    p_value[paired.counts == 0] = np.nan
    corrected = np.minimum(1.0, n * p_value)
    if columns is not None and len(rows) and plan.correction == "auto":
        largest = reduce(np.maximum, _draw_t(rows, paired, columns, plan))
        part = paired.alike.mean()  # of the level; the other comparisons have the rest
        _check_resamples(plan.alpha * part, len(columns.residuals), plan)
        p, least = find_p_among(largest, found.statistic[rows], plan.alpha * part)
        corrected[rows] = np.maximum(np.minimum(1.0, p / part), found.p_value[rows])
        critical[rows] = np.maximum(stats.t.isf(plan.alpha / 2, df[rows]), least)
    return p_value, corrected, critical, flipped


def _check_resamples(level: float, n_units: int, plan: ComparisonPlan) -> None:
    """Check that random flips are enough for a p-value at the level; otherwise all intervals are infinite."""
    least = ceil(1 / level - 1e-6) - 1
    if plan.n_resamples < least and not are_few(n_units, plan.n_resamples):
        rule = f"be at least {least}, because p must be able to reach {level:.2g}"
        fail("n_resamples", rule, plan.n_resamples, f"Pass n_resamples={least}.")


def _draw_t(rows: np.ndarray, paired: Paired, columns: Columns, plan: ComparisonPlan) -> Iterator[np.ndarray]:
    """Yield |t| of comparisons with random signs of the centered differences, one sign per unit.

    The largest of them has the distribution of the largest |t| of equal systems (Westfall and Young 1993).
    """
    sums = draw_sums(columns.residuals, plan.n_resamples, check_random(plan.random_state))
    for row in rows:
        one, other = columns.pairs[row]
        drawn = np.abs(sums[:, one] - sums[:, other])
        yield studentize(drawn, paired.t.standard_error[row] ** 2, paired.counts[row])


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


def verdicts(low: np.ndarray, high: np.ndarray, margin: float | np.ndarray = np.nan) -> np.ndarray:
    """Return verdicts from the intervals of differences; nan means that there is no margin."""
    low, high, margin = np.broadcast_arrays(low, high, margin)
    better, worse = low > 0, high < 0
    no_worse = low > -margin
    equivalent = no_worse & (high < margin)
    words = ["better", "worse", "equivalent", "no worse"]
    verdict = np.select([better, worse, equivalent, no_worse], words, "undecided")
    by_less = [f", by less than {each:g}" for each in margin.tolist()]
    return np.char.add(verdict, np.where((better | worse) & equivalent, by_less, ""))


def _explain(place: int, paired: Paired, decision: Decision, margin: float) -> str:
    """Return why a comparison is undecided."""
    unit, units = paired.unit
    n, n_differ, error = paired.counts[place], paired.n_differ[place], paired.t.standard_error[place]
    if n < 2:
        return f"fewer than two {units} are compared"
    if paired.n_effective[place] <= 1:
        return f"{n} {units} are too few to decide"
    if np.isnan(error):
        return paired.unknown
    if limit := decision.limit[place]:
        share = f"{limit:.0%}" if limit > 0.02 else f"{limit:.2%}"
        few = f"{n_differ} of {n} {units} differ: too few to decide"
        return few if n_differ else f"no {unit} differs: up to {share} of {units} like these may"
    aim = AIM if np.isnan(margin) else margin
    z, z_power = stats.norm.isf((decision.level[place] / 2, 1 - POWER))
    needed = ((z + z_power) * paired.deviation[place] / aim) ** 2 + z**2 / 2
    if not np.isfinite(needed):
        return f"{n} {units} are too few to decide"
    shown = (decision.critical[place] + z_power) * error
    return f"about {needed:,.0f} {units} would show a difference of {aim:g}; {n:,} can show {shown:.2g}"
