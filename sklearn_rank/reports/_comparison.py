"""Comparison of reports: `compare`, and its table with verdicts and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from .._checks import FROM_ABOVE
from .._checks.errors import fail, name_call
from .._checks.options import check_choice
from .._checks.types import Axes, Groups, Labels, Options
from ._comparison_notes import Compared, list_notes, note_reasons, write_caption, write_letters
from ._decide import BY_HOLM, RANKS, decide, list_by_metric
from ._paired_queries import ComparedPair, pair_queries
from ._power import check_aims, find_aims, tabulate_needed
from ._query_tables import list_changes, list_couples, write_changes
from ._reported_queries import SHOWN, QueryValues, as_json, check_metric
from ._segments import align_segments
from ._system_names import give_letters, shorten_names
from ._tables import (
    MARK,
    Printed,
    Table,
    share_decimals,
    write,
    write_interval,
    write_level,
    write_signed,
)
from ._traits import has_query_values

MOST_FIGURES = 6  # of a page


class Comparison(Compared, Printed):
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
        "high". "p" is adjusted for the number of comparisons, as the interval is; "p_unadjusted" is not.
        "relative" is "difference" divided by "other_mean", with Fieller's interval, which excludes 0 exactly
        if that of the difference does. Without such an interval, all three are nan: if "other_mean" is not
        clearly above 0, for other tests than t, for metrics whose range begins below 0, and in reports of
        moments if a query has no value. "effect" is the difference divided by the standard deviation of the
        differences. "wins", "ties" and "losses" are the numbers of queries or clusters on which the system is
        better, equal and worse. "n" is the number of compared queries or clusters. "left_out" counts queries
        without a value in one system.
        For "verdict", see :func:`compare`; "why" is the reason if it is "undecided", a remark if only Holm's
        method decides, and otherwise empty.

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

    def table(self, digits: int | None = None) -> Table:
        """Return the printed table: a row per metric and pair of systems.

        Parameters
        ----------
        digits : int, default=None
            Number of decimals of means and differences. If `None`, two digits of the smallest half width of
            an interval.

        Returns
        -------
        Table
            Below 80 columns, with the names of the systems if there is room, and otherwise with short names.
            The full names and the reasons of undecided comparisons are listed below it.
        """
        return self._name_systems(lambda names: self._tabulate(names, digits))

    def _name_systems(self, tabulate: Callable[[Mapping[str, str]], Table]) -> Table:
        """Return a table with short names of systems, listed below it, if their names make it too wide."""
        systems, found = self.systems, []
        for names in (dict(zip(systems, systems)), shorten_names(systems), give_letters(systems)):
            full = tuple(f"{short}: {name}" for name, short in names.items() if short != name)
            table = tabulate(names)
            found.append(replace(table, names=full))
            if table._fits(table._measure()):
                return found[-1]
        return found[1]

    def _tabulate(self, names: Mapping[str, str], digits: int | None) -> Table:
        """Return the table with these names of systems."""
        columns, level = self.columns, write_level(self._plan.confidence_level)
        decimals = self._find_decimals(digits)
        digits_of = [decimals[metric] for metric in columns["metric"].tolist()]
        has_interval = self._plan.test not in RANKS
        difference = list(map(write_signed, columns["difference"], digits_of))
        ends = list(map(write_interval, zip(columns["low"], columns["high"]), digits_of))
        heads = [name for name in ("segment", "metric") if name in columns]
        first: dict[str, list[str]] = {name: list(map(str, columns[name])) for name in heads}
        first["system"] = [names[each] for each in columns["other"].tolist()]
        first["mean"] = list(map(write, columns["other_mean"], digits_of))
        texts: dict[str, list[str]] = dict.fromkeys(heads, [""] * len(digits_of))
        texts["system"] = [names[each] for each in columns["system"].tolist()]
        if self._first is None:
            texts["vs."] = first["system"]
        texts["mean"] = list(map(write, columns["mean"], digits_of))
        if has_interval:
            rows = zip(difference, ends, columns["n"].tolist())
            texts[f"difference ({level} CI)"] = [f"{each} {end}" if n > 1 else each for each, end, n in rows]
        else:
            texts["difference"] = difference
        relative = f"relative ({level} CI)"
        if not np.isnan(columns["relative"]).all():
            parts = zip(*(columns[f"relative{end}"].tolist() for end in ("", "_low", "_high")))
            texts[relative] = [
                "no relative interval" if np.isnan(part) else f"{part:+.1%} [{low:.1%}, {high:.1%}]"
                for part, low, high in parts
            ]
        texts["p"] = ["" if np.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}" for p in columns["p"]]
        texts["effect"] = [write_signed(each, 2) for each in columns["effect"]]
        wins = "win/tie/loss" if self._matched.clusters is None else "win/tie/loss (clusters)"
        if self._matched.paired:
            counts = columns["wins"], columns["ties"], columns["losses"]
            written = map("{:,}/{:,}/{:,}".format, *counts)
            kept = map(has_query_values, columns["metric"].tolist())
            texts[wins] = [each if has_values else "" for each, has_values in zip(written, kept)]
        if has_interval:
            marks = np.where(columns["why"] == BY_HOLM, MARK, "")
            texts["verdict"] = np.char.add(columns["verdict"], marks).tolist()
        texts = self._add_first(texts, first)
        notes = [*list_notes(self), *note_reasons(self, names), *self._note_changes()]
        return Table(columns, texts, write_caption(self, names), tuple(notes), (relative, "effect", wins))

    def _find_decimals(self, digits: int | None = None) -> dict[str, int]:
        """Return the printed decimals of each metric."""
        metrics, *ends = (self.columns[name].tolist() for name in ("metric", "low", "high"))
        rows = list(zip(metrics, zip(*ends)))
        intervals = {name: [each for of, each in rows if of == name] for name in self.metrics}
        return share_decimals(intervals, self._matched.traits, digits)

    def _add_first(
        self, texts: Mapping[str, list[str]], first: Mapping[str, list[str]]
    ) -> dict[str, list[str]]:
        """Add a row with the mean of the baseline, or of the first system, above the rows of each metric."""
        n_rows, n = len(texts["mean"]), len(list_couples(self.columns))
        shown: dict[str, list[str]] = {name: [] for name in texts}
        for name, cells in shown.items():
            above = first.get(name, [""] * n_rows)
            for start in range(0, n_rows, n):
                cells += [above[start], *texts[name][start : start + n]]
        return shown

    def _note_changes(self) -> Iterator[str]:
        """Yield a note on the queries that changed most in the first metric, if there are two systems."""
        metric = self.metrics[0]
        if len(self.systems) == 2 and self._has_changes:
            systems, up = find_pair(self, metric, None, None), self._matched.traits[metric].greater_is_better
            if note := write_changes(list_changes(metric, SHOWN, systems, up), metric, up):
                yield note

    @property
    def _has_changes(self) -> bool:
        """Return whether each query has a difference in the first metric."""
        matched = self._matched
        return bool(matched.queries) and matched.paired and has_query_values(self.metrics[0])

    def to_latex(
        self, layout: Literal["letters", "comparisons"] = "letters", digits: int | None = None
    ) -> str:
        """Return the comparison in LaTeX. It requires the package booktabs.

        Parameters
        ----------
        layout : {"letters", "comparisons"}, default="letters"
            Rows and columns. "letters" has a row per system and a column per metric, as in papers. The best
            means are bold; each mean has the letters of the systems that are significantly worse, or numbers
            above 52 systems. With a baseline and several other systems, plus and minus mark means that are
            significantly better and worse than the baseline's. The caption explains the marks and contains
            :meth:`summarize`. "comparisons" is the printed table, with intervals, p and verdicts.
        digits : int, default=None
            Number of decimals of means and differences. If `None`, two digits of the smallest half width of
            an interval.

        Returns
        -------
        str
            A table environment, or for "comparisons" a tabular environment.
        """
        check_choice("layout", layout, ("letters", "comparisons"))
        if layout == "comparisons":
            return self.table(digits).to_latex()
        if "segment" in self.columns:
            fail("layout", "be 'comparisons' for a comparison by segment", repr(layout))
        return write_letters(self, self._find_decimals(digits))

    def to_dict(self) -> Options:
        """Return the comparison as a dict that can be written as JSON, with None instead of NaN.

        Returns
        -------
        dict
            "systems", "baseline", "n_queries", "test", "correction", "confidence_level", and "comparisons",
            a list with a dict for each row of `columns`.
        """
        rows = zip(*(each.tolist() for each in self.columns.values()))
        known = {"systems": self.systems, "baseline": self.baseline, "n_queries": self.n_queries}
        plan = {name: getattr(self._plan, name) for name in ("test", "correction", "confidence_level")}
        return as_json({**known, **plan, "comparisons": [dict(zip(self.columns, row)) for row in rows]})

    def by(self, labels: Labels, *, groups: Groups = None) -> Comparison:
        """Compare the systems in each segment of the queries, with one correction over all comparisons.

        This is not possible with reports of moments or of model labels, and with ``paired=False``.

        Parameters
        ----------
        labels : mapping, pandas.Series or array-like of shape (n_rows,)
            Segment of each query, by query id. With `groups`, segment of each row, the same for all rows of a
            query.
        groups : array-like of shape (n_rows,), default=None
            Query id of each row, if `labels` has one entry per row.

        Returns
        -------
        Comparison
            Comparison with a row for each segment, metric and pair of systems, and the column "segment".

        Examples
        --------
        >>> from sklearn_rank import RankingReport, compare
        >>> ids = range(40)
        >>> old = RankingReport.from_values(ids, {"mrr": [0.5] * 40})
        >>> new = RankingReport.from_values(ids, {"mrr": [1, 0.5, 1, 1] * 5 + [0.5, 1, 0.2, 0.5] * 5})
        >>> found = compare({"old": old, "new": new}).by({i: "short" if i < 20 else "long" for i in ids})
        >>> dict(zip(found.columns["segment"].tolist(), found.columns["verdict"].tolist()))
        {'long': 'undecided', 'short': 'better'}
        """
        queries = self._need_pairs()
        if self._matched.labels:
            got = "requires one set of labels. Got reports with model labels instead"
            raise ValueError(f"{name_call()} {got}.")
        codes, names = align_segments(labels, groups, next(iter(queries.values())).ids)
        rows = (self.columns[name].tolist() for name in ("metric", "system", "other"))
        pairs = list(map(ComparedPair, *rows))
        every, parts = pairs * len(names), [codes == code for code in range(len(names)) for _ in pairs]
        columns, paired = pair_queries(self._matched, every, parts)
        found, decision = decide(every, paired, columns, self._plan)
        table = {"segment": np.repeat(names, len(pairs)), **found}
        return Comparison(table, self.baseline, self._matched, paired, decision, self._plan)

    def _need_pairs(self) -> Mapping[str, QueryValues]:
        """Return the values of the queries of each system, which are the same queries."""
        if not self._matched.queries:
            got = "requires the value of each query. Got reports of moments instead"
            raise ValueError(f"{name_call()} {got}. Make the reports with keep_queries=True.")
        if not self._matched.paired:
            raise ValueError(f"{name_call()} requires systems on the same queries. Got paired=False instead.")
        return self._matched.queries

    def _list_figures(self) -> list[Options]:
        couples = list_couples(self.columns)[:MOST_FIGURES] if self._has_changes else []
        return [{"system": system, "other": other} for system, other in couples]

    def queries_needed(
        self,
        difference: float | Mapping[str, float] | None = None,
        power: float = 0.8,
        *,
        margin: float | None = None,
    ) -> Table:
        """Estimate the number of queries needed to detect a difference or to show equivalence.

        Parameters
        ----------
        difference : float or dict of str to float, default=None
            The difference to detect, positive. A dict contains the differences of some or all metrics by
            name, such as ``{"revenue@8": 0.5}``. If `None`, and for other metrics, it is 0.01 for values from
            -1 to 1, and otherwise 2% of the baseline's mean. If this mean is not clearly above 0, the numbers
            are nan.
        power : float, default=0.8
            Probability, in (0, 1), that the t test detects `difference` at the corrected level of this table.
        margin : float, default=None
            Margin of an equivalence test, positive, instead of `difference`. If given, `power` is the
            probability that two one-sided tests show that equal systems are equivalent within the margin.

        Returns
        -------
        Table
            For each comparison, the number of queries or clusters, its 80% confidence interval, the level of
            the t test, and the number if this comparison were the only one ("alone"). If some queries have no
            value, such as those without a relevant document, the number of queries "with a value" is printed
            too; the difference is that of their mean. The interval reflects that the standard deviation of
            the differences, and the share of queries with a value, are estimated.
        """
        check_aims(difference, power, margin, self.metrics)
        differences = list_by_metric(difference, self.columns["metric"].tolist())
        aims = np.where(np.isnan(differences), find_aims(self._paired, self._decision.critical), differences)
        levels = self._decision.level, self._plan.alpha
        options: Options = {"difference": aims, "power": power, "margin": margin}
        table = tabulate_needed(self.columns, self._paired, levels, options)

        def tabulate(names: Mapping[str, str]) -> Table:
            named = {head: [names[each] for each in table.texts[head]] for head in ("system", "baseline")}
            return replace(table, texts={**table.texts, **named})

        return self._name_systems(tabulate)

    def changes(
        self, metric: str, n: int = 10, *, system: str | None = None, other: str | None = None
    ) -> Table:
        """List the queries with the largest losses and gains.

        This is not possible with reports of moments, and with ``paired=False``.

        Parameters
        ----------
        metric : str
            One of `metrics` that has a value for each query.
        n : int, default=10
            Maximum number of losses and of gains.
        system, other : str, default=None
            The two systems; required if there are several comparisons.

        Returns
        -------
        Table
            Query ids, both values and their difference, from the largest loss to the largest gain.
        """
        systems, up = find_pair(self, metric, system, other), self._matched.traits[metric].greater_is_better
        return self._name_systems(lambda names: list_changes(metric, n, systems, up, names))

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
            As in :meth:`changes`. If `None`, the first one.
        system, other : str, default=None
            The two systems; required if there are several comparisons.
        ax, **kwargs
            As in :meth:`sklearn_rank.inspection.QueryDifferenceDisplay.plot`.

        Returns
        -------
        QueryDifferenceDisplay
            The drawn display.
        """
        display = FROM_ABOVE["displays"]().QueryDifferenceDisplay
        return display.from_comparison(self, metric, system=system, other=other, ax=ax, **kwargs)


def find_pair(
    comparison: Comparison, metric: str, system: str | None, other: str | None
) -> dict[str, QueryValues]:
    """Return the values of the queries of two compared systems, by name of the system."""
    queries = comparison._need_pairs()
    check_metric(metric, comparison.metrics)
    if not has_query_values(metric):
        fail("metric", "have a value per query", repr(metric))
    couples = list_couples(comparison.columns)
    matching = [each for each in couples if system in (None, each[0]) and other in (None, each[1])]
    if len(matching) != 1:
        known = " or ".join(f"system={one!r}, other={two!r}" for one, two in couples[:2])
        got = f"system={system!r}, other={other!r}"
        fail("system", "name one comparison, together with 'other'", got, f"For example, pass {known}.")
    return {name: queries[name] for name in matching[0]}
