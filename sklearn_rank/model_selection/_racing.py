"""Searches that stop fitting a candidate as soon as it is worse than the best beyond doubt."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import sklearn.model_selection
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv

from .._checks.errors import check_count, fail, is_real
from .._checks.options import check_random
from .._checks.types import RandomState, Scoring
from .._routing.call import Call
from .._routing.scoring import list_names
from ..reports import check_level
from ._course import Course, OneByOne, refuse_names
from ._keeping import Keeper, gives_values
from ._search import GroupedSearch


class GroupedRace(GroupedSearch):
    """What a race adds to a search: folds one by one, and a look after each."""

    confidence_level: float
    min_folds: int
    margin: float | None
    n_repeats: int
    random_state: Any
    _course: Course | None

    @abstractmethod
    def _list_candidates(self) -> list[dict[str, Any]]:
        """List the candidates that start."""

    def _check_rules(self) -> None:
        """Check when candidates fall."""
        function = type(self).__name__
        if not (is_real(self.confidence_level) and self.confidence_level == 1):
            check_level(self.confidence_level, function)
        check_count(self.min_folds, 2, "min_folds", function)
        check_count(self.n_repeats, 1, "n_repeats", function)
        check_random(self.random_state, function)
        if self.margin is not None and not (is_real(self.margin) and 0 < self.margin < np.inf):
            fail("margin", function, "be a difference > 0, or None", repr(self.margin))

    def _needs_values(self, scoring: Any) -> bool:
        """Tell whether the scorer gives the values of queries, which a race compares."""
        self._check_rules()
        name = self.keep_queries if isinstance(self.keep_queries, str) else self._refit_name
        return super()._needs_values(scoring) or gives_values(scoring, name)

    def _arrange_folds(self, call: Call, y: Any) -> Call:
        """Return the call with a splitter, which without ids may still be a number."""
        return call._replace(cv=check_cv(call.cv, y, classifier=is_classifier(self.estimator)))

    def _prepare(self, resolved: Any, keeper: Keeper | None) -> None:
        """Let the race know what reads values, and choose among those that are left when it is over.

        Where nothing can be dropped, and all folds are in one deal, the search is a plain one.
        """
        if self.confidence_level == 1 and self.margin is None and self.n_repeats == 1:
            resolved._course = None
            return super()._prepare(resolved, keeper)
        named = self.keep_queries if isinstance(self.keep_queries, str) else self._refit_name
        names = list_names(self.scoring)
        if names and named not in names:
            refuse_names(names, self, self.refit)
        if names and isinstance(self._refit_name, str) and named != self._refit_name:
            rule = f"name the metric of refit, {self._refit_name!r}: a race drops and chooses by one metric"
            fail("keep_queries", type(self).__name__, rule, repr(named))
        resolved._course = Course(self.refit, named, keeper)
        resolved.cv = OneByOne(resolved.cv)
        if self.refit is not False:
            resolved.refit = resolved._course.choose_row
        return None

    def _run_search(self, evaluate_candidates: Callable[..., Any], *, callback_ctx: Any = None) -> None:
        """Run the folds one by one: scikit-learn's documented way to write a search."""
        if self._course is None:
            known = {} if callback_ctx is None else {"callback_ctx": callback_ctx}
            super()._run_search(evaluate_candidates, **known)
        else:
            self._course.run(self, self._list_candidates(), evaluate_candidates, callback_ctx)

    def _finish(self, fitted: Any, keeper: Keeper | None) -> None:
        """Take over what the race found, a row for each candidate."""
        del self._course
        if fitted._course is not None:
            fitted._course.tell(self)
            return
        super()._finish(fitted, keeper)
        self.n_fits_ = len(self.cv_results_["params"]) * self.n_splits_
        self.race_ = f"{self.n_fits_} of {self.n_fits_} fits: at confidence_level=1 no candidate falls."


class RacingGridSearchCV(GroupedRace, sklearn.model_selection.GridSearchCV):
    """Grid search that drops candidates that are worse than the best beyond doubt.

    As :class:`GridSearchCV`, with fewer fits. After each fold the candidates that are worse than the best
    beyond doubt are dropped, and are not fitted to the folds that follow. The race ends when one is left,
    when those that are left are equivalent within the `margin`, or when all folds are used.

    What is kept small is the chance that the candidate that is truly the best, or a named one equal to it, is
    dropped: at most ``1 - confidence_level`` over all candidates and looks. That one of many equal candidates
    is dropped is more likely, and does no harm. A difference must be beyond doubt against its variance over
    queries, paired, and against that between folds: a fold's model is drawn anew for each candidate.

    Parameters
    ----------
    estimator, param_grid, scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, \
return_train_score, keep_queries, keep_dtype
        As in :class:`GridSearchCV`. The metric that decides is that of `refit`, or, if that names none,
        the one that `keep_queries` names. With a scorer that is none of this package candidates are compared
        by the means of folds alone. With `verbose` each fold is reported by itself.
    confidence_level : float, default=0.95
        In (0, 1]. At 1 nothing is dropped: the search is the plain one.
    min_folds : int, default=2
        Folds before the first look, >= 2.
    margin : float, default=None
        A difference that does not matter, > 0: candidates that differ by less need no further fold.
    n_repeats : int, default=1
        So many times folds are dealt, anew each time, while more than one candidate is left. More than 1
        needs a `cv` that has a `random_state`; None and an int have.
    random_state : int, RandomState or None, default=None
        Of the folds of repeats.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn, with nan where a fold was not run, means over those that were, and candidates that
        fell ranked behind those that are left. Three more entries: "n_folds", how many were run; "fell",
        whether the candidate was dropped; "fell_to", the place of the one that was better beyond doubt, -1
        for those that are left or that failed.
    n_fits_ : int
        Fits that were run, without the last one on all data.
    race_ : str
        What the race has saved, and why it ended.

    See Also
    --------
    HalvingGridSearchCV : Saves by less data, or fewer trees, per fit; a race keeps full training sets.

    References
    ----------
    Maron and Moore, "The racing algorithm: model selection for lazy learners", Artificial Intelligence Review
    11, 1997. Kuhn, "Futility analysis in the cross-validation of machine learning models", 2014.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import RacingGridSearchCV
    >>> X, y, qid = make_ranking(n_queries=200, random_state=0)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> grid = {"max_depth": [1, 2, 3, 4, 6, 8, None]}
    >>> search = RacingGridSearchCV(tree, grid, scoring="ndcg@10", cv=5)
    >>> search.fit(X, y, groups=qid).best_params_
    {'max_depth': 4}
    >>> print(search.race_)
    30 of 35 fits: 2 of 7 candidates fell, 5 are left after 5 folds; all folds are used.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        confidence_level: float = 0.95,
        min_folds: int = 2,
        margin: float | None = None,
        n_repeats: int = 1,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: RandomState = None,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.confidence_level = confidence_level
        self.min_folds = min_folds
        self.margin = margin
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.keep_queries = keep_queries
        self.keep_dtype = keep_dtype

    def _list_candidates(self) -> list[dict[str, Any]]:
        return list(ParameterGrid(self.param_grid))


class RacingRandomSearchCV(GroupedRace, sklearn.model_selection.RandomizedSearchCV):
    """Randomized search that drops candidates that are worse than the best beyond doubt.

    As :class:`RandomizedSearchCV`, with fewer fits: the race of :class:`RacingGridSearchCV` between random
    candidates. Parameters and attributes are those of the two; `random_state` is of the candidates that are
    drawn, and of the folds of repeats.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import RacingRandomSearchCV
    >>> X, y, qid = make_ranking(n_queries=200, random_state=0)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> values = {"max_depth": range(1, 20)}
    >>> search = RacingRandomSearchCV(tree, values, n_iter=8, scoring="ndcg@10", random_state=0)
    >>> search.fit(X, y, groups=qid).best_params_
    {'max_depth': 7}
    >>> print(search.race_)
    27 of 40 fits: 5 of 8 candidates fell, 3 are left after 5 folds; all folds are used.
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
        confidence_level: float = 0.95,
        min_folds: int = 2,
        margin: float | None = None,
        n_repeats: int = 1,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: RandomState = None,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            random_state=random_state,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.confidence_level = confidence_level
        self.min_folds = min_folds
        self.margin = margin
        self.n_repeats = n_repeats
        self.random_state = random_state
        self.keep_queries = keep_queries
        self.keep_dtype = keep_dtype

    def _list_candidates(self) -> list[dict[str, Any]]:
        return list(ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state))
