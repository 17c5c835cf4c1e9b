"""Successive halving with folds of whole queries."""

from collections.abc import Mapping, Sequence
from typing import Literal

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
    in `min_resources` and `max_resources`, and whole queries are drawn.
    Any other resource is a parameter of the model, as in scikit-learn.

    Parameters
    ----------
    estimator, param_grid, keep_queries, keep_dtype
        As in :class:`GridSearchCV`.
    cv : int, splitter, iterable or None, default=5
        As in :class:`GridSearchCV`. The splitter must keep queries whole.
    factor : float, default=3
        The best 1 / `factor` of the candidates are kept in each round, with `factor` times the resources.
    resource : str, default="n_samples"
        What grows from round to round: the number of queries (without `groups`: of rows), or the parameter
        of the model that has this name.
    max_resources : int or "auto", default="auto"
        Largest amount of the resource for one candidate. With "n_samples", "auto" means all queries.
    min_resources : int or {"exhaust", "smallest"}, default="exhaust"
        Amount of the resource for each candidate in the first round. "exhaust" chooses it such that the last
        round uses as much as possible, "smallest" a small number.
    scoring : str, callable or None, default=None
        Scorer, or the name of a metric, such as "ndcg@10". If `None`, the `score` method of the model is
        used.
    refit : bool, default=True
        Whether to fit the best candidate of the last round on all rows.
    aggressive_elimination, error_score, return_train_score, random_state, n_jobs, verbose
        As in :class:`sklearn.model_selection.HalvingGridSearchCV`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, kept_queries_
        As in :class:`GridSearchCV`. `cv_results_` has one entry for each candidate and round.
    n_resources_ : list of int
        Amount of the resource for each candidate, for each round.
    n_candidates_ : list of int
        Number of candidates in each round.
    n_remaining_candidates_, max_resources_, min_resources_, n_iterations_, n_possible_iterations_, \
n_required_iterations_
        As in :class:`sklearn.model_selection.HalvingGridSearchCV`.
    scorer_, n_splits_, refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in :class:`sklearn.model_selection.HalvingGridSearchCV`.

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
        param_grid: Mapping[str, object] | Sequence[Mapping[str, object]],
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

    Parameters
    ----------
    estimator, keep_queries, keep_dtype
        As in :class:`GridSearchCV`.
    param_distributions : dict or list of dict
        Values of each parameter, or the distribution to draw them from, by name.
    n_candidates : int or "exhaust", default="exhaust"
        Number of candidates to draw for the first round. "exhaust" draws as many as the last round can use
        all resources with.
    min_resources : int or {"exhaust", "smallest"}, default="smallest"
        As in :class:`HalvingGridSearchCV`.
    factor, resource, max_resources, cv, scoring, refit
        As in :class:`HalvingGridSearchCV`.
    aggressive_elimination, error_score, return_train_score, random_state, n_jobs, verbose
        As in :class:`sklearn.model_selection.HalvingRandomSearchCV`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, kept_queries_
        As in :class:`GridSearchCV`. `cv_results_` has one entry for each candidate and round.
    n_resources_, n_candidates_
        As in :class:`HalvingGridSearchCV`.
    n_remaining_candidates_, max_resources_, min_resources_, n_iterations_, n_possible_iterations_, \
n_required_iterations_
        As in :class:`sklearn.model_selection.HalvingRandomSearchCV`.
    scorer_, n_splits_, refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in :class:`sklearn.model_selection.HalvingRandomSearchCV`.

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
        param_distributions: Mapping[str, object] | Sequence[Mapping[str, object]],
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
