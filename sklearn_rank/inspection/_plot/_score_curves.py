"""scikit-learn's picture of a learning curve, of scores of whole queries; and what it shares with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import LearningCurveDisplay

from ..._checks.errors import fail
from ..._checks.types import ArrayLike, Groups, RandomState, Scorer
from ...model_selection import learning_curve
from ._drawing import Display, add_legend, check_matplotlib, count_in_integers, line_options


class QueryLearningCurveDisplay(Display, LearningCurveDisplay):
    """Learning curve over numbers of queries.

    scikit-learn's :class:`sklearn.model_selection.LearningCurveDisplay` of what
    :func:`sklearn_rank.learning_curve` returns. Use :meth:`from_estimator`, which draws at once.

    Parameters
    ----------
    train_sizes : ndarray of shape (n_sizes,)
        Numbers of queries.
    train_scores, test_scores : ndarray of shape (n_sizes, n_splits)
        Scores on the queries trained on and on those of the test folds.
    score_name : str, default=None
        The name of the score, for the axis.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D or None
        The mean scores.
    fill_between_ : list of matplotlib PolyCollection or None
        The bands of one standard deviation over the folds.
    errorbar_ : list of matplotlib ErrorbarContainer or None
        These as bars, with ``std_display_style="errorbar"``.
    ax_ : matplotlib Axes
        The axes drawn on.
    figure_ : matplotlib Figure
        The figure around them.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import learning_curve
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.inspection import QueryLearningCurveDisplay
    >>> X, y, qid = make_ranking(n_queries=100, random_state=0)
    >>> sizes, train, test = learning_curve(Ridge(), X, y, groups=qid, scoring="ndcg@10", train_sizes=[5, 80])
    >>> display = QueryLearningCurveDisplay(
    ...     train_sizes=sizes, train_scores=train, test_scores=test, score_name="ndcg@10"
    ... )
    >>> display.train_sizes
    array([ 5, 80])
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None,
        *,
        groups: Groups,
        train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
        cv: Any = None,
        scoring: Scorer | None = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        shuffle: bool = False,
        random_state: RandomState = None,
        error_score: float | Literal["raise"] = np.nan,
        params: Mapping[str, Any] | None = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        **kwargs: Any,
    ) -> QueryLearningCurveDisplay:
        """Compute the learning curve of a model, and draw it.

        Parameters
        ----------
        estimator, X, y, groups, train_sizes, cv, scoring, n_jobs, pre_dispatch, verbose, shuffle, \
random_state, error_score, params
            As in :func:`sklearn_rank.learning_curve`; `groups` must be given.
        ax, negate_score, score_name, **kwargs
            As in :meth:`plot`; `score_name` is that of `scoring` unless given.

        Returns
        -------
        QueryLearningCurveDisplay
            The numbers, drawn.
        """
        function = "QueryLearningCurveDisplay.from_estimator"
        check_matplotlib(function)
        check_groups(groups, function)
        sizes, train, test = learning_curve(
            estimator,
            X,
            y,
            groups=groups,
            train_sizes=train_sizes,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            pre_dispatch=pre_dispatch,
            verbose=verbose,
            shuffle=shuffle,
            random_state=random_state,
            error_score=error_score,
            params=params,
        )
        score_name = name_score(score_name, scoring, negate_score)
        display = cls(train_sizes=sizes, train_scores=train, test_scores=test, score_name=score_name)
        return display.plot(ax=ax, negate_score=negate_score, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> QueryLearningCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; None for new ones. Room for the legend, which stands above them, is made in
            figures with ``layout="constrained"``.
        **kwargs : dict
            `negate_score`, `score_name`, `score_type`, `std_display_style`, `line_kw`, `fill_between_kw` and
            `errorbar_kw`, as in scikit-learn's method.

        Returns
        -------
        QueryLearningCurveDisplay
            The display itself.
        """
        super().plot(ax=self._open(ax), **soften(kwargs))
        finish(self, kwargs)
        self.ax_.set_xlabel("Queries to learn from")
        count_in_integers(self.ax_.xaxis)
        return self

    def _columns(self) -> dict[str, Any]:
        return {"train_size": repeat(self.train_sizes, self), **columns_of_folds(self)}


def check_groups(groups: Any, function: str) -> None:
    if groups is None:
        fail("groups", function, "be the query id of each row, or a name to read them by", None)


def name_score(score_name: str | None, scoring: Any, negate: bool) -> str:
    """Return what the axis calls the scores: a metric as it is written in `scoring=`."""
    if score_name is not None:
        return score_name
    name = scoring if isinstance(scoring, str) else getattr(scoring, "metrics", None)
    name = name if isinstance(name, str) else getattr(scoring, "__name__", "score")
    if not negate:
        return str(name)
    return name.removeprefix("neg_") if name.startswith("neg_") else f"negative {name}"


def soften(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Make bands fainter than scikit-learn's: two of them often overlap."""
    return {**kwargs, "fill_between_kw": {"alpha": 0.2, **(kwargs.get("fill_between_kw") or {})}}


def finish(display: Any, kwargs: dict[str, Any]) -> None:
    """Tell two curves apart without colours, and move the legend off the data."""
    bars = [bar.lines[0] for bar in display.errorbar_ or []]
    lines = [*(display.lines_ or []), *bars]
    given = line_options(kwargs.get("line_kw")) | line_options(kwargs.get("errorbar_kw"))
    if len(lines) == 2:  # of training and of tests
        lines[0].set(**{"linestyle": "--", "marker": "s", "markersize": 4, **_looks(given)})
        lines[1].set(**{"marker": "o", "markersize": 4, **_looks(given)})
    add_legend(display.ax_)


def _looks(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("linestyle", "marker", "markersize") if name in given}


def repeat(values: Any, display: Any) -> np.ndarray:
    """Return a value for each of its folds."""
    return np.repeat(np.asarray(values), np.shape(display.test_scores)[1])


def columns_of_folds(display: Any) -> dict[str, Any]:
    n_values, n_folds = np.shape(display.test_scores)
    return {
        "fold": np.tile(np.arange(n_folds), n_values),
        "train_score": np.ravel(display.train_scores),
        "test_score": np.ravel(display.test_scores),
    }
