"""`compare`: the comparison of reports, with checks of its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import fail, name_call
from .._checks.options import check_choice, check_random, check_resamples, is_one_of
from .._checks.types import ById, RandomState
from .._checks.warn import RankingWarning, warn_user
from ._comparison import Comparison
from ._comparison_notes import TEST_NAMES
from ._decide import RANKS, ComparisonPlan, decide
from ._intervals import check_level
from ._match import ON_SAME, find_other_labels, match_reports
from ._paired_queries import Columns, ComparedPair, pair_moments, pair_queries
from ._power import check_by_metric
from ._report import RankingReport
from ._reported_queries import SHOWN, list_names
from ._unpaired import check_paired, compare_groups, warn_about_ratio

MOST_DROPPED = 0.05  # share of queries


@explain_parameters
def compare(
    reports: Mapping[str, RankingReport],
    *,
    baseline: str | None = None,
    metrics: Iterable[str] | None = None,
    test: Literal["auto", "t", "randomization", "wilcoxon", "sign"] = "auto",
    correction: Literal["auto", "holm", "bonferroni"] | None = "auto",
    margin: float | Mapping[str, float] | None = None,
    confidence_level: float = 0.95,
    missing: Literal["raise", "drop"] = "raise",
    check_labels: bool = True,
    n_resamples: int = 10_000,
    random_state: RandomState = 0,
    paired: bool = True,
    covariate: ById | None = None,
    expected_ratio: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare systems on the same queries, with tests that are paired over queries, or in an A/B test.

    Parameters
    ----------
    reports : dict of str to RankingReport
        Reports of at least two systems by name. Their queries are matched by id. Weights, clusters and, if
        there are folds, the fold of each query must be the same. Reports of moments must come from one
        :class:`RankingEvaluator` that received the scores of all these systems as a dict.
    baseline : str, default=None
        The system that all others are compared with. If `None`, each system is compared with earlier ones.
    metrics : iterable of str, default=None
        Metrics to compare. If `None`, all metrics are compared; they must be the same in all reports.
    test : {"auto", "t", "randomization", "wilcoxon", "sign"}, default="auto"
        Student's paired t test, the randomization test of all or random signs of the differences, Wilcoxon's
        signed-rank test or the sign test. "auto" is the t test with two additions; see Notes. Wilcoxon's test
        and the sign test ignore query weights and give p-values only, without intervals and verdicts.
        Reports of moments allow "auto", "t" and "sign".
    correction : {"auto", "holm", "bonferroni"} or None, default="auto"
        How to adjust p-values and intervals for the number of comparisons, which is the number of rows of the
        table. "auto" uses the dependence of the comparisons with ``test="auto"``, and otherwise is "holm";
        see Notes.
    margin : float or dict of str to float, default=None
        Largest difference that does not matter, positive, for the verdicts "equivalent" and "no worse". It
        applies to means over all queries: if 40% lack a relevant document, 0.005 is 0.0083 for the other 60%.
        A dict contains the margins of some or all metrics by name, such as ``{"ndcg@10": 0.02}``.
    confidence_level : float, default=0.95
        Confidence level of the intervals, between 0 and 1. With a correction, they are simultaneous.
    missing : {"raise", "drop"}, default="raise"
        How to treat queries that are not in all reports: raise an error, or exclude them, with a warning if
        they are many.
    check_labels : bool, default=True
        Whether to check that the documents with labels are the same in all reports. If they differ, a warning
        is given, and :func:`assert_not_worse` raises an error. Documents without a label do not count. Of
        retrieved documents, with scores of -inf or `missed=`, only labels above 0 are compared.
    n_resamples : int, default=10000
        Number of random sign flips, from 100 to 10**7. If there are at most as many possible flips, all are
        used. Small p-values need more flips than intervals need resamples; an error is raised if p could not
        reach the corrected level.
    random_state : int, RandomState or None, default=0
        Seed or generator of the sign flips. If `None`, each call flips other signs.
    paired : bool, default=True
        Whether all systems answered the same queries. If `False`, each query or cluster is in one report, as
        users in the groups of an A/B test, and means are compared by Welch's t test.
    covariate : mapping or pandas.Series, default=None
        With ``paired=False``, a number for each query id that the systems cannot influence, such as the same
        metric of a user before the test. Means are adjusted by a regression for each system (Lin 2013).
    expected_ratio : dict of str to float, default=None
        With ``paired=False``, expected share of each system, such as ``{"old": 1, "new": 1}``. If the numbers
        of queries or clusters do not match it (chi-square test, p < 0.001), a warning is given.

    Returns
    -------
    Comparison
        Table with a verdict for each metric and pair of systems.

    Notes
    -----
    The verdict is "better" or "worse" if the adjusted p-value is at most ``1 - confidence_level``. Then the
    interval excludes 0, except in marked rows that only Holm's method rejects. Otherwise it is "equivalent"
    if the interval is inside the margin, "no worse" if only its lower end is inside, and else "undecided",
    with the reason in the column "why".

    With weights, clusters of different size and micro averages, the errors of t are those of the jackknife,
    with ``sum(w)**2 / sum(w**2) - 1`` degrees of freedom.

    With "randomization", units, which are queries or clusters, change the sign of ``d - w * delta``: d is the
    unit's weighted difference, w its weight and delta the mean, 0 for p. With random flips, p is (1 + flips
    that reach the observed sum) / (1 + flips). The interval contains each delta with p above the level. In
    micro averages with different denominators, queries swap both sums; there is p, but no interval.

    With "auto" and several comparisons, the adjusted p-value is the larger one of two tests: t, and the
    largest absolute t of all comparisons if the centered differences of each query get a random sign
    (Westfall and Young, single step; more than 5,000 queries: normal variables with the same correlations).
    The interval has the larger of both critical values. Bonferroni's t is used for fewer than 10 queries or
    clusters, for weights or clusters of different size, for micro averages and for moments.

    If fewer than six queries differ (more for lower levels), the p of "auto" is at least that of equal signs,
    ``2 ** (1 - k)`` for k queries. The interval is then widened to the largest difference that the upper
    limit of Clopper and Pearson for the share of differing queries allows, which requires a metric with a
    finite range. With each test, the interval is that wide if no query differs.

    If all n differences are equal but not 0, their variance is unknown. Then p is ``2 ** (1 - n)``, corrected
    like others, and the interval is nan. Units of different weight count as their effective number.

    With ``paired=False``, micro averages, weights and clusters have the variance of the delta method, and
    correction is by Bonferroni. "mean" is adjusted for the covariate, and "effect" is the difference divided
    by the root of the mean variance of both systems. "n" and "other_n" are numbers of queries or clusters of
    the two systems; "wins", "ties" and "losses" are 0.

    Catalog coverage and Gini coefficient are compared if `metrics` contains them, by the jackknife. They
    require the same number of users in all reports.

    References
    ----------
    Hartigan, "Using subsample values as typical values", Journal of the American Statistical Association
    1969. Lin, "Agnostic notes on regression adjustments to experimental data: reexamining Freedman's
    critique", Annals of Applied Statistics 2013. Urbano, Lima and Hanjalic, "Statistical significance testing
    in information retrieval: an empirical analysis of type I, type II and type III errors", SIGIR 2019.
    Westfall and Young, "Resampling-based multiple testing", 1993.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank import compare, cross_val_report
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> models = {"tree": DecisionTreeRegressor(random_state=0), "ridge": Ridge()}
    >>> reports = {
    ...     name: cross_val_report(model, X, y, groups=qid, scoring=["ndcg@10"])
    ...     for name, model in models.items()
    ... }
    >>> print(compare(reports, baseline="tree"))
    100 queries, difference from "tree", paired t test
    metric   system   mean    difference (95% CI)       p  win/tie/loss  verdict
    ndcg@10    tree  0.685
              ridge  0.839  +0.154 [0.122, 0.186]  <0.001       86/0/14   better
    Largest changes of ndcg@10: worse 37 (-0.387), 76 (-0.305), 13 (-0.140); better
    83 (+0.601), ...
    """
    options = test, correction, margin, confidence_level, n_resamples, random_state
    plan = _check(ComparisonPlan(*options, is_adjusted=covariate is not None))
    check_choice("missing", missing, ("raise", "drop"))
    check_choice("check_labels", check_labels, (True, False))
    check_paired(paired, test, missing, {"covariate": covariate, "expected_ratio": expected_ratio})
    matched = match_reports(reports, metrics, missing, paired)
    check_by_metric("margin", margin, matched.metrics)
    if expected_ratio is not None:
        warn_about_ratio(matched, expected_ratio)
    n_all = matched.n_queries + matched.n_dropped
    if matched.n_dropped > MOST_DROPPED * n_all:
        fact = f"missing='drop' excluded {matched.n_dropped} of {n_all} queries"
        effect = "so the result can be biased if a report lacks queries of one kind"
        warn_user(
            f"{name_call('missing')}: {fact}, {effect}. Evaluate all systems on the same queries.",
            RankingWarning,
        )
    if matched.moments and plan.test not in ("auto", "t", "sign"):
        fix = "For other tests, make the reports with keep_queries=True."
        fail("test", "be 'auto', 't' or 'sign' for reports of moments", repr(plan.test), fix)
    if matched.labels and plan.test not in ("auto", "t"):
        fix = "For other tests, compare the reports of people or of the model alone."
        fail("test", "be 'auto' or 't' for reports with model labels", repr(plan.test), fix)
    names = matched.systems
    if baseline is not None and not is_one_of(baseline, names):
        rule = f"be the name of a report ({list_names(names)})"
        fail("baseline", rule, repr(baseline), f"Pass baseline={names[0]!r}.")
    if baseline is None:
        couples = [(late, early) for early, late in combinations(names, 2)]
    else:
        couples = [(name, baseline) for name in names if name != baseline]
    comparisons = [ComparedPair(metric, *couple) for metric in matched.metrics for couple in couples]
    if check_labels and paired and matched.queries:
        matched = matched._replace(other_labels=find_other_labels(matched.queries, baseline))
    if matched.other_labels:
        fact = "; ".join(matched.other_labels[:SHOWN]) + "; ..." * (len(matched.other_labels) > SHOWN)
        warn_user(f"{name_call('check_labels')}: {fact}. {ON_SAME}", RankingWarning)
    columns: Columns | None = None
    of_groups: dict[str, np.ndarray] = {}
    if not paired:
        found, of_groups = compare_groups(matched, comparisons, covariate)
    elif matched.queries:
        columns, found = pair_queries(matched, comparisons)
    else:
        found = pair_moments(matched, comparisons)
    table, decision = decide(comparisons, found, columns, plan)
    return Comparison(table | of_groups, baseline, matched, found, decision, plan)


def _check(plan: ComparisonPlan) -> ComparisonPlan:
    check_choice("test", plan.test, tuple(TEST_NAMES))
    if is_one_of(plan.correction, ("fdr_bh",)):
        p = "compare(...).columns['p_unadjusted']"
        fix = f"Call statsmodels.stats.multitest.multipletests({p}, method='fdr_bh')."
        fail("correction", "be 'auto', 'holm', 'bonferroni' or None", repr(plan.correction), fix)
    check_choice("correction", plan.correction, ("auto", "holm", "bonferroni", None))
    plan = plan._replace(confidence_level=check_level(plan.confidence_level))
    check_resamples(plan.n_resamples)
    check_random(plan.random_state)
    if plan.margin is not None and plan.test in RANKS:
        fix = "Pass test='t', which has an interval to compare with the margin."
        fail("margin", f"be None with test={plan.test!r}", repr(plan.margin), fix)
    return plan
