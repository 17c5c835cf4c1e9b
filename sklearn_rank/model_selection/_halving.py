"""Successive halving with folds of whole queries."""

from typing import Any, Literal

import numpy as np
import sklearn.model_selection
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables it

from .._checks import explain_parameters
from .._checks.types import Estimator, RandomState, Scorer, Splitter
from ._search import GroupedSearch


class HalvingGridSearchCV(GroupedSearch, sklearn.model_selection.HalvingGridSearchCV):
    """Grid search by successive halving, with folds and subsamples of whole queries.

    Works like :class:`sklearn.model_selection.HalvingGridSearchCV`, with the additions of
    :class:`GridSearchCV`. With `groups` and ``resource="n_samples"``, resources are counted in queries, also
    in `min_resources` and `max_resources`, and whole queries are drawn. The splitter must keep queries whole.
    Any other resource is a parameter of the model, as in scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import HalvingGridSearchCV
    >>> X, y, qid = make_ranking(n_queries=100, random_state=0)
    >>> grid = {"alpha": [1e-3, 1, 1e3, 1e6]}
    >>> search = HalvingGridSearchCV(Ridge(), grid, factor=2, scoring="ndcg@10", random_state=0)
    >>> search.fit(X, y, groups=qid).n_resources_
    [25, 50, 100]
    """

    _halves = True

    @explain_parameters
    def __init__(
        self,
        estimator: Estimator,
        param_grid: Any,
        *,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: int | Literal["auto"] = "auto",
        min_resources: int | Literal["exhaust", "smallest"] = "exhaust",
        aggressive_elimination: bool = False,
        cv: Splitter = 5,
        scoring: Scorer | None = None,
        refit: bool = True,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = True,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        self._set_parameters(locals())


class HalvingRandomSearchCV(GroupedSearch, sklearn.model_selection.HalvingRandomSearchCV):
    """Randomized search by successive halving, with folds and subsamples of whole queries.

    Works like :class:`sklearn.model_selection.HalvingRandomSearchCV`, with the additions of
    :class:`HalvingGridSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import HalvingRandomSearchCV
    >>> X, y, qid = make_ranking(n_queries=100, random_state=0)
    >>> values = {"alpha": loguniform(1e-3, 1e6)}
    >>> search = HalvingRandomSearchCV(Ridge(), values, scoring="ndcg@10", random_state=0)
    >>> search.fit(X, y, groups=qid).n_resources_
    [10, 30, 90]
    """

    _halves = True

    @explain_parameters
    def __init__(
        self,
        estimator: Estimator,
        param_distributions: Any,
        *,
        n_candidates: int | Literal["exhaust"] = "exhaust",
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: int | Literal["auto"] = "auto",
        min_resources: int | Literal["exhaust", "smallest"] = "smallest",
        aggressive_elimination: bool = False,
        cv: Splitter = 5,
        scoring: Scorer | None = None,
        refit: bool = True,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = True,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        self._set_parameters(locals())
