"""Cross-validation, curves and a permutation test that pass `groups` to splitter, model and scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import numpy as np
import sklearn.model_selection
from sklearn.base import is_classifier
from sklearn.utils.parallel import Parallel, delayed

from .._checks import explain_parameters
from .._checks.arrays import read_array, read_list
from .._checks.containers import column_names, has_column, permute_column, permute_within, take
from .._checks.errors import check_count, fail
from .._checks.options import check_random, is_one_of
from .._checks.types import (
    ArrayLike,
    Estimator,
    Features,
    Groups,
    Labels,
    Options,
    RandomState,
    Scorer,
    Scoring,
    Splitter,
)
from .._checks.warn import RankingWarning, running_call, send_warnings, warn_once, warn_user
from .._rows.bound import RowTable, unwrap
from .._rows.inner_models import find_models, strip_parts
from ..reports import find_scale, subtract_equal
from ._delivery.call import Call, count_queries, prepare_call, run_call
from ._delivery.fitting import OutermostModel
from ._splitters.group_folds import RepeatedBalancedGroupKFold
from ._splitters.over_time import TimedSplitter

OF_CALLS = ("estimator", "X", "y", "groups", "scoring", "cv", "params", "times")
SIZES = "be a list of integers, or of floats in (0, 1]"
CLASSES = (
    "cross_val_predict: {model}.predict returns classes, so documents of a query would be tied. Pass "
    'method="predict_proba". If you need classes, use scikit-learn\'s function with cv=BalancedGroupKFold().'
)
VALUES = "be a list of at least one value"


@explain_parameters
@warn_once
def cross_validate(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    times: ArrayLike | None = None,
    scoring: Scoring = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: float | Literal["raise"] = np.nan,
) -> Options:
    """Evaluate metrics by cross-validation with folds of whole queries.

    Works like :func:`sklearn.model_selection.cross_validate`, except for the parameters described below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, return_train_score, return_estimator, return_indices, \
error_score
        As in scikit-learn.
    groups : array-like of shape (n_rows,) or str, default=None
        Query id of each row, or the name of an index level of X or y or of a column of X. The ids are passed
        to the splitter, to the scorers, and to each `fit` and `score` that takes `groups`. A column stays a
        feature, on which the model trains.
    times : array-like of shape (n_rows,), default=None
        Time of each row, for splitters by time such as :class:`TimeCut`.
    scoring : str, list of str, callable, dict or None, default=None
        Metrics to evaluate, as in scikit-learn. Names of ranking metrics, such as "ndcg@10", are also
        allowed.
    cv : int, splitter, iterable or None, default=None
        How to split the rows. With `groups`, an int or `None` (5 folds) means :class:`BalancedGroupKFold`.
        If both sets of a fold contain rows of the same query, a warning is issued.
    params : dict, default=None
        Parameters of `fit`, as in scikit-learn with or without metadata routing, and labels that scorers
        request by name.

    Returns
    -------
    dict of str to ndarray of shape (n_splits,)
        As in scikit-learn.

    Raises
    ------
    ValueError
        If a ranking scorer receives no query ids, if ids are missing or of mixed types, or if the estimator
        does not support metadata routing.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_validate
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> results = cross_validate(Ridge(), X, y, groups=qid, scoring=["ndcg@10", "map"], cv=3)
    >>> sorted(results)
    ['fit_time', 'score_time', 'test_map', 'test_ndcg@10']
    """
    return validate_each(locals())


def validate_each(given: Mapping[str, Any]) -> Options:
    """Fit and score a model on each split; messages name the calling function."""
    call = prepare_call(**{name: given[name] for name in OF_CALLS})
    results = run_call("cross_validate", call, given)
    if "estimator" in results:
        results["estimator"] = [unwrap(model) for model in results["estimator"]]
    return results


@explain_parameters
@warn_once
def cross_val_score(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    times: ArrayLike | None = None,
    scoring: Scorer | None = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    error_score: float | Literal["raise"] = np.nan,
) -> np.ndarray:
    """Evaluate one metric by cross-validation with folds of whole queries.

    Works like :func:`sklearn.model_selection.cross_val_score`, except for the parameters described below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, error_score
        As in scikit-learn.
    groups, times, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        Scorer, or the name of a metric, such as "ndcg@10". If `None`, the `score` method of the model is
        used.

    Returns
    -------
    ndarray of shape (n_splits,)
        Score of each fold.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> scores = cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=10), groups=qid)
    >>> len(scores)
    5
    """
    given = dict(locals())
    call = prepare_call(estimator, X, y, groups, scoring, cv, params, times, single=True)
    return run_call("cross_val_score", call, given)


@explain_parameters
@warn_once
def cross_val_predict(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    times: ArrayLike | None = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """Predict each row with a model that was trained on other queries.

    Works like :func:`sklearn.model_selection.cross_val_predict`, except for the parameters described below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, method
        As in scikit-learn.
    groups, times, cv, params
        As in :func:`cross_validate`.

    Returns
    -------
    ndarray
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_predict
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> cross_val_predict(Ridge(), X, y, groups=qid).shape == y.shape
    True
    """
    given = dict(locals())
    call = prepare_call(estimator, X, y, groups, None, cv, params, times, scores=False)
    repeats = isinstance(cv, RepeatedBalancedGroupKFold) and cv.n_repeats != 1
    if repeats or isinstance(cv, TimedSplitter):  # scikit-learn requires each row once
        name, named = type(cv).__name__, ", times=times" * isinstance(cv, TimedSplitter)
        split = f"for train, test in cv.split(X, y, groups=qid{named})"
        fail("cv", "test each row once", name, f"Pass cv=5, or fit and predict in a loop: {split}.")
    with suppress(AttributeError):  # an object without scikit-learn's tags
        if call.rows is not None and is_one_of(method, ("predict",)) and is_classifier(estimator):
            warn_user(CLASSES.format(model=type(estimator).__name__), RankingWarning)
    return run_call("cross_val_predict", call, given)


@explain_parameters
@warn_once
def validation_curve(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    param_name: str,
    param_range: Iterable[Any],
    groups: Groups = None,
    times: ArrayLike | None = None,
    cv: Splitter = None,
    scoring: Scorer | None = None,
    n_jobs: int | None = None,
    pre_dispatch: int | str = "all",
    verbose: int = 0,
    error_score: float | Literal["raise"] = np.nan,
    params: Mapping[str, Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Score a model for each value of a parameter, by cross-validation with folds of whole queries.

    Works like :func:`sklearn.model_selection.validation_curve`, except for the parameters described below.

    Parameters
    ----------
    estimator, X, y, param_name, param_range, n_jobs, pre_dispatch, verbose, error_score
        As in scikit-learn.
    groups, times, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        As in :func:`cross_val_score`.

    Returns
    -------
    train_scores, test_scores : ndarray of shape (n_values, n_splits)
        Scores on the training sets and on the test sets.

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
        fail("param_range", VALUES, "no value")
    call = prepare_call(
        estimator, X, y, groups, scoring, cv, params, times, tuned=strip_parts([param_name]), single=True
    )
    models = find_models(param_range) if call.rows is not None else []
    if models:
        fix = "To compare models, use sklearn_rank.GridSearchCV."
        fail("param_range", "not contain models", f"{len(models)} models", fix)
    return run_call("validation_curve", call, {**given, "param_range": param_range})


@explain_parameters
@warn_once
def learning_curve(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    groups: Groups = None,
    times: ArrayLike | None = None,
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
    """Score a model for increasing numbers of training queries.

    Works like :func:`sklearn.model_selection.learning_curve`, except for the parameters described below.
    Without `groups`, scikit-learn's function is called.

    Parameters
    ----------
    estimator, X, y, n_jobs, pre_dispatch, verbose, random_state, error_score, return_times
        As in scikit-learn.
    groups, times, cv, params
        As in :func:`cross_validate`. The splitter must keep queries whole.
    train_sizes : array-like of shape (n_sizes,), default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Numbers of training queries: integers, or floats in (0, 1] as fractions of the training queries of the
        first fold.
    scoring : str, callable or None, default=None
        As in :func:`cross_val_score`.
    exploit_incremental_learning : bool, default=False
        Whether to train with `partial_fit`. Must be False with `groups`.
    shuffle : bool, default=False
        Whether to draw the queries at random. If False, queries are taken in the order of their ids.

    Returns
    -------
    train_sizes : ndarray of int of shape (n_sizes,)
        Numbers of training queries.
    train_scores, test_scores : ndarray of shape (n_sizes, n_splits)
        Scores on the training queries and on the test queries.
    fit_times, score_times : ndarray of shape (n_sizes, n_splits)
        Times in seconds, only if `return_times` is True.

    Raises
    ------
    ValueError
        For the same reasons as in :func:`cross_validate`, or if a query is split between training and test.

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
    call = prepare_call(estimator, X, y, groups, scoring, cv, params, times, single=True)
    if call.rows is not None:
        if exploit_incremental_learning:
            fail("exploit_incremental_learning", "be False with 'groups'", True)
        call = count_queries(call)
        n_queries = len(call.cv[0][0])  # in the training set of the first fold
        wrong = sizes[~((sizes > 0) & (sizes <= (1 if sizes.dtype.kind == "f" else n_queries)))]
        if len(wrong):
            shares = np.maximum(sizes / np.max(sizes), 0.01).round(2)
            fix = f"Sizes count queries, not rows. For fractions, pass train_sizes={shares.tolist()}."
            rule = f"be integers from 1 to {n_queries} (queries), or floats in (0, 1]"
            fail("train_sizes", rule, wrong[0], fix)
    return run_call("learning_curve", call, {**given, "train_sizes": sizes})


@explain_parameters
@warn_once
def permutation_test_score(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    groups: Groups = None,
    times: ArrayLike | None = None,
    cv: Splitter = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    scoring: Scorer | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[float, np.ndarray, float]:
    """Test whether a model scores higher with its labels than with labels permuted within queries.

    Works like :func:`sklearn.model_selection.permutation_test_score`, but labels are permuted within queries,
    so that each query keeps its labels, and all permutations use the same folds. Without `groups`,
    scikit-learn's function is called.

    Parameters
    ----------
    estimator, X, y, n_permutations, n_jobs, random_state, verbose
        As in scikit-learn.
    groups, times, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        As in :func:`cross_val_score`.

    Returns
    -------
    score : float
        Mean score over folds.
    permutation_scores : ndarray of shape (n_permutations,)
        Mean score of each permutation.
    pvalue : float
        Fraction of scores that are at least `score`, among the scores of the permutations and `score` itself:
        between 1 / (n_permutations + 1) and 1. If `score` is `nan`, the p-value is `nan`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import permutation_test_score
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> options = {"groups": qid, "scoring": "ndcg@10", "n_permutations": 19}
    >>> permutation_test_score(Ridge(), X, y, **options)[2]
    0.05
    """
    given = dict(locals())
    check_count(n_permutations, 1, "n_permutations")
    call = prepare_call(estimator, X, y, groups, scoring, cv, params, times, single=True)
    if call.rows is None:
        return run_call("permutation_test_score", call, given)
    score = _mean_score(call)
    random = check_random(random_state)
    scores = Parallel(n_jobs=n_jobs, verbose=verbose)(
        delayed(send_warnings)(running_call(), partial(_mean_score, _permute_call(call, order)))
        for order in (permute_within(call.rows.codes, random) for _ in range(n_permutations))
    )
    permuted = np.array(scores)
    apart = subtract_equal(permuted, score, find_scale(permuted))
    p_value = (np.count_nonzero(apart >= 0) + 1) / (n_permutations + 1)
    return score, permuted, float("nan") if np.isnan(score) else float(p_value)


def _permute(y: Labels, order: np.ndarray) -> Features:
    """Return labels in another order; a pandas index keeps its order, which is that of the rows."""
    permuted = take(y, order)
    return permuted.set_axis(y.index) if hasattr(y, "iloc") else permuted


def _permute_call(call: Call, order: np.ndarray) -> Call:
    """Return a call with permuted labels: those to train on, and those to score by.

    X has the same labels, because an inner search compares them: a column is permuted; an index level, which
    also identifies the rows, loses its name.
    """
    rows: Any = call.rows
    of_labels = [name for name, kind in rows.kinds.items() if kind == "labels"]
    labels = {name: _permute(rows.columns[name], order) for name in of_labels}
    X = rows.X
    for name in of_labels:
        names = getattr(getattr(X, "index", None), "names", None) or ()
        if name in names:
            X = X.set_axis(X.index.set_names([None if each == name else each for each in names]))
        elif has_column(X, name):
            X = permute_column(X, list(column_names(X)).index(name), order)
    permuted = RowTable({**rows.columns, **labels}, X, _permute(rows.y, order), rows.codes)
    permuted.recorded = rows.recorded
    return call._replace(estimator=OutermostModel(call.estimator.estimator, permuted), y=permuted.y)


def _mean_score(call: Call) -> float:
    """Return the mean score of the folds."""
    options: Options = {"scoring": call.scoring, "cv": call.cv, "params": call.params, "error_score": "raise"}
    return float(sklearn.model_selection.cross_val_score(call.estimator, call.X, call.y, **options).mean())
