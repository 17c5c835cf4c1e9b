"""The display of the range of each metric over all orders of tied documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from ..._checks import Default
from ..._checks.containers import is_filled_mapping
from ..._checks.errors import fail
from ..._checks.missed import MissedLabels
from ..._checks.options import pick
from ..._checks.types import ArrayLike, Axes, Discount, Gain, Options, RatioAverage, Unjudged
from ...metrics import TieReport, tie_report
from ._drawing import PredictionDisplay, check_matplotlib, check_name, count_drawn, ink, line_options

RULES = ("worst", "average", "best", "order")
TITLES = ("worst to best order of ties", "average over orders", "row order")  # in the legend
RANGES = "sklearn_rank.tie_ranges"
INCHES = 0.55  # between two x-axes


class TieRangeDisplay(PredictionDisplay):
    """Plot of metrics under the worst and the best order of tied documents, and averaged over all orders.

    Use :meth:`from_report`, :meth:`from_predictions` or :meth:`from_estimator` to draw the plot.

    Parameters
    ----------
    values : dict of str to dict of str to float
        Values of each metric under the tie rules "worst", "average", "best" and "order", such as the
        attribute `metrics` of a `TieReport`.
    name : str, default=None
        Name of the scores, shown below each metric.

    Attributes
    ----------
    metrics : tuple of str
        Names of the metrics.
    worst, average, best, order : ndarray of shape (n_metrics,)
        Values of the metrics under each tie rule.
    name : str or None
        Name of the scores.
    lines_ : list of matplotlib LineCollection
        Bars from the worst to the best value, for each x-axis. Metrics with values beyond
        -1 or 1 have an axis of their own.
    average_, order_ : list of matplotlib Line2D
        Markers of the averages over all orders, and of the values in row order.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    See Also
    --------
    sklearn_rank.metrics.tie_report : Compute the values.

    Examples
    --------
    >>> from sklearn_rank.inspection import TieRangeDisplay
    >>> from sklearn_rank.metrics import tie_report
    >>> report = tie_report([[1, 0, 0], [1, 0, 1]], [[1, 1, 1], [3, 2, 1]], metrics=["mrr", "ndcg"])
    >>> display = TieRangeDisplay(report.metrics)
    >>> (display.best - display.worst).round(3)
    array([0.333, 0.25 ])
    """

    def __init__(self, values: Mapping[str, Mapping[str, float]], *, name: str | None = None) -> None:
        check_name(name)
        rule = "be a non-empty dict of metrics to dicts of values by tie rule"
        fix = f"The tie rules are {', '.join(map(repr, RULES))}. Pass tie_report(...).metrics."
        if not is_filled_mapping(values):
            fail("values", rule, f"{values!r:.60}", fix)
        for metric, by_rule in values.items():
            if not isinstance(by_rule, Mapping) or not by_rule.keys() >= set(RULES):
                fail("values", rule, f"{by_rule!r:.60} for {metric!r:.40}", fix)
        self.metrics = tuple(map(str, values))
        self.worst, self.average, self.best, self.order = (
            np.array([by_rule[each] for by_rule in values.values()], dtype=np.float64) for each in RULES
        )
        self.name = name

    @classmethod
    def from_report(
        cls,
        report: TieReport,
        *,
        name: str | None = None,
        ax: Axes = None,
        average_kw: Options | None = None,
        order_kw: Options | None = None,
        **kwargs: Any,
    ) -> TieRangeDisplay:
        """Draw a tie report.

        Parameters
        ----------
        report : TieReport
            The return value of :func:`sklearn_rank.metrics.tie_report`.
        name, ax, average_kw, order_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        TieRangeDisplay
            The drawn display.
        """
        check_matplotlib(name)
        values = getattr(report, "metrics", None)
        if not isinstance(values, Mapping):
            fix = "Pass tie_report(y_true, y_score, groups=qid, metrics=['ndcg@10'])."
            fail("report", "be a TieReport", f"an object of type {type(report).__name__}", fix)
        return cls(values, name=name).plot(ax=ax, average_kw=average_kw, order_kw=order_kw, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        metrics: Iterable[str],
        gain: Gain = "linear",
        discount: Discount = "log2",
        min_relevance: float = Default(1),
        unjudged: Unjudged = "raise",
        zero_division: float | None = None,
        average: RatioAverage = "macro",
        sample_weight: ArrayLike | None = None,
        missed: MissedLabels | None = None,
        name: str | None = None,
        ax: Axes = None,
        average_kw: Options | None = None,
        order_kw: Options | None = None,
        **kwargs: object,
    ) -> TieRangeDisplay:
        """Compute metrics under each tie rule and draw them.

        Parameters
        ----------
        y_true, y_score, groups, metrics, gain, discount, min_relevance, unjudged, zero_division, average, \
sample_weight, missed
            As in :func:`sklearn_rank.metrics.tie_report`.
        name, ax, average_kw, order_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        TieRangeDisplay
            The drawn display.
        """
        check_matplotlib()
        report = tie_report(**pick(signature(tie_report).parameters, locals()))
        return cls.from_report(report, name=name, ax=ax, average_kw=average_kw, order_kw=order_kw, **kwargs)

    def plot(
        self,
        ax: Axes = None,
        *,
        name: str | None = None,
        average_kw: Options | None = None,
        order_kw: Options | None = None,
        **kwargs: object,
    ) -> TieRangeDisplay:
        """Draw one row per metric, below the rows of other displays of this class on the same axes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        name : str, default=None
            Name of the scores, shown below each metric. If `None`, `self.name` is used.
        average_kw, order_kw : dict, default=None
            Keyword arguments for the markers of the averages and of the values in row order.
        **kwargs : dict
            Keyword arguments for the bars, as in `matplotlib.axes.Axes.hlines`.

        Returns
        -------
        TieRangeDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        name = name or self.name
        is_first = not count_drawn(ax, RANGES)
        above = [] if is_first else [label.get_text() for label in ax.get_yticklabels()]
        rows = np.arange(len(above), len(above) + len(self.metrics))
        labels = [f"{metric}\n{name}" if name else metric for metric in self.metrics]
        bars: Options = {"colors": "0.7", "linewidth": 4, "gid": RANGES, **kwargs}
        marks: Options = {"linestyle": "none", "marker": "o", "color": "C0", "zorder": 3}
        dots = line_options(average_kw, **marks)
        crosses = line_options(order_kw, **marks | {"marker": "x", "color": ink(), "markeredgewidth": 1.5})
        self.lines_, self.average_, self.order_ = [], [], []
        largest = np.abs([self.worst, self.best, self.average, self.order]).max(axis=0)
        scales = [
            metric.partition("@")[0] if size > 1 else "the metric"
            for metric, size in zip(self.metrics, largest)
        ]
        for scale in dict.fromkeys(scales):
            inside, of = np.array([each == scale for each in scales]), _open_scale(ax, scale)
            titles = TITLES if is_first and of is ax else [None] * 3
            values = (each[inside] for each in (self.worst, self.best, self.average, self.order))
            worst, best, average, order = values
            self.lines_.append(of.hlines(rows[inside], worst, best, **{"label": titles[0], **bars}))
            self.average_ += of.plot(average, rows[inside], **{"label": titles[1], **dots})
            self.order_ += of.plot(order, rows[inside], **{"label": titles[2], **crosses})
        ax.set_ylim(rows[-1] + 0.6, -0.6)
        if name:
            ax.tick_params(axis="y", labelsize="small")
        return self._finish([*above, *labels])

    def _columns(self) -> Options:
        return {"metric": list(self.metrics), **{rule: getattr(self, rule) for rule in RULES}}


def _open_scale(ax: Any, scale: str) -> Any:
    """Return the axes with the x-axis of a scale: the given ones, or others with an x-axis below theirs."""
    gid = f"{RANGES} {scale}"
    drawn = [each for each in ax.figure.axes if each.get_subplotspec() == ax.get_subplotspec()]
    found = [each for each in drawn if each.get_gid() == gid]
    below = [each for each in drawn if str(each.get_gid()).startswith(RANGES)]
    of = found[0] if found else ax.twiny() if below else ax
    of.set_gid(gid)
    of.set_xlabel(f"Value of {scale}")
    if below and not found:
        of.xaxis.set_ticks_position("bottom")
        of.xaxis.set_label_position("bottom")
        of.spines["bottom"].set_position(("outward", INCHES * 72 * len(below)))
    return of
