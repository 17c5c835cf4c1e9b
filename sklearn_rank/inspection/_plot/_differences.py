"""Displays of differences: of candidates from the best one, and of two systems by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._checks.codes import as_array
from ..._checks.errors import check_count, fail
from ..._checks.types import Arguments, ArrayLike, Axes, ById, Estimator, Ids, Options, RandomState
from ...model_selection import count_started
from ...reports import (
    Comparison,
    count_queries,
    find_pair,
    find_scale,
    find_traits,
    rank_equal,
    subtract_equal,
    subtract_queries,
)
from ._drawing import Display, check_matplotlib, check_name, ink, line_options, read_line, read_values, thin
from ._layout import fit_names

INCHES_AROUND, INCHES_PER_CANDIDATE, LEAST_INCHES = 1.2, 0.22, 2.6


class ContendersDisplay(Display):
    """Plot of the candidates of a search, with confidence intervals of their differences from the best one.

    Use :meth:`from_search` to compute and draw the plot. The best candidate is on top. Contenders are not
    distinguishable from the best candidate: their intervals reach 0, and their markers are filled. The
    interval of the best candidate is for its lead over the best other candidate, and is drawn from 0 if it is
    above 0. If there are too few queries, intervals are infinite and are not drawn.

    Parameters
    ----------
    metric : str
        Name of the metric.
    names : sequence of str of length n_candidates
        Name of each candidate.
    candidates : array-like of int of shape (n_candidates,)
        Indices of the candidates in `cv_results_`, the best candidate first.
    difference, low, high : array-like of shape (n_candidates,)
        Mean of each candidate minus the best mean, and the bounds of the confidence interval of its
        difference from the best other candidate.
    is_contender : array-like of bool of shape (n_candidates,)
        Whether each candidate is not distinguishable from the best.
    n_candidates : int, default=None
        Number of candidates in the search. If `None`, it is the number of `names`.
    parameters : sequence of dict of str to str, default=None
        Values of the parameters of each candidate, as text. If `names` take too much of the width, the values
        are drawn instead, and the names of the parameters are written once, at the axis.

    Attributes
    ----------
    bars_ : list of matplotlib ErrorbarContainer
        Markers and intervals of the contenders, and of the other candidates.
    line_ : matplotlib Line2D
        Vertical line at 0.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import GridSearchCV
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.inspection import ContendersDisplay
    >>> X, y, qid = make_ranking(random_state=0)
    >>> grid = {"alpha": [1, 1e3, 1e5]}
    >>> search = GridSearchCV(Ridge(), grid, scoring="ndcg@10", keep_queries=True).fit(X, y, groups=qid)
    >>> display = ContendersDisplay.from_search(search)
    >>> display.names
    ['alpha=1000', 'alpha=1', 'alpha=1e+05']
    """

    def __init__(
        self,
        metric: str,
        names: Sequence[str],
        candidates: ArrayLike,
        *,
        difference: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        is_contender: ArrayLike,
        n_candidates: int | None = None,
        parameters: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        check_name(metric)
        self.metric = metric
        self.names = list(map(str, names))
        n = len(self.names)
        self.candidates = read_line(candidates, "candidates", n).astype(int)
        self.difference = read_line(difference, "difference", n)
        self.low, self.high = read_line(low, "low", n), read_line(high, "high", n)
        self.is_contender = read_line(is_contender, "is_contender", n).astype(bool)
        self.n_candidates = n if n_candidates is None else n_candidates
        if parameters is not None and len(parameters) != n:
            fail("parameters", f"have one dict per name ({n} names)", f"{len(parameters)} dicts")
        self.parameters = None if parameters is None else list(parameters)

    @classmethod
    def from_search(
        cls,
        search: Estimator,
        *,
        confidence_level: float = 0.95,
        cluster: ById | None = None,
        max_candidates: int | None = 25,
        n_resamples: int = 2000,
        random_state: RandomState = 0,
        ax: Axes = None,
        **kwargs: Any,
    ) -> ContendersDisplay:
        """Draw the candidates of a search that kept per-query values.

        Parameters
        ----------
        search : GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or HalvingRandomSearchCV
            A search that was fitted with ``keep_queries=True``.
        confidence_level, cluster, n_resamples, random_state
            As in the `contenders` method of the search.
        max_candidates : int or None, default=25
            Number of best candidates to draw. If `None`, all candidates are drawn.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        ContendersDisplay
            The drawn display.
        """
        check_matplotlib()
        if max_candidates is not None:
            check_count(max_candidates, 1, "max_candidates", " or None")
        if not hasattr(search, "compare_with_best"):
            fix = "Fit sklearn_rank.GridSearchCV(..., keep_queries=True) and pass it."
            fail("search", "be a search of sklearn_rank", f"an object of type {type(search).__name__}", fix)
        rows, found = search.compare_with_best(
            confidence_level, cluster=cluster, n_resamples=n_resamples, random_state=random_state
        )
        order = np.argsort(-found.difference, kind="stable")[:max_candidates]
        params = search.cv_results_["params"]
        parameters = describe_candidates([params[row] for row in rows[order]], params)
        return cls(
            search.kept_queries_.metric,
            [_join(each) or "unchanged parameters" for each in parameters],
            rows[order],
            **{name: getattr(found, name)[order] for name in ("difference", "low", "high")},
            is_contender=found.stays[order],
            n_candidates=count_started(search.cv_results_),
            parameters=parameters,
        ).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes = None, *, line_kw: Arguments | None = None) -> ContendersDisplay:
        """Draw the candidates.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        line_kw : dict, default=None
            Keyword arguments for the markers and intervals, as in `matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        ContendersDisplay
            The display itself.
        """
        height = max(INCHES_AROUND + INCHES_PER_CANDIDATE * len(self.names), LEAST_INCHES)
        ax = self._open(ax, height=height)
        self.line_ = ax.axvline(0, color="0.6", linewidth=1, zorder=0)
        places = np.arange(len(self.names))
        self.bars_ = []
        kinds = {
            "not distinguishable from the best": (self.is_contender, {}),
            "worse than the best": (~self.is_contender, {"markerfacecolor": "none"}),
        }
        for label, (inside, styles) in kinds.items():
            options = {"color": "C0", "marker": "o", "markersize": 4, "linestyle": "none"}
            options["label"] = label if inside.any() else None
            ends = np.vstack([self.difference - self.low, self.high - self.difference])[:, inside]
            ends = np.where(np.isfinite(ends), np.maximum(ends, 0), np.nan)
            options = line_options(line_kw, **options, **styles)
            self.bars_.append(ax.errorbar(self.difference[inside], places[inside], xerr=ends, **options))
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.locator_params(axis="x", nbins=5)
        counted = f"Best {len(places)} of {self.n_candidates} candidates"
        titles = [counted] if len(places) < self.n_candidates else []
        names = self.names
        if self.parameters and not fit_names(ax, names):
            keys = list(dict.fromkeys(key for each in self.parameters for key in each))
            names = [", ".join(each.get(key, "\N{EN DASH}") for key in keys) for each in self.parameters]
            titles.append(", ".join(keys))
        ax.set(xlabel=f"Difference in {self.metric} from the best candidate", ylabel="\n".join(titles))
        return self._finish(names)

    def _columns(self) -> Options:
        numbers = {name: getattr(self, name) for name in ("difference", "low", "high", "is_contender")}
        return {"candidate": self.candidates, "name": np.array(self.names, dtype=object), **numbers}


def describe_candidates(params: Sequence[Arguments], among: Sequence[Arguments]) -> list[dict[str, str]]:
    """Write the parameters that vary, or all parameters if none varies, by their short names."""
    texts = {
        name: _write_values([each[name] for each in among if name in each])
        for name in dict.fromkeys(name for each in among for name in each)
    }
    varying = [name for name in texts if len({repr(each.get(name)) for each in among}) > 1] or list(texts)
    short = {name: name.rpartition("__")[2] for name in varying}
    shown = short if len(set(short.values())) == len(short) else dict(zip(varying, varying))
    return [
        {shown[name]: texts[name][repr(each[name])] for name in varying if name in each} for each in params
    ]


def _write_values(values: Sequence[Any]) -> dict[str, str]:
    """Write the values of a parameter on one line, by their `repr`: short texts if they are distinct."""
    distinct = {repr(value): value for value in values}
    short = {key: _shorten(value) for key, value in distinct.items()}
    written = dict(short)
    for text in [text for text, n in Counter(short.values()).items() if n > 1]:
        alike = [key for key in distinct if short[key] == text]
        written |= zip(alike, _distinguish([distinct[key] for key in alike]))
    return written


def _shorten(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return type(value).__name__ if hasattr(value, "get_params") else " ".join(str(value).split())


def _distinguish(values: Sequence[Any]) -> list[str]:
    """Write values with the same short text in full, and models with the parameters that vary."""
    if not all(hasattr(value, "get_params") for value in values):
        return [" ".join(str(value).split()) for value in values]
    params = [value.get_params(deep=False) for value in values]
    described = describe_candidates(params, params)
    return [f"{_shorten(value)}({_join(each)})" for value, each in zip(values, described)]


def _join(parameters: Mapping[str, str]) -> str:
    return ", ".join(map("=".join, parameters.items()))


EQUAL = 1e-12  # the last digits of a value can depend on which queries are computed together


class QueryDifferenceDisplay(Display):
    """Plot of the sorted differences of two systems by query, with wins, losses and ties in the legend.

    Use :meth:`from_reports` to match the queries of two reports and draw the plot, or use
    :meth:`from_comparison`.

    Parameters
    ----------
    metric : str
        Name of the metric.
    ids : array-like of shape (n_queries,)
        Query ids.
    differences : array-like of shape (n_queries,)
        Value of the second system minus value of the first, for each query. NaN if a value is undefined.
    names : pair of str, default=("a", "b")
        Names of the first and the second system.
    lower_is_better : bool, default=None
        Whether lower values win. If `None`, the direction is read from the name of the metric.

    Attributes
    ----------
    metric, names, lower_is_better
        The parameters of the same names.
    ids, differences : ndarray of shape (n_compared,)
        Query ids and differences, sorted by decreasing difference, without differences that are NaN.
    n_undefined : int
        Number of queries that were excluded because their difference is NaN.
    n_wins, n_ties, n_losses : int
        Number of queries on which the second system is better than, as good as, or worse than the first. If
        lower values of the metric are better, lower values win. Differences of at most 1e-12 are ties.
    wins_, losses_ : matplotlib PolyCollection
        Areas between 0 and the differences.
    line_ : matplotlib Line2D
        Horizontal line at the mean difference.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    Examples
    --------
    >>> from sklearn_rank.inspection import QueryDifferenceDisplay
    >>> ids, differences = ["shoes", "socks", "hats"], [-0.2, 0.5, 0.0]
    >>> display = QueryDifferenceDisplay("ndcg@10", ids, differences, names=("bm25", "lambdamart"))
    >>> [str(query) for query in display.ids]
    ['socks', 'hats', 'shoes']
    >>> display.n_wins, display.n_ties, display.n_losses
    (1, 1, 1)
    """

    def __init__(
        self,
        metric: str,
        ids: ArrayLike,
        differences: ArrayLike,
        *,
        names: Sequence[str] = ("a", "b"),
        lower_is_better: bool | None = None,
    ) -> None:
        check_name(metric)
        values = read_line(differences, "differences")
        ids = as_array(ids)
        if len(ids) != len(values):
            fail("ids", f"have one id per difference ({len(values)} differences)", f"{len(ids)} ids")
        is_pair = not isinstance(names, str) and isinstance(names, Sequence) and len(names) == 2
        if not is_pair or not all(isinstance(name, str) for name in names):
            fail("names", "be a pair of str", repr(names), "Pass names=('first', 'second').")
        self.names = names[0], names[1]
        self.metric = metric
        ranks = rank_equal(-values, float(np.nanmax(np.abs(values), initial=0)))
        order = np.argsort(ranks, kind="stable")[: np.count_nonzero(~np.isnan(values))]  # NaN comes last
        self.ids, self.differences = ids[order], values[order]
        self.n_undefined = len(values) - len(order)
        is_lower = not find_traits(metric).greater_is_better if lower_is_better is None else lower_is_better
        self.lower_is_better = is_lower
        gains = -self.differences if is_lower else self.differences
        self.n_wins, self.n_losses = int((gains > EQUAL).sum()), int((gains < -EQUAL).sum())
        self.n_ties = len(gains) - self.n_wins - self.n_losses

    @classmethod
    def from_reports(
        cls,
        a: Any,
        b: Any,
        metric: str,
        *,
        names: Sequence[str] = ("a", "b"),
        ax: Axes = None,
        line_kw: Options | None = None,
        **kwargs: Any,
    ) -> QueryDifferenceDisplay:
        """Match the queries of two reports by id and draw the differences b - a.

        Parameters
        ----------
        a, b : RankingReport
            Reports of the same queries, with the value of each query.
        metric : str
            Name of a metric of both reports.
        names : pair of str, default=("a", "b")
            Names of the systems.
        ax, line_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        QueryDifferenceDisplay
            The drawn display.
        """
        check_matplotlib()
        values = read_values(a, metric, "a"), read_values(b, metric, "b")
        first, second = values[0], values[1][_match(a.ids, b.ids)]
        differences = subtract_equal(second, first, find_scale(second, first))
        known = getattr(a, "_summaries", {}).get(metric)
        is_lower = None if known is None else not known.traits.greater_is_better
        display = cls(metric, a.ids, differences, names=names, lower_is_better=is_lower)
        return display.plot(ax=ax, line_kw=line_kw, **kwargs)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        metric: str | None = None,
        *,
        system: str | None = None,
        other: str | None = None,
        ax: Axes = None,
        line_kw: Options | None = None,
        **kwargs: Any,
    ) -> QueryDifferenceDisplay:
        """Draw the differences of two systems of a comparison.

        Parameters
        ----------
        comparison : Comparison
            A comparison of reports with the value of each query.
        metric : str, default=None
            Name of a metric of the comparison. If `None`, the first one.
        system, other : str, default=None
            The two systems; required if there are several comparisons.
        ax, line_kw, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        QueryDifferenceDisplay
            The drawn display.
        """
        check_matplotlib()
        if not isinstance(comparison, Comparison):
            fix = "Pass compare({'name_a': report_a, 'name_b': report_b})."
            fail("comparison", "be a Comparison", f"an object of type {type(comparison).__name__}", fix)
        metric = comparison.metrics[0] if metric is None else metric
        systems = find_pair(comparison, metric, system, other)
        _, differences, _ = subtract_queries(metric, systems)
        first = next(iter(systems.values()))
        is_lower = not find_traits(metric, first.metrics[metric].options).greater_is_better
        names = tuple(systems)[::-1]
        display = cls(metric, first.ids, differences, names=names, lower_is_better=is_lower)
        return display.plot(ax=ax, line_kw=line_kw, **kwargs)

    def plot(
        self, ax: Axes = None, *, name: str | None = None, line_kw: Options | None = None, **kwargs: object
    ) -> QueryDifferenceDisplay:
        """Draw the sorted differences as filled steps.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            As in :meth:`GroupROCDisplay.plot`.
        name : str, default=None
            Label of the difference on the axis. If `None`, the names of the systems are used.
        line_kw : dict, default=None
            Keyword arguments for the line at the mean difference.
        **kwargs : dict
            Keyword arguments for the areas, as in `matplotlib.axes.Axes.fill_between`.

        Returns
        -------
        QueryDifferenceDisplay
            The display itself.
        """
        ax = self._open(ax, name)
        first, second = self.names
        mean = float(self.differences.mean()) if len(self.differences) else np.nan
        drawn, is_better = thin(len(self.differences)), not self.lower_is_better
        d = self.differences[drawn]
        edges = np.append(drawn, len(self.differences)) + 0.5  # query i is at i + 1
        above, below = np.where(d > EQUAL, d, 0), np.where(d < -EQUAL, d, 0)
        styles: list[Options]
        styles = [{"facecolor": "C0"}, {"facecolor": "C1", "edgecolor": "0.3", "hatch": "////"}]
        if "color" in kwargs:  # applies to faces and edges
            styles = [{}, {"hatch": "////"}]
        titles = [f"{second} wins: {self.n_wins:,}", f"{first} wins: {self.n_losses:,}"]
        self.wins_, self.losses_ = (
            ax.fill_between(
                edges,
                np.append(values, 0),
                **{"step": "post", "label": title, "linewidth": 0, **style, **kwargs},
            )
            for values, title, style in zip((above, below) if is_better else (below, above), titles, styles)
        )
        dashed = {"color": ink(), "linestyle": "--", "linewidth": 1, "label": f"mean: {mean:+.3g}"}
        self.line_ = ax.axhline(mean, **line_options(line_kw, **dashed))
        for count, label in ((self.n_ties, "ties"), (self.n_undefined, "excluded")):
            if count or label == "ties":
                ax.plot([], [], linestyle="none", label=f"{label}: {count:,}")
        ax.axhline(0, color="0.5", linewidth=0.8)
        difference = name or f"{second} \N{MINUS SIGN} {first}"
        ax.set(xlabel="Queries, sorted by difference", ylabel=f"{self.metric}\n{difference}")
        ax.set_xlim(0.5, max(len(self.differences), 1) + 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        return self._finish()

    def _columns(self) -> Options:
        return {"query": self.ids, "difference": self.differences}


def _match(ids: Ids, others: Ids) -> list[int]:
    """Return the index in `others` of each id. Both must contain the same ids."""
    known, places = as_array(ids).tolist(), {each: i for i, each in enumerate(as_array(others).tolist())}
    if unmatched := places.keys() ^ set(known):
        got = f"{count_queries(len(unmatched))} in only one report, for example {unmatched.pop()!r:.60},"
        fail("b", "contain the same queries as 'a'", got)
    return [places[each] for each in known]
