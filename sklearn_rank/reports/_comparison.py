"""Comparison of reports: the function, and its table with verdicts and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from string import ascii_letters
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import check_count, fail, is_real, name_call
from .._checks.options import check_choice, check_random, check_resamples
from .._checks.types import RandomState
from ._decide import ComparisonPlan, corrected_level, decide
from ._equal import find_rounding, find_scale, rank_equal, subtract_equal
from ._intervals import FEW_UNITS, check_level, find_traits
from ._match import ComparedPair, Matched, Paired, match_reports, pair_moments, pair_queries
from ._paired_tests import SignFlips, least_p, queries_needed
from ._report import RankingReport
from ._reported_queries import check_metric
from ._tables import (
    LATEX,
    Printed,
    Table,
    count_queries,
    decimals_of,
    write,
    write_column,
    write_interval,
    write_latex,
    write_signed,
)

TEST_NAMES = {
    "t": "paired t test",
    "randomization": "randomization test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
}
CORRECTION_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini and Hochberg",
    "max": "the maximum over all, step-down",
}


class Comparison(Printed):
    """What :func:`compare` finds.

    Attributes
    ----------
    systems, metrics : tuple of str
        Their names.
    baseline : str or None
        The system that all others are compared with.
    n_queries : int
        Queries that all systems have.
    n_dropped : int
        Queries that were left out, as a system lacks them.
    columns : dict of str to ndarray of shape (n_comparisons,)
        The table, as numbers: "metric", "system" and "other"; "mean" and "other_mean" over the queries that
        are compared; "difference" of the two with its interval, "low" and "high"; "p" and "p_corrected";
        "effect", the difference over the standard deviation of the differences; "wins", "ties" and "losses",
        the queries or clusters where the system is better, equal and worse; "n", how many are compared;
        "left_out", the queries without a value in one of the two; "verdict".

    Examples
    --------
    >>> from sklearn_rank import RankingReport, compare
    >>> old = RankingReport.from_values([1, 2, 3, 4], {"mrr": [0.5, 0.2, 1, 0.25]})
    >>> new = RankingReport.from_values([1, 2, 3, 4], {"mrr": [1, 0.25, 1, 0.5]})
    >>> found = compare({"old": old, "new": new})
    >>> [float(found.columns[name][0].round(3)) for name in ("difference", "low", "high")]
    [0.2, -0.162, 0.562]
    >>> found.columns["verdict"].tolist()
    ['undecided']
    """

    def __init__(
        self,
        matched: Matched,
        columns: dict[str, np.ndarray],
        paired: Paired,
        flips: SignFlips | None,
        plan: ComparisonPlan,
        baseline: str | None,
    ):
        self.systems = matched.systems
        self.metrics = matched.metrics
        self.baseline = baseline
        self.n_queries = matched.n_queries
        self.n_dropped = matched.n_dropped
        self._matched = matched
        self._plan = plan
        self._flips = flips
        self._paired = paired
        self.columns = columns

    def table(self) -> Table:
        """Return what is printed: a row a metric and pair of systems."""
        columns = self.columns
        digits = [decimals_of((low, high)) for low, high in zip(columns["low"], columns["high"])]
        pair = zip(columns["difference"], columns["low"], columns["high"], digits)
        texts = {
            "metric": columns["metric"].tolist(),
            "system": columns["system"].tolist(),
            "mean": [write(mean, each) for mean, each in zip(columns["mean"], digits)],
            "minus": columns["other"].tolist(),
            "its mean": [write(mean, each) for mean, each in zip(columns["other_mean"], digits)],
            "difference": [
                f"{write_signed(value, each)} {write_interval((low, high), each)}"
                for value, low, high, each in pair
            ],
            "p": list(map(_write_p, columns["p_corrected"])),
            "effect": [write_signed(each, 2) for each in columns["effect"]],
            "w/t/l": list(map("{}/{}/{}".format, columns["wins"], columns["ties"], columns["losses"])),
            "verdict": columns["verdict"].tolist(),
        }
        if self.baseline is not None:
            del texts["minus"], texts["its mean"]
            texts = self._add_baseline(texts, digits)
        return Table(columns, texts, self._caption(), tuple(self._notes()))

    def _add_baseline(self, texts: dict[str, list[str]], digits: list[int]) -> dict[str, list[str]]:
        """Add the mean of the baseline above the systems of each metric."""
        rows = list(zip(*texts.values()))
        per_metric = len(self.systems) - 1
        shown: list[tuple[str, ...]] = []
        for first in range(0, len(rows), per_metric):
            mean = write(self.columns["other_mean"][first], digits[first])
            shown.append((rows[first][0], str(self.baseline), mean, *[""] * (len(texts) - 3)))
            shown += [("", *row[1:]) for row in rows[first : first + per_metric]]
        return dict(zip(texts, map(list, zip(*shown))))

    def _caption(self) -> str:
        plan, n = self._plan, len(self.columns["metric"])
        of = f"{len(self.systems)} systems" if self.baseline is None else f"differences to {self.baseline}"
        clusters = self._matched.clusters
        unit = "" if clusters is None else f" in {len(np.unique(clusters))} clusters"
        corrected = (
            f", p by {CORRECTION_NAMES[plan.correction]} over {n}" if plan.correction and n > 1 else ""
        )
        return f"{count_queries(self.n_queries)}{unit}, {of}, {TEST_NAMES[plan.test]}{corrected}"

    def _notes(self) -> Iterator[str]:
        """Yield notes on the intervals, excluded queries, and limits of the comparison."""
        plan, matched, paired = self._plan, self._matched, self._paired
        how = "sign flips" if plan.correction == "max" else "t"
        together = {None: ", each by itself", "max": ", all together"}
        scope = together.get(plan.correction, ", all together, by Bonferroni") * (len(paired.counts) > 1)
        yield f"{100 * plan.confidence_level:g} % intervals by {how}{scope}"
        if plan.margin is not None:
            yield f"margin {plan.margin:g}"
        if matched.clusters is not None:
            yield "w/t/l: clusters won, tied and lost"
        if matched.n_dropped:
            yield f"{count_queries(matched.n_dropped)} left out that a system lacks"
        if paired.n_left_out.any():
            most = count_queries(int(paired.n_left_out.max()))
            yield f"up to {most} left out, without a value in one of the two systems"
        # Runs of different length have the same relevant documents, because unretrieved ones count too.
        known = [each.n_relevant for each in matched.queries.values() if each.n_relevant is not None]
        if n_apart := int(np.any([each != known[0] for each in known], axis=0).sum()):
            yield f"{count_queries(n_apart)} with different numbers of relevant documents: check the labels"
        if matched.of_lists:
            yield f"not compared, without a value per query: {', '.join(matched.of_lists)}"
        if (paired.counts < FEW_UNITS).any():
            yield f"fewer than {FEW_UNITS} compared: intervals may be too narrow"
        if (np.isnan(paired.t.standard_error) & (paired.counts > 1)).any():
            yield "nan: all differences are the same number, so nothing is known of how they vary"
        if self._flips is not None:
            reach = least_p(self._flips.n_nonzero[self._flips.n_nonzero > 0])
            if (reach > 1 - plan.confidence_level).any():
                yield f"too few queries differ: no p of some comparisons can be below {reach.max():.2g}"

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.systems)}: {', '.join(self.metrics)}>"

    def to_latex(self) -> str:
        """Return means in LaTeX, with letters of the systems that a mean is significantly better than.

        A row a system, a column a metric, as papers print them; with the rules of the package booktabs. A
        comment at the top says what the letters are. More than 52 systems have numbers.
        """
        few = len(self.systems) <= len(ascii_letters)
        letters = dict(zip(self.systems, ascii_letters if few else map(str, range(1, len(self.systems) + 1))))
        means, beaten = self._read_rows()
        kind = "a letter" if few else "a number"
        comment = f"{kind} at a mean is of a system that it is significantly better than"
        rows = [["", "system", *(metric.translate(LATEX) for metric in self.metrics)]]
        for name in self.systems:
            cells = [letters[name], name.translate(LATEX)]
            for metric in self.metrics:
                worse = beaten.get((metric, name), [])
                marks = ("" if few else ",").join(letters[other] for other in self.systems if other in worse)
                cells.append(means[metric, name] + (f"$^{{{marks}}}$" if marks else ""))
            rows.append(cells)
        return write_latex(rows, f"ll{'r' * len(self.metrics)}", (self._caption(), *self._notes(), comment))

    def _read_rows(self) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], list[str]]]:
        """Return the mean of each system, in its first comparison, and the significantly worse systems."""
        means: dict[tuple[str, str], str] = {}
        beaten: dict[tuple[str, str], list[str]] = {}
        names = "metric", "system", "other", "mean", "other_mean", "difference", "low", "high", "p_corrected"
        for metric, *pair, mean, other_mean, difference, low, high, p in zip(*map(self.columns.get, names)):
            for name, each in zip(pair, (mean, other_mean)):
                means.setdefault((metric, name), write(each, decimals_of((low, high))))
            if p < 1 - self._plan.confidence_level:
                is_ahead = (difference > 0) == find_traits(metric).greater_is_better
                best, worst = pair if is_ahead else reversed(pair)
                beaten.setdefault((metric, best), []).append(worst)
        return means, beaten

    def queries_needed(
        self, difference: float | None = None, power: float = 0.8, *, margin: float | None = None
    ) -> Table:
        """Say how many queries such comparisons need, from how much the differences vary.

        Parameters
        ----------
        difference : float, default=None
            The difference to be found, > 0; None for 0.01, or where there is a margin.
        power : float, default=0.8
            The chance to find it, in (0, 1), by the t test at the corrected level of this table.
        margin : float, default=None
            If given, the chance to show that two systems are equivalent, within this margin, if they are
            equal: by two one-sided tests.

        Returns
        -------
        Table
            For each comparison the number of queries, or of clusters, and the range that the number of
            queries at hand leaves open.

        Raises
        ------
        ValueError
            If an argument breaks a rule above.
        """
        for name, value in (("difference", difference), ("margin", margin)):
            if value is not None and not (is_real(value) and 0 < value < np.inf):
                fail(name, "be a number above 0", repr(value))
        if not (is_real(power) and 0 < power < 1):
            fail("power", "be a share between 0 and 1, such as 0.8", repr(power))
        if margin is not None and difference is not None:
            rule = "be left out with a margin, which is to be shown where there is no difference"
            fail("difference", rule, repr(difference))
        difference = 0.01 if difference is None else difference
        counts, plan = self._paired.counts, self._plan
        deviation = self._paired.t.standard_error * np.sqrt(counts)
        level = corrected_level(1 - plan.confidence_level, len(counts), plan.correction)
        found = queries_needed(
            deviation, counts, difference=difference, power=power, level=level, margin=margin
        )
        columns = {name: self.columns[name] for name in ("metric", "system", "other")}
        numbers = dict(zip(("n", "low", "high"), found))
        texts = {name: each.tolist() for name, each in columns.items()}
        texts |= {name: list(map("{:.0f}".format, each)) for name, each in numbers.items()}
        unit = "queries" if self._matched.clusters is None else "clusters"
        aim = f"find a difference of {difference:g}" if margin is None else f"show a margin of {margin:g}"
        return Table(columns | numbers, texts, f"{unit} needed to {aim} with power {power:g}")

    def changes(
        self, metric: str, n: int = 10, *, system: str | None = None, other: str | None = None
    ) -> Table:
        """List the queries that got worst and best.

        Parameters
        ----------
        metric : str
            One of `metrics`.
        n : int, default=10
            How many of each, at most; for those that changed most in any direction sort by the size of
            "difference".
        system, other : str, default=None
            The two systems. May be left out where two are compared.

        Returns
        -------
        Table
            Query ids, both values and their difference, from the worst to the best.

        Raises
        ------
        ValueError
            If there is no such metric or system, or the reports are of moments alone.
        """
        if not self._matched.queries:
            what = "needs the value of each query, and these reports were made from moments"
            raise ValueError(f"{name_call()} {what}. Make them with keep='queries'.")
        check_metric(metric, self.metrics)
        check_count(n, 1, "n")
        couples = list(dict.fromkeys(zip(self.columns["system"].tolist(), self.columns["other"].tolist())))
        matching = [each for each in couples if system in (None, each[0]) and other in (None, each[1])]
        if len(matching) != 1:
            known = " or ".join(f"system={one!r}, other={two!r}" for one, two in couples)
            fail("system", f"name a comparison of the table: {known}", f"{system!r}, {other!r}")
        queries = [self._matched.queries[name] for name in matching[0]]
        found = [each.metrics[metric] for each in queries]
        values, rounding = [each.values for each in found], find_rounding(found)
        apart = subtract_equal(values[0], values[1], find_scale(*values), rounding)
        gain = apart if find_traits(metric).greater_is_better else -apart
        changed = np.flatnonzero(~np.isnan(gain) & (gain != 0))
        largest = float(np.nanmax(np.abs(values), initial=0))
        order = changed[np.argsort(rank_equal(gain[changed], largest, rounding), kind="stable")]
        fallen, risen = order[gain[order] < 0][:n], order[gain[order] > 0][-n:]
        rows = np.concatenate((fallen, risen))
        names = dict(zip(matching[0], values))
        columns = {"query": queries[0].ids[rows], **{name: each[rows] for name, each in names.items()}}
        columns["difference"] = apart[rows]
        texts = {
            "query": write_column(columns["query"], 3),
            **{name: [write(each, 3) for each in columns[name]] for name in names},
            "difference": [write_signed(each, 3) for each in apart[rows]],
        }
        n_worse, n_better = (int(np.count_nonzero(sign * gain > 0)) for sign in (-1, 1))
        caption = f"{metric}: {count_queries(n_worse)} worse with {matching[0][0]}, {n_better} better"
        return Table(columns, texts, caption)


def _write_p(p: float) -> str:
    return "nan" if np.isnan(p) else "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


@explain_parameters
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
    random_state: RandomState = None,
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
    plan = _check(ComparisonPlan(test, correction, margin, confidence_level, n_resamples, random_state))
    check_choice("missing", missing, ("raise", "drop"))
    matched = match_reports(reports, metrics, missing)
    if matched.moments and plan.test not in ("t", "sign"):
        rule = "be 't' or 'sign' for reports of moments, as others take the value of each query"
        fail("test", f"{rule}: keep='queries'", repr(plan.test))
    names = matched.systems
    if baseline is not None and baseline not in names:
        fail("baseline", f"be one of the reports, {', '.join(map(repr, names))}", repr(baseline))
    if baseline is None:
        couples = [(late, early) for early, late in combinations(names, 2)]
    else:
        couples = [(name, baseline) for name in names if name != baseline]
    comparisons = [ComparedPair(metric, *couple) for metric in matched.metrics for couple in couples]
    columns, paired = (
        pair_queries(matched, comparisons) if matched.queries else (None, pair_moments(matched, comparisons))
    )
    table, flips = decide(comparisons, paired, columns, plan)
    return Comparison(matched, table, paired, flips, plan, baseline)


def _check(plan: ComparisonPlan) -> ComparisonPlan:
    check_choice("test", plan.test, tuple(TEST_NAMES))
    check_choice("correction", plan.correction, (*CORRECTION_NAMES, None))
    check_level(plan.confidence_level)
    check_resamples(plan.n_resamples)
    check_random(plan.random_state)
    if plan.correction == "max" and plan.test != "randomization":
        rule = "be 'holm', 'bonferroni', 'fdr_bh' or None but for test='randomization', whose flips it takes"
        fail("correction", rule, "'max'")
    margin = plan.margin
    if margin is not None and not (is_real(margin) and 0 < margin < np.inf):
        fail("margin", "be a number above 0, or None", repr(margin))
    return plan
