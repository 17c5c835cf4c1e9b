"""From reports to a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .._checks.errors import fail, is_real
from .._checks.options import check_choice, check_random, check_resamples
from ._columns import Pair, make_columns, pair_columns, pair_moments
from ._comparison import CORRECTION_NAMES, TEST_NAMES, Comparison
from ._decide import Plan, decide
from ._match import match_reports
from ._report import RankingReport
from ._settings import check_level

OF_VALUES = ("randomization", "wilcoxon")  # tests that take the value of each query


def compare(
    reports: Mapping[str, RankingReport],
    *,
    baseline: str | None = None,
    metrics: Iterable[str] | None = None,
    test: Literal["t", "randomization", "wilcoxon", "sign"] = "t",
    correction: Literal["holm", "bonferroni", "fdr_bh", "max"] | None = "holm",
    margin: float | None = None,
    confidence_level: float = 0.95,
    missing: Literal["raise", "drop"] = "raise",
    n_resamples: int = 10_000,
    random_state: Any = None,
) -> Comparison:
    """Compare systems on the same queries, by tests that are paired over queries.

    Parameters
    ----------
    reports : dict of str to RankingReport
        At least two systems by name. Their queries are matched by id. Where several have folds, each query
        must have been tested in the same one; weights and clusters must be the same. Reports of moments must
        be of one :class:`RankingEvaluator`, which took the scores of all these systems as a dict.
    baseline : str, default=None
        The system that all others are compared with; None compares all pairs, later ones less earlier ones.
    metrics : iterable of str, default=None
        Those to compare; None for all, which must be the same in all reports.
    test : {"t", "randomization", "wilcoxon", "sign"}, default="t"
        Paired t test; randomization test, which swaps the systems of queries; Wilcoxon's signed-rank test; or
        sign test. The last two do not weight queries. Moments know what "t" and "sign" take.
    correction : {"holm", "bonferroni", "fdr_bh", "max"} or None, default="holm"
        Of the p values for their number, over all metrics and systems of the table. "max" goes with the
        randomization test and knows how comparisons depend on each other (Westfall and Young, step-down).
    margin : float, default=None
        A difference that does not matter, > 0, for the verdicts "equivalent" and "no worse". It is of the
        mean as it is: where 40 % of the queries have nothing to find, .005 of it is .0083 of the others.
    confidence_level : float, default=0.95
        Of the intervals, in (0, 1). With a correction all of them hold together at this level.
    missing : {"raise", "drop"}, default="raise"
        Queries that a report lacks: an error, or left out. Reports of moments that compare lack none.
    n_resamples : int, default=10000
        Random sign flips of the randomization test, from 100 to 10**7; all of them are used if there are no
        more.
    random_state : int, RandomState or None, default=None
        Of the sign flips.

    Returns
    -------
    Comparison
        A table with a verdict for each metric and pair of systems.

    Raises
    ------
    ValueError
        If the reports are not of the same queries, folds, weights or metrics, some are of moments that were
        not made together, or an argument breaks a rule above.

    Notes
    -----
    Each comparison has one interval, and its verdict follows from it: better or worse where 0 is outside;
    equivalent where all of it is inside the margin; no worse where its lower end is; else undecided. With
    "max" the intervals come from the sign flips, else from the t distribution by Bonferroni, also where the
    p values are Holm's, which has none. Where all differences are the same number, but not 0, nothing is
    known of how they vary: p and interval are nan.

    References
    ----------
    Urbano, Lima and Hanjalic, "Statistical significance testing in information retrieval: an empirical
    analysis of type I, type II and type III errors", SIGIR 2019. Westfall and Young, "Resampling-based
    multiple testing", 1993.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank import compare, cross_val_report
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> models = {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}
    >>> reports = {
    ...     name: cross_val_report(model, X, y, groups=qid, metrics=["ndcg@10"])
    ...     for name, model in models.items()
    ... }
    >>> print(compare(reports, baseline="tree"))
    100 queries, differences to tree, paired t test
    metric   system   mean             difference      p  effect    w/t/l  verdict
    ndcg@10    tree  0.685
              ridge  0.839  +0.154 [0.122, 0.186]  <.001   +0.95  86/0/14   better
    95 % intervals by t
    """
    function = "compare"
    plan = _check(Plan(test, correction, margin, confidence_level, n_resamples, random_state), function)
    check_choice("missing", missing, ("raise", "drop"), function)
    matched = match_reports(reports, metrics, missing, function)
    if matched.moments and plan.test in OF_VALUES:
        rule = "be 't' or 'sign' for reports of moments, as others take the value of each query"
        fail("test", function, f"{rule}: keep='queries'", repr(plan.test))
    names = matched.systems
    if baseline is not None and baseline not in names:
        fail("baseline", function, f"be one of the reports, {', '.join(map(repr, names))}", repr(baseline))
    if baseline is None:
        couples = [(late, early) for early, late in combinations(names, 2)]
    else:
        couples = [(name, baseline) for name in names if name != baseline]
    comparisons = [Pair(metric, *couple) for metric in matched.metrics for couple in couples]
    columns = make_columns(matched, comparisons) if matched.queries else None
    paired = pair_moments(matched, comparisons) if columns is None else pair_columns(columns)
    return Comparison(matched, comparisons, paired, decide(paired, columns, plan), plan, baseline)


def _check(plan: Plan, function: str) -> Plan:
    """Check how to test."""
    check_choice("test", plan.test, tuple(TEST_NAMES), function)
    check_choice("correction", plan.correction, (*CORRECTION_NAMES, None), function)
    check_level(plan.confidence_level, function)
    check_resamples(plan.n_resamples, function)
    check_random(plan.random_state, function)
    if plan.correction == "max" and plan.test != "randomization":
        rule = "be 'holm', 'bonferroni', 'fdr_bh' or None but for test='randomization', whose flips it takes"
        fail("correction", function, rule, "'max'")
    margin = plan.margin
    if margin is not None and not (is_real(margin) and 0 < margin < np.inf):
        fail("margin", function, "be a number above 0, or None", repr(margin))
    return plan
