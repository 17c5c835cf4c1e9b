"""The display of a metric over the cutoff, with confidence intervals over queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.containers import is_filled_mapping
from ..._checks.errors import fail
from ..._checks.missed import MissedLabels
from ..._checks.options import check_choice, check_flag
from ..._checks.types import Arguments, ArrayLike, Axes, Options, PlainAverage, TieRule, Unjudged
from ...metrics import CURVE_STEMS, curve_moments
from ...reports import check_level, count_queries, sort_naturally, t_quantile, write_level
from ._drawing import PredictionDisplay, check_matplotlib, count_drawn, read_line

BAND = "sklearn_rank.band"
MOST_BANDS = 3  # more hide each other
CLOSE = 0.06  # least distance of two ticks, as a share of the largest cutoff
FAR = 0.15  # least distance of the largest cutoff from the tick before it, as a share of that tick


class MetricAtKDisplay(PredictionDisplay):
    """Plot of a metric, or of the difference of two models, over the cutoff k with confidence intervals.

    Use :meth:`from_estimator` or :meth:`from_predictions` to compute and draw the curves. The intervals of
    two models can overlap although their difference is significant, because queries are paired:
    ``difference=True`` draws the difference.

    Parameters
    ----------
    metric : {"ndcg", "map", "precision", "recall", "f1", "hit_rate"}
        Name of the metric, without a cutoff.
    k : array-like of int of shape (n_cutoffs,)
        Cutoffs.
    mean, standard_error : dict of str to array-like of shape (n_cutoffs,)
        Mean over queries at each cutoff, and its standard error, by name of the model.
    n_effective : dict of str to float
        Number of queries, by name of the model. For weighted queries, the effective number of queries.
    confidence_level : float, default=0.95
        Confidence level of the intervals, in (0, 1). Each cutoff has its own interval, from the t
        distribution.
    difference : bool, default=False
        Whether the curve is the difference of two models.

    Attributes
    ----------
    metric, confidence_level, difference, n_effective
        The parameters of the same names.
    k : ndarray of shape (n_cutoffs,)
        Cutoffs.
    mean, standard_error, low, high : dict of str to ndarray of shape (n_cutoffs,)
        Mean, standard error and bounds of the confidence interval at each cutoff, by name of the model.
    lines_ : list of matplotlib Line2D
        Lines of the means.
    bands_ : list of matplotlib PolyCollection
        Shaded areas of the confidence intervals; empty for more than three models.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    See Also
    --------
    sklearn_rank.metrics.ndcg_curve : Compute NDCG at every cutoff.

    Examples
    --------
    >>> from sklearn_rank.inspection import MetricAtKDisplay
    >>> mean, standard_error = {"bm25": [0.5, 0.6]}, {"bm25": [0.05, 0.04]}
    >>> display = MetricAtKDisplay(
    ...     "recall", k=[1, 2], mean=mean, standard_error=standard_error, n_effective={"bm25": 100}
    ... )
    >>> display.low["bm25"].round(3)
    array([0.401, 0.521])
    """

    def __init__(
        self,
        metric: str,
        *,
        k: ArrayLike,
        mean: Mapping[str, ArrayLike],
        standard_error: Mapping[str, ArrayLike],
        n_effective: Mapping[str, float],
        confidence_level: float = 0.95,
        difference: bool = False,
    ) -> None:
        self.metric = check_choice("metric", metric, CURVE_STEMS)
        check_flag(difference, "difference")
        check_level(confidence_level)
        self.difference, self.confidence_level = bool(difference), float(confidence_level)
        if not is_filled_mapping(mean):
            fail("mean", "be a non-empty dict of names to arrays", f"{mean!r:.100}")
        self.k = read_line(k, "k").astype(np.int64)
        self.mean = {name: read_line(each, "mean", len(self.k)) for name, each in mean.items()}
        for parameter, given in (("standard_error", standard_error), ("n_effective", n_effective)):
            if given.keys() != mean.keys():
                rule = f"have the same keys as 'mean', {list(mean)!r:.100}"
                fail(parameter, rule, f"{list(given)!r:.100}")
        self.standard_error = {
            name: read_line(standard_error[name], "standard_error", len(self.k)) for name in mean
        }
        self.n_effective = {name: float(n_effective[name]) for name in mean}
        quantiles = {name: t_quantile(confidence_level, n - 1) for name, n in self.n_effective.items()}
        reach = {name: quantiles[name] * each for name, each in self.standard_error.items()}
        self.low = {name: each - reach[name] for name, each in self.mean.items()}
        self.high = {name: each + reach[name] for name, each in self.mean.items()}

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        groups: ArrayLike | None = None,
        metric: str = "ndcg",
        max_k: int | None = None,
        difference: bool = False,
        confidence_level: float = 0.95,
        options: Arguments | None = None,
        ties: TieRule = "average",
        unjudged: Unjudged = "raise",
        zero_division: float = 0.0,
        average: PlainAverage = "macro",
        sample_weight: ArrayLike | None = None,
        missed: MissedLabels | None = None,
        name: str | None = None,
        ax: Axes = None,
        band_kw: Options | None = None,
        **kwargs: object,
    ) -> MetricAtKDisplay:
        """Compute and draw the curves of one or several models.

        Parameters
        ----------
        y_true, groups : array-like
            As in :func:`sklearn_rank.metrics.ndcg_curve`.
        y_score : array-like, or dict of str to array-like
            Scores of a model, or the scores of several models for the same rows, by name of the model.
        metric : {"ndcg", "map", "precision", "recall", "f1", "hit_rate"}, default="ndcg"
            Name of the metric, without a cutoff.
        max_k : int, default=None
            Largest cutoff. If `None`, it is the number of documents of the longest query.
        difference : bool, default=False
            Whether to draw the difference of two models, the second minus the first, computed for each query.
        confidence_level : float, default=0.95
            Confidence level of the intervals, in (0, 1).
        options : dict, default=None
            Other arguments of the function of the curve, such as `gain` of
            :func:`sklearn_rank.metrics.ndcg_curve` or `min_relevance` of
            :func:`sklearn_rank.metrics.recall_curve`.
        ties, unjudged, zero_division, average, sample_weight, missed
            As in :func:`sklearn_rank.metrics.ndcg_curve`; `average` cannot be `None`.
        name, ax, band_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricAtKDisplay
            The drawn display.
        """
        check_matplotlib(name)
        check_choice("metric", metric, CURVE_STEMS)
        check_flag(difference, "difference")
        check_level(confidence_level)
        if options is not None and not isinstance(options, Mapping):
            fail("options", "be a dict or None", f"{options!r:.100}")
        arguments: Options = {"groups": groups, "max_k": max_k, "ties": ties, "unjudged": unjudged}
        arguments |= {"average": average, "zero_division": zero_division, "sample_weight": sample_weight}
        arguments["missed"] = missed
        arguments |= options or {}
        pairs: dict[str, tuple[Any, Any]]
        if difference:
            if not isinstance(y_score, Mapping) or len(y_score) != 2:
                got = f"an object of type {type(y_score).__name__}"
                if isinstance(y_score, Mapping):
                    got = f"a dict with {len(y_score)} model{'s' * (len(y_score) != 1)}"
                fix = "Pass y_score={'first': scores, 'second': other_scores}."
                fail("y_score", "be a dict with two models if difference=True", got, fix)
            (first, scores), (second, others) = y_score.items()
            pairs = {name or f"{second} \N{MINUS SIGN} {first}": (others, scores)}
        elif isinstance(y_score, Mapping):
            if not y_score:
                fail("y_score", "be the scores of a model or a non-empty dict of names to scores", "{}")
            pairs = {each: (scores, None) for each, scores in sort_naturally(y_score).items()}
        else:
            pairs = {name or "": (y_score, None)}
        curves = {
            each: curve_moments(metric, y_true, scores, y_score_other=other, **arguments)
            for each, (scores, other) in pairs.items()
        }
        moments = ("mean", "standard_error", "n_effective")
        display = cls(
            metric,
            k=next(iter(curves.values())).k,
            **{name: {each: getattr(curve, name) for each, curve in curves.items()} for name in moments},
            confidence_level=confidence_level,
            difference=difference,
        )
        return display.plot(ax=ax, name=name, band_kw=band_kw, **kwargs)

    def plot(
        self, ax: Axes = None, *, name: str | None = None, band_kw: Options | None = None, **kwargs: object
    ) -> MetricAtKDisplay:
        """Draw the curves and their confidence intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        name : str, default=None
            Name of a single curve in the legend. If there are several curves, it is put before their names.
        band_kw : dict, default=None
            Keyword arguments for the shaded areas, as in `matplotlib.axes.Axes.fill_between`.
        **kwargs : dict
            Keyword arguments for the lines, as in `matplotlib.axes.Axes.plot`.

        Returns
        -------
        MetricAtKDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        self.lines_, self.bands_ = [], []
        for each, mean in self.mean.items():
            marker = "o" if len(self.k) == 1 else ""
            self.lines_.append(self._draw_curve(self.k, mean, self._label(each, name), kwargs, marker=marker))
        band: Options = {"alpha": 0.2, "linewidth": 0}
        lines = self.lines_ if len(self.mean) <= MOST_BANDS else []
        if any(np.isfinite(self.low[each]).any() for each, _ in zip(self.mean, lines)) and not count_drawn(
            ax, BAND
        ):
            title = f"{write_level(self.confidence_level)} confidence interval"
            ax.fill_between([], [], **band, color="0.3", label=title, gid=BAND)
        for line, each in zip(lines, self.mean):
            band["color"] = line.get_color()
            area = ax.fill_between(self.k, self.low[each], self.high[each], **{**band, **(band_kw or {})})
            self.bands_.append(area)
        if self.difference:
            ax.axhline(0, color="0.5", linewidth=0.8)
        ax.set(xlabel="k", ylabel=f"{'Difference in ' * self.difference}{self.metric}@k")
        ax.set_xticks(list_cutoffs(ax.dataLim.x1))
        return self._finish()

    def _label(self, each: str, name: str | None) -> str:
        if len(self.mean) == 1:
            return name or each or f"mean over {count_queries(round(self.n_effective[each]))}"
        return f"{name} {each}" if name else each

    def _columns(self) -> Options:
        names = np.array(list(self.mean), dtype=object)
        numbers = ("mean", "standard_error", "low", "high")
        columns = {each: np.concatenate(list(getattr(self, each).values())) for each in numbers}
        return {"name": np.repeat(names, len(self.k)), "k": np.tile(self.k, len(names)), **columns}


def list_cutoffs(largest: float) -> list[int]:
    """List the cutoffs with a tick: all up to 10, or usual cutoffs and the largest, if they have room."""
    last = int(largest)
    if last <= 10:
        return list(range(1, last + 1))
    usual = [k for power in range(len(str(last))) for k in (10**power, 2 * 10**power, 5 * 10**power)]
    ticks = [last] if last >= (1 + FAR) * max(k for k in usual if k <= last) else []
    for k in reversed([each for each in usual if each != 2 and each <= last]):
        if k == 1 or min([k - 1, *(each - k for each in ticks[-1:])]) >= CLOSE * last:
            ticks.append(k)
    return ticks[::-1]
