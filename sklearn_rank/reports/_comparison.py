"""Comparison of reports: `compare`, and its table with verdicts and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import count_of, fail, is_real, name_call
from .._checks.options import check_choice, check_random, check_resamples, is_one_of
from .._checks.types import Axes, ById, Options, RandomState
from .._checks.warn import RankingWarning, warn_user
from ._decide import RANKS, ComparisonPlan, Decision, check_margin, decide, write_margin
from ._intervals import FEW_UNITS, FEW_VALUES, check_level, has_query_values
from ._match import Columns, ComparedPair, Matched, Paired, match_reports, pair_moments, pair_queries
from ._paired_tests import PILOT_LEVEL, queries_needed
from ._query_tables import find_couple, list_changes, write_changes
from ._report import RankingReport
from ._reported_queries import QueryValues, check_metric, list_names
from ._tables import (
    Printed,
    Table,
    count_queries,
    decimals_of,
    import_displays,
    write,
    write_interval,
    write_letters,
    write_level,
    write_signed,
)
from ._unpaired import check_paired, compare_groups, describe_groups, warn_about_ratio

TEST_NAMES = {
    "t": "paired t test",
    "randomization": "randomization test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
}
MOST_DROPPED = 0.05  # share of queries
SHOWN = 3  # losses and gains in the note on the largest changes


class Comparison(Printed):
    """Comparison of systems, returned by :func:`compare`.

    Attributes
    ----------
    systems, metrics : tuple of str
        Names of the systems and of the metrics.
    baseline : str or None
        The system that all others are compared with.
    n_queries : int
        Number of queries that are in all reports.
    n_dropped : int
        Number of queries that were excluded because a report does not contain them.
    columns : dict of str to ndarray of shape (n_comparisons,)
        The table as numbers. "metric", "system" and "other" name the comparison. "mean" and "other_mean" are
        over the compared queries. "difference" is "mean" minus "other_mean"; its interval is from "low" to
        "high". "p" and "p_corrected" are the p-values. "effect" is the difference divided by the standard
        deviation of the differences. "wins", "ties" and "losses" are the numbers of queries or clusters on
        which the system is better, equal and worse. "n" is the number of compared queries or clusters.
        "left_out" counts queries without a value in one system. For "verdict", see :func:`compare`; "why" is
        the reason if it is "undecided", and otherwise empty.

    Examples
    --------
    >>> from sklearn_rank import RankingReport, compare
    >>> old = RankingReport.from_values([1, 2, 3, 4], {"mrr": [0.5, 0.2, 1, 0.25]})
    >>> new = RankingReport.from_values([1, 2, 3, 4], {"mrr": [1, 0.25, 1, 0.5]})
    >>> found = compare({"old": old, "new": new})
    >>> [float(found.columns[name][0].round(3)) for name in ("difference", "low", "high")]
    [0.2, -0.994, 0.994]
    >>> found.columns["verdict"].tolist()
    ['undecided']
    """

    def __init__(
        self,
        matched: Matched,
        columns: dict[str, np.ndarray],
        paired: Paired,
        decision: Decision,
        plan: ComparisonPlan,
        baseline: str | None,
        is_adjusted: bool = False,
    ):
        self.systems = matched.systems
        self.metrics = matched.metrics
        self.baseline = baseline
        self.n_queries = matched.n_queries
        self.n_dropped = matched.n_dropped
        self._matched = matched
        self._plan = plan
        self._decision = decision
        self._paired = paired
        self._is_adjusted = is_adjusted
        self.columns = columns

    def table(self) -> Table:
        """Return the printed table: a row per metric and pair of systems."""
        columns, level = self.columns, write_level(self._plan.confidence_level)
        decimals = self._find_decimals()
        digits = [decimals[metric] for metric in columns["metric"].tolist()]
        has_interval = self._plan.test not in RANKS
        difference = list(map(write_signed, columns["difference"], digits))
        ends = map(write_interval, zip(columns["low"], columns["high"]), digits)
        texts = {
            "metric": columns["metric"].tolist(),
            "system": columns["system"].tolist(),
            "mean": list(map(write, columns["mean"], digits)),
            "baseline": columns["other"].tolist(),
            "baseline mean": list(map(write, columns["other_mean"], digits)),
        }
        if has_interval:
            texts[f"difference ({level} CI)"] = list(map("{} {}".format, difference, ends))
        else:
            texts["difference"] = difference
        texts["p"] = list(map(_write_p, columns["p_corrected"]))
        texts["effect"] = [write_signed(each, 2) for each in columns["effect"]]
        if self._matched.paired:
            counts = columns["wins"], columns["ties"], columns["losses"]
            written = map("{}/{}/{}".format, *counts)
            kept = map(has_query_values, columns["metric"].tolist())
            texts["win/tie/loss"] = [each if has_values else "" for each, has_values in zip(written, kept)]
        if has_interval:
            texts["verdict"] = columns["verdict"].tolist()
        if columns["why"].any():
            texts["why"] = columns["why"].tolist()
        if self.baseline is not None:
            del texts["baseline"], texts["baseline mean"]
            texts = self._add_baseline(texts, digits)
        notes = (*self._notes(), *self._note_changes())
        return Table(columns, texts, self._caption(), notes)

    def _find_decimals(self) -> dict[str, int]:
        """Return the printed decimals of each metric."""
        metrics, *ends = (self.columns[name].tolist() for name in ("metric", "low", "high"))
        intervals = list(zip(metrics, zip(*ends)))
        return {name: decimals_of(*(each for of, each in intervals if of == name)) for name in self.metrics}

    def _add_baseline(self, texts: dict[str, list[str]], digits: list[int]) -> dict[str, list[str]]:
        """Add a row with the mean of the baseline above the systems of each metric."""
        rows = list(zip(*texts.values()))
        per_metric = len(self.systems) - 1
        shown: list[tuple[str, ...]] = []
        for first in range(0, len(rows), per_metric):
            mean = write(self.columns["other_mean"][first], digits[first])
            shown.append((rows[first][0], str(self.baseline), mean, *[""] * (len(texts) - 3)))
            shown += [("", *row[1:]) for row in rows[first : first + per_metric]]
        return dict(zip(texts, map(list, zip(*shown))))

    def _caption(self) -> str:
        plan, n = self._plan, len(self.columns["p"])
        of = f"{len(self.systems)} systems" if self.baseline is None else f'difference from "{self.baseline}"'
        clusters = self._matched.clusters
        unit = "" if clusters is None else f" in {count_of(len(np.unique(clusters)), 'cluster')}"
        for sets in list(self._matched.labels.values())[:1]:
            unit += f" labelled by people, {len(sets.model.ids):,} by a model"
        corrected = ""
        if plan.correction and n > 1:
            is_joint = plan.correction == "auto" and plan.test not in RANKS and self._paired.alike.any()
            method = "" if is_joint else " by Bonferroni"
            corrected = f", p-values adjusted{method} for {n} comparisons"
        if not self._matched.paired:
            return f"{describe_groups(self._matched, self._is_adjusted)}, {of}, Welch's t test{corrected}"
        return f"{count_queries(self.n_queries)}{unit}, {of}, {TEST_NAMES[plan.test]}{corrected}"

    def _notes(self) -> Iterator[str]:
        """Yield notes on the intervals, excluded queries, and limits of the comparison."""
        plan, matched, paired = self._plan, self._matched, self._paired
        yield from self._note_intervals()
        if plan.margin is not None:
            yield write_margin(plan.margin)
        units = paired.unit[1]
        if matched.clusters is not None and matched.paired:
            yield "The win/tie/loss column counts clusters."
        if n := matched.n_dropped:
            yield f"missing='drop' excluded {count_queries(n)} that not every report contains."
        if n := int(paired.n_left_out.max()):
            excluded, them = ("query was", "it") if n == 1 else ("queries were", "them")
            system = "one of the two systems" if matched.paired else "its system"
            yield f"Up to {n} {excluded} excluded because {system} has no value for {them}."
        # Runs of different length have the same relevant documents, because unretrieved ones count too.
        known = [each.n_relevant for each in matched.queries.values() if each.n_relevant is not None]
        if matched.paired and (n := int(np.any([each != known[0] for each in known], axis=0).sum())):
            yield f"The number of relevant documents of {count_queries(n)} differs. Check the labels."
        if matched.of_lists:
            yield f"Metrics without a value per query are not compared: {', '.join(matched.of_lists)}."
        counts = [self.columns[name] for name in ("n", "other_n") if name in self.columns]
        if plan.test not in RANKS and (np.array(counts) < FEW_UNITS).any():
            yield f"The intervals may be too narrow: fewer than {FEW_UNITS} {units} are compared."
        if paired.n_apart is not None:
            yield "Each difference is adjusted by the model's difference, not the difference of both means."
            if (paired.n_apart < FEW_VALUES).any():
                fact = f"people and the model differ on fewer than {FEW_VALUES} {units}"
                yield f"The intervals may be too narrow: {fact}."
        if (np.isnan(paired.t.standard_error) & (paired.n_effective > 1)).any():
            yield f"nan: {paired.unknown}."
        if (np.isinf(paired.span) & (self._decision.limit > 0) & (paired.counts > 1)).any():
            yield f"nan: few {units} differ, and the metric has no known range, so there is no interval."

    def _note_intervals(self) -> Iterator[str]:
        """Yield a note on the intervals, unless there is only one."""
        plan, n, n_flipped = self._plan, len(self.columns["p"]), int(self._paired.alike.sum())
        intervals = f"The {write_level(plan.confidence_level)} confidence intervals are"
        is_flipped = plan.test == "randomization" and plan.correction == "bonferroni" and n_flipped
        adjusted = f"{'sign flips' if is_flipped else 't'}, Bonferroni-adjusted for {n} comparisons"
        if plan.test == "randomization" and n_flipped < n:
            yield f"t instead of sign flips: {self._paired.unit[1]} of different weight, or fewer than 10."
        if plan.test in RANKS:
            yield f"{TEST_NAMES[plan.test]}: no interval of the mean difference, so no verdict."
        elif n > 1 and plan.correction is None:
            yield f"{intervals} not adjusted for {n} comparisons."
        elif n > 1 and plan.correction == "auto" and n_flipped:
            others = "" if n_flipped == n else f"; of {count_of(n - n_flipped, 'comparison')}, {adjusted}"
            yield f"{intervals} simultaneous (sign flips{others})."
        elif n > 1:
            yield f"{intervals} simultaneous ({adjusted})."

    def _note_changes(self) -> Iterator[str]:
        """Yield a note on the queries that changed most in the first metric, if there are two systems."""
        metric, matched = self.metrics[0], self._matched
        if len(self.systems) > 2 or not (matched.queries and matched.paired and has_query_values(metric)):
            return
        if note := write_changes(self.changes(metric, SHOWN), metric):
            yield note

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.systems)}: {', '.join(self.metrics)}>"

    def to_latex(self) -> str:
        """Return means in LaTeX, each with the letters of the systems that are significantly worse.

        The table has a row per system and a column per metric, as in papers, and requires the package
        booktabs. A comment above the table explains the letters. Above 52 systems, they are numbers.
        """
        comments = self._caption(), *self._notes()
        has_letters, decimals = self._plan.test not in RANKS, self._find_decimals()
        return write_letters(self.systems, self.columns, decimals, comments, has_letters)

    def queries_needed(
        self, difference: float | None = None, power: float = 0.8, *, margin: float | None = None
    ) -> Table:
        """Estimate the number of queries needed to detect a difference or to show equivalence.

        Parameters
        ----------
        difference : float, default=None
            The difference to detect, positive. If `None`, it is 0.01 unless `margin` is given.
        power : float, default=0.8
            Probability, in (0, 1), that the t test detects `difference` at the corrected level of this table.
        margin : float, default=None
            Margin of an equivalence test, positive. If given, `power` is the probability that two one-sided
            tests show that equal systems are equivalent within the margin.

        Returns
        -------
        Table
            For each comparison, the level of its t test, the number of queries or clusters and its 80%
            confidence interval, and the number if this comparison were the only one ("alone"). The interval
            reflects that the standard deviation of the differences is estimated.

        Raises
        ------
        ValueError
            If an argument is invalid, for example if both `difference` and `margin` are given.
        """
        for name, value in (("difference", difference), ("margin", margin)):
            if value is not None and not (is_real(value) and 0 < value < np.inf):
                fail(name, "be a positive number", repr(value))
        if not (is_real(power) and 0 < power < 1):
            fail("power", "be between 0 and 1, such as 0.8", repr(power))
        if margin is not None and difference is not None:
            fix = f"To show equivalence, pass margin={margin!r} alone."
            fail("difference", "be None if 'margin' is given", repr(difference), fix)
        difference = 0.01 if difference is None else difference
        counts = self._paired.counts
        deviation = self._paired.deviation
        aims: Options = {"difference": difference, "power": power, "margin": margin}
        found = queries_needed(deviation, counts, level=self._decision.level, **aims)
        alone, *_ = queries_needed(deviation, counts, level=self._plan.alpha, **aims)
        columns = {name: self.columns[name] for name in ("metric", "system", "other")}
        numbers = dict(zip(("n", "low", "high"), found))
        numbers |= {"level": self._decision.level, "n_alone": alone}
        unit = self._paired.unit[1]
        interval = f"{write_level(PILOT_LEVEL)} CI"
        texts = dict(zip(("metric", "system", "baseline"), (each.tolist() for each in columns.values())))
        texts[unit] = list(map("{:.0f}".format, numbers["n"]))
        texts[interval] = list(map("[{:.0f}, {:.0f}]".format, numbers["low"], numbers["high"]))
        texts["level"] = list(map("{:.2g}".format, numbers["level"]))
        if len(counts) > 1:
            texts["alone"] = list(map("{:.0f}".format, alone))
        aim = f"detect a difference of {difference:g}"
        if margin is not None:
            aim = f"show equivalence within {margin:g}"
        return Table(columns | numbers, texts, f"{unit} needed to {aim}, power {write_level(power)}")

    def changes(
        self, metric: str, n: int = 10, *, system: str | None = None, other: str | None = None
    ) -> Table:
        """List the queries with the largest losses and gains.

        Parameters
        ----------
        metric : str
            One of `metrics`.
        n : int, default=10
            Maximum number of losses and of gains.
        system, other : str, default=None
            The two systems; required if there are several comparisons.

        Returns
        -------
        Table
            Query ids, both values and their difference, from the largest loss to the largest gain.

        Raises
        ------
        ValueError
            If the metric or a system does not exist, or has no value for the same queries: with
            ``paired=False``, in reports of moments, and if a metric is over all queries together.
        """
        return list_changes(metric, n, find_pair(self, metric, system, other))

    def plot(
        self,
        metric: str | None = None,
        *,
        system: str | None = None,
        other: str | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> Any:
        """Draw the sorted differences of two systems by query.

        Parameters
        ----------
        metric : str, default=None
            One of `metrics`. If `None`, the first one.
        system, other : str, default=None
            The two systems; required if there are several comparisons.
        ax, **kwargs
            As in :meth:`sklearn_rank.inspection.QueryDifferenceDisplay.plot`.

        Returns
        -------
        QueryDifferenceDisplay
            The drawn display.

        Raises
        ------
        ValueError
            If the metric or a system does not exist, or has no value for the same queries: with
            ``paired=False``, in reports of moments, and if a metric is over all queries together.
        """
        display = import_displays().QueryDifferenceDisplay
        return display.from_comparison(self, metric, system=system, other=other, ax=ax, **kwargs)


def find_pair(
    comparison: Comparison, metric: str, system: str | None, other: str | None
) -> dict[str, QueryValues]:
    """Return the values of the queries of two compared systems, by name of the system."""
    matched = comparison._matched
    if not matched.queries:
        got = "requires the value of each query. Got reports of moments instead"
        raise ValueError(f"{name_call()} {got}. Make the reports with keep='queries'.")
    if not matched.paired:
        raise ValueError(f"{name_call()} requires systems on the same queries. Got paired=False instead.")
    check_metric(metric, comparison.metrics)
    if not has_query_values(metric):
        fail("metric", "have a value per query", repr(metric))
    return {name: matched.queries[name] for name in find_couple(comparison.columns, system, other)}


def _write_p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


@explain_parameters
def compare(
    reports: Mapping[str, RankingReport],
    *,
    baseline: str | None = None,
    metrics: Iterable[str] | None = None,
    test: Literal["t", "randomization", "wilcoxon", "sign"] = "t",
    correction: Literal["auto", "bonferroni"] | None = "auto",
    margin: float | Mapping[str, float] | None = None,
    confidence_level: float = 0.95,
    missing: Literal["raise", "drop"] = "raise",
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
    test : {"t", "randomization", "wilcoxon", "sign"}, default="t"
        Paired t test, randomization test (which flips the signs of centered differences), Wilcoxon's
        signed-rank test or sign test. The last two ignore query weights and give p-values only, without
        intervals and verdicts. Reports of moments allow "t" and "sign".
    correction : {"auto", "bonferroni"} or None, default="auto"
        How to adjust p-values and intervals for the number of comparisons, which is the number of rows of the
        table. "auto" uses the dependence of the comparisons if queries count alike, and otherwise is
        "bonferroni"; see Notes.
    margin : float or dict of str to float, default=None
        Largest difference that does not matter, positive, for the verdicts "equivalent" and "no worse". It
        applies to means over all queries: if 40% lack a relevant document, 0.005 is 0.0083 for the other 60%.
        A dict contains the margins of some or all metrics by name, such as ``{"ndcg@10": 0.02}``.
    confidence_level : float, default=0.95
        Confidence level of the intervals, between 0 and 1. With a correction, they are simultaneous.
    missing : {"raise", "drop"}, default="raise"
        How to treat queries that are not in all reports: raise an error, or exclude them.
    n_resamples : int, default=10000
        Number of random sign flips, from 100 to 10**7. If there are fewer possible flips, all are used.
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

    Raises
    ------
    ValueError
        If an argument is invalid, for example if the reports have different queries, folds, weights or
        metrics, if they were made from separate moments, or if `n_resamples` is too small for a p-value at
        the corrected level. With ``paired=False``, if an id or a cluster is in two reports.

    Notes
    -----
    The verdict follows from the interval of the difference: "better" or "worse" if it excludes 0,
    "equivalent" if it is inside the margin, "no worse" if only its lower end is inside, else "undecided",
    with the reason in the column "why". An interval excludes 0 exactly if the adjusted p-value is at most
    ``1 - confidence_level``.

    With "auto", the interval is the difference D plus and minus c standard errors. The critical value c is
    the larger of two quantiles: that of t, and that of the largest |t| of all comparisons if the centered
    differences of each query get a random sign (Westfall and Young, single step; more than 5,000 queries:
    normal variables with the same correlations). The adjusted p-value is the larger one of both tests.
    Bonferroni's t is used for fewer than 10 queries or clusters, for weights or clusters of different size,
    for micro averages and for moments. With weights, clusters of different size and micro averages, standard
    errors are those of the jackknife, and degrees of freedom are ``sum(w)**2 / sum(w**2) - 1``.

    If k queries differ, p is at least ``2 ** (1 - k)``. If this is above ``1 - confidence_level`` (fewer than
    six queries at 0.95), the interval is widened to the largest difference that the upper limit of Clopper
    and Pearson for the share of differing queries allows. This requires a metric with a finite range. The
    verdicts "equivalent" and "no worse" then follow from the wider interval. If all differences are equal but
    not 0, their variance is unknown, so p-value and interval are nan.

    With ``paired=False``, micro averages, weights and clusters have the variance of the delta method, and
    correction is by Bonferroni. "mean" is adjusted for the covariate, and "effect" is the difference divided
    by the root of the mean variance of both systems. "n" and "other_n" are numbers of queries or clusters of
    the two systems; "wins", "ties" and "losses" are 0.

    Catalog coverage and Gini coefficient are compared if `metrics` contains them, by the jackknife. They
    require the same number of users in all reports.

    References
    ----------
    Lin, "Agnostic notes on regression adjustments to experimental data: reexamining Freedman's critique",
    Annals of Applied Statistics 2013. Urbano, Lima and Hanjalic, "Statistical significance testing in
    information retrieval: an empirical analysis of type I, type II and type III errors", SIGIR 2019. Westfall
    and Young, "Resampling-based multiple testing", 1993.

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
    100 queries, difference from "tree", paired t test
    metric   system   mean    difference (95% CI)       p  effect  win/tie/loss  verdict
    ndcg@10    tree  0.685
              ridge  0.839  +0.154 [0.122, 0.186]  <0.001   +0.95       86/0/14   better
    Largest changes of ndcg@10: worse 37 (-0.387), 76 (-0.305), 13 (-0.140); better 83 (+0.601), ...
    """
    plan = _check(ComparisonPlan(test, correction, margin, confidence_level, n_resamples, random_state))
    check_choice("missing", missing, ("raise", "drop"))
    check_paired(paired, test, missing, {"covariate": covariate, "expected_ratio": expected_ratio})
    matched = match_reports(reports, metrics, missing, paired)
    check_margin(margin, matched.metrics)
    if expected_ratio is not None:
        warn_about_ratio(matched, expected_ratio)
    n_all = matched.n_queries + matched.n_dropped
    if matched.n_dropped > MOST_DROPPED * n_all:
        fact = f"missing='drop' excluded {matched.n_dropped} of {n_all} queries"
        effect = "so the result can be biased if a report lacks queries of one kind"
        fix = "Evaluate all systems on the same queries."
        warn_user(f"{name_call('missing')}: {fact}, {effect}. {fix}", RankingWarning)
    if matched.moments and plan.test not in ("t", "sign"):
        fix = "For other tests, make the reports with keep='queries'."
        fail("test", "be 't' or 'sign' for reports of moments", repr(plan.test), fix)
    if matched.labels and plan.test != "t":
        fix = "For other tests, compare the reports of people or of the model alone."
        fail("test", "be 't' for reports with model labels", repr(plan.test), fix)
    names = matched.systems
    if baseline is not None and baseline not in names:
        fail("baseline", f"be the name of a report ({list_names(names)})", repr(baseline))
    if baseline is None:
        couples = [(late, early) for early, late in combinations(names, 2)]
    else:
        couples = [(name, baseline) for name in names if name != baseline]
    comparisons = [ComparedPair(metric, *couple) for metric in matched.metrics for couple in couples]
    columns: Columns | None = None
    of_groups: dict[str, np.ndarray] = {}
    if not paired:
        found, of_groups = compare_groups(matched, comparisons, covariate)
    elif matched.queries:
        columns, found = pair_queries(matched, comparisons)
    else:
        found = pair_moments(matched, comparisons)
    table, decision = decide(comparisons, found, columns, plan)
    return Comparison(matched, table | of_groups, found, decision, plan, baseline, covariate is not None)


def _check(plan: ComparisonPlan) -> ComparisonPlan:
    check_choice("test", plan.test, tuple(TEST_NAMES))
    if is_one_of(plan.correction, ("holm", "fdr_bh", "max")):
        fix = "'auto' uses sign flips too."
        if plan.correction != "max":
            method = f"method={plan.correction!r}"
            fix = f"Call statsmodels.stats.multitest.multipletests(compare(...).columns['p'], {method})."
        fail("correction", "be 'auto', 'bonferroni' or None", repr(plan.correction), fix)
    check_choice("correction", plan.correction, ("auto", "bonferroni", None))
    check_level(plan.confidence_level)
    check_resamples(plan.n_resamples)
    check_random(plan.random_state)
    if plan.margin is not None and plan.test in RANKS:
        fix = "Pass test='t', which has an interval to compare with the margin."
        fail("margin", f"be None with test={plan.test!r}", repr(plan.margin), fix)
    return plan
