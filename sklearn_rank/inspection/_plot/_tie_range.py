"""The display of the range of each metric over the orders of tied documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..._checks.errors import fail
from ..._checks.types import ArrayLike, Axes, Discount, Gain, Options, RatioAverage, Unjudged
from ...metrics import tie_report
from ._drawing import Display, check_matplotlib, check_name, count_drawn, line_options, pick

RULES = ("worst", "average", "best", "order")
RANGES = "sklearn_rank.tie_ranges"


class TieRangeDisplay(Display):
    """Metrics under the worst and the best order of ties, with their average over orders.

    Use :meth:`from_report` or :meth:`from_predictions`, which draw at once.

    Parameters
    ----------
    values : dict of str to dict of str to float
        Per metric its values under the tie rules "worst", "average", "best" and "order", as
        `TieReport.metrics` has them.
    name : str, default=None
        What the scores are called, in the labels of the rows.

    Attributes
    ----------
    metrics : tuple of str
        The names of the metrics.
    worst, average, best, order : ndarray of shape (n_metrics,)
        Their values under the tie rules.
    name : str or None
        What the scores are called.
    lines_ : matplotlib LineCollection
        The ranges from worst to best.
    average_ : matplotlib Line2D
        The marks of the averages.
    order_ : matplotlib Line2D
        The marks of the values in the order of the rows.
    ax_, figure_ : matplotlib Axes and Figure
        The axes drawn on, and the figure around them.

    See Also
    --------
    sklearn_rank.metrics.tie_report : The numbers.

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
        rule = f"be a dict of metrics, of each a dict with {', '.join(map(repr, RULES))}"
        if not isinstance(values, Mapping) or not values:
            fail("values", rule, repr(values))
        for metric, by_rule in values.items():
            if not isinstance(by_rule, Mapping) or not by_rule.keys() >= set(RULES):
                fail("values", rule, f"{by_rule!r} for {metric!r}")
        self.metrics = tuple(map(str, values))
        self.worst, self.average, self.best, self.order = (
            np.array([by_rule[each] for by_rule in values.values()], dtype=np.float64) for each in RULES
        )
        self.name = name

    @classmethod
    def from_report(
        cls,
        report: Any,
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
            What :func:`sklearn_rank.metrics.tie_report` returned.
        name, ax, average_kw, order_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        TieRangeDisplay
            The numbers, drawn.
        """
        check_matplotlib(name)
        values = getattr(report, "metrics", None)
        if not isinstance(values, Mapping):
            fail("report", "be what tie_report returned", f"a {type(report).__name__}")
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
        min_relevance: float = 1,
        unjudged: Unjudged = "raise",
        zero_division: float | None = None,
        average: RatioAverage = "macro",
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes = None,
        average_kw: Options | None = None,
        order_kw: Options | None = None,
        **kwargs: object,
    ) -> TieRangeDisplay:
        """Compute metrics under every tie rule, and draw them.

        Parameters
        ----------
        y_true, y_score, groups, metrics, gain, discount, min_relevance, unjudged, zero_division, average, \
sample_weight
            As in :func:`sklearn_rank.metrics.tie_report`.
        name, ax, average_kw, order_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        TieRangeDisplay
            The numbers, drawn.
        """
        check_matplotlib()
        report = tie_report(**pick(tie_report, locals()))
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
        """Draw a row for each metric, below those that the axes hold of another such display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None for new ones. The legend above them needs ``layout="constrained"``.
        name : str, default=None
            What the scores are called, in the labels of the rows; None for `self.name`.
        average_kw, order_kw : dict, default=None
            Options of the marks.
        **kwargs : dict
            Options of the ranges, as `matplotlib.axes.Axes.hlines` takes them.

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
        titles = ("worst to best order", "average", "order of the rows") if is_first else [None] * 3
        ranges = {"colors": "0.7", "linewidth": 4, "label": titles[0], **kwargs}
        self.lines_ = ax.hlines(rows, self.worst, self.best, gid=RANGES, **ranges)
        marks: Options
        marks = {"linestyle": "none", "marker": "o", "color": "C0", "label": titles[1], "zorder": 3}
        (self.average_,) = ax.plot(self.average, rows, **line_options(average_kw, **marks))
        marks |= {"marker": "x", "color": "k", "markeredgewidth": 1.5, "label": titles[2]}
        (self.order_,) = ax.plot(self.order, rows, **line_options(order_kw, **marks))
        ax.set(xlabel="Metric under orders of ties", ylim=(rows[-1] + 0.6, -0.6))
        ax.set_yticks(np.arange(rows[-1] + 1), [*above, *labels], fontsize="small" if name else None)
        return self._finish()

    def _columns(self) -> Options:
        return {"metric": list(self.metrics), **{rule: getattr(self, rule) for rule in RULES}}
