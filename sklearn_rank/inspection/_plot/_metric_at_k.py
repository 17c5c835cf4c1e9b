"""The display of a metric by cutoff, with confidence intervals over queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.errors import fail
from ..._checks.options import check_choice, check_flag
from ..._checks.types import Arguments, ArrayLike, Axes, Options, PlainAverage, TieRule, Unjudged
from ...metrics import CURVE_STEMS, curve_moments
from ...reports import check_level, count_queries, t_quantile
from ._drawing import Display, check_matplotlib, count_drawn, count_in_integers, read_line

BAND = "sklearn_rank.band"


class MetricAtKDisplay(Display):
    """A metric over the cutoff k, with a band for its mean over queries; or the difference of two models.

    Use :meth:`from_predictions`, which computes the curves and draws them. As queries are paired, bands of
    two models may overlap where their difference is clear: ``difference=True`` draws that.

    Parameters
    ----------
    metric : {"ndcg", "map", "precision", "recall", "f1", "hit_rate"}
        The metric, without a cutoff.
    k : array-like of int of shape (n_cutoffs,)
        The cutoffs.
    mean, standard_error : dict of str to array-like of shape (n_cutoffs,)
        By model the mean over queries at each cutoff, and its standard error.
    n_effective : dict of str to float
        By model the number of queries, or of as many of equal weight as would tell as much.
    confidence_level : float, default=0.95
        That of the intervals of the mean, which make the bands: by Student's t, at each cutoff by itself.
    difference : bool, default=False
        Whether the curves are differences of two models.

    Attributes
    ----------
    metric, confidence_level, difference
        As given.
    k : ndarray of shape (n_cutoffs,)
        The cutoffs.
    mean, standard_error, low, high : dict of str to ndarray of shape (n_cutoffs,)
        By model the mean, its standard error and interval.
    n_effective : dict of str to float
        As given.
    lines_ : list of matplotlib Line2D
        The means.
    bands_ : list of matplotlib PolyCollection
        The intervals.
    ax_ : matplotlib Axes
        The axes drawn on.
    figure_ : matplotlib Figure
        The figure around them.

    See Also
    --------
    sklearn_rank.metrics.ndcg_curve : The numbers of one curve.

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
        if not isinstance(mean, Mapping) or not mean:
            fail("mean", "be a dict of names to arrays, at least one", repr(mean))
        self.k = read_line(k, "k").astype(np.int64)
        self.mean = {name: read_line(each, "mean", len(self.k)) for name, each in mean.items()}
        for parameter, given in (("standard_error", standard_error), ("n_effective", n_effective)):
            if given.keys() != mean.keys():
                fail(parameter, f"have the names of mean, {list(mean)}", list(given))
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
        name: str | None = None,
        ax: Axes = None,
        band_kw: Options | None = None,
        **kwargs: object,
    ) -> MetricAtKDisplay:
        """Compute the curves of models, and draw them.

        Parameters
        ----------
        y_true, groups : array-like
            As in :func:`sklearn_rank.metrics.ndcg_curve`.
        y_score : array-like, or dict of str to array-like
            The scores of a model, or by name those of several models of the same rows.
        metric : {"ndcg", "map", "precision", "recall", "f1", "hit_rate"}, default="ndcg"
            The metric.
        max_k : int, default=None
            The last cutoff; None for the length of the longest query.
        difference : bool, default=False
            Draw the second model of two minus the first, by query, with a band of its own.
        confidence_level : float, default=0.95
            That of the bands.
        options : dict, default=None
            Other options of the curve's function, such as `gain` of
            :func:`sklearn_rank.metrics.ndcg_curve` and `min_relevance` of
            :func:`sklearn_rank.metrics.recall_curve`.
        ties, unjudged, zero_division, average, sample_weight
            As in :func:`sklearn_rank.metrics.ndcg_curve`; `average` is not None.
        name, ax, band_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        MetricAtKDisplay
            The numbers, drawn.
        """
        check_matplotlib(name)
        check_choice("metric", metric, CURVE_STEMS)
        check_flag(difference, "difference")
        check_level(confidence_level)
        if options is not None and not isinstance(options, Mapping):
            fail("options", "be a dict of names to values, or None", repr(options))
        arguments: Options = {"groups": groups, "max_k": max_k, "ties": ties, "unjudged": unjudged}
        arguments |= {"average": average, "zero_division": zero_division, "sample_weight": sample_weight}
        arguments |= options or {}
        pairs: dict[str, tuple[Any, Any]]
        if difference:
            if not isinstance(y_score, Mapping) or len(y_score) != 2:
                got = list(y_score) if isinstance(y_score, Mapping) else f"a {type(y_score).__name__}"
                fail("y_score", "be a dict of two names to scores with difference=True", got)
            (first, scores), (second, others) = y_score.items()
            pairs = {name or f"{second} \N{MINUS SIGN} {first}": (others, scores)}
        elif isinstance(y_score, Mapping):
            if not y_score:
                fail("y_score", "be the scores of a model, or a dict of names to scores", "none")
            pairs = {each: (scores, None) for each, scores in y_score.items()}
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
        """Draw the curves with their bands.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; None for new ones. Room for the legend, which stands above them, is made in
            figures with ``layout="constrained"``.
        name : str, default=None
            What a single curve is called in the legend; of several curves, what stands before their names.
        band_kw : dict, default=None
            Options of the bands, as `matplotlib.axes.Axes.fill_between` takes them.
        **kwargs : dict
            Options of the lines, as `matplotlib.axes.Axes.plot` takes them.

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
        for line, each in zip(self.lines_, self.mean):
            title = None if count_drawn(ax, BAND) else f"{100 * self.confidence_level:.4g}% interval"
            band = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0, "label": title, "gid": BAND}
            area = ax.fill_between(self.k, self.low[each], self.high[each], **{**band, **(band_kw or {})})
            self.bands_.append(area)
        if self.difference:
            ax.axhline(0, color="0.3", linewidth=0.8)
        ax.set(xlabel="k", ylabel=f"{'Difference of ' * self.difference}{self.metric}@k")
        count_in_integers(ax.xaxis)
        return self._finish()

    def _label(self, each: str, name: str | None) -> str:
        if len(self.mean) == 1:
            return name or each or f"mean of {count_queries(round(self.n_effective[each]))}"
        return f"{name} {each}" if name else each

    def _columns(self) -> Options:
        names = np.array(list(self.mean), dtype=object)
        numbers = ("mean", "standard_error", "low", "high")
        columns = {each: np.concatenate(list(getattr(self, each).values())) for each in numbers}
        return {"name": np.repeat(names, len(self.k)), "k": np.tile(self.k, len(names)), **columns}
