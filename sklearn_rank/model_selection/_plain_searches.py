"""Search over a grid, and over random candidates."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import sklearn.model_selection

from .._checks.types import RandomState, Scoring
from ._search import GroupedSearch


class GridSearchCV(GroupedSearch, sklearn.model_selection.GridSearchCV):
    """Grid search by cross-validation between queries.

    As :class:`sklearn.model_selection.GridSearchCV`, with ``fit(X, y, groups=qid)``: the ids reach splitter,
    model and scorers. `scoring` also takes names such as "ndcg@10"; `cv` None or an int means
    :class:`BalancedGroupKFold` where there are groups.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank import GridSearchCV, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [2, 5, None]}, scoring=ndcg_scorer(k=10), cv=3)
    >>> search.fit(X, y, groups=qid).best_params_
    {'max_depth': 5}
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        self._set_parameters(locals())


class RandomizedSearchCV(GroupedSearch, sklearn.model_selection.RandomizedSearchCV):
    """Randomized search by cross-validation between queries.

    As :class:`sklearn.model_selection.RandomizedSearchCV`, with the additions of :class:`GridSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import RandomizedSearchCV
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> distributions = {"alpha": loguniform(1e-3, 1e3)}
    >>> search = RandomizedSearchCV(Ridge(), distributions, n_iter=4, scoring="map", random_state=0)
    >>> search.fit(X, y, groups=qid).n_splits_
    5
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
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
        self._set_parameters(locals())
