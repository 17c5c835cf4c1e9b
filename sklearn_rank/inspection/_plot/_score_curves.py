"""Displays of learning and validation curves, as in scikit-learn but with folds of whole queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay

from ..._checks.errors import fail
from ..._checks.options import check_flag
from ..._checks.types import (
    Arguments,
    ArrayLike,
    Axes,
    Estimator,
    Features,
    Groups,
    Options,
    RandomState,
    Scorer,
    Scores,
    Scoring,
    Splitter,
    Values,
)
from ...metrics import RankingScorer
from ...model_selection import (
    GridSearchCV,
    find_candidates,
    learning_curve,
    resolve_scoring,
    scores_of_folds,
    validation_curve,
)
from ...reports import check_level, sum_by_unit, t_quantile
from ._drawing import (
    Display,
    check_groups,
    check_matplotlib,
    count_in_integers,
    line_options,
    pick,
    read_line,
)


class QueryLearningCurveDisplay(Display, LearningCurveDisplay):
    """Plot of a learning curve over the number of training queries.

    It is the :class:`sklearn.model_selection.LearningCurveDisplay` of scikit-learn for the results of
    :func:`sklearn_rank.learning_curve`. Use :meth:`from_estimator` to compute and draw the curve.

    Parameters
    ----------
    train_sizes : ndarray of shape (n_sizes,)
        Numbers of training queries.
    train_scores, test_scores : ndarray of shape (n_sizes, n_splits)
        Scores on the training sets and on the test sets.
    score_name : str, default=None
        Name of the score, shown on the axis.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D or None
        Lines of the mean scores.
    fill_between_ : list of matplotlib PolyCollection or None
        Shaded areas of one standard deviation over the folds.
    errorbar_ : list of matplotlib ErrorbarContainer or None
        Error bars of one standard deviation, with ``std_display_style="errorbar"``.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

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
        estimator: Estimator,
        X: Features,
        y: ArrayLike | None,
        *,
        groups: Groups = None,
        train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
        cv: Splitter = None,
        scoring: Scorer | None = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        shuffle: bool = False,
        random_state: RandomState = None,
        error_score: float | Literal["raise"] = np.nan,
        params: Arguments | None = None,
        ax: Axes = None,
        negate_score: bool = False,
        score_name: str | None = None,
        **kwargs: object,
    ) -> QueryLearningCurveDisplay:
        """Compute and draw the learning curve of a model.

        Parameters
        ----------
        estimator, X, y, groups, train_sizes, cv, scoring, n_jobs, pre_dispatch, verbose, shuffle, \
random_state, error_score, params
            As in :func:`sklearn_rank.learning_curve`; `groups` is required.
        ax, negate_score, score_name, **kwargs
            As in :meth:`plot`. If `score_name` is `None`, the name of `scoring` is used.

        Returns
        -------
        QueryLearningCurveDisplay
            The drawn display.
        """
        check_matplotlib()
        check_groups(groups)
        sizes, train, test = learning_curve(**pick(learning_curve, locals()))
        score_name = name_score(score_name, scoring, negate_score)
        display = cls(train_sizes=sizes, train_scores=train, test_scores=test, score_name=score_name)
        return display.plot(ax=ax, negate_score=negate_score, **kwargs)

    def plot(self, ax: Axes = None, **kwargs: object) -> QueryLearningCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. If `None`, a new figure is created, and is higher if its legend is long. The
            legend is placed above the axes, which needs a figure with ``layout="constrained"``.
        **kwargs : dict
            `negate_score`, `score_name`, `score_type`, `std_display_style`, `line_kw`, `fill_between_kw` and
            `errorbar_kw`, as in the method of scikit-learn.

        Returns
        -------
        QueryLearningCurveDisplay
            The display itself.
        """
        super().plot(ax=self._open(ax), **soften(self, kwargs))
        set_styles(self, kwargs)
        self.ax_.set_xlabel("Number of training queries")
        count_in_integers(self.ax_.xaxis)
        return self._finish()

    def _columns(self) -> Options:
        return {"train_size": repeat(self.train_sizes, self), **columns_of_folds(self)}


class QueryValidationCurveDisplay(Display, ValidationCurveDisplay):
    """Plot of a validation curve over the values of a parameter.

    It is the :class:`sklearn.model_selection.ValidationCurveDisplay` of scikit-learn for the results of
    :func:`sklearn_rank.validation_curve`. Use :meth:`from_estimator` to compute and draw the curve.

    Parameters
    ----------
    param_name : str
        Name of the parameter.
    param_range : ndarray of shape (n_values,)
        Values of the parameter.
    train_scores, test_scores : ndarray of shape (n_values, n_splits)
        Scores on the training sets and on the test sets.
    score_name : str, default=None
        Name of the score, shown on the axis.
    half_width : array-like of shape (n_values,), default=None
        Half-width of the confidence interval of the difference of each value of the parameter from the best
        one, paired over queries.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D or None
        Lines of the mean scores.
    fill_between_ : list of matplotlib PolyCollection or None
        Shaded areas of one standard deviation over the folds.
    errorbar_ : list of matplotlib ErrorbarContainer or None
        Error bars of one standard deviation, with ``std_display_style="errorbar"``.
    band_ : matplotlib PolyCollection or None
        Shaded area of the intervals of the differences from the best value. `None` without `half_width`.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the plot.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import validation_curve
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.inspection import QueryValidationCurveDisplay
    >>> X, y, qid = make_ranking(random_state=0)
    >>> values = {"param_name": "alpha", "param_range": [1, 1e3, 1e6]}
    >>> train, test = validation_curve(Ridge(), X, y, groups=qid, scoring="ndcg@10", **values)
    >>> display = QueryValidationCurveDisplay(**values, train_scores=train, test_scores=test)
    >>> display.test_scores.shape
    (3, 5)
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: ArrayLike,
        train_scores: Scores,
        test_scores: Scores,
        score_name: str | None = None,
        half_width: ArrayLike | None = None,
    ) -> None:
        super().__init__(**pick(ValidationCurveDisplay, locals()))
        n_values = len(np.asarray(test_scores))
        if half_width is not None:
            half_width = read_line(half_width, "half_width", n_values)
        self.half_width = half_width
        self.band_: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,
        y: ArrayLike | None,
        *,
        param_name: str,
        param_range: Iterable[Any],
        groups: Groups = None,
        cv: Splitter = None,
        scoring: Scorer | None = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        error_score: float | Literal["raise"] = np.nan,
        params: Arguments | None = None,
        difference: bool = False,
        confidence_level: float = 0.95,
        ax: Axes = None,
        negate_score: bool = False,
        score_name: str | None = None,
        **kwargs: object,
    ) -> QueryValidationCurveDisplay:
        """Compute and draw the validation curve of a model.

        Parameters
        ----------
        estimator, X, y, param_name, param_range, groups, cv, scoring, n_jobs, pre_dispatch, verbose, \
error_score, params
            As in :func:`sklearn_rank.validation_curve`; `groups` is required.
        difference : bool, default=False
            Whether to draw confidence intervals of the difference of each value from the best one, paired
            over queries, instead of the standard deviation over folds. A value whose interval reaches the
            line of the best value might be as good as the best. Requires a ranking scorer of this package.
        confidence_level : float, default=0.95
            Confidence level of each interval, in (0, 1).
        ax, negate_score, score_name, **kwargs
            As in :meth:`plot`. If `score_name` is `None`, the name of `scoring` is used.

        Returns
        -------
        QueryValidationCurveDisplay
            The drawn display.
        """
        check_matplotlib()
        check_groups(groups)
        check_flag(difference, "difference")
        check_level(confidence_level)
        values, half_width = list(param_range), None
        given = {**locals(), "param_range": values}
        if difference:
            scorer = resolve_scoring(scoring)
            if not (isinstance(scorer, RankingScorer) and isinstance(scorer.metrics, str)):
                rule = "be a single ranking scorer of sklearn_rank if difference=True"
                fail("scoring", rule, f"{scoring!r:.150}", "Pass scoring='ndcg@10'.")
            kept: Options = {"refit": False, "return_train_score": True, "keep_queries": True}
            search = GridSearchCV(param_grid={param_name: values}, **kept, **pick(GridSearchCV, given))
            search.fit(X, y, groups=groups, **(params or {}))
            train, test = (scores_of_folds(search.cv_results_, "score", side) for side in ("train", "test"))
            rows, candidates = find_candidates(search.kept_queries_, search.cv_results_, None)
            units = sum_by_unit(candidates)
            half_width = np.full(len(values), np.nan)
            half_width[rows] = np.sqrt(units.squared_errors(units.best))
            half_width *= t_quantile(confidence_level, units.n_effective - 1)
        else:
            train, test = validation_curve(**pick(validation_curve, given))
        display = cls(
            param_name=param_name,
            param_range=np.asarray(values),
            train_scores=train,
            test_scores=test,
            score_name=name_score(score_name, scoring, negate_score),
            half_width=half_width,
        )
        return display.plot(ax=ax, negate_score=negate_score, **kwargs)

    def plot(self, ax: Axes = None, **kwargs: Any) -> QueryValidationCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. If `None`, a new figure is created, and is higher if its legend is long. The
            legend is placed above the axes, which needs a figure with ``layout="constrained"``.
        **kwargs : dict
            `negate_score`, `score_name`, `score_type`, `std_display_style`, `line_kw`, `fill_between_kw` and
            `errorbar_kw`, as in the method of scikit-learn.

        Returns
        -------
        QueryValidationCurveDisplay
            The display itself.
        """
        paired = {} if self.half_width is None else {"std_display_style": None}
        if self.half_width is not None:
            rule, style = "if differences are drawn", kwargs.pop("std_display_style", None)
            if kwargs.get("score_type", "both") == "train":
                fail("score_type", f"be 'test' or 'both' {rule}", "'train'", "Pass score_type='both'.")
            if style is not None:
                fail("std_display_style", f"be None {rule}", f"{style!r:.50}", "Omit it.")
        super().plot(ax=self._open(ax), **paired, **soften(self, kwargs))
        if self.half_width is not None:
            self._draw_band(-1.0 if kwargs.get("negate_score") else 1.0, kwargs.get("fill_between_kw"))
        set_styles(self, kwargs)
        if np.asarray(self.param_range).dtype.kind in "iu":
            count_in_integers(self.ax_.xaxis)
        return self._finish()

    def _draw_band(self, sign: float, fill_kw: Arguments | None) -> None:
        """Draw the intervals of the differences from the best value, and a line at the best value."""
        means = sign * np.asarray(self.test_scores).mean(axis=1)
        options = {"alpha": 0.2, "color": self.lines_[-1].get_color(), "label": "difference from the best"}
        options |= fill_kw or {}
        low, high = means - self.half_width, means + self.half_width
        self.band_ = self.ax_.fill_between(self.param_range, low, high, **options)
        self.ax_.axhline(sign * np.nanmax(sign * means), color="0.6", linewidth=1, zorder=0)

    def _columns(self) -> Options:
        paired = {} if self.half_width is None else {"half_width": repeat(self.half_width, self)}
        return {self.param_name: repeat(self.param_range, self), **columns_of_folds(self), **paired}


def name_score(score_name: str | None, scoring: Scoring, negate: bool) -> str:
    """Return the label of the score axis: `score_name`, or the name of `scoring`."""
    if score_name is not None:
        return score_name
    name = scoring if isinstance(scoring, str) else getattr(scoring, "metrics", None)
    name = name if isinstance(name, str) else getattr(scoring, "__name__", "score")
    if not negate:
        return str(name)
    return name.removeprefix("neg_") if name.startswith("neg_") else f"negative {name}"


def soften(display: Any, kwargs: Options) -> Options:
    """Make shaded areas fainter than in scikit-learn, because they often overlap, and name the score."""
    score_name = kwargs.get("score_name") or display.score_name or "score"
    faint = {"alpha": 0.2, **(kwargs.get("fill_between_kw") or {})}
    return {**kwargs, "score_name": score_name, "fill_between_kw": faint}


def set_styles(display: Any, kwargs: Options) -> None:
    """Give two curves line styles and markers that are distinct without color."""
    lines = [*(display.lines_ or []), *(bar.lines[0] for bar in display.errorbar_ or [])]
    given = line_options(kwargs.get("line_kw")) | line_options(kwargs.get("errorbar_kw"))
    given = {name: given[name] for name in ("linestyle", "marker", "markersize") if name in given}
    if len(lines) == 2:  # training and test scores
        lines[0].set(**{"linestyle": "--", "marker": "s", "markersize": 4, **given})
        lines[1].set(**{"marker": "o", "markersize": 4, **given})


def repeat(values: Values, display: Any) -> np.ndarray:
    """Repeat each value once for each fold."""
    return np.repeat(np.asarray(values), np.shape(display.test_scores)[1])


def columns_of_folds(display: Any) -> Options:
    n_values, n_folds = np.shape(display.test_scores)
    return {
        "fold": np.tile(np.arange(n_folds), n_values),
        "train_score": np.ravel(display.train_scores),
        "test_score": np.ravel(display.test_scores),
    }
