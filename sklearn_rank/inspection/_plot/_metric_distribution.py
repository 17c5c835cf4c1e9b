"""The display of the distribution of a metric over queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.containers import is_filled_mapping
from ..._checks.errors import fail
from ..._checks.types import Arguments, ArrayLike, Axes, Options
from ...reports import sort_naturally
from ._drawing import (
    Display,
    check_matplotlib,
    check_name,
    count_drawn,
    read_line,
    read_values,
    thin,
    unbroken,
)

MARKERS = ("o", "s", "^", "D")


class MetricDistributionDisplay(Display):
    """Plot of the cumulative distribution of a metric over queries, by segment or system.

    Use :meth:`from_report` or :meth:`from_reports` to draw the plot. Each curve shows the share of queries
    whose value is at most x. Markers and the legend show the share of queries with value 0, unless a value is
    below 0, and with value 1, unless a value is above 1.

    Parameters
    ----------
    metric : str
        Name of the metric.
    values : dict of str to array-like of shape (n_queries,)
        Values of the queries, by name of the segment or system. NaN means that the value is undefined.

    Attributes
    ----------
    metric : str
        Name of the metric.
    values : dict of str to ndarray
        Sorted values without NaN.
    n_undefined : dict of str to int
        Number of queries that were excluded because their value is NaN.
    share_at_0, share_at_1 : dict of str to float
        Share of queries with value 0, and with value 1.
    lines_ : list of matplotlib Line2D
        Lines of the curves.
    marks_ : list of matplotlib Line2D
        Markers of the shares at 0 and at 1, one artist per curve.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    Examples
    --------
    >>> from sklearn_rank import ndcg_score
    >>> from sklearn_rank.inspection import MetricDistributionDisplay
    >>> y_true, y_score = [[1, 0], [0, 1], [1, 0]], [[2, 1], [2, 1], [1, 2]]
    >>> values = ndcg_score(y_true, y_score, k=1, average=None)
    >>> display = MetricDistributionDisplay("ndcg@1", {"all": values})
    >>> round(display.share_at_0["all"], 3)
    0.667
    """

    def __init__(self, metric: str, values: Mapping[str, ArrayLike]) -> None:
        check_name(metric)
        if not is_filled_mapping(values):
            fail("values", "be a non-empty dict of names to values of queries", f"{values!r:.100}")
        given = {str(name): read_line(each, "values") for name, each in values.items()}
        self.metric = metric
        self.values = {name: np.sort(each[~np.isnan(each)]) for name, each in given.items()}
        self.n_undefined = {name: int(np.isnan(each).sum()) for name, each in given.items()}
        self.share_at_0, self.share_at_1 = (
            {name: float(np.mean(each == end)) if len(each) else np.nan for name, each in self.values.items()}
            for end in (0, 1)
        )

    @classmethod
    def from_report(
        cls,
        report: Any,
        metric: str | None = None,
        *,
        by: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        ax: Axes = None,
        **kwargs: Any,
    ) -> MetricDistributionDisplay:
        """Draw the distribution of a metric over the queries of a report.

        Parameters
        ----------
        report : RankingReport
            A report with the value of each query.
        metric : str, default=None
            Name of a metric of the report. If `None`, the first one.
        by : mapping, pandas.Series or array-like of shape (n_rows,), default=None
            Segment of each query, by query id; with `groups`, segment of each row. Each segment has its own
            curve. If `None`, one curve is drawn for all queries.
        groups : array-like of shape (n_rows,), default=None
            Query id of each row, if `by` is the segment of each row.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricDistributionDisplay
            The drawn display.
        """
        check_matplotlib()
        metric = getattr(report, "metrics", [None])[0] if metric is None else metric
        by_name = {"all queries": read_values(report, metric, "report")}
        if by is not None:
            segments = report.by(by) if groups is None else report.by(by, groups=groups)
            by_name = {name: read_values(each, metric, "by") for name, each in segments.items()}
        return cls(str(metric), by_name).plot(ax=ax, **kwargs)

    @classmethod
    def from_reports(
        cls, reports: Arguments, metric: str, *, ax: Axes = None, **kwargs: Any
    ) -> MetricDistributionDisplay:
        """Draw the distribution of a metric over queries for each of several systems.

        Parameters
        ----------
        reports : dict of str to RankingReport
            Reports with the value of each query, by name of the system.
        metric : str
            Name of a metric of all reports.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricDistributionDisplay
            The drawn display.
        """
        check_matplotlib()
        if not is_filled_mapping(reports):
            fix = "Pass reports={'name_a': report_a, 'name_b': report_b}."
            got = "{}" if type(reports) is dict else f"an object of type {type(reports).__name__}"
            fail("reports", "be a non-empty dict of names to reports", got, fix)
        values = {
            name: read_values(each, metric, "reports") for name, each in sort_naturally(reports).items()
        }
        return cls(metric, values).plot(ax=ax, **kwargs)

    def plot(
        self, ax: Axes = None, *, name: str | None = None, **kwargs: object
    ) -> MetricDistributionDisplay:
        """Draw a curve for each segment or system.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        name : str, default=None
            Text that is put before the names of the curves in the legend.
        **kwargs : dict
            Keyword arguments for the lines, as in `matplotlib.axes.Axes.step`.

        Returns
        -------
        MetricDistributionDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        self.lines_, self.marks_ = [], []
        for each, values in self.values.items():
            marker = MARKERS[count_drawn(ax) % len(MARKERS)]
            label = self._label(each if name is None else f"{name} {each}", each)
            line = self._draw_curve(*_step_curve(values), label, kwargs, drawstyle="steps-post")
            marked = [(0, self.share_at_0[each])] if len(values) and values[0] >= 0 else []
            marked += [(1, 1 - self.share_at_1[each])] if len(values) and values[-1] <= 1 else []
            look = {"linestyle": "none", "marker": marker, "color": line.get_color(), "clip_on": False}
            self.lines_.append(line)
            self.marks_ += ax.plot(*np.reshape(marked, (-1, 2)).T, **look, zorder=3)
        ax.set(xlabel=self.metric, ylabel="Share of queries", ylim=(0, 1.02))
        return self._finish()

    def _label(self, shown: str, name: str) -> str:
        values, left_out = self.values[name], self.n_undefined[name]
        counted = f"{len(values):,}, {unbroken(left_out, 'excluded')}" if left_out else f"{len(values):,}"
        is_inside = len(values) and values[0] >= 0, len(values) and values[-1] <= 1
        shares = self.share_at_0[name], self.share_at_1[name]
        parts = [(share, end) for end, (share, known) in enumerate(zip(shares, is_inside)) if known and share]
        facts = [unbroken(f"{share:.0%}", "are", end) for share, end in parts]
        return f"{shown} ({counted})" + ": " * bool(facts) + ", ".join(facts)

    def _columns(self) -> Options:
        """Return one row per distinct value, with the share of queries whose value is at most that."""
        steps = {name: np.unique(each, return_counts=True) for name, each in self.values.items()}
        shares = [np.cumsum(counts) / counts.sum() for _, counts in steps.values()]
        return {
            "name": np.repeat(np.array(list(steps), dtype=object), [len(each) for each in shares]),
            "value": np.concatenate([value for value, _ in steps.values()]),
            "share": np.concatenate(shares),
        }


def _step_curve(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the steps of the distribution function, and its value at each."""
    at, counts = np.unique(values, return_counts=True)
    if not len(at):
        return at, at
    shares = np.cumsum(counts) / len(values)
    drawn = thin(len(at))
    at, shares = at[drawn], shares[drawn]
    return np.array([min(at[0], 0), *at, max(at[-1], 1)]), np.array([0, *shares, 1])
