"""The gate: it fails if a system is worse than the baseline by more than the margin."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .._checks.errors import count_of, fail, kind_of
from .._checks.options import check_choice
from ._comparison import Comparison
from ._decide import RANKS, list_by_metric
from ._match import ON_SAME
from ._reported_queries import SHOWN, list_names, show

WORDS = {"worse": "is worse", "undecided": "might be worse"}  # by outcome, the first one first


def find_outcomes(comparison: Comparison) -> np.ndarray:
    """Return the outcome of each comparison: "passed", "worse" or "undecided".

    A system is worse if its verdict is "worse" and the difference is below -margin. It passes if its verdict
    is "better", if the interval is above -margin, or if all values are identical.
    """
    columns, metrics = comparison.columns, comparison.columns["metric"].tolist()
    sign = np.where([comparison._matched.traits[each].greater_is_better for each in metrics], 1, -1)
    margin = np.nan_to_num(list_by_metric(comparison._plan.margin, metrics))
    difference, *ends = (sign * columns[name] for name in ("difference", "low", "high"))
    is_better, is_worse = (np.char.startswith(columns["verdict"], word) for word in ("better", "worse"))
    same = (difference == 0) & (comparison._paired.n_differ == 0)
    passed = same | is_better | (np.minimum(*ends) > -margin)
    return np.select([is_worse & (difference < -margin), passed], ["worse", "passed"], "undecided")


def find_failure(comparison: Comparison, fail_on: str) -> tuple[str, str]:
    """Return "worse" or "undecided" with a sentence if the gate fails, and otherwise empty text."""
    outcomes, columns = find_outcomes(comparison), comparison.columns
    for row in np.flatnonzero(np.isnan(columns["difference"]))[:1]:
        metric, *pair = (columns[name][row] for name in ("metric", "system", "other"))
        got = f"no such query for {show(str(metric))} of {list_names([str(each) for each in pair])}"
        fail("comparison", "have a query with a value in both systems, for each metric", got)
    if other_labels := comparison._matched.other_labels:
        fail("comparison", "compare the same labels", other_labels[0], ON_SAME)
    for outcome, is_worse in WORDS.items() if fail_on == "undecided" else [("worse", WORDS["worse"])]:
        rows = np.flatnonzero(outcomes == outcome)
        metrics: dict[tuple[str, str], list[str]] = {}
        for metric, *pair in zip(*(columns[name][rows].tolist() for name in ("metric", "system", "other"))):
            metrics.setdefault((pair[0], pair[1]), []).append(metric)
        if metrics:
            facts = [
                f'"{a}" {is_worse} than "{b}" in {", ".join(names)}' for (a, b), names in metrics.items()
            ]
            more = f"; and {len(facts) - SHOWN} more" if len(facts) > SHOWN else ""
            return outcome, f"{'; '.join(facts[:SHOWN])}{more}"
    return "", ""


def assert_not_worse(comparison: Comparison, *, fail_on: Literal["worse", "undecided"] = "worse") -> None:
    """Raise an AssertionError with the table if a system is worse than the baseline.

    A system is worse in a metric if its verdict is "worse" and the difference is below minus the margin.
    Identical values always pass.

    Parameters
    ----------
    comparison : Comparison
        Result of :func:`compare` with a baseline, or with two systems; then the second is tested. The test
        must be "auto", "t" or "randomization", because other tests have no intervals.
    fail_on : {"worse", "undecided"}, default="worse"
        If "undecided", comparisons also fail if the interval reaches below minus the margin, or below 0
        without a margin.

    Raises
    ------
    AssertionError
        If a system is worse, or undecided with ``fail_on="undecided"``. The message contains the table.
    ValueError
        If no query has a value in both systems, or if the labels of the systems differ.

    Examples
    --------
    >>> from sklearn_rank import RankingReport, compare
    >>> from sklearn_rank.reports import assert_not_worse
    >>> ids = range(8)
    >>> old = RankingReport.from_values(ids, {"mrr": [0.5, 1, 1, 0.5, 1, 0.25, 1, 0.5]})
    >>> new = RankingReport.from_values(ids, {"mrr": [0.5, 1, 1, 1, 1, 0.25, 1, 0.5]})
    >>> assert_not_worse(compare({"old": old, "new": new}, baseline="old", margin=0.02))
    """
    if not isinstance(comparison, Comparison):
        fix = "Pass assert_not_worse(compare(reports, baseline=...))."
        fail("comparison", "be a Comparison", kind_of(comparison), fix)
    check_choice("fail_on", fail_on, ("worse", "undecided"))
    if comparison.baseline is None and len(comparison.systems) > 2:
        got = count_of(len(comparison.systems), "system") + " without a baseline"
        fix = f"Pass compare(reports, baseline={comparison.systems[0]!r})."
        fail("comparison", "have a baseline, or two systems", got, fix)
    if comparison._plan.test in RANKS:
        fix = "Pass compare(..., test='t')."
        fail("comparison", "have intervals", f"test={comparison._plan.test!r}", fix)
    outcome, sentence = find_failure(comparison, fail_on)
    if outcome:
        unknown = "The labels could not be checked.\n" * (comparison._matched.other_labels is None)
        raise AssertionError(f"{sentence}.\n{unknown}{comparison}")
