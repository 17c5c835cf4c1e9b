"""Learning and validation curves with scikit-learn's signatures, whose `groups` reach all that takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from sklearn import config_context

from .._checks.arrays import read_array, read_list
from .._checks.errors import fail
from .._checks.types import ArrayLike, Estimator, Features, Groups, RandomState, Scorer, Splitter
from .._routing.model_parts import find_models
from ._calls.call import Arguments, prepare_call, run_call
from ._calls.sample_model import call_on_queries
from ._calls.scoring import check_single

SIZES = "be a list of integers, or of shares in (0, 1]"
VALUES = "be a list of values, at least one"


def validation_curve(
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
    params: Mapping[str, Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Score a model for each value of a parameter, by cross-validation between queries.

    As :func:`sklearn.model_selection.validation_curve`, except for the parameters below.

    Parameters
    ----------
    estimator, X, y, param_name, param_range, n_jobs, pre_dispatch, verbose, error_score
        As in scikit-learn.
    groups, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        One scorer, or the name of one, such as "ndcg@10".

    Returns
    -------
    train_scores, test_scores : ndarray of shape (n_values, n_splits)
        Scores on the rows trained on and on the others.

    Raises
    ------
    ValueError
        As :func:`cross_validate`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import validation_curve
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> values = {"param_name": "alpha", "param_range": [1, 1e3, 1e6]}
    >>> train, test = validation_curve(Ridge(), X, y, groups=qid, scoring="ndcg@10", **values)
    >>> test.shape
    (3, 5)
    """
    given = dict(locals())
    param_range = read_list(param_range, "param_range", VALUES)
    if not param_range:
        fail("param_range", VALUES, "none")
    call = prepare_call(Arguments(estimator, X, y, groups, scoring, cv, params, [param_name]))
    check_single(scoring)
    models = find_models(param_range) if call.codes is not None else []
    if models:
        rule = "hold no models, of which some may take ids and others not: GridSearchCV compares models"
        fail("param_range", rule, f"{len(models)} models")
    return run_call("validation_curve", call, {**given, "param_range": param_range})


def learning_curve(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    groups: Groups = None,
    train_sizes: ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Splitter = None,
    scoring: Scorer | None = None,
    exploit_incremental_learning: bool = False,
    n_jobs: int | None = None,
    pre_dispatch: int | str = "all",
    verbose: int = 0,
    shuffle: bool = False,
    random_state: RandomState = None,
    error_score: float | Literal["raise"] = np.nan,
    return_times: bool = False,
    params: Mapping[str, Any] | None = None,
) -> tuple[np.ndarray, ...]:
    """Score a model that learns from more and more queries, each of them whole.

    As :func:`sklearn.model_selection.learning_curve`, except for the parameters below. Without `groups` it is
    that function.

    Parameters
    ----------
    estimator, X, y, n_jobs, pre_dispatch, verbose, random_state, error_score, return_times
        As in scikit-learn.
    groups, cv, params
        As in :func:`cross_validate`; the splitter must keep queries whole.
    train_sizes : array-like of shape (n_sizes,), default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Numbers of queries to learn from: integers, or floats in (0, 1] as shares of those of the first fold.
    scoring : str, callable or None, default=None
        One scorer, or the name of one, such as "ndcg@10".
    exploit_incremental_learning : bool, default=False
        Only without `groups`.
    shuffle : bool, default=False
        Draw the queries at random; else they are the first ones by their ids.

    Returns
    -------
    train_sizes : ndarray of int of shape (n_sizes,)
        Numbers of queries.
    train_scores, test_scores : ndarray of shape (n_sizes, n_splits)
        Scores on the queries trained on and on those of the test folds.
    fit_times, score_times : ndarray of shape (n_sizes, n_splits)
        Seconds; only with ``return_times=True``.

    Raises
    ------
    ValueError
        As :func:`cross_validate`, or if folds cut queries.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import learning_curve
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=100, random_state=0)
    >>> sizes, train, test = learning_curve(Ridge(), X, y, groups=qid, scoring="ndcg@10", train_sizes=[5, 80])
    >>> sizes
    array([ 5, 80])
    """
    given = dict(locals())
    sizes = read_array(train_sizes, "train_sizes", SIZES)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iuf":
        fail("train_sizes", SIZES, repr(train_sizes))
    call = prepare_call(Arguments(estimator, X, y, groups, scoring, cv, params))
    check_single(scoring)
    if call.codes is not None:
        if exploit_incremental_learning:
            fail("exploit_incremental_learning", "be False with 'groups'", True)
        with config_context(enable_metadata_routing=True):
            call, queries = call_on_queries(call, X, y)
        given |= {"X": queries, "y": None}
    return run_call("learning_curve", call, {**given, "train_sizes": sizes})
