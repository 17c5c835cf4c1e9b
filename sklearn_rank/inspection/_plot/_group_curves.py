"""Displays of curves that are averaged over queries: ROC and interpolated precision."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal

import numpy as np

from ..._checks import Default
from ..._checks.arrays import read_array, read_floats
from ..._checks.errors import check_count, fail
from ..._checks.missed import MissedLabels
from ..._checks.options import check_random, pick
from ..._checks.types import ArrayLike, Axes, Options, RandomState, Unjudged
from ...metrics import group_roc_curve, interpolated_precision_curve, unique_groups
from ...reports import count_queries
from ._drawing import PredictionDisplay, check_matplotlib, check_name, line_options, read_line, unbroken


class GroupROCDisplay(PredictionDisplay):
    """Plot of the ROC curve, averaged over groups.

    Use :meth:`from_estimator` or :meth:`from_predictions` to compute and draw the curve. All parameters
    are also attributes.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False positive rates, and the mean true positive rate of the groups at each of them.
    n_groups : int, default=None
        Number of groups in the mean, shown in the legend. If `None`, it is not shown.
    n_left_out : int, default=0
        Number of groups without a curve, because their documents are all relevant or all non-relevant.
    name : str, default=None
        Name of the curve in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        Line of the curve.
    chance_level_ : matplotlib Line2D or None
        Line of the expected curve of random scores.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    See Also
    --------
    sklearn_rank.metrics.group_roc_curve : Compute the curve.
    sklearn.metrics.RocCurveDisplay : Plot of one curve for all rows together.

    Examples
    --------
    >>> from sklearn_rank.inspection import GroupROCDisplay
    >>> from sklearn_rank.metrics import group_roc_curve
    >>> y_true, y_score, qid = [1, 0, 1, 0, 0, 0], [4, 3, 2, 1, 2, 1], [0, 0, 0, 0, 1, 1]
    >>> fpr, tpr = group_roc_curve(y_true, y_score, groups=qid, false_positive_rates=[0, 0.5, 1])
    >>> display = GroupROCDisplay(fpr=fpr, tpr=tpr, n_groups=1, n_left_out=1)
    >>> display.tpr
    array([0.5, 1. , 1. ])
    """

    def __init__(
        self,
        *,
        fpr: ArrayLike,
        tpr: ArrayLike,
        n_groups: int | None = None,
        n_left_out: int = 0,
        name: str | None = None,
    ) -> None:
        check_name(name)
        self.fpr = read_line(fpr, "fpr")
        self.tpr = read_line(tpr, "tpr", len(self.fpr))
        self.n_groups = n_groups
        self.n_left_out = n_left_out
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        false_positive_rates: int | ArrayLike = 101,
        min_relevance: float = Default(1),
        unjudged: Unjudged = "raise",
        sample_weight: ArrayLike | None = None,
        missed: MissedLabels | None = None,
        name: str | None = None,
        ax: Axes = None,
        plot_chance_level: bool = False,
        chance_level_kw: Options | None = None,
        **kwargs: Any,
    ) -> GroupROCDisplay:
        """Compute and draw the mean ROC curve of groups.

        Parameters
        ----------
        y_true, y_score, groups, false_positive_rates, min_relevance, unjudged, sample_weight, missed
            As in :func:`sklearn_rank.metrics.group_roc_curve`.
        name, ax, plot_chance_level, chance_level_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        GroupROCDisplay
            The drawn display.
        """
        check_matplotlib(name)
        options = pick(signature(group_roc_curve).parameters, locals())
        fpr, tpr = group_roc_curve(**options)
        one_point: Options = {"false_positive_rates": [0], "average": None, "sample_weight": None}
        _, starts = group_roc_curve(**options | one_point)
        n_left_out = int(np.isnan(starts).sum())
        display = cls(fpr=fpr, tpr=tpr, n_groups=len(starts) - n_left_out, n_left_out=n_left_out, name=name)
        return display.plot(
            ax=ax, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw, **kwargs
        )

    def plot(
        self,
        ax: Axes = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Options | None = None,
        **kwargs: object,
    ) -> GroupROCDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. If `None`, a new figure is created, and is higher if its legend is long. The
            legend is placed above the axes, which needs a figure with ``layout="constrained"``.
        name : str, default=None
            Name of the curve in the legend. If `None`, `self.name` is used.
        plot_chance_level : bool, default=False
            Whether to draw the expected curve of random scores.
        chance_level_kw : dict, default=None
            Keyword arguments for the line of random scores.
        **kwargs : dict
            Keyword arguments for the line, as in `matplotlib.axes.Axes.plot`.

        Returns
        -------
        GroupROCDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        self.line_ = self._draw_curve(self.fpr, self.tpr, self._label(name or self.name), kwargs)
        self.chance_level_ = None
        if plot_chance_level:
            chance = {"color": "0.5", "linestyle": ":", "linewidth": 1, "label": "random scores"}
            (self.chance_level_,) = ax.plot([0, 1], [0, 1], **line_options(chance_level_kw, **chance))
        limits = (-0.02, 1.02)
        ax.set(xlabel="False positive rate", ylabel="Mean true positive rate", xlim=limits, ylim=limits)
        return self._finish()

    def _label(self, name: str | None) -> str:
        if self.n_groups is None:
            return name or "mean over groups"
        left_out = f", {unbroken(self.n_left_out, 'excluded')}" if self.n_left_out else ""
        counted = f"{unbroken(self.n_groups, 'group' if self.n_groups == 1 else 'groups')}{left_out}"
        return f"{name} ({counted})" if name else f"mean over {counted}"

    def _columns(self) -> Options:
        return {"fpr": self.fpr, "tpr": self.tpr}


class InterpolatedPrecisionDisplay(PredictionDisplay):
    """Plot of interpolated precision over recall, for the mean over queries and a sample of queries.

    Use :meth:`from_estimator` or :meth:`from_predictions` to compute and draw the curves. All parameters
    are also attributes.

    Parameters
    ----------
    recall, precision : array-like of shape (n_levels,)
        Recall levels, and the mean interpolated precision of the queries at each of them.
    sample : array-like of shape (n_sampled, n_levels), default=None
        Interpolated precision of each sampled query. If `None`, only the mean is drawn.
    sample_ids : array-like of shape (n_sampled,), default=None
        Ids of the sampled queries. If `None`, they are numbered from 0.
    n_total : int, default=None
        Number of queries in the mean, shown in the legend. If `None`, it is not shown.
    name : str, default=None
        Name of the mean in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        Line of the mean.
    sample_lines_ : list of matplotlib Line2D
        Lines of the sampled queries.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    See Also
    --------
    sklearn_rank.metrics.interpolated_precision_curve : Compute the curves.

    Examples
    --------
    >>> from sklearn_rank.inspection import InterpolatedPrecisionDisplay
    >>> from sklearn_rank.metrics import interpolated_precision_curve
    >>> y_true, y_score = [[1, 0, 1], [0, 1, 0]], [[3, 2, 1], [3, 2, 1]]
    >>> recall, sample = interpolated_precision_curve(y_true, y_score, recall_levels=[0, 1], average=None)
    >>> display = InterpolatedPrecisionDisplay(recall=recall, precision=sample.mean(axis=0), sample=sample)
    >>> display.precision.round(3)
    array([0.75 , 0.583])
    """

    def __init__(
        self,
        *,
        recall: ArrayLike,
        precision: ArrayLike,
        sample: ArrayLike | None = None,
        sample_ids: ArrayLike | None = None,
        n_total: int | None = None,
        name: str | None = None,
    ) -> None:
        check_name(name)
        self.recall = read_line(recall, "recall")
        self.precision = read_line(precision, "precision", len(self.recall))
        rule = "be a 2-D array of numbers with one row per query"
        sample = np.empty((0, len(self.recall))) if sample is None else sample
        array = read_array(sample, "sample", rule)
        self.sample = read_floats(array, (*array.shape[:1], len(self.recall)), "sample", rule)
        self.sample_ids = np.arange(len(self.sample)) if sample_ids is None else np.asarray(sample_ids)
        if len(self.sample_ids) != len(self.sample):
            rule = f"have one id per row of 'sample' ({len(self.sample)} rows)"
            fail("sample_ids", rule, f"{len(self.sample_ids)} ids")
        self.n_total = n_total
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        recall_levels: int | ArrayLike | None = 11,
        rounding: Literal["up", "trec_eval_9", "trec_eval_10"] = "up",
        min_relevance: float = Default(1),
        ties: Literal["together", "order", "best", "worst"] = "together",
        unjudged: Unjudged = "raise",
        zero_division: float = 0.0,
        sample_weight: ArrayLike | None = None,
        missed: MissedLabels | None = None,
        n_queries: int = 50,
        random_state: RandomState = 0,
        name: str | None = None,
        ax: Axes = None,
        sample_kw: Options | None = None,
        **kwargs: Any,
    ) -> InterpolatedPrecisionDisplay:
        """Compute the curves of all queries and draw their mean and a random sample of them.

        Parameters
        ----------
        y_true, y_score, groups, recall_levels, rounding, min_relevance, ties, unjudged, zero_division, \
sample_weight, missed
            As in :func:`sklearn_rank.metrics.interpolated_precision_curve`.
        n_queries : int, default=50
            Number of queries in the random sample. If 0, only the mean is drawn.
        random_state : int, RandomState instance or None, default=0
            Seed of the random sample.
        name, ax, sample_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
            The drawn display.
        """
        check_matplotlib(name)
        check_count(n_queries, 0, "n_queries")
        options = pick(signature(interpolated_precision_curve).parameters, locals())
        recall, mean = interpolated_precision_curve(**options)
        _, values = interpolated_precision_curve(**options | {"sample_weight": None, "average": None})
        drawn = np.flatnonzero(~np.isnan(values).any(axis=1))
        n_total = len(drawn)
        if n_total > n_queries:
            drawn = np.sort(check_random(random_state).choice(drawn, n_queries, replace=False))
        ids = np.arange(len(values)) if groups is None else unique_groups(groups)
        sampled: Options = {"sample": values[drawn], "sample_ids": ids[drawn], "n_total": n_total}
        display = cls(recall=recall, precision=mean, name=name, **sampled)
        return display.plot(ax=ax, sample_kw=sample_kw, **kwargs)

    def plot(
        self, ax: Axes = None, *, name: str | None = None, sample_kw: Options | None = None, **kwargs: object
    ) -> InterpolatedPrecisionDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        name : str, default=None
            Name of the mean in the legend. If `None`, `self.name` is used.
        sample_kw : dict, default=None
            Keyword arguments for the lines of the sampled queries.
        **kwargs : dict
            Keyword arguments for the line of the mean, as in `matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        name = name or self.name
        counted = "queries" if self.n_total is None else count_queries(self.n_total)
        label = f"{name} (mean over {counted})" if name else f"mean over {counted}"
        self.line_ = self._draw_curve(self.recall, self.precision, label, kwargs, linewidth=2.5, zorder=3)
        faint = {"color": self.line_.get_color(), "linewidth": 0.8, "alpha": 0.25}
        self.sample_lines_ = ax.plot(self.recall, self.sample.T, **line_options(sample_kw, **faint))
        is_all = len(self.sample) == self.n_total
        title = "each query" if is_all else f"sample of {count_queries(len(self.sample))}"
        if self.sample_lines_ and title not in ax.get_legend_handles_labels()[1]:
            self.sample_lines_[0].set_label(title)
        limits = (-0.02, 1.02)
        ax.set(xlabel="Recall", ylabel="Interpolated precision", xlim=limits, ylim=limits)
        return self._finish()

    def _columns(self) -> Options:
        """Return one row per recall level, first for the mean, with `None` as query, then for each query."""
        ids = np.empty(len(self.sample) + 1, dtype=object)
        ids[1:] = self.sample_ids
        return {
            "query": np.repeat(ids, len(self.recall)),
            "recall": np.tile(self.recall, len(ids)),
            "precision": np.concatenate([self.precision, self.sample.ravel()]),
        }
