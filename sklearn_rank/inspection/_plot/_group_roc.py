"""The mean ROC curve of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks.types import ArrayLike, Axes, Options, Unjudged
from ...metrics import group_roc_curve
from ._drawing import Display, check_matplotlib, check_name, line_options, pick, read_line, unbroken


class GroupROCDisplay(Display):
    """ROC curve per group, averaged over groups.

    Use :meth:`from_predictions`, which computes the curve and draws it. The parameters are attributes too.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_points,)
        False positive rates, and the mean of the groups' true positive rates there.
    n_groups : int, default=None
        Number of groups in the mean, for the legend.
    n_left_out : int, default=0
        Number of groups without a curve: all their documents are relevant, or none is.
    name : str, default=None
        What the curve is called in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    chance_level_ : matplotlib Line2D or None
        The curve of random scores.
    ax_, figure_ : matplotlib Axes and Figure
        The axes drawn on, and the figure around them.

    See Also
    --------
    sklearn_rank.metrics.group_roc_curve : The numbers of the curve.
    sklearn.metrics.RocCurveDisplay : One curve of all rows together.

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
        min_relevance: float = 1,
        unjudged: Unjudged = "raise",
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes = None,
        plot_chance_level: bool = False,
        chance_level_kw: Options | None = None,
        **kwargs: Any,
    ) -> GroupROCDisplay:
        """Compute the mean ROC curve of groups, and draw it.

        Parameters
        ----------
        y_true, y_score, groups, false_positive_rates, min_relevance, unjudged, sample_weight
            As in :func:`sklearn_rank.metrics.group_roc_curve`.
        name, ax, plot_chance_level, chance_level_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        GroupROCDisplay
            The numbers, drawn.
        """
        check_matplotlib(name)
        options = pick(group_roc_curve, locals())
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
            Axes to draw on; None for new ones. The legend above them needs ``layout="constrained"``.
        name : str, default=None
            What the curve is called in the legend; None for `self.name`.
        plot_chance_level : bool, default=False
            Draw the curve of random scores too.
        chance_level_kw : dict, default=None
            Options of the line of random scores.
        **kwargs : dict
            Options of the line, as `matplotlib.axes.Axes.plot` takes them.

        Returns
        -------
        GroupROCDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        self.line_ = self._draw_curve(self.fpr, self.tpr, self._label(name or self.name), kwargs)
        self.chance_level_ = None
        if plot_chance_level:
            chance = {"color": "0.4", "linestyle": ":", "linewidth": 1, "label": "random scores"}
            (self.chance_level_,) = ax.plot([0, 1], [0, 1], **line_options(chance_level_kw, **chance))
        limits = (-0.02, 1.02)
        ax.set(xlabel="False positive rate", ylabel="Mean true positive rate", xlim=limits, ylim=limits)
        return self._finish()

    def _label(self, name: str | None) -> str:
        if self.n_groups is None:
            return name or "mean over groups"
        left_out = f", {unbroken(self.n_left_out, 'left out')}" if self.n_left_out else ""
        counted = f"{unbroken(self.n_groups, 'groups')}{left_out}"
        return f"{name} ({counted})" if name else f"mean of {counted}"

    def _columns(self) -> Options:
        return {"fpr": self.fpr, "tpr": self.tpr}
