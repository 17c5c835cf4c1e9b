"""The candidates of a search, and which of them cannot be told from the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._checks.errors import check_count, fail
from ..._checks.types import Arguments, ArrayLike, Axes, ById, Estimator, Options, RandomState
from ...model_selection import count_started
from ._drawing import Display, check_matplotlib, check_name, line_options, read_line

INCHES_AROUND, INCHES_PER_CANDIDATE = 1.2, 0.22


class ContendersDisplay(Display):
    """Candidates of a search, the best on top, with the interval of the difference of each to the best.

    Use :meth:`from_search`, which draws at once. Contenders, which cannot be told from the best, have filled
    marks: their intervals reach 0. That of the best is of its lead over the best of the others: it is drawn
    from 0 on, even if it begins above. With too few queries intervals are infinite, and not drawn.

    Parameters
    ----------
    metric : str
        The name of the metric.
    names : sequence of str of length n_candidates
        What the candidates are called.
    candidates : array-like of int of shape (n_candidates,)
        Their places in `cv_results_`, the best first.
    difference, low, high : array-like of shape (n_candidates,)
        The mean of each less the best one, and the interval of its difference to the best of the others.
    is_contender : array-like of bool of shape (n_candidates,)
        Whether a candidate cannot be told from the best.
    n_candidates : int, default=None
        How many the search had, if not all are given.

    Attributes
    ----------
    bars_ : list of matplotlib ErrorbarContainer
        The contenders, and the others.
    line_ : matplotlib Line2D
        The line at 0.
    ax_, figure_ : matplotlib Axes and Figure
        The axes drawn on, and the figure around them.

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
        """Draw the candidates of a search that kept the values of queries.

        Parameters
        ----------
        search : GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or HalvingRandomSearchCV
            Fitted with ``keep_queries=True``.
        confidence_level, cluster, n_resamples, random_state
            As in `search.contenders`.
        max_candidates : int or None, default=25
            How many of the best to draw; None for all.
        ax, **kwargs
            As in :meth:`plot`.

        Returns
        -------
        ContendersDisplay
            The numbers, drawn.

        Raises
        ------
        ValueError
            If the search kept no values, or an argument breaks a rule above.
        """
        check_matplotlib()
        if max_candidates is not None:
            check_count(max_candidates, 1, "max_candidates", " or None")
        if not hasattr(search, "compare_with_best"):
            rule = "be a search of this package, fitted with keep_queries=True"
            fail("search", rule, f"a {type(search).__name__}")
        rows, found = search.compare_with_best(
            confidence_level, cluster=cluster, n_resamples=n_resamples, random_state=random_state
        )
        order = np.argsort(-found.difference, kind="stable")[:max_candidates]
        params = search.cv_results_["params"]
        return cls(
            search.kept_queries_.metric,
            name_candidates([params[row] for row in rows[order]], params),
            rows[order],
            **{name: getattr(found, name)[order] for name in ("difference", "low", "high")},
            is_contender=found.stays[order],
            n_candidates=count_started(search.cv_results_),
        ).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes = None, *, line_kw: Arguments | None = None) -> ContendersDisplay:
        """Draw the candidates.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None for new ones. The legend above them needs ``layout="constrained"``.
        line_kw : dict, default=None
            Options of the marks and the intervals.

        Returns
        -------
        ContendersDisplay
            The display itself.
        """
        ax = self._open(ax, height=INCHES_AROUND + INCHES_PER_CANDIDATE * len(self.names))
        self.line_ = ax.axvline(0, color="0.6", linewidth=1, zorder=0)
        places = np.arange(len(self.names))
        self.bars_ = []
        kinds = {
            "not told from the best": (self.is_contender, {}),
            "worse": (~self.is_contender, {"markerfacecolor": "none"}),
        }
        for label, (inside, looks) in kinds.items():
            options = {"color": "C0", "marker": "o", "markersize": 4, "linestyle": "none", "label": label}
            ends = np.vstack([self.difference - self.low, self.high - self.difference])[:, inside]
            ends = np.where(np.isfinite(ends), np.maximum(ends, 0), np.nan)
            options = line_options(line_kw, **options, **looks)
            self.bars_.append(ax.errorbar(self.difference[inside], places[inside], xerr=ends, **options))
        ax.set_yticks(places, self.names)
        ax.invert_yaxis()
        ax.locator_params(axis="x", nbins=5)
        if len(places) < self.n_candidates:
            ax.set_ylabel(f"the best {len(places)} of {self.n_candidates} candidates")
        ax.set_xlabel(f"{self.metric} less that of the best")
        return self._finish()

    def _columns(self) -> Options:
        numbers = {name: getattr(self, name) for name in ("difference", "low", "high", "is_contender")}
        return {"candidate": self.candidates, "name": np.array(self.names, dtype=object), **numbers}


def name_candidates(params: Sequence[Mapping[str, Any]], among: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name candidates by the parameters that are not the same for all, or by all if none differs."""
    names = dict.fromkeys(name for each in among for name in each)
    varying = [name for name in names if len({repr(each.get(name)) for each in among}) > 1] or list(names)
    short = {name: name.rpartition("__")[2] for name in varying}
    shown = short if len(set(short.values())) == len(short) else dict(zip(varying, varying))
    texts = [[f"{shown[name]}={_shorten(each[name])}" for name in varying if name in each] for each in params]
    return [", ".join(each) or "the model as given" for each in texts]


def _shorten(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
