"""The distribution of a metric over queries, as a step curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.errors import fail
from ..._checks.types import Arguments, ArrayLike, Axes, Options
from ._drawing import Display, check_matplotlib, check_name, count_drawn, read_line, read_values, unbroken

MARKERS = ("o", "s", "^", "D")


class MetricDistributionDisplay(Display):
    """Share of the queries up to each value of a metric, by segment or system.

    Use :meth:`from_report` or :meth:`from_reports`, which draw at once. The shares of queries with value 0,
    and with value 1 where no value is higher, are marked on the curve.

    Parameters
    ----------
    metric : str
        The name of the metric.
    values : dict of str to array-like of shape (n_queries,)
        By segment or system the values of its queries, NaN where a query has none.

    Attributes
    ----------
    metric : str
        The name of the metric.
    values : dict of str to ndarray
        The values, sorted, without those that are NaN.
    n_undefined : dict of str to int
        Numbers of queries left out, whose value is NaN.
    share_at_0, share_at_1 : dict of str to float
        Shares of the queries whose value is 0, and 1.
    lines_ : list of matplotlib Line2D
        The curves.
    marks_ : list of matplotlib Line2D
        The marks of the shares at 0 and at 1, in the order of the curves.
    ax_, figure_ : matplotlib Axes and Figure
        The axes drawn on, and the figure around them.

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
        rule = "be a dict of names, of each an array with the value of each query"
        if not isinstance(values, Mapping) or not values:
            fail("values", rule, repr(values))
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
        metric: str,
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
            A report that keeps the value of each query.
        metric : str
            One of its metrics.
        by : mapping, pandas.Series or array-like of shape (n_rows,), default=None
            Segment of each query, by query id; with `groups`, segment of each row. One curve is plotted for
            each segment.
        groups : array-like of shape (n_rows,), default=None
            The query id of each row, where `by` is of rows.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricDistributionDisplay
            The numbers, drawn.
        """
        check_matplotlib()
        by_name = {"all queries": read_values(report, metric, "report")}
        if by is not None:
            segments = report.by(by) if groups is None else report.by(by, groups=groups)
            by_name = {name: read_values(each, metric, "by") for name, each in segments.items()}
        return cls(metric, by_name).plot(ax=ax, **kwargs)

    @classmethod
    def from_reports(
        cls, reports: Arguments, metric: str, *, ax: Axes = None, **kwargs: Any
    ) -> MetricDistributionDisplay:
        """Draw the distribution of a metric by system.

        Parameters
        ----------
        reports : dict of str to RankingReport
            By system a report that keeps the value of each query.
        metric : str
            A metric of all of them.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricDistributionDisplay
            The numbers, drawn.
        """
        check_matplotlib()
        if not isinstance(reports, Mapping) or not reports:
            fail("reports", "be a dict of names to reports", f"a {type(reports).__name__}")
        values = {name: read_values(each, metric, "reports") for name, each in reports.items()}
        return cls(metric, values).plot(ax=ax, **kwargs)

    def plot(
        self, ax: Axes = None, *, name: str | None = None, **kwargs: object
    ) -> MetricDistributionDisplay:
        """Draw a curve for each segment or system.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None for new ones. The legend above them needs ``layout="constrained"``.
        name : str, default=None
            What to put in front of the names of the curves in the legend.
        **kwargs : dict
            Options of the lines, as `matplotlib.axes.Axes.step` takes them.

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
        counted = f"{len(values)}, {unbroken(left_out, 'left out')}" if left_out else f"{len(values)}"
        facts = [unbroken(f"{self.share_at_0[name]:.0%}", "at 0")] if len(values) and values[0] >= 0 else []
        facts += [unbroken(f"{self.share_at_1[name]:.0%}", "at 1")] if len(values) and values[-1] <= 1 else []
        return f"{shown} ({counted})" + ": " * bool(facts) + ", ".join(facts)

    def _columns(self) -> Options:
        """Return a row for each distinct value, with the share of queries that do not exceed it."""
        steps = {name: np.unique(each, return_counts=True) for name, each in self.values.items()}
        shares = [np.cumsum(counts) / counts.sum() for _, counts in steps.values()]
        return {
            "name": np.repeat(np.array(list(steps), dtype=object), [len(each) for each in shares]),
            "value": np.concatenate([value for value, _ in steps.values()]),
            "share": np.concatenate(shares),
        }


def _step_curve(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps of the distribution function, and its value at each."""
    at, counts = np.unique(values, return_counts=True)
    if not len(at):
        return at, at
    shares = np.cumsum(counts) / len(values)
    return np.array([min(at[0], 0), *at, max(at[-1], 1)]), np.array([0, *shares, 1])
