"""scikit-learn's picture of a validation curve, of scores of whole queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from scipy.special import stdtrit
from sklearn.model_selection import ValidationCurveDisplay

from ..._checks.errors import fail
from ..._checks.options import check_flag
from ..._checks.types import ArrayLike, Groups, Scorer
from ..._routing.scoring import resolve_scoring
from ...metrics import RankingScorer
from ...model_selection import GridSearchCV, find_candidates, scores_of_folds, validation_curve
from ...reports import check_level, sum_by_unit
from ._drawing import Display, check_matplotlib, count_in_integers, read_line
from ._score_curves import check_groups, columns_of_folds, finish, name_score, repeat, soften


class QueryValidationCurveDisplay(Display, ValidationCurveDisplay):
    """Validation curve: scores of whole queries for each value of a parameter.

    scikit-learn's :class:`sklearn.model_selection.ValidationCurveDisplay` of what
    :func:`sklearn_rank.validation_curve` returns. Use :meth:`from_estimator`, which draws at once.

    Parameters
    ----------
    param_name : str
        The name of the parameter.
    param_range : ndarray of shape (n_values,)
        Its values.
    train_scores, test_scores : ndarray of shape (n_values, n_splits)
        Scores on the queries trained on and on those of the test folds.
    score_name : str, default=None
        The name of the score, for the axis.
    half_width : array-like of shape (n_values,), default=None
        Of the interval of the difference of each value to the best one, paired over queries.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D or None
        The mean scores.
    fill_between_ : list of matplotlib PolyCollection or None
        The bands of one standard deviation over the folds.
    errorbar_ : list of matplotlib ErrorbarContainer or None
        These as bars, with ``std_display_style="errorbar"``.
    band_ : matplotlib PolyCollection or None
        The band of paired differences to the best value, with `half_width`.
    ax_ : matplotlib Axes
        The axes drawn on.
    figure_ : matplotlib Figure
        The figure around them.

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
        param_range: Any,
        train_scores: Any,
        test_scores: Any,
        score_name: str | None = None,
        half_width: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            param_name=param_name,
            param_range=param_range,
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=score_name,
        )
        function, n_values = "QueryValidationCurveDisplay", len(np.asarray(test_scores))
        self.half_width = (
            None if half_width is None else read_line(half_width, "half_width", function, n_values)
        )
        self.band_: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None,
        *,
        param_name: str,
        param_range: Iterable[Any],
        groups: Groups,
        cv: Any = None,
        scoring: Scorer | None = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        error_score: float | Literal["raise"] = np.nan,
        params: Mapping[str, Any] | None = None,
        difference: bool = False,
        confidence_level: float = 0.95,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        **kwargs: Any,
    ) -> QueryValidationCurveDisplay:
        """Compute the validation curve of a model, and draw it.

        Parameters
        ----------
        estimator, X, y, param_name, param_range, groups, cv, scoring, n_jobs, pre_dispatch, verbose, \
error_score, params
            As in :func:`sklearn_rank.validation_curve`; `groups` must be given.
        difference : bool, default=False
            Draw where the difference of each value to the best one lies, paired over queries, in place of the
            deviation over folds: values whose band reaches the line of the best may be as good. It needs a
            ranking scorer of this package.
        confidence_level : float, default=0.95
            Of these intervals, each by itself.
        ax, negate_score, score_name, **kwargs
            As in :meth:`plot`; `score_name` is that of `scoring` unless given.

        Returns
        -------
        QueryValidationCurveDisplay
            The numbers, drawn.
        """
        function = "QueryValidationCurveDisplay.from_estimator"
        check_matplotlib(function)
        check_groups(groups, function)
        check_flag(difference, "difference", function)
        check_level(confidence_level, function)
        values = list(param_range)
        options = {
            "scoring": scoring,
            "cv": cv,
            "n_jobs": n_jobs,
            "pre_dispatch": pre_dispatch,
            "verbose": verbose,
            "error_score": error_score,
        }
        half_width = None
        if difference:
            check_has_values(scoring, function)
            search = GridSearchCV(
                estimator,
                {param_name: values},
                refit=False,
                return_train_score=True,
                keep_queries=True,
                **options,
            ).fit(X, y, groups=groups, **(params or {}))
            train, test = (scores_of_folds(search.cv_results_, "score", side) for side in ("train", "test"))
            half_width = half_widths(search, confidence_level)
        else:
            train, test = validation_curve(
                estimator,
                X,
                y,
                param_name=param_name,
                param_range=values,
                groups=groups,
                params=params,
                **options,
            )
        display = cls(
            param_name=param_name,
            param_range=np.asarray(values),
            train_scores=train,
            test_scores=test,
            score_name=name_score(score_name, scoring, negate_score),
            half_width=half_width,
        )
        return display.plot(ax=ax, negate_score=negate_score, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> QueryValidationCurveDisplay:
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
        QueryValidationCurveDisplay
            The display itself.
        """
        paired = {} if self.half_width is None else {"std_display_style": None}
        if self.half_width is not None:
            function, rule = f"{type(self).__name__}.plot", "where differences of test scores are drawn"
            if kwargs.get("score_type", "both") == "train":
                fail("score_type", function, f"be 'test' or 'both' {rule}", "'train'")
            if kwargs.pop("std_display_style", None) is not None:
                fail("std_display_style", function, f"be None or left out {rule}", "another one")
        super().plot(ax=self._open(ax), **paired, **soften(kwargs))
        if self.half_width is not None:
            self._draw_band(-1.0 if kwargs.get("negate_score") else 1.0, kwargs.get("fill_between_kw"))
        finish(self, kwargs)
        if np.asarray(self.param_range).dtype.kind in "iu":
            count_in_integers(self.ax_.xaxis)
        return self

    def _draw_band(self, sign: float, looks: Mapping[str, Any] | None) -> None:
        """Draw where the differences to the best value lie, and the line of the best."""
        means = sign * np.asarray(self.test_scores).mean(axis=1)
        options = {"alpha": 0.2, "color": self.lines_[-1].get_color(), "label": "difference to the best"}
        options |= looks or {}
        self.band_ = self.ax_.fill_between(
            self.param_range, means - self.half_width, means + self.half_width, **options
        )
        self.ax_.axhline(sign * np.nanmax(sign * means), color="0.6", linewidth=1, zorder=0)

    def _columns(self) -> dict[str, Any]:
        paired = {} if self.half_width is None else {"half_width": repeat(self.half_width, self)}
        return {self.param_name: repeat(self.param_range, self), **columns_of_folds(self), **paired}


def check_has_values(scoring: Any, function: str) -> None:
    """Check that the scorer gives values of queries, under one metric."""
    scorer = resolve_scoring(scoring, function)
    if not (isinstance(scorer, RankingScorer) and isinstance(scorer.metrics, str)):
        rule = "be one ranking scorer of this package, such as 'ndcg@10', with difference=True"
        fail("scoring", function, rule, repr(scoring))


def half_widths(search: Any, confidence_level: float) -> np.ndarray:
    """Return the half width of the interval of the difference of each candidate to the best, paired."""
    rows, candidates = find_candidates(search.kept_queries_, search.cv_results_, None, "difference")
    units = sum_by_unit(candidates)
    found = np.full(len(search.cv_results_["params"]), np.nan)
    found[rows] = stdtrit(units.n_effective - 1, 0.5 + confidence_level / 2) * np.sqrt(
        units.squared_errors(units.best)
    )
    return found
